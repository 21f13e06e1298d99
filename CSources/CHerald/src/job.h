/* A job: steps that are all done, once each, even when user code in one of them does not return (R10, R17).
 *
 * A hook may throw a C++ exception or end its thread. Each time that this happens, the job goes on with the next step
 * while the stack is being unwound. Files that run jobs are compiled with unwinding: see unwinding.cpp.
 */
#ifndef HERALD_JOB_H
#define HERALD_JOB_H

#include "thread.h"

struct herald_job {
    /* Does step number `next` and returns true; returns false when no step is left. The function must count a step
     * before it runs that step, so that a step which throws is not done twice. */
    bool (*step)(struct herald_job *job);
    int next;
    struct herald_activity activity;
};

static void herald_job_go_on(struct herald_job *job);

static inline void herald_job_guard(struct herald_job **interrupted) {
    if (*interrupted) herald_job_go_on(*interrupted);
}

static void herald_job_go_on(struct herald_job *job) {
    struct herald_job *guard __attribute__((cleanup(herald_job_guard))) = job;
    while (job->step(job)) {
    }
    guard = NULL;
    herald_activity_end(&job->activity);
}

/* Does all steps. While they run, this thread counts as being in a callback (R11). */
static inline void herald_job_do(struct herald_job *job, bool (*step)(struct herald_job *job)) {
    job->step = step;
    job->next = 0;
    herald_activity_begin(&job->activity, NULL, NULL);
    herald_job_go_on(job);
}

#endif
