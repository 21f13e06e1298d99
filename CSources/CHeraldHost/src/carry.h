/* Carrying what is kept to another file. */
#ifndef HERALD_HOST_CARRY_H
#define HERALD_HOST_CARRY_H

#include "segment.h"

/* The header's `carried` for a file. A file in another folder may have the same inode number, but has another line. */
static inline uint64_t herald_host_carried_from(const struct herald_host_header *old, uint64_t inode) {
    return inode ^ old->line;
}

HERALD_BEGIN
/* The next two are for a new file that no other process sees yet (replace.c). `reserve` takes memory for what the old
 * file keeps, and enters the names. `copy` copies it, after the old file's log has ended; also what was forgotten, as
 * far as there is room, unless a new line begins. */
HeraldStatus herald_host_carry_reserve(struct herald_host_segment *old, struct herald_host_segment *fresh);
HeraldStatus herald_host_carry_copy(struct herald_host_segment *old, struct herald_host_segment *fresh);

/* Keeps in a new file what an old file keeps, except what processes have kept or forgotten since in the new file's line
 * (layout.h). Forgets there what was forgotten in the old file, as far as half of the cells stay free. Does nothing if
 * both files are of one line, because the new file then has the same messages or newer ones. Nobody hears the messages.
 * Fails with a complaint if not all could be carried: there was no room or no memory, or the new file is not in use any
 * more. It may then be called again. Under the session's lock. */
HeraldStatus herald_host_carry_again(struct herald_host_segment *old, struct herald_host_segment *segment);
HERALD_END
#endif
