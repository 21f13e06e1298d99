/* Exceptions, for scenarios in which hooks and callbacks throw. */
#include "scenarios.h"

namespace {
struct something {};
} // namespace

void throw_something(void) { throw something(); }

bool catches(void (*function)(void *), void *context) {
    try {
        function(context);
    } catch (const something &) {
        return true;
    }
    return false;
}
