/* An operation is a byte: five bits choose the operation, three the center. Further bytes are its arguments. */
#include "calls.h"
#include "arguments.h"
#include "handles.h"
#include "hooks.h"
#include "input.h"
#include "keeping.h"
#include "keeps.h"
#include "names.h"
#include "reference.h"
#include "report.h"
#include "world.h"

#include <herald/inspect.h>

enum { MOST_CALLS = 400, MOST_NESTED = 12, CENTERS = 3, TOPICS = 6, OLD_TOKENS = 64 };

struct topic {
    HeraldTopicRef real;
    struct center *center;
    HeraldNameRef name;
    const void *object;
    bool is_signal;
};

static struct center *pool[CENTERS]; /* the first is the local one */
static struct topic topics[TOPICS];
static unsigned favourite; /* in the pool */
static unsigned made;      /* calls */

/* Tokens of the local center from earlier inputs: they stay stale, even if their slots are used again. */
static HeraldToken old_tokens[OLD_TOKENS];
static unsigned old_token_count;

/* NULL for 7, mostly the input's favourite, so that calls meet. In place of a dead center it returns the local one. */
static struct center *select_center(unsigned bits) {
    if (bits == 7) return NULL;
    struct center *center = pool[bits < 4 ? favourite : bits % CENTERS];
    return center && center->is_alive ? center : pool[0];
}

unsigned center_number(const struct center *center) {
    for (unsigned i = 0; i < CENTERS; i++)
        if (center && pool[i] == center) return i;
    return 9; /* NULL */
}

/* ---- Adding ----------------------------------------------------------------------------------------------------- */

static void activate(struct registration *r, struct center *center, const struct selection *what,
                     HeraldSuspensionBehavior behavior) {
    r->center = center;
    r->observer = what->observer;
    r->name = what->name;
    r->object = what->object;
    r->behavior = behavior;
    r->state = ACTIVE;
}

static bool is_behavior(unsigned behavior) { return behavior <= 4; } /* 0: the default */

/* Without a token, an observer that is NULL could not be removed from the local center. */
static void avoid_immortal(const struct center *center, struct selection *what) {
    if (center && center->is_local && !what->observer) what->observer = world_observer(1);
}

static void add_observer(struct center *center) {
    static const unsigned odd_behaviors[] = {0, 5, 255, 0xffffffff};
    struct registration *r = reference_new();
    if (!r) return;
    struct selection what = select_three();
    unsigned byte = input_byte(), behavior = byte < 0xe0 ? 1 + (byte & 3) : odd_behaviors[byte & 3];
    bool has_callback = byte != 0xdf;
    avoid_immortal(center, &what);
    HeraldStatus expected = center && has_callback && is_behavior(behavior) ? HeraldOK : HeraldInvalidArgument;
    TRACE("add %u: center %u, %s, %s, %s, behavior %u", r->index, center_number(center), world_label(what.observer),
          world_label_name(what.name), world_label(what.object), behavior);
    reference_call_begin();
    HeraldStatus status =
        HeraldCenterAddObserver(real(center), what.observer, has_callback ? hooks_numbered[r->index].callback : NULL,
                                what.name, what.object, (HeraldSuspensionBehavior)behavior);
    check_status("AddObserver", status, expected);
    if (!behavior) behavior = HeraldSuspensionDeliverImmediately;
    if (status == HeraldOK) activate(r, center, &what, (HeraldSuspensionBehavior)behavior);
    reference_call_end();
}

/* The options of an add. */
struct wish {
    struct selection what;
    HeraldObserverOptions options;
    bool has_options, has_callback, wants_token;
    enum hooks_answer answer;
};

static struct wish read_wish(unsigned index, bool follows) {
    static const size_t odd_sizes[] = {0, 1, sizeof(HeraldObserverOptions) - 1, SIZE_MAX};
    static const unsigned odd_behaviors[] = {5, 255, 0x7fffffff, 0xffffffff};
    struct wish wish = {.what = select_three()};
    const struct hooks *hooks = &hooks_numbered[index];
    unsigned kind = input_byte(), oddity = input_byte();
    wish.options.size = sizeof wish.options;
    wish.options.suspensionBehavior = (HeraldSuspensionBehavior)((kind & 7) % 5);
    if ((kind & 0x88) != 0) wish.options.release = hooks->release;
    if (kind & 16) wish.options.retainObject = hooks->retain_object;
    if (kind & 32) wish.options.releaseObject = hooks->release_object;
    if (follows) {
        unsigned start = input_byte();
        wish.options.start = start < 0xf0 ? HeraldStartKept : (HeraldStart)(start & 3);
        if (start & 7) wish.options.began = hooks->began;
        if (start & 32 && !wish.what.name) wish.what.name = world_name(1 + (start >> 3 & 3));
    }
    wish.answer = (kind >> 6) == 3 ? HOOKS_ALIAS : HOOKS_SAME;
    wish.has_options = wish.has_callback = wish.wants_token = true;
    if (oddity < 0xc0) return wish;
    switch (oddity & 7) {
    case 0: wish.options.size = odd_sizes[oddity >> 3 & 3]; break;
    case 1: wish.options.suspensionBehavior = (HeraldSuspensionBehavior)odd_behaviors[oddity >> 3 & 3]; break;
    case 2: wish.has_options = false; break;
    case 3: wish.has_callback = false; break;
    case 4: wish.answer = HOOKS_NULL; break;
    default: wish.wants_token = false; break;
    }
    return wish;
}

static bool is_acceptable(const struct center *center, const struct wish *wish) {
    if (!center || !wish->has_callback) return false;
    if (!wish->has_options) return true;
    if (wish->options.start > HeraldStartKept || (wish->options.start && !wish->what.name)) return false;
    return wish->options.size == sizeof wish->options && wish->options.suspensionBehavior <= 4;
}

static void check_add(struct registration *r, HeraldStatus status, bool wants_token) {
    if (!wants_token) return;
    if (status == HeraldOK) {
        reference_check_token(r);
    } else if (r->token.center || r->token.registration) {
        report_difference("R9: a failed add left a token");
    }
}

static void activate_wish(struct registration *r, struct center *center, struct wish *wish, bool retains) {
    const HeraldObserverOptions *options = &wish->options;
    int behavior = wish->has_options ? (int)options->suspensionBehavior : 0;
    if (retains) wish->what.object = hooks_answer(wish->what.object, wish->answer);
    if (!behavior) behavior = HeraldSuspensionDeliverImmediately;
    activate(r, center, &wish->what, (HeraldSuspensionBehavior)behavior);
    r->has_release = wish->has_options && options->release;
    r->has_object_release = retains && options->releaseObject;
    r->follows = wish->has_options && options->start == HeraldStartKept;
    r->has_began = r->follows && options->began;
}

static void add_with_options(struct center *center, bool may_follow) {
    struct registration *r = reference_new();
    if (!r) return;
    struct wish wish = read_wish(r->index, may_follow);
    if (!wish.wants_token) avoid_immortal(center, &wish.what);
    const HeraldObserverOptions *options = &wish.options;
    bool accepted = is_acceptable(center, &wish);
    bool retains = accepted && wish.has_options && options->retainObject && wish.what.object;
    bool added = accepted && !(retains && wish.answer == HOOKS_NULL);
    TRACE("add %u with options: center %u, %s, %s, %s, behavior %d%s%s%s%s%s%s", r->index, center_number(center),
          world_label(wish.what.observer), world_label_name(wish.what.name), world_label(wish.what.object),
          (int)options->suspensionBehavior, options->release ? ", release" : "",
          options->retainObject ? ", retainObject" : "", options->releaseObject ? ", releaseObject" : "",
          wish.answer ? ", another answer" : "", wish.has_options ? "" : ", options NULL",
          options->start ? ", with what is kept" : "");
    hooks_expect_retain(r->index, retains ? wish.what.object : NULL, wish.answer);
    r->token = wish.wants_token ? (HeraldToken){7, 7} : (HeraldToken){0, 0};
    const void *object = wish.what.object;
    bool follows = added && wish.has_options && options->start == HeraldStartKept;
    if (follows) {
        activate_wish(r, center, &wish, retains); /* now, because the add calls it */
        reference_follow_begin(r);
    } else {
        reference_call_begin();
    }
    HeraldStatus status = HeraldCenterAddObserverWithOptions(
        real(center), wish.what.observer, wish.has_callback ? hooks_numbered[r->index].callback : NULL, wish.what.name,
        object, wish.has_options ? options : NULL, wish.wants_token ? &r->token : NULL);
    check_status("AddObserverWithOptions", status, added ? HeraldOK : HeraldInvalidArgument);
    if (!follows && hooks_has_retained() != retains)
        report_difference("R12: retainObject has %srun", retains ? "not " : "");
    check_add(r, status, wish.wants_token);
    if (follows) {
        reference_follow_end();
        return;
    }
    if (added) activate_wish(r, center, &wish, retains);
    reference_call_end();
}

static void add_by_topic(void) {
    unsigned byte = input_byte();
    const struct topic topic = topics[(byte & 7) % TOPICS];
    struct registration *r = reference_new();
    if (!r) return;
    struct selection what = select_three();
    const struct hooks *hooks = &hooks_numbered[r->index];
    HeraldTaggedCallback callback = (HeraldTaggedCallback)(void (*)(void))hooks->callback;
    bool has_callback = byte >> 3 != 31, has_release = byte & 8;
    bool added = topic.real && has_callback;
    TRACE("add %u by topic %u, %s%s", r->index, (byte & 7) % TOPICS, world_label(what.observer),
          has_release ? ", release" : "");
    r->token = (HeraldToken){7, 7};
    reference_call_begin();
    HeraldStatus status = HeraldTopicAddObserver(topic.real, what.observer, has_callback ? callback : NULL,
                                                 has_release ? hooks->release : NULL, &r->token);
    check_status("TopicAddObserver", status, added ? HeraldOK : HeraldInvalidArgument);
    check_add(r, status, true);
    if (added) {
        what.name = topic.name;
        what.object = topic.object;
        activate(r, topic.center, &what, HeraldSuspensionDeliverImmediately);
        r->by_token = true;
        r->has_release = has_release;
    }
    reference_call_end();
}

/* ---- Removing --------------------------------------------------------------------------------------------------- */

static void remove_observer(struct center *center) {
    struct selection what = select_three();
    TRACE("remove: center %u, %s, %s, %s", center_number(center), world_label(what.observer),
          world_label_name(what.name), world_label(what.object));
    reference_call_begin();
    reference_remove_matching(center, what.observer, what.name, what.object);
    HeraldCenterRemoveObserver(real(center), what.observer, what.name, what.object);
    reference_call_end();
}

static void remove_every_observer(struct center *center, const void *observer, bool waits) {
    TRACE("remove every%s: center %u, %s", waits ? " and wait" : "", center_number(center), world_label(observer));
    reference_call_begin();
    reference_remove_matching(center, observer, NULL, NULL);
    (waits ? HeraldCenterRemoveEveryObserverAndWait : HeraldCenterRemoveEveryObserver)(real(center), observer);
    reference_call_end();
}

static void remove_by_token(struct center *center, HeraldToken token, bool waits) {
    reference_call_begin();
    bool expected = reference_remove_token(center, token);
    bool removed = (waits ? HeraldCenterRemoveTokenAndWait : HeraldCenterRemoveToken)(real(center), token);
    if (removed != expected)
        report_difference("R9: RemoveToken answered %s for a %s token", removed ? "true" : "false",
                          expected ? "live" : "stale or foreign");
    reference_call_end();
}

static void remove_by_topic(void) {
    unsigned slot = input_byte() % TOPICS;
    const struct topic topic = topics[slot];
    TRACE("remove every observer of topic %u", slot);
    reference_call_begin();
    if (topic.real) reference_remove_exactly(topic.center, topic.name, topic.object);
    HeraldTopicRemoveEveryObserver(topic.real);
    reference_call_end();
}

/* Without a center (R9). */
static void remove_by_token_alone(const struct registration *r, bool waits) {
    TRACE("remove token alone%s: registration %u", waits ? " and wait" : "", r->index);
    reference_call_begin();
    bool expected = r->state != FAILED && reference_remove_token(r->center, r->token);
    bool removed = (waits ? HeraldTokenRemoveAndWait : HeraldTokenRemove)(r->token);
    if (removed != expected) report_difference("R9: a token alone has %sremoved", removed ? "" : "not ");
    reference_call_end();
}

/* ---- Tokens ----------------------------------------------------------------------------------------------------- */

static void check_token(const struct registration *r) {
    bool is_there = r->state == ACTIVE && r->center->is_alive;
    HeraldCenterRef center = r->center->is_alive ? r->center->real : NULL;
    if (HeraldCenterHasToken(center, r->token) != is_there)
        report_difference("R9: HasToken of registration %u is wrong", r->index);
    if (HeraldCenterIsTokenBlocked(center, r->token) != (is_there && r->blocked))
        report_difference("R30: registration %u is %sblocked", r->index, r->blocked ? "not " : "");
}

static void block(struct registration *r, bool blocked) {
    bool is_there = r->state == ACTIVE && r->center->is_alive;
    if (r->follows || (!blocked && reference_depth())) return; /* see reference.h */
    TRACE("%s registration %u", blocked ? "block" : "unblock", r->index);
    reference_call_begin();
    HeraldCenterRef center = r->center->is_alive ? r->center->real : NULL;
    if (HeraldCenterSetTokenBlocked(center, r->token, blocked) != is_there)
        report_difference("R30: SetTokenBlocked of registration %u is wrong", r->index);
    if (is_there) r->blocked = blocked;
    reference_call_end();
    check_token(r);
}

static void use_token(void) {
    unsigned byte = input_byte(), count = reference_count();
    struct registration *r = count ? reference_at(input_byte() % count) : NULL;
    if (!r || r->state == FAILED || !r->token.center) return;
    check_token(r);
    if ((byte & 7) == 0) {
        remove_by_token_alone(r, byte & 8);
    } else {
        block(r, (byte & 7) < 5);
    }
}

/* Numbers that no registration can have: a center gives out only small ones, because it never uses one again. */
static HeraldToken garbage_token(unsigned byte, HeraldToken token) {
    switch (byte >> 4 & 3) {
    case 0: return (HeraldToken){0, 0};
    case 1: return (HeraldToken){token.center, 0};
    case 2: return (HeraldToken){token.center, UINT64_MAX - (byte >> 6)};
    default: return (HeraldToken){~token.center, token.registration};
    }
}

static void remove_token(struct center *center, bool waits) {
    unsigned byte = input_byte(), count = reference_count();
    const struct registration *r = count ? reference_at(input_byte() % count) : NULL;
    HeraldToken token = r ? r->token : (HeraldToken){0, 0};
    const char *kind = "a registration's";
    if ((byte & 15) == 0) {
        token = garbage_token(byte, token);
        kind = "garbage";
    } else if ((byte & 15) == 1 && old_token_count) {
        token = old_tokens[(byte >> 4) * 4 % (old_token_count < OLD_TOKENS ? old_token_count : OLD_TOKENS)];
        kind = "an earlier input's";
    } else if (byte & 8 && r && r->state != FAILED && r->center->is_alive) {
        center = r->center;
    }
    TRACE("remove token%s: center %u, %s token (registration %u)", waits ? " and wait" : "", center_number(center),
          kind, r ? r->index : 0);
    remove_by_token(center, token, waits);
}

/* ---- Posting ---------------------------------------------------------------------------------------------------- */

enum way { PLAIN, WITH_OPTIONS, TAGGED };

static void post(struct center *center, enum way way) {
    struct selection what = select_three();
    unsigned byte = input_byte();
    const void *user_info = world_user_info((byte & 7) % 5), *tag = world_tag((byte >> 3 & 7) % 6);
    unsigned options = byte >> 6 == 3 ? 1 : byte >> 6 == 2 ? 0xfffffffe : byte >> 6 == 1 ? 2 : 0;
    bool immediately = options & HeraldPostDeliverImmediately;
    TRACE("post: center %u, %s, %s, %s%s%s", center_number(center), world_label_name(what.name),
          world_label(what.object), world_label(user_info), immediately ? ", immediately" : "",
          way == TAGGED ? ", tagged" : "");
    reference_post_begin(
        &(struct post){center, what.name, what.object, user_info, way == TAGGED ? tag : NULL, immediately, NULL});
    size_t returned;
    if (way == PLAIN) {
        returned = HeraldCenterPostNotification(real(center), what.name, what.object, user_info, immediately);
    } else if (way == WITH_OPTIONS) {
        returned = HeraldCenterPostNotificationWithOptions(real(center), what.name, what.object, user_info, options);
    } else {
        returned = HeraldCenterPostTagged(real(center), what.name, what.object, user_info, tag, options);
    }
    check_count(returned);
}

/* ---- Topics ----------------------------------------------------------------------------------------------------- */

struct search {
    HeraldToken token;
    HeraldNameRef name;
};

static bool find_name(void *context, const HeraldRegistrationInfo *info) {
    struct search *search = context;
    if (info->token.registration == search->token.registration) search->name = info->name;
    return !search->name;
}

static void hear_nothing(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *user_info, const void *tag) {
    (void)center, (void)observer, (void)name, (void)object, (void)user_info, (void)tag;
}

/* The name in the callbacks of a signal: that of a registration, which is removed again. */
static HeraldNameRef name_of_signal(HeraldCenterRef center, HeraldTopicRef signal) {
    struct search search = {{0, 0}, NULL};
    HeraldStatus status = HeraldTopicAddObserver(signal, NULL, hear_nothing, NULL, &search.token);
    if (status == HeraldOK) HeraldCenterVisitRegistrations(center, find_name, &search);
    if (!search.name || !HeraldCenterRemoveToken(center, search.token)) report_difference("R29: a signal has no name");
    return search.name;
}

static void create_signal(struct center *center, unsigned slot) {
    TRACE("create signal %u: center %u", slot, center_number(center));
    reference_call_begin();
    HeraldTopicRef signal = HeraldTopicCreateUnnamed(real(center));
    if ((signal != NULL) != (center != NULL)) report_difference("R29: a signal was %smade", signal ? "" : "not ");
    if (signal) {
        topics[slot] = (struct topic){signal, center, name_of_signal(center->real, signal), NULL, true};
        if (!center->is_local) center->references++;
        center->topics++;
    }
    reference_call_end();
}

static void create_topic(struct center *center) {
    unsigned byte = input_byte(), slot = byte % TOPICS;
    struct selection what = select_three();
    if (topics[slot].real) return;
    if (byte & 64) {
        create_signal(center, slot);
        return;
    }
    TRACE("create topic %u: center %u, %s, %s", slot, center_number(center), world_label_name(what.name),
          world_label(what.object));
    reference_call_begin();
    HeraldTopicRef topic = HeraldTopicCreate(real(center), what.name, what.object);
    if ((topic != NULL) != (center && what.name)) report_difference("a topic was %smade", topic ? "" : "not ");
    if (topic) {
        topics[slot] = (struct topic){topic, center, what.name, what.object, false};
        if (!center->is_local) center->references++;
        center->topics++;
    }
    reference_call_end();
}

static void post_to_topic(bool keeps) {
    unsigned byte = input_byte();
    const struct topic topic = topics[(byte & 7) % TOPICS]; /* a copy: a callback may release it */
    const void *user_info = world_user_info((byte >> 3 & 7) % 5), *tag = byte & 64 ? world_tag(1 + (byte >> 7)) : NULL;
    if (keeps) tag = world_tag((byte >> 6) + 2 * (byte & 1));
    const struct post post = {topic.center, topic.name, topic.object, user_info, tag, false, NULL};
    TRACE("%s topic %u: %s, %s", keeps ? "keep in" : "post", (byte & 7) % TOPICS, world_label(user_info),
          world_label(tag));
    if (keeps) {
        struct post kept = post;
        if (topic.is_signal) kept.center = NULL; /* R29: it keeps nothing */
        keeps_post_to_topic(topic.real, kept);
        return;
    }
    reference_post_begin(&post);
    check_count(byte & 64 ? HeraldTopicPostTagged(topic.real, user_info, tag) : HeraldTopicPost(topic.real, user_info));
}

static void release_topic(unsigned slot) {
    struct topic topic = topics[slot];
    TRACE("release topic %u", slot);
    reference_call_begin();
    topics[slot] = (struct topic){0};
    if (topic.center) {
        topic.center->topics--;
        if (topic.is_signal) reference_remove_exactly(topic.center, topic.name, NULL);
        reference_center_release(topic.center);
    }
    HeraldTopicRelease(topic.real);
    reference_call_end();
}

/* ---- Centers ---------------------------------------------------------------------------------------------------- */

static void set_suspended(struct center *center, bool suspended) {
    TRACE("%s: center %u", suspended ? "suspend" : "resume", center_number(center));
    reference_suspend_begin(center, suspended);
    HeraldCenterSetSuspended(real(center), suspended);
    reference_suspend_end();
}

static HeraldCenterOptions read_center_options(void) {
    static const size_t odd_sizes[] = {0, 1, sizeof(HeraldCenterOptions) - 1, SIZE_MAX};
    unsigned byte = input_byte() ^ 0x2f, more = byte >> 6; /* zeros, which are frequent, mean all hooks and a limit */
    HeraldCenterOptions options = {.size = sizeof options, .heldPostLimit = byte >> 4 & 3};
    unsigned kept = input_byte();
    options.keptPostLimit = kept & 1 ? kept >> 1 & 7 : 0;
    if (byte & 1) options.releaseUserInfo = handles_release;
    if (byte & 2) options.retainUserInfo = byte & 1 ? handles_retain_info : handles_retain_info_forever;
    if (byte & 4) options.releaseObject = handles_release;
    if (byte & 8) options.retainObject = byte & 4 ? handles_retain_object : handles_retain_object_forever;
    if (kept & 16 && byte & 8) { /* otherwise each kept post of an object is another object's */
        options.retainObject = kept & 32 ? handles_retain_same : NULL;
        options.releaseObject = kept & 32 ? handles_release : NULL;
    }
    if (more == 3) options.size = odd_sizes[input_byte() & 3];
    return options;
}

static void create_center(void) {
    unsigned slot = 1 + input_byte() % (CENTERS - 1);
    HeraldCenterOptions options = read_center_options();
    bool has_options = input_byte() % 4 != 3, is_possible = !has_options || options.size == sizeof options;
    if (pool[slot] && pool[slot]->is_alive) return;
    HeraldCenterRef center = HeraldCenterCreate(has_options ? &options : NULL);
    TRACE("create center %u, limits %zu and %zu%s", slot, options.heldPostLimit, options.keptPostLimit,
          center ? "" : ": refused");
    if ((center != NULL) != is_possible) report_difference("R15: a center was %smade", center ? "" : "not ");
    if (!center) return;
    struct center *modelled = reference_add_center(center, has_options ? &options : NULL);
    if (modelled) {
        pool[slot] = modelled;
    } else {
        HeraldCenterRelease(center);
    }
    reference_compare();
}

static void retain_center(struct center *center) {
    TRACE("retain center %u", center_number(center));
    if (HeraldCenterRetain(real(center)) != real(center)) report_difference("R19: Retain answered another center");
    if (center && !center->is_local) center->references++;
}

/* The references that topics hold are not to be released here. */
static bool may_release(const struct center *center) {
    return !center || center->is_local || (center->is_alive && center->references > center->topics);
}

static void release_center(struct center *center) {
    if (!may_release(center)) return;
    TRACE("release center %u", center_number(center));
    reference_call_begin();
    if (center) reference_center_release(center);
    HeraldCenterRelease(real(center));
    reference_call_end();
}

/* ---- Inputs ----------------------------------------------------------------------------------------------------- */

static void make_call(void) {
    unsigned byte = input_byte();
    struct center *center = select_center(byte >> 5);
    made++;
    report_figures.calls++;
    switch (byte & 31) {
    case 0: add_observer(center); break;
    case 1:
    case 2: add_with_options(center, true); break;
    case 3: add_by_topic(); break;
    case 4:
    case 5: add_with_options(center, false); break;
    case 6: use_token(); break;
    case 7: remove_observer(center); break;
    case 8: keeps_forget(center); break;
    case 9:
        if (input_byte() & 4) {
            remove_by_topic();
        } else {
            remove_every_observer(center, select_three().observer, input_byte() & 1);
        }
        break;
    case 10: keeps_take(center); break;
    case 11:
    case 12: remove_token(center, false); break;
    case 13: remove_token(center, true); break;
    case 14: post(center, PLAIN); break;
    case 15: post(center, WITH_OPTIONS); break;
    case 16:
    case 17: post(center, TAGGED); break;
    case 18:
    case 19:
    case 20:
    case 21: keeps_post(center); break;
    case 22: post_to_topic(false); break;
    case 23: post_to_topic(true); break;
    case 24: create_topic(center); break;
    case 25: release_topic(input_byte() % TOPICS); break;
    case 26: set_suspended(center, true); break;
    case 27: set_suspended(center, false); break;
    case 28: create_center(); break;
    case 29: retain_center(center); break;
    case 30: release_center(center); break;
    default: (input_byte() & 1 ? keeps_visit(center) : names_check()); break;
    }
}

static bool may_go_on(void) { return !input_is_empty() && made < MOST_CALLS; }

void calls_make_nested(void) {
    static const unsigned char how_many[8] = {0, 0, 0, 1, 1, 1, 2, 3};
    if (reference_depth() > MOST_NESTED || !may_go_on()) return;
    for (unsigned left = how_many[input_byte() & 7]; left && may_go_on(); left--) make_call();
}

void calls_begin(void) {
    made = 0;
    for (unsigned i = 0; i < CENTERS; i++) pool[i] = NULL;
    for (unsigned i = 0; i < TOPICS; i++) topics[i] = (struct topic){0};
    pool[0] = reference_add_center(HeraldCenterGetLocalCenter(), NULL);
    pool[0]->is_local = true;
    pool[0]->dropped = HeraldCenterGetDroppedPostCount(pool[0]->real);
    favourite = input_byte() % CENTERS;
    create_center();
    if (input_byte() & 1) create_center();
}

void calls_check_ended(HeraldCenterRef real) {
    for (unsigned i = 1; i < CENTERS; i++)
        if (pool[i] && pool[i]->real == real && pool[i]->is_alive) return;
    if (real != pool[0]->real) keeps_check_ended(real);
}

void calls_make_all(void) {
    while (may_go_on()) make_call();
}

static void remember_token(const struct registration *r) {
    if (r->state == FAILED || !r->center->is_local || !r->token.center) return;
    old_tokens[old_token_count++ % OLD_TOKENS] = r->token;
}

void calls_end(void) {
    input_end();
    set_suspended(pool[0], false);
    keeps_forget_all(pool[0]);
    for (unsigned i = 0; i < TOPICS; i++) release_topic(i);
    for (unsigned i = 1; i < CENTERS; i++)
        while (pool[i] && pool[i]->is_alive) release_center(pool[i]);
    for (unsigned i = 1; i <= WORLD_THINGS; i++) remove_every_observer(pool[0], world_observer(i), true);
    for (unsigned i = 0; i < reference_count(); i++) {
        const struct registration *r = reference_at(i);
        if (r->state == ACTIVE) remove_by_token(r->center, r->token, true);
        remember_token(r);
    }
}
