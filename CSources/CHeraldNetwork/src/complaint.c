/* Ordering, ownership: each thread has its own. Progress: bounded. */
#include "complaint.h"
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char complaint[768];

HeraldStatus herald_network_complain(HeraldStatus status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
    return status;
}

const char *HeraldNetworkGetErrorDescription(void) { return complaint; }
