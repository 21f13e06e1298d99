/* Claiming, writing, reading and freeing values.
 *
 * Ordering: see value.h.
 * Progress: A claim looks at all slabs at most. Nothing waits.
 * Ownership: The hints of free values belong to the process, under the outbox's mutex. A hint may be wrong.
 */
#include "value.h"
#include "words.h"
#include <string.h>

enum {
    CLASSES = HERALD_HOST_VALUE_CLASSES,
    UNIT = HERALD_HOST_VALUE_UNIT,
    SLAB_UNITS = HERALD_HOST_SLAB / UNIT,
    LEFT = 1 << 20, /* bytes that must stay free in the file system */
    REST = 4,       /* a freed value is claimed after so many others of its size that were freed later */
    HINTS = 2 * REST
};

/* What this process has freed in the file at `header`, by class, the oldest first; and where it found a free value. */
static struct {
    struct herald_host_header *header;
    struct {
        uint32_t freed[HINTS], count, slab, place;
    } of[CLASSES];
} hints;

static void begin_hints(struct herald_host_header *header) {
    if (hints.header == header) return;
    memset(&hints, 0, sizeof hints);
    hints.header = header;
}

static uint32_t units_of(uint32_t class) { return (uint32_t)2 << class; }
static size_t room_of(uint32_t class) { return (size_t)units_of(class) * UNIT - sizeof(struct herald_host_value); }

static uint32_t class_for(size_t size) {
    uint32_t class = 0;
    while (class < CLASSES && room_of(class) < size) class ++;
    return class;
}

/* The class of the slab with this number; CLASSES: the slab is not in use. */
static uint32_t class_of_slab(struct herald_host_header *header, uint32_t slab) {
    uint32_t class = herald_host_keeping_of(header)->classes[slab];
    return class && class <= CLASSES ? class - 1 : CLASSES;
}

static struct herald_host_value *value_at(struct herald_host_header *header, uint32_t number) {
    return (struct herald_host_value *)((char *)header + HERALD_HOST_SLABS_AT + (size_t)(number - 1) * UNIT);
}

uint32_t herald_host_value_class(struct herald_host_header *header, uint32_t number) {
    uint32_t place = number - 1;
    if (!header->keeps || place >= HERALD_HOST_VALUES) return CLASSES;
    uint32_t class = class_of_slab(header, place / SLAB_UNITS);
    return class == CLASSES || place % units_of(class) ? CLASSES : class;
}

struct herald_host_value *herald_host_value_at(struct herald_host_header *header, uint32_t number) {
    return herald_host_value_class(header, number) == CLASSES ? NULL : value_at(header, number);
}

struct herald_host_value *herald_host_value_claimed(struct herald_host_header *header, uint32_t number) {
    return value_at(header, number);
}

uint32_t herald_host_value_generation_of(struct herald_host_header *header, uint32_t number) {
    const struct herald_host_value *value = herald_host_value_at(header, number);
    return value ? herald_host_value_generation(value->owner) : 0;
}

/* ---- Claiming ---------------------------------------------------------------------------------------------------- */

static bool rests(uint32_t class, uint32_t number) {
    for (uint32_t i = 0; i < hints.of[class].count; i++)
        if (hints.of[class].freed[i] == number) return true;
    return false;
}

static bool claim(struct herald_host_header *header, uint32_t ring, uint32_t number) {
    struct herald_host_value *value = value_at(header, number);
    uint64_t owner = value->owner;
    if ((uint32_t)owner != HERALD_HOST_VALUE_FREE) return false;
    if (HERALD_HOST_STEP(HAND)) herald_host_ring_at(header, ring)->hand = number; /* before the claim */
    uint64_t mine = (uint64_t)(herald_host_value_generation(owner) + 1) << 32 | (HERALD_HOST_VALUE_HELD + ring);
    return atomic_compare_exchange_strong(&value->owner, &owner, mine);
}

/* Gives a slab that is not in use a class, and takes its memory. If another process gives it a class at the same
 * time, the slab gets the other class, and the memory that was taken is the same. */
static void begin_slab(struct herald_host_segment *segment, uint32_t slab, uint32_t class) {
    uint32_t unused = 0;
    size_t at = HERALD_HOST_SLABS_AT + (size_t)slab * HERALD_HOST_SLAB;
    if (herald_host_segment_has_room(segment, HERALD_HOST_SLAB + LEFT) != HeraldOK ||
        herald_host_segment_fill(segment, at, HERALD_HOST_SLAB) != HeraldOK)
        return;
    atomic_compare_exchange_strong(&herald_host_keeping_of(segment->header)->classes[slab], &unused, class + 1);
}

/* Claims a value in the slab. */
static uint32_t claim_in_slab(struct herald_host_header *header, uint32_t ring, uint32_t class, uint32_t slab,
                              bool all) {
    uint32_t units = units_of(class), count = SLAB_UNITS / units, first = hints.of[class].place;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = (first + i) % count, number = 1 + slab * SLAB_UNITS + place * units;
        if ((!all && rests(class, number)) || !claim(header, ring, number)) continue;
        hints.of[class].slab = slab;
        hints.of[class].place = place + 1;
        return number;
    }
    return 0;
}

/* `all`: also one that should rest. */
static uint32_t claim_of_class(struct herald_host_segment *segment, uint32_t ring, uint32_t class, bool all) {
    struct herald_host_header *header = segment->header;
    while (hints.of[class].count > (all ? 0 : REST)) {
        uint32_t number = hints.of[class].freed[0];
        memmove(hints.of[class].freed, hints.of[class].freed + 1, --hints.of[class].count * sizeof number);
        if (herald_host_value_class(header, number) == class && claim(header, ring, number)) return number;
    }
    for (uint32_t i = 0; i < HERALD_HOST_SLABS; i++) {
        uint32_t slab = (hints.of[class].slab + i) % HERALD_HOST_SLABS;
        if (class_of_slab(header, slab) != class) continue;
        uint32_t number = claim_in_slab(header, ring, class, slab, all);
        if (number) return number;
    }
    for (uint32_t slab = 0; slab < HERALD_HOST_SLABS; slab++) {
        if (herald_host_keeping_of(header)->classes[slab]) continue;
        begin_slab(segment, slab, class);
        uint32_t is = class_of_slab(header, slab);
        uint32_t number = is == class ? claim_in_slab(header, ring, class, slab, all) : 0;
        if (number) return number;
        if (is == CLASSES) return 0; /* no memory */
    }
    return 0;
}

uint32_t herald_host_value_claim(struct herald_host_segment *segment, uint32_t ring, size_t size) {
    begin_hints(segment->header);
    uint32_t smallest = class_for(size), number = 0;
    for (uint32_t class = smallest; class < CLASSES && !number; class ++)
        for (int all = 0; all < 2 && !number; all++) number = claim_of_class(segment, ring, class, all);
    if (!number) herald_host_ring_at(segment->header, ring)->hand = 0;
    return number;
}

HeraldStatus herald_host_values_reserve(struct herald_host_segment *segment,
                                        const uint32_t count[HERALD_HOST_VALUE_CLASSES]) {
    struct herald_host_keeping *keeping = herald_host_keeping_of(segment->header);
    for (uint32_t class = 0; class < CLASSES; class ++) {
        uint32_t each = SLAB_UNITS / units_of(class);
        for (uint32_t rest = count[class], i = 0; rest && i < HERALD_HOST_SLABS; i++) {
            if (!keeping->classes[i]) {
                size_t at = HERALD_HOST_SLABS_AT + (size_t)i * HERALD_HOST_SLAB;
                HeraldStatus status = herald_host_segment_fill(segment, at, HERALD_HOST_SLAB);
                if (status != HeraldOK) return status;
                keeping->classes[i] = class + 1;
            }
            if (keeping->classes[i] == class + 1) rest -= rest < each ? rest : each;
        }
    }
    return HeraldOK;
}

uint32_t herald_host_value_claim_in(struct herald_host_segment *segment, uint32_t class, size_t size, uint32_t *from) {
    struct herald_host_header *header = segment->header;
    if (room_of(class) < size) return 0;
    while (*from < HERALD_HOST_VALUES) {
        if (class_of_slab(header, *from / SLAB_UNITS) != class) {
            *from += SLAB_UNITS;
            continue;
        }
        uint32_t number = 1 + *from;
        *from += units_of(class);
        value_at(header, number)->owner = UINT64_C(1) << 32 | HERALD_HOST_VALUE_PUBLISHED;
        return number;
    }
    return 0;
}

/* ---- Freeing ----------------------------------------------------------------------------------------------------- */

bool herald_host_value_change(struct herald_host_header *header, uint32_t number, uint32_t generation, uint32_t before,
                              uint32_t after) {
    struct herald_host_value *value = herald_host_value_at(header, number);
    uint64_t owner = (uint64_t)generation << 32 | before;
    return value && atomic_compare_exchange_strong(&value->owner, &owner, (uint64_t)generation << 32 | after);
}

static void note_freed(struct herald_host_header *header, uint32_t number) {
    uint32_t class = herald_host_value_class(header, number);
    begin_hints(header);
    if (class < CLASSES && hints.of[class].count < HINTS) hints.of[class].freed[hints.of[class].count++] = number;
}

bool herald_host_value_free(struct herald_host_header *header, uint32_t number, uint32_t generation, bool rests) {
    struct herald_host_value *value = herald_host_value_at(header, number);
    if (!value) return false;
    uint64_t owner = value->owner;
    do {
        if (herald_host_value_generation(owner) != generation || (uint32_t)owner == HERALD_HOST_VALUE_FREE)
            return false;
    } while (!atomic_compare_exchange_weak(&value->owner, &owner, (uint64_t)generation << 32 | HERALD_HOST_VALUE_FREE));
    if (rests) note_freed(header, number);
    return true;
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------- */

#define store(field, number) atomic_store_explicit(&value->field, number, memory_order_relaxed)
#define load(field) atomic_load_explicit(&value->field, memory_order_relaxed)

void herald_host_value_write(struct herald_host_value *value, const struct herald_host_outgoing *outgoing,
                             uint32_t cell) {
    const struct herald_host_fields *fields = &outgoing->fields;
    atomic_thread_fence(memory_order_release); /* after the claim; partner: the fence in herald_host_value_read */
    store(cell, cell);
    store(sender, fields->sender);
    store(options, fields->options);
    store(hash, fields->hash);
    store(length, fields->length);
    store(name, fields->name);
    store(object, fields->object);
    store(type, fields->type);
    herald_host_content_write((unsigned char *)(value + 1), outgoing);
}

enum herald_host_copied herald_host_value_read(struct herald_host_header *header, uint32_t number, uint32_t generation,
                                               struct herald_host_received **block) {
    uint32_t class = herald_host_value_class(header, number);
    if (class == CLASSES) return HERALD_HOST_NOT_COPIED;
    struct herald_host_value *value = value_at(header, number);
    struct herald_host_fields fields = {
        .name_sequence = load(name_sequence),
        .sender = load(sender),
        .options = (load(options) & (HeraldPostDeliverImmediately | HERALD_HOST_IS_SILENT)) | HERALD_HOST_IS_KEPT,
        .hash = load(hash),
        .length = load(length),
        .name = load(name),
        .object = load(object),
        .type = load(type)};
    uint64_t sequence = load(sequence);
    if (!herald_host_content_is_possible(&fields) || herald_host_content_size(&fields) > room_of(class))
        return HERALD_HOST_NOT_COPIED;
    struct herald_host_received *received =
        herald_host_content_copy(block, &fields, (const unsigned char *)(value + 1));
    if (!received) return HERALD_HOST_NO_MEMORY;
    atomic_thread_fence(memory_order_acquire); /* after the last byte; partner: the fence in herald_host_value_write */
    if (HERALD_HOST_STEP(GENERATION) && herald_host_value_generation(value->owner) != generation)
        return HERALD_HOST_NOT_COPIED;
    return herald_host_content_point(received, sequence) ? HERALD_HOST_COPIED : HERALD_HOST_NOT_COPIED;
}
