/* What is printed about a call that was refused: CF's functions return no status. */
#ifndef HERALD_CF_COMPLAINT_H
#define HERALD_CF_COMPLAINT_H

#pragma GCC visibility push(hidden)
void herald_cf_complain(const char *function, const char *why);
#pragma GCC visibility pop

#endif
