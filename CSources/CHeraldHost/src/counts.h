/* Counts of a window of time, by center and name: of every post and call, whatever the tape has lost. */
#ifndef HERALD_HOST_COUNTS_H
#define HERALD_HOST_COUNTS_H

#include "platform.h"
#include <herald/inspect.h>

enum { HERALD_COUNTS = 4096 };

struct herald_count {
    _Atomic(HeraldNameRef) name; /* NULL: free */
    _Atomic uint64_t center;
    _Atomic(const void *) tag; /* of its newest post */
    _Atomic uint64_t posts, calls, nanoseconds, longest, longest_id;
};

struct herald_counts {
    _Atomic uint64_t crowded; /* posts and calls for which there was no place */
    struct herald_count all[HERALD_COUNTS];
};

HERALD_BEGIN
void herald_counts_add(struct herald_counts *counts, const HeraldTraceEvent *event);
/* Takes what has been counted; false when there is nothing. */
bool herald_counts_take(struct herald_count *count, struct herald_count *taken);
HERALD_END
#endif
