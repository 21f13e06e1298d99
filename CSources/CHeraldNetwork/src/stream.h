/* The stream: where JetStream keeps the messages of a prefix. See the public header, KEPT MESSAGES. */
#ifndef HERALD_NET_STREAM_H
#define HERALD_NET_STREAM_H

#include "json.h"

enum { HERALD_NET_STREAM_ROOM = 256, HERALD_NET_ROOT_ROOM = HERALD_NETWORK_NAME_LIMIT + 16 };

struct herald_net_stream {
    char name[HERALD_NET_STREAM_ROOM];
    char kept[HERALD_NET_ROOT_ROOM];  /* what the subjects begin with to which kept messages are published */
    char heard[HERALD_NET_ROOT_ROOM]; /* what the subjects begin with to which the server republishes them */
    bool is_possible;                 /* false: the prefix is too long for a stream's name */
};

HERALD_BEGIN
void herald_net_stream_create(struct herald_net_stream *stream, const char *prefix);

/* The text that asks a server to make the stream. The caller frees it. NULL when memory is out. */
char *herald_net_stream_request(const struct herald_net_stream *stream, unsigned replicas);

/* Whether the `config` in a server's answer is that of a stream which does the same, with so many replicas or more. If
 * not, `*what` says what differs. */
bool herald_net_stream_is(const struct herald_net_stream *stream, struct herald_net_json config, unsigned replicas,
                          const char **what);
HERALD_END
#endif
