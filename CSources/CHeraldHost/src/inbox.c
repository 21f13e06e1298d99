/* Reads the log (log.h) for the names that this process watches, and counts the messages that this process has lost. A
 * message is lost if its record is overwritten before this process reads it.
 *
 * Loss is counted in one of two ways:
 *
 * 1. While this process hears only certain names, it counts the lost messages of each of these names. A record has a
 * name_sequence: how many messages of its name came before it. If messages of a name were lost, the name's next record
 * shows a gap. But the lost messages may be the name's last, and then no record shows the gap. So a process that has
 * lost records first reads each name's count of published messages (`logged` in the entry). Then it reads the log to
 * its end. By then every message that the counts include has been read or is lost. Last, the process compares the
 * counts with what it has read.
 *
 * 2. While this process hears all names, it counts lost records, of whatever name. Plain posts (posts without a
 * message) of watched names are the exception. The log may lose their records, but the names' own counts report the
 * posts (watched.c). A record's `plain` is how many plain posts came before it. So the process learns from two records
 * how many of the records lost between them were plain posts.
 *
 * Only herald_host_inbox_hear_all changes from one way to the other. First it reads the names' counts, and then the log
 * to its end. It repeats these two steps until no record is lost during them. Then the old way has counted every loss
 * up to the cursor, and the new way begins at the cursor with the right name_sequence for each name.
 * Tests/Model/host_loss.c is a model of this.
 *
 * From one file to another of the same line (layout.h), sequence numbers and counts go on. So both ways go on, too,
 * even if this process was never in some of the files between the two.
 *
 * Ordering: see log.h.
 * Progress: herald_host_inbox_fill reads a bounded part of the log.
 * Ownership: All state here is under the session's lock. A record is read into a block. If it is heard, the block is
 * the watcher's; otherwise it is used for the next record.
 */
#include "inbox.h"
#include "current.h"
#include "ground_list.h"
#include "feed.h"
#include "identity.h"
#include "outbox.h"
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
    struct herald_host_cursor cursor;   /* the header is NULL while nothing is watched, and while `moves` */
    bool moves;                         /* the process has left a file, and has not come to the next one yet */
    bool began;                         /* the cursor began at the file's beginning */
    uint64_t compared;                  /* what `cursor.lost` was when the names' counts were last compared */
    uint64_t missed, told;              /* `missed` messages were lost; `told` of them were reported to an observer */
    struct herald_host_received *spare; /* the block for the next read; NULL: none */
    struct herald_host_received *first, **last;
    uint32_t count;
    size_t bytes;
    bool drops;                                    /* messages for which there is no room are read and dropped */
    bool hears_all;                                /* this process hears all names, messages and plain posts */
    uint64_t all_since;                            /* the sequence number from which on it hears all names */
    uint64_t owed;                                 /* lost records that `missed` does not count yet */
    uint32_t plain;                                /* how many plain posts came before the cursor */
    uint32_t published;                            /* the highest known number of published plain posts */
    const struct herald_host_plain_counts *counts; /* asks the names' counts about plain posts */
    uint64_t line, next; /* the line of the cursor's last file; where the cursor left that file */
    /* Added to the numbers of kept posts, which never go back in a process, also when it comes to an older file. */
    uint64_t added;
    uint64_t mend_from, mend_until; /* kept records with these sequence numbers were passed over on the way to a file */
} inbox = {.last = &inbox.first};

/* What herald_host_inbox_follow does with a name's name_sequence when this process has come to another file. */
enum joins {
    JOINED,    /* leaves the number as it is */
    GOES_ON,   /* the same, in a file of the same line; but sets the number to 0 if the name was not carried over */
    COMES_LATE /* reads the number from the entry, because earlier messages in the file are not heard */
};

/* The names whose messages are heard. Names are in groups, by their hashes; the log's index tells a record's group. */
static struct herald_host_name *followed;
static uint32_t followed_in[HERALD_HOST_GROUPS]; /* how many followed names each group has */
static uint64_t followed_groups;                 /* a bit for each group that has followed names */

static uint64_t groups(void) { return inbox.hears_all ? UINT64_MAX : followed_groups; }

/* How far the count `to` is ahead of the count `from`, or 0 if `to` is not ahead. Counts wrap. */
static uint32_t gap_between(uint32_t from, uint32_t to) { return (int32_t)(to - from) > 0 ? to - from : 0; }

static void list(struct herald_host_name *name) {
    uint32_t group = name->hash % HERALD_HOST_GROUPS;
    GROUND_LIST_PUSH(followed, name);
    followed_in[group]++;
    followed_groups |= UINT64_C(1) << group;
}
static void take_off_list(struct herald_host_name *name) {
    uint32_t group = name->hash % HERALD_HOST_GROUPS;
    GROUND_LIST_REMOVE(name);
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
    if (!moves) inbox.mend_until = 0;
}

/* Reads first the log's end, and then the name's count. So the count includes every message before that end. (It may
 * include a few later messages, too.) The name is heard from that end on. */
static void begin_name(struct herald_host_name *name, struct herald_host_header *header) {
    struct herald_host_cursor end = herald_host_log_end(header);
    if (!inbox.cursor.header) begin(end);
    name->since = end.next;
    name->name_sequence =
        name->is_private ? herald_host_outbox_logged(name->entry) : ((struct herald_host_entry *)name->entry)->logged;
}

void herald_host_inbox_follow(struct herald_host_name *name, struct herald_host_header *header) {
    const struct herald_host_entry *entry = name->entry;
    enum joins joins = (enum joins)name->joins;
    if (name->followed && joins == JOINED) return;
    name->joins = JOINED;
    if (!name->followed || joins == COMES_LATE) begin_name(name, header);
    if (joins == GOES_ON && gap_between(entry->logged, name->name_sequence))
        name->name_sequence = 0; /* the name was not carried over: its count began at 0 in this file */
    if (name->followed) return;
    name->followed = true;
    list(name);
}

static void join(enum joins joins) {
    for (struct herald_host_name *name = followed; name; name = name->next)
        if (!name->is_private) name->joins = (uint8_t)joins;
}

/* Notes that the records from `from` to `until` - 1 are not read. If others were noted before, those between are taken
 * to be of them, too: their followers have perhaps heard them, and then skip them. */
static void pass_over(uint64_t from, uint64_t until) {
    if (!inbox.mend_until || from < inbox.mend_from) inbox.mend_from = from;
    if (until > inbox.mend_until) inbox.mend_until = until;
}

/* The cursor begins at the end of a file in which sequence numbers are lower than in the last one. */
static void come_late(struct herald_host_cursor end) {
    inbox.plain = end.header->plain;
    inbox.added += inbox.next;
    pass_over(0, end.next);
}

/* For a file of the same line as the last one. The cursor begins where it left the last file. If that place is before
 * this file's beginning, the cursor begins at the beginning. If the place is after this file's end, the cursor begins
 * at the end. */
static void continue_line(struct herald_host_cursor beginning, struct herald_host_cursor end) {
    uint64_t between = beginning.next - inbox.next; /* records of files in which this process never was */
    bool late = (int64_t)between < 0 && inbox.next > end.next;
    if ((int64_t)between >= 0) {
        if (HERALD_HOST_STEP(ARRIVAL)) inbox.owed += inbox.hears_all ? between : 0;
        pass_over(inbox.next, beginning.next);
        begin(beginning);
        inbox.began = true;
    } else {
        end.next = late ? end.next : inbox.next;
        begin(end);
    }
    join(late ? COMES_LATE : GOES_ON);
    if (late) come_late(end);
}

/* For a file of a newer line than the last one. The cursor begins at the file's beginning. This process was in none of
 * the line's earlier files, so the records in them are lost. */
static void begin_line(struct herald_host_cursor beginning) {
    uint64_t before = beginning.next - herald_host_header_origin(beginning.header);
    inbox.plain = 0;
    if (inbox.hears_all && (int64_t)before > 0) inbox.owed += before;
    pass_over(herald_host_header_origin(beginning.header), beginning.next);
    begin(beginning);
    inbox.began = true;
    join(JOINED);
    for (struct herald_host_name *name = followed; name; name = name->next)
        if (!name->is_private) name->name_sequence = 0;
}

/* The file may be of an older line than the last one. Such a file was in use before, by this process or by others. The
 * cursor begins at its end, so this process does not hear what was posted there before. */
void herald_host_inbox_arrive(struct herald_host_header *header) {
    if (inbox.cursor.header || !groups()) return;
    if (!inbox.moves) { /* this happens only in the child of a fork */
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
        come_late(end);
    }
    inbox.compared = UINT64_MAX; /* so the next read compares the counts, which show what was lost between the files */
}

bool herald_host_inbox_hears_whole_file(void) { return inbox.cursor.header && inbox.began; }

void herald_host_inbox_miss(uint64_t posts) { inbox.missed += posts; }

void herald_host_inbox_forget(struct herald_host_name *name) {
    if (!name->followed) return;
    name->followed = name->begins = false;
    name->joins = JOINED;
    name->follows++; /* so that later observers do not get messages that were read before */
    take_off_list(name);
    if (!groups()) stop(false);
}

/* ---- Loss -------------------------------------------------------------------------------------------------------- */

/* Called when all of the name's first `published` messages have been read or lost. Counts the lost messages: those from
 * `name->name_sequence` on. */
static void pass(struct herald_host_name *name, uint32_t published) {
    uint32_t gap = gap_between(name->name_sequence, published);
    if (!gap) return;
    if (HERALD_HOST_STEP(MISSED) && !inbox.hears_all) inbox.missed += gap;
    if (name->feeds) herald_host_feeds_write(name, gap);
    name->name_sequence = published;
}

/* Called when the records of the first `published` plain posts have been read or lost. The plain posts from
 * `inbox.plain` on are lost, so their records are among the `owed` records. Counts all `owed` records as missed, except
 * those of plain posts that the names' counts report. */
static void pass_plain(uint32_t published) {
    uint64_t lost = inbox.owed, plain = gap_between(inbox.plain, published);
    if (plain > lost) plain = lost; /* this happens only if another process has spoilt a count */
    inbox.owed = 0;
    inbox.plain = published;
    if (HERALD_HOST_STEP(MISSED)) inbox.missed += lost - (plain ? inbox.counts->finds(plain) : 0);
}

/* Reads the counts of published messages and plain posts. Returns how many records had been lost before that. If a
 * record is lost later, the counts may not include it, because it may have been published after they were read. */
static uint64_t read_counts(void) {
    uint64_t lost = inbox.cursor.lost;
    inbox.published = inbox.cursor.header->plain;
    for (struct herald_host_name *name = followed; name; name = name->next)
        if (name->entry) name->published = ((struct herald_host_entry *)name->entry)->logged;
    return lost;
}
static void compare_counts(uint64_t lost) {
    for (struct herald_host_name *name = followed; name; name = name->next)
        if (name->entry && name->joins == JOINED) pass(name, name->published);
    if (inbox.hears_all && inbox.cursor.lost == lost) pass_plain(inbox.published);
    inbox.compared = lost;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* Notes the state of the name of a plain post, as it is now. */
static void note_state(struct herald_host_received *received) {
    struct herald_host_segment *segment = herald_host_session.segment;
    const struct herald_host_entry *entry =
        received->known ? received->known->entry
                        : herald_host_entry_find(segment, received->name, received->fields.name - 1);
    received->has_state = entry && entry->flags & HERALD_HOST_HAS_STATE;
    received->state = entry ? entry->state : 0;
}

static void append(struct herald_host_received *received) {
    received->number = herald_host_inbox_number(received->sequence);
    received->next = NULL;
    atomic_init(&received->references, 1);
    *inbox.last = received;
    inbox.last = &received->next;
    inbox.count++;
    inbox.bytes += sizeof *received + received->room;
}

/* Returns the record's name if this process has followed the name since before the record was published. Otherwise
 * returns NULL. */
static struct herald_host_name *follower(const struct herald_host_received *received) {
    const struct herald_host_fields *copy = &received->fields;
    struct herald_host_name *name = herald_host_name_by_text(received->name, copy->name - 1, copy->hash);
    return name && name->followed && received->sequence >= name->since ? name : NULL;
}

static void count_message(struct herald_host_name *name, const struct herald_host_fields *copy) {
    if (copy->entry == HERALD_HOST_NAMES && !name->is_private) return;
    if (name->joins != COMES_LATE) pass(name, copy->name_sequence);
    name->name_sequence = copy->name_sequence + 1; /* may go back, if this file counts from 0 again */
}

/* Raises `inbox.published` if the record shows more plain posts. While all names are heard, also counts the records
 * that were lost before this one, and moves `inbox.plain` past this one. */
static void count_record(const struct herald_host_fields *copy) {
    uint32_t plain = copy->plain + !!(copy->options & HERALD_HOST_IS_PLAIN);
    if (gap_between(inbox.published, plain)) inbox.published = plain;
    if (!inbox.hears_all) return;
    if (inbox.owed) pass_plain(copy->plain);
    inbox.plain = plain;
}

/* Hears the record in `inbox.spare`, or leaves it there. */
static void hear(void) {
    struct herald_host_received *received = inbox.spare;
    const struct herald_host_fields *copy = &received->fields;
    bool plain = copy->options & HERALD_HOST_IS_PLAIN, all = inbox.hears_all && received->sequence >= inbox.all_since;
    count_record(copy);
    if (copy->options & HERALD_HOST_IS_SILENT) return;
    if (herald_host_name_is_private(received->name) && copy->identity != herald_host_identity()) return;
    struct herald_host_name *name = follower(received);
    if (plain && !all) return; /* the name's count reports this post */
    bool room = !inbox.drops || inbox.bytes < MOST_BYTES, heard = all || (name && name->center);
    if (name && !plain) count_message(name, copy);
    if (name && plain && room && !inbox.counts->hears(name)) return;
    if (name && name->feeds && (room || !plain)) herald_host_feeds_write(name, 1);
    if (!heard) return;
    if (!room) { /* a plain post of a watched name is not missed if the name's count reports it */
        inbox.missed += name && plain ? 1 - inbox.counts->finds(1) : 1;
        return;
    }
    received->known = name;
    received->follows = name ? name->follows : 0;
    received->for_all = all;
    if (plain) note_state(received);
    received->message.missed = inbox.missed - inbox.told;
    inbox.told = inbox.missed;
    append(received);
    inbox.spare = NULL;
}

/* Kept records were lost whose sequence numbers are at least `from` and below `until`. Hears what is kept now of the
 * names that begin with what is kept (host_kept.h), if it is one of these records. */
static void mend(uint64_t from, uint64_t until) {
    for (struct herald_host_name *name = followed; name; name = name->next) {
        uint64_t since = (int64_t)(name->since - from) > 0 ? name->since : from;
        if (!name->begins || (int64_t)(until - since) <= 0 || !HERALD_HOST_STEP(MEND)) continue;
        struct herald_host_received *list, *next;
        /* Without memory these are lost, as others would be. */
        if (herald_host_current_find(inbox.cursor.header, name, NULL, since, until, &list) != HeraldOK) continue;
        for (; list; list = next) {
            next = list->next;
            if (list->fields.options & HERALD_HOST_IS_SILENT) {
                free(list);
                continue;
            }
            list->known = name;
            list->follows = name->follows;
            /* In a file of before this one, its count is not that of this file. */
            if (list->sequence >= herald_host_log_beginning(inbox.cursor.header).next)
                count_message(name, &list->fields);
            if (inbox.owed) inbox.owed--; /* it is not missed any more */
            list->message.missed = inbox.missed - inbox.told;
            inbox.told = inbox.missed;
            append(list);
        }
    }
}

/* Reads records of the `wanted` groups (see herald_host_log_read), until this many messages wait to be heard, or this
 * many bytes of them, or until it has looked at this many records. Returns false if it has not come to the end of the
 * log. */
static bool read_until(uint64_t wanted, uint32_t count, size_t bytes, uint32_t records) {
    if (herald_unlikely(inbox.mend_until != 0)) {
        mend(inbox.mend_from, inbox.mend_until);
        inbox.mend_until = 0;
    }
    for (; inbox.count < count && inbox.bytes < bytes && records; records--) {
        uint64_t lost = inbox.cursor.lost, from = inbox.cursor.next;
        enum herald_host_read read = herald_host_log_read(&inbox.cursor, wanted, &inbox.spare);
        if (inbox.hears_all) inbox.owed += inbox.cursor.lost - lost;
        if (herald_unlikely(inbox.cursor.lost != lost)) mend(from, inbox.cursor.next - (read == HERALD_HOST_READ_IT));
        if (read == HERALD_HOST_READ_NOTHING) return true;
        if (read == HERALD_HOST_READ_IT) hear();
    }
    return false;
}

bool herald_host_inbox_fill(void) {
    if (!inbox.cursor.header) return true;
    bool was_overtaken = inbox.cursor.lost != inbox.compared;
    uint64_t lost = was_overtaken ? read_counts() : 0;
    bool whole = read_until(groups(), FEW, LITTLE, RECORDS);
    if (whole && was_overtaken) compare_counts(lost);
    return whole && inbox.cursor.lost == inbox.compared;
}

/* Reads the counts, reads the log to its end, and compares. Repeats these steps until no record is lost during
 * them. Then each followed name's name_sequence is how many messages of the name came before the cursor. Returns false
 * if there is no room for more messages, or if others write faster than this process reads. */
static bool settle(uint64_t wanted, size_t most_bytes) {
    enum { TIMES = 64 };
    if (!inbox.cursor.header) return true;
    for (int i = 0; i < TIMES && inbox.bytes < most_bytes; i++) {
        uint64_t lost = read_counts();
        if (!read_until(wanted, UINT32_MAX, most_bytes, 2 * HERALD_HOST_SLOTS)) continue;
        compare_counts(lost);
        if (inbox.cursor.lost == lost) return true;
    }
    return false;
}

/* Settles without a limit. A message for which there is no room is dropped, and counted as missed. All groups are read,
 * because plain posts of all groups are counted. */
void herald_host_inbox_settle(void) {
    inbox.drops = true;
    settle(UINT64_MAX, SIZE_MAX);
    inbox.drops = false;
    inbox.missed += inbox.owed;
    inbox.owed = 0;
}

void herald_host_inbox_hear_all(struct herald_host_header *header, const struct herald_host_plain_counts *counts) {
    if (header && !inbox.cursor.header) begin(herald_host_log_end(header));
    if (HERALD_HOST_STEP(SETTLE)) herald_host_inbox_settle();
    inbox.hears_all = header != NULL;
    inbox.counts = counts;
    inbox.plain = inbox.published;
    inbox.all_since = inbox.cursor.next;
    if (!groups()) stop(false);
}

void herald_host_inbox_leave(void) {
    herald_host_inbox_settle();
    for (struct herald_host_name *name = followed; name; name = name->next) name->since = 0;
    if (inbox.cursor.header) inbox.next = inbox.cursor.next;
    stop(inbox.moves || inbox.cursor.header);
}

uint64_t herald_host_inbox_position(const struct herald_host_header *header) {
    return inbox.cursor.header == header ? inbox.cursor.next : 0;
}

uint64_t herald_host_inbox_number(uint64_t sequence) { return herald_host_log_number(sequence) + inbox.added; }

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

/* In the child of a fork: drops the messages that the parent has read. The child's count of missed messages begins at
 * 0. */
void herald_host_inbox_after_fork(void) {
    for (struct herald_host_received *received = herald_host_inbox_take(), *next; received; received = next) {
        next = received->next;
        free(received);
    }
    while (followed) {
        struct herald_host_name *name = followed;
        bool begins = name->begins; /* its followers are the child's, too */
        herald_host_inbox_forget(name);
        name->begins = begins;
    }
    inbox.missed = inbox.told = inbox.owed = 0;
    stop(false);
}
