/* Ordering, progress: those of the functions that it uses. Ownership: Both files are mapped for the call. */
#include "carry.h"
#include "current.h"
#include "entry.h"
#include "host_complaint.h"
#include "outbox.h"
#include <stdlib.h>

/* The new file; how many values of each class go there; and where to look for free ones. */
struct move {
    struct herald_host_segment *fresh;
    uint32_t count[HERALD_HOST_VALUE_CLASSES], from[HERALD_HOST_VALUE_CLASSES];
};

/* Calls `each` for each cell that keeps something, with a copy of it, and with the class of its value. */
static HeraldStatus walk(struct herald_host_segment *old, struct move *move,
                         HeraldStatus (*each)(struct move *move, const struct herald_host_cell *cell, uint32_t class,
                                              const struct herald_host_received *received)) {
    struct herald_host_received *block = NULL;
    HeraldStatus status = HeraldOK;
    uint32_t used = herald_host_cells_used(old->header);
    for (uint32_t i = 0; i < used && status == HeraldOK; i++) {
        const struct herald_host_cell *cell = herald_host_cell_with_memory(old->header, i);
        enum herald_host_copied read = cell ? herald_host_current_read(old->header, i, &block) : HERALD_HOST_NOT_COPIED;
        if (read == HERALD_HOST_NO_MEMORY) status = herald_host_complain_of_memory();
        if (read != HERALD_HOST_COPIED) continue;
        uint32_t class = herald_host_value_class(old->header, herald_host_cell_value(cell->word));
        status = class < HERALD_HOST_VALUE_CLASSES ? each(move, cell, class, block) : HeraldOK;
    }
    free(block);
    return status;
}

/* The cells have memory. So there is no cell only if another program has spoilt the old file: then this one is lost. */
static HeraldStatus enter(struct move *move, const struct herald_host_cell *cell, uint32_t class,
                          const struct herald_host_received *received) {
    struct herald_host_entry *entry;
    if (herald_host_cell_obtain(move->fresh, cell->key, cell->name) == HERALD_HOST_CELLS) return HeraldOK;
    move->count[class]++;
    return herald_host_entry_obtain(move->fresh, received->name, received->fields.name - 1, true, &entry);
}

HeraldStatus herald_host_carry_reserve(struct herald_host_segment *old, struct herald_host_segment *fresh) {
    struct move move = {.fresh = fresh};
    uint32_t used = herald_host_cells_used(old->header);
    if (!used) return HeraldOK;
    HeraldStatus status = herald_host_cells_open(fresh);
    for (uint32_t i = 0; i < used && status == HeraldOK; i += HERALD_HOST_CELLS_AT_ONCE)
        if (!herald_host_cells_make_ready(fresh, i)) status = HeraldTransportFailed;
    if (status == HeraldOK) status = walk(old, &move, enter);
    return status == HeraldOK ? herald_host_values_reserve(fresh, move.count) : status;
}

/* The value stays in the class that it had: otherwise a full file could have no room in the next one. So there is no
 * room only if another program has spoilt one of the files: then this value is lost. */
static HeraldStatus copy(struct move *move, const struct herald_host_cell *cell, uint32_t class,
                         const struct herald_host_received *received) {
    struct herald_host_header *fresh = move->fresh->header;
    uint32_t number = herald_host_cell_obtain(move->fresh, cell->key, cell->name);
    if (number == HERALD_HOST_CELLS) return HeraldOK;
    uint32_t value =
        herald_host_value_claim_in(move->fresh, class, herald_host_content_size(&received->fields), &move->from[class]);
    if (!value) return HeraldOK;
    const struct herald_host_outgoing outgoing = {.name = received->name,
                                                  .message = &received->message,
                                                  .object = received->message.object,
                                                  .fields = received->fields};
    struct herald_host_value *to = herald_host_value_claimed(fresh, value);
    herald_host_value_write(to, &outgoing, number);
    to->sequence = received->sequence;
    to->name_sequence = received->fields.name_sequence;
    herald_host_cell_at(fresh, number)->word = herald_host_cell_word(received->sequence, value);
    return HeraldOK;
}

static bool is_forgotten(const struct herald_host_cell *cell) {
    uint64_t word = cell->word;
    return word && !herald_host_cell_value(word);
}

/* What was forgotten is noted in a new file, because a process that comes from an older line may still bring it. But
 * half of the cells stay free, because such a cell is not used for anything else until the next file. */
static bool leaves_room(struct herald_host_segment *fresh) {
    return herald_host_cells_used(fresh->header) < HERALD_HOST_CELLS / 2;
}

/* Copies what was forgotten in the line. */
static void copy_forgotten(struct herald_host_segment *old, struct herald_host_segment *fresh) {
    uint32_t used = old->header->line == fresh->header->line ? herald_host_cells_used(old->header) : 0;
    for (uint32_t i = 0; i < used && leaves_room(fresh); i++) {
        const struct herald_host_cell *cell = herald_host_cell_with_memory(old->header, i);
        if (!cell || !is_forgotten(cell)) continue;
        uint32_t number = herald_host_cell_obtain(fresh, cell->key, cell->name);
        uint64_t none = 0;
        if (number == HERALD_HOST_CELLS) return;
        atomic_compare_exchange_strong(&herald_host_cell_at(fresh->header, number)->word, &none, cell->word);
    }
}

HeraldStatus herald_host_carry_copy(struct herald_host_segment *old, struct herald_host_segment *fresh) {
    struct move move = {.fresh = fresh};
    if (!HERALD_HOST_STEP(CARRY)) return HeraldOK;
    HeraldStatus status =
        herald_host_carry_reserve(old, fresh); /* again: more may have been kept since the first time */
    if (status == HeraldOK) status = walk(old, &move, copy);
    if (status == HeraldOK) copy_forgotten(old, fresh);
    return status;
}

/* Whether something was kept or forgotten in the file's line. */
static bool is_kept_since(struct herald_host_segment *segment, uint32_t number) {
    const struct herald_host_cell *cell = herald_host_cell_with_memory(segment->header, number);
    return cell && herald_host_cell_is_of_line(segment->header, cell->word);
}

/* Posts a record that nobody hears, and that changes the cell only if nothing was put there in the line. Without a
 * message it forgets what the cell keeps. */
static HeraldStatus post(struct herald_host_outgoing *outgoing, struct herald_host_segment *segment) {
    bool written;
    outgoing->fields.options |= HERALD_HOST_IS_KEPT | HERALD_HOST_IS_SILENT;
    outgoing->part.if_empty = 1;
    HeraldStatus status = herald_host_outbox_post(outgoing, segment, &written);
    if (status != HeraldOK || written) return status;
    return herald_host_complain(HeraldTransportFailed, "%s is being replaced by another process", segment->path);
}

static HeraldStatus keep(const struct herald_host_received *block, struct herald_host_segment *segment) {
    struct herald_host_entry *entry;
    struct herald_host_outgoing outgoing = {
        .name = block->name, .message = &block->message, .fields = {.name = block->fields.name}};
    if (is_kept_since(segment, herald_host_current_cell(segment->header, block->name, block->message.object)) ||
        herald_host_outbox_measure(&outgoing) != HeraldOK)
        return HeraldOK;
    herald_host_entry_obtain(segment, block->name, block->fields.name - 1, true, &entry);
    return post(&outgoing, segment);
}

/* Forgets in the new file what was forgotten in the cell of an old file. The cell does not say what its name was.
 * `is_over`: nothing more is kept in the old file. Otherwise only what the new file keeps is forgotten: a process that
 * keeps in the old file again may still come from there. */
static HeraldStatus forget(const struct herald_host_cell *cell, struct herald_host_segment *segment, bool is_over) {
    static const char text[] = "forgotten";
    uint32_t number = herald_host_cell_find(segment->header, cell->key);
    bool is_there = number != HERALD_HOST_CELLS;
    if (is_there ? is_kept_since(segment, number) : !is_over || !leaves_room(segment)) return HeraldOK;
    struct herald_host_outgoing outgoing = {
        .name = text, .fields = {.name = sizeof text, .hash = cell->name}, .key = cell->key};
    return post(&outgoing, segment);
}

HeraldStatus herald_host_carry_again(struct herald_host_segment *old, struct herald_host_segment *segment) {
    struct herald_host_received *block = NULL;
    HeraldStatus status = HeraldOK;
    bool is_new_line = old->header->line != segment->header->line, is_over = old->header->superseded;
    uint32_t used = HERALD_HOST_STEP(CARRY) && is_new_line ? herald_host_cells_used(old->header) : 0;
    for (uint32_t i = 0; i < used && status != HeraldTransportFailed; i++) {
        const struct herald_host_cell *cell = herald_host_cell_with_memory(old->header, i);
        enum herald_host_copied read = herald_host_current_read(old->header, i, &block);
        HeraldStatus carried = HeraldOK;
        if (read == HERALD_HOST_NO_MEMORY) carried = herald_host_complain_of_memory();
        if (read == HERALD_HOST_COPIED) carried = keep(block, segment);
        if (read == HERALD_HOST_NOT_COPIED && cell && is_forgotten(cell)) carried = forget(cell, segment, is_over);
        if (carried != HeraldOK) status = carried; /* the others may find room */
    }
    free(block);
    return status;
}
