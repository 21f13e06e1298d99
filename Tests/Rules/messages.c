/* R23: messages, in centers of one process. */
#include "check.h"

/* The message as an observer has received it. */
struct letterbox {
    char bytes[16], object[16], type[32];
    size_t length;
    const void *object_address, *seen, *userInfo;
    bool was_message;
    int messages, plain;
};
static void receive(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    (void)center, (void)name;
    struct letterbox *box = observer;
    const HeraldMessage *message = HeraldGetCurrentMessage();
    box->seen = message;
    box->userInfo = userInfo;
    box->object_address = object;
    if (!message) {
        box->plain++;
        return;
    }
    box->messages++;
    box->length = message->length;
    if (message->length <= sizeof box->bytes && message->length) memcpy(box->bytes, message->bytes, message->length);
    snprintf(box->object, sizeof box->object, "%s", message->object ? message->object : "-");
    snprintf(box->type, sizeof box->type, "%s", message->type ? message->type : "-");
    CHECK(message->size == sizeof *message && message == userInfo);
    CHECK(!message->sequence && !message->missed && !message->sender);
}
static void hear(HeraldCenterRef center, struct letterbox *box, const char *name, const void *object,
                 HeraldSuspensionBehavior behavior) {
    CHECK(HeraldCenterAddObserver(center, box, receive, name ? name_of(name) : NULL, object, behavior) == HeraldOK);
}
static HeraldMessage of(const char *text, const char *object) {
    return (HeraldMessage){.size = sizeof(HeraldMessage),
                           .object = object,
                           .type = "text/plain",
                           .bytes = text,
                           .length = strlen(text),
                           .sequence = 7,
                           .missed = 7,
                           .sender = 7};
}
static HeraldStatus send_to(HeraldCenterRef center, const char *name, const char *text, const char *object) {
    HeraldMessage message = of(text, object);
    return HeraldCenterPostMessage(center, name_of(name), &message);
}

RULE(23, a_message_is_a_post_like_any_other) {
    HeraldCenterRef center = new_center();
    struct letterbox any = {0}, mine = {0}, about = {0}, other = {0};
    hear(center, &any, NULL, NULL, HeraldSuspensionDrop);
    hear(center, &mine, "r23", NULL, HeraldSuspensionDrop);
    hear(center, &about, "r23", HeraldObjectForString("r23.object"), HeraldSuspensionDrop);
    hear(center, &other, "r23", HeraldObjectForString("r23.other"), HeraldSuspensionDrop);
    CHECK(send_to(center, "r23", "hello", "r23.object") == HeraldOK);
    CHECK(any.messages == 1 && mine.messages == 1 && about.messages == 1 && other.messages == 0);
    CHECK(mine.length == 5 && memcmp(mine.bytes, "hello", 5) == 0);
    CHECK(strcmp(mine.object, "r23.object") == 0 && strcmp(mine.type, "text/plain") == 0);
    CHECK(mine.object_address == HeraldObjectForString("r23.object"));
    CHECK(strcmp(mine.object_address, "r23.object") == 0);
    CHECK(send_to(center, "r23", "", NULL) == HeraldOK);
    CHECK(mine.messages == 2 && about.messages == 1 && mine.length == 0 && strcmp(mine.object, "-") == 0);
    HeraldCenterPostNotification(center, name_of("r23"), NULL, &mine, false);
    CHECK(mine.plain == 1 && mine.messages == 2 && !HeraldGetCurrentMessage());
    HeraldCenterRelease(center);
}

RULE(23, what_is_posted_is_not_made_an_object) {
    HeraldCenterRef center = new_center();
    struct letterbox mine = {0};
    hear(center, &mine, "r23.name", NULL, HeraldSuspensionDrop);
    CHECK(send_to(center, "r23.name", "x", "r23.nobody's") == HeraldOK && !mine.object_address);
    CHECK(send_to(center, "r23.name", "x", "r23.name") == HeraldOK && !mine.object_address); /* a name is no object */
    const void *object = HeraldObjectForString("r23.nobody's");
    CHECK(send_to(center, "r23.name", "x", "r23.nobody's") == HeraldOK && mine.object_address == object && object);
    CHECK(HeraldObjectForString("") == HeraldObjectForString("") && HeraldObjectForString("") != NULL);
    CHECK(send_to(center, "r23.name", "x", "") == HeraldOK && mine.object_address == HeraldObjectForString(""));
    CHECK(!HeraldObjectForString(NULL) && !HeraldObjectForString("\xff"));
    HeraldCenterRelease(center);
}

RULE(23, bad_messages_are_refused) {
    HeraldCenterRef center = new_center();
    struct letterbox mine = {0};
    hear(center, &mine, "r23.bad", NULL, HeraldSuspensionDrop);
    HeraldMessage good = of("x", NULL), small = good, none = good, latin = good, odd = good;
    struct {
        HeraldMessage known;
        char more[8];
    } newer = {good, ""};
    small.size = sizeof small - 1;
    none.bytes = NULL;
    latin.object = "\xe9";
    odd.type = "\xc0\x80";
    newer.known.size = sizeof newer;
    HeraldNameRef name = name_of("r23.bad");
    CHECK(HeraldCenterPostMessage(NULL, name, &good) == HeraldInvalidArgument);
    CHECK(HeraldCenterPostMessage(center, NULL, &good) == HeraldInvalidArgument);
    CHECK(HeraldCenterPostMessage(center, name, NULL) == HeraldInvalidArgument);
    CHECK(HeraldCenterPostMessage(center, name, &small) == HeraldInvalidArgument);
    CHECK(HeraldCenterPostMessage(center, name, &none) == HeraldInvalidArgument);
    CHECK(HeraldCenterPostMessage(center, name, &latin) == HeraldInvalidArgument);
    CHECK(HeraldCenterPostMessage(center, name, &odd) == HeraldInvalidArgument);
    CHECK(mine.messages == 0);
    CHECK(HeraldCenterPostMessage(center, name, &newer.known) == HeraldOK && mine.messages == 1);
    newer.more[0] = 1; /* a field of a newer library */
    CHECK(HeraldCenterPostMessage(center, name, &newer.known) == HeraldInvalidArgument);
    CHECK(!HeraldCenterIsHeard(NULL, name) && !HeraldCenterIsHeard(center, NULL));
    HeraldCenterRelease(center);
}

RULE(23, a_suspended_center_keeps_copies) {
    HeraldCenterRef center = new_center();
    struct letterbox held = {0}, last = {0}, now = {0};
    hear(center, &held, "r23.held", NULL, HeraldSuspensionHold);
    hear(center, &last, "r23.held", NULL, HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(center, true);
    char text[4] = "one", object[8] = "r23.x";
    CHECK(send_to(center, "r23.held", text, object) == HeraldOK);
    strcpy(text, "two");
    CHECK(send_to(center, "r23.held", text, object) == HeraldOK);
    strcpy(object, "r23.y"); /* another object: it coalesces with none of those */
    CHECK(send_to(center, "r23.held", text, object) == HeraldOK);
    memset(text, 0, sizeof text);
    memset(object, 0, sizeof object);
    HeraldCenterSetSuspended(center, false);
    CHECK(held.messages == 3 && last.messages == 2);
    CHECK(memcmp(held.bytes, "two", 3) == 0 && strcmp(held.object, "r23.y") == 0 &&
          strcmp(held.type, "text/plain") == 0);
    CHECK(HeraldCenterGetDroppedPostCount(center) == 0);
    hear(center, &now, "r23.held", NULL, HeraldSuspensionDeliverImmediately);
    HeraldCenterSetSuspended(center, true);
    HeraldMessage urgent = of("!", NULL);
    urgent.options = HeraldPostDeliverImmediately;
    CHECK(HeraldCenterPostMessage(center, name_of("r23.held"), &urgent) == HeraldOK);
    CHECK(now.messages == 1 && held.messages == 4 && held.bytes[0] == '!');
    HeraldCenterRelease(center);
}

/* Two texts with the same 64-bit FNV-1a: texts must be compared, not only their hashes. */
RULE(23, messages_about_two_texts_with_one_hash_are_kept_both) {
    static const char *const texts[] = {"8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"};
    HeraldCenterRef center = new_center();
    struct letterbox last = {0};
    hear(center, &last, "r23.held", NULL, HeraldSuspensionCoalesce);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 4; i++) CHECK(send_to(center, "r23.held", "x", texts[i % 2]) == HeraldOK);
    HeraldCenterSetSuspended(center, false);
    CHECK(last.messages == 2);
    HeraldCenterRelease(center);
}

RULE(23, what_is_kept_has_a_limit) {
    enum { SIZE = 1 << 20 };
    HeraldCenterRef center = HeraldCenterCreate(&(HeraldCenterOptions){.size = sizeof(HeraldCenterOptions)});
    struct letterbox held = {0}, now = {0};
    hear(center, &held, "r23.flood", NULL, HeraldSuspensionHold);
    HeraldMessage message = {.size = sizeof message, .bytes = calloc(1, 17 * SIZE), .length = SIZE};
    HeraldCenterSetSuspended(center, true);
    int kept = 0;
    while (kept < 20 && HeraldCenterPostMessage(center, name_of("r23.flood"), &message) == HeraldOK) kept++;
    CHECK(kept == 15); /* with the overhead of each, 16 would be more than 16 MiB */
    CHECK(HeraldCenterPostMessage(center, name_of("r23.flood"), &message) == HeraldQueueFull);
    CHECK(HeraldCenterGetDroppedPostCount(center) == 2 && held.messages == 0);
    message.length = 17 * SIZE;
    CHECK(HeraldCenterPostMessage(center, name_of("r23.flood"), &message) == HeraldQueueFull);
    hear(center, &now, "r23.flood", NULL, HeraldSuspensionDeliverImmediately);
    CHECK(HeraldCenterPostMessage(center, name_of("r23.flood"), &message) == HeraldQueueFull);
    CHECK(now.messages == 1 && held.messages == 15); /* after the queued ones, as usual */
    for (size_t less = 0; less < 200; less += 8) {   /* with the overhead, the sum would overflow to a small number */
        message.length = SIZE_MAX - less;
        CHECK(HeraldCenterPostMessage(center, name_of("r23.flood"), &message) == HeraldQueueFull);
    }
    message.length = SIZE;
    HeraldCenterSetSuspended(center, false);
    CHECK(held.messages == 15 && HeraldCenterGetDroppedPostCount(center) == 4 + 25);
    HeraldCenterSetSuspended(center, true); /* there is room again */
    CHECK(HeraldCenterPostMessage(center, name_of("r23.flood"), &message) == HeraldOK);
    HeraldCenterRelease(center);
    free((void *)message.bytes);
}

/* ---- Nesting ----------------------------------------------------------------------------------------------------- */

struct nesting {
    HeraldCenterRef suspended;
    int depth;
    const void *seen[4];
};
static void nest(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    struct nesting *nesting = observer;
    (void)object;
    CHECK(HeraldGetCurrentMessage() == userInfo);
    if (nesting->depth++ >= 12) return; /* more than a thread has frames */
    HeraldMessage message = of("inner", NULL);
    if (nesting->depth % 3 == 0) {
        HeraldCenterPostNotification(center, name, NULL, NULL, false);
    } else {
        CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    }
    CHECK(HeraldGetCurrentMessage() == userInfo);
}
RULE(23, each_callback_sees_its_own_message) {
    HeraldCenterRef center = new_center();
    struct nesting nesting = {0};
    CHECK(HeraldCenterAddObserver(center, &nesting, nest, name_of("r23.nest"), NULL, HeraldSuspensionDrop) == HeraldOK);
    CHECK(send_to(center, "r23.nest", "outer", NULL) == HeraldOK && nesting.depth == 13);
    CHECK(!HeraldGetCurrentMessage());
    HeraldCenterRelease(center);
}

static void post_to_full(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    struct nesting *nesting = observer;
    HeraldMessage large = {.size = sizeof large, .bytes = nesting, .length = SIZE_MAX / 2};
    CHECK(HeraldCenterPostMessage(nesting->suspended, name_of("r23.inner"), &large) == HeraldQueueFull);
}
RULE(23, a_status_is_of_its_own_post) {
    struct nesting nesting = {.suspended = new_center()};
    struct letterbox held = {0};
    hear(nesting.suspended, &held, "r23.inner", NULL, HeraldSuspensionHold);
    HeraldCenterSetSuspended(nesting.suspended, true);
    HeraldCenterRef center = new_center();
    CHECK(HeraldCenterAddObserver(center, &nesting, post_to_full, name_of("r23.outer"), NULL, HeraldSuspensionDrop) ==
          HeraldOK);
    CHECK(send_to(center, "r23.outer", "x", NULL) == HeraldOK);
    HeraldCenterRelease(center);
    HeraldCenterRelease(nesting.suspended);
}

static void relay(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                  const void *userInfo) {
    (void)center;
    HeraldCenterPostTagged(observer, name, object, userInfo, HeraldGetCurrentTag(), 0);
}
RULE(23, a_message_can_be_handed_on_as_it_is) {
    HeraldCenterRef center = new_center(), other = new_center();
    struct letterbox far = {0};
    CHECK(HeraldCenterAddObserver(center, other, relay, NULL, NULL, HeraldSuspensionDrop) == HeraldOK);
    hear(other, &far, "r23.relayed", NULL, HeraldSuspensionHold);
    CHECK(send_to(center, "r23.relayed", "x", NULL) == HeraldOK && far.messages == 1);
    HeraldCenterSetSuspended(other, true);
    CHECK(send_to(center, "r23.relayed", "y", NULL) == HeraldOK && far.messages == 1);
    HeraldCenterSetSuspended(other, false);
    CHECK(far.messages == 2 && far.bytes[0] == 'y');
    HeraldCenterRelease(center);
    HeraldCenterRelease(other);
}

/* ---- Transports -------------------------------------------------------------------------------------------------- */

static int carried, asked;
static HeraldStatus carry(void *context, HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message) {
    CHECK(context == &carried && name == name_of("r23.carried") && message->length == 1);
    carried++;
    HeraldMessage arrived = *message;
    arrived.sequence = arrived.missed = arrived.sender = 0;
    return HeraldCenterDeliverMessage(center, name, &arrived) ? HeraldTooLarge : HeraldOK;
}
static bool is_heard(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context, (void)center;
    asked++;
    return name == name_of("r23.carried");
}
RULE(23, a_transport_carries_messages_by_a_hook) {
    HeraldTransport transport = {
        .size = sizeof transport, .context = &carried, .postMessage = carry, .isHeard = is_heard};
    HeraldCenterRef center, mute, old;
    carried = asked = 0;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    struct letterbox mine = {0};
    CHECK(send_to(center, "r23.carried", "x", NULL) == HeraldOK);
    hear(center, &mine, "r23.carried", NULL, HeraldSuspensionDrop);
    CHECK(send_to(center, "r23.carried", "x", NULL) == HeraldTooLarge && mine.messages == 1 && carried == 2);
    CHECK(HeraldCenterIsHeard(center, name_of("r23.carried")) && !HeraldCenterIsHeard(center, name_of("r23.other")));
    CHECK(asked == 2);
    transport.postMessage = NULL;
    transport.isHeard = NULL;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &mute) == HeraldOK);
    CHECK(send_to(mute, "r23.carried", "x", NULL) == HeraldInvalidArgument);
    CHECK(HeraldCenterIsHeard(mute, name_of("r23.carried")));
    transport.size = offsetof(HeraldTransport, postMessage); /* as for a transport that does not know messages */
    transport.postMessage = carry;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &old) == HeraldOK);
    CHECK(send_to(old, "r23.carried", "x", NULL) == HeraldInvalidArgument);
    HeraldCenterRelease(center);
    HeraldCenterRelease(mute);
    HeraldCenterRelease(old);
}

RULE(23, nobody_need_make_what_nobody_hears) {
    HeraldCenterRef center = new_center();
    struct letterbox mine = {0}, any = {0};
    CHECK(!HeraldCenterIsHeard(center, name_of("r23.heard")));
    hear(center, &mine, "r23.heard", NULL, HeraldSuspensionDrop);
    CHECK(HeraldCenterIsHeard(center, name_of("r23.heard")) && !HeraldCenterIsHeard(center, name_of("r23.unheard")));
    hear(center, &any, NULL, NULL, HeraldSuspensionDrop);
    CHECK(HeraldCenterIsHeard(center, name_of("r23.unheard")));
    HeraldCenterRelease(center);
}
