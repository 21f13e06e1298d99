/* A file descriptor of ours. The program may close it at any time, as daemons close all that they find, and its number
 * may then name something else. So it is checked before each use. (Descriptors without a file, such as eventfds, all
 * look alike to this check.)
 */
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
/* As open(2), but the file never has a number of standard input, output or error, not even for a moment: otherwise what
 * the program prints would go into the file. */
int herald_host_file_open(const char *path, int flags);
/* As herald_host_file_open, for a file that others may have put there: opening it waits for nothing and follows no
 * link. */
int herald_host_file_open_found(const char *path);
/* Locks one byte for the open file (F_WRLCK or F_RDLCK). It does not wait: false with errno. */
bool herald_host_file_lock_byte(int number, uint32_t byte, short type);
/* Whether another open file has a lock on one of `count` bytes from `first` on. `count` 0: on any byte from there on.
 */
bool herald_host_file_is_locked(int number, uint32_t first, uint32_t count);
static inline bool herald_host_file_is_same(const struct stat *one, const struct stat *other) {
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}
/* Keeps the open file, and so its locks, without a descriptor, until it is given up. A child of a fork does not keep
 * it. NULL with errno. */
void *herald_host_file_keep(int number);
void herald_host_file_give_up(void *kept);
/* Takes over a descriptor that was just opened, and moves it away from the numbers of standard input, output and error.
 * False with errno. */
bool herald_host_file_take(struct herald_host_file *file, int number);
/* Closes a descriptor that was just opened, and keeps errno. */
void herald_host_file_discard(int number);
bool herald_host_file_is_ours(const struct herald_host_file *file);
void herald_host_file_close(struct herald_host_file *file);
HERALD_END
#endif
