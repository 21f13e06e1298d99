/* The name table: open addressing without a lock, in up to four regions (layout.h).
 *
 * A search looks at a fixed number of places in each region, from the name's hash on. These places are the same in
 * every process. A taken place is never free again, so a search ends at the first free place. If two processes enter
 * the same name at once, the second finds the entry of the first. A name's text is written before its place is taken.
 * So a process that is killed in between only leaves some bytes unused.
 *
 * If a region has no room for a text, the free places that the search finds there are closed before the search goes on
 * to the next region. Otherwise the name could get two entries. Another process may have taken the last room for the
 * same text. It could still enter the name in this region, while this process enters the name in the next one.
 *
 * Ordering: Sequentially consistent. The text is written before the word `name` that leads to it.
 * Progress: Lock-free between processes. In each region a search looks at a bounded number of places.
 * Ownership: An entry belongs to no process. Every process may count posts in it.
 */
#include "entry.h"
#include "channel.h"
#include "host_complaint.h"
#include <string.h>

enum {
    PROBES = 32,
    MOST_PROBES = 1024,
    LAST = HERALD_HOST_REGIONS - 1,
    KEPT = 64 /* one 64th of the room for texts in the last region is kept for names that move */
};

/* In the last region the search looks at all places, because there is no next region. */
static uint32_t probes(uint32_t region) {
    return HERALD_HOST_STEP(PROBES) && region == LAST ? herald_host_region_names(region) : PROBES;
}

static uint64_t hash_of(const char *text, uint32_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    hash ^= hash >> 32;
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

uint32_t herald_host_entry_hash(const char *text, uint32_t length) { return (uint32_t)hash_of(text, length); }

/* Makes the word `name` of an entry: see layout.h. */
static uint64_t word_of(uint32_t offset, uint32_t length, uint64_t hash) {
    return (uint64_t)offset << 32 | length << 22 | (hash & 0x3fffff);
}
static uint32_t offset_in(uint64_t word) { return (uint32_t)(word >> 32); }
static uint32_t length_in(uint64_t word) { return (uint32_t)word >> 22; }

/* The text to which a word leads. NULL: the word cannot be that of a name. */
static const char *text_in(struct herald_host_segment *segment, uint32_t region, uint64_t word) {
    uint32_t length = length_in(word), offset = offset_in(word), size = herald_host_region_bytes(region);
    bool fits = length && length <= HERALD_HOST_NAME_LIMIT && offset <= size && length <= size - offset;
    if (HERALD_HOST_STEP(TEXT_BOUNDS) && !fits) return NULL;
    return herald_host_region_texts(segment->header, region) + offset;
}

/* A search for a name, and the region in which it looks now. */
struct search {
    struct herald_host_segment *segment;
    const char *text;
    uint32_t length;
    uint64_t hash;
    uint32_t region;
    bool moves; /* the name comes from another file, and may use the room kept for such names */
};

static struct herald_host_entry *place(const struct search *search, uint32_t probe) {
    uint32_t mask = herald_host_region_names(search->region) - 1;
    uint32_t index = ((uint32_t)(search->hash >> 32) + probe) & mask;
    return herald_host_region_entries(search->segment->header, search->region) + index;
}

static bool is_at(const struct search *search, uint64_t word) {
    if ((uint32_t)word != (uint32_t)word_of(0, search->length, search->hash)) return false;
    const char *text = text_in(search->segment, search->region, word);
    return text && memcmp(text, search->text, search->length) == 0;
}

struct herald_host_entry *herald_host_entry_find(struct herald_host_segment *segment, const char *text,
                                                 uint32_t length) {
    struct search search = {segment, text, length, hash_of(text, length), 0, false};
    for (; search.region < herald_host_segment_regions(segment); search.region++) {
        for (uint32_t probe = 0; probe < probes(search.region); probe++) {
            struct herald_host_entry *entry = place(&search, probe);
            uint64_t word = entry->name;
            if (!word) return NULL;
            if (is_at(&search, word)) return entry;
        }
    }
    return NULL;
}

/* Takes room in the search's region and writes the text there. False when there is no room. */
static bool write_text(const struct search *search, uint32_t *offset) {
    struct herald_host_header *header = search->segment->header;
    _Atomic uint32_t *used = &header->bytes_used[search->region];
    uint32_t size = herald_host_region_bytes(search->region), at = *used;
    if (search->region == LAST && !search->moves) size -= size / KEPT;
    do {
        if (at > size || search->length > size - at) return false;
    } while (!atomic_compare_exchange_weak(used, &at, at + search->length));
    memcpy(herald_host_region_texts(header, search->region) + at, search->text, search->length);
    *offset = at;
    return true;
}

/* Finds the name in the search's region, or enters it there. NULL: the region has no place for it. */
static struct herald_host_entry *obtain_in_region(const struct search *search) {
    bool written = false;
    uint32_t offset = 0;
    for (uint32_t probe = 0; probe < probes(search->region); probe++) {
        struct herald_host_entry *entry = place(search, probe);
        uint64_t word = entry->name;
        if (!word) {
            if (probe > MOST_PROBES && !search->moves) return NULL;
            if (!written) written = write_text(search, &offset);
            uint64_t mine = written ? word_of(offset, search->length, search->hash) : HERALD_HOST_CLOSED;
            if (!written && (search->region == LAST || !HERALD_HOST_STEP(CLOSE))) return NULL;
            /* Release (by the exchange): a process that reads the word also sees the text. */
            if (atomic_compare_exchange_strong(&entry->name, &word, mine)) word = mine;
        }
        if (is_at(search, word)) return entry;
    }
    return NULL;
}

HeraldStatus herald_host_entry_obtain(struct herald_host_segment *segment, const char *text, uint32_t length,
                                      bool moves, struct herald_host_entry **entry) {
    struct search search = {segment, text, length, hash_of(text, length), 0, moves};
    for (*entry = NULL; search.region < HERALD_HOST_REGIONS; search.region++) {
        if (search.region == herald_host_segment_regions(segment)) {
            HeraldStatus status = herald_host_segment_grow(segment);
            if (status != HeraldOK) return status;
        }
        *entry = obtain_in_region(&search);
        if (*entry) return HeraldOK;
    }
    return HeraldOK;
}

uint32_t herald_host_entry_text(struct herald_host_segment *segment, uint32_t region,
                                const struct herald_host_entry *entry, char text[HERALD_HOST_NAME_LIMIT + 1]) {
    uint64_t word = entry->name;
    const char *found = text_in(segment, region, word);
    if (!found) return 0;
    memcpy(text, found, length_in(word));
    text[length_in(word)] = 0;
    return length_in(word);
}

HeraldStatus herald_host_entries_carry(struct herald_host_segment *old, struct herald_host_segment *segment,
                                       bool (*goes_along)(const struct herald_host_segment *old,
                                                          const struct herald_host_entry *entry),
                                       void (*carry)(struct herald_host_entry *old, struct herald_host_entry *entry)) {
    char text[HERALD_HOST_NAME_LIMIT + 1];
    for (uint32_t region = 0; region < herald_host_segment_regions(old); region++)
        for (uint32_t i = 0; i < herald_host_region_names(region); i++) {
            struct herald_host_entry *from = herald_host_region_entries(old->header, region) + i, *entry;
            uint32_t length = from->name && goes_along(old, from) ? herald_host_entry_text(old, region, from, text) : 0;
            if (!length) continue;
            HeraldStatus status = herald_host_entry_obtain(segment, text, length, true, &entry);
            if (status != HeraldOK) return status;
            if (entry && carry) carry(from, entry);
        }
    return HeraldOK;
}

/* ---- States ------------------------------------------------------------------------------------------------------ */

/* A state is a number that processes set for a name. When another file becomes the user's file, the states are copied
 * to it, after the old file is marked as superseded. A process that sets a state in the old file after the mark sets it
 * again in the new file. A process that replaces a file copies all states before another process can see the new file.
 * So a process that comes to the new file later finds all states set, and copies none. If a file was removed instead,
 * the first process that moves to the next file copies the states. If the removed file is put back before all processes
 * have left it, some states may be out of date.
 *
 * A file that begins a new line has the states of a file that all processes had left for another folder. The states
 * that processes bring from there are newer, and replace them. So these states are marked as older until somebody sets
 * them. */
void herald_host_entry_set_state(struct herald_host_entry *entry, uint64_t state) {
    /* The flags are changed first: see carry_state. */
    uint32_t flags = entry->flags |= HERALD_HOST_HAS_STATE;
    if (flags & HERALD_HOST_HAS_OLDER_STATE) entry->flags &= ~(uint32_t)HERALD_HOST_HAS_OLDER_STATE;
    entry->state = state;
}

/* Copies a state, unless a process has already set the state in the new file's line. The state is read before the
 * flags: a process that sets the state after that has it replaced by nobody. (If a process is setting the state to what
 * it is, at this moment, the old state may replace it.) */
static void carry_state(struct herald_host_entry *old, struct herald_host_entry *entry) {
    uint64_t before = entry->state;
    uint32_t flags = entry->flags;
    if (!(flags & HERALD_HOST_HAS_STATE)) {
        before = 0;
    } else if (!(flags & HERALD_HOST_HAS_OLDER_STATE)) {
        return;
    }
    atomic_compare_exchange_strong(&entry->state, &before, old->state);
    /* The flags are changed last: if this process is killed before that, the next process copies the state. */
    entry->flags |= HERALD_HOST_HAS_STATE;
    if (flags & HERALD_HOST_HAS_OLDER_STATE) entry->flags &= ~(uint32_t)HERALD_HOST_HAS_OLDER_STATE;
}

/* The next two are for a file that no other process sees yet. */
static void copy_state(struct herald_host_entry *old, struct herald_host_entry *entry) {
    uint32_t flags = old->flags & (HERALD_HOST_HAS_STATE | HERALD_HOST_HAS_OLDER_STATE);
    entry->state = old->state; /* whoever sets it at this moment finds the mark, and sets it again in the new file */
    entry->flags |= flags;
}
static void copy_older_state(struct herald_host_entry *old, struct herald_host_entry *entry) {
    copy_state(old, entry);
    entry->flags |= HERALD_HOST_HAS_OLDER_STATE;
}

bool herald_host_entry_has_state(const struct herald_host_segment *old, const struct herald_host_entry *entry) {
    (void)old;
    return entry->flags & HERALD_HOST_HAS_STATE;
}

HeraldStatus herald_host_entries_copy_states(struct herald_host_segment *old, struct herald_host_segment *fresh,
                                             bool new_line) {
    if (!HERALD_HOST_STEP(CARRY)) return HeraldOK;
    return herald_host_entries_carry(old, fresh, herald_host_entry_has_state, new_line ? copy_older_state : copy_state);
}

HeraldStatus herald_host_entries_carry_states(struct herald_host_segment *old, struct herald_host_segment *segment) {
    if (!HERALD_HOST_STEP(CARRY)) return HeraldOK;
    return herald_host_entries_carry(old, segment, herald_host_entry_has_state, carry_state);
}

/* ---- Watchers ---------------------------------------------------------------------------------------------------- */

enum { WORD = 64 };
static uint64_t bit_of(uint32_t channel) { return UINT64_C(1) << (channel % WORD); }
static uint64_t summary_bit(uint32_t channel) { return UINT64_C(1) << (channel - HERALD_HOST_BLOCK_CHANNELS) / WORD; }

/* Makes sure that the entry has a block (see layout.h). The block's memory is taken before the flag is set. A private
 * name ("self.") has the memory of its block already. */
static HeraldStatus make_block(struct herald_host_entry *entry, struct herald_host_segment *segment) {
    if (entry->flags & HERALD_HOST_HAS_BLOCK) return HeraldOK;
    size_t offset = (size_t)((char *)herald_host_entry_block(segment->header, entry) - (char *)segment->header);
    HeraldStatus status = HeraldOK;
    if (offset < HERALD_HOST_LOG_AT)
        status = herald_host_segment_fill(segment, offset, sizeof(struct herald_host_block));
    if (status == HeraldOK) entry->flags |= HERALD_HOST_HAS_BLOCK;
    return status;
}

/* A process that is killed during this call may leave its bits set. The next owner of its channel, or a sweep, clears
 * them. */
HeraldStatus herald_host_entry_watch(struct herald_host_entry *entry, struct herald_host_segment *segment,
                                     uint32_t channel) {
    if (channel >= HERALD_HOST_BLOCK_CHANNELS) {
        HeraldStatus status = make_block(entry, segment);
        if (status != HeraldOK) return status;
        if (HERALD_HOST_STEP(SUMMARY)) herald_host_entry_block(segment->header, entry)->summary |= summary_bit(channel);
    }
    _Atomic uint64_t *watchers = herald_host_entry_watchers(segment->header, entry, channel);
    if (watchers && HERALD_HOST_STEP(BIT)) *watchers |= bit_of(channel);
    return HeraldOK;
}

void herald_host_entry_unwatch(struct herald_host_entry *entry, struct herald_host_segment *segment, uint32_t channel) {
    _Atomic uint64_t *watchers = herald_host_entry_watchers(segment->header, entry, channel);
    if (watchers) *watchers &= ~bit_of(channel);
}

typedef void visit_channel(void *context, uint32_t channel);

static inline __attribute__((always_inline)) void visit_bits(uint64_t bits, uint32_t first, visit_channel *visit,
                                                             void *context) {
    for (; bits; bits &= bits - 1) visit(context, first + (uint32_t)__builtin_ctzll(bits));
}

static inline __attribute__((always_inline)) void visit_watchers(struct herald_host_entry *entry,
                                                                 struct herald_host_segment *segment,
                                                                 visit_channel *visit, void *context) {
    uint32_t words = sizeof entry->watchers / sizeof *entry->watchers;
    for (uint32_t i = 0; i < words; i++)
        visit_bits(entry->watchers[i], HERALD_HOST_INLINE_CHANNELS + i * WORD, visit, context);
    if (!(entry->flags & HERALD_HOST_HAS_BLOCK)) return;
    struct herald_host_block *block = herald_host_entry_block(segment->header, entry);
    words = sizeof block->watchers / sizeof *block->watchers;
    for (uint64_t rest = block->summary; rest; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);
        if (i < words) visit_bits(block->watchers[i], HERALD_HOST_BLOCK_CHANNELS + i * WORD, visit, context);
    }
}

void herald_host_entry_visit_watchers(struct herald_host_entry *entry, struct herald_host_segment *segment,
                                      visit_channel *visit, void *context) {
    visit_watchers(entry, segment, visit, context);
}

/* ---- Posting ----------------------------------------------------------------------------------------------------- */

/* Keeps the highest stamp, in whatever order threads store theirs. If a lower stamp replaced it, a post could be heard
 * before an earlier post of the same thread. */
void herald_host_entry_stamp(struct herald_host_entry *entry, struct herald_host_segment *segment) {
    if (!HERALD_HOST_STEP(STAMP)) return;
    uint64_t mine = ++segment->header->clock, found = entry->stamp;
    while (found < mine && !atomic_compare_exchange_weak(&entry->stamp, &found, mine)) {
    }
}

struct waking {
    struct herald_host_header *header;
    uint32_t group;
};
static void mark(void *context, uint32_t channel) {
    const struct waking *waking = context;
    herald_host_channel_mark(herald_host_channel_at(waking->header, channel), waking->group);
}
static void wake(void *context, uint32_t channel) {
    const struct waking *waking = context;
    herald_host_channel_wake(herald_host_channel_at(waking->header, channel));
}
/* Marks all channels, and only then wakes the sleepers. Otherwise a process that was woken could answer with a post,
 * and another process could hear the answer before this post. */
void herald_host_entry_wake(struct herald_host_entry *entry, struct herald_host_segment *segment, bool marks) {
    struct waking waking = {segment->header, herald_host_entry_group(entry)};
    if (marks) visit_watchers(entry, segment, mark, &waking);
    visit_watchers(entry, segment, wake, &waking);
}
