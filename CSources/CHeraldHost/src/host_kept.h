/* What the host center keeps: hooks of its transport, and registrations that begin with what is kept. */
#ifndef HERALD_HOST_KEPT_H
#define HERALD_HOST_KEPT_H

#include "host_name.h"
#include "log.h"

/* A registration that begins with what is kept, and what that is. */
struct herald_host_beginning {
    struct herald_host_beginning *next;
    HeraldNameRef name;
    HeraldToken token;
    HeraldStatus status;
    struct herald_host_received *first; /* the kept messages, the oldest first */
    uint32_t count;
    bool has_state; /* the name has a state, which is kept, too */
    uint64_t state;
    bool is_about_object; /* `object` is the text of its object */
    char object[];
};

HERALD_BEGIN
/* Hooks of the transport (transport.h). */
void herald_host_kept_begin(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                            HeraldToken token);
bool herald_host_kept_take(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                           void (*take)(void *taken, const HeraldMessage *message), void *taken);
void herald_host_kept_visit(void *context, HeraldCenterRef center,
                            void (*visit)(void *visited, HeraldNameRef name, const HeraldMessage *message),
                            void *visited);

/* Takes out the next beginning, and reads what it begins with. NULL: there is none. Under the session's lock. */
struct herald_host_beginning *herald_host_kept_next(void);
bool herald_host_kept_has_more(void);
/* Puts it back, to be handed in once more: in the child of a fork. Does nothing for NULL. */
void herald_host_kept_put_back(struct herald_host_beginning *beginning);
/* A second has passed: beginnings that have failed are tried again. Under the session's lock. */
void herald_host_kept_try_again(void);
/* Hands it in. Not under the lock. */
void herald_host_kept_hand_in(HeraldCenterRef center, const struct herald_host_beginning *beginning);
/* After that: frees it, or keeps it to be tried again if it has failed. Not under the lock. */
void herald_host_kept_end(struct herald_host_beginning *beginning);
HERALD_END
#endif
