/* Calls about the user's file as a whole: its path, replacing it, files of other layouts, and the folders that may hold
 * it.
 *
 * Ordering: A kept path is complete before other threads can find it (compare-and-exchange).
 * Progress: A reset waits a moment for another process that is replacing the file.
 * Ownership: Only paths are kept.
 */
#include "host_complaint.h"
#include "move.h"
#include "userfile.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Keeps a path for the life of the process. A process has few paths, because it reads the environment once. NULL:
 * memory is out. */
static const char *keep(const char *text) {
    static struct path {
        struct path *next;
        char text[HERALD_HOST_PATH_LIMIT];
    } * _Atomic paths; /* paths are added in front, and stay; two threads may add the same one */
    struct path *first = paths, *path = first;
    while (path && strcmp(path->text, text) != 0) path = path->next;
    if (path) return path->text;
    path = malloc(sizeof *path);
    if (!path) return NULL;
    strcpy(path->text, text);
    do path->next = first;
    while (!atomic_compare_exchange_weak(&paths, &first, path));
    return path->text;
}

const char *HeraldHostGetPath(void) {
    const struct herald_host_segment *segment = herald_host_session.segment;
    struct herald_host_place place;
    char path[HERALD_HOST_PATH_LIMIT];
    if (segment && !segment->header->superseded) return segment->path; /* segments are never freed */
    if (herald_host_place_find(&place) != HeraldOK) return NULL;
    herald_host_place_find_file(&place, path);
    return keep(path);
}

HeraldStatus HeraldHostReset(void) {
    herald_host_session_lock();
    /* If the file was removed, this look wakes the processes that still use the removed file, so that they move. The
     * result of the look does not matter. */
    herald_host_move_look(true);
    HeraldStatus status = herald_host_move_renew(0);
    herald_host_session_unlock();
    return status;
}

uint32_t HeraldHostGetNameLimit(void) { return HERALD_HOST_NAMES; }

/* ---- Other layouts ----------------------------------------------------------------------------------------------- */

/* Whether a file with this name has another layout. A name with the user's number is accepted in every folder. Newer
 * layouts use such names only in folders that all users share, but the first layout used them everywhere. */
static bool is_of_another_layout(const char *name, const struct herald_host_place *place) {
    unsigned user, layout;
    int end = 0;
    if (sscanf(name, "herald-%u-%u%n", &user, &layout, &end) == 2 && user == place->user) {
        if (end && (!name[end] || name[end] == '.')) return layout != HERALD_HOST_LAYOUT;
    }
    end = 0;
    return sscanf(name, "herald-%u%n", &layout, &end) == 1 && end && !name[end] && layout != HERALD_HOST_LAYOUT;
}

/* Whether a process observes through this file. In every layout, such a process has a lock on a byte of the file. */
static bool is_in_use(const char *path) {
    int file = herald_host_file_open_found(path);
    if (file < 0) return false;
    bool used = herald_host_file_is_locked(file, 0, 0);
    close(file);
    return used;
}

HeraldStatus HeraldHostVisitOtherFiles(void (*visit)(void *context, const char *path), void *context) {
    struct herald_host_place place;
    if (!visit) return herald_host_complain(HeraldInvalidArgument, "the function is NULL");
    HeraldStatus status = herald_host_place_find(&place);
    if (status != HeraldOK) return status;
    DIR *folder = opendir(place.folder);
    if (!folder)
        return herald_host_complain(HeraldTransportFailed, "%s cannot be read: %s", place.folder, strerror(errno));
    for (const struct dirent *file; (file = readdir(folder));) {
        char path[sizeof place.folder + sizeof file->d_name];
        snprintf(path, sizeof path, "%s/%s", place.folder, file->d_name);
        if (is_of_another_layout(file->d_name, &place) && is_in_use(path)) visit(context, path);
    }
    closedir(folder);
    return HeraldOK;
}

/* ---- Folders ----------------------------------------------------------------------------------------------------- */

HeraldStatus HeraldHostVisitFolders(void (*visit)(void *context, const HeraldHostFolderInfo *info), void *context) {
    struct herald_host_place place;
    const char *source;
    if (!visit) return herald_host_complain(HeraldInvalidArgument, "the function is NULL");
    if (!herald_host_place_is_users()) return HeraldTransportFailed;
    bool chosen = false;
    for (unsigned number = 0; herald_host_place_candidate(number, &place, &source); number++) {
        char reason[HERALD_HOST_REASON_LIMIT], path[HERALD_HOST_PATH_LIMIT];
        bool good = herald_host_place_is_good(&place, reason), has_file = herald_host_place_find_file(&place, path);
        HeraldHostFolderInfo info = {.size = sizeof info,
                                     .path = place.folder,
                                     .source = source,
                                     .problem = good ? NULL : reason,
                                     .isChosen = good && !chosen,
                                     .file = has_file ? path : NULL,
                                     .isFileInUse = has_file && is_in_use(path)};
        chosen |= good;
        visit(context, &info);
    }
    return HeraldOK;
}
