/* Callbacks and hooks. Each registration has a set of its own, so that each call shows whose it is. */
#ifndef FUZZ_HOOKS_H
#define FUZZ_HOOKS_H

#include <herald/herald.h>

struct hooks {
    HeraldCallback callback;
    void (*release)(void *observer);
    const void *(*retain_object)(const void *object);
    void (*release_object)(const void *object);
    void (*began)(void *observer, size_t kept, HeraldStatus status);
};
extern const struct hooks hooks_numbered[];

/* Sets the answer of the retainObject hook of the registration that is being added. */
enum hooks_answer { HOOKS_SAME, HOOKS_ALIAS, HOOKS_NULL };
void hooks_expect_retain(unsigned index, const void *object, enum hooks_answer answer);

/* Whether the hook has run since then. */
bool hooks_has_retained(void);

/* The answer of the hook. */
const void *hooks_answer(const void *object, enum hooks_answer answer);

#endif
