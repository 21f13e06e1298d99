/* The watcher: the thread that calls the observers of watched names, and writes to descriptors (watcher.h).
 *
 * Ordering: See channel.h for what wakes the thread, and watched.c for what the thread looks at.
 * Progress: The thread sleeps until a post wakes it or a time-out ends. After a post the time-out is one second. It
 * doubles with each sleep that times out, up to a minute. At most once a second, the thread also looks for posts that
 * did not wake it. When posts follow each other within microseconds, the thread does not sleep between them. A slow
 * callback delays only the observers of this process.
 * Ownership: `running` is under the session's lock. A batch belongs to the thread. A message is delivered from its
 * block, which an inbox may keep (receiver.c); the last to give up its reference frees the block.
 */
#include "watcher.h"
#include "ring.h"
#include "clock.h"
#include "ground_thread.h"
#include "host_complaint.h"
#include "host_kept.h"
#include "identity.h"
#include "inbox.h"
#include "watched.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static HeraldCenterRef _Atomic center;    /* the center whose observers are called */
static bool running;                      /* under the session's lock */
static _Thread_local bool is_watcher;     /* this thread is the watcher; if a callback forks, also true in the child */
static _Thread_local uint64_t post_count; /* how many posts the current call of observers stands for; 0: no call */
static _Thread_local bool has_state;      /* during a call for a plain post: its name has a state, which is `state` */
static _Thread_local uint64_t state;

uint64_t HeraldHostGetPostCount(void) { return post_count ? post_count : 1; }

uint64_t HeraldHostGetCurrentState(bool *has) {
    bool is_there = has_state && !HeraldGetCurrentMessage();
    if (has) *has = is_there;
    return is_there ? state : 0;
}

enum { BUSY_TICKS = 30 };
enum { MOST_NAMES = 65536 /* the most names that the watcher makes for posts of other processes */, STACK = 8 << 20 };
enum { SOON = 20, SECOND = 1000, LONGEST = 60 * SECOND }; /* milliseconds */
_Static_assert(LONGEST / SECOND < HERALD_HOST_EXPECTS, "every watcher wakes before a new file stops keeping messages");
/* While another process is replacing the file: the most sleeps of SOON milliseconds in a row. Together they last longer
 * than any process waits before it insists on replacing the file itself (replace.h). */
enum { MOST_SOON = 50 };

/* One pass of the watcher: what it has found, and what it does next. Only the watcher uses it. If a callback ends the
 * thread, the next one goes on with it. */
static struct pass {
    struct herald_host_due batch;
    struct herald_host_beginning *beginning, *begun;   /* a registration that begins; the one that is being handed in */
    struct herald_host_received *messages, *delivered; /* the messages to deliver; the one that is being delivered */
    struct herald_host_own_channel own; /* where the thread sleeps if there is nothing to deliver; its `segment` is NULL
                                           if the process has no channel */
    uint32_t sequence;                  /* the thread sleeps until the channel's `sequence` is not this any more */
    uint64_t read;                      /* the sequence number of the next record to read; 0: none is read */
    bool more;                          /* the thread does not sleep, because there is more to look at */
    bool healthy;                       /* nothing is wrong with the file, so the next look at the file may be late */
    bool waits;                         /* another process is replacing the file, so the thread sleeps only for SOON */
    char problem[512];                  /* what is wrong, to be printed; or "" */
} pass;

static bool has_something(void) { return pass.batch.count || pass.messages || pass.beginning; }

/* Finds what there is to deliver. `tick`: another second has begun since the last pass. `idle`: nothing came during the
 * last sleep. Returns false if nothing is watched any more. Then the thread ends. Under the lock. */
static bool begin_pass(bool tick, bool idle) {
    static uint32_t busy; /* counts ticks while posts keep coming */
    const char *problem = NULL;
    pass.messages = NULL;
    pass.batch.count = pass.batch.next = 0;
    if (!herald_host_watched_is_empty() && (tick || herald_host_session.segment->header->superseded)) {
        problem = herald_host_move_tick();
        if (idle && HERALD_HOST_STEP(SWEEP)) herald_host_channels_sweep(herald_host_session.segment);
        if (idle || ++busy % BUSY_TICKS == 0) herald_host_rings_give_back(herald_host_session.segment);
    }
    if (herald_host_watched_is_empty()) {
        struct herald_host_own_channel *own = herald_host_watched_own_channel();
        if (own) herald_host_own_channel_leave(own, true);
        running = false;
        return false;
    }
    if (!herald_host_watched_own_channel()) herald_host_watched_keep_channel(herald_host_session.segment);
    const struct herald_host_own_channel *own = herald_host_watched_own_channel();
    pass.own = own ? *own : (struct herald_host_own_channel){0};
    if (own) {
        pass.sequence = herald_host_own_channel_arm(own);
        herald_host_watched_note_groups(herald_host_own_channel_groups(own));
    }
    /* Marks all groups, to find posts that did not wake this thread. If this process hears all names, such posts are
     * found by herald_host_watched_find_posts below. That call is made only if nothing came during the last sleep. */
    if (HERALD_HOST_STEP(TICK) && tick && !herald_host_watched_hears_all()) herald_host_watched_note_groups(UINT64_MAX);
    if (tick) herald_host_kept_try_again();
    /* Before anything is read: what is posted after an add has returned is heard after what the observer begins with.
     */
    pass.beginning = herald_host_kept_next();
    herald_host_watched_gather(&pass.batch);
    bool all_read = herald_host_inbox_fill();
    herald_host_watched_show_reading();
    pass.read = own ? herald_host_inbox_position(own->segment->header) : 0;
    pass.messages = herald_host_inbox_take();
    if (HERALD_HOST_STEP(TICK) && idle && all_read && !pass.messages && herald_host_watched_hears_all())
        herald_host_watched_find_posts();
    pass.more = !all_read || herald_host_watched_has_more() || herald_host_kept_has_more();
    /* The segment may have been superseded after herald_host_move_tick. Then its sleepers may have been woken before
     * this thread armed its channel. So the thread makes another pass at once. But if no other file can be had yet, the
     * thread sleeps first. */
    if (herald_host_session.segment->header->superseded && !herald_host_session.waits && !herald_host_session.broken)
        pass.more = true;
    pass.healthy = !herald_host_session.broken && !herald_host_session.incomplete;
    pass.waits = herald_host_session.waits;
    if ((has_something() || pass.more) && own) herald_host_own_channel_disarm(own);
    snprintf(pass.problem, sizeof pass.problem, "%s", problem ? problem : "");
    return true;
}

static HeraldStatus start(void);

/* Called when a callback has ended the thread. Starts a new thread, which delivers the rest. */
static void go_on(void *unused) {
    (void)unused;
    if (pass.delivered) herald_host_content_release(pass.delivered);
    pass.delivered = NULL;
    struct herald_host_beginning *begun = pass.begun;
    pass.begun = NULL;
    herald_host_kept_end(begun);
    has_state = false;
    is_watcher = false;
    herald_host_session_lock();
    running = false;
    HeraldStatus status = start();
    herald_host_session_unlock();
    if (status != HeraldOK) herald_host_complaint_print();
}

static void deliver_names(struct herald_host_due *batch) {
    while (batch->next < batch->count) {
        post_count = batch->changes[batch->next].posts;
        has_state = batch->changes[batch->next].has_state;
        state = batch->changes[batch->next].state;
        HeraldNameRef name = batch->changes[batch->next++].name->name;
        HeraldCenterDeliver(center, name, NULL, NULL, NULL, 0);
        post_count = 0;
        has_state = false;
    }
}

/* The name of a received post. NULL: other processes have made too many names, or memory is out. */
static HeraldNameRef name_of(const struct herald_host_received *received) {
    static uint32_t made; /* only the watcher uses this */
    HeraldNameRef name = received->known ? received->known->name : HeraldNameFind(received->name);
    if (name || made == MOST_NAMES || !(name = HeraldNameCreate(received->name))) return name;
    made++;
    return name;
}

static void deliver_one(const struct herald_host_received *received) {
    if (!received->for_all && received->known->follows != received->follows) return; /* the observers have gone */
    HeraldNameRef name = name_of(received);
    if (!name) {
        herald_host_session_lock();
        herald_host_inbox_miss(1);
        herald_host_session_unlock();
    } else if (received->fields.options & HERALD_HOST_IS_PLAIN) {
        has_state = received->has_state;
        state = received->state;
        HeraldCenterDeliver(center, name, NULL, NULL, NULL, 0);
        has_state = false;
    } else if (received->fields.options & HERALD_HOST_IS_KEPT) {
        HeraldCenterDeliverKept(center, name, &received->message, received->number);
    } else {
        HeraldCenterDeliverMessage(center, name, &received->message);
    }
}

struct herald_host_received *herald_host_watcher_share(const HeraldMessage *message) {
    struct herald_host_received *received = is_watcher ? pass.delivered : NULL;
    if (!received || &received->message != message) return NULL;
    received->references++;
    return received;
}

static void deliver_messages(void) {
    for (struct herald_host_received *received; (received = pass.messages);) {
        pass.messages = received->next;
        pass.delivered = received;
        deliver_one(received);
        pass.delivered = NULL;
        herald_host_content_release(received);
    }
}

static void deliver_beginning(void) {
    struct herald_host_beginning *beginning = pass.begun = pass.beginning;
    pass.beginning = NULL;
    if (!beginning) return;
    has_state = beginning->has_state;
    state = beginning->state;
    herald_host_kept_hand_in(center, beginning);
    has_state = false;
    pass.begun = NULL;
    herald_host_kept_end(beginning);
}

static void deliver(void) {
    herald_host_session_see_posts();
    pthread_cleanup_push(go_on, NULL);
    deliver_beginning();
    deliver_names(&pass.batch);
    deliver_messages();
    pthread_cleanup_pop(0);
}

/* The longest time-out depends on the process's identity, so that the processes of a user do not all wake at once. It
 * does not depend on the process number, because in containers many processes have number 1. */
static uint32_t next_time_out(uint32_t before) {
    uint32_t longest = LONGEST - (uint32_t)(herald_host_identity() % 8) * SECOND;
    return !HERALD_HOST_STEP(IDLE) ? SECOND : 2 * before < longest ? 2 * before : longest;
}

/* Whether another thread can run at the same time as this one. */
static bool has_company(void) {
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) > 1;
}

/* Called after a delivery. If the delivery before was less than SOON_AFTER ago, the thread stays awake for the time
 * AWAKE, and looks for the next post. AWAKE is about the time that a sleep and a wake take. If a post comes, as in an
 * exchange of requests and replies, the sleep and the wake are saved. If none comes, no more than AWAKE is lost. The
 * channel is not armed, so posters need not wake the thread. */
static void look_on(void) {
    enum { SOON_AFTER = 50000, AWAKE = 5000 }; /* nanoseconds */
    static uint64_t before;                    /* only the watcher uses this */
    uint64_t delivered = herald_host_clock_since_boot();
    if (delivered - before < SOON_AFTER && pass.own.segment && !pass.own.shared)
        herald_host_own_channel_look(&pass.own, pass.read, AWAKE);
    before = delivered;
}

static void *run(void *unused) {
    (void)unused;
    is_watcher = true;
    bool looks_on = has_company();
    bool idle = false;
    uint32_t time_out = SECOND, soon = 0;
    deliver(); /* what a thread has left that was ended by a callback */
    for (uint32_t ticked = herald_host_clock_seconds();;) {
        uint32_t second = herald_host_clock_seconds();
        /* The clock decides when a tick is due. The end of a sleep cannot decide, because no sleep times out while
         * posts keep coming. */
        bool tick = HERALD_HOST_STEP(TICK) && second != ticked;
        ticked = second;
        herald_host_session_lock();
        bool goes_on = begin_pass(tick, idle);
        herald_host_session_unlock();
        if (!goes_on) break;
        if (pass.problem[0])
            fprintf(stderr, "herald: the host center does not do all that it should: %s\n", pass.problem);
        bool delivers = has_something();
        if (delivers) deliver();
        if (delivers || !pass.healthy) time_out = SECOND;
        soon = pass.waits ? soon + 1 : 0;
        if (pass.waits) time_out = soon <= MOST_SOON ? SOON : SECOND;
        if (delivers && !pass.more && looks_on) look_on();
        if (delivers || pass.more) continue;
        if (!pass.own.segment) {
            nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
            continue;
        }
        idle = !herald_host_own_channel_wait(&pass.own, pass.sequence, time_out);
        time_out = idle ? next_time_out(time_out) : SECOND;
    }
    is_watcher = false; /* a destructor of the thread may fork */
    return NULL;
}

static HeraldStatus start(void) {
    if (running) return HeraldOK;
    pthread_t thread;
    int error = ground_thread_start(&thread, STACK, run, NULL); /* with enough stack for callbacks */
    if (error)
        return herald_host_complain(HeraldTransportFailed, "the observers' thread cannot be started: %s",
                                    strerror(error));
    pthread_setname_np(thread, "herald-host");
    pthread_detach(thread);
    running = true;
    return HeraldOK;
}

static HeraldStatus watch_name(HeraldNameRef ref, struct herald_host_name **name) {
    HeraldStatus status = herald_host_move_enter(ref, name);
    if (status == HeraldOK) status = herald_host_watched_take_channel(herald_host_session.segment);
    if (status == HeraldOK) status = start();
    return status == HeraldOK ? herald_host_watched_add(*name) : status;
}

void herald_host_watcher_serve(HeraldCenterRef host) { center = host; }

static HeraldStatus watch_any(void) {
    bool before = herald_host_watched_hears_all();
    struct herald_host_segment *segment = herald_host_move_look(true);
    HeraldStatus status = segment ? herald_host_watched_add_any(segment) : HeraldTransportFailed;
    if (status == HeraldOK) status = start();
    if (status != HeraldOK && !before) herald_host_watched_remove_any();
    return status;
}

HeraldStatus herald_host_watcher_watch(HeraldNameRef ref, struct herald_host_name **name) {
    HeraldStatus status;
    int tried = 0;
    do status = ref ? watch_name(ref, name) : watch_any();
    while (herald_host_move_has_overtaken(status, ++tried));
    return status;
}

void herald_host_watcher_leave_any(void) {
    int tried = 0;
    while (herald_host_move_has_overtaken(herald_host_watched_remove_any(), ++tried)) herald_host_move_look(true);
}

void herald_host_watcher_after_fork(void) {
    running = is_watcher;
    if (is_watcher) return;
    herald_host_kept_put_back(pass.beginning);
    herald_host_kept_put_back(pass.begun);
    pass = (struct pass){0}; /* its messages are left: the parent's thread may have been freeing one */
}
