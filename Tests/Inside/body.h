/* A message that contains its sender, and shows whether it is whole. */
#ifndef HERALD_BODY_TESTS_H
#define HERALD_BODY_TESTS_H

#include "../../CSources/CHeraldHost/src/layout.h"
#include <herald/message.h>

struct body {
    uint32_t writer, length;
    uint64_t serial, sum;
    unsigned char bytes[HERALD_HOST_MESSAGE_LIMIT];
};
enum { HEAD = offsetof(struct body, bytes), LONGEST = HERALD_HOST_MESSAGE_LIMIT - HEAD };

/* A message with so many bytes behind its head. Its memory is this thread's, until the next call. */
HeraldMessage message_of(uint32_t writer, uint64_t serial, uint32_t length);
bool body_is_whole(const HeraldMessage *message);

#endif
