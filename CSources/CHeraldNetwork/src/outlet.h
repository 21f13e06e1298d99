/* An outlet: a name that a center posts, with its subject and the number of its last post. */
#ifndef HERALD_NET_OUTLET_H
#define HERALD_NET_OUTLET_H

#include "net_platform.h"

struct herald_net_outlet {
    HeraldNameRef name;
    uint64_t sequence;
    struct herald_net_outlet *next; /* in its chain */
    char subject[];
};

/* The outlets of one center, found by name. They are freed with the center. */
struct herald_net_outlets {
    struct herald_net_outlet **chains;
    uint32_t room, count;
};

HERALD_BEGIN
/* Finds the name's outlet, or makes it with a copy of `subject`. NULL when memory is out. */
struct herald_net_outlet *herald_net_outlets_obtain(struct herald_net_outlets *outlets, HeraldNameRef name,
                                                    const char *subject);
struct herald_net_outlet *herald_net_outlets_find(const struct herald_net_outlets *outlets, HeraldNameRef name);
void herald_net_outlets_destroy(struct herald_net_outlets *outlets);
HERALD_END
#endif
