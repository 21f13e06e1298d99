/* Letters are sent, and their answers read (letter.h).
 *
 * Ordering: The center's lock. Answers are read by the loop, so no observer delays them.
 * Progress: O(1) for each letter, and O(n) in each pass of the loop while letters of n names are under way.
 * Ownership: An outlet owns its letters, until they are over. The list of those that are over owns them then.
 */
#include "ground_list.h"
#include "json.h"
#include "net.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESEND_MS = 500, /* between two sendings, while nothing answers */
    LEADERLESS_MS =
        50,            /* after the first, while no stream or no leader is there; then twice as long, up to RESEND_MS */
    JUST_NOW_MS = 100, /* in this time the server says that nobody hears a letter */
    ASK_AGAIN_MS = 2000,  /* between two questions for a letter's stream */
    STORE_FAILED = 10077, /* numbers of JetStream's errors: */
    IN_PROCESS = 10158,
    ID_ROOM = 40,
    SENT_AT_ONCE_BYTES = 256 << 10
};

/* The stream answers to a letter. The server answers to the question which stream has the letter's subject. */
enum { STREAM = 's', NAMES = 'n' };

static void name_answer(const struct herald_net_center *network, char subject[HERALD_NET_INBOX_ROOM], char who,
                        uint64_t number) {
    snprintf(subject, HERALD_NET_INBOX_ROOM, "%sletter.%c%" PRIu64, network->inbox_root, who, number);
}

/* ---- Posting ----------------------------------------------------------------------------------------------------- */

static struct herald_net_letter *create_letter(struct herald_net_center *network, struct herald_net_outlet *outlet,
                                               const char *subject, const HeraldMessage *message) {
    char reply[HERALD_NET_INBOX_ROOM], id[ID_ROOM];
    struct herald_net_letter *letter = calloc(1, sizeof *letter);
    if (!letter) return NULL;
    letter->number = ++network->letters.newest;
    letter->outlet = outlet;
    name_answer(network, reply, STREAM, letter->number);
    snprintf(id, sizeof id, "%016" PRIx64 "-%" PRIu64, network->sender, letter->number);
    letter->post = herald_net_outgoing_create_letter(outlet->name, subject, reply, id, message);
    if (letter->post) {
        letter->post->size += sizeof *letter;
        return letter;
    }
    herald_net_letter_destroy(letter);
    return NULL;
}

/* Under the lock: the letter is under way from now on. */
static void lead(struct herald_net_center *network, struct herald_net_letter *letter) {
    struct herald_net_letters *letters = &network->letters;
    letter->outlet->foremost = letter;
    letter->next = NULL;
    letter->link = letters->end;
    *letters->end = letter;
    letters->end = &letter->next;
    herald_net_wake(network);
}

/* Under the lock: puts the letter behind those of its name. */
static void add_letter(struct herald_net_center *network, struct herald_net_letter *letter) {
    struct herald_net_outlet *outlet = letter->outlet;
    letter->place = network->queue.taken;
    network->queue.bytes += letter->post->size;
    network->letters.taken++;
    ground_table_insert(&network->letters.numbered, letter);
    if (outlet->foremost) {
        outlet->hindmost->behind = letter;
    } else {
        lead(network, letter);
    }
    outlet->hindmost = letter;
}

HeraldStatus herald_net_letter_post(struct herald_net_center *network, struct herald_net_outlet *outlet,
                                    const char *subject, const HeraldMessage *message, uint64_t deadline,
                                    void (*told)(void *context, HeraldStatus status, uint64_t sequence),
                                    void *context) {
    HeraldStatus status = HeraldOK;
    struct herald_net_letter *letter = create_letter(network, outlet, subject, message);
    if (!letter) return herald_net_complain(HeraldOutOfMemory, "out of memory");
    size_t size = letter->post->size, limit = network->queue.limit;
    letter->due = deadline;
    letter->told = told;
    letter->context = context;
    pthread_mutex_lock(&network->lock);
    if (network->phase != HERALD_NET_OPEN) {
        status = herald_net_complain_of_end();
    } else if (size > limit) {
        status = herald_net_complain_of_size(size, "%zu bytes may wait, and the message comes to %zu", limit, size);
    } else if (network->queue.bytes + size > limit) {
        status = herald_net_complain(HeraldQueueFull, "more than %zu bytes wait to be sent or stored", limit);
    } else if (!ground_table_reserve(&network->letters.numbered)) {
        status = herald_net_complain(HeraldOutOfMemory, "out of memory");
    } else {
        add_letter(network, letter);
    }
    pthread_mutex_unlock(&network->lock);
    if (status != HeraldOK) herald_net_letter_destroy(letter);
    return status;
}

/* ---- The end of a letter ----------------------------------------------------------------------------------------- */

/* Under the lock: the foremost letter of a name is over, and the next one is under way. `reason`: why it is not stored;
 * NULL: it is. The loop tells its poster. */
static void end_letter(struct herald_net_center *network, struct herald_net_letter *letter, const char *reason) {
    struct herald_net_letters *letters = &network->letters;
    struct herald_net_outlet *outlet = letter->outlet;
    GROUND_LIST_REMOVE(letter);
    if (letters->end == &letter->next) letters->end = letter->link;
    ground_table_remove(&letters->numbered, ground_table_place(&letters->numbered, letter));
    outlet->foremost = NULL;
    if (letter->behind) lead(network, letter->behind);
    network->queue.bytes -= letter->post->size;
    herald_net_outgoing_destroy(letter->post);
    letter->post = NULL;
    letter->is_stored = !reason;
    if (reason) { /* perhaps the letter's own */
        letters->refused++;
        memmove(letter->reason, reason, strnlen(reason, sizeof letter->reason - 1) + 1);
        letter->reason[sizeof letter->reason - 1] = 0;
    }
    letter->next = NULL;
    *letters->over_end = letter;
    letters->over_end = &letter->next;
    herald_net_wake(network);
}

void herald_net_letters_fail(struct herald_net_center *network, const char *reason) {
    while (network->letters.foremost) end_letter(network, network->letters.foremost, reason);
}

void herald_net_letters_deny(struct herald_net_center *network, const char *subject, size_t length, bool is_whole,
                             const char *reason) {
    for (struct herald_net_letter *letter = network->letters.foremost, *next; letter; letter = next) {
        next = letter->next;
        const char *own = natsMsg_GetSubject(letter->post->message);
        if (letter->sent_at && strncmp(own, subject, length) == 0 && (!is_whole || !own[length]))
            end_letter(network, letter, reason);
    }
}

/* Why a letter is not stored, whose time is over. */
static const char *late_reason(const struct herald_net_center *network, const struct herald_net_letter *letter) {
    if (*letter->reason) return letter->reason;
    if (!network->connected) return *network->trouble ? network->trouble : "no server is connected";
    if (letter->is_unheard) return "no stream stores this name, or the server has no JetStream";
    return letter->sent_at ? "no stream has answered in time" : "there was no time to send it";
}

void herald_net_letters_expire(struct herald_net_center *network, bool comes) {
    uint64_t more = comes ? GROUND_SECOND : 0; /* what comes now may be an answer */
    for (struct herald_net_letter *letter = network->letters.foremost, *next; letter; letter = next) {
        next = letter->next;
        if (herald_net_is_due(network, letter->due + more)) end_letter(network, letter, late_reason(network, letter));
    }
}

void herald_net_letters_tell(struct herald_net_center *network) {
    struct herald_net_letters *letters = &network->letters;
    pthread_mutex_lock(&network->lock);
    struct herald_net_letter *letter = letters->over;
    letters->over = NULL;
    letters->over_end = &letters->over;
    pthread_mutex_unlock(&network->lock);
    for (struct herald_net_letter *next; letter; letter = next) {
        next = letter->next;
        HeraldStatus status = letter->is_stored ? HeraldOK : herald_net_complain(HeraldNotStored, "%s", letter->reason);
        letter->told(letter->context, status, letter->sequence);
        herald_net_letter_destroy(letter);
    }
}

/* ---- Sending ----------------------------------------------------------------------------------------------------- */

void herald_net_letters_reset(struct herald_net_center *network) {
    for (struct herald_net_letter *letter = network->letters.foremost; letter; letter = letter->next)
        letter->again_at = letter->asked_at = letter->pause = 0;
}

/* Under the lock: asks which stream has the letter's subject. Where an observer hears the subject, the server does not
 * say that no stream does: there is no answer at all. */
static void ask_for_stream(struct herald_net_center *network, struct herald_net_letter *letter) {
    char reply[HERALD_NET_INBOX_ROOM], *text = NULL;
    char *quoted = herald_net_json_quote(natsMsg_GetSubject(letter->post->message));
    name_answer(network, reply, NAMES, letter->number);
    if (quoted && asprintf(&text, "{\"subject\":%s}", quoted) >= 0)
        natsConnection_PublishRequest(network->connection, "$JS.API.STREAM.NAMES", reply, text, (int)strlen(text));
    letter->asked_at = ground_now();
    free(quoted);
    free(text);
}

/* Under the lock: numbers and signs the letter before it is sent for the first time. If it is never sent, observers see
 * no gap. False when memory is out. */
static bool sign_letter(struct herald_net_center *network, struct herald_net_letter *letter) {
    struct herald_net_outgoing *post = letter->post;
    if (letter->sent_at) return true;
    if (!post->sequence) post->sequence = ++letter->outlet->letter_sequence;
    return herald_net_outgoing_sign(post, herald_net_sender_of(network, post));
}

/* Under the lock, during which libnats may be called (subscription.c). Returns false if the letter cannot be sent now.
 */
static bool send_letter(struct herald_net_center *network, struct herald_net_letter *letter) {
    uint64_t now = ground_now();
    if (!sign_letter(network, letter)) return false;
    if (letter->sent_at && now - letter->asked_at > ASK_AGAIN_MS * GROUND_MILLISECOND) ask_for_stream(network, letter);
    natsStatus status = natsConnection_PublishMsg(network->connection, letter->post->message);
    if (status == NATS_CONNECTION_CLOSED || status == NATS_CONNECTION_DISCONNECTED || status == NATS_NO_MEMORY)
        return false;
    if (status != NATS_OK) {
        end_letter(network, letter,
                   status == NATS_MAX_PAYLOAD ? "it is larger than this server takes" : natsStatus_GetText(status));
        return true;
    }
    uint64_t pause = letter->pause ? 2 * letter->pause : LEADERLESS_MS * GROUND_MILLISECOND;
    letter->pause = pause < RESEND_MS * GROUND_MILLISECOND ? pause : RESEND_MS * GROUND_MILLISECOND;
    network->letters.sent += !letter->sent_at;
    letter->sent_at = now;
    letter->again_at = now + RESEND_MS * GROUND_MILLISECOND;
    herald_net_look_again(network, letter->again_at);
    return true;
}

/* Under the lock: whether the letter is sent in this pass. The posts from before it go first, and after a reconnection
 * observers elsewhere reconnect first. A letter whose time is over is not sent: its stream may have forgotten it. */
static bool is_ready(struct herald_net_center *network, const struct herald_net_letter *letter) {
    return (HERALD_NET_STEP(AGAIN) || !letter->sent_at) && herald_net_is_due(network, letter->again_at) &&
           herald_net_is_due(network, network->held_till) && network->queue.gone >= letter->place &&
           ground_now() < letter->due;
}

bool herald_net_letters_send(struct herald_net_center *network) {
    size_t bytes = 0;
    if (network->inbox_denied) herald_net_letters_fail(network, network->inbox_denial);
    for (struct herald_net_letter *letter = network->letters.foremost, *next; letter; letter = next) {
        next = letter->next;
        if (!is_ready(network, letter)) continue;
        if (bytes > SENT_AT_ONCE_BYTES) return true;
        bytes += letter->post->size;
        if (send_letter(network, letter)) continue;
        herald_net_look_soon(network);
        return false;
    }
    return false;
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

/* What a stream, or another program, has answered to a letter. */
struct stream_answer {
    enum { STORED, REFUSED, RETRIED, IGNORED } what;
    uint64_t sequence;
    char reason[256];
};

/* Whether JetStream has said that the message may be stored later: there is no leader, or too much comes, or the
 * message is being stored. A full stream says "maximum ...". */
static bool is_temporary(const struct herald_net_api_error *error) {
    if (error->number == STORE_FAILED) return strncmp(error->reason, "maximum", 7) != 0;
    return herald_net_api_error_passes(error) || error->number == IN_PROCESS;
}

static void read_stream_error(struct stream_answer *answer, const struct herald_net_api_error *error, bool has_stream) {
    if (!error->number && !has_stream) return;
    strcpy(answer->reason, error->reason);
    answer->what = is_temporary(error) ? RETRIED : REFUSED;
}

/* Reads an answer. Another program may answer to the subject, too; what it says is not for us. A stream gives its name,
 * and a server the number of its error. */
static struct stream_answer read_stream_answer(natsMsg *message) {
    struct stream_answer answer = {.what = IGNORED};
    struct herald_net_json all, value;
    struct herald_net_api_error error;
    if (!herald_net_json_read(&all, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message))) return answer;
    bool has_stream = herald_net_json_member(all, "stream", &value);
    if (herald_net_api_error_read(all, &error)) {
        read_stream_error(&answer, &error, has_stream);
    } else if (has_stream && herald_net_json_member(all, "seq", &value) &&
               herald_net_json_number(value, &answer.sequence) && answer.sequence) {
        answer.what = STORED;
    }
    return answer;
}

static void read_stored(struct herald_net_center *network, uint64_t number, natsMsg *message) {
    struct stream_answer answer = read_stream_answer(message);
    pthread_mutex_lock(&network->lock);
    struct herald_net_letter *letter = herald_net_letters_find(&network->letters, number);
    if (letter && answer.what == STORED) {
        letter->sequence = answer.sequence;
        end_letter(network, letter, NULL);
    } else if (letter && answer.what == REFUSED) {
        end_letter(network, letter, answer.reason);
    } else if (letter && answer.what == RETRIED) {
        strcpy(letter->reason, answer.reason);
        letter->again_at = letter->sent_at + letter->pause;
    }
    pthread_mutex_unlock(&network->lock);
}

static void read_names(struct herald_net_center *network, uint64_t number, natsMsg *message) {
    struct herald_net_json all, value, stream;
    size_t count = 0;
    if (!herald_net_json_read(&all, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message)) ||
        !herald_net_json_member(all, "total", &value))
        return; /* an error: the reason stays unknown */
    bool has_stream = herald_net_json_member(all, "streams", &value) && herald_net_json_first(value, &stream, &count);
    pthread_mutex_lock(&network->lock);
    struct herald_net_letter *letter = herald_net_letters_find(&network->letters, number);
    if (letter) {
        letter->has_stream = has_stream;
        letter->is_unheard = false;
        strcpy(letter->reason, has_stream ? "" : "no stream stores this name");
    }
    pthread_mutex_unlock(&network->lock);
}

/* The server has said that nobody hears some of our messages, and libnats does not say which. Those that were sent just
 * now, and have no stream, are sent again soon: the stream or its leader may be about to come. */
static void note_unheard(struct herald_net_center *network) {
    uint64_t now = ground_now();
    pthread_mutex_lock(&network->lock);
    for (struct herald_net_letter *letter = network->letters.foremost; letter; letter = letter->next) {
        if (!letter->sent_at || letter->has_stream || now - letter->sent_at > JUST_NOW_MS * GROUND_MILLISECOND)
            continue;
        letter->is_unheard = true;
        letter->again_at = letter->sent_at + letter->pause;
    }
    pthread_mutex_unlock(&network->lock);
}

bool herald_net_letters_open(struct herald_net_center *network) {
    char subject[HERALD_NET_INBOX_ROOM];
    if (network->answers) return true;
    snprintf(subject, sizeof subject, "%sletter.*", network->inbox_root);
    return natsConnection_SubscribeSync(&network->answers, network->connection, subject) == NATS_OK;
}

/* Reads the answer of a message whose subject says who has answered, and to which letter. */
static void read_answer_to_letter(struct herald_net_center *network, natsMsg *message) {
    const char *text = strrchr(natsMsg_GetSubject(message), '.') + 1;
    uint64_t number = strtoull(text + (*text != 0), NULL, 10);
    if (*text == STREAM) read_stored(network, number, message);
    if (*text == NAMES) read_names(network, number, message);
    natsMsg_Destroy(message);
}

void herald_net_letters_read(struct herald_net_center *network) {
    natsMsg *message;
    natsStatus status = NATS_OK;
    bool is_unheard = false;
    while (network->answers && (status == NATS_OK || status == NATS_NO_RESPONDERS)) {
        status = natsSubscription_NextMsg(&message, network->answers, 0);
        if (status == NATS_OK) read_answer_to_letter(network, message);
        is_unheard = is_unheard || status == NATS_NO_RESPONDERS;
    }
    if (is_unheard) note_unheard(network);
}
