/* The inspector: a service that another part of the library brings, and the core begins. */
#ifndef HERALD_INSPECTOR_H
#define HERALD_INSPECTOR_H

#include "platform.h"

HERALD_BEGIN
/* When a center has been made: begins it, once, if the environment asks for it. */
void herald_inspector_begin(void);
HERALD_END
#endif
