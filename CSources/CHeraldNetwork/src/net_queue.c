/* Ordering, ownership: The center's lock. Posts in hand belong to the loop. Progress: O(1) for each post. */
#include "net_queue.h"
#include "signature.h"
#include <stdlib.h>
#include <string.h>

enum { OVERHEAD = 384 /* bytes of an outgoing post: its struct, and the message's struct and headers */ };

static bool set_type(natsMsg *message, const HeraldMessage *what) {
    return !what || !what->type || natsMsgHeader_Set(message, "Content-Type", what->type) == NATS_OK;
}

static struct herald_net_outgoing *create_outgoing(HeraldNameRef name, const char *subject, const char *reply,
                                                   const HeraldMessage *message, unsigned options) {
    struct herald_net_outgoing *outgoing = calloc(1, sizeof *outgoing);
    if (!outgoing) return NULL;
    size_t length = message ? message->length : 0;
    outgoing->name = name;
    outgoing->size = OVERHEAD + length + strlen(subject) + (message && message->type ? strlen(message->type) : 0);
    /* Without this mark an empty message would look like a plain post. */
    outgoing->is_message = message && !message->length && !message->type;
    outgoing->immediate = options & HeraldPostDeliverImmediately;
    natsStatus status = natsMsg_Create(&outgoing->message, subject, reply, length ? message->bytes : NULL, (int)length);
    if (status == NATS_OK && set_type(outgoing->message, message)) return outgoing;
    herald_net_outgoing_destroy(outgoing);
    return NULL;
}

struct herald_net_outgoing *herald_net_outgoing_create(HeraldNameRef name, const char *subject,
                                                       const HeraldMessage *message, unsigned options) {
    return create_outgoing(name, subject, NULL, message, options);
}

struct herald_net_outgoing *herald_net_outgoing_create_kept(HeraldNameRef name, const char *subject, const char *reply,
                                                            const HeraldMessage *message, unsigned options) {
    struct herald_net_outgoing *outgoing = create_outgoing(name, subject, reply, message, options);
    if (!outgoing) return NULL;
    outgoing->subject = strdup(subject);
    outgoing->size += strlen(subject);
    if (outgoing->subject && (message || natsMsgHeader_Set(outgoing->message, "Herald-Kept", "none") == NATS_OK))
        return outgoing;
    herald_net_outgoing_destroy(outgoing);
    return NULL;
}

struct herald_net_outgoing *herald_net_outgoing_create_letter(HeraldNameRef name, const char *subject,
                                                              const char *reply, const char *id,
                                                              const HeraldMessage *message) {
    struct herald_net_outgoing *outgoing = create_outgoing(name, subject, reply, message, message->options);
    if (!outgoing) return NULL;
    outgoing->is_letter = true;
    outgoing->size += strlen(reply) + strlen(id);
    if (!HERALD_NET_STEP(ID) || natsMsgHeader_Set(outgoing->message, "Nats-Msg-Id", id) == NATS_OK) return outgoing;
    herald_net_outgoing_destroy(outgoing);
    return NULL;
}

bool herald_net_outgoing_sign(struct herald_net_outgoing *outgoing, uint64_t sender) {
    char text[HERALD_NET_SIGNATURE_ROOM];
    herald_net_signature_write(text, sender, outgoing->sequence, outgoing->is_message, outgoing->immediate);
    return natsMsgHeader_Set(outgoing->message, "Herald-Post", text) == NATS_OK;
}

void herald_net_outgoing_destroy(struct herald_net_outgoing *outgoing) {
    natsMsg_Destroy(outgoing->message);
    free(outgoing->subject);
    free(outgoing);
}

bool herald_net_queue_put(struct herald_net_queue *queue, struct herald_net_outgoing *outgoing,
                          struct herald_net_outlet *outlet) {
    if (queue->bytes + outgoing->size > queue->limit) return false; /* before the post gets a number: no gap is seen */
    if (outlet) outgoing->sequence = outgoing->subject ? ++outlet->kept_sequence : ++outlet->sequence;
    *queue->last = outgoing;
    queue->last = &outgoing->next;
    queue->bytes += outgoing->size;
    outgoing->place = ++queue->taken;
    if (outgoing->subject) queue->kept_at = outgoing->place;
    return true;
}

void herald_net_queue_take(struct herald_net_queue *queue) {
    if (queue->in_hand) return;
    queue->in_hand = queue->first;
    queue->first = NULL;
    queue->last = &queue->first;
}

struct herald_net_outgoing *herald_net_queue_take_one(struct herald_net_queue *queue) {
    struct herald_net_outgoing *outgoing = queue->in_hand;
    queue->in_hand = outgoing->next;
    return outgoing;
}

void herald_net_queue_drop(struct herald_net_queue *queue) {
    herald_net_outgoing_destroy(herald_net_queue_take_one(queue));
}
