/* Thread records and the walk over all frames.
 *
 * Ordering. A record is in the list of those that have a thread, and counted in `live`, with a full fence before its
 * thread's first section, so a remover that skips the barrier because nobody else is there is seen by whoever comes
 * after. Progress. Taking and giving back a record takes the domain's lock, once in a thread's life each. Ownership.
 * Records are never freed: a record whose thread has ended serves the next one, so their number is the most threads
 * that were ever alive at once (R20).
 */
#include "domain.h"
#include "memory.h"
#include "release.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t settled = PTHREAD_COND_INITIALIZER;
static uint32_t waiting; /* how many wait on it; under the lock */

struct herald_domain herald_domain = {.fresh_end = &herald_domain.fresh, .due_size = HERALD_RETIRED_ENOUGH};
struct herald_thread herald_newcomer = {.top = herald_newcomer.frames + HERALD_FRAMES};
struct herald_thread herald_departed = {.top = herald_departed.frames + HERALD_FRAMES};
__thread struct herald_thread *herald_self __attribute__((tls_model("initial-exec"))) = &herald_newcomer;
__thread struct herald_activity *herald_activity __attribute__((tls_model("initial-exec")));

static pthread_key_t key;
static bool have_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void herald_domain_lock(void) { pthread_mutex_lock(&lock); }
void herald_domain_unlock(void) { pthread_mutex_unlock(&lock); }

void herald_domain_wait(void) {
    waiting++;
    pthread_cond_wait(&settled, &lock);
    waiting--;
}

void herald_domain_wake(void) {
    if (waiting) pthread_cond_broadcast(&settled);
}

bool herald_domain_has_other_threads(void) {
    return load_relaxed(&herald_domain.live) != (herald_thread_has_record(herald_self) ? 1u : 0u);
}

/* Closes what a thread left open when it ended inside a callback without unwinding it (R17), innermost first. */
static void close_frames(struct herald_thread *self) {
    while (self->top != self->frames) {
        struct herald_frame *frame = self->top - 1;
        struct herald_slot *left = load_relaxed(&frame->current);
        store_release(&frame->current, NULL);
        herald_light(true);
        if (left && load_relaxed(&left->state) == HERALD_PENDING) herald_release_left(left);
        for (int i = 0; i < HERALD_PINS; i++) store_release(&frame->pins[i], NULL);
        self->top = frame;
    }
    if (self->section & 1) store_release(&self->section, self->section + 1);
}

/* Under the domain's lock. A record is in one of two lists: those that have a thread, which removers and the reclaimer
 * look at, and those that have none. */
static void join(struct herald_thread *record) {
    record->link = &herald_domain.threads;
    record->next = herald_domain.threads;
    if (record->next) record->next->link = &record->next;
    herald_domain.threads = record;
}

static void give_back(struct herald_thread *record) {
    record->noted = 0; /* its sections are over */
    record->next = herald_domain.spare;
    herald_domain.spare = record;
}

static void depart(void *record) {
    struct herald_thread *self = record;
    close_frames(self);
    herald_self = &herald_departed; /* posts of later destructors are guests */
    herald_activity = NULL;
    herald_domain_lock();
    *self->link = self->next;
    if (self->next) self->next->link = self->link;
    give_back(self);
    sub_acq_rel(&herald_domain.live, 1);
    herald_domain_unlock();
}

static void make_key(void) { have_key = pthread_key_create(&key, depart) == 0; }

/* A record nobody owns: one whose thread has ended, or a new one. */
static struct herald_thread *obtain(void) {
    herald_domain_lock();
    struct herald_thread *record = herald_domain.spare;
    if (record) herald_domain.spare = record->next;
    herald_domain_unlock();
    if (record || !(record = herald_allocate_aligned(2 * HERALD_LINE, sizeof *record))) return record;
    record->top = record->frames;
    return record;
}

HERALD_SLOW void herald_thread_attach(void) {
    if (herald_self != &herald_newcomer) return;
    pthread_once(&once, make_key);
    struct herald_thread *record = have_key ? obtain() : NULL;
    if (!record) return;
    if (pthread_setspecific(key, record) != 0) {
        herald_domain_lock();
        give_back(record);
        herald_domain_unlock();
        return;
    }
    herald_domain_lock();
    join(record);
    add_full(&herald_domain.live, 1);
    herald_domain_unlock();
    fence_full(); /* partner: herald_heavy's fence, before it asks for other threads */
    herald_self = record;
}

void herald_guest_enter(struct herald_guest *guest) {
    memset(guest, 0, sizeof *guest);
    guest->owner = &herald_self;
    herald_domain_lock();
    guest->next = herald_domain.guests;
    guest->link = &herald_domain.guests;
    if (guest->next) guest->next->link = &guest->next;
    herald_domain.guests = guest;
    add_full(&herald_domain.live, 1);
    herald_domain_unlock();
    fence_full(); /* as for a new record */
}

void herald_guest_leave(struct herald_guest *guest) {
    herald_domain_lock();
    *guest->link = guest->next;
    if (guest->next) guest->next->link = guest->link;
    sub_acq_rel(&herald_domain.live, 1);
    herald_domain_unlock();
}

struct herald_frames herald_frames_begin(void) {
    struct herald_frames walk = {herald_domain.threads, 0, herald_domain.guests};
    return walk;
}

struct herald_frame *herald_frames_next(struct herald_frames *walk) {
    if (walk->index == HERALD_FRAMES) {
        walk->thread = walk->thread->next;
        walk->index = 0;
    }
    if (walk->thread) return &walk->thread->frames[walk->index++];
    if (!walk->guest || !herald_keep(GUEST_SCAN)) return NULL;
    struct herald_guest *guest = walk->guest;
    walk->guest = guest->next;
    return &guest->frame;
}

/* Only the forking thread is left. Its own frames and guests are as they were; all others' posts are over. */
void herald_domain_after_fork(void) {
    waiting = 0;
    pthread_cond_init(&settled, NULL);
    herald_domain.live = herald_thread_has_record(herald_self);
    struct herald_thread *record = herald_domain.threads, *next;
    herald_domain.threads = NULL;
    for (; record; record = next) {
        next = record->next;
        if (record == herald_self) {
            join(record);
            continue;
        }
        memset(record->frames, 0, sizeof record->frames);
        record->top = record->frames;
        record->section = (record->section + 1) & ~(uint64_t)1;
        give_back(record);
    }
    struct herald_guest **link = &herald_domain.guests, *guest;
    while ((guest = *link)) {
        if (guest->owner == &herald_self) {
            herald_domain.live++;
            guest->link = link;
            link = &guest->next;
        } else {
            *link = guest->next;
        }
    }
    herald_domain.reclaiming = false;
    herald_domain.forks++;
}
