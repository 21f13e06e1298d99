/* Descriptions of observers in Swift, for tools that inspect a process (herald/inspect.h). Ordering: `insight` and the
 * tags are set before the first center is made. Progress: Bounded. Ownership: The listener is not released while it is
 * described (R24). The listener keeps the owner's memory. */
#include "listener.h"
#include "swift.h"

#include <stdio.h>
#include <string.h>

static struct herald_swift_insight insight;
static const void *message_tag, *call_tag;

static void describe(const struct herald_swift_listener *listener, const char *text, const void *tag,
                     HeraldDescription *description) {
    strncpy(description->text, text, sizeof description->text - 1);
    description->tag = tag;
    const void *extra = herald_swift_listener_extra(listener);
    if (extra) insight.extra(extra, description);
    if (listener->file)
        snprintf(description->site, sizeof description->site, "%.100s:%u%s", (const char *)(uintptr_t)listener->file,
                 (unsigned)listener->line, listener->line == HERALD_SWIFT_LINE_MOST ? "+" : "");
}

static void describe_owned(const struct herald_swift_owned_listener *listener, const char *text, const void *tag,
                           HeraldDescription *description) {
    describe(&listener->base.base.base, text, tag, description);
    /* The listener keeps the owner's memory, which begins with the owner's type. The owner is not retained here: a
     * reference made here may become the last one, and releasing it would then deinitialize the owner. */
    description->alive = !swift_isDeallocating(listener->owner);
    insight.owner(*(const void *const *)listener->owner, description);
}

/* Describes a listener whose closure can end the registration (HERALD_SWIFT_WHILE). The listener may have an owner. */
static void describe_while(const void *observer, const char *text, const void *tag, HeraldDescription *description) {
    const struct herald_swift_ending_listener *listener = observer;
    if (listener->has_owner) {
        describe_owned(observer, text, tag, description);
    } else {
        describe(&listener->base.base, text, tag, description);
    }
}

#define DESCRIBER(name, text, tag)                                                                                     \
    static void name(const void *observer, HeraldDescription *description) {                                           \
        describe(observer, text, tag, description);                                                                    \
    }                                                                                                                  \
    static void name##_owned(const void *observer, HeraldDescription *description) {                                   \
        describe_owned(observer, text, tag, description);                                                              \
    }                                                                                                                  \
    static void name##_while(const void *observer, HeraldDescription *description) {                                   \
        describe_while(observer, text, tag, description);                                                              \
    }

DESCRIBER(describe_message, "message", message_tag)
DESCRIBER(describe_call, "call", call_tag)
DESCRIBER(describe_notice, "notice", NULL)

static void set(enum herald_swift_kind kind, enum herald_swift_form form,
                void (*describer)(const void *, HeraldDescription *)) {
    HeraldSetDescriber((HeraldCallback)(void (*)(void))herald_swift_receiver(kind, form), describer);
}

void herald_swift_insight_is(const struct herald_swift_insight *is, const void *message, const void *call) {
    insight = *is;
    message_tag = message;
    call_tag = call;
    set(HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, describe_message);
    set(HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, describe_message_owned);
    set(HERALD_SWIFT_MESSAGES, HERALD_SWIFT_WHILE, describe_message_while);
    set(HERALD_SWIFT_CALLS, HERALD_SWIFT_OWNED, describe_call_owned); /* calls have no other form */
    set(HERALD_SWIFT_NOTICES, HERALD_SWIFT_PLAIN, describe_notice);
    set(HERALD_SWIFT_NOTICES, HERALD_SWIFT_OWNED, describe_notice_owned);
    set(HERALD_SWIFT_NOTICES, HERALD_SWIFT_WHILE, describe_notice_while);
    HeraldSetTagDescriber(message, insight.name);
    HeraldSetTagDescriber(call, insight.name);
}
