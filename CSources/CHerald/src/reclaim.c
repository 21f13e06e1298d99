/* The reclaimer: in batches, by whichever writer finds that enough has gathered.
 *
 * Ordering. What is in a batch was unlinked before it was retired. After a heavy barrier, a poster that does not show
 * an odd section or a pin will not find it; one that showed an odd section may have found it, and shows a pin by the
 * time the section is over (release in herald_section_end, acquire here).
 * Progress. Nobody is waited for: while a noted section has not ended, the batch stays and the next writer looks
 * again. What is pinned goes back among what is fresh. Writers between the two halves of a reclaim go on retiring.
 * Ownership. The list, the batch and the notes belong to the domain's lock; the thread that set `reclaiming` alone
 * moves the batch on.
 */
#include "reclaim.h"
#include "barrier.h"
#include "center.h"
#include "memory.h"

enum { ENOUGH = HERALD_RETIRED_ENOUGH, A_LITTLE_MORE = ENOUGH / 4, FEW_PINS = 256 };

static void append(struct herald_retired *item) {
    item->next = NULL;
    *herald_domain.fresh_end = item;
    herald_domain.fresh_end = &item->next;
    store_relaxed(&herald_domain.fresh_size, herald_domain.fresh_size + item->size);
}

static void retire(struct herald_retired *item, void *memory, size_t size, bool is_snapshot) {
    item->memory = memory;
    item->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
    item->is_snapshot = is_snapshot;
    append(item);
}

void herald_retire_snapshot(struct herald_retired *item, size_t size) { retire(item, item, size, true); }

void herald_retire(struct herald_retired *item, void *memory, size_t size) {
    herald_domain_lock();
    retire(item, memory, size, false);
    herald_domain_unlock();
}

/* Notes every section that is going on: it may have found what is in the batch. */
static void note_sections(void) {
    for (struct herald_thread *thread = herald_domain.threads; thread; thread = thread->next) {
        uint64_t section = load_acquire(&thread->section);
        thread->noted = section & 1 ? section : 0;
    }
}

static bool noted_sections_ended(void) {
    if (!herald_keep(SECTION_CHECK)) return true;
    bool ended = true;
    for (struct herald_thread *thread = herald_domain.threads; thread; thread = thread->next) {
        if (!thread->noted) continue;
        if (load_acquire(&thread->section) == thread->noted) {
            ended = false;
        } else {
            thread->noted = 0;
        }
    }
    return ended;
}

struct pins {
    const void **list;
    size_t count, room;
    const void *few[FEW_PINS];
};

static int compare_addresses(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return x < y ? -1 : x > y;
}

/* Every pinned address, sorted. A topic's pin may be of a snapshot that is gone already: addresses only. False when
 * there are more than memory for them. */
static bool gather_pins(struct pins *pins) {
    pins->list = pins->few;
    pins->count = 0;
    pins->room = FEW_PINS;
    struct herald_frames walk = herald_frames_begin();
    for (struct herald_frame *frame; herald_keep(PIN_CHECK) && (frame = herald_frames_next(&walk));) {
        for (int i = 0; i < HERALD_PINS; i++) {
            const void *pin = load_acquire(&frame->pins[i]);
            if (!pin) continue;
            if (pins->count == pins->room) {
                const void **more = malloc(pins->room * 2 * sizeof *more);
                if (!more) {
                    if (pins->list != pins->few) free(pins->list);
                    return false;
                }
                memcpy(more, pins->list, pins->count * sizeof *more);
                if (pins->list != pins->few) free(pins->list);
                pins->list = more;
                pins->room *= 2;
            }
            pins->list[pins->count++] = pin;
        }
    }
    qsort(pins->list, pins->count, sizeof *pins->list, compare_addresses);
    return true;
}

static bool is_pinned(const struct pins *pins, const void *snapshot) {
    return pins->count && bsearch(&snapshot, pins->list, pins->count, sizeof *pins->list, compare_addresses);
}

/* Under the domain's lock: takes out of the batch what nobody can see; what is pinned is fresh again. */
static struct herald_retired *take_unseen(void) {
    struct pins pins;
    struct herald_retired *unseen = NULL;
    if (noted_sections_ended() && gather_pins(&pins)) {
        struct herald_retired *item = herald_domain.batch, *next;
        herald_domain.batch = NULL;
        for (; item; item = next) {
            next = item->next;
            struct herald_snapshot *snapshot = item->is_snapshot ? (struct herald_snapshot *)(void *)item : NULL;
            if (snapshot && is_pinned(&pins, snapshot)) {
                append(item);
                continue;
            }
            if (snapshot) herald_snapshot_unlink(snapshot);
            item->next = unseen;
            unseen = item;
        }
        if (pins.list != pins.few) free(pins.list);
    }
    return unseen;
}

static void free_unseen(struct herald_retired *item) {
    for (struct herald_retired *next; item; item = next) {
        next = item->next;
        HeraldCenterRef center = item->is_snapshot ? ((struct herald_snapshot *)(void *)item)->center : NULL;
        free(item->memory);
        if (center) herald_center_let_go(center);
    }
}

HERALD_SLOW void herald_reclaim(void) {
    herald_domain_lock();
    if (herald_domain.reclaiming) {
        herald_domain_unlock();
        return;
    }
    herald_domain.reclaiming = true;
    bool fresh = !herald_domain.batch;
    if (fresh) {
        herald_domain.batch = herald_domain.fresh;
        herald_domain.fresh = NULL;
        herald_domain.fresh_end = &herald_domain.fresh;
        store_relaxed(&herald_domain.fresh_size, 0);
        herald_domain.noted = false;
    }
    bool noted = herald_domain.noted;
    herald_domain_unlock();

    /* The batch is detached first: the barrier must come after everything in it was unlinked. */
    if (!noted && herald_keep(HEAVY_RECLAIM)) herald_heavy();

    herald_domain_lock();
    if (!noted) note_sections();
    herald_domain.noted = true;
    struct herald_retired *unseen = take_unseen();
    /* A batch that must wait is looked at again soon; what came back pinned waits for as much again to gather. */
    store_relaxed(&herald_domain.due_size, herald_domain.fresh_size + (herald_domain.batch ? A_LITTLE_MORE : ENOUGH));
    herald_domain.reclaiming = false;
    herald_domain_unlock();
    free_unseen(unseen);
}
