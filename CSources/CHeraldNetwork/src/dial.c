/* Connecting with a deadline.
 *
 * In libnats 3.4.1, connecting may never end. If a server introduces itself and then never answers, libnats loops for
 * ever and eats memory. A TLS handshake has no deadline. libnats accepts no socket from its caller, so there is no
 * descriptor that we could shut down.
 *
 * So we give libnats a socket without its knowledge:
 *      1. we connect to the server, and wait until the server, which speaks first, has sent something
 *      2. we let libnats connect to a listener of ours on the loopback
 *      3. among all descriptors of the process we find libnats's, by the two addresses of the loopback connection
 *      4. by dup3 we turn libnats's descriptor into a descriptor of our connection to the server
 *      5. we end the loopback connection, and libnats speaks with the server
 *      6. if libnats has not connected at the deadline, we shut down the connection to the server by our own
 *         descriptor; then libnats reads the end of the connection, and gives up
 *
 * Ordering: libnats closes its descriptor when its own deadline comes, or when the loopback connection ends. Our
 * deadline comes earlier, and only we end the loopback connection, in step 5. So in step 4 libnats's descriptor is
 * still open. At that time libnats may be waiting in a poll of the loopback connection. The dup3 does not wake the
 * poll, but step 5 does. Then the poll looks at the descriptor again, and finds the bytes that the server sent in
 * step 1.
 * Progress: All waits end at one deadline, except the look-up of the host, which has no deadline.
 * Ownership: Two threads share a `struct dial` until dialing is over. One is the loop, which is inside libnats. The
 * other makes steps 3 to 6.
 */
#include "net.h"
#include "ground_thread.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DIAL_MS = 2000, DESCRIPTORS_MOST = 1 << 20 };

struct dial {
    struct herald_net_center *network;
    uint64_t deadline;
    int listener, over;         /* `over`: an eventfd, readable when libnats has connected or failed */
    struct sockaddr_in address; /* the listener's */
    bool late;
};

/* Waits until one of the descriptors is ready. Returns false if none is ready at the deadline. */
static bool await(struct pollfd *what, nfds_t count, uint64_t deadline) {
    for (;;) {
        uint64_t now = ground_now();
        int wait = deadline > now ? (int)((deadline - now) / GROUND_MILLISECOND) + 1 : 0;
        int found = poll(what, count, wait);
        if (found > 0 || ground_now() >= deadline) return found > 0;
    }
}

/* ---- To the server ----------------------------------------------------------------------------------------------- */

static bool is_connected(int socket, uint64_t deadline) {
    int error = 0;
    socklen_t length = sizeof error;
    struct pollfd writing = {.fd = socket, .events = POLLOUT};
    return await(&writing, 1, deadline) && getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && !error;
}

static int reach(const struct addrinfo *at, uint64_t deadline) {
    int yes = 1, made = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    if (made < 0) return -1;
    bool connects =
        connect(made, at->ai_addr, at->ai_addrlen) == 0 || (errno == EINPROGRESS && is_connected(made, deadline));
    if (connects && setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0) return made;
    close(made);
    return -1;
}

/* Connects to the first of the host's addresses that answers. Sets `*deadline` when the addresses are known. At each
 * address, the time that is left is divided equally among this address and the later ones. */
static int reach_host(const struct herald_net_address *address, uint64_t *deadline, const char **reason) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *all;
    int error = getaddrinfo(address->host, address->port, &hints, &all), reached = -1, left = 0;
    if (error) {
        *reason = gai_strerror(error);
        return -1;
    }
    *deadline = ground_now() + DIAL_MS * GROUND_MILLISECOND;
    for (struct addrinfo *each = all; each; each = each->ai_next) left++;
    for (struct addrinfo *each = all; each && reached < 0; each = each->ai_next, left--) {
        uint64_t now = ground_now();
        reached = reach(each, now + (*deadline > now ? (*deadline - now) / (uint64_t)left : 0));
    }
    freeaddrinfo(all);
    if (reached < 0) *reason = "no server answers";
    return reached;
}

/* ---- To libnats -------------------------------------------------------------------------------------------------- */

/* Finds a descriptor of this process for a connection from the address `from` to the address `to`. Returns -1 if there
 * is none. */
static int find_descriptor(const struct sockaddr_in *from, const struct sockaddr_in *to) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    int most = limit.rlim_cur < DESCRIPTORS_MOST ? (int)limit.rlim_cur : DESCRIPTORS_MOST;
    for (int each = 0; each < most; each++) {
        struct sockaddr_storage near, far;
        socklen_t near_length = sizeof near, far_length = sizeof far;
        if (getsockname(each, (struct sockaddr *)&near, &near_length) != 0 || near_length != sizeof *from ||
            memcmp(&near, from, sizeof *from) != 0)
            continue;
        if (getpeername(each, (struct sockaddr *)&far, &far_length) == 0 && far_length == sizeof *to &&
            memcmp(&far, to, sizeof *to) == 0)
            return each;
    }
    return -1;
}

/* Step 4: turns `descriptor` into a second descriptor of the connection that `by` belongs to. Calls the kernel
 * directly, because the thread sanitizer would report that the C library's dup3 races with libnats's close. There is no
 * race: libnats gets no bytes from the loopback connection, so it does not reach its close before the dup3. */
static bool replace(int descriptor, int by) { return syscall(SYS_dup3, by, descriptor, O_CLOEXEC) == descriptor; }

/* Steps 3 to 5. Connections of other programs to the listener are closed. */
static bool give(struct dial *dial) {
    struct pollfd what[2] = {{.fd = dial->listener, .events = POLLIN}, {.fd = dial->over, .events = POLLIN}};
    while (await(what, 2, dial->deadline) && !what[1].revents && ground_now() < dial->deadline) {
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        int end = accept4(dial->listener, (struct sockaddr *)&from, &length, SOCK_CLOEXEC);
        if (end < 0 && (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR)) continue;
        if (end < 0) return false;
        int theirs = find_descriptor(&from, &dial->address);
        dial->network->given = theirs; /* set first, because a fork may come right after the dup3 (registry.c) */
        bool given = theirs >= 0 && replace(theirs, dial->network->dialed);
        if (!given) dial->network->given = -1;
        shutdown(end, SHUT_RDWR); /* ends the connection even if a forked child has the descriptor, too */
        close(end);
        if (given) return true;
    }
    dial->late = !what[1].revents; /* this process may have been held up until the deadline */
    return false;
}

static void *hand_over(void *context) {
    struct dial *dial = context;
    struct pollfd over = {.fd = dial->over, .events = POLLIN};
    bool given = give(dial);
    shutdown(dial->listener, SHUT_RDWR); /* this also ends connections that were not accepted */
    close(dial->listener);
    if (!given || await(&over, 1, dial->deadline)) return NULL;
    dial->late = HERALD_NET_STEP(DEADLINE);
    if (dial->late) shutdown(dial->network->dialed, SHUT_RDWR);
    return NULL;
}

static bool listen_here(struct dial *dial) {
    socklen_t length = sizeof dial->address;
    dial->address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    dial->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (dial->listener < 0) return false;
    if (bind(dial->listener, (struct sockaddr *)&dial->address, length) == 0 && listen(dial->listener, 8) == 0 &&
        getsockname(dial->listener, (struct sockaddr *)&dial->address, &length) == 0)
        return true;
    return false;
}

static natsStatus connect_libnats(struct dial *dial, const struct herald_net_address *address,
                                  natsConnection **connection) {
    natsOptions *options = dial->network->options;
    char *url;
    int length = asprintf(&url, "nats://%.*s%s127.0.0.1:%d", address->user_length, address->user,
                          address->user_length ? "@" : "", ntohs(dial->address.sin_port));
    if (length < 0) return NATS_NO_MEMORY;
    natsStatus status = natsOptions_SetURL(options, url);
    if (status == NATS_OK && dial->network->servers.secure)
        status = natsOptions_SetExpectedHostname(options, address->host);
    if (status == NATS_OK) status = natsConnection_Connect(connection, options);
    explicit_bzero(url, (size_t)length);
    free(url);
    return status;
}

/* Whether an error text of libnats contains the password. Some versions quote the part of a URL that they cannot
 * parse. */
static bool tells_password(const char *text, const struct herald_net_address *address) {
    const char *colon = memchr(address->user, ':', (size_t)address->user_length);
    const char *secret = colon ? colon + 1 : address->user;
    size_t length = (size_t)(address->user + address->user_length - secret);
    return text && length >= 3 && memmem(text, strlen(text), secret, length);
}

static natsStatus connect_by(struct dial *dial, const struct herald_net_address *address, natsConnection **connection,
                             const char **reason) {
    pthread_t thread;
    uint64_t one = 1;
    *reason = "no descriptor or thread is available";
    dial->over = eventfd(0, EFD_CLOEXEC);
    if (dial->over < 0) return NATS_SYS_ERROR;
    if (!listen_here(dial) || ground_thread_start(&thread, 0, hand_over, dial) != 0) {
        if (dial->listener >= 0) close(dial->listener);
        close(dial->over);
        return NATS_SYS_ERROR;
    }
    natsStatus status = connect_libnats(dial, address, connection);
    if (status != NATS_OK) *reason = nats_GetLastError(NULL);
    if (tells_password(*reason, address)) *reason = "libnats does not take the user and the password";
    ssize_t written = write(dial->over, &one, sizeof one);
    (void)written;
    pthread_join(thread, NULL);
    close(dial->over);
    return status;
}

natsStatus herald_net_dial(struct herald_net_center *network, const struct herald_net_address *address,
                           natsConnection **connection, const char **reason) {
    struct dial dial = {.network = network};
    *reason = NULL;
    int reached = reach_host(address, &dial.deadline, reason);
    if (reached < 0) return NATS_NO_SERVER;
    network->dialed = reached;
    struct pollfd reading = {.fd = reached, .events = POLLIN};
    natsStatus status = NATS_TIMEOUT;
    dial.late = !await(&reading, 1, dial.deadline);
    if (!dial.late) status = connect_by(&dial, address, connection, reason);
    network->dialed = network->given = -1;
    close(reached);
    if (status == NATS_OK || !dial.late) return status;
    *reason = "the server has not answered in time";
    return NATS_TIMEOUT;
}
