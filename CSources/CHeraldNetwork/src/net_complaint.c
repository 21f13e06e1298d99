/* Ordering, ownership: Each thread has its own complaint and its own `too_large`. Progress: Bounded. */
#include "net_platform.h"
#include <herald/transport.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local size_t too_large; /* the size of what the thread's newest complaint calls too large, or 0 */

HeraldStatus herald_net_complain_of(HeraldStatus status, size_t size, const char *format, ...) {
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    too_large = size;
    return HeraldSetErrorDescription(status, text);
}

const char *HeraldNetworkGetErrorDescription(void) { return HeraldGetErrorDescription(); }

size_t HeraldNetworkGetErrorSize(void) { return too_large; }
