#include "token.h"
#include "complaint.h"
#include "watcher.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A descriptor that tokens share. */
struct descriptor {
    struct herald_file file;
    uint32_t tokens;
};

struct herald_token {
    _Atomic uint64_t number; /* 0 while it is free */
    struct herald_host_name *_Atomic name;
    _Atomic uint64_t seen; /* of the name's posts, by checks */
    _Atomic uint32_t suspended;
    _Atomic uint32_t checks;
    struct descriptor *descriptor;     /* NULL: none */
    uint64_t untold;                   /* posts while it was suspended, for the descriptor */
    uint32_t place;                    /* its own */
    struct herald_token *next, **link; /* of the same name; `next` also of free ones */
};

/* Tokens lie in chunks that never move, so that a check finds one without a lock. A token's number ends with its place.
 */
enum { CHUNK = 1024, CHUNKS = 1024, PLACES = CHUNK * CHUNKS };
static struct herald_token *_Atomic chunks[CHUNKS];
static uint32_t used;   /* places */
static uint64_t serial; /* tokens made so far */
static struct herald_token *free_tokens;

static struct herald_token *token_at(uint32_t place) {
    struct herald_token *chunk = chunks[place / CHUNK];
    return chunk ? &chunk[place % CHUNK] : NULL;
}

static inline __attribute__((always_inline)) struct herald_token *find(HeraldHostToken number) {
    struct herald_token *token = token_at((uint32_t)(number % PLACES));
    return herald_likely(token && number && token->number == number) ? token : NULL;
}

static HERALD_SLOW HeraldStatus no_such_token(void) {
    return herald_fail_with(HeraldInvalidArgument, "this token names nothing, or nothing any more");
}

static HERALD_SLOW HeraldStatus no_place(void) {
    return herald_fail_with(HeraldInvalidArgument, "there is no place to put the answer");
}

/* ---- Making and ending ------------------------------------------------------------------------------------------- */

/* A free place, with the number that its token will have. */
static struct herald_token *take_place(uint64_t *number) {
    struct herald_token *token = free_tokens;
    if (token) {
        free_tokens = token->next;
    } else {
        if (used == PLACES) {
            herald_fail_with(HeraldOutOfMemory, "the process has %d tokens, and there are no more", PLACES);
            return NULL;
        }
        if (!token_at(used)) {
            struct herald_token *chunk = calloc(CHUNK, sizeof *chunk);
            if (!chunk) {
                herald_no_memory();
                return NULL;
            }
            chunks[used / CHUNK] = chunk;
        }
        token = token_at(used);
        token->place = used++;
    }
    *number = ++serial * PLACES + token->place;
    return token;
}

static void give_place(struct herald_token *token) {
    token->next = free_tokens;
    free_tokens = token;
}

static void join(struct herald_token *token, struct herald_host_name *name) {
    token->name = name;
    token->next = name->tokens;
    token->link = &name->tokens;
    if (token->next) token->next->link = &token->next;
    name->tokens = token;
    name->descriptors += token->descriptor != NULL;
}

static void part(struct herald_token *token) {
    struct herald_host_name *name = token->name;
    *token->link = token->next;
    if (token->next) token->next->link = token->link;
    name->descriptors -= token->descriptor != NULL;
    if (!name->observed && !name->descriptors) herald_watcher_forget(name);
}

/* `keep`: the process that made the descriptor goes on using it. */
static void end(struct herald_token *token, bool keep) {
    token->number = 0; /* from now on nobody finds it */
    part(token);
    struct descriptor *descriptor = token->descriptor;
    token->descriptor = NULL;
    if (descriptor && --descriptor->tokens == 0) {
        if (!keep) herald_file_close(&descriptor->file);
        free(descriptor);
    }
    give_place(token);
}

/* Before the lock is taken: whether there is somewhere to put the token, and the name. */
static HeraldStatus name_with(const char *text, const void *out, HeraldNameRef *name) {
    if (!out) return herald_fail_with(HeraldInvalidArgument, "there is no place to put the token");
    return herald_host_name_create(text, name);
}

static HeraldStatus make(HeraldNameRef ref, struct descriptor *descriptor, HeraldHostToken *number) {
    struct herald_host_name *name;
    HeraldStatus status = herald_host_register(ref, descriptor != NULL, &name);
    if (status != HeraldOK) return status;
    uint64_t mine;
    struct herald_token *token = take_place(&mine);
    if (!token) {
        if (!name->observed && !name->descriptors) herald_watcher_forget(name);
        return HeraldOutOfMemory;
    }
    token->descriptor = descriptor;
    token->suspended = 0;
    token->checks = 0;
    token->untold = 0;
    token->seen = ((struct herald_entry *)name->entry)->posts - 1; /* the first check says yes */
    join(token, name);
    token->number = mine;
    *number = mine;
    return HeraldOK;
}

HeraldStatus HeraldHostRegisterCheck(const char *text, HeraldHostToken *number) {
    if (number) *number = 0;
    HeraldNameRef name;
    HeraldStatus status = name_with(text, number, &name);
    if (status != HeraldOK) return status;
    herald_host_lock();
    status = make(name, NULL, number);
    herald_host_unlock();
    return status;
}

/* The descriptor with this number, if a token of ours has it. */
static struct descriptor *find_descriptor(int number) {
    for (uint32_t place = 0; place < used; place++) {
        const struct herald_token *token = token_at(place);
        if (token->number && token->descriptor && token->descriptor->file.number == number) return token->descriptor;
    }
    return NULL;
}

static HeraldStatus make_descriptor(struct descriptor **made) {
    struct descriptor *descriptor = calloc(1, sizeof *descriptor);
    if (!descriptor) return herald_no_memory();
    if (!herald_file_take(&descriptor->file, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))) {
        free(descriptor);
        return herald_fail_with(HeraldTransportFailed, "no file descriptor can be had: %s", strerror(errno));
    }
    *made = descriptor;
    return HeraldOK;
}

static HeraldStatus register_descriptor(HeraldNameRef name, bool reuse, int *number, HeraldHostToken *token) {
    struct descriptor *descriptor = NULL;
    if (reuse && !(descriptor = find_descriptor(*number)))
        return herald_fail_with(HeraldInvalidArgument, "%d is not a descriptor that a token has", *number);
    HeraldStatus status = descriptor ? HeraldOK : make_descriptor(&descriptor);
    if (status != HeraldOK) return status;
    descriptor->tokens++;
    status = make(name, descriptor, token);
    if (status == HeraldOK) {
        *number = descriptor->file.number;
    } else if (--descriptor->tokens == 0) {
        herald_file_close(&descriptor->file);
        free(descriptor);
    }
    return status;
}

HeraldStatus HeraldHostRegisterFileDescriptor(const char *text, bool reuse, int *descriptor, HeraldHostToken *token) {
    if (token) *token = 0;
    if (!descriptor) return herald_fail_with(HeraldInvalidArgument, "there is no place to put the descriptor");
    HeraldNameRef name;
    HeraldStatus status = name_with(text, token, &name);
    if (status != HeraldOK) return status;
    herald_host_lock();
    status = register_descriptor(name, reuse, descriptor, token);
    herald_host_unlock();
    return status;
}

HeraldStatus HeraldHostCancel(HeraldHostToken number) {
    herald_host_lock();
    struct herald_token *token = find(number);
    if (token) end(token, false);
    herald_host_unlock();
    return token ? HeraldOK : no_such_token();
}

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

/* Now and then a check looks whether the segment is still the user's file: not each time, for that takes longer than
 * the check. */
static HERALD_SLOW void look(void) { herald_host_segment(); }

/* Something is new. Under the lock: the token may have ended meanwhile, and its place have another. */
static HERALD_SLOW HeraldStatus tell(HeraldHostToken number, uint64_t *posts) {
    herald_host_lock();
    struct herald_token *token = find(number);
    const struct herald_entry *entry = token ? (struct herald_entry *)token->name->entry : NULL;
    if (entry) {
        uint64_t now = entry->posts;
        *posts = herald_posts_between(token->seen, now);
        token->seen = now;
    }
    herald_host_unlock();
    return token ? HeraldOK : no_such_token();
}

HeraldStatus HeraldHostCheck(HeraldHostToken number, uint64_t *posts) {
    if (herald_unlikely(!posts)) return no_place();
    struct herald_token *token = find(number);
    *posts = 0;
    if (herald_unlikely(!token)) return no_such_token();
    uint32_t checks = atomic_load_explicit(&token->checks, memory_order_relaxed) + 1;
    atomic_store_explicit(&token->checks, checks, memory_order_relaxed);
    const struct herald_segment *segment = atomic_load_explicit(&herald_host.segment, memory_order_acquire);
    if (herald_unlikely(checks % 8 == 0 || segment->header->retired)) look();
    if (herald_unlikely(token->suspended)) return HeraldOK;
    const struct herald_host_name *name = token->name;
    const struct herald_entry *entry = name->entry;
    if (herald_unlikely(!entry)) return HeraldOK; /* the process is just moving to another segment */
    if (herald_likely(entry->posts == token->seen)) return HeraldOK;
    return tell(number, posts);
}

/* Under the lock: what a call about a token's entry answers. */
static HeraldStatus answer(const struct herald_token *token, bool reached) {
    if (!token) return no_such_token();
    return reached ? HeraldOK : herald_fail_with(HeraldTransportFailed, "%s", herald_host.problem);
}

HeraldStatus HeraldHostGetState(HeraldHostToken number, uint64_t *state) {
    if (!state) return no_place();
    herald_host_lock();
    struct herald_token *token = find(number);
    bool reached = token && herald_host_look(false) && token->name->entry;
    if (reached) *state = ((struct herald_entry *)token->name->entry)->state;
    HeraldStatus status = answer(token, reached);
    herald_host_unlock();
    return status;
}

HeraldStatus HeraldHostSetState(HeraldHostToken number, uint64_t state) {
    herald_host_lock();
    struct herald_token *token = find(number);
    bool reached = false;
    const struct herald_segment *before = NULL, *segment;
    while (token && (segment = herald_host_look(false)) && segment != before && token->name->entry) {
        struct herald_entry *entry = token->name->entry;
        entry->has_state = 1; /* first: see carry_state */
        entry->state = state;
        reached = true;
        if (!segment->header->retired) break; /* as with a post */
        before = segment;
    }
    HeraldStatus status = answer(token, reached);
    herald_host_unlock();
    return status;
}

/* ---- Suspension -------------------------------------------------------------------------------------------------- */

static void write_posts(const struct herald_token *token, uint64_t posts) {
    if (posts > UINT32_MAX) posts = UINT32_MAX; /* a count that somebody has spoilt must not fill the descriptor */
    if (!herald_file_is_ours(&token->descriptor->file)) return;
    ssize_t written = write(token->descriptor->file.number, &posts, sizeof posts);
    (void)written; /* full: it is readable, and that is what counts */
}

HeraldStatus HeraldHostSuspend(HeraldHostToken number) {
    herald_host_lock();
    struct herald_token *token = find(number);
    if (token) token->suspended++;
    herald_host_unlock();
    return token ? HeraldOK : no_such_token();
}

HeraldStatus HeraldHostResume(HeraldHostToken number) {
    herald_host_lock();
    struct herald_token *token = find(number);
    bool resumed = token && token->suspended;
    if (resumed && --token->suspended == 0 && token->untold) {
        write_posts(token, token->untold);
        token->untold = 0;
    }
    herald_host_unlock();
    if (!token) return no_such_token();
    return resumed ? HeraldOK : herald_fail_with(HeraldInvalidArgument, "the token is not suspended");
}

void herald_tokens_tell(struct herald_host_name *name, uint64_t posts) {
    for (struct herald_token *token = name->tokens; token; token = token->next) {
        if (!token->descriptor) continue;
        if (token->suspended) {
            token->untold += posts;
        } else {
            write_posts(token, posts);
        }
    }
}

void herald_tokens_moved(struct herald_host_name *name) {
    const struct herald_entry *entry = name->entry;
    for (struct herald_token *token = name->tokens; token; token = token->next) token->seen = entry->posts - 1;
}

void herald_tokens_after_fork(void) {
    for (uint32_t place = 0; place < used; place++) {
        struct herald_token *token = token_at(place);
        if (token->number && token->descriptor) end(token, true);
    }
}
