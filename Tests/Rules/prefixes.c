/* HeraldObserverOptions.prefix: names below a prefix, on every center; and HeraldGetErrorDescription. */
#include "check.h"
#include <herald/inspect.h>

static int o1;

static HeraldStatus observe_under(HeraldCenterRef center, struct listener *listener, const char *prefix,
                                  HeraldNameRef name, const void *object, HeraldToken *token) {
    HeraldObserverOptions options = {.size = sizeof options,
                                     .release = listener_released,
                                     .suspensionBehavior = HeraldSuspensionHold,
                                     .prefix = prefix};
    return HeraldCenterAddObserverWithOptions(center, listener, listener_hear, name, object, &options, token);
}

static void add_below(HeraldCenterRef center, struct listener *listener, const char *prefix, const void *object) {
    CHECK(observe_under(center, listener, prefix, NULL, object, &listener->token) == HeraldOK);
}

static size_t post(HeraldCenterRef center, const char *name, const void *object) {
    return HeraldCenterPostNotification(center, HeraldNameCreate(name), object, NULL, false);
}

RULE(26, prefix_is_observed_on_a_center_without_a_transport) {
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct listener a = {.letter = 'a', .record = &record}, b = {.letter = 'b', .record = &record},
                    c = {.letter = 'c', .record = &record}, about = {.letter = 'o', .record = &record};
    HeraldCenterRef center = new_center();
    add(center, &a, HeraldNameCreate("com.acme.saved"), NULL);
    char text[] = "com.acme"; /* the caller's memory is read during the call alone */
    add_below(center, &b, text, NULL);
    memset(text, 'x', sizeof text - 1);
    add_below(center, &about, "com.acme", &o1);
    add(center, &c, NULL, NULL);
    CHECK(post(center, "com.acme.saved", NULL) == 3);
    CHECK_HEARD(&record, "abc");
    post(center, "com.acme.saved", &o1);
    CHECK_HEARD(&record, "aboc");
    post(center, "com.acme.a.b.c", NULL);
    CHECK_HEARD(&record, "bc");
    post(center, "com.acme", NULL);
    post(center, "com.acmesoft.saved", NULL);
    post(center, "com", NULL);
    CHECK_HEARD(&record, "ccc");
    CHECK(b.name == HeraldNameCreate("com.acme.a.b.c"));
    HeraldTopicRef topic = HeraldTopicCreate(center, HeraldNameCreate("com.acme.topic"), NULL);
    HeraldTopicPost(topic, NULL);
    CHECK_HEARD(&record, "bc");
    HeraldTopicRelease(topic);
    HeraldCenterRemoveEveryObserver(center, &b); /* its token alone removes it */
    post(center, "com.acme.saved", NULL);
    CHECK_HEARD(&record, "abc");
    HeraldCenterSetSuspended(center, true);
    post(center, "com.acme.held", NULL);
    CHECK_HEARD(&record, "c");
    HeraldCenterSetSuspended(center, false);
    CHECK_HEARD(&record, "b");
    CHECK(HeraldCenterRemoveTokenAndWait(center, b.token) && b.released == 1);
    post(center, "com.acme.saved", NULL);
    CHECK_HEARD(&record, "ac");
    HeraldCenterRelease(center);
    CHECK(about.released == 1);
}

RULE(16, prefix_on_a_suspended_center_holds_posts_below_it_alone) {
    struct listener listener = {0};
    HeraldCenterRef center = new_center();
    add_below(center, &listener, "p", NULL);
    HeraldCenterSetSuspended(center, true);
    post(center, "p.x", NULL);
    for (int i = 0; i < 2000; i++) post(center, "other.name", NULL); /* more than are held */
    HeraldCenterSetSuspended(center, false);
    CHECK(listener.calls == 1 && listener.name == HeraldNameCreate("p.x"));
    CHECK(HeraldCenterGetDroppedPostCount(center) == 0);
    HeraldCenterRelease(center);
}

/* ---- A transport that has the hook for prefixes ------------------------------------------------------------------ */

static struct {
    char log[64];
    HeraldStatus answer;
    HeraldCenterRef center;
} lane;

static void note(const char *what, bool is_observed) {
    size_t length = strlen(lane.log);
    snprintf(lane.log + length, sizeof lane.log - length, "%c%s ", is_observed ? '+' : '-', what);
}

static HeraldStatus lane_observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                                  uint64_t version) {
    (void)context, (void)center, (void)version;
    note(name ? HeraldNameGetUTF8String(name) : "*", is_observed);
    return HeraldOK;
}

static HeraldStatus lane_under(void *context, HeraldCenterRef center, const char *prefix, bool is_observed,
                               uint64_t version) {
    (void)context, (void)version;
    CHECK(center == lane.center);
    if (is_observed && lane.answer != HeraldOK)
        return HeraldSetErrorDescription(lane.answer, "the lane takes no prefix today");
    note(prefix, is_observed);
    return HeraldOK;
}

static void begin_lane(bool has_hook) {
    HeraldTransport transport = {
        .size = sizeof transport, .observed = lane_observed, .observedUnder = has_hook ? lane_under : NULL};
    memset(&lane, 0, sizeof lane);
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &lane.center) == HeraldOK);
}

static void check_log(const char *expected) {
    if (strcmp(lane.log, expected) != 0) fprintf(stderr, "the log is \"%s\", not \"%s\"\n", lane.log, expected);
    CHECK(strcmp(lane.log, expected) == 0);
    lane.log[0] = 0;
}

RULE(26, transport_is_told_of_a_prefix_by_its_own_hook) {
    struct listener one = {0}, two = {0}, all = {0}, named = {0};
    begin_lane(true);
    add_below(lane.center, &one, "p", NULL);
    add_below(lane.center, &two, "p", NULL);
    check_log("+p ");
    add(lane.center, &all, NULL, NULL);
    add(lane.center, &named, HeraldNameCreate("p"), NULL); /* the name with the text of the prefix */
    check_log("+* +p ");
    HeraldCenterRemoveToken(lane.center, all.token);
    check_log("-* ");
    HeraldCenterRemoveToken(lane.center, one.token);
    check_log("");
    HeraldCenterRemoveToken(lane.center, two.token);
    check_log("-p ");
    CHECK(HeraldCenterHasObservers(lane.center, HeraldNameCreate("p")));
    add_below(lane.center, &two, "p.q", NULL);
    check_log("+p.q ");
    HeraldCenterRelease(lane.center);
    CHECK(strstr(lane.log, "-p.q ") && strstr(lane.log, "-p ")); /* in any order */
}

RULE(26, transport_without_the_hook_is_told_of_a_prefix_as_of_any_name) {
    struct listener one = {0}, all = {0};
    begin_lane(false);
    add_below(lane.center, &one, "p", NULL);
    check_log("+* ");
    add(lane.center, &all, NULL, NULL);
    HeraldCenterRemoveToken(lane.center, one.token);
    check_log("");
    HeraldCenterRemoveToken(lane.center, all.token);
    check_log("-* ");
    HeraldCenterRelease(lane.center);
    check_log("");
}

RULE(26, transport_may_refuse_a_prefix) {
    struct listener one = {0};
    begin_lane(true);
    lane.answer = HeraldTransportFailed;
    HeraldToken token = {1, 1};
    CHECK(observe_under(lane.center, &one, "p", NULL, NULL, &token) == HeraldTransportFailed);
    CHECK(strcmp(HeraldGetErrorDescription(), "the lane takes no prefix today") == 0);
    CHECK(token.center == 0 && token.registration == 0 && one.released == 0);
    CHECK(!HeraldCenterHasObservers(lane.center, HeraldNameCreate("p.q")));
    lane.answer = HeraldOK;
    add_below(lane.center, &one, "p", NULL);
    check_log("+p ");
    HeraldCenterRelease(lane.center);
    check_log("-p ");
    CHECK(one.released == 1);
}

/* ---- What is no prefix ------------------------------------------------------------------------------------------- */

static void refuse(HeraldCenterRef center, const char *prefix, HeraldNameRef name, const char *sentence) {
    struct listener listener = {0};
    HeraldToken token = {1, 1};
    CHECK(observe_under(center, &listener, prefix, name, NULL, &token) == HeraldInvalidArgument);
    CHECK(token.center == 0 && token.registration == 0 && listener.released == 0);
    if (strcmp(HeraldGetErrorDescription(), sentence) != 0) fprintf(stderr, "%s\n", HeraldGetErrorDescription());
    CHECK(strcmp(HeraldGetErrorDescription(), sentence) == 0);
}

RULE(26, what_is_no_prefix_is_refused_on_every_center_with_one_sentence) {
    static const char sentence[] = "a prefix is UTF-8 text of 1 to 511 bytes that does not end with a dot";
    char longest[513];
    memset(longest, 'x', sizeof longest);
    longest[512] = 0;
    const char *const none[] = {"", ".", "p.", "\xff", "p\xc3", longest};
    begin_lane(true);
    HeraldCenterRef centers[] = {new_center(), lane.center, HeraldCenterGetLocalCenter()};
    for (size_t c = 0; c < sizeof centers / sizeof *centers; c++) {
        for (size_t i = 0; i < sizeof none / sizeof *none; i++) refuse(centers[c], none[i], NULL, sentence);
        refuse(centers[c], "p", HeraldNameCreate("p"), "an observer has a name or a prefix, and this has both");
        longest[511] = 0;
        struct listener listener = {0};
        add_below(centers[c], &listener, longest, NULL);
        CHECK(HeraldCenterRemoveTokenAndWait(centers[c], listener.token));
        longest[511] = 'x';
    }
    HeraldCenterRelease(centers[0]);
    HeraldCenterRelease(centers[1]);
}

RULE(26, prefix_is_not_read_from_options_of_an_older_caller) {
    struct {
        HeraldObserverOptions options;
        char beyond[8];
    } given;
    struct listener listener = {0};
    memset(&given, 0xff, sizeof given);
    memset(&given.options, 0, offsetof(HeraldObserverOptions, prefix));
    given.options.size = offsetof(HeraldObserverOptions, prefix);
    HeraldCenterRef center = new_center();
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, name_of("a"), NULL, &given.options,
                                             &listener.token) == HeraldOK);
    CHECK(post(center, "a", NULL) == 1 && listener.calls == 1);
    HeraldCenterRelease(center);
}

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

static void *have_no_error(void *unused) {
    (void)unused;
    CHECK(strcmp(HeraldGetErrorDescription(), "") == 0);
    return NULL;
}

static void expect(HeraldStatus status, HeraldStatus expected, const char *sentence) {
    CHECK(status == expected);
    if (strcmp(HeraldGetErrorDescription(), sentence) != 0) fprintf(stderr, "%s\n", HeraldGetErrorDescription());
    CHECK(strcmp(HeraldGetErrorDescription(), sentence) == 0);
}

static void expect_faults_of_messages(HeraldCenterRef center, HeraldNameRef name) {
    static const HeraldMessage possible = {.size = sizeof possible, .object = "o", .type = "text/plain"};
    HeraldMessage small = possible, empty = possible, object = possible, type = possible;
    small.size = 3;
    empty.length = 1;
    object.object = "\xff";
    type.type = "\xff";
    expect(HeraldCenterPostMessage(center, name, NULL), HeraldInvalidArgument, "the message is NULL");
    expect(HeraldCenterPostMessage(center, name, &small), HeraldInvalidArgument,
           "the message's size is none of HeraldMessage: set it to sizeof(HeraldMessage)");
    expect(HeraldCenterPostMessage(center, name, &empty), HeraldInvalidArgument,
           "the message has a length, and no bytes");
    expect(HeraldCenterPostMessage(center, name, &object), HeraldInvalidArgument, "the message's object is not UTF-8");
    expect(HeraldCenterPostMessage(center, name, &type), HeraldInvalidArgument, "the message's type is not UTF-8");
}

RULE(15, call_that_fails_leaves_its_sentence_with_its_thread) {
    HeraldCenterRef center = new_center(), made;
    HeraldObserverOptions options = {.size = 3}, tagged = {.size = sizeof tagged};
    HeraldTransport transport = {.size = 3};
    HeraldMessage message = {.size = sizeof message, .length = 1};
    tagged.taggedCallback = (HeraldTaggedCallback)(void (*)(void))listener_hear;
    HeraldNameRef a = name_of("a");
    expect(HeraldCenterAddObserver(NULL, &o1, listener_hear, a, NULL, 0), HeraldInvalidArgument, "the center is NULL");
    expect(HeraldCenterAddObserver(center, &o1, NULL, a, NULL, 0), HeraldInvalidArgument, "the callback is NULL");
    expect(HeraldCenterAddObserver(center, &o1, listener_hear, a, NULL, (HeraldSuspensionBehavior)9),
           HeraldInvalidArgument, "a suspension behavior is 0, or one of the four of herald.h");
    expect(HeraldCenterAddObserverWithOptions(center, &o1, listener_hear, a, NULL, &options, NULL),
           HeraldInvalidArgument, "the options' size is none of HeraldObserverOptions");
    expect(HeraldCenterAddObserverWithOptions(center, &o1, listener_hear, a, NULL, &tagged, NULL),
           HeraldInvalidArgument, "an observer has either a callback or a taggedCallback");
    expect(HeraldCenterCreateWithTransport(NULL, NULL, &made), HeraldInvalidArgument,
           "the transport, or the pointer for the center, is NULL");
    expect(HeraldCenterCreateWithTransport(NULL, &transport, &made), HeraldInvalidArgument,
           "the options or the transport have an impossible size");
    expect(HeraldCenterPostMessage(NULL, a, &message), HeraldInvalidArgument, "the center or the name is NULL");
    expect_faults_of_messages(center, a);
    static int tag;
    HeraldTagOptions described = {.size = sizeof described};
    CHECK(HeraldTagSetOptions(&tag, &described) == HeraldOK);
    expect(HeraldTagSetOptions(&tag, &described), HeraldInvalidArgument, "the tag has been described already");
    expect(HeraldTraceStart(NULL, NULL, NULL, NULL, NULL, NULL), HeraldInvalidArgument, "the hook is NULL");
    begin_lane(true);
    message.length = 0;
    expect(HeraldCenterPostMessage(lane.center, a, &message), HeraldInvalidArgument, "the center carries no messages");
    HeraldCenterRelease(lane.center);
    struct listener listener = {0};
    add(center, &listener, a, NULL); /* a call that succeeds leaves the sentence as it is */
    CHECK(strcmp(HeraldGetErrorDescription(), "the center carries no messages") == 0);
    pthread_t thread;
    pthread_create(&thread, NULL, have_no_error, NULL);
    pthread_join(thread, NULL);
    char text[2000];
    memset(text, 'e', sizeof text);
    text[sizeof text - 1] = 0;
    CHECK(HeraldSetErrorDescription(HeraldTooLarge, text) == HeraldTooLarge);
    CHECK(strlen(HeraldGetErrorDescription()) == 767 && strncmp(HeraldGetErrorDescription(), text, 767) == 0);
    CHECK(HeraldSetErrorDescription(HeraldTooLarge, HeraldGetErrorDescription() + 1) == HeraldTooLarge);
    CHECK(strlen(HeraldGetErrorDescription()) == 766); /* of its own text */
    memset(text, 0xc3, sizeof text);
    for (size_t i = 1; i < sizeof text; i += 2) text[i] = (char)0xa9;
    text[sizeof text - 1] = 0;
    HeraldSetErrorDescription(HeraldTooLarge, text);
    CHECK(strlen(HeraldGetErrorDescription()) == 766); /* no half of a character */
    CHECK(HeraldSetErrorDescription(HeraldOK, NULL) == HeraldOK && HeraldGetErrorDescription()[0] == 0);
    HeraldCenterRelease(center);
}
