/* For every private file of the host center: hidden symbols, atomics for memory that several processes change at once,
 * and the mutations.
 *
 * Ordering: Atomics are plain `_Atomic` here, and so sequentially consistent, by design. (In the core each access names
 * its order: order.h.) There are two reasons. Any program of the user's may write to the shared file, and a proof for
 * weaker orders would have to cover such programs. And a post makes few accesses, which cost little compared with a
 * system call. The few weaker accesses name their order.
 */
#ifndef HERALD_HOST_PLATFORM_H
#define HERALD_HOST_PLATFORM_H

#include "ground.h"

#include <herald/host.h>
#include <herald/transport.h>
#include <stdatomic.h>

#if ATOMIC_LLONG_LOCK_FREE != 2 || ATOMIC_INT_LOCK_FREE != 2
#error "Herald is for processors with atomic operations of their own: processes share memory here."
#endif

enum { HERALD_HOST_PATH_LIMIT = 512 }; /* the longest path of the shared file, in bytes */

/* MUTATIONS. HERALD_HOST_MUTATION names one step to leave out. Then a test of the rules must fail (make mutations).
 * Each comment below says what the step is. */
enum herald_host_mutation {
    HERALD_HOST_DROPS_NOTHING,
    HERALD_HOST_DROPS_ARM,        /* the sleeper's mark that it wants to be woken */
    HERALD_HOST_DROPS_SEQUENCE,   /* the poster's change of the sequence, which keeps a sleeper from falling asleep */
    HERALD_HOST_DROPS_WAKE,       /* the poster's waking of the sleeper */
    HERALD_HOST_DROPS_COMPARE,    /* the check that a poster undoes only the arming that it saw */
    HERALD_HOST_DROPS_GROUP,      /* the poster's mark of its name's group */
    HERALD_HOST_DROPS_BIT,        /* the watcher's bit in the entry of a name */
    HERALD_HOST_DROPS_SWEEP,      /* the clearing of a dead process's bits */
    HERALD_HOST_DROPS_TICK,       /* the watcher's look at all names now and then */
    HERALD_HOST_DROPS_CLOSE,      /* the closing of a region's free places when the region has no room for a text */
    HERALD_HOST_DROPS_CHANGES,    /* the count of new names, by which a poster sees that an absent name may exist now */
    HERALD_HOST_DROPS_SUPERSEDED, /* the poster's check whether the segment was superseded */
    HERALD_HOST_DROPS_REPOST,     /* the posts that a process makes again when it moves to another file */
    HERALD_HOST_DROPS_CARRY,      /* the copying of states to another file */
    HERALD_HOST_DROPS_FAULT,      /* the pages of zeros in place of what was cut off the file */
    HERALD_HOST_DROPS_OUR_FILE,   /* the check whether a descriptor is still ours */
    HERALD_HOST_DROPS_TEXT_BOUNDS,  /* the check whether a text lies in its region */
    HERALD_HOST_DROPS_CANCELLATION, /* the rule that no thread is cancelled under the session's lock */
    HERALD_HOST_DROPS_STAMP,        /* the stamp, which is a post's place in the order of all posts */
    HERALD_HOST_DROPS_SECOND_LOOK,  /* the second look of a round (watched.c) */
    HERALD_HOST_DROPS_SORT,         /* the sorting of a round's names by their stamps */
    HERALD_HOST_DROPS_SUMMARY,      /* the bit for a word of a block in the block's summary (layout.h) */
    HERALD_HOST_DROPS_SUPERSEDE,    /* the mark on a file that is no longer the user's */
    HERALD_HOST_DROPS_WAKE_ALL,     /* the waking of all processes that sleep at a superseded file's channels */
    HERALD_HOST_DROPS_USER,         /* the check whether the process still runs as the same user */
    HERALD_HOST_DROPS_TRY,          /* the trylock by which a poster avoids waiting for the session's lock */
    HERALD_HOST_DROPS_PROBES,       /* the longer search in the last region of the name table */
    HERALD_HOST_DROPS_IDLE,         /* the growth of an idle watcher's time-outs */
    HERALD_HOST_DROPS_END,          /* the word END, which ends the index of a log */
    HERALD_HOST_DROPS_LOGGED,       /* the count of a name's messages */
    HERALD_HOST_DROPS_HELP,         /* the moving of the log's tail for a process that was killed */
    HERALD_HOST_DROPS_INTENT,       /* the writer's announcement of the bytes that it will overwrite */
    HERALD_HOST_DROPS_INTENT_FENCE, /* the writer's fence between the announcement and the bytes */
    HERALD_HOST_DROPS_COMPLETE,     /* the rule that a record is written before it is published */
    HERALD_HOST_DROPS_RECHECK,      /* the reader's second look at the announcement, after it has copied a record */
    HERALD_HOST_DROPS_SEAL,         /* the check whether the file has lost its contents */
    HERALD_HOST_DROPS_EXPECTING,    /* the keeping of messages for processes that are on the way to a new file */
    HERALD_HOST_DROPS_MISSED,       /* the count of messages that were lost */
    HERALD_HOST_DROPS_LAPPED,       /* the count of records that an overtaken reader has lost */
    HERALD_HOST_DROPS_WANTED,       /* the check whether a process still has to read records of a ring */
    HERALD_HOST_DROPS_IDENTITY,     /* the random identity, which no other process has */
    HERALD_HOST_DROPS_HANDOVER,     /* the change from counts to the log, when a process begins to observe all names */
    HERALD_HOST_DROPS_TAIL,         /* the rule that an overtaken reader stops at the log's tail */
    HERALD_HOST_DROPS_SETTLE,       /* the reading of all records before losses are counted in another way (inbox.c) */
    HERALD_HOST_DROPS_ARRIVAL,      /* the count of records in files that this process has never been in */
    HERALD_HOST_DROPS_UNCOUNTED,    /* the entering of names without messages when a new file is made (replace.c) */
    HERALD_HOST_DROPS_LINE,         /* the check whether a new file's line (layout.h) is older than the last file's */
    HERALD_HOST_DROPS_DESERTED,     /* the replacement of a file that all processes had left, when one comes back */
    HERALD_HOST_DROPS_CELL,         /* the putting of what a record keeps into its cell, before the tail moves */
    HERALD_HOST_DROPS_HAND,         /* the note of the value that a process is about to claim */
    HERALD_HOST_DROPS_OLD,          /* the note of the value that a process is about to replace */
    HERALD_HOST_DROPS_SETTLES,      /* the freeing of what an owner that was killed had in its hand */
    HERALD_HOST_DROPS_SETTLE_ORDER, /* the freeing of what it was replacing, before records are put into their cells */
    HERALD_HOST_DROPS_GENERATION,   /* the reader's second look at the generation of a value that it has copied */
    HERALD_HOST_DROPS_PENDING,      /* the reader's look at the record at the log's tail */
    HERALD_HOST_DROPS_MEND,         /* the look at what is kept after records were lost */
    HERALD_HOST_DROPS_COUNTED,      /* the skipping of a logged plain post that the name's count has reported already */
};

#ifndef HERALD_HOST_MUTATION
#define HERALD_HOST_MUTATION HERALD_HOST_DROPS_NOTHING
#endif
#define HERALD_HOST_STEP(step) (HERALD_HOST_MUTATION != HERALD_HOST_DROPS_##step)

#endif
