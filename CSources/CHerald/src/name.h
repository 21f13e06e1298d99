/* Names: what fork needs of them. */
#ifndef HERALD_NAME_H
#define HERALD_NAME_H

#include "platform.h"

HERALD_BEGIN
void herald_names_before_fork(void);
void herald_names_after_fork(void);
HERALD_END
#endif
