/* The calls of an input: decoded, begun in the model, made, ended and compared. */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

/* Begins an input: the local center and one or two more. */
void calls_begin(void);

/* Makes calls until the input or the number of calls is used up. */
void calls_make_all(void);

/* Inside a callback or hook: makes as many calls as the next byte says. */
void calls_make_nested(void);

/* Releases everything. */
void calls_end(void);

#endif
