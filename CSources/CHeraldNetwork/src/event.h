/* Events that wait to be told. */
#ifndef HERALD_NETWORK_EVENT_H
#define HERALD_NETWORK_EVENT_H

#include "platform.h"

struct herald_event {
    struct herald_event *next;
    HeraldNetworkEventKind kind;
    HeraldNameRef name;
    uint64_t count;
    char reason[256];
};

struct herald_events {
    struct herald_event *first, **last;
    uint32_t count;
};

HERALD_BEGIN
void herald_events_create(struct herald_events *events);
/* Adds to the newest of its kind when it says the same, or when there are many. */
void herald_events_add(struct herald_events *events, HeraldNetworkEventKind kind, HeraldNameRef name, uint64_t count,
                       const char *reason);
/* The oldest, which is the caller's to free; or NULL. */
struct herald_event *herald_events_take(struct herald_events *events);
void herald_events_destroy(struct herald_events *events);
HERALD_END
#endif
