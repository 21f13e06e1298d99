/* What the tests of the rules share: checks, and observers that write down what they hear. */
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
#else /* musl does not count: what is measured is nothing, before and after */
struct mallinfo2 {
    size_t uordblks, fordblks, hblkhd;
};
static inline struct mallinfo2 mallinfo2(void) { return (struct mallinfo2){0, 0, 0}; }
#endif

/* What was heard, in order: a letter for each call. */
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

/* An observer: writes its letter, then does what it is told to. */
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

/* Runs a function in a child process. What it wrote to stderr goes to `said`; returns the wait status. */
int in_child(void (*function)(void), char *said, size_t size);
bool child_passed(void (*function)(void)); /* no check failed in it, and it exited */

/* How many instructions a function has, in a child process and after what prepares it; 0: none may be traced here. */
long instructions_of(void (*prepare)(void), void (*function)(void));

/* For this thread: whoever runs the rules may have blocked it. */
void unblock(int signal);

/* Two threads meet: each waits until the other has come as often. */
struct step {
    atomic_int reached;
};
void step_reach(struct step *step, int value);
bool step_await(struct step *step, int value); /* false when it did not come at all */

/* Seconds. No time is a condition of a test: what is to come is waited for so long, however slow the machine is, and a
 * process that does not end by itself is ended after as long as that may add up to. */
enum { PATIENCE = 60, WATCHDOG = 600 };

#endif
