/* What every private file of the core needs: ground.h, the public headers, and assertions. */
#ifndef HERALD_PLATFORM_H
#define HERALD_PLATFORM_H

#include "ground.h"

#ifdef HERALD_EXPLORE
#include "explore.h" /* Tests/Explore: each access to shared memory is a step of a controlled scheduler */
#endif

#include <herald/herald.h>
#include <herald/transport.h>

/* For a function that calls through a pointer of another function type: clang's sanitizer must not report the call. */
#ifdef __clang__
#define HERALD_ANY_FUNCTION __attribute__((no_sanitize("function")))
#else
#define HERALD_ANY_FUNCTION
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
