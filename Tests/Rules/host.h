/* What the tests of the host center share: a folder of their own, processes, and numbers that these have in common. */
#ifndef HERALD_HOST_TESTS_H
#define HERALD_HOST_TESTS_H

#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <herald/host.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* Runs a test in a process of its own, that has not used the host center yet and finds an empty folder for it. */
void in_host(void (*function)(void), const char *file, int line);
#define IN_HOST(function) in_host(function, __FILE__, __LINE__)
/* A rule whose body runs so: HOST_RULE(23, lost) is called R23_Host_lost. HOST_TEST(lost) is about what host.h says and
 * the contract does not, and is called Host_lost. */
#define HOST_ENTRY(text, name, why)                                                                                    \
    static void name##_in_host(void);                                                                                  \
    RULE_ENTRY(text, rule_##name, why) { IN_HOST(name##_in_host); }                                                    \
    static void name##_in_host(void)
#define HOST_RULE(number, name) HOST_ENTRY(RULE_TEXT(number, Host_##name), name, NULL)
#define SLOW_HOST_RULE(number, name, why) HOST_ENTRY(RULE_TEXT(number, Host_##name), name, why)
#define HOST_TEST(name) HOST_ENTRY("Host_" #name, name, NULL)
#define SLOW_HOST_TEST(name, why) HOST_ENTRY("Host_" #name, name, why)

extern char host_folder[64], host_file[128]; /* of this test */

/* Another process, that ends when the function returns. Its failed checks are the test's. */
pid_t process(void (*function)(void));
void join(pid_t process); /* waits for it, and checks that it ended well */
void end_by(pid_t process, int signal);

/* From now on this process runs on one processor, and so do those that it begins: a process that is traced step by step
 * and the one that traces it, of which only one runs at a time, need not wake another processor with each step. */
void stay_on_one_processor(void);

/* Numbers that all processes of a test see. */
extern struct board {
    atomic_long at[64];
    /* Of a watcher whose time is over at once: how often it has slept, and the milliseconds that it asked for, each
     * time that these were others. */
    atomic_int sleeps, changes;
    _Atomic uint32_t asked_for[64];
} * board;

/* Whether a loop over instants that chance picks goes on: `times` times, but where the machine is slow for as long as
 * the test may take, after the first hundred. */
bool goes_on(int done, int times);
/* What is done by chance is done less often where everything is slow. */
#define OFTEN(times) (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER ? (times) / 10 : (times))

/* Waits for it; red when it does not come at all. What has been true once is not asked for again. */
#define EVENTUALLY(condition)                                                                                          \
    do {                                                                                                               \
        bool met_ = false;                                                                                             \
        for (uint64_t end_ = end_of_patience(); !(met_ = (condition)) && nanoseconds() < end_;) pause_for(100);        \
        if (!met_) check_failed(__FILE__, __LINE__, #condition);                                                       \
    } while (0)
uint64_t end_of_patience(void); /* sooner once a check has failed */
uint64_t nanoseconds(void);
void pause_for(unsigned microseconds);
void pass_a_second(void); /* until each clock that looks at the file go by is in another second */

/* How the watcher of this process sleeps. A poster that has failed to wake it is found out by a watcher that sleeps
 * until it is woken: the look that it takes by the clock would repair that. */
enum sleep {
    AS_IT_ASKS,
    UNTIL_WOKEN, /* where it asks for a second or more */
    NOT_AT_ALL   /* its time is over at once */
};
void let_watcher_sleep(enum sleep how);
/* On other processors it sleeps as it asks, whatever is asked here: the tests find less. */
#if defined __x86_64__ || defined __aarch64__
#define WATCHERS_SLEEP_AS_THEY_ARE_LET true
#else
#define WATCHERS_SLEEP_AS_THEY_ARE_LET false
#endif

/* Observers on the host center; `count` in the board gets the posts they hear, with +1 the calls. */
void hear_into(const char *name, int count, HeraldToken *token);
size_t post_to_host(const char *name);
void await_deliveries(void); /* until the watcher of this process has delivered all that was posted before */
int names(void);             /* how many are in the table */
bool says(const char *part); /* the thread's last sentence contains this */

/* How many processes hear the names that begin so, taken together. */
uint32_t watchers_of(const char *beginning);
void skip(const char *why);
/* How many sockets of inspectors this process number has, by their names; the path of one of them. */
int sockets_of(pid_t process, char path[108]);
/* Another process, that is process 1 of a namespace of its own, as in a container; 0: skipped, there can be none here.
 * Before this process has other threads. */
pid_t process_1(void (*function)(void));
/* A disk of this size over the folder, which no other process sees; false: skipped, none may be mounted here. */
bool mount_disk(const char *size);
bool resize_disk(const char *size);
unsigned any(unsigned limit); /* by chance */

#endif
