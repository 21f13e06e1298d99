/* Finding the user's file.
 *
 * In a folder that others can write to, another user may have taken the file's name. So the file may have one of eight
 * names there, and the first valid file of the user's own wins. A process that finds no such file makes one at the
 * first free name, and looks again. A process that finds two supersedes the second. So processes that come at the same
 * time meet in one file.
 *
 * A superseded file is replaced. If it cannot be replaced, it is used as it is. A superseded file is also used, for a
 * moment, while another process is replacing it. A file that all processes have left for another folder is replaced,
 * too. Its successor begins a new line (see layout.h). Processes that come back later read the successor from its
 * beginning, and so hear what was posted there before they came.
 *
 * Ordering: The file system orders the names.
 * Progress: System calls. If others remove the file again and again, opening it fails after a hundred attempts.
 * Ownership: Files are opened under the session's lock.
 */
#include "userfile.h"
#include "channel.h"
#include "host_complaint.h"
#include "identity.h"
#include "replace.h"
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 100 };

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

/* The result of a look at the names that the file may have. */
struct found {
    int file; /* the first valid file of the user's own, open; -1: none */
    struct stat about;
    bool left;     /* `file` is superseded, and processes have moved from it, so they know newer states */
    bool replaced; /* a file was replaced, or is just being replaced: the file's names have to be looked at again */
    /* The path of `file`, and the first path at which there is no file; "": there is no such path. */
    char path[HERALD_HOST_PATH_LIMIT], free[HERALD_HOST_PATH_LIMIT];
    uid_t squatter;
};

/* Supersedes the second of two files: the first has won, and the processes in the second are to move to the first. */
static void supersede(int file, const char *path) {
    struct herald_host_header *header = herald_host_segment_visit(file);
    if (header) {
        herald_host_header_supersede(header);
        herald_host_header_leave(header);
        herald_host_segment_end_visit();
    }
    unlink(path);
}

/* Whether a file that could not be opened is still the user's own: another user may have taken the name since the look.
 */
static bool is_own(const struct herald_host_place *place, const char *path) {
    struct stat about;
    return lstat(path, &about) == 0 && (about.st_uid == place->user || place->names == 1);
}

/* How many milliseconds this process waits before it insists. The number differs from process to process: otherwise all
 * processes that wait would make a new file at once. */
static uint64_t patience(void) { return HERALD_HOST_REPLACE_PATIENCE * (1 + herald_host_identity() % 8); }

/* Replaces a superseded file at once, unless another process is replacing it. In that case this process leaves the file
 * to the other process until `patience` has passed. Then it replaces the file all the same, because the other process
 * may be stopped. */
static bool replace(const struct herald_host_place *place, const char *path, const struct stat *about) {
    static struct stat busy; /* under the session's lock */
    static uint64_t since;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t milliseconds = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    bool same = herald_host_file_is_same(&busy, about), insists = same && milliseconds - since >= patience();
    enum herald_host_replaced replaced =
        herald_host_replace(place, path, about->st_ino, HERALD_HOST_LOCKED | (insists ? HERALD_HOST_INSISTS : 0));
    if (replaced == HERALD_HOST_BUSY && (insists || !same)) {
        busy = *about;
        since = milliseconds;
    }
    return replaced == HERALD_HOST_REPLACED;
}

/* Whether all processes have left the file for another folder. Then no process sleeps in the file to hear what is
 * posted. */
static bool is_deserted(int file, const struct herald_host_header *header) {
    return HERALD_HOST_STEP(DESERTED) && header->deserted && !herald_host_file_is_locked(file, 0, HERALD_HOST_CHANNELS);
}

static bool is_replaced(const struct herald_host_place *place, const char *path, int file, const struct stat *about,
                        const struct herald_host_header *header) {
    int how = HERALD_HOST_LOCKED | HERALD_HOST_INSISTS | HERALD_HOST_NEW_LINE;
    /* For a deserted file, also true if another process is replacing it: then the caller looks again, and does not use
     * the old file. If it used the old file, the states that this process brings along would be lost there. */
    if (is_deserted(file, header))
        return herald_host_replace(place, path, about->st_ino, how) != HERALD_HOST_NOT_REPLACED;
    return header->superseded && replace(place, path, about);
}

/* Opens the user's own file at one of its names. */
static HeraldStatus open_own(const struct herald_host_place *place, const char *path, struct found *found) {
    struct stat about;
    struct herald_host_header header;
    int file = herald_host_segment_open_file(path, place->user, &about, &header);
    if (file < 0 && errno != ENOENT && is_own(place, path)) return HeraldTransportFailed;
    if (file < 0) return HeraldOK; /* just removed, or no longer the user's own: the caller looks again */
    if (found->file >= 0 && herald_host_file_is_same(&found->about, &about)) {
        unlink(path); /* another name of the same file */
    } else if (found->file >= 0) {
        supersede(file, path);
    } else if (!(found->replaced = is_replaced(place, path, file, &about, &header))) {
        found->file = file;
        found->about = about;
        found->left = header.superseded >= HERALD_HOST_CARRIED;
        strcpy(found->path, path);
        return HeraldOK;
    }
    close(file);
    return HeraldOK;
}

/* Looks at one of the file's names. Fails if the file there cannot be examined, or is the user's own and cannot be
 * used. */
static HeraldStatus look_at(const struct herald_host_place *place, const char *path, struct found *found) {
    struct stat about;
    if (lstat(path, &about) != 0) {
        if (errno != ENOENT)
            return herald_host_complain(HeraldTransportFailed, "%s cannot be examined: %s", path, strerror(errno));
        if (!found->free[0]) strcpy(found->free, path);
        return HeraldOK;
    }
    if (about.st_uid == place->user || place->names == 1) return open_own(place, path, found);
    found->squatter = about.st_uid;
    return HeraldOK;
}

static HeraldStatus look(const struct herald_host_place *place, struct found *found) {
    HeraldStatus status = HeraldOK;
    char path[HERALD_HOST_PATH_LIMIT];
    *found = (struct found){.file = -1};
    for (unsigned i = 0; i < place->names && status == HeraldOK && !found->replaced; i++) {
        herald_host_place_name(place, i, path);
        status = look_at(place, path, found);
    }
    if (status != HeraldOK && found->file >= 0) close(found->file);
    return status;
}

/* Marks the user's file in another folder as deserted, and wakes the processes that use it. Those processes may have
 * started before this process's folder was there, or may not see that folder. When they wake, they choose their folder
 * again. */
static void wake_in(const struct herald_host_place *other) {
    char path[HERALD_HOST_PATH_LIMIT];
    struct stat about;
    struct herald_host_header header;
    for (unsigned i = 0; i < other->names; i++) {
        herald_host_place_name(other, i, path);
        int file = lstat(path, &about) == 0 && about.st_uid == other->user
                       ? herald_host_segment_open_file(path, other->user, &about, &header)
                       : -1;
        struct herald_host_header *there = file >= 0 ? herald_host_segment_visit(file) : NULL;
        if (there) there->deserted = 1;
        if (there) herald_host_header_wake_all(there);
        if (there) herald_host_segment_end_visit();
        if (file >= 0) close(file);
    }
}

static HeraldStatus make(const struct herald_host_place *place, const char *path) {
    int file = herald_host_segment_make(place->folder, path);
    if (file < 0) return HeraldTransportFailed;
    bool given; /* false: another process was faster, and the caller looks again */
    HeraldStatus status = herald_host_segment_give_name(file, path, &given);
    close(file);
    if (status == HeraldOK && given) herald_host_place_visit_others(place, wake_in);
    return status;
}

static HeraldStatus use(struct found *found, struct herald_host_segment *current,
                        struct herald_host_segment **segment) {
    HeraldStatus status = HeraldOK;
    if (current && (found->left || herald_host_segment_is_file(current, &found->about))) {
        *segment = current;
    } else {
        status = herald_host_segment_map(found->file, &found->about, found->path, segment);
    }
    close(found->file);
    return status;
}

HeraldStatus herald_host_user_file_open(struct herald_host_segment *current, struct herald_host_segment **segment) {
    struct herald_host_place place;
    struct found found;
    HeraldStatus status = herald_host_place_find(&place);
    for (int attempt = 0; status == HeraldOK && attempt < ATTEMPTS; attempt++) { /* others may remove what we make */
        status = look(&place, &found);
        if (status != HeraldOK) return status;
        if (found.replaced) continue;
        if (found.file >= 0) return use(&found, current, segment);
        if (found.free[0]) {
            status = make(&place, found.free);
        } else if (found.squatter) {
            herald_host_place_name(&place, 0, found.path);
            return herald_host_complain(
                HeraldTransportFailed,
                "user %u has taken %s and its other names: set HERALD_HOST_DIRECTORY to a folder of "
                "your own",
                found.squatter, found.path);
        }
    }
    if (status != HeraldOK) return status;
    return herald_host_complain(HeraldTransportFailed, "the file in %s is removed as often as it is made",
                                place.folder);
}

enum herald_host_whereabouts herald_host_user_file_find(const struct herald_host_segment *segment) {
    struct herald_host_place place;
    struct stat about;
    if (herald_host_place_find(&place) != HeraldOK) return HERALD_HOST_ELSEWHERE;
    size_t length = strlen(place.folder); /* the folder changes when the user logs in or out */
    if (strncmp(segment->path, place.folder, length) != 0 || segment->path[length] != '/') return HERALD_HOST_ELSEWHERE;
    if (stat(segment->path, &about) != 0)
        return errno == ENOENT && stat(place.folder, &about) == 0 ? HERALD_HOST_REPLACED_BY_NOW : HERALD_HOST_ELSEWHERE;
    if (segment->header->superseded || !herald_host_segment_is_whole(segment, &about))
        return HERALD_HOST_REPLACED_BY_NOW;
    return HERALD_HOST_THERE;
}

HeraldStatus herald_host_user_file_path(char path[HERALD_HOST_PATH_LIMIT]) {
    struct herald_host_place place;
    struct stat about;
    HeraldStatus status = herald_host_place_find(&place);
    if (status != HeraldOK) return status;
    for (unsigned i = 0; i < place.names; i++) { /* the user's own file, or the first name that nobody has */
        herald_host_place_name(&place, i, path);
        if (lstat(path, &about) == 0 && about.st_uid == place.user) return HeraldOK;
    }
    for (unsigned i = 0; i < place.names; i++) {
        herald_host_place_name(&place, i, path);
        if (lstat(path, &about) != 0) return HeraldOK;
    }
    herald_host_place_name(&place, 0, path);
    return HeraldOK;
}
