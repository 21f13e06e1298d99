/* Kept messages (R25): the newest message of each name and object, from a JetStream stream. */
#include "server.h"
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>

static HeraldNameRef kept_name(const char *text) { return HeraldNameCreate(text); }

/* ---- Followers --------------------------------------------------------------------------------------------------- */

/* A registration that begins with what is kept, or, if it is `plain`, one that does not. Its messages are numbers. */
struct follower {
    HeraldCenterRef center;
    bool plain;
    atomic_long marked, live, missed, older, twice; /* calls with what was kept; later ones; and what was wrong */
    atomic_long began, failed;
    atomic_ulong count;       /* as `began` got it */
    atomic_ulong first, last; /* the first number that came in, and the last */
    atomic_ulong gaps;        /* how often a number was not the one after the last */
    char objects[64];         /* of the messages that were kept, in the order of the calls */
    HeraldToken token;
};

static void hear_kept(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    struct follower *follower = observer;
    const HeraldMessage *message = HeraldGetCurrentMessage();
    uint64_t number = 0;
    (void)center, (void)name, (void)object;
    CHECK(message && userInfo == message && message->length == sizeof number);
    if (!message || message->length != sizeof number) return;
    memcpy(&number, message->bytes, sizeof number);
    bool is_kept = HeraldPostIsKept(), is_first = !follower->marked && !follower->live;
    CHECK(!is_kept || !follower->plain);
    if (is_kept && message->object && strlen(follower->objects) < 9) strncat(follower->objects, message->object, 1);
    if (!message->object && !is_first) {
        follower->older += number < follower->last;
        follower->twice += number == follower->last;
        follower->gaps += number != follower->last + 1;
    }
    if (is_first) follower->first = number;
    follower->last = number;
    follower->missed += (long)message->missed;
    (*(is_kept ? &follower->marked : &follower->live))++;
}

static void note_began(void *observer, size_t count, HeraldStatus status) {
    struct follower *follower = observer;
    follower->count = count;
    (*(status == HeraldOK ? &follower->began : &follower->failed))++;
}

static void follow_about(HeraldCenterRef center, struct follower *follower, HeraldNameRef name, const char *object) {
    HeraldObserverOptions options = {.size = sizeof options,
                                     .start = follower->plain ? HeraldStartNext : HeraldStartKept,
                                     .began = follower->plain ? NULL : note_began};
    follower->center = center;
    CHECK(HeraldCenterAddObserverWithOptions(center, follower, hear_kept, name, HeraldObjectForString(object), &options,
                                             &follower->token) == HeraldOK);
}
static void follow(HeraldCenterRef center, struct follower *follower, HeraldNameRef name) {
    follow_about(center, follower, name, NULL);
}

/* Ends a registration. When it returns, the follower is not called any more. */
static void unfollow(struct follower *follower) {
    CHECK(HeraldCenterRemoveTokenAndWait(follower->center, follower->token));
}

static HeraldStatus keep_about(HeraldCenterRef center, HeraldNameRef name, const char *object, uint64_t number) {
    HeraldMessage message = {.size = sizeof message,
                             .object = object,
                             .type = "number",
                             .bytes = &number,
                             .length = sizeof number,
                             .options = HeraldPostKeep};
    return HeraldCenterPostMessage(center, name, &message);
}
static void keep(HeraldCenterRef center, HeraldNameRef name, uint64_t number) {
    CHECK(keep_about(center, name, NULL, number) == HeraldOK);
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

struct answer {
    atomic_long answers;
    HeraldStatus status;
    bool is_late;
    uint64_t number; /* 0: nothing is kept */
    bool forgotten;
};

static void note_status(struct answer *answer, HeraldStatus status) {
    answer->status = status;
    answer->is_late = status == HeraldTransportFailed && is_late(HeraldGetErrorDescription());
}
static void note_asked(void *context, HeraldStatus status, const HeraldMessage *message) {
    struct answer *answer = context;
    note_status(answer, status);
    answer->number = 0;
    if (message) memcpy(&answer->number, message->bytes, sizeof answer->number);
    answer->answers++;
}
static void note_forgotten(void *context, HeraldStatus status, bool forgotten) {
    struct answer *answer = context;
    note_status(answer, status);
    answer->forgotten = forgotten;
    answer->answers++;
}

/* Whether the answer was late, which is allowed three times. */
static bool was_late(const struct answer *answer, int *times) {
    CHECK(COMES(answer->answers == 1));
    bool is_allowed = answer->is_late && ++*times <= 3;
    CHECK(is_allowed || answer->status == HeraldOK);
    if (is_allowed) printf("  an answer was late\n");
    return is_allowed;
}
static uint64_t kept_now(HeraldCenterRef center, HeraldNameRef name, const char *object) {
    struct answer answer;
    int times = 0;
    do {
        memset(&answer, 0, sizeof answer);
        CHECK(HeraldNetworkAskKept(center, name, object, note_asked, &answer) == HeraldOK);
    } while (was_late(&answer, &times));
    return answer.number;
}
static bool forget_in_time(HeraldCenterRef center, HeraldNameRef name, const char *object, int *times) {
    struct answer answer;
    do {
        memset(&answer, 0, sizeof answer);
        CHECK(HeraldNetworkForget(center, name, object, note_forgotten, &answer) == HeraldOK);
    } while (was_late(&answer, times));
    return answer.forgotten;
}
/* What was answered late may have been done. */
static bool forget_now(HeraldCenterRef center, HeraldNameRef name, const char *object) {
    int times = 0;
    return forget_in_time(center, name, object, &times) || times;
}
static bool has_nothing_to_forget(HeraldCenterRef center, HeraldNameRef name) {
    int times = 0;
    return !forget_in_time(center, name, NULL, &times);
}

/* Whether the stream has confirmed in time that it keeps the message. */
static bool keeps(HeraldCenterRef center, HeraldNameRef name, uint64_t number) {
    uint64_t refused = statistics_of(center).refused;
    keep(center, name, number);
    synchronize(center);
    return statistics_of(center).refused == refused;
}

/* A server with JetStream, its stream, and a center. */
static HeraldCenterRef begin_keeping(struct server *server, struct events *events) {
    server_begin(server, 0, jetstream);
    HeraldCenterRef center = center_at(server->url, events);
    CHECK(COMES(HeraldNetworkCreateKept(center, 1, PATIENCE) == HeraldOK));
    return center;
}

/* ---- What is kept ------------------------------------------------------------------------------------------------ */

RULE(25, Network_a_late_process_begins_with_what_is_kept) {
    struct server server = {0};
    struct follower early = {.plain = true}, late = {0}, none = {0};
    struct client client;
    struct events events = {0};
    HeraldCenterRef a = begin_keeping(&server, &events), b = center_at(server.url, NULL);
    HeraldNameRef name = kept_name("net.kept.late");
    client_begin(&client, server.port); /* a program of another kind hears it as a message */
    client_say(&client, "SUB herald.net.kept.late 1\r\n");
    client_settle(&client);
    follow(a, &early, name);
    synchronize(a);
    keep(a, name, 1);
    CHECK(client_hears(&client, "HMSG herald.net.kept.late 1") && client_hears(&client, "Content-Type: number"));
    client_end(&client);
    keep(a, name, 2);
    synchronize(a);
    CHECK(COMES(early.live == 2) && early.marked == 0 && early.missed == 0 && early.gaps == 0);
    follow(b, &late, name);
    follow(b, &none, kept_name("net.kept.never"));
    CHECK(COMES(late.began && none.began));
    CHECK(late.marked == 1 && late.count == 1 && late.last == 2 && late.live == 0);
    CHECK(none.marked == 0 && none.count == 0);
    keep(a, name, 3); /* takes the place of what was kept */
    CHECK(COMES(late.live == 1 && early.live == 3) && late.last == 3 && late.missed == 0);
    CHECK(kept_now(a, name, NULL) == 3 && kept_now(b, name, "object") == 0);
    CHECK(post_number(a, name, 4) == HeraldOK); /* is not kept */
    CHECK(COMES(early.live == 4));
    CHECK(kept_now(b, name, NULL) == 3);
    synchronize(a);
    CHECK(early.missed == 0 && statistics_of(b).missed == 0);
    CHECK(statistics_of(a).refused == (uint64_t)events.late && events.late <= 1 && !events.kinds[HeraldNetworkUnkept]);
    end_center(a);
    end_center(b);
    server_end(&server);
}

RULE(25, Network_what_is_forgotten_is_kept_no_more_and_heard_by_nobody) {
    struct server server = {0};
    struct follower plain = {.plain = true}, follower = {0}, late = {0};
    HeraldCenterRef center = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.forget");
    CHECK(has_nothing_to_forget(center, name));
    follow(center, &plain, name);
    follow(center, &follower, name);
    CHECK(COMES(follower.began));
    int times = 0;
    for (uint64_t i = 1; i <= 20; i++) { /* in order with the posts before and after */
        struct answer answer = {0};
        keep(center, name, 2 * i);
        CHECK(HeraldNetworkForget(center, name, NULL, note_forgotten, &answer) == HeraldOK);
        keep(center, name, 2 * i + 1);
        CHECK(was_late(&answer, &times) || answer.forgotten);
        synchronize(center);
        CHECK(kept_now(center, name, NULL) == 2 * i + 1);
    }
    CHECK(HeraldCenterForget(center, name, NULL) && !HeraldCenterForget(center, name, NULL));
    CHECK(kept_now(center, name, NULL) == 0);
    CHECK(COMES(plain.live == 40 && follower.live == 40));
    follow(center, &late, name);
    CHECK(COMES(late.began) && late.count == 0 && late.marked == 0);
    keep(center, name, 100);
    CHECK(COMES(late.live == 1 && follower.live == 41));
    CHECK(follower.missed == 0 && late.missed == 0 && follower.older == 0 && statistics_of(center).missed == 0);
    end_center(center);
    server_end(&server);
}

RULE(25, Network_an_observer_of_any_object_begins_with_the_newest_of_each) {
    struct server server = {0};
    struct follower any = {0}, one = {0}, other = {0};
    HeraldCenterRef a = begin_keeping(&server, NULL), b = center_at(server.url, NULL);
    HeraldNameRef name = kept_name("net.kept.objects");
    CHECK(keep_about(a, name, "x", 1) == HeraldOK && keep_about(a, name, "y", 2) == HeraldOK);
    CHECK(keep_about(a, name, "z.dotted", 3) == HeraldOK && keep_about(a, name, "w", 4) == HeraldOK);
    CHECK(keep_about(a, name, "x", 5) == HeraldOK); /* so x is the newest */
    CHECK(forget_now(a, name, "w"));
    keep_about(a, kept_name("net.kept.objects.below"), "v", 6); /* of another name */
    synchronize(a);
    follow(b, &any, name);
    follow_about(b, &one, name, "y");
    follow_about(b, &other, name, "u");
    CHECK(COMES(any.began && one.began && other.began));
    CHECK(any.count == 3 && strcmp(any.objects, "yzx") == 0);
    CHECK(one.count == 1 && one.last == 2 && other.count == 0);
    keep_about(a, name, "u", 7);
    keep_about(a, name, "y", 8);
    CHECK(COMES(any.live == 2 && one.live == 1 && other.live == 1) && one.last == 8 && other.last == 7);
    CHECK(any.missed == 0 && statistics_of(b).missed == 0);
    end_center(a);
    end_center(b);
    server_end(&server);
}

/* More objects than are asked for at once. */
RULE(25, Network_an_observer_begins_with_thousands_of_objects) {
    enum { OBJECTS = 3000 };
    struct server server = {0};
    struct follower any = {0};
    HeraldCenterRef a = begin_keeping(&server, NULL), b = center_at(server.url, NULL);
    HeraldNameRef name = kept_name("net.kept.thousands");
    for (uint64_t i = 0; i < OBJECTS; i++) {
        char object[32];
        snprintf(object, sizeof object, "%d", (int)i);
        CHECK(keep_about(a, name, object, i) == HeraldOK);
        if (i % 300 == 299) synchronize(a); /* a stream that has to store more at once may confirm too late */
    }
    follow(b, &any, name);
    CHECK(COMES(any.began) && any.failed <= 1); /* an answer may be late; then all is asked for again */
    CHECK(any.count == OBJECTS && any.marked == OBJECTS && any.first == 0 && any.last == OBJECTS - 1 && !any.missed);
    end_center(a);
    end_center(b);
    server_end(&server);
}

/* Whether the center ends before the stream's answer, after it, or while it is read, each call that forgets has one. */
RULE(25, Network_a_center_that_ends_while_it_forgets_answers_once) {
    enum { ROUNDS = 200, FORGETS = 8 };
    static struct answer answers[ROUNDS][FORGETS]; /* an answer may be on its way when the center has ended */
    struct server server = {0};
    HeraldCenterRef poster = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.ending");
    memset(answers, 0, sizeof answers);
    keep(poster, name, 1);
    synchronize(poster);
    for (int round = 0; round < ROUNDS; round++) {
        HeraldCenterRef center = center_at(server.url, NULL);
        synchronize(center);
        for (int i = 0; i < FORGETS; i++)
            CHECK(HeraldNetworkForget(center, round % 2 ? name : kept_name("net.kept.ending.none"), NULL,
                                      note_forgotten, &answers[round][i]) == HeraldOK);
        while (round % 4 > 1 && !answers[round][0].answers) sched_yield();
        for (int i = 0; i < round; i++) sched_yield();
        HeraldNetworkClose(center, 0);
        HeraldCenterRelease(center);
        for (int i = 0; i < FORGETS; i++) CHECK(COMES(answers[round][i].answers));
        if (round % 2) keep(poster, name, 1);
    }
    end_center(poster);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < FORGETS; i++) CHECK(answers[round][i].answers == 1);
    server_end(&server);
}

/* Whether it was asked for them, was about to be, or not yet. */
RULE(25, Network_a_center_that_ends_tells_followers_that_they_do_not_begin) {
    enum { ROUNDS = 100, FOLLOWERS = 16 };
    static struct follower followers[ROUNDS][FOLLOWERS];
    struct server server = {0};
    HeraldCenterRef poster = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.untold");
    memset(followers, 0, sizeof followers);
    for (int round = 0; round < ROUNDS; round++) {
        HeraldCenterRef center = center_at(round % 2 ? server.url : "127.0.0.1:1", NULL);
        if (round % 2) synchronize(center);
        for (int i = 0; i < FOLLOWERS; i++) {
            if (i == FOLLOWERS / 2) usleep(500);
            follow_about(center, &followers[round][i], name, i % 2 ? "o" : NULL);
        }
        HeraldNetworkClose(center, 0);
        for (int i = 0; i < FOLLOWERS; i++) CHECK(COMES(followers[round][i].began + followers[round][i].failed == 1));
        HeraldCenterRelease(center);
        await_calls();
    }
    end_center(poster);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < FOLLOWERS; i++) CHECK(followers[round][i].began + followers[round][i].failed == 1);
    server_end(&server);
}

static void take_number(void *context, const void *userInfo, const void *tag) {
    const HeraldMessage *message = userInfo;
    (void)tag;
    memcpy(context, message->bytes, sizeof(uint64_t));
}
struct visits {
    int count;
    uint64_t sum;
};
static void visit_number(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    struct visits *visits = context;
    uint64_t number;
    take_number(&number, userInfo, tag);
    CHECK(name != NULL && ((const HeraldMessage *)userInfo)->type);
    (void)object;
    visits->count++;
    visits->sum += number;
}

static atomic_int refusals;
static void wait_in_a_callback(struct ear *ear, HeraldCenterRef center) {
    uint64_t number = 0;
    HeraldNameRef name = kept_name("net.kept.calls");
    (void)ear;
    if (!HeraldCenterTakeKept(center, name, NULL, take_number, &number) && strstr(HeraldGetErrorDescription(), "wait"))
        refusals++;
    if (!HeraldCenterForget(center, name, NULL) && strstr(HeraldGetErrorDescription(), "wait")) refusals++;
    if (HeraldNetworkCreateKept(center, 1, 1) == HeraldTransportFailed) refusals++;
}

RULE(25, Network_calls_take_visit_and_forget_what_is_kept) {
    struct server server = {0};
    struct ear ear = {.then = wait_in_a_callback};
    struct visits visits = {0};
    uint64_t number = 0;
    HeraldCenterRef center = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.calls");
    refusals = 0;
    CHECK(!RETURNS(HeraldCenterTakeKept(center, name, NULL, take_number, &number)));
    for (uint64_t i = 1; i <= 300; i++) {
        char object[32];
        snprintf(object, sizeof object, "object %d", (int)i);
        CHECK(keep_about(center, name, i == 300 ? NULL : object, i) == HeraldOK);
    }
    synchronize(center);
    CHECK(RETURNS(HeraldCenterTakeKept(center, name, NULL, take_number, &number)) && number == 300);
    CHECK(RETURNS(HeraldCenterTakeKept(center, name, HeraldObjectForString("object 7"), take_number, &number)) &&
          number == 7);
    CHECK(RETURNS(HeraldCenterForget(center, name, HeraldObjectForString("object 7"))));
    HeraldCenterVisitKept(center, visit_number, &visits);
    CHECK(visits.count == 299 && visits.sum == 300 * 301 / 2 - 7);
    listen_to(center, &ear, kept_name("net.kept.call"), NULL);
    synchronize(center);
    post_number(center, kept_name("net.kept.call"), 1);
    CHECK(COMES(ear.heard == 1 && refusals == 3));
    CHECK(kept_now(center, name, NULL) == 300);
    CHECK(HeraldNetworkAskKept(center, NULL, NULL, note_asked, NULL) == HeraldInvalidArgument);
    CHECK(HeraldNetworkAskKept(center, name, NULL, NULL, NULL) == HeraldInvalidArgument);
    CHECK(HeraldNetworkForget(NULL, name, NULL, note_forgotten, NULL) == HeraldInvalidArgument);
    CHECK(HeraldNetworkCreateKept(center, 6, 1) == HeraldInvalidArgument);
    CHECK(HeraldNetworkCreateKept(center, 0, 1) == HeraldInvalidArgument);
    end_center(center);
    server_end(&server);
}

static atomic_int sleeps;
static void sleep_in_a_callback(struct ear *ear, HeraldCenterRef center) {
    (void)ear, (void)center;
    sleeps = 1;
    usleep(3000000); /* longer than an answer may take */
    sleeps = 2;
}

/* The thread that calls observers reads the stream's answers, too. */
SLOW_RULE(25, Network_a_slow_observer_makes_no_kept_message_and_no_beginning_fail, "an observer takes three seconds") {
    struct server server = {0};
    struct events events = {0};
    struct ear ear = {.then = sleep_in_a_callback};
    struct follower one = {0}, any = {0};
    struct answer asked = {0}, forgotten = {0};
    HeraldCenterRef center = begin_keeping(&server, &events);
    HeraldNameRef name = kept_name("net.kept.slow");
    sleeps = 0;
    listen_to(center, &ear, kept_name("net.kept.sleeps"), NULL);
    keep(center, name, 1);
    synchronize(center);
    post_number(center, kept_name("net.kept.sleeps"), 1);
    CHECK(COMES(sleeps == 1));
    keep(center, name, 2);
    CHECK(keep_about(center, name, "o", 3) == HeraldOK);
    CHECK(HeraldNetworkAskKept(center, name, "never", note_asked, &asked) == HeraldOK);
    follow(center, &any, name);
    follow_about(center, &one, name, "o");
    CHECK(HeraldNetworkSynchronize(center, PATIENCE) == HeraldOK && sleeps == 2);
    CHECK(COMES(any.began + any.failed && one.began + one.failed && asked.answers));
    CHECK(any.failed == 0 && one.failed == 0 && asked.status == HeraldOK && asked.number == 0);
    CHECK(any.last >= 2 && one.last == 3 && statistics_of(center).refused == 0);
    CHECK(HeraldNetworkForget(center, name, "o", note_forgotten, &forgotten) == HeraldOK);
    CHECK(COMES(forgotten.answers) && forgotten.status == HeraldOK && forgotten.forgotten);
    CHECK(events.kinds[HeraldNetworkUnkept] == 0 && events.late == 0);
    end_center(center);
    server_end(&server);
}

static struct answer left_in_a_callback;
static void close_in_a_callback(struct ear *ear, HeraldCenterRef center) {
    HeraldNameRef name = kept_name("net.kept.closes");
    (void)ear;
    keep(center, name, 1);
    if (RETURNS(HeraldNetworkSynchronize(center, 10 * PATIENCE)) == HeraldTransportFailed &&
        strstr(HeraldGetErrorDescription(), "callback"))
        refusals++;
    CHECK(HeraldNetworkForget(center, name, NULL, note_forgotten, &left_in_a_callback) == HeraldOK);
    for (uint64_t i = 0; i < 100; i++) keep(center, name, 2);
    RETURNS(HeraldNetworkClose(center, 10 * PATIENCE));
    refusals++;
}

RULE(25, Network_a_callback_does_not_wait_for_what_is_kept) {
    struct server server = {0};
    struct ear ear = {.then = close_in_a_callback};
    HeraldNameRef name = kept_name("net.kept.closes");
    HeraldCenterRef center = begin_keeping(&server, NULL), other = center_at(server.url, NULL);
    refusals = 0;
    memset(&left_in_a_callback, 0, sizeof left_in_a_callback);
    listen_to(center, &ear, kept_name("net.kept.close"), NULL);
    synchronize(center);
    post_number(center, kept_name("net.kept.close"), 1);
    CHECK(COMES(refusals == 2 && left_in_a_callback.answers == 1));
    CHECK(left_in_a_callback.status == HeraldTransportFailed);
    CHECK(COMES(kept_now(other, name, NULL) == 2)); /* what was sent is kept */
    HeraldCenterRelease(center);
    end_center(other);
    CHECK(left_in_a_callback.answers == 1);
    server_end(&server);
}

/* A figure, not a condition: how long a beginning takes, compared with a plain post. */
RULE(25, Network_a_beginning_compared_with_a_plain_post) {
    enum { TIMES = 500 };
    struct server server = {0};
    struct follower plain = {.plain = true};
    HeraldCenterRef center = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.quick"), other = kept_name("net.kept.plain");
    double post = 0, begun = 0;
    keep(center, name, 1);
    follow(center, &plain, other);
    synchronize(center);
    for (long i = 1; i <= TIMES; i++) {
        struct follower one = {0};
        double before = seconds();
        post_number(center, other, (uint64_t)i);
        while (plain.live < i && seconds() < before + PATIENCE) sched_yield();
        post += seconds() - before;
        before = seconds();
        follow(center, &one, name);
        while (!one.began && seconds() < before + PATIENCE) sched_yield();
        begun += seconds() - before;
        CHECK(one.began == 1 && one.count == 1);
        unfollow(&one);
    }
    printf("  a plain post is heard after %.0f us, a follower has begun after %.0f us\n", post / TIMES * 1e6,
           begun / TIMES * 1e6);
    end_center(center);
    server_end(&server);
}

/* ---- While a poster keeps -------------------------------------------------------------------------------------- */

struct keeper {
    HeraldCenterRef center;
    HeraldNameRef name;
    atomic_bool ends;
    atomic_ulong kept;
    pthread_t thread;
};
static void *keep_on(void *context) {
    struct keeper *keeper = context;
    while (!keeper->ends) {
        if (statistics_of(keeper->center).waiting > 1000) { /* what waits has a limit: the stream keeps up */
            usleep(1000);
            continue;
        }
        if (keep_about(keeper->center, keeper->name, NULL, keeper->kept + 1) == HeraldOK) keeper->kept++;
        if (keeper->kept % 2 == 0) usleep(UNDER_THREAD_SANITIZER ? 2000 : 100);
    }
    return NULL;
}
static void begin_keeper(struct keeper *keeper) { pthread_create(&keeper->thread, NULL, keep_on, keeper); }
static void end_keeper(struct keeper *keeper) {
    keeper->ends = true;
    pthread_join(keeper->thread, NULL);
    synchronize(keeper->center);
}

SLOW_RULE(25, Network_followers_that_come_while_messages_are_kept_hear_each_later_one_once, "a thousand followers") {
    enum { JOINS = OFTEN(1000), LATE = 10 };
    struct server server = {0};
    struct events events = {0}, told = {0};
    HeraldCenterRef poster = begin_keeping(&server, &events), center = center_at(server.url, &told);
    struct keeper keeper = {.center = poster, .name = kept_name("net.kept.hammer")};
    struct follower all = {0};
    double begun = 0;
    long older = 0, twice = 0, gaps = 0, missed = 0, late = 0;
    keep(poster, keeper.name, 0);
    synchronize(poster);
    follow(center, &all, kept_name("net.kept.hammer2")); /* the subscriptions of the other name come and go */
    begin_keeper(&keeper);
    for (int i = 0; i < JOINS; i++) {
        struct follower one = {0};
        double before = seconds();
        follow(center, &one, keeper.name);
        CHECK(COMES(one.began == 1));
        CHECK(one.failed ? one.failed == 1 && late++ < LATE : one.marked == 1 && one.count == 1);
        if (!one.failed) begun += seconds() - before;
        CHECK(COMES(one.live >= 3));
        unfollow(&one);
        older += one.older;
        twice += one.twice;
        missed += one.missed;
        /* One whose beginning failed hears later messages, then begins again with what is kept, and skips what is
         * older. */
        gaps += one.failed ? one.gaps > 1 : (long)one.gaps;
    }
    end_keeper(&keeper);
    /* A server that is held up for over three seconds is left and found again, and what was on its way is lost. */
    long reconnects = (long)(statistics_of(center).reconnects + statistics_of(poster).reconnects);
    CHECK(older == 0 && twice == 0 && reconnects <= 2 && gaps <= reconnects && (reconnects || missed == 0));
    printf("  %ld began in %.0f us each while %lu were kept\n", JOINS - late, begun / (double)(JOINS - late) * 1e6,
           keeper.kept);
    if (reconnects || late || events.late)
        printf("  %ld reconnections, %ld followers and %d messages late\n", reconnects, late, (int)events.late);
    const char *why = told.reason[HeraldNetworkUnkept];
    CHECK(!*why || strstr(why, "less than was heard") || (reconnects && strstr(why, "no server is connected")));
    CHECK(statistics_of(poster).refused == (uint64_t)events.late && !events.kinds[HeraldNetworkUnkept]);
    end_center(center);
    end_center(poster);
    server_end(&server);
}

/* ---- Reconnections ----------------------------------------------------------------------------------------------- */

RULE(25, Network_a_reconnection_mends_what_followers_missed) {
    struct server server = {0};
    struct proxy proxy;
    struct events events = {0};
    struct follower follower = {0}, any = {0}, unchanged = {0}, forgotten = {0};
    char url[64];
    HeraldCenterRef poster = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.mend"), objects = kept_name("net.kept.mend.objects");
    HeraldNameRef same = kept_name("net.kept.mend.same"), gone = kept_name("net.kept.mend.gone");
    proxy_begin(&proxy, server.port);
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", proxy.port);
    HeraldCenterRef center = center_at(url, &events);
    keep(poster, name, 1);
    keep(poster, same, 1);
    keep(poster, gone, 1);
    synchronize(poster);
    follow(center, &follower, name);
    follow(center, &any, objects);
    follow(center, &unchanged, same);
    follow(center, &forgotten, gone);
    CHECK(COMES(follower.began && any.began && unchanged.began && forgotten.began));
    keep(poster, name, 2);
    CHECK(COMES(follower.live == 1) && follower.missed == 0);
    int ended = events.kinds[HeraldNetworkDisconnected];
    proxy.cut = true;
    CHECK(COMES(events.kinds[HeraldNetworkDisconnected] > ended));
    keep(poster, name, 3);
    keep(poster, name, 4);
    CHECK(keep_about(poster, objects, "new", 1) == HeraldOK);
    CHECK(forget_now(poster, gone, NULL));
    synchronize(poster);
    proxy.cut = false;
    CHECK(COMES(follower.live == 2 && any.live == 1));
    CHECK(follower.last == 4 && follower.missed >= 1 && follower.older == 0 && follower.twice == 0);
    CHECK(statistics_of(center).missed >= 1);
    keep(poster, name, 5);
    keep(poster, same, 2);
    keep(poster, gone, 2);
    CHECK(COMES(follower.live == 3 && unchanged.live == 1 && forgotten.live == 1));
    CHECK(unchanged.missed == 0 && follower.marked == 1 && follower.began == 1);
    end_center(center);
    end_center(poster);
    proxy_end(&proxy);
    server_end(&server);
}

SLOW_RULE(25, Network_without_a_server_nothing_is_forgotten_and_the_call_ends, "calls that end after some seconds") {
    struct server server = {0};
    struct events events = {0};
    struct answer answers[3] = {0}, closed = {0};
    HeraldCenterRef poster = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.unconnected");
    keep(poster, name, 1);
    synchronize(poster);
    server_kill(&server, SIGKILL);
    HeraldCenterRef center = center_at(server.url, &events);
    for (int i = 0; i < 3; i++) CHECK(HeraldNetworkForget(center, name, NULL, note_forgotten, &answers[i]) == HeraldOK);
    for (int i = 0; i < 3; i++)
        CHECK(COMES(answers[i].answers == 1) && answers[i].status == HeraldTransportFailed && !answers[i].forgotten);
    CHECK(!RETURNS(HeraldCenterForget(center, name, NULL)));
    CHECK(post_number(center, name, 2) == HeraldOK);
    server_begin_again(&server);
    synchronize(center); /* the queue does not stand */
    CHECK(kept_now(center, name, NULL) == 1);
    CHECK(forget_now(center, name, NULL) && has_nothing_to_forget(center, name));
    for (int i = 0; i < 3; i++) CHECK(answers[i].answers == 1);
    CHECK(statistics_of(center).refused == 0 && events.kinds[HeraldNetworkUnkept] == 0 && events.late == 0);
    server_kill(&server, SIGKILL);
    CHECK(HeraldNetworkForget(center, name, NULL, note_forgotten, &closed) == HeraldOK);
    HeraldNetworkClose(center, 0);
    CHECK(COMES(closed.answers == 1) && closed.status == HeraldTransportFailed);
    HeraldCenterRelease(center);
    end_center(poster);
    server_end(&server);
}

SLOW_RULE(25, Network_what_is_kept_outlives_the_server_and_a_beginning_that_failed_is_made_up_for,
          "a question fails, and is asked again after two seconds") {
    struct server server = {0};
    struct events events = {0};
    struct follower follower = {0}, early = {0};
    HeraldCenterRef poster = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.restart");
    keep(poster, name, 1);
    synchronize(poster);
    follow(poster, &early, name);
    CHECK(COMES(early.began));
    server_kill(&server, SIGKILL);
    HeraldCenterRef center = center_at(server.url, &events);
    follow(center, &follower, name);
    CHECK(COMES(follower.failed == 1) && follower.marked == 0 && follower.count == 0);
    CHECK(COMES(events.kinds[HeraldNetworkUnkept] == 1) && strstr(events.reason[HeraldNetworkUnkept], "no server"));
    CHECK(strcmp(events.name[HeraldNetworkUnkept], "net.kept.restart") == 0);
    server_begin_again(&server);
    CHECK(COMES(follower.began == 1) && follower.marked == 1 && follower.last == 1);
    synchronize(poster);
    keep(poster, name, 2);
    CHECK(COMES(follower.live == 1 && early.live == 1) && follower.failed == 1);
    CHECK(follower.missed == 0 && early.missed == 0 && early.marked == 1);
    end_center(center);
    end_center(poster);
    server_end(&server);
}

/* Removes the stream, or all that it keeps. */
static void end_stream(const struct server *server, const char *how) {
    struct client client;
    char question[100];
    snprintf(question, sizeof question, "SUB in 1\r\nPUB $JS.API.STREAM.%s.HERALD_KEPT in 0\r\n\r\n", how);
    client_begin(&client, server->port);
    client_say(&client, question);
    CHECK(client_hears(&client, "\"success\":true"));
    client_end(&client);
}
static void remove_stream(const struct server *server) { end_stream(server, "DELETE"); }
static void purge_stream(const struct server *server) { end_stream(server, "PURGE"); }

/* The stream is removed and made again: its numbers begin again. */
RULE(25, Network_followers_go_on_with_a_stream_that_was_made_again) {
    struct server server = {0};
    struct follower follower = {0}, late = {0};
    HeraldCenterRef center = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.again");
    for (uint64_t i = 1; i <= 9; i++) keep(center, name, i);
    synchronize(center);
    follow(center, &follower, name);
    CHECK(COMES(follower.began));
    keep(center, name, 10);
    CHECK(COMES(follower.live == 1));
    remove_stream(&server);
    CHECK(HeraldNetworkCreateKept(center, 1, PATIENCE) == HeraldOK);
    keep(center, name, 11); /* number 1 */
    CHECK(COMES(follower.live == 2) && follower.last == 11);
    keep(center, name, 12);
    CHECK(COMES(follower.live == 3) && follower.last == 12 && follower.twice == 0 && follower.older == 0);
    follow(center, &late, name);
    CHECK(COMES(late.began) && late.last == 12 && late.count == 1);
    end_center(center);
    server_end(&server);
}

/* A leader that has nothing of what was heard looks like one that does not know it yet. */
SLOW_RULE(25, Network_a_leader_without_what_was_heard_lets_no_follower_begin,
          "a leader that knows less is asked again for some seconds") {
    static const char *const objects[] = {NULL, "x"};
    struct server server = {0};
    struct events events = {0};
    HeraldCenterRef center = begin_keeping(&server, &events);
    for (int i = 0; i < 2; i++) {
        struct follower early = {0}, one = {0}, any = {0}, other = {0};
        HeraldNameRef name = kept_name(i ? "net.kept.purged.object" : "net.kept.purged");
        int before = events.kinds[HeraldNetworkUnkept];
        follow(center, &early, name);
        CHECK(COMES(early.began));
        CHECK(keep_about(center, name, objects[i], 1) == HeraldOK);
        CHECK(COMES(early.live == 1));
        purge_stream(&server);
        if (objects[i]) follow_about(center, &one, name, objects[i]);
        follow(center, &any, name);
        CHECK(COMES(any.failed == 1 && (!objects[i] || one.failed == 1)));
        CHECK(COMES(events.kinds[HeraldNetworkUnkept] > before) &&
              strstr(events.reason[HeraldNetworkUnkept], "less than was heard"));
        CHECK(any.began == 0 && one.began == 0);
        CHECK(keep_about(center, name, objects[i], 2) == HeraldOK);
        CHECK(COMES(any.began == 1 && (!objects[i] || one.began == 1) && early.live == 2));
        CHECK(any.marked + any.live == 1 && any.last == 2 && early.live == 2 && early.twice + early.older == 0);
        follow_about(center, &other, name, "never"); /* of which nothing was heard */
        CHECK(COMES(other.began + other.failed) && other.began == 1 && other.count == 0);
        unfollow(&early);
        unfollow(&any);
        unfollow(&other);
        if (objects[i]) unfollow(&one);
    }
    end_center(center);
    server_end(&server);
}

SLOW_RULE(25, Network_followers_begin_in_the_end_after_messages_were_removed,
          "waits longer than a leader that is cut off leads") {
    struct server server = {0};
    struct follower early = {0}, late = {0}, later = {0};
    HeraldCenterRef center = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.removed");
    follow(center, &early, name);
    CHECK(COMES(early.began));
    keep(center, name, 1);
    CHECK(COMES(early.live == 1));
    purge_stream(&server);
    follow(center, &late, name);
    CHECK(COMES(late.began == 1) && late.count == 0 && late.failed == 1);
    follow(center, &later, name);
    CHECK(COMES(later.began + later.failed) && later.began == 1);
    keep(center, name, 2);
    CHECK(COMES(early.live == 2 && late.live == 1 && later.live == 1) && early.missed == 0);
    end_center(center);
    server_end(&server);
}

/* ---- What goes wrong --------------------------------------------------------------------------------------------- */

/* Posts a kept message and expects an event with this reason. Then a follower begins, or does not. */
static void expect_unkept(HeraldCenterRef center, struct events *events, const char *kept, const char *begun) {
    struct follower follower = {0};
    HeraldNameRef name = kept_name("net.kept.wrong");
    uint64_t refused = statistics_of(center).refused;
    int before = events->kinds[HeraldNetworkUnkept];
    keep(center, name, 1);
    CHECK(COMES(events->kinds[HeraldNetworkUnkept] > before));
    CHECK(strstr(events->reason[HeraldNetworkUnkept], kept) &&
          strcmp(events->name[HeraldNetworkUnkept], "net.kept.wrong") == 0);
    CHECK(statistics_of(center).refused == refused + 1);
    before = events->kinds[HeraldNetworkUnkept];
    follow(center, &follower, name);
    if (!begun) {
        CHECK(COMES(follower.began == 1));
    } else {
        CHECK(COMES(follower.failed == 1 && events->kinds[HeraldNetworkUnkept] > before) && follower.count == 0);
        CHECK(strstr(events->reason[HeraldNetworkUnkept], begun));
        CHECK(strcmp(events->name[HeraldNetworkUnkept], "net.kept.wrong") == 0);
    }
    CHECK(post_number(center, name, 2) == HeraldOK); /* other posts go on */
    CHECK(COMES(follower.live == 1) && follower.last == 2);
    unfollow(&follower);
}

RULE(25, Network_without_a_stream_nothing_is_kept_and_posts_go_on) {
    struct server server = {0}, plain = {0};
    struct events events = {0}, plain_events = {0};
    struct answer answer = {0};
    server_begin(&plain, 0, NULL);
    HeraldCenterRef center = center_at(plain.url, &plain_events);
    synchronize(center);
    expect_unkept(center, &plain_events, "no stream keeps it", "no JetStream");
    CHECK(HeraldNetworkCreateKept(center, 1, PATIENCE) == HeraldTransportFailed);
    CHECK(strstr(HeraldGetErrorDescription(), "no JetStream"));
    CHECK(HeraldNetworkForget(center, kept_name("net.kept.wrong"), NULL, note_forgotten, &answer) == HeraldOK);
    CHECK(COMES(answer.answers == 1) && answer.status == HeraldTransportFailed);
    end_center(center);
    server_begin(&server, 0, jetstream);
    center = center_at(server.url, &events);
    synchronize(center);
    CHECK(COMES(HeraldNetworkCreateKept(center, 1, PATIENCE) == HeraldOK)); /* JetStream has begun */
    remove_stream(&server);
    expect_unkept(center, &events, "no stream keeps it", "stream not found");
    end_center(center);
    server_end(&server);
    server_end(&plain);
}

RULE(25, Network_what_an_account_may_not_keep_is_an_event) {
    struct server server = {0};
    static const char config[] =
        "jetstream { store_dir: \"@/js\" }\n"
        "authorization { users: [\n"
        "  { user: all, password: x },\n"
        "  { user: keeps, password: x, permissions: { publish: { deny: [\"herald-kept.>\"] } } },\n"
        "  { user: asks, password: x, permissions: { publish: { deny: [\"$JS.API.>\"] } } },\n"
        "  { user: gets, password: x, permissions: { publish: { deny: [\"$JS.API.STREAM.INFO.>\"] } } },\n"
        "  { user: hears, password: x, permissions: { subscribe: { deny: [\"_INBOX.>\"] } } } ] }\n";
    static const char *const rows[][3] = {{"keeps", "Permissions Violation for Publish", NULL},
                                          {"hears", "Permissions Violation for Subscription", "for Subscription"}};
    char url[96];
    server_begin(&server, 0, config);
    snprintf(url, sizeof url, "nats://all:x@127.0.0.1:%d", server.port);
    HeraldCenterRef owner = center_at(url, NULL);
    CHECK(COMES(HeraldNetworkCreateKept(owner, 1, PATIENCE) == HeraldOK));
    for (int i = 0; i < 2; i++) {
        struct events events = {0};
        snprintf(url, sizeof url, "nats://%s:x@127.0.0.1:%d", rows[i][0], server.port);
        HeraldCenterRef center = center_at(url, &events);
        synchronize(center);
        expect_unkept(center, &events, rows[i][1], rows[i][2]);
        end_center(center);
    }
    struct events events = {0};
    struct follower follower = {0};
    snprintf(url, sizeof url, "nats://asks:x@127.0.0.1:%d", server.port);
    HeraldCenterRef center = center_at(url, &events);
    keep(owner, kept_name("net.kept.denied"), 1);
    follow(center, &follower, kept_name("net.kept.denied"));
    CHECK(COMES(follower.failed == 1 && events.kinds[HeraldNetworkUnkept] == 1));
    CHECK(strstr(events.reason[HeraldNetworkUnkept], "Permissions Violation for Publish"));
    keep(owner, kept_name("net.kept.denied"), 2);
    CHECK(COMES(follower.last == 2)); /* the first may come, too: its subscription may be earlier than the message */
    end_center(center);
    /* What needs no call that is denied goes on. */
    synchronize(owner);
    snprintf(url, sizeof url, "nats://gets:x@127.0.0.1:%d", server.port);
    center = center_at(url, NULL);
    synchronize(center);
    for (int i = 0, times = 0; i < 100; i++) {
        struct answer before = {0}, after = {0};
        struct follower any = {0};
        CHECK(HeraldNetworkAskKept(center, kept_name("net.kept.denied"), NULL, note_asked, &before) == HeraldOK);
        follow(center, &any, kept_name("net.kept.denied"));
        CHECK(HeraldNetworkAskKept(center, kept_name("net.kept.denied"), NULL, note_asked, &after) == HeraldOK);
        CHECK(COMES(any.failed == 1));
        CHECK(was_late(&before, &times) || before.number == 2);
        CHECK(was_late(&after, &times) || after.number == 2);
        unfollow(&any);
    }
    end_center(center);
    end_center(owner);
    server_end(&server);
}

/* Makes the stream by hand. */
static void make_by_hand(const struct server *server, const char *more) {
    struct client client;
    char text[600];
    client_begin(&client, server->port);
    snprintf(text, sizeof text,
             "{\"name\":\"HERALD_KEPT\",\"subjects\":[\"herald-kept.herald.>\"],\"max_msgs_per_subject\":1,"
             "\"discard\":\"new\",\"retention\":\"limits\",\"storage\":\"file\",\"num_replicas\":1%s,"
             "\"republish\":{\"src\":\"herald-kept.herald.>\",\"dest\":\"herald.>\"}}",
             more);
    client_say(&client, "SUB in 1\r\nPUB $JS.API.STREAM.CREATE.HERALD_KEPT in %zu\r\n%s\r\n", strlen(text), text);
    CHECK(client_hears(&client, "stream_create_response") && client_hears(&client, "\"created\""));
    client_end(&client);
}

RULE(25, Network_a_full_stream_refuses_and_what_it_has_is_kept) {
    struct server server = {0};
    struct events events = {0};
    struct follower follower = {0};
    char bytes[2000] = {0};
    HeraldNameRef name = kept_name("net.kept.full");
    HeraldMessage large = {.size = sizeof large, .bytes = bytes, .length = sizeof bytes, .options = HeraldPostKeep};
    server_begin(&server, 0, jetstream);
    HeraldCenterRef center = center_at(server.url, &events);
    synchronize(center);
    make_by_hand(&server, ",\"max_bytes\":3000,\"max_msg_size\":1000");
    CHECK(HeraldCenterPostMessage(center, name, &large) == HeraldOK);
    CHECK(COMES(events.kinds[HeraldNetworkUnkept] == 1) && strstr(events.reason[HeraldNetworkUnkept], "maximum"));
    keep(center, name, 1);
    synchronize(center);
    CHECK(events.kinds[HeraldNetworkUnkept] == 1);
    for (int i = 0; i < 100; i++) {
        char object[16];
        snprintf(object, sizeof object, "%d", i);
        CHECK(keep_about(center, kept_name("net.kept.fills"), object, 1) == HeraldOK);
    }
    synchronize(center);
    CHECK(COMES(events.kinds[HeraldNetworkUnkept] > 1) && strstr(events.reason[HeraldNetworkUnkept], "maximum bytes"));
    CHECK(strcmp(events.name[HeraldNetworkUnkept], "net.kept.fills") == 0);
    uint64_t late = (uint64_t)events.late;
    HeraldNetworkStatistics statistics = statistics_of(center);
    CHECK(statistics.refused > 50 && statistics.refused < 101 && kept_now(center, name, NULL) == 1);
    CHECK(kept_now(center, kept_name("net.kept.fills"), "0") == 1 &&
          !kept_now(center, kept_name("net.kept.fills"), "99"));
    follow(center, &follower, kept_name("net.kept.fills"));
    CHECK(COMES(follower.began) && follower.count >= 101 - statistics.refused);
    CHECK(follower.count <= 101 - statistics.refused + late);        /* what is answered late may be kept */
    CHECK(HeraldNetworkCreateKept(center, 1, PATIENCE) == HeraldOK); /* limits are the operator's */
    CHECK(HeraldNetworkCreateKept(center, 3, PATIENCE) == HeraldTransportFailed);
    CHECK(strstr(HeraldGetErrorDescription(), "replicas"));
    end_center(center);
    server_end(&server);
}

TEST(Network_kept_stream_of_another_kind_is_not_taken_for_ours) {
    static const struct {
        const char *from, *to, *what;
    } rows[] = {{"herald.>", "other.>", "republish"},
                {"\"max_msgs_per_subject\":1", "\"max_msgs_per_subject\":2", "one message of each subject"},
                {"\"discard\":\"new\"", "\"discard\":\"old\"", "gives up"},
                {"\"storage\":\"file\"", "\"storage\":\"memory\"", "files"},
                {"\"num_replicas\":1", "\"num_replicas\":1,\"no_ack\":true", "answer"},
                {"\"discard\":\"new\"", "\"discard\":\"new\",\"discard_new_per_subject\":true", "oldest"},
                {"\"dest\":\"herald.>\"", "\"dest\":\"herald.>\",\"headers_only\":true", "headers alone"}};
    struct server server = {0};
    struct client client;
    server_begin(&server, 0, jetstream);
    HeraldCenterRef center = center_at(server.url, NULL);
    synchronize(center);
    client_begin(&client, server.port);
    client_say(&client, "SUB in 1\r\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600] = "{\"name\":\"HERALD_KEPT\",\"subjects\":[\"herald-kept.herald.>\"],\"max_msgs_per_subject\":1,"
                         "\"discard\":\"new\",\"retention\":\"limits\",\"storage\":\"file\",\"num_replicas\":1,"
                         "\"republish\":{\"src\":\"herald-kept.herald.>\",\"dest\":\"herald.>\"}}";
        char rest[600], *at = strstr(text, rows[i].from);
        if (i == 0) at = strstr(text, "dest") + 7;
        strcpy(rest, at + strlen(rows[i].from));
        strcpy(stpcpy(at, rows[i].to), rest);
        client_say(&client, "PUB $JS.API.STREAM.CREATE.HERALD_KEPT in %zu\r\n%s\r\n", strlen(text), text);
        CHECK(client_hears(&client, "\"created\""));
        CHECK(HeraldNetworkCreateKept(center, 1, PATIENCE) == HeraldTransportFailed);
        CHECK(strstr(HeraldGetErrorDescription(), rows[i].what));
        client_say(&client, "PUB $JS.API.STREAM.DELETE.HERALD_KEPT in 0\r\n\r\n");
        CHECK(client_hears(&client, "\"success\":true"));
    }
    CHECK(HeraldNetworkCreateKept(center, 1, PATIENCE) == HeraldOK);
    CHECK(HeraldNetworkCreateKept(center, 1, PATIENCE) == HeraldOK);
    client_end(&client);
    end_center(center);
    server_end(&server);
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

RULE(25, Network_a_center_makes_the_stream_before_it_keeps) {
    struct server server = {0};
    struct events events = {0};
    struct follower follower = {0};
    HeraldCenterRef center = NULL;
    server_begin(&server, 0, jetstream);
    HeraldNetworkOptions options = {.size = sizeof options, .servers = server.url, .keptReplicas = 1};
    events_begin(&events, &options);
    CHECK(COMES(HeraldNetworkCenterCreate(&options, &center) == HeraldOK));
    follow(center, &follower, kept_name("net.kept.made"));
    keep(center, kept_name("net.kept.made"), 1);
    CHECK(COMES(follower.began && follower.marked + follower.live == 1));
    CHECK(events.kinds[HeraldNetworkUnkept] == 0 && kept_now(center, kept_name("net.kept.made"), NULL) == 1);
    end_center(center);
    options.keptReplicas = 3; /* one server cannot have them */
    struct events more = {0};
    events_begin(&more, &options);
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldOK);
    CHECK(COMES(more.kinds[HeraldNetworkUnkept] == 1));
    CHECK(strstr(more.reason[HeraldNetworkUnkept], "HERALD_KEPT cannot be made"));
    keep(center, kept_name("net.kept.made"), 2);
    synchronize(center);
    CHECK(kept_now(center, kept_name("net.kept.made"), NULL) == 2);
    end_center(center);
    options.keptReplicas = 6;
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument);
    server_end(&server);
}

TEST(Network_options_of_programs_that_were_compiled_for_0_2_are_taken) {
    struct server server = {0};
    HeraldCenterRef center = NULL;
    server_begin(&server, 0, NULL);
    HeraldNetworkOptions options = {.size = offsetof(HeraldNetworkOptions, keptReplicas), .servers = server.url};
    memset((char *)&options + options.size, 0xff, sizeof options - options.size); /* is not the library's to read */
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldOK);
    synchronize(center);
    end_center(center);
    options.size--;
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument);
    server_end(&server);
}

RULE(25, Network_messages_are_kept_under_any_prefix) {
    static const char *const prefixes[] = {"", "acme", "acme_x.pro d", "acme_x.prod", "acme.x.prod"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        struct server server = {0};
        struct follower late = {0}, any = {0};
        struct ear all = {0}, under = {0}, by_name = {0};
        HeraldCenterRef a = NULL, b = NULL;
        HeraldNameRef name = kept_name("net.prefixed");
        server_begin(&server, 0, jetstream);
        HeraldNetworkOptions options = {.size = sizeof options, .servers = server.url, .prefix = prefixes[i]};
        if (strchr(prefixes[i], ' ')) {
            CHECK(HeraldNetworkCenterCreate(&options, &a) == HeraldInvalidArgument);
            server_end(&server);
            continue;
        }
        CHECK(HeraldNetworkCenterCreate(&options, &a) == HeraldOK &&
              HeraldNetworkCenterCreate(&options, &b) == HeraldOK);
        CHECK(COMES(HeraldNetworkCreateKept(a, 1, PATIENCE) == HeraldOK));
        listen_to(b, &by_name, name, NULL);
        synchronize(b);
        CHECK(keep_about(a, name, "o", 1) == HeraldOK);
        keep(a, name, 2);
        CHECK(COMES(by_name.heard == 2));
        follow(b, &any, name);
        follow_about(b, &late, name, "o");
        CHECK(COMES(any.began && late.began) && any.count == 2 && any.last == 2 && late.count == 1 && late.last == 1);
        listen_to(b, &all, NULL, NULL);
        listen_under(b, &under, "net");
        synchronize(b);
        long before = all.heard;
        keep(a, name, 3);
        CHECK(COMES(all.heard > before && under.heard >= 1 && by_name.heard == 3 && any.live == 1) && any.last == 3);
        CHECK(kept_now(b, name, "o") == 1 && kept_now(b, name, NULL) == 3 && forget_now(b, name, "o"));
        post_number(a, name, 4);
        CHECK(COMES(all.heard >= before + 2 && under.heard >= 2));
        CHECK(all.heard == before + 2 && under.heard == 2 && by_name.heard == 4 && any.missed == 0);
        end_center(a);
        end_center(b);
        server_end(&server);
    }
}

RULE(25, Network_a_prefix_too_long_for_a_stream_keeps_nothing) {
    char prefix[400];
    HeraldCenterRef center = NULL;
    memset(prefix, 'x', sizeof prefix - 1);
    prefix[sizeof prefix - 1] = 0;
    HeraldNetworkOptions options = {.size = sizeof options, .servers = "127.0.0.1:1", .prefix = prefix};
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldOK);
    CHECK(keep_about(center, kept_name("net.kept.long"), NULL, 1) == HeraldInvalidArgument);
    CHECK(HeraldNetworkCreateKept(center, 1, 1) == HeraldInvalidArgument);
    struct follower follower = {0};
    follow(center, &follower, kept_name("net.kept.long"));
    CHECK(follower.failed == 1 && follower.began == 0);
    HeraldNetworkClose(center, 0);
    HeraldCenterRelease(center);
}

/* Posts of such a name would be stored as if they were kept. */
RULE(25, Network_names_among_those_that_streams_keep_are_refused) {
    static const char *const names[] = {"herald-kept", "herald-kept.a", "herald-kept.herald.a"};
    static const char *const prefixes[] = {"herald-kept", "herald-kept.herald"};
    HeraldCenterRef center = NULL;
    struct follower follower = {0};
    HeraldObserverOptions options = {.size = sizeof options};
    HeraldNetworkOptions bare = {.size = sizeof bare, .servers = "127.0.0.1:1", .prefix = ""};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        HeraldNetworkOptions wrong = {.size = sizeof wrong, .servers = "127.0.0.1:1", .prefix = prefixes[i]};
        CHECK(HeraldNetworkCenterCreate(&wrong, &center) == HeraldInvalidArgument && !center);
        CHECK(strstr(HeraldGetErrorDescription(), "herald-kept"));
        CHECK(HeraldNetworkCenterCreate(&bare, &center) == HeraldOK);
        options.prefix = prefixes[i];
        CHECK(HeraldCenterAddObserverWithOptions(center, &follower, hear_kept, NULL, NULL, &options, NULL) ==
              HeraldInvalidArgument);
        end_center(center);
    }
    options.prefix = NULL;
    CHECK(HeraldNetworkCenterCreate(&bare, &center) == HeraldOK);
    HeraldCenterRef usual = center_at("127.0.0.1:1", NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        HeraldNameRef name = kept_name(names[i]);
        CHECK(post_number(center, name, 1) == HeraldInvalidArgument);
        CHECK(strstr(HeraldGetErrorDescription(), "herald-kept"));
        CHECK(keep_about(center, name, NULL, 1) == HeraldInvalidArgument);
        CHECK(HeraldCenterAddObserverWithOptions(center, &follower, hear_kept, name, NULL, &options, NULL) ==
              HeraldInvalidArgument);
        CHECK(post_number(usual, name, 1) == HeraldOK); /* below a prefix it is a name like any other */
    }
    CHECK(post_number(center, kept_name("herald-keptx"), 1) == HeraldOK);
    HeraldNetworkClose(center, 0);
    HeraldNetworkClose(usual, 0);
    HeraldCenterRelease(center);
    HeraldCenterRelease(usual);
}

/* ---- From outside ------------------------------------------------------------------------------------------------ */

/* What the stream republishes, by another program. */
static void say_republished(struct client *client, const char *stream, uint64_t number, uint64_t before, uint64_t value,
                            const char *more) {
    char headers[400];
    snprintf(headers, sizeof headers,
             "NATS/1.0\r\nNats-Stream: %s\r\nNats-Subject: herald-kept.herald.net.kept.repeat\r\nNats-Sequence: "
             "%llu\r\nNats-Last-Sequence: %llu\r\nContent-Type: number\r\n%s\r\n",
             stream, (unsigned long long)number, (unsigned long long)before, more);
    client_say(client, "HPUB herald.net.kept.repeat %zu %zu\r\n%s%c%c%c%c%c%c%c%c\r\n", strlen(headers),
               strlen(headers) + 8, headers, 'a' + (char)value, 'a', 'a', 'a', 'a', 'a', 'a', 'a');
}

RULE(25, Network_a_kept_message_that_is_repeated_is_dropped_and_a_gap_is_counted) {
    struct server server = {0};
    struct client client, asked;
    struct follower plain = {.plain = true}, follower = {0};
    HeraldCenterRef center = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.repeat");
    keep(center, name, 1);
    synchronize(center);
    follow(center, &plain, name);
    follow(center, &follower, name);
    CHECK(COMES(follower.began));
    client_begin(&client, server.port);
    say_republished(&client, "HERALD_KEPT", 2, 1, 1, "");
    CHECK(COMES(plain.live == 1 && follower.live == 1) && follower.missed == 0);
    client_begin(&asked, server.port);
    client_say(&asked, "SUB $JS.API.STREAM.MSG.GET.HERALD_KEPT 1\r\n");
    client_settle(&asked);
    for (int i = 0; i < 100; i++) say_republished(&client, "HERALD_KEPT", 2, 1, 2, ""); /* the same again */
    CHECK(post_number(center, name, 2) == HeraldOK);                                    /* is heard after them */
    CHECK(COMES(plain.live == 2 && follower.live == 2));
    kept_now(center, kept_name("net.kept.other"), NULL);
    CHECK(COMES((client_has(&asked, "\1"),
                 memmem(asked.text, asked.length, "kept.other", 10)))); /* forgets no text that comes */
    CHECK(!memmem(asked.text, asked.length, "kept.repeat", 11));        /* a repeat is no reason to ask */
    say_republished(&client, "HERALD_KEPT", 1, 0, 3, "");               /* an older one */
    CHECK(client_hears(&asked, "kept.repeat"));
    client_end(&asked);
    say_republished(&client, "HERALD_KEPT", 3, 2, 4, "Herald-Kept: none\r\n"); /* forgotten */
    say_republished(&client, "HERALD_KEPT", 6, 5, 5, "");                      /* number 5 is missing */
    CHECK(COMES(plain.live == 3 && follower.live == 3));
    CHECK(follower.missed == 1 && plain.missed == 1 && statistics_of(center).missed == 1);
    /* What only looks like a kept message is a message. */
    say_republished(&client, "OTHER", 1, 0, 6, "");
    say_republished(&client, "HERALD_KEPT", 0, 0, 7, "");
    say_republished(&client, "HERALD_KEPT", UINT64_MAX, UINT64_MAX, 8, "");
    CHECK(COMES(plain.live == 6 && follower.live == 6));
    client_end(&client);
    end_center(center);
    server_end(&server);
}

/* Another program makes up a number that is far ahead. */
SLOW_RULE(25, Network_a_made_up_number_does_not_silence_followers_for_ever,
          "waits longer than a leader that is cut off leads") {
    struct server server = {0};
    struct client client;
    struct follower follower = {0};
    HeraldCenterRef center = begin_keeping(&server, NULL);
    HeraldNameRef name = kept_name("net.kept.repeat");
    follow(center, &follower, name);
    CHECK(COMES(follower.began));
    client_begin(&client, server.port);
    say_republished(&client, "HERALD_KEPT", UINT64_C(1) << 50, 0, 9, "");
    CHECK(COMES(follower.live == 1));
    keep(center, name, 2);
    CHECK(COMES(follower.last == 2));
    keep(center, name, 3);
    CHECK(COMES(follower.last == 3));
    client_end(&client);
    end_center(center);
    server_end(&server);
}

/* A server by hand: it takes everything, and answers each request to JetStream with one text. */
struct imposter {
    int listener, port;
    const char *answer;
    atomic_int answered;
    atomic_bool ended;
    pthread_t thread;
};

static void answer_requests(struct imposter *imposter, int client, char *text) {
    for (char *at = text; (at = strstr(at, "PUB ")); at += 4) {
        char subject[256], reply[256], out[8192], inbox[256] = "";
        size_t length;
        if ((at > text && at[-1] == 'H') || sscanf(at, "PUB %255s %255s %zu", subject, reply, &length) != 3) continue;
        if (strncmp(subject, "$JS.API.", 8) != 0) continue;
        snprintf(inbox, sizeof inbox, "%s", reply);
        int size =
            snprintf(out, sizeof out, "MSG %s 1 %zu\r\n%s\r\n", inbox, strlen(imposter->answer), imposter->answer);
        if (send(client, out, (size_t)size, MSG_NOSIGNAL) == size) imposter->answered++;
    }
}

static void *impose(void *context) {
    struct imposter *imposter = context;
    static const char info[] = "INFO {\"server_id\":\"x\",\"version\":\"2.9.10\",\"proto\":1,\"headers\":true,"
                               "\"max_payload\":1048576}\r\n";
    static char text[1 << 16];
    int client = accept_one(imposter->listener);
    send(client, info, sizeof info - 1, MSG_NOSIGNAL);
    for (ssize_t length; !imposter->ended && (length = recv(client, text, sizeof text - 1, 0)) > 0;) {
        text[length] = 0;
        if (strstr(text, "PING\r\n")) send(client, "PONG\r\n", 6, MSG_NOSIGNAL);
        /* the inbox is the first subscription: answers need its number, which libnats counts from 1 */
        answer_requests(imposter, client, text);
    }
    close(client);
    return NULL;
}

#define LAST(rest) "{\"message\":{\"subject\":\"herald-kept.herald.net.kept.hostile\"," rest "}}"

RULE(25, Network_answers_that_make_no_sense_give_nothing_kept) {
    static const char *const answers[] = {"",
                                          "{",
                                          "nonsense",
                                          "[]",
                                          "{}",
                                          "{\"error\":1}",
                                          "{\"error\":{}}",
                                          "{\"error\":{\"code\":404}}",
                                          "{\"message\":1}",
                                          "{\"message\":{}}",
                                          LAST("\"seq\":0"),
                                          LAST("\"seq\":-1"),
                                          LAST("\"seq\":1e3"),
                                          LAST("\"seq\":99999999999999999999"),
                                          LAST("\"seq\":1,\"data\":\"A\""),
                                          LAST("\"seq\":1,\"data\":\"====\""),
                                          LAST("\"seq\":1,\"data\":1"),
                                          LAST("\"seq\":1,\"hdrs\":\"!!!!\""),
                                          LAST("\"seq\":1,\"hdrs\":{}"),
                                          "{\"message\":{\"subject\":\"herald-kept.herald.other\",\"seq\":1}}",
                                          "{\"message\":{\"subject\":\"herald.net.kept.hostile\",\"seq\":1}}",
                                          "{\"message\":{\"subject\":\"\\u0000\",\"seq\":1}}",
                                          "{\"message\":{\"subject\":7,\"seq\":1}}"};
    HeraldNameRef name = kept_name("net.kept.hostile");
    struct visits visits = {0};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct imposter imposter = {.port = free_port(), .answer = answers[i]};
        char url[64];
        struct answer answer = {0};
        imposter.listener = listen_at(imposter.port);
        pthread_create(&imposter.thread, NULL, impose, &imposter);
        snprintf(url, sizeof url, "nats://127.0.0.1:%d", imposter.port);
        HeraldCenterRef center = center_at(url, NULL);
        CHECK(HeraldNetworkAskKept(center, name, NULL, note_asked, &answer) == HeraldOK);
        CHECK(COMES(answer.answers == 1) && answer.status == HeraldTransportFailed && answer.number == 0);
        if (strcmp(answers[i], "{}") == 0) { /* a list without its state is no list */
            HeraldCenterVisitKept(center, visit_number, &visits);
            CHECK(visits.count == 0 && strstr(HeraldGetErrorDescription(), "cannot be read"));
        }
        imposter.ended = true;
        end_center(center);
        pthread_join(imposter.thread, NULL);
        close(imposter.listener);
    }
}

/* ---- Three servers ----------------------------------------------------------------------------------------------- */

/* Joins again and again, at its own server. */
struct joiner {
    HeraldCenterRef center;
    HeraldNameRef name;
    struct keeper *keeper;
    atomic_ulong heard; /* the highest number that the plain observer at this server has heard */
    atomic_long joins, older, twice, gaps, missed, behind, failed;
    atomic_bool ends;
    pthread_t thread;
};

static void *join_on(void *context) {
    struct joiner *joiner = context;
    while (!joiner->ends) {
        struct follower one = {0};
        unsigned long heard = joiner->heard;
        follow(joiner->center, &one, joiner->name);
        if (!COMES(one.began || one.failed)) break;
        if (one.began) {
            CHECK(one.marked == 1);
            joiner->behind += one.first < heard;
            joiner->joins++;
        } else {
            joiner->failed++;
        }
        unfollow(&one);
        joiner->older += one.older;
        joiner->twice += one.twice;
        joiner->missed += one.missed;
    }
    return NULL;
}

static void hear_highest(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    struct joiner *joiner = observer;
    uint64_t number;
    (void)center, (void)name, (void)object;
    memcpy(&number, ((const HeraldMessage *)userInfo)->bytes, sizeof number);
    joiner->heard = number;
}

static void begin_joiners(struct joiner joiners[3], const char *urls[3], struct keeper *keeper) {
    HeraldObserverOptions options = {.size = sizeof options};
    for (int i = 0; i < 3; i++) {
        joiners[i].center = center_at(urls[i], NULL);
        joiners[i].name = keeper->name;
        joiners[i].keeper = keeper;
        CHECK(HeraldCenterAddObserverWithOptions(joiners[i].center, &joiners[i], hear_highest, keeper->name, NULL,
                                                 &options, NULL) == HeraldOK);
        synchronize(joiners[i].center);
        pthread_create(&joiners[i].thread, NULL, join_on, &joiners[i]);
    }
}

/* Each beginning is waited for. */
static bool joins_often(struct joiner *joiner) {
    for (long joins = 0; joins < OFTEN(100); joins = joiner->joins)
        if (!COMES(joiner->joins > joins)) return false;
    return true;
}

SLOW_RULE(25, Network_of_three_servers_no_follower_begins_older_than_what_was_heard, "three servers find each other") {
    struct server servers[3] = {0};
    struct joiner joiners[3] = {0};
    struct events events = {0};
    char all[256];
    cluster_begin(servers, jetstream);
    snprintf(all, sizeof all, "%s,%s,%s", servers[0].url, servers[1].url, servers[2].url);
    HeraldCenterRef poster = center_at(servers[0].url, &events);
    struct keeper keeper = {.center = poster, .name = kept_name("net.kept.three")};
    CHECK(COMES(HeraldNetworkCreateKept(poster, 3, PATIENCE) == HeraldOK));
    CHECK(COMES(keeps(poster, keeper.name, 0)));
    const char *urls[3] = {servers[0].url, servers[1].url, servers[2].url};
    begin_keeper(&keeper);
    begin_joiners(joiners, urls, &keeper);
    for (int i = 0; i < 3; i++) CHECK(joins_often(&joiners[i]));
    for (int i = 0; i < 3; i++) {
        joiners[i].ends = true;
        pthread_join(joiners[i].thread, NULL);
        CHECK(joiners[i].behind == 0 && joiners[i].older == 0 && joiners[i].twice == 0);
        if (joiners[i].behind || joiners[i].missed || joiners[i].failed)
            printf("joiner %d: behind %ld missed %ld failed %ld of %ld\n", i, joiners[i].behind, joiners[i].missed,
                   joiners[i].failed, joiners[i].joins);
    }
    end_keeper(&keeper);
    for (int i = 0; i < 3; i++) end_center(joiners[i].center);
    end_center(poster);
    for (int i = 0; i < 3; i++) server_end(&servers[i]);
}

static bool asks_kept(HeraldCenterRef center, HeraldNameRef name, struct answer *answer) {
    answer->answers = 0;
    CHECK(HeraldNetworkAskKept(center, name, NULL, note_asked, answer) == HeraldOK);
    return COMES(answer->answers == 1) && answer->status == HeraldOK;
}

/* A post of which no answer came is counted as refused, and is not among those that were acknowledged. */
SLOW_RULE(25, Network_of_three_servers_the_leaders_death_loses_no_kept_message_that_was_acknowledged,
          "leaders are killed, and three servers find each other again") {
    struct server servers[3] = {0};
    struct joiner joiners[3] = {0};
    struct events events = {0};
    char all[256];
    cluster_begin(servers, jetstream);
    snprintf(all, sizeof all, "%s,%s,%s", servers[0].url, servers[1].url, servers[2].url);
    HeraldCenterRef poster = center_at(all, &events);
    struct keeper keeper = {.center = poster, .name = kept_name("net.kept.leader")};
    CHECK(COMES(HeraldNetworkCreateKept(poster, 3, PATIENCE) == HeraldOK));
    CHECK(COMES(keeps(poster, keeper.name, 0)));
    const char *urls[3] = {all, all, all};
    begin_joiners(joiners, urls, &keeper);
    for (uint64_t number = 1, round = 0; round < 3; round++) {
        int leader = leader_of(servers, "HERALD_KEPT");
        uint64_t acknowledged = 0;
        CHECK(leader >= 0);
        if (leader < 0) break;
        long joins = joiners[1].joins;
        for (int i = 0; i < 200; i++, number++) {
            uint64_t refused = statistics_of(poster).refused;
            if (i == 100) server_kill(&servers[leader], SIGKILL);
            keep(poster, keeper.name, number);
            if (i > 98 && i < 103) usleep(1000);
            if (HeraldNetworkSynchronize(poster, PATIENCE) == HeraldOK && statistics_of(poster).refused == refused)
                acknowledged = number;
            if (i > 105 && acknowledged > number - 3) break;
        }
        struct answer answer = {0};
        CHECK(COMES(asks_kept(poster, keeper.name, &answer)));
        CHECK(answer.number >= acknowledged);
        if (answer.number < acknowledged) printf("kept %lu, acknowledged %lu\n", answer.number, acknowledged);
        server_begin_again(&servers[leader]);
        CHECK(COMES(joiners[1].joins > joins + 20));
    }
    for (int i = 0; i < 3; i++) {
        joiners[i].ends = true;
        pthread_join(joiners[i].thread, NULL);
        CHECK(joiners[i].older == 0 && joiners[i].twice == 0 && joiners[i].behind == 0);
        printf("  joiner %d: %ld joins, %ld failed, behind %ld, missed %ld\n", i, joiners[i].joins, joiners[i].failed,
               joiners[i].behind, joiners[i].missed);
    }
    for (int i = 0; i < 3; i++) end_center(joiners[i].center);
    end_center(poster);
    for (int i = 0; i < 3; i++) server_end(&servers[i]);
}

/* Two of three servers die: the stream has no leader. The follower's own server lives, so there is no reconnection. */
SLOW_RULE(25, Network_a_beginning_without_a_leader_is_made_up_for,
          "a leader leads for some seconds without the others") {
    enum { FOLLOWERS = 4096 };
    static struct follower followers[FOLLOWERS];
    struct server servers[3] = {0};
    struct events events = {0};
    int last = -1;
    cluster_begin(servers, jetstream);
    HeraldCenterRef center = center_at(servers[0].url, &events);
    HeraldNameRef name = kept_name("net.kept.leaderless");
    memset(followers, 0, sizeof followers);
    CHECK(COMES(HeraldNetworkCreateKept(center, 3, PATIENCE) == HeraldOK));
    CHECK(COMES(keeps(center, name, 1)));
    int told = events.kinds[HeraldNetworkUnkept] + events.late;
    server_kill(&servers[1], SIGKILL);
    server_kill(&servers[2], SIGKILL);
    double end = seconds() + PATIENCE;
    while ((last < 0 || !followers[last].failed) && last + 1 < FOLLOWERS && seconds() < end) {
        if (last >= 0) unfollow(&followers[last]);
        last++;
        follow(center, &followers[last], name);
        CHECK(COMES(followers[last].began + followers[last].failed > 0));
        usleep(20000);
    }
    struct follower *follower = &followers[last];
    CHECK(follower->failed == 1 && follower->began == 0 &&
          COMES(events.kinds[HeraldNetworkUnkept] + events.late > told));
    server_begin_again(&servers[1]);
    server_begin_again(&servers[2]);
    CHECK(COMES(follower->began == 1) && follower->marked == 1 && follower->last == 1 && follower->failed == 1);
    CHECK(events.kinds[HeraldNetworkConnected] == 1);
    end_center(center);
    for (int i = 0; i < 3; i++) server_end(&servers[i]);
}
