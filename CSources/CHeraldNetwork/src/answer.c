/* Questions to JetStream that are under way, and the reading of answers.
 *
 * What comes from outside is checked: an answer counts once, only for the request that it names, and only if it is
 * about the request's subject. The number and the bytes of what is kept in answers are limited.
 *
 * Ordering: The center's lock protects the lists, and the questions in them. The thread that delivers posts reads an
 * answer without the lock, then looks whether the question is still under way.
 * Progress: Linear in the length of an answer.
 * Ownership: The lists own the questions until their `done` is called.
 */
#include "net.h"
#include "ground_list.h"
#include "signature.h"
#include "subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_MESSAGE = 10037 /* JetStream's number of this error */ };

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_question(const void *question) {
    return ground_mix(((const struct herald_net_question *)question)->number);
}

static bool is_question(const void *question, const void *number) {
    return ((const struct herald_net_question *)question)->number == *(const uint64_t *)number;
}

void herald_net_questions_create(struct herald_net_questions *questions) { questions->numbered.hash = hash_question; }

/* Under the lock: a question with a number that can be found. */
static void number_question(struct herald_net_questions *questions, struct herald_net_question *question) {
    question->number = ++questions->newest;
    if (ground_table_reserve(&questions->numbered)) ground_table_insert(&questions->numbered, question);
    /* If memory is out, its answers are not found, and its time will be over. */
}

static struct herald_net_question *find_question(const struct herald_net_center *network, uint64_t number) {
    return ground_table_get(&network->questions.numbered, ground_mix(number), is_question, &number);
}

static void unnumber_question(struct herald_net_questions *questions, const struct herald_net_question *question) {
    void **place = ground_table_place(&questions->numbered, question);
    if (place) ground_table_remove(&questions->numbered, place);
}

void herald_net_question_ask(struct herald_net_center *network, struct herald_net_question *question) {
    question->own = question->count;
    if (!question->due) question->due = ground_deadline(HERALD_NET_QUESTION_SECONDS);
    number_question(&network->questions, question);
    GROUND_LIST_PUSH(network->questions.waiting, question);
    herald_net_wake(network);
}

void herald_net_question_note_sent(struct herald_net_center *network, struct herald_net_question *question) {
    GROUND_LIST_REMOVE(question);
    GROUND_LIST_PUSH(network->questions.sent, question);
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

/* What an answer says, before it is known whether the question is still under way. */
struct reading {
    enum herald_net_request_kind kind;
    char *text; /* the request's */
    struct herald_net_json all;
    uint64_t error;
    char reason[256]; /* "": it has not failed */
    struct herald_net_kept *kept;
    struct herald_net_question *more; /* has the requests that follow from the answer */
};

/* Notes the error of an answer, if it has one. */
static void read_error(struct reading *reading, natsMsg *answer) {
    struct herald_net_api_error error;
    if (natsMsg_IsNoResponders(answer)) {
        strcpy(reading->reason, "the server has no JetStream, or not for this account");
    } else if (!herald_net_json_read(&reading->all, natsMsg_GetData(answer), (size_t)natsMsg_GetDataLength(answer))) {
        strcpy(reading->reason, "the server's answer cannot be read");
    } else if (herald_net_api_error_read(reading->all, &error)) {
        reading->error = error.number ? error.number : UINT64_MAX;
        strcpy(reading->reason, error.reason);
    }
}

/* A header's value in the text of headers. */
struct header {
    char *at, *end; /* `at` NULL: there is none */
};

/* Finds a header in the text of headers as the stream stores them. */
static struct header find_header(char *headers, const char *key) {
    size_t length = strlen(key);
    for (char *line = strstr(headers, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncmp(line, key, length) != 0 || line[length] != ':') continue;
        char *value = line + length + 1, *end = strstr(value, "\r\n");
        while (*value == ' ') value++;
        return end ? (struct header){value, end} : (struct header){NULL, NULL};
    }
    return (struct header){NULL, NULL};
}

/* Reads the headers of a kept message. They are found first, because the text of each is ended by a NUL then. */
static bool read_headers(struct herald_net_kept *kept, char *headers) {
    bool is_message = false;
    struct header signature = find_header(headers, "Herald-Post"), type = find_header(headers, "Content-Type"),
                  none = find_header(headers, "Herald-Kept");
    if (signature.at) *signature.end = 0;
    if (type.at) *type.end = 0;
    if (none.at) *none.end = 0;
    kept->message.type = type.at;
    if (signature.at) herald_net_signature_read(signature.at, &kept->message, &is_message);
    kept->is_forgotten = none.at && strcmp(none.at, "none") == 0;
    return kept->is_forgotten || herald_net_is_text(&kept->message);
}

/* Reads a kept message into one block of memory, which is no larger than its parts. NULL: it is none, or memory is out.
 */
static struct herald_net_kept *read_kept(const struct herald_net_center *network, struct herald_net_json message) {
    struct herald_net_json sequence, subject, data, headers;
    static const char nothing[] = "\"\"";
    char own[HERALD_NET_SUBJECT_ROOM], name[HERALD_NET_SUBJECT_ROOM], object[HERALD_NET_SUBJECT_ROOM];
    bool has_object;
    if (!herald_net_json_member(message, "seq", &sequence) || !herald_net_json_member(message, "subject", &subject) ||
        !herald_net_json_text(subject, own, sizeof own) ||
        !herald_net_subject_read(own, network->stream.kept, name, object, &has_object))
        return NULL;
    if (!herald_net_json_member(message, "data", &data)) data = (struct herald_net_json){nothing, nothing + 2};
    if (!herald_net_json_member(message, "hdrs", &headers)) headers = (struct herald_net_json){nothing, nothing + 2};
    size_t bytes = herald_net_json_room(data), lines = herald_net_json_room(headers) + 1, length = 0;
    size_t subject_size = strlen(own) + 1, object_size = has_object ? strlen(object) + 1 : 0;
    size_t size = sizeof(struct herald_net_kept) + bytes + lines + subject_size + object_size;
    struct herald_net_kept *kept = calloc(1, size);
    if (!kept) return NULL;
    unsigned char *at = (unsigned char *)(kept + 1);
    char *texts = (char *)at + bytes, *subject_at = texts + lines;
    kept->size = size;
    kept->message.size = sizeof kept->message;
    kept->message.bytes = at;
    kept->subject = memcpy(subject_at, own, subject_size);
    if (has_object) kept->message.object = memcpy(subject_at + subject_size, object, object_size);
    if (herald_net_json_number(sequence, &kept->sequence) && kept->sequence &&
        herald_net_json_bytes(data, at, &kept->message.length) &&
        herald_net_json_bytes(headers, (unsigned char *)texts, &length) && read_headers(kept, texts))
        return kept;
    free(kept);
    return NULL;
}

static const char unreadable[] = "the server's answer cannot be read";

/* Adds a request for each subject of a list that the filter, whose last byte is a wildcard, lets through. Returns why
 * it has failed, or NULL. */
static const char *read_list(struct herald_net_question *more, struct herald_net_json all, const char *filter) {
    struct herald_net_json state, subjects, key, value = {NULL, NULL};
    char subject[HERALD_NET_SUBJECT_ROOM];
    const char *reason = NULL;
    if (!more) return herald_net_no_memory;
    if (!herald_net_json_member(all, "state", &state)) return unreadable;
    if (!herald_net_json_member(state, "subjects", &subjects)) return NULL; /* nothing is kept */
    while (!reason && herald_net_json_next(subjects, &key, &value))
        if (herald_net_json_text(key, subject, sizeof subject) && strncmp(subject, filter, strlen(filter) - 1) == 0)
            reason = herald_net_question_add(more, HERALD_NET_LAST, subject);
    return reason;
}

/* Reads an answer, under no lock. */
static void read_answer(const struct herald_net_center *network, struct reading *reading, natsMsg *answer) {
    struct herald_net_json message;
    read_error(reading, answer);
    if (*reading->reason) return;
    if (reading->kind == HERALD_NET_LAST) {
        if (herald_net_json_member(reading->all, "message", &message)) reading->kept = read_kept(network, message);
        if (!reading->kept || strcmp(reading->kept->subject, reading->text) != 0) strcpy(reading->reason, unreadable);
    } else if (reading->kind == HERALD_NET_LIST) {
        reading->more = herald_net_question_create(NULL, NULL);
        const char *reason = read_list(reading->more, reading->all, reading->text);
        if (reason) strcpy(reading->reason, reason);
    }
}

/* Under the lock: takes what an answer has brought. Returns why the question has failed, or NULL. */
static const char *take_reading(struct herald_net_question *question, struct herald_net_request *request,
                                struct reading *reading) {
    request->is_answered = true;
    question->answered++;
    if (reading->error == NO_MESSAGE && reading->kind == HERALD_NET_LAST) return NULL;
    question->error = reading->error;
    if (*reading->reason) return reading->reason;
    if (reading->kind == HERALD_NET_LIST) return herald_net_question_splice(question, reading->more);
    if (reading->kind >= HERALD_NET_LOOK) {
        size_t length = (size_t)(reading->all.end - reading->all.at);
        free(question->text);
        question->text = strndup(reading->all.at, length); /* JSON has no NUL */
        if (!question->text) return herald_net_no_memory;
        question->look = (struct herald_net_json){question->text, question->text + length};
    }
    struct herald_net_kept *kept = reading->kept;
    reading->kept = NULL;
    return kept ? herald_net_question_keep(question, kept) : NULL;
}

/* Under the lock: the request, if it still waits for its answer. */
static struct herald_net_request *find_request(struct herald_net_question *question, uint64_t index) {
    if (!question || index >= question->sent || question->requests[index].is_answered) return NULL;
    return &question->requests[index];
}

/* Under the lock: takes the answer. Returns the question if it is over now, or NULL. */
static struct herald_net_question *take_answer(struct herald_net_center *network, uint64_t number, uint64_t index,
                                               struct reading *reading) {
    struct herald_net_question *question = find_question(network, number);
    struct herald_net_request *request = find_request(question, index);
    if (!request) return NULL;
    const char *reason = take_reading(question, request, reading);
    if (reason) {
        question->status = HeraldTransportFailed;
        snprintf(question->reason, sizeof question->reason, "%s", reason);
    } else if (question->answered < question->count) {
        question->due = ground_deadline(HERALD_NET_QUESTION_SECONDS); /* for the next answer */
        if (question->sent < question->count) {
            GROUND_LIST_REMOVE(question);
            GROUND_LIST_PUSH(network->questions.waiting, question);
            herald_net_wake(network);
        }
        return NULL;
    }
    herald_net_question_take_off(network, question);
    return question;
}

void herald_net_question_answer(struct herald_net_center *network, uint64_t number, uint64_t index, natsMsg *answer) {
    struct reading reading = {0};
    pthread_mutex_lock(&network->lock);
    struct herald_net_request *request = find_request(find_question(network, number), index);
    if (request) {
        reading.kind = request->kind;
        reading.text = strdup(request->text);
    }
    pthread_mutex_unlock(&network->lock);
    if (!reading.text) return; /* if memory is out, the question's time will be over */
    read_answer(network, &reading, answer);
    pthread_mutex_lock(&network->lock);
    struct herald_net_question *over = take_answer(network, number, index, &reading);
    pthread_mutex_unlock(&network->lock);
    free(reading.text);
    free(reading.kept);
    if (reading.more) herald_net_question_destroy(reading.more);
    if (over) over->done(network, over);
}

/* ---- The end of a question --------------------------------------------------------------------------------------- */

void herald_net_question_take_off(struct herald_net_center *network, struct herald_net_question *question) {
    unnumber_question(&network->questions, question);
    GROUND_LIST_REMOVE(question);
}

void herald_net_question_end(struct herald_net_center *network, struct herald_net_question *question) {
    GROUND_LIST_PUSH(network->questions.over, question);
    herald_net_wake(network);
}

void herald_net_forgetting_end(struct herald_net_center *network, struct herald_net_outgoing *outgoing,
                               const char *reason) {
    struct herald_net_question *carrier = outgoing->forgets;
    GROUND_LIST_REMOVE(carrier);
    outgoing->forgets = NULL;
    outgoing->turn = HERALD_NET_DROPS; /* if it is still in the queue */
    carrier->status = reason ? HeraldTransportFailed : HeraldOK;
    carrier->has_forgotten = !reason;
    snprintf(carrier->reason, sizeof carrier->reason, "%s", reason ? reason : "");
    herald_net_question_end(network, carrier);
}

void herald_net_question_fail(struct herald_net_center *network, struct herald_net_question *question,
                              const char *reason) {
    question->status = HeraldTransportFailed;
    snprintf(question->reason, sizeof question->reason, "%s", reason);
    herald_net_question_take_off(network, question);
    herald_net_question_end(network, question);
}

void herald_net_questions_fail(struct herald_net_center *network, const char *reason) {
    struct herald_net_questions *questions = &network->questions;
    while (questions->waiting) herald_net_question_fail(network, questions->waiting, reason);
    while (questions->sent) herald_net_question_fail(network, questions->sent, reason);
}

const char *herald_net_request_write_call(const struct herald_net_center *network,
                                          const struct herald_net_request *request, char call[HERALD_NET_CALL_ROOM]) {
    static const char *const calls[] = {[HERALD_NET_LAST] = "MSG.GET",
                                        [HERALD_NET_LIST] = "INFO",
                                        [HERALD_NET_MAKE] = "CREATE",
                                        [HERALD_NET_LOOK] = "INFO"};
    if (request->kind != HERALD_NET_CALL) {
        snprintf(call, HERALD_NET_CALL_ROOM, "$JS.API.STREAM.%s.%s", calls[request->kind], network->stream.name);
        return request->text;
    }
    size_t length = strcspn(request->text, " ");
    snprintf(call, HERALD_NET_CALL_ROOM, "$JS.API.%.*s", (int)length, request->text);
    return request->text + length + (request->text[length] == ' ');
}

/* Whether the question waits for the answer to such a call. */
static bool has_called(const struct herald_net_center *network, const struct herald_net_question *question,
                       const char *call) {
    char own[HERALD_NET_CALL_ROOM];
    const struct herald_net_request *before = NULL; /* most requests are of one kind, one after the other */
    for (uint32_t i = 0; i < question->sent; i++) {
        const struct herald_net_request *request = &question->requests[i];
        if (request->is_answered) continue;
        if (!before || request->kind != before->kind || request->kind == HERALD_NET_CALL)
            herald_net_request_write_call(network, request, own);
        before = request;
        if (strcmp(own, call) == 0) return true;
    }
    return false;
}

void herald_net_questions_deny(struct herald_net_center *network, const char *call, const char *reason) {
    struct herald_net_question *lists[] = {network->questions.waiting, network->questions.sent}, *next;
    for (int i = 0; i < 2; i++)
        for (struct herald_net_question *question = lists[i]; question; question = next) {
            next = question->next;
            if (has_called(network, question, call)) herald_net_question_fail(network, question, reason);
        }
}

static const char *reason_of_silence(const struct herald_net_center *network) {
    return network->connected ? "the stream has not answered in time" : "no server is connected";
}

static void expire_list(struct herald_net_center *network, struct herald_net_question *first) {
    for (struct herald_net_question *question; (question = first);) {
        first = question->next;
        if (!herald_net_is_due(network, question->due)) continue;
        question->is_late = true;
        herald_net_question_fail(network, question, reason_of_silence(network));
    }
}

/* While a question about the message is under way, or an acknowledgement, that one expires at the same time. */
static void expire_forgetting(struct herald_net_center *network) {
    struct herald_net_question *first = network->questions.forgetting;
    for (struct herald_net_question *carrier; (carrier = first);) {
        struct herald_net_outgoing *outgoing = carrier->forgetting;
        first = carrier->next;
        if (!outgoing->message || (outgoing->is_asked && outgoing->turn == HERALD_NET_WAITS)) continue;
        if (herald_net_is_due(network, outgoing->due))
            herald_net_forgetting_end(network, outgoing, reason_of_silence(network));
    }
}

void herald_net_questions_expire(struct herald_net_center *network) {
    expire_list(network, network->questions.waiting);
    expire_list(network, network->questions.sent);
    expire_forgetting(network);
}

static void ask_anew(struct herald_net_questions *questions, struct herald_net_question *question) {
    unnumber_question(questions, question);
    herald_net_question_reset(question);
    number_question(questions, question);
}

void herald_net_questions_reset(struct herald_net_center *network) {
    struct herald_net_questions *questions = &network->questions;
    for (struct herald_net_question *question = questions->waiting; question; question = question->next)
        ask_anew(questions, question);
    for (struct herald_net_question *question; (question = questions->sent);) {
        ask_anew(questions, question);
        GROUND_LIST_REMOVE(question);
        GROUND_LIST_PUSH(questions->waiting, question);
    }
}

void herald_net_questions_tell(struct herald_net_center *network) {
    for (;;) {
        pthread_mutex_lock(&network->lock);
        struct herald_net_question *question = network->questions.over;
        if (question) GROUND_LIST_REMOVE(question);
        network->telling = question != NULL;
        pthread_mutex_unlock(&network->lock);
        if (!question) return;
        question->done(network, question);
    }
}
