#include "watcher.h"
#include "complaint.h"
#include "token.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A watched name, as short as can be: a group is walked over with each wake. */
struct item {
    struct herald_entry *entry;
    uint64_t seen; /* of its posts */
    struct herald_host_name *name;
};

static struct {
    struct {
        struct item *items;
        uint32_t count, room;
    } groups[HERALD_GROUPS];
    uint32_t watched;
    uint64_t changed;           /* groups to look at */
    uint32_t at_group, at_item; /* where the last round was full: the next goes on there, so that all have their turn */
    struct herald_seat seat;
    bool running;
} watcher;

static _Thread_local bool is_watcher; /* this thread: also in a child that a callback has forked */

/* What one round tells the observers. */
struct round {
    struct {
        struct herald_host_name *name;
        uint64_t posts;
    } changes[64];
    uint32_t count, next;
    uint32_t sequence;  /* to wait for, when there is nothing to tell */
    bool sits;          /* there is a channel to wait at */
    char sentence[512]; /* to be said */
};
enum { ROUND = sizeof((struct round *)0)->changes / sizeof((struct round *)0)->changes[0] };

static _Thread_local uint64_t post_count; /* of the call that is running on this thread */

uint64_t HeraldHostGetPostCount(void) { return post_count ? post_count : 1; }

/* ---- What is watched --------------------------------------------------------------------------------------------- */

static bool reserve(uint32_t group) {
    if (watcher.groups[group].count < watcher.groups[group].room) return true;
    uint32_t room = watcher.groups[group].room ? 2 * watcher.groups[group].room : 4;
    struct item *items = realloc(watcher.groups[group].items, room * sizeof *items);
    if (!items) return false;
    watcher.groups[group].items = items;
    watcher.groups[group].room = room;
    return true;
}

/* Into a group that has room. */
static void put(struct herald_host_name *name, uint32_t group) {
    uint32_t count = watcher.groups[group].count;
    name->watched = true;
    name->group = group;
    name->index = count;
    watcher.groups[group].items[count] = (struct item){name->entry, 0, name};
    watcher.groups[group].count++;
    watcher.watched++;
}

static struct item *item_of(const struct herald_host_name *name) {
    return &watcher.groups[name->group].items[name->index];
}

static void take_out(struct herald_host_name *name) {
    struct item *last = &watcher.groups[name->group].items[--watcher.groups[name->group].count];
    last->name->index = name->index;
    *item_of(name) = *last;
    watcher.changed |= UINT64_C(1) << name->group; /* a round that goes on behind it would miss the last one */
    name->watched = false;
    watcher.watched--;
}

/* Asks posters to ring. First the bit, then the count: a post between the two finds the bit (see herald_entry_post). */
static void begin(struct item *item) {
    if (watcher.seat.segment) herald_entry_watch(item->entry, watcher.seat.number, true);
    item->seen = item->entry->posts;
}

/* ---- Telling ----------------------------------------------------------------------------------------------------- */

/* Looks at one name; false when the round has no room for it. */
static bool look_at(struct round *round, struct item *item) {
    struct herald_host_name *name = item->name;
    uint64_t posts = item->entry->posts;
    if (herald_likely(posts == item->seen && !name->pending)) return true;
    if (round->count == ROUND) return false;
    uint64_t news = herald_posts_between(item->seen, posts);
    item->seen = posts;
    if (news && name->descriptors) herald_tokens_tell(name, news);
    if (name->observed) {
        round->changes[round->count].name = name;
        round->changes[round->count++].posts = news + name->pending;
    }
    name->pending = 0;
    return true;
}

/* The next group that has changed, from at_group on; false when there is none. */
static bool find_group(void) {
    if (!watcher.changed) return false;
    uint64_t from = watcher.changed & (UINT64_MAX << watcher.at_group);
    watcher.at_group = (uint32_t)__builtin_ctzll(from ? from : watcher.changed);
    watcher.changed &= ~(UINT64_C(1) << watcher.at_group);
    return true;
}

/* Looks at the groups that have changed, until the round is full. */
static void gather(struct round *round) {
    while (watcher.at_item || find_group()) {
        for (uint32_t i = watcher.at_item; i < watcher.groups[watcher.at_group].count; i++) {
            if (look_at(round, &watcher.groups[watcher.at_group].items[i])) continue;
            watcher.at_item = herald_keep(TURNS) ? i : 0;
            if (!watcher.at_item) watcher.changed |= UINT64_C(1) << watcher.at_group;
            if (!herald_keep(TURNS)) watcher.at_group = 0;
            return;
        }
        watcher.at_item = 0;
        watcher.at_group = (watcher.at_group + 1) % HERALD_GROUPS;
    }
}

/* Finds what there is to tell. False: nobody wants to hear anything any more, and the thread ends. */
static bool begin_round(struct round *round, bool tick) {
    round->count = round->next = 0;
    round->sentence[0] = 0;
    if (watcher.watched && (tick || herald_host.segment->header->retired)) {
        const char *sentence = herald_host_tick();
        if (sentence) snprintf(round->sentence, sizeof round->sentence, "%s", sentence);
    }
    if (!watcher.watched) {
        herald_seat_leave(&watcher.seat, true);
        watcher.running = false;
        return false;
    }
    if (!watcher.seat.segment) herald_watcher_sit(herald_host.segment);
    round->sits = watcher.seat.segment != NULL;
    if (round->sits) {
        round->sequence = herald_seat_arm(&watcher.seat);
        watcher.changed |= herald_seat_groups(&watcher.seat);
    }
    if (herald_keep(TICK) && tick) watcher.changed = UINT64_MAX; /* whatever may have been missed */
    gather(round);
    if (round->count && round->sits) herald_seat_disarm(&watcher.seat);
    return true;
}

static HeraldStatus start(void);

/* A callback has ended the thread: what it kept the others from hearing is told by a new one. */
static void go_on(void *context) {
    struct round *round = context;
    herald_host_lock();
    for (; round->next < round->count; round->next++) {
        struct herald_host_name *name = round->changes[round->next].name;
        if (!name->watched || !name->observed) continue;
        name->pending += round->changes[round->next].posts;
        watcher.changed |= UINT64_C(1) << name->group;
    }
    watcher.running = false;
    HeraldStatus status = start();
    herald_host_unlock();
    if (status != HeraldOK) herald_say();
}

static void deliver(struct round *round) {
    HeraldCenterRef center = HeraldCenterGetHostCenter();
    pthread_cleanup_push(go_on, round);
    while (round->next < round->count) {
        post_count = round->changes[round->next].posts;
        HeraldNameRef name = round->changes[round->next++].name->name;
        HeraldCenterDeliver(center, name, NULL, NULL, NULL, 0);
        post_count = 0;
    }
    pthread_cleanup_pop(0);
}

static time_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return time.tv_sec;
}

static void *run(void *unused) {
    (void)unused;
    is_watcher = true;
    struct round round;
    for (time_t ticked = now();;) {
        time_t second = now();
        bool tick = herald_keep(TICK) && second != ticked; /* by the clock: posts may come all the time */
        ticked = second;
        herald_host_lock();
        bool more = begin_round(&round, tick);
        struct herald_seat seat = watcher.seat;
        herald_host_unlock();
        if (!more) return NULL;
        if (round.sentence[0]) {
            herald_fail_with(HeraldTransportFailed, "observers of the host center hear nothing: %s", round.sentence);
            herald_say();
        }
        if (round.count) {
            deliver(&round);
        } else if (round.sits) {
            herald_seat_wait(&seat, round.sequence);
        } else {
            nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        }
    }
}

/* ---- The thread's life ------------------------------------------------------------------------------------------- */

static HeraldStatus start(void) {
    if (watcher.running) return HeraldOK;
    /* The program's signals are not for this thread; but what an instruction of its own brings about is. */
    static const int its_own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t others, before;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof its_own / sizeof *its_own; i++) sigdelset(&others, its_own[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return herald_fail_with(HeraldTransportFailed, "no thread can be begun for observers: %s", strerror(error));
    pthread_setname_np(thread, "herald-host");
    pthread_detach(thread);
    watcher.running = true;
    return HeraldOK;
}

/* A private entry may still have the bit of a channel we had before; in a shared one that is the next owner's to sweep.
 */
static void ring_here(struct item *item) {
    if (item->name->is_private)
        for (int i = 0; i < HERALD_CHANNELS / 64; i++) item->entry->watchers[i] = 0;
    herald_entry_watch(item->entry, watcher.seat.number, true);
}

/* Sits down at a channel, unless we sit, and has all names ring there. */
static HeraldStatus sit(struct herald_segment *segment) {
    if (watcher.seat.segment && herald_seat_holds(&watcher.seat)) return HeraldOK;
    watcher.seat.segment = NULL;
    HeraldStatus status = herald_seat_take(&watcher.seat, segment);
    if (status != HeraldOK) return status;
    for (uint32_t group = 0; group < HERALD_GROUPS; group++)
        for (uint32_t i = 0; i < watcher.groups[group].count; i++) ring_here(&watcher.groups[group].items[i]);
    watcher.changed = UINT64_MAX;
    return HeraldOK;
}

HeraldStatus herald_watcher_watch(struct herald_host_name *name, struct herald_segment *segment) {
    HeraldStatus status = sit(segment);
    if (status == HeraldOK) status = start();
    if (status != HeraldOK || name->watched) return status;
    uint32_t group = herald_entry_group(name->entry);
    if (!reserve(group)) return herald_no_memory();
    put(name, group);
    begin(item_of(name));
    return HeraldOK;
}

void herald_watcher_forget(struct herald_host_name *name) {
    if (!name->watched) return;
    struct herald_entry *entry = item_of(name)->entry;
    take_out(name);
    name->pending = 0;
    if (!watcher.seat.segment) return;
    /* Unless it has been lost, and the bit is another process's. */
    if (!watcher.seat.shared && herald_seat_holds(&watcher.seat)) herald_entry_watch(entry, watcher.seat.number, false);
    if (!watcher.watched) herald_seat_wake(&watcher.seat); /* the thread ends */
}

void herald_watcher_leave(void) {
    if (watcher.seat.segment && watcher.running) herald_seat_wake(&watcher.seat); /* it sleeps in the old segment */
    herald_seat_leave(&watcher.seat, false);
}

void herald_watcher_sit(struct herald_segment *segment) {
    if (watcher.watched && sit(segment) != HeraldOK) herald_host_lacks();
}

void herald_watcher_moved(struct herald_host_name *name) {
    if (!name->watched) return;
    const struct item *item = item_of(name);
    uint64_t unheard = herald_posts_between(item->seen, item->entry->posts); /* the old segment stays mapped */
    uint32_t group = herald_entry_group(name->entry);
    if (!reserve(group)) group = name->group; /* no memory: there it is looked at once a second, at least */
    take_out(name);
    put(name, group);
    begin(item_of(name));
    if (!unheard) unheard = 1;
    if (name->descriptors) herald_tokens_tell(name, unheard);
    if (name->observed) name->pending += unheard;
    watcher.changed |= UINT64_C(1) << group;
}

const struct herald_seat *herald_watcher_seat(void) { return &watcher.seat; }

void herald_watcher_after_fork(void) {
    watcher.running = is_watcher;
    watcher.seat.segment = NULL; /* it is the parent's */
}
