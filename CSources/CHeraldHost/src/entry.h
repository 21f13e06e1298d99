/* An entry: a name's record in the file, which all processes share. The scheme: an insert-only hash table. Places are
 * claimed by compare-and-exchange, and an entry never moves. A private name (one that begins with "self.") is not
 * shared: its entry lies in the memory of its process. */
#ifndef HERALD_HOST_ENTRY_H
#define HERALD_HOST_ENTRY_H

#include "segment.h"

HERALD_BEGIN
/* The hash is the same in every process. */
uint32_t herald_host_entry_hash(const char *text, uint32_t length);

/* Finds a name's entry. NULL: the name is not in the file. A name is entered when a process begins to observe or check
 * it. */
struct herald_host_entry *herald_host_entry_find(struct herald_host_segment *segment, const char *text,
                                                 uint32_t length);
/* Finds a name's entry, or makes one. HeraldOK with NULL: there is no room. `moves`: the name comes from another file.
 * Some room is kept for such names, so that all of them find a place, in whatever order they come. One caller at a time
 * within a process. */
HeraldStatus herald_host_entry_obtain(struct herald_host_segment *segment, const char *text, uint32_t length,
                                      bool moves, struct herald_host_entry **entry);

/* How many posts were made between two readings of a count. If the count has gone back, because another program has
 * spoilt it, the answer is 1. */
static inline uint64_t herald_host_posts_between(uint64_t before, uint64_t now) {
    return (int64_t)(now - before) > 0 ? now - before : now != before;
}

/* How many posts there were, including messages. The number may go back, because the count of messages wraps. */
static inline uint64_t herald_host_entry_count(const struct herald_host_entry *entry) {
    return entry->posts + entry->flags / HERALD_HOST_MESSAGE;
}

/* Sets the channel's bit in the entry: from now on posts of the name wake the channel. */
HeraldStatus herald_host_entry_watch(struct herald_host_entry *entry, struct herald_host_segment *segment,
                                     uint32_t channel);
void herald_host_entry_unwatch(struct herald_host_entry *entry, struct herald_host_segment *segment, uint32_t channel);

/* Calls `visit` with each channel whose bit is set in the entry. */
void herald_host_entry_visit_watchers(struct herald_host_entry *entry, struct herald_host_segment *segment,
                                      void (*visit)(void *context, uint32_t channel), void *context);

/* Calls `goes_along` for each entry of the segment `old`. If it returns true, enters the entry's name in `segment`, and
 * then calls `carry`, unless that is NULL, to copy other fields of the entry. */
HeraldStatus herald_host_entries_carry(struct herald_host_segment *old, struct herald_host_segment *segment,
                                       bool (*goes_along)(const struct herald_host_segment *old,
                                                          const struct herald_host_entry *entry),
                                       void (*carry)(struct herald_host_entry *old, struct herald_host_entry *entry));

/* Sets the state of a name. The caller checks afterwards whether the file is superseded. If it is, the caller sets the
 * state again in the next file. */
void herald_host_entry_set_state(struct herald_host_entry *entry, uint64_t state);
bool herald_host_entry_has_state(const struct herald_host_segment *segment, const struct herald_host_entry *entry);
/* The next two copy all states from a superseded file, with the names that have them. `copy` is for a new file that no
 * other process sees yet. With `new_line`, the states are older than those of the file's line (layout.h). `carry` does
 * not change a state that has already been set in the new file's line. */
HeraldStatus herald_host_entries_copy_states(struct herald_host_segment *old, struct herald_host_segment *fresh,
                                             bool new_line);
HeraldStatus herald_host_entries_carry_states(struct herald_host_segment *old, struct herald_host_segment *segment);

/* Copies the name of an entry to `text`, and returns the name's length, or 0 if the entry has no name. The entry lies
 * in region number `region` of the name table (layout.h). */
uint32_t herald_host_entry_text(struct herald_host_segment *segment, uint32_t region,
                                const struct herald_host_entry *entry, char text[HERALD_HOST_NAME_LIMIT + 1]);

void herald_host_entry_stamp(struct herald_host_entry *entry, struct herald_host_segment *segment);
/* Wakes the watchers of the name. `marks`: first marks the name's group at their channels. That is for plain posts. A
 * message needs no marks, because the watchers find it in the log. */
void herald_host_entry_wake(struct herald_host_entry *entry, struct herald_host_segment *segment, bool marks);
HERALD_END

static inline bool herald_host_entry_is_watched(const struct herald_host_entry *entry) {
    uint64_t any = entry->flags & HERALD_HOST_HAS_BLOCK;
    for (size_t i = 0; i < sizeof entry->watchers / sizeof *entry->watchers; i++) any |= entry->watchers[i];
    return any;
}

/* Counts a post, and wakes the processes that watch the name. The stamp is drawn after the thread's earlier posts were
 * counted, and before this post is counted. So a watcher that finds this post, and then looks for older posts, finds
 * the earlier ones (watched.c). A process that begins to watch the name during this call may miss the post, or hear it
 * out of order: only later posts are promised to it. */
static inline void herald_host_entry_post(struct herald_host_entry *entry, struct herald_host_segment *segment) {
    if (herald_host_entry_is_watched(entry)) herald_host_entry_stamp(entry, segment);
    /* The post is counted before the watchers are read. Partner: a watcher sets its bit (herald_host_entry_watch)
     * before it reads the count. */
    entry->posts++;
    if (herald_host_entry_is_watched(entry)) herald_host_entry_wake(entry, segment, true);
}

#endif
