/* Ordering, progress: those of the functions that it uses. Ownership: Both files are mapped for the call. */
#include "carry.h"
#include "current.h"
#include "entry.h"
#include "host_complaint.h"
#include "outbox.h"
#include <stdlib.h>

/* The new file, and where to look for free values of each class. */
struct move {
    struct herald_host_segment *fresh;
    uint32_t from[HERALD_HOST_VALUE_CLASSES];
};

/* Calls `each` for each cell that keeps something, with a copy of it, and with the class of its value. */
static HeraldStatus walk(struct herald_host_segment *old, struct herald_host_segment *fresh,
                         HeraldStatus (*each)(struct move *move, const struct herald_host_cell *cell, uint32_t class,
                                              const struct herald_host_received *received)) {
    struct herald_host_received *block = NULL;
    struct move move = {.fresh = fresh};
    HeraldStatus status = HeraldOK;
    uint32_t used = herald_host_cells_used(old->header);
    for (uint32_t i = 0; i < used && status == HeraldOK; i++) {
        const struct herald_host_cell *cell = herald_host_cell_with_memory(old->header, i);
        if (!cell || !herald_host_current_read(old->header, i, &block)) continue;
        uint32_t class = herald_host_value_class(old->header, herald_host_cell_value(cell->word));
        status = class < HERALD_HOST_VALUE_CLASSES ? each(&move, cell, class, block) : HeraldOK;
    }
    free(block);
    return status;
}

static HeraldStatus complain_of_memory(const struct herald_host_segment *fresh) {
    return herald_host_complain(HeraldTransportFailed, "there is no room for what %s keeps", fresh->path);
}

static HeraldStatus enter(struct move *move, const struct herald_host_cell *cell, uint32_t class,
                          const struct herald_host_received *received) {
    (void)class;
    struct herald_host_entry *entry;
    HeraldStatus status =
        herald_host_entry_obtain(move->fresh, received->name, received->fields.name - 1, true, &entry);
    if (status != HeraldOK) return status;
    uint32_t number = herald_host_cell_obtain(move->fresh, cell->key, cell->name);
    return number == HERALD_HOST_CELLS ? complain_of_memory(move->fresh) : HeraldOK;
}

HeraldStatus herald_host_carry_reserve(struct herald_host_segment *old, struct herald_host_segment *fresh) {
    uint32_t count[HERALD_HOST_VALUE_CLASSES] = {0}, used = herald_host_cells_used(old->header);
    if (!used) return HeraldOK;
    for (uint32_t i = 0; i < used; i++) {
        const struct herald_host_cell *cell = herald_host_cell_with_memory(old->header, i);
        uint32_t class =
            cell ? herald_host_value_class(old->header, herald_host_cell_value(cell->word)) : HERALD_HOST_VALUE_CLASSES;
        if (class < HERALD_HOST_VALUE_CLASSES) count[class]++;
    }
    HeraldStatus status = herald_host_cells_open(fresh);
    if (status == HeraldOK) status = herald_host_values_reserve(fresh, count);
    return status == HeraldOK ? walk(old, fresh, enter) : status;
}

/* The value stays in the class that it had: otherwise a full file could have no room in the next one. */
static HeraldStatus copy(struct move *move, const struct herald_host_cell *cell, uint32_t class,
                         const struct herald_host_received *received) {
    struct herald_host_header *fresh = move->fresh->header;
    uint32_t value = herald_host_value_claim_in(move->fresh, class, &move->from[class]);
    uint32_t number = herald_host_cell_obtain(move->fresh, cell->key, cell->name);
    if (!value || number == HERALD_HOST_CELLS) return complain_of_memory(move->fresh);
    const struct herald_host_outgoing outgoing = {.name = received->name,
                                                  .message = &received->message,
                                                  .object = received->message.object,
                                                  .fields = received->fields};
    struct herald_host_value *to = herald_host_value_at(fresh, value);
    herald_host_value_write(to, &outgoing, number);
    to->sequence = received->sequence;
    to->name_sequence = received->fields.name_sequence;
    herald_host_cell_at(fresh, number)->word = herald_host_cell_word(received->sequence, value);
    return HeraldOK;
}

HeraldStatus herald_host_carry_copy(struct herald_host_segment *old, struct herald_host_segment *fresh) {
    /* Again, because more may have been kept since the first time. */
    HeraldStatus status = HERALD_HOST_STEP(CARRY) ? herald_host_carry_reserve(old, fresh) : HeraldOK;
    return status == HeraldOK && HERALD_HOST_STEP(CARRY) ? walk(old, fresh, copy) : status;
}

void herald_host_carry_again(struct herald_host_segment *old, struct herald_host_segment *segment) {
    struct herald_host_received *block = NULL;
    uint32_t used = HERALD_HOST_STEP(CARRY) ? herald_host_cells_used(old->header) : 0;
    for (uint32_t i = 0; i < used; i++) {
        struct herald_host_entry *entry;
        bool written;
        if (!herald_host_current_read(old->header, i, &block)) continue;
        struct herald_host_outgoing outgoing = {
            .name = block->name, .message = &block->message, .fields = {.name = block->fields.name}};
        if (herald_host_outbox_measure(&outgoing) != HeraldOK) continue;
        outgoing.fields.options |= HERALD_HOST_IS_SILENT;
        outgoing.part.if_empty = 1;
        herald_host_entry_obtain(segment, block->name, block->fields.name - 1, true, &entry);
        herald_host_outbox_post(&outgoing, segment, &written);
    }
    free(block);
}
