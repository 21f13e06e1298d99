/* A center's label, and its limit on the observers of one name. */
#ifndef HERALD_LABEL_H
#define HERALD_LABEL_H

#include "center.h"

HERALD_BEGIN
/* Under the center's lock: whether the name has more observers than the limit. True only once for each name. */
static inline bool herald_label_is_beyond(HeraldCenterRef center, struct herald_bucket *of_name) {
    size_t limit = center->observer_limit;
    if (herald_likely(!limit) || (size_t)of_name->live + of_name->objects <= limit || of_name->complained) return false;
    of_name->complained = true;
    return true;
}
/* Reports on stderr that the name has too many observers. The caller holds no lock. */
void herald_label_complain(HeraldCenterRef center, HeraldNameRef name, HeraldCallback callback, uint64_t registration);
HERALD_END
#endif
