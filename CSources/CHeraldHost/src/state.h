/* States: each name has a number, which is copied with the name to another file. */
#ifndef HERALD_HOST_STATE_H
#define HERALD_HOST_STATE_H

#include "entry.h"

HERALD_BEGIN
/* Sets the state of a name. If the file is superseded afterwards, the caller must set it again in the next file. */
void herald_host_state_set(struct herald_host_entry *entry, uint64_t state);

/* Enters all names that have a state in another file, so that there is memory for the states. */
HeraldStatus herald_host_states_prepare(struct herald_host_segment *old, struct herald_host_segment *segment);
/* Copies all states from a superseded file, whose inode has this number, except those that are set in the new file. */
HeraldStatus herald_host_states_carry(struct herald_host_segment *old, ino_t number,
                                      struct herald_host_segment *segment);
HERALD_END
#endif
