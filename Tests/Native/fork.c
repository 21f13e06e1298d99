/* R18: fork handlers that are older than the library's own run while it has its locks. They call the library before the
 * fork, in the parent and in the child, while another thread posts, adds and removes, and a third one is in the call of
 * a follower (R25). */
#define _GNU_SOURCE
#include <herald/herald.h>
#include <herald/transport.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static HeraldCenterRef center, remote, level; /* remote: its transport has the hooks of 0.2 */
static HeraldNameRef name, kept;
static int handled, added;
static atomic_int calls, released, over;

static void check(int condition, const char *sentence) {
    if (condition) return;
    fprintf(stderr, "%s\n", sentence);
    _exit(1);
}

static void hear(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *object, const void *userInfo) {
    (void)from, (void)observer, (void)posted, (void)object, (void)userInfo;
    atomic_fetch_add(&calls, 1);
}

static void count(void *observer) { atomic_fetch_add((atomic_int *)observer, 1); }

static HeraldStatus reach_out(void *context, HeraldCenterRef from, HeraldNameRef posted) {
    (void)context, (void)from, (void)posted;
    return HeraldOK;
}

static HeraldStatus be_told(void *context, HeraldCenterRef from, HeraldNameRef posted, bool is_observed,
                            uint64_t version) {
    (void)context, (void)from, (void)posted, (void)is_observed, (void)version;
    return HeraldOK;
}

static void use(void) {
    HeraldObserverOptions options = {.size = sizeof options, .release = count};
    HeraldToken token;
    if (!center) return; /* the program has not begun */
    int heard = atomic_load(&calls);
    check(HeraldCenterAddObserverWithOptions(center, &released, hear, name, NULL, &options, &token) == HeraldOK,
          "a handler can add");
    check(HeraldCenterPostNotification(center, name, NULL, NULL, false) >= 1 && atomic_load(&calls) > heard,
          "a handler can post");
    check(HeraldCenterRemoveTokenAndWait(center, token), "a handler can remove, as in a callback");
    added++;
    HeraldCenterSetSuspended(center, true);
    HeraldCenterSetSuspended(center, false);
    HeraldObserverOptions begins = {.size = sizeof begins, .start = HeraldStartKept};
    heard = atomic_load(&calls);
    check(HeraldCenterPostKept(center, name, &handled, NULL, NULL, 0, NULL) == HeraldOK, "a handler can keep");
    check(HeraldCenterAddObserverWithOptions(center, NULL, hear, name, &handled, &begins, &token) == HeraldOK,
          "a handler can follow");
    check(atomic_load(&calls) > heard, "a handler's follower begins");
    check(HeraldCenterRemoveToken(center, token), "a handler can remove");
    HeraldStatus status = HeraldCenterAddObserver(remote, &calls, hear, name, NULL, HeraldSuspensionDrop);
    check(status == HeraldOK || status == HeraldTransportFailed, "a handler does not wait for another thread's hook");
    HeraldCenterRemoveEveryObserver(remote, &calls);
    check(HeraldCenterAddObserver(level, &calls, hear, name, NULL, HeraldSuspensionDrop) == HeraldOK,
          "a handler can add to a center whose transport is told by level");
    HeraldCenterRemoveEveryObserver(level, &calls);
    check(HeraldNameCreate("a handler's") != NULL, "a handler can make a name");
    HeraldCenterRelease(HeraldCenterCreate(NULL));
    handled++;
}

__attribute__((constructor(101))) static void come_early(void) { pthread_atfork(use, use, use); }

/* A follower that one thread or another is in at most times. In the child its lane is free. */
static atomic_int followed;
static void hear_slowly(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *object,
                        const void *userInfo) {
    (void)from, (void)observer, (void)posted, (void)object, (void)userInfo;
    atomic_fetch_add(&followed, 1);
    usleep(100);
}

static void *keep_on(void *unused) {
    while (!atomic_load(&over))
        check(HeraldCenterPostKept(center, kept, NULL, NULL, NULL, 0, NULL) == HeraldOK, "a post is kept");
    return unused;
}

static void use_lane(void) {
    HeraldObserverOptions begins = {.size = sizeof begins, .start = HeraldStartKept};
    HeraldToken token;
    int heard = atomic_load(&followed);
    check(HeraldCenterPostKept(center, kept, NULL, NULL, NULL, 0, NULL) == HeraldOK, "a child can keep");
    check(atomic_load(&followed) > heard, "no thread of the parent's has a lane in the child");
    heard = atomic_load(&followed);
    check(HeraldCenterAddObserverWithOptions(center, &followed, hear_slowly, kept, NULL, &begins, &token) == HeraldOK,
          "a child can follow");
    check(atomic_load(&followed) == heard + 1, "a child begins with what was kept");
    HeraldCenterRemoveEveryObserverAndWait(center, &followed);
}

static void *churn(void *unused) {
    while (!atomic_load(&over)) {
        HeraldToken token;
        check(HeraldCenterAddObserverWithOptions(center, &over, hear, name, NULL, NULL, &token) == HeraldOK, "an add");
        HeraldCenterPostNotification(center, name, NULL, NULL, false);
        HeraldCenterRemoveToken(center, token);
        check(HeraldCenterAddObserver(level, &over, hear, name, NULL, HeraldSuspensionDrop) == HeraldOK, "an add");
        HeraldCenterRemoveEveryObserver(level, &over);
        if (HeraldCenterAddObserver(remote, &over, hear, name, NULL, HeraldSuspensionDrop) != HeraldOK) continue;
        HeraldCenterRemoveEveryObserver(remote, &over);
    }
    return unused;
}

int main(void) {
    enum { FORKS = 100 };
    HeraldTransport transport = {.size = sizeof transport, .firstObserver = reach_out};
    HeraldTransport by_level = {.size = sizeof by_level, .observed = be_told};
    HeraldObserverOptions begins = {.size = sizeof begins, .start = HeraldStartKept};
    pthread_t thread, keeper;
    name = HeraldNameCreate("fork");
    kept = HeraldNameCreate("kept");
    check(HeraldCenterCreateWithTransport(NULL, &transport, &remote) == HeraldOK, "a center can be made");
    check(HeraldCenterCreateWithTransport(NULL, &by_level, &level) == HeraldOK, "a center can be made");
    center = HeraldCenterCreate(NULL);
    check(HeraldCenterAddObserverWithOptions(center, &followed, hear_slowly, kept, NULL, &begins, NULL) == HeraldOK,
          "a follower can be added");
    pthread_create(&thread, NULL, churn, NULL);
    pthread_create(&keeper, NULL, keep_on, NULL);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            use();
            use_lane();
            _exit(handled == 2 * i + 3 ? 0 : 1); /* the parent's calls so far, the child's own handler, and this one */
        }
        int status = -1;
        waitpid(child, &status, 0);
        check(status == 0, "the child goes on");
    }
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    pthread_join(keeper, NULL);
    check(handled == 2 * FORKS && added == handled && atomic_load(&released) == added, "the handlers have run");
    return 0;
}
