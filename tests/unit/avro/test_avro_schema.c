/*
 * Writer schemas: names and namespaces, attributes, sizes, what is illegal and what is
 * only odd.
 */
#include "avro_helper.h"

static struct ice_run run;
static struct ice_arena arena;
static struct ice_avro_problems problems;
static struct ice_error err;

static enum ice_status parse_with(struct ice_str text, const struct ice_limits *limits,
                                  const struct ice_avro_schema **out) {
    struct ice_options options = ICE_OPTIONS_INIT;
    if (limits != NULL)
        options.limits = *limits;
    ice_run_init(&run, &options);
    ice_arena_init(&arena, &run.alloc);
    err = (struct ice_error){0};
    return ice_avro_schema_parse(text, &run, &arena, &test_names, out, &problems, &err);
}

static void end(void) {
    ice_arena_release(&arena);
    assert_int_equal(run.alloc.used, 0);
}

static const struct ice_avro_schema *parse(const char *text) {
    const struct ice_avro_schema *schema = NULL;
    const enum ice_status status = parse_with(ice_str_from(text), NULL, &schema);
    assert_int_equal(status, ICE_OK);
    assert_int_equal(err.status, ICE_OK);
    return schema;
}

static void refuse(const char *text, const char *rule, const char *pointer) {
    const struct ice_avro_schema *schema = NULL;
    const enum ice_status status = parse_with(ice_str_from(text), NULL, &schema);
    assert_int_equal(err.status, status);
    assert_string_equal(err.rule ? err.rule : "", rule);
    assert_string_equal(err.pointer, pointer);
    assert_null(schema);
    end();
}

/* Any allocation, any text: what is wrong is told where somebody listens, and only there.
 */
static void test_error_is_optional(void **state) {
    (void)state;
    static const char text[] = "{\"type\":\"record\",\"name\":\"r\",\"fields\":5}";
    const struct ice_avro_schema *schema;
    assert_int_equal(parse_with(ice_str_from(text), NULL, &schema), ICE_EFORMAT);
    assert_int_equal(ice_avro_schema_parse(ice_str_from(text), &run, &arena, NULL,
                                           &schema, NULL, NULL),
                     ICE_EFORMAT);
    err = (struct ice_error){.status = ICE_EIO, .rule = "source.unreadable"};
    assert_int_equal(ice_avro_schema_parse(ice_str_from(text), &run, &arena, NULL,
                                           &schema, NULL, &err),
                     ICE_EFORMAT);
    assert_int_equal(err.status, ICE_EIO); /* the first one stays */
    assert_string_equal(err.pointer, "");
    end();
}

/* A record with one field of this type. */
#define REC(type)                                                                        \
    "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"f\",\"type\":" type "}" \
    "]"                                                                                  \
    "}"
#define IN_FIELD "/header/avro.schema/fields/0/type"
#define FIXED(name, size) "{\"type\":\"fixed\",\"name\":\"" name "\",\"size\":" #size "}"

static void test_types(void **state) {
    (void)state;
    static const char *const names[] = {"null",   "boolean", "int",    "long",  "float",
                                        "double", "bytes",   "string", "record"};
    static const uint64_t least[] = {0, 1, 1, 1, 4, 8, 1, 1};
    for (size_t i = 0; i < 8; i++) {
        char text[256];
        for (int form = 0; form < 3; form++) {
            static const char *const forms[] = {REC("\"%s\""), REC("{\"type\":\"%s\"}"),
                                                REC("{\"type\":{\"type\":\"%s\"}}")};
            const char *at = strchr(forms[form], '%');
            (void)snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - forms[form]),
                           forms[form], names[i], at + 2);
            const struct ice_avro_schema *schema = parse(text);
            assert_int_equal(schema->type, ICE_AVRO_RECORD);
            assert_int_equal(schema->fields[0].type->type, i);
            assert_int_equal(schema->least_size, least[i]);
            assert_string_equal(ice_avro_type_name(schema->fields[0].type->type),
                                names[i]);
            assert_int_equal(problems.n, 0);
            end();
        }
    }
}

static void test_attributes(void **state) {
    (void)state;
    const struct ice_avro_schema *schema = parse(
        "{\"fields\":[" /* attributes in any order */
        "{\"field-id\":7,\"type\":{\"items\":{\"scale\":2,\"precision\":9,\"size\":4,"
        "\"logicalType\":\"decimal\",\"name\":\"d\",\"type\":\"fixed\"},\"element-id\":8,"
        "\"type\":\"array\",\"doc\":[{\"a\":[1]}]},\"name\":\"a\",\"default\":{\"x\":[]}}"
        ","
        "{\"name\":\"b\",\"iceberg-field-name\":\"b.b\",\"type\":[\"null\",{\"type\":"
        "\"map\","
        "\"values\":{\"type\":\"long\",\"logicalType\":\"timestamp-micros\","
        "\"adjust-to-utc\":true},\"key-id\":9,\"value-id\":10}],\"field-id\":\"11\"},"
        "{\"name\":\"c\",\"field-id\":99999999999,\"type\":\"int\"}],"
        "\"name\":\"r\",\"type\":\"record\"}");
    assert_int_equal(schema->n_fields, 3);
    const struct ice_avro_field *f = schema->fields;
    assert_true(f[0].id.has);
    assert_int_equal(f[0].id.value, 7);
    assert_true(f[0].type->element_id.has);
    assert_int_equal(f[0].type->element_id.value, 8);
    const struct ice_avro_schema *decimal = f[0].type->items;
    assert_int_equal(decimal->type, ICE_AVRO_FIXED);
    assert_int_equal(decimal->fixed_size, 4);
    assert_int_equal(decimal->precision, 9);
    assert_int_equal(decimal->scale, 2);
    assert_true(ice_str_is(decimal->logical_type, "decimal"));
    assert_true(ice_str_is(decimal->full_name, "d"));
    assert_true(ice_str_is(decimal->pointer, "/fields/0/type/items"));
    assert_false(f[1].id.has); /* no integer */
    assert_false(f[2].id.has); /* no int */
    assert_true(ice_str_is(f[1].original_name, "b.b"));
    bool is_nullable;
    const struct ice_avro_schema *map = ice_avro_not_null(f[1].type, &is_nullable);
    assert_true(is_nullable);
    assert_int_equal(map->key_id.value, 9);
    assert_int_equal(map->value_id.value, 10);
    assert_true(map->items->has_adjust_to_utc && map->items->adjust_to_utc);
    assert_true(ice_avro_has_ids(schema));
    assert_ptr_equal(ice_avro_field_by_id(schema, 7), &f[0]);
    assert_null(ice_avro_field_by_id(schema, 11));
    assert_ptr_equal(ice_avro_field_by_name(schema, ICE_STR("c")), &f[2]);
    assert_null(ice_avro_field_by_name(schema, ICE_STR("d")));
    end();
    assert_true(ice_avro_has_ids(parse(
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\",\"field-id\":1,"
        "\"type\":\"int\"}]}")));
    end();
    assert_false(ice_avro_has_ids(parse(REC("{\"type\":\"array\",\"items\":\"int\"}"))));
    end();
    assert_true(ice_avro_has_ids(
        parse(REC("{\"type\":\"array\",\"items\":\"int\",\"element-id\":3}"))));
    end();
}

/* What is of another kind than an attribute should be is as if it were not there. */
static void test_odd_attributes(void **state) {
    (void)state;
    const struct ice_avro_schema *schema = parse(
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":["
        "{\"name\":\"a\",\"field-id\":1.5,\"type\":{\"type\":\"bytes\",\"logicalType\":"
        "\"decimal\",\"precision\":\"9\",\"scale\":true}},"
        "{\"name\":\"b\",\"field-id\":null,\"type\":{\"type\":\"long\",\"adjust-to-utc\":"
        "false,\"size\":true}},"
        "{\"name\":\"c\",\"field-id\":[1],\"type\":{\"type\":\"long\",\"adjust-to-utc\":"
        "1,\"logicalType\":[\"x\"]}}]}");
    const struct ice_avro_field *f = schema->fields;
    assert_int_equal(f[0].type->precision, 0);
    assert_int_equal(f[0].type->scale, 0);
    assert_true(f[1].type->has_adjust_to_utc);
    assert_false(f[1].type->adjust_to_utc);
    assert_false(f[2].type->has_adjust_to_utc);
    assert_null(f[2].type->logical_type.data);
    for (size_t i = 0; i < 3; i++)
        assert_false(f[i].id.has);
    assert_false(ice_avro_has_ids(schema));
    end();
    /* an id of any kind, anywhere */
    static const char *const with_ids[] = {
        REC("{\"type\":\"map\",\"values\":\"int\",\"key-id\":3}"),
        REC("{\"type\":\"map\",\"values\":\"int\",\"value-id\":3}"),
        REC("[\"null\",{\"type\":\"map\",\"values\":{\"type\":\"record\",\"name\":\"q\","
            "\"fields\":[{\"name\":\"x\",\"field-id\":1,\"type\":\"int\"}]}}]"),
    };
    for (size_t i = 0; i < ICE_COUNT_OF(with_ids); i++) {
        assert_true(ice_avro_has_ids(parse(with_ids[i])));
        end();
    }
}

/* Where any schema may be the root. */
static void test_any_root(void **state) {
    (void)state;
    static const struct ice_avro_attr_names any = {.any_root = true};
    static const struct {
        const char *text;
        enum ice_avro_type type;
    } cases[] = {
        {"\"int\"", ICE_AVRO_INT},
        {"[\"null\",\"int\"]", ICE_AVRO_UNION},
        {"{\"type\":\"array\",\"items\":\"int\"}", ICE_AVRO_ARRAY},
        {"{\"type\":[\"null\"]}", ICE_AVRO_UNION},
    };
    const struct ice_avro_schema *schema;
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        ice_run_init(&run, NULL);
        ice_arena_init(&arena, &run.alloc);
        assert_int_equal(ice_avro_schema_parse(ice_str_from(cases[i].text), &run, &arena,
                                               &any, &schema, NULL, NULL),
                         ICE_OK);
        assert_int_equal(schema->type, cases[i].type);
        end();
        assert_int_equal(parse_with(ice_str_from(cases[i].text), NULL, &schema),
                         ICE_EFORMAT);
        assert_string_equal(err.rule, "avro.schema.unparseable");
        end();
    }
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    assert_int_equal(
        ice_avro_schema_parse(ICE_STR("5"), &run, &arena, &any, &schema, NULL, NULL),
        ICE_EFORMAT);
    end();
}

static void test_not_null(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is_nullable;
        enum ice_avro_type type;
    } cases[] = {
        {REC("[\"null\",\"int\"]"), true, ICE_AVRO_INT},
        {REC("[\"int\",\"null\"]"), true, ICE_AVRO_INT},
        {REC("[\"int\",\"long\"]"), false, ICE_AVRO_UNION},
        {REC("[\"null\",\"int\",\"long\"]"), false, ICE_AVRO_UNION},
        {REC("[\"int\"]"), false, ICE_AVRO_UNION},
        {REC("\"int\""), false, ICE_AVRO_INT},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        bool is_nullable;
        const struct ice_avro_schema *schema = parse(cases[i].text);
        assert_int_equal(ice_avro_not_null(schema->fields[0].type, &is_nullable)->type,
                         cases[i].type);
        assert_int_equal(is_nullable, cases[i].is_nullable);
        end();
    }
}

#define TWO(first, second)                                                               \
    "{\"type\":\"record\",\"name\":\"r\",\"namespace\":\"a.b\",\"fields\":[{\"name\":"   \
    "\"x\","                                                                             \
    "\"type\":" first "},{\"name\":\"y\",\"type\":" second "}]}"

static void test_namespaces(void **state) {
    (void)state;
    static const struct {
        const char *text, *full_name;
    } cases[] = {
        {TWO(FIXED("f", 4), "\"f\""), "a.b.f"},
        {TWO(FIXED("f", 4), "\"a.b.f\""), "a.b.f"},
        {TWO(FIXED("c.f", 4), "\"c.f\""), "c.f"},
        {TWO("{\"type\":\"fixed\",\"name\":\"f\",\"namespace\":\"n\",\"size\":4}",
             "\"n.f\""),
         "n.f"},
        {TWO("{\"type\":\"fixed\",\"name\":\"f\",\"namespace\":\"\",\"size\":4}",
             "\"f\""),
         "f"},
        {TWO("{\"type\":\"fixed\",\"name\":\"c.f\",\"namespace\":\"n\",\"size\":4}",
             "{\"type\":\"c.f\"}"),
         "c.f"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        const struct ice_avro_schema *schema = parse(cases[i].text);
        assert_true(ice_str_is(schema->full_name, "a.b.r"));
        assert_ptr_equal(schema->fields[0].type, schema->fields[1].type);
        assert_true(ice_str_is(schema->fields[1].type->full_name, cases[i].full_name));
        end();
    }
    refuse(TWO(FIXED("f", 4), "\"c.f\""), "avro.schema.invalid",
           "/header/avro.schema/fields/1/type");
    /* the namespace of a dotted name holds for what is inside it */
    const struct ice_avro_schema *schema = parse(
        "{\"type\":\"record\",\"name\":\"n.r\",\"fields\":[{\"name\":\"x\",\"type\":"
        "{\"type\":\"array\",\"items\":[\"null\",\"r\"]}}]}");
    assert_ptr_equal(schema->fields[0].type->items->branches[1], schema);
    end();
}

static void test_unparseable(void **state) {
    (void)state;
    static const char *const texts[] = {"",        "{",    "null",  "5",
                                        "\"int\"", "nope", "{} {}", "[\"null\",\"int\"]"};
    for (size_t i = 0; i < ICE_COUNT_OF(texts); i++) {
        const struct ice_avro_schema *schema;
        assert_int_equal(parse_with(ice_str_from(texts[i]), NULL, &schema), ICE_EFORMAT);
        assert_string_equal(err.rule, "avro.schema.unparseable");
        end();
    }
    refuse("{}", "avro.schema.unparseable", "/header/avro.schema");
    refuse(REC("\"int\"") " x", "avro.schema.unparseable", "/header/avro.schema");
    refuse("{\"type\":\"array\",\"items\":\"int\"}", "avro.schema.unparseable",
           "/header/avro.schema");
}

/* A record "f" with one field. */
#define F_OF(name, type)                                                                 \
    "{\"type\":\"record\",\"name\":\"f\",\"fields\":[{\"name\":" name ",\"type\":" type  \
    "}]}"

static void test_invalid(void **state) {
    (void)state;
    static const struct {
        const char *text, *pointer;
    } cases[] = {
        {"{\"type\":\"record\",\"name\":\"r\"}", "/header/avro.schema"},
        {"{\"type\":\"record\",\"fields\":[]}", "/header/avro.schema"},
        {"{\"type\":\"record\",\"name\":1,\"fields\":[]}", "/header/avro.schema"},
        {"{\"type\":\"record\",\"name\":\"int\",\"fields\":[]}", "/header/avro.schema"},
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":{}}", "/header/avro.schema"},
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[5]}", "/header/avro.schema"},
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\"}]}",
         "/header/avro.schema"},
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"type\":\"int\"}]}",
         "/header/avro.schema"},
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\",\"type\":"
         "\"int\"},"
         "{\"name\":\"a\",\"type\":\"long\"}]}",
         "/header/avro.schema"},
        {REC("null"), IN_FIELD},
        {REC("\"zzz\""), IN_FIELD},
        {REC("\"record\""), IN_FIELD},
        {REC("{\"type\":\"array\"}"), IN_FIELD},
        {REC("{\"type\":\"map\"}"), IN_FIELD},
        {REC("{\"items\":\"int\"}"), IN_FIELD},
        {REC("[]"), IN_FIELD},
        {REC("[\"null\",\"null\"]"), IN_FIELD},
        {REC("[\"null\",[\"int\"]]"), IN_FIELD},
        {REC("[\"int\",{\"type\":\"array\",\"items\":\"int\"},"
             "{\"type\":\"array\",\"items\":\"long\"}]"),
         IN_FIELD},
        {REC("[" FIXED("f", 1) ",\"f\"]"), IN_FIELD},
        {REC(FIXED("f", -2)), IN_FIELD},
        {REC(FIXED("f", 2147483648)), IN_FIELD},
        {REC(FIXED("f", 9223372036854775807)), IN_FIELD},
        {REC(FIXED("f", 1.5)), IN_FIELD},
        {REC("{\"type\":\"fixed\",\"name\":\"f\"}"), IN_FIELD},
        {REC("{\"type\":\"fixed\",\"size\":1}"), IN_FIELD},
        {REC("{\"type\":\"fixed\",\"name\":\"f\",\"size\":\"1\"}"), IN_FIELD},
        {REC("{\"type\":\"enum\",\"symbols\":[\"A\"]}"), IN_FIELD},
        {REC("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[]}"), IN_FIELD},
        {REC("{\"type\":\"enum\",\"name\":\"e\"}"), IN_FIELD},
        {REC("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[1]}"), IN_FIELD},
        {REC("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"A\"]}"), IN_FIELD},
        {REC(FIXED("r", 1)), IN_FIELD},
        {TWO(FIXED("f", 4), FIXED("f", 5)), "/header/avro.schema/fields/1/type"},
        {TWO("{\"type\":\"enum\",\"name\":\"f\",\"symbols\":[\"A\"]}",
             "{\"type\":\"enum\",\"name\":\"f\",\"symbols\":[\"B\"]}"),
         "/header/avro.schema/fields/1/type"},
        {TWO("{\"type\":\"record\",\"name\":\"f\",\"fields\":[{\"name\":\"a\",\"type\":"
             "[\"null\",\"int\"]}]}",
             "{\"type\":\"record\",\"name\":\"f\",\"fields\":[{\"name\":\"a\",\"type\":"
             "[\"null\",\"long\"]}]}"),
         "/header/avro.schema/fields/1/type"},
        /* twins of other kinds, counts and names */
        {TWO(FIXED("f", 4), "{\"type\":\"enum\",\"name\":\"f\",\"symbols\":[\"A\"]}"),
         "/header/avro.schema/fields/1/type"},
        {TWO("{\"type\":\"enum\",\"name\":\"f\",\"symbols\":[\"A\"]}",
             "{\"type\":\"enum\",\"name\":\"f\",\"symbols\":[\"A\",\"B\"]}"),
         "/header/avro.schema/fields/1/type"},
        {TWO(F_OF("\"a\"", "\"int\""), F_OF("\"b\"", "\"int\"")),
         "/header/avro.schema/fields/1/type"},
        {TWO(F_OF("\"a\"", "\"int\""),
             "{\"type\":\"record\",\"name\":\"f\",\"fields\":[]}"),
         "/header/avro.schema/fields/1/type"},
        {TWO(F_OF("\"a\"", "[\"null\",\"int\"]"),
             F_OF("\"a\"", "[\"null\",\"int\",\"long\"]")),
         "/header/avro.schema/fields/1/type"},
        {TWO(F_OF("\"a\"", FIXED("x", 4)), F_OF("\"a\"", "\"int\"")),
         "/header/avro.schema/fields/1/type"},
        {TWO(F_OF("\"a\"", FIXED("x", 4)), F_OF("\"a\"", FIXED("y", 4))),
         "/header/avro.schema/fields/1/type"},
        /* of two pairs of twins the last is told */
        {"{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\","
         "\"type\":" FIXED("f", 1) "},{\"name\":\"b\",\"type\":" FIXED(
             "f", 2) "},{\"name\":\"c\","
                     "\"type\":" FIXED("f", 3) "}]}",
         "/header/avro.schema/fields/2/type"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++)
        refuse(cases[i].text, "avro.schema.invalid", cases[i].pointer);
}

/* A name defined twice alike is readable, and told. */
static void test_twins(void **state) {
    (void)state;
    static const char *const twins[] = {
        TWO(FIXED("f", 16), FIXED("f", 16)),
        TWO(FIXED("f", 16), "{\"type\":\"fixed\",\"name\":\"f\",\"size\":16,"
                            "\"logicalType\":\"uuid\"}"),
        TWO("{\"type\":\"record\",\"name\":\"f\",\"fields\":[{\"name\":\"a\",\"type\":"
            "[\"null\",\"f\"]}]}",
            "{\"type\":\"record\",\"name\":\"f\",\"fields\":[{\"name\":\"a\",\"type\":"
            "[\"null\",\"a.b.f\"],\"field-id\":4}]}"),
    };
    for (size_t i = 0; i < ICE_COUNT_OF(twins); i++) {
        const struct ice_avro_schema *schema = parse(twins[i]);
        assert_int_equal(problems.n, 1);
        assert_string_equal(problems.items[0].rule, "avro.schema.invalid");
        assert_true(ice_str_is(problems.items[0].name, "a.b.f"));
        assert_true(ice_str_is(problems.items[0].pointer, "/fields/1/type"));
        assert_int_equal(schema->n_fields, 2);
        end();
    }
}

static void test_illegal_names(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool is_legal, beyond_ascii;
    } cases[] = {
        {"ok_1", true, false},           {"_", true, false},
        {"ts.day", false, false},        {"1a", false, false},
        {"a-b", false, false},           {"", false, false},
        {"caf\xc3\xa9", false, true},    {"\xe6\x97\xa5", false, true},
        {"caf\xc3\xa9 x", false, false}, {"a\xe2\x80\xa6", false, false},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text),
                       "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"%s\","
                       "\"type\":\"int\"}]}",
                       cases[i].name);
        (void)parse(text);
        assert_int_equal(problems.n, cases[i].is_legal ? 0 : 1);
        if (!cases[i].is_legal) {
            assert_string_equal(problems.items[0].rule, "avro.name.illegal");
            assert_true(ice_str_is(problems.items[0].name, cases[i].name));
            assert_true(ice_str_is(problems.items[0].pointer, "/fields/0"));
            assert_int_equal(problems.items[0].beyond_ascii, cases[i].beyond_ascii);
        }
        end();
    }
    (void)parse("{\"type\":\"record\",\"name\":\"a.b-c.d\",\"fields\":[]}");
    assert_int_equal(problems.n, 1);
    end();
    (void)parse(
        "{\"type\":\"record\",\"name\":\"r\",\"namespace\":\"x.1\",\"fields\":[]}");
    assert_int_equal(problems.n, 1);
    end();
    (void)parse("{\"type\":\"record\",\"name\":\"r\\u0000x\",\"fields\":[]}");
    assert_int_equal(problems.n, 1);
    end();
    (void)parse("{\"type\":\"record\",\"name\":\"a.caf\xc3\xa9\",\"fields\":[]}");
    assert_int_equal(problems.n, 1);
    assert_true(problems.items[0].beyond_ascii);
    end();
    (void)parse("{\"type\":\"record\",\"name\":\"\",\"namespace\":\"n\",\"fields\":[]}");
    assert_int_equal(problems.n, 1);
    assert_false(problems.items[0].beyond_ascii);
    end();
}

static void test_infinite(void **state) {
    (void)state;
    refuse(REC("\"r\""), "avro.schema.infinite", "/header/avro.schema");
    refuse(REC("[\"r\"]"), "avro.schema.infinite", "/header/avro.schema");
    refuse(REC("{\"type\":\"record\",\"name\":\"b\",\"fields\":[{\"name\":\"a\",\"type\":"
               "\"r\"}]}"),
           "avro.schema.infinite", "/header/avro.schema");
    refuse(
        REC("[\"null\",{\"type\":\"record\",\"name\":\"b\",\"fields\":[{\"name\":\"a\","
            "\"type\":\"b\"}]}]"),
        "avro.schema.infinite", "/header/avro.schema/fields/0/type/1");
    static const char *const legal[] = {
        REC("[\"null\",\"r\"]"), REC("[\"r\",\"null\"]"),
        REC("{\"type\":\"array\",\"items\":\"r\"}"),
        REC("{\"type\":\"map\",\"values\":\"r\"}"),
        /* finite only by way of what encloses it */
        REC("[\"null\",{\"type\":\"record\",\"name\":\"b\",\"fields\":[{\"name\":\"a\","
            "\"type\":\"r\"}]}]")};
    for (size_t i = 0; i < ICE_COUNT_OF(legal); i++) {
        const struct ice_avro_schema *schema = parse(legal[i]);
        assert_int_equal(schema->least_size, 1);
        if (i == 4)
            assert_int_equal(schema->fields[0].type->branches[1]->least_size, 1);
        end();
    }
}

static void test_least_size(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t least;
    } cases[] = {
        {TWO("\"long\"", "\"double\""), 9},
        {TWO("\"null\"", "{\"type\":\"record\",\"name\":\"e\",\"fields\":[]}"), 0},
        {TWO("[\"double\",\"float\"]", "[\"string\",\"null\"]"), 6},
        {TWO(FIXED("f", 2147483647), "\"f\""), 4294967294},
        {TWO(FIXED("f", 0), "{\"type\":\"array\",\"items\":\"f\"}"), 1},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        assert_int_equal(parse(cases[i].text)->least_size, cases[i].least);
        end();
    }
    const struct ice_avro_schema *schema = parse(TWO("\"null\"", "\"int\""));
    assert_int_equal(schema->n_sized_fields, 1);
    assert_int_equal(schema->sized_fields[0], 1);
    end();
}

/* Forty records, each of two of the one before: no sum goes around. */
static void test_least_size_is_bounded(void **state) {
    (void)state;
    static struct enc text;
    text.n = 0;
    put(&text, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[", 38);
    for (int i = 0; i < 40; i++) {
        char field[256], type[64] = "\"long\"";
        if (i > 0)
            (void)snprintf(type, sizeof(type), "\"t%d\"", i - 1);
        const int n = snprintf(
            field, sizeof(field),
            "%s{\"name\":\"f%d\",\"type\":{\"type\":\"record\",\"name\":\"t%d\","
            "\"fields\":[{\"name\":\"a\",\"type\":%s},{\"name\":\"b\",\"type\":%s}]}}",
            i > 0 ? "," : "", i, i, i > 0 ? type : FIXED("x", 2147483647),
            i > 0 ? type : "\"x\"");
        put(&text, field, (size_t)n);
    }
    put(&text, "]}", 2);
    const struct ice_avro_schema *schema;
    assert_int_equal(parse_with(enc_str(&text), NULL, &schema), ICE_OK);
    uint64_t expected = 2147483647;
    for (size_t i = 0; i < 40; i++) {
        expected = expected > INT64_MAX / 2 ? INT64_MAX : expected * 2;
        assert_int_equal(schema->fields[i].type->least_size, expected);
    }
    assert_int_equal(expected, INT64_MAX);
    assert_int_equal(schema->least_size, INT64_MAX);
    end();
}

/* A pointer that a fault has no room for is left at the schema. */
static void test_long_pointer(void **state) {
    (void)state;
    static const struct {
        int n_types, n_items;
        const char *pointer;
    } cases[] = {
        {2, 14, "fits"}, /* 19 of the header, 14 of the field, 10, and 84: 127 bytes */
        {1, 15, "/header/avro.schema"}, /* one more */
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        static struct enc text;
        char pointer[160] = IN_FIELD;
        text.n = 0;
        put(&text, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\",",
            50);
        put(&text, "\"type\":", 7);
        for (int k = 0; k < cases[i].n_types + cases[i].n_items; k++) {
            const bool is_type = k < cases[i].n_types;
            const char *open = is_type ? "{\"type\":" : "{\"type\":\"array\",\"items\":";
            put(&text, open, strlen(open));
            strncat(pointer, is_type ? "/type" : "/items", 6);
        }
        put(&text, "5", 1);
        for (int k = 0; k < cases[i].n_types + cases[i].n_items; k++)
            put(&text, "}", 1);
        put(&text, "}]}", 4);
        refuse(text.data, "avro.schema.invalid", i == 0 ? pointer : cases[i].pointer);
    }
}

/*
 * 20,000 fields deep inside: the pointers of all would take more than the text by far, so
 * the last fields have that of their record.
 */
static void test_many_long_pointers(void **state) {
    (void)state;
    enum { DEPTH = 38, FIELDS = 20000 };
    static struct enc text;
    text.n = 0;
    for (int i = 0; i <= DEPTH; i++) {
        char open[128];
        const int n = snprintf(open, sizeof(open),
                               "{\"type\":\"record\",\"name\":\"r%d\",\"fields\":[%s", i,
                               i < DEPTH ? "{\"name\":\"x\",\"type\":" : "");
        put(&text, open, (size_t)n);
    }
    for (int i = 0; i < FIELDS; i++) {
        char field[64];
        const int n =
            snprintf(field, sizeof(field), "%s{\"name\":\"%df\",\"type\":\"int\"}",
                     i > 0 ? "," : "", i);
        put(&text, field, (size_t)n);
    }
    put(&text, "]}", 2);
    for (int i = 0; i < DEPTH; i++)
        put(&text, "}]}", 3);
    const struct ice_avro_schema *schema;
    assert_int_equal(parse_with(enc_str(&text), NULL, &schema), ICE_OK);
    for (int i = 0; i < DEPTH; i++)
        schema = schema->fields[0].type;
    assert_int_equal(schema->n_fields, FIELDS);
    assert_int_equal(schema->pointer.size, DEPTH * strlen("/fields/0/type"));
    const struct ice_avro_field *first = &schema->fields[0], *last = first + FIELDS - 1;
    assert_int_equal(first->type->pointer.size,
                     schema->pointer.size + strlen("/fields/0/type"));
    assert_true(ice_str_equal(last->type->pointer, schema->pointer));
    assert_true(run.alloc.peak < 32 << 20);
    /* names that begin with a digit are told with the place of the field, while there is
       one */
    assert_int_equal(problems.n, FIELDS);
    assert_int_equal(problems.items[0].pointer.size,
                     schema->pointer.size + strlen("/fields/0"));
    assert_true(ice_str_starts(schema->pointer, problems.items[FIELDS - 1].pointer));
    end();
}

static void limit(const char *text, const struct ice_limits *limits, const char *rule) {
    const struct ice_avro_schema *schema;
    const enum ice_status status = parse_with(ice_str_from(text), limits, &schema);
    assert_int_equal(status, rule ? ICE_ELIMIT : ICE_OK);
    if (rule)
        assert_string_equal(err.rule, rule);
    end();
}

static void test_limits(void **state) {
    (void)state;
    const char *nested = REC("{\"type\":\"array\",\"items\":[\"null\",\"int\"]}");
    limit(nested, &(struct ice_limits){.avro_depth = 3}, NULL);
    limit(nested, &(struct ice_limits){.avro_depth = 2}, "limit.depth");
    limit(nested, &(struct ice_limits){.avro_schema_nodes = 5}, NULL);
    limit(nested, &(struct ice_limits){.avro_schema_nodes = 4}, "limit.schema");
    limit(nested, &(struct ice_limits){.avro_schema_bytes = strlen(nested)}, NULL);
    limit(nested, &(struct ice_limits){.avro_schema_bytes = strlen(nested) - 1},
          "limit.schema");
    limit(nested, &(struct ice_limits){.json_depth = 3}, "limit.depth");
    limit("{\"type\":\"record\",\"name\":\"abcdef\",\"fields\":[]}",
          &(struct ice_limits){.json_key_bytes = 6}, NULL);
    limit("{\"type\":\"record\",\"name\":\"abcdefg\",\"fields\":[]}",
          &(struct ice_limits){.json_key_bytes = 6}, "limit.schema");
    limit("{\"type\":\"record\",\"name\":\"abcdefg\",\"fields\":[]}",
          &(struct ice_limits){.json_string_bytes = 6}, "limit.schema");
    const char *symbols =
        REC("{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"B\"]}");
    limit(symbols, &(struct ice_limits){.avro_schema_nodes = 4}, NULL);
    limit(symbols, &(struct ice_limits){.avro_schema_nodes = 3}, "limit.schema");
}

/* 20 000 branches, fields and symbols: linear, so this takes no time worth a limit. */
static void test_wide(void **state) {
    (void)state;
    static struct enc text;
    text.n = 0;
    static const char start[] = "{\"type\":\"record\",\"name\":\"r\",\"fields\":["
                                "{\"name\":\"u\",\"type\":[\"null\"";
    put(&text, start, sizeof(start) - 1);
    char piece[128];
    for (int i = 0; i < 10000; i++) {
        const int n = snprintf(piece, sizeof(piece),
                               ",{\"type\":\"fixed\",\"name\":\"f%d\",\"size\":1}", i);
        put(&text, piece, (size_t)n);
    }
    put(&text, "]}", 2);
    for (int i = 0; i < 10000; i++) {
        const int n =
            snprintf(piece, sizeof(piece), ",{\"name\":\"c%d\",\"type\":\"int\"}", i);
        put(&text, piece, (size_t)n);
    }
    put(&text, "]}", 2);
    const struct ice_avro_schema *schema;
    assert_int_equal(parse_with(enc_str(&text), NULL, &schema), ICE_OK);
    assert_int_equal(schema->n_fields, 10001);
    assert_int_equal(schema->fields[0].type->n_branches, 10001);
    assert_int_equal(schema->least_size, 10001);
    end();
}

/* A key that stands twice: the last one counts, nothing of the first is left. */
static void test_json_keys_twice(void **state) {
    (void)state;
    const struct ice_avro_schema *schema =
        parse("{\"type\":\"string\",\"type\":\"record\",\"name\":\"x\",\"name\":\"r\","
              "\"fields\":[{\"name\":\"a\",\"type\":\"zzz\"}],"
              "\"fields\":[{\"name\":\"b\",\"type\":{\"type\":\"record\",\"name\":\"q\","
              "\"fields\":[]},\"type\":\"int\"}]}");
    assert_int_equal(schema->n_fields, 1);
    assert_true(ice_str_is(schema->full_name, "r"));
    assert_int_equal(schema->fields[0].type->type, ICE_AVRO_INT);
    end();
}

/* Cut anywhere, any byte changed: some status, no crash, nothing left behind. */
static void test_damage(void **state) {
    (void)state;
    static const char good[] =
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\",\"field-id\":1,"
        "\"type\":"
        "[\"null\",{\"type\":\"array\",\"items\":\"r\",\"element-id\":2}]},{\"name\":"
        "\"e\","
        "\"type\":{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\"]}}]}";
    static char text[sizeof(good)];
    const struct ice_avro_schema *schema;
    for (size_t i = 0; i < sizeof(good) - 1; i++) {
        assert_int_equal(parse_with(ice_str_make(good, i), NULL, &schema), ICE_EFORMAT);
        end();
        static const char bytes[] = {'\0', '"', '{', '}', '[', ']', ',', 'r', '\xff'};
        for (size_t b = 0; b < sizeof(bytes); b++) {
            memcpy(text, good, sizeof(good));
            text[i] = bytes[b];
            (void)parse_with(ice_str_make(text, sizeof(good) - 1), NULL, &schema);
            end();
        }
    }
}

/* Each allocation fails in turn: out of memory, nothing left behind. */
static void test_failing_allocation(void **state) {
    (void)state;
    static struct enc text;
    static const char start[] =
        "{\"type\":\"record\",\"name\":\"a.r\",\"fields\":[{\"name\":\"e\",\"type\":{"
        "\"type\":"
        "\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"B\"]}},{\"name\":\"r\",\"type\":["
        "\"null\","
        "\"r\",{\"type\":\"map\",\"values\":{\"type\":\"array\",\"items\":\"e\"}}]}";
    text.n = 0;
    put(&text, start, sizeof(start) - 1);
    for (int i = 0; i < 80; i++) { /* twins with illegal names, and many nodes */
        char field[256];
        const int n =
            snprintf(field, sizeof(field),
                     ",{\"name\":\"f-%d\",\"type\":{\"type\":\"record\",\"name\":"
                     "\"t-%d\",\"fields\":[{\"name\":\"u\",\"type\":[\"null\","
                     "\"string\"]}]}}",
                     i, i / 2);
        put(&text, field, (size_t)n);
        static const char spaced[] =
            ",{\"name\":\"s\",\"type\":{\"type\":\"fixed\",\"name\":\"s\",\"size\":1,"
            "\"namespace\":\"1\"}}";
        if (i == 1) /* its problem is the fifth, for which the list grows */
            put(&text, spaced, sizeof(spaced) - 1);
    }
    put(&text, "]}", 2);
    for (uint64_t nth = 0;; nth++) {
        struct failing failing = {.fail_at = nth + 1, .sticky = true};
        failing_run_init(&run, &failing);
        ice_arena_init(&arena, &run.alloc);
        const struct ice_avro_schema *schema;
        err = (struct ice_error){0};
        const enum ice_status status = ice_avro_schema_parse(
            enc_str(&text), &run, &arena, &test_names, &schema, &problems, &err);
        if (status == ICE_OK) {
            assert_int_equal(problems.n, 80 + 80 + 40 + 1);
            assert_true(nth > 10);
            end();
            return;
        }
        assert_int_equal(status, ICE_ENOMEM);
        assert_int_equal(err.status, ICE_ENOMEM);
        end();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_odd_attributes),
        cmocka_unit_test(test_any_root),
        cmocka_unit_test(test_error_is_optional),
        cmocka_unit_test(test_not_null),
        cmocka_unit_test(test_namespaces),
        cmocka_unit_test(test_unparseable),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_illegal_names),
        cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_least_size),
        cmocka_unit_test(test_least_size_is_bounded),
        cmocka_unit_test(test_long_pointer),
        cmocka_unit_test(test_many_long_pointers),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_json_keys_twice),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
