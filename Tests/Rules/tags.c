/* R21 and R16: a tag says what userInfo is, and so how a post that carries it is kept. */
#include "check.h"

static const char letters[8]; /* their addresses are tags */

static const void *double_word(const void *word) { return (const void *)((uintptr_t)word * 2); }
static atomic_int given_back;
static void give_back(const void *word) { given_back += (int)(uintptr_t)word; }

RULE(R21_a_tag_is_described_once) {
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

RULE(R21_a_described_tag_keeps_posts_in_place_of_the_center) {
    HeraldTagOptions options = {.size = sizeof options,
                                .retainUserInfo = double_word,
                                .releaseUserInfo = give_back,
                                .retainObject = double_word,
                                .releaseObject = give_back};
    HeraldTagSetOptions(&letters[1], &options);
    HeraldCenterRef center = new_center(); /* keeps nothing by itself */
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

RULE(R21_what_is_borrowed_is_heard_at_once_and_flushes_nothing) {
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
RULE(R21_what_is_borrowed_does_not_queue_behind_a_delivery) {
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
RULE(R16_objects_that_could_not_be_kept_are_not_coalesced) {
    HeraldTagOptions options = {.size = sizeof options, .retainObject = keep_nothing, .releaseObject = give_back};
    HeraldTagSetOptions(&letters[4], &options);
    HeraldCenterRef center = new_center();
    struct listener last = {0};
    given_back = 0;
    add_with(center, &last, name_of("r16.gone"), NULL, HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 3; i++) /* three that died one after the other, at one address */
        HeraldCenterPostTagged(center, name_of("r16.gone"), (void *)100, NULL, &letters[4], 0);
    for (int i = 0; i < 3; i++) HeraldCenterPostTagged(center, name_of("r16.gone"), NULL, NULL, &letters[4], 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(last.calls == 4 && !last.object && given_back == 0);
    HeraldCenterRelease(center);
}
