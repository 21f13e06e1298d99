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
 *      thread record > frame               what one running post shows; its four pins (not drawn) are hazard
 *                                          pointers on snapshots
 *
 * A slot is not used again while a pinned snapshot lists it.
 *
 * States. ACTIVE <-> BLOCKED                         posts do not call a blocked registration
 *         ACTIVE -> REMOVED                          nothing needs the end of its last call
 *         ACTIVE -> PENDING -> RELEASING -> RELEASED a release hook or a waiter needs the end of its last call
 *         REMOVED -> PENDING                         a thread came to wait after the removal
 * A removal treats BLOCKED as ACTIVE. A slot is blocked, unblocked and removed under its center's lock. All later steps
 * are under the domain's lock. A post calls only a slot that it has found ACTIVE, by the slot's state or by the
 * snapshot's ends (deliver.c). After the call the post looks again, and calls herald_release_left if the slot is
 * PENDING then.
 */
#ifndef HERALD_SLOT_H
#define HERALD_SLOT_H

#include "domain.h"

struct herald_bucket;

/* The bits of a slot's `traits`. */
enum {
    HERALD_BEHAVIOR = 7, /* three bits: the registration's HeraldSuspensionBehavior */
    HERALD_BY_TOKEN = 8, /* a removal finds the registration by its token only, not by its observer */
    HERALD_UNDER = 16,   /* a registration for the names below a prefix: `observer` is a struct herald_under */
    HERALD_FOLLOWS = 32  /* it begins with what is kept: hooks->object is a struct herald_follower */
};

/* The user's observer and callback. A post calls the callback directly, or through a callback of this library
 * (under.c). */
struct herald_caller {
    const void *observer;
    HeraldCallback callback; /* or a HeraldTaggedCallback */
};

enum { HERALD_ACTIVE, HERALD_BLOCKED, HERALD_REMOVED, HERALD_PENDING, HERALD_RELEASING, HERALD_RELEASED };

/* The hooks that a registration runs at its end. They do not lie in the slot, but in a herald_hooks_store (below). The
 * thread that adds the registration writes the hooks, and the thread that runs the release reads them. */
struct herald_hooks {
    void (*release)(void *observer);           /* NULL: no hook, or it has begun */
    void (*releaseObject)(const void *object); /* NULL: no hook, or it has begun */
    const void *object;                        /* the argument of releaseObject */
    const void *runner;                        /* domain's lock: the address of herald_self in the thread that runs the
                                                  hooks; NULL: inherited in a fork (release.c) */
};

/* Posters read five fields: sequence, callback, observer, traits and state. The first four are written before the slot
 * goes into a snapshot. They do not change while a poster can see any snapshot that lists the slot. */
struct herald_slot {
    uint64_t sequence;             /* its place in the order of registration */
    HeraldTaggedCallback callback; /* or a HeraldCallback: see herald_deliver_to */
    void *observer;
    union {
        struct herald_bucket *bucket; /* while ACTIVE or BLOCKED; center's lock */
        uint32_t next_dead;           /* later: the number of the next slot in a snapshot's list of dead slots */
    };
    struct herald_hooks *hooks; /* NULL when it has no hooks. Atomic: may become not NULL at the removal, under the
                                   domain's lock (herald_release_then) */
    uint32_t generation;        /* center's lock; a token contains the generation and `self` */
    uint32_t self;              /* its number in the store, from 1 */
    uint32_t next, previous; /* slot numbers, 0: none. While ACTIVE or BLOCKED: the neighbours in the observer's list.
                                Later: the links of other lists */
    uint32_t position;       /* while ACTIVE or BLOCKED; center's lock: its index in the bucket's current snapshot */
    uint8_t state;           /* atomic */
    uint8_t traits;          /* a whole byte: posters read it while removers write the bit-fields below */
    /* Domain's lock: */
    uint16_t waiters : 12; /* how many callers of AndWait still wait for RELEASED */
    uint16_t armed : 1;    /* the remover has had its barrier; now the last post that leaves may run the release */
    uint16_t shown : 1;    /* used only in claim() (release.c): whether a frame shows the slot */
    uint16_t orphan : 1;   /* no snapshot lists it any more, but it is not RELEASED yet, or has waiters */
    uint16_t has_then : 1; /* the center's list `thens` may have calls that follow this slot's release */
};
herald_static_assert(sizeof(struct herald_slot) == HERALD_LINE, "a slot is one cache line");

/* `waiters` has room for one more, because the remover itself may wait, too. */
enum { HERALD_WAITERS_MOST = (1 << 12) - 2 };

/* The hooks of the slots of one chunk (below): `of[i]` belongs to the chunk's slot number i, counted from 0. */
struct herald_hooks_store {
    struct herald_slots *slots; /* the center's slots, which include this chunk */
    struct herald_hooks of[];
};

/* The directory: finds the slots of one center by their numbers. The slots lie in chunks. The first eight chunks have
 * 8, 8, 16, 32, ... 512 slots, and all others have 1024. Chunks never move. A chunk with no slot in use may be given
 * up, and may be made again later. Then its slots begin with generations that none of the chunk's slots has had.
 *
 * A thread needs no lock to find a slot, so it may be reading an old directory. When a larger directory has taken its
 * place, the old one stays in memory until the center is freed. */
struct herald_slot_directory {
    struct herald_slot_directory *smaller; /* the previous directory, or NULL */
    uint32_t room;
    struct herald_slot_chunk {
        struct herald_slot *slots;        /* NULL: the chunk has been given up */
        struct herald_hooks_store *hooks; /* NULL: none of its slots has had hooks yet */
        uint32_t used;                    /* how many of its slots have been in use since the chunk was made */
        uint32_t free, free_count;        /* the slots that can be used again: the first, linked by `next`; how many */
        uint32_t generation;              /* a slot that is used for the first time gets this number plus 1 */
        uint32_t next;                    /* index plus 1 of the next chunk in the list of chunks with room; 0: none */
        bool has_room;                    /* the chunk is in the list of chunks with room */
    } chunks[];
};

/* Under the center's lock, except where a field says otherwise. */
struct herald_slots {
    struct herald_slot_directory *directory; /* atomic */
    uint32_t chunk_count;                    /* how many chunks there are, including those that are given up */
    uint32_t given_up;                       /* how many chunks are given up */
    uint32_t roomy; /* index plus 1 of the first chunk in the list of chunks with room; 0: the list is empty */
    /* Numbers of slots. `present`: in all chunks. `taken`: in use, or recycled. `live`: ACTIVE or BLOCKED. */
    uint32_t present, taken, live;
    uint32_t wasted_at;      /* `live` when the store was last found wasteful; UINT32_MAX: it is not wasteful now */
    uint32_t returned;       /* how many slots the `free` lists of all chunks have */
    uint32_t recycled;       /* domain's lock: the first recycled slot, linked by `next`. The reclaimer recycles slots,
                                and so do threads that run releases */
    uint32_t recycled_count; /* atomic; written under the domain's lock */
    uint32_t references;     /* domain's lock: one for the center, and one for each retired snapshot, orphan or thread
                                that still needs the memory */
};

/* The functions that are called when the last reference to a center's memory is gone. One struct of this kind serves
 * all centers. */
struct herald_slots_owner {
    void (*unlink)(struct herald_slots *slots);  /* called first, under the domain's lock */
    void (*destroy)(struct herald_slots *slots); /* called next, under no lock */
};

HERALD_BEGIN
/* The store begins with one reference. */
void herald_slots_create(struct herald_slots *slots, const struct herald_slots_owner *owner);

/* Takes a free slot and gives it a new generation. Returns NULL when memory is out. If `owes` is true, the slot's
 * `hooks` points to room for hooks; otherwise `hooks` is NULL. Only `hooks`, `self` and `generation` are valid; the
 * other fields are stale. */
struct herald_slot *herald_slots_take(struct herald_slots *slots, bool owes);
/* Under the center's lock, for a slot without hooks: returns room for the slot's hooks, which are all NULL. The caller
 * sets `hooks`. Returns NULL when memory is out. */
struct herald_hooks *herald_slots_make_hooks(struct herald_slots *slots, const struct herald_slot *slot);
/* Returns the store that a slot belongs to. The slot must have hooks. */
struct herald_slots *herald_slots_of(const struct herald_slot *slot);
/* Whether the slot belongs to this store, and not to another center's. */
bool herald_slots_have(const struct herald_slots *slots, const struct herald_slot *slot);
/* A walk over all slots that are or were in use; chunks that are given up are left out. Returns the slot after `slot`,
 * or NULL at the end. If `slot` is NULL, returns the first slot. */
struct herald_slot *herald_slots_next(const struct herald_slots *slots, const struct herald_slot *slot);
/* The same walk. Returns the slot after the one with this number. If `number` is 0, returns the first slot. */
struct herald_slot *herald_slots_after(const struct herald_slots *slots, uint32_t number);
/* Whether `slot` is the address of a slot in this store. `slot` may be any address, and is not read. */
bool herald_slots_contain(const struct herald_slots *slots, const struct herald_slot *slot);
/* Returns the slot that `registration`, the number in a token, stands for. The slot may be in any state. Returns NULL
 * if the number stands for no slot. */
struct herald_slot *herald_slots_find(const struct herald_slots *slots, uint64_t registration);
/* Under the domain's lock: from now on the slot may be used again. */
void herald_slots_recycle(struct herald_slots *slots, struct herald_slot *slot);

/* Under the center's lock: puts recycled slots into the `free` lists of their chunks, and gives up chunks that have no
 * slot in use. */
void herald_slots_trim(struct herald_slots *slots);
/* The slow part of herald_slots_are_wasteful, which is below. */
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

/* Under the center's lock: whether retired memory should be freed now, because the store is wasteful. It is wasteful
 * when it has more than HERALD_SLOTS_WASTED slots, and less than an eighth of them are ACTIVE. Once the result was
 * true, it is false until the number of ACTIVE slots has fallen by another eighth. */
static inline bool herald_slots_are_wasteful(struct herald_slots *slots) {
    if (slots->present <= HERALD_SLOTS_WASTED || slots->live >= slots->present / 8) {
        slots->wasted_at = UINT32_MAX;
        return false;
    }
    return herald_slots_waste_more(slots);
}

enum {
    HERALD_CHUNK_FIRST = 8,
    HERALD_CHUNK_LARGEST = 1024,
    HERALD_CHUNKS_SMALL = 8 /* they have 1024 slots together */
};

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

/* A reference keeps the memory of the slots, and of the center around them. Registrations may end all the same. Both
 * functions are called under no lock. */
void herald_slots_retain(struct herald_slots *slots);
void herald_slots_release(struct herald_slots *slots);
/* Frees the chunks; the owner's `destroy` calls it. */
void herald_slots_destroy(struct herald_slots *slots);

/* Returns the user's observer and callback. Call this only while the observer cannot be released. */
static inline struct herald_caller herald_slot_caller(const struct herald_slot *slot) {
    struct herald_caller own = {slot->observer, (HeraldCallback)(void (*)(void))slot->callback};
    return slot->traits & HERALD_UNDER ? *(const struct herald_caller *)slot->observer : own;
}

static inline HeraldSuspensionBehavior herald_slot_behavior(const struct herald_slot *slot) {
    return (HeraldSuspensionBehavior)(slot->traits & HERALD_BEHAVIOR);
}

/* Under the center's lock: whether the registration has not been removed. */
static inline bool herald_slot_is_there(const struct herald_slot *slot) {
    return load_relaxed(&slot->state) <= HERALD_BLOCKED;
}

/* Makes the slot PENDING. A slot that has not been removed is made PENDING under the center's lock, a REMOVED slot
 * under the domain's lock. */
static inline void herald_slot_make_pending(struct herald_slot *slot) {
    slot->armed = 0;
    store_release(&slot->state, (uint8_t)HERALD_PENDING); /* partners: the acquires in release.c and handshake.c */
}

static inline uint64_t herald_slot_registration(const struct herald_slot *slot) {
    return (uint64_t)slot->generation << 32 | slot->self;
}
HERALD_END
#endif
