/*
 * Commands that fetch an old version back: each storage's own tool, names as words of a
 * shell.
 */
#include "check/fetch_command.h"

#include "base/compiler.h"
#include "support/cmocka_all.h"

struct fetch_case {
    const char *uri, *id;
    bool is_gone;
    const char *command;
};

static const struct fetch_case cases[] = {
    {"s3://lake/t/f.parquet", "3/L4kqtJl", false,
     "aws s3api get-object --bucket lake --key t/f.parquet --version-id 3/L4kqtJl "
     "f.parquet"},
    {"s3://lake/-f", "-3", true,
     "aws s3api get-object --bucket lake --key=-f --version-id=-3 ./-f"},
    {"s3://lake/a b/it's", "null", false,
     "aws s3api get-object --bucket lake --key 'a b/it'\\''s' --version-id null "
     "'it'\\''s'"},
    {"s3://lake", "", false,
     "aws s3api get-object --bucket lake --key '' --version-id '' ''"},
    {"gs://lake/t/Z9.avro", "1700000000", false,
     "gcloud storage cp 'gs://lake/t/Z9.avro#1700000000' Z9.avro"},
    {"gs://lake/t/f.avro", "17", true, "gcloud storage restore 'gs://lake/t/f.avro#17'"},
    {"abfs://box@acct.dfs.core.windows.net/t/f", "2026-01-01T00:00:00.1Z", false,
     "az storage blob download --account-name acct --container-name box --name t/f "
     "--version-id 2026-01-01T00:00:00.1Z --file f"},
    {"abfs://acct/t/f", "x", true,
     "az storage blob undelete --account-name acct --container-name acct --name t/f"},
    {"hdfs://nn/t/f", "7", false, "its version is 7"},
    {"hdfs://nn/t/f", "a\x01z{", false, "its version is 'a\x01z{'"},
};

static void commands_are_these(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_buf out;
    ice_run_init(&run, NULL);
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        const struct ice_old_version old = {.uri = ice_str_from(cases[i].uri),
                                            .id = ice_str_from(cases[i].id),
                                            .is_gone = cases[i].is_gone};
        assert_int_equal(ice_fetch_command(&run, &old, &out), ICE_OK);
        if (!ice_str_is(ice_buf_str(&out), cases[i].command))
            fail_msg("%s: %.*s", cases[i].uri, ICE_STR_FMT(ice_buf_str(&out)));
    }
    ice_buf_release(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(commands_are_these)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
