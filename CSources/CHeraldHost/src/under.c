/* Observers of the names under a prefix: observers of any name that look at it.
 *
 * Ordering, progress: those of the core's registrations. Ownership. What the core knows as the observer is this file's,
 * and ends with the registration, after the caller's hook.
 */
#include "complaint.h"
#include "layout.h"
#include <stdlib.h>
#include <string.h>

struct under {
    const void *observer;
    HeraldCallback callback;
    HeraldTaggedCallback tagged;
    void (*release)(void *observer);
    size_t length;
    char prefix[];
};

static bool is_under(const struct under *under, HeraldNameRef name) {
    const char *text = HeraldNameGetUTF8String(name);
    return text && strncmp(text, under->prefix, under->length) == 0 && text[under->length] == '.';
}

static void receive(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo, const void *tag) {
    const struct under *under = observer;
    if (!is_under(under, name)) return;
    if (under->tagged) {
        under->tagged(center, (void *)under->observer, name, object, userInfo, tag);
    } else {
        under->callback(center, (void *)under->observer, name, object, userInfo);
    }
}

/* Also when the caller's hook throws, or ends its thread. */
static void free_under(struct under **under) { free(*under); }
static void release(void *observer) {
    struct under *under __attribute__((cleanup(free_under))) = observer;
    if (under->release) under->release((void *)under->observer);
}

/* By a caller that may know fewer options, or more that it does not use. */
static bool take_options(HeraldObserverOptions *mine, const HeraldObserverOptions *theirs) {
    if (!theirs) return true;
    if (theirs->size < offsetof(HeraldObserverOptions, taggedCallback)) return false;
    for (size_t i = sizeof *mine; i < theirs->size; i++)
        if (((const char *)theirs)[i]) return false;
    memcpy(mine, theirs, theirs->size < sizeof *mine ? theirs->size : sizeof *mine);
    mine->size = sizeof *mine;
    return true;
}

HeraldStatus HeraldHostAddObserverUnder(const void *observer, HeraldCallback callback, const char *prefix,
                                        const HeraldObserverOptions *options, HeraldToken *token) {
    HeraldObserverOptions mine = {.size = sizeof mine};
    if (token) *token = (HeraldToken){0, 0};
    size_t length = prefix ? strnlen(prefix, HERALD_NAME_LIMIT) : 0;
    if (!length || length >= HERALD_NAME_LIMIT || prefix[length - 1] == '.')
        return herald_complain(HeraldInvalidArgument,
                               "a prefix has 1 to 511 bytes, and does not end with the dot that follows it");
    if (!take_options(&mine, options))
        return herald_complain(HeraldInvalidArgument, "the options have an impossible size");
    if (!callback == !mine.taggedCallback) return herald_complain(HeraldInvalidArgument, "one callback is needed");
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    struct under *under = host ? malloc(sizeof *under + length + 1) : NULL;
    if (!under) return herald_complain_of_memory();
    *under = (struct under){observer, callback, mine.taggedCallback, mine.release, length};
    memcpy(under->prefix, prefix, length + 1);
    mine.release = release;
    mine.taggedCallback = receive;
    HeraldStatus status = HeraldCenterAddObserverWithOptions(host, under, NULL, NULL, NULL, &mine, token);
    if (status != HeraldOK) free(under);
    return status;
}
