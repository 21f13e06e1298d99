/* Changing observers: adding and removing with no other thread and while another thread posts; removing and waiting. */
#include "harness.h"

#include <unistd.h>

enum { REMOVALS = 100 };

struct change {
    struct audience audience;
    struct second second;
    bool has_second;
    bool by_observer, owned;
    void *made[REMOVALS]; /* to be removed */
};

static struct change *make_change(struct row *row, const char **reason) {
    struct change *change = calloc(1, sizeof *change);
    REQUIRE(change);
    row->state = change;
    *reason = audience_make(&change->audience, row->peer, "changing", (size_t)option(row, "observers", 1));
    return change;
}

static void begin_second(struct change *change, void (*run)(struct second *second)) {
    second_start(&change->second, change->audience.peer, run, change);
    change->has_second = true;
}

/* ---- Adding and removing: open change observers=N how=token|observer|owned posting=0|1 --------------------------- */

static void post_on(struct second *second) {
    struct change *change = second->context;
    second->peer->post(change->audience.place, 1);
    second_ready(second);
    for (;;) second->peer->post(change->audience.place, 64);
}

static void ignore(void *context) { (void)context; }

static void add_and_remove(struct row *row, long count) {
    static uint64_t newest;
    static const struct listener listener = {ignore, ignore, &newest};
    struct change *change = row->state;
    void *place = change->audience.place;
    if (change->owned) { /* to be released with it */
        for (; count; count--) drop(row->peer, place, row->peer->observe(place, &listener));
    } else if (change->by_observer) {
        for (; count; count--) {
            void *registration = row->peer->add(place, &newest);
            row->peer->remove_observer(place, &newest);
            if (row->peer->forget) row->peer->forget(registration);
        }
    } else {
        for (; count; count--) drop(row->peer, place, row->peer->add(place, &newest));
    }
}

/* Fewer operations where changes wait long for posts: a sample must not take longer than a few batches. */
static void fit(struct row *row) {
    double most = 8 * (double)option(row, "batch", 5000000), start = now();
    long count = 0;
    for (; count < row->count && now() < start + most; count++) add_and_remove(row, 1);
    row->count = count;
}

static const char *open_change(struct row *row) {
    const char *reason;
    char how[32];
    bool posting = option(row, "posting", 0);
    bool by_observer = strcmp(option_word(row, "how", how), "observer") == 0, owned = strcmp(how, "owned") == 0;
    if (posting && !row->peer->thread_safe) return "it is not thread-safe";
    if (posting && cpu_count() < 2) return "there is one CPU";
    if (owned && (!row->peer->owns || !row->peer->observe)) return "it does not own what an observer holds";
    if (by_observer && !row->peer->remove_observer) return "it does not remove by observer";
    struct change *change = make_change(row, &reason);
    if (reason) return reason;
    change->by_observer = by_observer;
    change->owned = owned;
    /* Enough operations that each sample contains its share of work that is done once in thousands: copying and
     * freeing. With a second thread fewer, because a sample counts only if nothing interrupts it. */
    calibrate(row, add_and_remove);
    if (posting) {
        if (row->count > 4000) row->count = 4000;
        begin_second(change, post_on);
        fit(row);
    }
    return NULL;
}

static size_t sample_change(struct row *row, double *values) {
    struct change *change = row->state;
    return time_sample(row, add_and_remove, change->has_second ? &change->second.clock : NULL, values);
}

const struct kind change_kind = {"change", open_change, sample_change};

/* ---- Removing and waiting: open wait other=none|sleep|spin ------------------------------------------------------- */

/* Both threads have posted before. Otherwise a library could see that there is only one. */
static void sleep_on(struct second *second) {
    struct change *change = second->context;
    second->peer->post(change->audience.place, 1);
    second_ready(second);
    for (;;) usleep(50000); /* each wakeup disturbs one removal of many */
}

static void spin_on(struct second *second) {
    struct change *change = second->context;
    second->peer->post(change->audience.place, 1);
    second_ready(second);
    for (;;) {
    }
}

static const char *open_wait(struct row *row) {
    const char *reason;
    char other[32];
    option_word(row, "other", other);
    if (!row->peer->remove_and_wait) return "it has no removal that waits for a call that is running";
    if (other[0] == 's' && cpu_count() < 2) return "there is one CPU";
    struct change *change = make_change(row, &reason);
    if (reason) return reason;
    if (strcmp(other, "sleep") == 0) begin_second(change, sleep_on);
    if (strcmp(other, "spin") == 0) begin_second(change, spin_on);
    return NULL;
}

static size_t sample_wait(struct row *row, double *values) {
    static uint64_t words[REMOVALS];
    struct change *change = row->state;
    const struct peer *peer = row->peer;
    bool busy = change->has_second && change->second.run == spin_on;
    struct stretch stretch;
    int attempt = 0;
    do {
        for (int i = 0; i < REMOVALS; i++) change->made[i] = peer->add(change->audience.place, &words[i]);
        stretch = stretch_begin(busy ? &change->second.clock : NULL);
        double start = now();
        for (int i = REMOVALS; i-- > 0;) peer->remove_and_wait(change->audience.place, change->made[i]);
        *values = (now() - start) / REMOVALS;
        for (int i = 0; i < REMOVALS; i++)
            if (peer->forget) peer->forget(change->made[i]);
    } while (again(&stretch, busy ? &change->second.clock : NULL, &attempt));
    return 1;
}

const struct kind wait_kind = {"wait", open_wait, sample_wait};
