/* A subject: how NATS addresses a post. See the public header, SUBJECTS. */
#ifndef HERALD_NET_SUBJECT_H
#define HERALD_NET_SUBJECT_H

#include "net_platform.h"

enum {
    HERALD_NET_SUBJECT_MOST = 3800, /* a server reads lines of 4,096 bytes */
    HERALD_NET_SUBJECT_ROOM = HERALD_NET_SUBJECT_MOST + 1
};

HERALD_BEGIN
/* Whether a text can be the beginning of all subjects. */
bool herald_net_subject_is_prefix(const char *prefix);

/* Writes prefix.name, or prefix.name.%.object. Returns the length, without the NUL; 0: it would be too long. */
size_t herald_net_subject_write(char subject[HERALD_NET_SUBJECT_ROOM], const char *prefix, const char *name,
                                const char *object);

/* Reads the name and the object in a subject. Both have room for HERALD_NET_SUBJECT_ROOM bytes. False: the subject
 * cannot be a name's. */
bool herald_net_subject_read(const char *subject, const char *prefix, char *name, char *object, bool *has_object);
HERALD_END
#endif
