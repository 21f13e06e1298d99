/* Events that wait to be told. */
#ifndef HERALD_NETWORK_EVENT_H
#define HERALD_NETWORK_EVENT_H

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
/* Adds to the newest of its kind when it says the same, or when there are many. */
void herald_net_events_add(struct herald_net_events *events, HeraldNetworkEventKind kind, HeraldNameRef name,
                           uint64_t count, const char *reason);
/* The oldest, which is the caller's to free; or NULL. */
struct herald_net_event *herald_net_events_take(struct herald_net_events *events);
void herald_net_events_destroy(struct herald_net_events *events);
HERALD_END
#endif
