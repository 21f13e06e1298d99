/* The handshake: tickets, answers, and threads that are exempt from both. Ordering, progress and ownership: see
 * handshake.h. */
#include "handshake.h"
#include "barrier.h"
#include "slot.h"

enum {
#ifdef HERALD_EXPLORE
    FENCING_POSTS = 3, /* a thread is still fencing after two posts, one inside the other */
    LOOKS_BEFORE_OFFLINE = 2,
#else
    FENCING_POSTS = 1024,      /* after so many posts a thread is no longer fencing */
    LOOKS_BEFORE_OFFLINE = 16, /* a fencing thread goes offline after writers have found it outside of posts so many
                                  times in a row */
#endif
    ASKED_MOST = 16 /* with more threads a membarrier is quicker than their answers */
};

/* ---- The poster's side ------------------------------------------------------------------------------------------- */

static void go_online(struct herald_thread *self) {
    herald_domain_lock();
    herald_thread_go_online(self);
    store_relaxed(&self->asked, load_relaxed(&self->asked) & ~(uint64_t)HERALD_OFFLINE);
    herald_domain_unlock();
}

HERALD_SLOW void herald_handshake_answer(struct herald_thread *self) {
    uint64_t ticket = load_acquire(&self->asked);
    bool stays = ticket & HERALD_FENCING && ++self->fencing_posts < FENCING_POSTS;
    if (!stays) {
        self->fencing_posts = 0;
        ticket = exchange_full(&self->asked, (uint64_t)0);
    }
    if (HERALD_STEP(ANSWER_FENCE)) fence_full();
    /* `asked` is read again after the fence: if a writer has not seen this post and takes the thread offline, the flag
     * HERALD_OFFLINE is visible here. */
    uint64_t after = stays ? load_relaxed(&self->asked) : ticket;
    if (after & HERALD_OFFLINE && HERALD_STEP(GO_ONLINE)) go_online(self);
    /* Answers only the ticket that was read before the fence: a newer ticket needs another fence. */
    store_release(&self->answered, ticket & ~(uint64_t)HERALD_TICKET_FLAGS);
}

/* ---- The writer's side ------------------------------------------------------------------------------------------- */

static uint64_t newest; /* the newest ticket; domain's lock */

struct question {
    uint64_t ticket;
    uint32_t count, fencing; /* how many `threads` there are; bit i of `fencing`: threads[i] was fencing already */
    bool patient;            /* it is worth waiting for the answers */
    struct herald_thread *threads[ASKED_MOST];
};

static bool is_quiescent(const struct herald_thread *thread) {
    return load_acquire(&thread->top) == thread->frames && !(load_acquire(&thread->section) & 1);
}

/* Whether a fencing thread will set no further hazard pointer before its next post. That post begins with a fence. This
 * is so if the thread is outside of posts, or if each of its posts has set the hazard pointer to the last slot that the
 * post calls. Such a post has found and pinned all that it calls. Of all that writers change, it will read only the
 * state of that slot, before and after the call. So if that slot is PENDING and the slot's remover has not had its
 * barrier yet (`armed`), the thread must get a ticket.
 * Called under the domain's lock, so that the slot is not freed: a thread that frees a slot has first seen, under this
 * lock, that no frame shows the slot. */
static bool is_at_last_slot(const struct herald_thread *thread) {
    const struct herald_frame *top = load_acquire(&thread->top);
    if (load_acquire(&thread->section) & 1) return false;
    for (const struct herald_frame *frame = thread->frames; frame != top; frame++) {
        if (frame + 1 != top && !HERALD_STEP(LAST_FRAMES)) continue;
        uintptr_t hazard = load_acquire(&frame->hazard);
        if (!(hazard & HERALD_LAST)) return false;
        const struct herald_slot *slot = (const struct herald_slot *)(hazard - HERALD_LAST);
        bool pending = load_acquire(&slot->state) == HERALD_PENDING && !slot->armed;
        if (pending && HERALD_STEP(LAST_STATE)) return false;
    }
    return true;
}

/* Called when a writer has once more found a fencing thread outside of posts. */
static void consider_offline(struct herald_thread *thread, uint64_t asked) {
    if (++thread->looks < LOOKS_BEFORE_OFFLINE || asked & HERALD_OFFLINE) return;
    thread->looks = 0;
    if (!compare_exchange_full(&thread->asked, &asked, asked | HERALD_OFFLINE)) return;
    fence_full(); /* partner: the fences of fencing threads */
    /* Look again: since the first look the thread may have begun a post, and may have read `asked` too early to see the
     * flag. */
    if (is_quiescent(thread) || !HERALD_STEP(OFFLINE_LOOK)) herald_thread_go_offline(thread);
}

static void request(struct question *question, struct herald_thread *thread) {
    uint64_t asked = load_relaxed(&thread->asked), ticket;
    if (asked & HERALD_FENCING && (is_quiescent(thread) || !HERALD_STEP(OUTSIDE))) {
        consider_offline(thread, asked);
        return;
    }
    thread->looks = 0;
    if (asked & HERALD_FENCING && is_at_last_slot(thread)) return;
    do {
        ticket = question->ticket | (asked & HERALD_FENCING);
    } while (!compare_exchange_full(&thread->asked, &asked, ticket));
    if (thread->missed && load_acquire(&thread->answered) < thread->missed) question->patient = false;
    if (question->count == ASKED_MOST) {
        question->patient = false;
        return;
    }
    if (ticket & HERALD_FENCING) question->fencing |= 1u << question->count;
    question->threads[question->count++] = thread;
}

static void request_all(struct question *question) {
    question->count = question->fencing = 0;
    question->patient = true;
    herald_domain_lock();
    question->ticket = newest += HERALD_TICKET;
    for (struct herald_thread *thread = herald_threads, *next; thread; thread = next) {
        next = thread->next; /* request() may take `thread` off this list */
        if (thread != herald_self) request(question, thread);
    }
    herald_domain_unlock();
}

/* Waits for the answers, at most as long as a barrier takes; returns whether all threads have answered. A thread that
 * was fencing already need not answer if it is seen outside of posts. */
static bool await_answers(const struct question *question) {
    if (!question->patient) return false;
    struct herald_patience patience = {0, 0};
    for (uint32_t i = 0; i < question->count; i++) {
        const struct herald_thread *thread = question->threads[i];
        while (load_acquire(&thread->answered) < question->ticket) {
            if (question->fencing >> i & 1 && is_quiescent(thread)) break;
            if (herald_patience_is_out(&patience)) return false;
        }
    }
    return true;
}

/* After the barrier: a thread that still has the ticket becomes fencing. If the thread is in a post, the barrier has
 * made that post visible, and the thread's next post finds the ticket. */
static void make_fencing(const struct question *question) {
    herald_domain_lock();
    for (struct herald_thread *thread = herald_threads; thread; thread = thread->next) {
        uint64_t asked = load_relaxed(&thread->asked);
        if (thread == herald_self || (asked & ~(uint64_t)HERALD_TICKET_FLAGS) != question->ticket) continue;
        if (!is_quiescent(thread)) thread->missed = question->ticket;
        /* This does nothing if the thread has just answered. */
        compare_exchange_full(&thread->asked, &asked, asked | HERALD_FENCING);
    }
    herald_domain_unlock();
}

void herald_handshake(void) {
    herald_pause();
    if (HERALD_STEP(HANDSHAKE_FENCE)) fence_full(); /* partners: the fences of new records, and of fencing threads */
    if (herald_barrier_is_fencing() || !herald_thread_has_company()) return;
    struct question question;
    request_all(&question);
    if (await_answers(&question) || !HERALD_STEP(AWAIT)) return;
    if (HERALD_STEP(HEAVY)) herald_fence_heavy();
    make_fencing(&question);
}
