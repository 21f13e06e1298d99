/* A folder: checking whether it can hold the user's file, and making files in it that nobody else sees yet. */
#ifndef HERALD_HOST_FOLDER_H
#define HERALD_HOST_FOLDER_H

#include "host_platform.h"
#include <sys/types.h>

enum {
    HERALD_HOST_REASON_LIMIT = 160,
    HERALD_HOST_FOLDER_LIMIT = HERALD_HOST_PATH_LIMIT - 40 /* a folder's path is shorter, so a file's name fits */
};

/* A file that no other process looks for. */
struct herald_host_new_file {
    int number;                        /* its descriptor */
    char name[HERALD_HOST_PATH_LIMIT]; /* a temporary name; "": the file needs none, or has another name by now */
};

HERALD_BEGIN
/* Whether a file in the folder can be made, can be shared, and can be given a name without replacing another file. If
 * not, `reason` says why. */
bool herald_host_folder_is_good(const char *folder, uid_t user, char reason[HERALD_HOST_REASON_LIMIT]);
/* Whether `path` is the absolute path of a folder that belongs to the user and that nobody else can write to. If not,
 * `reason` says why. */
bool herald_host_folder_is_private(const char *path, uid_t user, char reason[HERALD_HOST_REASON_LIMIT]);

/* Makes an empty file in the folder. False with errno. The caller gives the file up when it has a name, and when it is
 * not to have one. */
bool herald_host_folder_make_file(struct herald_host_new_file *made, const char *folder);
/* Gives the file the name `path`, in the folder where it was made. False with errno. EEXIST: another file has the
 * name. */
bool herald_host_folder_name_file(struct herald_host_new_file *file, const char *path);
/* Gives the file up: removes its temporary name, if it has one, and closes it. */
void herald_host_folder_forget_file(const struct herald_host_new_file *file);
HERALD_END
#endif
