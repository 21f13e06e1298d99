#include "host.h"
#include <sched.h>
#include <sys/mount.h>

char host_folder[64], host_file[128];
struct board *board;

static void (*test)(void);

static void run_test(void) {
    setenv("HERALD_HOST_DIRECTORY", host_folder, 1);
    test();
}

void in_host(void (*function)(void), const char *file, int line) {
    char said[1024], clean[128];
    snprintf(host_folder, sizeof host_folder, "/dev/shm/herald-test-XXXXXX");
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(host_folder) || board == MAP_FAILED) {
        check_failed(file, line, "no folder to test in");
        return;
    }
    snprintf(host_file, sizeof host_file, "%s/herald-2", host_folder);
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
    alarm(200); /* a watchdog: the machine may be slow */
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

static bool mount_at_folder(const char *size, unsigned long flags) {
    char options[64];
    snprintf(options, sizeof options, "mode=0700,size=%s", size);
    return mount("herald-test", host_folder, "tmpfs", flags, options) == 0;
}
bool mount_disk(const char *size) {
    bool mounted = unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
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
    return done < times && (done < 100 || nanoseconds() - begin < UINT64_C(25000000000));
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
