/*
 * A queue, and threads that take from it.
 */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

struct ice_pool {
    struct ice_alloc *alloc;
    pthread_mutex_t mutex; /* guards all below, and the state of jobs */
    pthread_cond_t given;  /* a job waits, or it is over */
    pthread_cond_t ended;  /* a job has ended */
    struct ice_job *first, *last;
    unsigned n_wanted, n_threads;
    bool is_over;
    pthread_t threads[];
};

enum ice_status ice_pool_open(struct ice_pool **out, struct ice_alloc *alloc,
                              unsigned n_threads) {
    const size_t size = sizeof(struct ice_pool) + n_threads * sizeof(pthread_t);
    *out = ice_calloc(alloc, 1, size);
    if (*out == NULL)
        return ICE_ENOMEM;
    (*out)->alloc = alloc;
    (*out)->n_wanted = n_threads;
    (void)pthread_mutex_init(&(*out)->mutex, NULL);
    (void)pthread_cond_init(&(*out)->given, NULL);
    (void)pthread_cond_init(&(*out)->ended, NULL);
    return ICE_OK;
}

void ice_pool_free(struct ice_pool *pool) {
    if (pool == NULL)
        return;
    (void)pthread_mutex_lock(&pool->mutex);
    pool->is_over = true;
    (void)pthread_cond_broadcast(&pool->given);
    (void)pthread_mutex_unlock(&pool->mutex);
    for (unsigned i = 0; i < pool->n_threads; i++)
        (void)pthread_join(pool->threads[i], NULL);
    (void)pthread_cond_destroy(&pool->given);
    (void)pthread_cond_destroy(&pool->ended);
    (void)pthread_mutex_destroy(&pool->mutex);
    ice_free(pool->alloc, pool,
             sizeof(struct ice_pool) + pool->n_wanted * sizeof(pthread_t));
}

/* ---- with the mutex held ---- */

static void take(struct ice_pool *pool, struct ice_job *job) {
    struct ice_job *before = NULL, *at = pool->first;
    for (; at != job; at = at->next)
        before = at;
    *(before != NULL ? &before->next : &pool->first) = job->next;
    if (pool->last == job)
        pool->last = before;
    job->next = NULL;
}

/* Lets go of the mutex meanwhile. */
static void run(struct ice_pool *pool, struct ice_job *job) {
    take(pool, job);
    job->state = ICE_JOB_RUNNING;
    (void)pthread_mutex_unlock(&pool->mutex);
    job->run(job->user);
    (void)pthread_mutex_lock(&pool->mutex);
    job->state = ICE_JOB_IDLE;
    (void)pthread_cond_broadcast(&pool->ended);
}

/* ---- threads ---- */

static void *work(void *user) {
    struct ice_pool *pool = user;
    (void)pthread_mutex_lock(&pool->mutex);
    while (!pool->is_over) {
        if (pool->first != NULL)
            run(pool, pool->first);
        else
            (void)pthread_cond_wait(&pool->given, &pool->mutex);
    }
    (void)pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* Signals are for the caller's threads. Threads that cannot be had are done without. */
static void start_threads(struct ice_pool *pool) {
    sigset_t all, before;
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return;
    while (pool->n_threads < pool->n_wanted &&
           pthread_create(&pool->threads[pool->n_threads], NULL, work, pool) == 0)
        pool->n_threads++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ice_pool_give(struct ice_pool *pool, struct ice_job *job) {
    if (pool->n_threads == 0)
        start_threads(pool);
    (void)pthread_mutex_lock(&pool->mutex);
    job->state = ICE_JOB_WAITING;
    job->next = NULL;
    *(pool->last != NULL ? &pool->last->next : &pool->first) = job;
    pool->last = job;
    (void)pthread_cond_signal(&pool->given);
    (void)pthread_mutex_unlock(&pool->mutex);
}

void ice_pool_finish(struct ice_pool *pool, struct ice_job *job) {
    (void)pthread_mutex_lock(&pool->mutex);
    if (job->state == ICE_JOB_WAITING)
        run(pool, job);
    while (job->state != ICE_JOB_IDLE)
        (void)pthread_cond_wait(&pool->ended, &pool->mutex);
    (void)pthread_mutex_unlock(&pool->mutex);
}

unsigned ice_pool_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    const int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}
