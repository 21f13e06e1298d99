/* Counts of a window of time, by center and name. They contain every post and call, including those that a client's
 * tape (tape.h) has lost. */
#ifndef HERALD_HOST_COUNTS_H
#define HERALD_HOST_COUNTS_H

#include "host_platform.h"
#include <herald/inspect.h>

enum { HERALD_HOST_COUNTS = 4096 };

struct herald_host_count {
    _Atomic(HeraldNameRef) name; /* NULL: free */
    _Atomic uint64_t center;
    _Atomic(const void *) tag; /* of its newest post */
    _Atomic uint64_t posts, calls, nanoseconds, longest, longest_id;
};

struct herald_host_counts {
    _Atomic uint64_t crowded; /* posts and calls for which there was no place */
    struct herald_host_count all[HERALD_HOST_COUNTS];
};

HERALD_BEGIN
void herald_host_counts_add(struct herald_host_counts *counts, const HeraldTraceEvent *event);
/* Takes the counts. False when nothing was counted. */
bool herald_host_counts_take(struct herald_host_count *count, struct herald_host_count *taken);
HERALD_END
#endif
