/* The turn: one thread's right to inform a center's transport about names. On a center without a transport no thread
 * takes a turn.
 *
 * On a center with a transport, threads add and remove in turns, one thread at a time. The transport must hear of a
 * name's first observer before that observer can be called. It must hear of names in the order in which they gain and
 * lose observers. The turn is not a lock: the hooks run in it, and may themselves add and remove observers.
 */
#ifndef HERALD_TURN_H
#define HERALD_TURN_H

#include "center.h"
#include "job.h"

/* One turn. It has a reference to the center's memory, because the hooks may release the center. */
struct herald_turn {
    struct herald_job job;  /* first */
    HeraldCenterRef center; /* NULL: the center needs no turn, this turn was refused, or this turn is over */
    bool refused;           /* another thread has the turn, and this thread must not wait for it */
};

HERALD_BEGIN
/* Waits while another thread has the turn. The turn is refused if that thread waits for this one, or if this thread is
 * forking. */
void herald_turn_take(struct herald_turn *turn, HeraldCenterRef center);
HERALD_INLINE void herald_turn_begin(struct herald_turn *turn, HeraldCenterRef center) {
    turn->center = NULL;
    turn->refused = false;
    if (herald_unlikely(center->transport.firstObserver || center->transport.lastObserver))
        herald_turn_take(turn, center);
}
/* Call this after names have been noted (herald_turn_note). If the turn was refused, and no other thread has it any
 * more, this thread takes it. Otherwise the thread that has the turn informs the transport about the noted names. */
void herald_turn_catch_up(struct herald_turn *turn, HeraldCenterRef center);
/* Informs the transport about the noted names that have no observer any more, and ends the turn. */
void herald_turn_leave(struct herald_turn *turn);
HERALD_INLINE void herald_turn_end(struct herald_turn *turn) {
    if (herald_unlikely(turn->center != NULL)) herald_turn_leave(turn);
}

/* In the turn: informs the transport that a name is about to have an observer, unless the transport knows this. */
HeraldStatus herald_turn_announce(HeraldCenterRef center, HeraldNameRef name);

/* Under the center's lock: notes the name of this bucket, if the name has lost its last observer and the transport
 * knows the name. `name_bucket`: see bucket.h. */
void herald_turn_note_announced(HeraldCenterRef center, struct herald_bucket *name_bucket);
HERALD_INLINE void herald_turn_note(HeraldCenterRef center, struct herald_bucket *name_bucket) {
    if (herald_unlikely(name_bucket->announced)) herald_turn_note_announced(center, name_bucket);
}

/* In the turn: takes the next noted name, and informs the transport if this name still has no observer. False when no
 * name is noted. */
bool herald_turn_retract_next(HeraldCenterRef center);

/* Under the lock of a closed center: notes all names, because they have lost their observers. */
void herald_turn_note_all(HeraldCenterRef center);

/* Call these before and after a post that the transport carries. The transport is destroyed when its center has been
 * closed and the last such post has ended. */
void herald_transport_retain(HeraldCenterRef center);
void herald_transport_release(HeraldCenterRef center);
static inline void herald_transport_used(HeraldCenterRef *center) { herald_transport_release(*center); }

/* Keeps the transport until the block is left, in any way, even if the center ends before. */
#define HERALD_RETAIN_TRANSPORT(center)                                                                                \
    HERALD_RETAIN_MEMORY(kept, center);                                                                                \
    herald_transport_retain(center);                                                                                   \
    HeraldCenterRef used __attribute__((cleanup(herald_transport_used))) = (center);                                   \
    (void)used

/* HERALD_RETAIN_TRANSPORT, for a block that runs a hook of the transport. */
#define HERALD_USE_TRANSPORT(center)                                                                                   \
    HERALD_RETAIN_TRANSPORT(center);                                                                                   \
    HERALD_HOOKS(hooks)

/* Called when a thread ends in the middle of calls: gives up the center's turn, if the thread has it. */
void herald_turn_hand_in(HeraldCenterRef center);

void herald_turns_before_fork(void);
void herald_turns_in_child(void);
void herald_turns_after_fork(void);
HERALD_END
#endif
