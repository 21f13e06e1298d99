/* Events that wait to be reported. */
#ifndef HERALD_NET_EVENT_H
#define HERALD_NET_EVENT_H

#include "net_platform.h"

struct herald_net_event {
    struct herald_net_event *next;
    HeraldNetworkEventKind kind;
    HeraldNameRef name;
    uint64_t count;
    char reason[256];
};

struct herald_net_events {
    struct herald_net_event *first, **last;
    uint32_t count;
};

HERALD_BEGIN
void herald_net_events_create(struct herald_net_events *events);
/* Adds an event. Refused, Slow and Denied events have a count. If such an event comes while an event of the same kind,
 * name and reason waits, only the count of the waiting event is raised. While 256 events wait, any waiting event of the
 * same kind takes the count, and the name of that event becomes NULL. While 512 events wait, all other new events are
 * dropped. */
void herald_net_events_add(struct herald_net_events *events, HeraldNetworkEventKind kind, HeraldNameRef name,
                           uint64_t count, const char *reason);
/* Takes out the oldest event, which the caller frees. NULL: no event waits. */
struct herald_net_event *herald_net_events_take(struct herald_net_events *events);
void herald_net_events_destroy(struct herald_net_events *events);
HERALD_END
#endif
