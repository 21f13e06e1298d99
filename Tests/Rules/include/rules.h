/* The contract as a list of tests: a function for each statement, named after its rule. They run in Swift's test
 * runner, and by main.c under every sanitizer. */
#ifndef HERALD_RULES_H
#define HERALD_RULES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

size_t HeraldRulesCount(void);
const char *HeraldRulesGetName(size_t index);

/* Why a test takes over two seconds; NULL when it does not. */
const char *HeraldRulesWhySlow(size_t index);

/* Runs one test. NULL when it passed, else what failed: one sentence, valid until the next run. */
const char *HeraldRulesRun(size_t index);

#ifdef __cplusplus
}
#endif
#endif
