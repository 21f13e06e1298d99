/* States.
 *
 * They go along after the old file's mark: a state that is set there later is set again, by who set it. Who makes a
 * file anew copies all of them before anybody can see the new one, so that in a file that has replaced another there is
 * nothing left to be carried: a process that comes late, from a file that others have left long ago, finds its states
 * set. Only after a file was removed it brings what it knows, and if the removed file comes back to its place before
 * all have left it, that may be old.
 *
 * Ordering. Sequentially consistent. Progress. Bounded by the table. Ownership. The caller's.
 */
#include "state.h"

void herald_host_state_set(struct herald_host_entry *entry, uint64_t state) {
    entry->flags |= HERALD_HOST_HAS_STATE; /* first: see carry */
    entry->state = state;
}

/* Unless another process has set it there. (If one is just setting it to 0, the old one may come after that.) */
static void carry(struct herald_host_entry *old, struct herald_host_entry *entry) {
    uint64_t none = 0;
    if (entry->flags & HERALD_HOST_HAS_STATE) return;
    atomic_compare_exchange_strong(&entry->state, &none, old->state);
    entry->flags |= HERALD_HOST_HAS_STATE; /* last: a process that is killed before leaves it to the next */
}

static bool has_state(const struct herald_host_segment *old, const struct herald_host_entry *entry) {
    (void)old;
    return entry->flags & HERALD_HOST_HAS_STATE;
}

HeraldStatus herald_host_states_prepare(struct herald_host_segment *old, struct herald_host_segment *segment) {
    return herald_host_entries_carry(old, segment, has_state, NULL);
}

HeraldStatus herald_host_states_carry(struct herald_host_segment *old, ino_t number,
                                      struct herald_host_segment *segment) {
    uint64_t carried = number ^ old->header->line; /* a file of another folder may have the same number */
    if (!HERALD_HOST_STEP(CARRY) || segment->header->carried == carried) return HeraldOK;
    HeraldStatus status = herald_host_entries_carry(old, segment, has_state, carry);
    if (status == HeraldOK) segment->header->carried = carried; /* last, likewise */
    return status;
}
