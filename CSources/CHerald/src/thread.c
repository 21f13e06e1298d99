/* Thread records and the walk over all frames.
 *
 * Ordering: A record is put into the list of records with a thread, and counted in `live`, before a full fence and its
 * thread's first section. A remover skips the barrier if there is no other thread. The fence makes sure that threads
 * which come later see what the remover has changed.
 * Progress: A thread takes the domain's lock once to get a record and once to recycle it.
 * Ownership: Records are never freed: the record of a thread that has ended serves the next one. So their number is
 * the most threads that were ever alive at once (R20).
 */
#include "thread.h"
#include "memory.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

void (*herald_thread_hand_in)(void);
struct herald_thread *herald_threads, *herald_threads_spare;
struct herald_thread herald_newcomer = {.top = herald_newcomer.frames + HERALD_FRAMES};
struct herald_thread herald_departed = {.top = herald_departed.frames + HERALD_FRAMES};
#ifndef HERALD_EXPLORE
__thread struct herald_thread *herald_self __attribute__((tls_model("initial-exec"))) = &herald_newcomer;
__thread struct herald_activity *herald_activities __attribute__((tls_model("initial-exec")));
#endif

static struct herald_thread *offline;                       /* domain's lock */
static struct herald_overflow *overflows, *overflows_spare; /* domain's lock */
static uint32_t live; /* atomic: how many records and overflow frames are in use */

static pthread_key_t key;
static bool have_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

bool herald_thread_has_company(void) {
    return load_relaxed(&live) != (herald_thread_has_record(herald_self) ? 1u : 0u);
}

/* ---- Records ---------------------------------------------------------------------------------------------------- */

/* Under the domain's lock. A record is in one of three lists: records with a thread, which removers and the reclaimer
 * look at; records of threads that are offline; and records without a thread. */
static void enlist(struct herald_thread *record, struct herald_thread **list) {
    record->link = list;
    record->next = *list;
    if (record->next) record->next->link = &record->next;
    *list = record;
}

static void unlist(struct herald_thread *record) {
    *record->link = record->next;
    if (record->next) record->next->link = record->link;
}

void herald_thread_go_offline(struct herald_thread *thread) {
    unlist(thread);
    enlist(thread, &offline);
    thread->is_offline = true;
    thread->noted = 0; /* its sections are over */
}

void herald_thread_go_online(struct herald_thread *thread) {
    if (!thread->is_offline) return;
    unlist(thread);
    enlist(thread, &herald_threads);
    thread->is_offline = false;
}

/* For a record that is put into use: no writer has requested an answer from it yet. */
static void begin_unasked(struct herald_thread *record) {
    record->asked = record->missed = 0;
    record->looks = 0;
    record->is_offline = false;
}

static void recycle(struct herald_thread *record) {
    record->noted = 0; /* its sections are over */
    record->next = herald_threads_spare;
    herald_threads_spare = record;
}

/* Ends the calls that the thread left open, because it has ended inside a callback or hook without unwinding it. */
static void close_calls(struct herald_thread *self) {
    bool is_inside = herald_thread_is_inside();
    herald_activities = NULL; /* they lay on stack frames that no longer exist */
    if (self->abandon) self->abandon(self);
    if (is_inside && herald_thread_hand_in) herald_thread_hand_in();
}

/* Runs at the thread's end. */
static void depart(void *record) {
    struct herald_thread *self = record;
    close_calls(self);
    if (self == &herald_newcomer) return;
    if (self->section & 1) store_release(&self->section, self->section + 1);
    herald_self = &herald_departed; /* posts of later destructors take overflow frames */
    herald_domain_lock();
    unlist(self);
    recycle(self);
    sub_acq_rel(&live, 1);
    herald_domain_unlock();
}

static void make_key(void) { have_key = pthread_key_create(&key, depart) == 0; }

HERALD_SLOW void herald_thread_attend(void) {
    pthread_once(&once, make_key);
    if (have_key && !pthread_getspecific(key)) pthread_setspecific(key, &herald_newcomer);
}

/* ---- Threads that are gone ---------------------------------------------------------------------------------------
 *
 * If a thread makes its first post in the last round of its destructors, depart() never runs for it. So when there are
 * many records, those whose threads the kernel no longer knows are taken back. If the kernel has given the same number
 * to another thread, the record stays until a later sweep, which is harmless.
 */

enum { SWEEP_FROM = 64 };
static uint32_t made, sweep_at = SWEEP_FROM; /* domain's lock: how many records there are, and how many start a sweep */

#ifdef HERALD_EXPLORE
static int32_t own_number(void) { return 1; }
static bool is_gone(const struct herald_thread *record) { return !record; }
#else
static int32_t own_number(void) { return (int32_t)syscall(SYS_gettid); }
static bool is_gone(const struct herald_thread *record) {
    return syscall(SYS_tgkill, getpid(), record->number, 0) != 0 && errno == ESRCH;
}
#endif

/* Returns how many records it has taken back from the list. */
static uint32_t sweep(struct herald_thread *list) {
    uint32_t count = 0;
    for (struct herald_thread *record = list, *next; record; record = next) {
        next = record->next;
        /* The record of a thread that has ended in the middle of a post stays: the slot that it shows may still have
         * its release to come. */
        if (load_relaxed(&record->top) != record->frames || load_relaxed(&record->section) & 1) continue;
        if (!is_gone(record)) continue;
        unlist(record);
        recycle(record);
        sub_acq_rel(&live, 1);
        count++;
    }
    return count;
}

static void sweep_all(void) {
    int error = errno;
    uint32_t used = made - sweep(herald_threads) - sweep(offline);
    sweep_at = 2 * used + SWEEP_FROM;
    errno = error;
}

/* A record without a thread: one whose thread has ended, or a new one. */
static struct herald_thread *obtain(void) {
    herald_domain_lock();
    if (!herald_threads_spare && made >= sweep_at) sweep_all();
    struct herald_thread *record = herald_threads_spare;
    if (record) herald_threads_spare = record->next;
    made += !record;
    herald_domain_unlock();
    if (record || !(record = herald_allocate_aligned(2 * HERALD_LINE, sizeof *record))) return record;
    record->top = record->frames;
    return record;
}

HERALD_SLOW void herald_thread_attach(void (*abandon)(struct herald_thread *self)) {
    if (herald_self != &herald_newcomer) return;
    pthread_once(&once, make_key);
    struct herald_thread *record = have_key ? obtain() : NULL;
    if (!record) return;
    record->abandon = abandon;
    if (pthread_setspecific(key, record) != 0) {
        herald_domain_lock();
        recycle(record);
        herald_domain_unlock();
        return;
    }
    herald_domain_lock();
    begin_unasked(record);
    record->number = own_number();
    enlist(record, &herald_threads);
    add_full(&live, 1);
    herald_domain_unlock();
    fence_full(); /* partner: herald_handshake's fence, before it looks for other threads */
    herald_self = record;
}

/* ---- Overflow frames --------------------------------------------------------------------------------------------- */

static void recycle_overflow(struct herald_overflow *overflow) {
    overflow->next = overflows_spare;
    overflows_spare = overflow;
}

static struct herald_overflow *obtain_overflow(void) {
    herald_domain_lock();
    struct herald_overflow *overflow = overflows_spare;
    if (overflow) overflows_spare = overflow->next;
    herald_domain_unlock();
    return overflow ? overflow : (struct herald_overflow *)herald_allocate_lines(sizeof *overflow);
}

struct herald_overflow *herald_overflow_enter(struct herald_overflow *own) {
    struct herald_overflow *overflow = obtain_overflow();
    bool is_spare = overflow != NULL;
    if (!overflow) overflow = own;
    memset(overflow, 0, sizeof *overflow);
    overflow->is_spare = is_spare;
    overflow->owner = &herald_self;
    herald_domain_lock();
    overflow->next = overflows;
    overflow->link = &overflows;
    if (overflow->next) overflow->next->link = &overflow->next;
    overflows = overflow;
    add_full(&live, 1);
    herald_domain_unlock();
    fence_full(); /* as in herald_thread_attach */
    return overflow;
}

void herald_overflow_leave(struct herald_overflow *overflow) {
    herald_domain_lock();
    *overflow->link = overflow->next;
    if (overflow->next) overflow->next->link = overflow->link;
    sub_acq_rel(&live, 1);
    if (overflow->is_spare) recycle_overflow(overflow);
    herald_domain_unlock();
}

struct herald_overflow *herald_overflow_of_thread(void) {
    herald_domain_lock();
    struct herald_overflow *overflow = overflows;
    while (overflow && overflow->owner != &herald_self) overflow = overflow->next;
    herald_domain_unlock();
    return overflow;
}

/* ---- All frames ------------------------------------------------------------------------------------------------- */

/* Skips threads that are in no post, because their frames are empty. Reads one cache line for each. Acquire; partner:
 * the release at a post's end. */
static struct herald_thread *skip_outside(struct herald_thread *thread) {
    while (thread && load_acquire(&thread->top) == thread->frames) thread = thread->next;
    return thread;
}

struct herald_frames herald_frames_begin(void) {
    struct herald_frames walk = {skip_outside(herald_threads), 0, overflows};
    return walk;
}

struct herald_frame *herald_frames_next(struct herald_frames *walk) {
    if (walk->index == HERALD_FRAMES) {
        walk->thread = skip_outside(walk->thread->next);
        walk->index = 0;
    }
    if (walk->thread) return &walk->thread->frames[walk->index++];
    if (!walk->overflow || !HERALD_STEP(OVERFLOW_SCAN)) return NULL;
    struct herald_overflow *overflow = walk->overflow;
    walk->overflow = overflow->next;
    return &overflow->frame;
}

/* ---- Fork ------------------------------------------------------------------------------------------------------- */

/* Only the forking thread is left. Its own frames and overflow frames stay as they were; the posts of all other threads
 * are over. */
void herald_threads_after_fork(void) {
    struct herald_thread *own = NULL;
    live = herald_thread_has_record(herald_self);
    struct herald_thread *record;
    while ((record = herald_threads ? herald_threads : offline)) {
        unlist(record);
        if (record == herald_self) {
            own = record;
            continue;
        }
        memset(record->frames, 0, sizeof record->frames);
        memset(record->lookups, 0, sizeof record->lookups); /* an entry may be half written */
        record->top = record->frames;
        record->section = (record->section + 1) & ~(uint64_t)1;
        recycle(record);
    }
    if (own) {
        begin_unasked(own);
        own->number = own_number();
        enlist(own, &herald_threads);
    }
    struct herald_overflow **link = &overflows, *overflow;
    while ((overflow = *link)) {
        if (overflow->owner == &herald_self) {
            live++;
            overflow->link = link;
            link = &overflow->next;
        } else {
            *link = overflow->next;
            if (overflow->is_spare) recycle_overflow(overflow);
        }
    }
}
