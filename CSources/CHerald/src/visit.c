/* Walks over centers, registrations and running callbacks.
 *
 * Ordering: A visitor gets a copy that was made under the center's lock or the domain's. Visitors and describers run
 * under no lock.
 * Progress: The center's lock is held for at most 1,024 slots at a time.
 * Ownership: A center's memory is kept while the center is visited.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "call.h"
#include "describer.h"
#include "entry_points.h"
#include "follower.h"
#include "memory.h"
#include <herald/inspect.h>

/* The next center that is neither hidden nor closed, as herald_center_after. */
static HeraldCenterRef next_shown(HeraldCenterRef center) {
    do center = herald_center_after(center);
    while (center && (center->hidden || !load_relaxed(&center->references)));
    return center;
}

void herald_own_HeraldVisitCenters(bool (*visit)(void *context, HeraldCenterRef center), void *context) {
    if (!visit) return;
    HeraldCenterRef center __attribute__((cleanup(herald_center_memory_end))) = NULL;
    while ((center = next_shown(center))) {
        HERALD_HOOKS(hooks);
        if (!visit(context, center)) return;
    }
}

size_t herald_own_HeraldCenterGetRegistrationCount(HeraldCenterRef center, size_t *held) {
    size_t count = 0, posts = 0;
    if (center) {
        herald_center_lock(center);
        count = center->slots.live;
        posts = (size_t)(center->queue.count + herald_follower_backlog_of_all(center));
        herald_center_unlock(center);
    }
    if (held) *held = posts;
    return count;
}

uint64_t herald_own_HeraldCenterGetNumber(HeraldCenterRef center) { return center ? center->number : 0; }

/* ---- Registrations ----------------------------------------------------------------------------------------------- */

enum { AT_ONCE = 128 };

/* Under the center's lock: copies registrations whose slots come after slot `*number`. Then `*number` is the last slot
 * that was looked at, or UINT32_MAX if there are no more slots. Returns how many registrations were copied. */
static size_t copy_some(HeraldCenterRef center, uint32_t *number, HeraldRegistrationInfo *infos) {
    size_t count = 0;
    for (uint32_t looked = 0; count < AT_ONCE && looked < 8 * AT_ONCE; looked++) {
        struct herald_slot *slot = herald_slots_after(&center->slots, *number);
        if (!slot) {
            *number = UINT32_MAX;
            break;
        }
        *number = slot->self;
        if (!herald_slot_is_there(slot)) continue;
        HeraldRegistrationInfo *info = &infos[count++];
        memset(info, 0, sizeof *info);
        info->size = sizeof *info;
        info->token.center = center->number;
        info->token.registration = herald_slot_registration(slot);
        info->order = slot->sequence;
        info->name = slot->bucket->key.name;
        info->object = slot->bucket->key.object;
        struct herald_caller caller = herald_slot_caller(slot);
        info->observer = caller.observer;
        info->callback = caller.callback;
        info->behavior = herald_slot_behavior(slot);
        info->isBlocked = load_relaxed(&slot->state) == HERALD_BLOCKED;
        info->queued = (size_t)herald_queue_count_for(&center->queue, slot);
        if (slot->traits & HERALD_FOLLOWS) info->queued += (size_t)herald_follower_backlog(slot);
    }
    return count;
}

typedef bool visitor(void *context, const HeraldRegistrationInfo *info);

static bool show(HeraldCenterRef center, HeraldRegistrationInfo *info, visitor *visit, void *context, size_t *shown) {
    HeraldDescription description;
    switch (herald_describe(center, info->token.registration, info->callback, &description)) {
    case HERALD_GONE: return true;
    case HERALD_DESCRIBED: info->description = &description; break;
    case HERALD_UNDESCRIBED: break;
    }
    ++*shown;
    HERALD_HOOKS(hooks);
    return visit(context, info);
}

size_t herald_own_HeraldCenterVisitRegistrations(HeraldCenterRef center, visitor *visit, void *context) {
    HeraldRegistrationInfo infos[AT_ONCE];
    if (!center || !visit) return 0;
    HERALD_RETAIN_MEMORY(kept, center);
    size_t visited = 0;
    for (uint32_t number = 0; number != UINT32_MAX;) {
        herald_center_lock(center);
        size_t count = copy_some(center, &number, infos);
        herald_center_unlock(center);
        for (size_t i = 0; i < count; i++) {
            if (!show(center, &infos[i], visit, context, &visited)) return visited;
        }
    }
    return visited;
}

/* ---- Running callbacks ------------------------------------------------------------------------------------------- */

struct running {
    const struct herald_slot *slot;
    uint64_t since;
    uint32_t thread;
};

/* Under the domain's lock: copies up to `room` running callbacks. Returns how many there are, which may be more. */
static size_t copy_running(struct running *all, size_t room) {
    size_t count = 0;
    struct herald_frames walk = herald_frames_begin();
    for (struct herald_frame *frame; (frame = herald_frames_next(&walk));) {
        const struct herald_slot *slot = herald_frame_shows(frame);
        if (!slot) continue;
        if (count < room) {
            all[count].slot = slot;
            all[count].since = load_relaxed(&frame->since);
            all[count].thread = walk.thread ? (uint32_t)walk.thread->number : 0;
        }
        count++;
    }
    return count;
}

static struct running *list_running(size_t *count) {
    for (size_t room = 64;; room = *count + 64) {
        struct running *all = (struct running *)malloc(room * sizeof *all);
        if (!all) return NULL;
        herald_domain_lock();
        *count = copy_running(all, room);
        herald_domain_unlock();
        if (*count <= room) return all;
        free(all);
    }
}

static void free_running(struct running **running) { free(*running); }

/* Visits the running callbacks of one center. A slot may have ended since a frame showed it, and its memory may be in
 * other use. So each address is first looked up among the center's slots, and read only if it is found there. */
static bool show_running(HeraldCenterRef center, const struct running *all, size_t count,
                         bool (*visit)(void *context, const HeraldRunningInfo *info), void *context) {
    for (size_t i = 0; i < count; i++) {
        HeraldRunningInfo info;
        memset(&info, 0, sizeof info);
        herald_center_lock(center);
        bool ours = herald_slots_contain(&center->slots, all[i].slot);
        if (ours) info.token.registration = herald_slot_registration(all[i].slot);
        herald_center_unlock(center);
        if (!ours) continue;
        info.size = sizeof info;
        info.center = center;
        info.token.center = center->number;
        info.thread = all[i].thread;
        info.since = all[i].since;
        HERALD_HOOKS(hooks);
        if (!visit(context, &info)) return false;
    }
    return true;
}

void herald_own_HeraldVisitRunning(bool (*visit)(void *context, const HeraldRunningInfo *info), void *context) {
    size_t count = 0;
    struct running *running __attribute__((cleanup(free_running))) = list_running(&count);
    if (!visit || !running) return;
    HeraldCenterRef center __attribute__((cleanup(herald_center_memory_end))) = NULL;
    while ((center = next_shown(center)))
        if (!show_running(center, running, count, visit, context)) return;
}
