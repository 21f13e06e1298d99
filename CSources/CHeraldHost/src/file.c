/* Opening, checking and closing. Ordering, ownership: the caller's. Progress: system calls that do not wait. */
#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void herald_host_file_discard(int number) {
    int error = errno;
    close(number);
    errno = error;
}

/* While a low number is free, takes it, and opens the file after that. */
int herald_host_file_open(const char *path, int flags) {
    int filler = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool is_low = filler >= 0 && filler <= STDERR_FILENO;
    if (filler > STDERR_FILENO) close(filler);
    int file = is_low ? herald_host_file_open(path, flags) : open(path, flags, 0600);
    if (is_low) herald_host_file_discard(filler);
    return file;
}

int herald_host_file_open_found(const char *path) {
    return herald_host_file_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
}

/* These locks belong to an open file. The older locks of POSIX belong to the process: if any part of the program closed
 * a descriptor of the same file, our locks would be lost. */
bool herald_host_file_lock_byte(int number, uint32_t byte, short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(number, F_OFD_SETLK, &lock) == 0;
}

bool herald_host_file_is_locked(int number, uint32_t first, uint32_t count) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    return fcntl(number, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void *herald_host_file_keep(int number) {
    void *kept = mmap(NULL, page_size(), PROT_NONE, MAP_SHARED, number, 0);
    if (kept == MAP_FAILED) return NULL;
    if (madvise(kept, page_size(), MADV_DONTFORK) == 0) return kept;
    munmap(kept, page_size());
    return NULL;
}

void herald_host_file_give_up(void *kept) { munmap(kept, page_size()); }

bool herald_host_file_take(struct herald_host_file *file, int number) {
    file->number = -1;
    if (number < 0) return false;
    if (number <= STDERR_FILENO) {
        int higher = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        herald_host_file_discard(number);
        if (higher < 0) return false;
        number = higher;
    }
    struct stat about;
    if (fstat(number, &about) != 0) {
        herald_host_file_discard(number);
        return false;
    }
    *file = (struct herald_host_file){number, about.st_dev, about.st_ino};
    return true;
}

bool herald_host_file_is_ours(const struct herald_host_file *file) {
    struct stat about;
    if (!HERALD_HOST_STEP(OUR_FILE)) return file->number >= 0;
    return file->number >= 0 && fstat(file->number, &about) == 0 && about.st_dev == file->device &&
           about.st_ino == file->inode;
}

void herald_host_file_close(struct herald_host_file *file) {
    if (herald_host_file_is_ours(file)) close(file->number);
    file->number = -1;
}
