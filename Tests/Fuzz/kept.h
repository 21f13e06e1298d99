/* What the centers' hooks have kept for held posts (R16).
 *
 * Each retain answers with a handle of its own, so that a delivery shows whether what it brings is still kept. The
 * contract leaves open how often one post is retained, for it may be shared by its deliveries: counts are not compared.
 * Compared are: a handle is released at most once, never delivered after that, and none is left when nothing is held.
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

/* Aborts unless `delivered` is what a held post must bring for `posted`. */
void kept_check(const char *what, const void *delivered, const void *posted, bool keeps);

/* How many handles are owed a release. */
size_t kept_count(void);

#endif
