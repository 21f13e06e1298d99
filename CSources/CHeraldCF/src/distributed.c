/* The distributed center: names, objects and userInfo between processes, heard on a run loop.
 *
 * A post is a message of the host center, or of a center that was set instead. The message's object is the text of the
 * post's object; the message's bytes are userInfo. Herald's thread decodes the message, hands it to the run loop and
 * does not wait.
 *
 * Ordering: That of the host center, and then the queue's.
 * Progress: Herald's thread never waits for the run loop.
 * Ownership: The strings and the userInfo that are made of a message are the queue's.
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

/* ---- On Herald's thread ------------------------------------------------------------------------------------------ */

/* Reads a message. False: its bytes cannot be given to an observer, or there is no memory. A plain post has neither
 * object nor bytes. */
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

/* Makes a string of the name for an observer of any name, whose registration has none. */
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

/* How a post is made. */
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
    return status == HeraldOK ? NULL : herald_cf_reason(sending->native, status);
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
