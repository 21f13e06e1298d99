/* The run loop, which makes the calls that wait in the queue (cf_queue.h).
 *
 * A source of the run loop makes the calls that are due, also when a callback runs the loop again. In a program that is
 * run by dispatchMain(), or by an `async` main, the main run loop does not turn. There a block in the main queue makes
 * the calls. (The main run loop runs the blocks of the main queue, too. But if such a block makes a callback, and the
 * callback runs the main run loop again, no other block runs there. So the source is needed.)
 *
 * Ordering: `lock`, and under it the queue's lock.
 * Progress: A thread that signals the source never waits for the run loop.
 * Ownership: The source is retained for ever. The run loop is retained until it is replaced.
 */
#include "cf_loop.h"
#include "cf_queue.h"
#include "../include/HeraldCF.h" /* after corefoundation.h, which stands in for the toolchain's headers */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all that follows */
static CFRunLoopSourceRef source;
static CFRunLoopRef loop;
static bool is_in_main_queue; /* run_in_main_queue() is in the main queue, and has not begun */

/* ---- On the run loop --------------------------------------------------------------------------------------------- */

static void run_in_main_queue(void *unused);

static void signal_source(void) {
    CFRunLoopSourceSignal(source);
    CFRunLoopWakeUp(loop);
    if (is_in_main_queue || loop != CFRunLoopGetMain()) return;
    is_in_main_queue = true;
    dispatch_async_f(&_dispatch_main_q, NULL, run_in_main_queue);
}

/* Takes the next call that is due. If more calls are due, signals the source again: if the callback runs the loop
 * itself, the source makes these calls inside the callback. After the run loop was changed, due calls belong to the new
 * run loop, and the old one takes none. */
static bool take(struct herald_cf_call *call, CFRunLoopRef here) {
    pthread_mutex_lock(&lock);
    bool is_taken = here == loop && herald_cf_queue_take(call);
    if (is_taken && herald_cf_queue_due() > 0) signal_source();
    pthread_mutex_unlock(&lock);
    return is_taken;
}

static void make(struct herald_cf_call *call) {
    const struct herald_cf_registration *to = call->registration;
    CFStringRef name = call->name ? call->name : to->string;
    if (!to->is_over) to->callback(to->center, to->observer, name, call->object, call->userInfo);
    if (call->name) CFRelease(call->name);
    if (call->object) CFRelease(call->object);
    if (call->userInfo) CFRelease(call->userInfo);
    herald_cf_registration_release(call->registration);
}

/* Makes as many calls as were due at the beginning, and no more, because callbacks may post, and other sources need the
 * run loop, too. */
static void make_calls(CFRunLoopRef here) {
    struct herald_cf_call call;
    for (long count = herald_cf_queue_due(); count > 0 && take(&call, here); count--) make(&call);
}

static void perform(void *unused) {
    (void)unused;
    make_calls(CFRunLoopGetCurrent());
}

static void run_in_main_queue(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    is_in_main_queue = false;
    pthread_mutex_unlock(&lock);
    CFRunLoopMode mode = CFRunLoopCopyCurrentMode(CFRunLoopGetMain());
    if (mode) {
        CFRelease(mode); /* the main run loop turns, and its source makes the calls */
    } else {
        make_calls(CFRunLoopGetMain());
    }
}

/* ---- Which run loop it is ---------------------------------------------------------------------------------------- */

static void use(CFRunLoopRef wanted) {
    if (loop == wanted) return;
    if (loop) {
        CFRunLoopRemoveSource(loop, source, kCFRunLoopCommonModes);
        CFRelease(loop);
    }
    loop = (CFRunLoopRef)(uintptr_t)CFRetain(wanted);
    CFRunLoopAddSource(loop, source, kCFRunLoopCommonModes);
    if (herald_cf_queue_due() > 0) signal_source();
}

static bool make_source(void) {
    CFRunLoopSourceContext context = {.perform = perform};
    if (!source) source = CFRunLoopSourceCreate(kCFAllocatorSystemDefault, 0, &context);
    if (!source) return false;
    if (!loop) use(CFRunLoopGetMain());
    return true;
}

bool herald_cf_loop_is_there(void) {
    pthread_mutex_lock(&lock);
    bool is = make_source();
    pthread_mutex_unlock(&lock);
    return is;
}

void HeraldCFNotificationCenterSetRunLoop(CFRunLoopRef wanted) {
    pthread_mutex_lock(&lock);
    if (make_source()) use(wanted ? wanted : CFRunLoopGetMain());
    pthread_mutex_unlock(&lock);
}

void herald_cf_loop_signal(void) {
    pthread_mutex_lock(&lock);
    if (source && herald_cf_queue_due() > 0) signal_source();
    pthread_mutex_unlock(&lock);
}

void herald_cf_lock_loop(void) { pthread_mutex_lock(&lock); }
void herald_cf_unlock_loop(void) { pthread_mutex_unlock(&lock); }
