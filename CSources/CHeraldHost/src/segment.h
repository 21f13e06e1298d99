/* A segment: a mapped file of the host center. */
#ifndef HERALD_HOST_SEGMENT_H
#define HERALD_HOST_SEGMENT_H

#include "fault.h"
#include "file.h"
#include "folder.h"
#include "layout.h"
#include "place.h"
#include <sys/stat.h>

/* A process gets a new segment only when another file has become the user's file. A segment's struct is kept for the
 * life of the process, because posts may be using it. There are two address ranges, and segments use them in turn, so
 * only the two newest segments are mapped. So a thread that uses a segment without the session's lock checks afterwards
 * that the session still has the same segment. */
struct herald_host_segment {
    struct herald_host_header *header;
    struct herald_host_guard *range; /* the address range in which the file is mapped */
    dev_t device;
    ino_t inode;
    int unnamed; /* a descriptor of the file, while the file is not at `path`; otherwise -1 */
    char path[HERALD_HOST_PATH_LIMIT];
    struct herald_host_segment *older; /* the segment that this process mapped before */
};

HERALD_BEGIN
/* Makes a complete, empty file, which has no name that other processes look for (folder.h). False with a complaint that
 * names `path`. */
bool herald_host_segment_make(struct herald_host_new_file *made, const char *folder, const char *path);

/* Opens the file at `path` if it can be the user's file, and reads its header. On failure sets `*file` to -1. If there
 * is no file, returns HeraldOK, and also sets `*file` to -1. If the file has lost its seal (see layout.h), the
 * processes that use it know newer states of names than the file contains. Then this function sets `header->superseded`
 * to HERALD_HOST_LEFT, as if all of them had left the file. */
HeraldStatus herald_host_segment_open_file(const char *path, uid_t user, int *file, struct stat *about,
                                           struct herald_host_header *header);
/* Whether an open file is a whole file of Herald's in this layout. With `sealed`, the file must have its seal, too. */
bool herald_host_segment_is_good(int file, bool sealed);
/* Maps an open file. Under the session's lock. */
HeraldStatus herald_host_segment_map(int file, const struct stat *about, const char *path,
                                     struct herald_host_segment **mapped);

/* Maps an open file for a short visit. On failure returns NULL, with errno set. During the visit of an old file, a new
 * file may be visited, too, with `is_new`. Under the session's lock. */
struct herald_host_header *herald_host_segment_visit(int file, bool is_new);
/* Ends a visit. Does nothing if `header` is NULL. */
void herald_host_segment_end_visit(struct herald_host_header *header);

/* Whether `about` describes the segment's file, and that file is still mapped. herald_host_segment_is_whole also checks
 * that the file is still whole. */
bool herald_host_segment_is_file(const struct herald_host_segment *segment, const struct stat *about);
bool herald_host_segment_is_whole(const struct herald_host_segment *segment, const struct stat *about);
/* Opens the segment's file again. The caller closes the descriptor. Returns -1, with a complaint, if the file is
 * gone. */
int herald_host_segment_reopen(const struct herald_host_segment *segment);

/* In a new file all messages are kept for a while, even if nobody hears them yet. A watcher checks its file when it
 * wakes. So this time is longer than the longest sleep of a watcher. */
enum { HERALD_HOST_EXPECTS = 90 /* seconds */ };
void herald_host_segment_expect(struct herald_host_header *header);
/* Whether all messages are still kept. A time in the header that is further away than HERALD_HOST_EXPECTS is not valid,
 * and counts as over. */
bool herald_host_segment_still_expects(struct herald_host_header *header);
static inline bool herald_host_segment_is_expecting(struct herald_host_header *header) {
    return herald_unlikely(header->expecting) && herald_host_segment_still_expects(header);
}

/* The log's first sequence number. The number is in lap 1 or a later one, because an index word that was never written
 * is 0, which stands for lap 0. */
static inline uint64_t herald_host_header_first(const struct herald_host_header *header) {
    return header->first ? header->first : HERALD_HOST_SLOTS;
}
/* The first sequence number of the file's line (layout.h). */
static inline uint64_t herald_host_header_origin(const struct herald_host_header *header) {
    return header->origin ? header->origin : herald_host_header_first(header);
}

/* How many regions are in use. */
static inline uint32_t herald_host_segment_regions(const struct herald_host_segment *segment) {
    uint32_t regions = segment->header->regions;
    return regions == 0 ? 1 : regions > HERALD_HOST_REGIONS ? HERALD_HOST_REGIONS : regions;
}
/* Takes the memory of a part of the file, so that no later access finds the disk full. Waits for no process, and for no
 * lock on the file. */
HeraldStatus herald_host_segment_fill(struct herald_host_segment *segment, size_t offset, size_t size);
/* HeraldOK if the file system has `size` bytes left now, or if that is not known. Callers check this before they take
 * memory for the log. */
HeraldStatus herald_host_segment_has_room(struct herald_host_segment *segment, size_t size);
/* Gives back the memory of a part of the file that nobody uses. */
void herald_host_segment_empty(struct herald_host_segment *segment, size_t offset, size_t size);
/* Takes the memory of the next region, and counts it as in use. */
HeraldStatus herald_host_segment_grow(struct herald_host_segment *segment);
HERALD_END
#endif
