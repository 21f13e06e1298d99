/* Runs the rules without Swift.
 *
 *      rules [OPTION...] [PART...]     the rules whose names contain a PART, without those that contain a -PART
 *      --list          print the names, and why a slow one is slow
 *      --quick         leave out the slow ones
 *      --jobs N        run N at a time, each in a child of its own
 *      --repeat N      run all of it N times
 *
 * With HERALD_TEST_TRACE every center is traced, and every begun event must have an end. */
#include "../include/rules.h"
#include "select.h"
#include "../check.h"
#include <herald/inspect.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MOST = 16, SILENT_MOST = 10 /* seconds */ };

/* Shared by the children of a run. */
static struct {
    atomic_int next, passed, failed;
    _Atomic double told;         /* when a line was printed last */
    atomic_int doing[JOBS_MOST]; /* the rule that a child runs, + 1 */
} * shared, alone;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void tell(void) {
    shared->told = seconds();
    fflush(stdout);
}

/* ---- A rule that does not end ------------------------------------------------------------------------------------ */

static timer_t watchdog;
static const char *volatile watched;

/* A sanitizer prints where the thread is. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
void __sanitizer_print_stack_trace(void);
#else
static void __sanitizer_print_stack_trace(void) {}
#endif

/* Uses functions that a signal handler may call, and only then prints the stack, which may fail. */
static void give_up(int signal) {
    const char *before = check_has_failed() ? ", and failed before: " : "";
    const char *said[] = {"FAILED ", watched, ": it does not end", before, check_failure(), "\n"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) (void)!write(1, said[i], strlen(said[i]));
    (void)signal;
    __sanitizer_print_stack_trace();
    _exit(1);
}

/* A forked child does not inherit timers. Rules use SIGALRM themselves. */
static void make_watchdog(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM};
    struct sigaction action = {.sa_handler = give_up};
    if (sigaction(SIGVTALRM, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &watchdog)) abort();
}
static void watch(const char *name, int limit) {
    struct itimerspec time = {.it_value.tv_sec = limit};
    watched = name;
    timer_settime(watchdog, 0, &time, NULL);
}

static void run_one(size_t index) {
    const char *slow = HeraldRulesWhySlow(index);
    if (slow) printf("... %s: %s\n", HeraldRulesGetName(index), slow), tell();
    watch(HeraldRulesGetName(index), WATCHDOG);
    const char *failure = HeraldRulesRun(index);
    watch(NULL, 0);
    if (failure) printf("FAILED %s: %s\n", HeraldRulesGetName(index), failure), tell();
    *(failure ? &shared->failed : &shared->passed) += 1;
    if (seconds() - shared->told < SILENT_MOST) return;
    printf("... %d rules so far\n", shared->passed + shared->failed);
    tell();
}

/* Runs rules until none is left: the slow ones first, so that the others run in parallel with them. */
static void run_rest(const struct selection *selected, atomic_int *doing) {
    for (size_t i; (i = (size_t)shared->next++) < selected->count;) {
        *doing = (int)i + 1;
        run_one(selected->at[i]);
    }
    *doing = 0;
}

static void run_side_by_side(const struct selection *selected, int jobs) {
    pid_t children[JOBS_MOST];
    fflush(NULL);
    for (int job = 0; job < jobs; job++) {
        children[job] = fork();
        if (children[job] != 0) continue;
        make_watchdog();
        run_rest(selected, &shared->doing[job]);
        fflush(NULL);
        if (UNDER_ADDRESS_SANITIZER) exit(0); /* the leak check runs in exit() */
        _exit(0);
    }
    for (int job = 0; job < jobs; job++) {
        int status = 0;
        waitpid(children[job], &status, 0);
        int at = shared->doing[job];
        if (at == 0 && status == 0) continue;
        printf("FAILED %s: its process ended with status %d\n",
               at ? HeraldRulesGetName(selected->at[at - 1]) : "a rule", status);
        shared->failed++;
        run_rest(selected, &shared->doing[job]); /* in place of the child */
    }
}

static atomic_long begun, ended;

static void note(void *context, const HeraldTraceEvent *event) {
    (void)context;
    if (event->phase == HeraldTracePostBegin || event->phase == HeraldTraceCallBegin) begun++;
    if (event->phase == HeraldTracePostEnd || event->phase == HeraldTraceCallEnd) ended++;
}

static bool is_balanced(void) {
    if (getenv("HERALD_TEST_TRACE")) printf("traced: %ld begun, %ld ended\n", (long)begun, (long)ended);
    return begun == ended;
}

int main(int argc, char **argv) {
    struct arguments arguments;
    struct selection selected;
    if (!arguments_read(&arguments, argc, argv) || !select_rules(&selected, &arguments)) return 64;
    if (arguments.list) return list_rules(&selected), 0;
    if (getenv("HERALD_TEST_TRACE") && HeraldTraceStart(NULL, NULL, note, NULL, NULL, NULL) != HeraldOK) abort();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) shared = (void *)&alone;
    double begin = seconds();
    make_watchdog();
    tell();
    for (int round = 0; round < arguments.repeat; round++) {
        shared->next = 0;
        if (arguments.jobs > 1 && (void *)shared != (void *)&alone)
            run_side_by_side(&selected, arguments.jobs < JOBS_MOST ? arguments.jobs : JOBS_MOST);
        else
            run_rest(&selected, &shared->doing[0]);
    }
    printf("%s: %zu rules in %.1f s\n", strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0], selected.count,
           seconds() - begin);
    printf("%d passed, %d failed\n", (int)shared->passed, (int)shared->failed);
    return !is_balanced() || shared->failed != 0;
}
