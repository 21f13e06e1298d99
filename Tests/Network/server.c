#include "server.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

static const char *watched_file;
static int watched_line;

static void bark(int signal) {
    char text[200];
    (void)signal;
    int length = snprintf(text, sizeof text, "%s:%d: a call has not come back\n", watched_file, watched_line);
    ssize_t written = write(STDERR_FILENO, text, (size_t)length);
    (void)written;
    _exit(1);
}

void watchdog_begin(const char *file, int line) {
    watched_file = file;
    watched_line = line;
    signal(SIGALRM, bark);
    alarm(PATIENCE);
}

void watchdog_end(void) { alarm(0); }

/* ---- Processes and ports ----------------------------------------------------------------------------------------- */

pid_t begin_child(void) {
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    alarm(10 * PATIENCE);
    return 0;
}

static struct sockaddr_in loopback(int port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

int accept_one(int listener) { return accept(listener, NULL, NULL); }

int listen_at(int port) {
    struct sockaddr_in address = loopback(port);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 64) == 0);
    return listener;
}

static int port_of(int listener) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    CHECK(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    return ntohs(address.sin_port);
}

static int connect_to(int port) {
    struct sockaddr_in address = loopback(port);
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) return connection;
    close(connection);
    return -1;
}

/* A bound socket that does not listen reserves the port: processes that take any port, and connections, do not get it.
 * A process that requests this port with SO_REUSEADDR gets it. */
int free_port(void) {
    struct sockaddr_in address = loopback(0);
    int keeper = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    CHECK(bind(keeper, (struct sockaddr *)&address, sizeof address) == 0);
    setsockopt(keeper, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    return port_of(keeper);
}

/* ---- The server -------------------------------------------------------------------------------------------------- */

void server_write(const struct server *server, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", server->folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    for (; *text; text++)
        if (*text == '@') {
            fputs(server->folder, file);
        } else {
            fputc(*text, file);
        }
    fclose(file);
}

void server_begin_again(struct server *server) {
    char port[16], config[128];
    snprintf(port, sizeof port, "%d", server->port);
    snprintf(config, sizeof config, "%s/config", server->folder);
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin", 1);
    server->process = begin_child();
    if (server->process == 0) {
        bool has_config = access(config, R_OK) == 0;
        alarm(0); /* it ends with its parent's thread */
        int log = open("/dev/null", O_WRONLY);
        dup2(log, STDERR_FILENO);
        execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p", port, has_config ? "-c" : NULL, config,
               (char *)NULL);
        _exit(1);
    }
    int there = -1;
    CHECK(COMES((there = connect_to(server->port)) >= 0));
    close(there);
}

void server_begin(struct server *server, int port, const char *config) {
    if (!*server->folder) {
        strcpy(server->folder, "/tmp/herald-network-XXXXXX");
        CHECK(mkdtemp(server->folder) != NULL);
    }
    server->port = port ? port : free_port();
    snprintf(server->url, sizeof server->url, "nats://127.0.0.1:%d", server->port);
    if (config) server_write(server, "config", config);
    server_begin_again(server);
}

void server_kill(struct server *server, int signal) {
    if (!server->process) return;
    kill(server->process, signal);
    if (signal == SIGSTOP || signal == SIGCONT) return;
    waitpid(server->process, NULL, 0);
    server->process = 0;
}

void server_end(struct server *server) {
    char command[128];
    server_kill(server, SIGKILL);
    snprintf(command, sizeof command, "rm -rf %s", server->folder);
    CHECK(system(command) == 0);
}

/* ---- By hand ----------------------------------------------------------------------------------------------------- */

void client_begin(struct client *client, int port) {
    client->length = 0;
    client->socket = connect_to(port);
    CHECK(client->socket >= 0);
    client_say(client, "CONNECT {\"verbose\":false,\"headers\":true}\r\n");
    client_settle(client);
}

void client_say(struct client *client, const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    for (int sent = 0; sent < length;) {
        ssize_t more = send(client->socket, text + sent, (size_t)(length - sent), MSG_NOSIGNAL);
        if (more <= 0) break;
        sent += (int)more;
    }
    free(text);
}

bool client_has(struct client *client, const char *what) {
    struct pollfd ready = {client->socket, POLLIN, 0};
    if (poll(&ready, 1, 0) == 1) {
        if (client->length > sizeof client->text / 2) client->length = 0;
        ssize_t more = recv(client->socket, client->text + client->length, sizeof client->text - client->length, 0);
        client->length += more > 0 ? (size_t)more : 0;
    }
    char *found = memmem(client->text, client->length, what, strlen(what));
    if (!found) return false;
    found += strlen(what);
    client->length -= (size_t)(found - client->text);
    memmove(client->text, found, client->length);
    return true;
}

bool client_hears(struct client *client, const char *what) { return COMES(client_has(client, what)); }

void client_settle(struct client *client) {
    client_say(client, "PING\r\n");
    CHECK(client_hears(client, "PONG\r\n"));
}

void client_end(struct client *client) { close(client->socket); }

/* ---- A cluster --------------------------------------------------------------------------------------------------- */

const char jetstream[] = "jetstream { store_dir: \"@/js\", max_file: 1GB }\n";

void cluster_begin(struct server servers[3], const char *config) {
    int routes[3];
    char all[512];
    for (int i = 0; i < 3; i++) routes[i] = free_port();
    for (int i = 0; i < 3; i++) {
        servers[i].monitor = free_port();
        snprintf(all, sizeof all,
                 "server_name: s%d\nhttp: \"127.0.0.1:%d\"\n%scluster { name: c, listen: \"127.0.0.1:%d\", "
                 "routes: [ \"nats://127.0.0.1:%d\", \"nats://127.0.0.1:%d\" ] }\n",
                 i, servers[i].monitor, config, routes[i], routes[(i + 1) % 3], routes[(i + 2) % 3]);
        server_begin(&servers[i], 0, all);
    }
}

/* As its monitor says: no stream of it lacks a message that the leader has. */
static bool is_whole(const struct server *server) {
    struct client client = {.socket = connect_to(server->monitor)};
    bool whole = false, ends = client.socket < 0;
    if (!ends) client_say(&client, "GET /healthz HTTP/1.0\r\n\r\n");
    for (double end = seconds() + 2; !whole && !ends && seconds() < end;) {
        whole = client_has(&client, " 200 OK\r\n");
        ends = !whole && client_has(&client, " 503 ");
    }
    if (client.socket >= 0) client_end(&client);
    return whole;
}

/* As one server says. -1: it does not know. */
static int ask_for_leader(const struct server *server, const char *stream) {
    static const char *const leaders[] = {"\"leader\":\"s0\"", "\"leader\":\"s1\"", "\"leader\":\"s2\""};
    struct client client;
    int leader = -1;
    bool fails = false;
    client_begin(&client, server->port);
    client_say(&client, "SUB in 1\r\nPUB $JS.API.STREAM.INFO.%s in 0\r\n\r\n", stream);
    double end = seconds() + 2;
    while (leader < 0 && !fails && seconds() < end) {
        for (int i = 0; i < 3 && leader < 0; i++)
            if (client_has(&client, leaders[i])) leader = i;
        fails = leader < 0 && client_has(&client, "\"error\"");
    }
    client_end(&client);
    return leader;
}

int leader_of(const struct server servers[3], const char *stream) {
    int leader = -1, asked = 0;
    uint64_t more = UINT64_C(2000000000) * (uint64_t)patience();
    for (int i = 0; i < 3; i++) CHECK(!servers[i].process || COMES(is_whole(&servers[i])));
    for (uint64_t end = end_of_patience() + more; leader < 0 && patient_nanoseconds() < end; asked++)
        if (servers[asked % 3].process) leader = ask_for_leader(&servers[asked % 3], stream);
    CHECK(leader >= 0);
    return leader < 0 ? 0 : leader; /* so that the rule goes on, and tells what failed first */
}

/* ---- A proxy ----------------------------------------------------------------------------------------------------- */

enum { PAIRS = 32 };

/* Whether what waits at the socket of a client has the word that the proxy holds. */
static bool holds(struct proxy *proxy, int client) {
    const char *word = proxy->holds;
    char bytes[16384];
    ssize_t length = word ? recv(client, bytes, sizeof bytes, MSG_DONTWAIT | MSG_PEEK) : 0;
    if (length <= 0 || !memmem(bytes, (size_t)length, word, strlen(word))) return false;
    proxy->has_held = true;
    return true;
}

/* Passes on the available bytes. Returns false when the connection has ended. */
static bool pass(struct proxy *proxy, int from, int to, bool garbles) {
    static _Thread_local unsigned state = 1;
    unsigned char bytes[16384];
    ssize_t length = recv(from, bytes, sizeof bytes, MSG_DONTWAIT);
    if (length < 0) return errno == EAGAIN;
    if (length == 0) return false;
    for (ssize_t i = 0; garbles && proxy->garble && i < length; i++) {
        state = state * 1103515245u + 12345u;
        if ((state >> 16) % (unsigned)proxy->garble == 0) bytes[i] = (unsigned char)(state >> 8);
    }
    for (ssize_t sent = 0; sent < length && !proxy->ended;) {
        ssize_t more = send(to, bytes + sent, (size_t)(length - sent), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more < 0 && errno == EAGAIN) {
            usleep(200);
            continue;
        }
        if (more <= 0) return false;
        sent += more;
    }
    if (proxy->rate) usleep((useconds_t)(length * 1000000 / proxy->rate));
    return true;
}

static void *serve_proxy(void *context) {
    struct proxy *proxy = context;
    int pairs[PAIRS][2], count = 0;
    while (!proxy->ended) {
        struct pollfd all[1 + 2 * PAIRS] = {{proxy->listener, POLLIN, 0}};
        for (int i = 0; i < 2 * count; i++) all[1 + i] = (struct pollfd){pairs[i / 2][i % 2], POLLIN, 0};
        if ((proxy->is_still = proxy->hole)) {
            usleep(1000);
            continue;
        }
        poll(all, (nfds_t)(1 + 2 * count), 5);
        for (int i = 0; i < count; i++) {
            bool going = !proxy->cut && (holds(proxy, pairs[i][0]) || pass(proxy, pairs[i][0], pairs[i][1], false)) &&
                         pass(proxy, pairs[i][1], pairs[i][0], true);
            if (going) continue;
            close(pairs[i][0]);
            close(pairs[i][1]);
            memmove(pairs[i], pairs[count - 1], sizeof pairs[i]);
            count--;
            i--;
        }
        proxy->pairs = count;
        if (!(all[0].revents & POLLIN) || count == PAIRS) continue;
        int client = accept(proxy->listener, NULL, NULL), target = proxy->cut ? -1 : connect_to(proxy->target);
        int small = 16384; /* a slow link has no room for much */
        if (proxy->rate) setsockopt(client, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        if (client >= 0 && target >= 0) {
            pairs[count][0] = client;
            pairs[count++][1] = target;
        } else {
            close(client);
            if (target >= 0) close(target);
        }
    }
    for (int i = 0; i < count; i++) {
        close(pairs[i][0]);
        close(pairs[i][1]);
    }
    return NULL;
}

void proxy_begin(struct proxy *proxy, int target) {
    memset(proxy, 0, sizeof *proxy);
    proxy->target = target;
    proxy->listener = listen_at(0);
    proxy->port = port_of(proxy->listener);
    pthread_create(&proxy->thread, NULL, serve_proxy, proxy);
}

void proxy_stop(struct proxy *proxy) {
    proxy->hole = true;
    CHECK(COMES(proxy->is_still));
}

void proxy_end(struct proxy *proxy) {
    proxy->ended = true;
    pthread_join(proxy->thread, NULL);
    close(proxy->listener);
}

/* ---- Centers ----------------------------------------------------------------------------------------------------- */

bool is_late(const char *reason) {
    static const char *const reasons[] = {"the stream has not answered in time", "the connection has ended before"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strncmp(reason, reasons[i], strlen(reasons[i])) == 0) return true;
    return false;
}

static void note(void *context, const HeraldNetworkEvent *event) {
    struct events *events = context;
    CHECK(event->size == sizeof *event && event->kind >= 1 && event->kind <= HeraldNetworkSkipped && event->reason);
    if (event->kind == HeraldNetworkUnkept && is_late(event->reason)) {
        events->late += (int)event->count;
        return;
    }
    pthread_mutex_lock(&events->lock);
    events->counts[event->kind] += event->count;
    if (events->center) events->sent[event->kind] = statistics_of(events->center).sent;
    snprintf(events->reason[event->kind], sizeof events->reason[0], "%s", event->reason);
    const char *name = event->name ? HeraldNameGetUTF8String(event->name) : "";
    snprintf(events->name[event->kind], sizeof events->name[0], "%s", name ? name : "?");
    pthread_mutex_unlock(&events->lock);
    events->kinds[event->kind]++;
}

void events_begin(struct events *events, HeraldNetworkOptions *options) {
    pthread_mutex_init(&events->lock, NULL);
    options->event = note;
    options->context = events;
}

HeraldCenterRef center_with(HeraldNetworkOptions options, struct events *events) {
    HeraldCenterRef center = NULL;
    options.size = sizeof options;
    if (events) events_begin(events, &options);
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldOK);
    return center;
}

HeraldCenterRef center_at(const char *servers, struct events *events) {
    return center_with((HeraldNetworkOptions){.servers = servers}, events);
}

HeraldNetworkStatistics statistics_of(HeraldCenterRef center) {
    HeraldNetworkStatistics statistics = {.size = sizeof statistics};
    HeraldNetworkGetStatistics(center, &statistics);
    return statistics;
}

void synchronize(HeraldCenterRef center) { CHECK(HeraldNetworkSynchronize(center, patience()) == HeraldOK); }

void end_center(HeraldCenterRef center) {
    HeraldNetworkClose(center, 2); /* its server may have ended */
    HeraldCenterRelease(center);
    await_calls();
}

HeraldStatus post_number(HeraldCenterRef center, HeraldNameRef name, uint64_t number) {
    HeraldMessage message = {.size = sizeof message, .type = "number", .bytes = &number, .length = sizeof number};
    return HeraldCenterPostMessage(center, name, &message);
}

/* Returns the number, or the last one if the message has none. */
static uint64_t hear_number(struct ear *ear, const HeraldMessage *message) {
    uint64_t number;
    if (message->length != sizeof number || !message->type || strcmp(message->type, "number") != 0) return ear->last;
    memcpy(&number, message->bytes, sizeof number);
    if (number == ear->last) ear->doubled++;
    if (number < ear->last) ear->backwards++;
    return number;
}

static atomic_int running; /* calls of any ear */

static void take(HeraldCenterRef center, struct ear *ear, const void *object, const void *userInfo) {
    const HeraldMessage *message = HeraldGetCurrentMessage();
    double now = seconds();
    if (ear->last_at && now - ear->last_at > ear->longest) ear->longest = now - ear->last_at;
    ear->last_at = now;
    ear->about = object;
    if (message) {
        CHECK(userInfo == message && (!message->length || (uintptr_t)message->bytes % 8 == 0));
        ear->message = *message;
        snprintf(ear->object, sizeof ear->object, "%s", message->object ? message->object : "(none)");
        snprintf(ear->type, sizeof ear->type, "%s", message->type ? message->type : "(none)");
        ear->missed += (long)message->missed;
        uint64_t last = hear_number(ear, message);
        ear->heard++;
        ear->last = last; /* after all others: tests wait for it, and then read them */
    } else {
        ear->plain++;
    }
    if (ear->then) ear->then(ear, center);
}

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)name;
    running++;
    take(center, observer, object, userInfo);
    running--;
}

void await_calls(void) { CHECK(COMES(running == 0)); }

void listen_to(HeraldCenterRef center, struct ear *ear, HeraldNameRef name, const void *object) {
    HeraldObserverOptions options = {.size = sizeof options};
    CHECK(HeraldCenterAddObserverWithOptions(center, ear, hear, name, object, &options, &ear->token) == HeraldOK);
}

void listen_under(HeraldCenterRef center, struct ear *ear, const char *prefix) {
    CHECK(HeraldNetworkAddObserverUnder(center, ear, hear, prefix, NULL, &ear->token) == HeraldOK);
}

/* ---- Streams ----------------------------------------------------------------------------------------------------- */

/* Asks once. The server may not know its peers yet, or lose the request to a leader that there is not yet. */
static bool makes_stream(struct client *client, const char *call, int length) {
    client_say(client, "PUB $JS.API.STREAM.CREATE.S made %d\r\n%s\r\n", length, call);
    for (int i = 0; i < 600; i++, usleep(5000)) {
        if (client_has(client, "\"created\"")) return true;
        if (client_has(client, "\"error\"")) return false;
    }
    return false;
}

void stream_make(struct client *client, const char *subjects, const char *more) {
    static char call[1024];
    int length =
        snprintf(call, sizeof call, "{\"name\":\"S\",\"subjects\":[%s],\"storage\":\"file\"%s}", subjects, more);
    client_say(client, "SUB made 7\r\n");
    CHECK(COMES(makes_stream(client, call, length)));
    client_say(client, "UNSUB 7\r\n");
}

HeraldCenterRef begin_storing(struct server *server, struct client *client, const char *subjects, const char *more) {
    server_begin(server, 0, jetstream);
    client_begin(client, server->port);
    stream_make(client, subjects, more);
    return center_at(server->url, NULL);
}
void end_storing(struct server *server, struct client *client, HeraldCenterRef center) {
    client_end(client);
    end_center(center);
    server_end(server);
}

bool has_stored(struct client *client, long count) {
    char text[64];
    snprintf(text, sizeof text, "\"messages\":%ld,", count);
    client_say(client, "SUB info 8\r\nPUB $JS.API.STREAM.INFO.S info 0\r\n\r\n");
    bool has = client_hears(client, text);
    client_say(client, "UNSUB 8\r\n");
    return has;
}
