/* A registration for the names below a prefix: HeraldObserverOptions.prefix. */
#ifndef HERALD_UNDER_H
#define HERALD_UNDER_H

#include "slot.h"

/* Which hook of a transport an add calls (told.h). */
enum herald_told_hook { HERALD_TOLD_NOTHING, HERALD_TOLD_NAME, HERALD_TOLD_PREFIX };

/* A registration for a prefix keeps this struct in the place of the user's observer. */
struct herald_under {
    struct herald_caller caller; /* first: the user's observer and callback */
    bool tagged;                 /* the callback is a HeraldTaggedCallback */
    /* The hook that tells the transport of this registration. HERALD_TOLD_NAME: the transport has no hook for prefixes,
     * and is told of an observer of any name instead. */
    enum herald_told_hook told;
    void (*release)(void *observer);
    void (*ended)(void *context); /* see HeraldCenterAddObserverUnder; may be NULL */
    void *context;
    HeraldNameRef prefix; /* its text as a name */
    const char *text;
    size_t length;
};

HERALD_BEGIN
/* Makes the struct from the options. Fails, with the error set, if options->prefix is no prefix or if memory is out. */
HeraldStatus herald_under_create(const HeraldObserverOptions *options, struct herald_under **made);

/* Whether the name begins with the prefix and a dot. */
bool herald_under_is_name(const struct herald_under *under, HeraldNameRef name);

/* The callback and the release hook of such a registration. */
void herald_under_hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                       const void *userInfo, const void *tag);
void herald_under_release(void *under);
HERALD_END
#endif
