/* Ordering, ownership: each thread has its own text. Progress: bounded. */
#include "host_complaint.h"
#include <herald/transport.h>
#include <stdarg.h>
#include <stdio.h>

HeraldStatus herald_host_complain(HeraldStatus status, const char *format, ...) {
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return HeraldSetErrorDescription(status, text);
}

HeraldStatus herald_host_complain_of_memory(void) { return herald_host_complain(HeraldOutOfMemory, "out of memory"); }

void herald_host_complaint_print(void) { fprintf(stderr, "herald: %s\n", HeraldHostGetErrorDescription()); }

const char *HeraldHostGetErrorDescription(void) { return HeraldGetErrorDescription(); }
