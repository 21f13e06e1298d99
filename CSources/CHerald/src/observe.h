/* Adding: what stands behind the public functions. */
#ifndef HERALD_OBSERVE_H
#define HERALD_OBSERVE_H

#include "platform.h"

HERALD_BEGIN
/* HeraldCenterAddObserverWithOptions; with HERALD_UNTOLD and HERALD_UNDER as `traits`, or 0. */
HeraldStatus herald_center_observe(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                   HeraldNameRef name, const void *object, const HeraldObserverOptions *options,
                                   unsigned traits, HeraldToken *token);
HERALD_END
#endif
