/* The cost of many machines to a nats-server. MACHINES connections each observe NAMES names as a network center does,
 * with two subscriptions for each name. There are MACHINES * NAMES / 10 different names, so ten machines hear each
 * post. Then it posts at a rate. Prints memory and processor time of the server.
 *
 *      crowd [MACHINES [NAMES [RATE [SECONDS]]]]        1000 100 10000 5
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEARERS = 10, PING_SECONDS = 2 };

static int port;
static pid_t server;
static long heard_bytes;

static void stop(const char *what) {
    fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- The server -------------------------------------------------------------------------------------------------- */

static void begin_server(void) {
    char folder[] = "/tmp/herald-crowd-XXXXXX", path[64], line[512] = "";
    if (!mkdtemp(folder)) stop(folder);
    server = fork();
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setenv("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin", 1);
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", folder, (char *)NULL);
        _exit(1);
    }
    snprintf(path, sizeof path, "%s/nats-server_%d.ports", folder, (int)server);
    for (int i = 0; i < 1000 && !strstr(line, "nats://"); i++, usleep(5000)) {
        FILE *file = fopen(path, "r");
        if (file && !fgets(line, sizeof line, file)) *line = 0;
        if (file) fclose(file);
    }
    const char *at = strstr(line, "127.0.0.1:");
    if (!at) stop("nats-server does not begin");
    port = atoi(at + strlen("127.0.0.1:"));
    unlink(path);
    rmdir(folder);
}

static long resident_kib(void) {
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)server);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1) break;
    if (file) fclose(file);
    return kib;
}

static double processor_seconds(void) {
    char path[64];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)server);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        stop(path);
    fclose(file);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* ---- The machines ------------------------------------------------------------------------------------------------ */

static void send_all(int machine, const char *text, size_t length) {
    while (length) {
        ssize_t sent = send(machine, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN) stop("send");
        if (sent < 0) usleep(100);
        if (sent > 0) text += sent, length -= (size_t)sent;
    }
}

static int begin_machine(int number, int names, int different) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int machine = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (machine < 0 || connect(machine, (struct sockaddr *)&address, sizeof address)) stop("connect");
    setsockopt(machine, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    fprintf(out, "CONNECT {\"verbose\":false,\"headers\":true}\r\n");
    for (int i = 0; i < names; i++) {
        int name = (int)(((long)number * names + i) % different);
        fprintf(out, "SUB herald.crowd.%d %d\r\nSUB herald.crowd.%d.%%.* %d\r\n", name, 2 * i + 1, name, 2 * i + 2);
    }
    fprintf(out, "PING\r\n");
    fclose(out);
    send_all(machine, text, length);
    free(text);
    fcntl(machine, F_SETFL, O_NONBLOCK);
    return machine;
}

/* Reads what has come. Answers pings, as far as they can be recognised. */
static void read_machine(int machine) {
    static char bytes[65536];
    ssize_t length = recv(machine, bytes, sizeof bytes - 1, 0);
    if (length == 0) stop("the server has closed a connection");
    if (length < 0) return;
    heard_bytes += length;
    bytes[length] = 0;
    if (length <= 512 && strstr(bytes, "PING\r\n")) send_all(machine, "PONG\r\n", 6);
}

static void read_for(int crowd, double seconds) {
    struct epoll_event events[256];
    for (double end = now() + seconds; now() < end;) {
        int count = epoll_wait(crowd, events, 256, 10);
        for (int i = 0; i < count; i++) read_machine(events[i].data.fd);
    }
}

static void ping_all(const int *machines, int count) {
    for (int i = 0; i < count; i++) send_all(machines[i], "PING\r\n", 6);
}

static void post_for(int poster, int crowd, int rate, double seconds, int different) {
    char text[128];
    double begin = now();
    long posted = 0;
    for (double time; (time = now() - begin) < seconds; read_for(crowd, 0.001))
        for (; (double)posted < time * rate; posted++) {
            int length =
                snprintf(text, sizeof text, "PUB herald.crowd.%ld 64\r\n%064ld\r\n", random() % different, posted);
            send_all(poster, text, (size_t)length);
        }
}

int main(int count, char **arguments) {
    int machine_count = count > 1 ? atoi(arguments[1]) : 1000, names = count > 2 ? atoi(arguments[2]) : 100;
    int rate = count > 3 ? atoi(arguments[3]) : 10000;
    double seconds = count > 4 ? atof(arguments[4]) : 5;
    if (machine_count < 1 || names < 1 || rate < 0 || seconds <= 0) return 64;
    struct rlimit files = {(rlim_t)machine_count + 64, (rlim_t)machine_count + 64};
    setrlimit(RLIMIT_NOFILE, &files);
    int different = machine_count * names / HEARERS > 0 ? machine_count * names / HEARERS : 1;
    int *machines = calloc((size_t)machine_count, sizeof *machines), crowd = epoll_create1(EPOLL_CLOEXEC);
    begin_server();
    long empty = resident_kib();
    double begin = now(), used = processor_seconds();
    for (int i = 0; i < machine_count; i++) {
        machines[i] = begin_machine(i, names, different);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = machines[i]};
        epoll_ctl(crowd, EPOLL_CTL_ADD, machines[i], &event);
    }
    read_for(crowd, 1);
    printf("%d machines, %d names each: connected in %.1f s, %.1f s of the server's processor\n", machine_count, names,
           now() - begin - 1, processor_seconds() - used);
    printf("memory of the server: %ld MiB before, %ld MiB with them: %.0f KiB a machine\n", empty >> 10,
           resident_kib() >> 10, (double)(resident_kib() - empty) / machine_count);
    used = processor_seconds();
    begin = now();
    for (double round = 0; round < seconds; round += PING_SECONDS) {
        ping_all(machines, machine_count);
        read_for(crowd, PING_SECONDS);
    }
    printf("idle, a ping of each every %d s: %.1f %% of a processor\n", PING_SECONDS,
           100 * (processor_seconds() - used) / (now() - begin));
    used = processor_seconds();
    begin = now();
    heard_bytes = 0;
    post_for(machines[0], crowd, rate, seconds, different);
    printf("%d posts a second, each heard by %d machines: %.1f %% of a processor, %.1f MiB a second to them\n", rate,
           HEARERS, 100 * (processor_seconds() - used) / (now() - begin),
           (double)heard_bytes / (now() - begin) / (1 << 20));
    kill(server, SIGKILL);
    return 0;
}
