/* The distributed center between machines: one process hears the posts of another through a NATS server.
 *
 *      network URL             the tests
 *      network URL post        posts, and ends
 */
#include "check.h"
#include <CoreFoundation/CoreFoundation.h>
#include <HeraldCF.h>
#include <herald/network.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

static HeraldCenterRef connect_to(const char *url) {
    HeraldNetworkOptions options = {.size = sizeof options, .servers = url};
    HeraldCenterRef network = NULL;
    CHECK(HeraldNetworkCenterCreate(&options, &network) == HeraldOK);
    HeraldCFSetDistributedCenter(network);
    return network;
}

static void post(const char *name, CFStringRef object, CFDictionaryRef info) {
    CFStringRef string = CFStringCreateWithCString(NULL, name, kCFStringEncodingUTF8);
    CFNotificationCenterPostNotification(CFNotificationCenterGetDistributedCenter(), string, object, info, false);
    CFRelease(string);
}

static void post_some(void) {
    const void *key = CFSTR("text"), *value = CFSTR("hello");
    CFDictionaryRef info =
        CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    post("test.network", CFSTR("b"), NULL);
    post("test.network", CFSTR("a"), info);
    post("test.network", NULL, NULL);
    CFRelease(info);
}

/* Writes "<observer>/<object>=<text> ". */
static void hear(CFNotificationCenterRef center, void *observer, CFNotificationName name, const void *object,
                 CFDictionaryRef userInfo) {
    char about[16] = "-", text[16] = "-", line[64];
    CFStringRef value = userInfo ? CFDictionaryGetValue(userInfo, CFSTR("text")) : NULL;
    CHECK(center == CFNotificationCenterGetDistributedCenter() && CFEqual(name, CFSTR("test.network")));
    CHECK(CFRunLoopGetCurrent() == CFRunLoopGetMain());
    if (object) CFStringGetCString(object, about, sizeof about, kCFStringEncodingUTF8);
    if (value) CFStringGetCString(value, text, sizeof text, kCFStringEncodingUTF8);
    snprintf(line, sizeof line, "%s/%s=%s ", (const char *)observer, about, text);
    strncat(heard, line, sizeof heard - strlen(heard) - 1);
}

int main(int count, char **words) {
    static char all[] = "all", one[] = "one", host[] = "host";
    static const char expected[] = "all/b=- all/a=hello one/a=hello all/-=- ";
    CFNotificationCenterRef center = CFNotificationCenterGetDistributedCenter();
    CFStringRef name = CFSTR("test.network");
    /* It stays with the center that it was added to. */
    CFNotificationCenterAddObserver(center, host, hear, name, NULL, CFNotificationSuspensionBehaviorDeliverImmediately);
    HeraldCenterRef network = connect_to(words[1]);
    if (count > 2) {
        post_some();
        return HeraldNetworkClose(network, 60) == HeraldOK ? 0 : 1;
    }
    CFNotificationCenterAddObserver(center, all, hear, name, NULL, CFNotificationSuspensionBehaviorDeliverImmediately);
    CFNotificationCenterAddObserver(center, one, hear, name, CFSTR("a"),
                                    CFNotificationSuspensionBehaviorDeliverImmediately);
    CHECK(HeraldNetworkSynchronize(network, 60) == HeraldOK);
    char *arguments[] = {words[0], words[1], "post", NULL};
    pid_t child;
    int status = -1;
    CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
    waitpid(child, &status, 0);
    CHECK(status == 0);
    RUN_UNTIL(strlen(heard) >= strlen(expected));
    CHECK(was_heard(expected));
    CFNotificationCenterRemoveEveryObserver(center, one);
    post_some(); /* the process's own posts */
    RUN_UNTIL(strlen(heard) >= strlen("all/b=- all/a=hello all/-=- "));
    CHECK(was_heard("all/b=- all/a=hello all/-=- "));
    HeraldCFSetDistributedCenter(NULL);
    post_some(); /* the host center's again */
    RUN_UNTIL(strlen(heard) >= strlen("host/b=- host/a=hello host/-=- "));
    CHECK(was_heard("host/b=- host/a=hello host/-=- "));
    HeraldCFSetDistributedCenter(network);
    post_some(); /* none of the host center's came over the network: they would be heard before these */
    RUN_UNTIL(strlen(heard) >= strlen("all/b=- all/a=hello all/-=- "));
    CHECK(was_heard("all/b=- all/a=hello all/-=- "));
    CFNotificationCenterRemoveEveryObserver(center, all);
    CFNotificationCenterRemoveEveryObserver(center, host);
    CHECK(HeraldNetworkClose(network, 60) == HeraldOK);
    HeraldCFSetDistributedCenter(network);
    post_some(); /* three lines on stderr */
    HeraldCenterRelease(network);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
