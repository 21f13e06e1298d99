/* R23 where memory is short: rings that are borrowed, and rings that are given back. */
#include "../../CSources/CHeraldHost/src/ring.h"
#include "../../CSources/CHeraldHost/src/session.h"
#include "file.h"
#include <sys/statvfs.h>

/* Indexes into the board. */
enum { READY, STOP, SENT, HEARD, MISSED, DONE, AGAIN };
enum { OWN = HERALD_HOST_RINGS - HERALD_HOST_BORROWED, MIB = 1 << 20 };

static HeraldStatus send(const char *name) {
    HeraldMessage message = {.size = sizeof message, .bytes = "text", .length = 4};
    return HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name_of(name), &message);
}
static void note(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object;
    if (userInfo) board->at[HEARD]++;
}
static enum sleep readers_sleep;
static void hear(void) {
    let_watcher_sleep(readers_sleep);
    CHECK(HeraldCenterAddObserver(HeraldCenterGetHostCenter(), NULL, note, name_of("m"), NULL,
                                  HeraldSuspensionDeliverImmediately) == HeraldOK);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
    board->at[MISSED] += (long)HeraldHostGetMissedMessageCount();
}
static pid_t begin_reader(void) {
    long ready = board->at[READY];
    pid_t reader = process(hear);
    EVENTUALLY(board->at[READY] == ready + 1);
    return reader;
}

/* A poster that sends one message, and another each time that it is asked to. There may be no room for it. */
static void post_and_stay(void) {
    for (long asked = 0;; asked++) {
        HeraldStatus status;
        /* Those that have borrowed all rings may all wait for a processor: asked again, it tries until it has one. */
        while ((status = send("m")) == HeraldQueueFull && asked && !board->at[DONE]) pause_for(1000);
        CHECK(status == HeraldOK || (asked && status == HeraldQueueFull));
        board->at[SENT] += status == HeraldOK;
        while (board->at[AGAIN] == asked && !board->at[DONE]) pause_for(1000);
        if (board->at[DONE]) return;
    }
}
enum { MOST = 80 };
static pid_t posters[MOST];
static void begin_posters(int count) {
    for (int i = 0; i < count; i++) {
        long sent = board->at[SENT];
        posters[i] = process(post_and_stay);
        EVENTUALLY(board->at[SENT] == sent + 1);
    }
}
static void end_posters(int count) {
    board->at[DONE] = 1;
    for (int i = 0; i < count; i++) join(posters[i]);
    board->at[DONE] = 0;
}

/* The memory that the file takes, in MiB. */
static long taken(void) {
    struct stat about;
    CHECK(stat(host_file, &about) == 0);
    return (long)about.st_blocks * 512 / MIB;
}

/* ---- Giving back ------------------------------------------------------------------------------------------------- */

/* As an idle watcher does. */
static void give_back(void) {
    CHECK(HeraldHostPost("nobody") == HeraldOK);
    herald_host_session_lock();
    herald_host_rings_give_back(herald_host_session.segment);
    herald_host_session_unlock();
}

HOST_RULE(23, rings_of_posters_that_have_ended_are_given_back) {
    enum { POSTERS = 20 };
    expect_nobody();
    pid_t reader = begin_reader();
    begin_posters(POSTERS);
    CHECK(taken() >= POSTERS);
    EVENTUALLY(board->at[HEARD] == POSTERS);
    end_posters(POSTERS);
    EVENTUALLY(taken() <= 2); /* given back by the idle reader; one is kept for the next poster */
    begin_posters(POSTERS);
    EVENTUALLY(board->at[HEARD] == 2 * POSTERS);
    end_posters(POSTERS);
    board->at[STOP] = 1;
    join(reader);
    CHECK(board->at[MISSED] == 0);
}

HOST_RULE(23, ring_that_a_reader_is_to_read_stays) {
    enum { POSTERS = 10 };
    expect_nobody();
    pid_t reader = begin_reader(), stopped = begin_reader();
    begin_posters(POSTERS);
    EVENTUALLY(board->at[HEARD] == 2 * POSTERS);
    kill(stopped, SIGSTOP);
    waitpid(stopped, NULL, WUNTRACED);
    board->at[AGAIN] = 1;
    EVENTUALLY(board->at[SENT] == 2 * POSTERS && board->at[HEARD] == 3 * POSTERS);
    end_posters(POSTERS);
    for (int i = 0; i < 3; i++) join(process(give_back));
    CHECK(taken() >= POSTERS);
    kill(stopped, SIGCONT);
    EVENTUALLY(board->at[HEARD] == 4 * POSTERS);
    EVENTUALLY((join(process(give_back)), taken() <= 2));
    board->at[STOP] = 1;
    join(reader);
    join(stopped);
    CHECK(board->at[MISSED] == 0);
}

HOST_RULE(23, ring_that_only_the_dead_would_read_is_given_back) {
    enum { POSTERS = 10 };
    expect_nobody();
    pid_t reader = begin_reader(), dead = begin_reader();
    kill(dead, SIGSTOP);
    waitpid(dead, NULL, WUNTRACED);
    begin_posters(POSTERS);
    EVENTUALLY(board->at[HEARD] >= POSTERS);
    end_posters(POSTERS);
    join(process(give_back));
    CHECK(taken() >= POSTERS);
    end_by(dead, SIGKILL);
    EVENTUALLY((join(process(give_back)), taken() <= 2));
    board->at[STOP] = 1;
    join(reader);
    CHECK(board->at[MISSED] == 0);
}

/* A process that begins to hear any name goes to another channel. When it stops, it goes back. */
static void hear_and_change(void) {
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldToken token;
    HeraldObserverOptions options = {.size = sizeof options};
    CHECK(HeraldCenterAddObserver(host, NULL, note, name_of("m"), NULL, HeraldSuspensionDeliverImmediately) ==
          HeraldOK);
    board->at[READY]++;
    while (!board->at[STOP]) {
        CHECK(HeraldCenterAddObserverWithOptions(host, &token, note, NULL, name_of("none"), &options, &token) ==
              HeraldOK);
        CHECK(HeraldCenterRemoveTokenAndWait(host, token));
    }
    board->at[MISSED] += (long)HeraldHostGetMissedMessageCount();
}
static void send_one(void) {
    CHECK(send("m") == HeraldOK);
    board->at[SENT]++;
}
HOST_RULE(23, reader_that_changes_its_channel_loses_nothing) {
    int times = OFTEN(300);
    expect_nobody();
    pid_t reader = process(hear_and_change);
    EVENTUALLY(board->at[READY] == 1);
    for (int i = 0; goes_on(i, times); i++) {
        pid_t two[2] = {process(send_one), process(send_one)}, givers[2] = {process(give_back), process(give_back)};
        for (int j = 0; j < 2; j++) join(two[j]), join(givers[j]);
    }
    long sent = board->at[SENT];
    EVENTUALLY(board->at[HEARD] >= sent);
    board->at[STOP] = 1;
    join(reader);
    CHECK(board->at[MISSED] == 0);
}

/* ---- A small disk ------------------------------------------------------------------------------------------------ */

static long room(void) {
    struct statvfs about;
    CHECK(statvfs(host_folder, &about) == 0);
    return (long)(about.f_bavail * about.f_frsize);
}

/* Once in each process, even if others hold its ring; the last MiB is left to others. */
HOST_RULE(23, posters_without_room_for_a_ring_borrow_one) {
    enum { POSTERS = 30 };
    if (!mount_disk("16m")) return;
    expect_nobody();
    pid_t reader = begin_reader();
    begin_posters(POSTERS);
    CHECK(room() >= MIB);
    board->at[AGAIN] = 1;
    EVENTUALLY(board->at[SENT] == 2 * POSTERS && board->at[HEARD] == 2 * POSTERS);
    CHECK(room() >= MIB);
    end_posters(POSTERS);
    EVENTUALLY(room() >= 14 * MIB);
    board->at[STOP] = 1;
    join(reader);
    CHECK(board->at[MISSED] == 0);
}

static uint32_t held_by[2]; /* the rings from the first up to, but not including, the last */
static void hold_rings(void) {
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = HERALD_HOST_RING_LOCKS + held_by[0],
                         .l_len = held_by[1] - held_by[0]};
    int file = open(host_file, O_RDWR | O_CLOEXEC);
    CHECK(fcntl(file, F_OFD_SETLKW, &lock) == 0); /* an idle reader may be looking at a ring */
    board->at[READY]++;
    for (;;) pause_for(1000000);
}
static pid_t hold(uint32_t first, uint32_t end) {
    long ready = board->at[READY];
    held_by[0] = first, held_by[1] = end;
    pid_t holder = process(hold_rings);
    EVENTUALLY(board->at[READY] == ready + 1);
    return holder;
}
static bool fill_disk(void) {
    char path[160], some[4096];
    memset(some, 1, sizeof some);
    snprintf(path, sizeof path, "%s/others", host_folder);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    while (write(file, some, sizeof some) > 0) {
    }
    close(file);
    return room() == 0;
}
static void be_refused(void) { CHECK(send("m") == HeraldQueueFull && says("no room for a message")); }

/* Two processes can borrow where one can, even if others have filled the disk in between. */
HOST_RULE(23, stopped_borrower_on_a_full_disk_stops_nobody) {
    enum { OWNERS = 4 };
    if (!mount_disk("9m")) return;
    readers_sleep = UNTIL_WOKEN; /* an idle reader would give back the spare ring */
    pid_t reader = begin_reader();
    begin_posters(OWNERS);
    join(process(send_one));
    CHECK(fill_disk());
    struct herald_host_header *header =
        mmap(NULL, HERALD_HOST_FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, open(host_file, O_RDWR | O_CLOEXEC), 0);
    CHECK(header != MAP_FAILED && herald_host_ring_at(header, OWN)->ready &&
          herald_host_ring_at(header, OWN + 1)->ready);
    pid_t stopped = hold(OWN, OWN + 1);
    for (int i = 0; i < 5; i++) join(process(send_one));
    long sent = board->at[SENT];
    EVENTUALLY(board->at[HEARD] == sent);
    pid_t another = hold(OWN + 1, HERALD_HOST_RINGS);
    join(process(be_refused));
    board->at[AGAIN] = 1; /* those that have a ring of their own go on */
    EVENTUALLY(board->at[HEARD] >= sent + 1);
    end_by(stopped, SIGKILL);
    join(process(send_one));
    end_by(another, SIGKILL);
    end_posters(OWNERS);
    sent = board->at[SENT];
    EVENTUALLY(board->at[HEARD] == sent);
    board->at[STOP] = 1;
    join(reader);
    CHECK(board->at[MISSED] == 0);
}
