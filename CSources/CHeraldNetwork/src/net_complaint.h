/* A complaint: what went wrong, in a sentence that belongs to the thread until its next one. */
#ifndef HERALD_NET_COMPLAINT_H
#define HERALD_NET_COMPLAINT_H

#include "net_platform.h"

HERALD_BEGIN
/* Writes the thread's complaint; returns the status. */
HeraldStatus herald_net_complain(HeraldStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* Writes the thread's complaint, with the size of what is too large; returns HeraldTooLarge. */
HeraldStatus herald_net_complain_of_size(size_t size, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
HERALD_END
#endif
