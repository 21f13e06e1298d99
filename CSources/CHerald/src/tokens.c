/* What a token names: whether it is there, whether it is blocked, and its removal by a caller without the center.
 *
 * Ordering: A post that begins after a registration was blocked does not call it. A post that is running may call it
 * once more, as after a removal that does not wait (R6). See HERALD_BLOCKS in snapshot.h.
 * Progress: Takes the center's lock, and to find a center by its number the domain's. Otherwise bounded, except that a
 * removal waits if it is asked to, and that a follower that is unblocked is called.
 * Ownership: A token owns nothing.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "entry_points.h"
#include "follower.h"
#include "held.h"
#include "release.h"
#include "remove.h"

/* ---- The registration ------------------------------------------------------------------------------------------- */

/* Under the center's lock: the slot of a registration that has not been removed, or NULL. */
static struct herald_slot *find(HeraldCenterRef center, HeraldToken token) {
    struct herald_slot *slot = herald_slots_find(&center->slots, token.registration);
    return slot && herald_slot_is_there(slot) ? slot : NULL;
}

static bool is_of(HeraldCenterRef center, HeraldToken token) { return center && token.center == center->number; }

/* The state of a registration; HERALD_REMOVED if the token names none. */
static uint8_t state_of(HeraldCenterRef center, HeraldToken token) {
    if (!is_of(center, token)) return HERALD_REMOVED;
    herald_center_lock(center);
    const struct herald_slot *slot = find(center, token);
    uint8_t state = slot ? load_relaxed(&slot->state) : (uint8_t)HERALD_REMOVED;
    herald_center_unlock(center);
    return state;
}

bool herald_own_HeraldCenterHasToken(HeraldCenterRef center, HeraldToken token) {
    return state_of(center, token) <= HERALD_BLOCKED;
}

bool herald_own_HeraldCenterIsTokenBlocked(HeraldCenterRef center, HeraldToken token) {
    return state_of(center, token) == HERALD_BLOCKED;
}

/* Under the center's lock: blocks the registration, or ends that. Returns whether a follower's lane is to be delivered.
 */
static bool block(HeraldCenterRef center, struct herald_slot *slot, bool blocked, struct herald_held **unused) {
    if ((load_relaxed(&slot->state) == HERALD_BLOCKED) == blocked) return false;
    bool follows = slot->traits & HERALD_FOLLOWS, goes_on = follows && !blocked && herald_follower_unblock(slot);
    if (follows && blocked) herald_follower_block(center, slot, unused);
    herald_bucket_block(slot->bucket, slot, blocked);
    return goes_on;
}

bool herald_own_HeraldCenterSetTokenBlocked(HeraldCenterRef center, HeraldToken token, bool blocked) {
    if (!is_of(center, token)) return false;
    struct herald_held *unused = NULL;
    herald_center_lock(center);
    struct herald_slot *slot = find(center, token);
    bool goes_on = slot && block(center, slot, blocked, &unused);
    HERALD_RETAIN_MEMORY(kept, goes_on || unused ? center : NULL); /* a hook or an observer may release the center */
    herald_center_unlock(center);
    herald_held_free_all(unused);
    if (goes_on) herald_follower_go_on(center, token.registration);
    herald_tidy();
    return slot != NULL;
}

/* ---- The center ------------------------------------------------------------------------------------------------- */

HeraldCenterRef herald_own_HeraldTokenRetainCenter(HeraldToken token) {
    herald_domain_lock();
    HeraldCenterRef center = herald_center_numbered(token.center);
    bool retained = center && !center->hidden && HeraldCenterTryRetain(center);
    herald_domain_unlock();
    return retained ? center : NULL;
}

/* Keeps the center's memory, and not the center: so this call does not become the one that ends it. */
static bool remove_by_number(HeraldToken token, bool wait) {
    herald_domain_lock();
    HeraldCenterRef center __attribute__((cleanup(herald_center_memory_end))) = herald_center_numbered(token.center);
    if (center && (center->hidden || !load_relaxed(&center->references))) center = NULL;
    if (center) center->slots.references++;
    herald_domain_unlock();
    return center && herald_remove_token(center, token, wait);
}

bool herald_own_HeraldTokenRemove(HeraldToken token) { return remove_by_number(token, false); }
bool herald_own_HeraldTokenRemoveAndWait(HeraldToken token) { return remove_by_number(token, true); }

/* ---- The call --------------------------------------------------------------------------------------------------- */

/* A frame that shows a slot pins a snapshot of the slot's center. */
static HeraldCenterRef center_of(const struct herald_frame *frame) {
    const struct herald_snapshot *snapshot = NULL;
    for (int i = 0; i < HERALD_PINS && !snapshot; i++) snapshot = load_relaxed(&frame->pins[i]);
    return herald_center_of(snapshot->slots);
}

HeraldToken herald_own_HeraldGetCurrentToken(void) {
    HeraldToken token = {0, 0};
    const struct herald_frame *frame = herald_call_frame();
    const struct herald_slot *slot = frame ? herald_frame_shows(frame) : NULL;
    if (!slot) return token;
    HeraldCenterRef center = center_of(frame);
    if (center->hidden) return token; /* a trace hook */
    token.center = center->number;
    token.registration = herald_slot_registration(slot);
    return token;
}
