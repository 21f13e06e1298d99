/* A thread ends in a callback (R17), in a program whose own functions have cleanups, too. The library's cleanups and
 * the program's need the same word, which the linker keeps once if it is in a group: a static library has one of its
 * own. */
#include <herald/herald.h>
#include <pthread.h>
#include <stdio.h>

static int cleanups;
static void clean(const int *added) { cleanups += *added; }

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    int added __attribute__((cleanup(clean))) = 1;
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    pthread_exit(NULL);
}

static void *post(void *name) {
    int added __attribute__((cleanup(clean))) = 10;
    HeraldCenterPostNotification(HeraldCenterGetLocalCenter(), (HeraldNameRef)name, NULL, NULL, false);
    cleanups += 100; /* not reached */
    return NULL;
}

int main(void) {
    HeraldNameRef name = HeraldNameCreate("unwinding");
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldToken token;
    pthread_t thread;
    if (HeraldCenterAddObserverWithOptions(center, NULL, hear, name, NULL, NULL, &token) != HeraldOK) return 1;
    if (pthread_create(&thread, NULL, post, (void *)name) != 0 || pthread_join(thread, NULL) != 0) return 1;
    HeraldCenterRemoveTokenAndWait(center, token); /* the call is over */
    if (cleanups == 11) return 0;
    printf("unwinding: cleanups %d, not 11\n", cleanups);
    return 1;
}
