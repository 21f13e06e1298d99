/* A measured program uses this to describe its notification centers to the harness: how they are made, observed and
 * posted to. The harness serves the runner's rows and puts the rules to the peer. */
#ifndef HERALD_BENCH_PEER_H
#define HERALD_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An observer that may do anything, for the gate. */
struct listener {
    void (*call)(void *context);
    void (*release)(void *context); /* may be NULL */
    void *context;
};

/* A library whose signals are objects has these functions. They make and end arrays of signals, and arrays of objects.
 * Each object connects a method to a signal, and disconnects it when the object ends. Arrays are made and ended as
 * std::vector does it. */
struct slots {
    void *(*make_signals)(size_t count);
    void (*end_signals)(void *signals, size_t count);
    void *(*make_objects)(size_t count);
    void (*end_objects)(void *objects, size_t count);
    void (*connect)(void *signal, void *objects, size_t count);
    void (*emit)(void *signal, uint32_t *random); /* each slot draws a number from it */
    void (*live)(long count);                     /* a signal is made, an object connected to it, and the signal gone */
};

/* What a slot does, as in the public comparison of C++ libraries of signals: it draws a random number. */
static inline void draw(uint32_t *random) {
    *random = (uint32_t)((uint64_t)*random * 48271 % 0x7fffffff);
    __asm__ volatile("" : : "r"(*random));
}

/* A notification center, or a library's equivalent. A place is what a post goes to: a name and an object in a center,
 * prepared as the library's users would; in a signal library it is a signal. Members that do not apply are 0 or
 * NULL. */
struct peer {
    const char *name;    /* one word; no other peer of any program has it */
    const char *title;   /* with its version */
    const char *package; /* Debian package that it needs: make and peers.sh look for package = "..." in the source */
    const char *role;    /* "herald", "floor"; NULL: a peer */
    const char *rival;   /* of a peer: the way of Herald's that does the same and has to be faster */
    const char *ahead;   /* why it may be faster than its rival: words of the reasons in Ahead.swift */
    const char *like;    /* the peer that stands for both in most rows, as they cost the same; NULL: it is in all */
    const char *lookup;  /* what a post is looked up by: "name", "type", "string", "protocol"; NULL: it is prepared */
    int rank;            /* its order in the README and in plots; 0: it is in neither */
    const char *label;   /* next to its line in plots; NULL: it has none */
    bool thread_safe;
    bool objects; /* a place may be about an object; else make_place returns NULL for one */
    bool any;     /* a place may be of any name (NULL), and observed for any object (NULL) */
    bool owns;    /* it owns what an observer holds, and releases it */

    void *(*make_center)(void);
    void (*end_center)(void *center);
    void *(*make_object)(void); /* NULL: malloc and free */
    void (*end_object)(void *object);
    void *(*make_place)(void *center, const char *name, const void *object);
    void (*end_place)(void *place);

    /* Adds an observer that adds one to its word, or, without a word, calls count_here(). */
    void *(*add)(void *place, uint64_t *word);
    void *(*observe)(void *place, const struct listener *listener); /* copies the listener */
    void (*remove)(void *place, void *registration);                /* may be called again with a stale registration */
    void (*remove_and_wait)(void *place, void *registration);       /* NULL: it has none */
    void (*remove_observer)(void *place, uint64_t *word);           /* NULL: it has none */
    void (*forget)(void *registration);                             /* NULL: nothing to free after remove */
    void (*post)(void *place, long count);

    const struct slots *slots;       /* NULL: it has no signals that are objects */
    const struct slots *other_slots; /* the same with objects of another kind; NULL: there is one */

    void (*settle)(void);       /* frees retired memory; NULL: it retires none */
    void (*begin_thread)(void); /* NULL: threads need nothing */
    void (*end_thread)(void);
};

/* Something else with a cost: run() does the operation `count` times, take() returns values in nanoseconds. */
struct task {
    const char *name;
    const char *package; /* as a peer's */
    void (*run)(void *context, long count);
    void *context;
    size_t (*take)(void *context, double *values, size_t most);
    const char *(*open)(void *context); /* NULL, or why it cannot be measured; called first; may be NULL */
    void (*settle)(void *context);      /* waits for work that an operation has left to other threads; may be NULL */
};

/* The main function of a program with peers and tasks. */
int peer_main(int count, char **arguments, const struct peer *peers, size_t peer_count, const struct task *tasks,
              size_t task_count);

double now(void);       /* ns */
void pin_to(int index); /* 0: the measuring thread's CPU; 1: another, and so on, modulo their number; -1: all */

extern __thread uint64_t counted_here;
static inline void count_here(void) { counted_here++; }

/* A benchmark that measures a failing call measures nothing. It stops. */
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
