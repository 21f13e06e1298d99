/* Keeping the object that carries this copy of the library loaded. */
#ifndef HERALD_PIN_H
#define HERALD_PIN_H

#include "platform.h"

HERALD_BEGIN
/* Returns the dynamic linker's namespace in which the object lies. 0: the program's own, or the only one. */
long herald_pin_namespace(void);
HERALD_END

#endif
