/* A bounded queue of many writers and one reader (Vyukov).
 *
 * Ordering: A writer claims a cell by moving `head` on. A cell's `turn` orders its event: `turn` is loaded with acquire
 * before the event is written or read, and stored with release afterwards. So `head` may be relaxed.
 * Progress: Writing is lock-free, and never waits for the reader.
 * Ownership: The tape belongs to the reader, which ends the trace before it frees the tape.
 */
#include "tape.h"

/* While a writer may fill the cell at this place. A lap is once round the cells. */
static uint64_t turn_of(uint64_t place) { return place / HERALD_HOST_TAPE_EVENTS * 2; }

static void lose(struct herald_host_tape *tape, const HeraldTraceEvent *event) {
    *(event->phase == HeraldTracePostEnd ? &tape->lost_posts : &tape->lost_calls) += 1;
}

void herald_host_tape_write(void *context, const HeraldTraceEvent *event) {
    struct herald_host_tape *tape = context;
    if (event->phase == HeraldTracePostBegin || event->phase == HeraldTraceCallBegin) return;
    if (tape->center && tape->center != event->token.center) return;
    uint64_t place = atomic_load_explicit(&tape->head, memory_order_relaxed);
    for (;;) {
        struct herald_host_tape_cell *cell = &tape->cells[place % HERALD_HOST_TAPE_EVENTS];
        uint64_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire), mine = turn_of(place);
        if (turn < mine) return lose(tape, event); /* the tape is full: this cell has not been read yet */
        if (turn > mine) {                         /* other writers have gone on */
            place = atomic_load_explicit(&tape->head, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(&tape->head, &place, place + 1, memory_order_relaxed,
                                                         memory_order_relaxed)) {
            cell->event = *event;
            atomic_store_explicit(&cell->turn, mine + 1, memory_order_release);
            return;
        }
    }
}

bool herald_host_tape_read(struct herald_host_tape *tape, HeraldTraceEvent *event) {
    struct herald_host_tape_cell *cell = &tape->cells[tape->tail % HERALD_HOST_TAPE_EVENTS];
    uint64_t mine = turn_of(tape->tail);
    if (atomic_load_explicit(&cell->turn, memory_order_acquire) != mine + 1) return false;
    *event = cell->event;
    atomic_store_explicit(&cell->turn, mine + 2, memory_order_release);
    tape->tail++;
    return true;
}
