/* D-Bus, as systemd's library speaks it: a signal without arguments, emitted and flushed, to one process that matches
 * it.
 */
#include "peer.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#if __has_include(<systemd/sd-bus.h>)
#include <systemd/sd-bus.h>

static pid_t bus;
static sd_bus *connection;

const char *peer_begin(void) {
    static char address[256];
    int ends[2];
    if (pipe(ends) != 0) return NULL;
    bus = fork();
    if (bus == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", ends[1]);
        close(ends[0]);
        execlp("dbus-daemon", "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address", number,
               (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    FILE *file = fdopen(ends[0], "r");
    bool begun = file && fgets(address, sizeof address, file);
    if (file) fclose(file);
    address[strcspn(address, "\n")] = 0;
    if (begun) return address;
    waitpid(bus, NULL, 0);
    fprintf(stderr, "bench: dbus-daemon does not begin (package dbus): no D-Bus beside the host center\n");
    return NULL;
}

static sd_bus *connect_to(const char *address) {
    sd_bus *made = NULL;
    if (sd_bus_new(&made) < 0 || sd_bus_set_address(made, address) < 0 || sd_bus_set_bus_client(made, 1) < 0 ||
        sd_bus_start(made) < 0)
        return NULL;
    const char *name; /* waits until the bus knows us */
    return sd_bus_get_unique_name(made, &name) < 0 ? NULL : made;
}

bool peer_connect(const char *address) { return (connection = connect_to(address)) != NULL; }

static int hear(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)message, (void)context, (void)error;
    heard();
    return 0;
}

void peer_listen(const char *address) {
    sd_bus *mine = connect_to(address);
    if (!mine || sd_bus_match_signal(mine, NULL, NULL, "/org/herald", "org.herald", "Wake", hear, NULL) < 0) return;
    board->ready++;
    for (;;)
        if (sd_bus_process(mine, NULL) == 0) sd_bus_wait(mine, UINT64_MAX);
}

void peer_wake(void) {
    sd_bus_emit_signal(connection, "/org/herald", "org.herald", "Wake", "");
    sd_bus_flush(connection);
}

void peer_end(void) {
    sd_bus_unref(connection);
    kill(bus, SIGTERM);
    waitpid(bus, NULL, 0);
}
#else
const char *peer_begin(void) {
    fprintf(stderr, "bench: no sd-bus.h (package libsystemd-dev): no D-Bus beside the host center\n");
    return NULL;
}
bool peer_connect(const char *address) { return !address; }
void peer_listen(const char *address) { (void)address; }
void peer_wake(void) {}
void peer_end(void) {}
#endif
