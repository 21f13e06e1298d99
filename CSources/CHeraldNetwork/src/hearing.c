/* Reading incoming messages, and handing them to the center.
 *
 * Ordering: libnats calls herald_net_hearing_receive on one thread for all subscriptions, unless the program has set
 * libnats to deliver on several threads. The lock `hearing` protects the senders, which the loop changes, too
 * (subscription.c).
 * Progress: The observers run on the thread that libnats delivers on, so a slow observer delays all incoming posts.
 * Ownership: The message is destroyed when herald_net_hearing_receive returns. The center is retained for the call.
 */
#include "net.h"
#include "subject.h"
#include <stdlib.h>
#include <string.h>

enum { FOREIGN_NAMES_MOST = 65536, FEW_BYTES = 4096 };

static _Atomic uint32_t foreign_names; /* names that were made here for incoming posts, for all centers together */

/* The parts of an incoming message. */
struct received {
    HeraldNameRef name;
    HeraldMessage message;
    bool is_plain, is_signed;
    char text[HERALD_NET_SUBJECT_ROOM], object[HERALD_NET_SUBJECT_ROOM];
};

/* The name with this text, made if it does not exist yet. NULL: there are too many foreign names, or memory is out. */
static HeraldNameRef name_of(const char *text) {
    HeraldNameRef name = HeraldNameFind(text);
    if (name) return name;
    if (foreign_names >= FOREIGN_NAMES_MOST && HERALD_NET_STEP(CAP)) return NULL;
    name = HeraldNameCreate(text);
    if (name) foreign_names++;
    return name;
}

/* Reads the header Herald-Post: "sender sequence", then perhaps " message", then perhaps " now". False: another program
 * has written something else there. Then the sender and the sequence are 0. */
static bool read_signature(const char *text, HeraldMessage *message, bool *is_message) {
    char *end;
    if (strspn(text, "0123456789abcdef") != 16 || text[16] != ' ' || text[17] < '1' || text[17] > '9') return false;
    message->sender = strtoull(text, &end, 16);
    message->sequence = strtoull(end + 1, &end, 10);
    *is_message = strncmp(end, " message", 8) == 0;
    if (*is_message) end += 8;
    bool now = strcmp(end, " now") == 0, is_ours = now || *end == 0;
    if (now) message->options = HeraldPostDeliverImmediately;
    if (!is_ours) message->sender = message->sequence = 0;
    return is_ours;
}

static bool read_message(const struct herald_net_center *network, natsMsg *message, struct received *received) {
    bool has_object, is_message = false;
    const char *text = NULL;
    memset(&received->message, 0, sizeof received->message);
    received->message.size = sizeof received->message;
    received->message.bytes = natsMsg_GetData(message);
    received->message.length = (size_t)natsMsg_GetDataLength(message);
    if (!herald_net_subject_read(natsMsg_GetSubject(message), network->prefix, received->text, received->object,
                                 &has_object))
        return false;
    received->name = name_of(received->text);
    if (!received->name) return false;
    if (has_object) received->message.object = received->object;
    received->is_signed = natsMsgHeader_Get(message, "Herald-Post", &text) == NATS_OK && text &&
                          read_signature(text, &received->message, &is_message);
    bool has_type = natsMsgHeader_Get(message, "Content-Type", &text) == NATS_OK && text;
    if (has_type) received->message.type = text;
    if (!HeraldMessageIsPossible(&received->message)) return false;
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
    if (!received->message.missed) return is_new;
    pthread_mutex_lock(&network->lock);
    if (!herald_net_hearing_hears(network, received->name)) received->message.missed = 0;
    network->counts.missed += received->message.missed;
    pthread_mutex_unlock(&network->lock);
    return is_new;
}

/* Returns the center, with a reference for the caller. NULL: the center has ended. */
static HeraldCenterRef center_of(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    HeraldCenterRef center = network->phase == HERALD_NET_ENDED ? NULL : network->center;
    if (center && !HeraldCenterTryRetain(center)) center = NULL;
    pthread_mutex_unlock(&network->lock);
    return center;
}

static void free_bytes(void **bytes) { free(*bytes); }
static void release_center(HeraldCenterRef *center) { HeraldCenterRelease(*center); }
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
    if (received->is_plain) {
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
    if (!message) return;
    struct received received;
    HeraldCenterRef center __attribute__((cleanup(release_center))) = center_of(network);
    if (!center) return;
    if (!read_message(network, message, &received)) {
        pthread_mutex_lock(&network->lock);
        network->counts.undecodable++;
        pthread_mutex_unlock(&network->lock);
        return;
    }
    if (!is_new(network, &received)) return;
    network->received++;
    deliver(center, &received);
}
