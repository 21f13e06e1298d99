/* A network center: what its parts have in common, and the functions that they offer to each other. In the files of
 * this folder `network` points to a struct herald_net_center, and `network->center` is the core's center.
 *
 * Threads. The loop is the center's own thread. libnats connects, sends and reads only on the loop. A thread that
 * posts, adds or removes changes what `lock` protects, and wakes the loop. For each flush there is a short-lived
 * thread, which waits in libnats until the server has answered. libnats has two threads of its own that call us. One
 * delivers incoming messages (hearing.c). The other reports about the connection (connection.c). On that thread we only
 * leave a note and wake the loop.
 *
 * Ownership: The struct lives until the last reference to it is given up. The following have a reference: the core's
 * center, the loop, each subscription and connection of libnats's, each flush, and each call that uses
 * the struct.
 */
#ifndef HERALD_NET_NET_H
#define HERALD_NET_NET_H

#include "durable.h"
#include "event.h"
#include "interest.h"
#include "letter.h"
#include "listening.h"
#include "outlet.h"
#include "net_queue.h"
#include "question.h"
#include "sender.h"
#include "server.h"
#include <nats/nats.h>
#include <pthread.h>

enum {
    HERALD_NET_CALL_ROOM = HERALD_NET_STREAM_ROOM + HERALD_NET_CONSUMER_CALL_ROOM,
    HERALD_NET_INBOX_ROOM = 112,
    HERALD_NET_INBOX_ROOT_ROOM = 48
};

enum herald_net_phase { HERALD_NET_OPEN, HERALD_NET_ENDING, HERALD_NET_ENDED };

struct herald_net_center {
    /* These fields never change, except where a comment says so: */
    uint32_t forks; /* herald_net_registry_forks() when this struct was made */
    uint64_t sender;
    char prefix[HERALD_NETWORK_NAME_LIMIT + 1];
    void (*event)(void *context, const HeraldNetworkEvent *event);
    void *context;
    natsOptions *options;
    struct herald_net_stream stream;
    unsigned kept_replicas;                      /* 0: the center does not make the stream */
    char inbox_root[HERALD_NET_INBOX_ROOT_ROOM]; /* what the subjects of answers begin with (net_inbox.c) */
    struct herald_net_servers servers;           /* except `urls`, `count` and `turn`, which the lock protects */
    int epoll, bell;
    struct herald_net_center *next, **link; /* in the list of all centers; changed under the registry's lock */

    _Atomic uint32_t references;
    _Atomic uint64_t kept_sent; /* the number of the newest kept post */
    _Atomic size_t largest;     /* bytes of the largest message that the server takes, with headers */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Protected by the lock: */
    HeraldCenterRef center; /* NULL: the center is gone */
    pthread_t loop;
    enum herald_net_phase phase;
    uint64_t end_at;    /* the time by which the loop must end */
    bool asleep;        /* the loop is in epoll_wait, or about to be */
    bool noted;         /* something has changed while the loop was awake, so the loop must not sleep yet */
    bool gated;         /* the loop can send nothing now, so posts need not wake it */
    bool connected;     /* libnats is connected, and has not given the connection up */
    bool lost;          /* libnats has given the connection up, and the loop has not ended it yet */
    bool is_leaving;    /* the center itself ends the connection, and does not record this in `trouble` */
    bool is_silent;     /* the loop ends the connection, because the server did not answer; written by the loop */
    char trouble[512];  /* why there is no connection, or why posts were left at the end; "": nothing is wrong */
    uint64_t held_till; /* the time until which posts are held back after a reconnection */
    bool forgoes;       /* the thread that would bring the stream's answers waits for the end: they are not awaited */
    bool told_all;      /* the last event has been added, so no more events may be added */
    /* Flushes have numbers. `asked`: the newest flush that was requested. `flushing`: the flush that was begun last.
     * `answered`: the newest flush that the server has answered. `flushed`: the newest answered flush for which the
     * waiting threads were woken. */
    uint64_t asked, flushing, answered, flushed;
    uint64_t asked_at;    /* `queue.taken` at the last request */
    uint64_t answered_at; /* the time at which the last answer came */
    char denial[256];     /* the newest denial that libnats has reported for `connection` */
    bool flush_runs;
    uint64_t flush_at; /* after a failed flush, the earliest time of the next one; 0: any time */
    struct herald_net_queue queue;
    struct ground_table outlets; /* outlet.h */
    struct herald_net_interests interests;
    struct herald_net_events events;
    HeraldNetworkStatistics counts; /* `sent`, `refused`, `missed`, `undecodable` and `reconnects` */
    uint64_t left;                  /* posts that were still in the queue at the end, and were refused */
    /* `flushing_sent`: the value of `counts.sent` when the last flush began. `confirmed`: its value when the newest
     * answered flush began. When a connection ends, `confirmed` is set to `counts.sent`. */
    uint64_t flushing_sent, confirmed;
    uint64_t sent_at; /* when something was last sent, or was last seen to wait for a slow link */
    /* A connection has ended before its server had confirmed all posts, and no HeraldNetworkSynchronize has succeeded
     * since then. */
    bool doubtful;

    /* What is kept (question.h, ack.h, followed.h, net_begin.c): */
    struct herald_net_questions questions;
    struct herald_net_acks acks;
    struct herald_net_follows follows;
    uint64_t kept_base, kept_highest; /* what is added to the stream's numbers; the highest number that came in */
    char kept_created[64];            /* when the stream was made, as the server writes it; "": not known yet */
    bool making;                      /* it is not known yet whether the stream is there, which the center makes */
    bool begins_later;                /* something is to be begun with that could not be asked for */
    bool telling;                     /* questions that are over are about to be told */
    natsSubscription *inbox;          /* NULL: nothing was asked on this connection; written by the loop */
    int64_t inbox_read;               /* how many answers that came by it have been read */
    bool inbox_denied;                /* the server does not allow the inbox */
    char inbox_denial[256];

    struct herald_net_letters letters;
    natsSubscription *answers; /* to letters; read by the loop; NULL: none was sent on this connection */

    struct herald_net_durables durables;
    const struct HeraldDurable *forgone; /* waits for the end itself, so its call is not awaited */

    /* The loop writes these fields. Threads of libnats and of dial.c write the atomic ones, too: */
    uint64_t again_at; /* the earliest time for which something waits, as found in this pass; UINT64_MAX: none */
    natsConnection *connection;
    _Atomic int socket;        /* -1: none */
    _Atomic int dialed, given; /* while the loop dials (dial.c): our descriptor, and libnats's; -1: none */
    _Atomic unsigned socket_events;
    struct herald_net_listening listening;
    uint64_t connect_at;
    uint32_t attempts;
    uint64_t connected_at;
    bool was_connected;

    pthread_mutex_t hearing; /* protects the senders; a thread that takes both locks takes `lock` first */
    struct herald_net_senders senders;
    _Atomic uint64_t received;
};

HERALD_BEGIN
static inline void herald_net_retain(struct herald_net_center *network) { network->references++; }
void herald_net_release(struct herald_net_center *network);

/* Returns the center, with a reference for the caller (herald_net_release_center). NULL: the center has ended. */
HeraldCenterRef herald_net_hold_center(struct herald_net_center *network);
void herald_net_release_center(HeraldCenterRef *center);

/* A thread that calls observers, or answers of questions, has one of these meanwhile:
 * `struct herald_net_delivering delivering HERALD_NET_DELIVERING;` */
struct herald_net_delivering {
    unsigned before;
};
struct herald_net_delivering herald_net_delivering_begin(void);
void herald_net_delivering_end(struct herald_net_delivering *delivering);
#define HERALD_NET_DELIVERING                                                                                          \
    __attribute__((cleanup(herald_net_delivering_end), unused)) = herald_net_delivering_begin()
/* Whether this thread has one, so that an answer could not come while it waits. */
bool herald_net_is_delivering(void);
/* Whether this thread is the loop, which calls `event`. */
bool herald_net_is_on_loop(struct herald_net_center *network);

/* The name with this text, made if it does not exist yet. NULL: other programs have made too many names, or memory is
 * out. */
HeraldNameRef herald_net_foreign_name(const char *text);

/* The subject of the answer to a kept post with this number. */
void herald_net_name_answer(const struct herald_net_center *network, char subject[HERALD_NET_INBOX_ROOM],
                            uint64_t number);

/* By which number observers know this center as the sender of a post. Kept posts and letters have others than plain
 * posts, because they may be heard later, which would look like a loss. */
static inline uint64_t herald_net_sender_of(const struct herald_net_center *network,
                                            const struct herald_net_outgoing *outgoing) {
    return network->sender ^ (outgoing->is_letter ? 2 : outgoing->subject ? 1 : 0);
}

/* Puts a post into the queue, with the outlet's next number unless that is NULL. Destroys it on failure. */
HeraldStatus herald_net_put(struct herald_net_center *network, struct herald_net_outgoing *outgoing,
                            struct herald_net_outlet *outlet);

/* Under the lock: wakes the loop, which then looks at everything. */
void herald_net_wake(struct herald_net_center *network);

/* The next three are called by the loop. What waits for a time calls one of them in each pass, so the loop sleeps no
 * longer than until the earliest of these times. */

/* The loop looks at everything again at the time `at`, if nothing wakes it earlier. */
static inline void herald_net_look_again(struct herald_net_center *network, uint64_t at) {
    if (at < network->again_at) network->again_at = at;
}
/* Whether the time `at` has come. If not, the loop looks again at that time. */
static inline bool herald_net_is_due(struct herald_net_center *network, uint64_t at) {
    if (ground_now() >= at) return true;
    herald_net_look_again(network, at);
    return false;
}
/* Whether answers have come that were not read yet. Then nothing is known to be late: they are read on the thread that
 * calls observers, and an observer may take long. Called by the loop, under the lock. */
static inline bool herald_net_has_unread(struct herald_net_center *network) {
    int pending = 0;
    int64_t taken = 0;
    return network->inbox &&
           natsSubscription_GetStats(network->inbox, &pending, NULL, NULL, NULL, &taken, NULL) == NATS_OK &&
           taken + pending > network->inbox_read;
}
/* The loop looks again in a few milliseconds: what waits does not wake it. */
static inline void herald_net_look_soon(struct herald_net_center *network) {
    herald_net_look_again(network, ground_now() + 5 * GROUND_MILLISECOND);
}

/* Under the lock: requests a flush, and returns its number. When the flush has been answered, the server has all posts
 * that were made before the request, and the subscriptions of all observers that were added before it. */
uint64_t herald_net_ask(struct herald_net_center *network);
/* Under the lock: adds an event, which the loop reports to the program. */
void herald_net_tell(struct herald_net_center *network, HeraldNetworkEventKind kind, HeraldNameRef name, uint64_t count,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Under the lock: the same about a durable observer. */
void herald_net_tell_durable(struct herald_net_center *network, const struct HeraldDurable *durable,
                             HeraldNetworkEventKind kind, uint64_t count, const char *reason);

/* Sets the thread's complaint: the center has been closed. Returns HeraldTransportFailed. */
HeraldStatus herald_net_complain_of_end(void);

/* ---- registry.c: the network centers of this process ------------------------------------------------------------- */

/* The number of forks between the process that loaded the library and this one. */
uint32_t herald_net_registry_forks(void);
/* Whether the network is the parent process's, and this process is a child of its fork. */
bool herald_net_registry_is_inherited(const struct herald_net_center *network);
/* If the network is inherited, complains and returns HeraldTransportFailed. */
HeraldStatus herald_net_registry_check(const struct herald_net_center *network);

void herald_net_registry_add(struct herald_net_center *network);
void herald_net_registry_remove(struct herald_net_center *network);

/* Copies at most `most` networks to `all`, each with a reference for the caller. Returns how many were copied. */
int herald_net_registry_copy(struct herald_net_center *all[], int most);

/* Finds the network of a center, with a reference for the caller. A failure leaves a complaint (net_complaint.c).
 * HeraldInvalidArgument: the center is no network center. HeraldTransportFailed: the center is the parent process's. */
HeraldStatus herald_net_registry_find(HeraldCenterRef center, struct herald_net_center **found);

/* ---- nkey.c: public keys, which libnats needs in addition to the seeds ------------------------------------------- */

enum { HERALD_NET_NKEY_ROOM = 57 };

/* Reads a seed from a file and writes its public key. The seed may stand alone, or between other lines, as in a .creds
 * file. On failure returns false and leaves a complaint. */
bool herald_net_nkey_public(const char *seed_file, char public_key[HERALD_NET_NKEY_ROOM]);

/* ---- dial.c: connecting libnats to a server, with a deadline ----------------------------------------------------- */

/* Called by the loop. Takes two seconds at most, plus the time to look up the host. On failure `*reason` is a text or
 * NULL. The text is valid until libnats's next error on this thread. */
natsStatus herald_net_dial(struct herald_net_center *network, const struct herald_net_address *address,
                           natsConnection **connection, const char **reason);

/* ---- answer.c: questions to JetStream that are under way, and their answers ---------------------------------------
 */

void herald_net_questions_create(struct herald_net_questions *questions);
/* Under the lock: begins to ask; the loop sends the requests (net_inbox.c). */
void herald_net_question_ask(struct herald_net_center *network, struct herald_net_question *question);

/* Reads the answer to request `index` of question `number`. Called on the thread that delivers posts, under no lock.
 * Calls the question's `done` if it is over now. */
void herald_net_question_answer(struct herald_net_center *network, uint64_t number, uint64_t index, natsMsg *answer);

/* The next two are called under the lock. All requests of the question have been sent for now. */
void herald_net_question_note_sent(struct herald_net_center *network, struct herald_net_question *question);
/* Takes a question out of its list: it is not under way any more. */
void herald_net_question_take_off(struct herald_net_center *network, struct herald_net_question *question);
/* Under the lock: a question that is in no list is over. The loop lets its `done` be called. */
void herald_net_question_end(struct herald_net_center *network, struct herald_net_question *question);
/* Under the lock: a message that forgets has come to its end. `reason`: why it has failed; NULL: it has forgotten. */
void herald_net_forgetting_end(struct herald_net_center *network, struct herald_net_outgoing *outgoing,
                               const char *reason);
/* Under the lock: a question, or all that are under way, have failed for this reason. */
void herald_net_question_fail(struct herald_net_center *network, struct herald_net_question *question,
                              const char *reason);
void herald_net_questions_fail(struct herald_net_center *network, const char *reason);
/* Under the lock: the server does not allow this call. The questions that have made it have failed. */
void herald_net_questions_deny(struct herald_net_center *network, const char *call, const char *reason);
/* Writes the subject of the call that a request is. Returns the rest of the request's text. */
const char *herald_net_request_write_call(const struct herald_net_center *network,
                                          const struct herald_net_request *request, char call[HERALD_NET_CALL_ROOM]);
/* The next two are called by the loop, under the lock. Questions and messages that forget, whose time is over, fail.
 */
void herald_net_questions_expire(struct herald_net_center *network);
/* The connection has ended: what is under way is asked again by the next one. Later answers of this one do not count,
 * because they may be older than the next one's subscriptions. */
void herald_net_questions_reset(struct herald_net_center *network);
/* Calls `done` of those that are over. */
void herald_net_questions_tell(struct herald_net_center *network);

/* ---- ack.c: the answers to kept posts ---------------------------------------------------------------------------- */

/* All are called under the lock, except herald_net_ack_answer. */
void herald_net_acks_create(struct herald_net_acks *acks);
/* Called by the loop: the stream's answer to this post, which was sent, is awaited. */
void herald_net_ack_await(struct herald_net_center *network, struct herald_net_outgoing *outgoing);
/* Whether the answers to all posts have come that were put into the queue before `taken` of them were. */
bool herald_net_acks_have_come(const struct herald_net_acks *acks, uint64_t taken);
/* Reads the answer to the kept post with this number, under no lock. */
void herald_net_ack_answer(struct herald_net_center *network, uint64_t number, natsMsg *answer);
/* The server does not allow this subject: the oldest post to it has failed. False: no post to it is awaited. */
bool herald_net_ack_deny(struct herald_net_center *network, const char *subject, const char *reason);
/* All that are awaited have failed. */
void herald_net_acks_fail(struct herald_net_center *network, const char *reason);
/* Called by the loop: those whose time is over have failed. Neither these nor questions expire while answers wait to be
 * read (herald_net_has_unread). */
void herald_net_acks_expire(struct herald_net_center *network);

/* ---- net_store.c: messages that are to be stored ------------------------------------------------------------------
 */

/* Posts a message to be stored. `subject`: its subject. Tries until `deadline`. `told` is called by the loop. */
HeraldStatus herald_net_letter_post(struct herald_net_center *network, struct herald_net_outlet *outlet,
                                    const char *subject, const HeraldMessage *message, uint64_t deadline,
                                    void (*told)(void *context, HeraldStatus status, uint64_t sequence), void *context);
/* The next two are called by the loop, without the lock. Makes the subscription to which streams answer, unless it is
 * there on this connection. */
bool herald_net_letters_open(struct herald_net_center *network);
/* Reads the answers that have come. */
void herald_net_letters_read(struct herald_net_center *network);
/* The next five are called under the lock. The server does not allow this subject, of
 * which perhaps only the beginning is known. */
void herald_net_letters_deny(struct herald_net_center *network, const char *subject, size_t length, bool is_whole,
                             const char *reason);
/* No letter is stored, for this reason. */
void herald_net_letters_fail(struct herald_net_center *network, const char *reason);
/* Called by the loop. Those whose time is over are not stored. `comes`: an answer may be about to be read. */
void herald_net_letters_expire(struct herald_net_center *network, bool comes);
/* Called by the loop: the connection has ended, so those under way are sent again by the next one. */
void herald_net_letters_reset(struct herald_net_center *network);
/* Called by the loop, after herald_net_letters_open. Sends some of those that are due. True: others are
 * left.
 */
bool herald_net_letters_send(struct herald_net_center *network);
/* Called by the loop, without the lock. Tells the posters of those that are over. */
void herald_net_letters_tell(struct herald_net_center *network);

/* ---- net_durable.c, net_durable_call.c: durable observers -------------------------------------------------------- */

/* The next four are called by the loop, without the lock. Reads what the server has sent. */
void herald_net_durables_read(struct herald_net_center *network);
/* Called while there is a connection: sends what is due. False: there are none. */
bool herald_net_durables_tend(struct herald_net_center *network);
/* The connection has ended. */
void herald_net_durables_lose(struct herald_net_center *network);
/* The center has ended. */
void herald_net_durables_end(struct herald_net_center *network);
/* The next three are called under the lock. The server does not allow this subject. */
void herald_net_durables_deny(struct herald_net_center *network, const char *subject, const char *reason);
/* The newest flush, up to `flush`, before which no durable observer was added of which the server has not said yet
 * whether it can begin. */
uint64_t herald_net_durables_have_begun(const struct herald_net_center *network, uint64_t flush);
/* Whether no call is running that is awaited, and the server was told of all. */
bool herald_net_durables_are_quiet(const struct herald_net_center *network);
void herald_net_durable_release(struct HeraldDurable *durable);
/* Under the lock: whether no other process has the message yet. If it has waited here for too long, that is noted. */
bool herald_net_parcel_is_fresh(struct HeraldDurable *durable, const struct herald_net_parcel *parcel);
/* The durable observer that this thread calls; or NULL. */
const struct HeraldDurable *herald_net_current_durable(void);
/* Checks and copies a program's options, with the defaults. */
HeraldStatus herald_net_durable_take_options(HeraldDurableOptions *mine, const HeraldDurableOptions *theirs);
/* Adds a durable observer of a name with this subject, or of all subjects that begin with it. */
HeraldStatus herald_net_durable_add(struct herald_net_center *network, const void *observer,
                                    HeraldDurableCallback callback, const HeraldDurableOptions *options,
                                    const char *subject, HeraldDurableRef *added);

/* ---- net_begin.c: what is kept is found for followers ------------------------------------------------------------ */

/* A registration begins with what is kept. `subject`: to which the name's messages without an object are published to
 * be kept. `about`: the same for the registration's object; NULL: any object. On
 * failure the caller tells the registration. */
HeraldStatus herald_net_begin(struct herald_net_center *network, HeraldNameRef name, const char *subject,
                              const char *about, HeraldToken token);
/* Called by the loop, under the lock: asks for what could not be asked for when memory was out. */
void herald_net_begin_later(struct herald_net_center *network);
/* Called by the loop, under no lock, when the center ends: tells those that wait that they do not begin. */
void herald_net_begin_end(struct herald_net_center *network);
/* Under the lock: a message of the name may have been missed. What is kept is asked for again. */
void herald_net_begin_mend(struct herald_net_center *network, struct herald_net_followed *followed);
/* Called by the loop, under the lock: there is a connection, `is_again` after another one. What has failed is tried
 * again, and what was missed is mended. */
void herald_net_begin_connected(struct herald_net_center *network, bool is_again);

/* ---- connection.c: the connection to a server, by libnats -------------------------------------------------------- */

/* Prepares libnats's options from the caller's. The caller's list of servers must have been parsed before. A failure
 * leaves a complaint. */
HeraldStatus herald_net_connection_prepare(struct herald_net_center *network, const HeraldNetworkOptions *options);

/* The next five are called by the loop. */

/* Tries to connect if there is no connection and the next attempt is due. */
void herald_net_connection_try(struct herald_net_center *network);
/* Ends the connection, because libnats has given it up, or because the center ends. */
void herald_net_connection_end(struct herald_net_center *network);
/* Whether libnats has reported all denials that it has read from the server, or has had enough time to do so. A denial
 * says that the server does not allow a subject. libnats reports denials on a thread of its own. */
bool herald_net_connection_has_told(struct herald_net_center *network);
/* Whether libnats may be given more to send. */
bool herald_net_connection_has_room(struct herald_net_center *network);
/* Lets libnats give the connection up if the server answers no ping. `comes`: bytes have come in that nobody has read.
 */
void herald_net_connection_listen(struct herald_net_center *network, bool comes);

/* A thread that only flushes: waits for the server's answer, records whether it came, and gives up its reference to
 * `network`. Returns NULL. */
void *herald_net_connection_flush(void *network);

/* ---- hearing.c: incoming messages become posts of the center ----------------------------------------------------- */

/* Under the lock: whether all posts of a name come in. `context` is the network. */
bool herald_net_hearing_hears(void *context, HeraldNameRef name);
/* Hands a message to a center whose one registration hears all that comes. NO_POST: it is none. NO_NAME: this process
 * cannot make its name now. */
enum herald_net_handed { HERALD_NET_HANDED, HERALD_NET_NO_POST, HERALD_NET_NO_NAME };
enum herald_net_handed herald_net_hearing_hand(struct herald_net_center *network, HeraldCenterRef center,
                                               natsMsg *message);
/* libnats calls this for each incoming message. `closure` is the network; the subscription has a reference to it. */
void herald_net_hearing_receive(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                                void *closure);

/* ---- subscription.c: libnats delivers the posts for an interest by a subscription -------------------------------- */

/* Called by the loop, without the lock, while there is a connection. Makes and ends subscriptions as the interests
 * require. When one subscription replaces another, the new one is made before the old one ends. The old one ends only
 * after it has delivered all posts that it has received. */
void herald_net_subscriptions_settle(struct herald_net_center *network);

/* ---- net_inbox.c: what is asked of JetStream, and its answers ---------------------------------------------------- */

/* Chooses the inbox's subject. False: no random number is available. */
bool herald_net_inbox_create(struct herald_net_center *network);
/* The next three are called by the loop. */

/* Makes the inbox on this connection, unless it is there. */
bool herald_net_inbox_open(struct herald_net_center *network);
/* Sends requests of the questions that are under way. Called while there is a connection. */
void herald_net_inbox_send(struct herald_net_center *network);
/* Lets the thread that delivers posts call `done` of the questions that are over. */
void herald_net_inbox_tell(struct herald_net_center *network);

/* ---- net_kept.c: calls about what is kept ------------------------------------------------------------------------ */

/* `subject`: to which the message is published to be kept. These are the calls of the public headers (transport.h,
 * network.h) by subject. */
HeraldStatus herald_net_kept_ask(struct herald_net_center *network, HeraldNameRef name, const char *subject,
                                 void (*answer)(void *context, HeraldStatus status, const HeraldMessage *message),
                                 void *context);
HeraldStatus herald_net_kept_forget(struct herald_net_center *network, HeraldNameRef name, const char *subject,
                                    void (*answer)(void *context, HeraldStatus status, bool forgotten), void *context);
HeraldStatus herald_net_kept_create(struct herald_net_center *network, unsigned replicas, uint64_t deadline);
bool herald_net_kept_take(struct herald_net_center *network, const char *subject,
                          void (*take)(void *taken, const HeraldMessage *message), void *taken);
bool herald_net_kept_forget_now(struct herald_net_center *network, HeraldNameRef name, const char *subject);
void herald_net_kept_visit(struct herald_net_center *network,
                           void (*visit)(void *visited, HeraldNameRef name, const HeraldMessage *message),
                           void *visited);

/* Makes a call of JetStream's API, `call` without "$JS.API.", and waits for its answer. On success the caller frees
 * `*answer`. `*error`: the number of JetStream's error, or 0. */
HeraldStatus herald_net_call(struct herald_net_center *network, const char *call, const char *text, uint64_t deadline,
                             char **answer, uint64_t *error);

/* Called by the loop, without the lock: whether a message that forgets can be sent now. */
enum herald_net_turn herald_net_forget_turn(struct herald_net_center *network, struct herald_net_outgoing *outgoing);
/* Under the lock: makes the stream, if the center is to make it. */
void herald_net_kept_make(struct herald_net_center *network);

/* ---- net_loop.c: the thread that calls libnats, and what wakes it ------------------------------------------------ */

/* Makes the loop's descriptors, then prepares the connection for it (herald_net_connection_prepare). A failure leaves a
 * complaint. */
HeraldStatus herald_net_loop_create(struct herald_net_center *network, const HeraldNetworkOptions *options);
/* Begins the loop's thread, which takes a reference to the network. */
HeraldStatus herald_net_loop_begin(struct herald_net_center *network);

/* ---- ending.c: the end of a center, and the calls that wait for the server --------------------------------------- */

/* Registers the exit handler, which ends the process's network centers. Called once. */
void herald_net_ending_prepare(void);

/* From now on no post is taken. The loop ends when all posts are sent, the server has confirmed them, and the stream
 * has answered to the kept ones, or at the deadline. `is_awaited`: this thread waits for the end; if it is the one that
 * brings the stream's answers, they are not awaited. False: the end had begun before. */
bool herald_net_ending_begin(struct herald_net_center *network, uint64_t deadline, bool is_awaited);
/* Waits until the loop has ended, or until the deadline. */
void herald_net_ending_await(struct herald_net_center *network, uint64_t deadline);
HERALD_END
#endif
