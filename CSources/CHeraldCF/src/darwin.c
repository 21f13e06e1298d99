/* The Darwin center: names between processes, heard on a run loop.
 *
 * Herald's thread hands a registration to the run loop and does not wait. A registration that waits there already
 * stands for the new post, too: posts of this center coalesce. One that was removed meanwhile is not called.
 *
 * Ordering. The list's lock. Progress. Herald's thread never waits for the run loop. Ownership. A registration in the
 * list has a reference for it.
 */
#include "../include/HeraldCF.h"
#include "darwin.h"
#include <herald/host.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all that follows */
static struct registration *first, **last = &first;      /* that wait for the run loop */
static long waiting;
static CFRunLoopSourceRef source;
static CFRunLoopRef loop;

/* Has the run loop call perform(). */
static void signal_loop(void) {
    CFRunLoopSourceSignal(source);
    CFRunLoopWakeUp(loop);
}

/* ---- On the run loop --------------------------------------------------------------------------------------------- */

static void unlink_waiting(struct registration *each) {
    *each->link_waiting = each->next_waiting;
    if (each->next_waiting) {
        each->next_waiting->link_waiting = each->link_waiting;
    } else {
        last = each->link_waiting;
    }
    each->is_waiting = false;
    waiting--;
}

/* It is signalled again while any wait: the callback may run the loop itself. What waits after the loop was changed
 * is the new one's. */
static struct registration *take_next(void) {
    pthread_mutex_lock(&lock);
    struct registration *next = CFRunLoopGetCurrent() == loop ? first : NULL;
    if (next) unlink_waiting(next);
    if (next && first) signal_loop();
    pthread_mutex_unlock(&lock);
    return next;
}

/* As many as wait when it begins: callbacks may post, and other sources need the run loop, too. */
static void perform(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    long count = waiting;
    pthread_mutex_unlock(&lock);
    struct registration *each;
    for (; count > 0 && (each = take_next()); count--) {
        if (!each->is_over) each->callback(each->center, each->observer, each->string, NULL, NULL);
        herald_cf_registration_release(each);
    }
}

static void use_loop(CFRunLoopRef wanted) {
    if (loop == wanted) return;
    if (loop) {
        CFRunLoopRemoveSource(loop, source, kCFRunLoopCommonModes);
        CFRelease(loop);
    }
    loop = (CFRunLoopRef)(uintptr_t)CFRetain(wanted);
    CFRunLoopAddSource(loop, source, kCFRunLoopCommonModes);
    if (first) signal_loop();
}

static bool make_source(void) {
    CFRunLoopSourceContext context = {.perform = perform};
    if (!source) source = CFRunLoopSourceCreate(kCFAllocatorSystemDefault, 0, &context);
    if (!source) return false;
    if (!loop) use_loop(CFRunLoopGetMain());
    return true;
}

bool herald_cf_run_loop_is_there(void) {
    pthread_mutex_lock(&lock);
    bool is = make_source();
    pthread_mutex_unlock(&lock);
    return is;
}

void HeraldCFNotificationCenterSetRunLoop(CFRunLoopRef wanted) {
    pthread_mutex_lock(&lock);
    if (make_source()) use_loop(wanted ? wanted : CFRunLoopGetMain());
    pthread_mutex_unlock(&lock);
}

/* ---- On Herald's thread ------------------------------------------------------------------------------------------ */

void herald_cf_hand_over(HeraldCenterRef native, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)native, (void)name, (void)object, (void)userInfo;
    struct registration *registration = observer;
    pthread_mutex_lock(&lock);
    if (!registration->is_waiting && !registration->is_over) {
        registration->is_waiting = true;
        registration->references++;
        registration->next_waiting = NULL;
        registration->link_waiting = last;
        *last = registration;
        last = &registration->next_waiting;
        waiting++;
        signal_loop();
    }
    pthread_mutex_unlock(&lock);
}

/* ---- On any thread ----------------------------------------------------------------------------------------------- */

void herald_cf_forget(struct registration *registration) {
    pthread_mutex_lock(&lock);
    bool waited = registration->is_waiting;
    if (waited) unlink_waiting(registration);
    pthread_mutex_unlock(&lock);
    if (waited) herald_cf_registration_release(registration);
}

void herald_cf_lock_list(void) { pthread_mutex_lock(&lock); }
void herald_cf_unlock_list(void) { pthread_mutex_unlock(&lock); }

void herald_cf_post_to_host(HeraldNameRef native, CFStringRef name) {
    if (native) {
        HeraldCenterPostNotification(HeraldCenterGetHostCenter(), native, NULL, NULL, false);
    } else {
        herald_cf_post_text(name);
    }
}

const char *herald_cf_reason(CFNotificationCenterRef center, HeraldStatus status) {
    const char *why = center->is_darwin ? HeraldHostGetErrorDescription() : "";
    return why[0] ? why : HeraldStatusGetDescription(status);
}
