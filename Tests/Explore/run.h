/* One run of a scenario: its threads, which are fibers of one system thread, and their steps. */
#ifndef EXPLORE_RUN_H
#define EXPLORE_RUN_H

#include "explore.h"

enum { RUN_THREADS = 5 /* number 0 prepares and checks, alone */ };

enum run_memory { RUN_TSO, RUN_VIEWS };

struct run_step {
    int thread;
    const char *what, *file;
    int line;
    const volatile void *at;
    uint64_t value;
};

struct run {
    enum run_memory memory;
    bool exploring; /* several threads run, and their steps are choices */
    int current, threads;
    struct run_step steps[20000];
    int count;
    bool was_late;       /* a thread went on because its time was over and no other could go on */
    const char *failure; /* the first sentence that did not hold, or NULL */
};
extern struct run run;

/* Runs `prepare`; `before` (or NULL) alone on each thread; `ready` (or NULL) when all threads have done that; `bodies`,
 * each on its thread; and `check`. Returns false when something did not hold: see run.failure. */
bool run_scenario(void (*prepare)(void), void (*before)(void), void (*ready)(void), void (*const bodies[])(void),
                  void (*check)(void));

/* Ends the run. */
void run_fail(const char *sentence) __attribute__((noreturn));

/* Called before a step: another thread may go first. */
void run_begin_step(void);
/* Records the step that was made. */
void run_note_step(const char *what, const volatile void *at, uint64_t value, const char *file, int line);

/* Blocks the thread until run_wake with the same address. */
void run_block(const void *on);
/* Blocks as above, but times out when no thread can go on. Returns false after a time-out. */
bool run_block_for_a_time(const void *on);
void run_wake(const void *on);
/* Lets any other thread that can go on go first. */
void run_give_way(void);
bool run_is_over(int thread);
/* Whether another thread can go on. */
bool run_has_others(void);

/* Ends the calling thread as pthread_exit does, unwinding its stack. */
void run_exit_thread(void) __attribute__((noreturn));
/* Continues as the child of a fork, in which there are no other threads. */
void run_fork(void);

/* ---- choice.c: the choices of the search ------------------------------------------------------------------------- */

/* A number below `options`. 0 is the usual choice. If the choice costs, others count against the bound. */
int choose(int options, bool costs);
/* Whether a store is held back; and, in a random walk, whether the oldest held store becomes visible now. */
bool choose_to_hold(void);
bool choose_to_drain(void);

/* ---- memory.c ---------------------------------------------------------------------------------------------------- */

void memory_reset(void);
void memory_begin_threads(int threads); /* every thread sees all stores */
void memory_end_threads(void);          /* the main thread sees all stores of the threads */
void memory_fence(int thread);
void memory_leave(int thread); /* the thread stops running: its buffered stores leave the memory */
void memory_enter(int thread);
void memory_lock(const void *lock);
void memory_unlock(const void *lock);
void memory_acquire(const void *lock); /* sees what the holder saw, without a fence */
void memory_drain_some(void);
void memory_make_block(const void *head); /* of a heap block: threads that use it must have seen this */
void memory_forget_others(int survivor);  /* stores that other threads have not made visible yet are lost with them */

/* ---- heap.c ------------------------------------------------------------------------------------------------------ */

void heap_reset(void);
/* NULL, or the fault of an access. */
const char *heap_fault(const volatile void *at);
/* The head of the block that contains the address, or NULL. */
const void *heap_head(const volatile void *at);
/* Whether freed memory has not been written to. */
bool heap_is_intact(void);

/* ---- locks.c ----------------------------------------------------------------------------------------------------- */

void locks_thread_ends(void); /* runs the destructor of the thread's value, if it has one */
void locks_reset(void);
void locks_run_fork_handlers(int which);

#endif
