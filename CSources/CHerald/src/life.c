/* The birth and death of centers.
 *
 * Ordering: The local center is complete before it is published (release; acquire in HeraldCenterGetLocalCenter). The
 * thread that releases the last reference sees what was done before every earlier release (acquire and release).
 * Progress: Bounded by the registrations.
 * Ownership: A center has two counts. While there are references to the center, its registrations live. While there are
 * references to its memory, the struct stays; each retired snapshot and each orphan has such a reference.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "error.h"
#include "ground_sanitizer.h"
#include "entry_points.h"
#include "inspector.h"
#include "job.h"
#include "kept.h"
#include "life.h"
#include "memory.h"
#include "release.h"
#include "remove.h"
#include "edges.h"
#include "told.h"

static uint64_t next_number = 1;     /* under the domain's lock */
static HeraldCenterRef local_center; /* atomic */
static pthread_once_t local_once = PTHREAD_ONCE_INIT;

/* ---- The end of the memory -------------------------------------------------------------------------------------- */

static void unlink_center(struct herald_slots *slots) { herald_center_delist(herald_center_of(slots)); }

static void destroy_center(struct herald_slots *slots) {
    HeraldCenterRef center = herald_center_of(slots);
    herald_queue_destroy(&center->queue);
    herald_slots_destroy(&center->slots);
    herald_bury(center);
}

static const struct herald_slots_owner owner = {unlink_center, destroy_center};

/* ---- Birth ------------------------------------------------------------------------------------------------------ */

static HeraldStatus create(const HeraldCenterOptions *options, const HeraldTransport *transport, bool hidden,
                           HeraldCenterRef *created) {
    *created = NULL;
    HeraldTransport taken;
    HeraldCenterOptions mine;
    memset(&taken, 0, sizeof taken);
    memset(&mine, 0, sizeof mine);
    /* A caller may know only an older, shorter form of the transport and the options. */
    size_t oldest = offsetof(HeraldTransport, ignoresObjects), shortest = offsetof(HeraldCenterOptions, keptPostLimit);
    if ((options && !herald_take_options(&mine, options, options->size, shortest, sizeof mine)) ||
        (transport && !herald_take_options(&taken, transport, transport->size, oldest, sizeof taken)))
        return herald_fail(HeraldInvalidArgument, "the options or the transport have an impossible size");
    HeraldCenterRef center = (HeraldCenterRef)herald_allocate_lines(sizeof *center);
    if (!center || !herald_index_create(&center->index)) {
        free(center);
        return herald_fail_of_memory();
    }
    center->references = 1;
    herald_slots_create(&center->slots, &owner);
    herald_queue_create(&center->queue);
    center->debug_mark = HERALD_CENTER_ALIVE;
    center->options = mine;
    if (!center->options.heldPostLimit) center->options.heldPostLimit = 1024;
    if (!center->options.keptPostLimit) center->options.keptPostLimit = 65536;
    center->transport = taken;
    if (!taken.observed && (taken.firstObserver || taken.lastObserver))
        center->transport.observed = herald_edges_observed;
    center->transport_uses = 1;
    center->hidden = hidden;
    herald_domain_lock();
    center->number = next_number++;
    center->lock = herald_lock_for(center->number);
    herald_center_enlist(center);
    herald_domain_unlock();
    herald_center_lock(center); /* the center is listed now, so a trace that begins or ends may change its flags at the
                                   same time */
    herald_center_update_flags(center);
    herald_center_unlock(center);
    *created = center;
    herald_inspector_begin();
    return HeraldOK;
}

HeraldCenterRef herald_own_HeraldCenterCreate(const HeraldCenterOptions *options) {
    HeraldCenterRef center;
    create(options, NULL, false, &center);
    return center;
}

HeraldStatus herald_own_HeraldCenterCreateWithTransport(const HeraldCenterOptions *options,
                                                        const HeraldTransport *transport, HeraldCenterRef *center) {
    if (center) *center = NULL;
    if (!center || !transport)
        return herald_fail(HeraldInvalidArgument, "the transport, or the pointer for the center, is NULL");
    return create(options, transport, false, center);
}

HeraldCenterRef herald_center_create_hidden(void) {
    HeraldCenterRef center;
    create(NULL, NULL, true, &center);
    return center;
}

static void make_local_center(void) {
    HeraldCenterRef center = HeraldCenterCreate(NULL);
    store_release(&local_center, center);
    if (!center) herald_abort("herald: no memory for the local center.");
}

HeraldCenterRef herald_own_HeraldCenterGetLocalCenter(void) {
    pthread_once(&local_once, make_local_center);
    return load_acquire(&local_center);
}

/* Whether the center never ends, so that its references are not counted. */
static bool lives_forever(HeraldCenterRef center) {
    return center == load_relaxed(&local_center) || center->transport.livesForever;
}

HeraldCenterRef herald_own_HeraldCenterRetain(HeraldCenterRef center) {
    if (!center) return NULL;
    herald_center_check(center, "herald: HeraldCenterRetain: this center has been released already.");
    if (!lives_forever(center)) add_relaxed(&center->references, 1u);
    return center;
}

bool herald_own_HeraldCenterTryRetain(HeraldCenterRef center) {
    if (!center || lives_forever(center)) return center != NULL;
    uint32_t references = load_relaxed(&center->references);
    while (references)
        if (compare_exchange_full(&center->references, &references, references + 1)) return true;
    return false;
}

/* ---- Death ------------------------------------------------------------------------------------------------------ */

/* The end of a center, in steps: registrations end, and the transport hears of it; buckets are retired; the transport
 * is released, what the center keeps, and then the memory. */
struct closing {
    struct herald_job job; /* first */
    HeraldCenterRef center;
};

static size_t size_of(HeraldCenterRef center) {
    return sizeof *center + center->slots.present * (sizeof(struct herald_slot) + sizeof(struct herald_hooks));
}

static void forget_kept(HeraldCenterRef center) {
    struct herald_held *unused = NULL;
    herald_center_lock(center);
    herald_kept_forget_all(center, &unused);
    herald_center_unlock(center);
    herald_held_free_all(unused);
}

static bool closing_step(struct herald_job *job) {
    HeraldCenterRef center = ((struct closing *)(void *)job)->center;
    switch (job->next++) {
    case 0: herald_remove_all(center); return true;
    case 1: /* the transport has heard of all buckets */
        herald_center_lock(center);
        herald_index_close(&center->index);
        herald_center_unlock(center);
        return true;
    case 2: herald_transport_release(center); return true;
    case 3: forget_kept(center); return true;
    case 4:
        store_relaxed(&center->debug_mark, (uint32_t)HERALD_CENTER_GONE);
        /* Retired snapshots and orphans keep the center in memory. So its size counts as waiting for the reclaimer. */
        herald_reclaim_count(size_of(center));
        if (!herald_guard_takes_over(center)) herald_slots_release(&center->slots);
        return true;
    default: return false;
    }
}

static void close_center(HeraldCenterRef center) {
    struct closing closing;
    closing.center = center;
    herald_center_lock(center);
    center->closed = true;              /* nothing can be added from here on */
    herald_center_update_flags(center); /* posts take the slow path, and find nothing */
    herald_told_note_all(center);
    herald_center_unlock(center);
    herald_job_do(&closing.job, closing_step);
    herald_tidy();
}

void herald_own_HeraldCenterRelease(HeraldCenterRef center) {
    if (!center) return;
    herald_center_check(center, "herald: HeraldCenterRelease: this center has been released already.");
    if (lives_forever(center)) return;
    ground_watched_release(&center->references);
    if (sub_acq_rel(&center->references, 1u) != 1) return;
    ground_watched_acquire(&center->references);
    close_center(center);
}
