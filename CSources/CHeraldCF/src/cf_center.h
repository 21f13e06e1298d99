/* A center as CoreFoundation knows it: an instance of a CF type, over a center of Herald. */
#ifndef HERALD_CF_CENTER_H
#define HERALD_CF_CENTER_H

#include "corefoundation.h"
#include <herald/herald.h>
#include <pthread.h>

struct herald_cf_registration;

enum { HERALD_CF_OBSERVERS = 256 }; /* the number of a center's chains; a hash of the observer chooses the chain */

enum herald_cf_kind {
    HERALD_CF_LOCAL,
    HERALD_CF_DARWIN,     /* names alone, heard on a run loop */
    HERALD_CF_DISTRIBUTED /* objects are strings, userInfo a property list; heard on a run loop, too */
};

struct __CFNotificationCenter {
    CFRuntimeBase base;
    enum herald_cf_kind kind;
    _Atomic(HeraldCenterRef) native; /* never released; it changes only in the distributed center */
    pthread_mutex_t lock;
    struct herald_cf_registration *chains[HERALD_CF_OBSERVERS]; /* under the lock */
    _Atomic long any_name;                                      /* how many registrations are for any name */
};

/* A post of the local center. Herald's center gets the address of this struct as userInfo. The struct lies on the
 * poster's stack; a suspended center holds a copy of it. */
struct herald_cf_post {
    CFStringRef name;
    CFDictionaryRef userInfo;
};

#pragma GCC visibility push(hidden)
/* For a fork: these lock and unlock every center that has been made. */
void herald_cf_lock_centers(void);
void herald_cf_unlock_centers(void);

/* Returns the name with this text, or NULL if the text cannot be a name. If there is no such name yet, makes the name
 * if `make` is true, and otherwise returns NULL. */
HeraldNameRef herald_cf_name(CFStringRef text, bool make);
/* Posts a name given as text on the host center. A HeraldNameRef is made only if some process has observed the name. */
void herald_cf_post_text(CFStringRef text);
#pragma GCC visibility pop

#endif
