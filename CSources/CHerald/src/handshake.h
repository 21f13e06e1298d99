/* The handshake: a barrier for writers that mostly needs no system call. The scheme is that of urcu-signal: each reader
 * executes a barrier when a writer requests one. But readers here poll for the request, and get no signal. Threads that
 * are not posting go offline, as in urcu-qsbr.
 *
 * A writer that has changed what posts read puts a ticket into the record of every other thread, and waits for the
 * answers. A thread answers at the start of its next post, or during a post to many observers. The writer waits no
 * longer than a membarrier takes. Then it makes a membarrier, and each thread that has not answered becomes FENCING:
 * its posts begin with a full fence. A fencing thread gets no more tickets while it is outside of posts, or while it is
 * in a post that has come to its last slot. A fencing thread that stays outside of posts becomes OFFLINE: no writer
 * looks at it until its next post.
 *
 * Ordering: There are three cases.
 * 1. A thread with a ticket. The writer makes its change, has a full fence, stores the ticket in `asked` by
 * compare-and-exchange, and reads `answered` (acquire). The poster stores `top` or its section, reads `asked` and finds
 * the ticket, has a full fence, and stores the ticket in `answered` (release). So the writer sees what the thread has
 * shown before the answer, and what the thread reads after the answer includes the writer's change.
 * 2. A fencing thread without a ticket. The thread stores `top` or its section, has its fence, and reads what writers
 * change. The writer makes its change, has its fence, and reads `top` and the section. So at least one of the two sees
 * what the other has stored.
 * 3. A fencing thread whose hazard pointer has the mark HERALD_LAST. The thread has made its look-up and set its pins
 * before it stored the mark (release). Until the fence of its next post, it reads nothing that writers change, except
 * the state of the slot that the hazard pointer shows.
 *
 * A thread is fencing exactly while its `asked` has the flag HERALD_FENCING. A writer gives a ticket by one
 * compare-and-exchange, which keeps this flag. A thread that stops fencing stores 0 in `asked`, which clears the ticket
 * and the flag in one step.
 *
 * Progress: Posters never wait, except that an offline thread takes the domain's lock in its next post. A writer waits
 * for answers only as long as one membarrier takes. In two cases it makes the membarrier at once. Either it has given
 * the ticket to more than 16 threads, or one of the threads missed an earlier ticket during a post and still has not
 * answered. If the kernel has no membarrier, all posts carry full fences, and there is no handshake.
 *
 * Ownership: `asked` is changed by writers, under the domain's lock, and by its thread. Only the thread writes
 * `answered` and `fencing_posts`. The other fields of the handshake belong to the domain's lock.
 */
#ifndef HERALD_HANDSHAKE_H
#define HERALD_HANDSHAKE_H

#include "thread.h"

HERALD_BEGIN
/* When this returns, the caller sees all that other threads have shown in their records so far. What those threads read
 * from now on includes what the caller wrote before the call. Never called under a lock. */
void herald_handshake(void);

/* Answers the ticket of this thread. The function is nothrow. Otherwise the compiler would add code to every post, for
 * the case that this function throws. */
void herald_handshake_answer(struct herald_thread *self) __attribute__((nothrow));

HERALD_END

/* The two low bits of `asked` are flags; the rest is a ticket. Each new ticket is HERALD_TICKET higher than the one
 * before. FENCING: the thread's posts begin with a full fence until the thread clears `asked`. OFFLINE: a writer takes
 * the thread off the list of records, and the thread's next post puts it on the list again. */
enum {
    HERALD_FENCING = 1,
    HERALD_OFFLINE = 2,
    HERALD_TICKET_FLAGS = HERALD_FENCING | HERALD_OFFLINE,
    HERALD_TICKET = 4
};

/* Whether the thread must call herald_handshake_answer before it goes on: it has a ticket, or it is fencing. Called
 * after the thread has shown that it is in a post or in a section, and before it reads anything that writers change. */
HERALD_INLINE bool herald_handshake_is_asked(const struct herald_thread *self) {
    herald_pause();
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return herald_unlikely(load_relaxed(&self->asked) != 0) && HERALD_STEP(POLL);
}

HERALD_INLINE void herald_handshake_poll(struct herald_thread *self) {
    if (herald_handshake_is_asked(self)) herald_handshake_answer(self);
}

/* During a post: answers a ticket that has come since the last answer. The tickets are compared, because the `asked` of
 * a fencing thread is never 0. */
HERALD_INLINE void herald_handshake_poll_again(struct herald_thread *self) {
    uint64_t answered = load_relaxed(&self->answered) | HERALD_TICKET_FLAGS;
    if (herald_unlikely(load_relaxed(&self->asked) > answered)) herald_handshake_answer(self);
}
#endif
