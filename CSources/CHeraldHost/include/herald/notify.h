/* notify(3) over the host center: source code that calls macOS's functions compiles with this header in place of
 * <notify.h>.
 *
 *      #include <herald/notify.h>
 *      int token, changed;
 *      notify_register_check("com.acme.changed", &token);
 *      if (notify_check(token, &changed) == NOTIFY_STATUS_OK && changed) reload();
 *
 * Names, statuses and what the functions do are macOS's, with these exceptions. A post reaches only the processes of
 * the same user (see host.h). A state outlives registrations. There is no delivery by signals, Mach ports or blocks.
 * Descriptors are the read ends of pipes, non-blocking and close-on-exec. Each post writes the token to the pipe, four
 * bytes in network byte order. If the pipe is full, the token is dropped. So a program that reads late gets fewer
 * tokens than there were posts. It also gets fewer when posts coalesce.
 *
 * No other header includes this one, and no module contains it, because its names are macOS's and not Herald's. The
 * functions are static. Their shared data exists once in a program or a library, however many files include this
 * header. A child of a fork may post, but must not use the tokens that it has inherited.
 *
 * Ordering: One mutex protects the list of tokens and their fields. A thread that has the mutex makes no call of
 * Herald's that waits or runs hooks.
 * Progress: A look-up is linear in the number of living tokens.
 * Ownership: A token with an observer is freed after the observer's last call. A token without an observer is freed by
 * notify_cancel. A pipe is closed with its last token.
 */
#ifndef HERALD_NOTIFY_H
#define HERALD_NOTIFY_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <herald/host.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NOTIFY_STATUS_OK 0
#define NOTIFY_STATUS_INVALID_NAME 1
#define NOTIFY_STATUS_INVALID_TOKEN 2
#define NOTIFY_STATUS_INVALID_PORT 3
#define NOTIFY_STATUS_INVALID_FILE 4
#define NOTIFY_STATUS_INVALID_SIGNAL 5
#define NOTIFY_STATUS_INVALID_REQUEST 6
#define NOTIFY_STATUS_NOT_AUTHORIZED 7
#define NOTIFY_STATUS_OPT_DISABLE 8
#define NOTIFY_STATUS_SERVER_NOT_FOUND 9
#define NOTIFY_STATUS_NULL_INPUT 10
#define NOTIFY_STATUS_FAILED 1000000

#define NOTIFY_REUSE 1
#define NOTIFY_TOKEN_INVALID -1

/* ---- What the functions share ------------------------------------------------------------------------------------ */

struct herald_notify_pipe {
    int ends[2];
    int tokens; /* how many tokens write to this pipe */
};

struct herald_notify {
    struct herald_notify *next;
    int number;
    HeraldHostToken check;           /* the host center's token */
    struct herald_notify_pipe *pipe; /* NULL: the token has no descriptor and no observer */
    HeraldToken observer;
    int suspended; /* how many suspensions have not been resumed */
    bool missed;   /* a post came while the token was suspended */
};

struct herald_notify_tokens {
    pthread_mutex_t lock;
    struct herald_notify *first;
    int last; /* the newest token's number */
};

/* Each file that includes this header defines this variable, and the linker keeps one definition. */
__attribute__((weak, visibility("hidden"))) struct herald_notify_tokens herald_notify_tokens = {
    PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static inline void herald_notify_lock(void) { pthread_mutex_lock(&herald_notify_tokens.lock); }
static inline void herald_notify_unlock(void) { pthread_mutex_unlock(&herald_notify_tokens.lock); }

static inline uint32_t herald_notify_status(HeraldStatus status, uint32_t invalid) {
    if (status == HeraldOK) return NOTIFY_STATUS_OK;
    return status == HeraldInvalidArgument ? invalid : (uint32_t)NOTIFY_STATUS_FAILED;
}

/* Under the lock: returns the link that points to the token. The link holds NULL if there is no such token. */
static inline struct herald_notify **herald_notify_link(int token) {
    struct herald_notify **link = &herald_notify_tokens.first;
    while (*link && (*link)->number != token) link = &(*link)->next;
    return link;
}

/* Returns the host center's token for this token of notify(3), or 0 if this token does not exist. */
static inline HeraldHostToken herald_notify_check_of(int token) {
    herald_notify_lock();
    struct herald_notify *found = *herald_notify_link(token);
    HeraldHostToken check = found ? found->check : 0;
    herald_notify_unlock();
    return check;
}

/* ---- Descriptors ------------------------------------------------------------------------------------------------- */

static inline void herald_notify_write(const struct herald_notify *notify) {
    uint32_t number = htonl((uint32_t)notify->number);
    ssize_t written = write(notify->pipe->ends[1], &number, sizeof number);
    (void)written; /* if the pipe is full, it is readable already */
}

static inline void herald_notify_receive(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                                         const void *userInfo) {
    struct herald_notify *notify = (struct herald_notify *)observer;
    (void)center, (void)name, (void)object, (void)userInfo;
    herald_notify_lock();
    if (notify->suspended) {
        notify->missed = true;
    } else {
        herald_notify_write(notify);
    }
    herald_notify_unlock();
}

static inline void herald_notify_leave_pipe(struct herald_notify_pipe *pipe) {
    herald_notify_lock();
    bool is_last = --pipe->tokens == 0;
    herald_notify_unlock();
    if (!is_last) return;
    close(pipe->ends[0]);
    close(pipe->ends[1]);
    free(pipe);
}

/* The release hook, which runs after the last call. */
static inline void herald_notify_free(void *observer) {
    struct herald_notify *notify = (struct herald_notify *)observer;
    if (notify->pipe) herald_notify_leave_pipe(notify->pipe);
    free(notify);
}

static inline struct herald_notify_pipe *herald_notify_make_pipe(void) {
    struct herald_notify_pipe *made = (struct herald_notify_pipe *)malloc(sizeof *made);
    if (!made) return NULL;
    if (pipe(made->ends) != 0) {
        free(made);
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        fcntl(made->ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(made->ends[i], F_SETFL, O_NONBLOCK);
    }
    made->tokens = 1;
    return made;
}

/* Returns the pipe whose read end has this descriptor, and counts one more token for it. NULL: no token has such a
 * pipe. */
static inline struct herald_notify_pipe *herald_notify_join_pipe(int descriptor) {
    struct herald_notify_pipe *found = NULL;
    herald_notify_lock();
    for (struct herald_notify *each = herald_notify_tokens.first; each && !found; each = each->next)
        if (each->pipe && each->pipe->ends[0] == descriptor) found = each->pipe;
    if (found) found->tokens++;
    herald_notify_unlock();
    return found;
}

static inline HeraldStatus herald_notify_observe(struct herald_notify *notify, const char *name) {
    HeraldObserverOptions options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.release = herald_notify_free;
    HeraldNameRef made = HeraldNameCreate(name);
    if (!made) return HeraldOutOfMemory;
    return HeraldCenterAddObserverWithOptions(HeraldCenterGetHostCenter(), notify, herald_notify_receive, made, NULL,
                                              &options, &notify->observer);
}

/* ---- Tokens ------------------------------------------------------------------------------------------------------ */

/* Makes a token, which is not listed yet. NULL: memory is out, or no number is left. The caller owns `check` until the
 * token is listed. */
static inline struct herald_notify *herald_notify_make(HeraldHostToken check, struct herald_notify_pipe *pipe) {
    struct herald_notify *made = (struct herald_notify *)calloc(1, sizeof *made);
    if (!made) return NULL;
    made->check = check;
    made->pipe = pipe;
    herald_notify_lock();
    if (herald_notify_tokens.last < INT_MAX) made->number = ++herald_notify_tokens.last;
    herald_notify_unlock();
    if (made->number) return made;
    free(made);
    return NULL;
}

/* Puts the token into the list, and returns its number. */
static inline int herald_notify_list(struct herald_notify *notify) {
    herald_notify_lock();
    int number = notify->number;
    notify->next = herald_notify_tokens.first;
    herald_notify_tokens.first = notify;
    herald_notify_unlock();
    return number;
}

/* Registers a token that writes to the pipe. `pipe` NULL: the token writes nothing. If the registration fails, this
 * function gives up the pipe for the caller (herald_notify_leave_pipe). */
static inline HeraldStatus herald_notify_register(const char *name, struct herald_notify_pipe *pipe, int *token) {
    HeraldHostToken check = 0;
    HeraldStatus status = HeraldHostRegisterCheck(name, &check);
    struct herald_notify *made = status == HeraldOK ? herald_notify_make(check, pipe) : NULL;
    if (made && pipe) status = herald_notify_observe(made, name);
    if (made && status == HeraldOK) {
        *token = herald_notify_list(made);
        return HeraldOK;
    }
    if (check) HeraldHostCancel(check);
    if (pipe) herald_notify_leave_pipe(pipe);
    free(made);
    return status == HeraldOK ? HeraldOutOfMemory : status;
}

/* ---- notify(3) --------------------------------------------------------------------------------------------------- */

/** Posts the name to all processes of the user. */
static inline uint32_t notify_post(const char *name) {
    if (!name) return NOTIFY_STATUS_INVALID_NAME;
    return herald_notify_status(HeraldHostPost(name), NOTIFY_STATUS_INVALID_NAME);
}

/** Registers for notify_check. */
static inline uint32_t notify_register_check(const char *name, int *out_token) {
    if (!name) return NOTIFY_STATUS_INVALID_NAME;
    if (!out_token) return NOTIFY_STATUS_NULL_INPUT;
    *out_token = NOTIFY_TOKEN_INVALID;
    return herald_notify_status(herald_notify_register(name, NULL, out_token), NOTIFY_STATUS_INVALID_NAME);
}

/** Registers for a descriptor. After each post the token can be read there, as four bytes in network byte order. With
 *  NOTIFY_REUSE, the token shares the descriptor in `*notify_fd`, which an earlier call has made. A descriptor is
 *  closed with the last token that uses it. */
static inline uint32_t notify_register_file_descriptor(const char *name, int *notify_fd, int flags, int *out_token) {
    if (!name) return NOTIFY_STATUS_INVALID_NAME;
    if (!notify_fd) return NOTIFY_STATUS_INVALID_FILE;
    if (!out_token) return NOTIFY_STATUS_NULL_INPUT;
    *out_token = NOTIFY_TOKEN_INVALID;
    bool reuse = (flags & NOTIFY_REUSE) != 0;
    struct herald_notify_pipe *used = reuse ? herald_notify_join_pipe(*notify_fd) : herald_notify_make_pipe();
    if (!used) return reuse ? NOTIFY_STATUS_INVALID_FILE : (uint32_t)NOTIFY_STATUS_FAILED;
    int descriptor = used->ends[0];
    HeraldStatus status = herald_notify_register(name, used, out_token);
    if (status == HeraldOK) *notify_fd = descriptor;
    return herald_notify_status(status, NOTIFY_STATUS_INVALID_NAME);
}

/** Sets `*check` to 1 if the name was posted since the last check of this token, otherwise to 0. The first check gives
 *  1. */
static inline uint32_t notify_check(int token, int *check) {
    if (!check) return NOTIFY_STATUS_NULL_INPUT;
    uint64_t posts = 0;
    uint32_t status =
        herald_notify_status(HeraldHostCheck(herald_notify_check_of(token), &posts), NOTIFY_STATUS_INVALID_TOKEN);
    if (status == NOTIFY_STATUS_OK) *check = posts != 0;
    return status;
}

/** Sets the state, a number that belongs to the name. notify_get_state reads it. */
static inline uint32_t notify_set_state(int token, uint64_t state) {
    return herald_notify_status(HeraldHostSetState(herald_notify_check_of(token), state), NOTIFY_STATUS_INVALID_TOKEN);
}

static inline uint32_t notify_get_state(int token, uint64_t *state) {
    if (!state) return NOTIFY_STATUS_NULL_INPUT;
    return herald_notify_status(HeraldHostGetState(herald_notify_check_of(token), state), NOTIFY_STATUS_INVALID_TOKEN);
}

/** The token reports no posts until it has been resumed as often as it was suspended. */
static inline uint32_t notify_suspend(int token) {
    herald_notify_lock();
    struct herald_notify *found = *herald_notify_link(token);
    HeraldHostToken check = found ? found->check : 0;
    if (found) found->suspended++;
    herald_notify_unlock();
    return herald_notify_status(HeraldHostSuspend(check), NOTIFY_STATUS_INVALID_TOKEN);
}

/** Posts that were made during the suspension are reported once. Resuming a token that is not suspended does
 *  nothing. */
static inline uint32_t notify_resume(int token) {
    herald_notify_lock();
    struct herald_notify *found = *herald_notify_link(token);
    bool is_suspended = found && found->suspended > 0;
    HeraldHostToken check = is_suspended ? found->check : 0;
    if (is_suspended && --found->suspended == 0 && found->missed) {
        found->missed = false;
        herald_notify_write(found);
    }
    herald_notify_unlock();
    if (found && !is_suspended) return NOTIFY_STATUS_OK;
    return herald_notify_status(HeraldHostResume(check), NOTIFY_STATUS_INVALID_TOKEN);
}

/** Ends the token. */
static inline uint32_t notify_cancel(int token) {
    herald_notify_lock();
    struct herald_notify **link = herald_notify_link(token), *found = *link;
    if (found) *link = found->next;
    herald_notify_unlock();
    if (!found) return NOTIFY_STATUS_INVALID_TOKEN;
    HeraldHostCancel(found->check);
    if (found->pipe) {
        /* The release hook frees the token after the last call. */
        HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), found->observer);
    } else {
        free(found);
    }
    return NOTIFY_STATUS_OK;
}

static inline bool notify_is_valid_token(int token) { return herald_notify_check_of(token) != 0; }

#ifdef __cplusplus
}
#endif
#endif
