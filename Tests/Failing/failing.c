/* Makes every system call and every allocation of the host center fail, one by one: once, and then from that call on
 * until Herald's call returns. A failing call reports it, changes nothing, and works when it is tried again. A call
 * that succeeds although a system call has failed does everything that it should. Linked with --wrap for the functions
 * that are made to fail. Each attempt runs in a process of its own with a folder of its own, because the first call
 * opens the file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <herald/host.h>
#include <herald/message.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Injected failures ------------------------------------------------------------------------------------------- */

static atomic_long until = -1; /* calls until one fails; -1: none fails */
static bool again;             /* and all calls after it */
static atomic_int failed;      /* how many have failed */
static const char *_Atomic which;

static bool fails(const char *what, int error) {
    long left = until;
    do {
        if (left < 0) return false;
    } while (!atomic_compare_exchange_weak(&until, &left, left > 0 ? left - 1 : again ? 0 : -1));
    if (left > 0) return false;
    failed++;
    which = what;
    errno = error;
    return true;
}

/* FAILING(function, error, result when it fails, type, parameters, arguments) */
#define FAILING(name, error, result, type, parameters, arguments)                                                      \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters { return fails(#name, error) ? result : __real_##name arguments; }

FAILING(calloc, ENOMEM, NULL, void *, (size_t count, size_t size), (count, size))
FAILING(malloc, ENOMEM, NULL, void *, (size_t size), (size))
FAILING(realloc, ENOMEM, NULL, void *, (void *memory, size_t size), (memory, size))
FAILING(aligned_alloc, ENOMEM, NULL, void *, (size_t alignment, size_t size), (alignment, size))
FAILING(fstat, EIO, -1, int, (int file, struct stat *about), (file, about))
FAILING(stat, EACCES, -1, int, (const char *path, struct stat *about), (path, about))
FAILING(lstat, EACCES, -1, int, (const char *path, struct stat *about), (path, about))
FAILING(ftruncate, EFBIG, -1, int, (int file, off_t size), (file, size))
FAILING(rename, EPERM, -1, int, (const char *old, const char *new), (old, new))
FAILING(unlink, EPERM, -1, int, (const char *path), (path))
FAILING(unlinkat, EPERM, -1, int, (int folder, const char *path, int flags), (folder, path, flags))
FAILING(opendir, ENOMEM, NULL, DIR *, (const char *path), (path))
FAILING(readdir, EIO, NULL, struct dirent *, (DIR * folder), (folder))
FAILING(getrandom, EAGAIN, -1, ssize_t, (void *to, size_t size, unsigned flags), (to, size, flags))
FAILING(madvise, EFAULT, -1, int, (void *at, size_t size, int advice), (at, size, advice))
FAILING(fchmod, EPERM, -1, int, (int file, mode_t mode), (file, mode))
FAILING(posix_fallocate, ENOSPC, ENOSPC, int, (int file, off_t from, off_t size), (file, from, size))
FAILING(linkat, ENOENT, -1, int, (int from, const char *old, int to, const char *new, int flags),
        (from, old, to, new, flags))
FAILING(pread, EIO, -1, ssize_t, (int file, void *to, size_t size, off_t from), (file, to, size, from))
FAILING(pwrite, EIO, -1, ssize_t, (int file, const void *from, size_t size, off_t to), (file, from, size, to))
FAILING(getrlimit, EINVAL, -1, int, (int resource, struct rlimit *limit), (resource, limit))
FAILING(eventfd, EMFILE, -1, int, (unsigned value, int flags), (value, flags))
FAILING(write, EAGAIN, -1, ssize_t, (int file, const void *from, size_t size), (file, from, size))
FAILING(mmap, ENOMEM, MAP_FAILED, void *, (void *at, size_t size, int protection, int flags, int file, off_t from),
        (at, size, protection, flags, file, from))
FAILING(pthread_create, EAGAIN, EAGAIN, int,
        (pthread_t * thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument),
        (thread, attributes, body, argument))
FAILING(pthread_atfork, ENOMEM, ENOMEM, int, (void (*prepare)(void), void (*parent)(void), void (*child)(void)),
        (prepare, parent, child))
FAILING(sigaction, EINVAL, -1, int, (int number, const struct sigaction *action, struct sigaction *before),
        (number, action, before))

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    unsigned mode = va_arg(rest, unsigned);
    va_end(rest);
    return fails("open", EMFILE) ? -1 : __real_open(path, flags, mode);
}
int __real_fcntl(int file, int command, ...);
int __wrap_fcntl(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return fails("fcntl", ENOLCK) ? -1 : __real_fcntl(file, command, argument);
}

/* ---- The calls that are tried ------------------------------------------------------------------------------------ */

static void must(bool condition, const char *what) {
    if (condition) return;
    until = -1;
    printf("FAILED: %s (%s failed; the library says: %s)\n", what, which ? which : "nothing",
           HeraldHostGetErrorDescription());
    fflush(stdout);
    _exit(1);
}

static atomic_int heard;
static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    heard++;
}

static HeraldToken token;
static HeraldHostToken number;
static int descriptor = -1;
static HeraldNameRef name;

static HeraldStatus observe(void) {
    HeraldCenterRef center = HeraldCenterGetHostCenter();
    if (!center) return HeraldOutOfMemory;
    return HeraldCenterAddObserverWithOptions(center, &heard, hear, name, NULL, NULL, &token);
}
static HeraldStatus post(void) { return HeraldHostPost("failing"); }
static HeraldStatus check(void) { return HeraldHostRegisterCheck("failing", &number); }
static HeraldStatus describe(void) {
    return HeraldHostRegisterFileDescriptor("failing", descriptor >= 0, &descriptor, &number);
}
static HeraldHostInbox inbox;
static HeraldStatus open_inbox(void) {
    HeraldStatus status = HeraldHostOpenInbox("failing", 0, &inbox, &descriptor);
    must(status == HeraldOK ? inbox && descriptor >= 0 : !inbox && descriptor == -1, "a call sets both, or none");
    return status;
}
static HeraldStatus open_inbox_under(void) {
    HeraldStatus status = HeraldHostOpenInboxUnder("failing", 0, &inbox, &descriptor);
    must(status == HeraldOK ? inbox && descriptor >= 0 : !inbox && descriptor == -1, "a call sets both, or none");
    return status;
}
static HeraldStatus set(void) { return HeraldHostSetState(number, 7); }
static HeraldStatus cancel(void) { return HeraldHostCancel(number); }
static void count(void *context, const HeraldHostNameInfo *info) {
    *(int *)context += strcmp(info->name, "failing") == 0;
}
static HeraldStatus visit(void) {
    int count_of_name = 0;
    return HeraldHostVisitNames(count, &count_of_name);
}

static bool within(bool (*condition)(void)) {
    for (int i = 0; i < 60000; i++) { /* a minute and more: the machine may be slow */
        if (condition()) return true;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}
static int before;
static bool posts(void) { return post() == HeraldOK; } /* a missing file is looked for once a second */
static bool is_heard(void) { return heard > before; }
static bool is_readable(void) {
    struct pollfd file = {.fd = descriptor, .events = POLLIN};
    return poll(&file, 1, 0) == 1;
}

static void post_and_hear(void) {
    before = heard;
    must(within(posts), "a post can be made");
    must(within(is_heard), "a post is heard");
}
static void read_descriptor(void) {
    uint64_t posts = 0;
    must(post() == HeraldOK, "a post can be made");
    must(within(is_readable), "a descriptor becomes readable");
    must(read(descriptor, &posts, sizeof posts) == sizeof posts && posts >= 1, "it tells the posts");
}
static HeraldStatus send_text(const char *text) {
    HeraldMessage message = {.size = sizeof message, .bytes = text, .length = strlen(text)};
    HeraldCenterRef center = HeraldCenterGetHostCenter();
    return center ? HeraldCenterPostMessage(center, name, &message) : HeraldOutOfMemory;
}
static void receive_text(const char *text, uint64_t missed) {
    HeraldMessage message = {.size = sizeof message};
    must(within(is_readable), "an inbox becomes readable");
    must(HeraldHostReceive(inbox, &message), "a message is received");
    must(message.length == strlen(text) && !memcmp(message.bytes, text, message.length), "it is the right one");
    must(message.missed == missed, "what was lost before it is counted");
}
static void receive(void) {
    must(send_text("new") == HeraldOK, "a message can be posted");
    receive_text("new", 0);
    must(!is_readable(), "an inbox without messages is not readable");
    HeraldHostCloseInbox(inbox);
}
static void receive_under(void) {
    name = HeraldNameCreate("failing.under");
    receive();
}
static void must_open_inbox(void) { must(open_inbox() == HeraldOK, "an inbox can be opened"); }
/* Posts and receives while calls of the watcher and of this thread fail. What is lost then is counted. */
static HeraldStatus send_and_receive(void) {
    HeraldMessage message = {.size = sizeof message};
    HeraldStatus status = send_text("old");
    if (status != HeraldOK) return status;
    must(HeraldHostGetMissedMessageCount() <= 1, "no more is lost than was posted");
    for (int i = 0; i < 100 && !HeraldHostReceive(inbox, &message); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return HeraldOK;
}
static bool has_new(void) {
    HeraldMessage message = {.size = sizeof message};
    return HeraldHostReceive(inbox, &message) && message.length == 3 && !memcmp(message.bytes, "new", 3);
}
static void receive_the_next(void) {
    must(send_text("new") == HeraldOK, "a message can be posted");
    must(within(is_readable) && within(has_new), "an inbox goes on");
    must(!is_readable(), "an inbox without messages is not readable");
    HeraldHostCloseInbox(inbox);
}
static void check_posts(void) {
    uint64_t posts = 0;
    must(HeraldHostCheck(number, &posts) == HeraldOK && posts >= 1, "a first check says that there was a post");
    must(post() == HeraldOK && HeraldHostCheck(number, &posts) == HeraldOK && posts == 1, "a check tells the posts");
    must(HeraldHostCheck(number, &posts) == HeraldOK && posts == 0, "a check tells no post twice");
}
static void state_is_7(void) {
    uint64_t state = 0;
    must(HeraldHostGetState(number, &state) == HeraldOK && state == 7, "a state is there");
}
static void fill_nearly(void) {
    char text[512];
    HeraldHostToken filled;
    for (int i = 0; i < 60; i++) { /* long names: a few fill the region's room for texts */
        snprintf(text, sizeof text, "n%0500d", i);
        must(HeraldHostRegisterCheck(text, &filled) == HeraldOK, "a region takes a name");
    }
}
static HeraldStatus enter_many(void) {
    char text[512];
    HeraldHostToken filled;
    for (int i = 0; i < 200; i++) {
        snprintf(text, sizeof text, "m%0500d", i);
        HeraldStatus status = HeraldHostRegisterCheck(text, &filled);
        if (status != HeraldOK) return status;
        HeraldHostCancel(filled);
    }
    return HeraldOK;
}
/* What is kept. The center's status is HeraldQueueFull if the file has no room. */
static HeraldStatus keep_text(const char *text) {
    HeraldCenterRef center = HeraldCenterGetHostCenter();
    HeraldMessage message = {.size = sizeof message, .bytes = text, .length = strlen(text), .options = HeraldPostKeep};
    return center ? HeraldCenterPostMessage(center, name, &message) : HeraldOutOfMemory;
}
static HeraldStatus keep(void) { return keep_text("new"); }
static HeraldStatus post_state(void) { return HeraldHostPostState("failing", 7); }
static void copy_kept(void *context, const void *userInfo, const void *tag) {
    (void)tag;
    const HeraldMessage *message = userInfo;
    snprintf(context, 8, "%.*s", (int)message->length, (const char *)message->bytes);
}
static bool is_kept(const char *text) {
    char kept[8] = "";
    HeraldCenterTakeKept(HeraldCenterGetHostCenter(), name, NULL, copy_kept, kept);
    return strcmp(kept, text) == 0;
}
static void new_is_kept(void) { must(is_kept("new"), "what was kept is there"); }
static void old_is_kept(void) { must(is_kept("old"), "what was kept before is there"); }
static void must_keep(void) { must(keep_text("old") == HeraldOK, "a message can be kept"); }
static HeraldStatus take(void) { return is_kept("old") ? HeraldOK : HeraldOutOfMemory; }
static atomic_int begun, begun_with;
static void has_begun(void *observer, size_t kept, HeraldStatus status) {
    (void)observer;
    begun_with = status == HeraldOK ? (int)kept : -1;
    begun++;
}
static bool is_begun(void) { return begun > 0; }
static HeraldStatus follow(void) {
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept, .began = has_begun};
    HeraldStatus status =
        HeraldCenterAddObserverWithOptions(HeraldCenterGetHostCenter(), &heard, hear, name, NULL, &options, &token);
    if (status != HeraldOK) return status;
    must(within(is_begun), "a follower begins, or is told that it cannot");
    must(begun_with == 1 || (failed && begun_with == -1), "it begins with what is kept, or says that it cannot");
    return HeraldOK;
}
static void hear_the_next(void) {
    before = heard;
    must(keep() == HeraldOK, "a message can be kept");
    must(within(is_heard), "a follower hears the next message");
}

static void nothing(void) {}
static void must_check(void) { must(check() == HeraldOK, "a token can be had"); }
static void must_observe(void) { must(observe() == HeraldOK, "an observer can be added"); }
static void must_describe(void) { must(describe() == HeraldOK, "a descriptor can be had"); }

static char path[512];

/* The file is removed while it is observed. The watcher makes a new one, and all its calls fail in turn. */
static HeraldStatus remove_file(void) {
    must(__real_unlink(path) == 0, "the file is there");
    sleep(3); /* it checks all names once a second */
    return HeraldOK;
}
static void damage(void) {
    int file = __real_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    must(file >= 0 && __real_write(file, "nothing", 7) == 7 && close(file) == 0, "a damaged file can be made");
}
static const struct attempt {
    const char *name;
    void (*before)(void);
    HeraldStatus (*act)(void);
    void (*after)(void);
    int files; /* descriptors that may stay open: an eventfd */
} attempts[] = {
    {"observe", nothing, observe, post_and_hear, 0},
    {"post", nothing, post, nothing, 0},
    {"post to an observer", must_observe, post, post_and_hear, 0},
    {"register a check", nothing, check, check_posts, 0},
    {"register a descriptor", nothing, describe, read_descriptor, 1},
    {"register another descriptor", must_describe, describe, read_descriptor, 1},
    {"open an inbox", nothing, open_inbox, receive, 0},
    {"open an inbox of a watched name", must_observe, open_inbox, receive, 0},
    {"open an inbox under a prefix", nothing, open_inbox_under, receive_under, 0},
    {"receive", must_open_inbox, send_and_receive, receive_the_next, 0},
    {"set a state", must_check, set, state_is_7, 0},
    {"keep", nothing, keep, new_is_kept, 0},
    {"keep once more", must_keep, keep, new_is_kept, 0},
    {"take what is kept", must_keep, take, old_is_kept, 0},
    {"begin with what is kept", must_keep, follow, hear_the_next, 0},
    {"make the file anew with what is kept", must_keep, HeraldHostReset, old_is_kept, 0},
    {"set a state and post", must_check, post_state, state_is_7, 0},
    {"cancel", must_check, cancel, nothing, 0},
    {"visit names", must_check, visit, nothing, 0},
    {"grow", fill_nearly, enter_many, nothing, 0},
    {"make the file anew", must_observe, remove_file, post_and_hear, 0},
    {"reset", must_observe, HeraldHostReset, post_and_hear, 0},
    {"reset what is damaged", damage, HeraldHostReset, must_observe, 0},
};

/* ---- The attempts ----------------------------------------------------------------------------------------------- */

enum { NONE_FAILED = 77 };

static int open_files(void) {
    int count = 0;
    for (int file = 0; file < 256; file++) count += __real_fcntl(file, F_GETFD) >= 0;
    return count;
}
static int most_files;
static bool forgets_none(void) { return open_files() <= most_files; }

static HeraldStatus (*act)(void);
static bool acts(void) { return act() == HeraldOK; }

/* In a process of its own: the call number `at` fails. */
static void try(const struct attempt *attempt, long at, bool all) {
    char folder[64], command[128];
    snprintf(folder, sizeof folder, "/dev/shm/herald-test-%d-XXXXXX", getpid());
    alarm(600);
    must(freopen("/dev/null", "w", stderr) != NULL, "what the watcher prints is out of the way");
    must(mkdtemp(folder) != NULL, "a folder can be made");
    setenv("HERALD_HOST_DIRECTORY", folder, 1);
    snprintf(path, sizeof path, "%s", HeraldHostGetPath());
    name = HeraldNameCreate("failing");
    int files = open_files();
    attempt->before();
    act = attempt->act;
    again = all;
    until = at;
    HeraldStatus status = attempt->act();
    until = -1;
    if (status != HeraldOK) {
        must(failed > 0, "nothing fails by itself");
        must(status == HeraldTransportFailed || status == HeraldOutOfMemory || status == HeraldQueueFull,
             "what fails says so");
        must(status == HeraldOutOfMemory || HeraldHostGetErrorDescription()[0] != 0, "what fails says why");
        must(within(acts), "what has failed works when it is tried again");
    }
    attempt->after();
    /* If fstat fails, the center does not know whether the descriptor is its own, and leaves it open. */
    most_files = files + attempt->files; /* and the watcher may have one open for a moment */
    must(all || within(forgets_none), "no descriptor is forgotten");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    must(system(command) == 0, "the folder can be removed");
    _exit(failed ? 0 : NONE_FAILED);
}

static int passed, broken;

/* Each call in turn, until no call is left to fail. */
static void try_each(const struct attempt *attempt, bool all) {
    printf("... %s%s\n", attempt->name, all ? ", and all calls after the first that fails" : "");
    fflush(stdout);
    enum { AT_ONCE = 12 };
    bool more = true;
    for (long first = 0; more; first += AT_ONCE) {
        more = false;
        pid_t children[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++) {
            fflush(NULL);
            children[i] = fork();
            if (children[i] == 0) try(attempt, first + i, all);
        }
        for (int i = 0; i < AT_ONCE; i++) {
            int status = -1;
            waitpid(children[i], &status, 0);
            if (WIFEXITED(status) && WEXITSTATUS(status) == NONE_FAILED) continue;
            more = true;
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
                passed++;
            } else {
                broken++;
                printf("%s: call %ld%s: %s\n", attempt->name, first + i, all ? " and those after it" : "",
                       WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "see above");
            }
        }
    }
}

int main(void) {
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        for (int all = 0; all < 2; all++) try_each(&attempts[i], all);
    printf("failing system calls: %d passed, %d failed\n", passed, broken);
    return broken != 0;
}
