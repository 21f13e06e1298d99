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
 * Progress: The centers' threads never wait for the run loop. Coding takes as long as CoreFoundation does.
 * Ownership: The strings and the userInfo that are made from a message belong to the call.
 */
#include "ground.h" /* asprintf */
#include "distributed.h"
#include "cf_queue.h"
#include "text.h"
#include <herald/host.h>
#include <stdio.h>

/* ---- Property lists, in their binary form ------------------------------------------------------------------------ */

static const char plist_type[] = "application/x-plist";
enum { BYTES_OF_512_LEVELS = 512 * 3 };

static CFDictionaryRef decode(CFDataRef data) {
    CFErrorRef error = NULL;
    CFTypeRef list = CFPropertyListCreateWithData(kCFAllocatorSystemDefault, data, 0, NULL, &error);
    if (error) CFRelease(error);
    if (!list || CFGetTypeID(list) == CFDictionaryGetTypeID()) return list;
    CFRelease(list);
    return NULL;
}

/* NULL: the bytes are not a dictionary in the binary form, or memory is out. CoreFoundation's decoder copes with all
 * bytes. It also knows other forms, which are not accepted here. */
static CFDictionaryRef decode_bytes(const void *bytes, size_t length) {
    if (length < 8 || memcmp(bytes, "bplist00", 8) != 0) return NULL;
    CFDataRef data = CFDataCreate(kCFAllocatorSystemDefault, bytes, (CFIndex)length);
    if (!data) return NULL;
    CFDictionaryRef userInfo = decode(data);
    CFRelease(data);
    return userInfo;
}

/* The decoder takes at most 512 levels. The encoder takes more, so this tries to decode what was encoded.
 * (CFPropertyListIsValid does not cope with every list: a list of 200 bytes that shares its parts keeps it busy for
 * ever.) */
static bool is_decodable(CFDataRef data) {
    if (CFDataGetLength(data) < BYTES_OF_512_LEVELS) return true;
    CFDictionaryRef userInfo = decode(data);
    if (userInfo) CFRelease(userInfo);
    return userInfo;
}

/* NULL: userInfo is not a dictionary, not a property list, or too deep; or memory is out. */
static CFDataRef encode(CFDictionaryRef userInfo) {
    if (CFGetTypeID(userInfo) != CFDictionaryGetTypeID()) return NULL;
    CFErrorRef error = NULL;
    CFDataRef data = CFPropertyListCreateData(kCFAllocatorSystemDefault, userInfo, HERALD_CF_BINARY_PLIST, 0, &error);
    if (error) CFRelease(error);
    if (!data || is_decodable(data)) return data;
    CFRelease(data);
    return NULL;
}

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
    if (message.length && (!message.type || strcmp(message.type, plist_type) != 0)) return;
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
    call->userInfo = decode_bytes(message->bytes, message->length);
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

/* A name that this process does not have is posted as a text: the host center makes it a name only if some process has
 * observed it. */
void herald_cf_darwin_post(CFStringRef string) {
    HeraldNameRef name = herald_cf_text_name(string, false);
    struct herald_cf_text text;
    herald_cf_text_begin(&text, string);
    if (name) {
        HeraldCenterPostNotification(HeraldCenterGetHostCenter(), name, NULL, NULL, false);
    } else if (text.bytes) {
        HeraldHostPost(text.bytes);
    }
    herald_cf_text_end(&text);
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

static const char *post(HeraldCenterRef native, HeraldNameRef name, const char *object, CFDictionaryRef userInfo,
                        bool immediately) {
    HeraldMessage message = {.size = sizeof message, .object = object};
    if (immediately) message.options = HeraldPostDeliverImmediately;
    CFDataRef data = userInfo ? encode(userInfo) : NULL;
    if (userInfo && !data) return "userInfo is not a dictionary that is a property list, or has more than 512 levels";
    if (data) {
        message.type = plist_type;
        message.bytes = CFDataGetBytePtr(data);
        message.length = (size_t)CFDataGetLength(data);
    }
    HeraldStatus status = HeraldCenterPostMessage(native, name, &message);
    if (data) CFRelease(data);
    return status == HeraldOK ? NULL : HeraldGetErrorDescription();
}

const char *herald_cf_distributed_post(HeraldCenterRef native, CFStringRef string, const void *object,
                                       CFDictionaryRef userInfo, bool immediately) {
    HeraldNameRef name = herald_cf_text_name(string, true);
    if (!name) return HERALD_CF_NO_NAME;
    if (!object) return post(native, name, NULL, userInfo, immediately);
    if (!is_string(object)) return HERALD_CF_NO_OBJECT;
    struct herald_cf_text text;
    herald_cf_text_begin(&text, object);
    const char *why = text.bytes ? post(native, name, text.bytes, userInfo, immediately) : HERALD_CF_NO_OBJECT;
    herald_cf_text_end(&text);
    return why;
}
