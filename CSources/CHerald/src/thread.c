/* Thread records and the walk over all frames.
 *
 * Ordering: A new thread puts its record into the list `herald_threads`, raises `live`, has a full fence, and then
 * begins its first section. A writer changes what posts read, has a full fence (the partner, in herald_handshake), and
 * then reads `live`. If `live` counts no other thread, the writer needs no handshake. Because of the two fences, any
 * thread that comes later sees the change.
 * Progress: A thread takes the domain's lock twice to get a record, and once to give it back.
 * Ownership: Records are never freed. When a thread ends, its record serves a later thread. So the number of records
 * grows only with the number of threads that are alive at the same time (R20).
 */
#include "thread.h"
#include "ground_list.h"
#include "memory.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

void (*herald_thread_hand_in)(struct herald_thread *self);
struct herald_thread *herald_threads, *herald_threads_spare;
struct herald_thread herald_newcomer = {.top = herald_newcomer.frames + HERALD_FRAMES};
struct herald_thread herald_departed = {.top = herald_departed.frames + HERALD_FRAMES};
#ifndef HERALD_EXPLORE
__thread struct herald_thread *herald_self __attribute__((tls_model("initial-exec"))) = &herald_newcomer;
__thread struct herald_activity *herald_activities __attribute__((tls_model("initial-exec")));
__thread struct herald_guard *herald_guards __attribute__((tls_model("initial-exec")));
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

/* Under the domain's lock. A record is in one of three lists. `herald_threads` has the records of threads that are
 * online; removers and the reclaimer walk over this list. `offline` has the records of offline threads.
 * `herald_threads_spare` has the records without a thread. */
static void enlist(struct herald_thread *record, struct herald_thread **list) { GROUND_LIST_PUSH(*list, record); }

static void unlist(struct herald_thread *record) { GROUND_LIST_REMOVE(record); }

void herald_thread_go_offline(struct herald_thread *thread) {
    unlist(thread);
    enlist(thread, &offline);
    thread->is_offline = true;
    thread->noted = 0; /* it is in no section */
}

void herald_thread_go_online(struct herald_thread *thread) {
    if (!thread->is_offline) return;
    unlist(thread);
    enlist(thread, &herald_threads);
    thread->is_offline = false;
}

/* Called when a thread begins to use the record, and in the child of a fork. In this process no writer has given the
 * thread a ticket yet. */
static void begin_unasked(struct herald_thread *record) {
    record->asked = record->missed = 0;
    record->looks = 0;
    record->is_offline = false;
}

static void recycle(struct herald_thread *record) {
    record->noted = 0; /* it is in no section */
    record->next = herald_threads_spare;
    herald_threads_spare = record;
}

/* Ends the calls that the thread has left open. A thread leaves calls open if it ends inside a callback or hook and
 * nothing unwinds its stack (R17). */
static void close_calls(struct herald_thread *self) {
    bool is_inside = herald_thread_is_inside();
    herald_activities = NULL; /* the functions whose stack frames held the activities and guards are gone */
    herald_guards = NULL;
    if (is_inside && herald_thread_hand_in) herald_thread_hand_in(self);
}

/* Runs at the thread's end, as the destructor of `key`. */
static void depart(void *record) {
    struct herald_thread *self = record;
    close_calls(self);
    if (self == &herald_newcomer) return;
    if (self->section & 1) store_release(&self->section, self->section + 1);
    herald_self = &herald_departed; /* posts by later destructors take overflow frames */
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
 * A thread may make its first post in the last round of the destructors of its thread-specific values. Then depart()
 * never runs for this thread. So when there are many records, a sweep takes back those of threads that the kernel no
 * longer knows. The kernel may have given the number of such a thread to a new thread of this process. Then the record
 * stays until a later sweep, which is harmless.
 */

enum { SWEEP_FROM = 64 };
/* Domain's lock. `made`: how many records there are. `sweep_at`: how many records there must be for a sweep. */
static uint32_t made, sweep_at = SWEEP_FROM;

#ifdef HERALD_EXPLORE
static int32_t own_number(void) { return 1; }
static bool is_gone(const struct herald_thread *record) { return !record; }
#else
static int32_t own_number(void) { return (int32_t)syscall(SYS_gettid); }
static bool is_gone(const struct herald_thread *record) {
    return syscall(SYS_tgkill, getpid(), record->number, 0) != 0 && errno == ESRCH;
}
#endif

/* Takes the records of threads that are gone out of the list, and makes them spare. Returns how many. */
static uint32_t sweep(struct herald_thread *list) {
    uint32_t count = 0;
    for (struct herald_thread *record = list, *next; record; record = next) {
        next = record->next;
        /* The record of a thread that has ended in the middle of a post stays, because it may show a slot that still
         * has to be released. */
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

/* Returns a record without a thread: a spare one, or a new one if there is no spare one. Returns NULL when memory is
 * out. */
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

HERALD_SLOW void herald_thread_attach(void) {
    if (herald_self != &herald_newcomer) return;
    pthread_once(&once, make_key);
    struct herald_thread *record = have_key ? obtain() : NULL;
    if (!record) return;
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
    fence_full(); /* partner: the fence in herald_handshake, after which a writer reads `live` */
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
    GROUND_LIST_PUSH(overflows, overflow);
    add_full(&live, 1);
    herald_domain_unlock();
    fence_full(); /* partner: as in herald_thread_attach */
    return overflow;
}

void herald_overflow_leave(struct herald_overflow *overflow) {
    herald_domain_lock();
    GROUND_LIST_REMOVE(overflow);
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

/* Skips threads that are in no post, because their frames are empty. This reads one cache line of each thread. The
 * acquire orders a post's last reads before anything that the caller frees or releases. Partner: the release store of
 * `top` at the post's end. */
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

/* Only the forking thread is left. Its own frames and overflow frames stay as they were. The posts of all other threads
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
        memset(record->lookups, 0, sizeof record->lookups); /* the thread may have been writing a lookup */
        record->top = record->frames;
        record->section = (record->section + 1) & ~(uint64_t)1;
        recycle(record);
    }
    if (own) {
        begin_unasked(own);
        own->number = own_number();
        enlist(own, &herald_threads);
    }
    for (struct herald_overflow *next, *overflow = overflows; overflow; overflow = next) {
        next = overflow->next;
        if (overflow->owner == &herald_self) {
            live++;
        } else {
            GROUND_LIST_REMOVE(overflow);
            if (overflow->is_spare) recycle_overflow(overflow);
        }
    }
}
