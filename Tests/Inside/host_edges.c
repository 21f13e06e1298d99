/* The host center in ordinary programs: they close standard files, cancel threads, and fork anywhere. */
#include "file.h"

/* ---- Descriptors ------------------------------------------------------------------------------------------------- */

static void without_standard_files(void) {
    char found[128], path[64];
    for (int i = 0; i < 3; i++) close(i);
    int descriptor;
    HeraldHostToken token;
    hear_into("a", 0, NULL);
    CHECK(HeraldHostRegisterFileDescriptor("a", false, &descriptor, &token) == HeraldOK && descriptor > 2);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", i);
        CHECK(readlink(path, found, sizeof found) < 0);
    }
    post_to_host("a");
    EVENTUALLY(board->at[0] == 1);
}
HOST_TEST(keeps_away_from_the_numbers_of_standard_files) { join(process(without_standard_files)); }

/* ---- Cancellation ------------------------------------------------------------------------------------------------ */

static HeraldHostToken last_token; /* not on the stack: the address sanitizer loses track of it there */
static void *register_for_ever(void *unused) {
    static int descriptor;
    while (!unused) {
        CHECK(HeraldHostRegisterFileDescriptor("a", false, &descriptor, &last_token) == HeraldOK);
        HeraldHostCancel(last_token);
        pthread_testcancel();
    }
    return unused;
}
HOST_TEST(cancelled_thread_leaves_no_lock_behind) {
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, register_for_ever, NULL);
        pause_for((unsigned)i * 5);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        HeraldHostCancel(last_token);
    }
    hear_into("a", 0, NULL);
    post_to_host("a");
    EVENTUALLY(board->at[0] == 1);
}

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

static void register_in_release(void *observer) {
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("of.release", &token) == HeraldOK);
    ++*(atomic_long *)observer;
}
static struct step inside = {0};
static HeraldCenterRef other;
static void stay(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    step_reach(&inside, 1);
    step_await(&inside, 2);
}
static void *post_elsewhere(void *unused) {
    HeraldCenterPostNotification(other, name_of("stay"), NULL, NULL, false);
    return unused;
}
static void release_inherited(void) {
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("new", &token) ==
          HeraldOK); /* a change of a center: the inherited release runs in it, or later */
    HeraldCenterRelease(new_center());
    HeraldToken observer;
    hear_into("a", 4, &observer);
    HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), observer);
    CHECK(board->at[0] == 1);
}
HOST_RULE(18, releases_that_a_child_inherits_may_use_the_host_center) {
    if (UNDER_THREAD_SANITIZER) return;
    pthread_t thread;
    HeraldToken token;
    HeraldHostToken check;
    HeraldObserverOptions options = {.size = sizeof options, .release = register_in_release};
    other = new_center();
    CHECK(HeraldHostRegisterCheck("first", &check) == HeraldOK);
    CHECK(HeraldCenterAddObserverWithOptions(other, &board->at[0], stay, name_of("stay"), NULL, &options, &token) ==
          HeraldOK);
    pthread_create(&thread, NULL, post_elsewhere, NULL);
    CHECK(step_await(&inside, 1));
    CHECK(HeraldCenterRemoveToken(other, token)); /* its release is left to the thread that is in the call */
    join(process(release_inherited));
    board->at[0] = 0;
    step_reach(&inside, 2);
    pthread_join(thread, NULL);
    CHECK(board->at[0] == 1);
}

static _Atomic pid_t forked;
static void fork_inside(struct listener *self, HeraldCenterRef center) {
    (void)center;
    if (self->calls > 1) return;
    pid_t child = fork();
    if (child) {
        forked = child;
        return;
    }
    alarm(WATCHDOG);
    self->context = self; /* this is the child, on its only thread */
}
static void note_in_child(struct listener *self, HeraldCenterRef center) {
    (void)center;
    board->at[((const struct listener *)self->context)->context ? 5 : 4]++;
}
HOST_TEST(child_that_a_callback_has_forked_goes_on_as_watcher) {
    if (UNDER_THREAD_SANITIZER) return;
    static struct listener forks, hears;
    forks = (struct listener){.then = fork_inside};
    hears = (struct listener){.then = note_in_child, .context = &forks};
    add(HeraldCenterGetHostCenter(), &forks, name_of("fork"), NULL);
    add(HeraldCenterGetHostCenter(), &hears, name_of("hear"), NULL);
    post_to_host("fork");
    EVENTUALLY(forked > 0);
    EVENTUALLY((post_to_host("hear"), board->at[5] > 0 && board->at[4] > 0));
    end_by(forked, SIGKILL);
}

/* ---- Posts ------------------------------------------------------------------------------------------------------- */

/* As a poster that is killed between counting and waking. */
static void count_without_ringing(const char *name) {
    struct herald_host_header *header = map_file();
    for (uint32_t i = 0; i < herald_host_region_names(0); i++) {
        struct herald_host_entry *entry = herald_host_region_entries(header, 0) + i;
        uint64_t word = entry->name;
        const char *text = herald_host_region_texts(header, 0) + (word >> 32);
        if (word && !strncmp(text, name, strlen(name))) entry->posts++;
    }
    munmap(header, HERALD_HOST_LOG_AT);
}
HOST_TEST(count_of_a_killed_poster_is_heard_in_time_whatever_else_is_posted) {
    char name[8];
    let_watcher_sleep(UNTIL_WOKEN); /* and it is woken all the time */
    hear_into("self.busy", 2, NULL);
    for (int i = 0; i < 8; i++) { /* enough names that they are not all in the group of the busy one */
        snprintf(name, sizeof name, "k.%d", i);
        hear_into(name, 0, NULL);
        post_to_host(name);
    }
    EVENTUALLY(board->at[0] == 8); /* the watcher has looked at all of them, and has no reason to look again */
    count_without_ringing("k.");
    EVENTUALLY((post_to_host("self.busy"), board->at[0] == 16));
}

static void note_name(void *names, const HeraldHostNameInfo *info) {
    strncat(names, info->name, 31);
    strcat(names, " ");
}
HOST_TEST(name_whose_text_lies_outside_its_region_is_not_read) {
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("inside", &token) == HeraldOK);
    CHECK(HeraldHostRegisterCheck("outside", &token) == HeraldOK);
    struct herald_host_header *header = map_file();
    for (uint32_t i = 0; i < herald_host_region_names(0); i++) {
        struct herald_host_entry *entry = herald_host_region_entries(header, 0) + i;
        const char *text = herald_host_region_texts(header, 0) + (entry->name >> 32);
        if (entry->name && !strncmp(text, "outside", 7)) entry->name |= UINT64_C(0xf0000000) << 32;
    }
    char names[256] = "";
    CHECK(HeraldHostVisitNames(note_name, names) == HeraldOK);
    CHECK(strcmp(names, "inside ") == 0);
    CHECK(HeraldHostPost("outside") == HeraldOK);
    munmap(header, HERALD_HOST_LOG_AT);
}

static void enter_x(void) {
    HeraldHostToken token;
    CHECK(HeraldHostRegisterCheck("x", &token) == HeraldOK);
}
static void post_and_watch_x(void) {
    post_to_host("x");
    hear_into("x", 0, NULL);
    board->at[10] = 1;
    EVENTUALLY(board->at[11]);
}
HOST_TEST(name_is_found_though_the_process_that_entered_it_was_killed_before_it_said_so) {
    post_to_host("x"); /* it is not in the file: this is remembered until a process reports new names */
    struct herald_host_header *header = map_file();
    uint64_t changes = header->changes;
    join(process(enter_x));
    header->changes = changes;
    pid_t watcher = process(post_and_watch_x);
    EVENTUALLY(board->at[10]);
    post_to_host("x");
    EVENTUALLY(board->at[0] == 1);
    board->at[11] = 1;
    join(watcher);
}

enum { HOT = 300 };
static HeraldNameRef hot[HOT];
static atomic_long calls_of_hot[HOT];
static void be_slow(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    (void)center, (void)name, (void)object, (void)userInfo;
    for (uint64_t end = nanoseconds() + 20000; nanoseconds() < end;) continue; /* a sleep may last much longer */
    ++*(atomic_long *)observer;
}
HOST_TEST(names_that_are_all_busy_have_their_turns) {
    char name[16];
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    for (int i = 0; i < HOT; i++) {
        snprintf(name, sizeof name, "hot.%d", i);
        hot[i] = name_of(name);
        CHECK(HeraldCenterAddObserver(host, &calls_of_hot[i], be_slow, hot[i], NULL, HeraldSuspensionDrop) == HeraldOK);
    }
    enum { TURNS = 30 }; /* more than it can call in a round */
    for (uint64_t end = end_of_patience(); calls_of_hot[0] < TURNS && patient_nanoseconds() < end;)
        for (int i = 0; i < HOT; i++) HeraldCenterPostNotification(host, hot[i], NULL, NULL, false);
    long least = calls_of_hot[0], most = least;
    for (int i = 0; i < HOT; i++) {
        if (calls_of_hot[i] < least) least = calls_of_hot[i];
        if (calls_of_hot[i] > most) most = calls_of_hot[i];
    }
    CHECK(least >= TURNS / 2 && most <= 2 * least + 2);
}

static void end_thread_once(struct listener *self, HeraldCenterRef center) {
    (void)center;
    if (self->calls == 1) {
        pause_for(100000); /* the other names are posted in this time */
        pthread_exit(NULL);
    }
}
HOST_TEST(descriptors_are_told_once_when_a_callback_ends_the_thread) {
    struct listener listener = {.then = end_thread_once};
    int descriptors[8];
    HeraldHostToken token;
    char name[16];
    add(HeraldCenterGetHostCenter(), &listener, name_of("end"), NULL);
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "d.%d", i);
        CHECK(HeraldHostRegisterFileDescriptor(name, false, &descriptors[i], &token) == HeraldOK);
        hear_into(name, 0, NULL);
    }
    post_to_host("end");
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "d.%d", i);
        post_to_host(name);
    }
    EVENTUALLY(board->at[1] == 8);
    CHECK(board->at[0] == 8);
    for (int i = 0; i < 8; i++) {
        uint64_t posts = 0;
        CHECK(read(descriptors[i], &posts, sizeof posts) == sizeof posts && posts == 1);
    }
}

/* ---- States ------------------------------------------------------------------------------------------------------ */

static HeraldHostToken state_token;
static void move_late(void) {
    uint64_t state;
    CHECK(HeraldHostRegisterCheck("a", &state_token) == HeraldOK);
    board->at[10] = 1;
    EVENTUALLY(board->at[11]);
    pass_a_second();
    CHECK(HeraldHostGetState(state_token, &state) == HeraldOK && state == 0);
}
SLOW_HOST_TEST(state_that_was_set_to_0_after_a_removal_stays_0, "a process looks after its file once a second") {
    CHECK(HeraldHostRegisterCheck("a", &state_token) == HeraldOK && HeraldHostSetState(state_token, 7) == HeraldOK);
    pid_t late = process(move_late);
    EVENTUALLY(board->at[10]);
    unlink(host_file);
    pass_a_second();
    CHECK(HeraldHostSetState(state_token, 0) == HeraldOK);
    board->at[11] = 1;
    join(late);
    uint64_t state = 1;
    CHECK(HeraldHostGetState(state_token, &state) == HeraldOK && state == 0);
}
