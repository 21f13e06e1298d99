#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct report_figures report_figures;

static bool has_origin;
static uint64_t origin_seed, origin_number;

void report_set_origin(uint64_t seed, uint64_t number) {
    has_origin = true;
    origin_seed = seed;
    origin_number = number;
}

static bool is_tracing(void) {
    static int tracing = -1;
    if (tracing < 0) tracing = getenv("HERALD_FUZZ_TRACE") != NULL;
    return tracing;
}

void report_trace(unsigned depth, const char *format, ...) {
    if (!is_tracing()) return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%*s", (int)(2 * depth), "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void report_difference(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("fuzz: difference from the model: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (has_origin) fprintf(stderr, "fuzz: --seed %" PRIu64 " --only %" PRIu64 "\n", origin_seed, origin_number);
    abort();
}

void report_summary(void) {
    const struct report_figures *f = &report_figures;
    printf("fuzz: %" PRIu64 " calls, %" PRIu64 " callbacks (%" PRIu64 " of held posts), %" PRIu64
           " hooks, deepest nesting %u\n",
           f->calls, f->callbacks, f->held, f->hooks, f->deepest);
    printf("fuzz: %" PRIu64 " kept posts; followers began %" PRIu64 " times with %" PRIu64 ", then heard %" PRIu64 "\n",
           f->kept, f->began, f->marked, f->later);
    printf("fuzz: %" PRIu64 " inputs, no difference from the model\n", f->inputs);
}
