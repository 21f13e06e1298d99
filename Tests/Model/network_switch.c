/* A model of how a network center changes from one subscription to another while posts come in (interest.c,
 * subscription.c, sender.c).
 *
 *     cc -std=c11 -O2 -Wall -Wextra -o build/network_switch Tests/Model/network_switch.c &&
 *         build/network_switch [MUTATION]
 *
 * An observer of a name is there from beginning to end, with a narrow subscription. An observer of any name comes and
 * goes, with a wide subscription, which brings the name, too. Only the wider of the two is to stand. The loop sends
 * SUB, UNSUB and PING; the server answers PING in order. The loop reads incoming posts in order, and a thread of
 * libnats's delivers them. A subscription that is to end is stopped when the server has answered a PING sent after the
 * SUB of the one that takes over: it delivers the posts that it has brought so far, and no more. It ends when they are
 * delivered.
 *
 * Claims.
 *   ONCE     No post is heard twice.
 *   ORDER    Posts are heard in their order.
 *   LOSS     At rest, every post has been heard.
 *   SETTLED  At rest, the wider of the wanted subscriptions stands, and nothing else.
 *
 * Left out. Connections that end: then posts are lost, and counted. Posts of other programs without a number: these may
 * be heard twice. More than one name, and interests that the server denies.
 *
 * Lessons. If the narrow one ends in the same write as the SUB of the wide one, posts that only the narrow one would
 * bring are lost. A wide one that is no longer wanted must not end before the narrow one, which was stopped, has been
 * made again. */
#include <stdbool.h>
#include <stdint.h>

enum { POSTS = 4, NARROW = 0, WIDE = 1, SUBSCRIPTIONS, UP = 12, DOWN = 14, LIST = POSTS * SUBSCRIPTIONS };
enum { POST, SERVE, READ, SETTLE, DELIVER, CHANGE, STEPS };

/* In `up`. In `down`, a PONG is 100 + its number, and a post is 10 * the subscription's number + the post's. */
enum { SUB = 10, UNSUB = 40, PING = 100 };

struct state {
    uint8_t up[UP], down[DOWN], up_count, down_count; /* oldest first */
    uint8_t served[SUBSCRIPTIONS];                    /* of the server: the number of the subscription, 0: none */
    struct own {
        uint8_t wants, number; /* 0: it has none */
        uint8_t ends, ends_after;
        uint8_t brought, delivered, limit; /* posts that it has brought; 0: no limit */
    } own[SUBSCRIPTIONS];
    uint8_t last_number, asked, flushing, flushed, dirty;
    struct {
        uint8_t number, post; /* `number` is the subscription's */
    } list[LIST];
    uint8_t list_count;
    uint8_t known_post;             /* the newest in the table of senders */
    uint8_t posted, heard, changes; /* `heard` is a set */
    uint8_t newest;
};

#include "host.h"

enum { WIDE_FIRST = 1, SAME_WRITE, TWICE, PENDING, COVERED, AWAITED };
static const struct mutation mutations[] = {
    [WIDE_FIRST] = {"WIDE_FIRST", "LOSS", 0}, /* the old one ends without the server's answer */
    [SAME_WRITE] = {"SAME_WRITE", "LOSS", 1}, /* the old one ends before the new one is made */
    [TWICE] = {"ONCE", "ONCE", 0},            /* a post that has come already is heard again */
    [PENDING] = {"PENDING", "LOSS", 0},       /* it ends with the posts that it has brought */
    [COVERED] = {"COVERED", "SETTLED", 0},    /* the narrow one stays */
    [AWAITED] = {"AWAITED", "LOSS", 2},       /* it ends while the other has yet to be made again */
    {NULL, NULL, 0},
};

enum { SCENARIOS = 4 };
static const char *scenario_name(int number) {
    static const char *const names[SCENARIOS] = {"a wide one comes", "a wide one goes", "it comes, and goes",
                                                 "it goes, and comes again"};
    return names[number];
}

/* ---- The loop ---------------------------------------------------------------------------------------------------- */

static void send_up(struct state *state, int what) {
    if (state->up_count == UP) abort();
    state->up[state->up_count++] = (uint8_t)what;
}

static int waits(const struct own *own) { return own->brought - own->delivered; }

static void make(struct state *state, int which) {
    struct own *own = &state->own[which];
    *own = (struct own){.wants = own->wants, .number = ++state->last_number};
    send_up(state, SUB + 10 * which + own->number);
    say("; subscribes %s %d", which ? "wide" : "narrow", own->number);
}

static void end(struct state *state, int which) {
    struct own *own = &state->own[which];
    if (!own->limit) send_up(state, UNSUB + which);
    *own = (struct own){.wants = own->wants};
    say("; ends %s", which ? "wide" : "narrow");
}

static bool should_be(const struct state *state, int which) {
    if (which == NARROW && state->own[WIDE].wants && !wrong(COVERED)) return false;
    return state->own[which].wants;
}

/* As in interest.c. */
enum place { VACANT, TAKEN, AWAITED_PLACE };

static bool stands(const struct own *own) { return own->wants && own->number && !own->ends; }

static enum place place_of_own(const struct state *state, int which) {
    const struct own *other = &state->own[1 - which];
    if (wrong(AWAITED)) return TAKEN;
    if (which == NARROW && other->wants) return stands(other) ? TAKEN : AWAITED_PLACE;
    if (which == WIDE && other->wants) return stands(other) ? TAKEN : AWAITED_PLACE;
    return state->own[which].wants ? TAKEN : VACANT;
}

/* Returns whether the subscription has to be looked at again. */
static bool end_in_time(struct state *state, int which) {
    struct own *own = &state->own[which];
    enum place place = place_of_own(state, which);
    if (place == AWAITED_PLACE) {
        own->ends_after = 0;
        return true;
    }
    if (place == TAKEN) {
        if (!own->ends_after) own->ends_after = ++state->asked;
        if (state->flushed < own->ends_after && !wrong(WIDE_FIRST)) return true;
        bool stopped = own->ends;
        own->ends = waits(own) > 0 && !wrong(PENDING);
        if (own->ends && !stopped) {
            own->limit = own->brought;
            send_up(state, UNSUB + which);
            say("; stops %s at %d", which ? "wide" : "narrow", own->limit);
        }
        if (own->ends) return true;
    }
    end(state, which);
    return true; /* it may be wanted again */
}

static bool settle(struct state *state) {
    if (!state->dirty) return false;
    say("    loop: settles");
    state->dirty = false;
    if (wrong(SAME_WRITE))
        for (int which = 0; which < SUBSCRIPTIONS; which++)
            if (state->own[which].number && !should_be(state, which)) end(state, which);
    for (int which = SUBSCRIPTIONS; which--;)
        if (!state->own[which].number && should_be(state, which)) make(state, which);
    for (int which = 0; which < SUBSCRIPTIONS; which++) {
        struct own *own = &state->own[which];
        if (own->number && (!should_be(state, which) || own->ends))
            state->dirty |= end_in_time(state, which);
        else
            own->ends_after = 0;
    }
    if (state->flushing == state->flushed && state->asked > state->flushed) {
        state->flushing = state->asked;
        send_up(state, PING + state->flushing);
        say("; pings %d", state->flushing);
    }
    return true;
}

static struct own *own_of(struct state *state, int number) {
    for (int which = 0; which < SUBSCRIPTIONS; which++)
        if (number && state->own[which].number == number) return &state->own[which];
    return NULL;
}

static bool read_next(struct state *state) {
    if (!state->down_count) return false;
    int what = state->down[0];
    memmove(state->down, state->down + 1, DOWN - 1);
    state->down[--state->down_count] = 0;
    if (what >= PING) {
        state->flushed = (uint8_t)(what - PING);
        say("    loop: reads PONG %d", state->flushed);
        return true;
    }
    struct own *own = own_of(state, what / 10);
    say("    loop: reads post %d by %d", what % 10, what / 10);
    if (!own) return true;
    own->brought++;
    state->list[state->list_count].number = (uint8_t)(what / 10);
    state->list[state->list_count++].post = (uint8_t)(what % 10);
    return true;
}

/* ---- The others -------------------------------------------------------------------------------------------------- */

static void send_down(struct state *state, int what) {
    if (state->down_count == DOWN) abort();
    state->down[state->down_count++] = (uint8_t)what;
}

static bool serve(struct state *state) {
    if (!state->up_count) return false;
    int what = state->up[0];
    memmove(state->up, state->up + 1, UP - 1);
    state->up[--state->up_count] = 0;
    say("    server: %s", what >= PING ? "answers PING" : what >= UNSUB ? "unsubscribes" : "subscribes");
    if (what >= PING) {
        send_down(state, what);
    } else if (what >= UNSUB) {
        state->served[what - UNSUB] = 0;
    } else {
        state->served[what / 10 - 1] = (uint8_t)(what % 10);
    }
    return true;
}

static bool post(struct state *state) {
    if (state->posted == POSTS) return false;
    state->posted++;
    say("    poster: posts %d", state->posted);
    for (int which = 0; which < SUBSCRIPTIONS; which++)
        if (state->served[which]) send_down(state, 10 * state->served[which] + state->posted);
    return true;
}

static void hear(struct state *state, int post) {
    say("; heard");
    claim(!(state->heard & 1 << post), "ONCE");
    claim(post > state->newest || state->heard & 1 << post, "ORDER");
    state->heard |= (uint8_t)(1 << post);
    if (post > state->newest) state->newest = (uint8_t)post;
}

static bool deliver(struct state *state) {
    if (!state->list_count) return false;
    int number = state->list[0].number, post = state->list[0].post;
    memmove(state->list, state->list + 1, sizeof state->list - sizeof *state->list);
    memset(&state->list[--state->list_count], 0, sizeof *state->list);
    struct own *own = own_of(state, number);
    say("    delivery: post %d by %d", post, number);
    if (!own) return true; /* it has ended, and its posts with it */
    own->delivered++;
    if (own->limit && own->delivered > own->limit) return true;
    if (post <= state->known_post && !wrong(TWICE)) return true;
    state->known_post = (uint8_t)post;
    hear(state, post);
    return true;
}

/* The observers of any name come and go. */
static bool change(struct state *state) {
    static const int most[SCENARIOS] = {1, 1, 2, 2};
    if (state->changes == most[scenario]) return false;
    state->changes++;
    state->own[WIDE].wants = !state->own[WIDE].wants;
    state->dirty = true;
    say("    observers of any name: %s", state->own[WIDE].wants ? "come" : "go");
    return true;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static struct state beginning(void) {
    struct state state;
    memset(&state, 0, sizeof state);
    int first = scenario == 0 || scenario == 2 ? NARROW : WIDE;
    state.own[NARROW].wants = true;
    state.own[WIDE].wants = first == WIDE;
    state.own[first].number = state.served[first] = state.last_number = 1;
    return state;
}

static bool take(struct state *state, int move) {
    switch (move) {
    case POST: return post(state);
    case SERVE: return serve(state);
    case READ: return read_next(state);
    case SETTLE: {
        struct state before = *state;
        return settle(state) && memcmp(&before, state, sizeof before) != 0; /* waiting is no step */
    }
    case DELIVER: return deliver(state);
    default: return change(state);
    }
}

static void judge_rest(const struct state *state) {
    int widest = state->own[WIDE].wants ? WIDE : NARROW;
    claim(state->heard == (1 << (POSTS + 1)) - 2, "LOSS");
    claim(state->own[widest].number && !state->own[widest].ends && state->served[widest], "SETTLED");
    claim(!state->own[1 - widest].number && !state->served[1 - widest], "SETTLED");
}

int main(int count, char **arguments) {
    static const struct model model = {"switch", "all heard once", SCENARIOS, STEPS, STEPS, mutations};
    return report(&model, count > 1 ? arguments[1] : NULL);
}
