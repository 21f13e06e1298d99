/* A complaint: a sentence about what went wrong, which is the thread's own until its next one. */
#ifndef HERALD_HOST_COMPLAINT_H
#define HERALD_HOST_COMPLAINT_H

#include "host_platform.h"

HERALD_BEGIN
/* Writes the thread's complaint; returns the status. */
HeraldStatus herald_host_complain(HeraldStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
HeraldStatus herald_host_complain_of_memory(void) __attribute__((cold));
/* Prints the thread's complaint on stderr, where there is no caller to receive it. */
void herald_host_complaint_print(void);
HERALD_END
#endif
