#include "herald_runtime.h"

bool swift_isDeallocating(const void *object); /* of the Swift runtime */

bool herald_is_dying(const void *instance) { return swift_isDeallocating(instance); }
