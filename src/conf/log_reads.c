/*
 * The log of a reader among the files of a setup: which state of which table it read
 * last.
 */
#include "conf/setup.h"

#include "base/error.h"
#include "inputs/evidence.h"

enum { MOST_READS = 256 }; /* tables of one call */

struct taking {
    struct ice_conf *conf;
    const struct ice_conf_input *input;
};

bool ice_conf_is_log(struct ice_conf *conf, struct ice_str first) {
    return ice_evidence_detect(conf->run, first) == ICE_EVIDENCE_LOG;
}

static struct ice_conf_read *
find(struct ice_conf *conf, const struct ice_conf_input *input, struct ice_str table) {
    for (size_t i = 0; i < conf->n_reads; i++) {
        if (conf->reads[i].input == input && ice_str_equal(conf->reads[i].table, table))
            return &conf->reads[i];
    }
    return NULL;
}

static enum ice_status take(const struct ice_evidence *record, void *user) {
    struct taking *taking = user;
    struct ice_conf *conf = taking->conf;
    if (!ice_evidence_is_read(record) || !record->has_snapshot_id)
        return ICE_OK;
    struct ice_conf_read *read = find(conf, taking->input, record->table);
    if (read == NULL) {
        if (conf->n_reads == MOST_READS) {
            ice_conf_not_checked(conf, "conf.cache.reader-behind",
                                 "logs tell of more tables than are looked at");
            return ICE_OK;
        }
        if (!ice_array_reserve(&conf->run->alloc, &conf->reads, conf->n_reads,
                               &conf->cap_reads, sizeof(*conf->reads)))
            return ICE_ENOMEM;
        read = &conf->reads[conf->n_reads];
        *read = (struct ice_conf_read){.input = taking->input};
        if (!ice_arena_dup(conf->arena, record->table, &read->table))
            return ICE_ENOMEM;
        conf->n_reads++;
    }
    read->line = record->line;
    read->snapshot_id = record->snapshot_id;
    return ICE_OK;
}

enum ice_status ice_conf_read_log(struct ice_conf *conf,
                                  const struct ice_conf_input *input,
                                  struct ice_stream *stream, struct ice_error *err) {
    struct ice_evidence_log log = {.run = conf->run, .format = ICE_EVIDENCE_LOG};
    struct taking taking = {conf, input};
    enum ice_status status = ice_evidence_read_stream(&log, stream, take, &taking, err);
    ice_evidence_release(&log);
    if (status >= 0 && log.n_reads == 0)
        ice_conf_not_checked(conf, "conf.cache.reader-behind", ice_evidence_advice());
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}
