/* The names that this process watches, and which of them have been posted.
 *
 * Groups. Each watched name is in one of 64 groups. The address of the name's entry determines the group
 * (herald_host_entry_group). A poster marks its name's group at the channel of each process that watches the name
 * (channel.h). So the watcher (watcher.c) looks only at the names of the marked groups when it wakes.
 *
 * Order. A name's stamp is the place of its last post in the order of all posts. Names are heard in the order of their
 * stamps. The watcher hears names in rounds. A round looks at the marked groups twice. The first look takes each name
 * that has new posts, and finds M, the newest of their stamps. The second look also takes each name that has new posts
 * and a stamp not above M. A name with a newer stamp waits for the next round.
 * One look is not enough. A thread may post name A just after the first look has passed A, and then name B, which this
 * look still reaches. Without a second look, B would be heard before A. A poster draws the post's stamp, then counts
 * the post, then marks the group. The thread did all of this for A before it drew the stamp for B. So the second look
 * finds A. A look reads a name's count first, and then its stamp. If the name is posted between the two reads, the look
 * finds the stamp of the newer post. Then the name is heard at the newer post's place in the order.
 *
 * Plain posts in the log. A plain post is a post without a message. While this process observes all names, a poster
 * first counts a plain post in the entry of the posted name, and then writes a record of it to the log. This process
 * hears the post from the log. If the log loses the record of a post of a watched name, the name's count still reports
 * the post. No post is heard twice. An item's `seen` is how many posts of its name have been heard. If the name's count
 * is above `seen` when a record is read, the record is heard. Otherwise the count has already reported the record's
 * post, and the record is skipped. It does not matter which posts of the name the count has reported, because plain
 * posts of one name are all alike.
 * `ahead` is the number of posts that were heard from the counts while their records were still unread. When a record
 * is skipped or lost, its post is taken to be one of these, and `ahead` goes down by one. If `ahead` is 0 already, the
 * counts are read once more. A new post in the counts then stands for the record's post. If the counts have no new post
 * either, `early` (below) goes down by one. If `early` is 0, too, one post is counted as missed. So the posts heard and
 * the posts missed add up to the posts made.
 *
 * Ordering: This process sets its channel's bit in a name's entry (herald_host_entry_watch), and then reads the count
 * of the name's posts. The marks of groups are sequentially consistent: see channel.h.
 * Progress: A round has each name once, so no name is heard again before the others have had their turn. Batches are
 * bounded.
 * Ownership: Everything here is under the session's lock.
 */
#include "watched.h"
#include "host_complaint.h"
#include "feed.h"
#include "inbox.h"
#include "session.h"
#include <stdlib.h>

/* A watched name. The struct is small, because the watcher walks over whole groups of items. */
struct item {
    struct herald_host_entry *entry;
    uint64_t seen; /* how many posts of the name have been heard */
    struct herald_host_name *name;
};

static struct {
    struct {
        struct item *items;
        uint32_t count, room;
    } groups[HERALD_HOST_GROUPS];
    uint32_t count;
    uint64_t changed; /* the groups to look at, a bit for each */
    bool any_name;    /* there is an observer of all names: plain posts are heard from the log */
    bool counts;      /* with `any_name`: a look also reads the names' counts, for posts that are not in the log */
    /* With `any_name`: how many plain posts were heard from the counts while their records were still unread. */
    uint64_t ahead;
    /* A poster counts a post before it writes the record. If it counted before `any_name` was set, and writes after
     * that, the record is of a post that was heard already. `early` is the largest number of such records to come. */
    uint64_t early;
    /* Times in seconds, by the clock of herald_host_session.looked. `heard_at`: when the last plain post was heard.
     * `early_until`: when `early` becomes 0. */
    time_t heard_at, early_until;
    struct herald_host_own_channel own;
} watched;

/* The names of a round, each once. `next` is the index of the name to hear next. `room` is enough for all watched
 * names. */
static struct {
    struct herald_host_name **names;
    uint32_t count, next, room;
} the_round;

enum { BATCH = sizeof((struct herald_host_due *)0)->changes / sizeof((struct herald_host_due *)0)->changes[0] };

/* Placeholder for a name with no entry in the current file. */
static struct herald_host_entry nowhere;

bool herald_host_watched_is_empty(void) { return watched.count == 0 && !watched.any_name; }

struct herald_host_own_channel *herald_host_watched_own_channel(void) {
    return watched.own.segment ? &watched.own : NULL;
}

void herald_host_watched_show_reading(void) {
    if (!watched.own.segment) return;
    herald_host_own_channel_show_reading(&watched.own, herald_host_inbox_position(watched.own.segment->header));
}

bool herald_host_watched_hears_all(void) { return watched.any_name; }

void herald_host_watched_note_groups(uint64_t groups) {
    watched.changed |= groups;
    watched.counts |= groups != 0;
}

static void note_group(uint32_t group) { watched.changed |= UINT64_C(1) << group; }

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

static bool reserve_round(void) {
    if (watched.count < the_round.room) return true;
    uint32_t room = the_round.room ? 2 * the_round.room : 64;
    struct herald_host_name **names = realloc(the_round.names, room * sizeof(struct herald_host_name *));
    if (!names) return false;
    the_round.names = names;
    the_round.room = room;
    return true;
}

/* Adds a name to a group. The group must have room. */
static struct item *put(struct herald_host_name *name, uint32_t group) {
    uint32_t count = watched.groups[group].count++;
    name->watched = true;
    name->group = group;
    name->index = count;
    watched.groups[group].items[count] = (struct item){&nowhere, 0, name};
    watched.count++;
    return &watched.groups[group].items[count];
}

static struct item *item_of(const struct herald_host_name *name) {
    return &watched.groups[name->group].items[name->index];
}

static void take_out(struct herald_host_name *name) {
    struct item *last = &watched.groups[name->group].items[--watched.groups[name->group].count];
    last->name->index = name->index;
    *item_of(name) = *last;
    name->watched = false;
    watched.count--;
}

/* After this, a post of the name wakes this process's channel. */
static HeraldStatus wake_here(struct herald_host_entry *entry) {
    if (!watched.own.segment) return HeraldOK;
    return herald_host_entry_watch(entry, watched.own.segment, watched.own.number);
}

/* Begins to watch an entry. Sets the bit, and only then reads the count. So a post between these two steps finds the
 * bit (see herald_host_entry_post). */
static HeraldStatus begin(struct item *item, struct herald_host_entry *entry) {
    HeraldStatus status = wake_here(entry);
    if (status != HeraldOK) return status;
    item->entry = entry;
    item->seen = entry->posts;
    if (watched.own.segment) herald_host_inbox_follow(item->name, watched.own.segment->header);
    herald_host_watched_show_reading();
    return HeraldOK;
}

HeraldStatus herald_host_watched_add(struct herald_host_name *name) {
    if (name->watched) return HeraldOK;
    uint32_t group = herald_host_entry_group(name->entry);
    if (!reserve(group) || !reserve_round()) return herald_host_complain_of_memory();
    if (watched.any_name) herald_host_inbox_settle(); /* so that earlier records are not heard for this name */
    HeraldStatus status = begin(put(name, group), name->entry);
    if (status != HeraldOK) take_out(name);
    return status;
}

void herald_host_watched_remove_if_unused(struct herald_host_name *name) {
    if (name->center || name->feeds || !name->watched) return;
    struct herald_host_entry *entry = item_of(name)->entry;
    if (watched.any_name) herald_host_inbox_settle();
    take_out(name);
    herald_host_inbox_forget(name);
    if (watched.any_name) herald_host_inbox_miss(name->pending); /* observers of all names miss these posts */
    name->pending = name->untold = 0;
    if (!watched.own.segment) return;
    if (!watched.own.shared) herald_host_entry_unwatch(entry, watched.own.segment, watched.own.number);
    if (herald_host_watched_is_empty()) herald_host_own_channel_wake(&watched.own); /* so that the watcher ends */
}

/* ---- The own channel --------------------------------------------------------------------------------------------- */

/* Clears all bits in the entry of a private name ("self."). The entry may still have the bit of a channel that this
 * process had before. (Entries of other names lie in the file. There the channel's next owner clears the
 * bit.) */
static void forget_watchers(struct herald_host_entry *entry, struct herald_host_segment *segment) {
    for (uint32_t channel = HERALD_HOST_INLINE_CHANNELS; channel < HERALD_HOST_CHANNELS; channel += 64) {
        _Atomic uint64_t *watchers = herald_host_entry_watchers(segment->header, entry, channel);
        if (watchers) *watchers = 0;
    }
}

/* Notes posts for the name's observers and feeds. */
static void hear(struct herald_host_name *name, uint64_t posts) {
    name->pending += posts;
    name->untold += posts;
    if (posts) watched.heard_at = herald_host_session.looked;
}

/* Finds posts that the names' counts report as new, and notes at most `most` of them. Returns how many posts it has
 * noted. */
static uint64_t note_counts(uint64_t most) {
    uint64_t rest = most;
    for (uint32_t group = 0; group < HERALD_HOST_GROUPS; group++)
        for (uint32_t i = 0; i < watched.groups[group].count && rest; i++) {
            struct item *item = &watched.groups[group].items[i];
            uint64_t new = herald_host_posts_between(item->seen, item->entry->posts);
            if (new > rest) new = rest;
            if (!new) continue;
            hear(item->name, new);
            item->seen += new;
            note_group(group);
            rest -= new;
        }
    return most - rest;
}

/* ---- Plain posts in the log -------------------------------------------------------------------------------------- */

enum { EARLY = 64 /* threads that may be between counting a post and logging it */, SOON = 2 /* seconds */ };

static uint64_t take(uint64_t *count, uint64_t most) {
    uint64_t taken = *count < most ? *count : most;
    *count -= taken;
    return taken;
}

/* The records of `lost` plain posts were lost. Returns how many of these posts are heard all the same, because the
 * counts have reported them, or report them now. */
static uint64_t find_lost(uint64_t lost) {
    if (herald_host_session.looked > watched.early_until) watched.early = 0;
    uint64_t found = take(&watched.ahead, lost);
    found += note_counts(lost - found);
    return found + take(&watched.early, lost - found);
}

/* Returns whether the record of a plain post is heard. If the name's count has already reported the post, the record is
 * skipped. Then find_lost counts the post, as it counts the post of a lost record. */
static bool hears_logged(struct herald_host_name *name) {
    struct item *item = item_of(name);
    if (!name->watched || item->entry == &nowhere) return true;
    watched.heard_at = herald_host_session.looked;
    if (!HERALD_HOST_STEP(COUNTED) || item->entry->posts != item->seen) {
        item->seen++;
        return true;
    }
    herald_host_inbox_miss(1 - find_lost(1));
    return false;
}

void herald_host_watched_find_posts(void) { watched.ahead += note_counts(UINT64_MAX); }

static const struct herald_host_plain_counts counts_of_names = {hears_logged, find_lost};

/* Sets `early`. The record of a post may still come although the post was counted before `any_name` was set. `posts` is
 * how many posts were noted just now. If `posts` is 0, and no plain post was heard in the last SOON seconds, no such
 * record is expected. */
static void expect_early(uint64_t posts) {
    watched.ahead = 0;
    watched.early = posts || herald_host_session.looked - watched.heard_at <= SOON ? EARLY : 0;
    watched.early_until = herald_host_session.looked + SOON;
}

/* Takes a channel of the kind that `any_name` asks for (channel.h), and makes posters of all watched names wake it. */
static HeraldStatus take_own_channel(struct herald_host_segment *segment) {
    HeraldStatus status = herald_host_own_channel_take(&watched.own, segment, watched.any_name);
    if (status != HeraldOK) return status;
    herald_host_inbox_arrive(segment->header);
    for (uint32_t group = 0; group < HERALD_HOST_GROUPS; group++)
        for (uint32_t i = 0; i < watched.groups[group].count && status == HeraldOK; i++) {
            const struct item *item = &watched.groups[group].items[i];
            if (item->name->is_private) forget_watchers(item->entry, segment);
            if (item->entry == &nowhere) continue;
            status = wake_here(item->entry);
            if (status == HeraldOK) herald_host_inbox_follow(item->name, segment->header);
        }
    watched.changed = UINT64_MAX;
    herald_host_watched_show_reading();
    if (status != HeraldOK) herald_host_own_channel_leave(&watched.own, false);
    return status;
}

/* Leaves a channel, and wakes the watcher, which may sleep there. */
static void leave_own_channel(struct herald_host_own_channel *own) {
    for (uint32_t group = 0; group < HERALD_HOST_GROUPS && !own->shared; group++)
        for (uint32_t i = 0; i < watched.groups[group].count; i++)
            herald_host_entry_unwatch(watched.groups[group].items[i].entry, own->segment, own->number);
    herald_host_own_channel_wake(own);
    herald_host_own_channel_leave(own, true);
}

static bool is_at_right_channel(void) {
    return watched.own.segment && (watched.own.number < HERALD_HOST_INLINE_CHANNELS) == watched.any_name;
}

/* When the process goes from one channel to another, there is no time in which a post wakes neither. */
HeraldStatus herald_host_watched_take_channel(struct herald_host_segment *segment) {
    if (is_at_right_channel()) return HeraldOK;
    struct herald_host_own_channel before = watched.own;
    HeraldStatus status = take_own_channel(segment);
    if (status != HeraldOK) {
        watched.own = before;
    } else if (before.segment) {
        /* Raised while this process has both channels. A process that gives back rings (ring.c) looks at one channel
         * after the other. It may look at the new channel too early, and at the old channel too late. Then it finds
         * this process at neither, but finds that this count has changed. */
        segment->header->changes_of_channels++;
        leave_own_channel(&before);
    }
    return status;
}

void herald_host_watched_keep_channel(struct herald_host_segment *segment) {
    if (!herald_host_watched_is_empty() && herald_host_watched_take_channel(segment) != HeraldOK)
        herald_host_session_is_incomplete();
}

HeraldStatus herald_host_watched_add_any(struct herald_host_segment *segment) {
    if (watched.any_name) return HeraldOK;
    watched.any_name = true;
    uint64_t posts = note_counts(UINT64_MAX);
    HeraldStatus status = herald_host_watched_take_channel(segment);
    watched.any_name = status == HeraldOK;
    if (status != HeraldOK) return status;
    expect_early(posts + note_counts(UINT64_MAX));
    /* The posts that were marked until now have just been noted, and later posts are in the log. */
    if (HERALD_HOST_STEP(HANDOVER)) watched.counts = false;
    herald_host_inbox_hear_all(segment->header, &counts_of_names);
    herald_host_watched_show_reading();
    return HeraldOK;
}

/* If the process can get no other channel, it keeps this one, and goes on hearing all names. */
HeraldStatus herald_host_watched_remove_any(void) {
    if (!watched.any_name) return HeraldOK;
    watched.any_name = false;
    if (watched.count && watched.own.segment && herald_host_watched_take_channel(watched.own.segment) != HeraldOK) {
        watched.any_name = true;
        return HeraldTransportFailed;
    }
    herald_host_inbox_hear_all(NULL, NULL);
    watched.changed = UINT64_MAX; /* from now on the counts report posts, also those that are not in the log */
    watched.ahead = watched.early = 0;
    if (!watched.count && watched.own.segment) leave_own_channel(&watched.own); /* so that the watcher ends */
    return HeraldOK;
}

/* Whether the counts of the group's names are read when the process leaves the file. Without `any_name` they are. With
 * `any_name` they are read only in a marked group, which may have posts that could not be logged. All other finished
 * posts are in the log, which has been read by then. An unfinished post is made again in the next file. */
static bool leaves_by_count(uint32_t group) {
    return !watched.any_name || (watched.counts && watched.changed & UINT64_C(1) << group);
}

void herald_host_watched_leave(void) {
    herald_host_inbox_leave();
    watched.ahead = watched.early = 0;
    if (watched.own.segment) herald_host_own_channel_wake(&watched.own); /* the watcher sleeps in the old segment */
    herald_host_own_channel_leave(&watched.own, false);
    for (uint32_t group = 0; group < HERALD_HOST_GROUPS; group++)
        for (uint32_t i = 0; i < watched.groups[group].count; i++) {
            struct item *item = &watched.groups[group].items[i];
            if (item->name->is_private) continue;
            if (leaves_by_count(group)) hear(item->name, herald_host_posts_between(item->seen, item->entry->posts));
            item->entry = &nowhere;
            item->seen = 0;
            note_group(group);
        }
}

HeraldStatus herald_host_watched_follow(struct herald_host_name *name) {
    if (!name->watched) return HeraldOK;
    uint32_t group = herald_host_entry_group(name->entry);
    if (!reserve(group)) return herald_host_complain_of_memory();
    take_out(name);
    struct item *item = put(name, group);
    if (!name->pending || !name->untold) hear(name, 1);
    note_group(group);
    HeraldStatus status = begin(item, name->entry);
    /* All posts in this file are in the log. The log is heard from its beginning, so no post was heard yet. */
    if (watched.any_name && herald_host_inbox_hears_whole_file()) item->seen = 0;
    return status;
}

void herald_host_watched_after_fork(void) {
    watched.own.segment = NULL; /* the channel is the parent's */
    watched.ahead = watched.early = 0;
    herald_host_inbox_after_fork();
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

/* Looks at one name, and takes it into the round if it has new posts. Returns false if the name's stamp is above
 * `newest`. Then the name is left to the next round. The count is read before the stamp: see the head of this file. */
static bool look_at(struct item *item, uint64_t newest) {
    struct herald_host_name *name = item->name;
    uint64_t posts = watched.any_name && !watched.counts ? item->seen : item->entry->posts;
    if (herald_likely(posts == item->seen && !name->pending && !name->untold)) return true;
    uint64_t stamp = item->entry->stamp;
    if (stamp > newest) return false;
    hear(name, herald_host_posts_between(item->seen, posts));
    name->stamp = stamp;
    item->seen = posts;
    if (name->queued) return true;
    name->queued = true;
    the_round.names[the_round.count++] = name;
    return true;
}

/* Looks at the marked groups. A group in which a name has a stamp above `newest` stays marked. */
static void look(uint64_t newest) {
    uint64_t left = 0;
    for (; watched.changed; watched.changed &= watched.changed - 1) {
        uint32_t group = (uint32_t)__builtin_ctzll(watched.changed);
        for (uint32_t i = 0; i < watched.groups[group].count; i++)
            if (!look_at(&watched.groups[group].items[i], newest)) left |= UINT64_C(1) << group;
    }
    watched.changed = left;
}

static int compare_stamps(const void *one, const void *other) {
    uint64_t a = (*(struct herald_host_name *const *)one)->stamp, b = (*(struct herald_host_name *const *)other)->stamp;
    return (a > b) - (a < b);
}

static void begin_round(void) {
    if (!watched.changed) watched.counts = false;
    uint64_t newest = 0;
    the_round.count = the_round.next = 0;
    look(UINT64_MAX);
    for (uint32_t i = 0; i < the_round.count; i++)
        if (the_round.names[i]->stamp > newest) newest = the_round.names[i]->stamp;
    if (!the_round.count) return;
    if (HERALD_HOST_STEP(SECOND_LOOK)) {
        if (watched.own.segment) herald_host_watched_note_groups(herald_host_own_channel_groups(&watched.own));
        look(newest);
    }
    if (HERALD_HOST_STEP(SORT)) qsort(the_round.names, the_round.count, sizeof *the_round.names, compare_stamps);
    for (uint32_t i = 0; i < the_round.count; i++) {
        struct herald_host_name *name = the_round.names[i];
        if (name->untold) herald_host_feeds_write(name, name->untold);
        name->untold = 0;
    }
}

void herald_host_watched_gather(struct herald_host_due *batch) {
    batch->count = batch->next = 0;
    if (the_round.next == the_round.count) begin_round();
    for (; the_round.next < the_round.count && batch->count < BATCH; the_round.next++) {
        struct herald_host_name *name = the_round.names[the_round.next];
        name->queued = false;
        const struct herald_host_entry *entry = name->entry;
        if (name->center && name->pending) {
            batch->changes[batch->count].name = name;
            batch->changes[batch->count].posts = name->pending;
            batch->changes[batch->count].has_state = entry && entry->flags & HERALD_HOST_HAS_STATE;
            batch->changes[batch->count++].state = entry ? entry->state : 0;
        }
        name->pending = 0;
    }
}

bool herald_host_watched_has_more(void) { return watched.changed || the_round.next < the_round.count; }
