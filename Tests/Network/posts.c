/* The content of posts, their receivers, and their order. */
#include "server.h"

static HeraldNameRef named(const char *text) { return HeraldNameCreate(text); }

RULE(23, Network_carries_messages_and_plain_posts) {
    struct server server = {0};
    struct ear ear = {0}, own = {0};
    server_begin(&server, 0, NULL);
    HeraldCenterRef a = center_at(server.url, NULL), b = center_at(server.url, NULL);
    HeraldNameRef name = named("net.carry");
    listen_to(b, &ear, name, NULL);
    listen_to(a, &own, name, NULL);
    synchronize(a);
    synchronize(b);
    HeraldMessage message = {.size = sizeof message,
                             .object = "doc 1.txt",
                             .type = "text/plain",
                             .bytes = "seven b",
                             .length = 7,
                             .options = HeraldPostDeliverImmediately};
    CHECK(HeraldCenterPostMessage(a, name, &message) == HeraldOK);
    CHECK(COMES(ear.heard >= 1) && COMES(own.heard >= 1));
    CHECK(strcmp(ear.object, "doc 1.txt") == 0 && strcmp(ear.type, "text/plain") == 0 && ear.message.length == 7);
    CHECK(ear.message.sequence == 1 && ear.message.missed == 0 && ear.message.sender && !ear.about);
    CHECK(ear.message.options == HeraldPostDeliverImmediately && own.message.sender == ear.message.sender);
    CHECK(HeraldCenterPostNotification(a, name, &message, &message, false) == 0);
    CHECK(COMES(ear.plain >= 1) && ear.heard == 1);
    HeraldMessage empty = {.size = sizeof empty};
    CHECK(HeraldCenterPostMessage(a, name, &empty) == HeraldOK);
    CHECK(COMES(ear.heard >= 2));
    CHECK(strcmp(ear.object, "(none)") == 0 && strcmp(ear.type, "(none)") == 0 && ear.message.length == 0);
    CHECK(ear.message.sequence == 3 && ear.message.options == 0 && ear.plain == 1);
    empty.object = "";
    CHECK(HeraldCenterPostMessage(a, name, &empty) == HeraldOK);
    CHECK(COMES(ear.heard >= 3) && strcmp(ear.object, "") == 0);
    CHECK(COMES(statistics_of(a).sent == 4)); /* the loop counts the posts that it has sent */
    HeraldNetworkStatistics mine = statistics_of(a), theirs = statistics_of(b);
    CHECK(mine.posted == 4 && mine.sent == 4 && mine.refused == 0 && mine.waiting == 0);
    CHECK(theirs.received == 4 && theirs.missed == 0 && theirs.dropped == 0 && theirs.undecodable == 0);
    CHECK(HeraldCenterIsHeard(a, name));
    CHECK(HeraldNetworkClose(a, PATIENCE) == HeraldOK && !HeraldCenterIsHeard(a, name));
    HeraldCenterRelease(a);
    end_center(b);
    server_end(&server);
}

RULE(1, Network_observers_of_an_object_hear_its_messages_alone) {
    struct server server = {0};
    struct ear one = {0}, all = {0}, any = {0};
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL);
    HeraldNameRef name = named("net.object");
    listen_to(center, &one, name, HeraldObjectForString("a.b"));
    listen_to(center, &all, name, NULL);
    listen_to(center, &any, NULL, HeraldObjectForString("a.b"));
    synchronize(center);
    HeraldMessage message = {.size = sizeof message, .object = "a.b"};
    HeraldCenterPostMessage(center, name, &message);
    message.object = "a";
    HeraldCenterPostMessage(center, name, &message);
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    CHECK(COMES(all.heard >= 2) && COMES(all.plain >= 1));
    CHECK(one.heard == 1 && one.plain == 0 && any.heard == 1);
    CHECK(one.about == HeraldObjectForString("a.b") && strcmp(one.object, "a.b") == 0);
    end_center(center);
    server_end(&server);
}

static char order[64];
static atomic_long order_length;
static void note_order(struct ear *ear, HeraldCenterRef center) {
    (void)center;
    order[order_length % 60] = ear->object[60];
    order_length++;
}

RULE(2, Network_each_post_is_heard_once_in_the_order_of_registration) {
    struct server server = {0};
    struct ear ears[5] = {0}, later = {0};
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL), poster = center_at(server.url, NULL);
    HeraldNameRef name = named("net.order.x");
    order_length = 0;
    memset(order, 0, sizeof order);
    for (int i = 0; i < 5; i++) ears[i].then = note_order;
    listen_to(center, &ears[0], name, NULL);
    listen_under(center, &ears[1], "net.order");
    listen_to(center, &ears[2], NULL, NULL);
    listen_under(center, &ears[3], "net");
    listen_to(center, &ears[4], name, NULL);
    for (int i = 0; i < 5; i++) ears[i].object[60] = (char)('a' + i);
    synchronize(center);
    CHECK(post_number(poster, name, 1) == HeraldOK);
    /* The prefix itself is not under the prefix, nor is a name that only begins like it. */
    post_number(poster, named("net.order"), 2);
    post_number(poster, named("net.orders.x"), 3);
    CHECK(COMES(order_length >= 9));
    CHECK(order_length == 9 && strcmp(order, "abcdecdcd") == 0);
    CHECK(statistics_of(center).received == 3);
    for (int i = 0; i < 5; i++) CHECK(HeraldCenterRemoveToken(center, ears[i].token));
    synchronize(center); /* no subscription stands any more */
    listen_to(center, &later, named("net.later"), NULL);
    synchronize(center);
    post_number(poster, name, 4);
    post_number(poster, named("net.later"), 5);
    CHECK(COMES(later.heard == 1));
    CHECK(ears[0].heard == 1 && order_length == 9 && statistics_of(center).received == 4);
    end_center(center);
    end_center(poster);
    server_end(&server);
}

/* ---- Wider and narrower ------------------------------------------------------------------------------------------ */

struct poster {
    HeraldCenterRef center;
    HeraldNameRef name;
    atomic_bool ends;
    atomic_ulong posted;
    const struct ear *ear; /* it is not left too far behind: what is on the way to it has a limit */
    pthread_t thread;
};
static void *post_on(void *context) {
    struct poster *poster = context;
    while (!poster->ends) {
        if (post_number(poster->center, poster->name, poster->posted + 1) == HeraldOK) poster->posted++;
        if (poster->posted % 16 == 0) usleep(UNDER_THREAD_SANITIZER ? 2000 : 100);
        while (poster->posted > (unsigned long)poster->ear->heard + 20000 && !poster->ends) usleep(1000);
    }
    return NULL;
}
static void begin_posting(struct poster *poster) { pthread_create(&poster->thread, NULL, post_on, poster); }
static void end_posting(struct poster *poster) {
    poster->ends = true;
    pthread_join(poster->thread, NULL);
    synchronize(poster->center);
}

RULE(26, Network_wider_observers_that_come_and_go_lose_and_double_nothing) {
    enum { ROUNDS = 5000, POSTS = 10000 };
    struct server server = {0};
    struct ear narrow = {0}, wide[3] = {0};
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL);
    struct poster poster = {.center = center_at(server.url, NULL), .name = named("net.wide.a.b"), .ear = &narrow};
    listen_to(center, &narrow, poster.name, NULL);
    synchronize(center);
    begin_posting(&poster);
    for (unsigned rounds = 0; rounds < ROUNDS || (poster.posted < POSTS && rounds < 1000 * ROUNDS); rounds++) {
        struct ear *ear = &wide[rounds % 3];
        if (ear->token.center) {
            HeraldCenterRemoveToken(center, ear->token);
            ear->token = (HeraldToken){0, 0};
        } else if (rounds % 3 == 0) {
            listen_under(center, ear, "net.wide");
        } else if (rounds % 3 == 1) {
            listen_under(center, ear, "net.wide.a");
        } else {
            listen_to(center, ear, NULL, NULL);
        }
        if (rounds % 4 == 0) usleep(rounds % 7 * 500);
    }
    end_posting(&poster);
    CHECK(poster.posted >= POSTS);
    /* The last post comes after all posts that may be doubled. */
    CHECK(post_number(poster.center, poster.name, poster.posted + 1) == HeraldOK);
    CHECK(COMES(narrow.last == poster.posted + 1));
    CHECK(narrow.heard == (long)poster.posted + 1 && narrow.missed == 0);
    CHECK(narrow.doubled == 0 && narrow.backwards == 0);
    CHECK(statistics_of(center).missed == 0);
    end_center(center);
    end_center(poster.center);
    server_end(&server);
}

/* Many names change while the loop looks at them: it lets other threads in between. */
struct crowd {
    HeraldCenterRef center;
    struct ear ears[600];
};
static void *come_and_go(void *context) {
    enum { CHANGES = 400000, NAMES = sizeof((struct crowd *)0)->ears / sizeof(struct ear) };
    struct crowd *crowd = context;
    char text[32];
    for (int i = 0; i < CHANGES; i++) {
        struct ear *ear = &crowd->ears[i * 7 % NAMES];
        snprintf(text, sizeof text, "net.below.%d", i * 7 % NAMES);
        HeraldCenterRemoveToken(crowd->center, ear->token);
        ear->token = (HeraldToken){0, 0};
        if (i >= CHANGES - NAMES || (i / NAMES + i) % 2) listen_to(crowd->center, ear, named(text), NULL);
    }
    return NULL;
}

RULE(26, Network_names_below_a_prefix_come_and_go) {
    static struct crowd crowds[2];
    struct server server = {0};
    struct ear wide = {0};
    pthread_t threads[2];
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL), poster = center_at(server.url, NULL);
    listen_under(center, &wide, "net.below");
    for (int i = 0; i < 2; i++) {
        crowds[i].center = center;
        pthread_create(&threads[i], NULL, come_and_go, &crowds[i]);
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    synchronize(center);
    for (int i = 0; i < 600; i++) {
        char text[32];
        snprintf(text, sizeof text, "net.below.%d", i);
        CHECK(post_number(poster, named(text), 1) == HeraldOK);
    }
    CHECK(COMES(wide.heard == 600));
    for (int i = 0; i < 1200; i++) CHECK(COMES(crowds[i / 600].ears[i % 600].heard == 1));
    end_center(center);
    end_center(poster);
    server_end(&server);
}

static void linger(struct ear *ear, HeraldCenterRef center) {
    (void)ear, (void)center;
    usleep(20000);
}

RULE(26, Network_posts_that_wait_for_a_slow_observer_outlive_their_subscription) {
    enum { POSTS = 50 };
    struct server server = {0};
    struct ear narrow = {.then = linger}, wide = {0};
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL), poster = center_at(server.url, NULL);
    HeraldNameRef name = named("net.waits.x");
    listen_to(center, &narrow, name, NULL);
    synchronize(center);
    for (uint64_t i = 1; i <= POSTS; i++) CHECK(post_number(poster, name, i) == HeraldOK);
    CHECK(COMES(narrow.heard >= 1));
    listen_under(center, &wide, "net.waits"); /* the name's own subscription is no longer needed */
    CHECK(COMES(narrow.heard >= POSTS));
    CHECK(post_number(poster, name, POSTS + 1) == HeraldOK);
    CHECK(COMES(narrow.last == POSTS + 1));
    CHECK(narrow.heard == POSTS + 1 && narrow.missed == 0 && narrow.doubled == 0 && narrow.backwards == 0);
    end_center(center);
    end_center(poster);
    server_end(&server);
}

/* The count on the server's monitoring page; -1: not available. */
static long subscriptions_at(int port) {
    char text[300];
    long count;
    snprintf(text, sizeof text,
             "bash -c \"exec 3<>/dev/tcp/127.0.0.1/%d; printf 'GET /subsz HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3\" | "
             "sed -n 's/.*\"num_subscriptions\": *\\([0-9]*\\).*/\\1/p'",
             port);
    FILE *pipe = popen(text, "r");
    if (!pipe || fscanf(pipe, "%ld", &count) != 1) count = -1;
    if (pipe) pclose(pipe);
    return count;
}

RULE(26, Network_only_the_widest_subscriptions_stand) {
    static struct ear ears[20];
    struct server server = {0};
    struct ear ear = {0};
    char config[64];
    int port = free_port();
    snprintf(config, sizeof config, "http: \"127.0.0.1:%d\"\n", port);
    server_begin(&server, 0, config);
    HeraldCenterRef center = center_at(server.url, NULL);
    for (int i = 0; i < 20; i++) {
        char text[32];
        snprintf(text, sizeof text, "net.many.%d", i);
        listen_to(center, &ears[i], named(text), NULL);
    }
    long counts[3] = {0};
    for (int step = 0; step < 3; step++) {
        if (step == 1) listen_under(center, &ear, "net.many");
        if (step == 2) CHECK(HeraldCenterRemoveToken(center, ear.token));
        synchronize(center);
        if (step == 0) counts[0] = subscriptions_at(port);
        CHECK(COMES((counts[step] = subscriptions_at(port)) == counts[0] - (step == 1 ? 39 : 0)));
    }
    CHECK(counts[0] > 40 && counts[1] == counts[0] - 39 && counts[2] == counts[0]);
    end_center(center);
    server_end(&server);
}

/* ---- Subjects ---------------------------------------------------------------------------------------------------- */

/* A server, a center that hears the posts of a name (NULL: of any) and that the server knows of, and a client by hand.
 */
static HeraldCenterRef begin_between(struct server *server, struct ear *ear, HeraldNameRef name,
                                     struct client *client) {
    server_begin(server, 0, NULL);
    HeraldCenterRef center = center_at(server->url, NULL);
    listen_to(center, ear, name, NULL);
    synchronize(center);
    client_begin(client, server->port);
    return center;
}

TEST(Network_foreign_subjects_are_heard_as_they_read) {
    struct server server = {0};
    struct ear ear = {0};
    struct client client;
    HeraldCenterRef center = begin_between(&server, &ear, NULL, &client);
    static const char *const subjects[] = {"a.%zz",
                                           "a%2",
                                           "x.%.o.p",
                                           "gr\xc3\xb6\xc3\x9f"
                                           "e.x",
                                           "UPPER/slash",
                                           "a.%41"};
    for (int i = 0; i < 6; i++) client_say(&client, "PUB herald.%s 1\r\nx\r\n", subjects[i]);
    client_settle(&client);
    CHECK(COMES(ear.heard >= 6));
    for (int i = 0; i < 6; i++) CHECK(HeraldNameFind(subjects[i]) != NULL);
    CHECK(HeraldNameFind("a.A") == NULL);
    CHECK(strcmp(ear.type, "(none)") == 0 && ear.message.sender == 0 && ear.message.sequence == 0);
    client_say(&client, "PUB herald.bad\xff 1\r\nx\r\n");
    client_settle(&client);
    client_say(&client, "PUB herald.last 1\r\nx\r\n");
    CHECK(COMES(ear.heard >= 7));
    CHECK(ear.heard == 7 && statistics_of(center).undecodable == 1);
    client_end(&client);
    end_center(center);
    server_end(&server);
}

static void fail_or_look(struct ear *ear, HeraldCenterRef center) {
    HeraldMessage message = {.size = sizeof message};
    if (ear->heard == 1) CHECK(HeraldCenterPostMessage(center, NULL, &message) == HeraldInvalidArgument);
    CHECK(strcmp(HeraldGetErrorDescription(), "the center or the name is NULL") == 0);
}

RULE(15, Network_a_message_that_comes_in_leaves_no_error) {
    struct server server = {0};
    struct ear ear = {.then = fail_or_look};
    struct client client;
    HeraldCenterRef center = begin_between(&server, &ear, NULL, &client);
    client_say(&client, "PUB herald.first 1\r\nx\r\n");
    static const char type[] = "NATS/1.0\r\nContent-Type: \xff\r\n\r\n";
    client_say(&client, "HPUB herald.bad %zu %zu\r\n%sx\r\n", sizeof type - 1, sizeof type, type);
    client_say(&client, "PUB herald.bad.%%.\xff 1\r\nx\r\n");
    client_say(&client, "PUB herald.last 1\r\nx\r\n");
    CHECK(COMES(ear.heard >= 2));
    CHECK(ear.heard == 2 && statistics_of(center).undecodable == 2);
    client_end(&client);
    end_center(center);
    server_end(&server);
}

TEST(Network_other_programs_hear_and_post) {
    struct server server = {0};
    struct ear ear = {0};
    struct client client;
    HeraldNameRef name = named("com.acme.saved");
    HeraldCenterRef center = begin_between(&server, &ear, name, &client);
    client_say(&client, "SUB herald.com.acme.> 1\r\n");
    client_settle(&client);
    HeraldMessage message = {.size = sizeof message, .type = "application/json", .bytes = "{}", .length = 2};
    HeraldCenterPostMessage(center, name, &message);
    CHECK(client_hears(&client, "HMSG herald.com.acme.saved 1 "));
    CHECK(client_hears(&client, "\r\n{}\r\n"));
    static const char headers[] = "NATS/1.0\r\nContent-Type: a/b\r\n\r\n";
    client_say(&client, "HPUB herald.com.acme.saved %zu %zu\r\n%shello\r\n", sizeof headers - 1, sizeof headers + 4,
               headers);
    CHECK(COMES(ear.heard >= 2) && strcmp(ear.type, "a/b") == 0 && ear.message.length == 5);
    /* A header that is no valid signature counts nothing, and silences no sender. */
    static const char *const forged[] = {"x y",
                                         "0123456789abcdef 0",
                                         "0123456789abcdef 99999999999999999999999",
                                         "0123456789ABCDEF 1",
                                         "0123456789abcdef 5 later",
                                         ""};
    for (int i = 0; i < 6; i++) {
        char text[128];
        int length = snprintf(text, sizeof text, "NATS/1.0\r\nHerald-Post: %s\r\nContent-Type: t\r\n\r\n", forged[i]);
        client_say(&client, "HPUB herald.com.acme.saved %d %d\r\n%sz\r\n", length, length + 1, text);
    }
    CHECK(COMES(ear.heard >= 8) && ear.message.sender == 0);
    /* Neither does one with the real sender's number. */
    HeraldCenterPostMessage(center, name, &message);
    CHECK(COMES(ear.heard >= 9));
    char text[128];
    int length = snprintf(text, sizeof text, "NATS/1.0\r\nHerald-Post: %016lx 4000000000\r\nContent-Type: t\r\n\r\n",
                          (unsigned long)ear.message.sender);
    client_say(&client, "HPUB herald.com.acme.saved %d %d\r\n%sz\r\n", length, length + 1, text);
    CHECK(COMES(ear.heard >= 10));
    HeraldCenterPostMessage(center, name, &message);
    CHECK(COMES(ear.heard >= 11));
    client_end(&client);
    end_center(center);
    server_end(&server);
}

/* Sends a copy with the original signature, like a program that passes on messages. */
static void repeat(struct client *client, const struct ear *ear, uint64_t sequence) {
    char text[128];
    int length = snprintf(text, sizeof text, "NATS/1.0\r\nHerald-Post: %016lx %lu\r\nContent-Type: number\r\n\r\n",
                          (unsigned long)ear->message.sender, (unsigned long)sequence);
    client_say(client, "HPUB herald.net.repeated %d %d\r\n%s12345678\r\n", length, length + 8, text);
}
RULE(23, Network_what_others_repeat_is_heard_once_and_no_loss) {
    struct server server = {0};
    struct ear ear = {0};
    static struct client client;
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL), poster = center_at(server.url, NULL);
    HeraldNameRef name = named("net.repeated");
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    client_begin(&client, server.port);
    for (uint64_t i = 1; i <= 20; i++) {
        CHECK(post_number(poster, name, i) == HeraldOK);
        CHECK(COMES(ear.last == i));
        repeat(&client, &ear, i);
        repeat(&client, &ear, 1 + i / 2);
        client_settle(&client);
    }
    CHECK(post_number(poster, name, 21) == HeraldOK && COMES(ear.last == 21));
    CHECK(ear.heard == 21 && ear.missed == 0 && ear.backwards == 0);
    CHECK(statistics_of(center).received == 21 && statistics_of(center).missed == 0);
    /* A number far ahead keeps no real post away either, and does not make a repeated post new. */
    repeat(&client, &ear, 4000000000);
    client_settle(&client);
    CHECK(COMES(ear.heard == 22));
    for (uint64_t i = 22; i <= 30; i++) CHECK(post_number(poster, name, i) == HeraldOK);
    CHECK(COMES(ear.last == 30) && ear.heard == 31);
    repeat(&client, &ear, 25);
    repeat(&client, &ear, 4000000000);
    client_settle(&client);
    CHECK(post_number(poster, name, 31) == HeraldOK && COMES(ear.last == 31) && ear.heard == 32);
    client_end(&client);
    end_center(center);
    end_center(poster);
    server_end(&server);
}

TEST(Network_names_that_others_make_come_to_an_end) {
    struct server server = {0};
    struct ear ear = {0};
    struct client client;
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL);
    listen_under(center, &ear, "crowd");
    synchronize(center);
    client_begin(&client, server.port);
    for (int i = 0; i < 66000; i++) client_say(&client, "PUB herald.crowd.%d 0\r\n\r\n", i);
    client_settle(&client);
    CHECK(COMES(ear.heard + (long)statistics_of(center).undecodable >= 66000));
    CHECK(ear.heard <= 65536 && ear.heard > 65000 && statistics_of(center).undecodable == 66000 - (uint64_t)ear.heard);
    client_end(&client);
    end_center(center);
    server_end(&server);
}
