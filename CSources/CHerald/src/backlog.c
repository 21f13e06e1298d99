/* Waiting behind the backlog (backlog.h): a post's thread waits until earlier deliveries have returned.
 *
 * Ordering: The center's lock.
 * Progress: A thread waits until all deliveries that were queued before its post have returned, or until the thread is
 * made the drainer. It gives up when no delivery has returned for 0.1 s.
 * Ownership: A waiter lies on its thread's stack, and is in the queue's list until it is woken or gives up. The list is
 * sorted by `newest`, lowest first.
 */
#include "backlog.h"
#include "sleeper.h"
#include "thread.h"

struct herald_waiter {
    struct herald_waiter *next;
    const void *thread; /* &herald_self */
    uint64_t newest;    /* all deliveries up to this number must have returned */
    bool is_woken;      /* set by the thread that takes the waiter off the list to wake it */
    struct herald_sleeper sleeper;
};

enum { PATIENCE = 100000000 /* nanoseconds without a return */ };

bool herald_backlog_is_ahead(const struct herald_queue *queue, uint64_t newest) {
    if (queue->in_hand && queue->in_hand->number <= newest && HERALD_STEP(IN_HAND)) return true;
    uint64_t last = queue->suspended && queue->until < newest ? queue->until : newest;
    return queue->first && queue->first->number <= last;
}

static void wake_first(struct herald_queue *queue) {
    struct herald_waiter *waiter = queue->waiting;
    queue->waiting = waiter->next;
    waiter->is_woken = true;
    if (HERALD_STEP(BACKLOG_WAKE)) herald_sleeper_wake(&waiter->sleeper);
}

static void leave(struct herald_queue *queue, const struct herald_waiter *waiter) {
    struct herald_waiter **link = &queue->waiting;
    while (*link != waiter) link = &(*link)->next;
    *link = waiter->next;
}

void herald_backlog_wait(HeraldCenterRef center, uint64_t newest) {
    struct herald_queue *queue = &center->queue;
    struct herald_waiter self = {.thread = &herald_self, .newest = newest};
    herald_sleeper_begin(&self.sleeper);
    struct herald_waiter **link = &queue->waiting;
    while (*link && (*link)->newest <= newest) link = &(*link)->next;
    self.next = *link;
    *link = &self;
    while (!self.is_woken) {
        uint64_t returns = queue->returns;
        bool in_time = herald_sleeper_sleep(&self.sleeper, center->lock, PATIENCE);
        if (in_time || self.is_woken || queue->returns != returns) continue;
        queue->stalled = true;
        leave(queue, &self);
        break;
    }
    herald_sleeper_end(&self.sleeper);
}

struct herald_held *herald_backlog_return(struct herald_queue *queue) {
    struct herald_held *held = queue->in_hand->held;
    free(queue->in_hand);
    queue->in_hand = NULL;
    queue->returns++;
    queue->stalled = false;
    while (queue->waiting && !herald_backlog_is_ahead(queue, queue->waiting->newest)) wake_first(queue);
    return held;
}

bool herald_backlog_hand_over(struct herald_queue *queue) {
    if (!queue->waiting || queue->first->number <= queue->target) return false;
    queue->drainer = queue->waiting->thread;
    wake_first(queue);
    return true;
}

void herald_backlog_end(struct herald_queue *queue) {
    queue->drainer = NULL;
    while (queue->waiting) wake_first(queue);
}
