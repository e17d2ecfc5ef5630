/*
 * Schemas and specs from text: flattening, roles, odd nesting, equality.
 */
#include "assert_str.h"

#include "iceberg/partition.h"
#include "iceberg/schema.h"
#include "support/failing_run.h"

#include <stdio.h>

struct parsed {
    struct ice_run run;
    struct ice_arena arena;
    struct ice_schema schema;
    enum ice_status status;
};

/* Each request for memory fails in turn: then that is said. */
static void parse_without_memory(const char *text) {
    bool is_done = false;
    for (uint64_t k = 1; !is_done; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_run run;
        struct ice_arena arena;
        struct ice_schema schema = {0};
        failing_run_init(&run, &failing);
        ice_arena_init(&arena, &run.alloc);
        enum ice_status status =
            ice_schema_parse(ice_str_from(text), &run, &arena, &schema, NULL);
        is_done = failing.n < k;
        if (!is_done)
            assert_true(status == ICE_ENOMEM || status == ICE_OK);
        ice_schema_release(&schema);
        ice_arena_release(&arena);
        assert_int_equal(failing.used, 0);
    }
}

static void parse(struct parsed *p, const char *text) {
    struct ice_error err = {0};
    parse_without_memory(text);
    *p = (struct parsed){0};
    ice_run_init(&p->run, NULL);
    ice_arena_init(&p->arena, &p->run.alloc);
    p->status =
        ice_schema_parse(ice_str_from(text), &p->run, &p->arena, &p->schema, &err);
}

static void done(struct parsed *p) {
    ice_schema_release(&p->schema);
    ice_schema_release(&p->schema);
    ice_arena_release(&p->arena);
    assert_int_equal(p->run.alloc.used, 0);
}

static const char nested[] =
    "{\"type\":\"struct\",\"schema-id\":3,\"identifier-field-ids\":[1],\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"a\",\"required\":false,\"type\":{\"type\":\"struct\","
    "\"fields\":["
    "{\"id\":3,\"name\":\"b\",\"required\":false,\"type\":\"int\",\"initial-default\":{"
    "\"x\": "
    "[1]},\"doc\":\"d\"}]}},"
    "{\"id\":4,\"name\":\"m\",\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":5,"
    "\"key\":\"string\",\"value-id\":6,\"value-required\":true,\"value\":{\"type\":"
    "\"list\","
    "\"element-id\":7,\"element-required\":false,\"element\":\"double\"}}}]}";

static void flattened(void **state) {
    (void)state;
    static const struct {
        int32_t id;
        const char *name, *pointer;
        enum ice_field_role role;
        enum ice_type_kind kind;
    } expected[] = {
        {1, "id", "/fields/0", ICE_ROLE_FIELD, ICE_TYPE_LONG},
        {2, "a", "/fields/1", ICE_ROLE_FIELD, ICE_TYPE_STRUCT},
        {3, "a.b", "/fields/1/type/fields/0", ICE_ROLE_FIELD, ICE_TYPE_INT},
        {4, "m", "/fields/2", ICE_ROLE_FIELD, ICE_TYPE_MAP},
        {5, "m.key", "/fields/2/type/key", ICE_ROLE_KEY, ICE_TYPE_STRING},
        {6, "m.value", "/fields/2/type/value", ICE_ROLE_VALUE, ICE_TYPE_LIST},
        {7, "m.value.element", "/fields/2/type/value/element", ICE_ROLE_ELEMENT,
         ICE_TYPE_DOUBLE},
    };
    struct parsed p;
    struct ice_buf name;
    parse(&p, nested);
    assert_int_equal(p.status, ICE_OK);
    assert_true(p.schema.is_struct && p.schema.has_schema_id);
    assert_int_equal(p.schema.schema_id, 3);
    assert_int_equal(p.schema.identifier_ids[0], 1);
    assert_int_equal(p.schema.n_fields, 7);
    ice_buf_init(&name, &p.run.alloc, 1 << 20);
    for (size_t i = 0; i < 7; i++) {
        const struct ice_field *field = ice_schema_field(&p.schema, expected[i].id);
        assert_ptr_equal(field, &p.schema.fields[i]);
        assert_int_equal(field->role, expected[i].role);
        assert_int_equal(field->type.kind, expected[i].kind);
        assert_str(field->pointer, expected[i].pointer);
        ice_buf_clear(&name);
        assert_int_equal(ice_schema_full_name(&p.schema, field, &name), ICE_OK);
        assert_str(ice_buf_str(&name), expected[i].name);
    }
    ice_buf_release(&name);
    assert_str(p.schema.fields[2].initial_default, "{\"x\": [1]}");
    assert_str(p.schema.fields[2].doc, "d");
    assert_int_equal(p.schema.fields[4].has, ICE_FIELD_HAS_ID | ICE_FIELD_HAS_TYPE);
    assert_true(p.schema.fields[5].required);
    assert_int_equal(p.schema.fields[6].parent, 5);
    assert_null(ice_schema_field(&p.schema, 8));
    done(&p);
}

static void odd_nesting(void **state) {
    (void)state;
    static const struct {
        const char *type; /* of the one field */
        size_t n_fields;
        uint8_t has; /* of the last field */
    } cases[] = {
        {"{\"element\":\"int\",\"element-id\":2,\"element-required\":true,\"type\":"
         "\"list\"}",
         2, 13},
        {"{\"type\":\"list\"}", 2, 0},
        {"{\"type\":\"map\",\"key\":\"int\"}", 3, 0},
        {"{\"type\":\"map\",\"value\":\"int\",\"value-id\":2,\"key\":\"int\",\"key-id\":"
         "3}",
         3, 9},
        {"{\"type\":\"list\",\"fields\":[{\"id\":2}]}", 2, 0},
        {"{\"fields\":[{\"id\":2}],\"type\":\"list\"}", 2, 0},
        {"{\"type\":\"struct\",\"element\":\"int\"}", 1, 7},
        {"{\"fields\":[]}", 1, 7},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":2},{\"id\":3}],\"fields\":[{\"id\":4}]"
         "}",
         2, 1},
        {"{\"type\":\"map\",\"key\":{\"type\":\"list\"},\"value\":\"int\",\"key\":"
         "\"int\"}",
         3, 0},
        {"{\"type\":\"decimal\",\"precision\":9}", 1, 15},
        {"{\"type\":\"map\",\"value\":\"int\",\"value\":\"long\",\"key\":\"int\",\"key-"
         "id\":3}",
         3, 9},
        {"{\"type\":\"map\",\"value\":\"int\",\"key\":\"int\",\"value\":{\"type\":"
         "\"list\"}}",
         4, 0},
        {"{\"type\":\"map\",\"element\":\"int\"}", 3, 0},
        {"{\"type\":\"map\",\"fields\":[]}", 3, 0},
        {"{\"type\":\"list\",\"key\":\"int\"}", 2, 0},
        {"{\"type\":\"list\",\"value\":\"int\",\"element-id\":\"x\",\"element-required\":"
         "1}",
         2, 0},
        {"{\"type\":\"struct\",\"key\":\"int\"}", 1, 7},
        {"{\"type\":\"int\",\"value\":\"int\"}", 1, 15},
        {"{\"type\":\"int\",\"element\":\"int\"}", 1, 15},
        {"{\"type\":5,\"fields\":5}", 1, 7},
        {"null", 1, 7},
        {"5", 1, 7},
        {"{}", 1, 7},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct parsed p;
        char text[512];
        (void)snprintf(
            text, sizeof(text),
            "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"x\",\"required\":true,"
            "\"type\":%s}]}",
            cases[i].type);
        parse(&p, text);
        assert_int_equal(p.status, ICE_OK);
        assert_int_equal(p.schema.n_fields, cases[i].n_fields);
        assert_int_equal(p.schema.fields[p.schema.n_fields - 1].has, cases[i].has);
        for (size_t k = 0; k < p.schema.n_fields; k++)
            assert_true(p.schema.fields[k].parent == ICE_NO_PARENT ||
                        p.schema.fields[k].parent < k);
        done(&p);
    }
}

static void roots(void **state) {
    (void)state;
    struct parsed p;
    parse(&p, "{\"fields\":[]}");
    assert_int_equal(p.status, ICE_OK);
    assert_false(p.schema.is_struct || p.schema.bad_root);
    done(&p);
    parse(&p, "{\"type\":\"struct\",\"fields\":5}");
    assert_true(!p.schema.is_struct && p.schema.bad_root);
    done(&p);
    parse(&p, "[]");
    assert_int_equal(p.status, ICE_EFORMAT);
    done(&p);
    parse(&p, "{\"type\":\"struct\",\"fields\":[{\"type\":{\"ty");
    assert_int_equal(p.status, ICE_EFORMAT);
    done(&p);
    parse(&p, "{} {");
    done(&p);
}

static void deep(void **state) {
    (void)state;
    char text[16384];
    size_t n = 0;
    struct parsed p;
    n += (size_t)snprintf(text + n, sizeof(text) - n,
                          "{\"type\":\"struct\",\"fields\":[{\"type\":");
    for (int i = 0; i < 60; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n,
                              "{\"type\":\"list\",\"element\":");
    n += (size_t)snprintf(text + n, sizeof(text) - n, "\"int\"");
    for (int i = 0; i < 60; i++)
        text[n++] = '}';
    (void)snprintf(text + n, sizeof(text) - n, "}]}");
    parse(&p, text);
    assert_int_equal(p.status, ICE_OK);
    assert_int_equal(p.schema.n_fields, 61);
    assert_int_equal(p.schema.fields[60].type.kind, ICE_TYPE_INT);
    assert_int_equal(p.schema.fields[60].parent, 59);
    done(&p);
}

static void equality(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal, deep;
    } cases[] = {
        {"{\"type\":\"struct\",\"fields\":[]}", "{\"fields\":[],\"type\":\"struct\"}",
         true, true},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\"}]}",
         "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"b\"}]}", false, false},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1,\"doc\":\"a\"}]}",
         "{\"type\":\"struct\",\"fields\":[{\"id\":1}]}", true, false},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1,\"type\":\"int\"}]}",
         "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"type\":\"long\"}]}", false, false},
        {"{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1,2]}",
         "{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[2,1]}", true,
         true},
        {"{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1]}",
         "{\"type\":\"struct\",\"fields\":[]}", false, false},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1}]}",
         "{\"type\":\"struct\",\"fields\":[{\"id\":2}]}", false, false},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1}]}", "{\"fields\":[{\"id\":1}]}",
         false, false},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1}]}",
         "{\"type\":\"struct\",\"fields\":[{\"name\":\"\",\"id\":1}]}", false, false},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1,\"required\":true}]}",
         "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"required\":false}]}", false,
         false},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1,\"initial-default\":1}]}",
         "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"initial-default\":2}]}", true,
         false},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1,\"write-default\":1}]}",
         "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"write-default\":2}]}", true,
         false},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1,\"doc\":\"a\",\"write-default\":1}]"
         "}",
         "{\"type\":\"struct\",\"fields\":[{\"write-default\":1,\"id\":1,\"doc\":\"a\"}]"
         "}",
         true, true},
        {"{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1,2]}",
         "{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1,3]}", false,
         false},
        {"{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1,2]}",
         "{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1]}", false,
         false},
        {"{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1]}",
         "{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1,2]}", false,
         false},
        {"{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1,1]}",
         "{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1]}", true, true},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1,\"type\":{\"type\":\"list\","
         "\"element-id\":2,\"element\":\"int\"}}]}",
         "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"type\":{\"type\":\"struct\","
         "\"fields\":[{\"id\":2,\"type\":\"int\"}]}}]}",
         false, false},
        {"{\"type\":\"struct\",\"fields\":[{\"id\":1,\"type\":{\"type\":\"struct\","
         "\"fields\":[{\"id\":2}]}},{\"id\":3}]}",
         "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"type\":{\"type\":\"struct\","
         "\"fields\":[{\"id\":2},{\"id\":3}]}}]}",
         false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct parsed a, b;
        parse(&a, cases[i].a);
        parse(&b, cases[i].b);
        assert_int_equal(ice_schema_equal(&a.schema, &b.schema, false), cases[i].equal);
        assert_int_equal(ice_schema_equal(&a.schema, &b.schema, true), cases[i].deep);
        done(&a);
        done(&b);
    }
}

/* So many ids are compared in their order alone: no table has them otherwise. */
static void many_identifiers(void **state) {
    (void)state;
    enum { N = 1001, BYTES = 16384 };
    static char text[2][BYTES];
    struct parsed a, b;
    for (int k = 0; k < 2; k++) {
        size_t n = (size_t)snprintf(text[k], BYTES,
                                    "{\"type\":\"struct\",\"fields\":[],"
                                    "\"identifier-field-ids\":[");
        for (int i = 0; i < N; i++)
            n += (size_t)snprintf(text[k] + n, BYTES - n, "%s%d", i > 0 ? "," : "",
                                  k == 0 ? i : N - i);
        (void)snprintf(text[k] + n, BYTES - n, "]}");
    }
    parse(&a, text[0]);
    parse(&b, text[1]);
    assert_int_equal(a.schema.n_identifier_ids, N);
    assert_false(ice_schema_equal(&a.schema, &b.schema, false));
    assert_true(ice_schema_equal(&a.schema, &a.schema, true));
    done(&b);
    parse(&b, "{\"type\":\"struct\",\"fields\":[],\"identifier-field-ids\":[1]}");
    assert_false(ice_schema_equal(&b.schema, &a.schema, false));
    done(&a);
    done(&b);
}

static void specs(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_arena arena;
    struct ice_partition_spec spec;
    bool is_object;
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    struct ice_str array =
        ICE_STR("[{\"source-ids\":[4],\"field-id\":1001,\"name\":\"p\","
                "\"transform\":\"bucket[8]\"},{\"name\":\"q\"}]");
    assert_int_equal(
        ice_partition_spec_parse(array, &run, &arena, &spec, &is_object, NULL), ICE_OK);
    assert_false(is_object);
    assert_int_equal(spec.n_fields, 2);
    assert_int_equal(spec.fields[0].source_id, 4);
    assert_int_equal(spec.fields[0].field_id, 1001);
    assert_int_equal(spec.fields[0].transform.argument, 8);
    assert_int_equal(spec.fields[1].field_id, 1001);
    assert_int_equal(spec.fields[1].has, ICE_PART_HAS_NAME);
    struct ice_str object = ICE_STR("{\"spec-id\":7,\"fields\":[]}");
    assert_int_equal(
        ice_partition_spec_parse(object, &run, &arena, &spec, &is_object, NULL), ICE_OK);
    assert_true(is_object && spec.has_spec_id && spec.has_fields);
    assert_int_equal(spec.spec_id, 7);
    assert_int_equal(
        ice_partition_spec_parse(ICE_STR("5"), &run, &arena, &spec, &is_object, NULL),
        ICE_EFORMAT);
    assert_int_equal(
        ice_partition_spec_parse(ICE_STR("[{"), &run, &arena, &spec, &is_object, NULL),
        ICE_EFORMAT);
    ice_arena_release(&arena);
    assert_int_equal(run.alloc.used, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flattened),
        cmocka_unit_test(odd_nesting),
        cmocka_unit_test(roots),
        cmocka_unit_test(deep),
        cmocka_unit_test(equality),
        cmocka_unit_test(specs),
        cmocka_unit_test(many_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
