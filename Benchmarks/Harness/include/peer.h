/* What a program that is measured tells the harness: how its notification centers are made, observed and posted to.
 * The harness does the rest: it serves the runner's rows and puts the rules to the peer. */
#ifndef HERALD_BENCH_PEER_H
#define HERALD_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An observer that may do anything: the gate's. */
struct listener {
    void (*call)(void *context);
    void (*release)(void *context); /* may be NULL */
    void *context;
};

/* A notification center, or what a library has in its place. A place is what one posts to: a name and an object in a
 * center, prepared as the library's users would; for a signal library it is a signal. What is not said is 0 or NULL. */
struct peer {
    const char *name;    /* one word, which no other peer of any program has */
    const char *title;   /* with its version */
    const char *package; /* Debian's, needed to build it: make and peers.sh look for package = "..." in the source */
    const char *role;    /* "herald", "floor"; NULL: a peer */
    const char *rival;   /* of a peer: the way of Herald's that does the same, and has to be faster */
    const char *ahead;   /* why it may be faster than that: words of the reasons in Ahead.swift */
    const char *like;    /* who takes part alone where the two cost the same, in most rows; NULL: it is in all itself */
    const char *lookup;  /* by what a post is looked up: "name", "type", "string", "protocol"; NULL: it is prepared */
    int rank;            /* its order in the README and in plots; 0: it is in neither */
    const char *label;   /* at its line in plots; NULL: it has none */
    bool thread_safe;
    bool objects; /* a place may be about an object; else make_place returns NULL for one */
    bool any;     /* a place may be of any name (NULL), and observed for any object (NULL) */
    bool owns;    /* it takes over what an observer holds, and releases it */

    void *(*make_center)(void);
    void (*end_center)(void *center);
    void *(*make_object)(void); /* NULL: malloc and free */
    void (*end_object)(void *object);
    void *(*make_place)(void *center, const char *name, const void *object);
    void (*end_place)(void *place);

    /* Adds an observer that adds one to its word, or, without a word, calls count_here(). */
    void *(*add)(void *place, uint64_t *word);
    void *(*observe)(void *place, const struct listener *listener); /* copies the listener */
    void (*remove)(void *place, void *registration);                /* may be called again: a stale one */
    void (*remove_and_wait)(void *place, void *registration);       /* NULL: there is none */
    void (*remove_observer)(void *place, uint64_t *word);           /* NULL: there is none */
    void (*forget)(void *registration);                             /* NULL: nothing to free after remove */
    void (*post)(void *place, long count);

    void (*settle)(void);       /* frees what waits to be freed; NULL: nothing does */
    void (*begin_thread)(void); /* NULL: threads need nothing */
    void (*end_thread)(void);
};

/* Something else with a cost, one operation of it `count` times; or, with `take`, values in nanoseconds, one each. */
struct task {
    const char *name;
    const char *package; /* as a peer's */
    void (*run)(void *context, long count);
    void *context;
    size_t (*take)(void *context, double *values, size_t most);
    const char *(*open)(void *context); /* NULL, or why it cannot be; before the rest; may be NULL */
    void (*settle)(void *context);      /* waits for what an operation has left to do elsewhere; may be NULL */
};

/* The main function of a program with peers and tasks. */
int peer_main(int count, char **arguments, const struct peer *peers, size_t peer_count, const struct task *tasks,
              size_t task_count);

double now(void);       /* ns */
void pin_to(int index); /* 0: the measuring thread's CPU, 1: another, and so on round; -1: to none */

extern __thread uint64_t counted_here;
static inline void count_here(void) { counted_here++; }

/* A benchmark that measures a failing call measures nothing: it stops. */
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) bench_stop(__FILE__, __LINE__, #condition);                                                  \
    } while (0)
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void bench_stop(const char *file, int line, const char *what);

#ifdef __cplusplus
}
#endif
#endif
