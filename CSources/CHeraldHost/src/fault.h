/* Faults: when the file is cut short while it is mapped, its memory can no longer be read (SIGBUS). */
#ifndef HERALD_HOST_FAULT_H
#define HERALD_HOST_FAULT_H

#include "host_platform.h"

/* A guard for a range of memory, for the life of the process. Code that maps something else there clears `lost`. */
struct herald_host_guard {
    char *memory;
    size_t size;
    _Atomic uint32_t *superseded; /* in the memory */
    _Atomic bool lost;            /* zeros are mapped in place of the memory */
    struct herald_host_guard *older;
};

HERALD_BEGIN
/* From now on a fault in the memory maps zeros in place of all of it, and sets `superseded`, which lies in the memory.
 * Callers take turns. */
void herald_host_fault_guard(struct herald_host_guard *guard, void *memory, size_t size, _Atomic uint32_t *superseded);
HERALD_END
#endif
