/* Replacing the user's file by a new one. This is done in four cases: the file's name table is full; the file is
 * damaged or superseded; all processes have left the file for another folder; the program calls HeraldHostReset.
 *
 * The steps:
 *      1. lock the old file, and check that it is still at the path
 *      2. make a new file, and give it a temporary name
 *      3. supersede the old file, and copy its states and what it keeps to the new file
 *      4. remove the temporary names of all other processes
 *      5. check again that the old file is still at the path
 *      6. rename the new file, from its temporary name to the path
 *      7. wake the processes that sleep in the old file
 *
 * At most one process succeeds. This does not depend on the lock, because a process that has the lock may be stopped.
 * Suppose that processes A and B make the steps at once, and that A makes step 2 first. In step 4 B removes A's
 * temporary name. If A has not renamed its file by then, A cannot rename it any more. If A has renamed its file, B
 * finds in step 5 that the old file is no longer at the path. So a process may begin at any time, whatever others have
 * begun. The lock only saves work: a process waits a moment for another process that has the lock, and then goes on
 * without the lock.
 *
 * If a process is killed or stopped in any step, a complete file is at the path. This file may be superseded. Then the
 * next process that opens or checks the file replaces it. The states are copied after the old file is marked as
 * superseded, and before step 6. A process that sets a state after the mark sets the state again in the new file
 * (entry.c). Tests/Model/host_move.c models this.
 *
 * Ordering: The file system orders the steps on names. The mark (`superseded`) is sequentially consistent.
 * Progress: System calls. The renaming may wait for the kernel's lock on the old file's inode. Nothing here waits for
 * another process. The callers of herald_host_replace do, for a moment.
 * Ownership: All of it is under the session's lock. The lock on the old file belongs to the open file. A temporary name
 * belongs to the process that made the name, until another process removes the name.
 */
#include "replace.h"
#include "carry.h"
#include "channel.h"
#include "entry.h"
#include "folder.h"
#include "ground_time.h"
#include "host_complaint.h"
#include "identity.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct replacement {
    const struct herald_host_place *place;
    const char *path;
    struct stat about; /* of the old file */
    int old;           /* a descriptor of the old file, which may have the lock; -1: not open */
    struct herald_host_new_file fresh;
    bool readable; /* the old file is a whole file of Herald's */
    bool new_line; /* see replace.h */
};

static HeraldStatus failed(const char *path) {
    return herald_host_complain(HeraldTransportFailed, "%s cannot be replaced: %s", path, strerror(errno));
}

static enum herald_host_replaced is_busy(const struct replacement *replacement) {
    herald_host_complain(HeraldTransportFailed, "%s is being replaced by another process: try again",
                         replacement->path);
    return HERALD_HOST_BUSY;
}

/* Whether the old file is at the path, also if that cannot be found out: who takes it for gone, though it is there,
 * would leave it for good. */
static bool is_there(const struct replacement *replacement) {
    struct stat there;
    if (lstat(replacement->path, &there) != 0) return errno != ENOENT;
    return herald_host_file_is_same(&there, &replacement->about);
}

/* ---- Temporary names --------------------------------------------------------------------------------------------- */

#define TEMPORARY ".new"

/* Whether `name` may be the new file of another process. Such a file is regular, and is the user's own. */
static bool is_rival(int folder, const char *name, uid_t user) {
    struct stat about;
    return fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) && about.st_uid == user;
}

/* Step 4: removes all temporary names except `temporary`. They belong to processes that were killed, are stopped, or
 * are replacing the file now. Afterwards none of these processes can rename its new file. */
static HeraldStatus take_others_away(const struct replacement *replacement, const char *temporary, DIR *folder) {
    char prefix[HERALD_HOST_PATH_LIMIT];
    const char *mine = strrchr(temporary, '/') + 1;
    HeraldStatus status = HeraldOK;
    int length = snprintf(prefix, sizeof prefix, "%s" TEMPORARY, strrchr(replacement->path, '/') + 1);
    int number = dirfd(folder);
    rewinddir(folder);
    errno = 0;
    for (const struct dirent *file; status == HeraldOK && (file = readdir(folder)); errno = 0) {
        if (strncmp(file->d_name, prefix, (size_t)length) != 0 || strcmp(file->d_name, mine) == 0) continue;
        if (unlinkat(number, file->d_name, 0) == 0 || errno == ENOENT) continue;
        if (is_rival(number, file->d_name, replacement->place->user)) status = failed(replacement->path);
    }
    if (status == HeraldOK && errno) status = failed(replacement->path);
    return status;
}

/* ---- The old file ------------------------------------------------------------------------------------------------ */

/* Whether a name must be entered in the new file: it has a state, or the new file must go on with the old file's count
 * of the name's messages. From the count, a process that skips files knows how many messages it has missed. */
static bool is_needed(const struct herald_host_segment *old, const struct herald_host_entry *entry) {
    if (herald_host_entry_has_state(old, entry)) return true;
    return entry->logged && (herald_host_entry_is_watched(entry) || herald_host_segment_is_expecting(old->header));
}
/* Whether a name is entered in the new file as far as there is room. The new file counts the messages of an entered
 * name from the first one on. So each name that a process watches is entered, even if the name has had no message.
 * Processes may still be on the way to the old file. In this case all names are entered, if the old file does not use
 * its last region. Other names are left behind, because a full file is replaced to get rid of them. */
static bool goes_along(const struct herald_host_segment *old, const struct herald_host_entry *entry) {
    bool has_room = herald_host_segment_regions(old) < HERALD_HOST_REGIONS;
    return is_needed(old, entry) ||
           (HERALD_HOST_STEP(UNCOUNTED) &&
            (herald_host_entry_is_watched(entry) || (has_room && herald_host_segment_is_expecting(old->header))));
}
static void carry_count(struct herald_host_entry *old, struct herald_host_entry *entry) { entry->logged = old->logged; }

/* Makes the new log go on where the old log has ended. If the old file was cut short in the meantime, its sequence
 * numbers are lost. Then the new file keeps the numbers that it was made with, which are higher than the lost ones. */
static void continue_log(struct herald_host_segment *old, struct herald_host_segment *fresh, ino_t inode) {
    uint64_t first = fresh->header->first, line = fresh->header->line;
    herald_host_log_continue(old->header, fresh->header);
    if (herald_host_header_is_sealed(old->header, inode)) return;
    fresh->header->first = first;
    fresh->header->line = line;
    fresh->header->origin = fresh->header->plain = 0;
}

/* Supersedes the old file, and copies its states and what it keeps to the new file; also its counts and the end of its
 * log, unless a new line begins. All memory for names that must be entered, and for what is kept, is taken before the
 * old file is marked as superseded. (More may be kept or set in between. If there is no memory for that, the file is
 * not replaced now: nobody carries anything from a file that was renamed over.) In two cases nothing is copied. In one,
 * the file has lost its seal (layout.h). In the other, processes have already moved from the file
 * (HERALD_HOST_CARRIED), and know newer states. */
static HeraldStatus carry_over(const struct replacement *replacement, struct herald_host_segment *old,
                               struct herald_host_segment *fresh) {
    ino_t inode = replacement->about.st_ino;
    bool carries = herald_host_header_is_sealed(old->header, inode) && old->header->superseded < HERALD_HOST_CARRIED;
    bool goes_on = carries && !replacement->new_line;
    HeraldStatus status =
        carries ? herald_host_entries_carry(old, fresh, goes_on ? is_needed : herald_host_entry_has_state, NULL)
                : HeraldOK;
    if (carries && status == HeraldOK) status = herald_host_carry_reserve(old, fresh);
    if (status != HeraldOK) return status;
    if (goes_on) herald_host_entries_carry(old, fresh, goes_along, NULL); /* as far as there is room: this may fail */
    herald_host_segment_expect(fresh->header);                            /* again, because copying takes time */
    herald_host_header_supersede(old->header);
    if (goes_on) {
        continue_log(old, fresh, inode);
        herald_host_entries_carry(old, fresh, goes_along, carry_count);
    }
    fresh->header->any = old->header->any; /* processes that observe all names may be on the way */
    if (!carries) return HeraldOK;
    status = herald_host_entries_copy_states(old, fresh, replacement->new_line);
    if (status == HeraldOK) status = herald_host_carry_copy(old, fresh);
    if (status == HeraldOK) fresh->header->carried = herald_host_carried_from(old->header, inode);
    return status;
}

/* Step 3. If the old file is not a file of Herald's, nothing is done. */
static HeraldStatus hand_over(const struct replacement *replacement) {
    if (!replacement->readable) return HeraldOK;
    struct herald_host_segment old = {.header = herald_host_segment_visit(replacement->old, false), .unnamed = -1};
    struct herald_host_segment fresh = {.header = herald_host_segment_visit(replacement->fresh.number, true),
                                        .unnamed = replacement->fresh.number};
    snprintf(fresh.path, sizeof fresh.path, "%s", replacement->path);
    HeraldStatus status =
        old.header && fresh.header ? carry_over(replacement, &old, &fresh) : failed(replacement->path);
    herald_host_segment_end_visit(fresh.header);
    herald_host_segment_end_visit(old.header);
    return status;
}

static bool is_fresh_at(const struct replacement *replacement, const char *path) {
    struct stat there, fresh;
    return lstat(path, &there) == 0 && fstat(replacement->fresh.number, &fresh) == 0 &&
           herald_host_file_is_same(&there, &fresh);
}

/* Steps 4 to 6. If another process has replaced or removed the file in the meantime, also returns HERALD_HOST_REPLACED.
 * `*renamed`: this process has done it. */
static enum herald_host_replaced rename_over(const struct replacement *replacement, const char *temporary, DIR *folder,
                                             bool *renamed) {
    if (!is_there(replacement)) return HERALD_HOST_REPLACED;
    /* Another program may have cut the new file short since it got its temporary name. */
    if (!herald_host_segment_is_good(replacement->fresh.number, true)) return is_busy(replacement);
    if (take_others_away(replacement, temporary, folder) != HeraldOK) return HERALD_HOST_NOT_REPLACED;
    if (!is_there(replacement)) return HERALD_HOST_REPLACED;
    /* A rival may have removed the temporary name, and another user may have taken it since. */
    bool taken = !is_fresh_at(replacement, temporary);
    *renamed = !taken && rename(temporary, replacement->path) == 0;
    if (*renamed) return HERALD_HOST_REPLACED;
    taken = taken || errno == ENOENT;
    if (!is_there(replacement)) return HERALD_HOST_REPLACED;
    if (taken) return is_busy(replacement);
    failed(replacement->path);
    return HERALD_HOST_NOT_REPLACED;
}

/* Wakes the processes that sleep in the old file. `renamed`: this process has renamed the new file over the old one, so
 * the old one is left. Otherwise the processes that are woken carry what the old file has to the next one. */
static void wake_all(const struct replacement *replacement, bool renamed) {
    struct herald_host_header *header =
        replacement->readable ? herald_host_segment_visit(replacement->old, false) : NULL;
    if (header && header->superseded) renamed ? herald_host_header_leave(header) : herald_host_header_wake_all(header);
    herald_host_segment_end_visit(header);
}

/* Steps 2 to 7. After the old file is marked as superseded, only two changes to the folder can fail: removing other
 * temporary names, and renaming. */
static enum herald_host_replaced replace(struct replacement *replacement) {
    char temporary[HERALD_HOST_PATH_LIMIT];
    enum herald_host_replaced replaced = HERALD_HOST_NOT_REPLACED;
    bool renamed = false;
    if (!herald_host_segment_make(&replacement->fresh, replacement->place->folder, replacement->path))
        return HERALD_HOST_NOT_REPLACED;
    /* The name is random. Otherwise another user who can write to the folder could guess it, and take it first. */
    snprintf(temporary, sizeof temporary, "%.480s" TEMPORARY ".%08x", replacement->path,
             (uint32_t)herald_host_identity_draw());
    DIR *folder = opendir(replacement->place->folder);
    if (!folder || !herald_host_folder_name_file(&replacement->fresh, temporary)) {
        failed(replacement->path);
    } else {
        if (hand_over(replacement) == HeraldOK) replaced = rename_over(replacement, temporary, folder, &renamed);
        unlink(temporary); /* if it was not renamed */
    }
    if (folder) closedir(folder);
    herald_host_folder_forget_file(&replacement->fresh);
    if (replaced == HERALD_HOST_REPLACED) wake_all(replacement, renamed);
    return replaced;
}

enum { READY = HERALD_HOST_NOT_REPLACED + 1 };

static int cannot(const struct replacement *replacement) {
    failed(replacement->path);
    return HERALD_HOST_NOT_REPLACED;
}

/* Called when another process has the lock on the old file: whether this process goes on without the lock. It does so
 * when it has left the file to the other process for long enough. Each process waits for a different time. Otherwise
 * all waiting processes would make a new file at once. */
static bool is_impatient(const struct stat *old) {
    static struct stat busy; /* the file that this process has left to another process; under the session's lock */
    static uint64_t since;   /* the time at which this process left `busy` to the other process */
    enum { PATIENCE = 30 };  /* milliseconds */
    uint64_t now = ground_now(), patience = PATIENCE * GROUND_MILLISECOND * (1 + herald_host_identity() % 8);
    bool same = herald_host_file_is_same(&busy, old);
    if (same && now - since < patience) return false;
    busy = *old;
    since = now;
    return same;
}

/* Step 1: opens and locks the old file, which may be anything of the user's that lies at the path. If the file can be
 * replaced now, returns READY. Otherwise returns the result of herald_host_replace. */
static int begin(struct replacement *replacement, ino_t number) {
    const struct stat *about = &replacement->about;
    struct stat now;
    if (lstat(replacement->path, &replacement->about) != 0) /* if no file is there, the caller's next look makes one */
        return errno == ENOENT ? HERALD_HOST_REPLACED : cannot(replacement);
    if (about->st_uid != replacement->place->user) {
        herald_host_complain(HeraldTransportFailed, "%s belongs to user %u, not to user %u", replacement->path,
                             about->st_uid, replacement->place->user);
        return HERALD_HOST_NOT_REPLACED;
    }
    if (number && about->st_ino != number) return HERALD_HOST_REPLACED;
    replacement->old = herald_host_file_open_found(replacement->path);
    if (replacement->old < 0 && (errno == EACCES || !S_ISREG(about->st_mode))) return READY; /* no process uses it */
    if (replacement->old < 0) return errno == ENOENT ? HERALD_HOST_REPLACED : cannot(replacement);
    if (fstat(replacement->old, &now) != 0 || !herald_host_file_is_same(&now, about)) return HERALD_HOST_REPLACED;
    if (!herald_host_file_lock_byte(replacement->old, HERALD_HOST_MOVE_LOCK, F_WRLCK) && !replacement->new_line &&
        !is_impatient(about))
        return is_busy(replacement);
    replacement->readable = herald_host_segment_is_good(replacement->old, false);
    return READY;
}

enum herald_host_replaced herald_host_replace(const struct herald_host_place *place, const char *path, ino_t number,
                                              bool new_line) {
    struct replacement replacement = {.place = place, .path = path, .old = -1, .new_line = new_line};
    int result = begin(&replacement, number);
    if (result == READY) result = is_there(&replacement) ? replace(&replacement) : HERALD_HOST_REPLACED;
    if (replacement.old >= 0) close(replacement.old);
    return (enum herald_host_replaced)result;
}
