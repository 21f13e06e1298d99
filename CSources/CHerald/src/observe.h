/* Adding observers, for other files of the library. */
#ifndef HERALD_OBSERVE_H
#define HERALD_OBSERVE_H

#include "platform.h"

HERALD_BEGIN
/* As HeraldCenterAddObserverWithOptions. `traits` is 0 or a combination of HERALD_UNTOLD and HERALD_UNDER (slot.h). */
HeraldStatus herald_center_observe(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                   HeraldNameRef name, const void *object, const HeraldObserverOptions *options,
                                   unsigned traits, HeraldToken *token);
HERALD_END
#endif
