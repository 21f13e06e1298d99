/* R24 from outside: the inspector's service, and attacks on it by strangers. */
#include "host.h"
#include <dirent.h>
#include <herald/inspect.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

static int connect_to(pid_t process) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (sockets_of(process, address.sun_path) != 1) return -1;
    int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(end, (struct sockaddr *)&address, sizeof address) == 0) return end;
    close(end);
    return -1;
}

/* Sends a request, and reads until a line contains `until`; false: none does. The text that was read is in `said`. */
static char said[1 << 20];
static bool asks(int end, const char *request, const char *until) {
    size_t used = 0;
    said[0] = 0;
    if (request && send(end, request, strlen(request), MSG_NOSIGNAL) < 0) return false;
    for (uint64_t end_of = end_of_patience(); patient_nanoseconds() < end_of;) {
        struct pollfd waits = {end, POLLIN, 0};
        if (poll(&waits, 1, 1000) <= 0) continue;
        ssize_t got = recv(end, said + used, sizeof said - 1 - used, 0);
        if (got <= 0) return strstr(said, until) != NULL;
        used += (size_t)got;
        said[used] = 0;
        const char *found = strstr(said, until);
        if (found && strchr(found, '\n')) return true;
    }
    return false;
}

static int lines_with(const char *part) {
    int count = 0;
    for (const char *at = said; (at = strstr(at, part)); at++) count++;
    return count;
}

static int threads(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count - 2;
}

HOST_RULE(24, inspector_answers_its_user_and_ends) {
    struct stat about;
    char path[128];
    int before = threads();
    struct listener one = {.letter = 'a'};
    HeraldCenterRef center = new_center();
    HeraldCenterSetLabel(center, "mi\"ne \\ \x1b\xc2\x9b \xe2\x82\xac \xff\xe2\x82"); /* not all of it is UTF-8 */
    add(center, &one, name_of("inspect.\"name\"\n"), NULL);
    CHECK(connect_to(getpid()) < 0);
    CHECK(HeraldInspectorStart() == HeraldOK && HeraldInspectorStart() == HeraldOK);
    snprintf(path, sizeof path, "%s/herald-inspect", host_folder);
    CHECK(stat(path, &about) == 0 && (about.st_mode & 07777) == 0700);
    CHECK(sockets_of(getpid(), path) == 1);
    CHECK(stat(path, &about) == 0 && S_ISSOCK(about.st_mode) && (about.st_mode & 07777) == 0600);
    int end = connect_to(getpid());
    CHECK(end >= 0 && asks(end, "hello\n", "\"type\":\"hello\""));
    CHECK(strstr(said, "\"protocol\":1") && strstr(said, "\"limits\":{\"line\":4096}"));
    CHECK(asks(end, "centers\n", "\"of\":\"centers\"") && lines_with("\"type\":\"center\"") >= 1);
    CHECK(strstr(
        said, "\"label\":\"mi\\u0022ne \\u005c \\u001b\\u009b \xe2\x82\xac \\ufffd\\ufffd\\ufffd\",\"kind\":\"own\""));
    CHECK(asks(end, "observers\n", "\"of\":\"observers\""));
    CHECK(strstr(said, "\"name\":\"inspect.\\u0022name\\u0022\\u000a\"") &&
          strstr(said, "\"behavior\":\"immediately\""));
    CHECK(asks(end, "running\n", "\"of\":\"running\"") && asks(end, "frobnicate\n", "unknown request"));
    CHECK(asks(end, "observers x\n", "write observers") && asks(end, "counts 1\n", "write counts"));
    CHECK(asks(end, "trace nonsense\n", "write trace"));
    HeraldInspectorStop();
    HeraldInspectorStop();
    CHECK(stat(path, &about) != 0 && connect_to(getpid()) < 0);
    EVENTUALLY(threads() == before || UNDER_THREAD_SANITIZER); /* the thread sanitizer has a thread of its own */
    CHECK(recv(end, said, 1, 0) == 0);
    close(end);
    CHECK(HeraldInspectorStart() == HeraldOK);
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

HOST_RULE(25, inspector_shows_what_is_kept) {
    static int object;
    HeraldCenterRef center = new_center();
    CHECK(HeraldCenterPostKept(center, name_of("inspect.kept"), &object, NULL, NULL, 0, NULL) == HeraldOK);
    CHECK(HeraldCenterPostKept(center, name_of("inspect.kept"), NULL, NULL, NULL, 0, NULL) == HeraldOK);
    size_t limit = 0;
    uint64_t bytes = 1;
    CHECK(HeraldCenterGetKeptCount(center, &limit, &bytes) == 2 && limit == 65536 && bytes == 0);
    CHECK(HeraldCenterGetKeptCount(NULL, &limit, NULL) == 0 && limit == 0);
    CHECK(HeraldInspectorStart() == HeraldOK);
    int end = connect_to(getpid());
    CHECK(end >= 0 && asks(end, "centers\n", "\"of\":\"centers\""));
    CHECK(lines_with("\"kept\":2,\"kept_limit\":65536,\"kept_message_bytes\":0") == 1);
    CHECK(asks(end, "kept\n", "\"of\":\"kept\"") && lines_with("\"name\":\"inspect.kept\"") == 2);
    char request[60];
    snprintf(request, sizeof request, "kept %llu\n", (unsigned long long)HeraldCenterGetNumber(center));
    CHECK(asks(end, request, "\"of\":\"kept\",\"count\":2"));
    CHECK(asks(end, "kept 0x\n", "write kept"));
    close(end);
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

static void start_and_exit(void) {
    char path[108];
    CHECK(HeraldInspectorStart() == HeraldOK && sockets_of(getpid(), path) == 1);
    exit(0);
}
HOST_RULE(24, inspector_removes_its_socket_at_a_normal_exit) {
    char path[108];
    pid_t child = process(start_and_exit);
    join(child);
    CHECK(sockets_of(child, path) == 0);
}

/* Adds up the counts of a name in windows, until they have this many posts. */
static void read_counts(FILE *file, long expected) {
    static char line[4096];
    long posts[2] = {0, 0}, calls[2] = {0, 0};
    while ((posts[0] < expected || posts[1] < expected) && file && fgets(line, sizeof line, file)) {
        const char *told = strstr(line, "\"posts\":");
        int other = strstr(line, "inspect.other") != NULL;
        long some, more;
        if (!told || sscanf(told, "\"posts\":%ld,\"calls\":%ld", &some, &more) != 2) continue;
        posts[other] += some;
        calls[other] += more;
    }
    CHECK(posts[0] == expected && posts[1] == expected && calls[0] == expected && calls[1] == 0);
}

HOST_RULE(24, inspector_traces_and_counts) {
    struct listener one = {.letter = 'a'};
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("inspect.traced"), other = name_of("inspect.other");
    add(center, &one, name, NULL);
    CHECK(HeraldInspectorStart() == HeraldOK);
    int end = connect_to(getpid()), counting = connect_to(getpid());
    CHECK(asks(end, "trace name inspect.traced\n", "\"type\":\"begin\""));
    CHECK(asks(counting, "counts 50\n", "\"type\":\"begin\""));
    for (int i = 0; i < 100; i++) {
        HeraldCenterPostNotification(center, name, NULL, NULL, false);
        HeraldCenterPostNotification(center, other, NULL, NULL, false);
    }
    FILE *counts = fdopen(counting, "r");
    read_counts(counts, 100);
    CHECK(asks(end, "stop\n", "\"type\":\"end\",\"of\":\"trace\""));
    CHECK(lines_with("\"type\":\"post\"") == 100 && lines_with("\"type\":\"call\"") == 100);
    CHECK(!strstr(said, "inspect.other") && !strstr(said, "\"type\":\"lost\""));
    CHECK(strstr(said, "\"caller\":\"") && strstr(said, "+0x"));
    close(end);
    if (counts) fclose(counts);
    EVENTUALLY(!HeraldTraceIsOn()); /* a client that leaves ends its trace */
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

HOST_RULE(24, inspector_counts_what_it_loses) {
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("inspect.lost");
    struct listener one = {.letter = 'a'};
    add(center, &one, name, NULL);
    CHECK(HeraldInspectorStart() == HeraldOK);
    int end = connect_to(getpid());
    CHECK(asks(end, "trace\n", "\"type\":\"begin\""));
    enum { POSTS = 50000, FEW = 50 };
    long waited = waits();
    for (int i = 0; i < POSTS; i++) HeraldCenterPostNotification(center, name, NULL, NULL, false); /* not read */
    CHECK(waits() - waited < FEW || UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER); /* posts do not wait */
    CHECK(send(end, "stop\n", 5, MSG_NOSIGNAL) == 5);
    long posts = 0, calls = 0, lost_posts = 0, lost_calls = 0;
    FILE *file = fdopen(end, "r");
    static char line[4096];
    while (file && fgets(line, sizeof line, file)) {
        long some, more;
        if (strncmp(line, "{\"type\":\"post\"", 14) == 0) posts++;
        if (strncmp(line, "{\"type\":\"call\"", 14) == 0) calls++;
        if (sscanf(line, "{\"type\":\"lost\",\"posts\":%ld,\"calls\":%ld", &some, &more) == 2)
            lost_posts += some, lost_calls += more;
        if (strstr(line, "\"of\":\"trace\"") && strstr(line, "\"type\":\"end\"")) break;
    }
    CHECK(posts > 0 && lost_posts > 0 && posts + lost_posts == POSTS && calls + lost_calls == POSTS);
    if (file) fclose(file);
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

/* More events than the viewer keeps, but never so many at once. */
HOST_RULE(24, inspector_loses_nothing_while_it_is_read) {
    enum { ROUNDS = 12, POSTS = 1000 };
    HeraldCenterRef center = new_center();
    HeraldNameRef name = name_of("inspect.kept");
    struct listener one = {.letter = 'a'};
    add(center, &one, name, NULL);
    CHECK(HeraldInspectorStart() == HeraldOK);
    int end = connect_to(getpid());
    CHECK(asks(end, "trace\n", "\"type\":\"begin\""));
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < POSTS; i++) HeraldCenterPostNotification(center, name, NULL, NULL, false);
        HeraldCenterPostNotification(center, name_of("inspect.last"), NULL, NULL, false);
        CHECK(asks(end, NULL, "\"name\":\"inspect.last\"") && !strstr(said, "\"type\":\"lost\""));
        CHECK(lines_with("\"type\":\"post\"") == POSTS + 1 && lines_with("\"type\":\"call\"") == POSTS);
    }
    close(end);
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

HOST_RULE(24, inspector_takes_eight_clients_and_any_bytes) {
    int ends[20], served = 0;
    CHECK(HeraldInspectorStart() == HeraldOK);
    for (int i = 0; i < 20; i++) ends[i] = connect_to(getpid());
    for (int i = 0; i < 20; i++) {
        CHECK(ends[i] >= 0);
        if (asks(ends[i], "hello\n", "\"hello\"")) served++;
    }
    CHECK(served == 8);
    for (int i = 0; i < 20; i++) close(ends[i]);
    int end = -1;
    EVENTUALLY((close(end), end = connect_to(getpid())) >= 0 &&
               asks(end, "hello\n", "\"hello\"")); /* there is room again */
    static char garbage[8000];
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof garbage; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        garbage[i] = (char)(seed >> 56 == '\n' ? 1 : seed >> 56);
    }
    ssize_t sent = send(end, garbage, sizeof garbage, MSG_NOSIGNAL);
    CHECK(sent > 0 && asks(end, NULL, "at most 4095 bytes"));
    close(end);
    for (int round = 0; round < 200; round++) {
        end = connect_to(getpid());
        if (end < 0) continue;
        for (size_t i = 0; i < 300; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1;
            garbage[i] = seed >> 60 == 0 ? '\n' : (char)(seed >> 56);
        }
        sent = send(end, garbage, 300, MSG_NOSIGNAL);
        close(end);
    }
    end = -1;
    EVENTUALLY((close(end), end = connect_to(getpid())) >= 0 && asks(end, "hello\n", "\"hello\""));
    close(end);
    HeraldInspectorStop();
}

HOST_RULE(24, inspector_lists_many_registrations_while_posts_go_on) {
    enum { MANY = 20000 };
    HeraldCenterRef center = new_center();
    static struct listener many[MANY];
    for (int i = 0; i < MANY; i++) {
        char text[32];
        snprintf(text, sizeof text, "inspect.many.%d", i);
        add(center, &many[i], name_of(text), NULL);
    }
    CHECK(HeraldInspectorStart() == HeraldOK);
    int end = connect_to(getpid());
    CHECK(send(end, "observers\n", 10, MSG_NOSIGNAL) == 10);
    struct pollfd begun = {end, POLLIN, 0};
    CHECK(poll(&begun, 1, PATIENCE * 1000) == 1); /* from now on it waits for a client that does not read everything */
    HeraldNameRef first = name_of("inspect.many.0");
    long waited = waits();
    for (int i = 0; i < 1000; i++) HeraldCenterPostNotification(center, first, NULL, NULL, false);
    CHECK(waits() - waited < 50 || UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER);
    FILE *file = fdopen(end, "r");
    static char line[4096];
    int count = 0, told = -1;
    while (file && fgets(line, sizeof line, file)) {
        count += strncmp(line, "{\"type\":\"observer\"", 18) == 0;
        if (sscanf(line, "{\"type\":\"end\",\"of\":\"observers\",\"count\":%d", &told) == 1) break;
    }
    CHECK(count >= MANY && told == count);
    if (file) fclose(file);
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

static void post_in_child(void) {
    CHECK(!HeraldTraceIsOn());
    HeraldCenterRef center = new_center();
    for (int i = 0; i < 10; i++) HeraldCenterPostNotification(center, name_of("inspect.child"), NULL, NULL, false);
    CHECK(connect_to(getpid()) < 0);
    if (UNDER_THREAD_SANITIZER) return; /* it has no threads in the child of a process with threads */
    CHECK(HeraldInspectorStart() == HeraldOK);
    int end = connect_to(getpid());
    CHECK(end >= 0 && asks(end, "hello\n", "\"hello\""));
    close(end);
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

HOST_RULE(24, inspector_is_not_in_the_child_of_a_fork) {
    CHECK(HeraldInspectorStart() == HeraldOK);
    int end = connect_to(getpid());
    CHECK(asks(end, "trace\n", "\"type\":\"begin\""));
    CHECK(asks(end, "counts 50\n", "\"type\":\"begin\""));
    join(process(post_in_child));
    HeraldCenterRef center = new_center();
    HeraldCenterPostNotification(center, name_of("inspect.parent"), NULL, NULL, false);
    CHECK(asks(end, NULL, "inspect.parent") && !strstr(said, "inspect.child"));
    close(end);
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

HOST_RULE(24, inspector_refuses_a_folder_that_others_may_open) {
    char path[128], socket[108];
    snprintf(path, sizeof path, "%s/herald-inspect", host_folder);
    CHECK(mkdir(path, 0755) == 0 && chmod(path, 0755) == 0);
    CHECK(HeraldInspectorStart() == HeraldTransportFailed && says("inspector"));
    CHECK(rmdir(path) == 0 && symlink("/tmp", path) == 0);
    CHECK(HeraldInspectorStart() == HeraldTransportFailed);
    CHECK(unlink(path) == 0);
    CHECK(HeraldInspectorStart() == HeraldOK);
    CHECK(sockets_of(getpid(), socket) == 1 && unlink(socket) == 0 &&
          rmdir(path) == 0); /* by a program that cleans up */
    CHECK(HeraldInspectorStart() == HeraldOK && sockets_of(getpid(), socket) == 1);
    HeraldInspectorStop();
}

static void ask_as_another(void) {
    CHECK(setgid(54321) == 0 && setuid(54321) == 0);
    int end = connect_to(getppid());
    CHECK(end >= 0 && !asks(end, "hello\n", "\"type\"") && !*said);
    close(end);
}

/* Even if the folder and the socket have been opened to all users. */
HOST_RULE(24, inspector_answers_no_other_user) {
    char path[128];
    if (geteuid() != 0) {
        skip("another user can only be played by root");
        return;
    }
    CHECK(HeraldInspectorStart() == HeraldOK);
    CHECK(chmod(host_folder, 0755) == 0);
    snprintf(path, sizeof path, "%s/herald-inspect", host_folder);
    CHECK(chmod(path, 0755) == 0);
    CHECK(sockets_of(getpid(), path) == 1 && chmod(path, 0666) == 0);
    join(process(ask_as_another));
    int end = connect_to(getpid());
    CHECK(end >= 0 && asks(end, "hello\n", "\"type\":\"hello\""));
    close(end);
    HeraldInspectorStop();
}

/* A message's sender and sequence are the same at its post and wherever it is heard. */
static struct { HeraldTraceEvent sent, heard; } followed;
static void follow(void *context, const HeraldTraceEvent *event) {
    (void)context;
    if (event->phase != HeraldTracePostEnd) return;
    *(event->outcome == HeraldTraceCarried ? &followed.sent : &followed.heard) = *event;
    if (event->outcome != HeraldTraceCarried) board->at[2]++;
}
static void hear_nothing(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
}
static void post_message_in_child(void) {
    HeraldMessage message = {.size = sizeof message, .bytes = "x", .length = 1};
    CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of("inspect.followed"), &message) == HeraldOK);
}
HOST_RULE(24, messages_are_followed_by_sender_and_sequence) {
    HeraldToken trace;
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), &followed, hear_nothing, name_of("inspect.followed"),
                                  NULL, HeraldSuspensionDeliverImmediately) == HeraldOK);
    CHECK(HeraldTraceStart(HeraldCenterGetHostCenter(), NULL, follow, NULL, NULL, &trace) == HeraldOK);
    post_message_in_child(); /* by this process */
    EVENTUALLY(board->at[2] == 1);
    CHECK(followed.sent.sender == (uint64_t)getpid() && followed.sent.sequence != 0);
    CHECK(followed.heard.sender == followed.sent.sender && followed.heard.sequence == followed.sent.sequence);
    CHECK(!followed.heard.caller && followed.heard.calls == 1);
    pid_t child = process(post_message_in_child);
    join(child);
    EVENTUALLY(board->at[2] == 2);
    CHECK(followed.heard.sender == (uint64_t)child && followed.heard.sequence > followed.sent.sequence);
    CHECK(HeraldTraceStop(trace));
    HeraldCenterRemoveEveryObserver(HeraldCenterGetHostCenter(), &followed);
}

/* ---- The program's own actions in the meantime ------------------------------------------------------------------- */

enum { SAY_NOTHING, END_THREAD, STOP_INSPECTOR, FORK, LINGER };
enum { BEGUN = 3, MAY_END, ENDED }; /* places of the board */
static atomic_int describer_does;
/* A sanitizer would report what the other threads of the parent had: these threads do not exist in the child. */
static void leave_at_once(void) { _exit(0); }
static void describe_and(const void *observer, HeraldDescription *description) {
    (void)observer, (void)description;
    if (describer_does == END_THREAD) pthread_exit(NULL);
    if (describer_does == STOP_INSPECTOR) HeraldInspectorStop();
    if (describer_does == FORK) {
        int status = 0;
        describer_does = SAY_NOTHING;
        pid_t child = fork();
        if (child == 0) atexit(leave_at_once);
        CHECK(child == 0 || (waitpid(child, &status, 0) == child && status == 0));
    }
    if (describer_does != LINGER) return;
    board->at[BEGUN] = 1;
    EVENTUALLY(board->at[MAY_END]);
    HeraldInspectorStop(); /* does not wait for the other stop, which waits for this thread */
    usleep(100000);
    board->at[ENDED] = 1;
}

HOST_RULE(24, describer_may_end_the_viewers_thread) {
    static struct listener one = {.letter = 'a'};
    HeraldCenterRef center = new_center();
    add(center, &one, name_of("inspect.ends"), NULL);
    HeraldSetDescriber(listener_hear, describe_and);
    CHECK(HeraldInspectorStart() == HeraldOK);
    describer_does = END_THREAD;
    for (int i = 0; i < 12; i++) { /* more than there are places */
        int end = connect_to(getpid());
        CHECK(end >= 0 && asks(end, "trace\n", "\"type\":\"begin\""));
        CHECK(send(end, "observers\n", 10, MSG_NOSIGNAL) == 10);
        while (recv(end, said, sizeof said, 0) > 0) continue;
        close(end);
    }
    EVENTUALLY(!HeraldTraceIsOn());
    describer_does = SAY_NOTHING;
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

/* In the child the viewer's thread goes on, finds that its client and its trace are the parent's, and ends. */
HOST_RULE(24, describer_may_fork) {
    static struct listener one = {.letter = 'a'};
    if (UNDER_THREAD_SANITIZER) return skip("the sanitizer has no child of a process with threads");
    HeraldCenterRef center = new_center();
    add(center, &one, name_of("inspect.forks"), NULL);
    HeraldSetDescriber(listener_hear, describe_and);
    CHECK(HeraldInspectorStart() == HeraldOK);
    int end = connect_to(getpid());
    CHECK(end >= 0 && asks(end, "trace\n", "\"type\":\"begin\""));
    describer_does = FORK;
    CHECK(asks(end, "observers\n", "\"of\":\"observers\"") && lines_with("\"of\":\"observers\"") == 1);
    HeraldCenterPostNotification(center, name_of("inspect.forks"), NULL, NULL, false);
    CHECK(asks(end, "stop\n", "\"type\":\"post\""));
    close(end);
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

HOST_RULE(24, describer_may_stop_the_inspector) {
    static struct listener one = {.letter = 'a'};
    HeraldCenterRef center = new_center();
    add(center, &one, name_of("inspect.stops"), NULL);
    HeraldSetDescriber(listener_hear, describe_and);
    for (int i = 0; i < 3; i++) {
        CHECK(HeraldInspectorStart() == HeraldOK);
        describer_does = STOP_INSPECTOR;
        int end = connect_to(getpid());
        CHECK(end >= 0 && send(end, "observers\n", 10, MSG_NOSIGNAL) == 10);
        while (recv(end, said, sizeof said, 0) > 0) continue;
        close(end);
        CHECK(connect_to(getpid()) < 0);
    }
    describer_does = SAY_NOTHING;
    HeraldInspectorStop();
    HeraldCenterRelease(center);
}

static void *stop_inspector(void *unused) {
    HeraldInspectorStop();
    CHECK(board->at[ENDED]);
    return unused;
}
static void start_and_stop_in_child(void) {
    if (UNDER_THREAD_SANITIZER) return; /* it has no threads in the child of a process with threads */
    for (int i = 0; i < 3; i++) {
        CHECK(HeraldInspectorStart() == HeraldOK);
        int end = connect_to(getpid());
        CHECK(end >= 0 && asks(end, "hello\n", "\"hello\""));
        HeraldInspectorStop();
        CHECK(recv(end, said, 1, 0) == 0);
        close(end);
    }
}

/* A process that forks in the meantime has a child in which the inspector works. */
HOST_RULE(24, inspectors_stop_waits_for_a_describer) {
    static struct listener one = {.letter = 'a'};
    pthread_t stopping;
    HeraldCenterRef center = new_center();
    add(center, &one, name_of("inspect.lingers"), NULL);
    HeraldSetDescriber(listener_hear, describe_and);
    describer_does = LINGER;
    CHECK(HeraldInspectorStart() == HeraldOK);
    int end = connect_to(getpid());
    CHECK(end >= 0 && send(end, "observers\n", 10, MSG_NOSIGNAL) == 10);
    EVENTUALLY(board->at[BEGUN]);
    pthread_create(&stopping, NULL, stop_inspector, NULL);
    while (recv(end, said, sizeof said, 0) > 0) continue; /* until the inspector has hung up, and so is waiting */
    join(process(start_and_stop_in_child));
    board->at[MAY_END] = 1;
    pthread_join(stopping, NULL);
    close(end);
    HeraldCenterRelease(center);
}

/* As daemons do. Files that are opened next get the same descriptors. */
SLOW_HOST_RULE(24, inspector_leaves_what_the_program_has_put_in_its_descriptors_place,
               "the inspector's stop waits for its viewers") {
    enum { FILES = 64 };
    if (UNDER_THREAD_SANITIZER) return skip("the sanitizer takes what the program does for a race");
    CHECK(HeraldInspectorStart() == HeraldOK);
    int end = connect_to(getpid()), files[FILES];
    CHECK(end >= 0 && asks(end, "hello\n", "hello"));
    for (int i = 3; i < FILES; i++) close(i);
    for (int i = 0; i < FILES; i++) CHECK((files[i] = memfd_create("ours", 0)) >= 0);
    HeraldInspectorStop();
    for (int i = 0; i < FILES; i++) {
        struct stat about;
        CHECK(fstat(files[i], &about) == 0 && about.st_size == 0);
        close(files[i]);
    }
    CHECK(HeraldInspectorStart() == HeraldOK);
    CHECK((end = connect_to(getpid())) >= 0 && asks(end, "hello\n", "hello"));
    close(end);
    HeraldInspectorStop();
}

static void *start_and_stop(void *unused) {
    (void)unused;
    while (!board->at[9]) {
        CHECK(HeraldInspectorStart() == HeraldOK);
        int end = connect_to(getpid());
        if (end >= 0 && send(end, "trace\nobservers\n", 16, MSG_NOSIGNAL) == 16) recv(end, said, 1, 0);
        HeraldInspectorStop();
        if (end >= 0) close(end);
    }
    return NULL;
}
static void *cancelled(void *unused) {
    HeraldInspectorStart(); /* cancelled calls leave no lock taken */
    HeraldInspectorStop();
    return unused;
}
HOST_RULE(18, forks_beside_an_inspector_that_starts_and_stops) {
    pthread_t thread, other;
    pthread_create(&thread, NULL, start_and_stop, NULL);
    for (int i = 0; i < OFTEN(300); i++) {
        pid_t child = fork();
        if (child == 0) _exit(0);
        CHECK(child > 0 && waitpid(child, NULL, 0) == child);
        if (i % 16) continue;
        pthread_create(&other, NULL, cancelled, NULL);
        pthread_cancel(other);
        pthread_join(other, NULL);
    }
    board->at[9] = 1;
    pthread_join(thread, NULL);
}
