/* Arbitrary bytes in what is kept: keepers, readers and movers stay inside the file, and return. As long as nothing was
 * damaged, each name and object has what was kept last, also in the next file, and no other value is in use. */
#include "../../../CSources/CHeraldHost/src/carry.h"
#include "../../../CSources/CHeraldHost/src/current.h"
#include "hostile.h"
#include <stdlib.h>
#include <string.h>

enum { PENS = 2, NAMES = 3, OBJECTS = 3, MANY_CELLS = 12, MANY_SLABS = 12 };

static struct {
    struct herald_host_segment segment;
    struct herald_host_cursor reader;
    struct herald_host_received *block;
    struct {
        uint64_t sequence; /* 0: nothing is kept */
        uint32_t size;
    } kept[NAMES][OBJECTS];
    bool spoilt, closed;
} kept_of;

static const char much[HERALD_HOST_MESSAGE_LIMIT];
static const char *const names[NAMES] = {"a", "a name", "another name"};
static char longest[HERALD_HOST_TEXTS_LIMIT + 1];
static const char *const objects[OBJECTS] = {NULL, "x", longest};

static void open_segment(struct herald_host_segment *segment, int number) {
    *segment = (struct herald_host_segment){.header = hostile_memory(number, HERALD_HOST_FILE_SIZE), .unnamed = -1};
    segment->header->regions = 1;
}

static void begin(void) {
    free(kept_of.block);
    memset(&kept_of, 0, sizeof kept_of);
    memset(longest, 'o', sizeof longest - 1);
    open_segment(&kept_of.segment, 0);
    struct herald_host_header *header = kept_of.segment.header;
    header->tail = HERALD_HOST_SLOTS;
    header->log = HERALD_HOST_LOG_OPEN;
    for (uint32_t i = 0; i < PENS; i++) herald_host_ring_at(header, i)->ready = 1;
    kept_of.reader = herald_host_log_beginning(header);
}

/* As the next owner of the ring does. */
static void settle(uint32_t pen) {
    herald_host_cell_settle_old(kept_of.segment.header, pen);
    herald_host_log_help(kept_of.segment.header, pen);
    herald_host_cell_settle_hand(kept_of.segment.header, pen);
}

/* As the outbox does. */
static void keep(uint32_t size, bool forgets) {
    struct herald_host_header *header = kept_of.segment.header;
    unsigned name = (unsigned)take(1) % NAMES, object = (unsigned)take(1) % OBJECTS;
    uint32_t pen = (uint32_t)take(1) % PENS, silent = forgets ? HERALD_HOST_IS_SILENT : 0;
    HeraldMessage message = {.size = sizeof message, .object = objects[object], .bytes = much, .length = size};
    struct herald_host_outgoing outgoing = {
        .name = names[name],
        .message = forgets ? NULL : &message,
        .object = objects[object],
        .entry = herald_host_entry_at(header, name),
        .fields = {.entry = name,
                   .sender = size,
                   .options = HERALD_HOST_IS_KEPT | silent,
                   .hash = name,
                   .length = forgets ? 0 : size,
                   .name = (uint32_t)strlen(names[name]) + 1,
                   .object = objects[object] ? (uint32_t)strlen(objects[object]) + 1 : 0}};
    const struct herald_host_fields *fields = &outgoing.fields;
    settle(pen);
    if (herald_host_cells_open(&kept_of.segment) != HeraldOK) return;
    uint64_t key = herald_host_cell_key(outgoing.name, fields->name, outgoing.object, fields->object);
    struct herald_host_part *part = &outgoing.part;
    part->cell = herald_host_cell_obtain(&kept_of.segment, key, name);
    require(kept_of.spoilt || part->cell < HERALD_HOST_CELLS, "there is no cell");
    if (part->cell == HERALD_HOST_CELLS) return;
    if (!forgets) {
        part->value = herald_host_value_claim(&kept_of.segment, pen, herald_host_content_size(fields));
        require(kept_of.spoilt || part->value, "there is no value");
        if (!part->value) return;
        outgoing.value = herald_host_value_claimed(header, part->value);
        part->generation = herald_host_value_generation(outgoing.value->owner);
        herald_host_value_write(outgoing.value, &outgoing, part->cell);
        if (take(1) % 16 == 0) return; /* it is killed here */
    }
    enum herald_host_written written = herald_host_log_write(header, pen, &outgoing);
    bool dies = take(1) % 16 == 0 && written == HERALD_HOST_WRITTEN;
    if (dies) header->tail--; /* just before it moves the tail */
    if (!dies) {
        if (written != HERALD_HOST_WRITTEN && part->value)
            herald_host_value_free(header, part->value, part->generation, true);
        herald_host_ring_at(header, pen)->hand = 0;
        herald_host_ring_at(header, pen)->old = 0;
    }
    if (kept_of.spoilt) return;
    require((written == HERALD_HOST_LOG_ENDS) == kept_of.closed, "the log has ended, or has not");
    if (written != HERALD_HOST_WRITTEN) return;
    kept_of.kept[name][object].sequence = forgets ? 0 : header->tail - !dies;
    kept_of.kept[name][object].size = size;
}

static void check_copy(const struct herald_host_received *received) {
    const HeraldMessage *message = &received->message;
    unsigned char sum = 0;
    for (size_t i = 0; i < message->length; i++) sum ^= ((const unsigned char *)message->bytes)[i];
    require(message->length <= HERALD_HOST_MESSAGE_LIMIT, "a size is impossible");
    require(strlen(received->name) + 1 == received->fields.name, "a name has no end");
    require(!message->object || strlen(message->object) < received->fields.object, "an object has no end");
    require(!message->type || strlen(message->type) < received->fields.type, "a type has no end");
    require(kept_of.spoilt || (!sum && message->length == received->fields.sender), "a message is another's");
}

static void check_one(struct herald_host_header *header, unsigned name, unsigned object) {
    uint32_t cell = herald_host_current_cell(header, names[name], objects[object]);
    bool found = herald_host_current_read_one(header, cell, names[name], objects[object], &kept_of.block);
    if (found) check_copy(kept_of.block);
    if (kept_of.spoilt) return;
    require(found == (kept_of.kept[name][object].sequence != 0), "something is kept, or not");
    if (!found) return;
    require(kept_of.block->sequence == kept_of.kept[name][object].sequence, "another message is kept");
    require(kept_of.block->message.length == kept_of.kept[name][object].size, "it has another size");
}
static void check_all(struct herald_host_header *header) {
    for (unsigned i = 0; i < NAMES * OBJECTS; i++) check_one(header, i / OBJECTS, i % OBJECTS);
}

static void list_all(void) {
    uint32_t count = 0, expected = 0;
    uint64_t last = 0;
    struct herald_host_received *list;
    require(herald_host_current_find_all(kept_of.segment.header, &list) == HeraldOK, "memory is out");
    for (const struct herald_host_received *at = list; at; at = at->next, count++) {
        check_copy(at);
        require(at->sequence >= last, "they are not in their order");
        last = at->sequence;
    }
    herald_host_current_free(list);
    for (unsigned i = 0; i < NAMES * OBJECTS; i++) expected += kept_of.kept[i / OBJECTS][i % OBJECTS].sequence != 0;
    require(kept_of.spoilt || count == expected, "too many are listed, or too few");
    require(count <= HERALD_HOST_CELLS, "there are more than cells");
}

static void check_values(void) {
    struct herald_host_header *header = kept_of.segment.header;
    uint32_t in_use = 0, expected = 0;
    for (uint32_t pen = 0; pen < PENS; pen++) settle(pen);
    if (kept_of.spoilt || !header->keeps) return;
    for (uint32_t number = 1; number <= MANY_SLABS * (HERALD_HOST_SLAB / HERALD_HOST_VALUE_UNIT); number++) {
        const struct herald_host_value *value = herald_host_value_at(header, number);
        in_use += value && (uint32_t)value->owner != HERALD_HOST_VALUE_FREE;
    }
    for (unsigned i = 0; i < NAMES * OBJECTS; i++) expected += kept_of.kept[i / OBJECTS][i % OBJECTS].sequence != 0;
    require(in_use == expected, "a value is lost");
}

static void read_log(void) {
    if (herald_host_log_read(&kept_of.reader, UINT64_MAX, &kept_of.block) == HERALD_HOST_READ_IT)
        check_copy(kept_of.block);
}

/* To the next file. */
static void carry(void) {
    struct herald_host_segment fresh;
    open_segment(&fresh, 1);
    kept_of.closed = true;
    herald_host_log_close(kept_of.segment.header);
    HeraldStatus status = herald_host_carry_reserve(&kept_of.segment, &fresh);
    if (status == HeraldOK) status = herald_host_carry_copy(&kept_of.segment, &fresh);
    require(status == HeraldOK, "a file cannot be replaced");
    check_all(fresh.header);
}

static uint64_t take_word(void) { return take(1) % 2 ? take(8) : take(2); }

static void spoil(void) {
    struct herald_host_header *header = kept_of.segment.header;
    struct herald_host_keeping *keeping = herald_host_keeping_of(header);
    struct herald_host_cell *cell = herald_host_cell_at(header, (uint32_t)take(1) % MANY_CELLS);
    const struct herald_host_cell *other = herald_host_cell_at(header, (uint32_t)take(1) % MANY_CELLS);
    uint32_t pen = (uint32_t)take(1) % PENS;
    kept_of.spoilt = true;
    switch (take(1) % 14) {
    case 0: hostile_patch(keeping, offsetof(struct herald_host_keeping, places)); return;
    case 1: keeping->classes[take(1) % MANY_SLABS] = (uint32_t)take(1) % 14; return;
    case 2: keeping->places[take(3) % HERALD_HOST_CELL_PLACES] = (uint32_t)take_word(); return;
    case 3: keeping->places[cell->key % HERALD_HOST_CELL_PLACES] = (uint32_t)take_word(); return;
    case 4: keeping->cells = (uint32_t)take_word(); return;
    case 5: hostile_patch(cell, MANY_CELLS * sizeof *cell); return;
    case 6: cell->word = other->word; return;
    case 7: cell->key = other->key; return;
    case 8: hostile_patch((char *)header + HERALD_HOST_SLABS_AT, MANY_SLABS * HERALD_HOST_SLAB); return;
    case 9: {
        uint32_t number = (uint32_t)cell->word & 0xffffff;
        struct herald_host_value *value = herald_host_value_at(header, number);
        if (value) hostile_patch(value, sizeof *value);
        return;
    }
    case 10: hostile_patch(herald_host_ring_at(header, 0), PENS * sizeof(struct herald_host_ring)); return;
    case 11: hostile_patch(herald_host_record_at(header, pen, 0), 4096); return;
    case 12: header->tail += take(1) % 2 ? take(8) : take(1) % 16 - 8; return;
    default: header->keeps = (uint32_t)take(1) % 2;
    }
}

void fuzz_kept(void) {
    for (begin(); hostile_left();) {
        unsigned what = (unsigned)take(1);
        if (what < 100) {
            keep(what < 20 ? (uint32_t)take(2) : what * 3, false);
        } else if (what < 120) {
            keep(0, true);
        } else if (what < 170) {
            check_one(kept_of.segment.header, (unsigned)take(1) % NAMES, (unsigned)take(1) % OBJECTS);
        } else if (what < 180) {
            list_all();
        } else if (what < 200) {
            settle((uint32_t)take(1) % PENS);
        } else if (what < 215) {
            read_log();
        } else if (what < 250) {
            spoil();
        } else if (what == 255) {
            carry();
        }
    }
    check_all(kept_of.segment.header);
    check_values();
    list_all();
    if (take(1) % 2 == 0) carry();
}
