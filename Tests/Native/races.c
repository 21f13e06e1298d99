/* What the contract orders is no race, for a program under the thread sanitizer (-fsanitize=thread): plain data that
 * one thread hands to another through Herald, and memory that is freed when a registration has ended. The program is C
 * and C++. With an argument it makes a mistake of its own instead, which the sanitizer must still report. */
#include <herald/host.h>
#include <herald/message.h>
#include <herald/transport.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 40 };

static void check(int condition, const char *sentence) {
    if (condition) return;
    fprintf(stderr, "races: %s (%s)\n", sentence, HeraldGetErrorDescription());
    exit(1);
}

/* Relaxed: these numbers order nothing, so that only Herald orders the plain data. */
static long read_of(const long *number) { return __atomic_load_n(number, __ATOMIC_RELAXED); }
static void add_to(long *number) { __atomic_fetch_add(number, 1, __ATOMIC_RELAXED); }
static void await_change(const long *number, long before) {
    while (read_of(number) == before) usleep(20);
}

/* ---- Posters that go on while observers come and go -------------------------------------------------------------- */

static HeraldCenterRef center;
static HeraldNameRef name;
static long over, calls;

static void *post(void *unused) {
    (void)unused;
    HeraldTopicRef topic = HeraldTopicCreate(center, name, NULL);
    while (!read_of(&over)) {
        HeraldCenterPostNotification(center, name, NULL, NULL, false);
        HeraldTopicPost(topic, NULL);
        HeraldCenterPostNotification(center, name, &calls, NULL, false);
        usleep(20);
    }
    HeraldTopicRelease(topic);
    return NULL;
}

/* An observer: `given` is written before the add, `marks` by the calls: each poster writes a mark of its own. */
struct observer {
    int given;
    long heard; /* atomic, relaxed */
    int marks[64];
};

static long posters;
static __thread long poster;

static void hear(HeraldCenterRef from, void *argument, HeraldNameRef posted, const void *object, const void *userInfo) {
    (void)from, (void)posted, (void)object, (void)userInfo;
    struct observer *observer = (struct observer *)argument;
    if (!poster) poster = 1 + __atomic_fetch_add(&posters, 1, __ATOMIC_RELAXED) % 63;
    check(observer->given == 7, "what was written before the add is not there");
    observer->marks[poster]++;
    add_to(&observer->heard);
}

static struct observer *make(void) {
    struct observer *observer = (struct observer *)calloc(1, sizeof *observer);
    observer->given = 7;
    return observer;
}

static int sum_of(const struct observer *observer) {
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += observer->marks[i];
    return sum;
}

static void end(void *observer) {
    check(sum_of((struct observer *)observer) > 0, "the calls are not there");
    free(observer);
}

static HeraldToken observe(struct observer *observer, void (*release)(void *)) {
    HeraldObserverOptions options;
    HeraldToken token;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.release = release;
    long before = read_of(&observer->heard);
    check(HeraldCenterAddObserverWithOptions(center, observer, hear, name, NULL, &options, &token) == HeraldOK,
          "an add failed");
    await_change(&observer->heard, before);
    return token;
}

static void *remove_all(void *observer) {
    HeraldCenterRemoveEveryObserver(center, observer);
    return NULL;
}

static void come_and_go(void) {
    pthread_t threads[THREADS], other;
    name = HeraldNameCreate("races");
    center = HeraldCenterCreate(NULL);
    for (int i = 0; i < THREADS; i++) check(pthread_create(&threads[i], NULL, post, NULL) == 0, "no thread");
    for (int i = 0; i < ROUNDS; i++) {
        struct observer *observer = make(); /* freed after a removal that waits */
        check(HeraldCenterRemoveTokenAndWait(center, observe(observer, NULL)), "a removal failed");
        end(observer);
        check(HeraldCenterRemoveToken(center, observe(make(), end)), "a removal failed"); /* in the release hook */
        observer = make();                                                                /* in a `then` */
        check(HeraldCenterRemoveTokenThen(center, observe(observer, NULL), end, observer) == HeraldOK,
              "a removal failed");
        observer = make(); /* by its address */
        observe(observer, NULL);
        observe(observer, NULL);
        HeraldCenterRemoveEveryObserverAndWait(center, observer);
        end(observer);
        observer = make(); /* removed by a thread that does not wait */
        HeraldToken token = observe(observer, NULL);
        check(pthread_create(&other, NULL, remove_all, observer) == 0, "no thread");
        if (i % 2) {
            HeraldCenterRemoveEveryObserverAndWait(center, observer);
        } else {
            while (HeraldCenterRemoveTokenAndWait(center, token)) {
            }
        }
        int sum = sum_of(observer);
        pthread_join(other, NULL); /* which still has the address */
        check(sum > 0 && sum_of(observer) == sum, "a call came after the end");
        free(observer);
    }
    struct observer *last[2] = {make(), make()};
    observe(last[0], end);
    observe(last[1], end);
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    HeraldCenterRelease(center);
}

/* ---- References -------------------------------------------------------------------------------------------------- */

static void *drop_center(void *argument) {
    HeraldCenterRef mine = (HeraldCenterRef)argument;
    HeraldCenterPostNotification(mine, name, NULL, NULL, false);
    HeraldCenterRelease(mine); /* one of the threads is the last, and runs the hooks */
    return NULL;
}

static void share(void) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t threads[THREADS];
        center = HeraldCenterCreate(NULL);
        HeraldObserverOptions options;
        memset(&options, 0, sizeof options);
        options.size = sizeof options;
        options.release = end;
        check(HeraldCenterAddObserverWithOptions(center, make(), hear, name, NULL, &options, NULL) == HeraldOK,
              "an add failed");
        for (int t = 0; t < THREADS; t++) {
            HeraldCenterRetain(center);
            check(pthread_create(&threads[t], NULL, drop_center, center) == 0, "no thread");
        }
        HeraldCenterRelease(center);
        for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    }
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static void *name_some(void *sum) {
    char text[64];
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "a name that all threads make, number %d", i);
        HeraldNameRef made = HeraldNameCreate(text);
        const char *object = (const char *)HeraldObjectForString(text);
        check(made && strcmp(HeraldNameGetUTF8String(made), text) == 0 && strcmp(object, text) == 0, "another name");
        *(long *)sum += made == HeraldNameFind(text);
    }
    return NULL;
}

static void name_on_threads(void) {
    pthread_t threads[THREADS];
    static long sums[THREADS];
    for (int i = 0; i < THREADS; i++) check(pthread_create(&threads[i], NULL, name_some, &sums[i]) == 0, "no thread");
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

/* ---- Held and kept posts, which are delivered by other threads --------------------------------------------------- */

struct thing {
    long references;
    int value;
};

static const void *retain(const void *thing) {
    add_to(&((struct thing *)(void *)(uintptr_t)thing)->references);
    return thing;
}

static void release(const void *argument) {
    struct thing *thing = (struct thing *)(void *)(uintptr_t)argument;
    if (__atomic_sub_fetch(&thing->references, 1, __ATOMIC_ACQ_REL) == 0) free(thing);
}

static const void *copy(const void *argument) {
    struct thing *copied = (struct thing *)malloc(sizeof *copied);
    *copied = *(const struct thing *)argument;
    return copied;
}

static void drop(const void *copied) {
    struct thing *thing = (struct thing *)(void *)(uintptr_t)copied;
    thing->value = 0; /* a plain write: nobody uses it any more */
    free(thing);
}

static void take(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *object, const void *userInfo) {
    (void)from, (void)observer, (void)posted, (void)object;
    check(((const struct thing *)userInfo)->value == 5, "another value");
    add_to(&calls);
}

static void take_kept(void *context, const void *userInfo, const void *tag) {
    (void)context, (void)tag;
    check(((const struct thing *)userInfo)->value == 5, "another value");
}

static void *keep(void *unused) {
    (void)unused;
    for (int i = 0; i < 20 * ROUNDS; i++) {
        struct thing thing = {1, 5};
        check(HeraldCenterPostKept(center, name, NULL, &thing, NULL, 0, NULL) == HeraldOK, "not kept");
        HeraldCenterTakeKept(center, name, NULL, take_kept, NULL);
        HeraldToken token;
        HeraldObserverOptions options;
        memset(&options, 0, sizeof options);
        options.size = sizeof options;
        options.start = HeraldStartKept;
        check(HeraldCenterAddObserverWithOptions(center, NULL, take, name, NULL, &options, &token) == HeraldOK,
              "an add failed");
        HeraldCenterRemoveToken(center, token);
    }
    return NULL;
}

static void *hold(void *unused) {
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        struct thing *thing = (struct thing *)calloc(1, sizeof *thing);
        thing->references = 1;
        thing->value = 5;
        HeraldCenterPostNotification(center, name, NULL, thing, false);
        release(thing);
        HeraldCenterSetSuspended(center, i % 2);
    }
    return NULL;
}

static void run(void *(*body)(void *), const void *(*retains)(const void *), void (*releases)(const void *)) {
    pthread_t threads[THREADS];
    HeraldCenterOptions options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.retainUserInfo = retains;
    options.releaseUserInfo = releases;
    center = HeraldCenterCreate(&options);
    check(HeraldCenterAddObserver(center, NULL, take, name, NULL, HeraldSuspensionHold) == HeraldOK, "an add failed");
    for (int i = 0; i < THREADS; i++) check(pthread_create(&threads[i], NULL, body, NULL) == 0, "no thread");
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    HeraldCenterRelease(center);
}

/* ---- A transport ------------------------------------------------------------------------------------------------- */

struct carrier {
    int posts[THREADS + 1];
};

static size_t carry(void *context, HeraldCenterRef from, HeraldNameRef posted, const void *object, const void *userInfo,
                    const void *tag, unsigned options) {
    (void)from, (void)posted, (void)object, (void)tag, (void)options;
    ((struct carrier *)context)->posts[*(const int *)userInfo]++;
    return 0;
}

static void end_carrier(void *context) {
    struct carrier *carrier = (struct carrier *)context;
    int sum = 0;
    for (int i = 0; i <= THREADS; i++) sum += carrier->posts[i];
    check(sum > 0, "nothing was carried");
    free(carrier);
}

static long numbers;

static void *post_over_transport(void *argument) {
    HeraldCenterRef mine = (HeraldCenterRef)argument;
    int number = (int)__atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED) % THREADS;
    HeraldCenterPostNotification(mine, name, NULL, &number, false);
    HeraldCenterRelease(mine);
    return NULL;
}

static void use_transport(void) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t threads[THREADS];
        HeraldTransport transport;
        memset(&transport, 0, sizeof transport);
        transport.size = sizeof transport;
        transport.context = calloc(1, sizeof(struct carrier));
        transport.post = carry;
        transport.destroy = end_carrier;
        HeraldCenterRef carried;
        check(HeraldCenterCreateWithTransport(NULL, &transport, &carried) == HeraldOK, "no center");
        for (int t = 0; t < THREADS; t++) {
            HeraldCenterRetain(carried);
            check(pthread_create(&threads[t], NULL, post_over_transport, carried) == 0, "no thread");
        }
        HeraldCenterRelease(carried);
        for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    }
}

/* ---- The host center, whose observers run on Herald's thread ----------------------------------------------------- */

static int plain[ROUNDS];
static long messages; /* that were heard */

static void hear_host(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *object,
                      const void *userInfo) {
    (void)from, (void)posted, (void)object, (void)userInfo;
    int *sum = (int *)observer;
    const HeraldMessage *message = HeraldGetCurrentMessage();
    if (message && message->length == 1) {
        *sum += plain[*(const unsigned char *)message->bytes];
        add_to(&messages);
    }
    add_to(&calls);
}

static void add_to_host(HeraldCenterRef host, int *sum, HeraldToken *token) {
    check(HeraldCenterAddObserverWithOptions(host, sum, hear_host, name, NULL, NULL, token) == HeraldOK,
          "an add failed");
}

/* Posts a message of one byte. */
static void post_byte(HeraldCenterRef host, int byte) {
    unsigned char number = (unsigned char)byte;
    HeraldMessage message;
    memset(&message, 0, sizeof message);
    message.size = sizeof message;
    message.bytes = &number;
    message.length = 1;
    check(HeraldCenterPostMessage(host, name, &message) == HeraldOK, "a message failed");
}

/* An inbox and an observer share a message. The program reads it, and gives it back while the observer may still. */
static void use_inbox(HeraldCenterRef host, HeraldNameRef name) {
    static int sum;
    HeraldHostInbox inbox;
    int descriptor;
    HeraldToken token;
    check(HeraldHostOpenInbox(HeraldNameGetUTF8String(name), 0, &inbox, &descriptor) == HeraldOK, "no inbox");
    add_to_host(host, &sum, &token);
    for (int i = 0; i < ROUNDS; i++) {
        post_byte(host, i);
        struct pollfd poll_for = {descriptor, POLLIN, 0};
        HeraldMessage received;
        memset(&received, 0, sizeof received);
        received.size = sizeof received;
        do check(poll(&poll_for, 1, 60000) == 1, "nothing came"); /* plain posts of before may come, too */
        while (!HeraldHostReceive(inbox, &received) || !received.length);
        check(*(const unsigned char *)received.bytes == i, "another message");
        while (HeraldHostReceive(inbox, &received)) /* gives the message back */
            check(!received.length, "one more message");
    }
    HeraldCenterRemoveTokenAndWait(host, token);
    HeraldHostCloseInbox(inbox);
}

static void use_host(void) {
    char folder[64];
    snprintf(folder, sizeof folder, "/dev/shm/herald-test-%d-XXXXXX", getpid());
    check(mkdtemp(folder) && setenv("HERALD_HOST_DIRECTORY", folder, 1) == 0, "no folder");
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    for (int round = 0; round < 3; round++) {
        int *sum = (int *)calloc(1, sizeof *sum);
        HeraldToken token;
        add_to_host(host, sum, &token);
        for (int i = 0; i < ROUNDS; i++) {
            long before = read_of(&messages);
            plain[i] = round + 1; /* plain: the message orders it before the call */
            post_byte(host, i);
            await_change(&messages, before); /* a plain post of an earlier round may be heard meanwhile */
            before = read_of(&calls);
            HeraldCenterPostNotification(host, name, NULL, NULL, false);
            if (i % 8 == 0) await_change(&calls, before);
            if (i + 1 < ROUNDS) continue;
            HeraldCenterRemoveTokenAndWait(host, token);
            check(*sum == ROUNDS * (round + 1), "another sum");
            memset(plain, 0, sizeof plain);
        }
        free(sum);
    }
    use_inbox(host, name);
    unlink(HeraldHostGetPath());
    rmdir(folder);
}

/* ---- Mistakes, which the sanitizer must still report ------------------------------------------------------------- */

static int shared;

static void count(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *object,
                  const void *userInfo) {
    (void)from, (void)observer, (void)posted, (void)object, (void)userInfo;
    shared++; /* two posters, no lock */
    add_to(&calls);
}

static long turn;

/* Neither thread begins or ends between the two posts: that would take a lock of Herald's, and so order the posts. */
static void *post_in_turn(void *mine) {
    HeraldCenterPostNotification(center, HeraldNameCreate("nobody"), NULL, NULL, false);
    add_to(&calls);
    while (read_of(&turn) != *(long *)mine) usleep(20);
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    add_to(&turn);
    while (read_of(&turn) != 3) usleep(20);
    return NULL;
}

static void make_mistake(void) {
    pthread_t threads[2];
    static long turns[2] = {1, 2};
    center = HeraldCenterCreate(NULL);
    name = HeraldNameCreate("races");
    check(HeraldCenterAddObserver(center, NULL, count, name, NULL, (HeraldSuspensionBehavior)0) == HeraldOK,
          "an add failed");
    for (int i = 0; i < 2; i++) check(pthread_create(&threads[i], NULL, post_in_turn, &turns[i]) == 0, "no thread");
    while (read_of(&calls) != 2) usleep(20);
    add_to(&turn);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    HeraldCenterRelease(center);
}

int main(int count_of_arguments, char **arguments) {
    (void)arguments;
    if (count_of_arguments > 1) {
        make_mistake();
        return 0;
    }
    come_and_go();
    share();
    name_on_threads();
    run(keep, copy, drop);
    run(hold, retain, release);
    use_transport();
    use_host();
    return 0;
}
