/* A center as CoreFoundation knows it: an instance of a real CF type over one of Herald's. */
#ifndef HERALD_CF_CENTER_H
#define HERALD_CF_CENTER_H

#include "corefoundation.h"
#include <herald/herald.h>
#include <pthread.h>

struct herald_cf_registration;

enum { HERALD_CF_OBSERVERS = 256 }; /* chains of registrations, by observer */

enum herald_cf_kind {
    HERALD_CF_LOCAL,
    HERALD_CF_DARWIN,     /* names alone, heard on a run loop */
    HERALD_CF_DISTRIBUTED /* objects are strings, userInfo a property list; heard on a run loop, too */
};

struct __CFNotificationCenter {
    CFRuntimeBase base;
    enum herald_cf_kind kind;
    _Atomic(HeraldCenterRef) native; /* lives for ever, as this does; the distributed center's may be replaced */
    pthread_mutex_t lock;
    struct herald_cf_registration *chains[HERALD_CF_OBSERVERS]; /* under the lock */
    _Atomic long any_name;                                      /* registrations of any name */
};

/* A post on its way, which is the userInfo of Herald's post. It is on the poster's stack, or a copy that a suspended
 * center holds. */
struct herald_cf_post {
    CFStringRef name;
    CFDictionaryRef userInfo;
};

#pragma GCC visibility push(hidden)
/* Around a fork: the locks of the centers that have been made. */
void herald_cf_lock_centers(void);
void herald_cf_unlock_centers(void);

/* The name with this text. NULL if the text cannot be a name; without `make`, also NULL if the name has not been
 * made. */
HeraldNameRef herald_cf_name(CFStringRef text, bool make);
/* Posts the text on the host center, without making a HeraldNameRef of it. */
void herald_cf_post_text(CFStringRef text);
#pragma GCC visibility pop

#endif
