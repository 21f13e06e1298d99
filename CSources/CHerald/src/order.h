/* Atomic reads and writes named by their memory order, and the two fences of the protocol.
 *
 * Ordering: A poster writes to its own frame, then reads what removers write. A remover writes, then reads the frames.
 * At least one of the two must see the other's write. Usually both sides have a full fence for this. Here the poster
 * has only herald_fence_light(), which keeps the compiler from moving the read before the write. The remover has
 * herald_handshake() (handshake.h): the threads that post answer it behind a full fence. If an answer does not come in
 * time, herald_fence_heavy() (barrier.h) makes every running thread execute a full barrier. If the kernel has no
 * membarrier, both sides have full fences ("fencing" posts).
 *
 * MUTATIONS. A build leaves out the one step that HERALD_MUTATION names, to prove that a test fails without this step;
 * 0 leaves out none. The code of a step stands under the condition HERALD_STEP(NAME).
 */
#ifndef HERALD_ORDER_H
#define HERALD_ORDER_H

#include "platform.h"

#ifndef HERALD_EXPLORE /* the explorer makes each of these a step: explore.h */
#define load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define add_relaxed(p, v) __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define add_full(p, v) __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define sub_acq_rel(p, v) __atomic_fetch_sub((p), (v), __ATOMIC_ACQ_REL)
#define exchange_full(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
/* If *p equals *before, stores v and returns true. Else *before becomes the value of *p, and false is returned. */
#define compare_exchange_full(p, before, v)                                                                            \
    __atomic_compare_exchange_n((p), (before), (v), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)
#define fence_full() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

/* Each comment states the step that the mutation leaves out. */
enum herald_mutation {
    HERALD_DROP_NOTHING,
    HERALD_DROP_LIGHT,             /* a fencing post has a full fence between a hazard pointer and its next read */
    HERALD_DROP_SECTION_LIGHT,     /* a fencing post has a full fence after its section mark */
    HERALD_DROP_HANDSHAKE_REMOVE,  /* a remover does a handshake before it reads the frames */
    HERALD_DROP_HANDSHAKE_RECLAIM, /* the reclaimer does a handshake before it reads sections and pins */
    HERALD_DROP_HANDSHAKE_FENCE,   /* a writer has a full fence before it looks at other threads */
    HERALD_DROP_POLL,              /* a post looks for a ticket at its start */
    HERALD_DROP_FIND_POLL,         /* the look-up of a name by its text looks for a ticket */
    HERALD_DROP_ANSWER_FENCE,      /* a post whose thread has a ticket, or is fencing, has a full fence */
    HERALD_DROP_AWAIT,             /* a writer that misses an answer does not return yet */
    HERALD_DROP_HEAVY,             /* a writer that misses an answer makes a heavy fence */
    HERALD_DROP_OUTSIDE,           /* a fencing thread that is in a post gets a ticket */
    HERALD_DROP_LAST_STATE,        /* a fencing thread whose last slot is PENDING gets a ticket */
    HERALD_DROP_LAST_FRAMES,       /* a fencing thread gets a ticket unless all its frames show their last slots */
    HERALD_DROP_LAST_ONLY,         /* a walk over several snapshots does not set HERALD_LAST */
    HERALD_DROP_OFFLINE_LOOK,      /* a writer looks at a thread again before it takes it offline */
    HERALD_DROP_GO_ONLINE,         /* an offline thread goes online before it posts */
    HERALD_DROP_SECTION,           /* a look-up marks its section */
    HERALD_DROP_SECTION_CHECK,     /* the reclaimer reads the section marks */
    HERALD_DROP_PIN,               /* a post by name pins the snapshot */
    HERALD_DROP_TOPIC_PIN,         /* a post by topic pins the snapshot */
    HERALD_DROP_TOPIC_RECHECK,     /* a post by topic reads the bucket again after the pin */
    HERALD_DROP_PIN_CHECK,         /* the reclaimer reads the pins */
    HERALD_DROP_HAZARD,            /* a post sets its hazard pointer to the slot that it is about to call */
    HERALD_DROP_STATE_CHECK,       /* a post reads the slot's state before the call */
    HERALD_DROP_LOOK_BACK,         /* a post reads the slot's state after the call */
    HERALD_DROP_FRAME_CHECK,       /* a remover that has several slots reads the frames */
    HERALD_DROP_LAST_USER_CHECK,   /* a post that leaves a slot, or a remover of one slot, reads the frames */
    HERALD_DROP_ARMED,             /* a post that leaves a slot checks that the slot's remover has had the barrier */
    HERALD_DROP_WAIT,              /* a removal by an AndWait function waits */
    HERALD_DROP_LIMIT,             /* a post stops at the committed sequence */
    HERALD_DROP_LIMIT_EARLY,       /* a post by name reads the committed sequence before the buckets */
    HERALD_DROP_READ_ONCE,         /* a walk reads an entry once, because it may become the tombstone */
    HERALD_DROP_ENDING,            /* a snapshot has the mark HERALD_ENDING while an entry becomes the tombstone */
    HERALD_DROP_ENDS,              /* a snapshot counts its registrations that have ended */
    HERALD_DROP_ENDS_LAST,         /* a snapshot counts an end only after the entry has become the tombstone */
    HERALD_DROP_ENDS_ACQUIRE,      /* a walk reads the snapshot's `ends` before the entries */
    HERALD_DROP_ENDS_ENTRY,        /* a walk reads an entry before it reads `ends` again */
    HERALD_DROP_ENDS_CHECK,        /* a walk compares `ends` before a call, in place of the slot's state */
    HERALD_DROP_ENDS_BACK,         /* a walk compares `ends` after its last call */
    HERALD_DROP_REPLACED,          /* a snapshot that has been replaced has the mark HERALD_REPLACED */
    HERALD_DROP_FLAGS_AFTER,       /* a post to one bucket reads the flags after the snapshot's count */
    HERALD_DROP_OTHER_AFTER,       /* a post with an object looks at its other bucket after the snapshot's count */
    HERALD_DROP_GENERATION_AFTER,  /* a post to one bucket reads the generation again after the snapshot's count */
    HERALD_DROP_QUEUE_AFTER,       /* a post by name looks for suspension after it has read the sequence */
    HERALD_DROP_LINEAGE,           /* a dead slot waits for the older snapshots that list it */
    HERALD_DROP_ORPHAN,            /* a slot whose release is due, or that has a waiter, is not used again yet */
    HERALD_DROP_OVERFLOW_SCAN,     /* a scan of the frames includes the overflow frames */
    HERALD_DROP_LOOKUP_GENERATION, /* a thread compares its lookup cache's generation with the index's */
    HERALD_DROP_CLOSE_GENERATION,  /* the index of a closed center gets a new generation */
    HERALD_DROP_IN_HAND,           /* a post also waits for the delivery that has not returned */
    HERALD_DROP_BACKLOG_WAKE,      /* posts that wait for deliveries are woken */
    HERALD_DROP_GENERATION,        /* a slot's next registration gets another token */
    HERALD_DROP_BUCKET_USERS,      /* a bucket's memory stays as long as its first snapshot */
    HERALD_DROP_STALE_ANSWER,      /* an add tells the transport again if another thread has told it something newer */
    HERALD_DROP_TAKE_BACK,         /* a transport is told of a name that has lost its last observer */
    HERALD_DROP_KEEP_AT_ONCE,      /* a kept post is linked to the chains under the lock under which it is kept */
    HERALD_DROP_BEGIN_AT_ONCE,     /* a follower gets its place under the lock under which it takes what is kept */
    HERALD_DROP_LANE_FROM_START,   /* a follower's lane is owned from the start, by the thread that adds it */
    HERALD_DROP_LANE_OWNER,        /* a thread leaves a lane that another thread owns */
    HERALD_DROP_LANE_LAST_LOOK,    /* the owner looks for more under the lock under which it gives the lane up */
    HERALD_DROP_TURN_WAKE,         /* a thread that waits for a lane is woken when the owner gives it up */
    HERALD_DROP_LEAVE_WAKE,        /* a thread that waits for a lane is woken when the follower ends */
    HERALD_DROP_LINK_TAKEN,        /* a lane takes a post out of a link only if no other lane is at that link */
    HERALD_DROP_HELD_LENT,         /* a cell gives up fewer references than it has, by those that it has lent */
    HERALD_DROP_HELD_ACQUIRE,      /* who has the only reference to a held post has seen what the others did with it */
    HERALD_DROP_KEPT_QUEUE,        /* a kept post looks for suspension under the lock under which it is kept */
    HERALD_DROP_LANE_WAITS,        /* a lane over a transport waits for what its follower begins with */
    HERALD_DROP_LANE_SKIPS_KNOWN,  /* over a transport, a lane skips what is not newer than what was heard */
    HERALD_DROP_CARRIED_AT_ONCE,   /* a follower stops waiting under the lock under which it gets what it begins with */
    HERALD_DROP_CARRIED_KNOWN,     /* a second beginning leaves out what is not newer than what was heard */
    HERALD_DROP_BEGAN_AS_TAKEN,    /* `began` is told what was read under the lock under which it was due */
    HERALD_DROP_BLOCKS,            /* a snapshot has the mark HERALD_BLOCKS while a registration is blocked */
    HERALD_DROP_BLOCKS_COPIED,     /* the snapshot that takes its place has the mark, too */
    HERALD_DROP_BLOCKS_LAST,       /* the mark goes after the removed registration's entry has become the tombstone */
    HERALD_DROP_UNNAMED_RETAINED   /* a post on the slow path keeps the bucket of a topic without a name */
};

#ifdef HERALD_EXPLORE
#define HERALD_MUTATION explore_mutation
#elif !defined(HERALD_MUTATION)
#define HERALD_MUTATION HERALD_DROP_NOTHING
#endif
#define HERALD_STEP(step) (HERALD_MUTATION != HERALD_DROP_##step)

/* In builds for the torture test, a thread pauses now and then at places where a race could show. So the test depends
 * less on the machine. */
#ifdef HERALD_TORTURE
HERALD_BEGIN
void herald_torture_pause(void);
HERALD_END
#define herald_pause() herald_torture_pause()
#else
#define herald_pause() ((void)0)
#endif

/* The poster's fence: after a hazard pointer or a section mark, before the next read. Partner: herald_handshake(). */
HERALD_INLINE void herald_fence_light(bool fencing) {
    herald_pause();
    if (fencing) {
        if (HERALD_STEP(LIGHT)) fence_full();
    } else {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
}

/* ThreadSanitizer sees neither Concurrency Kit's inline assembly nor the inside of libck, and so misses one hand-over:
 * a thread that finds an object in a set sees what was written before the object was put in. The calls below report
 * this hand-over. Nothing else is annotated. */
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
