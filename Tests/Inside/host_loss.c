/* R23 between processes: every message is heard or counted as missed, in spite of changes of the file and of
 * observers. */
#include "file.h"
#include <sys/mount.h>

/* Indexes into the board. */
enum { READY, STOP, HELD, HOLDS_NEXT, POSTED, HEARD = 10, MISSED = 20, TOLD = 30 };

/* Readers observe a name, any name, or a prefix; one observes the name in a process that also observes all names. */
enum { OF_NAME, OF_ANY, OF_PREFIX, BESIDE_ANY, READERS };

static void send_sized(const char *name, size_t length) {
    static char bytes[HERALD_HOST_MESSAGE_LIMIT];
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = length};
    CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of(name), &message) == HeraldOK);
    board->at[POSTED]++;
}
static void send_many(const char *name, int count) {
    for (int i = 0; i < count; i++) send_sized(name, 1);
}

static uint64_t last_sequence;
static void count_heard(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)name, (void)object;
    const HeraldMessage *message = userInfo;
    if (!message) return; /* another file: every observer is called once */
    int reader = (int)(uintptr_t)observer - 1;
    CHECK(message->sequence > last_sequence);
    last_sequence = message->sequence;
    board->at[TOLD + reader] += (long)message->missed;
    board->at[HEARD + reader]++;
}
static void ignore(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                   const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
}
static HeraldToken observe(const char *name, HeraldCallback callback, int reader) {
    HeraldToken token = {0};
    HeraldObserverOptions options = {.size = sizeof options};
    CHECK(HeraldCenterAddObserverWithOptions(HeraldCenterGetHostCenter(), (void *)(uintptr_t)(reader + 1), callback,
                                             name ? name_of(name) : NULL, NULL, &options, &token) == HeraldOK);
    return token;
}
static void observe_as(int reader) {
    HeraldToken token;
    if (reader == OF_PREFIX) {
        CHECK(HeraldHostAddObserverUnder((void *)(uintptr_t)(reader + 1), count_heard, "l", NULL, &token) == HeraldOK);
        return;
    }
    if (reader == BESIDE_ANY) observe(NULL, ignore, reader);
    observe(reader == OF_ANY ? NULL : "l.m", count_heard, reader);
}
static void settle(int reader) {
    await_deliveries();
    board->at[MISSED + reader] = (long)HeraldHostGetMissedMessageCount();
    CHECK(board->at[TOLD + reader] <= board->at[MISSED + reader]);
}
static void read_as(int reader) {
    observe_as(reader);
    board->at[READY]++;
    while (!board->at[STOP]) {
        board->at[MISSED + reader] = (long)HeraldHostGetMissedMessageCount();
        pause_for(1000);
    }
    settle(reader);
}
static void read_0(void) { read_as(OF_NAME); }
static void read_1(void) { read_as(OF_ANY); }
static void read_2(void) { read_as(OF_PREFIX); }
static void read_3(void) { read_as(BESIDE_ANY); }
static pid_t reading[READERS];
static void begin_readers(void) {
    static void (*const readers[READERS])(void) = {read_0, read_1, read_2, read_3};
    for (int i = 0; i < READERS; i++) reading[i] = process(readers[i]);
    EVENTUALLY(board->at[READY] == READERS);
}
static void tell_readers(int signal) {
    for (int i = 0; i < READERS; i++) kill(reading[i], signal);
    if (signal != SIGSTOP) return;
    for (int i = 0; i < READERS; i++) waitpid(reading[i], NULL, WUNTRACED);
}
static void await_all(void) {
    for (int i = 0; i < READERS; i++) EVENTUALLY(board->at[HEARD + i] + board->at[MISSED + i] >= board->at[POSTED]);
}
static void end_readers(void) {
    await_all();
    board->at[STOP] = 1;
    for (int i = 0; i < READERS; i++) join(reading[i]);
    for (int i = 0; i < READERS; i++) CHECK(board->at[HEARD + i] + board->at[MISSED + i] == board->at[POSTED]);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static void renew(void) { CHECK(HeraldHostReset() == HeraldOK); }
static void send_100(void) { send_many("l.m", 100); }

HOST_RULE(23, messages_in_files_between_are_counted_by_all_observers) {
    enum { MOST = 3 };
    begin_readers();
    long missed = 0;
    for (int resets = 1; resets <= MOST; resets++) {
        send_100();
        await_all();
        tell_readers(SIGSTOP);
        for (int i = 0; i < resets; i++) {
            renew();
            send_100();
        }
        tell_readers(SIGCONT);
        send_100();
        await_all();
        missed += 100 * (resets - 1);
    }
    end_readers();
    for (int i = 0; i < READERS; i++) CHECK(board->at[MISSED + i] == missed);
}

/* Names are carried to a new file before they have anything to count, and before their observers come; from a full file
 * only the names whose observers are in it. */
static void miss_a_file(int renewals_before) {
    begin_readers();
    tell_readers(SIGSTOP);
    for (int i = 0; i < renewals_before; i++) renew();
    send_100();
    renew();
    tell_readers(SIGCONT);
    end_readers();
    for (int i = 0; i < READERS; i++) CHECK(board->at[MISSED + i] == 100);
}
HOST_RULE(23, messages_in_files_between_are_counted_where_those_before_had_none) { miss_a_file(3); }

static void enter_many(void) {
    char name[32];
    HeraldHostToken token;
    for (int i = 0; i < (int)herald_host_region_first(HERALD_HOST_REGIONS - 1) + 1000; i++) {
        snprintf(name, sizeof name, "many.%d", i);
        CHECK(HeraldHostRegisterCheck(name, &token) == HeraldOK);
    }
}
HOST_RULE(23, messages_in_files_between_are_counted_where_one_before_was_full) {
    HeraldToken token = observe("l.m", ignore, READERS); /* the name is in the file before the others */
    join(process(enter_many));
    CHECK(HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), token));
    miss_a_file(1);
}

/* More than a process keeps for its observers while it reads to the end of a file. */
static void fill_an_arena(void) {
    for (int i = 0; i < 15; i++) send_sized("l.m", 65000);
    board->at[HELD]++;
    EVENTUALLY(board->at[HELD] < 0); /* no other process takes its ring in this time */
}
HOST_RULE(23, messages_without_room_at_the_end_of_a_file_are_counted) {
    begin_readers();
    tell_readers(SIGSTOP);
    pid_t posters[20];
    for (int i = 0; i < 20; i++) posters[i] = process(fill_an_arena);
    EVENTUALLY(board->at[HELD] == 20);
    board->at[HELD] = -1;
    for (int i = 0; i < 20; i++) join(posters[i]);
    renew();
    send_100();
    tell_readers(SIGCONT);
    end_readers();
}

static void overrun(void) { send_many("l.m", 3 * HERALD_HOST_SLOTS); }
HOST_RULE(23, messages_overrun_before_a_reset_are_counted) {
    begin_readers();
    tell_readers(SIGSTOP);
    overrun();
    renew();
    overrun();
    renew();
    send_100();
    tell_readers(SIGCONT);
    end_readers();
    for (int i = 0; i < READERS; i++) CHECK(board->at[MISSED + i] > 3 * HERALD_HOST_SLOTS);
}

/* Counts start again in a file whose maker did not have the old one. Such a file does not continue the old one. */
static void read_second(void) {
    observe("l.m", ignore, 0);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
HOST_RULE(23, losses_are_counted_where_counts_begin_again) {
    begin_readers();
    join(process(send_100));
    await_all();
    tell_readers(SIGSTOP);
    CHECK(unlink(host_file) == 0);
    pid_t second = process(read_second);
    EVENTUALLY(board->at[READY] == READERS + 1);
    join(process(send_100));
    for (int i = 0; i < 2; i++) {
        join(process(renew));
        EVENTUALLY(watchers_of("l.m") == 1); /* the second reader has moved to it */
        join(process(send_100));
    }
    tell_readers(SIGCONT);
    end_readers();
    join(second);
    for (int i = 0; i < READERS; i++) CHECK(board->at[HEARD + i] == 200 && board->at[MISSED + i] == 200);
}

/* Goes to the file of another folder, which exists for a while, and back. Posts made in the first file in that time, by
 * processes that have never seen the other folder, are neither heard nor counted. */
#define RUN "/dev/shm/run"
static void look(const char *file) {
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("l.other", &token) == HeraldOK); /* looks at once for its file */
    CHECK(HeraldHostCancel(token) == HeraldOK);
    CHECK(!strncmp(HeraldHostGetPath(), file, strlen(file)));
    last_sequence = 0; /* an earlier file has earlier numbers */
}
static void stay(void) {
    unsetenv("XDG_RUNTIME_DIR");
    observe("l.m", ignore, 0);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
static void overrun_there(void) {
    unsetenv("XDG_RUNTIME_DIR");
    overrun();
}
static void go_and_return(int reader) {
    observe_as(reader);
    send_100();
    EVENTUALLY(board->at[HEARD + reader] == 100);
    CHECK(mkdir(RUN, 0700) == 0);
    look(RUN);
    send_100();
    EVENTUALLY(board->at[HEARD + reader] == 200);
    board->at[HELD] = 1;
    EVENTUALLY(!board->at[HELD]);
    CHECK(rename(RUN, RUN ".before") == 0);
    look("/dev/shm/herald-");
    CHECK(HeraldHostGetMissedMessageCount() == 0);
    send_100();
    EVENTUALLY(board->at[HEARD + reader] >= 300);
    settle(reader);
    CHECK(board->at[HEARD + reader] == 300 && board->at[MISSED + reader] == 0);
}
static void go_0(void) { go_and_return(OF_NAME); }
static void go_1(void) { go_and_return(OF_ANY); }
static void go_2(void) { go_and_return(OF_PREFIX); }
static void go_3(void) { go_and_return(BESIDE_ANY); }
HOST_RULE(23, return_to_an_earlier_file_replays_and_counts_nothing) {
    static void (*const goers[READERS])(void) = {go_0, go_1, go_2, go_3};
    char user[64];
    snprintf(user, sizeof user, "/run/user/%u", geteuid());
    strcpy(host_folder, "/dev/shm");
    if (!mount_disk("100m")) return;
    mount("herald-test", user, "tmpfs", 0, "mode=0777"); /* others can write to it: it is passed over, if it exists */
    unsetenv("HERALD_HOST_DIRECTORY");
    setenv("XDG_RUNTIME_DIR", RUN, 1);
    pid_t stays = process(stay); /* messages are kept, even if other processes have left */
    EVENTUALLY(board->at[READY] == 1);
    for (int i = 0; i < READERS; i++) {
        pid_t goes = process(goers[i]);
        EVENTUALLY(board->at[HELD]);
        join(process(overrun_there));
        board->at[HELD] = 0;
        join(goes);
        CHECK(system("rm -rf " RUN ".before") == 0);
    }
    board->at[STOP] = 1;
    join(stays);
}

/* ---- Observers of any name that come and go ---------------------------------------------------------------------- */

/* Holds up the watcher's reading. */
static void hold(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    long round = ++board->at[HELD];
    EVENTUALLY(board->at[STOP] >= round);
}
static void hold_watcher(void) {
    long before = board->at[HELD];
    post_to_host("hold");
    EVENTUALLY(board->at[HELD] > before);
}
static void let_watcher_go(void) { board->at[STOP] = board->at[HELD]; }

/* Losses in a file before, during and after an observer of all names. */
static void come_and_go(bool by_prefix) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    observe("hold", hold, 0);
    observe("l.m", count_heard, 0);
    for (int step = 0; step < 8; step++) { /* an overrun in each of three stages, or none */
        HeraldToken token = {0};
        hold_watcher();
        send_many("l.m", step & 1 ? 10001 : 1);
        if (by_prefix) CHECK(HeraldHostAddObserverUnder(&token, ignore, "unrelated", NULL, &token) == HeraldOK);
        if (!by_prefix) token = observe(NULL, ignore, 1);
        send_many("l.m", step & 2 ? 10001 : 1);
        CHECK(HeraldCenterRemoveToken(host, token));
        send_many("l.m", step & 4 ? 10001 : 1);
        let_watcher_go();
        await_deliveries();
        CHECK(board->at[HEARD] + (long)HeraldHostGetMissedMessageCount() == board->at[POSTED]);
    }
    CHECK(HeraldHostGetMissedMessageCount() > 8000);
}
HOST_RULE(23, losses_are_counted_once_as_observers_of_any_name_come_and_go) { come_and_go(false); }
HOST_RULE(23, losses_are_counted_once_as_observers_of_a_prefix_come_and_go) { come_and_go(true); }

/* A name has a loss that has not shown yet when the other way to count begins: its messages were lost, and those of
 * another name were read. */
static void count_and_hold(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                           const void *userInfo) {
    count_heard(center, observer, name, object, userInfo);
    if (atomic_exchange(&board->at[HOLDS_NEXT], 0)) hold(center, observer, name, object, userInfo);
}
HOST_RULE(23, loss_that_has_not_shown_is_counted_once_as_any_name_comes_or_goes) {
    HeraldToken token;
    observe("hold", hold, 0);
    observe("l.m", count_heard, 0);
    observe("l.n", count_and_hold, 0);
    for (int step = 0; step < 6; step++) {
        hold_watcher();
        long held = board->at[HELD];
        send_many("l.m", 5000);
        send_many("l.n", 2 * HERALD_HOST_SLOTS);
        board->at[HOLDS_NEXT] = 1;
        let_watcher_go();
        EVENTUALLY(board->at[HELD] > held);
        if (step % 2 == 0) token = observe(NULL, ignore, 1);
        if (step % 2 == 1) CHECK(HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), token));
        let_watcher_go();
        send_many("l.m", 1);
        await_deliveries();
        CHECK(board->at[HEARD] + (long)HeraldHostGetMissedMessageCount() == board->at[POSTED]);
    }
}

static void flood(void) {
    while (!board->at[STOP]) send_sized("l.m", any(100));
}
HOST_RULE(23, losses_are_counted_under_load_as_observers_of_any_name_come_and_go) {
    pid_t posters[2];
    posters[0] = process(flood); /* before this process has a thread */
    posters[1] = process(flood);
    join(process(send_100));
    for (int i = 0; i < 2; i++) {
        kill(posters[i], SIGSTOP);
        waitpid(posters[i], NULL, WUNTRACED);
    }
    long before = board->at[POSTED];
    observe("l.m", count_heard, 0);
    for (int i = 0; i < 2; i++) kill(posters[i], SIGCONT);
    for (int i = 0; i < OFTEN(300); i++) {
        HeraldToken token = observe(NULL, ignore, 1);
        pause_for(any(2000));
        CHECK(HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), token));
        pause_for(any(2000));
    }
    board->at[STOP] = 1;
    for (int i = 0; i < 2; i++) join(posters[i]);
    long posted = board->at[POSTED] - before;
    /* Each of the two posters may have been stopped in the middle of a post. On a slow machine more messages wait than
     * are read at a time.
     */
    EVENTUALLY(board->at[HEARD] + (long)HeraldHostGetMissedMessageCount() >= posted - 2);
    await_deliveries();
    long counted = board->at[HEARD] + (long)HeraldHostGetMissedMessageCount();
    char sentence[100];
    snprintf(sentence, sizeof sentence, "%ld counted of %ld posted", counted, posted);
    if (counted > posted || counted < posted - 2) check_failed(__FILE__, __LINE__, sentence);
}

/* ---- Plain posts ------------------------------------------------------------------------------------------------- */

static void count_posts(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)object;
    if (!strncmp(HeraldNameGetUTF8String(name), "l.", 2) && !userInfo)
        board->at[HEARD + (uintptr_t)observer - 1] += (long)HeraldHostGetPostCount();
}
static void post_many(const char *name, int count) {
    for (int i = 0; i < count; i++) post_to_host(name);
}

/* An observer of a name hears all plain posts of the name, also those that the log has lost: these are not missed.
 * Plain posts of other names are missed. */
HOST_TEST(plain_posts_that_the_log_has_lost_are_heard_or_missed) {
    observe("hold", hold, 0);
    observe("l.m", count_posts, 0);
    observe(NULL, count_posts, 1);
    long mine = 0, others = 0;
    for (int step = 0; step < 4; step++) {
        hold_watcher();
        post_many("l.m", 5);
        post_many("l.m", step & 1 ? 10000 : 0);
        post_many("l.stranger", step & 2 ? 10000 : 3);
        post_many("l.m", 7);
        let_watcher_go();
        mine += step & 1 ? 10012 : 12;
        others += step & 2 ? 10000 : 3;
        EVENTUALLY(board->at[HEARD] >= mine);
        await_deliveries();
        HeraldHostGetMissedMessageCount();
        await_deliveries();
        CHECK(board->at[HEARD] == mine);
        long all = board->at[HEARD + 1] + (long)HeraldHostGetMissedMessageCount();
        CHECK(all == mine + others);
    }
    CHECK(HeraldHostGetMissedMessageCount() > 1000);
}

/* As above, with an observer of all names that comes and goes. Messages in between are counted as usual. */
HOST_TEST(plain_posts_are_heard_once_as_observers_of_any_name_come_and_go) {
    observe("hold", hold, 0);
    observe("l.m", count_posts, 0);
    observe("l.m", count_heard, 1);
    long plain = 0;
    for (int step = 0; step < 8; step++) {
        hold_watcher();
        post_many("l.m", step & 1 ? 10000 : 1);
        HeraldToken token = observe(NULL, ignore, 2);
        post_many("l.m", step & 2 ? 10000 : 1);
        send_many("l.m", 10);
        CHECK(HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), token));
        post_many("l.m", step & 4 ? 10000 : 1);
        let_watcher_go();
        for (int bit = 1; bit < 8; bit *= 2) plain += step & bit ? 10000 : 1;
        EVENTUALLY(board->at[HEARD] >= plain);
        await_deliveries();
        CHECK(board->at[HEARD] == plain);
        CHECK(board->at[HEARD + 1] + (long)HeraldHostGetMissedMessageCount() == board->at[POSTED]);
    }
}

/* ---- A spoilt index ---------------------------------------------------------------------------------------------- */

/* An index word that is far ahead of its place: a reader goes at most to the tail, and hears what comes after. */
HOST_RULE(23, reader_of_messages_never_passes_the_tail) {
    observe("hold", hold, 0);
    observe("l.m", count_heard, 0);
    send_many("l.m", 10);
    EVENTUALLY(board->at[HEARD] == 10);
    hold_watcher();
    send_many("l.m", 100);
    int file = open(host_file, O_RDWR);
    struct herald_host_header *header = mmap(NULL, HERALD_HOST_HEADS_AT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(header != MAP_FAILED);
    close(file);
    *herald_host_log_slot(header, header->tail - 50) += UINT64_C(1000) << 38;
    munmap(header, HERALD_HOST_HEADS_AT);
    let_watcher_go();
    await_deliveries();
    long heard = board->at[HEARD];
    CHECK(heard >= 60);
    for (int i = 1; i <= 20; i++) {
        send_many("l.m", 1);
        EVENTUALLY(board->at[HEARD] == heard + i);
    }
    CHECK(board->at[HEARD] + (long)HeraldHostGetMissedMessageCount() == board->at[POSTED]);
}
