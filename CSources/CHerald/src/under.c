/* Observers of the names under a prefix (R26). Each is registered for any name, and compares every name with its
 * prefix.
 *
 * Ordering, progress: those of any registration.
 * Ownership: The core's observer of such a registration is a `struct under`. The struct is freed when the registration
 * ends, after the caller's hooks have run.
 *
 * This file calls observers and hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "entry_points.h"
#include "memory.h"
#include "observe.h"
#include "slot.h"
#include <herald/transport.h>

struct under {
    struct herald_caller caller;
    bool tagged; /* the caller's callback is a HeraldTaggedCallback */
    void (*release)(void *observer);
    void (*ended)(void *context);
    void *context;
    size_t length;
    char prefix[];
};

static bool is_under(const struct under *under, HeraldNameRef name) {
    const char *text = HeraldNameGetUTF8String(name);
    return text && strncmp(text, under->prefix, under->length) == 0 && text[under->length] == '.';
}

static void hear_under(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                       const void *userInfo, const void *tag) {
    const struct under *under = (const struct under *)observer;
    if (!is_under(under, name)) return;
    void *theirs = (void *)(uintptr_t)under->caller.observer;
    if (under->tagged) {
        ((HeraldTaggedCallback)(void (*)(void))under->caller.callback)(center, theirs, name, object, userInfo, tag);
    } else {
        under->caller.callback(center, theirs, name, object, userInfo);
    }
}

/* The clean-up. It also runs when the caller's release hook throws or ends the thread. */
static void under_end(struct under **under) {
    if ((*under)->ended) (*under)->ended((*under)->context);
    free(*under);
}

static void release_under(void *observer) {
    struct under *under __attribute__((cleanup(under_end))) = (struct under *)observer;
    if (under->release) under->release((void *)(uintptr_t)under->caller.observer);
}

HeraldStatus herald_own_HeraldCenterAddObserverUnder(HeraldCenterRef center, const void *observer,
                                                     HeraldCallback callback, const char *prefix,
                                                     const HeraldObserverOptions *options, void (*ended)(void *context),
                                                     void *context, HeraldToken *token) {
    if (token) memset(token, 0, sizeof *token);
    HeraldObserverOptions mine;
    memset(&mine, 0, sizeof mine);
    size_t oldest = offsetof(HeraldObserverOptions, taggedCallback);
    if (options && !herald_take_options(&mine, options, options->size, oldest, sizeof mine))
        return HeraldInvalidArgument;
    size_t length = prefix ? strlen(prefix) : 0;
    if (!center || !length || prefix[length - 1] == '.' || !callback == !mine.taggedCallback)
        return HeraldInvalidArgument;
    struct under *under = (struct under *)malloc(sizeof *under + length + 1);
    if (!under) return HeraldOutOfMemory;
    under->caller.observer = observer;
    under->caller.callback = callback;
    under->tagged = mine.taggedCallback != NULL;
    if (under->tagged) under->caller.callback = (HeraldCallback)(void (*)(void))mine.taggedCallback;
    under->release = mine.release;
    under->ended = ended;
    under->context = context;
    under->length = length;
    memcpy(under->prefix, prefix, length + 1);
    mine.size = sizeof mine;
    mine.release = release_under;
    mine.taggedCallback = hear_under;
    HeraldStatus status = herald_center_observe(center, under, NULL, NULL, NULL, &mine,
                                                HERALD_UNDER | (ended ? HERALD_UNTOLD : 0), token);
    if (status != HeraldOK) free(under);
    return status;
}
