/* Stored messages (R28): a stream has each message once, in order, and its poster is told. */
#include "server.h"
#include <limits.h>
#include <signal.h>

/* ---- Streams and posters ----------------------------------------------------------------------------------------- */

/* What the posters of some messages were told. */
struct teller {
    atomic_long stored, failed, backwards;
    atomic_ulong last; /* the last number in the stream */
    atomic_long order; /* of the context's number, one after the other */
    char reason[300];
    HeraldCenterRef center; /* NULL, or the center that is released when a poster is told */
    int closes;
};
struct letter {
    struct teller *teller;
    long number;
};

static void note_told(void *context, HeraldStatus status, uint64_t sequence) {
    struct letter *letter = context;
    struct teller *teller = letter->teller;
    teller->backwards += letter->number != teller->order + 1;
    teller->order = letter->number;
    CHECK((status == HeraldOK) == (sequence != 0) && (status == HeraldOK || status == HeraldNotStored));
    if (status == HeraldOK) {
        teller->backwards += sequence <= teller->last;
        teller->last = sequence;
    } else {
        snprintf(teller->reason, sizeof teller->reason, "%s", HeraldGetErrorDescription());
    }
    if (teller->center) {
        CHECK(HeraldNetworkSynchronize(teller->center, PATIENCE) == HeraldTransportFailed);
        teller->closes += HeraldNetworkClose(teller->center, PATIENCE) == HeraldTransportFailed;
    }
    (*(status == HeraldOK ? &teller->stored : &teller->failed))++; /* the last thing that it does */
}

/* Its number is the number of those told, one after the other. */
static HeraldStatus store(HeraldCenterRef center, struct letter *letter, struct teller *teller, HeraldNameRef name,
                          long number, double seconds) {
    *letter = (struct letter){teller, number};
    uint64_t bytes = (uint64_t)number;
    HeraldMessage message = {.size = sizeof message, .type = "number", .bytes = &bytes, .length = sizeof bytes};
    return HeraldNetworkStoreMessage(center, name, &message, seconds, note_told, letter);
}

static long told(const struct teller *teller) { return teller->stored + teller->failed; }

/* ---- Stored ------------------------------------------------------------------------------------------------------ */

RULE(28, Network_a_poster_is_told_the_number_of_its_stored_message) {
    struct server server = {0};
    struct ear ear = {0}, about = {0};
    struct teller teller = {0};
    static struct letter letters[1000];
    static struct client client;
    HeraldCenterRef center = begin_storing(&server, &client, "\"herald.net.stored\",\"herald.net.stored.%.*\"", "");
    HeraldNameRef name = HeraldNameCreate("net.stored");
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    for (long i = 0; i < 1000; i++) CHECK(store(center, &letters[i], &teller, name, i + 1, PATIENCE) == HeraldOK);
    CHECK(COMES(told(&teller) == 1000) && teller.stored == 1000 && teller.backwards == 0 && teller.last == 1000);
    CHECK(COMES(ear.heard == 1000) && ear.backwards == 0 && ear.doubled == 0 && ear.missed == 0);
    HeraldMessage message = {.size = sizeof message, .object = "an object", .bytes = "x", .length = 1};
    listen_to(center, &about, name, HeraldObjectForString("an object"));
    synchronize(center);
    letters[0] = (struct letter){&teller, 1001};
    CHECK(HeraldNetworkStoreMessage(center, name, &message, PATIENCE, note_told, &letters[0]) == HeraldOK);
    CHECK(COMES(teller.stored == 1001) && teller.last == 1001 && COMES(about.heard == 1));
    CHECK(strcmp(about.object, "an object") == 0);
    HeraldNetworkStatistics statistics = statistics_of(center);
    CHECK(statistics.posted == 1001 && statistics.sent == 1001 && !statistics.refused && !statistics.waiting);
    CHECK(has_stored(&client, 1001));
    CHECK(HeraldNetworkClose(center, PATIENCE) == HeraldOK);
    end_storing(&server, &client, center);
}

/* Its own posts, in a thread's order, come before it. */
RULE(28, Network_a_stored_message_comes_after_the_posts_from_before_it) {
    enum { POSTS = 2000 };
    struct server server = {0};
    struct ear ear = {0};
    struct teller teller = {0};
    struct letter letter;
    static struct client client;
    HeraldCenterRef center = begin_storing(&server, &client, "\"herald.net.behind\"", ""),
                    poster = center_at(server.url, NULL);
    HeraldNameRef name = HeraldNameCreate("net.behind");
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    for (uint64_t i = 1; i <= POSTS; i++) CHECK(post_number(poster, name, i) == HeraldOK);
    letter = (struct letter){&teller, 1};
    uint64_t bytes = POSTS + 1;
    HeraldMessage message = {.size = sizeof message, .type = "number", .bytes = &bytes, .length = sizeof bytes};
    CHECK(HeraldNetworkStoreMessage(poster, name, &message, PATIENCE, note_told, &letter) == HeraldOK);
    CHECK(COMES(ear.last == POSTS + 1) && ear.heard == POSTS + 1 && ear.backwards == 0);
    CHECK(COMES(teller.stored == 1) && teller.last == POSTS + 1);
    end_center(poster);
    end_storing(&server, &client, center);
}

/* The answer is lost with the connection, and the repeat is no second message. */
RULE(28, Network_a_message_whose_answer_is_lost_is_stored_once) {
    enum { TIMES = 5 };
    struct server server = {0};
    struct proxy proxy;
    struct teller teller = {0};
    static struct letter letters[TIMES];
    static struct client client;
    server_begin(&server, 0, jetstream);
    client_begin(&client, server.port);
    stream_make(&client, "\"herald.net.lost\"", "");
    proxy_begin(&proxy, server.port);
    char url[64];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", proxy.port);
    HeraldCenterRef center = center_at(url, NULL);
    HeraldNameRef name = HeraldNameCreate("net.lost");
    synchronize(center);
    for (long i = 0; i < TIMES; i++) {
        CHECK(store(center, &letters[i], &teller, name, i + 1, PATIENCE) == HeraldOK);
        usleep((unsigned)(i * 37 % 7) * 100);
        proxy.cut = true;
        CHECK(COMES(proxy.pairs == 0));
        proxy.cut = false;
        CHECK(COMES(teller.stored == i + 1));
    }
    CHECK(teller.backwards == 0 && has_stored(&client, TIMES));
    client_end(&client);
    end_center(center);
    proxy_end(&proxy);
    server_end(&server);
}

/* A server that is held up gets it several times. */
RULE(28, Network_a_message_that_is_sent_again_is_stored_once) {
    struct server server = {0};
    struct ear ear = {0};
    struct teller teller = {0};
    struct letter letter;
    static struct client client;
    HeraldCenterRef center = begin_storing(&server, &client, "\"herald.net.again\"", "");
    HeraldNameRef name = HeraldNameCreate("net.again");
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    server_kill(&server, SIGSTOP);
    CHECK(store(center, &letter, &teller, name, 1, PATIENCE) == HeraldOK);
    usleep(1300000); /* it is sent again after half a second */
    server_kill(&server, SIGCONT);
    CHECK(COMES(told(&teller) == 1) && teller.stored == 1);
    synchronize(center); /* the server has read all that was sent */
    CHECK(has_stored(&client, 1));
    CHECK(COMES(ear.heard == 1) && ear.doubled == 0);
    end_storing(&server, &client, center);
}

SLOW_RULE(28, Network_stored_messages_outlive_a_server_that_is_killed,
          "servers with streams are killed and begin again") {
    enum { KILLS = 6, EACH = 300, ALL = KILLS * EACH };
    struct server server = {0};
    struct teller teller = {0};
    static struct letter letters[ALL];
    static struct client client;
    HeraldCenterRef center = begin_storing(&server, &client, "\"herald.net.killed\"", "");
    client_end(&client);
    HeraldNameRef name = HeraldNameCreate("net.killed");
    for (long i = 0; i < ALL; i++) {
        CHECK(store(center, &letters[i], &teller, name, i + 1, 2 * PATIENCE) == HeraldOK);
        if (i % EACH != EACH / 2) continue;
        CHECK(COMES(teller.stored >= i / 2));
        server_kill(&server, SIGKILL);
        server_begin_again(&server);
    }
    CHECK(COMES(told(&teller) == ALL) && teller.stored == ALL && teller.backwards == 0);
    client_begin(&client, server.port);
    CHECK(has_stored(&client, ALL));
    end_storing(&server, &client, center);
}

/* Whether the cluster has elected who makes streams; until then nobody answers. */
static bool leads(struct client *client) {
    bool answers = false;
    client_say(client, "SUB up 9\r\nPUB $JS.API.INFO up 0\r\n\r\n");
    for (int i = 0; i < 200 && !(answers = client_has(client, "\"api\"")); i++) usleep(5000);
    client_say(client, "UNSUB 9\r\n");
    return answers;
}

/* The first server may be the leader; then the center goes on at another one. */
SLOW_RULE(28, Network_stored_messages_outlive_the_leader_of_three_servers,
          "leaders are killed, and three servers find each other again") {
    enum { KILLS = 2, EACH = 200, ALL = KILLS * EACH };
    struct server servers[3] = {0};
    struct teller teller = {0};
    static struct letter letters[ALL];
    static struct client client;
    char all[256];
    cluster_begin(servers, jetstream);
    client_begin(&client, servers[0].port);
    CHECK(COMES(leads(&client)));
    stream_make(&client, "\"herald.net.three\"", ",\"num_replicas\":3");
    client_end(&client);
    snprintf(all, sizeof all, "%s,%s,%s", servers[0].url, servers[1].url, servers[2].url);
    HeraldCenterRef center = center_at(all, NULL);
    HeraldNameRef name = HeraldNameCreate("net.three");
    for (long i = 0; i < ALL; i++) {
        CHECK(store(center, &letters[i], &teller, name, i + 1, 2 * PATIENCE) == HeraldOK);
        if (i % EACH != EACH / 2) continue;
        CHECK(COMES(teller.stored >= i / 2));
        int leader = leader_of(servers, "S");
        server_kill(&servers[leader], SIGKILL);
        server_begin_again(&servers[leader]);
    }
    CHECK(COMES(told(&teller) == ALL) && teller.stored == ALL && teller.backwards == 0);
    end_center(center);
    client_begin(&client, servers[0].port);
    CHECK(COMES(has_stored(&client, ALL)));
    client_end(&client);
    for (int i = 0; i < 3; i++) server_end(&servers[i]);
}

/* ---- Not stored -------------------------------------------------------------------------------------------------- */

/* Stores a message in vain until the reason says this: a busy server may take longer than a second to say why. Returns
 * how often. */
static uint64_t await_reason(HeraldCenterRef center, struct letter *letter, struct teller *teller, HeraldNameRef name,
                             const char *reason) {
    enum { MOST = 10 };
    uint64_t times = 0;
    do CHECK(store(center, letter, teller, name, 1, 1) == HeraldOK && COMES(teller->failed == (long)times + 1));
    while (++times < MOST && !check_has_failed() && !strstr(teller->reason, reason));
    CHECK(times < MOST);
    return times;
}

SLOW_RULE(28, Network_a_message_that_no_stream_stores_is_told_of_with_the_reason,
          "messages that are to be stored within seconds, and are not") {
    struct server server = {0};
    struct ear ear = {0};
    struct teller nobody = {0}, observed = {0}, none = {0};
    struct letter letters[3];
    server_begin(&server, 0, jetstream);
    HeraldCenterRef center = center_at(server.url, NULL);
    HeraldNameRef name = HeraldNameCreate("net.nostream"), heard = HeraldNameCreate("net.nostream.heard");
    await_reason(center, &letters[0], &nobody, name, "no stream");
    /* An observer takes it, so the server does not say that nobody stores it. */
    listen_to(center, &ear, heard, NULL);
    synchronize(center);
    CHECK(store(center, &letters[1], &observed, heard, 1, 8) == HeraldOK);
    CHECK(COMES(observed.failed == 1) && strstr(observed.reason, "no stream"));
    CHECK(ear.heard == 1 && ear.doubled == 0); /* though it was sent several times */
    end_center(center);
    server_kill(&server, SIGKILL);
    server_write(&server, "config", "# no JetStream\n");
    server_begin_again(&server);
    center = center_at(server.url, NULL);
    uint64_t times = await_reason(center, &letters[2], &none, name, "JetStream");
    CHECK(statistics_of(center).refused == times);
    end_center(center);
    server_end(&server);
}

/* It is tried until its stream is made. */
RULE(28, Network_a_message_is_stored_when_its_stream_is_made_in_time) {
    struct server server = {0};
    struct ear ear = {0};
    struct teller first = {0}, second = {0};
    struct letter letters[2];
    static struct client client;
    server_begin(&server, 0, jetstream);
    HeraldCenterRef center = center_at(server.url, NULL);
    HeraldNameRef name = HeraldNameCreate("net.made"), heard = HeraldNameCreate("net.made.heard");
    listen_to(center, &ear, heard, NULL);
    synchronize(center);
    CHECK(store(center, &letters[0], &first, name, 1, PATIENCE) == HeraldOK);
    CHECK(store(center, &letters[1], &second, heard, 1, PATIENCE) == HeraldOK);
    CHECK(COMES(ear.heard == 1) && told(&first) == 0 && told(&second) == 0);
    client_begin(&client, server.port);
    stream_make(&client, "\"herald.net.made\",\"herald.net.made.*\"", "");
    CHECK(COMES(first.stored == 1 && second.stored == 1) && ear.heard == 1 && has_stored(&client, 2));
    end_storing(&server, &client, center);
}

RULE(28, Network_a_full_stream_that_refuses_to_store_is_told_of) {
    struct server server = {0};
    struct teller teller = {0};
    struct letter letters[4];
    static struct client client;
    HeraldCenterRef center =
        begin_storing(&server, &client, "\"herald.net.full\"", ",\"max_msgs\":3,\"discard\":\"new\"");
    HeraldNameRef name = HeraldNameCreate("net.full");
    for (long i = 0; i < 4; i++) CHECK(store(center, &letters[i], &teller, name, i + 1, 2 * PATIENCE) == HeraldOK);
    CHECK(COMES(told(&teller) == 4) && teller.stored == 3 && teller.failed == 1 && teller.backwards == 0);
    CHECK(strstr(teller.reason, "maximum messages"));
    end_storing(&server, &client, center);
}

/* What another program answers is not the stream's answer. */
RULE(28, Network_a_program_that_answers_does_not_store_a_message) {
    struct server server = {0};
    struct teller teller = {0};
    struct letter letter;
    static struct client client;
    static const char *const answers[] = {
        "thanks", "{}",         "{\"seq\":5}",        "{\"stream\":\"S\"}",
        "[[[",    "\"stored\"", "{\"error\":\"no\"}", "{\"error\":{\"code\":400,\"description\":\"no\"}}"};
    server_begin(&server, 0, jetstream);
    client_begin(&client, server.port);
    client_say(&client, "SUB herald.net.answers 1\r\n");
    client_settle(&client);
    HeraldCenterRef center = center_at(server.url, NULL);
    synchronize(center);
    CHECK(store(center, &letter, &teller, HeraldNameCreate("net.answers"), 1, 1.5) == HeraldOK);
    CHECK(client_hears(&client, "HMSG herald.net.answers 1 "));
    char reply[200] = "";
    CHECK(COMES(memchr(client.text, '\n', client.length) || client_has(&client, "\n\n\n")));
    client.text[client.length] = 0;
    CHECK(sscanf(client.text, "%199s", reply) == 1 && strncmp(reply, "_INBOX.herald.", 14) == 0);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        client_say(&client, "PUB %s %zu\r\n%s\r\n", reply, strlen(answers[i]), answers[i]);
    client_settle(&client);
    CHECK(COMES(told(&teller) == 1) && teller.failed == 1 && strstr(teller.reason, "no stream"));
    end_storing(&server, &client, center);
}

/* Messages that were never sent are no loss for observers. */
RULE(28, Network_messages_that_were_not_sent_to_be_stored_are_not_missed) {
    enum { MANY = 50 };
    struct server server = {0};
    struct ear ear = {0};
    struct teller teller = {0};
    static struct letter letters[MANY + 1];
    static struct client client;
    HeraldCenterRef center = begin_storing(&server, &client, "\"herald.net.unsent\"", ""),
                    poster = center_at(server.url, NULL);
    client_end(&client);
    HeraldNameRef name = HeraldNameCreate("net.unsent");
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    synchronize(poster);
    server_kill(&server, SIGKILL);
    CHECK(COMES(HeraldNetworkSynchronize(poster, 0) == HeraldTransportFailed &&
                strstr(HeraldGetErrorDescription(), "no server is connected")));
    for (long i = 0; i < MANY; i++) CHECK(store(poster, &letters[i], &teller, name, i + 1, 0.01) == HeraldOK);
    CHECK(COMES(teller.failed == MANY));
    server_begin_again(&server);
    synchronize(center);
    CHECK(store(poster, &letters[MANY], &teller, name, MANY + 1, PATIENCE) == HeraldOK);
    CHECK(COMES(teller.stored == 1) && COMES(ear.heard == 1) && ear.missed == 0 && teller.backwards == 0);
    end_center(poster);
    end_center(center);
    server_end(&server);
}

RULE(28, Network_a_message_that_may_not_be_stored_is_told_of) {
    struct server server = {0};
    struct events events = {0};
    struct teller posting = {0}, inbox = {0};
    struct letter letters[3];
    server_begin(&server, 0,
                 "jetstream { store_dir: \"@/js\", max_file: 1GB }\n"
                 "authorization { users: [ { user: p, password: p, permissions: { publish: { deny: "
                 "[ \"herald.net.denied\", \"herald.net.long.*\" ] } } }, { user: i, password: i, permissions: { "
                 "subscribe: { deny: "
                 "\"_INBOX.>\" } } } ] }\n");
    char url[100];
    snprintf(url, sizeof url, "nats://p:p@127.0.0.1:%d", server.port);
    HeraldCenterRef center = center_at(url, &events);
    CHECK(store(center, &letters[0], &posting, HeraldNameCreate("net.denied"), 1, 2 * PATIENCE) == HeraldOK);
    CHECK(COMES(posting.failed == 1) && strstr(posting.reason, "ermissions"));
    CHECK(COMES(events.kinds[HeraldNetworkDenied] == 1));
    char text[400] = "net.long."; /* longer than what libnats tells of a denial */
    memset(text + strlen(text), 'x', sizeof text - 1 - strlen(text));
    text[sizeof text - 1] = 0;
    CHECK(store(center, &letters[2], &posting, HeraldNameCreate(text), 2, 2 * PATIENCE) == HeraldOK);
    CHECK(COMES(posting.failed == 2) && strstr(posting.reason, "ermissions"));
    end_center(center);
    snprintf(url, sizeof url, "nats://i:i@127.0.0.1:%d", server.port);
    center = center_at(url, NULL);
    CHECK(store(center, &letters[1], &inbox, HeraldNameCreate("net.unheard"), 1, 2 * PATIENCE) == HeraldOK);
    CHECK(COMES(inbox.failed == 1) && strstr(inbox.reason, "ermissions"));
    end_center(center);
    server_end(&server);
}

/* While there is no server, too; and each exactly once, in order. */
RULE(28, Network_messages_that_are_not_stored_in_time_are_told_of_in_order) {
    enum { MANY = 200 };
    struct teller teller = {0};
    static struct letter letters[MANY];
    char url[64];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", free_port());
    HeraldCenterRef center = center_at(url, NULL);
    HeraldNameRef name = HeraldNameCreate("net.late");
    for (long i = 0; i < MANY; i++)
        CHECK(store(center, &letters[i], &teller, name, i + 1, i == 0 ? 1 : i % 2 ? 0.2 : 0.001) == HeraldOK);
    CHECK(statistics_of(center).waiting > 0);
    CHECK(COMES(told(&teller) == MANY) && teller.failed == MANY && teller.backwards == 0 && *teller.reason);
    CHECK(statistics_of(center).waiting == 0 && statistics_of(center).refused == MANY);
    end_center(center);
}

RULE(28, Network_a_center_that_ends_waits_for_what_is_to_be_stored_and_tells_of_the_rest) {
    enum { MANY = 500 };
    struct server server = {0};
    struct teller stored = {0}, left = {0};
    static struct letter letters[2 * MANY];
    static struct client client;
    HeraldCenterRef center = begin_storing(&server, &client, "\"herald.net.ends\"", "");
    HeraldNameRef name = HeraldNameCreate("net.ends");
    for (long i = 0; i < MANY; i++) CHECK(store(center, &letters[i], &stored, name, i + 1, PATIENCE) == HeraldOK);
    CHECK(HeraldNetworkClose(center, PATIENCE) == HeraldOK && stored.stored == MANY);
    CHECK(store(center, &letters[0], &left, name, 1, PATIENCE) == HeraldTransportFailed);
    HeraldCenterRelease(center);
    server_kill(&server, SIGSTOP);
    center = center_at(server.url, NULL);
    for (long i = 0; i < MANY; i++) CHECK(store(center, &letters[MANY + i], &left, name, i + 1, PATIENCE) == HeraldOK);
    HeraldNetworkClose(center, 0.2);
    HeraldCenterRelease(center);
    server_kill(&server, SIGCONT);
    CHECK(COMES(told(&left) == MANY) && left.failed == MANY && left.backwards == 0 && strstr(left.reason, "closed"));
    client_end(&client);
    server_end(&server);
}

RULE(28, Network_a_poster_that_is_told_of_a_stored_message_may_close) {
    struct server server = {0};
    struct teller teller = {0};
    struct letter letters[2];
    static struct client client;
    HeraldCenterRef center = teller.center = begin_storing(&server, &client, "\"herald.net.closes\"", "");
    HeraldNameRef name = HeraldNameCreate("net.closes");
    CHECK(store(center, &letters[0], &teller, name, 1, PATIENCE) == HeraldOK);
    CHECK(COMES(teller.stored == 1) && teller.closes == 1);
    CHECK(store(center, &letters[1], &teller, name, 2, PATIENCE) == HeraldTransportFailed);
    HeraldCenterRelease(center);
    client_end(&client);
    server_end(&server);
}

/* ---- Bad input --------------------------------------------------------------------------------------------------- */

RULE(28, Network_what_cannot_be_stored_is_refused_and_nothing_is_told) {
    struct teller teller = {0};
    struct letter letter = {&teller, 1};
    static char large[3 << 20];
    char url[64];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", free_port());
    HeraldNetworkOptions options = {.size = sizeof options, .servers = url, .queueLimit = 1 << 19};
    HeraldCenterRef center, here = HeraldCenterCreate(NULL);
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldOK);
    HeraldNameRef name = HeraldNameCreate("net.bad");
    HeraldMessage good = {.size = sizeof good, .bytes = "x", .length = 1}, bad = good;
    static const double times[] = {0, -1, 121, 1.0 / 0.0, 0.0 / 0.0};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        CHECK(HeraldNetworkStoreMessage(center, name, &good, times[i], note_told, &letter) == HeraldInvalidArgument);
    CHECK(HeraldNetworkStoreMessage(center, NULL, &good, 1, note_told, &letter) == HeraldInvalidArgument);
    CHECK(HeraldNetworkStoreMessage(center, name, NULL, 1, note_told, &letter) == HeraldInvalidArgument);
    CHECK(HeraldNetworkStoreMessage(center, name, &good, 1, NULL, &letter) == HeraldInvalidArgument);
    CHECK(HeraldNetworkStoreMessage(NULL, name, &good, 1, note_told, &letter) == HeraldInvalidArgument);
    CHECK(HeraldNetworkStoreMessage(here, name, &good, 1, note_told, &letter) == HeraldInvalidArgument);
    CHECK(HeraldNetworkStoreMessage(center, HeraldNameForAddress(&good), &good, 1, note_told, &letter) ==
          HeraldInvalidArgument);
    bad.options = HeraldPostKeep;
    CHECK(HeraldNetworkStoreMessage(center, name, &bad, 1, note_told, &letter) == HeraldInvalidArgument);
    bad = good, bad.type = "a\nb";
    CHECK(HeraldNetworkStoreMessage(center, name, &bad, 1, note_told, &letter) == HeraldInvalidArgument);
    bad = good, bad.size = 3;
    CHECK(HeraldNetworkStoreMessage(center, name, &bad, 1, note_told, &letter) == HeraldInvalidArgument);
    bad = good, bad.bytes = large, bad.length = sizeof large;
    CHECK(HeraldNetworkStoreMessage(center, name, &bad, 1, note_told, &letter) == HeraldTooLarge);
    bad.length = 1 << 19; /* what may wait is less than the message and its headers */
    CHECK(HeraldNetworkStoreMessage(center, name, &bad, 1, note_told, &letter) == HeraldTooLarge);
    CHECK(HeraldNetworkGetErrorSize() > 1 << 19);
    bad.length = 1 << 17;
    long taken = 0;
    HeraldStatus status = HeraldOK;
    struct letter many[8];
    for (; taken < 8 && status == HeraldOK; taken += status == HeraldOK) {
        many[taken] = (struct letter){&teller, taken + 1};
        status = HeraldNetworkStoreMessage(center, name, &bad, PATIENCE, note_told, &many[taken]);
    }
    CHECK(status == HeraldQueueFull && taken == 3);
    CHECK(told(&teller) == 0 && statistics_of(center).waiting == 3);
    HeraldNetworkClose(center, 0);
    CHECK(COMES(told(&teller) == 3) && teller.failed == 3 && teller.backwards == 0);
    HeraldCenterRelease(center);
    HeraldCenterRelease(here);
}

RULE(28, Network_what_a_stream_stores_has_the_subjects_of_names_and_prefixes) {
    HeraldCenterRef center = center_at("nats://127.0.0.1:1", NULL), local = HeraldCenterCreate(NULL);
    static const struct {
        const char *name, *prefix, *subject;
    } all[] = {{"com.acme.saved", NULL, "herald.com.acme.saved"},
               {"$a b.*..c%", NULL, "herald.%24a%20b.%2A.%00.c%25"},
               {NULL, "com.acme", "herald.com.acme.>"},
               {NULL, "", "herald.>"}};
    char *subject;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        HeraldNameRef name = all[i].name ? HeraldNameCreate(all[i].name) : NULL;
        CHECK(HeraldNetworkGetSubject(center, name, all[i].prefix, &subject) == HeraldOK);
        CHECK(subject && strcmp(subject, all[i].subject) == 0);
        free(subject);
    }
    HeraldNameRef name = HeraldNameCreate("a"), address = HeraldNameForAddress(&subject);
    char longest[513];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    subject = longest;
    CHECK(HeraldNetworkGetSubject(center, name, "a", &subject) == HeraldInvalidArgument && !subject);
    CHECK(HeraldNetworkGetSubject(center, NULL, NULL, &subject) == HeraldInvalidArgument);
    CHECK(HeraldNetworkGetSubject(center, name, NULL, NULL) == HeraldInvalidArgument);
    CHECK(HeraldNetworkGetSubject(center, NULL, "a.", &subject) == HeraldInvalidArgument);
    CHECK(HeraldNetworkGetSubject(center, NULL, longest, &subject) == HeraldInvalidArgument);
    CHECK(HeraldNetworkGetSubject(center, address, NULL, &subject) == HeraldInvalidArgument);
    CHECK(HeraldNetworkGetSubject(local, name, NULL, &subject) == HeraldInvalidArgument && !subject);
    CHECK(*HeraldGetErrorDescription());
    HeraldCenterRelease(local);
    HeraldCenterRelease(center);
}
