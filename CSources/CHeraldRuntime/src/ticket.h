/* The ticket of a post that waits, for the callbacks that fill mailboxes. */
#ifndef HERALD_SWIFT_TICKET_H
#define HERALD_SWIFT_TICKET_H

#include "herald_runtime.h"

/* A callback that fills a mailbox begins: is this the post that has the ticket? Give the result to
 * herald_swift_ticket_leave when the callback ends. */
bool herald_swift_ticket_reach(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *payload);
void herald_swift_ticket_leave(bool before);

#endif
