/* The calls of an input: decoded, begun in the model, made, ended and compared. */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include <herald/herald.h>

/* Begins an input: the local center and one or two more. */
void calls_begin(void);

/* Makes calls until the input or the number of calls is used up. */
void calls_make_all(void);

/* Inside a callback or hook: makes as many calls as the next byte says. */
void calls_make_nested(void);

/* Inside a callback: if its center has ended, nothing can be kept in it. */
void calls_check_ended(HeraldCenterRef center);

/* Releases everything. */
void calls_end(void);

#endif
