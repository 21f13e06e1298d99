/* Ordering. What wakes the thread is in channel.h, what it looks at in watched.c. Progress. It sleeps for a second, and
 * when nothing comes twice as long each time, up to a minute; what was missed is found then. Where posts follow each
 * other within microseconds it does not sleep between them. A callback that lingers delays the observers of this
 * process alone. Ownership. `running` belongs to the session's lock; a batch is the thread's own.
 */
#include "watcher.h"
#include "ring.h"
#include "clock.h"
#include "host_complaint.h"
#include "identity.h"
#include "inbox.h"
#include "watched.h"
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static HeraldCenterRef _Atomic center;    /* that has the observers */
static bool running;                      /* the session's lock */
static _Thread_local bool is_watcher;     /* this thread: also in a child that a callback has forked */
static _Thread_local uint64_t post_count; /* of the call that is running on this thread */

uint64_t HeraldHostGetPostCount(void) { return post_count ? post_count : 1; }

enum { BUSY_TICKS = 30 };
enum { MOST_NAMES = 65536 /* that others have made */, STACK = 8 << 20 };
enum { SOON = 20, SECOND = 1000, LONGEST = 60 * SECOND }; /* milliseconds */
_Static_assert(LONGEST / SECOND < HERALD_HOST_EXPECTS, "what is kept in a new file is found by all");
enum { MOST_SOON = 50 /* times: longer than HERALD_HOST_REPLACE_PATIENCE */ };

/* What one pass of the thread does. */
struct pass {
    struct herald_host_due batch;
    struct herald_host_received *messages, *delivered; /* to be delivered; and the one that is */
    struct herald_host_own_channel seat; /* to wait at, when there is nothing to deliver; no segment: there is none */
    uint32_t sequence;                   /* to wait for */
    uint64_t read;                       /* messages before this one; 0: none is read */
    bool more;                           /* there is something else to look at: it does not wait */
    bool healthy;                        /* nothing is wrong with the file: it need not look soon */
    bool waits;                          /* until another process has made it anew: it looks sooner */
    char problem[512];                   /* to be printed */
};

static bool has_something(const struct pass *pass) { return pass->batch.count || pass->messages; }

/* Finds what there is to deliver. False: nothing is watched any more, and the thread ends. Under the lock. */
static bool begin_pass(struct pass *pass, bool tick, bool idle) {
    static uint32_t busy; /* ticks beside others' posts */
    pass->problem[0] = 0;
    pass->messages = NULL;
    pass->batch.count = pass->batch.next = 0;
    if (!herald_host_watched_is_empty() && (tick || herald_host_session.segment->header->superseded)) {
        const char *problem = herald_host_move_tick();
        if (problem) snprintf(pass->problem, sizeof pass->problem, "%s", problem);
        if (idle && HERALD_HOST_STEP(SWEEP)) herald_host_channels_sweep(herald_host_session.segment);
        if (idle || ++busy % BUSY_TICKS == 0) herald_host_rings_give_back(herald_host_session.segment);
    }
    if (herald_host_watched_is_empty()) {
        struct herald_host_own_channel *seat = herald_host_watched_own_channel();
        if (seat) herald_host_own_channel_leave(seat, true);
        running = false;
        return false;
    }
    if (!herald_host_watched_own_channel()) herald_host_watched_keep_channel(herald_host_session.segment);
    const struct herald_host_own_channel *seat = herald_host_watched_own_channel();
    pass->seat = seat ? *seat : (struct herald_host_own_channel){0};
    if (seat) {
        pass->sequence = herald_host_own_channel_arm(seat);
        herald_host_watched_note_groups(herald_host_own_channel_groups(seat));
    }
    /* Whatever may have been missed. While any name is observed, what is not in the log after a while. */
    if (HERALD_HOST_STEP(TICK) && tick && !herald_host_watched_hears_all()) herald_host_watched_note_groups(UINT64_MAX);
    herald_host_watched_gather(&pass->batch);
    bool all_read = herald_host_inbox_fill();
    herald_host_watched_show_reading();
    pass->read = seat ? herald_host_inbox_position(seat->segment->header) : 0;
    pass->messages = herald_host_inbox_take();
    if (HERALD_HOST_STEP(TICK) && idle && all_read && !pass->messages && herald_host_watched_hears_all())
        herald_host_watched_find_posts();
    pass->more = !all_read || herald_host_watched_has_more();
    /* Retired since we looked: who sleeps in it may have been woken before this one armed. Not where no other file can
     * be had: there is nothing to do but to look again after a while. */
    if (herald_host_session.segment->header->superseded && !herald_host_session.waits && !herald_host_session.broken)
        pass->more = true;
    pass->healthy = !herald_host_session.broken && !herald_host_session.incomplete;
    pass->waits = herald_host_session.waits;
    if ((has_something(pass) || pass->more) && seat) herald_host_own_channel_disarm(seat);
    return true;
}

static HeraldStatus start(void);

/* A callback has ended the thread: what it has kept from the others is delivered by a new one. */
static void go_on(void *context) {
    const struct pass *pass = context;
    free(pass->delivered);
    herald_host_session_lock();
    herald_host_watched_put_back(&pass->batch);
    herald_host_inbox_put_back(pass->messages);
    running = false;
    HeraldStatus status = start();
    herald_host_session_unlock();
    if (status != HeraldOK) herald_host_complaint_print();
}

static void deliver_names(struct herald_host_due *batch) {
    while (batch->next < batch->count) {
        HeraldCenterRef center = batch->changes[batch->next].center;
        post_count = batch->changes[batch->next].posts;
        HeraldNameRef name = batch->changes[batch->next++].name->name;
        HeraldCenterDeliver(center, name, NULL, NULL, NULL, 0);
        post_count = 0;
    }
}

/* The name of a post; NULL: others have made too many. */
static HeraldNameRef name_of(const struct herald_host_received *received) {
    static uint32_t made; /* the watcher's */
    HeraldNameRef name = received->known ? received->known->name : HeraldNameFind(received->text);
    if (name || made == MOST_NAMES || !(name = HeraldNameCreate(received->text))) return name;
    made++;
    return name;
}

static void deliver_one(const struct herald_host_received *received) {
    if (!received->for_all && received->known->follows != received->follows) return; /* its observers have gone */
    HeraldNameRef name = name_of(received);
    if (!name) {
        herald_host_session_lock();
        herald_host_inbox_miss(1);
        herald_host_session_unlock();
    } else if (received->plain) {
        HeraldCenterDeliver(center, name, NULL, NULL, NULL, 0);
    } else {
        HeraldCenterDeliverMessage(center, name, &received->message);
    }
}

static void deliver_messages(struct pass *pass) {
    for (struct herald_host_received *received; (received = pass->messages);) {
        pass->messages = received->next;
        pass->delivered = received;
        deliver_one(received);
        pass->delivered = NULL;
        free(received);
    }
}

static void deliver(struct pass *pass) {
    pthread_cleanup_push(go_on, pass);
    deliver_names(&pass->batch);
    deliver_messages(pass);
    pthread_cleanup_pop(0);
}

static time_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return time.tv_sec;
}

/* Spread by the identity, so that not all processes of a user wake at once, and not all that are process 1 either. */
static uint32_t next_time_out(uint32_t before) {
    uint32_t longest = LONGEST - (uint32_t)(herald_host_identity() % 8) * SECOND;
    return !HERALD_HOST_STEP(IDLE) ? SECOND : 2 * before < longest ? 2 * before : longest;
}

/* Whether others can run beside this thread. */
static bool has_company(void) {
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) > 1;
}

/* After a delivery that came soon after another it looks on for as long as a sleep and a wake take: where posts follow
 * each other that fast, as questions and answers do, nobody pays for these; else it costs at most as much again.
 * Unarmed, so posters need not wake it. */
static void look_on(const struct pass *pass) {
    enum { SOON_AFTER = 50000, AWAKE = 5000 }; /* nanoseconds */
    static uint64_t before;                    /* the watcher's */
    uint64_t delivered = herald_host_clock_since_boot();
    if (delivered - before < SOON_AFTER && pass->seat.segment && !pass->seat.shared)
        herald_host_own_channel_look(&pass->seat, pass->read, AWAKE);
    before = delivered;
}

static void *run(void *unused) {
    (void)unused;
    is_watcher = true;
    bool looks_on = has_company();
    struct pass pass = {.delivered = NULL};
    bool idle = false;
    uint32_t time_out = SECOND, soon = 0;
    for (time_t ticked = now();;) {
        time_t second = now();
        bool tick = HERALD_HOST_STEP(TICK) && second != ticked; /* by the clock: posts may come all the time */
        ticked = second;
        herald_host_session_lock();
        bool goes_on = begin_pass(&pass, tick, idle);
        herald_host_session_unlock();
        if (!goes_on) return NULL;
        if (pass.problem[0]) {
            herald_host_complain(HeraldTransportFailed, "observers of the host center are not called: %s",
                                 pass.problem);
            herald_host_complaint_print();
        }
        bool delivers = has_something(&pass);
        if (delivers) deliver(&pass);
        if (delivers || !pass.healthy) time_out = SECOND;
        soon = pass.waits ? soon + 1 : 0;
        if (pass.waits) time_out = soon <= MOST_SOON ? SOON : SECOND;
        if (delivers && !pass.more && looks_on) look_on(&pass);
        if (delivers || pass.more) continue;
        if (!pass.seat.segment) {
            nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
            continue;
        }
        idle = !herald_host_own_channel_wait(&pass.seat, pass.sequence, time_out);
        time_out = idle ? next_time_out(time_out) : SECOND;
    }
}

void herald_host_watcher_block_signals(sigset_t *before) {
    static const int faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&others, faults[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

static HeraldStatus start(void) {
    if (running) return HeraldOK;
    sigset_t before;
    herald_host_watcher_block_signals(&before);
    /* Room for callbacks, whatever the limit of this process is. */
    pthread_attr_t attributes;
    size_t stack = 0;
    pthread_attr_init(&attributes);
    pthread_attr_getstacksize(&attributes, &stack);
    if (stack < STACK) pthread_attr_setstacksize(&attributes, STACK);
    pthread_t thread;
    int error = pthread_create(&thread, &attributes, run, NULL);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return herald_host_complain(HeraldTransportFailed, "no thread can be begun for observers: %s", strerror(error));
    pthread_setname_np(thread, "herald-host");
    pthread_detach(thread);
    running = true;
    return HeraldOK;
}

static HeraldStatus watch(HeraldNameRef ref, struct herald_host_name **name) {
    HeraldStatus status = herald_host_move_enter(ref, name);
    if (status == HeraldOK) status = herald_host_watched_take_channel(herald_host_session.segment);
    if (status == HeraldOK) status = start();
    return status == HeraldOK ? herald_host_watched_add(*name) : status;
}

HeraldStatus herald_host_watcher_watch(HeraldNameRef ref, struct herald_host_name **name) {
    HeraldStatus status;
    int tried = 0;
    do status = watch(ref, name);
    while (herald_host_move_has_overtaken(status, ++tried));
    return status;
}

void herald_host_watcher_serve(HeraldCenterRef host) { center = host; }

static HeraldStatus watch_any(void) {
    struct herald_host_segment *segment = herald_host_move_look(true);
    HeraldStatus status = segment ? herald_host_watched_add_any(segment) : HeraldTransportFailed;
    if (status == HeraldOK) status = start();
    if (status != HeraldOK) herald_host_watched_remove_any();
    return status;
}

HeraldStatus herald_host_watcher_watch_any(void) {
    HeraldStatus status;
    int tried = 0;
    do status = watch_any();
    while (herald_host_move_has_overtaken(status, ++tried));
    return status;
}

void herald_host_watcher_leave_any(void) {
    int tried = 0;
    while (herald_host_move_has_overtaken(herald_host_watched_remove_any(), ++tried)) herald_host_move_look(true);
}

void herald_host_watcher_after_fork(void) { running = is_watcher; }
