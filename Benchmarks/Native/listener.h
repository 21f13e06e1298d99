/* Waking another process: memory that the poster and the listener share, and how values are taken. */
#ifndef HERALD_BENCH_LISTENER_H
#define HERALD_BENCH_LISTENER_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <peer.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct board {
    _Atomic uint32_t ready, bell, answers;
    _Atomic double heard_at;
    _Atomic long calls[64];
} * board;

static inline void futex_wait(_Atomic uint32_t *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}
static inline void futex_wake(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0); }

/* A listener calls this as soon as it hears a post. */
static inline void heard(void) {
    board->heard_at = now();
    board->answers++;
    futex_wake(&board->answers);
}

static inline void make_board(void) {
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(board != MAP_FAILED);
}

/* Begins a process that listens, and that ends with this one. Returns NULL, or why it could not begin. */
static inline const char *begin_listener(void (*listen)(void *context), void *context) {
    uint32_t ready = board->ready;
    pin_to(-1);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return "no process can be made";
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        listen(context);
        _exit(1);
    }
    for (int i = 0; i < 5000; i++) {
        if (board->ready != ready) return NULL;
        if (waitpid(child, NULL, WNOHANG) != 0) break;
        usleep(1000);
    }
    return "the listening process has not begun";
}

/* Waits until the number of answers has changed. */
static inline void await_answer(uint32_t answers) {
    while (board->answers == answers) futex_wait(&board->answers, answers);
}

/* The time of one wakeup of a sleeping process, by a process that has nothing else to do. */
static inline double take_time(void (*wake)(void *context), void *context) {
    uint32_t answers = board->answers;
    usleep(100); /* until both sleep */
    double begin = now();
    wake(context);
    await_answer(answers);
    return board->heard_at - begin;
}

enum { WAKES = 500 };

/* Takes at most so many wakeups. */
static inline size_t take_times(void (*wake)(void *context), void *context, double *values, size_t most) {
    size_t count = most < WAKES ? most : WAKES;
    for (size_t i = 0; i < count; i++) values[i] = take_time(wake, context);
    return count;
}

#endif
