/* A file is replaced when its table is full, and when it is damaged or retired already.
 *
 *      lock the old one; is it still at the path?; make a new one, with a name beside; retire the old one; copy its
 *      states; is it still at the path?; rename; wake those in the old one
 *
 * A process that is killed anywhere leaves a complete file at the path. If that is retired, who comes or looks next
 * replaces it; as long as one that is stopped has its lock, all go on in it. The states are copied after the mark,
 * which has who sets one set it again, and before the renaming: see state.c. Tests/Model/host_move.c is this as a
 * model.
 *
 * Ordering. That of the file system, and the mark's, which is sequentially consistent. Progress. System calls, of which
 * renaming may wait for who has a lock on the old file's inode. Ownership. The lock is the open file's.
 */
#include "replace.h"
#include "channel.h"
#include "complaint.h"
#include "session.h"
#include "state.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct replacement {
    const struct herald_place *place;
    const char *path;
    struct stat about; /* of the old file */
    int lock, view; /* the old file, open for its lock, and to be mapped: that keeps an open file; -1: it cannot be */
    int fresh;      /* the new one */
    bool readable;  /* the old one is a file of Herald's */
};

static HeraldStatus failed(const char *path) {
    return herald_complain(HeraldTransportFailed, "%s cannot be made anew: %s", path, strerror(errno));
}

static bool is_there(const struct replacement *replacement) {
    struct stat there;
    return lstat(replacement->path, &there) == 0 && herald_file_is_same(&there, &replacement->about);
}

/* Gives the new file a name that nobody looks at. */
static HeraldStatus name_beside(const struct replacement *replacement, char beside[HERALD_PATH_LIMIT]) {
    struct stat about;
    for (unsigned i = 0; i < replacement->place->names; i++) {
        snprintf(beside, HERALD_PATH_LIMIT, i ? "%.480s.new.%u" : "%.480s.new", replacement->path, i);
        unlink(beside); /* of a process that was killed */
        if (lstat(beside, &about) != 0 && errno == ENOENT) return herald_segment_give_name(replacement->fresh, beside);
    }
    return herald_complain(HeraldTransportFailed, "%s cannot be made: the name is taken", beside);
}

/* The messages of a name are counted on, so that who has missed a file between two knows how many it has missed. */
static bool is_counted(const struct herald_segment *old, const struct herald_entry *entry) {
    return entry->logged && (herald_entry_is_watched(entry) || herald_segment_is_expecting(old->header));
}
static void carry_count(struct herald_entry *old, struct herald_entry *entry) { entry->logged = old->logged; }

/* Retires the old file and copies its states, of which a file that has been away and was left has none to give: others
 * know newer ones. Before the mark it takes what memory that needs. Under the lock. */
static HeraldStatus hand_over(const struct replacement *replacement) {
    if (!replacement->readable) return HeraldOK;
    struct herald_segment old = {.header = herald_segment_visit(replacement->view), .unnamed = -1};
    struct herald_segment fresh = {.header = herald_segment_map_own(replacement->fresh), .unnamed = replacement->fresh};
    HeraldStatus status = old.header && fresh.header ? HeraldOK : failed(replacement->path);
    snprintf(fresh.path, sizeof fresh.path, "%s", replacement->path);
    if (status == HeraldOK && old.header->retired < HERALD_CARRIED) {
        status = herald_states_prepare(&old, &fresh);
        if (status == HeraldOK) status = herald_entries_carry(&old, &fresh, is_counted, NULL);
        if (status == HeraldOK) {
            herald_segment_expect(fresh.header);
            herald_header_retire(old.header);
            herald_log_continue(old.header, fresh.header);
            herald_entries_carry(&old, &fresh, is_counted, carry_count);
            fresh.header->any = old.header->any;                          /* for who is on the way, too */
            herald_states_carry(&old, replacement->about.st_ino, &fresh); /* what fails is carried by those who come */
        }
    }
    if (fresh.header) herald_segment_unmap_own(fresh.header);
    herald_segment_end_visit();
    return status;
}

/* One that was slow may have lost its name to another, and must not take that one's away. */
static bool is_beside(const struct replacement *replacement, const char *beside) {
    struct stat fresh, there;
    return fstat(replacement->fresh, &fresh) == 0 && lstat(beside, &there) == 0 && herald_file_is_same(&fresh, &there);
}

/* Another may have replaced it meanwhile, which is as good. */
static HeraldStatus rename_over(const struct replacement *replacement, const char *beside) {
    if (!is_there(replacement)) return HeraldOK;
    errno = ENOENT;
    if (is_beside(replacement, beside) && rename(beside, replacement->path) == 0) return HeraldOK;
    return is_there(replacement) ? failed(replacement->path) : HeraldOK;
}

static void wake_all(const struct replacement *replacement) {
    struct herald_header *header = replacement->readable ? herald_segment_visit(replacement->view) : NULL;
    if (header && header->retired) herald_header_leave(header);
    if (header) herald_segment_end_visit();
}

/* All that can fail for a reason of the folder's is done before the mark. */
static HeraldStatus replace(struct replacement *replacement, bool locked) {
    char beside[HERALD_PATH_LIMIT];
    replacement->fresh = herald_segment_make(replacement->place->folder, replacement->path);
    if (replacement->fresh < 0) return HeraldTransportFailed;
    HeraldStatus status = name_beside(replacement, beside);
    if (status == HeraldOK) {
        if (!locked) herald_session_lock();
        status = hand_over(replacement);
        if (!locked) herald_session_unlock();
        if (status == HeraldOK) status = rename_over(replacement, beside);
        if (is_beside(replacement, beside)) unlink(beside); /* it did not go to its place */
    }
    close(replacement->fresh);
    if (status != HeraldOK) return status;
    if (!locked) herald_session_lock();
    wake_all(replacement);
    if (!locked) herald_session_unlock();
    return HeraldOK;
}

enum { READY = HERALD_NOT_REPLACED + 1 };

/* Whether an open file is the old one. */
static bool is_old(const struct replacement *replacement, int file) {
    struct stat about;
    return fstat(file, &about) == 0 && herald_file_is_same(&about, &replacement->about);
}

static int cannot(const struct replacement *replacement) {
    failed(replacement->path);
    return HERALD_NOT_REPLACED;
}

/* Opens and locks the old file, which may be anything that the user has there. READY, or the result. */
static int begin(struct replacement *replacement, ino_t number) {
    const struct stat *about = &replacement->about;
    if (lstat(replacement->path, &replacement->about) != 0) return HERALD_REPLACED; /* who looks next makes it */
    if (about->st_uid != replacement->place->user) {
        herald_complain(HeraldTransportFailed, "%s belongs to user %u, not to user %u", replacement->path,
                        about->st_uid, replacement->place->user);
        return HERALD_NOT_REPLACED;
    }
    if (number && about->st_ino != number) return HERALD_REPLACED;
    replacement->lock = herald_file_open_found(replacement->path);
    if (replacement->lock < 0 && (errno == EACCES || !S_ISREG(about->st_mode))) return READY; /* it is in no use */
    if (replacement->lock < 0) return errno == ENOENT ? HERALD_REPLACED : cannot(replacement);
    if (!is_old(replacement, replacement->lock)) return HERALD_REPLACED; /* the lock of another would say nothing */
    if (!herald_file_lock_byte(replacement->lock, HERALD_MOVE_LOCK, F_WRLCK)) {
        herald_complain(HeraldTransportFailed, "%s is being made anew by another process: try again",
                        replacement->path);
        return HERALD_BUSY;
    }
    replacement->view = herald_file_open_found(replacement->path);
    if (replacement->view < 0) return errno == ENOENT ? HERALD_REPLACED : cannot(replacement);
    if (!is_old(replacement, replacement->view)) return HERALD_REPLACED;
    replacement->readable = herald_segment_is_good(replacement->view, about);
    return READY;
}

enum herald_replaced herald_replace(const struct herald_place *place, const char *path, ino_t number, bool locked) {
    struct replacement replacement = {.place = place, .path = path, .lock = -1, .view = -1};
    int result = begin(&replacement, number);
    if (result == READY) {
        bool done = !is_there(&replacement) || replace(&replacement, locked) == HeraldOK;
        result = done ? HERALD_REPLACED : HERALD_NOT_REPLACED;
    }
    if (replacement.view >= 0) close(replacement.view);
    if (replacement.lock >= 0) close(replacement.lock);
    return (enum herald_replaced)result;
}
