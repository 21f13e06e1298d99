/* Faults: an access to a mapped file that another program has cut short raises SIGBUS. */
#ifndef HERALD_HOST_FAULT_H
#define HERALD_HOST_FAULT_H

#include "host_platform.h"

/* A guard makes faults in a range of memory harmless, for the life of the process. Before the process maps another file
 * into the range, it clears `lost`. */
struct herald_host_guard {
    char *memory;
    size_t size;
    _Atomic uint32_t *superseded; /* a word in this memory */
    _Atomic bool lost;            /* a fault has come, and zeros are mapped in place of the file */
    struct herald_host_guard *older;
};

HERALD_BEGIN
/* From now on a fault in the memory replaces all of it by zeros, and sets `superseded`, a word in this memory. One
 * caller at a time. */
void herald_host_fault_guard(struct herald_host_guard *guard, void *memory, size_t size, _Atomic uint32_t *superseded);
HERALD_END
#endif
