/* Centers: their life, and the locks they share.
 *
 * Ownership. References keep registrations alive, holds keep memory: a closed center's slots may still be shown by
 * posts and owed releases, and each snapshot that waits to be freed, and each slot that waits for its release without
 * one, holds its center.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "center.h"
#include "barrier.h"
#include "job.h"
#include "memory.h"
#include "reclaim.h"
#include "release.h"
#include "suspension.h"
#include "transport_turn.h"

static uint64_t next_number = 1;     /* domain's lock */
static HeraldCenterRef local_center; /* atomic */
static pthread_once_t local_once = PTHREAD_ONCE_INIT;

enum { ALIVE = 0x6c697665, GONE = 0x676f6e65 };

void herald_center_check(HeraldCenterRef center, const char *sentence) {
    if (HERALD_DEBUG && load_relaxed(&center->debug_mark) != ALIVE) herald_fail(sentence);
}

void herald_center_update_kinds(HeraldCenterRef center) {
    uint32_t kinds = 0;
    if (center->everything.live || center->everything.objects) kinds |= HERALD_KIND_ANY_NAME;
    if (center->closed || herald_suspension_is_needed(center)) kinds |= HERALD_KIND_QUEUE;
    if (center->transport.post) kinds |= HERALD_KIND_TRANSPORT;
    if (herald_barrier_is_fenced()) kinds |= HERALD_KIND_FENCED;
    if (kinds != center->kinds) store_release(&center->kinds, kinds);
}

void herald_center_new_edition(HeraldCenterRef center) {
    static uint64_t editions;
    /* Release; partner: recall() in post.c. Before the object can be retired: a section that still sees the older
     * number began before the barrier that precedes its freeing. */
    store_release(&center->edition, add_relaxed(&editions, UINT64_C(1)) + 1);
}

void herald_center_tidy(void) {
    if (herald_reclaim_is_due()) herald_reclaim();
    if (herald_unlikely(load_relaxed(&herald_domain.has_inherited))) herald_release_inherited();
}

static bool options_are_possible(const HeraldCenterOptions *options) {
    return !options || herald_size_is_possible(options, options->size, sizeof *options);
}

/* The center's own copy of a transport, by a caller that may know only its older, shorter form. */
static bool take_transport(HeraldTransport *mine, const HeraldTransport *theirs) {
    memset(mine, 0, sizeof *mine);
    if (!theirs) return true;
    size_t shortest = offsetof(HeraldTransport, ignoresObjects);
    size_t known = theirs->size < sizeof *mine ? shortest : sizeof *mine;
    if (!herald_size_is_possible(theirs, theirs->size, known)) return false;
    memcpy(mine, theirs, known);
    return true;
}

static HeraldStatus create(const HeraldCenterOptions *options, const HeraldTransport *transport,
                           HeraldCenterRef *created) {
    *created = NULL;
    HeraldTransport taken;
    if (!options_are_possible(options) || !take_transport(&taken, transport)) return HeraldInvalidArgument;
    HeraldCenterRef center = (HeraldCenterRef)herald_allocate_lines(sizeof *center);
    if (!center || !herald_table_create(&center->table, herald_bucket_equal)) {
        free(center);
        return HeraldOutOfMemory;
    }
    center->references = 1;
    center->holds = 1;
    center->debug_mark = ALIVE;
    if (options) center->options = *options;
    if (!center->options.heldPostLimit) center->options.heldPostLimit = 1024;
    center->transport = taken;
    center->transport_holds = 1;
    herald_domain_lock();
    center->number = next_number++;
    center->lock = herald_lock_for(center->number);
    center->next = herald_domain.centers;
    center->link = &herald_domain.centers;
    if (center->next) center->next->link = &center->next;
    herald_domain.centers = center;
    herald_domain_unlock();
    herald_center_update_kinds(center);
    herald_center_new_edition(center);
    *created = center;
    return HeraldOK;
}

HeraldCenterRef HeraldCenterCreate(const HeraldCenterOptions *options) {
    HeraldCenterRef center;
    create(options, NULL, &center);
    return center;
}

HeraldStatus HeraldCenterCreateWithTransport(const HeraldCenterOptions *options, const HeraldTransport *transport,
                                             HeraldCenterRef *center) {
    if (!center) return HeraldInvalidArgument;
    *center = NULL;
    if (!transport) return HeraldInvalidArgument;
    return create(options, transport, center);
}

static void make_local_center(void) {
    HeraldCenterRef center = HeraldCenterCreate(NULL);
    store_release(&local_center, center);
    if (!center) herald_fail("herald: no memory for the local center.");
}

HeraldCenterRef HeraldCenterGetLocalCenter(void) {
    pthread_once(&local_once, make_local_center);
    return load_acquire(&local_center);
}

/* Whether references to it are not counted. */
static bool lives_forever(HeraldCenterRef center) {
    return center == load_relaxed(&local_center) || center->transport.livesForever;
}

HeraldCenterRef HeraldCenterRetain(HeraldCenterRef center) {
    if (!center) return NULL;
    herald_center_check(center, "herald: HeraldCenterRetain: this center has been released already.");
    if (!lives_forever(center)) add_relaxed(&center->references, 1u);
    return center;
}

void herald_center_hold(HeraldCenterRef center) {
    herald_domain_lock();
    center->holds++;
    herald_domain_unlock();
}

static void destroy(HeraldCenterRef center) {
    herald_suspension_destroy(center);
    herald_slots_destroy(&center->slots);
    herald_table_destroy(&center->table);
    free(center->observers.entries);
    herald_bury(center);
}

void herald_center_let_go(HeraldCenterRef center) {
    herald_domain_lock();
    bool last = --center->holds == 0;
    if (last) {
        *center->link = center->next;
        if (center->next) center->next->link = center->link;
    }
    herald_domain_unlock();
    if (last) destroy(center);
}

static void close_bucket(void *object, void *context) {
    struct herald_bucket *bucket = (struct herald_bucket *)object;
    herald_snapshot_drop((HeraldCenterRef)context, bucket);
    herald_retire(&bucket->retired, bucket, sizeof *bucket);
}

/* Ends every registration. Posts that are in progress skip what they have not called yet; posts, adds and removals by
 * hooks and callbacks that still run find nothing. Returns the slots whose release is owed. */
static uint32_t end_registrations(HeraldCenterRef center) {
    uint32_t owed = 0;
    for (uint32_t number = 1; number <= center->slots.used; number++) {
        struct herald_slot *slot = herald_slots_at(&center->slots, number);
        if (load_relaxed(&slot->state) != HERALD_ACTIVE) continue;
        herald_snapshot_buried(slot->bucket, slot);
        if (slot->hooks) {
            slot->next = owed;
            slot->armed = 0;
            owed = number;
        }
        store_release(&slot->state, (uint8_t)(slot->hooks ? HERALD_PENDING : HERALD_REMOVED));
    }
    center->observers.count = 0; /* its entries lead to slots that have ended */
    herald_table_visit(&center->table, close_bucket, center);
    herald_snapshot_drop(center, &center->everything);
    return owed;
}

/* The end of a center, step by step: the transport's hooks, what was held, the releases, and then its memory. */
struct closing {
    struct herald_job job; /* first */
    HeraldCenterRef center;
    struct herald_held *dropped;
    uint32_t owed;
    int step;
};

static bool closing_step(struct herald_job *job) {
    struct closing *closing = (struct closing *)(void *)job;
    HeraldCenterRef center = closing->center;
    switch (closing->step++) {
    case 0:
        closing->step = 0; /* as often as there are names to tell of */
        closing->step = herald_turn_retract_next(center) ? 0 : 1;
        return true;
    case 1:
        herald_center_lock(center);
        closing->owed = end_registrations(center);
        closing->dropped = herald_suspension_drop_all(center);
        herald_center_unlock(center);
        return true;
    case 2: herald_suspension_free(closing->dropped); return true;
    case 3:
        if (closing->owed) herald_release_settle(center, closing->owed, false);
        return true;
    case 4: herald_transport_let_go(center); return true;
    case 5:
        store_relaxed(&center->debug_mark, (uint32_t)GONE);
        herald_center_let_go(center);
        return true;
    default: return false;
    }
}

static void close_center(HeraldCenterRef center) {
    struct closing closing;
    closing.center = center;
    closing.step = 0;
    herald_center_lock(center);
    center->closed = true;              /* nothing can be added any more */
    herald_center_update_kinds(center); /* posts go round, and find nobody */
    herald_turn_note_all(center);
    herald_center_unlock(center);
    herald_job_do(&closing.job, closing_step);
    herald_center_tidy();
}

void HeraldCenterRelease(HeraldCenterRef center) {
    if (!center) return;
    herald_center_check(center, "herald: HeraldCenterRelease: this center has been released already.");
    if (lives_forever(center)) return;
    if (sub_acq_rel(&center->references, 1u) == 1) close_center(center);
}
