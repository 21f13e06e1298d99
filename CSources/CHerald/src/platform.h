/* What every private file needs of the compiler: hints, visibility, assertions. */
#ifndef HERALD_PLATFORM_H
#define HERALD_PLATFORM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv, pthread extensions; before any system header */
#endif

#ifdef HERALD_EXPLORE
#include "explore.h" /* Tests/Explore: what threads share becomes steps of a controlled scheduler */
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

/* A call through a pointer of another type, which clang's sanitizer would report. */
#ifdef __clang__
#define HERALD_ANY_FUNCTION __attribute__((no_sanitize("function")))
#else
#define HERALD_ANY_FUNCTION
#endif

/* Around what one private file offers the others: hidden, by pragma because a package may not pass flags, and C. */
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

/* Debug builds check for misuse that a release build cannot afford to look for. */
#if defined(DEBUG) || (!defined(NDEBUG) && !defined(__OPTIMIZE__))
#define HERALD_DEBUG 1
#else
#define HERALD_DEBUG 0
#endif

HERALD_BEGIN
/* A caller's or our own mistake after which nothing sound can be done: prints the sentence on stderr and aborts. */
void herald_abort(const char *sentence) __attribute__((noreturn, cold));
HERALD_END

#endif
