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

    pthread_mutex_t lock; /* for all that follows, and for names, the watcher and tokens. No callback runs under it */
    bool broken;          /* the file cannot be had */
    bool incomplete;      /* names could not be entered after a move */
    char problem[512];    /* why, in either case */
};

HERALD_BEGIN
extern struct herald_host herald_host;

static inline void herald_host_lock(void) { pthread_mutex_lock(&herald_host.lock); }
static inline void herald_host_unlock(void) { pthread_mutex_unlock(&herald_host.lock); }

/* Looks whether the segment is still the user's file, at most once a second unless the caller insists; opens it, or
 * moves to the new one. NULL, with a sentence, when there is none. Under the lock. */
struct herald_segment *herald_host_look(bool insist);
struct herald_segment *herald_host_lock_and_look(void);

/* The segment for a poster, without the lock. What the poster reads of the process's names afterwards belongs to this
 * segment or to a newer one. */
static inline struct herald_segment *herald_host_segment(void) {
    struct herald_segment *segment = herald_host.segment;
    if (herald_likely(segment && herald_host.looked == time(NULL) && !segment->header->retired)) return segment;
    return herald_host_lock_and_look();
}

/* The watcher, when a second has gone by. */
void herald_host_tick(void);
HERALD_END
#endif
