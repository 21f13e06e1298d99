/* Taking a list of servers apart. Ordering, ownership: the caller's. Progress: bounded by the text. */
#include "server.h"
#include "complaint.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static HeraldStatus refuse_server(const char *url, const char *reason) {
    const char *host = strrchr(url, '@'); /* users and passwords are not shown */
    return herald_network_complain(HeraldInvalidArgument, "%s%.200s is no server: %s", host ? "..." : "",
                                   host ? host : url, reason);
}

static HeraldStatus check_port(const char *url, const char *port) {
    size_t digits = strspn(port, "0123456789");
    if (!digits || port[digits] || digits > 5 || !atoi(port) || atoi(port) > 65535)
        return refuse_server(url, "a port is a number from 1 to 65535");
    return HeraldOK;
}

static HeraldStatus check_host(const char *url, const char *host) {
    size_t length = strcspn(host, ":");
    if (*host == '[') {
        length = strcspn(host, "]");
        if (!host[length]) return refuse_server(url, "the address has no end");
        length++;
        if (length < 4) return refuse_server(url, "there is no address");
    }
    if (!length) return refuse_server(url, "there is no host");
    if (length > 255) return refuse_server(url, "the host is too long");
    if (*host != '[' && strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") < length)
        return refuse_server(url, "the host is no name and no address");
    if (!host[length]) return HeraldOK;
    return host[length] == ':' ? check_port(url, host + length + 1)
                               : refuse_server(url, "the port must follow the address");
}

static HeraldStatus check_url(const char *url) {
    const char *end = strstr(url, "://"), *host = end ? end + 3 : url, *user = strrchr(host, '@');
    size_t scheme = end ? (size_t)(end - url) : 0;
    bool is_known =
        !end || (scheme == 4 && strncmp(url, "nats", 4) == 0) || (scheme == 3 && strncmp(url, "tls", 3) == 0);
    if (!is_known) return refuse_server(url, "it must begin with nats:// or tls://");
    return check_host(url, user ? user + 1 : host);
}

static void show(struct herald_servers *servers, const char *url) {
    const char *scheme = strstr(url, "://"), *user = strrchr(url, '@');
    size_t used = strlen(servers->shown);
    if (used + 4 > sizeof servers->shown) return;
    if (used) strcat(servers->shown, ", ");
    strncat(servers->shown, user ? user + 1 : scheme ? scheme + 3 : url, sizeof servers->shown - used - 3);
}

static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) *--end = 0;
    return text;
}

/* Who comes to a server of which only another has told. */
static void note_user(struct herald_servers *servers, const char *url) {
    const char *scheme = strstr(url, "://"), *begin = scheme ? scheme + 3 : url, *end = strrchr(begin, '@');
    if (!end || *servers->user || *servers->token) return;
    const char *colon = memchr(begin, ':', (size_t)(end - begin));
    size_t user = (size_t)((colon ? colon : end) - begin), password = colon ? (size_t)(end - colon - 1) : 0;
    size_t room = colon ? sizeof servers->user : sizeof servers->token;
    if (user >= room || password >= sizeof servers->password) return;
    memcpy(colon ? servers->user : servers->token, begin, user);
    if (colon) memcpy(servers->password, colon + 1, password);
}

static bool keep(struct herald_servers *servers, const char *url) {
    char *copy = servers->count < HERALD_SERVERS_MOST ? strdup(url) : NULL;
    if (copy) servers->urls[servers->count++] = copy;
    return copy != NULL;
}

static HeraldStatus take_apart(struct herald_servers *servers, char *list) {
    char *next;
    while ((next = strsep(&list, ","))) {
        char *url = trim(next);
        if (servers->count == HERALD_SERVERS_MOST / 2)
            return herald_network_complain(HeraldInvalidArgument, "there are more than %d servers",
                                           HERALD_SERVERS_MOST / 2);
        if (!*url)
            return herald_network_complain(HeraldInvalidArgument, "there is an empty place in the list of servers");
        HeraldStatus status = check_url(url);
        if (status != HeraldOK) return status;
        if (!keep(servers, url)) return herald_network_complain(HeraldOutOfMemory, "memory is out");
        bool secure = strncmp(url, "tls://", 6) == 0;
        if (servers->count > 1 && secure != servers->secure)
            return herald_network_complain(HeraldInvalidArgument,
                                           "some servers are tls://, and others nats://: all are reached in one way");
        servers->secure = secure;
        note_user(servers, url);
        show(servers, url);
    }
    servers->given = servers->count;
    return HeraldOK;
}

HeraldStatus herald_servers_create(struct herald_servers *servers, const char *list) {
    memset(servers, 0, sizeof *servers);
    if (!list) return herald_network_complain(HeraldInvalidArgument, "there are no servers to connect to");
    char *copy = strdup(list);
    HeraldStatus status =
        copy ? take_apart(servers, copy) : herald_network_complain(HeraldOutOfMemory, "memory is out");
    if (copy) explicit_bzero(copy, strlen(list));
    free(copy);
    if (status != HeraldOK) herald_servers_destroy(servers);
    return status;
}

/* One that was checked. */
static struct herald_address address_of(const char *url) {
    const char *scheme = strstr(url, "://"), *user = scheme ? scheme + 3 : url, *end = strrchr(user, '@');
    const char *host = end ? end + 1 : user, *port;
    struct herald_address address = {.user = user, .user_length = end ? (int)(end - user) : 0, .port = "4222"};
    bool has_brackets = *host == '[';
    if (has_brackets) host++;
    size_t length = strcspn(host, has_brackets ? "]" : ":");
    snprintf(address.host, sizeof address.host, "%.*s", (int)length, host);
    port = host + length + has_brackets;
    if (*port == ':') snprintf(address.port, sizeof address.port, "%s", port + 1);
    return address;
}

static bool is_same(const struct herald_address *one, const struct herald_address *other) {
    return strcasecmp(one->host, other->host) == 0 && strcmp(one->port, other->port) == 0;
}

void herald_servers_add(struct herald_servers *servers, const char *url) {
    if (check_url(url) != HeraldOK) return;
    struct herald_address told = address_of(url);
    for (int i = 0; i < servers->count; i++) {
        struct herald_address known = address_of(servers->urls[i]);
        if (is_same(&known, &told)) return;
    }
    keep(servers, url);
}

int herald_servers_in_turn(struct herald_servers *servers, struct herald_address addresses[HERALD_SERVERS_MOST]) {
    for (int i = 0; i < servers->count; i++)
        addresses[i] = address_of(servers->urls[(servers->turn + i) % servers->count]);
    servers->turn = (servers->turn + 1) % servers->count;
    return servers->count;
}

void herald_servers_destroy(struct herald_servers *servers) {
    for (int i = 0; i < servers->count; i++) {
        explicit_bzero(servers->urls[i], strlen(servers->urls[i]));
        free(servers->urls[i]);
    }
    explicit_bzero(servers, sizeof *servers);
}
