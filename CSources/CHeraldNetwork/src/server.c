/* Parsing a list of servers.
 *
 * Ordering: One thread at a time uses a list.
 * Progress: Bounded by the length of the text.
 * Ownership: The list belongs to the caller.
 */
#include "server.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One server of a list. */
struct given {
    const char *url;
    int number;   /* its place in the list, from 1 */
    bool is_part; /* a comma inside a password may have split the URL (goes_on); then no error shows any of the URL */
};

/* Writes the part of a server that may be shown: the host, and the port if it is a number. If the user typed no
 * '@', what looks like a host and a port may be a user and a password. */
static void show(char *text, size_t size, const struct given *given) {
    const char *scheme = strstr(given->url, "://"), *user = strrchr(given->url, '@');
    const char *host = user ? user + 1 : scheme ? scheme + 3 : given->url;
    if (given->is_part) {
        snprintf(text, size, "server %d", given->number);
        return;
    }
    size_t length = strcspn(host, *host == '[' ? "]" : ":"), port = length + (host[length] == ']');
    if (host[port] == ':' && strspn(host + port + 1, "0123456789") == strlen(host + port + 1))
        port += strlen(host + port);
    snprintf(text, size, "%.*s", (int)(port < 200 ? port : 200), host);
}

static HeraldStatus refuse_server(const struct given *given, const char *reason) {
    char text[208];
    show(text, sizeof text, given);
    return herald_net_complain(HeraldInvalidArgument, "%s is not a server: %s%s", *text ? text : "\"\"", reason,
                               given->is_part ? ", and there can be no comma in a user or a password" : "");
}

static HeraldStatus check_port(const struct given *given, const char *port) {
    size_t digits = strspn(port, "0123456789");
    if (!digits || port[digits] || digits > 5 || !atoi(port) || atoi(port) > 65535)
        return refuse_server(given, "a port is a number from 1 to 65535");
    return HeraldOK;
}

static HeraldStatus check_host(const struct given *given, const char *host) {
    size_t length = strcspn(host, ":");
    if (*host == '[') {
        length = strcspn(host, "]");
        if (!host[length]) return refuse_server(given, "the address has no end");
        length++;
        if (length < 4) return refuse_server(given, "there is no address");
    }
    if (!length) return refuse_server(given, "there is no host");
    if (length > 255) return refuse_server(given, "the host is too long");
    if (*host != '[' && strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") < length)
        return refuse_server(given, "the host is neither a name nor an address");
    if (!host[length]) return HeraldOK;
    return host[length] == ':' ? check_port(given, host + length + 1)
                               : refuse_server(given, "the port must follow the address");
}

static HeraldStatus check_url(const struct given *given) {
    const char *url = given->url, *end = strstr(url, "://"), *host = end ? end + 3 : url, *user = strrchr(host, '@');
    size_t scheme = end ? (size_t)(end - url) : 0;
    bool is_known =
        !end || (scheme == 4 && strncmp(url, "nats", 4) == 0) || (scheme == 3 && strncmp(url, "tls", 3) == 0);
    if (!is_known) return refuse_server(given, "it must begin with nats:// or tls://");
    return check_host(given, user ? user + 1 : host);
}

static void note_shown(struct herald_net_servers *servers, const struct given *given) {
    char text[208];
    size_t used = strlen(servers->shown);
    show(text, sizeof text, given);
    if (used + 4 > sizeof servers->shown) return;
    if (used) strcat(servers->shown, ", ");
    strncat(servers->shown, text, sizeof servers->shown - used - 3);
}

/* Whether the text before a comma may end inside a user or a password. This is so if `rest`, the text after the comma,
 * has an @ before the next scheme. */
static bool goes_on(const char *rest) {
    const char *at = rest ? strchr(rest, '@') : NULL, *scheme = rest ? strstr(rest, "://") : NULL;
    return at && (!scheme || at < scheme);
}

static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) *--end = 0;
    return text;
}

/* Keeps the user and password, or the token, of the first URL that has any, for servers that are reported later. */
static void note_user(struct herald_net_servers *servers, const char *url) {
    const char *scheme = strstr(url, "://"), *begin = scheme ? scheme + 3 : url, *end = strrchr(begin, '@');
    if (!end || *servers->user || *servers->token) return;
    const char *colon = memchr(begin, ':', (size_t)(end - begin));
    size_t user = (size_t)((colon ? colon : end) - begin), password = colon ? (size_t)(end - colon - 1) : 0;
    size_t room = colon ? sizeof servers->user : sizeof servers->token;
    if (user >= room || password >= sizeof servers->password) return;
    memcpy(colon ? servers->user : servers->token, begin, user);
    if (colon) memcpy(servers->password, colon + 1, password);
}

static bool keep(struct herald_net_servers *servers, const char *url) {
    char *copy = servers->count < HERALD_NET_SERVERS_MOST ? strdup(url) : NULL;
    if (copy) servers->urls[servers->count++] = copy;
    return copy != NULL;
}

static HeraldStatus take_apart(struct herald_net_servers *servers, char *list) {
    char *next;
    while ((next = strsep(&list, ","))) {
        char *url = trim(next);
        if (servers->count == HERALD_NET_SERVERS_MOST / 2)
            return herald_net_complain(HeraldInvalidArgument, "there are more than %d servers",
                                       HERALD_NET_SERVERS_MOST / 2);
        if (!*url) return herald_net_complain(HeraldInvalidArgument, "there is an empty place in the list of servers");
        struct given given = {url, servers->count + 1, goes_on(list)};
        HeraldStatus status = check_url(&given);
        if (status != HeraldOK) return status;
        if (!keep(servers, url)) return herald_net_complain(HeraldOutOfMemory, "out of memory");
        bool secure = strncmp(url, "tls://", 6) == 0, says = servers->count == 1 || strstr(url, "://");
        if (says && servers->count > 1 && secure != servers->secure)
            return herald_net_complain(HeraldInvalidArgument,
                                       "some servers are tls://, and others nats://: all are reached in one way");
        if (says) servers->secure = secure;
        note_user(servers, url);
        note_shown(servers, &given);
    }
    return HeraldOK;
}

HeraldStatus herald_net_servers_create(struct herald_net_servers *servers, const char *list) {
    memset(servers, 0, sizeof *servers);
    if (!list) return herald_net_complain(HeraldInvalidArgument, "there are no servers to connect to");
    char *copy = strdup(list);
    HeraldStatus status = copy ? take_apart(servers, copy) : herald_net_complain(HeraldOutOfMemory, "out of memory");
    if (copy) explicit_bzero(copy, strlen(list));
    free(copy);
    if (status != HeraldOK) herald_net_servers_destroy(servers);
    return status;
}

/* Takes apart a URL that has been checked. */
static struct herald_net_address address_of(const char *url) {
    const char *scheme = strstr(url, "://"), *user = scheme ? scheme + 3 : url, *end = strrchr(user, '@');
    const char *host = end ? end + 1 : user, *port;
    struct herald_net_address address = {.user = user, .user_length = end ? (int)(end - user) : 0, .port = "4222"};
    bool has_brackets = *host == '[';
    if (has_brackets) host++;
    size_t length = strcspn(host, has_brackets ? "]" : ":");
    snprintf(address.host, sizeof address.host, "%.*s", (int)length, host);
    port = host + length + has_brackets;
    if (*port == ':') snprintf(address.port, sizeof address.port, "%s", port + 1);
    return address;
}

static bool is_same(const struct herald_net_address *one, const struct herald_net_address *other) {
    return strcasecmp(one->host, other->host) == 0 && strcmp(one->port, other->port) == 0;
}

void herald_net_servers_add(struct herald_net_servers *servers, const char *url) {
    if (check_url(&(struct given){.url = url}) != HeraldOK) return;
    struct herald_net_address told = address_of(url);
    for (int i = 0; i < servers->count; i++) {
        struct herald_net_address known = address_of(servers->urls[i]);
        if (is_same(&known, &told)) return;
    }
    keep(servers, url);
}

int herald_net_servers_in_turn(struct herald_net_servers *servers,
                               struct herald_net_address addresses[HERALD_NET_SERVERS_MOST]) {
    for (int i = 0; i < servers->count; i++)
        addresses[i] = address_of(servers->urls[(servers->turn + i) % servers->count]);
    servers->turn = (servers->turn + 1) % servers->count;
    return servers->count;
}

void herald_net_servers_destroy(struct herald_net_servers *servers) {
    for (int i = 0; i < servers->count; i++) {
        explicit_bzero(servers->urls[i], strlen(servers->urls[i]));
        free(servers->urls[i]);
    }
    explicit_bzero(servers, sizeof *servers);
}
