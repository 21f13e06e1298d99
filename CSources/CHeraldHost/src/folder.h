/* A folder: whether it can hold the user's file, and making a file in it that nobody else sees yet. */
#ifndef HERALD_HOST_FOLDER_H
#define HERALD_HOST_FOLDER_H

#include "host_platform.h"
#include <sys/types.h>

enum { HERALD_HOST_REASON_LIMIT = 160 };

HERALD_BEGIN
/* Whether `path` is the absolute path of a folder of the user's that nobody else can write to, and in which a file can
 * be made, shared and given a name that only one file can get. A folder that was found good is not tried again. For a
 * folder that is not good, `reason` is why. */
bool herald_host_folder_is_good(const char *path, uid_t user, char reason[HERALD_HOST_REASON_LIMIT]);
/* Only whether `path` is the absolute path of a folder of the user's that nobody else can write to. */
bool herald_host_folder_is_private(const char *path, uid_t user, char reason[HERALD_HOST_REASON_LIMIT]);

/* Makes an empty file in the folder, without a name. If the file system has no unnamed files, the file gets a name that
 * nobody looks at. -1 with errno. */
int herald_host_folder_make_file(const char *folder);
/* Gives the file this name, in the same folder, if no other file has the name. False with errno; EEXIST: another file
 * has it. */
bool herald_host_folder_name_file(int file, const char *path);
/* The file is to have no name after all: removes the one that it may have been made with. */
void herald_host_folder_forget_file(int file, const char *folder);
HERALD_END
#endif
