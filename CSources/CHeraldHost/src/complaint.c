/* Ordering, ownership: each thread has its own. Progress: bounded. */
#include "complaint.h"
#include "texts.h"
#include <stdarg.h>
#include <stdio.h>

HeraldStatus herald_complain(HeraldStatus status, const char *format, ...) {
    struct herald_texts *texts = herald_texts();
    if (!texts) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(texts->complaint, sizeof texts->complaint, format, arguments);
    va_end(arguments);
    return status;
}

HeraldStatus herald_complain_of_memory(void) { return herald_complain(HeraldOutOfMemory, "memory is out"); }

void herald_complaint_print(void) { fprintf(stderr, "herald: %s\n", HeraldHostGetErrorDescription()); }

const char *HeraldHostGetErrorDescription(void) {
    const struct herald_texts *texts = herald_texts_found();
    return texts ? texts->complaint : "";
}
