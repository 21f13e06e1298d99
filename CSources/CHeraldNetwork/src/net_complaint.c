/* Ordering, ownership: Each thread has its own complaint and its own `too_large`. Progress: Bounded. */
#include "net_platform.h"
#include <herald/transport.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local size_t too_large; /* the size of what the thread's newest complaint calls too large, or 0 */

static HeraldStatus write_complaint(HeraldStatus status, const char *format, va_list arguments) {
    char text[768];
    vsnprintf(text, sizeof text, format, arguments);
    return HeraldSetErrorDescription(status, text);
}

HeraldStatus herald_net_complain(HeraldStatus status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    too_large = 0;
    write_complaint(status, format, arguments);
    va_end(arguments);
    return status;
}

HeraldStatus herald_net_complain_of_size(size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    too_large = size;
    write_complaint(HeraldTooLarge, format, arguments);
    va_end(arguments);
    return HeraldTooLarge;
}

const char *HeraldNetworkGetErrorDescription(void) { return HeraldGetErrorDescription(); }

size_t HeraldNetworkGetErrorSize(void) { return too_large; }
