/* A subject: how NATS addresses a post. See the public header, SUBJECTS. */
#ifndef HERALD_NETWORK_SUBJECT_H
#define HERALD_NETWORK_SUBJECT_H

#include "net_platform.h"

enum {
    HERALD_NET_SUBJECT_MOST = 3800, /* a server reads lines of 4,096 bytes */
    HERALD_NET_SUBJECT_ROOM = HERALD_NET_SUBJECT_MOST + 1
};

HERALD_BEGIN
/* Whether a text can be what all subjects begin with. */
bool herald_net_subject_is_prefix(const char *prefix);

/* Writes prefix.name, or prefix.name.%.object. Returns the length, without the NUL; 0: it would be too long. */
size_t herald_net_subject_write(char subject[HERALD_NET_SUBJECT_ROOM], const char *prefix, const char *name,
                                const char *object);

/* What a subject says. `name` and `object` have room for HERALD_NET_SUBJECT_ROOM bytes. False: it is no name's. */
bool herald_net_subject_read(const char *subject, const char *prefix, char *name, char *object, bool *has_object);
HERALD_END
#endif
