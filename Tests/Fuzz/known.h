/* Differences between the library and the letter of the contract that are known and let pass, each with its scenario.
 * Build with -DHERALD_FUZZ_LITERAL to have them reported. A 0 here ends the patience with one of them.
 */
#ifndef FUZZ_KNOWN_H
#define FUZZ_KNOWN_H

#ifdef HERALD_FUZZ_LITERAL
#define KNOWN(let_pass) 0
#else
#define KNOWN(let_pass) let_pass
#endif

enum {
    /* R5. A post empties the queue of a suspended center first; an observer that a held post's callback adds meanwhile
     * is called by the post, though it was added after the post had begun. */
    KNOWN_NEWCOMERS = KNOWN(1),

    /* R10. A release hook that runs between two callbacks of a post removes a registration that the post may be about
     * to call. No call of it is in progress, but its release runs only after the hook has returned. */
    KNOWN_LATE_RELEASE = KNOWN(1),

    /* R16. A post that queued for a DeliverImmediately registration of a suspended center, because its queue was being
     * delivered, stays in the queue when the same callback resumes the center and suspends it again. */
    KNOWN_POST_LEFT_BEHIND = KNOWN(1)
};

#endif
