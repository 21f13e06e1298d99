/* A name as this process knows it: where its entry is, and which observers and tokens want its posts here. */
#ifndef HERALD_HOST_NAME_H
#define HERALD_HOST_NAME_H

#include "entry.h"
#include "ground_table.h"
#include <string.h>

struct herald_host_feed;

/* Made at the first use of a name, and kept for the life of the process, as a HeraldNameRef is. */
struct herald_host_name {
    HeraldNameRef name;
    const char *text;
    uint32_t length, hash;
    bool is_private; /* it begins with "self.", and its entry is in this process's memory */

    struct herald_host_entry *_Atomic entry; /* NULL: there was none when the header's `changes` was `absent_at` */
    _Atomic uint64_t absent_at;
    _Atomic uint32_t entries; /* how often the name has left a file; counted before `entry` changes */
    _Atomic uint32_t posted;  /* what herald_host_session.looks was at this process's last post of the name */

    /* Under the session's lock: */
    bool known;             /* this process has begun to use the entry: see herald_host_move_enter */
    bool moved;             /* this process has used the name in an earlier file */
    uint64_t base;          /* the entry's count when `known` was set: tokens that used another entry start from here */
    uint64_t version;       /* of the newest change of its observers that was noted (transport.h) */
    HeraldCenterRef center; /* the host center, if it has observers of the name; otherwise NULL */
    struct herald_host_feed *feeds; /* the feeds of tokens that have a descriptor */
    uint32_t tokens;                /* how many tokens, with and without a descriptor */
    bool watched;                   /* it is item `index` of group `group` in watched.c */
    uint32_t group, index;
    uint64_t pending; /* posts that observers have yet to hear */
    uint64_t untold;  /* posts that feeds have yet to write */
    uint64_t stamp;   /* of the newest of these posts */
    bool queued;      /* it waits in the current round (watched.c) */
    /* For the name's messages (inbox.c): */
    struct herald_host_name *next, **link; /* in the list of followed names */
    _Atomic uint32_t follows;              /* how often `followed` has become false */
    bool followed;                         /* this process hears the name's messages */
    uint64_t since;                        /* it hears them from this sequence number on */
    uint32_t name_sequence;                /* the name sequence of the next message */
    uint32_t published;                    /* the entry's `logged` when it was last read */
    bool begins;                           /* it has had an observer that began with what is kept (host_kept.h) */
    uint8_t joins;                         /* how `name_sequence` goes on after a move: enum joins of inbox.c */
};

HERALD_BEGIN
/* The names, found by HeraldNameRef. ground_table_get takes no lock; all else is under the session's lock. */
extern struct ground_table herald_host_names;

static inline bool herald_host_name_is_of(const void *name, const void *ref) {
    return ((const struct herald_host_name *)name)->name == ref;
}

/* Finds this process's record of a name. NULL: not made yet. Takes no lock. */
static inline struct herald_host_name *herald_host_name_find(HeraldNameRef name) {
    return ground_table_get(&herald_host_names, ground_mix((uintptr_t)name), herald_host_name_is_of, name);
}

/* Finds this process's record of a name by its text. NULL: not made yet. Under the session's lock. */
struct herald_host_name *herald_host_name_by_text(const char *text, uint32_t length, uint32_t hash);

/* Finds or makes the name, under the session's lock. */
HeraldStatus herald_host_name_obtain(HeraldNameRef name, struct herald_host_name **found);

/* Whether the name stays in its process. */
static inline bool herald_host_name_is_private(const char *text) { return strncmp(text, "self.", 5) == 0; }

/* Returns the text's length. If the text cannot be a name here, returns 0, with a complaint. */
uint32_t herald_host_name_length(const char *text);

/* Makes the HeraldNameRef of a text. Not under the session's lock, because this takes locks of the core's. */
HeraldStatus herald_host_name_create(const char *text, HeraldNameRef *name);

/* Enters the name in the segment, unless that was done already. If the segment has no room for the name, returns
 * HeraldOK and leaves `entry` NULL. Under the session's lock. */
HeraldStatus herald_host_name_enter(struct herald_host_name *name, struct herald_host_segment *segment);
/* Gives up the name's entry, because the process goes to another segment. A private name keeps its entry. Under the
 * session's lock. */
void herald_host_name_leave(struct herald_host_name *name);
/* Looks for the name's entry in the segment. NULL: there is none yet. Under the session's lock. */
struct herald_host_entry *herald_host_name_look_up(struct herald_host_name *name, struct herald_host_segment *segment);
HERALD_END
#endif
