/* Writing, publishing and reading records.
 *
 * Ordering: see log.h.
 * Progress: An attempt to publish fails only if another process has published in the meantime. Every loop is bounded,
 * because any program of the user's may write to the file, and so may have *spoilt* a word, a record or the tail.
 * Ownership: A writer belongs to its process. A record is copied before it is examined.
 */
#include "log.h"
#include "cell.h"
#include "host_complaint.h"
#include "words.h"
#include <herald/inspect.h>
#include <string.h>

/* ---- Words ------------------------------------------------------------------------------------------------------- */

/* A word of the index leads to one record: it has the record's lap, group and ring, and a part of its position in the
 * ring (position_of). A word in which the ring is END ends the log. */
enum { LAP_BITS = 26, LINE_BITS = 24, END = HERALD_HOST_RINGS };
#define LAP_MASK (((uint32_t)1 << LAP_BITS) - 1)
#define LINE_MASK (((uint32_t)1 << LINE_BITS) - 1)

static uint32_t lap_of(uint64_t sequence) { return sequence / HERALD_HOST_SLOTS & LAP_MASK; }
static uint64_t word_of(uint64_t sequence, uint32_t hash, uint32_t ring, uint64_t position) {
    return (uint64_t)lap_of(sequence) << 38 | (uint64_t)(hash % HERALD_HOST_GROUPS) << 32 |
           (uint64_t)ring << LINE_BITS | (position / HERALD_LINE & LINE_MASK);
}
static uint32_t ring_in(uint64_t word) { return (uint32_t)word >> LINE_BITS; }
static uint32_t line_in(uint64_t word) { return (uint32_t)word & LINE_MASK; }
static uint64_t group_in(uint64_t word) { return UINT64_C(1) << (word >> 32) % HERALD_HOST_GROUPS; }

/* By how many laps the word is ahead of record `sequence`. 0: the word leads to this record. Negative: the word is of
 * an earlier lap. */
static int32_t ahead(uint64_t word, uint64_t sequence) {
    uint32_t difference = (uint32_t)(word >> 38) - lap_of(sequence);
    return (int32_t)(difference << (32 - LAP_BITS)) >> (32 - LAP_BITS);
}

#define relaxed memory_order_relaxed

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

/* Writes to each word of the index one lap less than the first lap that will be written there. In a new file all words
 * are 0, which stands for lap 0. Laps wrap, so lap 0 could be taken for a later lap than the first. */
static void empty_index(struct herald_host_header *header) {
    uint64_t first = herald_host_header_first(header);
    for (uint64_t sequence = first - HERALD_HOST_SLOTS; sequence != first; sequence++) {
        uint64_t none = 0;
        atomic_compare_exchange_strong(herald_host_log_slot(header, sequence), &none, word_of(sequence, 0, 0, 0));
    }
}

HeraldStatus herald_host_log_open(struct herald_host_segment *segment) {
    struct herald_host_header *header = segment->header;
    uint32_t unused = HERALD_HOST_LOG_UNUSED;
    if (header->log != HERALD_HOST_LOG_UNUSED) return HeraldOK;
    HeraldStatus status =
        herald_host_segment_has_room(segment, HERALD_HOST_RINGS_AT - HERALD_HOST_LOG_AT + 2 * HERALD_HOST_RING);
    if (status == HeraldOK)
        status = herald_host_segment_fill(segment, HERALD_HOST_LOG_AT, HERALD_HOST_RINGS_AT - HERALD_HOST_LOG_AT);
    if (status != HeraldOK) return status;
    empty_index(header);
    uint64_t none = 0;
    atomic_compare_exchange_strong(&header->tail, &none, herald_host_header_first(header));
    atomic_compare_exchange_strong(&header->log, &unused, HERALD_HOST_LOG_OPEN);
    return HeraldOK;
}

/* ---- Publishing -------------------------------------------------------------------------------------------------- */

/* The record that a word leads to. NULL: the word is spoilt, or the ring has no memory. */
static struct herald_host_record *record_of(struct herald_host_header *header, uint64_t word) {
    uint32_t ring = ring_in(word);
    if (ring >= HERALD_HOST_RINGS || !herald_host_ring_at(header, ring)->ready) return NULL;
    return herald_host_record_at(header, ring, (size_t)line_in(word) * HERALD_LINE % HERALD_HOST_RING);
}

/* The entry at a place. NULL: the place is in a region that is not in use. */
static struct herald_host_entry *entry_of(struct herald_host_header *header, uint32_t place) {
    uint32_t regions = header->regions;
    if (place >= HERALD_HOST_NAMES || regions > HERALD_HOST_REGIONS || place >= herald_host_region_first(regions))
        return NULL;
    return herald_host_entry_at(header, place);
}

/* The counter for a record: the header's `plain`, or `logged` of the name's entry. NULL: the record is not counted. */
static _Atomic uint32_t *counter_of(struct herald_host_header *header, const struct herald_host_record *record) {
    uint32_t options = record->options;
    if (options & HERALD_HOST_IS_PLAIN) return &header->plain;
    if (options & HERALD_HOST_IS_SILENT) return NULL;
    struct herald_host_entry *entry = entry_of(header, record->entry);
    return entry ? &entry->logged : NULL;
}

/* The caller then reads the tail. If the tail is still at this record, the part is the record's. */
static void read_part(const struct herald_host_record *record, struct herald_host_part *part) {
    herald_host_copy_out((unsigned char *)part, (const unsigned char *)(record + 1), sizeof *part);
    atomic_thread_fence(memory_order_acquire); /* before the tail is read; partner: the fence in reserve */
}

/* Counts the record that was published at the tail, puts what it keeps into its cell, and then moves the tail. The
 * process that has published the record calls this. A process that finds a record at the tail calls this, too, because
 * the publisher may have been killed or stopped. If several processes do so, the first of them changes the counter and
 * the cell, and the first moves the tail. The exchanges of the others fail. `ring`: one that this process has locked,
 * or END. `rests`: see herald_host_value_free. */
static void help(struct herald_host_header *header, uint64_t sequence, uint64_t word, uint32_t ring, bool rests) {
    struct herald_host_record *record = record_of(header, word);
    _Atomic uint32_t *counter = record && HERALD_HOST_STEP(LOGGED) ? counter_of(header, record) : NULL;
    if (counter && record->sequence == sequence) {
        uint32_t name_sequence = record->name_sequence;
        if (header->tail == sequence) atomic_compare_exchange_strong(counter, &name_sequence, name_sequence + 1);
    }
    if (herald_unlikely(record && record->options & HERALD_HOST_IS_KEPT)) {
        struct herald_host_part part;
        read_part(record, &part);
        if (record->sequence == sequence) herald_host_cell_put(header, &part, sequence, ring_in(word), ring, rests);
    }
    if (HERALD_HOST_STEP(HELP)) atomic_compare_exchange_strong(&header->tail, &sequence, sequence + 1);
}

enum { ATTEMPTS = 1 << 16 };

/* Publishes a record, by writing its word to the index at the tail. `value`: where the message is kept; NULL: nowhere.
 * If `record` is NULL, writes a word that ends the log for good. */
static enum herald_host_written publish(struct herald_host_header *header, struct herald_host_record *record,
                                        struct herald_host_value *value, const _Atomic uint32_t *counter, uint32_t hash,
                                        uint32_t ring) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        uint64_t sequence = header->tail, word = *herald_host_log_slot(header, sequence);
        int32_t laps = ahead(word, sequence);
        if (laps == 0 && ring_in(word) == END && HERALD_HOST_STEP(END)) return HERALD_HOST_LOG_ENDS;
        if (laps == 0) {
            help(header, sequence, word, ring, record != NULL);
            continue;
        }
        if (laps > 0) {
            /* The word is of a later lap, so the tail has been as far as that lap's record. Either the tail was moved
             * on after this thread had read it, or the tail was spoilt. */
            uint64_t behind = sequence;
            atomic_compare_exchange_strong(&header->tail, &behind, sequence + (uint64_t)laps * HERALD_HOST_SLOTS);
            continue;
        }
        if (record) {
            /* The counter is read after the tail, so it includes all older records of the name. If another record is
             * published before this one, the exchange below fails. */
            atomic_store_explicit(&record->name_sequence, counter ? *counter : 0, relaxed);
            atomic_store_explicit(&record->plain, header->plain, relaxed);
            atomic_store_explicit(&record->sequence, sequence, relaxed);
            if (value) {
                atomic_store_explicit(&value->name_sequence, counter ? *counter : 0, relaxed);
                atomic_store_explicit(&value->sequence, sequence, relaxed);
            }
        }
        uint64_t position = record ? atomic_load_explicit(&record->position, relaxed) : 0;
        uint64_t mine = word_of(sequence, hash, ring, position);
        if (!atomic_compare_exchange_strong(herald_host_log_slot(header, sequence), &word, mine)) continue;
        if (!record) return HERALD_HOST_LOG_ENDS;
        help(header, sequence, mine, ring, true);
        HeraldTraceSend(record->sender, herald_host_log_number(sequence));
        return HERALD_HOST_WRITTEN;
    }
    return HERALD_HOST_NOT_WRITTEN;
}

void herald_host_log_close(struct herald_host_header *header) {
    uint32_t unused = HERALD_HOST_LOG_UNUSED;
    if (!HERALD_HOST_STEP(END)) return;
    atomic_compare_exchange_strong(&header->log, &unused, HERALD_HOST_LOG_CLOSED);
    if (herald_host_log_is_open(header)) publish(header, NULL, NULL, NULL, 0, END);
}

void herald_host_log_help(struct herald_host_header *header, uint32_t ring) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        uint64_t sequence = header->tail, word = *herald_host_log_slot(header, sequence);
        if (ahead(word, sequence) != 0 || ring_in(word) == END) return;
        help(header, sequence, word, ring, false); /* the caller may not have the outbox's mutex */
    }
}

bool herald_host_log_pending(struct herald_host_header *header, struct herald_host_part *part, uint64_t *sequence) {
    if (!herald_host_log_is_open(header)) return false;
    *sequence = header->tail;
    uint64_t word = *herald_host_log_slot(header, *sequence);
    if (herald_likely(ahead(word, *sequence) != 0) || ring_in(word) == END) return false;
    const struct herald_host_record *record = record_of(header, word);
    if (!record || !(record->options & HERALD_HOST_IS_KEPT)) return false;
    read_part(record, part);
    bool is_its = record->sequence == *sequence;
    return header->tail == *sequence && is_its; /* otherwise it is in its cell by now */
}

void herald_host_log_continue(struct herald_host_header *old, struct herald_host_header *fresh) {
    fresh->first = herald_host_log_is_open(old) ? old->tail : herald_host_header_first(old);
    fresh->plain = old->plain;
    fresh->line = old->line;
    fresh->origin = herald_host_header_origin(old);
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

enum { FIELDS_AT = offsetof(struct herald_host_record, entry) };

/* Takes room for a record in the ring, at the next cache line. By raising `intent`, announces that the records in this
 * room are gone. */
static struct herald_host_record *reserve(struct herald_host_header *header, uint32_t number, size_t size) {
    struct herald_host_ring *ring = herald_host_ring_at(header, number);
    uint64_t position = (ring->intent + HERALD_LINE - 1) & ~(uint64_t)(HERALD_LINE - 1);
    size_t offset = position % HERALD_HOST_RING;
    if (offset + size > HERALD_HOST_RING) position += HERALD_HOST_RING - offset; /* a record does not wrap */
    if (HERALD_HOST_STEP(INTENT)) atomic_store_explicit(&ring->intent, position + size, memory_order_release);
    if (HERALD_HOST_STEP(INTENT_FENCE))
        atomic_thread_fence(memory_order_release); /* before any byte is written; partners: the fences in take and
                                                      read_part */
    struct herald_host_record *record = herald_host_record_at(header, number, position % HERALD_HOST_RING);
    atomic_store_explicit(&record->position, position, relaxed);
    return record;
}

/* The bytes of the part that follows the record. */
static size_t part_size(uint32_t options) {
    return options & HERALD_HOST_IS_KEPT ? sizeof(struct herald_host_part) : 0;
}

static void write_record(struct herald_host_record *record, const struct herald_host_outgoing *outgoing) {
    size_t part = part_size(outgoing->fields.options);
    unsigned char *bytes = (unsigned char *)(record + 1);
    herald_host_copy_in((unsigned char *)record + FIELDS_AT, &outgoing->fields, sizeof outgoing->fields);
    if (part) herald_host_copy_in(bytes, &outgoing->part, part);
    herald_host_content_write(bytes + part, outgoing);
}

enum herald_host_written herald_host_log_write(struct herald_host_header *header, uint32_t ring,
                                               const struct herald_host_outgoing *outgoing) {
    const struct herald_host_fields *fields = &outgoing->fields;
    size_t size = sizeof(struct herald_host_record) + part_size(fields->options) + herald_host_content_size(fields);
    struct herald_host_record *record = reserve(header, ring, size);
    const _Atomic uint32_t *counter = fields->options & HERALD_HOST_IS_PLAIN    ? &header->plain
                                      : fields->options & HERALD_HOST_IS_SILENT ? NULL
                                      : outgoing->entry                         ? &outgoing->entry->logged
                                                                                : NULL;
    enum herald_host_written written = HERALD_HOST_NOT_WRITTEN;
    if (!HERALD_HOST_STEP(COMPLETE)) written = publish(header, record, outgoing->value, counter, fields->hash, ring);
    write_record(record, outgoing);
    if (HERALD_HOST_STEP(COMPLETE)) written = publish(header, record, outgoing->value, counter, fields->hash, ring);
    return written;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* The position of a record: how many bytes had been written to the ring before it. The record itself may have been
 * written over, so the position comes from the record's word and from the ring's `intent`. The word has the lower 24
 * bits of position / 64. Positions with the same bits are 1 GiB apart. The result is the highest of them that is not
 * above `intent`. It is the right one, because the record is less than 1 GiB behind: when `intent` was read, the word
 * was still in the index, so fewer than HERALD_HOST_SLOTS later records had been published. */
static uint64_t position_of(uint64_t word, uint64_t intent) {
    uint64_t lines = intent / HERALD_LINE;
    return (lines - ((lines - line_in(word)) & LINE_MASK)) * HERALD_LINE;
}

/* Copies the record that a word leads to. False: the record is gone, the word is spoilt, or memory is out. */
static bool take(struct herald_host_header *header, uint64_t sequence, uint64_t word,
                 struct herald_host_received **block) {
    struct herald_host_fields fields;
    struct herald_host_record *record = record_of(header, word);
    if (!record) return false;
    struct herald_host_ring *ring = herald_host_ring_at(header, ring_in(word));
    uint64_t intent = ring->intent;
    if (*herald_host_log_slot(header, sequence) != word) return false; /* read after the intent: see position_of */
    uint64_t position = position_of(word, intent);
    if (intent - position > HERALD_HOST_RING && HERALD_HOST_STEP(INTENT)) return false;
    herald_host_copy_out((unsigned char *)&fields, (unsigned char *)record + FIELDS_AT, sizeof fields);
    if (atomic_load_explicit(&record->sequence, relaxed) != sequence) return false;
    if (atomic_load_explicit(&record->position, relaxed) != position || !herald_host_content_is_possible(&fields))
        return false;
    size_t part = part_size(fields.options), size = part + herald_host_whole_words(herald_host_content_size(&fields));
    if (size > HERALD_HOST_RING - sizeof *record - position % HERALD_HOST_RING) return false;
    struct herald_host_received *received =
        herald_host_content_copy(block, &fields, (const unsigned char *)(record + 1) + part);
    if (!received) return false;
    atomic_thread_fence(memory_order_acquire); /* after the last byte is read; partner: the fence in reserve */
    if (HERALD_HOST_STEP(RECHECK) && ring->intent - position > HERALD_HOST_RING) return false;
    return herald_host_content_point(received, sequence);
}

/* Counts the records from the cursor to `until` as lost, and moves the cursor to `until`. The fence: a counter
 * (`logged` or `plain`) that is read after it includes the lost records. */
static void lose(struct herald_host_cursor *cursor, uint64_t until) {
    atomic_thread_fence(memory_order_acquire);
    cursor->lost += until - cursor->next;
    cursor->next = until;
}

/* For a reader that was overtaken: the word at the cursor is `laps` ahead. Moves the cursor to the oldest record that
 * is left, and ROOM records further, so that the writers do not overtake the reader again at once. A spoilt word may
 * have any lap, so the cursor stops at the tail. Beyond the tail the reader would find nothing until the writers came
 * there. Returns false if the cursor does not move. */
static bool leap(struct herald_host_cursor *cursor, int32_t laps) {
    enum { ROOM = HERALD_HOST_SLOTS / 16 };
    uint64_t until = cursor->next + (uint64_t)(laps - 1) * HERALD_HOST_SLOTS + 1 + ROOM, tail = cursor->header->tail;
    if (HERALD_HOST_STEP(TAIL) && (int64_t)(until - tail) > 0) until = tail;
    if ((int64_t)(until - cursor->next) <= 0) return false;
    if (HERALD_HOST_STEP(LAPPED)) lose(cursor, until);
    if (!HERALD_HOST_STEP(LAPPED)) cursor->next = until;
    return true;
}

/* Called when the word at the cursor was of an earlier lap. Returns true if the log ends at the cursor. Otherwise the
 * tail is further on. Then either the word has been written since, or it was spoilt. The record of a spoilt word is
 * counted as lost. */
static bool is_end(struct herald_host_cursor *cursor) {
    struct herald_host_header *header = cursor->header;
    uint64_t tail = header->tail;
    int64_t behind = (int64_t)(tail - cursor->next);
    /* If the tail was spoilt, it may be far behind the cursor. The next message moves the tail on again. */
    if (behind <= 0) return true;
    if (ahead(*herald_host_log_slot(header, cursor->next), cursor->next) >= 0) return false;
    lose(cursor, behind <= HERALD_HOST_SLOTS ? cursor->next + 1 : tail);
    return false;
}

struct herald_host_cursor herald_host_log_beginning(struct herald_host_header *header) {
    return (struct herald_host_cursor){.header = header, .next = herald_host_header_first(header)};
}

/* First moves the tail on, if its record has been published. This process may have read that record before, with an
 * earlier cursor: then its observers would hear it twice. */
struct herald_host_cursor herald_host_log_end(struct herald_host_header *header) {
    struct herald_host_cursor cursor = herald_host_log_beginning(header);
    if (!herald_host_log_is_open(header)) return cursor;
    herald_host_log_help(header, END);
    cursor.next = header->tail;
    return cursor;
}

enum herald_host_read herald_host_log_read(struct herald_host_cursor *cursor, uint64_t groups,
                                           struct herald_host_received **block) {
    enum { MOST = 4 * HERALD_HOST_SLOTS };
    struct herald_host_header *header = cursor->header;
    if (!herald_host_log_is_open(header)) return HERALD_HOST_READ_NOTHING;
    for (int i = 0; i < MOST; i++) {
        uint64_t word = *herald_host_log_slot(header, cursor->next);
        int32_t laps = ahead(word, cursor->next);
        if (laps < 0) {
            if (is_end(cursor)) return HERALD_HOST_READ_NOTHING;
        } else if (laps > 0) {
            if (!leap(cursor, laps)) return HERALD_HOST_READ_NOTHING;
        } else if (ring_in(word) == END) {
            return HERALD_HOST_READ_NOTHING; /* the log has ended, and all of it has been read */
        } else if (!(groups & group_in(word))) {
            cursor->next++;
        } else if (take(header, cursor->next, word, block)) {
            cursor->next++;
            return HERALD_HOST_READ_IT;
        } else {
            lose(cursor, cursor->next + 1);
        }
    }
    return HERALD_HOST_READ_ON;
}

/* Begins at the tail itself, because the record there may have been published, though it has not been counted yet. */
bool herald_host_log_leads_to(struct herald_host_header *header, uint32_t ring, uint64_t oldest) {
    uint64_t tail = header->tail; /* a spoilt tail may be any number */
    for (uint64_t back = 0; back < HERALD_HOST_SLOTS && back <= tail && tail - back >= oldest; back++) {
        uint64_t word = *herald_host_log_slot(header, tail - back);
        if (ahead(word, tail - back) == 0 && ring_in(word) == ring) return true;
    }
    return false;
}
