/* Posts when a signal arrives, although no function of Herald may be called in a signal handler (R15).
 *
 *      cc signals.c $(pkg-config --cflags --libs herald) -o signals
 *      ./signals signalfd      the signals are blocked and read from a descriptor; no handler runs
 *      ./signals pipe          a handler writes the number of the signal to a pipe
 *
 * SIGHUP posts "app.reload" and SIGTERM posts "app.end". The observers run on the thread that reads the descriptor, so
 * they may lock, allocate and call Herald.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <herald/herald.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* ---- signalfd ---- */

/* Call it before the first thread is made, because threads inherit the mask. Returns -1 on failure: see errno. */
static int open_signalfd(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int descriptor = signalfd(-1, &signals, SFD_CLOEXEC);
    return descriptor;
}

/* Waits for the next signal. Returns 0 if the descriptor cannot be read. */
static int read_signalfd(int descriptor) {
    struct signalfd_siginfo info;
    return read(descriptor, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

/* ---- A pipe ---- */

static int pipe_ends[2];

/* The write end does not block: while 65,536 signals wait in the pipe, a further one is lost. */
static void write_signal(int number) {
    int error = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t written = write(pipe_ends[1], &byte, 1);
    (void)written;
    errno = error;
}

static int open_pipe(void) {
    struct sigaction action = {.sa_handler = write_signal, .sa_flags = SA_RESTART};
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) return -1;
    fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK);
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return pipe_ends[0];
}

static int read_pipe(int descriptor) {
    unsigned char byte;
    return read(descriptor, &byte, 1) == 1 ? byte : 0;
}

/* ---- Posting ---- */

static void hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object, const void *userInfo) {
    (void)center, (void)observer, (void)object, (void)userInfo;
    puts(HeraldNameGetUTF8String(name));
    fflush(stdout);
}

int main(int argc, char **argv) {
    int is_pipe = argc > 1 && strcmp(argv[1], "pipe") == 0;
    int descriptor = is_pipe ? open_pipe() : open_signalfd();
    if (descriptor < 0) {
        perror("signals");
        return 1;
    }
    HeraldCenterRef center = HeraldCenterGetLocalCenter();
    HeraldNameRef reload = HeraldNameCreate("app.reload"), end = HeraldNameCreate("app.end");
    if (HeraldCenterAddObserver(center, NULL, hear, reload, NULL, HeraldSuspensionDeliverImmediately) != HeraldOK ||
        HeraldCenterAddObserver(center, NULL, hear, end, NULL, HeraldSuspensionDeliverImmediately) != HeraldOK)
        return 1;
    puts("ready");
    fflush(stdout);
    for (int number; (number = is_pipe ? read_pipe(descriptor) : read_signalfd(descriptor));) {
        HeraldCenterPostNotification(center, number == SIGHUP ? reload : end, NULL, NULL, false);
        if (number == SIGTERM) return 0;
    }
    perror("signals");
    return 1;
}
