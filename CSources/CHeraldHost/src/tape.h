/* A tape: a queue of trace events that have not been read yet, without those of beginnings. Any thread may write to the
 * tape; one thread reads it. When the tape is full, further events are lost and counted. */
#ifndef HERALD_HOST_TAPE_H
#define HERALD_HOST_TAPE_H

#include "host_platform.h"
#include <herald/inspect.h>

enum { HERALD_HOST_TAPE_EVENTS = 8192 };

/* Memory that is all 0 is an empty tape. */
struct herald_host_tape {
    uint64_t center;                               /* only its events are written; 0: those of all centers */
    _Atomic uint64_t head, lost_posts, lost_calls; /* writers use them */
    char apart[HERALD_LINE];                       /* keeps `head` and `tail` on different cache lines */
    uint64_t tail;                                 /* only the reader uses it */
    struct herald_host_tape_cell {
        _Atomic uint64_t turn; /* twice the lap whose event a writer may fill in; 1 more while the reader may read it */
        HeraldTraceEvent event;
    } cells[HERALD_HOST_TAPE_EVENTS];
};

HERALD_BEGIN
/* The hook of a trace that writes to a tape. */
void herald_host_tape_write(void *tape, const HeraldTraceEvent *event);
/* For the reader. False: there is nothing to read. */
bool herald_host_tape_read(struct herald_host_tape *tape, HeraldTraceEvent *event);
HERALD_END
#endif
