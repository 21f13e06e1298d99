/* Adding, removing, posting.
 *
 * Ordering: The chains belong to the library's lock. A removal sets `is_over` before it calls the core. So a call that
 * the core is handing over at that time is not made.
 * Progress: No lock is held while the core or a callback runs.
 * Ownership: A registration has a count of its references: see registration.h.
 */
#include "distributed.h"
#include "ground_list.h"
#include "ground_table.h"
#include "cf_queue.h"
#include "text.h"

/* ---- Registrations ----------------------------------------------------------------------------------------------- */

enum { CHAINS = 1 << 10 };
static struct herald_cf_registration *chains[CHAINS]; /* of all centers; a hash of the observer chooses the chain */

static struct herald_cf_registration **chain_of(const void *observer) {
    return &chains[ground_mix((uintptr_t)observer) % CHAINS];
}

/* ---- Callbacks --------------------------------------------------------------------------------------------------- */

static void receive(HeraldCenterRef native, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    (void)native, (void)name;
    const struct herald_cf_registration *registration = observer;
    const struct herald_cf_post *post = userInfo;
    if (!post || registration->is_over) return; /* no memory to hold the post, or a removal has begun */
    registration->callback(registration->center, registration->observer, post->name, object, post->userInfo);
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

static const char add[] = "CFNotificationCenterAddObserver";

/* Replaces an object by the address that stands for it in registrations. False: the center cannot have the object. */
static bool find_object(CFNotificationCenterRef center, const void **object) {
    if (center->kind == HERALD_CF_DARWIN) *object = NULL;
    if (center->kind == HERALD_CF_LOCAL || !*object) return true;
    *object = herald_cf_distributed_object(*object);
    return *object;
}

/* Fills in the name and the object. Returns NULL, or the reason why the observer is refused. */
static const char *prepare(struct herald_cf_registration *registration, CFStringRef name, const void *object) {
    enum herald_cf_kind kind = registration->center->kind;
    if (name && !(registration->name = herald_cf_text_name(name, true))) return HERALD_CF_NO_NAME;
    if (!name && kind == HERALD_CF_DARWIN) return "the Darwin center has no observers of any name; name is NULL";
    if (!find_object(registration->center, &object)) return HERALD_CF_NO_OBJECT;
    registration->object = object;
    return kind == HERALD_CF_LOCAL || herald_cf_queue_is_ready() ? NULL : "out of memory";
}

/* Adds a registration to a center of the core. */
static HeraldStatus add_to(HeraldCenterRef center, struct herald_cf_registration *registration, HeraldCallback callback,
                           HeraldNameRef name, const void *object, HeraldToken *token) {
    HeraldObserverOptions options = {.size = sizeof options, .release = herald_cf_registration_release};
    if (center == registration->center->holding) options.suspensionBehavior = registration->behavior;
    registration->references++;
    HeraldStatus status =
        HeraldCenterAddObserverWithOptions(center, registration, callback, name, object, &options, token);
    if (status != HeraldOK) herald_cf_registration_release(registration);
    return status;
}

static const HeraldCallback receivers[] = {receive, herald_cf_darwin_receive, herald_cf_distributed_receive};

/* Ends what the core and the queue have of a registration. A token of {0, 0} names nothing. */
static void leave(struct herald_cf_registration *registration) {
    if (!registration->name) registration->center->any_name--;
    HeraldCenterRemoveToken(registration->native, registration->token);
    HeraldCenterRemoveToken(registration->center->holding, registration->held_token);
    herald_cf_queue_forget(registration);
}

/* Lists a registration and adds it to the core. While the core adds it, the lock is not held, because the core may run
 * hooks of the program. In the distributed center the registration is first added to the center that holds posts. So
 * each post that the other center brings finds it there. */
static HeraldStatus enter(struct herald_cf_registration *registration) {
    CFNotificationCenterRef center = registration->center;
    if (!registration->name) center->any_name++;
    pthread_mutex_lock(&herald_cf_lock);
    GROUND_LIST_PUSH(*chain_of(registration->observer), registration);
    pthread_mutex_unlock(&herald_cf_lock);

    HeraldStatus status = HeraldOK;
    if (center->kind == HERALD_CF_DISTRIBUTED)
        status = add_to(center->holding, registration, herald_cf_distributed_let_pass,
                        HeraldNameForAddress(registration), NULL, &registration->held_token);
    if (status == HeraldOK)
        status = add_to(registration->native, registration, receivers[center->kind], registration->name,
                        registration->object, &registration->token);

    pthread_mutex_lock(&herald_cf_lock);
    registration->is_added = true;
    bool is_over = registration->is_over;
    if (status != HeraldOK && !is_over) GROUND_LIST_REMOVE(registration);
    pthread_mutex_unlock(&herald_cf_lock);
    if (status != HeraldOK || is_over) leave(registration);
    return status;
}

void CFNotificationCenterAddObserver(CFNotificationCenterRef center, const void *observer,
                                     CFNotificationCallback callBack, CFStringRef name, const void *object,
                                     CFNotificationSuspensionBehavior suspensionBehavior) {
    if (!center || !callBack) return;
    struct herald_cf_registration *registration = calloc(1, sizeof *registration);
    if (!registration) {
        herald_cf_complain(add, "out of memory");
        return;
    }
    registration->center = center;
    registration->native = center->native;
    registration->callback = callBack;
    registration->observer = (void *)(uintptr_t)observer;
    if (suspensionBehavior >= 1 && suspensionBehavior <= 4)
        registration->behavior = (HeraldSuspensionBehavior)suspensionBehavior;
    registration->references = 1;
    TAILQ_INIT(&registration->waiting);
    const char *why = prepare(registration, name, object);
    if (!why && enter(registration) != HeraldOK) why = HeraldGetErrorDescription();
    if (why) herald_cf_complain(add, why);
    herald_cf_registration_release(registration);
}

/* ---- Removing ---------------------------------------------------------------------------------------------------- */

static const char remove_observer[] = "CFNotificationCenterRemoveObserver";
static const char remove_every[] = "CFNotificationCenterRemoveEveryObserver";

/* Takes the observer's registrations for this name (NULL: any) and object (NULL: any) off the list. Returns them,
 * linked by `next`, each with a reference. A registration that is still being added is not returned: the thread that
 * adds it ends it. */
static struct herald_cf_registration *take_some(CFNotificationCenterRef center, const void *observer,
                                                HeraldNameRef name, const void *object) {
    struct herald_cf_registration *found = NULL;
    pthread_mutex_lock(&herald_cf_lock);
    for (struct herald_cf_registration *next, *each = *chain_of(observer); each; each = next) {
        next = each->next;
        if (each->observer != observer || each->center != center) continue;
        if ((name && each->name != name) || (object && each->object != object)) continue;
        GROUND_LIST_REMOVE(each);
        each->is_over = true;
        if (!each->is_added) continue;
        each->references++;
        each->next = found;
        found = each;
    }
    pthread_mutex_unlock(&herald_cf_lock);
    return found;
}

static void remove_some(CFNotificationCenterRef center, const void *observer, HeraldNameRef name, const void *object) {
    struct herald_cf_registration *found = take_some(center, observer, name, object);
    while (found) { /* without the lock: the release hook may run here */
        struct herald_cf_registration *each = found;
        found = each->next;
        leave(each);
        herald_cf_registration_release(each);
    }
}

static bool is_somebody(const char *function, const void *observer) {
    if (!observer) herald_cf_complain(function, "observer is NULL: nothing is removed");
    return observer;
}

void CFNotificationCenterRemoveObserver(CFNotificationCenterRef center, const void *observer, CFNotificationName name,
                                        const void *object) {
    if (!center || !is_somebody(remove_observer, observer)) return;
    HeraldNameRef known = name ? herald_cf_text_name(name, false) : NULL;
    if (name && !known) return; /* the name has no observer */
    if (find_object(center, &object)) {
        remove_some(center, observer, known, object);
    } else {
        herald_cf_complain(remove_observer, HERALD_CF_NO_OBJECT);
    }
}

void CFNotificationCenterRemoveEveryObserver(CFNotificationCenterRef center, const void *observer) {
    if (center && is_somebody(remove_every, observer)) remove_some(center, observer, NULL, NULL);
}

/* ---- Posting ----------------------------------------------------------------------------------------------------- */

/* A name that does not exist has no observers of its own. So it is made only if there are observers of all names. */
static void post_here(CFNotificationCenterRef center, CFStringRef name, const void *object, CFDictionaryRef userInfo,
                      bool immediately) {
    HeraldNameRef native = herald_cf_text_name(name, center->any_name);
    if (!native) return;
    struct herald_cf_post post = {name, userInfo};
    HeraldCenterPostNotificationWithOptions(center->native, native, object, &post,
                                            immediately ? (unsigned)HeraldPostDeliverImmediately : 0);
}

static void post_to_all(CFNotificationCenterRef center, CFNotificationName name, const void *object,
                        CFDictionaryRef userInfo, bool immediately) {
    const char *why = herald_cf_distributed_post(center->native, name, object, userInfo, immediately);
    if (why) herald_cf_complain("CFNotificationCenterPostNotification", why);
}

void CFNotificationCenterPostNotificationWithOptions(CFNotificationCenterRef center, CFNotificationName name,
                                                     const void *object, CFDictionaryRef userInfo,
                                                     CFOptionFlags options) {
    if (!center || !name) return;
    switch (center->kind) {
    case HERALD_CF_LOCAL: post_here(center, name, object, userInfo, options & 1); return;
    case HERALD_CF_DARWIN: herald_cf_darwin_post(name); return;
    case HERALD_CF_DISTRIBUTED: post_to_all(center, name, object, userInfo, options & 1); return;
    }
}

void CFNotificationCenterPostNotification(CFNotificationCenterRef center, CFNotificationName name, const void *object,
                                          CFDictionaryRef userInfo, Boolean deliverImmediately) {
    CFNotificationCenterPostNotificationWithOptions(center, name, object, userInfo, deliverImmediately ? 1 : 0);
}
