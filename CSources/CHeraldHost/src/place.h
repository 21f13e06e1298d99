/* The place: where the user's file is. */
#ifndef HERALD_HOST_PLACE_H
#define HERALD_HOST_PLACE_H

#include "platform.h"

enum { HERALD_PATH_LIMIT = 512 };

HERALD_BEGIN
/* Writes the folder, and the file's name in it. */
HeraldStatus herald_place(char folder[HERALD_PATH_LIMIT], char path[HERALD_PATH_LIMIT]);
HERALD_END
#endif
