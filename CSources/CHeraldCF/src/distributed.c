/* The distributed center carries names, objects and userInfo between processes. Its observers are called on a run loop.
 *
 * A post is a message (R23) of the host center, or of the center that HeraldCFSetDistributedCenter has set. The
 * message's object is the text of the post's object, and the message's bytes are userInfo. That center calls
 * herald_cf_distributed_receive, as a rule on a thread of its own. The function decodes the message, puts a call into
 * the queue for the run loop, and does not wait.
 *
 * Ordering: That of the center that carries the message, and then that of the queue (cf_queue.c).
 * Progress: herald_cf_distributed_receive never waits for the run loop.
 * Ownership: The strings and the userInfo that are made from a message belong to the queue.
 */
#include "distributed.h"
#include "cf_loop.h"
#include "cf_queue.h"
#include "cf_complaint.h"
#include "text.h"
#include "userinfo.h"
#include <herald/host.h>
#include <stdlib.h>
#include <string.h>

/* ---- Receiving --------------------------------------------------------------------------------------------------- */

/* Reads a message into `waiting`. NULL is a plain post, which has neither object nor bytes. False: the bytes cannot be
 * given to an observer, or memory is out. */
static bool read(struct herald_cf_waiting *waiting, const HeraldMessage *message) {
    if (!message) return true;
    waiting->size += message->length;
    waiting->is_immediate = message->options & (unsigned)HeraldPostDeliverImmediately;
    if (message->object && !(waiting->object = herald_cf_text_string(message->object))) return false;
    if (!message->length) return true;
    if (!message->type || strcmp(message->type, HERALD_CF_PLIST) != 0) return false;
    waiting->userInfo = herald_cf_userinfo_decode(message->bytes, message->length);
    return waiting->userInfo;
}

/* Makes a string of the name for the callback. The registration has this string already, unless it is for any name.
 * False: memory is out. */
static bool name(struct herald_cf_waiting *waiting, HeraldNameRef native) {
    waiting->native = native;
    if (waiting->registration->string) return true;
    waiting->name = herald_cf_text_string(HeraldNameGetUTF8String(native));
    return waiting->name;
}

static void give_up(struct herald_cf_waiting *waiting) {
    if (waiting->name) CFRelease(waiting->name);
    if (waiting->object) CFRelease(waiting->object);
    free(waiting);
}

void herald_cf_distributed_receive(HeraldCenterRef native, void *registration, HeraldNameRef ref, const void *object,
                                   const void *userInfo) {
    (void)native, (void)object, (void)userInfo;
    struct herald_cf_waiting *waiting = calloc(1, sizeof *waiting);
    if (!waiting) return;
    waiting->registration = registration;
    waiting->size = sizeof *waiting;
    if (name(waiting, ref) && read(waiting, HeraldGetCurrentMessage())) {
        herald_cf_queue_add(waiting);
        herald_cf_loop_signal();
    } else {
        give_up(waiting);
    }
}

/* ---- On any thread ----------------------------------------------------------------------------------------------- */

static bool is_string(const void *object) { return CFGetTypeID(object) == CFStringGetTypeID(); }

const void *herald_cf_distributed_object(const void *object) {
    if (!is_string(object)) return NULL;
    struct herald_cf_text text;
    herald_cf_text_begin(&text, object);
    const void *known = HeraldObjectForString(text.bytes);
    herald_cf_text_end(&text);
    return known;
}

/* The center, the name and the options of a post. */
struct sending {
    HeraldCenterRef native;
    HeraldNameRef name;
    unsigned options;
};

static const char *post_encoded(const struct sending *sending, const char *object, CFDataRef data) {
    HeraldMessage message = {.size = sizeof message, .object = object, .options = sending->options};
    if (data) {
        message.type = HERALD_CF_PLIST;
        message.bytes = CFDataGetBytePtr(data);
        message.length = (size_t)CFDataGetLength(data);
    }
    HeraldStatus status = HeraldCenterPostMessage(sending->native, sending->name, &message);
    return status == HeraldOK ? NULL : HeraldGetErrorDescription();
}

static const char *post_with(const struct sending *sending, const char *object, CFDictionaryRef userInfo) {
    if (!userInfo) return post_encoded(sending, object, NULL);
    CFDataRef data = herald_cf_userinfo_encode(userInfo);
    if (!data) return "userInfo is not a dictionary that is a property list, or has more than 512 levels";
    const char *why = post_encoded(sending, object, data);
    CFRelease(data);
    return why;
}

const char *herald_cf_distributed_post(HeraldCenterRef native, CFStringRef string, const void *object,
                                       CFDictionaryRef userInfo, bool immediately) {
    struct sending sending = {native, herald_cf_name(string, true),
                              immediately ? (unsigned)HeraldPostDeliverImmediately : 0};
    if (!sending.name) return HERALD_CF_NO_NAME;
    if (!object) return post_with(&sending, NULL, userInfo);
    if (!is_string(object)) return HERALD_CF_NO_OBJECT;
    struct herald_cf_text text;
    herald_cf_text_begin(&text, object);
    const char *why = text.bytes ? post_with(&sending, text.bytes, userInfo) : HERALD_CF_NO_OBJECT;
    herald_cf_text_end(&text);
    return why;
}
