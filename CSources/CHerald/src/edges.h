/* The hooks of transports written for 0.2: firstObserver and lastObserver, for one release more.
 *
 * They are edges, not levels: a name's hooks must come in order, and those of a center one at a time. So only one
 * thread at a time calls a center's hooks. Its calls may be nested, because a hook may itself add and remove
 * observers.
 */
#ifndef HERALD_EDGES_H
#define HERALD_EDGES_H

#include "center.h"

HERALD_BEGIN
/* HeraldTransport.observed of a center whose transport has only the older hooks. */
HeraldStatus herald_edges_observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                                   uint64_t version);

/* For a thread that ends in the middle of calls: a firstObserver that it was in counts as having refused. */
void herald_edges_hand_in(HeraldCenterRef center);

void herald_edges_in_child(void);
HERALD_END
#endif
