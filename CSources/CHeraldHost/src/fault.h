/* Faults: the file was cut short while it is mapped, and what lay there cannot be read any more (SIGBUS). */
#ifndef HERALD_HOST_FAULT_H
#define HERALD_HOST_FAULT_H

#include "segment.h"

HERALD_BEGIN
/* From now on a fault in the segment's memory puts zeros in its place, and marks it retired. */
void herald_fault_guard(struct herald_segment *segment, size_t size);
/* All that are guarded, by `older`. */
struct herald_segment *herald_fault_newest(void);
HERALD_END
#endif
