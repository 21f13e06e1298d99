/* The Darwin and the distributed center, which carry posts between processes. Their observers are called on a run loop.
 *
 * A post of the distributed center is a message (R23) of the host center, or of the center that
 * HeraldCFSetDistributedCenter has set. The message's object is the text of the post's object, and the message's bytes
 * are userInfo. For each registration that hears the message, that center calls herald_cf_distributed_receive, as a
 * rule on a thread of its own. From there the message goes through the center `holding`, a private one of the core,
 * which does what a suspension asks for (R16): it lets the message pass at once, holds a copy, or drops it. In that
 * center the registration's address is the name. The object is a text of the name's address and of the message's
 * object, so that messages of each name and object coalesce. When a message passes, its content is decoded, and a call
 * is added to the queue for the run loop.
 *
 * Ordering: That of the centers that carry and hold the message, and then that of the queue (cf_queue.c).
 * Progress: The centers' threads never wait for the run loop.
 * Ownership: The strings and the userInfo that are made from a message belong to the call.
 */
#include "ground.h" /* asprintf */
#include "distributed.h"
#include "cf_queue.h"
#include "cf_complaint.h"
#include "text.h"
#include "userinfo.h"
#include <herald/host.h>
#include <stdio.h>
#include <string.h>

/* ---- Receiving --------------------------------------------------------------------------------------------------- */

void herald_cf_darwin_receive(HeraldCenterRef native, void *observer, HeraldNameRef name, const void *object,
                              const void *userInfo) {
    (void)native, (void)object, (void)userInfo;
    struct herald_cf_call *call = herald_cf_call_create(observer, name, 0);
    if (call) herald_cf_queue_add(call);
}

/* A plain post has no message, and a message of a foreign program may have bytes of another type. */
void herald_cf_distributed_receive(HeraldCenterRef native, void *observer, HeraldNameRef name, const void *object,
                                   const void *userInfo) {
    (void)native, (void)object, (void)userInfo;
    const struct herald_cf_registration *registration = observer;
    const HeraldMessage *heard = HeraldGetCurrentMessage();
    HeraldMessage message = heard ? *heard : (HeraldMessage){0};
    message.size = sizeof message;
    if (message.length && (!message.type || strcmp(message.type, HERALD_CF_PLIST) != 0)) return;
    const char *about = message.object;
    char *text;
    if (asprintf(&text, "%p%s%s", (const void *)name, about ? " " : "", about ? about : "") < 0) return;
    message.object = text;
    HeraldCenterPostMessage(registration->center->holding, HeraldNameForAddress(registration), &message);
    free(text);
}

/* Reads a message that herald_cf_distributed_receive has made. False: its bytes cannot be given to an observer, or
 * memory is out. */
static bool read(struct herald_cf_call *call, const HeraldMessage *message) {
    char *object;
    call->name = (HeraldNameRef)(uintptr_t)strtoull(message->object, &object, 16);
    if (*object && !(call->object = herald_cf_text_string(object + 1))) return false;
    if (!message->length) return true;
    call->userInfo = herald_cf_userinfo_decode(message->bytes, message->length);
    return call->userInfo;
}

void herald_cf_distributed_let_pass(HeraldCenterRef holding, void *observer, HeraldNameRef name, const void *object,
                                    const void *userInfo) {
    (void)holding, (void)name, (void)object;
    const HeraldMessage *message = userInfo;
    struct herald_cf_call *call = herald_cf_call_create(observer, NULL, sizeof *call + message->length);
    if (!call) return;
    if (read(call, message)) {
        herald_cf_queue_add(call);
    } else {
        herald_cf_call_end(call);
    }
}

/* ---- Posting ----------------------------------------------------------------------------------------------------- */

/* A HeraldNameRef is made only if some process has observed the name. */
static void post_text(CFStringRef string) {
    struct herald_cf_text text;
    herald_cf_text_begin(&text, string);
    if (text.bytes) HeraldHostPost(text.bytes);
    herald_cf_text_end(&text);
}

void herald_cf_darwin_post(CFStringRef name) {
    HeraldNameRef native = herald_cf_name(name, false);
    if (native) {
        HeraldCenterPostNotification(HeraldCenterGetHostCenter(), native, NULL, NULL, false);
    } else {
        post_text(name);
    }
}

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
