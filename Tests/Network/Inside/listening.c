/* Whether a server is silent (listening.h), with simulated links and servers: time is a variable here. */
#include "../../Rules/check.h"
#include "../../../CSources/CHeraldNetwork/src/listening.h"

enum { STEP_MS = 5, PING_MS = 1500, PING = 6, PINGS = 64, MOST_ON_THE_WAY = 1 << 20 };

/* A connection. All positions are numbers of bytes of the stream that the poster writes. */
struct connection {
    struct herald_net_listening listening;
    double written, acknowledged, delivered;
    double pings[PINGS]; /* positions after which the server answers */
    int sent, answered, ping_at;
    int now; /* milliseconds */
};

/* The poster's side, for one step: a ping, and a look. Returns whether the server is found to be silent. */
static bool goes_silent(struct connection *c) {
    struct herald_net_listening *listening = &c->listening;
    c->now += STEP_MS;
    if (c->now >= c->ping_at && c->sent < PINGS) {
        c->pings[c->sent++] = c->written += PING;
        c->ping_at += PING_MS;
    }
    while (c->answered < c->sent && c->pings[c->answered] <= c->delivered) {
        c->answered++;
        listening->heard = true;
    }
    if (c->now < (int)listening->look_at - (listening->heard ? HERALD_NET_LOOK_MS / 2 : 0)) return false;
    listening->look_at = (uint64_t)(c->now + HERALD_NET_LOOK_MS);
    return herald_net_listening_look(listening, (uint64_t)c->acknowledged, (uint64_t)(c->written - c->acknowledged));
}
static struct connection connection(int ping_at) {
    return (struct connection){.ping_at = ping_at, .listening.look_at = HERALD_NET_LOOK_MS};
}

/* The link carries `rate` bytes a second. Its other end has room for `buffer` of them, which it acknowledges at once.
 * At `at`, the poster writes so much that the link needs `seconds` for it. */
static bool finds_slow_link_silent(double rate, double buffer, int at, double seconds, int ping_at) {
    struct connection c = connection(ping_at);
    for (int end = at + (int)(seconds * 1000) + 10000; c.now < end;) {
        if (c.now <= at && at < c.now + STEP_MS) c.written += seconds * rate;
        c.delivered += rate * STEP_MS / 1000;
        if (c.delivered > c.written) c.delivered = c.written;
        c.acknowledged = c.delivered + buffer < c.written ? c.delivered + buffer : c.written;
        if (goes_silent(&c)) return true;
    }
    return false;
}
TEST(Network_slow_link_of_any_rate_is_no_silent_server) {
    static const double rates[] = {20e3, 100e3, 500e3, 3e6}, buffers[] = {0, 0.1, 0.5, 1};
    for (int i = 0; i < 16 * 8 * 4; i++) {
        double rate = rates[i / 4 % 4], buffer = buffers[i % 4] * rate;
        int at = i / 16 % 8 * HERALD_NET_LOOK_MS / 8 + 5000, ping_at = i / 128 * PING_MS / 4;
        for (double seconds = 0.5; seconds < 20; seconds += seconds < 8 ? 0.25 : 3) {
            if (!finds_slow_link_silent(rate, buffer, at, seconds, ping_at)) continue;
            fprintf(stderr, "  %g B/s, %g B of room, %g s from %d ms on, pings from %d ms\n", rate, buffer, seconds, at,
                    ping_at);
            CHECK(!"silent");
            return;
        }
    }
}

/* The server stops at `at`. Its machine has room for `room` bytes, and acknowledges them at once; to be precise, after
 * `trip` seconds. The poster writes `rate` bytes a second, as long as no more than 5 MiB wait. Returns how many
 * milliseconds later it is found to be silent. */
static int notices(double rate, double room, double trip, int at, int ping_at) {
    struct connection c = connection(ping_at);
    double stopped = -1;
    while (c.now < at + 120000) {
        if (c.written - c.acknowledged < 5 << 20) c.written += rate * STEP_MS / 1000;
        if (c.now >= at && stopped < 0) stopped = c.delivered;
        double last = stopped < 0 ? 1e300 : stopped + room, way = rate * trip,
               arrived = c.written - (way < MOST_ON_THE_WAY ? way : MOST_ON_THE_WAY);
        if (arrived > last) arrived = last;
        if (arrived > c.acknowledged) c.acknowledged = arrived;
        if (stopped < 0) c.delivered = c.acknowledged;
        if (goes_silent(&c)) return c.now - at;
    }
    return -1;
}
TEST(Network_server_that_stops_is_noticed_beside_posts) {
    static const double rates[] = {0, 100, 10e3, 100e3, 1e6, 10e6, 100e6}, rooms[] = {0, 16e3, 128e3, 2e6, 6e6},
                        trips[] = {0, 0.001, 0.02, 0.1, 0.2};
    int longest = 0, quiet = 0;
    for (int i = 0; i < 7 * 5 * 5 * 16; i++) {
        int at = 9000 + i / 175 * HERALD_NET_LOOK_MS / 16;
        for (int ping_at = 0; ping_at < PING_MS; ping_at += PING_MS / 5) {
            int took = notices(rates[i % 7], rooms[i / 7 % 5], trips[i / 35 % 5], at, ping_at);
            if (took > longest) longest = took;
            if (i % 7 < 2 && took > quiet) quiet = took;
            CHECK(took > 0);
        }
    }
    fprintf(stderr, "  noticed within %d ms; without posts %d ms\n", longest, quiet);
    CHECK(quiet <= 5000 && longest <= 7000); /* as the documentation says */
}
