/* The layout of the file that all processes of a user share.
 *
 * The file consists of a header, the channels, the name table, room for a log, and room for what is kept. The file's
 * size never changes. The
 * file is sparse: each part gets its memory (herald_host_segment_fill) before anything refers to the part. The name
 * table has four regions, each four times as large as the one before. A region is taken into use when the regions
 * before it have no place for a name. The file's name contains the number HERALD_HOST_LAYOUT. Any change of the layout
 * needs another number.
 *
 * Nothing in the file is trusted, because any program of the user's may write to it. The file contains no pointers,
 * only offsets, and each offset is checked before it is used.
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
    HERALD_HOST_GROUPS = 64, /* names are divided into groups; a channel has a mark for each group in which a name has
                                changed (channel.h) */
};

/* The ranges of channels: the first number of each range, and who sleeps at a channel of the range. A process locks the
 * byte of the file that has its channel's number. (For entries and their blocks, see below.)
 *
 *      0                                 one process that observes all names, or all names under a prefix
 *      HERALD_HOST_ANY_SHARED_CHANNELS   several such processes
 *      HERALD_HOST_INLINE_CHANNELS       one process; the entries of watched names have a bit for the channel
 *      HERALD_HOST_BLOCK_CHANNELS        one process; the blocks of watched names have a bit for the channel
 *      HERALD_HOST_SHARED_CHANNELS       several processes; the blocks of watched names have a bit for the channel
 *
 * Every post wakes the channels of the first two ranges. So entries and blocks have no bits for these channels.
 */
enum {
    HERALD_HOST_ANY_SHARED_CHANNELS = 60,
    HERALD_HOST_INLINE_CHANNELS = 64,
    HERALD_HOST_BLOCK_CHANNELS = 256,
    HERALD_HOST_SHARED_CHANNELS = 4032,
    HERALD_HOST_CHANNELS = 4096,
    HERALD_HOST_MOVE_LOCK = HERALD_HOST_CHANNELS, /* another byte: a process locks it while it replaces this file */
    HERALD_HOST_RING_LOCKS, /* the byte that the owner of ring 0 locks; the bytes of the other rings follow */
};

/* The log of messages: see log.h. */
enum {
    HERALD_HOST_SLOTS = 8192, /* words of the log's index */
    HERALD_HOST_RINGS = 255, /* an index word has 8 bits for a ring's number; the number 255 marks the end of the log */
    HERALD_HOST_BORROWED = 4,   /* how many rings are lent, each for one message at a time; they are the last ones */
    HERALD_HOST_RING = 1 << 20, /* bytes */
    HERALD_HOST_PAGE = 1 << 16, /* the largest page size of any machine */
    HERALD_HOST_MESSAGE_LIMIT = 65536,
    HERALD_HOST_TEXTS_LIMIT = 1024, /* bytes of a message's object and type together */
};

/* What is kept: see cell.h and value.h. */
enum {
    HERALD_HOST_CELLS = 32768, /* a cell is used by one name and object, as long as the file is in use */
    HERALD_HOST_CELL_PLACES = 2 * HERALD_HOST_CELLS,
    HERALD_HOST_CELLS_AT_ONCE = 4096, /* for which memory is taken at once */
    HERALD_HOST_SLABS = 512,          /* a slab is divided into values of one size */
    HERALD_HOST_SLAB = 128 << 10,     /* bytes */
    HERALD_HOST_VALUE_UNIT = 64,      /* bytes; the smallest values have twice as many */
    HERALD_HOST_VALUE_CLASSES = 11,   /* values of 128 bytes to 128 KiB */
    HERALD_HOST_VALUES = HERALD_HOST_SLABS * (HERALD_HOST_SLAB / HERALD_HOST_VALUE_UNIT)
};

struct herald_host_header {
    char magic[8];
    uint32_t layout, header_size, channels, names, first_names, bytes_per_name;
    uint32_t incompatible; /* bits for features that a process must know to use the file */
    uint32_t compatible;   /* bits for features that a process need not know */
    uint64_t size;         /* of the file */

    /* Every post reads this cache line. `changes` grows when a process begins to use a name in this file. When
     * `changes` has grown, posts look again for names that were not in the table before. */
    _Alignas(HERALD_LINE) _Atomic uint64_t changes;
    _Atomic uint64_t any; /* a bit for each of the first 64 channels that has a process; while one is set, all posts
                             are logged */
    _Atomic uint32_t superseded; /* enum herald_host_superseded; only grows */
    _Atomic uint32_t regions;    /* regions in use, 1 to 4 */
    _Atomic uint32_t expecting;  /* all messages are kept until this time (herald_host_clock_seconds), because processes
                                    may still be on the way to this new file; 0: the time is over */

    _Alignas(HERALD_LINE) _Atomic uint64_t clock; /* the newest stamp: how many posts of watched names there were */
    _Atomic uint64_t tail;                        /* the log's next sequence number, or the number before it (log.h) */
    _Atomic uint64_t first; /* the log's first sequence number (log.h); 0 stands for HERALD_HOST_SLOTS */
    _Atomic uint32_t log;   /* enum herald_host_log */
    _Atomic uint32_t plain; /* how many plain posts (posts without a message) the log has had */
    /* A line is a series of files. Each file has replaced the file before it, and continues its sequence numbers and
     * counts. `line` is the time at which the line began (nanoseconds since boot). `origin` is the line's first
     * sequence number; 0 stands for `first`. */
    _Atomic uint64_t line, origin;

    _Alignas(HERALD_LINE) _Atomic uint32_t bytes_used[HERALD_HOST_REGIONS]; /* by the texts in each region */
    _Atomic uint64_t carried; /* inode ^ `line` of the file from which all states (entry.h), and all that was kept, have
                                 been copied */
    _Atomic uint64_t crowded; /* when the table was last found full (herald_host_clock_seconds); 0: never */
    _Atomic uint64_t changes_of_channels; /* how often a reader of the log has gone to another channel (ring.c) */
    _Atomic uint32_t deserted; /* 1: processes may have gone to a file in another folder, and may come back */
    _Atomic uint32_t keeps;    /* 1: herald_host_keeping and the cells' places have memory */
};

/* The stages of a file. A file never goes back to an earlier stage. SUPERSEDED: another file is to replace this file.
 * Posts that are written here are written again to the other file, and so are the states of names (entry.h). CARRIED: a
 * process has copied the states to the other file. The copies may have been changed since then. LEFT: all processes
 * that slept in this file have been woken. */
enum herald_host_superseded {
    HERALD_HOST_NOT_SUPERSEDED,
    HERALD_HOST_SUPERSEDED,
    HERALD_HOST_CARRIED,
    HERALD_HOST_LEFT
};

/* UNUSED: the log was never opened. OPEN: the index and the rings' heads have memory. CLOSED: the file was superseded
 * while its log was UNUSED, so no message is ever written to the log. (An OPEN log stays OPEN. The word END in its
 * index ends it.) */
enum herald_host_log { HERALD_HOST_LOG_UNUSED, HERALD_HOST_LOG_OPEN, HERALD_HOST_LOG_CLOSED };

/* A channel: one process or several processes sleep here (see the ranges). */
struct herald_host_channel {
    _Atomic uint32_t sequence; /* the futex; every wake changes it */
    _Atomic uint32_t armed;    /* odd: the process sleeps, or is about to sleep; each arming has another number */
    _Atomic uint64_t groups;   /* a mark for each group of names in which a name has changed */
    _Atomic uint32_t owner;    /* the process's number; 0: no process is here, and no name has a bit for this channel */
    uint32_t reserved;
    _Atomic uint64_t reading; /* the process reads no record with a lower sequence number; 0: it may read any record */
    uint64_t unused[4];
};

/* An entry: a name's record. `name` is 0 while the entry is free. The word `name` is written once, after the text to
 * which it leads. */
struct herald_host_entry {
    _Atomic uint64_t name; /* offset of the name's text << 32 | length of the text << 22 | 22 bits of the name's hash */
    _Atomic uint64_t posts; /* how many plain posts the name has had */
    _Atomic uint64_t state;
    _Atomic uint64_t stamp; /* the stamp of the newest post that found the name watched */
    _Atomic uint32_t flags;
    _Atomic uint32_t logged; /* how many messages of this name the log has had (log.h) */
    /* A bit for each channel of the range that begins at HERALD_HOST_INLINE_CHANNELS. */
    _Atomic uint64_t watchers[(HERALD_HOST_BLOCK_CHANNELS - HERALD_HOST_INLINE_CHANNELS) / 64];
};
enum {
    HERALD_HOST_HAS_STATE = 1,       /* a process has set the state, perhaps to 0 */
    HERALD_HOST_HAS_BLOCK = 2,       /* the entry's block has memory */
    HERALD_HOST_HAS_OLDER_STATE = 4, /* the state was set before the file's line began, and was copied */
    HERALD_HOST_MESSAGE = 8,         /* one message in the count of messages, which is the upper 29 bits */
};

/* The block of an entry: bits for the channels from HERALD_HOST_BLOCK_CHANNELS on. The summary has a bit for each word
 * of `watchers` that was ever used. */
struct herald_host_block {
    _Atomic uint64_t summary;
    _Atomic uint64_t watchers[(HERALD_HOST_CHANNELS - HERALD_HOST_BLOCK_CHANNELS) / 64];
    uint64_t reserved[3];
};

/* The head of a ring. Only the process that has the ring's lock writes to the ring. A record is complete before any
 * process can find it. A position in a ring counts all bytes since the ring's first use, so it only grows. */
struct herald_host_ring {
    _Alignas(HERALD_LINE) _Atomic uint64_t intent; /* the ring was written, or is being written, up to this position */
    _Atomic uint32_t ready;                        /* 1: the ring has memory; changed under the ring's lock */
    /* What the ring's owner is doing with values (value.h). If it is killed, the next owner finishes it. */
    _Atomic uint32_t hand; /* the value that it is about to claim, or has claimed; 0: none */
    _Atomic uint64_t
        old; /* generation << 32 | number of the value in whose place it is about to put another; 0: none */
};

/* A record: a message or a plain post in a ring. The message's bytes follow the record. Then come the texts name,
 * object and type, each with a NUL. Another program may have written anything here. */
struct herald_host_record {
    _Atomic uint64_t sequence, position; /* of this record; a reader compares them with the numbers that led it here */
    _Atomic uint32_t entry;              /* the place of the name's entry; HERALD_HOST_NAMES: no entry is in the file */
    _Atomic uint32_t name_sequence;      /* the entry's `logged` before this record */
    _Atomic uint32_t sender, options;    /* the poster's process number; the post's options, or HERALD_HOST_IS_PLAIN */
    _Atomic uint32_t hash;               /* of the name */
    /* Bytes of the message, and of each text with its NUL. 0 for a text: there is no such text. */
    _Atomic uint32_t length, name, object, type;
    _Atomic uint32_t plain;    /* the header's `plain` before this record */
    _Atomic uint64_t identity; /* the poster's; only the process with this identity hears a private name ("self.") */
};
enum herald_host_record_option {
    HERALD_HOST_IS_PLAIN = 1 << 27, /* a plain post, which is logged for processes that observe all names */
    HERALD_HOST_IS_KEPT = 1 << 28,  /* a part of this kind follows the record: struct herald_host_part */
    HERALD_HOST_IS_SILENT = 1 << 29 /* nobody hears it: it forgets what is kept, or keeps what another file kept */
};

/* Follows a record that is kept, before the message's bytes. */
struct herald_host_part {
    uint32_t cell, value, generation; /* value 0: the cell's value is forgotten */
    uint32_t if_empty;                /* 1: only if no record of this line has put anything into the cell */
};

/* A cell: what is kept for one name and object. */
struct herald_host_cell {
    _Atomic uint64_t key;  /* a hash of name and object; 0: the cell is not used yet */
    _Atomic uint64_t word; /* lower 40 bits of the sequence number of the record that was put here last << 24 | number
                              of its value. Number 0: it was forgotten; then the 40 bits are all set if they would be
                              all 0. 0: nothing was put here */
    _Atomic uint32_t name; /* the name's hash */
    uint32_t reserved;
};

/* A value: the memory of a message that is kept, or free memory. The message's bytes follow, then the texts, as in a
 * record. Another program may have written anything here. */
struct herald_host_value {
    _Atomic uint64_t owner; /* generation << 32 | enum herald_host_value_owner; each claim has another generation */
    _Atomic uint64_t sequence;
    _Atomic uint32_t cell, sender, options, hash;
    _Atomic uint32_t length, name, object, type; /* as in a record */
    _Atomic uint32_t name_sequence;              /* that of its record */
    uint32_t reserved;
};
enum herald_host_value_owner {
    HERALD_HOST_VALUE_FREE,
    HERALD_HOST_VALUE_PUBLISHED, /* it is, or was, in its cell */
    HERALD_HOST_VALUE_HELD = 256 /* + number of the ring whose owner has claimed it */
};

/* The head of what is kept. */
struct herald_host_keeping {
    _Atomic uint32_t cells;   /* how many were ever used: the first ones */
    _Atomic uint32_t ready;   /* a bit for each HERALD_HOST_CELLS_AT_ONCE cells that have memory */
    _Atomic uint32_t crowded; /* when there was last no room (herald_host_clock_seconds); 0: never */
    uint32_t reserved[13];
    _Atomic uint32_t classes[HERALD_HOST_SLABS];      /* 1 + the class of each slab's values; 0: it is not used yet */
    _Atomic uint32_t places[HERALD_HOST_CELL_PLACES]; /* 1 + the number of a cell, found by its key's hash; 0: free */
};

_Static_assert(sizeof(struct herald_host_part) == 16, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_cell) == 24, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_value) == 56, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_ring) == HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_record) == HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_header) == 4 * HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_channel) == HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_entry) == HERALD_LINE, "the layout is fixed");
_Static_assert(sizeof(struct herald_host_block) == 8 * HERALD_LINE, "the layout is fixed");

/* The word `name` of an entry that no name may use. No text has the length in this word. */
#define HERALD_HOST_CLOSED UINT64_MAX

/* Offsets in the file. */
#define HERALD_HOST_CHANNELS_AT 4096
#define HERALD_HOST_ENTRIES_AT (HERALD_HOST_CHANNELS_AT + HERALD_HOST_CHANNELS * sizeof(struct herald_host_channel))
#define HERALD_HOST_TEXTS_AT (HERALD_HOST_ENTRIES_AT + HERALD_HOST_NAMES * sizeof(struct herald_host_entry))
#define HERALD_HOST_BLOCKS_AT (HERALD_HOST_TEXTS_AT + (size_t)HERALD_HOST_NAMES * HERALD_HOST_BYTES_PER_NAME)
#define HERALD_HOST_LOG_AT (HERALD_HOST_BLOCKS_AT + HERALD_HOST_NAMES * sizeof(struct herald_host_block))
#define HERALD_HOST_HEADS_AT (HERALD_HOST_LOG_AT + HERALD_HOST_SLOTS * sizeof(uint64_t))
#define HERALD_HOST_HEADS_END (HERALD_HOST_HEADS_AT + (HERALD_HOST_RINGS + 1) * sizeof(struct herald_host_ring))
/* A ring begins and ends at a page's boundary, because memory is given back in pages. Some machines have pages of 64
 * KiB. */
#define HERALD_HOST_RINGS_AT ((HERALD_HOST_HEADS_END + HERALD_HOST_PAGE - 1) / HERALD_HOST_PAGE * HERALD_HOST_PAGE)
#define HERALD_HOST_KEEPING_AT (HERALD_HOST_RINGS_AT + (size_t)HERALD_HOST_RINGS * HERALD_HOST_RING)
#define HERALD_HOST_CELLS_AT (HERALD_HOST_KEEPING_AT + sizeof(struct herald_host_keeping))
#define HERALD_HOST_CELLS_END (HERALD_HOST_CELLS_AT + HERALD_HOST_CELLS * sizeof(struct herald_host_cell))
#define HERALD_HOST_SLABS_AT ((HERALD_HOST_CELLS_END + HERALD_HOST_PAGE - 1) / HERALD_HOST_PAGE * HERALD_HOST_PAGE)
#define HERALD_HOST_FILE_SIZE (HERALD_HOST_SLABS_AT + (size_t)HERALD_HOST_SLABS * HERALD_HOST_SLAB + HERALD_HOST_PAGE)
#define HERALD_HOST_SEAL_AT (HERALD_HOST_FILE_SIZE - sizeof(uint64_t))
_Static_assert(HERALD_HOST_RINGS_AT % HERALD_HOST_PAGE == 0 && HERALD_HOST_RING % HERALD_HOST_PAGE == 0,
               "a ring is whole pages");

/* The seal is the file's last word. If a file was cut short, the seal is gone, even if the file has its old size again.
 * The seal is also gone if everything behind the header was punched out. A copy of a file has the wrong seal, because
 * the copy has another inode. */
static inline uint64_t herald_host_seal_of(uint64_t inode) { return inode ^ UINT64_C(0x6c6165732064610d); }
static inline uint64_t herald_host_seal_in(const struct herald_host_header *header) {
    return *(const _Atomic uint64_t *)(const void *)((const char *)header + HERALD_HOST_SEAL_AT);
}
static inline bool herald_host_header_is_sealed(const struct herald_host_header *header, uint64_t inode) {
    return !HERALD_HOST_STEP(SEAL) || herald_host_seal_in(header) == herald_host_seal_of(inode);
}
/* Whether the file has lost its seal while it was in use. If so, its channels and names may be gone, too. */
static inline bool herald_host_header_is_wiped(const struct herald_host_header *header) {
    return HERALD_HOST_STEP(SEAL) && !herald_host_seal_in(header);
}

static inline uint32_t herald_host_region_names(uint32_t region) {
    return (uint32_t)HERALD_HOST_FIRST_NAMES << (2 * region);
}
static inline uint32_t herald_host_region_bytes(uint32_t region) {
    return herald_host_region_names(region) * HERALD_HOST_BYTES_PER_NAME;
}
/* The number of places in all regions before this one. */
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

/* Returns the entry's place in the table. Returns HERALD_HOST_NAMES if the entry is NULL, or if the name is private
 * ("self."): the entry of a private name is not in the file. */
static inline uint32_t herald_host_entry_place(struct herald_host_header *header,
                                               const struct herald_host_entry *entry) {
    size_t place = ((uintptr_t)entry - (uintptr_t)header - HERALD_HOST_ENTRIES_AT) / sizeof *entry;
    return place < HERALD_HOST_NAMES ? (uint32_t)place : HERALD_HOST_NAMES;
}

/* Returns the block of an entry. The block of a private name follows its entry in the process's own memory. */
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

static inline struct herald_host_keeping *herald_host_keeping_of(struct herald_host_header *header) {
    return (struct herald_host_keeping *)((char *)header + HERALD_HOST_KEEPING_AT);
}
static inline struct herald_host_cell *herald_host_cell_at(struct herald_host_header *header, uint32_t cell) {
    return (struct herald_host_cell *)((char *)header + HERALD_HOST_CELLS_AT) + cell;
}

/* Returns the word with the entry's bit for this channel, or NULL if the entry has no bit for it. */
static inline _Atomic uint64_t *herald_host_entry_watchers(struct herald_host_header *header,
                                                           struct herald_host_entry *entry, uint32_t channel) {
    if (channel < HERALD_HOST_INLINE_CHANNELS) return NULL;
    if (channel < HERALD_HOST_BLOCK_CHANNELS) return &entry->watchers[(channel - HERALD_HOST_INLINE_CHANNELS) / 64];
    if (!(entry->flags & HERALD_HOST_HAS_BLOCK)) return NULL;
    return &herald_host_entry_block(header, entry)->watchers[(channel - HERALD_HOST_BLOCK_CHANNELS) / 64];
}

/* Returns the group of an entry's name. It is the same in every process, because every process maps the file at the
 * beginning of a page. */
static inline uint32_t herald_host_entry_group(const struct herald_host_entry *entry) {
    return (uint32_t)((uintptr_t)entry / sizeof *entry % HERALD_HOST_GROUPS);
}

#endif
