/* The soak: processes that post as fast as they can, readers that are stopped, a file that is renewed under all of
 * them, and observers of all names that come and go. An oracle knows only what was posted and what was called.
 *
 *      soak [SECONDS]
 *
 * Two rounds, of half the time each: first messages, while the file is reset; then messages and plain posts, without
 * resets (a plain post in a file that ends may be heard again in the next one). The oracle checks for each reader: the
 * bytes of a message are those that were posted; sequence numbers rise, and so do the serial numbers of each poster;
 * and at the end, heard and missed messages are together exactly the posted ones. The exception is what host.h allows
 * when an observer of all names comes: up to 64 posts.
 *
 * Every process is begun before any of them has a thread. No time is a condition: rounds end when two marks, posted
 * after everything else, were heard. */
#include <errno.h>
#include <herald/host.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POSTERS = 2, READERS = 5, NAMES = 3, PATIENCE = 120 /* seconds, for the waits at the end */ };
enum phase { BEGIN, POST, REST /* no process posts any more */, END, MARK_AGAIN, LEAVE };

static const char *const names[NAMES] = {"soak.a", "soak.b", "soak.c"};

/* Shared by all processes. */
static struct shared {
    _Atomic int phase, ready, ended;
    _Atomic long posted[POSTERS][NAMES]; /* messages */
    _Atomic long plain[POSTERS];
    _Atomic long refused, resets, stops, toggles;
    struct reader {
        _Atomic long heard, told, missed, marks, gaps;
        _Atomic bool finished;
        char wrong[160];
    } readers[READERS];
} * shared;
static bool with_plain; /* this round */

struct body {
    int poster, name;
    long serial;
    unsigned sum, length;
    unsigned char bytes[2000];
};
enum { HEAD = offsetof(struct body, bytes) };

static unsigned sum_of(const struct body *body) {
    unsigned sum = (unsigned)body->poster * 31 + (unsigned)body->name * 17 + (unsigned)body->serial;
    for (unsigned i = 0; i < body->length; i++) sum = sum * 131 + body->bytes[i];
    return sum;
}

static unsigned any(unsigned limit) {
    static uint64_t state;
    if (!state) state = (uint64_t)getpid() * UINT64_C(0x9e3779b97f4a7c15) | 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % limit;
}

static void pause_for(unsigned microseconds) {
    nanosleep(&(struct timespec){.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000}, NULL);
}

static HeraldCenterRef host(void) { return HeraldCenterGetHostCenter(); }

/* ---- Posters ----------------------------------------------------------------------------------------------------- */

/* A message that is refused was not posted, and is tried again. */
static void post_message(const char *name, const void *bytes, size_t length) {
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = length};
    while (HeraldCenterPostMessage(host(), HeraldNameCreate(name), &message) != HeraldOK) {
        shared->refused++;
        pause_for(100);
    }
}

static void post(int poster) {
    static struct body body;
    HeraldNameRef plain = HeraldNameCreate(names[NAMES - 1]);
    while (shared->phase < POST) pause_for(1000);
    while (shared->phase == POST) {
        int name = (int)any(NAMES);
        if (with_plain && any(3) == 0) {
            HeraldCenterPostNotification(host(), plain, NULL, NULL, false);
            shared->plain[poster]++;
            continue;
        }
        body.poster = poster;
        body.name = name;
        body.serial = shared->posted[poster][name];
        body.length = any(500) ? any(60) : any(sizeof body.bytes);
        for (unsigned i = 0; i < body.length; i++) body.bytes[i] = (unsigned char)(body.serial * 7 + i);
        body.sum = sum_of(&body);
        post_message(names[name], &body, HEAD + body.length);
        shared->posted[poster][name]++;
    }
}
static void post_0(void) { post(0); }
static void post_1(void) { post(1); }

static long posted(void) {
    long sum = 0;
    for (int poster = 0; poster < POSTERS; poster++) {
        sum += shared->plain[poster];
        for (int name = 0; name < NAMES; name++) sum += shared->posted[poster][name];
    }
    return sum;
}

/* ---- Readers ----------------------------------------------------------------------------------------------------- */

static struct reader *me;
static long expected[POSTERS][NAMES];
static uint64_t last_sequence;

static void wrong(const char *what, long one, long other) {
    if (!me->wrong[0]) snprintf(me->wrong, sizeof me->wrong, "%s (%ld, %ld)", what, one, other);
}

static void read_body(const HeraldMessage *message) {
    const struct body *body = message->bytes;
    if (message->length < HEAD || message->length != HEAD + body->length || body->sum != sum_of(body)) {
        wrong("the bytes are others", (long)message->length, 0);
        return;
    }
    long *next = &expected[body->poster][body->name];
    if (body->serial < *next) wrong("heard again", body->serial, *next);
    me->gaps += body->serial - *next;
    *next = body->serial + 1;
    me->heard++;
}

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)observer, (void)object;
    const HeraldMessage *message = userInfo;
    if (!message) {
        if (with_plain && HeraldNameGetUTF8String(name)[5] == 'c') me->heard += (long)HeraldHostGetPostCount();
        return;
    }
    if (message->sequence <= last_sequence)
        wrong("the sequence goes back", (long)message->sequence, (long)last_sequence);
    last_sequence = message->sequence;
    me->told += (long)message->missed;
    if (message->length == 1) {
        me->marks++;
    } else {
        read_body(message);
    }
}
/* Another observer in the process: only because of it the process hears all names. */
static void ignore(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                   const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
}

static void observe(const char *name, HeraldCallback callback, HeraldToken *token) {
    HeraldObserverOptions options = {.size = sizeof options};
    HeraldStatus status = HeraldCenterAddObserverWithOptions(host(), me, callback, name ? HeraldNameCreate(name) : NULL,
                                                             NULL, &options, token);
    if (status != HeraldOK) wrong(HeraldHostGetErrorDescription(), (long)status, 0);
}
static void observe_names(void) {
    for (int name = 0; name < NAMES; name++) observe(names[name], hear, NULL);
    observe("soak.end", hear, NULL);
}

static bool reaches(_Atomic long *count, long value) {
    for (long i = 0; *count < value && i < PATIENCE * 1000L; i++) pause_for(1000);
    return *count >= value;
}

/* Posts that host.h allows not to be counted: some each time that an observer of all names comes while there are plain
 * posts.
 */
static long uncounted(void) { return with_plain && me == &shared->readers[READERS - 1] ? 64 * shared->toggles : 0; }

/* The marks are the last messages in the log: all messages before them have been heard by then, or are lost. */
static void settle(long marks) {
    if (!reaches(&me->marks, marks)) wrong("a mark was not heard", me->marks, marks);
    for (long i = 0; i < PATIENCE * 1000L; i++) {
        me->missed = (long)HeraldHostGetMissedMessageCount();
        if (me->heard + me->missed >= posted() - uncounted()) return;
        pause_for(1000);
    }
}
static void end_reading(void) {
    settle(1);
    shared->ended++;
    while (shared->phase < LEAVE) pause_for(1000);
    settle(2);
    me->missed = (long)HeraldHostGetMissedMessageCount();
    if (me->gaps > me->missed + uncounted()) wrong("a loss was not counted", me->gaps, me->missed);
    long short_by = posted() - me->heard - me->missed;
    if (short_by < 0 || short_by > uncounted())
        wrong("heard and missed are not what was posted", me->heard + me->missed, posted());
    if (me->told > me->missed) wrong("more was told than missed", me->told, me->missed);
    me->finished = true;
}
static void begin_reading(int number) { me = &shared->readers[number]; }
static void read_until_end(void) {
    shared->ready++;
    while (shared->phase < END) pause_for(1000);
    end_reading();
}

static void read_names(void) {
    begin_reading(0);
    observe_names();
    read_until_end();
}
static void read_all(void) {
    begin_reading(1);
    observe(NULL, hear, NULL);
    read_until_end();
}
static void read_prefix(void) {
    HeraldToken token;
    begin_reading(2);
    if (HeraldHostAddObserverUnder(me, hear, "soak", NULL, &token) != HeraldOK)
        wrong(HeraldHostGetErrorDescription(), 0, 0);
    read_until_end();
}
/* Observers of names, and in the same process one of any name: always, or coming and going. */
static void read_names_beside_all(void) {
    begin_reading(3);
    observe(NULL, ignore, NULL);
    observe_names();
    read_until_end();
}
static void read_names_beside_a_guest(void) {
    begin_reading(4);
    observe_names();
    shared->ready++;
    while (shared->phase < END) {
        HeraldToken token = {0};
        if (any(2)) {
            observe(NULL, ignore, &token);
        } else if (HeraldHostAddObserverUnder(me, ignore, "unrelated", NULL, &token) != HeraldOK) {
            wrong(HeraldHostGetErrorDescription(), 0, 0);
        }
        pause_for(any(3000));
        HeraldCenterRemoveToken(host(), token);
        shared->toggles++;
        pause_for(any(3000));
    }
    end_reading();
}
static void (*const readers[READERS])(void) = {read_names, read_all, read_prefix, read_names_beside_all,
                                               read_names_beside_a_guest};
static const char *const kinds[READERS] = {"names", "any name", "a prefix", "names, beside any name",
                                           "names, beside one that comes and goes"};

/* ---- The others -------------------------------------------------------------------------------------------------- */

static void reset(void) {
    while (shared->phase < POST) pause_for(1000);
    while (shared->phase == POST) {
        pause_for(any(4) ? any(30000) : any(600000));
        if (!with_plain && HeraldHostReset() == HeraldOK) shared->resets++;
    }
}

static void mark(void) {
    for (int phase = END; phase <= MARK_AGAIN; phase++) {
        while (shared->phase < phase) pause_for(1000);
        post_message("soak.end", "", 1);
    }
    shared->phase = LEAVE;
}

static pid_t begin(void (*function)(void)) {
    pid_t child = fork();
    if (child) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    function();
    _exit(0);
}

static time_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static bool join(pid_t process) {
    int status = -1;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0;
}

/* Stops a reader now and then, for longer than the log has room, or across some resets. */
static void disturb(pid_t *reading, time_t until) {
    while (now() < until) {
        pause_for(any(50000));
        pid_t victim = reading[any(READERS)];
        kill(victim, SIGSTOP);
        pause_for(any(4) ? any(20000) : any(1500000));
        kill(victim, SIGCONT);
        shared->stops++;
    }
}

static int report(void) {
    int failed = 0;
    for (int i = 0; i < READERS; i++) {
        struct reader *reader = &shared->readers[i];
        bool good = reader->finished && !reader->wrong[0];
        printf("%-40s  heard %10ld, missed %10ld  %s%s\n", kinds[i], reader->heard, reader->missed,
               good ? "" : "FAILED: ", reader->finished || reader->wrong[0] ? reader->wrong : "it has ended");
        failed += !good;
    }
    printf("%ld posted, %ld refused; %ld resets, %ld stops, %ld times any name\n", posted(), shared->refused,
           shared->resets, shared->stops, shared->toggles);
    return failed;
}

static int soak(long seconds) {
    pid_t reading[READERS], posting[POSTERS], others[2];
    memset(shared, 0, sizeof *shared);
    fflush(NULL);
    for (int i = 0; i < READERS; i++) reading[i] = begin(readers[i]);
    posting[0] = begin(post_0);
    posting[1] = begin(post_1);
    others[0] = begin(reset);
    others[1] = begin(mark);
    for (long i = 0; shared->ready < READERS && i < PATIENCE * 1000L; i++) pause_for(1000);
    shared->phase = POST;
    disturb(reading, now() + seconds);
    shared->phase = REST;
    bool good = join(posting[0]) && join(posting[1]) && join(others[0]);
    shared->phase = END;
    for (long i = 0; shared->ended < READERS && i < PATIENCE * 1000L; i++) pause_for(1000);
    shared->phase = MARK_AGAIN;
    good &= join(others[1]);
    for (int i = 0; i < READERS; i++) good &= join(reading[i]);
    int failed = report();
    return failed || good ? failed : 1;
}

int main(int count, char **arguments) {
    long seconds = count > 1 ? atol(arguments[1]) : 60;
    char folder[64], clean[128];
    snprintf(folder, sizeof folder, "/dev/shm/herald-test-%d-XXXXXX", getpid());
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(folder) || shared == MAP_FAILED) return EXIT_FAILURE;
    setenv("HERALD_HOST_DIRECTORY", folder, 1);
    int failed = soak(seconds / 2 + 1);
    with_plain = true;
    failed += soak(seconds / 2 + 1);
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    if (system(clean) != 0) failed++;
    printf("soak: %d passed, %d failed\n", 2 * READERS - failed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
