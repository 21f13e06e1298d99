/* transport.h: the hooks of 0.2, firstObserver and lastObserver. They come in order and one at a time. */
#include "check.h"

static char letter(HeraldNameRef name) { return name ? HeraldNameGetUTF8String(name)[0] : '*'; }

/* Hooks that add and remove on their own center. */
static struct {
    HeraldCenterRef center;
    int firsts, lasts, left;
    HeraldStatus answer;
    struct listener listeners[3];
    bool keeps;
} nested;
static HeraldStatus nested_first(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context;
    nested.firsts++;
    if (nested.left-- <= 0) return HeraldOK;
    add(center, &nested.listeners[1], name, NULL);
    if (!nested.keeps) HeraldCenterRemoveToken(center, nested.listeners[1].token);
    return nested.answer;
}
static void nested_last(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context, (void)name;
    nested.lasts++;
    HeraldCenterRemoveEveryObserver(center, &nested.listeners[2]);
}
static void make_nested(void) {
    HeraldTransport transport = {.size = sizeof transport, .firstObserver = nested_first, .lastObserver = nested_last};
    memset(&nested, 0, sizeof nested);
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &nested.center) == HeraldOK);
}

RULE(27, transport_of_0_2_is_told_again_when_a_hook_has_added_and_removed) {
    make_nested();
    nested.left = 1;
    add(nested.center, &nested.listeners[0], name_of("a"), NULL);
    CHECK(nested.firsts == nested.lasts + 1); /* it knows that there is an observer */
    HeraldCenterRemoveEveryObserver(nested.center, &nested.listeners[0]);
    CHECK(nested.firsts == nested.lasts);
    HeraldCenterRelease(nested.center);
}

RULE(27, transport_of_0_2_is_told_of_what_a_hook_that_refuses_has_added) {
    make_nested();
    nested.left = 1;
    nested.keeps = true;
    nested.answer = HeraldTransportFailed;
    CHECK(HeraldCenterAddObserver(nested.center, &nested, listener_hear, name_of("a"), NULL, HeraldSuspensionDrop) ==
          HeraldTransportFailed);
    CHECK(HeraldCenterPostNotification(nested.center, name_of("a"), NULL, NULL, false) == 1);
    HeraldCenterRemoveToken(nested.center, nested.listeners[1].token);
    CHECK(nested.lasts == 1);
    HeraldCenterRelease(nested.center);
    CHECK(nested.lasts == 1);
}

RULE(27, transport_of_0_2_may_remove_while_its_center_is_closed) {
    make_nested();
    static const char *const texts[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) add(nested.center, &nested.listeners[i / 2 ? 2 : 0], name_of(texts[i]), NULL);
    HeraldCenterRelease(nested.center);
    CHECK(nested.firsts == 4 && nested.lasts == 4);
    CHECK(nested.listeners[0].released == 2 && nested.listeners[2].released == 2);
}

/* Threads add and remove observers of the same names: for each name the transport gets +, -, +, - in turns. */
static struct {
    atomic_int known[4];
    atomic_int wrong;
} turns;
static HeraldStatus turn_first(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context, (void)center;
    turns.wrong += turns.known[letter(name) - 'a']++ != 0;
    return HeraldOK;
}
static void turn_last(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)context, (void)center;
    turns.wrong += turns.known[letter(name) - 'a']-- != 1;
}
static void *take_turns(void *center) {
    static const char *const names[] = {"a", "b", "c", "d"};
    struct listener listener = {0};
    for (int i = 0; i < 4000; i++) {
        add(center, &listener, name_of(names[i % 4]), NULL);
        turns.wrong += turns.known[i % 4] != 1;
        CHECK(HeraldCenterRemoveTokenAndWait(center, listener.token));
        listener.released = 0;
    }
    return NULL;
}
RULE(27, transport_of_0_2_hears_in_turns_whatever_threads_add_and_remove) {
    HeraldTransport transport = {.size = sizeof transport, .firstObserver = turn_first, .lastObserver = turn_last};
    HeraldCenterRef center;
    memset(&turns, 0, sizeof turns);
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, take_turns, center);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) CHECK(turns.known[i] == 0);
    CHECK(turns.wrong == 0);
    HeraldCenterRelease(center);
}

/* Forks: see child_tells_its_transport_of_names_again in transports.c. */
static void come_in_child(void) {
    struct listener second = {0};
    add(nested.center, &second, name_of("a"), NULL);
    CHECK(nested.firsts == 2);
    HeraldCenterRemoveEveryObserver(nested.center, &nested.listeners[0]);
    HeraldCenterRemoveToken(nested.center, second.token);
    CHECK(nested.lasts == 1);
}
RULE(18, child_tells_a_transport_of_0_2_again) {
    make_nested();
    add(nested.center, &nested.listeners[0], name_of("a"), NULL);
    CHECK(nested.firsts == 1);
    CHECK(child_passed(come_in_child));
    HeraldCenterRelease(nested.center);
    CHECK(nested.lasts == 1);
}
