/* Ordering, progress: those of the visits. Ownership: nothing is kept. Identifiers are written as strings, because they
 * may exceed 2^53, beyond which JavaScript rounds numbers. */
#include "listing.h"
#include "host_center.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Writes `,"key":`. */
static void key(struct herald_host_reply *reply, const char *text) { herald_host_reply_add(reply, ",\"%s\":", text); }

static void text(struct herald_host_reply *reply, const char *of, const char *value) {
    key(reply, of);
    herald_host_reply_text(reply, value);
}

static void name(struct herald_host_reply *reply, HeraldNameRef value, const void *tag) {
    char buffer[600];
    key(reply, "name");
    if (!value) {
        herald_host_reply_add(reply, "null");
        return;
    }
    HeraldNameDescribe(value, tag, buffer, sizeof buffer);
    herald_host_reply_text(reply, buffer);
}

/* Writes where an address lies: the file, and the offset in it. */
static void place(struct herald_host_reply *reply, const char *of, const void *address) {
    Dl_info info;
    char buffer[300];
    key(reply, of);
    if (!address) {
        herald_host_reply_add(reply, "null");
        return;
    }
    if (!dladdr(address, &info) || !info.dli_fname) {
        snprintf(buffer, sizeof buffer, "%p", address);
    } else {
        const char *base = strrchr(info.dli_fname, '/');
        snprintf(buffer, sizeof buffer, "%.200s+%#lx", base ? base + 1 : info.dli_fname,
                 (unsigned long)((const char *)address - (const char *)info.dli_fbase));
    }
    herald_host_reply_text(reply, buffer);
}

static void pointer(struct herald_host_reply *reply, const char *of, const void *value) {
    if (value) {
        herald_host_reply_add(reply, ",\"%s\":\"%p\"", of, value);
    } else {
        herald_host_reply_add(reply, ",\"%s\":null", of);
    }
}

static void number(struct herald_host_reply *reply, const char *of, uint64_t value) {
    herald_host_reply_add(reply, ",\"%s\":%lu", of, value);
}

static void id(struct herald_host_reply *reply, const char *of, uint64_t value) {
    herald_host_reply_add(reply, ",\"%s\":\"%lu\"", of, value);
}

static void begin(struct herald_host_reply *reply, const char *type) {
    herald_host_reply_add(reply, "{\"type\":\"%s\"", type);
}
static void end(struct herald_host_reply *reply) { herald_host_reply_add(reply, "}\n"); }

/* ---- Centers ----------------------------------------------------------------------------------------------------- */

static const char *kind_of(HeraldCenterRef center) {
    if (center == HeraldCenterGetLocalCenter()) return "local";
    return center == herald_host_center_if_any() ? "host" : "own";
}

struct walk {
    struct herald_host_reply *reply;
    uint64_t center, after, count;
};

static bool list_center(void *context, HeraldCenterRef center) {
    struct walk *walk = context;
    struct herald_host_reply *reply = walk->reply;
    char label[64];
    size_t held, observers = HeraldCenterGetRegistrationCount(center, &held);
    HeraldCenterGetLabel(center, label, sizeof label);
    begin(reply, "center");
    number(reply, "center", HeraldCenterGetNumber(center));
    text(reply, "label", label);
    text(reply, "kind", kind_of(center));
    herald_host_reply_add(reply, ",\"suspended\":%s", HeraldCenterIsSuspended(center) ? "true" : "false");
    number(reply, "queued", held);
    number(reply, "dropped", HeraldCenterGetDroppedPostCount(center));
    number(reply, "observers", observers);
    end(reply);
    walk->count++;
    return !reply->broken;
}

static void list_end(struct walk *walk, const char *of) {
    begin(walk->reply, "end");
    text(walk->reply, "of", of);
    number(walk->reply, "count", walk->count);
    end(walk->reply);
}

void herald_host_list_centers(struct herald_host_reply *reply) {
    struct walk walk = {reply, 0, 0, 0};
    HeraldVisitCenters(list_center, &walk);
    list_end(&walk, "centers");
}

/* ---- Observers --------------------------------------------------------------------------------------------------- */

static const char *behavior_of(HeraldSuspensionBehavior behavior) {
    static const char *const texts[] = {"?", "drop", "coalesce", "hold", "immediately"};
    return texts[behavior >= 1 && behavior <= 4 ? behavior : 0];
}

static void list_description(struct herald_host_reply *reply, const HeraldDescription *description) {
    static const HeraldDescription nothing = {.text = "c", .delivery = "direct", .alive = true};
    bool is_known = description != NULL;
    if (!description) description = &nothing;
    text(reply, "kind", description->text[0] ? description->text : "c");
    text(reply, "delivery", description->delivery[0] ? description->delivery : "direct");
    if (description->owner[0]) {
        text(reply, "owner", description->owner);
    } else {
        herald_host_reply_add(reply, ",\"owner\":null");
    }
    herald_host_reply_add(reply, ",\"alive\":%s", description->alive ? "true" : "false");
    if (description->site[0]) {
        text(reply, "site", description->site);
    } else {
        herald_host_reply_add(reply, ",\"site\":null");
    }
    if (is_known) number(reply, "waiting", description->waiting);
    number(reply, "dropped", description->dropped);
    pointer(reply, "carrier", description->carrier);
}

static bool list_observer(void *context, const HeraldRegistrationInfo *info) {
    struct walk *walk = context;
    struct herald_host_reply *reply = walk->reply;
    if (info->order <= walk->after) return true;
    begin(reply, "observer");
    number(reply, "center", info->token.center);
    id(reply, "id", info->token.registration);
    number(reply, "order", info->order);
    name(reply, info->name, info->description ? info->description->tag : NULL);
    pointer(reply, "object", info->object);
    list_description(reply, info->description);
    text(reply, "behavior", behavior_of(info->behavior));
    herald_host_reply_add(reply, ",\"callback\":\"%p\"", (void *)(uintptr_t)info->callback);
    place(reply, "module", (const void *)(uintptr_t)info->callback);
    number(reply, "queued", info->queued);
    end(reply);
    walk->count++;
    return !reply->broken;
}

static bool list_observers_of(void *context, HeraldCenterRef center) {
    struct walk *walk = context;
    if (!walk->center || walk->center == HeraldCenterGetNumber(center))
        HeraldCenterVisitRegistrations(center, list_observer, walk);
    return !walk->reply->broken;
}

void herald_host_list_observers(struct herald_host_reply *reply, uint64_t center, uint64_t after) {
    struct walk walk = {reply, center, after, 0};
    HeraldVisitCenters(list_observers_of, &walk);
    list_end(&walk, "observers");
}

/* ---- What runs --------------------------------------------------------------------------------------------------- */

static void thread_name(struct herald_host_reply *reply, uint32_t thread) {
    char path[64], buffer[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%u/comm", thread);
    FILE *file = fopen(path, "re");
    if (file && fgets(buffer, sizeof buffer, file)) buffer[strcspn(buffer, "\n")] = 0;
    if (file) fclose(file);
    text(reply, "thread_name", buffer);
}

static bool list_one_running(void *context, const HeraldRunningInfo *info) {
    struct walk *walk = context;
    struct herald_host_reply *reply = walk->reply;
    begin(reply, "running");
    number(reply, "center", info->token.center);
    id(reply, "id", info->token.registration);
    number(reply, "thread", info->thread);
    thread_name(reply, info->thread);
    number(reply, "since", info->since);
    end(reply);
    walk->count++;
    return !reply->broken;
}

void herald_host_list_running(struct herald_host_reply *reply) {
    struct walk walk = {reply, 0, 0, 0};
    HeraldVisitRunning(list_one_running, &walk);
    list_end(&walk, "running");
}

/* ---- Events and counts ------------------------------------------------------------------------------------------- */

static const char *outcome_of(HeraldTraceOutcome outcome) {
    static const char *const texts[] = {"returned", "unwound", "held", "carried", "dropped", "merged", "ended"};
    return (unsigned)outcome < sizeof texts / sizeof *texts ? texts[outcome] : "?";
}

static void list_span(struct herald_host_reply *reply, const HeraldTraceEvent *event) {
    id(reply, "span", event->span);
    id(reply, "parent", event->parent);
    number(reply, "center", event->token.center);
    name(reply, event->name, event->tag);
    number(reply, "begin", event->begin);
    number(reply, "end", event->end);
    number(reply, "thread", event->thread);
    text(reply, "outcome", outcome_of(event->outcome));
}

void herald_host_list_event(struct herald_host_reply *reply, const HeraldTraceEvent *event) {
    switch (event->phase) {
    case HeraldTracePostEnd:
        begin(reply, "post");
        list_span(reply, event);
        pointer(reply, "object", event->object);
        number(reply, "calls", event->calls);
        place(reply, "caller", event->caller);
        if (event->sequence) {
            id(reply, "sender", event->sender);
            id(reply, "sequence", event->sequence);
        }
        break;
    case HeraldTraceCallEnd:
        begin(reply, "call");
        list_span(reply, event);
        id(reply, "id", event->token.registration);
        break;
    case HeraldTraceQueued:
    case HeraldTraceHeard:
        begin(reply, event->phase == HeraldTraceQueued ? "queued" : "heard");
        list_span(reply, event);
        id(reply, "id", event->token.registration);
        pointer(reply, "carrier", event->carrier);
        number(reply, "message", event->message);
        break;
    default: return;
    }
    end(reply);
}

void herald_host_list_count(struct herald_host_reply *reply, uint64_t window, const struct herald_host_count *count) {
    begin(reply, "count");
    number(reply, "window", window);
    number(reply, "center", count->center);
    name(reply, count->name, count->tag);
    number(reply, "posts", count->posts);
    number(reply, "calls", count->calls);
    number(reply, "ns", count->nanoseconds);
    number(reply, "longest", count->longest);
    id(reply, "longest_id", count->longest_id);
    end(reply);
}
