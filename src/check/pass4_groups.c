/*
 * Pass 4: questions over several files, from facts.
 *
 * reads          nothing but manifests that hold suspects, each once more, for names
 * checks         manifest.entry.sequence-number.changed
 * leaves behind  nothing
 */
#include "check/sequence_facts.h"

enum ice_status ice_pass4_groups(struct ice_check *ck, struct ice_error *err) {
    enum ice_status status = ice_sequence_facts_check(ck, err);
    ice_sequence_facts_free(ck);
    return status;
}
