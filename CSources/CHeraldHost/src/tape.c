/* A bounded queue of many writers and one reader (Vyukov).
 *
 * Ordering: A writer claims a cell by moving `head` on. A cell's `turn` orders its event: `turn` is loaded with acquire
 * before the event is written or read, and stored with release afterwards. So `head` may be relaxed.
 * Progress: Writing is lock-free, and never waits for the reader.
 * Ownership: The tape belongs to the reader, which ends the trace before it frees the tape.
 */
#include "tape.h"
#include <stdlib.h>

struct herald_host_tape *herald_host_tape_create(void) {
    struct herald_host_tape *tape =
        aligned_alloc(HERALD_LINE, (sizeof *tape + HERALD_LINE - 1) / HERALD_LINE * HERALD_LINE);
    if (!tape) return NULL;
    atomic_init(&tape->head, 0);
    tape->tail = 0;
    atomic_init(&tape->lost_posts, 0);
    atomic_init(&tape->lost_calls, 0);
    for (uint64_t i = 0; i < HERALD_HOST_TAPE_EVENTS; i++) atomic_init(&tape->cells[i].turn, i);
    return tape;
}

static void lose(struct herald_host_tape *tape, const HeraldTraceEvent *event) {
    *(event->phase == HeraldTracePostEnd ? &tape->lost_posts : &tape->lost_calls) += 1;
}

void herald_host_tape_write(struct herald_host_tape *tape, const HeraldTraceEvent *event) {
    uint64_t place = atomic_load_explicit(&tape->head, memory_order_relaxed);
    for (;;) {
        struct herald_host_tape_cell *cell = &tape->cells[place % HERALD_HOST_TAPE_EVENTS];
        uint64_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);
        if (turn == place) {
            if (!atomic_compare_exchange_weak_explicit(&tape->head, &place, place + 1, memory_order_relaxed,
                                                       memory_order_relaxed))
                continue;
            cell->event = *event;
            atomic_store_explicit(&cell->turn, place + 1, memory_order_release);
            return;
        }
        if (turn < place) return lose(tape, event); /* the tape is full: this cell has not been read yet */
        place = atomic_load_explicit(&tape->head, memory_order_relaxed);
    }
}

bool herald_host_tape_read(struct herald_host_tape *tape, HeraldTraceEvent *event) {
    struct herald_host_tape_cell *cell = &tape->cells[tape->tail % HERALD_HOST_TAPE_EVENTS];
    if (atomic_load_explicit(&cell->turn, memory_order_acquire) != tape->tail + 1) return false;
    *event = cell->event;
    atomic_store_explicit(&cell->turn, tape->tail + HERALD_HOST_TAPE_EVENTS, memory_order_release);
    tape->tail++;
    return true;
}
