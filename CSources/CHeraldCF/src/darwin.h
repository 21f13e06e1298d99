/* The Darwin center carries names between processes. Its observers are called on a run loop. */
#ifndef HERALD_CF_DARWIN_H
#define HERALD_CF_DARWIN_H

#include "registration.h"

#pragma GCC visibility push(hidden)
/* The host center calls this for a post: it puts the registration's call into the queue for the run loop. */
void herald_cf_darwin_receive(HeraldCenterRef native, void *registration, HeraldNameRef name, const void *object,
                              const void *userInfo);
void herald_cf_darwin_post(CFStringRef name);
#pragma GCC visibility pop

#endif
