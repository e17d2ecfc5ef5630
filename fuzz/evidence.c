/*
 * Evidence: an input is told from the bytes, or by the first one, and read twice: whole
 * and in random pieces. Both give the same records; each has a line that is there, and
 * texts that are in the bytes.
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
                            struct ice_str bytes, bool in_pieces) {
    struct ice_evidence_log log = {.run = run, .format = format};
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct seen seen = {.log = &log, .size = bytes.size};
    struct ice_stream stream;
    struct pieces pieces;
    target_stream(&stream, &pieces, run, bytes, in_pieces);
    enum ice_status status =
        ice_evidence_read_stream(&log, &stream, on_record, &seen, &err);
    require(status == ICE_OK || status == ICE_EFORMAT || status == ICE_ELIMIT);
    require(seen.n == log.n_records && seen.n_reads == log.n_reads);
    digest_number(&seen.digest, (uint64_t)(int64_t)status);
    if (status < 0)
        digest_str(&seen.digest, ice_str_from(err.message));
    ice_stream_release(&stream);
    ice_evidence_release(&log);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_run run;
    target_begin(&run);
    struct ice_str bytes = ice_str_make(data, size);
    enum ice_evidence_format format = ice_evidence_detect(&run, bytes);
    require(ice_evidence_detect(&run, bytes) == format);
    if (format == ICE_EVIDENCE_FORMATS && size > 0) {
        format = (enum ice_evidence_format)(data[0] % ICE_EVIDENCE_FORMATS);
        bytes = ice_str_from_index(bytes, 1);
    }
    if (format < ICE_EVIDENCE_FORMATS) {
        const struct seen whole = read_all(&run, format, bytes, false);
        const struct seen pieces = read_all(&run, format, bytes, true);
        require(whole.n == pieces.n && whole.digest == pieces.digest);
    }
    target_end(&run);
    return 0;
}
