/*
 * Another parser, jansson, accepts and refuses the same texts: a corpus of small
 * documents, each damaged in many random ways. Read whole and in random pieces besides.
 */
#include "trace.h"

#include "base/compiler.h"

#include <jansson.h>

static const char *const seeds[] = {
    ("{\"format-version\":2,\"table-uuid\":\"8fb8e0a7\",\"location\":\"s3://b/t\","
     "\"last-sequence-number\":34,\"properties\":{\"a\":\"b\",\"c\":\"d\\u00e9\\n\"},"
     "\"schemas\":[{\"type\":\"struct\",\"fields\":[{\"id\":1,\"required\":true,\"type\":"
     "\"long\"}"
     "]}],\"snapshots\":[],\"refs\":{\"main\":{\"snapshot-id\":-3055729675574597004}}}"),
    "[1,-2,0.5,-0.25e-3,1E+9,0,-0,[],{},[[]],true,false,null,\"\",\"\\ud83d\\ude00\"]",
    " [ \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\" , { \"\\\"\\\\\\/\\b\\f\\n\\r\\t\" : "
    "null } ]\n",
    "{\"a\":{\"b\":{\"c\":[{\"d\":1},{\"d\":2}]}},\"e\":[true,[false,[null]]]}",
    "[10,20,30]",
};

static const char alphabet[] =
    "{}[],:\"\\0123456789+-.eEtrufalsn \n\t/abc\x80\xc3\xa9\xed\xff\x01";

/* Change, insert, remove, double or swap a few bytes. */
static size_t damage(char *text, size_t size, size_t room, uint64_t *seed) {
    const unsigned n = 1 + (unsigned)(random_next(seed) % 3);
    for (unsigned i = 0; i < n && size > 0; i++) {
        const size_t at = random_next(seed) % size;
        const char fresh = alphabet[random_next(seed) % (sizeof(alphabet) - 1)];
        switch (random_next(seed) % 5) {
        case 0:
            text[at] = fresh;
            break;
        case 1:
            if (size < room) {
                memmove(text + at + 1, text + at, size - at);
                text[at] = fresh;
                size++;
            }
            break;
        case 2:
            memmove(text + at, text + at + 1, size - at - 1);
            size--;
            break;
        case 3:
            size = at;
            break;
        default: {
            const size_t other = random_next(seed) % size;
            const char kept = text[at];
            text[at] = text[other];
            text[other] = kept;
        }
        }
    }
    return size;
}

enum verdict { REFUSED, ACCEPTED, NO_OPINION };

static enum verdict of_jansson(struct ice_str text) {
    json_error_t error;
    json_t *value =
        json_loadb(text.size ? text.data : "", text.size,
                   JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
    if (value != NULL) {
        json_decref(value);
        return ACCEPTED;
    }
    /* a number beyond a double is fine by the grammar */
    return json_error_code(&error) == json_error_numeric_overflow ? NO_OPINION : REFUSED;
}

static void jansson_agrees(void **state) {
    (void)state;
    uint64_t seed = 2463534242;
    size_t n_accepted = 0, n_refused = 0;
    for (int round = 0; round < 40000; round++) {
        char text[1024];
        const char *from = seeds[(size_t)round % ICE_COUNT_OF(seeds)];
        size_t size = strlen(from);
        memcpy(text, from, size);
        size = damage(text, size, sizeof(text), &seed);
        struct ice_run run;
        ice_run_init(&run, NULL);
        struct trace whole, pieces;
        trace_memory(&whole, &run, ice_str_make(text, size));
        trace_pieces(&pieces, &run, ice_str_make(text, size), 1 + (size_t)round % 9, 0,
                     seed);
        assert_int_equal(whole.text.size, pieces.text.size);
        assert_memory_equal(whole.text.data, pieces.text.data, whole.text.size);
        /* these two are notices for us and faults for jansson */
        const unsigned refused =
            1u << ICE_JSON_LONE_SURROGATE | 1u << ICE_JSON_TRAILING_DATA;
        const enum verdict ours =
            whole.status == ICE_DONE && !(whole.notices & refused) ? ACCEPTED : REFUSED;
        const enum verdict theirs = of_jansson(ice_str_make(text, size));
        if (theirs != NO_OPINION && ours != theirs)
            print_error("round %d: '%.*s'\n%.*s", round, (int)size, text,
                        ICE_STR_FMT(ice_buf_str(&whole.text)));
        assert_true(theirs == NO_OPINION || ours == theirs);
        n_accepted += ours == ACCEPTED;
        n_refused += ours == REFUSED;
        trace_release(&whole);
        trace_release(&pieces);
        assert_int_equal(run.alloc.used, 0);
    }
    /* the damage must leave both kinds, or nothing was compared */
    assert_true(n_accepted > 1000);
    assert_true(n_refused > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(jansson_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
