/* Runs the rules without Swift: all of them, those whose name contains the argument, or, if that begins with a minus
 * sign, those whose name does not contain the rest of it. With HERALD_TEST_TRACE every center is traced meanwhile, and
 * what begins must end. */
#include "../include/rules.h"
#include <herald/inspect.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const char *name, const char *part) {
    return part[0] == '-' ? !strstr(name, part + 1) : strstr(name, part) != NULL;
}

static atomic_long begun, ended;

static void note(void *context, const HeraldTraceEvent *event) {
    (void)context;
    if (event->phase == HeraldTracePostBegin || event->phase == HeraldTraceCallBegin) begun++;
    if (event->phase == HeraldTracePostEnd || event->phase == HeraldTraceCallEnd) ended++;
}

static bool is_balanced(void) {
    if (getenv("HERALD_TEST_TRACE")) printf("traced: %ld begun, %ld ended\n", (long)begun, (long)ended);
    return begun == ended;
}

int main(int argc, char **argv) {
    int passed = 0, failed = 0;
    if (getenv("HERALD_TEST_TRACE")) HeraldTraceStart(NULL, NULL, note, NULL, NULL, NULL);
    for (size_t i = 0; i < HeraldRulesCount(); i++) {
        if (!is_wanted(HeraldRulesGetName(i), argc > 1 ? argv[1] : "")) continue;
        const char *failure = HeraldRulesRun(i);
        if (failure) printf("FAILED %s: %s\n", HeraldRulesGetName(i), failure);
        *(failure ? &failed : &passed) += 1;
        fflush(stdout);
    }
    printf("%d passed, %d failed\n", passed, failed);
    if (!is_balanced()) return 1;
    return failed != 0 || passed == 0; /* a name that nothing has is no success */
}
