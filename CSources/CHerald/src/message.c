/* Messages: posts with bytes (R23).
 *
 * Ordering, progress: those of a post. Ownership: the poster owns a message; the queue owns a held copy (copy.c).
 *
 * This file runs hooks of transports, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "call.h"
#include "center.h"
#include "copy.h"
#include "error.h"
#include "first.h"
#include "ground_utf8.h"
#include "keep.h"
#include "memory.h"
#include "name.h"
#include "post.h"
#include "span.h"
#include "tag.h"
#include "told.h"

/* NULL: none. */
static const char *fault_of(const HeraldMessage *message) {
    if (!message) return "the message is NULL";
    if (!herald_size_is_possible(message, message->size, sizeof *message))
        return "the message's size is none of HeraldMessage: set it to sizeof(HeraldMessage)";
    if (!message->bytes && message->length) return "the message has a length, and no bytes";
    if (!ground_utf8_is_text(message->object)) return "the message's object is not UTF-8";
    if (!ground_utf8_is_text(message->type)) return "the message's type is not UTF-8";
    return NULL;
}

bool HeraldMessageIsPossible(const HeraldMessage *message) {
    const char *fault = fault_of(message);
    if (herald_unlikely(fault != NULL)) HeraldSetErrorDescription(HeraldInvalidArgument, fault);
    return !fault;
}

/* The message as it is delivered in the process, cut to the fields that this version knows. */
static HeraldMessage own_form_of(const HeraldMessage *message) {
    HeraldMessage mine = *message;
    mine.size = sizeof mine;
    mine.sequence = mine.missed = mine.sender = 0;
    return mine;
}

static HeraldStatus carry_message(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message) {
    const HeraldTransport *transport = &center->transport;
    if (!transport->postMessage) return herald_fail(HeraldInvalidArgument, "the center carries no messages");
    uint32_t errors = herald_errors;
    HERALD_USE_TRANSPORT(center);
    if (!is_there) return herald_fail(HeraldInvalidArgument, "the center has been released");
    HeraldStatus status = transport->postMessage(transport->context, center, name, message);
    return herald_likely(status == HeraldOK) ? status : herald_fail_of_hook(status, errors);
}

static void restore_problem(HeraldStatus *before) { herald_copy_problem = *before; }

/* In the span the post has no userInfo, because only the transport gets the message. */
HERALD_SLOW static HeraldStatus carry_message_traced(HeraldCenterRef center, HeraldNameRef name,
                                                     const HeraldMessage *message, const void *caller) {
    HERALD_RETAIN_TRANSPORT(center); /* a hook may release the center */
    HERALD_SPAN(span);
    const struct herald_post post = {center, name, herald_name_find_object(message->object), NULL, &herald_message_tag,
                                     NULL};
    herald_span_begin_post(&span, &post, center->number, message->options, caller);
    HeraldStatus status = carry_message(center, name, message);
    herald_span_end(&span, status == HeraldOK ? HeraldTraceCarried : HeraldTraceDropped);
    return status;
}

static size_t deliver(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message, const void *caller) {
    const struct herald_post post = {
        center, name, herald_name_find_object(message->object), message, &herald_message_tag, NULL};
    return herald_post_here(&post, message->options, caller);
}

/* Keeps the message, and makes the post. */
HERALD_SLOW static HeraldStatus keep_message(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message,
                                             const void *caller) {
    HeraldMessage mine = own_form_of(message);
    const struct herald_post post = {center, name, herald_name_find_object(mine.object), &mine, &herald_message_tag,
                                     NULL};
    size_t called = 0;
    HeraldStatus before __attribute__((cleanup(restore_problem))) = herald_copy_problem; /* as below */
    return herald_keep(&post, mine.options, &called, caller);
}

HeraldStatus herald_message_post_from(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message,
                                      const void *caller) {
    if (!center || !name) return herald_fail(HeraldInvalidArgument, "the center or the name is NULL");
    if (!HeraldMessageIsPossible(message)) return HeraldInvalidArgument;
    if (herald_unlikely(center->transport.size && !center->transport.begin && message->options & HeraldPostKeep))
        return herald_fail(HeraldInvalidArgument, "this center reaches beyond the process and keeps no messages");
    if (center->transport.size)
        return herald_unlikely(herald_span_wanted(center)) ? carry_message_traced(center, name, message, caller)
                                                           : carry_message(center, name, message);
    if (herald_unlikely(message->options & HeraldPostKeep)) return keep_message(center, name, message, caller);
    HeraldMessage mine = own_form_of(message);
    /* This message may be posted in a callback of another message. Then herald_copy_problem is that of the other
     * message, and the clean-up restores it. */
    HeraldStatus before __attribute__((cleanup(restore_problem))) = herald_copy_problem;
    herald_copy_problem = HeraldOK;
    deliver(center, name, &mine, caller);
    if (herald_likely(herald_copy_problem == HeraldOK)) return HeraldOK;
    if (herald_copy_problem != HeraldQueueFull) return herald_fail_of_memory();
    return herald_fail(HeraldQueueFull, "held messages take as much memory as they may: 16 MiB");
}

HeraldStatus HeraldCenterPostMessage(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message) {
    const struct herald_functions *first = herald_first_elsewhere();
    const void *caller = __builtin_return_address(0);
    return first ? first->post_message(center, name, message, caller)
                 : herald_message_post_from(center, name, message, caller);
}

size_t herald_own_HeraldCenterDeliverMessage(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message) {
    return center && name && message ? deliver(center, name, message, NULL) : 0;
}

const HeraldMessage *herald_own_HeraldGetCurrentMessage(void) {
    struct herald_current current = herald_tag_current();
    return current.tag == &herald_message_tag ? (const HeraldMessage *)current.userInfo : NULL;
}

bool herald_own_HeraldCenterIsHeard(HeraldCenterRef center, HeraldNameRef name) {
    if (!center || !name) return false;
    const HeraldTransport *transport = &center->transport;
    if (!transport->size) return HeraldCenterHasObservers(center, name);
    HERALD_USE_TRANSPORT(center);
    return is_there && (!transport->isHeard || transport->isHeard(transport->context, center, name));
}
