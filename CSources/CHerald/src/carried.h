/* Kept posts of a center over a transport (R25). The transport keeps them, and hands in what is kept and what is posted
 * later; the center keeps nothing itself. */
#ifndef HERALD_CARRIED_H
#define HERALD_CARRIED_H

#include "follower.h"

HERALD_BEGIN
/* Under no lock, after a follower that waits has been added: asks the transport for what it begins with. `text`: that
 * of its object, or NULL. */
void herald_carried_ask(HeraldCenterRef center, HeraldNameRef name, const char *text, uint64_t registration);

/* HeraldCenterTakeKept, HeraldCenterForget and HeraldCenterVisitKept. */
bool herald_carried_take(HeraldCenterRef center, HeraldNameRef name, const void *object,
                         void (*take)(void *context, const void *userInfo, const void *tag), void *context);
bool herald_carried_forget(HeraldCenterRef center, HeraldNameRef name, const void *object);
void herald_carried_visit(HeraldCenterRef center,
                          void (*visit)(void *context, HeraldNameRef name, const void *object, const void *userInfo,
                                        const void *tag),
                          void *context);
HERALD_END
#endif
