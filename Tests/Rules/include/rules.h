/* The contract as a list of tests: a function for each statement, named after its rule. They run in Swift's test
 * runner, and in main.c under every sanitizer. */
#ifndef HERALD_RULES_H
#define HERALD_RULES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

size_t HeraldRulesCount(void);
const char *HeraldRulesGetName(size_t index);

/* Why a test takes more than two seconds; NULL if it does not. */
const char *HeraldRulesWhySlow(size_t index);

/* Runs one test. Returns NULL if it passed, else the failure: one sentence, valid until the next run. */
const char *HeraldRulesRun(size_t index);

#ifdef __cplusplus
}
#endif
#endif
