/* Keeping states when another file becomes the user's file.
 *
 * States are copied after the old file is marked as superseded. A process that sets a state in the old file after the
 * mark sets it again in the new file. A process that replaces a file copies all states before another process can see
 * the new file. So a process that comes to the new file later finds all states set, and copies none. If a file was
 * removed instead, the first process that moves to the next file copies the states. If the removed file is put back
 * before all processes have left it, some states may be out of date.
 *
 * Ordering: Sequentially consistent.
 * Progress: Bounded by the size of the name table.
 * Ownership: The caller's.
 */
#include "state.h"

void herald_host_state_set(struct herald_host_entry *entry, uint64_t state) {
    entry->flags |= HERALD_HOST_HAS_STATE; /* set first: see carry */
    entry->state = state;
}

/* Copies a state, unless a process has already set the state in the new file. (If a process is setting the state to 0
 * at this moment, the old state may replace that 0.) */
static void carry(struct herald_host_entry *old, struct herald_host_entry *entry) {
    uint64_t none = 0;
    if (entry->flags & HERALD_HOST_HAS_STATE) return;
    atomic_compare_exchange_strong(&entry->state, &none, old->state);
    /* Set last: if this process is killed before that, the next process copies the state. */
    entry->flags |= HERALD_HOST_HAS_STATE;
}

static bool has_state(const struct herald_host_segment *old, const struct herald_host_entry *entry) {
    (void)old;
    return entry->flags & HERALD_HOST_HAS_STATE;
}

HeraldStatus herald_host_states_carry(struct herald_host_segment *old, ino_t number,
                                      struct herald_host_segment *segment) {
    uint64_t carried = number ^ old->header->line; /* a file in another folder may have the same inode number */
    if (!HERALD_HOST_STEP(CARRY) || segment->header->carried == carried) return HeraldOK;
    HeraldStatus status = herald_host_entries_carry(old, segment, has_state, carry);
    /* Set last: if this process is killed before that, the next process copies all states. */
    if (status == HeraldOK) segment->header->carried = carried;
    return status;
}
