/* What the libraries report to the sanitizers of a program. Often the program is compiled with a sanitizer, and the
 * library is not. Then the sanitizer sees the library's calls of the C library (its heap, its mutexes), and nothing
 * else. These functions report the rest. They are weak: in a program without the sanitizer their addresses are NULL. */
#ifndef HERALD_GROUND_SANITIZER_H
#define HERALD_GROUND_SANITIZER_H

#include "ground.h"

#define GROUND_WEAK __attribute__((weak, visibility("default")))
#ifdef __cplusplus
extern "C" {
#endif
void __lsan_register_root_region(const void *begin, size_t size) GROUND_WEAK;
void __lsan_unregister_root_region(const void *begin, size_t size) GROUND_WEAK;
#ifndef HERALD_TSAN
void __tsan_acquire(void *address) GROUND_WEAK;
void __tsan_release(void *address) GROUND_WEAK;
#endif
#ifdef __cplusplus
}
#endif

/* Whether a thread sanitizer watches a program whose copy of this library it cannot see into. (In a library that is
 * compiled with the thread sanitizer, the sanitizer sees each atomic. Then nothing is reported here, so that it finds
 * faults in the library.) */
HERALD_INLINE bool ground_is_watched(void) {
#ifdef HERALD_TSAN
    return false;
#else
    return herald_unlikely(__tsan_acquire != NULL);
#endif
}

/* An order that the library's own atomics make: what comes before the release of an address comes before the acquire of
 * this address that follows. The address is only a key, and is not read. It lies in memory of the heap, of a global
 * variable, or of a mapping: the sanitizer drops the key when the memory is freed. */
HERALD_INLINE void ground_watched_acquire(const void *key) {
#ifdef HERALD_TSAN
    (void)key;
#else
    if (ground_is_watched()) __tsan_acquire((void *)(uintptr_t)key);
#endif
}

HERALD_INLINE void ground_watched_release(const void *key) {
#ifdef HERALD_TSAN
    (void)key;
#else
    if (ground_is_watched()) __tsan_release((void *)(uintptr_t)key);
#endif
}

#endif
