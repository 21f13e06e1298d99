/* The network center and libnats itself, with the same bytes and headers through one server on this machine: until
 * another process hears a post, and as many posts as possible. */
#include "server.h"

/* ---- libnats ----------------------------------------------------------------------------------------------------- */

static natsConnection *raw;
static const char bytes[16384];

static void hear_raw(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure) {
    const char *type = NULL;
    (void)connection, (void)subscription, (void)closure;
    natsMsgHeader_Get(message, "Content-Type", &type);
    natsMsg_Destroy(message);
    if (type) heard();
}

static void count_raw(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure) {
    (void)connection, (void)subscription, (void)closure;
    natsMsg_Destroy(message);
}

static void listen_raw(void *counts) {
    natsSubscription *subscription;
    natsConnection *mine = connect_raw();
    if (!mine || natsConnection_Subscribe(&subscription, mine, "herald.bench", counts ? count_raw : hear_raw, NULL))
        return;
    natsSubscription_SetPendingLimits(subscription, -1, -1);
    if (natsConnection_Flush(mine) != NATS_OK) return;
    board->ready++;
    for (;;) pause();
}

static const char *open_raw(void *counts) {
    const char *reason = begin_server();
    if (!reason) reason = begin_listener(listen_raw, counts);
    if (!reason && !(raw = connect_raw())) reason = "the server cannot be reached";
    pin_to(0);
    return reason;
}

static void post_raw(void *unused) {
    static uint64_t sequence;
    natsMsg *message;
    char text[64];
    (void)unused;
    snprintf(text, sizeof text, "%016llx %llu", 0x1234567890abcdefull, (unsigned long long)++sequence);
    REQUIRE(natsMsg_Create(&message, "herald.bench", NULL, bytes, 64) == NATS_OK);
    REQUIRE(natsMsgHeader_Set(message, "Content-Type", "text/plain") == NATS_OK);
    REQUIRE(natsMsgHeader_Set(message, "Herald-Post", text) == NATS_OK);
    REQUIRE(natsConnection_PublishMsg(raw, message) == NATS_OK);
    natsMsg_Destroy(message);
}

static size_t take_raw(void *unused, double *values, size_t most) { return take_times(post_raw, unused, values, most); }

static void post_many_raw(void *unused, long count) {
    for (; count; count--) post_raw(unused);
    REQUIRE(natsConnection_FlushTimeout(raw, 10000) == NATS_OK);
}

/* ---- The network center ------------------------------------------------------------------------------------------ */

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object;
    if (((const HeraldMessage *)userInfo)->type) heard();
}
static void count(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                  const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
}

static void listen_network(void *counts) {
    if (!connect_network() || HeraldCenterAddObserver(network, NULL, counts ? count : hear, bench, NULL,
                                                      HeraldSuspensionDeliverImmediately) != HeraldOK)
        return;
    if (HeraldNetworkSynchronize(network, 5) != HeraldOK) return;
    board->ready++;
    for (;;) pause();
}

static const char *open_network(void *counts) {
    const char *reason = begin_server();
    if (!reason) reason = begin_listener(listen_network, counts);
    if (!reason && !connect_network()) reason = "the server cannot be reached";
    pin_to(0);
    return reason;
}

static void post_network(void *unused) {
    HeraldMessage message = {.size = sizeof message, .type = "text/plain", .bytes = bytes, .length = 64};
    HeraldStatus status;
    (void)unused;
    while ((status = HeraldCenterPostMessage(network, bench, &message)) == HeraldQueueFull) usleep(100);
    REQUIRE(status == HeraldOK);
}

static size_t take_network(void *unused, double *values, size_t most) {
    return take_times(post_network, unused, values, most);
}

static void post_many_network(void *unused, long count) {
    for (; count; count--) post_network(unused);
    REQUIRE(HeraldNetworkSynchronize(network, 10) == HeraldOK);
}

static void add_names(void *unused, long count) {
    static long number;
    char text[32];
    (void)unused;
    for (; count; count--) {
        snprintf(text, sizeof text, "bench.%ld", number++ % 10000);
        HeraldNameRef name = HeraldNameCreate(text);
        HeraldToken token;
        REQUIRE(HeraldCenterAddObserverWithOptions(network, NULL, hear, name, NULL, NULL, &token) == HeraldOK);
        HeraldCenterRemoveToken(network, token);
    }
}

int main(int argument_count, char **arguments) {
    static const char package[] = "libnats-dev libssl-dev nats-server";
    static char counts[] = "counts";
    static const struct task tasks[] = {
        {.name = "raw", .package = package, .open = open_raw, .take = take_raw},
        {.name = "network", .open = open_network, .take = take_network},
        {.name = "raw-many", .open = open_raw, .run = post_many_raw, .context = counts},
        {.name = "network-many", .open = open_network, .run = post_many_network, .context = counts},
        {.name = "network-add", .open = open_network, .run = add_names}};
    make_board();
    return peer_main(argument_count, arguments, NULL, 0, tasks, sizeof tasks / sizeof *tasks);
}
