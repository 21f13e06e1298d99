/* The C library's locks, as the core uses them. The first word of a mutex is its owner; 0: none. */
#include "run.h"

#include <errno.h>
#include <string.h>

static int owner_of(const void *lock) {
    int owner;
    memcpy(&owner, lock, sizeof owner);
    return owner;
}
static void set_owner(void *lock, int owner) { memcpy(lock, &owner, sizeof owner); }

static void take(pthread_mutex_t *mutex) {
    while (owner_of(mutex)) {
        if (owner_of(mutex) == run.current + 1) run_fail("a deadlock: the thread has this lock already");
        run_block(mutex);
    }
    set_owner(mutex, run.current + 1);
    memory_lock(mutex);
}

static void give_back(pthread_mutex_t *mutex) {
    memory_unlock(mutex);
    set_owner(mutex, 0);
    run_wake(mutex);
}

void explore_mutex_lock(pthread_mutex_t *mutex, const char *file, int line) {
    run_begin_step();
    take(mutex);
    run_note_step("lock", mutex, 0, file, line);
}

void explore_mutex_unlock(pthread_mutex_t *mutex, const char *file, int line) {
    run_begin_step();
    if (owner_of(mutex) != run.current + 1) run_fail("a lock is unlocked by a thread that has not got it");
    give_back(mutex);
    run_note_step("unlock", mutex, 0, file, line);
}

void explore_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const char *file, int line) {
    run_begin_step();
    run_note_step("wait", condition, 0, file, line);
    give_back(mutex);
    run_block(condition);
    take(mutex);
    run_note_step("woken", condition, 0, file, line);
}

/* The wait times out only if no other thread can go on, or the search chooses it. Otherwise a thread that no other
 * wakes stays blocked, and the run finds it.
 */
int explore_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const char *file, int line) {
    run_begin_step();
    run_note_step("wait for a time", condition, 0, file, line);
    give_back(mutex);
    bool out = choose(2, true) == 1 || !run_block_for_a_time(condition);
    take(mutex);
    run_note_step(out ? "the time is over" : "woken", condition, 0, file, line);
    return out ? ETIMEDOUT : 0;
}

void explore_cond_broadcast(pthread_cond_t *condition, const char *file, int line) {
    run_begin_step();
    run_note_step("broadcast", condition, 0, file, line);
    run_wake(condition);
}

enum { NOT_YET, RUNNING, DONE };

void explore_once(pthread_once_t *once, void (*function)(void), const char *file, int line) {
    run_begin_step();
    while (owner_of(once) == RUNNING) run_block(once);
    if (owner_of(once) == NOT_YET) {
        run_note_step("once", once, 0, file, line);
        set_owner(once, RUNNING);
        function();
        set_owner(once, DONE);
        memory_unlock(once);
        run_wake(once);
    } else {
        memory_acquire(once);
    }
}

/* ---- A thread's value, and its end ------------------------------------------------------------------------------- */

static void (*destroy)(void *); /* of the core's only key */
static const void *values[RUN_THREADS];

int explore_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    *key = 0;
    destroy = destructor;
    return 0;
}

int explore_setspecific(pthread_key_t key, const void *value) {
    (void)key;
    values[run.current] = value;
    return 0;
}

void *explore_getspecific(pthread_key_t key) {
    (void)key;
    return (void *)(uintptr_t)values[run.current];
}

void locks_thread_ends(void) {
    void *value = (void *)(uintptr_t)values[run.current];
    values[run.current] = NULL;
    if (value) destroy(value);
}

void locks_reset(void) { memset(values, 0, sizeof values); }

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

static void (*handlers[3])(void);

int explore_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    handlers[0] = prepare;
    handlers[1] = parent;
    handlers[2] = child;
    return 0;
}

void locks_run_fork_handlers(int which) { handlers[which](); }

/* ---- The rest ---------------------------------------------------------------------------------------------------- */

enum { QUERY = 0, PRIVATE_EXPEDITED = 1 << 3 };

/* The barrier reaches the threads one by one, each at some point of its work. */
long explore_membarrier(int command, const char *file, int line) {
    if (command == QUERY) return PRIVATE_EXPEDITED;
    if (command != PRIVATE_EXPEDITED) return 0;
    int self = run.current;
    run_begin_step();
    memory_fence(self);
    for (int i = 1; i < run.threads; i++) {
        if (i == self || run_is_over(i)) continue;
        run_begin_step();
        memory_fence(i);
        run_note_step("membarrier, at thread", NULL, (uint64_t)i, file, line);
    }
    memory_fence(self);
    return 0;
}

/* The patience of a handshake ends when the search chooses so, or no other thread can go on. */
bool explore_patience_is_out(void) {
    if (!run_has_others() || choose(2, true)) return true;
    run_give_way();
    return false;
}

void explore_nap(const char *file, int line) {
    run_begin_step();
    run_note_step("nap", NULL, 0, file, line);
    run_give_way();
}

const char *explore_getenv(const char *name) { return getenv(name); }
