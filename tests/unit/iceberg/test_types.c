/*
 * The type grammar and transforms.
 */
#include "assert_str.h"

#include "iceberg/partition.h"
#include "iceberg/types.h"

static struct ice_type parse(const char *text) {
    return ice_type_parse(ice_str_from(text));
}

static void every_plain_type(void **state) {
    (void)state;
    static const char *const names[] = {
        "boolean",        "int",      "long",      "float",       "double",
        "date",           "time",     "timestamp", "timestamptz", "timestamp_ns",
        "timestamptz_ns", "string",   "uuid",      "binary",      "unknown",
        "variant",        "geometry", "geography",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct ice_type type = parse(names[i]);
        assert_string_equal(ice_type_kind_name(type.kind), names[i]);
        assert_true(type.canonical);
    }
}

static void arguments(void **state) {
    (void)state;
    struct ice_type type = parse("decimal(9, 2)");
    assert_int_equal(type.kind, ICE_TYPE_DECIMAL);
    assert_int_equal(type.precision, 9);
    assert_int_equal(type.scale, 2);
    assert_true(type.canonical);
    assert_true(parse("decimal(9,2)").canonical);
    assert_false(parse("decimal( 9 , 2 )").canonical);
    static const char *const odd[] = {
        "decimal(9 ,2)", "decimal(9,\t2)", "decimal(9,  2)", "decimal(9,2 )",
        "decimal(09,2)", "decimal(9,02)",  "DECIMAL(9,2)",   "fixed[ 16]",
        "fixed[16\r]",   "fixed[016]",     "fixed[\v16\f]",  "Geometry(a)",
        "geometry (a)",  " geography (a)", "GEOGRAPHY(a)",
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        assert_int_not_equal(parse(odd[i]).kind, ICE_TYPE_BAD);
        assert_false(parse(odd[i]).canonical);
    }
    assert_true(parse("decimal(9,0)").canonical && parse("fixed[0]").canonical);
    assert_int_equal(parse("decimal( 9 , 2 )").kind, ICE_TYPE_DECIMAL);
    assert_int_equal(parse("decimal(99999999999999999999,1)").precision, INT64_MAX);
    type = parse("fixed[16]");
    assert_int_equal(type.kind, ICE_TYPE_FIXED);
    assert_int_equal(type.length, 16);
    assert_false(parse("FIXED[16]").canonical);
    type = parse("geography(EPSG:4326, karney)");
    assert_int_equal(type.kind, ICE_TYPE_GEOGRAPHY);
    assert_str(type.crs, "EPSG:4326");
    assert_str(type.algorithm, "karney");
    type = parse("geometry(projjson:p)");
    assert_int_equal(type.kind, ICE_TYPE_GEOMETRY);
    assert_str(type.crs, "projjson:p");
    assert_non_null(parse("geometry()").crs.data);
    assert_null(parse("geometry").crs.data);
}

static void no_types(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        "int64",
        " int",
        "decimal",
        "decimal()",
        "decimal(9)",
        "decimal(9,)",
        "decimal(,2)",
        "decimal(9,-2)",
        "decimal(9,2",
        "fixed",
        "fixed[]",
        "fixed[-1]",
        "fixed(4)",
        "geometry(",
        "(",
        ")",
        "struct",
        "list",
        "decimal(9:,2)",
        "decimal(9,2/)",
        "decimal(\x08"
        "9,2)",
        "decimal(\x0e"
        "9,2)",
        "fixed[1:]",
        "fixed[16)",
        "fixe[16]",
        "geometri(a)",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(parse(bad[i]).kind, ICE_TYPE_BAD);
    assert_int_equal(parse("INT").kind, ICE_TYPE_INT);
    assert_false(parse("INT").canonical);
}

static void equality(void **state) {
    (void)state;
    struct ice_type a = parse("decimal(9,2)"), b = parse("decimal(9, 2)");
    assert_true(ice_type_equal(&a, &b));
    b = parse("decimal(9,3)");
    assert_false(ice_type_equal(&a, &b));
    a = parse("geometry");
    b = parse("geometry(ogc:crs84)");
    assert_true(ice_type_equal(&a, &b));
    a = parse("geography(OGC:CRS84, spherical)");
    b = parse("geography");
    assert_true(ice_type_equal(&a, &b));
    b = parse("geography(OGC:CRS84, andoyer)");
    assert_false(ice_type_equal(&a, &b));
    b = parse("geography(EPSG:4326)");
    assert_false(ice_type_equal(&a, &b));
    static const struct {
        const char *a, *b;
        bool is_equal;
    } cases[] = {
        {"int", "INT", true},
        {"int", "long", false},
        {"decimal(9,2)", "decimal(8,2)", false},
        {"fixed[4]", "FIXED[ 4 ]", true},
        {"fixed[4]", "fixed[5]", false},
        {"int64", "int64", true},
        {"int64", "int65", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        a = parse(cases[i].a);
        b = parse(cases[i].b);
        assert_int_equal(ice_type_equal(&a, &b), cases[i].is_equal);
    }
}

static void kinds_have_names(void **state) {
    (void)state;
    assert_string_equal(ice_type_kind_name(ICE_TYPE_DECIMAL), "decimal");
    assert_string_equal(ice_type_kind_name(ICE_TYPE_FIXED), "fixed");
    assert_string_equal(ice_type_kind_name(ICE_TYPE_STRUCT), "struct");
    assert_string_equal(ice_type_kind_name(ICE_TYPE_LIST), "list");
    assert_string_equal(ice_type_kind_name(ICE_TYPE_MAP), "map");
    assert_string_equal(ice_type_kind_name(ICE_TYPE_BAD), "no type");
}

static struct ice_transform transform(const char *text) {
    return ice_transform_parse(ice_str_from(text));
}

static void transforms(void **state) {
    (void)state;
    assert_int_equal(transform("Day").kind, ICE_TRANSFORM_DAY);
    struct ice_transform t = transform("bucket[16]");
    assert_int_equal(t.kind, ICE_TRANSFORM_BUCKET);
    assert_true(t.has_argument);
    assert_false(t.argument_big);
    assert_int_equal(t.argument, 16);
    t = transform("truncate[2147483648]");
    assert_true(t.argument_big);
    t = transform("truncate[99999999999999999999]");
    assert_true(t.has_argument && t.argument_big);
    t = transform("bucket[-4]");
    assert_true(t.has_argument);
    assert_int_equal(t.argument, -4);
    t = transform("truncate[-2147483649]");
    assert_true(t.has_argument && t.argument_big);
    t = transform("truncate[-99999999999999999999]");
    assert_true(t.has_argument && t.argument_big && t.argument == INT64_MIN);
    static const char *const no_argument[] = {
        "bucket[4)", "bucket[/]", "bucket[:]", "bucket",   "bucket[",
        "bucket[]",  "bucket[x]", "bucket[-]", "bucket[4", "bucket[4]x"};
    for (size_t i = 0; i < sizeof(no_argument) / sizeof(no_argument[0]); i++) {
        t = transform(no_argument[i]);
        assert_int_equal(t.kind, ICE_TRANSFORM_BUCKET);
        assert_false(t.has_argument);
    }
    assert_int_equal(transform("zorder").kind, ICE_TRANSFORM_UNKNOWN);
    assert_int_equal(transform("day[3]").kind, ICE_TRANSFORM_UNKNOWN);
    assert_int_equal(transform("").kind, ICE_TRANSFORM_UNKNOWN);
}

static void transform_types(void **state) {
    (void)state;
    static const struct {
        const char *transform, *source;
        bool allowed;
        enum ice_type_kind result;
    } cases[] = {
        {"identity", "double", true, ICE_TYPE_DOUBLE},
        {"identity", "variant", false, ICE_TYPE_VARIANT},
        {"identity", "geometry", false, ICE_TYPE_GEOMETRY},
        {"bucket[4]", "long", true, ICE_TYPE_INT},
        {"bucket[4]", "double", false, ICE_TYPE_INT},
        {"bucket[4]", "boolean", false, ICE_TYPE_INT},
        {"truncate[4]", "decimal(9,2)", true, ICE_TYPE_DECIMAL},
        {"truncate[4]", "uuid", false, ICE_TYPE_UUID},
        {"day", "timestamptz_ns", true, ICE_TYPE_DATE},
        {"hour", "date", false, ICE_TYPE_INT},
        {"year", "date", true, ICE_TYPE_INT},
        {"year", "time", false, ICE_TYPE_INT},
        {"void", "variant", true, ICE_TYPE_VARIANT},
        {"zorder", "variant", true, ICE_TYPE_BAD},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ice_transform t = transform(cases[i].transform);
        struct ice_type source = parse(cases[i].source);
        assert_int_equal(ice_transform_allows(&t, &source), cases[i].allowed);
        assert_int_equal(ice_transform_result(&t, &source).kind, cases[i].result);
    }
    struct ice_transform a = transform("bucket[4]"), b = transform("BUCKET[4]");
    assert_true(ice_transform_equal(&a, &b));
    b = transform("bucket[5]");
    assert_false(ice_transform_equal(&a, &b));
    a = transform("zorder");
    b = transform("zorder");
    assert_true(ice_transform_equal(&a, &b));
    b = transform("hilbert");
    assert_false(ice_transform_equal(&a, &b));
    b = transform("day");
    assert_false(ice_transform_equal(&a, &b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plain_type), cmocka_unit_test(arguments),
        cmocka_unit_test(no_types),         cmocka_unit_test(equality),
        cmocka_unit_test(kinds_have_names), cmocka_unit_test(transforms),
        cmocka_unit_test(transform_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
