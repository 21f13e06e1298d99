/* R22: several copies of the library in one process are one local center. copies.sh builds this file as a program and
 * as plugins, each with a static copy, with libherald.so, or with another version of the library.
 *
 *      copies one PLUGIN                the program's copy and the plugin's are one
 *      copies older PLUGIN              the plugin's is 0.2.0, which keeps nothing: they are one, except for the host
 *                                       center, whose file has another layout
 *      copies apart PLUGIN              the plugin's version does not fit: two centers, and both report it
 *      copies namespace PLUGIN          the plugin is loaded by dlmopen: two centers, and both report it
 *      copies cost PLUGIN               the cost of a post through another copy, in nanoseconds
 *
 * In these the program has no copy:
 *      copies joins NEWER OLDER         an older copy joins a newer one, but not the other way round
 *      copies at-once PLUGIN...         four begin in four threads at once
 *      copies fails PLUGIN BROKEN       a copy looks for others while one fails to load
 *      copies constructs PLUGIN PLUGIN  a constructor waits for a thread that makes the first call
 *      copies two BOTH PLUGIN           an object with two copies
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <herald/host.h>
#include <herald/inspect.h>
#include <herald/message.h>
#include <herald/transport.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The functions that the test calls, each of one copy. */
#define FUNCTIONS(_)                                                                                                   \
    _(HeraldNameCreate)                                                                                                \
    _(HeraldNameFind)                                                                                                  \
    _(HeraldNameGetUTF8String)                                                                                         \
    _(HeraldObjectForString)                                                                                           \
    _(HeraldCenterGetLocalCenter)                                                                                      \
    _(HeraldCenterCreate)                                                                                              \
    _(HeraldCenterRelease)                                                                                             \
    _(HeraldCenterAddObserver)                                                                                         \
    _(HeraldCenterAddObserverWithOptions)                                                                              \
    _(HeraldCenterRemoveObserver)                                                                                      \
    _(HeraldCenterRemoveEveryObserver)                                                                                 \
    _(HeraldCenterRemoveTokenAndWait)                                                                                  \
    _(HeraldCenterPostNotification)                                                                                    \
    _(HeraldCenterPostTagged)                                                                                          \
    _(HeraldGetCurrentTag)                                                                                             \
    _(HeraldCenterPostMessage)                                                                                         \
    _(HeraldGetCurrentMessage)                                                                                         \
    _(HeraldTopicCreate)                                                                                               \
    _(HeraldTopicPost)                                                                                                 \
    _(HeraldTopicRelease)                                                                                              \
    _(HeraldCenterSetSuspended)                                                                                        \
    _(HeraldCenterIsSuspended)                                                                                         \
    _(HeraldTraceStart)                                                                                                \
    _(HeraldTraceStop)                                                                                                 \
    _(HeraldVisitCopies)                                                                                               \
    _(HeraldCenterGetHostCenter)

#ifndef OLD /* 0.2.0 does not have them */
#define LATER_FUNCTIONS(_)                                                                                             \
    _(HeraldTopicCreateUnnamed)                                                                                        \
    _(HeraldTopicAddObserver)                                                                                          \
    _(HeraldTopicRemoveEveryObserver)                                                                                  \
    _(HeraldTopicGetObserverCount)                                                                                     \
    _(HeraldCenterHasToken)                                                                                            \
    _(HeraldCenterSetTokenBlocked)                                                                                     \
    _(HeraldCenterIsTokenBlocked)                                                                                      \
    _(HeraldTokenRemove)                                                                                               \
    _(HeraldTokenRemoveAndWait)                                                                                        \
    _(HeraldTokenRetainCenter)                                                                                         \
    _(HeraldGetCurrentToken)                                                                                           \
    _(HeraldCenterPostKept)                                                                                            \
    _(HeraldTopicPostKept)                                                                                             \
    _(HeraldPostIsKept)                                                                                                \
    _(HeraldCenterTakeKept)                                                                                            \
    _(HeraldCenterForget)                                                                                              \
    _(HeraldCenterVisitKept)                                                                                           \
    _(HeraldCenterCreateWithTransport)                                                                                 \
    _(HeraldCenterDeliverKept)                                                                                         \
    _(HeraldCenterBegin)
#else
#define LATER_FUNCTIONS(_)
#endif

struct calls {
#define MEMBER(function) __typeof__(function) *function;
    FUNCTIONS(MEMBER)
    bool (*traceIsOn)(void);
    LATER_FUNCTIONS(MEMBER)
};

#ifndef WITHOUT_COPY
static bool is_traced(void) { return HeraldTraceIsOn(); }
#define POINTER(function) .function = function,
static const struct calls own = {FUNCTIONS(POINTER).traceIsOn = is_traced, LATER_FUNCTIONS(POINTER)};
#endif

#ifdef PLUGIN
const struct calls *plugin_calls(void);
const struct calls *plugin_calls(void) { return &own; }

#ifdef BROKEN
void nobody_has_this(void);
void call_nobody(void);
void call_nobody(void) { nobody_has_this(); }
#endif

#ifdef CONSTRUCTS
static void *call_first(void *unused) {
    (void)unused;
    return HeraldCenterGetLocalCenter();
}

/* Runs before the library's own constructors. */
__attribute__((constructor(101))) static void wait_for_a_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, call_first, NULL);
    pthread_join(thread, NULL);
}
#endif
#else

static int failures;
#define CHECK(claim)                                                                                                   \
    do {                                                                                                               \
        if (!(claim)) {                                                                                                \
            fprintf(stderr, "copies.c:%d: %s\n", __LINE__, #claim);                                                    \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static const struct calls *calls_of(void *plugin, const char *function) {
    const struct calls *(*find)(void) = NULL;
    if (plugin) *(void **)&find = dlsym(plugin, function);
    if (find) return find();
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
}

static const struct calls *load(const char *path) {
    return calls_of(dlopen(path, RTLD_NOW | RTLD_LOCAL), "plugin_calls");
}

struct told {
    int count, first, shared, asked;
    long namespace;
};

static bool tell(void *context, const HeraldCopyInfo *info) {
    struct told *told = context;
    told->count++;
    told->first += info->isFirst;
    told->shared += info->isShared;
    told->asked += info->isAsked;
    told->namespace = info->namespaceNumber;
    return info->version[0] != 0;
}

static struct told ask(const struct calls *copy) {
    struct told told = {0, 0, 0, 0, 0};
    CHECK(copy->HeraldVisitCopies(tell, &told) == (size_t)told.count);
    return told;
}

#ifndef WITHOUT_COPY
struct heard {
    int calls, released;
    char order[16];
    const void *tag, *object, *userInfo;
    char letter;
    struct heard *into;
    const struct calls *asks;
};

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)name;
    struct heard *heard = observer, *into = heard->into ? heard->into : heard;
    into->order[into->calls++ % 15] = heard->letter;
    into->object = object;
    into->userInfo = userInfo;
    if (heard->asks) into->tag = heard->asks->HeraldGetCurrentTag();
}

static void released(void *observer) { ((struct heard *)observer)->released++; }

static void R22_names_and_centers_are_shared(const struct calls *other) {
    HeraldNameRef name = HeraldNameCreate("copies.shared");
    CHECK(name && other->HeraldNameCreate("copies.shared") == name);
    CHECK(other->HeraldNameFind("copies.shared") == name && !other->HeraldNameFind("copies.never"));
    HeraldNameRef theirs = other->HeraldNameCreate("copies.theirs");
    CHECK(theirs && HeraldNameFind("copies.theirs") == theirs);
    CHECK(strcmp(HeraldNameGetUTF8String(theirs), "copies.theirs") == 0);
    CHECK(HeraldObjectForString("object") == other->HeraldObjectForString("object"));
    CHECK(HeraldCenterGetLocalCenter() == other->HeraldCenterGetLocalCenter());
}

static void R22_observers_of_both_hear_in_order(const struct calls *other) {
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldNameRef name = HeraldNameCreate("copies.order");
    struct heard all = {.letter = '-'}, a = {.letter = 'a', .into = &all}, b = {.letter = 'b', .into = &all};
    struct heard c = {.letter = 'c', .into = &all};
    HeraldToken token;
    HeraldObserverOptions options = {.size = sizeof options, .release = released};
    CHECK(HeraldCenterAddObserver(center, &a, hear, name, NULL, HeraldSuspensionDrop) == HeraldOK);
    CHECK(other->HeraldCenterAddObserverWithOptions(center, &b, hear, name, NULL, &options, &token) == HeraldOK);
    CHECK(HeraldCenterAddObserver(center, &c, hear, name, NULL, HeraldSuspensionDrop) == HeraldOK);
    CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == 3);
    CHECK(other->HeraldCenterPostNotification(center, name, &all, "info", false) == 3);
    CHECK(strcmp(all.order, "abcabc") == 0 && all.object == &all && strcmp(all.userInfo, "info") == 0);
    CHECK(HeraldCenterRemoveTokenAndWait(center, token) && b.released == 1);
    CHECK(!other->HeraldCenterRemoveTokenAndWait(center, token));
    other->HeraldCenterRemoveObserver(center, &a, name, NULL);
    HeraldCenterRemoveEveryObserver(center, &c);
    CHECK(other->HeraldCenterPostNotification(center, name, NULL, NULL, false) == 0);
}

static void R22_topics_and_tags_pass(const struct calls *other) {
    static const char tag;
    HeraldCenterRef center = other->HeraldCenterCreate(NULL);
    HeraldNameRef name = HeraldNameCreate("copies.topic");
    HeraldTopicRef mine = HeraldTopicCreate(center, name, NULL), theirs = other->HeraldTopicCreate(center, name, name);
    struct heard heard = {.letter = 't', .asks = other};
    CHECK(HeraldCenterAddObserver(center, &heard, hear, name, NULL, HeraldSuspensionDrop) == HeraldOK);
    CHECK(other->HeraldTopicPost(mine, NULL) == 1 && HeraldTopicPost(mine, NULL) == 1);
    CHECK(other->HeraldTopicPost(theirs, NULL) == 1 && HeraldTopicPost(theirs, NULL) == 1 && heard.object == name);
    CHECK(other->HeraldCenterPostTagged(center, name, NULL, NULL, &tag, 0) == 1 && heard.tag == &tag);
    heard.asks = &own;
    CHECK(other->HeraldCenterPostTagged(center, name, NULL, NULL, &tag, 0) == 1 && heard.tag == &tag);
    HeraldTopicRelease(theirs);
    other->HeraldTopicRelease(mine);
    HeraldCenterRelease(center);
}

#ifndef OLD
static HeraldToken current;
static void hear_token(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                       const void *userInfo, const void *tag) {
    (void)center, (void)name, (void)object, (void)userInfo, (void)tag;
    const struct calls *asks = observer;
    current = asks->HeraldGetCurrentToken();
}

static void R22_signals_and_tokens_pass(const struct calls *other) {
    const struct calls *copies[2] = {&own, other};
    for (int i = 0; i < 2; i++) {
        const struct calls *makes = copies[i], *uses = copies[!i];
        HeraldCenterRef center = makes->HeraldCenterCreate(NULL);
        HeraldTopicRef signal = makes->HeraldTopicCreateUnnamed(center);
        HeraldToken first, second;
        CHECK(uses->HeraldTopicAddObserver(signal, (void *)(uintptr_t)uses, hear_token, NULL, &first) == HeraldOK);
        CHECK(makes->HeraldTopicAddObserver(signal, (void *)(uintptr_t)makes, hear_token, NULL, &second) == HeraldOK);
        CHECK(uses->HeraldTopicGetObserverCount(signal) == 2 && uses->HeraldTopicPost(signal, NULL) == 2);
        CHECK(current.center == second.center && current.registration == second.registration);
        CHECK(uses->HeraldCenterSetTokenBlocked(center, second, true) &&
              makes->HeraldCenterIsTokenBlocked(center, second));
        CHECK(makes->HeraldTopicPost(signal, NULL) == 1 && current.registration == first.registration);
        CHECK(uses->HeraldTokenRetainCenter(first) == center && uses->HeraldCenterHasToken(center, first));
        uses->HeraldCenterRelease(center);
        CHECK(uses->HeraldTokenRemove(first) && !makes->HeraldTokenRemoveAndWait(first));
        uses->HeraldTopicRemoveEveryObserver(signal);
        CHECK(!makes->HeraldCenterHasToken(center, second));
        uses->HeraldTopicRelease(signal);
        uses->HeraldCenterRelease(center);
    }
}
#endif

static void R22_suspension_is_shared(const struct calls *other) {
    HeraldCenterRef center = HeraldCenterCreate(NULL);
    HeraldNameRef name = HeraldNameCreate("copies.held");
    struct heard heard = {.letter = 'h'};
    CHECK(HeraldCenterAddObserver(center, &heard, hear, name, NULL, HeraldSuspensionHold) == HeraldOK);
    other->HeraldCenterSetSuspended(center, true);
    CHECK(HeraldCenterIsSuspended(center) && other->HeraldCenterIsSuspended(center));
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    other->HeraldCenterPostNotification(center, name, NULL, NULL, false);
    CHECK(heard.calls == 0);
    HeraldCenterSetSuspended(center, false);
    CHECK(heard.calls == 2 && !other->HeraldCenterIsSuspended(center));
    other->HeraldCenterRelease(center);
}

static const struct calls *reader;
static int messages;

static void hear_message(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)observer, (void)name;
    const HeraldMessage *message = reader->HeraldGetCurrentMessage();
    messages += message == userInfo && message && strcmp(message->bytes, "saved") == 0 &&
                object == reader->HeraldObjectForString("notes.txt");
}

static void R22_messages_pass(const struct calls *other) {
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldNameRef name = HeraldNameCreate("copies.message");
    HeraldMessage message = {.size = sizeof message, .object = "notes.txt", .bytes = "saved", .length = 6};
    HeraldObjectForString("notes.txt");
    CHECK(HeraldCenterAddObserver(center, &messages, hear_message, name, NULL, HeraldSuspensionDrop) == HeraldOK);
    reader = other;
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    CHECK(other->HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    reader = &own;
    CHECK(other->HeraldCenterPostMessage(center, name, &message) == HeraldOK && messages == 3);
    HeraldCenterRemoveEveryObserver(center, &messages);
}

#ifndef OLD
static int kept_calls, kept_marks, taken, visited;
static const void *keep_it(const void *userInfo) { return userInfo; }

static void hear_kept(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    kept_calls++;
    kept_marks += reader->HeraldPostIsKept();
}

static void take(void *context, const void *userInfo, const void *tag) {
    (void)tag;
    taken += context == userInfo;
}

static void count_visit(void *context, HeraldNameRef name, const void *object, const void *userInfo, const void *tag) {
    (void)context, (void)name, (void)object, (void)userInfo, (void)tag;
    visited++;
}

static HeraldToken asked;
static void note_asked(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                       HeraldToken token) {
    (void)context, (void)center, (void)name, (void)object;
    asked = token;
}

/* A transport of one copy hands in kept posts by the functions of the other. */
static void R22_kept_posts_of_a_transport_pass(const struct calls *other) {
    HeraldTransport transport = {.size = sizeof transport, .begin = note_asked};
    HeraldObserverOptions begins = {.size = sizeof begins, .start = HeraldStartKept};
    const struct calls *copies[2] = {&own, other};
    HeraldNameRef name = HeraldNameCreate("copies.carried");
    for (int i = 0; i < 2; i++) {
        const struct calls *makes = copies[i], *uses = copies[!i];
        HeraldCenterRef center;
        HeraldKeptPost kept = {NULL, 1};
        HeraldToken token;
        reader = makes;
        kept_calls = kept_marks = 0;
        CHECK(makes->HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
        CHECK(uses->HeraldCenterAddObserverWithOptions(center, NULL, hear_kept, name, NULL, &begins, &token) ==
              HeraldOK);
        CHECK(uses->HeraldCenterDeliverKept(center, name, NULL, 2) == 0);
        uses->HeraldCenterBegin(center, name, asked, &kept, 1, 0, HeraldOK);
        CHECK(kept_calls == 2 && kept_marks == 1);
        CHECK(uses->HeraldCenterDeliverKept(center, name, NULL, 3) == 1 && kept_calls == 3);
        uses->HeraldCenterRelease(center);
    }
}

/* What one copy keeps, the other takes, begins with, and forgets. */
static void R22_kept_posts_pass(const struct calls *other) {
    HeraldCenterOptions hooks = {.size = sizeof hooks, .retainUserInfo = keep_it};
    HeraldObserverOptions begins = {.size = sizeof begins, .start = HeraldStartKept};
    const struct calls *copies[2] = {&own, other};
    HeraldNameRef name = HeraldNameCreate("copies.kept");
    for (int i = 0; i < 2; i++) {
        const struct calls *keeps = copies[i], *takes = copies[!i];
        HeraldCenterRef center = keeps->HeraldCenterCreate(&hooks);
        HeraldTopicRef topic = keeps->HeraldTopicCreate(center, name, NULL);
        HeraldMessage message = {.size = sizeof message, .object = "kept.txt", .options = HeraldPostKeep};
        HeraldToken token;
        reader = takes;
        kept_calls = kept_marks = taken = visited = 0;
        CHECK(keeps->HeraldCenterPostKept(center, name, NULL, "one", NULL, 0, NULL) == HeraldOK);
        CHECK(keeps->HeraldCenterPostMessage(center, name, &message) == HeraldOK);
        CHECK(takes->HeraldCenterAddObserverWithOptions(center, NULL, hear_kept, name, NULL, &begins, &token) ==
              HeraldOK);
        CHECK(kept_calls == 2 && kept_marks == 2);
        size_t called = 0;
        CHECK(keeps->HeraldTopicPostKept(topic, &taken, NULL, &called) == HeraldOK && called == 1);
        CHECK(kept_calls == 3 && kept_marks == 2);
        CHECK(takes->HeraldCenterTakeKept(center, name, NULL, take, &taken) && taken == 1);
        takes->HeraldCenterVisitKept(center, count_visit, NULL);
        CHECK(visited == 2);
        CHECK(takes->HeraldCenterForget(center, name, keeps->HeraldObjectForString("kept.txt")));
        CHECK(takes->HeraldCenterForget(center, name, NULL) && !keeps->HeraldCenterForget(center, name, NULL));
        CHECK(keeps->HeraldCenterRemoveTokenAndWait(center, token));
        keeps->HeraldTopicRelease(topic);
        takes->HeraldCenterRelease(center);
    }
}
#endif

static const void *caller;

static void note_caller(void *context, const HeraldTraceEvent *event) {
    (void)context;
    if (event->phase == HeraldTracePostBegin) caller = event->caller;
}

static void R22_traces_see_all(const struct calls *other) {
    HeraldToken trace;
    Dl_info object;
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldNameRef name = HeraldNameCreate("copies.traced");
    CHECK(!own.traceIsOn() && !other->traceIsOn());
    CHECK(other->HeraldTraceStart(center, name, note_caller, NULL, NULL, &trace) == HeraldOK);
    CHECK(own.traceIsOn() && other->traceIsOn());
    other->HeraldCenterPostNotification(center, name, NULL, NULL, false);
    CHECK(caller && dladdr(caller, &object) && dladdr((void *)(uintptr_t)load, &object));
    const void *ours = object.dli_fbase;
    CHECK(dladdr(caller, &object) && object.dli_fbase == ours); /* here, not in the other copy */
    CHECK(HeraldTraceStop(trace) && !own.traceIsOn() && !other->traceIsOn());
}

static void *post_often(void *argument) {
    const struct calls *other = argument;
    HeraldCenterRef center = other->HeraldCenterGetLocalCenter();
    HeraldNameRef name = other->HeraldNameCreate("copies.threads");
    for (int i = 0; i < 20000; i++) other->HeraldCenterPostNotification(center, name, NULL, NULL, false);
    return NULL;
}

/* Observers are added through one copy and removed through the other, while both post. */
static void R22_threads_and_forks(const struct calls *other) {
    pthread_t threads[2];
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldNameRef name = HeraldNameCreate("copies.threads");
    pthread_create(&threads[0], NULL, post_often, (void *)(uintptr_t)&own);
    pthread_create(&threads[1], NULL, post_often, (void *)(uintptr_t)other);
    for (int i = 0; i < 2000; i++) {
        struct heard heard = {.letter = 'x'};
        HeraldToken token;
        HeraldObserverOptions options = {.size = sizeof options, .release = released};
        const struct calls *adds = i % 2 ? &own : other, *removes = i % 2 ? other : &own;
        CHECK(adds->HeraldCenterAddObserverWithOptions(center, &heard, hear, name, NULL, &options, &token) == HeraldOK);
        CHECK(removes->HeraldCenterRemoveTokenAndWait(center, token) && heard.released == 1);
        if (i % 200) continue;
        pid_t child = fork();
        if (child == 0) {
            heard.calls = 0;
            CHECK(adds->HeraldCenterAddObserver(center, &heard, hear, name, NULL, HeraldSuspensionDrop) == HeraldOK);
            removes->HeraldCenterPostNotification(center, name, NULL, NULL, false);
            _exit(heard.calls != 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static int host_calls[2], host_ends[2];

static void hear_host(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                      const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    __atomic_fetch_add((int *)observer, 1, __ATOMIC_SEQ_CST);
}

static bool comes(const int *count, int expected) {
    for (int i = 0; i < 60000 && __atomic_load_n(count, __ATOMIC_SEQ_CST) < expected; i++) usleep(1000);
    return __atomic_load_n(count, __ATOMIC_SEQ_CST) == expected;
}

/* Each copy reaches other processes by itself, and reaches the other copy as one of them. */
static void R22_host_centers_meet(const struct calls *other) {
    char folder[] = "/tmp/herald-copies-XXXXXX";
    CHECK(mkdtemp(folder) && setenv("HERALD_HOST_DIRECTORY", folder, 1) == 0);
    HeraldCenterRef mine = HeraldCenterGetHostCenter(), theirs = other->HeraldCenterGetHostCenter();
    HeraldNameRef name = HeraldNameCreate("copies.host");
    CHECK(HeraldCenterAddObserver(mine, &host_calls[0], hear_host, name, NULL, HeraldSuspensionDrop) == HeraldOK);
    CHECK(other->HeraldCenterAddObserver(theirs, &host_calls[1], hear_host, name, NULL, HeraldSuspensionDrop) ==
          HeraldOK);
    HeraldCenterPostNotification(mine, name, NULL, NULL, false);
    CHECK(comes(&host_calls[0], 1) && comes(&host_calls[1], 1));
    other->HeraldCenterPostNotification(theirs, name, NULL, NULL, false);
    CHECK(comes(&host_calls[0], 2) && comes(&host_calls[1], 2));
    HeraldNameRef end = HeraldNameCreate("copies.host.end"); /* heard after all earlier posts */
    CHECK(HeraldCenterAddObserver(mine, &host_ends[0], hear_host, end, NULL, HeraldSuspensionDrop) == HeraldOK);
    CHECK(other->HeraldCenterAddObserver(theirs, &host_ends[1], hear_host, end, NULL, HeraldSuspensionDrop) ==
          HeraldOK);
    HeraldCenterPostNotification(mine, end, NULL, NULL, false);
    CHECK(comes(&host_ends[0], 1) && comes(&host_ends[1], 1));
    CHECK(host_calls[0] == 2 && host_calls[1] == 2);
    char path[64];
    snprintf(path, sizeof path, "rm -rf %s", folder);
    CHECK(system(path) == 0);
}

/* `meets`: both have the same layout of the shared file, and keep posts. */
static void R22_one(const struct calls *other, bool meets) {
    struct told mine = ask(&own), theirs = ask(other);
    CHECK(mine.count >= 2 && mine.first == 1 && mine.shared == mine.count && mine.asked == 1 && mine.namespace == 0);
    CHECK(theirs.count == mine.count && theirs.first == 1 && theirs.shared == mine.count && theirs.asked == 1);
    R22_names_and_centers_are_shared(other);
    R22_observers_of_both_hear_in_order(other);
    R22_topics_and_tags_pass(other);
    R22_suspension_is_shared(other);
    R22_messages_pass(other);
    R22_traces_see_all(other);
    R22_threads_and_forks(other);
    if (!meets) return;
    R22_host_centers_meet(other);
#ifndef OLD
    R22_kept_posts_pass(other);
    R22_kept_posts_of_a_transport_pass(other);
    R22_signals_and_tokens_pass(other);
#endif
}

/* `seen`: how many copies each of them sees. */
static void R22_apart(const struct calls *other, int seen, bool other_namespace) {
    struct told mine = ask(&own), theirs = ask(other);
    CHECK(mine.count == seen && mine.first == seen && mine.shared == 1 && mine.asked == 1 && mine.namespace == 0);
    CHECK(theirs.count == seen && theirs.first == seen && theirs.shared == 1 && theirs.asked == 1);
    CHECK((theirs.namespace != 0) == other_namespace);
    HeraldNameRef name = HeraldNameCreate("copies.apart"), their_name = other->HeraldNameCreate("copies.apart");
    HeraldCenterRef center = HeraldCenterGetLocalCenter(), their_center = other->HeraldCenterGetLocalCenter();
    CHECK(name != their_name && center != their_center);
    struct heard heard = {.letter = 'm'}, they_heard = {.letter = 't'};
    CHECK(HeraldCenterAddObserver(center, &heard, hear, name, NULL, HeraldSuspensionDrop) == HeraldOK);
    CHECK(other->HeraldCenterAddObserver(their_center, &they_heard, hear, their_name, NULL, HeraldSuspensionDrop) ==
          HeraldOK);
    CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == 1);
    CHECK(other->HeraldCenterPostNotification(their_center, their_name, NULL, NULL, false) == 1);
    CHECK(heard.calls == 1 && they_heard.calls == 1);
}

/* One round, by topic or by name. */
static double time_of_post(const struct calls *copy, HeraldTopicRef topic, HeraldCenterRef center, HeraldNameRef name) {
    enum { POSTS = 200000 };
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    if (topic) {
        for (int i = 0; i < POSTS; i++) copy->HeraldTopicPost(topic, NULL);
    } else {
        for (int i = 0; i < POSTS; i++) copy->HeraldCenterPostNotification(center, name, NULL, NULL, false);
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    return ((double)(ended.tv_sec - began.tv_sec) * 1e9 + (double)(ended.tv_nsec - began.tv_nsec)) / POSTS;
}

static void measure(const struct calls *other) {
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldNameRef name = HeraldNameCreate("copies.cost");
    HeraldTopicRef topics[2] = {HeraldTopicCreate(center, name, NULL), NULL};
    struct heard heard = {.letter = 'c'};
    CHECK(HeraldCenterAddObserver(center, &heard, hear, name, NULL, HeraldSuspensionDrop) == HeraldOK);
    for (int way = 0; way < 2; way++) {
        double best[2] = {1e9, 1e9};
        for (int round = 0; round < 42; round++) {
            double time = time_of_post(round & 1 ? other : &own, topics[way], center, name);
            if (time < best[round & 1]) best[round & 1] = time;
        }
        printf("a post by %s: %.2f ns, %.2f more through another copy\n", way ? "name" : "topic", best[0],
               best[1] - best[0]);
    }
}
#endif

/* ---- A program without a copy, and two plugins --------------------------------------------------------------------
 */

static void R22_newer_and_older(const char *newer, const char *older, bool newer_comes_first) {
    const struct calls *first = load(newer_comes_first ? newer : older);
    const struct calls *second = load(newer_comes_first ? older : newer);
    struct told told = ask(second);
    CHECK(told.count == 2 && told.first == (newer_comes_first ? 1 : 2));
    CHECK((first->HeraldCenterGetLocalCenter() == second->HeraldCenterGetLocalCenter()) == newer_comes_first);
}

enum { AT_ONCE = 4 };
static pthread_barrier_t all;
static const struct calls *copies[AT_ONCE];

static void *begin(void *copy) {
    pthread_barrier_wait(&all);
    return (*(const struct calls *const *)copy)->HeraldCenterGetLocalCenter();
}

static void R22_at_once(char *const *paths, int turn) {
    pthread_t threads[AT_ONCE];
    void *centers[AT_ONCE];
    srandom((unsigned)turn);
    pthread_barrier_init(&all, NULL, AT_ONCE);
    for (int i = 0; i < AT_ONCE; i++) copies[i] = load(paths[(i + turn) % AT_ONCE]);
    for (int i = 0; i < AT_ONCE; i++) pthread_create(&threads[i], NULL, begin, &copies[i]);
    for (int i = 0; i < AT_ONCE; i++) pthread_join(threads[i], &centers[i]);
    for (int i = 0; i < AT_ONCE; i++) CHECK(centers[i] && centers[i] == centers[0]);
}

static void *load_in_vain(void *path) {
    for (int i = 0; i < 300; i++) CHECK(!dlopen(path, RTLD_NOW | RTLD_LOCAL));
    return NULL;
}

static void R22_one_that_cannot_be_loaded(char *const *paths, int unused) {
    (void)unused;
    const struct calls *copy = load(paths[0]);
    pthread_t thread;
    pthread_create(&thread, NULL, load_in_vain, paths[1]);
    for (int i = 0; i < 5000; i++) CHECK(ask(copy).count >= 1);
    pthread_join(thread, NULL);
    CHECK(ask(copy).count == 1);
}

static void R22_constructors(char *const *paths, int unused) {
    (void)unused;
    alarm(60); /* a deadlock would end here */
    const struct calls *one = load(paths[0]), *other = load(paths[1]);
    CHECK(one->HeraldCenterGetLocalCenter() == other->HeraldCenterGetLocalCenter());
}

static void ignore(void *context, const HeraldTraceEvent *event) { (void)context, (void)event; }

static void R22_two_in_one_object(char *const *paths, int other_first) {
    const struct calls *other = other_first ? load(paths[1]) : NULL;
    void *both = dlopen(paths[0], RTLD_NOW | RTLD_LOCAL);
    const struct calls *one = calls_of(both, "plugin_calls_1"), *two = calls_of(both, "plugin_calls_2");
    if (!other_first) other = load(paths[1]);
    CHECK(one->HeraldCenterGetLocalCenter() == two->HeraldCenterGetLocalCenter());
    CHECK(one->HeraldCenterGetLocalCenter() == other->HeraldCenterGetLocalCenter());
    struct told told = ask(two);
    CHECK(told.count == 3 && told.first == 1 && told.shared == 3 && told.asked == 1);
    HeraldToken trace;
    CHECK(two->HeraldTraceStart(NULL, NULL, ignore, NULL, NULL, &trace) == HeraldOK);
    CHECK(one->traceIsOn() && two->traceIsOn() && other->traceIsOn());
    CHECK(one->HeraldTraceStop(trace) && !one->traceIsOn() && !two->traceIsOn() && !other->traceIsOn());
}

static bool in_child(void (*function)(char *const *paths, int flag), char *const *paths, int flag) {
    pid_t child = fork();
    if (child == 0) {
        function(paths, flag);
        _exit(failures != 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

static void try_order(char *const *paths, int newer_comes_first) {
    R22_newer_and_older(paths[0], paths[1], newer_comes_first);
}

int main(int argc, char **argv) {
    const char *what = argc > 2 ? argv[1] : "";
    if (strcmp(what, "joins") == 0) {
        CHECK(in_child(try_order, argv + 2, 1) && in_child(try_order, argv + 2, 0));
    } else if (strcmp(what, "at-once") == 0) {
        for (int i = 0; i < 40; i++) CHECK(in_child(R22_at_once, argv + 2, i));
    } else if (strcmp(what, "fails") == 0) {
        CHECK(in_child(R22_one_that_cannot_be_loaded, argv + 2, 0));
    } else if (strcmp(what, "constructs") == 0) {
        CHECK(in_child(R22_constructors, argv + 2, 0));
    } else if (strcmp(what, "two") == 0) {
        CHECK(in_child(R22_two_in_one_object, argv + 2, 0) && in_child(R22_two_in_one_object, argv + 2, 1));
#ifndef WITHOUT_COPY
    } else if (strcmp(what, "one") == 0 || strcmp(what, "older") == 0) {
        R22_one(load(argv[2]), strcmp(what, "one") == 0);
    } else if (strcmp(what, "apart") == 0) {
        R22_apart(load(argv[2]), 2, false);
    } else if (strcmp(what, "namespace") == 0) {
        R22_apart(calls_of(dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW | RTLD_LOCAL), "plugin_calls"), 1, true);
    } else if (strcmp(what, "cost") == 0) {
        measure(load(argv[2]));
#endif
    } else {
        fprintf(stderr, "copies: what?\n");
        return 64;
    }
    return failures != 0;
}
#endif
