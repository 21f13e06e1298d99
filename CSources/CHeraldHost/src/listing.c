/* Ordering, progress: those of the visits. Ownership: nothing is kept. */
#include "listing.h"
#include "host_center.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 600 };

static const char *name_text(char text[TEXT], HeraldNameRef name, const void *tag) {
    if (name) HeraldNameDescribe(name, tag, text, TEXT);
    return name ? text : NULL;
}

/* Where an address lies: the file, and the offset in it. */
static const char *place_text(char text[TEXT], const void *address) {
    Dl_info info;
    if (!address) return NULL;
    if (!dladdr(address, &info) || !info.dli_fname) {
        snprintf(text, TEXT, "%p", address);
    } else {
        const char *base = strrchr(info.dli_fname, '/');
        snprintf(text, TEXT, "%.200s+%#lx", base ? base + 1 : info.dli_fname,
                 (unsigned long)((const char *)address - (const char *)info.dli_fbase));
    }
    return text;
}

static const char *unless_empty(const char *text) { return text[0] ? text : NULL; }

struct walk {
    struct herald_host_reply *reply;
    uint64_t center, after, count;
};

static bool list_next(struct walk *walk) {
    walk->count++;
    return !walk->reply->broken;
}

static void list_end(const struct walk *walk, const char *of) {
    herald_host_reply_add(walk->reply, "{'type':'end','of':%s,'count':%lu}\n", of, walk->count);
}

/* ---- Centers ----------------------------------------------------------------------------------------------------- */

static const char *kind_of(HeraldCenterRef center) {
    if (center == HeraldCenterGetLocalCenter()) return "local";
    return center == herald_host_center_if_any() ? "host" : "own";
}

static bool list_center(void *context, HeraldCenterRef center) {
    struct walk *walk = context;
    char label[64];
    size_t held, observers = HeraldCenterGetRegistrationCount(center, &held), limit;
    uint64_t bytes;
    size_t kept = HeraldCenterGetKeptCount(center, &limit, &bytes);
    HeraldCenterGetLabel(center, label, sizeof label);
    herald_host_reply_add(walk->reply,
                          "{'type':'center','center':%lu,'label':%s,'kind':%s,'suspended':%d,'queued':%lu,"
                          "'dropped':%lu,'observers':%lu,'kept':%lu,'kept_limit':%lu,'kept_message_bytes':%lu}\n",
                          HeraldCenterGetNumber(center), label, kind_of(center), HeraldCenterIsSuspended(center), held,
                          HeraldCenterGetDroppedPostCount(center), observers, kept, limit, bytes);
    return list_next(walk);
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

static bool list_observer(void *context, const HeraldRegistrationInfo *info) {
    static const HeraldDescription nothing = {.alive = true};
    const HeraldDescription *known = info->description ? info->description : &nothing;
    const void *callback = (const void *)(uintptr_t)info->callback;
    struct walk *walk = context;
    char name[TEXT], place[TEXT];
    if (info->order <= walk->after) return true;
    herald_host_reply_add(walk->reply,
                          "{'type':'observer','center':%lu,'id':'%lu','order':%lu,'name':%s,'object':%p,'kind':%s,"
                          "'delivery':%s,'owner':%s,'alive':%d,'site':%s,",
                          info->token.center, info->token.registration, info->order,
                          name_text(name, info->name, known->tag), info->object, known->text[0] ? known->text : "c",
                          known->delivery[0] ? known->delivery : "direct", unless_empty(known->owner), known->alive,
                          unless_empty(known->site));
    if (info->description) herald_host_reply_add(walk->reply, "'waiting':%lu,", known->waiting);
    if (info->isBlocked) herald_host_reply_add(walk->reply, "'blocked':%d,", true);
    herald_host_reply_add(walk->reply,
                          "'dropped':%lu,'carrier':%p,'behavior':%s,'callback':%p,'module':%s,'queued':%lu}\n",
                          known->dropped, known->carrier, behavior_of(info->behavior), callback,
                          place_text(place, callback), info->queued);
    return list_next(walk);
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

/* ---- What is kept ------------------------------------------------------------------------------------------------ */

/* What a center keeps, without the values: the slow reader of a reply must not keep them. */
struct kept {
    HeraldNameRef name;
    const void *object, *tag;
};
struct kept_walk {
    struct kept *all;
    size_t count, room;
};

static void note_kept(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    struct kept_walk *walk = context;
    (void)userInfo;
    if (walk->count == walk->room) return;
    walk->all[walk->count++] = (struct kept){name, object, tag};
}

static bool list_kept_of(void *context, HeraldCenterRef center) {
    struct walk *walk = context;
    uint64_t number = HeraldCenterGetNumber(center);
    struct kept_walk kept = {NULL, 0, HeraldCenterGetKeptCount(center, NULL, NULL)};
    if ((walk->center && walk->center != number) || !kept.room) return true;
    kept.all = calloc(kept.room, sizeof *kept.all);
    if (kept.all) HeraldCenterVisitKept(center, note_kept, &kept);
    char text[TEXT];
    for (size_t i = 0; i < kept.count && !walk->reply->broken; i++) {
        const struct kept *one = &kept.all[i];
        herald_host_reply_add(walk->reply, "{'type':'kept','center':%lu,'name':%s,'object':%p}\n", number,
                              name_text(text, one->name, one->tag), one->object);
        list_next(walk);
    }
    free(kept.all);
    return !walk->reply->broken;
}

void herald_host_list_kept(struct herald_host_reply *reply, uint64_t center) {
    struct walk walk = {reply, center, 0, 0};
    HeraldVisitCenters(list_kept_of, &walk);
    list_end(&walk, "kept");
}

/* ---- What runs --------------------------------------------------------------------------------------------------- */

static const char *thread_name(char text[TEXT], uint32_t thread) {
    snprintf(text, TEXT, "/proc/self/task/%u/comm", thread);
    FILE *file = fopen(text, "re");
    if (!file || !fgets(text, TEXT, file)) text[0] = 0;
    if (file) fclose(file);
    text[strcspn(text, "\n")] = 0;
    return text;
}

static bool list_one_running(void *context, const HeraldRunningInfo *info) {
    struct walk *walk = context;
    char name[TEXT];
    herald_host_reply_add(walk->reply,
                          "{'type':'running','center':%lu,'id':'%lu','thread':%lu,'thread_name':%s,'since':%lu}\n",
                          info->token.center, info->token.registration, (uint64_t)info->thread,
                          thread_name(name, info->thread), info->since);
    return list_next(walk);
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

void herald_host_list_event(struct herald_host_reply *reply, const HeraldTraceEvent *event) {
    static const char *const types[] = {[HeraldTracePostEnd] = "post",
                                        [HeraldTraceCallEnd] = "call",
                                        [HeraldTraceQueued] = "queued",
                                        [HeraldTraceHeard] = "heard"};
    char name[TEXT], place[TEXT];
    /* A newer copy of the core may report what this one does not know. */
    if ((size_t)event->phase >= sizeof types / sizeof *types || !types[event->phase]) return;
    herald_host_reply_add(reply,
                          "{'type':%s,'span':'%lu','parent':'%lu','center':%lu,'name':%s,'begin':%lu,'end':%lu,"
                          "'thread':%lu,'outcome':%s",
                          types[event->phase], event->span, event->parent, event->token.center,
                          name_text(name, event->name, event->tag), event->begin, event->end, (uint64_t)event->thread,
                          outcome_of(event->outcome));
    if (event->phase == HeraldTracePostEnd) {
        herald_host_reply_add(reply, ",'object':%p,'calls':%lu,'caller':%s", event->object, event->calls,
                              place_text(place, event->caller));
        if (event->sequence)
            herald_host_reply_add(reply, ",'sender':'%lu','sequence':'%lu'", event->sender, event->sequence);
    } else {
        herald_host_reply_add(reply, ",'id':'%lu'", event->token.registration);
        if (event->phase != HeraldTraceCallEnd)
            herald_host_reply_add(reply, ",'carrier':%p,'message':%lu", event->carrier, event->message);
    }
    herald_host_reply_add(reply, "}\n");
}

void herald_host_list_count(struct herald_host_reply *reply, uint64_t window, struct herald_host_count *count) {
    char name[TEXT];
    if (!count->posts && !count->calls) return;
    herald_host_reply_add(reply,
                          "{'type':'count','window':%lu,'center':%lu,'name':%s,'posts':%lu,'calls':%lu,'ns':%lu,"
                          "'longest':%lu,'longest_id':'%lu'}\n",
                          window, count->center, name_text(name, count->name, count->tag),
                          atomic_exchange(&count->posts, 0), atomic_exchange(&count->calls, 0),
                          atomic_exchange(&count->nanoseconds, 0), atomic_exchange(&count->longest, 0),
                          count->longest_id);
}
