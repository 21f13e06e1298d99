/* A program written as for macOS: it includes CoreFoundation's headers and none of Herald's. Each check is a promise of
 * CFNotificationCenter there. The comments name the implementations that fail it.
 */
#include "check.h"
#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <time.h>

static CFNotificationCenterRef center;

/* Observers are letters. */
static void hear(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                 CFDictionaryRef userInfo) {
    (void)from, (void)name, (void)object, (void)userInfo;
    strncat(heard, observer ? (const char *)observer : "0", sizeof heard - strlen(heard) - 1);
}
static void add(const char *observer, CFStringRef name, const void *object) {
    CFNotificationCenterAddObserver(center, observer, hear, name, object,
                                    CFNotificationSuspensionBehaviorDeliverImmediately);
}
static void post(CFStringRef name, const void *object) {
    CFNotificationCenterPostNotification(center, name, object, NULL, true);
}
static CFStringRef string(const char *text) { /* another instance each time */
    return CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8);
}

static void the_type(void) {
    CHECK(CFGetTypeID(center) == CFNotificationCenterGetTypeID());
    CHECK(CFNotificationCenterGetTypeID() != CFStringGetTypeID());
    CHECK(CFRetain(center) == center);
    CFRelease(center);
    CHECK(CFEqual(center, CFNotificationCenterGetLocalCenter()));
    CHECK(!CFEqual(center, CFNotificationCenterGetDarwinNotifyCenter()));
    CFStringRef description = CFCopyDescription(center);
    CHECK(description && CFStringFind(description, CFSTR("CFNotificationCenter"), 0).length > 0);
    CFRelease(description);
}

static const char a[] = "a", b[] = "b", c[] = "c", d[] = "d";

static void who_hears(void) {
    int x = 0, y = 0;
    add(a, CFSTR("n"), NULL);
    add(b, CFSTR("n"), &x);
    add(c, NULL, &x);
    add(d, NULL, NULL);
    post(CFSTR("n"), &x);
    CHECK(was_heard("abcd")); /* in the order of registration */
    post(CFSTR("n"), NULL);
    CHECK(was_heard("ad")); /* Darling calls a registration for an object */
    post(CFSTR("n"), &y);
    CHECK(was_heard("ad"));
    post(CFSTR("never seen before"), &x);
    CHECK(was_heard("cd"));
    add(a, CFSTR("n"), NULL);
    post(CFSTR("n"), NULL);
    CHECK(was_heard("ada")); /* twice registered, twice called */
    CFNotificationCenterRemoveEveryObserver(center, a);
    CFNotificationCenterRemoveEveryObserver(center, b);
    CFNotificationCenterRemoveEveryObserver(center, c);
    CFNotificationCenterRemoveEveryObserver(center, d);
    post(CFSTR("n"), &x);
    CHECK(was_heard(""));
}

/* Names are compared by their text. opencflite compares only hashes, and CFHash reads at most 96 characters. */
static void names(void) {
    char one[301], other[301];
    memset(one, 'x', 300);
    one[300] = 0;
    strcpy(other, one);
    other[150] = 'y';
    CFStringRef long_one = string(one), long_other = string(other), again = string(one);
    static const char observer[] = "l";
    add(observer, long_one, NULL);
    CFRelease(long_one); /* the name is copied */
    post(long_other, NULL);
    CHECK(was_heard(""));
    post(again, NULL);
    CHECK(was_heard("l"));
    CFNotificationCenterRemoveObserver(center, observer, again, NULL);
    post(again, NULL);
    CHECK(was_heard(""));
    CFRelease(long_other);
    CFRelease(again);

    CFStringRef umlaut = string("gr\xc3\xbc\xc3\x9f"), same = string("gr\xc3\xbc\xc3\x9f");
    CFMutableStringRef changing = CFStringCreateMutableCopy(NULL, 0, CFSTR("first"));
    add(observer, umlaut, NULL);
    post(same, NULL);
    CHECK(was_heard("l"));
    add(observer, changing, NULL);
    CFStringAppend(changing, CFSTR(" and more"));
    post(CFSTR("first"), NULL);
    CHECK(was_heard("l"));
    post(changing, NULL);
    CHECK(was_heard(""));
    CFNotificationCenterRemoveEveryObserver(center, observer);
    CFRelease(umlaut);
    CFRelease(same);
    CFRelease(changing);
}

static const char *want_name;
static const void *want_object;
static CFDictionaryRef want_info;
static int right;
static void compare(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                    CFDictionaryRef userInfo) {
    CFStringRef wanted = string(want_name);
    right +=
        from == center && observer == &right && CFEqual(name, wanted) && object == want_object && userInfo == want_info;
    CFRelease(wanted);
}
static void arguments(void) {
    int object = 0;
    CFDictionaryRef info =
        CFDictionaryCreate(NULL, NULL, NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFNotificationCenterAddObserver(center, &right, compare, NULL, NULL, 0); /* for held posts only */
    want_name = "an object and a dictionary";
    want_object = &object;
    want_info = info;
    CFStringRef name = string(want_name);
    CFNotificationCenterPostNotification(center, name, &object, info, false);
    CFNotificationCenterPostNotificationWithOptions(
        center, name, &object, info, kCFNotificationDeliverImmediately | kCFNotificationPostToAllSessions);
    CHECK(right == 2);
    want_object = NULL;
    want_info = NULL;
    CFNotificationCenterPostNotification(center, name, NULL, NULL, false); /* opencflite retains NULL */
    CHECK(right == 3);
    CFNotificationCenterRemoveEveryObserver(center, &right);
    CFRelease(info);
    CFRelease(name);
}

static void removing(void) {
    int x = 0, y = 0;
    add(a, CFSTR("n"), &x);
    add(a, CFSTR("n"), &y);
    add(a, CFSTR("m"), NULL);
    add(b, CFSTR("n"), NULL);
    CFNotificationCenterRemoveObserver(center, a, CFSTR("n"), &x);
    post(CFSTR("n"), &x);
    post(CFSTR("n"), &y);
    CHECK(was_heard("bab"));
    CFNotificationCenterRemoveObserver(center, a, CFSTR("n"), NULL);
    post(CFSTR("n"), &y);
    post(CFSTR("m"), NULL);
    CHECK(was_heard("ba"));
    CFNotificationCenterRemoveObserver(center, a, CFSTR("unknown to all"), NULL);
    CFNotificationCenterRemoveEveryObserver(center, a); /* Darling and PureFoundation remove everybody */
    post(CFSTR("n"), NULL);
    post(CFSTR("m"), NULL);
    CHECK(was_heard("b"));
    CFNotificationCenterRemoveEveryObserver(center, b);
    post(CFSTR("n"), NULL);
    CHECK(was_heard(""));
}

static void nulls(void) {
    add(NULL, CFSTR("of nobody"), NULL); /* valid, and for ever */
    add(a, CFSTR("n"), NULL);
    CFNotificationCenterAddObserver(center, a, NULL, CFSTR("n"), NULL, 4);
    CFNotificationCenterAddObserver(NULL, a, hear, CFSTR("n"), NULL, 4);
    CFNotificationCenterRemoveObserver(center, NULL, CFSTR("n"), NULL);
    CFNotificationCenterRemoveEveryObserver(center, NULL);
    CFNotificationCenterRemoveObserver(NULL, a, NULL, NULL);
    CFNotificationCenterRemoveEveryObserver(NULL, a);
    CFNotificationCenterPostNotification(NULL, CFSTR("n"), NULL, NULL, true);
    CFNotificationCenterPostNotification(center, NULL, NULL, NULL, true);
    CFNotificationCenterPostNotificationWithOptions(center, NULL, NULL, NULL, 3);
    post(CFSTR("n"), NULL);
    post(CFSTR("of nobody"), NULL);
    CHECK(was_heard("a0"));
    CFNotificationCenterRemoveObserver(center, a, NULL, NULL);
    post(CFSTR("n"), NULL);
    CHECK(was_heard(""));
    add(a, CFSTR(""), NULL); /* no name: refused, with a line */
    post(CFSTR(""), NULL);
    CHECK(was_heard(""));
}

/* ---- Inside a callback ------------------------------------------------------------------------------------------- */

static const char inner[] = "i", next[] = "n";
static void change(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                   CFDictionaryRef userInfo) {
    hear(from, observer, name, object, userInfo);
    if (CFEqual(name, CFSTR("nested"))) return;
    for (int i = 0; i < 100; i++) add(inner, CFSTR("outer"), NULL); /* opencflite reallocates under the iteration */
    CFNotificationCenterRemoveEveryObserver(center, next);
    CFNotificationCenterPostNotification(center, CFSTR("nested"), NULL, NULL, true);
}
static void inside(void) {
    static const char changer[] = "c";
    CFNotificationCenterAddObserver(center, changer, change, CFSTR("outer"), NULL, 4);
    CFNotificationCenterAddObserver(center, changer, change, CFSTR("nested"), NULL, 4);
    add(next, CFSTR("outer"), NULL);
    post(CFSTR("outer"), NULL);
    CHECK(was_heard("cc")); /* a removed one is not called, an added one not yet */
    CFNotificationCenterRemoveEveryObserver(center, changer);
    post(CFSTR("outer"), NULL);
    CHECK(strlen(heard) == 100);
    heard[0] = 0;
    CFNotificationCenterRemoveEveryObserver(center, inner);
}

/* ---- Threads, memory --------------------------------------------------------------------------------------------- */

static _Atomic long calls;
static void count(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                  CFDictionaryRef userInfo) {
    (void)from, (void)observer, (void)name, (void)object, (void)userInfo;
    calls++;
}
static void *add_post_remove(void *number) {
    char text[16];
    snprintf(text, sizeof text, "thread %d", (int)(intptr_t)number);
    CFStringRef name = string(text);
    for (int i = 0; i < 20000; i++) {
        CFNotificationCenterAddObserver(center, number, count, name, NULL, 4);
        CFNotificationCenterPostNotification(center, name, NULL, NULL, true);
        CFNotificationCenterRemoveObserver(center, number, i % 2 ? name : NULL, NULL);
    }
    CFRelease(name);
    return NULL;
}
static void threads(void) {
    pthread_t each[4];
    for (intptr_t i = 0; i < 4; i++) pthread_create(&each[i], NULL, add_post_remove, (void *)(i + 1));
    for (int i = 0; i < 4; i++) pthread_join(each[i], NULL);
    CHECK(calls == 80000);
}

/* After a removal has returned, the observer is not called any more, even if another thread was removing it at the same
 * time. */
static _Atomic(const void *) removed_here;
static _Atomic long late, round_number;
static _Thread_local bool is_remover;
static void be_late(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                    CFDictionaryRef userInfo) {
    (void)from, (void)name, (void)object, (void)userInfo;
    if (is_remover && removed_here == observer) late++;
}
static void *remove_always(void *observer) {
    for (long seen = 0; seen < 3000;) {
        if (round_number == seen) continue;
        seen = round_number;
        CFNotificationCenterRemoveEveryObserver(center, observer);
    }
    return NULL;
}
static void removers(void) {
    static const char observer[] = "r";
    pthread_t other;
    is_remover = true;
    pthread_create(&other, NULL, remove_always, (void *)observer);
    for (long i = 1; i <= 3000; i++) {
        removed_here = NULL;
        for (int j = 0; j < 20; j++) CFNotificationCenterAddObserver(center, observer, be_late, CFSTR("r"), NULL, 4);
        round_number = i;
        CFNotificationCenterRemoveEveryObserver(center, observer);
        removed_here = observer;
        CFNotificationCenterPostNotification(center, CFSTR("r"), NULL, NULL, true);
    }
    pthread_join(other, NULL);
    CHECK(late == 0);
}

static long resident(void) { /* KiB */
    long pages = 0, own = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &pages, &own) != 2) own = 0;
    if (file) fclose(file);
    return own * 4;
}
static void memory(void) {
    static const char observer[] = "m";
    char text[32];
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "name %d", i);
        CFStringRef name = string(text);
        CFNotificationCenterAddObserver(center, observer, count, name, NULL, 4);
        CFRelease(name);
    }
    calls = 0;
    long before = 0;
    for (int i = 0; i < 1000000; i++) {
        if (i == 10000) before = resident();
        snprintf(text, sizeof text, "name %d", i % 100);
        CFStringRef name = string(text);
        CFNotificationCenterPostNotification(center, name, NULL, NULL, true);
        CFRelease(name);
    }
    CHECK(calls == 1000000);
    CHECK(resident() - before < 1024);
    CFNotificationCenterRemoveEveryObserver(center, observer);
    for (int i = 0; i < 1000000; i++) {
        if (i == 10000) before = resident();
        snprintf(text, sizeof text, "unheard %d", i);
        CFStringRef name = string(text);
        CFNotificationCenterPostNotification(center, name, NULL, NULL, true);
        CFNotificationCenterRemoveObserver(center, observer, name, NULL);
        CFRelease(name);
    }
    CHECK(resident() - before < 1024);
}

/* ---- The Darwin center ------------------------------------------------------------------------------------------- */

static void stop(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                 CFDictionaryRef userInfo) {
    CHECK(from == CFNotificationCenterGetDarwinNotifyCenter() && CFEqual(name, CFSTR("com.acme.changed")));
    CHECK(!object && !userInfo && CFRunLoopGetCurrent() == CFRunLoopGetMain());
    hear(from, observer, name, object, userInfo);
}
static void note_mark(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                      CFDictionaryRef userInfo) {
    (void)from, (void)name, (void)object, (void)userInfo;
    *(int *)observer = 1;
}
/* Runs the loop until a post is heard that was made after all others. */
static void settle(CFNotificationCenterRef darwin) {
    int is_marked = 0;
    CFNotificationCenterAddObserver(darwin, &is_marked, note_mark, CFSTR("com.acme.mark"), NULL, 4);
    CFNotificationCenterPostNotification(darwin, CFSTR("com.acme.mark"), NULL, NULL, false);
    RUN_UNTIL(is_marked);
    CHECK(is_marked);
    CFNotificationCenterRemoveEveryObserver(darwin, &is_marked);
}
static void darwin(void) {
    int object = 0;
    CFNotificationCenterRef darwin = CFNotificationCenterGetDarwinNotifyCenter();
    CHECK(darwin && darwin != center && CFGetTypeID(darwin) == CFNotificationCenterGetTypeID());
    CFNotificationCenterAddObserver(darwin, a, stop, NULL, NULL, 4); /* refused, with a line; Darling crashes */
    CFNotificationCenterAddObserver(darwin, a, stop, CFSTR("com.acme.changed"), &object, 1); /* both are ignored */
    CFNotificationCenterAddObserver(darwin, b, stop, CFSTR("com.acme.other"), NULL, 4);
    CFNotificationCenterPostNotification(darwin, CFSTR("com.acme.changed"), NULL, NULL, false);
    CHECK(was_heard("")); /* on the run loop, not before */
    RUN_UNTIL(heard[0]);
    CHECK(was_heard("a"));
    CFNotificationCenterPostNotification(darwin, CFSTR("nobody.observes.this"), NULL, NULL, false);
    CFNotificationCenterPostNotification(center, CFSTR("com.acme.changed"), NULL, NULL, true); /* another center */
    settle(darwin);
    CHECK(was_heard(""));
    CFNotificationCenterPostNotification(darwin, CFSTR("com.acme.changed"), NULL, NULL, false);
    struct timespec pause = {0, 50000000};
    nanosleep(&pause, NULL);
    CFNotificationCenterRemoveObserver(darwin, a, CFSTR("com.acme.changed"), &object); /* it waits for the run loop */
    settle(darwin);
    CHECK(was_heard("")); /* and is never called after it has been released */
    CFNotificationCenterRemoveEveryObserver(darwin, b);
}

int main(void) {
    center = CFNotificationCenterGetLocalCenter();
    the_type();
    who_hears();
    names();
    arguments();
    removing();
    nulls();
    inside();
    threads();
    removers();
    memory();
    darwin();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
