/* Ordering, ownership: the caller's. Progress: bounded. */
#include "signature.h"
#include "ground_utf8.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void herald_net_signature_write(char text[HERALD_NET_SIGNATURE_ROOM], uint64_t sender, uint64_t sequence,
                                bool is_message, bool is_immediate) {
    snprintf(text, HERALD_NET_SIGNATURE_ROOM, "%016" PRIx64 " %" PRIu64 "%s%s", sender, sequence,
             is_message ? " message" : "", is_immediate ? " now" : "");
}

bool herald_net_signature_read(const char *text, HeraldMessage *message, bool *is_message) {
    char *end;
    if (strspn(text, "0123456789abcdef") != 16 || text[16] != ' ' || text[17] < '1' || text[17] > '9') return false;
    message->sender = strtoull(text, &end, 16);
    message->sequence = strtoull(end + 1, &end, 10);
    *is_message = strncmp(end, " message", 8) == 0;
    if (*is_message) end += 8;
    bool now = strcmp(end, " now") == 0, is_ours = now || *end == 0;
    if (now) message->options = HeraldPostDeliverImmediately;
    if (!is_ours) message->sender = message->sequence = 0;
    return is_ours;
}

bool herald_net_is_text(const HeraldMessage *message) {
    return ground_utf8_is_text(message->object) && ground_utf8_is_text(message->type);
}
