/* Ordering, ownership: The center's lock. Posts in hand belong to the loop. Progress: O(1) for each post. */
#include "net_queue.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OVERHEAD = 384 /* bytes of an outgoing post: its struct, and the message's struct and headers */ };

static bool set_type(natsMsg *message, const HeraldMessage *what) {
    return !what || !what->type || natsMsgHeader_Set(message, "Content-Type", what->type) == NATS_OK;
}

struct herald_net_outgoing *herald_net_outgoing_create(HeraldNameRef name, const char *subject,
                                                       const HeraldMessage *message, unsigned options) {
    struct herald_net_outgoing *outgoing = calloc(1, sizeof *outgoing);
    if (!outgoing) return NULL;
    size_t length = message ? message->length : 0;
    outgoing->name = name;
    outgoing->size = OVERHEAD + length + strlen(subject) + (message && message->type ? strlen(message->type) : 0);
    /* Without this mark an empty message would look like a plain post. */
    outgoing->is_message = message && !message->length && !message->type;
    outgoing->immediate = options & HeraldPostDeliverImmediately;
    natsStatus status = natsMsg_Create(&outgoing->message, subject, NULL, length ? message->bytes : NULL, (int)length);
    if (status == NATS_OK && set_type(outgoing->message, message)) return outgoing;
    herald_net_outgoing_destroy(outgoing);
    return NULL;
}

bool herald_net_outgoing_sign(struct herald_net_outgoing *outgoing, uint64_t sender) {
    char text[64];
    snprintf(text, sizeof text, "%016" PRIx64 " %" PRIu64 "%s%s", sender, outgoing->sequence,
             outgoing->is_message ? " message" : "", outgoing->immediate ? " now" : "");
    return natsMsgHeader_Set(outgoing->message, "Herald-Post", text) == NATS_OK;
}

void herald_net_outgoing_destroy(struct herald_net_outgoing *outgoing) {
    natsMsg_Destroy(outgoing->message);
    free(outgoing);
}

bool herald_net_queue_put(struct herald_net_queue *queue, struct herald_net_outgoing *outgoing,
                          struct herald_net_outlet *outlet) {
    if (queue->bytes + outgoing->size > queue->limit) return false; /* before the post gets a number: no gap is seen */
    outgoing->sequence = ++outlet->sequence;
    *queue->last = outgoing;
    queue->last = &outgoing->next;
    queue->bytes += outgoing->size;
    queue->taken++;
    return true;
}

void herald_net_queue_take(struct herald_net_queue *queue) {
    if (queue->in_hand) return;
    queue->in_hand = queue->first;
    queue->first = NULL;
    queue->last = &queue->first;
}

void herald_net_queue_drop(struct herald_net_queue *queue) {
    struct herald_net_outgoing *outgoing = queue->in_hand;
    queue->in_hand = outgoing->next;
    herald_net_outgoing_destroy(outgoing);
}
