/* What a JetStream server stores: messages that are stored one by one, and durable observers of the network center,
 * next to libnats's own calls. The server stores in files. */
#include "server.h"

static const char bytes[64];

/* ---- The stream -------------------------------------------------------------------------------------------------- */

enum { STORED_MOST = 100000 };

static natsConnection *raw;
static jsCtx *stream;

static const char *open_stream(void) {
    jsStreamConfig config;
    const char *subjects[] = {"herald.bench"}, *reason = begin_server();
    if (reason) return reason;
    if (!(raw = connect_raw()) || natsConnection_JetStream(&stream, raw, NULL) != NATS_OK)
        return "the server cannot be reached";
    jsStreamConfig_Init(&config);
    config.Name = "BENCH";
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.MaxMsgs = STORED_MOST;
    return js_AddStream(NULL, stream, &config, NULL, NULL) == NATS_OK ? NULL : "the stream cannot be made";
}

/* As ordinary posts: nobody is told. */
static void post_raw(long count) {
    for (; count; count--) REQUIRE(natsConnection_Publish(raw, "herald.bench", bytes, sizeof bytes) == NATS_OK);
    REQUIRE(natsConnection_FlushTimeout(raw, 10000) == NATS_OK);
}

/* ---- libnats ----------------------------------------------------------------------------------------------------- */

static const char *open_raw(void *unused) {
    (void)unused;
    const char *reason = open_stream();
    pin_to(0);
    return reason;
}

static void store_raw(void *unused, long count) {
    jsPubAck *told;
    for (; count; count--) {
        REQUIRE(js_Publish(&told, stream, "herald.bench", bytes, sizeof bytes, NULL, NULL) == NATS_OK);
        jsPubAck_Destroy(told);
    }
    (void)unused;
}

enum { IN_FLIGHT = 1000 };

static natsSubscription *fetched;

static const char *open_fetch(void *unused) {
    jsSubOptions options;
    const char *reason = open_stream();
    (void)unused;
    if (reason) return reason;
    jsSubOptions_Init(&options);
    options.Config.MaxAckPending = IN_FLIGHT;
    if (js_PullSubscribe(&fetched, stream, "herald.bench", "raw", NULL, &options, NULL) != NATS_OK)
        return "the stream cannot be heard";
    pin_to(0);
    return NULL;
}

static void fetch_raw(void *unused, long count) {
    (void)unused;
    post_raw(count);
    while (count) {
        natsMsgList list;
        int most = count < IN_FLIGHT ? (int)count : IN_FLIGHT;
        REQUIRE(natsSubscription_Fetch(&list, fetched, most, 10000, NULL) == NATS_OK);
        for (int i = 0; i < list.Count; i++) REQUIRE(natsMsg_Ack(list.Msgs[i], NULL) == NATS_OK);
        count -= list.Count;
        natsMsgList_Destroy(&list);
    }
}

/* ---- The network center ------------------------------------------------------------------------------------------ */

static const char *open_network(void *unused) {
    (void)unused;
    const char *reason = open_stream();
    if (!reason && !connect_network()) reason = "the server cannot be reached";
    pin_to(0);
    return reason;
}

static void note_told(void *context, HeraldStatus status, uint64_t sequence) {
    (void)context, (void)sequence;
    REQUIRE(status == HeraldOK);
    heard();
}

static void store(void *unused, long count) {
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = sizeof bytes};
    (void)unused;
    for (; count; count--) {
        uint32_t answers = board->answers;
        REQUIRE(HeraldNetworkStoreMessage(network, bench, &message, 60, note_told, NULL) == HeraldOK);
        await_answer(answers);
    }
}

/* In this process. */
static bool count_heard(HeraldCenterRef center, void *observer, HeraldNameRef name, const HeraldMessage *message,
                        const HeraldStored *stored) {
    (void)center, (void)observer, (void)name, (void)message, (void)stored;
    if (++board->calls[0] == board->calls[1]) heard();
    return true;
}

static bool observe(HeraldDurableCallback callback, HeraldDurableOrder order) {
    HeraldDurableOptions options = {
        .size = sizeof options, .name = "durable", .about = bench, .order = order, .patience = 600};
    options.inFlight = order == HeraldDurableStrict ? 1 : IN_FLIGHT;
    return HeraldNetworkAddDurableObserver(network, NULL, callback, &options, NULL) == HeraldOK &&
           HeraldNetworkSynchronize(network, 5) == HeraldOK;
}

static HeraldDurableOrder strict = HeraldDurableStrict, each = HeraldDurableEach, alone = HeraldDurableAlone;

static const char *open_durable(void *order) {
    const char *reason = open_network(NULL);
    pin_to(-1); /* for the observer's thread */
    if (!reason && !observe(count_heard, *(HeraldDurableOrder *)order)) reason = "the stream cannot be heard";
    pin_to(0);
    return reason;
}

static void hear_durable(void *unused, long count) {
    uint32_t answers = board->answers;
    (void)unused;
    board->calls[1] = board->calls[0] + count;
    post_raw(count);
    await_answer(answers);
}

/* In another process. */
static bool hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const HeraldMessage *message,
                 const HeraldStored *stored) {
    (void)center, (void)observer, (void)name, (void)message, (void)stored;
    heard();
    return true;
}

static void listen_durable(void *unused) {
    (void)unused;
    if (!connect_network() || !observe(hear, HeraldDurableStrict)) return;
    board->ready++;
    for (;;) pause();
}

static const char *open_wake(void *unused) {
    const char *reason = open_stream();
    (void)unused;
    if (!reason) reason = begin_listener(listen_durable, NULL);
    if (!reason && !connect_network()) reason = "the server cannot be reached";
    pin_to(0);
    return reason;
}

static void post(void *unused) {
    HeraldMessage message = {.size = sizeof message, .type = "text/plain", .bytes = bytes, .length = sizeof bytes};
    (void)unused;
    REQUIRE(HeraldCenterPostMessage(network, bench, &message) == HeraldOK);
}

static size_t take_wakes(void *unused, double *values, size_t most) { return take_times(post, unused, values, most); }

int main(int argument_count, char **arguments) {
    static const char package[] = "libnats-dev libssl-dev nats-server";
    static const struct task tasks[] = {
        {.name = "raw-store", .package = package, .open = open_raw, .run = store_raw},
        {.name = "store", .open = open_network, .run = store},
        {.name = "raw-fetch", .open = open_fetch, .run = fetch_raw},
        {.name = "strict", .open = open_durable, .run = hear_durable, .context = &strict},
        {.name = "each", .open = open_durable, .run = hear_durable, .context = &each},
        {.name = "alone", .open = open_durable, .run = hear_durable, .context = &alone},
        {.name = "wake", .open = open_wake, .take = take_wakes}};
    make_board();
    return peer_main(argument_count, arguments, NULL, 0, tasks, sizeof tasks / sizeof *tasks);
}
