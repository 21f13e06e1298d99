/* Centers over a transport: the turn, and what arrives. See transport_turn.h. */
#include "transport_turn.h"
#include "post.h"

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER; /* guards every center's turn_holder and turn_depth */
static pthread_cond_t turn_given = PTHREAD_COND_INITIALIZER;

void herald_turn_take(HeraldCenterRef center) {
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&turn_lock);
    while (center->turn_holder && center->turn_holder != &herald_self) pthread_cond_wait(&turn_given, &turn_lock);
    center->turn_holder = &herald_self;
    center->turn_depth++;
    pthread_mutex_unlock(&turn_lock);
    pthread_setcancelstate(cancel, NULL);
}

void herald_turn_give(HeraldCenterRef center) {
    pthread_mutex_lock(&turn_lock);
    if (--center->turn_depth == 0) {
        center->turn_holder = NULL;
        pthread_cond_broadcast(&turn_given);
    }
    pthread_mutex_unlock(&turn_lock);
}

/* Under the center's lock: the bucket that all registrations for this name share, if there is one. */
static struct herald_bucket *find_family(HeraldCenterRef center, HeraldNameRef name) {
    return name ? herald_bucket_find(&center->table, name, NULL) : &center->everything;
}

static bool is_silent(const struct herald_bucket *family) { return !family->live && !family->objects; }

/* The transport does not know the name after all. */
static void unannounce(HeraldCenterRef center, HeraldNameRef name) {
    herald_center_lock(center);
    struct herald_bucket *family = find_family(center, name); /* anew: the hook may have done anything */
    if (family && family->announced && is_silent(family)) {
        family->announced = false;
        herald_bucket_settle(center, family);
        herald_bucket_evict(center);
    }
    herald_center_unlock(center);
}

static HeraldStatus call_first_observer(HeraldCenterRef center, HeraldNameRef name) {
    if (!center->transport.firstObserver) return HeraldOK;
    HERALD_HOOKS(hooks);
    return center->transport.firstObserver(center->transport.context, center, name);
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
        bool known = family && family->announced;
        if (family && !known) {
            family->announced = true; /* first: the hook may add to the name, and the bucket must stay */
            herald_bucket_settle(center, family);
        }
        herald_center_unlock(center);
        if (known) return HeraldOK;
        if (!family) return center->closed ? HeraldInvalidArgument : HeraldOutOfMemory;
        HeraldStatus status = call_first_observer(center, name);
        if (status == HeraldOK) continue;
        unannounce(center, name);
        return status;
    }
}

void herald_turn_note(HeraldCenterRef center, struct herald_bucket *family) {
    if (!family->announced || !is_silent(family) || family->noted_silent) return;
    family->noted_silent = true;
    family->silent = center->silent;
    center->silent = family;
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

static void note_announced(void *object, void *context) {
    struct herald_bucket *bucket = (struct herald_bucket *)object;
    HeraldCenterRef center = (HeraldCenterRef)context;
    if (!bucket->announced || bucket->noted_silent) return;
    bucket->noted_silent = true;
    bucket->silent = center->silent;
    center->silent = bucket;
}

void herald_turn_note_all(HeraldCenterRef center) {
    herald_table_visit(&center->table, note_announced, center);
    note_announced(&center->everything, center);
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
    struct herald_bucket *family = herald_bucket_find(&center->table, name, NULL);
    bool any = (family && (family->live || family->objects)) || center->everything.live || center->everything.objects;
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
