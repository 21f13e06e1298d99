/* What only Herald points to is no leak, for a program under a leak checker (-fsanitize=address): observers that their
 * registrations own, messages that a center holds or keeps, and what Herald has allocated for itself. The program is C
 * and C++. It ends while much of this is still in use, and its child, too. */
#include <herald/host.h>
#include <herald/message.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES = 400, EACH = 12, OBSERVERS = NAMES * EACH, THREADS = 4 };

static HeraldNameRef names[NAMES];
static long heard;

static void check(int condition, const char *sentence) {
    if (condition) return;
    fprintf(stderr, "leaks: %s (%s)\n", sentence, HeraldGetErrorDescription());
    exit(1);
}

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    __atomic_fetch_add(&heard, 1, __ATOMIC_RELAXED);
    if (observer) __atomic_fetch_add((long *)observer, 1, __ATOMIC_RELAXED);
}

static const void *copy(const void *text) { return strdup((const char *)text); }
static void drop(const void *text) { free((void *)text); }

/* The only pointers to the observers are in the center. */
static void fill(HeraldCenterRef center, HeraldToken *tokens) {
    HeraldObserverOptions options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.release = free;
    for (int i = 0; i < OBSERVERS; i++) {
        void *observer = calloc(1, sizeof(long));
        HeraldNameRef name = names[i % NAMES];
        check(HeraldCenterAddObserverWithOptions(center, observer, hear, name, NULL, &options, &tokens[i]) == HeraldOK,
              "an add failed");
    }
}

static void *use(void *argument) {
    HeraldCenterRef center = (HeraldCenterRef)argument;
    static char anchors[10][2];
    for (int i = 0; i < 10; i++) {
        HeraldToken token;
        HeraldNameRef name = HeraldNameForAddress(anchors[i]);
        check(HeraldCenterAddObserverWithOptions(center, NULL, hear, name, NULL, NULL, &token) == HeraldOK,
              "an add failed");
        check(HeraldCenterPostNotification(center, name, NULL, NULL, false) >= 1, "nobody was called");
        check(HeraldCenterRemoveTokenAndWait(center, token), "a removal failed");
    }
    return NULL;
}

/* Leaves in the center: registrations, kept posts, held posts, a topic. */
static void live(HeraldCenterRef center) {
    static HeraldToken tokens[OBSERVERS];
    fill(center, tokens);
    for (int i = 0; i < NAMES; i++)
        check(HeraldCenterPostNotification(center, names[i], NULL, "text", false) == EACH, "not all were called");
    for (int i = 0; i < OBSERVERS; i += 3) check(HeraldCenterRemoveTokenAndWait(center, tokens[i]), "a removal failed");

    for (int i = 0; i < NAMES; i++) {
        check(HeraldCenterPostKept(center, names[i], NULL, "first", NULL, 0, NULL) == HeraldOK, "nothing was kept");
        if (i % 2) HeraldCenterPostKept(center, names[i], NULL, "second", NULL, 0, NULL);
        if (i % 3 == 0) check(HeraldCenterForget(center, names[i], NULL), "nothing was forgotten");
    }
    HeraldObserverOptions begins;
    memset(&begins, 0, sizeof begins);
    begins.size = sizeof begins;
    begins.start = HeraldStartKept;
    long before = heard;
    check(HeraldCenterAddObserverWithOptions(center, NULL, hear, names[1], NULL, &begins, NULL) == HeraldOK &&
              heard == before + 1,
          "an observer has not heard what is kept");

    HeraldTopicRef topic = HeraldTopicCreate(center, names[2], &heard);
    check(HeraldTopicPost(topic, "text") > 0, "a topic called nobody");
    HeraldTopicRelease(topic);
    static HeraldTopicRef topics[3]; /* these are never released */
    static int made;
    topics[made] = HeraldTopicCreate(center, names[3], NULL);
    check(HeraldTopicPost(topics[made++], "text") > 0, "a topic called nobody");

    HeraldMessage message;
    memset(&message, 0, sizeof message);
    message.size = sizeof message;
    message.object = "a";
    message.bytes = "bytes";
    message.length = 5;
    check(HeraldCenterPostMessage(center, names[4], &message) == HeraldOK, "a message failed");
    message.options = HeraldPostKeep;
    check(HeraldCenterPostMessage(center, names[4], &message) == HeraldOK, "a message was not kept");
}

static void live_on_threads(HeraldCenterRef center) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) check(pthread_create(&threads[i], NULL, use, center) == 0, "no thread");
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static void name_all(const char *prefix) {
    char text[64];
    for (int i = 0; i < NAMES; i++) {
        snprintf(text, sizeof text, "%s.%d", prefix, i);
        names[i] = HeraldNameCreate(text);
        check(names[i] != NULL, "no name");
    }
}

static void observe_host(void) {
    HeraldMessage message;
    HeraldToken token;
    memset(&message, 0, sizeof message);
    message.size = sizeof message;
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    long before = __atomic_load_n(&heard, __ATOMIC_RELAXED);
    check(HeraldCenterAddObserverWithOptions(host, NULL, hear, names[0], NULL, NULL, &token) == HeraldOK,
          "no host center");
    check(HeraldCenterPostMessage(host, names[0], &message) == HeraldOK, "a message failed on the host center");
    for (int i = 0; i < 6000 && __atomic_load_n(&heard, __ATOMIC_RELAXED) == before; i++) usleep(10000);
    check(__atomic_load_n(&heard, __ATOMIC_RELAXED) > before, "a message was not heard");
    check(HeraldCenterRemoveTokenAndWait(host, token), "a removal failed");
}

int main(void) {
    char folder[64];
    snprintf(folder, sizeof folder, "/dev/shm/herald-test-%d-XXXXXX", getpid());
    if (!mkdtemp(folder) || setenv("HERALD_HOST_DIRECTORY", folder, 1) != 0) return 1;
    HeraldCenterOptions options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.retainUserInfo = copy;
    options.releaseUserInfo = drop;
    static HeraldCenterRef center;
    center = HeraldCenterCreate(&options);
    name_all("first");
    live(center);
    live_on_threads(center);

    /* A center that ends, and what is not called any more. */
    HeraldCenterRef ends = HeraldCenterCreate(&options);
    name_all("second");
    live(ends);
    HeraldCenterRelease(ends);

    pid_t child = fork();
    if (child == 0) {
        name_all("third");
        live(center);
        live_on_threads(center);
        exit(0); /* the leak checker looks at the child, too */
    }
    int status;
    check(waitpid(child, &status, 0) == child && status == 0, "the child has failed");

    observe_host();
    HeraldCenterSetSuspended(center, true);
    HeraldObserverOptions holds;
    memset(&holds, 0, sizeof holds);
    holds.size = sizeof holds;
    holds.suspensionBehavior = HeraldSuspensionHold;
    check(HeraldCenterAddObserverWithOptions(center, NULL, hear, names[5], NULL, &holds, NULL) == HeraldOK,
          "no observer");
    HeraldCenterPostNotification(center, names[5], NULL, "held", false);
    center = NULL; /* held for ever */

    unlink(HeraldHostGetPath());
    rmdir(folder);
    return 0;
}
