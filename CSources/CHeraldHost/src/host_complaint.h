/* A complaint: a sentence that says why a call failed. Each thread keeps its last complaint. */
#ifndef HERALD_HOST_COMPLAINT_H
#define HERALD_HOST_COMPLAINT_H

#include "host_platform.h"

HERALD_BEGIN
/* Writes the thread's complaint; returns the status. */
HeraldStatus herald_host_complain(HeraldStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
HeraldStatus herald_host_complain_of_memory(void) __attribute__((cold));
/* Prints the thread's complaint on stderr, for code without a caller to which it could return a status. */
void herald_host_complaint_print(void);
HERALD_END
#endif
