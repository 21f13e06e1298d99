/* Observers and posts on several threads, and a removal that waits.
 *
 *      cc threads.c $(pkg-config --cflags --libs herald) -o threads
 *      ./threads
 *
 * A post calls its observers on the thread that posts. So an observer that several threads call needs atomics or a lock
 * of its own. Herald holds no lock during the call: a callback may post, add and remove.
 */
#define _POSIX_C_SOURCE 200809L
#include <herald/herald.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, POSTS = 10000 };

/* What an observer uses. It may be freed only after its last call. */
struct counter {
    atomic_long steps;
};

static void count(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                  const void *userInfo) {
    (void)center, (void)name, (void)object;
    struct counter *counter = observer;
    counter->steps += *(const int *)userInfo; /* userInfo is the poster's, and borrowed for the call */
}

static void *post_many(void *unused) {
    (void)unused;
    HeraldNameRef name = HeraldNameCreate("work.step"); /* the same name on every thread: names are interned */
    for (int i = 0; i < POSTS; i++) {
        int steps = 1;
        HeraldCenterPostNotification(HeraldCenterGetLocalCenter(), name, NULL, &steps, false);
    }
    return NULL;
}

/* Observes while the others post. HeraldCenterRemoveToken alone would not do: another thread may be in the call, or
 * about to begin it. After AndWait no thread is, so the counter may be freed. (Inside a callback nothing can wait:
 * there HeraldCenterRemoveTokenThen calls a function of yours after the last call.) */
static void *observe_for_a_while(void *unused) {
    (void)unused;
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    for (int i = 0; i < 1000; i++) {
        struct counter *counter = calloc(1, sizeof *counter);
        HeraldToken token;
        if (!counter || HeraldCenterAddObserverWithOptions(center, counter, count, HeraldNameCreate("work.step"), NULL,
                                                           NULL, &token) != HeraldOK)
            abort();
        HeraldCenterRemoveTokenAndWait(center, token);
        free(counter);
    }
    return NULL;
}

int main(void) {
    struct counter all = {0};
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldToken token;
    HeraldStatus status =
        HeraldCenterAddObserverWithOptions(center, &all, count, HeraldNameCreate("work.step"), NULL, NULL, &token);
    if (status != HeraldOK) {
        fprintf(stderr, "observe: %s\n", HeraldGetErrorDescription());
        return 1;
    }
    pthread_t posters[THREADS], observer;
    if (pthread_create(&observer, NULL, observe_for_a_while, NULL) != 0) return 1;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&posters[i], NULL, post_many, NULL) != 0) return 1;
    for (int i = 0; i < THREADS; i++) pthread_join(posters[i], NULL);
    pthread_join(observer, NULL);
    HeraldCenterRemoveTokenAndWait(center, token);
    printf("%ld steps\n", all.steps); /* each post was heard: the observer was there all the time */
    return all.steps != (long)THREADS * POSTS;
}
