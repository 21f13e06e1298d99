/* R25 over transports: a small transport that keeps messages, and hands them in when a test says so. */
#include "check.h"
#include <herald/inspect.h>
#include <herald/message.h>

/* ---- The transport ----------------------------------------------------------------------------------------------- */

enum { MOST = 16 };
static struct {
    HeraldCenterRef center;
    struct kept {
        const char *object; /* NULL: none */
        char letter;        /* the message's only byte; 0: nothing is kept here */
        uint64_t number;
    } kept[MOST];
    uint64_t newest;
    bool is_quiet; /* posts are kept, and not handed in */
    int asked;     /* how often `begin` was called; the last call's arguments: */
    HeraldToken token;
    const char *text;
    HeraldNameRef name;
    void (*then)(void); /* in `begin` */
} wire;

static bool is_same(const char *one, const char *other) {
    return one == other || (one && other && strcmp(one, other) == 0);
}

static struct kept *find_kept(const char *object) {
    for (int i = 0; i < MOST; i++)
        if (wire.kept[i].letter && is_same(wire.kept[i].object, object)) return &wire.kept[i];
    return NULL;
}

static HeraldMessage message_of(const struct kept *kept) {
    return (HeraldMessage){.size = sizeof(HeraldMessage), .bytes = &kept->letter, .length = 1, .object = kept->object};
}

/* A kept post arrives with this number. */
static size_t arrive_with(const char *object, char letter, uint64_t number, unsigned options) {
    const struct kept kept = {object, letter, number};
    HeraldMessage message = message_of(&kept);
    message.options = options;
    return HeraldCenterDeliverKept(wire.center, wire.name, &message, number);
}
static size_t arrive(const char *object, char letter, uint64_t number) {
    return arrive_with(object, letter, number, HeraldPostKeep);
}

static HeraldStatus post_message(void *context, HeraldCenterRef center, HeraldNameRef name,
                                 const HeraldMessage *message) {
    CHECK(context == &wire && center == wire.center && name == wire.name);
    CHECK(message->options & HeraldPostKeep);
    struct kept *kept = find_kept(message->object);
    for (int i = 0; !kept; i++)
        if (!wire.kept[i].letter) kept = &wire.kept[i];
    *kept = (struct kept){message->object, *(const char *)message->bytes, ++wire.newest};
    if (!wire.is_quiet) arrive_with(message->object, kept->letter, kept->number, message->options);
    return HeraldOK;
}

static void note_begin(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                       HeraldToken token) {
    CHECK(context == &wire && center == wire.center && name == wire.name);
    wire.asked++;
    wire.token = token;
    wire.text = object;
    if (wire.then) wire.then();
}

static bool take_kept(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                      void (*take)(void *taken, const HeraldMessage *message), void *taken) {
    CHECK(context == &wire && center == wire.center && name == wire.name);
    const struct kept *kept = find_kept(object);
    if (!kept) return false;
    const HeraldMessage message = message_of(kept);
    take(taken, &message);
    return true;
}

static bool forget(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object) {
    CHECK(context == &wire && center == wire.center && name == wire.name);
    struct kept *kept = find_kept(object);
    if (kept) kept->letter = 0;
    return kept != NULL;
}

static void visit_kept(void *context, HeraldCenterRef center,
                       void (*visit)(void *visited, HeraldNameRef name, const HeraldMessage *message), void *visited) {
    CHECK(context == &wire && center == wire.center);
    for (int i = 0; i < MOST; i++) {
        if (!wire.kept[i].letter) continue;
        const HeraldMessage message = message_of(&wire.kept[i]);
        visit(visited, wire.name, &message);
    }
}

static HeraldStatus observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                             uint64_t version) {
    (void)context, (void)center, (void)name, (void)is_observed, (void)version;
    return HeraldOK;
}

static void make_wire_with(const HeraldCenterOptions *options) {
    memset(&wire, 0, sizeof wire);
    wire.name = name_of("r25.carried");
    for (const char *text = "a\0b\0c\0d\0"; *text; text += 2) HeraldObjectForString(text); /* see hear() */
    HeraldTransport transport = {.size = sizeof transport,
                                 .context = &wire,
                                 .observed = observed,
                                 .postMessage = post_message,
                                 .begin = note_begin,
                                 .takeKept = take_kept,
                                 .forget = forget,
                                 .visitKept = visit_kept};
    CHECK(HeraldCenterCreateWithTransport(options, &transport, &wire.center) == HeraldOK);
}
static void make_wire(void) { make_wire_with(NULL); }

/* What a follower begins with: posts as "object letter number", in the order of the numbers. */
struct start {
    const char *object;
    char letter;
    uint64_t number;
};
static void begin_with(const struct start *start, size_t count, uint64_t delivered, HeraldStatus status) {
    HeraldMessage messages[MOST];
    HeraldKeptPost kept[MOST];
    for (size_t i = 0; i < count; i++) {
        messages[i] = (HeraldMessage){
            .size = sizeof messages[i], .bytes = &start[i].letter, .length = 1, .object = start[i].object};
        kept[i] = (HeraldKeptPost){start[i].letter ? &messages[i] : NULL, start[i].number};
    }
    HeraldCenterBegin(wire.center, wire.name, wire.token, kept, count, delivered, status);
    memset(messages, 0, sizeof messages); /* the transport's own, and gone */
}
#define BEGIN(delivered, ...)                                                                                          \
    do {                                                                                                               \
        const struct start start[] = {__VA_ARGS__};                                                                    \
        begin_with(start, sizeof start / sizeof *start, delivered, HeraldOK);                                          \
    } while (0)
static void begin_with_nothing(HeraldStatus status) { begin_with(NULL, 0, 0, status); }

/* ---- Followers --------------------------------------------------------------------------------------------------- */

/* Hears letters: K before those that it begins with; [count] for `began`, or [!status]. A plain post is a dot. */
struct hearer {
    char heard[100];
    int released;
    HeraldToken token;
    void (*then)(struct hearer *self); /* in each call */
};

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    struct hearer *self = observer;
    size_t length = strlen(self->heard);
    const HeraldMessage *message = HeraldGetCurrentMessage();
    CHECK(center == wire.center && name == wire.name && userInfo == message);
    CHECK(object == (message && message->object ? HeraldObjectForString(message->object) : NULL));
    CHECK(length + 4 < sizeof self->heard);
    snprintf(self->heard + length, sizeof self->heard - length, "%s%c", HeraldPostIsKept() ? "K" : "",
             message ? *(const char *)message->bytes : '.');
    if (self->then) self->then(self);
}

static void began(void *observer, size_t kept, HeraldStatus status) {
    struct hearer *self = observer;
    size_t length = strlen(self->heard);
    snprintf(self->heard + length, sizeof self->heard - length, status == HeraldOK ? "[%d]" : "[!%d]",
             status == HeraldOK ? (int)kept : (int)status);
    CHECK(!HeraldPostIsKept() && !HeraldGetCurrentMessage());
    CHECK(status == HeraldOK || !kept);
}

static void released(void *observer) { ((struct hearer *)observer)->released++; }

static HeraldStatus try_to_follow(struct hearer *hearer, const void *object, HeraldSuspensionBehavior behavior) {
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = behavior,
                                     .release = released,
                                     .start = HeraldStartKept,
                                     .began = began};
    return HeraldCenterAddObserverWithOptions(wire.center, hearer, hear, wire.name, object, &options, &hearer->token);
}
static void follow_as(struct hearer *hearer, HeraldSuspensionBehavior behavior) {
    CHECK(try_to_follow(hearer, NULL, behavior) == HeraldOK);
}
static void follow(struct hearer *hearer) { follow_as(hearer, HeraldSuspensionDeliverImmediately); }
static void follow_begun(struct hearer *hearer, HeraldSuspensionBehavior behavior) {
    follow_as(hearer, behavior);
    begin_with_nothing(HeraldOK);
    CHECK(strcmp(hearer->heard, "[0]") == 0);
    hearer->heard[0] = 0;
}

static void listen(struct hearer *hearer) { /* not a follower */
    CHECK(HeraldCenterAddObserver(wire.center, hearer, hear, wire.name, NULL, HeraldSuspensionDeliverImmediately) ==
          HeraldOK);
}

#define CHECK_HEARS(hearer, expected)                                                                                  \
    do {                                                                                                               \
        struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};                                                    \
        snprintf(record.heard, sizeof record.heard, "%s", (hearer)->heard);                                            \
        CHECK_HEARD(&record, expected);                                                                                \
        (hearer)->heard[0] = 0;                                                                                        \
    } while (0)

static size_t queued(void) {
    size_t held;
    HeraldCenterGetRegistrationCount(wire.center, &held);
    return held;
}

/* ---- Waiting and beginning --------------------------------------------------------------------------------------- */

RULE(25, a_follower_over_a_transport_waits_and_begins_with_what_the_transport_hands_in) {
    make_wire();
    struct hearer follower = {0}, other = {0};
    listen(&other);
    follow(&follower);
    CHECK(wire.asked == 1 && !wire.text);
    CHECK(wire.token.center == follower.token.center && wire.token.registration == follower.token.registration);
    CHECK(arrive("a", '3', 3) == 1 && arrive(NULL, '4', 4) == 1);
    CHECK_HEARS(&other, "34");
    CHECK_HEARS(&follower, "");
    CHECK(queued() == 2);
    BEGIN(2, {NULL, '1', 1}, {"b", '2', 2});
    CHECK_HEARS(&follower, "K1K2[2]34");
    CHECK(arrive("a", '5', 5) == 2);
    CHECK_HEARS(&follower, "5");
    BEGIN(9, {"b", '9', 9}); /* it has begun */
    CHECK_HEARS(&follower, "");
    CHECK(queued() == 0);
    HeraldCenterRelease(wire.center);
    CHECK(follower.released == 1);
}

static void begin_at_once(void) { BEGIN(1, {NULL, '1', 1}); }

RULE(25, a_follower_begins_in_the_hook_of_its_transport) {
    make_wire();
    struct hearer follower = {0};
    wire.then = begin_at_once;
    follow(&follower);
    CHECK_HEARS(&follower, "K1[1]");
    HeraldCenterRelease(wire.center);
}

RULE(25, a_follower_of_an_object_begins_by_its_text_and_one_of_an_object_without_text_begins_with_nothing) {
    make_wire();
    struct hearer of_a = {0}, of_address = {0};
    CHECK(try_to_follow(&of_a, HeraldObjectForString("a"), HeraldSuspensionDeliverImmediately) == HeraldOK);
    CHECK(wire.asked == 1 && wire.text && strcmp(wire.text, "a") == 0);
    CHECK(try_to_follow(&of_address, &of_a, HeraldSuspensionDeliverImmediately) == HeraldOK);
    CHECK(wire.asked == 1);
    CHECK_HEARS(&of_address, "[0]");
    CHECK(arrive("b", '2', 2) == 0 && arrive("a", '3', 3) == 0);
    BEGIN(0, {"a", '1', 1});
    CHECK_HEARS(&of_a, "K1[1]3");
    CHECK_HEARS(&of_address, "");
    HeraldCenterRelease(wire.center);
}

RULE(25, a_follower_over_a_transport_skips_what_it_has_begun_with_and_what_is_older) {
    make_wire();
    struct hearer follower = {0};
    follow(&follower);
    arrive("a", '1', 1);
    arrive("b", '2', 2);
    arrive("a", '3', 3);
    BEGIN(3, {"b", '2', 2}, {"a", '3', 3}); /* 1 is older, 2 and 3 come twice */
    CHECK_HEARS(&follower, "K2K3[2]");
    arrive("a", '4', 4);
    CHECK_HEARS(&follower, "4");
    HeraldCenterRemoveToken(wire.center, follower.token);
    follow(&follower);
    BEGIN(4, {"b", '6', 6}, {"a", '8', 8}); /* the transport has found more than it has handed in */
    CHECK_HEARS(&follower, "K6K8[2]");
    arrive("b", '5', 5);
    CHECK_HEARS(&follower, "");
    arrive("b", '6', 6);
    CHECK_HEARS(&follower, "");
    arrive("c", '7', 7); /* another object */
    CHECK_HEARS(&follower, "7");
    arrive("a", '8', 8);
    CHECK_HEARS(&follower, "");
    arrive("a", '9', 9);
    arrive("b", 'A', 10);
    CHECK_HEARS(&follower, "9A");
    HeraldCenterRelease(wire.center);
}

RULE(25, a_follower_that_could_not_begin_hears_later_posts_and_begins_again_with_newer_ones_only) {
    make_wire();
    struct hearer follower = {0};
    follow(&follower);
    arrive("a", '3', 3);
    begin_with_nothing(HeraldTransportFailed);
    char failed[10];
    snprintf(failed, sizeof failed, "[!%d]3", (int)HeraldTransportFailed);
    CHECK_HEARS(&follower, failed);
    arrive("b", '5', 5);
    arrive("a", '6', 6);
    CHECK_HEARS(&follower, "56");
    begin_with_nothing(HeraldTransportFailed);
    failed[strlen(failed) - 1] = 0;
    CHECK_HEARS(&follower, failed);
    /* c was never heard, a was heard, of b there is a newer one; d is between numbers that were heard. */
    BEGIN(0, {"c", '2', 2}, {"d", '4', 4}, {"a", '6', 6}, {"b", '7', 7});
    CHECK_HEARS(&follower, "K2K4K7[3]");
    arrive("b", '7', 7);
    arrive("a", '8', 8);
    CHECK_HEARS(&follower, "8");
    BEGIN(0, {"a", '9', 9});
    CHECK_HEARS(&follower, "");
    HeraldCenterRelease(wire.center);
}

RULE(25, a_follower_that_begins_again_hears_nothing_older_even_of_more_objects_than_are_kept) {
    HeraldCenterOptions limited = {.size = sizeof limited, .keptPostLimit = 2};
    make_wire_with(&limited);
    struct hearer follower = {0};
    follow(&follower);
    begin_with_nothing(HeraldTransportFailed);
    arrive("a", '1', 1);
    arrive("b", '2', 2);
    arrive("c", '3', 3);
    arrive("a", '4', 4);
    follower.heard[0] = 0;
    BEGIN(0, {"b", '2', 2}, {"c", '3', 3}, {"a", '4', 4}, {"d", '5', 5});
    CHECK_HEARS(&follower, "K5[1]");
    arrive("a", '6', 6);
    CHECK_HEARS(&follower, "6");
    HeraldCenterRelease(wire.center);
}

RULE(25, a_follower_that_is_removed_while_it_waits_never_begins) {
    make_wire();
    struct hearer follower = {0};
    follow(&follower);
    arrive("a", '1', 1);
    CHECK(HeraldCenterRemoveTokenAndWait(wire.center, follower.token) && follower.released == 1);
    BEGIN(0, {"a", '1', 1});
    CHECK_HEARS(&follower, "");
    HeraldToken wrong = wire.token; /* of no registration, and of another center */
    wire.token.registration = ~(uint64_t)0;
    begin_with_nothing(HeraldOK);
    wire.token = wrong;
    wire.token.center++;
    begin_with_nothing(HeraldOK);
    CHECK(queued() == 0);
    HeraldCenterRelease(wire.center);
}

static void leave(struct hearer *self) { HeraldCenterRemoveToken(wire.center, self->token); }

RULE(25, a_follower_that_leaves_in_its_kept_call_over_a_transport_hears_no_more) {
    make_wire();
    struct hearer follower = {.then = leave};
    follow(&follower);
    arrive("c", '3', 3);
    BEGIN(0, {"a", '1', 1}, {"b", '2', 2});
    CHECK_HEARS(&follower, "K1");
    CHECK(follower.released == 1);
    HeraldCenterRelease(wire.center);
}

static void post_again(struct hearer *self) {
    self->then = NULL;
    HeraldMessage message = {.size = sizeof message, .bytes = "7", .length = 1, .options = HeraldPostKeep};
    wire.newest = 6;
    CHECK(HeraldCenterPostMessage(wire.center, wire.name, &message) == HeraldOK);
}

RULE(25, a_message_posted_in_a_kept_call_over_a_transport_is_heard_after_began) {
    make_wire();
    struct hearer follower = {.then = post_again};
    follow(&follower);
    BEGIN(0, {"a", '1', 1}, {"b", '2', 2});
    CHECK_HEARS(&follower, "K1K2[2]7");
    HeraldCenterRelease(wire.center);
}

static void release_center(struct hearer *self) {
    self->then = NULL;
    HeraldCenterRelease(wire.center);
}

RULE(25, a_follower_may_release_its_center_when_it_begins_over_a_transport) {
    make_wire();
    struct hearer follower = {.then = release_center}, again = {0};
    follow(&follower);
    BEGIN(0, {"a", '1', 1}, {"b", '2', 2});
    CHECK_HEARS(&follower, "K1");
    CHECK(follower.released == 1);
    make_wire();
    follow_begun(&again, HeraldSuspensionDeliverImmediately);
    again.then = release_center;
    CHECK(arrive(NULL, '1', 1) == 1);
    CHECK(again.released == 1);
}

static void release_in_hook(void) { HeraldCenterRelease(wire.center); }

RULE(25, a_transport_may_release_the_center_when_it_is_asked_for_what_is_kept) {
    make_wire();
    struct hearer follower = {0};
    wire.then = release_in_hook;
    follow(&follower);
    CHECK(follower.released == 1);
}

/* ---- Posts ------------------------------------------------------------------------------------------------------- */

static const void *expected_info;
static void hear_itself(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)name, (void)object;
    CHECK(userInfo == expected_info);
    ++*(int *)observer;
}

RULE(25, a_kept_post_from_a_transport_without_followers_is_an_ordinary_post) {
    make_wire();
    int calls = 0;
    HeraldMessage message = {.size = sizeof message, .bytes = "1", .length = 1, .sequence = 5};
    CHECK(HeraldCenterDeliverKept(wire.center, wire.name, &message, 1) == 0);
    CHECK(HeraldCenterAddObserver(wire.center, &calls, hear_itself, wire.name, NULL, HeraldSuspensionHold) == HeraldOK);
    expected_info = &message; /* it is not copied */
    CHECK(HeraldCenterDeliverKept(wire.center, wire.name, &message, 2) == 1 && calls == 1);
    expected_info = NULL;
    CHECK(HeraldCenterDeliverKept(wire.center, wire.name, NULL, 3) == 1 && calls == 2);
    HeraldCenterSetSuspended(wire.center, true);
    CHECK(HeraldCenterDeliverKept(wire.center, wire.name, NULL, 4) == 0 && calls == 2 && queued() == 1);
    HeraldCenterSetSuspended(wire.center, false);
    CHECK(calls == 3);
    CHECK(HeraldCenterDeliverKept(NULL, wire.name, NULL, 5) == 0);
    CHECK(HeraldCenterDeliverKept(wire.center, NULL, NULL, 5) == 0);
    HeraldCenterRelease(wire.center);
}

RULE(25, a_plain_kept_post_from_a_transport_is_heard_by_followers) {
    make_wire();
    struct hearer follower = {0};
    follow(&follower);
    CHECK(HeraldCenterDeliverKept(wire.center, wire.name, NULL, 2) == 0);
    BEGIN(0, {NULL, 0, 1});
    CHECK_HEARS(&follower, "K.[1].");
    CHECK(HeraldCenterDeliverKept(wire.center, wire.name, NULL, 3) == 1);
    CHECK(HeraldCenterPostNotification(wire.center, wire.name, NULL, NULL, false) == 1);
    CHECK_HEARS(&follower, "..");
    HeraldCenterRelease(wire.center);
}

static char *long_bytes;
enum { TOO_LONG = 17 << 20 };

static void hear_length(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)name, (void)object;
    *(size_t *)observer += ((const HeraldMessage *)userInfo)->length;
}

RULE(25, a_kept_post_that_cannot_be_held_is_dropped_for_followers_alone_and_counted) {
    make_wire();
    size_t heard = 0;
    struct hearer follower = {0}, waiting = {0};
    follow_begun(&follower, HeraldSuspensionDeliverImmediately);
    follow(&waiting);
    CHECK(HeraldCenterAddObserver(wire.center, &heard, hear_length, wire.name, NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    long_bytes = calloc(1, TOO_LONG);
    HeraldMessage message = {.size = sizeof message, .bytes = long_bytes, .length = TOO_LONG};
    CHECK(HeraldCenterDeliverKept(wire.center, wire.name, &message, 1) == 1);
    CHECK(heard == TOO_LONG && HeraldCenterGetDroppedPostCount(wire.center) == 2);
    HeraldKeptPost kept = {&message, 1};
    HeraldCenterBegin(wire.center, wire.name, waiting.token, &kept, 1, 1, HeraldOK);
    char full[10];
    snprintf(full, sizeof full, "[!%d]", (int)HeraldQueueFull);
    CHECK_HEARS(&waiting, full);
    wire.token = waiting.token;
    BEGIN(2, {NULL, '2', 2});
    CHECK_HEARS(&waiting, "K2[1]");
    CHECK_HEARS(&follower, "");
    free(long_bytes);
    HeraldCenterRelease(wire.center);
}

RULE(25, a_follower_that_waits_over_a_transport_holds_as_many_posts_as_a_suspended_one) {
    HeraldCenterOptions limited = {.size = sizeof limited, .heldPostLimit = 2};
    make_wire_with(&limited);
    struct hearer follower = {0};
    follow(&follower);
    for (int i = 1; i <= 9; i++) arrive(NULL, (char)('0' + i), (uint64_t)i);
    BEGIN(0, {"a", 'A', 1});
    CHECK_HEARS(&follower, "KA[1]89");
    CHECK(HeraldCenterGetDroppedPostCount(wire.center) == 7);
    HeraldCenterRelease(wire.center);
}

/* ---- Suspension -------------------------------------------------------------------------------------------------- */

RULE(25, a_kept_post_from_a_transport_is_held_by_each_behavior_of_followers) {
    make_wire();
    struct hearer drop = {0}, coalesce = {0}, hold = {0}, immediate = {0}, of_a = {0};
    follow_begun(&drop, HeraldSuspensionDrop);
    follow_begun(&coalesce, HeraldSuspensionCoalesce);
    follow_begun(&hold, HeraldSuspensionHold);
    follow_begun(&immediate, HeraldSuspensionDeliverImmediately);
    CHECK(try_to_follow(&of_a, HeraldObjectForString("a"), HeraldSuspensionCoalesce) == HeraldOK);
    BEGIN(0, {"a", '0', 1});
    CHECK_HEARS(&of_a, "K0[1]");
    HeraldCenterSetSuspended(wire.center, true);
    arrive("a", '2', 2);
    arrive("b", '3', 3);
    arrive("a", '4', 4);
    arrive(NULL, '5', 5);
    CHECK_HEARS(&immediate, "2345");
    CHECK_HEARS(&hold, "");
    HeraldCenterSetSuspended(wire.center, false);
    CHECK_HEARS(&drop, "");
    CHECK_HEARS(&coalesce, "345");
    CHECK_HEARS(&hold, "2345");
    CHECK_HEARS(&of_a, "4");
    HeraldCenterSetSuspended(wire.center, true);
    arrive("a", '6', 6);
    arrive_with("a", '7', 7, HeraldPostKeep | HeraldPostDeliverImmediately);
    arrive("a", '8', 8);
    CHECK_HEARS(&drop, "7");
    CHECK_HEARS(&coalesce, "7");
    CHECK_HEARS(&hold, "67");
    CHECK_HEARS(&of_a, "7");
    CHECK_HEARS(&immediate, "678");
    HeraldCenterSetSuspended(wire.center, false);
    CHECK_HEARS(&drop, "");
    CHECK_HEARS(&coalesce, "8");
    CHECK_HEARS(&hold, "8");
    HeraldCenterRelease(wire.center);
}

RULE(25, a_coalescing_follower_over_a_transport_hears_the_newest_of_each_object_beyond_the_limit) {
    HeraldCenterOptions limited = {.size = sizeof limited, .heldPostLimit = 2};
    make_wire_with(&limited);
    struct hearer follower = {0};
    follow_begun(&follower, HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(wire.center, true);
    for (int i = 1; i <= 9; i++) arrive(i % 2 ? "a" : "b", (char)('0' + i), (uint64_t)i);
    HeraldCenterSetSuspended(wire.center, false);
    CHECK_HEARS(&follower, "89");
    CHECK(HeraldCenterGetDroppedPostCount(wire.center) == 0);
    HeraldCenterRelease(wire.center);
}

RULE(25, a_follower_over_a_transport_that_begins_while_suspended_waits_for_the_resume) {
    make_wire();
    struct hearer hold = {0}, immediate = {0}, failed = {0};
    HeraldCenterSetSuspended(wire.center, true);
    follow_as(&hold, HeraldSuspensionHold);
    BEGIN(0, {"a", '1', 1});
    follow(&immediate);
    BEGIN(0, {"a", '1', 1});
    CHECK_HEARS(&immediate, "K1[1]");
    follow_as(&failed, HeraldSuspensionHold);
    begin_with_nothing(HeraldTransportFailed);
    BEGIN(0, {"a", '1', 1}); /* before it was told of the failure */
    arrive("a", '2', 2);
    CHECK_HEARS(&hold, "");
    CHECK_HEARS(&failed, "");
    CHECK_HEARS(&immediate, "2");
    HeraldCenterSetSuspended(wire.center, false);
    CHECK_HEARS(&hold, "K1[1]2");
    CHECK_HEARS(&failed, "K1[1]2");
    struct hearer waiting = {0}; /* the resume does not begin it */
    follow_as(&waiting, HeraldSuspensionHold);
    HeraldCenterSetSuspended(wire.center, true);
    arrive("a", '3', 3);
    HeraldCenterSetSuspended(wire.center, false);
    CHECK_HEARS(&waiting, "");
    BEGIN(0, {"a", '2', 2});
    CHECK_HEARS(&waiting, "K2[1]3");
    HeraldCenterRelease(wire.center);
}

/* ---- What is kept ------------------------------------------------------------------------------------------------ */

static char taken[20];
static void take(void *context, const void *userInfo, const void *tag) {
    const HeraldMessage *message = userInfo;
    CHECK(context == taken && tag);
    strncat(taken, message->bytes, 1);
}
static void visit(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    const HeraldMessage *message = userInfo;
    CHECK(name == wire.name);
    CHECK(object == (message->object ? HeraldObjectForString(message->object) : NULL));
    take(context, userInfo, tag);
}

static HeraldStatus keep(const char *object, const char *letter) {
    HeraldMessage message = {
        .size = sizeof message, .bytes = letter, .length = 1, .object = object, .options = HeraldPostKeep};
    return HeraldCenterPostMessage(wire.center, wire.name, &message);
}

RULE(25, a_transport_is_asked_for_what_it_keeps_and_forgets) {
    make_wire();
    const void *a = HeraldObjectForString("a");
    taken[0] = 0;
    CHECK(!HeraldCenterTakeKept(wire.center, wire.name, NULL, take, taken));
    CHECK(keep(NULL, "1") == HeraldOK && keep("a", "2") == HeraldOK && keep("a", "3") == HeraldOK);
    CHECK(HeraldCenterTakeKept(wire.center, wire.name, NULL, take, taken));
    CHECK(HeraldCenterTakeKept(wire.center, wire.name, a, take, taken));
    CHECK(!HeraldCenterTakeKept(wire.center, wire.name, &wire, take, taken)); /* an object without a text */
    CHECK(strcmp(taken, "13") == 0);
    HeraldCenterVisitKept(wire.center, visit, taken);
    CHECK(strcmp(taken, "1313") == 0);
    CHECK(!HeraldCenterForget(wire.center, wire.name, &wire) && HeraldCenterForget(wire.center, wire.name, a));
    CHECK(!HeraldCenterForget(wire.center, wire.name, a));
    HeraldCenterVisitKept(wire.center, visit, taken);
    CHECK(strcmp(taken, "13131") == 0);
    CHECK(HeraldCenterGetKeptCount(wire.center, NULL, NULL) == 0); /* the transport keeps it */
    HeraldCenterRelease(wire.center);
}

RULE(25, a_transport_that_keeps_nothing_refuses_kept_posts_and_followers) {
    make_wire();
    HeraldCenterRelease(wire.center);
    HeraldTransport transport = {.size = sizeof transport, .context = &wire, .postMessage = post_message};
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &wire.center) == HeraldOK);
    struct hearer follower = {0};
    CHECK(try_to_follow(&follower, NULL, HeraldSuspensionHold) == HeraldInvalidArgument);
    CHECK(strstr(HeraldGetErrorDescription(), "keeps nothing"));
    CHECK(keep(NULL, "1") == HeraldInvalidArgument && wire.newest == 0);
    CHECK(!HeraldCenterTakeKept(wire.center, wire.name, NULL, take, taken));
    CHECK(!HeraldCenterForget(wire.center, wire.name, NULL));
    HeraldCenterVisitKept(wire.center, visit, taken);
    HeraldCenterRelease(wire.center);
    make_wire(); /* one that keeps messages keeps no userInfo */
    CHECK(HeraldCenterPostKept(wire.center, wire.name, NULL, NULL, NULL, 0, NULL) == HeraldInvalidArgument);
    HeraldCenterRelease(wire.center);
}

/* ---- Threads that end, and fork ---------------------------------------------------------------------------------- */

static void end_thread(struct hearer *self) {
    self->then = NULL;
    pthread_exit(NULL);
}

static void *begin_elsewhere(void *unused) {
    BEGIN(0, {"a", '1', 1}, {"b", '2', 2});
    return unused;
}

static void *arrive_elsewhere(void *unused) {
    arrive("a", '4', 4);
    return unused;
}

RULE(25, a_follower_over_a_transport_goes_on_though_a_thread_ends_in_its_kept_call) { /* R17 */
    make_wire();
    struct hearer follower = {.then = end_thread};
    pthread_t thread;
    follow(&follower);
    pthread_create(&thread, NULL, begin_elsewhere, NULL);
    pthread_join(thread, NULL);
    CHECK_HEARS(&follower, "K1");
    arrive("a", '3', 3);
    CHECK_HEARS(&follower, "K2[2]3");
    follower.then = end_thread;
    pthread_create(&thread, NULL, arrive_elsewhere, NULL);
    pthread_join(thread, NULL);
    arrive("a", '5', 5);
    CHECK_HEARS(&follower, "45");
    HeraldCenterRelease(wire.center);
    CHECK(follower.released == 1);
}

static struct hearer inherited;
static void begin_in_child(void) {
    arrive("a", '2', 2);
    BEGIN(0, {"a", '1', 1});
    CHECK_HEARS(&inherited, "K1[1]2");
}

RULE(25, a_follower_that_waits_over_a_transport_begins_in_a_forks_child) { /* R18 */
    make_wire();
    memset(&inherited, 0, sizeof inherited);
    follow(&inherited);
    CHECK(child_passed(begin_in_child));
    BEGIN(0, {"a", '1', 1});
    CHECK_HEARS(&inherited, "K1[1]");
    HeraldCenterRelease(wire.center);
}

/* ---- Traces ------------------------------------------------------------------------------------------------------ */

static int spans;
static void see(void *context, const HeraldTraceEvent *event) {
    (void)context;
    spans += event->name == wire.name;
}

RULE(25, a_kept_post_from_a_transport_is_traced) { /* R24 */
    make_wire();
    struct hearer follower = {0};
    HeraldToken trace;
    spans = 0;
    follow_begun(&follower, HeraldSuspensionDeliverImmediately);
    CHECK(HeraldTraceStart(wire.center, NULL, see, NULL, NULL, &trace) == HeraldOK);
    CHECK(arrive("a", '1', 1) == 1 && spans >= 2); /* the post, and its call */
    HeraldTraceStop(trace);
    HeraldCenterRelease(wire.center);
}
