/* The hooks of transports written for 0.2. See edges.h.
 *
 * Ordering: `edge` is written under the center's lock before a hook runs. `edges_holder` sees to it that only one
 * thread at a time calls a center's hooks.
 * Progress: A thread waits while another one calls such a hook of the same center. In two cases it does not wait:
 * while it calls the hooks of another center, because two threads could then wait for each other, and while it forks.
 * Instead its adds fail with HeraldTransportFailed. After its removals, lastObserver is called later: when the name
 * loses its last observer again, or when the center ends.
 * Ownership: The mutex protects the holders.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "edges.h"
#include "told.h"
#include "thread.h"

static pthread_cond_t edges_free = PTHREAD_COND_INITIALIZER;
static HeraldCenterRef held; /* the centers that have a holder, a list by `next_held` */

static bool has_another(HeraldCenterRef center) {
    for (HeraldCenterRef at = held; at; at = at->next_held)
        if (at != center && at->edges_holder == &herald_self) return true;
    return false;
}

static bool is_taken(HeraldCenterRef center) { return center->edges_holder && center->edges_holder != &herald_self; }

/* False: another thread calls the center's hooks, and this one must not wait for it. */
static bool edges_begin(HeraldCenterRef center) {
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    herald_mutex_lock(HERALD_LOCK(EDGES));
    bool waits = !herald_mutex_is_passed() && !has_another(center);
    while (is_taken(center) && waits) pthread_cond_wait(&edges_free, HERALD_LOCK(EDGES));
    bool mine = !is_taken(center);
    if (mine && !center->edges_holder) {
        center->edges_holder = &herald_self;
        center->next_held = held;
        held = center;
    }
    if (mine) center->edges_depth++;
    herald_mutex_unlock(HERALD_LOCK(EDGES));
    pthread_setcancelstate(cancel, NULL);
    return mine;
}

/* Under the mutex. */
static void give_up(HeraldCenterRef center) {
    HeraldCenterRef *link = &held;
    while (*link != center) link = &(*link)->next_held;
    *link = center->next_held;
    center->edges_holder = NULL;
    center->edges_depth = 0;
    pthread_cond_broadcast(&edges_free);
}

static void edges_end(HeraldCenterRef *center) {
    if (!*center) return;
    herald_mutex_lock(HERALD_LOCK(EDGES));
    if (--(*center)->edges_depth == 0) give_up(*center);
    herald_mutex_unlock(HERALD_LOCK(EDGES));
}

/* In `edge`: firstObserver is being called for the name. */
static const uint64_t ASKS = UINT64_C(1) << 63;

/* Under the center's lock. */
static void set_edge(HeraldCenterRef center, struct herald_bucket *of_name, uint64_t version) {
    of_name->edge = version;
    if (!center->closed) herald_index_update_idle(&center->index, of_name);
}

/* A firstObserver that is being called. */
struct first_edge {
    HeraldCenterRef center;
    HeraldNameRef name;
    HeraldStatus answer;
};

/* The clean-up; runs also when the hook has thrown. */
static void first_edge_end(struct first_edge *first) {
    HeraldCenterRef center = first->center;
    herald_center_lock(center);
    struct herald_bucket *of_name = center->closed ? NULL : herald_index_find_name(&center->index, first->name);
    /* The hook may itself have added an observer of the name. If that observer stays, so does the edge, even if the
     * hook has refused this add. */
    bool stays = of_name && (first->answer == HeraldOK || of_name->reached);
    if (of_name) set_edge(center, of_name, stays ? of_name->edge & ~ASKS : 0);
    herald_center_unlock(center);
}

static HeraldStatus call_first(HeraldCenterRef center, HeraldNameRef name) {
    if (!center->transport.firstObserver) return HeraldOK;
    struct first_edge first __attribute__((cleanup(first_edge_end)));
    first.center = center;
    first.name = name;
    first.answer = HeraldTransportFailed;
    return first.answer = center->transport.firstObserver(center->transport.context, center, name);
}

static HeraldStatus observe_edge(HeraldCenterRef center, HeraldNameRef name, uint64_t version) {
    herald_center_lock(center);
    struct herald_bucket *of_name = center->closed ? NULL : herald_index_obtain(&center->index, name, NULL);
    bool is_known = of_name && !herald_told_is_inherited(of_name->edge & ~ASKS);
    uint64_t asks = is_known ? of_name->edge & ASKS : center->transport.firstObserver ? ASKS : 0;
    /* Set before firstObserver is called, because that hook may itself add an observer of the name. */
    if (of_name && (of_name->edge & ~ASKS) < version) set_edge(center, of_name, version | asks);
    HeraldStatus status = center->closed ? HeraldInvalidArgument : of_name ? HeraldOK : HeraldOutOfMemory;
    herald_center_unlock(center);
    if (status != HeraldOK) return status;
    return is_known ? HeraldOK : call_first(center, name);
}

static void leave_edge(HeraldCenterRef center, HeraldNameRef name, uint64_t version) {
    herald_center_lock(center);
    struct herald_bucket *of_name = herald_index_find_name(&center->index, name);
    bool is_last = of_name && of_name->edge && (of_name->edge & ~ASKS) < version;
    if (is_last) set_edge(center, of_name, 0);
    herald_center_unlock(center);
    if (is_last && center->transport.lastObserver)
        center->transport.lastObserver(center->transport.context, center, name);
}

HeraldStatus herald_edges_observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                                   uint64_t version) {
    (void)context;
    HeraldCenterRef mine __attribute__((cleanup(edges_end))) = edges_begin(center) ? center : NULL;
    if (!mine) return HeraldTransportFailed;
    if (is_observed) return observe_edge(center, name, version);
    leave_edge(center, name, version);
    return HeraldOK;
}

static void refuse(void *key, void *context) {
    HeraldCenterRef center = (HeraldCenterRef)context;
    struct herald_bucket *of_name = herald_bucket_of(key);
    if (of_name->edge & ASKS) set_edge(center, of_name, of_name->reached ? of_name->edge & ~ASKS : 0);
}

void herald_edges_hand_in(HeraldCenterRef center) {
    herald_mutex_lock(HERALD_LOCK(EDGES));
    bool mine = center->edges_holder == &herald_self;
    herald_mutex_unlock(HERALD_LOCK(EDGES));
    if (!mine) return;
    herald_center_lock(center);
    herald_table_visit(&center->index.table, refuse, center);
    refuse(&center->index.everything.key, center);
    herald_center_unlock(center);
    herald_mutex_lock(HERALD_LOCK(EDGES));
    give_up(center);
    herald_mutex_unlock(HERALD_LOCK(EDGES));
}

void herald_edges_in_child(void) {
    pthread_cond_init(&edges_free, NULL);
    for (HeraldCenterRef *link = &held; *link;) {
        HeraldCenterRef center = *link;
        if (center->edges_holder == &herald_self) {
            link = &center->next_held;
            continue;
        }
        *link = center->next_held;
        center->edges_holder = NULL; /* the hook that ran in another thread counts as returned */
        center->edges_depth = 0;
    }
}
