/* This process's names: making them, finding them, and entering them in the segment.
 *
 * Ordering: A name is complete before it is put into the table. A table is complete before it is published.
 * Progress: Finding takes no lock.
 * Ownership: Names and published tables are never freed. They are changed under the session's lock.
 */
#include "host_name.h"
#include "host_complaint.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct herald_host_name *herald_host_names;
struct herald_host_table *_Atomic herald_host_table;

static void put(struct herald_host_table *table, struct herald_host_name *name) {
    uint32_t place = herald_host_name_place(name->name);
    while (table->places[place & table->mask]) place++;
    table->places[place & table->mask] = name;
    table->count++;
}

/* The places of a second table, which finds names by their texts. It has the same names and the same size as
 * herald_host_table. Only threads with the session's lock use it. So when it has grown too small, it can be freed. */
static struct herald_host_name **by_text;

static void put_by_text(struct herald_host_name *name, uint32_t mask) {
    uint32_t place = name->hash;
    while (by_text[place & mask]) place++;
    by_text[place & mask] = name;
}

struct herald_host_name *herald_host_name_by_text(const char *text, uint32_t length, uint32_t hash) {
    const struct herald_host_table *table = herald_host_table;
    if (!table) return NULL;
    for (uint32_t place = hash;; place++) {
        struct herald_host_name *name = by_text[place & table->mask];
        if (!name || (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0))
            return name;
    }
}

static bool reserve(void) {
    struct herald_host_table *old = herald_host_table;
    if (old && old->count < old->mask / 2) return true;
    uint32_t size = old ? 2 * (old->mask + 1) : 64;
    struct herald_host_table *table = calloc(1, sizeof *table + size * sizeof table->places[0]);
    struct herald_host_name **texts = table ? calloc(size, sizeof *texts) : NULL;
    if (!texts) {
        free(table);
        return false;
    }
    table->mask = size - 1;
    free(by_text);
    by_text = texts;
    for (struct herald_host_name *name = herald_host_names; name; name = name->next) {
        put(table, name);
        put_by_text(name, table->mask);
    }
    herald_host_table = table;
    return true;
}

uint32_t herald_host_name_length(const char *text) {
    size_t length = text ? strnlen(text, HERALD_HOST_NAME_LIMIT + 1) : 0;
    if (length && length <= HERALD_HOST_NAME_LIMIT) return (uint32_t)length;
    herald_host_complain(HeraldInvalidArgument, !text    ? "a name that processes share must be a text"
                                                : length ? "a name has at most 512 bytes, and this one has more"
                                                         : "a name is not empty");
    return 0;
}

HeraldStatus herald_host_name_create(const char *text, HeraldNameRef *name) {
    if (!herald_host_name_length(text)) return HeraldInvalidArgument;
    errno = 0;
    *name = HeraldNameCreate(text);
    if (*name) return HeraldOK;
    if (errno == ENOMEM) return herald_host_complain_of_memory(); /* POSIX: malloc sets errno */
    return herald_host_complain(HeraldInvalidArgument, "the name is not UTF-8");
}

HeraldStatus herald_host_name_obtain(HeraldNameRef ref, struct herald_host_name **found) {
    *found = herald_host_name_find(ref);
    if (*found) return HeraldOK;
    const char *text = HeraldNameGetUTF8String(ref);
    uint32_t length = herald_host_name_length(text);
    if (!length) return HeraldInvalidArgument;
    struct herald_host_name *name = reserve() ? calloc(1, sizeof *name) : NULL;
    if (!name) return herald_host_complain_of_memory();
    name->name = ref;
    name->text = text;
    name->length = length;
    name->hash = herald_host_entry_hash(text, length);
    name->is_private = herald_host_name_is_private(text);
    name->absent_at = UINT64_MAX;
    name->next = herald_host_names;
    herald_host_names = name;
    put(herald_host_table, name);
    put_by_text(name, ((struct herald_host_table *)herald_host_table)->mask);
    *found = name;
    return HeraldOK;
}

/* Makes the entry of a private name ("self."), with its block behind it. */
static HeraldStatus enter_privately(struct herald_host_entry **entry) {
    size_t size = sizeof **entry + sizeof(struct herald_host_block);
    *entry = aligned_alloc(HERALD_LINE, size);
    if (!*entry) return herald_host_complain_of_memory();
    memset((void *)*entry, 0, size);
    return HeraldOK;
}

HeraldStatus herald_host_name_enter(struct herald_host_name *name, struct herald_host_segment *segment) {
    if (name->entry) return HeraldOK;
    struct herald_host_entry *entry;
    HeraldStatus status = name->is_private
                              ? enter_privately(&entry)
                              : herald_host_entry_obtain(segment, name->text, name->length, name->moved, &entry);
    if (status == HeraldOK) name->entry = entry;
    return status;
}

struct herald_host_entry *herald_host_name_look_up(struct herald_host_name *name, struct herald_host_segment *segment) {
    if (name->entry) return name->entry;
    /* Read before the look-up. If the name is entered during the look-up, `changes` has another value afterwards, and
     * the next post looks again. */
    uint64_t changes = segment->header->changes;
    if (!name->is_private) name->entry = herald_host_entry_find(segment, name->text, name->length);
    name->absent_at = changes;
    return name->entry;
}

void herald_host_name_leave(struct herald_host_name *name) {
    name->absent_at = UINT64_MAX;
    struct herald_host_entry *entry = name->entry;
    if (name->is_private && entry) {
        entry->stamp = 0; /* the next file has another clock */
        return;
    }
    name->entries++;
    name->entry = NULL;
    name->moved |= name->known;
    name->known = false;
}
