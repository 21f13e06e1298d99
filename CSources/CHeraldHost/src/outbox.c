/* Posting to the log.
 *
 * Ordering: A record is published before the poster looks for watchers; partner: a watcher arms its channel before it
 * reads the log.
 * Progress: See writer.c. Watchers are woken after the writer's lock has been released.
 * Ownership: An outgoing post belongs to the caller.
 */
#include "outbox.h"
#include "channel.h"
#include "host_complaint.h"
#include "identity.h"
#include "writer.h"
#include <string.h>
#include <unistd.h>

static _Atomic uint32_t process_number; /* 0: not known yet */

static uint32_t own_number(void) {
    if (herald_unlikely(!process_number)) process_number = (uint32_t)getpid();
    return process_number;
}

void herald_host_outbox_in_child(void) { process_number = 0; }

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
    outgoing->size = (uint32_t)message->length;
    outgoing->object = message->object ? (uint32_t)object + 1 : 0;
    outgoing->type = message->type ? (uint32_t)type + 1 : 0;
    outgoing->flags = message->options & HeraldPostDeliverImmediately;
    return HeraldOK;
}

/* Finds the entry of a name that had none when the post began. Since then a process that comes from an older file may
 * have begun to watch the name. That process may sleep without having read this record, so it must be woken. The look
 * is needed only while the file keeps all messages for such processes. */
static HERALD_SLOW struct herald_host_entry *find_late(const struct herald_host_outgoing *outgoing,
                                                       struct herald_host_segment *segment) {
    bool expected = herald_host_segment_is_expecting(segment->header);
    return expected ? herald_host_entry_find(segment, outgoing->name, outgoing->length) : NULL;
}

HeraldStatus herald_host_outbox_post(struct herald_host_outgoing *outgoing, struct herald_host_segment *segment,
                                     bool *written) {
    enum herald_host_written how;
    if (!outgoing->hash) outgoing->hash = herald_host_entry_hash(outgoing->name, outgoing->length);
    outgoing->place = herald_host_entry_place(segment->header, outgoing->entry);
    outgoing->sender = own_number();
    outgoing->identity = herald_host_identity();
    HeraldStatus status = herald_host_writer_write(segment, outgoing, &how);
    *written = how == HERALD_HOST_WRITTEN;
    if (!*written) return status;
    struct herald_host_entry *entry = outgoing->entry;
    if (herald_unlikely(!entry && outgoing->message)) entry = find_late(outgoing, segment);
    if (entry) herald_host_entry_wake_for_message(entry, segment);
    if (segment->header->any) herald_host_header_wake_any(segment->header);
    return HeraldOK;
}

bool herald_host_outbox_post_plain(const char *text, struct herald_host_entry *entry,
                                   struct herald_host_segment *segment) {
    size_t length = text ? strnlen(text, HERALD_HOST_NAME_LIMIT + 1) : 0;
    if (!length || length > HERALD_HOST_NAME_LIMIT) return true;
    /* `outgoing.entry` stays NULL, because the entry's `logged` counts only messages. Processes that watch this name
     * alone do not need the record: they learn of a plain post by the entry's count. */
    struct herald_host_outgoing outgoing = {.name = text, .length = (uint32_t)length, .flags = HERALD_HOST_IS_PLAIN};
    bool written;
    HeraldStatus status = herald_host_outbox_post(&outgoing, segment, &written);
    if (written) return true;
    if (entry) herald_host_header_mark_any(segment->header, herald_host_entry_group(entry));
    herald_host_header_wake_any(segment->header);
    return status != HeraldOK;
}
