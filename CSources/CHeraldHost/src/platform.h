/* What every private file needs: hidden symbols, and memory that several processes change at once. */
#ifndef HERALD_HOST_PLATFORM_H
#define HERALD_HOST_PLATFORM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE, secure_getenv, open file description locks; before any system header */
#endif

#include <herald/host.h>
#include <herald/transport.h>
#include <stdatomic.h>

#if !defined(__linux__) || UINTPTR_MAX != UINT64_MAX || ATOMIC_LLONG_LOCK_FREE != 2 || ATOMIC_INT_LOCK_FREE != 2
#error "Herald is for 64-bit Linux, on processors with atomic operations of their own: processes share memory here."
#endif

#define herald_likely(x) __builtin_expect(!!(x), 1)
#define herald_unlikely(x) __builtin_expect(!!(x), 0)
#define HERALD_SLOW __attribute__((noinline, cold))
#define HERALD_LINE 64

/* Around what one private file offers the others. */
#define HERALD_BEGIN _Pragma("GCC visibility push(hidden)")
#define HERALD_END _Pragma("GCC visibility pop")

#endif
