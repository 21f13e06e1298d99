/* Whether a server is silent (listening.h), with simulated links and servers: time is a variable here. */
#include "../../Rules/check.h"
#include "../../../CSources/CHeraldNetwork/src/listening.h"

enum { STEP_MS = 5, PING_MS = 1500, PING = 6, PINGS = 90, PAST = 1024 };

/* A connection. All positions are numbers of bytes of the stream that the poster writes. */
struct connection {
    struct herald_net_listening listening;
    double written, acknowledged, delivered;
    double past[PAST];   /* `written`, for each of the last steps */
    double pings[PINGS]; /* positions after which the server answers */
    int sent, answered, ping_at;
    int now; /* milliseconds */
};
static struct connection connection(int ping_at) {
    return (struct connection){.ping_at = ping_at, .listening.look_at = HERALD_NET_LOOK_MS};
}

/* The poster's side, for one step: a ping, answers, and a look if the loop wakes (`wakes`: for something else, too).
 * Returns whether the server is found to be silent. */
static bool goes_silent(struct connection *c, bool wakes) {
    struct herald_net_listening *listening = &c->listening;
    c->now += STEP_MS;
    if (c->now >= c->ping_at && c->sent < PINGS) {
        c->pings[c->sent++] = c->written += PING;
        c->ping_at += PING_MS;
        wakes = true;
    }
    c->past[c->now / STEP_MS % PAST] = c->written;
    while (c->answered < c->sent && c->pings[c->answered] <= c->delivered) {
        c->answered++;
        listening->heard = wakes = true;
    }
    int early = listening->heard && wakes ? HERALD_NET_LOOK_MS / 2 : 0;
    if (c->now < (int)listening->look_at - early) return false;
    listening->look_at = (uint64_t)(c->now + HERALD_NET_LOOK_MS);
    return herald_net_listening_look(listening, (uint64_t)c->acknowledged, (uint64_t)(c->written - c->acknowledged));
}

/* The link carries `rate` bytes a second. Its other end has room for `buffer` of them, which it acknowledges at once.
 * At `at`, the poster writes so much that the link needs `seconds` for it. Returns when the server is taken for silent,
 * in milliseconds after `at`; 0: it is not. */
static int takes_for_silent(double rate, double buffer, int at, double seconds, int ping_at) {
    struct connection c = connection(ping_at);
    for (int end = at + (int)(seconds * 1000) + 10000; c.now < end;) {
        bool writes = c.now <= at && at < c.now + STEP_MS;
        if (writes) c.written += seconds * rate;
        c.delivered += rate * STEP_MS / 1000;
        if (c.delivered > c.written) c.delivered = c.written;
        c.acknowledged = c.delivered + buffer < c.written ? c.delivered + buffer : c.written;
        if (goes_silent(&c, writes)) return c.now - at;
    }
    return 0;
}
/* The buffer on the way holds a second's bytes at most: with more, the answer after the last of them may be late. */
TEST(Network_slow_link_of_any_rate_is_no_silent_server) {
    static const double rates[] = {20e3, 100e3, 500e3, 3e6}, buffers[] = {0, 0.1, 0.5, 1};
    for (int i = 0; i < 16 * 8 * 4; i++) {
        double rate = rates[i / 4 % 4], buffer = buffers[i % 4] * rate;
        int at = i / 16 % 8 * HERALD_NET_LOOK_MS / 8 + 5000, ping_at = i / 128 * PING_MS / 4;
        for (double seconds = 0.5; seconds < 20; seconds += seconds < 8 ? 0.25 : 3) {
            if (!takes_for_silent(rate, buffer, at, seconds, ping_at)) continue;
            fprintf(stderr, "  %g B/s, %g B of room, %g s from %d ms on, pings from %d ms\n", rate, buffer, seconds, at,
                    ping_at);
            CHECK(!"silent");
            return;
        }
    }
}
TEST(Network_slow_link_is_waited_for_a_minute_at_most) {
    for (int at = 5000; at < 5000 + HERALD_NET_LOOK_MS; at += 100) {
        int silent = takes_for_silent(20e3, 2e3, at, 120, 0);
        CHECK(silent > 50000 && silent < 60000);
    }
}

/* The poster writes `bytes` every `period` milliseconds, as long as no more than 5 MiB wait, and something comes every
 * `hears` milliseconds (0: nothing). Bytes arrive after `trip` milliseconds. At `at` the server stops; its machine has
 * room for `room` bytes more, and acknowledges them. Returns how many milliseconds later this is noticed. */
struct post {
    double bytes;
    int period;
};
static int notices(struct post post, int hears, double room, int trip, int at, int ping_at) {
    struct connection c = connection(ping_at);
    double last = 1e300;
    while (c.now < at + 120000) {
        bool posts = c.now % post.period == 0 && c.written - c.acknowledged < 5 << 20;
        if (posts) c.written += post.bytes;
        bool stopped = c.now >= at, comes = !stopped && hears && c.now % hears == 0;
        if (stopped && last > 1e299) last = c.delivered + room;
        double arrived = c.now > trip ? c.past[(c.now - trip) / STEP_MS % PAST] : 0;
        if (arrived > last) arrived = last;
        if (arrived > c.acknowledged) c.acknowledged = arrived;
        if (!stopped) c.delivered = c.acknowledged;
        c.listening.heard |= comes;
        if (goes_silent(&c, posts || comes)) return c.now - at;
    }
    return -1;
}
/* How long it takes at most, at each phase of looks, pings and posts. */
static int notices_at_most(struct post post, double room, int trip) {
    int most = 0;
    for (int at = 9000; at < 9000 + HERALD_NET_LOOK_MS; at += 110)
        for (int ping_at = 0; ping_at < PING_MS; ping_at += PING_MS / 5)
            for (int hears = 0; hears < 3; hears++) {
                int took = notices(post, (int[]){0, 700, 1100}[hears], room, trip, at, ping_at);
                CHECK(took > 0);
                if (took > most) most = took;
            }
    return most;
}
TEST(Network_server_that_stops_is_noticed_while_posts_are_sent) {
    static const struct post posts[] = {{0, 1000},  {50, 1000}, {100, 10}, {300, 330}, {300, 820},
                                        {4e3, 700}, {1e3, 10},  {1e4, 10}, {1e5, 10},  {1e6, 10}};
    static const double rooms[] = {0, 16e3, 128e3, 2e6, 6e6};
    static const int trips[] = {0, 5, 20, 100, 200};
    int quiet = 0, longest = 0;
    for (int i = 0; i < 10 * 5 * 5; i++) {
        int most = notices_at_most(posts[i % 10], rooms[i / 10 % 5], trips[i / 50]);
        if (i % 10 < 2 && most > quiet) quiet = most;
        if (most > longest) longest = most;
        if (most > 8000 || (i % 10 < 2 && most > 5000))
            fprintf(stderr, "  %g B each %d ms, %g B of room, %d ms of way: %d ms\n", posts[i % 10].bytes,
                    posts[i % 10].period, rooms[i / 10 % 5], trips[i / 50], most);
    }
    fprintf(stderr, "  noticed within %d ms; with few posts %d ms\n", longest, quiet);
    CHECK(quiet <= 5000 && longest <= 8000); /* as the documentation says */
    CHECK(notices_at_most((struct post){1e4, 10}, 6e6, 600) < 60000);
}
