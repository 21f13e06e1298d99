/* What every private file needs: mutations, limits, time, and complaints. */
#ifndef HERALD_NET_PLATFORM_H
#define HERALD_NET_PLATFORM_H

#include "ground_time.h"

#include <herald/network.h>
#include <herald/transport.h>
#include <stdatomic.h>

/* MUTATIONS. HERALD_NETWORK_MUTATION names one step that is left out, to see that a test notices (make
 * network-mutations). Each comment below says what its step ensures. */
enum herald_net_mutation {
    HERALD_NETWORK_DROPS_NOTHING,
    HERALD_NETWORK_DROPS_WIDE_FIRST, /* a subscription ends only when its replacement stands */
    HERALD_NETWORK_DROPS_ONCE,       /* a post that comes by two subscriptions is delivered once */
    HERALD_NETWORK_DROPS_COVERED,    /* a narrower subscription ends while a wider one stands */
    HERALD_NETWORK_DROPS_PENDING,    /* a subscription ends only when the posts that it brought have been delivered */
    HERALD_NETWORK_DROPS_HOLD,       /* posts are held back after a reconnection */
    HERALD_NETWORK_DROPS_BACKLOG,    /* libnats gets no more posts while it has many bytes to write */
    HERALD_NETWORK_DROPS_MISSED,     /* posts that did not come are counted */
    HERALD_NETWORK_DROPS_DENIED,     /* a denied interest covers nothing */
    HERALD_NETWORK_DROPS_CAP,        /* others can make only so many names in this process */
    HERALD_NETWORK_DROPS_FORK,       /* a call in a forked child fails */
    HERALD_NETWORK_DROPS_FLUSH,      /* the server answers before a center ends its connection */
    HERALD_NETWORK_DROPS_TOLD,       /* denials are reported before the threads that wait for a flush are woken */
    HERALD_NETWORK_DROPS_DEADLINE,   /* an attempt to connect that takes too long is ended */
    HERALD_NETWORK_DROPS_DOUBLED,    /* a dropped post that another subscription brings is not counted as dropped */
    HERALD_NETWORK_DROPS_CONFIRMED,  /* the answer of one server does not confirm posts that were sent to another */
    HERALD_NETWORK_DROPS_SUBSCRIBED, /* what is kept is asked for when the subscription of its name stands */
    HERALD_NETWORK_DROPS_REPEATED,   /* a kept message that is not newer than what was heard is dropped */
    HERALD_NETWORK_DROPS_MENDED,     /* after a reconnection, what is kept is asked for again */
    HERALD_NETWORK_DROPS_ID,         /* a stream knows a repeat of a message that it is to store */
    HERALD_NETWORK_DROPS_AGAIN,      /* what is to be stored is sent again */
    HERALD_NETWORK_DROPS_MARK,       /* what a durable observer has heard here is not heard here again */
    HERALD_NETWORK_DROPS_PROGRESS,   /* the server is told that a durable observer still works on a message */
    HERALD_NETWORK_DROPS_AWAY,       /* a process that was stopped gives up what waits for durable observers */
    HERALD_NETWORK_DROPS_PATIENT,    /* one that is to be alone waits for what was given to one that died */
    HERALD_NETWORK_DROPS_SORT,       /* ... and until all of it has come, to sort it */
    HERALD_NETWORK_DROPS_DRAIN,      /* what the server has sent to a durable observer that ends goes back */
    HERALD_NETWORK_DROPS_CLOSE,      /* ... and what it sends until it has ended the subscription */
    HERALD_NETWORK_DROPS_SLOW,       /* a server behind a slow link that still carries posts is not silent */
    HERALD_NETWORK_DROPS_SOMETHING,  /* libnats is called to write only when it has something to write */
};

#ifndef HERALD_NETWORK_MUTATION
#define HERALD_NETWORK_MUTATION HERALD_NETWORK_DROPS_NOTHING
#endif
#define HERALD_NET_STEP(step) (HERALD_NETWORK_MUTATION != HERALD_NETWORK_DROPS_##step)

enum { HERALD_NETWORK_NAME_LIMIT = 512, HERALD_NETWORK_TYPE_LIMIT = 1024 };

HERALD_BEGIN
/* A complaint (net_complaint.c) is a sentence that says why a call has failed. Each thread keeps its newest one. */

/* Writes this thread's complaint, and notes `size` for HeraldNetworkGetErrorSize. Returns `status`. */
HeraldStatus herald_net_complain_of(HeraldStatus status, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));
#define herald_net_complain(status, ...) herald_net_complain_of(status, 0, __VA_ARGS__)
#define herald_net_complain_of_size(size, ...) herald_net_complain_of(HeraldTooLarge, size, __VA_ARGS__)
HERALD_END

#endif
