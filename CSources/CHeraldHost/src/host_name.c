/* This process's names: making them, finding them, and entering them in the segment.
 *
 * Ordering: That of ground_table.h. Threads find a name by its HeraldNameRef without the session's lock.
 * Progress: Finding takes no lock.
 * Ownership: Names are never freed. They are changed under the session's lock.
 */
#include "host_name.h"
#include "host_complaint.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_ref(const void *name) {
    return ground_mix((uintptr_t)((const struct herald_host_name *)name)->name);
}
static uint64_t hash_text(const void *name) { return ((const struct herald_host_name *)name)->hash; }

struct ground_table herald_host_names = {.is_read_without_lock = true, .hash = hash_ref};
static struct ground_table by_text = {.hash = hash_text};

struct text {
    const char *bytes;
    uint32_t length, hash;
};

static bool has_text(const void *element, const void *key) {
    const struct herald_host_name *name = element;
    const struct text *text = key;
    return name->hash == text->hash && name->length == text->length &&
           memcmp(name->text, text->bytes, text->length) == 0;
}

struct herald_host_name *herald_host_name_by_text(const char *text, uint32_t length, uint32_t hash) {
    const struct text key = {text, length, hash};
    return ground_table_get(&by_text, hash, has_text, &key);
}

static struct herald_host_name *allocate(void) {
    struct herald_host_name *name = calloc(1, sizeof *name);
    bool is_room = name && ground_table_reserve(&herald_host_names);
    if (is_room && ground_table_reserve(&by_text)) return name;
    if (is_room) ground_table_unreserve(&herald_host_names);
    free(name);
    return NULL;
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
    struct herald_host_name *name = allocate();
    if (!name) return herald_host_complain_of_memory();
    name->name = ref;
    name->text = text;
    name->length = length;
    name->hash = herald_host_entry_hash(text, length);
    name->is_private = herald_host_name_is_private(text);
    name->absent_at = UINT64_MAX;
    ground_table_insert(&herald_host_names, name);
    ground_table_insert(&by_text, name);
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
