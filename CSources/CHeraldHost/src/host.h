/* The host: what this process has of the host center. */
#ifndef HERALD_HOST_HOST_H
#define HERALD_HOST_HOST_H

#include "channel.h"
#include "name.h"
#include <pthread.h>
#include <time.h>

struct herald_host {
    struct herald_segment *_Atomic segment; /* NULL before the first use */
    _Atomic time_t looked;                  /* the second in which we last looked whether it is still the user's file */
    _Atomic uint32_t looks;                 /* how often it was */
    _Atomic uint32_t posted_texts; /* after how many looks a name was posted that is not in herald_host_names */

    pthread_mutex_t lock; /* for all that follows, and for names, the watcher and tokens. No callback runs under it */
    int cancelable;       /* the holder's state, for when he gives the lock back */
    bool broken;          /* the file cannot be had */
    bool incomplete;      /* names could not be entered, or no channel be taken, after a move */
    char problem[512];    /* why, in either case */
};

HERALD_BEGIN
extern struct herald_host herald_host;

/* No lock of the core's is taken under this one, and no thread is cancelled. */
void herald_host_lock(void);
void herald_host_unlock(void);

/* Looks whether the segment is still the user's file, at most once a second unless the caller insists; opens it, or
 * moves to the new one. NULL, with a sentence, when there is none. Under the lock. */
struct herald_segment *herald_host_look(bool insist);
struct herald_segment *herald_host_lock_and_look(void);

/* Whether what was posted after so many looks may have gone to a file that had been removed: none has confirmed it
 * since. A poster may be one look late. */
static inline bool herald_host_is_unconfirmed(uint32_t posted) { return posted && herald_host.looks - posted <= 1; }

/* The segment for a poster, without the lock. What the poster reads of the process's names afterwards belongs to this
 * segment or to a newer one. */
static inline struct herald_segment *herald_host_segment(void) {
    struct herald_segment *segment = herald_host.segment;
    if (herald_likely(segment && herald_host.looked == time(NULL) &&
                      !(herald_keep(RETIRED) && segment->header->retired)))
        return segment;
    return herald_host_lock_and_look();
}

/* Enters a name that is observed or asked for, opening the file if need be; `watch`: and has the watcher look after it.
 * Under the lock. */
HeraldStatus herald_host_register(HeraldNameRef ref, bool watch, struct herald_host_name **name);

/* Something is missing after a move, for the reason that the thread's sentence gives: it is tried again. */
void herald_host_lacks(void);

/* The watcher's, when a second has gone by. Returns a sentence to be said when the lock is given back, or NULL: nobody
 * has called who could be told, so it is said once, when it begins. */
const char *herald_host_tick(void);
HERALD_END
#endif
