/* Messages: posts whose content is bytes, so that it can go to other processes and machines.
 *
 * A typed value means nothing in another process, and a pointer even less. A message has only what can leave the
 * process: a text that names its object, a text that names the type of the bytes, and the bytes:
 *
 *      HeraldMessage message = {.size = sizeof message, .type = "text/plain", .bytes = "a.txt", .length = 5};
 *      HeraldStatus status = HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name, &message);
 *
 *      static void saved(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
 *                        const void *userInfo) {
 *          const HeraldMessage *message = HeraldGetCurrentMessage();      -- NULL: it is a plain post
 *      }
 *
 * R23. A message is a post like any other. Its userInfo is the `const HeraldMessage *`, and its tag is one of Herald's
 * own (R21). The message and everything that it points to are borrowed for the call. A center without a transport
 * delivers a message at once, at any size. In another process observers get a copy that no other process can change
 * while they read it. A process hears its own messages in the same way as those of other processes. A sender's messages
 * are heard in order; lost ones are counted. No order is promised between messages and plain posts.
 *
 * OBJECTS (R1). The object of a message is a text. To hear only messages with one text, register for the object that
 * HeraldObjectForString returns for this text; posts without an object do not reach such a registration. A callback
 * gets that object as `object`, or NULL if this process has never asked for it. The message has the text in both cases.
 *
 * SUSPENSION (R16). A suspended center keeps copies of messages, at most 16 MiB of them in a process. If there is no
 * room, a post returns HeraldQueueFull. Each registration that was to get the message later loses the message. Each
 * such loss is counted (HeraldCenterGetDroppedPostCount).
 */
#ifndef HERALD_MESSAGE_H
#define HERALD_MESSAGE_H

#include <herald/herald.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A message. Everything that it points to is borrowed: for a post, until the post returns; in a callback, until the
 *  callback returns. */
typedef struct {
    size_t size;        /**< sizeof(HeraldMessage); the struct only ever grows */
    const char *object; /**< what it is about, UTF-8; NULL: nothing in particular */
    const char *type;   /**< what the bytes are, UTF-8: a media type such as "application/json"; NULL: not stated */
    const void *bytes;  /**< in another process aligned to 8 bytes; may be NULL if `length` is 0 */
    size_t length;
    /* The next three are ignored in a post. Observers get them; in centers without a transport they are 0. */
    uint64_t sequence; /**< place in the order in which the sender's messages are heard */
    uint64_t missed;   /**< how many messages were lost since the one before this: in the host center, of all names that
                          the process observes; in the network center, of this sender and name */
    uint64_t sender;   /**< in the host center: the number of the sender's process, as the sender gives it */
    unsigned options;  /**< of the post; HeraldPostDeliverImmediately is carried to other processes */
} HeraldMessage;

/** Posts a message. HeraldInvalidArgument for a NULL center, name or message; an impossible `size`; NULL bytes with a
 *  length that is not 0; an object or type that is not UTF-8; and a center whose transport carries no messages.
 *  HeraldQueueFull and HeraldOutOfMemory if the center is suspended and could not keep a copy. Registrations that were
 *  to get the message later lose it; the others have heard it. Centers with a transport have limits and failures
 *  of their own: see their headers. */
HERALD_EXPORT HeraldStatus HeraldCenterPostMessage(HeraldCenterRef center, HeraldNameRef name,
                                                   const HeraldMessage *message);

/** Inside a callback: the message that is being delivered on this thread. NULL for any other post, and outside of
 *  callbacks. */
HERALD_EXPORT const HeraldMessage *HeraldGetCurrentMessage(void);

/** Whether a post of the name could reach an observer now. False if the name has no observer in any process that the
 *  center reaches: then a message need not be made. A center that cannot know returns true. The host center returns
 *  true, too, if a post would fail now: the program then posts, and the status says why it failed. False for a NULL
 *  center or name, and on the host center for a name that is an address, which cannot leave the process. */
HERALD_EXPORT bool HeraldCenterIsHeard(HeraldCenterRef center, HeraldNameRef name);

/** Returns the object that stands for a text, and makes the object if it does not exist yet. Equal texts have equal
 *  addresses, for the life of the process. The object points to the text. Returns NULL for NULL, for a text that is not
 *  UTF-8, and if memory is out. */
HERALD_EXPORT const void *HeraldObjectForString(const char *utf8);

#ifdef __cplusplus
}
#endif
#endif
