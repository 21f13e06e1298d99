/* Options, connecting, and what libnats reports of the connection.
 *
 * Ordering: A callback of libnats's takes the center's lock, leaves a note, and wakes the loop (net_loop.c).
 * Progress: Only the loop lets libnats connect, send and read. herald_net_dial limits the time that it takes to connect
 * to a server. Other threads only let libnats flush.
 * Ownership: A connection has a reference to its center's struct (`network`). The connection's last callback, `closed`,
 * gives up the reference.
 */
#include "net.h"
#include "ground_thread.h"
#include "subject.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FLUSH_MS = 2000,   /* the longest wait for the answer to a flush */
    HOUR_MS = 3600000, /* libnats's own limit for connecting; herald_net_dial ends an attempt earlier */
    PING_MS = 1500,    /* the time between pings */
    WAIT_MS = 100,     /* the first wait between two attempts to connect */
    WAIT_MOST_MS = 2000,
    STABLE_MS = 1000,    /* after a connection that lasted longer, the next attempt comes at once */
    HOLD_MS = 250,       /* how long posts are held back after a reconnection */
    FLUSH_AGAIN_MS = 20, /* the wait after a failed flush */
    TOLD_MS = 5000,      /* the time that libnats has to report a denial: its thread may be held up */
    BACKLOG = 1 << 20,   /* the most bytes that libnats may have unwritten */
};

/* ---- What libnats reports ---------------------------------------------------------------------------------------- */

static void note_largest(struct herald_net_center *network, natsConnection *connection) {
    int64_t largest = natsConnection_GetMaxPayload(connection);
    /* A server may announce any limit, but libnats keeps the length of a message in an int. */
    if (largest > 0) network->largest = largest < INT32_MAX ? (size_t)largest : (size_t)INT32_MAX;
}

static const char *last_error(natsConnection *connection) {
    const char *text = NULL;
    natsStatus status = natsConnection_GetLastError(connection, &text);
    if (status == NATS_OK) return "the connection has ended";
    return text && *text ? text : natsStatus_GetText(status);
}

/* Under the lock: notes why there is no connection. */
static void note_trouble(struct herald_net_center *network, const char *reason) {
    if (network->phase != HERALD_NET_ENDED && !network->told_all)
        snprintf(network->trouble, sizeof network->trouble, "%s", reason);
}

static void closed(natsConnection *connection, void *closure) {
    struct herald_net_center *network = closure;
    const char *reason = last_error(connection);
    pthread_mutex_lock(&network->lock);
    if (network->is_silent) reason = "the server does not answer";
    if (!network->is_leaving) note_trouble(network, reason);
    if (network->phase == HERALD_NET_OPEN) herald_net_tell(network, HeraldNetworkDisconnected, NULL, 0, "%s", reason);
    network->connected = false;
    network->lost = true;
    herald_net_wake(network);
    pthread_mutex_unlock(&network->lock);
    herald_net_release(network);
}

/* Notes the other servers of the cluster, which the server has reported to libnats. */
static void discovered(natsConnection *connection, void *closure) {
    struct herald_net_center *network = closure;
    char **urls = NULL;
    int count = 0;
    if (natsConnection_GetDiscoveredServers(connection, &urls, &count) != NATS_OK) return;
    pthread_mutex_lock(&network->lock);
    for (int i = 0; i < count; i++) herald_net_servers_add(&network->servers, urls[i]);
    pthread_mutex_unlock(&network->lock);
    for (int i = 0; i < count; i++) free(urls[i]);
    free(urls);
}

/* Returns the name that a subject stands for, or NULL if this process has no such name. */
static HeraldNameRef name_of_subject(const struct herald_net_center *network, const char *subject) {
    char name[HERALD_NET_SUBJECT_ROOM], object[HERALD_NET_SUBJECT_ROOM];
    bool has_object;
    return herald_net_subject_read(subject, network->prefix, name, object, &has_object) ? HeraldNameFind(name) : NULL;
}

/* Handles a denial that is about JetStream. Returns false if it is about something else. */
static bool deny_jetstream(struct herald_net_center *network, const char *subject, bool observes, const char *text) {
    char name[HERALD_NET_SUBJECT_ROOM], object[HERALD_NET_SUBJECT_ROOM];
    bool has_object;
    if (observes && strncmp(subject, network->inbox_root, strlen(network->inbox_root)) == 0) {
        network->inbox_denied = true;
        snprintf(network->inbox_denial, sizeof network->inbox_denial, "%s", text);
        herald_net_questions_fail(network, text);
        herald_net_acks_fail(network, text);
        herald_net_letters_fail(network, text);
        herald_net_durables_deny(network, NULL, text);
    } else if (!observes && strncmp(subject, "$JS.", 4) == 0) {
        herald_net_questions_deny(network, subject, text);
        herald_net_durables_deny(network, subject, text);
    } else if (!observes && herald_net_subject_read(subject, network->stream.kept, name, object, &has_object)) {
        if (!herald_net_ack_deny(network, subject, text))
            herald_net_tell(network, HeraldNetworkUnkept, HeraldNameFind(name), 1, "%s", text);
    } else {
        return false;
    }
    herald_net_wake(network);
    return true;
}

/* Handles a denial: the server does not allow a subject. `text` is the server's sentence. It begins with `Permissions
 * Violation for Subscription to "subject"`, or with `Permissions Violation for Publish to "subject"`. */
static void deny(struct herald_net_center *network, const char *text) {
    char subject[HERALD_NET_SUBJECT_ROOM + 4];
    const char *begin = strchr(text, '"'), *end = begin ? strrchr(begin + 1, '"') : NULL;
    const char *observing = strstr(text, "ubscription"); /* a subject may contain this word, too */
    bool observes = observing && (!begin || observing < begin);
    const char *rest =
        begin ? begin + 1 : ""; /* without a quote at its end if the sentence was longer than 255 bytes */
    network->denial[0] = 0;
    strncat(network->denial, text, sizeof network->denial - 1);
    if (!end || (size_t)(end - begin) > sizeof subject) begin = end = NULL;
    size_t length = end ? (size_t)(end - begin - 1) : 0;
    if (length) memcpy(subject, begin + 1, length);
    subject[length] = 0;
    if (deny_jetstream(network, subject, observes, text)) return;
    if (observes) herald_net_interests_deny(&network->interests, subject);
    if (!observes && *rest) herald_net_letters_deny(network, rest, end ? length : strlen(rest), end, text);
    herald_net_wake(network);              /* also for a program without an event function */
    char *about = strstr(subject, ".%.*"); /* at the end: the subject stands for posts of a name about any object */
    if (about && !about[4]) *about = 0;
    herald_net_tell(network, HeraldNetworkDenied, name_of_subject(network, subject), 1, "%s", text);
}

/* Handles the report that a subscription drops posts. libnats 3.4.1 may have freed the subscription that it reports. So
 * we look for subscriptions that have dropped posts. */
static void slow(struct herald_net_center *network) {
    struct herald_net_interest *interest;
    for (uint32_t at = 0; (interest = ground_table_next(&network->interests.all, &at));) {
        uint64_t dropped = herald_net_interest_tell_dropped(interest);
        if (!dropped) continue;
        HeraldNameRef name = interest->wide ? NULL : name_of_subject(network, interest->subject);
        herald_net_tell(network, HeraldNetworkSlow, name, dropped,
                        "observers take too long, and the newest posts are dropped: %s%s", interest->subject,
                        herald_net_interest_wildcard(interest));
    }
}

static void failed(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *closure) {
    (void)subscription, (void)connection; /* its last error may be newer than the error of this call */
    struct herald_net_center *network = closure;
    const char *text = nats_GetLastError(NULL);
    pthread_mutex_lock(&network->lock);
    if (status == NATS_SLOW_CONSUMER) {
        slow(network);
        herald_net_begin_connected(network, true); /* kept messages may be among those that were dropped */
    } else if (status == NATS_NOT_PERMITTED) {
        deny(network, text ? text : "");
    } else if (network->phase == HERALD_NET_OPEN) {
        herald_net_tell(network, HeraldNetworkDisconnected, NULL, 0, "%s",
                        text && *text ? text : natsStatus_GetText(status));
    }
    pthread_mutex_unlock(&network->lock);
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* Complains, and gives libnats's reason. */
static HeraldStatus refuse(const char *what) {
    natsStatus status = NATS_OK;
    const char *text = nats_GetLastError(&status);
    return herald_net_complain(HeraldInvalidArgument, "%s cannot be used: %s", what,
                               text && *text ? text : natsStatus_GetText(status));
}

static bool is_readable(const char *file, HeraldStatus *status) {
    struct stat what;
    if (*status != HeraldOK || !file) return false;
    if (access(file, R_OK) == 0 && stat(file, &what) == 0 && !S_ISDIR(what.st_mode)) return true;
    *status = herald_net_complain(HeraldInvalidArgument, "%s cannot be read: %s", file,
                                  strerror(access(file, R_OK) == 0 ? EISDIR : errno));
    return false;
}

static HeraldStatus prepare_identity(struct herald_net_center *network, const HeraldNetworkOptions *options) {
    natsOptions *nats = network->options;
    HeraldStatus status = HeraldOK;
    char public_key[HERALD_NET_NKEY_ROOM];
    bool secure = network->servers.secure || options->certificateAuthority || options->certificate;
    network->servers.secure = secure;
    if (!options->certificate != !options->key)
        return herald_net_complain(HeraldInvalidArgument, "a certificate and its key are given together");
    if (options->credentials && options->nkeySeed)
        return herald_net_complain(HeraldInvalidArgument, "credentials have a seed: another is not given");
    if (is_readable(options->credentials, &status) &&
        natsOptions_SetUserCredentialsFromFiles(nats, options->credentials, NULL) != NATS_OK)
        return refuse(options->credentials);
    if (is_readable(options->nkeySeed, &status)) {
        if (!herald_net_nkey_public(options->nkeySeed, public_key)) return HeraldInvalidArgument;
        if (natsOptions_SetNKeyFromSeed(nats, public_key, options->nkeySeed) != NATS_OK)
            return refuse(options->nkeySeed);
    }
    if (secure && natsOptions_SetSecure(nats, true) != NATS_OK) return refuse("TLS"); /* libnats ignores tls:// */
    if (is_readable(options->certificateAuthority, &status) &&
        natsOptions_LoadCATrustedCertificates(nats, options->certificateAuthority) != NATS_OK)
        return refuse(options->certificateAuthority);
    if (is_readable(options->certificate, &status) && is_readable(options->key, &status) &&
        natsOptions_LoadCertificatesChain(nats, options->certificate, options->key) != NATS_OK)
        return refuse(options->certificate);
    return status;
}

static natsStatus prepare_behavior(struct herald_net_center *network) {
    natsOptions *nats = network->options;
    /* libnats could reconnect by itself. But an event loop drives libnats here, and then libnats reads a new connection
     * as if the old one went on. So libnats does not reconnect. We make a new connection instead. */
    natsStatus status = natsOptions_SetAllowReconnect(nats, false);
    if (status == NATS_OK) status = natsOptions_SetNoRandomize(nats, true);
    if (status == NATS_OK && *network->servers.user)
        status = natsOptions_SetUserInfo(nats, network->servers.user, network->servers.password);
    if (status == NATS_OK && *network->servers.token) status = natsOptions_SetToken(nats, network->servers.token);
    if (status == NATS_OK) status = natsOptions_SetTimeout(nats, HOUR_MS);
    if (status == NATS_OK) status = natsOptions_SetPingInterval(nats, PING_MS);
    if (status == NATS_OK) status = natsOptions_SetMaxPingsOut(nats, HERALD_NET_PINGS_OUT);
    if (status == NATS_OK) status = natsOptions_SetSendAsap(nats, true);
    if (status == NATS_OK) status = natsOptions_UseGlobalMessageDelivery(nats, true);
    if (status == NATS_OK) status = natsOptions_SetDiscoveredServersCB(nats, discovered, network);
    if (status == NATS_OK) status = natsOptions_SetClosedCB(nats, closed, network);
    if (status == NATS_OK) status = natsOptions_SetErrorHandler(nats, failed, network);
    return status;
}

static natsStatus opened;
/* How many forks came before nats_Open. A child of a later fork has no threads of libnats. */
static uint32_t opened_after;

/* libnats starts its threads when it is opened. Signals are blocked during this call, so these threads get no signals.
 * libnats also makes the whole program ignore SIGPIPE. A library should not do this, so the program's action is
 * restored. */
static void open_once(void) {
    sigset_t before;
    struct sigaction pipe;
    ground_thread_block_signals(&before);
    sigaction(SIGPIPE, NULL, &pipe);
    opened = nats_Open(-1);
    opened_after = herald_net_registry_forks();
    sigaction(SIGPIPE, &pipe, NULL);
    ground_thread_restore_signals(&before);
}

HeraldStatus herald_net_connection_prepare(struct herald_net_center *network, const HeraldNetworkOptions *options) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_once);
    if (opened_after != herald_net_registry_forks())
        return herald_net_complain(HeraldTransportFailed, "libnats was begun by the parent process: in this child of "
                                                          "its fork there can be no network center");
    natsStatus status = opened;
    if (status == NATS_OK) status = natsOptions_Create(&network->options);
    if (status == NATS_OK) status = prepare_behavior(network);
    if (status == NATS_NO_MEMORY) return herald_net_complain(HeraldOutOfMemory, "out of memory");
    if (status != NATS_OK)
        return herald_net_complain(HeraldTransportFailed, "libnats cannot be used: %s", natsStatus_GetText(status));
    return prepare_identity(network, options);
}

/* ---- Connecting -------------------------------------------------------------------------------------------------- */

/* Each wait for the next attempt is twice as long as the one before, up to WAIT_MOST_MS. */
static void wait_for_next(struct herald_net_center *network) {
    uint32_t wait = WAIT_MS << (network->attempts < 8 ? network->attempts : 8);
    network->attempts++;
    network->connect_at = ground_now() + (wait < WAIT_MOST_MS ? wait : WAIT_MOST_MS) * GROUND_MILLISECOND;
    herald_net_look_again(network, network->connect_at);
}

static void note_failure(struct herald_net_center *network, natsStatus status, const char *text) {
    char reason[sizeof network->trouble];
    wait_for_next(network);
    if (!text || !*text) text = natsStatus_GetText(status);
    snprintf(reason, sizeof reason, "%s: %.240s", network->servers.shown, text);
    pthread_mutex_lock(&network->lock);
    note_trouble(network, reason);
    herald_net_tell(network, HeraldNetworkDisconnected, NULL, 0, "%s", reason);
    pthread_mutex_unlock(&network->lock);
}

static bool is_late(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    bool is_late = network->phase == HERALD_NET_ENDING && ground_now() >= network->end_at;
    pthread_mutex_unlock(&network->lock);
    return is_late;
}

/* Tries the servers in turn, until one accepts us. If none does, `*reason` says why the last server that answered has
 * refused us. If no server has answered, `*reason` says why the first server could not be reached. */
static natsStatus connect_to_next(struct herald_net_center *network, natsConnection **connection, const char **reason) {
    struct herald_net_address addresses[HERALD_NET_SERVERS_MOST];
    pthread_mutex_lock(&network->lock);
    int count = herald_net_servers_in_turn(&network->servers, addresses);
    pthread_mutex_unlock(&network->lock);
    natsStatus status = NATS_NO_SERVER;
    for (int i = 0; i < count && !is_late(network); i++) {
        const char *text;
        natsStatus now = herald_net_dial(network, &addresses[i], connection, &text);
        if (now == NATS_OK) return now;
        if (i && now == NATS_NO_SERVER) continue;
        status = now;
        *reason = text;
    }
    return status;
}

void herald_net_connection_try(struct herald_net_center *network) {
    if (network->connection || !herald_net_is_due(network, network->connect_at) || is_late(network)) return;
    natsConnection *connection = NULL;
    const char *reason = NULL;
    herald_net_retain(network); /* for `closed`, the connection's last callback */
    natsStatus status = connect_to_next(network, &connection, &reason);
    if (status != NATS_OK) {
        herald_net_release(network);
        note_failure(network, status, reason);
        return;
    }
    network->connection = connection;
    network->connected_at = ground_now();
    network->listening =
        (struct herald_net_listening){.look_at = ground_now() + HERALD_NET_LOOK_MS * GROUND_MILLISECOND};
    network->denial[0] = 0;
    note_largest(network, connection);
    discovered(connection, network);
    pthread_mutex_lock(&network->lock);
    network->connected = !network->lost;
    if (network->connected) network->trouble[0] = 0;
    network->inbox_denied = false;
    herald_net_kept_make(network);
    herald_net_begin_connected(network, network->was_connected);
    if (network->was_connected) {
        network->counts.reconnects++;
        if (HERALD_NET_STEP(HOLD)) network->held_till = ground_now() + HOLD_MS * GROUND_MILLISECOND;
    }
    herald_net_tell(network, HeraldNetworkConnected, NULL, 0, "connected%s to one of %s",
                    network->was_connected ? " again" : "", network->servers.shown);
    network->was_connected = true;
    pthread_mutex_unlock(&network->lock);
}

/* Under the lock: notes whether posts may be lost with the connection. Only recent posts are in doubt, and those that
 * waited for a slow link until recently. The server has received the older ones, because it was heard later, by the
 * answer to a ping as a rule. Otherwise the connection would have ended earlier: six looks take longer than it takes to
 * notice a silent server. */
static void note_doubt(struct herald_net_center *network) {
    uint64_t unknown = (uint64_t)6 * HERALD_NET_LOOK_MS * GROUND_MILLISECOND;
    bool is_recent = ground_now() - network->sent_at < unknown;
    if (network->counts.sent != network->confirmed && is_recent && HERALD_NET_STEP(CONFIRMED)) network->doubtful = true;
    network->confirmed = network->counts.sent;
}

void herald_net_connection_end(struct herald_net_center *network) {
    natsConnection *connection = network->connection;
    if (!connection) return;
    natsConnection_Close(connection); /* a flush that is running ends, too */
    herald_net_durables_lose(network);
    pthread_mutex_lock(&network->lock);
    while (network->flush_runs) pthread_cond_wait(&network->changed, &network->lock);
    note_doubt(network);
    network->connected = network->lost = network->is_silent = false;
    network->connection = NULL;
    herald_net_interests_lose_all(&network->interests);
    natsSubscription_Destroy(network->inbox);
    natsSubscription_Destroy(network->answers);
    network->inbox = network->answers = NULL;
    herald_net_questions_reset(network);
    herald_net_acks_fail(network, "the connection has ended before the stream has answered");
    herald_net_letters_reset(network);
    pthread_mutex_unlock(&network->lock);
    natsConnection_Destroy(connection);
    /* The next server is tried at once, unless this connection ended soon after it began. */
    network->connect_at = ground_now();
    if (ground_now() - network->connected_at > STABLE_MS * GROUND_MILLISECOND) {
        network->attempts = 0;
    } else {
        wait_for_next(network);
    }
}

/* libnats reports errors in the order in which it reads them, and keeps the last one. So if the last error is the
 * newest denial that was reported (`denial`), all errors have been reported. */
bool herald_net_connection_has_told(struct herald_net_center *network) {
    const char *text;
    if (!network->connection || natsConnection_GetLastError(network->connection, &text) != NATS_NOT_PERMITTED)
        return true;
    pthread_mutex_lock(&network->lock);
    bool is_told = strncmp(text, network->denial, sizeof network->denial / 2) == 0 ||
                   ground_now() > network->answered_at + TOLD_MS * GROUND_MILLISECOND || !HERALD_NET_STEP(TOLD);
    pthread_mutex_unlock(&network->lock);
    return is_told;
}

bool herald_net_connection_has_room(struct herald_net_center *network) {
    int buffered = natsConnection_Buffered(network->connection); /* -1: the connection is closed */
    return buffered >= 0 && (buffered < BACKLOG || !HERALD_NET_STEP(BACKLOG));
}

/* How many bytes are sent, or wait to be sent, and the other machine has not acknowledged. Without a socket: those that
 * wait. */
static uint64_t unacknowledged(const struct herald_net_center *network) {
    int bytes = 0, buffered = natsConnection_Buffered(network->connection); /* -1: the connection is closed */
    if (ioctl(network->socket, TIOCOUTQ, &bytes) != 0) bytes = 0;
    return (uint64_t)bytes + (buffered > 0 ? (uint64_t)buffered : 0);
}

/* How many bytes it has acknowledged: tcpi_bytes_acked, which not every libc's tcp_info has. Linux has it since 4.1;
 * before, this is 0. */
static uint64_t acknowledged(const struct herald_net_center *network) {
    enum { PLACE = 120 };
    unsigned char info[PLACE + sizeof(uint64_t)] = {0};
    uint64_t bytes;
    socklen_t size = sizeof info;
    if (getsockopt(network->socket, IPPROTO_TCP, TCP_INFO, info, &size) != 0) return 0;
    memcpy(&bytes, info + PLACE, sizeof bytes);
    return bytes;
}

/* An answer that comes a little early is a look, too, so that an idle loop need not wake only to look. */
static bool is_time_to_look(struct herald_net_center *network) {
    uint64_t early = network->listening.heard ? HERALD_NET_LOOK_MS / 2 * GROUND_MILLISECOND : 0;
    return herald_net_is_due(network, network->listening.look_at - early);
}

void herald_net_connection_listen(struct herald_net_center *network, bool comes) {
    struct herald_net_listening *listening = &network->listening;
    listening->heard |= comes;
    if (!network->connection || network->is_silent || !is_time_to_look(network)) return;
    uint64_t others = unacknowledged(network);
    bool is_silent = herald_net_listening_look(listening, acknowledged(network), others);
    listening->look_at = ground_now() + HERALD_NET_LOOK_MS * GROUND_MILLISECOND;
    herald_net_look_again(network, listening->look_at);
    pthread_mutex_lock(&network->lock);
    if (others > HERALD_NET_PINGS_BYTES) network->sent_at = ground_now(); /* as good as sent now */
    network->is_silent = is_silent;
    pthread_mutex_unlock(&network->lock);
    /* libnats reads the end, and gives the connection up. (natsConnection_Close would wait for the server.) */
    if (is_silent) shutdown(network->socket, SHUT_RD);
}

void *herald_net_connection_flush(void *context) {
    struct herald_net_center *network = context;
    natsStatus status = natsConnection_FlushTimeout(network->connection, FLUSH_MS);
    pthread_mutex_lock(&network->lock);
    if (status == NATS_OK) {
        network->answered = network->flushing;
        network->confirmed = network->flushing_sent;
        network->answered_at = ground_now();
    } else {
        network->flush_at = ground_now() + FLUSH_AGAIN_MS * GROUND_MILLISECOND;
    }
    network->flush_runs = false;
    pthread_cond_broadcast(&network->changed);
    herald_net_wake(network);
    pthread_mutex_unlock(&network->lock);
    herald_net_release(network);
    return NULL;
}
