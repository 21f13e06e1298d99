/* Calls of Swift's runtime and of the thread sanitizer, for the Swift layer. Ordering: the runtime's. */
#include "herald_runtime.h"
#include "swift.h"

bool herald_swift_is_dying(const void *instance) { return swift_isDeallocating(instance); }

#if __has_feature(thread_sanitizer)
void __tsan_acquire(void *address);
void __tsan_release(void *address);

void herald_swift_lock_taken(const void *lock) { __tsan_acquire((void *)(unsigned long)lock); }
void herald_swift_lock_left(const void *lock) { __tsan_release((void *)(unsigned long)lock); }
void herald_swift_task_resumed(void) { __tsan_acquire(swift_task_getCurrent()); } /* the runtime releases it */
#else
void herald_swift_lock_taken(const void *lock) { (void)lock; }
void herald_swift_lock_left(const void *lock) { (void)lock; }
void herald_swift_task_resumed(void) {}
#endif
