/* What posts between processes cost, beside a futex and beside D-Bus in the same run. */
#include "../Core/bench.h"
#include "peer.h"

#include <errno.h>
#include <herald/host.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/dev/shm/herald-bench-XXXXXX";
struct board *board;

/* ---- Posts that nobody hears, and checks ------------------------------------------------------------------------- */

struct host_post {
    HeraldCenterRef host;
    HeraldNameRef name;
};
static void post_to_host(void *context, long count) {
    const struct host_post *post = context;
    for (long i = 0; i < count; i++) HeraldCenterPostNotification(post->host, post->name, NULL, NULL, false);
}
static void check(void *context, long count) {
    uint64_t posts;
    for (long i = 0; i < count; i++) HeraldHostCheck(*(HeraldHostToken *)context, &posts);
}
static void add_atomically(void *context, long count) {
    for (long i = 0; i < count; i++) atomic_fetch_add((_Atomic uint64_t *)context, 1);
}
static void load(void *context, long count) {
    for (long i = 0; i < count; i++) (void)atomic_load((_Atomic uint64_t *)context);
}

static HeraldHostToken token_of(const char *name) {
    HeraldHostToken token;
    REQUIRE(HeraldHostRegisterCheck(name, &token) == HeraldOK);
    return token;
}

static void alone_rows(void) {
    static _Atomic uint64_t word;
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    struct host_post unknown = {host, HeraldNameCreate("unknown")}, known = {host, HeraldNameCreate("known")};
    HeraldHostToken token = token_of("known");
    struct task tasks[] = {{.run = add_atomically, .context = &word},
                           {.run = load, .context = &word},
                           {.run = post_to_host, .context = &unknown},
                           {.run = post_to_host, .context = &known},
                           {.run = check, .context = &token}};
    progress("posts that nobody hears");
    measure(tasks, 5, NULL);
    row_add(1, VALUE_AT_MOST(20), compare(&tasks[0], &tasks[2]),
            "post of a name nobody ever observed, beside an atomic addition");
    row_add(1, VALUE_AT_MOST(20), compare(&tasks[0], &tasks[3]), "post of a name nobody observes now, beside the same");
    row_add(1, VALUE_AT_MOST(5), compare(&tasks[1], &tasks[4]), "check, beside a load");
}

/* ---- Waking another process -------------------------------------------------------------------------------------- */

/* The listener's: notes when it has heard, and tells the poster. */
void heard(void) {
    board->heard_at = now();
    board->answers++;
    futex_wake(&board->answers);
}

static void hear_host(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    heard();
}
static void listen_to_host(const char *unused) {
    (void)unused;
    REQUIRE(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), NULL, hear_host, HeraldNameCreate("wake"), NULL,
                                    HeraldSuspensionDrop) == HeraldOK);
    board->ready++;
    for (;;) pause();
}
static void listen_to_futex(const char *unused) {
    (void)unused;
    board->ready++;
    for (uint32_t seen = 0;; seen++) {
        while (board->bell == seen) futex_wait(&board->bell, seen);
        heard();
    }
}
static void wake_by_host(void) {
    HeraldCenterPostNotification(HeraldCenterGetHostCenter(), HeraldNameCreate("wake"), NULL, NULL, false);
}
static void wake_by_futex(void) {
    board->bell++;
    futex_wake(&board->bell);
}

struct way {
    const char *name;
    void (*listen)(const char *address);
    void (*wake)(void);
    pid_t listener;
    double *times;
    size_t count;
};

static bool begin_listener(struct way *way, const char *address) {
    uint32_t ready = board->ready;
    fflush(NULL);
    way->listener = fork();
    if (way->listener == 0) {
        way->listen(address);
        _exit(1);
    }
    for (int i = 0; i < 5000; i++) {
        if (board->ready != ready) return true;
        if (waitpid(way->listener, NULL, WNOHANG) != 0) break;
        usleep(1000);
    }
    fprintf(stderr, "bench: the listener of %s has not begun\n", way->name);
    return false;
}

/* One wake of a process that sleeps, by one that has nothing else to do. */
static void take_time(struct way *way) {
    uint32_t answers = board->answers;
    usleep(100); /* until both sleep */
    double begin = now();
    way->wake();
    while (board->answers == answers) futex_wait(&board->answers, answers);
    way->times[way->count++] = board->heard_at - begin;
}

static void wake_rows(void) {
    size_t rounds = settings.quick ? 2000 : 20000;
    struct way ways[3] = {{"futex", listen_to_futex, wake_by_futex, 0, NULL, 0},
                          {"the host center", listen_to_host, wake_by_host, 0, NULL, 0},
                          {"D-Bus", peer_listen, peer_wake, 0, NULL, 0}};
    const char *address = peer_begin();
    int count = address ? 3 : 2;
    progress(address ? "waking another process: futex, host center, D-Bus in turn"
                     : "waking another process: futex, host center; no D-Bus here");
    for (int i = 0; i < count; i++) {
        ways[i].times = calloc(rounds, sizeof(double));
        REQUIRE(begin_listener(&ways[i], address));
    }
    if (address) REQUIRE(peer_connect(address));
    for (size_t round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++) take_time(&ways[i]);
    for (int i = 0; i < count; i++) {
        kill(ways[i].listener, SIGKILL);
        waitpid(ways[i].listener, NULL, 0);
    }
    static const struct {
        const char *name;
        double share;
    } at[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}};
    for (int i = 0; i < 4; i++) {
        double futex = percentile(ways[0].times, rounds, at[i].share),
               host = percentile(ways[1].times, rounds, at[i].share);
        row_add(2, NO_BUDGET, (struct figures){"ns", futex, host, NAN, host / futex},
                "another process hears, one way, %s, beside a bare futex", at[i].name);
        if (!address) continue;
        double peer = percentile(ways[2].times, rounds, at[i].share);
        struct budget budget = i == 0 ? RATIO_AT_MOST(0.25) : i == 2 ? RATIO_AT_MOST(1) : NO_BUDGET;
        row_add(3, budget, (struct figures){"ns", peer, host, NAN, host / peer},
                "another process hears, one way, %s, beside a D-Bus signal", at[i].name);
    }
    if (address) peer_end();
}

/* ---- Many names, many processes ---------------------------------------------------------------------------------- */

enum { PROCESSES = 50, NAMES_EACH = 200 };
static int self;

static void count_call(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                       const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    board->calls[self]++;
    heard();
}
static void crowd_name(char name[32], int process, int number) { snprintf(name, 32, "crowd.%d.%d", process, number); }
static pid_t begin_crowd(int process) {
    uint32_t ready = board->ready;
    pid_t child = fork();
    if (child) {
        while (board->ready == ready) usleep(1000);
        return child;
    }
    self = process;
    for (int i = 0; i < NAMES_EACH; i++) {
        char name[32];
        crowd_name(name, process, i);
        REQUIRE(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), NULL, count_call, HeraldNameCreate(name), NULL,
                                        HeraldSuspensionDrop) == HeraldOK);
    }
    board->ready++;
    for (;;) pause();
}

static long sleeps_of(pid_t process) {
    char command[160]; /* of all its threads */
    long count = 0;
    snprintf(command, sizeof command, "cat /proc/%d/task/*/status | awk '/^voluntary/ {n += $2} END {print n}'",
             process);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe && fscanf(pipe, "%ld", &count) == 1);
    pclose(pipe);
    return count;
}

static double wake_one(int process, int number) {
    char name[32];
    crowd_name(name, process, number);
    HeraldNameRef ref = HeraldNameCreate(name);
    uint32_t answers = board->answers;
    usleep(100);
    double begin = now();
    HeraldCenterPostNotification(HeraldCenterGetHostCenter(), ref, NULL, NULL, false);
    while (board->answers == answers) futex_wait(&board->answers, answers);
    return board->heard_at - begin;
}

static void crowd_rows(void) {
    enum { WAKES = 2000 };
    static double few[WAKES], many[WAKES];
    pid_t crowd[PROCESSES];
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    struct host_post silent = {host, HeraldNameCreate("crowd.silent")};
    token_of("crowd.silent");
    struct task alone = {.run = post_to_host, .context = &silent}, among = alone;
    progress("one process, 200 names");
    crowd[0] = begin_crowd(0);
    for (int i = 0; i < WAKES; i++) few[i] = wake_one(0, i % NAMES_EACH);
    measure(&alone, 1, NULL);
    progress("50 processes, 10,000 names");
    for (int i = 1; i < PROCESSES; i++) crowd[i] = begin_crowd(i);
    long before[PROCESSES], idle = 0, needless = 0;
    for (int i = 1; i < PROCESSES; i++) before[i] = sleeps_of(crowd[i]);
    double begin = now();
    for (int i = 0; i < WAKES; i++) many[i] = wake_one(0, i % NAMES_EACH);
    double seconds = (now() - begin) / 1e9;
    for (int i = 1; i < PROCESSES; i++) needless += sleeps_of(crowd[i]) - before[i];
    idle = (long)(seconds + 2) * (PROCESSES - 1); /* each looks once a second, whoever posts */
    measure(&among, 1, NULL);
    row_add(4, RATIO_AT_MOST(1.5), compare(&alone, &among),
            "post nobody hears, 10,000 names in 50 processes, beside 200 in 1");
    double p50 = percentile(many, WAKES, 0.5), few50 = percentile(few, WAKES, 0.5);
    row_add(4, RATIO_AT_MOST(1.5), (struct figures){"ns", few50, p50, NAN, p50 / few50},
            "one of the 50 hears, p50, beside 1 process with 200 names");
    row_add(4, VALUE_AT_MOST(0),
            (struct figures){"wakes", 2000, needless > idle ? (double)(needless - idle) : 0, NAN, NAN},
            "wakes of the 49 others in 2000 posts, but for those of the clock");
    for (int i = 0; i < PROCESSES; i++) {
        kill(crowd[i], SIGKILL);
        waitpid(crowd[i], NULL, 0);
    }
}

int main(int argc, char **argv) {
    const char *path = argc > 1 && argv[argc - 1][0] != '-' ? argv[argc - 1] : NULL;
    settings.quick = argc > 1 && !strcmp(argv[1], "--quick");
    settings.rounds = settings.quick ? 7 : 60;
    settings.batch = settings.quick ? 2e5 : 5e6;
    FILE *results = path ? results_open(path) : NULL;
    if (!mkdtemp(folder)) {
        fprintf(stderr, "bench: no folder can be made in /dev/shm: %s\n", strerror(errno));
        return 1;
    }
    setenv("HERALD_HOST_DIRECTORY", folder, 1);
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(board != MAP_FAILED);
    wake_rows(); /* first: the listeners are children that have not used the center */
    alone_rows();
    crowd_rows();
    rows_print();
    if (results) results_write(results, path);
    unlink(HeraldHostGetPath());
    rmdir(folder);
    return 0;
}
