/* Calls that wait for the run loop.
 *
 * Ordering: `lock`. A removal sets `is_over`, and then drops the registration's waiting calls. Once `is_over` is set,
 * new calls are refused. Refusing and dropping happen under the lock, so no call is left behind.
 * Progress: Bounded by the number of calls that wait.
 * Ownership: A call that waits has a reference to its registration. Nothing is released under the lock.
 */
#include "cf_queue.h"
#include <pthread.h>
#include <stdlib.h>

enum { MOST_CALLS = 1024, MOST_BYTES = 16 << 20 };
enum { DROP = 1, COALESCE = 2, HOLD = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all that follows */
static struct herald_cf_waiting_list due = TAILQ_HEAD_INITIALIZER(due), held = TAILQ_HEAD_INITIALIZER(held);
static long due_count;
static size_t bytes;
static bool is_suspended;

/* ---- Under the lock ---------------------------------------------------------------------------------------------- */

static void put(struct herald_cf_waiting *waiting, bool is_held) {
    struct herald_cf_registration *registration = waiting->registration;
    waiting->is_held = is_held;
    if (is_held) {
        TAILQ_INSERT_TAIL(&held, waiting, in_queue);
    } else {
        TAILQ_INSERT_TAIL(&due, waiting, in_queue);
        due_count++;
    }
    TAILQ_INSERT_TAIL(&registration->waiting, waiting, of_registration);
    registration->waiting_count++;
    bytes += waiting->size;
}

static void take_out(struct herald_cf_waiting *waiting) {
    struct herald_cf_registration *registration = waiting->registration;
    if (waiting->is_held) {
        TAILQ_REMOVE(&held, waiting, in_queue);
    } else {
        TAILQ_REMOVE(&due, waiting, in_queue);
        due_count--;
    }
    TAILQ_REMOVE(&registration->waiting, waiting, of_registration);
    registration->waiting_count--;
    bytes -= waiting->size;
}

static void drop(struct herald_cf_waiting *waiting, struct herald_cf_waiting_list *dropped) {
    take_out(waiting);
    TAILQ_INSERT_TAIL(dropped, waiting, in_queue);
}

static void make_due(void) {
    for (struct herald_cf_waiting *each; (each = TAILQ_FIRST(&held));) {
        TAILQ_REMOVE(&held, each, in_queue);
        TAILQ_INSERT_TAIL(&due, each, in_queue);
        each->is_held = false;
        due_count++;
    }
}

/* Returns the call to drop first: the oldest due call of the distributed center, or the oldest held call if no such
 * call is due. A call of the Darwin center has size 0, and is never dropped. */
static struct herald_cf_waiting *oldest(void) {
    struct herald_cf_waiting *each;
    TAILQ_FOREACH(each, &due, in_queue) if (each->size) return each;
    return TAILQ_FIRST(&held);
}

static void drop_oldest(struct herald_cf_registration *registration, struct herald_cf_waiting_list *dropped) {
    if (registration->waiting_count > MOST_CALLS) drop(TAILQ_FIRST(&registration->waiting), dropped);
    while (bytes > MOST_BYTES) drop(oldest(), dropped);
}

static bool is_like(const struct herald_cf_waiting *each, const struct herald_cf_waiting *other) {
    if (!each->is_held || each->native != other->native || !each->object != !other->object) return false;
    return !each->object || CFEqual(each->object, other->object);
}

static void drop_like(const struct herald_cf_waiting *waiting, struct herald_cf_waiting_list *dropped) {
    struct herald_cf_waiting *each;
    TAILQ_FOREACH(each, &waiting->registration->waiting, of_registration) {
        if (!is_like(each, waiting)) continue;
        drop(each, dropped);
        return; /* there is at most one */
    }
}

/* Decides what becomes of a post to the distributed center (R16). */
static void place(struct herald_cf_waiting *waiting, struct herald_cf_waiting_list *dropped) {
    CFNotificationSuspensionBehavior behavior = waiting->registration->behavior;
    bool is_patient = behavior >= DROP && behavior <= HOLD;
    if (is_suspended && behavior == DROP && !waiting->is_immediate) {
        TAILQ_INSERT_TAIL(dropped, waiting, in_queue);
        return;
    }
    bool is_kept = is_suspended && is_patient && !waiting->is_immediate;
    if (is_kept && behavior == COALESCE) drop_like(waiting, dropped);
    if (!is_patient) make_due(); /* this call is not held, and the calls that were held become due before it */
    put(waiting, is_kept);
    drop_oldest(waiting->registration, dropped);
}

/* ---- Without the lock -------------------------------------------------------------------------------------------- */

static void end(struct herald_cf_waiting *waiting) {
    struct herald_cf_registration *registration = waiting->registration;
    if (waiting->name) CFRelease(waiting->name);
    if (waiting->object) CFRelease(waiting->object);
    if (waiting->userInfo) CFRelease(waiting->userInfo);
    if (waiting != &registration->own) free(waiting);
    herald_cf_registration_release(registration);
}

static void end_all(struct herald_cf_waiting_list *dropped) {
    for (struct herald_cf_waiting *each; (each = TAILQ_FIRST(dropped));) {
        TAILQ_REMOVE(dropped, each, in_queue);
        end(each);
    }
}

void herald_cf_queue_add_own(struct herald_cf_registration *registration) {
    pthread_mutex_lock(&lock);
    if (!registration->waiting_count && !registration->is_over) {
        registration->references++;
        registration->own.registration = registration;
        put(&registration->own, false);
    }
    pthread_mutex_unlock(&lock);
}

void herald_cf_queue_add(struct herald_cf_waiting *waiting) {
    struct herald_cf_waiting_list dropped = TAILQ_HEAD_INITIALIZER(dropped);
    waiting->registration->references++;
    pthread_mutex_lock(&lock);
    if (waiting->registration->is_over) {
        TAILQ_INSERT_TAIL(&dropped, waiting, in_queue);
    } else {
        place(waiting, &dropped);
    }
    pthread_mutex_unlock(&lock);
    end_all(&dropped);
}

/* Takes the call out. A registration's `own` is not freed: it may be in the queue again after the unlock. */
bool herald_cf_queue_take(struct herald_cf_call *call) {
    pthread_mutex_lock(&lock);
    struct herald_cf_waiting *first = TAILQ_FIRST(&due);
    if (first) {
        take_out(first);
        *call = (struct herald_cf_call){first->registration, first->name, first->object, first->userInfo};
    }
    bool is_own = first && first == &first->registration->own;
    pthread_mutex_unlock(&lock);
    if (!is_own) free(first);
    return first != NULL;
}

long herald_cf_queue_due(void) {
    pthread_mutex_lock(&lock);
    long count = due_count;
    pthread_mutex_unlock(&lock);
    return count;
}

void herald_cf_queue_forget(struct herald_cf_registration *registration) {
    struct herald_cf_waiting_list dropped = TAILQ_HEAD_INITIALIZER(dropped);
    pthread_mutex_lock(&lock);
    while (registration->waiting_count) drop(TAILQ_FIRST(&registration->waiting), &dropped);
    pthread_mutex_unlock(&lock);
    end_all(&dropped);
}

void herald_cf_queue_suspend(bool suspended) {
    pthread_mutex_lock(&lock);
    is_suspended = suspended;
    if (!suspended) make_due();
    pthread_mutex_unlock(&lock);
}

bool herald_cf_queue_is_suspended(void) {
    pthread_mutex_lock(&lock);
    bool is = is_suspended;
    pthread_mutex_unlock(&lock);
    return is;
}

void herald_cf_lock_queue(void) { pthread_mutex_lock(&lock); }
void herald_cf_unlock_queue(void) { pthread_mutex_unlock(&lock); }
