/* The domain: what all centers of the process share. One lock guards it.
 *
 * Lock order: a center's turn (transport.c), names, a center's lock, the domain's. User code runs under none of them.
 */
#ifndef HERALD_DOMAIN_H
#define HERALD_DOMAIN_H

#include "thread.h"

/* Something that has been unlinked and waits until no poster can see it: the head of what waits. */
struct herald_retired {
    struct herald_retired *next;
    void *memory;     /* what free() takes */
    uint32_t size;    /* bytes that wait with it */
    bool is_snapshot; /* pins count; else only sections do */
};

/* Bytes that may wait to be freed before a writer looks after them. */
#ifndef HERALD_RETIRED_ENOUGH
#define HERALD_RETIRED_ENOUGH (128 * 1024)
#endif

struct herald_domain {
    struct herald_thread *threads; /* records that have a thread */
    struct herald_thread *spare;   /* records whose thread has ended */
    struct herald_guest *guests;
    uint32_t live; /* atomic: records in use and guests */
    /* the reclaimer's: reclaim.c */
    struct herald_retired *fresh, **fresh_end; /* retired since the last batch */
    size_t fresh_size;                         /* atomic for herald_reclaim_is_due */
    size_t due_size;                           /* atomic: at this much the reclaimer runs */
    struct herald_retired *batch;              /* waits for sections to end */
    size_t batch_size;
    bool reclaiming;         /* some thread is between two halves of a reclaim */
    bool noted;              /* the batch has had its barrier, and sections have been noted */
    HeraldCenterRef centers; /* all of them */
    uint64_t forks;          /* how many forks lie between the first process and this one */
    bool has_inherited;      /* atomic: some center has releases that a fork has left to us */
};
/* Walks over every frame there is. */
struct herald_frames {
    struct herald_thread *thread;
    uint32_t index;
    struct herald_guest *guest;
};

HERALD_BEGIN
extern struct herald_domain herald_domain;

void herald_domain_lock(void);
void herald_domain_unlock(void);

/* Whether another thread than this one could be in a post. Call after a full fence. */
bool herald_domain_has_other_threads(void);

/* Under the domain's lock. */
struct herald_frames herald_frames_begin(void);
struct herald_frame *herald_frames_next(struct herald_frames *walk);

/* Waits, under the domain's lock and giving it up meanwhile, until some registration has been released. */
void herald_domain_wait(void);
void herald_domain_wake(void);

void herald_domain_after_fork(void);
HERALD_END
#endif
