/* Posting to the log.
 *
 * Ordering: A ring's lock orders what the ring's owners do, one owner after another. A ring's memory is there before
 * the ring's `ready` is set. A record is published before the poster looks for watchers; partner: a watcher arms its
 * channel before it reads the log.
 * Progress: The mutex is held while a record is copied and published, and while a ring is taken or borrowed. A ring is
 * taken with the process's first message in a file. Borrowing lasts some milliseconds at most. Watchers are woken after
 * the mutex has been released.
 * Ownership: An outgoing post belongs to the caller. A mapping of the file keeps the ring's lock, as for channels
 * (herald_host_file_keep). A child of a fork does not have the mapping.
 */
#include "outbox.h"
#include "cell.h"
#include "channel.h"
#include "host_complaint.h"
#include "identity.h"
#include "ring.h"
#include "session.h"
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- The ring ---------------------------------------------------------------------------------------------------- */

enum { TURNS = 100, TURN = 100000 /* nanoseconds */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    struct herald_host_segment *segment; /* NULL: no ring of this process's own */
    uint32_t ring;                       /* this process's own, or the borrowed one */
    void *kept;                          /* the mapping that keeps the lock of an own ring */
} mine;

static HeraldStatus full(const struct herald_host_segment *segment) {
    return herald_host_complain(HeraldQueueFull, "%s has no room for a message now", segment->path);
}

/* Takes a ring of this process's own. After a failure it tries again only in the next second, because a look at all
 * rings takes longer than borrowing one. */
static bool take_own(struct herald_host_segment *segment, int file) {
    static time_t tried;
    time_t now = time(NULL);
    if (tried == now || herald_host_ring_own(segment, file, &mine.ring) != HERALD_HOST_RING_LOCKED ||
        !(mine.kept = herald_host_file_keep(file))) {
        tried = now;
        return false;
    }
    mine.segment = segment;
    return true;
}

/* Tries for a while, because a ring that another process has borrowed is free again soon. */
static HeraldStatus borrow(struct herald_host_segment *segment, int file) {
    enum herald_host_ring_found found = HERALD_HOST_RING_BUSY;
    for (int i = 0; found == HERALD_HOST_RING_BUSY && i < TURNS; i++) {
        if (i) nanosleep(&(struct timespec){.tv_nsec = TURN}, NULL);
        found = herald_host_ring_borrow(segment, file, &mine.ring);
    }
    return found == HERALD_HOST_RING_LOCKED ? HeraldOK : full(segment);
}

static void give_up_own(void) {
    if (mine.segment) herald_host_file_give_up(mine.kept);
    mine.segment = NULL;
}

/* Locks a ring through `*file`, which the caller discards. (Discarding gives a borrowed ring back.) */
static HERALD_SLOW HeraldStatus find_ring(struct herald_host_segment *segment, int *file) {
    give_up_own();
    if (herald_host_log_open(segment) != HeraldOK) return full(segment);
    *file = herald_host_segment_reopen(segment);
    if (*file < 0) return HeraldTransportFailed;
    return take_own(segment, *file) ? HeraldOK : borrow(segment, *file);
}

static HeraldStatus complain_of_kept(const struct herald_host_segment *segment) {
    return herald_host_complain(HeraldQueueFull, "%s has no room for what is kept", segment->path);
}

/* Prepares a post that is kept: finds its cell, claims a value, and writes the message there. */
static HERALD_SLOW HeraldStatus prepare(struct herald_host_segment *segment, struct herald_host_outgoing *outgoing) {
    const HeraldMessage *message = outgoing->message;
    uint32_t if_empty = outgoing->part.if_empty;
    outgoing->part = (struct herald_host_part){.if_empty = if_empty};
    outgoing->value = NULL;
    if (herald_host_cells_open(segment) != HeraldOK) return complain_of_kept(segment);
    const struct herald_host_fields *fields = &outgoing->fields;
    uint64_t key = outgoing->key;
    if (!key) key = herald_host_cell_key(outgoing->name, fields->name, outgoing->object, fields->object);
    outgoing->part.cell = herald_host_cell_obtain(segment, key, fields->hash);
    outgoing->is_crowded = true;
    if (outgoing->part.cell == HERALD_HOST_CELLS) return complain_of_kept(segment);
    outgoing->is_crowded = false;
    if (!message) return HeraldOK; /* what is kept is to be forgotten */
    size_t size = herald_host_content_size(fields);
    uint32_t number = herald_host_value_claim(segment, mine.ring, size);
    if (!number) {
        herald_host_rings_settle(segment);
        number = herald_host_value_claim(segment, mine.ring, size);
    }
    outgoing->is_crowded = !number;
    if (!number) return complain_of_kept(segment);
    struct herald_host_value *value = herald_host_value_claimed(segment->header, number);
    outgoing->part.value = number;
    outgoing->part.generation = herald_host_value_generation(value->owner);
    outgoing->value = value;
    herald_host_value_write(value, outgoing, outgoing->part.cell);
    return HeraldOK;
}

/* Ends what `prepare` has begun. If the post was not published, nobody refers to the value. */
static HERALD_SLOW void finish(struct herald_host_segment *segment, const struct herald_host_outgoing *outgoing,
                               enum herald_host_written written) {
    struct herald_host_ring *head = herald_host_ring_at(segment->header, mine.ring);
    if (written != HERALD_HOST_WRITTEN && outgoing->part.value)
        herald_host_value_free(segment->header, outgoing->part.value, outgoing->part.generation, true);
    head->hand = 0;
    head->old = 0;
}

/* Writes and publishes a post, under the mutex. */
static HeraldStatus write_post(struct herald_host_segment *segment, struct herald_host_outgoing *outgoing,
                               enum herald_host_written *written) {
    bool keeps = outgoing->fields.options & HERALD_HOST_IS_KEPT;
    HeraldStatus status = HeraldOK;
    bool finds = herald_unlikely(mine.segment != segment), opens = finds || keeps;
    int cancelable, file = -1;
    if (opens) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable); /* opening is a cancellation point */
    if (finds) status = find_ring(segment, &file);
    if (status == HeraldOK && segment->header->log != HERALD_HOST_LOG_CLOSED) {
        if (herald_unlikely(keeps)) status = prepare(segment, outgoing);
        if (status == HeraldOK) *written = herald_host_log_write(segment->header, mine.ring, outgoing);
        if (herald_unlikely(keeps)) finish(segment, outgoing, *written);
    }
    if (file >= 0) herald_host_file_discard(file);
    if (opens) pthread_setcancelstate(cancelable, NULL);
    return status;
}

/* The session must still have this segment. Otherwise the segment's memory may belong to another segment by now (see
 * herald_host_outbox_leave). */
static bool may_write(struct herald_host_segment *segment) {
    return herald_host_session.segment == segment && segment->header->log != HERALD_HOST_LOG_CLOSED &&
           !herald_host_header_is_wiped(segment->header);
}

static HeraldStatus write_in_turn(struct herald_host_segment *segment, struct herald_host_outgoing *outgoing,
                                  enum herald_host_written *written) {
    *written = HERALD_HOST_LOG_ENDS;
    pthread_mutex_lock(&lock);
    HeraldStatus status = may_write(segment) ? write_post(segment, outgoing, written) : HeraldOK;
    if (*written == HERALD_HOST_WRITTEN && outgoing->entry && outgoing->fields.entry == HERALD_HOST_NAMES)
        outgoing->entry->logged++; /* a private name ("self."): no other process counts its messages */
    pthread_mutex_unlock(&lock);
    if (status == HeraldOK && *written == HERALD_HOST_NOT_WRITTEN)
        return herald_host_complain(HeraldTransportFailed, "%s is damaged: herald reset replaces it", segment->path);
    return status;
}

uint32_t herald_host_outbox_logged(struct herald_host_entry *entry) {
    pthread_mutex_lock(&lock);
    uint32_t logged = entry->logged;
    pthread_mutex_unlock(&lock);
    return logged;
}

void herald_host_outbox_leave(void) {
    pthread_mutex_lock(&lock);
    give_up_own();
    pthread_mutex_unlock(&lock);
}

/* ---- Posting ----------------------------------------------------------------------------------------------------- */

static _Atomic uint32_t process_number; /* 0: not known yet */

static uint32_t own_number(void) {
    if (herald_unlikely(!process_number)) process_number = (uint32_t)getpid();
    return process_number;
}

void herald_host_outbox_before_fork(void) { pthread_mutex_lock(&lock); }
void herald_host_outbox_in_parent(void) { pthread_mutex_unlock(&lock); }
void herald_host_outbox_in_child(void) {
    mine.segment = NULL;
    process_number = 0;
    pthread_mutex_unlock(&lock);
}

/* Measures each text once, because another thread may be changing the text. */
HeraldStatus herald_host_outbox_measure(struct herald_host_outgoing *outgoing) {
    const HeraldMessage *message = outgoing->message;
    size_t object = message->object ? strlen(message->object) : 0, type = message->type ? strlen(message->type) : 0;
    if (message->length > HERALD_HOST_MESSAGE_LIMIT)
        return herald_host_complain(HeraldTooLarge, "a message has at most %d bytes, and this one has %zu",
                                    HERALD_HOST_MESSAGE_LIMIT, message->length);
    if (object > HERALD_HOST_TEXTS_LIMIT || type > HERALD_HOST_TEXTS_LIMIT || object + type > HERALD_HOST_TEXTS_LIMIT)
        return herald_host_complain(HeraldTooLarge,
                                    "a message's object and type have at most %d bytes, and these have %zu",
                                    HERALD_HOST_TEXTS_LIMIT, object + type);
    outgoing->fields.length = (uint32_t)message->length;
    outgoing->fields.object = message->object ? (uint32_t)object + 1 : 0;
    outgoing->fields.type = message->type ? (uint32_t)type + 1 : 0;
    outgoing->fields.options = message->options & HeraldPostDeliverImmediately;
    outgoing->object = message->object;
    if (message->options & HeraldPostKeep) outgoing->fields.options |= HERALD_HOST_IS_KEPT;
    return HeraldOK;
}

/* Finds the entry of a name that had none when the post began. Since then a process that comes from an older file may
 * have begun to watch the name. That process may sleep without having read this record, so it must be woken. The look
 * is needed only while the file keeps all messages for such processes. */
static HERALD_SLOW struct herald_host_entry *find_late(const struct herald_host_outgoing *outgoing,
                                                       struct herald_host_segment *segment) {
    bool expected = herald_host_segment_is_expecting(segment->header);
    return expected ? herald_host_entry_find(segment, outgoing->name, outgoing->fields.name - 1) : NULL;
}

HeraldStatus herald_host_outbox_post(struct herald_host_outgoing *outgoing, struct herald_host_segment *segment,
                                     bool *written) {
    enum herald_host_written how;
    struct herald_host_fields *fields = &outgoing->fields;
    if (!fields->hash && !outgoing->key) fields->hash = herald_host_entry_hash(outgoing->name, fields->name - 1);
    fields->entry = herald_host_entry_place(segment->header, outgoing->entry);
    fields->sender = own_number();
    fields->identity = herald_host_identity();
    HeraldStatus status = write_in_turn(segment, outgoing, &how);
    *written = how == HERALD_HOST_WRITTEN;
    if (!*written) return status;
    if (herald_unlikely(fields->options & HERALD_HOST_IS_SILENT)) return HeraldOK;
    struct herald_host_entry *entry = outgoing->entry;
    if (herald_unlikely(!entry && outgoing->message)) entry = find_late(outgoing, segment);
    if (entry) herald_host_entry_wake(entry, segment, false);
    if (segment->header->any) herald_host_header_wake_any(segment->header);
    return HeraldOK;
}

bool herald_host_outbox_post_plain(const char *text, struct herald_host_entry *entry,
                                   struct herald_host_segment *segment) {
    size_t length = text ? strnlen(text, HERALD_HOST_NAME_LIMIT + 1) : 0;
    if (!length || length > HERALD_HOST_NAME_LIMIT) return true;
    /* `outgoing.entry` stays NULL, because the entry's `logged` counts only messages. Processes that watch this name
     * alone do not need the record: they learn of a plain post by the entry's count. */
    struct herald_host_outgoing outgoing = {.name = text,
                                            .fields = {.name = (uint32_t)length + 1, .options = HERALD_HOST_IS_PLAIN}};
    bool written;
    HeraldStatus status = herald_host_outbox_post(&outgoing, segment, &written);
    if (written) return true;
    if (entry) herald_host_header_mark_any(segment->header, herald_host_entry_group(entry));
    herald_host_header_wake_any(segment->header);
    return status != HeraldOK;
}
