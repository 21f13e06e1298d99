/* Keeping to the user's file.
 *
 * A file that was removed or replaced still connects the processes that have it mapped, but new processes meet in
 * another file. So every process checks its file at most once a second, when it posts or its watcher wakes. If the
 * segment's file is gone, the process marks the segment as superseded, for good, and wakes all watchers in it.
 *
 * A poster checks this mark after it has counted its post. If the mark is set, the poster posts again in the new
 * segment. When a process moves, it reports at least one post of each name that it watches or checks, because it may
 * have missed posts in the new segment. It also posts again each name that it has posted since the file was last
 * confirmed (session.h).
 *
 * If the file was replaced, the process that replaced it has copied the names' states (replace.c). If the file was
 * removed, the first process to move copies the states (carry_states).
 *
 * Ordering: Sequentially consistent, like everything that processes share: see host_platform.h.
 * Progress: A poster reads the segment without the session's lock. Once a second it tries to take the lock, to check
 * the file. It waits for the lock only while there is no segment.
 * Ownership: All changes are made under the session's lock.
 */
#include "move.h"
#include "carry.h"
#include "channel.h"
#include "clock.h"
#include "entry.h"
#include "host_complaint.h"
#include "outbox.h"
#include "replace.h"
#include "userfile.h"
#include "watched.h"

enum {
    MOVES = 10,   /* the most moves in one look */
    CROWDED = 10, /* seconds. A file that is full of names in use is not replaced again before this time is over,
                    because a new file would be full, too */
    /* While another process is replacing the file, one call waits at most this many times. In this time it tries at
     * least twice to replace the file itself (replace.h). An attempt fails if yet another process has removed this
     * process's temporary name (replace.c), or if a program has cut the new file short. */
    TURNS = 500,
    TURN = 1000000 /* nanoseconds of each wait: one millisecond */
};

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* Enters a name, and starts to use its entry if this process has not done so yet. HeraldOK without an entry: there is
 * no room. */
static HeraldStatus enter(struct herald_host_name *name, struct herald_host_segment *segment) {
    HeraldStatus status = herald_host_name_enter(name, segment);
    if (status != HeraldOK || !name->entry || name->known) return status;
    /* The count is raised even if another process has entered the name: that process may not have reached this line. */
    if (HERALD_HOST_STEP(CHANGES)) segment->header->changes++;
    name->base = herald_host_entry_count(name->entry);
    if (name->moved) status = herald_host_watched_follow(name);
    name->known = status == HeraldOK;
    return status;
}

static HeraldStatus say_crowded(const struct herald_host_segment *segment) {
    return herald_host_complain(HeraldTransportFailed, "%s is full of names that processes use", segment->path);
}

static void enter_names(struct herald_host_segment *segment) {
    struct herald_host_name *name;
    for (uint32_t at = 0; (name = ground_table_next(&herald_host_names, &at));) {
        if (!name->center && !name->tokens) continue;
        HeraldStatus status = enter(name, segment);
        if (status == HeraldOK && !name->entry) {
            segment->header->crowded = herald_host_clock_seconds();
            status = say_crowded(segment);
        }
        if (status != HeraldOK) herald_host_session_is_incomplete();
    }
}

/* Makes unconfirmed posts again: they may have gone to a file that no other process has any more. */
static void post_again(struct herald_host_segment *segment) {
    struct herald_host_name *name;
    for (uint32_t at = 0; (name = ground_table_next(&herald_host_names, &at));) {
        if (!herald_host_session_is_unconfirmed(name->posted) || name->is_private) continue;
        struct herald_host_entry *entry = herald_host_name_look_up(name, segment);
        if (entry) herald_host_entry_post(entry, segment);
        if (segment->header->any) herald_host_outbox_post_plain(name->text, entry, segment);
    }
    if (!herald_host_session_is_unconfirmed(herald_host_session.posted_texts)) return;
    uint32_t end = herald_host_region_first(herald_host_segment_regions(segment));
    for (uint32_t place = 0; place < end; place++) {
        struct herald_host_entry *entry = herald_host_entry_at(segment->header, place);
        if (entry->name) herald_host_entry_post(entry, segment);
    }
}

/* ---- Moving ------------------------------------------------------------------------------------------------------ */

/* What this segment has is not yet all in the session's segment. NULL: there is none. It is the segment before the
 * session's, so it is mapped until the next move (segment.h), which gives it up. Under the session's lock. */
static struct herald_host_segment *uncarried;
/* To carry the rest takes long while there is no room: after each attempt it rests, each time twice as long. */
static uint32_t tries_at, rest;
enum { REST_MOST = 60 /* seconds */ };

/* Only the first process to move copies the states: after that, the states in the new file may be newer. False, with a
 * complaint: it could not, or not all of it. It tries again at later looks, and so does the next process. */
static bool carry_states(struct herald_host_segment *old, struct herald_host_segment *segment) {
    uint32_t superseded = HERALD_HOST_SUPERSEDED;
    uint64_t carried = herald_host_carried_from(old->header, old->inode);
    if (old->header->superseded >= HERALD_HOST_CARRIED) return true;
    if (segment->header->carried != carried) {
        HeraldStatus kept = herald_host_carry_again(old, segment);
        if (herald_host_entries_carry_states(old, segment) != HeraldOK || kept != HeraldOK) return false;
        /* Another process may have copied the new file's states onward before these were there. */
        if (segment->header->superseded) return false;
        /* Set last: if this process is killed before that, the next process copies all. */
        segment->header->carried = carried;
    }
    atomic_compare_exchange_strong(&old->header->superseded, &superseded, HERALD_HOST_CARRIED);
    return true;
}

static void note_uncarried(struct herald_host_segment *old) {
    rest = uncarried != old ? 1 : rest < REST_MOST / 2 ? 2 * rest : REST_MOST;
    uncarried = old;
    tries_at = herald_host_clock_seconds() + rest;
    if (old) herald_host_session_is_incomplete();
}

/* Tries again. */
static void carry_rest(struct herald_host_segment *segment) {
    struct herald_host_segment *old = uncarried;
    if (!old) return;
    if (herald_host_clock_seconds() < tries_at) {
        herald_host_session.incomplete = true; /* with the same problem */
        return;
    }
    bool carried = carry_states(old, segment);
    if (carried && old->header->superseded) herald_host_header_leave(old->header);
    note_uncarried(carried ? NULL : old);
}

/* Returns whether what the old segment has is in the new one. */
static bool move_to(struct herald_host_segment *segment) {
    struct herald_host_segment *old = herald_host_session.segment;
    herald_host_watched_leave();
    struct herald_host_name *name;
    for (uint32_t at = 0; (name = ground_table_next(&herald_host_names, &at));) herald_host_name_leave(name);
    herald_host_session.segment = segment; /* after the names have left their entries: see herald_host_move_segment */
    herald_host_outbox_leave();
    herald_host_session.incomplete = false;
    if (!old) return true;
    bool carried = carry_states(old, segment);
    note_uncarried(carried ? NULL : old);
    herald_host_watched_keep_channel(segment);
    enter_names(segment);
    if (HERALD_HOST_STEP(REPOST)) post_again(segment);
    return carried;
}

/* Moves until the segment is the user's file, because yet another file may come during a move. */
static HeraldStatus find_segment(void) {
    for (int i = 0; i < MOVES; i++) {
        struct herald_host_segment *segment = herald_host_session.segment, *other;
        enum herald_host_whereabouts where = segment ? herald_host_user_file_find(segment) : HERALD_HOST_ELSEWHERE;
        if (where == HERALD_HOST_THERE && !segment->header->deserted) break;
        if (where == HERALD_HOST_REPLACED_BY_NOW) herald_host_header_supersede(segment->header);
        HeraldStatus status = herald_host_user_file_open(segment, &other);
        if (where == HERALD_HOST_THERE && (status != HeraldOK || other == segment)) break;
        if (status != HeraldOK) return status;
        if (other == segment) return HeraldOK; /* the process stays here for now, and this look confirms nothing */
        bool carried = move_to(other);
        if (where != HERALD_HOST_REPLACED_BY_NOW) continue;
        carried ? herald_host_header_leave(segment->header) : herald_host_header_wake_all(segment->header);
    }
    herald_host_session.looks++;
    return HeraldOK;
}

struct herald_host_segment *herald_host_move_look(bool insist) {
    struct herald_host_segment *segment = herald_host_session.segment;
    time_t now = time(NULL);
    if (!insist && herald_host_session.looked == now) {
        if (segment && !segment->header->superseded) return segment;
        if (herald_host_session.broken) {
            herald_host_session_recall_problem();
            return NULL;
        }
    }
    herald_host_session.looked = now;
    bool is_users = herald_host_place_is_users();
    if (!is_users || find_segment() != HeraldOK) {
        /* A process that now runs as another user neither looks nor moves. It keeps its segment until another file is
         * to replace it. */
        bool stays = !is_users && segment && !segment->header->superseded;
        herald_host_session.broken = !stays;
        herald_host_session_note_problem();
        return stays && !insist ? segment : NULL;
    }
    herald_host_session.broken = false;
    herald_host_session.waits = herald_host_session.segment->header->superseded;
    if (herald_host_session.incomplete) {
        herald_host_session.incomplete = false;
        carry_rest(herald_host_session.segment);
        enter_names(herald_host_session.segment);
    }
    return herald_host_session.segment;
}

static void look_again(void) { herald_host_move_look(false); }

struct herald_host_segment *herald_host_move_try_to_look(void) {
    struct herald_host_segment *segment = herald_host_session.segment;
    if (!segment) {
        herald_host_session_lock();
    } else if (!herald_host_session_try_lock(look_again)) {
        return segment;
    }
    segment = herald_host_move_look(false);
    herald_host_session_unlock();
    return segment;
}

bool herald_host_move_has_overtaken(HeraldStatus status, int tried) {
    const struct herald_host_segment *segment = herald_host_session.segment;
    return status == HeraldTransportFailed && tried < MOVES && !herald_host_session.broken && segment &&
           herald_host_place_is_users() && herald_host_user_file_find(segment) != HERALD_HOST_THERE;
}

struct herald_host_segment *herald_host_move_open(int *file) {
    struct herald_host_segment *segment;
    int tried = 0;
    herald_host_session_lock();
    do {
        segment = herald_host_move_look(true);
        *file = segment ? herald_host_segment_reopen(segment) : -1;
    } while (*file < 0 && herald_host_move_has_overtaken(HeraldTransportFailed, ++tried));
    herald_host_session_unlock();
    return *file >= 0 ? segment : NULL;
}

/* ---- A full file ------------------------------------------------------------------------------------------------- */

HeraldStatus herald_host_move_renew(ino_t number) {
    struct herald_host_place place;
    char path[HERALD_HOST_PATH_LIMIT];
    HeraldStatus status = herald_host_place_find(&place);
    if (status != HeraldOK) return status;
    herald_host_place_find_file(&place, path);
    enum herald_host_replaced replaced = herald_host_replace(&place, path, number, false);
    for (int i = 0; replaced == HERALD_HOST_BUSY && i < TURNS; i++) {
        herald_host_session_wait(TURN);
        replaced = herald_host_replace(&place, path, number, false);
    }
    return replaced == HERALD_HOST_REPLACED && herald_host_move_look(true) ? HeraldOK : HeraldTransportFailed;
}

HeraldStatus herald_host_move_enter(HeraldNameRef ref, struct herald_host_name **name) {
    HeraldStatus status = herald_host_name_obtain(ref, name);
    for (bool renewed = false; status == HeraldOK; renewed = true) {
        struct herald_host_segment *segment = herald_host_move_look(true);
        if (!segment) return HeraldTransportFailed;
        status = enter(*name, segment);
        if (status != HeraldOK || (*name)->entry) return status;
        uint64_t crowded = segment->header->crowded;
        if (renewed) segment->header->crowded = herald_host_clock_seconds();
        if (renewed || (crowded && herald_host_clock_seconds() - crowded < CROWDED)) return say_crowded(segment);
        status = herald_host_move_renew(segment->inode);
    }
    return status;
}

const char *herald_host_move_tick(void) {
    static bool printed;
    herald_host_move_look(false);
    herald_host_watched_keep_channel(herald_host_session.segment);
    bool wrong = herald_host_session.broken || herald_host_session.incomplete, news = wrong && !printed;
    printed = wrong;
    return news ? herald_host_session.problem : NULL;
}
