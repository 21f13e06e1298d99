/* The Darwin center: names between processes, called on a run loop. */
#ifndef HERALD_CF_DARWIN_H
#define HERALD_CF_DARWIN_H

#include "registration.h"

#pragma GCC visibility push(hidden)
/* The Darwin center's callback: hands it to the run loop. */
void herald_cf_hand_over(HeraldCenterRef native, void *registration, HeraldNameRef name, const void *object,
                         const void *userInfo);
/* It has been removed: takes it off the run loop's list. */
void herald_cf_forget(struct registration *registration);
/* Posts to all processes. `native` NULL: no HeraldNameRef has been made of the name. */
void herald_cf_post_to_host(HeraldNameRef native, CFStringRef name);
/* Why the core or the host center has refused an observer. */
const char *herald_cf_reason(CFNotificationCenterRef center, HeraldStatus status);
/* Makes sure that a run loop calls what is handed over. */
bool herald_cf_run_loop_is_there(void);

/* Around a fork: the lock of the run loop's list. */
void herald_cf_lock_list(void);
void herald_cf_unlock_list(void);
#pragma GCC visibility pop

#endif
