/* The host center: a full table, one that two processes grow at once, a full disk. */
#include "file.h"

enum { W1, W2 = 2, READY = 10, HELD, STATE };

/* ---- Names ------------------------------------------------------------------------------------------------------- */

enum { MOST = 87040 };
static HeraldHostToken tokens[MOST + 1];

/* Enters a name with a number, and `length` bytes. */
static HeraldStatus enter(int number, int length) {
    char name[513];
    snprintf(name, sizeof name, "%0*d", length, number);
    return HeraldHostRegisterCheck(name, &tokens[number]);
}
static void post_number(int number, int length) {
    char name[513];
    snprintf(name, sizeof name, "%0*d", length, number);
    CHECK(HeraldHostPost(name) == HeraldOK);
}
static uint64_t posts_of(int number) {
    uint64_t posts = UINT64_MAX;
    CHECK(HeraldHostCheck(tokens[number], &posts) == HeraldOK);
    return posts;
}
static int entered, their_length;
static void use_full_table(void) { /* in a process that has never seen these names */
    while (!(entered = (int)board->at[HELD])) pause_for(1000);
    HeraldStatus status = enter(entered, their_length);
    if (status != HeraldTransportFailed || !says("full of names"))
        check_failed(__FILE__, __LINE__, status == HeraldOK ? "there was room" : HeraldHostGetErrorDescription());
    CHECK(enter(0, their_length) == HeraldOK && enter(entered - 1, their_length) == HeraldOK && names() == entered + 1);
    for (int i = 0; i < entered; i++) post_number(i, their_length);
    post_to_host("heard");
}
static void fill(int length, int least) {
    their_length = length;
    pid_t other = process(use_full_table);
    hear_into("heard", W1, NULL);
    HeraldStatus status = HeraldOK;
    for (entered = 0; entered <= MOST && (status = enter(entered, length)) == HeraldOK; entered++) {
    }
    CHECK(status == HeraldTransportFailed && says("full of names") && tokens[entered] == 0);
    CHECK(entered >= least && entered < MOST && names() == entered + 1);
    for (int i = 0; i < entered; i++) posts_of(i);
    board->at[HELD] = entered;
    join(other);
    EVENTUALLY(board->at[W1] >= 1);
    for (int i = 0; i < entered; i++)
        if (posts_of(i) != 1) CHECK(!"a name was lost");
    CHECK(names() == entered + 1);
}
HOST_TEST(full_table_says_so_and_goes_on) {
    if (UNDER_THREAD_SANITIZER) return; /* a process fills it by itself: the rule of long names goes the same way */
    fill(6, 80000);
}
HOST_TEST(table_full_of_long_names_says_so_and_goes_on) { fill(512, 9000); }

/* Unused names make room: the file is renewed, and no observer is lost. */
static void watch_through_moves(void) {
    hear_into("heard", W1, NULL);
    hear_into("other", W2, NULL);
    board->at[READY]++;
    while (!board->at[HELD]) pause_for(1000);
}
HOST_TEST(full_of_names_that_ended_is_made_anew) {
    enum { LONG = UNDER_THREAD_SANITIZER ? 500 : 0 }; /* long names fill a file sooner */
    pid_t watcher = process(watch_through_moves);
    HeraldHostToken state;
    struct stat before, after;
    uint64_t number = 0;
    EVENTUALLY(board->at[READY] == 1);
    CHECK(stat(host_file, &before) == 0);
    CHECK(HeraldHostRegisterCheck("state", &state) == HeraldOK && HeraldHostSetState(state, 77) == HeraldOK);
    CHECK(HeraldHostRegisterCheck("state.of.nobody", &tokens[0]) == HeraldOK);
    CHECK(HeraldHostSetState(tokens[0], 78) == HeraldOK && HeraldHostCancel(tokens[0]) == HeraldOK);
    for (int i = 0; i < (LONG ? 30000 : 3 * MOST); i++) {
        char name[LONG + 20];
        snprintf(name, sizeof name, "once.%0*d", LONG, i);
        if (HeraldHostRegisterCheck(name, &tokens[1]) != HeraldOK || HeraldHostCancel(tokens[1]) != HeraldOK) {
            check_failed(__FILE__, __LINE__, HeraldHostGetErrorDescription());
            break;
        }
        if (i % 5000 == 0) post_to_host("other");
    }
    CHECK(stat(host_file, &after) == 0 && before.st_ino != after.st_ino);
    long heard = board->at[W1];
    CHECK(heard <= 10); /* once for each new file */
    post_to_host("heard");
    EVENTUALLY(board->at[W1] > heard);
    CHECK(HeraldHostGetState(state, &number) == HeraldOK && number == 77);
    CHECK(HeraldHostRegisterCheck("state.of.nobody", &tokens[0]) == HeraldOK);
    CHECK(HeraldHostGetState(tokens[0], &number) == HeraldOK && number == 78);
    board->at[HELD] = 1;
    join(watcher);
}

enum { GROWING = 3000 };
static void grow_from(int from, int step) {
    board->at[READY]++;
    EVENTUALLY(board->at[READY] == 2);
    for (int i = from; i >= 0 && i < GROWING; i += step) CHECK(enter(i, 100) == HeraldOK);
    board->at[HELD]++;
    EVENTUALLY(board->at[HELD] == 2);
    for (int i = 0; i < GROWING; i++) post_number(i, 100);
    board->at[STATE]++;
    EVENTUALLY(board->at[STATE] == 2);
    for (int i = 0; i < GROWING; i++)
        if (posts_of(i) != 3) CHECK(!"the two do not mean the same name");
    CHECK(names() == GROWING);
}
static void grow_upwards(void) { grow_from(0, 1); }
static void grow_downwards(void) { grow_from(GROWING - 1, -1); }
HOST_TEST(table_grown_by_two_at_once_has_each_name_once) {
    for (int i = 0; i < OFTEN(30); i++) {
        unlink(host_file);
        board->at[READY] = board->at[HELD] = board->at[STATE] = 0;
        pid_t one = process(grow_upwards), other = process(i % 2 ? grow_upwards : grow_downwards);
        join(one);
        join(other);
    }
}

/* ---- A full disk ------------------------------------------------------------------------------------------------- */

/* A name's entry refers to a block that does not exist, and there is no memory for one. */
static void post_over_a_hole(void) {
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("heard", &token) == HeraldOK);
    int file = open(host_file, O_RDWR);
    struct herald_host_header *header = mmap(NULL, HERALD_HOST_LOG_AT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(header != MAP_FAILED);
    for (uint32_t i = 0; i < herald_host_region_names(0); i++)
        if (herald_host_region_entries(header, 0)[i].name)
            herald_host_region_entries(header, 0)[i].flags |= HERALD_HOST_HAS_BLOCK;
    for (int i = 0; i < 20; i++) CHECK(HeraldHostPost("heard") == HeraldOK);
    for (uint32_t i = 0; i < herald_host_region_names(0); i++)
        if (herald_host_region_entries(header, 0)[i].name)
            herald_host_region_entries(header, 0)[i].flags &= ~(uint32_t)HERALD_HOST_HAS_BLOCK;
    CHECK(HeraldHostPost("heard") == HeraldOK);
}
/* Channels that have a process, or that a dead process has left. */
static int owned_channels(void) {
    struct herald_host_header *header = map_file();
    int count = 0;
    for (uint32_t i = 0; i < HERALD_HOST_CHANNELS; i++) count += herald_host_channel_at(header, i)->owner != 0;
    munmap(header, HERALD_HOST_LOG_AT);
    return count;
}
static void find_no_room(void) {
    CHECK(enter(0, 6) == HeraldTransportFailed && tokens[0] == 0 && says("No space left") && says(host_file));
    CHECK(HeraldHostPost("a") == HeraldTransportFailed && says("No space left"));
}
HOST_TEST(full_disk_is_said_and_survived) {
    struct stat before, after;
    if (!mount_disk("64k")) return;
    join(process(find_no_room));
    CHECK(access(host_file, F_OK) != 0);
    CHECK(resize_disk("420k"));
    hear_into("heard", W1, NULL);
    HeraldStatus status = HeraldOK;
    for (entered = 0; entered < MOST && (status = enter(entered, 6)) == HeraldOK; entered++) {
    }
    CHECK(status == HeraldTransportFailed && says("made larger") && says("No space left"));
    CHECK(stat(host_file, &before) == 0);
    join(process(post_over_a_hole));
    CHECK(stat(host_file, &after) == 0 && before.st_ino == after.st_ino);
    CHECK(owned_channels() <= 2); /* it has mapped new files many times, and kept its channel */
    CHECK(entered > 300 && entered < 1024 && names() == entered + 1);
    long heard = board->at[W1];
    post_to_host("heard");
    EVENTUALLY(board->at[W1] > heard);
    for (int i = 0; i < entered; i++) CHECK(posts_of(i) == 1);
    CHECK(resize_disk("4m"));
    for (int i = entered; i < 3000; i++) CHECK(enter(i, 6) == HeraldOK);
    for (int i = 0; i < 3000; i++) post_number(i, 6);
    for (int i = 0; i < 3000; i++) CHECK(posts_of(i) == (i < entered ? 1 : 2));
    CHECK(names() == 3001);
    heard = board->at[W1];
    post_to_host("heard");
    EVENTUALLY(board->at[W1] > heard);
}
