#include "token.h"
#include "complaint.h"
#include "watcher.h"
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A descriptor that tokens share. */
struct descriptor {
    int number;
    uint32_t tokens;
};

struct herald_token {
    _Atomic uint64_t number; /* 0 while it is free */
    struct herald_host_name *name;
    _Atomic uint64_t seen; /* of the name's posts, by checks */
    _Atomic uint32_t suspended;
    _Atomic uint32_t checks;
    struct descriptor *descriptor; /* NULL: none */
    uint64_t untold;               /* posts while it was suspended, for the descriptor */
    struct herald_token *next, **link; /* of the same name; `next` also of free ones */
};

/* Tokens lie in chunks that never move, so that a check finds one without a lock. A token's number ends with its place.
 */
enum { CHUNK = 1024, CHUNKS = 1024, PLACES = CHUNK * CHUNKS };
static struct herald_token *_Atomic chunks[CHUNKS];
static uint32_t used;     /* places */
static uint64_t serial;   /* tokens made so far */
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

static HERALD_SLOW HeraldStatus no_memory(void) { return herald_fail_with(HeraldOutOfMemory, "memory is out"); }

/* ---- Making and ending ------------------------------------------------------------------------------------------ */

/* A free place, with the number that its token will have. */
static struct herald_token *take_place(uint64_t *number) {
    struct herald_token *token = free_tokens;
    uint32_t place;
    if (token) {
        free_tokens = token->next;
        place = (uint32_t)(uintptr_t)token->link; /* kept while it is free */
    } else {
        if (used == PLACES) return NULL;
        place = used;
        if (!token_at(place)) {
            struct herald_token *chunk = calloc(CHUNK, sizeof *chunk);
            if (!chunk) return NULL;
            chunks[place / CHUNK] = chunk;
        }
        used++;
        token = token_at(place);
    }
    *number = ++serial * PLACES + place;
    return token;
}

static void give_place(struct herald_token *token, uint32_t place) {
    token->link = (struct herald_token **)(uintptr_t)place;
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
    uint32_t place = (uint32_t)(token->number % PLACES);
    token->number = 0; /* from now on nobody finds it */
    part(token);
    struct descriptor *descriptor = token->descriptor;
    token->descriptor = NULL;
    if (descriptor && --descriptor->tokens == 0) {
        if (!keep) close(descriptor->number);
        free(descriptor);
    }
    give_place(token, place);
}

/* The name, entered in the segment. */
static HeraldStatus enter(const char *text, struct herald_host_name **name, struct herald_segment **segment) {
    HeraldNameRef ref = HeraldNameCreate(text);
    if (!ref) return herald_fail_with(HeraldInvalidArgument, "the name is not UTF-8, or memory is out");
    HeraldStatus status = herald_host_name_obtain(ref, name);
    if (status != HeraldOK) return status;
    *segment = herald_host_look(true);
    return *segment ? herald_host_name_enter(*name, *segment) : HeraldTransportFailed;
}

static HeraldStatus make(const char *text, struct descriptor *descriptor, struct herald_token **made,
                         HeraldHostToken *number) {
    struct herald_host_name *name;
    struct herald_segment *segment = NULL;
    HeraldStatus status = enter(text, &name, &segment);
    if (status == HeraldOK && descriptor) status = herald_watcher_watch(name, segment);
    if (status != HeraldOK) return status;
    uint64_t mine;
    struct herald_token *token = take_place(&mine);
    if (!token) {
        if (!name->observed && !name->descriptors) herald_watcher_forget(name);
        return no_memory();
    }
    token->descriptor = descriptor;
    token->suspended = 0;
    token->checks = 0;
    token->untold = 0;
    token->seen = ((struct herald_entry *)name->entry)->posts - 1; /* the first check says yes */
    join(token, name);
    token->number = mine;
    *made = token;
    *number = mine;
    return HeraldOK;
}

static HeraldStatus refuse_early(const char *text, const void *out) {
    if (!out) return herald_fail_with(HeraldInvalidArgument, "there is no place to put the token");
    return herald_host_name_length(text) ? HeraldOK : HeraldInvalidArgument;
}

HeraldStatus HeraldHostRegisterCheck(const char *text, HeraldHostToken *number) {
    if (number) *number = 0;
    HeraldStatus status = refuse_early(text, number);
    if (status != HeraldOK) return status;
    struct herald_token *token;
    herald_host_lock();
    status = make(text, NULL, &token, number);
    herald_host_unlock();
    return status;
}

/* The descriptor with this number, if a token of ours has it. */
static struct descriptor *find_descriptor(int number) {
    for (uint32_t place = 0; place < used; place++) {
        const struct herald_token *token = token_at(place);
        if (token->number && token->descriptor && token->descriptor->number == number) return token->descriptor;
    }
    return NULL;
}

static HeraldStatus make_descriptor(struct descriptor **made) {
    struct descriptor *descriptor = calloc(1, sizeof *descriptor);
    if (!descriptor) return no_memory();
    descriptor->number = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (descriptor->number < 0) {
        free(descriptor);
        return herald_fail_with(HeraldTransportFailed, "no file descriptor is left");
    }
    *made = descriptor;
    return HeraldOK;
}

static HeraldStatus register_descriptor(const char *text, bool reuse, int *number, HeraldHostToken *token) {
    struct descriptor *descriptor = NULL;
    if (reuse && !(descriptor = find_descriptor(*number)))
        return herald_fail_with(HeraldInvalidArgument, "%d is not a descriptor that a token has", *number);
    HeraldStatus status = descriptor ? HeraldOK : make_descriptor(&descriptor);
    if (status != HeraldOK) return status;
    struct herald_token *made;
    descriptor->tokens++;
    status = make(text, descriptor, &made, token);
    if (status == HeraldOK) {
        *number = descriptor->number;
    } else if (--descriptor->tokens == 0) {
        close(descriptor->number);
        free(descriptor);
    }
    return status;
}

HeraldStatus HeraldHostRegisterFileDescriptor(const char *text, bool reuse, int *descriptor, HeraldHostToken *token) {
    if (token) *token = 0;
    HeraldStatus status = refuse_early(text, token);
    if (status != HeraldOK) return status;
    if (!descriptor) return herald_fail_with(HeraldInvalidArgument, "there is no place to put the descriptor");
    herald_host_lock();
    status = register_descriptor(text, reuse, descriptor, token);
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

/* ---- Asking ----------------------------------------------------------------------------------------------------- */

/* Now and then a check looks whether the segment is still the user's file: not each time, for that takes longer than the
 * check. */
static HERALD_SLOW void look(void) { herald_host_segment(); }

HeraldStatus HeraldHostCheck(HeraldHostToken number, uint64_t *posts) {
    struct herald_token *token = find(number);
    if (herald_unlikely(!token || !posts)) return posts ? no_such_token() : HeraldInvalidArgument;
    *posts = 0;
    uint32_t checks = atomic_load_explicit(&token->checks, memory_order_relaxed) + 1;
    atomic_store_explicit(&token->checks, checks, memory_order_relaxed);
    const struct herald_segment *segment = atomic_load_explicit(&herald_host.segment, memory_order_acquire);
    if (herald_unlikely(checks % 8 == 0 || segment->header->retired)) look();
    if (herald_unlikely(token->suspended)) return HeraldOK;
    const struct herald_entry *entry = token->name->entry;
    if (herald_unlikely(!entry)) return HeraldOK; /* the process is just moving to another segment */
    uint64_t seen = token->seen, now = entry->posts;
    if (herald_likely(now == seen)) return HeraldOK;
    /* Of two threads that check at once, one is told. */
    if (atomic_compare_exchange_strong(&token->seen, &seen, now)) *posts = herald_posts_between(seen, now);
    return HeraldOK;
}

HeraldStatus HeraldHostGetState(HeraldHostToken number, uint64_t *state) {
    struct herald_token *token = find(number);
    if (!token || !state) return state ? no_such_token() : HeraldInvalidArgument;
    herald_host_segment();
    const struct herald_entry *entry = token->name->entry;
    if (!entry) return HeraldTransportFailed;
    *state = entry->state;
    return HeraldOK;
}

HeraldStatus HeraldHostSetState(HeraldHostToken number, uint64_t state) {
    struct herald_token *token = find(number);
    if (!token) return no_such_token();
    if (!herald_host_segment()) return HeraldTransportFailed;
    struct herald_entry *entry = token->name->entry;
    if (!entry) return HeraldTransportFailed;
    entry->state = state;
    return HeraldOK;
}

/* ---- Suspension ------------------------------------------------------------------------------------------------- */

static void write_posts(const struct herald_token *token, uint64_t posts) {
    if (posts > UINT32_MAX) posts = UINT32_MAX; /* a count that somebody has spoilt must not fill the descriptor */
    ssize_t written = write(token->descriptor->number, &posts, sizeof posts);
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
