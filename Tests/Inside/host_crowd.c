/* The host center with more processes than a name has room for bits, with dead processes, and idle. */
#include "../../CSources/CHeraldHost/src/entry.h"
#include "../../CSources/CHeraldHost/src/identity.h"
#include "../../CSources/CHeraldHost/src/session.h"
#include "file.h"
#include <dirent.h>

enum { S, OTHER = 2, READY = 10, STOP, MARK, SPREAD };
#define SLOW (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER)

static enum sleep watcher_sleeps; /* of watch_s */

/* Another process holds the channels with bits in the entry itself, so that all later processes have theirs in
 * blocks. */
static void have_channels(void) {
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = HERALD_HOST_INLINE_CHANNELS,
                         .l_len = HERALD_HOST_BLOCK_CHANNELS - HERALD_HOST_INLINE_CHANNELS};
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("first", &token) == HeraldOK);
    int file = open(host_file, O_RDWR | O_CLOEXEC);
    CHECK(fcntl(file, F_OFD_SETLK, &lock) == 0);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
static pid_t take_channels(void) {
    pid_t holder = process(have_channels);
    EVENTUALLY(board->at[READY] == 1);
    return holder;
}

/* The number of bits of all names that begin so. */
static int bits_of(struct herald_host_header *header, const char *beginning) {
    int bits = 0;
    for (uint32_t i = 0; i < herald_host_region_names(0); i++) {
        struct herald_host_entry *entry = herald_host_region_entries(header, 0) + i;
        const char *text = herald_host_region_texts(header, 0) + (entry->name >> 32);
        if (!entry->name || strncmp(text, beginning, strlen(beginning)) != 0) continue;
        for (uint32_t channel = HERALD_HOST_INLINE_CHANNELS; channel < HERALD_HOST_CHANNELS; channel += 64) {
            _Atomic uint64_t *watchers = herald_host_entry_watchers(header, entry, channel);
            if (watchers) bits += __builtin_popcountll(*watchers);
        }
    }
    return bits;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static void watch_s(void) {
    let_watcher_sleep(watcher_sleeps);
    hear_into("s", S, NULL);
    hear_into("self.own", OTHER, NULL); /* which has a block, too */
    post_to_host("self.own");
    EVENTUALLY(board->at[OTHER] > 0);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
}
HOST_TEST(processes_beyond_those_with_bits_in_the_entry_are_woken) {
    watcher_sleeps = UNTIL_WOKEN;
    pid_t holder = take_channels(), crowd[5];
    for (int i = 0; i < 5; i++) crowd[i] = process(watch_s);
    EVENTUALLY(board->at[READY] == 6);
    CHECK(watchers_of("s") == 5);
    struct herald_host_header *header = map_file();
    CHECK(header->superseded == 0 && bits_of(header, "s") == 5);
    for (long i = 1; i <= 5; i++) {
        pause_for(20000); /* until they sleep */
        post_to_host("s");
        EVENTUALLY(board->at[S] == 5 * i);
    }
    board->at[STOP] = 1;
    for (int i = 0; i < 5; i++) join(crowd[i]);
    join(holder);
    munmap(header, HERALD_HOST_LOG_AT);
}

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
HOST_TEST(watchers_killed_while_they_set_a_block_cost_nobody_a_post) {
    pid_t holder = take_channels(), watcher = process(watch_s);
    EVENTUALLY(board->at[READY] == 2);
    for (int i = 0; goes_on(i, OFTEN(600)); i++) {
        snprintf(victims_name, sizeof victims_name, "victims.%d", i % 8);
        pid_t victim = process(watch_for_ever);
        pause_for((unsigned)(nanoseconds() % 1200));
        end_by(victim, SIGKILL);
        CHECK(watchers_of("victims.") == 0 && watchers_of("s") == 1);
        long heard = board->at[S];
        post_to_host("s");
        EVENTUALLY(board->at[S] == heard + 1);
    }
    board->at[STOP] = 1;
    join(watcher);
    join(holder);
}

static void step_name(char name[32], int step) { snprintf(name, 32, "stepped.%d", step); }
static int this_step;
/* The steps of a watcher at channel 300. The parent traces it. */
static void set_block_step_by_step(void) {
    char name[32];
    HeraldHostToken token;
    step_name(name, this_step);
    CHECK(HeraldHostRegisterCheck(name, &token) == HeraldOK);
    struct herald_host_segment *segment = herald_host_session.segment;
    struct herald_host_entry *entry = herald_host_entry_find(segment, name, (uint32_t)strlen(name));
    herald_host_channel_at(segment->header, 300)->owner = (uint32_t)getpid();
    if (!ask_to_be_traced()) return;
    CHECK(herald_host_entry_watch(entry, segment, 300) == HeraldOK);
    board->is_over = true;
}
HOST_TEST(watcher_killed_at_each_instruction_of_a_blocks_setting_costs_nobody_a_post) {
    if (UNDER_THREAD_SANITIZER) return;
    pid_t holder = take_channels();
    for (this_step = 0; !board->is_over && this_step < 2000; this_step++) {
        char name[32];
        int status = 0;
        pid_t victim = begin_steps(set_block_step_by_step, &status);
        steps(victim, &status, PTRACE_SINGLESTEP, this_step);
        if (!WIFSTOPPED(status)) break; /* it may not be traced here */
        end_by(victim, SIGKILL);
        step_name(name, this_step);
        long heard = board->at[S];
        hear_into(name, S, NULL);
        post_to_host(name);
        EVENTUALLY(board->at[S] == heard + 1);
    }
    CHECK(!board->is_over || this_step > 30);
    board->at[STOP] = 1;
    join(holder);
}

/* ---- Crowds ------------------------------------------------------------------------------------------------------ */

enum { FEW = 10, MANY = 2000 };
static int number_in_crowd;
static void watch_in_crowd(void) {
    char name[32];
    snprintf(name, sizeof name, "own.%d", number_in_crowd);
    hear_into(name, OTHER, NULL);
    hear_into("all", S, NULL);
    board->at[READY]++;
    for (;;) pause_for(1000000);
}
/* A watcher that has just armed its channel may still find a post. Each arming has another number. */
static bool sleeps_at(const struct herald_host_channel *channel) {
    uint32_t armed = channel->armed;
    pause_for(1000);
    return armed & 1 && channel->armed == armed && !channel->groups;
}
/* A post to a watcher that is awake wakes nobody, and has fewer instructions. */
static void await_asleep(void *segment, uint32_t channel) {
    struct herald_host_header *header = ((struct herald_host_segment *)segment)->header;
    EVENTUALLY(sleeps_at(herald_host_channel_at(header, channel)));
}

/* Run in a process that has posted the name before: its instructions until the post is done. */
static char posted_name[32];
static void post_step_by_step(void) {
    HeraldNameRef name = name_of(posted_name);
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    for (int i = 0; i < 3; i++) HeraldCenterPostNotification(host, name, NULL, NULL, false);
    struct herald_host_segment *segment = herald_host_session.segment;
    struct herald_host_entry *entry = herald_host_entry_find(segment, posted_name, (uint32_t)strlen(posted_name));
    herald_host_entry_visit_watchers(entry, segment, await_asleep, segment);
    if (!ask_to_be_traced()) return;
    HeraldCenterPostNotification(host, name, NULL, NULL, false);
    board->is_over = true;
}
/* The least of some counts, because at the beginning of a second a post looks for its file. 0: no process may be traced
 * here.
 */
static long cost_of_post(const char *name) {
    long least = 0;
    snprintf(posted_name, sizeof posted_name, "%s", name);
    for (int i = 0; i < 5; i++) {
        long count = count_steps(post_step_by_step);
        if (least == 0 || count < least) least = count;
    }
    return least;
}
SLOW_HOST_TEST(post_costs_the_same_among_two_thousand_processes, "two thousand processes") {
    enum { AT_ONCE = 50 };
    int many = SLOW ? 300 : MANY;
    bool counts = !UNDER_THREAD_SANITIZER;
    pid_t *crowd = calloc((size_t)many, sizeof *crowd);
    long among_few = 0;
    for (number_in_crowd = 0; number_in_crowd < many; number_in_crowd++) {
        if (number_in_crowd % AT_ONCE == FEW) EVENTUALLY(board->at[READY] == number_in_crowd);
        if (number_in_crowd == FEW && counts) among_few = cost_of_post("own.5");
        crowd[number_in_crowd] = process(watch_in_crowd);
    }
    EVENTUALLY(board->at[READY] == many);
    char last[32], sentence[96];
    snprintf(last, sizeof last, "own.%d", many - 5);
    long among_many = counts ? cost_of_post(last) : 0, first = counts ? cost_of_post("own.5") : 0;
    snprintf(sentence, sizeof sentence, "a post takes %ld instructions among 10, %ld and %ld among %d", among_few,
             among_many, first, many);
    if (among_many * 4 > among_few * 5 || first * 4 > among_few * 5) check_failed(__FILE__, __LINE__, sentence);
    if (!among_few && counts) skip("no process may be traced here");
    CHECK(watchers_of("all") == (uint32_t)many && watchers_of(last) == 1);
    long calls = board->at[S + 1];
    post_to_host("all");
    EVENTUALLY(board->at[S + 1] == calls + many);
    for (int i = 0; i < many; i++) kill(crowd[i], SIGKILL);
    for (int i = 0; i < many; i++) waitpid(crowd[i], NULL, 0);
    free(crowd);
}

/* ---- The dead ---------------------------------------------------------------------------------------------------- */

HOST_TEST(dead_processes_are_swept_by_those_that_are_idle) {
    enum { VICTIMS = 20 };
    pid_t victims[VICTIMS], watcher = process(watch_s);
    EVENTUALLY(board->at[READY] == 1);
    for (number_in_crowd = 0; number_in_crowd < VICTIMS; number_in_crowd++) {
        victims[number_in_crowd] = process(watch_in_crowd);
        EVENTUALLY(board->at[READY] == number_in_crowd + 2);
    }
    struct herald_host_header *header = map_file();
    CHECK(bits_of(header, "own.") == VICTIMS && bits_of(header, "all") == VICTIMS);
    for (int i = 0; i < VICTIMS; i++) end_by(victims[i], SIGKILL);
    EVENTUALLY(bits_of(header, "own.") == 0 && bits_of(header, "all") == 0);
    CHECK(bits_of(header, "s") == 1);
    post_to_host("s");
    EVENTUALLY(board->at[S] == 1);
    munmap(header, HERALD_HOST_LOG_AT);
    board->at[STOP] = 1;
    join(watcher);
}

/* ---- Nothing to do ----------------------------------------------------------------------------------------------- */

static void watch_and_wait(void) {
    let_watcher_sleep(NOT_AT_ALL);
    hear_into("s", S, NULL);
    board->at[SPREAD] = (long)(herald_host_identity() % 8);
    board->at[READY]++;
    while (!board->at[STOP]) pause_for(1000);
    let_watcher_sleep(UNTIL_WOKEN);
    board->at[MARK] = 1;
    for (;;) pause_for(1000000);
}
/* The sleeps that it has asked for since the change number `from`: a second, then twice as long each time, at last
 * about a minute. */
static void check_sleeps(int from) {
    uint32_t longest = 60000 - (uint32_t)board->at[SPREAD] * 1000, asked = 1000;
    int last = board->changes - 1;
    for (int i = from; i <= last; i++)
        if (board->asked_for[i] == 1000) from = i; /* a poster's wake may come late: then the series begins again */
    for (; from <= last; from++, asked = 2 * asked < longest ? 2 * asked : longest) {
        char sentence[80];
        snprintf(sentence, sizeof sentence, "sleep %d is for %u ms, not %u", from, board->asked_for[from], asked);
        if (board->asked_for[from] != asked) check_failed(__FILE__, __LINE__, sentence);
    }
    CHECK(board->asked_for[last] == longest);
}
HOST_TEST(idle_watcher_wakes_less_and_less_often) {
    if (!WATCHERS_SLEEP_AS_THEY_ARE_LET) return;
    pid_t watcher = process(watch_and_wait);
    EVENTUALLY(board->at[READY] == 1);
    int sleeps = board->sleeps;
    EVENTUALLY(board->sleeps > sleeps + 20);
    check_sleeps(0);
    int changes = board->changes;
    post_to_host("s");
    EVENTUALLY(board->at[S] == 1);
    sleeps = board->sleeps;
    EVENTUALLY(board->sleeps > sleeps + 20);
    check_sleeps(changes); /* from one second again */
    board->at[STOP] = 1;
    EVENTUALLY(board->at[MARK] == 1);
    pause_for(20000); /* until it sleeps */
    post_to_host("s");
    EVENTUALLY(board->at[S] == 2);
    end_by(watcher, SIGKILL);
}
