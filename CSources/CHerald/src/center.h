/* A center. */
#ifndef HERALD_CENTER_H
#define HERALD_CENTER_H

#include "bucket.h"
#include "observers.h"
#include "suspension.h"
#include "lock.h"

/* What a post must know before it looks anything up. */
enum {
    HERALD_KIND_ANY_NAME = 1 << 0,  /* there are registrations of any name */
    HERALD_KIND_QUEUE = 1 << 1,     /* suspended, or the queue is not empty */
    HERALD_KIND_TRANSPORT = 1 << 2, /* a transport takes over posting */
    HERALD_KIND_FENCED = 1 << 3,    /* posts carry fences */
    HERALD_KIND_DETOUR = HERALD_KIND_QUEUE | HERALD_KIND_TRANSPORT | HERALD_KIND_FENCED
};

struct HeraldCenter {
    /* Read by every post; `kinds` changes rarely, so topics read a clean line. */
    uint32_t kinds;   /* atomic; center's lock */
    uint64_t edition; /* atomic; center's lock: another number, never used before, with every change of `table` */
    struct herald_table table;

    /* Read by posts by name: the sequence of the newest registration whose publication is complete. */
    uint64_t committed __attribute__((aligned(HERALD_LINE))); /* atomic; center's lock */

    struct herald_bucket everything __attribute__((aligned(HERALD_LINE))); /* (any, any) */

    pthread_mutex_t *lock; /* one of a few that all centers share, so that fork can take them all */
    uint32_t references;   /* atomic */
    uint32_t holds;        /* domain's lock: the center's own, and one for all that leads back here */
    uint64_t number;       /* never reused */
    bool closed;           /* center's lock */
    uint32_t debug_mark;
    struct herald_slots slots;
    struct herald_observers observers;
    struct herald_bucket *idle_first, *idle_last;
    uint32_t idle_count, bucket_count;
    HeraldCenterOptions options;
    struct herald_queue queue; /* center's lock */
    bool suspended;            /* atomic; center's lock */
    uint64_t dropped;          /* atomic; center's lock */
    HeraldTransport transport;
    uint32_t transport_holds;     /* atomic: the center's own, and posts that the transport is carrying */
    const void *turn_holder;      /* transport.c's lock: the thread whose turn it is to speak with the transport */
    uint32_t turn_depth;          /* likewise */
    struct herald_bucket *silent; /* names that may have lost their last observer */
    HeraldCenterRef next, *link;  /* domain's lock: all centers */
    uint32_t inherited;           /* domain's lock: releases that a fork has left to this process */
};

static inline void herald_center_lock(HeraldCenterRef center) { pthread_mutex_lock(center->lock); }
static inline void herald_center_unlock(HeraldCenterRef center) { pthread_mutex_unlock(center->lock); }

HERALD_BEGIN
/* Keeps the center's memory, not its registrations. */
void herald_center_hold(HeraldCenterRef center);
void herald_center_let_go(HeraldCenterRef center);

/* Until the end of the block, by whatever way it is left, hooks and callbacks may release the center. NULL: no center.
 */
static inline void herald_hold_end(HeraldCenterRef *held) {
    if (*held) herald_center_let_go(*held);
}
#define HERALD_HOLD(name, kept)                                                                                        \
    HeraldCenterRef name __attribute__((cleanup(herald_hold_end))) = (kept);                                           \
    if (name) herald_center_hold(name)

/* Aborts in debug builds when the center has been released. */
void herald_center_check(HeraldCenterRef center, const char *sentence);

/* Under the center's lock: recomputes `kinds`. */
void herald_center_update_kinds(HeraldCenterRef center);

/* Under the center's lock: the table's objects have changed, and what posters recall of it is void. */
void herald_center_new_edition(HeraldCenterRef center);

/* What a writer does last, with no lock held. */
void herald_center_tidy(void);
HERALD_END
#endif
