/* Events that wait to be reported. */
#ifndef HERALD_NET_EVENT_H
#define HERALD_NET_EVENT_H

#include "durable.h"

struct herald_net_event {
    struct herald_net_event *next;
    HeraldNetworkEvent told; /* for the program; its `reason` is the text below */
    char reason[256];
    char durable[HERALD_NET_DURABLE_ROOM]; /* "": it is about none */
};

struct herald_net_events {
    struct herald_net_event *first, **last;
    struct herald_net_event *closed; /* memory for the last event, or NULL once it is added; the owner frees it */
    uint32_t count;
};

HERALD_BEGIN
/* False: memory is out. */
bool herald_net_events_create(struct herald_net_events *events);
/* Adds an event. `durable`: the name of the durable observer that it is about, or NULL. Refused, Slow, Denied and
 * Unkept events have a count. If such an event comes while an event of the same kind, name, durable observer and reason
 * waits, only the count of the waiting event is raised. If 256 events or more wait, the count of some waiting event of
 * the same kind is raised instead, and its name becomes NULL. If 512 events wait, other new events are dropped, except
 * HeraldNetworkClosed. */
void herald_net_events_add(struct herald_net_events *events, HeraldNetworkEventKind kind, HeraldNameRef name,
                           const char *durable, uint64_t count, const char *reason);
/* Takes out the oldest event, which the caller frees. NULL: no event waits. */
struct herald_net_event *herald_net_events_take(struct herald_net_events *events);
HERALD_END
#endif
