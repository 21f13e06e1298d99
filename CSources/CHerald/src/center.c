/* The flags that posts read of a center, and the list of all centers.
 *
 * Ordering: `flags` is stored with release; partner: a post's load of the flags, by which it chooses its path.
 * Progress: Bounded.
 * Ownership: The flags are protected by the center's lock, the list by the domain's lock.
 */
#include "center.h"
#include "ground_list.h"
#include "barrier.h"
#include "thread.h"

HeraldCenterRef herald_centers;
uint32_t herald_center_traces;

static HeraldCenterRef numbered[256]; /* lists of centers, each for the numbers with the same lowest bits */

static HeraldCenterRef *list_of(uint64_t number) { return &numbered[number % (sizeof numbered / sizeof *numbered)]; }

void herald_center_enlist(HeraldCenterRef center) {
    GROUND_LIST_PUSH(herald_centers, center);
    HeraldCenterRef *list = list_of(center->number);
    center->next_numbered = *list;
    *list = center;
}

void herald_center_delist(HeraldCenterRef center) {
    GROUND_LIST_REMOVE(center);
    HeraldCenterRef *link = list_of(center->number);
    while (*link != center) link = &(*link)->next_numbered;
    *link = center->next_numbered;
}

HeraldCenterRef herald_center_numbered(uint64_t number) {
    HeraldCenterRef center = *list_of(number);
    while (center && center->number != number) center = center->next_numbered;
    return center;
}

HeraldCenterRef herald_center_after(HeraldCenterRef center) {
    herald_domain_lock();
    HeraldCenterRef next = center ? center->next : herald_centers;
    if (next) next->slots.references++;
    herald_domain_unlock();
    if (center) herald_slots_release(&center->slots);
    return next;
}

void herald_center_check(HeraldCenterRef center, const char *sentence) {
    if (!HERALD_DEBUG || load_relaxed(&center->debug_mark) == HERALD_CENTER_ALIVE) return;
    if (!herald_thread_is_inside()) herald_abort(sentence); /* R19: hooks and callbacks may use a released center */
}

void herald_center_update_flags(HeraldCenterRef center) {
    uint32_t flags = 0;
    if (!herald_bucket_is_unobserved(&center->index.everything)) flags |= HERALD_FLAG_ANY_NAME;
    if (center->closed || herald_queue_is_needed(&center->queue)) flags |= HERALD_FLAG_QUEUE;
    if (center->transport.post) flags |= HERALD_FLAG_TRANSPORT;
    if (herald_barrier_is_fencing()) flags |= HERALD_FLAG_FENCING;
    if (!center->hidden && (center->traces || load_relaxed(&herald_center_traces))) flags |= HERALD_FLAG_TRACED;
    if (flags != center->index.flags) store_release(&center->index.flags, flags);
}

bool herald_guard_takes_over(HeraldCenterRef center) {
    struct herald_guard *outermost = NULL;
    for (struct herald_guard *guard = herald_guards; guard; guard = guard->outer)
        if (guard->center == center) outermost = guard;
    if (outermost) outermost->owes = true;
    return outermost != NULL;
}
