/* The pen: the arena that this process writes its messages to. */
#ifndef HERALD_HOST_PEN_H
#define HERALD_HOST_PEN_H

#include "log.h"

HERALD_BEGIN
/* Writes and publishes a letter, with an arena of the segment's that is this process's, or is borrowed for it. One
 * thread at a time; it waits for no other process, but a moment for one that has borrowed the last arena.
 * HeraldQueueFull, with a complaint: there is no arena, or no memory for one. */
HeraldStatus herald_pen_write(struct herald_segment *segment, const struct herald_letter *letter,
                              enum herald_written *written);

/* How many messages of a name of this process's own were written; between two, not within one. */
uint32_t herald_pen_logged(struct herald_entry *entry);

/* The session has another segment: afterwards nothing is written to the one before. */
void herald_pen_leave(void);

/* Around a fork: the child has no arena. */
void herald_pen_before_fork(void);
void herald_pen_in_parent(void);
void herald_pen_in_child(void);
HERALD_END
#endif
