/* Names: interned for the life of the process.
 *
 * Ordering: A thread with a record finds names in a section, without a lock. That is enough, because names are never
 * removed from the set (table.h), and the set's old maps go to the reclaimer.
 * Progress: Finding a name is wait-free for a thread with a record. A thread without a record takes the lock to find a
 * name. Every thread takes the lock to make a name.
 * Ownership: A name is one allocation. It stays in the set and is never freed.
 */
#include "name.h"
#include "barrier.h"
#include "call.h"
#include "entry_points.h"
#include "ground_sanitizer.h"
#include "ground_table.h"
#include "ground_utf8.h"
#include "lock.h"
#include "memory.h"
#include "table.h"

struct HeraldName {
    uint64_t hash;
    uint32_t length;
    bool is_object; /* atomic: HeraldObjectForString has returned `text` as an object */
    char text[];    /* never empty; ends with a 0 */
};

/* A key to look up. A key has a 0 where a name has its text. Names are never empty, so `equal` can tell a key from a
 * name. */
struct key {
    uint64_t hash;
    uint32_t length;
    bool is_object;
    char nothing[3];
    const char *text;
};
herald_static_assert(offsetof(struct key, nothing) == offsetof(struct HeraldName, text),
                     "a key has a 0 where a name has its text");

static struct herald_table names;
static bool have_names; /* atomic: `names` has been created */

static uint64_t read_8(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static uint64_t read_4(const char *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* One multiplication for each 16 bytes. The process's secret is mixed into both operands, so no caller can choose names
 * that collide (R13). The same pass finds out whether the text is ASCII. Most names are. */
HERALD_INLINE uint64_t hash_text(const char *text, size_t length, bool *ascii) {
    uint64_t hash = length, all = 0, first, last;
    for (; length > 16; text += 16, length -= 16) {
        first = read_8(text);
        last = read_8(text + 8);
        hash = herald_fold(first ^ herald_secret[0], last ^ hash ^ herald_secret[1]);
        all |= first | last;
    }
    /* Reads the last 1 to 16 bytes as two words, one from each end. The words may overlap. */
    if (length >= 8) {
        first = read_8(text);
        last = read_8(text + length - 8);
    } else if (length >= 4) {
        first = read_4(text);
        last = read_4(text + length - 4);
    } else {
        first = (unsigned char)text[0];
        last = (uint64_t)(unsigned char)text[length / 2] << 8 | (unsigned char)text[length - 1];
    }
    *ascii = !((all | first | last) & UINT64_C(0x8080808080808080));
    return herald_mix(first ^ hash, last);
}

static bool is_named(const struct HeraldName *name, const struct key *key) {
    return name->hash == key->hash && name->length == key->length && memcmp(name->text, key->text, key->length) == 0;
}

/* The set compares a stored name with a key, or with a name that is being put into the set. */
static bool equal(const void *stored, const void *other) {
    const struct HeraldName *name = other;
    herald_tsan_acquire(stored);
    ground_watched_acquire(stored);
    struct key key = {name->hash, name->length, false, "", name->text};
    return is_named(stored, name->text[0] ? &key : other);
}

static bool make_key(struct key *key, const char *utf8) {
    bool ascii;
    herald_table_prepare();
    size_t length = utf8 ? strlen(utf8) : 0;
    if (!length || length > UINT32_MAX) return false;
    *key = (struct key){hash_text(utf8, length, &ascii), (uint32_t)length, false, "", utf8};
    return ascii || ground_utf8_is_text(utf8);
}

static HeraldNameRef find(const struct key *key) {
    if (!load_acquire(&have_names)) return NULL; /* partner: the release in create() */
    herald_call_attach();
    struct herald_thread *self = herald_self;
    HeraldNameRef name, *found = &self->names[key->hash >> 60];
    if (herald_thread_has_record(self)) {
        if (herald_likely(*found && is_named(*found, key))) return *found;
        herald_section_begin(self, herald_barrier_is_fencing());
        if (HERALD_STEP(FIND_POLL)) herald_handshake_poll(self);
        name = herald_table_find(&names, key->hash, key);
        herald_section_end(self);
        if (name) *found = name;
    } else {
        herald_mutex_lock(HERALD_LOCK(NAMES));
        name = herald_table_find(&names, key->hash, key);
        herald_mutex_unlock(HERALD_LOCK(NAMES));
    }
    return name;
}

HeraldNameRef herald_own_HeraldNameFind(const char *utf8) {
    struct key key;
    return make_key(&key, utf8) ? find(&key) : NULL;
}

static struct HeraldName *copy(const struct key *key) {
    struct HeraldName *name = malloc(offsetof(struct HeraldName, text) + key->length + 1);
    if (!name) return NULL;
    name->hash = key->hash;
    name->length = key->length;
    name->is_object = false;
    memcpy(name->text, key->text, (size_t)key->length + 1);
    ground_watched_release(name); /* partner: equal() */
    return name;
}

/* Under the lock. */
static HeraldNameRef create(const struct key *key) {
    if (!have_names) {
        if (!herald_table_create(&names, equal)) return NULL;
        store_release(&have_names, true);
    }
    HeraldNameRef found = herald_table_find(&names, key->hash, key); /* another thread may have made the name */
    if (found) return found;
    struct HeraldName *name = copy(key);
    if (name && !herald_table_put(&names, name->hash, name)) {
        free(name);
        return NULL;
    }
    return name;
}

HeraldNameRef herald_own_HeraldNameCreate(const char *utf8) {
    struct key key;
    if (!make_key(&key, utf8)) return NULL;
    HeraldNameRef name = find(&key);
    if (name) return name;
    herald_mutex_lock(HERALD_LOCK(NAMES));
    name = create(&key);
    herald_mutex_unlock(HERALD_LOCK(NAMES));
    herald_tidy(); /* the set may have retired a map */
    return name;
}

enum { ADDRESS = 1 }; /* set in a name that is an address; clear in other names, which malloc has aligned */

HeraldNameRef HeraldNameForAddress(const void *address) {
    if (!address || (uintptr_t)address & ADDRESS) return NULL;
    return (HeraldNameRef)(const void *)((const char *)address + ADDRESS);
}

const char *herald_own_HeraldNameGetUTF8String(HeraldNameRef name) {
    return name && !((uintptr_t)name & ADDRESS) ? name->text : NULL;
}

/* ---- Objects (R23) ----------------------------------------------------------------------------------------------- */

static const char nothing[1]; /* the object of the empty text, which cannot be a name */

static uint64_t address_hash(const void *object) { return ground_mix((uint64_t)(uintptr_t)object); }

/* All objects but `nothing`, found by their addresses; written under the lock of the names. */
static struct ground_table objects = {.is_read_without_lock = true, .hash = address_hash};

static bool enlist_object(struct HeraldName *name) {
    herald_mutex_lock(HERALD_LOCK(NAMES));
    bool there = name->is_object || ground_table_reserve(&objects);
    if (there && !name->is_object) {
        ground_table_insert(&objects, name->text);
        store_release(&name->is_object, true); /* the object is in the table */
    }
    herald_mutex_unlock(HERALD_LOCK(NAMES));
    return there;
}

/* The object for a text is a pointer to `text` in the name with that text. Whoever gets it finds it in `objects`:
 * partner of the acquire is the release above. */
const void *herald_own_HeraldObjectForString(const char *utf8) {
    if (utf8 && !utf8[0]) return nothing;
    struct HeraldName *name = (struct HeraldName *)HeraldNameCreate(utf8);
    return name && (load_acquire(&name->is_object) || enlist_object(name)) ? name->text : NULL;
}

const char *herald_name_text_of(const void *object) {
    if (object == nothing) return nothing;
    return object ? (const char *)ground_table_get(&objects, address_hash(object), ground_table_is_element, object)
                  : NULL;
}

const void *herald_name_find_object(const char *utf8) {
    if (!utf8) return NULL;
    if (!utf8[0]) return nothing;
    HeraldNameRef name = HeraldNameFind(utf8);
    return name && load_acquire(&name->is_object) ? name->text : NULL;
}

uint64_t herald_name_hash(const char *utf8) {
    bool ascii;
    size_t length = strlen(utf8);
    herald_table_prepare();
    return length ? hash_text(utf8, length, &ascii) : 0;
}
