/* The loop's part of durable observers (durable.h): asks the server for the consumer, requests messages, and tells the
 * server what was heard.
 *
 * A durable observer stands when the server has described its consumer on this connection. It asks again whenever the
 * server may know better: on a new connection, after a request for messages has failed, after three heartbeats that did
 * not come, and after the loop itself was away for too long. It has a subscription of its own, and another one each
 * time: so what was sent to it before that does not come any more.
 *
 * Ordering: The center's lock protects what the observer's thread (net_durable_call.c) uses, too. The loop alone uses
 * the rest.
 * Progress: O(1) for each message, O(n) in each pass of the loop for n durable observers, and a sort of the lane once
 * after another process has died. No call waits.
 * Ownership: The center's list has a reference to each. Parcels go from the loop to the thread and back.
 */
#include "net.h"
#include "ground_list.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    SILENCE_MS = 2000, /* after which a question is asked again */
    DRAIN_MS = 1000,   /* which one that has ended waits for the next message that the server has sent */
    DRAIN_LOOK_MS = 5, /* between two questions of whether all has come */
    PAUSE_MS = 100,    /* after the first failure; then twice as long, up to: */
    PAUSE_MOST_MS = 5000,
    TROUBLE_MS = 2000, /* so long nobody may lead the stream before this is an event */
    HEARTBEAT_MS = 500,
    REQUEST_MS = 5000, /* after which a request for messages ends by itself */
    LASTING_BATCH = 1 << 20,
    LANE_BYTES = 16 << 20, /* no more messages are requested while so many bytes wait */
    SUSPENDED_MS = 50,     /* between two looks at a suspended center */
    ALONE_MS = 250,
    NO_CONSUMER = 10014, /* numbers of JetStream's errors: */
    NO_STREAM = 10059,
    FILTER_IS_NO_SUBSET = 10093,
    FILTERS_REFUSED = 10136, /* and the next two */
    FILTERS_REFUSED_LAST = 10138
};

/* Who answers, as the subject of the answer says. */
enum { CONSUMER = 'c', STREAMS = 'n', STATE = 's', MESSAGES = 'm' };

static void name_inbox(const struct HeraldDurable *durable, char subject[HERALD_NET_INBOX_ROOM], char who,
                       uint32_t number) {
    snprintf(subject, HERALD_NET_INBOX_ROOM, "%sdurable.%" PRIu64 ".%c%" PRIu32, durable->network->inbox_root,
             durable->number, who, number);
}

static void request_of_consumer(struct HeraldDurable *durable, const char *call, char who, const char *text) {
    char reply[HERALD_NET_INBOX_ROOM];
    name_inbox(durable, reply, who, who == MESSAGES ? durable->pull : durable->question);
    natsConnection_PublishRequest(durable->network->connection, call, reply, text, (int)strlen(text));
}

static void write_call(const struct HeraldDurable *durable, const char *what,
                       char call[HERALD_NET_CONSUMER_CALL_ROOM]) {
    snprintf(call, HERALD_NET_CONSUMER_CALL_ROOM, "$JS.API.CONSUMER.%s.%s.%s", what, durable->wish.stream,
             durable->wish.name);
}

/* ---- What the program is told ------------------------------------------------------------------------------------ */

static void settle_durable(struct HeraldDurable *durable) {
    struct herald_net_center *network = durable->network;
    pthread_mutex_lock(&network->lock);
    durable->is_settled = true;
    pthread_mutex_unlock(&network->lock);
}

/* It cannot begin or go on now, and asks again after a pause. What does not last is told when it does. */
static void deny_durable(struct HeraldDurable *durable, const char *reason, bool lasts) {
    struct herald_net_center *network = durable->network;
    uint64_t now = ground_now(), pause = durable->pause ? 2 * durable->pause : PAUSE_MS * GROUND_MILLISECOND;
    durable->pause = pause < PAUSE_MOST_MS * GROUND_MILLISECOND ? pause : PAUSE_MOST_MS * GROUND_MILLISECOND;
    durable->ask_at = now + durable->pause;
    durable->stands = durable->pulls = false;
    if (!durable->troubled_at) durable->troubled_at = now;
    if (!lasts && now - durable->troubled_at < TROUBLE_MS * GROUND_MILLISECOND) return;
    settle_durable(durable);
    if (strcmp(durable->told, reason) == 0) return;
    snprintf(durable->told, sizeof durable->told, "%s", reason);
    pthread_mutex_lock(&network->lock);
    herald_net_tell_durable(network, durable, HeraldNetworkDenied, 1, durable->told);
    pthread_mutex_unlock(&network->lock);
}

/* The server has sent something by a request for messages. */
static void note_progress(struct HeraldDurable *durable) {
    durable->heard_at = ground_now();
    durable->pause = durable->troubled_at = 0;
    durable->told[0] = 0;
}

/* Under the lock. One that is alone calls nobody until all messages that another process had have come again. They come
 * in the order in which they ran out: a process that dies between two words about its messages leaves the oldest one
 * for the end. `again`: how many are still to come. */
static void expect_again(struct HeraldDurable *durable, uint64_t again) {
    bool ends = durable->again && !again;
    durable->again = again;
    if (!ends) return;
    herald_net_parcels_sort(&durable->lane);
    pthread_cond_signal(&durable->ready);
}

/* ---- Beginning --------------------------------------------------------------------------------------------------- */

/* From now on it asks anew. `drops`: what waits here may have been given to another process by now. */
static void begin_durable_anew(struct HeraldDurable *durable, bool drops) {
    struct herald_net_center *network = durable->network;
    natsSubscription_Destroy(durable->subscription);
    durable->subscription = NULL;
    durable->stands = durable->pulls = durable->makes = durable->knows_state = false;
    durable->ask_at = durable->tended_at = durable->patient_till = durable->begins_at = 0;
    durable->silent = 0;
    if (!drops) return;
    pthread_mutex_lock(&network->lock);
    herald_net_parcels_clear(&durable->lane);
    pthread_mutex_unlock(&network->lock);
}

static bool open_durable(struct HeraldDurable *durable) {
    char subject[HERALD_NET_INBOX_ROOM];
    if (durable->subscription) return true;
    durable->number = ++durable->network->durables.newest;
    snprintf(subject, sizeof subject, "%sdurable.%" PRIu64 ".*", durable->network->inbox_root, durable->number);
    if (natsConnection_SubscribeSync(&durable->subscription, durable->network->connection, subject) != NATS_OK)
        return false;
    natsSubscription_SetPendingLimits(durable->subscription, -1, -1); /* requests limit what comes */
    return true;
}

static void ask_for_streams(struct HeraldDurable *durable) {
    const struct herald_net_wish *wish = &durable->wish;
    char *text = NULL, *subject = herald_net_json_quote(wish->is_wide ? wish->filter : wish->subject);
    if (subject && asprintf(&text, "{\"subject\":%s}", subject) >= 0)
        request_of_consumer(durable, durable->call, STREAMS, text);
    free(subject);
    free(text);
}

/* Asks the next question: for the stream, for the consumer, or to make it. */
static void ask_of_durable(struct HeraldDurable *durable) {
    struct herald_net_center *network = durable->network;
    bool finds = !*durable->wish.stream;
    if (durable->silent++ > 1) {
        deny_durable(durable, "JetStream has not answered in time", true);
        durable->silent = 1;
    }
    durable->question++;
    pthread_mutex_lock(&network->lock); /* herald_net_durables_deny reads it */
    if (finds) strcpy(durable->call, "$JS.API.STREAM.NAMES");
    if (!finds) write_call(durable, durable->makes ? "DURABLE.CREATE" : "INFO", durable->call);
    pthread_mutex_unlock(&network->lock);
    if (finds) {
        ask_for_streams(durable);
    } else if (durable->makes) {
        char *text = herald_net_consumer_write(&durable->wish, durable->filters);
        if (text) request_of_consumer(durable, durable->call, CONSUMER, text);
        free(text);
    } else {
        request_of_consumer(durable, durable->call, CONSUMER, "");
    }
    durable->ask_at = ground_now() + SILENCE_MS * GROUND_MILLISECOND;
}

static void ask_for_state(struct HeraldDurable *durable) {
    char call[HERALD_NET_CONSUMER_CALL_ROOM];
    snprintf(call, sizeof call, "$JS.API.STREAM.INFO.%s", durable->wish.stream);
    request_of_consumer(durable, call, STATE, "");
    durable->knows_state = true;
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

/* A random time, in which another process is seen that begins at the same instant. */
static uint64_t random_pause(void) {
    uint16_t random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0) random = (uint16_t)ground_now();
    return random % ALONE_MS * GROUND_MILLISECOND;
}

/* Another process may observe, or may have died while messages were given to it. One that is to be alone begins if no
 * other has had a request open since all that was given out was heard, or came back. It looks twice, for another one
 * may be about to begin; and the server refuses a second request (max_waiting). */
static bool is_alone(struct HeraldDurable *durable) {
    const struct herald_net_consumer *consumer = &durable->consumer;
    uint64_t now = ground_now(), longest = now + consumer->ack_wait + consumer->ack_wait / 7;
    if (durable->wish.order != HeraldDurableAlone) return true;
    if (consumer->waiting) {
        durable->patient_till = 0;
        deny_durable(durable, "another process observes by this name, and each is to be alone", false);
        return false;
    }
    if (!durable->patient_till) {
        durable->patient_till = longest;
        durable->begins_at = now + random_pause();
    }
    bool waits = consumer->unacknowledged && now < durable->patient_till && HERALD_NET_STEP(PATIENT);
    if (!waits && now >= durable->begins_at) return true;
    durable->ask_at = now + ALONE_MS * GROUND_MILLISECOND;
    uint64_t next = waits ? durable->patient_till : durable->begins_at;
    if (durable->ask_at > next) durable->ask_at = next;
    if (waits) durable->begins_at = next + random_pause();
    return false;
}

/* The server does not know any more what was heard. */
static void note_anew(struct HeraldDurable *durable) {
    pthread_mutex_lock(&durable->network->lock);
    durable->epoch++; /* so what is being heard is not acknowledged: its number may be another message's by now */
    herald_net_parcels_clear(&durable->lane);
    herald_net_parcels_clear(&durable->over);
    pthread_mutex_unlock(&durable->network->lock);
}

/* The server has described the consumer. */
static void note_consumer(struct HeraldDurable *durable, const struct herald_net_consumer *consumer) {
    int64_t apart = consumer->created - durable->consumer.created;
    if (durable->consumer.created && (apart > 1 || apart < -1)) note_anew(durable);
    durable->consumer = *consumer;
    durable->delivery = consumer->deliveries;
    durable->ack_wait = consumer->ack_wait;
    durable->makes = false;
    settle_durable(durable);
    if (!is_alone(durable)) return;
    if (durable->wish.order == HeraldDurableAlone && HERALD_NET_STEP(SORT)) {
        pthread_mutex_lock(&durable->network->lock);
        expect_again(durable, consumer->unacknowledged);
        pthread_mutex_unlock(&durable->network->lock);
    }
    durable->patient_till = 0;
    durable->stands = true;
    durable->pulls = false;
    durable->heard_at = ground_now();
}

/* How many messages are here of which the server waits to be told. */
static uint64_t count_held(struct HeraldDurable *durable) {
    pthread_mutex_lock(&durable->network->lock);
    uint64_t count = durable->running != NULL;
    for (struct herald_net_parcel *parcel = durable->lane.first; parcel; parcel = parcel->next) count++;
    for (struct herald_net_parcel *parcel = durable->over.first; parcel; parcel = parcel->next) count++;
    pthread_mutex_unlock(&durable->network->lock);
    return count;
}

/* Whether nothing more comes to one that has ended: its request is used up, it has the one message of a strict order,
 * or the server has nothing to give. This is so if the newest message that was given out is here, all that were not
 * acknowledged are here, too, and none is left or no more may be given out. (The answer may overtake a message, and the
 * server may not have looked yet at what it was told before the question.) */
static bool is_drained(struct HeraldDurable *durable, const struct herald_net_consumer *consumer) {
    uint64_t held = count_held(durable);
    if (!consumer || !durable->pulls || durable->outstanding <= 0) return true;
    if (durable->wish.order == HeraldDurableStrict && held) return true;
    bool gives = consumer->pending && consumer->unacknowledged < consumer->in_flight;
    return !gives && consumer->deliveries == durable->delivery && consumer->unacknowledged <= held;
}

/* The server has answered one that has ended. As nothing is acknowledged meanwhile, no more comes than its consumer's
 * limit; what it waits for in vain has another process. */
static void note_leaving(struct HeraldDurable *durable, const struct herald_net_consumer *consumer) {
    if (durable->leaving == HERALD_NET_PARTS) durable->leaving = HERALD_NET_LEFT;
    if (durable->leaving != HERALD_NET_DRAINS) return;
    if (is_drained(durable, consumer)) {
        durable->leaving = HERALD_NET_DRAINED;
        return;
    }
    durable->ask_at = ground_now() + DRAIN_LOOK_MS * GROUND_MILLISECOND;
    herald_net_look_again(durable->network, durable->ask_at);
}

static void name_stream(struct HeraldDurable *durable, const char *name) {
    pthread_mutex_lock(&durable->network->lock);
    strcpy(durable->wish.stream, name);
    pthread_mutex_unlock(&durable->network->lock);
}

static void read_consumer(struct HeraldDurable *durable, struct herald_net_json all) {
    struct herald_net_api_error error;
    struct herald_net_consumer consumer;
    char reason[256];
    if (durable->leaving) {
        note_leaving(durable, herald_net_consumer_read(all, &durable->wish, &consumer, reason) ? &consumer : NULL);
        return;
    }
    if (!herald_net_api_error_read(all, &error)) {
        if (herald_net_consumer_read(all, &durable->wish, &consumer, reason)) {
            note_consumer(durable, &consumer);
        } else {
            durable->makes = false;
            deny_durable(durable, reason, true);
        }
        return;
    }
    bool refuses_filters = error.number == FILTER_IS_NO_SUBSET ||
                           (error.number >= FILTERS_REFUSED && error.number <= FILTERS_REFUSED_LAST);
    if (!durable->makes && error.number == NO_CONSUMER) {
        note_anew(durable);
        durable->makes = true;
        durable->ask_at = 0;
        return;
    }
    if (durable->makes && durable->filters && !durable->wish.is_wide && refuses_filters) {
        durable->filters = false;
        durable->ask_at = 0;
        return;
    }
    durable->makes = false;
    if (error.number == NO_STREAM && durable->finds) name_stream(durable, ""); /* another may store it by now */
    deny_durable(durable, error.reason, !herald_net_api_error_passes(&error));
}

static void read_streams(struct HeraldDurable *durable, struct herald_net_json all) {
    struct herald_net_api_error error;
    struct herald_net_json list, first;
    size_t count = 0;
    char name[HERALD_NET_DURABLE_ROOM];
    if (herald_net_api_error_read(all, &error)) {
        deny_durable(durable, error.reason, !herald_net_api_error_passes(&error));
    } else if (!herald_net_json_member(all, "streams", &list) || !herald_net_json_first(list, &first, &count) ||
               !count) {
        deny_durable(durable, "no stream stores what it observes", true);
    } else if (count > 1) {
        deny_durable(durable, "several streams store what it observes: its options must say which", true);
    } else if (!herald_net_json_text(first, name, sizeof name) || !herald_net_durable_is_name(name)) {
        deny_durable(durable, "the stream's name cannot be used", true);
    } else {
        name_stream(durable, name);
        durable->ask_at = 0;
    }
}

/* The stream may have discarded messages that were not heard. */
static void read_state(struct HeraldDurable *durable, struct herald_net_json all) {
    struct herald_net_center *network = durable->network;
    struct herald_net_json state, value;
    uint64_t first = 0, heard = durable->consumer.floor > durable->lost ? durable->consumer.floor : durable->lost;
    if (!herald_net_json_member(all, "state", &state) || !herald_net_json_member(state, "first_seq", &value) ||
        !herald_net_json_number(value, &first) || first <= heard + 1)
        return;
    durable->lost = first - 1;
    pthread_mutex_lock(&network->lock);
    herald_net_tell_durable(network, durable, HeraldNetworkLost, first - 1 - heard,
                            "the stream has discarded messages that were not heard");
    pthread_mutex_unlock(&network->lock);
}

/* A request for messages has ended, or the server shows that it is there. */
static void read_pull_status(struct HeraldDurable *durable, uint64_t number, const char *status, const char *text) {
    char reason[256];
    if (number != durable->pull) return;
    if (strcmp(status, "100") == 0) {
        note_progress(durable);
        pthread_mutex_lock(&durable->network->lock);
        expect_again(durable, 0); /* the server has no more now */
        pthread_mutex_unlock(&durable->network->lock);
        return;
    }
    durable->pulls = false;
    if (strcmp(status, "408") == 0 || strcmp(status, "404") == 0) {
        note_progress(durable);
    } else {
        if (text && strstr(text, "Deleted")) note_anew(durable);
        if (durable->wish.order == HeraldDurableAlone) begin_durable_anew(durable, true); /* another may have begun */
        snprintf(reason, sizeof reason, "the request for messages was ended: %s %s", status, text ? text : "");
        deny_durable(durable, reason, false);
    }
}

static void take_parcel_in(struct HeraldDurable *durable, natsMsg *message, const HeraldStored *stored) {
    struct herald_net_center *network = durable->network;
    struct herald_net_parcel *parcel = calloc(1, sizeof *parcel);
    note_progress(durable);
    durable->outstanding--;
    size_t length = (size_t)natsMsg_GetDataLength(message);
    durable->largest = length > durable->largest ? length : durable->largest - durable->largest / 16;
    durable->is_new = stored->deliveries == 1;
    if (!parcel) { /* it comes again */
        natsMsg_Destroy(message);
        return;
    }
    *parcel = (struct herald_net_parcel){.message = message, .stored = *stored, .at = ground_now()};
    parcel->size = sizeof *parcel + length;
    parcel->epoch = durable->epoch; /* written by this thread */
    if (durable->leaving == HERALD_NET_DRAINS || durable->leaving == HERALD_NET_CLOSES)
        durable->left_at = parcel->at + DRAIN_MS * GROUND_MILLISECOND;
    pthread_mutex_lock(&network->lock);
    herald_net_parcels_put(&durable->lane, parcel);
    if (durable->again) expect_again(durable, durable->again - 1);
    pthread_cond_signal(&durable->ready);
    pthread_mutex_unlock(&network->lock);
}

static void read_durable_answer(struct HeraldDurable *durable, natsMsg *message) {
    const char *tail = strrchr(natsMsg_GetSubject(message), '.'), *status = NULL, *text = NULL;
    struct herald_net_json all;
    char who = tail ? tail[1] : 0;
    if (!who) return;
    if (who == MESSAGES) {
        if (natsMsgHeader_Get(message, "Status", &status) != NATS_OK || !status) return;
        natsMsgHeader_Get(message, "Description", &text);
        read_pull_status(durable, strtoull(tail + 2, NULL, 10), status, text);
        return;
    }
    if (strtoull(tail + (tail ? 2 : 0), NULL, 10) != durable->question) return; /* a later question is open */
    durable->silent = 0;
    bool is_read = herald_net_json_read(&all, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message));
    if (who == STATE) {
        if (is_read) read_state(durable, all);
    } else if (!is_read) {
        deny_durable(durable, "the server's answer cannot be read", true);
    } else if (who == CONSUMER) {
        read_consumer(durable, all);
    } else if (who == STREAMS) {
        read_streams(durable, all);
    }
}

static void read_durable(struct HeraldDurable *durable) {
    HeraldStored stored;
    uint64_t delivery;
    natsMsg *message;
    while (durable->subscription) {
        natsStatus status = natsSubscription_NextMsg(&message, durable->subscription, 0);
        if (status == NATS_NO_RESPONDERS) {
            durable->silent = 0;
            deny_durable(durable, "the server has no JetStream, or nobody leads the stream", false);
        } else if (status != NATS_OK) {
            return;
        } else if (herald_net_stored_read(natsMsg_GetReply(message), &stored, &delivery)) {
            durable->delivery = delivery;
            take_parcel_in(durable, message, &stored);
        } else {
            read_durable_answer(durable, message);
            natsMsg_Destroy(message);
        }
    }
}

/* ---- What the server is told ------------------------------------------------------------------------------------- */

/* Returns false if it cannot be sent now. */
static bool send_verdict(struct HeraldDurable *durable, const struct herald_net_parcel *parcel) {
    static const char *const texts[] = {
        [HERALD_NET_HEARD] = "+ACK", [HERALD_NET_RETURNED] = "-NAK", [HERALD_NET_ENOUGH] = "+TERM"};
    char later[64];
    const char *text = texts[parcel->verdict == HERALD_NET_AGAIN ? HERALD_NET_RETURNED : parcel->verdict];
    if (parcel->verdict == HERALD_NET_AGAIN) {
        snprintf(later, sizeof later, "-NAK {\"delay\":%" PRIu64 "}", parcel->pause);
        text = later;
    }
    if (!text) return true;
    natsStatus status =
        natsConnection_PublishString(durable->network->connection, natsMsg_GetReply(parcel->message), text);
    return status != NATS_CONNECTION_CLOSED && status != NATS_CONNECTION_DISCONNECTED && status != NATS_NO_MEMORY;
}

/* Tells the server what was heard. */
static void send_verdicts(struct HeraldDurable *durable) {
    struct herald_net_center *network = durable->network;
    for (bool sent = true; sent;) {
        pthread_mutex_lock(&network->lock);
        struct herald_net_parcel *parcel = durable->over.first;
        pthread_mutex_unlock(&network->lock);
        if (!parcel) return;
        sent = send_verdict(durable, parcel); /* the loop alone takes parcels from `over` */
        if (!sent) return;
        pthread_mutex_lock(&network->lock);
        herald_net_parcels_take(&durable->over);
        pthread_mutex_unlock(&network->lock);
        herald_net_parcel_destroy(parcel);
    }
}

/* Under the lock, during which libnats may be called (subscription.c): this process works on the message. */
static void send_progress_of(struct HeraldDurable *durable, struct herald_net_parcel *parcel, uint64_t now) {
    natsConnection_PublishString(durable->network->connection, natsMsg_GetReply(parcel->message), "+WPI");
    parcel->at = now;
}

/* Under the lock. What has waited for so long that another process may have it is dropped. */
static void send_progress_of_lane(struct HeraldDurable *durable, uint64_t now) {
    struct herald_net_parcels lane = durable->lane;
    if (!lane.first) return;
    herald_net_parcels_create(&durable->lane);
    for (struct herald_net_parcel *parcel = lane.first, *next; parcel; parcel = next) {
        next = parcel->next;
        bool is_fresh = herald_net_parcel_is_fresh(durable, parcel);
        if (is_fresh) {
            send_progress_of(durable, parcel, now);
            herald_net_parcels_put(&durable->lane, parcel);
        } else {
            herald_net_parcel_destroy(parcel);
        }
    }
}

/* Of all messages at once, in their order: if this process dies, the server gives first what it was told of first. */
static void send_progress(struct HeraldDurable *durable) {
    struct herald_net_center *network = durable->network;
    uint64_t now = ground_now();
    if (now - durable->progress_at < durable->ack_wait / 4 || !HERALD_NET_STEP(PROGRESS)) return;
    durable->progress_at = now;
    pthread_mutex_lock(&network->lock);
    if (durable->running) send_progress_of(durable, durable->running, now);
    send_progress_of_lane(durable, now);
    pthread_mutex_unlock(&network->lock);
}

/* ---- Requests for messages --------------------------------------------------------------------------------------- */

/* How many messages are requested. The consumer's max_ack_pending limits what is given out. One request that lasts
 * shows others that this process is alone. Of what is shared, a process requests what it has room for; and while
 * messages come that a process may have died of, one at a time, so that the others are not given out in vain. */
static int64_t batch_of(const struct HeraldDurable *durable) {
    if (durable->wish.order != HeraldDurableEach) return LASTING_BATCH;
    if (durable->wish.attempts && !durable->is_new) return 1;
    int64_t most = LANE_BYTES / (int64_t)(durable->largest + 1), batch = durable->wish.in_flight;
    return batch < most ? batch : most ? most : 1;
}

static void pull_messages(struct HeraldDurable *durable) {
    char call[HERALD_NET_CONSUMER_CALL_ROOM], text[160];
    durable->pull++;
    durable->pulls = true;
    durable->outstanding = batch_of(durable);
    durable->heard_at = ground_now();
    snprintf(text, sizeof text, "{\"batch\":%" PRId64 ",\"expires\":%" PRIu64 ",\"idle_heartbeat\":%" PRIu64 "}",
             durable->outstanding, REQUEST_MS * GROUND_MILLISECOND, HEARTBEAT_MS * GROUND_MILLISECOND);
    write_call(durable, "MSG.NEXT", call);
    request_of_consumer(durable, call, MESSAGES, text);
}

static void pull_if_due(struct HeraldDurable *durable) {
    struct herald_net_center *network = durable->network;
    uint64_t now = ground_now(), most = 3 * HEARTBEAT_MS * GROUND_MILLISECOND;
    if (durable->pulls && durable->outstanding <= 0) durable->pulls = false;
    if (durable->pulls && now - durable->heard_at > most) {
        durable->stands = durable->pulls = false; /* who has led the consumer is gone */
        durable->ask_at = 0;
        return;
    }
    pthread_mutex_lock(&network->lock);
    bool may = !durable->is_held && (durable->lane.bytes < LANE_BYTES || durable->wish.order != HeraldDurableEach);
    pthread_mutex_unlock(&network->lock);
    if (!durable->pulls && may) {
        pull_messages(durable);
    } else if (!durable->pulls && durable->wish.order == HeraldDurableAlone) {
        begin_durable_anew(durable, true); /* without a request another process may begin */
    }
    if (durable->pulls) herald_net_look_again(network, durable->heard_at + most + GROUND_MILLISECOND);
}

/* ---- One pass ---------------------------------------------------------------------------------------------------- */

/* Whether the loop was away for so long that another process may have the messages. */
static bool was_loop_away(const struct HeraldDurable *durable, uint64_t now) {
    return durable->tended_at && now - durable->tended_at > durable->ack_wait / 2 && HERALD_NET_STEP(AWAY);
}

/* Under the lock: what waits here goes back to the server, which gives it to another process. */
static void give_back_lane(struct HeraldDurable *durable) {
    for (struct herald_net_parcel *parcel; (parcel = herald_net_parcels_take(&durable->lane));) {
        parcel->verdict = HERALD_NET_RETURNED;
        herald_net_parcels_put(&durable->over, parcel);
    }
}

/* Under the lock: whether the server is to be told something, or something may still come from it. */
static bool owes_durable(const struct HeraldDurable *durable) {
    return durable->lane.first || durable->over.first || durable->leaving != HERALD_NET_LEFT;
}

/* What the loop has seen of it. */
struct sight {
    bool has_ended, is_stale, is_over;
    char denial[256];
};

/* Notes whether it may be called. */
static struct sight look_at_durable(struct HeraldDurable *durable, bool is_suspended) {
    struct herald_net_center *network = durable->network;
    struct sight sight = {.has_ended = false};
    bool is_held = is_suspended || HeraldCenterIsTokenBlocked(durable->center, durable->token);
    pthread_mutex_lock(&network->lock);
    bool was_held = durable->is_held;
    durable->is_held = is_held;
    sight.has_ended = durable->is_ended || network->phase != HERALD_NET_OPEN;
    if ((was_held && !is_held) || sight.has_ended) pthread_cond_broadcast(&durable->ready);
    sight.is_stale = durable->is_stale;
    durable->is_stale = false;
    if (durable->leaving == HERALD_NET_LEFT) give_back_lane(durable);
    sight.is_over = durable->is_ended && !owes_durable(durable) && !durable->running;
    strcpy(sight.denial, durable->denial);
    durable->denial[0] = 0;
    pthread_mutex_unlock(&network->lock);
    if (is_held) herald_net_look_again(network, ground_now() + SUSPENDED_MS * GROUND_MILLISECOND);
    return sight;
}

/* Asks the server, whose answer is the next step, as is its silence. */
static void ask_to_leave(struct HeraldDurable *durable, int leaving, uint64_t milliseconds) {
    durable->leaving = leaving;
    durable->left_at = ground_now() + milliseconds * GROUND_MILLISECOND;
    durable->makes = false;
    ask_of_durable(durable);
}

/* The server ends the subscription. libnats keeps it until the server has answered that it has: what was stored since
 * the server's last answer may still come. A thread of libnats waits for the answer. */
static void close_durable(struct HeraldDurable *durable) {
    if (!durable->subscription || !HERALD_NET_STEP(CLOSE)) return;
    if (natsSubscription_DrainTimeout(durable->subscription, DRAIN_MS) != NATS_OK) return;
    durable->leaving = HERALD_NET_CLOSES;
    durable->left_at = ground_now() + DRAIN_MS * GROUND_MILLISECOND;
}

static bool has_closed(const struct HeraldDurable *durable) {
    return !durable->subscription || herald_net_is_due(durable->network, durable->left_at) ||
           natsSubscription_DrainCompletionStatus(durable->subscription) != NATS_ILLEGAL_STATE;
}

/* What came for it is here. */
static void part_durable(struct HeraldDurable *durable) {
    if (HERALD_NET_STEP(DRAIN)) read_durable(durable);
    begin_durable_anew(durable, false);
    durable->leaving = HERALD_NET_LEFT;
    if (count_held(durable) && *durable->wish.stream && open_durable(durable))
        ask_to_leave(durable, HERALD_NET_PARTS, SILENCE_MS);
    herald_net_look_again(durable->network, 0);
}

/* It has ended. Its request for messages ends with its subscription. That goes when what the server has sent is here,
 * for libnats would drop it, and the server would wait for it. Until then nothing is acknowledged, or the next message
 * would come. The server looks at requests without a subscriber when it is asked. Only then is it told of the messages
 * that are here, or it would give one that goes back to the request that nobody hears. */
static void leave_durable(struct HeraldDurable *durable) {
    if (durable->leaving == HERALD_NET_STAYS) {
        durable->leaving = HERALD_NET_DRAINED;
        if (durable->stands && durable->subscription && HERALD_NET_STEP(DRAIN))
            ask_to_leave(durable, HERALD_NET_DRAINS, DRAIN_MS);
    }
    durable->tended_at = ground_now();
    bool is_silent = !durable->subscription || herald_net_is_due(durable->network, durable->left_at);
    if (durable->leaving == HERALD_NET_DRAINS) {
        if (is_silent) durable->leaving = HERALD_NET_DRAINED;
        if (!is_silent && herald_net_is_due(durable->network, durable->ask_at)) ask_of_durable(durable);
    } else if (durable->leaving == HERALD_NET_PARTS && is_silent) {
        durable->leaving = HERALD_NET_LEFT;
        herald_net_look_again(durable->network, 0);
    }
    if (durable->leaving == HERALD_NET_DRAINED) close_durable(durable);
    if (durable->leaving == HERALD_NET_CLOSES && !has_closed(durable)) {
        herald_net_look_again(durable->network, ground_now() + DRAIN_LOOK_MS * GROUND_MILLISECOND);
    } else if (durable->leaving == HERALD_NET_DRAINED || durable->leaving == HERALD_NET_CLOSES) {
        part_durable(durable);
    }
    if (durable->leaving == HERALD_NET_LEFT) send_verdicts(durable);
    send_progress(durable);
}

static void tend_durable(struct HeraldDurable *durable, const struct sight *sight) {
    uint64_t now = ground_now();
    if (sight->has_ended) {
        leave_durable(durable);
        return;
    }
    if (was_loop_away(durable, now) || (sight->is_stale && durable->wish.order == HeraldDurableAlone))
        begin_durable_anew(durable, true);
    if (*sight->denial) deny_durable(durable, sight->denial, true);
    send_verdicts(durable);
    if (!open_durable(durable)) {
        herald_net_look_soon(durable->network);
        return;
    }
    send_progress(durable);
    if (durable->stands) {
        pull_if_due(durable);
        if (durable->stands && !durable->knows_state) ask_for_state(durable);
    }
    bool asks = !durable->stands && (durable->wish.order != HeraldDurableAlone || !durable->is_held);
    if (asks && herald_net_is_due(durable->network, durable->ask_at)) {
        ask_of_durable(durable);
        herald_net_look_again(durable->network, durable->ask_at);
    }
    durable->tended_at = now;
    herald_net_look_again(durable->network, now + durable->ack_wait / 8);
}

static bool is_center_suspended(struct herald_net_center *network) {
    HeraldCenterRef center __attribute__((cleanup(herald_net_release_center))) = herald_net_hold_center(network);
    return center && HeraldCenterIsSuspended(center);
}

static void take_off_durable(struct herald_net_center *network, struct HeraldDurable *durable) {
    pthread_mutex_lock(&network->lock);
    GROUND_LIST_REMOVE(durable);
    herald_net_parcels_clear(&durable->lane);
    herald_net_parcels_clear(&durable->over);
    durable->is_ended = durable->is_settled = durable->is_off = true;
    pthread_cond_signal(&durable->ready);
    pthread_mutex_unlock(&network->lock);
    natsSubscription_Destroy(durable->subscription);
    durable->subscription = NULL;
    herald_net_durable_release(durable);
}

static struct HeraldDurable *first_of(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    struct HeraldDurable *first = network->durables.first;
    pthread_mutex_unlock(&network->lock);
    return first;
}

/* The loop alone takes durable observers off the list, and others are added in front. */
void herald_net_durables_read(struct herald_net_center *network) {
    if (!network->durables.any) return;
    for (struct HeraldDurable *durable = first_of(network); durable; durable = durable->next) {
        if (was_loop_away(durable, ground_now())) begin_durable_anew(durable, true);
        read_durable(durable);
    }
}

bool herald_net_durables_tend(struct herald_net_center *network) {
    if (!network->durables.any) return false;
    network->durables.any = false; /* before the look: one that is added later sets it again */
    struct HeraldDurable *durable = first_of(network);
    if (!durable) return false;
    network->durables.any = true;
    bool suspended = is_center_suspended(network);
    for (struct HeraldDurable *next; durable; durable = next) {
        next = durable->next;
        struct sight sight = look_at_durable(durable, suspended);
        if (sight.is_over) {
            take_off_durable(network, durable);
        } else {
            tend_durable(durable, &sight);
        }
    }
    return true;
}

void herald_net_durables_lose(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    bool open = network->phase == HERALD_NET_OPEN;
    pthread_mutex_unlock(&network->lock);
    for (struct HeraldDurable *durable = first_of(network); durable; durable = durable->next)
        begin_durable_anew(durable, durable->wish.order == HeraldDurableAlone || !open);
}

void herald_net_durables_end(struct herald_net_center *network) {
    for (struct HeraldDurable *durable; (durable = first_of(network));) {
        HeraldCenterRemoveToken(durable->center, durable->token); /* its owner may never end it */
        take_off_durable(network, durable);
    }
}

/* Whether a call is one of this durable observer's. */
static bool is_call_of(const struct HeraldDurable *durable, const char *subject) {
    static const char *const calls[] = {"INFO", "DURABLE.CREATE", "MSG.NEXT"};
    char own[HERALD_NET_CONSUMER_CALL_ROOM];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        write_call(durable, calls[i], own);
        if (strcmp(subject, own) == 0) return true;
    }
    return strcmp(subject, durable->call) == 0;
}

void herald_net_durables_deny(struct herald_net_center *network, const char *subject, const char *reason) {
    char acks[HERALD_NET_CONSUMER_CALL_ROOM];
    for (struct HeraldDurable *durable = network->durables.first; durable; durable = durable->next) {
        snprintf(acks, sizeof acks, "$JS.ACK.%s.%s.", durable->wish.stream, durable->wish.name);
        bool is_ack = subject && strncmp(subject, acks, strlen(acks)) == 0;
        if ((is_ack && durable->ack_denied) || (subject && !is_ack && !is_call_of(durable, subject))) continue;
        durable->ack_denied = durable->ack_denied || is_ack;
        snprintf(durable->denial, sizeof durable->denial, "%s", reason);
    }
}

uint64_t herald_net_durables_have_begun(const struct herald_net_center *network, uint64_t flush) {
    for (const struct HeraldDurable *durable = network->durables.first; durable; durable = durable->next)
        if (!durable->is_settled && durable->before < flush) flush = durable->before;
    return flush;
}

bool herald_net_durables_are_quiet(const struct herald_net_center *network) {
    for (const struct HeraldDurable *durable = network->durables.first; durable; durable = durable->next) {
        if (durable->running && durable != network->forgone) return false;
        if (owes_durable(durable) && network->connected) return false;
    }
    return true;
}
