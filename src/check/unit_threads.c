/*
 * Manifests read by several threads. The calling thread joins units in the order of
 * manifests; while the unit whose turn it is, the head, is read elsewhere, it reads one
 * too. Units that are ahead of their turn put full parts aside, up to so many bytes in
 * all; the head's parts are joined as they come.
 *
 *     given ──► read by whoever is free ──► slot, in a ring ──► joined by the caller
 *                     readers, parts: taken while it is read, then given back
 */
#include "check/unit_run.h"
#include "check/progress.h"
#include "check/unit_spares.h"

#include "base/error.h"
#include "base/pool.h"

#include <time.h>

enum {
    WAIT_MS = 50,            /* between two looks whether the caller cancels */
    LEAST_BYTES = 128 << 10, /* of manifests: below, threads cost more than they bring */
    BYTES_A_THREAD = 64 << 10, /* ... to wake one more */
    UNKNOWN_BYTES = 8 << 10,   /* where no length is declared */
    READER_BYTES = 1 << 20,    /* that reading takes, whatever the manifest */
    INFLATED = 4,              /* and times its length */
    ASIDE_BYTES = 64 << 20,    /* of parts that wait for their turn, in all */
    LEAST_MEMORY = 32 << 20,   /* a lower limit leaves no room for threads */
};

struct units;

/* A manifest between being given and being joined. */
struct slot {
    struct ice_job job;
    struct units *units;
    struct ice_unit unit;
    uint32_t number;
    uint64_t cost; /* memory that reading it may take */
    bool wants_facts;
    enum ice_status status;
    size_t n_parts; /* that were joined */
    /* guarded by units->mutex */
    bool is_done;
    struct ice_unit_part *first, *last; /* put aside */
};

struct units {
    struct ice_check *ck;
    struct ice_check
        copy; /* as it was before a thread began: what readers are opened on */
    struct ice_alloc *alloc;
    struct ice_unit_spares spares;
    struct ice_pool *pool;
    pthread_t caller;
    bool (*cancelled)(void *user); /* the caller's */
    void *cancelled_user;
    _Atomic bool is_over; /* nothing more is to be read */

    struct slot *slots; /* of manifest i: slots[i % n_slots] */
    size_t n_slots;
    size_t n_given,
        next; /* manifests; next: the head. Written by the caller, under mutex */
    uint64_t cost, most_cost;
    struct ice_unit_turn *turn;
    bool is_short;          /* memory ran out: the rest is read without threads */
    enum ice_status status; /* what ends the run */

    pthread_mutex_t mutex;
    pthread_cond_t changed;   /* the head: a part, or its end */
    pthread_cond_t room;      /* something was joined, or it is over */
    size_t aside, most_aside; /* bytes */
};

/* ---- how much there is to do ---- */

static uint64_t length_of(const struct ice_check *ck, size_t number) {
    uint64_t length = ice_manifest_length(ck, number);
    return length > 0 ? length : UNKNOWN_BYTES;
}

/* Declared lengths are anybody's: no sum may overflow. */
static uint64_t bytes_to_read(const struct ice_check *ck, uint64_t enough) {
    uint64_t sum = 0;
    for (size_t i = 0; i < ck->n_manifests && sum < enough; i++) {
        uint64_t length = length_of(ck, i);
        sum += length < enough ? length : enough;
    }
    return sum;
}

static uint64_t cost_of(const struct ice_check *ck, size_t number) {
    uint64_t length = length_of(ck, number), most = ck->run->limits.file_bytes;
    if (length > most)
        length = most;
    return length > UINT64_MAX / 2 / INFLATED ? UINT64_MAX / 2
                                              : READER_BYTES + INFLATED * length;
}

bool ice_units_want_threads(const struct ice_check *ck) {
    if (ck->run->pool == NULL || ck->n_manifests < 2 ||
        ck->run->alloc.limit < LEAST_MEMORY)
        return false;
    for (size_t i = 0; i < ck->mapping.n; i++)
        if (!ice_source_is_shared(ck->mapping.entries[i].source))
            return false;
    return bytes_to_read(ck, LEAST_BYTES) >= LEAST_BYTES;
}

/* What was read since may lack what did not fit: it is not joined. */
static bool is_short(const struct units *units) {
    return atomic_load_explicit(&units->ck->run->alloc.over, memory_order_relaxed);
}

/* Asked by every thread that reads; the caller's function is the caller's alone. */
static bool is_stopped(void *user) {
    struct units *units = user;
    if (atomic_load_explicit(&units->is_over, memory_order_relaxed))
        return true;
    if (units->cancelled == NULL || !pthread_equal(pthread_self(), units->caller) ||
        !units->cancelled(units->cancelled_user))
        return false;
    atomic_store_explicit(&units->is_over, true, memory_order_relaxed);
    return true;
}

/* ---- reading ---- */

static struct slot *slot_of(const struct units *units, size_t number) {
    return &units->slots[number % units->n_slots];
}

static enum ice_status fail(struct slot *slot, enum ice_status status) {
    if (slot->unit.fault.status >= 0)
        slot->unit.fault.status = status;
    return status;
}

static enum ice_status read_slot(struct slot *slot, struct ice_unit_reader *reader) {
    struct ice_unit *unit = &slot->unit;
    ice_error_clear(&unit->fault);
    if (is_stopped(slot->units))
        return fail(slot, ICE_ECANCELLED);
    if (unit->part == NULL)
        unit->part = ice_unit_take_part(&slot->units->spares);
    if (unit->part == NULL || reader == NULL)
        return ice_error_memory(&unit->fault);
    reader->wants_facts = slot->wants_facts;
    return ice_unit_read(unit, reader, slot->number);
}

static void do_slot(void *user) {
    struct slot *slot = user;
    struct units *units = slot->units;
    struct ice_unit_reader *reader = ice_unit_take_reader(&units->spares);
    slot->status = read_slot(slot, reader);
    ice_unit_give_reader(&units->spares, reader);
    (void)pthread_mutex_lock(&units->mutex);
    slot->is_done = true;
    (void)pthread_cond_signal(&units->changed);
    (void)pthread_mutex_unlock(&units->mutex);
}

/* ---- joining, on the calling thread ---- */

/* Nothing more is joined with threads. */
static void stop(struct units *units) {
    (void)pthread_mutex_lock(&units->mutex);
    atomic_store_explicit(&units->is_over, true, memory_order_relaxed);
    (void)pthread_cond_broadcast(&units->room);
    (void)pthread_mutex_unlock(&units->mutex);
}

/* pending: a part of the head that was joined in part; owned. */
static enum ice_status run_short(struct units *units, struct ice_unit_part *pending) {
    if (pending != NULL)
        units->turn->pending = pending;
    units->is_short = true;
    stop(units);
    return ICE_ENOMEM;
}

static enum ice_status join_part(struct units *units, struct slot *slot,
                                 struct ice_unit_part *part) {
    ICE_TRY(ice_unit_join_part(units->ck, &slot->unit, part));
    slot->n_parts++;
    return ICE_OK;
}

static struct ice_unit_part *take_aside(struct units *units, struct slot *slot) {
    (void)pthread_mutex_lock(&units->mutex);
    struct ice_unit_part *part = slot->first;
    if (part != NULL) {
        slot->first = part->next;
        if (slot->first == NULL)
            slot->last = NULL;
        units->aside -= ice_unit_part_bytes(part);
        part->next = NULL;
        (void)pthread_cond_broadcast(&units->room);
    }
    (void)pthread_mutex_unlock(&units->mutex);
    return part;
}

/* What the head has put aside so far. */
static enum ice_status join_aside(struct units *units, struct slot *head) {
    struct ice_unit_part *part;
    while ((part = take_aside(units, head)) != NULL) {
        if (is_short(units)) {
            ice_unit_give_part(&units->spares, part);
            return run_short(units, NULL);
        }
        if (join_part(units, head, part) < 0)
            return run_short(units, part);
        ice_unit_give_part(&units->spares, part);
    }
    return ICE_OK;
}

static void advance(struct units *units) {
    (void)pthread_mutex_lock(&units->mutex);
    units->cost -= slot_of(units, units->next)->cost;
    units->next++;
    (void)pthread_cond_broadcast(&units->room);
    (void)pthread_mutex_unlock(&units->mutex);
}

static enum ice_status end_run(struct units *units, struct slot *head,
                               enum ice_status status) {
    units->status = status;
    if (status == ICE_ENOMEM)
        (void)ice_error_memory(&head->unit.fault);
    stop(units);
    return status;
}

/* The head was read. */
static enum ice_status join_head(struct units *units, struct slot *head) {
    struct ice_unit *unit = &head->unit;
    if (units->is_short)
        return ICE_ENOMEM;
    ice_check_progress(units->ck, "manifests", units->next, units->ck->n_manifests);
    if (head->status != ICE_ECANCELLED && (head->status == ICE_ENOMEM || is_short(units)))
        return run_short(units, NULL);
    ICE_TRY(join_aside(units, head));
    if (head->status < 0)
        return end_run(units, head, head->status);
    if (ice_unit_join_part(units->ck, unit, unit->part) < 0) {
        units->turn->is_read = true;
        return run_short(units, NULL);
    }
    if (ice_unit_join(units->ck, unit) < 0)
        return end_run(units, head, ICE_ENOMEM);
    ice_unit_give_part(&units->spares, unit->part);
    unit->part = NULL;
    advance(units);
    return ICE_OK;
}

static void wait_for(struct units *units, const struct slot *head) {
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    (void)pthread_mutex_lock(&units->mutex);
    if (!head->is_done && head->first == NULL)
        (void)pthread_cond_timedwait(&units->changed, &units->mutex, &until);
    (void)pthread_mutex_unlock(&units->mutex);
    (void)is_stopped(units);
}

static bool is_done(struct units *units, const struct slot *slot) {
    (void)pthread_mutex_lock(&units->mutex);
    bool done = slot->is_done;
    (void)pthread_mutex_unlock(&units->mutex);
    return done;
}

/* ---- parts that are full before their unit is ---- */

static bool is_crowded(struct units *units) {
    (void)pthread_mutex_lock(&units->mutex);
    bool crowded = units->aside > units->most_aside;
    (void)pthread_mutex_unlock(&units->mutex);
    return crowded;
}

/* The calling thread, in the middle of a unit: go on when there is room, or its turn has
 * come. Heads are read by others: they were given before. */
static enum ice_status make_room(struct units *units, struct slot *slot) {
    while (units->next != slot->number && is_crowded(units)) {
        struct slot *head = slot_of(units, units->next);
        if (is_stopped(units))
            return fail(slot, ICE_ECANCELLED);
        if (is_done(units, head)) {
            ice_pool_finish(units->pool, &head->job);
            ICE_TRY(join_head(units, head));
        } else {
            ICE_TRY(join_aside(units, head));
            wait_for(units, head);
        }
    }
    return ICE_OK;
}

static enum ice_status join_now(struct units *units, struct slot *slot) {
    ICE_TRY(join_aside(units, slot));
    if (is_short(units))
        return run_short(units, NULL);
    if (join_part(units, slot, slot->unit.part) < 0) {
        struct ice_unit_part *pending = slot->unit.part;
        slot->unit.part = NULL;
        return run_short(units, pending);
    }
    return ICE_OK;
}

/* unit->give. */
static enum ice_status put_aside(struct ice_unit *unit, void *user) {
    struct slot *slot = user;
    struct units *units = slot->units;
    const bool is_caller = pthread_equal(pthread_self(), units->caller);
    if (is_caller && units->next == slot->number)
        return join_now(units, slot);
    struct ice_unit_part *fresh = ice_unit_take_part(&units->spares);
    if (fresh == NULL)
        return ICE_ENOMEM;
    (void)pthread_mutex_lock(&units->mutex);
    *(slot->last != NULL ? &slot->last->next : &slot->first) = unit->part;
    slot->last = unit->part;
    units->aside += ice_unit_part_bytes(unit->part);
    unit->part = fresh;
    (void)pthread_cond_signal(&units->changed);
    while (!is_caller && units->aside > units->most_aside &&
           !atomic_load_explicit(&units->is_over, memory_order_relaxed) &&
           !(units->next == slot->number && slot->first == NULL))
        (void)pthread_cond_wait(&units->room, &units->mutex);
    (void)pthread_mutex_unlock(&units->mutex);
    return is_caller ? make_room(units, slot) : ICE_OK;
}

/* ---- the run ---- */

static void give(struct units *units) {
    struct slot *slot = slot_of(units, units->n_given);
    ice_unit_reset(&slot->unit);
    slot->number = (uint32_t)units->n_given;
    slot->cost = cost_of(units->ck, units->n_given);
    slot->wants_facts = !units->ck->facts->dropped;
    slot->is_done = false;
    slot->n_parts = 0;
    slot->status = ICE_OK;
    units->cost += slot->cost;
    units->n_given++;
    ice_pool_give(units->pool, &slot->job);
}

static bool may_give(const struct units *units) {
    if (units->n_given == units->ck->n_manifests)
        return false;
    if (units->n_given == units->next)
        return true;
    return units->n_given - units->next < units->n_slots &&
           units->cost + cost_of(units->ck, units->n_given) <= units->most_cost;
}

static void run(struct units *units) {
    while (units->next < units->ck->n_manifests &&
           !atomic_load_explicit(&units->is_over, memory_order_relaxed)) {
        while (may_give(units))
            give(units);
        struct slot *head = slot_of(units, units->next);
        if (is_done(units, head) || ice_pool_try(units->pool, &head->job)) {
            ice_pool_finish(units->pool, &head->job);
            (void)join_head(units, head);
        } else if (join_aside(units, head) == ICE_OK && !ice_pool_help(units->pool)) {
            wait_for(units, head);
        }
    }
}

/* What is left of slots when nothing more is read. The head's unit goes to turn. */
static void finish(struct units *units) {
    struct ice_unit_turn *turn = units->turn;
    stop(units);
    for (size_t i = units->next; i < units->n_given; i++)
        ice_pool_finish(units->pool, &slot_of(units, i)->job);
    turn->next = units->next;
    if (units->status >= 0 && units->next < units->ck->n_manifests && !units->is_short)
        units->status = ICE_ECANCELLED;
    if (units->next == units->n_given)
        return;
    struct slot *head = slot_of(units, units->next);
    struct ice_unit unit = turn->unit;
    turn->unit = head->unit;
    head->unit = unit;
    turn->n_parts = head->n_parts;
    if (units->status < 0 && turn->unit.fault.status >= 0)
        (void)ice_error_set(&turn->unit.fault, units->status, NULL, ICE_NO_OFFSET,
                            "interrupted");
}

static void close_units(struct units *units) {
    struct ice_unit_part *part;
    for (size_t i = 0; units->slots != NULL && i < units->n_slots; i++) {
        struct slot *slot = &units->slots[i];
        while ((part = take_aside(units, slot)) != NULL)
            ice_unit_part_release(part, units->alloc);
        ice_unit_release(&slot->unit);
    }
    if (units->slots != NULL)
        ice_free(units->alloc, units->slots, units->n_slots * sizeof(*units->slots));
    ice_unit_spares_release(&units->spares);
    (void)pthread_mutex_destroy(&units->mutex);
    (void)pthread_cond_destroy(&units->changed);
    (void)pthread_cond_destroy(&units->room);
}

static enum ice_status open_slots(struct units *units) {
    units->slots = ice_calloc(units->alloc, units->n_slots, sizeof(*units->slots));
    if (units->slots == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < units->n_slots; i++) {
        struct slot *slot = &units->slots[i];
        slot->units = units;
        slot->job = (struct ice_job){.run = do_slot, .user = slot};
        ICE_TRY(ice_unit_init(&slot->unit, units->ck));
        slot->unit.give = put_aside;
        slot->unit.user = slot;
    }
    return ICE_OK;
}

static enum ice_status open_units(struct units *units) {
    const struct ice_check *ck = units->ck;
    const uint64_t limit = ck->run->alloc.limit;
    const size_t n_threads = 1 + ice_pool_most(units->pool);
    const uint64_t useful =
        1 + bytes_to_read(ck, BYTES_A_THREAD * (uint64_t)n_threads) / BYTES_A_THREAD;
    units->n_slots = 2 * (useful < n_threads ? (size_t)useful : n_threads) + 2;
    if (units->n_slots > ck->n_manifests)
        units->n_slots = ck->n_manifests;
    units->most_cost = limit / 2;
    units->most_aside = limit / 16 < ASIDE_BYTES ? (size_t)(limit / 16) : ASIDE_BYTES;
    (void)pthread_mutex_init(&units->mutex, NULL);
    (void)pthread_cond_init(&units->changed, NULL);
    (void)pthread_cond_init(&units->room, NULL);
    units->copy = *ck;
    units->copy.defaults.cancelled = is_stopped;
    units->copy.defaults.user = units;
    ICE_TRY(ice_unit_spares_open(&units->spares, &units->copy, n_threads));
    return open_slots(units);
}

enum ice_status ice_units_run_threads(struct ice_check *ck, struct ice_unit_turn *turn,
                                      struct ice_error *err) {
    struct ice_run *ice_run = ck->run;
    struct units units = {.ck = ck,
                          .alloc = &ice_run->alloc,
                          .pool = ice_run->pool,
                          .caller = pthread_self(),
                          .cancelled = ice_run->cancelled,
                          .cancelled_user = ice_run->cancelled_user,
                          .turn = turn};
    if (open_units(&units) == ICE_OK) {
        ice_run->cancelled = is_stopped;
        ice_run->cancelled_user = &units;
        run(&units);
        finish(&units);
        ice_run->cancelled = units.cancelled;
        ice_run->cancelled_user = units.cancelled_user;
    }
    close_units(&units);
    return units.status < 0 ? ice_units_stopped(ck, &turn->unit, units.status, err)
                            : ICE_OK;
}
