/* Processes of the host center are killed, stopped, forked or lose their descriptors: all others go on. */
#include "host.h"
#include <dirent.h>

/* Indexes into the board. */
enum { S, A = 2, READY = 10, STOP, DONE, PAUSE, PAUSED, A_POSTED, POSTED, MARK, OTHER = 20, SOME = 30 };

static void until_stop(void) {
    while (!board->at[STOP]) pause_for(1000);
}

/* ---- Survivors: one posts `s`, and makes sure that each post wakes the other ------------------------------------- */

static pid_t survivors[2];

static void watch_s(void) {
    let_watcher_sleep(UNTIL_WOKEN);
    hear_into("s", S, NULL);
    hear_into("a", A, NULL);
    board->at[READY]++;
    while (board->at[STOP] < 2) pause_for(1000);
}
static void post_s(void) {
    board->at[READY]++;
    for (long posts = 1; !board->at[STOP]; posts++) {
        while ((board->at[PAUSED] = board->at[PAUSE])) pause_for(20);
        post_to_host("s");
        for (uint64_t end = end_of_patience(); board->at[S] < posts && patient_nanoseconds() < end;) pause_for(20);
        char sentence[120];
        snprintf(sentence, sizeof sentence, "%ld posts, %ld heard", posts, (long)board->at[S]);
        if (board->at[S] != posts) {
            check_failed(__FILE__, __LINE__, sentence);
            board->at[STOP] = 1;
            return;
        }
        board->at[DONE]++;
        pause_for(any(200));
    }
}
static void begin_survivors(void) {
    survivors[0] = process(watch_s);
    EVENTUALLY(board->at[READY] == 1);
    survivors[1] = process(post_s);
    EVENTUALLY(board->at[READY] == 2);
}
static void survivors_go_on(void) {
    long done = board->at[DONE];
    EVENTUALLY(board->at[DONE] >= done + 2 || board->at[STOP]); /* the second of them began after this call */
    CHECK(!board->at[STOP]);
}
static void pause_survivors(bool pause) {
    board->at[PAUSE] = pause;
    EVENTUALLY(board->at[PAUSED] == pause || board->at[STOP]);
}
/* The poster ends first: it waits until its last post is heard. */
static void end_survivors(void) {
    board->at[STOP] = 1;
    join(survivors[1]);
    board->at[STOP] = 2;
    join(survivors[0]);
}

/* ---- Posters ----------------------------------------------------------------------------------------------------- */

static void post_a_for_ever(void) {
    for (;;) {
        post_to_host("a");
        board->at[A_POSTED]++;
    }
}
SLOW_HOST_TEST(posters_killed_at_any_instant_cost_nobody_a_post, "two thousand processes are killed") {
    int rounds = 0;
    begin_survivors();
    for (; goes_on(rounds, OFTEN(2000)); rounds++) {
        long posted = board->at[A_POSTED];
        pid_t victim = process(post_a_for_ever);
        /* Every second one ends while it posts; on a slow machine the others may not get so far. */
        if (rounds % 2) EVENTUALLY(board->at[A_POSTED] > posted);
        pause_for(any(500));
        end_by(victim, SIGKILL);
        survivors_go_on();
    }
    EVENTUALLY(board->at[A] >= board->at[A_POSTED]);
    long unsaid = board->at[A] - board->at[A_POSTED]; /* posted, and killed before it could count it */
    CHECK(unsaid <= rounds);
    end_survivors();
}

HOST_TEST(posters_stopped_at_any_instant_delay_nobody) {
    begin_survivors();
    for (int i = 0; i < 100 && !check_has_failed(); i++) {
        pid_t victim = process(post_a_for_ever);
        for (int j = 0; j < 3; j++) {
            pause_for(any(400));
            kill(victim, SIGSTOP);
            waitpid(victim, NULL, WUNTRACED);
            survivors_go_on();
            kill(victim, SIGCONT);
        }
        end_by(victim, SIGKILL);
    }
    EVENTUALLY(board->at[A] >= board->at[A_POSTED]);
    end_survivors();
}

/* Posts once, while the watcher sleeps. The parent traces it. */
static void post_step_by_step(void) {
    for (int i = 0; i < 2; i++) {
        post_to_host("a"); /* the work of first posts */
        pause_for(1000);
    }
    if (!ask_to_be_traced()) return;
    post_to_host("a");
    board->is_over = true;
}
static pid_t begin_post(int *status) {
    pause_survivors(true);
    return begin_steps(post_step_by_step, status);
}
static void kill_in_steps(pid_t victim, bool after_survivors) {
    if (after_survivors) {
        pause_survivors(false);
        survivors_go_on();
    }
    end_by(victim, SIGKILL);
    pause_survivors(false);
    survivors_go_on();
}
/* Stopped or killed at each entry into the kernel and each return, while it wakes a sleeping watcher. */
static int hold_at_calls(void) {
    int status, calls = 0;
    for (int i = 0, more = true; more; i++) {
        pid_t victim = begin_post(&status);
        if ((more = steps(victim, &status, PTRACE_SYSCALL, i / 2))) calls++;
        kill_in_steps(victim, i % 2);
    }
    return calls;
}
SLOW_HOST_TEST(poster_held_at_each_instruction_or_killed_there_delays_nobody,
               "a process for many instructions of a post") {
    if (UNDER_THREAD_SANITIZER) return;
    enum { STRIDE = UNDER_ADDRESS_SANITIZER ? 90 : 9 }; /* most instructions are the sanitizer's */
    int status, instructions = 0, calls = 0;
    begin_survivors();
    pid_t victim = begin_post(&status);
    pause_survivors(false);
    for (; steps(victim, &status, PTRACE_SINGLESTEP, 1); instructions++)
        if (instructions % (STRIDE / 9) == 0) survivors_go_on();
    kill_in_steps(victim, false);
    bool traced = !board->is_untraced;
    if (traced) EVENTUALLY((calls = hold_at_calls()) >= 4 || check_has_failed()); /* the watcher may not sleep yet */
    bool more = traced;
    for (int i = (int)any(STRIDE); more; i += STRIDE) {
        victim = begin_post(&status);
        more = steps(victim, &status, PTRACE_SINGLESTEP, i);
        kill_in_steps(victim, false);
    }
    if (!traced) skip("no process may be traced here");
    CHECK(!traced || instructions > 50);
    end_survivors();
}

/* ---- Watchers ---------------------------------------------------------------------------------------------------- */

static char victims_name[16];
static void watch_for_ever(void) {
    for (;;) {
        HeraldToken token, other;
        hear_into(victims_name, OTHER, &token);
        hear_into("victims.all", OTHER, &other);
        for (int i = 0; i < 3; i++) post_to_host(victims_name);
        HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), token);
        HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), other);
    }
}
static void watch_probe(void) {
    hear_into("probe", SOME, NULL);
    board->at[MARK]++;
    until_stop();
}
HOST_TEST(watchers_killed_at_any_instant_are_counted_no_more) {
    begin_survivors();
    for (int i = 0; goes_on(i, OFTEN(500)); i++) {
        snprintf(victims_name, sizeof victims_name, "victims.%d", i % 8);
        pid_t victim = process(watch_for_ever);
        pause_for(any(1000));
        end_by(victim, SIGKILL);
        CHECK(watchers_of("victims.") == 0);
        if (i % 4) continue;
        long before = board->at[MARK];
        pid_t probe = process(watch_probe); /* sooner or later it gets a victim's channel */
        EVENTUALLY(board->at[MARK] == before + 1);
        CHECK(watchers_of("victims.") == 0 && watchers_of("probe") == 1 && watchers_of("s") == 1);
        long heard = board->at[SOME];
        post_to_host("probe");
        EVENTUALLY(board->at[SOME] == heard + 1);
        end_by(probe, SIGKILL);
        survivors_go_on();
    }
    CHECK(watchers_of("") == 2);
    end_survivors();
}

static void outlive(void) {
    board->at[READY]++;
    until_stop();
}
static void watch_and_fork(void) {
    hear_into("a", S, NULL);
    process(outlive);
    for (;;) pause_for(1000000);
}
HOST_TEST(watcher_killed_before_its_child_is_counted_no_more) {
    pid_t watcher = process(watch_and_fork);
    EVENTUALLY(board->at[READY] == 1);
    CHECK(watchers_of("a") == 1);
    end_by(watcher, SIGKILL);
    CHECK(watchers_of("a") == 0);
    board->at[STOP] = 1;
}

static void watch_in_crowd(void) {
    let_watcher_sleep(UNTIL_WOKEN);
    hear_into("crowd", S, NULL);
    board->at[READY]++;
    for (;;) pause_for(1000000);
}
HOST_TEST(wakes_300_processes_by_one_post) {
    enum { CROWD = 300 };
    pid_t crowd[CROWD];
    for (int i = 0; i < CROWD; i++) crowd[i] = process(watch_in_crowd);
    EVENTUALLY(board->at[READY] == CROWD);
    CHECK(watchers_of("crowd") == CROWD);
    for (long i = 1; i <= 3; i++) {
        pause_for(50000); /* most of them sleep */
        post_to_host("crowd");
        EVENTUALLY(board->at[S + 1] >= i * CROWD);
    }
    for (int i = 0; i < CROWD; i++) end_by(crowd[i], SIGKILL);
    CHECK(watchers_of("crowd") == 0 && board->at[S] >= 3 * CROWD);
    crowd[0] = process(watch_in_crowd);
    EVENTUALLY(board->at[READY] == CROWD + 1);
    long heard = board->at[S];
    post_to_host("crowd");
    EVENTUALLY(board->at[S] > heard);
    CHECK(watchers_of("crowd") == 1);
    end_by(crowd[0], SIGKILL);
}

/* ---- Making the file --------------------------------------------------------------------------------------------- */

static int files_in_folder(void) {
    int count = 0;
    DIR *folder = opendir(host_folder);
    CHECK(folder != NULL);
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count - 2;
}
static void create(void) {
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldOK);
    board->at[MARK]++;
}
HOST_TEST(creators_killed_at_any_instant_leave_the_whole_file_or_nothing) {
    for (int i = 0; goes_on(i, OFTEN(1000)); i++) {
        unlink(host_file);
        pid_t victim = process(create);
        pause_for(any(350));
        end_by(victim, SIGKILL);
        CHECK(files_in_folder() == (access(host_file, F_OK) == 0));
        long before = board->at[MARK];
        join(process(create));
        CHECK(board->at[MARK] == before + 1 && files_in_folder() == 1 && access(host_file, F_OK) == 0);
    }
}

static long party;
static void meet(void) {
    HeraldHostToken token;
    uint64_t posts;
    board->at[READY]++;
    EVENTUALLY(board->at[READY] == party);
    CHECK(HeraldHostRegisterCheck("meeting", &token) == HeraldOK);
    board->at[MARK]++;
    EVENTUALLY(board->at[MARK] == party);
    post_to_host("meeting");
    board->at[POSTED]++;
    EVENTUALLY(board->at[POSTED] == party);
    CHECK(HeraldHostCheck(token, &posts) == HeraldOK && posts == (uint64_t)party + 1);
}
static void meet_often(long number, int rounds) {
    pid_t crowd[20];
    party = number;
    for (int round = 0; round < rounds; round++) {
        unlink(host_file);
        board->at[READY] = board->at[MARK] = board->at[POSTED] = 0;
        for (int i = 0; i < number; i++) crowd[i] = process(meet);
        for (int i = 0; i < number; i++) join(crowd[i]);
        CHECK(files_in_folder() == 1);
    }
}
SLOW_HOST_TEST(creators_at_once_meet_in_one_file, "four thousand processes") {
    meet_often(2, OFTEN(200));
    meet_often(20, OFTEN(200));
}

/* ---- Descriptors ------------------------------------------------------------------------------------------------- */

enum { STRANGERS = 12 };
static bool with_strangers, with_token;

static int stranger(int *strangers, int i) {
    char path[160];
    snprintf(path, sizeof path, "%s/stranger.%d", host_folder, i);
    strangers[i] = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    return strangers[i] >= 0 && write(strangers[i], "mine", 4) == 4;
}
static void watch_robbed(void) {
    int strangers[STRANGERS], descriptor;
    HeraldHostToken token = 0;
    let_watcher_sleep(UNTIL_WOKEN);
    hear_into("a", S, NULL);
    if (with_token) CHECK(HeraldHostRegisterFileDescriptor("a", false, &descriptor, &token) == HeraldOK);
    for (int i = 3; i < 1024; i++) close(i);
    for (int i = 0; with_strangers && i < STRANGERS; i++) CHECK(stranger(strangers, i));
    board->at[READY]++;
    until_stop();
    if (with_token) CHECK(HeraldHostCancel(token) == HeraldOK);
    for (int i = 0; with_strangers && i < STRANGERS; i++) {
        char text[8] = "";
        CHECK(fcntl(strangers[i], F_GETFD) == 0 && pread(strangers[i], text, 8, 0) == 4 && !strcmp(text, "mine"));
    }
}
static void rob(void) {
    pid_t watcher = process(watch_robbed);
    EVENTUALLY(board->at[READY] == 1);
    for (long i = 1; i <= 4; i++) {
        post_to_host("a");
        EVENTUALLY(board->at[S] == i);
        if (i > 1) pass_a_second(); /* when it is woken in another second, it checks its file */
    }
    CHECK(watchers_of("a") == 1);
    /* One of them gets any free channel. Under the thread sanitizer they take half a minute, and it sees the watcher's
     * threads alone. */
    pid_t crowd[UNDER_THREAD_SANITIZER ? 1 : 255];
    const int others = sizeof crowd / sizeof *crowd;
    for (int i = 0; i < others; i++) crowd[i] = process(watch_in_crowd);
    EVENTUALLY(board->at[READY] == 1 + others);
    for (long i = 5; i <= 7; i++) {
        post_to_host("a");
        EVENTUALLY(board->at[S] == i);
    }
    for (int i = 0; i < others; i++) end_by(crowd[i], SIGKILL);
    unlink(host_file);
    EVENTUALLY((post_to_host("a"), board->at[S] > 10));
    board->at[STOP] = 1;
    join(watcher);
}
SLOW_HOST_TEST(watcher_whose_descriptors_are_closed_still_hears, "a process looks after its file once a second") {
    rob();
}
SLOW_HOST_TEST(watcher_whose_descriptors_have_become_others_harms_none,
               "a process looks after its file once a second") {
    if (UNDER_THREAD_SANITIZER) return; /* it takes a number that is used again for a race */
    with_strangers = true;
    rob();
}
HOST_TEST(token_whose_descriptor_has_become_anothers_harms_none) {
    if (UNDER_THREAD_SANITIZER) return; /* it takes a number that is used again for a race */
    with_strangers = with_token = true;
    pid_t watcher = process(watch_robbed);
    EVENTUALLY(board->at[READY] == 1);
    post_to_host("a");
    EVENTUALLY(board->at[S] == 1);
    board->at[STOP] = 1;
    join(watcher);
}

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

static void *register_and_post(void *number) {
    char name[32];
    for (int i = 0; !board->at[STOP]; i++) {
        snprintf(name, sizeof name, "busy.%d.%d", (int)(intptr_t)number, i / 64); /* sometimes a new name */
        HeraldToken token;
        HeraldHostToken check;
        uint64_t posts;
        hear_into(name, OTHER, &token);
        CHECK(HeraldHostRegisterCheck(name, &check) == HeraldOK);
        post_to_host(name);
        CHECK(HeraldHostCheck(check, &posts) == HeraldOK && posts >= 2);
        CHECK(HeraldHostCancel(check) == HeraldOK);
        HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), token);
        board->at[DONE]++;
    }
    return NULL;
}
static void go_on_after_fork(void) {
    HeraldHostToken check;
    uint64_t posts;
    alarm(WATCHDOG);
    long heard = board->at[SOME];
    post_to_host("a");
    CHECK(HeraldHostRegisterCheck("child", &check) == HeraldOK);
    hear_into("child", SOME, NULL);
    post_to_host("child");
    CHECK(HeraldHostCheck(check, &posts) == HeraldOK && posts >= 2);
    EVENTUALLY(board->at[SOME] > heard);
}
HOST_TEST(fork_while_other_threads_register_and_post) {
    if (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER) return;
    pthread_t threads[2];
    alarm(WATCHDOG);
    hear_into("a", A, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, register_and_post, (void *)(intptr_t)i);
    for (int i = 0; i < 200; i++) {
        long done = board->at[DONE], heard = board->at[A];
        join(process(go_on_after_fork));
        EVENTUALLY(board->at[DONE] > done + 2 && board->at[A] > heard);
    }
    board->at[STOP] = 1;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
