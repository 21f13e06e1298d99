/* Making a center for the library itself. */
#ifndef HERALD_LIFE_H
#define HERALD_LIFE_H

#include "center.h"

HERALD_BEGIN
/* Makes a center that is neither traced nor visited; returns NULL when memory is out. */
HeraldCenterRef herald_center_create_hidden(void);
HERALD_END
#endif
