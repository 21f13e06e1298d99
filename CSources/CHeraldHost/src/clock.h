/* The clock: the time since the system began, the same for all processes that share the file. */
#ifndef HERALD_HOST_CLOCK_H
#define HERALD_HOST_CLOCK_H

#include "host_platform.h"

HERALD_BEGIN
/* Seconds, while the system is awake. */
uint32_t herald_host_clock_seconds(void);
/* Nanoseconds, also while it sleeps. */
uint64_t herald_host_clock_since_boot(void);
HERALD_END
#endif
