#include "host.h"
#include <stdatomic.h>
#include <dirent.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

char host_folder[64], host_file[128];
struct board *board;

static void (*test)(void);

static void run_test(void) {
    setenv("HERALD_HOST_DIRECTORY", host_folder, 1);
    test();
}

/* Folders of killed test programs. Their names contain the process that made them. */
static void remove_what_the_dead_have_left(void) {
    static bool done;
    DIR *folder = done ? NULL : opendir("/dev/shm");
    done = true;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char clean[320], *end;
        if (strncmp(entry->d_name, "herald-test-", 12) != 0) continue;
        long maker = strtol(entry->d_name + 12, &end, 10);
        if (maker <= 0 || *end != '-' || kill((pid_t)maker, 0) == 0 || errno != ESRCH) continue;
        snprintf(clean, sizeof clean, "rm -rf '/dev/shm/%s'", entry->d_name);
        if (system(clean) != 0) continue; /* another user's */
    }
    if (folder) closedir(folder);
}

void in_host(void (*function)(void), const char *file, int line) {
    char said[1024], clean[128];
    remove_what_the_dead_have_left();
    snprintf(host_folder, sizeof host_folder, "/dev/shm/herald-test-%d-XXXXXX", getpid());
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(host_folder) || board == MAP_FAILED) {
        check_failed(file, line, "no folder to test in");
        return;
    }
    snprintf(host_file, sizeof host_file, "%s/herald-3", host_folder);
    test = function;
    int status = in_child(run_test, said, sizeof said);
    if (status != 0) check_failed(file, line, said[0] ? said : "the process was killed");
    munmap(board, sizeof *board);
    snprintf(clean, sizeof clean, "rm -rf %s", host_folder);
    if (system(clean) != 0) check_failed(file, line, "the folder cannot be removed");
}

pid_t process(void (*function)(void)) {
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child != 0) return child;
    alarm(WATCHDOG);
    function();
    check_report();
    _exit(getppid() == parent ? check_has_failed() : 1);
}

void join(pid_t process) {
    int status = -1;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    CHECK(status == 0);
}

void end_by(pid_t process, int signal) {
    kill(process, signal);
    waitpid(process, NULL, 0);
}

void stay_on_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
}

bool ask_to_be_traced(void) {
    board->is_untraced = ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0;
    if (!board->is_untraced) raise(SIGSTOP);
    return !board->is_untraced;
}

pid_t begin_steps(void (*function)(void), int *status) {
    board->is_over = false;
    pid_t victim = process(function);
    waitpid(victim, status, 0);
    return victim;
}

bool steps(pid_t victim, int *status, int kind, int count) {
    for (; WIFSTOPPED(*status) && !board->is_over && count > 0 && !check_has_failed(); count--) {
        ptrace(kind, victim, NULL, NULL);
        waitpid(victim, status, 0);
    }
    return WIFSTOPPED(*status) && !board->is_over && !check_has_failed();
}

int count_steps(void (*function)(void)) {
    int status, count = 0;
    pid_t victim = begin_steps(function, &status);
    while (steps(victim, &status, PTRACE_SINGLESTEP, 1)) count++;
    end_by(victim, SIGKILL);
    return count;
}

void let_go(pid_t victim) {
    ptrace(PTRACE_DETACH, victim, NULL, NULL);
    join(victim);
}

int sockets_of(pid_t process, char path[108]) {
    char beginning[16], folder[100];
    int count = 0;
    snprintf(beginning, sizeof beginning, "%d.", process);
    snprintf(folder, sizeof folder, "%s/herald-inspect", host_folder);
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strncmp(entry->d_name, beginning, strlen(beginning)) != 0) continue;
        snprintf(path, 108, "%.64s/herald-inspect/%.28s", host_folder, entry->d_name);
        count++;
    }
    if (entries) closedir(entries);
    return count;
}

static bool write_map(const char *file, const char *text) {
    int map = open(file, O_WRONLY | O_CLOEXEC);
    bool written = map >= 0 && write(map, text, strlen(text)) == (ssize_t)strlen(text);
    if (map >= 0) close(map);
    return written;
}
/* Enters a namespace of this kind. If only root may, it enters a user namespace with it, as the same user. */
static bool enter_namespace(int kind) {
    char user[40], group[40];
    snprintf(user, sizeof user, "%u %u 1", geteuid(), geteuid());
    snprintf(group, sizeof group, "%u %u 1", getegid(), getegid());
    if (unshare(kind) == 0) return true;
    return unshare(CLONE_NEWUSER | kind) == 0 && write_map("/proc/self/setgroups", "deny") &&
           write_map("/proc/self/uid_map", user) && write_map("/proc/self/gid_map", group);
}
static void probe_namespace(void) {
    pid_t child = enter_namespace(CLONE_NEWPID) ? fork() : -1;
    if (child == 0) _exit(0);
    _exit(child < 0 || waitpid(child, NULL, 0) != child);
}

static void (*run_as_1)(void);
static void be_process_1(void) {
    CHECK(enter_namespace(CLONE_NEWPID));
    pid_t child = fork();
    if (child > 0) join(child);
    if (child != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(WATCHDOG);
    CHECK(getpid() == 1);
    run_as_1();
    check_report();
    _exit(check_has_failed());
}
pid_t process_1(void (*function)(void)) {
    int status = -1;
    pid_t probe = fork();
    if (probe == 0) probe_namespace();
    if (probe < 0 || waitpid(probe, &status, 0) != probe || status != 0) {
        skip("no namespace of process numbers can be made here");
        return 0;
    }
    run_as_1 = function;
    return process(be_process_1);
}

static bool mount_at_folder(const char *size, unsigned long flags) {
    char options[64];
    snprintf(options, sizeof options, "mode=0700,size=%s", size);
    return mount("herald-test", host_folder, "tmpfs", flags, options) == 0;
}
bool mount_disk(const char *size) {
    bool mounted = enter_namespace(CLONE_NEWNS) && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                   mount_at_folder(size, 0);
    if (!mounted) skip("no disk may be mounted here");
    return mounted;
}
bool resize_disk(const char *size) { return mount_at_folder(size, MS_REMOUNT); }

uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void pause_for(unsigned microseconds) {
    nanosleep(&(struct timespec){.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000}, NULL);
}

static time_t coarse_second(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec;
}
void stop_process(pid_t process) {
    int status = 0;
    kill(process, SIGSTOP);
    CHECK(waitpid(process, &status, WUNTRACED) == process && WIFSTOPPED(status));
}

void pass_a_second(void) {
    time_t second = time(NULL), coarse = coarse_second();
    while (time(NULL) == second || coarse_second() == coarse) pause_for(1000);
}

/* ---- The watcher's sleep ----------------------------------------------------------------------------------------- */

static _Atomic enum sleep watcher_sleeps;

#if WATCHERS_SLEEP_AS_THEY_ARE_LET
#define UNSANITIZED __attribute__((no_sanitize_address, no_sanitize_thread))

/* A sanitizer's call between the setting of a register and its use would destroy the value. */
UNSANITIZED static long enter_kernel(long number, const long with[6]) {
#ifdef __x86_64__
    long result;
    register long fourth __asm__("r10") = with[3], fifth __asm__("r8") = with[4], sixth __asm__("r9") = with[5];
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(with[0]), "S"(with[1]), "d"(with[2]), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = with[0], x1 __asm__("x1") = with[1];
    register long x2 __asm__("x2") = with[2], x3 __asm__("x3") = with[3], x4 __asm__("x4") = with[4];
    register long x5 __asm__("x5") = with[5];
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
    return x0;
#endif
}

static void note_sleep(uint32_t milliseconds) {
    int count = board->changes, most = sizeof board->asked_for / sizeof *board->asked_for;
    if (count < most && (count == 0 || board->asked_for[count - 1] != milliseconds)) {
        board->asked_for[count] = milliseconds;
        board->changes++;
    }
    board->sleeps++;
}

/* Replaces the C library's syscall(). Other calls of the library are passed on unchanged; other sleepers have private
 * futexes. It reads six arguments, as the kernel does, even if the caller has passed fewer: no sanitizer may check
 * that. */
UNSANITIZED long syscall(long number, ...) {
    va_list rest;
    long with[6];
    va_start(rest, number);
    for (int i = 0; i < 6; i++) with[i] = va_arg(rest, long);
    va_end(rest);
    const struct timespec *time = (const struct timespec *)with[3];
    if (watcher_sleeps != AS_IT_ASKS && number == SYS_futex && (int)with[1] == FUTEX_WAIT && time) {
        static const struct timespec none;
        if (watcher_sleeps == UNTIL_WOKEN && time->tv_sec > 0 && !board->is_lost) {
            board->sleeps++;
            with[3] = 0;
        }
        if (watcher_sleeps == NOT_AT_ALL) {
            note_sleep((uint32_t)(time->tv_sec * 1000 + time->tv_nsec / 1000000));
            with[3] = (long)&none;
        }
    }
    long result = enter_kernel(number, with);
    if (result >= 0 || result < -4095) return result;
    errno = (int)-result;
    return -1;
}

#endif

void let_watcher_sleep(enum sleep how) { watcher_sleeps = how; }

/* ---- Hearing ----------------------------------------------------------------------------------------------------- */

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    CHECK(center == HeraldCenterGetHostCenter() && name && !object && !userInfo);
    atomic_long *count = observer;
    count[0] += (long)HeraldHostGetPostCount();
    count[1]++;
}

void hear_into(const char *name, int count, HeraldToken *token) {
    HeraldStatus status = HeraldCenterAddObserverWithOptions(HeraldCenterGetHostCenter(), &board->at[count], hear,
                                                             name_of(name), NULL, NULL, token);
    if (status != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
}

size_t post_to_host(const char *name) {
    return HeraldCenterPostNotification(HeraldCenterGetHostCenter(), name_of(name), NULL, NULL, false);
}

static atomic_int rounds;
static void count_round(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    rounds++;
}

/* A suspended center calls no observer. A descriptor is written to where the post is read, which is before observers of
 * any name hear what was read earlier: so it does not do for these. */
static void await_written_rounds(void) {
    int descriptor;
    HeraldHostToken token;
    uint64_t posts;
    CHECK(HeraldHostRegisterFileDescriptor("self.rounds", false, &descriptor, &token) == HeraldOK);
    HeraldHostGetMissedMessageCount();
    for (int round = 0; round < 2; round++) {
        struct pollfd waits = {.fd = descriptor, .events = POLLIN};
        HeraldHostPost("self.rounds");
        CHECK(poll(&waits, 1, PATIENCE * 1000) == 1 && read(descriptor, &posts, sizeof posts) == sizeof posts);
    }
    CHECK(HeraldHostCancel(token) == HeraldOK);
}

/* The count of missed messages reads all messages up to now. Before that, the observer (or the descriptor) brings this
 * process to the user's file of now: it may not have come there by itself yet. The second round begins when all that
 * was found in the first has been delivered. */
void await_deliveries(void) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldObserverOptions options = {.size = sizeof options, .suspensionBehavior = HeraldSuspensionDrop};
    HeraldToken token;
    if (HeraldCenterIsSuspended(host)) {
        await_written_rounds();
        return;
    }
    CHECK(HeraldCenterAddObserverWithOptions(host, NULL, count_round, name_of("self.rounds"), NULL, &options, &token) ==
          HeraldOK);
    HeraldHostGetMissedMessageCount();
    for (int round = 0; round < 2; round++) {
        int before = rounds;
        HeraldHostPost("self.rounds");
        EVENTUALLY(rounds > before);
    }
    CHECK(HeraldCenterRemoveTokenAndWait(host, token));
}

bool says(const char *part) { return strstr(HeraldHostGetErrorDescription(), part) != NULL; }

static void count_name(void *context, const HeraldHostNameInfo *info) {
    CHECK(info->size >= sizeof *info && strncmp(info->name, "self.", 5) != 0);
    ++*(int *)context;
}
int names(void) {
    int count = 0;
    CHECK(HeraldHostVisitNames(count_name, &count) == HeraldOK);
    return count;
}

bool goes_on(int done, int times) {
    static uint64_t begin;
    if (done == 0) begin = nanoseconds();
    return done < times && !check_has_failed() && (done < 100 || nanoseconds() - begin < UINT64_C(25000000000));
}

static uint32_t watchers;
static void add_watchers(void *context, const HeraldHostNameInfo *info) {
    if (!strncmp(info->name, context, strlen(context))) watchers += info->watchers;
}
uint32_t watchers_of(const char *beginning) {
    watchers = 0;
    CHECK(HeraldHostVisitNames(add_watchers, (void *)beginning) == HeraldOK);
    return watchers;
}

void skip(const char *why) {
    printf("skipped: %s\n", why);
    fflush(stdout);
}

unsigned any(unsigned limit) { return (unsigned)(nanoseconds() * UINT64_C(0x9e3779b97f4a7c15) >> 33) % limit; }
