/* The centers, observers, running callbacks, events and counts of the process, as lines of JSON. */
#ifndef HERALD_HOST_LISTING_H
#define HERALD_HOST_LISTING_H

#include "counts.h"
#include "reply.h"

HERALD_BEGIN
void herald_host_list_centers(struct herald_host_reply *reply);
/* Lists the observers of one center (0: of all centers). Leaves out registrations whose order is not greater than
 * `after` (0: leaves out none). */
void herald_host_list_observers(struct herald_host_reply *reply, uint64_t center, uint64_t after);
/* Lists what one center keeps (0: all centers). */
void herald_host_list_kept(struct herald_host_reply *reply, uint64_t center);
void herald_host_list_running(struct herald_host_reply *reply);
void herald_host_list_event(struct herald_host_reply *reply, const HeraldTraceEvent *event);
/* Lists the counts of one place, unless nothing was counted, and begins again at 0. */
void herald_host_list_count(struct herald_host_reply *reply, uint64_t window, struct herald_host_count *count);
HERALD_END
#endif
