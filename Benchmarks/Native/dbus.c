/* D-Bus with systemd's library: a signal without arguments or with bytes, emitted and flushed on a bus of its own, to
 * one process that matches it. */
#include "listener.h"

#include <string.h>
#include <systemd/sd-bus.h>

static sd_bus *connection;

static sd_bus *connect_to(const char *address) {
    sd_bus *made = NULL;
    const char *name; /* waits until the bus has replied */
    bool connected = sd_bus_new(&made) >= 0 && sd_bus_set_address(made, address) >= 0 &&
                     sd_bus_set_bus_client(made, 1) >= 0 && sd_bus_start(made) >= 0 &&
                     sd_bus_get_unique_name(made, &name) >= 0;
    return connected ? made : NULL;
}

static int hear(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)message, (void)context, (void)error;
    heard();
    return 0;
}

static void listen_to(void *address) {
    sd_bus *mine = connect_to(address);
    if (!mine || sd_bus_match_signal(mine, NULL, NULL, "/org/herald", "org.herald", "Wake", hear, NULL) < 0) return;
    board->ready++;
    for (;;)
        if (sd_bus_process(mine, NULL) == 0) sd_bus_wait(mine, UINT64_MAX);
}

static const char *open_bus(void *unused) {
    static char address[256];
    int ends[2];
    (void)unused;
    REQUIRE(pipe(ends) == 0);
    pin_to(-1);
    pid_t bus = fork();
    if (bus == 0) {
        char number[16];
        prctl(PR_SET_PDEATHSIG, SIGKILL);
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
    if (!begun) return "dbus-daemon does not begin (package dbus)";
    address[strcspn(address, "\n")] = 0;
    const char *reason = begin_listener(listen_to, address);
    if (!reason && !(connection = connect_to(address))) reason = "the bus cannot be reached";
    return reason;
}

static void emit(void *size) {
    static const char bytes[16384];
    sd_bus_message *message;
    REQUIRE(sd_bus_message_new_signal(connection, &message, "/org/herald", "org.herald", "Wake") >= 0);
    if (*(size_t *)size) REQUIRE(sd_bus_message_append_array(message, 'y', bytes, *(size_t *)size) >= 0);
    REQUIRE(sd_bus_send(connection, message, NULL) >= 0);
    sd_bus_flush(connection);
    sd_bus_message_unref(message);
}

static size_t take_dbus(void *size, double *values, size_t most) { return take_times(emit, size, values, most); }

int main(int count, char **arguments) {
    static const char package[] = "libsystemd-dev dbus";
    static size_t none = 0, small = 64, large = 16384;
    static const struct task tasks[] = {
        {.name = "dbus", .package = package, .open = open_bus, .take = take_dbus, .context = &none},
        {.name = "dbus-64", .package = package, .open = open_bus, .take = take_dbus, .context = &small},
        {.name = "dbus-16k", .package = package, .open = open_bus, .take = take_dbus, .context = &large}};
    make_board();
    return peer_main(count, arguments, NULL, 0, tasks, sizeof tasks / sizeof *tasks);
}
