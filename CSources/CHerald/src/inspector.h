/* The inspector: a service that another library hands to the core (HeraldInspectorSetService), and that the core
 * starts. */
#ifndef HERALD_INSPECTOR_H
#define HERALD_INSPECTOR_H

#include "platform.h"

HERALD_BEGIN
/* Starts the inspector, once, if the environment asks for it. Call it when a center has been made. */
void herald_inspector_begin(void);
HERALD_END
#endif
