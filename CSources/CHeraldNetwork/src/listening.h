/* Whether the server is silent. The network thread looks every LOOK_MS (connection.c), and between two looks there is a
 * ping, which a server answers.
 *
 * A ping comes after what was sent before it. So on a slow link its answer comes late. Such a link carries: since the
 * last look the other machine has acknowledged something, and much is still to be acknowledged. The machine of a server
 * that is stopped acknowledges, too, until its buffer is full; but then only what is just on its way is still to be
 * acknowledged: a part of what was, as a round trip is a part of a look.
 *
 * Tests/Network/Inside/listening.c simulates links and servers that stop.
 */
#ifndef HERALD_NET_LISTENING_H
#define HERALD_NET_LISTENING_H

#include "net_platform.h"

enum {
    HERALD_NET_LOOK_MS = 1650,
    HERALD_NET_SILENT_MOST = 2, /* looks in a row that find nothing: a server that stops is noticed within 5 s, and
                                   within 7 s beside posts that fill its machine's buffer */
    HERALD_NET_SLOW_MOST = 34,  /* the same while the link carries: a minute */
    HERALD_NET_LOOK_PARTS = 8   /* the link carries if it needs at least this part of a look for the rest */
};

struct herald_net_listening {
    bool heard;            /* since the last look */
    uint32_t silent, idle; /* how many looks in a row have found nothing, and how many of them no slow link either */
    uint64_t look_at;      /* the time of the next look */
    uint64_t acknowledged; /* bytes that the other machine had acknowledged at the last look */
};

/* A look. `acknowledged`: bytes, of all that were sent. `others`: bytes that are sent, or wait to be sent, and are not
 * acknowledged. Returns whether the server is silent. */
static inline bool herald_net_listening_look(struct herald_net_listening *listening, uint64_t acknowledged,
                                             uint64_t others) {
    uint64_t more = acknowledged > listening->acknowledged ? acknowledged - listening->acknowledged : 0;
    bool carries = HERALD_NET_STEP(SLOW) && more && others >= more / HERALD_NET_LOOK_PARTS + 1;
    listening->acknowledged = acknowledged;
    listening->silent = listening->heard ? 0 : listening->silent + 1;
    listening->idle = listening->heard || carries ? 0 : listening->idle + 1;
    listening->heard = false;
    return listening->idle >= HERALD_NET_SILENT_MOST || listening->silent >= HERALD_NET_SLOW_MOST;
}

#endif
