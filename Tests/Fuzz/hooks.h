/* Callbacks and hooks, a set of their own for each registration, so that each call tells whose it is. */
#ifndef FUZZ_HOOKS_H
#define FUZZ_HOOKS_H

#include <herald/herald.h>

struct hooks {
    HeraldCallback callback;
    void (*release)(void *observer);
    const void *(*retain_object)(const void *object);
    void (*release_object)(const void *object);
};
extern const struct hooks hooks_numbered[];

/* What the retainObject hook of the registration that is being added is to answer. */
enum hooks_answer { HOOKS_SAME, HOOKS_ALIAS, HOOKS_NULL };
void hooks_expect_retain(unsigned index, const void *object, enum hooks_answer answer);

/* Whether the hook has run since then. */
bool hooks_has_retained(void);

/* What it answers. */
const void *hooks_answer(const void *object, enum hooks_answer answer);

#endif
