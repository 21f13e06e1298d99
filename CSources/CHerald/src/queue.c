/* Ordering and ownership: the center's lock. Progress: Each call is O(1), except forgetting, which is O(deliveries
 * forgotten). */
#include "queue.h"
#include "held.h"
#include "table.h"

#include <string.h>

static uint64_t slot_hash(const struct herald_slot *slot) { return herald_mix((uint64_t)(uintptr_t)slot, 2); }

static uint64_t lane_hash(const void *lane) { return slot_hash(((const struct herald_lane *)lane)->slot); }

static uint64_t delivery_hash(const void *element) {
    const struct herald_delivery *delivery = (const struct herald_delivery *)element;
    const struct herald_held *held = delivery->held;
    return herald_mix(slot_hash(delivery->lane->slot) ^ (uint64_t)(uintptr_t)held->name, held->about);
}

static bool is_about_the_same(const struct herald_held *a, const struct herald_held *b) {
    if (a->name != b->name || a->posted != b->posted || !a->text != !b->text) return false;
    return !a->text || strcmp(a->text, b->text) == 0;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------ */

static bool is_lane_of(const void *lane, const void *slot) { return ((const struct herald_lane *)lane)->slot == slot; }

static struct herald_lane *find_lane(const struct herald_queue *queue, const struct herald_slot *slot) {
    return (struct herald_lane *)ground_table_get(&queue->lanes, slot_hash(slot), is_lane_of, slot);
}

static struct herald_lane *obtain_lane(struct herald_queue *queue, struct herald_slot *slot) {
    struct herald_lane *lane = find_lane(queue, slot);
    if (lane) return lane;
    lane = (struct herald_lane *)calloc(1, sizeof *lane);
    if (!lane || !ground_table_reserve(&queue->lanes)) {
        free(lane);
        return NULL;
    }
    lane->slot = slot;
    ground_table_insert(&queue->lanes, lane);
    return lane;
}

static void free_lane_if_empty(struct herald_queue *queue, struct herald_lane *lane) {
    if (lane->count) return;
    ground_table_remove(&queue->lanes, ground_table_place(&queue->lanes, lane));
    free(lane);
}

/* ---- Deliveries ------------------------------------------------------------------------------------------------- */

/* Takes a delivery out of the queue. The delivery's reference to the held post passes to the caller. The lane stays,
 * even if it is now empty. */
static void take_out(struct herald_queue *queue, struct herald_delivery *delivery) {
    struct herald_lane *lane = delivery->lane;
    *(delivery->previous ? &delivery->previous->next : &queue->first) = delivery->next;
    *(delivery->next ? &delivery->next->previous : &queue->last) = delivery->previous;
    queue->count--;
    *(delivery->lane_previous ? &delivery->lane_previous->lane_next : &lane->first) = delivery->lane_next;
    *(delivery->lane_next ? &delivery->lane_next->lane_previous : &lane->last) = delivery->lane_previous;
    lane->count--;
    if (delivery->coalesces) ground_table_remove(&queue->coalesced, ground_table_place(&queue->coalesced, delivery));
}

/* Takes a delivery out of the queue and frees it. Returns the delivery's held post. The delivery's reference to the
 * held post passes to the caller. */
static struct herald_held *drop(struct herald_queue *queue, struct herald_delivery *delivery) {
    take_out(queue, delivery);
    struct herald_held *held = delivery->held;
    free(delivery);
    return held;
}

static bool is_replaced(const void *element, const void *key) {
    const struct herald_delivery *delivery = (const struct herald_delivery *)element;
    const struct herald_delivery *newer = (const struct herald_delivery *)key;
    return delivery->lane == newer->lane && is_about_the_same(delivery->held, newer->held);
}

/* Returns the queued delivery that this delivery, which is not queued yet, would replace, or NULL if it would replace
 * none. */
static struct herald_delivery *find_coalesced(const struct herald_queue *queue, const struct herald_delivery *newer) {
    return (struct herald_delivery *)ground_table_get(&queue->coalesced, delivery_hash(newer), is_replaced, newer);
}

static void append(struct herald_queue *queue, struct herald_delivery *delivery) {
    struct herald_lane *lane = delivery->lane;
    delivery->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = delivery;
    queue->last = delivery;
    queue->count++;
    delivery->lane_previous = lane->last;
    *(lane->last ? &lane->last->lane_next : &lane->first) = delivery;
    lane->last = delivery;
    lane->count++;
}

bool herald_queue_add(struct herald_queue *queue, struct herald_slot *slot, struct herald_held *held, uint64_t limit,
                      struct herald_held **unused) {
    bool coalesces = queue->suspended && herald_slot_behavior(slot) == HeraldSuspensionCoalesce;
    struct herald_lane *lane = obtain_lane(queue, slot);
    struct herald_delivery *delivery = lane ? (struct herald_delivery *)calloc(1, sizeof *delivery) : NULL;
    if (!delivery || (coalesces && !ground_table_reserve(&queue->coalesced))) {
        free(delivery);
        if (lane) free_lane_if_empty(queue, lane);
        return false;
    }
    delivery->coalesces = coalesces;
    delivery->lane = lane;
    delivery->held = held;
    if (coalesces) {
        struct herald_delivery *earlier = find_coalesced(queue, delivery);
        if (earlier) herald_held_unuse(drop(queue, earlier), unused);
        ground_table_insert(&queue->coalesced, delivery);
    }
    if (lane->count >= limit) {
        herald_held_unuse(drop(queue, lane->first), unused);
        store_relaxed(&queue->dropped, queue->dropped + 1);
    }
    herald_held_retain(held);
    delivery->number = ++queue->newest;
    if (herald_slot_behavior(slot) == HeraldSuspensionDeliverImmediately) queue->newest_immediate = delivery->number;
    append(queue, delivery);
    return true;
}

struct herald_held *herald_queue_take_first(struct herald_queue *queue, struct herald_slot **slot) {
    struct herald_delivery *delivery = queue->first;
    *slot = delivery->lane->slot;
    take_out(queue, delivery);
    free_lane_if_empty(queue, delivery->lane);
    queue->in_hand = delivery;
    return delivery->held;
}

/* ---- Forgetting ------------------------------------------------------------------------------------------------- */

static void forget_lane(struct herald_queue *queue, struct herald_lane *lane, struct herald_held **unused) {
    while (lane->first) herald_held_unuse(drop(queue, lane->first), unused);
    free_lane_if_empty(queue, lane);
}

uint64_t herald_queue_count_for(const struct herald_queue *queue, const struct herald_slot *slot) {
    const struct herald_lane *lane = queue->first ? find_lane(queue, slot) : NULL;
    return lane ? lane->count : 0;
}

bool herald_queue_forget_held(struct herald_queue *queue, const struct herald_slot *slot, struct herald_held **unused) {
    struct herald_lane *lane = find_lane(queue, slot);
    if (lane) forget_lane(queue, lane, unused);
    return lane != NULL;
}

void herald_queue_create(struct herald_queue *queue) {
    queue->lanes.hash = lane_hash;
    queue->coalesced.hash = delivery_hash;
}

void herald_queue_destroy(struct herald_queue *queue) {
    ground_table_clear(&queue->lanes);
    ground_table_clear(&queue->coalesced);
}
