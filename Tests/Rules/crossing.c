/* Transports whose hooks change the centers of each other, at the same time. Hooks of 0.2 (edges) take turns, so one of
 * their adds is refused where it would have to wait. */
#include "check.h"

struct crossing {
    HeraldCenterRef center, other;
    struct step *met;
    struct listener listener, other_listener;
    bool removes, has_edges;
    HeraldStatus status; /* of the hook's own add */
    atomic_int firsts, lasts;
};

static void change_the_other(struct crossing *self, HeraldNameRef name) {
    self->firsts++;
    if (strcmp(HeraldNameGetUTF8String(name), "cross") != 0 || !self->met) return;
    self->met->reached++;
    CHECK(step_await(self->met, 2)); /* both are in their hooks */
    if (self->removes) {
        HeraldCenterRemoveObserver(self->other, &self->other_listener, NULL, NULL);
    } else {
        HeraldObserverOptions options = {.size = sizeof options, .release = listener_released};
        self->status = HeraldCenterAddObserverWithOptions(self->other, &self->other_listener, listener_hear,
                                                          name_of("crossed"), NULL, &options, NULL);
    }
    self->met->reached++;
    CHECK(step_await(self->met, 4)); /* so that neither hook returns before the other has tried */
}

static HeraldStatus observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                             uint64_t version) {
    struct crossing *self = context;
    (void)center, (void)version;
    if (is_observed) {
        change_the_other(self, name);
    } else {
        self->lasts++;
    }
    return HeraldOK;
}

static HeraldStatus first_observer(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)center;
    change_the_other(context, name);
    return HeraldOK;
}

static void last_observer(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)center, (void)name;
    ((struct crossing *)context)->lasts++;
}

static void *add_to_its_own(void *context) {
    struct crossing *self = context;
    add(self->center, &self->listener, name_of("cross"), NULL);
    return NULL;
}

static void make_end(struct crossing *end, bool removes, bool has_edges) {
    HeraldTransport transport = {.size = sizeof transport, .context = end};
    if (has_edges) {
        transport.firstObserver = first_observer;
        transport.lastObserver = last_observer;
    } else {
        transport.observed = observed;
    }
    end->removes = removes;
    end->has_edges = has_edges;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &end->center) == HeraldOK);
}

/* What the hooks of one end have done: names that are observed now, and what became of its own add or removal. */
static void check_end(const struct crossing *end) {
    if (end->removes) {
        CHECK(end->other_listener.released == 1);
    } else {
        CHECK(end->status == (end->has_edges ? HeraldTransportFailed : HeraldOK));
    }
    if (!end->has_edges) CHECK(end->firsts - end->lasts == (end->removes ? 1 : 2));
}

static void cross_each_other(bool removes, bool has_edges) {
    struct step met = {0};
    struct crossing ends[2];
    pthread_t threads[2];
    memset(ends, 0, sizeof ends);
    for (int i = 0; i < 2; i++) make_end(&ends[i], removes, has_edges);
    for (int i = 0; i < 2; i++) {
        ends[i].other = ends[1 - i].center;
        if (removes) add(ends[i].other, &ends[i].other_listener, name_of("crossed"), NULL);
        ends[i].met = &met;
    }
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add_to_its_own, &ends[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) check_end(&ends[i]);
    for (int i = 0; i < 2; i++) HeraldCenterRelease(ends[i].center);
    for (int i = 0; i < 2; i++) CHECK(ends[i].listener.released == 1 && ends[i].lasts == ends[i].firsts);
}

RULE(7, hooks_that_add_to_each_others_centers_do_not_deadlock) { cross_each_other(false, false); }
RULE(7, hooks_that_remove_from_each_others_centers_do_not_deadlock) { cross_each_other(true, false); }
RULE(7, hooks_of_0_2_that_add_to_each_others_centers_do_not_deadlock) { cross_each_other(false, true); }
RULE(7, hooks_of_0_2_that_remove_from_each_others_centers_do_not_deadlock) { cross_each_other(true, true); }
