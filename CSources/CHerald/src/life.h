/* A center that is the library's own. */
#ifndef HERALD_LIFE_H
#define HERALD_LIFE_H

#include "center.h"

HERALD_BEGIN
/* One that is neither traced nor visited; NULL when memory is out. */
HeraldCenterRef herald_center_create_hidden(void);
HERALD_END
#endif
