/* Ordering. The lock. While a describer runs the registration is shown in a frame like one that is called, so its
 * observer is not released. Progress. Bounded by their number. Ownership. None: describers are functions.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "describer.h"
#include "call.h"
#include <stdio.h>
#include <string.h>

enum { DESCRIBERS = 32 };
typedef void herald_describer(const void *observer, HeraldDescription *description);

static struct known {
    HeraldCallback callback;
    herald_describer *describe;
} known[DESCRIBERS]; /* its lock */
static pthread_mutex_t describers_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t (*describe_name)(HeraldNameRef name, char *buffer, size_t size); /* atomic */

/* Under the lock. Its place, or a free one, or NULL. */
static struct known *place_of(HeraldCallback callback) {
    struct known *free_one = NULL;
    for (struct known *each = known; each != known + DESCRIBERS; each++) {
        if (each->callback == callback && each->describe) return each;
        if (!each->describe && !free_one) free_one = each;
    }
    return free_one;
}

void HeraldSetDescriber(HeraldCallback callback, herald_describer *describe) {
    if (!callback) return;
    pthread_mutex_lock(&describers_lock);
    struct known *place = place_of(callback);
    if (place) {
        place->callback = callback;
        place->describe = describe;
    }
    pthread_mutex_unlock(&describers_lock);
}

static herald_describer *describer_of(HeraldCallback callback) {
    pthread_mutex_lock(&describers_lock);
    const struct known *place = place_of(callback);
    herald_describer *describe = place && place->callback == callback ? place->describe : NULL;
    pthread_mutex_unlock(&describers_lock);
    return describe;
}

enum herald_described herald_describe(HeraldCenterRef center, uint64_t registration, HeraldCallback callback,
                                      HeraldDescription *description) {
    herald_describer *describe = describer_of(callback);
    if (!describe) return HERALD_UNDESCRIBED;
    memset(description, 0, sizeof *description);
    description->size = sizeof *description;
    description->alive = true;
    HERALD_GUEST_CALL(call);
    herald_guest_call_begin(&call, NULL, NULL);
    herald_center_lock(center);
    struct herald_slot *slot = herald_slots_find(&center->slots, registration);
    bool there = slot && load_relaxed(&slot->state) == HERALD_ACTIVE;
    if (there) {
        store_release(&call.frame->pins[0], slot->bucket->current);
        store_release(&call.frame->current, (uintptr_t)slot);
    }
    herald_center_unlock(center);
    if (there) {
        describe(slot->observer, description);
        herald_call_show(call.frame, NULL, true);
        herald_call_look_back(slot);
    }
    herald_guest_call_end(&call);
    return there ? HERALD_DESCRIBED : HERALD_GONE;
}

void HeraldSetNameDescriber(size_t (*describe)(HeraldNameRef name, char *buffer, size_t size)) {
    store_release(&describe_name, describe);
}

size_t HeraldNameDescribe(HeraldNameRef name, char *buffer, size_t size) {
    size_t (*describe)(HeraldNameRef, char *, size_t) = load_acquire(&describe_name);
    const char *text = name ? HeraldNameGetUTF8String(name) : "";
    size_t length = 0;
    if (!buffer || !size) return 0;
    if (!text && describe) length = describe(name, buffer, size);
    if (length) return length;
    int written = text ? snprintf(buffer, size, "%s", text) : snprintf(buffer, size, "%p", (const void *)name);
    return written < 0 ? 0 : (size_t)written;
}

void herald_describers_before_fork(void) { pthread_mutex_lock(&describers_lock); }
void herald_describers_after_fork(void) { pthread_mutex_unlock(&describers_lock); }
