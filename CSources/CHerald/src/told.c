/* What a center's transport is told. See told.h for the scheme; Tests/Model/told.c is its model.
 *
 * To take a name back is to tell the transport that the name has no observer any more.
 *
 * Ordering: Versions are drawn under the center's lock, from one counter of the process. A bucket's `reached` and
 * `told` are written under the center's lock, too. A thread that takes a name back writes them before its hook runs. An
 * add writes them after its hook has returned.
 * Progress: Nobody waits. An add calls its hook again only if the name was taken back while the hook ran, or if the
 * hook forked and this is the child.
 * Ownership: The center's lock protects the tellings and the noted buckets. A bucket is not evicted while the transport
 * knows of it, or while an add tells of it.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "told.h"
#include "entry_points.h"
#include "error.h"
#include "found.h"
#include "ground_list.h"
#include "ground_sanitizer.h"
#include "job.h"
#include "under.h"

/* In the index, the bucket of a prefix has this object in its key. So it is another bucket than that of the name with
 * the same text. The bucket of a prefix has no snapshot: its `objects` counts the registrations for the prefix. */
static const char prefix_mark = 0;

static bool is_of_prefix(const struct herald_bucket *bucket) { return bucket->key.object == &prefix_mark; }

static const void *mark_of(const struct herald_told_of *of) {
    return of->hook == HERALD_TOLD_PREFIX ? &prefix_mark : NULL;
}

static struct herald_bucket *obtain(HeraldCenterRef center, const struct herald_told_of *of) {
    const void *mark = mark_of(of);
    return mark ? herald_index_obtain(&center->index, of->name, mark)
                : herald_found_bucket(center, of->name, NULL, true);
}

static uint64_t versions;  /* the last one drawn; atomic */
static uint64_t inherited; /* its value at the fork that made this process */

static uint64_t draw(void) { return add_relaxed(&versions, UINT64_C(1)) + 1; }

bool herald_told_is_inherited(uint64_t version) { return version <= load_relaxed(&inherited); }

/* ---- Tellings --------------------------------------------------------------------------------------------------- */

/* Under the center's lock. NULL: memory is out. */
static struct herald_telling *begin(HeraldCenterRef center, const struct herald_told_of *of,
                                    struct herald_bucket *bucket, uint64_t version) {
    struct herald_telling *telling = (struct herald_telling *)malloc(sizeof *telling);
    if (!telling) return NULL;
    telling->thread = &herald_self;
    telling->center = center;
    telling->of = *of;
    telling->bucket = bucket;
    telling->version = version;
    telling->accepted = 0;
    GROUND_LIST_PUSH(center->tellings, telling);
    if (bucket) herald_index_hold(&center->index, bucket, 1);
    herald_slots_retain(&center->slots);
    herald_transport_retain(center);
    return telling;
}

/* Under the center's lock: gives up the bucket, which may then be evicted. In a closed center there is nothing to do,
 * because closing retires all buckets. */
static void let_go(struct herald_telling *telling) {
    struct herald_index *index = &telling->center->index;
    if (!telling->bucket || telling->center->closed) return;
    herald_index_hold(index, telling->bucket, -1);
    herald_index_evict(index);
    telling->bucket = NULL;
}

bool herald_transport_use(HeraldCenterRef center, HeraldCenterRef *used) {
    if (center->transport.livesForever) return true; /* and so does the center */
    uint32_t uses = load_relaxed(&center->transport_uses);
    while (uses && !compare_exchange_full(&center->transport_uses, &uses, uses + 1)) {
    }
    if (!uses) return false;
    herald_slots_retain(&center->slots);
    *used = center;
    return true;
}

void herald_transport_used(HeraldCenterRef *used) {
    HeraldCenterRef kept __attribute__((cleanup(herald_center_memory_end))) = *used; /* also when the hook throws */
    if (kept) herald_transport_release(kept);
}

static void free_telling(struct herald_telling *telling) {
    HeraldCenterRef center = telling->center;
    free(telling);
    herald_transport_used(&center);
}

static void end_telling(struct herald_telling **telling) {
    if (!*telling) return;
    herald_center_lock((*telling)->center);
    let_go(*telling);
    GROUND_LIST_REMOVE(*telling);
    herald_center_unlock((*telling)->center);
    free_telling(*telling);
}

static HeraldStatus tell(HeraldCenterRef center, const struct herald_told_of *of, bool is_observed, uint64_t version) {
    const HeraldTransport *transport = &center->transport;
    HERALD_HOOKS(hooks);
    if (of->hook == HERALD_TOLD_NAME)
        return transport->observed(transport->context, center, of->name, is_observed, version);
    return transport->observedUnder(transport->context, center, HeraldNameGetUTF8String(of->name), is_observed,
                                    version);
}

/* ---- Adds ------------------------------------------------------------------------------------------------------- */

static bool is_known(const struct herald_bucket *bucket) {
    return bucket->reached && !herald_told_is_inherited(bucket->told);
}

HeraldStatus herald_told_begin(HeraldCenterRef center, const struct herald_told_of *of,
                               struct herald_telling **telling) {
    struct herald_bucket *bucket = obtain(center, of);
    *telling = NULL;
    if (!bucket) return herald_fail_of_memory();
    if (is_known(bucket)) return HeraldOK;
    *telling = begin(center, of, bucket, draw());
    return *telling ? HeraldOK : herald_fail_of_memory();
}

HeraldStatus herald_told_call(struct herald_telling *telling) {
    uint32_t errors = herald_errors;
    HeraldStatus status = tell(telling->center, &telling->of, true, telling->version);
    if (status != HeraldOK) return herald_fail_of_hook(status, errors);
    telling->accepted = telling->version;
    return HeraldOK;
}

bool herald_told_holds(struct herald_telling *telling) {
    struct herald_bucket *bucket = telling->bucket;
    if (is_known(bucket)) return true;
    bool is_newest = telling->accepted > bucket->told || !HERALD_STEP(STALE_ANSWER);
    if (!is_newest || herald_told_is_inherited(telling->accepted)) {
        telling->version = draw();
        return false;
    }
    bucket->reached = true;
    bucket->told = telling->accepted;
    herald_index_update_idle(&telling->center->index, bucket);
    return true;
}

/* ---- Removals --------------------------------------------------------------------------------------------------- */

static void note(HeraldCenterRef center, struct herald_bucket *bucket) {
    if (bucket->noted) return;
    bucket->noted = true;
    bucket->next_noted = center->noted;
    center->noted = bucket;
}

void herald_told_note_reached(HeraldCenterRef center, struct herald_bucket *bucket) {
    if (herald_index_is_unobserved_outside(&center->index, bucket) && HERALD_STEP(TAKE_BACK)) note(center, bucket);
}

struct herald_told_of herald_told_of_prefix(HeraldCenterRef center, struct herald_under *under) {
    struct herald_told_of of = {HERALD_TOLD_PREFIX, under->prefix};
    if (!center->transport.observedUnder) of = herald_told_of_name(center, NULL);
    under->told = of.hook;
    return of;
}

void herald_told_count(HeraldCenterRef center, struct herald_under *under, int change) {
    if (under->told == HERALD_TOLD_NAME) return;
    center->index.untold += (uint32_t)change;
    if (under->told != HERALD_TOLD_PREFIX) return;
    struct herald_bucket *bucket = herald_index_find(&center->index, under->prefix, &prefix_mark);
    store_relaxed(&bucket->objects, bucket->objects + (uint32_t)change);
    herald_told_note(center, bucket);
}

/* Under the center's lock, for a bucket that was noted. Returns the version with which the transport is told; 0: there
 * is an observer again. */
static uint64_t take_back(HeraldCenterRef center, struct herald_bucket *bucket) {
    if (!center->closed && !herald_index_is_unobserved_outside(&center->index, bucket)) return 0;
    bucket->reached = false;
    bucket->told = draw();
    return bucket->told;
}

bool herald_told_next(HeraldCenterRef center) {
    struct herald_told_of of = {HERALD_TOLD_NAME, NULL};
    struct herald_telling *telling __attribute__((cleanup(end_telling))) = NULL;
    HeraldCenterRef kept __attribute__((cleanup(herald_transport_used))) = NULL;
    uint64_t version = 0;
    herald_center_lock(center);
    struct herald_bucket *bucket = center->noted;
    if (bucket) {
        center->noted = bucket->next_noted;
        bucket->noted = false;
        of.name = bucket->key.name;
        if (is_of_prefix(bucket)) of.hook = HERALD_TOLD_PREFIX;
        version = take_back(center, bucket);
        if (version) telling = begin(center, &of, NULL, version);
        if (version && !telling) {
            /* Memory is out. If the hook ends the thread without unwinding, nobody gives up these two references,
             * because no telling leads to them. */
            herald_slots_retain(&center->slots);
            herald_transport_retain(kept = center);
        }
        if (!center->closed) {
            herald_index_update_idle(&center->index, bucket);
            herald_index_evict(&center->index);
        }
    }
    herald_center_unlock(center);
    if (version) tell(center, &of, false, version);
    return bucket != NULL;
}

/* The end of a telling, in steps. If the transport has accepted an add that has published nothing, the name is taken
 * back. Then the names of noted buckets are taken back. Then the telling is freed. */
struct ending {
    struct herald_job job; /* first */
    struct herald_telling *telling;
};

/* Under the center's lock. Returns the version with which the transport is told; 0: it need not be told now. */
static uint64_t take_back_accepted(struct herald_telling *telling) {
    if (!telling->accepted) return 0;
    telling->accepted = 0;
    if (telling->center->closed) return draw();
    if (telling->bucket->reached) {
        herald_told_note_reached(telling->center, telling->bucket);
        return 0;
    }
    return telling->bucket->told = draw(); /* other adds that are under way tell the transport again */
}

static bool ending_step(struct herald_job *job) {
    struct ending *ending = (struct ending *)(void *)job;
    struct herald_telling *telling = ending->telling;
    uint64_t version;
    switch (job->next++) {
    case 0:
        herald_center_lock(telling->center);
        version = take_back_accepted(telling);
        herald_center_unlock(telling->center);
        if (version) tell(telling->center, &telling->of, false, version);
        return true;
    case 1:
        job->next = 1; /* repeated while there are names to tell the transport of, also after its hook throws */
        if (!herald_told_next(telling->center)) job->next = 2;
        return true;
    case 2: end_telling(&telling); return true;
    default: return false;
    }
}

void herald_told_end(struct herald_telling *telling) {
    struct ending ending;
    ending.telling = telling;
    herald_job_do(&ending.job, ending_step);
}

/* ---- The end of a center, of a thread, and forks ---------------------------------------------------------------- */

/* A bucket that is not `reached` may still have an `edge`, for example after a removal that could not call
 * lastObserver: the removing thread was not allowed to wait for another thread's hook (edges.c). */
static void note_known(HeraldCenterRef center, struct herald_bucket *bucket) {
    if (bucket->reached || bucket->edge) note(center, bucket);
}

static void note_visited(void *key, void *center) { note_known((HeraldCenterRef)center, herald_bucket_of(key)); }

void herald_told_note_all(HeraldCenterRef center) {
    herald_table_visit(&center->index.table, note_visited, center);
    note_known(center, &center->index.everything);
}

/* The next telling of this thread, or of another one, taken out of the center's list. */
static struct herald_telling *take(HeraldCenterRef center, bool is_mine) {
    struct herald_telling *telling = center->tellings;
    while (telling && (telling->thread == &herald_self) != is_mine) telling = telling->next;
    if (telling) GROUND_LIST_REMOVE(telling);
    return telling;
}

/* Under the center's lock, for an add whose thread is gone. The transport may have accepted the add. So its bucket is
 * noted, and the next change of the center takes the name back. */
static void note_left(const struct herald_telling *telling) {
    HeraldCenterRef center = telling->center;
    if (!center->closed && telling->bucket && !telling->bucket->reached) note(center, telling->bucket);
}

void herald_told_hand_in(HeraldCenterRef center) {
    for (;;) {
        herald_center_lock(center);
        struct herald_telling *telling = take(center, true);
        if (telling) note_left(telling);
        if (telling) let_go(telling);
        herald_center_unlock(center);
        if (!telling) return;
        free_telling(telling);
    }
}

void herald_told_in_child(void) { store_relaxed(&inherited, load_relaxed(&versions)); }

void herald_told_after_fork(HeraldCenterRef center) {
    for (struct herald_telling *telling; (telling = take(center, false));) {
        note_left(telling);
        let_go(telling);
        center->transport_uses--;
        center->slots.references--; /* frees nothing, even if it is the last: this thread has every lock */
        /* The telling's memory is left: the heap's own fork handler may still have to run. */
    }
}

void herald_transport_retain(HeraldCenterRef center) { add_relaxed(&center->transport_uses, 1u); }

void herald_transport_release(HeraldCenterRef center) {
    ground_watched_release(&center->transport_uses);
    if (sub_acq_rel(&center->transport_uses, 1u) != 1) return;
    ground_watched_acquire(&center->transport_uses);
    if (!center->transport.destroy) return;
    HERALD_HOOKS(hooks);
    center->transport.destroy(center->transport.context);
}

bool herald_own_HeraldCenterHasObservers(HeraldCenterRef center, HeraldNameRef name) {
    if (!center || !name) return false;
    herald_center_lock(center);
    struct herald_bucket *of_name = center->closed ? NULL : herald_index_find(&center->index, name, NULL);
    bool any = (of_name && !herald_bucket_is_unobserved(of_name)) ||
               (!center->closed && !herald_bucket_is_unobserved(&center->index.everything));
    herald_center_unlock(center);
    return any;
}
