/* What the C programs share: checks that are counted, and what observers have written down. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Turns the run loop until the condition holds, or does not come to hold for a minute. */
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
