/* What every private file needs from the compiler: hints, visibility, assertions. */
#ifndef HERALD_PLATFORM_H
#define HERALD_PLATFORM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv, pthread extensions; before any system header */
#endif

#ifdef HERALD_EXPLORE
#include "explore.h" /* Tests/Explore: each access to shared memory is a step of a controlled scheduler */
#endif

#include <herald/herald.h>
#include <herald/transport.h>

#if !defined(__linux__) || UINTPTR_MAX != UINT64_MAX
#error "Herald is for 64-bit Linux."
#endif

#define herald_likely(x) __builtin_expect(!!(x), 1)
#define herald_unlikely(x) __builtin_expect(!!(x), 0)
#define HERALD_INLINE static inline __attribute__((always_inline))
#define HERALD_SLOW __attribute__((noinline, cold))
#define HERALD_LINE 64

/* For a function that calls through a pointer of another function type: clang's sanitizer must not report the call. */
#ifdef __clang__
#define HERALD_ANY_FUNCTION __attribute__((no_sanitize("function")))
#else
#define HERALD_ANY_FUNCTION
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

/* Debug builds check for misuse where a check costs too much for a release build. */
#if defined(DEBUG) || (!defined(NDEBUG) && !defined(__OPTIMIZE__))
#define HERALD_DEBUG 1
#else
#define HERALD_DEBUG 0
#endif

HERALD_BEGIN
/* Prints the sentence on stderr and aborts. Called after a mistake, the caller's or ours, that leaves no sound way to
 * go on. */
void herald_abort(const char *sentence) __attribute__((noreturn, cold));
HERALD_END

#endif
