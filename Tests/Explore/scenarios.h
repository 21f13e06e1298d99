/* The scenarios: a few threads that use the public API, and what must hold. */
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
    void (*ready)(void); /* when all threads have posted once, or NULL */
    bool newcomers;      /* its threads have not posted before */
    const char *meets;   /* steps, by their names: without one of them this is tried first; or NULL */
};

/* A scenario, and its entry in a section of the program, where the list of all of them lies: in the order of the files
 * as the linker gets them, those first that find most. */
#define SCENARIO(name, ...)                                                                                            \
    static const struct scenario name##_scenario = {#name, __VA_ARGS__};                                               \
    static const struct scenario *const name##_listed __attribute__((section("explore_scenarios"), used)) =            \
        &name##_scenario;

/* A thread's first post, which is made another way than the others. */
void scenario_warm_up(void);

/* What a scenario's code calls. */
void must_hold(bool condition, const char *sentence); /* else the run has failed */
void let_others(void);                                /* a step at which another thread may go first */
bool was_late(void);                                  /* whether a wait has ended by its time alone */
void end_thread(void) __attribute__((noreturn));      /* as pthread_exit */
void fork_here(void);                                 /* goes on as the child */

void throw_something(void);                     /* throwing.cpp */
bool catches(void (*function)(void *), void *); /* whether the function throws */

#ifdef __cplusplus
}
#endif
#endif
