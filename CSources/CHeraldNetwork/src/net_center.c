/* The network center: a transport of names and messages under a center of the core.
 *
 * Ordering: `observed` notes an interest before the core shows the registration to posts. A post is in the queue
 * when its call returns.
 * Progress: Posts, adds and removals take the center's lock for a moment, and never wait for the network.
 * Ownership: The core's center has a reference to the network. The network's pointer to the center is valid until
 * `destroy`.
 */
#include "ground_thread.h"
#include "net.h"
#include "subject.h"
#include <herald/inspect.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    QUEUE_LIMIT = 8 << 20,
    REPLICAS_MOST = 5,
    LARGEST = 1 << 20,
    HEADERS = 96,  /* bytes of Herald's headers, without the type */
    ID_HEADER = 56 /* of Nats-Msg-Id */
};

/* ---- What a call may do ------------------------------------------------------------------------------------------ */

static HeraldStatus complain_of_memory(void) { return herald_net_complain(HeraldOutOfMemory, "out of memory"); }

/* Whether subjects that begin with this text are the streams'. */
static bool is_streams(const char *text) {
    static const char root[] = "herald-kept";
    return strncmp(text, root, sizeof root - 1) == 0 && (!text[sizeof root - 1] || text[sizeof root - 1] == '.');
}

/* Whether a name, or what names begin with, can be carried. Without a prefix it must not be what streams store. */
static HeraldStatus check_beginning(const struct herald_net_center *network, const char *text) {
    if (*network->prefix || !is_streams(text)) return HeraldOK;
    return herald_net_complain(HeraldInvalidArgument, "without a prefix no name begins with herald-kept, where streams "
                                                      "store what is kept");
}

/* The text of a name, if the network can carry it. Otherwise NULL, and `*status` is set. */
static const char *text_of(const struct herald_net_center *network, HeraldNameRef name, HeraldStatus *status) {
    const char *text = HeraldNameGetUTF8String(name);
    size_t length = text ? strnlen(text, HERALD_NETWORK_NAME_LIMIT + 1) : 0;
    *status = HeraldOK;
    if (length && length <= HERALD_NETWORK_NAME_LIMIT) {
        *status = check_beginning(network, text);
        return *status == HeraldOK ? text : NULL;
    }
    *status = herald_net_complain(HeraldInvalidArgument, text ? "a name has 1 to 512 bytes on the network"
                                                              : "a name that is an address stays in its process");
    return NULL;
}

/* Writes the subject of a name and perhaps an object. If it is too long, complains of `what`. */
static HeraldStatus write_subject(const struct herald_net_center *network, char subject[HERALD_NET_SUBJECT_ROOM],
                                  const char *name, const char *object, const char *what) {
    if (herald_net_subject_write(subject, network->prefix, name, object)) return HeraldOK;
    return herald_net_complain_of_size(strlen(name) + (object ? strlen(object) : 0), "%s too long on the wire", what);
}

/* Whether the prefix can have a stream. */
static HeraldStatus check_stream(const struct herald_net_center *network) {
    if (network->stream.is_possible) return HeraldOK;
    return herald_net_complain(HeraldInvalidArgument, "the prefix is too long for the name of a stream");
}

/* Writes the subject to which a message is published to be kept. */
static HeraldStatus write_kept_subject(const struct herald_net_center *network, char subject[HERALD_NET_SUBJECT_ROOM],
                                       HeraldNameRef name, const char *object) {
    HeraldStatus status = check_stream(network);
    const char *text = status == HeraldOK ? text_of(network, name, &status) : NULL;
    if (!text || herald_net_subject_write(subject, network->stream.kept, text, object)) return status;
    return herald_net_complain_of_size(strlen(text) + (object ? strlen(object) : 0),
                                       "the name and the object are too long on the wire");
}

/* ---- Observers --------------------------------------------------------------------------------------------------- */

/* A name has two subjects: one for posts without an object, and one for messages about any object. Without a prefix, it
 * has two more for kept messages, which the stream then republishes to subjects of their own. */
enum { PLAIN, ABOUT, KEPT_PLAIN, KEPT_ABOUT, SUBJECTS };

/* Under the lock: notes for all these subjects that they are wanted, or that they are not. If memory is out, notes
 * nothing. */
static HeraldStatus want_all(struct herald_net_center *network, const char *const *subjects, int count, bool wide,
                             bool is_wanted, uint64_t version) {
    if (is_wanted && network->phase != HERALD_NET_OPEN) return herald_net_complain_of_end();
    struct herald_net_interest *interests[SUBJECTS];
    HeraldStatus status = HeraldOK;
    for (int i = 0; i < count; i++) {
        interests[i] = is_wanted
                           ? herald_net_interests_obtain(&network->interests, subjects[i], wide)
                           : herald_net_interests_find(&network->interests, subjects[i], strlen(subjects[i]), wide);
        if (is_wanted && !interests[i]) status = complain_of_memory();
    }
    for (int i = 0; i < count; i++) {
        if (!interests[i]) continue;
        if (status == HeraldOK) herald_net_interest_want(&network->interests, interests[i], is_wanted, version);
        herald_net_interest_look_at(&network->interests, interests[i]); /* freed if nobody wants it */
    }
    herald_net_wake(network);
    return status;
}

/* Under the lock: a name has lost its observers, unless it has got others since. */
static void forget_followed(struct herald_net_center *network, HeraldNameRef name, const char *subject) {
    const struct herald_net_interest *interest =
        herald_net_interests_find(&network->interests, subject, strlen(subject), false);
    if (!interest || !interest->wanted) herald_net_follows_forget(&network->follows, name);
}

/* Writes the subject of a name, or the beginning of those below a prefix, which is "" for all. */
static HeraldStatus write_observed(const struct herald_net_center *network, HeraldNameRef name, const char *prefix,
                                   char subject[HERALD_NET_SUBJECT_ROOM]) {
    HeraldStatus status = herald_net_registry_check(network);
    const char *text = status == HeraldOK && name ? text_of(network, name, &status) : prefix;
    size_t length = prefix ? strnlen(prefix, HERALD_NETWORK_NAME_LIMIT) : 0;
    if (status == HeraldOK && (length == HERALD_NETWORK_NAME_LIMIT || (length && prefix[length - 1] == '.')))
        return herald_net_complain(HeraldInvalidArgument, "a prefix has at most 511 bytes, and no dot at its end");
    if (status == HeraldOK && prefix) status = check_beginning(network, prefix);
    if (status == HeraldOK && *text) return write_subject(network, subject, text, NULL, "the name or the prefix is");
    if (status == HeraldOK) strcpy(subject, network->prefix);
    return status;
}

/* For observers of a name, or under a prefix, or of any name if both are NULL. */
static HeraldStatus observe(struct herald_net_center *network, HeraldNameRef name, const char *prefix, bool is_observed,
                            uint64_t version) {
    if (!is_observed && herald_net_registry_is_inherited(network)) return HeraldOK;
    char subjects[SUBJECTS][HERALD_NET_SUBJECT_ROOM + 8];
    const char *wanted[SUBJECTS] = {name || prefix ? subjects[PLAIN] : network->prefix, subjects[ABOUT],
                                    subjects[KEPT_PLAIN], subjects[KEPT_ABOUT]};
    int count = name ? 2 : 1;
    HeraldStatus status = herald_net_registry_check(network);
    const char *text = status == HeraldOK && name ? text_of(network, name, &status) : prefix;
    if (status == HeraldOK && prefix) status = check_beginning(network, prefix);
    if (status == HeraldOK && text)
        status = write_subject(network, subjects[PLAIN], text, NULL, name ? "the name is" : "the prefix is");
    if (status != HeraldOK) return status;
    if (name) strcpy(stpcpy(subjects[ABOUT], subjects[PLAIN]), ".%.*");
    if (text && !*network->prefix) {
        /* For a prefix, there is one subject of each kind. */
        char *kept = subjects[name ? KEPT_PLAIN : ABOUT];
        if (!herald_net_subject_write(kept, network->stream.heard, text, NULL))
            return herald_net_complain_of_size(strlen(text), "the name is too long on the wire");
        if (name) strcpy(stpcpy(subjects[KEPT_ABOUT], kept), ".%.*");
        count *= 2;
    }
    pthread_mutex_lock(&network->lock);
    status = want_all(network, wanted, count, !name, is_observed, version);
    if (name && !is_observed) forget_followed(network, name, subjects[PLAIN]);
    pthread_mutex_unlock(&network->lock);
    return status;
}

static HeraldStatus observed(void *context, HeraldCenterRef center, HeraldNameRef name, bool is_observed,
                             uint64_t version) {
    (void)center;
    return observe(context, name, NULL, is_observed, version);
}

static HeraldStatus observed_under(void *context, HeraldCenterRef center, const char *prefix, bool is_observed,
                                   uint64_t version) {
    (void)center;
    return observe(context, NULL, prefix, is_observed, version);
}

HeraldStatus HeraldNetworkAddObserverUnder(HeraldCenterRef center, const void *observer, HeraldCallback callback,
                                           const char *prefix, const HeraldObserverOptions *options,
                                           HeraldToken *token) {
    struct herald_net_center *network;
    if (token) *token = (HeraldToken){0, 0};
    HeraldStatus status = herald_net_registry_find(center, &network);
    if (status != HeraldOK) return status;
    herald_net_release(network);
    return HeraldCenterAddObserverUnder(center, observer, callback, prefix, options, NULL, NULL, token);
}

HeraldStatus HeraldNetworkAddDurableObserver(HeraldCenterRef center, const void *observer,
                                             HeraldDurableCallback callback, const HeraldDurableOptions *options,
                                             HeraldDurableRef *durable) {
    HeraldDurableOptions mine;
    struct herald_net_center *network;
    char subject[HERALD_NET_SUBJECT_ROOM];
    if (durable) *durable = NULL;
    if (!callback) return herald_net_complain(HeraldInvalidArgument, "the callback is NULL");
    HeraldStatus status = herald_net_durable_take_options(&mine, options);
    if (status == HeraldOK) status = herald_net_registry_find(center, &network);
    if (status != HeraldOK) return status;
    status = write_observed(network, mine.about, mine.prefix, subject);
    if (status == HeraldOK) status = herald_net_durable_add(network, observer, callback, &mine, subject, durable);
    herald_net_release(network);
    return status;
}

HeraldStatus HeraldNetworkGetSubject(HeraldCenterRef center, HeraldNameRef name, const char *prefix, char **subject) {
    struct herald_net_center *network;
    char text[HERALD_NET_SUBJECT_ROOM];
    if (subject) *subject = NULL;
    if (!subject || !name == !prefix)
        return herald_net_complain(HeraldInvalidArgument, "a subject is that of a name or of a prefix, and goes into "
                                                          "a variable");
    HeraldStatus status = herald_net_registry_find(center, &network);
    if (status != HeraldOK) return status;
    status = write_observed(network, name, prefix, text);
    herald_net_release(network);
    if (status != HeraldOK) return status;
    if (asprintf(subject, "%s%s", text, name ? "" : *text ? ".>" : ">") >= 0) return HeraldOK;
    *subject = NULL;
    return complain_of_memory();
}

/* ---- Posting ----------------------------------------------------------------------------------------------------- */

/* Returns the name's outlet, which lasts as long as the network. On failure returns NULL and sets `*status`. */
static struct herald_net_outlet *outlet_of(struct herald_net_center *network, HeraldNameRef name,
                                           HeraldStatus *status) {
    char subject[HERALD_NET_SUBJECT_ROOM];
    *status = HeraldOK;
    pthread_mutex_lock(&network->lock);
    struct herald_net_outlet *outlet = herald_net_outlets_find(&network->outlets, name);
    const char *text = outlet ? NULL : text_of(network, name, status);
    if (text) *status = write_subject(network, subject, text, NULL, "the name is");
    if (text && *status == HeraldOK) {
        outlet = herald_net_outlets_add(&network->outlets, name, subject);
        if (!outlet) *status = complain_of_memory();
    }
    pthread_mutex_unlock(&network->lock);
    return outlet;
}

/* Checks a message without a lock, before it is put into the queue. */
static HeraldStatus check(const struct herald_net_center *network, const HeraldMessage *message, size_t headers) {
    size_t type = message->type ? strlen(message->type) : 0, most = network->largest;
    for (size_t i = 0; i < type; i++)
        if ((unsigned char)message->type[i] < ' ' || message->type[i] == 0x7f)
            return herald_net_complain(HeraldInvalidArgument, "a message's type has a control character");
    if (type && (message->type[0] == ' ' || message->type[type - 1] == ' '))
        return herald_net_complain(HeraldInvalidArgument, "a message's type begins or ends with a space");
    if (type > HERALD_NETWORK_TYPE_LIMIT)
        return herald_net_complain_of_size(type, "a message's type has at most %d bytes, and this one has %zu",
                                           HERALD_NETWORK_TYPE_LIMIT, type);
    size_t all = message->length > SIZE_MAX - type - headers ? SIZE_MAX : message->length + type + headers;
    if (all > most)
        return herald_net_complain_of_size(all, "the server takes %zu bytes with headers, and this is %zu", most, all);
    return HeraldOK;
}

static struct herald_net_outgoing *create_kept(struct herald_net_center *network, HeraldNameRef name,
                                               const char *subject, const HeraldMessage *message, unsigned options) {
    char reply[HERALD_NET_INBOX_ROOM];
    uint64_t number = ++network->kept_sent;
    herald_net_name_answer(network, reply, number);
    struct herald_net_outgoing *outgoing = herald_net_outgoing_create_kept(name, subject, reply, message, options);
    if (outgoing) outgoing->number = number;
    return outgoing;
}

static HeraldStatus post_anything(struct herald_net_center *network, HeraldNameRef name, const HeraldMessage *message,
                                  unsigned options) {
    HeraldStatus status = herald_net_registry_check(network);
    struct herald_net_outlet *outlet = status == HeraldOK ? outlet_of(network, name, &status) : NULL;
    if (!outlet) return status;
    char about[HERALD_NET_SUBJECT_ROOM];
    const char *subject = outlet->subject;
    if (message && (status = check(network, message, HEADERS)) != HeraldOK) return status;
    if (message && message->object) {
        subject = about;
        status = write_subject(network, about, HeraldNameGetUTF8String(name), message->object,
                               "the name and the object are");
        if (status != HeraldOK) return status;
    }
    bool keeps = message && (options & HeraldPostKeep);
    if (keeps && (status = write_kept_subject(network, about, name, message->object)) != HeraldOK) return status;
    struct herald_net_outgoing *outgoing = keeps ? create_kept(network, name, about, message, options)
                                                 : herald_net_outgoing_create(name, subject, message, options);
    if (!outgoing) return complain_of_memory();
    if (outgoing->size <= network->queue.limit) return herald_net_put(network, outgoing, outlet);
    size_t size = outgoing->size;
    herald_net_outgoing_destroy(outgoing);
    return herald_net_complain_of_size(size, "%zu bytes may wait, and the message comes to %zu", network->queue.limit,
                                       size);
}

static void count_refused(struct herald_net_center *network, HeraldNameRef name, bool tells) {
    if (herald_net_registry_is_inherited(network)) return;
    pthread_mutex_lock(&network->lock);
    network->counts.refused++;
    if (tells) herald_net_tell(network, HeraldNetworkRefused, name, 1, "%s", HeraldGetErrorDescription());
    pthread_mutex_unlock(&network->lock);
}

static HeraldStatus post_message(void *context, HeraldCenterRef center, HeraldNameRef name,
                                 const HeraldMessage *message) {
    (void)center;
    HeraldStatus status = post_anything(context, name, message, message->options);
    if (status != HeraldOK) count_refused(context, name, false); /* no event: the caller gets the status */
    return status;
}

static size_t post(void *context, HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                   const void *tag, unsigned options) {
    (void)center, (void)object, (void)userInfo, (void)tag;
    if (post_anything(context, name, NULL, options) != HeraldOK) count_refused(context, name, true);
    return 0;
}

HeraldStatus HeraldNetworkStoreMessage(HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message,
                                       double seconds,
                                       void (*told)(void *context, HeraldStatus status, uint64_t sequence),
                                       void *context) {
    static const double most = 120; /* a stream knows a repeat for two minutes, unless its operator says otherwise */
    uint64_t deadline = ground_deadline(seconds);
    char subject[HERALD_NET_SUBJECT_ROOM];
    if (!name || !told) return herald_net_complain(HeraldInvalidArgument, "the name or the function is NULL");
    if (!(seconds > 0 && seconds <= most))
        return herald_net_complain(HeraldInvalidArgument,
                                   "a message is stored within more than 0 and at most %.0f "
                                   "seconds",
                                   most);
    if (!HeraldMessageIsPossible(message))
        return herald_net_complain(HeraldInvalidArgument, "%s", HeraldGetErrorDescription());
    if (message->options & HeraldPostKeep)
        return herald_net_complain(HeraldInvalidArgument, "a message is kept or stored, not both");
    struct herald_net_center *network;
    HeraldStatus status = herald_net_registry_find(center, &network);
    if (status != HeraldOK) return status;
    struct herald_net_outlet *outlet = outlet_of(network, name, &status);
    if (outlet) status = check(network, message, HEADERS + ID_HEADER);
    if (outlet && status == HeraldOK)
        status = write_subject(network, subject, HeraldNameGetUTF8String(name), message->object,
                               "the name and the object are");
    if (outlet && status == HeraldOK)
        status = herald_net_letter_post(network, outlet, subject, message, deadline, told, context);
    if (status != HeraldOK) count_refused(network, name, false);
    herald_net_release(network);
    return status;
}

static bool is_heard(void *context, HeraldCenterRef center, HeraldNameRef name) {
    (void)center, (void)name;
    struct herald_net_center *network = context;
    if (herald_net_registry_is_inherited(network)) return false;
    pthread_mutex_lock(&network->lock);
    bool open = network->phase == HERALD_NET_OPEN;
    pthread_mutex_unlock(&network->lock);
    return open; /* while the center is open, some process may hear the post */
}

/* ---- What is kept ------------------------------------------------------------------------------------------------ */

/* A registration that cannot begin is told at once, which the hook may do. */
static void begin_following(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                            HeraldToken token) {
    char subject[HERALD_NET_SUBJECT_ROOM], about[HERALD_NET_SUBJECT_ROOM];
    struct herald_net_center *network = context;
    if (herald_net_registry_is_inherited(network)) return;
    HeraldStatus status = write_kept_subject(network, subject, name, NULL);
    if (status == HeraldOK && object) status = write_kept_subject(network, about, name, object);
    if (status == HeraldOK) status = herald_net_begin(network, name, subject, object ? about : NULL, token);
    if (status != HeraldOK) HeraldCenterBegin(center, name, token, NULL, 0, 0, status);
}

/* Writes the subject to which a name's messages are published to be kept, for a call on this center. */
static bool may_ask(struct herald_net_center *network, char subject[HERALD_NET_SUBJECT_ROOM], HeraldNameRef name,
                    const char *object) {
    return herald_net_registry_check(network) == HeraldOK &&
           write_kept_subject(network, subject, name, object) == HeraldOK;
}

static bool take_kept(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object,
                      void (*take)(void *taken, const HeraldMessage *message), void *taken) {
    (void)center;
    char subject[HERALD_NET_SUBJECT_ROOM];
    return may_ask(context, subject, name, object) && herald_net_kept_take(context, subject, take, taken);
}

static bool forget_kept(void *context, HeraldCenterRef center, HeraldNameRef name, const char *object) {
    (void)center;
    char subject[HERALD_NET_SUBJECT_ROOM];
    return may_ask(context, subject, name, object) && herald_net_kept_forget_now(context, name, subject);
}

static void visit_kept(void *context, HeraldCenterRef center,
                       void (*visit)(void *visited, HeraldNameRef name, const HeraldMessage *message), void *visited) {
    (void)center;
    if (herald_net_registry_check(context) == HeraldOK) herald_net_kept_visit(context, visit, visited);
}

/* Finds the network for a call about one subject. The caller releases it. */
static HeraldStatus find_for(HeraldCenterRef center, HeraldNameRef name, const char *object, const void *answer,
                             char subject[HERALD_NET_SUBJECT_ROOM], struct herald_net_center **network) {
    HeraldStatus status = herald_net_registry_find(center, network);
    if (status != HeraldOK) return status;
    status = name && answer ? write_kept_subject(*network, subject, name, object)
                            : herald_net_complain(HeraldInvalidArgument, "the name or the function is NULL");
    if (status != HeraldOK) herald_net_release(*network);
    return status;
}

HeraldStatus HeraldNetworkAskKept(HeraldCenterRef center, HeraldNameRef name, const char *object,
                                  void (*answer)(void *context, HeraldStatus status, const HeraldMessage *message),
                                  void *context) {
    char subject[HERALD_NET_SUBJECT_ROOM];
    struct herald_net_center *network;
    HeraldStatus status = find_for(center, name, object, (const void *)answer, subject, &network);
    if (status != HeraldOK) return status;
    status = herald_net_kept_ask(network, name, subject, answer, context);
    herald_net_release(network);
    return status;
}

HeraldStatus HeraldNetworkForget(HeraldCenterRef center, HeraldNameRef name, const char *object,
                                 void (*answer)(void *context, HeraldStatus status, bool forgotten), void *context) {
    char subject[HERALD_NET_SUBJECT_ROOM];
    struct herald_net_center *network;
    HeraldStatus status = find_for(center, name, object, (const void *)answer, subject, &network);
    if (status != HeraldOK) return status;
    status = herald_net_kept_forget(network, name, subject, answer, context);
    herald_net_release(network);
    return status;
}

HeraldStatus HeraldNetworkCreateKept(HeraldCenterRef center, unsigned replicas, double seconds) {
    uint64_t deadline = ground_deadline(seconds);
    struct herald_net_center *network;
    if (!replicas || replicas > REPLICAS_MOST)
        return herald_net_complain(HeraldInvalidArgument, "a stream has 1 to %d replicas", REPLICAS_MOST);
    HeraldStatus status = herald_net_registry_find(center, &network);
    if (status != HeraldOK) return status;
    status = check_stream(network);
    if (status == HeraldOK) status = herald_net_kept_create(network, replicas, deadline);
    herald_net_release(network);
    return status;
}

/* ---- Its life ---------------------------------------------------------------------------------------------------- */

static const double RELEASED_SECONDS = 2;

static void destroy(void *context) {
    struct herald_net_center *network = context;
    if (herald_net_registry_is_inherited(network)) return; /* the network is the parent's: it is not touched */
    herald_net_registry_remove(network);
    pthread_mutex_lock(&network->lock);
    network->center = NULL;
    pthread_mutex_unlock(&network->lock);
    herald_net_ending_begin(network, ground_deadline(RELEASED_SECONDS), false);
    herald_net_release(network);
}

static HeraldStatus take_options(HeraldNetworkOptions *mine, const HeraldNetworkOptions *theirs) {
    size_t oldest = offsetof(HeraldNetworkOptions, keptReplicas); /* of 0.2 */
    memset(mine, 0, sizeof *mine);
    if (!theirs || theirs->size < oldest)
        return herald_net_complain(HeraldInvalidArgument, "the options have an impossible size");
    for (size_t i = sizeof *mine; i < theirs->size; i++)
        if (((const char *)theirs)[i])
            return herald_net_complain(HeraldInvalidArgument, "the options have more than this version knows");
    memcpy(mine, theirs, theirs->size < sizeof *mine ? theirs->size : sizeof *mine);
    if (mine->keptReplicas > REPLICAS_MOST)
        return herald_net_complain(HeraldInvalidArgument, "a stream has 1 to %d replicas", REPLICAS_MOST);
    if (!mine->prefix) mine->prefix = "herald";
    if (!herald_net_subject_is_prefix(mine->prefix))
        return herald_net_complain(HeraldInvalidArgument, "\"%.100s\" cannot be what subjects begin with",
                                   mine->prefix);
    if (is_streams(mine->prefix))
        return herald_net_complain(HeraldInvalidArgument, "streams store what is kept below herald-kept, so no "
                                                          "center's subjects begin with it");
    return HeraldOK;
}

static struct herald_net_center *allocate(const HeraldNetworkOptions *options) {
    struct herald_net_center *network = calloc(1, sizeof *network);
    if (!network || !herald_net_events_create(&network->events)) {
        free(network);
        return NULL;
    }
    pthread_mutex_init(&network->lock, NULL);
    pthread_mutex_init(&network->hearing, NULL);
    ground_condition_init(&network->changed);
    network->references = 1;
    network->forks = herald_net_registry_forks();
    network->largest = LARGEST;
    network->event = options->event;
    network->context = options->context;
    network->epoll = network->bell = -1;
    network->gated = true;
    strcpy(network->prefix, options->prefix);
    herald_net_stream_create(&network->stream, network->prefix);
    network->kept_replicas = network->stream.is_possible ? options->keptReplicas : 0;
    herald_net_acks_create(&network->acks);
    herald_net_questions_create(&network->questions);
    herald_net_follows_create(&network->follows);
    herald_net_outlets_create(&network->outlets);
    herald_net_interests_create(&network->interests);
    herald_net_senders_create(&network->senders);
    herald_net_letters_create(&network->letters);
    network->queue.limit = options->queueLimit ? options->queueLimit : QUEUE_LIMIT;
    network->queue.last = &network->queue.first;
    return network;
}

static HeraldStatus prepare(struct herald_net_center *network, const HeraldNetworkOptions *options) {
    if (getrandom(&network->sender, sizeof network->sender, 0) != sizeof network->sender ||
        !herald_net_inbox_create(network))
        return herald_net_complain(HeraldTransportFailed, "no random number is available");
    HeraldStatus status = herald_net_servers_create(&network->servers, options->servers);
    return status == HeraldOK ? herald_net_loop_create(network, options) : status;
}

HeraldStatus HeraldNetworkCenterCreate(const HeraldNetworkOptions *options, HeraldCenterRef *center) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    HeraldNetworkOptions mine;
    if (!center) return herald_net_complain(HeraldInvalidArgument, "the pointer for the center is NULL");
    *center = NULL;
    HeraldStatus status = take_options(&mine, options);
    if (status != HeraldOK) return status;
    struct herald_net_center *network = allocate(&mine);
    if (!network) return complain_of_memory();
    HeraldTransport transport = {.size = sizeof transport,
                                 .context = network,
                                 .observed = observed,
                                 .observedUnder = observed_under,
                                 .post = post,
                                 .destroy = destroy,
                                 .postMessage = post_message,
                                 .begin = begin_following,
                                 .takeKept = take_kept,
                                 .forget = forget_kept,
                                 .visitKept = visit_kept,
                                 .isHeard = is_heard};
    status = prepare(network, &mine);
    if (status == HeraldOK) status = HeraldCenterCreateWithTransport(NULL, &transport, &network->center);
    if (status != HeraldOK) {
        herald_net_release(network);
        return status;
    }
    herald_net_registry_add(network);
    pthread_once(&once, herald_net_ending_prepare); /* after nats_Open, so that it runs before the handler of libnats */
    *center = network->center;                      /* set before the first event, whose callback may use it */
    status = herald_net_loop_begin(network);
    if (status == HeraldOK) return HeraldOK;
    *center = NULL;
    HeraldCenterRelease(network->center); /* ends the network, too */
    return status;
}

/* ---- Statistics -------------------------------------------------------------------------------------------------- */

void HeraldNetworkGetStatistics(HeraldCenterRef center, HeraldNetworkStatistics *statistics) {
    struct herald_net_center *network;
    HeraldNetworkStatistics now = {0};
    size_t size = statistics ? statistics->size : 0;
    if (size < sizeof size) return;
    if (herald_net_registry_find(center, &network) == HeraldOK) {
        pthread_mutex_lock(&network->lock);
        now = network->counts;
        now.posted = network->queue.taken + network->letters.taken;
        now.sent += network->letters.sent;
        now.refused += network->letters.refused;
        now.waiting = network->queue.taken - network->queue.gone + network->letters.numbered.count;
        now.dropped = herald_net_interests_dropped(&network->interests);
        now.received = network->received;
        pthread_mutex_unlock(&network->lock);
        herald_net_release(network);
    }
    now.size = size;
    memset(statistics, 0, size);
    memcpy(statistics, &now, size < sizeof now ? size : sizeof now);
}
