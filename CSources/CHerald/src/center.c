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

void herald_center_enlist(HeraldCenterRef center) { GROUND_LIST_PUSH(herald_centers, center); }

void herald_center_delist(HeraldCenterRef center) { GROUND_LIST_REMOVE(center); }

/* Under the domain's lock. Copies the centers, except hidden and closed ones, and returns how many there are. If there
 * are at most `room`, each gets a reference to its memory; otherwise none does. */
static size_t copy_centers(HeraldCenterRef *all, size_t room) {
    size_t count = 0;
    for (HeraldCenterRef center = herald_centers; center; center = center->next) {
        if (center->hidden || !load_relaxed(&center->references)) continue; /* 0: closed */
        if (count < room) all[count] = center;
        count++;
    }
    for (size_t i = 0; i < count && count <= room; i++) all[i]->slots.references++;
    return count;
}

size_t herald_centers_copy(HeraldCenterRef **all) {
    size_t count = 0, room = 16;
    for (;; room = count + 16) {
        *all = malloc(room * sizeof **all);
        if (!*all) return 0;
        herald_domain_lock();
        count = copy_centers(*all, room);
        herald_domain_unlock();
        if (count <= room) return count;
        free(*all);
    }
}

/* The center with the lowest number above `number`, with a reference to its memory; NULL if there is none. */
HeraldCenterRef herald_center_after(uint64_t number) {
    HeraldCenterRef next = NULL;
    herald_domain_lock();
    for (HeraldCenterRef center = herald_centers; center; center = center->next)
        if (center->number > number && (!next || center->number < next->number)) next = center;
    if (next) next->slots.references++;
    herald_domain_unlock();
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
