/* Ordering, ownership: each thread has its own. Progress: bounded. */
#include "complaint.h"
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char sentence[768];

HeraldStatus herald_complain(HeraldStatus status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return status;
}

HeraldStatus herald_complain_of_memory(void) { return herald_complain(HeraldOutOfMemory, "memory is out"); }

void herald_complaint_print(void) { fprintf(stderr, "herald: %s\n", sentence); }

const char *HeraldHostGetErrorDescription(void) { return sentence; }
