/* Centers over a transport: the turn, and which names the transport knows of. See turn.h.
 *
 * Ordering: turn_lock orders the turns of one center. `announced` is written under the center's lock, before the
 * transport's hook for that name runs.
 * Progress: A thread waits for another thread's turn as long as that thread's hooks run.
 * Ownership: `announced` changes only in the turn, under the center's lock. The list of unobserved names belongs to the
 * center's lock.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "turn.h"
#include "entry_points.h"

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER; /* protects every center's turn_holder and turn_depth */
static pthread_cond_t turn_ended = PTHREAD_COND_INITIALIZER;

/* A thread that waits for a turn. The struct lies on the stack of that thread. */
struct turn_waiter {
    const void *thread; /* &herald_self */
    HeraldCenterRef center;
    struct turn_waiter *next;
};

static struct turn_waiter *waiters; /* turn_lock */

/* Whether this thread would wait for itself. This happens when the hooks of two transports add observers to each
 * other's centers. */
static bool is_circle(HeraldCenterRef center) {
    const void *holder = center->turn_holder;
    while (holder != &herald_self) {
        const struct turn_waiter *waiter = waiters;
        while (waiter && waiter->thread != holder) waiter = waiter->next;
        if (!waiter) return false;
        holder = waiter->center->turn_holder; /* NULL: the turn that the holder waits for has just ended */
        if (!holder) return false;
    }
    return true;
}

/* Under turn_lock. */
static void await_turn(HeraldCenterRef center) {
    struct turn_waiter waiter = {&herald_self, center, waiters};
    waiters = &waiter;
    pthread_cond_wait(&turn_ended, &turn_lock);
    struct turn_waiter **link = &waiters;
    while (*link != &waiter) link = &(*link)->next;
    *link = waiter.next;
}

static bool is_taken(HeraldCenterRef center) { return center->turn_holder && center->turn_holder != &herald_self; }

/* False: another thread has the turn, and this thread cannot wait for it. */
static bool take_turn(HeraldCenterRef center, bool wait) {
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    herald_mutex_lock(&turn_lock);
    wait = wait && !herald_mutex_is_passed(); /* during a fork no other thread can go on */
    while (is_taken(center) && wait && !is_circle(center)) await_turn(center);
    bool mine = !is_taken(center);
    if (mine) {
        center->turn_holder = &herald_self;
        center->turn_depth++;
    }
    herald_mutex_unlock(&turn_lock);
    pthread_setcancelstate(cancel, NULL);
    return mine;
}

static void end_turn(HeraldCenterRef center) {
    herald_mutex_lock(&turn_lock);
    if (--center->turn_depth == 0) {
        center->turn_holder = NULL;
        pthread_cond_broadcast(&turn_ended);
    }
    herald_mutex_unlock(&turn_lock);
}

static void begin(struct herald_turn *turn, HeraldCenterRef center, bool wait) {
    turn->center = NULL;
    turn->refused = !take_turn(center, wait);
    if (turn->refused) return;
    turn->center = center;
    herald_slots_retain(&center->slots);
}

void herald_turn_take(struct herald_turn *turn, HeraldCenterRef center) { begin(turn, center, true); }

void herald_turn_catch_up(struct herald_turn *turn, HeraldCenterRef center) {
    if (turn->refused) begin(turn, center, false);
}

static bool turn_step(struct herald_job *job) {
    struct herald_turn *turn = (struct herald_turn *)(void *)job;
    HeraldCenterRef center = turn->center;
    if (!center) return false;
    if (herald_turn_retract_next(center)) return true;
    /* The turn ends under the center's lock, and names are noted under the same lock. So a thread that notes a name and
     * then finds the turn taken may leave the name to the thread that has the turn. */
    herald_center_lock(center);
    bool over = !center->unobserved || center->turn_depth > 1;
    if (over) end_turn(center);
    herald_center_unlock(center);
    if (!over) return true;
    turn->center = NULL;
    herald_slots_release(&center->slots);
    return true;
}

void herald_turn_leave(struct herald_turn *turn) { herald_job_do(&turn->job, turn_step); }

/* A value of `announced_in` that is never a number of forks. */
#define NEVER UINT32_MAX

/* A call of the transport's firstObserver for a name. */
struct asking {
    HeraldCenterRef center;
    HeraldNameRef name;
    HeraldStatus answer;
};

/* Under the center's lock: notes what firstObserver has returned. The transport knows the name only if this is
 * HeraldOK. A hook that does not return counts as failed. */
static void note_answer(HeraldCenterRef center, struct herald_bucket *of_name, HeraldStatus answer) {
    of_name->in_question = false;
    if (answer == HeraldOK) return;
    of_name->announced_in = NEVER;
    if (!of_name->announced || !herald_index_is_unobserved_outside(&center->index, of_name)) return;
    of_name->announced = false;
    herald_index_update_idle(&center->index, of_name);
}

/* The clean-up. It also runs when the hook has thrown. */
static void asking_end(struct asking *asking) {
    HeraldCenterRef center = asking->center;
    herald_center_lock(center);
    /* The bucket is looked up again, because the hook may have done anything. */
    struct herald_bucket *of_name = herald_index_find_name(&center->index, asking->name);
    if (of_name) note_answer(center, of_name, asking->answer);
    herald_index_evict(&center->index);
    herald_center_unlock(center);
}

static HeraldStatus ask(HeraldCenterRef center, HeraldNameRef name) {
    if (!center->transport.firstObserver) return HeraldOK;
    struct asking asking __attribute__((cleanup(asking_end)));
    asking.center = center;
    asking.name = name;
    asking.answer = HeraldTransportFailed;
    HERALD_HOOKS(hooks);
    return asking.answer = center->transport.firstObserver(center->transport.context, center, name);
}

static void call_last_observer(HeraldCenterRef center, HeraldNameRef name) {
    if (!center->transport.lastObserver) return;
    HERALD_HOOKS(hooks);
    center->transport.lastObserver(center->transport.context, center, name);
}

HeraldStatus herald_turn_announce(HeraldCenterRef center, HeraldNameRef name) {
    for (;;) { /* until the name stays announced: the hook may add an observer of the name and remove it */
        herald_center_lock(center);
        struct herald_bucket *of_name = center->closed ? NULL : herald_index_obtain(&center->index, name, NULL);
        bool known = of_name && of_name->announced && of_name->announced_in == herald_domain_forks;
        if (of_name && !known) {
            of_name->announced = true; /* before the hook: it may add to the name, and the bucket must stay */
            of_name->announced_in = herald_domain_forks;
            of_name->in_question = center->transport.firstObserver != NULL;
            herald_index_update_idle(&center->index, of_name);
        }
        herald_center_unlock(center);
        if (known) return HeraldOK;
        if (!of_name) return center->closed ? HeraldInvalidArgument : HeraldOutOfMemory;
        HeraldStatus status = ask(center, name);
        if (status != HeraldOK) return status;
    }
}

static void note(HeraldCenterRef center, struct herald_bucket *of_name) {
    if (!of_name->announced || of_name->noted_unobserved) return;
    of_name->noted_unobserved = true;
    of_name->unobserved = center->unobserved;
    center->unobserved = of_name;
}

void herald_turn_note_announced(HeraldCenterRef center, struct herald_bucket *of_name) {
    if (herald_index_is_unobserved_outside(&center->index, of_name)) note(center, of_name);
}

bool herald_turn_retract_next(HeraldCenterRef center) {
    herald_center_lock(center);
    struct herald_bucket *of_name = center->unobserved;
    HeraldNameRef name = NULL;
    bool news = false;
    if (of_name) {
        center->unobserved = of_name->unobserved;
        of_name->noted_unobserved = false;
        name = of_name->key.name;
        news = herald_index_is_unobserved_outside(&center->index, of_name) || center->closed;
        if (news) of_name->announced = false; /* before the hook: it may add to the name */
        if (!center->closed) {
            herald_index_update_idle(&center->index, of_name);
            herald_index_evict(&center->index);
        }
    }
    herald_center_unlock(center);
    if (news) call_last_observer(center, name);
    return of_name != NULL;
}

static void note_visited(void *key, void *center) { note((HeraldCenterRef)center, herald_bucket_of(key)); }

void herald_turn_note_all(HeraldCenterRef center) {
    herald_table_visit(&center->index.table, note_visited, center);
    note(center, &center->index.everything);
}

void herald_transport_retain(HeraldCenterRef center) { add_relaxed(&center->transport_uses, 1u); }

void herald_transport_release(HeraldCenterRef center) {
    if (sub_acq_rel(&center->transport_uses, 1u) != 1) return;
    if (!center->transport.destroy) return;
    HERALD_HOOKS(hooks);
    center->transport.destroy(center->transport.context);
}

bool herald_own_HeraldCenterHasObservers(HeraldCenterRef center, HeraldNameRef name) {
    if (!center || !name) return false;
    herald_center_lock(center);
    struct herald_bucket *of_name = center->closed ? NULL : herald_index_find(&center->index, name, NULL);
    bool any = (of_name && !herald_bucket_is_unobserved(of_name)) ||
               (!center->closed && !herald_bucket_is_unobserved(&center->index.everything));
    herald_center_unlock(center);
    return any;
}

static void forget_question(HeraldCenterRef center, struct herald_bucket *of_name) {
    if (of_name->in_question) note_answer(center, of_name, HeraldTransportFailed);
}

static void forget_visited(void *key, void *center) { forget_question((HeraldCenterRef)center, herald_bucket_of(key)); }

void herald_turn_hand_in(HeraldCenterRef center) {
    herald_mutex_lock(&turn_lock);
    bool mine = center->turn_holder == &herald_self;
    herald_mutex_unlock(&turn_lock);
    if (!mine) return;
    herald_center_lock(center);
    herald_table_visit(&center->index.table, forget_visited, center);
    forget_question(center, &center->index.everything);
    herald_index_evict(&center->index);
    herald_center_unlock(center);
    center->turn_depth = 1;
    end_turn(center);
    herald_slots_release(&center->slots); /* the turn's reference */
}

void herald_turns_before_fork(void) { herald_mutex_lock(&turn_lock); }

void herald_turns_in_child(void) {
    pthread_cond_init(&turn_ended, NULL);
    waiters = NULL;
    for (HeraldCenterRef center = herald_centers; center; center = center->next) {
        if (center->turn_holder == &herald_self) continue;
        center->turn_holder = NULL; /* the hook that ran in another thread counts as returned */
        center->turn_depth = 0;
    }
}

void herald_turns_after_fork(void) { herald_mutex_unlock(&turn_lock); }
