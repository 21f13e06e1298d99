/* R15: every allocation of add, remove, post, topic, name, suspension and kept posts is made to fail in turn. A failing
 * call reports it, changes nothing, and works when it is tried again. Linked with --wrap for the C library's
 * allocators. */
#include <herald/herald.h>
#include <herald/message.h>
#include <herald/transport.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);

static long countdown = -1; /* allocations until one fails; -1: none fails */
static bool failed;

static bool fails(void) {
    if (countdown < 0 || countdown-- > 0) return false;
    countdown = -1;
    return failed = true;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *memory, size_t size) { return fails() ? NULL : __real_realloc(memory, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static int checks, broken;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        checks++;                                                                                                      \
        if (!(condition)) broken++, printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                             \
    } while (0)

static int calls, released, objects_kept, objects_given;
static const void *heard_last;
static void on_post(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object;
    calls++;
    heard_last = userInfo;
}
static void on_release(void *observer) {
    (void)observer;
    released++;
}
static const void *keep(const void *object) {
    objects_kept++;
    return object;
}
static void give(const void *object) {
    (void)object;
    objects_given++;
}

static char object, observers[64];
static HeraldObserverOptions options = {
    .size = sizeof options, .release = on_release, .retainObject = keep, .releaseObject = give};

/* Runs `act` with the first, second, third ... allocation failing, until it succeeds without one. */
#define EACH(...)                                                                                                      \
    for (long n = 0, done = 0; !done; n++) {                                                                           \
        failed = false;                                                                                                \
        countdown = n;                                                                                                 \
        __VA_ARGS__;                                                                                                   \
        countdown = -1;                                                                                                \
        done = !failed;                                                                                                \
    }

static void add_fails(HeraldCenterRef center, HeraldNameRef name, const void *subject, int already) {
    EACH({
        HeraldToken token = {1, 1};
        int kept = objects_kept, given = objects_given;
        HeraldStatus status =
            HeraldCenterAddObserverWithOptions(center, &observers[0], on_post, name, subject, &options, &token);
        long remaining = countdown;
        countdown = -1;
        if (status == HeraldOK) {
            CHECK((int)HeraldCenterPostNotification(center, name, subject, NULL, false) == already + 1);
            CHECK(HeraldCenterRemoveToken(center, token));
        } else {
            CHECK(status == HeraldOutOfMemory && failed);
            CHECK(token.center == 0 && token.registration == 0);
            CHECK((int)HeraldCenterPostNotification(center, name, subject, NULL, false) == already);
        }
        CHECK(objects_kept - kept == objects_given - given);
        countdown = remaining;
    });
}

static void hear_tagged(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *subject,
                        const void *userInfo, const void *tag) {
    (void)tag;
    on_post(center, observer, name, subject, userInfo);
}

static void signals_fail(HeraldCenterRef center) {
    static HeraldTopicRef signal;
    EACH({
        HeraldTopicRelease(signal);
        signal = HeraldTopicCreateUnnamed(center);
        CHECK(signal || failed);
    });
    for (int i = 0; i < 40; i++) {
        EACH({
            HeraldToken token = {1, 1};
            int before = released;
            HeraldStatus status = HeraldTopicAddObserver(signal, &observers[i], hear_tagged, on_release, &token);
            long remaining = countdown;
            countdown = -1;
            CHECK(status == HeraldOK || (status == HeraldOutOfMemory && failed && !token.center));
            CHECK((int)HeraldTopicGetObserverCount(signal) == i + (status == HeraldOK));
            CHECK((int)HeraldTopicPost(signal, NULL) == i + (status == HeraldOK) && released == before);
            if (status == HeraldOK && failed) CHECK(HeraldCenterRemoveToken(center, token));
            countdown = remaining;
        });
    }
    int before = released;
    countdown = 0; /* the end needs no memory */
    HeraldTopicRemoveEveryObserver(signal);
    countdown = 0;
    HeraldTopicRelease(signal);
    countdown = -1;
    signal = NULL;
    CHECK(released == before + 40);
}

static void *post_from_new_thread(void *center) {
    countdown = 0; /* the thread gets no record: its post still works */
    size_t count = HeraldCenterPostNotification(center, HeraldNameFind("a"), &object, NULL, false);
    countdown = -1;
    return (void *)count;
}

/* ---- Kept posts (R25) -------------------------------------------------------------------------------------------- */

static char keys[2 * 64], values[2];

static void take(void *taken, const void *userInfo, const void *tag) {
    (void)tag;
    *(const void **)taken = userInfo;
}

static const void *kept_of(HeraldCenterRef center, HeraldNameRef name, const void *subject) {
    const void *taken = NULL;
    HeraldCenterTakeKept(center, name, subject, take, &taken);
    return taken;
}

/* Posts about a name and object that nothing is kept of, and then once more. `heard`: how many observers hear it. */
static void keeping_fails(HeraldCenterRef center, HeraldNameRef name, const void *subject, int heard) {
    for (int again = 0; again < 2; again++) {
        EACH({
            int retained = objects_kept - objects_given, before = calls;
            size_t called = 99;
            HeraldStatus status = HeraldCenterPostKept(center, name, subject, &values[again], NULL, 0, &called);
            long remaining = countdown;
            countdown = -1;
            bool is_kept = status == HeraldOK;
            CHECK(is_kept || (failed && status == HeraldOutOfMemory));
            CHECK(called == (is_kept ? (size_t)heard : 0) && calls - before == (int)called);
            const void *expected = is_kept ? &values[again] : again ? &values[0] : NULL;
            CHECK(kept_of(center, name, subject) == expected);
            CHECK(objects_kept - objects_given == retained + (is_kept && !again));
            if (is_kept && !again && failed) CHECK(HeraldCenterForget(center, name, subject));
            countdown = remaining;
        });
    }
    CHECK(HeraldCenterForget(center, name, subject));
}

static void messages_fail(HeraldCenterRef center, HeraldNameRef name, const char *text) {
    HeraldMessage message = {
        .size = sizeof message, .bytes = "bytes", .length = 5, .object = text, .options = HeraldPostKeep};
    EACH({
        int before = calls;
        HeraldStatus status = HeraldCenterPostMessage(center, name, &message);
        long remaining = countdown;
        countdown = -1;
        CHECK(status == HeraldOK || (failed && status == HeraldOutOfMemory));
        CHECK(calls - before == (status == HeraldOK));
        countdown = remaining;
    });
}

/* Adds an observer that begins with what is kept: `kept` posts. */
static void following_fails(HeraldCenterRef center, HeraldNameRef name, const void *subject, int kept) {
    HeraldObserverOptions with_kept = options;
    with_kept.start = HeraldStartKept;
    EACH({
        HeraldToken token = {1, 1};
        int before = calls, retained = objects_kept - objects_given, over = released;
        HeraldStatus status =
            HeraldCenterAddObserverWithOptions(center, &observers[0], on_post, name, subject, &with_kept, &token);
        long remaining = countdown;
        countdown = -1;
        if (status == HeraldOK) {
            CHECK(calls - before == kept);
            CHECK(HeraldCenterRemoveToken(center, token) && released == over + 1);
        } else {
            CHECK(status == HeraldOutOfMemory && failed && calls == before && released == over);
            CHECK(token.center == 0 && token.registration == 0);
        }
        CHECK(objects_kept - objects_given == retained);
        countdown = remaining;
    });
}

static void count_visit(void *count, HeraldNameRef name, const void *subject, const void *userInfo, const void *tag) {
    (void)name, (void)subject, (void)userInfo, (void)tag;
    ++*(int *)count;
}

static void kept_posts_fail(void) {
    HeraldCenterOptions center_options = {.size = sizeof center_options,
                                          .retainUserInfo = keep,
                                          .releaseUserInfo = give,
                                          .keptPostLimit = 200,
                                          .heldPostLimit = 4};
    HeraldCenterRef center = HeraldCenterCreate(&center_options);
    char text[32];
    for (int i = 0; i < 64; i++) { /* everything grows in between */
        HeraldNameRef name = HeraldNameForAddress(&keys[2 * i]);
        following_fails(center, name, NULL, 0);
        following_fails(center, name, &object, 0);
        keeping_fails(center, name, NULL, 0);
        keeping_fails(center, name, &object, 0);
        HeraldObserverOptions begins = {.size = sizeof begins, .start = HeraldStartKept};
        CHECK(HeraldCenterAddObserverWithOptions(center, &observers[1], on_post, name, NULL, &begins, NULL) ==
              HeraldOK);
        CHECK(HeraldCenterAddObserverWithOptions(center, &observers[1], on_post, name, &object, &begins, NULL) ==
              HeraldOK);
        keeping_fails(center, name, NULL, 1);
        keeping_fails(center, name, &object, 2);
        snprintf(text, sizeof text, "text %d", i);
        messages_fail(center, name, text);
        HeraldCenterRemoveEveryObserver(center, &observers[1]);
        CHECK(HeraldCenterPostKept(center, name, NULL, &values[0], NULL, 0, NULL) == HeraldOK);
        following_fails(center, name, NULL, 2); /* and the message */
        const void *made = NULL;
        EACH({
            made = HeraldObjectForString(text);
            CHECK(made || failed);
        });
        following_fails(center, name, made, 1);
        EACH({
            int visited = 0;
            HeraldCenterVisitKept(center, count_visit, &visited);
            CHECK(visited == (failed ? 0 : 2 * (i + 1)));
        });
    }
    /* A follower that coalesces makes a list of what it still hears when its lane has more than the limit. Without
     * memory for the list it loses the oldest. */
    HeraldObserverOptions coalesces = {
        .size = sizeof coalesces, .suspensionBehavior = HeraldSuspensionCoalesce, .start = HeraldStartKept};
    HeraldNameRef name = HeraldNameCreate("coalesced");
    HeraldToken token;
    CHECK(HeraldCenterAddObserverWithOptions(center, NULL, on_post, name, NULL, &coalesces, &token) == HeraldOK);
    EACH({
        const void *newest = NULL;
        HeraldCenterSetSuspended(center, true);
        for (int i = 0; i < 20; i++) {
            HeraldStatus status = HeraldCenterPostKept(center, name, &keys[i % 2], &values[i % 2], NULL, 0, NULL);
            CHECK(status == HeraldOK || (failed && status == HeraldOutOfMemory));
            if (status == HeraldOK) newest = &values[i % 2];
        }
        HeraldCenterSetSuspended(center, false);
        CHECK(heard_last == newest && kept_of(center, name, &keys[1]));
    });
    CHECK(HeraldCenterRemoveToken(center, token));
    HeraldCenterRelease(center);
    CHECK(objects_kept == objects_given);
}

/* ---- Kept posts over a transport (R25) --------------------------------------------------------------------------- */

static int began_with;
static HeraldStatus began_status;
static void on_begin(void *observer, size_t kept, HeraldStatus status) {
    (void)observer;
    began_with = (int)kept;
    began_status = status;
}

static void ask_later(void *context, HeraldCenterRef center, HeraldNameRef name, const char *text, HeraldToken token) {
    (void)context, (void)center, (void)name, (void)text, (void)token;
}

static void carried_posts_fail(void) {
    HeraldTransport transport = {.size = sizeof transport, .begin = ask_later};
    HeraldObserverOptions begins = {.size = sizeof begins, .start = HeraldStartKept, .began = on_begin};
    HeraldMessage message = {.size = sizeof message, .bytes = "bytes", .length = 5, .object = "carried"};
    HeraldKeptPost kept[2] = {{&message, 0}, {NULL, 0}};
    HeraldNameRef name = HeraldNameCreate("carried");
    HeraldCenterRef center;
    HeraldToken token = {0, 0};
    HeraldToken other = {0, 0};
    uint64_t number = 0;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    CHECK(HeraldCenterAddObserverWithOptions(center, NULL, on_post, name, NULL, NULL, &other) == HeraldOK);
    /* The center has an observer; `before` and `dropped` are what it has heard and lost. */
    EACH({
        HeraldStatus status = HeraldCenterAddObserverWithOptions(center, NULL, on_post, name, NULL, &begins, &token);
        CHECK(status == HeraldOK || (failed && status == HeraldOutOfMemory));
        if (status == HeraldOK && failed) CHECK(HeraldCenterRemoveToken(center, token));
    });
    EACH({ /* before it begins: the observer hears the post, and the follower's lane has it or has lost it */
           int before = calls;
           uint64_t dropped = HeraldCenterGetDroppedPostCount(center);
           CHECK(HeraldCenterDeliverKept(center, name, &message, ++number) == 1 && calls == before + 1);
           CHECK(HeraldCenterGetDroppedPostCount(center) == dropped + failed);
    });
    EACH({ /* it begins again and again, until there is memory */
           int before = calls;
           kept[0].number = number + 1;
           kept[1].number = number += 2;
           began_with = -1;
           HeraldCenterBegin(center, name, token, kept, 2, 0, HeraldOK);
           CHECK(began_status == (failed ? HeraldOutOfMemory : HeraldOK) && began_with == (failed ? 0 : 2));
           CHECK(calls >= before + began_with);
    });
    EACH({
        int before = calls;
        uint64_t dropped = HeraldCenterGetDroppedPostCount(center);
        CHECK((int)HeraldCenterDeliverKept(center, name, &message, ++number) == 2 - failed);
        CHECK(calls == before + 2 - failed && HeraldCenterGetDroppedPostCount(center) == dropped + failed);
    });
    CHECK(HeraldCenterRemoveToken(center, token));
    /* What it has heard after a failed beginning is not heard again, although it may be out of memory for noting it. */
    CHECK(HeraldCenterAddObserverWithOptions(center, NULL, on_post, name, NULL, &begins, &token) == HeraldOK);
    HeraldCenterBegin(center, name, token, NULL, 0, 0, HeraldTransportFailed);
    size_t heard = 0;
    EACH({ heard = HeraldCenterDeliverKept(center, name, &message, ++number); });
    CHECK(heard == 2);
    kept[0].number = number;
    HeraldCenterBegin(center, name, token, kept, 1, 0, HeraldOK);
    CHECK(began_with == 0 && began_status == HeraldOK);
    HeraldCenterRelease(center);
}

/* ------------------------------------------------------------------------------------------------------------------ */

int main(void) {
    EACH({ /* the first one of all */
           HeraldCenterRef center = HeraldCenterCreate(NULL);
           CHECK(center || failed);
           HeraldCenterRelease(center);
    });
    HeraldNameRef name = HeraldNameCreate("a");
    EACH({
        HeraldNameRef made = HeraldNameCreate("made under pressure");
        CHECK(made || failed);
    });
    char text[32];
    for (int i = 0; i < 200; i++) { /* the table of names grows in between */
        snprintf(text, sizeof text, "name %d", i);
        EACH({
            HeraldNameRef made = HeraldNameCreate(text);
            CHECK(made || failed);
        });
        CHECK(HeraldNameFind(text) != NULL);
    }

    HeraldTagOptions tag_options = {.size = sizeof tag_options};
    bool described = false;
    EACH({
        HeraldStatus status = HeraldTagSetOptions(&object, &tag_options);
        CHECK(status == (failed ? HeraldOutOfMemory : described ? HeraldInvalidArgument : HeraldOK));
        described = described || status == HeraldOK;
    });
    CHECK(described);

    HeraldCenterOptions center_options = {
        .size = sizeof center_options, .retainUserInfo = keep, .releaseUserInfo = give};
    HeraldCenterRef center = HeraldCenterCreate(&center_options);
    HeraldCenterPostNotification(center, name, NULL, NULL, false); /* this thread's record */
    int expected = 0;
    for (int i = 1; i < 40; i++) { /* with more and more observers: everything grows in between */
        add_fails(center, name, &object, expected);
        add_fails(center, HeraldNameForAddress(&observers[i & ~1]), NULL, 0);
        CHECK(HeraldCenterAddObserverWithOptions(center, &observers[i], on_post, name, i % 2 ? &object : NULL, &options,
                                                 NULL) == HeraldOK);
        expected++;
        EACH({
            HeraldTopicRef topic = HeraldTopicCreate(center, HeraldNameForAddress(&text[2 * (i % 16)]), &object);
            CHECK(topic || failed);
            HeraldTopicRelease(topic);
        });
    }

    signals_fail(center);

    static char addresses[2 * 200];
    HeraldTopicRef topics[200]; /* the center's table grows in between */
    for (int i = 0; i < 200; i++) {
        topics[i] = NULL;
        EACH({
            if (!topics[i]) topics[i] = HeraldTopicCreate(center, HeraldNameForAddress(&addresses[2 * i]), NULL);
            CHECK(topics[i] || failed);
        });
    }
    for (int i = 0; i < 200; i++) HeraldTopicRelease(topics[i]);

    pthread_t thread;
    void *count;
    pthread_create(&thread, NULL, post_from_new_thread, center);
    pthread_join(thread, &count);
    CHECK((int)(size_t)count == expected);

    /* A suspended center without memory drops the posts that it cannot hold, and counts them. */
    HeraldObserverOptions holding = {.size = sizeof holding, .suspensionBehavior = HeraldSuspensionHold};
    HeraldToken held;
    CHECK(HeraldCenterAddObserverWithOptions(center, &held, on_post, HeraldNameCreate("held"), NULL, &holding, &held) ==
          HeraldOK);
    HeraldCenterSetSuspended(center, true);
    uint64_t lost = 0;
    int posts = 0;
    calls = 0;
    EACH({
        HeraldCenterPostNotification(center, HeraldNameFind("held"), NULL, &object, false);
        posts++;
        CHECK(HeraldCenterGetDroppedPostCount(center) - lost == (failed ? 1u : 0u));
        lost = HeraldCenterGetDroppedPostCount(center);
    });
    HeraldCenterSetSuspended(center, false);
    CHECK(calls == posts - (int)lost && lost > 0);

    /* Removing needs no memory. */
    for (int i = 1; i < 40; i++) {
        int before = released;
        countdown = 0;
        HeraldCenterRemoveEveryObserverAndWait(center, &observers[i]);
        countdown = -1;
        CHECK(released == before + 1);
        expected--;
        CHECK((int)HeraldCenterPostNotification(center, name, &object, NULL, false) == expected);
    }
    HeraldCenterRelease(center);
    CHECK(objects_kept == objects_given);
    kept_posts_fail();
    carried_posts_fail();
    printf("allocation: %d passed, %d failed\n", checks - broken, broken);
    return broken != 0;
}
