/* Adding, removing, posting.
 *
 * Ordering. The chains belong to the center's lock; `is_over` is set before a removal reaches the core, so that a call
 * which is being handed over then is not made. Progress. No lock is held while the core, or a callback, runs.
 * Ownership. A registration is counted: see registration.h.
 */
#include "complaint.h"
#include "darwin.h"
#include <stdlib.h>
#include <string.h>

/* ---- Registrations ----------------------------------------------------------------------------------------------- */

static struct registration **chain_of(CFNotificationCenterRef center, const void *observer) {
    uint64_t mixed = (uint64_t)(uintptr_t)observer * UINT64_C(0x9e3779b97f4a7c15);
    return &center->chains[mixed >> 56];
}

static void list(struct registration *registration) {
    struct registration **chain = chain_of(registration->center, registration->observer);
    registration->next = *chain;
    registration->link = chain;
    if (*chain) (*chain)->link = &registration->next;
    *chain = registration;
}

static void take_off_list(struct registration *registration) {
    *registration->link = registration->next;
    if (registration->next) registration->next->link = registration->link;
}

/* The core's, when the last call has returned. */
static void release(void *registration) { herald_cf_registration_release(registration); }

/* ---- Callbacks --------------------------------------------------------------------------------------------------- */

static void receive(HeraldCenterRef native, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    (void)native, (void)name;
    const struct registration *registration = observer;
    const struct post *post = userInfo;
    if (!post || registration->is_over) return; /* there was no memory to hold it; another thread is removing it */
    registration->callback(registration->center, registration->observer, post->name, object, post->userInfo);
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

static const char add[] = "CFNotificationCenterAddObserver";

/* NULL, when the observer has been refused, with a complaint. */
static struct registration *make(CFNotificationCenterRef center, const void *observer, CFNotificationCallback callback,
                                 CFStringRef string, const void *object) {
    HeraldNameRef name = string ? herald_cf_name(string, true) : NULL;
    if (string && !name) {
        herald_cf_complain(add, "the name is empty, not Unicode, or has a NUL in it");
        return NULL;
    }
    struct registration *registration = calloc(1, sizeof *registration);
    if (!registration) {
        herald_cf_complain(add, "memory is out");
        return NULL;
    }
    registration->center = center;
    registration->callback = callback;
    registration->observer = (void *)(uintptr_t)observer;
    registration->name = name;
    registration->object = object;
    registration->references = 1;
    if (!name) center->any_name++;
    return registration;
}

static bool prepare_darwin(struct registration *registration, CFStringRef name) {
    registration->object = NULL;
    if (!registration->name) {
        herald_cf_complain(add, "the Darwin center has no observers of any name; name is NULL");
        return false;
    }
    registration->string = CFStringCreateCopy(kCFAllocatorSystemDefault, name);
    if (registration->string && herald_cf_run_loop_is_there()) return true;
    herald_cf_complain(add, "memory is out");
    return false;
}

/* The lock is not held while the core adds: that may run hooks of the program's. */
static HeraldStatus enter(struct registration *registration, CFNotificationSuspensionBehavior behavior) {
    CFNotificationCenterRef center = registration->center;
    HeraldObserverOptions options = {.size = sizeof options, .release = release};
    HeraldToken token;
    if (!center->is_darwin && behavior >= 1 && behavior <= 4)
        options.suspensionBehavior = (HeraldSuspensionBehavior)behavior;
    pthread_mutex_lock(&center->lock);
    registration->is_being_added = true;
    registration->references++;
    list(registration);
    pthread_mutex_unlock(&center->lock);

    HeraldStatus status = HeraldCenterAddObserverWithOptions(
        center->native, registration, center->is_darwin ? herald_cf_hand_over : receive, registration->name,
        registration->object, &options, &token);

    pthread_mutex_lock(&center->lock);
    registration->is_being_added = false;
    registration->token = token;
    bool is_over = registration->is_over;
    if (status != HeraldOK && !is_over) take_off_list(registration);
    pthread_mutex_unlock(&center->lock);
    if (status == HeraldOK && is_over) {
        HeraldCenterRemoveToken(center->native, token);
        herald_cf_forget(registration);
    }
    herald_cf_registration_release(registration);
    return status;
}

void CFNotificationCenterAddObserver(CFNotificationCenterRef center, const void *observer,
                                     CFNotificationCallback callBack, CFStringRef name, const void *object,
                                     CFNotificationSuspensionBehavior suspensionBehavior) {
    if (!center || !callBack) return;
    struct registration *registration = make(center, observer, callBack, name, object);
    if (!registration) return;
    HeraldStatus status = HeraldInvalidArgument;
    if (!center->is_darwin || prepare_darwin(registration, name)) {
        status = enter(registration, suspensionBehavior);
        if (status != HeraldOK) herald_cf_complain(add, herald_cf_reason(center, status));
    }
    if (status != HeraldOK) herald_cf_registration_release(registration);
}

/* ---- Removing ---------------------------------------------------------------------------------------------------- */

/* The observer's registrations for this name (NULL: any) and object (NULL: any). */
static void remove_some(CFNotificationCenterRef center, const void *observer, HeraldNameRef name, const void *object) {
    struct registration *found = NULL;
    pthread_mutex_lock(&center->lock);
    for (struct registration *next, *each = *chain_of(center, observer); each; each = next) {
        next = each->next;
        if (each->observer != observer || (name && each->name != name) || (object && each->object != object)) continue;
        take_off_list(each);
        each->is_over = true;
        if (each->is_being_added) continue;
        each->references++;
        each->next = found;
        found = each;
    }
    pthread_mutex_unlock(&center->lock);
    while (found) { /* without the lock: the release may run here */
        struct registration *each = found;
        found = each->next;
        HeraldCenterRemoveToken(center->native, each->token);
        herald_cf_forget(each);
        herald_cf_registration_release(each);
    }
}

void CFNotificationCenterRemoveObserver(CFNotificationCenterRef center, const void *observer, CFNotificationName name,
                                        const void *object) {
    if (!center || !observer) return;
    HeraldNameRef known = name ? herald_cf_name(name, false) : NULL;
    if (name && !known) return; /* it has no observer */
    remove_some(center, observer, known, center->is_darwin ? NULL : object);
}

void CFNotificationCenterRemoveEveryObserver(CFNotificationCenterRef center, const void *observer) {
    if (center && observer) remove_some(center, observer, NULL, NULL);
}

/* ---- Posting ----------------------------------------------------------------------------------------------------- */

void CFNotificationCenterPostNotificationWithOptions(CFNotificationCenterRef center, CFNotificationName name,
                                                     const void *object, CFDictionaryRef userInfo,
                                                     CFOptionFlags options) {
    if (!center || !name) return;
    /* A name that has not been made has no observers but those of any name; for them it is made. */
    HeraldNameRef native = herald_cf_name(name, !center->is_darwin && center->any_name);
    if (center->is_darwin) {
        herald_cf_post_to_host(native, name);
    } else if (native) {
        struct post post = {name, userInfo};
        unsigned immediately = options & 1 ? (unsigned)HeraldPostDeliverImmediately : 0;
        HeraldCenterPostNotificationWithOptions(center->native, native, object, &post, immediately);
    }
}

void CFNotificationCenterPostNotification(CFNotificationCenterRef center, CFNotificationName name, const void *object,
                                          CFDictionaryRef userInfo, Boolean deliverImmediately) {
    CFNotificationCenterPostNotificationWithOptions(center, name, object, userInfo, deliverImmediately ? 1 : 0);
}
