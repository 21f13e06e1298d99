/* What every private file needs: hidden symbols, and time. */
#ifndef HERALD_NET_PLATFORM_H
#define HERALD_NET_PLATFORM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* before any system header */
#endif

#include <herald/network.h>
#include <herald/transport.h>
#include <stdatomic.h>
#include <time.h>

/* MUTATIONS. HERALD_NETWORK_MUTATION names one step that is left out, to see that a test notices. Each comment says
 * what is left out. */
enum herald_net_mutation {
    HERALD_NETWORK_DROPS_NOTHING,
    HERALD_NETWORK_DROPS_WIDE_FIRST, /* that the wider subscription stands before the narrower one ends */
    HERALD_NETWORK_DROPS_ONCE,       /* that what came by two subscriptions is delivered once */
    HERALD_NETWORK_DROPS_COVERED,    /* that a narrower subscription ends while a wider one stands */
    HERALD_NETWORK_DROPS_PENDING,    /* that a subscription ends only when what it brought has been delivered */
    HERALD_NETWORK_DROPS_HOLD,       /* that posts are held back after a reconnection */
    HERALD_NETWORK_DROPS_BACKLOG,    /* that libnats is not given more than it sends */
    HERALD_NETWORK_DROPS_MISSED,     /* the count of posts that did not come */
    HERALD_NETWORK_DROPS_DENIED,     /* that what the server denies covers nothing */
    HERALD_NETWORK_DROPS_CAP,        /* the limit of names that others make */
    HERALD_NETWORK_DROPS_FORK,       /* the check whether this is the child of a fork */
    HERALD_NETWORK_DROPS_FLUSH,      /* the server's answer before a connection ends */
    HERALD_NETWORK_DROPS_TOLD,       /* that what is not allowed is reported before the server's answer */
    HERALD_NETWORK_DROPS_DEADLINE,   /* the end of an attempt to connect that takes too long */
    HERALD_NETWORK_DROPS_DOUBLED,    /* that what another subscription brings is not counted as dropped */
    HERALD_NETWORK_DROPS_CONFIRMED,  /* that another server's answer confirms nothing */
    HERALD_NETWORK_DROPS_SOMETHING,  /* that libnats is called to write only when it has something */
};

#ifndef HERALD_NETWORK_MUTATION
#define HERALD_NETWORK_MUTATION HERALD_NETWORK_DROPS_NOTHING
#endif
#define HERALD_NET_STEP(step) (HERALD_NETWORK_MUTATION != HERALD_NETWORK_DROPS_##step)

/* These enclose what one private file offers the others. */
#define HERALD_BEGIN _Pragma("GCC visibility push(hidden)")
#define HERALD_END _Pragma("GCC visibility pop")

enum { HERALD_NETWORK_NAME_LIMIT = 512, HERALD_NETWORK_TYPE_LIMIT = 1024 };
#define HERALD_NET_MILLISECOND UINT64_C(1000000) /* in nanoseconds */

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t herald_net_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The time `seconds` from now: now, unless `seconds` is above 0; and at most about a year from now. */
static inline uint64_t herald_net_deadline(double seconds) {
    if (!(seconds > 0)) return herald_net_now();
    return herald_net_now() + (uint64_t)((seconds < 3e7 ? seconds : 3e7) * 1e9);
}

static inline struct timespec herald_net_timespec(uint64_t nanoseconds) {
    return (struct timespec){(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
}

#endif
