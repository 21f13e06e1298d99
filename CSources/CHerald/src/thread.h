/* Thread records and frames: what a thread shows to other threads about the posts that it is in. The scheme: hazard
 * pointers (Michael 2004) on snapshots (`pins`) and on the slot that is called (`hazard`), and read-side critical
 * sections as in RCU (`section`).
 *
 * A frame belongs to one running post, or to one delivery from a queue. The thread of that post writes the frame.
 * Removers and the reclaimer read it under the domain's lock. Invariants:
 *      if a pin was set before a heavy fence, its snapshot is not freed while the pin stays set
 *      the slot in `hazard` is listed by a pinned snapshot, and is not released while it stays in `hazard`
 *      while `section` is odd, nothing is freed that could be found by name when `section` became odd
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
    uintptr_t hazard;           /* atomic: hazard pointer on the slot that is called; HERALD_LAST may be set in it */
    const void *tag, *userInfo; /* only this thread reads and writes these; userInfo is valid only if there is a tag */
    uint64_t since;             /* atomic: when the call began, if it is traced; else 0 */
} __attribute__((aligned(HERALD_LINE)));

/* A bit of `hazard`: the post will show no slot after this one, and will set no more pins. See is_at_last_slot in
 * handshake.c. */
enum { HERALD_LAST = 1 };

/* Returns the slot that the frame shows, or NULL. Partner of the acquire: the release stores of `hazard` (call.h). */
static inline struct herald_slot *herald_frame_shows(const struct herald_frame *frame) {
    return (struct herald_slot *)(load_acquire(&frame->hazard) & ~(uintptr_t)HERALD_LAST);
}

/* One place of a thread's lookup cache: the buckets that the thread found when it last posted this name and object, or
 * last added or removed an observer for them. Only this thread uses the cache. See herald_found_cached. */
struct herald_lookup {
    uint64_t generation; /* the index's generation when the buckets were found; 0: this place is empty */
    HeraldNameRef name;
    const void *object;
    struct herald_bucket *name_bucket, *object_bucket; /* NULL: no such bucket */
    struct herald_bucket *any_bucket; /* for (any name, object); until it is looked up, the index's `everything` */
};

enum { HERALD_LOOKUPS = 16 };

struct herald_thread {
    /* The cache line that every post of the thread uses. For the tickets see handshake.h. */
    uint64_t section;         /* atomic; odd while the thread is in a section, in which it looks for buckets */
    struct herald_frame *top; /* atomic: the first frame that is not in use; only the thread writes it */
    uint64_t asked;           /* atomic: a writer's ticket that the thread is to answer, or 0 */
    uint64_t noted;           /* domain's lock: the odd `section` whose end the reclaimer awaits, or 0 */
    void (*abandon)(struct herald_thread *self); /* called at the thread's end: ends all calls that are still open */
    struct herald_thread *next, **link; /* domain's lock: the list that it is in; a spare record uses `next` alone */
    struct herald_frame frames[HERALD_FRAMES];
    struct herald_lookup lookups[HERALD_LOOKUPS];
    HeraldNameRef names[HERALD_LOOKUPS]; /* names that the thread has found by their texts; names live for ever */
    /* The cache line that the handshake writes: see handshake.h. */
    uint64_t answered __attribute__((aligned(HERALD_LINE))); /* atomic: the newest ticket that it has answered */
    uint32_t fencing_posts; /* only the thread itself uses this: how many posts it has made since it became fencing */
    uint32_t looks;         /* domain's lock: how often in a row writers found the thread fencing and quiescent */
    uint64_t missed; /* domain's lock: a ticket that the thread did not answer in time because it was in a post */
    bool is_offline; /* domain's lock */
    int32_t number;  /* domain's lock: the kernel's number of the thread */
} __attribute__((aligned(2 * HERALD_LINE))); /* two lines: the prefetcher fetches pairs */

/* A frame for a post whose thread has no record or no frame left. It is put into a list under the domain's lock, and
 * its post carries full fences. It lies on the heap, because a callback may end its thread without unwinding the stack.
 * Only when memory is out does it lie on the poster's stack. */
struct herald_overflow {
    struct herald_frame frame;
    struct herald_overflow *next, **link; /* domain's lock */
    const void *owner;                    /* &herald_self of its thread */
    bool is_spare;                        /* it lies on the heap, and will be used again */
};

/* Stands for user code that runs on a thread, but in no frame of the thread's record: a hook, or the callbacks of a
 * post with an overflow frame. The struct lies on the thread's stack. */
struct herald_activity {
    struct herald_activity *outer;
    uint32_t depth; /* how many frames of the record were in use at the beginning; if more are in use now, the newest of
                       them is inside this activity */
    const void *tag, *userInfo;
};

/* A walk over all frames. */
struct herald_frames {
    struct herald_thread *thread;
    uint32_t index;
    struct herald_overflow *overflow;
};

HERALD_BEGIN
/* herald_self is this thread's record. For a thread without a record it points to one of two stand-ins (below). All
 * frames of a stand-in are in use. So one comparison shows a post that it must take the slow path. herald_self is never
 * NULL. */
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

/* Domain's lock. herald_threads: the records of threads, except offline ones (handshake.h). herald_threads_spare: the
 * records whose threads have ended. */
extern struct herald_thread *herald_threads, *herald_threads_spare;

/* Gives this thread a record, unless memory is out. Afterwards herald_self shows whether the thread has one. If the
 * thread ends in the middle of calls (R17), `abandon` ends these calls. */
void herald_thread_attach(void (*abandon)(struct herald_thread *self));

/* Returns an overflow frame for a post of this thread. When memory is out, the frame is `own`. */
struct herald_overflow *herald_overflow_enter(struct herald_overflow *own);
void herald_overflow_leave(struct herald_overflow *overflow);
/* Returns the innermost overflow frame of this thread, or NULL if the thread has none. */
struct herald_overflow *herald_overflow_of_thread(void);

/* Called when a thread has ended in the middle of calls, after its `abandon`: see depart.c. */
extern void (*herald_thread_hand_in)(void);

/* Whether any other thread could be in a post. Call it after a full fence. */
bool herald_thread_has_company(void);

/* Under the domain's lock. herald_thread_go_offline takes a quiescent thread off the list of records.
 * herald_thread_go_online puts it back; an offline thread calls this itself at the start of its next post. */
void herald_thread_go_offline(struct herald_thread *thread);
void herald_thread_go_online(struct herald_thread *thread);

/* A walk over all frames, under the domain's lock. A caller that must not miss a hazard pointer calls herald_handshake
 * first. herald_frames_next returns NULL at the end. */
struct herald_frames herald_frames_begin(void);
struct herald_frame *herald_frames_next(struct herald_frames *walk);

/* Called in the child of a fork, under the domain's lock. */
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

/* Call this before user code runs on a thread without a record. Then Herald notices the end of this thread, too. */
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

/* Put this before code that runs hooks. Until the block is left, in any way, this thread counts as inside a callback
 * (R11). */
#define HERALD_HOOKS(name)                                                                                             \
    struct herald_activity name __attribute__((cleanup(herald_activity_end)));                                         \
    herald_activity_begin(&name, NULL, NULL)

/* A read-side critical section, around a look-up by name. The release store at its end orders the look-up, and the pins
 * that the look-up has set, before the new value of `section`. Partner: the load_acquire of `section` in reclaim.c.
 * Without this pair the reclaimer could free a map under a reader. */
HERALD_INLINE void herald_section_begin(struct herald_thread *self, bool fencing) {
    /* A release store here, too: the reclaimer may read this odd value without having read the even value before it. */
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
