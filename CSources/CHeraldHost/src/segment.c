/* Making and opening the file.
 *
 * It is made under no name, complete, and then given one: a process that is killed in the middle leaves nothing, and of
 * several that do it at once one wins. All its memory is taken at once, so that no later access finds the disk full.
 *
 * Ordering. Sequentially consistent; a region is there before the header counts it. Progress. System calls; a file that
 * others remove again and again is given up after a hundred attempts. Ownership. Segments are opened and grown under
 * the session's lock, and stay mapped for the life of the process.
 */
#include "segment.h"
#include "complaint.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'H', 'e', 'r', 'a', 'l', 'd', '\n', 0};

#define WHOLE                                                                                                          \
    herald_region_at(HERALD_REGIONS) /* mapped at once; what lies beyond the file's end comes with growing             \
                                      */
#define LEAST herald_region_at(1)

static HeraldStatus failed(const char *what, const char *path) {
    return herald_complain(HeraldTransportFailed, "%s cannot be %s: %s", path, what, strerror(errno));
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static void write_header(struct herald_header *header) {
    header->layout = HERALD_LAYOUT;
    header->header_size = sizeof *header;
    header->channels = HERALD_CHANNELS;
    header->regions_limit = HERALD_REGIONS;
    header->first_names = HERALD_FIRST_NAMES;
    header->bytes_per_name = HERALD_BYTES_PER_NAME;
    header->regions = 1;
    memcpy(header->magic, magic, sizeof magic);
}

/* Gives a file without a name the name `path`; EEXIST when there is one. */
static int give_name(int file, const char *path) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0) return 0;
    if (errno != ENOENT) return -1; /* else there is no /proc */
    return linkat(file, "", AT_FDCWD, path, AT_EMPTY_PATH);
}

/* Fills the file and gives it its name. False with errno. */
static bool furnish(int file, const char *path) {
    if (fchmod(file, 0600) != 0) return false;
    int error = posix_fallocate(file, 0, (off_t)LEAST);
    if (error) {
        errno = error;
        return false;
    }
    struct herald_header *header = mmap(NULL, sizeof *header, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (header == MAP_FAILED) return false;
    write_header(header);
    munmap(header, sizeof *header);
    return give_name(file, path) == 0 || errno == EEXIST;
}

/* Whether the process may make a file this large: else asking for it ends the process (SIGXFSZ). */
static bool may_be(size_t size) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= size) return true;
    errno = EFBIG;
    return false;
}

static HeraldStatus make(const char *folder, const char *path) {
    if (!may_be(LEAST)) return failed("made", path);
    int file = herald_file_open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC);
    if (file < 0) {
        if (errno == EOPNOTSUPP || errno == EISDIR)
            return herald_complain(HeraldTransportFailed,
                                   "the file system of %s does not know unnamed files (O_TMPFILE)", folder);
        return failed("made", path);
    }
    bool made = furnish(file, path);
    herald_file_discard(file);
    return made ? HeraldOK : failed("made", path);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* Refuses what is not the user's own, before anything in it is looked at. */
static HeraldStatus admit(const struct stat *about, const char *path) {
    if (!S_ISREG(about->st_mode)) return herald_complain(HeraldTransportFailed, "%s is not a regular file", path);
    if (about->st_uid != geteuid())
        return herald_complain(HeraldTransportFailed, "%s belongs to user %u, not to user %u", path, about->st_uid,
                               geteuid());
    if ((about->st_mode & 07777) != 0600)
        return herald_complain(HeraldTransportFailed, "%s is open to others (its mode is %04o, not 0600)", path,
                               about->st_mode & 07777);
    if ((size_t)about->st_size < LEAST)
        return herald_complain(HeraldTransportFailed, "%s has been cut short: remove it, and Herald makes it anew",
                               path);
    return HeraldOK;
}

static bool has_magic(const struct herald_header *header) {
    return memcmp(header->magic, magic, sizeof magic) == 0 && header->layout == HERALD_LAYOUT;
}

/* Before it is mapped: later, any process of the user may write anything. */
static HeraldStatus check_header(int file, const char *path) {
    struct herald_header header;
    if (pread(file, &header, sizeof header, 0) != sizeof header) return failed("read", path);
    if (!has_magic(&header))
        return herald_complain(HeraldTransportFailed, "%s is damaged: remove it, and Herald makes it anew", path);
    if (header.incompatible)
        return herald_complain(HeraldTransportFailed,
                               "%s was made by a newer Herald (it has features %#x that this one does not know)", path,
                               header.incompatible);
    if (header.header_size != sizeof header || header.channels != HERALD_CHANNELS ||
        header.regions_limit != HERALD_REGIONS || header.first_names != HERALD_FIRST_NAMES ||
        header.bytes_per_name != HERALD_BYTES_PER_NAME)
        return herald_complain(HeraldTransportFailed, "%s has other measures than this Herald's", path);
    return HeraldOK;
}

static bool is_file_of(const struct herald_segment *segment, const struct stat *about) {
    return about->st_dev == segment->device && about->st_ino == segment->inode;
}

static struct herald_segment *newest; /* the session's lock: all that are mapped, by `older` */

static HeraldStatus map(int file, const char *path, const struct stat *about, struct herald_segment **mapped) {
    for (*mapped = newest; *mapped; *mapped = (*mapped)->older)
        if (is_file_of(*mapped, about) && has_magic((*mapped)->header)) { /* it was away, and has come back */
            (*mapped)->header->retired = 0;
            return HeraldOK;
        }
    struct herald_segment *segment = calloc(1, sizeof *segment);
    if (!segment) return herald_complain_of_memory();
    void *memory = mmap(NULL, WHOLE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED) {
        free(segment);
        return failed("mapped", path);
    }
    segment->header = memory;
    segment->device = about->st_dev;
    segment->inode = about->st_ino;
    segment->file.number = -1;
    segment->regions = 1;
    snprintf(segment->path, sizeof segment->path, "%s", path);
    segment->older = newest;
    newest = segment;
    herald_fault_guard(&segment->guard, memory, WHOLE, &segment->header->retired);
    *mapped = segment;
    return HeraldOK;
}

static int open_file(const char *path) {
    return herald_file_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

/* Opens the file that `path` names. HeraldOK with `*segment` NULL: there is none. */
static HeraldStatus open_existing(const char *path, struct herald_segment **opened) {
    *opened = NULL;
    int file = open_file(path);
    if (file < 0) {
        if (errno == ENOENT) return HeraldOK;
        if (errno == ELOOP) return herald_complain(HeraldTransportFailed, "%s is a symbolic link", path);
        return failed("opened", path);
    }
    struct stat about;
    HeraldStatus status = fstat(file, &about) != 0 ? failed("looked at", path) : admit(&about, path);
    if (status == HeraldOK) status = check_header(file, path);
    if (status == HeraldOK) status = map(file, path, &about, opened);
    close(file);
    return status;
}

HeraldStatus herald_segment_open(struct herald_segment **segment) {
    char folder[HERALD_PATH_LIMIT], path[HERALD_PATH_LIMIT];
    HeraldStatus status = herald_place(folder, path);
    if (status != HeraldOK) return status;
    for (int attempt = 0; attempt < 100; attempt++) { /* others may remove what we make */
        status = open_existing(path, segment);
        if (status != HeraldOK || *segment) return status;
        status = make(folder, path);
        if (status != HeraldOK) return status;
    }
    return herald_complain(HeraldTransportFailed, "%s is removed as often as it is made", path);
}

/* ---- The file behind a segment ----------------------------------------------------------------------------------- */

bool herald_segment_is_current(const struct herald_segment *segment) {
    char folder[HERALD_PATH_LIMIT], path[HERALD_PATH_LIMIT];
    struct stat about;
    return herald_place(folder, path) == HeraldOK && stat(path, &about) == 0 && is_file_of(segment, &about) &&
           (size_t)about.st_size >= herald_region_at(segment->regions) && has_magic(segment->header);
}

int herald_segment_file(struct herald_segment *segment) {
    if (herald_file_is_ours(&segment->file)) return segment->file.number;
    if (!herald_file_take(&segment->file, open_file(segment->path)) && errno != ENOENT) {
        failed("opened", segment->path);
        return -1;
    }
    if (segment->file.number >= 0 && segment->file.device == segment->device && segment->file.inode == segment->inode) {
        segment->opened++;
        return segment->file.number;
    }
    herald_file_close(&segment->file);
    herald_complain(HeraldTransportFailed, "%s has been removed", segment->path);
    return -1;
}

/* ---- Regions ----------------------------------------------------------------------------------------------------- */

static HERALD_SLOW uint32_t find_regions(struct herald_segment *segment, uint32_t said) {
    struct stat about;
    if (said > HERALD_REGIONS) said = HERALD_REGIONS;
    if (stat(segment->path, &about) != 0 || !is_file_of(segment, &about)) return segment->regions;
    while (said > 1 && (size_t)about.st_size < herald_region_at(said)) said--;
    uint32_t known = segment->regions;
    while (known < said && !atomic_compare_exchange_weak(&segment->regions, &known, said)) {
    }
    return segment->regions;
}

uint32_t herald_segment_regions(struct herald_segment *segment) {
    uint32_t known = segment->regions, said = segment->header->regions;
    return herald_likely(said <= known) ? known : find_regions(segment, said);
}

HeraldStatus herald_segment_grow(struct herald_segment *segment) {
    uint32_t region = herald_segment_regions(segment);
    if (region == HERALD_REGIONS) return herald_complain(HeraldTransportFailed, "%s is full of names", segment->path);
    int file = herald_segment_file(segment);
    if (file < 0) return HeraldTransportFailed;
    if (!may_be(herald_region_at(region + 1))) return failed("made larger", segment->path);
    int error = posix_fallocate(file, (off_t)herald_region_at(region), (off_t)herald_region_size(region));
    if (error) {
        errno = error;
        return failed("made larger", segment->path);
    }
    uint32_t before = region;
    atomic_compare_exchange_strong(&segment->header->regions, &before, region + 1);
    if (herald_segment_regions(segment) > region) return HeraldOK;
    return herald_complain(HeraldTransportFailed, "%s is damaged: remove it, and Herald makes it anew", segment->path);
}
