/* Watched names lie in groups by their entries' addresses, and a channel says which groups have changed: a wake looks
 * at a few names, however many are watched.
 *
 * Ordering. A name's bit is set before its posts are read (herald_entry_watch); what the groups say is sequentially
 * consistent, see channel.h. Progress. A batch is bounded; the next one begins behind it. Ownership. The session's
 * lock.
 */
#include "watched.h"
#include "complaint.h"
#include "feed.h"
#include "session.h"
#include <stdlib.h>

/* A watched name, as short as can be: a group is walked over with each wake. */
struct item {
    struct herald_entry *entry;
    uint64_t seen; /* of its posts */
    struct herald_host_name *name;
};

static struct {
    struct {
        struct item *items;
        uint32_t count, room;
    } groups[HERALD_GROUPS];
    uint32_t count;
    uint64_t changed;           /* groups to look at */
    uint32_t at_group, at_item; /* where the last batch was full: the next begins there */
    struct herald_seat seat;
} watched;
enum { BATCH = sizeof((struct herald_batch *)0)->changes / sizeof((struct herald_batch *)0)->changes[0] };

bool herald_watched_is_empty(void) { return watched.count == 0; }

struct herald_seat *herald_watched_seat(void) {
    return watched.seat.segment ? &watched.seat : NULL;
}

void herald_watched_note_groups(uint64_t groups) { watched.changed |= groups; }

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static bool reserve(uint32_t group) {
    if (watched.groups[group].count < watched.groups[group].room) return true;
    uint32_t room = watched.groups[group].room ? 2 * watched.groups[group].room : 4;
    struct item *items = realloc(watched.groups[group].items, room * sizeof *items);
    if (!items) return false;
    watched.groups[group].items = items;
    watched.groups[group].room = room;
    return true;
}

/* Into a group that has room. */
static void put(struct herald_host_name *name, uint32_t group) {
    uint32_t count = watched.groups[group].count;
    name->watched = true;
    name->group = group;
    name->index = count;
    watched.groups[group].items[count] = (struct item){name->entry, 0, name};
    watched.groups[group].count++;
    watched.count++;
}

static struct item *item_of(const struct herald_host_name *name) {
    return &watched.groups[name->group].items[name->index];
}

static void take_out(struct herald_host_name *name) {
    struct item *last = &watched.groups[name->group].items[--watched.groups[name->group].count];
    last->name->index = name->index;
    *item_of(name) = *last;
    herald_watched_note_groups(UINT64_C(1) << name->group); /* a batch that begins behind it would miss the last one */
    name->watched = false;
    watched.count--;
}

/* Asks posters to ring. First the bit, then the count: a post between the two finds the bit (see herald_entry_post). */
static void begin(struct item *item) {
    if (watched.seat.segment) herald_entry_watch(item->entry, watched.seat.number, true);
    item->seen = item->entry->posts;
}

HeraldStatus herald_watched_add(struct herald_host_name *name) {
    if (name->watched) return HeraldOK;
    uint32_t group = herald_entry_group(name->entry);
    if (!reserve(group)) return herald_complain_of_memory();
    put(name, group);
    begin(item_of(name));
    return HeraldOK;
}

void herald_watched_remove_if_unused(struct herald_host_name *name) {
    if (name->center || name->feeds || !name->watched) return;
    struct herald_entry *entry = item_of(name)->entry;
    take_out(name);
    name->pending = 0;
    if (!watched.seat.segment) return;
    /* Unless it has been lost, and the bit is another process's. */
    if (!watched.seat.shared && herald_seat_holds(&watched.seat)) herald_entry_watch(entry, watched.seat.number, false);
    if (!watched.count) herald_seat_wake(&watched.seat); /* the watcher ends */
}

/* ---- The seat ---------------------------------------------------------------------------------------------------- */

/* A private entry may still have the bit of a channel we had before; in a shared one that is the next owner's to sweep.
 */
static void ring_here(struct item *item) {
    if (item->name->is_private)
        for (int i = 0; i < HERALD_CHANNELS / 64; i++) item->entry->watchers[i] = 0;
    herald_entry_watch(item->entry, watched.seat.number, true);
}

HeraldStatus herald_watched_sit(struct herald_segment *segment) {
    if (watched.seat.segment && herald_seat_holds(&watched.seat)) return HeraldOK;
    watched.seat.segment = NULL;
    HeraldStatus status = herald_seat_take(&watched.seat, segment);
    if (status != HeraldOK) return status;
    for (uint32_t group = 0; group < HERALD_GROUPS; group++)
        for (uint32_t i = 0; i < watched.groups[group].count; i++) ring_here(&watched.groups[group].items[i]);
    watched.changed = UINT64_MAX;
    return HeraldOK;
}

void herald_watched_keep_seat(struct herald_segment *segment) {
    if (watched.count && herald_watched_sit(segment) != HeraldOK) herald_session_is_incomplete();
}

void herald_watched_leave(void) {
    if (watched.seat.segment) herald_seat_wake(&watched.seat); /* the watcher sleeps in the old segment */
    herald_seat_leave(&watched.seat, false);
}

void herald_watched_follow(struct herald_host_name *name) {
    if (!name->watched) return;
    const struct item *item = item_of(name);
    uint64_t unheard = herald_posts_between(item->seen, item->entry->posts); /* the old segment stays mapped */
    uint32_t group = herald_entry_group(name->entry);
    if (!reserve(group)) group = name->group; /* no memory: there it is looked at once a second, at least */
    take_out(name);
    put(name, group);
    begin(item_of(name));
    if (!unheard) unheard = 1;
    herald_feeds_write(name, unheard);
    if (name->center) name->pending += unheard;
    herald_watched_note_groups(UINT64_C(1) << group);
}

void herald_watched_after_fork(void) { watched.seat.segment = NULL; /* it is the parent's */ }

/* ---- What has changed -------------------------------------------------------------------------------------------- */

/* Looks at one name; false when the batch has no room for it. */
static bool look_at(struct herald_batch *batch, struct item *item) {
    struct herald_host_name *name = item->name;
    uint64_t posts = item->entry->posts;
    if (herald_likely(posts == item->seen && !name->pending)) return true;
    if (batch->count == BATCH) return false;
    uint64_t news = herald_posts_between(item->seen, posts);
    item->seen = posts;
    if (news) herald_feeds_write(name, news);
    if (name->center) {
        batch->changes[batch->count].name = name;
        batch->changes[batch->count].center = name->center;
        batch->changes[batch->count++].posts = news + name->pending;
    }
    name->pending = 0;
    return true;
}

/* The next group that has changed, from at_group on; false when there is none. */
static bool find_group(void) {
    if (!watched.changed) return false;
    uint64_t from = watched.changed & (UINT64_MAX << watched.at_group);
    watched.at_group = (uint32_t)__builtin_ctzll(from ? from : watched.changed);
    watched.changed &= ~(UINT64_C(1) << watched.at_group);
    return true;
}

void herald_watched_gather(struct herald_batch *batch) {
    batch->count = batch->next = 0;
    while (watched.at_item || find_group()) {
        for (uint32_t i = watched.at_item; i < watched.groups[watched.at_group].count; i++) {
            if (look_at(batch, &watched.groups[watched.at_group].items[i])) continue;
            watched.at_item = herald_does(TURNS) ? i : 0;
            if (!watched.at_item) herald_watched_note_groups(UINT64_C(1) << watched.at_group);
            if (!herald_does(TURNS)) watched.at_group = 0;
            return;
        }
        watched.at_item = 0;
        watched.at_group = (watched.at_group + 1) % HERALD_GROUPS;
    }
}

void herald_watched_put_back(const struct herald_batch *batch) {
    for (uint32_t i = batch->next; i < batch->count; i++) {
        struct herald_host_name *name = batch->changes[i].name;
        if (!name->watched || !name->center) continue;
        name->pending += batch->changes[i].posts;
        herald_watched_note_groups(UINT64_C(1) << name->group);
    }
}
