/* Which servers a center trusts, and its own credentials: TLS, passwords, nkeys, credentials files. And programs that
 * are no servers. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "keys.h"
#include "server.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

/* A center with these options, which hears its own posts when it is connected. */
static HeraldCenterRef begin(HeraldNetworkOptions options, struct events *events, struct ear *ear) {
    HeraldCenterRef center = center_with(options, events);
    listen_to(center, ear, HeraldNameCreate("net.trust"), NULL);
    return center;
}

static bool gives_reason(struct events *events, const char *reason) {
    pthread_mutex_lock(&events->lock);
    const char *last = events->reason[HeraldNetworkDisconnected];
    bool gives = *last && strstr(last, reason);
    pthread_mutex_unlock(&events->lock);
    return gives;
}

static bool connects(HeraldNetworkOptions options) {
    struct events events = {0};
    struct ear ear = {0};
    HeraldCenterRef center = begin(options, &events, &ear);
    bool connected = HeraldNetworkSynchronize(center, PATIENCE) == HeraldOK;
    CHECK(post_number(center, HeraldNameCreate("net.trust"), 1) == HeraldOK);
    bool hears = COMES(ear.heard >= 1);
    end_center(center);
    return connected && hears;
}

/* Whether it gets an error that contains `reason`, and has never been connected. */
static bool is_refused(HeraldNetworkOptions options, const char *reason, struct events *events) {
    struct events mine = {0};
    struct ear ear = {0};
    if (!events) events = &mine;
    HeraldCenterRef center = begin(options, events, &ear);
    bool refused = COMES(gives_reason(events, reason)) && !events->kinds[HeraldNetworkConnected];
    CHECK(RETURNS(HeraldNetworkSynchronize(center, 0.01)) == HeraldTransportFailed);
    end_center(center);
    return refused;
}

static bool run(const struct server *server, const char *command) {
    char all[1024];
    snprintf(all, sizeof all, "cd %s && { %s; } >/dev/null 2>&1", server->folder, command);
    return system(all) == 0;
}

TEST(Network_password_is_asked_for_and_not_shown) {
    struct server server = {0};
    struct events events = {0};
    char url[128];
    server_begin(&server, 0, "authorization { user: ada, password: secret }\n");
    snprintf(url, sizeof url, "nats://ada:secret@127.0.0.1:%d", server.port);
    CHECK(connects((HeraldNetworkOptions){.servers = url}));
    snprintf(url, sizeof url, "nats://ada:wrongsecret@127.0.0.1:%d", server.port);
    CHECK(is_refused((HeraldNetworkOptions){.servers = url}, "uthorization", &events));
    CHECK(!strstr(events.reason[HeraldNetworkDisconnected], "wrongsecret"));
    CHECK(is_refused((HeraldNetworkOptions){.servers = server.url}, "uthorization", NULL));
    server_end(&server);
}

/* Wherever the list fails to parse, and also for valid lists. */
TEST(Network_no_part_of_a_password_is_said) {
    static const char *const lists[] = {"nats://ada:sekret,geheim@127.0.0.1:1",
                                        "nats://ada:sekret",
                                        "ada:sekret,geheim@127.0.0.1:1",
                                        "nats://a:1,nats://ada:sekret,geheim@127.0.0.1:1",
                                        "nats://ada:gehe im,sekret,geheim@127.0.0.1:1",
                                        "nats://ada:p@sekret,geheim@127.0.0.1:1",
                                        "nats://sekret,geheim@127.0.0.1:1",
                                        "nats://ada:sekret@geheim@127.0.0.1:1",
                                        "http://ada:sekret@127.0.0.1:1",
                                        "http://ada:sekret,geheim@127.0.0.1:1",
                                        "nats://ada:se%kret,ge%zheim@127.0.0.1:x",
                                        "nats://ada:%geheim%@127.0.0.1:1",
                                        "nats://ada:sekret@127.0.0.1:1,tls://127.0.0.1:1",
                                        "tls://ada:sekret,geheim@127.0.0.1:1",
                                        "nats://[sekret,geheim@127.0.0.1:1"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct events events = {0};
        HeraldCenterRef center = NULL;
        HeraldNetworkOptions options = {.size = sizeof options, .servers = lists[i]};
        events_begin(&events, &options);
        HeraldStatus status = HeraldNetworkCenterCreate(&options, &center);
        char said[900];
        if (status == HeraldOK) {
            CHECK(COMES(events.kinds[HeraldNetworkDisconnected] > 0));
            post_number(center, HeraldNameCreate("net.trust"), 1);
            CHECK(RETURNS(HeraldNetworkClose(center, 0.01)) == HeraldTransportFailed);
            CHECK(COMES(events.kinds[HeraldNetworkClosed] > 0)); /* the last: `events` ends here */
            HeraldCenterRelease(center);
        }
        snprintf(said, sizeof said, "%s", HeraldNetworkGetErrorDescription());
        strcat(said, events.reason[HeraldNetworkDisconnected]);
        if (!strstr(said, "kret") && !strstr(said, "ehei")) continue;
        fprintf(stderr, "network: %s: %s\n", lists[i], said);
        CHECK(!"a password is said");
    }
}

TEST(Network_nkey_opens_the_server_whose_user_it_is) {
    struct server server = {0};
    struct key key, other;
    char config[512], path[128], bad[128];
    CHECK(key_make(&key, KEY_USER) && key_make(&other, KEY_USER));
    snprintf(config, sizeof config, "authorization { users: [ { nkey: %s } ] }\n", key.public);
    server_begin(&server, 0, config);
    server_write(&server, "seed", key.seed);
    server_write(&server, "other", other.seed);
    snprintf(path, sizeof path, "%s/seed", server.folder);
    snprintf(bad, sizeof bad, "%s/other", server.folder);
    CHECK(connects((HeraldNetworkOptions){.servers = server.url, .nkeySeed = path}));
    CHECK(is_refused((HeraldNetworkOptions){.servers = server.url, .nkeySeed = bad}, "uthorization", NULL));
    key.seed[20] ^= 1; /* the checksum detects it */
    server_write(&server, "seed", key.seed);
    HeraldCenterRef center;
    HeraldNetworkOptions options = {.size = sizeof options, .servers = server.url, .nkeySeed = path};
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument);
    key_end(&key);
    key_end(&other);
    server_end(&server);
}

TEST(Network_credentials_open_the_account) {
    struct server server = {0};
    struct key operator, account, user;
    char claims[900], token[TOKEN_TEXT], config[4096], creds[4096], path[128];
    static const char limits[] = "\"limits\":{\"subs\":-1,\"data\":-1,\"payload\":-1,\"imports\":-1,\"exports\":-1,"
                                 "\"wildcards\":true,\"conn\":-1,\"leaf\":-1}";
    CHECK(key_make(&operator, KEY_OPERATOR) && key_make(&account, KEY_ACCOUNT) && key_make(&user, KEY_USER));
    server_begin(&server, 0, NULL); /* for its folder */
    server_kill(&server, SIGKILL);
    snprintf(claims, sizeof claims,
             "{\"iss\":\"%s\",\"sub\":\"%s\",\"name\":\"o\",\"nats\":{\"type\":\"operator\",\"version\":2}}",
             operator.public, operator.public);
    CHECK(token_make(token, &operator, claims));
    server_write(&server, "operator.jwt", token);
    snprintf(claims, sizeof claims,
             "{\"iss\":\"%s\",\"sub\":\"%s\",\"name\":\"a\",\"nats\":{%s,\"type\":\"account\",\"version\":2}}",
             operator.public, account.public, limits);
    CHECK(token_make(token, &operator, claims));
    snprintf(config, sizeof config,
             "operator: \"@/operator.jwt\"\nresolver: MEMORY\nresolver_preload: { %s: \"%s\" }\n", account.public,
             token);
    server_write(&server, "config", config);
    snprintf(claims, sizeof claims,
             "{\"iss\":\"%s\",\"sub\":\"%s\",\"name\":\"u\",\"nats\":{\"subs\":-1,\"data\":-1,\"payload\":-1,\"type\":"
             "\"user\","
             "\"version\":2}}",
             account.public, user.public);
    CHECK(token_make(token, &account, claims));
    snprintf(creds, sizeof creds,
             "-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n%s\n"
             "------END USER NKEY SEED------\n",
             token, user.seed);
    server_write(&server, "user.creds", creds);
    server_begin_again(&server);
    snprintf(path, sizeof path, "%s/user.creds", server.folder);
    CHECK(connects((HeraldNetworkOptions){.servers = server.url, .credentials = path}));
    CHECK(is_refused((HeraldNetworkOptions){.servers = server.url}, "uthorization", NULL));
    key_end(&operator);
    key_end(&account);
    key_end(&user);
    server_end(&server);
}

static void make_certificates(const struct server *server) {
    CHECK(run(server, "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem "
                      "-days 2 -subj /CN=herald-test-ca"));
    CHECK(run(server, "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out "
                      "other.pem -days 2 -subj /CN=herald-other-ca"));
    CHECK(run(server, "printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\\n' > names"));
    static const char *const who[] = {"server", "client"};
    for (int i = 0; i < 2; i++) {
        char command[512];
        snprintf(
            command, sizeof command,
            "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout %s.key -out %s.csr -subj "
            "/CN=localhost && openssl x509 -req -in %s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile "
            "names -out %s.pem",
            who[i], who[i], who[i], who[i]);
        CHECK(run(server, command));
    }
}

TEST(Network_tls_trusts_whom_it_is_told_to_trust) {
    struct server server = {0};
    char url[64], ca[128], other[128], certificate[128], key[128];
    server_begin(&server, 0, NULL);
    server_kill(&server, SIGKILL);
    make_certificates(&server);
    server_write(
        &server, "config",
        "tls { cert_file: \"@/server.pem\", key_file: \"@/server.key\", ca_file: \"@/ca.pem\", verify: true }\n");
    server_begin_again(&server);
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", server.port);
    snprintf(ca, sizeof ca, "%s/ca.pem", server.folder);
    snprintf(other, sizeof other, "%s/other.pem", server.folder);
    snprintf(certificate, sizeof certificate, "%s/client.pem", server.folder);
    snprintf(key, sizeof key, "%s/client.key", server.folder);
    HeraldNetworkOptions good = {.servers = url, .certificateAuthority = ca, .certificate = certificate, .key = key};
    CHECK(connects(good));
    HeraldNetworkOptions wrong = good;
    wrong.certificateAuthority = other;
    CHECK(is_refused(wrong, "certificate", NULL));
    HeraldNetworkOptions none = good;
    none.certificate = none.key = NULL;
    CHECK(is_refused(none, "", NULL)); /* with TLS 1.3 the server just closes the connection */
    HeraldCenterRef center;
    HeraldNetworkOptions mixed = good;
    mixed.size = sizeof mixed;
    mixed.key = certificate;
    CHECK(HeraldNetworkCenterCreate(&mixed, &center) == HeraldInvalidArgument);
    server_end(&server);
}

/* If the user requires TLS, no password is sent to a server without TLS. */
TEST(Network_tls_is_never_left_out) {
    char url[96], heard[4096] = "";
    static const char info[] =
        "INFO {\"server_id\":\"x\",\"version\":\"2.9.0\",\"headers\":true,\"max_payload\":1000}\r\n";
    int port = free_port(), listener = listen_at(port);
    ssize_t got = -1;
    snprintf(url, sizeof url, "tls://me:secret@127.0.0.1:%d", port);
    HeraldCenterRef center = center_at(url, NULL);
    int end = accept_one(listener);
    CHECK(end >= 0 && send(end, info, sizeof info - 1, MSG_NOSIGNAL) == sizeof info - 1);
    struct timeval limit = {PATIENCE, 0};
    setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    for (size_t used = 0; used < sizeof heard - 1; used += (size_t)got)
        if ((got = recv(end, heard + used, sizeof heard - 1 - used, 0)) <= 0) break;
    CHECK(got == 0 || errno == ECONNRESET); /* the center has closed the connection */
    CHECK(!strstr(heard, "secret") && !strstr(heard, "CONNECT"));
    close(end);
    close(listener);
    end_center(center);
    HeraldNetworkOptions options = {.size = sizeof options, .servers = "tls://a,nats://b"};
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument && !center);
    CHECK(strstr(HeraldNetworkGetErrorDescription(), "one way"));
}

/* ---- Silence ----------------------------------------------------------------------------------------------------- */

/* A program that greets each client, and sends nothing more. */
static pid_t begin_mute(int *port, const char *greeting) {
    *port = free_port();
    int listener = listen_at(*port);
    pid_t mute = begin_child();
    if (mute == 0) {
        for (;;) {
            int client = accept_one(listener);
            if (client >= 0) send(client, greeting, strlen(greeting), MSG_NOSIGNAL);
        }
    }
    close(listener);
    return mute;
}

/* Counts the calls that libnats makes in its loops. */
static atomic_long system_calls;
/* Holds up who hands a connection over to libnats until the server's two seconds are over. It alone waits for two
 * descriptors. */
static atomic_bool holds_up;
static ssize_t (*next_recv)(int socket, void *bytes, size_t length, int flags);
static int (*next_poll)(struct pollfd *what, nfds_t count, int milliseconds);

__attribute__((constructor(101))) static void find_next(void) {
    *(void **)&next_recv = dlsym(RTLD_NEXT, "recv");
    *(void **)&next_poll = dlsym(RTLD_NEXT, "poll");
}

ssize_t recv(int socket, void *bytes, size_t length, int flags) {
    system_calls++;
    return next_recv(socket, bytes, length, flags);
}

int poll(struct pollfd *what, nfds_t count, int milliseconds) {
    system_calls++;
    if (holds_up && count == 2) usleep(2100 * 1000);
    return next_poll(what, count, milliseconds);
}

/* For each point at which it may fall silent. All at the same time, because each of them takes long. */
SLOW_TEST(Network_server_that_falls_silent_is_left_for_the_next, "a silent greeting is left after two seconds") {
    enum { KINDS = 5 };
    static const struct {
        const char *scheme, *greeting;
    } kinds[KINDS] = {{"nats", ""},
                      {"nats", "INFO {\"server_id\":\"x\",\"ver"},
                      {"nats", "INFO {\"server_id\":\"x\",\"version\":\"2.9.10\",\"headers\":true}\r\n"},
                      {"nats", "INFO {\"server_id\":\"x\",\"version\":\"2.9.10\",\"headers\":true}\r\nPO"},
                      {"tls", "INFO {\"server_id\":\"x\",\"version\":\"2.9.10\",\"tls_required\":true}\r\n"}};
    struct server server = {0};
    struct events events[KINDS] = {0};
    HeraldCenterRef alone[KINDS], centers[KINDS] = {0};
    char url[128];
    int ports[KINDS];
    pid_t mutes[KINDS];
    server_begin(&server, 0, NULL);
    for (int i = 0; i < KINDS; i++) mutes[i] = begin_mute(&ports[i], kinds[i].greeting);
    size_t memory = mallinfo2().uordblks;
    system_calls = 0;
    for (int i = 0; i < KINDS; i++) {
        snprintf(url, sizeof url, "%s://127.0.0.1:%d", kinds[i].scheme, ports[i]);
        alone[i] = center_at(url, &events[i]);
    }
    for (int i = 0; i < KINDS && !check_has_failed(); i++) {
        CHECK(COMES(events[i].kinds[HeraldNetworkDisconnected] > 0));
        CHECK(gives_reason(&events[i], "has not answered in time"));
    }
    fprintf(stderr, "network: %d silent servers, %ld system calls, %zu bytes more\n", KINDS, (long)system_calls,
            mallinfo2().uordblks - memory);
    CHECK(system_calls < 1000);
    for (int i = 0; i < KINDS; i++) {
        CHECK(RETURNS(HeraldNetworkClose(alone[i], 0.1)) == HeraldOK);
        HeraldCenterRelease(alone[i]);
    }
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].scheme, "nats") != 0 || check_has_failed()) continue;
        snprintf(url, sizeof url, "nats://127.0.0.1:%d,127.0.0.1:%d", ports[i], server.port);
        centers[i] = center_at(url, NULL);
    }
    for (int i = 0; i < KINDS; i++) {
        if (!centers[i]) continue;
        synchronize(centers[i]);
        end_center(centers[i]);
    }
    for (int i = 0; i < KINDS; i++) {
        kill(mutes[i], SIGKILL);
        waitpid(mutes[i], NULL, 0);
    }
    server_end(&server);
}

SLOW_TEST(Network_center_that_is_held_up_says_that_its_server_was_late, "two seconds pass while it connects") {
    struct server server = {0};
    struct events events = {0};
    server_begin(&server, 0, NULL);
    holds_up = true;
    HeraldCenterRef center = center_at(server.url, &events);
    CHECK(COMES(events.kinds[HeraldNetworkDisconnected] > 0));
    CHECK(gives_reason(&events, "has not answered in time"));
    holds_up = false;
    synchronize(center);
    end_center(center);
    server_end(&server);
}

/* ---- Nonsense ---------------------------------------------------------------------------------------------------- */

SLOW_TEST(Network_garbled_connection_hurts_nobody_and_heals, "many connections are garbled") {
    struct server server = {0};
    struct proxy proxy;
    struct ear ear = {0}, under = {0};
    char url[64];
    server_begin(&server, 0, NULL);
    proxy_begin(&proxy, server.port);
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", proxy.port);
    HeraldCenterRef center = center_at(url, NULL);
    HeraldNameRef name = HeraldNameCreate("net.garbled");
    listen_to(center, &ear, name, NULL);
    listen_under(center, &under, "net");
    synchronize(center);
    for (int round = 0; round < 6; round++) {
        static const int rates[] = {2000, 300, 50, 5000, 10, 1000};
        proxy.garble = rates[round];
        for (int i = 0; i < 2000; i++) {
            HeraldStatus status = post_number(center, name, 1);
            CHECK(status == HeraldOK || status == HeraldQueueFull || status == HeraldTooLarge);
            usleep(300);
        }
    }
    proxy.garble = 0;
    proxy.cut = true;
    CHECK(COMES(proxy.pairs == 0));
    proxy.cut = false;
    synchronize(center);
    CHECK(post_number(center, name, 7) == HeraldOK);
    CHECK(COMES(ear.last == 7));
    end_center(center);
    proxy_end(&proxy);
    server_end(&server);
}

/* libnats 3.4.1 leaks a message if the connection ends in the middle of it: see OperatingNATS. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:natsBuf_Create\n"; }

/* libnats 3.4.1 reads a socket without its lock, and may close it on another thread: a read that brings nothing is then
 * followed by no lock that the closing thread takes. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "race:natsSock_Read\n"; }

/* A program that sends arbitrary bytes to each client. */
static void speak_nonsense(int listener, unsigned seed) {
    static const char *const pieces[] = {
        "INFO {\"server_id\":\"x\",\"version\":\"2.9.10\",\"proto\":1,\"headers\":true,\"max_payload\":1048576}\r\n",
        "INFO {}\r\n", "INFO {\"max_payload\":-5}\r\n", "INFO \xff\xfe{{{\r\n", "PONG\r\n", "PING\r\n", "+OK\r\n",
        "-ERR 'Unknown Protocol Operation'\r\n", "-ERR\r\n",
        "-ERR 'Permissions Violation for Subscription to \"\"'\r\n", "MSG herald.net.nonsense 1 5\r\nhello\r\n",
        "MSG herald.net.nonsense 1 -5\r\n", "MSG x 99999999999 3\r\nabc\r\n",
        "HMSG herald.net.nonsense 1 12 17\r\nNATS/1.0\r\n\r\nhello\r\n", "HMSG herald.net.nonsense 1 9999 3\r\n",
        "HMSG herald.net.nonsense 1 20 20\r\nNATS/1.0\r\nHerald-Post\r\n", "MSG a b c d e f g\r\n", "\r\n\r\n\r\n",
        /* Beyond INT_MAX less 32 KiB, libnats 3.4.1 reads out of bounds: see OperatingNATS. */
        "MSG herald.net.nonsense 1 2000000000\r\n"};
    signal(SIGPIPE, SIG_IGN);
    for (;; seed = seed * 1103515245u + 12345u) {
        int client = accept_one(listener);
        if (client < 0) continue;
        bool begins_well = seed >> 16 & 1;
        for (int i = 0; i < 40; i++) {
            seed = seed * 1103515245u + 12345u;
            const char *piece = pieces[begins_well && i == 0 ? 0 : (seed >> 16) % (sizeof pieces / sizeof *pieces)];
            if (begins_well && i == 1) piece = "PONG\r\n";
            size_t length = strlen(piece);
            if ((seed >> 8 & 7) == 0) length = length / 2;
            if (write(client, piece, length) < 0) break;
            if (i < 3) usleep(2000);
        }
        usleep(20000);
        close(client);
    }
}

SLOW_TEST(Network_server_that_speaks_nonsense_hurts_nobody, "many connections, each with other nonsense") {
    struct server server = {0};
    struct events events = {0};
    struct ear ear = {0};
    int port = free_port();
    char url[64];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    int listener = listen_at(port);
    pid_t liar = begin_child();
    if (liar == 0) {
        speak_nonsense(listener, 42);
    }
    close(listener);
    HeraldCenterRef center = center_at(url, &events);
    HeraldNameRef name = HeraldNameCreate("net.nonsense");
    listen_to(center, &ear, name, NULL);
    HeraldStatus status = HeraldOK;
    CHECK(COMES((status = post_number(center, name, 1),
                 events.kinds[HeraldNetworkDisconnected] >= 7 ||
                     (status != HeraldOK && status != HeraldQueueFull && status != HeraldTooLarge))));
    CHECK(status == HeraldOK || status == HeraldQueueFull || status == HeraldTooLarge);
    RETURNS(HeraldNetworkSynchronize(center, 0.3));
    kill(liar, SIGKILL);
    waitpid(liar, NULL, 0);
    server_begin(&server, port, NULL);
    synchronize(center);
    CHECK(post_number(center, name, 7) == HeraldOK);
    CHECK(COMES(ear.last == 7));
    end_center(center);
    server_end(&server);
}
