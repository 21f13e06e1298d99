/* Posting to the log.
 *
 * Ordering. A record is published before the look at who watches; partner: a watcher arms before it reads the log.
 * Progress. That of a pen; wakes are made without its lock. Ownership. The caller's.
 */
#include "outbox.h"
#include "channel.h"
#include "complaint.h"
#include "identity.h"
#include "pen.h"
#include <string.h>
#include <unistd.h>

static _Atomic uint32_t process_number; /* 0: not known yet */

static uint32_t own_number(void) {
    if (herald_unlikely(!process_number)) process_number = (uint32_t)getpid();
    return process_number;
}

void herald_outbox_in_child(void) { process_number = 0; }

/* Once: the caller may be changing its texts. */
HeraldStatus herald_outbox_measure(struct herald_letter *letter) {
    const HeraldMessage *message = letter->message;
    size_t object = message->object ? strlen(message->object) : 0, type = message->type ? strlen(message->type) : 0;
    if (message->length > HERALD_MESSAGE_LIMIT)
        return herald_complain(HeraldTooLarge, "a message has at most %d bytes, and this one has %zu",
                               HERALD_MESSAGE_LIMIT, message->length);
    if (object > HERALD_TEXTS_LIMIT || type > HERALD_TEXTS_LIMIT || object + type > HERALD_TEXTS_LIMIT)
        return herald_complain(HeraldTooLarge, "a message's object and type have at most %d bytes, and these have %zu",
                               HERALD_TEXTS_LIMIT, object + type);
    letter->size = (uint32_t)message->length;
    letter->object = message->object ? (uint32_t)object + 1 : 0;
    letter->type = message->type ? (uint32_t)type + 1 : 0;
    letter->flags = message->options & HeraldPostDeliverImmediately;
    return HeraldOK;
}

/* The name had no entry before the record was published: a process may have come since, and not have found the record.
 */
static HERALD_SLOW struct herald_entry *find_late(const struct herald_letter *letter, struct herald_segment *segment) {
    bool expected = herald_segment_is_expecting(segment->header);
    return expected ? herald_entry_find(segment, letter->name, letter->length) : NULL;
}

HeraldStatus herald_outbox_post(struct herald_letter *letter, struct herald_segment *segment, bool *written) {
    enum herald_written how;
    if (!letter->hash) letter->hash = herald_entry_hash(letter->name, letter->length);
    letter->place = herald_entry_place(segment->header, letter->entry);
    letter->sender = own_number();
    letter->identity = herald_identity();
    HeraldStatus status = herald_pen_write(segment, letter, &how);
    *written = how == HERALD_WRITTEN;
    if (!*written) return status;
    struct herald_entry *entry = letter->entry;
    if (herald_unlikely(!entry && letter->message)) entry = find_late(letter, segment);
    if (entry) herald_entry_ring_for_message(entry, segment);
    if (segment->header->any) herald_header_ring_any(segment->header);
    return HeraldOK;
}

bool herald_outbox_post_plain(const char *text, struct herald_entry *entry, struct herald_segment *segment) {
    size_t length = text ? strnlen(text, HERALD_NAME_LIMIT + 1) : 0;
    if (!length || length > HERALD_NAME_LIMIT) return true;
    /* Without its entry: who observes the name alone reads its count, and counts messages in the log. */
    struct herald_letter letter = {.name = text, .length = (uint32_t)length, .flags = HERALD_IS_PLAIN};
    bool written;
    HeraldStatus status = herald_outbox_post(&letter, segment, &written);
    if (written) return true;
    if (entry) herald_header_mark_any(segment->header, herald_entry_group(entry));
    herald_header_ring_any(segment->header);
    return status != HeraldOK;
}
