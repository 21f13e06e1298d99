/* Everything that threads share, as steps of a controlled scheduler. The core built with HERALD_EXPLORE includes this
 * file in place of atomics, the C library's threads and its heap. See Tests/Explore/README.md.
 *
 * platform.h includes it before anything else of the core's. A normal build does not include it.
 */
#ifndef HERALD_EXPLORE_H
#define HERALD_EXPLORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

enum explore_order { EXPLORE_RELAXED, EXPLORE_ACQUIRE, EXPLORE_RELEASE };

/* The position of a step in the sources. */
#define EXPLORE_HERE __FILE__, __LINE__

uint64_t explore_load(const volatile void *at, size_t size, enum explore_order order, const char *file, int line);
void explore_store(volatile void *at, size_t size, uint64_t value, enum explore_order order, const char *file,
                   int line);
uint64_t explore_add(volatile void *at, size_t size, uint64_t value, bool ordered, const char *file,
                     int line); /* returns the old value */
uint64_t explore_exchange(volatile void *at, size_t size, uint64_t value, const char *file, int line);
bool explore_compare_exchange(volatile void *at, size_t size, void *before, uint64_t value, const char *file, int line);
void explore_look_at(const volatile void *at, const char *file, int line);
void explore_fence(const char *file, int line);

#define EXPLORE_LOAD(p, order) ((__typeof__(*(p)))explore_load((p), sizeof *(p), order, EXPLORE_HERE))
#define EXPLORE_STORE(p, v, order) explore_store((p), sizeof *(p), (uint64_t)(v), order, EXPLORE_HERE)
#define load_relaxed(p) EXPLORE_LOAD(p, EXPLORE_RELAXED)
#define load_acquire(p) EXPLORE_LOAD(p, EXPLORE_ACQUIRE)
#define store_relaxed(p, v) EXPLORE_STORE(p, v, EXPLORE_RELAXED)
#define store_release(p, v) EXPLORE_STORE(p, v, EXPLORE_RELEASE)
#define EXPLORE_ADD(p, v, ordered)                                                                                     \
    ((__typeof__(*(p)))explore_add((p), sizeof *(p), (uint64_t)(v), ordered, EXPLORE_HERE))
#define add_relaxed(p, v) EXPLORE_ADD(p, v, false)
#define add_full(p, v) EXPLORE_ADD(p, v, true)
#define sub_acq_rel(p, v) EXPLORE_ADD(p, 0 - (uint64_t)(v), true)
#define exchange_full(p, v) ((__typeof__(*(p)))explore_exchange((p), sizeof *(p), (uint64_t)(v), EXPLORE_HERE))
#define compare_exchange_full(p, before, v)                                                                            \
    explore_compare_exchange((p), sizeof *(p), (before), (uint64_t)(v), EXPLORE_HERE)
#define fence_full() explore_fence(EXPLORE_HERE)

/* Each explored thread has its own. */
struct herald_thread;
struct herald_activity;
struct herald_guard;
struct explore_local {
    struct herald_thread *self;
    struct herald_activity *activity;
    struct herald_guard *guard;
};
struct explore_local *explore_local(void);

/* The step that the core leaves out in this run; the numbers are those of order.h. */
extern int explore_mutation;

void explore_mutex_lock(pthread_mutex_t *mutex, const char *file, int line);
void explore_mutex_unlock(pthread_mutex_t *mutex, const char *file, int line);
void explore_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const char *file, int line);
int explore_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const char *file, int line);
void explore_cond_broadcast(pthread_cond_t *condition, const char *file, int line);
void explore_once(pthread_once_t *once, void (*function)(void), const char *file, int line);
int explore_key_create(pthread_key_t *key, void (*destroy)(void *));
int explore_setspecific(pthread_key_t key, const void *value);
void *explore_getspecific(pthread_key_t key);
int explore_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
long explore_membarrier(int command, const char *file, int line);
bool explore_patience_is_out(void);
void explore_nap(const char *file, int line);
void *explore_allocate(size_t alignment, size_t size, bool zero);
void *explore_reallocate(void *memory, size_t size);
void explore_free(void *memory);
const char *explore_getenv(const char *name);
void explore_set(const void *set, bool changes, const char *file, int line);

#ifdef __cplusplus
}
#endif

#ifdef HERALD_EXPLORE
#include <ck_hs.h>
/* The look-up is one step. The map that it has read must still be there afterwards. */
#define ck_hs_get(set, hash, key)                                                                                      \
    ({                                                                                                                 \
        explore_set(set, false, EXPLORE_HERE);                                                                         \
        const void *map_ = (set)->map;                                                                                 \
        void *found_ = (ck_hs_get)(set, hash, key);                                                                    \
        explore_look_at(map_, EXPLORE_HERE);                                                                           \
        found_;                                                                                                        \
    })
#define ck_hs_put(set, hash, key) (explore_set(set, true, EXPLORE_HERE), (ck_hs_put)(set, hash, key))
#define ck_hs_remove(set, hash, key) (explore_set(set, true, EXPLORE_HERE), (ck_hs_remove)(set, hash, key))
#define pthread_mutex_lock(m) explore_mutex_lock(m, EXPLORE_HERE)
#define pthread_mutex_unlock(m) explore_mutex_unlock(m, EXPLORE_HERE)
#define pthread_cond_wait(c, m) explore_cond_wait(c, m, EXPLORE_HERE)
#define pthread_cond_timedwait(c, m, unused) ((void)(unused), explore_cond_timedwait(c, m, EXPLORE_HERE))
#define pthread_cond_broadcast(c) explore_cond_broadcast(c, EXPLORE_HERE)
#define pthread_cond_signal(c) explore_cond_broadcast(c, EXPLORE_HERE)
#define pthread_cond_init(c, unused) ((void)(c))
#define pthread_cond_destroy(c) ((void)(c))
#define pthread_once(o, f) explore_once(o, f, EXPLORE_HERE)
#define pthread_key_create(k, d) explore_key_create(k, d)
#define pthread_setspecific(k, v) explore_setspecific(k, v)
#define pthread_getspecific(k) explore_getspecific(k)
#define pthread_setcancelstate(state, before) ((void)(before))
#define pthread_atfork(a, b, c) explore_atfork(a, b, c)
#define syscall(number, command, ...) explore_membarrier(command, EXPLORE_HERE)
#define nanosleep(nap, unused) ((void)(nap), explore_nap(EXPLORE_HERE))
#define malloc(size) explore_allocate(16, size, false)
#define calloc(count, size) explore_allocate(16, (count) * (size), true)
#define aligned_alloc(alignment, size) explore_allocate(alignment, size, false)
#define realloc(memory, size) explore_reallocate(memory, size)
#define free(memory) explore_free(memory)
#define clock_gettime(clock, time) (*(time) = (struct timespec){0, 0})
#define secure_getenv(name) explore_getenv(name)
/* The hash seed is the same in every run. */
#define getrandom(bytes, size, flags) ((void)(flags), __builtin_memset(bytes, 7, size), (ssize_t)(size))
#endif

#endif
