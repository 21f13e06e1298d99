/* The clock: the time since the system was booted, the same for all processes that share the file. */
#ifndef HERALD_HOST_CLOCK_H
#define HERALD_HOST_CLOCK_H

#include "host_platform.h"

HERALD_BEGIN
/* Seconds, without the time in which the system was suspended. */
uint32_t herald_host_clock_seconds(void);
/* Nanoseconds, including the time in which the system was suspended. */
uint64_t herald_host_clock_since_boot(void);
HERALD_END
#endif
