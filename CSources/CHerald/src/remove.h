/* The end of all registrations of a center, or of a bucket. */
#ifndef HERALD_REMOVE_H
#define HERALD_REMOVE_H

#include "center.h"

HERALD_BEGIN
/* Ends every registration of a closed center, as any removal does. Running posts skip the registrations that they
 * have not called yet. Hooks and callbacks that still run may post to the center, add and remove, but without effect.
 */
void herald_remove_all(HeraldCenterRef center);

/* Ends the registration that the token names. `center` is the token's, and may be closed. `wait`: as AndWait. Returns
 * whether it was there. */
bool herald_remove_token(HeraldCenterRef center, HeraldToken token, bool wait);

/* Ends every registration in the bucket. `ends`: the bucket belongs to a topic without a name, and ends, too. */
void herald_remove_in_bucket(HeraldCenterRef center, struct herald_bucket *bucket, bool ends);
HERALD_END
#endif
