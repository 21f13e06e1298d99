/* The hooks of transports written for 0.2: firstObserver and lastObserver, for one release more.
 *
 * They are edges, not levels: a name's hooks must come in order, and those of a center one at a time. So one thread
 * calls a center's hooks. It may begin several times, because the hooks may add and remove observers themselves.
 */
#ifndef HERALD_EDGES_H
#define HERALD_EDGES_H

#include "center.h"

HERALD_BEGIN
/* HeraldTransport.observed of a center whose transport has only the older hooks. */
HeraldStatus herald_edges_observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                                   uint64_t version);

/* For a thread that ends in the middle of calls: a hook that it was in has refused. */
void herald_edges_hand_in(HeraldCenterRef center);

void herald_edges_before_fork(void);
void herald_edges_in_child(void);
void herald_edges_after_fork(void);
HERALD_END
#endif
