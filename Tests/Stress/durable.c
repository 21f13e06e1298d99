/* The soak of durable observers: processes and servers are killed while messages are stored and heard. An oracle knows
 * only what posters were told, and which calls have returned.
 *
 *      durable [SECONDS]
 *
 * Five rounds, of a fifth of the time each; in each, two processes observe by one name, and one stores messages. In a
 * strict order: observers are killed; a lone server is killed; the leader of three is killed. (A server that is killed
 * forgets what it has not written yet of what was heard. The process that has heard it remembers it, another one does
 * not. So one process observes in this round.) Then observers are killed
 * that share the messages, and such that are to be alone. The oracle checks: every message that its poster was told is
 * stored has been heard; in strict order and alone, messages are heard for the first time in the stream's order; and
 * no more are heard again than were under way when a process or a server was killed.
 *
 * The observers write what they have heard into one file, in which the system keeps the order. No time is a condition:
 * a round ends when everything was heard. */
#include "../Network/server.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum {
    HEARERS_MOST = 2,
    UNDER_WAY = 32,
    AHEAD_MOST = 20000, /* so many more are stored than were heard; then the poster waits */
    WAIT_MOST = 180     /* seconds in which nothing is heard, at the end of a round */
};

struct record {
    uint64_t number, sequence;
};

struct round {
    const char *title;
    HeraldDurableOrder order;
    int in_flight, hearers;
    bool kills_hearers, kills_server, has_three;
};
static const struct round rounds[] = {
    {"strict, observers are killed", HeraldDurableStrict, 1, 2, true, false, false},
    {"strict, the server is killed", HeraldDurableStrict, 1, 1, false, true, false},
    {"strict, the leader of three is killed", HeraldDurableStrict, 1, 2, false, true, true},
    {"shared, observers are killed", HeraldDurableEach, 16, 2, true, false, false},
    {"alone, observers are killed", HeraldDurableAlone, 16, 2, true, false, false},
};
enum { ROUNDS = sizeof rounds / sizeof *rounds };

/* ---- The processes ----------------------------------------------------------------------------------------------- */

static int out;
static volatile sig_atomic_t is_over;
static void end_soon(int signal) {
    (void)signal;
    is_over = 1;
}

static void write_record(uint64_t number, uint64_t sequence) {
    struct record record = {number, sequence};
    if (write(out, &record, sizeof record) != sizeof record) _exit(3);
}

static bool note_heard(HeraldCenterRef center, void *observer, HeraldNameRef name, const HeraldMessage *message,
                       const HeraldStored *stored) {
    uint64_t number = 0;
    (void)center, (void)observer, (void)name;
    if (message->length == sizeof number) memcpy(&number, message->bytes, sizeof number);
    write_record(number, stored->sequence);
    return true;
}

/* soak hear URLS ROUND FILE */
static int hear_stored(const char *urls, const struct round *round) {
    HeraldDurableOptions options = {.size = sizeof options,
                                    .name = "soak",
                                    .about = HeraldNameCreate("soak.durable"),
                                    .order = round->order,
                                    .inFlight = (uint32_t)round->in_flight,
                                    .patience = 1,
                                    .start = HeraldDurableBeginning};
    HeraldCenterRef center = center_at(urls, NULL);
    if (HeraldNetworkAddDurableObserver(center, NULL, note_heard, &options, NULL) != HeraldOK) return 3;
    while (!is_over) usleep(10000);
    HeraldNetworkClose(center, 30);
    return 0;
}

static atomic_long under_way;
static void note_stored(void *context, HeraldStatus status, uint64_t sequence) {
    if (status == HeraldOK) write_record((uint64_t)(uintptr_t)context, sequence);
    under_way--;
}

static uint64_t count_records(int file) {
    struct stat what = {0};
    return fstat(file, &what) == 0 ? (uint64_t)what.st_size / sizeof(struct record) : 0;
}

/* soak post URLS ROUND FILE HEARD: HEARD is the file of the observers */
static int post_stored(const char *urls, const char *heard_file) {
    int heard = open(heard_file, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
    HeraldCenterRef center = center_at(urls, NULL);
    HeraldNameRef name = HeraldNameCreate("soak.durable");
    for (uint64_t number = 1; !is_over; number++) {
        HeraldMessage message = {.size = sizeof message, .bytes = &number, .length = sizeof number};
        while ((under_way >= UNDER_WAY || number > count_records(heard) + AHEAD_MOST) && !is_over) usleep(200);
        under_way++;
        if (HeraldNetworkStoreMessage(center, name, &message, 120, note_stored, (void *)(uintptr_t)number) != HeraldOK)
            return 3;
    }
    while (under_way) usleep(1000);
    HeraldNetworkClose(center, 30);
    return 0;
}

/* ---- The driver -------------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/herald-durable-XXXXXX";

/* Begins this program again with arguments. Before exec the child allocates nothing. */
static pid_t begin_self(const char *role, const char *urls, int round, const char *file, const char *other) {
    char number[12];
    snprintf(number, sizeof number, "%d", round);
    pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl("/proc/self/exe", "durable", role, urls, number, file, other, (char *)NULL);
    _exit(127);
}

static void end_process(pid_t process, int signal, bool must_succeed) {
    int status = 0;
    kill(process, signal);
    waitpid(process, &status, 0);
    if (must_succeed && status != 0) printf("a process ended with status %d\n", status);
    if (must_succeed) CHECK(status == 0);
}

struct heard {
    uint64_t *last; /* by number: 0, or the record's place + 1 */
    long count, distinct, again, backwards;
};

/* Reads what was heard. */
static void read_heard(const char *file, struct heard *heard, uint64_t most) {
    struct record record;
    uint64_t highest = 0;
    int in = open(file, O_RDONLY | O_CLOEXEC);
    free(heard->last);
    *heard = (struct heard){.last = calloc(most + 1, sizeof *heard->last)};
    while (in >= 0 && heard->last && read(in, &record, sizeof record) == sizeof record) {
        heard->count++;
        if (record.number > most) continue;
        if (heard->last[record.number]++) {
            heard->again++;
            continue;
        }
        heard->distinct++;
        heard->backwards += record.sequence < highest;
        if (record.sequence > highest) highest = record.sequence;
    }
    if (in >= 0) close(in);
}

/* The numbers that posters were told are stored. Returns the highest. */
static uint64_t read_stored(const char *file, struct record **stored, long *count) {
    struct stat what = {0};
    int in = open(file, O_RDONLY | O_CLOEXEC);
    uint64_t most = 0;
    *stored = NULL;
    *count = 0;
    if (in < 0) return 0;
    if (fstat(in, &what) == 0 && (*stored = malloc((size_t)what.st_size + 1)) &&
        read(in, *stored, (size_t)what.st_size) == what.st_size)
        *count = what.st_size / (long)sizeof **stored;
    for (long i = 0; i < *count; i++)
        if ((*stored)[i].number > most) most = (*stored)[i].number;
    close(in);
    return most;
}

static long not_heard(const struct heard *heard, const struct record *stored, long count) {
    long lost = 0;
    for (long i = 0; i < count; i++) lost += !heard->last[stored[i].number];
    return lost;
}

struct world {
    struct server servers[3];
    int count;
    char urls[256];
};

static void world_begin(struct world *world, const struct round *round) {
    static struct client client;
    static const char file[] = ",\"num_replicas\":%d";
    char more[64];
    *world = (struct world){.count = round->has_three ? 3 : 1};
    if (round->has_three) cluster_begin(world->servers, jetstream);
    if (!round->has_three) server_begin(&world->servers[0], 0, jetstream);
    for (int i = 0; i < world->count; i++)
        snprintf(world->urls + strlen(world->urls), sizeof world->urls - strlen(world->urls), "%s%s", i ? "," : "",
                 world->servers[i].url);
    snprintf(more, sizeof more, file, world->count);
    double end = seconds() + PATIENCE;
    for (bool made = false; !made && seconds() < end;) { /* a cluster without a leader loses the request */
        client_begin(&client, world->servers[0].port);
        char call[256];
        int length = snprintf(call, sizeof call, "{\"name\":\"S\",\"subjects\":[\"herald.soak.durable\"]%s}", more);
        client_say(&client, "SUB made 7\r\nPUB $JS.API.STREAM.CREATE.S made %d\r\n%s\r\n", length, call);
        for (double wait = seconds() + 3; !made && seconds() < wait;) made = client_has(&client, "\"created\"");
        client_end(&client);
    }
}

static int world_kill(struct world *world) {
    int at = world->count == 3 ? leader_of(world->servers, "S") : 0;
    server_kill(&world->servers[at], SIGKILL);
    server_begin_again(&world->servers[at]);
    return 1;
}

static void run_round(int number, double length) {
    const struct round *round = &rounds[number];
    struct world world;
    struct heard heard = {0};
    struct record *stored = NULL;
    char heard_file[64], stored_file[64];
    pid_t hearers[HEARERS_MOST];
    long kills = 0, count = 0, lost = 0;
    snprintf(heard_file, sizeof heard_file, "%s/heard-%d", folder, number);
    snprintf(stored_file, sizeof stored_file, "%s/stored-%d", folder, number);
    world_begin(&world, round);
    for (int i = 0; i < round->hearers; i++) hearers[i] = begin_self("hear", world.urls, number, heard_file, NULL);
    pid_t poster = begin_self("post", world.urls, number, stored_file, heard_file);
    for (double end = seconds() + length; seconds() < end;) {
        usleep((useconds_t)(100000 + rand() % 300000));
        if (round->kills_hearers) {
            int at = rand() % round->hearers;
            end_process(hearers[at], SIGKILL, false);
            hearers[at] = begin_self("hear", world.urls, number, heard_file, NULL);
            kills++;
        } else if (rand() % 5 == 0) {
            kills += world_kill(&world);
        }
    }
    end_process(poster, SIGTERM, true);
    uint64_t most = read_stored(stored_file, &stored, &count);
    double end = seconds() + WAIT_MOST;
    do {
        usleep(100000);
        long before = heard.count;
        read_heard(heard_file, &heard, most);
        lost = not_heard(&heard, stored, count);
        if (heard.count > before) end = seconds() + WAIT_MOST;
    } while (lost && seconds() < end);
    for (int i = 0; i < round->hearers; i++) end_process(hearers[i], SIGTERM, true);
    read_heard(heard_file, &heard, most);
    bool in_order = round->order == HeraldDurableEach || heard.backwards == 0;
    bool few_again = heard.again <= (kills + 1) * round->in_flight * (round->kills_server ? 2 : 1);
    printf("%-40s %6ld stored, %6ld heard, %ld kills: %ld lost, %ld again, %ld out of order%s\n", round->title, count,
           heard.count, kills, lost, heard.again, heard.backwards,
           lost || !in_order || !few_again || !count || !kills ? "  FAILED" : "");
    fflush(stdout);
    CHECK(count && kills && !lost && in_order && few_again);
    for (int i = 0; i < world.count; i++) server_end(&world.servers[i]);
    free(stored);
    free(heard.last);
}

TEST(soak_has_no_rules) {} /* the checks come with a list of rules, which is not empty */

int main(int argc, char **argv) {
    struct sigaction action = {.sa_handler = end_soon};
    if (argc >= 5) {
        const struct round *round = &rounds[atoi(argv[3])];
        sigaction(SIGTERM, &action, NULL);
        out = open(argv[4], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        return out < 0 ? 3 : strcmp(argv[1], "post") == 0 ? post_stored(argv[2], argv[5]) : hear_stored(argv[2], round);
    }
    double length = argc > 1 ? atof(argv[1]) : 60;
    int passed = 0;
    if (!mkdtemp(folder)) return 3;
    srand((unsigned)getpid());
    for (int i = 0; i < ROUNDS; i++) {
        bool failed_before = check_has_failed();
        run_round(i, length / ROUNDS);
        passed += !check_has_failed() || failed_before;
    }
    if (check_has_failed()) printf("FAILED %s\n", check_failure());
    char clean[64];
    snprintf(clean, sizeof clean, "rm -rf %s", folder);
    if (!check_has_failed() && system(clean) != 0) printf("the folder stays\n");
    printf("durable: %d passed, %d failed\n", check_has_failed() ? passed : ROUNDS,
           check_has_failed() ? ROUNDS - passed : 0);
    return check_has_failed();
}
