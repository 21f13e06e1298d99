/* A rule's test, and what it claims. */
#ifndef HERALD_CLAIM_H
#define HERALD_CLAIM_H

#include <stdbool.h>

/* A test of a rule: a function, and its entry in a section of the program, where the list of all rules lies. */
struct rule {
    const char *name; /* R06_removed_during_a_post */
    void (*run)(void);
    const char *file;
    int line;
    const char *slow; /* why it takes over two seconds; else NULL */
};

/* RULE(6, removed_during_a_post) { ... } tests the contract's rule 6 and is called R06_removed_during_a_post.
 * SLOW_RULE(6, name, "why") is one that `make check` leaves out. */
#define RULE_ENTRY(text, function, why)                                                                                \
    static void function(void);                                                                                        \
    static const struct rule function##_entry = {text, function, __FILE__, __LINE__, why};                             \
    static const struct rule *const function##_listed __attribute__((section("herald_rules"), used, retain)) =         \
        &function##_entry;                                                                                             \
    static void function(void)
#define RULE_TEXT(number, name)                                                                                        \
    ((number) > 9 ? "R" #number "_" #name : "R0" #number "_" #name) /* so that R6 and R06 are one */
#define RULE(number, name) RULE_ENTRY(RULE_TEXT(number, name), rule_##name, NULL)
/* About what a header says and the contract does not: TEST(Network_tls_is_never_left_out) is called just so. */
#define TEST(name) RULE_ENTRY(#name, rule_##name, NULL)
#define SLOW_RULE(number, name, why) RULE_ENTRY(RULE_TEXT(number, name), rule_##name, why)

/* Where a sanitizer cannot follow: the thread sanitizer knows no threads in the child of a fork, and no process that is
 * traced. */
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

void check_failed(const char *file, int line, const char *sentence);
bool check_has_failed(void);
void check_report(void); /* to stderr, in a child */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) check_failed(__FILE__, __LINE__, #condition);                                                \
    } while (0)

/* How often this thread has waited for something. */
long waits(void);

#endif
