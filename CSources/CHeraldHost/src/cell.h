/* Cells: what is kept for each name and object. A cell's word says which record was kept last, and where its value
 * (value.h) is. The scheme: the log is the truth. A kept post is one record in the log, published like any other. Who
 * finds it at the tail puts its value into the cell before the tail moves on (log.c). So before a record is published,
 * all older kept records are in their cells, whichever processes were killed.
 *
 * Cells are found by a hash of name and object, and are in use as long as the file. A new file gets those that keep
 * something (carry.h).
 *
 * Ordering: Sequentially consistent. Progress: Bounded, because any program of the user's may write to the file.
 */
#ifndef HERALD_HOST_CELL_H
#define HERALD_HOST_CELL_H

#include "value.h"

HERALD_BEGIN
/* Takes memory for what is kept, unless the file has it. */
HeraldStatus herald_host_cells_open(struct herald_host_segment *segment);

/* The key of a name and an object. The lengths are with the NULs, as in a record; `object_size` 0: no object. */
uint64_t herald_host_cell_key(const char *name, uint32_t name_size, const char *object, uint32_t object_size);
/* The number of the key's cell. HERALD_HOST_CELLS: there is none. */
uint32_t herald_host_cell_find(struct herald_host_header *header, uint64_t key);
/* Finds the cell, or takes one. HERALD_HOST_CELLS: there is no room. `name`: the name's hash. */
uint32_t herald_host_cell_obtain(struct herald_host_segment *segment, uint64_t key, uint32_t name);
/* How many cells are in use: those with lower numbers. */
uint32_t herald_host_cells_used(struct herald_host_header *header);

/* Makes sure that the cell has memory. */
bool herald_host_cells_make_ready(struct herald_host_segment *segment, uint32_t cell);
/* The cell with this number. NULL: it has no memory. */
struct herald_host_cell *herald_host_cell_with_memory(struct herald_host_header *header, uint32_t cell);

/* A cell's word, and what it says: lower bits of the record's sequence number, and the number of the value. */
enum { HERALD_HOST_CELL_VALUE_BITS = 24 };
static inline uint64_t herald_host_cell_word(uint64_t sequence, uint32_t value) {
    return sequence << HERALD_HOST_CELL_VALUE_BITS | value;
}
static inline uint64_t herald_host_cell_sequence(uint64_t word) { return word >> HERALD_HOST_CELL_VALUE_BITS; }
static inline uint32_t herald_host_cell_value(uint64_t word) {
    return (uint32_t)word & ((1u << HERALD_HOST_CELL_VALUE_BITS) - 1);
}

/* Whether a cell's word was put there by a record of this file or of an earlier one of its line (layout.h). Otherwise
 * nothing was ever put there, or it was kept before the line began, and was copied. */
bool herald_host_cell_is_of_line(struct herald_host_header *header, uint64_t word);

/* For the log: puts the value of a record that was published at the tail into its cell. `from`: the ring of the record.
 * `ring`: a ring that this process has locked, whose head says what it does; HERALD_HOST_RINGS: none. `rests`: see
 * herald_host_value_free. */
void herald_host_cell_put(struct herald_host_header *header, const struct herald_host_part *part, uint64_t sequence,
                          uint32_t from, uint32_t ring, bool rests);
/* For the next owner of a ring, in two steps: before and after the records that were published are in their cells. */
void herald_host_cell_settle_old(struct herald_host_header *header, uint32_t ring);
void herald_host_cell_settle_hand(struct herald_host_header *header, uint32_t ring);

/* Whether the values and cells in use leave room for more, once they are in a new file. */
bool herald_host_cells_leave_room(struct herald_host_header *header);
HERALD_END
#endif
