/* The distributed center carries names, objects and userInfo between processes. Its observers are called on a run
 * loop. */
#ifndef HERALD_CF_DISTRIBUTED_H
#define HERALD_CF_DISTRIBUTED_H

#include "registration.h"

#pragma GCC visibility push(hidden)
/* Herald's center calls this for each post. Puts a call into the queue for the run loop. */
void herald_cf_distributed_receive(HeraldCenterRef native, void *registration, HeraldNameRef name, const void *object,
                                   const void *userInfo);
/* Posts. Returns NULL if that succeeded, otherwise the reason why nothing was posted. */
const char *herald_cf_distributed_post(HeraldCenterRef native, CFStringRef name, const void *object,
                                       CFDictionaryRef userInfo, bool immediately);
/* Returns the address that stands for an object in registrations, or NULL if the distributed center cannot have this
 * object. */
const void *herald_cf_distributed_object(const void *object);
#pragma GCC visibility pop

#endif
