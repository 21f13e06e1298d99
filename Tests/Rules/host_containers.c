/* Two containers that share the folder. In each of them the program is process 1, and the two are not taken for each
 * other.
 */
#include "host.h"
#include <herald/inspect.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Indexes into the board. */
enum { READY, STOP, OWN, OTHER = 10, LAST = 20, FENCE = 30 };

/* Counts the process's calls, each kind at an index of its own: of a private name, and of the fence. */
static int at;
static void note(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)object, (void)userInfo;
    const char *text = HeraldNameGetUTF8String(name);
    if (!strncmp(text, "self.", 5)) board->at[at + (observer ? 1 : 0)]++;
    if (!strcmp(text, "fence") && observer) board->at[FENCE + at]++;
}
static void observe(void) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    CHECK(HeraldCenterAddObserver(host, NULL, note, name_of("self.key"), NULL, HeraldSuspensionDeliverImmediately) ==
          HeraldOK);
    CHECK(HeraldCenterAddObserver(host, (void *)1, note, NULL, NULL, HeraldSuspensionDeliverImmediately) == HeraldOK);
    board->at[READY]++;
}
static void send_secret(const char *name) {
    HeraldMessage message = {.size = sizeof message, .bytes = "secret", .length = 6};
    CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of(name), &message) == HeraldOK);
}

static void listen_to_others(void) {
    at = OTHER;
    observe();
    EVENTUALLY(board->at[STOP] && board->at[FENCE + OTHER] == 1);
}
static void post_to_itself(void) {
    at = OWN;
    observe();
    EVENTUALLY(board->at[READY] == 2);
    send_secret("self.key");
    post_to_host("self.key");
    CHECK(HeraldHostPost("self.key") == HeraldOK);
    send_secret("self.nobody-observes-it");
    post_to_host("fence"); /* in one order with them */
    EVENTUALLY(board->at[FENCE + OWN] == 1 && board->at[OWN] >= 2);
    CHECK(board->at[OWN + 1] == 4);
    board->at[STOP] = 1;
}
HOST_RULE(23, private_posts_of_another_process_1_are_not_heard) {
    pid_t listener = process_1(listen_to_others);
    if (!listener) return;
    pid_t poster = process_1(post_to_itself);
    join(poster);
    join(listener);
    CHECK(board->at[OTHER] == 0 && board->at[OTHER + 1] == 0);
}

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

static void listen_in_child(void) {
    at = OTHER;
    observe();
    send_secret("self.key"); /* the child's post, which the parent does not hear */
    EVENTUALLY(board->at[OTHER + 1] == 1);
    board->at[STOP] = 1;
    EVENTUALLY(board->at[FENCE + OTHER] == 1);
    CHECK(board->at[OTHER + 1] == 1);
}
static void have_all_written(void) {
    at = LAST;
    observe();
    EVENTUALLY(board->at[FENCE + LAST] == 1);
    CHECK(board->at[LAST + 1] == 0);
}
/* The parent has an identity before it forks, because it has written a message. */
HOST_RULE(18, private_posts_of_the_child_are_its_own) {
    at = OWN;
    pid_t reader = process(have_all_written);
    EVENTUALLY(board->at[READY] == 1);
    send_secret("self.key");
    pid_t child = process(listen_in_child);
    observe();
    EVENTUALLY(board->at[STOP] == 1);
    CHECK(board->at[OWN] == 0);
    send_secret("self.key");
    post_to_host("fence");
    EVENTUALLY(board->at[FENCE + OWN] == 1 && board->at[OWN] >= 1);
    CHECK(board->at[OWN + 1] == 1);
    join(child);
    join(reader);
}

/* ---- Inspectors -------------------------------------------------------------------------------------------------- */

static void be_looked_into(void) {
    CHECK(HeraldInspectorStart() == HeraldOK);
    board->at[READY]++;
    EVENTUALLY(board->at[STOP] == 1);
    HeraldInspectorStop();
}
static void start_and_die(void) {
    CHECK(HeraldInspectorStart() == HeraldOK);
    board->at[READY]++;
    for (;;) pause_for(1000000);
}
HOST_RULE(24, inspectors_of_two_processes_1_have_a_socket_each) {
    char path[108];
    pid_t one = process_1(be_looked_into);
    if (!one) return;
    EVENTUALLY(board->at[READY] == 1);
    pid_t two = process_1(be_looked_into);
    EVENTUALLY(board->at[READY] == 2);
    CHECK(sockets_of(1, path) == 2);
    board->at[STOP] = 1;
    join(one);
    join(two);
    CHECK(sockets_of(1, path) == 0);
}
static bool refuses(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool refused = connect(end, (struct sockaddr *)&address, sizeof address) != 0 && errno == ECONNREFUSED;
    close(end);
    return refused;
}
HOST_RULE(24, inspector_removes_what_a_killed_one_with_its_number_left) {
    char path[108], others[108];
    pid_t killed = process_1(start_and_die);
    if (!killed) return;
    EVENTUALLY(board->at[READY] == 1);
    CHECK(sockets_of(1, path) == 1);
    pid_t lives = process_1(be_looked_into);
    EVENTUALLY(board->at[READY] == 2);
    CHECK(sockets_of(1, others) == 2);
    end_by(killed, SIGKILL);
    EVENTUALLY(refuses(path));
    pid_t comes = process_1(be_looked_into);
    EVENTUALLY(board->at[READY] == 3);
    CHECK(sockets_of(1, others) == 2 && access(path, F_OK) != 0); /* the sockets of the two that live */
    board->at[STOP] = 1;
    join(lives);
    join(comes);
    CHECK(sockets_of(1, others) == 0);
}
