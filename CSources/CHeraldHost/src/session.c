/* The session's lock.
 *
 * Ordering, progress, ownership: those of a mutex. Fork: the handlers of this library and of the core take their locks
 * in whatever order the linker has put them, so no thread ever has one of either kind and waits for one of the other.
 */
#include "session.h"
#include "complaint.h"
#include <stdio.h>

struct herald_session herald_session = {.looks = 1, .lock = PTHREAD_MUTEX_INITIALIZER};

void herald_session_lock(void) {
    int cancelable; /* the calls under the lock are cancellation points */
    pthread_setcancelstate(herald_does(CANCELLATION) ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE, &cancelable);
    pthread_mutex_lock(&herald_session.lock);
    herald_session.cancelable = cancelable;
}

void herald_session_unlock(void) {
    int cancelable = herald_session.cancelable;
    pthread_mutex_unlock(&herald_session.lock);
    pthread_setcancelstate(cancelable, NULL);
}

void herald_session_note_problem(void) {
    snprintf(herald_session.problem, sizeof herald_session.problem, "%s", HeraldHostGetErrorDescription());
}

void herald_session_is_incomplete(void) {
    herald_session.incomplete = true;
    herald_session_note_problem();
}
