/* Requests for a consumer, and what a server says of it (durable.h).
 *
 * Ordering, progress: None, bounded by the text. Ownership: A parcel owns its message.
 */
#include "durable.h"
#include "ground_time.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool herald_net_durable_is_name(const char *name) {
    size_t length = name ? strnlen(name, HERALD_NET_DURABLE_ROOM) : 0;
    if (!length || length == HERALD_NET_DURABLE_ROOM) return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] <= ' ' || name[i] == 0x7f || strchr(".*>/\\", name[i])) return false;
    return true;
}

/* ---- What is asked ----------------------------------------------------------------------------------------------- */

static void write_start(FILE *to, const struct herald_net_wish *wish) {
    static const char *const policies[] = {[HeraldDurableNext] = "new",
                                           [HeraldDurableBeginning] = "all",
                                           [HeraldDurableSequence] = "by_start_sequence",
                                           [HeraldDurableTime] = "by_start_time"};
    fprintf(to, "\"deliver_policy\":\"%s\"", policies[wish->start]);
    if (wish->start == HeraldDurableSequence) fprintf(to, ",\"opt_start_seq\":%" PRIu64, wish->sequence);
    if (wish->start != HeraldDurableTime) return;
    time_t second = (time_t)(wish->time / (int64_t)GROUND_SECOND);
    struct tm utc;
    char text[64];
    if (!gmtime_r(&second, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc)) return;
    fprintf(to, ",\"opt_start_time\":\"%s.%09dZ\"", text, (int)(wish->time % (int64_t)GROUND_SECOND));
}

/* Two filters are for a server from 2.10 on. An older one does not know them. */
static bool write_filters(FILE *to, const struct herald_net_wish *wish, bool filters) {
    char *subject = herald_net_json_quote(wish->subject), *filter = herald_net_json_quote(wish->filter);
    if (subject && filter) {
        if (wish->is_wide) fprintf(to, ",\"filter_subject\":%s", filter);
        if (!wish->is_wide && filters) fprintf(to, ",\"filter_subjects\":[%s,%s]", subject, filter);
    }
    bool is_written = subject && filter;
    free(subject);
    free(filter);
    return is_written;
}

char *herald_net_consumer_write(const struct herald_net_wish *wish, bool filters) {
    char *text = NULL, *name = herald_net_json_quote(wish->name), *stream = herald_net_json_quote(wish->stream);
    size_t size = 0;
    FILE *to = name && stream ? open_memstream(&text, &size) : NULL;
    bool is_whole = to;
    if (to) {
        fprintf(to, "{\"stream_name\":%s,\"config\":{\"durable_name\":%s,", stream, name);
        write_start(to, wish);
        is_whole = write_filters(to, wish, filters);
        if (wish->order == HeraldDurableAlone) fprintf(to, ",\"max_waiting\":1"); /* so that nobody begins beside it */
        fprintf(to,
                ",\"ack_policy\":\"explicit\",\"ack_wait\":%" PRIu64 ",\"max_ack_pending\":%" PRIu32
                ",\"max_deliver\":-1,\"replay_policy\":\"instant\"}}",
                wish->ack_wait, wish->in_flight);
        is_whole = fclose(to) == 0 && is_whole;
    }
    free(name);
    free(stream);
    if (is_whole) return text;
    free(text);
    return NULL;
}

/* ---- What is answered -------------------------------------------------------------------------------------------- */

static bool read_count(struct herald_net_json object, const char *key, uint64_t *number) {
    struct herald_net_json value;
    *number = 0;
    return herald_net_json_member(object, key, &value) && herald_net_json_number(value, number);
}

/* Reads a text that may be missing; then it is "". Such a text is cut off if it is long. */
static void read_member(struct herald_net_json object, const char *key, char *text, size_t room) {
    struct herald_net_json value;
    if (!herald_net_json_member(object, key, &value) || !herald_net_json_text(value, text, room)) *text = 0;
}

/* Reads a time in UTC. 0: there is none. */
static int64_t read_second(struct herald_net_json object, const char *key) {
    char text[64];
    struct tm utc = {0};
    read_member(object, key, text, sizeof text);
    return strptime(text, "%Y-%m-%dT%H:%M:%S", &utc) ? (int64_t)timegm(&utc) : 0;
}

/* Whether a list of filters is the two that are wished, in any order. */
static bool are_filters(struct herald_net_json list, const struct herald_net_wish *wish) {
    char *subject = herald_net_json_quote(wish->subject), *filter = herald_net_json_quote(wish->filter), *one, *other;
    bool are = false;
    size_t length = (size_t)(list.end - list.at);
    if (subject && filter && asprintf(&one, "[%s,%s]", subject, filter) >= 0) {
        if (asprintf(&other, "[%s,%s]", filter, subject) >= 0) {
            are = length == strlen(one) && (memcmp(list.at, one, length) == 0 || memcmp(list.at, other, length) == 0);
            free(other);
        }
        free(one);
    }
    free(subject);
    free(filter);
    return are;
}

/* Whether the consumer brings what is observed, and perhaps more. */
static bool read_filters(struct herald_net_json config, const struct herald_net_wish *wish,
                         struct herald_net_consumer *consumer, char reason[256]) {
    char single[HERALD_NET_SUBJECT_ROOM];
    struct herald_net_json list, first;
    size_t count = 0;
    read_member(config, "filter_subject", single, sizeof single);
    bool has_list = herald_net_json_member(config, "filter_subjects", &list) &&
                    herald_net_json_first(list, &first, &count) && count;
    consumer->is_whole = !*single && !has_list;
    if (consumer->is_whole || (wish->is_wide && !has_list && strcmp(single, wish->filter) == 0) ||
        (!wish->is_wide && !*single && are_filters(list, wish)))
        return true;
    snprintf(reason, 256, "the server knows it as an observer of %.80s, not of %.80s",
             *single ? single : "other subjects", wish->is_wide ? wish->filter : wish->subject);
    return false;
}

static bool read_config(struct herald_net_json config, const struct herald_net_wish *wish,
                        struct herald_net_consumer *consumer, char reason[256]) {
    struct herald_net_json value;
    char policy[16];
    read_member(config, "ack_policy", policy, sizeof policy);
    read_count(config, "max_ack_pending", &consumer->in_flight);
    if (!read_count(config, "ack_wait", &consumer->ack_wait) || consumer->ack_wait < GROUND_MILLISECOND)
        consumer->ack_wait = wish->ack_wait;
    if (herald_net_json_member(config, "deliver_subject", &value) || strcmp(policy, "explicit") != 0) {
        snprintf(reason, 256, "the server has a consumer of this name that is none of a durable observer's");
        return false;
    }
    if ((consumer->in_flight == 1) != (wish->in_flight == 1)) {
        snprintf(reason, 256, "the server knows it with %" PRIu64 " messages in flight, not %" PRIu32,
                 consumer->in_flight, wish->in_flight);
        return false;
    }
    return read_filters(config, wish, consumer, reason);
}

bool herald_net_consumer_read(struct herald_net_json all, const struct herald_net_wish *wish,
                              struct herald_net_consumer *consumer, char reason[256]) {
    struct herald_net_json config, floor, delivered;
    *consumer = (struct herald_net_consumer){.is_whole = false};
    if (!herald_net_json_member(all, "config", &config)) {
        snprintf(reason, 256, "the server's answer cannot be read");
        return false;
    }
    consumer->created = read_second(all, "created");
    read_count(all, "num_ack_pending", &consumer->unacknowledged);
    read_count(all, "num_pending", &consumer->pending);
    read_count(all, "num_waiting", &consumer->waiting);
    if (herald_net_json_member(all, "delivered", &delivered))
        read_count(delivered, "consumer_seq", &consumer->deliveries);
    if (!read_config(config, wish, consumer, reason)) return false;
    /* Where it has filters, what others have acknowledged of other names does not move the floor. */
    const char *known = consumer->is_whole || consumer->unacknowledged ? "ack_floor" : "delivered";
    if (herald_net_json_member(all, known, &floor)) read_count(floor, "stream_seq", &consumer->floor);
    return true;
}

/* Without a domain: $JS.ACK.stream.consumer.deliveries.sequence.delivery.time.pending. With one, two parts more come
 * before the stream, and perhaps one at the end. */
bool herald_net_stored_read(const char *reply, HeraldStored *stored, uint64_t *delivery) {
    enum { PARTS_MOST = 12 };
    const char *parts[PARTS_MOST];
    int count = 0;
    if (!reply || strncmp(reply, "$JS.ACK.", 8) != 0) return false;
    for (const char *at = reply; at && count < PARTS_MOST; at = at ? at + 1 : NULL) {
        parts[count++] = at;
        at = strchr(at, '.');
    }
    int first = count == 9 ? 4 : count >= 11 ? 6 : 0;
    if (!first) return false;
    uint64_t deliveries = strtoull(parts[first], NULL, 10), time = strtoull(parts[first + 3], NULL, 10);
    *stored = (HeraldStored){.size = sizeof *stored,
                             .sequence = strtoull(parts[first + 1], NULL, 10),
                             .deliveries = !deliveries              ? 1
                                           : deliveries < INT32_MAX ? (uint32_t)deliveries
                                                                    : INT32_MAX,
                             .time = time < INT64_MAX ? (int64_t)time : INT64_MAX};
    *delivery = strtoull(parts[first + 2], NULL, 10);
    return stored->sequence;
}

bool herald_net_wish_has(const struct herald_net_wish *wish, const char *subject) {
    static const char object[] = ".%.";
    size_t length = strlen(wish->subject);
    if (strncmp(subject, wish->subject, length) != 0) return false;
    const char *rest = subject + length;
    if (wish->is_wide) return !length || *rest == '.';
    return !*rest || (strncmp(rest, object, sizeof object - 1) == 0 && !strchr(rest + sizeof object - 1, '.'));
}

/* ---- Parcels ----------------------------------------------------------------------------------------------------- */

void herald_net_parcels_create(struct herald_net_parcels *parcels) {
    *parcels = (struct herald_net_parcels){.end = &parcels->first};
}

void herald_net_parcels_put(struct herald_net_parcels *parcels, struct herald_net_parcel *parcel) {
    parcel->next = NULL;
    *parcels->end = parcel;
    parcels->end = &parcel->next;
    parcels->bytes += parcel->size;
}

/* Cuts off the first `count` parcels of a list and returns them in the order of their messages. */
static struct herald_net_parcel *sort_parcels(struct herald_net_parcel **list, size_t count) {
    struct herald_net_parcel *sorted = NULL, **end = &sorted;
    if (count < 2) {
        sorted = *list;
        *list = sorted->next;
        sorted->next = NULL;
        return sorted;
    }
    struct herald_net_parcel *a = sort_parcels(list, count / 2), *b = sort_parcels(list, count - count / 2);
    while (a || b) {
        struct herald_net_parcel **next = !b || (a && a->stored.sequence <= b->stored.sequence) ? &a : &b;
        *end = *next;
        end = &(*end)->next;
        *next = *end;
    }
    return sorted;
}

void herald_net_parcels_sort(struct herald_net_parcels *parcels) {
    size_t count = 0;
    for (const struct herald_net_parcel *parcel = parcels->first; parcel; parcel = parcel->next) count++;
    if (count < 2) return;
    parcels->first = sort_parcels(&parcels->first, count);
    while (*parcels->end) parcels->end = &(*parcels->end)->next;
}

struct herald_net_parcel *herald_net_parcels_take(struct herald_net_parcels *parcels) {
    struct herald_net_parcel *parcel = parcels->first;
    if (!parcel) return NULL;
    parcels->first = parcel->next;
    if (!parcels->first) parcels->end = &parcels->first;
    parcels->bytes -= parcel->size;
    return parcel;
}

void herald_net_parcel_destroy(struct herald_net_parcel *parcel) {
    natsMsg_Destroy(parcel->message);
    free(parcel);
}

void herald_net_parcels_clear(struct herald_net_parcels *parcels) {
    for (struct herald_net_parcel *parcel; (parcel = herald_net_parcels_take(parcels));)
        herald_net_parcel_destroy(parcel);
}
