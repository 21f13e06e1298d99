/* Prevents dlclose from unloading the program or library that this copy of Herald is part of. (This pin is no hazard
 * pointer.) */
#ifndef HERALD_PIN_H
#define HERALD_PIN_H

#include "platform.h"

HERALD_BEGIN
/* Returns the number of the dynamic linker's namespace that contains the object. 0: the program's own namespace, or
 * there is only one. */
long herald_pin_namespace(void);
HERALD_END

#endif
