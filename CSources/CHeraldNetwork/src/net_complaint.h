/* A complaint: what went wrong, in a sentence that is the thread's own until its next. */
#ifndef HERALD_NETWORK_COMPLAINT_H
#define HERALD_NETWORK_COMPLAINT_H

#include "net_platform.h"

HERALD_BEGIN
/* Writes the thread's complaint; returns the status. */
HeraldStatus herald_net_complain(HeraldStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* HeraldTooLarge, of so many bytes. */
HeraldStatus herald_net_complain_of_size(size_t size, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
HERALD_END
#endif
