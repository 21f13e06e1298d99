/* Arbitrary bytes in the log: readers and writers stay inside it, and return. As long as nothing was damaged, two
 * readers hear every record, once and in order. */
#include "../../../CSources/CHeraldHost/src/log.h"
#include "hostile.h"
#include <stdlib.h>
#include <string.h>

enum { PENS = 2, READERS = 2, NAMES = 3 };

static struct {
    struct herald_host_header *header;
    struct herald_host_cursor readers[READERS];
    struct herald_host_received *blocks[READERS];
    uint32_t written, of_name[NAMES], heard[READERS];
    bool spoilt, closed;
} log_of;

static const char much[HERALD_HOST_MESSAGE_LIMIT];

static void begin(void) {
    for (int i = 0; i < READERS; i++) free(log_of.blocks[i]);
    memset(&log_of, 0, sizeof log_of);
    struct herald_host_header *header = log_of.header = hostile_memory(0, HERALD_HOST_FILE_SIZE);
    header->regions = 1;
    header->tail = HERALD_HOST_SLOTS;
    header->log = HERALD_HOST_LOG_OPEN;
    for (uint32_t i = 0; i < PENS; i++) {
        herald_host_ring_at(header, i)->ready = 1;
        /* At some point of the ring's life, often near its end. */
        uint64_t position = (take(1) % 4 * HERALD_HOST_RING + take(2) * HERALD_LINE) % (4 * HERALD_HOST_RING);
        herald_host_ring_at(header, i)->intent = position;
    }
    for (int i = 0; i < READERS; i++) log_of.readers[i] = herald_host_log_beginning(header);
}

/* One byte gives the length, so that sizes are near each limit, too. */
static uint32_t take_size(uint32_t limit) {
    uint32_t size = (uint32_t)take(1);
    return size < 200   ? size % (limit + 1)
           : size < 240 ? limit - (size - 200) % limit
                        : (uint32_t)take(2) % (limit + 1);
}

static void write_one(void) {
    static const char text[HERALD_HOST_NAME_LIMIT + 1] = "a name";
    static char object[HERALD_HOST_TEXTS_LIMIT + 1];
    uint32_t name = (uint32_t)take(1) % (NAMES + 1), size = take_size(HERALD_HOST_MESSAGE_LIMIT);
    uint32_t length = take_size(HERALD_HOST_TEXTS_LIMIT);
    memset(object, 'o', sizeof object - 1);
    object[length] = 0;
    HeraldMessage message = {.size = sizeof message, .object = length ? object : NULL, .bytes = much, .length = size};
    struct herald_host_outgoing letter = {.name = text,
                                          .message = &message,
                                          .object = message.object,
                                          .entry = name < NAMES ? herald_host_entry_at(log_of.header, name) : NULL,
                                          .fields = {.entry = name < NAMES ? name : HERALD_HOST_NAMES,
                                                     .sender = size,
                                                     .hash = name,
                                                     .length = size,
                                                     .name = (uint32_t)strlen(text) + 1,
                                                     .object = length ? length + 1 : 0}};
    uint32_t pen = (uint32_t)take(1) % PENS;
    enum herald_host_written written = herald_host_log_write(log_of.header, pen, &letter);
    if (log_of.spoilt) return;
    require((written == HERALD_HOST_LOG_ENDS) == log_of.closed, "the log has ended, or has not");
    require(written != HERALD_HOST_NOT_WRITTEN, "a message was not written");
    if (written != HERALD_HOST_WRITTEN) return;
    log_of.written++;
    if (name == NAMES) return;
    require(letter.entry->logged == ++log_of.of_name[name], "a message was not counted");
}

static void check_copy(const struct herald_host_received *received) {
    const struct herald_host_fields *copy = &received->fields;
    const HeraldMessage *message = &received->message;
    require(copy->length <= HERALD_HOST_MESSAGE_LIMIT && copy->name - 2 < HERALD_HOST_NAME_LIMIT,
            "a size is impossible");
    require(copy->object <= HERALD_HOST_TEXTS_LIMIT + 1 && copy->type <= HERALD_HOST_TEXTS_LIMIT + 1,
            "a size is impossible");
    require(message->length == copy->length && message->bytes == (const void *)(received + 1), "other bytes");
    require(strlen(received->name) + 1 == copy->name, "a name has no end");
    require(!copy->object == !message->object && !copy->type == !message->type, "a text is missing");
    require(!copy->object || !message->object[copy->object - 1], "an object has no end");
    require(!copy->type || !message->type[copy->type - 1], "a type has no end");
    unsigned char sum = 0;
    for (uint32_t i = 0; i < copy->length; i++) sum ^= ((const unsigned char *)message->bytes)[i];
    require(log_of.spoilt || (sum == 0 && copy->sender == copy->length), "a message is another's");
}

static void read_one(void) {
    unsigned number = (unsigned)take(1) % READERS;
    struct herald_host_cursor *reader = &log_of.readers[number];
    struct herald_host_received **block = &log_of.blocks[number];
    uint64_t next = reader->next;
    enum herald_host_read read = herald_host_log_read(reader, UINT64_MAX, block);
    require((int64_t)(reader->next - next) >= 0, "a reader has gone back");
    if (read == HERALD_HOST_READ_IT) check_copy(*block);
    if (log_of.spoilt) return;
    bool more = log_of.heard[number] + reader->lost < log_of.written;
    require(more == (read == HERALD_HOST_READ_IT), "a message was not heard, or one too many");
    if (more) require((*block)->sequence == HERALD_HOST_SLOTS + log_of.heard[number]++ + reader->lost, "out of order");
}

/* Damages the record that was written last; everything else about it is right. */
static void spoil_a_size(void) {
    uint64_t word = *herald_host_log_slot(log_of.header, log_of.header->tail - 1), lines = word & 0xffffff;
    uint32_t ring = (uint32_t)(word >> 24 & 0xff) % PENS;
    struct herald_host_record *record =
        herald_host_record_at(log_of.header, ring, lines * HERALD_LINE % HERALD_HOST_RING);
    _Atomic uint32_t *const sizes[] = {&record->length, &record->name, &record->object, &record->type};
    *sizes[take(1) % 4] = take(1) % 2 ? take_size(HERALD_HOST_MESSAGE_LIMIT) : (uint32_t)take(4);
}

/* Only places near the tail are read. */
static void spoil(void) {
    struct herald_host_header *header = log_of.header;
    uint64_t recent = header->tail + take(1) - 128;
    log_of.spoilt = true;
    switch (take(1) % 8) {
    case 0: hostile_patch(header, sizeof *header); return;
    case 1: header->tail = take(1) % 2 ? take(8) : header->tail + take(2) - 32768; return;
    case 2: *herald_host_log_slot(header, recent) = take(8); return;
    case 3: *herald_host_log_slot(header, recent) ^= UINT64_C(1) << take(1) % 64; return;
    case 4: hostile_patch(herald_host_ring_at(header, 0), PENS * sizeof(struct herald_host_ring)); return;
    case 5: spoil_a_size(); return;
    default: hostile_patch(herald_host_record_at(header, (uint32_t)take(1) % PENS, 0), 4096);
    }
}

void fuzz_log(void) {
    for (begin(); hostile_left();) {
        unsigned what = (unsigned)take(1);
        if (what < 110) {
            write_one();
        } else if (what < 220) {
            read_one();
        } else if (what < 250) {
            spoil();
        } else {
            log_of.closed = true;
            herald_host_log_close(log_of.header);
        }
    }
}
