/* Observers of any name, and of prefixes: every post by itself, in one order. */
#include "file.h"

/* Indexes into the board. */
enum { READY, STOP, DONE, NAMED = 10, NAMED_CALLS, POSTED = 20, LOST, SENT };

static char heard[400];
static _Atomic int calls, messages;
static long newest[4];
static void note(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)observer, (void)object;
    const char *text = HeraldNameGetUTF8String(name);
    size_t length = strlen(heard);
    if (length < sizeof heard - 40)
        snprintf(heard + length, sizeof heard - length, "%.20s%s ", text, userInfo ? "!" : "");
    if (userInfo) messages++;
    calls++;
}
static HeraldToken hear_any(void *observer) {
    HeraldToken token;
    HeraldObserverOptions options = {.size = sizeof options};
    CHECK(HeraldCenterAddObserverWithOptions(HeraldCenterGetHostCenter(), observer, note, NULL, NULL, &options,
                                             &token) == HeraldOK);
    return token;
}
static HeraldToken hear_under(const char *prefix) {
    HeraldToken token;
    CHECK(HeraldHostAddObserverUnder(&calls, note, prefix, NULL, &token) == HeraldOK);
    return token;
}
static void send_text(const char *name, const char *text) {
    HeraldMessage message = {.size = sizeof message, .bytes = text, .length = strlen(text)};
    CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of(name), &message) == HeraldOK);
}
static void post_several(void) {
    post_to_host("x.a");
    send_text("x.b", "1");
    CHECK(HeraldHostPost("x.a") == HeraldOK && HeraldHostPost("x.c") == HeraldOK);
    send_text("x.a", "2");
    post_to_host("x.b");
}

HOST_TEST(observers_of_any_name_hear_each_post_in_order) {
    expect_nobody();
    HeraldToken token = hear_any(&calls);
    join(process(post_several));
    EVENTUALLY(calls == 6);
    CHECK(!strcmp(heard, "x.a x.b! x.a x.c x.a! x.b ") && names() == 0);
    post_several(); /* the process's own posts, too */
    EVENTUALLY(calls == 12);
    CHECK(HeraldCenterIsHeard(HeraldCenterGetHostCenter(), name_of("whatever")));
    CHECK(HeraldCenterRemoveTokenAndWait(HeraldCenterGetHostCenter(), token));
    CHECK(!HeraldCenterIsHeard(HeraldCenterGetHostCenter(), name_of("whatever")));
    post_several();
    await_deliveries();
    CHECK(calls == 12);
    struct herald_host_header *header = map_file();
    CHECK(header->any == 0);
    munmap(header, HERALD_HOST_LOG_AT);
    token = hear_any(&calls); /* once more */
    post_to_host("y");
    EVENTUALLY(calls == 13);
}

static void observe_under(void) {
    hear_under("com.acme");
    hear_into("com.other", NAMED, NULL);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
HOST_TEST(processes_that_observe_prefixes_are_counted) {
    CHECK(HeraldHostGetPrefixWatcherCount() == 0);
    pid_t others[2] = {process(observe_under), process(observe_under)};
    EVENTUALLY(board->at[READY] == 2);
    CHECK(HeraldHostGetPrefixWatcherCount() == 2 && watchers_of("com.acme") == 0);
    HeraldToken token = hear_any(&calls);
    CHECK(HeraldHostGetPrefixWatcherCount() == 3);
    CHECK(HeraldCenterRemoveTokenAndWait(HeraldCenterGetHostCenter(), token));
    CHECK(HeraldHostGetPrefixWatcherCount() == 2);
    end_by(others[0], SIGKILL); /* its bit stays until a process sweeps it */
    CHECK(HeraldHostGetPrefixWatcherCount() == 1);
    board->at[STOP] = 1;
    join(others[1]);
    CHECK(HeraldHostGetPrefixWatcherCount() == 0);
}

HOST_RULE(26, prefix_ends_at_a_dot) {
    HeraldToken token = hear_under("com.acme");
    static const char *const names[] = {"com.acme", "com.acmesoft.x", "com.acme.", "com.acme.x", "com.acme.x.y", "com"};
    for (int i = 0; i < 6; i++) post_to_host(names[i]);
    send_text("com.acme.z", "1");
    EVENTUALLY(calls == 4); /* the last call shows that each was heard in its turn */
    CHECK(!strcmp(heard, "com.acme. com.acme.x com.acme.x.y com.acme.z! "));
    CHECK(HeraldCenterRemoveTokenAndWait(HeraldCenterGetHostCenter(), token));
    HeraldToken none;
    char longest[514];
    memset(longest, 'p', sizeof longest);
    longest[513] = 0;
    const char *const bad[] = {NULL, "", "com.", longest};
    for (int i = 0; i < 4; i++)
        CHECK(HeraldHostAddObserverUnder(&calls, note, bad[i], NULL, &none) == HeraldInvalidArgument && !none.center);
    CHECK(HeraldHostAddObserverUnder(&calls, NULL, "a", NULL, &none) == HeraldInvalidArgument);
    HeraldObserverOptions odd = {.size = 3};
    CHECK(HeraldHostAddObserverUnder(&calls, note, "a", &odd, &none) == HeraldInvalidArgument);
}

static _Atomic int released;
static void release(void *observer) {
    CHECK(observer == &calls);
    released++;
}
HOST_RULE(26, prefix_registration_has_hooks) {
    HeraldToken token;
    HeraldObserverOptions options = {.size = sizeof options, .release = release};
    CHECK(HeraldHostAddObserverUnder(&calls, note, "p", &options, &token) == HeraldOK);
    post_to_host("p.q");
    EVENTUALLY(calls == 1);
    CHECK(HeraldCenterRemoveTokenAndWait(HeraldCenterGetHostCenter(), token) && released == 1);
}

/* In addition to observers of all names, observers of names hear every post once. */
HOST_TEST(observers_of_names_hear_all_beside_those_of_any) {
    enum { TIMES = 20 };
    hear_into("n", NAMED, NULL);
    long posted = 0;
    for (int i = 0; i < TIMES; i++) {
        HeraldToken token = hear_any(&calls);
        for (int j = 0; j < 10; j++, posted++) post_to_host("n");
        EVENTUALLY(board->at[NAMED] == posted && calls == (i + 1) * 10); /* the name's is called last */
        CHECK(HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), token));
        for (int j = 0; j < 10; j++, posted++) post_to_host("n");
        EVENTUALLY(board->at[NAMED] >= posted);
        CHECK(board->at[NAMED] == posted);
    }
    CHECK(calls == TIMES * 10);
}

/* Posts that come while the counts of names give way to the log: each is heard through one of the two. */
static void linger(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                   const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    board->at[READY]++;
    EVENTUALLY(board->at[STOP]);
}
HOST_TEST(posts_are_heard_once_as_an_observer_of_any_name_comes) {
    hear_into("n", NAMED, NULL);
    CHECK(HeraldCenterAddObserverWithOptions(HeraldCenterGetHostCenter(), &board, linger, name_of("n"), NULL, NULL,
                                             NULL) == HeraldOK);
    post_to_host("n");
    EVENTUALLY(board->at[READY]);
    hear_any(&calls);
    for (int i = 0; i < 10; i++) post_to_host("n");
    board->at[STOP] = 1;
    EVENTUALLY(calls >= 10);
    CHECK(calls == 10 && board->at[NAMED] == 11);
}

/* New names, and names that another process has entered, in order. */
static void count_up(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                     const void *userInfo) {
    (void)center, (void)observer, (void)object;
    const HeraldMessage *message = userInfo;
    if (message) board->at[LOST] += (long)message->missed;
    int poster;
    long number;
    if (sscanf(HeraldNameGetUTF8String(name), "%d.%ld", &poster, &number) != 2) return;
    if (number <= newest[poster]) check_failed(__FILE__, __LINE__, "out of order, or twice");
    newest[poster] = number;
    calls++;
}
static void post_numbers(void) {
    int poster = (int)++board->at[POSTED];
    for (int i = 1; i <= OFTEN(30000); i++) {
        char name[40];
        snprintf(name, sizeof name, "%d.%d", poster, i);
        CHECK(HeraldHostPost(name) == HeraldOK);
        if (i % 100 == 0) pause_for(any(1000));
    }
}
static void watch_all(void) {
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), &calls, count_up, NULL, NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    board->at[READY]++;
    while (board->at[STOP] == 0) pause_for(1000);
    EVENTUALLY(calls + (long)HeraldHostGetMissedMessageCount() == board->at[SENT]);
    CHECK(calls > 1000 && calls <= 65536 + 10);
}
HOST_TEST(unknown_names_leave_the_table_as_it_is) {
    pid_t watching = process(watch_all), posters[3];
    EVENTUALLY(board->at[READY] == 1);
    for (int i = 0; i < 3; i++) posters[i] = process(post_numbers);
    for (int i = 0; i < 3; i++) join(posters[i]);
    board->at[SENT] = 3 * OFTEN(30000);
    board->at[STOP] = 1;
    join(watching);
    CHECK(names() == 0);
}

HOST_TEST(what_observers_of_any_name_miss_is_counted) {
    pid_t watching = process(watch_all);
    EVENTUALLY(board->at[READY] == 1);
    stop_process(watching);
    post_numbers();
    board->at[SENT] = OFTEN(30000);
    kill(watching, SIGCONT);
    board->at[STOP] = 1;
    join(watching);
}

static void watch_and_die(void) {
    hear_any(&calls);
    board->at[READY]++;
    for (;;) pause_for(100000);
}
SLOW_HOST_TEST(dead_observers_of_any_name_are_swept, "the dead are swept once in three seconds") {
    for (int i = 0; i < 3; i++) {
        pid_t other = process(watch_and_die);
        EVENTUALLY(board->at[READY] == i + 1);
        end_by(other, SIGKILL);
    }
    struct herald_host_header *header = map_file();
    CHECK(header->any != 0);
    hear_into("n", NAMED, NULL);
    EVENTUALLY(header->any == 0); /* an idle watcher clears it */
    post_to_host("n");
    EVENTUALLY(board->at[NAMED] == 1);
    munmap(header, HERALD_HOST_LOG_AT);
}

static void watch_any_until_stop(void) {
    hear_any(&calls);
    hear_into("n", NAMED, NULL);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
    EVENTUALLY(calls >= 20);
}
HOST_TEST(more_observers_of_any_name_than_channels) {
    enum { MANY = 80 };
    static pid_t others[MANY];
    for (int i = 0; i < MANY; i++) others[i] = process(watch_any_until_stop);
    EVENTUALLY(board->at[READY] == MANY);
    for (int i = 0; i < 20; i++) post_to_host("n");
    EVENTUALLY(board->at[NAMED] >= MANY * 20);
    board->at[STOP] = 1;
    for (int i = 0; i < MANY; i++) join(others[i]);
    CHECK(board->at[NAMED] == MANY * 20); /* once, from the log alone */
}

static void renew(void) { CHECK(HeraldHostReset() == HeraldOK); }
HOST_TEST(observers_of_any_name_move) {
    hear_any(&calls);
    int sent = 0;
    for (int i = 0; i < 5; i++) {
        join(process(renew));
        for (int j = 0; j < 20; j++, sent++) post_to_host("moving");
        EVENTUALLY(calls >= sent);
    }
    CHECK(HeraldHostGetMissedMessageCount() == 0);
}

HOST_TEST(child_of_a_fork_hears_nothing_of_before) {
    hear_any(&calls);
    post_several();
    EVENTUALLY(calls == 6);
    pid_t child = fork();
    if (child == 0) {
        calls = 0;
        hear_into("child", NAMED, NULL);
        post_to_host("child");
        EVENTUALLY(calls && board->at[NAMED] == 1);
        pause_for(20000);
        CHECK(calls == 1);
        _exit(check_has_failed());
    }
    join(child);
    EVENTUALLY(calls == 7);
}

static void hear_losses(void) {
    hear_into("n", NAMED, NULL);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
    CHECK(HeraldHostGetMissedMessageCount() == 0);
}
/* For processes that do not observe all names, plain posts are not in the log. */
HOST_TEST(posts_in_the_log_are_no_lost_messages) {
    pid_t other = process(hear_losses);
    EVENTUALLY(board->at[READY] == 1);
    hear_any(&calls);
    for (int i = 0; i < 10; i++) post_to_host("n");
    EVENTUALLY(board->at[NAMED] == 10 && calls == 10);
    send_text("m", "1");
    EVENTUALLY(calls == 11);
    for (int i = 0; i < 10000; i++) post_to_host("n"); /* more than the log has room for */
    EVENTUALLY(board->at[NAMED] == 10010);
    board->at[STOP] = 1;
    join(other);
}
