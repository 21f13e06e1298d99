/* A rule's test, and what it claims. */
#ifndef HERALD_CLAIM_H
#define HERALD_CLAIM_H

#include <stdbool.h>

/* A test of a rule: a function, and its entry in a section of the program, where the list of all rules lies. */
struct rule {
    const char *name;
    void (*run)(void);
    const char *file;
    int line;
};
#define RULE(name)                                                                                                     \
    static void name(void);                                                                                            \
    static const struct rule name##_entry = {#name, name, __FILE__, __LINE__};                                         \
    static const struct rule *const name##_listed __attribute__((section("herald_rules"), used, retain)) =             \
        &name##_entry;                                                                                                 \
    static void name(void)

/* Where a sanitizer cannot follow: its own heap hangs in the child of a fork when another thread of the parent was in
 * it; the thread sanitizer knows no threads in such a child, and no process that is traced. */
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

#endif
