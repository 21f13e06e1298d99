/* The log: messages of all processes, in one order for all who read it. The scheme: a lock-free queue of many writers
 * and readers that may lose the oldest. Helpers move the tail (Michael and Scott), and a reader copies and then looks
 * whether it was overtaken, as in a seqlock.
 *
 *      ring    memory that one process at a time writes to: the one that has the kernel's lock on it. A record is
 *              complete there before anybody can find it.
 *      index   a word for each sequence number, in a circle: {lap 26 | group 6 | ring 8 | position / 64 24}. A record
 *              is published by one compare-and-swap of its word, from an earlier lap to its own. So there are no
 *              holes, and the difference of two sequence numbers is the number of records between them.
 *      tail    the next sequence number, or one less. A process that finds a record published at the tail counts it in
 *              `logged` of the record's name, and then moves the tail. So all older records have been counted before a
 *              record is published, and its name_sequence is exactly how many of its name came before it, whichever
 *              process was killed or stopped, and where. Plain posts in the log are counted in the header's `plain`, as
 *              if they were the messages of one more name.
 *      first   Sequence numbers only rise. A file that comes in another's place goes on where that one has ended. Any
 *              other file begins at a number that no file of this boot can have reached (segment.c): such a jump is no
 *              loss.
 *      reader  a private cursor, and nothing in the file. It copies a record, and then looks whether the ring's owner
 *              has announced in the meantime that it writes over the record. A slow reader loses the oldest records.
 *              The cursor counts how many records were lost, and the name sequences show how many of each name.
 *
 * Ordering: All of it is sequentially consistent, except a record's bytes, which are relaxed. So a writer raises
 * `intent` (release is enough) and passes a release fence before it writes the first byte. A reader looks at `intent`
 * again after the last byte and an acquire fence: if it has copied a new byte, it finds the intent raised.
 * Tests/Model/host_log.c is a model of this.
 */
#ifndef HERALD_HOST_LOG_H
#define HERALD_HOST_LOG_H

#include "segment.h"

/* A post that is to be written. */
struct herald_host_outgoing {
    const char *name;
    uint32_t length, hash;           /* of the name */
    uint32_t size, object, type;     /* sizes: of the message's bytes; of its texts with their 0; 0: no text */
    uint32_t place;                  /* of the entry; HERALD_HOST_NAMES: none in the file */
    struct herald_host_entry *entry; /* in which the post is counted; NULL: none */
    const HeraldMessage *message;    /* NULL: a plain post */
    uint32_t sender, flags;          /* `flags`: the message's options, or HERALD_HOST_IS_PLAIN */
    uint64_t identity;               /* the sender's */
};

/* Where this process writes its next record. The process has the ring's lock. */
struct herald_host_writer {
    uint32_t ring;
    uint64_t position;
};

enum herald_host_written {
    HERALD_HOST_WRITTEN,
    HERALD_HOST_LOG_ENDS,   /* no more messages are written to this file */
    HERALD_HOST_NOT_WRITTEN /* the index has been spoilt */
};

/* A copy of a record. */
struct herald_host_record_copy {
    uint64_t sequence, identity;
    uint32_t entry, name_sequence, sender, flags, hash;
    uint32_t plain;                      /* how many plain posts came before it */
    uint32_t length, name, object, type; /* sizes, as in the record */
    const unsigned char *bytes;          /* aligned to 8 */
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
    uint64_t next; /* the next sequence number */
    uint64_t lost; /* records that were gone before they were read */
};

enum {
    HERALD_HOST_RECORD_LIMIT = sizeof(struct herald_host_record) + HERALD_HOST_MESSAGE_LIMIT + HERALD_HOST_NAME_LIMIT +
                               HERALD_HOST_TEXTS_LIMIT + 3
};

/* The public form of a sequence number. It leaves out the first lap of the index, which has no records. */
static inline uint64_t herald_host_log_number(uint64_t sequence) { return sequence - HERALD_HOST_SLOTS + 1; }

HERALD_BEGIN
/* Takes memory for the index and the rings' heads. HeraldOK also when the log is closed. */
HeraldStatus herald_host_log_open(struct herald_host_segment *segment);
/* Ends the log for good: all processes read what was published before, and nothing can be published after it. */
void herald_host_log_close(struct herald_host_header *header);

/* The new file's log goes on where the old file's log, which has been closed, has ended: it is of the same line. */
void herald_host_log_continue(struct herald_host_header *old, struct herald_host_header *fresh);
/* The first sequence number of the file's line. */
uint64_t herald_host_log_origin(const struct herald_host_header *header);

static inline bool herald_host_log_is_open(const struct herald_host_header *header) {
    return header->log == HERALD_HOST_LOG_OPEN;
}

/* Writes and publishes a record. Callers take turns within a process. */
enum herald_host_written herald_host_log_write(struct herald_host_header *header, struct herald_host_writer *writer,
                                               const struct herald_host_outgoing *outgoing);

/* Where a reader begins: at the end, or at the beginning if it comes from the file that this one has replaced. */
struct herald_host_cursor herald_host_log_end(struct herald_host_header *header);
struct herald_host_cursor herald_host_log_beginning(struct herald_host_header *header);

/* Copies the next record of one of these groups of names. `copy` and what it points to are valid until the next call.
 * Callers take turns. */
enum herald_host_read herald_host_log_read(struct herald_host_cursor *cursor, uint64_t groups,
                                           struct herald_host_record_copy *copy);

/* Whether a record from `oldest` on lies in the ring. Nothing is published in the ring during the call. */
bool herald_host_log_leads_to(struct herald_host_header *header, uint32_t ring, uint64_t oldest);

static inline uint64_t herald_host_log_group(uint32_t hash) { return UINT64_C(1) << hash % HERALD_HOST_GROUPS; }
HERALD_END
#endif
