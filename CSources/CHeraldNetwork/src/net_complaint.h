/* A complaint: a sentence that says why a call has failed. Each thread keeps its newest one. */
#ifndef HERALD_NET_COMPLAINT_H
#define HERALD_NET_COMPLAINT_H

#include "net_platform.h"

HERALD_BEGIN
/* Writes this thread's complaint. Returns `status`. */
HeraldStatus herald_net_complain(HeraldStatus status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* Writes this thread's complaint, and notes `size` for HeraldNetworkGetErrorSize. Returns HeraldTooLarge. */
HeraldStatus herald_net_complain_of_size(size_t size, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
HERALD_END
#endif
