/* R24: walks over registrations and names, and functions that describe an observer or a name. */
#include "check.h"
#include <herald/inspect.h>
#include <malloc.h>
#include <pthread.h>

static int somebody;
static atomic_bool changing;

struct found {
    HeraldCenterRef center;
    size_t centers, count, wanted, limit;
    HeraldRegistrationInfo last;
    HeraldDescription description;
    const void *observer;
};
static bool see_center(void *context, HeraldCenterRef center) {
    struct found *found = context;
    found->centers += center == found->center;
    return true;
}
static bool see(void *context, const HeraldRegistrationInfo *info) {
    struct found *found = context;
    CHECK(info->size == sizeof *info);
    found->count++;
    if (info->observer == found->observer) {
        found->wanted++;
        found->last = *info;
        if (info->description) found->description = *info->description;
    }
    return !found->limit || found->count < found->limit;
}

RULE(24, visits_show_centers_and_registrations) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("look.visit");
    struct listener one = {.letter = 'a'}, two = {.letter = 'b'};
    struct found found = {.center = center, .observer = &two};
    add_with(center, &one, name, NULL, HeraldSuspensionDrop);
    add_with(center, &two, name, &somebody, HeraldSuspensionHold);
    HeraldVisitCenters(see_center, &found);
    CHECK(found.centers == 1);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 3; i++) HeraldCenterPostNotification(center, name, &somebody, NULL, false);
    CHECK(HeraldCenterVisitRegistrations(center, see, &found) == 2 && found.wanted == 1);
    CHECK(found.last.name == name && found.last.object == &somebody && found.last.callback == listener_hear);
    CHECK(found.last.token.registration == two.token.registration && found.last.token.center == two.token.center);
    CHECK(found.last.behavior == HeraldSuspensionHold && found.last.queued == 3 && !found.last.description);
    found.count = 0;
    found.limit = 1;
    CHECK(HeraldCenterVisitRegistrations(center, see, &found) == 1);
    char label[64] = "?";
    CHECK(HeraldCenterGetLabel(center, label, sizeof label) == 0 && !label[0]);
    HeraldCenterSetLabel(center, "mine");
    CHECK(HeraldCenterGetLabel(center, label, 3) == 4 && strcmp(label, "mi") == 0);
    CHECK(HeraldCenterGetNumber(center) == two.token.center && HeraldCenterGetNumber(NULL) == 0);
    HeraldCenterRelease(center);
    CHECK(HeraldCenterVisitRegistrations(NULL, see, &found) == 0);
}

static void *change(void *context) {
    HeraldCenterRef center = context;
    HeraldNameRef name = name_of("look.churn");
    struct listener mine[40] = {{0}};
    for (unsigned round = 0; changing; round++) {
        struct listener *one = &mine[round % 40];
        if (one->token.center) HeraldCenterRemoveToken(center, one->token);
        add(center, one, name, NULL);
    }
    for (int i = 0; i < 40; i++)
        if (mine[i].token.center) HeraldCenterRemoveTokenAndWait(center, mine[i].token);
    return NULL;
}

enum { FIXED = 3000 };
static struct listener fixed[FIXED];
static atomic_int seen[FIXED];
static bool see_fixed(void *context, const HeraldRegistrationInfo *info) {
    const struct listener *first = context;
    ptrdiff_t place = (const struct listener *)info->observer - first;
    if (info->callback == listener_hear && place >= 0 && place < FIXED) seen[place]++;
    return true;
}

static bool end_visitor(void *context, HeraldCenterRef center) {
    (void)context, (void)center;
    pthread_exit(NULL);
}
static void *visit_and_end(void *unused) {
    (void)unused;
    HeraldVisitCenters(end_visitor, NULL);
    return NULL;
}
RULE(24, visitor_that_ends_its_thread_keeps_no_center) {
    struct mallinfo2 before = {0}, after;
    for (int i = 0; i < 200; i++) {
        if (i == 100) before = mallinfo2();
        HeraldCenterRef centers[8];
        for (int j = 0; j < 8; j++) centers[j] = new_center();
        pthread_t thread;
        pthread_create(&thread, NULL, visit_and_end, NULL);
        pthread_join(thread, NULL);
        for (int j = 0; j < 8; j++) HeraldCenterRelease(centers[j]);
    }
    after = mallinfo2();
    CHECK(after.uordblks < before.uordblks + 100000 || UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER);
}

RULE(24, visits_under_churn_show_each_fixed_registration_once) {
    HeraldCenterRef center = new_center();
    pthread_t threads[2];
    memset(fixed, 0, sizeof fixed);
    for (int i = 0; i < FIXED; i++) add(center, &fixed[i], name_of("look.fixed"), NULL);
    changing = true;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, change, center);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < FIXED; i++) seen[i] = 0;
        HeraldCenterVisitRegistrations(center, see_fixed, fixed);
        int wrong = 0;
        for (int i = 0; i < FIXED; i++) wrong += seen[i] != 1;
        CHECK(wrong == 0);
    }
    changing = false;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    HeraldCenterRelease(center);
}

static void describe(const void *observer, HeraldDescription *description) {
    const struct listener *one = observer;
    CHECK(description->size == sizeof *description && description->alive && one->released == 0);
    snprintf(description->site, sizeof description->site, "look.c:%c", one->letter);
}

RULE(24, describers_are_asked_while_the_observer_is_there) {
    HeraldCenterRef center = new_center();
    struct listener one = {.letter = 'q'};
    struct found found = {.center = center, .observer = &one};
    add(center, &one, name_of("look.described"), NULL);
    HeraldSetDescriber(listener_hear, describe);
    HeraldCenterVisitRegistrations(center, see, &found);
    CHECK(strcmp(found.description.site, "look.c:q") == 0);
    HeraldSetDescriber(listener_hear, NULL);
    HeraldCenterVisitRegistrations(center, see, &found);
    CHECK(!found.last.description);
    HeraldCenterRelease(center);
}

static void add_many(void) {
    HeraldCenterRef center = new_center();
    struct listener many[5] = {{0}};
    HeraldSetDescriber(listener_hear, describe);
    HeraldCenterSetLabel(center, "mine");
    HeraldCenterSetObserverLimit(center, 2);
    for (int i = 0; i < 5; i++) {
        many[i].letter = (char)('a' + i);
        add(center, &many[i], name_of("look.limit"), i & 1 ? &somebody : NULL);
    }
    HeraldCenterRelease(center);
}

RULE(24, more_observers_than_expected_are_said_once) {
    char said[400] = "";
    CHECK(in_child(add_many, said, sizeof said) == 0);
    CHECK(strcmp(said, "herald: mine: more than 2 observers of look.limit: the last was added at look.c:c\n") == 0);
}

static size_t say_other(HeraldNameRef name, char *buffer, size_t size) {
    (void)name;
    return (size_t)snprintf(buffer, size, "other");
}
static size_t say_tagged(HeraldNameRef name, char *buffer, size_t size) {
    (void)name;
    return (size_t)snprintf(buffer, size, "tagged");
}

RULE(24, names_that_are_addresses_have_describers) {
    static int tag;
    HeraldNameRef name = HeraldNameForAddress(&somebody);
    char text[32];
    CHECK(HeraldNameDescribe(name, NULL, text, sizeof text) > 2 && strncmp(text, "0x", 2) == 0);
    CHECK(strtoull(text, NULL, 16) == (uintptr_t)&somebody);
    HeraldSetNameDescriber(say_other);
    HeraldSetTagDescriber(&tag, say_tagged);
    CHECK(HeraldNameDescribe(name, NULL, text, sizeof text) == 5 && strcmp(text, "other") == 0);
    CHECK(HeraldNameDescribe(name, &tag, text, 4) == 6 && strcmp(text, "tag") == 0);
    CHECK(HeraldNameDescribe(name_of("look.own"), &tag, text, sizeof text) == 8 && strcmp(text, "look.own") == 0);
    HeraldSetTagDescriber(&tag, NULL);
    CHECK(HeraldNameDescribe(name, &tag, text, sizeof text) == 5);
    static char tags[100]; /* a place is free again when its tag has no describer any more */
    for (size_t i = 0; i < sizeof tags; i++) {
        HeraldSetTagDescriber(&tags[i], say_tagged);
        HeraldSetTagDescriber(&tags[i], NULL);
    }
    HeraldSetTagDescriber(&tag, say_tagged);
    CHECK(HeraldNameDescribe(name, &tag, text, sizeof text) == 6);
    HeraldSetTagDescriber(&tag, NULL);
    HeraldSetNameDescriber(NULL);
}
