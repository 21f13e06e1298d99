/* Taking a list of servers apart. Ordering, ownership: the caller's. Progress: bounded by the text. */
#include "server.h"
#include "complaint.h"
#include <ctype.h>
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

HeraldStatus herald_servers_create(struct herald_servers *servers, const char *list) {
    memset(servers, 0, sizeof *servers);
    if (!list) return herald_network_complain(HeraldInvalidArgument, "there are no servers to connect to");
    servers->text = strdup(list);
    if (!servers->text) return herald_network_complain(HeraldOutOfMemory, "memory is out");
    HeraldStatus status = HeraldOK;
    char *rest = servers->text, *next;
    while (status == HeraldOK && (next = strsep(&rest, ","))) {
        char *url = trim(next);
        if (servers->count == HERALD_SERVERS_MOST) {
            status =
                herald_network_complain(HeraldInvalidArgument, "there are more than %d servers", HERALD_SERVERS_MOST);
        } else if (!*url) {
            status = herald_network_complain(HeraldInvalidArgument, "there is an empty place in the list of servers");
        } else {
            status = check_url(url);
            servers->urls[servers->count++] = url;
            show(servers, url);
        }
    }
    if (status != HeraldOK) herald_servers_destroy(servers);
    return status;
}

void herald_servers_destroy(struct herald_servers *servers) {
    if (servers->text) explicit_bzero(servers->text, strlen(servers->text));
    free(servers->text);
    servers->text = NULL;
}
