/* Asking: a barrier for writers that mostly needs no system call.
 *
 * Whoever has changed what posts read asks every other thread, by a ticket in its record, to answer before it shows
 * anything more, and waits for the answers: a thread that posts answers with its next post, or within one to many
 * observers. One that does not answer for as long as a barrier would take gets the barrier, and is then FENCING: its
 * posts begin with a fence of their own, and while it is outside of posts, or in one that will show nothing more,
 * nobody asks it again. A fencing thread that stays outside is set ASIDE, where nobody even looks at it, until its next
 * post.
 *
 * Ordering. The writer: what it has changed; full fence; `asked` := ticket by compare-and-exchange; `answered`
 * (acquire). The poster: `top` (or its section); `asked`; if there is a question: full fence; `answered` := ticket
 * (release). So what a thread showed before it answered is seen by the writer, and what the writer has changed by all
 * that the thread reads afterwards. For a fencing thread: its `top` or section, its fence, what it reads; the writer's
 * change, its fence, its look at `top` and section: one of the two sees the other. A thread whose the hazard pointer
 * says LAST is past its look-up and its pins (release), and what it reads next for a new slot follows the fence of its
 * next post.
 *
 * A thread is fencing exactly while its ticket is fencing, for taking a ticket back takes that too. So a question is
 * one compare-and-exchange: the new ticket is fencing only if the one that it replaces is.
 *
 * Progress. Posters never wait, but for one that was offline, which takes the domain's lock once. A writer waits no
 * longer than one barrier takes, and not at all for a thread that has let it wait in vain and is still in that post.
 * Where posts carry fences there is nothing to ask.
 *
 * Ownership. `asked` is changed under the domain's lock, and by its thread; `answered` and `fencing_posts` are the
 * thread's; the rest belongs to the domain's lock.
 */
#ifndef HERALD_ASK_H
#define HERALD_ASK_H

#include "thread.h"

HERALD_BEGIN
/* After it returns, whatever another thread had shown before is there to see, and whatever it shows from now on, it
 * shows after it could see what the caller wrote before the call. Never called under a lock. */
void herald_handshake(void);

void herald_handshake_answer(struct herald_thread *self) __attribute__((nothrow)); /* else a post must unwind it, too */

HERALD_END

/* Tickets rise by HERALD_TICKET. Their low bits: the thread is fencing, its posts begin with a fence until it takes the
 * ticket back; no remover looks at it, until it is listed again, whatever becomes of the ticket. */
enum {
    HERALD_FENCING = 1,
    HERALD_OFFLINE = 2,
    HERALD_TICKET_FLAGS = HERALD_FENCING | HERALD_OFFLINE,
    HERALD_TICKET = 4
};

/* After the thread has shown that it is in a post, or in a section, and before it reads anything: whether it must
 * answer first. */
HERALD_INLINE bool herald_handshake_is_asked(const struct herald_thread *self) {
    herald_pause();
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return herald_unlikely(load_relaxed(&self->asked) != 0) && HERALD_STEP(POLL);
}

HERALD_INLINE void herald_handshake_poll(struct herald_thread *self) {
    if (herald_handshake_is_asked(self)) herald_handshake_answer(self);
}

/* On the way through a post: answers a question that has come since the last answer. A ticket that a fencing thread
 * keeps is answered already. */
HERALD_INLINE void herald_handshake_poll_again(struct herald_thread *self) {
    uint64_t answered = load_relaxed(&self->answered) | HERALD_TICKET_FLAGS;
    if (herald_unlikely(load_relaxed(&self->asked) > answered)) herald_handshake_answer(self);
}
#endif
