/* Holding a post.
 *
 * Ordering: none; the held post is the caller's.
 * Progress: One allocation, and the hooks.
 * Ownership: See held.c.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "hold.h"
#include "copy.h"
#include "memory.h"
#include "name.h"
#include "tag.h"
#include "thread.h"

/* The hooks of the post's tag, or of its center. */
static HeraldTagOptions hooks_for(const struct herald_post *post, bool keeps) {
    const HeraldTagOptions *tag = herald_tag_find(post->tag);
    const HeraldCenterOptions *center = &post->center->options;
    HeraldTagOptions hooks_of_center = {sizeof hooks_of_center, false,
                                        center->retainUserInfo, center->releaseUserInfo,
                                        center->retainObject,   center->releaseObject};
    if (keeps && post->tag == &herald_message_tag) return herald_kept_message_options;
    return tag ? *tag : hooks_of_center;
}

static HeraldStatus retain_user_info(const struct herald_post *post, bool keeps, const HeraldTagOptions *hooks,
                                     struct herald_held *held) {
    if (!post->userInfo) return HeraldOK;
    if (hooks->retainUserInfo) held->userInfo = hooks->retainUserInfo(post->userInfo);
    if (held->userInfo) return HeraldOK;
    if (post->tag == &herald_message_tag) return herald_copy_problem; /* it could not be copied */
    return keeps ? HeraldInvalidArgument : HeraldOK;
}

static HeraldStatus retain_posted(const struct herald_post *post, bool keeps, const HeraldTagOptions *hooks,
                                  struct herald_held *held) {
    if (post->object && hooks->retainObject) held->object = hooks->retainObject(post->object);
    if (!keeps) {
        /* If the object could not be retained, its address may soon be another object's. So the address is not noted,
         * and the held post's own address stands for the object. */
        if (post->object && hooks->retainObject && !held->object) held->posted = held;
        return HeraldOK;
    }
    if (post->object && !hooks->retainObject) held->object = post->object;
    held->posted = held->object;
    return post->object && !held->object ? HeraldInvalidArgument : HeraldOK;
}

HeraldStatus herald_hold(const struct herald_post *post, bool keeps, struct herald_held **made) {
    HeraldTagOptions hooks_of_post = hooks_for(post, keeps);
    struct herald_held *held = *made = (struct herald_held *)calloc(1, sizeof *held);
    if (!held) return HeraldOutOfMemory;
    held->references = 1;
    held->name = post->name;
    held->posted = post->object;
    held->tag = post->tag;
    held->releaseUserInfo = hooks_of_post.releaseUserInfo;
    held->releaseObject = hooks_of_post.releaseObject;
    HeraldStatus status;
    {
        HERALD_HOOKS(hooks);
        status = retain_user_info(post, keeps, &hooks_of_post, held);
        if (status == HeraldOK) status = retain_posted(post, keeps, &hooks_of_post, held);
    }
    if (status != HeraldOK) {
        herald_held_release(made);
        return status;
    }
    if (post->tag == &herald_message_tag && !post->object) held->text = ((const HeraldMessage *)held->userInfo)->object;
    held->about = held->text ? herald_name_hash(held->text) : (uint64_t)(uintptr_t)held->posted;
    return HeraldOK;
}
