/* Calls of JetStream's API that wait: HeraldNetworkCallJetStream, HeraldNetworkForgetDurable.
 *
 * Ordering: The center's lock (net_kept.c). Progress: A call waits until its deadline at most. Ownership: Nothing.
 */
#include "net.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SUCH_CONSUMER = 10014, CALL_MOST = 320 };

/* Whether a text can follow $JS.API. in a subject. */
static bool is_call(const char *call) {
    size_t length = strnlen(call, CALL_MOST);
    if (!length || length == CALL_MOST || call[length - 1] == '.') return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)call[i] <= ' ' || call[i] == 0x7f || call[i] == '*' || call[i] == '>') return false;
    return true;
}

HeraldStatus HeraldNetworkCallJetStream(HeraldCenterRef center, const char *call, const char *json, double seconds,
                                        char **answer) {
    uint64_t deadline = ground_deadline(seconds), error;
    struct herald_net_center *network;
    if (answer) *answer = NULL;
    if (!call || !json || !answer || !is_call(call))
        return herald_net_complain(HeraldInvalidArgument, "the call is NULL, or is none");
    HeraldStatus status = herald_net_registry_find(center, &network);
    if (status != HeraldOK) return status;
    status = herald_net_call(network, call, json, deadline, answer, &error);
    herald_net_release(network);
    return status;
}

/* Makes a call about a consumer. That there is none is no failure. `*has`: there is one, or there was. */
static HeraldStatus call_about(struct herald_net_center *network, const char *what, const char *stream,
                               const char *name, uint64_t deadline, bool *has) {
    char call[HERALD_NET_CONSUMER_CALL_ROOM], *answer;
    uint64_t error;
    snprintf(call, sizeof call, "CONSUMER.%s.%s.%s", what, stream, name);
    HeraldStatus status = herald_net_call(network, call, "", deadline, &answer, &error);
    free(answer);
    *has = status == HeraldOK;
    return error == NO_SUCH_CONSUMER ? HeraldOK : status;
}

/* Looks for the consumer in the streams of a list, from the number `*at` on. `*count`: in how many it was found. */
static HeraldStatus look_in_list(struct herald_net_center *network, struct herald_net_json all, const char *name,
                                 uint64_t deadline, char found[HERALD_NET_DURABLE_ROOM], int *count, uint64_t *at,
                                 uint64_t *total) {
    struct herald_net_json list, element = {NULL, NULL}, value;
    char stream[HERALD_NET_DURABLE_ROOM];
    HeraldStatus status = HeraldOK;
    *total = 0;
    if (herald_net_json_member(all, "total", &value)) herald_net_json_number(value, total);
    if (!herald_net_json_member(all, "streams", &list)) return HeraldOK;
    while (status == HeraldOK && herald_net_json_element(list, &element)) {
        bool has = false;
        ++*at;
        if (!herald_net_json_text(element, stream, sizeof stream) || !herald_net_durable_is_name(stream)) continue;
        status = call_about(network, "INFO", stream, name, deadline, &has);
        *count += has;
        if (has) strcpy(found, stream);
    }
    return status;
}

/* Finds the one stream that has a consumer of this name; "": there is none. */
static HeraldStatus find_consumer(struct herald_net_center *network, const char *name, uint64_t deadline,
                                  char found[HERALD_NET_DURABLE_ROOM]) {
    uint64_t at = 0, before, total = 1, error;
    int count = 0;
    *found = 0;
    do {
        char text[48], *answer = NULL;
        struct herald_net_json all;
        before = at;
        snprintf(text, sizeof text, "{\"offset\":%llu}", (unsigned long long)at);
        HeraldStatus status = herald_net_call(network, "STREAM.NAMES", text, deadline, &answer, &error);
        if (status == HeraldOK && herald_net_json_read(&all, answer, strlen(answer)))
            status = look_in_list(network, all, name, deadline, found, &count, &at, &total);
        free(answer);
        if (status != HeraldOK) return status;
    } while (at > before && at < total);
    if (count <= 1) return HeraldOK;
    return herald_net_complain(HeraldInvalidArgument, "%d streams have a durable observer of this name: say which",
                               count);
}

HeraldStatus HeraldNetworkForgetDurable(HeraldCenterRef center, const char *stream, const char *name, double seconds) {
    uint64_t deadline = ground_deadline(seconds);
    struct herald_net_center *network;
    char found[HERALD_NET_DURABLE_ROOM];
    bool has;
    if (!herald_net_durable_is_name(name) || (stream && !herald_net_durable_is_name(stream)))
        return herald_net_complain(HeraldInvalidArgument, "the name of a durable observer or a stream is none");
    HeraldStatus status = herald_net_registry_find(center, &network);
    if (status != HeraldOK) return status;
    if (!stream) status = find_consumer(network, name, deadline, found);
    if (!stream) stream = found;
    if (status == HeraldOK && *stream) status = call_about(network, "DELETE", stream, name, deadline, &has);
    herald_net_release(network);
    return status;
}
