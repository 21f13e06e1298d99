/* Calls about what is kept: HeraldNetworkAskKept, HeraldNetworkForget, HeraldNetworkCreateKept, and the hooks that wait
 * for an answer.
 *
 * Forgetting. A message takes the place of what is kept, and says that nothing is. The stream's leader is asked first
 * whether something is kept. The answer must know of this center's earlier posts, and later ones must come after it: so
 * the loop, which finds the message at the head of the queue, awaits the answers to the posts before it, asks, and
 * sends the message only if something is kept. In the meantime the queue stands. All this has two seconds since the
 * call, also while there is no connection; then the call has failed, and the message is dropped in its turn.
 *
 * Ordering: The center's lock. `answer` functions are called where a question's `done` is.
 * Progress: A call that waits does so for two seconds, after each answer if there are several, or as long as it is
 * told. It does not wait on a thread that would have to bring the answer.
 * Ownership: A waiter belongs to the call that waits and to its question; the last of them frees it.
 */
#include "net.h"
#include "ground_list.h"
#include "subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_IN_USE = 10058, SLACK_MS = 100 /* in which the end of a question that is late is told */ };

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

/* A call that waits for a question. */
struct herald_net_waiter {
    struct herald_net_question *asked; /* it is there until `is_over`; NULL: its answers give it no more time */
    bool is_over, is_left;             /* the question is over; the call has returned */
    HeraldStatus status;
    char reason[256];
    bool has_forgotten, is_late;
    struct herald_net_kept **kept;
    uint32_t count;
    char *text; /* the answer to a call */
    uint64_t error;
};

static void destroy_waiter(struct herald_net_waiter *waiter) {
    for (uint32_t i = 0; i < waiter->count; i++) free(waiter->kept[i]);
    free(waiter->kept);
    free(waiter->text);
    free(waiter);
}

/* The question of a waiter is over: it gets the answers. */
static void give_answers(struct herald_net_center *network, struct herald_net_question *question) {
    struct herald_net_waiter *waiter = question->context;
    pthread_mutex_lock(&network->lock);
    waiter->status = question->status;
    memcpy(waiter->reason, question->reason, sizeof waiter->reason);
    waiter->has_forgotten = question->has_forgotten;
    waiter->is_late = question->is_late;
    waiter->kept = question->kept;
    waiter->count = question->kept_count;
    question->kept = NULL;
    question->kept_count = 0;
    waiter->text = question->text;
    question->text = NULL;
    waiter->error = question->error;
    waiter->is_over = true;
    bool is_left = waiter->is_left;
    pthread_cond_broadcast(&network->changed);
    pthread_mutex_unlock(&network->lock);
    if (is_left) destroy_waiter(waiter);
    herald_net_question_destroy(question);
}

/* Waits until the question is over, or until it is late. Each answer gives it more time. False: it is late; then the
 * waiter is the question's alone. */
static bool await_waiter(struct herald_net_center *network, struct herald_net_waiter *waiter, uint64_t deadline) {
    pthread_mutex_lock(&network->lock);
    while (!waiter->is_over && network->phase != HERALD_NET_ENDED) {
        struct timespec until = ground_timespec(deadline);
        if (pthread_cond_timedwait(&network->changed, &network->lock, &until) == 0) continue;
        if (waiter->is_over || !waiter->asked || waiter->asked->due <= deadline) break;
        deadline = waiter->asked->due;
    }
    bool is_over = waiter->is_over, has_ended = network->phase == HERALD_NET_ENDED;
    waiter->is_left = !is_over;
    pthread_mutex_unlock(&network->lock);
    if (is_over) return true;
    if (has_ended) {
        herald_net_complain_of_end();
    } else {
        herald_net_complain(HeraldTransportFailed, "the stream has not answered in time");
    }
    return false;
}

/* Whether a call may wait on this thread. If not, complains. */
static bool may_wait(struct herald_net_center *network) {
    if (!herald_net_is_delivering() && !herald_net_is_on_loop(network)) return true;
    herald_net_complain(HeraldTransportFailed, "a callback or an event cannot wait for the stream");
    return false;
}

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

/* Asks a question that has its requests already, or a NULL one, for which memory was out. */
static HeraldStatus ask(struct herald_net_center *network, struct herald_net_question *question) {
    if (!question) return herald_net_complain(HeraldOutOfMemory, "out of memory");
    pthread_mutex_lock(&network->lock);
    bool open = network->phase == HERALD_NET_OPEN;
    if (open) herald_net_question_ask(network, question);
    pthread_mutex_unlock(&network->lock);
    if (open) return HeraldOK;
    herald_net_question_destroy(question);
    return herald_net_complain_of_end();
}

static struct herald_net_question *question_of(HeraldNameRef name, enum herald_net_request_kind kind, const char *text,
                                               void (*done)(struct herald_net_center *network,
                                                            struct herald_net_question *question)) {
    struct herald_net_question *question = herald_net_question_create(name, done);
    if (!question || !herald_net_question_add(question, kind, text)) return question;
    herald_net_question_destroy(question);
    return NULL;
}

static const struct herald_net_kept *kept_of(const struct herald_net_question *question) {
    return question->kept_count && !question->kept[0]->is_forgotten ? question->kept[0] : NULL;
}

static void destroy_question(struct herald_net_question **question) { herald_net_question_destroy(*question); }

static void tell_asked(struct herald_net_center *network, struct herald_net_question *over) {
    struct herald_net_question *question __attribute__((cleanup(destroy_question))) = over;
    const struct herald_net_kept *kept = kept_of(question);
    (void)network;
    if (question->status != HeraldOK) HeraldSetErrorDescription(question->status, question->reason);
    question->answer.asked(question->context, question->status, kept ? &kept->message : NULL);
}

HeraldStatus herald_net_kept_ask(struct herald_net_center *network, HeraldNameRef name, const char *subject,
                                 void (*answer)(void *context, HeraldStatus status, const HeraldMessage *message),
                                 void *context) {
    struct herald_net_question *question = question_of(name, HERALD_NET_LAST, subject, tell_asked);
    if (question) question->answer.asked = answer;
    if (question) question->context = context;
    return ask(network, question);
}

/* Asks and waits. The result is for destroy_waiter; NULL: the question has failed, or its answer has not come. */
static struct herald_net_waiter *await_answer(struct herald_net_center *network, enum herald_net_request_kind kind,
                                              const char *text) {
    if (!may_wait(network)) return NULL;
    struct herald_net_waiter *waiter = calloc(1, sizeof *waiter);
    struct herald_net_question *question = waiter ? question_of(NULL, kind, text, give_answers) : NULL;
    if (question) question->context = waiter;
    if (question) waiter->asked = question;
    if (ask(network, question) != HeraldOK) {
        free(waiter);
        return NULL;
    }
    if (!await_waiter(network, waiter, ground_deadline(HERALD_NET_QUESTION_SECONDS))) return NULL;
    if (waiter->status == HeraldOK) return waiter;
    herald_net_complain(waiter->status, "%s", waiter->reason);
    destroy_waiter(waiter);
    return NULL;
}

static void end_waiter(struct herald_net_waiter **waiter) {
    if (*waiter) destroy_waiter(*waiter);
}

bool herald_net_kept_take(struct herald_net_center *network, const char *subject,
                          void (*take)(void *taken, const HeraldMessage *message), void *taken) {
    struct herald_net_waiter *waiter __attribute__((cleanup(end_waiter))) =
        await_answer(network, HERALD_NET_LAST, subject);
    if (!waiter || !waiter->count || waiter->kept[0]->is_forgotten) return false;
    take(taken, &waiter->kept[0]->message);
    return true;
}

void herald_net_kept_visit(struct herald_net_center *network,
                           void (*visit)(void *visited, HeraldNameRef name, const HeraldMessage *message),
                           void *visited) {
    char filter[HERALD_NET_ROOT_ROOM + 4], name[HERALD_NET_SUBJECT_ROOM], object[HERALD_NET_SUBJECT_ROOM];
    bool has_object;
    snprintf(filter, sizeof filter, "%s.>", network->stream.kept);
    struct herald_net_waiter *waiter __attribute__((cleanup(end_waiter))) =
        await_answer(network, HERALD_NET_LIST, filter);
    for (uint32_t i = 0; waiter && i < waiter->count; i++) {
        const struct herald_net_kept *kept = waiter->kept[i];
        if (kept->is_forgotten ||
            !herald_net_subject_read(kept->subject, network->stream.kept, name, object, &has_object))
            continue;
        HeraldNameRef found = herald_net_foreign_name(name);
        if (found) visit(visited, found, &kept->message);
    }
}

/* Asks a waiter's question, and waits for the answer until the deadline. `*waiter` becomes NULL if none has come. */
static HeraldStatus ask_until(struct herald_net_center *network, struct herald_net_waiter **waiter,
                              struct herald_net_question *question, uint64_t deadline) {
    struct herald_net_waiter *own = *waiter;
    *waiter = NULL;
    if (question) question->context = own;
    if (question) question->due = deadline;
    HeraldStatus status = ask(network, question);
    if (status != HeraldOK) {
        free(own);
        return status;
    }
    if (!await_waiter(network, own, deadline + SLACK_MS * GROUND_MILLISECOND)) return HeraldTransportFailed;
    *waiter = own;
    if (own->status != HeraldOK) herald_net_complain(own->status, "%s", own->reason);
    return own->status;
}

HeraldStatus herald_net_call(struct herald_net_center *network, const char *call, const char *text, uint64_t deadline,
                             char **answer, uint64_t *error) {
    char *whole = NULL;
    *answer = NULL;
    *error = 0;
    if (!may_wait(network)) return HeraldTransportFailed;
    struct herald_net_waiter *waiter __attribute__((cleanup(end_waiter))) = calloc(1, sizeof *waiter);
    struct herald_net_question *question = NULL;
    if (waiter && asprintf(&whole, "%s %s", call, text) >= 0) {
        question = question_of(NULL, HERALD_NET_CALL, whole, give_answers);
        free(whole);
    }
    HeraldStatus status = ask_until(network, &waiter, question, deadline);
    if (!waiter) return status;
    *error = waiter->error;
    *answer = waiter->text;
    waiter->text = NULL;
    return status;
}

/* ---- Forgetting -------------------------------------------------------------------------------------------------- */

static void tell_forgotten(struct herald_net_center *network, struct herald_net_question *over) {
    struct herald_net_question *question __attribute__((cleanup(destroy_question))) = over;
    (void)network;
    if (question->status != HeraldOK) HeraldSetErrorDescription(question->status, question->reason);
    question->answer.forgot(question->context, question->status, question->has_forgotten);
}

/* The stream's leader has answered whether something is kept. Then the message at the head of the queue has its turn.
 * Until then the loop does not destroy it; if the center has ended meanwhile, the message is left to this call. */
static void note_known(struct herald_net_center *network, struct herald_net_question *question) {
    struct herald_net_outgoing *outgoing = question->context;
    pthread_mutex_lock(&network->lock);
    struct herald_net_question *carrier = outgoing->forgets;
    bool is_left = outgoing->is_left, is_kept = question->status == HeraldOK && kept_of(question),
         sends = is_kept && !is_left;
    if (!sends) {
        carrier->status = is_kept ? HeraldTransportFailed : question->status;
        snprintf(carrier->reason, sizeof carrier->reason, "%s", is_kept ? "the center was closed" : question->reason);
        outgoing->forgets = NULL;
        GROUND_LIST_REMOVE(carrier);
    }
    outgoing->turn = sends ? HERALD_NET_SENDS : HERALD_NET_DROPS;
    herald_net_wake(network);
    pthread_mutex_unlock(&network->lock);
    if (is_left) herald_net_outgoing_destroy(outgoing);
    herald_net_question_destroy(question);
    if (!sends) carrier->done(network, carrier);
}

enum herald_net_turn herald_net_forget_turn(struct herald_net_center *network, struct herald_net_outgoing *outgoing) {
    pthread_mutex_lock(&network->lock);
    if (network->forgoes && outgoing->forgets && !outgoing->is_asked)
        herald_net_forgetting_end(network, outgoing, "the center was closed in a callback");
    enum herald_net_turn turn = outgoing->turn;
    if (network->forgoes && outgoing->is_asked && turn == HERALD_NET_WAITS) {
        turn = HERALD_NET_DROPS; /* it is left to the question about it */
    } else if (turn == HERALD_NET_WAITS && !outgoing->is_asked && !network->acks.first && !network->making) {
        struct herald_net_question *question =
            question_of(outgoing->name, HERALD_NET_LAST, outgoing->subject, note_known);
        if (question) {
            question->context = outgoing;
            question->due = outgoing->due;
            herald_net_question_ask(network, question);
            outgoing->is_asked = true;
        } else {
            herald_net_look_soon(network);
        }
    }
    pthread_mutex_unlock(&network->lock);
    return turn;
}

/* Makes the message and puts it into the queue. The question is only there to be told of the end. */
static HeraldStatus put_forgetting(struct herald_net_center *network, HeraldNameRef name, const char *subject,
                                   struct herald_net_question *question) {
    char reply[HERALD_NET_INBOX_ROOM];
    uint64_t number = ++network->kept_sent;
    herald_net_name_answer(network, reply, number);
    struct herald_net_outgoing *outgoing =
        question ? herald_net_outgoing_create_kept(name, subject, reply, NULL, HeraldPostKeep) : NULL;
    if (!outgoing) {
        if (question) herald_net_question_destroy(question);
        return herald_net_complain(HeraldOutOfMemory, "out of memory");
    }
    outgoing->number = number;
    outgoing->is_forgetting = true;
    outgoing->forgets = question;
    outgoing->due = ground_deadline(HERALD_NET_QUESTION_SECONDS);
    question->forgetting = outgoing;
    HeraldStatus status = herald_net_put(network, outgoing, NULL);
    if (status != HeraldOK) herald_net_question_destroy(question);
    return status;
}

HeraldStatus herald_net_kept_forget(struct herald_net_center *network, HeraldNameRef name, const char *subject,
                                    void (*answer)(void *context, HeraldStatus status, bool forgotten), void *context) {
    struct herald_net_question *question = herald_net_question_create(name, tell_forgotten);
    if (question) question->answer.forgot = answer;
    if (question) question->context = context;
    return put_forgetting(network, name, subject, question);
}

bool herald_net_kept_forget_now(struct herald_net_center *network, HeraldNameRef name, const char *subject) {
    if (!may_wait(network)) return false;
    struct herald_net_waiter *waiter = calloc(1, sizeof *waiter);
    struct herald_net_question *question = waiter ? herald_net_question_create(name, give_answers) : NULL;
    if (question) question->context = waiter;
    if (put_forgetting(network, name, subject, question) != HeraldOK) {
        free(waiter);
        return false;
    }
    if (!await_waiter(network, waiter, ground_deadline(HERALD_NET_QUESTION_SECONDS))) return false;
    bool forgotten = waiter->status == HeraldOK && waiter->has_forgotten;
    if (waiter->status != HeraldOK) herald_net_complain(waiter->status, "%s", waiter->reason);
    destroy_waiter(waiter);
    return forgotten;
}

/* ---- The stream -------------------------------------------------------------------------------------------------- */

/* The stream is there, or cannot be made. */
static void end_making(struct herald_net_center *network, struct herald_net_question *question) {
    if (question->context) return give_answers(network, question);
    pthread_mutex_lock(&network->lock);
    network->making = false;
    if (question->status != HeraldOK)
        herald_net_tell(network, HeraldNetworkUnkept, NULL, 1, "the stream %s cannot be made: %s", network->stream.name,
                        question->reason);
    herald_net_wake(network);
    pthread_mutex_unlock(&network->lock);
    herald_net_question_destroy(question);
}

static void compare_made(struct herald_net_center *network, struct herald_net_question *question) {
    struct herald_net_json config;
    const char *what = "the server's answer cannot be read";
    if (question->status == HeraldOK && (!herald_net_json_member(question->look, "config", &config) ||
                                         !herald_net_stream_is(&network->stream, config, question->replicas, &what))) {
        question->status = HeraldTransportFailed;
        snprintf(question->reason, sizeof question->reason, "another stream has the name %s: %s", network->stream.name,
                 what);
    }
    end_making(network, question);
}

static void note_made(struct herald_net_center *network, struct herald_net_question *question) {
    bool exists = question->status != HeraldOK && question->error == NAME_IN_USE;
    struct herald_net_question *look = exists ? question_of(NULL, HERALD_NET_LOOK, "", compare_made) : NULL;
    if (!look) return end_making(network, question);
    look->context = question->context;
    look->replicas = question->replicas;
    look->due = question->due;
    herald_net_question_destroy(question);
    pthread_mutex_lock(&network->lock);
    bool open = network->phase == HERALD_NET_OPEN; /* the end lets questions fail, and asks no more */
    if (open) herald_net_question_ask(network, look);
    pthread_mutex_unlock(&network->lock);
    if (open) return;
    look->status = HeraldTransportFailed;
    strcpy(look->reason, "the center was closed");
    end_making(network, look);
}

static struct herald_net_question *question_of_making(struct herald_net_center *network, unsigned replicas) {
    char *request = herald_net_stream_request(&network->stream, replicas);
    struct herald_net_question *question = request ? question_of(NULL, HERALD_NET_MAKE, request, note_made) : NULL;
    free(request);
    if (question) question->replicas = replicas;
    return question;
}

void herald_net_kept_make(struct herald_net_center *network) {
    if (!network->kept_replicas || network->making) return;
    struct herald_net_question *question = question_of_making(network, network->kept_replicas);
    if (!question) return;
    network->making = true;
    herald_net_question_ask(network, question);
}

/* Asks once. `*is_late`: no answer has come. */
static HeraldStatus create_once(struct herald_net_center *network, unsigned replicas, uint64_t deadline,
                                bool *is_late) {
    struct herald_net_waiter *waiter __attribute__((cleanup(end_waiter))) = calloc(1, sizeof *waiter);
    struct herald_net_question *question = waiter ? question_of_making(network, replicas) : NULL;
    HeraldStatus status = ask_until(network, &waiter, question, deadline);
    if (waiter) *is_late = waiter->is_late;
    return status;
}

/* A cluster without a leader does not answer, and loses the request. So it is made again. */
HeraldStatus herald_net_kept_create(struct herald_net_center *network, unsigned replicas, uint64_t deadline) {
    if (!may_wait(network)) return HeraldTransportFailed;
    for (;;) {
        bool is_late = false;
        uint64_t due = ground_deadline(HERALD_NET_QUESTION_SECONDS);
        HeraldStatus status = create_once(network, replicas, due < deadline ? due : deadline, &is_late);
        if (!is_late || ground_now() >= deadline) return status;
    }
}
