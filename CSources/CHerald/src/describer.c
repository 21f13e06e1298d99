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

enum { DESCRIBERS = 64 };
typedef void herald_describer(const void *observer, HeraldDescription *description);

static struct known {
    HeraldCallback callback;
    herald_describer *describe;
} known[DESCRIBERS]; /* protected by describers_lock */
static pthread_mutex_t describers_lock = PTHREAD_MUTEX_INITIALIZER;

typedef size_t name_describer(HeraldNameRef name, char *buffer, size_t size);
static name_describer *describe_name; /* atomic */

enum { TAGS = 32 };
static struct known_tag {
    const void *tag;
    name_describer *describe;
} known_tags[TAGS]; /* protected by describers_lock */

/* Under the lock: returns the place of the callback, or a free place if it has none, or NULL if no place is free. */
static struct known *place_of(HeraldCallback callback) {
    struct known *free_one = NULL;
    for (struct known *each = known; each != known + DESCRIBERS; each++) {
        if (each->callback == callback && each->describe) return each;
        if (!each->describe && !free_one) free_one = each;
    }
    return free_one;
}

void herald_own_HeraldSetDescriber(HeraldCallback callback, herald_describer *describe) {
    if (!callback) return;
    herald_mutex_lock(&describers_lock);
    struct known *place = place_of(callback);
    if (place) {
        place->callback = callback;
        place->describe = describe;
    }
    herald_mutex_unlock(&describers_lock);
}

static herald_describer *describer_of(HeraldCallback callback) {
    herald_mutex_lock(&describers_lock);
    const struct known *place = place_of(callback);
    herald_describer *describe = place && place->callback == callback ? place->describe : NULL;
    herald_mutex_unlock(&describers_lock);
    return describe;
}

enum herald_described herald_describe(HeraldCenterRef center, uint64_t registration, HeraldCallback callback,
                                      HeraldDescription *description) {
    herald_describer *describe = describer_of(callback);
    if (!describe) return HERALD_UNDESCRIBED;
    memset(description, 0, sizeof *description);
    description->size = sizeof *description;
    description->alive = true;
    HERALD_OVERFLOW_CALL(call);
    herald_overflow_call_begin(&call, NULL, NULL);
    herald_center_lock(center);
    struct herald_slot *slot = herald_slots_find(&center->slots, registration);
    bool there = slot && load_relaxed(&slot->state) == HERALD_ACTIVE;
    if (there) {
        store_release(&call.frame->pins[0], slot->bucket->current);
        store_release(&call.frame->hazard, (uintptr_t)slot);
    }
    herald_center_unlock(center);
    if (there) {
        describe(herald_slot_caller(slot).observer, description);
        herald_call_show(call.frame, NULL, true);
        herald_call_look_back(slot);
    }
    herald_overflow_call_end(&call);
    return there ? HERALD_DESCRIBED : HERALD_GONE;
}

void herald_own_HeraldSetNameDescriber(name_describer *describe) { store_release(&describe_name, describe); }

/* Under the lock: returns the place of the tag, or a free place if it has none, or NULL if no place is free. */
static struct known_tag *place_of_tag(const void *tag) {
    struct known_tag *free_one = NULL;
    for (struct known_tag *each = known_tags; each != known_tags + TAGS; each++) {
        if (each->tag == tag) return each;
        if (!each->tag && !free_one) free_one = each;
    }
    return free_one;
}

void herald_own_HeraldSetTagDescriber(const void *tag, name_describer *describe) {
    if (!tag) return;
    herald_mutex_lock(&describers_lock);
    struct known_tag *place = place_of_tag(tag);
    if (place) {
        place->tag = describe ? tag : NULL; /* without a describer the place is free */
        place->describe = describe;
    }
    herald_mutex_unlock(&describers_lock);
}

static name_describer *describer_of_tag(const void *tag) {
    if (!tag) return NULL;
    herald_mutex_lock(&describers_lock);
    const struct known_tag *place = place_of_tag(tag);
    name_describer *describe = place && place->tag == tag ? place->describe : NULL;
    herald_mutex_unlock(&describers_lock);
    return describe;
}

size_t herald_own_HeraldNameDescribe(HeraldNameRef name, const void *tag, char *buffer, size_t size) {
    const char *text = name ? HeraldNameGetUTF8String(name) : "";
    size_t length = 0;
    if (!buffer || !size) return 0;
    name_describer *describe = text ? NULL : describer_of_tag(tag);
    if (!describe) describe = load_acquire(&describe_name);
    if (!text && describe) length = describe(name, buffer, size);
    if (length) return length;
    int written = text ? snprintf(buffer, size, "%s", text)
                       : snprintf(buffer, size, "%p", (const void *)((const char *)name - 1));
    return written < 0 ? 0 : (size_t)written;
}

void herald_describers_before_fork(void) { pthread_mutex_lock(&describers_lock); }
void herald_describers_after_fork(void) { pthread_mutex_unlock(&describers_lock); }
