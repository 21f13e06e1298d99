/* A native program that hears of another process in three ways: by a callback, by a descriptor, and by a check. */
#include <herald/host.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 60 }; /* seconds */
static atomic_int called;

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    called = observer == &called && center == HeraldCenterGetHostCenter() && name && !object && !userInfo;
}

static int fail(const char *what) {
    printf("%s: %s\n", what, HeraldHostGetErrorDescription());
    return 1;
}

int main(void) {
    char folder[64];
    snprintf(folder, sizeof folder, "/dev/shm/herald-test-%d-XXXXXX", getpid());
    if (!mkdtemp(folder) || setenv("HERALD_HOST_DIRECTORY", folder, 1) != 0) return fail("no folder");
    HeraldCenterRef host = HeraldCenterGetHostCenter();
    HeraldNameRef name = HeraldNameCreate("com.acme.changed");
    HeraldToken token;
    HeraldHostToken check, readable;
    int descriptor;
    uint64_t posts, state;
    if (HeraldCenterAddObserverWithOptions(host, (void *)&called, hear, name, NULL, NULL, &token) != HeraldOK ||
        HeraldHostRegisterCheck("com.acme.changed", &check) != HeraldOK ||
        HeraldHostRegisterFileDescriptor("com.acme.changed", false, &descriptor, &readable) != HeraldOK ||
        HeraldHostCheck(check, &posts) != HeraldOK || posts != 1)
        return fail("registering");
    pid_t child = fork();
    if (child == 0) {
        HeraldHostSetState(check, 7);
        HeraldCenterPostNotification(host, name, NULL, NULL, false);
        _exit(0);
    }
    struct pollfd wait = {.fd = descriptor, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, PATIENCE * 1000) != 1 || read(descriptor, &posts, sizeof posts) != sizeof posts || posts != 1)
        return fail("the descriptor");
    if (HeraldHostCheck(check, &posts) != HeraldOK || posts != 1) return fail("the check");
    if (HeraldHostGetState(check, &state) != HeraldOK || state != 7) return fail("the state");
    for (int i = 0; i < PATIENCE * 100 && !called; i++) usleep(10000);
    if (!called) return fail("the observer");
    HeraldCenterRemoveTokenAndWait(host, token);
    HeraldHostCancel(check);
    HeraldHostCancel(readable);
    waitpid(child, NULL, 0);
    unlink(HeraldHostGetPath());
    rmdir(folder);
    return 0;
}
