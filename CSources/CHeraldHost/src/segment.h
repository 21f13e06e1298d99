/* A segment: a file of the host center's, mapped. */
#ifndef HERALD_HOST_SEGMENT_H
#define HERALD_HOST_SEGMENT_H

#include "file.h"
#include "layout.h"
#include "place.h"
#include <sys/stat.h>

/* A process gets a new segment only when another file has become the user's file. Segments are kept for the life of the
 * process, because posts may be using them. Only the last two have an address range of their own: the ranges of older
 * segments belong to newer ones now. So a thread that uses a segment without the session's lock checks afterwards that
 * the session's segment is still the same. */
struct herald_host_segment {
    struct herald_host_header *header;
    dev_t device;
    ino_t inode;
    int unnamed; /* the open file, while it has no name; otherwise -1 */
    char path[HERALD_HOST_PATH_LIMIT];
    struct herald_host_segment *older; /* the one that this process mapped before */
};

HERALD_BEGIN
/* Makes a complete, empty file without a name. Returns its descriptor; or -1, with a complaint that names `path`. */
int herald_host_segment_make(const char *folder, const char *path);
/* Gives an open file, which has no name yet, the name `path`. HeraldOK without `given`: another file has this name. */
HeraldStatus herald_host_segment_give_name(int file, const char *path, bool *given);

/* Opens a file that can be the user's, and reads its header. On failure returns -1 with a complaint, or -1 without a
 * complaint if there is no file (ENOENT). If the file has lost its seal (see layout.h), the header that was read has
 * `superseded` set to HERALD_HOST_LEFT, because what processes know is newer than what the file contains. */
int herald_host_segment_open_file(const char *path, uid_t user, struct stat *about, struct herald_host_header *header);
/* Whether an open file is a whole one of Herald's, in this layout; with `sealed`, it must have its seal, too. */
bool herald_host_segment_is_good(int file, const struct stat *about, bool sealed);
/* Maps an open file. Under the session's lock. */
HeraldStatus herald_host_segment_map(int file, const struct stat *about, const char *path,
                                     struct herald_host_segment **mapped);

/* Maps an open file to look at it, until the visit is ended. NULL with errno. Under the session's lock, one visit at a
 * time. */
struct herald_host_header *herald_host_segment_visit(int file);
void herald_host_segment_end_visit(void);
/* A second mapping of this kind, during a visit: for a new file that is being filled. */
struct herald_host_header *herald_host_segment_visit_own(int file);
void herald_host_segment_end_own_visit(void);

/* Whether `about` describes the segment's file, and that file is still mapped. The second call also checks that the
 * file is still whole. */
bool herald_host_segment_is_file(const struct herald_host_segment *segment, const struct stat *about);
bool herald_host_segment_is_whole(const struct herald_host_segment *segment, const struct stat *about);
/* Opens the segment's file again. Returns -1, with a complaint, if the file is gone. The caller closes it. */
int herald_host_segment_reopen(const struct herald_host_segment *segment);

/* In a new file all messages are kept for a while, even if nobody hears them yet. This time is longer than the longest
 * sleep of a watcher, which checks its file when it wakes. */
enum { HERALD_HOST_EXPECTS = 90 /* seconds */ };
void herald_host_segment_expect(struct herald_host_header *header);
/* Whether all messages are still kept. If the time in the header is further away than HERALD_HOST_EXPECTS, it is not
 * valid, and they are no longer kept. */
bool herald_host_segment_still_expects(struct herald_host_header *header);
static inline bool herald_host_segment_is_expecting(struct herald_host_header *header) {
    return herald_unlikely(header->expecting) && herald_host_segment_still_expects(header);
}

/* How many regions are in use. */
static inline uint32_t herald_host_segment_regions(const struct herald_host_segment *segment) {
    uint32_t regions = segment->header->regions;
    return regions == 0 ? 1 : regions > HERALD_HOST_REGIONS ? HERALD_HOST_REGIONS : regions;
}
/* Takes the memory of a part of the file, so that no later access finds the disk full. It waits for no process, and for
 * no lock on the file. */
HeraldStatus herald_host_segment_fill(struct herald_host_segment *segment, size_t offset, size_t size);
/* Whether the file system has this much left now. Checked before memory is taken that could not be given back. */
HeraldStatus herald_host_segment_has_room(struct herald_host_segment *segment, size_t size);
/* Gives back memory that nobody uses. */
void herald_host_segment_empty(struct herald_host_segment *segment, size_t offset, size_t size);
/* Takes the memory of the next region, and counts it as in use. */
HeraldStatus herald_host_segment_grow(struct herald_host_segment *segment);
HERALD_END
#endif
