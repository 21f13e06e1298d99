/* A complaint: a sentence about what went wrong. It belongs to the thread, until the thread's next complaint. */
#ifndef HERALD_HOST_COMPLAINT_H
#define HERALD_HOST_COMPLAINT_H

#include "host_platform.h"

HERALD_BEGIN
/* Writes the thread's complaint; returns the status. */
HeraldStatus herald_host_complain(HeraldStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
HeraldStatus herald_host_complain_of_memory(void) __attribute__((cold));
/* Prints the thread's complaint on stderr. For code that has no caller to return a status to. */
void herald_host_complaint_print(void);
HERALD_END
#endif
