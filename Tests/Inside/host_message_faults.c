/* R23 between processes under faults: a full disk, a file that others damage, a borrower that is stopped. */
#include "../../CSources/CHeraldHost/src/layout.h"
#include "../Rules/host.h"
#include <sys/statvfs.h>

/* Indexes into the board. */
enum { READY, STOP, SENT, HEARD, MISSED, W1 = 10 };

static HeraldStatus send(const char *name, const char *text) {
    HeraldMessage message = {.size = sizeof message, .object = "object", .bytes = text, .length = strlen(text)};
    return HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of(name), &message);
}
static void count_whole(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                        const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object;
    const HeraldMessage *message = userInfo;
    if (!message) return; /* a plain call, because of another file */
    CHECK(message->length <= 100 && !strncmp(message->bytes, "whole", message->length < 5 ? message->length : 5));
    board->at[HEARD]++;
}
static void hear_messages(const char *name) {
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), &board, count_whole, name_of(name), NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
}

/* ---- A full disk ------------------------------------------------------------------------------------------------- */

static unsigned long room(void) {
    struct statvfs about;
    CHECK(statvfs(host_folder, &about) == 0);
    return about.f_bavail;
}
HOST_RULE(23, message_without_room_is_refused_and_takes_none) {
    if (!mount_disk("1m")) return;
    hear_messages("m");
    hear_into("plain", W1, NULL);
    unsigned long before = room();
    for (int i = 0; i < 50; i++) {
        CHECK(send("m", "whole") == HeraldQueueFull && says("no room for a message"));
        post_to_host("plain");
        EVENTUALLY(board->at[W1] == i + 1);
    }
    CHECK(room() == before && board->at[HEARD] == 0 && HeraldHostGetMissedMessageCount() == 0);
    CHECK(resize_disk("4m"));
    CHECK(send("m", "whole") == HeraldOK); /* its first ring */
    EVENTUALLY(board->at[HEARD] == 1);
}

/* ---- A file that others spoil ------------------------------------------------------------------------------------ */

static void send_until_stop(void) {
    for (bool ready = false; !board->at[STOP]; pause_for(any(300))) {
        HeraldStatus status = send("m", any(2) ? "whole" : "whole, and a good deal longer than the other one is");
        if (status == HeraldOK) board->at[SENT]++;
        if (status != HeraldOK) CHECK(HeraldHostGetErrorDescription()[0]);
        if (!ready) board->at[READY]++;
        ready = true;
    }
}
static void hear_until_stop(void) {
    hear_messages("m");
    board->at[READY]++;
    while (!board->at[STOP]) {
        HeraldHostGetMissedMessageCount();
        pause_for(1000);
    }
    board->at[MISSED] = (long)HeraldHostGetMissedMessageCount();
}
static void survive(void (*hear)(void), void (*spoil)(int file)) {
    pid_t users[4];
    for (int i = 0; i < 4; i++) users[i] = process(i < 2 ? hear : send_until_stop);
    EVENTUALLY(board->at[READY] == 4 && board->at[HEARD] > 10);
    int file = open(host_file, O_RDWR);
    CHECK(file >= 0);
    spoil(file);
    close(file);
    for (int i = 0; i < 4; i++) CHECK(waitpid(users[i], NULL, WNOHANG) == 0);
    unlink(host_file); /* they meet in another one */
    pass_a_second();   /* they look for it */
    long sent = board->at[SENT], heard = board->at[HEARD];
    EVENTUALLY(board->at[SENT] > sent + 20 && board->at[HEARD] > heard + 20);
    board->at[STOP] = 1;
    for (int i = 0; i < 4; i++) join(users[i]);
}

/* The places that are damaged, and how much of each is in use. */
static const struct {
    off_t at;
    size_t size;
} zones[] = {{(off_t)offsetof(struct herald_host_header, tail), 8},
             {(off_t)HERALD_HOST_LOG_AT, HERALD_HOST_SLOTS * 8},
             {(off_t)HERALD_HOST_HEADS_AT, 4 * HERALD_LINE},
             {(off_t)HERALD_HOST_RINGS_AT, 64 << 10},
             {(off_t)HERALD_HOST_RINGS_AT + HERALD_HOST_RING, 64 << 10}};
static void spoil_log(int file) {
    for (int i = 0; i < OFTEN(20000); i++) {
        unsigned zone = any(sizeof zones / sizeof *zones);
        off_t at = zones[zone].at + (off_t)(any((unsigned)(zones[zone].size / 8)) * 8);
        uint64_t word = 0;
        CHECK(pread(file, &word, 8, at) == 8);
        word = any(3) ? word ^ UINT64_C(1) << any(64) : (uint64_t)any(1u << 31) << any(34);
        CHECK(pwrite(file, &word, 8, at) == 8);
        if (i % 4 == 0) pause_for(50);
    }
}
static void cut(int file) {
    CHECK(ftruncate(file, (off_t)HERALD_HOST_RINGS_AT + 4096) == 0);
    pause_for(300000);
}
static void cut_and_extend(int file) {
    for (int i = 0; i < 20; i++) {
        CHECK(ftruncate(file, i % 2 ? (off_t)HERALD_HOST_LOG_AT + 4096 : 0) == 0);
        pause_for(any(3000));
        CHECK(ftruncate(file, (off_t)HERALD_HOST_FILE_SIZE) == 0);
        pause_for(any(20000));
    }
}
static void sum_any(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object;
    static volatile unsigned char sum;
    const HeraldMessage *message = userInfo;
    if (!message) return;
    CHECK(message->length <= HERALD_HOST_MESSAGE_LIMIT);
    for (size_t i = 0; i < message->length; i++) sum ^= ((const unsigned char *)message->bytes)[i];
    if (message->object) CHECK(strlen(message->object) <= HERALD_HOST_TEXTS_LIMIT);
    if (message->type) CHECK(strlen(message->type) <= HERALD_HOST_TEXTS_LIMIT);
    board->at[HEARD]++;
}
static void hear_any_until_stop(void) {
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), &board, sum_any, NULL, NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
/* The bytes of a message may be arbitrary then. */
HOST_RULE(23, any_words_in_the_log_harm_nobody) { survive(hear_any_until_stop, spoil_log); }
HOST_RULE(23, message_survives_a_file_cut_short) {
    if (!UNDER_THREAD_SANITIZER) survive(hear_until_stop, cut);
}
HOST_RULE(23, message_survives_a_file_cut_and_extended) {
    if (!UNDER_THREAD_SANITIZER) survive(hear_until_stop, cut_and_extend);
}

/* ---- Borrowed rings --------------------------------------------------------------------------------------------- */

static void stay(void) { /* keeps a ring of its own */
    CHECK(send("m", "whole") == HeraldOK);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(100000);
}
static void borrow(void) {
    name_of("m");
    if (!ask_to_be_traced()) return;
    CHECK(send("m", "whole") == HeraldOK);
    board->is_over = true;
}
static void hear_woken_until_stop(void) {
    let_watcher_sleep(UNTIL_WOKEN);
    hear_until_stop();
}
/* One borrower is held in the middle of its post; another goes on, and the first one later as well. This process has no
 * other thread, because it forks. */
HOST_RULE(23, borrower_held_on_its_way_delays_nobody) {
    enum { OWNERS = HERALD_HOST_RINGS - HERALD_HOST_BORROWED };
    static pid_t owners[OWNERS];
    if (UNDER_THREAD_SANITIZER) return;
    pid_t watcher = process(hear_woken_until_stop);
    EVENTUALLY(board->at[READY] == 1);
    for (int i = 0; i < OWNERS; i++) owners[i] = process(stay);
    EVENTUALLY(board->at[READY] == 1 + OWNERS);
    long sent = OWNERS;
    for (int step = 0, more = true; more && step < 100000; step += UNDER_ADDRESS_SANITIZER ? 5000 : 400) {
        int status;
        pid_t victim = begin_steps(borrow, &status);
        if (board->is_untraced) {
            skip("no process may be traced here");
            break;
        }
        more = steps(victim, &status, PTRACE_SINGLESTEP, step);
        long heard = board->at[HEARD];
        CHECK(send("m", "whole") == HeraldOK);
        EVENTUALLY(board->at[HEARD] > heard);
        if (any(2) && more) {
            end_by(victim, SIGKILL);
            sent += 1;
        } else {
            let_go(victim);
            sent += 2;
        }
    }
    EVENTUALLY(board->at[HEARD] >= sent);
    board->at[STOP] = 1;
    join(watcher);
    CHECK(board->at[MISSED] == 0);
    for (int i = 0; i < OWNERS; i++) join(owners[i]);
}
