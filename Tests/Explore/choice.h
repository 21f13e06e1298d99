/* The search: the choices of a run, and of the next one. */
#ifndef EXPLORE_CHOICE_H
#define EXPLORE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* Every run with at most `bound` unusual choices. */
void choice_begin_bounded(int bound);
/* Random walks. The same seed makes the same run. */
void choice_begin_random(uint64_t seed);
/* Repeats the run that choice_seed has named. Returns false for an invalid name. */
bool choice_begin_replay(const char *seed);
/* Whether the last run had all the choices of its seed. */
bool choice_seed_fits(void);

/* To be called before each run. */
void choice_begin_run(void);
/* Whether a bounded search has another run. */
bool choice_has_next(void);

/* Names the last run. */
const char *choice_seed(void);

#endif
