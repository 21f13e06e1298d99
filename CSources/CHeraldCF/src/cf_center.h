/* A center as CoreFoundation knows it: an instance of a CF type, over a center of Herald. */
#ifndef HERALD_CF_CENTER_H
#define HERALD_CF_CENTER_H

#include "corefoundation.h"
#include <herald/herald.h>
#include <stdio.h>

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

#define HERALD_CF_NO_NAME "the name is empty, not Unicode, or has a NUL in it"
#define HERALD_CF_NO_OBJECT "the object is not a CFString, not Unicode, or has a NUL in it"

/* Prints why a call was refused, because CF's functions return no status. */
static inline void herald_cf_complain(const char *function, const char *why) {
    fprintf(stderr, "herald: %s: %s\n", function, why);
}

#endif
