/* What a transport is told: levels with versions. And the hooks of 0.2, which are called in turns. */
#include "../stage.h"

static bool is_on;
static uint64_t newest;
static bool is_told_of_prefix;

static HeraldStatus observed(void *context, HeraldCenterRef from, HeraldNameRef of, bool is_observed,
                             uint64_t version) {
    (void)context, (void)from, (void)of;
    let_others(); /* another thread's call may overtake this one */
    must_hold(version != newest, "R27: two changes have one version");
    if (version < newest) return HeraldOK;
    newest = version;
    is_on = is_observed;
    let_others();
    return HeraldOK;
}

static HeraldStatus observed_under(void *context, HeraldCenterRef from, const char *prefix, bool is_observed,
                                   uint64_t version) {
    (void)prefix;
    is_told_of_prefix = true;
    return observed(context, from, NULL, is_observed, version);
}

static void begin_over(HeraldTransport transport) {
    begin();
    drop_topic();
    HeraldCenterRelease(center);
    must_hold(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK, "a center can be made");
}

static void begin_levels(void) { begin_over((HeraldTransport){.size = sizeof(HeraldTransport), .observed = observed}); }

static void begin_prefixes(void) {
    begin_over((HeraldTransport){.size = sizeof(HeraldTransport), .observedUnder = observed_under});
}

static void come_and_go(struct ear *ear) {
    add(ear);
    must_hold(is_on, "R27: a transport does not know of an observer");
    HeraldCenterRemoveToken(center, ear->token);
}

static void a_comes_and_goes(void) { come_and_go(&a); }

static void b_comes_and_goes(void) { come_and_go(&b); }

static void come_and_go_under(struct ear *ear) {
    add_below(ear, "p");
    must_hold(is_on, "R27: a transport does not know of an observer below a prefix");
    HeraldCenterRemoveToken(center, ear->token);
}

static void a_comes_and_goes_under(void) { come_and_go_under(&a); }

static void b_comes_and_goes_under(void) { come_and_go_under(&b); }

static void none_is_on(void) {
    must_hold(!is_on, "R27: a transport reaches out for a name without observers");
    must_hold(a.released == 1 && b.released == 1, "R10: a release has not run");
    HeraldCenterRelease(center);
}

static void none_is_on_under(void) {
    must_hold(is_told_of_prefix, "R26: a transport is not told of a prefix");
    none_is_on();
}

SCENARIO(transport_is_told_by_level, begin_levels, {a_comes_and_goes, b_comes_and_goes}, none_is_on,
         .meets = "STALE_ANSWER TAKE_BACK")
SCENARIO(transport_is_told_of_prefixes, begin_prefixes, {a_comes_and_goes_under, b_comes_and_goes_under},
         none_is_on_under)

/* ---- The hooks of 0.2 -------------------------------------------------------------------------------------------- */

static HeraldStatus first_observer(void *context, HeraldCenterRef from, HeraldNameRef of) {
    (void)context, (void)from, (void)of;
    must_hold(!is_on, "R27: a transport is told twice of a name's first observer");
    let_others();
    is_on = true;
    return HeraldOK;
}

static void last_observer(void *context, HeraldCenterRef from, HeraldNameRef of) {
    (void)context, (void)from, (void)of;
    must_hold(is_on, "R27: a transport is told of the last observer of a name that has none");
    let_others();
    is_on = false;
}

static void begin_edges(void) {
    begin_over((HeraldTransport){
        .size = sizeof(HeraldTransport), .firstObserver = first_observer, .lastObserver = last_observer});
}

SCENARIO(transport_of_0_2_hears_in_turns, begin_edges, {a_comes_and_goes, b_comes_and_goes}, none_is_on)
