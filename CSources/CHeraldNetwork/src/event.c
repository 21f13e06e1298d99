/* Ordering, ownership: the center's lock. Progress: bounded by the number of events that may wait. */
#include "event.h"
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MOST = 256 };

/* The waiting event whose count is raised for a new event, or NULL. */
static struct herald_net_event *find_kin(struct herald_net_events *events, HeraldNetworkEventKind kind,
                                         HeraldNameRef name, const char *durable, const char *reason) {
    struct herald_net_event *kin = NULL;
    for (struct herald_net_event *event = events->first; event; event = event->next) {
        if (event->told.kind != kind) continue;
        bool is_of_durable = strcmp(event->durable, durable ? durable : "") == 0;
        if (is_of_durable && event->told.name == name && strcmp(event->reason, reason) == 0) return event;
        if (is_of_durable) kin = event;
    }
    if (events->count < EVENTS_MOST || !kin) return NULL;
    kin->told.name = NULL;
    return kin;
}

static bool counts(HeraldNetworkEventKind kind) {
    return kind == HeraldNetworkRefused || kind == HeraldNetworkSlow || kind == HeraldNetworkDenied ||
           kind == HeraldNetworkUnkept;
}

bool herald_net_events_create(struct herald_net_events *events) {
    *events = (struct herald_net_events){.last = &events->first, .closed = calloc(1, sizeof *events->closed)};
    return events->closed != NULL;
}

/* Room for a new event, or NULL. The center's last event, HeraldNetworkClosed, always has room: a program may wait
 * for this event before it frees what its event function uses. */
static struct herald_net_event *allocate_event(struct herald_net_events *events, HeraldNetworkEventKind kind) {
    struct herald_net_event *closed = events->closed;
    if (kind != HeraldNetworkClosed || !closed)
        return events->count < 2 * EVENTS_MOST ? calloc(1, sizeof *closed) : NULL;
    events->closed = NULL;
    return closed;
}

void herald_net_events_add(struct herald_net_events *events, HeraldNetworkEventKind kind, HeraldNameRef name,
                           const char *durable, uint64_t count, const char *reason) {
    struct herald_net_event *event = counts(kind) ? find_kin(events, kind, name, durable, reason) : NULL;
    if (event) {
        event->told.count += count;
        return;
    }
    event = allocate_event(events, kind);
    if (!event) return;
    event->told = (HeraldNetworkEvent){sizeof event->told, kind, name, event->reason, count, NULL};
    if (durable) event->told.durable = strcpy(event->durable, durable);
    strncpy(event->reason, reason, sizeof event->reason - 1);
    *events->last = event;
    events->last = &event->next;
    events->count++;
}

struct herald_net_event *herald_net_events_take(struct herald_net_events *events) {
    struct herald_net_event *event = events->first;
    if (!event) return NULL;
    events->first = event->next;
    if (!events->first) events->last = &events->first;
    events->count--;
    return event;
}
