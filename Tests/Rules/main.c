/* Runs the rules without Swift: all of them, or those whose name contains the argument. */
#include "include/rules.h"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int passed = 0, failed = 0;
    for (size_t i = 0; i < HeraldRulesCount(); i++) {
        if (argc > 1 && !strstr(HeraldRulesGetName(i), argv[1])) continue;
        const char *failure = HeraldRulesRun(i);
        if (failure) printf("FAILED %s: %s\n", HeraldRulesGetName(i), failure);
        *(failure ? &failed : &passed) += 1;
        fflush(stdout);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
