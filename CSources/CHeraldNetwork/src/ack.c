/* Ordering: The center's lock. Answers come nearly in the order of the posts, so the search for one is short.
 * What expires first is first: one that forgets has its time since it was put into the queue, and is sent when no
 * answer is awaited. Progress: O(1) for each answer that comes in order, and bounded for any other. Ownership: An
 * outgoing post that is awaited belongs to the list. Its message has been destroyed.
 */
#include "json.h"
#include "net.h"
#include <stdio.h>
#include <string.h>

void herald_net_acks_create(struct herald_net_acks *acks) { acks->last = &acks->first; }

void herald_net_ack_await(struct herald_net_center *network, struct herald_net_outgoing *outgoing) {
    struct herald_net_acks *acks = &network->acks;
    outgoing->next = NULL;
    if (!outgoing->due) outgoing->due = ground_deadline(HERALD_NET_QUESTION_SECONDS);
    *acks->last = outgoing;
    acks->last = &outgoing->next;
    acks->count++;
}

bool herald_net_acks_have_come(const struct herald_net_acks *acks, uint64_t taken) {
    return !acks->first || acks->first->place > taken;
}

/* Takes a post out of the list, and destroys it. `reason`: why it is not kept; NULL: it is kept. */
static void settle_ack(struct herald_net_center *network, struct herald_net_outgoing **link, const char *reason) {
    struct herald_net_outgoing *outgoing = *link;
    *link = outgoing->next;
    if (!outgoing->next) network->acks.last = link;
    network->acks.count--;
    if (outgoing->forgets) {
        herald_net_forgetting_end(network, outgoing, reason);
    } else if (reason) {
        network->counts.refused++;
        herald_net_tell(network, HeraldNetworkUnkept, outgoing->name, 1, "%s", reason);
    }
    herald_net_outgoing_destroy(outgoing);
    /* Posts, flushes and the end may wait for an answer. */
    if (network->gated || !network->acks.first || network->asked != network->flushed) herald_net_wake(network);
}

/* Why the stream has not stored the post, or NULL. */
static const char *read_ack(const struct herald_net_center *network, natsMsg *answer, char reason[256]) {
    struct herald_net_json all, error, value;
    if (natsMsg_IsNoResponders(answer)) return "no stream keeps it: HeraldNetworkCreateKept makes the stream";
    if (!herald_net_json_read(&all, natsMsg_GetData(answer), (size_t)natsMsg_GetDataLength(answer)))
        return "the server's answer cannot be read";
    if (herald_net_json_member(all, "error", &error)) {
        herald_net_json_reason(error, reason, 256);
        return reason;
    }
    if (!herald_net_json_member(all, "stream", &value) || !herald_net_json_is(value, network->stream.name))
        return "a stream of another name has stored it";
    return NULL;
}

void herald_net_ack_answer(struct herald_net_center *network, uint64_t number, natsMsg *answer) {
    char text[256];
    const char *reason = read_ack(network, answer, text);
    pthread_mutex_lock(&network->lock);
    for (struct herald_net_outgoing **link = &network->acks.first; *link; link = &(*link)->next) {
        if ((*link)->number != number) continue;
        settle_ack(network, link, reason);
        break;
    }
    pthread_mutex_unlock(&network->lock);
}

bool herald_net_ack_deny(struct herald_net_center *network, const char *subject, const char *reason) {
    for (struct herald_net_outgoing **link = &network->acks.first; *link; link = &(*link)->next) {
        if (strcmp((*link)->subject, subject) != 0) continue;
        settle_ack(network, link, reason);
        return true;
    }
    return false;
}

void herald_net_acks_fail(struct herald_net_center *network, const char *reason) {
    while (network->acks.first) settle_ack(network, &network->acks.first, reason);
}

void herald_net_acks_expire(struct herald_net_center *network) {
    while (network->acks.first && herald_net_is_due(network, network->acks.first->due))
        settle_ack(network, &network->acks.first, "the stream has not answered in time");
}
