/* Making and ending topics. Posting by topic is in post.c.
 *
 * Ordering: A topic is complete before its maker returns it.
 * Progress: Takes the center's lock, except to make a topic without a name. Otherwise bounded, except for the hooks
 * of registrations that end.
 * Ownership: A topic retains its center. The index keeps the topic's buckets while the topic lives. A topic without a
 * name lies behind its bucket, in one block. The block is freed when the topic has ended, the bucket's first snapshot
 * has, and so have the posts that take the slow path.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "topic.h"
#include "barrier.h"
#include "entry_points.h"
#include "error.h"
#include "memory.h"
#include "release.h"
#include "remove.h"

HeraldTopicRef herald_own_HeraldTopicCreate(HeraldCenterRef center, HeraldNameRef name, const void *object) {
    if (!center || !name) return NULL;
    herald_center_check(center, "herald: HeraldTopicCreate: this center has been released.");
    /* A callback or a hook may still run in a center that has been released. Such a center makes no topics (R19). */
    if (!HeraldCenterTryRetain(center)) return NULL;
    HeraldTopicRef topic = (HeraldTopicRef)herald_allocate_lines(sizeof *topic);
    herald_center_lock(center);
    const void *about = center->transport.ignoresObjects ? NULL : object;
    struct herald_bucket *bucket = topic ? herald_index_obtain(&center->index, name, about) : NULL;
    if (bucket) herald_index_hold(&center->index, bucket, 1);
    if (!bucket) herald_index_evict(&center->index);
    herald_center_unlock(center);
    if (!bucket) {
        free(topic);
        HeraldCenterRelease(center);
        return NULL;
    }
    topic->name_bucket = bucket->name_bucket;
    topic->object_bucket = about ? bucket : NULL;
    topic->center = center;
    topic->name = name;
    topic->object = object;
    topic->simple = !object && !herald_barrier_is_fencing();
    topic->debug_mark = HERALD_TOPIC_ALIVE;
    return topic;
}

struct unnamed {
    struct herald_bucket bucket;
    struct HeraldTopic topic;
};

HeraldTopicRef herald_own_HeraldTopicCreateUnnamed(HeraldCenterRef center) {
    if (!center) return NULL;
    herald_center_check(center, "herald: HeraldTopicCreateUnnamed: this center has been released.");
    if (center->transport.size) {
        herald_fail(HeraldInvalidArgument, "a topic without a name stays in its process, and this center does not");
        return NULL;
    }
    if (!HeraldCenterTryRetain(center)) return NULL;
    void *block = malloc(sizeof(struct unnamed) + HERALD_LINE);
    if (!block) {
        HeraldCenterRelease(center);
        herald_fail_of_memory();
        return NULL;
    }
    /* Aligned by hand, because malloc is quicker than aligned_alloc. */
    struct unnamed *unnamed = (struct unnamed *)(((uintptr_t)block + HERALD_LINE - 1) & ~(uintptr_t)(HERALD_LINE - 1));
    memset(unnamed, 0, sizeof *unnamed);
    struct herald_bucket *bucket = &unnamed->bucket;
    HeraldTopicRef topic = &unnamed->topic;
    bucket->block = block;
    bucket->users = 1;
    bucket->key.name = HeraldNameForAddress(bucket);
    bucket->name_bucket = bucket;
    bucket->holds = 1; /* for ever: it is not idle */
    bucket->unnamed = true;
    topic->center = center;
    topic->name = bucket->key.name;
    topic->name_bucket = bucket;
    topic->is_unnamed = true;
    topic->simple = !herald_barrier_is_fencing();
    topic->debug_mark = HERALD_TOPIC_ALIVE;
    return topic;
}

size_t herald_own_HeraldTopicGetObserverCount(HeraldTopicRef topic) {
    if (!topic) return 0;
    herald_topic_check(topic);
    herald_center_lock(topic->center);
    size_t count = herald_topic_bucket(topic)->live;
    herald_center_unlock(topic->center);
    return count;
}

/* Never posts (R15). In 0.2.0 this function posted from signal handlers; it stays for programs that were linked with
 * 0.2.0. A signal handler can write to a descriptor instead. */
bool herald_own_HeraldTopicTryPost(HeraldTopicRef topic, const void *userInfo, size_t *called) {
    (void)topic, (void)userInfo;
    if (called) *called = 0;
    return false;
}

void herald_own_HeraldTopicRemoveEveryObserver(HeraldTopicRef topic) {
    if (!topic) return;
    herald_topic_check(topic);
    HERALD_GUARD_MEMORY(guard, topic->center); /* a hook may release the topic, and with it the center */
    herald_remove_in_bucket(guard.center, herald_topic_bucket(topic), false);
}

static void release_center(HeraldCenterRef *center) { HeraldCenterRelease(*center); }

void herald_own_HeraldTopicRelease(HeraldTopicRef topic) {
    if (!topic) return;
    herald_topic_check(topic);
    topic->debug_mark = 0;
    HeraldCenterRef center = topic->center;
    if (topic->is_unnamed) {
        HeraldCenterRef owed __attribute__((cleanup(release_center))) = center; /* also when a hook throws */
        herald_remove_in_bucket(owed, topic->name_bucket, true);
        return;
    }
    herald_center_lock(center);
    herald_index_hold(&center->index, herald_topic_bucket(topic), -1);
    herald_index_evict(&center->index);
    herald_center_unlock(center);
    herald_bury(topic);
    HeraldCenterRelease(center);
    herald_tidy();
}
