/* Descriptions of observers in Swift, for tools that inspect a process (herald/inspect.h). Ordering: `insight` is set
 * before the first center is made. Progress: Bounded. Ownership: The listener is not released while it is
 * described (R24). The listener keeps the owner's memory. */
#include "listener.h"
#include "swift.h"

#include <stdio.h>
#include <string.h>

static struct herald_swift_insight insight;

/* What herald_swift_visit_extras calls in place of describing. */
static __thread struct {
    void (*visit)(void *context, const void *extra); /* NULL: describe */
    void *context;
} visitor;

/* Describes a listener. `ending` is NULL, or the same listener if that struct begins it. */
static void describe(const struct herald_swift_listener *listener, const struct herald_swift_ending_listener *ending,
                     const char *text, const void *tag, HeraldDescription *description) {
    if (visitor.visit) {
        const void *extra = herald_swift_listener_extra(listener);
        if (extra) visitor.visit(visitor.context, extra);
        return;
    }
    strncpy(description->text, text, sizeof description->text - 1);
    description->tag = tag;
    const void *extra = herald_swift_listener_extra(listener);
    if (extra) insight.extra(extra, description);
    if (listener->file)
        snprintf(description->site, sizeof description->site, "%.100s:%u%s", (const char *)(uintptr_t)listener->file,
                 (unsigned)listener->line, listener->line == HERALD_SWIFT_LINE_MOST ? "+" : "");
    if (!ending || !ending->has_owner) return;
    /* The listener keeps the owner's memory, which begins with the owner's type. The owner is not retained here: a
     * reference made here may become the last one, and releasing it would then deinitialize the owner. */
    const void *owner = ((const struct herald_swift_owned_listener *)ending)->owner;
    description->alive = !swift_isDeallocating(owner);
    insight.owner(*(const void *const *)owner, description);
}

#define DESCRIBER(name, ending, text, tag)                                                                             \
    static void name(const void *observer, HeraldDescription *description) {                                           \
        describe(observer, ending, text, tag, description);                                                            \
    }

static bool go_on(void *context, const HeraldRegistrationInfo *info) {
    (void)context, (void)info;
    return true;
}

void herald_swift_visit_extras(HeraldCenterRef center, void (*visit)(void *context, const void *extra), void *context) {
    visitor.visit = visit;
    visitor.context = context;
    HeraldCenterVisitRegistrations(center, go_on, NULL);
    visitor.visit = NULL;
}

DESCRIBER(describe_message, NULL, "message", herald_swift_message_tag)
DESCRIBER(describe_ending_message, observer, "message", herald_swift_message_tag)
DESCRIBER(describe_call, observer, "call", herald_swift_call_tag)
DESCRIBER(describe_notice, NULL, "notice", NULL)
DESCRIBER(describe_ending_notice, observer, "notice", NULL)

void herald_swift_insight_is(const struct herald_swift_insight *is) {
    static void (*const describers[][3])(const void *, HeraldDescription *) = {
        [HERALD_SWIFT_MESSAGES] = {describe_message, describe_ending_message, describe_ending_message},
        [HERALD_SWIFT_CALLS] = {describe_call, describe_call, describe_call},
        [HERALD_SWIFT_NOTICES] = {describe_notice, describe_ending_notice, describe_ending_notice},
    };
    insight = *is;
    for (unsigned kind = HERALD_SWIFT_MESSAGES; kind <= HERALD_SWIFT_NOTICES; kind++)
        for (unsigned form = HERALD_SWIFT_PLAIN; form <= HERALD_SWIFT_WHILE; form++)
            HeraldSetDescriber((HeraldCallback)(void (*)(void))herald_swift_receiver(kind, form),
                               describers[kind][form]);
    for (unsigned form = HERALD_SWIFT_OWNED; form <= HERALD_SWIFT_WHILE; form++)
        HeraldSetDescriber((HeraldCallback)(void (*)(void))herald_swift_beginner(form), describe_ending_message);
    HeraldSetTagDescriber(herald_swift_message_tag, insight.name);
    HeraldSetTagDescriber(herald_swift_kept_tag, insight.name);
    HeraldSetTagDescriber(herald_swift_call_tag, insight.name);
}
