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
    if (!post->object) return HeraldOK;
    if (hooks->retainObject) held->object = hooks->retainObject(post->object);
    if (!keeps) {
        /* If the object could not be retained, its address may soon be another object's. So the address is not noted,
         * and the held post's own address stands for the object. */
        if (hooks->retainObject && !held->object) held->posted = held;
        return HeraldOK;
    }
    if (!hooks->retainObject) {
        held->object = post->object;
        held->releaseObject = NULL; /* there is nothing to be released */
    }
    held->posted = held->object;
    return held->object ? HeraldOK : HeraldInvalidArgument;
}

static struct herald_held *make_held(const struct herald_post *post, const HeraldTagOptions *hooks) {
    struct herald_held *held = (struct herald_held *)malloc(sizeof *held);
    if (!held) return NULL;
    /* Field by field: calloc, to which compilers turn malloc with memset, is slower. */
    held->next = NULL;
    held->references = 1;
    held->name = post->name;
    held->object = NULL;
    held->posted = post->object;
    held->text = NULL;
    held->userInfo = NULL;
    held->tag = post->tag;
    held->releaseUserInfo = hooks->releaseUserInfo;
    held->releaseObject = hooks->releaseObject;
    held->lent = 0;
    held->number = 0;
    held->was_suspended = held->is_superseded = false;
    return held;
}

HeraldStatus herald_hold(const struct herald_post *post, bool keeps, struct herald_held **made) {
    const HeraldTagOptions *options = herald_tag_find(post->tag);
    HeraldTagOptions of_center;
    if (!options) {
        const HeraldCenterOptions *center = &post->center->options;
        of_center.retainUserInfo = center->retainUserInfo;
        of_center.releaseUserInfo = center->releaseUserInfo;
        of_center.retainObject = center->retainObject;
        of_center.releaseObject = center->releaseObject;
        options = &of_center;
    } else if (keeps && options == &herald_message_options) {
        options = &herald_kept_message_options;
    }
    struct herald_held *held = *made = make_held(post, options);
    if (herald_unlikely(!held)) return HeraldOutOfMemory;
    HeraldStatus status;
    {
        HERALD_HOOKS(hooks);
        status = retain_user_info(post, keeps, options, held);
        if (status == HeraldOK) status = retain_posted(post, keeps, options, held);
    }
    if (status != HeraldOK) {
        herald_held_release(made);
        return status;
    }
    if (post->tag == &herald_message_tag && !post->object) held->text = ((const HeraldMessage *)held->userInfo)->object;
    held->about = held->text ? herald_name_hash(held->text) : (uint64_t)(uintptr_t)held->posted;
    return HeraldOK;
}
