/* A file descriptor of ours. The program may close it at any time: daemons, for example, close every descriptor that
 * they find. The number may then belong to another file, so it is checked before each use, by device and inode. (The
 * check cannot tell one eventfd from another: all of them have the same inode.) */
#ifndef HERALD_HOST_FILE_H
#define HERALD_HOST_FILE_H

#include "host_platform.h"
#include <sys/stat.h>

struct herald_host_file {
    int number; /* -1: none */
    dev_t device;
    ino_t inode;
};

HERALD_BEGIN
/* Like open(2), but the descriptor never has the number of standard input, output or error, not even for a moment.
 * Otherwise the program could print into the file. */
int herald_host_file_open(const char *path, int flags);
/* Like herald_host_file_open, for a path at which others may have put any file: does not wait, and follows no symbolic
 * link. */
int herald_host_file_open_found(const char *path);
/* Locks or unlocks one byte for the open file. `type`: F_WRLCK, F_RDLCK or F_UNLCK. Does not wait. On failure
 * returns false, with errno set. */
bool herald_host_file_lock_byte(int number, uint32_t byte, short type);
/* Whether another open file has a lock on one of `count` bytes from `first` on. `count` 0: on any byte from `first`
 * on. */
bool herald_host_file_is_locked(int number, uint32_t first, uint32_t count);
static inline bool herald_host_file_is_same(const struct stat *one, const struct stat *other) {
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}
/* Keeps the open file and its locks without a descriptor, by a mapping. A child of a fork does not have the mapping.
 * On failure returns NULL, with errno set. */
void *herald_host_file_keep(int number);
void herald_host_file_give_up(void *kept);
/* Takes over a descriptor that was just opened. If it has the number of standard input, output or error, moves it to a
 * higher number. On failure returns false, with errno set. */
bool herald_host_file_take(struct herald_host_file *file, int number);
/* Closes a descriptor without checking that it is still ours, and leaves errno as it was. */
void herald_host_file_discard(int number);
bool herald_host_file_is_ours(const struct herald_host_file *file);
void herald_host_file_close(struct herald_host_file *file);
HERALD_END
#endif
