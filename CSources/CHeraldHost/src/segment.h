/* A segment: a file of the host center's, mapped. */
#ifndef HERALD_HOST_SEGMENT_H
#define HERALD_HOST_SEGMENT_H

#include "file.h"
#include "layout.h"
#include "place.h"
#include <sys/stat.h>

/* There is another one only when the user's file has become another. Segments are kept for the life of the process, for
 * posts may be using one; the memory of all but the last two is that of newer ones, so who uses it without the
 * session's lock looks afterwards whether the session's segment is still the same. */
struct herald_host_segment {
    struct herald_host_header *header;
    dev_t device;
    ino_t inode;
    int unnamed; /* the open file, while it has no name; else -1 */
    char path[HERALD_HOST_PATH_LIMIT];
    struct herald_host_segment *older; /* of all that this process has mapped */
};

HERALD_BEGIN
/* Makes a whole file that has nothing in it, under no name; -1, with a complaint. `path`: for complaints. */
int herald_host_segment_make(const char *folder, const char *path);
/* Gives an open file that has no name this one, unless there is a file of that name: HeraldOK, and not `given`. */
HeraldStatus herald_host_segment_give_name(int file, const char *path, bool *given);

/* Opens a file that can be the user's: -1, with a complaint; -1 without one when there is none (ENOENT). One without
 * its seal is HERALD_HOST_LEFT: what processes know is newer. */
int herald_host_segment_open_file(const char *path, uid_t user, struct stat *about, struct herald_host_header *header);
/* Whether an open file is one of Herald's, of this layout and whole; `sealed`: also with its seal. */
bool herald_host_segment_is_good(int file, const struct stat *about, bool sealed);
/* Maps an open file. Under the session's lock. */
HeraldStatus herald_host_segment_map(int file, const struct stat *about, const char *path,
                                     struct herald_host_segment **mapped);

/* Maps an open file, to look at it, until the visit is ended. NULL with errno. Under the session's lock, one at a time.
 */
struct herald_host_header *herald_host_segment_visit(int file);
void herald_host_segment_end_visit(void);
/* The same, to fill a new file: beside a visit. */
struct herald_host_header *herald_host_segment_visit_own(int file);
void herald_host_segment_end_own_visit(void);

/* Whether this is its file, and still mapped; and whether that is what it was. */
bool herald_host_segment_is_file(const struct herald_host_segment *segment, const struct stat *about);
bool herald_host_segment_is_whole(const struct herald_host_segment *segment, const struct stat *about);
/* Opens its file once more; -1, with a complaint, when it is there no more. The caller closes it. */
int herald_host_segment_reopen(const struct herald_host_segment *segment);

/* The file is new: messages are kept for a while, whether they are heard or not. It is longer than the longest sleep of
 * a watcher, which then looks after its file. */
enum { HERALD_HOST_EXPECTS = 90 /* seconds */ };
void herald_host_segment_expect(struct herald_host_header *header);
/* Not yet, or no more. A time that is further away than HERALD_HOST_EXPECTS is none. */
bool herald_host_segment_still_expects(struct herald_host_header *header);
static inline bool herald_host_segment_is_expecting(struct herald_host_header *header) {
    return herald_unlikely(header->expecting) && herald_host_segment_still_expects(header);
}

/* How many regions there are. */
static inline uint32_t herald_host_segment_regions(const struct herald_host_segment *segment) {
    uint32_t regions = segment->header->regions;
    return regions == 0 ? 1 : regions > HERALD_HOST_REGIONS ? HERALD_HOST_REGIONS : regions;
}
/* Takes the memory of a part of the file, so that no later access finds the disk full. It waits for nobody: not for a
 * lock on the file either. */
HeraldStatus herald_host_segment_fill(struct herald_host_segment *segment, size_t offset, size_t size);
/* Whether the file system has so much left now: a look before what could not be given back is taken. */
HeraldStatus herald_host_segment_has_room(struct herald_host_segment *segment, size_t size);
/* Gives memory back that nobody uses. */
void herald_host_segment_empty(struct herald_host_segment *segment, size_t offset, size_t size);
/* Adds a region, of which there is none yet, to those that are used. */
HeraldStatus herald_host_segment_grow(struct herald_host_segment *segment);
HERALD_END
#endif
