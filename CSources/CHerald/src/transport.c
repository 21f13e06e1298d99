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

HeraldStatus herald_turn_announce(HeraldCenterRef center, HeraldNameRef name) {
    herald_center_lock(center);
    struct herald_bucket *family = herald_bucket_obtain(center, name, NULL);
    bool news = family && !family->announced;
    if (news) {
        family->announced = true; /* first: the hook may add to the same name, and the bucket must stay */
        herald_bucket_settle(center, family);
    }
    herald_center_unlock(center);
    if (!family) return HeraldOutOfMemory;
    if (!news || !center->transport.firstObserver) return HeraldOK;
    HeraldStatus status = center->transport.firstObserver(center->transport.context, center, name);
    if (status != HeraldOK) {
        herald_center_lock(center);
        family->announced = false;
        herald_bucket_settle(center, family);
        herald_bucket_evict(center);
        herald_center_unlock(center);
    }
    return status;
}

void herald_turn_note(HeraldCenterRef center, struct herald_bucket *family) {
    if (!family->announced || family->live || family->objects || family->noted_silent) return;
    family->noted_silent = true;
    family->silent = center->silent;
    center->silent = family;
}

void herald_turn_retract(HeraldCenterRef center) {
    for (;;) {
        herald_center_lock(center);
        struct herald_bucket *family = center->silent;
        HeraldNameRef name = NULL;
        bool news = false;
        if (family) {
            center->silent = family->silent;
            family->noted_silent = false;
            name = family->key.name;
            news = !family->live && !family->objects;
            if (news) family->announced = false; /* first: the hook may add to the name again */
            herald_bucket_settle(center, family);
            herald_bucket_evict(center);
        }
        herald_center_unlock(center);
        if (!family) return;
        if (news && center->transport.lastObserver)
            center->transport.lastObserver(center->transport.context, center, name);
    }
}

static void gather_announced(void *object, void *context) {
    struct herald_bucket *bucket = object;
    HeraldCenterRef center = context;
    if (!bucket->announced) return;
    bucket->silent = center->silent;
    center->silent = bucket;
}

void herald_turn_farewell(HeraldCenterRef center) {
    if (!herald_turn_is_needed(center)) return;
    herald_turn_take(center);
    herald_center_lock(center);
    center->silent = NULL;
    herald_table_visit(&center->table, gather_announced, center);
    gather_announced(&center->everything, center);
    struct herald_bucket *silent = center->silent;
    herald_center_unlock(center);
    for (; silent; silent = silent->silent)
        if (center->transport.lastObserver)
            center->transport.lastObserver(center->transport.context, center, silent->key.name);
    herald_turn_give(center);
}

void herald_transport_hold(HeraldCenterRef center) { add_relaxed(&center->transport_holds, 1u); }

void herald_transport_let_go(HeraldCenterRef center) {
    if (sub_acq_rel(&center->transport_holds, 1u) != 1) return;
    if (center->transport.destroy) center->transport.destroy(center->transport.context);
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
