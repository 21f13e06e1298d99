/* The functions that describe observers, names and tags.
 *
 * Ordering: That of the lock. While a describer runs, a frame shows the registration as if it were being called. So the
 * observer is not released in that time.
 * Progress: Bounded by the number of describers.
 * Ownership: None: describers are functions.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "describer.h"
#include "call.h"
#include "entry_points.h"
#include "mutex.h"
#include <stdio.h>
#include <string.h>

typedef void herald_describer(const void *observer, HeraldDescription *description);
typedef size_t name_describer(HeraldNameRef name, char *buffer, size_t size);
typedef void (*function)(void);

static name_describer *describe_name; /* atomic */

struct known {
    const void *key; /* NULL: the place is free */
    function describe;
};

static struct table {
    size_t room;
    struct known known[64];
} callbacks = {64, {{NULL, NULL}}}, tags = {32, {{NULL, NULL}}};

/* Under the lock: the place of the key, or a free place if it has none, or NULL if no place is free. */
static struct known *place_of(struct table *table, const void *key) {
    struct known *free_one = NULL;
    for (struct known *each = table->known; each != table->known + table->room; each++) {
        if (each->key == key) return each;
        if (!each->key && !free_one) free_one = each;
    }
    return free_one;
}

/* `describe` is NULL: frees the key's place. */
static void set(struct table *table, const void *key, function describe) {
    if (!key) return;
    herald_mutex_lock(HERALD_LOCK(DESCRIBERS));
    struct known *place = place_of(table, key);
    if (place) {
        place->key = describe ? key : NULL;
        place->describe = describe;
    }
    herald_mutex_unlock(HERALD_LOCK(DESCRIBERS));
}

static function get(struct table *table, const void *key) {
    if (!key) return NULL;
    herald_mutex_lock(HERALD_LOCK(DESCRIBERS));
    const struct known *place = place_of(table, key);
    function describe = place && place->key == key ? place->describe : NULL;
    herald_mutex_unlock(HERALD_LOCK(DESCRIBERS));
    return describe;
}

static const void *key_of(HeraldCallback callback) { return (const void *)(uintptr_t)callback; }

void herald_own_HeraldSetDescriber(HeraldCallback callback, herald_describer *describe) {
    set(&callbacks, key_of(callback), (function)describe);
}

void herald_own_HeraldSetTagDescriber(const void *tag, name_describer *describe) {
    set(&tags, tag, (function)describe);
}

void herald_own_HeraldSetNameDescriber(name_describer *describe) { store_release(&describe_name, describe); }

enum herald_described herald_describe(HeraldCenterRef center, uint64_t registration, HeraldCallback callback,
                                      HeraldDescription *description) {
    herald_describer *describe = (herald_describer *)get(&callbacks, key_of(callback));
    if (!describe) return HERALD_UNDESCRIBED;
    memset(description, 0, sizeof *description);
    description->size = sizeof *description;
    description->alive = true;
    HERALD_OVERFLOW_CALL(call);
    herald_overflow_call_begin(&call, NULL, NULL);
    herald_center_lock(center);
    struct herald_slot *slot = herald_slots_find(&center->slots, registration);
    bool there = slot && herald_slot_is_there(slot);
    if (there) herald_call_show_alone(call.frame, slot);
    herald_center_unlock(center);
    if (there) {
        HERALD_HOOKS(hooks);
        describe(herald_slot_caller(slot).observer, description);
    }
    if (there) {
        herald_call_leave_alone(call.frame, slot);
    }
    herald_overflow_call_end(&call);
    return there ? HERALD_DESCRIBED : HERALD_GONE;
}

size_t herald_own_HeraldNameDescribe(HeraldNameRef name, const void *tag, char *buffer, size_t size) {
    const char *text = name ? HeraldNameGetUTF8String(name) : "";
    size_t length = 0;
    if (!buffer || !size) return 0;
    name_describer *describe = text ? NULL : (name_describer *)get(&tags, tag);
    if (!describe) describe = load_acquire(&describe_name);
    if (!text && describe) length = describe(name, buffer, size);
    if (length) return length;
    int written = text ? snprintf(buffer, size, "%s", text)
                       : snprintf(buffer, size, "%p", (const void *)((const char *)name - 1));
    return written < 0 ? 0 : (size_t)written;
}
