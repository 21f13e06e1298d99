/* A model of the order in which a watcher of the host center hears names: stamps, and two looks (watched.c, entry.h).
 *
 *     cc -std=c11 -O2 -Wall -Wextra -o build/host_order Tests/Model/host_order.c && build/host_order [MUTATION]
 *
 * A post of a name draws a stamp from the clock, gives it to the name unless the name has a newer one, counts, and
 * marks the name's group for the watcher. The watcher takes the marks and looks at the marked names, twice. The first
 * look bounds the round: M is the newest stamp that it finds. The second look finds every post that was made before any
 * post that the first found, and leaves stamps newer than M to the next round. Then the names are heard in the order of
 * their stamps.
 *
 * Claims.
 *   ORDER  A post that was complete before another one began is not heard after it. So each poster's posts are heard in
 *          their order, and also those of two posters that take turns. Exception: if its name was posted again before
 *          it was heard, and after the other post, it has the later place. That is, for posts p before q of different
 *          names: when q is heard, p has been heard, or some other post of p's name has drawn a stamp newer than q's.
 *          (Posts of one name are heard in order anyway: they are a count.)
 *   LOSS   At rest, every complete post has been heard.
 * A poster may be killed before any step. To be stopped there for ever is the same, as it has no locks. Both claims are
 * about the posts of the others and the posts that it has completed. For the exception, a stamp without its post counts
 * as a post.
 *
 * Left out. Sleeping and waking: a round begins whenever a mark is there. The watcher's look once a second, which finds
 * names that are not marked: here it would hide a loss. Groups of several names: then more names are looked at than are
 * marked. More than one watcher: they share only the stamps. Names that nobody watches get no stamps: the one watcher
 * is there from the beginning. The stamps are wide enough.
 *
 * Lesson. The watcher reads the count first, the stamp second. If it reads the stamp first, a name may be posted
 * between the two reads, and its new post is heard in its old place, before earlier posts. */
#include <stdbool.h>
#include <stdint.h>

enum { POSTERS = 2, NAMES = 3, EACH = 3, POSTS = POSTERS * EACH, WATCHER = POSTERS, THREADS };

enum step {
    REST, /* a poster that is done or dead; a watcher that waits for marks */
    /* posters */
    DRAW,
    READ_STAMP,
    SWAP_STAMP,
    COUNT,
    READ_GROUPS,
    MARK,
    /* the watcher */
    LOOK,
    LOOK_ON,
    LOOK_AGAIN,
};

struct state {
    uint8_t clock, groups;
    struct {
        uint8_t stamp, posts;
    } names[NAMES];
    struct poster {
        uint8_t step, post, part; /* which of its posts, and which part of it */
        uint8_t stamp, found;     /* the stamp that it has drawn, and the name's */
    } posters[POSTERS];
    struct watcher {
        uint8_t step, second;  /* the second look */
        uint8_t marked, left;  /* sets of names: still to look at, left to the next round */
        uint8_t posts, stamp;  /* of the name that it looks at, as read so far */
        uint8_t newest;        /* M */
        uint8_t noted;         /* set of the names to be heard, with: */
        uint8_t stamps[NAMES]; /* their stamps, by which they are sorted */
        uint8_t seen[NAMES];   /* the posts of all names that were heard */
    } watcher;
    /* Only the judge knows these. For each post: its stamp, its number among the posts of its name, and the posts that
     * were complete before it began. Then sets of posts. */
    struct {
        uint8_t stamp, number, before;
    } posts[POSTS];
    uint8_t complete, told, killed;
};

#include "host.h"

enum {
    ONE_LOOK = 1,
    NO_SORT,
    STAMP_AFTER_COUNT,
    STORE_STAMP,
    ACCEPT_ALL,
    GROUP_FIRST,
    STAMP_FIRST,
};
static const struct mutation mutations[] = {
    [ONE_LOOK] = {"ONE_LOOK", "ORDER", 0},                   /* no second look */
    [NO_SORT] = {"NO_SORT", "ORDER", 0},                     /* names are heard in the order of the look */
    [STAMP_AFTER_COUNT] = {"STAMP_AFTER_COUNT", "ORDER", 0}, /* a post counts before it has its stamp */
    [STORE_STAMP] = {"STORE_STAMP", "ORDER", 0},             /* the last stamp wins, not the newest */
    [ACCEPT_ALL] = {"ACCEPT_ALL", "ORDER", 0},               /* the second look leaves nothing to the next round */
    [GROUP_FIRST] = {"GROUP_FIRST", "LOSS", 0},              /* the mark is set before the post counts */
    [STAMP_FIRST] = {"STAMP_FIRST", "ORDER", 0},             /* the watcher reads a name's stamp before its count */
    {NULL, NULL, 0},
};

/* The names that the posters post. */
enum { SCENARIOS = 5 };
static const char *const programs[SCENARIOS][POSTERS] = {
    {"AB", "CB"}, {"BA", "CA"}, {"ABA", "CB"}, {"BAB", "CA"}, {"ACB", "BA"}};
static const char *scenario_name(int number) {
    static const char *const names[SCENARIOS] = {"AB and CB", "BA and CA", "ABA and CB", "BAB and CA", "ACB and BA"};
    return names[number];
}

static int bit(int number) { return 1 << number; }
static int first_of(int set) { return __builtin_ctz((unsigned)set); }
static int name_of(int post) { return programs[scenario][post / EACH][post % EACH] - 'A'; }

/* ---- Posting ---------------------------------------------------------------------------------------------------- */

/* The parts of a post, each by its first step: the stamp, the count, the mark. */
static int part(int number) {
    static const uint8_t right[] = {DRAW, COUNT, READ_GROUPS}, late[] = {COUNT, DRAW, READ_GROUPS},
                         early[] = {READ_GROUPS, DRAW, COUNT};
    return (wrong(STAMP_AFTER_COUNT) ? late : wrong(GROUP_FIRST) ? early : right)[number];
}

static struct state beginning(void) {
    struct state state;
    memset(&state, 0, sizeof state);
    for (int poster = 0; poster < POSTERS; poster++) state.posters[poster].step = (uint8_t)part(0);
    return state;
}

static void end_part(struct state *state, int number) {
    struct poster *poster = &state->posters[number];
    if (++poster->part < 3) {
        poster->step = (uint8_t)part(poster->part);
        return;
    }
    state->complete |= (uint8_t)bit(number * EACH + poster->post);
    uint8_t next = (uint8_t)(poster->post + 1);
    bool is_done = next == EACH || !programs[scenario][number][next];
    *poster = (struct poster){.step = (uint8_t)(is_done ? REST : part(0)), .post = is_done ? 0 : next};
}

static bool post(struct state *state, int number) {
    struct poster *poster = &state->posters[number];
    int post = number * EACH + poster->post, name = name_of(post);
    uint8_t *stamp = &state->names[name].stamp;
    if (poster->step == REST) return false;
    say("    poster %d, %c: ", number + 1, 'A' + name);
    if (poster->part == 0 && poster->step == part(0)) state->posts[post].before = state->complete;
    switch (poster->step) {
    case DRAW:
        poster->stamp = state->posts[post].stamp = ++state->clock;
        poster->step = READ_STAMP;
        say("draws stamp %d", poster->stamp);
        break;
    case READ_STAMP:
    case SWAP_STAMP:
        if (wrong(STORE_STAMP) || (poster->step == SWAP_STAMP && *stamp == poster->found)) {
            *stamp = poster->stamp;
            end_part(state, number);
            say("stores its stamp");
            break;
        }
        poster->found = *stamp;
        poster->step = SWAP_STAMP;
        say("finds stamp %d", *stamp);
        if (poster->found >= poster->stamp) end_part(state, number);
        break;
    case COUNT:
        state->posts[post].number = ++state->names[name].posts;
        end_part(state, number);
        say("counts");
        break;
    case READ_GROUPS:
        say("finds its group %s", state->groups & bit(name) ? "marked" : "unmarked");
        if (state->groups & bit(name))
            end_part(state, number);
        else
            poster->step = MARK;
        break;
    case MARK:
        state->groups |= (uint8_t)bit(name);
        end_part(state, number);
        say("marks its group");
        break;
    }
    return true;
}

/* ---- Watching --------------------------------------------------------------------------------------------------- */

/* The post is being heard: see ORDER. */
static void judge_order(const struct state *state, int q) {
    for (int p = 0; p < POSTS; p++) {
        bool is_told = state->told & bit(p), has_later_place = false;
        if (!(state->posts[q].before & bit(p)) || is_told) continue;
        for (int r = 0; r < POSTS; r++)
            if (r != p && state->posts[r].stamp > state->posts[q].stamp && name_of(r) == name_of(p))
                has_later_place = true;
        claim(has_later_place, "ORDER");
    }
}

static void tell_name(struct state *state, int name) {
    int covered = 0;
    say("; tells %c", 'A' + name);
    for (int post = 0; post < POSTS; post++) {
        int number = state->posts[post].number;
        if (number && number <= state->watcher.seen[name] && name_of(post) == name) covered |= bit(post);
    }
    int news = covered & ~state->told;
    state->told |= (uint8_t)news;
    for (int post = 0; post < POSTS; post++)
        if (news & bit(post)) judge_order(state, post);
}

/* The end of the round. It touches nothing shared, so it is part of the step before. */
static void tell(struct state *state) {
    const struct watcher *watcher = &state->watcher;
    for (int noted = watcher->noted; noted;) {
        int next = first_of(noted);
        for (int name = 0; name < NAMES && !wrong(NO_SORT); name++)
            if (noted & bit(name) && watcher->stamps[name] < watcher->stamps[next]) next = name;
        noted &= ~bit(next);
        tell_name(state, next);
    }
}

/* Goes to the next marked name, or from look to look. */
static void look_on(struct state *state) {
    struct watcher *watcher = &state->watcher;
    watcher->posts = watcher->stamp = 0;
    watcher->step = LOOK;
    if (watcher->marked) return;
    if (!watcher->second && !wrong(ONE_LOOK) && watcher->noted) {
        for (int name = 0; name < NAMES; name++)
            if (watcher->stamps[name] > watcher->newest) watcher->newest = watcher->stamps[name];
        watcher->second = true;
        watcher->step = LOOK_AGAIN;
        return;
    }
    tell(state);
    memset(watcher->stamps, 0, sizeof watcher->stamps);
    watcher->step = REST;
    watcher->second = watcher->noted = watcher->newest = 0;
}

/* A name has been read. A name that is left to the next round keeps its news. */
static void accept(struct state *state, int name) {
    struct watcher *watcher = &state->watcher;
    watcher->marked &= (uint8_t)~bit(name);
    if (watcher->posts == watcher->seen[name]) {
        say(", nothing new");
    } else if (watcher->second && watcher->stamp > watcher->newest && !wrong(ACCEPT_ALL)) {
        watcher->left |= (uint8_t)bit(name);
        say(", leaves it");
    } else {
        watcher->noted |= (uint8_t)bit(name);
        watcher->seen[name] = watcher->posts;
        watcher->stamps[name] = watcher->stamp;
        say(", notes it");
    }
    look_on(state);
}

static void take_marks(struct state *state) {
    struct watcher *watcher = &state->watcher;
    say("takes the marks %d", state->groups);
    watcher->marked = state->groups;
    state->groups = 0;
}

static bool watch(struct state *state) {
    struct watcher *watcher = &state->watcher;
    int name = watcher->marked ? first_of(watcher->marked) : 0;
    if (watcher->step == REST && !(state->groups | watcher->left)) return false;
    say("    watcher: ");
    switch (watcher->step) {
    case REST:
        take_marks(state);
        watcher->marked |= watcher->left;
        watcher->left = 0;
        look_on(state);
        break;
    case LOOK_AGAIN:
        take_marks(state);
        look_on(state);
        break;
    case LOOK:
    case LOOK_ON:
        if ((watcher->step == LOOK) == wrong(STAMP_FIRST)) {
            watcher->stamp = state->names[name].stamp;
            say("reads the stamp of %c: %d", 'A' + name, watcher->stamp);
        } else {
            watcher->posts = state->names[name].posts;
            say("reads the posts of %c: %d", 'A' + name, watcher->posts);
        }
        if (watcher->step == LOOK_ON || (!wrong(STAMP_FIRST) && watcher->posts == watcher->seen[name]))
            accept(state, name);
        else
            watcher->step = LOOK_ON;
        break;
    }
    return true;
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static bool kill_poster(struct state *state, int number) {
    if (state->killed || state->posters[number].step == REST) return false;
    say("    poster %d is killed", number + 1);
    state->posters[number] = (struct poster){.step = REST};
    state->killed = true;
    return true;
}

static bool take(struct state *state, int move) {
    if (move < WATCHER) return post(state, move);
    return move == WATCHER ? watch(state) : kill_poster(state, move - THREADS);
}

static void judge_rest(const struct state *state) { claim(!(state->complete & ~state->told), "LOSS"); }

int main(int count, char **arguments) {
    static const struct model model = {"order", "all orders kept", SCENARIOS, THREADS, THREADS + POSTERS, mutations};
    return report(&model, count > 1 ? arguments[1] : NULL);
}
