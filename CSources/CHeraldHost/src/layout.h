/* What lies in the file, the same for every process of the user.
 *
 * The file is a header, the channels, and regions of the name table; regions are added at its end, and each is four
 * times as large as the one before. The name of the file carries the layout's number: any change here takes another.
 *
 * Nothing here is trusted. There are no pointers, only offsets, and each is checked to stay inside before it is used.
 */
#ifndef HERALD_HOST_LAYOUT_H
#define HERALD_HOST_LAYOUT_H

#include "platform.h"

enum {
    HERALD_LAYOUT = 1,
    HERALD_NAME_LIMIT = 512, /* bytes */
    HERALD_CHANNELS = 256,
    HERALD_REGIONS = 4,
    HERALD_FIRST_NAMES = 1024, /* in the first region */
    HERALD_BYTES_PER_NAME = 64,
    HERALD_GROUPS = 64, /* of names: what a channel says has changed */
};

struct herald_header {
    char magic[8];
    uint32_t layout, header_size, channels, regions_limit, first_names, bytes_per_name;
    uint32_t incompatible; /* features that a reader must know */
    uint32_t compatible;

    /* Read by every post. */
    _Alignas(HERALD_LINE) _Atomic uint64_t changes; /* registrations so far: what was absent may not be any more */
    _Atomic uint32_t retired;                       /* the file has been removed: look for the new one */
    _Atomic uint32_t regions;                       /* in use, 1 to 4 */

    _Alignas(HERALD_LINE) _Atomic uint32_t bytes_used[HERALD_REGIONS];
};

/* Where one process sleeps. */
struct herald_channel {
    _Atomic uint32_t sequence; /* the futex; changes with every wake */
    _Atomic uint32_t armed;    /* odd: its process sleeps, or is about to; another number each time */
    _Atomic uint64_t groups;   /* of names that have changed */
    _Atomic uint32_t owner;    /* process number; 0: unlocked, with no bit of it left in a name */
    uint32_t reserved[11];
};

/* A name. `name` is 0 while it is free, and is written once, last. */
struct herald_entry {
    _Atomic uint64_t name; /* offset of its text << 32 | length << 22 | 22 bits of its hash */
    _Atomic uint64_t posts;
    _Atomic uint64_t state;
    _Atomic uint64_t has_state;                      /* it was set, if only to 0 */
    _Atomic uint64_t watchers[HERALD_CHANNELS / 64]; /* a bit for each channel */
};

_Static_assert(sizeof(struct herald_header) == 3 * HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_channel) == HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_entry) == HERALD_LINE, "the layout is fixed");

#define HERALD_CLOSED UINT64_MAX /* a place in which there will be no name; no text is as long as this says */

enum {
    HERALD_CHANNELS_AT = 4096,
    HERALD_REGIONS_AT = HERALD_CHANNELS_AT + HERALD_CHANNELS * HERALD_LINE,
};

static inline uint32_t herald_region_names(uint32_t region) { return (uint32_t)HERALD_FIRST_NAMES << (2 * region); }
static inline uint32_t herald_region_bytes(uint32_t region) {
    return herald_region_names(region) * HERALD_BYTES_PER_NAME;
}
static inline size_t herald_region_size(uint32_t region) {
    return herald_region_names(region) * sizeof(struct herald_entry) + herald_region_bytes(region);
}
/* Where a region begins, and where the one before it ends. */
static inline size_t herald_region_at(uint32_t region) {
    return HERALD_REGIONS_AT + herald_region_size(0) * ((((size_t)1 << (2 * region)) - 1) / 3);
}

static inline struct herald_channel *herald_channel_at(struct herald_header *header, uint32_t channel) {
    return (struct herald_channel *)((char *)header + HERALD_CHANNELS_AT) + channel;
}
static inline struct herald_entry *herald_region_entries(struct herald_header *header, uint32_t region) {
    return (struct herald_entry *)((char *)header + herald_region_at(region));
}
static inline char *herald_region_texts(struct herald_header *header, uint32_t region) {
    return (char *)(herald_region_entries(header, region) + herald_region_names(region));
}

/* The same in every process, for all of them map the file at a page's beginning. */
static inline uint32_t herald_entry_group(const struct herald_entry *entry) {
    return (uint32_t)((uintptr_t)entry / sizeof *entry % HERALD_GROUPS);
}

#endif
