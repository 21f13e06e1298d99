/* The host center: a center of the core, with the transport that carries its posts between the user's processes.
 *
 * Ordering: A post is counted in the entry. Then its thread checks whether the segment is superseded (move.c).
 * Progress: A plain post takes no lock, except for a name's first post and for a look at the user's file once a second.
 * A post that goes to the log takes the outbox's mutex (outbox.c).
 * Ownership: The center lives for ever.
 */
#include "host_center.h"
#include "clock.h"
#include "current.h"
#include "host_complaint.h"
#include "host_kept.h"
#include "inbox.h"
#include "outbox.h"
#include "watched.h"
#include "watcher.h"
#include <stdlib.h>
#include <string.h>

/* ---- Observers --------------------------------------------------------------------------------------------------- */

static HeraldStatus observe(HeraldCenterRef center, HeraldNameRef ref, uint64_t version) {
    struct herald_host_name *name;
    HeraldStatus status = herald_host_watcher_watch(ref, &name);
    if (status != HeraldOK) return status;
    if (version > name->version) { /* else the lock was free for a while, and a newer change was noted */
        name->center = center;
        name->version = version;
    }
    herald_host_watched_remove_if_unused(name);
    return HeraldOK;
}

static void leave(HeraldNameRef ref, uint64_t version) {
    struct herald_host_name *name = herald_host_name_find(ref);
    if (!name) return;
    name->center = NULL;
    name->version = version;
    herald_host_watched_remove_if_unused(name);
}

static uint64_t any_version; /* of the newest change of the observers of all names; under the session's lock */

/* Whether a newer change of the name has been noted. Under the session's lock. */
static bool is_late(HeraldNameRef ref, uint64_t version) {
    const struct herald_host_name *name = ref ? herald_host_name_find(ref) : NULL;
    return version < (ref ? name ? name->version : 0 : any_version);
}

static HeraldStatus observed(void *context, HeraldCenterRef center, HeraldNameRef ref, bool is_observed,
                             uint64_t version) {
    (void)context;
    HeraldStatus status = HeraldOK;
    herald_host_watcher_serve(center);
    herald_host_session_lock();
    if (is_late(ref, version)) {
        /* a newer change has been noted, so this call does nothing */
    } else if (ref && is_observed) {
        status = observe(center, ref, version);
    } else if (ref) {
        leave(ref, version);
    } else if (is_observed) {
        status = herald_host_watcher_watch(NULL, NULL);
        if (status == HeraldOK) any_version = version;
    } else {
        any_version = version;
        herald_host_watcher_leave_any();
    }
    herald_host_session_unlock();
    return status;
}

/* ---- Posting ----------------------------------------------------------------------------------------------------- */

/* PLAIN: a post without a message. It is remembered, because it may have to be made again in another file (move.c). */
enum form { PLAIN, MESSAGE };

/* Finds an entry by its text, for a thread that does not get the session's lock. Without the lock this process cannot
 * make its record of the name (host_name.h). */
static struct herald_host_entry *find_by_text(const char *text, struct herald_host_segment *segment, enum form form) {
    uint32_t length = herald_host_name_length(text);
    if (form == PLAIN) herald_host_session.posted_texts = herald_host_session.looks;
    return length && !herald_host_name_is_private(text) ? herald_host_entry_find(segment, text, length) : NULL;
}

/* Finds the name's entry, on the slow path. */
static HERALD_SLOW struct herald_host_entry *look_up(HeraldNameRef ref, struct herald_host_segment *segment,
                                                     enum form form) {
    struct herald_host_name *name;
    struct herald_host_entry *entry = NULL;
    if (!herald_host_session_try_lock(NULL)) return find_by_text(HeraldNameGetUTF8String(ref), segment, form);
    segment = herald_host_move_look(false);
    if (segment && herald_host_name_obtain(ref, &name) == HeraldOK) {
        if (form == PLAIN) name->posted = herald_host_session.looks;
        entry = herald_host_name_look_up(name, segment);
    }
    herald_host_session_unlock();
    return entry;
}

static inline __attribute__((always_inline)) struct herald_host_entry *
entry_of(HeraldNameRef ref, struct herald_host_segment *segment, enum form form) {
    struct herald_host_name *name = herald_host_name_find(ref);
    if (herald_unlikely(!name)) return look_up(ref, segment, form);
    uint32_t looks = herald_host_session.looks;
    if (form == PLAIN && herald_unlikely(name->posted != looks)) name->posted = looks;
    struct herald_host_entry *entry = name->entry;
    if (herald_likely(entry != NULL)) return entry;
    if (herald_likely(name->absent_at == segment->header->changes)) return NULL;
    return look_up(ref, segment, form);
}

/* Whether a post is done. This is checked after the post was counted. If the segment is not superseded by then, a
 * process that leaves it later finds the post in the count. Otherwise the post is made again in another segment. It is
 * also made again if this process has moved in the meantime, because the segment's memory may belong to a newer segment
 * by now. */
static bool is_done(const struct herald_host_segment *segment) {
    return herald_likely(!HERALD_HOST_STEP(SUPERSEDED) ||
                         (!segment->header->superseded && herald_host_session.segment == segment));
}

enum {
    FILES = 10, /* files that one post tries, because each may be superseded during the post */
    LOOKS = 500 /* looks for another file, a millisecond apart, before a message is given up */
};

/* Looks for another file. False, after a millisecond: there is none yet. */
static HERALD_SLOW bool look_for_another(const struct herald_host_segment *segment) {
    herald_host_session_lock();
    bool found = herald_host_move_look(true) != segment;
    herald_host_session_unlock();
    if (!found) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return found;
}

/* Enters the name in the user's file, and starts to use its entry. */
static HERALD_SLOW HeraldStatus enter(HeraldNameRef ref) {
    struct herald_host_name *name;
    herald_host_session_lock();
    HeraldStatus status = herald_host_move_enter(ref, &name);
    herald_host_session_unlock();
    return status;
}

/* Posts a name, or a text of which this process has no name (then `text` is not NULL). A name lasts for ever. So a text
 * becomes a name only if some process has observed it; there are few such texts. */
static inline __attribute__((always_inline)) HeraldStatus post_name(HeraldNameRef name, const char *text) {
    const struct herald_host_segment *before = NULL;
    for (int file = 0; file < FILES; file++) {
        struct herald_host_segment *segment = herald_host_move_segment();
        if (herald_unlikely(!segment)) return HeraldTransportFailed;
        if (herald_unlikely(segment == before)) break;
        if (text && herald_host_entry_find(segment, text, (uint32_t)strlen(text))) {
            HeraldStatus status = herald_host_name_create(text, &name);
            if (status != HeraldOK) return status;
            text = NULL;
        }
        struct herald_host_entry *entry = text ? NULL : entry_of(name, segment, PLAIN);
        if (text) herald_host_session.posted_texts = herald_host_session.looks;
        if (entry && herald_host_session.segment == segment)
            herald_host_entry_post(entry, segment); /* otherwise the entry may belong to another segment */
        if (herald_unlikely(segment->header->any) &&
            !herald_host_outbox_post_plain(text ? text : HeraldNameGetUTF8String(name), entry, segment)) {
            look_for_another(segment);
            continue;
        }
        if (is_done(segment)) break;
        before = segment;
    }
    return HeraldOK;
}

/* Sets the name's state, and posts the name. In another file than the last one the state is set again. */
static HeraldStatus post_state(HeraldNameRef name, uint64_t state) {
    const struct herald_host_segment *before = NULL;
    for (int file = 0; file < FILES; file++) {
        struct herald_host_segment *segment = herald_host_move_segment();
        if (!segment) return HeraldTransportFailed;
        if (segment == before) break;
        struct herald_host_entry *entry = entry_of(name, segment, PLAIN);
        if (!entry) {
            HeraldStatus status = enter(name);
            if (status != HeraldOK) return status;
            continue;
        }
        if (herald_host_session.segment != segment) continue;
        herald_host_entry_set_state(entry, state); /* before the post: whoever hears the post finds the state */
        herald_host_entry_post(entry, segment);
        if (segment->header->any && !herald_host_outbox_post_plain(HeraldNameGetUTF8String(name), entry, segment)) {
            look_for_another(segment);
            continue;
        }
        if (is_done(segment)) break;
        before = segment;
    }
    return HeraldOK;
}

static size_t post(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                   const void *tag, unsigned options) {
    (void)context, (void)center, (void)object, (void)userInfo, (void)tag, (void)options;
    post_name(name, NULL);
    return 0;
}

/* The post hooks for a program that a thread sanitizer watches. The hooks of other programs need not look for one. */
static size_t post_watched(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object,
                           const void *userInfo, const void *tag, unsigned options) {
    herald_host_session_note_post();
    return post(context, center, name, object, userInfo, tag, options);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* Whether this segment cannot show who hears a message, because it is superseded or has lost its contents. */
static bool is_doubtful(const struct herald_host_segment *segment) {
    return !is_done(segment) || herald_host_header_is_wiped(segment->header);
}

/* True: the post is done, or has failed for good. False: it is to be tried again in another file. */
static bool post_outgoing(struct herald_host_outgoing *outgoing, struct herald_host_segment *segment,
                          HeraldStatus *status) {
    bool written, keeps = outgoing->fields.options & HERALD_HOST_IS_KEPT;
    bool heard = keeps || herald_host_outbox_is_heard(segment->header, outgoing->entry);
    *status = heard ? herald_host_outbox_post(outgoing, segment, &written) : HeraldOK;
    if (*status != HeraldOK) return *status != HeraldTransportFailed;
    if (heard ? !written : is_doubtful(segment)) return false;
    bool is_silent = outgoing->fields.options & HERALD_HOST_IS_SILENT;
    if (outgoing->entry && !is_silent) outgoing->entry->flags += HERALD_HOST_MESSAGE;
    return true;
}

enum {
    CROWDED = 10 /* seconds. A file with no room for what is kept is not replaced again before this time is over */
};

/* Replaces a file that has no room for what is kept, if the new file will have room. `*renewed`: this post has replaced
 * a file. It does so once. True: the post is to be tried again. */
static HERALD_SLOW bool make_room(const struct herald_host_segment *segment, bool *renewed) {
    herald_host_session_lock();
    bool again = herald_host_session.segment != segment;
    struct herald_host_keeping *keeping = herald_host_keeping_of(segment->header);
    if (!again && segment->header->keeps) {
        uint32_t now = herald_host_clock_seconds();
        bool may = !*renewed && (!keeping->crowded || now - keeping->crowded >= CROWDED);
        if (may || *renewed) keeping->crowded = now; /* otherwise frequent attempts would put it off for ever */
        again = *renewed =
            may && herald_host_cells_leave_room(segment->header) && herald_host_move_renew(segment->inode) == HeraldOK;
    }
    herald_host_session_unlock();
    return again;
}

/* Finds the entry. A name that is kept is entered, so that its messages are counted and the name is listed. */
static HeraldStatus find_entry(HeraldNameRef name, struct herald_host_segment *segment,
                               struct herald_host_outgoing *outgoing) {
    bool keeps = outgoing->fields.options & HERALD_HOST_IS_KEPT;
    outgoing->entry = entry_of(name, segment, MESSAGE);
    if (herald_likely(outgoing->entry || !keeps || !outgoing->message)) return HeraldOK;
    HeraldStatus status = enter(name);
    if (status == HeraldOK) outgoing->entry = entry_of(name, segment, MESSAGE);
    return status;
}

/* Makes a post that goes to the log, if anybody hears it or if it is kept. */
static HeraldStatus post_to_log(HeraldNameRef name, struct herald_host_outgoing *outgoing) {
    HeraldStatus status = HeraldOK;
    bool renewed = false;
    for (int i = 0; i < LOOKS; i++) {
        struct herald_host_segment *segment = herald_host_move_segment();
        if (!segment) return HeraldTransportFailed;
        outgoing->is_crowded = false;
        status = find_entry(name, segment, outgoing);
        if (status != HeraldOK) return status;
        if (herald_host_session.segment != segment) continue; /* the entry may belong to another segment */
        if (post_outgoing(outgoing, segment, &status)) {
            if (status != HeraldQueueFull || !outgoing->is_crowded || !make_room(segment, &renewed)) return status;
        } else if (!look_for_another(segment) && status != HeraldOK) {
            return status;
        }
    }
    return herald_host_complain(HeraldTransportFailed, "the file is being replaced by another process: try again");
}

static HeraldStatus post_message(void *context, HeraldCenterRef center, HeraldNameRef name,
                                 const HeraldMessage *message) {
    (void)context, (void)center;
    const struct herald_host_name *known = herald_host_name_find(name);
    const char *text = known ? known->text : HeraldNameGetUTF8String(name);
    struct herald_host_outgoing outgoing = {
        .name = text,
        .message = message,
        .fields = {.name = 1 + (known ? known->length : herald_host_name_length(text)),
                   .hash = known ? known->hash : 0}};
    if (outgoing.fields.name == 1) return HeraldInvalidArgument;
    if (herald_unlikely(message->options & HeraldPostKeep) && herald_host_name_is_private(text))
        return herald_host_complain(HeraldInvalidArgument, "a name that begins with self. stays in its process, "
                                                           "where the local center keeps messages");
    HeraldStatus status = herald_host_outbox_measure(&outgoing);
    return status == HeraldOK ? post_to_log(name, &outgoing) : status;
}

static HeraldStatus post_message_watched(void *context, HeraldCenterRef center, HeraldNameRef name,
                                         const HeraldMessage *message) {
    herald_host_session_note_post();
    return post_message(context, center, name, message);
}

/* Forgets by a record that nobody hears, so the order with posts is that of the log. */
static bool forget(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object) {
    (void)context, (void)center;
    const char *text = HeraldNameGetUTF8String(name);
    uint32_t length = herald_host_name_length(text);
    size_t object_length = object ? strlen(object) : 0;
    if (!length || object_length > HERALD_HOST_TEXTS_LIMIT) return false;
    struct herald_host_outgoing outgoing = {.name = text,
                                            .object = object,
                                            .fields = {.name = length + 1,
                                                       .object = object ? (uint32_t)object_length + 1 : 0,
                                                       .options = HERALD_HOST_IS_KEPT | HERALD_HOST_IS_SILENT}};
    herald_host_session_lock();
    struct herald_host_segment *segment = herald_host_move_look(false);
    struct herald_host_received *block = NULL;
    uint32_t cell = segment ? herald_host_current_cell(segment->header, text, object) : HERALD_HOST_CELLS;
    bool is_there = segment && herald_host_current_read_one(segment->header, cell, text, object, &block);
    herald_host_session_unlock();
    free(block);
    return is_there && post_to_log(name, &outgoing) == HeraldOK;
}

/* Also true if the post would fail. Then the post is made, and reports why it fails. */
static bool can_be_heard(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context, (void)center;
    if (herald_unlikely(!herald_host_name_find(name))) {
        const char *text = HeraldNameGetUTF8String(name);
        if (!herald_host_name_length(text)) return text != NULL;
    }
    struct herald_host_segment *segment = herald_host_move_segment();
    /* A superseded file does not show who listens: the answer is yes. */
    return !segment || herald_host_outbox_is_heard(segment->header, entry_of(name, segment, MESSAGE)) ||
           is_doubtful(segment);
}

HeraldStatus HeraldHostPost(const char *text) {
    if (!herald_host_name_length(text)) return HeraldInvalidArgument;
    herald_host_session_note_post();
    HeraldNameRef name = HeraldNameFind(text);
    bool is_known = name && herald_host_name_find(name);
    return post_name(name, is_known ? NULL : text);
}

HeraldStatus HeraldHostPostState(const char *text, uint64_t state) {
    HeraldNameRef name;
    HeraldStatus status = herald_host_name_create(text, &name);
    herald_host_session_note_post();
    return status == HeraldOK ? post_state(name, state) : status;
}

uint64_t HeraldHostGetMissedMessageCount(void) {
    herald_host_session_lock();
    uint64_t missed = herald_host_inbox_missed();
    herald_host_session_unlock();
    return missed;
}

/* ---- The center -------------------------------------------------------------------------------------------------- */

static HeraldCenterRef _Atomic host_center;

/* Takes no lock, so that a fork finds none taken. If two threads make a center at once, one center is not used. */
static HERALD_SLOW HeraldCenterRef make_center(void) {
    HeraldTransport transport = {.size = sizeof transport,
                                 .observed = observed,
                                 .post = ground_is_watched() ? post_watched : post,
                                 .livesForever = true,
                                 .postMessage = ground_is_watched() ? post_message_watched : post_message,
                                 .isHeard = can_be_heard,
                                 .begin = herald_host_kept_begin,
                                 .takeKept = herald_host_kept_take,
                                 .forget = forget,
                                 .visitKept = herald_host_kept_visit};
    HeraldCenterRef center, none = NULL;
    if (HeraldCenterCreateWithTransport(NULL, &transport, &center) != HeraldOK) return host_center;
    return atomic_compare_exchange_strong(&host_center, &none, center) ? center : none;
}

HeraldCenterRef herald_host_center_if_any(void) { return host_center; }

HeraldCenterRef HeraldCenterGetHostCenter(void) {
    HeraldCenterRef center = host_center;
    return herald_likely(center != NULL) ? center : make_center();
}
