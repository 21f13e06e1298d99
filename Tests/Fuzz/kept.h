/* The userInfos and objects that the centers' hooks have retained for held posts (R16).
 *
 * Each retain answers with a handle of its own, so that a delivery shows whether its userInfo is still retained. The
 * contract leaves open how often one post is retained, because its deliveries may share it: counts are not compared.
 * Three things are checked: a handle is released at most once, it is never delivered after that, and none is left when
 * nothing is held.
 */
#ifndef FUZZ_KEPT_H
#define FUZZ_KEPT_H

#include <stdbool.h>
#include <stddef.h>

void kept_begin(void);

/* The hooks; the ...Forever ones are for centers without a release hook. */
const void *kept_retain(const void *thing);
const void *kept_retain_forever(const void *thing);
void kept_release(const void *handle);

/* Aborts unless `delivered` is the handle that a held post must bring for `posted`. */
void kept_check(const char *what, const void *delivered, const void *posted, bool keeps);

/* The number of handles that have yet to be released. */
size_t kept_count(void);

#endif
