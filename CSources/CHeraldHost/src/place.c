/* Choosing the folder of the user's file, and the file's names there.
 *
 * Ordering: The environment and the user are read once (pthread_once).
 * Progress: System calls, no waits.
 * Ownership: Two variables of the environment and the user's number are kept for the life of the process.
 */
#include "place.h"
#include "host_complaint.h"
#include "ground_utf8.h"
#include "layout.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBERED = 8 };

/* The environment is read once, because another thread may change it later. The user is read once, too: a program that
 * becomes another user must not silently go on in another file. */
static struct {
    char wanted[HERALD_HOST_PATH_LIMIT], runtime[HERALD_HOST_PATH_LIMIT];
    uid_t user;
} said;

static void copy_variable(char copy[HERALD_HOST_PATH_LIMIT], const char *variable) {
    const char *value = secure_getenv(variable);
    if (value) snprintf(copy, HERALD_HOST_PATH_LIMIT, "%s", value);
}

static void read_once(void) {
    copy_variable(said.wanted, "HERALD_HOST_DIRECTORY");
    copy_variable(said.runtime, "XDG_RUNTIME_DIR");
    said.user = geteuid();
}

/* If HERALD_HOST_DIRECTORY names a folder, that folder is the only candidate. XDG_RUNTIME_DIR is skipped if it is
 * unset, or if it names the next candidate, the user's folder in /run/user. */
bool herald_host_place_candidate(unsigned number, struct herald_host_place *place, const char **source) {
    *place = (struct herald_host_place){.user = said.user, .names = 1};
    if (said.wanted[0]) {
        *source = "HERALD_HOST_DIRECTORY";
        strcpy(place->folder, said.wanted);
        return number == 0;
    }
    snprintf(place->folder, sizeof place->folder, "/run/user/%u", said.user);
    if (!said.runtime[0] || strcmp(said.runtime, place->folder) == 0) number++;
    switch (number) {
    case 0:
        *source = "XDG_RUNTIME_DIR";
        strcpy(place->folder, said.runtime);
        return true;
    case 1: *source = "the user's runtime folder"; return true;
    case 2:
        *source = "shared memory";
        strcpy(place->folder, "/dev/shm");
        place->names = NUMBERED;
        return true;
    default: return false;
    }
}

/* A folder that all users share is always good: the user's number is in the file's name, and another user's file is
 * passed over. A private folder that has the file already is good, unless its file system is read-only for this
 * process. Any other fault of the file is reported when the file is opened. */
bool herald_host_place_is_good(const struct herald_host_place *place, char reason[HERALD_HOST_REASON_LIMIT]) {
    char path[HERALD_HOST_PATH_LIMIT];
    struct stat about;
    if (place->names > 1) return true;
    if (!herald_host_folder_is_private(place->folder, place->user, reason)) return false;
    herald_host_place_name(place, 0, path);
    if (lstat(path, &about) != 0) return herald_host_folder_is_good(place->folder, place->user, reason);
    if (access(path, W_OK) == 0 || errno != EROFS) return true;
    snprintf(reason, HERALD_HOST_REASON_LIMIT, "the file there cannot be written to: %s", strerror(errno));
    return false;
}

bool herald_host_place_is_users(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_once);
    if (!HERALD_HOST_STEP(USER) || geteuid() == said.user) return true;
    herald_host_complain(HeraldTransportFailed,
                         "this process was user %u when it first used the host center, and is user %u now", said.user,
                         geteuid());
    return false;
}

/* The folder is chosen again for each look, because the user's runtime folder appears with the first login and
 * disappears with the last logout. If no candidate is good, HERALD_HOST_DIRECTORY is set, because otherwise the last
 * candidate is a folder that all users share. */
HeraldStatus herald_host_place_find(struct herald_host_place *place) {
    char reason[HERALD_HOST_REASON_LIMIT];
    const char *source;
    if (!herald_host_place_is_users()) return HeraldTransportFailed;
    for (unsigned number = 0; herald_host_place_candidate(number, place, &source); number++)
        if (herald_host_place_is_good(place, reason)) return HeraldOK;
    /* A long folder is cut, so that the reason behind it is not. */
    enum { SHOWN = 255 };
    int shown = (int)ground_utf8_cut(said.wanted, SHOWN);
    return herald_host_complain(HeraldTransportFailed, "HERALD_HOST_DIRECTORY, %.*s%s, cannot hold the file: %s", shown,
                                said.wanted, said.wanted[shown] ? "..." : "", reason);
}

/* First looks for the user's own file, under each name, and then for a free name. If other users have taken all names,
 * the path is that of name 0. */
bool herald_host_place_find_file(const struct herald_host_place *place, char path[HERALD_HOST_PATH_LIMIT]) {
    struct stat about;
    for (unsigned i = 0; i < 2 * place->names; i++) {
        herald_host_place_name(place, i % place->names, path);
        bool there = lstat(path, &about) == 0;
        if (i < place->names ? there && about.st_uid == place->user : !there) return there;
    }
    herald_host_place_name(place, 0, path);
    return false;
}

/* In a private folder the file's name does not contain the user's number. The number is not needed there, and in a
 * rootless container the same user has another number. */
void herald_host_place_name(const struct herald_host_place *place, unsigned number, char path[HERALD_HOST_PATH_LIMIT]) {
    char user[16] = "", last[16] = "";
    if (place->names > 1) snprintf(user, sizeof user, "%u-", place->user);
    if (number) snprintf(last, sizeof last, ".%u", number);
    snprintf(path, HERALD_HOST_PATH_LIMIT, "%.*s/herald-%s%u%s", HERALD_HOST_FOLDER_LIMIT, place->folder, user,
             HERALD_HOST_LAYOUT, last);
}
