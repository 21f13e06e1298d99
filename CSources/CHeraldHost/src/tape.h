/* A tape: what a trace has told and nobody has read yet. Any thread writes, one reads; when it is full what comes is
 * counted, and lost. */
#ifndef HERALD_HOST_TAPE_H
#define HERALD_HOST_TAPE_H

#include "host_platform.h"
#include <herald/inspect.h>

enum { HERALD_HOST_TAPE_EVENTS = 8192 };

struct herald_host_tape {
    _Alignas(HERALD_LINE) _Atomic uint64_t head;
    _Alignas(HERALD_LINE) uint64_t tail; /* the reader's */
    _Alignas(HERALD_LINE) _Atomic uint64_t lost_posts, lost_calls;
    struct herald_host_tape_cell {
        _Atomic uint64_t turn; /* whose it is: head's number, for who writes; that and one, for who reads */
        HeraldTraceEvent event;
    } cells[HERALD_HOST_TAPE_EVENTS];
};

HERALD_BEGIN
struct herald_host_tape *herald_host_tape_create(void); /* NULL: memory is out */
void herald_host_tape_write(struct herald_host_tape *tape, const HeraldTraceEvent *event);
/* The reader's: false when there is nothing. */
bool herald_host_tape_read(struct herald_host_tape *tape, HeraldTraceEvent *event);
HERALD_END
#endif
