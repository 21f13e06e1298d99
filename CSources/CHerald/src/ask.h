/* Asking: a barrier for writers that mostly needs no system call.
 *
 * Whoever has changed what posts read asks every other thread, by a ticket in its record, to answer before it shows
 * anything more, and waits for the answers: a thread that posts answers with its next post, or within one to many
 * observers. One that does not answer for as long as a barrier would take gets the barrier, and is then GUARDED: its
 * posts begin with a fence of their own, and while it is outside of posts, or in one that will show nothing more,
 * nobody asks it again. A guarded thread that stays outside is set ASIDE, where nobody even looks at it, until its next
 * post.
 *
 * Ordering. The writer: what it has changed; full fence; `asked` := ticket by compare-and-exchange; `answered`
 * (acquire). The poster: `top` (or its section); `asked`; if there is a question: full fence; `answered` := ticket
 * (release). So what a thread showed before it answered is seen by the writer, and what the writer has changed by all
 * that the thread reads afterwards. For a guarded thread: its `top` or section, its fence, what it reads; the writer's
 * change, its fence, its look at `top` and section: one of the two sees the other. A thread whose `current` says LAST
 * is past its look-up and its pins (release), and what it reads next for a new slot follows the fence of its next post.
 *
 * A thread is guarded exactly while its ticket is sticky, for taking a ticket back takes that too. So a question is one
 * compare-and-exchange: the new ticket is sticky only if the one that it replaces is.
 *
 * Progress. Posters never wait, but for one that was set aside, which takes the domain's lock once. A writer waits no
 * longer than one barrier takes, and not at all for a thread that has let it wait in vain and is still in that post.
 * Where posts carry fences there is nothing to ask.
 *
 * Ownership. `asked` is changed under the domain's lock, and by its thread; `answered` and `guarded_posts` are the
 * thread's; the rest belongs to the domain's lock.
 */
#ifndef HERALD_ASK_H
#define HERALD_ASK_H

#include "thread.h"

HERALD_BEGIN
/* After it returns, whatever another thread had shown before is there to see, and whatever it shows from now on, it
 * shows after it could see what the caller wrote before the call. Never called under a lock. */
void herald_ask(void);

void herald_ask_answer(struct herald_thread *self) __attribute__((nothrow)); /* else a post must unwind it, too */

HERALD_END

/* Tickets rise by HERALD_TICKET. Their low bits: the thread is guarded, its posts begin with a fence until it takes the
 * ticket back; no remover looks at it, until it is listed again, whatever becomes of the ticket. */
enum { HERALD_STICKY = 1, HERALD_ASIDE = 2, HERALD_TICKET_FLAGS = HERALD_STICKY | HERALD_ASIDE, HERALD_TICKET = 4 };

/* After the thread has shown that it is in a post, or in a section, and before it reads anything: whether it must
 * answer first. */
HERALD_INLINE bool herald_ask_is_asked(const struct herald_thread *self) {
    herald_pause();
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return herald_unlikely(load_relaxed(&self->asked) != 0) && herald_does(HEAR);
}

HERALD_INLINE void herald_ask_hear(struct herald_thread *self) {
    if (herald_ask_is_asked(self)) herald_ask_answer(self);
}

/* On the way through a post: answers a question that has come since the last answer. A ticket that a guarded thread
 * keeps is answered already. */
HERALD_INLINE void herald_ask_hear_again(struct herald_thread *self) {
    uint64_t answered = load_relaxed(&self->answered) | HERALD_TICKET_FLAGS;
    if (herald_unlikely(load_relaxed(&self->asked) > answered)) herald_ask_answer(self);
}
#endif
