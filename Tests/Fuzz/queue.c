#include "queue.h"
#include "keeping.h"

#include <stdlib.h>
#include <string.h>

static void erase(struct queue *queue, size_t at) {
    if (queue->deliveries[at].kept) queue->deliveries[at].kept->in_queues--;
    queue->count--;
    memmove(&queue->deliveries[at], &queue->deliveries[at + 1], (queue->count - at) * sizeof *queue->deliveries);
}

static void append(struct queue *queue, struct delivery delivery) {
    if (queue->count == queue->room) {
        queue->room = queue->room ? 2 * queue->room : 16;
        queue->deliveries = realloc(queue->deliveries, queue->room * sizeof *queue->deliveries);
        if (!queue->deliveries) abort();
    }
    delivery.number = ++queue->newest;
    if (delivery.kept) delivery.kept->in_queues++;
    queue->deliveries[queue->count++] = delivery;
}

/* Only the last post of each name and object is held, in the place of the one before. */
static void coalesce(struct queue *queue, const struct delivery *delivery) {
    for (size_t i = 0; i < queue->count; i++) {
        const struct delivery *earlier = &queue->deliveries[i];
        if (earlier->coalesces && earlier->registration == delivery->registration && earlier->name == delivery->name &&
            earlier->object == delivery->object) {
            erase(queue, i);
            return;
        }
    }
}

/* At the limit the oldest post is dropped. */
static void limit(struct center *center, const struct registration *registration) {
    struct queue *queue = &center->queue;
    size_t held = 0, oldest = 0;
    for (size_t i = queue->count; i-- > 0;) {
        if (queue->deliveries[i].registration != registration) continue;
        held++;
        oldest = i;
    }
    if (held < center->limit) return;
    erase(queue, oldest);
    center->dropped++;
}

void queue_add(struct center *center, struct registration *registration, const struct post *post) {
    struct queue *queue = &center->queue;
    struct world_policies policies = reference_policies(post);
    struct delivery delivery = {.registration = registration,
                                .name = post->name,
                                .object = post->kept ? post->kept->object : post->object,
                                .user_info = post->user_info,
                                .tag = post->tag,
                                .info_policy = policies.info,
                                .object_policy = policies.object,
                                .kept = post->kept};
    if (center->is_suspended) {
        delivery.coalesces = registration->behavior == HeraldSuspensionCoalesce;
        if (delivery.coalesces) coalesce(queue, &delivery);
        if (registration->behavior == HeraldSuspensionHold || delivery.coalesces) limit(center, registration);
    }
    append(queue, delivery);
    if (registration->behavior != HeraldSuspensionDeliverImmediately) return;
    queue->newest_owed = queue->newest;
    if (center->is_suspended) center->until = queue->newest;
}

const struct delivery *queue_next(const struct center *center) {
    const struct queue *queue = &center->queue;
    if (!queue->count) return NULL;
    if (center->is_suspended && queue->deliveries[0].number > center->until) return NULL;
    return &queue->deliveries[0];
}

void queue_remove_first(struct queue *queue) { erase(queue, 0); }

void queue_remove_registration(struct queue *queue, const struct registration *registration) {
    for (size_t i = queue->count; i-- > 0;)
        if (queue->deliveries[i].registration == registration) erase(queue, i);
}

void queue_destroy(struct queue *queue) {
    free(queue->deliveries);
    *queue = (struct queue){0};
}
