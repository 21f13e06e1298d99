#include "body.h"

static uint64_t sum_of(const struct body *body) {
    uint64_t sum = body->writer * UINT64_C(31) + body->serial;
    for (uint32_t i = 0; i < body->length; i++) sum = sum * 131 + body->bytes[i];
    return sum;
}

HeraldMessage message_of(uint32_t writer, uint64_t serial, uint32_t length) {
    static _Thread_local struct body body;
    body.writer = writer;
    body.serial = serial;
    body.length = length;
    for (uint32_t i = 0; i < length; i++) body.bytes[i] = (unsigned char)(serial * 7 + i);
    body.sum = sum_of(&body);
    return (HeraldMessage){.size = sizeof(HeraldMessage), .bytes = &body, .length = HEAD + length};
}

bool body_is_whole(const HeraldMessage *message) {
    const struct body *body = message->bytes;
    return message->length >= HEAD && message->length == HEAD + body->length && body->sum == sum_of(body);
}
