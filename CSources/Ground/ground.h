/* What every private file of every library needs from the compiler: hints, visibility, the checks of the platform. */
#ifndef HERALD_GROUND_H
#define HERALD_GROUND_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv, O_TMPFILE, extensions of pthread; before any system header */
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__linux__) || defined(__ANDROID__) || UINTPTR_MAX != UINT64_MAX
#error "Herald is for 64-bit Linux."
#endif

#define herald_likely(x) __builtin_expect(!!(x), 1)
#define herald_unlikely(x) __builtin_expect(!!(x), 0)
#define HERALD_INLINE static inline __attribute__((always_inline))
#define HERALD_SLOW __attribute__((noinline, cold))
#define HERALD_LINE 64

/* With which sanitizer the file is compiled. */
#ifdef __has_feature
#define GROUND_HAS_FEATURE(feature) __has_feature(feature)
#else
#define GROUND_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || GROUND_HAS_FEATURE(thread_sanitizer)
#define HERALD_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__) || GROUND_HAS_FEATURE(address_sanitizer)
#define HERALD_ASAN 1
#endif

/* HERALD_BEGIN and HERALD_END enclose the declarations that one private file offers to the others. Such a declaration
 * has C linkage and is hidden. A pragma hides it, because a Swift package may not pass flags to the compiler. */
#define HERALD_HIDDEN _Pragma("GCC visibility push(hidden)")
#define HERALD_HIDDEN_END _Pragma("GCC visibility pop")
#ifdef __cplusplus
#define HERALD_BEGIN HERALD_HIDDEN extern "C" {
#define HERALD_END                                                                                                     \
    }                                                                                                                  \
    HERALD_HIDDEN_END
#define herald_static_assert static_assert
#else
#define HERALD_BEGIN HERALD_HIDDEN
#define HERALD_END HERALD_HIDDEN_END
#define herald_static_assert _Static_assert
#endif

#endif
