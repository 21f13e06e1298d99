/* The log: messages of all processes, in one order for all who read it.
 *
 *      ring   memory that one process at a time writes to, which the kernel's lock says. A record is complete there
 *              before anybody can find it.
 *      index   a word for each sequence number, in a circle: {lap 26 | group 6 | ring 8 | position / 64 24}. A record
 * is published by one compare-and-swap of its word, from an earlier lap to its own. So there are no holes, and the
 * difference of two sequence numbers is the number of records between them. tail    the next sequence number, or one
 * behind. Whoever finds it behind counts the record there in its name's `logged`, and then moves it: so before a record
 * is published all older ones have been counted, and a record's name_sequence is exactly how many of its name came
 * before it, whoever was killed or stopped where. Plain posts in the log are counted in the header's `plain`, as the
 * messages of one more name. first   Sequence numbers only rise. A file that comes in another's place goes on where
 * that has ended; any other begins at a number that no file of this boot can have reached (segment.c): such a jump is
 * no loss. reader  a private cursor, and nothing in the file. It copies a record, and then looks whether the ring's
 * owner has announced meanwhile that it writes over it. A slow reader loses the oldest; the cursor counts how many
 * records, the name sequences how many of each name.
 *
 * Ordering. All of it is sequentially consistent, but for a record's bytes, which are relaxed. So before the first byte
 * `intent` is raised (release is enough), with a release fence behind it; a reader looks at `intent` again after the
 * last byte and an acquire fence. One of the two sees the other. Tests/Model/host_log.c is this as a model.
 */
#ifndef HERALD_HOST_LOG_H
#define HERALD_HOST_LOG_H

#include "segment.h"

/* What is written. */
struct herald_host_outgoing {
    const char *name;
    uint32_t length, hash;           /* of the name */
    uint32_t size, object, type;     /* of the message: its bytes; its texts with their 0, and 0 for none */
    uint32_t place;                  /* of the entry; HERALD_HOST_NAMES: none in the file */
    struct herald_host_entry *entry; /* in which it is counted; NULL: none */
    const HeraldMessage *message;    /* NULL: a plain post */
    uint32_t sender, flags;          /* of the message's options, or HERALD_HOST_IS_PLAIN */
    uint64_t identity;               /* the sender's */
};

/* Where the next record can be written: this process's, with the ring's lock. */
struct herald_host_writer {
    uint32_t ring;
    uint64_t position;
};

enum herald_host_written {
    HERALD_HOST_WRITTEN,
    HERALD_HOST_LOG_ENDS,   /* there are to be no messages in this file any more */
    HERALD_HOST_NOT_WRITTEN /* the index has been spoilt */
};

/* A record, copied. */
struct herald_host_record_copy {
    uint64_t sequence, identity;
    uint32_t entry, name_sequence, sender, flags, hash;
    uint32_t plain;                      /* how many plain posts came before it */
    uint32_t length, name, object, type; /* sizes, as in the record */
    const unsigned char *bytes;          /* aligned */
    const char *text;                    /* behind them: the name, object and type, each with its 0 */
};

enum herald_host_read {
    HERALD_HOST_READ_IT,
    HERALD_HOST_READ_NOTHING,
    HERALD_HOST_READ_END,
    HERALD_HOST_READ_ON /* not at the end yet */
};

struct herald_host_cursor {
    struct herald_host_header *header;
    uint64_t next; /* sequence number */
    uint64_t lost; /* records that were gone */
};

enum {
    HERALD_HOST_RECORD_LIMIT = sizeof(struct herald_host_record) + HERALD_HOST_MESSAGE_LIMIT + HERALD_HOST_NAME_LIMIT +
                               HERALD_HOST_TEXTS_LIMIT + 3
};

/* What is public of a sequence number: the first lap of the index is none. */
static inline uint64_t herald_host_log_number(uint64_t sequence) { return sequence - HERALD_HOST_SLOTS + 1; }

HERALD_BEGIN
/* Takes memory for the index and the heads. HeraldOK also when it is closed. */
HeraldStatus herald_host_log_open(struct herald_host_segment *segment);
/* Ends it for good: what was published before is read by all, and nothing can be published after it. */
void herald_host_log_close(struct herald_host_header *header);

/* The new file's goes on where the old one's, which has been closed, has ended: it is of the same line. */
void herald_host_log_continue(struct herald_host_header *old, struct herald_host_header *fresh);
/* The first sequence number of the header's line. */
uint64_t herald_host_log_origin(const struct herald_host_header *header);

static inline bool herald_host_log_is_open(const struct herald_host_header *header) {
    return header->log == HERALD_HOST_LOG_OPEN;
}

/* Writes and publishes. Callers take turns within a process. */
enum herald_host_written herald_host_log_write(struct herald_host_header *header, struct herald_host_writer *writer,
                                               const struct herald_host_outgoing *outgoing);

/* The end, or the beginning: for who has come in place of another file's. */
struct herald_host_cursor herald_host_log_end(struct herald_host_header *header);
struct herald_host_cursor herald_host_log_beginning(struct herald_host_header *header);

/* Copies the next record of one of these groups of names. `copy` and what it points to are valid until the next call;
 * callers take turns. */
enum herald_host_read herald_host_log_read(struct herald_host_cursor *cursor, uint64_t groups,
                                           struct herald_host_record_copy *copy);

/* Whether a record from `oldest` on lies in the ring, in which nothing is published meanwhile. */
bool herald_host_log_leads_to(struct herald_host_header *header, uint32_t ring, uint64_t oldest);

static inline uint64_t herald_host_log_group(uint32_t hash) { return UINT64_C(1) << hash % HERALD_HOST_GROUPS; }
HERALD_END
#endif
