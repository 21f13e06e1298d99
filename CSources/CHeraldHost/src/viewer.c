/* Requests are lines of words; replies are lines of JSON.
 *
 * Ordering: Each client has a thread, which does everything for the client. Trace hooks run on other threads, and only
 * write to the viewer's tape and counts.
 * Progress: The thread waits for the client, and stops when the client has not read for ten seconds. No hook waits for
 * the thread.
 * Ownership: A viewer belongs to its thread, which frees the viewer when the viewer's traces have ended.
 */
#include "viewer.h"
#include "ground_list.h"
#include "identity.h"
#include "listing.h"
#include "tape.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE = 4096, TURN_MS = 10, EVENTS_A_TURN = 4096, LEAST_WINDOW_MS = 50, LONGEST_WINDOW_MS = 3600000 };
enum { HOOKS = 16, MOST_NAMES = 4096 };

struct viewer {
    struct herald_host_reply reply;
    char line[LINE];
    size_t used;
    bool ended;

    struct herald_host_tape *tape;
    HeraldToken trace; /* the trace that writes to the tape */

    struct herald_host_counts *counts;
    HeraldToken counting;
    uint64_t window, window_began; /* nanoseconds */
};

/* How many forks led to this process. A hook with another number was inherited from the parent. */
static _Atomic uint32_t forks;

/* ---- Hooks ------------------------------------------------------------------------------------------------------- */

/* The context of a trace, freed at the trace's end. In the child of a fork, the hook's tape and counts are freed with
 * the hook, because the thread that owned them does not exist there. */
struct hook {
    struct hook *next, **link; /* in the list of all hooks, under hooks_lock */
    uint32_t forks;
    HeraldToken trace;
    uint64_t center;
    struct herald_host_tape *tape;
    struct herald_host_counts *counts;
};

static void note(void *context, const HeraldTraceEvent *event) {
    struct hook *hook = context;
    if (hook->forks != forks) {
        HeraldTraceStop(hook->trace); /* the trace is the parent's; this call does not wait inside a hook */
        return;
    }
    if (hook->center && hook->center != event->token.center) return;
    if (hook->counts) herald_host_counts_add(hook->counts, event);
    bool ends = event->phase != HeraldTracePostBegin && event->phase != HeraldTraceCallBegin;
    if (hook->tape && ends) herald_host_tape_write(hook->tape, event);
}

static struct hook *hooks;
static pthread_mutex_t hooks_lock = PTHREAD_MUTEX_INITIALIZER;

static void list(struct hook *hook) {
    pthread_mutex_lock(&hooks_lock);
    GROUND_LIST_PUSH(hooks, hook);
    pthread_mutex_unlock(&hooks_lock);
}

static void end_hook(void *context) {
    struct hook *hook = context;
    pthread_mutex_lock(&hooks_lock);
    GROUND_LIST_REMOVE(hook);
    pthread_mutex_unlock(&hooks_lock);
    if (hook->forks != forks) {
        free(hook->tape);
        free(hook->counts);
    }
    free(hook);
}

void herald_host_viewers_before_fork(void) { pthread_mutex_lock(&hooks_lock); }
void herald_host_viewers_after_fork(void) { pthread_mutex_unlock(&hooks_lock); }

/* Ends the traces of all hooks, and so frees the hooks. A trace that was just beginning at the fork has no token yet.
 * The function `note` ends this trace at its first event. */
void herald_host_viewers_in_child(void) {
    HeraldToken traces[HOOKS];
    int count = 0;
    forks++;
    for (const struct hook *hook = hooks; hook && count < HOOKS; hook = hook->next) traces[count++] = hook->trace;
    herald_host_viewers_after_fork();
    for (int i = 0; i < count; i++) HeraldTraceStop(traces[i]);
}

static HeraldStatus start(struct herald_host_tape *tape, struct herald_host_counts *counts, uint64_t center,
                          HeraldNameRef name, HeraldToken *trace) {
    struct hook *hook = malloc(sizeof *hook);
    if (!hook) return HeraldOutOfMemory;
    *hook = (struct hook){.forks = forks, .center = center, .tape = tape, .counts = counts};
    list(hook);
    HeraldStatus status = HeraldTraceStart(NULL, name, note, hook, end_hook, &hook->trace);
    *trace = hook->trace;
    if (status != HeraldOK) end_hook(hook);
    return status;
}

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

static void fail(struct viewer *viewer, const char *request, const char *why) {
    herald_host_reply_add(&viewer->reply, "{'type':'error','request':%s,'message':%s}\n", request, why);
}

struct sum {
    size_t centers, observers;
};
static bool add_up(void *context, HeraldCenterRef center) {
    struct sum *sum = context;
    sum->centers++;
    sum->observers += HeraldCenterGetRegistrationCount(center, NULL);
    return true;
}

static void greet(struct viewer *viewer) {
    struct sum sum = {0, 0};
    char identity[17];
    HeraldVisitCenters(add_up, &sum);
    snprintf(identity, sizeof identity, "%016lx", herald_host_identity());
    herald_host_reply_add(&viewer->reply,
                          "{'type':'hello','protocol':1,'pid':%lu,'identity':%s,'program':%s,'centers':%lu,"
                          "'observers':%lu,'version':%s,'now':%lu,'tracing':%d,'limits':{'line':%lu}}\n",
                          (uint64_t)getpid(), identity, program_invocation_short_name, sum.centers, sum.observers,
                          HeraldGetVersion(), HeraldTraceNow(), HeraldTraceIsOn(), (uint64_t)LINE);
}

static void tell_lost(struct viewer *viewer) {
    uint64_t posts = atomic_exchange(&viewer->tape->lost_posts, 0),
             calls = atomic_exchange(&viewer->tape->lost_calls, 0);
    if (posts || calls)
        herald_host_reply_add(&viewer->reply, "{'type':'lost','posts':%lu,'calls':%lu}\n", posts, calls);
}

/* Reports the events on the tape, at most `most` of them. */
static void play(struct viewer *viewer, int most) {
    HeraldTraceEvent event;
    while (most-- && !viewer->reply.broken && herald_host_tape_read(viewer->tape, &event))
        herald_host_list_event(&viewer->reply, &event);
    tell_lost(viewer);
}

static void stop_trace(struct viewer *viewer) {
    if (!viewer->tape) return;
    HeraldTraceStop(viewer->trace);
    play(viewer, HERALD_HOST_TAPE_EVENTS);
    free(viewer->tape);
    viewer->tape = NULL;
}

static void stop_counts(struct viewer *viewer) {
    if (!viewer->counts) return;
    HeraldTraceStop(viewer->counting);
    free(viewer->counts);
    viewer->counts = NULL;
}

static void stop(struct viewer *viewer) {
    stop_trace(viewer);
    stop_counts(viewer);
    herald_host_reply_add(&viewer->reply, "{'type':'end','of':'trace'}\n");
}

/* Names last for ever, so all viewers together may make only MOST_NAMES. */
static HeraldNameRef name_of(const char *text) {
    static _Atomic uint32_t made;
    HeraldNameRef name = HeraldNameFind(text);
    if (name || made >= MOST_NAMES || !(name = HeraldNameCreate(text))) return name;
    made++;
    return name;
}

/* The words are "[center NUMBER] [name NAME]". NAME is the rest of the line. */
static void trace(struct viewer *viewer, char *words) {
    HeraldNameRef name = NULL;
    uint64_t center = 0;
    if (strncmp(words, "center ", 7) == 0) center = strtoull(words + 7, &words, 10);
    if (*words == ' ') words++;
    if (strncmp(words, "name ", 5) == 0) {
        name = name_of(words + 5);
        words = "";
        if (!name) return fail(viewer, "trace", "this is not a name, or viewers have made too many new names");
    }
    if (*words) return fail(viewer, "trace", "write trace [center NUMBER] [name NAME]");
    stop_trace(viewer);
    viewer->tape = calloc(1, sizeof *viewer->tape);
    if (!viewer->tape || start(viewer->tape, NULL, center, name, &viewer->trace) != HeraldOK) {
        free(viewer->tape);
        viewer->tape = NULL;
        return fail(viewer, "trace", "out of memory");
    }
    herald_host_reply_add(&viewer->reply, "{'type':'begin','of':'trace','now':%lu}\n", HeraldTraceNow());
}

static void count(struct viewer *viewer, const char *words) {
    char *end;
    unsigned long window = strtoul(words, &end, 10);
    if (*end || window < LEAST_WINDOW_MS || window > LONGEST_WINDOW_MS)
        return fail(viewer, "counts", "write counts MILLISECONDS, 50 or more");
    stop_counts(viewer);
    viewer->counts = calloc(1, sizeof *viewer->counts);
    if (!viewer->counts || start(NULL, viewer->counts, 0, NULL, &viewer->counting) != HeraldOK) {
        free(viewer->counts);
        viewer->counts = NULL;
        return fail(viewer, "counts", "out of memory");
    }
    viewer->window = window * 1000000u;
    viewer->window_began = HeraldTraceNow();
    herald_host_reply_add(&viewer->reply, "{'type':'begin','of':'counts','now':%lu}\n", viewer->window_began);
}

static void show_counts(struct viewer *viewer) {
    uint64_t time = HeraldTraceNow(), window = time - viewer->window_began;
    if (window < viewer->window) return;
    viewer->window_began = time;
    for (int i = 0; i < HERALD_HOST_COUNTS; i++)
        herald_host_list_count(&viewer->reply, window, &viewer->counts->all[i]);
    uint64_t crowded = atomic_exchange(&viewer->counts->crowded, 0);
    herald_host_reply_add(&viewer->reply, "{'type':'end','of':'counts','now':%lu,'uncounted':%lu}\n", time, crowded);
}

/* The words are "[CENTER] [after ORDER]". */
static void observers(struct viewer *viewer, char *words) {
    uint64_t center = strtoull(words, &words, 10), after = 0;
    if (*words == ' ') words++;
    if (strncmp(words, "after ", 6) == 0) after = strtoull(words + 6, &words, 10);
    if (*words) return fail(viewer, "observers", "write observers [CENTER] [after ORDER]");
    herald_host_list_observers(&viewer->reply, center, after);
}

static void obey(struct viewer *viewer, char *line) {
    char *words = strchr(line, ' '), none[] = "";
    if (words) {
        *words++ = 0;
    } else {
        words = none;
    }
    if (strcmp(line, "hello") == 0) return greet(viewer);
    if (strcmp(line, "centers") == 0) return herald_host_list_centers(&viewer->reply);
    if (strcmp(line, "observers") == 0) return observers(viewer, words);
    if (strcmp(line, "running") == 0) return herald_host_list_running(&viewer->reply);
    if (strcmp(line, "trace") == 0) return trace(viewer, words);
    if (strcmp(line, "counts") == 0) return count(viewer, words);
    if (strcmp(line, "stop") == 0) return stop(viewer);
    if (strcmp(line, "bye") == 0) {
        viewer->ended = true;
        return;
    }
    fail(viewer, line, "unknown request");
}

/* ---- The connection ---------------------------------------------------------------------------------------------- */

static void obey_all(struct viewer *viewer) {
    char *end;
    while (!viewer->ended && (end = memchr(viewer->line, '\n', viewer->used))) {
        *end = 0;
        if (end > viewer->line && end[-1] == '\r') end[-1] = 0;
        obey(viewer, viewer->line);
        size_t length = (size_t)(end + 1 - viewer->line);
        memmove(viewer->line, end + 1, viewer->used - length);
        viewer->used -= length;
    }
    if (viewer->used < sizeof viewer->line) return;
    fail(viewer, "", "a request has at most 4095 bytes");
    viewer->ended = true;
}

static void listen_to(struct viewer *viewer) {
    ssize_t got =
        recv(viewer->reply.socket, viewer->line + viewer->used, sizeof viewer->line - viewer->used, MSG_DONTWAIT);
    if (got > 0) {
        viewer->used += (size_t)got;
        obey_all(viewer);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        viewer->ended = true;
    }
}

static void end(void *context) {
    struct viewer *viewer = context;
    viewer->reply.broken = true; /* from now on nothing is sent */
    stop_trace(viewer);
    stop_counts(viewer);
    free(viewer);
}

static void serve(struct viewer *viewer, const struct herald_host_file *socket) {
    while (!viewer->ended && !viewer->reply.broken && herald_host_file_is_ours(socket)) {
        struct pollfd waits = {socket->number, POLLIN, 0};
        int ready = poll(&waits, 1, viewer->tape || viewer->counts ? TURN_MS : -1);
        if (ready > 0) listen_to(viewer);
        if (viewer->tape) play(viewer, EVENTS_A_TURN);
        if (viewer->counts) show_counts(viewer);
        herald_host_reply_send(&viewer->reply);
    }
}

void herald_host_viewer_serve(const struct herald_host_file *socket) {
    struct viewer *viewer = calloc(1, sizeof *viewer);
    if (!viewer) return;
    viewer->reply.socket = socket->number;
    pthread_cleanup_push(end, viewer); /* runs also when a describer ends the thread */
    serve(viewer, socket);
    pthread_cleanup_pop(1);
}
