/* A complaint: what went wrong, in a sentence that is the thread's own until its next. */
#ifndef HERALD_HOST_COMPLAINT_H
#define HERALD_HOST_COMPLAINT_H

#include "host_platform.h"

HERALD_BEGIN
/* Writes the thread's complaint; returns the status. */
HeraldStatus herald_host_complain(HeraldStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
HeraldStatus herald_host_complain_of_memory(void) __attribute__((cold));
/* Where no caller is there to receive it: prints the thread's complaint on stderr. */
void herald_host_complaint_print(void);
HERALD_END
#endif
