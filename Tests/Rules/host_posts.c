/* The host center: observing and posting between processes. */
#include "host.h"
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void watch_a(void) {
    let_watcher_sleep(UNTIL_WOKEN);
    hear_into("a", 0, NULL);
    board->at[10] = 1;
    EVENTUALLY(board->at[11]);
}
HOST_TEST(post_in_one_process_is_heard_in_another) {
    pid_t watcher = process(watch_a);
    EVENTUALLY(board->at[10]);
    CHECK(post_to_host("a") == 0);
    EVENTUALLY(board->at[0] == 1);
    for (int i = 0; i < 1000; i++) post_to_host("a");
    EVENTUALLY(board->at[0] == 1001);
    CHECK(board->at[1] <= 1001);
    board->at[11] = 1;
    join(watcher);
}

HOST_TEST(post_wakes_who_sleeps) {
    pid_t watcher = process(watch_a);
    EVENTUALLY(board->at[10]);
    for (long i = 1; i <= 12; i++) {
        pause_for(2000); /* it sleeps */
        post_to_host("a");
        EVENTUALLY(board->at[0] == i);
    }
    board->at[11] = 1;
    join(watcher);
}

HOST_TEST(post_is_heard_in_its_own_process_too) {
    HeraldToken token;
    hear_into("a", 0, &token);
    CHECK(post_to_host("a") == 0 && HeraldHostPost("a") == HeraldOK && post_to_host("b") == 0);
    EVENTUALLY(board->at[0] == 2);
    CHECK(HeraldCenterRemoveTokenAndWait(HeraldCenterGetHostCenter(), token));
    post_to_host("a");
    hear_into("b", 2, NULL);
    post_to_host("b");
    EVENTUALLY(board->at[2] == 1);
    CHECK(board->at[0] == 2);
}

HOST_TEST(registration_for_an_object_hears_no_plain_post) {
    struct listener listener = {0};
    add(HeraldCenterGetHostCenter(), &listener, name_of("a"), &listener);
    hear_into("a", 0, NULL);
    HeraldCenterPostNotification(HeraldCenterGetHostCenter(), name_of("a"), &listener, "not carried", false);
    EVENTUALLY(board->at[0] == 1);
    CHECK(HeraldCenterRemoveTokenAndWait(HeraldCenterGetHostCenter(), listener.token) && listener.released == 1);
    post_to_host("a"); /* its earlier calls have been delivered before this */
    EVENTUALLY(board->at[0] == 2);
    CHECK(listener.calls == 0);
}

static char text_of_length[514];
static const char *text(int length) {
    memset(text_of_length, 'x', sizeof text_of_length);
    text_of_length[length] = 0;
    return text_of_length;
}
HOST_TEST(names_have_1_to_512_bytes) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    struct listener listener = {0};
    HeraldHostToken token = 7;
    hear_into(text(1), 0, NULL);
    post_to_host(text(1));
    hear_into(text(512), 2, NULL);
    post_to_host(text(512));
    EVENTUALLY(board->at[0] == 1 && board->at[2] == 1);
    HeraldStatus status = HeraldCenterAddObserver(host, &listener, listener_hear, name_of(text(513)), NULL,
                                                  HeraldSuspensionDeliverImmediately);
    CHECK(status == HeraldInvalidArgument && says("512 bytes"));
    CHECK(post_to_host(text(513)) == 0);
    CHECK(HeraldHostPost(text(513)) == HeraldInvalidArgument && HeraldHostPost("") == HeraldInvalidArgument);
    CHECK(HeraldHostPost(NULL) == HeraldInvalidArgument);
    CHECK(HeraldHostRegisterCheck(text(513), &token) == HeraldInvalidArgument && token == 0);
    CHECK(HeraldHostRegisterCheck("\xff", &token) == HeraldInvalidArgument && says("UTF-8"));
}

HOST_TEST(addresses_are_refused) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    struct listener listener = {0};
    HeraldNameRef address = HeraldNameForAddress(&board);
    CHECK(HeraldCenterAddObserver(host, &listener, listener_hear, address, NULL, HeraldSuspensionDrop) ==
          HeraldInvalidArgument);
    CHECK(HeraldCenterPostNotification(host, address, NULL, NULL, false) == 0);
    hear_into("a", 0, NULL); /* and everything else still works */
    post_to_host("a");
    EVENTUALLY(board->at[0] == 1);
}

static void watch_self(void) {
    hear_into("self.a", 2, NULL);
    hear_into("other", 4, NULL);
    board->at[10] = 1;
    EVENTUALLY(board->at[4] == 1);
}
HOST_TEST(names_that_begin_with_self_stay_in_the_process) {
    hear_into("self.a", 0, NULL);
    pid_t other = process(watch_self);
    EVENTUALLY(board->at[10]);
    post_to_host("self.a");
    CHECK(HeraldHostPost("self.a") == HeraldOK);
    EVENTUALLY(board->at[0] == 2);
    post_to_host("other");
    join(other);
    CHECK(board->at[2] == 0);
    CHECK(names() == 1);
}

HOST_TEST(posts_of_names_nobody_observed_enter_nothing) {
    char name[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "unheard.%d", i);
        post_to_host(name);
        CHECK(HeraldHostPost(name) == HeraldOK);
    }
    CHECK(names() == 0);
    hear_into("unheard.7", 0, NULL);
    post_to_host("unheard.7");
    EVENTUALLY(board->at[0] == 1);
    CHECK(names() == 1);
    CHECK(HeraldHostVisitNames(NULL, NULL) == HeraldInvalidArgument);
}

/* A process that may only read, write and exit: any other system call kills it. Reading the clock needs no system
 * call. */
static void (*post_once)(int i);
static void post_under_seccomp(void) {
    for (int i = 0; i < 2; i++) post_once(i);
    for (time_t second = time(NULL); time(NULL) == second;) {
    } /* at the beginning of a second it looks for its file */
    for (int i = 0; i < 2; i++) post_once(i);
    board->at[20] = (long)time(NULL);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    for (int i = 0; i < 20000; i++) post_once(i);
    syscall(SYS_exit, 0);
}
/* On a busy machine the process may have come into another second, and so has looked for its file. Then the test is
 * repeated, at most a hundred times. */
static bool makes_no_system_call(void (*post)(int i)) {
    post_once = post;
    for (int i = 0; i < 100; i++) {
        int status = -1;
        waitpid(process(post_under_seccomp), &status, 0);
        if (status == 0) return true;
        if (board->at[20] == (long)time(NULL)) return false;
    }
    return false;
}

static void post_what_nobody_hears(int i) {
    static HeraldNameRef unknown, known;
    static HeraldHostToken token;
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    uint64_t posts;
    if (!token) {
        unknown = name_of("nobody.ever");
        known = name_of("nobody.now");
        CHECK(HeraldHostRegisterCheck("nobody.now", &token) == HeraldOK);
    }
    HeraldCenterPostNotification(host, unknown, NULL, NULL, false);
    HeraldCenterPostNotification(host, known, NULL, NULL, false);
    if (i % 10 == 1) HeraldHostCheck(token, &posts);
}
HOST_RULE(14, post_that_nobody_hears_makes_no_system_call) {
    if (UNDER_THREAD_SANITIZER || UNDER_ADDRESS_SANITIZER) return; /* sanitizers make system calls of their own */
    CHECK(makes_no_system_call(post_what_nobody_hears));
}

/* ---- The watcher's life ------------------------------------------------------------------------------------------ */

static int threads(void) {
    int count = 0;
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Threads: %d", &count) == 1) break;
    if (file) fclose(file);
    return count;
}

HOST_TEST(thread_begins_with_the_first_observer_and_ends_with_the_last) {
    if (UNDER_THREAD_SANITIZER) return; /* the thread sanitizer has a thread of its own */
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldHostToken check;
    int before = threads();
    post_to_host("a");
    CHECK(HeraldHostRegisterCheck("a", &check) == HeraldOK && threads() == before);
    for (int i = 0; i < 20; i++) {
        HeraldToken a, b;
        long heard = board->at[0];
        hear_into("a", 0, &a);
        hear_into("b", 0, &b);
        CHECK(threads() >= before + 1);
        post_to_host("a");
        EVENTUALLY(board->at[0] == heard + 1);
        HeraldCenterRemoveToken(host, a);
        HeraldCenterRemoveToken(host, b);
        if (i % 2) EVENTUALLY(threads() == before);
    }
}

static void end_thread(struct listener *self, HeraldCenterRef center) {
    (void)center;
    if (self->calls == 1) pthread_exit(NULL);
}
HOST_TEST(callback_that_ends_its_thread_ends_nobody_elses_deliveries) {
    struct listener listener = {.then = end_thread};
    hear_into("b", 0, NULL);
    add(HeraldCenterGetHostCenter(), &listener, name_of("a"), NULL);
    hear_into("c", 2, NULL);
    post_to_host("a");
    post_to_host("b");
    post_to_host("c");
    EVENTUALLY(listener.calls >= 1 && board->at[0] == 1 && board->at[2] == 1);
    post_to_host("a");
    EVENTUALLY(listener.calls >= 2);
}

static void add_and_remove(struct listener *self, HeraldCenterRef center) {
    HeraldToken token;
    hear_into("b", 0, &token);
    hear_into("c", 2, NULL);
    HeraldCenterRemoveTokenAndWait(center, token);
    HeraldCenterRemoveToken(center, self->token);
    post_to_host("c");
}
HOST_TEST(callback_may_add_remove_and_post) {
    struct listener listener = {.then = add_and_remove};
    add(HeraldCenterGetHostCenter(), &listener, name_of("a"), NULL);
    post_to_host("a");
    EVENTUALLY(board->at[2] == 1 && listener.released == 1);
    post_to_host("a");
    post_to_host("c");
    EVENTUALLY(board->at[2] == 2);
    CHECK(listener.calls == 1);
}

/* ---- Suspension (R16), coalescing -------------------------------------------------------------------------------- */

HOST_RULE(16, center_is_suspended_as_any_other) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    struct listener once = {0}, never = {0}, now = {0};
    add_with(host, &once, name_of("a"), NULL, HeraldSuspensionCoalesce);
    add_with(host, &never, name_of("a"), NULL, HeraldSuspensionDrop);
    add_with(host, &now, name_of("b"), NULL, HeraldSuspensionDeliverImmediately);
    HeraldCenterSetSuspended(host, true);
    for (int i = 0; i < 5; i++) {
        post_to_host("a");
        pause_for(2000);
    }
    post_to_host("b");
    EVENTUALLY(now.calls == 1);
    EVENTUALLY(once.calls == 1); /* an immediate post is heard after the held ones */
    post_to_host("a");
    await_deliveries();
    CHECK(once.calls == 1);
    HeraldCenterSetSuspended(host, false);
    EVENTUALLY(once.calls == 2);
    CHECK(never.calls == 0);
}

static void post_a(int i) {
    (void)i;
    post_to_host("a");
    board->at[21]++;
}
HOST_TEST(stopped_observer_coalesces_and_costs_posters_nothing) {
    pid_t watcher = process(watch_a);
    EVENTUALLY(board->at[10]);
    post_to_host("a");
    EVENTUALLY(board->at[0] == 1);
    pause_for(20000);
    kill(watcher, SIGSTOP);
    waitpid(watcher, NULL, WUNTRACED);
    long calls = board->at[1];
    if (UNDER_THREAD_SANITIZER || UNDER_ADDRESS_SANITIZER) { /* sanitizers make system calls of their own */
        for (int i = 0; i < 20000; i++) post_a(i);
    } else {
        CHECK(makes_no_system_call(post_a));
    }
    kill(watcher, SIGCONT);
    EVENTUALLY(board->at[0] == board->at[21] + 1 || check_has_failed());
    CHECK(board->at[1] - calls <= 3);
    board->at[11] = 1;
    join(watcher);
}

static pid_t observing[2];
static int listed;
static void note_processes(void *context, const HeraldHostNameInfo *info) {
    (void)context;
    if (strcmp(info->name, "observed") != 0) return;
    CHECK(info->size == sizeof *info && info->watchers == 2 && info->processCount == 2);
    for (uint32_t i = 0; i < info->processCount; i++)
        listed += (pid_t)info->processes[i] == observing[0] || (pid_t)info->processes[i] == observing[1];
}
static void observe_until_killed(void) {
    hear_into("observed", 20, NULL);
    board->at[30]++;
    for (;;) pause_for(100000);
}
HOST_TEST(list_says_which_processes_observe) {
    for (int i = 0; i < 2; i++) observing[i] = process(observe_until_killed);
    EVENTUALLY(board->at[30] == 2);
    CHECK(HeraldHostVisitNames(note_processes, NULL) == HeraldOK && listed == 2);
    for (int i = 0; i < 2; i++) end_by(observing[i], SIGKILL);
}
