/* Calls that are due (cf_queue.h), the run loop that makes them, and fork.
 *
 * A source of the run loop makes the calls, also when a callback runs the loop again. In a program that is run by
 * dispatchMain(), or by an `async` main, the main run loop does not turn. There a block in the main queue makes the
 * calls. (The main run loop runs the blocks of the main queue, too. But if such a block makes a callback, and the
 * callback runs the main run loop again, no other block runs there. So the source is needed.)
 *
 * Ordering: `herald_cf_lock`. A removal sets `is_over`, and then drops the registration's calls. Once `is_over` is set,
 * new calls are refused. Refusing and dropping happen under the lock, so no call is left behind.
 * Progress: A thread that adds a call never waits for the run loop. Adding and dropping take constant time for each
 * call, except that dropping for bytes steps over the calls of the Darwin center.
 * Ownership: A call has a reference to its registration. Nothing is released under the lock. The source is retained for
 * ever, the run loop until it is replaced.
 */
#include "cf_queue.h"
#include "text.h"
#include "../include/HeraldCF.h" /* after corefoundation.h, which stands in for the toolchain's headers */

enum { MOST_CALLS = 1024, MOST_BYTES = 16 << 20 };

pthread_mutex_t herald_cf_lock = PTHREAD_MUTEX_INITIALIZER; /* for all that follows, and for the registrations */
static struct herald_cf_calls due = TAILQ_HEAD_INITIALIZER(due);
static long due_count;
static size_t bytes;
static CFRunLoopSourceRef source;
static CFRunLoopRef loop;
static bool is_in_main_queue; /* run_in_main_queue() is in the main queue, and has not begun */

/* ---- Under the lock ---------------------------------------------------------------------------------------------- */

static void take_out(struct herald_cf_call *call) {
    TAILQ_REMOVE(&due, call, in_queue);
    TAILQ_REMOVE(&call->to->waiting, call, of_registration);
    call->to->waiting_count--;
    due_count--;
    bytes -= call->size;
}

static void drop(struct herald_cf_call *call, struct herald_cf_calls *dropped) {
    take_out(call);
    TAILQ_INSERT_TAIL(dropped, call, in_queue);
}

/* The oldest call that has a size. */
static struct herald_cf_call *oldest(void) {
    struct herald_cf_call *each;
    TAILQ_FOREACH(each, &due, in_queue) if (each->size) break;
    return each;
}

static void put(struct herald_cf_call *call, struct herald_cf_calls *dropped) {
    struct herald_cf_registration *to = call->to;
    TAILQ_INSERT_TAIL(&due, call, in_queue);
    TAILQ_INSERT_TAIL(&to->waiting, call, of_registration);
    to->waiting_count++;
    due_count++;
    bytes += call->size;
    if (to->waiting_count > MOST_CALLS) drop(TAILQ_FIRST(&to->waiting), dropped);
    while (bytes > MOST_BYTES) drop(oldest(), dropped);
}

static void run_in_main_queue(void *unused);

static void signal_source(void) {
    CFRunLoopSourceSignal(source);
    CFRunLoopWakeUp(loop);
    if (is_in_main_queue || loop != CFRunLoopGetMain()) return;
    is_in_main_queue = true;
    dispatch_async_f(&_dispatch_main_q, NULL, run_in_main_queue);
}

/* ---- On any thread ----------------------------------------------------------------------------------------------- */

struct herald_cf_call *herald_cf_call_create(struct herald_cf_registration *to, HeraldNameRef name, size_t size) {
    struct herald_cf_call *call = calloc(1, sizeof *call);
    if (!call) return NULL;
    to->references++;
    call->to = to;
    call->name = name;
    call->size = size;
    return call;
}

void herald_cf_call_end(struct herald_cf_call *call) {
    if (call->object) CFRelease(call->object);
    if (call->userInfo) CFRelease(call->userInfo);
    herald_cf_registration_release(call->to);
    free(call);
}

static void end_all(struct herald_cf_calls *dropped) {
    for (struct herald_cf_call *each; (each = TAILQ_FIRST(dropped));) {
        TAILQ_REMOVE(dropped, each, in_queue);
        herald_cf_call_end(each);
    }
}

void herald_cf_queue_add(struct herald_cf_call *call) {
    struct herald_cf_calls dropped = TAILQ_HEAD_INITIALIZER(dropped);
    bool coalesces = call->to->center->kind == HERALD_CF_DARWIN;
    pthread_mutex_lock(&herald_cf_lock);
    if (call->to->is_over || (coalesces && call->to->waiting_count)) {
        TAILQ_INSERT_TAIL(&dropped, call, in_queue);
    } else {
        put(call, &dropped);
        signal_source();
    }
    pthread_mutex_unlock(&herald_cf_lock);
    end_all(&dropped);
}

void herald_cf_queue_forget(struct herald_cf_registration *registration) {
    struct herald_cf_calls dropped = TAILQ_HEAD_INITIALIZER(dropped);
    pthread_mutex_lock(&herald_cf_lock);
    while (registration->waiting_count) drop(TAILQ_FIRST(&registration->waiting), &dropped);
    pthread_mutex_unlock(&herald_cf_lock);
    end_all(&dropped);
}

/* ---- On the run loop --------------------------------------------------------------------------------------------- */

/* Takes the oldest call. If more calls are due, signals the source again: if the callback runs the loop itself, the
 * source makes these calls inside the callback. After the run loop was changed, due calls belong to the new run loop,
 * and the old one takes none. */
static struct herald_cf_call *take(CFRunLoopRef here) {
    pthread_mutex_lock(&herald_cf_lock);
    struct herald_cf_call *first = here == loop ? TAILQ_FIRST(&due) : NULL;
    if (first) take_out(first);
    if (first && due_count) signal_source();
    pthread_mutex_unlock(&herald_cf_lock);
    return first;
}

static void make(const struct herald_cf_call *call) {
    const struct herald_cf_registration *to = call->to;
    CFStringRef name = herald_cf_text_string(HeraldNameGetUTF8String(call->name));
    if (name && !to->is_over) to->callback(to->center, to->observer, name, call->object, call->userInfo);
    if (name) CFRelease(name);
}

/* Makes as many calls as were due at the beginning, and no more, because callbacks may post, and other sources need the
 * run loop, too. */
static void make_calls(CFRunLoopRef here) {
    pthread_mutex_lock(&herald_cf_lock);
    long count = due_count;
    pthread_mutex_unlock(&herald_cf_lock);
    for (struct herald_cf_call *call; count-- > 0 && (call = take(here)); herald_cf_call_end(call)) make(call);
}

static void perform(void *unused) {
    (void)unused;
    make_calls(CFRunLoopGetCurrent());
}

static void run_in_main_queue(void *unused) {
    (void)unused;
    pthread_mutex_lock(&herald_cf_lock);
    is_in_main_queue = false;
    pthread_mutex_unlock(&herald_cf_lock);
    CFRunLoopMode mode = CFRunLoopCopyCurrentMode(CFRunLoopGetMain());
    if (mode) {
        CFRelease(mode); /* the main run loop turns, and its source makes the calls */
    } else {
        make_calls(CFRunLoopGetMain());
    }
}

/* ---- Which run loop it is ---------------------------------------------------------------------------------------- */

/* Under the lock: moves the source to another run loop. Returns the previous run loop, for the caller to release. */
static CFRunLoopRef use(CFRunLoopRef wanted) {
    CFRunLoopRef before = loop;
    if (wanted == before) return NULL;
    if (before) CFRunLoopRemoveSource(before, source, kCFRunLoopCommonModes);
    loop = (CFRunLoopRef)(uintptr_t)CFRetain(wanted);
    CFRunLoopAddSource(loop, source, kCFRunLoopCommonModes);
    if (due_count) signal_source();
    return before;
}

/* Under the lock. */
static bool is_ready(void) {
    CFRunLoopSourceContext context = {.perform = perform};
    if (!source) source = CFRunLoopSourceCreate(kCFAllocatorSystemDefault, 0, &context);
    if (source && !loop) use(CFRunLoopGetMain());
    return source;
}

bool herald_cf_queue_is_ready(void) {
    pthread_mutex_lock(&herald_cf_lock);
    bool is = is_ready();
    pthread_mutex_unlock(&herald_cf_lock);
    return is;
}

void HeraldCFNotificationCenterSetRunLoop(CFRunLoopRef wanted) {
    pthread_mutex_lock(&herald_cf_lock);
    CFRunLoopRef before = is_ready() ? use(wanted ? wanted : CFRunLoopGetMain()) : NULL;
    pthread_mutex_unlock(&herald_cf_lock);
    if (before) CFRelease(before);
}

/* ---- Fork: in the child the lock is free ------------------------------------------------------------------------- */

static void lock(void) { pthread_mutex_lock(&herald_cf_lock); }
static void unlock(void) { pthread_mutex_unlock(&herald_cf_lock); }

__attribute__((constructor)) static void prepare(void) { pthread_atfork(lock, unlock, unlock); }
