/* Carrying what is kept to another file. */
#ifndef HERALD_HOST_CARRY_H
#define HERALD_HOST_CARRY_H

#include "segment.h"

HERALD_BEGIN
/* The next two are for a new file that no other process sees yet (replace.c). `reserve` takes memory for what the old
 * file keeps, and enters the names. `copy` copies it, after the old file's log has ended. */
HeraldStatus herald_host_carry_reserve(struct herald_host_segment *old, struct herald_host_segment *fresh);
HeraldStatus herald_host_carry_copy(struct herald_host_segment *old, struct herald_host_segment *fresh);

/* Keeps in a new file what a removed file keeps, unless it was kept anew in the new file's line (layout.h). If the old
 * file is of the same line, the new one has all of it, or something newer. Nobody hears it. What has no room there is
 * lost with its file. Fails if the new file is not in use any more. Under the session's lock. */
HeraldStatus herald_host_carry_again(struct herald_host_segment *old, struct herald_host_segment *segment);
HERALD_END
#endif
