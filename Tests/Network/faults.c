/* The effect of each failure: see the table in AcrossMachines.md. */
#include "server.h"
#include <math.h>
#include <nats/nats.h>
#include <signal.h>
#include <sys/resource.h>

static HeraldCenterRef center_at_port(int port, struct events *events) {
    char url[64];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    return center_at(url, events);
}

/* A thread that posts some times in each millisecond. It counts the posts in which it slept, and measures the slowest.
 * Another thread beats each millisecond. The number of beats during a post shows whether the post waited or the machine
 * stopped both. */
struct pace {
    HeraldCenterRef center;
    HeraldNameRef name;
    int each;
    atomic_bool ends;
    atomic_ulong posted, refused;
    atomic_ulong beats;
    unsigned long slept, longest; /* in beats */
    double slowest;
    pthread_t thread, heart;
};

static void post_one(struct pace *pace) {
    long waited = waits();
    unsigned long beats = pace->beats;
    double before = seconds();
    HeraldStatus status = post_number(pace->center, pace->name, pace->posted + pace->refused + 1);
    double took = seconds() - before;
    if (took > pace->slowest) pace->slowest = took;
    if (waits() != waited) {
        pace->slept++;
        if (pace->beats - beats > pace->longest) pace->longest = pace->beats - beats;
    }
    CHECK(status == HeraldOK || status == HeraldQueueFull);
    *(status == HeraldOK ? &pace->posted : &pace->refused) += 1;
}

static void *keep_pace(void *context) {
    struct pace *pace = context;
    for (; !pace->ends; usleep(1000))
        for (int i = 0; i < pace->each && !pace->ends; i++) post_one(pace);
    return NULL;
}

static void *beat(void *context) {
    struct pace *pace = context;
    for (; !pace->ends; usleep(1000)) pace->beats++;
    return NULL;
}

/* Its queue has room for half a million posts, so a pace fills it only if the test is held up for half a minute. */
static HeraldCenterRef poster_with_room(int port, struct events *events) {
    char url[64];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    return center_with((HeraldNetworkOptions){.servers = url, .queueLimit = 256 << 20}, events);
}

static void begin_pace(struct pace *pace, HeraldCenterRef center, HeraldNameRef name, int each) {
    *pace = (struct pace){.center = center, .name = name, .each = each};
    pthread_create(&pace->thread, NULL, keep_pace, pace);
    pthread_create(&pace->heart, NULL, beat, pace);
}

static void end_pace(struct pace *pace) {
    pace->ends = true;
    pthread_join(pace->thread, NULL);
    pthread_join(pace->heart, NULL);
}

/* A post waits only for the center's lock, which the loop takes now and then for less than a moment. The time of the
 * slowest post is reported only: the machine itself may stop a thread for longer. */
static void check_slowest(const struct pace *pace) {
    fprintf(stderr, "network: the slowest of %lu posts took %.2f ms, %lu slept, the longest for %lu beats\n",
            (unsigned long)pace->posted, pace->slowest * 1e3, pace->slept, pace->longest);
    CHECK(pace->slept * 10 < pace->posted && pace->longest < 1500);
}

/* Whether posts are accepted now. */
static bool goes_on(struct pace *pace, unsigned long posts) {
    unsigned long before = pace->posted;
    return COMES(pace->posted >= before + posts);
}

/* An ear counts all messages that it has not heard as missed: the last post shows every gap. */
static void check_gaps(struct ear *ear, HeraldCenterRef poster, HeraldNameRef name, unsigned long posted) {
    CHECK(post_number(poster, name, posted + 1) == HeraldOK);
    CHECK(COMES(ear->last == posted + 1));
    CHECK(ear->heard + ear->missed == (long)posted + 1);
    CHECK(ear->doubled == 0 && ear->backwards == 0);
}

/* On a slow machine the first attempt to connect may have failed. */
static void kill_and_await(struct server *server, struct events *events) {
    int ended = events->kinds[HeraldNetworkDisconnected];
    server_kill(server, SIGKILL);
    CHECK(COMES(events->kinds[HeraldNetworkDisconnected] > ended));
}

SLOW_TEST(Network_server_is_killed_and_comes_back, "posts go on until the next attempt to connect") {
    struct server server = {0};
    struct events events = {0};
    struct ear ear = {0};
    struct pace pace;
    struct proxy proxy;
    server_begin(&server, 0, NULL);
    proxy_begin(&proxy, server.port);
    HeraldNameRef name = HeraldNameCreate("net.killed");
    HeraldCenterRef poster = poster_with_room(proxy.port, &events), center = center_at(server.url, NULL);
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    synchronize(poster);
    begin_pace(&pace, poster, name, 2);
    CHECK(COMES(ear.heard >= 300));
    long heard = ear.heard;
    kill_and_await(&server, &events);
    long under_way = (long)pace.posted + 1 - heard;
    CHECK(COMES(statistics_of(poster).waiting > 3000));
    proxy.cut = true; /* the observer reconnects first */
    server_begin_again(&server);
    synchronize(center);
    proxy.cut = false;
    long before = ear.heard;
    CHECK(COMES(ear.heard >= before + 4000));
    end_pace(&pace);
    synchronize(poster);
    check_gaps(&ear, poster, name, pace.posted);
    CHECK(ear.missed <= under_way && pace.refused == 0);
    CHECK(statistics_of(poster).reconnects == 1 && events.kinds[HeraldNetworkConnected] == 2);
    check_slowest(&pace);
    end_center(poster);
    end_center(center);
    proxy_end(&proxy);
    server_end(&server);
}

/* The loop reports that it is connected after it has sent everything that it may. */
TEST(Network_posts_are_held_for_a_moment_after_a_reconnection) {
    struct server server = {0};
    struct events events = {0};
    server_begin(&server, 0, NULL);
    HeraldNameRef name = HeraldNameCreate("net.held");
    HeraldCenterRef center = center_at(server.url, &events);
    synchronize(center);
    kill_and_await(&server, &events);
    for (uint64_t i = 1; i <= 10; i++) CHECK(post_number(center, name, i) == HeraldOK);
    pthread_mutex_lock(&events.lock);
    events.center = center;
    pthread_mutex_unlock(&events.lock);
    server_begin_again(&server);
    CHECK(COMES(events.kinds[HeraldNetworkConnected] >= 2));
    CHECK(events.sent[HeraldNetworkConnected] == 0); /* observers elsewhere reconnect first */
    CHECK(COMES(statistics_of(center).sent == 10));
    CHECK(statistics_of(center).waiting == 0);
    end_center(center);
    server_end(&server);
}

SLOW_TEST(Network_posts_that_were_taken_outlive_their_connection, "connections end while posts wait") {
    struct server server = {0};
    server_begin(&server, 0, NULL);
    HeraldNameRef name = HeraldNameCreate("net.outlive");
    HeraldCenterRef center = poster_with_room(server.port, NULL);
    synchronize(center);
    for (int round = 0; round < 3; round++) {
        struct pace pace;
        begin_pace(&pace, center, name, 20);
        CHECK(goes_on(&pace, 2000));
        server_kill(&server, SIGKILL);
        CHECK(goes_on(&pace, 2000));
        end_pace(&pace);
        CHECK(pace.refused == 0 && statistics_of(center).refused == 0);
        server_begin_again(&server);
        synchronize(center);
    }
    HeraldNetworkStatistics now = statistics_of(center);
    CHECK(now.waiting == 0 && now.sent == now.posted);
    end_center(center);
    server_end(&server);
}

RULE(23, Network_full_queue_refuses_at_once_and_nothing_is_lost) {
    struct server server = {0};
    struct ear ear = {0};
    server_begin(&server, 0, NULL);
    HeraldNameRef name = HeraldNameCreate("net.full");
    struct events events = {0};
    struct proxy proxy;
    char url[64];
    proxy_begin(&proxy, server.port);
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", proxy.port);
    HeraldCenterRef center = center_at(server.url, NULL);
    HeraldCenterRef poster = center_with((HeraldNetworkOptions){.servers = url, .queueLimit = 100000}, &events);
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    CHECK(post_number(poster, name, 1) == HeraldOK);
    synchronize(poster);
    CHECK(COMES(ear.heard >= 1));
    kill_and_await(&server, &events);
    uint64_t taken = 0, refused = 0;
    for (int i = 0; i < 2000; i++) {
        HeraldStatus status = post_number(poster, name, (uint64_t)i + 2);
        CHECK(status == HeraldOK || status == HeraldQueueFull);
        *(status == HeraldOK ? &taken : &refused) += 1;
    }
    CHECK(taken > 50 && refused > 1000);
    CHECK(*HeraldNetworkGetErrorDescription());
    CHECK(statistics_of(poster).refused == refused && statistics_of(poster).waiting == taken);
    proxy.cut = true; /* the observer reconnects first */
    server_begin_again(&server);
    synchronize(center);
    proxy.cut = false;
    synchronize(poster);
    CHECK(post_number(poster, name, 5000) == HeraldOK);
    CHECK(COMES(ear.heard >= (long)taken + 2));
    CHECK(ear.missed == 0 && ear.backwards == 0); /* the poster got an error, and may have posted it again */
    end_center(poster);
    end_center(center);
    proxy_end(&proxy);
    server_end(&server);
}

TEST(Network_what_a_stopped_server_does_not_take_counts_against_the_limit) {
    static char bytes[65536];
    struct server server = {0};
    server_begin(&server, 0, NULL);
    HeraldNameRef name = HeraldNameCreate("net.taken");
    HeraldNetworkOptions options = {.size = sizeof options, .servers = server.url, .queueLimit = 1 << 20};
    HeraldCenterRef center;
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldOK);
    synchronize(center);
    server_kill(&server, SIGSTOP);
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = sizeof bytes};
    size_t taken = 0;
    enum { MOST = 24 << 20, REFUSALS = 1000 }; /* the center's own queue, libnats's MiB, and the kernel's buffers */
    for (int refused = 0; refused < REFUSALS && taken < MOST;)
        if (HeraldCenterPostMessage(center, name, &message) == HeraldOK) {
            taken += sizeof bytes;
        } else {
            refused++;
            usleep(1000);
        }
    CHECK(taken > sizeof bytes && taken < MOST);
    server_kill(&server, SIGKILL);
    CHECK(RETURNS(HeraldNetworkClose(center, 0.1)) == HeraldTransportFailed);
    HeraldCenterRelease(center);
    server_end(&server);
}

/* Whether a client of one server hears the messages published at another. */
static bool passes_on(const struct server *from, const struct server *to) {
    static struct client publisher, subscriber;
    client_begin(&publisher, from->port);
    client_begin(&subscriber, to->port);
    client_say(&subscriber, "SUB probe 1\r\n");
    client_settle(&subscriber);
    bool passes = COMES((client_say(&publisher, "PUB probe 1\r\nx\r\n"), client_has(&subscriber, "MSG probe")));
    client_end(&publisher);
    client_end(&subscriber);
    return passes;
}

SLOW_TEST(Network_cluster_goes_on_when_one_of_three_is_killed, "three servers find each other") {
    struct server servers[3] = {0};
    struct events events[2] = {0};
    struct ear ear = {0};
    struct pace pace;
    cluster_begin(servers, "");
    for (int i = 0; i < 9; i++)
        if (i / 3 != i % 3) CHECK(passes_on(&servers[i / 3], &servers[i % 3]));
    HeraldNameRef name = HeraldNameCreate("net.cluster");
    /* Both are at the first server, which dies. It tells them of the others. */
    HeraldCenterRef poster = poster_with_room(servers[0].port, &events[0]);
    HeraldCenterRef center = center_at(servers[0].url, &events[1]);
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    synchronize(poster);
    begin_pace(&pace, poster, name, 1);
    CHECK(COMES(ear.heard >= 300));
    ear.longest = 0;
    long heard = ear.heard;
    server_kill(&servers[0], SIGKILL);
    for (int i = 0; i < 2; i++) CHECK(COMES(events[i].kinds[HeraldNetworkConnected] >= 2));
    synchronize(center);
    unsigned long posted = pace.posted;
    CHECK(COMES(ear.last > posted));
    long between = (long)ear.last - heard;
    CHECK(goes_on(&pace, 1000));
    end_pace(&pace);
    synchronize(poster);
    check_gaps(&ear, poster, name, pace.posted);
    CHECK(ear.missed <= between && pace.refused == 0); /* none is lost once both have reconnected */
    fprintf(stderr, "network: a cluster of three, one killed: silent for %.0f ms, %ld of %lu lost\n", ear.longest * 1e3,
            (long)ear.missed, (unsigned long)pace.posted);
    check_slowest(&pace);
    end_center(poster);
    end_center(center);
    for (int i = 0; i < 3; i++) server_end(&servers[i]);
}

/* Until the server was found silent this many times: first it does not answer a ping, and then it does not greet. */
static void stay_silent(int times, bool stops) {
    struct server server = {0};
    struct proxy proxy;
    struct events events = {0};
    struct ear ear = {0};
    struct pace pace;
    server_begin(&server, 0, NULL);
    proxy_begin(&proxy, server.port);
    HeraldNameRef name = HeraldNameCreate("net.silent");
    HeraldCenterRef poster = poster_with_room(proxy.port, &events), center = center_at_port(proxy.port, NULL);
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    synchronize(poster);
    begin_pace(&pace, poster, name, 1);
    CHECK(COMES(ear.heard >= 300));
    if (stops) {
        server_kill(&server, SIGSTOP);
    } else {
        proxy.hole = true;
    }
    CHECK(goes_on(&pace, 1000));
    CHECK(COMES(events.kinds[HeraldNetworkDisconnected] >= times));
    CHECK(goes_on(&pace, 1000));
    if (stops) {
        server_kill(&server, SIGCONT);
    } else {
        proxy.hole = false;
    }
    long before = ear.heard;
    CHECK(COMES(ear.heard >= before + 1000));
    end_pace(&pace);
    synchronize(poster);
    synchronize(center);
    check_gaps(&ear, poster, name, pace.posted);
    CHECK(pace.refused == 0);
    check_slowest(&pace);
    end_center(poster);
    end_center(center);
    proxy_end(&proxy);
    server_end(&server);
}

/* A ping is behind what was sent before it: here ten seconds of it. */
SLOW_TEST(Network_slow_link_is_no_silent_server, "ten seconds of posts for the link") {
    enum { MESSAGES = 100, SIZE = 10000, RATE = 100000 };
    static const char body[SIZE];
    struct server server = {0};
    struct proxy proxy;
    struct events events = {0};
    struct ear ear = {0};
    HeraldNameRef name = HeraldNameCreate("net.slow");
    HeraldMessage message = {.size = sizeof message, .bytes = body, .length = SIZE};
    server_begin(&server, 0, NULL);
    proxy_begin(&proxy, server.port);
    proxy.rate = RATE;
    HeraldCenterRef poster = center_at_port(proxy.port, &events), center = center_at_port(server.port, NULL);
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    synchronize(poster);
    int ended = events.kinds[HeraldNetworkDisconnected]; /* on a slow machine the first attempt may have failed */
    for (int i = 0; i < MESSAGES; i++) CHECK(HeraldCenterPostMessage(poster, name, &message) == HeraldOK);
    CHECK(COMES(ear.heard == MESSAGES));
    CHECK(HeraldNetworkClose(poster, PATIENCE) == HeraldOK); /* all was confirmed */
    CHECK(events.kinds[HeraldNetworkDisconnected] == ended && ear.missed == 0);
    end_center(poster);
    end_center(center);
    proxy_end(&proxy);
    server_end(&server);
}

SLOW_TEST(Network_stopped_server_delays_no_post,
          "a silent server is noticed within five seconds, and then within two") {
    stay_silent(2, true);
}
SLOW_TEST(Network_short_black_hole_delays_no_post, "posts go on before, in and after it") { stay_silent(0, false); }
SLOW_TEST(Network_long_black_hole_is_noticed_and_delays_no_post,
          "a silent server is noticed within five seconds, twice") {
    stay_silent(2, false);
}

static void linger(struct ear *ear, HeraldCenterRef center) {
    if (ear->heard == 1) CHECK(COMES(statistics_of(center).dropped > 100));
}

RULE(23, Network_slow_observer_loses_the_newest_and_is_told) {
    struct server server = {0};
    struct events events = {0};
    struct ear ear = {.then = linger};
    server_begin(&server, 0, NULL);
    HeraldNameRef name = HeraldNameCreate("net.slow");
    HeraldCenterRef poster = center_at(server.url, NULL), center = center_at(server.url, &events);
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    static char bytes[60000];
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = sizeof bytes};
    enum { POSTS = 600 }; /* more than 16 MiB */
    for (int i = 0; i < POSTS; i++)
        while (HeraldCenterPostMessage(poster, name, &message) == HeraldQueueFull) usleep(1000);
    synchronize(poster);
    CHECK(COMES(events.kinds[HeraldNetworkSlow] > 0));
    CHECK(COMES(ear.heard + (long)statistics_of(center).dropped >= POSTS));
    long dropped = (long)statistics_of(center).dropped;
    CHECK(dropped > 100 && strcmp(events.name[HeraldNetworkSlow], "net.slow") == 0);
    CHECK(ear.heard + dropped == POSTS);
    CHECK(HeraldCenterPostMessage(poster, name, &message) == HeraldOK);
    CHECK(COMES(ear.heard >= POSTS + 1 - dropped));
    CHECK(ear.missed >= dropped && ear.heard + ear.missed >= POSTS);
    end_center(poster);
    end_center(center);
    server_end(&server);
}

static atomic_bool may_go_on;
static void wait_to_go_on(struct ear *ear, HeraldCenterRef center) {
    (void)center;
    if (ear->heard == 1) CHECK(COMES(may_go_on));
}

/* A slow observer of a name, whose subscription is full. Then an observer of all names, whose subscription brings the
 * posts for which the narrower one has no room. */
RULE(23, Network_what_another_subscription_brings_is_not_lost) {
    enum { POSTS = 300, MORE = 50 }; /* 300 are more than 16 MiB, and 50 less */
    struct server server = {0};
    struct ear ear = {.then = wait_to_go_on}, any = {0};
    static char bytes[60000];
    server_begin(&server, 0, NULL);
    may_go_on = false;
    HeraldNameRef name = HeraldNameCreate("net.twice");
    HeraldCenterRef poster = center_at(server.url, NULL), center = center_at(server.url, NULL);
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = sizeof bytes};
    for (int i = 0; i < POSTS; i++)
        while (HeraldCenterPostMessage(poster, name, &message) == HeraldQueueFull) usleep(1000);
    synchronize(poster);
    synchronize(center); /* all of them have arrived */
    uint64_t dropped = statistics_of(center).dropped;
    CHECK(dropped > 0 && COMES(ear.heard == 1));
    listen_to(center, &any, NULL, NULL);
    for (int i = 0; i < 3; i++)
        synchronize(center); /* the wider one stands, the server has confirmed it, and the center knows that */
    for (int i = 0; i < MORE; i++)
        while (HeraldCenterPostMessage(poster, name, &message) == HeraldQueueFull) usleep(1000);
    synchronize(poster);
    synchronize(center);
    may_go_on = true;
    CHECK(COMES(ear.heard == (long)(POSTS + MORE - dropped)));
    CHECK(statistics_of(center).dropped == dropped && ear.missed == (long)dropped);
    end_center(poster);
    end_center(center);
    server_end(&server);
}

RULE(23, Network_what_is_too_large_is_said) {
    struct server server = {0};
    struct events events = {0};
    static char bytes[(1 << 20) + 1], text[2000];
    server_begin(&server, 0, "max_payload: 4096\n");
    HeraldCenterRef center = center_at(server.url, &events);
    HeraldNameRef name = HeraldNameCreate("net.large");
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = sizeof bytes};
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldTooLarge);
    synchronize(center);
    message.length = 4096;
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldTooLarge);
    CHECK(strstr(HeraldNetworkGetErrorDescription(), "4096") && HeraldNetworkGetErrorSize() > 4096);
    for (size_t less = 0; less < 200; less += 8) { /* with the overhead, the sum would overflow to a small number */
        message.length = SIZE_MAX - less;
        CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldTooLarge);
        CHECK(HeraldNetworkGetErrorSize() > SIZE_MAX - 200);
    }
    message.length = 3900;
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    message.length = 1;
    memset(text, '.', sizeof text - 1);
    message.object = text;
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldTooLarge);
    message.object = NULL;
    message.type = text;
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldTooLarge);
    static const char *const types[] = {"a\nb", "a\r", "\x7f", " a", "a "};
    for (int i = 0; i < 5; i++) {
        message.type = types[i];
        CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldInvalidArgument);
    }
    message.type = NULL;
    text[513] = 0;
    CHECK(HeraldCenterPostMessage(center, HeraldNameCreate(text), &message) == HeraldInvalidArgument);
    CHECK(HeraldCenterPostMessage(center, HeraldNameForAddress(text), &message) == HeraldInvalidArgument);
    CHECK(HeraldCenterAddObserver(center, text, (HeraldCallback)(void (*)(void))abort, HeraldNameForAddress(text), NULL,
                                  HeraldSuspensionDrop) == HeraldInvalidArgument);
    HeraldCenterPostNotification(center, HeraldNameForAddress(text), NULL, NULL, false);
    CHECK(COMES(events.kinds[HeraldNetworkRefused] > 0) && events.counts[HeraldNetworkRefused] == 1);
    synchronize(center);
    CHECK(statistics_of(center).refused == 12 + 25 && statistics_of(center).sent == 1);
    end_center(center);
    server_end(&server);
}

/* A server whose limit is lower than it was when the message was accepted. */
RULE(23, Network_what_waits_and_is_too_large_is_refused_afterwards) {
    struct server server = {0};
    struct events events = {0};
    static char bytes[8000];
    int port = free_port();
    HeraldCenterRef center = center_at_port(port, &events);
    HeraldNameRef name = HeraldNameCreate("net.later");
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = sizeof bytes};
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    CHECK(post_number(center, name, 1) == HeraldOK);
    server_begin(&server, port, "max_payload: 4096\n");
    CHECK(COMES(events.kinds[HeraldNetworkRefused] > 0));
    CHECK(strcmp(events.name[HeraldNetworkRefused], "net.later") == 0);
    synchronize(center);
    CHECK(statistics_of(center).refused == 1 && statistics_of(center).sent == 1);
    end_center(center);
    server_end(&server);
}

/* Each post is larger than a turn may send, so that a turn passes nothing to libnats. */
TEST(Network_turns_in_which_all_is_refused_end_no_connection) {
    enum { POSTS = 6, LARGE = 900000 };
    struct server server = {0};
    struct events events = {0};
    static char bytes[LARGE];
    int port = free_port();
    HeraldCenterRef center = center_at_port(port, &events);
    HeraldNameRef name = HeraldNameCreate("net.turns");
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = sizeof bytes};
    for (int i = 0; i < POSTS; i++) CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    server_begin(&server, port, "max_payload: 65536\n");
    CHECK(COMES(statistics_of(center).refused == POSTS));
    synchronize(center);
    CHECK(statistics_of(center).reconnects == 0 && events.kinds[HeraldNetworkConnected] == 1);
    end_center(center);
    server_end(&server);
}

/* A name that may be observed but not posted. The name contains a word of the server's sentence. */
TEST(Network_denied_post_silences_no_observer) {
    struct server server = {0};
    struct events events = {0};
    struct ear ear = {0};
    char url[128], other[128];
    server_begin(&server, 0,
                 "authorization { users: [ { user: u, password: p, permissions: { publish: [\"herald.none\"], "
                 "subscribe: [\">\"] } }, { user: o, password: p } ] }\n");
    snprintf(url, sizeof url, "nats://u:p@127.0.0.1:%d", server.port);
    snprintf(other, sizeof other, "nats://o:p@127.0.0.1:%d", server.port);
    HeraldCenterRef center = center_at(url, &events), poster = center_at(other, NULL);
    HeraldNameRef name = HeraldNameCreate("subscription.x");
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    CHECK(post_number(center, name, 1) == HeraldOK && COMES(events.kinds[HeraldNetworkDenied] > 0));
    CHECK(strcmp(events.name[HeraldNetworkDenied], "subscription.x") == 0);
    synchronize(center);
    CHECK(post_number(poster, name, 1) == HeraldOK && COMES(ear.heard >= 1));
    end_center(center);
    end_center(poster);
    server_end(&server);
}

static void dawdle(natsConnection *connection, void *context) {
    (void)connection;
    (void)context;
    usleep(100000);
}

/* Keeps the libnats thread that reports events busy for a while. */
static void keep_libnats_busy(const char *url) {
    natsOptions *options = NULL;
    natsConnection *connection = NULL;
    CHECK(natsOptions_Create(&options) == NATS_OK && natsOptions_SetURL(options, url) == NATS_OK);
    CHECK(natsOptions_SetClosedCB(options, dawdle, NULL) == NATS_OK);
    CHECK(natsConnection_Connect(&connection, options) == NATS_OK);
    natsConnection_Destroy(connection);
    natsOptions_Destroy(options);
}

/* Even if libnats is late: the event comes before Synchronize returns, and before Close does. */
TEST(Network_what_is_denied_is_told_before_the_answer) {
    struct server server = {0};
    struct events events = {0};
    struct ear ear = {0};
    char url[128];
    server_begin(&server, 0,
                 "authorization { users: [ { user: u, password: p, permissions: { publish: [\"herald.ok\"], "
                 "subscribe: [\"herald.ok\"] } } ] }\n");
    snprintf(url, sizeof url, "nats://u:p@127.0.0.1:%d", server.port);
    HeraldCenterRef center = center_at(url, &events);
    synchronize(center);
    keep_libnats_busy(url);
    listen_to(center, &ear, HeraldNameCreate("told.heard"), NULL);
    synchronize(center);
    CHECK(events.kinds[HeraldNetworkDenied] && strcmp(events.name[HeraldNetworkDenied], "told.heard") == 0);
    keep_libnats_busy(url);
    CHECK(post_number(center, HeraldNameCreate("told.posted"), 1) == HeraldOK);
    CHECK(HeraldNetworkClose(center, PATIENCE) == HeraldOK);
    CHECK(strcmp(events.name[HeraldNetworkDenied], "told.posted") == 0);
    HeraldCenterRelease(center);
    server_end(&server);
}

/* Two denials at the same time are told apart. */
TEST(Network_denials_are_of_their_own_names) {
    struct server server = {0};
    struct events events = {0};
    struct ear a = {0}, b = {0}, good = {0};
    char url[128];
    server_begin(&server, 0,
                 "authorization { users: [ { user: u, password: p, permissions: { publish: [\">\"], subscribe: "
                 "[\"herald.a.ok\", \"herald.a.ok.>\", \"herald.b.ok\", \"herald.b.ok.>\"] } } ] }\n");
    snprintf(url, sizeof url, "nats://u:p@127.0.0.1:%d", server.port);
    HeraldCenterRef center = center_at(url, &events);
    listen_under(center, &a, "a");
    listen_under(center, &b, "b");
    HeraldNameRef name = HeraldNameCreate("b.ok");
    listen_to(center, &good, name, NULL);
    CHECK(COMES(events.kinds[HeraldNetworkDenied] >= 2));
    synchronize(center);
    CHECK(post_number(center, name, 1) == HeraldOK && COMES(good.heard >= 1));
    end_center(center);
    server_end(&server);
}

TEST(Network_what_the_server_does_not_allow_is_said) {
    struct server server = {0};
    struct events events = {0};
    struct ear all = {0}, allowed = {0}, denied = {0};
    char url[128];
    server_begin(&server, 0,
                 "authorization { users: [ { user: u, password: p, permissions: { publish: [\"herald.good.>\"], "
                 "subscribe: [\"herald.good.>\"] } } ] }\n");
    snprintf(url, sizeof url, "nats://u:p@127.0.0.1:%d", server.port);
    HeraldCenterRef center = center_at(url, &events);
    HeraldNameRef good = HeraldNameCreate("good.x"), bad = HeraldNameCreate("bad.x");
    listen_to(center, &allowed, good, NULL);
    synchronize(center);
    CHECK(post_number(center, bad, 1) == HeraldOK);
    CHECK(COMES(events.kinds[HeraldNetworkDenied] > 0));
    CHECK(strcmp(events.name[HeraldNetworkDenied], "bad.x") == 0);
    /* A denied observer silences no allowed one. */
    listen_to(center, &all, NULL, NULL);
    listen_to(center, &denied, bad, NULL);
    CHECK(COMES(events.kinds[HeraldNetworkDenied] >= 3));
    synchronize(center);
    for (int i = 0; i < 10; i++) CHECK(post_number(center, good, (uint64_t)i + 1) == HeraldOK);
    CHECK(COMES(allowed.heard >= 10 && all.heard >= 10));
    CHECK(allowed.missed == 0 && allowed.doubled == 0 && all.heard == 10 && denied.heard == 0);
    end_center(center);
    server_end(&server);
}
