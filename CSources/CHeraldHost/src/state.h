/* States. A state is a number that processes set for a name. When another file becomes the user's file, the states and
 * their names are copied to the new file. */
#ifndef HERALD_HOST_STATE_H
#define HERALD_HOST_STATE_H

#include "entry.h"

HERALD_BEGIN
/* Sets the state of a name. The caller checks afterwards whether the file is superseded. If it is, the caller sets the
 * state again in the next file. */
void herald_host_state_set(struct herald_host_entry *entry, uint64_t state);

/* Copies all states from a superseded file, whose inode number is `number`. A state that has already been set in the
 * new file is not changed. */
HeraldStatus herald_host_states_carry(struct herald_host_segment *old, ino_t number,
                                      struct herald_host_segment *segment);
HERALD_END
#endif
