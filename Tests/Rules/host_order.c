/* The host center: names are heard in the order of their last posts. */
#include "host.h"
#include <sched.h>

enum { READY = 10, STOP, ROUND };
enum { NAMES = 64, MOST = 4096 };

/* The names that the watcher has heard, in order, visible to all processes. */
static struct heard {
    _Atomic uint32_t count;
    _Atomic uint32_t names[MOST];
    _Atomic long begun[2];     /* by each poster: the serial number of its newest post */
    _Atomic long single, late; /* calls for one post, the name's last; and those of them after a later post's call */
} * heard;

static HeraldNameRef names_in_order[2][NAMES];
static long total[2][NAMES], last[2];

static void make_names(void) {
    char text[32];
    for (int poster = 0; poster < 2; poster++)
        for (int i = 0; i < NAMES; i++) {
            snprintf(text, sizeof text, "order.%d.%d", poster, i);
            names_in_order[poster][i] = name_of(text);
        }
}

/* If the call stands for one post, the number of that post is known. The post has kept its place in the order if its
 * poster has not begun to post the name again. */
static void note_order(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                       const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    long place = (long)(intptr_t)observer, poster = place / NAMES, number = place % NAMES;
    long posts = (long)HeraldHostGetPostCount();
    uint32_t at = heard->count;
    if (at < MOST) heard->names[at] = (uint32_t)place;
    heard->count = at + 1; /* after the name: another process waits for the count, then reads the names */
    total[poster][number] += posts;
    long serial = (total[poster][number] - 1) * NAMES + number + 1;
    if (posts != 1 || heard->begun[poster] >= serial + NAMES) return;
    heard->single++;
    if (serial < last[poster]) heard->late++;
    if (serial > last[poster]) last[poster] = serial;
}
static void watch_order(void) {
    make_names();
    for (int poster = 0; poster < 2; poster++)
        for (int i = 0; i < NAMES; i++)
            CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), (void *)(intptr_t)(poster * NAMES + i),
                                          note_order, names_in_order[poster][i], NULL,
                                          HeraldSuspensionDrop) == HeraldOK);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
static pid_t begin_watcher(void) {
    heard = mmap(NULL, sizeof *heard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t watcher = process(watch_order);
    EVENTUALLY(board->at[READY] == 1);
    make_names();
    return watcher;
}
static void end_watcher(pid_t watcher) {
    board->at[STOP] = 1;
    join(watcher);
    munmap(heard, sizeof *heard);
}

/* Each round has another order, so that an order by addresses cannot be right. */
HOST_TEST(names_are_heard_in_the_order_of_their_posts) {
    pid_t watcher = begin_watcher();
    int wrong = 0;
    for (int round = 0; round < 200; round++) {
        uint32_t count = round % 2 ? 8 : NAMES, step = (uint32_t)(round * 2 + 1) % NAMES;
        heard->count = 0;
        for (uint32_t i = 0; i < count; i++)
            HeraldCenterPostNotification(HeraldCenterGetHostCenter(), names_in_order[0][i * step % NAMES], NULL, NULL,
                                         false);
        EVENTUALLY(heard->count >= count);
        for (uint32_t i = 0; i < count; i++) wrong += heard->names[i] != i * step % NAMES;
        CHECK(heard->count == count);
        if (round % 16 == 0) pause_for(2000); /* it sleeps */
    }
    CHECK(wrong == 0);
    end_watcher(watcher);
}

/* Posts a name while the watcher looks at it, and then another name that the watcher has not looked at yet. */
static void post_without_end(long poster) {
    make_names();
    board->at[READY]++;
    for (unsigned round = 1; !board->at[STOP]; round++)
        for (int i = 0; i < NAMES; i++) {
            heard->begun[poster]++;
            HeraldCenterPostNotification(HeraldCenterGetHostCenter(), names_in_order[poster][i], NULL, NULL, false);
            for (volatile unsigned wait = round * 7919 % 300; wait; wait--) continue;
        }
}
static void post_first(void) { post_without_end(0); }
static void post_second(void) { post_without_end(1); }
HOST_TEST(order_holds_while_names_are_looked_at) {
    pid_t watcher = begin_watcher(), first = process(post_first), second = process(post_second);
    enum { ENOUGH = OFTEN(60000) }; /* calls that tell something about the order */
    EVENTUALLY(heard->single >= ENOUGH || heard->late);
    board->at[STOP] = 1;
    join(first);
    join(second);
    char sentence[80];
    snprintf(sentence, sizeof sentence, "%ld of %ld out of order", (long)heard->late, (long)heard->single);
    if (heard->late || heard->single < ENOUGH) check_failed(__FILE__, __LINE__, sentence);
    end_watcher(watcher);
}
