/* The host center where other users may write, too, and in processes that change their user. */
#include "host.h"
#include <sched.h>
#include <sys/mount.h>

enum { S, READY = 10, STOP, GO, MOVED, STATUS };
enum { USER = 12345, SQUATTER = 54321, NAMES = 8 };

/* A private /dev/shm, as on a system: everybody may write, and remove files of his own. */
static bool enter_sticky_world(void) {
    bool entered = geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
                   mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                   mount("herald-test", "/dev/shm", "tmpfs", 0, "mode=1777,size=8m") == 0;
    unsetenv("HERALD_HOST_DIRECTORY");
    unsetenv("XDG_RUNTIME_DIR");
    if (!entered) skip("no folder may be mounted here");
    return entered;
}
static bool become(uid_t user) { return setgid(user) == 0 && setuid(user) == 0; }

static const char *name_number(int number) {
    static char path[64];
    snprintf(path, sizeof path, number ? "/dev/shm/herald-%d-3.%d" : "/dev/shm/herald-%d-3", USER, number);
    return path;
}
/* Another user takes the name, in one of many ways. */
static void squat(int number, int kind) {
    char path[64];
    snprintf(path, sizeof path, "%s", name_number(number));
    if (kind % 5 == 0) CHECK(mkdir(path, 0777) == 0);
    if (kind % 5 == 1) CHECK(close(open(path, O_CREAT | O_EXCL | O_RDWR, 0666)) == 0);
    if (kind % 5 == 2) CHECK(symlink("/dev/null", path) == 0);
    if (kind % 5 == 3) CHECK(mkfifo(path, 0666) == 0);
    if (kind % 5 == 4) CHECK(symlink(name_number(NAMES), path) == 0);
    CHECK(lchown(path, SQUATTER, SQUATTER) == 0);
}
static void clear_names(void) {
    for (int i = 0; i < NAMES; i++)
        if (unlink(name_number(i)) != 0) rmdir(name_number(i));
}

static void watch_as_user(void) {
    CHECK(become(USER));
    hear_into("s", S, NULL);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
static int expected;
static void post_as_user(void) {
    CHECK(become(USER));
    if (HeraldHostPost("s") != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
    CHECK(strcmp(HeraldHostGetPath(), name_number(expected)) == 0);
}
/* Two processes of the user meet at the name that is not taken. */
static void meet_at(int number) {
    board->at[S] = board->at[READY] = board->at[STOP] = 0;
    expected = number;
    pid_t watcher = process(watch_as_user);
    EVENTUALLY(board->at[READY] == 1);
    join(process(post_as_user));
    EVENTUALLY(board->at[S] == 1);
    board->at[STOP] = 1;
    join(watcher);
}
static void find_all_taken(void) {
    CHECK(become(USER));
    HeraldHostToken token = 7;
    CHECK(HeraldHostRegisterCheck("s", &token) == HeraldTransportFailed && token == 0);
    CHECK(says("user 54321") && says("HERALD_HOST_DIRECTORY") && says(name_number(0)));
}
HOST_TEST(names_that_another_user_has_taken_are_passed_over) {
    if (!enter_sticky_world()) return;
    for (int kind = 0; kind < 5; kind++) {
        for (int taken = 0; taken < NAMES; taken += 1 + kind % 2 * 6) {
            for (int i = 0; i < taken; i++) squat(i, kind + i % 2);
            meet_at(taken);
            clear_names();
        }
        for (int i = 0; i < NAMES; i++) squat(i, kind);
        join(process(find_all_taken));
        clear_names();
    }
}

/* The file stays where it is when a better name becomes free, and other files next to it are not used. */
HOST_TEST(squatter_that_goes_parts_nobody) {
    if (!enter_sticky_world()) return;
    squat(0, 0);
    squat(1, 2);
    expected = 2;
    pid_t watcher = process(watch_as_user);
    EVENTUALLY(board->at[READY] == 1);
    CHECK(rmdir(name_number(0)) == 0 && unlink(name_number(1)) == 0);
    join(process(post_as_user));
    EVENTUALLY(board->at[S] == 1);
    board->at[STOP] = 1;
    join(watcher);
}

static char runtime_folder[64];
static bool enter_world_of_logins(void) {
    snprintf(runtime_folder, sizeof runtime_folder, "/run/user/%d", USER);
    if (!enter_sticky_world()) return false;
    if (mount("herald-test", "/run", "tmpfs", 0, "mode=0755,size=8m") == 0) return mkdir("/run/user", 0755) == 0;
    skip("no folder may be mounted here");
    return false;
}
static void log_in(void) { CHECK(mkdir(runtime_folder, 0700) == 0 && chown(runtime_folder, USER, USER) == 0); }
static void log_out(void) {
    char path[80];
    snprintf(path, sizeof path, "%s/herald-3", runtime_folder);
    CHECK(unlink(path) == 0 && rmdir(runtime_folder) == 0);
}

/* The user's runtime folder appears at the login. Processes that have begun before sleep in another folder. */
static void watch_before_login(void) {
    let_watcher_sleep(UNTIL_WOKEN);
    watch_as_user();
}
static void post_after_login(void) {
    CHECK(become(USER));
    if (HeraldHostPost("s") != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
    CHECK(strncmp(HeraldHostGetPath(), runtime_folder, strlen(runtime_folder)) == 0);
}
HOST_TEST(watcher_that_began_before_the_login_is_woken) {
    if (!enter_world_of_logins()) return;
    pid_t watcher = process(watch_before_login);
    EVENTUALLY(board->at[READY] == 1);
    if (WATCHERS_SLEEP_AS_THEY_ARE_LET) EVENTUALLY(board->sleeps > 0);
    log_in();
    pass_a_second(); /* a watcher that is woken twice in a second looks once */
    join(process(post_after_login));
    EVENTUALLY(board->at[S] >= 1);
    board->at[STOP] = 1;
    join(watcher);
}

/* After a logout all processes meet again in the folder in which some have begun. The others may take a minute to get
 * there. */
static ino_t shared_number(void) {
    struct stat about;
    return stat(name_number(0), &about) == 0 ? about.st_ino : 0;
}
static void register_as_user(void) {
    HeraldHostToken token;
    CHECK(become(USER));
    CHECK(HeraldHostRegisterCheck("t", &token) == HeraldOK && HeraldHostSetState(token, 7) == HeraldOK);
}
static void send_as_user(void) {
    HeraldMessage message = {.size = sizeof message, .bytes = "m", .length = 1};
    CHECK(become(USER));
    CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of("s"), &message) == HeraldOK);
    board->at[STATUS]++;
}
static void expect_state(void) {
    HeraldHostToken token;
    uint64_t state = 0;
    CHECK(become(USER));
    CHECK(HeraldHostRegisterCheck("t", &token) == HeraldOK);
    CHECK(HeraldHostGetState(token, &state) == HeraldOK && state == 7);
}
static void hear_message(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object;
    if (userInfo) board->at[S]++; /* not the call because of a new file */
}
static void watch_messages_as_user(void) {
    HeraldToken token;
    HeraldObserverOptions options = {.size = sizeof options};
    CHECK(become(USER));
    CHECK(HeraldCenterAddObserverWithOptions(HeraldCenterGetHostCenter(), board, hear_message, name_of("s"), NULL,
                                             &options, &token) == HeraldOK);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
    board->at[MOVED] += (long)HeraldHostGetMissedMessageCount();
}
SLOW_HOST_TEST(messages_after_another_logout_are_heard, "a process looks after its file once a second") {
    if (!enter_world_of_logins()) return;
    join(process(register_as_user)); /* before the login */
    ino_t number = shared_number();
    log_in();
    pid_t watcher = process(watch_messages_as_user);
    EVENTUALLY(board->at[READY] == 1);
    CHECK(number && shared_number() == number);
    for (long logout = 1; logout <= 2; logout++) {
        stop_process(watcher);
        log_out();
        join(process(send_as_user)); /* no other process is there yet */
        CHECK(shared_number() != number);
        number = shared_number();
        join(process(send_as_user));
        join(process(expect_state));
        CHECK(board->at[STATUS] == 2 * logout && shared_number() == number);
        CHECK(kill(watcher, SIGCONT) == 0);
        EVENTUALLY(board->at[S] == 3 * logout - 1);
        log_in();
        join(process(send_as_user)); /* it makes the file in the other folder */
        board->at[STATUS]--;
        EVENTUALLY(board->at[S] == 3 * logout);
        CHECK(shared_number() == number);
    }
    board->at[STOP] = 1;
    join(watcher);
    CHECK(board->at[MOVED] == 0);
}
static void stay_where_nobody_is(void) { /* idle while the user is logged in */
    CHECK(become(USER));
    CHECK(HeraldHostPost("t") == HeraldOK);
    board->at[READY]++;
    EVENTUALLY(board->at[GO] == 1);
    HeraldMessage message = {.size = sizeof message, .bytes = "m", .length = 1};
    CHECK(HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of("s"), &message) == HeraldOK);
    board->at[GO] = 2;
    while (!board->at[STOP]) pause_for(1000);
}
SLOW_HOST_TEST(message_of_one_who_was_never_in_the_other_folder_is_heard,
               "a process looks after its file once a second") {
    if (!enter_world_of_logins()) return;
    pid_t poster = process(stay_where_nobody_is);
    EVENTUALLY(board->at[READY] == 1);
    log_in();
    pid_t watcher = process(watch_messages_as_user);
    EVENTUALLY(board->at[READY] == 2);
    stop_process(watcher);
    log_out();
    pass_a_second();
    board->at[GO] = 1;
    EVENTUALLY(board->at[GO] == 2);
    CHECK(kill(watcher, SIGCONT) == 0);
    EVENTUALLY(board->at[S] == 1);
    board->at[STOP] = 1;
    join(poster);
    join(watcher);
    CHECK(board->at[MOVED] == 0);
}

static ino_t number_of(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? about.st_ino : 0;
}
/* Makes files until the next new file in the folder gets this number; false: the numbers are already beyond it. */
static bool count_up_to(const char *folder, ino_t number) {
    char path[80];
    ino_t last = 0;
    snprintf(path, sizeof path, "%s/number", folder);
    while (last < number - 1) {
        CHECK(close(open(path, O_CREAT | O_RDWR, 0600)) == 0);
        last = number_of(path);
        CHECK(unlink(path) == 0);
    }
    return last == number - 1;
}
static void keep_a_state(void) {
    HeraldHostToken token;
    uint64_t state = 0;
    CHECK(become(USER));
    CHECK(HeraldHostRegisterCheck("t", &token) == HeraldOK && HeraldHostSetState(token, 9) == HeraldOK);
    board->at[READY]++;
    EVENTUALLY(board->at[GO] == 1);
    CHECK(HeraldHostGetState(token, &state) == HeraldOK && state == 9);
}
/* Each file system has numbers of its own. */
HOST_TEST(states_come_along_from_a_file_with_the_same_number) {
    enum { NUMBER = 200 };
    char path[80];
    if (!enter_world_of_logins()) return;
    if (!count_up_to("/dev/shm", NUMBER)) return skip("files have no small numbers here");
    expected = 0;
    join(process(post_as_user));
    log_in();
    /* One file is made to check whether the folder is good. */
    if (!count_up_to(runtime_folder, shared_number() - 1)) return skip("files have no small numbers here");
    pid_t keeper = process(keep_a_state);
    EVENTUALLY(board->at[READY] == 1);
    snprintf(path, sizeof path, "%s/herald-3", runtime_folder);
    bool same = number_of(path) == shared_number();
    log_out();
    pass_a_second();
    board->at[GO] = 1;
    join(keeper);
    if (!same) skip("the files have other numbers");
}
HOST_TEST(file_of_another_folder_in_which_somebody_is_stays) {
    if (!enter_world_of_logins()) return;
    pid_t watcher = process(watch_messages_as_user);
    EVENTUALLY(board->at[READY] == 1);
    ino_t number = shared_number();
    stop_process(watcher);
    log_in();
    join(process(register_as_user));
    log_out();
    join(process(send_as_user));
    CHECK(number && shared_number() == number);
    CHECK(kill(watcher, SIGCONT) == 0);
    EVENTUALLY(board->at[S] == 1);
    end_by(watcher, SIGKILL);
    join(process(send_as_user));
    CHECK(shared_number() != number);
}

static void reset_as_user(void) {
    CHECK(become(USER));
    CHECK(HeraldHostReset() == HeraldOK);
}
HOST_TEST(squatters_beside_the_file_stop_nobody) {
    if (!enter_sticky_world()) return;
    char path[80];
    pid_t watcher = process(watch_as_user);
    EVENTUALLY(board->at[READY] == 1);
    for (int i = 0; i < NAMES; i++) { /* the names for a new file */
        snprintf(path, sizeof path, i ? "%s.new.%d" : "%s.new", name_number(0), i);
        CHECK(mkdir(path, 0777) == 0 && chown(path, SQUATTER, SQUATTER) == 0);
    }
    join(process(reset_as_user));
    snprintf(path, sizeof path, "%s", name_number(0));
    CHECK(link(path, name_number(3)) == 0); /* another name of the same file */
    expected = 0;
    EVENTUALLY(board->at[S] == 1); /* the call because of a new file */
    for (long i = 2; i <= 4; i++) {
        join(process(post_as_user));
        EVENTUALLY(board->at[S] == i);
    }
    board->at[STOP] = 1;
    join(watcher);
}

/* ---- Creators while squatters come and go ------------------------------------------------------------------------ */

enum { PARTY = 4 };
static void come_and_go(void) {
    CHECK(become(SQUATTER));
    while (!board->at[STOP]) {
        for (int i = 0; i < 3; i++) {
            char path[64];
            snprintf(path, sizeof path, "%s", name_number(i));
            if (mkdir(path, 0777) == 0) {
                pause_for((unsigned)(nanoseconds() % 200));
                rmdir(path);
            }
        }
    }
}
static void meet(void) {
    HeraldHostToken token;
    uint64_t posts = 0, sum = 0;
    CHECK(become(USER));
    board->at[READY]++;
    EVENTUALLY(board->at[READY] == PARTY);
    HeraldStatus status = HeraldHostRegisterCheck("meeting", &token);
    if (status != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
    board->at[GO]++;
    EVENTUALLY(board->at[GO] == PARTY);
    for (int i = 0; i < 8; i++) HeraldHostCheck(token, &posts); /* checks whether the file is still the user's */
    board->at[MOVED]++;
    EVENTUALLY(board->at[MOVED] == PARTY);
    CHECK(HeraldHostCheck(token, &posts) == HeraldOK);
    board->at[STATUS]++;
    EVENTUALLY(board->at[STATUS] == PARTY);
    CHECK(HeraldHostPost("meeting") == HeraldOK);
    EVENTUALLY((HeraldHostCheck(token, &posts) == HeraldOK ? sum += posts : 0) >= PARTY);
}
HOST_TEST(creators_meet_while_squatters_come_and_go) {
    if (!enter_sticky_world()) return;
    pid_t squatter = process(come_and_go);
    for (int round = 0; goes_on(round, OFTEN(200)); round++) {
        pid_t party[PARTY];
        board->at[READY] = board->at[GO] = board->at[MOVED] = board->at[STATUS] = 0;
        for (int i = 0; i < PARTY; i++) party[i] = process(meet);
        for (int i = 0; i < PARTY; i++) join(party[i]);
        for (int i = 0; i < NAMES; i++) unlink(name_number(i));
    }
    board->at[STOP] = 1;
    join(squatter);
}

/* ---- One process, another user ----------------------------------------------------------------------------------- */

static void watch_until_stop(void) {
    hear_into("s", S, NULL);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
static void become_another_for_a_while(void) {
    HeraldHostToken token = 0, other = 7;
    CHECK(HeraldHostRegisterCheck("s", &token) == HeraldOK);
    char path[128];
    snprintf(path, sizeof path, "%s", HeraldHostGetPath());
    CHECK(seteuid(SQUATTER) == 0);
    CHECK(HeraldHostRegisterCheck("t", &other) == HeraldTransportFailed && other == 0);
    CHECK(says("was user 0") && says("is user 54321"));
    CHECK(HeraldHostReset() == HeraldTransportFailed && says("was user 0"));
    for (long i = 0; i < 3; i++) { /* it stays in the file that it has mapped */
        CHECK(HeraldHostPost("s") == HeraldOK);
        EVENTUALLY(board->at[S] == i + 1);
        if (i < 2) pass_a_second();
    }
    CHECK(strcmp(HeraldHostGetPath(), path) == 0);
    CHECK(seteuid(0) == 0);
    CHECK(HeraldHostRegisterCheck("t", &other) == HeraldOK && strcmp(HeraldHostGetPath(), path) == 0);
    CHECK(HeraldHostPost("s") == HeraldOK);
    EVENTUALLY(board->at[S] == 4);
    CHECK(seteuid(SQUATTER) == 0 && unlink(host_file) != 0 && seteuid(0) == 0 && unlink(host_file) == 0);
    CHECK(seteuid(SQUATTER) == 0);
    pass_a_second();
    /* This process does not look for a file. But if another process has moved, it would have to move, too. */
    CHECK(HeraldHostPost("s") == HeraldOK || says("was user 0"));
    CHECK(seteuid(0) == 0);
    pass_a_second();
    CHECK(HeraldHostPost("s") == HeraldOK);
    EVENTUALLY(board->at[S] >= 6);
}
SLOW_HOST_TEST(process_that_becomes_another_user_stays_where_it_is, "a process looks after its file once a second") {
    if (geteuid() != 0) {
        skip("only root becomes another user");
        return;
    }
    pid_t watcher = process(watch_until_stop);
    EVENTUALLY(board->at[READY] == 1);
    join(process(become_another_for_a_while));
    board->at[STOP] = 1;
    join(watcher);
}
