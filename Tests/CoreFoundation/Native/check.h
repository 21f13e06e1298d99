/* Shared by the C programs: counted checks, and a log that observers write to. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Runs the run loop until the condition holds, for a minute at most. */
#define RUN_UNTIL(condition)                                                                                           \
    for (int turn_ = 0; turn_ < 6000 && !(condition); turn_++) CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.01, false)

static int passed, failed;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            passed++;                                                                                                  \
        } else {                                                                                                       \
            failed++;                                                                                                  \
            printf("FAILED %s:%d: %s\n", __FILE__, __LINE__, #condition);                                              \
        }                                                                                                              \
    } while (0)

static char heard[256];
static bool was_heard(const char *expected) {
    bool is = strcmp(heard, expected) == 0;
    if (!is) printf("heard \"%s\", expected \"%s\"\n", heard, expected);
    heard[0] = 0;
    return is;
}
