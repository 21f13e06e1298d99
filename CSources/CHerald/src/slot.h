/* A slot: one registration, one cache line. And the store of a center's slots.
 *
 * States. ACTIVE -> REMOVED                          nothing is owed when its last call is over
 *         ACTIVE -> PENDING -> RELEASING -> RELEASED a release hook or a waiter is owed the end of its last call
 *         REMOVED -> PENDING                         a thread came to wait after the removal
 * A slot leaves ACTIVE under its center's lock; all later steps are under the domain's. A post calls only in ACTIVE,
 * and reports only PENDING.
 */
#ifndef HERALD_SLOT_H
#define HERALD_SLOT_H

#include "domain.h"

struct herald_bucket;
struct herald_snapshot;

enum { HERALD_ACTIVE, HERALD_REMOVED, HERALD_PENDING, HERALD_RELEASING, HERALD_RELEASED };

/* What a registration owes at its end. Written by the adder; read, and freed, by the thread that runs the release. */
struct herald_hooks {
    void (*release)(void *observer);
    void (*releaseObject)(const void *object);
    const void *object;
    HeraldCenterRef center;
    const void *runner; /* domain's lock: &herald_self of the thread that runs them */
    uint32_t begun;     /* the runner's: how many of them it has begun */
};

/* Posters read sequence, callback, observer, state and behavior; all but state are written before the slot goes into a
 * snapshot and again only after no snapshot that lists it can be seen. */
struct herald_slot {
    uint64_t sequence; /* its place in the order of registration */
    HeraldCallback callback;
    void *observer;
    union {
        struct herald_bucket *bucket;      /* while ACTIVE; center's lock */
        struct herald_snapshot *left_with; /* atomic; afterwards: the last snapshot that lists it */
    };
    struct herald_hooks *hooks; /* NULL when nothing is owed */
    uint32_t generation;        /* center's lock; with `self` the token */
    uint32_t self;              /* its number in the store, from 1 */
    uint32_t next, previous;    /* numbers: of the same observer while ACTIVE; then of the lists it is in */
    union {
        uint32_t position; /* while ACTIVE; center's lock: where the bucket's current snapshot lists it */
        uint32_t owed;     /* atomic; from PENDING on: it is in the center's list of slots that are owed a look, and
                              leads to the next one; 0: it is not */
    };
    uint8_t state;    /* atomic */
    uint8_t behavior; /* HeraldSuspensionBehavior */
    /* The domain's lock: */
    uint16_t waiters : 12; /* AndWait callers that must see RELEASED */
    uint16_t armed : 1;    /* the remover has had its barrier: the last user runs the release */
    uint16_t shown : 1;    /* some frame showed it, in the scan that is going on */
    uint16_t orphan : 1;   /* no snapshot lists it any more, but it is still owed or waited for */
};
herald_static_assert(sizeof(struct herald_slot) == HERALD_LINE, "a slot is one cache line");

enum { HERALD_WAITERS_MOST = (1 << 12) - 2 };

/* The slots of one center, found by number; chunks never move and are freed with the center. Center's lock, but for
 * `recycled` and `references`, which are the domain's. A slot is found by its number without a lock: a directory that
 * has become too small is left as it is until the center is freed. */
struct herald_slot_directory {
    struct herald_slot_directory *smaller; /* the one before */
    uint32_t room;
    struct herald_slot *chunks[];
};

struct herald_slots {
    struct herald_slot_directory *directory; /* atomic */
    uint32_t chunk_count;
    uint32_t used;       /* numbers given out so far */
    uint32_t free;       /* a list of numbers */
    uint32_t recycled;   /* likewise, filled by the reclaimer and by those that release */
    uint32_t references; /* to the memory: the center's own, and one for all that leads back to a slot */
};

/* What the slots, and the center that they lie in, come to when the last reference is gone; the same for all centers.
 */
struct herald_slots_owner {
    void (*unlink)(struct herald_slots *slots);  /* under the domain's lock */
    void (*destroy)(struct herald_slots *slots); /* then, under no lock */
};

HERALD_BEGIN
/* Begins with one reference. */
void herald_slots_create(struct herald_slots *slots, const struct herald_slots_owner *owner);

/* A free slot with a new generation; NULL when memory is out. Fields other than self and generation are stale. */
struct herald_slot *herald_slots_take(struct herald_slots *slots);
struct herald_slot *herald_slots_at(const struct herald_slots *slots, uint32_t number);
/* The slot a token's registration names, whatever its state; NULL when it names none. */
struct herald_slot *herald_slots_find(const struct herald_slots *slots, uint64_t registration);
/* Under the domain's lock: the slot may be used again. */
void herald_slots_recycle(struct herald_slots *slots, struct herald_slot *slot);

/* Keep the memory of the slots, and of the center around them, but not its registrations. No lock may be held. */
void herald_slots_retain(struct herald_slots *slots);
void herald_slots_release(struct herald_slots *slots);
/* The owner's: frees the chunks. */
void herald_slots_destroy(struct herald_slots *slots);

/* Under the center's lock (its last registration's end) or the domain's: the end of its last call is owed something. */
static inline void herald_slot_make_pending(struct herald_slot *slot) {
    slot->armed = 0;
    store_relaxed(&slot->owed, 0u);
    store_release(&slot->state, (uint8_t)HERALD_PENDING); /* partner: the poster's looks at the state */
}

static inline uint64_t herald_slot_registration(const struct herald_slot *slot) {
    return (uint64_t)slot->generation << 32 | slot->self;
}
HERALD_END
#endif
