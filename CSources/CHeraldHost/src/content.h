/* The content of a record (log.h) and of a value (value.h): the message's bytes, and after them the texts name, object
 * and type. How it is written there, and how it is checked and copied out. */
#ifndef HERALD_HOST_CONTENT_H
#define HERALD_HOST_CONTENT_H

#include "layout.h"

struct herald_host_name;
struct herald_host_entry;

/* The fields of a record from `entry` on, in memory of this process's own. They have the names and the layout of struct
 * herald_host_record. */
struct herald_host_fields {
    uint32_t entry, name_sequence, sender, options, hash, length, name, object, type, plain;
    uint64_t identity;
};
_Static_assert(sizeof(struct herald_host_fields) ==
                   sizeof(struct herald_host_record) - offsetof(struct herald_host_record, entry),
               "the fields are those of a record");

/* A post that is to be written to the log. */
struct herald_host_outgoing {
    const char *name;
    const HeraldMessage *message;     /* NULL: a plain post, or one that forgets what is kept */
    struct herald_host_entry *entry;  /* the entry that counts the message; NULL: no entry counts it */
    struct herald_host_fields fields; /* the log sets `name_sequence` and `plain` */
    struct herald_host_value *value;  /* where the message is kept (value.h); NULL: it is not, or it is forgotten */
    const char *object;               /* the message's, or that of what is forgotten; NULL: none */
    bool is_crowded;                  /* the outbox sets it: there is no room in the file for what is kept */
    uint64_t key;                     /* of the cell of a kept post (cell.h); 0: that of `name` and `object` */
    struct herald_host_part part;     /* of a kept post */
};

/* A record or a value that was copied: this struct, the message's bytes (aligned to 8), and the texts, in one block
 * of the heap. The core and the observers get the message as it lies here. */
struct herald_host_received {
    struct herald_host_received *next;
    size_t room; /* the bytes of memory behind the struct */
    uint64_t sequence;
    struct herald_host_fields fields;
    const char *name;
    HeraldMessage message;
    /* Set by inbox.c: */
    const struct herald_host_name *known; /* the name; NULL: this process does not watch it */
    uint32_t follows;                     /* the name's `follows` when the message was read */
    uint64_t number;                      /* of a kept message: see herald_host_inbox_number */
    bool for_all;                         /* for observers of all names, even if the name's own observers have gone */
    bool has_state;                       /* of a plain post: its name has a state, which is `state` */
    uint64_t state;
    /* For a message that is being delivered. The watcher has one reference. Each inbox that keeps it has one more. */
    _Atomic uint32_t references;
};

/* Turns a sequence number into the number that programs get. Lap 0 of the index has no records, so the first sequence
 * number of lap 1 becomes 1. */
static inline uint64_t herald_host_log_number(uint64_t sequence) { return sequence - HERALD_HOST_SLOTS + 1; }

HERALD_BEGIN
/* How many bytes a content with these fields takes. */
size_t herald_host_content_size(const struct herald_host_fields *fields);
void herald_host_content_write(unsigned char *to, const struct herald_host_outgoing *outgoing);

/* Whether the fields are those of a message or a plain post. Then the size is no more than a ring or a slab has. */
bool herald_host_content_is_possible(const struct herald_host_fields *fields);
/* Copies a content with these fields, which are possible, to `*block`, or to a new block if that is NULL or has too
 * little room. NULL: memory is out. The caller then checks that nobody has written there meanwhile, and calls
 * herald_host_content_point. */
struct herald_host_received *herald_host_content_copy(struct herald_host_received **block,
                                                      const struct herald_host_fields *fields,
                                                      const unsigned char *from);
/* Sets the message and the name of a copy. False: a text has no end. */
bool herald_host_content_point(struct herald_host_received *received, uint64_t sequence);
/* Copies a message of this process's memory to a new block, which has one reference. NULL: memory is out. */
struct herald_host_received *herald_host_content_copy_message(const HeraldMessage *message);
/* Gives up a reference, and frees the block with the last one. */
void herald_host_content_release(struct herald_host_received *received);
HERALD_END
#endif
