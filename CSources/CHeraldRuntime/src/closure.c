/* Swift closures that C keeps. Each function takes a closure in two words, as Swift passes it, and retains the context
 * that the closure has captured. Each type of closure has its own function, because in Swift a symbol has one type (see
 * Closure.swift). */
#include "herald_runtime.h"
#include "swift.h"

#define CLOSE(name)                                                                                                    \
    SWIFT struct herald_swift_closure herald_swift_close_##name(const void *function, const void *context);            \
    SWIFT struct herald_swift_closure herald_swift_close_##name(const void *function, const void *context) {           \
        swift_retain((void *)context);                                                                                 \
        return (struct herald_swift_closure){function, context};                                                       \
    }

CLOSE(message)
CLOSE(owner_and_message)
CLOSE(main_actor_message)
CLOSE(owner_and_main_actor_message)
CLOSE(notice)
CLOSE(owner_and_notice)
CLOSE(while)
