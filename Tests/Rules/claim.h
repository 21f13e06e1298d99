/* A test of a rule, and its checks. */
#ifndef HERALD_CLAIM_H
#define HERALD_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

/* A test of a rule: a function, and its entry in a section of the program, which is the list of all rules. */
struct rule {
    const char *name; /* R06_removed_during_a_post */
    void (*run)(void);
    const char *file;
    int line;
    const char *slow; /* why it takes over two seconds; else NULL */
};

/* RULE(6, removed_during_a_post) { ... } tests the contract's rule 6, with the name R06_removed_during_a_post. `make
 * check` leaves out SLOW_RULE(6, name, "why"). */
#define RULE_ENTRY(text, function, why)                                                                                \
    static void function(void);                                                                                        \
    static const struct rule function##_entry = {text, function, __FILE__, __LINE__, why};                             \
    static const struct rule *const function##_listed __attribute__((section("herald_rules"), used, retain)) =         \
        &function##_entry;                                                                                             \
    static void function(void)
#define RULE_TEXT(number, name)                                                                                        \
    ((number) > 9 ? "R" #number "_" #name : "R0" #number "_" #name) /* so that R6 and R06 have the same name */
#define RULE(number, name) RULE_ENTRY(RULE_TEXT(number, name), rule_##name, NULL)
/* A test of a promise that is in a header and not in the contract. TEST(Network_tls_is_never_left_out) has exactly this
 * name. */
#define TEST(name) RULE_ENTRY(#name, rule_##name, NULL)
#define SLOW_RULE(number, name, why) RULE_ENTRY(RULE_TEXT(number, name), rule_##name, why)
#define SLOW_TEST(name, why) RULE_ENTRY(#name, rule_##name, why)

/* Limits of the sanitizers: the thread sanitizer supports no threads in the child of a fork, and no traced
 * processes. */
#ifdef __SANITIZE_ADDRESS__
#define UNDER_ADDRESS_SANITIZER true
#else
#define UNDER_ADDRESS_SANITIZER false
#endif
#ifdef __SANITIZE_THREAD__
#define UNDER_THREAD_SANITIZER true
#else
#define UNDER_THREAD_SANITIZER false
#endif
/* Random and large tests do less under sanitizers, which make them many times as slow. */
#define OFTEN(times) (UNDER_ADDRESS_SANITIZER || UNDER_THREAD_SANITIZER ? (times) / 10 : (times))

void check_failed(const char *file, int line, const char *sentence);
bool check_has_failed(void);
const char *check_failure(void); /* the first check that has failed; "" if none has */
void check_report(void);         /* to stderr, in a child */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) check_failed(__FILE__, __LINE__, #condition);                                                \
    } while (0)

/* In seconds. No time is a condition of a test. PATIENCE is how long a test waits for an event, however slow the
 * machine is. After WATCHDOG, a process that does not end is ended. */
enum { PATIENCE = 60, WATCHDOG = 600 };
int patience(void); /* PATIENCE; less after a failed check, so that many such waits end before the watchdog does */
/* Nanoseconds for waits. When the machine stands still for a minute, with all of its processes, a second passes: no
 * more passes between two calls of a thread. */
uint64_t patient_nanoseconds(void);
uint64_t end_of_patience(void); /* patience() from now on */

/* The number of waits of this thread. */
long waits(void);

#endif
