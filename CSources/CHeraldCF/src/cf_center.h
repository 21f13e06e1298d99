/* A center as CoreFoundation knows it: an instance of a CF type, over a center of Herald. */
#ifndef HERALD_CF_CENTER_H
#define HERALD_CF_CENTER_H

#include "corefoundation.h"
#include <herald/herald.h>
#include <pthread.h>

enum herald_cf_kind {
    HERALD_CF_LOCAL,
    HERALD_CF_DARWIN,     /* names alone, heard on a run loop */
    HERALD_CF_DISTRIBUTED /* objects are strings, userInfo a property list; heard on a run loop, too */
};

struct __CFNotificationCenter {
    CFRuntimeBase base;
    enum herald_cf_kind kind;
    _Atomic(HeraldCenterRef) native; /* carries posts; never released; it changes only in the distributed center */
    HeraldCenterRef holding;         /* holds posts during a suspension; NULL: the center is never suspended */
    _Atomic long any_name;           /* how many registrations are for any name */
};

/* A post of the local center. Herald's center gets the address of this struct as userInfo. The struct lies on the
 * poster's stack; a suspended center holds a copy of it. */
struct herald_cf_post {
    CFStringRef name;
    CFDictionaryRef userInfo;
};

#pragma GCC visibility push(hidden)
/* Returns the name with this text, or NULL if the text cannot be a name. If there is no such name yet, makes the name
 * if `make` is true, and otherwise returns NULL. */
HeraldNameRef herald_cf_name(CFStringRef text, bool make);
#pragma GCC visibility pop

#endif
