/* Choosing the folder, and the names of the file in it.
 *
 * Ordering. The environment and the user are read once (pthread_once). Progress. System calls, no waits. Ownership.
 * Nothing is kept but what was read then.
 */
#include "place.h"
#include "complaint.h"
#include "layout.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBERED = 8, LONGEST_NAME = 40 };

/* What the environment says, read once: later, another thread may be changing it. And whose file it is: a program that
 * goes on as another user must not go on in another file, silently. */
static struct {
    char wanted[HERALD_PATH_LIMIT], runtime[HERALD_PATH_LIMIT];
    uid_t user;
} said;

static void copy_variable(char copy[HERALD_PATH_LIMIT], const char *variable) {
    const char *value = secure_getenv(variable);
    if (value) snprintf(copy, HERALD_PATH_LIMIT, "%s", value);
}

static void read_once(void) {
    copy_variable(said.wanted, "HERALD_HOST_DIRECTORY");
    copy_variable(said.runtime, "XDG_RUNTIME_DIR");
    said.user = geteuid();
}

/* A folder of the user's in which no other user can put anything. */
static bool is_private(const char *folder) {
    struct stat about;
    return folder[0] == '/' && stat(folder, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == said.user &&
           !(about.st_mode & (S_IWGRP | S_IWOTH));
}

/* Chosen anew each time, for a user's runtime folder comes with the first login and goes with the last logout. */
static HeraldStatus choose_folder(struct herald_place *place) {
    place->names = 1;
    strcpy(place->folder, said.wanted);
    if (said.wanted[0]) {
        if (is_private(place->folder)) return HeraldOK;
        return herald_complain(HeraldTransportFailed,
                               "HERALD_HOST_DIRECTORY, %s, is not the absolute path of a folder of user %u's that "
                               "nobody else can write to",
                               place->folder, said.user);
    }
    strcpy(place->folder, said.runtime);
    if (is_private(place->folder)) return HeraldOK;
    snprintf(place->folder, sizeof place->folder, "/run/user/%u", said.user);
    if (is_private(place->folder)) return HeraldOK;
    strcpy(place->folder, "/dev/shm");
    place->names = NUMBERED;
    return HeraldOK;
}

bool herald_place_is_users(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_once);
    if (!herald_does(USER) || geteuid() == said.user) return true;
    herald_complain(HeraldTransportFailed,
                    "this process was user %u when it first used the host center, and is user %u now", said.user,
                    geteuid());
    return false;
}

HeraldStatus herald_place_find(struct herald_place *place) {
    if (!herald_place_is_users()) return HeraldTransportFailed;
    HeraldStatus status = choose_folder(place);
    if (status != HeraldOK) return status;
    place->user = said.user;
    if (strlen(place->folder) + LONGEST_NAME < HERALD_PATH_LIMIT) return HeraldOK;
    return herald_complain(HeraldTransportFailed, "the path of this folder is too long: %s", place->folder);
}

static void visit_if_other(const struct herald_place *place, const char *folder, unsigned names,
                           void (*visit)(const struct herald_place *other)) {
    struct herald_place other = {.user = place->user, .names = names};
    snprintf(other.folder, sizeof other.folder, "%s", folder);
    if (strcmp(other.folder, place->folder) == 0 || strlen(other.folder) + LONGEST_NAME >= HERALD_PATH_LIMIT) return;
    if (names > 1 || is_private(other.folder)) visit(&other);
}

void herald_place_visit_others(const struct herald_place *place, void (*visit)(const struct herald_place *other)) {
    char users[HERALD_PATH_LIMIT];
    if (said.wanted[0]) return; /* it is the only one */
    snprintf(users, sizeof users, "/run/user/%u", said.user);
    visit_if_other(place, said.runtime, 1, visit);
    if (strcmp(users, said.runtime) != 0) visit_if_other(place, users, 1, visit);
    visit_if_other(place, "/dev/shm", NUMBERED, visit);
}

/* In a private folder the user's number would say nothing, and be another one in a container without root. */
void herald_place_name(const struct herald_place *place, unsigned number, char path[HERALD_PATH_LIMIT]) {
    char user[16] = "", last[16] = "";
    if (place->names > 1) snprintf(user, sizeof user, "%u-", place->user);
    if (number) snprintf(last, sizeof last, ".%u", number);
    snprintf(path, HERALD_PATH_LIMIT, "%.*s/herald-%s%u%s", HERALD_PATH_LIMIT - LONGEST_NAME, place->folder, user,
             HERALD_LAYOUT, last);
}
