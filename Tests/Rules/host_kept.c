/* R25 between processes: what is kept outlives its poster, and a latecomer begins with it. */
#include "host.h"
#include <herald/message.h>
#include <stdarg.h>
#include <sys/mount.h>

enum { READY = 40, STOP, LAST, ACKNOWLEDGED, KILLS };

static HeraldCenterRef host(void) { return HeraldCenterGetHostCenter(); }

static HeraldStatus keep_bytes(const char *name, const char *object, const void *bytes, size_t length) {
    HeraldMessage message = {
        .size = sizeof message, .object = object, .bytes = bytes, .length = length, .options = HeraldPostKeep};
    return HeraldCenterPostMessage(host(), name_of(name), &message);
}
static HeraldStatus keep(const char *name, const char *object, const char *text) {
    return keep_bytes(name, object, text, strlen(text));
}

/* A follower records "+text" for what it begins with, "=n" when it has begun, and "text" for each later message; "s7"
 * stands for a plain post with state 7. */
struct follower {
    pthread_mutex_t lock;
    char heard[4000];
    atomic_int calls, begun;
    HeraldStatus status;
    HeraldToken token;
};
static void note(struct follower *follower, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct follower *follower, const char *format, ...) {
    va_list arguments;
    pthread_mutex_lock(&follower->lock);
    size_t length = strlen(follower->heard);
    va_start(arguments, format);
    vsnprintf(follower->heard + length, sizeof follower->heard - length, format, arguments);
    va_end(arguments);
    pthread_mutex_unlock(&follower->lock);
}
static void follow_it(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    (void)center, (void)name, (void)object;
    const HeraldMessage *message = userInfo;
    const char *mark = HeraldPostIsKept() ? "+" : "";
    struct follower *follower = observer;
    bool has_state;
    uint64_t state = HeraldHostGetCurrentState(&has_state);
    if (message) {
        CHECK(!has_state); /* the state is that of plain posts */
        note(follower, " %s%.*s", mark, (int)message->length, (const char *)message->bytes);
    } else if (has_state) {
        note(follower, " %ss%lu", mark, (unsigned long)state);
    } else {
        return; /* another file: every observer is called once */
    }
    follower->calls++;
}
static void has_begun(void *observer, size_t kept, HeraldStatus status) {
    struct follower *follower = observer;
    follower->status = status;
    note(follower, " =%zu", kept);
    follower->begun++;
}
static HeraldStatus try_to_follow(struct follower *follower, const char *name, const char *object) {
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept, .began = has_begun};
    pthread_mutex_init(&follower->lock, NULL);
    return HeraldCenterAddObserverWithOptions(host(), follower, follow_it, name_of(name), HeraldObjectForString(object),
                                              &options, &follower->token);
}
static void follow(struct follower *follower, const char *name, const char *object) {
    CHECK(try_to_follow(follower, name, object) == HeraldOK);
    EVENTUALLY(follower->begun == 1);
    CHECK(follower->status == HeraldOK);
}
static bool has_heard(struct follower *follower, const char *part) {
    pthread_mutex_lock(&follower->lock);
    bool has = strstr(follower->heard, part);
    pthread_mutex_unlock(&follower->lock);
    return has;
}
static void end(struct follower *follower) { CHECK(HeraldCenterRemoveTokenAndWait(host(), follower->token)); }
#define CHECK_FOLLOWED(follower, expected)                                                                             \
    do {                                                                                                               \
        if (strcmp((follower)->heard, (expected)) != 0) {                                                              \
            char sentence[600];                                                                                        \
            snprintf(sentence, sizeof sentence, "heard \"%.250s\", expected \"%.250s\"", (follower)->heard,            \
                     (expected));                                                                                      \
            check_failed(__FILE__, __LINE__, sentence);                                                                \
        }                                                                                                              \
    } while (0)

/* What is kept, as a text; "" if nothing is. */
struct taken {
    char text[100];
    size_t length;
    uint64_t number;
    bool any;
};
static void take_it(void *context, const void *userInfo, const void *tag) {
    (void)tag;
    struct taken *taken = context;
    const HeraldMessage *message = userInfo;
    taken->any = true;
    taken->length = message->length;
    snprintf(taken->text, sizeof taken->text, "%.*s", (int)(message->length < 90 ? message->length : 90),
             (const char *)message->bytes);
    if (message->length >= 8) memcpy(&taken->number, message->bytes, 8);
}
static struct taken take(const char *name, const char *object) {
    struct taken taken = {"", 0, 0, false};
    bool any = HeraldCenterTakeKept(host(), name_of(name), HeraldObjectForString(object), take_it, &taken);
    CHECK(any == taken.any);
    return taken;
}

/* ---- What a latecomer hears -------------------------------------------------------------------------------------- */

static void keep_two(void) { CHECK(keep("k.a", NULL, "one") == HeraldOK && keep("k.a", NULL, "two") == HeraldOK); }

HOST_RULE(25, latecomer_begins_with_what_an_ended_process_has_kept) {
    join(process(keep_two));
    struct follower late = {.calls = 0};
    follow(&late, "k.a", NULL);
    CHECK(keep("k.a", NULL, "three") == HeraldOK);
    EVENTUALLY(late.calls == 2);
    end(&late);
    CHECK_FOLLOWED(&late, " +two =1 three");
    CHECK(strcmp(take("k.a", NULL).text, "three") == 0 && !take("k.b", NULL).any);
}

HOST_RULE(25, follower_of_a_name_begins_with_the_newest_of_each_object_the_oldest_first) {
    CHECK(keep("k.a", "x", "x1") == HeraldOK && keep("k.a", NULL, "n1") == HeraldOK);
    CHECK(keep("k.a", "y", "y1") == HeraldOK && keep("k.b", NULL, "other") == HeraldOK);
    CHECK(keep("k.a", "x", "x2") == HeraldOK && keep("k.a", "", "empty") == HeraldOK);
    struct follower all = {.calls = 0}, one = {.calls = 0}, none = {.calls = 0};
    follow(&all, "k.a", NULL);
    follow(&one, "k.a", "x");
    follow(&none, "k.a", "z");
    CHECK(keep("k.a", "y", "y2") == HeraldOK && keep("k.a", "z", "z1") == HeraldOK);
    EVENTUALLY(all.calls == 6 && none.calls == 1);
    end(&all), end(&one), end(&none);
    CHECK_FOLLOWED(&all, " +n1 +y1 +x2 +empty =4 y2 z1");
    CHECK_FOLLOWED(&one, " +x2 =1");
    CHECK_FOLLOWED(&none, " =0 z1");
    CHECK(strcmp(take("k.a", "y").text, "y2") == 0 && strcmp(take("k.a", NULL).text, "n1") == 0);
    CHECK(strcmp(take("k.a", "").text, "empty") == 0 && !take("k.a", "w").any);
}

HOST_RULE(25, others_hear_a_kept_message_as_any_message) {
    struct listener plain = {0};
    add(host(), &plain, name_of("k.a"), NULL);
    CHECK(keep("k.a", NULL, "one") == HeraldOK);
    EVENTUALLY(plain.calls == 1);
    struct follower late = {.calls = 0};
    follow(&late, "k.a", NULL);
    end(&late);
    CHECK_FOLLOWED(&late, " +one =1");
    CHECK(plain.calls == 1);
    CHECK(HeraldCenterRemoveTokenAndWait(host(), plain.token));
}

HOST_RULE(25, forgotten_message_is_begun_with_by_nobody_and_heard_by_nobody) {
    struct follower early = {.calls = 0}, late = {.calls = 0};
    CHECK(!HeraldCenterForget(host(), name_of("k.a"), NULL));
    CHECK(keep("k.a", NULL, "one") == HeraldOK && keep("k.a", "x", "x1") == HeraldOK);
    follow(&early, "k.a", NULL);
    CHECK(HeraldCenterForget(host(), name_of("k.a"), NULL) && !HeraldCenterForget(host(), name_of("k.a"), NULL));
    CHECK(!take("k.a", NULL).any && take("k.a", "x").any);
    follow(&late, "k.a", NULL);
    CHECK(keep("k.a", NULL, "two") == HeraldOK);
    EVENTUALLY(early.calls == 3 && late.calls == 2);
    end(&early), end(&late);
    CHECK_FOLLOWED(&early, " +one +x1 =2 two");
    CHECK_FOLLOWED(&late, " +x1 =1 two");
    CHECK(HeraldHostGetMissedMessageCount() == 0);
}

static int visited;
static void visit_it(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    (void)tag;
    const HeraldMessage *message = userInfo;
    char line[200];
    snprintf(line, sizeof line, " %s/%s=%.*s", HeraldNameGetUTF8String(name), object ? (const char *)object : "-",
             (int)message->length, (const char *)message->bytes);
    strcat(context, line);
    visited++;
}
static void count_posts(void *context, const HeraldHostNameInfo *info) {
    if (strcmp(info->name, "k.a") == 0) *(uint64_t *)context = info->posts;
}
HOST_RULE(25, name_of_a_kept_message_is_listed_and_its_messages_are_counted) {
    uint64_t posts = 0;
    CHECK(keep("k.a", NULL, "one") == HeraldOK);
    CHECK(HeraldHostVisitNames(count_posts, &posts) == HeraldOK && posts == 1);
    CHECK(keep("k.a", NULL, "two") == HeraldOK && HeraldCenterForget(host(), name_of("k.a"), NULL));
    CHECK(HeraldHostVisitNames(count_posts, &posts) == HeraldOK && posts == 2);
}

HOST_RULE(25, visit_shows_what_is_kept) {
    char lines[1000] = "";
    HeraldObjectForString("x");
    HeraldCenterVisitKept(host(), visit_it, lines);
    CHECK(visited == 0);
    CHECK(keep("k.a", "x", "1") == HeraldOK && keep("k.b", NULL, "2") == HeraldOK &&
          keep("k.c", NULL, "3") == HeraldOK);
    CHECK(HeraldCenterForget(host(), name_of("k.b"), NULL));
    HeraldCenterVisitKept(host(), visit_it, lines);
    CHECK(visited == 2 && strstr(lines, " k.a/x=1") && strstr(lines, " k.c/-=3"));
}

/* ---- States ------------------------------------------------------------------------------------------------------ */

static void set_seven(void) { CHECK(HeraldHostPostState("k.level", 7) == HeraldOK); }

HOST_RULE(25, observer_of_a_name_begins_with_its_state_and_hears_each_later_state) {
    struct follower none = {.calls = 0}, late = {.calls = 0};
    follow(&none, "k.level", NULL);
    CHECK_FOLLOWED(&none, " =0");
    join(process(set_seven));
    EVENTUALLY(none.calls == 1);
    follow(&late, "k.level", NULL);
    CHECK(HeraldHostPostState("k.level", 8) == HeraldOK);
    EVENTUALLY(none.calls == 2 && late.calls == 2);
    end(&none), end(&late);
    CHECK_FOLLOWED(&none, " =0 s7 s8");
    CHECK_FOLLOWED(&late, " +s7 =1 s8");
    CHECK(HeraldHostPostState("", 1) == HeraldInvalidArgument && HeraldHostPostState(NULL, 1) == HeraldInvalidArgument);
    bool has_state = true;
    CHECK(HeraldHostGetCurrentState(&has_state) == 0 && !has_state);
}

/* Each call has the state of its post or a newer one; the last call has the last state. */
static _Atomic uint64_t last_state, states_back;
static void hear_state(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                       const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    uint64_t state = HeraldHostGetCurrentState(NULL);
    if (state < last_state) states_back++;
    last_state = state;
}
static void post_states(void) {
    uint64_t from = (uint64_t)board->at[LAST], until = from + 1 + any(200);
    for (uint64_t state = from + 1; state <= until; state++) CHECK(HeraldHostPostState("k.level", state) == HeraldOK);
    board->at[LAST] = (long)until;
}
static void hear_last_states(const char *prefix) {
    HeraldToken token;
    HeraldObserverOptions options = {.size = sizeof options, .prefix = prefix};
    CHECK(HeraldCenterAddObserverWithOptions(host(), &last_state, hear_state, prefix ? NULL : name_of("k.level"), NULL,
                                             &options, &token) == HeraldOK);
    for (int i = 0; i < OFTEN(100); i++) {
        join(process(post_states));
        EVENTUALLY(last_state == (uint64_t)board->at[LAST]);
    }
    CHECK(states_back == 0);
    CHECK(HeraldCenterRemoveTokenAndWait(host(), token));
}
HOST_RULE(25, last_call_has_the_kept_state) { hear_last_states(NULL); }
HOST_RULE(25, last_call_below_a_prefix_has_the_kept_state) { hear_last_states("k"); }

/* ---- Order ------------------------------------------------------------------------------------------------------- */

/* Keeps numbers until it is told to stop. Some messages are long. */
static void keep_numbers(void) {
    static uint64_t body[2000];
    for (uint64_t number = 1; !board->at[STOP]; number++) {
        body[0] = number;
        CHECK(keep_bytes("k.n", NULL, body, 8 + any(20) % 19 / 18 * any(8000)) == HeraldOK);
        board->at[ACKNOWLEDGED] = (long)number;
    }
}
struct order {
    _Atomic uint64_t last, kept, wrong, live;
    _Atomic bool begun;
};
static void check_order(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)name, (void)object;
    struct order *order = observer;
    const HeraldMessage *message = userInfo;
    uint64_t number;
    if (!message) return;
    memcpy(&number, message->bytes, 8);
    if (HeraldPostIsKept()) {
        order->wrong += order->begun || order->kept++;
    } else {
        /* Only what the log has lost may be missing; after that the newest is heard. */
        order->wrong += !order->begun || number <= order->last || (number != order->last + 1 && !message->missed);
        order->live++;
    }
    order->last = number;
}
static void order_begins(void *observer, size_t kept, HeraldStatus status) {
    struct order *order = observer;
    order->wrong += order->begun || kept != order->kept || status != HeraldOK;
    order->begun = true;
}
static HeraldToken check_from_now(struct order *order) {
    HeraldToken token;
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept, .began = order_begins};
    CHECK(HeraldCenterAddObserverWithOptions(host(), order, check_order, name_of("k.n"), NULL, &options, &token) ==
          HeraldOK);
    return token;
}
HOST_RULE(25, follower_that_begins_under_fire_hears_none_twice_none_older_and_the_last) {
    pid_t poster = process(keep_numbers);
    EVENTUALLY(board->at[ACKNOWLEDGED] > 0);
    for (int i = 0; i < OFTEN(200); i++) {
        struct order order = {.last = 0};
        uint64_t before = (uint64_t)board->at[ACKNOWLEDGED];
        HeraldToken token = check_from_now(&order);
        EVENTUALLY(order.live > 3);
        CHECK(HeraldCenterRemoveTokenAndWait(host(), token));
        CHECK(order.begun && order.kept == 1 && order.wrong == 0 && order.last > before);
    }
    struct order order = {.last = 0};
    HeraldToken token = check_from_now(&order);
    board->at[STOP] = 1;
    join(poster);
    EVENTUALLY(order.last == (uint64_t)board->at[ACKNOWLEDGED]);
    CHECK(order.wrong == 0 && take("k.n", NULL).number == order.last);
    CHECK(HeraldCenterRemoveTokenAndWait(host(), token));
}

static void wait_for_stop(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                          const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    board->at[READY] = 1;
    while (!board->at[STOP]) pause_for(100);
}
HOST_RULE(25, follower_hears_once_what_was_read_before_it_began) {
    struct listener plain = {0};
    struct follower late = {.calls = 0};
    HeraldToken token;
    add(host(), &plain, name_of("k.a"), NULL);
    CHECK(HeraldCenterAddObserverWithOptions(host(), NULL, wait_for_stop, name_of("k.wait"), NULL, NULL, &token) ==
          HeraldOK);
    post_to_host("k.wait");
    EVENTUALLY(board->at[READY]);
    CHECK(keep("k.a", NULL, "one") == HeraldOK);
    CHECK(HeraldHostGetMissedMessageCount() == 0); /* this reads the log */
    CHECK(try_to_follow(&late, "k.a", NULL) == HeraldOK);
    board->at[STOP] = 1;
    EVENTUALLY(late.begun == 1 && plain.calls == 1);
    CHECK(keep("k.a", NULL, "two") == HeraldOK);
    EVENTUALLY(late.calls >= 2 && plain.calls == 2);
    end(&late);
    CHECK_FOLLOWED(&late, " +one =1 two");
    CHECK(HeraldCenterRemoveTokenAndWait(host(), plain.token) && HeraldCenterRemoveTokenAndWait(host(), token));
}

/* The log keeps 8,192 records: a reader that is stopped loses older ones. It hears the newest all the same. */
static void flood(void) {
    for (uint64_t number = 1; number <= 20; number++) CHECK(keep_bytes("k.n", NULL, &number, 8) == HeraldOK);
    for (uint64_t i = 0; i < 20000; i++) CHECK(keep_bytes("k.other", NULL, &i, 8) == HeraldOK);
}
static void follow_and_stop(void) {
    static struct order order;
    HeraldToken token = check_from_now(&order);
    EVENTUALLY(order.begun);
    board->at[READY] = 1;
    EVENTUALLY(order.last == 20);
    CHECK(order.wrong == 0);
    CHECK(HeraldCenterRemoveTokenAndWait(host(), token));
}
HOST_RULE(25, follower_whose_messages_were_overwritten_begins_again_with_the_newest) {
    pid_t follower = process(follow_and_stop);
    EVENTUALLY(board->at[READY]);
    stop_process(follower);
    join(process(flood));
    kill(follower, SIGCONT);
    join(follower);
}

/* ---- The dead ---------------------------------------------------------------------------------------------------- */

HOST_RULE(25, latecomer_hears_nothing_older_than_what_a_killed_process_has_kept) {
    for (int i = 0; i < OFTEN(150); i++) {
        board->at[ACKNOWLEDGED] = board->at[STOP] = 0;
        pid_t poster = process(keep_numbers);
        long until = 1 + (long)any(30);
        EVENTUALLY(board->at[ACKNOWLEDGED] >= until);
        pause_for(any(100));
        end_by(poster, SIGKILL);
        uint64_t acknowledged = (uint64_t)board->at[ACKNOWLEDGED];
        struct order order = {.last = 0};
        HeraldToken token = check_from_now(&order);
        EVENTUALLY(order.begun);
        CHECK(order.kept == 1 && order.last >= acknowledged && order.last <= acknowledged + 1);
        CHECK(HeraldCenterRemoveTokenAndWait(host(), token));
        CHECK(HeraldCenterForget(host(), name_of("k.n"), NULL));
    }
}

/* ---- Another file ------------------------------------------------------------------------------------------------ */

static void check_kept_elsewhere(void) {
    CHECK(strcmp(take("k.a", NULL).text, "one") == 0 && strcmp(take("k.a", "x").text, "x1") == 0);
    CHECK(!take("k.b", NULL).any);
    struct follower late = {.calls = 0};
    follow(&late, "k.a", NULL);
    end(&late);
    CHECK_FOLLOWED(&late, " +one +x1 =2");
}
static void keep_some(void) {
    CHECK(keep("k.a", NULL, "one") == HeraldOK && keep("k.a", "x", "x1") == HeraldOK);
    CHECK(keep("k.b", NULL, "gone") == HeraldOK && HeraldCenterForget(host(), name_of("k.b"), NULL));
}
HOST_RULE(25, file_that_is_made_again_keeps_what_was_kept) {
    keep_some();
    for (int i = 0; i < 3; i++) {
        CHECK(HeraldHostReset() == HeraldOK);
        check_kept_elsewhere();
        join(process(check_kept_elsewhere));
    }
    struct follower late = {.calls = 0};
    follow(&late, "k.a", "x");
    CHECK(HeraldHostReset() == HeraldOK);
    CHECK(keep("k.a", "x", "x2") == HeraldOK);
    EVENTUALLY(late.calls >= 2 && strstr(late.heard, "x2"));
    end(&late);
    CHECK(strncmp(late.heard, " +x1 =1", 7) == 0);
}

HOST_RULE(25, file_that_was_removed_is_followed_by_one_that_keeps_the_same) {
    keep_some();
    struct follower early = {.calls = 0};
    follow(&early, "k.a", NULL);
    CHECK(unlink(host_file) == 0);
    pass_a_second();
    CHECK(keep("k.c", NULL, "new") == HeraldOK); /* this process moves to a new file */
    join(process(check_kept_elsewhere));
    CHECK(keep("k.a", NULL, "two") == HeraldOK);
    EVENTUALLY(has_heard(&early, "two"));
    end(&early);
    CHECK(!strstr(early.heard + 10, "one") && !strstr(early.heard + 10, "x1")); /* nobody hears what is carried */
}

/* The process goes to another folder, as when the user logs in, and comes back when that folder has gone. */
#define RUN "/dev/shm/run"
static void look_at(const char *file) {
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("k.look", &token) == HeraldOK); /* looks at once for its file */
    CHECK(HeraldHostCancel(token) == HeraldOK);
    CHECK(strncmp(HeraldHostGetPath(), file, strlen(file)) == 0);
}
static void check_newer(void) {
    CHECK(strcmp(take("k.a", NULL).text, "newer") == 0 && strcmp(take("k.b", NULL).text, "same") == 0);
}
HOST_RULE(25, newer_message_that_was_kept_in_another_folder_is_kept_when_its_processes_come_back) {
    char user[64];
    snprintf(user, sizeof user, "/run/user/%u", geteuid());
    strcpy(host_folder, "/dev/shm");
    if (!mount_disk("100m")) return;
    mount("herald-test", user, "tmpfs", 0, "mode=0777"); /* others can write to it: it is passed over, if it exists */
    unsetenv("HERALD_HOST_DIRECTORY");
    setenv("XDG_RUNTIME_DIR", RUN, 1);
    CHECK(keep("k.a", NULL, "older") == HeraldOK && keep("k.b", NULL, "same") == HeraldOK);
    struct follower late = {.calls = 0};
    follow(&late, "k.a", NULL);
    CHECK(mkdir(RUN, 0700) == 0);
    look_at(RUN);
    CHECK(keep("k.a", NULL, "newer") == HeraldOK);
    check_newer();
    EVENTUALLY(late.calls == 2);
    CHECK(rename(RUN, RUN ".before") == 0);
    look_at("/dev/shm/herald-");
    check_newer();
    CHECK(keep("k.a", NULL, "newest") == HeraldOK);
    EVENTUALLY(late.calls == 3);
    end(&late);
    CHECK_FOLLOWED(&late, " +older =1 newer newest");
    CHECK(system("rm -rf " RUN ".before") == 0);
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

HOST_RULE(25, what_cannot_be_kept_is_refused_and_changes_nothing) {
    static char large[70000];
    struct follower follower = {.calls = 0};
    CHECK(keep("k.a", NULL, "one") == HeraldOK);
    CHECK(keep_bytes("k.a", NULL, large, 65537) == HeraldTooLarge);
    CHECK(keep("self.k", NULL, "x") == HeraldInvalidArgument && says("self."));
    CHECK(HeraldCenterPostKept(host(), name_of("k.a"), NULL, NULL, NULL, 0, NULL) == HeraldInvalidArgument);
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept, .prefix = "k"};
    CHECK(HeraldCenterAddObserverWithOptions(host(), NULL, follow_it, NULL, NULL, &options, &follower.token) ==
          HeraldInvalidArgument);
    CHECK(strcmp(take("k.a", NULL).text, "one") == 0);
    CHECK(keep_bytes("k.a", "x", large, 65536) == HeraldOK && take("k.a", "x").length == 65536);
}

SLOW_HOST_RULE(25, full_file_refuses_more_and_keeps_what_it_has, "64 MiB of messages") {
    static char large[65536];
    char object[32];
    int count = 0;
    HeraldStatus status = HeraldOK;
    for (; count < 2000 && status == HeraldOK; count++) {
        snprintf(object, sizeof object, "%d", count);
        memset(large, 'a' + count % 26, sizeof large);
        status = keep_bytes("k.large", object, large, sizeof large);
    }
    count--;
    CHECK(status == HeraldQueueFull && says("no room") && count > 400 && count <= 512);
    for (int i = 0; i < count; i++) {
        snprintf(object, sizeof object, "%d", i);
        struct taken taken = take("k.large", object);
        CHECK(taken.length == sizeof large && taken.text[0] == 'a' + i % 26);
    }
    CHECK(!take("k.large", "2000").any);
    CHECK(HeraldCenterForget(host(), name_of("k.large"), HeraldObjectForString("0")));
    CHECK(keep_bytes("k.large", "again", large, sizeof large) == HeraldOK);
    /* Slabs of large messages do not serve small ones: the file is made again. */
    for (int i = 1; i < count / 2; i++) {
        snprintf(object, sizeof object, "%d", i);
        CHECK(HeraldCenterForget(host(), name_of("k.large"), HeraldObjectForString(object)));
    }
    CHECK(keep("k.small", NULL, "small") == HeraldOK && strcmp(take("k.small", NULL).text, "small") == 0);
    CHECK(take("k.large", "again").length == sizeof large);
}
