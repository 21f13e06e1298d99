/* Durable observers (R28): what is stored while nobody listens is heard later, once and in order. */
#include "server.h"
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* ---- Observers --------------------------------------------------------------------------------------------------- */

static const char one_name[] = "\"herald.net.durable\",\"herald.net.durable.%.*\"";

/* A durable observer, and what it has heard. */
struct indexer {
    atomic_long heard, backwards, doubled, calls;
    atomic_ulong last, sequence;
    atomic_uint deliveries; /* of the last message */
    atomic_long refuses;    /* so many times it does not do its work */
    atomic_ulong poison;    /* the number of the message that it never does */
    atomic_int released, running;
    atomic_bool holds; /* it does not return */
    atomic_long time;
    char object[64];
    _Atomic HeraldDurableRef durable;
    HeraldCenterRef center;
    bool (*then)(struct indexer *indexer, HeraldCenterRef center);
};

static bool hear_number(HeraldCenterRef center, void *observer, HeraldNameRef name, const HeraldMessage *message,
                        const HeraldStored *stored) {
    struct indexer *indexer = observer;
    uint64_t number = 0;
    (void)name;
    indexer->calls++;
    indexer->running++;
    indexer->deliveries = stored->deliveries;
    indexer->time = (long)stored->time;
    if (message->length >= sizeof number) memcpy(&number, message->bytes, sizeof number);
    while (indexer->holds) usleep(1000);
    bool done = !(indexer->refuses > 0 && indexer->refuses--) && !(number && number == indexer->poison);
    if (indexer->then) done = indexer->then(indexer, center);
    if (done) {
        indexer->backwards += number && number < indexer->last;
        indexer->doubled += number && number == indexer->last;
        if (message->object) snprintf(indexer->object, sizeof indexer->object, "%s", message->object);
        indexer->last = number;
        indexer->sequence = stored->sequence;
        indexer->heard++; /* after all others: tests wait for it, and then read them */
    }
    indexer->running--;
    return done;
}

/* Ends it, unless that was done. */
static void index_end(struct indexer *indexer, bool wait) {
    HeraldDurableEnd(atomic_exchange(&indexer->durable, NULL), wait);
}

static void note_release(void *observer) {
    struct indexer *indexer = observer;
    index_end(indexer, false); /* with its center */
    indexer->released++;
}

/* With what a test gives in `more`: its size is set. */
static HeraldStatus index_with(HeraldCenterRef center, struct indexer *indexer, HeraldDurableOptions more) {
    HeraldObserverOptions hooks = {.size = sizeof hooks, .release = note_release};
    more.size = sizeof more;
    if (!more.name) more.name = "indexer";
    if (!more.about && !more.prefix) more.about = HeraldNameCreate("net.durable");
    if (!more.options) more.options = &hooks;
    HeraldDurableRef durable = NULL;
    HeraldStatus status = HeraldNetworkAddDurableObserver(center, indexer, hear_number, &more, &durable);
    indexer->durable = durable;
    return status;
}
static void index_begin(HeraldCenterRef center, struct indexer *indexer, HeraldDurableOptions more) {
    CHECK(index_with(center, indexer, more) == HeraldOK);
    synchronize(center);
}

/* Posts the numbers from `first` to `last`, as any program may: without waiting for the stream. */
static void post_numbers(HeraldCenterRef center, const char *name, uint64_t first, uint64_t last) {
    for (uint64_t number = first; number <= last; number++)
        CHECK(post_number(center, HeraldNameCreate(name), number) == HeraldOK);
    synchronize(center);
}

static void count_stored(void *context, HeraldStatus status, uint64_t sequence) {
    CHECK(status == HeraldOK && sequence);
    ++*(_Atomic long *)context;
}

static bool has_in_answer(HeraldCenterRef center, const char *call, const char *text) {
    char *answer;
    CHECK(HeraldNetworkCallJetStream(center, call, "", PATIENCE, &answer) == HeraldOK);
    bool has = answer && strstr(answer, text);
    free(answer);
    return has;
}

/* ---- What is heard ----------------------------------------------------------------------------------------------- */

RULE(28, Network_a_durable_observer_hears_what_was_posted_while_it_was_away) {
    struct server server = {0};
    static struct client client;
    struct indexer first = {0}, second = {0};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
    index_begin(center, &first, (HeraldDurableOptions){0});
    post_numbers(center, "net.durable", 1, 100);
    CHECK(COMES(first.heard == 100) && first.backwards == 0 && first.doubled == 0 && first.sequence == 100);
    CHECK(first.deliveries == 1 && first.time > 1700000000L * 1000000000L);
    index_end(&first, true);
    CHECK(first.released == 1);
    post_numbers(center, "net.durable", 101, 200);
    CHECK(HeraldNetworkClose(center, PATIENCE) == HeraldOK);
    HeraldCenterRelease(center);
    center = center_at(server.url, NULL);
    index_begin(center, &second, (HeraldDurableOptions){0});
    post_numbers(center, "net.durable", 201, 210);
    CHECK(COMES(second.heard == 110) && second.backwards == 0 && second.doubled == 0 && second.last == 210);
    HeraldMessage message = {.size = sizeof message, .object = "a.txt"};
    CHECK(HeraldCenterPostMessage(center, HeraldNameCreate("net.durable"), &message) == HeraldOK);
    CHECK(COMES(second.heard == 111) && strcmp(second.object, "a.txt") == 0);
    HeraldCenterPostNotification(center, HeraldNameCreate("net.durable"), NULL, NULL, false);
    CHECK(COMES(second.heard == 112) && first.heard == 100);
    index_end(&second, true);
    end_storing(&server, &client, center);
}

/* Its numbers are those of the stream. */
RULE(28, Network_a_new_durable_observer_begins_where_its_options_say) {
    struct server server = {0};
    static struct client client;
    struct indexer beginning = {0}, middle = {0}, later = {0}, next = {0};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
    post_numbers(center, "net.durable", 1, 20);
    CHECK(has_stored(&client, 20));
    index_begin(center, &beginning, (HeraldDurableOptions){.name = "beginning", .start = HeraldDurableBeginning});
    CHECK(COMES(beginning.heard == 20) && beginning.backwards == 0);
    index_begin(center, &middle, (HeraldDurableOptions){.name = "m", .start = HeraldDurableSequence, .sequence = 11});
    CHECK(COMES(middle.heard == 10) && middle.last == 20);
    index_begin(center, &later,
                (HeraldDurableOptions){.name = "t", .start = HeraldDurableTime, .time = beginning.time});
    index_begin(center, &next, (HeraldDurableOptions){.name = "next"});
    post_numbers(center, "net.durable", 21, 21);
    CHECK(COMES(next.heard == 1 && later.last == 21 && later.heard >= 2) && next.last == 21 && later.heard < 21);
    CHECK(COMES(middle.heard == 11 && beginning.heard == 21));
    end_storing(&server, &client, center);
    CHECK(COMES(next.released == 1)); /* although nobody has ended it */
}

/* Under a prefix, for any name, and for one name of a stream that has several. */
RULE(28, Network_a_durable_observer_hears_what_it_observes_and_no_more) {
    struct server server = {0};
    static struct client client;
    struct indexer name = {0}, prefix = {0}, all = {0}, last = {0};
    struct events events = {0};
    HeraldCenterRef center = begin_storing(&server, &client, "\"herald.net.>\",\"herald.other\"", "");
    HeraldCenterRef told = center_at(server.url, &events);
    index_begin(told, &name, (HeraldDurableOptions){0});
    index_begin(center, &prefix, (HeraldDurableOptions){.name = "prefix", .stream = "S", .prefix = "net.durable"});
    index_begin(center, &all, (HeraldDurableOptions){.name = "all", .stream = "S", .prefix = ""});
    post_numbers(center, "net.durable", 1, 5);
    post_numbers(center, "net.durable.below", 6, 10);
    post_numbers(center, "net.durables", 11, 15);
    post_numbers(center, "other", 16, 20);
    post_numbers(center, "net.durable", 21, 21);
    CHECK(COMES(name.heard == 6 && prefix.heard >= 5 && all.heard == 21) && name.last == 21 && name.backwards == 0);
    /* A server from 2.10 on picks out the name itself. */
    CHECK(events.kinds[HeraldNetworkSkipped] <= 1 && events.kinds[HeraldNetworkDenied] == 0);
    index_begin(center, &last, (HeraldDurableOptions){.name = "last", .stream = "S", .prefix = "net.durable"});
    end_center(told);
    end_storing(&server, &client, center);
    CHECK(prefix.heard == 5 && prefix.last == 10 && name.heard == 6); /* below the prefix, without the name itself */
}

/* ---- What is not done -------------------------------------------------------------------------------------------- */

RULE(28, Network_a_durable_message_that_was_not_done_comes_again_before_later_ones) {
    static const HeraldDurableOrder orders[] = {HeraldDurableStrict, HeraldDurableAlone};
    for (int i = 0; i < 2; i++) {
        struct server server = {0};
        static struct client client;
        struct indexer indexer = {.refuses = 3};
        HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
        index_begin(center, &indexer, (HeraldDurableOptions){.order = orders[i]});
        post_numbers(center, "net.durable", 1, 50);
        CHECK(COMES(indexer.heard == 50) && indexer.calls == 53 && indexer.backwards == 0 && indexer.doubled == 0);
        end_storing(&server, &client, center);
    }
}

RULE(28, Network_a_durable_message_that_was_delivered_too_often_is_given_up) {
    static const HeraldDurableOrder orders[] = {HeraldDurableStrict, HeraldDurableEach, HeraldDurableAlone};
    for (int i = 0; i < 3; i++) {
        struct server server = {0};
        static struct client client;
        struct events events = {0};
        struct indexer indexer = {.poison = 5};
        HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
        HeraldCenterRef own = center_at(server.url, &events);
        index_begin(own, &indexer, (HeraldDurableOptions){.order = orders[i], .attempts = 2});
        post_numbers(center, "net.durable", 1, 10);
        CHECK(COMES(indexer.heard == 9 && events.kinds[HeraldNetworkGivenUp] == 1));
        CHECK(indexer.calls == 11 && events.counts[HeraldNetworkGivenUp] == 5);
        end_center(own);
        end_storing(&server, &client, center);
    }
}

/* A request for messages has a limit of bytes; one that is larger than this is heard, too. */
RULE(28, Network_a_durable_observer_hears_messages_of_any_size) {
    enum { LARGE = 17 << 20 };
    struct server server = {0};
    struct indexer indexer = {0};
    char *answer, *bytes = calloc(1, LARGE);
    server_begin(&server, 0,
                 "jetstream { store_dir: \"@/jetstream\" }\nmax_payload: 33554432\nmax_pending: 134217728\n");
    HeraldNetworkOptions options = {.size = sizeof options, .servers = server.url, .queueLimit = 64 << 20};
    HeraldCenterRef center;
    CHECK(bytes && HeraldNetworkCenterCreate(&options, &center) == HeraldOK);
    CHECK(COMES(HeraldNetworkCallJetStream(center, "STREAM.CREATE.S",
                                           "{\"name\":\"S\",\"subjects\":[\"herald.net.durable\"]}", PATIENCE,
                                           &answer) == HeraldOK));
    free(answer);
    index_begin(center, &indexer, (HeraldDurableOptions){.order = HeraldDurableEach, .inFlight = 8});
    static _Atomic long stored;
    stored = 0;
    for (uint64_t number = 1; number <= 4; number++) { /* one that is not stored would be sent again */
        HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = number % 2 ? LARGE : 8};
        memcpy(bytes, &number, sizeof number);
        CHECK(HeraldNetworkStoreMessage(center, HeraldNameCreate("net.durable"), &message, 120, count_stored,
                                        (void *)&stored) == HeraldOK);
    }
    CHECK(COMES(stored == 4) && COMES(indexer.heard >= 4));
    end_center(center);
    server_end(&server);
    free(bytes);
}

/* ---- Several with one name --------------------------------------------------------------------------------------- */

RULE(28, Network_durable_observers_with_one_name_share_the_messages) {
    static const HeraldDurableOrder orders[] = {HeraldDurableStrict, HeraldDurableEach};
    for (int i = 0; i < 2; i++) {
        struct server server = {0};
        static struct client client;
        struct indexer one = {0}, two = {0};
        HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
        HeraldCenterRef other = center_at(server.url, NULL);
        index_begin(center, &one, (HeraldDurableOptions){.order = orders[i], .patience = 3600});
        index_begin(other, &two, (HeraldDurableOptions){.order = orders[i], .patience = 3600});
        post_numbers(center, "net.durable", 1, 500);
        CHECK(COMES(one.heard + two.heard == 500));
        CHECK(one.doubled == 0 && two.doubled == 0);
        if (i == 0) CHECK(one.backwards == 0 && two.backwards == 0);
        /* What waits for one that ends is given to the other at once: their patience is an hour. */
        one.holds = true;
        post_numbers(center, "net.durable", 501, 520);
        if (i == 1) CHECK(COMES(one.running == 1));
        one.holds = false;
        index_end(&one, true);
        CHECK(one.running == 0);
        long heard = one.heard;
        CHECK(COMES(heard + two.heard == 520) && one.heard == heard);
        end_center(other);
        end_storing(&server, &client, center);
    }
}

/* What the server has sent when an observer or its center ends would wait for an hour. Another process shares, or
 * stands by, in every other order. */
RULE(28, Network_what_comes_for_a_durable_observer_that_ends_is_given_to_the_next_one) {
    enum { ROUNDS = 30, EACH = 40, ALL = ROUNDS * EACH };
    static const struct {
        HeraldDurableOrder order;
        uint32_t in_flight;
        bool has_other;
    } cases[] = {{HeraldDurableStrict, 1, false},
                 {HeraldDurableStrict, 1, true},
                 {HeraldDurableEach, 16, false},
                 {HeraldDurableEach, 16, true},
                 {HeraldDurableEach, 500, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct server server = {0};
        static struct client client;
        struct indexer indexer = {0}, other = {0};
        HeraldDurableOptions options = {
            .order = cases[i].order, .inFlight = cases[i].in_flight, .patience = 3600, .start = HeraldDurableBeginning};
        HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
        post_numbers(center, "net.durable", 1, ALL);
        if (cases[i].has_other) index_begin(center, &other, options);
        int rounds = 0;
        while (indexer.heard + other.heard < ALL && rounds < ROUNDS) {
            HeraldCenterRef own = center_at(server.url, NULL);
            long before = indexer.heard;
            index_begin(own, &indexer, options);
            CHECK(COMES(indexer.heard >= before + EACH || indexer.heard + other.heard == ALL));
            if (rounds % 2) index_end(&indexer, rounds % 4 == 1);
            CHECK(HeraldNetworkClose(own, PATIENCE) == HeraldOK);
            HeraldCenterRelease(own);
            rounds++;
            CHECK(COMES(indexer.released == rounds));
        }
        CHECK(COMES(indexer.heard + other.heard == ALL) && indexer.doubled == 0 && other.doubled == 0);
        if (cases[i].order != HeraldDurableEach) CHECK(indexer.backwards == 0 && other.backwards == 0);
        end_storing(&server, &client, center);
    }
}

/* One ends while a message is stored: after the server's last answer to it, and before its subscription has ended.
 * Returns false if this took so long that the observer need not have waited for the message. */
static bool end_beside_post(const struct server *server, HeraldCenterRef center, HeraldDurableOptions options) {
    struct proxy proxy = {0};
    struct indexer one = {0}, two = {0};
    char url[64], call[64];
    proxy_begin(&proxy, server->port);
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", proxy.port);
    snprintf(call, sizeof call, "CONSUMER.INFO.S.%s", options.name);
    HeraldCenterRef own = center_at(url, NULL);
    index_begin(own, &one, options);
    proxy.holds = "UNSUB ";
    double begin = seconds();
    index_end(&one, true);
    CHECK(COMES(proxy.has_held));
    post_numbers(center, "net.durable", 1, 1);
    CHECK(COMES(has_in_answer(center, call, "\"num_ack_pending\":1")));
    proxy.holds = NULL;
    end_center(own);
    bool in_time = seconds() - begin < 0.8; /* it waits for a second */
    if (in_time) {
        index_begin(center, &two, options);
        CHECK(COMES(two.heard == 1) && one.heard == 0);
        index_end(&two, true);
    }
    proxy_end(&proxy);
    return in_time;
}

/* What the server sends between its last answer and the end of the subscription would wait for an hour, too. */
RULE(28, Network_what_is_stored_while_a_durable_observer_ends_is_given_to_the_next_one) {
    static const HeraldDurableOrder orders[] = {HeraldDurableStrict, HeraldDurableEach};
    struct server server = {0};
    static struct client client;
    HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
    for (int i = 0; i < 2; i++) {
        bool in_time = false;
        for (int attempt = 0; !in_time && attempt < PATIENCE; attempt++) {
            char name[16];
            snprintf(name, sizeof name, "i%d-%d", i, attempt);
            in_time = end_beside_post(&server, center,
                                      (HeraldDurableOptions){.name = name, .order = orders[i], .patience = 3600});
        }
        CHECK(in_time);
    }
    end_storing(&server, &client, center);
}

/* One that works on a message keeps it, however long that takes: the server is told so. */
SLOW_RULE(28, Network_a_durable_message_that_is_worked_on_is_given_to_nobody_else,
          "more than a patience of four seconds") {
    struct server server = {0};
    static struct client client, acks;
    struct indexer one = {.holds = true}, two = {.holds = true};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, ""), other = center_at(server.url, NULL);
    client_begin(&acks, server.port);
    client_say(&acks, "SUB $JS.ACK.S.> 1\r\n");
    client_settle(&acks);
    index_begin(center, &one, (HeraldDurableOptions){.patience = 4});
    index_begin(other, &two, (HeraldDurableOptions){.patience = 4});
    post_numbers(center, "net.durable", 1, 1);
    for (int i = 0; i < 5; i++) CHECK(client_hears(&acks, "+WPI")); /* more than a patience */
    CHECK(one.running + two.running == 1);
    one.holds = two.holds = false;
    post_numbers(center, "net.durable", 2, 2);
    CHECK(COMES(one.heard + two.heard == 2) && one.calls + two.calls == 2);
    client_end(&acks);
    end_center(other);
    end_storing(&server, &client, center);
}

/* The acknowledgement is lost with the connection, so the server gives the message again. */
RULE(28, Network_what_a_durable_observer_heard_here_is_not_heard_here_again) {
    static const HeraldDurableOrder orders[] = {HeraldDurableStrict, HeraldDurableEach};
    for (int i = 0; i < 2; i++) {
        struct server server = {0};
        static struct client client;
        struct proxy proxy;
        char url[64];
        struct indexer indexer = {.holds = true};
        HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
        proxy_begin(&proxy, server.port);
        snprintf(url, sizeof url, "nats://127.0.0.1:%d", proxy.port);
        HeraldCenterRef own = center_at(url, NULL);
        index_begin(own, &indexer, (HeraldDurableOptions){.patience = 0.5, .order = orders[i]});
        post_numbers(center, "net.durable", 1, 1);
        CHECK(COMES(indexer.running == 1));
        proxy_stop(&proxy); /* the acknowledgement goes nowhere */
        indexer.holds = false;
        CHECK(COMES(indexer.heard == 1 && indexer.running == 0));
        client_say(&client, "SUB again 3\r\nSUB $JS.ACK.S.> 4\r\n");
        client_settle(&client);
        for (uint64_t number = 1; number <= 2; number++) { /* two passes of the loop: it has sent the acknowledgement */
            CHECK(post_number(own, HeraldNameCreate("net.else"), number) == HeraldOK);
            CHECK(COMES(statistics_of(own).sent == number));
        }
        proxy.cut = true; /* before the hole ends, so nothing is passed on */
        proxy.hole = false;
        CHECK(COMES(proxy.pairs == 0));
        proxy.cut = false;
        post_numbers(center, "net.durable", 2, 2);
        CHECK(COMES(indexer.heard >= 2) && client_hears(&client, "+ACK"));
        CHECK(COMES(indexer.heard == 2) && indexer.last == 2 && indexer.calls == 2);
        end_center(own);
        proxy_end(&proxy);
        end_storing(&server, &client, center);
    }
}

/* ---- One that was away, and one that is to be alone -------------------------------------------------------------- */

static atomic_bool is_blocked, blocks;
static void block_loop(void *context, const HeraldNetworkEvent *event) {
    (void)context;
    if (event->kind != HeraldNetworkDenied) return;
    is_blocked = true;
    for (uint64_t end = end_of_patience(); blocks && patient_nanoseconds() < end;) usleep(1000);
}

/* The loop is held up, as if the process had been stopped. */
SLOW_RULE(28, Network_a_durable_observer_that_was_away_gives_up_what_others_may_have,
          "a patience of eight seconds, and it is away for longer than half of it") {
    struct server server = {0};
    static struct client client;
    struct indexer one = {.holds = true}, two = {0}, none = {0};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, ""), own;
    HeraldNetworkOptions options = {.size = sizeof options, .servers = server.url, .event = block_loop};
    HeraldDurableOptions each = {.order = HeraldDurableEach, .inFlight = 8, .patience = 8};
    CHECK(HeraldNetworkCenterCreate(&options, &own) == HeraldOK);
    is_blocked = false;
    blocks = true;
    index_begin(own, &one, each);
    post_numbers(center, "net.durable", 1, 8);
    CHECK(COMES(one.running == 1));
    CHECK(index_with(own, &none, (HeraldDurableOptions){.name = "none", .stream = "NONE"}) == HeraldOK);
    CHECK(COMES(is_blocked));
    index_begin(center, &two, each);
    CHECK(COMES(two.heard == 8)); /* also the one that the first works on: the server was not told so */
    one.holds = false;
    blocks = false;
    CHECK(COMES(one.heard == 1));
    post_numbers(center, "net.durable", 9, 30);
    CHECK(COMES(one.heard + two.heard >= 31));
    index_end(&none, true);
    index_end(&one, true);
    index_end(&two, true);
    CHECK(one.heard + two.heard == 31); /* only what it worked on is heard twice */
    end_center(own);
    end_storing(&server, &client, center);
}

SLOW_RULE(28, Network_a_durable_observer_that_is_alone_waits_for_another_and_keeps_the_order,
          "a patience of eight seconds") {
    struct server server = {0};
    static struct client client;
    struct proxy proxy;
    struct events events = {0};
    char url[64];
    struct indexer one = {.holds = true}, two = {0};
    HeraldDurableOptions alone = {.order = HeraldDurableAlone, .inFlight = 8, .patience = 8};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
    proxy_begin(&proxy, server.port);
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", proxy.port);
    HeraldCenterRef own = center_at(url, NULL), other = center_at(server.url, &events);
    index_begin(own, &one, alone);
    alone.inFlight = 64;
    post_numbers(center, "net.durable", 1, 4);
    CHECK(COMES(one.running == 1));
    index_begin(other, &two, alone);
    CHECK(COMES(events.kinds[HeraldNetworkDenied] == 1) && strstr(events.reason[HeraldNetworkDenied], "alone"));
    CHECK(two.calls == 0);
    proxy_stop(&proxy);
    proxy.cut = true; /* the first one is gone, with four messages */
    proxy.hole = false;
    CHECK(COMES(proxy.pairs == 0));
    post_numbers(center, "net.durable", 5, 20);
    CHECK(COMES(two.heard == 20) && two.last == 20 && two.backwards == 0 && two.doubled == 0);
    one.holds = false;
    end_center(own);
    proxy_end(&proxy);
    end_center(other);
    end_storing(&server, &client, center);
}

/* The subject by which the client acknowledges the next message that has come. */
static void take_acknowledgement(struct client *client, char subject[256]) {
    CHECK(client_hears(client, "$JS.ACK."));
    CHECK(COMES(client_has(client, "the rest") || memchr(client->text, ' ', client->length)));
    const char *end = memchr(client->text, ' ', client->length);
    snprintf(subject, 256, "$JS.ACK.%.*s", (int)(end - client->text), client->text);
}

/* A process has died between two words about what it works on, so the server gives its oldest message last. In the
 * second round another message does not come for an hour: the first heartbeat ends the wait. */
SLOW_RULE(28, Network_a_durable_observer_that_is_alone_sorts_what_comes_again, "twice a patience of four seconds") {
    static const char next[] = "{\"batch\":4}", later[] = "-NAK {\"delay\":3600000000000}";
    for (int round = 0; round < 2; round++) {
        struct server server = {0};
        static struct client client;
        struct indexer first = {0}, indexer = {0};
        HeraldDurableOptions alone = {.order = HeraldDurableAlone, .patience = 4};
        char subjects[4][256];
        HeraldCenterRef center = begin_storing(&server, &client, one_name, ""), own = center_at(server.url, NULL);
        index_begin(own, &first, alone);
        synchronize(own);
        end_center(own);
        post_numbers(center, "net.durable", 1, 4);
        client_say(&client, "SUB given 8\r\nPUB $JS.API.CONSUMER.MSG.NEXT.S.indexer given %zu\r\n%s\r\n", strlen(next),
                   next);
        for (int i = 0; i < 4; i++) take_acknowledgement(&client, subjects[i]);
        usleep(500 * 1000); /* so long the server looks for them before it looks for the first one */
        client_say(&client, "PUB %s 4\r\n+WPI\r\n", subjects[0]);
        if (round) client_say(&client, "PUB %s %zu\r\n%s\r\n", subjects[1], strlen(later), later);
        client_settle(&client);
        index_begin(center, &indexer, alone);
        CHECK(COMES(indexer.heard == 4 - round) && indexer.last == 4 && indexer.backwards == 0);
        post_numbers(center, "net.durable", 5, 8);
        CHECK(COMES(indexer.heard == 8 - round) && indexer.last == 8 && indexer.backwards == 0 && indexer.doubled == 0);
        index_end(&indexer, true);
        end_storing(&server, &client, center);
    }
}

/* ---- What goes wrong is told ------------------------------------------------------------------------------------- */

/* Whether a durable observer is told once, by a sentence that has this text, why it cannot begin. */
static void expect_denial(const char *url, HeraldDurableOptions options, const char *text) {
    struct events events = {0};
    struct indexer indexer = {0};
    HeraldCenterRef center = center_at(url, &events);
    CHECK(index_with(center, &indexer, options) == HeraldOK);
    bool told = COMES(events.kinds[HeraldNetworkDenied] == 1);
    if (!told || !strstr(events.reason[HeraldNetworkDenied], text))
        printf("expected \"%s\", told: %s\n", text, events.reason[HeraldNetworkDenied]);
    CHECK(told && strstr(events.reason[HeraldNetworkDenied], text));
    end_center(center);
    CHECK(indexer.calls == 0 && events.kinds[HeraldNetworkDenied] == 1);
}

/* Makes a consumer of the stream S by hand. */
static void make_consumer(struct client *client, const char *name, const char *config) {
    char text[500];
    int length =
        snprintf(text, sizeof text, "{\"stream_name\":\"S\",\"config\":{\"durable_name\":\"%s\",%s}}", name, config);
    client_say(client, "SUB made 7\r\nPUB $JS.API.CONSUMER.DURABLE.CREATE.S.%s made %d\r\n%s\r\n", name, length, text);
    CHECK(client_hears(client, "consumer_create_response") && client_hears(client, "\"created\""));
    client_say(client, "UNSUB 7\r\n");
}

SLOW_RULE(28, Network_a_durable_observer_that_cannot_begin_is_told_why, "trouble is an event after two seconds") {
    struct server server = {0};
    static struct client client;
    HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
    make_consumer(&client, "other",
                  "\"ack_policy\":\"explicit\",\"max_ack_pending\":1,\"filter_subject\":\"herald.net.durable\"");
    make_consumer(&client, "many", "\"ack_policy\":\"explicit\",\"max_ack_pending\":100");
    make_consumer(&client, "push", "\"ack_policy\":\"explicit\",\"deliver_subject\":\"x\",\"max_ack_pending\":1");
    make_consumer(&client, "none", "\"ack_policy\":\"none\"");
    expect_denial(server.url, (HeraldDurableOptions){.stream = "NONE"}, "stream not found");
    expect_denial(server.url, (HeraldDurableOptions){.about = HeraldNameCreate("net.else")}, "no stream stores");
    expect_denial(server.url, (HeraldDurableOptions){.stream = "S", .prefix = "else"}, "ilter");
    expect_denial(server.url, (HeraldDurableOptions){.name = "other"}, "observer of herald.net.durable");
    expect_denial(server.url, (HeraldDurableOptions){.name = "many"}, "100 messages in flight, not 1");
    expect_denial(server.url, (HeraldDurableOptions){.name = "push"}, "none of a durable");
    expect_denial(server.url, (HeraldDurableOptions){.name = "none"}, "none of a durable");
    end_storing(&server, &client, center);
    server_begin(&server, 0, NULL);
    expect_denial(server.url, (HeraldDurableOptions){.stream = "S"}, "no JetStream");
    expect_denial(server.url, (HeraldDurableOptions){0}, "no JetStream");
    server_end(&server);
}

RULE(28, Network_a_durable_observer_that_is_not_allowed_is_told_so) {
    static const char config[] =
        "jetstream { store_dir: \"@/jetstream\" }\n"
        "authorization { users: [\n"
        "  { user: all, password: x },\n"
        "  { user: info, password: x, permissions: { publish: { deny: [\"$JS.API.CONSUMER.INFO.>\"] } } },\n"
        "  { user: make, password: x, permissions: { publish: { deny: [\"$JS.API.CONSUMER.DURABLE.>\"] } } },\n"
        "  { user: next, password: x, permissions: { publish: { deny: [\"$JS.API.CONSUMER.MSG.NEXT.>\"] } } },\n"
        "  { user: find, password: x, permissions: { publish: { deny: [\"$JS.API.STREAM.NAMES\"] } } },\n"
        "  { user: least, password: x, permissions: { publish: { allow: [\"$JS.API.CONSUMER.INFO.S.indexer\",\n"
        "      \"$JS.API.CONSUMER.DURABLE.CREATE.S.indexer\", \"$JS.API.CONSUMER.MSG.NEXT.S.indexer\",\n"
        "      \"$JS.ACK.S.indexer.>\"] }, subscribe: { allow: [\"_INBOX.herald.>\"] } } } ] }\n";
    static const char *const users[] = {"info", "make", "next", "find"};
    struct server server = {0};
    struct indexer indexer = {0};
    char url[96];
    server_begin(&server, 0, config);
    snprintf(url, sizeof url, "nats://all:x@127.0.0.1:%d", server.port);
    HeraldCenterRef center = center_at(url, NULL), least;
    char *answer;
    CHECK(COMES(HeraldNetworkCallJetStream(center, "STREAM.CREATE.S",
                                           "{\"name\":\"S\",\"subjects\":[\"herald.net.durable\"]}", PATIENCE,
                                           &answer) == HeraldOK));
    free(answer);
    for (int i = 0; i < 4; i++) {
        snprintf(url, sizeof url, "nats://%s:x@127.0.0.1:%d", users[i], server.port);
        expect_denial(url, (HeraldDurableOptions){.name = users[i], .stream = i < 3 ? "S" : NULL}, "ermissions");
    }
    snprintf(url, sizeof url, "nats://least:x@127.0.0.1:%d", server.port);
    least = center_at(url, NULL);
    index_begin(least, &indexer, (HeraldDurableOptions){.stream = "S"});
    post_numbers(center, "net.durable", 1, 10);
    CHECK(COMES(indexer.heard == 10));
    end_center(least);
    end_center(center);
    server_end(&server);
}

RULE(28, Network_a_durable_observer_begins_when_its_stream_is_made) {
    struct server server = {0};
    static struct client client;
    struct events events = {0};
    struct indexer named = {0}, found = {0};
    server_begin(&server, 0, jetstream);
    client_begin(&client, server.port);
    HeraldCenterRef center = center_at(server.url, &events);
    index_begin(center, &named,
                (HeraldDurableOptions){.name = "named", .stream = "S", .start = HeraldDurableBeginning});
    index_begin(center, &found, (HeraldDurableOptions){.name = "found", .start = HeraldDurableBeginning});
    CHECK(COMES(events.kinds[HeraldNetworkDenied] == 2));
    stream_make(&client, one_name, "");
    post_numbers(center, "net.durable", 1, 5);
    CHECK(COMES(named.heard == 5 && found.heard == 5));
    end_storing(&server, &client, center);
    CHECK(events.kinds[HeraldNetworkDenied] == 2);
}

RULE(28, Network_what_a_stream_has_discarded_of_a_durable_observer_is_told) {
    struct server server = {0};
    static struct client client;
    struct events events = {0};
    struct indexer indexer = {0};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, ",\"max_msgs\":10,\"discard\":\"old\"");
    HeraldCenterRef own = center_at(server.url, &events);
    index_begin(own, &indexer, (HeraldDurableOptions){0});
    post_numbers(center, "net.durable", 1, 5);
    CHECK(COMES(indexer.heard == 5));
    index_end(&indexer, true);
    CHECK(HeraldNetworkClose(own, PATIENCE) == HeraldOK);
    HeraldCenterRelease(own);
    /* The server knows what was heard, and gives nobody the next ones: it counts those as heard when they are gone. */
    CHECK(COMES(has_in_answer(center, "CONSUMER.INFO.S.indexer",
                              "\"num_ack_pending\":0,\"num_redelivered\":0,\"num_waiting\":0")));
    CHECK(events.kinds[HeraldNetworkLost] == 0);
    post_numbers(center, "net.durable", 6, 105);
    CHECK(COMES(has_in_answer(center, "STREAM.INFO.S", "\"last_seq\":105")));
    own = center_at(server.url, &events);
    index_begin(own, &indexer, (HeraldDurableOptions){0});
    CHECK(COMES(indexer.heard == 15 && events.kinds[HeraldNetworkLost] == 1) && indexer.last == 105);
    CHECK(events.counts[HeraldNetworkLost] == 90);
    end_center(own);
    end_storing(&server, &client, center);
}

/* ---- Servers that die -------------------------------------------------------------------------------------------- */

RULE(28, Network_a_server_that_dies_loses_and_doubles_nothing_of_a_durable_observer) {
    enum { POSTS = 300 };
    struct server server = {0};
    static struct client client;
    struct indexer indexer = {0};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
    index_begin(center, &indexer, (HeraldDurableOptions){.patience = 1});
    client_end(&client);
    for (uint64_t number = 1; number <= POSTS; number++) {
        HeraldMessage message = {.size = sizeof message, .bytes = &number, .length = sizeof number};
        if (number % 100 == 50) {
            server_kill(&server, SIGTERM); /* it writes what it has: SIGKILL is the soak's */
            server_begin_again(&server);
        }
        CHECK(HeraldCenterPostMessage(center, HeraldNameCreate("net.durable"), &message) == HeraldOK);
        synchronize(center);
    }
    CHECK(COMES(indexer.heard == POSTS) && indexer.backwards == 0 && indexer.doubled == 0 && indexer.last == POSTS);
    end_center(center);
    server_end(&server);
}

SLOW_RULE(28, Network_a_leader_that_dies_loses_nothing_of_a_durable_observer, "three servers find another leader") {
    enum { POSTS = 200 };
    struct server servers[3] = {0};
    struct indexer indexer = {0};
    char urls[256], *answer = NULL;
    cluster_begin(servers, jetstream);
    snprintf(urls, sizeof urls, "%s,%s,%s", servers[0].url, servers[1].url, servers[2].url);
    HeraldCenterRef center = center_at(urls, NULL);
    CHECK(COMES(HeraldNetworkCallJetStream(center, "STREAM.CREATE.S",
                                           "{\"name\":\"S\",\"subjects\":[\"herald.net.durable\"],\"num_replicas\":3}",
                                           5, &answer) == HeraldOK));
    free(answer);
    index_begin(center, &indexer, (HeraldDurableOptions){.patience = 1});
    static _Atomic long stored;
    stored = 0;
    for (uint64_t number = 1; number <= POSTS; number++) {
        HeraldMessage message = {.size = sizeof message, .bytes = &number, .length = sizeof number};
        if (number == POSTS / 2) server_kill(&servers[leader_of(servers, "S")], SIGKILL);
        CHECK(HeraldNetworkStoreMessage(center, HeraldNameCreate("net.durable"), &message, 120, count_stored,
                                        (void *)&stored) == HeraldOK);
    }
    CHECK(COMES(stored == POSTS) && COMES(indexer.last == POSTS && indexer.heard >= POSTS) && indexer.backwards == 0);
    end_center(center);
    for (int i = 0; i < 3; i++) server_end(&servers[i]);
}

/* ---- Its life ---------------------------------------------------------------------------------------------------- */

static bool end_in_call(struct indexer *indexer, HeraldCenterRef center) {
    CHECK(HeraldNetworkSynchronize(center, PATIENCE) == HeraldOK); /* in the call, too */
    index_end(indexer, true);
    return true;
}

RULE(28, Network_a_durable_observer_may_end_itself) {
    struct server server = {0};
    static struct client client;
    struct indexer one = {.then = end_in_call}, two = {0};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
    index_begin(center, &one, (HeraldDurableOptions){0});
    post_numbers(center, "net.durable", 1, 3);
    CHECK(COMES(one.released == 1) && one.heard == 1);
    index_begin(center, &two, (HeraldDurableOptions){0});
    CHECK(COMES(two.heard == 2) && two.last == 3 && one.calls == 1);
    end_storing(&server, &client, center);
}

static bool end_thread(struct indexer *indexer, HeraldCenterRef center) {
    (void)center;
    indexer->then = NULL;
    indexer->running--;
    pthread_exit(NULL);
}

RULE(28, Network_a_durable_observer_that_ends_its_thread_hears_the_message_again) {
    struct server server = {0};
    static struct client client;
    struct indexer indexer = {.then = end_thread};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
    index_begin(center, &indexer, (HeraldDurableOptions){0});
    post_numbers(center, "net.durable", 1, 3);
    CHECK(COMES(indexer.heard == 3) && indexer.calls == 4 && indexer.last == 3 && indexer.deliveries == 1);
    index_end(&indexer, true);
    CHECK(indexer.released == 1);
    end_storing(&server, &client, center);
}

/* Returns to the observer when the end of its center has begun: then no post is taken any more. */
static void *open_later(void *context) {
    struct indexer *indexer = context;
    HeraldNameRef name = HeraldNameCreate("net.later");
    uint64_t number = 0;
    CHECK(COMES(post_number(indexer->center, name, number) == HeraldTransportFailed));
    indexer->holds = false;
    return NULL;
}

/* The end waits for the call, and the server learns of it: so nobody hears the message again. */
RULE(28, Network_the_end_of_a_center_waits_for_a_durable_observer) {
    struct server server = {0};
    static struct client client;
    struct indexer one = {.holds = true}, two = {0};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, ""), own = center_at(server.url, NULL);
    index_begin(own, &one, (HeraldDurableOptions){0});
    post_numbers(center, "net.durable", 1, 2);
    CHECK(COMES(one.running == 1));
    CHECK(HeraldNetworkClose(own, 0.2) == HeraldOK || one.running == 1); /* no longer than it may */
    one.holds = false;
    HeraldCenterRelease(own);
    CHECK(COMES(one.released == 1 && one.running == 0));
    long before = one.heard;
    own = center_at(server.url, NULL);
    one = (struct indexer){.holds = true};
    HeraldDurableOptions other = {.name = "other", .start = HeraldDurableBeginning};
    index_begin(own, &one, other);
    CHECK(COMES(one.running == 1) && before == 1);
    pthread_t opener;
    one.center = own;
    CHECK(pthread_create(&opener, NULL, open_later, &one) == 0);
    CHECK(RETURNS(HeraldNetworkClose(own, PATIENCE)) == HeraldOK && one.heard == 1);
    pthread_join(opener, NULL);
    HeraldCenterRelease(own);
    index_begin(center, &two, other);
    CHECK(COMES(two.heard == 1) && two.last == 2 && two.deliveries <= 2);
    end_storing(&server, &client, center);
}

RULE(28, Network_a_suspended_center_calls_no_durable_observer) {
    struct server server = {0};
    static struct client client;
    struct indexer one = {0}, two = {0};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, ""), other = center_at(server.url, NULL);
    index_begin(center, &one, (HeraldDurableOptions){.name = "one"});
    index_begin(other, &two, (HeraldDurableOptions){.name = "two"});
    HeraldCenterSetSuspended(center, true);
    synchronize(center); /* the loop has seen it */
    post_numbers(other, "net.durable", 1, 10);
    CHECK(COMES(two.heard == 10));
    CHECK(one.calls == 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(COMES(one.heard == 10) && one.backwards == 0);
    end_center(other);
    end_storing(&server, &client, center);
}

RULE(28, Network_a_durable_observer_is_forgotten) {
    struct server server = {0};
    static struct client client;
    struct indexer indexer = {0};
    HeraldCenterRef center = begin_storing(&server, &client, one_name, "");
    HeraldDurableOptions options = {.start = HeraldDurableBeginning};
    index_begin(center, &indexer, options);
    post_numbers(center, "net.durable", 1, 5);
    CHECK(COMES(indexer.heard == 5));
    index_end(&indexer, true);
    CHECK(HeraldNetworkForgetDurable(center, NULL, "indexer", PATIENCE) == HeraldOK);
    CHECK(HeraldNetworkForgetDurable(center, NULL, "indexer", PATIENCE) == HeraldOK); /* it is forgotten already */
    CHECK(HeraldNetworkForgetDurable(center, "S", "indexer", PATIENCE) == HeraldOK);
    CHECK(HeraldNetworkForgetDurable(center, "NONE", "indexer", PATIENCE) == HeraldTransportFailed);
    CHECK(strstr(HeraldGetErrorDescription(), "stream not found"));
    indexer = (struct indexer){0};
    index_begin(center, &indexer, options);
    CHECK(COMES(indexer.heard == 5));
    /* One that is there begins again, and does not take what comes for what it has heard. */
    CHECK(HeraldNetworkForgetDurable(center, "S", "indexer", PATIENCE) == HeraldOK);
    CHECK(COMES(indexer.heard == 10));
    char *answer = NULL;
    CHECK(HeraldNetworkCallJetStream(center, "STREAM.CREATE.T", "{\"name\":\"T\",\"subjects\":[\"t\"]}", PATIENCE,
                                     &answer) == HeraldOK);
    CHECK(answer && strstr(answer, "\"created\""));
    free(answer);
    CHECK(HeraldNetworkCallJetStream(center, "CONSUMER.DURABLE.CREATE.T.indexer",
                                     "{\"stream_name\":\"T\",\"config\":{\"durable_name\":\"indexer\"}}", PATIENCE,
                                     &answer) == HeraldOK);
    free(answer);
    CHECK(HeraldNetworkForgetDurable(center, NULL, "indexer", PATIENCE) == HeraldInvalidArgument);
    CHECK(HeraldNetworkCallJetStream(center, "STREAM.INFO.NONE", "", PATIENCE, &answer) == HeraldTransportFailed);
    CHECK(!answer && strstr(HeraldGetErrorDescription(), "stream not found"));
    CHECK(HeraldNetworkCallJetStream(center, "a b", "", PATIENCE, &answer) == HeraldInvalidArgument && !answer);
    end_storing(&server, &client, center);
}

RULE(28, Network_bad_options_of_a_durable_observer_are_refused) {
    struct indexer indexer = {0};
    HeraldCenterRef center = center_at("nats://127.0.0.1:1", NULL);
    HeraldNameRef name = HeraldNameCreate("net.durable");
    char longest[130];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    HeraldObserverOptions prefix = {.size = sizeof prefix, .prefix = "a"};
    const HeraldDurableOptions bad[] = {
        {.name = ""},
        {.name = "a.b"},
        {.name = "a b"},
        {.name = "*"},
        {.name = longest},
        {.stream = "a>"},
        {.about = name, .prefix = "net"},
        {.prefix = "net."},
        {.inFlight = 2},
        {.order = HeraldDurableEach, .inFlight = 65537},
        {.order = (HeraldDurableOrder)3},
        {.start = (HeraldDurableStart)4},
        {.sequence = 1},
        {.start = HeraldDurableSequence},
        {.start = HeraldDurableTime, .time = -1},
        {.start = HeraldDurableTime, .time = 1, .sequence = 1},
        {.patience = 0.01},
        {.patience = -1},
        {.patience = 1e9},
        {.options = &prefix},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(index_with(center, &indexer, bad[i]) == HeraldInvalidArgument && !indexer.durable);
        CHECK(*HeraldGetErrorDescription());
    }
    HeraldDurableOptions good = {.size = sizeof good, .name = "a", .about = name}, small = good;
    small.size = 8;
    CHECK(HeraldNetworkAddDurableObserver(center, NULL, NULL, &good, NULL) == HeraldInvalidArgument);
    CHECK(HeraldNetworkAddDurableObserver(center, NULL, hear_number, &small, NULL) == HeraldInvalidArgument);
    CHECK(HeraldNetworkAddDurableObserver(center, NULL, hear_number, NULL, NULL) == HeraldInvalidArgument);
    CHECK(HeraldNetworkAddDurableObserver(HeraldCenterGetLocalCenter(), NULL, hear_number, &good, NULL) ==
          HeraldInvalidArgument);
    CHECK(HeraldNetworkForgetDurable(center, "a b", "a", 1) == HeraldInvalidArgument);
    CHECK(HeraldNetworkForgetDurable(center, NULL, NULL, 1) == HeraldInvalidArgument);
    CHECK(HeraldNetworkForgetDurable(center, "S", "a", 0.1) == HeraldTransportFailed); /* there is no server */
    HeraldDurableEnd(NULL, true);
    CHECK(indexer.released == 0);
    HeraldNetworkClose(center, 0);
    CHECK(index_with(center, &indexer, (HeraldDurableOptions){0}) == HeraldTransportFailed && indexer.released == 0);
    HeraldCenterRelease(center);
}

/* libnats ends a connection to which it is to write nothing. The center is about to write, and all is refused. */
RULE(28, Network_turns_in_which_all_is_refused_end_no_durable_observer) {
    enum { POSTS = 6, LARGE = 900000 };
    struct server server = {0};
    static struct client client;
    static char bytes[LARGE];
    char config[256], url[64];
    struct indexer indexer = {0};
    struct events events = {0};
    int port = free_port();
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    snprintf(config, sizeof config, "max_payload: 65536\n%s", jetstream);
    HeraldCenterRef center = center_at(url, &events);
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = sizeof bytes};
    CHECK(index_with(center, &indexer, (HeraldDurableOptions){.start = HeraldDurableBeginning}) == HeraldOK);
    for (int i = 0; i < POSTS; i++)
        CHECK(HeraldCenterPostMessage(center, HeraldNameCreate("net.durable"), &message) == HeraldOK);
    server_begin(&server, port, config);
    client_begin(&client, server.port);
    stream_make(&client, one_name, "");
    CHECK(COMES(statistics_of(center).refused == POSTS));
    post_numbers(center, "net.durable", 1, 100);
    CHECK(COMES(indexer.heard == 100) && indexer.doubled == 0 && indexer.backwards == 0);
    CHECK(statistics_of(center).reconnects == 0 && events.kinds[HeraldNetworkConnected] == 1);
    end_storing(&server, &client, center);
}
