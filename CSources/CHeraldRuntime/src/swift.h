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
SWIFT void *swift_task_getCurrent(void); /* NULL: no task runs on this thread */

#endif
