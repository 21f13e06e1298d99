/* Whether the server is silent. The network thread looks every HERALD_NET_LOOK_MS (connection.c), and between two
 * looks there is a ping, which a server answers.
 *
 * A ping comes after what was sent before it. So on a slow link its answer comes late, and no look counts until the
 * other machine has acknowledged all that was sent before the first look without an answer. A ping is among that. If
 * its answer does not come in the time of another look, the server is silent. (The machine of a server that is stopped
 * acknowledges, too, until its buffer is full.) A look at which nothing more has been acknowledged counts in any case.
 *
 * Tests/Network/Inside/listening.c simulates links and servers that stop.
 */
#ifndef HERALD_NET_LISTENING_H
#define HERALD_NET_LISTENING_H

#include "net_platform.h"

enum {
    HERALD_NET_LOOK_MS = 1650,
    /* After so many looks that count, the server is silent. So a server that stops is noticed within 5 s, or within 8 s
     * while posts are sent to it. */
    HERALD_NET_IDLE_MOST = 2,
    HERALD_NET_SILENT_MOST = 34, /* the same for looks without an answer: a slow link is waited for 56 s */
    HERALD_NET_PINGS_OUT = 42,   /* libnats ends a connection itself after so many pings without an answer: later */
    HERALD_NET_PINGS_BYTES = 6 * HERALD_NET_PINGS_OUT /* if more is not acknowledged, something else is among it */
};

struct herald_net_listening {
    bool heard;            /* since the last look */
    uint32_t silent, idle; /* looks without an answer since the last answer; and those of them that count */
    uint64_t look_at;      /* the time of the next look */
    uint64_t acknowledged; /* bytes that the other machine had acknowledged at the last look */
    uint64_t asked;        /* bytes that were sent, or waited to be sent, at the first look without an answer */
};

/* A look. `acknowledged`: bytes, of all that were sent. `others`: bytes that are sent, or wait to be sent, and are not
 * acknowledged. Returns whether the server is silent. */
static inline bool herald_net_listening_look(struct herald_net_listening *listening, uint64_t acknowledged,
                                             uint64_t others) {
    bool stands = acknowledged <= listening->acknowledged;
    listening->acknowledged = acknowledged;
    if (listening->heard) {
        listening->heard = false;
        listening->silent = listening->idle = 0;
        return false;
    }
    if (listening->silent++ == 0) listening->asked = acknowledged + (others > HERALD_NET_PINGS_BYTES ? others : 0);
    if (stands || acknowledged >= listening->asked || !HERALD_NET_STEP(SLOW)) listening->idle++;
    return listening->idle >= HERALD_NET_IDLE_MOST || listening->silent >= HERALD_NET_SILENT_MOST;
}

#endif
