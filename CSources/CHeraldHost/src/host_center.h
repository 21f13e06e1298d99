/* The host center, for callers that look at it and do not make it. */
#ifndef HERALD_HOST_CENTER_H
#define HERALD_HOST_CENTER_H

#include "host_platform.h"

HERALD_BEGIN
HeraldCenterRef herald_host_center_if_any(void);
HERALD_END
#endif
