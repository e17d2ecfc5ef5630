/*
 * Words and times to states, over a shipped table of three commits and copies of parts of
 * it.
 */
#include "answer/state.h"

#include "base/compiler.h"
#include "check/pick_snapshot.h"
#include "support/cmocka_all.h"

#define TABLE "fixtures/base/plain-v2"

struct opened {
    struct ice_table_reader reader;
    struct ice_state state;
    struct ice_error err;
};

static enum ice_status open_in(struct opened *o, const char *path, const char *word) {
    *o = (struct opened){0};
    assert_int_equal(
        ice_table_reader_open(&o->reader, path, NULL, true, NULL, NULL, NULL), ICE_OK);
    return ice_state_open(&o->state, &o->reader, word, &o->err);
}

static void drop(struct opened *o) {
    ice_state_release(&o->state);
    ice_state_release(&o->state);
    ice_table_reader_release(&o->reader);
}

static bool says(const struct opened *o, const char *words) {
    struct ice_str all = ice_buf_str(&o->state.evidence), part = ice_str_from(words);
    for (size_t i = 0; i + part.size <= all.size; i++)
        if (ice_str_starts(ice_str_from_index(all, i), part))
            return true;
    return false;
}

static void words_name_states(void **state) {
    (void)state;
    static const struct {
        const char *word, *file, *evidence;
        int64_t id;
    } cases[] = {
        {NULL, "metadata/v3.metadata.json", "the current one, by hint", 103},
        {"v2.metadata.json", "metadata/v2.metadata.json", "by its name", 102},
        {"v1", "metadata/v1.metadata.json", "by its version", 101},
        {"1", "metadata/v1.metadata.json", "by its version", 101},
        {"3", "metadata/v3.metadata.json", "by its version", 103},
        {"101", "metadata/v3.metadata.json", "by its snapshot id", 101},
        {"main", "metadata/v3.metadata.json", "by ref main", 103},
        {"audit", "metadata/v3.metadata.json", "by ref audit", 102},
        {"v1.0", "metadata/v3.metadata.json", "by ref v1.0", 101},
        {TABLE "/metadata/v2.metadata.json", "metadata/v2.metadata.json", "by its path",
         102},
        {"fixtures/base/plain-v1", "metadata/v3.metadata.json", "by its path", 103},
        {"2025-03-01", "metadata/v1.metadata.json",
         "current from 2025-03-01T00:00:00.000Z to 2025-03-02T00:00:00.000Z, by the "
         "metadata log of metadata/v3.metadata.json",
         101},
        {"2025-03-01T23:59:59.999Z", "metadata/v1.metadata.json", "metadata log", 101},
        {"2025-03-02T00:00", "metadata/v2.metadata.json", "metadata log", 102},
        {"2025-03-03T00:00", "metadata/v3.metadata.json", "it is the last one", 103},
        {"2035-01-01", "metadata/v3.metadata.json", "it is the last one", 103},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct opened o;
        if (open_in(&o, TABLE, cases[i].word) != ICE_OK)
            fail_msg("%s: %s", cases[i].word, o.err.message);
        const struct ice_snapshot *snapshot = ice_state_snapshot(&o.state);
        if (!ice_str_is(o.state.document.file, cases[i].file) ||
            o.state.snapshot_id != cases[i].id || !says(&o, cases[i].evidence) ||
            snapshot == NULL || snapshot->snapshot_id != cases[i].id)
            fail_msg("%s is %.*s of %.*s", cases[i].word,
                     ICE_STR_FMT(ice_buf_str(&o.state.evidence)),
                     ICE_STR_FMT(o.state.document.file));
        drop(&o);
    }
}

static void other_words_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *word, *message;
    } cases[] = {
        {"", "'' is no metadata file, ref, snapshot or time of it: it has 3 metadata "
             "files (v1.metadata.json to v3.metadata.json), 3 refs, 3 snapshots (inspect "
             "refs, snapshots)"},
        {"v4", "'v4' is no metadata file"},
        {"v", "'v' is no metadata file"},
        {"-1", "'-1' is no metadata file"},
        {"99999999999999999999", "'99999999999999999999' is no metadata file"},
        {"2025-02-28", "nothing here tells what was current at 2025-02-28T00:00:00.000Z: "
                       "the earliest time known is 2025-03-01T00:00:00.000Z"},
        {TABLE "/metadata/m1.avro", "no metadata file and no table"},
        {TABLE "/metadata/none.json", "is no metadata file, ref"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct opened o;
        assert_int_equal(open_in(&o, TABLE, cases[i].word), ICE_EARG);
        if (strncmp(o.err.message, cases[i].message, strlen(cases[i].message)) != 0 &&
            strstr(o.err.message, cases[i].message) == NULL)
            fail_msg("%s: %s", cases[i].word, o.err.message);
        drop(&o);
    }
}

/* The pinned file is v3; v1 and v2 are read beside it, and all are open at once. */
static void several_are_open_at_once(void **state) {
    (void)state;
    struct ice_table_reader reader;
    struct ice_state states[3];
    assert_int_equal(ice_table_reader_open(&reader, TABLE, NULL, true, NULL, NULL, NULL),
                     ICE_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ice_state_open_file(&states[i], &reader, i, NULL), ICE_OK);
        assert_int_equal(states[i].document.metadata->n_snapshots, i + 1);
    }
    assert_ptr_equal(states[2].document.metadata, reader.metadata);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(states[i].snapshot_id, 101 + i);
        ice_state_release(&states[i]);
    }
    ice_table_reader_release(&reader);
}

static void ids_are_looked_for(void **state) {
    (void)state;
    struct opened o;
    assert_int_equal(open_in(&o, TABLE, NULL), ICE_OK);
    ice_state_release(&o.state);
    assert_int_equal(ice_state_open_id(&o.state, &o.reader, 102, NULL), ICE_OK);
    assert_int_equal(o.state.snapshot_id, 102);
    ice_state_release(&o.state);
    assert_int_equal(ice_state_open_id(&o.state, &o.reader, 7, &o.err), ICE_EARG);
    assert_string_equal(o.err.message, "no metadata file here knows a snapshot 7");
    drop(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_name_states),
        cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(several_are_open_at_once),
        cmocka_unit_test(ids_are_looked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
