/* A file is made without a name (O_TMPFILE), so that a process that is killed leaves nothing. Some file systems have no
 * unnamed files (FUSE, overlays of containers). There the file is made with a temporary name that no other process
 * uses, and a process that is killed leaves the file behind.
 *
 * Ordering: If several processes give the same name to their files at once, the file system lets one of them win.
 * Progress: System calls that do not wait.
 * Ownership: A file belongs to the thread that makes it, until it has its name.
 */
#include "folder.h"
#include "file.h"
#include "identity.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static bool knows_no_unnamed(int error) { return error == EOPNOTSUPP || error == EISDIR || error == EINVAL; }

bool herald_host_folder_make_file(struct herald_host_new_file *made, const char *folder) {
    made->name[0] = 0;
    made->number = herald_host_file_open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC);
    if (made->number >= 0 || !knows_no_unnamed(errno)) return made->number >= 0;
    snprintf(made->name, sizeof made->name, "%.*s/herald-new.%016llx", HERALD_HOST_FOLDER_LIMIT, folder,
             (unsigned long long)herald_host_identity_draw());
    made->number = herald_host_file_open(made->name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC);
    return made->number >= 0;
}

/* Gives a file the name `path`, unless another file has this name. Where the file system has no hard links, a rename
 * that replaces nothing does the same. */
static bool move(const char *from, const char *path) {
    if (link(from, path) == 0) return true;
    if (errno == EEXIST) return false;
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, path, RENAME_NOREPLACE) == 0;
}

static bool name_unnamed(int file, const char *path) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0) return true;
    return errno == ENOENT && linkat(file, "", AT_FDCWD, path, AT_EMPTY_PATH) == 0; /* without /proc */
}

bool herald_host_folder_name_file(struct herald_host_new_file *file, const char *path) {
    if (!file->name[0]) return name_unnamed(file->number, path);
    if (!move(file->name, path)) return false;
    unlink(file->name); /* if it is still there */
    file->name[0] = 0;
    return true;
}

void herald_host_folder_forget_file(const struct herald_host_new_file *file) {
    if (file->name[0]) unlink(file->name);
    close(file->number);
}

/* ---- Trying ------------------------------------------------------------------------------------------------------ */

/* Whether an error may be gone in a moment, or may concern this process alone. Such an error does not make the folder
 * bad: the process that makes the file reports it. */
static bool passes(int error) {
    return error != EROFS && error != EACCES && error != EPERM && error != ENODEV && error != ENOSYS &&
           !knows_no_unnamed(error);
}

/* Writes the reason why a folder is not good; returns false. */
__attribute__((format(printf, 2, 3))) static bool is_bad(char reason[HERALD_HOST_REASON_LIMIT], const char *format,
                                                         ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, HERALD_HOST_REASON_LIMIT, format, arguments);
    va_end(arguments);
    return false;
}

/* Whether a file in the folder can be given another name. Only a file with a temporary name is tried: where files can
 * be unnamed, they can also be given a name. */
static bool can_be_named(const struct herald_host_new_file *file) {
    char other[HERALD_HOST_PATH_LIMIT + 8];
    if (!file->name[0]) return true;
    snprintf(other, sizeof other, "%s.named", file->name);
    if (!move(file->name, other)) return passes(errno);
    unlink(other);
    return true;
}

/* Some file systems show another owner or mode than was requested. Processes would refuse such a file. */
static bool is_as_asked(int file, uid_t user, char reason[HERALD_HOST_REASON_LIMIT]) {
    struct stat about;
    if (fchmod(file, 0600) != 0 || fstat(file, &about) != 0)
        return passes(errno) || is_bad(reason, "modes of files cannot be set there: %s", strerror(errno));
    if (about.st_uid == user && (about.st_mode & 07777) == 0600) return true;
    return is_bad(reason, "files there have owner %u and mode %04o, not %u and 0600", about.st_uid,
                  about.st_mode & 07777, user);
}

bool herald_host_folder_is_good(const char *folder, uid_t user, char reason[HERALD_HOST_REASON_LIMIT]) {
    struct herald_host_new_file file;
    if (!herald_host_folder_make_file(&file, folder))
        return passes(errno) || is_bad(reason, "no file can be made there: %s", strerror(errno));
    bool good = is_as_asked(file.number, user, reason);
    if (good) {
        void *memory = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
        if (memory != MAP_FAILED) munmap(memory, 1);
        if (memory == MAP_FAILED && !passes(errno))
            good = is_bad(reason, "files there cannot be shared: %s", strerror(errno));
    }
    if (good && !can_be_named(&file))
        good =
            is_bad(reason, "a file there cannot be given a name without replacing another file: %s", strerror(errno));
    herald_host_folder_forget_file(&file);
    return good;
}

bool herald_host_folder_is_private(const char *path, uid_t user, char reason[HERALD_HOST_REASON_LIMIT]) {
    struct stat about;
    if (strlen(path) >= HERALD_HOST_FOLDER_LIMIT) return is_bad(reason, "its path is too long");
    if (path[0] != '/') return is_bad(reason, "it is not an absolute path");
    if (stat(path, &about) != 0) return is_bad(reason, "it cannot be examined: %s", strerror(errno));
    if (!S_ISDIR(about.st_mode)) return is_bad(reason, "it is not a folder");
    if (about.st_uid != user) return is_bad(reason, "it belongs to user %u, not to user %u", about.st_uid, user);
    if (!(about.st_mode & (S_IWGRP | S_IWOTH))) return true;
    return is_bad(reason, "others can write to it (its mode is %04o)", about.st_mode & 07777);
}
