/* The functions of Swift's runtime that C calls, and the attributes for calls between C and Swift. */
#ifndef HERALD_SWIFT_SWIFT_H
#define HERALD_SWIFT_SWIFT_H

#include "ground.h"

#define SWIFT __attribute__((swiftcall))
#define CAPTURED __attribute__((swift_context))

/* Swift's runtime exports these functions, both as a shared and as a static library. */
bool swift_isDeallocating(const void *object);
void *swift_unownedRetain(void *object);
void swift_unownedRelease(void *object);
void *swift_tryRetain(void *object); /* NULL: the object is dying */
void *swift_retain(void *object);
void swift_release(void *object);
void *swift_allocObject(const void *metadata, size_t size, size_t alignment_mask);
void swift_weakInit(void *reference, void *object);
void swift_weakDestroy(void *reference);
SWIFT void *swift_task_getCurrent(void); /* NULL: no task runs on this thread */

#endif
