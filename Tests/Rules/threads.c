/* R14, R20: the memory that posts take, and threads that come and go. */
#include "check.h"

#include <limits.h>
#include <malloc.h>
#include <signal.h>

static int o1;

/* Memory is measured in a child process, where no other thread allocates. */

/* R14 ------------------------------------------------------------------------------------------------------------- */

static void measure_posts(void) {
    HeraldCenterRef center = new_center();
    struct listener listeners[20];
    memset(listeners, 0, sizeof listeners);
    for (int i = 0; i < 20; i++) add(center, &listeners[i], i % 4 ? name_of("r14.n") : NULL, i % 3 ? &o1 : NULL);
    HeraldTopicRef topic = HeraldTopicCreate(center, name_of("r14.n"), &o1);
    HeraldCenterPostNotification(center, name_of("r14.n"), &o1, NULL, false);
    struct mallinfo2 before = mallinfo2();
    for (int i = 0; i < 1000; i++) {
        HeraldCenterPostNotification(center, name_of("r14.n"), &o1, NULL, false);
        HeraldTopicPost(topic, NULL);
    }
    struct mallinfo2 after = mallinfo2();
    CHECK(after.uordblks == before.uordblks && after.hblkhd == before.hblkhd);
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}
RULE(14, a_post_allocates_nothing_after_the_first) { child_passed(measure_posts); }

static void measure_names(void) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    size_t used[2];
    for (int round = 0; round < 2; round++) {
        for (uintptr_t i = 1; i <= 20000; i++) {
            HeraldNameRef name = HeraldNameForAddress((void *)(i * 64)); /* names that need no memory of their own */
            add(center, &listener, name, i % 2 ? &o1 : NULL);
            CHECK(HeraldCenterPostNotification(center, name, &o1, NULL, false) == 1);
            CHECK(HeraldCenterRemoveToken(center, listener.token));
            listener.released = 0;
        }
        struct mallinfo2 info = mallinfo2();
        used[round] = info.uordblks + info.hblkhd;
    }
    CHECK(used[1] <= used[0] + 512 * 1024);
    HeraldCenterRelease(center);
}
RULE(14, names_that_come_and_go_leave_no_memory) { child_passed(measure_names); }

/* R20 ------------------------------------------------------------------------------------------------------------- */

static void *post_once(void *center) {
    HeraldCenterPostNotification(center, name_of("r20.n"), NULL, NULL, false);
    return NULL;
}
static void measure_threads(void) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, name_of("r20.n"), NULL);
    struct mallinfo2 before = {0}, after;
    for (int i = 0; i < 3000; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, post_once, center);
        pthread_join(thread, NULL);
        if (i == 100) before = mallinfo2();
    }
    after = mallinfo2();
    CHECK(listener.calls == 3000);
    CHECK(after.uordblks <= before.uordblks + 4096);
    HeraldCenterRelease(center);
}
RULE(20, threads_that_come_and_go_leave_no_memory) { child_passed(measure_threads); }

static pthread_key_t late_key;
static void post_late(void *center) {
    static _Thread_local int round; /* destructors run again while values are set: after Herald's own */
    CHECK(HeraldCenterPostNotification(center, name_of("r20.n"), NULL, NULL, false) == 1);
    if (++round < 3) pthread_setspecific(late_key, center);
}
static void *post_and_post_late(void *center) {
    pthread_setspecific(late_key, center);
    return post_once(center);
}
static void check_the_tag(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    CHECK(HeraldGetCurrentTag() == NULL);
}
RULE(20, a_thread_may_post_from_its_late_destructors) {
    HeraldCenterRef center = new_center();
    struct listener listener = {.then = check_the_tag};
    add(center, &listener, name_of("r20.n"), NULL);
    pthread_key_create(&late_key, post_late);
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, post_and_post_late, center);
        pthread_join(thread, NULL);
    }
    CHECK(listener.calls >= 20);
    pthread_key_delete(late_key);
    CHECK(HeraldCenterRemoveTokenAndWait(center, listener.token) && listener.released == 1);
    HeraldCenterRelease(center);
}

/* A thread whose first post is made by the last round of its destructors: Herald does not learn of its end. */
static pthread_key_t last_key;
static void post_last(void *center) {
    static _Thread_local int round;
    if (++round < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(last_key, center);
    } else {
        post_once(center);
    }
}
static void *end_late(void *center) {
    pthread_setspecific(last_key, center);
    return NULL;
}
static void measure_late_threads(void) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, name_of("r20.n"), NULL);
    post_once(center); /* Herald's own key is older: its destructors have run by then */
    pthread_key_create(&last_key, post_last);
    struct mallinfo2 before = {0}, after;
    for (int i = 0; i < 5000; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, end_late, center);
        pthread_join(thread, NULL);
        if (i == 500) before = mallinfo2();
    }
    after = mallinfo2();
    CHECK(listener.calls == 5001);
    CHECK(after.uordblks <= before.uordblks + 4096);
    CHECK(HeraldCenterRemoveTokenAndWait(center, listener.token) && listener.released == 1);
    HeraldCenterRelease(center);
}
/* The thread sanitizer has given the thread up by then, and cannot run its code. */
RULE(20, threads_whose_first_post_is_their_last_act_leave_no_memory) {
    if (!UNDER_THREAD_SANITIZER) child_passed(measure_late_threads);
}

/* Memory that is given back (R14) ---------------------------------------------------------------------------------- */

enum { PEAK = OFTEN(200000), PEAK_NAMES = PEAK / 10 };

/* The process's resident memory, without the free memory of the heap: that may be resident or not. */
static long resident(void) {
    long size = 0, pages = 0;
    malloc_trim(0);
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) check_failed(__FILE__, __LINE__, "statm can be read");
    if (file) fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}
/* Whether memory is no longer resident once the heap has given it back. Some emulators keep it (QEMU 7.2). */
static bool heap_gives_back(void) {
    enum { MUCH = 4 << 20 };
    void *memory = sbrk(MUCH);
    if (memory == (void *)-1) return false;
    memset(memory, 1, MUCH);
    long before = resident();
    if (sbrk(-MUCH) == (void *)-1) return false;
    return resident() < before - MUCH / 2;
}
static long in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

static void hear_nothing(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
}
static HeraldToken *tokens;

/* Each observer once, on one name or on many. */
static void add_to_peak(HeraldCenterRef center, int names) {
    for (uintptr_t i = 0; i < PEAK; i++) {
        HeraldNameRef name = HeraldNameForAddress((void *)(64 + 64 * (i % (unsigned)names)));
        CHECK(HeraldCenterAddObserverWithOptions(center, (void *)(8 * (i + 1)), hear_nothing, name, NULL, NULL,
                                                 &tokens[i]) == HeraldOK);
    }
}
/* In a scattered order: 7919 is prime. */
static void remove_from_peak(HeraldCenterRef center) {
    for (uint64_t i = 0, at = 0; i < PEAK; i++, at = (at + 7919) % PEAK) HeraldCenterRemoveToken(center, tokens[at]);
}

static void measure_peaks(void) {
    static const int names[] = {1, PEAK_NAMES, 1};
    HeraldCenterRef center = new_center();
    mallopt(M_TRIM_THRESHOLD, 1 << 16); /* otherwise an arena of a thread keeps the end of its heap */
    tokens = calloc(PEAK, sizeof *tokens);
    memset(tokens, 1, PEAK * sizeof *tokens);
    HeraldCenterPostNotification(center, name_of("r14"), NULL, NULL, false);
    bool measures = !UNDER_ADDRESS_SANITIZER && !UNDER_THREAD_SANITIZER && heap_gives_back();
    long used = in_use(), held = resident();
    for (int i = 0; i < 3; i++) {
        add_to_peak(center, names[i]);
        remove_from_peak(center);
        CHECK(in_use() <= used + 256 * 1024);
        CHECK(!measures || resident() <= held + 1024 * 1024);
    }
    for (int i = 0; i < PEAK; i++) CHECK(!HeraldCenterRemoveToken(center, tokens[i]));
    add_to_peak(center, 1);
    for (int i = 0; i < PEAK; i++) tokens[i].registration -= UINT64_C(1) << 32; /* the generation before */
    remove_from_peak(center);
    CHECK(HeraldCenterPostNotification(center, HeraldNameForAddress((void *)64), NULL, NULL, false) == PEAK);
    HeraldCenterRelease(center);
    CHECK(in_use() <= used + 32 * 1024);
    CHECK(!measures || resident() <= held + 512 * 1024);
}
RULE(14, a_center_gives_memory_back_after_a_peak_and_all_of_it_when_it_is_released) { child_passed(measure_peaks); }

/* A thread that is interrupted for a long time, mostly during a look-up by name. */
static atomic_int rested, resting_goes_on;
static void rest(int signal) {
    (void)signal;
    const struct timespec a_while = {0, 30000000};
    nanosleep(&a_while, NULL);
    rested++;
}
static void *post_and_rest(void *center) {
    unblock(SIGUSR1);
    while (resting_goes_on) HeraldCenterPostNotification(center, name_of("r14.rest"), NULL, NULL, false);
    return NULL;
}
static void measure_resting(void) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    pthread_t poster;
    struct sigaction action = {.sa_handler = rest};
    sigaction(SIGUSR1, &action, NULL);
    add(center, &listener, name_of("r14.rest"), NULL);
    resting_goes_on = 1;
    long most = 0, used = in_use();
    pthread_create(&poster, NULL, post_and_rest, center);
    for (int round = 0; round < 40; round++) {
        usleep(3000);
        int before = rested;
        pthread_kill(poster, SIGUSR1);
        while (rested == before) {
            HeraldToken token;
            CHECK(HeraldCenterAddObserverWithOptions(center, &o1, hear_nothing, name_of("r14.rest"), NULL, NULL,
                                                     &token) == HeraldOK);
            HeraldCenterRemoveToken(center, token);
            if (in_use() - used > most) most = in_use() - used;
        }
    }
    resting_goes_on = 0;
    pthread_join(poster, NULL);
    CHECK(most <= 2 * 1024 * 1024);
    HeraldCenterRelease(center);
}
RULE(14, what_waits_to_be_freed_stays_little_while_a_post_rests) { child_passed(measure_resting); }
