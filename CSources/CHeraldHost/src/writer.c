/* Taking a ring, and writing to it.
 *
 * Ordering: A ring's lock orders what the ring's owners do, one owner after another. A ring's memory is there before
 * the ring's `ready` is set.
 * Progress: The mutex is held while a record is copied and published, and while a ring is taken or borrowed. A ring is
 * taken with the process's first message in a file. Borrowing lasts some milliseconds at most. The mutex is never held
 * while a process is woken.
 * Ownership: A mapping of the file keeps the ring's lock, as for channels (herald_host_file_keep). A child of a fork
 * does not have the mapping.
 */
#include "writer.h"
#include "ring.h"
#include "host_complaint.h"
#include "session.h"
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 100, TURN = 100000 /* nanoseconds */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    struct herald_host_segment *segment; /* NULL: no ring */
    struct herald_host_writer writer;
    void *kept; /* the mapping that keeps the ring's lock */
} mine;

/* A ring to write to: this process's own, or a borrowed one. */
struct loan {
    int file; /* the file through which the ring was borrowed; -1: the ring is this process's own */
    struct herald_host_writer writer;
};

/* Begins where the ring's last owner left off, at the next cache line. */
static struct herald_host_writer writer_at(struct herald_host_header *header, uint32_t ring) {
    uint64_t intent = herald_host_ring_at(header, ring)->intent;
    return (struct herald_host_writer){ring, (intent + HERALD_LINE - 1) & ~(uint64_t)(HERALD_LINE - 1)};
}

static HeraldStatus full(const struct herald_host_segment *segment) {
    return herald_host_complain(HeraldQueueFull, "%s has no room for a message now", segment->path);
}

/* Takes a ring of this process's own. After a failure it tries again only in the next second, because a look at all
 * rings takes longer than borrowing one. */
static bool take_own(struct herald_host_segment *segment, int file) {
    static time_t tried;
    uint32_t ring;
    time_t now = time(NULL);
    if (tried == now || herald_host_ring_own(segment, file, &ring) != HERALD_HOST_RING_LOCKED ||
        !(mine.kept = herald_host_file_keep(file))) {
        tried = now;
        return false;
    }
    mine.segment = segment;
    mine.writer = writer_at(segment->header, ring);
    return true;
}

/* Tries for a while, because a ring that another process has borrowed is free again soon. */
static HeraldStatus borrow(struct herald_host_segment *segment, struct loan *loan) {
    uint32_t ring;
    enum herald_host_ring_found found = HERALD_HOST_RING_BUSY;
    for (int i = 0; found == HERALD_HOST_RING_BUSY && i < TURNS; i++) {
        if (i) nanosleep(&(struct timespec){.tv_nsec = TURN}, NULL);
        found = herald_host_ring_borrow(segment, loan->file, &ring);
    }
    if (found == HERALD_HOST_RING_LOCKED) loan->writer = writer_at(segment->header, ring);
    return found == HERALD_HOST_RING_LOCKED ? HeraldOK : full(segment);
}

static void give_up_own(void) {
    if (mine.segment) herald_host_file_give_up(mine.kept);
    mine.segment = NULL;
}

static HERALD_SLOW HeraldStatus find(struct herald_host_segment *segment, struct loan *loan) {
    give_up_own();
    HeraldStatus status = herald_host_log_open(segment);
    if (status != HeraldOK) return full(segment);
    loan->file = herald_host_segment_reopen(segment);
    if (loan->file < 0) return HeraldTransportFailed;
    if (!take_own(segment, loan->file)) return borrow(segment, loan);
    herald_host_file_discard(loan->file); /* the mapping keeps the open file */
    loan->file = -1;
    return HeraldOK;
}

/* The next two functions make system calls that are cancellation points. */
static HERALD_SLOW HeraldStatus find_uncanceled(struct herald_host_segment *segment, struct loan *loan) {
    int cancelable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    HeraldStatus status = find(segment, loan);
    pthread_setcancelstate(cancelable, NULL);
    return status;
}
static HERALD_SLOW void give_back(const struct loan *loan) {
    int cancelable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    herald_host_file_discard(loan->file);
    pthread_setcancelstate(cancelable, NULL);
}

HeraldStatus herald_host_writer_write(struct herald_host_segment *segment, const struct herald_host_outgoing *outgoing,
                                      enum herald_host_written *written) {
    struct loan loan = {.file = -1};
    *written = HERALD_HOST_LOG_ENDS;
    pthread_mutex_lock(&lock);
    HeraldStatus status = HeraldOK;
    /* The session must still have this segment. Otherwise the segment's memory may belong to another segment by now
     * (see herald_host_writer_leave). */
    if (herald_host_session.segment == segment && segment->header->log != HERALD_HOST_LOG_CLOSED &&
        !herald_host_header_is_wiped(segment->header)) {
        if (herald_unlikely(mine.segment != segment)) status = find_uncanceled(segment, &loan);
        if (status == HeraldOK && segment->header->log != HERALD_HOST_LOG_CLOSED)
            *written = herald_host_log_write(segment->header, mine.segment ? &mine.writer : &loan.writer, outgoing);
        if (loan.file >= 0) give_back(&loan);
    }
    if (*written == HERALD_HOST_WRITTEN && outgoing->entry && outgoing->place == HERALD_HOST_NAMES)
        outgoing->entry->logged++; /* a private name ("self."): no other process counts its messages */
    pthread_mutex_unlock(&lock);
    if (status == HeraldOK && *written == HERALD_HOST_NOT_WRITTEN)
        return herald_host_complain(HeraldTransportFailed, "%s is damaged: herald reset replaces it", segment->path);
    return status;
}

uint32_t herald_host_writer_logged(struct herald_host_entry *entry) {
    pthread_mutex_lock(&lock);
    uint32_t logged = entry->logged;
    pthread_mutex_unlock(&lock);
    return logged;
}

void herald_host_writer_leave(void) {
    pthread_mutex_lock(&lock);
    give_up_own();
    pthread_mutex_unlock(&lock);
}

void herald_host_writer_before_fork(void) { pthread_mutex_lock(&lock); }
void herald_host_writer_in_parent(void) { pthread_mutex_unlock(&lock); }
void herald_host_writer_in_child(void) {
    mine.segment = NULL;
    pthread_mutex_unlock(&lock);
}
