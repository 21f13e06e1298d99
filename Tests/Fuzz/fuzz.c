/* Gets inputs from libFuzzer, or with HERALD_FUZZ_STANDALONE from a pseudo-random generator. */
#include "calls.h"
#include "handles.h"
#include "input.h"
#include "reference.h"
#include "report.h"
#include "world.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerInitialize(int *argument_count, char ***arguments);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    input_begin(bytes, length);
    world_begin();
    handles_begin();
    reference_begin();
    calls_begin();
    calls_make_all();
    calls_end();
    reference_end();
    report_figures.inputs++;
    return 0;
}

#ifdef HERALD_FUZZ_STANDALONE

#include <stdio.h>
#include <string.h>

enum { LONGEST = 1500 };

/* splitmix64 */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Each input depends only on the seed and its number, so that --only makes it again. */
static void run(uint64_t seed, uint64_t number) {
    static uint8_t bytes[LONGEST];
    uint64_t state = seed ^ number * 0xd1342543de82ef95u;
    size_t length = next_random(&state) % LONGEST;
    for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)(next_random(&state) >> 32);
    report_set_origin(seed, number);
    LLVMFuzzerTestOneInput(bytes, length);
}

int main(int argument_count, char **arguments) {
    uint64_t runs = 10000, seed = 1, first = 0;
    for (int i = 1; i + 1 < argument_count; i += 2) {
        uint64_t value = strtoull(arguments[i + 1], NULL, 0);
        if (!strcmp(arguments[i], "--runs")) runs = value;
        if (!strcmp(arguments[i], "--seed")) seed = value;
        if (!strcmp(arguments[i], "--only")) {
            first = value;
            runs = value + 1;
        }
    }
    if (argument_count % 2 == 0) {
        fprintf(stderr, "usage: %s [--runs N] [--seed S] [--only NUMBER]\n", arguments[0]);
        return 2;
    }
    for (uint64_t number = first; number < runs; number++) run(seed, number);
    report_summary();
    return 0;
}

#else

int LLVMFuzzerInitialize(int *argument_count, char ***arguments) {
    (void)argument_count;
    (void)arguments;
    atexit(report_summary);
    return 0;
}

#endif
