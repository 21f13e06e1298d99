/* Finding the user's file.
 *
 * In a folder to which other users can write, another user may have taken the file's name. So the file may have any of
 * eight names there. The first valid file that belongs to the user is the user's file. A process that finds no such
 * file makes a file at the first free name, and looks again. A process that finds two such files supersedes the second
 * (layout.h). So processes that look at the same time meet in one file.
 *
 * A process that finds a superseded file replaces it. The process uses a superseded file only if it cannot replace the
 * file, and for a moment while another process is replacing the file. A file that all processes have left for a file in
 * another folder is *deserted*. A process that finds a deserted file replaces it by a file of a new line (layout.h).
 * Processes that come back later read the new file from its beginning. So they hear what was posted there before they
 * came.
 *
 * Ordering: The file system orders the changes of names.
 * Progress: System calls. If others remove the file again and again, opening it fails after a hundred attempts.
 * Ownership: Files are opened under the session's lock.
 */
#include "userfile.h"
#include "channel.h"
#include "host_complaint.h"
#include "replace.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { ATTEMPTS = 100 };

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

/* What a look at the file's names has found. */
struct found {
    int file; /* a descriptor of the first valid file of the user's own; -1: no such file was found */
    struct stat about;
    bool left;     /* `file` is superseded; processes have left it, and know newer states than it has */
    bool replaced; /* a file has been replaced, or is being replaced: the caller looks at all names again */
    /* The path of `file`, and the first path at which no file was found. "": there is no such path. */
    char path[HERALD_HOST_PATH_LIMIT], free[HERALD_HOST_PATH_LIMIT];
    uid_t squatter; /* another user, who has taken one of the names */
};

/* Supersedes the second of two files. Its processes then move to the first file. The file is not left yet: the first of
 * them to move carries what it has. (If all of them have ended, that is lost. They have been there for a moment only,
 * because a process that looks finds the first file.) */
static void supersede(int file, const char *path) {
    struct herald_host_header *header = herald_host_segment_visit(file, false);
    if (header) {
        herald_host_header_supersede(header);
        herald_host_header_wake_all(header);
        herald_host_segment_end_visit(header);
    }
    unlink(path);
}

/* Called when a file could not be opened: whether it is still the user's own. Another user may have taken the name in
 * the meantime. */
static bool is_own(const struct herald_host_place *place, const char *path) {
    struct stat about;
    return lstat(path, &about) == 0 && (about.st_uid == place->user || place->names == 1);
}

/* Replaces a superseded or a deserted file. A file is deserted when all processes have left it for a file in another
 * folder. Then no process sleeps in this file. A deserted file also counts as replaced while another process is
 * replacing it. So the caller looks again and does not use the old file. In the old file, the states that this process
 * brings along would be lost. */
static bool is_replaced(const struct herald_host_place *place, const char *path, int file, const struct stat *about,
                        const struct herald_host_header *header) {
    bool deserted =
        HERALD_HOST_STEP(DESERTED) && header->deserted && !herald_host_file_is_locked(file, 0, HERALD_HOST_CHANNELS);
    if (!deserted && !header->superseded) return false;
    enum herald_host_replaced replaced = herald_host_replace(place, path, about->st_ino, deserted);
    return replaced == HERALD_HOST_REPLACED || (deserted && replaced == HERALD_HOST_BUSY);
}

/* Opens the user's own file that has this path. */
static HeraldStatus open_own(const struct herald_host_place *place, const char *path, struct found *found) {
    struct stat about;
    struct herald_host_header header;
    int file;
    HeraldStatus status = herald_host_segment_open_file(path, place->user, &file, &about, &header);
    if (status != HeraldOK && is_own(place, path)) return status;
    if (file < 0) return HeraldOK; /* the file was just removed, or is no longer the user's own */
    if (found->file >= 0 && herald_host_file_is_same(&found->about, &about)) {
        unlink(path); /* a second name of the file that was found */
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

/* Looks at one of the file's names. Fails if a file with this name cannot be examined. Also fails if that file is the
 * user's own and cannot be used. */
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

/* Marks the user's file in the folder `other` as deserted, and wakes the processes that use that file. They may have
 * started before this process's folder existed, or may not see this folder. When they wake, each of them chooses a
 * folder again. */
static void wake_in(const struct herald_host_place *other) {
    char path[HERALD_HOST_PATH_LIMIT];
    struct stat about;
    struct herald_host_header header;
    int file = -1;
    if (herald_host_place_find_file(other, path))
        herald_host_segment_open_file(path, other->user, &file, &about, &header);
    if (file < 0) return;
    struct herald_host_header *there = herald_host_segment_visit(file, false);
    if (there) there->deserted = 1;
    if (there) herald_host_header_wake_all(there);
    herald_host_segment_end_visit(there);
    close(file);
}

static HeraldStatus make(const struct herald_host_place *place, const char *path) {
    struct herald_host_new_file file;
    if (!herald_host_segment_make(&file, place->folder, path)) return HeraldTransportFailed;
    HeraldStatus status = HeraldOK;
    bool given = herald_host_folder_name_file(&file, path);
    if (!given && errno != EEXIST)
        status = herald_host_complain(HeraldTransportFailed, "%s cannot be made: %s", path, strerror(errno));
    herald_host_folder_forget_file(&file);
    if (!given) return status; /* HeraldOK: another process was faster, and the caller looks again */
    struct herald_host_place other;
    char reason[HERALD_HOST_REASON_LIMIT];
    const char *source;
    for (unsigned number = 0; herald_host_place_candidate(number, &other, &source); number++)
        if (strcmp(other.folder, place->folder) != 0 &&
            (other.names > 1 || herald_host_folder_is_private(other.folder, other.user, reason)))
            wake_in(&other);
    return HeraldOK;
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
    for (int attempt = 0; status == HeraldOK && attempt < ATTEMPTS; attempt++) { /* others may remove a new file */
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
