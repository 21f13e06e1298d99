/* A full table forgets senders as a cache forgets pages (the clock algorithm): a hand goes round, and the first sender
 * that has not been heard since the hand passed it is forgotten.
 *
 * Ordering, ownership: The caller's lock. Progress: O(1), amortised, except when names are forgotten.
 */
#include "sender.h"
#include <string.h>

enum { RUNS = 4, MOST = 1 << 17 /* senders; with the table they take 15 MiB */ };

/* A range of numbers, all of which have been heard. */
struct run {
    uint64_t first, last;
};

struct herald_net_sender {
    HeraldNameRef name;
    uint64_t number;
    struct run runs[RUNS]; /* in rising order; when there are RUNS, the smallest gap is closed */
    uint32_t run_count;
    bool is_heard; /* since the hand passed it */
};

static uint64_t hash_of_sender(HeraldNameRef name, uint64_t number) {
    return ground_mix((uintptr_t)name ^ number * UINT64_C(0xff51afd7ed558ccd));
}

static uint64_t hash_sender(const void *element) {
    const struct herald_net_sender *sender = element;
    return hash_of_sender(sender->name, sender->number);
}

static bool is_sender(const void *element, const void *key) {
    const struct herald_net_sender *sender = element, *other = key;
    return sender->name == other->name && sender->number == other->number;
}

void herald_net_senders_create(struct herald_net_senders *senders) { senders->all.hash = hash_sender; }

static void forget_sender(struct herald_net_senders *senders, struct herald_net_sender *sender) {
    ground_table_remove(&senders->all, ground_table_place(&senders->all, sender));
    free(sender);
}

/* For a table that has senders: moves the hand on to one that is silent, and forgets that one. */
static void forget_silent(struct herald_net_senders *senders) {
    for (;;) {
        struct herald_net_sender *sender = ground_table_turn(&senders->all, &senders->hand);
        if (sender && !sender->is_heard) return forget_sender(senders, sender);
        if (sender) sender->is_heard = false;
    }
}

/* NULL when memory is out. */
static struct herald_net_sender *obtain_sender(struct herald_net_senders *senders, HeraldNameRef name,
                                               uint64_t number) {
    const struct herald_net_sender key = {.name = name, .number = number};
    struct herald_net_sender *sender = ground_table_get(&senders->all, hash_of_sender(name, number), is_sender, &key);
    if (sender) return sender;
    if (senders->all.count == MOST) forget_silent(senders);
    sender = malloc(sizeof *sender);
    if (sender) *sender = key;
    return ground_table_add(&senders->all, sender);
}

/* Joins the run at `at` with the next one. */
static void join(struct herald_net_sender *sender, uint32_t at) {
    struct run *run = &sender->runs[at];
    run->last = run[1].last;
    sender->run_count--;
    memmove(run + 1, run + 2, (sender->run_count - at - 1) * sizeof *run);
}

static void close_smallest_gap(struct herald_net_sender *sender) {
    const struct run *runs = sender->runs;
    uint32_t at = 0;
    for (uint32_t i = 1; i + 1 < sender->run_count; i++)
        if (runs[i + 1].first - runs[i].last < runs[at + 1].first - runs[at].last) at = i;
    join(sender, at);
}

/* Records a number. False: the number has been heard before. If the number is above all others, `*missed` is the size
 * of the gap below it. Another program may make up a number that is far ahead. Such a number becomes a run of its own,
 * and the sender's true numbers go on below it. */
static bool note_number(struct herald_net_sender *sender, uint64_t sequence, uint64_t *missed) {
    struct run *runs = sender->runs;
    uint32_t below = sender->run_count; /* how many runs begin at or below `sequence` */
    while (below && runs[below - 1].first > sequence) below--;
    struct run *last = below ? &runs[below - 1] : NULL;
    if (last && sequence <= last->last) return !HERALD_NET_STEP(ONCE);
    if (last && below == sender->run_count && HERALD_NET_STEP(MISSED)) *missed = sequence - last->last - 1;
    if (last && sequence - 1 == last->last) {
        last->last = sequence;
    } else {
        memmove(&runs[below + 1], &runs[below], (sender->run_count - below) * sizeof *runs);
        runs[below++] = (struct run){sequence, sequence};
        sender->run_count++;
    }
    if (below < sender->run_count && runs[below].first - 1 == sequence) join(sender, below - 1);
    if (sender->run_count == RUNS) close_smallest_gap(sender);
    return true;
}

bool herald_net_senders_note(struct herald_net_senders *senders, HeraldNameRef name, uint64_t sender, uint64_t sequence,
                             uint64_t *missed) {
    struct herald_net_sender *known = obtain_sender(senders, name, sender);
    *missed = 0;
    if (!known) return true;
    known->is_heard = true;
    return note_number(known, sequence, missed);
}

void herald_net_senders_forget(struct herald_net_senders *senders,
                               bool (*is_observed)(void *context, HeraldNameRef name), void *context) {
    struct ground_table kept = {.hash = hash_sender};
    struct herald_net_sender *sender;
    bool forgets = false;
    for (uint32_t at = 0; !forgets && (sender = ground_table_next(&senders->all, &at));)
        forgets = !is_observed(context, sender->name);
    if (!forgets) return;
    for (uint32_t at = 0; (sender = ground_table_next(&senders->all, &at));) {
        if (is_observed(context, sender->name)) {
            ground_table_add(&kept, sender); /* without memory it is forgotten */
        } else {
            free(sender);
        }
    }
    ground_table_clear(&senders->all);
    senders->all = kept;
}
