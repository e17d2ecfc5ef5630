/*
 * All manifests of a table: read into units, which are joined in the order of manifests.
 */
#include "check/unit.h"

#include "base/error.h"

struct units {
    struct ice_check *ck;
    struct ice_unit unit;
    struct ice_unit_reader reader;
};

/* Its turn has come: all units before were joined. */
static enum ice_status join_part(struct ice_unit *unit, void *user) {
    struct units *units = user;
    ICE_TRY(ice_unit_join_part(units->ck, unit, unit->part));
    units->reader.wants_facts = !units->ck->facts->dropped;
    return ICE_OK;
}

static enum ice_status open_units(struct units *units) {
    ICE_TRY(ice_unit_reader_open(&units->reader, units->ck));
    ICE_TRY(ice_unit_init(&units->unit, units->ck));
    units->unit.give = join_part;
    units->unit.user = units;
    return ICE_OK;
}

static enum ice_status run_one(struct units *units, uint32_t number,
                               struct ice_error *err) {
    struct ice_unit *unit = &units->unit;
    ice_unit_reset(unit);
    units->reader.wants_facts = !units->ck->facts->dropped;
    enum ice_status status = ice_unit_read(unit, &units->reader, number);
    if (status < 0) {
        ice_unit_join_stopped(units->ck, unit);
        if (err != NULL && err->status >= 0)
            *err = unit->fault;
        return status;
    }
    return ice_unit_join(units->ck, unit) < 0 ? ice_error_memory(err) : ICE_OK;
}

enum ice_status ice_units_run(struct ice_check *ck, struct ice_error *err) {
    struct units units = {.ck = ck};
    enum ice_status status = open_units(&units);
    if (status < 0)
        status = ice_error_memory(err);
    for (size_t i = 0; status >= 0 && i < ck->n_manifests; i++) {
        ice_check_progress(ck, "manifests", i, ck->n_manifests);
        status = run_one(&units, (uint32_t)i, err);
    }
    ice_unit_release(&units.unit);
    ice_unit_reader_release(&units.reader);
    return status;
}
