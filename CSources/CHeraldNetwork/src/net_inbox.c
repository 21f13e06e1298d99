/* The inbox: the subscription to which JetStream answers, and what is asked by it.
 *
 * The subject of an answer ends with a for the number of a kept post, or with the numbers of a question and its
 * request. What comes before is random, so another client that cannot read the account's traffic cannot answer.
 *
 * Ordering: The inbox is made before the first request on the same connection. Questions that have failed are reported
 * on the thread that delivers posts, like the others: libnats calls the last function of a subscription there, so a
 * subscription is made and ended for it. While there is no connection, no post is delivered; then a short-lived thread
 * reports them.
 * Progress: The loop sends requests while libnats has room for them, and never waits.
 * Ownership: A subscription and a short-lived thread have a reference to the network.
 */
#include "net.h"
#include "ground_list.h"
#include "ground_thread.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { ANSWERS_PENDING = 1 << 17, ANSWERS_BYTES = 96 << 20, REQUESTS_AT_ONCE = 128, REQUESTS_UNANSWERED = 1024 };

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

static void answer_message(natsMsg **message) { natsMsg_Destroy(*message); }

/* A subscription that has ended may still bring an answer. */
static void note_read(struct herald_net_center *network, const natsSubscription *subscription) {
    pthread_mutex_lock(&network->lock);
    network->inbox_read += subscription == network->inbox;
    pthread_mutex_unlock(&network->lock);
}

static void read_inbox(struct herald_net_center *network, natsMsg *message) {
    if (strncmp(natsMsg_GetSubject(message), network->inbox_root, strlen(network->inbox_root)) != 0) return;
    const char *text = natsMsg_GetSubject(message) + strlen(network->inbox_root);
    char *end;
    bool is_ack = *text == 'a';
    uint64_t number = strtoull(text + is_ack, &end, 10);
    if (is_ack) {
        herald_net_ack_answer(network, number, message);
    } else if (*end == '-') {
        herald_net_question_answer(network, number, strtoull(end + 1, NULL, 10), message);
    }
}

static void receive_answer(natsConnection *connection, natsSubscription *subscription, natsMsg *what, void *closure) {
    (void)connection;
    natsMsg *message __attribute__((cleanup(answer_message))) = what;
    struct herald_net_delivering delivering HERALD_NET_DELIVERING;
    if (!message) return;
    read_inbox(closure, message);
    note_read(closure, subscription);
}

static void complete_inbox(void *network) { herald_net_release(network); }

bool herald_net_inbox_create(struct herald_net_center *network) {
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != sizeof random) return false;
    snprintf(network->inbox_root, sizeof network->inbox_root, "_INBOX.herald.%016" PRIx64 "%016" PRIx64 ".", random[0],
             random[1]);
    return true;
}

bool herald_net_inbox_open(struct herald_net_center *network) {
    char subject[HERALD_NET_INBOX_ROOM];
    if (network->inbox) return true;
    natsSubscription *made = NULL;
    snprintf(subject, sizeof subject, "%s*", network->inbox_root);
    herald_net_retain(network);
    if (natsConnection_Subscribe(&made, network->connection, subject, receive_answer, network) != NATS_OK) {
        herald_net_release(network);
        return false;
    }
    natsSubscription_SetOnCompleteCB(made, complete_inbox, network);
    natsSubscription_SetPendingLimits(made, ANSWERS_PENDING, ANSWERS_BYTES);
    pthread_mutex_lock(&network->lock);
    network->inbox = made;
    network->inbox_read = 0;
    pthread_mutex_unlock(&network->lock);
    return true;
}

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

/* Under the lock, during which libnats may be called (subscription.c). */
static bool send_request(struct herald_net_center *network, const struct herald_net_question *question,
                         uint32_t index) {
    static const char *const keys[] = {[HERALD_NET_LAST] = "last_by_subj", [HERALD_NET_LIST] = "subjects_filter"};
    const struct herald_net_request *request = &question->requests[index];
    char subject[HERALD_NET_CALL_ROOM], reply[HERALD_NET_INBOX_ROOM], *text = NULL;
    const char *key = request->kind <= HERALD_NET_LIST ? keys[request->kind] : NULL;
    char *quoted = key ? herald_net_json_quote(request->text) : NULL;
    if (key && (!quoted || asprintf(&text, "{\"%s\":%s}", key, quoted) < 0)) text = NULL;
    const char *said = herald_net_request_write_call(network, request, subject), *payload = key ? text : said;
    snprintf(reply, sizeof reply, "%s%" PRIu64 "-%" PRIu32, network->inbox_root, question->number, index);
    bool sent = payload && natsConnection_PublishRequest(network->connection, subject, reply, payload,
                                                         (int)strlen(payload)) == NATS_OK;
    free(quoted);
    free(text);
    return sent;
}

static bool may_send(const struct herald_net_question *question) {
    return question->sent < question->count && question->sent - question->answered < REQUESTS_UNANSWERED;
}

/* Under the lock: whether the question can be sent now. */
static enum herald_net_turn turn_of(struct herald_net_center *network, struct herald_net_question *question) {
    bool makes = question->count && question->requests[0].kind >= HERALD_NET_MAKE;
    if (!herald_net_is_due(network, question->from) || (network->making && !makes)) return HERALD_NET_WAITS;
    if (network->inbox_denied) {
        herald_net_question_fail(network, question, network->inbox_denial);
        return HERALD_NET_WAITS;
    }
    if (question->prepare && !question->is_prepared) return question->prepare(network, question);
    return may_send(question) ? HERALD_NET_SENDS : HERALD_NET_WAITS;
}

/* Under the lock: sends some requests. Returns false if none can be sent now. */
static bool send_some_requests(struct herald_net_center *network) {
    int sent = 0;
    for (struct herald_net_question *question = network->questions.waiting, *next; question; question = next) {
        next = question->next;
        enum herald_net_turn turn = turn_of(network, question);
        if (turn == HERALD_NET_DROPS) {
            herald_net_question_take_off(network, question);
            herald_net_question_end(network, question);
        }
        if (turn != HERALD_NET_SENDS) continue;
        while (may_send(question)) {
            if (sent++ == REQUESTS_AT_ONCE) return true;
            if (!send_request(network, question, question->sent)) return false;
            question->sent++;
        }
        if (question->sent == question->count) herald_net_question_note_sent(network, question);
    }
    return false;
}

void herald_net_inbox_send(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    bool sends = network->questions.waiting;
    pthread_mutex_unlock(&network->lock);
    if (!sends || !herald_net_inbox_open(network)) return;
    while (sends && herald_net_connection_has_room(network)) {
        pthread_mutex_lock(&network->lock); /* posters come in between */
        sends = send_some_requests(network);
        pthread_mutex_unlock(&network->lock);
    }
}

/* ---- Questions that have failed ---------------------------------------------------------------------------------- */

static void *tell_over(void *context) {
    struct herald_net_center *network = context;
    struct herald_net_delivering delivering HERALD_NET_DELIVERING;
    herald_net_questions_tell(network);
    herald_net_release(network);
    return NULL;
}

static void complete_teller(void *context) { tell_over(context); }

static void receive_nothing(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                            void *closure) {
    (void)connection, (void)subscription, (void)closure;
    natsMsg_Destroy(message);
}

void herald_net_inbox_tell(struct herald_net_center *network) {
    char subject[HERALD_NET_INBOX_ROOM];
    natsSubscription *teller = NULL;
    pthread_mutex_lock(&network->lock);
    bool tells = network->questions.over && !network->telling, connected = network->connected;
    network->telling = network->telling || tells;
    pthread_mutex_unlock(&network->lock);
    if (!tells) return;
    herald_net_retain(network);
    snprintf(subject, sizeof subject, "%sover", network->inbox_root);
    if (connected &&
        natsConnection_Subscribe(&teller, network->connection, subject, receive_nothing, NULL) == NATS_OK) {
        bool is_told = natsSubscription_SetOnCompleteCB(teller, complete_teller, network) == NATS_OK;
        natsSubscription_Destroy(teller);
        if (is_told) return;
    }
    if (ground_thread_start(NULL, 0, tell_over, network) == 0) return;
    network->references--; /* not the last reference: the loop has one */
    pthread_mutex_lock(&network->lock);
    network->telling = false;
    pthread_mutex_unlock(&network->lock);
    herald_net_look_soon(network);
}
