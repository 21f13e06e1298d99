/* An entry: a name's record that processes have in common, in the segment's table. The scheme: an insert-only hash
 * table; places are claimed by compare-and-exchange and never move. The entry of a name that stays in its process
 * ("self.") lies outside the table.
 */
#ifndef HERALD_HOST_ENTRY_H
#define HERALD_HOST_ENTRY_H

#include "segment.h"

HERALD_BEGIN
/* The hash is the same in every process. */
uint32_t herald_host_entry_hash(const char *text, uint32_t length);

/* NULL: the name has never had an observer. */
struct herald_host_entry *herald_host_entry_find(struct herald_host_segment *segment, const char *text,
                                                 uint32_t length);
/* Finds the entry or makes it. HeraldOK with NULL: there is no room. `moves`: the name comes from another file. Some
 * room is kept for such names, so that all of them find a place, in whatever order they come. Callers take turns within
 * a process. */
HeraldStatus herald_host_entry_obtain(struct herald_host_segment *segment, const char *text, uint32_t length,
                                      bool moves, struct herald_host_entry **entry);

/* Counts a post and wakes the processes that wait for it. */
static inline void herald_host_entry_post(struct herald_host_entry *entry, struct herald_host_segment *segment);

/* How many posts lie between two looks. Another program may spoil the count, so it may have gone back. */
static inline uint64_t herald_host_posts_between(uint64_t before, uint64_t now) {
    return (int64_t)(now - before) > 0 ? now - before : now != before;
}

/* How many posts there were, including messages. The number may go back. */
static inline uint64_t herald_host_entry_count(const struct herald_host_entry *entry) {
    return entry->posts + entry->flags / HERALD_HOST_MESSAGE;
}

/* From now on this channel's process watches the name, or no longer watches it. */
HeraldStatus herald_host_entry_watch(struct herald_host_entry *entry, struct herald_host_segment *segment,
                                     uint32_t channel);
void herald_host_entry_unwatch(struct herald_host_entry *entry, struct herald_host_segment *segment, uint32_t channel);

/* Calls `visit` with each channel that has a bit in the entry. */
void herald_host_entry_visit_watchers(struct herald_host_entry *entry, struct herald_host_segment *segment,
                                      void (*visit)(void *context, uint32_t channel), void *context);

/* Enters in `segment` the names of those entries of `old` for which `goes_along` is true. `carry` copies what else goes
 * with a name; it may be NULL. */
HeraldStatus herald_host_entries_carry(struct herald_host_segment *old, struct herald_host_segment *segment,
                                       bool (*goes_along)(const struct herald_host_segment *old,
                                                          const struct herald_host_entry *entry),
                                       void (*carry)(struct herald_host_entry *old, struct herald_host_entry *entry));

/* Copies the text of an entry of `region`, and returns its length; 0 when there is no name in it. */
uint32_t herald_host_entry_text(struct herald_host_segment *segment, uint32_t region,
                                const struct herald_host_entry *entry, char text[HERALD_HOST_NAME_LIMIT + 1]);

void herald_host_entry_stamp(struct herald_host_entry *entry, struct herald_host_segment *segment);
void herald_host_entry_wake(struct herald_host_entry *entry, struct herald_host_segment *segment);
/* Wakes for a message. It marks no group: the message is looked for in the log. */
void herald_host_entry_wake_for_message(struct herald_host_entry *entry, struct herald_host_segment *segment);
HERALD_END

static inline bool herald_host_entry_is_watched(const struct herald_host_entry *entry) {
    uint64_t any = entry->flags & HERALD_HOST_HAS_BLOCK;
    for (size_t i = 0; i < sizeof entry->watchers / sizeof *entry->watchers; i++) any |= entry->watchers[i];
    return any;
}

/* The stamp is drawn before the post is counted. By then the thread's earlier posts have been counted. So a watcher
 * that finds this post, and then looks for older ones, finds those (see watched.c). A process that begins to watch in
 * between is not promised this post, and so not its place either. */
static inline void herald_host_entry_post(struct herald_host_entry *entry, struct herald_host_segment *segment) {
    if (herald_host_entry_is_watched(entry)) herald_host_entry_stamp(entry, segment);
    entry->posts++; /* before the look at the watchers; partner: herald_host_entry_watch before the look at the posts */
    if (herald_host_entry_is_watched(entry)) herald_host_entry_wake(entry, segment);
}

#endif
