/* The kernel refuses membarrier. If the filter was there before the program started, posts carry fences. If it comes
 * later, a removal reports it and ends the process. The program starts itself again to be filtered early. */
#include <errno.h>
#include <herald/herald.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int forbid_membarrier(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

static int calls, released;
static void on_post(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                    const void *userInfo) {
    (void)center, (void)observer, (void)name, (void)object, (void)userInfo;
    calls++;
}
static void on_release(void *observer) {
    (void)observer;
    released++;
}
static void *post(void *name) {
    HeraldCenterPostNotification(HeraldCenterGetLocalCenter(), name, NULL, NULL, false);
    pause(); /* stays alive, so that a removal needs its barrier */
    return NULL;
}

static int use(void) {
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldNameRef name = HeraldNameCreate("filtered");
    HeraldObserverOptions options = {.size = sizeof options, .release = on_release};
    HeraldToken token;
    pthread_t thread;
    if (HeraldCenterAddObserverWithOptions(center, &calls, on_post, name, NULL, &options, &token) != HeraldOK) return 1;
    pthread_create(&thread, NULL, post, (void *)(size_t)name);
    while (!__atomic_load_n(&calls, __ATOMIC_ACQUIRE)) usleep(1000);
    HeraldTopicRef topic = HeraldTopicCreate(center, name, NULL);
    size_t posted = HeraldTopicPost(topic, NULL);
    HeraldTopicRelease(topic);
    return !(posted == 1 && HeraldCenterRemoveTokenAndWait(center, token) && released == 1 && calls == 2);
}

int main(int argc, char **argv) {
    (void)argc;
    if (argc > 1) return use(); /* with the filter from before the start */
    pid_t child = fork();
    int status;
    if (child == 0) {
        if (forbid_membarrier()) _exit(77);
        execl("/proc/self/exe", argv[0], "filtered", (char *)NULL);
        _exit(2);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return puts("skipped: no seccomp here"), 0;
    if (status != 0) return puts("a filter from the start: failed"), 1;

    int ends[2];
    char said[300] = "";
    if (pipe(ends) != 0) return 1;
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        if (forbid_membarrier()) _exit(77);
        _exit(use());
    }
    close(ends[1]);
    if (read(ends[0], said, sizeof said - 1) < 0) return 1;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || !strstr(said, "membarrier"))
        return printf("a filter that comes later: %d %s\n", status, said), 1;
    return puts("passed"), 0;
}
