/* Shared by the tests of the rules: checks, and observers that record their calls. */
#ifndef HERALD_CHECK_H
#define HERALD_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "claim.h"
#include <herald/herald.h>
#include <herald/transport.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#define sigev_notify_thread_id _sigev_un._tid
#else /* musl does not count: all measurements are zero */
struct mallinfo2 {
    size_t uordblks, fordblks, hblkhd;
};
static inline struct mallinfo2 mallinfo2(void) { return (struct mallinfo2){0, 0, 0}; }
static inline int malloc_trim(size_t pad) { return pad == 0; }
enum { M_TRIM_THRESHOLD = -1 };
static inline int mallopt(int parameter, int value) { return parameter == value; }
#endif

/* The calls in order: a letter for each. */
struct record {
    pthread_mutex_t lock;
    char heard[256];
    size_t count;
};
void record_clear(struct record *record);
#define CHECK_HEARD(record, expected)                                                                                  \
    do {                                                                                                               \
        if (strcmp((record)->heard, (expected)) != 0) {                                                                \
            char sentence[600];                                                                                        \
            snprintf(sentence, sizeof sentence, "heard \"%.250s\", expected \"%s\"", (record)->heard, (expected));     \
            check_failed(__FILE__, __LINE__, sentence);                                                                \
        }                                                                                                              \
        record_clear(record);                                                                                          \
    } while (0)

/* An observer: records its letter, then runs `then`. */
struct listener {
    char letter;
    struct record *record;
    void (*then)(struct listener *self, HeraldCenterRef center);
    void *context;
    HeraldToken token;
    HeraldNameRef name; /* of the last call */
    const void *object, *userInfo, *tag;
    atomic_int calls, released;
};
void listener_hear(HeraldCenterRef center, void *observer, HeraldNameRef name, const void *object,
                   const void *userInfo);
void listener_released(void *observer); /* a release hook: counts */

/* Registers a listener with a release hook; checks that it worked. */
void add(HeraldCenterRef center, struct listener *listener, HeraldNameRef name, const void *object);
void add_with(HeraldCenterRef center, struct listener *listener, HeraldNameRef name, const void *object,
              HeraldSuspensionBehavior behavior);

HeraldCenterRef new_center(void);
HeraldNameRef name_of(const char *text);

/* Runs a function in a child process. Its stderr goes to `said`. Returns the wait status. */
int in_child(void (*function)(void), char *said, size_t size);
bool child_passed(void (*function)(void)); /* no check failed in it, and it exited */

/* The number of instructions of a function in a child process, after `prepare`; 0: no process may be traced here. */
long instructions_of(void (*prepare)(void), void (*function)(void));

/* For this thread, in case the caller of the rules has blocked it. */
void unblock(int signal);

/* A meeting of two threads: each waits until the other has reached the same step. */
struct step {
    atomic_int reached;
};
void step_reach(struct step *step, int value);
bool step_await(struct step *step, int value); /* false after a time-out */

#endif
