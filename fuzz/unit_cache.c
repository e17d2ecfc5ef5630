/*
 * What a cache entry says of a manifest, right checksum and all: any bytes are taken as a
 * unit whose numbers are in bounds, or refused and nothing is left behind. What was taken
 * is joined and asked about.
 *
 * │ bytes of the rest, 2 │ rest │ parts │
 */
#include "check/storage.h"
#include "check/unit_pack.h"
#include "fuzz/target.h"

static enum ice_status join_given(struct ice_unit *unit, void *user) {
    return ice_unit_join_part(user, unit, unit->part);
}

/* As pass 3 does with an entry; false: it was refused. */
static bool take(struct ice_check *ck, struct ice_unit *unit,
                 struct ice_unit_reader *reader, struct ice_str bytes) {
    const unsigned char *head = (const unsigned char *)bytes.data;
    size_t n = 0;
    if (bytes.size >= 2)
        n = (size_t)head[0] << 8 | head[1];
    bytes = ice_str_from_index(bytes, bytes.size < 2 ? bytes.size : 2);
    struct ice_unpack rest = ice_unpack_of(ice_str_first(bytes, n));
    struct ice_unpack parts =
        ice_unpack_of(ice_str_from_index(bytes, n < bytes.size ? n : bytes.size));
    require(ice_unit_begin(unit, reader, 0) == ICE_OK);
    enum ice_status status = ice_unit_unpack(&rest, unit);
    if (status == ICE_OK)
        status = ice_unit_unpack_parts(&parts, unit);
    require(status == ICE_OK || status == ICE_EFORMAT);
    if (status == ICE_EFORMAT) {
        require(ice_unit_begin_again(unit) == ICE_OK);
        require(unit->n_records == 0 && unit->n_origins == 0 &&
                ice_emit_count(unit->emit) == 0);
    }
    require(ice_unit_end(unit) == ICE_OK);
    require(ice_unit_join(ck, unit) == ICE_OK);
    return status == ICE_OK;
}

static void check_entry(struct ice_check *ck, struct ice_str bytes) {
    struct ice_unit unit = {0};
    struct ice_unit_reader reader = {0};
    require(ice_named_open(ck) == ICE_OK && ice_path_rules_open(ck) == ICE_OK);
    require(ice_facts_open(ck) == ICE_OK);
    require(ice_unit_init(&unit, ck) == ICE_OK);
    require(ice_unit_reader_open(&reader, ck) == ICE_OK);
    reader.wants_facts = true;
    unit.give = join_given;
    unit.user = ck;
    unit.part = ice_calloc(&ck->run->alloc, 1, sizeof(*unit.part));
    require(unit.part != NULL);
    if (take(ck, &unit, &reader, bytes))
        require(ck->facts->n_entries == unit.n_records);
    ice_unit_release(&unit);
    ice_unit_reader_release(&reader);
    require(ice_pass4_groups(ck, NULL) == ICE_OK);
    require(ice_path_rules(ck, NULL) == ICE_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.hash_seed = 1;
    options.jobs = 1;
    struct ice_run run;
    struct ice_target target = {0};
    struct ice_check ck;
    ice_run_init(&run, &options);
    require(ice_check_init(&ck, &run, &options, &target, NULL) == ICE_OK);
    ck.metadata.run = &run;
    ck.version = 2;
    ck.metadata.location = ICE_STR("s3://b/t");
    require(ice_manifest_number(&ck, ICE_STR("s3://b/t/metadata/m0.avro")) == 0);
    check_entry(&ck, ice_str_make(data, size));
    ck.metadata = (struct ice_metadata){0};
    ice_check_release(&ck);
    require(run.alloc.used == 0);
    return 0;
}
