/* Requests are lines of words; replies are lines of JSON.
 *
 * Ordering: Each client has a thread, which does everything for the client. Trace hooks run on other threads, and only
 * write to the client's tape and counts.
 * Progress: The thread waits for the client, and stops when the client has not read for ten seconds. No hook waits for
 * the thread.
 * Ownership: A viewer is on its thread's stack. A tape or counts are freed when their trace has ended.
 */
#include "viewer.h"
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

enum {
    LINE = 4096,
    TURN_MS = 10,
    EVENTS_A_TURN = 4096,
    LOOK_MS = 2000,
    LEAST_WINDOW_MS = 50,
    LONGEST_WINDOW_MS = 3600000
};
enum { MOST_NAMES = 4096 };

struct viewer {
    struct herald_host_client *client;
    struct herald_host_reply reply;
    char line[LINE];
    size_t used;
    bool ended;
    uint64_t window, window_began; /* of the counts, in nanoseconds */
};

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

/* Reports the events on the tape, at most `most` of them, and how many were lost. */
static void play(struct viewer *viewer, int most) {
    struct herald_host_tape *tape = viewer->client->tape;
    HeraldTraceEvent event;
    while (most-- && !viewer->reply.broken && herald_host_tape_read(tape, &event))
        herald_host_list_event(&viewer->reply, &event);
    uint64_t posts = atomic_exchange(&tape->lost_posts, 0), calls = atomic_exchange(&tape->lost_calls, 0);
    if (posts || calls)
        herald_host_reply_add(&viewer->reply, "{'type':'lost','posts':%lu,'calls':%lu}\n", posts, calls);
}

static void stop_trace(struct viewer *viewer) {
    struct herald_host_client *client = viewer->client;
    if (HeraldTraceStop(client->trace)) play(viewer, HERALD_HOST_TAPE_EVENTS);
    free(client->tape);
    client->tape = NULL;
}

static void stop_counts(struct herald_host_client *client) {
    HeraldTraceStop(client->counting);
    free(client->counts);
    client->counts = NULL;
}

static void stop(struct viewer *viewer) {
    stop_trace(viewer);
    stop_counts(viewer->client);
    herald_host_reply_add(&viewer->reply, "{'type':'end','of':'trace'}\n");
}

/* The child has one thread, which runs neither hook now. So nothing writes to the memory after HeraldTraceStop. If a
 * trace was beginning or ending at the fork, HeraldTraceStop returns false, and the memory may have been freed: it is
 * left. */
void herald_host_viewer_in_child(struct herald_host_client *client, bool is_own) {
    bool traced = HeraldTraceStop(client->trace), counted = HeraldTraceStop(client->counting);
    if (is_own) return; /* this thread may be reading them, and frees them when it ends */
    if (traced) free(client->tape);
    if (counted) free(client->counts);
    client->tape = NULL;
    client->counts = NULL;
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
    struct herald_host_client *client = viewer->client;
    client->tape = calloc(1, sizeof *client->tape);
    if (client->tape) client->tape->center = center;
    if (!client->tape ||
        HeraldTraceStart(NULL, name, herald_host_tape_write, client->tape, NULL, &client->trace) != HeraldOK) {
        stop_trace(viewer);
        return fail(viewer, "trace", "out of memory");
    }
    herald_host_reply_add(&viewer->reply, "{'type':'begin','of':'trace','now':%lu}\n", HeraldTraceNow());
}

static void count(struct viewer *viewer, const char *words) {
    char *end;
    unsigned long window = strtoul(words, &end, 10);
    if (*end || window < LEAST_WINDOW_MS || window > LONGEST_WINDOW_MS)
        return fail(viewer, "counts", "write counts MILLISECONDS, 50 or more");
    struct herald_host_client *client = viewer->client;
    stop_counts(client);
    client->counts = calloc(1, sizeof *client->counts);
    if (!client->counts ||
        HeraldTraceStart(NULL, NULL, herald_host_counts_add, client->counts, NULL, &client->counting) != HeraldOK) {
        stop_counts(client);
        return fail(viewer, "counts", "out of memory");
    }
    viewer->window = window * 1000000u;
    viewer->window_began = HeraldTraceNow();
    herald_host_reply_add(&viewer->reply, "{'type':'begin','of':'counts','now':%lu}\n", viewer->window_began);
}

static void show_counts(struct viewer *viewer) {
    struct herald_host_counts *counts = viewer->client->counts;
    uint64_t time = HeraldTraceNow(), window = time - viewer->window_began;
    if (window < viewer->window) return;
    viewer->window_began = time;
    for (int i = 0; i < HERALD_HOST_COUNTS; i++) herald_host_list_count(&viewer->reply, window, &counts->all[i]);
    herald_host_reply_add(&viewer->reply, "{'type':'end','of':'counts','now':%lu,'uncounted':%lu}\n", time,
                          atomic_exchange(&counts->crowded, 0));
}

/* The words are "[CENTER] [after ORDER]". */
static void observers(struct viewer *viewer, char *words) {
    uint64_t center = strtoull(words, &words, 10), after = 0;
    if (*words == ' ') words++;
    if (strncmp(words, "after ", 6) == 0) after = strtoull(words + 6, &words, 10);
    if (*words) return fail(viewer, "observers", "write observers [CENTER] [after ORDER]");
    herald_host_list_observers(&viewer->reply, center, after);
}

static void kept(struct viewer *viewer, char *words) {
    uint64_t center = strtoull(words, &words, 10);
    if (*words) return fail(viewer, "kept", "write kept [CENTER]");
    herald_host_list_kept(&viewer->reply, center);
}

static void obey(struct viewer *viewer, char *line) {
    char *words = line + strcspn(line, " ");
    if (*words) *words++ = 0;
    if (strcmp(line, "hello") == 0) return greet(viewer);
    if (strcmp(line, "centers") == 0) return herald_host_list_centers(&viewer->reply);
    if (strcmp(line, "observers") == 0) return observers(viewer, words);
    if (strcmp(line, "kept") == 0) return kept(viewer, words);
    if (strcmp(line, "running") == 0) return herald_host_list_running(&viewer->reply);
    if (strcmp(line, "trace") == 0) return trace(viewer, words);
    if (strcmp(line, "counts") == 0) return count(viewer, words);
    if (strcmp(line, "stop") == 0) return stop(viewer);
    viewer->ended = strcmp(line, "bye") == 0;
    if (!viewer->ended) fail(viewer, line, "unknown request");
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
    stop_counts(viewer->client);
}

static void serve(struct viewer *viewer) {
    const struct herald_host_client *client = viewer->client;
    while (!viewer->ended && !viewer->reply.broken && herald_host_file_is_ours(&client->socket)) {
        struct pollfd waits = {client->socket.number, POLLIN, 0};
        int ready = poll(&waits, 1, client->tape || client->counts ? TURN_MS : LOOK_MS);
        if (!herald_host_file_is_ours(&client->socket)) return; /* the program has closed it during the wait */
        if (ready > 0) listen_to(viewer);
        if (client->tape) play(viewer, EVENTS_A_TURN);
        if (client->counts) show_counts(viewer);
        if (!herald_host_file_is_ours(&client->socket)) return; /* a describer has forked: this is the child */
        herald_host_reply_send(&viewer->reply);
    }
}

void herald_host_viewer_serve(struct herald_host_client *client) {
    struct viewer viewer = {.client = client, .reply.socket = client->socket.number};
    pthread_cleanup_push(end, &viewer); /* runs also when a describer ends the thread */
    serve(&viewer);
    pthread_cleanup_pop(1);
}
