#include "check.h"
#include "include/rules.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char failure[1024];
static atomic_bool has_failed;

void check_failed(const char *file, int line, const char *sentence) {
    pthread_mutex_lock(&lock);
    const char *base = strrchr(file, '/');
    if (!has_failed) snprintf(failure, sizeof failure, "%s:%d: %s", base ? base + 1 : file, line, sentence);
    has_failed = true;
    pthread_mutex_unlock(&lock);
}

bool check_has_failed(void) { return has_failed; }

const char *check_failure(void) { return has_failed ? failure : ""; }

int patience(void) { return check_has_failed() ? 1 : PATIENCE; }

uint64_t patient_nanoseconds(void) {
    static const uint64_t second = 1000000000;
    static _Thread_local uint64_t last, passed;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    uint64_t now = (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
    if (last) passed += now - last < second ? now - last : second;
    last = now;
    return passed;
}

uint64_t end_of_patience(void) { return patient_nanoseconds() + (uint64_t)patience() * UINT64_C(1000000000); }

void check_report(void) { fprintf(stderr, "%s", check_failure()); }

/* The linker's symbols for the ends of the section. */
extern const struct rule *const __start_herald_rules[], *const __stop_herald_rules[];

/* The rules by file and line, independent of the linker's order. */
static const struct rule *rules[1024];

static int compare(const void *a, const void *b) {
    const struct rule *x = *(const struct rule *const *)a, *y = *(const struct rule *const *)b;
    int files = strcmp(x->file, y->file);
    return files ? files : x->line - y->line;
}

size_t HeraldRulesCount(void) {
    size_t count = (size_t)(__stop_herald_rules - __start_herald_rules);
    if (count > sizeof rules / sizeof *rules) abort();
    return count;
}

static void sort_rules(void) {
    memcpy(rules, __start_herald_rules, HeraldRulesCount() * sizeof *rules);
    qsort(rules, HeraldRulesCount(), sizeof *rules, compare);
}

static const struct rule *rule_at(size_t index) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, sort_rules);
    return rules[index];
}

const char *HeraldRulesGetName(size_t index) { return rule_at(index)->name; }
const char *HeraldRulesWhySlow(size_t index) { return rule_at(index)->slow; }

const char *HeraldRulesRun(size_t index) {
    has_failed = false;
    rule_at(index)->run();
    return has_failed ? failure : NULL;
}

void record_clear(struct record *record) {
    record->count = 0;
    record->heard[0] = 0;
}

static void hear(struct record *record, char letter) {
    pthread_mutex_lock(&record->lock);
    if (record->count + 1 < sizeof record->heard) {
        record->heard[record->count++] = letter;
        record->heard[record->count] = 0;
    }
    pthread_mutex_unlock(&record->lock);
}

void listener_hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                   const void *userInfo) {
    struct listener *self = observer;
    pthread_mutex_lock(&lock);
    self->name = name;
    self->object = object;
    self->userInfo = userInfo;
    self->tag = HeraldGetCurrentTag();
    pthread_mutex_unlock(&lock);
    self->calls++;
    CHECK(self->released == 0);
    if (self->record) hear(self->record, self->letter);
    if (self->then) self->then(self, center);
}

void listener_released(void *observer) { ((struct listener *)observer)->released++; }

void add_with(HeraldCenterRef center, struct listener *listener, HeraldNameRef name, const void *object,
              HeraldSuspensionBehavior behavior) {
    HeraldObserverOptions options = {
        .size = sizeof options, .suspensionBehavior = behavior, .release = listener_released};
    CHECK(HeraldCenterAddObserverWithOptions(center, listener, listener_hear, name, object, &options,
                                             &listener->token) == HeraldOK);
}

void add(HeraldCenterRef center, struct listener *listener, HeraldNameRef name, const void *object) {
    add_with(center, listener, name, object, HeraldSuspensionDeliverImmediately);
}

HeraldCenterRef new_center(void) {
    HeraldCenterRef center = HeraldCenterCreate(NULL);
    CHECK(center != NULL);
    return center;
}

HeraldNameRef name_of(const char *text) {
    HeraldNameRef name = HeraldNameCreate(text);
    CHECK(name != NULL);
    return name;
}

#if defined __SANITIZE_ADDRESS__ && __GNUC__ < 14
/* Locks of the sanitizer's heap. The sanitizer does not take them for a fork, so the child would wait for a thread that
 * it does not have. The sanitizer is linked statically, because these functions are internal. */
void lock_heap(void) __asm__("_ZN6__lsan13LockAllocatorEv");
void unlock_heap(void) __asm__("_ZN6__lsan15UnlockAllocatorEv");
/* Registered first, so it is locked last: then no other handler allocates any more. */
__attribute__((constructor(101))) static void lock_heap_for_forks(void) {
    if (pthread_atfork(lock_heap, unlock_heap, unlock_heap) != 0) abort();
}
#endif

#if defined __SANITIZE_THREAD__
/* Whether a thread of this process runs, except the one that asks. */
static bool others_run(DIR *threads) {
    bool run = false;
    rewinddir(threads);
    for (const struct dirent *entry; !run && (entry = readdir(threads));) {
        char stat[64] = "", path[300];
        if (*entry->d_name == '.' || atoi(entry->d_name) == gettid()) continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file >= 0 && read(file, stat, sizeof stat - 1) > 0) {
            const char *state = strchr(stat, ')'); /* the name of a test's thread has none */
            run = state && state[1] == ' ' && state[2] == 'R';
        }
        if (file >= 0) close(file);
    }
    return run;
}

/* The sanitizer has locks that it does not take for a fork, and does not let others take. A thread that begins, ends or
 * allocates holds them. A child would wait for them for ever. So a fork waits until the other threads sleep, unless
 * they do not. */
static void let_others_sleep(void) {
    enum { LOOKS = 500 };
    DIR *threads = opendir("/proc/self/task");
    for (int looks = 0; threads && looks < LOOKS && others_run(threads); looks++) usleep(1000);
    if (threads) closedir(threads);
}
/* Registered first, so it is called last. */
__attribute__((constructor(101))) static void let_others_sleep_for_forks(void) {
    if (pthread_atfork(let_others_sleep, NULL, NULL) != 0) abort();
}
#endif

/* Reads what is there, and waits a moment for it. */
static size_t read_some(int end, char *said, size_t got, size_t size) {
    struct pollfd ready = {end, POLLIN, 0};
    ssize_t more = 0;
    if (poll(&ready, 1, 20) > 0 && got + 1 < size) more = read(end, said + got, size - 1 - got);
    if (more == 0) usleep(1000);
    return got + (more > 0 ? (size_t)more : 0);
}

int in_child(void (*function)(void), char *said, size_t size) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        alarm(WATCHDOG);
        has_failed = false;
        pthread_mutex_init(&lock, NULL); /* another thread may have held it at the fork */
        function();
        check_report();
        _exit(check_has_failed());
    }
    close(ends[1]);
    size_t got = 0;
    int status = -1;
    while (waitpid(child, &status, WNOHANG) == 0) got = read_some(ends[0], said, got, size);
    kill(-child, SIGKILL); /* a process that it has left, stopped perhaps, would keep the pipe open */
    got = read_some(ends[0], said, got, size);
    said[got] = 0;
    close(ends[0]);
    return status;
}

bool child_passed(void (*function)(void)) {
    char said[900];
    int status = in_child(function, said, sizeof said);
    if (status == 0) return true;
    char sentence[1000];
    snprintf(sentence, sizeof sentence, "in a child process (status %d): %s", status, said);
    check_failed("child", 0, sentence);
    return false;
}

long instructions_of(void (*prepare)(void), void (*function)(void)) {
    int status = 0;
    long count = 0;
    fflush(NULL);
    pid_t child = UNDER_THREAD_SANITIZER ? -1 : fork();
    if (child == 0) {
        alarm(WATCHDOG);
        prepare();
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(1);
        raise(SIGSTOP);
        function();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return 0;
    bool stopped = WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP;
    for (; WIFSTOPPED(status); count++) { /* other signals belong to the child: a fault, or the watchdog */
        int signal = WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
        ptrace(PTRACE_SINGLESTEP, child, NULL, (void *)(uintptr_t)signal);
        waitpid(child, &status, 0);
    }
    if (stopped && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
        check_failed("child", 0, "what is counted has failed"), count = -1;
    return stopped ? count : 0;
}

long waits(void) {
    struct rusage usage;
    CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
    return usage.ru_nvcsw;
}

void step_reach(struct step *step, int value) { step->reached = value; }

bool step_await(struct step *step, int value) {
    uint64_t end = end_of_patience();
    while (step->reached < value) {
        usleep(200);
        if (patient_nanoseconds() >= end) return false;
    }
    return true;
}

void unblock(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
