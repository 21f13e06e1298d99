/* Reading the log for the names that this process watches.
 *
 * Loss. A record has its name's ordinal, so a gap is seen with the name's next message. When a reader was overtaken,
 * there may be none: so at the end of the log the names' counts are compared, which were read before the log was, so
 * that all they count was published by then, and has been taken or is lost.
 *
 * Ordering: see log.h. Progress. A fill reads a bounded part. Ownership. The session's lock; what was received is
 * memory of its own.
 */
#include "inbox.h"
#include "feed.h"
#include "identity.h"
#include "pen.h"
#include "session.h"
#include <stdlib.h>
#include <string.h>

enum {
    FEW = 64,             /* messages that one pass reads, */
    LITTLE = 256 << 10,   /* or bytes, */
    RECORDS = 1024,       /* or records of others */
    MOST_BYTES = 16 << 20 /* that wait to be heard */
};

static struct {
    struct herald_cursor cursor; /* no header: nothing is watched, */
    bool moves;                  /* or what was watched is in a file yet to come */
    uint64_t compared;           /* of the cursor's losses: the names' counts have been compared since */
    uint64_t missed, told;       /* messages, and how many of them an observer has been told of */
    bool behind;                 /* it was overtaken, and nobody has asked */
    struct herald_received *first, **last;
    uint32_t count;
    size_t bytes;
    bool hears_all;     /* posts of any name, plain ones too, */
    uint64_t all_since; /* from there on */
} inbox = {.last = &inbox.first};

static struct herald_host_name *followed;   /* the names that are, */
static uint32_t followed_in[HERALD_GROUPS]; /* how many of each group, */
static uint64_t followed_groups;            /* and these groups */

static uint64_t groups(void) { return inbox.hears_all ? UINT64_MAX : followed_groups; }

static void list(struct herald_host_name *name) {
    uint32_t group = name->hash % HERALD_GROUPS;
    name->next_followed = followed;
    name->link_followed = &followed;
    if (followed) followed->link_followed = &name->next_followed;
    followed = name;
    followed_in[group]++;
    followed_groups |= UINT64_C(1) << group;
}
static void take_off_list(struct herald_host_name *name) {
    uint32_t group = name->hash % HERALD_GROUPS;
    *name->link_followed = name->next_followed;
    if (name->next_followed) name->next_followed->link_followed = name->link_followed;
    if (--followed_in[group] == 0) followed_groups &= ~(UINT64_C(1) << group);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static void begin(struct herald_cursor cursor) {
    inbox.cursor = cursor;
    inbox.compared = 0;
    inbox.moves = false;
}
static void stop(bool moves) {
    inbox.cursor.header = NULL;
    inbox.moves = moves;
}

void herald_inbox_follow(struct herald_host_name *name, struct herald_header *header) {
    if (name->followed) return;
    struct herald_entry *entry = name->entry;
    struct herald_cursor end = herald_log_end(header);
    if (!inbox.cursor.header) begin(end);
    name->followed = true;
    list(name);
    name->since = end.next;
    /* After the end: so it counts none that will be heard, or a few. */
    name->ordinal = name->is_private ? herald_pen_logged(entry) : entry->logged;
}

/* A file that has come in another's place goes on counting. */
void herald_inbox_arrive(struct herald_header *header) {
    if (inbox.cursor.header || !groups()) return;
    if (!inbox.moves) { /* the child of a fork */
        herald_inbox_hear_all(header);
        return;
    }
    inbox.all_since = 0;
    begin(herald_log_beginning(header));
    for (struct herald_host_name *name = header->first ? NULL : followed; name; name = name->next_followed)
        if (!name->is_private) name->ordinal = 0;
}

void herald_inbox_miss(void) { inbox.missed++; }

void herald_inbox_forget(struct herald_host_name *name) {
    if (!name->followed) return;
    name->followed = false;
    name->follows++; /* what has been read is not for observers to come */
    take_off_list(name);
    if (!groups()) stop(false);
}

void herald_inbox_hear_all(struct herald_header *header) {
    inbox.hears_all = header != NULL;
    if (!groups()) stop(false);
    if (!header) return;
    struct herald_cursor end = herald_log_end(header);
    if (!inbox.cursor.header) begin(end);
    inbox.all_since = end.next;
}

/* ---- Loss -------------------------------------------------------------------------------------------------------- */

/* So many messages of the name have been published, of which this process has seen those before `name->ordinal`. */
static void pass(struct herald_host_name *name, uint32_t published) {
    int32_t gap = (int32_t)(published - name->ordinal);
    if (gap <= 0) return;
    if (herald_does(MISSED) && !inbox.hears_all) inbox.missed += (uint32_t)gap;
    if (name->feeds) herald_feeds_write(name, (uint32_t)gap);
    name->ordinal = published;
}

/* Returns what had been lost by then: what is lost after it the counts may not contain. */
static uint64_t read_counts(void) {
    uint64_t lost = inbox.cursor.lost;
    for (struct herald_host_name *name = followed; name; name = name->next_followed)
        if (name->entry) name->published = ((struct herald_entry *)name->entry)->logged;
    return lost;
}
static void compare_counts(uint64_t lost) {
    for (struct herald_host_name *name = followed; name; name = name->next_followed)
        if (name->entry) pass(name, name->published);
    inbox.compared = lost;
    inbox.behind = true;
}

bool herald_inbox_was_overtaken(void) {
    bool was = inbox.behind;
    inbox.behind = false;
    return was;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static const char *text_at(const char **at, uint32_t size) {
    const char *text = *at;
    *at += size;
    return size ? text : NULL;
}

/* `name` NULL: its text has to be looked for. NULL: there is no memory. */
static struct herald_received *receive(const struct herald_copy *copy, const struct herald_host_name *name) {
    size_t texts = copy->name + copy->object + copy->type, bytes = (size_t)(copy->text - (const char *)copy->bytes);
    struct herald_received *received = malloc(sizeof *received + bytes + texts);
    if (!received) return NULL;
    char *at = (char *)(received + 1);
    const char *text = at + bytes;
    memcpy(at, copy->bytes, bytes + texts);
    *received = (struct herald_received){.known = name,
                                         .follows = name ? (uint32_t)name->follows : 0,
                                         .text = text_at(&text, copy->name),
                                         .plain = copy->flags & HERALD_IS_PLAIN,
                                         .size = sizeof *received + bytes + texts,
                                         .message = {.size = sizeof(HeraldMessage),
                                                     .object = text_at(&text, copy->object),
                                                     .type = text_at(&text, copy->type),
                                                     .bytes = at,
                                                     .length = copy->length,
                                                     .sequence = herald_log_number(copy->sequence),
                                                     .missed = inbox.missed - inbox.told,
                                                     .sender = copy->sender,
                                                     .options = copy->flags & HeraldPostDeliverImmediately}};
    return received;
}

static void append(struct herald_received *received) {
    *inbox.last = received;
    inbox.last = &received->next;
    inbox.count++;
    inbox.bytes += received->size;
}

/* The name, if this process hears messages of it. */
static struct herald_host_name *follower(const struct herald_copy *copy) {
    struct herald_host_name *name = herald_host_name_by_text(copy->text, copy->name - 1, copy->hash);
    return name && name->followed && copy->sequence >= name->since ? name : NULL;
}

static void count_message(struct herald_host_name *name, const struct herald_copy *copy) {
    if (copy->entry == HERALD_NAMES && !name->is_private) return;
    pass(name, copy->ordinal);
    name->ordinal = copy->ordinal + 1; /* also back, in a file that counts anew */
}

static void hear(const struct herald_copy *copy) {
    bool plain = copy->flags & HERALD_IS_PLAIN, all = inbox.hears_all && copy->sequence >= inbox.all_since;
    if (herald_host_name_is_private(copy->text) && copy->identity != herald_identity()) return;
    struct herald_host_name *name = follower(copy);
    if (plain && !all) return; /* the names' counts say so */
    if (name && plain) name->heard++;
    if (name && !plain) count_message(name, copy);
    if (name && name->feeds) herald_feeds_write(name, 1);
    if (!all && (!name || !name->center)) return;
    struct herald_received *received = receive(copy, name);
    if (received) {
        inbox.told = inbox.missed;
        received->for_all = all;
        append(received);
    } else {
        inbox.missed++;
    }
}

/* How far to read: messages that wait to be heard, their bytes, and records that are looked at. */
struct bounds {
    uint32_t count;
    size_t bytes;
    uint32_t records;
};

/* False: there is more. */
static bool read_until(struct bounds bounds) {
    struct herald_copy copy;
    uint64_t wanted = groups();
    for (; inbox.count < bounds.count && inbox.bytes < bounds.bytes && bounds.records; bounds.records--) {
        uint64_t lost = inbox.cursor.lost;
        enum herald_read read = herald_log_read(&inbox.cursor, wanted, &copy);
        if (inbox.hears_all) inbox.missed += inbox.cursor.lost - lost;
        if (read != HERALD_READ_IT) return true;
        hear(&copy);
    }
    return false;
}

static bool read_and_compare(struct bounds bounds) {
    if (!inbox.cursor.header) return true;
    bool was_overtaken = inbox.cursor.lost != inbox.compared;
    uint64_t lost = was_overtaken ? read_counts() : 0;
    bool whole = read_until(bounds);
    if (whole && was_overtaken) compare_counts(lost);
    return whole && inbox.cursor.lost == inbox.compared;
}

bool herald_inbox_fill(void) { return read_and_compare((struct bounds){FEW, LITTLE, RECORDS}); }

/* Until the counts contain all that was lost, or others write faster than this reads. */
static void read_all(void) {
    enum { TIMES = 8 };
    for (int i = 0; i < TIMES && inbox.cursor.header; i++) {
        uint64_t lost = read_counts();
        if (!read_until((struct bounds){UINT32_MAX, MOST_BYTES, 2 * HERALD_SLOTS})) return;
        compare_counts(lost);
        if (inbox.cursor.lost == lost) return;
    }
}

/* What there was no room for is lost, and counted. */
void herald_inbox_leave(void) {
    read_all();
    for (struct herald_host_name *name = followed; name; name = name->next_followed) {
        if (name->entry) pass(name, ((struct herald_entry *)name->entry)->logged);
        name->since = 0;
    }
    stop(inbox.moves || inbox.cursor.header);
}

uint64_t herald_inbox_position(const struct herald_header *header) {
    return inbox.cursor.header == header ? inbox.cursor.next : 0;
}

uint64_t herald_inbox_missed(void) {
    read_all();
    return inbox.missed;
}

/* ---- Taking out -------------------------------------------------------------------------------------------------- */

struct herald_received *herald_inbox_take(void) {
    struct herald_received *first = inbox.first;
    inbox.first = NULL;
    inbox.last = &inbox.first;
    inbox.count = 0;
    inbox.bytes = 0;
    return first;
}

void herald_inbox_put_back(struct herald_received *first) {
    struct herald_received *newer = inbox.first, **end = &first;
    for (; *end; end = &(*end)->next) {
        inbox.count++;
        inbox.bytes += (*end)->size;
    }
    *end = newer;
    inbox.first = first;
    if (!newer) inbox.last = first ? end : &inbox.first;
}

/* The child has heard nothing yet of what its parent observes. */
void herald_inbox_after_fork(void) {
    for (struct herald_received *received = herald_inbox_take(), *next; received; received = next) {
        next = received->next;
        free(received);
    }
    while (followed) herald_inbox_forget(followed);
    inbox.missed = inbox.told = 0;
    stop(false);
}
