/*
 * Who made a snapshot.
 */
#include "answer/commit_text.h"

#include "base/error.h"

static bool find_key(const struct ice_metadata *m, const struct ice_snapshot *s,
                     const char *wanted, struct ice_str *out) {
    struct ice_str key, value;
    for (size_t i = 0; ice_snapshot_summary(m, s, i, &key, &value); i++) {
        if (ice_str_is(key, wanted) && value.size > 0) {
            *out = value;
            return true;
        }
    }
    return false;
}

enum ice_status ice_writer_text(const struct ice_metadata *m,
                                const struct ice_snapshot *s, struct ice_buf *out) {
    static const struct {
        const char *key, *before;
        char group; /* of a lower-case letter one key is enough */
    } words[] = {{"engine-name", "", 'e'},
                 {"engine-version", " ", 'V'},
                 {"iceberg-version", "", 'e'},
                 {"app-name", ", ", 'N'},
                 {"spark.app.id", ", ", 'a'},
                 {"app-id", ", ", 'a'},
                 {"flink.job-id", ", flink job ", 'F'},
                 {"trino_query_id", ", trino query ", 'T'}};
    bool has_engine = false, has_app = false;
    size_t start = out->size;
    for (size_t i = 0; i < ICE_COUNT_OF(words); i++) {
        struct ice_str value, before = ice_str_from(words[i].before);
        bool *has = words[i].group == 'e' ? &has_engine : &has_app;
        bool is_one = words[i].group == 'e' || words[i].group == 'a';
        if ((is_one && *has) || !find_key(m, s, words[i].key, &value))
            continue;
        *has = *has || is_one;
        while (out->size == start && before.size > 0 &&
               (before.data[0] == ' ' || before.data[0] == ','))
            before = ice_str_from_index(before, 1);
        ICE_TRY(ice_buf_append_str(out, before));
        ICE_TRY(ice_buf_append_str(out, value));
    }
    return ICE_OK;
}
