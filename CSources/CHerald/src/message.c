/* Messages: posts with bytes (R23).
 *
 * Ordering, progress: those of a post. Ownership: a message is the poster's, a held one the queue's (copy.c).
 *
 * This file runs hooks of transports, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "call.h"
#include "center.h"
#include "copy.h"
#include "memory.h"
#include "name.h"
#include "tag.h"
#include "turn.h"

bool HeraldMessageIsPossible(const HeraldMessage *message) {
    return message && herald_size_is_possible(message, message->size, sizeof *message) &&
           (message->bytes || !message->length) && herald_name_is_text(message->object) &&
           herald_name_is_text(message->type);
}

static HeraldStatus carry(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message) {
    const HeraldTransport *transport = &center->transport;
    if (!transport->postMessage) return HeraldInvalidArgument;
    if (transport->livesForever) {
        HERALD_HOOKS(hooks);
        return transport->postMessage(transport->context, center, name, message);
    }
    HERALD_USE_TRANSPORT(center);
    return transport->postMessage(transport->context, center, name, message);
}

static void restore_problem(HeraldStatus *before) { herald_copy_problem = *before; }

HeraldStatus HeraldCenterPostMessage(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message) {
    if (!center || !name || !HeraldMessageIsPossible(message)) return HeraldInvalidArgument;
    if (center->transport.size) return carry(center, name, message);
    HeraldMessage mine = *message; /* as this version knows it */
    mine.size = sizeof mine;
    mine.sequence = mine.missed = mine.sender = 0;
    /* Of a message that this one is posted in. */
    HeraldStatus before __attribute__((cleanup(restore_problem))) = herald_copy_problem;
    herald_copy_problem = HeraldOK;
    HeraldCenterDeliverMessage(center, name, &mine);
    return herald_copy_problem;
}

size_t HeraldCenterDeliverMessage(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message) {
    if (!message) return 0;
    const void *object = herald_name_find_object(message->object);
    return HeraldCenterDeliver(center, name, object, message, &herald_message_tag, message->options);
}

const HeraldMessage *HeraldGetCurrentMessage(void) {
    struct herald_current current = herald_tag_current();
    return current.tag == &herald_message_tag ? (const HeraldMessage *)current.userInfo : NULL;
}

bool HeraldCenterIsHeard(HeraldCenterRef center, HeraldNameRef name) {
    if (!center || !name) return false;
    const HeraldTransport *transport = &center->transport;
    if (!transport->size) return HeraldCenterHasObservers(center, name);
    if (!transport->isHeard) return true;
    if (transport->livesForever) {
        HERALD_HOOKS(hooks);
        return transport->isHeard(transport->context, center, name);
    }
    HERALD_USE_TRANSPORT(center);
    return transport->isHeard(transport->context, center, name);
}
