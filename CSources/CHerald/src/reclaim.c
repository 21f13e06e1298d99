/* The reclaimer: deferred reclamation in batches, run by a writer that finds enough memory waiting.
 *
 * Ordering: Everything in a batch was unlinked before it was retired. After a heavy fence (here the handshake), a
 * poster that is in no section and shows no pin can find nothing of the batch. A poster that was in a section at the
 * fence may have found an item. If the poster still uses the item after the section, it has set a pin on the item
 * before the section's end (release in herald_section_end, acquire here).
 * Progress: A reclaim has two halves, before and after the fence. Between them other writers may go on retiring. The
 * second half notes the sections that are running, and waits for none of them: while a noted section has not ended, the
 * batch stays, and the next writer looks again. If a thread stays in a section and much memory gathers behind the
 * batch, each writer that reclaims sleeps for a millisecond. Pinned items leave the batch and wait for the next one.
 * Ownership: The lists, the batch and the noted sections belong to the domain's lock. Only the thread that has set
 * `reclaiming` moves the batch on.
 */
#include "reclaim.h"
#include "handshake.h"
#include "memory.h"
#include "sleeper.h"
#include "thread.h"

enum { ENOUGH = HERALD_RETIRED_ENOUGH, A_LITTLE_MORE = ENOUGH / 4, MUCH = 64 * ENOUGH, PINS = 256 };

size_t herald_reclaim_waiting, herald_reclaim_due = ENOUGH;

/* All of these belong to the domain's lock. */
static struct herald_retired *fresh, **fresh_end = &fresh; /* retired since the last batch */
static struct herald_retired *batch;                       /* waits for sections to end */
static bool reclaiming;                                    /* a thread is between the two halves of a reclaim */
static bool noted;                                         /* the batch has had its barrier, and sections were noted */

static void append(struct herald_retired *item) {
    item->next = NULL;
    *fresh_end = item;
    fresh_end = &item->next;
    store_relaxed(&herald_reclaim_waiting, herald_reclaim_waiting + item->size);
}

void herald_retire_locked(struct herald_retired *item, const struct herald_retired_kind *kind, size_t size) {
    item->kind = kind;
    item->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
    append(item);
}

void herald_retire(struct herald_retired *item, const struct herald_retired_kind *kind, size_t size) {
    herald_domain_lock();
    herald_retire_locked(item, kind, size);
    herald_domain_unlock();
}

/* Notes every section that is running: its thread may have found something in the batch. */
static void note_sections(void) {
    for (struct herald_thread *thread = herald_threads; thread; thread = thread->next) {
        uint64_t section = load_acquire(&thread->section);
        thread->noted = section & 1 ? section : 0;
    }
}

static bool noted_sections_ended(void) {
    if (!HERALD_STEP(SECTION_CHECK)) return true;
    bool ended = true;
    for (struct herald_thread *thread = herald_threads; thread; thread = thread->next) {
        if (!thread->noted) continue;
        if (load_acquire(&thread->section) == thread->noted) {
            ended = false;
        } else {
            thread->noted = 0;
        }
    }
    return ended;
}

static int compare_addresses(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return x < y ? -1 : x > y;
}

/* Moves the items at these pinned addresses from the batch to the list `fresh`. */
static void set_aside(const void **pins, size_t count) {
    qsort(pins, count, sizeof *pins, compare_addresses);
    for (struct herald_retired **link = &batch, *item; count && (item = *link);) {
        if (item->kind->is_pinned && bsearch(&item, pins, count, sizeof *pins, compare_addresses)) {
            *link = item->next;
            append(item);
        } else {
            link = &item->next;
        }
    }
}

/* Sets all pinned items aside, for each PINS pins together. Pinned addresses are only compared, never read: a post by
 * topic may pin a snapshot that has been freed already. */
static void set_pinned_aside(void) {
    const void *pins[PINS];
    size_t count = 0;
    struct herald_frames walk = herald_frames_begin();
    for (struct herald_frame *frame; HERALD_STEP(PIN_CHECK) && (frame = herald_frames_next(&walk));) {
        if (count > PINS - HERALD_PINS) {
            set_aside(pins, count);
            count = 0;
        }
        for (int i = 0; i < HERALD_PINS; i++) {
            pins[count] = load_acquire(&frame->pins[i]);
            count += pins[count] != NULL;
        }
    }
    set_aside(pins, count);
}

/* Under the domain's lock: takes the batch's items that no poster can see, and returns them. Pinned items go to the
 * list `fresh`. If a noted section has not ended, the batch stays as it is. */
static struct herald_retired *take_unseen(void) {
    if (!noted_sections_ended()) return NULL;
    set_pinned_aside();
    struct herald_retired *unseen = batch;
    batch = NULL;
    for (struct herald_retired *item = unseen; item; item = item->next)
        if (item->kind->unlink) item->kind->unlink(item);
    return unseen;
}

/* Under the domain's lock: makes the fresh items the batch, if there is no batch. */
static void begin_batch(void) {
    if (batch) return;
    batch = fresh;
    fresh = NULL;
    fresh_end = &fresh;
    store_relaxed(&herald_reclaim_waiting, (size_t)0);
    noted = false;
}

HERALD_SLOW void herald_reclaim(void) {
    herald_domain_lock();
    if (reclaiming) {
        herald_domain_unlock();
        return;
    }
    reclaiming = true;
    begin_batch();
    bool had_barrier = noted;
    herald_domain_unlock();

    /* The batch was detached before this: an item that is unlinked only after the barrier must not be in it. */
    if (!had_barrier && HERALD_STEP(HANDSHAKE_RECLAIM)) herald_handshake();

    herald_domain_lock();
    if (!had_barrier) note_sections();
    noted = true;
    struct herald_retired *unseen = take_unseen();
    /* If the batch must wait, the next reclaim is due soon. Otherwise it is due when ENOUGH more bytes wait. */
    store_relaxed(&herald_reclaim_due, herald_reclaim_waiting + (batch ? A_LITTLE_MORE : ENOUGH));
    bool is_late = batch && herald_reclaim_waiting > MUCH;
    reclaiming = false;
    herald_domain_unlock();
    if (is_late) herald_nap();
    for (struct herald_retired *next; unseen; unseen = next) {
        next = unseen->next;
        unseen->kind->destroy(unseen);
    }
}

void herald_reclaim_more(void) {
    for (int i = 0; i < 2; i++) herald_reclaim(); /* first a batch that has waited, then the fresh items */
}

void herald_reclaim_count(size_t size) {
    herald_domain_lock();
    store_relaxed(&herald_reclaim_waiting, herald_reclaim_waiting + size);
    herald_domain_unlock();
}

void herald_reclaim_after_fork(void) { reclaiming = false; }
