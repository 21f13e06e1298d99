/* That the object which carries this copy of the library stays loaded. */
#ifndef HERALD_PIN_H
#define HERALD_PIN_H

#include "platform.h"

HERALD_BEGIN
void herald_pin(void);
HERALD_END

#endif
