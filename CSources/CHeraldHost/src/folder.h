/* A folder: checking whether it can hold the user's file, and making files in it that nobody else sees yet. */
#ifndef HERALD_HOST_FOLDER_H
#define HERALD_HOST_FOLDER_H

#include "host_platform.h"
#include <sys/types.h>

enum {
    HERALD_HOST_REASON_LIMIT = 160,
    HERALD_HOST_FOLDER_LIMIT = HERALD_HOST_PATH_LIMIT - 40 /* a folder's path is shorter, so a file's name fits */
};

HERALD_BEGIN
/* Whether a file in the folder can be made, can be shared, and can be given a name without replacing another file. If
 * not, `reason` says why. */
bool herald_host_folder_is_good(const char *folder, uid_t user, char reason[HERALD_HOST_REASON_LIMIT]);
/* Whether `path` is the absolute path of a folder that belongs to the user and that nobody else can write to. If not,
 * `reason` says why. */
bool herald_host_folder_is_private(const char *path, uid_t user, char reason[HERALD_HOST_REASON_LIMIT]);

/* Makes an empty file in the folder, without a name. If the file system has no unnamed files, the file gets a temporary
 * name. -1 with errno. */
int herald_host_folder_make_file(const char *folder);
/* Gives the file the name `path`, in the folder where it was made. False with errno. EEXIST: another file has the
 * name. */
bool herald_host_folder_name_file(int file, const char *path);
/* Gives up a file that is not to have a name: removes its temporary name, if it has one. */
void herald_host_folder_forget_file(int file, const char *folder);
HERALD_END
#endif
