/* The public functions. Each calls the first copy's function, or its own if this copy is the first (R22). The functions
 * that post are in post.c and message.c.
 *
 * Ordering, progress, ownership: those of the function that is called.
 *
 * Observers and hooks run in some of these calls, so this file is compiled with unwinding (see unwinding.cpp) and is
 * valid C and C++.
 */
#include "first.h"

#define ENTRY_POINT(result, name, parameters, arguments)                                                               \
    result name parameters {                                                                                           \
        const struct herald_functions *first = herald_first_elsewhere();                                               \
        if (herald_unlikely(first != NULL)) return first->name arguments;                                              \
        return herald_own_##name arguments;                                                                            \
    }

HERALD_ENTRY_POINTS(ENTRY_POINT)
