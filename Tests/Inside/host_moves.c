/* Renewals of the host center's file while it is in use: by processes that are killed or stopped at any step, by
 * several at once, and with processes that hold all its locks. */
#include "../../CSources/CHeraldHost/src/session.h"
#include "file.h"
#include <glob.h>
#include <herald/message.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { S, QUIET = 2, READY = 10, STOP, MARK, STATE, POSTED, HELD, SENT, HEARD, LOST, KEPT };

/* ---- The survivors ----------------------------------------------------------------------------------------------- */

enum { SURVIVORS = 5 };
static pid_t survivors[SURVIVORS];
static enum sleep watcher_sleeps; /* of the survivors */

static void hear_message(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                         const void *userInfo) {
    (void)center, (void)name, (void)object;
    const HeraldMessage *message = userInfo;
    atomic_long number;
    if (!message) return; /* a call without a post, in another file */
    memcpy(&number, message->bytes, sizeof number);
    CHECK(observer == board && number == board->at[HEARD] + (long)message->missed + 1);
    board->at[HEARD] = number;
}
static void watch_s(void) {
    let_watcher_sleep(watcher_sleeps);
    hear_into("s", S, NULL);
    hear_into("quiet", QUIET, NULL);
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), board, hear_message, name_of("m"), NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    board->at[READY]++;
    for (; board->at[STOP] < 2; pause_for(1000)) board->at[LOST] = (long)HeraldHostGetMissedMessageCount();
}
/* Each post is heard. */
static void post_s(void) {
    board->at[READY]++;
    while (!board->at[STOP]) {
        long heard = board->at[S + 1];
        post_to_host("s");
        for (uint64_t end = end_of_patience(); board->at[S + 1] == heard && patient_nanoseconds() < end;) pause_for(20);
        if (board->at[S + 1] == heard) {
            check_failed(__FILE__, __LINE__, "a post was not heard");
            board->at[STOP] = 1;
            return;
        }
        board->at[POSTED]++;
        pause_for(any(200));
    }
}
/* Each message is accepted during renewals, and heard once, in order, or counted. */
static void send_m(void) {
    board->at[READY]++;
    for (long number = 1; !board->at[STOP]; number++) {
        long lost = board->at[LOST];
        HeraldMessage message = {.size = sizeof message, .bytes = &number, .length = sizeof number};
        if (HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of("m"), &message) != HeraldOK)
            check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
        board->at[SENT] = number;
        EVENTUALLY(board->at[HEARD] == number || board->at[LOST] > lost);
        if (check_has_failed()) board->at[STOP] = 1;
        pause_for(any(200));
    }
}
/* A state that was set stays set. */
static void set_state(void) {
    HeraldHostToken token;
    uint64_t state = 0;
    CHECK(HeraldHostRegisterCheck("state", &token) == HeraldOK);
    board->at[READY]++;
    for (long value = 1; !board->at[STOP]; value++) {
        HeraldStatus status = HeraldHostSetState(token, (uint64_t)value);
        if (status != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
        board->at[STATE] = value;
        pause_for(any(100));
        CHECK(HeraldHostGetState(token, &state) == HeraldOK && state == (uint64_t)value);
        while (board->at[HELD] == 1 && !board->at[STOP]) board->at[MARK] = value;
    }
}
static void read_number(void *number, const void *userInfo, const void *tag) {
    (void)tag;
    const HeraldMessage *message = userInfo;
    if (message->length == sizeof(long)) memcpy(number, message->bytes, sizeof(long));
}
static long kept_number(void) {
    long number = 0;
    HeraldCenterTakeKept(HeraldCenterGetHostCenter(), name_of("kept"), NULL, read_number, &number);
    return number;
}
/* What was kept is taken. While a message waits for a watcher that is held up, nothing fills the log behind it. */
static void keep_k(void) {
    board->at[READY]++;
    for (long number = 1; !board->at[STOP]; number++) {
        while (board->at[SENT] > board->at[HEARD] && !board->at[STOP]) pause_for(20);
        HeraldMessage message = {
            .size = sizeof message, .bytes = &number, .length = sizeof number, .options = HeraldPostKeep};
        if (HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of("kept"), &message) != HeraldOK)
            check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
        board->at[KEPT] = number;
        CHECK(kept_number() == number);
        if (check_has_failed()) board->at[STOP] = 1;
        pause_for(any(200));
    }
}
static void begin_survivors(void) {
    void (*const functions[SURVIVORS])(void) = {watch_s, post_s, send_m, set_state, keep_k};
    for (long i = 0; i < SURVIVORS; i++) {
        survivors[i] = process(functions[i]);
        EVENTUALLY(board->at[READY] == i + 1);
    }
}
static void find_state(void) { /* in a process that comes now */
    HeraldHostToken token;
    long kept = board->at[KEPT];
    EVENTUALLY(kept_number() >= kept); /* if a file was removed, those who come from there bring it */
    uint64_t state = 0, end = end_of_patience();
    CHECK(HeraldHostRegisterCheck("state", &token) == HeraldOK);
    do { /* if a mover was killed at its last step, the others move at their next look */
        CHECK(HeraldHostGetState(token, &state) == HeraldOK);
    } while (state != (uint64_t)board->at[STATE] && patient_nanoseconds() < end);
    char sentence[80];
    snprintf(sentence, sizeof sentence, "set %ld, found %ld", (long)board->at[STATE], (long)state);
    if (state != (uint64_t)board->at[STATE]) check_failed(__FILE__, __LINE__, sentence);
}
/* Until the watcher is in the file of now. Called in a process that comes for it. */
static void await_watcher(void) { EVENTUALLY(watchers_of("m") == 1); }
static void posts_go_on(void) {
    long posted = board->at[POSTED], sent = board->at[SENT], state = board->at[STATE], kept = board->at[KEPT];
    EVENTUALLY((board->at[POSTED] >= posted + 2 && board->at[SENT] >= sent + 2 && board->at[STATE] >= state + 2 &&
                board->at[KEPT] >= kept + 2) ||
               board->at[STOP]);
    CHECK(!board->at[STOP]);
}
static void survivors_go_on(void) {
    posts_go_on();
    board->at[HELD] = 1;
    EVENTUALLY(board->at[MARK] == board->at[STATE]);
    join(process(find_state));
    board->at[HELD] = 0;
}
static void end_survivors(void) {
    board->at[STOP] = 1;
    for (int i = 1; i < SURVIVORS; i++) join(survivors[i]);
    board->at[STOP] = 2;
    join(survivors[0]);
}

/* Whether a mover's new file, or one that it has left, has a name next to the old one. */
static bool is_named_beside(void) {
    char pattern[160], *slash;
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s.new*", host_file);
    slash = strrchr(pattern, '/');
    bool is = slash && glob(pattern, 0, NULL, &found) == 0;
    if (is) globfree(&found);
    return is;
}

/* ---- Movers ------------------------------------------------------------------------------------------------------ */

static void reset(void) {
    HeraldStatus status = HeraldHostReset();
    if (status != HeraldOK) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
}
HOST_TEST(reset_makes_the_file_anew_and_all_go_on) {
    watcher_sleeps = UNTIL_WOKEN;
    begin_survivors();
    for (int i = 0; i < 20 && !check_has_failed(); i++) {
        ino_t before = file_number();
        long quiet = board->at[QUIET + 1];
        struct herald_host_header *old = map_file();
        join(process(reset));
        CHECK(file_number() != before);
        CHECK(old->superseded == HERALD_HOST_LEFT); /* all are woken, and none has to look */
        munmap(old, HERALD_HOST_LOG_AT);
        EVENTUALLY(board->at[QUIET + 1] == quiet + 1); /* once, because of the move: it is not posted */
        survivors_go_on();
        CHECK(board->at[QUIET + 1] == quiet + 1);
    }
    end_survivors();
}

static void reset_often(void) {
    for (int i = 0; i < 100; i++)
        if (HeraldHostReset() != HeraldOK && !says("try again"))
            check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
}
HOST_TEST(movers_at_once_lose_nothing) {
    begin_survivors();
    pid_t movers[3];
    for (int i = 0; i < 3; i++) movers[i] = process(reset_often);
    for (int i = 0; i < 3; i++) join(movers[i]);
    survivors_go_on();
    end_survivors();
    CHECK(access(host_file, F_OK) == 0);
}

/* The parent traces it from system call to system call. */
static void reset_step_by_step(void) {
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldOK);
    if (!ask_to_be_traced()) return;
    reset();
}
/* A mover after so many entries into the kernel and returns from it, and then so many instructions. */
static pid_t begin_mover(int *status, int calls, int instructions) {
    pid_t victim = begin_steps(reset_step_by_step, status);
    if (steps(victim, status, PTRACE_SYSCALL, calls)) steps(victim, status, PTRACE_SINGLESTEP, instructions);
    return victim;
}
/* How far a mover has come, as others can see it. */
enum phase { NOTHING_DONE, NAMED, RETIRED, RENAMED, WOKEN, PHASES };
static enum phase phase_of(const struct herald_host_header *old, ino_t number) {
    if (old->superseded == HERALD_HOST_LEFT) return WOKEN;
    if (file_number() != number) return RENAMED;
    if (old->superseded) return RETIRED;
    return is_named_beside() ? NAMED : NOTHING_DONE;
}
/* Stopped after each system call: all others go on, and renew the file themselves if they have to. Then it is killed,
 * or continues late, and its end disturbs no process. */
static int stop_after_each_call(bool kills, bool seen[PHASES]) {
    int status, calls = 0;
    for (bool more = true; more && !check_has_failed(); calls++) {
        struct herald_host_header *old = map_file();
        ino_t number = file_number();
        pid_t victim = begin_mover(&status, calls, 0);
        more = WIFSTOPPED(status);
        seen[phase_of(old, number)] = true;
        munmap(old, HERALD_HOST_LOG_AT);
        if (more) posts_go_on();
        if (kills || !more) {
            end_by(victim, SIGKILL);
        } else {
            let_go(victim);
        }
        join(process(await_watcher)); /* else the next file may come and go before the watcher is in this one */
        if (calls % 4 == 0) survivors_go_on();
        CHECK(access(host_file, F_OK) == 0);
    }
    survivors_go_on();
    return calls;
}
static void stop_movers(bool kills) {
    bool seen[PHASES] = {false};
    if (UNDER_THREAD_SANITIZER) return;
    begin_survivors();
    stay_on_one_processor();
    int calls = stop_after_each_call(kills, seen);
    end_survivors();
    if (calls == 1) {
        skip("no process may be traced here");
        return;
    }
    CHECK(board->at[LOST] == 0); /* no file came and went before the watcher was in it */
    CHECK(calls > 20 && seen[NOTHING_DONE] && seen[NAMED] && seen[RETIRED] && seen[RENAMED] && seen[WOKEN]);
    CHECK(!is_named_beside()); /* nothing is left */
}
SLOW_HOST_TEST(mover_stopped_at_any_step_and_killed_keeps_nobody_from_messages, "a process for each call of a move") {
    stop_movers(true);
}
SLOW_HOST_TEST(mover_stopped_at_any_step_that_goes_on_later_changes_nothing, "a process for each call of a move") {
    stop_movers(false);
}
enum { STRIDE = 1499, ANYWHERE = 4 };
/* Killed somewhere after each system call. */
static int kill_behind_calls(void) {
    int status, calls = 0;
    pid_t mover = begin_mover(&status, 0, 0);
    if (!WIFSTOPPED(status)) return 0;
    for (; steps(mover, &status, PTRACE_SYSCALL, 1);) calls++;
    for (int at = 0; at < calls && !check_has_failed(); at += 2) {
        pid_t victim = begin_mover(&status, at, (int)any(STRIDE));
        end_by(victim, SIGKILL);
        if (at % 8 == 0) survivors_go_on();
    }
    return calls;
}
/* Most instructions copy the table. */
static int stop_between_instructions(void) {
    int status, instructions = 0;
    pid_t mover = begin_mover(&status, 0, 0);
    for (; steps(mover, &status, PTRACE_SINGLESTEP, 1); instructions++)
        if (instructions % STRIDE == 0) posts_go_on(); /* while it is stopped there */
    for (int i = 0; i < ANYWHERE; i++) {
        pid_t victim = begin_mover(&status, 0, (int)any((unsigned)instructions));
        end_by(victim, SIGKILL);
        survivors_go_on();
    }
    return instructions;
}
SLOW_HOST_TEST(mover_killed_or_stopped_between_its_calls_costs_nobody_anything,
               "a process for many instructions of a move") {
    if (UNDER_THREAD_SANITIZER) return;
    begin_survivors();
    stay_on_one_processor();
    int calls = kill_behind_calls();
    /* Under the sanitizer most instructions are the sanitizer's. */
    if (calls && !UNDER_ADDRESS_SANITIZER) CHECK(stop_between_instructions() > 10 * STRIDE);
    join(process(reset)); /* files that the killed movers have left disturb no process */
    survivors_go_on();
    if (!calls) skip("no process may be traced here");
    CHECK(!calls || calls > 20);
    end_survivors();
}

/* A process that finds no file makes one. Stopped after any call it keeps no other from making one; killed, it leaves
 * nothing.
 */
static void make_step_by_step(void) {
    HeraldHostToken token;
    if (!ask_to_be_traced()) return;
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldOK);
}
static void meet_elsewhere(void) {
    HeraldHostToken token;
    uint64_t posts = 0;
    CHECK(HeraldHostRegisterCheck("meeting", &token) == HeraldOK && HeraldHostCheck(token, &posts) == HeraldOK);
    board->at[MARK] = 1;
    EVENTUALLY(board->at[MARK] == 2);
    EVENTUALLY(HeraldHostCheck(token, &posts) == HeraldOK && posts >= 1);
}
static void post_meeting(void) {
    CHECK(HeraldHostPost("meeting") == HeraldOK);
    board->at[MARK] = 2;
}
static void expect_a_meeting(void) {
    board->at[MARK] = 0;
    pid_t waiter = process(meet_elsewhere);
    EVENTUALLY(board->at[MARK] == 1);
    join(process(post_meeting));
    join(waiter);
}
static int files_in_folder(void) {
    char pattern[160];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", host_folder);
    if (glob(pattern, 0, NULL, &found) != 0) return 0;
    int count = (int)found.gl_pathc;
    globfree(&found);
    return count;
}
SLOW_HOST_TEST(maker_killed_or_stopped_at_any_step_keeps_nobody_from_making_the_file,
               "processes for each call of a maker") {
    if (UNDER_THREAD_SANITIZER) return;
    int calls = 0, status;
    for (bool more = true; more && !check_has_failed(); calls++) {
        unlink(host_file);
        pid_t maker = begin_steps(make_step_by_step, &status);
        more = steps(maker, &status, PTRACE_SYSCALL, calls);
        expect_a_meeting();
        if (any(2) || !more) {
            end_by(maker, SIGKILL);
        } else {
            let_go(maker);
        }
        expect_a_meeting();
        CHECK(access(host_file, F_OK) == 0 && files_in_folder() == 1);
    }
    if (calls == 1) skip("no process may be traced here");
    CHECK(calls == 1 || calls > 20);
}

/* Another program truncates the new file while a mover fills it. This kills no process. A mover whose file was cut
 * waits and tries again, hundreds of times. So for each mover some files are cut, and the next one is left as it is. */
enum { CUTS = 40 };
static void cut_names_beside(void) {
    char pattern[160];
    snprintf(pattern, sizeof pattern, "%s.new*", host_file);
    board->at[READY]++;
    while (!board->at[STOP]) {
        glob_t found;
        if (board->at[HELD] >= board->at[MARK]) continue;
        if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0) continue;
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (truncate(found.gl_pathv[i], 0) == 0) board->at[HELD]++;
        globfree(&found);
    }
}
static void try_to_reset(void) { HeraldHostReset(); }
HOST_TEST(new_file_that_is_cut_short_kills_no_mover) {
    if (UNDER_THREAD_SANITIZER) return;
    HeraldHostToken token;
    for (int i = 0; i < 500; i++) { /* many states to carry */
        char name[32];
        snprintf(name, sizeof name, "state.%d", i);
        CHECK(HeraldHostRegisterCheck(name, &token) == HeraldOK && HeraldHostSetState(token, 1) == HeraldOK);
    }
    pid_t cutter = process(cut_names_beside);
    EVENTUALLY(board->at[READY] == 1);
    while (board->at[HELD] < 20 * CUTS && !check_has_failed()) {
        board->at[MARK] = board->at[HELD] + CUTS;
        join(process(try_to_reset));
    }
    board->at[STOP] = 1;
    join(cutter);
    join(process(reset)); /* even if the last file was truncated */
    CHECK(HeraldHostPost("a") == HeraldOK);
}

HOST_TEST(damaged_file_is_made_anew_by_reset) {
    HeraldHostToken token;
    int file = open(host_file, O_RDWR | O_CREAT | O_EXCL, 0644);
    CHECK(file >= 0 && write(file, "no file of Herald's", 19) == 19 && close(file) == 0);
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldTransportFailed && says(host_file));
    reset();
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldOK);
    CHECK(unlink(host_file) == 0 && symlink("/dev/null", host_file) == 0);
    join(process(reset));
    CHECK(HeraldHostRegisterCheck("b", &token) == HeraldOK);
    CHECK(unlink(host_file) == 0 && mkdir(host_file, 0700) == 0);
    CHECK(HeraldHostReset() == HeraldTransportFailed && says(host_file)); /* it may not remove a folder */
    CHECK(rmdir(host_file) == 0);
    reset();
    CHECK(HeraldHostRegisterCheck("c", &token) == HeraldOK);
}

HOST_TEST(reset_that_fails_changes_nothing) {
    struct rlimit limit, before_this;
    begin_survivors();
    ino_t before = file_number();
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    before_this = limit;
    limit.rlim_cur = 1000;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    for (int i = 0; i < 3; i++) CHECK(HeraldHostReset() == HeraldTransportFailed && says("File too large"));
    CHECK(setrlimit(RLIMIT_FSIZE, &before_this) == 0);
    survivors_go_on();
    CHECK(file_number() == before && board->at[QUIET + 1] == 0 && !is_named_beside());
    join(process(reset)); /* the failed attempts have left no lock taken, in this process */
    CHECK(file_number() != before);
    survivors_go_on();
    end_survivors();
}

/* The names of new files cannot be taken in advance: they are random. Other files next to the file stay, the user's own
 * are removed. */
HOST_TEST(names_beside_are_in_nobodys_way) {
    char path[160];
    begin_survivors();
    for (int i = 0; i < 9; i++) {
        snprintf(path, sizeof path, i ? "%s.new.%d" : "%s.new", host_file, i);
        CHECK(mkdir(path, 0700) == 0);
    }
    snprintf(path, sizeof path, "%s.new.dead", host_file);
    CHECK(close(open(path, O_RDWR | O_CREAT | O_EXCL, 0600)) == 0);
    snprintf(path, sizeof path, "%s.new.other", host_file);
    bool root = geteuid() == 0;
    CHECK(close(open(path, O_RDWR | O_CREAT | O_EXCL, 0600)) == 0 && (!root || chown(path, 1, 1) == 0));
    ino_t before = file_number();
    join(process(reset));
    CHECK(file_number() != before);
    snprintf(path, sizeof path, "%s.new.dead", host_file);
    CHECK(access(path, F_OK) != 0);
    snprintf(path, sizeof path, "%s.new.3", host_file);
    CHECK(access(path, F_OK) == 0);
    survivors_go_on();
    end_survivors();
}

/* A superseded file is never used again: also when it comes back to its place, or comes with the mark. */
HOST_TEST(retired_file_that_comes_back_is_replaced) {
    char away[160];
    snprintf(away, sizeof away, "%s/away", host_folder);
    begin_survivors();
    CHECK(rename(host_file, away) == 0);
    ino_t old = file_number();
    long quiet = board->at[QUIET + 1];
    EVENTUALLY(board->at[QUIET + 1] > quiet);
    survivors_go_on(); /* all have left it */
    CHECK(rename(away, host_file) == 0);
    survivors_go_on();
    EVENTUALLY(file_number() && file_number() != old);
    survivors_go_on();
    end_survivors();
}

static long address_space(void) {
    char text[64] = "";
    int file = open("/proc/self/statm", O_RDONLY);
    CHECK(read(file, text, sizeof text - 1) > 0);
    close(file);
    return atol(text) * 4096;
}
HOST_TEST(removed_files_leave_no_address_space) {
    HeraldToken token;
    hear_into("s", S, &token);
    for (int i = 0; i < 2; i++) reset();
    long before = address_space();
    for (int i = 0; i < 50; i++) {
        long heard = board->at[S + 1];
        reset();
        EVENTUALLY(board->at[S + 1] > heard);
        post_to_host("s");
    }
    CHECK(address_space() - before < 300 << 20); /* each maps 57 MB; a thread may have its heap by now */
}

/* ---- Locks that others hold -------------------------------------------------------------------------------------- */

static _Atomic bool is_locked, may_unlock;
static void *hold_session(void *unused) {
    herald_host_session_lock();
    is_locked = true;
    while (!may_unlock) pause_for(1000);
    herald_host_session_unlock();
    return unused;
}
SLOW_HOST_TEST(poster_never_waits_for_the_lock, "posts over some looks, of one a second") {
    pid_t watcher = process(watch_s);
    pthread_t holder;
    EVENTUALLY(board->at[READY] == 1);
    HeraldNameRef known = name_of("s");
    HeraldCenterPostNotification(HeraldCenterGetHostCenter(), known, NULL, NULL, false);
    EVENTUALLY(board->at[S + 1] == 1);
    pthread_create(&holder, NULL, hold_session, NULL);
    while (!is_locked) pause_for(100);
    for (int i = 0; i < 3; i++) { /* in three seconds, in each of which a process cannot look */
        pass_a_second();
        long heard = board->at[S + 1], waited = waits();
        HeraldCenterPostNotification(HeraldCenterGetHostCenter(), known, NULL, NULL, false);
        CHECK(waits() == waited);
        EVENTUALLY(board->at[S + 1] > heard);
        if (i == 1) post_to_host("quiet"); /* a name that the process has not posted yet */
        CHECK(HeraldHostPost("another") == HeraldOK);
    }
    EVENTUALLY(board->at[QUIET + 1] == 1);
    unlink(host_file);
    pass_a_second();
    long heard = board->at[S + 1];
    post_to_host("s"); /* into the old file, if no process has looked; and again when this process moves */
    may_unlock = true;
    pthread_join(holder, NULL);
    EVENTUALLY(board->at[S + 1] > heard);
    board->at[STOP] = 2;
    join(watcher);
}

/* A write to the file waits for a page that no handler brings. In this time it holds the lock of the file's inode. */
static bool hold_inode(void) {
    int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    struct uffdio_api api = {.api = UFFD_API};
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register range = {.range = {(uintptr_t)page, 4096}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    int file = open(host_file, O_RDWR | O_CLOEXEC);
    if (faults < 0 || file < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &range))
        return false;
    board->at[HELD] = 1;
    ssize_t written = pwrite(file, page, 1, 3000);
    (void)written;
    return true;
}
static void hold_inode_until_killed(void) {
    if (!hold_inode()) board->at[HELD] = 2;
}
/* Locks all bytes that a process may want to lock. */
static void hold_bytes_until_killed(void) {
    int file = open(host_file, O_RDWR | O_CLOEXEC);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    int found = -1;
    for (int i = 0; i < HERALD_HOST_CHANNELS && found; i++) { /* all that are free */
        struct flock one = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = i, .l_len = 1};
        fcntl(file, F_OFD_SETLK, &one);
        lock.l_start = i + 1;
    }
    fcntl(file, F_OFD_SETLK, &lock);
    board->at[HELD] = 1;
    for (;;) pause_for(1000000);
}
static void go_on_beside(void (*holder)(void), bool may_observe) {
    HeraldHostToken token;
    char name[32];
    pid_t watcher = process(watch_s);
    EVENTUALLY(board->at[READY] == 1);
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldOK);
    pid_t victim = process(holder);
    EVENTUALLY(board->at[HELD] != 0);
    if (board->at[HELD] == 2) {
        skip("no faults may be handled here");
    } else {
        pause_for(100000);            /* the holder of the inode's lock has come to the page */
        for (int i = 0; i < 3; i++) { /* each with a look */
            pass_a_second();
            for (int j = 0; j < 10; j++) {
                long heard = board->at[S + 1], waited = waits();
                post_to_host("s");
                CHECK(waits() == waited);
                EVENTUALLY(board->at[S + 1] > heard);
            }
        }
        for (int i = 0; i < 3000; i++) { /* the table grows */
            snprintf(name, sizeof name, "grown.%d", i);
            CHECK(HeraldHostRegisterCheck(name, &token) == HeraldOK);
        }
        HeraldCenterRef host = HeraldCenterGetHostCenter();
        static struct listener listener;
        HeraldStatus status =
            HeraldCenterAddObserver(host, &listener, listener_hear, name_of("x"), NULL, HeraldSuspensionDrop);
        CHECK(status == (may_observe ? HeraldOK : HeraldTransportFailed) && (may_observe || says("cannot be locked")));
    }
    end_by(victim, SIGKILL);
    board->at[STOP] = 2;
    join(watcher);
}
SLOW_HOST_TEST(lock_on_the_inode_delays_nobody, "posts over some looks, of one a second") {
    if (!UNDER_ADDRESS_SANITIZER && !UNDER_THREAD_SANITIZER) go_on_beside(hold_inode_until_killed, true);
}
SLOW_HOST_TEST(locks_on_all_bytes_delay_nobody, "posts over some looks, of one a second") {
    go_on_beside(hold_bytes_until_killed, false);
}

/* ---- Other files next to it -------------------------------------------------------------------------------------- */

static char seen_files[512];
static void note_file(void *context, const char *path) {
    CHECK(context == seen_files);
    strncat(seen_files, strrchr(path, '/'), 40);
}
static void use_file(const char *name) {
    char path[160];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 1};
    snprintf(path, sizeof path, "%s/%s", host_folder, name);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fcntl(file, F_OFD_SETLK, &lock) == 0);
}
HOST_TEST(files_of_other_layouts_that_are_used_are_named) {
    char first[64];
    snprintf(first, sizeof first, "herald-%u-1", geteuid());
    hear_into("s", S, NULL);
    CHECK(HeraldHostVisitOtherFiles(note_file, seen_files) == HeraldOK && !seen_files[0]);
    use_file("herald-4x");
    use_file("herald-99999-1");
    CHECK(HeraldHostVisitOtherFiles(note_file, seen_files) == HeraldOK && !seen_files[0]);
    use_file(first);
    CHECK(HeraldHostVisitOtherFiles(note_file, seen_files) == HeraldOK && strcmp(seen_files + 1, first) == 0);
    use_file("herald-2"); /* of 0.2.0 */
    use_file("herald-4");
    seen_files[0] = 0;
    CHECK(HeraldHostVisitOtherFiles(note_file, seen_files) == HeraldOK && strstr(seen_files, "/herald-2"));
    CHECK(strstr(seen_files, "/herald-4"));
    CHECK(HeraldHostVisitOtherFiles(NULL, NULL) == HeraldInvalidArgument &&
          HeraldHostGetNameLimit() == HERALD_HOST_NAMES);
}
