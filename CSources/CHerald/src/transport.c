/* Centers over a transport: the turn, and what arrives. See transport_turn.h. */
#include "transport_turn.h"
#include "post.h"

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER; /* guards every center's turn_holder and turn_depth */
static pthread_cond_t turn_given = PTHREAD_COND_INITIALIZER;

static void take_turn(HeraldCenterRef center) {
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&turn_lock);
    while (center->turn_holder && center->turn_holder != &herald_self) pthread_cond_wait(&turn_given, &turn_lock);
    center->turn_holder = &herald_self;
    center->turn_depth++;
    pthread_mutex_unlock(&turn_lock);
    pthread_setcancelstate(cancel, NULL);
}

static void give_turn(HeraldCenterRef center) {
    pthread_mutex_lock(&turn_lock);
    if (--center->turn_depth == 0) {
        center->turn_holder = NULL;
        pthread_cond_broadcast(&turn_given);
    }
    pthread_mutex_unlock(&turn_lock);
}

void herald_turn_begin(struct herald_turn *turn, HeraldCenterRef center) {
    bool needed = center->transport.firstObserver || center->transport.lastObserver;
    turn->center = needed ? center : NULL;
    if (!needed) return;
    herald_center_hold(center);
    take_turn(center);
}

static bool turn_step(struct herald_job *job) {
    struct herald_turn *turn = (struct herald_turn *)(void *)job;
    HeraldCenterRef center = turn->center;
    if (!center) return false;
    if (herald_turn_retract_next(center)) return true;
    turn->center = NULL;
    give_turn(center);
    herald_center_let_go(center);
    return true;
}

void herald_turn_end(struct herald_turn *turn) {
    if (turn->center) herald_job_do(&turn->job, turn_step);
}

struct herald_bucket *herald_turn_family(HeraldCenterRef center, HeraldNameRef name) {
    return name ? herald_bucket_find(&center->table, name, NULL) : &center->everything;
}

static bool is_silent(const struct herald_bucket *family) { return !family->live && !family->objects; }

/* No number of forks. */
#define NEVER UINT64_MAX

/* A name that the transport is being asked to reach out for. */
struct asking {
    HeraldCenterRef center;
    HeraldNameRef name;
    HeraldStatus answer;
};

/* The clean-up: without a good answer, also when the hook has thrown, the transport does not know the name. */
static void asking_end(struct asking *asking) {
    if (asking->answer == HeraldOK) return;
    HeraldCenterRef center = asking->center;
    herald_center_lock(center);
    struct herald_bucket *family = herald_turn_family(center, asking->name); /* anew: the hook may have done anything */
    if (family) family->announced_in = NEVER;
    if (family && family->announced && is_silent(family)) {
        family->announced = false;
        herald_bucket_settle(center, family);
        herald_bucket_evict(center);
    }
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
    for (;;) { /* until it stays announced: the hook may add to the name itself, and remove again */
        herald_center_lock(center);
        struct herald_bucket *family = center->closed ? NULL : herald_bucket_obtain(center, name, NULL);
        bool known = family && family->announced && family->announced_in == herald_domain.forks;
        if (family && !known) {
            family->announced = true; /* first: the hook may add to the name, and the bucket must stay */
            family->announced_in = herald_domain.forks;
            herald_bucket_settle(center, family);
        }
        herald_center_unlock(center);
        if (known) return HeraldOK;
        if (!family) return center->closed ? HeraldInvalidArgument : HeraldOutOfMemory;
        HeraldStatus status = ask(center, name);
        if (status != HeraldOK) return status;
    }
}

static void note(HeraldCenterRef center, struct herald_bucket *family) {
    if (!family->announced || family->noted_silent) return;
    family->noted_silent = true;
    family->silent = center->silent;
    center->silent = family;
}

void herald_turn_note(HeraldCenterRef center, struct herald_bucket *family) {
    if (is_silent(family)) note(center, family);
}

bool herald_turn_retract_next(HeraldCenterRef center) {
    herald_center_lock(center);
    struct herald_bucket *family = center->silent;
    HeraldNameRef name = NULL;
    bool news = false;
    if (family) {
        center->silent = family->silent;
        family->noted_silent = false;
        name = family->key.name;
        news = is_silent(family) || center->closed;
        if (news) family->announced = false; /* first: the hook may add to the name again */
        if (!center->closed) {
            herald_bucket_settle(center, family);
            herald_bucket_evict(center);
        }
    }
    herald_center_unlock(center);
    if (news) call_last_observer(center, name);
    return family != NULL;
}

static void note_visited(void *bucket, void *center) { note((HeraldCenterRef)center, (struct herald_bucket *)bucket); }

void herald_turn_note_all(HeraldCenterRef center) {
    herald_table_visit(&center->table, note_visited, center);
    note(center, &center->everything);
}

void herald_transport_hold(HeraldCenterRef center) { add_relaxed(&center->transport_holds, 1u); }

void herald_transport_let_go(HeraldCenterRef center) {
    if (sub_acq_rel(&center->transport_holds, 1u) != 1) return;
    if (!center->transport.destroy) return;
    HERALD_HOOKS(hooks);
    center->transport.destroy(center->transport.context);
}

bool HeraldCenterHasObservers(HeraldCenterRef center, HeraldNameRef name) {
    if (!center || !name) return false;
    herald_center_lock(center);
    struct herald_bucket *family = center->closed ? NULL : herald_bucket_find(&center->table, name, NULL);
    bool any = (family && !is_silent(family)) || (!center->closed && !is_silent(&center->everything));
    herald_center_unlock(center);
    return any;
}

void herald_turns_before_fork(void) { pthread_mutex_lock(&turn_lock); }

void herald_turns_after_fork(bool in_child) {
    if (in_child) {
        pthread_cond_init(&turn_given, NULL);
        for (HeraldCenterRef center = herald_domain.centers; center; center = center->next) {
            if (center->turn_holder == &herald_self) continue;
            center->turn_holder = NULL; /* the hook that ran in another thread counts as returned */
            center->turn_depth = 0;
        }
    }
    pthread_mutex_unlock(&turn_lock);
}
