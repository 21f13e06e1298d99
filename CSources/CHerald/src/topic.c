/* Making and ending topics. Posting by topic is in post.c.
 *
 * Ordering: A topic is complete before HeraldTopicCreate returns it.
 * Progress: Bounded; takes the center's lock.
 * Ownership: A topic retains its center. The index keeps the topic's buckets while the topic lives.
 */
#include "topic.h"
#include "barrier.h"
#include "entry_points.h"
#include "memory.h"
#include "release.h"

HeraldTopicRef herald_own_HeraldTopicCreate(HeraldCenterRef center, HeraldNameRef name, const void *object) {
    if (!center || !name) return NULL;
    herald_center_check(center, "herald: HeraldTopicCreate: this center has been released.");
    /* A callback or a hook may still run in a center that has been released. Such a center makes no topics (R19). */
    if (!HeraldCenterTryRetain(center)) return NULL;
    HeraldTopicRef topic = herald_allocate_lines(sizeof *topic);
    herald_center_lock(center);
    struct herald_bucket *bucket = topic ? herald_index_obtain(&center->index, name, object) : NULL;
    if (bucket) herald_index_hold(&center->index, bucket, 1);
    if (!bucket) herald_index_evict(&center->index);
    herald_center_unlock(center);
    if (!bucket) {
        free(topic);
        HeraldCenterRelease(center);
        return NULL;
    }
    topic->name_bucket = bucket->name_bucket;
    topic->object_bucket = object ? bucket : NULL;
    topic->center = center;
    topic->name = name;
    topic->object = object;
    topic->simple = !object && !herald_barrier_is_fencing();
    topic->debug_mark = HERALD_TOPIC_ALIVE;
    return topic;
}

/* Never posts (R15). In 0.2.0 this function posted from signal handlers; it stays for programs that were linked with
 * 0.2.0. A signal handler can write to a descriptor instead. */
bool herald_own_HeraldTopicTryPost(HeraldTopicRef topic, const void *userInfo, size_t *called) {
    (void)topic, (void)userInfo;
    if (called) *called = 0;
    return false;
}

void herald_own_HeraldTopicRelease(HeraldTopicRef topic) {
    if (!topic) return;
    herald_topic_check(topic);
    topic->debug_mark = 0;
    HeraldCenterRef center = topic->center;
    herald_center_lock(center);
    herald_index_hold(&center->index, topic->object_bucket ? topic->object_bucket : topic->name_bucket, -1);
    herald_index_evict(&center->index);
    herald_center_unlock(center);
    herald_bury(topic);
    HeraldCenterRelease(center);
    herald_tidy();
}
