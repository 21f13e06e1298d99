/* Cells: finding and putting.
 *
 * Ordering: see cell.h. A cell's key is written before its number is put into a place, by one compare-and-swap.
 * Progress: No loop waits. A search looks at PROBES places at most.
 * Ownership: Nothing here belongs to a process.
 */
#include "cell.h"
#include "ground_table.h"

enum { PROBES = 256, LEFT = 1 << 20 /* bytes that must stay free */ };

/* The word that a record puts. 0 stands for a cell in which nothing was put. So a record that forgets, and whose number
 * has no lower bits, puts the word that the record before it would put. */
static uint64_t word_of(uint64_t sequence, uint32_t value) {
    uint64_t word = herald_host_cell_word(sequence, value);
    return word ? word : herald_host_cell_word(UINT64_MAX, 0);
}

/* Whether the record with this number has put the word. */
static bool is_of(uint64_t word, uint64_t sequence) {
    return word && herald_host_cell_sequence(word) == herald_host_cell_sequence(herald_host_cell_word(sequence, 0));
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

HeraldStatus herald_host_cells_open(struct herald_host_segment *segment) {
    if (segment->header->keeps) return HeraldOK;
    size_t size = HERALD_HOST_CELLS_AT - HERALD_HOST_KEEPING_AT;
    HeraldStatus status = herald_host_segment_has_room(segment, size + LEFT);
    if (status == HeraldOK) status = herald_host_segment_fill(segment, HERALD_HOST_KEEPING_AT, size);
    if (status == HeraldOK) segment->header->keeps = 1;
    return status;
}

static uint64_t hash_on(uint64_t hash, const char *text, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t herald_host_cell_key(const char *name, uint32_t name_size, const char *object, uint32_t object_size) {
    uint64_t hash = hash_on(UINT64_C(0xcbf29ce484222325), name, name_size - 1);
    enum { APART = 0x100 /* no byte */ };
    if (object_size) hash = hash_on((hash ^ APART) * UINT64_C(0x100000001b3), object, object_size - 1);
    hash = ground_mix(hash);
    return hash ? hash : 1;
}

uint32_t herald_host_cells_used(struct herald_host_header *header) {
    uint32_t used = header->keeps ? herald_host_keeping_of(header)->cells : 0;
    return used < HERALD_HOST_CELLS ? used : HERALD_HOST_CELLS;
}

static bool is_ready(struct herald_host_header *header, uint32_t cell) {
    return cell < HERALD_HOST_CELLS && herald_host_keeping_of(header)->ready >> (cell / HERALD_HOST_CELLS_AT_ONCE) & 1;
}

struct herald_host_cell *herald_host_cell_with_memory(struct herald_host_header *header, uint32_t cell) {
    return header->keeps && is_ready(header, cell) ? herald_host_cell_at(header, cell) : NULL;
}

/* Looks for the key. Returns its cell; or HERALD_HOST_CELLS, and in `*free` the place where it would be found; NULL: it
 * has no place. */
static uint32_t search(struct herald_host_header *header, uint64_t key, _Atomic uint32_t **free) {
    _Atomic uint32_t *places = herald_host_keeping_of(header)->places;
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        _Atomic uint32_t *place = &places[(key + probe) % HERALD_HOST_CELL_PLACES];
        uint32_t found = *place;
        if (!found) {
            *free = place;
            return HERALD_HOST_CELLS;
        }
        const struct herald_host_cell *cell = herald_host_cell_with_memory(header, found - 1);
        if (cell && cell->key == key) return found - 1;
    }
    *free = NULL;
    return HERALD_HOST_CELLS;
}

uint32_t herald_host_cell_find(struct herald_host_header *header, uint64_t key) {
    _Atomic uint32_t *free;
    return header->keeps ? search(header, key, &free) : HERALD_HOST_CELLS;
}

bool herald_host_cells_make_ready(struct herald_host_segment *segment, uint32_t cell) {
    if (cell >= HERALD_HOST_CELLS || is_ready(segment->header, cell)) return cell < HERALD_HOST_CELLS;
    uint32_t part = cell / HERALD_HOST_CELLS_AT_ONCE;
    size_t size = HERALD_HOST_CELLS_AT_ONCE * sizeof(struct herald_host_cell);
    if (herald_host_segment_has_room(segment, size + LEFT) != HeraldOK ||
        herald_host_segment_fill(segment, HERALD_HOST_CELLS_AT + part * size, size) != HeraldOK)
        return false;
    herald_host_keeping_of(segment->header)->ready |= UINT32_C(1) << part;
    return true;
}

/* Takes the next cell. If its process is killed before the cell is found by a key, the cell is lost until the file is
 * replaced. */
static uint32_t take_cell(struct herald_host_segment *segment, uint64_t key, uint32_t name) {
    struct herald_host_keeping *keeping = herald_host_keeping_of(segment->header);
    uint32_t number = keeping->cells;
    do {
        if (!herald_host_cells_make_ready(segment, number)) return HERALD_HOST_CELLS;
    } while (!atomic_compare_exchange_weak(&keeping->cells, &number, number + 1));
    struct herald_host_cell *cell = herald_host_cell_at(segment->header, number);
    cell->name = name;
    cell->key = key;
    return number;
}

uint32_t herald_host_cell_obtain(struct herald_host_segment *segment, uint64_t key, uint32_t name) {
    uint32_t taken = HERALD_HOST_CELLS;
    for (uint32_t attempt = 0; attempt < PROBES; attempt++) {
        _Atomic uint32_t *free;
        uint32_t found = search(segment->header, key, &free), none = 0;
        if (found != HERALD_HOST_CELLS || !free) return found;
        if (taken == HERALD_HOST_CELLS) taken = take_cell(segment, key, name);
        if (taken == HERALD_HOST_CELLS || atomic_compare_exchange_strong(free, &none, taken + 1)) return taken;
    }
    return HERALD_HOST_CELLS;
}

/* ---- Putting ----------------------------------------------------------------------------------------------------- */

bool herald_host_cell_is_of_line(struct herald_host_header *header, uint64_t word) {
    uint32_t number = herald_host_cell_value(word);
    if (!number) return word; /* forgotten: that is copied within its line alone */
    /* The word has only the lower bits of the record's number, so the value's number is read. Another record may use
     * the value by now. That record is of the line. */
    const struct herald_host_value *value = herald_host_value_at(header, number);
    return value && (int64_t)(value->sequence - herald_host_header_origin(header)) >= 0;
}

/* Whether the part names a value that was claimed for it, and that nobody has put into a cell yet. Otherwise the record
 * or the tail is spoilt, or another process has put the value. */
static bool is_claimed(struct herald_host_header *header, const struct herald_host_part *part, uint32_t from) {
    const struct herald_host_value *value = herald_host_value_at(header, part->value);
    return value && value->owner == ((uint64_t)part->generation << 32 | (HERALD_HOST_VALUE_HELD + from));
}

/* Puts the record's value into the cell. Returns false if another process did, or if nothing is to be put. */
static bool put(struct herald_host_header *header, struct herald_host_cell *cell, const struct herald_host_part *part,
                uint64_t sequence, uint32_t from, uint32_t ring, bool rests) {
    enum { ATTEMPTS = 1 << 10 };
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t word = cell->word;
        if (is_of(word, sequence)) return false;
        /* If the tail has not moved, nothing newer was published. So the word is of an older record. */
        if (header->tail != sequence) return false;
        if (part->if_empty && herald_host_cell_is_of_line(header, word)) return false;
        if (part->value && !is_claimed(header, part, from)) return false;
        uint32_t old = herald_host_cell_value(word),
                 generation = herald_host_value_generation_of(header, old); /* in its cell, nobody frees it */
        if (cell->word != word) continue;
        bool notes = ring < HERALD_HOST_RINGS && HERALD_HOST_STEP(OLD);
        if (notes) herald_host_ring_at(header, ring)->old = (uint64_t)generation << 32 | old; /* before the exchange */
        if (!atomic_compare_exchange_strong(&cell->word, &word, word_of(sequence, part->value))) continue;
        if (old) herald_host_value_free(header, old, generation, rests);
        return true;
    }
    return false;
}

void herald_host_cell_put(struct herald_host_header *header, const struct herald_host_part *part, uint64_t sequence,
                          uint32_t from, uint32_t ring, bool rests) {
    struct herald_host_cell *cell = herald_host_cell_with_memory(header, part->cell);
    uint32_t held = HERALD_HOST_VALUE_HELD + from;
    if (!cell) return;
    if (HERALD_HOST_STEP(CELL)) put(header, cell, part, sequence, from, ring, rests);
    if (!part->value || header->tail != sequence) return; /* what was read is this record's */
    bool is_put = herald_host_cell_value(cell->word) == part->value && is_of(cell->word, sequence);
    if (is_put || !part->if_empty) {
        herald_host_value_change(header, part->value, part->generation, held, HERALD_HOST_VALUE_PUBLISHED);
    } else {
        herald_host_value_change(header, part->value, part->generation, held, HERALD_HOST_VALUE_FREE);
    }
}

static bool is_in_cell(struct herald_host_header *header, uint32_t number) {
    const struct herald_host_value *value = herald_host_value_at(header, number);
    const struct herald_host_cell *cell = value ? herald_host_cell_with_memory(header, value->cell) : NULL;
    return cell && herald_host_cell_value(cell->word) == number;
}

void herald_host_cell_settle_old(struct herald_host_header *header, uint32_t ring) {
    struct herald_host_ring *head = herald_host_ring_at(header, ring);
    uint64_t old = head->old;
    /* The dead owner has replaced it, or never will. */
    if ((uint32_t)old && !is_in_cell(header, (uint32_t)old))
        herald_host_value_free(header, (uint32_t)old, herald_host_value_generation(old), false);
    head->old = 0;
}

void herald_host_cell_settle_hand(struct herald_host_header *header, uint32_t ring) {
    struct herald_host_ring *head = herald_host_ring_at(header, ring);
    uint32_t number = head->hand, generation = herald_host_value_generation_of(header, number),
             held = HERALD_HOST_VALUE_HELD + ring;
    uint32_t after = is_in_cell(header, number) ? HERALD_HOST_VALUE_PUBLISHED : HERALD_HOST_VALUE_FREE;
    if (number) herald_host_value_change(header, number, generation, held, after);
    head->hand = 0;
    head->old = 0;
}

/* ---- Another file ------------------------------------------------------------------------------------------------ */

static uint32_t units_in_use(struct herald_host_header *header) {
    uint32_t units = 0, used = herald_host_cells_used(header);
    for (uint32_t i = 0; i < used; i++) {
        const struct herald_host_cell *cell = herald_host_cell_with_memory(header, i);
        uint32_t number = cell ? herald_host_cell_value(cell->word) : 0,
                 class = herald_host_value_class(header, number);
        if (class < HERALD_HOST_VALUE_CLASSES) units += (uint32_t)2 << class;
    }
    return units;
}

static uint32_t cells_in_use(struct herald_host_header *header) {
    uint32_t count = 0, used = herald_host_cells_used(header);
    for (uint32_t i = 0; i < used; i++) {
        const struct herald_host_cell *cell = herald_host_cell_with_memory(header, i);
        count += cell && herald_host_cell_value(cell->word);
    }
    return count;
}

bool herald_host_cells_leave_room(struct herald_host_header *header) {
    return units_in_use(header) < HERALD_HOST_VALUES / 8 * 7 && cells_in_use(header) < HERALD_HOST_CELLS / 8 * 7;
}
