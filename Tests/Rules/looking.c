/* R24: traces, and running callbacks. */
#include "check.h"
#include <herald/inspect.h>
#include <sys/wait.h>
#include <pthread.h>

/* The events of a trace: a letter for each, and the last few in full. */
struct log {
    char text[256];
    HeraldTraceEvent events[64];
    size_t count;
    atomic_int released;
    void (*then)(struct log *log, const HeraldTraceEvent *event);
    HeraldToken trace, other;
};

static void note(void *context, const HeraldTraceEvent *event) {
    static const char letters[] = "?([]):;";
    struct log *log = context;
    CHECK(event->size == sizeof *event && event->begin && event->span && event->thread == (uint32_t)gettid());
    if (log->count < 64) log->events[log->count] = *event;
    if (log->count < sizeof log->text - 1) log->text[log->count++] = letters[event->phase];
    if (log->then) log->then(log, event);
}
static void log_released(void *context) { ((struct log *)context)->released++; }

static void start(struct log *log, HeraldCenterRef center, HeraldNameRef name) {
    CHECK(HeraldTraceStart(center, name, note, log, log_released, &log->trace) == HeraldOK);
}
static void stop(struct log *log) {
    CHECK(HeraldTraceStop(log->trace) && log->released == 1);
    CHECK(!HeraldTraceStop(log->trace));
}

static int somebody;

/* The rules may run with a trace of their own. */
static bool is_looked_at(void) { return getenv("HERALD_TEST_TRACE") != NULL; }

RULE(24, trace_tells_a_post_and_its_calls) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("look.post"), other = name_of("look.other");
    struct listener one = {.letter = 'a'}, two = {.letter = 'b'};
    struct log log = {0};
    add(center, &one, name, NULL);
    add(center, &two, NULL, NULL);
    CHECK(HeraldTraceIsOn() == is_looked_at());
    start(&log, center, name);
    CHECK(HeraldTraceIsOn());
    CHECK(HeraldCenterPostNotificationWithOptions(center, name, &somebody, NULL, 1) == 2);
    CHECK(HeraldCenterPostNotification(center, other, NULL, NULL, false) == 1); /* is not traced */
    CHECK(strcmp(log.text, "([][])") == 0);
    const HeraldTraceEvent *events = log.events;
    CHECK(events[0].center == center && events[0].name == name && events[0].object == &somebody);
    CHECK(events[0].token.center == one.token.center && !events[0].token.registration);
    CHECK(events[0].options == 1 && events[0].caller && !events[0].end && !events[0].parent);
    CHECK(events[1].parent == events[0].span && events[2].span == events[1].span && events[2].end >= events[2].begin);
    CHECK(events[1].token.registration == one.token.registration && events[1].token.center == one.token.center);
    CHECK(events[1].observer == &one && events[1].callback == listener_hear && events[3].observer == &two);
    CHECK(events[5].span == events[0].span && events[5].calls == 2 && events[5].outcome == HeraldTraceReturned);
    CHECK(events[5].end >= events[4].end && events[4].begin >= events[2].end);
    stop(&log);
    CHECK(HeraldTraceIsOn() == is_looked_at());
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    CHECK(log.count == 6 && one.calls == 2);
    HeraldCenterRelease(center);
}

RULE(24, trace_tells_every_way_of_posting) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("look.ways");
    struct listener one = {.letter = 'a'};
    struct log log = {0};
    HeraldTopicRef topic = HeraldTopicCreate(center, name, NULL), about = HeraldTopicCreate(center, name, &somebody);
    HeraldMessage message = {.size = sizeof message};
    start(&log, NULL, NULL);
    HeraldTopicPost(topic, NULL); /* no observer */
    CHECK(strcmp(log.text, "()") == 0 && log.events[0].caller && log.events[1].calls == 0);
    add(center, &one, name, NULL);
    HeraldTopicPost(topic, NULL);
    HeraldTopicPostTagged(about, NULL, &somebody);
    HeraldCenterPostTagged(center, name, NULL, NULL, &somebody, 0);
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    CHECK(HeraldCenterDeliver(center, name, NULL, NULL, NULL, 0) == 1);
    CHECK(strcmp(log.text, "()([])([])([])([])([])") == 0 && one.calls == 5);
    CHECK(log.events[6].object == &somebody && log.events[6].tag == &somebody);
    CHECK(log.events[14].caller && log.events[14].tag && !log.events[18].caller);
    HeraldTopicRelease(topic);
    HeraldTopicRelease(about);
    HeraldCenterRelease(center);
    HeraldCenterRef later = new_center(); /* made while all centers are traced */
    HeraldCenterPostNotification(later, name, NULL, NULL, false);
    CHECK(strcmp(log.text, "()([])([])([])([])([])()") == 0);
    HeraldCenterRelease(later);
    stop(&log);
}

static void post_inside(struct listener *self, HeraldCenterRef center) {
    HeraldCenterPostNotification(center, self->context, NULL, NULL, false);
}

RULE(24, trace_spans_nest_as_calls_do) {
    HeraldCenterRef center = new_center();
    HeraldNameRef outer = name_of("look.outer"), inner = name_of("look.inner");
    struct listener one = {.letter = 'a', .then = post_inside, .context = (void *)inner}, two = {.letter = 'b'};
    struct log log = {0};
    add(center, &one, outer, NULL);
    add(center, &two, inner, NULL);
    start(&log, center, NULL);
    HeraldCenterPostNotification(center, outer, NULL, NULL, false);
    CHECK(strcmp(log.text, "([([])])") == 0);
    CHECK(log.events[2].parent == log.events[1].span && log.events[3].parent == log.events[2].span);
    CHECK(log.events[7].parent == 0);
    stop(&log);
    HeraldCenterRelease(center);
}

static void post_elsewhere(struct log *log, const HeraldTraceEvent *event) {
    static HeraldNameRef name;
    if (!name) name = name_of("look.of.a.hook");
    CHECK(HeraldCenterPostNotification(event->center, name, NULL, NULL, false) == 1);
    (void)log;
}

RULE(24, trace_hook_may_post_and_is_not_traced) {
    HeraldCenterRef center = new_center();
    struct listener one = {.letter = 'a'};
    struct log log = {.then = post_elsewhere};
    add(center, &one, name_of("look.of.a.hook"), NULL);
    start(&log, NULL, NULL);
    HeraldCenterPostNotification(center, name_of("look.hooked"), NULL, NULL, false);
    CHECK(strcmp(log.text, "()") == 0 && one.calls == 2);
    stop(&log);
    HeraldCenterRelease(center);
}

static void remove_it(struct log *log, const HeraldTraceEvent *event) {
    if (event->phase == HeraldTraceCallBegin) CHECK(HeraldCenterRemoveToken(event->center, log->other));
}
static void stop_it(struct log *log, const HeraldTraceEvent *event) {
    if (event->phase == HeraldTraceCallBegin) CHECK(HeraldTraceStop(log->trace));
}

RULE(24, trace_hook_may_end_the_registration_and_the_trace) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("look.ends");
    struct listener one = {.letter = 'a'}, two = {.letter = 'b'};
    struct log log = {.then = remove_it};
    add(center, &one, name, NULL);
    start(&log, center, NULL);
    log.other = one.token;
    CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == 0);
    CHECK(strcmp(log.text, "([])") == 0 && one.calls == 0 && one.released == 1);
    CHECK(log.events[2].outcome == HeraldTraceEnded && log.events[3].calls == 0);
    stop(&log);
    struct log own = {.then = stop_it};
    start(&own, center, NULL);
    add(center, &two, name, NULL);
    CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == 1);
    CHECK(strcmp(own.text, "([") == 0 && own.released == 1 && two.calls == 1);
    HeraldCenterRelease(center);
}

RULE(24, trace_tells_what_a_suspended_center_holds) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("look.held");
    struct listener one = {.letter = 'a'};
    struct log log = {0};
    add_with(center, &one, name, NULL, HeraldSuspensionHold);
    start(&log, center, name);
    HeraldCenterSetSuspended(center, true);
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    CHECK(strcmp(log.text, "()") == 0 && log.events[1].outcome == HeraldTraceHeld);
    HeraldCenterSetSuspended(center, false);
    CHECK(strcmp(log.text, "()[]") == 0 && one.calls == 1 && log.events[2].parent == 0);
    stop(&log);
    HeraldCenterRelease(center);
}

static HeraldStatus refuse(void *context, HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message) {
    (void)context, (void)center, (void)name;
    HeraldTraceSend(7, UINT64_C(1) << 60);
    return message->length ? HeraldTooLarge : HeraldOK;
}
static size_t carry(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                    const void *tag, unsigned options) {
    (void)context, (void)center, (void)name, (void)object, (void)userInfo, (void)tag, (void)options;
    return 0;
}

RULE(24, trace_tells_what_a_transport_carries) {
    HeraldTransport transport = {.size = sizeof transport, .post = carry, .postMessage = refuse};
    HeraldMessage message = {.size = sizeof message};
    HeraldCenterRef center;
    HeraldNameRef name = name_of("look.carried");
    struct log log = {0};
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    start(&log, center, NULL);
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldOK);
    message.bytes = "x";
    message.length = 1;
    CHECK(HeraldCenterPostMessage(center, name, &message) == HeraldTooLarge);
    CHECK(strcmp(log.text, "()()()") == 0);
    CHECK(log.events[1].outcome == HeraldTraceCarried && log.events[3].outcome == HeraldTraceCarried);
    CHECK(log.events[5].outcome == HeraldTraceDropped && log.events[4].caller);
    CHECK(log.events[3].sender == 7 && log.events[3].sequence == UINT64_C(1)
                                                                     << 60); /* the transport sets the sequence */
    CHECK(log.events[1].sender == 0 && log.events[1].sequence == 0);
    HeraldTraceSend(1, 2); /* outside of any post */
    stop(&log);
    HeraldCenterRelease(center);
}

static void end_thread(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    pthread_exit(NULL);
}
static void *post_and_end(void *center) {
    HeraldCenterPostNotification(center, name_of("look.unwound"), NULL, NULL, false);
    return NULL;
}

RULE(24, trace_tells_of_a_callback_that_ends_its_thread) {
    HeraldCenterRef center = new_center();
    struct listener one = {.letter = 'a', .then = end_thread};
    struct log log = {0};
    pthread_t thread;
    add(center, &one, name_of("look.unwound"), NULL);
    start(&log, center, NULL);
    pthread_create(&thread, NULL, post_and_end, center);
    pthread_join(thread, NULL);
#ifdef __GLIBC__
    CHECK(strcmp(log.text, "([])") == 0);
    CHECK(log.events[2].outcome == HeraldTraceUnwound && log.events[3].outcome == HeraldTraceUnwound);
#else
    CHECK(strcmp(log.text, "([") == 0); /* if a thread's end does not unwind, the trace does not show it */
#endif
    stop(&log);
    HeraldCenterRelease(center);
}

static atomic_bool posts_on;
static void *post_until(void *center) {
    HeraldNameRef name = name_of("look.threads");
    while (posts_on) HeraldCenterPostNotification(center, name, NULL, NULL, false);
    return NULL;
}
struct counts {
    atomic_long begun, ended, late;
    atomic_bool over;
};
static void count(void *context, const HeraldTraceEvent *event) {
    struct counts *counts = context;
    bool begins = event->phase == HeraldTracePostBegin || event->phase == HeraldTraceCallBegin;
    *(begins ? &counts->begun : &counts->ended) += 1;
    if (counts->over) counts->late++;
}

RULE(24, trace_begins_and_ends_beside_posters) {
    HeraldCenterRef center = new_center();
    struct listener one = {.letter = 'a'};
    pthread_t threads[3];
    add(center, &one, name_of("look.threads"), NULL);
    posts_on = true;
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, post_until, center);
    static struct counts counts[100];
    for (int i = 0; i < 100; i++) {
        HeraldToken trace;
        counts[i].over = false;
        CHECK(HeraldTraceStart(i & 1 ? center : NULL, NULL, count, &counts[i], NULL, &trace) == HeraldOK);
        usleep(200);
        CHECK(HeraldTraceStop(trace));
        counts[i].over = true; /* no hook runs any more */
    }
    posts_on = false;
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    long late = 0, all = 0;
    for (int i = 0; i < 100; i++) late += counts[i].late, all += counts[i].begun;
    CHECK(late == 0 && all > 0);
    HeraldCenterRelease(center);
}

RULE(24, mailboxes_are_joined_by_their_messages) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("look.mailbox");
    struct listener one = {.letter = 'a'};
    struct log log = {0};
    HeraldTraceCarry(&somebody, 1, 0, 0); /* no trace is on */
    add(center, &one, name, NULL);
    start(&log, NULL, NULL);
    HeraldTraceCarry(&somebody, 1, 0, 0);
    HeraldTraceCarry(&somebody, 1, 5, 6);
    HeraldTraceLose(&somebody, 2, HeraldTraceMerged);
    CHECK(strcmp(log.text, ":;;") == 0 && log.events[0].carrier == &somebody && log.events[1].message == 1);
    CHECK(log.events[1].begin == 5 && log.events[1].end == 6 && log.events[2].outcome == HeraldTraceMerged);
    stop(&log);
    HeraldCenterRelease(center);
}

static void hand_over(struct listener *self, HeraldCenterRef center) {
    (void)center;
    HeraldTraceCarry(self, 7, 0, 0);
}

RULE(24, what_a_mailbox_carries_is_its_registrations) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("look.mailbox.of");
    struct listener one = {.letter = 'a', .then = hand_over};
    struct log log = {0};
    add(center, &one, name, NULL);
    start(&log, center, name);
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    HeraldTraceCarry(&one, 7, 1, 2); /* outside of any call */
    CHECK(strcmp(log.text, "([:]);") == 0 && log.events[2].parent == log.events[1].span);
    CHECK(log.events[5].name == name && log.events[5].center == center && log.events[5].message == 7);
    CHECK(log.events[5].token.registration == one.token.registration);
    stop(&log);
    HeraldCenterRelease(center);
}

static const char *mailbox;
static void put_in(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    HeraldTraceCarry(mailbox, 1, 0, 0);
}
static void count_heard(void *context, const HeraldTraceEvent *event) {
    if (event->phase == HeraldTraceHeard) ++*(int *)context;
}
RULE(24, what_each_of_thousands_of_mailboxes_carries_is_its_registrations) {
    enum { MAILBOXES = 4096 };
    static char mailboxes[MAILBOXES + 1];
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("look.mailbox.each");
    struct listener one = {.letter = 'a', .then = put_in};
    HeraldToken trace;
    int heard = 0;
    mailbox = NULL; /* NULL is an address like any other */
    add(center, &one, name, NULL);
    CHECK(HeraldTraceStart(center, name, count_heard, &heard, NULL, &trace) == HeraldOK);
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    for (int turn = 0; turn < 2; turn++) { /* in the second turn, others have come in between */
        for (mailbox = mailboxes + turn; mailbox < mailboxes + turn + MAILBOXES; mailbox++)
            HeraldCenterPostNotification(center, name, NULL, NULL, false);
        heard = 0;
        for (int i = 0; i < MAILBOXES; i++) HeraldTraceCarry(&mailboxes[turn + i], 1, 1, 2);
        CHECK(heard == MAILBOXES);
    }
    HeraldTraceCarry(&mailboxes[0], 2, 1, 2); /* the first mailbox has been forgotten */
    CHECK(heard == MAILBOXES);
    CHECK(HeraldTraceStop(trace));
    HeraldCenterRelease(center);
}

static void lose(struct listener *self, HeraldCenterRef center) {
    (void)center;
    HeraldTraceLose(self + 1, 1, HeraldTraceEnded);
}
RULE(24, a_mailbox_that_another_callback_ends_stays_its_registrations) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("look.mailbox.one"), other = name_of("look.mailbox.two");
    struct listener both[2] = {{.letter = 'a', .then = lose}, {.letter = 'b', .then = hand_over}};
    struct log log = {0};
    add(center, &both[0], name, NULL);
    add(center, &both[1], other, NULL);
    start(&log, center, other);
    HeraldCenterPostNotification(center, other, NULL, NULL, false);
    HeraldCenterPostNotification(center, name, NULL, NULL, false);
    HeraldTraceCarry(&both[1], 7, 1, 2);
    CHECK(strcmp(log.text, "([:]);;") == 0);
    for (int i = 5; i < 7; i++)
        CHECK(log.events[i].name == other && log.events[i].token.registration == both[1].token.registration);
    stop(&log);
    HeraldCenterRelease(center);
}

static void release_center(struct log *log, const HeraldTraceEvent *event) {
    if (event->phase == HeraldTracePostBegin) HeraldCenterRelease(event->center);
    log->then = NULL;
}
static size_t post_nowhere(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object,
                           const void *userInfo, const void *tag, unsigned options) {
    (void)center, (void)name, (void)object, (void)userInfo, (void)tag, (void)options;
    CHECK(*(int *)context == 0); /* the context has not been destroyed */
    return 3;
}
static void destroy_transport(void *context) { ++*(int *)context; }
RULE(24, trace_hook_may_release_the_center_at_its_last_post) {
    HeraldNameRef name = name_of("look.last");
    struct log log = {.then = release_center};
    start(&log, NULL, name);
    CHECK(HeraldCenterPostNotification(new_center(), name, NULL, NULL, false) == 0);
    int destroyed = 0;
    HeraldTransport transport = {
        .size = sizeof transport, .context = &destroyed, .post = post_nowhere, .destroy = destroy_transport};
    HeraldCenterRef center;
    CHECK(HeraldCenterCreateWithTransport(NULL, &transport, &center) == HeraldOK);
    log.then = release_center;
    CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == 3 && destroyed == 1);
    CHECK(strcmp(log.text, "()()") == 0);
    stop(&log);
}

/* Whether a trace that begins and ends while centers are made learns of them. */
static void *make_centers(void *stop) {
    while (!*(atomic_bool *)stop) HeraldCenterRelease(new_center());
    return NULL;
}
RULE(24, centers_begin_beside_traces) {
    atomic_bool stopped = false;
    pthread_t maker;
    pthread_create(&maker, NULL, make_centers, &stopped);
    HeraldNameRef name = name_of("look.beside");
    for (int i = 0; i < 300; i++) {
        struct log log = {0};
        start(&log, NULL, name);
        HeraldCenterRef center = new_center();
        HeraldCenterPostNotification(center, name, NULL, NULL, false);
        CHECK(strcmp(log.text, "()") == 0);
        stop(&log);
        HeraldCenterRelease(center);
    }
    stopped = true;
    pthread_join(maker, NULL);
}

/* A fork handler that is older than the library's is called while the library has its locks. */
static void (*before_fork)(void);
static void call_before_fork(void) {
    if (before_fork) before_fork();
}
__attribute__((constructor(101))) static void be_older(void) { pthread_atfork(call_before_fork, NULL, NULL); }

static HeraldCenterRef forking_center;
static bool see_nothing(void *context, const HeraldRegistrationInfo *info) {
    (void)context, (void)info;
    return true;
}
static void describe_nothing(const void *observer, HeraldDescription *description) {
    (void)observer, (void)description;
}
static void look_while_forking(void) {
    HeraldTraceCarry(&forking_center, 1, 0, 0);
    HeraldSetDescriber(listener_hear, describe_nothing);
    CHECK(HeraldCenterVisitRegistrations(forking_center, see_nothing, NULL) == 1);
    HeraldSetDescriber(listener_hear, NULL);
    HeraldCenterPostNotification(forking_center, name_of("look.fork.older"), NULL, NULL, false);
}
RULE(18, older_handlers_of_fork_may_look_on) {
    struct listener one = {.letter = 'a', .then = hand_over};
    struct log log = {0};
    forking_center = new_center();
    add(forking_center, &one, name_of("look.fork.older"), NULL);
    start(&log, NULL, NULL);
    before_fork = look_while_forking;
    pid_t child = fork();
    before_fork = NULL;
    if (child == 0) _exit(0);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0 && log.count >= 5);
    stop(&log);
    HeraldCenterRelease(forking_center);
}

/* An observer under a prefix is shown with its own callback, not with the library's internal one. */
static bool note_under(void *context, const HeraldRegistrationInfo *info) {
    struct listener *listener = context;
    CHECK(info->observer == listener && info->callback == listener_hear && !info->name);
    CHECK(info->description && strcmp(info->description->text, "listens under") == 0);
    return true;
}
static void describe_under(const void *observer, HeraldDescription *description) {
    const struct listener *listener = observer;
    if (listener->letter == 'u') strcpy(description->text, "listens under");
}

RULE(24, observers_under_a_prefix_are_their_callers) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("look.under");
    struct listener listener = {.letter = 'u'};
    struct log log = {0};
    HeraldSetDescriber(listener_hear, describe_under);
    CHECK(HeraldCenterAddObserverUnder(center, &listener, listener_hear, "look", NULL, NULL, NULL, &listener.token) ==
          HeraldOK);
    CHECK(HeraldCenterVisitRegistrations(center, note_under, &listener) == 1);
    start(&log, center, NULL);
    CHECK(HeraldCenterPostNotification(center, name, NULL, NULL, false) == 1);
    CHECK(log.events[1].observer == &listener && log.events[1].callback == listener_hear);
    stop(&log);
    HeraldSetDescriber(listener_hear, NULL);
    CHECK(HeraldCenterRemoveTokenAndWait(center, listener.token));
    HeraldCenterRelease(center);
}

struct running {
    HeraldCenterRef center;
    HeraldToken token;
    uint32_t thread;
    uint64_t since;
    int count;
};
static bool see_running(void *context, const HeraldRunningInfo *info) {
    struct running *running = context;
    if (info->center != running->center || info->token.registration != running->token.registration) return true;
    running->count++;
    running->since = info->since;
    running->thread = info->thread;
    return true;
}

static struct step entered, leave;
static void stay(struct listener *self, HeraldCenterRef center) {
    (void)self, (void)center;
    step_reach(&entered, 1);
    step_await(&leave, 1);
}
static void *post_running(void *center) {
    HeraldCenterPostNotification(center, name_of("look.running"), NULL, NULL, false);
    return NULL;
}

static void run_and_look(bool traced) {
    HeraldCenterRef center = new_center();
    struct listener one = {.letter = 'a', .then = stay};
    struct log log = {0};
    pthread_t thread;
    add(center, &one, name_of("look.running"), NULL);
    struct running running = {.center = center, .token = one.token};
    entered.reached = leave.reached = 0;
    if (traced) start(&log, center, NULL);
    pthread_create(&thread, NULL, post_running, center);
    CHECK(step_await(&entered, 1));
    HeraldVisitRunning(see_running, &running);
    CHECK(running.count == 1 && running.thread && running.thread != (uint32_t)gettid());
    CHECK(!running.since == !(traced || is_looked_at()));
    step_reach(&leave, 1);
    pthread_join(thread, NULL);
    HeraldVisitRunning(see_running, &running);
    CHECK(running.count == 1);
    if (traced) stop(&log);
    HeraldCenterRelease(center);
}
RULE(24, running_callbacks_are_seen) {
    run_and_look(false);
    run_and_look(true);
}

RULE(24, what_cannot_be_traced_is_refused) {
    struct log log = {0};
    HeraldToken trace = {1, 1};
    CHECK(HeraldTraceStart(NULL, NULL, NULL, NULL, log_released, &trace) == HeraldInvalidArgument);
    CHECK(trace.center == 0 && trace.registration == 0 && !HeraldTraceStop(trace) && log.released == 0);
    HeraldVisitCenters(NULL, NULL);
    HeraldVisitRunning(NULL, NULL);
    HeraldCenterSetLabel(NULL, "x");
    HeraldCenterSetObserverLimit(NULL, 1);
    HeraldSetDescriber(NULL, describe_under);
    CHECK(HeraldNameDescribe(NULL, NULL, NULL, 0) == 0);
    char text[16];
    CHECK(HeraldNameDescribe(name_of("look.named"), NULL, text, sizeof text) == 10 && strcmp(text, "look.named") == 0);
}

static void fork_traced(void) {
    struct log log = {0};
    HeraldCenterRef center = new_center();
    start(&log, NULL, NULL);
    CHECK(HeraldCenterPostNotification(center, name_of("look.child"), NULL, NULL, false) == 0 && log.count == 2);
    stop(&log);
    HeraldCenterRelease(center);
}

RULE(24, child_of_a_fork_may_trace) {
    struct log log = {0};
    start(&log, NULL, NULL);
    HeraldCenterRef center = new_center();
    HeraldCenterPostNotification(center, name_of("look.parent"), NULL, NULL, false);
    CHECK(child_passed(fork_traced));
    stop(&log);
    HeraldCenterRelease(center);
}
