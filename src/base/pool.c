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
    unsigned n_free;             /* threads that wait for a job */
    unsigned n_jobs;             /* that wait for a thread */
    bool is_over, is_short;      /* is_short: no thread more can be had */
    _Atomic unsigned n_to_spare; /* threads, started or not, that no job is for */
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
    (*out)->n_to_spare = n_threads;
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

static void count(struct ice_pool *pool) {
    unsigned n = pool->n_free;
    if (!pool->is_short)
        n += pool->n_wanted - pool->n_threads;
    atomic_store_explicit(&pool->n_to_spare, n > pool->n_jobs ? n - pool->n_jobs : 0,
                          memory_order_relaxed);
}

static void take(struct ice_pool *pool, struct ice_job *job) {
    struct ice_job *before = NULL, *at = pool->first;
    for (; at != job; at = at->next)
        before = at;
    *(before != NULL ? &before->next : &pool->first) = job->next;
    if (pool->last == job)
        pool->last = before;
    job->next = NULL;
    pool->n_jobs--;
}

/* Lets go of the mutex meanwhile. */
static void run(struct ice_pool *pool, struct ice_job *job) {
    take(pool, job);
    count(pool);
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
        if (pool->first != NULL) {
            run(pool, pool->first);
            continue;
        }
        pool->n_free++;
        count(pool);
        (void)pthread_cond_wait(&pool->given, &pool->mutex);
        pool->n_free--;
    }
    (void)pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* Signals are for the caller's threads. */
static void start_thread(struct ice_pool *pool) {
    sigset_t all, before;
    (void)sigfillset(&all);
    pool->is_short = pthread_sigmask(SIG_SETMASK, &all, &before) != 0;
    if (pool->is_short)
        return;
    if (pthread_create(&pool->threads[pool->n_threads], NULL, work, pool) == 0)
        pool->n_threads++;
    else
        pool->is_short = true;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- any thread ---- */

void ice_pool_give(struct ice_pool *pool, struct ice_job *job) {
    (void)pthread_mutex_lock(&pool->mutex);
    job->state = ICE_JOB_WAITING;
    job->next = NULL;
    *(pool->last != NULL ? &pool->last->next : &pool->first) = job;
    pool->last = job;
    pool->n_jobs++;
    if (pool->n_jobs > pool->n_free && pool->n_threads < pool->n_wanted &&
        !pool->is_short)
        start_thread(pool);
    count(pool);
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

bool ice_pool_try(struct ice_pool *pool, struct ice_job *job) {
    (void)pthread_mutex_lock(&pool->mutex);
    if (job->state == ICE_JOB_WAITING)
        run(pool, job);
    const bool is_idle = job->state == ICE_JOB_IDLE;
    (void)pthread_mutex_unlock(&pool->mutex);
    return is_idle;
}

bool ice_pool_help(struct ice_pool *pool) {
    (void)pthread_mutex_lock(&pool->mutex);
    const bool is_any = pool->first != NULL;
    if (is_any)
        run(pool, pool->first);
    (void)pthread_mutex_unlock(&pool->mutex);
    return is_any;
}

bool ice_pool_is_free(struct ice_pool *pool) {
    return atomic_load_explicit(&pool->n_to_spare, memory_order_relaxed) > 0;
}

unsigned ice_pool_most(const struct ice_pool *pool) {
    return pool->n_wanted;
}

unsigned ice_pool_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    const int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}
