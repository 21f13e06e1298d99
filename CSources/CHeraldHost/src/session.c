/* The session's lock.
 *
 * Ordering, ownership: those of a mutex. Progress. Posters only try. A thread that waits for the lock has the door, so
 * the watcher, which takes the lock again as soon as it has left it, comes behind it. Fork: the handlers of this
 * library and of the core take their locks in whatever order the linker has put them, so no thread ever has one of
 * either kind and waits for one of the other.
 */
#include "session.h"
#include "complaint.h"
#include <stdio.h>

struct herald_session herald_session = {
    .looks = 1, .door = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

static bool lock(bool wait) {
    int cancelable; /* the calls under the lock are cancellation points */
    pthread_setcancelstate(herald_does(CANCELLATION) ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE, &cancelable);
    if (wait) {
        pthread_mutex_lock(&herald_session.door);
        pthread_mutex_lock(&herald_session.lock);
        pthread_mutex_unlock(&herald_session.door);
    } else if (pthread_mutex_trylock(&herald_session.lock) != 0) {
        pthread_setcancelstate(cancelable, NULL);
        return false;
    }
    herald_session.cancelable = cancelable;
    return true;
}

static void unlock(void) {
    int cancelable = herald_session.cancelable;
    pthread_mutex_unlock(&herald_session.lock);
    pthread_setcancelstate(cancelable, NULL);
}

void herald_session_lock(void) { lock(true); }

/* A poster says that it wants something before it tries, so one of the two sees it. */
void herald_session_unlock(void) {
    unlock();
    while (herald_unlikely(herald_session.wanted) && lock(false)) {
        if (atomic_exchange(&herald_session.wanted, false)) ((void (*)(void))herald_session.serve)();
        unlock();
    }
}

bool herald_session_try_lock(void (*serve)(void)) {
    if (!herald_does(TRY)) return lock(true);
    if (lock(false)) return true;
    if (!serve) return false;
    herald_session.serve = serve;
    herald_session.wanted = true;
    if (!lock(false)) return false;
    herald_session.wanted = false;
    return true;
}

/* Others may have waited at the door. */
void herald_session_in_child(void) {
    herald_session.door = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    herald_session_unlock();
}

void herald_session_note_problem(void) {
    snprintf(herald_session.problem, sizeof herald_session.problem, "%s", HeraldHostGetErrorDescription());
}

HeraldStatus herald_session_recall_problem(void) {
    return herald_complain(HeraldTransportFailed, "%s", herald_session.problem);
}

void herald_session_is_incomplete(void) {
    herald_session.incomplete = true;
    herald_session_note_problem();
}
