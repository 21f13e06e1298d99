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
/* Adds an event. If its kind has counts, only the count of a waiting event of that kind is raised, provided that one
 * has the same name and reason, or that many events wait. If too many events wait, the new one is dropped. */
void herald_net_events_add(struct herald_net_events *events, HeraldNetworkEventKind kind, HeraldNameRef name,
                           uint64_t count, const char *reason);
/* Takes the oldest, which the caller frees; or NULL. */
struct herald_net_event *herald_net_events_take(struct herald_net_events *events);
void herald_net_events_destroy(struct herald_net_events *events);
HERALD_END
#endif
