/* The session: what this process has of the host center, and its lock. It knows none of those that use it. */
#ifndef HERALD_HOST_SESSION_H
#define HERALD_HOST_SESSION_H

#include "segment.h"
#include <pthread.h>
#include <time.h>

struct herald_host_session {
    struct herald_host_segment *_Atomic segment; /* NULL before the first use */
    _Atomic time_t looked;         /* the second in which we last looked whether it is still the user's file */
    _Atomic uint32_t looks;        /* how often it was */
    _Atomic uint32_t posted_texts; /* after how many looks a name was posted that is not in herald_host_names */

    /* A poster that does not get the lock leaves its work to the thread that has it, which does it after unlocking. */
    _Atomic bool wanted;
    void (*_Atomic serve)(void);

    /* For all that follows, and for names, what is watched, the watcher and tokens. No callback runs under it. */
    pthread_mutex_t lock, door;
    int cancelable;    /* the cancellation state of the thread that has the lock, to be restored with unlocking */
    bool waits;        /* another process was replacing the file when we looked last */
    bool broken;       /* the file cannot be had */
    bool incomplete;   /* names could not be entered, or no channel be taken, after a move */
    char problem[512]; /* why, in either case */
};

HERALD_BEGIN
extern struct herald_host_session herald_host_session;

/* No lock of the core's is taken under this one, and no thread is cancelled. */
void herald_host_session_lock(void);
void herald_host_session_unlock(void);
/* As unlock, in the child of a fork. */
void herald_host_session_in_child(void);
/* For posters. False: another thread has it, and calls `serve`, unless it is NULL, when it has unlocked. */
bool herald_host_session_try_lock(void (*serve)(void));

/* Under the lock: remembers the thread's complaint as the problem. */
void herald_host_session_note_problem(void);
/* Under the lock: makes the problem the thread's complaint. */
HeraldStatus herald_host_session_recall_problem(void);
/* Under the lock: something is missing after a move, as the thread's complaint says. It is tried again. */
void herald_host_session_is_incomplete(void);

/* Whether what was posted after so many looks may have gone to a file that had been removed: no look has confirmed it
 * since. A poster may be one look late. */
static inline bool herald_host_session_is_unconfirmed(uint32_t posted) {
    return posted && herald_host_session.looks - posted <= 1;
}
HERALD_END
#endif
