/* The steps of the threads. A step is one access to shared memory, or several if no other thread could tell: stores in
 * a row, which still become visible one by one, and accesses next to a lock or an unlock.
 *
 * does(STEP) is whether this run has the step. An order annotation that is left out becomes RELAXED. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include "poster.h"
#include "writer.h"

static void take_step(struct turn *turn) {
    enum step step = self(turn)->step;
    if (step <= NAME_UNMARK)
        by_name(turn);
    else if (step <= TOPIC_COUNT)
        by_topic(turn);
    else if (step <= WALK_UNPIN)
        walk(turn);
    else if (step <= LEFT_SCAN)
        left(turn);
    else if (step <= HOOK_ENDS)
        hook(turn);
    else if (step == HEAVY)
        heavy(turn);
    else if (step <= REMOVE_RETURN)
        remove_slot(turn);
    else if (step == ADD_SLOT)
        add(turn);
    else if (step == REPLACE_SNAPSHOT)
        replace(turn);
    else if (step == UNLINK_BUCKET)
        unlink_bucket(turn);
    else
        reclaim(turn);
}

#endif
