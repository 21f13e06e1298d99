/* Threads of the libraries' own, and conditions. The threads get no signals that are meant for the program: their
 * signals are blocked, except those that report a fault of the thread itself, so that the program's handler for faults
 * runs. */
#ifndef HERALD_GROUND_THREAD_H
#define HERALD_GROUND_THREAD_H

#include "ground.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>

/* Blocks the signals of the calling thread, and of threads that it makes until it restores `before`. */
static inline void ground_thread_block_signals(sigset_t *before) {
    static const int faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&others, faults[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

static inline void ground_thread_restore_signals(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }

/* Starts a thread that calls `run`. If `thread` is NULL, the thread is detached.
 * The thread's stack has at least `stack` bytes. Returns 0, or the error of pthread_create. */
static inline int ground_thread_start(pthread_t *thread, size_t stack, void *(*run)(void *), void *context) {
    pthread_attr_t attributes;
    pthread_t detached;
    sigset_t before;
    size_t usual = 0;
    pthread_attr_init(&attributes);
    if (!thread) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_getstacksize(&attributes, &usual);
    if (usual < stack) pthread_attr_setstacksize(&attributes, stack);
    ground_thread_block_signals(&before);
    int error = pthread_create(thread ? thread : &detached, &attributes, run, context);
    ground_thread_restore_signals(&before);
    pthread_attr_destroy(&attributes);
    return error;
}

/* A condition whose waits end at a time of CLOCK_MONOTONIC. (pthread_cond_clockwait is not in every C library.) */
static inline void ground_condition_init(pthread_cond_t *condition) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

#endif
