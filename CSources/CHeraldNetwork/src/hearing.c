/* Reading incoming messages, and handing them to the center.
 *
 * Ordering: libnats calls herald_net_hearing_receive on one thread for all subscriptions, unless the program has set
 * libnats to deliver on several threads. The lock `hearing` protects the senders, which the loop changes, too
 * (subscription.c).
 * Progress: The observers run on the thread that libnats delivers on, so a slow observer delays all incoming posts.
 * Ownership: The message is destroyed when herald_net_hearing_receive returns. The center is retained for the call.
 */
#include "net.h"
#include "signature.h"
#include "subject.h"
#include <stdlib.h>
#include <string.h>

enum { FEW_BYTES = 4096 };

static const uint64_t NUMBER_MOST = UINT64_C(1) << 53;

/* The parts of an incoming message. */
struct received {
    HeraldNameRef name;
    HeraldMessage message;
    bool is_plain, is_signed;
    bool is_kept, is_forgotten; /* the stream has republished it; it says that nothing is kept any more */
    uint64_t number, before;    /* of a kept message: the stream's numbers of it, and of the last one of its subject */
    const char *subject;        /* to which a kept message was published */
    char text[HERALD_NET_SUBJECT_ROOM], object[HERALD_NET_SUBJECT_ROOM];
};

/* Reads a header that is a number of the stream. Another program may write any number. Those up to NUMBER_MOST are
 * taken, so that a sum of a few does not overflow. */
static bool read_number(natsMsg *message, const char *key, uint64_t *number) {
    const char *text;
    char *end;
    if (natsMsgHeader_Get(message, key, &text) != NATS_OK || !text || *text < '0' || *text > '9') return false;
    *number = strtoull(text, &end, 10);
    return !*end && *number <= NUMBER_MOST;
}

/* Whether the stream has republished the message. Then reads the stream's headers. */
static bool read_kept_headers(const struct herald_net_center *network, natsMsg *message, struct received *received) {
    const char *text, *live = natsMsg_GetSubject(message);
    size_t kept = strlen(network->stream.kept), heard = strlen(network->stream.heard);
    if (natsMsgHeader_Get(message, "Nats-Stream", &text) != NATS_OK || !text ||
        strcmp(text, network->stream.name) != 0 ||
        natsMsgHeader_Get(message, "Nats-Subject", &received->subject) != NATS_OK || !received->subject ||
        strlen(received->subject) > HERALD_NET_SUBJECT_MOST ||
        strncmp(received->subject, network->stream.kept, kept) != 0 ||
        strncmp(live, network->stream.heard, heard) != 0 || strcmp(received->subject + kept, live + heard) != 0 ||
        !read_number(message, "Nats-Sequence", &received->number) || !received->number ||
        !read_number(message, "Nats-Last-Sequence", &received->before))
        return false;
    received->is_forgotten =
        natsMsgHeader_Get(message, "Herald-Kept", &text) == NATS_OK && text && strcmp(text, "none") == 0;
    return true;
}

/* A center without a prefix that observes any name gets the account's whole traffic. What this library and JetStream
 * send for their own use is no post. */
static bool is_internal(const struct herald_net_center *network, const char *subject) {
    static const char *const beginnings[] = {"herald-kept.", "_INBOX.herald.", "$JS."};
    for (size_t i = 0; !*network->prefix && i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(subject, beginnings[i], strlen(beginnings[i])) == 0) return true;
    return false;
}

static bool read_message(const struct herald_net_center *network, natsMsg *message, struct received *received) {
    bool has_object, is_message = false;
    const char *text = NULL;
    memset(&received->message, 0, sizeof received->message);
    received->message.size = sizeof received->message;
    received->message.bytes = natsMsg_GetData(message);
    received->message.length = (size_t)natsMsg_GetDataLength(message);
    received->is_plain = received->is_forgotten = false;
    received->is_kept = read_kept_headers(network, message, received);
    if (!herald_net_subject_read(natsMsg_GetSubject(message),
                                 received->is_kept ? network->stream.heard : network->prefix, received->text,
                                 received->object, &has_object))
        return false;
    received->name = herald_net_foreign_name(received->text);
    if (!received->name) return false;
    if (has_object) received->message.object = received->object;
    received->is_signed = natsMsgHeader_Get(message, "Herald-Post", &text) == NATS_OK && text &&
                          herald_net_signature_read(text, &received->message, &is_message);
    bool has_type = natsMsgHeader_Get(message, "Content-Type", &text) == NATS_OK && text;
    if (has_type) received->message.type = text;
    if (!herald_net_is_text(&received->message)) return false;
    if (received->is_kept) return true;
    received->is_plain = received->is_signed && !has_type && !is_message && !received->message.length && !has_object;
    return true;
}

/* Somebody may observe a prefix with the same text as the name, while nobody observes the name itself. The subscription
 * for the prefix brings only subjects below the name's own subject, and of the name's posts only messages about objects
 * have such subjects. So a gap in the sequence is then no loss. */
bool herald_net_hearing_hears(void *context, HeraldNameRef name) {
    struct herald_net_center *network = context;
    char subject[HERALD_NET_SUBJECT_ROOM];
    return herald_net_subject_write(subject, network->prefix, HeraldNameGetUTF8String(name), NULL) &&
           herald_net_interests_hear(&network->interests, subject);
}

static bool is_new(struct herald_net_center *network, struct received *received) {
    if (!received->is_signed) return true;
    pthread_mutex_lock(&network->hearing);
    bool is_new = herald_net_senders_note(&network->senders, received->name, received->message.sender,
                                          received->message.sequence, &received->message.missed);
    pthread_mutex_unlock(&network->hearing);
    return is_new;
}

/* Counts what was missed before the message. */
static void count_missed(struct herald_net_center *network, struct received *received) {
    if (!received->message.missed) return;
    pthread_mutex_lock(&network->lock);
    if (!herald_net_hearing_hears(network, received->name)) received->message.missed = 0;
    network->counts.missed += received->message.missed;
    pthread_mutex_unlock(&network->lock);
}

/* Notes a kept message. Returns false if it is not delivered: it is a repeat, or says that nothing is kept. A message
 * that is older than what was heard may also be of a stream that was made again; then asking shows it. So may one with
 * the same number that is signed: its repeat would have been dropped by its sender's number. */
static bool is_newer(struct herald_net_center *network, struct received *received) {
    bool is_newer = true, missed = false;
    if (!received->is_kept) return true;
    pthread_mutex_lock(&network->lock);
    uint64_t base = network->kept_base;
    received->number += base;
    if (received->before) received->before += base;
    if (received->number > network->kept_highest) network->kept_highest = received->number;
    struct herald_net_followed *followed = herald_net_follows_find(&network->follows, received->name);
    struct herald_net_heard *heard =
        followed ? herald_net_heard_obtain(&network->follows, followed, received->subject) : NULL;
    if (heard) is_newer = herald_net_heard_note(heard, received->number, received->before, &missed);
    if (!is_newer && (received->number < heard->heard || received->is_signed)) herald_net_begin_mend(network, followed);
    /* The stream's numbers show exactly whether something was missed, and the sender's at least how much. */
    if (heard && !(missed && received->message.missed)) received->message.missed = missed;
    pthread_mutex_unlock(&network->lock);
    return is_newer && !received->is_forgotten;
}

static void free_bytes(void **bytes) { free(*bytes); }
static void destroy_message(natsMsg **message) { natsMsg_Destroy(*message); }

/* Observers may read the bytes as values of any type. So bytes that are not aligned to 8 are copied. */
static void deliver(HeraldCenterRef center, struct received *received) {
    _Alignas(16) char few[FEW_BYTES];
    void *more __attribute__((cleanup(free_bytes))) = NULL;
    HeraldMessage *message = &received->message;
    if ((uintptr_t)message->bytes % 8 && message->length) {
        if (message->length > sizeof few) more = malloc(message->length);
        if (message->length <= sizeof few || more)
            message->bytes = memcpy(more ? more : few, message->bytes, message->length);
    }
    if (received->is_kept) {
        HeraldCenterDeliverKept(center, received->name, message, received->number);
    } else if (received->is_plain) {
        HeraldCenterDeliver(center, received->name, NULL, NULL, NULL, message->options);
    } else {
        HeraldCenterDeliverMessage(center, received->name, message);
    }
}

void herald_net_hearing_receive(natsConnection *connection, natsSubscription *subscription, natsMsg *what,
                                void *closure) {
    (void)connection, (void)subscription;
    struct herald_net_center *network = closure;
    natsMsg *message __attribute__((cleanup(destroy_message))) = what;
    struct herald_net_delivering delivering HERALD_NET_DELIVERING;
    if (!message || is_internal(network, natsMsg_GetSubject(message))) return;
    struct received received;
    HeraldCenterRef center __attribute__((cleanup(herald_net_release_center))) = herald_net_hold_center(network);
    if (!center) return;
    if (!read_message(network, message, &received)) {
        pthread_mutex_lock(&network->lock);
        network->counts.undecodable++;
        pthread_mutex_unlock(&network->lock);
        return;
    }
    if (!is_new(network, &received) || !is_newer(network, &received)) return;
    count_missed(network, &received);
    network->received++;
    deliver(center, &received);
}

enum herald_net_handed herald_net_hearing_hand(struct herald_net_center *network, HeraldCenterRef center,
                                               natsMsg *message) {
    struct received received = {.name = NULL};
    received.text[0] = 0;
    if (read_message(network, message, &received)) {
        if (received.is_kept && received.is_forgotten) return HERALD_NET_NO_POST;
        network->received++;
        received.is_kept = false;
        deliver(center, &received);
        return HERALD_NET_HANDED;
    }
    pthread_mutex_lock(&network->lock);
    network->counts.undecodable++;
    pthread_mutex_unlock(&network->lock);
    return received.text[0] && !received.name ? HERALD_NET_NO_NAME : HERALD_NET_NO_POST;
}
