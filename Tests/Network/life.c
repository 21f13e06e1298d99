/* The life of a network center: options that are refused, its end, and what it leaves; forks and exits. */
#include "server.h"
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

static int count_of(const char *folder) {
    DIR *all = opendir(folder);
    int count = 0;
    while (all && readdir(all)) count++;
    if (all) closedir(all);
    return count;
}

TEST(Network_refuses_what_cannot_be) {
    HeraldCenterRef center = (HeraldCenterRef)1;
    HeraldNetworkOptions options = {.size = sizeof options};
    CHECK(HeraldNetworkCenterCreate(NULL, &center) == HeraldInvalidArgument && !center);
    CHECK(HeraldNetworkCenterCreate(&options, NULL) == HeraldInvalidArgument);
    static const char *const servers[] = {NULL,
                                          "",
                                          " ",
                                          "http://x",
                                          "nats://",
                                          "nats://h:0",
                                          "nats://h:99999",
                                          "a,,b",
                                          ",",
                                          "nats://h:4222x",
                                          "nats://[::1",
                                          "nats://h h",
                                          "nats://u:p@",
                                          "nats://h/p"};
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        options.servers = servers[i];
        CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument && !center);
        CHECK(*HeraldNetworkGetErrorDescription() && !strstr(HeraldNetworkGetErrorDescription(), "u:p"));
    }
    options.servers = "nats://h";
    static const char *const prefixes[] = {".", "a.", ".a", "a..b", "a b", "a.*", ">", "%41"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        options.prefix = prefixes[i];
        CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument && !center);
    }
    options.prefix = NULL;
    options.size = 8;
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument);
    options.size = sizeof options;
    const char **files[] = {&options.credentials, &options.nkeySeed, &options.certificateAuthority};
    for (int i = 0; i < 3; i++) {
        *files[i] = "/nowhere/file";
        CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument);
        CHECK(strstr(HeraldNetworkGetErrorDescription(), "/nowhere/file"));
        *files[i] = "/etc";
        CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument);
        CHECK(strstr(HeraldNetworkGetErrorDescription(), "irectory"));
        *files[i] = "/etc/hostname";
        if (i) CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument);
        *files[i] = NULL;
    }
    options.certificate = "/etc/hostname";
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldInvalidArgument);
    HeraldToken token = {1, 1};
    HeraldCallback never = (HeraldCallback)(void (*)(void))abort;
    CHECK(HeraldNetworkAddObserverUnder(HeraldCenterGetLocalCenter(), &token, never, "a", NULL, &token) ==
          HeraldInvalidArgument);
    CHECK(token.center == 0 && HeraldNetworkSynchronize(NULL, 1) == HeraldInvalidArgument);
    CHECK(HeraldNetworkClose(HeraldCenterGetLocalCenter(), 1) == HeraldInvalidArgument);
    HeraldNetworkStatistics statistics = {.size = sizeof statistics, .posted = 7};
    HeraldNetworkGetStatistics(HeraldCenterGetLocalCenter(), &statistics);
    CHECK(statistics.posted == 0 && statistics.size == sizeof statistics);
    HeraldNetworkGetStatistics(NULL, NULL);
    center = center_at("nats://127.0.0.1:1", NULL);
    static const char *const under[] = {NULL, "", "a.", "."};
    for (int i = 0; i < 4; i++)
        CHECK(HeraldNetworkAddObserverUnder(center, &token, never, under[i], NULL, NULL) == HeraldInvalidArgument);
    CHECK(HeraldNetworkAddObserverUnder(center, &token, NULL, "a", NULL, NULL) == HeraldInvalidArgument);
    HeraldCenterRelease(center);
    options = (HeraldNetworkOptions){.size = sizeof options, .servers = "nats://127.0.0.1:1", .queueLimit = 5000};
    CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldOK);
    HeraldNameRef large = HeraldNameCreate("net.large");
    char bytes[6000] = "";
    HeraldMessage message = {.size = sizeof message, .bytes = bytes, .length = sizeof bytes};
    CHECK(HeraldCenterPostMessage(center, large, &message) == HeraldTooLarge);
    CHECK(strstr(HeraldNetworkGetErrorDescription(), "may wait") && statistics_of(center).posted == 0);
    HeraldCenterRelease(center);
}

TEST(Network_without_a_server_waiting_ends_when_it_is_to) {
    struct events events = {0};
    HeraldCenterRef center = center_at("nats://127.0.0.1:1,127.0.0.1:2", &events);
    static const double limits[] = {0, -1, 0.3, 1};
    for (int i = 0; i < 4; i++) CHECK(RETURNS(HeraldNetworkSynchronize(center, limits[i])) == HeraldTransportFailed);
    CHECK(RETURNS(HeraldNetworkSynchronize(center, NAN)) == HeraldTransportFailed);
    CHECK(COMES(events.kinds[HeraldNetworkDisconnected] > 0));
    CHECK(strstr(events.reason[HeraldNetworkDisconnected], "127.0.0.1:1"));
    CHECK(post_number(center, HeraldNameCreate("net.none"), 1) == HeraldOK);
    CHECK(RETURNS(HeraldNetworkClose(center, 0.2)) == HeraldTransportFailed);
    CHECK(strstr(HeraldNetworkGetErrorDescription(), "1 post was not sent"));
    CHECK(RETURNS(HeraldNetworkClose(center, 10 * PATIENCE)) == HeraldTransportFailed);
    CHECK(post_number(center, HeraldNameCreate("net.none"), 1) == HeraldTransportFailed);
    CHECK(RETURNS(HeraldNetworkSynchronize(center, 10 * PATIENCE)) == HeraldTransportFailed);
    HeraldCenterRelease(center);
}

static void *await_server(void *center) {
    static HeraldStatus status;
    status = HeraldNetworkSynchronize(center, PATIENCE);
    return &status;
}

/* The server starts when the center has failed to connect twice more since the thread began to wait. */
TEST(Network_synchronize_waits_for_a_server_that_comes) {
    struct server server = {0};
    struct events events = {0};
    int port = free_port();
    char url[64];
    pthread_t waiter;
    void *status;
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    HeraldCenterRef center = center_at(url, &events);
    CHECK(COMES(events.kinds[HeraldNetworkDisconnected] > 0));
    pthread_create(&waiter, NULL, await_server, center);
    int tried = events.kinds[HeraldNetworkDisconnected];
    CHECK(COMES(events.kinds[HeraldNetworkDisconnected] > tried + 1));
    server_begin(&server, port, NULL);
    pthread_join(waiter, &status);
    CHECK(*(HeraldStatus *)status == HeraldOK);
    end_center(center);
    server_end(&server);
}

/* ---- Ends -------------------------------------------------------------------------------------------------------- */

static void use_once(const struct server *server, HeraldNameRef name, bool closes) {
    struct ear ear = {0};
    HeraldCenterRef center = center_at(server->url, NULL);
    listen_to(center, &ear, name, NULL);
    listen_under(center, &ear, "net");
    synchronize(center);
    post_number(center, name, 1);
    CHECK(COMES(ear.heard >= 2));
    if (closes) CHECK(HeraldNetworkClose(center, PATIENCE) == HeraldOK);
    HeraldCenterRelease(center);
    await_calls(); /* the ear ends with this function */
}

/* The number of loop threads, one for each center that has not ended. */
static int loops(void) {
    DIR *all = opendir("/proc/self/task");
    int count = 0;
    for (struct dirent *each; all && (each = readdir(all));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", each->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file)) count += strcmp(name, "herald-network\n") == 0;
        if (file) fclose(file);
    }
    if (all) closedir(all);
    return count;
}

RULE(10, Network_center_that_ends_leaves_nothing) {
    struct server server = {0};
    server_begin(&server, 0, NULL);
    HeraldNameRef name = HeraldNameCreate("net.ends");
    for (int i = 0; i < 20; i++) use_once(&server, name, i & 1);
    CHECK(COMES(loops() <= 1)); /* libnats has started one of its own from a loop */
    int descriptors = count_of("/proc/self/fd"), threads = count_of("/proc/self/task");
    size_t memory = mallinfo2().uordblks;
    for (int i = 0; i < 100; i++) use_once(&server, name, i & 1);
    CHECK(COMES(count_of("/proc/self/fd") <= descriptors && count_of("/proc/self/task") <= threads));
    if (!UNDER_ADDRESS_SANITIZER && !UNDER_THREAD_SANITIZER) CHECK(COMES(mallinfo2().uordblks < memory + 100 * 1024));
    server_end(&server);
}

static atomic_int released_in_call;
static void release_center(struct ear *ear, HeraldCenterRef center) {
    if (ear->heard == 1) {
        HeraldCenterRelease(center);
        released_in_call++;
    }
}

RULE(10, Network_center_may_be_released_in_a_callback) {
    struct server server = {0};
    static struct ear ear;
    struct ear other_ear = {0};
    memset(&ear, 0, sizeof ear);
    ear.then = release_center;
    released_in_call = 0;
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL), other = center_at(server.url, NULL);
    HeraldNameRef name = HeraldNameCreate("net.release");
    listen_to(center, &ear, name, NULL);
    listen_to(other, &other_ear, name, NULL);
    synchronize(center);
    synchronize(other);
    CHECK(post_number(center, name, 1) == HeraldOK);
    CHECK(COMES(released_in_call == 1));
    CHECK(post_number(other, name, 2) == HeraldOK);
    CHECK(COMES(other_ear.heard == 2));
    CHECK(ear.heard == 1 && released_in_call == 1);
    end_center(other);
    server_end(&server);
}

static atomic_int after_the_last;
static atomic_bool is_last;
static void count_after(void *context, const HeraldNetworkEvent *event) {
    (void)context;
    if (is_last) after_the_last++;
    if (event->kind == HeraldNetworkClosed) is_last = true;
}
static void *post_meanwhile(void *center) {
    for (int i = 0; i < 20000; i++)
        HeraldCenterPostNotification(center, HeraldNameCreate("net.last"), NULL, NULL, false);
    return NULL;
}

TEST(Network_closed_is_the_last_event) {
    struct server server = {0};
    server_begin(&server, 0, NULL);
    HeraldNetworkOptions options = {.size = sizeof options, .servers = server.url, .event = count_after};
    after_the_last = 0;
    for (int round = 0; round < 10; round++) {
        HeraldCenterRef center;
        pthread_t thread;
        is_last = false;
        CHECK(HeraldNetworkCenterCreate(&options, &center) == HeraldOK);
        synchronize(center);
        pthread_create(&thread, NULL, post_meanwhile, center);
        CHECK(COMES(statistics_of(center).posted > 0));
        HeraldNetworkClose(center, PATIENCE);
        pthread_join(thread, NULL);
        CHECK(is_last);
        HeraldCenterRelease(center);
    }
    CHECK(after_the_last == 0);
    server_end(&server);
}

static HeraldCenterRef stubborn;
static void post_in_event(void *context, const HeraldNetworkEvent *event) {
    (void)context;
    if (event->kind == HeraldNetworkRefused)
        HeraldCenterPostNotification(stubborn, HeraldNameCreate("net.stubborn"), NULL, NULL, false);
}

TEST(Network_events_that_make_events_stop_nobody) {
    struct server server = {0};
    server_begin(&server, 0, NULL);
    HeraldNetworkOptions options = {
        .size = sizeof options, .servers = server.url, .queueLimit = 2000, .event = post_in_event};
    CHECK(HeraldNetworkCenterCreate(&options, &stubborn) == HeraldOK);
    for (int i = 0; i < 20; i++)
        HeraldCenterPostNotification(stubborn, HeraldNameCreate("net.full"), NULL, NULL, false);
    synchronize(stubborn);
    CHECK(statistics_of(stubborn).sent > 0);
    HeraldNetworkClose(stubborn, 2);
    HeraldCenterRelease(stubborn);
    server_end(&server);
}

static HeraldCenterRef closing;
static atomic_int closed_in_event;
static void close_in_event(void *context, const HeraldNetworkEvent *event) {
    (void)context;
    if (event->kind != HeraldNetworkDisconnected || closed_in_event) return;
    /* They do not wait. If they waited up to their limit, the watchdog would end the test. */
    CHECK(RETURNS(HeraldNetworkSynchronize(closing, 10 * PATIENCE)) == HeraldTransportFailed);
    CHECK(RETURNS(HeraldNetworkClose(closing, 10 * PATIENCE)) == HeraldTransportFailed);
    closed_in_event++;
}

TEST(Network_center_may_be_closed_in_an_event) {
    HeraldNetworkOptions options = {.size = sizeof options, .event = close_in_event};
    char url[64];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", free_port());
    options.servers = url;
    closed_in_event = 0;
    CHECK(HeraldNetworkCenterCreate(&options, &closing) == HeraldOK);
    CHECK(COMES(closed_in_event == 1));
    CHECK(post_number(closing, HeraldNameCreate("net.event"), 1) == HeraldTransportFailed);
    HeraldCenterRelease(closing);
}

struct busy {
    HeraldCenterRef center;
    atomic_bool ends;
};
static void *be_busy(void *context) {
    struct busy *busy = context;
    struct ear ear = {0};
    HeraldNameRef name = HeraldNameCreate("net.busy");
    while (!busy->ends) {
        HeraldObserverOptions options = {.size = sizeof options};
        HeraldToken token;
        HeraldStatus status = HeraldCenterAddObserverWithOptions(
            busy->center, &ear, (HeraldCallback)(void (*)(void))getpid, name, NULL, &options, &token);
        CHECK(status == HeraldOK || status == HeraldTransportFailed);
        post_number(busy->center, name, 1);
        if (status == HeraldOK) HeraldCenterRemoveTokenAndWait(busy->center, token);
        statistics_of(busy->center);
    }
    return NULL;
}

TEST(Network_center_may_be_closed_while_it_is_used) {
    struct server server = {0};
    server_begin(&server, 0, NULL);
    for (int round = 0; round < 10; round++) {
        struct busy busy = {.center = center_at(server.url, NULL)};
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, be_busy, &busy);
        usleep(30000);
        HeraldNetworkClose(busy.center, round % 2 ? 2 : 0);
        usleep(5000);
        busy.ends = true;
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        HeraldCenterRelease(busy.center);
    }
    server_end(&server);
}

/* ---- Processes --------------------------------------------------------------------------------------------------- */

RULE(18, Network_child_of_a_fork_is_told_and_the_parent_goes_on) {
    struct server server = {0};
    struct ear ear = {0};
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL);
    HeraldNameRef name = HeraldNameCreate("net.fork");
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    for (int i = 0; i < 5; i++) {
        CHECK(post_number(center, name, (uint64_t)i + 1) == HeraldOK);
        if (UNDER_ADDRESS_SANITIZER) synchronize(center); /* no other thread allocates during the fork (server.h) */
        pid_t child = begin_child();
        if (child == 0) {
            int status;
            if (i == 2 && (child = begin_child()) != 0) /* the child of a child, too */
                _exit(waitpid(child, &status, 0) == child && status == 0 ? 0 : 1);
            alarm(PATIENCE); /* no call waits as long as its limit */
            HeraldMessage message = {.size = sizeof message};
            bool told = HeraldCenterPostMessage(center, name, &message) == HeraldTransportFailed &&
                        strstr(HeraldNetworkGetErrorDescription(), "fork") &&
                        HeraldNetworkSynchronize(center, 10 * PATIENCE) == HeraldTransportFailed &&
                        HeraldNetworkClose(center, 10 * PATIENCE) == HeraldTransportFailed &&
                        !HeraldCenterIsHeard(center, name);
            HeraldCenterPostNotification(center, name, NULL, NULL, false);
            told = told && HeraldCenterAddObserver(center, &told, (HeraldCallback)(void (*)(void))abort,
                                                   HeraldNameCreate("net.child"), NULL,
                                                   HeraldSuspensionDrop) == HeraldTransportFailed;
            HeraldCenterRemoveToken(center, ear.token);
            HeraldCenterRelease(center);
            HeraldNetworkOptions options = {.size = sizeof options, .servers = server.url};
            HeraldCenterRef own;
            told = told && HeraldNetworkCenterCreate(&options, &own) == HeraldTransportFailed && !own;
            /* With the exit handlers; but the sanitizer's would report memory of the threads that do not exist in the
             * child. */
            if ((i & 1) && !UNDER_ADDRESS_SANITIZER) exit(told ? 0 : 1);
            _exit(told ? 0 : 1);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    CHECK(COMES(ear.heard >= 5));
    CHECK(post_number(center, name, 6) == HeraldOK);
    CHECK(COMES(ear.heard >= 6) && ear.missed == 0);
    end_center(center);
    server_end(&server);
}

/* The number of this process's descriptors whose peer has that port. */
static int connections_to(int port) {
    int count = 0;
    for (int socket = 0; socket < 1024; socket++) {
        struct sockaddr_in peer;
        socklen_t length = sizeof peer;
        if (getpeername(socket, (struct sockaddr *)&peer, &length) == 0 && peer.sin_family == AF_INET)
            count += ntohs(peer.sin_port) == port;
    }
    return count;
}

RULE(18, Network_child_that_lives_on_holds_no_connection) {
    struct server server = {0};
    struct ear ear = {0};
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL);
    HeraldNameRef name = HeraldNameCreate("net.lives");
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    CHECK(connections_to(server.port) == 1);
    int ends[2], connections = -1;
    CHECK(pipe(ends) == 0);
    pid_t child = begin_child();
    if (child == 0) {
        connections = connections_to(server.port);
        if (write(ends[1], &connections, sizeof connections) < 0) _exit(1);
        for (;;) pause();
    }
    close(ends[1]);
    CHECK(read(ends[0], &connections, sizeof connections) == sizeof connections && connections == 0);
    close(ends[0]);
    CHECK(post_number(center, name, 1) == HeraldOK && COMES(ear.heard >= 1));
    CHECK(HeraldNetworkClose(center, PATIENCE) == HeraldOK);
    HeraldCenterRelease(center);
    await_calls();
    CHECK(connections_to(server.port) == 0);
    CHECK(kill(child, 0) == 0 && waitpid(child, NULL, WNOHANG) == 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    server_end(&server);
}

/* A child closes all that it has inherited and opens files of its own, which get the numbers of the connections. Its
 * own child has these files. */
RULE(18, Network_child_of_a_child_keeps_its_files) {
    enum { FIRST = 3, LAST = 255 };
    struct server server = {0};
    int status;
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL);
    synchronize(center);
    pid_t child = begin_child();
    if (child == 0) {
        for (int file = FIRST; file <= LAST; file++) close(file);
        for (int file = 0; file >= 0 && file < LAST;) file = open("/dev/zero", O_RDONLY);
        if ((child = begin_child()) != 0) _exit(waitpid(child, &status, 0) == child && status == 0 ? 0 : 1);
        bool keeps = true;
        for (int file = FIRST; file <= LAST; file++) keeps = keeps && read(file, &status, 1) == 1;
        _exit(keeps ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    end_center(center);
    server_end(&server);
}

/* A process that posts and ends: `return` from main is exit(). It is started by exec, because the child of a fork
 * cannot use centers.
 */
__attribute__((constructor)) static void post_and_exit(void) {
    const char *url = getenv("HERALD_TEST_POSTS");
    if (!url) return;
    unsetenv("HERALD_TEST_POSTS");
    HeraldNetworkOptions options = {.size = sizeof options, .servers = url};
    HeraldCenterRef center;
    if (HeraldNetworkCenterCreate(&options, &center) != HeraldOK) _exit(1);
    /* An exit waits two seconds for what is to be sent; to connect may take longer on a slow machine. */
    if (getenv("HERALD_TEST_CONNECTS")) HeraldNetworkSynchronize(center, PATIENCE / 2);
    for (int i = 0; i < 1000; i++) post_number(center, HeraldNameCreate("net.exit"), (uint64_t)i + 1);
    exit(0);
}

/* It ends by itself, or by its alarm, and the status shows which. */
static void run_poster(const char *url, bool connects) {
    setenv("HERALD_TEST_POSTS", url, 1);
    if (connects) setenv("HERALD_TEST_CONNECTS", "1", 1);
    pid_t child = begin_child();
    if (child == 0) {
        alarm(PATIENCE);
        execl("/proc/self/exe", "poster", (char *)NULL);
        _exit(1);
    }
    unsetenv("HERALD_TEST_POSTS");
    unsetenv("HERALD_TEST_CONNECTS");
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

TEST(Network_posts_that_wait_are_sent_at_exit) {
    struct server server = {0};
    struct ear ear = {0};
    server_begin(&server, 0, NULL);
    HeraldCenterRef center = center_at(server.url, NULL);
    listen_to(center, &ear, HeraldNameCreate("net.exit"), NULL);
    synchronize(center);
    run_poster(server.url, true);
    CHECK(COMES(ear.heard >= 1000) && ear.missed == 0 && ear.backwards == 0);
    run_poster("nats://127.0.0.1:1", false);
    end_center(center);
    server_end(&server);
}

struct lifter {
    struct proxy *proxy;
    HeraldCenterRef poster;
    atomic_bool has_lifted;
};

/* libnats has the post, and the server has not seen it. */
static void *lift(void *context) {
    struct lifter *lifter = context;
    CHECK(COMES(statistics_of(lifter->poster).sent == 1));
    usleep(100000); /* a Close that does not wait returns now */
    lifter->has_lifted = true;
    lifter->proxy->hole = false;
    return NULL;
}

/* Posts that were sent on a connection which then ended are not confirmed by the server of another connection. */
TEST(Network_close_waits_for_the_answer_by_the_server_that_took_the_posts) {
    for (int synchronized = 0; synchronized < 2; synchronized++) {
        struct server server = {0};
        struct proxy proxy;
        struct events events = {0};
        char url[64];
        server_begin(&server, 0, NULL);
        proxy_begin(&proxy, server.port);
        snprintf(url, sizeof url, "nats://127.0.0.1:%d", proxy.port);
        HeraldCenterRef center = center_at(url, &events);
        synchronize(center);
        if (!synchronized) proxy_stop(&proxy);
        CHECK(post_number(center, HeraldNameCreate("net.taken"), 1) == HeraldOK);
        CHECK(COMES(statistics_of(center).sent == 1));
        if (synchronized) synchronize(center);
        int ended = events.kinds[HeraldNetworkDisconnected]; /* on a slow machine the first attempt may have failed */
        proxy.cut = true;
        proxy.hole = false;
        CHECK(COMES(events.kinds[HeraldNetworkDisconnected] > ended));
        proxy.cut = false;
        CHECK(COMES(events.kinds[HeraldNetworkConnected] == 2));
        HeraldStatus status = RETURNS(HeraldNetworkClose(center, PATIENCE / 2));
        CHECK(status == (synchronized ? HeraldOK : HeraldTransportFailed));
        CHECK(synchronized || strstr(HeraldNetworkGetErrorDescription(), "confirmed"));
        HeraldCenterRelease(center);
        proxy_end(&proxy);
        server_end(&server);
    }
}

/* Also in the event that reports them. */
TEST(Network_close_says_why_posts_were_left) {
    struct server server = {0};
    struct events events[2] = {0};
    char url[128];
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", free_port());
    HeraldCenterRef center = center_at(url, &events[0]);
    CHECK(COMES(events[0].kinds[HeraldNetworkDisconnected] > 0));
    CHECK(post_number(center, HeraldNameCreate("net.left"), 1) == HeraldOK);
    CHECK(RETURNS(HeraldNetworkSynchronize(center, 0.01)) == HeraldTransportFailed);
    CHECK(strstr(HeraldNetworkGetErrorDescription(), "no server is connected: 127.0.0.1"));
    CHECK(RETURNS(HeraldNetworkClose(center, 0.01)) == HeraldTransportFailed);
    CHECK(strstr(HeraldNetworkGetErrorDescription(), "1 post was not sent: 127.0.0.1"));
    CHECK(strstr(HeraldNetworkGetErrorDescription(), "no server answers"));
    CHECK(COMES(events[0].kinds[HeraldNetworkClosed] > 0));
    CHECK(strstr(events[0].reason[HeraldNetworkRefused], "no server answers"));
    HeraldCenterRelease(center);
    server_begin(&server, 0, "authorization { user: ada, password: secret }\n");
    center = center_at(server.url, &events[1]);
    CHECK(COMES(events[1].kinds[HeraldNetworkDisconnected] > 0));
    for (int i = 0; i < 2; i++) CHECK(post_number(center, HeraldNameCreate("net.left"), 1) == HeraldOK);
    CHECK(RETURNS(HeraldNetworkClose(center, 0.01)) == HeraldTransportFailed);
    CHECK(strstr(HeraldNetworkGetErrorDescription(), "2 posts were not sent: "));
    CHECK(strstr(HeraldNetworkGetErrorDescription(), "uthorization"));
    CHECK(COMES(events[1].kinds[HeraldNetworkClosed] > 0));
    HeraldCenterRelease(center);
    server_end(&server);
}

TEST(Network_close_waits_for_the_servers_answer) {
    struct server server = {0};
    struct proxy proxy;
    struct ear ear = {0};
    char url[64];
    pthread_t thread;
    server_begin(&server, 0, NULL);
    proxy_begin(&proxy, server.port);
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", proxy.port);
    HeraldNameRef name = HeraldNameCreate("net.close");
    HeraldCenterRef center = center_at(server.url, NULL), poster = center_at(url, NULL);
    listen_to(center, &ear, name, NULL);
    synchronize(center);
    synchronize(poster);
    proxy_stop(&proxy);
    CHECK(post_number(poster, name, 1) == HeraldOK);
    struct lifter lifter = {&proxy, poster, false};
    pthread_create(&thread, NULL, lift, &lifter);
    CHECK(HeraldNetworkClose(poster, PATIENCE) == HeraldOK && lifter.has_lifted);
    CHECK(COMES(ear.heard >= 1));
    pthread_join(thread, NULL);
    HeraldCenterRelease(poster);
    end_center(center);
    proxy_end(&proxy);
    server_end(&server);
}

/* ---- What it costs ----------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

TEST(Network_names_cost_little) {
    if (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER) return;
    enum { NAMES = 1000 };
    struct server server = {0};
    static struct ear ears[NAMES];
    static double times[NAMES];
    CHECK(COMES(loops() <= 1)); /* earlier centers end now, with their threads and memory */
    server_begin(&server, 0, NULL);
    int before = count_of("/proc/self/task");
    HeraldCenterRef center = center_at(server.url, NULL);
    listen_under(center, &ears[0], "net.warm");
    synchronize(center);
    size_t memory = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (int i = 0; i < NAMES; i++) {
        char text[32];
        snprintf(text, sizeof text, "net.cost.%d", i);
        HeraldNameRef name = HeraldNameCreate(text);
        double begin = seconds();
        listen_to(center, &ears[i], name, NULL);
        times[i] = seconds() - begin;
    }
    synchronize(center);
    /* Negative if what was there before has freed more. */
    long each = (long)(mallinfo2().uordblks + mallinfo2().hblkhd - memory) / NAMES;
    qsort(times, NAMES, sizeof *times, compare);
    int threads;
    CHECK(COMES((threads = count_of("/proc/self/task") - before) <= 5)); /* a joined thread is listed a moment longer */
    fprintf(stderr, "network: %ld bytes a name, %.2f us an add, %d threads more\n", each, times[NAMES / 2] * 1e6,
            threads);
    CHECK(each <= 4096);
    end_center(center);
    server_end(&server);
}
