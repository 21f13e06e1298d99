#include "watcher.h"
#include "complaint.h"
#include "token.h"
#include <errno.h>
#include <signal.h>
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
    uint64_t changed; /* groups to look at */
    struct herald_seat seat;
    bool running;
} watcher;

/* What one round tells the observers. */
struct round {
    struct {
        struct herald_host_name *name;
        uint64_t posts;
    } changes[64];
    uint32_t count, next;
    uint32_t sequence; /* to wait for, when there is nothing to tell */
    bool sits;         /* there is a channel to wait at */
};
enum { ROUND = sizeof((struct round *)0)->changes / sizeof((struct round *)0)->changes[0] };

static _Thread_local uint64_t post_count; /* of the call that is running on this thread */

uint64_t HeraldHostGetPostCount(void) { return post_count ? post_count : 1; }

/* ---- What is watched -------------------------------------------------------------------------------------------- */

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
    name->watched = false;
    watcher.watched--;
}

/* Asks posters to ring. First the bit, then the count: a post between the two finds the bit (see herald_entry_post). */
static void begin(struct item *item) {
    if (watcher.seat.segment) herald_entry_watch(item->entry, watcher.seat.number, true);
    item->seen = item->entry->posts;
}

/* ---- Telling ---------------------------------------------------------------------------------------------------- */

static void tell(struct round *round, struct herald_host_name *name, uint64_t posts) {
    if (name->descriptors) herald_tokens_tell(name, posts);
    if (!name->observed) return;
    round->changes[round->count].name = name;
    round->changes[round->count++].posts = posts;
}

/* Looks at the groups that have changed, until the round is full. */
static void gather(struct round *round) {
    while (watcher.changed) {
        uint32_t group = (uint32_t)__builtin_ctzll(watcher.changed);
        for (uint32_t i = 0; i < watcher.groups[group].count; i++) {
            struct item *item = &watcher.groups[group].items[i];
            uint64_t posts = item->entry->posts;
            if (posts == item->seen && !item->name->pending) continue;
            if (round->count == ROUND) return; /* the group is looked at again */
            uint64_t news = herald_posts_between(item->seen, posts) + item->name->pending;
            item->seen = posts;
            item->name->pending = 0;
            tell(round, item->name, news);
        }
        watcher.changed &= watcher.changed - 1;
    }
}

/* Finds what there is to tell. False: nobody wants to hear anything any more, and the thread ends. */
static bool begin_round(struct round *round, bool tick) {
    round->count = round->next = 0;
    struct herald_segment *segment = herald_host.segment;
    if (watcher.watched && (tick || segment->header->retired)) herald_host_tick();
    if (watcher.watched && tick && !(watcher.seat.segment && herald_seat_holds(&watcher.seat)))
        herald_watcher_settle(herald_host.segment);
    if (!watcher.watched) {
        herald_watcher_leave();
        watcher.running = false;
        return false;
    }
    round->sits = watcher.seat.segment != NULL;
    if (round->sits) {
        round->sequence = herald_seat_arm(&watcher.seat);
        watcher.changed |= herald_seat_groups(&watcher.seat);
    }
    if (tick) watcher.changed = UINT64_MAX; /* whatever may have been missed */
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
        name->pending += round->changes[round->next].posts;
        if (name->watched) watcher.changed |= UINT64_C(1) << name->group;
    }
    watcher.running = false;
    if (start() != HeraldOK) herald_say();
    herald_host_unlock();
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

static void *run(void *unused) {
    (void)unused;
    struct round round;
    bool tick = false;
    for (;;) {
        herald_host_lock();
        bool more = begin_round(&round, tick);
        struct herald_seat seat = watcher.seat;
        herald_host_unlock();
        if (!more) return NULL;
        tick = false;
        if (round.count) {
            deliver(&round);
        } else if (round.sits) {
            tick = !herald_seat_wait(&seat, round.sequence);
        } else {
            nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
            tick = true;
        }
    }
}

/* ---- The thread's life ------------------------------------------------------------------------------------------ */

static HeraldStatus start(void) {
    if (watcher.running) return HeraldOK;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's signals are not for this thread */
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

/* A private entry may still have the bit of a channel we had before; in a shared one that is the next owner's to sweep. */
static void ring_here(struct item *item) {
    if (item->name->is_private)
        for (int i = 0; i < HERALD_CHANNELS / 64; i++) item->entry->watchers[i] = 0;
    herald_entry_watch(item->entry, watcher.seat.number, true);
}

/* Sits down at a channel, unless we sit, and has all names ring there. */
static HeraldStatus sit(struct herald_segment *segment) {
    if (watcher.seat.segment) return HeraldOK;
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
    if (!reserve(group)) return herald_fail_with(HeraldOutOfMemory, "memory is out");
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
    if (!watcher.seat.shared) herald_entry_watch(entry, watcher.seat.number, false);
    if (!watcher.watched) herald_seat_wake(&watcher.seat); /* the thread ends */
}

void herald_watcher_leave(void) { herald_seat_leave(&watcher.seat); }

void herald_watcher_settle(struct herald_segment *segment) {
    if (!watcher.watched) return;
    watcher.seat.segment = NULL; /* its lock is lost, or was given back */
    if (sit(segment) == HeraldOK) return;
    herald_say();
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
    name->pending += unheard ? unheard : 1;
    watcher.changed |= UINT64_C(1) << group;
}

const struct herald_seat *herald_watcher_seat(void) { return &watcher.seat; }

void herald_watcher_after_fork(void) {
    watcher.running = false;
    watcher.seat.segment = NULL; /* it is the parent's */
}
