/* A question: what JetStream is asked about the stream, and what it has answered.
 *
 * A question has requests, each of which has one answer. A list of subjects adds a request for each subject to its
 * question, so a question takes two round trips at most. It is over when all requests are answered, when one of them
 * has failed, or when no answer has come for two seconds.
 */
#ifndef HERALD_NET_QUESTION_H
#define HERALD_NET_QUESTION_H

#include "followed.h"
#include "stream.h"
#include <nats/nats.h>

struct herald_net_center;

enum { HERALD_NET_QUESTION_SECONDS = 2 };

/* A message that the stream keeps. Its bytes and texts are in the same block of memory. */
struct herald_net_kept {
    size_t size;       /* of the block */
    uint64_t sequence; /* of the stream */
    bool is_forgotten; /* it says that nothing is kept */
    const char *subject;
    HeraldMessage message;
};

/* The last message of a subject; the subjects of a filter; making the stream; the stream's configuration; any other
 * call. */
enum herald_net_request_kind { HERALD_NET_LAST, HERALD_NET_LIST, HERALD_NET_MAKE, HERALD_NET_LOOK, HERALD_NET_CALL };

struct herald_net_request {
    enum herald_net_request_kind kind;
    bool is_answered;
    char *text; /* the subject, the filter, what the stream is to be; or the call, a space, and what it says */
};

/* What becomes of something that is next to be sent. */
enum herald_net_turn { HERALD_NET_WAITS, HERALD_NET_SENDS, HERALD_NET_DROPS };

struct herald_net_question {
    struct herald_net_question *next, **link;
    uint64_t number;
    uint64_t from, due; /* it is not sent before `from`; if it is not over at `due`, it has failed */
    HeraldNameRef name; /* what it is about; NULL: several names, or none */

    struct herald_net_request *requests;
    uint32_t count, room, sent, answered;
    uint32_t own; /* how many requests it has without those that follow from a list */

    struct herald_net_kept **kept; /* the answers of the kind HERALD_NET_LAST, in any order */
    uint32_t kept_count, kept_room;
    size_t bytes;                /* that the answers take, and the requests */
    struct herald_net_json look; /* the answer of the kind HERALD_NET_LOOK or HERALD_NET_CALL, in `text` */
    char *text;
    uint64_t error; /* the number of JetStream's error; 0: none */
    HeraldStatus status;
    bool is_late;     /* it has failed because its time is over */
    char reason[256]; /* why it has failed */

    void (*done)(struct herald_net_center *network, struct herald_net_question *question);

    /* For net_begin.c. `prepare` is called by the loop under the center's lock, before the first request is sent, and
     * adds the requests. */
    enum herald_net_turn (*prepare)(struct herald_net_center *network, struct herald_net_question *question);
    bool is_prepared, mends;
    uint64_t highest; /* the highest number that had come in when it was prepared */
    uint64_t asked_till;
    struct herald_net_beginner *beginners;

    /* For net_kept.c: */
    union {
        void (*asked)(void *context, HeraldStatus status, const HeraldMessage *message);
        void (*forgot)(void *context, HeraldStatus status, bool forgotten);
    } answer;
    void *context;
    unsigned replicas;
    bool has_forgotten;
    struct herald_net_outgoing *forgetting; /* the message that forgets, of which this question is told the end */
};

struct herald_net_questions {
    struct herald_net_question *waiting;    /* those that have requests to send */
    struct herald_net_question *sent;       /* those that wait for answers alone */
    struct herald_net_question *over;       /* those whose `done` is still to be called */
    struct herald_net_question *forgetting; /* those that are told the end of a message that forgets */
    struct ground_table numbered;           /* those that are under way, by their numbers */
    uint64_t newest;
};

HERALD_BEGIN
extern const char herald_net_no_memory[]; /* a reason */

/* A question without requests, about a name or NULL. `done` is called once it is over, under no lock, and destroys it;
 * on the thread that delivers posts, except when the center ends. NULL when memory is out. */
struct herald_net_question *herald_net_question_create(HeraldNameRef name,
                                                       void (*done)(struct herald_net_center *network,
                                                                    struct herald_net_question *question));
void herald_net_question_destroy(struct herald_net_question *question);

/* The next three return why they have failed, or NULL. */

/* Adds a request, with a copy of the text. */
const char *herald_net_question_add(struct herald_net_question *question, enum herald_net_request_kind kind,
                                    const char *text);
/* Takes over the requests of another question. */
const char *herald_net_question_splice(struct herald_net_question *question, struct herald_net_question *more);
/* Adds a kept message to the answers, which own it then. */
const char *herald_net_question_keep(struct herald_net_question *question, struct herald_net_kept *kept);
/* Forgets all answers. The question may be asked again. */
void herald_net_question_reset(struct herald_net_question *question);
HERALD_END
#endif
