/*
 * Recognisers: what a file is, by its name (the first line of the input) and its first
 * bytes. Any bytes get one answer, twice the same, which has a word for people.
 */
#include "conf/setup.h"
#include "fuzz/target.h"
#include "inputs/evidence.h"
#include "inputs/identify.h"
#include "inputs/listing.h"
#include "inputs/target.h"

struct answer {
    enum ice_magic magic;
    enum ice_input_kind kind;
    enum ice_listing_format listing;
    enum ice_evidence_format evidence;
    enum ice_conf_kind conf;
};

static struct answer ask(struct ice_run *run, struct ice_str name, struct ice_str first) {
    const struct answer answer = {
        .magic = ice_magic_of(first),
        .kind = ice_identify(name, first),
        .listing = ice_listing_detect(run, first),
        .evidence = ice_evidence_detect(run, first),
        .conf = ice_conf_recognise(name, first),
    };
    return answer;
}

static void check_name(struct ice_str name) {
    bool is_hadoop = false, is_gzip = false;
    const int64_t version = ice_metadata_name_version(name, &is_hadoop);
    require(version >= -1 && (version >= 0 || !is_hadoop));
    (void)ice_is_metadata_name(name, &is_gzip);
    (void)ice_is_uuid_name(name);
    require(ice_key_name(name).size <= name.size);
    require(ice_key_parent(name).size <= name.size);
    require(!ice_is_metadata_name(name, NULL) || ice_is_hint_of(name, name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_run run;
    target_begin(&run);
    struct ice_str first = ice_str_make(data, size);
    const size_t line = ice_str_find(first, '\n');
    const struct ice_str name = ice_str_first(first, line);
    check_name(name);
    for (int i = 0; i < 2; i++) {
        const struct answer a = ask(&run, name, first), b = ask(&run, name, first);
        require(a.magic == b.magic && a.kind == b.kind && a.listing == b.listing &&
                a.evidence == b.evidence && a.conf == b.conf);
        require(ice_input_kind_name(a.kind)[0] != '\0');
        require(a.conf < ICE_CONF_KINDS && ice_conf_kind_name(a.conf)[0] != '\0');
        first = ice_str_from_index(first, line < first.size ? line + 1 : first.size);
    }
    target_end(&run);
    return 0;
}
