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
    HeraldTopicRef topic = herald_allocate_lines(sizeof *topic);
    if (!topic) return NULL;
    herald_center_lock(center);
    herald_center_check(center, "herald: HeraldTopicCreate: this center has been released.");
    /* A callback or a hook may still run in a center that has been released. Such a center is closed, and makes no
     * topics (R19). */
    topic->name_bucket = center->closed ? NULL : herald_index_obtain(&center->index, name, NULL);
    topic->object_bucket = object && topic->name_bucket ? herald_index_obtain(&center->index, name, object) : NULL;
    bool complete = topic->name_bucket && (!object || topic->object_bucket);
    if (complete) {
        topic->name_bucket->holds++;
        herald_index_update_idle(&center->index, topic->name_bucket);
    }
    if (complete && topic->object_bucket) {
        topic->object_bucket->holds++;
        herald_index_update_idle(&center->index, topic->object_bucket);
    }
    if (!complete) herald_index_evict(&center->index);
    herald_center_unlock(center);
    if (!complete) {
        free(topic);
        return NULL;
    }
    topic->center = HeraldCenterRetain(center);
    topic->name = name;
    topic->object = object;
    topic->simple = !object && !herald_barrier_is_fencing();
    topic->debug_mark = HERALD_TOPIC_ALIVE;
    return topic;
}

static void release_bucket(HeraldCenterRef center, struct herald_bucket *bucket) {
    bucket->holds--;
    herald_index_update_idle(&center->index, bucket);
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
    if (topic->object_bucket) release_bucket(center, topic->object_bucket);
    release_bucket(center, topic->name_bucket);
    herald_index_evict(&center->index);
    herald_center_unlock(center);
    herald_bury(topic);
    HeraldCenterRelease(center);
    herald_tidy();
}
