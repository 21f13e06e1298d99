/* Threads as fibers: the search chooses which of them makes the next step. */
#include "run.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

struct run run;

enum state { UNUSED, READY, BLOCKED, OVER };
enum { STACK = 256 * 1024 };

static struct fiber {
    enum state state;
    jmp_buf here; /* where it continues: without the system calls of swapcontext */
    const void *blocked_on;
    bool has_time, is_late; /* it may continue when no other thread can; it has done so */
    void (*body)(void);
    struct explore_local local;
    void *exceptions[2]; /* the state behind __cxa_get_globals: this stack's exceptions in flight */
    jmp_buf end;
} fibers[RUN_THREADS];
static struct {
    bool is_made;
    jmp_buf here;
} starts[RUN_THREADS]; /* where each fiber starts in every run, on its own stack */
static char stacks[RUN_THREADS][STACK] __attribute__((aligned(64)));
static jmp_buf outside;
static sigjmp_buf failed;
static void (*warm_up)(void); /* run by each thread before the others begin */

struct __cxa_eh_globals;
struct __cxa_eh_globals *__cxa_get_globals(void);
extern struct herald_thread herald_newcomer;

struct explore_local *explore_local(void) {
    return &fibers[run.current].local;
}

/* ---- Switching --------------------------------------------------------------------------------------------------- */

static void go_to(int next) {
    int self = run.current;
    memcpy(fibers[self].exceptions, __cxa_get_globals(), sizeof fibers[self].exceptions);
    memcpy(__cxa_get_globals(), fibers[next].exceptions, sizeof fibers[next].exceptions);
    memory_leave(self);
    memory_enter(next);
    run.current = next;
    if (!_setjmp(fibers[self].here)) _longjmp(fibers[next].here, 1);
}

/* Runs fiber `number` until it, or a fiber that it has switched to, returns to the outside. */
static void go_inside(int number) {
    run.current = number;
    if (!_setjmp(outside)) _longjmp(fibers[number].here, 1);
}

static void go_outside(void) {
    if (!_setjmp(fibers[run.current].here)) _longjmp(outside, 1);
}

/* The threads that can go on, this one first if it can. Returns their number. */
static int find_ready(int ready[RUN_THREADS]) {
    int count = 0;
    if (fibers[run.current].state == READY) ready[count++] = run.current;
    for (int i = 0; i < run.threads; i++)
        if (i != run.current && fibers[i].state == READY) ready[count++] = i;
    return count;
}

void run_begin_step(void) {
    if (!run.exploring) return;
    memory_drain_some();
    int ready[RUN_THREADS], count = find_ready(ready);
    int chosen = count > 1 ? choose(count, true) : 0;
    if (chosen) go_to(ready[chosen]);
}

void run_note_step(const char *what, const volatile void *at, uint64_t value, const char *file, int line) {
    if (run.count == sizeof run.steps / sizeof *run.steps) run_fail("it does not end: too many steps");
    run.steps[run.count++] = (struct run_step){run.current, what, file, line, at, value};
}

/* Called by a thread that cannot go on. */
static void leave(void) {
    int ready[RUN_THREADS], count = find_ready(ready);
    if (count) {
        go_to(ready[count > 1 && run.exploring ? choose(count, false) : 0]);
        return;
    }
    for (int i = 0; i < run.threads; i++) {
        if (fibers[i].state != BLOCKED || !fibers[i].has_time) continue;
        fibers[i].state = READY;
        fibers[i].is_late = run.was_late = true;
        if (i != run.current) go_to(i);
        return;
    }
    for (int i = 0; i < run.threads; i++)
        if (fibers[i].state == BLOCKED) run_fail("a deadlock: no thread can go on");
    go_outside();
}

void run_block(const void *on) {
    fibers[run.current].state = BLOCKED;
    fibers[run.current].blocked_on = on;
    leave();
}

bool run_block_for_a_time(const void *on) {
    struct fiber *self = &fibers[run.current];
    self->has_time = true;
    self->is_late = false;
    run_block(on);
    self->has_time = false;
    return !self->is_late;
}

void run_wake(const void *on) {
    for (int i = 0; i < run.threads; i++)
        if (fibers[i].state == BLOCKED && fibers[i].blocked_on == on) fibers[i].state = READY;
}

bool run_is_over(int thread) { return fibers[thread].state == OVER; }

bool run_has_others(void) {
    int ready[RUN_THREADS];
    return find_ready(ready) > 1;
}

void run_give_way(void) {
    int ready[RUN_THREADS], count = find_ready(ready);
    if (count > 1) go_to(ready[1 + (count > 2 && run.exploring ? choose(count - 1, false) : 0)]);
}

/* ---- A thread's life --------------------------------------------------------------------------------------------- */

static void enter(int number) {
    struct fiber *fiber = &fibers[number];
    /* Each run begins here again. So this function never returns: its frame stays on the stack. */
    if (!_setjmp(starts[number].here)) _longjmp(outside, 1);
    if (number && warm_up) {
        warm_up();
        go_outside();
    }
    if (!setjmp(fiber->end)) fiber->body();
    locks_thread_ends();
    run_begin_step();
    memory_fence(number);
    fiber->state = OVER;
    leave();
}

static void make_start(int number) {
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks[number];
    context.uc_stack.ss_size = STACK;
    context.uc_link = NULL;
    makecontext(&context, (void (*)(void))enter, 1, number);
    if (!_setjmp(outside)) setcontext(&context);
    starts[number].is_made = true;
}

static void begin(int number, void (*body)(void)) {
    struct fiber *fiber = &fibers[number];
    if (!starts[number].is_made) make_start(number);
    memset(fiber, 0, sizeof *fiber);
    memcpy(fiber->here, starts[number].here, sizeof fiber->here);
    fiber->state = READY;
    fiber->body = body;
    fiber->local.self = &herald_newcomer;
}

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *unused) {
    (void)version, (void)class, (void)exception, (void)context, (void)unused;
    if (actions & _UA_END_OF_STACK) longjmp(fibers[run.current].end, 1);
    return _URC_NO_REASON;
}

void run_exit_thread(void) {
    static struct _Unwind_Exception exceptions[RUN_THREADS];
    struct _Unwind_Exception *exception = &exceptions[run.current];
    memset(exception, 0, sizeof *exception);
    _Unwind_ForcedUnwind(exception, stop, NULL);
    run_fail("a thread's stack could not be unwound");
}

void run_fork(void) {
    locks_run_fork_handlers(0);
    memory_forget_others(run.current);
    for (int i = 0; i < run.threads; i++)
        if (i != run.current) fibers[i].state = OVER;
    locks_run_fork_handlers(2);
}

/* ---- The run ----------------------------------------------------------------------------------------------------- */

void run_fail(const char *sentence) {
    if (!run.failure) run.failure = sentence;
    siglongjmp(failed, 1);
}

static void fault(int signal) {
    run_fail(signal == SIGPROF   ? "it does not end: ten seconds of processor time"
             : signal == SIGABRT ? "the core has aborted"
                                 : "memory that is freed, or never was, has been followed");
}

static void catch_faults(void) {
    static char stack[64 * 1024];
    static bool done;
    if (done) return;
    done = true;
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_handler = fault, .sa_flags = SA_ONSTACK};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

static void run_alone(void (*function)(void)) {
    if (!function) return;
    run.exploring = false;
    run.current = 0;
    run.threads = 1;
    begin(0, function);
    go_inside(0);
}

bool run_scenario(void (*prepare)(void), void (*before)(void), void (*ready)(void), void (*const bodies[])(void),
                  void (*check)(void)) {
    catch_faults();
    run.count = 0;
    run.was_late = false;
    run.failure = NULL;
    if (sigsetjmp(failed, 1)) {
        run.exploring = false;
        memset(__cxa_get_globals(), 0, sizeof fibers[0].exceptions);
        return false;
    }
    run_alone(prepare);
    fibers[0].state = UNUSED;
    for (run.threads = 1; bodies[run.threads - 1]; run.threads++) begin(run.threads, bodies[run.threads - 1]);
    warm_up = before;
    memory_begin_threads(run.threads);
    for (int thread = 1; warm_up && thread < run.threads; thread++) go_inside(thread);
    int threads = run.threads;
    run_alone(ready);
    fibers[0].state = UNUSED;
    run.threads = threads;
    memory_begin_threads(threads);
    run.exploring = true;
    int first = run.threads > 2 ? 1 + choose(run.threads - 1, false) : 1;
    go_inside(first);
    memory_end_threads();
    run_alone(check);
    if (!heap_is_intact()) run_fail("memory has been written to after it was freed");
    return true;
}
