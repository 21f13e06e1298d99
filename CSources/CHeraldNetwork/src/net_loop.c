/* The loop: one thread and one epoll for each network center (net.h).
 *
 * Ordering: A thread that has changed something wakes the loop under the lock (herald_net_wake). If the loop is asleep
 * (`asleep`), the thread clears `asleep` and writes to the bell, an eventfd. Otherwise the thread sets `noted`. The
 * loop sets `asleep` under the lock, and only if `noted` is not set. So no wake is lost, and a wake costs one write at
 * most.
 * Progress: Each pass of the loop sends a bounded number of bytes, so that incoming messages are read, too.
 * Ownership: See net.h.
 */
#include "net.h"
#include "ground_thread.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { SENT_AT_ONCE = 256 << 10 /* bytes */ };

enum { BELL, SOCKET }; /* the descriptors in the epoll */

/* ---- libnats's event loop ---------------------------------------------------------------------------------------- */

/* libnats calls this on the thread that connects. The loop's thread connects. */
static natsStatus attach(void **user, void *loop, natsConnection *connection, natsSock socket) {
    (void)connection;
    struct herald_net_center *network = loop;
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = SOCKET};
    *user = network;
    if (epoll_ctl(network->epoll, EPOLL_CTL_ADD, socket, &event) != 0) return NATS_ERR;
    network->socket_events = EPOLLIN;
    network->socket = socket;
    return NATS_OK;
}

/* Adds an event to the events that the epoll watches for the socket, or removes it. libnats removes all events before
 * it closes the socket. So the descriptor is taken off the epoll while it still belongs to the socket. */
static natsStatus watch(struct herald_net_center *network, unsigned event, bool add) {
    unsigned before =
        add ? atomic_fetch_or(&network->socket_events, event) : atomic_fetch_and(&network->socket_events, ~event);
    struct epoll_event what = {.events = add ? before | event : before & ~event, .data.u32 = SOCKET};
    int operation = !what.events ? EPOLL_CTL_DEL : !before ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    int socket = network->socket;
    if (socket < 0 || what.events == before) return NATS_OK;
    if (!what.events) network->socket = -1; /* the descriptor's number may soon belong to another file */
    return epoll_ctl(network->epoll, operation, socket, &what) == 0 ? NATS_OK : NATS_ERR;
}

static natsStatus watch_reading(void *user, bool add) { return watch(user, EPOLLIN, add); }

static natsStatus watch_writing(void *user, bool add) { return watch(user, EPOLLOUT, add); }

static natsStatus detach(void *user) {
    struct herald_net_center *network = user;
    network->socket = -1;
    return NATS_OK;
}

/* ---- Sending ----------------------------------------------------------------------------------------------------- */

/* Lets libnats write the bytes in its buffer. Does nothing if the buffer is empty, because libnats takes a write of 0
 * bytes for the end of the connection. */
static void write_some(struct herald_net_center *network) {
    if (natsConnection_Buffered(network->connection) > 0 || !HERALD_NET_STEP(SOMETHING))
        natsConnection_ProcessWriteEvent(network->connection);
}

static natsStatus send_one(struct herald_net_center *network, struct herald_net_outgoing *outgoing) {
    if (outgoing->sequence && !herald_net_outgoing_sign(outgoing, herald_net_sender_of(network, outgoing)))
        return NATS_NO_MEMORY;
    if (outgoing->subject && !herald_net_inbox_open(network)) {
        herald_net_look_soon(network);
        return NATS_CONNECTION_CLOSED; /* as a rule */
    }
    return natsConnection_PublishMsg(network->connection, outgoing->message);
}

/* Whether the oldest post in hand can be sent. A kept one waits until the center has made its stream, and while too
 * many of those before it wait for their answers. */
static enum herald_net_turn turn_of_post(struct herald_net_center *network, struct herald_net_outgoing *outgoing) {
    if (!outgoing->subject) return HERALD_NET_SENDS;
    if (outgoing->is_forgetting) return herald_net_forget_turn(network, outgoing);
    pthread_mutex_lock(&network->lock);
    bool waits = !network->forgoes && (network->making || network->acks.count >= HERALD_NET_ACKS_MOST);
    pthread_mutex_unlock(&network->lock);
    return waits ? HERALD_NET_WAITS : HERALD_NET_SENDS;
}

/* Takes the oldest post in hand, a kept one or one that forgets, out of the queue: it was sent, or will not be. */
static void take_off_kept(struct herald_net_center *network, bool is_sent) {
    struct herald_net_outgoing *outgoing = herald_net_queue_take_one(&network->queue);
    pthread_mutex_lock(&network->lock);
    if (is_sent) {
        natsMsg_Destroy(outgoing->message);
        outgoing->message = NULL;
        herald_net_ack_await(network, outgoing);
        if (network->inbox_denied) herald_net_acks_fail(network, network->inbox_denial);
        outgoing = NULL;
    } else if (outgoing->is_asked && outgoing->turn == HERALD_NET_WAITS) {
        outgoing->is_left = true; /* at the end of the center; another thread may be about to note the answer */
        outgoing = NULL;
    } else if (outgoing->forgets) {
        herald_net_forgetting_end(network, outgoing, "the message that forgets was not sent");
    }
    pthread_mutex_unlock(&network->lock);
    if (outgoing) herald_net_outgoing_destroy(outgoing);
}

static void note_refused(struct herald_net_center *network, HeraldNameRef name, natsStatus status) {
    pthread_mutex_lock(&network->lock);
    network->counts.refused++;
    herald_net_tell(network, HeraldNetworkRefused, name, 1, "%s",
                    status == NATS_MAX_PAYLOAD ? "it is larger than this server takes" : natsStatus_GetText(status));
    pthread_mutex_unlock(&network->lock);
}

/* Sends some of the posts in the queue. Called while there is a connection. */
static void send_some(struct herald_net_center *network) {
    struct herald_net_queue *queue = &network->queue;
    bool has_room = herald_net_connection_has_room(network);
    pthread_mutex_lock(&network->lock);
    bool gated = network->gated = !herald_net_is_due(network, network->held_till) || !has_room;
    if (!gated) herald_net_queue_take(queue);
    pthread_mutex_unlock(&network->lock);
    if (gated || !queue->in_hand) return;
    uint64_t sent = 0, gone = 0;
    size_t bytes = 0;
    for (struct herald_net_outgoing *outgoing;
         (outgoing = queue->in_hand) && (!gone || bytes + outgoing->size <= SENT_AT_ONCE); gone++) {
        enum herald_net_turn turn = turn_of_post(network, outgoing);
        if (turn == HERALD_NET_WAITS) break; /* for an answer, which wakes the loop */
        natsStatus status = turn == HERALD_NET_SENDS ? send_one(network, outgoing) : NATS_OK;
        if (status == NATS_CONNECTION_CLOSED || status == NATS_CONNECTION_DISCONNECTED)
            break; /* this post and all later ones wait for the next connection */
        bool is_sent = turn == HERALD_NET_SENDS && status == NATS_OK;
        sent += is_sent;
        if (status != NATS_OK) note_refused(network, outgoing->name, status);
        bytes += outgoing->size;
        if (outgoing->subject) {
            take_off_kept(network, is_sent);
        } else {
            herald_net_queue_drop(queue);
        }
    }
    write_some(network); /* writes now: the epoll would only report later that the socket is writable */
    pthread_mutex_lock(&network->lock);
    network->gated = queue->in_hand;
    network->counts.sent += sent;
    if (sent) network->sent_at = ground_now();
    queue->gone += gone;
    queue->bytes -= bytes;
    pthread_mutex_unlock(&network->lock);
    if (gone) herald_net_look_again(network, 0); /* others may be left */
}

/* ---- Flushes ----------------------------------------------------------------------------------------------------- */

/* Under the lock: begins a flush (net.h) if one was requested, and if all posts before the request have left the queue.
 * `number` is the last request that the loop knew when it settled the subscriptions in this pass. A later request waits
 * for the next pass. */
static void flush_if_asked(struct herald_net_center *network, uint64_t number) {
    if (network->phase == HERALD_NET_OPEN) number = herald_net_durables_have_begun(network, number);
    if (network->flush_runs || network->flushed >= number || network->answered > network->flushed ||
        !network->connected || network->queue.gone < network->asked_at ||
        (!network->forgoes && !herald_net_acks_have_come(&network->acks, network->asked_at)) ||
        !herald_net_durables_have_begun(network, number) || !herald_net_is_due(network, network->flush_at))
        return;
    network->flushing = number;
    network->flushing_sent = network->counts.sent;
    network->flush_runs = true;
    network->flush_at = 0;
    herald_net_retain(network);
    if (ground_thread_start(NULL, 0, herald_net_connection_flush, network) != 0) {
        network->flush_runs = false;
        herald_net_look_soon(network);
        network->references--; /* not the last reference: the loop has one */
    }
}

/* Tells the waiting threads that the server has answered flush number `answered`. Denials that the server sent before
 * its answer have been reported already. */
static void tell_answer(struct herald_net_center *network, uint64_t answered) {
    pthread_mutex_lock(&network->lock);
    network->flushed = answered;
    network->noted = true; /* another flush may have been requested, or the center may be able to end now */
    pthread_cond_broadcast(&network->changed);
    pthread_mutex_unlock(&network->lock);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* Reports the events that wait now. Later events wait for the next pass of the loop: a callback may post, and so add
 * events without end. */
static void tell_events(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    uint32_t count = network->events.count;
    pthread_mutex_unlock(&network->lock);
    while (count--) {
        pthread_mutex_lock(&network->lock);
        struct herald_net_event *event = herald_net_events_take(&network->events);
        pthread_mutex_unlock(&network->lock);
        if (!event) return;
        network->event(network->context, &event->told);
        free(event);
    }
}

/* ---- The thread -------------------------------------------------------------------------------------------------- */

/* How many milliseconds the loop may sleep if nothing wakes it. -1: there is no limit. */
static int time_out(const struct herald_net_center *network) {
    uint64_t now = ground_now(), at = network->again_at;
    if (at == UINT64_MAX) return -1;
    return at <= now ? 0 : (int)((at - now) / GROUND_MILLISECOND < 60000 ? (at - now) / GROUND_MILLISECOND + 1 : 60000);
}

/* Asks JetStream what is to be asked, and writes it now. */
static void ask_questions(struct herald_net_center *network) {
    herald_net_inbox_send(network);
    if (network->inbox) write_some(network);
}

/* Sends letters, and writes them now. */
static void send_letters(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    bool sends = network->letters.foremost;
    pthread_mutex_unlock(&network->lock);
    if (!sends) return;
    if (!herald_net_letters_open(network)) {
        herald_net_look_soon(network);
        return;
    }
    while (sends && herald_net_connection_has_room(network)) {
        pthread_mutex_lock(&network->lock); /* posters come in between */
        sends = herald_net_letters_send(network);
        pthread_mutex_unlock(&network->lock);
    }
    if (sends) herald_net_look_soon(network);
    write_some(network);
}

/* Whether the socket has bytes that nobody has read: an answer may be among them. */
static bool has_input(const struct herald_net_center *network) {
    struct pollfd input = {.fd = network->socket, .events = POLLIN}; /* poll ignores -1 */
    return poll(&input, 1, 0) == 1;
}

/* One pass of the loop: does all that can be done now. */
static void tend(struct herald_net_center *network) {
    network->again_at = UINT64_MAX;
    herald_net_letters_read(network);
    herald_net_durables_read(network);
    pthread_mutex_lock(&network->lock);
    bool lost = network->lost;
    herald_net_begin_later(network);
    bool comes = has_input(network);
    herald_net_letters_expire(network, comes);
    if (comes || herald_net_has_unread(network)) {
        herald_net_look_soon(network);
    } else {
        herald_net_questions_expire(network);
        herald_net_acks_expire(network);
    }
    pthread_mutex_unlock(&network->lock);
    if (lost) herald_net_connection_end(network);
    herald_net_connection_listen(network, comes);
    herald_net_connection_try(network);
    pthread_mutex_lock(&network->lock);
    bool connected = network->connected;
    network->gated = !connected;
    uint64_t number = network->asked;
    pthread_mutex_unlock(&network->lock);
    if (connected) {
        if (!HERALD_NET_STEP(SUBSCRIBED)) ask_questions(network);
        herald_net_subscriptions_settle(network);
        ask_questions(network);
        send_some(network);
        send_letters(network);
        if (herald_net_durables_tend(network)) write_some(network);
    }
    herald_net_inbox_tell(network);
    herald_net_letters_tell(network);
    pthread_mutex_lock(&network->lock);
    flush_if_asked(network, number);
    uint64_t answered = network->answered > network->flushed ? network->answered : 0;
    pthread_mutex_unlock(&network->lock);
    bool owes = answered && !herald_net_connection_has_told(network);
    tell_events(network);
    if (answered && !owes) tell_answer(network, answered);
    if (owes) herald_net_look_soon(network);
}

/* Under the lock: whether the loop should end. A center that is ending has a deadline. The loop ends at the deadline,
 * or as soon as all posts have been sent and the server has confirmed them. */
static bool is_over(struct herald_net_center *network) {
    if (network->phase != HERALD_NET_ENDING) return false;
    if (herald_net_is_due(network, network->end_at)) return true;
    bool sent = network->queue.gone == network->queue.taken;
    if (network->letters.foremost || (network->acks.first && !network->forgoes)) return false;
    if (!herald_net_durables_are_quiet(network)) return false;
    if (!network->queue.taken || (sent && !HERALD_NET_STEP(FLUSH))) return sent;
    return sent && network->flushed == network->asked;
}

static void handle(struct herald_net_center *network, const struct epoll_event *event) {
    if (event->data.u32 == BELL) {
        uint64_t rung;
        ssize_t length = read(network->bell, &rung, sizeof rung);
        (void)length;
        return;
    }
    if (!network->connection) return; /* the event is from a connection that has ended */
    if (event->events & EPOLLIN) network->listening.heard = true;
    if (event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) natsConnection_ProcessReadEvent(network->connection);
    if (event->events & EPOLLOUT) write_some(network);
}

/* Records that the center itself ends the connection. If no trouble was recorded yet, also records why posts may be
 * left in the queue. */
static void note_why(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    network->is_leaving = true;
    if (!*network->trouble)
        strcpy(network->trouble, network->connected ? "there was no time" : "no server was connected in time");
    pthread_mutex_unlock(&network->lock);
}

/* Ends the center. Posts that are still in the queue are refused. */
static void finish(struct herald_net_center *network) {
    struct herald_net_queue *queue = &network->queue;
    note_why(network);
    herald_net_connection_end(network);
    herald_net_durables_end(network);
    pthread_mutex_lock(&network->lock);
    herald_net_questions_fail(network, "the center was closed");
    herald_net_letters_fail(network, "the center was closed");
    uint64_t left = network->left = queue->taken - queue->gone;
    network->counts.refused += left;
    queue->gone += left;
    if (left)
        herald_net_tell(network, HeraldNetworkRefused, NULL, left, "the center was closed before they were sent: %s",
                        network->trouble);
    herald_net_tell(network, HeraldNetworkClosed, NULL, 0, "the center is closed");
    network->told_all = true;
    pthread_mutex_unlock(&network->lock);
    herald_net_letters_tell(network);
    herald_net_questions_tell(network); /* before the posts that some of them are about */
    for (herald_net_queue_take(queue); queue->in_hand; herald_net_queue_take(queue)) take_off_kept(network, false);
    herald_net_questions_tell(network);
    herald_net_begin_end(network);
    tell_events(network);
    pthread_mutex_lock(&network->lock);
    network->phase = HERALD_NET_ENDED;
    network->loop = 0; /* a new thread may get this number */
    pthread_cond_broadcast(&network->changed);
    pthread_mutex_unlock(&network->lock);
}

static void *serve(void *context) {
    struct herald_net_center *network = context;
    struct epoll_event events[4];
    prctl(PR_SET_NAME, "herald-network");
    pthread_mutex_lock(&network->lock);
    network->loop = pthread_self();
    pthread_mutex_unlock(&network->lock);
    for (;;) {
        tend(network);
        pthread_mutex_lock(&network->lock);
        bool over = is_over(network);
        int wait = network->noted ? 0 : time_out(network); /* new events and a lost connection are noted, too */
        network->noted = false;
        network->asleep = wait != 0;
        pthread_mutex_unlock(&network->lock);
        if (over) break;
        int count = epoll_wait(network->epoll, events, 4, wait);
        if (wait) {
            pthread_mutex_lock(&network->lock);
            network->asleep = false;
            pthread_mutex_unlock(&network->lock);
        }
        for (int i = 0; i < count; i++) handle(network, &events[i]);
    }
    finish(network);
    nats_ReleaseThreadMemory();
    herald_net_release(network);
    return NULL;
}

/* ---- Its life ---------------------------------------------------------------------------------------------------- */

HeraldStatus herald_net_loop_create(struct herald_net_center *network, const HeraldNetworkOptions *options) {
    network->socket = network->dialed = network->given = -1;
    network->epoll = epoll_create1(EPOLL_CLOEXEC);
    network->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = BELL};
    if (network->epoll < 0 || network->bell < 0 || epoll_ctl(network->epoll, EPOLL_CTL_ADD, network->bell, &event) != 0)
        return herald_net_complain(HeraldTransportFailed, "no file descriptor is available: %s", strerror(errno));
    HeraldStatus status = herald_net_connection_prepare(network, options);
    if (status != HeraldOK) return status;
    natsStatus set = natsOptions_SetEventLoop(network->options, network, attach, watch_reading, watch_writing, detach);
    if (set == NATS_OK) return HeraldOK;
    return herald_net_complain(HeraldTransportFailed, "libnats cannot be used: %s", natsStatus_GetText(set));
}

HeraldStatus herald_net_loop_begin(struct herald_net_center *network) {
    herald_net_retain(network);
    int error = ground_thread_start(NULL, 0, serve, network); /* from now on the network may be gone */
    if (!error) return HeraldOK;
    network->references--;
    return herald_net_complain(HeraldTransportFailed, "no thread is available: %s", strerror(error));
}
