/* Finds the first read of a message, so that a message is counted once, although each of its observers reads it. The
 * observers of one message are called one after the other, on one thread. So it is enough to compare with the message
 * that the thread has read last.
 *
 * Ordering, progress: Threads share nothing.
 * Ownership: Each thread has its own `newest`.
 */
#include "herald_runtime.h"

static __thread struct {
    HeraldNameRef name;
    uint64_t sequence, sender;
    bool is_undecodable;
} newest;

bool herald_swift_wire_is_new(HeraldNameRef name, const HeraldMessage *message, bool isUndecodable) {
    bool same = newest.name == name && newest.sequence == message->sequence && newest.sender == message->sender;
    bool is_new = !same || (isUndecodable && !newest.is_undecodable);
    newest.is_undecodable = isUndecodable || (same && newest.is_undecodable);
    newest.name = name;
    newest.sequence = message->sequence;
    newest.sender = message->sender;
    return is_new;
}
