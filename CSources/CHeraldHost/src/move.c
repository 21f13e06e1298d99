/* Keeping to the user's file.
 *
 * A file that has been removed still joins those who have it mapped, but newcomers meet in another one. So every
 * process looks once a second. One that finds its segment gone marks it retired, for the others in it; a poster looks
 * for that mark after it has counted its post, and posts again in the new segment. All names that this process watches,
 * or has posted since it looked last, count as posted then.
 *
 * Ordering. Sequentially consistent, as everything that processes share: see platform.h. Progress. A poster looks
 * without the lock, but for once a second. Ownership. The session's lock.
 */
#include "move.h"
#include "complaint.h"
#include "watched.h"

/* The state goes along, unless another process has set it there. */
static void carry_state(const struct herald_entry *old, struct herald_entry *entry) {
    if (!herald_does(CARRY) || !old->has_state || entry->has_state) return;
    uint64_t none = 0;
    atomic_compare_exchange_strong(&entry->state, &none, old->state);
    entry->has_state = 1; /* last: a process that is killed before leaves it to the next */
}

/* Enters a name, and takes its entry up if this process has not known it. */
static HeraldStatus enter(struct herald_host_name *name, struct herald_segment *segment) {
    HeraldStatus status = herald_host_name_enter(name, segment);
    if (status != HeraldOK || name->known == name->entry) return status;
    /* Also for a name that was there: the process that entered it may not have come this far. */
    if (herald_does(CHANGES)) segment->header->changes++;
    struct herald_entry *entry = name->entry;
    name->base = entry->posts;
    if (name->known) { /* elsewhere, until the file was removed */
        carry_state(name->known, entry);
        herald_watched_follow(name);
    }
    name->known = entry;
    return HeraldOK;
}

static void enter_names(struct herald_segment *segment) {
    for (struct herald_host_name *name = herald_host_names; name; name = name->next)
        if (name->center || name->tokens)
            if (enter(name, segment) != HeraldOK) herald_session_is_incomplete();
}

/* What this process has posted may have gone to a file that no other process has any more. */
static void post_again(struct herald_segment *segment) {
    for (struct herald_host_name *name = herald_host_names; name; name = name->next) {
        if (!herald_session_is_unconfirmed(name->posted) || name->is_private) continue;
        struct herald_entry *entry = herald_host_name_look_up(name, segment);
        if (entry) herald_entry_post(entry, segment);
    }
    if (!herald_session_is_unconfirmed(herald_session.posted_texts)) return;
    for (uint32_t region = 0; region < herald_segment_regions(segment); region++)
        for (uint32_t i = 0; i < herald_region_names(region); i++) {
            struct herald_entry *entry = herald_region_entries(segment->header, region) + i;
            if (entry->name) herald_entry_post(entry, segment);
        }
}

static void move_to(struct herald_segment *segment) {
    struct herald_segment *old = herald_session.segment;
    herald_watched_leave();
    for (struct herald_host_name *name = herald_host_names; name; name = name->next) {
        if (!name->is_private) name->entry = NULL;
        name->absent_at = UINT64_MAX;
    }
    herald_session.segment = segment; /* after the entries: see herald_move_segment */
    if (!old) return;
    herald_file_close(&old->file);
    herald_watched_keep_seat(segment);
    enter_names(segment);
    if (herald_does(REPOST)) post_again(segment);
}

static HeraldStatus find_segment(void) {
    struct herald_segment *segment = herald_session.segment;
    /* Before the look, for afterwards it may be true again. */
    if (segment && segment->header->retired) segment->header->retired = 0;
    if (segment && herald_segment_is_current(segment)) {
        herald_session.looks++;
        return HeraldOK;
    }
    if (segment) segment->header->retired = 1;
    struct herald_segment *other;
    HeraldStatus status = herald_segment_open(&other);
    if (status == HeraldOK) move_to(other);
    return status;
}

struct herald_segment *herald_move_look(bool insist) {
    struct herald_segment *segment = herald_session.segment;
    time_t now = time(NULL);
    if (!insist && herald_session.looked == now) {
        if (segment && !segment->header->retired) return segment;
        if (herald_session.broken) {
            herald_complain(HeraldTransportFailed, "%s", herald_session.problem);
            return NULL;
        }
    }
    herald_session.looked = now;
    herald_session.broken = find_segment() != HeraldOK;
    if (herald_session.broken) {
        herald_session_note_problem();
        return NULL;
    }
    if (herald_session.incomplete) {
        herald_session.incomplete = false;
        enter_names(herald_session.segment);
    }
    return herald_session.segment;
}

HeraldStatus herald_move_enter(HeraldNameRef ref, struct herald_host_name **name) {
    HeraldStatus status = herald_host_name_obtain(ref, name);
    if (status != HeraldOK) return status;
    struct herald_segment *segment = herald_move_look(true);
    return segment ? enter(*name, segment) : HeraldTransportFailed;
}

struct herald_segment *herald_move_lock_and_look(void) {
    herald_session_lock();
    struct herald_segment *segment = herald_move_look(false);
    herald_session_unlock();
    return segment;
}

const char *herald_move_tick(void) {
    static bool printed;
    herald_move_look(false);
    herald_watched_keep_seat(herald_session.segment);
    bool wrong = herald_session.broken || herald_session.incomplete, news = wrong && !printed;
    printed = wrong;
    return news ? herald_session.problem : NULL;
}

void herald_move_after_fork(void) {
    struct herald_segment *segment = herald_session.segment;
    if (segment) herald_file_close(&segment->file);
}
