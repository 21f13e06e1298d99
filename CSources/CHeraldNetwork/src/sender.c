/* A hash table of sets of four places. In a full set a new sender takes the place of the one that has been silent for
 * the longest time.
 *
 * Ordering, ownership: The caller's lock. Progress: O(1), except when the table grows or names are forgotten.
 */
#include "sender.h"
#include <stdlib.h>
#include <string.h>

/* FIRST_ROOM and MOST_ROOM are numbers of places. A table with MOST_ROOM places takes 22 MiB. */
enum { SET = 4, RUNS = 4, FIRST_ROOM = 64, MOST_ROOM = 1 << 18 };

/* A range of numbers, all of which have been heard. */
struct run {
    uint64_t first, last;
};

struct herald_net_sender {
    HeraldNameRef name; /* NULL: the place is free */
    uint64_t number;
    struct run runs[RUNS]; /* in rising order; when there are RUNS, the smallest gap is closed */
    uint32_t run_count;
    uint32_t heard_at;
};

void herald_net_senders_destroy(struct herald_net_senders *senders) { free(senders->places); }

static struct herald_net_sender *set_of(const struct herald_net_senders *senders, HeraldNameRef name, uint64_t sender) {
    uint64_t mixed = ((uint64_t)(uintptr_t)name ^ sender * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return &senders->places[(mixed >> 32) & (senders->room - 1) & ~(uint64_t)(SET - 1)];
}

static struct herald_net_sender *find_sender(const struct herald_net_senders *senders, HeraldNameRef name,
                                             uint64_t sender) {
    struct herald_net_sender *set = senders->room ? set_of(senders, name, sender) : NULL;
    for (int i = 0; set && i < SET; i++)
        if (set[i].name == name && set[i].number == sender) return &set[i];
    return NULL;
}

/* Returns a free place, or the place of the sender that has been silent for the longest time. */
static struct herald_net_sender *place_in(struct herald_net_sender *set, uint32_t clock) {
    struct herald_net_sender *oldest = set;
    for (int i = 0; i < SET; i++) {
        if (!set[i].name) return &set[i];
        if (clock - set[i].heard_at > clock - oldest->heard_at) oldest = &set[i];
    }
    return oldest;
}

static void grow_senders(struct herald_net_senders *senders) {
    struct herald_net_senders larger = *senders;
    larger.room = senders->room ? senders->room * 2 : FIRST_ROOM;
    larger.places = calloc(larger.room, sizeof *larger.places);
    if (!larger.places) return; /* memory is out: the table keeps its size, and forgets the oldest senders */
    for (uint32_t i = 0; i < senders->room; i++) {
        const struct herald_net_sender *old = &senders->places[i];
        if (old->name) *place_in(set_of(&larger, old->name, old->number), senders->clock) = *old;
    }
    free(senders->places);
    *senders = larger;
}

static struct herald_net_sender *make_sender(struct herald_net_senders *senders, HeraldNameRef name, uint64_t sender) {
    if (senders->count >= senders->room / 2 && senders->room < MOST_ROOM) grow_senders(senders);
    if (!senders->room) return NULL;
    struct herald_net_sender *place = place_in(set_of(senders, name, sender), senders->clock);
    if (!place->name) senders->count++;
    *place = (struct herald_net_sender){.name = name, .number = sender};
    return place;
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
    struct herald_net_sender *known = find_sender(senders, name, sender);
    *missed = 0;
    if (!known) known = make_sender(senders, name, sender);
    if (!known) return true;
    known->heard_at = ++senders->clock;
    return note_number(known, sequence, missed);
}

void herald_net_senders_forget(struct herald_net_senders *senders,
                               bool (*is_observed)(void *context, HeraldNameRef name), void *context) {
    for (uint32_t i = 0; i < senders->room; i++) {
        struct herald_net_sender *place = &senders->places[i];
        if (!place->name || is_observed(context, place->name)) continue;
        *place = (struct herald_net_sender){0};
        senders->count--;
    }
}
