/* The place of the file: folders without unnamed files, folders that cannot hold it, and folders that are passed
 * over. */
#include "../../CSources/CHeraldHost/src/folder.h"
#include "file.h"
#include <dirent.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/syscall.h>

/* Indexes into the board. */
enum { S, READY = 10, STOP };

/* ---- Folders of other kinds -------------------------------------------------------------------------------------- */

static enum { AS_IT_IS, NO_UNNAMED, NO_FILES } kind; /* of the test's folder */
static _Atomic long opened, removed_at;              /* times the file was opened; removed before this one */

/* In place of the C library's. The folder has no unnamed files, as with FUSE; or no files can be made there at all; or
 * others remove the file before it is opened. */
int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = flags & O_CREAT || unnamed ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    bool here = kind != AS_IT_IS && !strncmp(path, host_folder, strlen(host_folder));
    if (here && unnamed) return errno = EOPNOTSUPP, -1;
    if (here && flags & O_CREAT && kind == NO_FILES) return errno = EROFS, -1;
    if (!strcmp(path, host_file) && ++opened == removed_at) unlink(path);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode, 0, 0);
}

static int files_in_folder(void) {
    int count = 0;
    DIR *folder = opendir(host_folder);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) count += entry->d_name[0] != '.';
    if (folder) closedir(folder);
    return count;
}

/* ---- Without unnamed files --------------------------------------------------------------------------------------- */

static void watch(void) {
    hear_into("s", S, NULL);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
static void post(void) { CHECK(HeraldHostPost("s") == HeraldOK); }
HOST_TEST(folder_that_knows_no_unnamed_files_holds_the_file) {
    kind = NO_UNNAMED;
    pid_t watchers[3];
    for (int i = 0; i < 3; i++) watchers[i] = process(watch); /* all at once */
    EVENTUALLY(board->at[READY] == 3);
    CHECK(files_in_folder() == 1 && access(host_file, F_OK) == 0);
    struct stat about;
    CHECK(stat(host_file, &about) == 0 && (about.st_mode & 07777) == 0600 && about.st_nlink == 1);
    join(process(post));
    EVENTUALLY(board->at[S] == 3);
    for (int i = 0; i < 3; i++) {
        long heard = board->at[S];
        CHECK(HeraldHostReset() == HeraldOK);
        EVENTUALLY(board->at[S] >= heard + 3);
        CHECK(files_in_folder() == 1);
    }
    CHECK(unlink(host_file) == 0);
    EVENTUALLY((post_to_host("s"), access(host_file, F_OK) == 0));
    board->at[STOP] = 1;
    for (int i = 0; i < 3; i++) join(watchers[i]);
    CHECK(files_in_folder() == 1);
}

/* A file that has the name already is neither followed nor used. */
HOST_TEST(file_with_a_name_is_made_where_nothing_was) {
    kind = NO_UNNAMED;
    struct herald_host_new_file file;
    CHECK(herald_host_folder_make_file(&file, host_folder) && files_in_folder() == 1);
    char path[160], reason[HERALD_HOST_REASON_LIMIT] = "";
    snprintf(path, sizeof path, "%s/name", host_folder);
    CHECK(symlink("/etc/passwd", path) == 0);
    CHECK(!herald_host_folder_name_file(&file, path) && errno == EEXIST);
    herald_host_folder_forget_file(&file);
    CHECK(files_in_folder() == 1 && unlink(path) == 0);
    CHECK(herald_host_folder_make_file(&file, host_folder));
    CHECK(herald_host_folder_name_file(&file, path) && files_in_folder() == 1);
    herald_host_folder_forget_file(&file);
    CHECK(files_in_folder() == 1 && access(path, F_OK) == 0);
    CHECK(herald_host_folder_is_good(host_folder, geteuid(), reason) && files_in_folder() == 1);
}

/* ---- Gone by the time that it is opened -------------------------------------------------------------------------- */

static void ignore(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                   const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
}
static void observe(const char *text, HeraldToken *token) {
    HeraldObserverOptions options = {.size = sizeof options};
    CHECK(HeraldCenterAddObserverWithOptions(HeraldCenterGetHostCenter(), board, ignore, text ? name_of(text) : NULL,
                                             NULL, &options, token) == HeraldOK);
}
static void count_names(void *context, const HeraldHostNameInfo *info) { *(long *)context += info->name != NULL; }
/* Every call that opens the file by its name. */
static void do_everything(void) {
    HeraldToken names, any, prefix;
    HeraldHostToken token, feed;
    HeraldMessage message = {.size = sizeof message, .bytes = "", .length = 1};
    int descriptor = -1;
    long count = 0;
    opened = 0;
    CHECK(HeraldHostRegisterCheck("t", &token) == HeraldOK && HeraldHostPost("t") == HeraldOK);
    observe("s", &names);
    observe(NULL, &any);
    CHECK(HeraldHostAddObserverUnder(board, ignore, "u", NULL, &prefix) == HeraldOK);
    CHECK(HeraldHostVisitNames(count_names, &count) == HeraldOK && count >= 2);
    CHECK(HeraldHostGetPrefixWatcherCount() == 1);
    CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of("s"), &message) == HeraldOK);
    CHECK(HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), any));
    CHECK(HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), prefix));
    CHECK(HeraldHostGetPrefixWatcherCount() == 0); /* it hears names only */
    CHECK(HeraldHostRegisterFileDescriptor("f", false, &descriptor, &feed) == HeraldOK);
    CHECK(HeraldHostSetState(token, 7) == HeraldOK && HeraldHostCancel(feed) == HeraldOK);
    CHECK(HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), names) && HeraldHostReset() == HeraldOK);
    board->at[S] = opened;
}
HOST_TEST(calls_go_on_in_the_file_that_comes_while_they_open_the_one_before) {
    join(process(do_everything));
    CHECK(board->at[S] >= 8);
    for (long last = removed_at = 1; removed_at <= last; removed_at++) {
        join(process(do_everything));
        last = board->at[S] < 200 ? board->at[S] : 0;
    }
    CHECK(removed_at > 8);
}

/* ---- Passed over ------------------------------------------------------------------------------------------------- */

HOST_TEST(named_folder_that_cannot_hold_the_file_is_refused) {
    kind = NO_FILES;
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("s", &token) == HeraldTransportFailed && says("HERALD_HOST_DIRECTORY"));
    CHECK(says(host_folder) && says("cannot hold") && says("Read-only file system"));
    CHECK(HeraldHostPost("s") == HeraldTransportFailed && HeraldHostReset() == HeraldTransportFailed);
    CHECK(HeraldHostGetPath() == NULL && files_in_folder() == 0);
    kind = AS_IT_IS;
    pass_a_second(); /* an error is reported for a second */
    CHECK(HeraldHostPost("s") == HeraldOK && HeraldHostRegisterCheck("s", &token) == HeraldOK);
    CHECK(strcmp(HeraldHostGetPath(), host_file) == 0);
}

static char shared_file[64];
/* A private /dev/shm, and the test's folder as the runtime folder. */
static bool enter_world(void) {
    static char folder[sizeof host_folder];
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("herald-test", "/dev/shm", "tmpfs", 0, "mode=1777,size=16m") != 0) {
        skip("no folder may be mounted here");
        return false;
    }
    snprintf(folder, sizeof folder, "%s", host_folder);
    CHECK(mkdir(folder, 0700) == 0);
    snprintf(shared_file, sizeof shared_file, "/dev/shm/herald-%u-%d", geteuid(), HERALD_HOST_LAYOUT);
    unsetenv("HERALD_HOST_DIRECTORY");
    setenv("XDG_RUNTIME_DIR", folder, 1);
    return true;
}

static char seen[2000];
static void note_folder(void *context, const HeraldHostFolderInfo *info) {
    CHECK(context == seen && info->size == sizeof *info && info->isChosen <= !info->problem);
    if (!strncmp(info->path, "/run/user", 9)) return; /* it depends on this system */
    size_t length = strlen(seen);
    snprintf(seen + length, sizeof seen - length, "%s %s%s%s%s%s;", info->path, info->isChosen ? "chosen " : "",
             info->problem ? info->problem : "", info->file ? " has " : "", info->file ? info->file : "",
             info->isFileInUse ? " in use" : "");
}
static bool sees(const char *expected) {
    seen[0] = 0;
    CHECK(HeraldHostVisitFolders(note_folder, seen) == HeraldOK);
    bool same = strcmp(seen, expected) == 0;
    if (!same) printf("%s\n%s\n", seen, expected);
    return same;
}

HOST_TEST(folder_that_cannot_hold_the_file_is_passed_over) {
    char expected[600];
    if (!enter_world()) return;
    kind = NO_FILES;
    pid_t watcher = process(watch);
    EVENTUALLY(board->at[READY] == 1);
    join(process(post));
    EVENTUALLY(board->at[S] == 1);
    CHECK(strcmp(HeraldHostGetPath(), shared_file) == 0 && access(shared_file, F_OK) == 0 && files_in_folder() == 0);
    snprintf(expected, sizeof expected,
             "%s no file can be made there: Read-only file system;/dev/shm chosen  has %s in use;", host_folder,
             shared_file);
    CHECK(sees(expected));
    kind = AS_IT_IS; /* as if another process saw other folders */
    snprintf(expected, sizeof expected, "%s chosen ;/dev/shm  has %s in use;", host_folder, shared_file);
    CHECK(sees(expected));
    kind = NO_FILES;
    board->at[STOP] = 1;
    join(watcher);
    CHECK(HeraldHostVisitFolders(NULL, NULL) == HeraldInvalidArgument);
}

HOST_TEST(runtime_folder_that_is_read_only_is_passed_over_with_its_file) {
    char expected[600];
    if (!enter_world()) return;
    pid_t watcher = process(watch);
    EVENTUALLY(board->at[READY] == 1);
    CHECK(access(host_file, F_OK) == 0);
    if (mount(host_folder, host_folder, NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, host_folder, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0) {
        skip("no folder may be made read-only here");
    } else {
        snprintf(expected, sizeof expected,
                 "%s the file there cannot be written to: Read-only file system has %s;/dev/shm chosen ;", host_folder,
                 host_file);
        CHECK(sees(expected));
        CHECK(HeraldHostPost("s") == HeraldOK && strcmp(HeraldHostGetPath(), shared_file) == 0);
        CHECK(umount2(host_folder, MNT_DETACH) == 0);
    }
    board->at[STOP] = 1;
    join(watcher);
}

HOST_TEST(folders_that_are_none_of_the_users_are_passed_over) {
    char expected[600];
    if (!enter_world()) return;
    CHECK(chmod(host_folder, 0770) == 0);
    snprintf(expected, sizeof expected, "%s others can write to it (its mode is 0770);/dev/shm chosen ;", host_folder);
    CHECK(sees(expected));
    CHECK(chmod(host_folder, 0700) == 0 && chown(host_folder, 54321, 54321) == 0);
    snprintf(expected, sizeof expected, "%s it belongs to user 54321, not to user 0;/dev/shm chosen ;", host_folder);
    CHECK(sees(expected));
    CHECK(rmdir(host_folder) == 0);
    snprintf(expected, sizeof expected, "%s it cannot be examined: No such file or directory;/dev/shm chosen ;",
             host_folder);
    CHECK(sees(expected));
    CHECK(mkdir(host_folder, 0700) == 0);
}
