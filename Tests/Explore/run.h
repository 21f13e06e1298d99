/* One run of a scenario: its threads, which are fibers of one thread of the system's, and the steps they make. */
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
    bool exploring; /* several threads run, and steps are choices */
    int current, threads;
    struct run_step steps[20000];
    int count;
    bool was_late;       /* a thread has gone on because its time was over, and nobody else could */
    const char *failure; /* the first sentence that does not hold, or NULL */
};
extern struct run run;

/* Runs `bodies`, each on a thread that has run `before` (or NULL) alone; first `prepare`, then `ready` (or NULL) when
 * all threads are there, last `check`. False when something did not hold: see run.failure. */
bool run_scenario(void (*prepare)(void), void (*before)(void), void (*ready)(void), void (*const bodies[])(void),
                  void (*check)(void));

/* Ends the run. */
void run_fail(const char *sentence) __attribute__((noreturn));

/* Before a step: another thread may go first. */
void run_begin_step(void);
/* It has been made. */
void run_note_step(const char *what, const volatile void *at, uint64_t value, const char *file, int line);

/* The thread cannot go on before run_wake of the same address. */
void run_block(const void *on);
/* Or before its time is over, when no thread can go on: false. */
bool run_block_for_a_time(const void *on);
void run_wake(const void *on);
/* Lets any other thread that can go on go first. */
void run_give_way(void);
bool run_is_over(int thread);
/* Whether there is another thread that can go on. */
bool run_has_others(void);

/* Ends the calling thread as pthread_exit does, unwinding its stack. */
void run_exit_thread(void) __attribute__((noreturn));
/* As fork: goes on as the child, in which there are no other threads. */
void run_fork(void);

/* ---- choice.c: what the search decides --------------------------------------------------------------------------- */

/* A number below `options`: 0 is the usual one, and others count against the bound if they cost. */
int choose(int options, bool costs);
/* Whether a store is held back; and, in a walk by chance, whether the oldest that is held back becomes visible now. */
bool choose_to_hold(void);
bool choose_to_drain(void);

/* ---- memory.c ---------------------------------------------------------------------------------------------------- */

void memory_reset(void);
void memory_begin_threads(int threads); /* all have seen all */
void memory_end_threads(void);          /* and the other way round */
void memory_fence(int thread);
void memory_leave(int thread); /* it does not run any more: what it holds back is out of the memory */
void memory_enter(int thread);
void memory_lock(const void *lock);
void memory_unlock(const void *lock);
void memory_acquire(const void *lock); /* sees what its holder saw, without a fence */
void memory_drain_some(void);
void memory_make_block(const void *head); /* a heap block: who uses it must have seen this */
void memory_forget_others(int survivor);  /* what other threads have not yet made visible is lost with them */

/* ---- heap.c ------------------------------------------------------------------------------------------------------ */

void heap_reset(void);
/* NULL, or what is wrong with an access. */
const char *heap_fault(const volatile void *at);
/* The head of the block that it lies in, or NULL. */
const void *heap_head(const volatile void *at);
/* Whether nobody has written to what was freed. */
bool heap_is_intact(void);

/* ---- locks.c ----------------------------------------------------------------------------------------------------- */

void locks_thread_ends(void); /* runs the destructor of the thread's value, if it has one */
void locks_reset(void);
void locks_run_fork_handlers(int which);

#endif
