/* That the object which carries this copy of the library stays loaded. */
#ifndef HERALD_PIN_H
#define HERALD_PIN_H

#include "platform.h"

HERALD_BEGIN
/* Of the dynamic linker: the namespace, in which the object lies; 0: the program's, or there is but one. */
long herald_pin_namespace(void);
HERALD_END

#endif
