/* Observers of the names under a prefix: see the core's under.c. */
#include "host_complaint.h"
#include "layout.h"
#include <herald/transport.h>
#include <string.h>

HeraldStatus HeraldHostAddObserverUnder(const void *observer, HeraldCallback callback, const char *prefix,
                                        const HeraldObserverOptions *options, HeraldToken *token) {
    if (token) *token = (HeraldToken){0, 0};
    size_t length = prefix ? strnlen(prefix, HERALD_HOST_NAME_LIMIT) : 0;
    if (!length || length >= HERALD_HOST_NAME_LIMIT || prefix[length - 1] == '.')
        return herald_host_complain(HeraldInvalidArgument,
                                    "a prefix has 1 to 511 bytes, and does not end with the dot that follows it");
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    if (!host) return herald_host_complain_of_memory();
    HeraldStatus status = HeraldCenterAddObserverUnder(host, observer, callback, prefix, options, NULL, NULL, token);
    if (status == HeraldOutOfMemory) return herald_host_complain_of_memory();
    if (status == HeraldInvalidArgument)
        return herald_host_complain(status, "a callback is needed, and options of a possible size");
    return status;
}
