/* The log: messages of all processes, in one order for all who read it. The scheme: a lock-free queue with many writers
 * and many readers, in which a slow reader loses the oldest records. As in Michael and Scott's queue, helpers move the
 * tail. As with a seqlock, a reader copies a record and then checks whether it was overtaken.
 *
 *      ring    memory that one process at a time writes to: the process that has the kernel's lock on it. A record is
 *              complete there before anybody can find it.
 *      index   a circle of words, one for each sequence number: {lap 26 | group 6 | ring 8 | position / 64 24}, in
 *              bits. One compare-and-swap of the word, from an earlier lap to this one, publishes the record. So there
 *              are no holes, and the difference of two sequence numbers is the number of records between them.
 *      tail    the next sequence number, or one less. A process that finds a published record at the tail counts it in
 *              `logged` of the record's name, and then moves the tail. So when a record is published, all older ones
 *              have been counted, and its name_sequence is exactly how many records of its name came before it. This
 *              holds wherever a process was killed or stopped. Plain posts (posts without a message) in the log are
 *              counted in the header's `plain`, as if they were the messages of one more name.
 *      first   the first sequence number of a file. Sequence numbers only rise. A file that replaces another goes on
 *              where the other ended. Any other file begins at a number that no file of this boot can have reached
 *              (segment.c): such a jump is no loss.
 *      reader  a cursor in the process's own memory. A reader copies a record, and then checks `intent`: has the ring's
 *              owner announced in the meantime that it writes over the record? A slow reader loses the oldest records.
 *              The cursor counts the lost records, and the name sequences show how many of each name were lost.
 *
 * Ordering: Everything is sequentially consistent, except a record's fields and bytes, which are relaxed, and the
 * raising of `intent`. A writer raises `intent` (release is enough), passes a release fence, and then writes the first
 * byte. A reader passes an acquire fence after the last byte, and then reads `intent` again. If the reader has copied a
 * new byte, it finds `intent` raised. Tests/Model/host_log.c is a model of this.
 */
#ifndef HERALD_HOST_LOG_H
#define HERALD_HOST_LOG_H

#include "segment.h"

/* A post that is to be written. */
struct herald_host_outgoing {
    const char *name;
    uint32_t length, hash;           /* of the name */
    uint32_t size, object, type;     /* bytes of the message, and of its two texts with their final 0 (0: no text) */
    uint32_t place;                  /* the entry's place; HERALD_HOST_NAMES: none in the file */
    struct herald_host_entry *entry; /* the entry that counts the message; NULL: none */
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
    const char *text;                    /* behind the bytes: the name, object and type, each with its 0 */
};

enum herald_host_read {
    HERALD_HOST_READ_IT,
    HERALD_HOST_READ_NOTHING,
    HERALD_HOST_READ_END,
    HERALD_HOST_READ_ON /* nothing was copied, but the end has not been reached */
};

struct herald_host_cursor {
    struct herald_host_header *header;
    uint64_t next; /* the sequence number of the next record to read */
    uint64_t lost; /* records that were gone before this reader came to them */
};

enum {
    HERALD_HOST_RECORD_LIMIT = sizeof(struct herald_host_record) + HERALD_HOST_MESSAGE_LIMIT + HERALD_HOST_NAME_LIMIT +
                               HERALD_HOST_TEXTS_LIMIT + 3
};

/* The public form of a sequence number. Lap 0 of the index has no records, so 1 stands for the first number of lap
 * 1. */
static inline uint64_t herald_host_log_number(uint64_t sequence) { return sequence - HERALD_HOST_SLOTS + 1; }

HERALD_BEGIN
/* Opens the log: takes memory for the index and the rings' heads. HeraldOK also if the log is closed. */
HeraldStatus herald_host_log_open(struct herald_host_segment *segment);
/* Ends the log for good. Processes still read what was published before; nothing can be published after it. */
void herald_host_log_close(struct herald_host_header *header);

/* Makes the new file's log go on where the old file's log, which must be closed, has ended. The new file is then of the
 * same line (layout.h). */
void herald_host_log_continue(struct herald_host_header *old, struct herald_host_header *fresh);
/* The first sequence number of the file's line. */
uint64_t herald_host_log_origin(const struct herald_host_header *header);

static inline bool herald_host_log_is_open(const struct herald_host_header *header) {
    return header->log == HERALD_HOST_LOG_OPEN;
}

/* Writes and publishes a record. One caller at a time within a process. */
enum herald_host_written herald_host_log_write(struct herald_host_header *header, struct herald_host_writer *writer,
                                               const struct herald_host_outgoing *outgoing);

/* The end of the log: where a new reader begins. */
struct herald_host_cursor herald_host_log_end(struct herald_host_header *header);
/* The beginning of the log: where a reader begins that comes from an earlier file. */
struct herald_host_cursor herald_host_log_beginning(struct herald_host_header *header);

/* Copies the next record of these groups of names (bits: see herald_host_log_group). `copy` and the memory that it
 * points to are valid until the next call. One caller at a time. */
enum herald_host_read herald_host_log_read(struct herald_host_cursor *cursor, uint64_t groups,
                                           struct herald_host_record_copy *copy);

/* Whether the ring has a record with sequence number `oldest` or a later one. The caller makes sure that nothing is
 * published in the ring during the call. */
bool herald_host_log_leads_to(struct herald_host_header *header, uint32_t ring, uint64_t oldest);

static inline uint64_t herald_host_log_group(uint32_t hash) { return UINT64_C(1) << hash % HERALD_HOST_GROUPS; }
HERALD_END
#endif
