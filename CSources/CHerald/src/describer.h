/* Describers: who knows more of an observer than its address, by its callback; and of a name. */
#ifndef HERALD_DESCRIBER_H
#define HERALD_DESCRIBER_H

#include "center.h"
#include <herald/inspect.h>

HERALD_BEGIN
/* Asks what is known of a registration, which is shown in a frame meanwhile as if it were called. HERALD_UNDESCRIBED:
 * nobody knows more; HERALD_GONE: it has ended. Under no lock. */
enum herald_described { HERALD_DESCRIBED, HERALD_UNDESCRIBED, HERALD_GONE };
enum herald_described herald_describe(HeraldCenterRef center, uint64_t registration, HeraldCallback callback,
                                      HeraldDescription *description);

void herald_describers_before_fork(void);
void herald_describers_after_fork(void);
HERALD_END
#endif
