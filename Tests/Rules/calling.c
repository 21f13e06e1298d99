/* R1 to R8: which observers are called, when, and what a callback may do. */
#include "check.h"
#include <time.h>

static int o1, o2; /* objects: addresses only */

RULE(1, a_post_calls_the_four_kinds_of_registration_that_match) {
    HeraldCenterRef center = new_center();
    HeraldNameRef n = name_of("r1.n"), m = name_of("r1.m");
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct {
        HeraldNameRef name;
        const void *object;
        struct listener listener;
    } kinds[] = {{n, &o1, {.letter = 'a'}},     {n, NULL, {.letter = 'b'}},  {NULL, &o1, {.letter = 'c'}},
                 {NULL, NULL, {.letter = 'd'}}, {n, &o2, {.letter = 'e'}},   {m, &o1, {.letter = 'f'}},
                 {m, NULL, {.letter = 'g'}},    {NULL, &o2, {.letter = 'h'}}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kinds[i].listener.record = &record;
        add(center, &kinds[i].listener, kinds[i].name, kinds[i].object);
    }
    const struct {
        HeraldNameRef name;
        const void *object;
        const char *heard;
    } posts[] = {{n, &o1, "abcd"},
                 {n, &o2, "bdeh"},
                 {n, NULL, "bd"},
                 {m, &o1, "cdfg"},
                 {m, NULL, "dg"},
                 {m, &o2, "dgh"},
                 {name_of("r1.unheard"), NULL, "d"},
                 {name_of("r1.unheard"), &o2, "dh"}};
    for (size_t i = 0; i < sizeof posts / sizeof *posts; i++) {
        CHECK(HeraldCenterPostNotification(center, posts[i].name, posts[i].object, NULL, false) ==
              strlen(posts[i].heard));
        CHECK_HEARD(&record, posts[i].heard);
        HeraldTopicRef topic = HeraldTopicCreate(center, posts[i].name, posts[i].object);
        CHECK(HeraldTopicPost(topic, NULL) == strlen(posts[i].heard));
        CHECK_HEARD(&record, posts[i].heard);
        HeraldTopicRelease(topic);
    }
    HeraldCenterRelease(center);
}

RULE(1, a_post_without_an_object_does_not_reach_a_registration_for_an_object) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, name_of("r1.n"), &o1);
    CHECK(HeraldCenterPostNotification(center, name_of("r1.n"), NULL, NULL, false) == 0);
    HeraldTopicRef topic = HeraldTopicCreate(center, name_of("r1.n"), NULL);
    CHECK(HeraldTopicPost(topic, NULL) == 0);
    CHECK(listener.calls == 0);
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}

RULE(1, a_post_without_a_name_calls_nobody) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, NULL, NULL);
    CHECK(HeraldCenterPostNotification(center, NULL, NULL, NULL, false) == 0);
    CHECK(HeraldCenterPostNotification(NULL, name_of("r1.n"), NULL, NULL, false) == 0);
    CHECK(HeraldCenterPostTagged(center, NULL, &o1, NULL, NULL, 0) == 0);
    CHECK(HeraldTopicCreate(center, NULL, NULL) == NULL);
    CHECK(HeraldTopicCreate(NULL, name_of("r1.n"), NULL) == NULL);
    CHECK(HeraldTopicPost(NULL, NULL) == 0);
    CHECK(listener.calls == 0);
    HeraldCenterRelease(center);
}

RULE(1, a_callback_gets_the_arguments_of_the_post) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, NULL, NULL);
    int info = 0;
    HeraldCenterPostNotification(center, name_of("r1.n"), &o1, &info, false);
    CHECK(listener.name == name_of("r1.n") && listener.object == &o1 && listener.userInfo == &info);
    HeraldCenterPostNotificationWithOptions(center, name_of("r1.m"), NULL, NULL, ~0u);
    CHECK(listener.name == name_of("r1.m") && listener.object == NULL && listener.userInfo == NULL);
    HeraldCenterRelease(center);
}

RULE(2, callbacks_run_in_registration_order_over_all_kinds) {
    HeraldCenterRef center = new_center();
    HeraldNameRef n = name_of("r2.n");
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct listener listeners[26];
    memset(listeners, 0, sizeof listeners);
    for (int i = 0; i < 26; i++) {
        listeners[i].letter = (char)('a' + i);
        listeners[i].record = &record;
        int kind = i * 7 % 4; /* the four kinds, in an order without a short period */
        add(center, &listeners[i], kind & 1 ? n : NULL, kind & 2 ? &o1 : NULL);
    }
    CHECK(HeraldCenterPostNotification(center, n, &o1, NULL, false) == 26);
    CHECK_HEARD(&record, "abcdefghijklmnopqrstuvwxyz");
    for (int i = 0; i < 26; i += 3) HeraldCenterRemoveToken(center, listeners[i].token);
    for (int i = 0; i < 26; i += 3) listeners[i].released = 0;
    for (int i = 0; i < 26; i += 3) add(center, &listeners[i], n, i % 2 ? NULL : &o1);
    HeraldCenterPostNotification(center, n, &o1, NULL, false);
    CHECK_HEARD(&record, "bcefhiklnoqrtuwxzadgjmpsvy");
    HeraldCenterRelease(center);
}

/* One kind alone, by its name: the post's plain stretches of four and what is left of them. */
RULE(2, callbacks_of_one_name_run_in_registration_order) {
    static const char all[] = "abcdefghijklm";
    for (int count = 1; count < (int)sizeof all; count++) {
        HeraldCenterRef center = new_center();
        HeraldNameRef n = name_of("r2.one");
        struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
        struct listener listeners[sizeof all];
        char expected[sizeof all];
        memset(listeners, 0, sizeof listeners);
        for (int i = 0; i < count; i++) {
            listeners[i].letter = all[i];
            listeners[i].record = &record;
            add(center, &listeners[i], n, NULL);
        }
        snprintf(expected, sizeof expected, "%.*s", count, all);
        CHECK(HeraldCenterPostNotification(center, n, NULL, NULL, false) == (size_t)count);
        CHECK_HEARD(&record, expected);
        HeraldCenterRelease(center);
    }
}

static pthread_t poster;
static bool same_thread;
static void note_thread(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    same_thread = pthread_equal(pthread_self(), poster);
}

RULE(3, callbacks_run_on_the_posting_thread_before_the_post_returns) {
    HeraldCenterRef center = new_center();
    struct listener listener = {.then = note_thread};
    add(center, &listener, name_of("r3.n"), NULL);
    poster = pthread_self();
    same_thread = false;
    CHECK(HeraldCenterPostNotification(center, name_of("r3.n"), NULL, NULL, false) == 1);
    CHECK(same_thread && listener.calls == 1);
    HeraldCenterRelease(center);
}

RULE(4, registering_twice_means_two_calls_and_one_removal_ends_both) {
    HeraldCenterRef center = new_center();
    HeraldNameRef n = name_of("r4.n");
    struct listener listener = {0};
    add(center, &listener, n, NULL);
    add(center, &listener, n, NULL);
    CHECK(HeraldCenterPostNotification(center, n, NULL, NULL, false) == 2);
    HeraldCenterRemoveObserver(center, &listener, n, NULL);
    CHECK(HeraldCenterPostNotification(center, n, NULL, NULL, false) == 0);
    CHECK(listener.calls == 2 && listener.released == 2);
    HeraldCenterRelease(center);
}

static void add_another(struct listener *self, HeraldCenterRef center) {
    struct listener *other = self->context;
    if (self->calls == 1) add(center, other, name_of("r5.n"), NULL);
}

RULE(5, added_during_a_post_is_not_called_by_it) {
    HeraldCenterRef center = new_center();
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct listener added = {.letter = 'b', .record = &record};
    struct listener adder = {.letter = 'a', .record = &record, .then = add_another, .context = &added};
    add(center, &adder, name_of("r5.n"), NULL);
    HeraldTopicRef topic = HeraldTopicCreate(center, name_of("r5.n"), NULL);
    CHECK(HeraldTopicPost(topic, NULL) == 1);
    CHECK_HEARD(&record, "a");
    CHECK(HeraldTopicPost(topic, NULL) == 2);
    CHECK_HEARD(&record, "ab");
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}

static struct step r5_step;
static void let_others_add(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    step_reach(&r5_step, 1);
    CHECK(step_await(&r5_step, 2));
}
static struct listener r5_added = {.letter = 'c'};
static void *add_from_thread(void *center) {
    step_await(&r5_step, 1);
    add(center, &r5_added, NULL, NULL);
    step_reach(&r5_step, 2);
    return NULL;
}

RULE(5, added_by_another_thread_during_a_post_is_not_called_by_it) {
    HeraldCenterRef center = new_center();
    r5_step.reached = 0;
    r5_added.calls = r5_added.released = 0;
    struct listener first = {.then = let_others_add}, second = {0};
    add(center, &first, name_of("r5.n"), NULL);
    add(center, &second, name_of("r5.n"), &o1);
    pthread_t thread;
    pthread_create(&thread, NULL, add_from_thread, center);
    CHECK(HeraldCenterPostNotification(center, name_of("r5.n"), &o1, NULL, false) == 2);
    pthread_join(thread, NULL);
    CHECK(r5_added.calls == 0);
    HeraldCenterRelease(center);
}

static void remove_another(struct listener *self, HeraldCenterRef center) {
    struct listener *other = self->context;
    CHECK(HeraldCenterRemoveToken(center, other->token));
    CHECK(other->released == 1); /* no call of it is in progress */
}

RULE(6, removed_during_a_post_and_not_called_yet_is_not_called) {
    for (int kind = 0; kind < 2; kind++) { /* in the same snapshot, and in another */
        HeraldCenterRef center = new_center();
        struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
        struct listener last = {.letter = 'c', .record = &record};
        struct listener victim = {.letter = 'b', .record = &record};
        struct listener killer = {.letter = 'a', .record = &record, .then = remove_another, .context = &victim};
        add(center, &killer, name_of("r6.n"), NULL);
        add(center, &victim, kind ? NULL : name_of("r6.n"), NULL);
        add(center, &last, name_of("r6.n"), NULL);
        CHECK(HeraldCenterPostNotification(center, name_of("r6.n"), NULL, NULL, false) == 2);
        CHECK_HEARD(&record, "ac");
        HeraldCenterRelease(center);
        CHECK(killer.released == 1 && victim.released == 1 && last.released == 1);
    }
}

/* Lists of each length, with a run of ended registrations at each place. One registration removes another in its call.
 */
enum { WALK_MOST = 9 };
struct walk {
    HeraldCenterRef center;
    HeraldTopicRef topic;
    int count, dead_from, dead_to, remover, victim;
    const void *object; /* of every other registration, or NULL */
    struct record record;
    struct listener listeners[WALK_MOST];
};

static void remove_victim(struct listener *self, HeraldCenterRef center) {
    CHECK(HeraldCenterRemoveToken(center, ((struct listener *)self->context)->token));
}

static bool is_dead(const struct walk *walk, int i) { return i >= walk->dead_from && i < walk->dead_to; }

static void walk_begin(struct walk *walk) {
    HeraldNameRef name = name_of("r6.walk");
    walk->center = new_center();
    walk->topic = HeraldTopicCreate(walk->center, name, walk->object);
    walk->record = (struct record){.lock = PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < walk->count; i++) {
        walk->listeners[i] = (struct listener){.letter = (char)('a' + i), .record = &walk->record};
        add(walk->center, &walk->listeners[i], name, i % 2 ? walk->object : NULL);
    }
    for (int i = walk->dead_from; i < walk->dead_to; i++)
        CHECK(HeraldCenterRemoveToken(walk->center, walk->listeners[i].token));
    walk->listeners[walk->remover].then = remove_victim;
    walk->listeners[walk->remover].context = &walk->listeners[walk->victim];
}

/* Checks the calls when one registration removes another in its call: `gone` is the removed one, or -1. */
static void walk_check(struct walk *walk, size_t called, int gone) {
    char expected[WALK_MOST + 1];
    size_t count = 0;
    for (int i = 0; i < walk->count; i++)
        if (!is_dead(walk, i) && i != gone) expected[count++] = (char)('a' + i);
    expected[count] = 0;
    CHECK(called == count);
    CHECK_HEARD(&walk->record, expected);
}

static size_t walk_post(struct walk *walk, bool by_topic) {
    return by_topic ? HeraldTopicPost(walk->topic, NULL)
                    : HeraldCenterPostNotification(walk->center, name_of("r6.walk"), walk->object, NULL, false);
}

static void walk_run(struct walk *walk, bool by_topic) {
    walk_begin(walk);
    bool heard = !is_dead(walk, walk->remover); /* otherwise the victim stays */
    if (!heard || walk->victim == walk->remover || is_dead(walk, walk->victim)) {
        walk->listeners[walk->remover].then = NULL;
        heard = false;
    }
    walk_check(walk, walk_post(walk, by_topic), heard && walk->victim > walk->remover ? walk->victim : -1);
    walk->listeners[walk->remover].then = NULL;
    walk_check(walk, walk_post(walk, !by_topic), heard ? walk->victim : -1);
    HeraldTopicRelease(walk->topic);
    HeraldCenterRelease(walk->center);
}

static void walk_over_each(int count, int dead_from, int dead_to) {
    struct walk walk = {.count = count, .dead_from = dead_from, .dead_to = dead_to};
    for (walk.remover = 0; walk.remover < count; walk.remover++)
        for (walk.victim = 0; walk.victim < count; walk.victim++)
            for (int way = 0; way < 4; way++) {
                walk.object = way & 2 ? &o1 : NULL;
                walk_run(&walk, way & 1);
            }
}

RULE(6, removed_at_any_place_of_a_post_over_some_that_have_ended) {
    for (int count = 2; count <= WALK_MOST; count += count < 5 ? 1 : 2)
        for (int from = 0; from < count; from++)
            for (int to = from; to <= count && to <= from + 3; to++) walk_over_each(count, from, to);
}

static struct step r6_step;
static HeraldToken r6_victim;
static void let_others_remove(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    step_reach(&r6_step, 1);
    CHECK(step_await(&r6_step, 2));
}
static void *remove_from_thread(void *center) {
    step_await(&r6_step, 1);
    CHECK(HeraldCenterRemoveTokenAndWait(center, r6_victim));
    step_reach(&r6_step, 2);
    return NULL;
}

RULE(6, removed_by_another_thread_and_not_called_yet_is_not_called) {
    HeraldCenterRef center = new_center();
    r6_step.reached = 0;
    struct listener first = {.then = let_others_remove}, victim = {0}, last = {0};
    add(center, &first, name_of("r6.n"), NULL);
    add(center, &victim, name_of("r6.n"), NULL);
    add(center, &last, name_of("r6.n"), NULL);
    r6_victim = victim.token;
    pthread_t thread;
    pthread_create(&thread, NULL, remove_from_thread, center);
    CHECK(HeraldCenterPostNotification(center, name_of("r6.n"), NULL, NULL, false) == 2);
    pthread_join(thread, NULL);
    CHECK(victim.calls == 0 && victim.released == 1 && last.calls == 1);
    HeraldCenterRelease(center);
}

/* In its call, the snapshot that the post is reading is replaced twice. In between, the next observer in it is removed,
 * and its slot is given to a stranger if the library reuses it. */
static struct {
    struct listener victim, strangers[300];
    bool done;
} r6;
static void replace_everything(struct listener *self, HeraldCenterRef center) {
    (void)self;
    if (r6.done) return;
    r6.done = true;
    for (int i = 0; i < 100; i++) add(center, &r6.strangers[i], name_of("r6.n"), NULL);
    CHECK(HeraldCenterRemoveToken(center, r6.victim.token));
    for (int i = 0; i < 100; i++) CHECK(HeraldCenterRemoveToken(center, r6.strangers[i].token));
    for (int i = 0; i < 3000; i++) { /* the reclaimer frees everything that no post can see */
        struct listener brief = {0};
        add(center, &brief, name_of("r6.n"), NULL);
        CHECK(HeraldCenterRemoveToken(center, brief.token));
    }
    for (int i = 100; i < 300; i++) add(center, &r6.strangers[i], name_of("r6.m"), NULL);
}
RULE(6, what_a_running_post_lists_is_not_used_again) {
    HeraldCenterRef center = new_center();
    memset(&r6, 0, sizeof r6);
    struct listener first = {.then = replace_everything};
    add(center, &first, name_of("r6.n"), NULL);
    add(center, &r6.victim, name_of("r6.n"), NULL);
    CHECK(HeraldCenterPostNotification(center, name_of("r6.n"), NULL, NULL, false) == 1);
    CHECK(r6.victim.calls == 0);
    for (int i = 0; i < 300; i++) CHECK(r6.strangers[i].calls == 0);
    HeraldCenterRelease(center);
}

static void nest(struct listener *self, HeraldCenterRef center) {
    intptr_t *left = self->context;
    if ((*left)-- > 0) {
        CHECK(HeraldCenterPostTagged(center, self->name, &o1, left, (void *)*left, 0) == 1);
        self->tag = HeraldGetCurrentTag();
    }
}

RULE(7, a_callback_may_post_to_any_depth) {
    HeraldCenterRef center = new_center();
    intptr_t left = 100;
    struct listener listener = {.then = nest, .context = &left};
    add(center, &listener, name_of("r7.n"), NULL);
    CHECK(HeraldCenterPostNotification(center, name_of("r7.n"), NULL, NULL, false) == 1);
    CHECK(listener.calls == 101 && left == -1);
    CHECK(HeraldGetCurrentTag() == NULL);
    HeraldCenterRelease(center);
    CHECK(listener.released == 1);
}

static void remove_self_deeply(struct listener *self, HeraldCenterRef center) {
    int *depth = self->context;
    if (++*depth < 20) {
        HeraldCenterPostNotification(center, self->name, NULL, NULL, false);
    } else {
        CHECK(HeraldCenterRemoveTokenAndWait(center, self->token)); /* inside: does not wait */
    }
    CHECK(self->released == 0);
}

RULE(7, a_callback_may_remove_itself_below_calls_of_itself) {
    HeraldCenterRef center = new_center();
    int depth = 0;
    struct listener listener = {.then = remove_self_deeply, .context = &depth};
    add(center, &listener, name_of("r7.n"), NULL);
    HeraldCenterPostNotification(center, name_of("r7.n"), NULL, NULL, false);
    CHECK(listener.calls == 20 && listener.released == 1);
    HeraldCenterRelease(center);
}

static void churn(struct listener *self, HeraldCenterRef center) {
    struct listener *others = self->context;
    for (int i = 0; i < 100; i++) add(center, &others[i], self->name, i % 2 ? &o1 : NULL);
    for (int i = 0; i < 100; i++) CHECK(HeraldCenterRemoveToken(center, others[i].token));
}

RULE(7, a_callback_may_add_and_remove_many) {
    HeraldCenterRef center = new_center();
    struct listener others[100];
    memset(others, 0, sizeof others);
    struct listener listener = {.then = churn, .context = others}, last = {0};
    add(center, &listener, name_of("r7.n"), NULL);
    add(center, &last, name_of("r7.n"), NULL);
    for (int i = 0; i < 50; i++) CHECK(HeraldCenterPostNotification(center, name_of("r7.n"), &o1, NULL, false) == 2);
    for (int i = 0; i < 100; i++) CHECK(others[i].calls == 0 && others[i].released == 50);
    HeraldCenterRelease(center);
}

static void replace_self(struct listener *self, HeraldCenterRef center) {
    HeraldCenterRemoveEveryObserver(center, self);
    CHECK(HeraldCenterAddObserver(center, self, listener_hear, self->name, NULL, HeraldSuspensionDrop) == HeraldOK);
}

RULE(7, a_callback_may_replace_itself) {
    HeraldCenterRef center = new_center();
    struct listener listener = {.then = replace_self};
    add(center, &listener, name_of("r7.n"), NULL);
    for (int i = 1; i <= 50; i++) {
        CHECK(HeraldCenterPostNotification(center, name_of("r7.n"), NULL, NULL, false) == 1);
        CHECK(listener.calls == i);
        listener.released = 0;
    }
    HeraldCenterRelease(center);
}

RULE(8, removal_matches_as_the_contract_says) {
    HeraldNameRef names[] = {NULL, name_of("r8.n"), name_of("r8.m")};
    const void *objects[] = {NULL, &o1, &o2};
    static const struct {
        int name, object;
    } kinds[] = {{1, 1}, {1, 0}, {1, 2}, {2, 0}, {0, 0}, {0, 1}, {0, 2}, {2, 1}}; /* a to h */
    static const struct {
        int name, object;
        const char *left;
    } removals[] = {{0, 0, ""},        {1, 0, "defgh"},    {0, 1, "bcdeg"},
                    {1, 1, "bcdefgh"}, {2, 2, "abcdefgh"}, {2, 0, "abcefg"}};
    for (size_t i = 0; i < sizeof removals / sizeof *removals; i++) {
        HeraldCenterRef center = new_center();
        struct listener self = {0}, other = {0};
        HeraldToken tokens[8];
        for (int k = 0; k < 8; k++)
            CHECK(HeraldCenterAddObserverWithOptions(center, &self, listener_hear, names[kinds[k].name],
                                                     objects[kinds[k].object], NULL, &tokens[k]) == HeraldOK);
        add(center, &other, names[1], &o1);
        HeraldCenterRemoveObserver(center, &self, names[removals[i].name], objects[removals[i].object]);
        struct record left = {.lock = PTHREAD_MUTEX_INITIALIZER};
        for (int k = 0; k < 8; k++)
            if (HeraldCenterRemoveToken(center, tokens[k])) left.heard[left.count++] = (char)('a' + k);
        CHECK_HEARD(&left, removals[i].left);
        CHECK(other.released == 0);
        HeraldCenterRelease(center);
    }
}

RULE(8, observer_NULL_can_be_added_and_is_removed_by_token_only) {
    HeraldCenterRef center = new_center();
    HeraldObserverOptions options = {.size = sizeof options};
    HeraldToken token;
    extern void r8_count(HeraldCenterRef, void *, HeraldNameRef, const void *, const void *);
    CHECK(HeraldCenterAddObserverWithOptions(center, NULL, r8_count, name_of("r8.n"), NULL, &options, &token) == 0);
    HeraldCenterRemoveObserver(center, NULL, name_of("r8.n"), NULL);
    HeraldCenterRemoveEveryObserver(center, NULL);
    HeraldCenterRemoveEveryObserverAndWait(center, NULL);
    CHECK(HeraldCenterPostNotification(center, name_of("r8.n"), NULL, NULL, false) == 1);
    CHECK(HeraldCenterRemoveToken(center, token));
    CHECK(HeraldCenterPostNotification(center, name_of("r8.n"), NULL, NULL, false) == 0);
    HeraldCenterRelease(center);
}
void r8_count(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    CHECK(observer == NULL);
}

RULE(8, removing_every_observer_leaves_everybody_else) {
    HeraldCenterRef center = new_center();
    struct listener mine = {0}, theirs = {0};
    for (int i = 0; i < 10; i++) {
        add(center, &mine, i % 2 ? name_of("r8.n") : NULL, i % 3 ? &o1 : NULL);
        add(center, &theirs, i % 2 ? name_of("r8.n") : NULL, i % 3 ? &o1 : NULL);
    }
    HeraldCenterRemoveEveryObserver(center, &mine);
    CHECK(mine.released == 10 && theirs.released == 0);
    CHECK(HeraldCenterPostNotification(center, name_of("r8.n"), &o1, NULL, false) == 10);
    CHECK(mine.calls == 0 && theirs.calls == 10);
    HeraldCenterRelease(center);
}

static void post_and_replace(struct listener *self, HeraldCenterRef center) {
    if (self->calls < 400) HeraldCenterPostNotification(center, name_of("r7.n"), NULL, NULL, false);
    if (self->calls == 400) { /* here 400 posts pin a snapshot each: more than the reclaimer's table has room for */
        struct listener other = {0};
        for (int i = 0; i < OFTEN(5000); i++) {
            other.released = 0;
            add(center, &other, name_of("r7.n"), NULL);
            CHECK(HeraldCenterRemoveToken(center, other.token) && other.released == 1);
        }
    }
}
SLOW_RULE(7, four_hundred_nested_posts_find_what_they_call, "five thousand removals look at four hundred posts each") {
    HeraldCenterRef center = new_center();
    struct listener nested = {.then = post_and_replace}, next = {0};
    add(center, &nested, name_of("r7.n"), NULL);
    add(center, &next, name_of("r7.n"), NULL);
    HeraldCenterPostNotification(center, name_of("r7.n"), NULL, NULL, false);
    CHECK(nested.calls == 400 && next.calls == 400);
    HeraldCenterRelease(center);
}

/* An observer of many names, with another observer of each name. */
enum { MANY = 40000, SOME = 400 };
static char addresses[MANY * 2];
static HeraldCenterRef center_of_many;
static struct listener observer_of_many, observer_beside;
static void add_to_names(int count) {
    center_of_many = new_center();
    observer_of_many = observer_beside = (struct listener){0};
    for (int i = 0; i < count; i++) {
        HeraldNameRef name = HeraldNameForAddress(&addresses[i * 2]);
        struct listener *const observers[] = {&observer_of_many, &observer_beside, &observer_of_many};
        for (int j = 0; j < 3; j++)
            CHECK(HeraldCenterAddObserver(center_of_many, observers[j], listener_hear, name, NULL,
                                          HeraldSuspensionHold) == HeraldOK);
    }
}
static void add_to_some(void) { add_to_names(SOME); }
static void add_to_many(void) { add_to_names(MANY); }
static void remove_from_names(int count) {
    for (int i = 0; i < count; i++)
        HeraldCenterRemoveObserver(center_of_many, &observer_of_many, HeraldNameForAddress(&addresses[i * 2]), NULL);
}
static void remove_from_four(void) { remove_from_names(4); }
RULE(8, an_observer_of_many_names_leaves_them_one_by_one) { /* at a cost that does not grow */
    long among_some = instructions_of(add_to_some, remove_from_four);
    long among_many = instructions_of(add_to_many, remove_from_four);
    CHECK(among_many <= 2 * among_some); /* with only the observer's list it would be fifty times as many, and more */
    add_to_many();
    remove_from_names(MANY);
    for (int i = 0; i < MANY; i++)
        CHECK(HeraldCenterPostNotification(center_of_many, HeraldNameForAddress(&addresses[i * 2]), NULL, NULL,
                                           false) == 1);
    CHECK(observer_of_many.calls == 0 && observer_beside.calls == MANY);
    HeraldCenterRelease(center_of_many);
}
