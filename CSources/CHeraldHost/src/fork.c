/* Fork: the forking thread takes the session's lock, so that the child finds nothing half done. */
#include "identity.h"
#include "move.h"
#include "outbox.h"
#include "pen.h"
#include "token.h"
#include "watched.h"
#include "watcher.h"

static void before_fork(void) {
    herald_session_lock();
    herald_pen_before_fork();
}

static void in_parent(void) {
    herald_pen_in_parent();
    herald_session_unlock();
}

static void in_child(void) {
    herald_identity_in_child();
    herald_outbox_in_child();
    herald_pen_in_child();
    herald_watcher_after_fork();
    herald_watched_after_fork();
    herald_tokens_after_fork();
    herald_session_in_child();
}

__attribute__((constructor)) static void prepare(void) { pthread_atfork(before_fork, in_parent, in_child); }
