/* Ordering, ownership: each thread has its own text. Progress: bounded. */
#include "host_complaint.h"
#include "texts.h"
#include <stdarg.h>
#include <stdio.h>

HeraldStatus herald_host_complain(HeraldStatus status, const char *format, ...) {
    struct herald_host_texts *texts = herald_host_texts();
    if (!texts) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(texts->complaint, sizeof texts->complaint, format, arguments);
    va_end(arguments);
    return status;
}

HeraldStatus herald_host_complain_of_memory(void) { return herald_host_complain(HeraldOutOfMemory, "out of memory"); }

void herald_host_complaint_print(void) { fprintf(stderr, "herald: %s\n", HeraldHostGetErrorDescription()); }

const char *HeraldHostGetErrorDescription(void) {
    const struct herald_host_texts *texts = herald_host_texts_found();
    return texts ? texts->complaint : "";
}
