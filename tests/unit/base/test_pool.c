/*
 * Jobs are done once each, by whoever; a waiting caller helps; no job is no thread.
 */
#include "support/cmocka_all.h"

#include "base/pool.h"

#include <stdatomic.h>

enum { JOBS = 500 };

static struct ice_alloc alloc;

struct task {
    struct ice_job job;
    int times; /* written by the job alone */
};

static _Atomic int n_running, most_running;

static void count(void *user) {
    struct task *task = user;
    int now = atomic_fetch_add(&n_running, 1) + 1;
    int most = atomic_load(&most_running);
    while (now > most && !atomic_compare_exchange_weak(&most_running, &most, now))
        ;
    task->times++;
    (void)atomic_fetch_sub(&n_running, 1);
}

static void every_job_is_done_once(void **state) {
    (void)state;
    static struct task tasks[JOBS];
    struct ice_pool *pool;
    for (unsigned threads = 1; threads <= 4; threads++) {
        most_running = 0;
        assert_int_equal(ice_pool_open(&pool, &alloc, threads), ICE_OK);
        for (int i = 0; i < JOBS; i++) {
            tasks[i] = (struct task){.job = {.run = count, .user = &tasks[i]}};
            ice_pool_give(pool, &tasks[i].job);
        }
        /* in another order than they were given */
        for (int i = 0; i < JOBS; i++)
            ice_pool_finish(pool, &tasks[(i * 7 + 3) % JOBS].job);
        for (int i = 0; i < JOBS; i++) {
            assert_int_equal(tasks[i].times, 1);
            assert_int_equal(tasks[i].job.state, ICE_JOB_IDLE);
        }
        assert_true(most_running <= (int)threads + 1);
        ice_pool_free(pool);
        assert_int_equal(alloc.used, 0);
    }
}

/* A job may be given again when it has ended. */
static void a_job_comes_again(void **state) {
    (void)state;
    struct task task = {.job = {.run = count, .user = &task}};
    struct ice_pool *pool;
    assert_int_equal(ice_pool_open(&pool, &alloc, 1), ICE_OK);
    for (int i = 1; i <= 100; i++) {
        ice_pool_give(pool, &task.job);
        ice_pool_finish(pool, &task.job);
        assert_int_equal(task.times, i);
    }
    ice_pool_free(pool);
}

/* The caller takes a hand: in what waits longest, or in one job that nobody has begun. */
static void the_caller_helps(void **state) {
    (void)state;
    static struct task tasks[JOBS];
    struct ice_pool *pool;
    assert_int_equal(ice_pool_open(&pool, &alloc, 2), ICE_OK);
    assert_int_equal(ice_pool_most(pool), 2);
    assert_true(ice_pool_is_free(pool));
    assert_false(ice_pool_help(pool));
    for (int i = 0; i < JOBS; i++) {
        tasks[i] = (struct task){.job = {.run = count, .user = &tasks[i]}};
        ice_pool_give(pool, &tasks[i].job);
        if (i % 3 == 0)
            (void)ice_pool_help(pool);
    }
    for (int i = JOBS - 1; i >= 0; i--)
        if (ice_pool_try(pool, &tasks[i].job))
            assert_int_equal(tasks[i].times, 1);
    while (ice_pool_help(pool))
        ;
    for (int i = 0; i < JOBS; i++) {
        ice_pool_finish(pool, &tasks[i].job);
        assert_int_equal(tasks[i].times, 1);
    }
    ice_pool_free(pool);
    assert_int_equal(alloc.used, 0);
}

struct giver {
    struct task task;
    struct ice_pool *pool;
    struct task inner;
};

static void give_another(void *user) {
    struct giver *giver = user;
    giver->inner = (struct task){.job = {.run = count, .user = &giver->inner}};
    ice_pool_give(giver->pool, &giver->inner.job);
    ice_pool_finish(giver->pool, &giver->inner.job);
    giver->task.times++;
}

/* Jobs may give jobs and wait for them, though no thread is free. */
static void jobs_give_jobs(void **state) {
    (void)state;
    static struct giver givers[JOBS];
    struct ice_pool *pool;
    for (unsigned threads = 1; threads <= 3; threads++) {
        assert_int_equal(ice_pool_open(&pool, &alloc, threads), ICE_OK);
        for (int i = 0; i < JOBS; i++) {
            givers[i] = (struct giver){.pool = pool};
            givers[i].task.job.run = give_another;
            givers[i].task.job.user = &givers[i];
            ice_pool_give(pool, &givers[i].task.job);
        }
        for (int i = 0; i < JOBS; i++) {
            ice_pool_finish(pool, &givers[i].task.job);
            assert_int_equal(givers[i].task.times, 1);
            assert_int_equal(givers[i].inner.times, 1);
        }
        ice_pool_free(pool);
    }
    assert_int_equal(alloc.used, 0);
}

static void nothing_to_do(void **state) {
    (void)state;
    struct ice_pool *pool;
    assert_int_equal(ice_pool_open(&pool, &alloc, 3), ICE_OK);
    ice_pool_free(pool);
    ice_pool_free(NULL);
    assert_int_equal(alloc.used, 0);
    assert_true(ice_pool_cores() >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_is_done_once), cmocka_unit_test(a_job_comes_again),
        cmocka_unit_test(the_caller_helps),       cmocka_unit_test(jobs_give_jobs),
        cmocka_unit_test(nothing_to_do),
    };
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
