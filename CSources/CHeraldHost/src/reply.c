/* Ordering, ownership: each client's thread has a reply of its own.
 * Progress: Sending waits for the client, and gives up when the client has not read for ten seconds.
 */
#include "reply.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { PIECE = 1024 };

void herald_host_reply_send(struct herald_host_reply *reply) {
    size_t done = 0;
    while (done < reply->used && !reply->broken) {
        ssize_t sent = send(reply->socket, reply->bytes + done, reply->used - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            done += (size_t)sent;
            continue;
        }
        struct pollfd waits = {reply->socket, POLLOUT, 0};
        bool full = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if (sent < 0 && errno == EINTR) continue;
        if (!full || poll(&waits, 1, HERALD_HOST_REPLY_STALL_MS) <= 0 || waits.revents & (POLLERR | POLLHUP))
            reply->broken = true;
    }
    reply->used = 0;
}

static void make_room(struct herald_host_reply *reply) {
    if (reply->used + PIECE > sizeof reply->bytes) herald_host_reply_send(reply);
}

void herald_host_reply_add(struct herald_host_reply *reply, const char *format, ...) {
    va_list arguments;
    make_room(reply);
    va_start(arguments, format);
    int length = vsnprintf(reply->bytes + reply->used, PIECE, format, arguments);
    va_end(arguments);
    if (length > 0) reply->used += (size_t)length < PIECE ? (size_t)length : PIECE - 1;
}

/* Returns the length in bytes of the UTF-8 character at `at`, or 0 if no valid character begins there. */
static int length_of(const unsigned char *at) {
    int length = *at < 0x80                  ? 1
                 : *at >= 0xc2 && *at < 0xe0 ? 2
                 : *at >= 0xe0 && *at < 0xf0 ? 3
                 : *at >= 0xf0 && *at < 0xf5 ? 4
                                             : 0;
    /* The limits of the second byte exclude overlong forms, surrogates and numbers above U+10FFFF. */
    unsigned char low = *at == 0xe0 ? 0xa0 : *at == 0xf0 ? 0x90 : 0x80;
    unsigned char high = *at == 0xed ? 0x9f : *at == 0xf4 ? 0x8f : 0xbf;
    for (int i = 1; i < length; i++, low = 0x80, high = 0xbf)
        if (at[i] < low || at[i] > high) return 0;
    return length;
}

void herald_host_reply_text(struct herald_host_reply *reply, const char *text) {
    herald_host_reply_add(reply, "\"");
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int length = length_of(at);
        make_room(reply);
        if (length == 0) {
            herald_host_reply_add(reply, "\\ufffd");
        } else if (*at < 0x20 || *at == 0x7f || *at == '"' || *at == '\\') {
            herald_host_reply_add(reply, "\\u%04x", *at);
        } else if (*at == 0xc2 && at[1] < 0xa0) { /* control characters U+0080 to U+009F: some terminals obey them */
            herald_host_reply_add(reply, "\\u%04x", at[1]);
        } else {
            memcpy(reply->bytes + reply->used, at, (size_t)length);
            reply->used += (size_t)length;
        }
        at += length ? length : 1;
    }
    herald_host_reply_add(reply, "\"");
}
