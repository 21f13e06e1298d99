/* Keeping to the user's file.
 *
 * A file that has been removed still joins those who have it mapped, but newcomers meet in another one. So everybody
 * looks once a second. Who finds his segment gone marks it retired, for the others in it; a poster looks for that mark
 * after it has counted its post, and posts again in the new segment. All names that this process watches, or has posted
 * since it looked last, count as posted then.
 *
 * Fork. The handlers of this library and of the core take their locks in whatever order the linker has put them: no
 * thread ever has one of either kind and waits for one of the other.
 */
#include "host.h"
#include "complaint.h"
#include "token.h"
#include "watcher.h"
#include <stdio.h>
#include <string.h>

struct herald_host herald_host = {.looks = 1, .lock = PTHREAD_MUTEX_INITIALIZER};

void herald_host_lock(void) {
    int cancelable; /* the calls under the lock are cancellation points */
    pthread_setcancelstate(herald_keep(CANCELLATION) ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE, &cancelable);
    pthread_mutex_lock(&herald_host.lock);
    herald_host.cancelable = cancelable;
}

void herald_host_unlock(void) {
    int cancelable = herald_host.cancelable;
    pthread_mutex_unlock(&herald_host.lock);
    pthread_setcancelstate(cancelable, NULL);
}

static void note_problem(void) {
    snprintf(herald_host.problem, sizeof herald_host.problem, "%s", HeraldHostGetErrorDescription());
}

void herald_host_lacks(void) {
    herald_host.incomplete = true;
    note_problem();
}

/* The state goes along, unless somebody has set it there. */
static void carry_state(const struct herald_entry *old, struct herald_entry *entry) {
    if (!herald_keep(CARRY) || !old->has_state || entry->has_state) return;
    uint64_t none = 0;
    atomic_compare_exchange_strong(&entry->state, &none, old->state);
    entry->has_state = 1; /* last: whoever is killed before leaves it to the next */
}

/* Enters a name, and lets the watcher and tokens know where it is now. */
static HeraldStatus settle(struct herald_host_name *name, struct herald_segment *segment) {
    HeraldStatus status = herald_host_name_enter(name, segment);
    if (status != HeraldOK || name->settled == name->entry) return status;
    /* Also for a name that was there: who entered it may not have come this far. */
    if (herald_keep(CHANGES)) segment->header->changes++;
    if (name->settled) { /* elsewhere, until the file was removed */
        carry_state(name->settled, name->entry);
        herald_tokens_moved(name);
        herald_watcher_moved(name);
    }
    name->settled = name->entry;
    return HeraldOK;
}

static void settle_names(struct herald_segment *segment) {
    for (struct herald_host_name *name = herald_host_names; name; name = name->next)
        if (name->observed || name->tokens)
            if (settle(name, segment) != HeraldOK) herald_host_lacks();
}

/* What this process has posted may have gone to a file that nobody else has any more. */
static void post_again(struct herald_segment *segment) {
    for (struct herald_host_name *name = herald_host_names; name; name = name->next) {
        if (!herald_host_is_unconfirmed(name->posted) || name->is_private) continue;
        struct herald_entry *entry = herald_host_name_look_up(name, segment);
        if (entry) herald_entry_post(entry, segment);
    }
    if (!herald_host_is_unconfirmed(herald_host.posted_texts)) return;
    for (uint32_t region = 0; region < herald_segment_regions(segment); region++)
        for (uint32_t i = 0; i < herald_region_names(region); i++) {
            struct herald_entry *entry = herald_region_entries(segment->header, region) + i;
            if (entry->name) herald_entry_post(entry, segment);
        }
}

static void move_to(struct herald_segment *segment) {
    struct herald_segment *old = herald_host.segment;
    herald_watcher_leave();
    for (struct herald_host_name *name = herald_host_names; name; name = name->next) {
        if (!name->is_private) name->entry = NULL;
        name->absent_at = UINT64_MAX;
    }
    herald_host.segment = segment; /* after the entries: see herald_host_segment */
    if (!old) return;
    herald_file_close(&old->file);
    herald_watcher_sit(segment);
    settle_names(segment);
    if (herald_keep(REPOST)) post_again(segment);
}

static HeraldStatus find_segment(void) {
    struct herald_segment *segment = herald_host.segment;
    /* Before the look, for afterwards it may be true again. */
    if (segment && segment->header->retired) segment->header->retired = 0;
    if (segment && herald_segment_is_current(segment)) {
        herald_host.looks++;
        return HeraldOK;
    }
    if (segment) segment->header->retired = 1;
    struct herald_segment *other;
    HeraldStatus status = herald_segment_open(&other);
    if (status == HeraldOK) move_to(other);
    return status;
}

struct herald_segment *herald_host_look(bool insist) {
    struct herald_segment *segment = herald_host.segment;
    time_t now = time(NULL);
    if (!insist && herald_host.looked == now) {
        if (segment && !segment->header->retired) return segment;
        if (herald_host.broken) {
            herald_fail_with(HeraldTransportFailed, "%s", herald_host.problem);
            return NULL;
        }
    }
    herald_host.looked = now;
    herald_host.broken = find_segment() != HeraldOK;
    if (herald_host.broken) {
        note_problem();
        return NULL;
    }
    if (herald_host.incomplete) {
        herald_host.incomplete = false;
        settle_names(herald_host.segment);
    }
    return herald_host.segment;
}

HeraldStatus herald_host_register(HeraldNameRef ref, bool watch, struct herald_host_name **name) {
    HeraldStatus status = herald_host_name_obtain(ref, name);
    if (status != HeraldOK) return status;
    struct herald_segment *segment = herald_host_look(true);
    if (!segment) return HeraldTransportFailed;
    status = settle(*name, segment);
    return status == HeraldOK && watch ? herald_watcher_watch(*name, segment) : status;
}

struct herald_segment *herald_host_lock_and_look(void) {
    herald_host_lock();
    struct herald_segment *segment = herald_host_look(false);
    herald_host_unlock();
    return segment;
}

const char *herald_host_tick(void) {
    static bool said;
    herald_host_look(false);
    herald_watcher_sit(herald_host.segment);
    bool wrong = herald_host.broken || herald_host.incomplete, news = wrong && !said;
    said = wrong;
    return news ? herald_host.problem : NULL;
}

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

static void before_fork(void) { herald_host_lock(); }

static void in_parent(void) { herald_host_unlock(); }

static void in_child(void) {
    struct herald_segment *segment = herald_host.segment;
    herald_watcher_after_fork();
    herald_tokens_after_fork();
    if (segment) herald_file_close(&segment->file); /* the parent's channel is locked by it */
    herald_host_unlock();
}

__attribute__((constructor)) static void prepare(void) { pthread_atfork(before_fork, in_parent, in_child); }
