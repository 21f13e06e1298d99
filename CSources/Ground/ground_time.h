/* Times: nanoseconds of CLOCK_MONOTONIC. */
#ifndef HERALD_GROUND_TIME_H
#define HERALD_GROUND_TIME_H

#include "ground.h"
#include <time.h>

#define GROUND_MILLISECOND UINT64_C(1000000)
#define GROUND_SECOND UINT64_C(1000000000)

static inline uint64_t ground_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * GROUND_SECOND + (uint64_t)now.tv_nsec;
}

/* The time `seconds` after now. A negative number, or none, is no time. More than a hundred years are a hundred years,
 * which is no limit. */
static inline uint64_t ground_deadline(double seconds) {
    const double most = 3155760000;
    if (!(seconds > 0)) return ground_now();
    return ground_now() + (uint64_t)((seconds < most ? seconds : most) * 1e9);
}

static inline struct timespec ground_timespec(uint64_t nanoseconds) {
    struct timespec time;
    time.tv_sec = (time_t)(nanoseconds / GROUND_SECOND);
    time.tv_nsec = (long)(nanoseconds % GROUND_SECOND);
    return time;
}

#endif
