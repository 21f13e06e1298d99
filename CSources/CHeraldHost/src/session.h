/* The session: this process's part of the host center, and the lock for it. This file knows nothing of the files that
 * use it. */
#ifndef HERALD_HOST_SESSION_H
#define HERALD_HOST_SESSION_H

#include "ground_sanitizer.h"
#include "segment.h"
#include <pthread.h>
#include <time.h>

struct herald_host_session {
    struct herald_host_segment *_Atomic segment; /* NULL before the first use */
    _Atomic time_t looked;  /* the time (seconds) of the last look: a check that `segment` is still the user's file */
    _Atomic uint32_t looks; /* 1 + how many looks have confirmed the file */
    /* The value of `looks` when a name that this process has not used was last posted. */
    _Atomic uint32_t posted_texts;

    /* A poster that does not get the lock leaves its work to the thread that has the lock. After unlocking, that thread
     * takes the lock again, and calls `serve` under it. */
    _Atomic bool wanted;
    void (*_Atomic serve)(void);

    /* `lock` protects the fields below, and the process's names, its watched names, its watcher and its tokens. No
     * callback runs under `lock`. For `door`, see session.c. */
    pthread_mutex_t lock, door;
    int cancelable;    /* the cancellation state of the thread that has the lock, restored after unlocking */
    bool waits;        /* another process was replacing the file at the last look */
    bool broken;       /* the file cannot be had */
    bool incomplete;   /* after a move some names could not be entered, no channel could be taken, or what the last
                          file has could not be carried */
    char problem[512]; /* why the session is broken or incomplete */
};

HERALD_BEGIN
extern struct herald_host_session herald_host_session;

/* No lock of the core is taken under this lock. A thread that has this lock is not cancelled. */
void herald_host_session_lock(void);
void herald_host_session_unlock(void);
/* Under the lock: releases it for a while, and takes it again. The thread is not cancelled in this time, either. */
void herald_host_session_wait(long nanoseconds);
/* Unlocks in the child of a fork. */
void herald_host_session_in_child(void);
/* For a thread sanitizer (ground_sanitizer.h), which does not see that threads reach each other through the file. What
 * comes before a post of this process comes before the calls, the descriptors and the checks that report the post.
 * herald_host_session_note_post is called before the post, and herald_host_session_see_posts after it was found. */
static inline void herald_host_session_note_post(void) { ground_watched_release(&herald_host_session); }
static inline void herald_host_session_see_posts(void) { ground_watched_acquire(&herald_host_session); }
/* For posters: takes the lock if it is free. Returns false if another thread has the lock. After unlocking, that thread
 * takes the lock again and calls `serve`, unless `serve` is NULL. */
bool herald_host_session_try_lock(void (*serve)(void));

/* Under the lock: keeps the thread's complaint as the session's problem. */
void herald_host_session_note_problem(void);
/* Under the lock: makes the session's problem the thread's complaint. */
HeraldStatus herald_host_session_recall_problem(void);
/* Under the lock: notes that something is missing after a move, with the thread's complaint as the problem. Later looks
 * try the missing part again. */
void herald_host_session_is_incomplete(void);

/* `posted` is the value of `looks` when a post was made. Returns whether this post may have gone to a removed file,
 * because no look has confirmed the file since then. A difference of 1 counts as unconfirmed, too: the poster may have
 * read `looks` before the last look, and posted after that look. */
static inline bool herald_host_session_is_unconfirmed(uint32_t posted) {
    return posted && herald_host_session.looks - posted <= 1;
}
HERALD_END
#endif
