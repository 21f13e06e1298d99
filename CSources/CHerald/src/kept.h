/* What a center keeps (R25): the last kept post of each (name, object), and for registrations that begin with what is
 * kept (followers) the kept posts that they have still to hear. All of it belongs to the center's lock. Nothing here
 * runs user code.
 *
 *      cell (name, NULL) ── chain:  [post 7] -> [post 9] -> [ ]     the name's kept posts, for followers of any object
 *        |                             ^                     ^
 *        |                             place of a follower   place of one that has heard all; the end
 *      cell (name, object) ── chain: ...                           for followers of this object
 *
 * A follower keeps the links from its place on, and so the posts in them. The end has no post, so a follower that has
 * heard all keeps none. A chain without followers has no links.
 */
#ifndef HERALD_KEPT_H
#define HERALD_KEPT_H

#include "center.h"
#include "held.h"

struct herald_link {
    uint32_t references; /* followers whose place it is, the link before it, and the chain for its end */
    struct herald_link *next;
    struct herald_held *kept; /* NULL: it is the end */
};

struct herald_follower;
struct herald_chain {
    struct herald_link *end;           /* NULL: no follower */
    uint64_t count;                    /* how many posts it has had */
    uint64_t swept;                    /* what `count` was at the last sweep (follower.h) */
    struct herald_follower *followers; /* a list (ground_list.h) */
};

/* Exists while it keeps a post, is followed, or is the cell of a name with other cells. */
struct herald_cell {
    uint64_t hash;
    HeraldNameRef name;
    const void *object;
    const char *text; /* of an object that HeraldObjectForString makes. It is the object, or, if `object` is still NULL,
                         lies in the message that is kept. Otherwise NULL */
    struct herald_held *kept;    /* the newest; NULL: nothing is kept */
    struct herald_chain chain;   /* of posts of this name and object; in a name's cell, of this name and any object */
    struct herald_cell *of_name; /* the cell (name, NULL), which may be this one */
    struct herald_cell *older, *newer; /* the name's other cells that keep a post, in the order of these posts */
    /* In a name's cell: */
    struct herald_cell *oldest, *newest; /* the first and last of them, this cell included */
    uint32_t keeping;                    /* how many they are */
    uint32_t others;                     /* cells of the name with an object or a text */
};

struct herald_keeping {
    struct ground_table cells;
    uint64_t newest; /* number of the newest kept post */
    uint32_t count;  /* kept posts */
    uint32_t followers;
    struct herald_link *spare; /* links to be used again, linked by `next` */
    uint32_t spare_count;
};

HERALD_BEGIN
/* The cell for exactly this name and object. NULL if there is none and `made` is false, or if memory is out. A new cell
 * is freed by the next herald_kept_settle, unless it is in use by then. */
struct herald_cell *herald_kept_find(HeraldCenterRef center, HeraldNameRef name, const void *object, bool made);

/* Keeps a post, which nobody else has yet, and takes over the caller's reference: numbers it, puts it in the place of
 * what its cell keeps, and appends it to the chains that have followers. `*kept_by` becomes its cell. Fails with
 * HeraldOutOfMemory or HeraldQueueFull, and has then changed nothing. */
HeraldStatus herald_kept_put(HeraldCenterRef center, struct herald_held *held, bool was_suspended,
                             struct herald_cell **kept_by, struct herald_held **unused);

/* For a center over a transport, which keeps nothing itself: appends a post, which nobody else has yet, to the chains
 * that have followers. The post has its number; the caller's reference stays the caller's. `*followed` becomes the cell
 * of the post or, if there is no such cell, that of its name; NULL: nobody follows the name. Returns false if memory is
 * out, and has then changed nothing. */
bool herald_kept_link(HeraldCenterRef center, struct herald_held *held, struct herald_cell **followed,
                      struct herald_held **unused);

/* Forgets what the cell keeps. Returns false if it keeps nothing. */
bool herald_kept_forget(HeraldCenterRef center, struct herald_cell *cell, struct herald_held **unused);

/* Forgets everything, and frees center->keeping. There are no followers any more. */
void herald_kept_forget_all(HeraldCenterRef center, struct herald_held **unused);

/* Frees the cell if it is not in use. */
void herald_kept_settle(HeraldCenterRef center, struct herald_cell *cell);

/* Makes the chain ready for a follower. False when memory is out. */
bool herald_chain_prepare(struct herald_keeping *keeping, struct herald_chain *chain);

/* Moves a place on to the next link. */
void herald_chain_pass(struct herald_keeping *keeping, struct herald_link **place, struct herald_held **unused);

/* The same. Returns the post of the link that the place was at, with a reference. */
struct herald_held *herald_chain_take(struct herald_keeping *keeping, struct herald_link **place,
                                      struct herald_held **unused);

/* Gives up a place. */
void herald_chain_leave(struct herald_keeping *keeping, struct herald_link *place, struct herald_held **unused);

/* The object of a kept post, as its observers get it. Needs no lock. */
const void *herald_kept_object(const struct herald_held *held);
HERALD_END
#endif
