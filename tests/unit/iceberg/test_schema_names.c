/*
 * Fields by their full names.
 */
#include "assert_str.h"

#include "iceberg/schema_names.h"

#include "base/run.h"

static const char text[] =
    "{\"type\":\"struct\",\"fields\":["
    "{\"id\":1,\"name\":\"a\",\"required\":true,\"type\":{\"type\":\"struct\",\"fields\":"
    "["
    "{\"id\":2,\"name\":\"b\",\"required\":true,\"type\":\"int\"},"
    "{\"id\":3,\"name\":\"\",\"required\":true,\"type\":\"int\"}]}},"
    "{\"id\":4,\"name\":\"a.b\",\"required\":true,\"type\":\"int\"},"
    "{\"id\":5,\"name\":\"c\",\"required\":true,\"type\":{\"type\":\"list\","
    "\"element-id\":6,\"element-required\":true,\"element\":\"int\"}}]}";

struct names {
    struct ice_run run;
    struct ice_arena arena;
    struct ice_schema schema;
    struct ice_schema_names names;
};

static void set_up(struct names *n, const char *schema) {
    ice_run_init(&n->run, NULL);
    ice_arena_init(&n->arena, &n->run.alloc);
    assert_int_equal(
        ice_schema_parse(ice_str_from(schema), &n->run, &n->arena, &n->schema, NULL),
        ICE_OK);
    assert_int_equal(ice_schema_names_init(&n->names, &n->schema, &n->run.alloc), ICE_OK);
}

static void tear_down(struct names *n) {
    ice_schema_names_release(&n->names);
    ice_schema_release(&n->schema);
    ice_arena_release(&n->arena);
}

static int32_t find(const struct names *n, const char *name) {
    const struct ice_field *field = ice_schema_names_find(&n->names, ice_str_from(name));
    return field == NULL ? -1 : field->id;
}

static void looking_up(void **state) {
    (void)state;
    struct names n;
    set_up(&n, text);
    assert_int_equal(find(&n, "a"), 1);
    assert_int_equal(find(&n, "a.b"), 2);
    assert_int_equal(find(&n, "a."), 3);
    assert_int_equal(find(&n, "c.element"), 6);
    assert_int_equal(find(&n, "b"), -1);
    assert_int_equal(find(&n, "b.a"), -1);
    assert_int_equal(find(&n, "A"), -1);
    assert_int_equal(find(&n, ""), -1);
    assert_int_equal(find(&n, "c.element.x"), -1);
    tear_down(&n);
}

static void colliding(void **state) {
    (void)state;
    struct names n;
    set_up(&n, text);
    /* fields in order: a, a.b (the member), a., "a.b" (the column), c, c.element */
    assert_int_equal(ice_schema_names_first(&n.names, 1), 1);
    assert_int_equal(ice_schema_names_first(&n.names, 3), 1);
    assert_int_equal(ice_schema_names_first(&n.names, 5), 5);
    tear_down(&n);
}

static void no_fields(void **state) {
    (void)state;
    struct names n;
    set_up(&n, "{\"type\":\"struct\",\"fields\":[]}");
    assert_int_equal(find(&n, "a"), -1);
    tear_down(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_up),
        cmocka_unit_test(colliding),
        cmocka_unit_test(no_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
