/* Reading the log for the names that this process watches, and counting the messages that it has lost.
 *
 * Loss is counted in one of two ways:
 *
 * 1. While only certain names are heard, each name counts its own loss. A record has a name_sequence: how many messages
 * of its name came before it. So the name's next message shows a gap. But if a reader was overtaken, there may be no
 * next message. So the reader reads the names' counts (`logged`), then reads the log to its end, and then compares. All
 * messages in the counts were published before this reading began, so each of them has been read or is lost.
 *
 * 2. While all names are heard, the cursor counts the loss: the records that it has leapt over are lost, whatever their
 * names. Plain posts (posts without a message) of watched names are the exception. They are not lost, because the
 * names' own counts report them (watched.c). All plain posts in the log share one name_sequence, in which a gap shows
 * how many of the lost records were plain posts.
 *
 * Only herald_host_inbox_hear_all changes from one way to the other, at one place of the log. To come to this place, it
 * reads the names' counts and then the log to its end, and repeats both until nothing was lost in between. Then the old
 * way has counted everything before this place, and the new way knows each name's name_sequence there. In another file
 * of the same line (layout.h) sequence numbers and counts go on, so both ways go on, too, even if this process has
 * missed files in between. Tests/Model/host_loss.c is a model of this.
 *
 * Ordering: see log.h.
 * Progress: herald_host_inbox_fill reads a bounded part of the log.
 * Ownership: All is under the session's lock. A received message has memory of its own.
 */
#include "inbox.h"
#include "feed.h"
#include "identity.h"
#include "writer.h"
#include "session.h"
#include <stdlib.h>
#include <string.h>

enum {
    FEW = 64,             /* messages that one pass reads */
    LITTLE = 256 << 10,   /* bytes that one pass reads */
    RECORDS = 1024,       /* records that one pass looks at */
    MOST_BYTES = 16 << 20 /* most bytes that wait to be heard */
};

static struct {
    struct herald_host_cursor cursor; /* without a header: nothing is watched, unless `moves` */
    bool moves;                       /* the process has left a file, and has not come to the next one yet */
    bool began;                       /* the cursor began at the file's beginning */
    uint64_t compared;                /* the cursor's `lost` when the names' counts were last compared */
    uint64_t missed, told;            /* messages that were lost, and how many of them were reported to an observer */
    struct herald_host_received *first, **last;
    uint32_t count;
    size_t bytes;
    bool drops;                                    /* goes on reading without room, and drops what does not fit */
    bool hears_all;                                /* this process hears the posts of all names, also plain ones */
    uint64_t all_since;                            /* it hears them from this sequence number on */
    uint64_t owed;                                 /* records lost since `all_since` that are not in `missed` yet */
    uint32_t plain;                                /* the name_sequence of the next plain post */
    uint32_t published;                            /* how many plain posts have been published, as far as is known */
    const struct herald_host_plain_counts *counts; /* the names' counts of plain posts */
    uint64_t line, next;                           /* of the last file: its line, and where the cursor left it */
} inbox = {.last = &inbox.first};

/* How a name's name_sequence goes on after the process has come to another file. */
enum joins {
    JOINED,
    GOES_ON,   /* the file is of the same line: the count goes on, unless the name was not carried over */
    COMES_LATE /* what was posted before the process came is not heard */
};

static struct herald_host_name *followed;        /* the names whose messages are heard */
static uint32_t followed_in[HERALD_HOST_GROUPS]; /* how many of them are in each group of the log's index */
static uint64_t followed_groups;                 /* the groups that have any of them */

static uint64_t groups(void) { return inbox.hears_all ? UINT64_MAX : followed_groups; }

/* How far `to` is ahead of `from`; 0 if it is not. Counts wrap. */
static uint32_t gap_between(uint32_t from, uint32_t to) { return (int32_t)(to - from) > 0 ? to - from : 0; }

static void list(struct herald_host_name *name) {
    uint32_t group = name->hash % HERALD_HOST_GROUPS;
    name->next_followed = followed;
    name->link_followed = &followed;
    if (followed) followed->link_followed = &name->next_followed;
    followed = name;
    followed_in[group]++;
    followed_groups |= UINT64_C(1) << group;
}
static void take_off_list(struct herald_host_name *name) {
    uint32_t group = name->hash % HERALD_HOST_GROUPS;
    *name->link_followed = name->next_followed;
    if (name->next_followed) name->next_followed->link_followed = name->link_followed;
    if (--followed_in[group] == 0) followed_groups &= ~(UINT64_C(1) << group);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static void begin(struct herald_host_cursor cursor) {
    inbox.cursor = cursor;
    inbox.line = cursor.header->line; /* read now, because the file may be cut short before the process leaves it */
    inbox.compared = 0;
    inbox.moves = inbox.began = false;
}
static void stop(bool moves) {
    inbox.cursor.header = NULL;
    inbox.moves = moves;
}

/* Reads the log's end, and then the name's count. So the count contains all messages that will not be heard, and
 * perhaps a few that will be. */
static void begin_name(struct herald_host_name *name, struct herald_host_header *header) {
    struct herald_host_cursor end = herald_host_log_end(header);
    if (!inbox.cursor.header) begin(end);
    name->since = end.next;
    name->name_sequence =
        name->is_private ? herald_host_writer_logged(name->entry) : ((struct herald_host_entry *)name->entry)->logged;
}

void herald_host_inbox_follow(struct herald_host_name *name, struct herald_host_header *header) {
    const struct herald_host_entry *entry = name->entry;
    enum joins joins = (enum joins)name->joins;
    if (name->followed && joins == JOINED) return;
    name->joins = JOINED;
    if (!name->followed || joins == COMES_LATE) begin_name(name, header);
    if (joins == GOES_ON && gap_between(entry->logged, name->name_sequence))
        name->name_sequence = 0; /* the name was not carried over */
    if (name->followed) return;
    name->followed = true;
    list(name);
}

static void join(enum joins joins) {
    for (struct herald_host_name *name = followed; name; name = name->next_followed)
        if (!name->is_private) name->joins = (uint8_t)joins;
}

/* Reads on in the same line: from this file's beginning, or from where the cursor left the previous file, whichever is
 * later. */
static void continue_line(struct herald_host_cursor beginning, struct herald_host_cursor end) {
    uint64_t between = beginning.next - inbox.next; /* records of files in which this process has never been */
    bool late = (int64_t)between < 0 && inbox.next > end.next;
    if ((int64_t)between >= 0) {
        if (HERALD_HOST_STEP(ARRIVAL)) inbox.owed += inbox.hears_all ? between : 0;
        begin(beginning);
        inbox.began = true;
    } else {
        end.next = late ? end.next : inbox.next;
        begin(end);
    }
    join(late ? COMES_LATE : GOES_ON);
    if (late) inbox.plain = end.header->plain;
}

/* Reads a newer line from this file's beginning. This process has read nothing of the line, so the records of the
 * line's earlier files are lost. */
static void begin_line(struct herald_host_cursor beginning) {
    uint64_t before = beginning.next - herald_host_log_origin(beginning.header);
    inbox.plain = 0;
    if (inbox.hears_all && (int64_t)before > 0) inbox.owed += before;
    begin(beginning);
    inbox.began = true;
    join(JOINED);
    for (struct herald_host_name *name = followed; name; name = name->next_followed)
        if (!name->is_private) name->name_sequence = 0;
}

/* In a file of the same line the counts go on. A file of a newer line is read from its beginning. An older line was in
 * use before, by this process or by others: what was posted there in the meantime is not for this process. */
void herald_host_inbox_arrive(struct herald_host_header *header) {
    if (inbox.cursor.header || !groups()) return;
    if (!inbox.moves) { /* only in the child of a fork */
        herald_host_inbox_hear_all(header, inbox.counts);
        return;
    }
    struct herald_host_cursor end = herald_host_log_end(header), beginning = herald_host_log_beginning(header);
    inbox.all_since = 0;
    if (header->line == inbox.line) {
        continue_line(beginning, end);
    } else if (header->line > inbox.line || !HERALD_HOST_STEP(LINE)) {
        begin_line(beginning);
    } else {
        begin(end);
        join(COMES_LATE);
        inbox.plain = header->plain;
    }
    inbox.compared = UINT64_MAX; /* makes the next read compare: the counts show what was lost between the two files */
}

bool herald_host_inbox_hears_whole_file(void) { return inbox.cursor.header && inbox.began; }

void herald_host_inbox_miss(uint64_t posts) { inbox.missed += posts; }

void herald_host_inbox_forget(struct herald_host_name *name) {
    if (!name->followed) return;
    name->followed = false;
    name->joins = JOINED;
    name->follows++; /* messages that were read before are not for later observers */
    take_off_list(name);
    if (!groups()) stop(false);
}

/* ---- Loss -------------------------------------------------------------------------------------------------------- */

/* Notes that `published` messages of the name have been published. Those from `name->name_sequence` on were not read,
 * and are lost. */
static void pass(struct herald_host_name *name, uint32_t published) {
    uint32_t gap = gap_between(name->name_sequence, published);
    if (!gap) return;
    if (HERALD_HOST_STEP(MISSED) && !inbox.hears_all) inbox.missed += gap;
    if (name->feeds) herald_host_feeds_write(name, gap);
    name->name_sequence = published;
}

/* Notes that `published` plain posts have been published. Those from `inbox.plain` on were not read, and are among the
 * lost records. */
static void pass_plain(uint32_t published) {
    uint64_t lost = inbox.owed, plain = gap_between(inbox.plain, published);
    if (plain > lost) plain = lost; /* this happens only if another process has spoilt a count */
    inbox.owed = 0;
    inbox.plain = published;
    if (HERALD_HOST_STEP(MISSED)) inbox.missed += lost - (plain ? inbox.counts->finds(plain) : 0);
}

/* Reads the counts. Returns how many records had been lost before. Records that are lost later may not be in the
 * counts. */
static uint64_t read_counts(void) {
    uint64_t lost = inbox.cursor.lost;
    inbox.published = inbox.cursor.header->plain;
    for (struct herald_host_name *name = followed; name; name = name->next_followed)
        if (name->entry) name->published = ((struct herald_host_entry *)name->entry)->logged;
    return lost;
}
static void compare_counts(uint64_t lost) {
    for (struct herald_host_name *name = followed; name; name = name->next_followed)
        if (name->entry && name->joins == JOINED) pass(name, name->published);
    if (inbox.hears_all && inbox.cursor.lost == lost) pass_plain(inbox.published);
    inbox.compared = lost;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static const char *text_at(const char **at, uint32_t size) {
    const char *text = *at;
    *at += size;
    return size ? text : NULL;
}

/* Makes a received message from a copy of a record. `name` NULL: the watcher looks the name up by its text. Returns
 * NULL when there is no memory. */
static struct herald_host_received *receive(const struct herald_host_record_copy *copy,
                                            const struct herald_host_name *name) {
    size_t texts = copy->name + copy->object + copy->type, bytes = (size_t)(copy->text - (const char *)copy->bytes);
    struct herald_host_received *received = malloc(sizeof *received + bytes + texts);
    if (!received) return NULL;
    char *at = (char *)(received + 1);
    const char *text = at + bytes;
    memcpy(at, copy->bytes, bytes + texts);
    *received = (struct herald_host_received){.known = name,
                                              .follows = name ? (uint32_t)name->follows : 0,
                                              .text = text_at(&text, copy->name),
                                              .plain = copy->flags & HERALD_HOST_IS_PLAIN,
                                              .size = sizeof *received + bytes + texts,
                                              .message = {.size = sizeof(HeraldMessage),
                                                          .object = text_at(&text, copy->object),
                                                          .type = text_at(&text, copy->type),
                                                          .bytes = at,
                                                          .length = copy->length,
                                                          .sequence = herald_host_log_number(copy->sequence),
                                                          .missed = inbox.missed - inbox.told,
                                                          .sender = copy->sender,
                                                          .options = copy->flags & HeraldPostDeliverImmediately}};
    return received;
}

static void append(struct herald_host_received *received) {
    *inbox.last = received;
    inbox.last = &received->next;
    inbox.count++;
    inbox.bytes += received->size;
}

/* The record's name, if this process hears the record as a message of a watched name; otherwise NULL. */
static struct herald_host_name *follower(const struct herald_host_record_copy *copy) {
    struct herald_host_name *name = herald_host_name_by_text(copy->text, copy->name - 1, copy->hash);
    return name && name->followed && copy->sequence >= name->since ? name : NULL;
}

static void count_message(struct herald_host_name *name, const struct herald_host_record_copy *copy) {
    if (copy->entry == HERALD_HOST_NAMES && !name->is_private) return;
    if (name->joins != COMES_LATE) pass(name, copy->name_sequence);
    name->name_sequence = copy->name_sequence + 1; /* it may go back, in a file that counts from 0 again */
}

/* Raises the known number of published plain posts to what the record shows. While all names are heard, also counts
 * this record as read. */
static void count_record(const struct herald_host_record_copy *copy) {
    uint32_t plain = copy->plain + !!(copy->flags & HERALD_HOST_IS_PLAIN);
    if (gap_between(inbox.published, plain)) inbox.published = plain;
    if (!inbox.hears_all) return;
    if (inbox.owed) pass_plain(copy->plain);
    inbox.plain = plain;
}

/* Drops a post, because there is no room for it. A plain post of a watched name is not lost if the name's count reports
 * it. */
static void drop(const struct herald_host_name *name, bool plain) {
    if (!name || !plain) inbox.missed++;
    if (name && plain) inbox.missed += 1 - inbox.counts->finds(1);
}

static void hear(const struct herald_host_record_copy *copy) {
    bool plain = copy->flags & HERALD_HOST_IS_PLAIN, all = inbox.hears_all && copy->sequence >= inbox.all_since;
    count_record(copy);
    if (herald_host_name_is_private(copy->text) && copy->identity != herald_host_identity()) return;
    struct herald_host_name *name = follower(copy);
    if (plain && !all) return; /* the name's count reports this post */
    bool room = !inbox.drops || inbox.bytes < MOST_BYTES, heard = all || (name && name->center);
    if (name && !plain) count_message(name, copy);
    if (name && plain && room && !inbox.counts->hears(name)) return;
    if (name && name->feeds && (room || !plain)) herald_host_feeds_write(name, 1);
    if (!heard) return;
    struct herald_host_received *received = room ? receive(copy, name) : NULL;
    if (received) {
        inbox.told = inbox.missed;
        received->for_all = all;
        append(received);
    } else if (room) {
        inbox.missed++; /* there is no memory */
    } else {
        drop(name, plain);
    }
}

/* The limits of a read: how many messages may wait to be heard, how many bytes they may have, and how many records are
 * looked at. */
struct bounds {
    uint32_t count;
    size_t bytes;
    uint32_t records;
};

/* Reads records of the `wanted` groups (see herald_host_log_read), within the bounds. False: there is more to read. */
static bool read_until(uint64_t wanted, struct bounds bounds) {
    struct herald_host_record_copy copy;
    for (; inbox.count < bounds.count && inbox.bytes < bounds.bytes && bounds.records; bounds.records--) {
        uint64_t lost = inbox.cursor.lost;
        enum herald_host_read read = herald_host_log_read(&inbox.cursor, wanted, &copy);
        if (inbox.hears_all) inbox.owed += inbox.cursor.lost - lost;
        if (read == HERALD_HOST_READ_ON) continue;
        if (read != HERALD_HOST_READ_IT) return true;
        hear(&copy);
    }
    return false;
}

static bool read_and_compare(struct bounds bounds) {
    if (!inbox.cursor.header) return true;
    bool was_overtaken = inbox.cursor.lost != inbox.compared;
    uint64_t lost = was_overtaken ? read_counts() : 0;
    bool whole = read_until(groups(), bounds);
    if (whole && was_overtaken) compare_counts(lost);
    return whole && inbox.cursor.lost == inbox.compared;
}

bool herald_host_inbox_fill(void) { return read_and_compare((struct bounds){FEW, LITTLE, RECORDS}); }

/* Reads until the end of the log is reached and the counts contain all that was lost. Then each name's name_sequence is
 * the number of its messages before the cursor. False: there is no room for more, or others write faster than this
 * process reads. */
static bool settle(uint64_t wanted, size_t most_bytes) {
    enum { TIMES = 64 };
    if (!inbox.cursor.header) return true;
    for (int i = 0; i < TIMES && inbox.bytes < most_bytes; i++) {
        uint64_t lost = read_counts();
        if (!read_until(wanted, (struct bounds){UINT32_MAX, most_bytes, 2 * HERALD_HOST_SLOTS})) continue;
        compare_counts(lost);
        if (inbox.cursor.lost == lost) return true;
    }
    return false;
}

/* Settles without a limit: messages for which there is no room are dropped, and counted as missed. All groups are read,
 * because plain posts of all groups are counted. */
static void settle_all(void) {
    inbox.drops = true;
    settle(UINT64_MAX, SIZE_MAX);
    inbox.drops = false;
    inbox.missed += inbox.owed;
    inbox.owed = 0;
}

void herald_host_inbox_settle(void) { settle_all(); }

void herald_host_inbox_hear_all(struct herald_host_header *header, const struct herald_host_plain_counts *counts) {
    if (header && !inbox.cursor.header) begin(herald_host_log_end(header));
    if (HERALD_HOST_STEP(SETTLE)) settle_all();
    inbox.hears_all = header != NULL;
    inbox.counts = counts;
    inbox.plain = inbox.published;
    inbox.all_since = inbox.cursor.next;
    if (!groups()) stop(false);
}

void herald_host_inbox_leave(void) {
    settle_all();
    for (struct herald_host_name *name = followed; name; name = name->next_followed) name->since = 0;
    if (inbox.cursor.header) inbox.next = inbox.cursor.next;
    stop(inbox.moves || inbox.cursor.header);
}

uint64_t herald_host_inbox_position(const struct herald_host_header *header) {
    return inbox.cursor.header == header ? inbox.cursor.next : 0;
}

uint64_t herald_host_inbox_missed(void) {
    settle(groups(), MOST_BYTES);
    return inbox.missed;
}

/* ---- Taking out -------------------------------------------------------------------------------------------------- */

struct herald_host_received *herald_host_inbox_take(void) {
    struct herald_host_received *first = inbox.first;
    inbox.first = NULL;
    inbox.last = &inbox.first;
    inbox.count = 0;
    inbox.bytes = 0;
    return first;
}

void herald_host_inbox_put_back(struct herald_host_received *first) {
    struct herald_host_received *newer = inbox.first, **end = &first;
    for (; *end; end = &(*end)->next) {
        inbox.count++;
        inbox.bytes += (*end)->size;
    }
    *end = newer;
    inbox.first = first;
    if (!newer) inbox.last = first ? end : &inbox.first;
}

/* In the child of a fork: drops what the parent has read. The child has heard nothing yet, and so missed nothing. */
void herald_host_inbox_after_fork(void) {
    for (struct herald_host_received *received = herald_host_inbox_take(), *next; received; received = next) {
        next = received->next;
        free(received);
    }
    while (followed) herald_host_inbox_forget(followed);
    inbox.missed = inbox.told = inbox.owed = 0;
    stop(false);
}
