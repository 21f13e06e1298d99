/* The turn: who may speak with a center's transport. Centers without a transport never take it.
 *
 * Adding and removing on a transport's center happens in turns, one thread at a time, because the transport must hear
 * of a name's first observer before it can be called, and in the order in which names gain and lose observers. The
 * turn is not a lock: the hooks run in it, and may add and remove themselves.
 */
#ifndef HERALD_TURN_H
#define HERALD_TURN_H

#include "center.h"
#include "job.h"

/* One turn. It has a reference to the center's memory while it lasts, for the hooks may release the center. */
struct herald_turn {
    struct herald_job job;  /* first */
    HeraldCenterRef center; /* NULL when there is none to take, or when it is over */
    bool refused;           /* it is another thread's, which waits for one that this thread has */
};

HERALD_BEGIN
/* Waits for the turn of another thread, unless that waits for this one: then the turn is refused. */
void herald_turn_take(struct herald_turn *turn, HeraldCenterRef center);
HERALD_INLINE void herald_turn_begin(struct herald_turn *turn, HeraldCenterRef center) {
    turn->center = NULL;
    turn->refused = false;
    if (herald_unlikely(center->transport.firstObserver || center->transport.lastObserver))
        herald_turn_take(turn, center);
}
/* After names have been noted: takes the turn that was refused if it is free by now. Else who has it tells of them. */
void herald_turn_catch_up(struct herald_turn *turn, HeraldCenterRef center);
/* Tells the transport of the names noted that have no observer any more, and ends the turn. */
void herald_turn_leave(struct herald_turn *turn);
HERALD_INLINE void herald_turn_end(struct herald_turn *turn) {
    if (herald_unlikely(turn->center != NULL)) herald_turn_leave(turn);
}

/* In the turn: tells the transport that a name is about to have an observer, unless it knows. */
HeraldStatus herald_turn_announce(HeraldCenterRef center, HeraldNameRef name);

/* Under the center's lock: the name of this name bucket may have lost its last observer. */
void herald_turn_note_announced(HeraldCenterRef center, struct herald_bucket *name_bucket);
HERALD_INLINE void herald_turn_note(HeraldCenterRef center, struct herald_bucket *name_bucket) {
    if (herald_unlikely(name_bucket->announced)) herald_turn_note_announced(center, name_bucket);
}

/* In the turn: tells the transport of the next name noted, if it has no observer indeed; false when there is none. */
bool herald_turn_retract_next(HeraldCenterRef center);

/* Under the lock of a center that is closed: all names have lost their observers. */
void herald_turn_note_all(HeraldCenterRef center);

/* Around a post that the transport carries; with the last one that ends after the center was closed it is destroyed. */
void herald_transport_retain(HeraldCenterRef center);
void herald_transport_release(HeraldCenterRef center);
static inline void herald_transport_used(HeraldCenterRef *center) { herald_transport_release(*center); }

/* Until the end of the block, by whatever way it is left, the center may end, and its transport stays. */
#define HERALD_RETAIN_TRANSPORT(center)                                                                                \
    HERALD_RETAIN_MEMORY(kept, center);                                                                                \
    herald_transport_retain(center);                                                                                   \
    HeraldCenterRef used __attribute__((cleanup(herald_transport_used))) = (center);                                   \
    (void)used

/* The same, and a hook of the transport runs. */
#define HERALD_USE_TRANSPORT(center)                                                                                   \
    HERALD_RETAIN_TRANSPORT(center);                                                                                   \
    HERALD_HOOKS(hooks)

/* This thread ends in the middle of calls: the center's turn is another's. */
void herald_turn_hand_in(HeraldCenterRef center);

void herald_turns_before_fork(void);
void herald_turns_in_child(void);
void herald_turns_after_fork(void);
HERALD_END
#endif
