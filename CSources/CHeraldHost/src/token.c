/* Tokens: a program's registrations for HeraldHostCheck and for file descriptors (herald/host.h).
 *
 * Ordering: A check that finds nothing new takes no lock. It compares the entry's count and the name's `entries` (how
 * often the name has left a file) with the values that the token had at its last report. All these fields are
 * sequentially consistent. If both values are the same, there was nothing new when they were read. `checks` is relaxed.
 * If two threads raise it at once, one of the raises is lost, and the next look at the file comes a little later.
 * Progress: A check that finds nothing new waits for nothing.
 * Ownership: Only `checks` is written without the session's lock.
 */
#include "token.h"
#include "entry.h"
#include "host_complaint.h"
#include "feed.h"
#include "watched.h"
#include "watcher.h"
#include <stdlib.h>

struct herald_host_token {
    _Atomic uint64_t number; /* 0 while the token is free */
    struct herald_host_name *_Atomic name;
    _Atomic uint32_t entries; /* the name's `entries` at the last report */
    _Atomic uint64_t seen;    /* the entry's count at the last report */
    _Atomic uint32_t checks;
    struct herald_host_feed feed;
    uint32_t place;                 /* its index in the chunks */
    struct herald_host_token *next; /* the next free token */
};

/* Tokens lie in chunks that never move, so a check needs no lock to find its token. A token's number modulo PLACES is
 * the token's place. */
enum { CHUNK = 1024, CHUNKS = 1024, PLACES = CHUNK * CHUNKS };
static struct herald_host_token *_Atomic chunks[CHUNKS];
static uint32_t used;                         /* how many places were ever taken */
static uint64_t serial;                       /* how many tokens were ever made */
static struct herald_host_token *free_tokens; /* under the session's lock, as `used` and `serial` are */

static struct herald_host_token *token_at(uint32_t place) {
    struct herald_host_token *chunk = chunks[place / CHUNK];
    return chunk ? &chunk[place % CHUNK] : NULL;
}

static inline __attribute__((always_inline)) struct herald_host_token *find(HeraldHostToken number) {
    struct herald_host_token *token = token_at((uint32_t)(number % PLACES));
    return herald_likely(token && number && token->number == number) ? token : NULL;
}

static HERALD_SLOW HeraldStatus no_such_token(void) {
    return herald_host_complain(HeraldInvalidArgument,
                                "no such token: it was never registered, or it has been cancelled");
}

static HERALD_SLOW HeraldStatus no_place(void) {
    return herald_host_complain(HeraldInvalidArgument, "the pointer for the result is NULL");
}

/* ---- Making and ending ------------------------------------------------------------------------------------------- */

/* Makes sure that a place has memory. */
static HeraldStatus add_chunk(uint32_t place) {
    if (place == PLACES)
        return herald_host_complain(HeraldOutOfMemory, "the process has %d tokens, and there are no more", PLACES);
    if (token_at(place)) return HeraldOK;
    struct herald_host_token *chunk = calloc(CHUNK, sizeof *chunk);
    if (!chunk) return herald_host_complain_of_memory();
    chunks[place / CHUNK] = chunk;
    return HeraldOK;
}

/* Takes a free place for a new token, and draws its number. NULL, with a complaint: there is no place. */
static struct herald_host_token *take_place(uint64_t *number) {
    struct herald_host_token *token = free_tokens;
    if (token) {
        free_tokens = token->next;
    } else {
        if (add_chunk(used) != HeraldOK) return NULL;
        token = token_at(used);
        token->place = used++;
    }
    *number = ++serial * PLACES + token->place;
    return token;
}

static void recycle(struct herald_host_token *token) {
    token->next = free_tokens;
    free_tokens = token;
}

/* Ends a token. If `leave_open`, the token's descriptor stays open. This is for the child of a fork, which does not
 * close descriptors that the parent has made. */
static void end(struct herald_host_token *token, bool leave_open) {
    struct herald_host_name *name = token->name;
    token->number = 0; /* from now on no call finds the token */
    name->tokens--;
    herald_host_feed_end(&token->feed, leave_open);
    herald_host_watched_remove_if_unused(name);
    recycle(token);
}

static HeraldStatus make(HeraldNameRef ref, struct herald_host_descriptor *descriptor, HeraldHostToken *number) {
    struct herald_host_name *name;
    HeraldStatus status = descriptor ? herald_host_watcher_watch(ref, &name) : herald_host_move_enter(ref, &name);
    if (status != HeraldOK) return status;
    uint64_t mine;
    struct herald_host_token *token = take_place(&mine);
    if (!token) {
        herald_host_watched_remove_if_unused(name);
        return HeraldOutOfMemory;
    }
    struct herald_host_entry *entry = name->entry;
    token->name = name;
    token->entries = name->entries;
    token->seen = herald_host_entry_count(entry) - 1; /* 1 less than now, so the first check reports a post */
    token->checks = 0;
    name->tokens++;
    herald_host_feed_begin(&token->feed, name, descriptor);
    token->number = mine;
    *number = mine;
    return HeraldOK;
}

/* Returns the descriptor with this number, or NULL if no token of this process has such a descriptor. */
static struct herald_host_descriptor *find_descriptor(int number) {
    for (uint32_t place = 0; place < used; place++) {
        const struct herald_host_token *token = token_at(place);
        struct herald_host_descriptor *descriptor = token->feed.descriptor;
        if (token->number && descriptor && descriptor->file.number == number) return descriptor;
    }
    return NULL;
}

static HeraldStatus register_descriptor(HeraldNameRef name, bool reuse, int *number, HeraldHostToken *token) {
    struct herald_host_descriptor *descriptor = NULL;
    if (reuse && !(descriptor = find_descriptor(*number)))
        return herald_host_complain(HeraldInvalidArgument, "%d is not a descriptor that a token has", *number);
    HeraldStatus status = descriptor ? HeraldOK : herald_host_descriptor_make(&descriptor);
    if (status != HeraldOK) return status;
    int file = descriptor->file.number;
    descriptor->feeds++; /* keeps the descriptor, because its other tokens may end when `make` releases the lock */
    status = make(name, descriptor, token);
    descriptor->feeds--;
    if (status == HeraldOK) *number = file;
    herald_host_descriptor_end_if_unused(descriptor, false);
    return status;
}

/* Registers a token. `descriptor` NULL: it is only for HeraldHostCheck. */
static HeraldStatus register_token(const char *text, bool reuse, int *descriptor, HeraldHostToken *token) {
    if (!token) return herald_host_complain(HeraldInvalidArgument, "the pointer for the token is NULL");
    *token = 0;
    HeraldNameRef name;
    HeraldStatus status = herald_host_name_create(text, &name); /* not under the session's lock */
    if (status != HeraldOK) return status;
    herald_host_session_lock();
    status = descriptor ? register_descriptor(name, reuse, descriptor, token) : make(name, NULL, token);
    herald_host_session_unlock();
    return status;
}

HeraldStatus HeraldHostRegisterCheck(const char *text, HeraldHostToken *token) {
    return register_token(text, false, NULL, token);
}

HeraldStatus HeraldHostRegisterFileDescriptor(const char *text, bool reuse, int *descriptor, HeraldHostToken *token) {
    if (descriptor) return register_token(text, reuse, descriptor, token);
    if (token) *token = 0;
    return herald_host_complain(HeraldInvalidArgument, "the pointer for the descriptor is NULL");
}

HeraldStatus HeraldHostCancel(HeraldHostToken number) {
    herald_host_session_lock();
    struct herald_host_token *token = find(number);
    if (token) end(token, false);
    herald_host_session_unlock();
    return token ? HeraldOK : no_such_token();
}

/* ---- Checking ---------------------------------------------------------------------------------------------------- */

/* Finishes a check that has found something new. Finds the token once more, now under the lock. The token may have
 * ended in the meantime, and another token may have taken its place. */
static HERALD_SLOW HeraldStatus tell(HeraldHostToken number, uint64_t *posts) {
    herald_host_session_lock();
    struct herald_host_token *token = find(number);
    const struct herald_host_name *name = token ? token->name : NULL;
    struct herald_host_entry *entry = name ? name->entry : NULL;
    if (entry) {
        if (token->entries != name->entries) token->seen = name->base - 1; /* the name has gone to another file */
        uint64_t now = herald_host_entry_count(entry);
        herald_host_session_see_posts();
        *posts = herald_host_posts_between(token->seen, now);
        token->entries = name->entries;
        token->seen = now;
    }
    herald_host_session_unlock();
    return token ? HeraldOK : no_such_token();
}

HeraldStatus HeraldHostCheck(HeraldHostToken number, uint64_t *posts) {
    if (herald_unlikely(!posts)) return no_place();
    struct herald_host_token *token = find(number);
    *posts = 0;
    if (herald_unlikely(!token)) return no_such_token();
    uint32_t checks = atomic_load_explicit(&token->checks, memory_order_relaxed) + 1;
    atomic_store_explicit(&token->checks, checks, memory_order_relaxed);
    const struct herald_host_segment *segment =
        atomic_load_explicit(&herald_host_session.segment, memory_order_acquire);
    /* Checks whether the segment is still the user's file, and moves to the user's file if not (move.h). This look
     * takes longer than the rest of this function. So a token looks only at every eighth check. While the segment is
     * superseded, it looks at every check. */
    if (herald_unlikely(checks % 8 == 0 || segment->header->superseded)) herald_host_move_segment();
    if (herald_unlikely(token->feed.suspended)) return HeraldOK;
    const struct herald_host_name *name = token->name;
    const struct herald_host_entry *entry = name->entry;
    if (herald_unlikely(!entry)) return HeraldOK; /* the process is just moving to another file */
    /* By now another file may be mapped at the address `entry`. If so, the name's `entries` was raised before, and it
     * differs from the token's `entries`. */
    if (herald_likely(herald_host_entry_count(entry) == token->seen && name->entries == token->entries))
        return HeraldOK;
    return tell(number, posts);
}

/* Under the lock: the status of a call about a token. If `token` is NULL, there is no such token. `reached`: whether
 * the call has reached the name's entry in the user's file. */
static HeraldStatus answer(const struct herald_host_token *token, bool reached) {
    if (!token) return no_such_token();
    return reached ? HeraldOK : herald_host_session_recall_problem();
}

HeraldStatus HeraldHostGetState(HeraldHostToken number, uint64_t *state) {
    if (!state) return no_place();
    herald_host_session_lock();
    struct herald_host_token *token = find(number);
    bool reached = token && herald_host_move_look(false) && token->name->entry;
    if (reached) *state = ((struct herald_host_entry *)token->name->entry)->state;
    HeraldStatus status = answer(token, reached);
    herald_host_session_unlock();
    return status;
}

/* Sets the state in the file that this process uses now. Returns false if there is no file, or if the file is
 * superseded. The state must then be set again, in the next file. */
static bool set_here(const struct herald_host_token *token, uint64_t state) {
    const struct herald_host_segment *segment = herald_host_move_look(false);
    if (!segment || !token->name->entry) return false;
    herald_host_entry_set_state(token->name->entry, state);
    return !segment->header->superseded; /* read after the state was set */
}

/* Tries until the state is in a file that is not superseded, because every process must find the state after this call
 * has returned HeraldOK. Between two attempts this call waits, without the lock. If another process is replacing the
 * file, and takes too long, `set_here` replaces the file (replace.h). */
HeraldStatus HeraldHostSetState(HeraldHostToken number, uint64_t state) {
    enum { TURNS = 250, TURN = 2000000 /* nanoseconds */ };
    herald_host_session_lock();
    struct herald_host_token *token = find(number);
    bool reached = false;
    for (int i = 0; token && !(reached = set_here(token, state)) && !herald_host_session.broken && i < TURNS; i++) {
        herald_host_session_wait(TURN);
        token = find(number);
    }
    HeraldStatus status = answer(token, reached);
    if (token && !reached && herald_host_session.waits)
        herald_host_complain(status, "the file is being replaced by another process: try again");
    herald_host_session_unlock();
    return status;
}

/* ---- Suspension -------------------------------------------------------------------------------------------------- */

/* Adds `by` to the number of the token's suspensions: 1 or -1. */
static HeraldStatus suspend(HeraldHostToken number, int by) {
    herald_host_session_lock();
    struct herald_host_token *token = find(number);
    bool can = token && (by > 0 || token->feed.suspended);
    if (can) herald_host_feed_suspend(&token->feed, by);
    herald_host_session_unlock();
    if (!token) return no_such_token();
    return can ? HeraldOK : herald_host_complain(HeraldInvalidArgument, "the token is not suspended");
}

HeraldStatus HeraldHostSuspend(HeraldHostToken number) { return suspend(number, 1); }
HeraldStatus HeraldHostResume(HeraldHostToken number) { return suspend(number, -1); }

void herald_host_tokens_after_fork(void) {
    for (uint32_t place = 0; place < used; place++) {
        struct herald_host_token *token = token_at(place);
        if (token->number && token->feed.descriptor) end(token, true);
    }
}
