/* R21 and R16: a tag is the kind of userInfo, and decides how a post with it is held. */
#include "check.h"

static const char letters[8]; /* their addresses are tags */

static const void *double_word(const void *word) { return (const void *)((uintptr_t)word * 2); }
static atomic_int given_back;
static void give_back(const void *word) { given_back += (int)(uintptr_t)word; }

RULE(21, a_tag_is_described_once) {
    HeraldTagOptions options = {.size = sizeof options};
    CHECK(HeraldTagSetOptions(NULL, &options) == HeraldInvalidArgument);
    CHECK(HeraldTagSetOptions(&letters[0], NULL) == HeraldInvalidArgument);
    options.size = 3;
    CHECK(HeraldTagSetOptions(&letters[0], &options) == HeraldInvalidArgument);
    options.size = sizeof options;
    HeraldStatus first = HeraldTagSetOptions(&letters[0], &options);
    CHECK(first == HeraldOK || first == HeraldInvalidArgument); /* the rules may run more than once */
    CHECK(HeraldTagSetOptions(&letters[0], &options) == HeraldInvalidArgument);
}

RULE(21, a_described_tag_keeps_posts_in_place_of_the_center) {
    HeraldTagOptions options = {.size = sizeof options,
                                .retainUserInfo = double_word,
                                .releaseUserInfo = give_back,
                                .retainObject = double_word,
                                .releaseObject = give_back};
    HeraldTagSetOptions(&letters[1], &options);
    HeraldCenterRef center = new_center(); /* has no retain functions of its own */
    struct listener held = {0};
    add_with(center, &held, name_of("r21.kept"), NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    given_back = 0;
    HeraldCenterPostTagged(center, name_of("r21.kept"), (void *)100, (void *)7, &letters[1], 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(held.calls == 1 && held.userInfo == (void *)14 && held.object == (void *)200 && held.tag == &letters[1]);
    CHECK(given_back == 214);
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostTagged(center, name_of("r21.kept"), (void *)100, (void *)7, &letters[2], 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(held.calls == 2 && !held.userInfo && !held.object && held.tag == &letters[2]);
    HeraldCenterRelease(center);
    CHECK(held.released == 1 && given_back == 214);
}

static HeraldTagOptions borrowed = {.size = sizeof borrowed, .borrowed = true};

RULE(21, what_is_borrowed_is_heard_at_once_and_flushes_nothing) {
    HeraldTagSetOptions(&letters[3], &borrowed);
    HeraldCenterRef center = new_center();
    struct listener held = {0}, now = {0}, never = {0};
    add_with(center, &held, NULL, NULL, HeraldSuspensionHold);
    add_with(center, &now, name_of("r21.now"), NULL, HeraldSuspensionDeliverImmediately);
    add_with(center, &never, NULL, NULL, HeraldSuspensionDrop);
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostNotification(center, name_of("r21.other"), NULL, NULL, false);
    HeraldTopicRef topic = HeraldTopicCreate(center, name_of("r21.now"), NULL);
    CHECK(HeraldTopicPostTagged(topic, &now, &letters[3]) == 1);
    CHECK(HeraldCenterPostTagged(center, name_of("r21.now"), NULL, &now, &letters[3], 0) == 1);
    CHECK(now.calls == 2 && now.userInfo == &now && held.calls == 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(held.calls == 3 && !held.userInfo && now.calls == 2 && never.calls == 0);
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}

static void post_borrowed(struct listener *self, HeraldCenterRef center) {
    struct listener *now = self->context;
    CHECK(HeraldCenterPostTagged(center, name_of("r21.now"), NULL, self, &letters[3], 0) == 1);
    CHECK(now->calls == 1 && now->userInfo == self);
}
RULE(21, what_is_borrowed_does_not_queue_behind_a_delivery) {
    HeraldTagSetOptions(&letters[3], &borrowed);
    HeraldCenterRef center = new_center();
    struct listener now = {0}, later = {0}, held = {.then = post_borrowed, .context = &now};
    add_with(center, &held, name_of("r21.held"), NULL, HeraldSuspensionHold);
    add_with(center, &now, name_of("r21.now"), NULL, HeraldSuspensionDeliverImmediately);
    add_with(center, &later, name_of("r21.now"), NULL, HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostNotification(center, name_of("r21.held"), NULL, NULL, false);
    HeraldCenterSetSuspended(center, false);
    CHECK(held.calls == 1 && now.calls == 1 && later.calls == 1 && !later.userInfo);
    HeraldCenterRelease(center);
}

static const void *keep_nothing(const void *word) {
    (void)word;
    return NULL;
}
RULE(16, objects_that_could_not_be_kept_are_not_coalesced) {
    HeraldTagOptions options = {.size = sizeof options, .retainObject = keep_nothing, .releaseObject = give_back};
    HeraldTagSetOptions(&letters[4], &options);
    HeraldCenterRef center = new_center();
    struct listener last = {0};
    given_back = 0;
    add_with(center, &last, name_of("r16.gone"), NULL, HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 3; i++) /* three objects that died one after the other, at the same address */
        HeraldCenterPostTagged(center, name_of("r16.gone"), (void *)100, NULL, &letters[4], 0);
    for (int i = 0; i < 3; i++) HeraldCenterPostTagged(center, name_of("r16.gone"), NULL, NULL, &letters[4], 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(last.calls == 4 && !last.object && given_back == 0);
    HeraldCenterRelease(center);
}

/* Records the tags that it gets. */
struct tagged {
    const void *tags[8];
    int calls;
};

static void take_tag(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                     const void *userInfo, const void *tag) {
    (void)center, (void)name, (void)object, (void)userInfo;
    struct tagged *self = observer;
    CHECK(tag == HeraldGetCurrentTag());
    self->tags[self->calls++ % 8] = tag;
}

static void add_tagged(HeraldCenterRef center, struct tagged *observer, HeraldNameRef name,
                       HeraldSuspensionBehavior behavior) {
    HeraldObserverOptions options = {
        .size = sizeof options, .suspensionBehavior = behavior, .taggedCallback = take_tag};
    CHECK(HeraldCenterAddObserverWithOptions(center, observer, NULL, name, NULL, &options, NULL) == HeraldOK);
}

RULE(21, a_callback_that_takes_the_tag_gets_it_by_every_way) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("r21.taken");
    HeraldTopicRef topic = HeraldTopicCreate(center, name, NULL);
    struct tagged one = {0}, more = {0}, held = {0};
    struct listener plain = {0};
    add_tagged(center, &one, name, HeraldSuspensionDeliverImmediately);
    CHECK(HeraldCenterPostTagged(center, name, NULL, NULL, &letters[4], 0) == 1);
    CHECK(HeraldTopicPostTagged(topic, NULL, &letters[5]) == 1);
    CHECK(HeraldTopicPost(topic, NULL) == 1);
    CHECK(one.calls == 3 && one.tags[0] == &letters[4] && one.tags[1] == &letters[5] && !one.tags[2]);

    add_with(center, &plain, name, NULL, HeraldSuspensionDeliverImmediately);
    add_tagged(center, &more, NULL, HeraldSuspensionDeliverImmediately);
    add_tagged(center, &held, name, HeraldSuspensionHold);
    CHECK(HeraldCenterPostTagged(center, name, NULL, NULL, &letters[4], 0) == 4);
    CHECK(plain.calls == 1 && more.calls == 1 && more.tags[0] == &letters[4] && held.calls == 1);
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostTagged(center, name_of("r21.taken"), NULL, NULL, &letters[6], 0);
    CHECK(held.calls == 1);
    HeraldCenterSetSuspended(center, false);
    CHECK(held.calls == 2 && held.tags[1] == &letters[6]);
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}

RULE(21, a_registration_has_one_callback) {
    HeraldCenterRef center = new_center();
    HeraldObserverOptions options = {.size = sizeof options};
    struct tagged one = {0};
    CHECK(HeraldCenterAddObserverWithOptions(center, &one, NULL, NULL, NULL, &options, NULL) == HeraldInvalidArgument);
    options.taggedCallback = take_tag;
    CHECK(HeraldCenterAddObserverWithOptions(center, &one, listener_hear, NULL, NULL, &options, NULL) ==
          HeraldInvalidArgument);
    /* As in versions without tagged callbacks. */
    options.size = offsetof(HeraldObserverOptions, taggedCallback);
    CHECK(HeraldCenterAddObserverWithOptions(center, &one, NULL, NULL, NULL, &options, NULL) == HeraldInvalidArgument);
    struct listener listener = {0};
    CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, NULL, NULL, &options, NULL) == HeraldOK);
    for (options.size++; options.size < sizeof options; options.size++)
        CHECK(HeraldCenterAddObserverWithOptions(center, &listener, listener_hear, NULL, NULL, &options, NULL) ==
              HeraldInvalidArgument);
    HeraldCenterPostNotification(center, name_of("r21.one"), NULL, NULL, false);
    CHECK(one.calls == 0 && listener.calls == 1);
    HeraldCenterRelease(center);
}

RULE(8, a_registration_that_takes_the_tag_is_removed_by_its_token_alone) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("r8.token");
    struct tagged one = {0};
    int object = 0;
    HeraldObserverOptions options = {.size = sizeof options, .taggedCallback = take_tag};
    HeraldToken token;
    CHECK(HeraldCenterAddObserverWithOptions(center, &one, NULL, name, &object, &options, &token) == HeraldOK);
    HeraldCenterRemoveObserver(center, &one, NULL, NULL);
    HeraldCenterRemoveObserver(center, &one, name, &object);
    HeraldCenterRemoveEveryObserver(center, &one);
    HeraldCenterRemoveEveryObserverAndWait(center, &one);
    CHECK(HeraldCenterPostNotification(center, name, &object, NULL, false) == 1);
    CHECK(HeraldCenterRemoveTokenAndWait(center, token));
    CHECK(HeraldCenterPostNotification(center, name, &object, NULL, false) == 0);
    HeraldCenterRelease(center);
}
