/* An outlet: a name that a center posts, with its subject and the number of its last post. */
#ifndef HERALD_NET_OUTLET_H
#define HERALD_NET_OUTLET_H

#include "ground_table.h"
#include "net_platform.h"

struct herald_net_outlet {
    HeraldNameRef name;
    /* Kept posts and letters may be heard later than others, so they are counted apart. */
    uint64_t sequence, kept_sequence, letter_sequence;
    struct herald_net_letter *foremost, *hindmost; /* its letters (letter.h); NULL: none */
    char subject[];
};

HERALD_BEGIN
/* The outlets of one center are in a table, which ground_table_destroy frees. */
void herald_net_outlets_create(struct ground_table *outlets);
struct herald_net_outlet *herald_net_outlets_find(const struct ground_table *outlets, HeraldNameRef name);
/* Makes the outlet of a name that has none, with a copy of `subject`. NULL when memory is out. */
struct herald_net_outlet *herald_net_outlets_add(struct ground_table *outlets, HeraldNameRef name, const char *subject);
HERALD_END
#endif
