/* Runs the rules without Swift: all of them, those whose name contains the argument, or, if that begins with a minus
 * sign, those whose name does not contain the rest of it. */
#include "../include/rules.h"
#include <stdio.h>
#include <string.h>

static bool is_wanted(const char *name, const char *part) {
    return part[0] == '-' ? !strstr(name, part + 1) : strstr(name, part) != NULL;
}

int main(int argc, char **argv) {
    int passed = 0, failed = 0;
    for (size_t i = 0; i < HeraldRulesCount(); i++) {
        if (!is_wanted(HeraldRulesGetName(i), argc > 1 ? argv[1] : "")) continue;
        const char *failure = HeraldRulesRun(i);
        if (failure) printf("FAILED %s: %s\n", HeraldRulesGetName(i), failure);
        *(failure ? &failed : &passed) += 1;
        fflush(stdout);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0 || passed == 0; /* a name that nothing has is no success */
}
