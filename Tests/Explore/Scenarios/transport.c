/* The calls of a transport. */
#include "../stage.h"

static bool known;

static HeraldStatus first_observer(void *context, HeraldCenterRef from, HeraldNameRef of) {
    (void)context, (void)from, (void)of;
    must_hold(!known, "a transport is told twice of a name's first observer");
    let_others();
    known = true;
    return HeraldOK;
}

static void last_observer(void *context, HeraldCenterRef from, HeraldNameRef of) {
    (void)context, (void)from, (void)of;
    must_hold(known, "a transport is told of the last observer of a name that has none");
    let_others();
    known = false;
}

static void begin_carried(void) {
    begin();
    drop_topic();
    HeraldCenterRelease(center);
    HeraldTransport transport = {
        .size = sizeof transport, .firstObserver = first_observer, .lastObserver = last_observer};
    must_hold(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK, "a center can be made");
}

static void come_and_go(struct ear *ear) {
    add(ear);
    must_hold(known, "a transport does not know of an observer");
    HeraldCenterRemoveToken(center, ear->token);
}

static void a_comes_and_goes(void) { come_and_go(&a); }

static void b_comes_and_goes(void) { come_and_go(&b); }

static void none_is_known(void) {
    must_hold(!known, "a transport knows of an observer that is gone");
    must_hold(a.released == 1 && b.released == 1, "R10: a release has not run");
    HeraldCenterRelease(center);
}

SCENARIO(transport_hears_in_turn, begin_carried, {a_comes_and_goes, b_comes_and_goes}, none_is_known)
