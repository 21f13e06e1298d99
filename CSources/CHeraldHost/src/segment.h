/* A segment: the user's file, mapped. */
#ifndef HERALD_HOST_SEGMENT_H
#define HERALD_HOST_SEGMENT_H

#include "fault.h"
#include "file.h"
#include "layout.h"
#include "place.h"

/* Stays mapped for the life of the process, for posts may be reading it. There is another one only when the file was
 * removed or spoilt. */
struct herald_segment {
    struct herald_header *header;
    _Atomic uint32_t regions; /* found to be there */
    dev_t device;
    ino_t inode;
    struct herald_file file; /* not the one that is mapped: see herald_seat_take */
    uint32_t opened;         /* how often `file` was */
    char path[HERALD_PATH_LIMIT];
    struct herald_guard guard;
    struct herald_segment *older; /* of all that this process has mapped */
};

HERALD_BEGIN
/* Opens the user's file, or makes it. */
HeraldStatus herald_segment_open(struct herald_segment **segment);

/* Whether the file is still where it was, and still what it was. */
bool herald_segment_is_current(const struct herald_segment *segment);

/* The open file; -1, with a complaint, when it cannot be had any more. Callers take turns. Closing it unlocks its
 * channel. */
int herald_segment_file(struct herald_segment *segment);

/* How many regions there are that can be used. */
uint32_t herald_segment_regions(struct herald_segment *segment);
/* Adds a region. Callers take turns. */
HeraldStatus herald_segment_grow(struct herald_segment *segment);
HERALD_END
#endif
