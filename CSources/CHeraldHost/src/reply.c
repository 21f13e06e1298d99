/* Ordering, ownership: each client's thread has a reply of its own.
 * Progress: Sending waits for the client, and gives up when the client has not read for ten seconds.
 */
#include "reply.h"
#include "ground_utf8.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

void herald_host_reply_send(struct herald_host_reply *reply) {
    size_t done = 0;
    while (done < reply->used && !reply->broken) {
        ssize_t sent = send(reply->socket, reply->bytes + done, reply->used - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        struct pollfd waits = {reply->socket, POLLOUT, 0};
        if (sent > 0) {
            done += (size_t)sent;
        } else if (errno != EINTR) {
            reply->broken = errno != EAGAIN || poll(&waits, 1, HERALD_HOST_REPLY_STALL_MS) <= 0 ||
                            waits.revents & (POLLERR | POLLHUP);
        }
    }
    reply->used = 0;
}

/* At most as many bytes as the buffer has. */
static void put(struct herald_host_reply *reply, const void *bytes, size_t length) {
    if (length > sizeof reply->bytes - reply->used) herald_host_reply_send(reply);
    memcpy(reply->bytes + reply->used, bytes, length);
    reply->used += length;
}

/* `format` may use the number. */
static void put_short(struct herald_host_reply *reply, const char *format, uint64_t number) {
    char text[32];
    put(reply, text, (size_t)snprintf(text, sizeof text, format, number));
}

static void put_string(struct herald_host_reply *reply, const unsigned char *at) {
    if (!at) return put(reply, "null", 4);
    put(reply, "\"", 1);
    for (int length; *at; at += length ? length : 1) {
        length = ground_utf8_length(at);
        /* U+0080 to U+009F are control characters, too: some terminals obey them. */
        bool is_control = *at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0);
        if (!length || is_control || *at == '"' || *at == '\\') {
            put_short(reply, "\\u%04lx", !length ? 0xfffd : *at == 0xc2 ? at[1] : *at);
        } else {
            put(reply, at, (size_t)length);
        }
    }
    put(reply, "\"", 1);
}

static void put_value(struct herald_host_reply *reply, char directive, va_list *values) {
    uint64_t number;
    switch (directive) {
    case 's': return put_string(reply, va_arg(*values, const unsigned char *));
    case 'd': return put_short(reply, va_arg(*values, int) ? "true" : "false", 0);
    case 'p':
        number = (uint64_t)(uintptr_t)va_arg(*values, void *);
        return put_short(reply, number ? "\"0x%lx\"" : "null", number);
    default: return put_short(reply, "%lu", va_arg(*values, uint64_t));
    }
}

void herald_host_reply_add(struct herald_host_reply *reply, const char *format, ...) {
    va_list values;
    va_start(values, format);
    for (; *format; format++) {
        if (*format == '%') {
            put_value(reply, *++format, &values);
            if (*format == 'l') format++;
        } else {
            put(reply, *format == '\'' ? "\"" : format, 1);
        }
    }
    va_end(values);
}
