/* Thread records and frames: what a thread shows to others of the posts that it is in. The scheme: hazard pointers
 * (Michael 2004), on snapshots (`pins`) and on the slot that is called (`hazard`), and a read-side critical section as
 * in RCU (`section`).
 *
 * A frame belongs to one running post (or one delivery from a queue). Its thread writes it; removers and the reclaimer
 * read it under the domain's lock. Invariants:
 *      a snapshot whose pin was set before a heavy fence is not freed while the pin stays set
 *      a slot in `hazard` is listed by a pinned snapshot, and is not released while it stays in `hazard`
 *      while `section` is odd, nothing is freed that could be found by name when it became odd
 */
#ifndef HERALD_THREAD_H
#define HERALD_THREAD_H

#include "domain.h"

struct herald_bucket;
struct herald_slot;
struct herald_snapshot;

enum { HERALD_FRAMES = 8, HERALD_PINS = 4 };

struct herald_frame {
    struct herald_snapshot *pins[HERALD_PINS]; /* atomic */
    uintptr_t hazard; /* atomic: hazard pointer on the slot that is called, perhaps with the bit HERALD_LAST */
    const void *tag, *userInfo; /* the thread's own; userInfo is valid only if there is a tag */
    uint64_t since;             /* atomic: when the call began, if it is traced; else 0 */
} __attribute__((aligned(HERALD_LINE)));

/* The post shows no other slot after this one, and sets no more pins: see is_at_last_slot in handshake.c. */
enum { HERALD_LAST = 1 };

/* The slot that the frame shows, or NULL. Partner of the acquire: the poster's release store. */
static inline struct herald_slot *herald_frame_shows(const struct herald_frame *frame) {
    return (struct herald_slot *)(load_acquire(&frame->hazard) & ~(uintptr_t)HERALD_LAST);
}

/* One place of the thread's lookup cache: the buckets that it found when it last posted this name and object, or added
 * or removed an observer for them. The thread's own; see herald_found_cached. */
struct herald_lookup {
    uint64_t generation; /* of the index when the buckets were found; 0: empty */
    HeraldNameRef name;
    const void *object;
    struct herald_bucket *name_bucket, *object_bucket; /* NULL: no such bucket */
    struct herald_bucket *any_bucket; /* (any name, object); the index's `everything` here means: not looked up yet */
};

enum { HERALD_LOOKUPS = 16 };

struct herald_thread {
    /* The line that its thread writes and others read. For the tickets see handshake.h. */
    uint64_t section;         /* atomic; odd while the thread looks for buckets, in a section */
    struct herald_frame *top; /* atomic; written by the thread alone: the first frame that is not in use */
    uint64_t asked;           /* atomic: a writer's ticket that the thread is to answer, or 0 */
    uint64_t noted;           /* domain's lock: the section that the reclaimer waits for, or 0 */
    void (*abandon)(struct herald_thread *self); /* ends all calls that the thread has open, at its end */
    struct herald_thread *next, **link; /* domain's lock: the list that it is in; spare records use `next` alone */
    struct herald_frame frames[HERALD_FRAMES];
    struct herald_lookup lookups[HERALD_LOOKUPS];
    HeraldNameRef names[HERALD_LOOKUPS]; /* names that it has found by their texts; they live for ever */
    /* The line that is written when a writer requests an answer, or the thread gives one: see handshake.h. */
    uint64_t answered __attribute__((aligned(HERALD_LINE))); /* atomic: the newest ticket that it has answered */
    uint32_t fencing_posts; /* the thread's own: how many posts it has made since it became fencing */
    uint32_t looks;         /* domain's lock: how often in a row writers found it fencing and quiescent */
    uint64_t missed;        /* domain's lock: a ticket that it did not answer in time, while it was in a post */
    bool is_offline;        /* domain's lock */
    int32_t number;         /* domain's lock: the kernel's number of its thread */
} __attribute__((aligned(2 * HERALD_LINE))); /* two lines: the prefetcher fetches pairs */

/* A frame for a thread that has no record or no frame left. It is listed under the domain's lock, and its post carries
 * full fences. It is allocated, because a callback may end its thread without unwinding the stack; it lies on the
 * poster's stack only when memory is out. */
struct herald_overflow {
    struct herald_frame frame;
    struct herald_overflow *next, **link; /* domain's lock */
    const void *owner;                    /* &herald_self of its thread */
    bool is_spare;                        /* it was allocated, and will be used again */
};

/* A part of a thread's stack in which user code runs without a frame of the record: a post with an overflow frame, or a
 * hook. */
struct herald_activity {
    struct herald_activity *outer;
    uint32_t depth; /* how many of the record's frames were in use when it began: shows whether this or the newest frame
                       is the inner one */
    const void *tag, *userInfo;
};

/* A walk over all frames. */
struct herald_frames {
    struct herald_thread *thread;
    uint32_t index;
    struct herald_overflow *overflow;
};

HERALD_BEGIN
/* herald_self is this thread's record. It is never NULL: for a thread without a record it is one of two stand-ins
 * (below), which have no frame left. So one comparison shows a post that it must take the slow path. */
#ifdef HERALD_EXPLORE
#define herald_self (explore_local()->self)
#define herald_activities (explore_local()->activity)
#else
extern __thread struct herald_thread *herald_self __attribute__((tls_model("initial-exec")));
extern __thread struct herald_activity *herald_activities
    __attribute__((tls_model("initial-exec"))); /* innermost first */
#endif
extern struct herald_thread herald_newcomer; /* for threads that have not posted yet */
extern struct herald_thread herald_departed; /* for threads that have given up their records */

/* Domain's lock: the records with a thread, except offline ones (handshake.h), and the records whose threads have
 * ended. */
extern struct herald_thread *herald_threads, *herald_threads_spare;

/* Gives this thread a record, if it can have one; herald_self shows whether it has got one. If the thread ends in the
 * middle of calls (R17), `abandon` ends them. */
void herald_thread_attach(void (*abandon)(struct herald_thread *self));

/* Takes an overflow frame; `own` is used if there is no memory for another. */
struct herald_overflow *herald_overflow_enter(struct herald_overflow *own);
void herald_overflow_leave(struct herald_overflow *overflow);
/* The innermost overflow frame of this thread, or NULL. */
struct herald_overflow *herald_overflow_of_thread(void);

/* Runs when a thread has ended in the middle of calls, after its `abandon`: see depart.c. */
extern void (*herald_thread_hand_in)(void);

/* Whether another thread than this one could be in a post. Call after a full fence. */
bool herald_thread_has_company(void);

/* Under the domain's lock: the first takes a quiescent thread off the list of records, and the second puts it back. An
 * offline thread calls the second itself at the start of its next post. */
void herald_thread_go_offline(struct herald_thread *thread);
void herald_thread_go_online(struct herald_thread *thread);

/* Under the domain's lock, after herald_handshake. */
struct herald_frames herald_frames_begin(void);
struct herald_frame *herald_frames_next(struct herald_frames *walk);

/* In the child of a fork, under the domain's lock. */
void herald_threads_after_fork(void);

static inline bool herald_thread_has_record(const struct herald_thread *self) {
    return self != &herald_newcomer && self != &herald_departed;
}

/* Whether the thread has no frame left, or no record. */
HERALD_INLINE bool herald_thread_is_full(const struct herald_thread *self) {
    return self->top == self->frames + HERALD_FRAMES;
}

static inline uint32_t herald_thread_depth(void) {
    return herald_thread_has_record(herald_self) ? (uint32_t)(herald_self->top - herald_self->frames) : 0;
}

/* Whether this thread is inside a callback or hook of any center (R11), or is forking. If so, it must not wait for
 * other threads. */
static inline bool herald_thread_is_inside(void) {
    return herald_thread_depth() != 0 || herald_activities != NULL || herald_mutex_is_passed();
}

/* Called before user code runs on a thread without a record, so that the end of such a thread is noticed, too. */
void herald_thread_attend(void);

static inline void herald_activity_begin(struct herald_activity *activity, const void *tag, const void *userInfo) {
    activity->outer = herald_activities;
    activity->depth = herald_thread_depth();
    activity->tag = tag;
    activity->userInfo = userInfo;
    herald_activities = activity;
    if (herald_unlikely(herald_self == &herald_newcomer)) herald_thread_attend();
}

static inline void herald_activity_end(struct herald_activity *activity) { herald_activities = activity->outer; }

/* Put this before code that runs hooks: until the end of the block, however it is left, this thread counts as inside a
 * callback (R11). */
#define HERALD_HOOKS(name)                                                                                             \
    struct herald_activity name __attribute__((cleanup(herald_activity_end)));                                         \
    herald_activity_begin(&name, NULL, NULL)

/* A read-side section, around a look-up by name. The release at the end orders the look-up, and the pins set in it,
 * before what the reclaimer does when it reads the new value (load_acquire in reclaim.c). Without it a map is freed
 * under a reader. */
HERALD_INLINE void herald_section_begin(struct herald_thread *self, bool fencing) {
    /* Release here, too: the reclaimer may read this value instead of the even one before it. */
    if (HERALD_STEP(SECTION)) store_release(&self->section, self->section + 1);
    if (fencing) {
        if (HERALD_STEP(SECTION_LIGHT)) fence_full();
    } else {
        herald_fence_light(false);
    }
}

HERALD_INLINE void herald_section_end(struct herald_thread *self) {
    herald_pause();
    if (HERALD_STEP(SECTION)) store_release(&self->section, self->section + 1);
}
HERALD_END
#endif
