/* Describers: functions that know more of an observer or a name than its address. All observers with one callback have
 * the same describer. */
#ifndef HERALD_DESCRIBER_H
#define HERALD_DESCRIBER_H

#include "center.h"
#include <herald/inspect.h>

HERALD_BEGIN
/* Asks the describer of `callback` about the observer of a registration. While the describer runs, a frame shows the
 * registration, as if it were being called. HERALD_UNDESCRIBED: the callback has no describer. HERALD_GONE: the
 * registration has ended. Called under no lock. */
enum herald_described { HERALD_DESCRIBED, HERALD_UNDESCRIBED, HERALD_GONE };
enum herald_described herald_describe(HeraldCenterRef center, uint64_t registration, HeraldCallback callback,
                                      HeraldDescription *description);

HERALD_END
#endif
