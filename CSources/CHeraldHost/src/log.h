/* The log: the messages of all processes. All readers see them in the same order. The scheme: a lock-free queue with
 * many writers and many readers, in which a slow reader loses the oldest records. As in Michael and Scott's queue, any
 * process may help to move the tail. As with a seqlock, a reader copies a record, and then checks whether a writer has
 * written over the record in the meantime.
 *
 *      ring    memory for records. Only the process that has the kernel's lock on the ring writes to it. A record is
 *              complete before any process can find it.
 *      index   a circle of 64-bit words. Each sequence number has a word there. A lap is once round the circle; the
 *              next lap uses the same words again. The bits of a word, from the highest to the lowest: lap (26), group
 *              of the name (6), ring (8), position in the ring divided by 64 (24). A process publishes a record by one
 *              compare-and-swap, which replaces a word of an earlier lap. So there are no holes: each sequence number
 *              before the end of the log has a record.
 *      tail    the sequence number of the next record to publish. Just after a publication it is still the number of
 *              the record just published. A process that finds a published record at the tail adds 1 to `logged` of
 *              the record's name, and then moves the tail on. So when a record is published, all older records have
 *              been counted, and the record's name_sequence is the exact number of older records of its name. The
 *              number is exact even if a process was killed or stopped at any point. A plain post (a post without a
 *              message) is counted in the header's `plain`, and not in `logged`. What a record keeps is put into its
 *              cell in the same step (cell.h). A silent record is not counted.
 *      first   the first sequence number of a file. A file that continues a line (layout.h) begins where the previous
 *              file ended. The first file of a line begins at a number that no file of this boot can have reached
 *              (segment.c). Readers do not count skipped numbers as lost records.
 *      reader  has a cursor in its own memory. It copies a record, and then reads `intent`, by which the ring's owner
 *              announces where it writes next. If the owner may have written over the record, the copy is not used, and
 *              the record is lost to this reader. The cursor counts the lost records. The name sequences show how many
 *              records of each name were lost.
 *
 * Ordering: Everything is sequentially consistent, with two exceptions: a record's fields and bytes are relaxed, and
 * `intent` is raised by a release store. A writer raises `intent`, passes a release fence, and then writes the first
 * byte of the new record. A reader copies the last byte of a record, passes an acquire fence, and then reads `intent`
 * again. If any byte of the copy comes from the new record, the reader finds `intent` raised. Tests/Model/host_log.c
 * models this.
 */
#ifndef HERALD_HOST_LOG_H
#define HERALD_HOST_LOG_H

#include "content.h"
#include "segment.h"

enum herald_host_written {
    HERALD_HOST_WRITTEN,
    HERALD_HOST_LOG_ENDS,   /* the log has ended: no message can be written to this file any more */
    HERALD_HOST_NOT_WRITTEN /* another program has spoilt the index */
};

enum herald_host_read {
    HERALD_HOST_READ_IT,      /* a record was copied */
    HERALD_HOST_READ_NOTHING, /* no newer record has been published */
    HERALD_HOST_READ_ON       /* no record was copied yet; the caller should call again */
};

struct herald_host_cursor {
    struct herald_host_header *header;
    uint64_t next; /* the sequence number of the next record to read */
    uint64_t lost; /* how many records were gone before this reader came to them */
};

HERALD_BEGIN
/* Opens the log: takes memory for the index and the rings' heads. Also returns HeraldOK if the log is closed. */
HeraldStatus herald_host_log_open(struct herald_host_segment *segment);
/* Ends the log for good: nothing can be published after this call. Readers still get what was published before. */
void herald_host_log_close(struct herald_host_header *header);

/* Puts what was published into its cell (cell.h), for a process that has just locked the ring. */
void herald_host_log_help(struct herald_host_header *header, uint32_t ring);
/* Whether a kept record was published at the tail, and is perhaps not in its cell yet. */
bool herald_host_log_pending(struct herald_host_header *header, struct herald_host_part *part, uint64_t *sequence);

/* Makes the log of a new file continue the log of the old file, which must be closed. The new file then belongs to the
 * old file's line (layout.h). */
void herald_host_log_continue(struct herald_host_header *old, struct herald_host_header *fresh);

static inline bool herald_host_log_is_open(const struct herald_host_header *header) {
    return header->log == HERALD_HOST_LOG_OPEN;
}

/* Writes a record to a ring that the process has locked, and publishes it. Within a process, one thread at a time may
 * make this call. */
enum herald_host_written herald_host_log_write(struct herald_host_header *header, uint32_t ring,
                                               const struct herald_host_outgoing *outgoing);

/* Returns a cursor at the end of the log, for a new reader. */
struct herald_host_cursor herald_host_log_end(struct herald_host_header *header);
/* Returns a cursor at the beginning of the log, for a reader that comes from an earlier file. */
struct herald_host_cursor herald_host_log_beginning(struct herald_host_header *header);

/* Copies the next record whose name is in one of these groups. `groups` has a bit for each group: bit number hash %
 * HERALD_HOST_GROUPS. The copy goes to `*block`, memory of an earlier read, or to a new block if `*block` is NULL or
 * has too little room. The block belongs to the caller, also if nothing was read. Without memory the record is lost. */
enum herald_host_read herald_host_log_read(struct herald_host_cursor *cursor, uint64_t groups,
                                           struct herald_host_received **block);

/* Whether the index leads to a record in this ring with sequence number `oldest` or a later one. The caller makes sure
 * that nothing is published in the ring during the call. */
bool herald_host_log_leads_to(struct herald_host_header *header, uint32_t ring, uint64_t oldest);
HERALD_END
#endif
