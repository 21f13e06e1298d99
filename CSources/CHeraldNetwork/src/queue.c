/* Ordering, ownership: the center's lock; what was taken out belongs to the taker. Progress: O(1) a letter. */
#include "queue.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OVERHEAD = 384 /* of a letter, the message's struct and headers */ };

void herald_queue_create(struct herald_queue *queue, size_t limit) {
    memset(queue, 0, sizeof *queue);
    queue->limit = limit;
    queue->last = &queue->first;
}

static bool set_type(natsMsg *message, const HeraldMessage *what) {
    return !what || !what->type || natsMsgHeader_Set(message, "Content-Type", what->type) == NATS_OK;
}

struct herald_letter *herald_letter_create(HeraldNameRef name, const char *subject, const HeraldMessage *message,
                                           unsigned options) {
    struct herald_letter *letter = calloc(1, sizeof *letter);
    if (!letter) return NULL;
    size_t length = message ? message->length : 0;
    letter->name = name;
    letter->size = OVERHEAD + length + strlen(subject) + (message && message->type ? strlen(message->type) : 0);
    letter->is_message = message && !message->length && !message->type; /* or it would look like a plain post */
    letter->immediate = options & HeraldPostDeliverImmediately;
    natsStatus status = natsMsg_Create(&letter->message, subject, NULL, length ? message->bytes : NULL, (int)length);
    if (status == NATS_OK && set_type(letter->message, message)) return letter;
    herald_letter_destroy(letter);
    return NULL;
}

bool herald_letter_sign(struct herald_letter *letter, uint64_t sender) {
    char text[64];
    snprintf(text, sizeof text, "%016" PRIx64 " %" PRIu64 "%s%s", sender, letter->sequence,
             letter->is_message ? " message" : "", letter->immediate ? " now" : "");
    return natsMsgHeader_Set(letter->message, "Herald-Post", text) == NATS_OK;
}

void herald_letter_destroy(struct herald_letter *letter) {
    natsMsg_Destroy(letter->message);
    free(letter);
}

bool herald_queue_put(struct herald_queue *queue, struct herald_letter *letter, struct herald_outlet *outlet) {
    if (queue->bytes + letter->size > queue->limit) return false; /* before it has a number: it is a gap to nobody */
    letter->sequence = ++outlet->sequence;
    *queue->last = letter;
    queue->last = &letter->next;
    queue->bytes += letter->size;
    queue->count++;
    queue->taken++;
    return true;
}

struct herald_letter *herald_queue_take(struct herald_queue *queue, size_t bytes) {
    struct herald_letter *first = queue->first, **end = &queue->first;
    size_t sum = 0;
    while (*end && (!sum || sum + (*end)->size <= bytes)) {
        sum += (*end)->size;
        queue->count--;
        end = &(*end)->next;
    }
    if (!first) return NULL;
    queue->first = *end;
    if (!queue->first) queue->last = &queue->first;
    *end = NULL;
    queue->bytes -= sum;
    return first;
}

void herald_queue_give_back(struct herald_queue *queue, struct herald_letter *letters) {
    struct herald_letter **end = &letters;
    for (; *end; end = &(*end)->next) {
        queue->bytes += (*end)->size;
        queue->count++;
    }
    if (!queue->first) queue->last = end;
    *end = queue->first;
    queue->first = letters;
}
