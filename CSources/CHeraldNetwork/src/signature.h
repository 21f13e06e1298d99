/* The signature: the header Herald-Post, which says who has posted, and which of its posts of the name this is. See the
 * public header, SUBJECTS. */
#ifndef HERALD_NET_SIGNATURE_H
#define HERALD_NET_SIGNATURE_H

#include "net_platform.h"

enum { HERALD_NET_SIGNATURE_ROOM = 64 };

HERALD_BEGIN
void herald_net_signature_write(char text[HERALD_NET_SIGNATURE_ROOM], uint64_t sender, uint64_t sequence,
                                bool is_message, bool is_immediate);
/* Reads `sender`, `sequence` and `options` of a message. `*is_message`: it is a message although it has neither bytes
 * nor a type. False: another program has written something else. Then the sender and the sequence are 0. */
bool herald_net_signature_read(const char *text, HeraldMessage *message, bool *is_message);
/* Whether the object and the type of a message that came in are UTF-8. HeraldMessageIsPossible would leave an error
 * that is of no call (R15). */
bool herald_net_is_text(const HeraldMessage *message);
HERALD_END
#endif
