/* A subject: how NATS addresses a post. See the public header, SUBJECTS. */
#ifndef HERALD_NET_SUBJECT_H
#define HERALD_NET_SUBJECT_H

#include "net_platform.h"

enum {
    HERALD_NET_SUBJECT_MOST = 3800, /* a NATS server accepts lines of at most 4,096 bytes */
    HERALD_NET_SUBJECT_ROOM = HERALD_NET_SUBJECT_MOST + 1
};

HERALD_BEGIN
/* Whether a center can put this text before all its subjects. */
bool herald_net_subject_is_prefix(const char *prefix);

/* Writes prefix.name, or prefix.name.%.object. Returns the length without the NUL, or 0 if the subject would be too
 * long. */
size_t herald_net_subject_write(char subject[HERALD_NET_SUBJECT_ROOM], const char *prefix, const char *name,
                                const char *object);

/* Reads the name and the object from a subject. Both buffers have HERALD_NET_SUBJECT_ROOM bytes. Returns false if no
 * name can have this subject with this prefix. */
bool herald_net_subject_read(const char *subject, const char *prefix, char *name, char *object, bool *has_object);
HERALD_END
#endif
