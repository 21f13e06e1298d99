/* A name as this process knows it: where its entry is, and which observers and tokens want its posts here. */
#ifndef HERALD_HOST_NAME_H
#define HERALD_HOST_NAME_H

#include "entry.h"
#include <string.h>

struct herald_host_feed;

/* Made with the first use of a name, and kept for the life of the process, as a HeraldNameRef is. */
struct herald_host_name {
    HeraldNameRef name;
    const char *text;
    uint32_t length, hash;
    bool is_private; /* "self.": its entry is this process's own */

    struct herald_host_entry *_Atomic entry; /* NULL: there was none when the segment's `changes` was `absent_at` */
    _Atomic uint64_t absent_at;
    _Atomic uint32_t entries; /* how often the name has left a file; raised before `entry` changes */
    _Atomic uint32_t posted;  /* herald_host_session.looks at this process's last post of the name */

    /* Under the session's lock: */
    bool known;             /* this process has begun to use the entry: see herald_host_move_enter */
    bool moved;             /* this process has used an entry in another file before */
    uint64_t base;          /* the entry's count when `known` was set: tokens that used another entry start from here */
    HeraldCenterRef center; /* the host center, if it has observers of the name; otherwise NULL */
    struct herald_host_feed *feeds; /* of tokens with a descriptor */
    uint32_t tokens;                /* with and without a descriptor */
    bool watched;                   /* it is item `index` of a `group` of watched names */
    uint32_t group, index;
    uint64_t pending; /* posts that observers have yet to hear */
    uint64_t untold;  /* posts that feeds have yet to write */
    uint64_t stamp;   /* of the last of these posts */
    bool queued;      /* to be called in this round */
    /* For its messages, see inbox.c: */
    struct herald_host_name *next_followed, **link_followed;
    _Atomic uint32_t follows; /* how often `followed` has ended */
    bool followed;            /* messages are heard here */
    uint64_t since;           /* from this sequence number on */
    uint32_t name_sequence;   /* of the next message */
    uint32_t published;       /* how many messages there were when they were last counted */
    uint8_t joins;            /* how it goes on in the file to which the process has come: enum joins of inbox.c */
    struct herald_host_name *next;
};

HERALD_BEGIN
extern struct herald_host_name *herald_host_names; /* all names; under the session's lock */

/* A hash table that finds a name by its HeraldNameRef, read without a lock. When it grows, the old table stays for
 * threads that are reading it. All old tables together are as large as the newest. */
struct herald_host_table {
    uint32_t mask, count;
    struct herald_host_name *_Atomic places[];
};
extern struct herald_host_table *_Atomic herald_host_table;

static inline uint32_t herald_host_name_place(HeraldNameRef name) {
    return (uint32_t)(((uintptr_t)name >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* NULL: not made yet. Without a lock. */
static inline struct herald_host_name *herald_host_name_find(HeraldNameRef name) {
    const struct herald_host_table *table = herald_host_table;
    if (herald_unlikely(!table)) return NULL;
    for (uint32_t place = herald_host_name_place(name);; place++) {
        struct herald_host_name *found = table->places[place & table->mask];
        if (!found || found->name == name) return found;
    }
}

/* NULL: not made yet. Under the session's lock. */
struct herald_host_name *herald_host_name_by_text(const char *text, uint32_t length, uint32_t hash);

/* Finds or makes the name, under the session's lock. */
HeraldStatus herald_host_name_obtain(HeraldNameRef name, struct herald_host_name **found);

/* Whether the name stays in its process. */
static inline bool herald_host_name_is_private(const char *text) { return strncmp(text, "self.", 5) == 0; }

/* The text's length if it can be a name here; otherwise 0, with a complaint. */
uint32_t herald_host_name_length(const char *text);

/* The HeraldNameRef of any text. Not under the session's lock, because it takes locks of the core's. */
HeraldStatus herald_host_name_create(const char *text, HeraldNameRef *name);

/* Enters the name in the segment, if that is not done. Under the session's lock. HeraldOK without an entry: there is no
 * room. */
HeraldStatus herald_host_name_enter(struct herald_host_name *name, struct herald_host_segment *segment);
/* The process goes to another segment. A name of this process's own keeps its entry. Under the session's lock. */
void herald_host_name_leave(struct herald_host_name *name);
/* The name's entry, if there is one by now. Under the session's lock. */
struct herald_host_entry *herald_host_name_look_up(struct herald_host_name *name, struct herald_host_segment *segment);
HERALD_END
#endif
