/* States: the numbers that go with names, and along with them to another file. */
#ifndef HERALD_HOST_STATE_H
#define HERALD_HOST_STATE_H

#include "entry.h"

HERALD_BEGIN
/* Sets the state of a name. It is to be set again in another file when this one is superseded afterwards. */
void herald_host_state_set(struct herald_host_entry *entry, uint64_t state);

/* Enters all names that have a state in another file, so that there will be memory for these. */
HeraldStatus herald_host_states_prepare(struct herald_host_segment *old, struct herald_host_segment *segment);
/* Has all states go along from a file that is superseded, and that has this number, unless they are set there. */
HeraldStatus herald_host_states_carry(struct herald_host_segment *old, ino_t number,
                                      struct herald_host_segment *segment);
HERALD_END
#endif
