/* Extensions of macOS's header, and AppKit's calls: a suspended center holds posts as it was asked to.
 */
#include "check.h"
#include <CoreFoundation/CoreFoundation.h>
#include <HeraldCF.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "thread.h"

static const void *heard_object;
static void hear(CFNotificationCenterRef center, void *observer, CFNotificationName name, const void *object,
                 CFDictionaryRef userInfo) {
    (void)center;
    char text[8] = "";
    heard_object = object;
    CFStringGetCString(name, text, sizeof text, kCFStringEncodingUTF8);
    strcat(heard, observer);
    strcat(heard, text);
    CFNumberRef number = userInfo ? CFDictionaryGetValue(userInfo, CFSTR("number")) : NULL;
    int value = 0;
    if (number && CFNumberGetValue(number, kCFNumberIntType, &value)) sprintf(text, "%d", value), strcat(heard, text);
    strcat(heard, " ");
}

static void post(CFNotificationCenterRef center, const char *text, int value) {
    CFStringRef name = CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8), key = CFSTR("number");
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &value);
    CFDictionaryRef info = CFDictionaryCreate(NULL, (const void **)&key, (const void **)&number, 1,
                                              &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFNotificationCenterPostNotification(center, name, NULL, value ? info : NULL, false);
    CFRelease(name); /* a held userInfo is retained */
    CFRelease(info);
    CFRelease(number);
}

/* ---- The run loop of the Darwin center --------------------------------------------------------------------------- */

static CFRunLoopRef _Atomic other_loop, heard_on;
static void note_loop(CFNotificationCenterRef center, void *observer, CFNotificationName name, const void *object,
                      CFDictionaryRef userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    heard_on = CFRunLoopGetCurrent();
}
static void *run_loop(void *unused) {
    other_loop = CFRunLoopGetCurrent();
    while (other_loop) CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.05, false);
    return unused;
}
static void darwin_on_another_run_loop(void) {
    CFNotificationCenterRef darwin = CFNotificationCenterGetDarwinNotifyCenter();
    CFStringRef name = CFSTR("org.herald.test.loop");
    pthread_t thread;
    pthread_create(&thread, NULL, run_loop, NULL);
    while (!other_loop) usleep(1000);
    CFNotificationCenterAddObserver(darwin, heard, note_loop, name, NULL, 0);
    HeraldCFNotificationCenterSetRunLoop(other_loop);
    CFNotificationCenterPostNotification(darwin, name, NULL, NULL, false);
    for (int i = 0; i < 60000 && !heard_on; i++) usleep(1000);
    CHECK(heard_on && heard_on == other_loop);
    HeraldCFNotificationCenterSetRunLoop(NULL);
    heard_on = NULL;
    CFNotificationCenterPostNotification(darwin, name, NULL, NULL, false);
    await_thread();
    CHECK(!heard_on);
    RUN_UNTIL(heard_on);
    CHECK(heard_on == CFRunLoopGetMain());
    heard_on = NULL;
    CFNotificationCenterPostNotification(darwin, name, NULL, NULL, false);
    await_thread();
    HeraldCFNotificationCenterSetRunLoop(other_loop); /* what waits goes over to the new run loop */
    for (int i = 0; i < 60000 && !heard_on; i++) usleep(1000);
    CHECK(heard_on == other_loop);
    HeraldCFNotificationCenterSetRunLoop(NULL);
    CFNotificationCenterRemoveEveryObserver(darwin, heard);
    other_loop = NULL;
    pthread_join(thread, NULL);
}

/* A callback that runs the loop itself, as a modal panel does: the other posts of its batch are heard in there. */
static int outer_calls, inner_calls, inner_calls_inside;
static void hear_inner(CFNotificationCenterRef center, void *observer, CFNotificationName name, const void *object,
                       CFDictionaryRef userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    inner_calls++;
}
static void run_nested(CFNotificationCenterRef center, void *observer, CFNotificationName name, const void *object,
                       CFDictionaryRef userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    if (outer_calls++) return;
    RUN_UNTIL(inner_calls);
    inner_calls_inside = inner_calls;
}
static void nested_run_loop(void) {
    CFNotificationCenterRef darwin = CFNotificationCenterGetDarwinNotifyCenter();
    CFStringRef name = CFSTR("org.herald.test.nested");
    CFNotificationCenterAddObserver(darwin, &outer_calls, run_nested, name, NULL, 0);
    CFNotificationCenterAddObserver(darwin, &inner_calls, hear_inner, name, NULL, 0);
    CFNotificationCenterPostNotification(darwin, name, NULL, NULL, false);
    await_thread(); /* both wait for the run loop */
    RUN_UNTIL(inner_calls_inside);
    CHECK(outer_calls == 1 && inner_calls == 1 && inner_calls_inside == 1);
    CFNotificationCenterRemoveEveryObserver(darwin, &outer_calls);
    CFNotificationCenterRemoveEveryObserver(darwin, &inner_calls);
}

/* The Darwin center calls an observer once for all posts that come before the run loop turns. */
static void darwin_coalesces(void) {
    CFNotificationCenterRef darwin = CFNotificationCenterGetDarwinNotifyCenter();
    CFStringRef name = CFSTR("org.herald.test.twice");
    inner_calls = 0;
    CFNotificationCenterAddObserver(darwin, &inner_calls, hear_inner, name, NULL, 0);
    for (int i = 0; i < 3; i++) {
        CFNotificationCenterPostNotification(darwin, name, NULL, NULL, false);
        await_thread();
    }
    for (int i = 0; i < 3; i++) CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false);
    CHECK(inner_calls == 1);
    CFNotificationCenterPostNotification(darwin, name, NULL, NULL, false);
    RUN_UNTIL(inner_calls > 1);
    CHECK(inner_calls == 2);
    CFNotificationCenterRemoveEveryObserver(darwin, &inner_calls);
}

/* In the child of a fork no lock is left taken by another thread. */
static void change(const void *observer) {
    CFNotificationCenterRef local = CFNotificationCenterGetLocalCenter();
    CFNotificationCenterRef distributed = CFNotificationCenterGetDistributedCenter();
    CFNotificationCenterAddObserver(local, observer, hear, CFSTR("fork"), NULL, 0);
    CFNotificationCenterAddObserver(distributed, observer, hear, CFSTR("fork"), NULL, 3);
    HeraldCFNotificationCenterSetSuspended(distributed, true);
    CFNotificationCenterPostNotification(distributed, CFSTR("fork"), NULL, NULL, false);
    HeraldCFNotificationCenterSetSuspended(distributed, false);
    CFNotificationCenterRemoveEveryObserver(local, observer);
    CFNotificationCenterRemoveEveryObserver(distributed, observer);
}
static void *change_always(void *stop) {
    CFNotificationCenterRef local = CFNotificationCenterGetLocalCenter();
    for (int i = 0; !*(atomic_bool *)stop; i++) {
        if (i % 100 == 0) change(stop);
        CFNotificationCenterAddObserver(local, stop, hear, CFSTR("fork"), NULL, 0);
        CFNotificationCenterRemoveEveryObserver(local, stop);
    }
    return NULL;
}
static void forks(void) {
    atomic_bool stop = false;
    pthread_t thread;
    pthread_create(&thread, NULL, change_always, &stop);
    for (int i = 0; i < 200; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            change(&status);
            _exit(0);
        }
        waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    stop = true;
    pthread_join(thread, NULL);
}

int main(void) {
    darwin_on_another_run_loop();
    nested_run_loop();
    darwin_coalesces();
    CFNotificationCenterRef center = CFNotificationCenterGetLocalCenter();
    CFStringRef n = CFSTR("n"), m = CFSTR("m"), now = CFSTR("now");
    CFNotificationCenterAddObserver(center, "d", hear, n, NULL, CFNotificationSuspensionBehaviorDrop);
    CFNotificationCenterAddObserver(center, "c", hear, n, NULL, CFNotificationSuspensionBehaviorCoalesce);
    CFNotificationCenterAddObserver(center, "c", hear, m, NULL, CFNotificationSuspensionBehaviorCoalesce);
    CFNotificationCenterAddObserver(center, "h", hear, n, NULL, CFNotificationSuspensionBehaviorHold);
    CFNotificationCenterAddObserver(center, "i", hear, now, NULL, CFNotificationSuspensionBehaviorDeliverImmediately);
    CHECK(!HeraldCFNotificationCenterIsSuspended(center));
    HeraldCFNotificationCenterSetSuspended(center, true);
    CHECK(HeraldCFNotificationCenterIsSuspended(center));
    post(center, "n", 1);
    post(center, "m", 2);
    post(center, "n", 0); /* no userInfo: opencflite retains NULL */
    post(center, "n", 3);
    CHECK(was_heard(""));
    HeraldCFNotificationCenterSetSuspended(center, false);
    CHECK(was_heard("hn1 cm2 hn cn3 hn3 ")); /* coalesced for each name: GNUstep merges names */
    HeraldCFNotificationCenterSetSuspended(center, true);
    CFNotificationCenterPostNotification(center, m, &heard_object, NULL, false);
    HeraldCFNotificationCenterSetSuspended(center, false);
    CHECK(was_heard("cm ") && heard_object == &heard_object); /* a held post keeps its object */
    HeraldCFNotificationCenterSetSuspended(center, true);
    post(center, "n", 4);
    post(center, "now", 5);
    CHECK(was_heard("cn4 hn4 inow5 ")); /* an immediate post is heard after the held ones */
    HeraldCFNotificationCenterSetSuspended(center, false);
    CHECK(was_heard(""));
    HeraldCFNotificationCenterSetSuspended(NULL, true);
    CHECK(!HeraldCFNotificationCenterIsSuspended(NULL));
    forks();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
