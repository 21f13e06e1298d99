/* Messages: posts with bytes, which every kind of center carries.
 *
 * A typed value is worth nothing in another process, a pointer less than that. What can leave is a text that says what
 * it is about, a text that says what the bytes are, and the bytes:
 *
 *      HeraldMessage message = {.size = sizeof message, .type = "text/plain", .bytes = "a.txt", .length = 5};
 *      HeraldStatus status = HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name, &message);
 *
 *      static void saved(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
 *                        const void *userInfo) {
 *          const HeraldMessage *message = HeraldGetCurrentMessage();      -- NULL: it is a plain post
 *      }
 *
 * R23. A message is a post like any other, whose userInfo is the `const HeraldMessage *`, under a tag of Herald's own
 * (R21). It and what it points to are borrowed for the call. On a center of this process it is delivered at once,
 * whatever its size. In another process observers get a copy that no other process can change while they read it. Every
 * process hears its own messages as others do. A sender's messages are heard in order; lost ones are counted; between
 * messages and plain posts no order is promised.
 *
 * OBJECTS (R1). What a message is about is a text. A registration gives HeraldObjectForString of it as its object: then
 * it hears the messages with that text, and no plain post. A callback's `object` is that address, or NULL when this
 * process has not made it; the text is in the message in either case.
 *
 * SUSPENSION (R16). A suspended center keeps copies of messages, at most 16 MiB of them in a process. A post that finds
 * no room is HeraldQueueFull; registrations that would have kept it lose it, and each loss is counted
 * (HeraldCenterGetDroppedPostCount).
 */
#ifndef HERALD_MESSAGE_H
#define HERALD_MESSAGE_H

#include <herald/herald.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A message. All that it points to is borrowed for the call, for the post as for the callback. */
typedef struct {
    size_t size;        /**< sizeof(HeraldMessage); the struct only ever grows */
    const char *object; /**< what it is about, UTF-8; NULL: nothing in particular */
    const char *type;   /**< what the bytes are, UTF-8: a media type such as "application/json"; NULL: bytes */
    const void *bytes;  /**< aligned to 8 in another process; may be NULL when there are none */
    size_t length;
    /* For observers, and 0 in the process's own centers; ignored in a post: */
    uint64_t sequence; /**< place in the order in which the sender's messages are heard */
    uint64_t missed;   /**< messages of names that this process observes, lost since the one before */
    uint64_t sender;   /**< host: the process number that it gives */
    unsigned options;  /**< of the post: HeraldPostDeliverImmediately crosses processes */
} HeraldMessage;

/** Posts a message. HeraldInvalidArgument for a NULL center, name or message, an impossible size, bytes that are NULL
 *  though there are some, an object or type that is not UTF-8, and for a center whose transport carries no messages;
 *  HeraldQueueFull and HeraldOutOfMemory when the center is suspended and could not keep a copy: then those who would
 *  have got it later do not, and the others have. Other centers have limits and failures of their own: see their
 *  headers. */
HERALD_EXPORT HeraldStatus HeraldCenterPostMessage(HeraldCenterRef center, HeraldNameRef name,
                                                   const HeraldMessage *message);

/** Inside a callback: the message that is being delivered on this thread. NULL for any other post, and elsewhere. */
HERALD_EXPORT const HeraldMessage *HeraldGetCurrentMessage(void);

/** Whether a post of the name could reach anybody now: false when nobody observes it, in no process that the center
 *  reaches, so that a message need not be made. A center that cannot know says true, and so does the host center where
 *  a post would fail, so that it is made and says why; a NULL center or name, or
 *  an address's name that nothing can carry, false. */
HERALD_EXPORT bool HeraldCenterIsHeard(HeraldCenterRef center, HeraldNameRef name);

/** The object that stands for a text, made if there is none yet: equal texts are equal addresses, for the life of the
 *  process. It points to the text. NULL for NULL, for what is not UTF-8, and when memory is out. */
HERALD_EXPORT const void *HeraldObjectForString(const char *utf8);

#ifdef __cplusplus
}
#endif
#endif
