/* The host center: posts that nobody hears, checks, wakeups of another process, many names in many processes. The
 * floors are the futex and the memory accesses. HERALD_HOST_DIRECTORY sets where its file is. */
#include "listener.h"

#include <herald/herald.h>
#include <herald/host.h>
#include <sched.h>
#include <stdlib.h>

/* ---- Posts that nobody hears, and checks ------------------------------------------------------------------------- */

static HeraldHostToken token_of(const char *name) {
    HeraldHostToken token;
    REQUIRE(HeraldHostRegisterCheck(name, &token) == HeraldOK);
    return token;
}

static const char *know(void *name) {
    token_of(name);
    return NULL;
}
static void post_silently(void *name, long count) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldNameRef ref = HeraldNameCreate(name);
    for (; count; count--) HeraldCenterPostNotification(host, ref, NULL, NULL, false);
}
static void check(void *name, long count) {
    static HeraldHostToken token;
    static bool made;
    uint64_t posts;
    if (!made) token = token_of(name);
    made = true;
    for (; count; count--) HeraldHostCheck(token, &posts);
}
static void add_atomically(void *unused, long count) {
    static _Atomic uint64_t word;
    (void)unused;
    for (; count; count--) atomic_fetch_add(&word, 1);
}
static void load(void *unused, long count) {
    static _Atomic uint64_t word;
    (void)unused;
    for (; count; count--) (void)atomic_load(&word);
}

/* ---- One process woken ------------------------------------------------------------------------------------------- */

static void ring(void *unused) {
    (void)unused;
    board->bell++;
    futex_wake(&board->bell);
}
static void listen_to_bell(void *unused) {
    (void)unused;
    board->ready++;
    for (uint32_t seen = 0;; seen++) {
        while (board->bell == seen) futex_wait(&board->bell, seen);
        heard();
    }
}
static const char *open_futex(void *context) { return begin_listener(listen_to_bell, context); }
static size_t take_futex(void *unused, double *values, size_t most) { return take_times(ring, unused, values, most); }

static void post_name(void *name) {
    HeraldCenterPostNotification(HeraldCenterGetHostCenter(), HeraldNameCreate(name), NULL, NULL, false);
}
static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    heard();
}
static void observe(const char *name, HeraldCallback callback) {
    REQUIRE(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), NULL, callback, HeraldNameCreate(name), NULL,
                                    HeraldSuspensionDrop) == HeraldOK);
}
static void go_on_listening(void) {
    board->ready++;
    for (;;) pause();
}
static void listen_to_name(void *name) {
    observe(name, hear);
    go_on_listening();
}
static const char *open_host(void *name) { return begin_listener(listen_to_name, name); }
static size_t take_host(void *name, double *values, size_t most) { return take_times(post_name, name, values, most); }

/* ---- There and back ---------------------------------------------------------------------------------------------- */

static void answer(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                   const void *userInfo) {
    (void)observer, (void)name, (void)object, (void)userInfo;
    static HeraldNameRef pong;
    if (!pong) pong = HeraldNameCreate("pong");
    HeraldCenterPostNotification(center, pong, NULL, NULL, false);
}
static void answer_name(void *unused) {
    (void)unused;
    observe("ping", answer);
    go_on_listening();
}
static const char *open_answered(HeraldCallback hear_answer) {
    const char *reason = begin_listener(answer_name, NULL);
    if (!reason) observe("pong", hear_answer);
    return reason;
}
static const char *open_round(void *unused) {
    (void)unused;
    return open_answered(hear);
}
static void ping(void *unused) {
    (void)unused;
    post_name("ping");
}

/* From the call until the answer has come. */
static size_t take_rounds(void (*call)(void *unused), double *values, size_t most) {
    size_t count = most < WAKES ? most : WAKES;
    for (size_t i = 0; i < count; i++) {
        uint32_t answers = board->answers;
        usleep(100); /* until both sleep */
        double begin = now();
        call(NULL);
        await_answer(answers);
        values[i] = now() - begin;
    }
    return count;
}
static size_t take_futex_rounds(void *unused, double *values, size_t most) {
    (void)unused;
    return take_rounds(ring, values, most);
}
static size_t take_host_rounds(void *unused, double *values, size_t most) {
    (void)unused;
    return take_rounds(ping, values, most);
}

/* A chain of wakeups: each answer is the next question. */
static _Atomic long rounds_left;
static _Atomic uint32_t rounds_done;

static void run_futex_rounds(void *unused, long count) {
    for (; count; count--) {
        uint32_t answers = board->answers;
        ring(unused);
        await_answer(answers);
    }
}
static void ask_again(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    if (--rounds_left > 0) return ping(NULL);
    rounds_done++;
    futex_wake(&rounds_done);
}
static const char *open_rounds(void *unused) {
    (void)unused;
    return open_answered(ask_again);
}
static void run_host_rounds(void *unused, long count) {
    uint32_t done = rounds_done;
    rounds_left = count;
    ping(unused);
    while (rounds_done == done) futex_wait(&rounds_done, done);
}

/* ---- A file that is renewed -------------------------------------------------------------------------------------- */

/* Until the other process has moved to the new file: then it calls its observers, once. */
static void renew(void *unused) {
    (void)unused;
    REQUIRE(HeraldHostReset() == HeraldOK);
}
static size_t take_renewed(void *unused, double *values, size_t most) {
    return take_times(renew, unused, values, most < 100 ? most : 100);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static void post_message(void *size) {
    static const char bytes[16384];
    static HeraldNameRef name;
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = *(size_t *)size};
    if (!name) name = HeraldNameCreate("message");
    REQUIRE(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name, &message) == HeraldOK);
}
static const char *open_message(void *unused) {
    static char name[] = "message";
    (void)unused;
    return begin_listener(listen_to_name, name);
}
static size_t take_message(void *size, double *values, size_t most) {
    return take_times(post_message, size, values, most);
}
static void post_messages(void *size, long count) {
    for (; count; count--) post_message(size);
}
static void post_watched(void *unused, long count) {
    (void)unused;
    post_silently("message", count);
}
/* A listener that runs, with the poster at most a window ahead of it: half a ring, so it hears all messages. */
enum { WINDOW = 256, WINDOW_BYTES = 512 << 10 };
static void count_heard(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object;
    const HeraldMessage *message = userInfo;
    board->calls[0] += 1 + (message ? (long)message->missed : 0);
}
static void listen_and_count(void *unused) {
    (void)unused;
    observe("message", count_heard);
    go_on_listening();
}
static const char *open_counted(void *context) { return begin_listener(listen_and_count, context); }
static void post_until_heard(void *size, long count) {
    long begun = board->calls[0], window = WINDOW_BYTES / (long)*(size_t *)size;
    if (window > WINDOW) window = WINDOW;
    for (long i = 0; i < count; i++) {
        while (i - (board->calls[0] - begun) >= window) sched_yield();
        post_message(size);
    }
    while (board->calls[0] - begun < count) sched_yield();
}

/* A listener that observes and is stopped: it requests no wakeup, and falls behind. */
static void listen_and_stop(void *name) {
    observe(name, hear);
    board->ready++;
    raise(SIGSTOP);
    _exit(0);
}
static const char *open_stopped(void *size) {
    static char name[] = "message";
    const char *reason = begin_listener(listen_and_stop, name);
    if (!reason) post_messages(size, 1000);
    return reason;
}

/* ---- Many names, many processes ---------------------------------------------------------------------------------- */

enum { MOST_PROCESSES = 50, NAMES_EACH = 200 };
static int processes;

static void crowd_name(char name[32], int process, int number) { snprintf(name, 32, "crowd.%d.%d", process, number); }

static void listen_in_crowd(void *number) {
    char name[32];
    for (int i = 0; i < NAMES_EACH; i++) {
        crowd_name(name, *(int *)number, i);
        observe(name, hear);
    }
    go_on_listening();
}
static const char *open_crowd(void *count) {
    token_of("crowd.silent");
    for (processes = 0; processes < *(int *)count; processes++) {
        const char *reason = begin_listener(listen_in_crowd, &processes);
        if (reason) return reason;
    }
    return NULL;
}
static void post_in_crowd(void *number) {
    char name[32];
    crowd_name(name, 0, *(int *)number);
    post_name(name);
}
static size_t take_crowd(void *unused, double *values, size_t most) {
    static int number;
    size_t count = most < WAKES ? most : WAKES;
    (void)unused;
    for (size_t i = 0; i < count; i++, number = (number + 1) % NAMES_EACH)
        values[i] = take_time(post_in_crowd, &number);
    return count;
}
static void post_beside_crowd(void *unused, long count) {
    (void)unused;
    post_silently("crowd.silent", count);
}

/* How many times all children except the first have gone to sleep, in all their threads. */
static long sleeps_of_others(void) {
    char command[256];
    long count = 0;
    snprintf(command, sizeof command,
             "for p in $(pgrep -P %d | sort -n | tail -n +2); do cat /proc/$p/task/*/status; done |"
             " awk '/^voluntary/ {n += $2} END {print n + 0}'",
             getpid());
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe && fscanf(pipe, "%ld", &count) == 1);
    pclose(pipe);
    return count;
}
/* Wakeups of processes that do not observe the name, without those by the clock: each process looks once a second. */
static size_t take_needless(void *unused, double *values, size_t most) {
    static double times[WAKES];
    double begin = now();
    long before = sleeps_of_others();
    (void)most;
    take_crowd(unused, times, WAKES);
    long needless = sleeps_of_others() - before, idle = (long)((now() - begin) / 1e9 + 2) * (processes - 1);
    *values = needless > idle ? (double)(needless - idle) : 0;
    return 1;
}

int main(int count, char **arguments) {
    static char unknown[] = "unknown", known[] = "known", checked[] = "checked", woken[] = "woken";
    static int one = 1, many = MOST_PROCESSES;
    static size_t small = 64, kilobyte = 1024, large = 16384;
    static const struct task tasks[] = {
        {.name = "post-unknown", .run = post_silently, .context = unknown},
        {.name = "post-known", .run = post_silently, .context = known, .open = know},
        {.name = "check", .run = check, .context = checked},
        {.name = "atomic-add", .run = add_atomically},
        {.name = "load", .run = load},
        {.name = "futex", .open = open_futex, .take = take_futex},
        {.name = "host", .open = open_host, .take = take_host, .context = woken},
        {.name = "message-64", .open = open_message, .take = take_message, .context = &small},
        {.name = "message-16k", .open = open_message, .take = take_message, .context = &large},
        {.name = "unheard-64", .run = post_messages, .context = &small},
        {.name = "stopped-0", .open = open_stopped, .run = post_watched, .context = &small},
        {.name = "stopped-64", .open = open_stopped, .run = post_messages, .context = &small},
        {.name = "stopped-1k", .open = open_stopped, .run = post_messages, .context = &kilobyte},
        {.name = "stopped-16k", .open = open_stopped, .run = post_messages, .context = &large},
        {.name = "heard-64", .open = open_counted, .run = post_until_heard, .context = &small},
        {.name = "heard-1k", .open = open_counted, .run = post_until_heard, .context = &kilobyte},
        {.name = "heard-16k", .open = open_counted, .run = post_until_heard, .context = &large},
        {.name = "futex-round", .open = open_futex, .take = take_futex_rounds},
        {.name = "round", .open = open_round, .take = take_host_rounds},
        {.name = "futex-rounds", .open = open_futex, .run = run_futex_rounds},
        {.name = "rounds", .open = open_rounds, .run = run_host_rounds},
        {.name = "renewed", .open = open_host, .take = take_renewed, .context = woken},
        {.name = "few", .open = open_crowd, .take = take_crowd, .context = &one},
        {.name = "many", .open = open_crowd, .take = take_crowd, .context = &many},
        {.name = "post-few", .open = open_crowd, .run = post_beside_crowd, .context = &one},
        {.name = "post-many", .open = open_crowd, .run = post_beside_crowd, .context = &many},
        {.name = "needless", .open = open_crowd, .take = take_needless, .context = &many}};
    make_board();
    return peer_main(count, arguments, NULL, 0, tasks, sizeof tasks / sizeof *tasks);
}
