/* Herald's thread that hears other processes. */
#include <herald/host.h>
#include <stdatomic.h>
#include <unistd.h>

static void count_mark(HeraldCenterRef host, void *observer, HeraldNameRef name, const void *object,
                       const void *userInfo) {
    (void)host, (void)name, (void)object, (void)userInfo;
    (*(atomic_int *)observer)++;
}

/* Waits until the thread has read all earlier messages and posts, without running the loop. */
static void await_thread(void) {
    static atomic_int marks;
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldNameRef name = HeraldNameCreate("mark");
    HeraldMessage message = {.size = sizeof message};
    HeraldToken token;
    marks = 0;
    CHECK(HeraldCenterAddObserverWithOptions(host, &marks, count_mark, name, NULL, NULL, &token) == HeraldOK);
    HeraldCenterPostMessage(host, name, &message);
    HeraldCenterPostNotification(host, name, NULL, NULL, false);
    for (int i = 0; i < 60000 && marks < 2; i++) usleep(1000);
    CHECK(marks == 2);
    HeraldCenterRemoveToken(host, token);
}
