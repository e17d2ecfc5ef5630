/*
 * options.on_block: what is given out, and what becomes of a decoder that lies, stops,
 * gives up or ends the run.
 */
#include "unit/check/runner.h"

/* Two blocks of longs: 1, 2 and 3. */
#define SYNC "0123456789abcdef"
static const char bytes[] = "Obj\x01\x02\x16"
                            "avro.schema"
                            "\x0c"
                            "\"long\""
                            "\x00" SYNC "\x04\x04\x02\x04" SYNC "\x02\x02\x06" SYNC;

enum behaviour { SAYS_THE_SAME, LIES_ONCE, STOPS, READS_LESS, GIVES_UP, ENDS_IT };

struct decoder {
    enum behaviour behaviour;
    uint64_t digests[4];
    size_t n_blocks;
    char seen[64]; /* "index:records@first value " each */
};

/* As a decoder of its own would: a block holds zigzag longs of one byte. */
static enum ice_status decode(const struct ice_block *block, struct ice_opinion *out,
                              void *user) {
    struct decoder *decoder = user;
    const size_t used = strlen(decoder->seen);
    assert_true(ice_str_is(block->file, "x.avro"));
    assert_true(ice_str_is(block->schema, "\"long\""));
    assert_int_equal(block->records.size, block->n_records);
    (void)snprintf(decoder->seen + used, sizeof(decoder->seen) - used, "%d:%d@%d ",
                   (int)block->index, (int)block->n_records, block->records.data[0] / 2);
    for (size_t i = 0; i < block->n_records; i++) {
        const int64_t value = block->records.data[i] / 2;
        decoder->digests[i] = ice_datum_mix(0, ICE_TOKEN_INTEGER, &value, sizeof(value));
    }
    out->digests = decoder->digests;
    out->n_records = block->n_records;
    if (decoder->n_blocks++ > 0)
        return ICE_OK;
    switch (decoder->behaviour) {
    case SAYS_THE_SAME:
        break;
    case LIES_ONCE:
        decoder->digests[1]++;
        break;
    case STOPS:
        out->stopped = "cannot read it: no";
        out->n_records = 1;
        break;
    case READS_LESS:
        out->n_records = 0;
        break;
    case GIVES_UP:
        out->none = "it died";
        break;
    case ENDS_IT:
        return ICE_ECANCELLED;
    }
    return ICE_OK;
}

struct opinion_case {
    enum behaviour behaviour;
    const char *findings, *missed, *seen;
    enum ice_status status;
    uint64_t n_blocks, n_records;
};

static const struct opinion_case cases[] = {
    {SAYS_THE_SAME, "", NULL, "0:2@1 1:1@3 ", ICE_OK, 2, 3},
    {LIES_ONCE, "warn avro.second-opinion x.avro#/records/1\n", NULL, "0:2@1 1:1@3 ",
     ICE_OK, 1, 2},
    {STOPS, "warn avro.second-opinion x.avro#/records/1\n", NULL, "0:2@1 1:1@3 ", ICE_OK,
     1, 2},
    {READS_LESS, "warn avro.second-opinion x.avro#/records/0\n", NULL, "0:2@1 1:1@3 ",
     ICE_OK, 1, 1},
    {GIVES_UP, "", "it died", "0:2@1 1:1@3 ", ICE_OK, 1, 1},
    {ENDS_IT, "", NULL, "0:2@1 ", ICE_ECANCELLED, 0, 0},
};

static bool misses(const struct ice_summary *summary, const char *why) {
    for (size_t i = 0; i < summary->n_not_evaluated; i++)
        if (ice_str_is(summary->not_evaluated[i].what, "avro.second-opinion"))
            return ice_str_is(summary->not_evaluated[i].why, why) &&
                   summary->not_evaluated[i].asked && (summary->exit_code & 2) != 0;
    return false;
}

static void run(const struct opinion_case *it, struct decoder *decoder,
                const struct ice_options *options) {
    const char *const why = it->missed;
    struct ice_memory_file file = {ICE_STR("x.avro"), {bytes, sizeof(bytes) - 1}};
    struct ice_source *source = NULL;
    struct test_result result = {0};
    assert_int_equal(ice_source_open_memory(&source, &file, 1, NULL, NULL), ICE_OK);
    result.status = ice_check_table(source, "x.avro", options, test_note, &result,
                                    &result.summary, &result.err);
    ice_source_free(source);
    assert_int_equal(result.status, it->status);
    assert_string_equal(result.findings, it->findings);
    assert_string_equal(decoder->seen, it->seen);
    assert_non_null(result.summary);
    assert_true(result.summary->has_opinions);
    assert_int_equal(result.summary->n_same_blocks, it->n_blocks);
    assert_int_equal(result.summary->n_same_records, it->n_records);
    if (why != NULL)
        assert_true(misses(result.summary, why));
    ice_summary_free(result.summary);
}

static void decoders(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct decoder decoder = {.behaviour = cases[i].behaviour};
        struct ice_options options = ICE_OPTIONS_INIT;
        options.on_block = decode;
        options.block_user = &decoder;
        run(&cases[i], &decoder, &options);
    }
}

/* Off by --only: nobody is asked. */
static void not_asked(void **state) {
    (void)state;
    static const char *const only[] = {"avro.truncated"};
    static const struct opinion_case it = {SAYS_THE_SAME, "", NULL, "", ICE_OK, 0, 0};
    struct decoder decoder = {0};
    struct ice_options options = ICE_OPTIONS_INIT;
    options.on_block = decode;
    options.block_user = &decoder;
    options.only = only;
    options.n_only = 1;
    run(&it, &decoder, &options);
}

/* Other tokens, other bytes, another order: another digest. One NaN is as any. */
static void digests(void **state) {
    (void)state;
    const double nan_a = __builtin_nan(""), nan_b = -__builtin_nan("7"), zero = 0;
    const uint64_t a = ice_datum_mix(0, ICE_TOKEN_STRING, "ab", 2);
    assert_true(a != ice_datum_mix(0, ICE_TOKEN_BYTES, "ab", 2));
    assert_true(a != ice_datum_mix(0, ICE_TOKEN_STRING, "ac", 2));
    assert_true(a != ice_datum_mix(0, ICE_TOKEN_STRING, "a", 1));
    assert_true(ice_datum_mix(a, ICE_TOKEN_NULL, NULL, 0) !=
                ice_datum_mix(a, ICE_TOKEN_ARRAY, NULL, 0));
    assert_true(ice_datum_mix(0, ICE_TOKEN_REAL, &nan_a, sizeof(nan_a)) ==
                ice_datum_mix(0, ICE_TOKEN_REAL, &nan_b, sizeof(nan_b)));
    assert_true(ice_datum_mix(0, ICE_TOKEN_REAL, &nan_a, sizeof(nan_a)) !=
                ice_datum_mix(0, ICE_TOKEN_REAL, &zero, sizeof(zero)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoders),
        cmocka_unit_test(not_asked),
        cmocka_unit_test(digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
