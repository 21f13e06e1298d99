/* Adding: what stands behind the public functions. */
#ifndef HERALD_OBSERVE_H
#define HERALD_OBSERVE_H

#include "platform.h"

HERALD_BEGIN
/* HeraldCenterAddObserverWithOptions. Not `told`: the center's transport does not hear of the registration, which is
 * for any name. */
HeraldStatus herald_center_observe(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                   HeraldNameRef name, const void *object, const HeraldObserverOptions *options,
                                   bool told, HeraldToken *token);
HERALD_END
#endif
