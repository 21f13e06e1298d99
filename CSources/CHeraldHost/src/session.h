/* The session: what this process has of the host center, and its lock. It knows nothing of the parts that use it. */
#ifndef HERALD_HOST_SESSION_H
#define HERALD_HOST_SESSION_H

#include "segment.h"
#include <pthread.h>
#include <time.h>

struct herald_host_session {
    struct herald_host_segment *_Atomic segment; /* NULL before the first use */
    _Atomic time_t looked;                       /* the second of the last look whether it is still the user's file */
    _Atomic uint32_t looks;                      /* how many looks have confirmed that, from 1 on */
    _Atomic uint32_t posted_texts; /* `looks` when a name that is not in herald_host_names was last posted */

    /* A poster that does not get the lock leaves its work to the thread that has it, which does the work after
     * unlocking. */
    _Atomic bool wanted;
    void (*_Atomic serve)(void);

    /* Protects all that follows, and names, what is watched, the watcher and tokens. No callback runs under it. */
    pthread_mutex_t lock, door;
    int cancelable;    /* the cancellation state of the thread that has the lock, restored after unlocking */
    bool waits;        /* another process was replacing the file at the last look */
    bool broken;       /* the file cannot be had */
    bool incomplete;   /* after a move some names could not be entered, or no channel could be taken */
    char problem[512]; /* why it is broken or incomplete */
};

HERALD_BEGIN
extern struct herald_host_session herald_host_session;

/* No lock of the core is taken under this one, and no thread that has it is cancelled. */
void herald_host_session_lock(void);
void herald_host_session_unlock(void);
/* Unlocks in the child of a fork. */
void herald_host_session_in_child(void);
/* For posters. False: another thread has the lock, and calls `serve` after unlocking, unless that is NULL. */
bool herald_host_session_try_lock(void (*serve)(void));

/* Under the lock: remembers the thread's complaint as the problem. */
void herald_host_session_note_problem(void);
/* Under the lock: makes the problem the thread's complaint. */
HeraldStatus herald_host_session_recall_problem(void);
/* Under the lock: notes that something is missing after a move, and the thread's complaint as the problem. The missing
 * part is tried again. */
void herald_host_session_is_incomplete(void);

/* Whether a post that was made when `looks` was `posted` may have gone to a removed file, because no look has confirmed
 * the file since. The difference may be 1, because a poster may have read `looks` before the last look. */
static inline bool herald_host_session_is_unconfirmed(uint32_t posted) {
    return posted && herald_host_session.looks - posted <= 1;
}
HERALD_END
#endif
