/* The host center's file: refused, damaged or removed while it is in use. */
#include "../../CSources/CHeraldHost/src/layout.h"
#include "../Rules/host.h"
#include <setjmp.h>
#include <sys/resource.h>

enum { W1, W2 = 2, Q1 = 4, Q2 = 6, READY = 10, STOP, POSTER, CHECKS, STATE, HELD, STATUS, TRIED, POSTED, FILES = 2 };

static void begin_ready(pid_t *process_id, void (*function)(void)) {
    long ready = board->at[READY];
    *process_id = process(function);
    EVENTUALLY(board->at[READY] == ready + 1);
}

/* ---- Where the file is ------------------------------------------------------------------------------------------- */

static void find_runtime_folder(void) {
    unsetenv("HERALD_HOST_DIRECTORY");
    setenv("XDG_RUNTIME_DIR", host_folder, 1);
    CHECK(strcmp(HeraldHostGetPath(), host_file) == 0);
}
static void find_some_folder(void) {
    unsetenv("HERALD_HOST_DIRECTORY");
    setenv("XDG_RUNTIME_DIR", "relative", 1);
    const char *path = HeraldHostGetPath();
    CHECK(path && (strncmp(path, "/run/user/", 10) == 0 || strncmp(path, "/dev/shm/", 9) == 0));
}
static void find_too_long_a_folder(void) {
    char folder[510];
    HeraldHostToken token = 7;
    strcpy(folder, host_folder);
    while (strlen(folder) < sizeof folder - 3) strcat(folder, "/.");
    setenv("HERALD_HOST_DIRECTORY", folder, 1);
    CHECK(HeraldHostGetPath() == NULL);
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldTransportFailed && token == 0 && says("too long"));
    CHECK(HeraldHostPost("a") == HeraldTransportFailed && says("too long") && says("..., cannot hold the file"));
}
HOST_TEST(place_is_the_named_folder_or_the_runtime_folder) {
    join(process(find_runtime_folder));
    join(process(find_some_folder));
    join(process(find_too_long_a_folder));
}

static void make_no_file_so_large(void) {
    struct rlimit limit = {1000, RLIM_INFINITY};
    HeraldHostToken token = 7;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldTransportFailed && token == 0 && says("File too large"));
    limit.rlim_cur = RLIM_INFINITY;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    pass_a_second(); /* a missing file is looked for once a second */
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldOK);
}
HOST_TEST(file_size_limit_is_said_and_kills_nobody) { join(process(make_no_file_so_large)); }

/* ---- Other handlers of SIGBUS ------------------------------------------------------------------------------------ */

static void create(void) {
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldOK);
}

static sigjmp_buf back;
static void go_back(int number) { siglongjmp(back, number == SIGBUS ? 1 : 2); }
static void go_back_with(int number, siginfo_t *about, void *context) {
    (void)context;
    siglongjmp(back, number == SIGBUS && about->si_addr ? 1 : 2);
}
/* A fault in a file that is not the host center's. */
static int fault_elsewhere(void) {
    char path[160];
    snprintf(path, sizeof path, "%s/elsewhere", host_folder);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    volatile char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(memory != MAP_FAILED);
    close(file);
    int how = sigsetjmp(back, 1);
    if (how == 0) memory[0] = 1;
    return how;
}
static void reach_a_handler(void) {
    signal(SIGBUS, go_back);
    create();
    CHECK(fault_elsewhere() == 1);
}
static void reach_a_handler_with_information(void) {
    struct sigaction action = {.sa_sigaction = go_back_with, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
    create();
    CHECK(fault_elsewhere() == 1);
}
static void ignore_what_is_sent(void) {
    signal(SIGBUS, SIG_IGN);
    create();
    CHECK(raise(SIGBUS) == 0);
}
static void die_of_what_is_sent(void) {
    signal(SIGBUS, SIG_DFL); /* a language's runtime may have its own */
    create();
    raise(SIGBUS);
}
static void die_of_a_fault(void) {
    signal(SIGBUS, SIG_DFL);
    create();
    fault_elsewhere();
}
static void expect_death(void (*function)(void)) {
    int status = 0;
    waitpid(process(function), &status, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}
HOST_TEST(others_faults_are_left_to_others) {
    if (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER) return; /* they handle SIGBUS themselves */
    join(process(reach_a_handler));
    join(process(reach_a_handler_with_information));
    join(process(ignore_what_is_sent));
    expect_death(die_of_what_is_sent);
    expect_death(die_of_a_fault);
}

/* ---- Files that are refused -------------------------------------------------------------------------------------- */

static const char *sentence; /* a part of it */
static uid_t as_user;

static void be_refused(void) {
    HeraldHostToken token = 7;
    struct listener listener = {0};
    if (as_user) CHECK(setgid(as_user) == 0 && setuid(as_user) == 0);
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldTransportFailed && token == 0);
    if (!says(sentence) || !says(host_file)) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
    CHECK(HeraldHostPost("a") == HeraldTransportFailed && post_to_host("a") == 0);
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), &listener, listener_hear, name_of("a"), NULL,
                                  HeraldSuspensionDrop) == HeraldTransportFailed);
    if (!says(sentence)) check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
}

/* The bytes of a new file that are not zero: its beginning, and the first texts. */
static char whole[HERALD_HOST_ENTRIES_AT + HERALD_HOST_FIRST_NAMES * sizeof(struct herald_host_entry)],
    again[sizeof whole], texts[4096];

static void read_whole(void) {
    struct stat about;
    join(process(create));
    int file = open(host_file, O_RDONLY);
    CHECK(pread(file, whole, sizeof whole, 0) == sizeof whole);
    CHECK(pread(file, texts, sizeof texts, HERALD_HOST_TEXTS_AT) == sizeof texts);
    CHECK(fstat(file, &about) == 0 && (size_t)about.st_size == HERALD_HOST_FILE_SIZE &&
          about.st_blocks * 512 < 1000000);
    close(file);
}
static size_t at_most_whole(size_t size) { return size < sizeof whole ? size : sizeof whole; }
/* A new file of this size, with these bytes. */
static int write_whole(size_t size) {
    unlink(host_file);
    int file = open(host_file, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(file >= 0 && pwrite(file, whole, at_most_whole(size), 0) == (ssize_t)at_most_whole(size));
    if (size > HERALD_HOST_TEXTS_AT) CHECK(pwrite(file, texts, sizeof texts, HERALD_HOST_TEXTS_AT) == sizeof texts);
    CHECK(ftruncate(file, (off_t)size) == 0);
    struct stat about;
    CHECK(fstat(file, &about) == 0);
    uint64_t seal = herald_host_seal_of(about.st_ino);
    if (size == HERALD_HOST_FILE_SIZE) CHECK(pwrite(file, &seal, sizeof seal, HERALD_HOST_SEAL_AT) == sizeof seal);
    return file;
}
/* A file with these bytes is refused, and stays as it is. */
static void refuse(size_t size, mode_t mode, uid_t owner, const char *with) {
    struct stat before, after;
    int file = write_whole(size);
    CHECK(fchmod(file, mode) == 0);
    if (owner) CHECK(fchown(file, owner, owner) == 0);
    CHECK(fstat(file, &before) == 0);
    sentence = with;
    join(process(be_refused));
    CHECK(fstat(file, &after) == 0 && (size_t)after.st_size == size);
    CHECK(pread(file, again, sizeof again, 0) == (ssize_t)at_most_whole(size));
    CHECK(memcmp(whole, again, at_most_whole(size)) == 0 && after.st_nlink == 1 && after.st_mode == before.st_mode);
    CHECK(after.st_uid == before.st_uid && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
    close(file);
}
HOST_TEST(spoilt_files_are_refused_and_left_as_they_are) {
    read_whole();
    size_t size = HERALD_HOST_FILE_SIZE;
    refuse(0, 0600, 0, "cut short");
    refuse(1, 0600, 0, "cut short");
    refuse(size / 2, 0600, 0, "cut short");
    refuse(size - 1, 0600, 0, "cut short");
    refuse(size, 0644, 0, "0644");
    refuse(size, 0666, 0, "0666");
    refuse(size, 0400, 0, "0400");
    refuse(size, 04600, 0, "4600");
    for (int i = 0; i < 48; i++) { /* magic, number, measures, features (some of which are allowed), size */
        for (int bit = 0; bit < 8 && (i < 36 || i >= 40); bit++) {
            whole[i] ^= (char)(1 << bit);
            refuse(size, 0600, 0, i < 12 ? "damaged" : i < 32 || i >= 40 ? "another layout" : "newer");
            whole[i] ^= (char)(1 << bit);
        }
    }
    refuse(0, 0600, 0, "cut short");
    memset(whole, 0, sizeof whole);
    refuse(size, 0600, 0, "damaged");
    memset(whole, 0xff, sizeof whole);
    refuse(size, 0600, 0, "damaged");
    unlink(host_file);
    join(process(create));
}

/* Numbers that may have any value do no harm. */
static void use_file(void) {
    HeraldHostToken token, fresh = 0;
    uint64_t posts;
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldOK && HeraldHostRegisterCheck("new", &fresh) == HeraldOK);
    CHECK(names() == 2 && HeraldHostPost("a") == HeraldOK && HeraldHostPost("new") == HeraldOK && names() == 2);
    CHECK(HeraldHostCheck(token, &posts) == HeraldOK && posts == 2);
    CHECK(HeraldHostCheck(fresh, &posts) == HeraldOK && posts == 2);
}
static void use_whole(void) {
    close(write_whole(HERALD_HOST_FILE_SIZE));
    join(process(use_file));
}
HOST_TEST(files_with_other_counters_are_used) {
    read_whole();
    for (int i = 48; i < 256; i++) {
        for (int bit = 0; bit < 8; bit += 3) {
            whole[i] ^= (char)(1 << bit);
            use_whole();
            whole[i] ^= (char)(1 << bit);
        }
    }
    memset(whole + 192, 0xff, 4); /* as if the first texts were more than full */
    use_whole();
}

HOST_TEST(what_is_not_the_users_file_is_refused) {
    char other[160];
    struct stat about;
    snprintf(other, sizeof other, "%s/other", host_folder);
    read_whole();
    CHECK(rename(host_file, other) == 0 && symlink("other", host_file) == 0);
    sentence = "symbolic link";
    join(process(be_refused));
    CHECK(lstat(host_file, &about) == 0 && S_ISLNK(about.st_mode) && unlink(host_file) == 0);
    CHECK(mkdir(host_file, 0700) == 0);
    sentence = "directory";
    join(process(be_refused));
    CHECK(rmdir(host_file) == 0 && mkfifo(host_file, 0600) == 0);
    sentence = "not a regular file";
    join(process(be_refused));
    CHECK(lstat(host_file, &about) == 0 && S_ISFIFO(about.st_mode) && unlink(host_file) == 0);
    if (geteuid() != 0) {
        skip("only root gives files away");
        return;
    }
    refuse(HERALD_HOST_FILE_SIZE, 0600, 1, "belongs to user 1, not to user 0");
    unlink(host_file);
    CHECK(chown(host_folder, 1, 1) == 0); /* and as another user, whose folder contains a file of root's */
    as_user = 1;
    refuse(HERALD_HOST_FILE_SIZE, 0600, 0, "Permission denied");
    refuse(HERALD_HOST_FILE_SIZE, 0666, 0, "belongs to user 0, not to user 1");
    refuse(HERALD_HOST_FILE_SIZE, 0644, 1, "0644");
}

/* ---- Faults while the file is in use ----------------------------------------------------------------------------- */

static void watch_until_stop(int watched, int quiet) {
    hear_into("a", watched, NULL);
    hear_into("quiet", quiet, NULL);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
static void watch_1(void) { watch_until_stop(W1, Q1); }
static void watch_2(void) { watch_until_stop(W2, Q2); }
/* Posts whenever it is its turn, in one of two ways. It is ready after its first post. A poster that has posted a text
 * before the text was in any file does not know which name it was, and posts all of them again when it moves. */
static void post_until_stop(long me) {
    for (bool ready = false; !board->at[STOP]; ready = true) {
        if (board->at[POSTER] == 0 || board->at[POSTER] == me) {
            if (me == 1) post_to_host("a");
            if (me == 2) {
                HeraldStatus status = HeraldHostPost("a");
                board->at[POSTED] += status == HeraldOK;
                board->at[TRIED]++;
                board->at[STATUS] = status;
            }
        }
        if (!ready) board->at[READY]++;
        pause_for(any(400));
    }
}
static void post_1(void) { post_until_stop(1); }
static void post_2(void) { post_until_stop(2); }
static void look_at_name(void *context, const HeraldHostNameInfo *info) {
    (void)context;
    CHECK(strlen(info->name) <= 512);
}
/* Checks now and then. The board gets the posts that it was told of, and the state that it finds. */
static void check_until_stop(void) {
    HeraldHostToken check = 0, quiet = 0;
    uint64_t posts, state;
    CHECK(HeraldHostRegisterCheck("a", &check) == HeraldOK && HeraldHostRegisterCheck("quiet", &quiet) == HeraldOK);
    CHECK(HeraldHostSetState(quiet, 77) == HeraldOK && HeraldHostCheck(quiet, &posts) == HeraldOK);
    board->at[READY]++;
    while (!board->at[STOP]) {
        CHECK(HeraldHostCheck(check, &posts) == HeraldOK);
        board->at[CHECKS] += (long)posts;
        CHECK(HeraldHostCheck(quiet, &posts) == HeraldOK);
        board->at[HELD] += (long)posts;
        state = 0;
        HeraldHostGetState(quiet, &state);
        HeraldHostVisitNames(look_at_name, NULL);
        board->at[STATE] = (long)state;
        pause_for(20000);
    }
}

static pid_t users[5];
static void begin_users(void) {
    void (*const functions[])(void) = {watch_1, watch_2, check_until_stop, post_1, post_2};
    for (int i = 0; i < 5; i++) begin_ready(&users[i], functions[i]);
    EVENTUALLY(board->at[W1] > 10 && board->at[W2] > 10 && board->at[CHECKS] > 1 && board->at[STATE] == 77);
    CHECK(board->at[Q1 + 1] == 0 && board->at[Q2 + 1] == 0);
    board->at[HELD] = 0;
}
/* Both watchers and the check notice each poster. For the quiet name each of them is called at least once, because of
 * the move. */
static void find_each_other(void) {
    for (long poster = 1; poster <= 2; poster++) {
        board->at[POSTER] = poster;
        pause_for(5000);
        long heard[] = {board->at[W1], board->at[W2], board->at[CHECKS]};
        EVENTUALLY(board->at[W1] > heard[0] + 5 && board->at[W2] > heard[1] + 5 && board->at[CHECKS] > heard[2] + 5);
    }
    EVENTUALLY(board->at[Q1 + 1] >= 1 && board->at[Q2 + 1] >= 1 && board->at[HELD] >= 1);
}
static void end_users(void) {
    board->at[STOP] = 1;
    for (int i = 0; i < 5; i++) join(users[i]);
}

/* Damages the file in use. After its removal all processes meet in a new one. */
static void survive(void (*spoil)(int file, size_t size), bool for_good) {
    struct stat about;
    begin_users();
    int file = open(host_file, O_RDWR);
    CHECK(file >= 0 && fstat(file, &about) == 0);
    spoil(file, (size_t)about.st_size);
    if (for_good) { /* they notice, and none that has noticed posts into it any more */
        EVENTUALLY(board->at[STATUS] == HeraldTransportFailed);
        long tried = board->at[TRIED], posted = board->at[POSTED];
        EVENTUALLY(board->at[TRIED] > tried + 100);
        CHECK(board->at[POSTED] == posted);
    }
    pass_a_second(); /* all have looked */
    close(file);
    for (int i = 0; i < 5; i++) CHECK(waitpid(users[i], NULL, WNOHANG) == 0);
    board->at[Q1 + 1] = board->at[Q2 + 1] = board->at[HELD] = 0;
    unlink(host_file);
    find_each_other();
    end_users();
}
static void zero(int file, size_t size) {
    for (size_t i = 0; i < HERALD_HOST_BLOCKS_AT && i < size; i += sizeof again) {
        size_t most = size - i < sizeof again ? size - i : sizeof again;
        CHECK(pwrite(file, again, most, (off_t)i) == (ssize_t)most);
    }
}
static void zero_header(int file, size_t size) { zero(file, size < 4096 ? size : 4096); }
/* Flips bits of the header fields that posts read, except the mark that the file is superseded; and of the first
 * names. */
static void flip_bits(int file, size_t size) {
    size_t used[4096], count = 0;
    CHECK(size == HERALD_HOST_FILE_SIZE);
    size = sizeof whole;
    unsigned char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(bytes != MAP_FAILED);
    for (size_t i = 4096; i < size && count < 4096; i++)
        if (bytes[i]) used[count++] = i;
    for (int i = 0; i < 8000; i++) { /* and back again */
        size_t at = used[any((unsigned)count)];
        unsigned char bit = (unsigned char)(1 << any(8));
        bytes[at] ^= bit;
        if (i % 8 == 0) pause_for(300);
        bytes[at] ^= bit;
    }
    for (int i = 0; i < 400; i++) {
        for (int j = 0; j < 500; j++) bytes[any((unsigned)size)] ^= (unsigned char)(1 << any(8));
        for (int j = 0; j < 5; j++) {
            unsigned at = 64 + any(192);
            if (at / 4 != offsetof(struct herald_host_header, superseded) / 4)
                bytes[at] ^= (unsigned char)(1 << any(8));
        }
        pause_for(500);
    }
    munmap(bytes, size);
}
static void cut_to_nothing(int file, size_t size) { CHECK(size && ftruncate(file, 0) == 0); }
static void cut_in_half(int file, size_t size) { CHECK(size && ftruncate(file, HERALD_HOST_ENTRIES_AT + 100) == 0); }
static void cut_and_extend(int file, size_t size) {
    for (int i = 0; i < 20; i++) {
        CHECK(ftruncate(file, i % 2 ? 0 : HERALD_HOST_ENTRIES_AT + 100) == 0);
        pause_for(any(3000));
        CHECK(ftruncate(file, (off_t)size) == 0);
        pause_for(any(20000));
    }
}
HOST_TEST(survives_a_header_of_zeros) { survive(zero_header, true); }
SLOW_HOST_TEST(survives_a_file_of_zeros, "a process looks after its file once a second") { survive(zero, true); }
SLOW_HOST_TEST(survives_flipped_bits, "many processes, one for each file") { survive(flip_bits, false); }
/* The thread sanitizer takes locks of its own in an atomic access, and cannot be called from a handler of a fault in
 * it. */
SLOW_HOST_TEST(survives_a_file_cut_to_nothing, "a process looks after its file once a second") {
    if (!UNDER_THREAD_SANITIZER) survive(cut_to_nothing, true);
}
SLOW_HOST_TEST(survives_a_file_cut_in_half, "a process looks after its file once a second") {
    if (!UNDER_THREAD_SANITIZER) survive(cut_in_half, true);
}
SLOW_HOST_TEST(survives_a_file_cut_and_extended, "a process looks after its file once a second") {
    if (!UNDER_THREAD_SANITIZER) survive(cut_and_extend, false);
}

SLOW_HOST_TEST(file_removed_in_use_is_made_anew_and_all_hear_once, "a process looks after its file once a second") {
    begin_users();
    for (int i = 0; i < FILES; i++) {
        board->at[Q1 + 1] = board->at[Q2 + 1] = board->at[HELD] = board->at[POSTER] = 0;
        unlink(host_file);
        find_each_other();
        pass_a_second(); /* each looks once more */
        long first = board->at[Q1 + 1], second = board->at[Q2 + 1], held = board->at[HELD];
        char sentence[120];
        snprintf(sentence, sizeof sentence, "told %ld, %ld and %ld times in round %d", first, second, held, i);
        if (first != 1 || second != 1 || held != 1) check_failed(__FILE__, __LINE__, sentence);
        CHECK(board->at[STATE] == 77 && access(host_file, F_OK) == 0);
    }
    end_users();
}

static void watch_and_look(void) {
    hear_into("a", W1, NULL);
    board->at[READY]++;
    EVENTUALLY(board->at[POSTER]);
    hear_into("other", W2, NULL); /* discovers that the file is gone */
    board->at[HELD]++;
    while (!board->at[STOP]) pause_for(1000);
}
/* The poster has looked in this second already, and makes no further call. */
HOST_TEST(post_after_others_have_moved_is_heard) {
    pid_t watcher;
    begin_ready(&watcher, watch_and_look);
    pass_a_second();
    post_to_host("a");
    EVENTUALLY(board->at[W1] == 1);
    unlink(host_file);
    board->at[POSTER] = 1;
    EVENTUALLY(board->at[HELD] && board->at[W1] == 2);
    post_to_host("a");
    EVENTUALLY(board->at[W1] > 2);
    board->at[STOP] = 1;
    join(watcher);
}

static void watch_new(void) { /* it knows nothing of the old file */
    EVENTUALLY(board->at[POSTER]);
    hear_into("a", W1, NULL);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
SLOW_HOST_TEST(post_into_a_file_that_is_gone_is_posted_again, "a process looks after its file once a second") {
    HeraldHostToken token;
    pid_t watcher = process(watch_new);
    CHECK(HeraldHostRegisterCheck("a", &token) == HeraldOK);
    pass_a_second();
    post_to_host("a");
    unlink(host_file);
    board->at[POSTER] = 1;
    EVENTUALLY(board->at[READY]);
    post_to_host("a");
    pass_a_second();
    post_to_host("b");
    EVENTUALLY(board->at[W1] >= 1);
    board->at[STOP] = 1;
    join(watcher);
}

static void post_text(void) {
    CHECK(HeraldHostPost("a") == HeraldOK); /* opens the file */
    pass_a_second();
    CHECK(HeraldHostPost("a") == HeraldOK);
    unlink(host_file);
    board->at[POSTER] = 1;
    EVENTUALLY(board->at[READY]);
    CHECK(HeraldHostPost("b") == HeraldOK); /* in the same second: into the old file */
    pass_a_second();
    CHECK(HeraldHostPost("c") == HeraldOK);
}
SLOW_HOST_TEST(text_posted_into_a_file_that_is_gone_is_posted_again, "a process looks after its file once a second") {
    pid_t watcher = process(watch_new), poster = process(post_text);
    join(poster);
    EVENTUALLY(board->at[W1] >= 1);
    board->at[STOP] = 1;
    join(watcher);
}

HOST_TEST(folder_removed_in_use_may_come_back) {
    begin_users();
    CHECK(unlink(host_file) == 0 && rmdir(host_folder) == 0);
    pass_a_second(); /* they look, and find no folder */
    pass_a_second();
    board->at[Q1 + 1] = board->at[Q2 + 1] = board->at[HELD] = 0;
    CHECK(mkdir(host_folder, 0700) == 0);
    find_each_other();
    EVENTUALLY(board->at[STATE] == 77); /* written after HELD, which has come already */
    end_users();
}

/* ---- No file to be had ------------------------------------------------------------------------------------------- */

static void remove_and_fill_disk(void) {
    char path[160];
    snprintf(path, sizeof path, "%s/full", host_folder);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    while (write(file, again, sizeof again) > 0) {
    }
    unlink(host_file);
}
static void put_folder_in_place(void) { CHECK(unlink(host_file) == 0 && mkdir(host_file, 0700) == 0); }
static void cut_short(void) { CHECK(truncate(host_file, 100) == 0); }
static void use_up_descriptors(void) {
    struct rlimit none = {0, 0};
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0 && unlink(host_file) == 0);
}
static void use_up_addresses(void) {
    struct rlimit none = {0, 0};
    CHECK(setrlimit(RLIMIT_AS, &none) == 0 && unlink(host_file) == 0);
}
static void (*take_file)(void);
static void watch_in_vain(void) {
    let_watcher_sleep(NOT_AT_ALL);
    hear_into("a", W1, NULL);
    board->at[READY]++;
    while (!board->at[POSTER]) pause_for(1000);
    take_file();
    board->at[HELD] = 1;
    while (!board->at[STOP]) pause_for(1000);
}
/* The watcher sleeps after each look, a second each time: it does not spin. Its sleeps are counted, not timed. */
static void sleep_in_vain(void (*take)(void), int (*give_back)(const char *path)) {
    pid_t watcher;
    take_file = take;
    board->at[HELD] = board->at[POSTER] = 0;
    begin_ready(&watcher, watch_in_vain);
    board->at[POSTER] = 1;
    EVENTUALLY(board->at[HELD] == 1);
    pass_a_second(); /* it has looked */
    pass_a_second();
    int sleeps = board->sleeps;
    EVENTUALLY(board->sleeps > sleeps + 100);
    board->changes = 0;
    EVENTUALLY(board->changes);
    CHECK(board->changes == 1 && board->asked_for[0] == 1000);
    if (give_back) {
        long heard = board->at[W1 + 1];
        CHECK(give_back(host_file) == 0);
        EVENTUALLY(board->at[W1 + 1] > heard);
    }
    board->at[STOP] = 1;
    if (give_back) join(watcher);
    if (!give_back) end_by(watcher, SIGKILL); /* it could not report the error */
    board->at[STOP] = 0;
    unlink(host_file);
    rmdir(host_file);
}
SLOW_HOST_TEST(watcher_without_a_file_sleeps, "a process looks after its file once a second") {
    if (!WATCHERS_SLEEP_AS_THEY_ARE_LET) return;
    sleep_in_vain(put_folder_in_place, rmdir);
    if (!UNDER_THREAD_SANITIZER) sleep_in_vain(cut_short, unlink);
    sleep_in_vain(use_up_descriptors, NULL);
    if (!UNDER_ADDRESS_SANITIZER && !UNDER_THREAD_SANITIZER) sleep_in_vain(use_up_addresses, NULL);
    if (mount_disk("1m")) sleep_in_vain(remove_and_fill_disk, NULL);
}

/* ---- A file that has lost what lay in it ------------------------------------------------------------------------- */

static void count_messages(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                           const void *userInfo) {
    (void)center, (void)name, (void)object;
    if (userInfo) ++*(atomic_long *)observer;
}
static enum sleep watcher_sleeps = UNTIL_WOKEN; /* it does not look by itself */
static void watch_messages(void) {
    let_watcher_sleep(watcher_sleeps);
    hear_into("a", W1, NULL);
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), &board->at[HELD], count_messages, name_of("m"), NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
static void send_m(void) {
    HeraldMessage message = {.size = sizeof message, .bytes = "x", .length = 1};
    if (HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of("m"), &message) != HeraldOK)
        check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
}
/* The poster reads the missing bytes while they are missing (`meanwhile`), or does not. */
static void lose_and_restore(void (*lose)(int file), void (*restore)(int file), bool meanwhile) {
    pid_t watcher;
    watcher_sleeps = meanwhile ? AS_IT_ASKS : UNTIL_WOKEN; /* a watcher that reads zeros looks again */
    begin_ready(&watcher, watch_messages);
    send_m();
    EVENTUALLY(board->at[HELD] == 1);
    int file = open(host_file, O_RDWR);
    CHECK(file >= 0);
    board->is_lost = true; /* a watcher that looks at the file while it is short must look again */
    lose(file);
    for (int i = 0; meanwhile && i < 10; i++) HeraldHostPost("a"); /* into zeros of its own */
    restore(file);
    close(file);
    if (meanwhile) pass_a_second(); /* it looks */
    send_m();
    EVENTUALLY(board->at[HELD] >= 2);
    CHECK(board->at[HELD] == 2);
    board->is_lost = false;
    long calls = board->at[W1 + 1];
    CHECK(HeraldHostPost("a") == HeraldOK);
    EVENTUALLY(board->at[W1 + 1] > calls);
    board->at[STOP] = 1;
    join(watcher);
    board->at[STOP] = board->at[HELD] = 0;
    unlink(host_file);
}
static void cut_behind_header(int file) { CHECK(ftruncate(file, HERALD_HOST_CHANNELS_AT) == 0); }
static void cut_behind_names(int file) { CHECK(ftruncate(file, HERALD_HOST_BLOCKS_AT) == 0); }
static void extend(int file) { CHECK(ftruncate(file, (off_t)HERALD_HOST_FILE_SIZE) == 0); }
static void punch_hole(int file) {
    CHECK(fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, HERALD_HOST_CHANNELS_AT,
                    (off_t)(HERALD_HOST_FILE_SIZE - HERALD_HOST_CHANNELS_AT)) == 0);
}
static void leave_as_it_is(int file) { (void)file; }
SLOW_HOST_TEST(file_cut_short_and_restored_deafens_nobody, "a process looks after its file once a second") {
    for (int meanwhile = 0; meanwhile < 2; meanwhile++) {
        if (meanwhile && UNDER_THREAD_SANITIZER) continue;
        lose_and_restore(cut_behind_header, extend, meanwhile);
        lose_and_restore(cut_behind_names, extend, meanwhile);
    }
}
HOST_TEST(file_with_a_hole_behind_its_header_deafens_nobody) {
    lose_and_restore(punch_hole, leave_as_it_is, false);
    lose_and_restore(punch_hole, leave_as_it_is, true);
}

/* Its bytes are those of another file: messages in it are not heard again. */
HOST_TEST(copy_of_the_file_in_its_place_replays_nothing) {
    char command[600];
    pid_t watcher;
    begin_ready(&watcher, watch_messages);
    for (int i = 0; i < 5; i++) send_m();
    EVENTUALLY(board->at[HELD] == 5);
    snprintf(command, sizeof command, "cp --sparse=always %s %s.copy && mv %s.copy %s", host_file, host_file, host_file,
             host_file);
    CHECK(system(command) == 0);
    pass_a_second();
    for (int i = 6; i <= 8; i++) {
        send_m();
        EVENTUALLY(board->at[HELD] >= i);
        CHECK(board->at[HELD] == i);
    }
    struct stat about;
    CHECK(stat(host_file, &about) == 0 && (about.st_mode & 0777) == 0600);
    board->at[STOP] = 1;
    join(watcher);
}

/* ---- A file made by a newcomer ----------------------------------------------------------------------------------- */

static long newest_sequence;
static void note_sequence(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                          const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object;
    const HeraldMessage *message = userInfo;
    if (!message) return;
    CHECK((long)message->sequence > newest_sequence && message->missed == 0);
    newest_sequence = (long)message->sequence;
    board->at[HELD]++;
}
/* Each of the posters posts once and ends. The first makes the file, which the observer does not know yet.
 */
HOST_RULE(23, file_made_by_a_newcomer_loses_nothing_and_its_sequence_goes_on) {
    enum { POSTERS = 10 };
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), board, note_sequence, name_of("m"), NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    for (int i = 1; i <= 4; i++) {
        for (int j = 0; j < POSTERS; j++) join(process(send_m));
        EVENTUALLY(board->at[HELD] == i * POSTERS);
        CHECK(HeraldHostGetMissedMessageCount() == 0);
        unlink(host_file);
    }
}

/* A time that is too far ahead, or not of this boot, does not count. */
HOST_RULE(23, messages_are_expected_for_a_while_at_most) {
    CHECK(HeraldHostPost("x") == HeraldOK);
    int file = open(host_file, O_RDWR);
    struct herald_host_header *header = mmap(NULL, sizeof *header, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(header != MAP_FAILED && HeraldCenterIsHeard(HeraldCenterGetHostCenter(), name_of("m")));
    uint32_t now = header->expecting - 90;
    const uint32_t times[] = {1, now - 1, now + 1000, UINT32_MAX};
    for (int i = 0; i < 4; i++) {
        header->expecting = times[i];
        CHECK(!HeraldCenterIsHeard(HeraldCenterGetHostCenter(), name_of("m")) && header->expecting == 0);
    }
    munmap(header, sizeof *header);
    close(file);
}
