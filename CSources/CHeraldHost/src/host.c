/* Keeping to the user's file.
 *
 * A file that has been removed still joins those who have it mapped, but newcomers meet in another one. So everybody
 * looks once a second. Who finds his segment gone marks it retired, for the others in it; a poster looks for that mark
 * after it has counted its post, and posts again in the new segment. All names this process watches or has posted count
 * as posted then.
 */
#include "host.h"
#include "complaint.h"
#include "token.h"
#include "watcher.h"
#include <stdio.h>
#include <string.h>

struct herald_host herald_host = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void note_problem(void) {
    snprintf(herald_host.problem, sizeof herald_host.problem, "%s", HeraldHostGetErrorDescription());
}

/* Enters again what this process watches and asks for. */
static void enter_names(struct herald_segment *segment, struct herald_segment *old) {
    herald_host.incomplete = false;
    for (struct herald_host_name *name = herald_host_names; name; name = name->next) {
        if (name->is_private || name->entry || (!name->observed && !name->tokens)) continue;
        const struct herald_entry *before = old ? herald_entry_find(old, name->text, name->length) : NULL;
        if (herald_host_name_enter(name, segment) != HeraldOK) {
            herald_host.incomplete = true;
            note_problem();
            continue;
        }
        uint64_t none = 0, state = before ? before->state : 0;
        atomic_compare_exchange_strong(&name->entry->state, &none, state);
        herald_tokens_moved(name);
        herald_watcher_moved(name);
    }
}

static void post_again(struct herald_segment *segment) {
    for (struct herald_host_name *name = herald_host_names; name; name = name->next) {
        if (!name->posted || name->is_private) continue;
        struct herald_entry *entry = herald_host_name_look_up(name, segment);
        if (entry) herald_entry_post(entry, segment);
    }
}

static void move_to(struct herald_segment *segment) {
    struct herald_segment *old = herald_host.segment;
    if (old) herald_watcher_leave();
    for (struct herald_host_name *name = herald_host_names; name; name = name->next) {
        if (!name->is_private) name->entry = NULL;
        name->absent_at = UINT64_MAX;
    }
    herald_host.segment = segment; /* after the entries: see herald_host_segment */
    if (!old) return;
    herald_segment_close_file(old);
    herald_watcher_settle(segment);
    enter_names(segment, old);
    post_again(segment);
}

static HeraldStatus find_segment(void) {
    struct herald_segment *segment = herald_host.segment;
    if (segment && herald_segment_is_current(segment)) {
        if (segment->header->retired) segment->header->retired = 0; /* somebody was wrong */
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
    if (herald_host.incomplete) enter_names(herald_host.segment, NULL);
    return herald_host.segment;
}

struct herald_segment *herald_host_lock_and_look(void) {
    herald_host_lock();
    struct herald_segment *segment = herald_host_look(false);
    herald_host_unlock();
    return segment;
}

void herald_host_tick(void) {
    static bool said; /* once for each time it breaks: nobody has called who could be told */
    herald_host_look(false);
    bool wrong = herald_host.broken || herald_host.incomplete;
    if (wrong && !said) {
        herald_fail_with(HeraldTransportFailed, "observers of the host center hear nothing: %s", herald_host.problem);
        herald_say();
    }
    said = wrong;
}

/* ---- Fork ------------------------------------------------------------------------------------------------------- */

static void before_fork(void) { herald_host_lock(); }

static void in_parent(void) { herald_host_unlock(); }

static void in_child(void) {
    struct herald_segment *segment = herald_host.segment;
    herald_watcher_after_fork();
    herald_tokens_after_fork();
    if (segment) herald_segment_close_file(segment); /* the parent's channel is locked by it */
    herald_host_unlock();
}

__attribute__((constructor)) static void prepare(void) { pthread_atfork(before_fork, in_parent, in_child); }
