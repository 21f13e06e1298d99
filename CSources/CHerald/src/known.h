/* What a follower over a transport (follower.h) has heard: for each object the number of the newest kept post. A
 * transport's posts may be handed in twice, once among what the follower begins with and once live. By these numbers
 * the follower skips a post that is not newer. Transports name objects by texts. All of it belongs to the center's
 * lock, or to a thread that has not given it to a follower yet. */
#ifndef HERALD_KNOWN_H
#define HERALD_KNOWN_H

#include "held.h" /* first: the explorer has a heap of its own */
#include "ground_table.h"

struct herald_known {
    struct ground_table objects;
    uint64_t newest; /* the highest number of all; 0: nothing is known */
    uint64_t all_to; /* every object counts as heard up to this number, because there was no room to remember more */
};

HERALD_BEGIN
/* Notes the number of a post. Returns false if memory is out, or if more than `most` objects would be known. */
bool herald_known_put(struct herald_known *known, const struct herald_held *held, uint64_t most);

/* Notes the number of a post, also if there is no room. Then every object counts as heard up to this number. */
void herald_known_put_or_forget(struct herald_known *known, const struct herald_held *held, uint64_t most);

/* Whether a post of the same object with the same or a higher number is known. */
bool herald_known_has(const struct herald_known *known, const struct herald_held *held);

/* Forgets everything, and frees the memory. */
void herald_known_clear(struct herald_known *known);

/* The text of a post's object; NULL: the post has no object that a transport could name. */
const char *herald_known_text(const struct herald_held *held);
HERALD_END
#endif
