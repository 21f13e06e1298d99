/* The host center, for code that looks at the center but must not make it. */
#ifndef HERALD_HOST_CENTER_H
#define HERALD_HOST_CENTER_H

#include "host_platform.h"

HERALD_BEGIN
HeraldCenterRef herald_host_center_if_any(void);
HERALD_END
#endif
