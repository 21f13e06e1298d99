/* The scenarios: a few threads that use the public API, and the conditions that must hold. */
#ifndef EXPLORE_SCENARIOS_H
#define EXPLORE_SCENARIOS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct scenario {
    const char *name;
    void (*prepare)(void);
    void (*bodies[5])(void); /* of the threads, up to four */
    void (*check)(void);
    void (*ready)(void); /* run when all threads have posted once, or NULL */
    bool newcomers;      /* its threads have not posted before */
    const char *meets;   /* names of steps: the mutations for which this scenario is tried first; or NULL */
};

/* A scenario, and its entry in a section of the program, which is the list of all scenarios. Their order is that in
 * which the linker gets the files: the scenarios that find most come first. */
#define SCENARIO(name, ...)                                                                                            \
    static const struct scenario name##_scenario = {#name, __VA_ARGS__};                                               \
    static const struct scenario *const name##_listed __attribute__((section("explore_scenarios"), used)) =            \
        &name##_scenario;

/* A thread's first post, which takes another path than later ones. */
void scenario_warm_up(void);

/* Functions for the scenarios' code. */
void must_hold(bool condition, const char *sentence); /* otherwise the run fails */
void let_others(void);                                /* a step before which another thread may go first */
bool was_late(void); /* whether a wait has ended only by its time-out since this was asked last */
void end_thread(void) __attribute__((noreturn)); /* as pthread_exit */
void fork_here(void);                            /* continues as the child */

void throw_something(void);                     /* throwing.cpp */
bool catches(void (*function)(void *), void *); /* whether the function throws */

#ifdef __cplusplus
}
#endif
#endif
