/* The search: what is chosen in a run, and what in the next. */
#ifndef EXPLORE_CHOICE_H
#define EXPLORE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* Every run with at most `bound` choices that are not the usual ones. */
void choice_begin_bounded(int bound);
/* Walks by chance; the same seed makes the same run. */
void choice_begin_random(uint64_t seed);
/* The run that choice_seed has named; false when that cannot be. */
bool choice_begin_replay(const char *seed);
/* Whether the run that has been made had all the choices of its seed. */
bool choice_seed_fits(void);

/* Before each run. */
void choice_begin_run(void);
/* Whether there is another run in a bounded search. */
bool choice_has_next(void);

/* Names the run that has just been made. */
const char *choice_seed(void);

#endif
