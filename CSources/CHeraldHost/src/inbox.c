/* Reading the log for the names that this process watches.
 *
 * Loss is counted in one of two ways. While only certain names are heard, their name sequences count it: a record has a
 * name_sequence (how many messages of its name came before it), so a gap is seen with the name's next message. If a
 * reader was overtaken there may be no next message. So the names' counts are read before the log is read, and compared
 * when its end has been reached. Every message that they count was published before the reading began, so it has been
 * taken or is lost. While all names are heard, the cursor counts the loss: the records that it has leapt over are lost,
 * whatever their names. Plain posts of watched names are no loss even then, because the names' own counts report them
 * (watched.c). All plain posts in the log share one name_sequence, and a gap in it shows how many of the lost records
 * were plain posts.
 *
 * Only herald_host_inbox_hear_all changes from one way to the other, and it does so at one place of the log. It reads
 * until nothing was lost between its reading of the names' counts and its arrival at the end of the log. Then all
 * before that place has been counted in the old way, and each name's name_sequence at that place is known, for the new
 * way. In a file that was made in the place of the one before, sequence numbers and counts go on. So both ways go on
 * there, even if files between the two were missed. Tests/Model/host_loss.c is a model of this.
 *
 * Ordering: see log.h.
 * Progress: A fill reads a bounded part.
 * Ownership: All is under the session's lock. A received message is memory of its own.
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
    MOST_BYTES = 16 << 20 /* bytes that wait to be heard */
};

static struct {
    struct herald_host_cursor cursor; /* no header: nothing is watched, unless `moves` */
    bool moves;                       /* a file that was being read has been left, and the next one is yet to come */
    bool began;                       /* the cursor began at the file's beginning */
    uint64_t compared;                /* the cursor's losses when the names' counts were last compared */
    uint64_t missed, told;            /* messages that were lost, and how many of them an observer has learned of */
    struct herald_host_received *first, **last;
    uint32_t count;
    size_t bytes;
    bool drops;                                    /* drops what there is no room for, and reads on */
    bool hears_all;                                /* posts of all names are heard, also plain ones */
    uint64_t all_since;                            /* from this sequence number on */
    uint64_t owed;                                 /* records that were lost since then, and are not in `missed` yet */
    uint32_t plain;                                /* the name_sequence of the next plain post */
    uint32_t published;                            /* how many plain posts there were when they were last counted */
    const struct herald_host_plain_counts *counts; /* the names' counts of plain posts */
    uint64_t line, next;                           /* of the file before: its line, and where the cursor left it */
} inbox = {.last = &inbox.first};

/* How a name's name_sequence goes on in the file to which the process has come. */
enum joins {
    JOINED,
    GOES_ON,   /* the file is of the same line, in which counts go on, unless the name was not carried over */
    COMES_LATE /* what was posted before the process came is not heard */
};

static struct herald_host_name *followed;        /* the names whose messages are heard */
static uint32_t followed_in[HERALD_HOST_GROUPS]; /* how many of them are in each group */
static uint64_t followed_groups;                 /* the groups that have any */

static uint64_t groups(void) { return inbox.hears_all ? UINT64_MAX : followed_groups; }

/* How far it is from one count to a later one; 0 if the second is not later. Counts wrap. */
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
    inbox.line = cursor.header->line; /* now, because the file may be cut short before it is left */
    inbox.compared = 0;
    inbox.moves = inbox.began = false;
}
static void stop(bool moves) {
    inbox.cursor.header = NULL;
    inbox.moves = moves;
}

/* The name's count is read after the log's end was read. So it contains all messages that will not be heard, and
 * perhaps a few that will be.
 */
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

/* Reads on in the same line: from this file's beginning, or from where the file before was left, if that is later. */
static void continue_line(struct herald_host_cursor beginning, struct herald_host_cursor end) {
    uint64_t between = beginning.next - inbox.next; /* posts in files in which this process has never been */
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

/* Reads a newer line: all of it was posted after the file before. */
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

/* A file that has replaced another goes on counting. A file of an older line was in use before, by this process or by
 * others: what was posted there in the meantime is not for this process. */
void herald_host_inbox_arrive(struct herald_host_header *header) {
    if (inbox.cursor.header || !groups()) return;
    if (!inbox.moves) { /* the child of a fork */
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
    inbox.compared = UINT64_MAX; /* what was lost between the two files shows in the counts */
}

bool herald_host_inbox_hears_whole_file(void) { return inbox.cursor.header && inbox.began; }

void herald_host_inbox_miss(uint64_t posts) { inbox.missed += posts; }

void herald_host_inbox_forget(struct herald_host_name *name) {
    if (!name->followed) return;
    name->followed = false;
    name->joins = JOINED;
    name->follows++; /* what has been read is not for observers that come later */
    take_off_list(name);
    if (!groups()) stop(false);
}

/* ---- Loss -------------------------------------------------------------------------------------------------------- */

/* Takes note that `published` messages of the name have been published. This process has seen those before
 * `name->name_sequence`. */
static void pass(struct herald_host_name *name, uint32_t published) {
    uint32_t gap = gap_between(name->name_sequence, published);
    if (!gap) return;
    if (HERALD_HOST_STEP(MISSED) && !inbox.hears_all) inbox.missed += gap;
    if (name->feeds) herald_host_feeds_write(name, gap);
    name->name_sequence = published;
}

/* Takes note that `published` plain posts have been published. This process has seen those before `inbox.plain`, and
 * the others are among the lost records. */
static void pass_plain(uint32_t published) {
    uint64_t lost = inbox.owed, plain = gap_between(inbox.plain, published);
    if (plain > lost) plain = lost; /* else another process has spoilt a count */
    inbox.owed = 0;
    inbox.plain = published;
    if (HERALD_HOST_STEP(MISSED)) inbox.missed += lost - (plain ? inbox.counts->finds(plain) : 0);
}

/* Returns how many records had been lost before the counts were read. Records that are lost later may not be in the
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

/* `name` NULL: whoever hears the message has to look the name up by its text. Returns NULL when there is no memory. */
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

/* The name, if this process hears messages of it. */
static struct herald_host_name *follower(const struct herald_host_record_copy *copy) {
    struct herald_host_name *name = herald_host_name_by_text(copy->text, copy->name - 1, copy->hash);
    return name && name->followed && copy->sequence >= name->since ? name : NULL;
}

static void count_message(struct herald_host_name *name, const struct herald_host_record_copy *copy) {
    if (copy->entry == HERALD_HOST_NAMES && !name->is_private) return;
    if (name->joins != COMES_LATE) pass(name, copy->name_sequence);
    name->name_sequence = copy->name_sequence + 1; /* it may go back, in a file that counts from 0 again */
}

/* Notes how many plain posts there are, if the record knows of more, and counts the record itself. */
static void count_record(const struct herald_host_record_copy *copy) {
    uint32_t plain = copy->plain + !!(copy->flags & HERALD_HOST_IS_PLAIN);
    if (gap_between(inbox.published, plain)) inbox.published = plain;
    if (!inbox.hears_all) return;
    if (inbox.owed) pass_plain(copy->plain);
    inbox.plain = plain;
}

/* A plain post of a watched name that is dropped here is heard when the name's count reports it. */
static void drop(const struct herald_host_name *name, bool plain) {
    if (!name || !plain) inbox.missed++;
    if (name && plain) inbox.missed += 1 - inbox.counts->finds(1);
}

static void hear(const struct herald_host_record_copy *copy) {
    bool plain = copy->flags & HERALD_HOST_IS_PLAIN, all = inbox.hears_all && copy->sequence >= inbox.all_since;
    count_record(copy);
    if (herald_host_name_is_private(copy->text) && copy->identity != herald_host_identity()) return;
    struct herald_host_name *name = follower(copy);
    if (plain && !all) return; /* the names' counts report it */
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

/* How far to read: messages that wait to be heard, their bytes, and records to look at. */
struct bounds {
    uint32_t count;
    size_t bytes;
    uint32_t records;
};

/* False: there is more to read. */
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

/* Reads to an end at which the counts contain all that was lost. Then each name's name_sequence is the number of its
 * messages before the cursor. False: there is no room for more, or others write faster than this reads. */
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

/* Settles without a limit: what there is no room for is counted and dropped. All groups are read, because plain posts
 * are counted in all of them. */
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

/* The child has heard nothing yet of what its parent observes. */
void herald_host_inbox_after_fork(void) {
    for (struct herald_host_received *received = herald_host_inbox_take(), *next; received; received = next) {
        next = received->next;
        free(received);
    }
    while (followed) herald_host_inbox_forget(followed);
    inbox.missed = inbox.told = inbox.owed = 0;
    stop(false);
}
