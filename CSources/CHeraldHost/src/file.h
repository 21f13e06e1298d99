/* A file descriptor of ours. The program may close it at any time, as daemons do with all they find, and have something
 * else under its number: it is checked before each use. (Descriptors without a file, such as eventfds, are all alike to
 * that look.)
 */
#ifndef HERALD_HOST_FILE_H
#define HERALD_HOST_FILE_H

#include "platform.h"
#include <sys/types.h>

struct herald_file {
    int number; /* -1: none */
    dev_t device;
    ino_t inode;
};

HERALD_BEGIN
/* As open(2), but never under a number of standard input or output, not even for a moment: what the program prints
 * would go into the file. */
int herald_file_open(const char *path, int flags);
/* Takes over a descriptor that was just opened, away from the numbers of standard input and output. False with errno.
 */
bool herald_file_take(struct herald_file *file, int number);
/* Closes a descriptor that was just opened, and keeps errno. */
void herald_file_discard(int number);
bool herald_file_is_ours(const struct herald_file *file);
void herald_file_close(struct herald_file *file);
HERALD_END
#endif
