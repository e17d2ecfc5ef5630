/*
 * All manifests of a table, one after another on the calling thread; and the way there
 * from threads that ran out of memory.
 */
#include "check/unit_run.h"

#include "avro/ahead.h"
#include "base/error.h"

struct alone {
    struct ice_check *ck;
    struct ice_unit_reader reader;
    struct ice_unit_turn turn;
    size_t n_given; /* parts of the manifest that is being read */
};

static bool is_over(const struct ice_check *ck) {
    return atomic_load_explicit(&ck->run->alloc.over, memory_order_relaxed);
}

/* Blocks that are unpacked ahead take memory that may be missed elsewhere. */
static bool was_short(const struct ice_check *ck) {
    return ck->run->ahead != NULL && is_over(ck);
}

/* Its turn has come: all units before were joined. */
static enum ice_status join_part(struct ice_unit *unit, void *user) {
    struct alone *alone = user;
    struct ice_unit_turn *turn = &alone->turn;
    if (was_short(alone->ck))
        return ICE_ENOMEM;
    if (alone->n_given++ < turn->n_parts) { /* joined before it was begun anew */
        ice_unit_part_clear(unit->part);
        return ICE_OK;
    }
    ICE_TRY(ice_unit_join_part(alone->ck, unit, unit->part));
    turn->n_parts++;
    alone->reader.wants_facts = !alone->ck->facts->dropped;
    return ICE_OK;
}

static enum ice_status open_alone(struct alone *alone) {
    struct ice_unit *unit = &alone->turn.unit;
    unit->give = join_part;
    unit->user = alone;
    if (unit->part == NULL)
        unit->part = ice_calloc(&alone->ck->run->alloc, 1, sizeof(*unit->part));
    if (unit->part == NULL)
        return ICE_ENOMEM;
    return ice_unit_reader_open(&alone->reader, alone->ck);
}

enum ice_status ice_units_stopped(struct ice_check *ck, const struct ice_unit *unit,
                                  enum ice_status status, struct ice_error *err) {
    ice_unit_join_stopped(ck, unit);
    return ice_error_pass(err, status, &unit->fault);
}

static enum ice_status join_unit(struct alone *alone) {
    struct ice_unit_turn *turn = &alone->turn;
    ICE_TRY(ice_unit_join(alone->ck, &turn->unit));
    turn->next++;
    turn->n_parts = 0;
    turn->is_read = false;
    ice_unit_reset(&turn->unit);
    return ICE_OK;
}

/* What threads left in the middle. */
static enum ice_status take_over(struct alone *alone) {
    struct ice_unit_turn *turn = &alone->turn;
    if (turn->pending != NULL) {
        ICE_TRY(ice_unit_join_part(alone->ck, &turn->unit, turn->pending));
        turn->n_parts++;
    }
    return turn->is_read ? join_unit(alone) : ICE_OK;
}

/* From here on without helpers. */
static void leave_helpers(struct alone *alone) {
    struct ice_run *run = alone->ck->run;
    if (run->ahead != NULL)
        ice_ahead_shrink(run->ahead);
    run->ahead = NULL;
    atomic_store_explicit(&run->alloc.over, false, memory_order_relaxed);
}

/* Once more, where it was begun: the numbers of its origins stay. */
static enum ice_status read_unit(struct alone *alone) {
    struct ice_unit_turn *turn = &alone->turn;
    size_t n_numbers = turn->unit.n_numbers;
    ice_unit_reset(&turn->unit);
    turn->unit.n_numbers = n_numbers;
    alone->n_given = 0;
    alone->reader.wants_facts = !alone->ck->facts->dropped;
    return ice_unit_read(&turn->unit, &alone->reader, (uint32_t)turn->next);
}

static enum ice_status run_one(struct alone *alone, struct ice_error *err) {
    struct ice_check *ck = alone->ck;
    struct ice_unit *unit = &alone->turn.unit;
    enum ice_status status = read_unit(alone);
    if (status != ICE_ECANCELLED && was_short(ck)) {
        leave_helpers(alone);
        status = read_unit(alone);
    }
    if (status < 0)
        return ice_units_stopped(ck, unit, status, err);
    return join_unit(alone) < 0 ? ice_error_memory(err) : ICE_OK;
}

static enum ice_status run_alone(struct alone *alone, struct ice_error *err) {
    struct ice_check *ck = alone->ck;
    if (open_alone(alone) < 0 || take_over(alone) < 0)
        return ice_error_memory(err);
    while (alone->turn.next < ck->n_manifests) {
        ice_check_progress(ck, "manifests", alone->turn.next, ck->n_manifests);
        ICE_TRY(run_one(alone, err));
    }
    return ICE_OK;
}

static enum ice_status run(struct alone *alone, struct ice_error *err) {
    struct ice_check *ck = alone->ck;
    if (ice_unit_init(&alone->turn.unit, ck) < 0)
        return ice_error_memory(err);
    if (is_over(ck))
        ck->run->ahead = NULL;
    else if (ice_units_want_threads(ck)) {
        ICE_TRY(ice_units_run_threads(ck, &alone->turn, err));
        if (alone->turn.next < ck->n_manifests)
            leave_helpers(alone);
    }
    return run_alone(alone, err);
}

enum ice_status ice_units_run(struct ice_check *ck, struct ice_error *err) {
    struct alone alone = {.ck = ck};
    struct ice_ahead *ahead = ck->run->ahead;
    enum ice_status status = run(&alone, err);
    ck->run->ahead = ahead;
    ice_unit_part_release(alone.turn.pending, &ck->run->alloc);
    ice_unit_release(&alone.turn.unit);
    ice_unit_reader_release(&alone.reader);
    return status;
}
