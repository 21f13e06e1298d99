/* Atomic reads and writes whose name carries their memory order, and the two barriers of the protocol.
 *
 * Ordering. A poster only ever writes to its own frame and then reads what removers write; a remover writes and then
 * reads frames. One of the two must see the other's write, which takes a full barrier on both sides.
 * herald_fence_light() is the poster's: it only keeps the compiler from moving the read up. herald_handshake()
 * (handshake.h) is the remover's: it has every thread that posts answer, with a full fence, or makes all running
 * threads execute a full barrier at whatever point they are (herald_fence_heavy(), barrier.h). Where the kernel has no
 * such call, both sides are full fences
 * ("fencing" posts).
 *
 * MUTATIONS. HERALD_MUTATION names one step that is left out, to see that a test notices; 0 leaves out none. A step is
 * written `if (HERALD_STEP(STEP)) ...`.
 */
#ifndef HERALD_ORDER_H
#define HERALD_ORDER_H

#include "platform.h"

#ifndef HERALD_EXPLORE /* there each of these is a step: explore.h */
#define load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define add_relaxed(p, v) __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define add_full(p, v) __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define sub_acq_rel(p, v) __atomic_fetch_sub((p), (v), __ATOMIC_ACQ_REL)
#define exchange_full(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
/* Whether *p was *before; else *before is what it was. */
#define compare_exchange_full(p, before, v)                                                                            \
    __atomic_compare_exchange_n((p), (before), (v), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)
#define fence_full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

enum herald_mutation {
    HERALD_DROP_NOTHING,
    HERALD_DROP_LIGHT, /* the poster's fence between the hazard pointer and the state, where posts carry fences */
    HERALD_DROP_SECTION_LIGHT,     /* the poster's fence after the section mark, likewise */
    HERALD_DROP_HANDSHAKE_REMOVE,  /* the remover's question before it looks at the frames */
    HERALD_DROP_HANDSHAKE_RECLAIM, /* the reclaimer's question before it looks at sections and pins */
    HERALD_DROP_HANDSHAKE_FENCE,   /* the writer's fence before it looks at fencing threads */
    HERALD_DROP_POLL,              /* the poster's look whether it is asked */
    HERALD_DROP_FIND_POLL,         /* the same where a name is looked up */
    HERALD_DROP_ANSWER_FENCE,      /* the fence of a poster that is asked, or fencing */
    HERALD_DROP_AWAIT,             /* the wait for the answers */
    HERALD_DROP_HEAVY,             /* the barrier when they do not come */
    HERALD_DROP_OUTSIDE,           /* that a fencing thread is asked while it is in a post */
    HERALD_DROP_LAST_STATE,        /* that a fencing thread which shows a slot that is PENDING is asked */
    HERALD_DROP_LAST_FRAMES,       /* that all its posts must show their last slots, if it is not */
    HERALD_DROP_LAST_ONLY,         /* that a post which goes on elsewhere does not say that a slot is its last */
    HERALD_DROP_OFFLINE_LOOK,      /* the second look at a thread that is offline */
    HERALD_DROP_GO_ONLINE,         /* that a thread which was offline lists itself before it posts */
    HERALD_DROP_SECTION,           /* the section mark around a look-up */
    HERALD_DROP_SECTION_CHECK,     /* the reclaimer's look at the section marks */
    HERALD_DROP_PIN,               /* the pin of a snapshot found by name */
    HERALD_DROP_TOPIC_PIN,         /* the pin of a snapshot found by topic */
    HERALD_DROP_TOPIC_RECHECK,     /* the topic's second look at its bucket */
    HERALD_DROP_PIN_CHECK,         /* the reclaimer's look at the pins */
    HERALD_DROP_HAZARD,            /* the poster's mark of the slot it is about to call */
    HERALD_DROP_STATE_CHECK,       /* the poster's look at the state before a call */
    HERALD_DROP_LOOK_BACK,         /* the poster's look at the state after a call */
    HERALD_DROP_FRAME_CHECK,       /* the look at the frames of who removes several, or waits */
    HERALD_DROP_LAST_USER_CHECK,   /* that of who leaves a slot, or removes one */
    HERALD_DROP_ARMED,             /* the check of who leaves it that the remover has had its barrier */
    HERALD_DROP_WAIT,              /* the waiting of AndWait */
    HERALD_DROP_LIMIT,             /* the poster's cut at the committed sequence */
    HERALD_DROP_LIMIT_EARLY,       /* that the committed sequence is read before the buckets */
    HERALD_DROP_READ_ONCE,         /* that a poster reads an entry once, for it may become the tombstone */
    HERALD_DROP_ENDING,            /* that a snapshot says that an entry becomes the tombstone */
    HERALD_DROP_ENDS,              /* that it counts its registrations that end */
    HERALD_DROP_ENDS_LAST,         /* that it does so after the entry has become the tombstone */
    HERALD_DROP_ENDS_ACQUIRE,      /* that a walk reads the ends before the entries */
    HERALD_DROP_ENDS_ENTRY,        /* that it reads an entry before it looks at the ends again */
    HERALD_DROP_ENDS_CHECK,        /* the walk's look at the ends before a call, in place of the slot's state */
    HERALD_DROP_ENDS_BACK,         /* the walk's look at them after its last call */
    HERALD_DROP_REPLACED,          /* that a snapshot which is not the current one any more says so */
    HERALD_DROP_FLAGS_AFTER,       /* that a post to one bucket reads the flags after the count */
    HERALD_DROP_OTHER_AFTER,       /* that it looks after the count whether the object's other bucket has observers */
    HERALD_DROP_GENERATION_AFTER,  /* that it looks then whether the object has another bucket by now */
    HERALD_DROP_QUEUE_AFTER,       /* that other posts find out after the committed sequence whether it is suspended */
    HERALD_DROP_LINEAGE,           /* that a dead slot waits for the older snapshots that list it */
    HERALD_DROP_ORPHAN,            /* that a slot which is still owed or waited for is not used again */
    HERALD_DROP_OVERFLOW_SCAN,     /* the look at the frames of threads without a record */
    HERALD_DROP_LOOKUP_GENERATION, /* the poster's check that what it recalls is still valid */
    HERALD_DROP_CLOSE_GENERATION,  /* the same for a center that has been closed */
    HERALD_DROP_IN_HAND,           /* that a delivery which has not returned is waited for */
    HERALD_DROP_BACKLOG_WAKE,      /* that posts which wait for it are woken */
    HERALD_DROP_GENERATION,        /* that a slot's next registration has another token */
    HERALD_DROP_BUCKET_USERS       /* that a bucket's memory stays as long as its first snapshot */
};

#ifdef HERALD_EXPLORE
#define HERALD_MUTATION explore_mutation
#elif !defined(HERALD_MUTATION)
#define HERALD_MUTATION HERALD_DROP_NOTHING
#endif
#define HERALD_STEP(step) (HERALD_MUTATION != HERALD_DROP_##step)

/* In the torture's builds a thread pauses now and then where the protocol could go wrong, on any machine. */
#ifdef HERALD_TORTURE
HERALD_BEGIN
void herald_torture_pause(void);
HERALD_END
#define herald_pause() herald_torture_pause()
#else
#define herald_pause() ((void)0)
#endif

HERALD_INLINE void herald_fence_light(bool fencing) {
    herald_pause();
    if (fencing) {
        if (HERALD_STEP(LIGHT)) fence_full();
    } else {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
}

/* ThreadSanitizer does not see Concurrency Kit's inline assembly, nor into libck. These name its hand-overs: what was
 * written before an object went into a set is seen by the thread that finds it there. Nothing else is annotated. */
#if defined(__SANITIZE_THREAD__)
#define HERALD_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HERALD_TSAN 1
#endif
#endif
#ifdef HERALD_TSAN
HERALD_BEGIN
void __tsan_acquire(void *address) __attribute__((visibility("default")));
void __tsan_release(void *address) __attribute__((visibility("default")));
HERALD_END
#define herald_tsan_acquire(p) __tsan_acquire((void *)(uintptr_t)(p))
#define herald_tsan_release(p) __tsan_release((void *)(uintptr_t)(p))
#else
#define herald_tsan_acquire(p) ((void)(p))
#define herald_tsan_release(p) ((void)(p))
#endif

#endif
