/* A file descriptor of ours. The program may close it at any time, as daemons do with all they find, and have something
 * else under its number: it is checked before each use. (Descriptors without a file, such as eventfds, are all alike to
 * that look.)
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
/* As open(2), but never under a number of standard input or output, not even for a moment: what the program prints
 * would go into the file. */
int herald_host_file_open(const char *path, int flags);
/* The same for a file that others may have put there: whatever it is, opening it waits for nothing and follows nothing.
 */
int herald_host_file_open_found(const char *path);
/* Locks one byte for the open file (F_WRLCK or F_RDLCK). It waits for nothing: false with errno. */
bool herald_host_file_lock_byte(int number, uint32_t byte, short type);
/* Whether another open file has a lock on one of these bytes; `count` 0: on any from the first on. */
bool herald_host_file_is_locked(int number, uint32_t first, uint32_t count);
static inline bool herald_host_file_is_same(const struct stat *one, const struct stat *other) {
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}
/* Keeps the open file, and so its locks, without a descriptor, and not for a child of a fork; until it is given up.
 * NULL with errno. */
void *herald_host_file_keep(int number);
void herald_host_file_give_up(void *kept);
/* Takes over a descriptor that was just opened, away from the numbers of standard input and output. False with errno.
 */
bool herald_host_file_take(struct herald_host_file *file, int number);
/* Closes a descriptor that was just opened, and keeps errno. */
void herald_host_file_discard(int number);
bool herald_host_file_is_ours(const struct herald_host_file *file);
void herald_host_file_close(struct herald_host_file *file);
HERALD_END
#endif
