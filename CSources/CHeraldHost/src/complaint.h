/* What went wrong, in a sentence. */
#ifndef HERALD_HOST_COMPLAINT_H
#define HERALD_HOST_COMPLAINT_H

#include "platform.h"

HERALD_BEGIN
/* Makes the thread's sentence; returns the status. */
HeraldStatus herald_complain(HeraldStatus status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
HeraldStatus herald_complain_of_memory(void) __attribute__((cold));
/* For what nobody has called for: the thread's sentence goes to stderr. */
void herald_complaint_print(void);
HERALD_END
#endif
