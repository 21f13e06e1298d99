/* Making and ending topics; posting through them is in post.c. A topic keeps its buckets from being given up. */
#include "topic.h"
#include "barrier.h"
#include "memory.h"

HeraldTopicRef HeraldTopicCreate(HeraldCenterRef center, HeraldNameRef name, const void *object) {
    if (!center || !name) return NULL;
    HeraldTopicRef topic = herald_allocate_lines(sizeof *topic);
    if (!topic) return NULL;
    herald_center_lock(center);
    herald_center_check(center, "herald: HeraldTopicCreate: this center has been released.");
    topic->family = herald_bucket_obtain(center, name, NULL);
    topic->own = object && topic->family ? herald_bucket_obtain(center, name, object) : NULL;
    bool complete = topic->family && (!object || topic->own);
    if (complete) {
        topic->family->topics++;
        herald_bucket_settle(center, topic->family);
    }
    if (complete && topic->own) {
        topic->own->topics++;
        herald_bucket_settle(center, topic->own);
    }
    if (!complete) herald_bucket_evict(center);
    herald_center_unlock(center);
    if (!complete) {
        free(topic);
        return NULL;
    }
    topic->center = HeraldCenterRetain(center);
    topic->name = name;
    topic->object = object;
    topic->simple = !object && !herald_barrier_is_fenced();
    topic->debug_mark = HERALD_TOPIC_ALIVE;
    return topic;
}

static void let_go(HeraldCenterRef center, struct herald_bucket *bucket) {
    bucket->topics--;
    herald_bucket_settle(center, bucket);
}

void HeraldTopicRelease(HeraldTopicRef topic) {
    if (!topic) return;
    herald_topic_check(topic);
    topic->debug_mark = 0;
    HeraldCenterRef center = topic->center;
    herald_center_lock(center);
    if (topic->own) let_go(center, topic->own);
    let_go(center, topic->family);
    herald_bucket_evict(center);
    herald_center_unlock(center);
    herald_bury(topic);
    HeraldCenterRelease(center);
    herald_center_tidy();
}
