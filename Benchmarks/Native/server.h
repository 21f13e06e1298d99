/* A nats-server on this machine, with JetStream. It ends with this process, and its folder is removed then. */
#ifndef HERALD_BENCH_SERVER_H
#define HERALD_BENCH_SERVER_H

#include "listener.h"
#include <fcntl.h>
#include <herald/network.h>
#include <nats/nats.h>
#include <stdlib.h>
#include <string.h>

static char url[64];

static inline const char *read_port(const char *folder) {
    char line[512], command[256];
    snprintf(command, sizeof command, "cat %s/*.ports 2>/dev/null", folder);
    for (int i = 0; i < 1000; i++, usleep(5000)) {
        FILE *pipe = popen(command, "r");
        const char *found = pipe && fgets(line, sizeof line, pipe) ? strstr(line, "nats://") : NULL;
        if (found) snprintf(url, sizeof url, "%.*s", (int)strcspn(found, "\""), found);
        if (pipe) pclose(pipe);
        if (*url) return NULL;
    }
    return "nats-server does not begin (package nats-server)";
}

/* Waits until this process's parent has ended, which had the other end of the pipe. */
static inline void keep_server(const char *folder, int pipe_end) {
    char byte, command[256];
    pid_t server = fork();
    if (server == 0) {
        setenv("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin", 1);
        execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p", "-1", "-js", "-sd", folder, "--ports_file_dir",
               folder, (char *)NULL);
        _exit(1);
    }
    while (read(pipe_end, &byte, 1) < 0 && errno == EINTR) {
    }
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    _exit(system(command) != 0);
}

static inline const char *begin_server(void) {
    char folder[] = "/tmp/herald-bench-XXXXXX";
    int ends[2];
    REQUIRE(mkdtemp(folder) != NULL && pipe(ends) == 0);
    pin_to(-1);
    fflush(NULL);
    if (fork() == 0) {
        for (int number = 0; number < 64; number++) /* the runner waits for the end of what this process writes */
            if (number != ends[0]) close(number);
        for (int number = 0; number < 3; number++) open("/dev/null", O_RDWR);
        signal(SIGINT, SIG_IGN);
        keep_server(folder, ends[0]);
    }
    close(ends[0]);
    return read_port(folder);
}

/* Flushed at once. Otherwise it would wait for the turn of libnats's thread. */
static inline natsConnection *connect_raw(void) {
    natsOptions *options;
    natsConnection *made = NULL;
    REQUIRE(natsOptions_Create(&options) == NATS_OK && natsOptions_SetURL(options, url) == NATS_OK &&
            natsOptions_SetSendAsap(options, true) == NATS_OK);
    natsConnection_Connect(&made, options);
    natsOptions_Destroy(options);
    return made;
}

static HeraldCenterRef network;
static HeraldNameRef bench;

static inline bool connect_network(void) {
    HeraldNetworkOptions options = {.size = sizeof options, .servers = url};
    bench = HeraldNameCreate("bench");
    return HeraldNetworkCenterCreate(&options, &network) == HeraldOK &&
           HeraldNetworkSynchronize(network, 5) == HeraldOK;
}

#endif
