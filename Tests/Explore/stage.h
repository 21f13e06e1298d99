/* The parts that scenarios share: a center with a name, a topic of it, and observers that check how they are called and
 * released. Every run begins with all variables at their initial values. */
#ifndef EXPLORE_STAGE_H
#define EXPLORE_STAGE_H

#include "scenarios.h"

#include <herald/herald.h>
#include <herald/transport.h>

struct ear {
    int calls, inside, released;
    bool gone; /* a removal that waits has returned */
    bool throws;
    HeraldToken token;
    void (*then)(struct ear *self); /* in a call, or NULL */
    void (*last)(struct ear *self); /* in the release, or NULL */
    uintptr_t heard[8];             /* userInfo of each call */
};

extern HeraldCenterRef center;
extern HeraldNameRef name, other_name;
extern HeraldTopicRef topic; /* of the name, or NULL: see drop_topic */
extern struct ear a, b, c, d;

void add_for(struct ear *ear, HeraldNameRef to, const void *about, HeraldSuspensionBehavior behavior);
void add(struct ear *ear);                           /* to the name */
void add_plainly(struct ear *ear, HeraldNameRef to); /* without a release hook: nothing is pending after its end */
void add_to(HeraldTopicRef to, struct ear *ear);
void add_below(struct ear *ear, const char *prefix); /* to the names below it */
void post_number(uintptr_t number);                  /* as userInfo, by name */
void remove_waiting(struct ear *ear);
void drop_topic(void); /* so that the center, or its bucket, may end */

/* For `prepare`. */
void begin(void);
void begin_with_a(void);
void begin_with_a_and_b(void);
void begin_with_three(void); /* a, b and c */
void begin_without_topic(void);

/* For threads. Their first removal makes threads fencing that do not answer in time; the second takes them offline. */
void post_topic(void);
void post_name(void);
void post_name_twice(void);
void remove_a(void);
void remove_a_waiting(void);
void remove_c(void);
void remove_c_and_b(void);

/* Lets threads take turns, which costs the search no choices. The first turn is 0. */
void begin_turn(int number);
void await_turn(int number);

/* For `check`; they end the center. */
void finish(void);
void a_is_released(void);
void a_and_b_are_released(void);
void both_are_released(void);       /* removes b first */
void both_and_c_are_released(void); /* removes a and b first */
void three_are_released(void);

#endif
