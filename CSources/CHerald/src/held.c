/* Releasing held posts.
 *
 * Ordering: The last reference is given up with acquire and release, so the hooks run after all uses.
 * Progress: That of the hooks.
 * Ownership: The hooks that release a held post come from the same options as the hooks that have retained it: the
 * options of the tag, or of the center.
 *
 * This file runs hooks, so it is compiled with unwinding (see unwinding.cpp) and is valid C and C++.
 */
#include "held.h"
#include "job.h"
#include "memory.h"

struct freeing {
    struct herald_job job; /* first */
    struct herald_held *held;
};

static bool freeing_step(struct herald_job *job) {
    struct freeing *freeing = (struct freeing *)(void *)job;
    struct herald_held *held = freeing->held;
    if (job->next == 0) {
        job->next = 1; /* first, because the hook may throw */
        if (held->userInfo && held->releaseUserInfo) held->releaseUserInfo(held->userInfo);
    }
    if (job->next == 1) {
        job->next = 2;
        if (held->object && held->releaseObject) held->releaseObject(held->object);
    }
    freeing->held = held->next;
    job->next = 0;
    free(held);
    return freeing->held != NULL;
}

void herald_held_free_all(struct herald_held *unused) {
    if (!unused) return;
    struct freeing freeing;
    freeing.held = unused;
    herald_job_do(&freeing.job, freeing_step);
}
