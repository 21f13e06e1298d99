/* Thread records and frames: what a thread shows to other threads about the posts that it is in. The scheme: hazard
 * pointers (Michael 2004) on snapshots (`pins`) and on the slot that is called (`hazard`), and read-side critical
 * sections as in RCU (`section`).
 *
 * A frame belongs to one running post, or to one delivery from a queue. Only the thread that makes the post or the
 * delivery writes the frame. Removers and the reclaimer read frames under the domain's lock. Invariants:
 *      if a pin was set before a heavy fence, its snapshot is not freed while the pin stays set
 *      the slot in `hazard` is listed by a pinned snapshot
 *      while a callback of the slot in `hazard` runs, the slot's release does not begin
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
    uintptr_t hazard;           /* atomic: hazard pointer on the slot that is called; its lowest bits are marks */
    const void *tag, *userInfo; /* used only by the frame's own thread; userInfo is valid only if there is a tag */
    uint64_t since;             /* atomic: the time at which a traced call began; 0: the call is not traced */
} __attribute__((aligned(HERALD_LINE)));

/* The marks, bits of `hazard`. HERALD_LAST: the post will show no slot after this one, and will set no more pins: see
 * is_at_last_slot in handshake.c. HERALD_BEGINS: the slot is a follower, which is being called with what was kept
 * before it was added (HeraldPostIsKept). */
enum { HERALD_LAST = 1, HERALD_BEGINS = 2, HERALD_MARKS = HERALD_LAST | HERALD_BEGINS };

/* Returns the slot that the frame shows, or NULL. Partner of the acquire: the release stores of `hazard` (call.h). */
static inline struct herald_slot *herald_frame_shows(const struct herald_frame *frame) {
    return (struct herald_slot *)(load_acquire(&frame->hazard) & ~(uintptr_t)HERALD_MARKS);
}

/* One place of a thread's lookup cache: the buckets that the thread has found for a name and an object. It finds
 * buckets when it posts, and when it adds or removes an observer. Only the cache's own thread uses the cache. See
 * herald_found_cached. */
struct herald_lookup {
    uint64_t generation; /* the index's generation when the buckets were found; 0: this place is empty */
    HeraldNameRef name;
    const void *object;
    struct herald_bucket *name_bucket, *object_bucket; /* NULL: no such bucket */
    /* The bucket for (any name, object), or NULL if there is none. Before a post has looked for this bucket, the
     * address of the index's `everything` stands here. */
    struct herald_bucket *any_bucket;
};

enum { HERALD_LOOKUPS = 16 };

struct herald_thread {
    /* The cache line that every post of the thread uses. For the tickets see handshake.h. */
    uint64_t section;         /* atomic; odd while the thread is in a section, looking for buckets */
    struct herald_frame *top; /* atomic: the first frame that is not in use; only the thread writes it */
    uint64_t asked;           /* atomic: a writer's ticket, and two flags (handshake.h) */
    uint64_t noted;           /* domain's lock: an odd value of `section` that the reclaimer has noted, or 0 */
    struct herald_thread *next, **link; /* domain's lock: the record's list; `link` is unused in a spare record */
    struct herald_frame frames[HERALD_FRAMES];
    struct herald_lookup lookups[HERALD_LOOKUPS];
    HeraldNameRef names[HERALD_LOOKUPS]; /* names that the thread has found by their texts; names are never freed */
    /* The cache line that the handshake writes: see handshake.h. */
    uint64_t answered __attribute__((aligned(HERALD_LINE))); /* atomic: the newest ticket that the thread answered */
    uint32_t fencing_posts; /* posts that the thread has made since it became fencing; only the thread uses this */
    uint32_t looks;         /* domain's lock: how often in a row writers found the thread fencing and quiescent */
    uint64_t missed; /* domain's lock: a ticket that the thread did not answer in time because it was in a post */
    bool is_offline; /* domain's lock */
    int32_t number;  /* domain's lock: the kernel's number of the thread */
} __attribute__((aligned(2 * HERALD_LINE))); /* two lines, because the prefetcher fetches lines in pairs */

/* A frame for a post whose thread has no record, or has all frames of its record in use. The posting thread puts the
 * overflow frame into a list under the domain's lock, and the post carries full fences. An overflow frame lies on the
 * heap, because a callback may end its thread without unwinding the stack. If memory is out, it lies on the stack. */
struct herald_overflow {
    struct herald_frame frame;
    struct herald_overflow *next, **link;   /* domain's lock */
    const void *owner;                      /* the address of herald_self in the posting thread */
    const struct herald_activity *activity; /* that of the post */
    bool is_spare;                          /* the struct lies on the heap, and will be used again */
};

/* User code that runs on a thread, but in no frame of the thread's record: a hook, or the callbacks of a post with an
 * overflow frame. The struct lies on the thread's stack. */
struct herald_activity {
    struct herald_activity *outer;
    uint32_t depth; /* how many frames of the record were in use when the activity began. If more are in use now, the
                       post in the newest frame was made inside the activity */
    const void *tag, *userInfo;
};

/* While a thread is in a guard of a center, the center's memory stays, even if a hook on this thread releases the
 * center. It costs no atomic instruction, as a reference does (herald_slots_retain): the thread that ends the center
 * finds its own guards. The struct lies on the thread's stack. See HERALD_GUARD_MEMORY (center.h). */
struct herald_guard {
    struct herald_guard *outer;
    struct HeraldCenter *center;
    bool owes; /* the center has ended, and its reference to its own memory is to be given up at the guard's end */
};

/* A walk over all frames. */
struct herald_frames {
    struct herald_thread *thread;
    uint32_t index;
    struct herald_overflow *overflow;
};

HERALD_BEGIN
/* herald_self is this thread's record. If the thread has no record, herald_self points to one of two stand-ins (below),
 * and so is never NULL. All frames of a stand-in count as in use. So a post makes only one comparison to find out that
 * its thread has no record or no free frame. */
#ifdef HERALD_EXPLORE
#define herald_self (explore_local()->self)
#define herald_activities (explore_local()->activity)
#define herald_guards (explore_local()->guard)
#else
extern __thread struct herald_thread *herald_self __attribute__((tls_model("initial-exec")));
extern __thread struct herald_activity *herald_activities
    __attribute__((tls_model("initial-exec")));                                                /* innermost first */
extern __thread struct herald_guard *herald_guards __attribute__((tls_model("initial-exec"))); /* innermost first */
#endif
extern struct herald_thread herald_newcomer; /* for threads that have not posted yet */
extern struct herald_thread herald_departed; /* for threads that have given up their records */

/* Domain's lock. herald_threads: the records of all threads that are not offline. herald_threads_spare: records of
 * threads that have ended. */
extern struct herald_thread *herald_threads, *herald_threads_spare;

/* Gives this thread a record, unless memory is out. Afterwards herald_self shows whether the thread has a
 * record. */
void herald_thread_attach(void);

/* Returns an overflow frame for a post of this thread. When memory is out, returns `own`. */
struct herald_overflow *herald_overflow_enter(struct herald_overflow *own);
void herald_overflow_leave(struct herald_overflow *overflow);
/* Returns the innermost overflow frame of this thread, or NULL if the thread has none. */
struct herald_overflow *herald_overflow_of_thread(void);

/* Called if a thread has ended in the middle of calls (R17). It is a function of depart.c. */
extern void (*herald_thread_hand_in)(struct herald_thread *self);

/* Whether any other thread could be in a post. Call it after a full fence. */
bool herald_thread_has_company(void);

/* Under the domain's lock. herald_thread_go_offline takes a quiescent thread off the list of records. At the start of
 * its next post the thread itself calls herald_thread_go_online, which puts the thread on the list again. */
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

/* The frame of the record in which this thread's innermost user code runs. NULL: the innermost user code runs in an
 * activity, or there is none. */
static inline const struct herald_frame *herald_thread_frame(void) {
    uint32_t depth = herald_thread_depth();
    if (!depth || (herald_activities && herald_activities->depth == depth)) return NULL;
    return &herald_self->frames[depth - 1];
}

/* Whether this thread is inside a callback or hook of any center (R11), or is forking. If so, it must not wait for
 * other threads. */
static inline bool herald_thread_is_inside(void) {
    return herald_thread_depth() != 0 || herald_activities != NULL || herald_mutex_is_passed();
}

/* Makes Herald notice the end of a thread that has no record. Call this before user code runs on the thread. */
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

/* Put this into a block, before the code that runs hooks. Until the thread leaves the block, the thread counts as
 * inside a callback (R11). */
#define HERALD_HOOKS(name)                                                                                             \
    struct herald_activity name __attribute__((cleanup(herald_activity_end)));                                         \
    herald_activity_begin(&name, NULL, NULL)

/* A read-side critical section, around a look-up by name. The store in herald_section_end is a release. It orders the
 * section's reads, and the pins that were set in the section, before the new value of `section`. Partner: the
 * load_acquire of `section` in reclaim.c. Without this pair the reclaimer could free a hash map that a post is
 * reading. */
HERALD_INLINE void herald_section_begin(struct herald_thread *self, bool fencing) {
    /* A release, too. The reclaimer may read this odd value without ever reading the even value that ended the thread's
     * previous section. Even then, the reads of that section must be over before the reclaimer frees anything. */
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
