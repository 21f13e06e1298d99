/* Finding, making and replacing the user's file.
 *
 * In a folder that others can write to they may have taken its name, so it may have one of eight: the first valid file
 * of the user's own wins. Who finds none makes one at the first free name and looks again; who finds two retires the
 * second; so processes that come at the same time meet.
 *
 * A file is replaced when its table is full, and when it is damaged or retired: a new one is made complete, given a
 * name of its own, and renamed over it. A process that is killed anywhere leaves a complete file at the path; all
 * others find within a look that it is not theirs any more, and retire theirs (move.c).
 *
 * Ordering. The file system's. Progress. System calls; a file that others remove again and again is given up after a
 * hundred attempts; of those that replace one, one goes first and the others are told. Ownership. Opening happens under
 * the session's lock.
 */
#include "userfile.h"
#include "channel.h"
#include "complaint.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 100, BUSY = 500000 /* nanoseconds until it looks again */ };

/* ---- Replacing -----------------------------------------------------------------------------------------------------
 */

static bool is_at(const char *path, const struct stat *about) {
    struct stat there;
    return lstat(path, &there) == 0 && there.st_dev == about->st_dev && there.st_ino == about->st_ino;
}

/* A name for the new file; nobody else's. */
static HeraldStatus make_beside(const struct herald_place *place, const char *path, uint32_t generation,
                                char fresh[HERALD_PATH_LIMIT]) {
    struct stat about;
    for (unsigned i = 0; i < place->names; i++) {
        snprintf(fresh, HERALD_PATH_LIMIT, i ? "%.480s.new.%u" : "%.480s.new", path, i);
        unlink(fresh); /* of one that was killed */
        if (lstat(fresh, &about) != 0 && errno == ENOENT) return herald_segment_make(place->folder, fresh, generation);
    }
    return herald_complain(HeraldTransportFailed, "%s cannot be made: the name is taken", fresh);
}

/* The lock is on the old file, which may be open as `file`, or be no file of Herald's. */
static HeraldStatus rename_over(const struct herald_place *place, const char *path, const struct stat *old,
                                uint32_t generation) {
    char fresh[HERALD_PATH_LIMIT];
    if (!is_at(path, old)) return HeraldOK;
    HeraldStatus status = make_beside(place, path, generation, fresh);
    if (status != HeraldOK) return status;
    if (!is_at(path, old)) { /* another's, which is as good */
        unlink(fresh);
        return HeraldOK;
    }
    if (rename(fresh, path) == 0) return HeraldOK;
    herald_complain(HeraldTransportFailed, "%s cannot be made anew: %s", path, strerror(errno));
    unlink(fresh);
    return HeraldTransportFailed;
}

/* 0: it is no file of Herald's. */
static uint32_t generation_of(int file) {
    struct herald_header header;
    return file >= 0 && pread(file, &header, sizeof header, 0) == sizeof header ? header.generation : 0;
}

static HeraldStatus replace(const struct herald_place *place, const char *path, bool *busy) {
    struct stat about;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = HERALD_MOVE_LOCK, .l_len = 1};
    *busy = false;
    if (lstat(path, &about) != 0) return HeraldOK; /* who looks next makes it */
    if (about.st_uid != place->user)
        return herald_complain(HeraldTransportFailed, "%s belongs to user %u, not to user %u", path, about.st_uid,
                               place->user);
    int file = herald_file_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    *busy = file >= 0 && fstat(file, &about) == 0 && fcntl(file, F_OFD_SETLK, &lock) != 0;
    HeraldStatus status =
        *busy ? herald_complain(HeraldTransportFailed, "%s is being made anew by another process: try again", path)
              : rename_over(place, path, &about, generation_of(file));
    if (file >= 0) close(file);
    return status;
}

HeraldStatus herald_user_file_replace(const char *path, bool *busy) {
    struct herald_place place;
    HeraldStatus status = herald_place_find(&place);
    return status == HeraldOK ? replace(&place, path, busy) : status;
}

/* ---- Finding -------------------------------------------------------------------------------------------------------
 */

/* What lies at the file's names. */
struct found {
    int file; /* the best valid one, or -1 */
    struct stat about;
    char path[HERALD_PATH_LIMIT], free[HERALD_PATH_LIMIT]; /* "": none */
    uid_t squatter;
    bool busy; /* another process is replacing one */
};

/* The file at one of two names has won: processes in the other one are to come. */
static void retire(int file, const char *path) {
    struct herald_header *header = herald_segment_visit(file);
    if (header) herald_header_retire(header);
    unlink(path);
}

/* Looks at one name. Errors are what is the user's own and cannot be used. */
static HeraldStatus look_at(const struct herald_place *place, const char *path, struct found *found) {
    struct stat about;
    struct herald_header header;
    if (lstat(path, &about) != 0) {
        if (errno != ENOENT)
            return herald_complain(HeraldTransportFailed, "%s cannot be looked at: %s", path, strerror(errno));
        if (!found->free[0]) strcpy(found->free, path);
        return HeraldOK;
    }
    if (about.st_uid != place->user && place->names > 1) {
        found->squatter = about.st_uid;
        return HeraldOK;
    }
    int file = herald_segment_open_file(path, place->user, &about, &header);
    if (file < 0) return errno == ENOENT ? HeraldOK : HeraldTransportFailed; /* just removed: looked at again */
    if (found->file >= 0) {
        retire(file, path);
    } else if (!header.retired) {
        found->file = file;
        found->about = about;
        strcpy(found->path, path);
        return HeraldOK;
    }
    close(file);
    if (found->file >= 0) return HeraldOK;
    HeraldStatus status = replace(place, path, &found->busy);
    return found->busy ? HeraldOK : status; /* looked at again */
}

static HeraldStatus look(const struct herald_place *place, struct found *found) {
    HeraldStatus status = HeraldOK;
    char path[HERALD_PATH_LIMIT];
    *found = (struct found){.file = -1};
    for (unsigned i = 0; i < place->names && status == HeraldOK; i++) {
        herald_place_name(place, i, path);
        status = look_at(place, path, found);
    }
    if (status != HeraldOK && found->file >= 0) close(found->file);
    return status;
}

HeraldStatus herald_user_file_open(uint32_t generation, struct herald_segment **segment) {
    struct herald_place place;
    struct found found;
    HeraldStatus status = herald_place_find(&place);
    for (int attempt = 0; status == HeraldOK && attempt < ATTEMPTS; attempt++) { /* others may remove what we make */
        status = look(&place, &found);
        if (status != HeraldOK) return status;
        if (found.file >= 0) {
            status = herald_segment_map(found.file, &found.about, found.path, segment);
            close(found.file);
            return status;
        }
        if (found.busy) {
            nanosleep(&(struct timespec){.tv_nsec = BUSY}, NULL);
        } else if (found.free[0]) {
            status = herald_segment_make(place.folder, found.free, generation);
        } else if (found.squatter) {
            herald_place_name(&place, 0, found.path);
            return herald_complain(HeraldTransportFailed,
                                   "user %u has taken %s and its other names: set HERALD_HOST_DIRECTORY to a folder of "
                                   "your own",
                                   found.squatter, found.path);
        }
    }
    if (status != HeraldOK) return status;
    return herald_complain(HeraldTransportFailed, "the file in %s is removed as often as it is made", place.folder);
}

bool herald_user_file_is(const struct herald_segment *segment) {
    struct herald_place place;
    if (herald_place_find(&place) != HeraldOK || segment->header->retired) return false;
    size_t length = strlen(place.folder); /* another, when the user has logged in or out */
    return strncmp(segment->path, place.folder, length) == 0 && segment->path[length] == '/' &&
           herald_segment_is_there(segment);
}

HeraldStatus herald_user_file_path(char path[HERALD_PATH_LIMIT]) {
    struct herald_place place;
    struct stat about;
    HeraldStatus status = herald_place_find(&place);
    if (status != HeraldOK) return status;
    for (unsigned i = 0; i < place.names; i++) { /* the user's own, or the first that nobody has */
        herald_place_name(&place, i, path);
        if (lstat(path, &about) == 0 && about.st_uid == place.user) return HeraldOK;
    }
    for (unsigned i = 0; i < place.names; i++) {
        herald_place_name(&place, i, path);
        if (lstat(path, &about) != 0) return HeraldOK;
    }
    herald_place_name(&place, 0, path);
    return HeraldOK;
}
