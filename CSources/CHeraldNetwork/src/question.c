/* Ordering: While a question is under way, the center's lock protects it. Progress: O(1), amortised, and linear in the
 * requests where all are freed. Ownership: A question owns its requests, the answers and its beginners.
 */
#include "question.h"
#include <stdlib.h>
#include <string.h>

enum { REQUESTS_MOST = 65536 + 2, BYTES_MOST = 64 << 20 };

static const char too_much[] = "the stream keeps too much to begin with";
const char herald_net_no_memory[] = "out of memory";

struct herald_net_question *herald_net_question_create(HeraldNameRef name,
                                                       void (*done)(struct herald_net_center *network,
                                                                    struct herald_net_question *question)) {
    struct herald_net_question *question = calloc(1, sizeof *question);
    if (!question) return NULL;
    question->name = name;
    question->done = done;
    return question;
}

void herald_net_question_destroy(struct herald_net_question *question) {
    for (uint32_t i = 0; i < question->count; i++) free(question->requests[i].text);
    for (uint32_t i = 0; i < question->kept_count; i++) free(question->kept[i]);
    free(question->requests);
    free(question->kept);
    free(question->text);
    herald_net_beginners_destroy(question->beginners);
    free(question);
}

/* Makes room for one more element of `size` bytes. */
static bool make_room(void **elements, uint32_t count, uint32_t *room, size_t size) {
    if (count < *room) return true;
    uint32_t more = *room ? 2 * *room : 4;
    void *grown = realloc(*elements, more * size);
    if (!grown) return false;
    *elements = grown;
    *room = more;
    return true;
}

static size_t request_size(const char *text) { return sizeof(struct herald_net_request) + strlen(text) + 1; }

const char *herald_net_question_add(struct herald_net_question *question, enum herald_net_request_kind kind,
                                    const char *text) {
    void *requests = question->requests;
    if (question->count == REQUESTS_MOST) return too_much;
    if (!make_room(&requests, question->count, &question->room, sizeof *question->requests))
        return herald_net_no_memory;
    question->requests = requests;
    size_t size = request_size(text);
    if (question->bytes + size > BYTES_MOST) return too_much;
    char *copy = strdup(text);
    if (!copy) return herald_net_no_memory;
    question->bytes += size;
    question->requests[question->count++] = (struct herald_net_request){.kind = kind, .text = copy};
    return NULL;
}

const char *herald_net_question_splice(struct herald_net_question *question, struct herald_net_question *more) {
    if (!more->count) return NULL;
    if (question->count + more->count > REQUESTS_MOST || question->bytes + more->bytes > BYTES_MOST) return too_much;
    struct herald_net_request *requests =
        realloc(question->requests, (question->count + more->count) * sizeof *requests);
    if (!requests) return herald_net_no_memory;
    memcpy(requests + question->count, more->requests, more->count * sizeof *requests);
    question->requests = requests;
    question->room = question->count += more->count;
    question->bytes += more->bytes;
    more->count = 0;
    return NULL;
}

const char *herald_net_question_keep(struct herald_net_question *question, struct herald_net_kept *kept) {
    void *all = question->kept;
    question->bytes += kept->size + sizeof kept;
    const char *reason = question->bytes > BYTES_MOST ? too_much : NULL;
    if (!reason && !make_room(&all, question->kept_count, &question->kept_room, sizeof *question->kept))
        reason = herald_net_no_memory;
    if (reason) {
        free(kept);
        return reason;
    }
    question->kept = all;
    question->kept[question->kept_count++] = kept;
    return NULL;
}

void herald_net_question_reset(struct herald_net_question *question) {
    uint32_t own = question->prepare ? 0 : question->own;
    for (uint32_t i = own; i < question->count; i++) free(question->requests[i].text);
    question->count = own;
    question->bytes = 0;
    for (uint32_t i = 0; i < question->count; i++) {
        question->requests[i].is_answered = false;
        question->bytes += request_size(question->requests[i].text);
    }
    for (uint32_t i = 0; i < question->kept_count; i++) free(question->kept[i]);
    question->sent = question->answered = question->kept_count = 0;
    question->is_prepared = false;
}
