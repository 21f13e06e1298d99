/* A topic: a prepared (center, name, object), or a signal, which has no name and a bucket of its own. */
#ifndef HERALD_TOPIC_H
#define HERALD_TOPIC_H

#include "center.h"

/* A topic does not change while it lives. */
struct HeraldTopic {
    HeraldCenterRef center;
    HeraldNameRef name;
    const void *object;
    struct herald_bucket *name_bucket;   /* (name, any object) */
    struct herald_bucket *object_bucket; /* (name, object), or NULL if there is no object, or the center ignores it */
    bool is_unnamed; /* it has no name: `name_bucket` is in no table, and the topic lies behind it in one block */
    bool simple;     /* there is no object and posts carry no fences: a post reads one bucket, on the fast path */
    uint32_t debug_mark;
};

/* The bucket of the topic's own observers. */
static inline struct herald_bucket *herald_topic_bucket(HeraldTopicRef topic) {
    return topic->object_bucket ? topic->object_bucket : topic->name_bucket;
}

enum { HERALD_TOPIC_ALIVE = 0x746f7069 };

static inline void herald_topic_check(HeraldTopicRef topic) {
    if (HERALD_DEBUG && topic->debug_mark != HERALD_TOPIC_ALIVE)
        herald_abort("herald: a topic is used after it has been released.");
}

#endif
