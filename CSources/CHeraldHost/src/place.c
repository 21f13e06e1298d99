/* Choosing the folder, and the name of the file in it.
 *
 * Ordering. The environment is read once (pthread_once). Progress. System calls, no waits. Ownership. Nothing is kept
 * but what the environment said.
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

/* A folder of the user's in which no other user can put anything. */
static bool is_private(const char *folder) {
    struct stat about;
    return folder[0] == '/' && stat(folder, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
           !(about.st_mode & (S_IWGRP | S_IWOTH));
}

/* What the environment says, read once: later, another thread may be changing it. */
static struct { char wanted[HERALD_PATH_LIMIT], runtime[HERALD_PATH_LIMIT]; } said;

static void copy_variable(char copy[HERALD_PATH_LIMIT], const char *variable) {
    const char *value = secure_getenv(variable);
    if (value) snprintf(copy, HERALD_PATH_LIMIT, "%s", value);
}

static void read_environment(void) {
    copy_variable(said.wanted, "HERALD_HOST_DIRECTORY");
    copy_variable(said.runtime, "XDG_RUNTIME_DIR");
}

/* Chosen anew each time, for a user's runtime folder comes with the first login and goes with the last logout. */
static HeraldStatus choose_folder(char folder[HERALD_PATH_LIMIT]) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
    if (said.wanted[0]) {
        strcpy(folder, said.wanted);
        if (is_private(folder)) return HeraldOK;
        return herald_complain(HeraldTransportFailed,
                               "HERALD_HOST_DIRECTORY, %s, is not the absolute path of a folder of user %u's that "
                               "nobody else can write to",
                               folder, geteuid());
    }
    strcpy(folder, said.runtime);
    if (is_private(folder)) return HeraldOK;
    snprintf(folder, HERALD_PATH_LIMIT, "/run/user/%u", geteuid());
    if (!is_private(folder)) strcpy(folder, "/dev/shm");
    return HeraldOK;
}

HeraldStatus herald_place(char folder[HERALD_PATH_LIMIT], char path[HERALD_PATH_LIMIT]) {
    HeraldStatus status = choose_folder(folder);
    if (status != HeraldOK) return status;
    if (snprintf(path, HERALD_PATH_LIMIT, "%s/herald-%u-%u", folder, geteuid(), HERALD_LAYOUT) >= HERALD_PATH_LIMIT)
        return herald_complain(HeraldTransportFailed, "the path of this folder is too long: %s", folder);
    return HeraldOK;
}

const char *HeraldHostGetPath(void) {
    static _Thread_local char path[HERALD_PATH_LIMIT];
    char folder[HERALD_PATH_LIMIT];
    return herald_place(folder, path) == HeraldOK ? path : NULL;
}
