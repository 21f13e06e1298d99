/* The centers between processes. Their observers are called on a run loop. The Darwin center carries names; the
 * distributed center carries objects and userInfo, too. */
#ifndef HERALD_CF_DISTRIBUTED_H
#define HERALD_CF_DISTRIBUTED_H

#include "registration.h"

#pragma GCC visibility push(hidden)
/* A center of Herald calls these for each post; `observer` is a registration. The first two are for registrations in
 * the center that carries the posts, the third is for those of the distributed center in `holding`. */
void herald_cf_darwin_receive(HeraldCenterRef native, void *observer, HeraldNameRef name, const void *object,
                              const void *userInfo);
void herald_cf_distributed_receive(HeraldCenterRef native, void *observer, HeraldNameRef name, const void *object,
                                   const void *userInfo);
void herald_cf_distributed_let_pass(HeraldCenterRef holding, void *observer, HeraldNameRef name, const void *object,
                                    const void *userInfo);

void herald_cf_darwin_post(CFStringRef name);
/* Posts. Returns NULL if that succeeded, otherwise the reason why nothing was posted. */
const char *herald_cf_distributed_post(HeraldCenterRef native, CFStringRef name, const void *object,
                                       CFDictionaryRef userInfo, bool immediately);
/* Returns the address that stands for an object in registrations, or NULL if the distributed center cannot have this
 * object. */
const void *herald_cf_distributed_object(const void *object);
#pragma GCC visibility pop

#endif
