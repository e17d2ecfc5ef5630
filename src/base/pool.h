/*
 * Helper threads for jobs that need nothing but their own memory. A thread is started
 * when a job comes that none is free for, so that small tables have none; where no thread
 * can be had, jobs are done by whoever waits for them. Any thread may give and finish
 * jobs, those of the pool too.
 *
 *   ice_pool_give(pool, &job);      begins some time from now
 *   ice_pool_finish(pool, &job);    has ended; done here if nobody had begun it
 */
#ifndef ICE_BASE_POOL_H
#define ICE_BASE_POOL_H

#include "base/alloc.h"

enum ice_job_state { ICE_JOB_IDLE, ICE_JOB_WAITING, ICE_JOB_RUNNING };

/* run and user are the caller's; the rest is the pool's. All-zero is idle. */
struct ice_job {
    void (*run)(void *user);
    void *user;
    enum ice_job_state state;
    struct ice_job *next;
};

struct ice_pool;

/* n_threads >= 1: as many at most. ICE_ENOMEM. */
enum ice_status ice_pool_open(struct ice_pool **out, struct ice_alloc *alloc,
                              unsigned n_threads);
/* No job may be left. Accepts NULL. */
void ice_pool_free(struct ice_pool *pool);

/* job is idle, and stays where it is until it is finished. First come, first served. */
void ice_pool_give(struct ice_pool *pool, struct ice_job *job);
/* Returns when job is idle again; what it wrote is seen then. */
void ice_pool_finish(struct ice_pool *pool, struct ice_job *job);
/* As _finish if nobody has begun the job or it has ended; else false, at once. */
bool ice_pool_try(struct ice_pool *pool, struct ice_job *job);
/* Do the job that waits longest, whosever it is. false: none waits. */
bool ice_pool_help(struct ice_pool *pool);
/* Would a job given now be begun at once? A guess: others give jobs too. */
bool ice_pool_is_free(struct ice_pool *pool);

/* Threads that there can be. */
unsigned ice_pool_most(const struct ice_pool *pool);
/* Threads that this process may run at one time. */
unsigned ice_pool_cores(void);

#endif
