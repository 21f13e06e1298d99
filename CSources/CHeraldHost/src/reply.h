/* A reply: lines of JSON for a client of the inspector. They are collected in a buffer. The buffer is sent when it is
 * full, or when herald_host_reply_send is called. */
#ifndef HERALD_HOST_REPLY_H
#define HERALD_HOST_REPLY_H

#include "host_platform.h"

enum { HERALD_HOST_REPLY_BYTES = 32768, HERALD_HOST_REPLY_STALL_MS = 10000 };

struct herald_host_reply {
    int socket;
    bool broken; /* the client is gone, or does not read */
    size_t used;
    char bytes[HERALD_HOST_REPLY_BYTES];
};

HERALD_BEGIN
/* Adds a text. In the format, ' stands for a quotation mark, and these are the only directives. `%s` is a JSON string:
 * each byte that is not part of valid UTF-8 becomes U+FFFD. `%p` is an address as a JSON string, `%lu` a number, and
 * `%d` is true or false. NULL is null. An identifier is written as '%lu', a string, because identifiers may exceed
 * 2^53, beyond which JavaScript rounds numbers. */
void herald_host_reply_add(struct herald_host_reply *reply, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sends what was added. Waits for a slow client, and gives up when the client has read nothing for
 * HERALD_HOST_REPLY_STALL_MS. */
void herald_host_reply_send(struct herald_host_reply *reply);
HERALD_END
#endif
