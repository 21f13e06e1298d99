/* A center's struct, which all files that work on centers share. Its birth and death are in life.c.
 *
 * References to a center keep its registrations alive. References to its memory (herald_slots_retain) keep the struct
 * for longer: after a center is closed, posts may still show its slots, and releases of these slots may still have to
 * run.
 */
#ifndef HERALD_CENTER_H
#define HERALD_CENTER_H

#include "index.h"
#include "lock.h"
#include "observers.h"
#include "queue.h"
#include "thread.h"

struct HeraldCenter {
    struct herald_index index; /* first: a fast post reads these cache lines and nothing else of the center */

    pthread_mutex_t *lock; /* one of a few that all centers share, so that fork can take them all */
    uint32_t references;   /* atomic */
    uint32_t inherited;    /* domain's lock: first of the slots whose releases were inherited in a fork; 0: none */
    uint64_t number;       /* never reused */
    bool closed;           /* center's lock */
    uint32_t debug_mark;
    uint32_t traces;       /* center's lock: traces of this center alone */
    bool hidden;           /* the center of the trace hooks: not traced, not visited */
    size_t observer_limit; /* center's lock: when a name has more observers than this, a warning is printed; 0: never */
    char label[64];        /* center's lock */
    struct herald_slots slots;
    struct herald_observers observers;
    HeraldCenterOptions options;
    struct herald_queue queue;
    HeraldTransport transport;
    uint32_t transport_uses; /* atomic: one for the center itself, one for each post that the transport carries, one for
                                each telling. 0: destroyed. A transport that lives for ever counts no posts */
    struct herald_telling *tellings; /* center's lock: calls of the transport's hooks (told.h) */
    /* edges.c's lock: the thread that calls the transport's hooks of 0.2 (NULL: none), and how deeply its calls are
     * nested. */
    const void *edges_holder;
    uint32_t edges_depth;
    HeraldCenterRef next_held;      /* in the list of centers that have a holder */
    struct herald_bucket *noted;    /* center's lock: buckets that may have lost their last observer */
    HeraldCenterRef next, *link;    /* domain's lock: all centers */
    HeraldCenterRef next_numbered;  /* domain's lock: see herald_center_numbered */
    struct herald_keeping *keeping; /* center's lock: what it keeps (kept.h); NULL: nothing was ever kept or followed */
    struct herald_then *thens, **thens_end; /* domain's lock: calls that follow the releases of slots, the oldest first;
                                               the end of the list, or NULL if there has been none */
};

static inline void herald_center_lock(HeraldCenterRef center) { herald_mutex_lock(center->lock); }
static inline void herald_center_unlock(HeraldCenterRef center) { herald_mutex_unlock(center->lock); }

static inline HeraldCenterRef herald_center_of(struct herald_slots *slots) {
    return (HeraldCenterRef)(void *)((char *)slots - offsetof(struct HeraldCenter, slots));
}

HERALD_BEGIN
/* All centers whose memory exists; under the domain's lock. */
extern HeraldCenterRef herald_centers;

/* Under the domain's lock. */
void herald_center_enlist(HeraldCenterRef center);
void herald_center_delist(HeraldCenterRef center);
/* The center with this number, which may be closed. NULL: its memory is gone, or the number was never given. */
HeraldCenterRef herald_center_numbered(uint64_t number);

static inline void herald_center_memory_end(HeraldCenterRef *center) {
    if (*center) herald_slots_release(&(*center)->slots);
}
/* Keeps a reference to the center's memory until the block is left in any way: hooks and callbacks may release the
 * center. `center` may be NULL; then this does nothing. */
#define HERALD_RETAIN_MEMORY(name, center)                                                                             \
    HeraldCenterRef name __attribute__((cleanup(herald_center_memory_end))) = (center);                                \
    if (name) herald_slots_retain(&name->slots)

static inline void herald_guard_begin(struct herald_guard *guard, HeraldCenterRef center) {
    guard->outer = herald_guards;
    guard->center = center;
    guard->owes = false;
    herald_guards = guard;
}
static inline void herald_guard_end(struct herald_guard *guard) {
    herald_guards = guard->outer;
    if (herald_unlikely(guard->owes)) herald_slots_release(&guard->center->slots);
}
/* The same as HERALD_RETAIN_MEMORY, for hooks and callbacks that run on this thread. */
#define HERALD_GUARD_MEMORY(name, center)                                                                              \
    struct herald_guard name __attribute__((cleanup(herald_guard_end)));                                               \
    herald_guard_begin(&name, center)

/* For the thread that ends a center: whether a guard takes over the center's reference to its own memory. */
bool herald_guard_takes_over(HeraldCenterRef center);

enum { HERALD_CENTER_ALIVE = 0x6c697665, HERALD_CENTER_GONE = 0x676f6e65 };

/* In debug builds, aborts if the center has been released, except inside callbacks and hooks. */
void herald_center_check(HeraldCenterRef center, const char *sentence);

/* For a walk over all centers, from the newest to the oldest, hidden and closed ones included. Returns the center after
 * `center`, with a reference to its memory, and gives up the reference to that of `center`; NULL after the last. A walk
 * begins with NULL. */
HeraldCenterRef herald_center_after(HeraldCenterRef center);
/* How many traces follow all centers of the process; atomic. */
extern uint32_t herald_center_traces;

/* Under the center's lock: recomputes the index's flags, which posts read. */
void herald_center_update_flags(HeraldCenterRef center);
HERALD_END
#endif
