/* Shared by the tests of the host center: a folder for each test, processes, and numbers in shared memory. */
#ifndef HERALD_HOST_TESTS_H
#define HERALD_HOST_TESTS_H

#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <herald/host.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* Runs a test in a process of its own, which has not used the host center yet and has an empty folder for it. */
void in_host(void (*function)(void), const char *file, int line);
#define IN_HOST(function) in_host(function, __FILE__, __LINE__)
/* A rule with such a body. HOST_RULE(23, lost) has the name R23_Host_lost. HOST_TEST(lost) tests a promise that is in
 * host.h and not in the contract, and has the name Host_lost. */
#define HOST_ENTRY(text, name, why)                                                                                    \
    static void name##_in_host(void);                                                                                  \
    RULE_ENTRY(text, rule_##name, why) { IN_HOST(name##_in_host); }                                                    \
    static void name##_in_host(void)
#define HOST_RULE(number, name) HOST_ENTRY(RULE_TEXT(number, Host_##name), name, NULL)
#define SLOW_HOST_RULE(number, name, why) HOST_ENTRY(RULE_TEXT(number, Host_##name), name, why)
#define HOST_TEST(name) HOST_ENTRY("Host_" #name, name, NULL)
#define SLOW_HOST_TEST(name, why) HOST_ENTRY("Host_" #name, name, why)

extern char host_folder[64], host_file[128]; /* of this test */

/* Another process, which ends when the function returns. Its failed checks count as the test's. */
pid_t process(void (*function)(void));
void join(pid_t process); /* waits for it, and checks that it ended well */
void end_by(pid_t process, int signal);

/* From now on this process and its children run on one processor. A process that is traced step by step and its tracer
 * run alternately, so they need not wake another processor with each step. */
void stay_on_one_processor(void);

/* A process whose parent traces it step by step, and kills it or lets it go on. It does its work as `function`: it
 * prepares, asks to be traced, does what is traced, and says that this is over (board->is_over). */
bool ask_to_be_traced(void); /* false: no process may be traced here (board->is_untraced) */
/* Begins such a process, and waits until it is traced. */
pid_t begin_steps(void (*function)(void), int *status);
/* Lets it make so many steps of a kind (PTRACE_SINGLESTEP, PTRACE_SYSCALL). Returns false if what is traced is over or
 * a check has failed. */
bool steps(pid_t victim, int *status, int kind, int count);
int count_steps(void (*function)(void)); /* the instructions of what is traced; 0: no process may be traced here */
void let_go(pid_t victim);               /* to its end, which is waited for */

/* Numbers that all processes of a test see. */
extern struct board {
    atomic_long at[64];
    atomic_bool is_over, is_untraced; /* of the process that is traced */
    atomic_bool is_lost;              /* the file: who goes to sleep from now on sleeps as it asks */
    /* For a watcher that does not sleep: how often it would have slept, and the milliseconds that it asked for, each
     * time that they changed. */
    atomic_int sleeps, changes;
    _Atomic uint32_t asked_for[64];
} * board;

/* Whether a loop over random moments goes on: `times` times, or on a slow machine, after the first hundred, as long as
 * the test may take. */
bool goes_on(int done, int times);
void stop_process(pid_t process); /* waits until all its threads have stopped */

/* Waits until the condition holds; fails if it does not in time. A condition that was true once is not read again. */
#define EVENTUALLY(condition)                                                                                          \
    do {                                                                                                               \
        bool met_ = false;                                                                                             \
        for (uint64_t end_ = end_of_patience(); !(met_ = (condition)) && patient_nanoseconds() < end_;)                \
            pause_for(100);                                                                                            \
        if (!met_) check_failed(__FILE__, __LINE__, #condition);                                                       \
    } while (0)
uint64_t nanoseconds(void);
void pause_for(unsigned microseconds);
void pass_a_second(void); /* until every clock that checks for a new file once a second has gone to another second */

/* How the watcher of this process sleeps. A watcher that sleeps until it is woken finds a poster that fails to wake it:
 * its regular look at the clock would hide that. */
enum sleep {
    AS_IT_ASKS,
    UNTIL_WOKEN, /* when it asks for a second or more */
    NOT_AT_ALL   /* its sleeps end at once */
};
void let_watcher_sleep(enum sleep how);
/* On other processors it always sleeps as it asks: the tests find less there. */
#if defined __x86_64__ || defined __aarch64__
#define WATCHERS_SLEEP_AS_THEY_ARE_LET true
#else
#define WATCHERS_SLEEP_AS_THEY_ARE_LET false
#endif

/* An observer on the host center. Index `count` of the board gets the posts that it hears, the next index the calls. */
void hear_into(const char *name, int count, HeraldToken *token);
size_t post_to_host(const char *name);
void await_deliveries(void); /* until the watcher of this process has delivered all that was posted before */
int names(void);             /* how many names are in the table */
bool says(const char *part); /* the thread's last sentence contains this */

/* The number of processes that hear the names that begin so, added up. */
uint32_t watchers_of(const char *beginning);
void skip(const char *why);
/* The number of inspector sockets for this process number, by their names. `path` gets the path of one of them. */
int sockets_of(pid_t process, char path[108]);
/* Another process, which is process 1 of a namespace of its own, as in a container. Returns 0 if that is not possible
 * here: the test is skipped. To be called before this process has other threads. */
pid_t process_1(void (*function)(void));
/* Mounts a disk of this size over the folder; no other process sees it. Returns false if mounting is not allowed here:
 * the test is skipped. */
bool mount_disk(const char *size);
bool resize_disk(const char *size);
unsigned any(unsigned limit); /* random */

#endif
