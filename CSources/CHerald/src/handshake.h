/* The handshake: a barrier for writers that mostly needs no system call. The scheme: as in urcu-signal, each reader
 * executes a barrier when a writer requests one; but here readers poll for the request, and get no signal. Threads that
 * are not posting go offline, as in urcu-qsbr.
 *
 * A writer that has changed what posts read puts a ticket into the record of every other thread, and waits for the
 * answers. A thread answers before it shows anything more in its record: at the start of its next post, or during a
 * post to many observers. If a thread does not answer in the time that a barrier takes, the writer makes a barrier, and
 * the thread becomes FENCING: its posts begin with a fence of their own. No writer gives a fencing thread another
 * ticket while the thread is outside of posts, or while it is in a post that has come to its last slot. A fencing
 * thread that stays outside of posts is taken OFFLINE: no writer looks at it until its next post.
 *
 * Ordering: The writer: its change; full fence; `asked` := ticket by compare-and-exchange; reads `answered` (acquire).
 * The poster: stores `top` (or its section); reads `asked`; if there is a ticket: full fence; `answered` := ticket
 * (release). So the writer sees what a thread has shown before its answer, and the thread's reads after its answer see
 * the writer's change. With a fencing thread: the thread stores `top` or its section, has its fence, and reads; the
 * writer makes its change, has its fence, and reads `top` and the section. At least one of the two sees what the other
 * has stored. A thread whose hazard pointer has the mark HERALD_LAST has made its look-up and set its pins (release).
 * It reads nothing for another slot before the fence of its next post.
 *
 * A thread is fencing exactly while its `asked` has the flag HERALD_FENCING: when the thread stops fencing, it stores 0
 * in `asked`, and so clears the ticket and the flag in one step. So a writer can give a ticket by one
 * compare-and-exchange, in which the new value keeps the flag of the old one.
 *
 * Progress: Posters never wait, except that an offline thread takes the domain's lock in its next post. A writer waits
 * no longer than one barrier takes. It makes the barrier at once in two cases: it has given a ticket to more than 16
 * threads; or one of these threads has still not answered an earlier ticket that it missed during a post. If all posts
 * carry fences, there is no handshake.
 *
 * Ownership: `asked` is changed by writers, under the domain's lock, and by its thread. Only the thread writes
 * `answered` and `fencing_posts`. The other fields of the handshake belong to the domain's lock.
 */
#ifndef HERALD_HANDSHAKE_H
#define HERALD_HANDSHAKE_H

#include "thread.h"

HERALD_BEGIN
/* When this returns, the caller sees everything that other threads have shown in their records so far. Before a thread
 * shows anything else, it sees what the caller wrote before the call. Never called under a lock. */
void herald_handshake(void);

/* nothrow: otherwise the compiler would prepare every post to be unwound from here. */
void herald_handshake_answer(struct herald_thread *self) __attribute__((nothrow));

HERALD_END

/* Tickets rise by HERALD_TICKET. Their low bits are flags. FENCING: the thread's posts begin with a fence until the
 * thread clears `asked`. OFFLINE: a writer takes the thread off the list, and no writer looks at it any more. The
 * thread's next post puts the thread on the list again, even if that post clears `asked` and this flag with it. */
enum {
    HERALD_FENCING = 1,
    HERALD_OFFLINE = 2,
    HERALD_TICKET_FLAGS = HERALD_FENCING | HERALD_OFFLINE,
    HERALD_TICKET = 4
};

/* Whether the thread has a ticket, which it must answer before it goes on. Called after the thread has shown that it is
 * in a post or in a section, and before it reads anything that writers change. */
HERALD_INLINE bool herald_handshake_is_asked(const struct herald_thread *self) {
    herald_pause();
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return herald_unlikely(load_relaxed(&self->asked) != 0) && HERALD_STEP(POLL);
}

HERALD_INLINE void herald_handshake_poll(struct herald_thread *self) {
    if (herald_handshake_is_asked(self)) herald_handshake_answer(self);
}

/* During a post: answers a ticket that has come since the last answer. A fencing thread's `asked` is not 0 even when
 * its ticket is answered, so the numbers are compared. */
HERALD_INLINE void herald_handshake_poll_again(struct herald_thread *self) {
    uint64_t answered = load_relaxed(&self->answered) | HERALD_TICKET_FLAGS;
    if (herald_unlikely(load_relaxed(&self->asked) > answered)) herald_handshake_answer(self);
}
#endif
