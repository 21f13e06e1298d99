/* What the hooks of centers and tags have retained for posts that outlive their calls: held (R16) or kept (R25).
 *
 * A hook that answers with a handle of its own for each call shows whether what is delivered is still retained. The
 * contract leaves open how often one held post is retained, because its deliveries may share it: counts are not
 * compared. Checked is: a handle is released at most once, it is never delivered after that, none is left when nothing
 * is held, and none of a kept post that nobody can hear or take any more.
 */
#ifndef FUZZ_HANDLES_H
#define FUZZ_HANDLES_H

#include <stdbool.h>
#include <stddef.h>

/* How a pair of hooks keeps a userInfo or an object. */
enum handles_policy {
    HANDLES_NONE,    /* there is no hook */
    HANDLES_OWN,     /* each retain answers with a handle of its own */
    HANDLES_FOREVER, /* the same, without a hook that releases */
    HANDLES_SAME,    /* answers with the object */
    HANDLES_ALIAS    /* answers with the object's alias */
};

struct kept_post;

void handles_begin(void);

/* The hooks. */
const void *handles_retain_info(const void *thing);
const void *handles_retain_info_forever(const void *thing);
const void *handles_retain_object(const void *thing);
const void *handles_retain_object_forever(const void *thing);
const void *handles_retain_same(const void *thing);
const void *handles_retain_alias(const void *thing);
void handles_release(const void *handle);

/* Aborts unless `delivered` is what a held post must bring for `posted`. */
void handles_check(const char *what, const void *delivered, const void *posted, enum handles_policy policy);

/* Aborts if the handle has been released. Things that are no handles are not checked. */
void handles_check_retained(const char *what, const void *handle);

/* Says of which kept post a handle is. A thing that is no handle is ignored. */
void handles_give_to(const struct kept_post *post, const void *handle);

/* Aborts unless exactly those handles of kept posts are retained that may be, and all that must be. */
void handles_check_kept(bool (*must_be)(const struct kept_post *post), bool (*may_be)(const struct kept_post *post));

/* The number of handles of held posts, if each is of its own, and of everything, that have yet to be released. */
size_t handles_held_count(void);
size_t handles_count(void);

#endif
