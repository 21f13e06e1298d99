/* A slot (one registration in one cache line), and the store of a center's slots.
 *
 *      bucket (name, object)               one for each pair that has observers; found in the index
 *        |
 *        | current
 *        v
 *      snapshot  [ 0 | 1 | 2 | T | 4 |  ]  its registrations in order; T: the tombstone of one that has ended
 *                  |   |   |       |   ^
 *                  |   |   |       |   count: a post may read the entries before it
 *                  v   v   v       v
 *      slots      [0] [1] [2]     [4]      callback, observer, sequence, state
 *                      ^
 *                      | hazard            set by the post that calls it; read by the remover that waits
 *                      |
 *      thread record > frame               what one running post shows; its four pins are hazard pointers
 *                                          on snapshots, and keep the slots that a pinned snapshot lists
 *
 * States. ACTIVE -> REMOVED                          nothing needs the end of its last call
 *         ACTIVE -> PENDING -> RELEASING -> RELEASED a release hook or a waiter needs the end of its last call
 *         REMOVED -> PENDING                         a thread came to wait after the removal
 * A slot leaves ACTIVE under its center's lock. All later steps are under the domain's lock. A post calls only a slot
 * that it has found ACTIVE, by the slot's state or by the snapshot's ends (deliver.c). After the call the post looks
 * again, and calls herald_release_left if the slot is PENDING then.
 */
#ifndef HERALD_SLOT_H
#define HERALD_SLOT_H

#include "domain.h"

struct herald_bucket;

/* A slot's traits: its HeraldSuspensionBehavior, and these bits. */
enum {
    HERALD_BEHAVIOR = 7, /* the bits of the behavior */
    HERALD_BY_TOKEN = 8, /* a removal finds it by its token only, not by its observer */
    HERALD_UNTOLD = 16,  /* for any name; the center's transport is not informed of this registration */
    HERALD_UNDER = 32    /* for the names under a prefix; its observer points to a struct herald_caller */
};

/* The user's observer and callback. A post calls the callback directly, or through a callback of this library
 * (under.c). */
struct herald_caller {
    const void *observer;
    HeraldCallback callback; /* or a HeraldTaggedCallback */
};

enum { HERALD_ACTIVE, HERALD_REMOVED, HERALD_PENDING, HERALD_RELEASING, HERALD_RELEASED };

/* The hooks that a registration runs at its end. Each chunk of slots has a separate store of hooks. The thread that
 * adds the registration writes the hooks, and the thread that runs the release reads them. */
struct herald_hooks {
    void (*release)(void *observer);           /* NULL: no hook, or it has begun */
    void (*releaseObject)(const void *object); /* NULL: no hook, or it has begun */
    const void *object;                        /* the argument of releaseObject */
    const void *runner;                        /* domain's lock: &herald_self of the thread that runs the hooks */
};

/* Posters read sequence, callback, observer, state and traits. All of these except state are written before the slot
 * goes into a snapshot. They are written again only when no poster can see any snapshot that lists the slot. */
struct herald_slot {
    uint64_t sequence;             /* its place in the order of registration */
    HeraldTaggedCallback callback; /* or a HeraldCallback: see herald_deliver_to */
    void *observer;
    union {
        struct herald_bucket *bucket; /* while ACTIVE; center's lock */
        uint32_t next_dead;           /* afterwards: the number of the next slot in a snapshot's list of dead slots */
    };
    struct herald_hooks *hooks; /* NULL when it has no hooks */
    uint32_t generation;        /* center's lock; with `self` it makes the token */
    uint32_t self;              /* its number in the store, from 1 */
    uint32_t next, previous; /* slot numbers: while ACTIVE, the neighbours in the observer's list; later, the neighbours
                                in whichever list the slot is in */
    uint32_t position;       /* while ACTIVE; center's lock: its index in the bucket's current snapshot */
    uint8_t state;           /* atomic */
    uint8_t traits;          /* not a bit-field, which would share a memory location with bits that removers write */
    /* Domain's lock: */
    uint16_t waiters : 12; /* how many AndWait callers have not seen RELEASED yet */
    uint16_t armed : 1;    /* the remover has had its barrier: from now on the last post to leave runs the release */
    uint16_t shown : 1;    /* only within claim() in release.c: a frame shows the slot */
    uint16_t orphan : 1;   /* no snapshot lists it any more, but it is not RELEASED yet, or has waiters */
};
herald_static_assert(sizeof(struct herald_slot) == HERALD_LINE, "a slot is one cache line");

enum { HERALD_WAITERS_MOST = (1 << 12) - 2 }; /* `waiters` can count one more, the remover itself */

/* The hooks of a chunk's slots, at the same indexes as the slots. */
struct herald_hooks_store {
    struct herald_slots *slots; /* the store that the chunk belongs to */
    struct herald_hooks of[];
};

/* The slots of one center, found by number. They lie in chunks of 8, 8, 16, 32, ... 512 and then 1024, so that a small
 * center is small and a large one wastes little. Chunks never move. A chunk with no slot in use may be given up. When
 * it is made again, its slots begin with generations that none of them has had. To find a slot by its number takes no
 * lock. So a directory that has become too small stays in memory until the center is freed. */
struct herald_slot_directory {
    struct herald_slot_directory *smaller; /* the directory before this one */
    uint32_t room;
    struct herald_slot_chunk {
        struct herald_slot *slots;        /* NULL: the chunk has been given up */
        struct herald_hooks_store *hooks; /* NULL: none of its slots has had hooks yet */
        uint32_t used;                    /* how many of its slots have been in use so far */
        uint32_t free, free_count;        /* a list, by `next`, of its slots that can be used again; their number */
        uint32_t generation;              /* one less than the generation of a slot in its first use */
        uint32_t next; /* the next chunk in the list of chunks with room: its index plus 1; 0: none */
        bool has_room; /* it is in the list of chunks with room */
    } chunks[];
};

/* Under the center's lock, except where a field says otherwise. */
struct herald_slots {
    struct herald_slot_directory *directory; /* atomic */
    uint32_t chunk_count;                    /* including those that have been given up */
    uint32_t given_up;
    uint32_t roomy;                /* the list of chunks with room: the first one's index plus 1; 0: empty */
    uint32_t present, taken, live; /* slots in chunks; slots in use; ACTIVE slots */
    uint32_t wasted_at;            /* `live` when the store was last found wasteful; UINT32_MAX: it is not wasteful */
    uint32_t returned;             /* slots in the chunks' `free` lists */
    uint32_t recycled; /* domain's lock: a list, by `next`, filled by the reclaimer and by threads that run releases */
    uint32_t recycled_count; /* atomic; written under the domain's lock */
    uint32_t references;     /* domain's lock: one for the center, and one for each object that leads to a slot */
};

/* How the slots, and the center around them, end when the last reference is gone. One such struct serves all centers.
 */
struct herald_slots_owner {
    void (*unlink)(struct herald_slots *slots);  /* under the domain's lock */
    void (*destroy)(struct herald_slots *slots); /* then, under no lock */
};

HERALD_BEGIN
/* The store begins with one reference. */
void herald_slots_create(struct herald_slots *slots, const struct herald_slots_owner *owner);

/* Takes a free slot and gives it a new generation. Returns NULL when memory is out. If `owes` is true, the slot's
 * `hooks` points to room for hooks; otherwise `hooks` is NULL. Only `hooks`, `self` and `generation` are valid; the
 * other fields are stale. */
struct herald_slot *herald_slots_take(struct herald_slots *slots, bool owes);
/* Returns the store that a slot belongs to. The slot must have hooks. */
struct herald_slots *herald_slots_of(const struct herald_slot *slot);
/* Whether this store has the slot, which may belong to another center. */
bool herald_slots_have(const struct herald_slots *slots, const struct herald_slot *slot);
/* Walks over all slots that are or were in use, except those in chunks that have been given up. Returns the slot after
 * this one; pass NULL to get the first slot. */
struct herald_slot *herald_slots_next(const struct herald_slots *slots, const struct herald_slot *slot);
/* The same walk by numbers; pass 0 to get the first slot. */
struct herald_slot *herald_slots_after(const struct herald_slots *slots, uint32_t number);
/* Whether `slot`, which may be any address, is the address of a slot in this store. */
bool herald_slots_contain(const struct herald_slots *slots, const struct herald_slot *slot);
/* Returns the slot that `registration`, the number in a token, stands for. The slot may be in any state. Returns NULL
 * if the number stands for no slot. */
struct herald_slot *herald_slots_find(const struct herald_slots *slots, uint64_t registration);
/* Under the domain's lock: from now on the slot may be used again. */
void herald_slots_recycle(struct herald_slots *slots, struct herald_slot *slot);

/* Under the center's lock: takes back recycled slots, and gives up chunks that have no slot in use. */
void herald_slots_trim(struct herald_slots *slots);
/* Under the center's lock, for a wasteful store: whether the number of ACTIVE slots has fallen by an eighth since this
 * was last true. */
bool herald_slots_waste_more(struct herald_slots *slots);

#ifdef HERALD_EXPLORE
enum { HERALD_SLOTS_RESERVE = 0, HERALD_SLOTS_FEW = 1, HERALD_SLOTS_WASTED = 8 };
#else
enum { HERALD_SLOTS_RESERVE = 64, HERALD_SLOTS_FEW = 64, HERALD_SLOTS_WASTED = 1024 };
#endif

/* Whether so many slots have been recycled that trimming is worth its cost. */
static inline bool herald_slots_trim_is_due(const struct herald_slots *slots) {
    uint32_t recycled = load_relaxed(&slots->recycled_count);
    return recycled >= HERALD_SLOTS_FEW && recycled >= (slots->taken - recycled) / 4;
}

/* Whether the store has far too much memory for its ACTIVE slots, so that retired memory should be freed now. True only
 * once until the number of ACTIVE slots has fallen by another eighth. */
static inline bool herald_slots_are_wasteful(struct herald_slots *slots) {
    if (slots->present <= HERALD_SLOTS_WASTED || slots->live >= slots->present / 8) {
        slots->wasted_at = UINT32_MAX;
        return false;
    }
    return herald_slots_waste_more(slots);
}

enum { HERALD_CHUNK_FIRST = 8, HERALD_CHUNK_LARGEST = 1024, HERALD_CHUNKS_SMALL = 8 /* together 1024 slots */ };

static inline uint32_t herald_chunk_of(uint32_t index) {
    if (index >= HERALD_CHUNK_LARGEST) return HERALD_CHUNKS_SMALL + index / HERALD_CHUNK_LARGEST - 1;
    return index < HERALD_CHUNK_FIRST ? 0 : (uint32_t)(31 - __builtin_clz(index)) - 2;
}

static inline uint32_t herald_chunk_start(uint32_t chunk) {
    if (chunk >= HERALD_CHUNKS_SMALL) return (chunk - HERALD_CHUNKS_SMALL + 1) * HERALD_CHUNK_LARGEST;
    return chunk == 0 ? 0 : (uint32_t)HERALD_CHUNK_FIRST << (chunk - 1);
}

/* Finds a slot that is in use, by its number. Needs no lock. */
static inline struct herald_slot *herald_slots_at(const struct herald_slots *slots, uint32_t number) {
    uint32_t index = number - 1, chunk = herald_chunk_of(index);
    const struct herald_slot_directory *directory = load_acquire(&slots->directory); /* partner: enlarge() in slot.c */
    return &directory->chunks[chunk].slots[index - herald_chunk_start(chunk)];
}

/* References to the memory of the slots and of the center around them. A reference does not keep the registrations. The
 * caller holds no lock. */
void herald_slots_retain(struct herald_slots *slots);
void herald_slots_release(struct herald_slots *slots);
/* Bytes of the slots and their hooks. */
size_t herald_slots_size(const struct herald_slots *slots);
/* Frees the chunks; the owner's `destroy` calls it. */
void herald_slots_destroy(struct herald_slots *slots);

/* Call this only while the observer cannot be released. */
static inline struct herald_caller herald_slot_caller(const struct herald_slot *slot) {
    struct herald_caller own = {slot->observer, (HeraldCallback)(void (*)(void))slot->callback};
    return slot->traits & HERALD_UNDER ? *(const struct herald_caller *)slot->observer : own;
}

static inline HeraldSuspensionBehavior herald_slot_behavior(const struct herald_slot *slot) {
    return (HeraldSuspensionBehavior)(slot->traits & HERALD_BEHAVIOR);
}

/* Makes the slot PENDING. Called under the center's lock when the registration ends, and under the domain's lock
 * later. */
static inline void herald_slot_make_pending(struct herald_slot *slot) {
    slot->armed = 0;
    store_release(&slot->state, (uint8_t)HERALD_PENDING); /* partners: the acquires in release.c and handshake.c */
}

static inline uint64_t herald_slot_registration(const struct herald_slot *slot) {
    return (uint64_t)slot->generation << 32 | slot->self;
}
HERALD_END
#endif
