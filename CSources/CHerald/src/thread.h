/* What a thread shows of the posts it is in: its record, and the frames in it.
 *
 * A frame belongs to one running post (or one delivery from a queue). Its thread writes it; removers and the reclaimer
 * read it under the domain's lock. Invariants:
 *      a snapshot in a pin that was there before a heavy barrier is not freed while it stays there
 *      a slot in the hazard pointer is not released while it stays there, and is listed by a pinned snapshot
 *      while `section` is odd, nothing that could be found by name at its start is freed
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
    uintptr_t hazard;                          /* atomic: the slot that is shown, and perhaps HERALD_LAST */
    const void *tag, *userInfo;                /* the thread's own; no userInfo where there is no tag */
    uint64_t since;                            /* atomic: when the call began that is traced; else 0 */
} __attribute__((aligned(HERALD_LINE)));

/* The post shows no other slot after this one, and takes no more pins: see is_at_last_slot in handshake.c. */
enum { HERALD_LAST = 1 };

/* Partner of the acquire: the poster's release store. */
static inline struct herald_slot *herald_frame_shows(const struct herald_frame *frame) {
    return (struct herald_slot *)(load_acquire(&frame->hazard) & ~(uintptr_t)HERALD_LAST);
}

/* What a thread found when it last posted this name and object, or added or removed there: see herald_found_cached. The
 * thread's own. */
struct herald_lookup {
    uint64_t generation; /* of the index it was found in; 0 is none */
    HeraldNameRef name;
    const void *object;
    struct herald_bucket *name_bucket, *object_bucket; /* NULL: there is none */
    struct herald_bucket *any_bucket; /* of any name and the object; the index's `everything`: nobody has looked yet */
};

enum { HERALD_LOOKUPS = 16 };

struct herald_thread {
    /* The line that its thread writes and others read: see handshake.h for what is asked. */
    uint64_t section;                            /* atomic; odd while the thread looks for buckets */
    struct herald_frame *top;                    /* atomic; the thread's own: the first frame that is not in use */
    uint64_t asked;                              /* atomic: a ticket that a writer wants answered, or 0 */
    uint64_t noted;                              /* domain's lock: the section that the reclaimer waits for, or 0 */
    void (*abandon)(struct herald_thread *self); /* ends all that the thread has open, at its end */
    struct herald_thread *next, **link; /* domain's lock: of those that have a thread, or (next) of those without */
    struct herald_frame frames[HERALD_FRAMES];
    struct herald_lookup lookups[HERALD_LOOKUPS];
    HeraldNameRef names[HERALD_LOOKUPS]; /* that it has found by their texts; they live for ever */
    /* A line that is written when a question is asked or answered: see handshake.h. */
    uint64_t answered __attribute__((aligned(HERALD_LINE))); /* atomic: the newest ticket */
    uint32_t fencing_posts;                                  /* the thread's own: since it was fencing */
    uint32_t looks;                          /* domain's lock: that have found it fencing and outside of posts */
    uint64_t missed;                         /* domain's lock: a ticket that it has let pass in a post */
    bool is_offline;                         /* domain's lock */
    int32_t number;                          /* domain's lock: the kernel's, of its thread */
} __attribute__((aligned(2 * HERALD_LINE))); /* two lines: the prefetcher fetches pairs */

/* A frame for a thread that has no record or no frame left. Listed under the domain's lock; its posts carry full
 * fences. It lies on the poster's stack only for want of memory: a callback may end its thread without unwinding it. */
struct herald_overflow {
    struct herald_frame frame;
    struct herald_overflow *next, **link; /* domain's lock */
    const void *owner;                    /* &herald_self of its thread */
    bool is_spare;                        /* it was allocated: the next overflow gets it */
};

/* A stretch of a thread's stack in which user code runs without a frame of the record: a overflow post or a hook. */
struct herald_activity {
    struct herald_activity *outer;
    uint32_t depth; /* how many of the record's frames were in use when it began: the innermost of both is the one that
                       is running */
    const void *tag, *userInfo;
};

/* Walks over every frame there is. */
struct herald_frames {
    struct herald_thread *thread;
    uint32_t index;
    struct herald_overflow *overflow;
};

HERALD_BEGIN
/* Never NULL: threads without a record have one of two stand-ins with no frame left, so that one comparison tells a
 * post that it cannot take the fast way. */
#ifdef HERALD_EXPLORE
#define herald_self (explore_local()->self)
#define herald_activities (explore_local()->activity)
#else
extern __thread struct herald_thread *herald_self __attribute__((tls_model("initial-exec")));
extern __thread struct herald_activity *herald_activities
    __attribute__((tls_model("initial-exec"))); /* innermost first */
#endif
extern struct herald_thread herald_newcomer; /* has not posted yet */
extern struct herald_thread herald_departed; /* is past its record's end */

/* The records that have a thread, without those that are offline (handshake.h), and those whose thread has ended; the
 * domain's lock. */
extern struct herald_thread *herald_threads, *herald_threads_spare;

/* Gives this thread a record if it can have one; afterwards herald_self tells. A thread that ends in the middle of
 * calls (R17) has them ended by `abandon`. */
void herald_thread_attach(void (*abandon)(struct herald_thread *self));

/* A overflow's frame; `own` is taken where there is no memory for another. */
struct herald_overflow *herald_overflow_enter(struct herald_overflow *own);
void herald_overflow_leave(struct herald_overflow *overflow);
/* The innermost one of this thread, or NULL. */
struct herald_overflow *herald_overflow_of_thread(void);

/* What the end of a thread in the middle of calls does besides: see depart.c. */
extern void (*herald_thread_hand_in)(void);

/* Whether another thread than this one could be in a post. Call after a full fence. */
bool herald_thread_has_company(void);

/* Under the domain's lock: out of the list, for it is in no post and lists itself before it begins one; and back. */
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

/* No frame left, or no record. */
HERALD_INLINE bool herald_thread_is_full(const struct herald_thread *self) {
    return self->top == self->frames + HERALD_FRAMES;
}

static inline uint32_t herald_thread_depth(void) {
    return herald_thread_has_record(herald_self) ? (uint32_t)(herald_self->top - herald_self->frames) : 0;
}

/* Whether this thread is inside a callback or hook of any center (R11), or of a fork: it must not wait for others. */
static inline bool herald_thread_is_inside(void) {
    return herald_thread_depth() != 0 || herald_activities != NULL || herald_mutex_is_passed();
}

/* User code is about to run on a thread without a record: its end is looked after, too. */
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

/* Until the end of the block, by whatever way it is left, hooks run: they count as callbacks (R11). */
#define HERALD_HOOKS(name)                                                                                             \
    struct herald_activity name __attribute__((cleanup(herald_activity_end)));                                         \
    herald_activity_begin(&name, NULL, NULL)

/* The mark around a look-up by name. The release at the end orders the look-up, and the pins taken in it, before what
 * the reclaimer does when it sees the new value (load_acquire in reclaim.c). Without it a map is freed under a reader.
 */
HERALD_INLINE void herald_section_begin(struct herald_thread *self, bool fencing) {
    /* Release, too: the reclaimer may see this mark instead of the even one before it. */
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
