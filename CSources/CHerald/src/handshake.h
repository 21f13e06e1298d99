/* The handshake: a barrier for writers that mostly needs no system call. The scheme: as urcu-signal's, where each
 * reader executes a barrier when a writer wants one, but readers poll for it and get no signal. Threads that are not
 * posting go offline, as in urcu-qsbr.
 *
 * A writer that has changed what posts read puts a ticket into the record of every other thread, and waits for the
 * answers. A thread answers before it shows anything more: with its next post, or during a post to many observers. A
 * thread that does not answer in the time of a barrier gets the barrier, and is then FENCING: its posts begin with a
 * fence of their own. While it is outside of posts, or in a post that will show nothing more, no writer gives it
 * another ticket. A fencing thread that stays outside of posts is taken OFFLINE: until its next post no writer even
 * looks at it.
 *
 * Ordering: The writer: its change; full fence; `asked` := ticket by compare-and-exchange; reads `answered` (acquire).
 * The poster: stores `top` (or its section); reads `asked`; if there is a ticket: full fence; `answered` := ticket
 * (release). So the writer sees what a thread showed before it answered, and the thread's later reads see the writer's
 * change. With a fencing thread: the thread stores `top` or its section, has its fence, and reads; the writer makes
 * its change, has its fence, and reads `top` and the section; at least one of the two sees the other. A thread whose
 * hazard pointer has the mark HERALD_LAST is past its look-up and its pins (release), and its reads for a new slot come
 * after the fence of its next post.
 *
 * A thread is fencing exactly while its `asked` has the flag HERALD_FENCING: a thread that takes its ticket back
 * (`asked` := 0) clears the flag with it. So a writer gives a ticket by one compare-and-exchange: the new ticket has
 * the flag if the ticket that it replaces has it, and else not.
 *
 * Progress: Posters never wait, except one that was offline, which takes the domain's lock once. A writer waits no
 * longer than one barrier takes. It has the barrier at once, without waiting, if it has given too many threads a
 * ticket, or one that has not answered an earlier writer in time and is still in the same post. If all posts carry
 * fences, there is no handshake.
 *
 * Ownership: `asked` is changed by writers, under the domain's lock, and by its thread; `answered` and `fencing_posts`
 * are the thread's; the rest belongs to the domain's lock.
 */
#ifndef HERALD_HANDSHAKE_H
#define HERALD_HANDSHAKE_H

#include "thread.h"

HERALD_BEGIN
/* When this returns, the caller can see everything that other threads have shown. Whatever they show later, they show
 * when they can see what the caller wrote before the call. Never called under a lock. */
void herald_handshake(void);

/* Does not throw, or a post would have to be unwound through it, too. */
void herald_handshake_answer(struct herald_thread *self) __attribute__((nothrow));

HERALD_END

/* Tickets rise by HERALD_TICKET. Their low bits are flags. FENCING: the thread's posts begin with a fence until it
 * takes the ticket back. OFFLINE: a writer takes the thread off the list, after which no writer looks at it. Only the
 * thread's next post lists it again, also when that post takes its ticket back, and this flag with it. */
enum {
    HERALD_FENCING = 1,
    HERALD_OFFLINE = 2,
    HERALD_TICKET_FLAGS = HERALD_FENCING | HERALD_OFFLINE,
    HERALD_TICKET = 4
};

/* Whether the thread has a ticket, which it must answer before it goes on. Called after it has shown that it is in a
 * post, or in a section, and before it reads anything. */
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
