/* Fork: the forking thread takes the locks of the session, of the outbox and of the receivers, so that the child finds
 * nothing half done. */
#include "identity.h"
#include "move.h"
#include "outbox.h"
#include "receiver.h"
#include "token.h"
#include "watched.h"
#include "watcher.h"

static void before_fork(void) {
    herald_host_session_lock();
    herald_host_outbox_before_fork();
    herald_host_receivers_before_fork();
}

static void in_parent(void) {
    herald_host_receivers_after_fork();
    herald_host_outbox_in_parent();
    herald_host_session_unlock();
}

static void in_child(void) {
    herald_host_receivers_after_fork();
    herald_host_identity_in_child();
    herald_host_outbox_in_child();
    herald_host_watcher_after_fork();
    herald_host_watched_after_fork();
    herald_host_tokens_after_fork();
    herald_host_session_in_child();
}

__attribute__((constructor)) static void prepare(void) { pthread_atfork(before_fork, in_parent, in_child); }
