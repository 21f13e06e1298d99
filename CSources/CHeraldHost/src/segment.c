/* Making, checking and mapping a file.
 *
 * A new file is completed where no process looks for it (folder.c), and only then gets its name. If several processes
 * do this at once, one wins.
 *
 * Ordering: Sequentially consistent; a region's memory is taken before the header counts the region.
 * Progress: System calls; none waits for a lock that another process can hold.
 * Ownership: Files are mapped under the session's lock; segments are never freed.
 */
#include "segment.h"
#include "clock.h"
#include "fault.h"
#include "folder.h"
#include "host_complaint.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* A header with the fields that are the same in every file of this layout. */
static const struct herald_host_header fixed = {.magic = {'H', 'e', 'r', 'a', 'l', 'd', '\n', 0},
                                                .layout = HERALD_HOST_LAYOUT,
                                                .header_size = sizeof fixed,
                                                .channels = HERALD_HOST_CHANNELS,
                                                .names = HERALD_HOST_NAMES,
                                                .first_names = HERALD_HOST_FIRST_NAMES,
                                                .bytes_per_name = HERALD_HOST_BYTES_PER_NAME,
                                                .size = HERALD_HOST_FILE_SIZE};

static HeraldStatus failed(const char *what, const char *path) {
    return herald_host_complain(HeraldTransportFailed, "%s cannot be %s: %s", path, what, strerror(errno));
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

/* The first sequence number of a log that does not continue another. No file of this boot can have reached this number,
 * because no log gets a record every 64 nanoseconds. */
static uint64_t first_number(void) {
    enum { NANOSECONDS_EACH = 64 };
    return HERALD_HOST_SLOTS + herald_host_clock_since_boot() / NANOSECONDS_EACH;
}

/* Takes the memory of a part of the file. On failure returns false, with errno set. */
static bool take(int file, size_t offset, size_t size) {
    int error = posix_fallocate(file, (off_t)offset, (off_t)size);
    if (error) errno = error;
    return !error;
}

/* On failure returns false, with errno set. */
static bool furnish(int file) {
    if (fchmod(file, 0600) != 0 || ftruncate(file, (off_t)HERALD_HOST_FILE_SIZE) != 0) return false;
    if (!take(file, 0, HERALD_HOST_ENTRIES_AT + herald_host_region_names(0) * sizeof(struct herald_host_entry)))
        return false;
    if (!take(file, HERALD_HOST_TEXTS_AT, herald_host_region_bytes(0))) return false;
    struct stat about;
    if (!take(file, HERALD_HOST_SEAL_AT, sizeof(uint64_t)) || fstat(file, &about) != 0) return false;
    uint64_t seal = herald_host_seal_of(about.st_ino);
    struct herald_host_header header = fixed;
    header.regions = 1;
    header.line = herald_host_clock_since_boot(); /* the clock grows until the next boot, which no process outlives */
    header.first = first_number();
    herald_host_segment_expect(&header); /* processes may still be on the way from an earlier file to this one */
    errno = ENOSPC;
    return pwrite(file, &seal, sizeof seal, HERALD_HOST_SEAL_AT) == sizeof seal &&
           pwrite(file, &header, sizeof header, 0) == sizeof header;
}

/* Whether the process may make a file this large. Without this check the attempt would end the process (SIGXFSZ). */
static bool may_be(size_t size) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= size) return true;
    errno = EFBIG;
    return false;
}

bool herald_host_segment_make(struct herald_host_new_file *made, const char *folder, const char *path) {
    bool is_open = may_be(HERALD_HOST_FILE_SIZE) && herald_host_folder_make_file(made, folder);
    if (is_open && furnish(made->number)) return true;
    failed("made", path);
    if (is_open) herald_host_folder_forget_file(made);
    return false;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* Refuses a file that cannot be the user's, before anything in it is read. */
static HeraldStatus admit(const struct stat *about, const char *path, uid_t user) {
    if (!S_ISREG(about->st_mode)) return herald_host_complain(HeraldTransportFailed, "%s is not a regular file", path);
    if (about->st_uid != user)
        return herald_host_complain(HeraldTransportFailed, "%s belongs to user %u, not to user %u", path, about->st_uid,
                                    user);
    if ((about->st_mode & 07777) != 0600)
        return herald_host_complain(HeraldTransportFailed, "%s is open to others (its mode is %04o, not 0600)", path,
                                    about->st_mode & 07777);
    if ((size_t)about->st_size < HERALD_HOST_FILE_SIZE)
        return herald_host_complain(HeraldTransportFailed, "%s has been cut short: herald reset replaces it", path);
    return HeraldOK;
}

static bool has_magic(const struct herald_host_header *header) {
    return memcmp(header, &fixed, offsetof(struct herald_host_header, header_size)) == 0;
}

static bool has_seal(int file, ino_t inode) {
    uint64_t seal = 0;
    if (!HERALD_HOST_STEP(SEAL)) return true;
    return pread(file, &seal, sizeof seal, (off_t)HERALD_HOST_SEAL_AT) == sizeof seal &&
           seal == herald_host_seal_of(inode);
}

static HeraldStatus read_header(int file, ino_t inode, const char *path, struct herald_host_header *header) {
    memset(header, 0, sizeof *header);
    if (pread(file, header, sizeof *header, 0) != sizeof *header) return failed("read", path);
    if (!has_magic(header))
        return herald_host_complain(HeraldTransportFailed, "%s is damaged: herald reset replaces it", path);
    if (header->incompatible)
        return herald_host_complain(HeraldTransportFailed,
                                    "%s was made by a newer Herald (it has features %#x that this one does not know)",
                                    path, header->incompatible);
    if (memcmp(header, &fixed, offsetof(struct herald_host_header, incompatible)) != 0 || header->size != fixed.size)
        return herald_host_complain(HeraldTransportFailed, "%s has another layout than this version of Herald", path);
    if (!has_seal(file, inode)) header->superseded = HERALD_HOST_LEFT;
    return HeraldOK;
}

HeraldStatus herald_host_segment_open_file(const char *path, uid_t user, int *file, struct stat *about,
                                           struct herald_host_header *header) {
    *file = herald_host_file_open_found(path);
    if (*file < 0 && errno == ENOENT) return HeraldOK;
    if (*file < 0 && errno == ELOOP) return herald_host_complain(HeraldTransportFailed, "%s is a symbolic link", path);
    if (*file < 0) return failed("opened", path);
    HeraldStatus status = fstat(*file, about) != 0 ? failed("looked at", path) : admit(about, path, user);
    if (status == HeraldOK) status = read_header(*file, about->st_ino, path, header);
    if (status == HeraldOK) return HeraldOK;
    close(*file);
    *file = -1;
    return status;
}

bool herald_host_segment_is_good(int file, bool sealed) {
    struct herald_host_header header;
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode) && (size_t)about.st_size >= HERALD_HOST_FILE_SIZE &&
           read_header(file, about.st_ino, "it", &header) == HeraldOK && (!sealed || has_seal(file, about.st_ino));
}

/* Maps a file into a range. The range stays readable and writable at every moment. */
static struct herald_host_header *map_into(struct herald_host_guard *range, int file) {
    int where = range->memory ? MAP_FIXED : 0;
    range->lost = false; /* cleared before the mapping, because a fault after the mapping sets `lost` again */
    void *memory =
        mmap(range->memory, HERALD_HOST_FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | where, file, 0);
    if (memory == MAP_FAILED) return NULL;
    struct herald_host_header *header = memory;
    if (!range->memory) herald_host_fault_guard(range, memory, HERALD_HOST_FILE_SIZE, &header->superseded);
    return header;
}

struct herald_host_header *herald_host_segment_visit(int file, bool is_new) {
    static struct herald_host_guard visited[2]; /* under the session's lock */
    return map_into(&visited[is_new], file);
}

/* Maps other memory over the file, because a mapping of the file would keep the open file, its locks and its memory. */
void herald_host_segment_end_visit(struct herald_host_header *header) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    if (header) mmap(header, HERALD_HOST_FILE_SIZE, PROT_READ | PROT_WRITE, flags, -1, 0);
}

HeraldStatus herald_host_segment_map(int file, const struct stat *about, const char *path,
                                     struct herald_host_segment **mapped) {
    /* Segments use these two address ranges in turn. So the process never needs a third range, however often the file
     * is removed. */
    static struct herald_host_guard ranges[2]; /* under the session's lock */
    static unsigned maps;
    static struct herald_host_segment *newest;
    struct herald_host_segment *segment = calloc(1, sizeof *segment);
    if (!segment) return herald_host_complain_of_memory();
    segment->range = &ranges[maps % 2];
    segment->header = map_into(segment->range, file);
    if (!segment->header) {
        failed("mapped", path);
        free(segment);
        return HeraldTransportFailed;
    }
    maps++;
    segment->older = newest;
    newest = segment;
    segment->device = about->st_dev;
    segment->inode = about->st_ino;
    segment->unnamed = -1;
    snprintf(segment->path, sizeof segment->path, "%s", path);
    *mapped = segment;
    return HeraldOK;
}

/* ---- The file behind a segment ----------------------------------------------------------------------------------- */

bool herald_host_segment_is_file(const struct herald_host_segment *segment, const struct stat *about) {
    return about->st_dev == segment->device && about->st_ino == segment->inode && !segment->range->lost;
}

bool herald_host_segment_is_whole(const struct herald_host_segment *segment, const struct stat *about) {
    return herald_host_segment_is_file(segment, about) && (size_t)about->st_size >= HERALD_HOST_FILE_SIZE &&
           has_magic(segment->header) && herald_host_header_is_sealed(segment->header, segment->inode);
}

int herald_host_segment_reopen(const struct herald_host_segment *segment) {
    struct stat about;
    int file = herald_host_file_open_found(segment->path);
    if (file < 0 && errno != ENOENT) {
        failed("opened", segment->path);
        return -1;
    }
    if (file >= 0 && fstat(file, &about) == 0 && herald_host_segment_is_file(segment, &about)) return file;
    if (file >= 0) close(file);
    herald_host_complain(HeraldTransportFailed, "%s has been removed", segment->path);
    return -1;
}

HeraldStatus herald_host_segment_fill(struct herald_host_segment *segment, size_t offset, size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = offset % page;
    void *memory = (char *)segment->header + offset - before;
    if (madvise(memory, size + before, MADV_POPULATE_WRITE) == 0) return HeraldOK;
    if (errno == EINVAL) { /* Linux before 5.14 */
        int file = segment->unnamed >= 0 ? segment->unnamed : herald_host_segment_reopen(segment);
        if (file < 0) return HeraldTransportFailed;
        bool taken = take(file, offset, size);
        if (file != segment->unnamed) herald_host_file_discard(file);
        if (taken) return HeraldOK;
    }
    if (errno == EFAULT) errno = ENOSPC; /* EFAULT means that an access would find no room */
    return failed("made larger", segment->path);
}

HeraldStatus herald_host_segment_has_room(struct herald_host_segment *segment, size_t size) {
    struct statvfs about;
    if (statvfs(segment->path, &about) != 0 || !about.f_blocks || about.f_bavail * about.f_frsize >= size)
        return HeraldOK; /* there is enough room, or the room is unknown or unlimited */
    errno = ENOSPC;
    return failed("made larger", segment->path);
}

void herald_host_segment_empty(struct herald_host_segment *segment, size_t offset, size_t size) {
    madvise((char *)segment->header + offset, size, MADV_REMOVE);
}

void herald_host_segment_expect(struct herald_host_header *header) {
    uint32_t until = herald_host_clock_seconds() + HERALD_HOST_EXPECTS;
    if (HERALD_HOST_STEP(EXPECTING)) header->expecting = until ? until : 1;
}

/* When the time is over, `expecting` is cleared for all processes. From then on it is cheap again to post a message
 * that nobody hears. */
HERALD_SLOW bool herald_host_segment_still_expects(struct herald_host_header *header) {
    uint32_t until = header->expecting;
    if (herald_host_header_is_wiped(header)) return false; /* nobody would find a message in a wiped file */
    if (until - herald_host_clock_seconds() - 1 < HERALD_HOST_EXPECTS) return true;
    atomic_compare_exchange_strong(&header->expecting, &until, 0);
    return false;
}

HeraldStatus herald_host_segment_grow(struct herald_host_segment *segment) {
    uint32_t region = herald_host_segment_regions(segment), before = region;
    size_t first = herald_host_region_first(region);
    HeraldStatus status =
        herald_host_segment_fill(segment, HERALD_HOST_ENTRIES_AT + first * sizeof(struct herald_host_entry),
                                 herald_host_region_names(region) * sizeof(struct herald_host_entry));
    if (status == HeraldOK)
        status = herald_host_segment_fill(segment, HERALD_HOST_TEXTS_AT + first * HERALD_HOST_BYTES_PER_NAME,
                                          herald_host_region_bytes(region));
    if (status != HeraldOK) return status;
    atomic_compare_exchange_strong(&segment->header->regions, &before, region + 1);
    if (herald_host_segment_regions(segment) > region) return HeraldOK;
    return herald_host_complain(HeraldTransportFailed, "%s is damaged: herald reset replaces it", segment->path);
}
