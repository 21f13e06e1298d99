/* An entry: a name that processes have in common, in the segment's table or, for names of one process, outside it. */
#ifndef HERALD_HOST_ENTRY_H
#define HERALD_HOST_ENTRY_H

#include "segment.h"

HERALD_BEGIN
/* NULL: the name has never had an observer. */
struct herald_entry *herald_entry_find(struct herald_segment *segment, const char *text, uint32_t length);
/* Finds it or enters it. Callers take turns within a process. */
HeraldStatus herald_entry_obtain(struct herald_segment *segment, const char *text, uint32_t length,
                                 struct herald_entry **entry);

/* Counts a post and wakes the processes that wait for it. */
static inline void herald_entry_post(struct herald_entry *entry, struct herald_segment *segment);

/* How many posts lie between two looks. The count is another program's to spoil, so it may have gone back. */
static inline uint64_t herald_posts_between(uint64_t before, uint64_t now) {
    return (int64_t)(now - before) > 0 ? now - before : now != before;
}

/* This channel's process watches the name, or no longer. */
void herald_entry_watch(struct herald_entry *entry, uint32_t channel, bool watch);

/* Copies the text of an entry of `region`; false when there is no name in it. */
bool herald_entry_text(struct herald_segment *segment, uint32_t region, const struct herald_entry *entry,
                       char text[HERALD_NAME_LIMIT + 1]);

void herald_entry_ring(struct herald_entry *entry, struct herald_segment *segment);
HERALD_END

static inline void herald_entry_post(struct herald_entry *entry, struct herald_segment *segment) {
    entry->posts++; /* before the look at the watchers; partner: herald_entry_watch before the look at the posts */
    uint64_t any = 0;
    for (int i = 0; i < HERALD_CHANNELS / 64; i++) any |= entry->watchers[i];
    if (any) herald_entry_ring(entry, segment);
}

#endif
