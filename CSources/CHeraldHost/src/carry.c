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

HeraldStatus herald_host_carry_copy(struct herald_host_segment *old, struct herald_host_segment *fresh) {
    struct move move = {.fresh = fresh};
    if (!HERALD_HOST_STEP(CARRY)) return HeraldOK;
    HeraldStatus status =
        herald_host_carry_reserve(old, fresh); /* again: more may have been kept since the first time */
    return status == HeraldOK ? walk(old, &move, copy) : status;
}

HeraldStatus herald_host_carry_again(struct herald_host_segment *old, struct herald_host_segment *segment) {
    struct herald_host_received *block = NULL;
    HeraldStatus status = HeraldOK;
    bool is_new_line = old->header->line != segment->header->line;
    uint32_t used = HERALD_HOST_STEP(CARRY) && is_new_line ? herald_host_cells_used(old->header) : 0;
    for (uint32_t i = 0; i < used && status == HeraldOK; i++) {
        struct herald_host_entry *entry;
        bool written;
        if (herald_host_current_read(old->header, i, &block) != HERALD_HOST_COPIED) continue;
        struct herald_host_outgoing outgoing = {
            .name = block->name, .message = &block->message, .fields = {.name = block->fields.name}};
        if (herald_host_outbox_measure(&outgoing) != HeraldOK) continue;
        outgoing.fields.options |= HERALD_HOST_IS_SILENT;
        outgoing.part.if_empty = 1;
        herald_host_entry_obtain(segment, block->name, block->fields.name - 1, true, &entry);
        HeraldStatus posted = herald_host_outbox_post(&outgoing, segment, &written);
        if (posted != HeraldQueueFull && !written) status = HeraldTransportFailed;
    }
    free(block);
    return status;
}
