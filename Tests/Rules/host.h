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

/* Numbers that all processes of a test see. */
extern struct board {
    atomic_long at[64];
    _Atomic uint64_t times[4];
} * board;

/* Whether a loop over instants that chance picks goes on: `times` times, but where the machine is slow for as long as
 * the test may take, after the first hundred. */
bool goes_on(int done, int times);
/* What is done by chance is done less often where everything is slow. */
#define OFTEN(times) (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER ? (times) / 10 : (times))

#define EVENTUALLY(condition)                                                                                          \
    do {                                                                                                               \
        uint64_t until_ = nanoseconds() + (check_has_failed() ? UINT64_C(1000000000) : UINT64_C(20000000000));         \
        while (!(condition) && nanoseconds() < until_) pause_for(200);                                                 \
        CHECK(condition);                                                                                              \
    } while (0)
uint64_t nanoseconds(void);
void pause_for(unsigned microseconds);

/* Observers on the host center; `count` in the board gets the posts they hear, with +1 the calls. */
void hear_into(const char *name, int count, HeraldToken *token);
size_t post_to_host(const char *name);
int names(void);             /* how many are in the table */
bool says(const char *part); /* the thread's last sentence contains this */

/* How many processes hear the names that begin so, taken together. */
uint32_t watchers_of(const char *beginning);
void skip(const char *why);
/* A disk of this size over the folder, which no other process sees; false: skipped, none may be mounted here. */
bool mount_disk(const char *size);
bool resize_disk(const char *size);
unsigned any(unsigned limit); /* by chance */

#endif
