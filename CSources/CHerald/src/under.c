/* Observers of the names below a prefix (R26). Each is registered for any name, and compares every name with its
 * prefix.
 *
 * Ordering, progress: those of any registration.
 * Ownership: The core's observer of such a registration is a struct herald_under. The struct is freed when the
 * registration ends, after the user's hooks have run.
 *
 * This file calls observers and hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "under.h"
#include "error.h"
#include "ground_utf8.h"
#include "memory.h"
#include "name.h"

enum { LONGEST_PREFIX = 511 }; /* with its dot it fits into a name of the host center, which has at most 512 bytes */

static bool is_prefix(const char *text) {
    size_t length = text ? strnlen(text, LONGEST_PREFIX + 1) : 0;
    return length && length <= LONGEST_PREFIX && text[length - 1] != '.' && ground_utf8_is_text(text);
}

HeraldStatus herald_under_create(const HeraldObserverOptions *options, struct herald_under **made) {
    *made = NULL;
    if (!is_prefix(options->prefix))
        return herald_fail(HeraldInvalidArgument,
                           "a prefix is UTF-8 text of 1 to 511 bytes that does not end with a dot");
    HeraldNameRef prefix = HeraldNameCreate(options->prefix);
    struct herald_under *under = prefix ? (struct herald_under *)calloc(1, sizeof *under) : NULL;
    if (!under) return herald_fail_of_memory();
    under->prefix = prefix;
    under->text = HeraldNameGetUTF8String(prefix);
    under->length = strlen(under->text);
    under->release = options->release;
    *made = under;
    return HeraldOK;
}

bool herald_under_is_name(const struct herald_under *under, HeraldNameRef name) {
    const char *text = HeraldNameGetUTF8String(name);
    return text && strncmp(text, under->text, under->length) == 0 && text[under->length] == '.';
}

void herald_under_hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                       const void *userInfo, const void *tag) {
    const struct herald_under *under = (const struct herald_under *)observer;
    if (!herald_under_is_name(under, name)) return;
    void *theirs = (void *)(uintptr_t)under->caller.observer;
    if (under->tagged) {
        ((HeraldTaggedCallback)(void (*)(void))under->caller.callback)(center, theirs, name, object, userInfo, tag);
    } else {
        under->caller.callback(center, theirs, name, object, userInfo);
    }
}

/* The clean-up. It also runs when the user's release hook throws or ends the thread. */
static void under_end(struct herald_under **under) {
    void (*ended)(void *context) = (*under)->ended;
    void *context = (*under)->context;
    free(*under);
    if (ended) ended(context);
}

void herald_under_release(void *observer) {
    struct herald_under *under __attribute__((cleanup(under_end))) = (struct herald_under *)observer;
    if (under->release) under->release((void *)(uintptr_t)under->caller.observer);
}
