/* Complaints: why a call was refused. They are printed, because CF's functions return no status. */
#ifndef HERALD_CF_COMPLAINT_H
#define HERALD_CF_COMPLAINT_H

#include <herald/herald.h>

#define HERALD_CF_NO_NAME "the name is empty, not Unicode, or has a NUL in it"
#define HERALD_CF_NO_OBJECT "the object is not a CFString, not Unicode, or has a NUL in it"

#pragma GCC visibility push(hidden)
void herald_cf_complain(const char *function, const char *why);
#pragma GCC visibility pop

#endif
