/* The calls of an input that are about kept posts (R25). */
#ifndef FUZZ_KEEPS_H
#define FUZZ_KEEPS_H

#include "reference.h"

void keeps_post(struct center *center);
void keeps_post_to_topic(HeraldTopicRef topic, struct post post);
void keeps_take(struct center *center);
void keeps_forget(struct center *center);
void keeps_visit(struct center *center);

/* A center that has ended, and is still there because a callback of it runs. */
void keeps_check_ended(HeraldCenterRef real);

/* For the local center, which never ends. */
void keeps_forget_all(struct center *center);

#endif
