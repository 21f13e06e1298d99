/* notify(3)'s functions over the host center, between processes. With OTHER_FILE this is the program's other file. */
#include <herald/notify.h>

#ifdef OTHER_FILE
bool is_valid_elsewhere(int token) { return notify_is_valid_token(token); }
#else
extern bool is_valid_elsewhere(int token);
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>

#define NAME "com.acme.changed"

static int failed;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) failed = printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
    } while (0)

static void post_elsewhere(const char *name) {
    pid_t child = fork();
    int status = -1;
    if (child == 0) _exit(notify_post(name) != NOTIFY_STATUS_OK);
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

enum { PATIENCE = 60 }; /* seconds */

/* The next token that a descriptor delivers; 0: none comes. */
static int delivered(int descriptor) {
    struct pollfd wait = {.fd = descriptor, .events = POLLIN, .revents = 0};
    uint32_t number = 0;
    if (poll(&wait, 1, PATIENCE * 1000) != 1) return 0;
    if (read(descriptor, &number, 4) != 4) return -1;
    return (int)ntohl(number);
}

static void checks(void) {
    int token = 0, other = 0, check = 7;
    CHECK(notify_register_check(NAME, &token) == NOTIFY_STATUS_OK && notify_is_valid_token(token));
    CHECK(notify_register_check(NAME, &other) == NOTIFY_STATUS_OK && other != token);
    CHECK(notify_check(token, &check) == NOTIFY_STATUS_OK && check == 1); /* the first check */
    CHECK(notify_check(token, &check) == NOTIFY_STATUS_OK && check == 0);
    post_elsewhere(NAME);
    CHECK(notify_check(token, &check) == NOTIFY_STATUS_OK && check == 1);
    CHECK(notify_check(token, &check) == NOTIFY_STATUS_OK && check == 0);
    CHECK(notify_suspend(token) == NOTIFY_STATUS_OK && notify_suspend(token) == NOTIFY_STATUS_OK);
    post_elsewhere(NAME);
    CHECK(notify_resume(token) == NOTIFY_STATUS_OK);
    CHECK(notify_check(token, &check) == NOTIFY_STATUS_OK && check == 0);
    CHECK(notify_resume(token) == NOTIFY_STATUS_OK && notify_resume(token) == NOTIFY_STATUS_OK);
    CHECK(notify_check(token, &check) == NOTIFY_STATUS_OK && check == 1);
    CHECK(is_valid_elsewhere(token) && !is_valid_elsewhere(-1));
    uint64_t state = 1;
    CHECK(notify_get_state(token, &state) == NOTIFY_STATUS_OK && state == 0);
    CHECK(notify_set_state(other, UINT64_MAX) == NOTIFY_STATUS_OK);
    CHECK(notify_get_state(token, &state) == NOTIFY_STATUS_OK && state == UINT64_MAX);
    CHECK(notify_cancel(token) == NOTIFY_STATUS_OK && notify_cancel(token) == NOTIFY_STATUS_INVALID_TOKEN);
    CHECK(!notify_is_valid_token(token) && notify_check(token, &check) == NOTIFY_STATUS_INVALID_TOKEN);
    CHECK(notify_check(other, &check) == NOTIFY_STATUS_OK && notify_cancel(other) == NOTIFY_STATUS_OK);
}

static void descriptors(void) {
    int descriptor = -1, same, token, other, last, next, check;
    CHECK(notify_register_file_descriptor(NAME, &descriptor, 0, &token) == NOTIFY_STATUS_OK && descriptor >= 0);
    same = descriptor;
    CHECK(notify_register_file_descriptor("com.acme.other", &same, NOTIFY_REUSE, &other) == NOTIFY_STATUS_OK);
    CHECK(same == descriptor && other != token);
    post_elsewhere(NAME);
    CHECK(delivered(descriptor) == token);
    post_elsewhere("com.acme.other");
    CHECK(delivered(descriptor) == other);
    CHECK(notify_check(token, &check) == NOTIFY_STATUS_OK && check == 1); /* a check works as well */
    CHECK(notify_suspend(token) == NOTIFY_STATUS_OK);
    for (int i = 0; i < 3; i++) { /* later posts arrive, and this one did not arrive before them */
        post_elsewhere(NAME);
        post_elsewhere("com.acme.other");
        CHECK(delivered(descriptor) == other);
    }
    CHECK(notify_resume(token) == NOTIFY_STATUS_OK);
    CHECK(delivered(descriptor) == token);
    post_elsewhere("com.acme.other");
    CHECK(delivered(descriptor) == other);
    for (int i = 0; i < 20000; i++) notify_post(NAME); /* without a reader posts do not wait */
    CHECK(notify_register_file_descriptor("com.acme.last", &same, NOTIFY_REUSE, &last) == NOTIFY_STATUS_OK);
    do notify_post("com.acme.last"); /* it is lost while the descriptor is full */
    while ((next = delivered(descriptor)) == token);
    CHECK(next == last && notify_cancel(last) == NOTIFY_STATUS_OK);
    CHECK(notify_cancel(token) == NOTIFY_STATUS_OK);
    CHECK(fcntl(descriptor, F_GETFD) == FD_CLOEXEC); /* the other token uses it */
    post_elsewhere(NAME);
    post_elsewhere("com.acme.other");
    while ((next = delivered(descriptor)) == last) continue; /* it was posted more than once */
    CHECK(next == other);
    CHECK(notify_cancel(other) == NOTIFY_STATUS_OK);
    for (int i = 0; i < PATIENCE * 100 && fcntl(descriptor, F_GETFD) != -1; i++) usleep(10000);
    CHECK(fcntl(descriptor, F_GETFD) == -1);
}

static void refused(void) {
    int token = 5, descriptor = 0, check;
    uint64_t state;
    char name[600];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    CHECK(notify_post(NULL) == NOTIFY_STATUS_INVALID_NAME && notify_post("") == NOTIFY_STATUS_INVALID_NAME);
    CHECK(notify_post(name) == NOTIFY_STATUS_INVALID_NAME);
    CHECK(notify_register_check(NULL, &token) == NOTIFY_STATUS_INVALID_NAME && token == 5);
    CHECK(notify_register_check(name, &token) == NOTIFY_STATUS_INVALID_NAME && token == NOTIFY_TOKEN_INVALID);
    CHECK(notify_register_check(NAME, NULL) == NOTIFY_STATUS_NULL_INPUT);
    CHECK(notify_register_file_descriptor(NULL, &descriptor, 0, &token) == NOTIFY_STATUS_INVALID_NAME);
    CHECK(notify_register_file_descriptor(NAME, NULL, 0, &token) == NOTIFY_STATUS_INVALID_FILE);
    CHECK(notify_register_file_descriptor(NAME, &descriptor, 0, NULL) == NOTIFY_STATUS_NULL_INPUT);
    CHECK(notify_register_file_descriptor(NAME, &descriptor, NOTIFY_REUSE, &token) == NOTIFY_STATUS_INVALID_FILE);
    CHECK(notify_register_file_descriptor(name, &descriptor, 0, &token) == NOTIFY_STATUS_INVALID_NAME);
    CHECK(descriptor == 0 && token == NOTIFY_TOKEN_INVALID);
    for (int wrong = -1; wrong < 1; wrong++) {
        CHECK(!notify_is_valid_token(wrong) && notify_cancel(wrong) == NOTIFY_STATUS_INVALID_TOKEN);
        CHECK(notify_check(wrong, &check) == NOTIFY_STATUS_INVALID_TOKEN);
        CHECK(notify_set_state(wrong, 1) == NOTIFY_STATUS_INVALID_TOKEN);
        CHECK(notify_get_state(wrong, &state) == NOTIFY_STATUS_INVALID_TOKEN);
        CHECK(notify_suspend(wrong) == NOTIFY_STATUS_INVALID_TOKEN);
        CHECK(notify_resume(wrong) == NOTIFY_STATUS_INVALID_TOKEN);
    }
    CHECK(notify_check(1, NULL) == NOTIFY_STATUS_NULL_INPUT && notify_get_state(1, NULL) == NOTIFY_STATUS_NULL_INPUT);
}

int main(void) {
    char folder[64];
    snprintf(folder, sizeof folder, "/dev/shm/herald-test-%d-XXXXXX", getpid());
    if (!mkdtemp(folder) || setenv("HERALD_HOST_DIRECTORY", folder, 1) != 0) return 1;
    checks();
    descriptors();
    refused();
    unlink(HeraldHostGetPath());
    rmdir(folder);
    return failed != 0;
}
#endif
