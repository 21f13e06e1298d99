/* Counts of posts and calls in a window of time, for each center and name. They also contain the events that were lost
 * because a tape (tape.h) was full. */
#ifndef HERALD_HOST_COUNTS_H
#define HERALD_HOST_COUNTS_H

#include "host_platform.h"
#include <herald/inspect.h>

enum { HERALD_HOST_COUNTS = 4096 };

struct herald_host_count {
    _Atomic(HeraldNameRef) name; /* NULL: free */
    _Atomic uint64_t center;
    _Atomic(const void *) tag; /* of the newest post */
    _Atomic uint64_t posts, calls, nanoseconds, longest, longest_id;
};

struct herald_host_counts {
    _Atomic uint64_t crowded; /* events for which no place was found */
    struct herald_host_count all[HERALD_HOST_COUNTS];
};

HERALD_BEGIN
/* The hook of a trace that is counted. */
void herald_host_counts_add(void *counts, const HeraldTraceEvent *event);
HERALD_END
#endif
