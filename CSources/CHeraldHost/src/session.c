/* The session's lock.
 *
 * Ordering, ownership: those of a mutex.
 * Progress: Once there is a segment, posters only try the lock, and never wait for it. A thread that waits for the lock
 * holds a second mutex in the meantime, the door. The watcher often wants the lock again as soon as it has released the
 * lock. The watcher then has to wait for the door, so the waiting thread goes first.
 * Fork: The linker decides whose fork handlers take their locks first, this library's or the core's. Therefore no
 * thread may hold a lock of one library while it waits for a lock of the other.
 */
#include "session.h"
#include "host_complaint.h"
#include <stdio.h>

struct herald_host_session herald_host_session = {
    .looks = 1, .door = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

static bool lock(bool wait) {
    int cancelable; /* cancellation is off under the lock, because some calls under the lock are cancellation points */
    pthread_setcancelstate(HERALD_HOST_STEP(CANCELLATION) ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE,
                           &cancelable);
    if (wait) {
        pthread_mutex_lock(&herald_host_session.door);
        pthread_mutex_lock(&herald_host_session.lock);
        pthread_mutex_unlock(&herald_host_session.door);
    } else if (pthread_mutex_trylock(&herald_host_session.lock) != 0) {
        pthread_setcancelstate(cancelable, NULL);
        return false;
    }
    herald_host_session.cancelable = cancelable;
    return true;
}

static void unlock(void) {
    int cancelable = herald_host_session.cancelable;
    pthread_mutex_unlock(&herald_host_session.lock);
    pthread_setcancelstate(cancelable, NULL);
}

void herald_host_session_lock(void) { lock(true); }

/* A poster sets `wanted` before it tries the lock for the last time. So either the poster gets the lock, or the thread
 * that unlocks here sees `wanted`. */
void herald_host_session_unlock(void) {
    unlock();
    while (herald_unlikely(herald_host_session.wanted) && lock(false)) {
        if (atomic_exchange(&herald_host_session.wanted, false)) ((void (*)(void))herald_host_session.serve)();
        unlock();
    }
}

void herald_host_session_wait(long nanoseconds) {
    int cancelable = herald_host_session.cancelable;
    herald_host_session.cancelable = PTHREAD_CANCEL_DISABLE;
    herald_host_session_unlock();
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
    herald_host_session_lock();
    herald_host_session.cancelable = cancelable;
}

bool herald_host_session_try_lock(void (*serve)(void)) {
    if (!HERALD_HOST_STEP(TRY)) return lock(true);
    if (lock(false)) return true;
    if (!serve) return false;
    herald_host_session.serve = serve;
    herald_host_session.wanted = true;
    if (!lock(false)) return false;
    herald_host_session.wanted = false;
    return true;
}

/* The door is made again, because another thread of the parent may have had it at the fork. */
void herald_host_session_in_child(void) {
    herald_host_session.door = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    herald_host_session_unlock();
}

void herald_host_session_note_problem(void) {
    snprintf(herald_host_session.problem, sizeof herald_host_session.problem, "%s", HeraldHostGetErrorDescription());
}

HeraldStatus herald_host_session_recall_problem(void) {
    return herald_host_complain(HeraldTransportFailed, "%s", herald_host_session.problem);
}

void herald_host_session_is_incomplete(void) {
    herald_host_session.incomplete = true;
    herald_host_session_note_problem();
}
