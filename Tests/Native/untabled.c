/* R17 without unwind tables (as on musl, or with -fno-asynchronous-unwind-tables): callbacks and hooks end their
 * threads, and nothing is unwound. run.sh builds it that way. */
#define _GNU_SOURCE
#include <herald/herald.h>
#include <herald/transport.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static HeraldCenterRef center;
static HeraldNameRef name;
static int calls, released, destroyed;

static void check(int condition, const char *sentence) {
    if (condition) return;
    fprintf(stderr, "%s\n", sentence);
    exit(1);
}

static void run(void *(*function)(void *)) {
    pthread_t thread;
    check(pthread_create(&thread, NULL, function, NULL) == 0, "a thread can begin");
    pthread_join(thread, NULL);
}

static void count_release(void *observer) { ++*(int *)observer; }

static HeraldToken add_with(HeraldCallback callback, HeraldSuspensionBehavior behavior, void (*release)(void *)) {
    HeraldObserverOptions options = {.size = sizeof options, .release = release, .suspensionBehavior = behavior};
    HeraldToken token;
    check(HeraldCenterAddObserverWithOptions(center, &released, callback, name, NULL, &options, &token) == HeraldOK,
          "an observer can be added");
    return token;
}

static HeraldToken add(HeraldCallback callback, HeraldSuspensionBehavior behavior) {
    return add_with(callback, behavior, count_release);
}

static void count(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *object,
                  const void *userInfo) {
    (void)from, (void)observer, (void)posted, (void)object, (void)userInfo;
    calls++;
}

static void *post(void *unused) {
    (void)unused;
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    check(0, "the thread has ended");
    return NULL;
}

/* ---- In a post, and in posts nested deeper than a thread has frames -------------------------------------------- */

static void nest(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *object, const void *userInfo) {
    (void)observer, (void)object, (void)userInfo;
    if (++calls % 20 == 0) pthread_exit(NULL);
    HeraldCenterPostNotification(from, posted, NULL, NULL, false);
}

static void *post_on_a_deep_stack(void *unused) {
    char room[4096];
    room[0] = 1;
    __asm__ volatile("" : : "r"(room) : "memory");
    return post(unused);
}

static void in_nested_posts(void) {
    HeraldToken token = add(nest, HeraldSuspensionDeliverImmediately);
    for (int i = 0; i < 50; i++) run(i % 2 ? post : post_on_a_deep_stack);
    check(calls == 1000, "every nested post has called");
    HeraldToken other = add(count, HeraldSuspensionDeliverImmediately);
    check(HeraldCenterRemoveTokenAndWait(center, other), "removing looks at no dead stack");
    check(HeraldCenterRemoveTokenAndWait(center, token) && released == 2, "nothing is shown any more");
}

/* ---- Delivering what was kept ---------------------------------------------------------------------------------- */

static void end(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *object, const void *userInfo) {
    count(from, observer, posted, object, userInfo);
    pthread_exit(NULL);
}

static void *resume(void *unused) {
    (void)unused;
    HeraldCenterSetSuspended(center, false);
    check(0, "the thread has ended");
    return NULL;
}

static void in_a_resume(void) {
    HeraldToken first = add(end, HeraldSuspensionHold), second = add(count, HeraldSuspensionHold);
    HeraldCenterSetSuspended(center, true);
    for (int i = 0; i < 3; i++) HeraldCenterPostNotification(center, name, NULL, NULL, false);
    run(resume);
    check(calls == 1, "the first delivery has ended its thread");
    check(HeraldCenterRemoveTokenAndWait(center, first), "it is removed");
    check(HeraldCenterPostNotification(center, name, NULL, NULL, false) == 1, "the center delivers again");
    check(calls == 5, "what was left has been delivered");
    check(HeraldCenterRemoveTokenAndWait(center, second) && released == 2, "and all is released");
}

/* ---- In the calls of a follower (R25) -------------------------------------------------------------------------- */

static int ends_at, values_out;

static void end_at(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *object,
                   const void *userInfo) {
    count(from, observer, posted, object, userInfo);
    if (calls == ends_at) pthread_exit(NULL);
}

static const void *retain_value(const void *value) {
    values_out++;
    return value;
}
static void release_value(const void *value) { values_out -= value != NULL; }

static HeraldStatus keep(void) { return HeraldCenterPostKept(center, name, NULL, &values_out, NULL, 0, NULL); }

static void *post_kept(void *unused) {
    check(keep() == HeraldOK, "a post is kept");
    return unused;
}

static void *keep_and_end(void *unused) {
    (void)unused;
    /* So that nothing is superseded: such a post would be released by the thread at the end of the call. */
    check(HeraldCenterForget(center, name, NULL), "a post was kept");
    check(keep() != HeraldOK, "the thread has ended");
    return NULL;
}

static HeraldToken follower;
static void *follow(void *unused) {
    HeraldObserverOptions options = {.size = sizeof options, .release = count_release, .start = HeraldStartKept};
    check(HeraldCenterAddObserverWithOptions(center, &released, end_at, name, NULL, &options, &follower) == HeraldOK,
          "a follower can be added");
    check(calls != ends_at, "the thread has ended");
    return unused;
}

static void in_kept_calls(void) {
    HeraldCenterOptions hooks = {
        .size = sizeof hooks, .retainUserInfo = retain_value, .releaseUserInfo = release_value};
    for (ends_at = 1; ends_at <= 3; ends_at++) {
        HeraldCenterRef before = center;
        center = HeraldCenterCreate(&hooks);
        calls = released = 0;
        check(keep() == HeraldOK, "a post is kept");
        run(follow);
        check(calls == 1, "it has begun");
        run(ends_at == 2 ? keep_and_end : post_kept);
        check(calls == 2, "the next post finds the lane free");
        run(ends_at == 3 ? keep_and_end : post_kept);
        check(calls == 3, "and so does the next");
        check(HeraldCenterRemoveTokenAndWait(center, follower) && released == 1, "nothing is shown any more");
        check(values_out == 1, "what the threads had in hand is released");
        HeraldCenterRelease(center);
        check(values_out == 0, "and what was kept");
        center = before;
    }
}

/* ---- In a hook ------------------------------------------------------------------------------------------------- */

static void release_and_end(void *observer) {
    count_release(observer);
    pthread_exit(NULL);
}

static HeraldToken to_remove;
static void *removal(void *unused) {
    (void)unused;
    HeraldCenterRemoveToken(center, to_remove);
    check(0, "the thread has ended");
    return NULL;
}

static void *remove_all(void *unused) {
    (void)unused;
    HeraldCenterRemoveEveryObserver(center, &released);
    check(0, "the thread has ended");
    return NULL;
}

static void in_a_release(void) {
    to_remove = add_with(count, HeraldSuspensionDeliverImmediately, release_and_end);
    run(removal);
    check(released == 1, "the release has run");
    check(!HeraldCenterRemoveTokenAndWait(center, to_remove), "nothing is waited for");
    add_with(count, HeraldSuspensionDeliverImmediately, count_release);
    add_with(count, HeraldSuspensionDeliverImmediately, release_and_end);
    add_with(count, HeraldSuspensionDeliverImmediately, count_release);
    run(remove_all);
    check(released == 4, "the releases after it have run, once each");
}

/* ---- In a transport's hook ------------------------------------------------------------------------------------- */

static int turns, told;
static HeraldStatus first_observer(void *context, HeraldCenterRef of, HeraldNameRef observed) {
    (void)context, (void)of, (void)observed;
    if (turns++ == 0) pthread_exit(NULL);
    return HeraldOK;
}
static void destroy(void *context) { (void)context, destroyed++; }

static void *add_to_transport(void *unused) {
    (void)unused;
    add(count, HeraldSuspensionDeliverImmediately);
    return NULL;
}

static void in_a_turn(void) {
    HeraldTransport transport = {.size = sizeof transport, .firstObserver = first_observer, .destroy = destroy};
    HeraldCenterRef before = center;
    check(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK, "a center can be made");
    run(add_to_transport);
    run(add_to_transport); /* another thread's turn */
    check(turns == 2, "the transport was asked again");
    HeraldCenterRelease(center);
    center = before;
    check(destroyed == 1 && released == 1, "the center has ended");
}

/* The same in the hook of levels: the add has been refused, and the center goes on. */
static HeraldStatus observed(void *context, HeraldCenterRef of, HeraldNameRef named, bool is_observed,
                             uint64_t version) {
    (void)context, (void)of, (void)named, (void)is_observed, (void)version;
    if (told++ == 0) pthread_exit(NULL);
    return HeraldOK;
}

static void in_a_level(void) {
    HeraldTransport transport = {.size = sizeof transport, .observed = observed, .destroy = destroy};
    HeraldCenterRef before = center;
    destroyed = 0;
    check(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK, "a center can be made");
    run(add_to_transport);
    check(!HeraldCenterHasObservers(center, name), "nothing was added");
    run(add_to_transport);
    check(told == 2, "the transport was told again");
    HeraldCenterRelease(center);
    center = before;
    check(told == 3 && destroyed == 1 && released == 1, "the center has ended");
}

/* ---- Afterwards ------------------------------------------------------------------------------------------------ */

static int is_inside, may_return, has_returned;
static void wait_inside(HeraldCenterRef from, void *observer, HeraldNameRef posted, const void *object,
                        const void *userInfo) {
    (void)from, (void)observer, (void)posted, (void)object, (void)userInfo;
    __atomic_store_n(&is_inside, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&may_return, __ATOMIC_SEQ_CST)) usleep(1000);
    __atomic_store_n(&has_returned, 1, __ATOMIC_SEQ_CST);
}
static void *post_and_return(void *unused) {
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    return unused;
}
static void *let_return(void *unused) {
    usleep(100000);
    __atomic_store_n(&may_return, 1, __ATOMIC_SEQ_CST);
    return unused;
}

/* Threads that have never posted have ended in hooks. Posts of new threads are seen by removals all the same. */
static void in_new_threads(void) {
    pthread_t poster, timer;
    HeraldToken token = add(wait_inside, HeraldSuspensionDeliverImmediately);
    check(pthread_create(&poster, NULL, post_and_return, NULL) == 0, "a thread can begin");
    while (!__atomic_load_n(&is_inside, __ATOMIC_SEQ_CST)) usleep(1000);
    check(pthread_create(&timer, NULL, let_return, NULL) == 0, "a thread can begin");
    check(HeraldCenterRemoveTokenAndWait(center, token), "it is removed");
    check(__atomic_load_n(&has_returned, __ATOMIC_SEQ_CST), "its call was waited for");
    pthread_join(poster, NULL);
    pthread_join(timer, NULL);
}

int main(void) {
    void (*const parts[])(void) = {in_nested_posts, in_a_resume, in_kept_calls, in_a_release,
                                   in_a_turn,       in_a_level,  in_new_threads};
    name = HeraldNameCreate("untabled");
    alarm(60);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        center = HeraldCenterCreate(NULL);
        calls = released = 0;
        parts[i]();
        HeraldCenterRelease(center);
    }
    return 0;
}
