/* Describers: functions that know more of an observer than its address, by its callback; or more of a name. */
#ifndef HERALD_DESCRIBER_H
#define HERALD_DESCRIBER_H

#include "center.h"
#include <herald/inspect.h>

HERALD_BEGIN
/* Asks what is known of a registration. A frame shows it during the call, as if it were being called.
 * HERALD_UNDESCRIBED: it has no describer; HERALD_GONE: it has ended. Called under no lock. */
enum herald_described { HERALD_DESCRIBED, HERALD_UNDESCRIBED, HERALD_GONE };
enum herald_described herald_describe(HeraldCenterRef center, uint64_t registration, HeraldCallback callback,
                                      HeraldDescription *description);

void herald_describers_before_fork(void);
void herald_describers_after_fork(void);
HERALD_END
#endif
