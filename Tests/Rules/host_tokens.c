/* The host center: check, state, file descriptors, suspension; and the behaviours that libnotify's tests check. */
#include "host.h"

static HeraldHostToken check_of(const char *name) {
    HeraldHostToken token = 0;
    CHECK(HeraldHostRegisterCheck(name, &token) == HeraldOK && token != 0);
    return token;
}
static uint64_t posts_of(HeraldHostToken token) {
    uint64_t posts = UINT64_MAX;
    CHECK(HeraldHostCheck(token, &posts) == HeraldOK);
    return posts;
}

HOST_TEST(first_check_is_true_and_then_only_after_posts) {
    HeraldHostToken token = check_of("a"), late;
    CHECK(posts_of(token) == 1 && posts_of(token) == 0);
    post_to_host("a");
    post_to_host("a");
    post_to_host("b");
    CHECK(posts_of(token) == 2 && posts_of(token) == 0);
    late = check_of("a");
    post_to_host("a");
    CHECK(posts_of(late) == 2 && posts_of(late) == 0 && posts_of(token) == 1);
    CHECK(HeraldHostCancel(token) == HeraldOK && HeraldHostCancel(token) == HeraldInvalidArgument);
    uint64_t posts;
    CHECK(HeraldHostCheck(token, &posts) == HeraldInvalidArgument && says("token"));
    CHECK(HeraldHostCheck(0, &posts) == HeraldInvalidArgument);
    CHECK(HeraldHostCheck(late, NULL) == HeraldInvalidArgument);
    CHECK(HeraldHostCheck(UINT64_MAX, &posts) == HeraldInvalidArgument);
    CHECK(check_of("a") != token);
}

static void post_and_set(void) {
    HeraldHostToken token = check_of("a");
    CHECK(HeraldHostSetState(token, UINT64_MAX) == HeraldOK);
    post_to_host("a");
    CHECK(HeraldHostCancel(token) == HeraldOK);
}
HOST_TEST(state_is_seen_by_all_and_outlives_registrations) {
    HeraldHostToken token = check_of("a");
    uint64_t state = 7;
    CHECK(HeraldHostGetState(token, &state) == HeraldOK && state == 0);
    CHECK(posts_of(token) == 1);
    CHECK(HeraldHostSetState(token, 5) == HeraldOK && posts_of(token) == 0); /* setting a state posts nothing */
    CHECK(HeraldHostCancel(token) == HeraldOK);
    join(process(post_and_set));
    token = check_of("a");
    CHECK(HeraldHostGetState(token, &state) == HeraldOK && state == UINT64_MAX);
    CHECK(HeraldHostGetState(0, &state) == HeraldInvalidArgument && HeraldHostSetState(0, 1) == HeraldInvalidArgument);
    CHECK(HeraldHostGetState(token, NULL) == HeraldInvalidArgument);
}

/* ---- Suspension -------------------------------------------------------------------------------------------------- */

HOST_TEST(suspension_of_a_token_nests_and_collapses_posts) {
    HeraldHostToken token = check_of("a");
    posts_of(token);
    CHECK(HeraldHostResume(token) == HeraldInvalidArgument && says("not suspended"));
    CHECK(HeraldHostSuspend(token) == HeraldOK && HeraldHostSuspend(token) == HeraldOK);
    for (int i = 0; i < 10; i++) post_to_host("a");
    CHECK(posts_of(token) == 0);
    CHECK(HeraldHostResume(token) == HeraldOK && posts_of(token) == 0);
    CHECK(HeraldHostResume(token) == HeraldOK && posts_of(token) == 10 && posts_of(token) == 0);
    CHECK(HeraldHostSuspend(0) == HeraldInvalidArgument && HeraldHostResume(0) == HeraldInvalidArgument);
}

static bool readable(int descriptor, int milliseconds) {
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    return poll(&one, 1, milliseconds) == 1;
}
static uint64_t read_posts(int descriptor) {
    uint64_t posts = 0;
    CHECK(read(descriptor, &posts, sizeof posts) == sizeof posts);
    return posts;
}

HOST_TEST(file_descriptor_becomes_readable_with_the_number_of_posts) {
    int descriptor = -1, other = -1;
    HeraldHostToken token, second, third;
    CHECK(HeraldHostRegisterFileDescriptor("a", false, &descriptor, &token) == HeraldOK);
    CHECK(fcntl(descriptor, F_GETFD) == FD_CLOEXEC && (fcntl(descriptor, F_GETFL) & O_NONBLOCK));
    CHECK(!readable(descriptor, 0));
    post_to_host("a");
    CHECK(readable(descriptor, PATIENCE * 1000) && read_posts(descriptor) == 1 && !readable(descriptor, 0));
    uint64_t sum = 0;
    for (int i = 0; i < 1000; i++) post_to_host("a");
    while (sum < 1000 && readable(descriptor, PATIENCE * 1000)) sum += read_posts(descriptor);
    CHECK(sum == 1000);

    other = descriptor; /* shared */
    CHECK(HeraldHostRegisterFileDescriptor("b", true, &other, &second) == HeraldOK && other == descriptor);
    CHECK(posts_of(token) == 1002 && posts_of(second) == 1); /* the first check of each token */
    post_to_host("b");
    CHECK(readable(descriptor, PATIENCE * 1000) && read_posts(descriptor) == 1 && posts_of(token) == 0 &&
          posts_of(second) == 1);

    CHECK(HeraldHostSuspend(second) == HeraldOK);
    for (int i = 0; i < 3; i++) {
        post_to_host("b");
        pause_for(3000);
    }
    post_to_host("a"); /* after these */
    CHECK(readable(descriptor, PATIENCE * 1000) && read_posts(descriptor) == 1 && !readable(descriptor, 0));
    CHECK(HeraldHostResume(second) == HeraldOK && readable(descriptor, 0) && read_posts(descriptor) == 3);

    CHECK(HeraldHostCancel(token) == HeraldOK && fcntl(descriptor, F_GETFD) >= 0); /* the other token still uses it */
    CHECK(HeraldHostCancel(second) == HeraldOK && fcntl(descriptor, F_GETFD) < 0);
    other = 0;
    CHECK(HeraldHostRegisterFileDescriptor("b", true, &other, &third) == HeraldInvalidArgument && third == 0);
    CHECK(HeraldHostRegisterFileDescriptor("b", false, NULL, &third) == HeraldInvalidArgument);
    CHECK(HeraldHostRegisterFileDescriptor("b", false, &other, NULL) == HeraldInvalidArgument);
}

/* ---- As in libnotify's tests ------------------------------------------------------------------------------------- */

HOST_TEST(takes_50000_registrations_of_one_name) {
    enum { MANY = 50000 };
    HeraldHostToken *tokens = calloc(MANY, sizeof *tokens);
    HeraldToken *observers = calloc(MANY, sizeof *observers);
    for (int i = 0; i < MANY; i++) {
        tokens[i] = check_of("many");
        hear_into("many", 0, &observers[i]);
        posts_of(tokens[i]);
    }
    post_to_host("many");
    EVENTUALLY(board->at[1] == MANY);
    for (int i = 0; i < MANY; i++) {
        if (posts_of(tokens[i]) != 1) CHECK(!"a token was not told");
        if (HeraldHostCancel(tokens[i]) != HeraldOK) CHECK(!"a token could not be cancelled");
        HeraldCenterRemoveToken(HeraldCenterGetHostCenter(), observers[i]);
    }
    free(tokens);
    free(observers);
}

HOST_TEST(tells_all_of_500_duplicates_of_one_post) {
    enum { MANY = 500 };
    int descriptors[MANY];
    HeraldHostToken tokens[MANY];
    for (int i = 0; i < MANY; i++)
        CHECK(HeraldHostRegisterFileDescriptor("dup", false, &descriptors[i], &tokens[i]) == HeraldOK);
    post_to_host("dup");
    for (int i = 0; i < MANY; i++) CHECK(readable(descriptors[i], PATIENCE * 1000) && read_posts(descriptors[i]) == 1);
    for (int i = 0; i < MANY; i++) CHECK(HeraldHostCancel(tokens[i]) == HeraldOK);
}

static void cancel_itself(struct listener *self, HeraldCenterRef center) {
    CHECK(HeraldCenterRemoveToken(center, self->token));
    CHECK(HeraldHostCancel(*(HeraldHostToken *)self->context) == HeraldOK);
}
HOST_TEST(token_may_be_cancelled_in_the_callback) {
    HeraldHostToken token = check_of("a");
    struct listener listener = {.then = cancel_itself, .context = &token};
    add(HeraldCenterGetHostCenter(), &listener, name_of("a"), NULL);
    post_to_host("a");
    EVENTUALLY(listener.released == 1);
    CHECK(listener.calls == 1 && HeraldHostCancel(token) == HeraldInvalidArgument);
}

enum { ROUNDS = 25000, CROWD = 4 }; /* 100,000 in all */
static void *register_and_cancel(void *number) {
    char name[16];
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(name, sizeof name, "race.%d", (i + (int)(intptr_t)number) % 3);
        HeraldHostToken token = check_of(name);
        post_to_host(name);
        if (posts_of(token) < 2) CHECK(!"a post was missed");
        if (HeraldHostCancel(token) != HeraldOK) CHECK(!"a token was lost");
        if (i % 100 == 0) {
            HeraldToken observer;
            hear_into(name, 0, &observer);
            HeraldCenterRemoveTokenAndWait(HeraldCenterGetHostCenter(), observer);
        }
    }
    return NULL;
}
HOST_TEST(survives_100000_parallel_registrations_posts_and_cancels) {
    pthread_t crowd[CROWD];
    for (int i = 0; i < CROWD; i++) pthread_create(&crowd[i], NULL, register_and_cancel, (void *)(intptr_t)i);
    for (int i = 0; i < CROWD; i++) pthread_join(crowd[i], NULL);
}

/* ---- Fork and exec ----------------------------------------------------------------------------------------------- */

static HeraldHostToken inherited, inherited_with_descriptor;
static void go_on_in_child(void) {
    uint64_t posts;
    post_to_host("to.parent");
    EVENTUALLY(board->at[0] == 1); /* by the parent: no other process watches yet */
    CHECK(HeraldHostCheck(inherited, &posts) == HeraldOK);
    CHECK(HeraldHostCheck(inherited_with_descriptor, &posts) == HeraldInvalidArgument);
    hear_into("to.both", 2, NULL);      /* an inherited name: the child's watcher begins */
    hear_into("new.in.child", 6, NULL); /* and one of its own */
    EVENTUALLY(board->at[0] == 2);      /* the posts that the inherited observer has missed since the fork */
    board->at[11] = 1;
    EVENTUALLY(board->at[2] == 1 && board->at[6] == 1);
    EVENTUALLY(board->at[13]);
}
HOST_RULE(18, child_of_a_fork_posts_and_observes) {
    int descriptor;
    hear_into("to.parent", 0, NULL);
    hear_into("to.both", 4, NULL);
    inherited = check_of("checked");
    CHECK(HeraldHostRegisterFileDescriptor("d", false, &descriptor, &inherited_with_descriptor) == HeraldOK);
    pid_t child = process(go_on_in_child);
    EVENTUALLY(board->at[11]);
    post_to_host("to.both");
    post_to_host("new.in.child");
    EVENTUALLY(board->at[4] == 2); /* the child has inherited the observer, and hears it too */
    post_to_host("d");
    CHECK(readable(descriptor, PATIENCE * 1000) && read_posts(descriptor) == 1);
    board->at[13] = 1;
    join(child);
    post_to_host("to.parent"); /* the parent has lost nothing because of its child */
    EVENTUALLY(board->at[0] == 3);
}

static void watch_and_exec(void) {
    hear_into("a", 0, NULL);
    board->at[10] = 1;
    EVENTUALLY(board->at[11]);
    execl("/bin/sleep", "sleep", "30", (char *)NULL);
}
HOST_TEST(exec_while_watching_ends_the_watching) {
    pid_t child = process(watch_and_exec);
    EVENTUALLY(board->at[10]);
    CHECK(watchers_of("a") == 1);
    board->at[11] = 1;
    EVENTUALLY(watchers_of("a") == 0);
    hear_into("a", 0, NULL);
    post_to_host("a");
    EVENTUALLY(board->at[0] == 1);
    end_by(child, SIGKILL);
}
