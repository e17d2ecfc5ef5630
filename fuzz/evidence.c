/*
 * Evidence: an input is told from the bytes, or by the first one, and read twice. Both
 * give the same records; each has a line that is there, and texts that are in the bytes.
 */
#include "fuzz/target.h"
#include "inputs/evidence.h"

struct seen {
    const struct ice_evidence_log *log;
    uint64_t n, n_reads, digest, size;
};

static enum ice_status on_record(const struct ice_evidence *record, void *user) {
    struct seen *seen = user;
    require(record->line > 0 && record->line <= seen->size + 1);
    require(record->table.size <= seen->size);
    require(record->metadata_location.size <= seen->size);
    require(record->kind != ICE_EVIDENCE_SCAN || record->has_snapshot_id);
    seen->n++;
    seen->n_reads += ice_evidence_is_read(record);
    seen->digest = ice_hash64(record->table, seen->digest) ^
                   ice_hash64(record->metadata_location, record->line) ^
                   (uint64_t)record->time_ms ^ (uint64_t)record->created_ms ^
                   (uint64_t)(record->has_snapshot_id ? record->snapshot_id : 1);
    return ICE_OK;
}

static struct seen read_all(struct ice_run *run, enum ice_evidence_format format,
                            struct ice_str bytes) {
    struct ice_evidence_log log = {.run = run, .format = format};
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct seen seen = {.log = &log, .size = bytes.size};
    struct ice_stream stream;
    ice_stream_init_memory(&stream, run, bytes);
    enum ice_status status =
        ice_evidence_read_stream(&log, &stream, on_record, &seen, &err);
    require(status == ICE_OK || status == ICE_EFORMAT || status == ICE_ELIMIT);
    require(seen.n == log.n_records && seen.n_reads == log.n_reads);
    ice_stream_release(&stream);
    ice_evidence_release(&log);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.hash_seed = 1;
    struct ice_run run;
    ice_run_init(&run, &options);
    struct ice_str bytes = ice_str_make(data, size);
    enum ice_evidence_format format = ice_evidence_detect(&run, bytes);
    require(ice_evidence_detect(&run, bytes) == format);
    if (format == ICE_EVIDENCE_FORMATS && size > 0) {
        format = (enum ice_evidence_format)(data[0] % ICE_EVIDENCE_FORMATS);
        bytes = ice_str_from_index(bytes, 1);
    }
    if (format < ICE_EVIDENCE_FORMATS) {
        struct seen first = read_all(&run, format, bytes);
        struct seen second = read_all(&run, format, bytes);
        require(first.n == second.n && first.digest == second.digest);
    }
    require(run.alloc.used == 0);
    return 0;
}
