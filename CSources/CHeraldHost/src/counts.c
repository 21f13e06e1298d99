/* Counting the events of a trace in a hash table of fixed size.
 *
 * Ordering: A place gets its name first and then its center. Both stay for ever.
 * Progress: Lock-free. To count an event, at most 64 places are looked at.
 * Ownership: The counts belong to a viewer, which ends the trace before it frees them.
 */
#include "counts.h"

enum { PROBES = 64 };

static struct herald_host_count *place_of(struct herald_host_counts *counts, HeraldNameRef name, uint64_t center) {
    uint64_t mixed = ((uint64_t)(uintptr_t)name ^ center << 48) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t i = 0, at = mixed >> 52; i < PROBES; i++, at = (at + 1) % HERALD_HOST_COUNTS) {
        struct herald_host_count *count = &counts->all[at];
        HeraldNameRef there = count->name;
        if (!there && atomic_compare_exchange_strong(&count->name, &there, name)) {
            count->center = center;
            return count;
        }
        if (there != name) continue;
        /* 0: the thread that took the place has not written the center yet. Then the event is counted here. */
        uint64_t whose = count->center;
        if (whose == center || !whose) return count;
    }
    return NULL;
}

void herald_host_counts_add(void *context, const HeraldTraceEvent *event) {
    struct herald_host_counts *counts = context;
    bool is_post = event->phase == HeraldTracePostEnd, is_call = event->phase == HeraldTraceCallEnd;
    if ((!is_post && !is_call) || !event->name) return;
    struct herald_host_count *count = place_of(counts, event->name, event->token.center);
    if (!count) {
        counts->crowded++;
        return;
    }
    if (is_post) {
        count->posts++;
        count->tag = event->tag;
        return;
    }
    uint64_t took = event->end - event->begin, longest = count->longest;
    count->calls++;
    count->nanoseconds += took;
    while (took > longest && !atomic_compare_exchange_weak(&count->longest, &longest, took)) {
    }
    if (took > longest) count->longest_id = event->token.registration;
}
