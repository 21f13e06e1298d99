/* The layout of the file that all processes of a user share.
 *
 * The file is a header, the channels, the name table and room for a log. Its size never changes. It is sparse: its
 * memory is taken in parts (herald_host_segment_fill), each before anything refers to it. The name table has four
 * regions, each four times as large as the one before. A region is taken into use when the regions before it have no
 * place for a name. The file's name contains HERALD_HOST_LAYOUT: any change here needs another number.
 *
 * Nothing here is trusted, because any program of the user's may write to the file. There are no pointers, only
 * offsets, and each offset is checked before it is used.
 */
#ifndef HERALD_HOST_LAYOUT_H
#define HERALD_HOST_LAYOUT_H

#include "host_platform.h"

enum {
    HERALD_HOST_LAYOUT = 3,
    HERALD_HOST_NAME_LIMIT = 512, /* bytes */
    HERALD_HOST_REGIONS = 4,
    HERALD_HOST_FIRST_NAMES = 1024, /* names in the first region */
    HERALD_HOST_NAMES = 87040,      /* names in all regions */
    HERALD_HOST_BYTES_PER_NAME = 64,
    HERALD_HOST_GROUPS = 64, /* groups of names: a channel notes in which of them a name has changed */
};

/* The ranges of channels: the first number of each range, and who sleeps at its channels. A process that observes all
 * names, or all names under a prefix, is woken by every post. So its channel needs no bits in entries.
 *
 *      0                                 a process that observes all names
 *      HERALD_HOST_ANY_SHARED_CHANNELS   several such processes
 *      HERALD_HOST_INLINE_CHANNELS       a process, with a bit in the entry of each name that it watches
 *      HERALD_HOST_BLOCK_CHANNELS        a process, with a bit in the block of each name that it watches
 *      HERALD_HOST_SHARED_CHANNELS       several processes, with a bit in the block of each name that they watch
 */
enum {
    HERALD_HOST_ANY_SHARED_CHANNELS = 60,
    HERALD_HOST_INLINE_CHANNELS = 64,
    HERALD_HOST_BLOCK_CHANNELS = 256,
    HERALD_HOST_SHARED_CHANNELS = 4032,
    HERALD_HOST_CHANNELS = 4096,
    HERALD_HOST_MOVE_LOCK = HERALD_HOST_CHANNELS, /* the byte that a process locks while it replaces this file */
    HERALD_HOST_RING_LOCKS, /* the byte that the owner of ring 0 locks; the other rings' bytes follow */
};

/* The log of messages: see log.h. */
enum {
    HERALD_HOST_SLOTS = 8192,   /* words of the index */
    HERALD_HOST_RINGS = 255,    /* an index word has 8 bits for a ring's number; 255 is END */
    HERALD_HOST_BORROWED = 4,   /* the last rings: lent for one message to a process without a ring of its own */
    HERALD_HOST_RING = 1 << 20, /* bytes */
    HERALD_HOST_PAGE = 1 << 16, /* the largest page size of any machine */
    HERALD_HOST_MESSAGE_LIMIT = 65536,
    HERALD_HOST_TEXTS_LIMIT = 1024, /* bytes of object and type together */
};

struct herald_host_header {
    char magic[8];
    uint32_t layout, header_size, channels, names, first_names, bytes_per_name;
    uint32_t incompatible; /* features that a reader must know */
    uint32_t compatible;
    uint64_t size; /* of the file */

    /* Read by every post. `changes` is how many names were taken into use. If it has changed, absent names are looked
     * for again. */
    _Alignas(HERALD_LINE) _Atomic uint64_t changes;
    _Atomic uint64_t any;        /* which of the first 64 channels have a process; if any has, all posts are logged */
    _Atomic uint32_t superseded; /* enum herald_host_superseded; it never goes back */
    _Atomic uint32_t regions;    /* regions in use, 1 to 4 */
    _Atomic uint32_t expecting;  /* all messages are kept until this time (herald_host_clock_seconds), for processes
                                    that may still be on the way to this new file; 0: no longer */

    _Alignas(HERALD_LINE) _Atomic uint64_t clock; /* the newest stamp: posts of watched names so far */
    _Atomic uint64_t tail;                        /* of the log: the next sequence number, or one less */
    _Atomic uint64_t first; /* the log's first sequence number (see log.h); 0: HERALD_HOST_SLOTS */
    _Atomic uint32_t log;   /* enum herald_host_log */
    _Atomic uint32_t plain; /* plain posts in the log so far: see log.h */
    /* A line is a series of files, each made in the place of the one before. Sequence numbers and counts go on from
     * file to file. `line` is the time at which the line began (nanoseconds since boot). `origin` is the line's first
     * sequence number; 0 stands for `first`. */
    _Atomic uint64_t line, origin;

    _Alignas(HERALD_LINE) _Atomic uint32_t bytes_used[HERALD_HOST_REGIONS];
    _Atomic uint64_t carried; /* inode ^ line of the file whose states have all been copied here */
    _Atomic uint64_t crowded; /* when the table was found full of names in use (herald_host_clock_seconds) */
    _Atomic uint64_t changes_of_channels; /* how often a reader has changed channels: see ring.c */
    _Atomic uint32_t deserted;            /* processes may have gone to a file in another folder, and may come back */
};

/* The states of a file, in the order in which they follow each other. SUPERSEDED: another file is to replace this
 * one, and posts and states that are written here are written again to that file. CARRIED: a process has copied the
 * names' states to the other file, where they may be newer by now. LEFT: all processes that slept here have been
 * woken since. */
enum herald_host_superseded {
    HERALD_HOST_NOT_SUPERSEDED,
    HERALD_HOST_SUPERSEDED,
    HERALD_HOST_CARRIED,
    HERALD_HOST_LEFT
};

/* UNUSED: nothing was logged yet. OPEN: the index and the rings' heads have memory. CLOSED: the file was superseded
 * before its log was opened, and no message is written to it. (An open log is ended by the word END in the index.) */
enum herald_host_log { HERALD_HOST_LOG_UNUSED, HERALD_HOST_LOG_OPEN, HERALD_HOST_LOG_CLOSED };

/* A channel: one process sleeps here, or several (see the ranges). */
struct herald_host_channel {
    _Atomic uint32_t sequence; /* the futex; changes with every wake */
    _Atomic uint32_t armed;    /* odd: its process sleeps, or is about to; each arming has another number */
    _Atomic uint64_t groups;   /* marks of the groups in which a name has changed */
    _Atomic uint32_t owner;    /* its process's number; 0: it has no process, and no name has its bit */
    uint32_t reserved;
    _Atomic uint64_t reading; /* its process reads no record of the log older than this; 0: it may read any */
    uint64_t unused[4];
};

/* An entry. `name` is 0 while the entry is free. It is written once, after the name's text. */
struct herald_host_entry {
    _Atomic uint64_t name; /* offset of its text << 32 | length << 22 | 22 bits of its hash */
    _Atomic uint64_t posts;
    _Atomic uint64_t state;
    _Atomic uint64_t stamp; /* the header's clock at the newest post that found a watcher */
    _Atomic uint32_t flags;
    _Atomic uint32_t logged; /* messages of this name in the log so far: see log.h */
    /* A bit for each channel from HERALD_HOST_INLINE_CHANNELS on, below HERALD_HOST_BLOCK_CHANNELS. */
    _Atomic uint64_t watchers[(HERALD_HOST_BLOCK_CHANNELS - HERALD_HOST_INLINE_CHANNELS) / 64];
};
enum {
    HERALD_HOST_HAS_STATE = 1, /* the state was set, perhaps to 0 */
    HERALD_HOST_HAS_BLOCK = 2, /* the memory of its block has been taken */
    HERALD_HOST_MESSAGE = 4,   /* the upper 30 bits count the messages that were posted, which `posts` does not count */
};

/* An entry's bits for the channels from HERALD_HOST_BLOCK_CHANNELS on. The summary has a bit for each word of
 * `watchers` that was ever used. */
struct herald_host_block {
    _Atomic uint64_t summary;
    _Atomic uint64_t watchers[(HERALD_HOST_CHANNELS - HERALD_HOST_BLOCK_CHANNELS) / 64];
    uint64_t reserved[3];
};

/* The head of a ring. Only the process that has the ring's lock writes to the ring. A record is complete before anybody
 * can find it. */
struct herald_host_ring {
    _Alignas(HERALD_LINE) _Atomic uint64_t intent; /* the ring has been or will be written up to here; only grows */
    _Atomic uint32_t ready;                        /* 1: the ring has its memory; changed under the ring's lock */
};

/* A record: a message in a ring. The message's bytes follow, and then its texts, each with a 0 at its end. Another
 * program may have written anything here. */
struct herald_host_record {
    _Atomic uint64_t sequence, position; /* this record's own; readers compare them with those that led them here */
    _Atomic uint32_t entry;              /* the place of the name's entry; HERALD_HOST_NAMES: it has none */
    _Atomic uint32_t name_sequence;      /* the entry's `logged` before this record */
    _Atomic uint32_t sender, options;    /* the poster's process number; the post's options, and HERALD_HOST_IS_PLAIN */
    _Atomic uint32_t hash;               /* of the name */
    _Atomic uint32_t length, name, object, type; /* in bytes, with the 0 of a text; 0: there is no such text */
    _Atomic uint32_t plain;                      /* the header's `plain` before this record */
    _Atomic uint64_t identity;                   /* the poster's: only the poster hears a private name ("self.") */
};
enum { HERALD_HOST_IS_PLAIN = 1u << 31 /* a post without a message, for processes that observe all names */ };

_Static_assert(sizeof(struct herald_host_ring) == HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_record) == HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_header) == 4 * HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_channel) == HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_entry) == HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_block) == 8 * HERALD_LINE, "the layout is fixed");

#define HERALD_HOST_CLOSED UINT64_MAX /* no name will ever be in this place: no text has this word's length */

/* Offsets. */
#define HERALD_HOST_CHANNELS_AT 4096
#define HERALD_HOST_ENTRIES_AT (HERALD_HOST_CHANNELS_AT + HERALD_HOST_CHANNELS * sizeof(struct herald_host_channel))
#define HERALD_HOST_TEXTS_AT (HERALD_HOST_ENTRIES_AT + HERALD_HOST_NAMES * sizeof(struct herald_host_entry))
#define HERALD_HOST_BLOCKS_AT (HERALD_HOST_TEXTS_AT + (size_t)HERALD_HOST_NAMES * HERALD_HOST_BYTES_PER_NAME)
#define HERALD_HOST_LOG_AT (HERALD_HOST_BLOCKS_AT + HERALD_HOST_NAMES * sizeof(struct herald_host_block))
#define HERALD_HOST_HEADS_AT (HERALD_HOST_LOG_AT + HERALD_HOST_SLOTS * sizeof(uint64_t))
#define HERALD_HOST_HEADS_END (HERALD_HOST_HEADS_AT + (HERALD_HOST_RINGS + 1) * sizeof(struct herald_host_ring))
/* Rings are whole pages, because memory is given back in pages. Pages are 64 KiB on some machines. */
#define HERALD_HOST_RINGS_AT ((HERALD_HOST_HEADS_END + HERALD_HOST_PAGE - 1) / HERALD_HOST_PAGE * HERALD_HOST_PAGE)
#define HERALD_HOST_FILE_SIZE (HERALD_HOST_LOG_AT + HERALD_HOST_SLOTS * sizeof(uint64_t) + ((size_t)256 << 20))
#define HERALD_HOST_SEAL_AT (HERALD_HOST_FILE_SIZE - sizeof(uint64_t))
_Static_assert(HERALD_HOST_RINGS_AT + (size_t)HERALD_HOST_RINGS * HERALD_HOST_RING <= HERALD_HOST_SEAL_AT,
               "there is room for it");
_Static_assert(HERALD_HOST_RINGS_AT % HERALD_HOST_PAGE == 0 && HERALD_HOST_RING % HERALD_HOST_PAGE == 0,
               "a ring is whole pages");

/* The seal is the file's last word. A file that was cut short has lost it, even if the file has its old size again. So
 * has a file in which everything behind the header was punched out. A copied file has the wrong seal, because the copy
 * has another inode. */
static inline uint64_t herald_host_seal_of(uint64_t inode) { return inode ^ UINT64_C(0x6c6165732064610d); }
static inline uint64_t herald_host_seal_in(const struct herald_host_header *header) {
    return *(const _Atomic uint64_t *)(const void *)((const char *)header + HERALD_HOST_SEAL_AT);
}
static inline bool herald_host_header_is_sealed(const struct herald_host_header *header, uint64_t inode) {
    return !HERALD_HOST_STEP(SEAL) || herald_host_seal_in(header) == herald_host_seal_of(inode);
}
/* Whether the file has lost its seal while it was in use. Then the channels and names in it may be gone. */
static inline bool herald_host_header_is_wiped(const struct herald_host_header *header) {
    return HERALD_HOST_STEP(SEAL) && !herald_host_seal_in(header);
}

static inline uint32_t herald_host_region_names(uint32_t region) {
    return (uint32_t)HERALD_HOST_FIRST_NAMES << (2 * region);
}
static inline uint32_t herald_host_region_bytes(uint32_t region) {
    return herald_host_region_names(region) * HERALD_HOST_BYTES_PER_NAME;
}
/* How many places the regions before this one have together. */
static inline uint32_t herald_host_region_first(uint32_t region) {
    return HERALD_HOST_FIRST_NAMES * ((((uint32_t)1 << (2 * region)) - 1) / 3);
}

static inline struct herald_host_channel *herald_host_channel_at(struct herald_host_header *header, uint32_t channel) {
    return (struct herald_host_channel *)((char *)header + HERALD_HOST_CHANNELS_AT) + channel;
}
static inline struct herald_host_entry *herald_host_entry_at(struct herald_host_header *header, uint32_t place) {
    return (struct herald_host_entry *)((char *)header + HERALD_HOST_ENTRIES_AT) + place;
}
static inline struct herald_host_entry *herald_host_region_entries(struct herald_host_header *header, uint32_t region) {
    return herald_host_entry_at(header, herald_host_region_first(region));
}
static inline char *herald_host_region_texts(struct herald_host_header *header, uint32_t region) {
    return (char *)header + HERALD_HOST_TEXTS_AT +
           (size_t)herald_host_region_first(region) * HERALD_HOST_BYTES_PER_NAME;
}

/* The entry's place in the table. HERALD_HOST_NAMES: the entry is NULL, or that of a private name ("self."), which is
 * not in the file. */
static inline uint32_t herald_host_entry_place(struct herald_host_header *header,
                                               const struct herald_host_entry *entry) {
    size_t place = ((uintptr_t)entry - (uintptr_t)header - HERALD_HOST_ENTRIES_AT) / sizeof *entry;
    return place < HERALD_HOST_NAMES ? (uint32_t)place : HERALD_HOST_NAMES;
}

/* The block of an entry. The block of a private name lies behind its entry. */
static inline struct herald_host_block *herald_host_entry_block(struct herald_host_header *header,
                                                                struct herald_host_entry *entry) {
    uint32_t place = herald_host_entry_place(header, entry);
    if (place == HERALD_HOST_NAMES) return (struct herald_host_block *)(entry + 1);
    return (struct herald_host_block *)((char *)header + HERALD_HOST_BLOCKS_AT) + place;
}

static inline _Atomic uint64_t *herald_host_log_slot(struct herald_host_header *header, uint64_t sequence) {
    return (_Atomic uint64_t *)((char *)header + HERALD_HOST_LOG_AT) + sequence % HERALD_HOST_SLOTS;
}
static inline struct herald_host_ring *herald_host_ring_at(struct herald_host_header *header, uint32_t ring) {
    return (struct herald_host_ring *)((char *)header + HERALD_HOST_HEADS_AT) + ring;
}
static inline struct herald_host_record *herald_host_record_at(struct herald_host_header *header, uint32_t ring,
                                                               size_t offset) {
    return (struct herald_host_record *)((char *)header + HERALD_HOST_RINGS_AT + (size_t)ring * HERALD_HOST_RING +
                                         offset);
}

/* The word that has the entry's bit for this channel. NULL: the entry has no such bit. */
static inline _Atomic uint64_t *herald_host_entry_watchers(struct herald_host_header *header,
                                                           struct herald_host_entry *entry, uint32_t channel) {
    if (channel < HERALD_HOST_INLINE_CHANNELS) return NULL;
    if (channel < HERALD_HOST_BLOCK_CHANNELS) return &entry->watchers[(channel - HERALD_HOST_INLINE_CHANNELS) / 64];
    if (!(entry->flags & HERALD_HOST_HAS_BLOCK)) return NULL;
    return &herald_host_entry_block(header, entry)->watchers[(channel - HERALD_HOST_BLOCK_CHANNELS) / 64];
}

/* The group of an entry's name. It is the same in every process, because every process maps the file at the beginning
 * of a page. */
static inline uint32_t herald_host_entry_group(const struct herald_host_entry *entry) {
    return (uint32_t)((uintptr_t)entry / sizeof *entry % HERALD_HOST_GROUPS);
}

#endif
