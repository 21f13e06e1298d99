/* R25: kept posts in the process. Values are numbers under a tag that counts; what is heard is a line of words: K in
 * front of what was kept, an observer's letter, the number; B and a count for `began`. */
#include "check.h"
#include <herald/inspect.h>
#include <herald/message.h>

/* ---- Values and observers ---------------------------------------------------------------------------------------- */

struct value {
    atomic_int references;
    long number;
};
static atomic_int alive;
static const char counted; /* its address is the tag */

static const void *retain_value(const void *value) {
    atomic_fetch_add(&((struct value *)(uintptr_t)value)->references, 1);
    return value;
}

static void release_value(const void *kept) {
    struct value *value = (struct value *)(uintptr_t)kept;
    if (atomic_fetch_sub(&value->references, 1) != 1) return;
    value->number = -1;
    atomic_fetch_sub(&alive, 1);
    free(value);
}

static struct value *new_value(long number) {
    static const HeraldTagOptions options = {
        .size = sizeof options, .retainUserInfo = retain_value, .releaseUserInfo = release_value};
    HeraldTagSetOptions(&counted, &options); /* the second time it changes nothing */
    struct value *value = malloc(sizeof *value);
    value->references = 1;
    value->number = number;
    atomic_fetch_add(&alive, 1);
    return value;
}

static HeraldStatus keep_with(HeraldCenterRef center, HeraldNameRef name, const void *object, long number,
                              unsigned options, size_t *called) {
    struct value *value = new_value(number);
    HeraldStatus status = HeraldCenterPostKept(center, name, object, value, &counted, options, called);
    release_value(value);
    return status;
}

static size_t keep(HeraldCenterRef center, HeraldNameRef name, const void *object, long number) {
    size_t called = 99;
    CHECK(keep_with(center, name, object, number, 0, &called) == HeraldOK);
    return called;
}

static void take_number(void *number, const void *userInfo, const void *tag) {
    CHECK(tag == &counted);
    *(long *)number = ((const struct value *)userInfo)->number;
}

/* What is kept; 0: nothing. */
static long kept(HeraldCenterRef center, HeraldNameRef name, const void *object) {
    long number = 0;
    bool taken = HeraldCenterTakeKept(center, name, object, take_number, &number);
    CHECK(taken == (number != 0));
    return number;
}

struct heard {
    pthread_mutex_t lock;
    char words[400];
};

struct ear {
    const char *letter;
    struct heard *heard;
    void (*then)(struct ear *self, HeraldCenterRef center, long number);
    HeraldToken token;
    HeraldNameRef name;
    const void *object;
    int left; /* for `then` */
    atomic_int released;
    int alive_at_release;
};

static void say(struct heard *heard, const char *word) {
    pthread_mutex_lock(&heard->lock);
    size_t length = strlen(heard->words);
    snprintf(heard->words + length, sizeof heard->words - length, "%s ", word);
    pthread_mutex_unlock(&heard->lock);
}

static void check_heard(struct heard *heard, const char *expected, int line) {
    char sentence[900];
    snprintf(sentence, sizeof sentence, "heard \"%s\", expected \"%s\"", heard->words, expected);
    if (strcmp(heard->words, expected) != 0) check_failed(__FILE__, line, sentence);
    heard->words[0] = 0;
}
#define HEARD(heard, expected) check_heard(heard, expected, __LINE__)

static void ear_hears(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    struct ear *self = observer;
    long number = userInfo ? ((const struct value *)userInfo)->number : 0;
    char word[40];
    snprintf(word, sizeof word, "%s%s%ld", HeraldPostIsKept() ? "K" : "", self->letter, number);
    say(self->heard, word);
    self->name = name;
    self->object = object;
    if (self->then) self->then(self, center, number);
}

static void ear_began(void *observer, size_t count, HeraldStatus status) {
    struct ear *self = observer;
    char word[40];
    snprintf(word, sizeof word, "B%s%zu%s", self->letter, count, HeraldPostIsKept() ? "!" : "");
    CHECK(status == HeraldOK && HeraldGetCurrentTag() == NULL);
    say(self->heard, word);
}

static void ear_released(void *observer) {
    struct ear *self = observer;
    self->alive_at_release = alive;
    self->released++;
}

static HeraldObserverOptions follows(HeraldSuspensionBehavior behavior) {
    HeraldObserverOptions options = {.size = sizeof options,
                                     .suspensionBehavior = behavior,
                                     .release = ear_released,
                                     .start = HeraldStartKept,
                                     .began = ear_began};
    return options;
}

static void follow_as(HeraldCenterRef center, struct ear *ear, HeraldNameRef name, const void *object,
                      HeraldSuspensionBehavior behavior) {
    HeraldObserverOptions options = follows(behavior);
    CHECK(HeraldCenterAddObserverWithOptions(center, ear, ear_hears, name, object, &options, &ear->token) == HeraldOK);
}

static void follow(HeraldCenterRef center, struct ear *ear, HeraldNameRef name, const void *object) {
    follow_as(center, ear, name, object, HeraldSuspensionDeliverImmediately);
}

static void hear_next(HeraldCenterRef center, struct ear *ear, HeraldNameRef name, const void *object) {
    HeraldObserverOptions options = {.size = sizeof options, .release = ear_released};
    CHECK(HeraldCenterAddObserverWithOptions(center, ear, ear_hears, name, object, &options, &ear->token) == HeraldOK);
}

/* A center, a name and two observers, a and b. Nothing may be alive at the end. */
struct stage {
    HeraldCenterRef center;
    HeraldNameRef name;
    struct heard heard;
    struct ear a, b;
    int alive_before;
};

static void begin(struct stage *stage) {
    memset(stage, 0, sizeof *stage);
    pthread_mutex_init(&stage->heard.lock, NULL);
    stage->center = new_center();
    stage->name = name_of("r25.state");
    stage->a = (struct ear){.letter = "", .heard = &stage->heard};
    stage->b = (struct ear){.letter = "b", .heard = &stage->heard};
    stage->alive_before = alive;
}

static void finish(struct stage *stage) {
    if (stage->center) HeraldCenterRelease(stage->center);
    CHECK(alive == stage->alive_before);
}

static int o1, o2;

/* ---- The sentences of R25 ---------------------------------------------------------------------------------------- */

RULE(25, kept_gives_the_last_kept_post) {
    struct stage s;
    begin(&s);
    CHECK(kept(s.center, s.name, NULL) == 0);
    CHECK(keep(s.center, s.name, NULL, 1) == 0);
    CHECK(kept(s.center, s.name, NULL) == 1);
    keep(s.center, s.name, NULL, 2);
    CHECK(kept(s.center, s.name, NULL) == 2 && alive == 1);
    CHECK(kept(s.center, name_of("r25.other"), NULL) == 0);
    finish(&s);
}

RULE(25, begins_with_what_is_kept_once_and_marked_then_began_then_what_comes) {
    struct stage s;
    begin(&s);
    follow(s.center, &s.a, s.name, NULL);
    HEARD(&s.heard, "B0 ");
    keep(s.center, s.name, NULL, 1);
    HEARD(&s.heard, "1 ");
    CHECK(HeraldCenterRemoveTokenAndWait(s.center, s.a.token));
    follow(s.center, &s.a, s.name, NULL);
    HEARD(&s.heard, "K1 B1 ");
    CHECK(keep(s.center, s.name, NULL, 2) == 1);
    keep(s.center, s.name, NULL, 3);
    HEARD(&s.heard, "2 3 ");
    hear_next(s.center, &s.b, s.name, NULL); /* who did not ask gets none */
    HEARD(&s.heard, "");
    CHECK(keep(s.center, s.name, NULL, 4) == 2);
    HEARD(&s.heard, "4 b4 "); /* R2 */
    finish(&s);
    CHECK(s.a.released == 2 && s.b.released == 1);
}

RULE(25, begins_with_the_newest_of_each_object_the_oldest_first) {
    struct stage s;
    begin(&s);
    keep(s.center, s.name, &o1, 1);
    keep(s.center, s.name, NULL, 2);
    keep(s.center, s.name, &o2, 3);
    keep(s.center, s.name, &o1, 4);
    follow(s.center, &s.a, s.name, NULL);
    HEARD(&s.heard, "K2 K3 K4 B3 ");
    CHECK(s.a.object == &o1);
    follow(s.center, &s.b, s.name, &o2);
    HEARD(&s.heard, "Kb3 Bb1 ");
    keep(s.center, s.name, &o1, 5);
    HEARD(&s.heard, "5 ");
    keep(s.center, s.name, &o2, 6);
    HEARD(&s.heard, "6 b6 ");
    CHECK(kept(s.center, s.name, &o1) == 5 && kept(s.center, s.name, &o2) == 6 && kept(s.center, s.name, NULL) == 2);
    finish(&s);
}

static void post_ten_more(struct ear *self, HeraldCenterRef center, long number) {
    if (self->left-- > 0) keep(center, self->name, self->object, number + 10);
}

RULE(25, posted_again_in_the_kept_call_is_heard_after_it_once) {
    struct stage s;
    begin(&s);
    keep(s.center, s.name, NULL, 1);
    s.a.then = post_ten_more;
    s.a.left = 2;
    follow(s.center, &s.a, s.name, NULL);
    HEARD(&s.heard, "K1 B1 11 21 "); /* what its calls have posted comes after `began` */
    CHECK(kept(s.center, s.name, NULL) == 21);
    finish(&s);
}

RULE(25, kept_again_in_a_call_nobody_hears_the_older_after_the_newer) {
    struct stage s;
    begin(&s);
    follow(s.center, &s.a, s.name, NULL);
    follow(s.center, &s.b, s.name, NULL);
    s.a.then = post_ten_more;
    s.a.left = 1;
    s.heard.words[0] = 0;
    keep(s.center, s.name, NULL, 3);
    HEARD(&s.heard, "3 b3 b13 13 ");
    finish(&s);
}

RULE(25, others_hear_a_kept_post_as_any_post) {
    struct stage s;
    begin(&s);
    struct ear any = {.letter = "*", .heard = &s.heard}, under = {.letter = "u", .heard = &s.heard};
    hear_next(s.center, &any, NULL, NULL);
    HeraldObserverOptions below = {.size = sizeof below, .prefix = "r25"};
    CHECK(HeraldCenterAddObserverWithOptions(s.center, &under, ear_hears, NULL, NULL, &below, NULL) == HeraldOK);
    hear_next(s.center, &s.a, s.name, &o1);
    CHECK(keep(s.center, s.name, &o1, 1) == 3);
    HEARD(&s.heard, "*1 u1 1 ");
    CHECK(keep(s.center, s.name, NULL, 2) == 2);
    HEARD(&s.heard, "*2 u2 ");
    finish(&s);
}

RULE(25, registered_twice_each_begins_with_its_own) {
    struct stage s;
    begin(&s);
    keep(s.center, s.name, NULL, 1);
    follow(s.center, &s.a, s.name, NULL);
    follow(s.center, &s.a, s.name, NULL);
    HEARD(&s.heard, "K1 B1 K1 B1 ");
    CHECK(keep(s.center, s.name, NULL, 2) == 2);
    HEARD(&s.heard, "2 2 ");
    finish(&s);
}

static void remove_itself(struct ear *self, HeraldCenterRef center, long number) {
    (void)number;
    CHECK(HeraldCenterRemoveToken(center, self->token));
}

RULE(25, removed_in_its_kept_call_hears_no_more_and_gets_no_began) {
    struct stage s;
    begin(&s);
    keep(s.center, s.name, &o1, 1);
    keep(s.center, s.name, &o2, 2);
    s.a.then = remove_itself;
    follow(s.center, &s.a, s.name, NULL);
    HEARD(&s.heard, "K1 ");
    CHECK(s.a.released == 1);
    keep(s.center, s.name, &o1, 3);
    HEARD(&s.heard, "");
    finish(&s);
}

RULE(25, a_follower_is_removed_by_its_observer_or_name_as_any_registration) {
    struct stage s;
    begin(&s);
    follow(s.center, &s.a, s.name, NULL);
    follow(s.center, &s.a, s.name, &o1);
    follow(s.center, &s.b, s.name, &o1);
    s.heard.words[0] = 0;
    HeraldCenterRemoveObserver(s.center, &s.a, s.name, &o1);
    keep(s.center, s.name, &o1, 1);
    HEARD(&s.heard, "1 b1 ");
    HeraldCenterRemoveEveryObserverAndWait(s.center, &s.a);
    CHECK(s.a.released == 2);
    keep(s.center, s.name, &o1, 2);
    HEARD(&s.heard, "b2 ");
    finish(&s);
}

RULE(25, what_the_lane_holds_goes_before_the_release_of_its_registration) {
    struct stage s;
    begin(&s);
    follow_as(s.center, &s.a, s.name, NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(s.center, true);
    keep(s.center, s.name, NULL, 1);
    keep(s.center, s.name, NULL, 2);
    CHECK(alive == 2); /* 1 is in the lane alone */
    CHECK(HeraldCenterRemoveToken(s.center, s.a.token));
    CHECK(s.a.released == 1 && s.a.alive_at_release == 1);
    HeraldCenterSetSuspended(s.center, false);
    HEARD(&s.heard, "B0 ");
    finish(&s);
}

RULE(25, forgotten_is_kept_no_more_and_its_memory_is_given_back) {
    struct stage s;
    begin(&s);
    CHECK(!HeraldCenterForget(s.center, s.name, NULL));
    keep(s.center, s.name, NULL, 1);
    keep(s.center, s.name, &o1, 2);
    CHECK(HeraldCenterForget(s.center, s.name, NULL) && !HeraldCenterForget(s.center, s.name, NULL));
    CHECK(alive == 1 && kept(s.center, s.name, &o1) == 2); /* without an object is not: of any object */
    follow(s.center, &s.a, s.name, NULL);
    HEARD(&s.heard, "K2 B1 ");
    CHECK(HeraldCenterForget(s.center, s.name, &o1) && alive == 0);
    follow(s.center, &s.b, s.name, NULL);
    HEARD(&s.heard, "Bb0 ");
    finish(&s);
}

static void forget_and_keep(void *context, const void *userInfo, const void *tag) {
    struct stage *s = context;
    CHECK(tag == &counted && HeraldCenterForget(s->center, s->name, NULL));
    CHECK(((const struct value *)userInfo)->number == 1); /* it is still there */
    keep(s->center, s->name, NULL, 2);
    CHECK(alive == 2);
}

RULE(25, taken_is_kept_alive_while_it_is_taken) {
    struct stage s;
    begin(&s);
    keep(s.center, s.name, NULL, 1);
    CHECK(HeraldCenterTakeKept(s.center, s.name, NULL, forget_and_keep, &s));
    CHECK(alive == 1 && kept(s.center, s.name, NULL) == 2);
    finish(&s);
}

/* Begun, suspended, three kept posts; then resumed. */
static void suspended_three(struct stage *s, HeraldSuspensionBehavior behavior, const char *meanwhile,
                            const char *resumed) {
    begin(s);
    follow_as(s->center, &s->a, s->name, NULL, behavior);
    s->heard.words[0] = 0;
    HeraldCenterSetSuspended(s->center, true);
    keep(s->center, s->name, &o1, 1);
    keep(s->center, s->name, &o2, 2);
    keep(s->center, s->name, &o1, 3);
    CHECK(kept(s->center, s->name, &o1) == 3); /* at once */
    HEARD(&s->heard, meanwhile);
    HeraldCenterSetSuspended(s->center, false);
    HEARD(&s->heard, resumed);
    keep(s->center, s->name, &o1, 4);
    HEARD(&s->heard, "4 ");
    CHECK(HeraldCenterGetDroppedPostCount(s->center) == 0);
    finish(s);
}

RULE(25, suspended_each_behavior_says_what_is_heard_of_kept_posts) {
    struct stage s;
    suspended_three(&s, HeraldSuspensionDeliverImmediately, "1 2 3 ", "");
    suspended_three(&s, HeraldSuspensionHold, "", "1 2 3 ");
    suspended_three(&s, HeraldSuspensionCoalesce, "", "2 3 ");
    suspended_three(&s, HeraldSuspensionDrop, "", "");
}

RULE(25, begun_while_suspended_hears_the_kept_on_resume_then_by_its_behavior) {
    static const struct {
        HeraldSuspensionBehavior behavior;
        const char *added, *meanwhile, *resumed;
    } cases[] = {
        {HeraldSuspensionDeliverImmediately, "K1 B1 ", "2 3 ", ""},
        {HeraldSuspensionHold, "", "", "K1 B1 2 3 "},
        {HeraldSuspensionCoalesce, "", "", "K1 B1 3 "},
        {HeraldSuspensionDrop, "", "", "K1 B1 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage s;
        begin(&s);
        keep(s.center, s.name, NULL, 1);
        HeraldCenterSetSuspended(s.center, true);
        follow_as(s.center, &s.a, s.name, NULL, cases[i].behavior);
        HEARD(&s.heard, cases[i].added);
        keep(s.center, s.name, NULL, 2);
        keep(s.center, s.name, NULL, 3);
        HEARD(&s.heard, cases[i].meanwhile);
        HeraldCenterSetSuspended(s.center, false);
        HEARD(&s.heard, cases[i].resumed);
        finish(&s);
    }
}

RULE(25, suspended_a_post_that_hurries_delivers_the_lane_up_to_it_in_order) {
    struct stage s;
    begin(&s);
    follow_as(s.center, &s.a, s.name, NULL, HeraldSuspensionHold);
    follow_as(s.center, &s.b, s.name, &o1, HeraldSuspensionHold);
    s.heard.words[0] = 0;
    HeraldCenterSetSuspended(s.center, true);
    keep(s.center, s.name, &o1, 1);
    CHECK(keep_with(s.center, s.name, &o2, 2, HeraldPostDeliverImmediately, NULL) == HeraldOK);
    HEARD(&s.heard, "1 2 ");
    keep(s.center, s.name, &o1, 3);
    HEARD(&s.heard, "");
    HeraldCenterSetSuspended(s.center, false);
    HEARD(&s.heard, "3 b1 b3 ");
    finish(&s);
}

static void suspend_and_keep_five(struct ear *self, HeraldCenterRef center, long number) {
    if (number != 1) return;
    HeraldCenterSetSuspended(center, true);
    for (long i = 11; i <= 15; i++) keep(center, self->name, self->object, i);
}

static HeraldCenterRef center_with(size_t held, size_t kept_posts) {
    HeraldCenterOptions options = {.size = sizeof options, .heldPostLimit = held, .keptPostLimit = kept_posts};
    HeraldCenterRef center = HeraldCenterCreate(&options);
    CHECK(center != NULL);
    return center;
}

RULE(25, what_exceeds_the_limit_of_a_lane_is_dropped_the_oldest_first_and_counted) {
    struct stage s;
    begin(&s);
    HeraldCenterRelease(s.center);
    s.center = center_with(3, 0);
    struct ear c = {.letter = "c", .heard = &s.heard};
    follow_as(s.center, &s.a, s.name, NULL, HeraldSuspensionHold);
    follow_as(s.center, &s.b, s.name, NULL, HeraldSuspensionCoalesce);
    follow_as(s.center, &c, s.name, &o1, HeraldSuspensionHold);
    s.heard.words[0] = 0;
    HeraldCenterSetSuspended(s.center, true);
    keep(s.center, s.name, &o1, 1);
    for (long i = 2; i < 100; i++) keep(s.center, s.name, &o2, i); /* of these, b hears the last alone */
    CHECK(alive <= 10);                                            /* what nobody can hear any more is given back */
    HeraldCenterSetSuspended(s.center, false);
    HEARD(&s.heard, "97 98 99 b1 b99 c1 ");
    CHECK(HeraldCenterGetDroppedPostCount(s.center) == 96);
    finish(&s);
}

RULE(25, a_coalescing_follower_holds_no_more_objects_than_the_limit) {
    struct stage s;
    begin(&s);
    HeraldCenterRelease(s.center);
    s.center = center_with(3, 0);
    static char objects[8];
    follow_as(s.center, &s.a, s.name, NULL, HeraldSuspensionCoalesce);
    s.heard.words[0] = 0;
    HeraldCenterSetSuspended(s.center, true);
    for (int round = 0; round < 5; round++)
        for (int i = 0; i < 8; i++) keep(s.center, s.name, &objects[i], round * 10 + i);
    HeraldCenterSetSuspended(s.center, false);
    HEARD(&s.heard, "45 46 47 ");
    CHECK(HeraldCenterGetDroppedPostCount(s.center) > 0);
    finish(&s);
}

RULE(25, a_coalescing_follower_begun_while_suspended_outlives_long_chains) {
    struct stage s;
    begin(&s);
    HeraldCenterRelease(s.center);
    s.center = center_with(3, 0);
    static char objects[6];
    HeraldCenterSetSuspended(s.center, true);
    follow_as(s.center, &s.a, s.name, NULL, HeraldSuspensionCoalesce); /* nothing is kept */
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < 6; i++) keep(s.center, s.name, &objects[i], round * 10 + i);
    follow_as(s.center, &s.b, s.name, NULL, HeraldSuspensionCoalesce); /* six are kept */
    for (int round = 4; round < 8; round++)
        for (int i = 0; i < 6; i++) keep(s.center, s.name, &objects[i], round * 10 + i);
    HeraldCenterSetSuspended(s.center, false);
    HEARD(&s.heard, "B0 73 74 75 Kb30 Kb31 Kb32 Kb33 Kb34 Kb35 Bb6 b73 b74 b75 ");
    finish(&s);
}

RULE(25, what_a_lane_holds_is_counted_by_visits_and_what_none_will_hear_of_kept_posts_is_not) {
    struct stage s;
    begin(&s);
    follow_as(s.center, &s.a, s.name, NULL, HeraldSuspensionHold);
    follow_as(s.center, &s.b, s.name, NULL, HeraldSuspensionDrop);
    HeraldCenterSetSuspended(s.center, true);
    for (long i = 1; i <= 3; i++) keep(s.center, s.name, NULL, i);
    size_t held = 0;
    CHECK(HeraldCenterGetRegistrationCount(s.center, &held) == 2 && held == 3);
    CHECK(HeraldCenterRemoveToken(s.center, s.a.token));
    CHECK(alive == 1); /* the follower that drops keeps none of them alive */
    CHECK(HeraldCenterGetRegistrationCount(s.center, &held) == 1 && held == 0);
    HeraldCenterSetSuspended(s.center, false);
    HEARD(&s.heard, "B0 Bb0 ");
    finish(&s);
}

RULE(25, forgotten_is_not_superseded_so_who_followed_hears_it_on_resume) {
    static const HeraldSuspensionBehavior behaviors[] = {HeraldSuspensionHold, HeraldSuspensionCoalesce};
    for (size_t i = 0; i < sizeof behaviors / sizeof *behaviors; i++) {
        struct stage s;
        begin(&s);
        follow_as(s.center, &s.a, s.name, NULL, behaviors[i]);
        HeraldCenterSetSuspended(s.center, true);
        keep(s.center, s.name, NULL, 1);
        CHECK(HeraldCenterForget(s.center, s.name, NULL));
        HeraldCenterSetSuspended(s.center, false);
        HEARD(&s.heard, "B0 1 ");
        CHECK(alive == 0);
        finish(&s);
    }
}

RULE(25, what_the_behavior_skips_takes_no_room_in_the_lane) {
    static const HeraldSuspensionBehavior behaviors[] = {HeraldSuspensionDrop, HeraldSuspensionCoalesce};
    for (size_t i = 0; i < sizeof behaviors / sizeof *behaviors; i++) {
        struct stage s;
        begin(&s);
        HeraldCenterRelease(s.center);
        s.center = center_with(2, 0);
        hear_next(s.center, &s.b, s.name, NULL); /* in its first call, a has still to hear 1 */
        follow_as(s.center, &s.a, s.name, NULL, behaviors[i]);
        s.heard.words[0] = 0;
        s.b.then = suspend_and_keep_five;
        keep(s.center, s.name, NULL, 1);
        HEARD(&s.heard, "b1 b11 b12 b13 b14 b15 ");
        HeraldCenterSetSuspended(s.center, false);
        HEARD(&s.heard, behaviors[i] == HeraldSuspensionDrop ? "1 " : "1 15 ");
        CHECK(HeraldCenterGetDroppedPostCount(s.center) == 0);
        finish(&s);
    }
}

RULE(25, begun_while_suspended_the_lane_over_its_limit_hears_what_is_left_unmarked) {
    struct stage s;
    begin(&s);
    HeraldCenterRelease(s.center);
    s.center = center_with(2, 0);
    HeraldCenterSetSuspended(s.center, true);
    follow_as(s.center, &s.a, s.name, NULL, HeraldSuspensionCoalesce);
    for (long i = 1; i <= 3; i++) keep(s.center, s.name, NULL, i);
    keep(s.center, s.name, &o1, 4);
    for (long i = 5; i <= 6; i++) keep(s.center, s.name, &o2, i);
    HeraldCenterSetSuspended(s.center, false);
    HEARD(&s.heard, "B0 4 6 ");
    CHECK(HeraldCenterGetDroppedPostCount(s.center) == 1);
    finish(&s);
}

RULE(25, a_plain_post_of_the_name_is_not_kept_and_not_in_the_lane) {
    struct stage s;
    begin(&s);
    follow(s.center, &s.a, s.name, NULL);
    keep(s.center, s.name, NULL, 1);
    struct value *value = new_value(2);
    CHECK(HeraldCenterPostTagged(s.center, s.name, NULL, value, &counted, 0) == 1);
    release_value(value);
    CHECK(kept(s.center, s.name, NULL) == 1);
    HEARD(&s.heard, "B0 1 2 ");
    follow(s.center, &s.b, s.name, NULL);
    HEARD(&s.heard, "Kb1 Bb1 ");
    finish(&s);
}

static void post_plainly(struct ear *self, HeraldCenterRef center, long number) {
    if (self->left-- <= 0) return;
    HeraldCenterPostNotification(center, self->name, NULL, NULL, false); /* heard in between, unmarked */
    CHECK(HeraldPostIsKept());
    (void)number;
}

RULE(25, kept_is_the_mark_of_the_innermost_call_alone) {
    struct stage s;
    begin(&s);
    CHECK(!HeraldPostIsKept());
    keep(s.center, s.name, NULL, 1);
    s.a.then = post_plainly;
    s.a.left = 1;
    follow(s.center, &s.a, s.name, NULL);
    HEARD(&s.heard, "K1 0 B1 ");
    CHECK(!HeraldPostIsKept());
    finish(&s);
}

/* Goes down to more calls than a thread has frames, and follows there. */
static struct stage *deep;
static void go_down(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    (void)object;
    if ((uintptr_t)userInfo < 12) {
        HeraldCenterPostNotification(center, name, NULL, (const void *)((uintptr_t)userInfo + 1), false);
    } else {
        follow(deep->center, &deep->a, deep->name, NULL);
        keep(deep->center, deep->name, NULL, 3);
    }
    (void)observer;
}

RULE(25, begins_in_a_callback_however_deep) {
    struct stage s;
    begin(&s);
    deep = &s;
    keep(s.center, s.name, NULL, 1);
    s.a.then = post_plainly;
    s.a.left = 1;
    CHECK(HeraldCenterAddObserver(s.center, &s, go_down, name_of("r25.deep"), NULL, 0) == HeraldOK);
    HeraldCenterPostNotification(s.center, name_of("r25.deep"), NULL, NULL, false);
    HEARD(&s.heard, "K1 0 B1 3 ");
    finish(&s);
}

RULE(25, the_end_of_the_center_gives_back_all_that_it_keeps) {
    struct stage s;
    begin(&s);
    for (long i = 1; i <= 1000; i++) keep(s.center, s.name, (const void *)(uintptr_t)(i * 16), i);
    follow(s.center, &s.a, s.name, NULL);
    CHECK(alive == 1000);
    HeraldCenterRelease(s.center);
    s.center = NULL;
    CHECK(alive == 0 && s.a.released == 1);
    finish(&s);
}

static void release_center(struct ear *self, HeraldCenterRef center, long number) {
    (void)number;
    HeraldCenterRelease(center);
    self->then = NULL;
    size_t called = 1;
    CHECK(HeraldCenterPostKept(center, self->name, NULL, NULL, NULL, 0, &called) == HeraldInvalidArgument && !called);
    CHECK(!HeraldCenterTakeKept(center, self->name, NULL, take_number, NULL) &&
          !HeraldCenterForget(center, self->name, NULL));
}

RULE(25, center_released_in_a_kept_call) {
    struct stage s;
    begin(&s);
    keep(s.center, s.name, &o1, 1);
    keep(s.center, s.name, &o2, 2);
    s.a.then = release_center;
    follow(s.center, &s.a, s.name, NULL);
    s.center = NULL;
    HEARD(&s.heard, "K1 ");
    CHECK(s.a.released == 1);
    finish(&s);
}

static HeraldCenterRef ended_by_hook;
static const void *retain_and_end(const void *value) {
    if (ended_by_hook) HeraldCenterRelease(ended_by_hook);
    ended_by_hook = NULL;
    return value;
}

RULE(25, a_hook_may_release_the_center_of_a_kept_post) {
    static const char tag;
    static const HeraldTagOptions options = {.size = sizeof options, .retainUserInfo = retain_and_end};
    HeraldTagSetOptions(&tag, &options);
    struct stage s;
    begin(&s);
    follow(s.center, &s.a, s.name, NULL);
    ended_by_hook = s.center;
    CHECK(HeraldCenterPostKept(s.center, s.name, NULL, &o1, &tag, 0, NULL) == HeraldInvalidArgument);
    s.center = NULL;
    HEARD(&s.heard, "B0 ");
    CHECK(s.a.released == 1);
}

static struct stage *releasing;
enum { OTHERS = 3000 };
static HeraldCenterRef others[OTHERS]; /* one of them has the memory of the center that has ended, if it is free */
static const void *release_and_retain(const void *value) {
    HeraldCenterRelease(releasing->center);
    for (int i = 0; i < OTHERS; i++) HeraldCenterRelease(new_center());
    for (int i = 0; i < OTHERS; i++) others[i] = new_center();
    return value;
}

RULE(25, center_released_in_the_hook_of_a_kept_post_keeps_nothing) {
    static const char tag;
    static const HeraldTagOptions options = {.size = sizeof options, .retainUserInfo = release_and_retain};
    HeraldTagSetOptions(&tag, &options);
    struct stage s;
    begin(&s);
    releasing = &s;
    hear_next(s.center, &s.a, s.name, NULL);
    CHECK(HeraldCenterPostKept(s.center, s.name, NULL, &o1, &tag, 0, NULL) == HeraldInvalidArgument);
    s.center = NULL;
    CHECK(s.a.released == 1);
    HEARD(&s.heard, "");
    for (int i = 0; i < OTHERS; i++) {
        CHECK(HeraldCenterGetKeptCount(others[i], NULL, NULL) == 0);
        HeraldCenterRelease(others[i]);
    }
    finish(&s);
}

RULE(19, a_hook_may_release_the_center_to_which_an_observer_is_added) {
    struct stage s;
    begin(&s);
    HeraldObserverOptions options = {.size = sizeof options, .retainObject = retain_and_end};
    ended_by_hook = s.center;
    CHECK(HeraldCenterAddObserverWithOptions(s.center, &s.a, ear_hears, s.name, &o1, &options, NULL) ==
          HeraldInvalidArgument);
    s.center = NULL;
    finish(&s);
}

/* ---- Arguments and limits ---------------------------------------------------------------------------------------- */

static const void *refuse(const void *value) {
    (void)value;
    return NULL;
}

RULE(25, what_cannot_be_kept_is_refused_and_nothing_is_posted_or_kept) {
    static const char hookless, refusing;
    static const HeraldTagOptions refuses = {.size = sizeof refuses, .retainUserInfo = refuse, .retainObject = refuse};
    HeraldTagSetOptions(&refusing, &refuses);
    struct stage s;
    begin(&s);
    hear_next(s.center, &s.a, NULL, NULL);
    size_t called = 7;
    CHECK(HeraldCenterPostKept(NULL, s.name, NULL, NULL, NULL, 0, &called) == HeraldInvalidArgument && called == 0);
    CHECK(HeraldCenterPostKept(s.center, NULL, NULL, NULL, NULL, 0, &called) == HeraldInvalidArgument);
    CHECK(HeraldCenterPostKept(s.center, s.name, NULL, &o1, &hookless, 0, &called) == HeraldInvalidArgument);
    CHECK(strstr(HeraldGetErrorDescription(), "hook") != NULL);
    CHECK(HeraldCenterPostKept(s.center, s.name, NULL, &o1, NULL, 0, &called) == HeraldInvalidArgument);
    CHECK(HeraldCenterPostKept(s.center, s.name, NULL, &o1, &refusing, 0, &called) == HeraldInvalidArgument);
    CHECK(HeraldCenterPostKept(s.center, s.name, &o1, NULL, &refusing, 0, &called) == HeraldInvalidArgument);
    CHECK(HeraldTopicPostKept(NULL, NULL, NULL, &called) == HeraldInvalidArgument && called == 0);
    HEARD(&s.heard, "");
    CHECK(!HeraldCenterTakeKept(s.center, s.name, NULL, take_number, NULL));
    CHECK(!HeraldCenterTakeKept(NULL, s.name, NULL, take_number, NULL) &&
          !HeraldCenterTakeKept(s.center, NULL, NULL, take_number, NULL) &&
          !HeraldCenterTakeKept(s.center, s.name, NULL, NULL, NULL));
    CHECK(!HeraldCenterForget(NULL, s.name, NULL) && !HeraldCenterForget(s.center, NULL, NULL));
    HeraldCenterVisitKept(NULL, NULL, NULL);
    HeraldCenterVisitKept(s.center, NULL, NULL);
    CHECK(HeraldCenterPostKept(s.center, s.name, NULL, NULL, NULL, 0, NULL) ==
          HeraldOK); /* no userInfo needs no hook */
    HEARD(&s.heard, "0 ");
    CHECK(HeraldCenterForget(s.center, s.name, NULL));
    finish(&s);
}

RULE(25, an_observer_of_any_name_or_a_prefix_cannot_begin_with_kept) {
    struct stage s;
    begin(&s);
    HeraldObserverOptions options = follows(0);
    HeraldToken token = {1, 1};
    CHECK(HeraldCenterAddObserverWithOptions(s.center, &s.a, ear_hears, NULL, NULL, &options, &token) ==
          HeraldInvalidArgument);
    CHECK(token.registration == 0 && strstr(HeraldGetErrorDescription(), "name") != NULL);
    options.prefix = "r25";
    CHECK(HeraldCenterAddObserverWithOptions(s.center, &s.a, ear_hears, NULL, NULL, &options, NULL) ==
          HeraldInvalidArgument);
    options.prefix = NULL;
    options.start = (HeraldStart)2;
    CHECK(HeraldCenterAddObserverWithOptions(s.center, &s.a, ear_hears, s.name, NULL, &options, NULL) ==
          HeraldInvalidArgument);
    options.start = HeraldStartKept;
    options.retainObject = refuse;
    CHECK(HeraldCenterAddObserverWithOptions(s.center, &s.a, ear_hears, s.name, &o1, &options, NULL) ==
          HeraldInvalidArgument);
    options.size = offsetof(HeraldObserverOptions, start); /* compiled before there was a start */
    options.retainObject = NULL;
    CHECK(HeraldCenterAddObserverWithOptions(s.center, &s.a, ear_hears, s.name, NULL, &options, NULL) == HeraldOK);
    HEARD(&s.heard, "");
    CHECK(s.a.released == 0 && HeraldCenterGetRegistrationCount(s.center, NULL) == 1);
    finish(&s);
}

RULE(15, center_options_of_a_program_that_knows_no_limit_of_kept_posts) {
    HeraldCenterOptions options = {.size = offsetof(HeraldCenterOptions, keptPostLimit), .keptPostLimit = 1};
    HeraldCenterRef center = HeraldCenterCreate(&options);
    CHECK(center != NULL);
    keep(center, name_of("r25.a"), NULL, 1);
    keep(center, name_of("r25.b"), NULL, 1);
    HeraldCenterRelease(center);
    options.size--;
    CHECK(HeraldCenterCreate(&options) == NULL);
}

RULE(25, more_kept_posts_than_the_limit_are_refused) {
    struct stage s;
    begin(&s);
    HeraldCenterRelease(s.center);
    s.center = center_with(0, 2);
    hear_next(s.center, &s.a, s.name, NULL);
    keep(s.center, s.name, NULL, 1);
    keep(s.center, s.name, &o1, 2);
    CHECK(keep_with(s.center, s.name, &o2, 3, 0, NULL) == HeraldQueueFull);
    CHECK(strstr(HeraldGetErrorDescription(), "keptPostLimit") != NULL);
    keep(s.center, s.name, &o1, 4); /* in the place of another */
    HEARD(&s.heard, "1 2 4 ");
    CHECK(kept(s.center, s.name, &o2) == 0 && alive == 2);
    CHECK(HeraldCenterForget(s.center, s.name, NULL));
    keep(s.center, s.name, &o2, 5);
    finish(&s);
}

static const void *object_kept;
static atomic_int object_references;
static const void *retain_an_object(const void *object) {
    object_references++;
    return object_kept ? object_kept : object;
}
static void release_an_object(const void *object) {
    CHECK(!object_kept || object == object_kept);
    object_references--;
}

RULE(25, kept_objects_are_compared_by_the_address_that_their_hook_returns) {
    struct stage s;
    begin(&s);
    static const char tag;
    static const HeraldTagOptions options = {
        .size = sizeof options, .retainObject = retain_an_object, .releaseObject = release_an_object};
    HeraldTagSetOptions(&tag, &options);
    object_kept = &o2;
    object_references = 0;
    CHECK(HeraldCenterPostKept(s.center, s.name, &o1, NULL, &tag, 0, NULL) == HeraldOK && object_references == 1);
    object_kept = NULL;
    HeraldObserverOptions with_hooks = follows(0);
    with_hooks.retainObject = retain_an_object;
    with_hooks.releaseObject = release_an_object;
    CHECK(HeraldCenterAddObserverWithOptions(s.center, &s.a, ear_hears, s.name, &o2, &with_hooks, &s.a.token) ==
          HeraldOK);
    HEARD(&s.heard, "K0 B1 ");
    CHECK(s.a.object == &o2 && object_references == 2);
    CHECK(HeraldCenterRemoveToken(s.center, s.a.token) && object_references == 1);
    CHECK(HeraldCenterForget(s.center, s.name, &o2) && object_references == 0);
    finish(&s);
}

RULE(25, a_follower_of_the_object_that_the_hook_returns_hears_what_is_kept_later) {
    struct stage s;
    begin(&s);
    static const char tag;
    static const HeraldTagOptions options = {
        .size = sizeof options, .retainObject = retain_an_object, .releaseObject = release_an_object};
    HeraldTagSetOptions(&tag, &options);
    object_kept = &o2;
    object_references = 0;
    follow_as(s.center, &s.a, s.name, &o2, HeraldSuspensionHold);
    hear_next(s.center, &s.b, s.name, &o1); /* as any post */
    s.heard.words[0] = 0;
    size_t called = 0;
    CHECK(HeraldCenterPostKept(s.center, s.name, &o1, NULL, &tag, 0, &called) == HeraldOK && called == 2);
    HEARD(&s.heard, "b0 0 ");
    CHECK(s.a.object == &o2 && s.b.object == &o1);
    HeraldCenterSetSuspended(s.center, true);
    CHECK(HeraldCenterPostKept(s.center, s.name, &o1, NULL, &tag, HeraldPostDeliverImmediately, &called) == HeraldOK);
    HEARD(&s.heard, "b0 0 ");
    HeraldCenterRelease(s.center);
    s.center = NULL;
    CHECK(object_references == 0);
    object_kept = NULL;
    finish(&s);
}

static void release_nothing(const void *object) {
    (void)object;
    check_failed(__FILE__, __LINE__, "an object was released that no hook has retained");
}

RULE(25, a_kept_object_without_a_hook_that_retains_it_is_not_released) {
    struct stage s;
    begin(&s);
    HeraldCenterRelease(s.center);
    HeraldCenterOptions options = {.size = sizeof options, .releaseObject = release_nothing};
    s.center = HeraldCenterCreate(&options);
    CHECK(HeraldCenterPostKept(s.center, s.name, &o1, NULL, NULL, 0, NULL) == HeraldOK);
    CHECK(HeraldCenterForget(s.center, s.name, &o1));
    finish(&s);
}

RULE(25, kept_through_a_topic) {
    struct stage s;
    begin(&s);
    HeraldTopicRef topic = HeraldTopicCreate(s.center, s.name, &o1);
    follow(s.center, &s.a, s.name, NULL);
    struct value *value = new_value(5);
    size_t called = 0;
    CHECK(HeraldTopicPostKept(topic, value, &counted, &called) == HeraldOK && called == 1);
    release_value(value);
    HEARD(&s.heard, "B0 5 ");
    CHECK(kept(s.center, s.name, &o1) == 5);
    HeraldTopicRelease(topic);
    finish(&s);
}

/* ---- Visits, traces ---------------------------------------------------------------------------------------------- */

struct visited {
    HeraldCenterRef center;
    int count;
    long sum;
    bool forgets;
};

static void see_kept(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    struct visited *visited = context;
    CHECK(name && tag == &counted);
    visited->count++;
    visited->sum += ((const struct value *)userInfo)->number;
    if (visited->forgets) HeraldCenterForget(visited->center, name, object);
}

RULE(25, visited_each_kept_post_once) {
    struct stage s;
    begin(&s);
    struct visited visited = {.center = s.center};
    HeraldCenterVisitKept(s.center, see_kept, &visited);
    CHECK(visited.count == 0);
    for (long i = 1; i <= 300; i++) keep(s.center, s.name, (const void *)(uintptr_t)(i * 16), i);
    keep(s.center, name_of("r25.other"), NULL, 1000);
    HeraldCenterVisitKept(s.center, see_kept, &visited);
    CHECK(visited.count == 301 && visited.sum == 300 * 301 / 2 + 1000);
    visited = (struct visited){.center = s.center, .forgets = true};
    HeraldCenterVisitKept(s.center, see_kept, &visited); /* each is still there while it is visited */
    CHECK(visited.count == 301 && alive == 0);
    finish(&s);
}

struct traced {
    int posts, calls;
    HeraldNameRef name;
};

static void trace(void *context, const HeraldTraceEvent *event) {
    struct traced *traced = context;
    if (event->name != traced->name) return;
    if (event->phase == HeraldTracePostBegin) traced->posts++;
    if (event->phase == HeraldTraceCallBegin) traced->calls++;
}

RULE(25, kept_posts_and_beginnings_are_traced) {
    struct stage s;
    begin(&s);
    struct traced traced = {.name = s.name};
    HeraldToken token;
    keep(s.center, s.name, NULL, 1);
    CHECK(HeraldTraceStart(s.center, NULL, trace, &traced, NULL, &token) == HeraldOK);
    follow(s.center, &s.a, s.name, NULL);
    CHECK(traced.posts == 0 && traced.calls == 1);
    hear_next(s.center, &s.b, s.name, NULL);
    keep(s.center, s.name, NULL, 2);
    CHECK(traced.posts == 1 && traced.calls == 3);
    CHECK(HeraldTraceStop(token));
    HEARD(&s.heard, "K1 B1 2 b2 ");
    finish(&s);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static HeraldMessage message_about(const char *text, const char *bytes) {
    HeraldMessage message = {.size = sizeof message,
                             .bytes = bytes,
                             .length = strlen(bytes),
                             .object = text,
                             .type = "r25",
                             .options = HeraldPostKeep};
    return message;
}

static void hear_message(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)name;
    const HeraldMessage *message = HeraldGetCurrentMessage();
    CHECK(message == userInfo);
    char word[60];
    snprintf(word, sizeof word, "%s%.*s%s", HeraldPostIsKept() ? "K" : "", (int)message->length,
             (const char *)message->bytes, object ? "+" : "");
    say(observer, word);
}

static void take_message(void *bytes, const void *userInfo, const void *tag) {
    (void)tag;
    const HeraldMessage *message = userInfo;
    snprintf(bytes, 20, "%.*s", (int)message->length, (const char *)message->bytes);
}

RULE(25, messages_are_kept_by_the_texts_of_their_objects) {
    struct stage s;
    begin(&s);
    HeraldMessage first = message_about("r25 never an object", "one"), second = message_about(NULL, "two");
    CHECK(HeraldCenterPostMessage(s.center, s.name, &first) == HeraldOK);
    CHECK(HeraldCenterPostMessage(s.center, s.name, &second) == HeraldOK);
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept};
    HeraldToken token;
    CHECK(HeraldCenterAddObserverWithOptions(s.center, &s.heard, hear_message, s.name, NULL, &options, &token) ==
          HeraldOK);
    HEARD(&s.heard, "Kone Ktwo ");
    CHECK(HeraldCenterRemoveToken(s.center, token));
    const void *object = HeraldObjectForString("r25 never an object"); /* made after the message was kept */
    char bytes[20] = "";
    CHECK(HeraldCenterTakeKept(s.center, s.name, object, take_message, bytes) && strcmp(bytes, "one") == 0);
    CHECK(HeraldCenterAddObserverWithOptions(s.center, &s.heard, hear_message, s.name, object, &options, &token) ==
          HeraldOK);
    HEARD(&s.heard, "Kone+ ");
    first = message_about("r25 never an object", "three");
    CHECK(HeraldCenterPostMessage(s.center, s.name, &first) == HeraldOK);
    HEARD(&s.heard, "three+ ");
    CHECK(HeraldCenterRemoveToken(s.center, token));
    CHECK(HeraldCenterForget(s.center, s.name, object));
    CHECK(!HeraldCenterTakeKept(s.center, s.name, object, take_message, bytes));
    CHECK(HeraldCenterTakeKept(s.center, s.name, NULL, take_message, bytes) && strcmp(bytes, "two") == 0);
    CHECK(HeraldCenterPostKept(s.center, s.name, object, NULL, NULL, 0, NULL) == HeraldOK);
    first = message_about("r25 never an object", "four"); /* in the place of the post, which had the object */
    CHECK(HeraldCenterPostMessage(s.center, s.name, &first) == HeraldOK);
    CHECK(HeraldCenterTakeKept(s.center, s.name, object, take_message, bytes) && strcmp(bytes, "four") == 0);
    finish(&s);
}

RULE(25, kept_messages_take_16_MiB_and_no_more) {
    struct stage s;
    begin(&s);
    enum { SIZE = 5 << 20 };
    char *bytes = calloc(1, SIZE);
    HeraldStatus last = HeraldOK;
    static char texts[4][8] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4 && last == HeraldOK; i++) {
        HeraldMessage message = message_about(texts[i], "");
        message.bytes = bytes;
        message.length = SIZE;
        last = HeraldCenterPostMessage(s.center, s.name, &message);
        CHECK(last == (i < 3 ? HeraldOK : HeraldQueueFull));
    }
    CHECK(!HeraldCenterForget(s.center, s.name, HeraldObjectForString("d")));
    CHECK(HeraldCenterForget(s.center, s.name, HeraldObjectForString("a")));
    HeraldMessage message = message_about("d", "small");
    message.bytes = bytes;
    message.length = SIZE;
    CHECK(HeraldCenterPostMessage(s.center, s.name, &message) == HeraldOK);
    free(bytes);
    finish(&s);
}

static size_t carry_nothing(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object,
                            const void *userInfo, const void *tag, unsigned options) {
    (void)context, (void)center, (void)name, (void)object, (void)userInfo, (void)tag, (void)options;
    check_failed(__FILE__, __LINE__, "a post was carried");
    return 0;
}

static HeraldStatus carry_no_message(void *context, HeraldCenterRef center, HeraldNameRef name,
                                     const HeraldMessage *message) {
    (void)context, (void)center, (void)name, (void)message;
    check_failed(__FILE__, __LINE__, "a message was carried");
    return HeraldOK;
}

RULE(25, a_center_over_a_transport_says_that_it_keeps_nothing) {
    struct stage s;
    begin(&s);
    HeraldTransport transport = {.size = sizeof transport, .post = carry_nothing, .postMessage = carry_no_message};
    HeraldCenterRef wide;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &wide) == HeraldOK);
    CHECK(keep_with(wide, s.name, NULL, 1, 0, NULL) == HeraldInvalidArgument);
    CHECK(strstr(HeraldGetErrorDescription(), "process") != NULL);
    HeraldMessage message = message_about(NULL, "one");
    CHECK(HeraldCenterPostMessage(wide, s.name, &message) == HeraldInvalidArgument);
    HeraldObserverOptions options = follows(0);
    CHECK(HeraldCenterAddObserverWithOptions(wide, &s.a, ear_hears, s.name, NULL, &options, NULL) ==
          HeraldInvalidArgument);
    HeraldCenterRelease(wide);
    finish(&s);
}

/* ---- Threads and fork -------------------------------------------------------------------------------------------- */

struct meeting {
    struct stage s;
    struct step step;
    bool waits;
};
static struct meeting *meeting;

static void wait_in_the_first_call(struct ear *self, HeraldCenterRef center, long number) {
    (void)self, (void)center;
    if (number != 1 || !meeting->waits) return;
    step_reach(&meeting->step, 1);
    CHECK(step_await(&meeting->step, 2));
}

static void *keep_one(void *unused) {
    keep(meeting->s.center, meeting->s.name, NULL, 1);
    return unused;
}

RULE(25, a_post_that_finds_the_follower_in_a_call_does_not_wait_and_is_heard_after_it) {
    static struct meeting here;
    memset(&here, 0, sizeof here);
    begin(&here.s);
    meeting = &here;
    here.waits = true;
    here.s.a.then = wait_in_the_first_call;
    follow(here.s.center, &here.s.a, here.s.name, NULL);
    here.s.heard.words[0] = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, keep_one, NULL);
    CHECK(step_await(&here.step, 1));
    CHECK(keep(here.s.center, here.s.name, NULL, 2) == 0); /* it returns, and its value is the one that is kept */
    CHECK(kept(here.s.center, here.s.name, NULL) == 2);
    HEARD(&here.s.heard, "1 ");
    step_reach(&here.step, 2);
    pthread_join(thread, NULL);
    HEARD(&here.s.heard, "2 ");
    finish(&here.s);
}

static void check_child(void) {
    struct stage *s = &meeting->s;
    CHECK(kept(s->center, s->name, NULL) == 2);
    struct ear later = {.letter = "c", .heard = &s->heard};
    s->heard.words[0] = 0;
    follow(s->center, &later, s->name, NULL);
    HEARD(&s->heard, "Kc2 Bc1 ");
    keep(s->center, s->name, NULL, 3); /* the thread that had the lane is not here; its follower goes on */
    HEARD(&s->heard, "2 3 c3 ");
}

RULE(18, a_child_has_what_was_kept_and_its_lanes_are_free) {
    static struct meeting here;
    memset(&here, 0, sizeof here);
    begin(&here.s);
    meeting = &here;
    here.waits = true;
    here.s.a.then = wait_in_the_first_call;
    follow(here.s.center, &here.s.a, here.s.name, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, keep_one, NULL);
    CHECK(step_await(&here.step, 1));
    keep(here.s.center, here.s.name, NULL, 2);
    CHECK(child_passed(check_child));
    step_reach(&here.step, 2);
    pthread_join(thread, NULL);
    finish(&here.s);
}

/* Two posters and followers that come and go, with an oracle. */
enum { POSTERS = 2, EACH = 3000 };
struct watch {
    long last[POSTERS];
    atomic_int inside;
    bool live;
    atomic_int wrong;
    int kept;
};
static atomic_bool stop;

static void watch_hears(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)name, (void)object;
    struct watch *watch = observer;
    long number = ((const struct value *)userInfo)->number, poster = number / 1000000, count = number % 1000000;
    if (atomic_fetch_add(&watch->inside, 1)) watch->wrong |= 1;
    if (number < 0) watch->wrong |= 2;
    if (HeraldPostIsKept()) {
        if (watch->live || watch->kept++) watch->wrong |= 4;
    } else {
        watch->live = true;
        if (watch->last[poster] && count != watch->last[poster] + 1) watch->wrong |= 8;
    }
    if (watch->last[poster] >= count) watch->wrong |= 16;
    watch->last[poster] = count;
    atomic_fetch_sub(&watch->inside, 1);
}

static void *post_many(void *poster) {
    for (long i = 1; i <= EACH; i++)
        keep(meeting->s.center, meeting->s.name, NULL, (long)(intptr_t)poster * 1000000 + i);
    return NULL;
}

static void *come_and_go(void *unused) {
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept};
    while (!stop) {
        struct watch watch = {0};
        HeraldToken token;
        CHECK(HeraldCenterAddObserverWithOptions(meeting->s.center, &watch, watch_hears, meeting->s.name, NULL,
                                                 &options, &token) == HeraldOK);
        CHECK(HeraldCenterRemoveTokenAndWait(meeting->s.center, token));
        CHECK(watch.wrong == 0);
    }
    return unused;
}

RULE(25, from_many_threads_each_later_kept_post_once_in_order_one_call_at_a_time) {
    static struct meeting here;
    memset(&here, 0, sizeof here);
    begin(&here.s);
    HeraldCenterRelease(here.s.center);
    here.s.center = center_with(1 << 20, 0);
    meeting = &here;
    stop = false;
    struct watch always = {0};
    HeraldObserverOptions options = {.size = sizeof options, .start = HeraldStartKept};
    HeraldToken token;
    CHECK(HeraldCenterAddObserverWithOptions(here.s.center, &always, watch_hears, here.s.name, NULL, &options,
                                             &token) == HeraldOK);
    pthread_t posters[POSTERS], joiner;
    pthread_create(&joiner, NULL, come_and_go, NULL);
    for (intptr_t i = 0; i < POSTERS; i++) pthread_create(&posters[i], NULL, post_many, (void *)i);
    for (int i = 0; i < POSTERS; i++) pthread_join(posters[i], NULL);
    stop = true;
    pthread_join(joiner, NULL);
    CHECK(always.wrong == 0);
    for (int i = 0; i < POSTERS; i++) CHECK(always.last[i] == EACH);
    finish(&here.s);
}
