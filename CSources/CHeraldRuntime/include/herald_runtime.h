/* What the Swift layer needs and the language has no word for. */
#ifndef HERALD_RUNTIME_H
#define HERALD_RUNTIME_H

#include <stdbool.h>

/* Whether an instance, whose memory an unowned reference keeps, is being deinitialised or has been. Makes
 * no reference strong: giving one back could be the end of the instance, on a thread that has nothing to do with it. */
bool herald_is_dying(const void *instance);

/* For the thread sanitizer, to which Swift's Mutex is invisible; nothing without it. The address stands for the lock.
 */
void herald_lock_taken(const void *lock);
void herald_lock_left(const void *lock);

#endif
