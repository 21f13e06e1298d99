/* R15: HeraldTopicTryPost, the one call for signal handlers. */
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

static int o1;

enum { NOBODY = 99 };

/* How many were called; NOBODY: it was refused. */
static size_t try_post(HeraldTopicRef topic, const void *userInfo) {
    size_t called = 77;
    if (HeraldTopicTryPost(topic, userInfo, &called)) return called;
    CHECK(called == 0);
    return NOBODY;
}

static void post_once(void) {
    HeraldCenterPostNotification(HeraldCenterGetLocalCenter(), name_of("r15"), NULL, NULL, false);
}

/* ---- What it calls ----------------------------------------------------------------------------------------------- */

RULE(15, try_post_calls_whom_a_post_calls_in_the_same_order) {
    struct record record = {.lock = PTHREAD_MUTEX_INITIALIZER};
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("r15");
    struct listener listeners[8] = {0};
    static int o2;
    const struct {
        HeraldNameRef name;
        const void *object;
    } of[8] = {{name, NULL}, {NULL, &o1}, {name, &o1}, {NULL, NULL}, {name, &o2}, {NULL, &o2}, {name_of("r15.b"), NULL},
               {name, NULL}};
    for (int i = 0; i < 8; i++) {
        listeners[i].letter = (char)('a' + i);
        listeners[i].record = &record;
        add(center, &listeners[i], of[i].name, of[i].object);
    }
    HeraldTopicRef plain = HeraldTopicCreate(center, name, NULL), about = HeraldTopicCreate(center, name, &o1);
    post_once();
    CHECK(try_post(plain, &record) == 3);
    CHECK_HEARD(&record, "adh");
    CHECK(listeners[0].name == name && listeners[0].object == NULL && listeners[0].userInfo == &record &&
          !listeners[0].tag);
    CHECK(try_post(about, NULL) == 5);
    CHECK_HEARD(&record, "abcdh");
    CHECK(listeners[1].object == &o1);
    CHECK(HeraldTopicTryPost(about, NULL, NULL));
    CHECK_HEARD(&record, "abcdh");
    HeraldCenterRemoveToken(center, listeners[3].token);
    CHECK(try_post(about, NULL) == 4);
    CHECK_HEARD(&record, "abch");
    HeraldTopicRelease(plain);
    HeraldTopicRelease(about);
    HeraldCenterRelease(center);
    for (int i = 0; i < 8; i++) CHECK(listeners[i].released == 1);
}

/* ---- What it refuses --------------------------------------------------------------------------------------------- */

static HeraldTopicRef the_topic;
static size_t deepest;

static void *as_newcomer(void *result) {
    *(size_t *)result = try_post(the_topic, NULL);
    return NULL;
}

static void try_deeper(struct listener *self, HeraldCenterRef center) {
    (void)center;
    if (self->calls > 20) return;
    size_t called = try_post(the_topic, NULL);
    if (called == NOBODY) deepest = (size_t)self->calls;
    CHECK(called == NOBODY || called == 1);
}

RULE(15, try_post_refuses_what_it_cannot_do_and_calls_nobody) {
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, name_of("r15"), NULL);
    the_topic = HeraldTopicCreate(center, name_of("r15"), NULL);
    post_once();
    CHECK(try_post(NULL, NULL) == NOBODY);

    size_t called;
    pthread_t thread;
    pthread_create(&thread, NULL, as_newcomer, &called);
    pthread_join(thread, NULL);
    CHECK(called == NOBODY);

    HeraldCenterSetSuspended(center, true);
    CHECK(try_post(the_topic, NULL) == NOBODY);
    HeraldCenterPostNotification(center, name_of("r15"), NULL, NULL, false);
    CHECK(try_post(the_topic, NULL) == NOBODY);
    HeraldCenterSetSuspended(center, false);
    CHECK(listener.calls == 2 || listener.calls == 1); /* whichever its behavior is */
    listener.calls = 0;
    CHECK(try_post(the_topic, NULL) == 1 && listener.calls == 1);

    listener.calls = 0;
    listener.then = try_deeper;
    CHECK(try_post(the_topic, NULL) == 1);
    CHECK(deepest == 8 && listener.calls == 8);
    listener.then = NULL;
    CHECK(try_post(the_topic, NULL) == 1);
    HeraldTopicRelease(the_topic);
    HeraldCenterRelease(center);
}

static size_t carry(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                    const void *tag, unsigned options) {
    (void)context;
    return HeraldCenterDeliver(center, name, object, userInfo, tag, options);
}

RULE(15, try_post_refuses_a_center_with_a_transport) {
    HeraldTransport transport = {.size = sizeof transport, .post = carry};
    HeraldCenterRef center = NULL;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    struct listener listener = {0};
    add(center, &listener, name_of("r15"), NULL);
    HeraldTopicRef topic = HeraldTopicCreate(center, name_of("r15"), NULL);
    CHECK(HeraldTopicPost(topic, NULL) == 1);
    CHECK(try_post(topic, NULL) == NOBODY && listener.calls == 1);
    HeraldTopicRelease(topic);
    HeraldCenterRelease(center);
}

/* ---- Releases that fall to it ------------------------------------------------------------------------------------ */

static void remove_itself(struct listener *self, HeraldCenterRef center) {
    CHECK(HeraldCenterRemoveToken(center, self->token));
    CHECK(self->released == 0);
}

struct falling {
    HeraldCenterRef center;
    HeraldTopicRef topic;
    struct listener listener;
};
static void fall(struct falling *falling) {
    memset(falling, 0, sizeof *falling);
    falling->center = new_center();
    add(falling->center, &falling->listener, name_of("r15"), NULL);
    falling->listener.then = remove_itself;
    falling->topic = HeraldTopicCreate(falling->center, name_of("r15"), NULL);
    post_once();
    CHECK(try_post(falling->topic, NULL) == 1);
    CHECK(falling->listener.released == 0);
}
static void end_fall(struct falling *falling) {
    CHECK(falling->listener.released == 1 && falling->listener.calls == 1);
    HeraldTopicRelease(falling->topic);
    HeraldCenterRelease(falling->center);
    CHECK(falling->listener.released == 1);
}

RULE(15, a_release_that_falls_to_try_post_comes_with_the_next_post_of_its_thread) {
    struct falling falling;
    fall(&falling);
    CHECK(try_post(falling.topic, NULL) == 0 && falling.listener.released == 0);
    post_once();
    end_fall(&falling);
}

RULE(15, a_release_that_falls_to_try_post_comes_with_a_post_that_calls_nobody) {
    struct falling falling;
    fall(&falling);
    CHECK(HeraldTopicPost(falling.topic, NULL) == 0); /* it was the only observer */
    end_fall(&falling);
}

/* Two of them; the hook of one ends the thread that runs it, or blocks it. */
static struct falling first_fall;
static atomic_int hook_entered, hook_blocks, hook_may_return;
static void leave_in_hook(void *observer) {
    listener_released(observer);
    hook_entered = 1;
    if (!hook_blocks) pthread_exit(NULL);
    while (!hook_may_return) usleep(1000);
}
static void remove_and_try_first(struct listener *self, HeraldCenterRef center) {
    remove_itself(self, center);
    CHECK(try_post(first_fall.topic, NULL) == 1);
}
static void fall_with_two(bool blocks, struct falling *second) {
    HeraldObserverOptions options = {.size = sizeof options, .release = leave_in_hook};
    hook_entered = hook_may_return = 0;
    hook_blocks = blocks;
    memset(second, 0, sizeof *second);
    memset(&first_fall, 0, sizeof first_fall);
    first_fall.center = second->center = new_center();
    first_fall.listener.then = remove_itself;
    CHECK(HeraldCenterAddObserverWithOptions(first_fall.center, &first_fall.listener, listener_hear,
                                             name_of("r15.first"), NULL, &options,
                                             &first_fall.listener.token) == HeraldOK);
    first_fall.topic = HeraldTopicCreate(first_fall.center, name_of("r15.first"), NULL);
    add(second->center, &second->listener, name_of("r15"), NULL);
    second->listener.then = remove_and_try_first;
    second->topic = HeraldTopicCreate(second->center, name_of("r15"), NULL);
    post_once();
    CHECK(try_post(second->topic, NULL) == 1);
}
static void *change_another_center(void *unused);
static void one_hook_leaves(bool blocks) {
    struct falling second;
    pthread_t thread;
    fall_with_two(blocks, &second);
    pthread_create(&thread, NULL, change_another_center, NULL);
    while (!hook_entered) usleep(1000);
    if (!blocks) pthread_join(thread, NULL);
    CHECK(HeraldCenterRemoveTokenAndWait(second.center, second.listener.token) == false);
    for (int i = 0; i < 10000 && !second.listener.released; i++) post_once();
    CHECK(second.listener.released == 1 && first_fall.listener.released == 1);
    hook_may_return = 1;
    if (blocks) pthread_join(thread, NULL);
    HeraldTopicRelease(first_fall.topic);
    end_fall(&second);
}
RULE(15, a_hook_that_ends_its_thread_leaves_what_else_falls_to_others) { one_hook_leaves(false); }
RULE(15, a_hook_that_blocks_does_not_hold_up_what_else_falls_to_others) { one_hook_leaves(true); }

static HeraldTopicRef last_topic;
static HeraldCenterRef last_center;
static void release_the_center(void *observer) {
    listener_released(observer);
    HeraldTopicRelease(last_topic);
    HeraldCenterRelease(last_center);
}
RULE(15, a_hook_may_release_the_center_that_the_removal_is_for) {
    HeraldObserverOptions options = {.size = sizeof options, .release = release_the_center};
    struct listener listener = {0};
    last_center = new_center();
    listener.then = remove_itself;
    CHECK(HeraldCenterAddObserverWithOptions(last_center, &listener, listener_hear, name_of("r15"), NULL, &options,
                                             &listener.token) == HeraldOK);
    last_topic = HeraldTopicCreate(last_center, name_of("r15"), NULL);
    post_once();
    CHECK(try_post(last_topic, NULL) == 1 && listener.released == 0);
    CHECK(HeraldCenterRemoveTokenAndWait(last_center, listener.token) == false);
    CHECK(listener.released == 1);
}

static void *owe_and_end(void *of) {
    struct falling *falling = of;
    fall(falling);
    return NULL;
}
RULE(15, a_thread_that_ends_leaves_nothing_that_falls_to_it) {
    struct falling falling;
    pthread_t thread;
    pthread_create(&thread, NULL, owe_and_end, &falling);
    pthread_join(thread, NULL);
    end_fall(&falling);
}

static void *change_another_center(void *unused) {
    (void)unused;
    HeraldCenterRef center = new_center();
    struct listener listener = {0};
    add(center, &listener, name_of("r15"), NULL);
    HeraldCenterRelease(center);
    return NULL;
}
RULE(15, a_release_that_falls_to_try_post_comes_with_the_next_change_of_any_thread) {
    struct falling falling;
    pthread_t thread;
    fall(&falling);
    pthread_create(&thread, NULL, change_another_center, NULL);
    pthread_join(thread, NULL);
    end_fall(&falling);
}

RULE(15, a_release_that_falls_to_try_post_comes_with_the_end_of_the_center) {
    struct falling falling;
    fall(&falling);
    HeraldTopicRelease(falling.topic);
    falling.topic = NULL;
    end_fall(&falling);
}

struct meeting {
    struct falling falling;
    struct step called, removed;
};
static void stay(struct listener *self, HeraldCenterRef center) {
    (void)center;
    struct meeting *meeting = self->context;
    step_reach(&meeting->called, 1);
    usleep(30000); /* the removal waits by now */
}
static void *remove_and_wait(void *of) {
    struct meeting *meeting = of;
    CHECK(step_await(&meeting->called, 1));
    CHECK(HeraldCenterRemoveTokenAndWait(meeting->falling.center, meeting->falling.listener.token));
    CHECK(meeting->falling.listener.released == 1);
    step_reach(&meeting->removed, 1);
    return NULL;
}
RULE(15, a_removal_that_waits_for_try_post_returns_though_its_thread_does_nothing_more) {
    struct meeting meeting = {0};
    pthread_t thread;
    meeting.falling.center = new_center();
    meeting.falling.listener.then = stay;
    meeting.falling.listener.context = &meeting;
    add(meeting.falling.center, &meeting.falling.listener, name_of("r15"), NULL);
    meeting.falling.topic = HeraldTopicCreate(meeting.falling.center, name_of("r15"), NULL);
    post_once();
    pthread_create(&thread, NULL, remove_and_wait, &meeting);
    CHECK(try_post(meeting.falling.topic, NULL) == 1);
    CHECK(step_await(&meeting.removed, 1));
    pthread_join(thread, NULL);
    end_fall(&meeting.falling);
}

/* ---- From signals ------------------------------------------------------------------------------------------------ */

enum { SIGNAL = SIGUSR2, NAMES = 3 };

static HeraldCenterRef disturbed;
static HeraldTopicRef topics[NAMES + 1]; /* the last is for an object */
static atomic_int handled, posted, reached, disturbing;

static void disturb(int signal) {
    (void)signal;
    int error = errno;
    size_t called;
    unsigned turn = (unsigned)atomic_fetch_add(&handled, 1);
    if (HeraldTopicTryPost(topics[turn % (NAMES + 1)], NULL, &called)) {
        atomic_fetch_add(&posted, 1);
        atomic_fetch_add(&reached, (int)called);
    }
    errno = error;
}

/* A registration that says when it is called after its release. */
struct guarded {
    atomic_int calls, released;
    HeraldToken token;
};
static void hear_guarded(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    struct guarded *guarded = observer;
    CHECK(guarded->released == 0);
    guarded->calls++;
}
static void release_guarded(void *observer) {
    struct guarded *guarded = observer;
    CHECK(atomic_fetch_add(&guarded->released, 1) == 0);
}

static HeraldNameRef disturbed_name(unsigned i) {
    char text[16];
    snprintf(text, sizeof text, "r15.%u", i);
    return name_of(text);
}
static void add_guarded(struct guarded *guarded, unsigned turn) {
    HeraldObserverOptions options = {.size = sizeof options, .release = release_guarded};
    const void *object = turn % 5 == 0 ? &o1 : NULL;
    HeraldNameRef name = turn % 7 == 0 ? NULL : disturbed_name(turn % NAMES);
    memset(guarded, 0, sizeof *guarded);
    CHECK(HeraldCenterAddObserverWithOptions(disturbed, guarded, hear_guarded, name, object, &options,
                                             &guarded->token) == HeraldOK);
}

enum { SIGNALS = 10000 };

/* The disturbed thread opens its mask again at each turn. ThreadSanitizer keeps a signal that comes between two of its
   calls and hands it over later, with all signals blocked; one more that comes meanwhile is handed over by a call
   inside the first one's handler, and then the mask of that handler is what the thread is left with: no signal comes
   again. */
static void let_signals_in(void) { unblock(SIGNAL); }

/* What the interrupted thread does: it posts, adds and removes, waits for removals, and looks names up. */
static void post_add_and_remove(void) {
    enum { OPEN = 8 };
    struct guarded open[OPEN];
    HeraldNameRef names[NAMES];
    for (unsigned i = 0; i < NAMES; i++) names[i] = disturbed_name(i);
    for (unsigned i = 0; i < OPEN; i++) add_guarded(&open[i], i);
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    unsigned turn = 0;
    do {
        struct guarded *guarded = &open[turn % OPEN];
        HeraldCenterPostNotification(disturbed, names[turn % NAMES], turn % 2 ? &o1 : NULL, NULL, false);
        HeraldTopicPost(topics[turn % (NAMES + 1)], NULL);
        bool waits = turn % 3 == 0;
        CHECK(waits ? HeraldCenterRemoveTokenAndWait(disturbed, guarded->token)
                    : HeraldCenterRemoveToken(disturbed, guarded->token));
        if (waits) CHECK(guarded->released == 1);
        for (int tries = 0; !guarded->released; tries++) { /* another thread's post may have it */
            if (tries % 1000 == 999) usleep(1000);
            CHECK(tries < PATIENCE * 1000000);
            HeraldTopicPost(topics[0], NULL);
        }
        add_guarded(guarded, turn++);
        let_signals_in();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((handled < SIGNALS || reached == 0) && now.tv_sec - begin.tv_sec < PATIENCE);
    for (unsigned i = 0; i < OPEN; i++) {
        CHECK(HeraldCenterRemoveTokenAndWait(disturbed, open[i].token));
        CHECK(open[i].released == 1);
    }
}

/* Beside it, without signals. */
static void *disturb_besides(void *unused) {
    (void)unused;
    for (unsigned turn = 0; disturbing; turn++) {
        struct guarded guarded;
        add_guarded(&guarded, turn);
        HeraldTopicPost(topics[turn % (NAMES + 1)], NULL);
        CHECK(HeraldCenterRemoveTokenAndWait(disturbed, guarded.token));
        CHECK(guarded.released == 1);
    }
    return NULL;
}

static void begin_disturbing(void) {
    disturbed = new_center();
    for (unsigned i = 0; i <= NAMES; i++)
        topics[i] = HeraldTopicCreate(disturbed, disturbed_name(i % NAMES), i == NAMES ? &o1 : NULL);
    handled = posted = reached = 0;
    disturbing = 1;
    post_once();
    struct sigaction action = {.sa_handler = disturb, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGNAL, &action, NULL) == 0);
}
static void end_disturbing(void) {
    signal(SIGNAL, SIG_IGN);
    for (unsigned i = 0; i <= NAMES; i++) HeraldTopicRelease(topics[i]);
    HeraldCenterRelease(disturbed);
}

/* To this thread, every 50 microseconds. */
static timer_t begin_timer(void) {
    unblock(SIGNAL);
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGNAL;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    timer_t timer;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    struct itimerspec every = {{0, 50000}, {0, 50000}};
    CHECK(timer_settime(timer, 0, &every, NULL) == 0);
    return timer;
}

RULE(15, try_post_from_a_signal_every_50_us_into_a_thread_that_posts_adds_and_removes) {
    begin_disturbing();
    pthread_t besides;
    pthread_create(&besides, NULL, disturb_besides, NULL);
    timer_t timer = begin_timer();
    post_add_and_remove();
    timer_delete(timer);
    disturbing = 0;
    pthread_join(besides, NULL);
    CHECK(handled > 100 && posted == handled && reached > 0); /* it is refused for no reason that is not named */
    end_disturbing();
}

/* The interrupted thread does nothing at all, so it is guarded and set aside by removals. */
static void *be_idle(void *unused) {
    (void)unused;
    post_once();
    timer_t timer = begin_timer();
    while (disturbing) {
        usleep(1000);
        let_signals_in();
    }
    timer_delete(timer);
    return NULL;
}
RULE(15, try_post_from_a_signal_into_an_idle_thread_holds_removals_up) {
    begin_disturbing();
    pthread_t idle, besides;
    pthread_create(&idle, NULL, be_idle, NULL);
    pthread_create(&besides, NULL, disturb_besides, NULL);
    for (int i = 0; i < PATIENCE * 1000 && handled < SIGNALS; i++) usleep(1000);
    disturbing = 0;
    pthread_join(idle, NULL);
    pthread_join(besides, NULL);
    CHECK(posted == handled && posted > 10);
    end_disturbing();
}
