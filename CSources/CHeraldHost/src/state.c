/* States.
 *
 * They go along after the old file's mark: a state that is set there later is set again, by who set it. Who makes a
 * file anew copies all of them before anybody can see the new one, so that in a file that has replaced another there is
 * nothing left to be carried: a process that comes late, from a file that others have left long ago, finds its states
 * set. Only after a file was removed each process brings what it knows.
 *
 * Ordering. Sequentially consistent. Progress. Bounded by the table. Ownership. The caller's.
 */
#include "state.h"

void herald_state_set(struct herald_entry *entry, uint64_t state) {
    entry->flags |= HERALD_HAS_STATE; /* first: see carry */
    entry->state = state;
}

/* Unless another process has set it there. (If one is just setting it to 0, the old one may come after that.) */
static void carry(struct herald_entry *old, struct herald_entry *entry) {
    uint64_t none = 0;
    if (entry->flags & HERALD_HAS_STATE) return;
    atomic_compare_exchange_strong(&entry->state, &none, old->state);
    entry->flags |= HERALD_HAS_STATE; /* last: a process that is killed before leaves it to the next */
}

static void only_enter(struct herald_entry *old, struct herald_entry *entry) { (void)old, (void)entry; }

static HeraldStatus take_along(struct herald_segment *old, struct herald_segment *segment,
                               void (*take)(struct herald_entry *old, struct herald_entry *entry)) {
    char text[HERALD_NAME_LIMIT + 1];
    for (uint32_t region = 0; region < herald_segment_regions(old); region++)
        for (uint32_t i = 0; i < herald_region_names(region); i++) {
            struct herald_entry *from = herald_region_entries(old->header, region) + i, *entry;
            uint32_t length = from->flags & HERALD_HAS_STATE ? herald_entry_text(old, region, from, text) : 0;
            if (!length) continue;
            HeraldStatus status = herald_entry_obtain(segment, text, length, true, &entry);
            if (status != HeraldOK) return status;
            if (entry) take(from, entry);
        }
    return HeraldOK;
}

HeraldStatus herald_states_prepare(struct herald_segment *old, struct herald_segment *segment) {
    return take_along(old, segment, only_enter);
}

HeraldStatus herald_states_carry(struct herald_segment *old, ino_t number, struct herald_segment *segment) {
    if (!herald_does(CARRY) || segment->header->carried == number) return HeraldOK;
    HeraldStatus status = take_along(old, segment, carry);
    if (status == HeraldOK) segment->header->carried = number; /* last, likewise */
    return status;
}
