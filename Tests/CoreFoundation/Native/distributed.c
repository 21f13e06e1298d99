/* The distributed center: one process hears the posts of another, with object and userInfo. Written as for macOS,
 * except for the header that declares the center, and the calls that suspend it as AppKit does.
 *
 *      distributed                     the tests
 *      distributed post NAME OBJECT NUMBER [now]
 *      distributed flood NAME COUNT
 *      distributed dispatch NAME       hears its own post, in dispatch_main
 */
#include "check.h"
#include <CoreFoundation/CoreFoundation.h>
#include <HeraldCF.h>
#include "thread.h"
#include <herald/inspect.h>
#include <dispatch/dispatch.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static CFNotificationCenterRef center;
static const char *self;

static CFStringRef string(const char *text) { return CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8); }

static void run(double seconds) { CFRunLoopRunInMode(kCFRunLoopDefaultMode, seconds, false); }

/* ---- Posting ----------------------------------------------------------------------------------------------------- */

static CFDictionaryRef dictionary(CFStringRef key, CFTypeRef value) {
    return CFDictionaryCreate(NULL, (const void **)&key, (const void **)&value, 1, &kCFTypeDictionaryKeyCallBacks,
                              &kCFTypeDictionaryValueCallBacks);
}

static void post(const char *name, const char *object, int value, CFOptionFlags options) {
    CFStringRef name_string = string(name), object_string = object ? string(object) : NULL;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &value);
    CFDictionaryRef info = value ? dictionary(CFSTR("number"), number) : NULL;
    CFNotificationCenterPostNotificationWithOptions(center, name_string, object_string, info, options);
    CFRelease(name_string);
    CFRelease(number);
    if (object) CFRelease(object_string);
    if (info) CFRelease(info);
}

/* Posts in another process, and waits for its end. */
static int elsewhere(const char *a, const char *b, const char *c, const char *d, const char *e) {
    const char *words[] = {self, a, b, c, d, e, NULL};
    pid_t child;
    int status = -1;
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, (char **)words, environ) != 0) return -1;
    waitpid(child, &status, 0);
    return status;
}

/* Two posts: the second callback ends the program. */
static void leave(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                  CFDictionaryRef userInfo) {
    (void)from, (void)name, (void)object, (void)userInfo;
    if (++*(int *)observer == 2) exit(7);
}
static void be_dispatched(const char *name) {
    static int heard_so_far;
    CFStringRef string_of_name = string(name);
    CFNotificationCenterAddObserver(center, &heard_so_far, leave, string_of_name, NULL, 4);
    CFRelease(string_of_name);
    post(name, NULL, 1, 0);
    post(name, NULL, 2, 0);
    alarm(60);
    dispatch_main();
}

static int be_another(int count, char **words) {
    if (strcmp(words[1], "dispatch") == 0) be_dispatched(words[2]);
    bool floods = strcmp(words[1], "flood") == 0;
    if (!floods) post(words[2], words[3][0] ? words[3] : NULL, atoi(words[4]), count > 5);
    for (int i = 1; floods && i <= atoi(words[3]); i++) post(words[2], NULL, i, 0);
    return 0;
}

/* ---- Hearing ----------------------------------------------------------------------------------------------------- */

/* Writes "<observer><name>/<object>=<number> ". */
static void hear(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                 CFDictionaryRef userInfo) {
    CHECK(from == center && CFRunLoopGetCurrent() == CFRunLoopGetMain());
    char name_text[32] = "?", object_text[32] = "-", line[80];
    int value = 0;
    CFStringGetCString(name, name_text, sizeof name_text, kCFStringEncodingUTF8);
    if (object) CHECK(CFGetTypeID(object) == CFStringGetTypeID());
    if (object) CFStringGetCString(object, object_text, sizeof object_text, kCFStringEncodingUTF8);
    CFNumberRef number = userInfo ? CFDictionaryGetValue(userInfo, CFSTR("number")) : NULL;
    if (number && CFGetTypeID(number) == CFNumberGetTypeID()) CFNumberGetValue(number, kCFNumberIntType, &value);
    snprintf(line, sizeof line, "%s%s/%s=%d ", (const char *)observer, name_text, object_text, value);
    strncat(heard, line, sizeof heard - strlen(heard) - 1);
}

static void add(const char *observer, const char *name, const char *object, CFNotificationSuspensionBehavior behavior) {
    CFStringRef name_string = name ? string(name) : NULL, object_string = object ? string(object) : NULL;
    CFNotificationCenterAddObserver(center, observer, hear, name_string, object_string, behavior);
    if (name) CFRelease(name_string);
    if (object) CFRelease(object_string);
}

/* Posts "end" here, after all earlier posts, and runs the loop until it is heard. */
static void end(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                CFDictionaryRef userInfo) {
    (void)from, (void)name, (void)object, (void)userInfo;
    *(bool *)observer = true;
}
static void settle(void) {
    bool ended = false;
    CFNotificationCenterAddObserver(center, &ended, end, CFSTR("end"), NULL, 0);
    CFNotificationCenterPostNotification(center, CFSTR("end"), NULL, NULL, true);
    RUN_UNTIL(ended);
    CHECK(ended);
    CFNotificationCenterRemoveEveryObserver(center, &ended);
}

static void remove_all(const char *observers) {
    static const char *const known[] = {"a", "b", "c", "d"};
    for (; *observers; observers++) CFNotificationCenterRemoveEveryObserver(center, known[*observers - 'a']);
}
#define A known_observers[0]
#define B known_observers[1]
#define C known_observers[2]
#define D known_observers[3]
static const char *const known_observers[] = {"a", "b", "c", "d"};

static void who_hears(void) {
    add(A, "n", NULL, 4);
    add(B, "n", "x", 4);
    add(C, "n", "y", 4);
    CHECK(elsewhere("post", "n", "x", "1", NULL) == 0);
    settle();
    CHECK(was_heard("an/x=1 bn/x=1 ")); /* in the order of registration; strings are compared by value */
    CHECK(elsewhere("post", "n", "", "2", NULL) == 0);
    settle();
    CHECK(was_heard("an/-=2 "));
    CHECK(elsewhere("post", "n", "gr\xc3\xbc\xc3\x9f", "0", NULL) == 0);
    CHECK(elsewhere("post", "m", "x", "0", NULL) == 0);
    post("n", "y", 3, 0); /* the posting process hears it as others do */
    CHECK(was_heard(""));
    settle();
    CHECK(was_heard("an/gr\xc3\xbc\xc3\x9f=0 an/y=3 cn/y=3 "));
}

static void removing(void) {
    CFStringRef x = string("x");
    CFNotificationCenterRemoveObserver(center, B, CFSTR("n"), CFSTR("z"));
    CFNotificationCenterRemoveObserver(center, C, CFSTR("m"), NULL);
    CFNotificationCenterRemoveObserver(center, B, CFSTR("n"), x); /* another string with this text */
    CFRelease(x);
    post("n", "x", 1, 0);
    post("n", "y", 2, 0);
    settle();
    CHECK(was_heard("an/x=1 an/y=2 cn/y=2 "));
    post("n", "y", 3, 0);
    await_thread(); /* it waits for the run loop */
    CFNotificationCenterRemoveEveryObserver(center, A);
    CFNotificationCenterRemoveObserver(center, C, NULL, NULL);
    settle();
    CHECK(was_heard(""));
}

/* The host center's thread may have a post in its hands while the observer is removed. */
static bool is_removed[2000];
static int late;
static void be_late(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                    CFDictionaryRef userInfo) {
    (void)from, (void)name, (void)object, (void)userInfo;
    late += *(bool *)observer;
}
static void removed_while_it_is_posted(void) {
    CFTypeRef numbers[1000]; /* they take the thread a while */
    for (int i = 0; i < 1000; i++) numbers[i] = CFNumberCreate(NULL, kCFNumberIntType, &i);
    CFArrayRef array = CFArrayCreate(NULL, numbers, 1000, &kCFTypeArrayCallBacks);
    CFDictionaryRef info = dictionary(CFSTR("numbers"), array);
    for (int i = 0; i < 2000; i++) {
        CFNotificationCenterAddObserver(center, &is_removed[i], be_late, CFSTR("late"), NULL, i % 4 + 1);
        HeraldCFNotificationCenterSetSuspended(center, i % 3 == 0);
        CFNotificationCenterPostNotification(center, CFSTR("late"), NULL, info, false);
        usleep((useconds_t)(i % 20) * 10);
        HeraldCFNotificationCenterSetSuspended(center, false);
        CFNotificationCenterRemoveEveryObserver(center, &is_removed[i]);
        is_removed[i] = true;
    }
    settle();
    CHECK(late == 0);
    CFRelease(info);
    CFRelease(array);
    for (int i = 0; i < 1000; i++) CFRelease(numbers[i]);
}

static void any_name(void) {
    add(A, NULL, NULL, 4);
    add(B, NULL, "x", 4);
    CHECK(elsewhere("post", "never.seen", "x", "1", NULL) == 0);
    CHECK(elsewhere("post", "nor.this", "", "2", NULL) == 0);
    settle();
    CHECK(strcmp(heard, "anever.seen/x=1 bnever.seen/x=1 anor.this/-=2 aend/-=0 ") == 0);
    heard[0] = 0;
    CFNotificationCenterRemoveEveryObserver(center, A);
    CFNotificationCenterRemoveEveryObserver(center, B);
}

/* A plain post has neither object nor userInfo. */
static void plain_posts(void) {
    add(A, "plain", NULL, 4);
    add(B, "plain", "x", 4);
    CFNotificationCenterPostNotification(CFNotificationCenterGetDarwinNotifyCenter(), CFSTR("plain"), CFSTR("x"), NULL,
                                         true);
    RUN_UNTIL(heard[0]);
    CHECK(was_heard("aplain/-=0 "));
    remove_all("ab");
}

/* ---- userInfo ---------------------------------------------------------------------------------------------------- */

static CFDictionaryRef wanted;
static int right;
static void compare(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                    CFDictionaryRef userInfo) {
    (void)from, (void)observer, (void)name, (void)object;
    right += userInfo && CFEqual(userInfo, wanted);
}
static void property_lists(void) {
    CFTypeRef items[] = {CFSTR("text"), kCFBooleanTrue, CFDateCreate(NULL, 1e6),
                         CFDataCreate(NULL, (const UInt8 *)"\0\1", 2)};
    CFArrayRef array = CFArrayCreate(NULL, items, 4, &kCFTypeArrayCallBacks);
    CFDictionaryRef inner = dictionary(CFSTR("items"), array), outer = dictionary(CFSTR("inner"), inner);
    CFNotificationCenterAddObserver(center, &right, compare, CFSTR("list"), NULL, 4);
    wanted = outer;
    CFNotificationCenterPostNotification(center, CFSTR("list"), NULL, outer, true);
    settle();
    CHECK(right == 1);
    wanted = CFDictionaryCreate(NULL, NULL, NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFNotificationCenterPostNotification(center, CFSTR("list"), NULL, wanted, true); /* empty is not NULL */
    settle();
    CHECK(right == 2);
    CFNotificationCenterRemoveEveryObserver(center, &right);
}

static CFDictionaryRef deep(int levels) {
    CFDictionaryRef outer = dictionary(CFSTR("innermost"), CFSTR(""));
    while (--levels > 0) outer = dictionary(CFSTR("inner"), outer);
    return outer;
}

/* Counts the registrations of the centers of this library. */
static bool count_registrations(void *count, HeraldCenterRef each) {
    char label[64];
    HeraldCenterGetLabel(each, label, sizeof label);
    if (strncmp(label, "CFNotificationCenter", 20) == 0)
        *(size_t *)count += HeraldCenterGetRegistrationCount(each, NULL);
    return true;
}

/* The host center refuses the name, and nothing is left of the registration. */
static void refused_by_host(void) {
    char text[600];
    size_t before = 0, after = 0;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    HeraldVisitCenters(count_registrations, &before);
    add(B, text, NULL, 4); /* 1 line */
    HeraldVisitCenters(count_registrations, &after);
    CHECK(before == 1 && after == 1);
}

/* Each writes a line and posts nothing: the test that runs this program counts the lines. */
static void refused(void) {
    int one = 1;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &one);
    CFMutableDataRef large = CFDataCreateMutable(NULL, 0);
    CFDataSetLength(large, 65536);
    UniChar alone = 0xd800, nul[] = {'a', 0, 'b'};
    CFStringRef no_unicode = CFStringCreateWithCharacters(NULL, &alone, 1);
    CFStringRef with_nul = CFStringCreateWithCharacters(NULL, nul, 3);
    add(A, "bad", NULL, 4);
    CFNotificationCenterPostNotification(center, CFSTR("bad"), NULL, dictionary(CFSTR("null"), kCFNull), true);
    CFNotificationCenterPostNotification(center, CFSTR("bad"), NULL, dictionary((CFStringRef)number, number), true);
    CFNotificationCenterPostNotification(center, CFSTR("bad"), NULL, (CFDictionaryRef)number, true);
    CFNotificationCenterPostNotification(center, CFSTR("bad"), NULL, dictionary(CFSTR("large"), large), true);
    CFNotificationCenterPostNotification(center, CFSTR("bad"), NULL, deep(600), true);
    CFNotificationCenterPostNotification(center, CFSTR("bad"), number, NULL, true);
    CFNotificationCenterPostNotification(center, CFSTR("bad"), no_unicode, NULL, true);
    CFNotificationCenterPostNotification(center, CFSTR("bad"), with_nul, NULL, true);
    CFNotificationCenterPostNotification(center, with_nul, NULL, NULL, true);
    CFNotificationCenterPostNotification(center, CFSTR(""), NULL, NULL, true);
    CFNotificationCenterAddObserver(center, B, hear, with_nul, NULL, 4);
    CFNotificationCenterAddObserver(center, B, hear, CFSTR("bad"), number, 4);
    CFNotificationCenterAddObserver(center, B, hear, CFSTR("bad"), with_nul, 4);
    CFNotificationCenterRemoveObserver(center, NULL, CFSTR("bad"), NULL);
    CFNotificationCenterRemoveObserver(center, A, CFSTR("bad"), number); /* 15 lines */
    refused_by_host();
    CFNotificationCenterPostNotification(center, NULL, NULL, NULL, true); /* no output, as on the other centers */
    settle();
    CHECK(was_heard(""));
    post("bad", NULL, 1, 0);
    CFNotificationCenterPostNotification(center, CFSTR("bad"), NULL, deep(500), true);
    settle();
    CHECK(was_heard("abad/-=1 abad/-=0 "));
    remove_all("a");
    CFRelease(number);
    CFRelease(large);
}

/* ---- Posts of foreign programs ----------------------------------------------------------------------------------- */

static void post_bytes_of(const char *name, const char *type, const void *bytes, size_t length) {
    HeraldMessage message = {.size = sizeof message, .object = "o", .type = type, .bytes = bytes, .length = length};
    CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), HeraldNameCreate(name), &message) == HeraldOK);
}
static void post_bytes(const char *type, const void *bytes, size_t length) {
    post_bytes_of("garbled", type, bytes, length);
}

/* Bytes that do not decode reach no callback, and do no harm. */
static void garbled(void) {
    int value = 7;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &value);
    CFDataRef good =
        CFPropertyListCreateData(NULL, dictionary(CFSTR("number"), number), kCFPropertyListBinaryFormat_v1_0, 0, NULL);
    CFDataRef array =
        CFPropertyListCreateData(NULL, CFArrayCreate(NULL, NULL, 0, NULL), kCFPropertyListBinaryFormat_v1_0, 0, NULL);
    CFDataRef xml =
        CFPropertyListCreateData(NULL, dictionary(CFSTR("number"), number), kCFPropertyListXMLFormat_v1_0, 0, NULL);
    const UInt8 *bytes = CFDataGetBytePtr(good);
    size_t length = (size_t)CFDataGetLength(good);
    add(A, "garbled", NULL, 4);
    post_bytes("application/x-plist", bytes, length);
    post_bytes("application/x-plist", "", 0);
    settle();
    CHECK(was_heard("agarbled/o=7 agarbled/o=0 "));
    post_bytes("application/json", "{}", 2);
    post_bytes(NULL, bytes, length);
    post_bytes("application/x-plist", CFDataGetBytePtr(array), (size_t)CFDataGetLength(array));
    post_bytes("application/x-plist", CFDataGetBytePtr(xml), (size_t)CFDataGetLength(xml));
    post_bytes("application/x-plist", "bplist00", 8);
    for (size_t cut = 1; cut < length; cut++) post_bytes("application/x-plist", bytes, length - cut);
    settle();
    CHECK(was_heard(""));
    srand(1);
    for (int i = 0; i < 20000; i++) { /* a post that decodes is heard; none crashes */
        UInt8 spoilt[256];
        memcpy(spoilt, bytes, length);
        for (int j = rand() % 3; j >= 0; j--) spoilt[8 + rand() % (length - 8)] = (UInt8)rand();
        post_bytes("application/x-plist", spoilt, length);
        if (i % 500 == 0) settle();
    }
    settle();
    heard[0] = 0;
    remove_all("a");
}

/* ---- Suspension, and a run loop that does not run ---------------------------------------------------------------- */

static void suspension(void) {
    add(A, "s", NULL, CFNotificationSuspensionBehaviorDrop);
    add(B, "s", NULL, CFNotificationSuspensionBehaviorCoalesce);
    add(C, "s", NULL, CFNotificationSuspensionBehaviorHold);
    add(D, "t", NULL, CFNotificationSuspensionBehaviorDeliverImmediately);
    CHECK(!HeraldCFNotificationCenterIsSuspended(center));
    HeraldCFNotificationCenterSetSuspended(center, true);
    CHECK(HeraldCFNotificationCenterIsSuspended(center));
    CHECK(!HeraldCFNotificationCenterIsSuspended(CFNotificationCenterGetDarwinNotifyCenter()));
    elsewhere("post", "s", "x", "1", NULL);
    elsewhere("post", "s", "y", "2", NULL);
    elsewhere("post", "s", "x", "3", NULL);
    await_thread();
    run(0.02); /* posts that are due are called now */
    CHECK(was_heard(""));
    elsewhere("post", "s", "", "4", "now"); /* at once, by the post's option */
    RUN_UNTIL(strlen(heard) >= 20);
    CHECK(was_heard("as/-=4 bs/-=4 cs/-=4 "));
    HeraldCFNotificationCenterSetSuspended(center, false);
    RUN_UNTIL(strlen(heard) >= 35);
    CHECK(was_heard("cs/x=1 bs/y=2 cs/y=2 bs/x=3 cs/x=3 ")); /* coalesced by object, too */
    HeraldCFNotificationCenterSetSuspended(center, true);
    elsewhere("post", "s", "", "5", NULL);
    elsewhere("post", "t", "", "6", NULL);
    RUN_UNTIL(strlen(heard) >= 21);
    CHECK(was_heard("bs/-=5 cs/-=5 dt/-=6 ")); /* an immediate post is heard after the held ones */
    elsewhere("post", "s", "", "7", NULL);
    await_thread();
    CFNotificationCenterRemoveEveryObserver(center, C); /* with the posts that are held for it */
    HeraldCFNotificationCenterSetSuspended(center, false);
    settle();
    CHECK(was_heard("bs/-=7 "));
    remove_all("abd");
}

/* Held posts coalesce by name and by object; no object is not an empty one. */
static void coalescing(void) {
    add(A, NULL, NULL, CFNotificationSuspensionBehaviorCoalesce);
    HeraldCFNotificationCenterSetSuspended(center, true);
    post("p", "x", 1, 0);
    post("q", "x", 2, 0);
    post("p", NULL, 3, 0);
    post("p", "", 4, 0);
    post("p", "x", 5, 0);
    post("q", "x", 6, 0);
    post("p", "o", 7, 0);
    await_thread();
    HeraldCFNotificationCenterSetSuspended(center, false);
    RUN_UNTIL(strlen(heard) >= 40);
    CHECK(was_heard("ap/-=3 ap/=4 ap/x=5 aq/x=6 ap/o=7 amark/-=0 "));
    HeraldCFNotificationCenterSetSuspended(center, true);
    post("p", "o", 8, 0);
    post_bytes_of("p", "application/json", "{}", 2); /* it is not heard, so it does not take the place of 8 */
    await_thread();
    HeraldCFNotificationCenterSetSuspended(center, false);
    RUN_UNTIL(strlen(heard) >= 17);
    CHECK(was_heard("ap/o=8 amark/-=0 "));
    remove_all("a");
}

/* A post that comes after a resume is heard after those that were held, and so is one that was due before. */
static void in_order(void) {
    add(A, "s", NULL, CFNotificationSuspensionBehaviorHold);
    post("s", NULL, 1, 0);
    await_thread(); /* due */
    HeraldCFNotificationCenterSetSuspended(center, true);
    post("s", NULL, 2, 0);
    await_thread();
    HeraldCFNotificationCenterSetSuspended(center, false);
    post("s", NULL, 3, 0);
    await_thread();
    HeraldCFNotificationCenterSetSuspended(center, true);
    RUN_UNTIL(strlen(heard) >= 21);
    CHECK(was_heard("as/-=1 as/-=2 as/-=3 "));
    HeraldCFNotificationCenterSetSuspended(center, false);
    remove_all("a");
}

/* The distributed center over another center, which calls on the posting thread. */
static void another_center(void) {
    HeraldCenterRef other = HeraldCenterCreate(NULL);
    add(B, "s", NULL, CFNotificationSuspensionBehaviorHold);
    HeraldCFSetDistributedCenter(other);
    add(A, "s", NULL, CFNotificationSuspensionBehaviorHold);
    post("s", "x", 1, 0);
    HeraldCFNotificationCenterSetSuspended(center, true);
    post("s", NULL, 2, 0);
    CHECK(was_heard(""));
    RUN_UNTIL(heard[0]);
    CHECK(was_heard("as/x=1 "));
    HeraldCFNotificationCenterSetSuspended(center, false);
    HeraldCFSetDistributedCenter(NULL);
    post("s", NULL, 3, 0);
    await_thread();
    RUN_UNTIL(strlen(heard) >= 14);
    CHECK(was_heard("as/-=2 bs/-=3 "));
    remove_all("ab");
    CHECK(HeraldCenterGetRegistrationCount(other, NULL) == 0); /* A has left the center that it was added to */
    HeraldCenterRelease(other);
}

static int calls, first_number, last_number;
static void count(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                  CFDictionaryRef userInfo) {
    (void)from, (void)observer, (void)name, (void)object;
    CFNumberGetValue(CFDictionaryGetValue(userInfo, CFSTR("number")), kCFNumberIntType, &last_number);
    if (!calls++) first_number = last_number;
}

/* The newest 1024 posts wait, due or held. */
static void bounded(void) {
    CFNotificationCenterAddObserver(center, &calls, count, CFSTR("flood"), NULL, 3);
    for (int suspended = 0; suspended < 2; suspended++) {
        calls = 0;
        HeraldCFNotificationCenterSetSuspended(center, suspended);
        CHECK(elsewhere("flood", "flood", "3000", NULL, NULL) == 0);
        await_thread();
        HeraldCFNotificationCenterSetSuspended(center, false);
        settle();
        CHECK(calls == 1024 && first_number == 3000 - 1023 && last_number == 3000);
    }
    CFNotificationCenterRemoveEveryObserver(center, &calls);
}

static int large_calls, first_large, last_large;
static void count_large(CFNotificationCenterRef from, void *observer, CFNotificationName name, const void *object,
                        CFDictionaryRef userInfo) {
    (void)from, (void)observer, (void)name;
    large_calls += CFDataGetLength(CFDictionaryGetValue(userInfo, CFSTR("data"))) == 60000;
    last_large = CFStringGetIntValue(object);
    if (large_calls == 1) first_large = last_large;
}

enum { LARGE_POSTS = 400 };
static void flood_large(CFDictionaryRef info) {
    for (int i = 1; i <= LARGE_POSTS; i++) {
        CFStringRef number = CFStringCreateWithFormat(NULL, NULL, CFSTR("%d"), i);
        CFNotificationCenterPostNotification(center, CFSTR("large"), number, info, false);
        CFRelease(number);
        if (i % 10 == 0) await_thread(); /* of more than 1 MiB of one sender's the oldest are overwritten */
    }
    await_thread();
}

/* Of the posts that are due the newest 16 MiB wait; the post of the Darwin center that already waits is not dropped.
 * Of held posts the oldest 16 MiB are kept (R23): before 0.3 it was the newest here, too. */
static void bounded_bytes(void) {
    CFNotificationCenterRef darwin = CFNotificationCenterGetDarwinNotifyCenter();
    CFMutableDataRef data = CFDataCreateMutable(NULL, 0);
    CFDataSetLength(data, 60000);
    CFDictionaryRef info = dictionary(CFSTR("data"), data);
    bool ended = false;
    CFNotificationCenterAddObserver(darwin, &ended, end, CFSTR("before.large"), NULL, 4);
    CFNotificationCenterAddObserver(center, &large_calls, count_large, CFSTR("large"), NULL, 3);
    for (int suspended = 0; suspended < 2; suspended++) {
        large_calls = ended = 0;
        CFNotificationCenterPostNotification(darwin, CFSTR("before.large"), NULL, NULL, true);
        await_thread();
        HeraldCFNotificationCenterSetSuspended(center, suspended);
        flood_large(info);
        HeraldCFNotificationCenterSetSuspended(center, false);
        settle();
        CHECK(large_calls > 270 && large_calls <= (16 << 20) / 60000 && ended);
        CHECK(last_large - first_large == large_calls - 1);
        CHECK(suspended ? first_large == 1 : last_large == LARGE_POSTS);
    }
    CFNotificationCenterRemoveEveryObserver(center, &large_calls);
    CFNotificationCenterRemoveEveryObserver(darwin, &ended);
    CFRelease(info);
    CFRelease(data);
}

static void dispatched(void) {
    int status = elsewhere("dispatch", "dispatched", NULL, NULL, NULL);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void the_type(void) {
    CHECK(center && CFGetTypeID(center) == CFNotificationCenterGetTypeID());
    CHECK(center == CFNotificationCenterGetDistributedCenter());
    CHECK(center != CFNotificationCenterGetDarwinNotifyCenter());
    CFStringRef description = CFCopyDescription(center);
    CHECK(description && CFStringFind(description, CFSTR("distributed"), 0).length > 0);
    CFRelease(description);
}

int main(int argc, char **argv) {
    self = argv[0];
    center = CFNotificationCenterGetDistributedCenter();
    if (argc > 1) return be_another(argc, argv);
    the_type();
    who_hears();
    removing();
    removed_while_it_is_posted();
    any_name();
    plain_posts();
    property_lists();
    refused();
    garbled();
    suspension();
    coalescing();
    in_order();
    another_center();
    bounded();
    bounded_bytes();
    dispatched();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
