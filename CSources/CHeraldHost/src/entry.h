/* An entry: a name's record in the file, which all processes share. The scheme: an insert-only hash table. Places are
 * claimed by compare-and-exchange, and an entry never moves. A private name (one that begins with "self.") is not
 * shared: its entry lies in the memory of its process. */
#ifndef HERALD_HOST_ENTRY_H
#define HERALD_HOST_ENTRY_H

#include "segment.h"

HERALD_BEGIN
/* The hash is the same in every process. */
uint32_t herald_host_entry_hash(const char *text, uint32_t length);

/* NULL: the name is not in the file. It is entered when a process begins to observe or check it. */
struct herald_host_entry *herald_host_entry_find(struct herald_host_segment *segment, const char *text,
                                                 uint32_t length);
/* Finds the entry or makes it. HeraldOK with NULL: there is no room. `moves`: the name comes from another file. Some
 * room is kept for such names, so that all of them find a place, in whatever order they come. One caller at a time
 * within a process. */
HeraldStatus herald_host_entry_obtain(struct herald_host_segment *segment, const char *text, uint32_t length,
                                      bool moves, struct herald_host_entry **entry);

/* Counts a post, and wakes the processes that watch the name. */
static inline void herald_host_entry_post(struct herald_host_entry *entry, struct herald_host_segment *segment);

/* How many posts were made between two readings of a count. If the count has gone back, because another program has
 * spoilt it, the answer is 1. */
static inline uint64_t herald_host_posts_between(uint64_t before, uint64_t now) {
    return (int64_t)(now - before) > 0 ? now - before : now != before;
}

/* How many posts there were, including messages. The number may go back, because the count of messages wraps. */
static inline uint64_t herald_host_entry_count(const struct herald_host_entry *entry) {
    return entry->posts + entry->flags / HERALD_HOST_MESSAGE;
}

/* Sets the channel's bit, or clears it: from now on its process watches the name, or no longer does. */
HeraldStatus herald_host_entry_watch(struct herald_host_entry *entry, struct herald_host_segment *segment,
                                     uint32_t channel);
void herald_host_entry_unwatch(struct herald_host_entry *entry, struct herald_host_segment *segment, uint32_t channel);

/* Calls `visit` with each channel whose bit is set in the entry. */
void herald_host_entry_visit_watchers(struct herald_host_entry *entry, struct herald_host_segment *segment,
                                      void (*visit)(void *context, uint32_t channel), void *context);

/* Enters names of `old` in `segment`: those whose entry makes `goes_along` true. `carry` then copies other fields of
 * the entry; it may be NULL. */
HeraldStatus herald_host_entries_carry(struct herald_host_segment *old, struct herald_host_segment *segment,
                                       bool (*goes_along)(const struct herald_host_segment *old,
                                                          const struct herald_host_entry *entry),
                                       void (*carry)(struct herald_host_entry *old, struct herald_host_entry *entry));

/* Copies the text of an entry of `region`, and returns its length. 0: the entry has no name. */
uint32_t herald_host_entry_text(struct herald_host_segment *segment, uint32_t region,
                                const struct herald_host_entry *entry, char text[HERALD_HOST_NAME_LIMIT + 1]);

void herald_host_entry_stamp(struct herald_host_entry *entry, struct herald_host_segment *segment);
void herald_host_entry_wake(struct herald_host_entry *entry, struct herald_host_segment *segment);
/* Wakes the watchers of the name for a message. Marks no group, because watchers look for messages in the log. */
void herald_host_entry_wake_for_message(struct herald_host_entry *entry, struct herald_host_segment *segment);
HERALD_END

static inline bool herald_host_entry_is_watched(const struct herald_host_entry *entry) {
    uint64_t any = entry->flags & HERALD_HOST_HAS_BLOCK;
    for (size_t i = 0; i < sizeof entry->watchers / sizeof *entry->watchers; i++) any |= entry->watchers[i];
    return any;
}

/* The stamp is drawn after the thread's earlier posts were counted, and before this post is counted. So a watcher that
 * finds this post, and then looks for older posts, finds the earlier ones (watched.c). A process that begins to watch
 * after the first check is promised neither this post nor its place in the order. */
static inline void herald_host_entry_post(struct herald_host_entry *entry, struct herald_host_segment *segment) {
    if (herald_host_entry_is_watched(entry)) herald_host_entry_stamp(entry, segment);
    entry->posts++; /* before the watchers are read; partner: herald_host_entry_watch, before the posts are read */
    if (herald_host_entry_is_watched(entry)) herald_host_entry_wake(entry, segment);
}

#endif
