/*
 * Files in memory, and storage of the caller's that does not behave.
 */
#include "source/source.h"

#include "base/compiler.h"
#include "base/error.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"

/* as ICE_STR, for initializers of static objects */
#define TEXT(literal)                                                                    \
    { (literal), sizeof(literal) - 1 }

static const struct ice_memory_file files[] = {
    {TEXT("metadata/b"), TEXT("bytes of b")}, {TEXT("a"), TEXT("bytes of a")},
    {TEXT("metadata-x"), TEXT("x")},          {TEXT("metadata/sub/2"), TEXT("2")},
    {TEXT("metadata/sub/1"), TEXT("1")},      {TEXT("metadata/sub-y"), TEXT("y")},
    {TEXT("metadata/other/3"), TEXT("3")},    {TEXT("empty"), {NULL, 0}},
};

static void expect_file(struct ice_source *source, const char *key, const char *text) {
    struct ice_run run;
    struct ice_stream stream;
    struct ice_file_info info;
    struct ice_str view;
    ice_run_init(&run, NULL);
    const enum ice_status status =
        ice_source_open_stream(source, ice_str_from(key), &run, &stream, &info, NULL);
    if (text == NULL) {
        assert_int_equal(status, ICE_ENOENT);
    } else {
        assert_int_equal(status, ICE_OK);
        stream.chunk = 3;
        assert_int_equal(ice_stream_peek(&stream, 100, &view, NULL), ICE_OK);
        assert_true(ice_str_is(view, text));
        assert_int_equal(info.size, strlen(text));
    }
    ice_stream_release(&stream);
    assert_int_equal(run.alloc.used, 0);
}

static void keys_are_found(void **state) {
    (void)state;
    struct ice_source *source;
    assert_int_equal(
        ice_source_open_memory(&source, files, ICE_COUNT_OF(files), NULL, NULL), ICE_OK);
    for (size_t i = 0; i < ICE_COUNT_OF(files); i++)
        expect_file(source, files[i].key.data,
                    files[i].bytes.size ? files[i].bytes.data : "");
    expect_file(source, "metadata", NULL);
    expect_file(source, "b", NULL);
    expect_file(source, "zzz", NULL);
    ice_source_free(source);
    assert_int_equal(ice_source_open_memory(&source, NULL, 0, NULL, NULL), ICE_OK);
    expect_file(source, "a", NULL);
    ice_source_free(source);
}

static void expect_list(struct ice_source *source, const char *directory,
                        const char *expected) {
    struct ice_run run;
    struct ice_arena arena;
    struct ice_source_entry *entries;
    size_t n;
    char text[256] = "";
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    const enum ice_status status = ice_source_list(source, ice_str_from(directory), &run,
                                                   &arena, &entries, &n, NULL);
    assert_int_equal(status, expected ? ICE_OK : ICE_ENOENT);
    for (size_t i = 0; i < n; i++) {
        strncat(text, entries[i].name.data, entries[i].name.size);
        strncat(text, entries[i].is_directory ? "/ " : " ", 2);
    }
    if (expected != NULL)
        assert_string_equal(text, expected);
    ice_arena_release(&arena);
    assert_int_equal(run.alloc.used, 0);
}

static void directories_are_what_keys_say(void **state) {
    (void)state;
    struct ice_source *source;
    assert_int_equal(
        ice_source_open_memory(&source, files, ICE_COUNT_OF(files), NULL, NULL), ICE_OK);
    expect_list(source, "", "a empty metadata/ metadata-x ");
    expect_list(source, "metadata", "b other/ sub/ sub-y ");
    expect_list(source, "metadata/sub", "1 2 ");
    expect_list(source, "meta", NULL);
    expect_list(source, "a", NULL);
    expect_list(source, "metadata/sub/1", NULL);
    ice_source_free(source);
}

/* ---- a storage that lies ---- */

struct liar {
    size_t claims; /* bytes it says it has read, whatever was asked */
    enum ice_status fails;
    uint64_t size;       /* as it says; 0: one byte */
    uint64_t most_asked; /* the end of the reads */
    unsigned n_open, n_freed;
};

static enum ice_status liar_open(void *user, struct ice_str key, void **out_file,
                                 struct ice_file_info *out_info, struct ice_error *err) {
    struct liar *liar = user;
    (void)key;
    (void)err;
    liar->n_open++;
    *out_file = liar;
    out_info->size = liar->size > 0 ? liar->size : 1;
    return ICE_OK;
}

static enum ice_status liar_read_at(void *user, void *file, uint64_t offset, void *buffer,
                                    size_t size, size_t *out_size,
                                    struct ice_error *err) {
    struct liar *liar = user;
    (void)file;
    (void)err;
    if (offset + size > liar->most_asked)
        liar->most_asked = offset + size;
    memset(buffer, 'l', size);
    *out_size = liar->claims < size || liar->claims == SIZE_MAX ? liar->claims : size;
    return liar->fails;
}

static void liar_close(void *user, void *file) {
    struct liar *liar = user;
    (void)file;
    liar->n_open--;
}

static enum ice_status liar_list(void *user, struct ice_str directory,
                                 enum ice_status (*each)(struct ice_str, bool,
                                                         const struct ice_file_info *,
                                                         void *),
                                 void *context, struct ice_error *err) {
    (void)user;
    (void)directory;
    (void)err;
    ICE_TRY(each(ICE_STR("z"), false, NULL, context));
    ICE_TRY(each(ICE_STR(".."), true, NULL, context));
    ICE_TRY(each(ICE_STR("a/b"), false, NULL, context));
    ICE_TRY(each(ICE_STR("n\0l"), false, NULL, context));
    ICE_TRY(each(ICE_STR(""), false, NULL, context));
    ICE_TRY(each(ICE_STR("."), false, NULL, context));
    ICE_TRY(each(ICE_STR("a"), true, NULL, context));
    return each(ICE_STR("a"), false, NULL, context); /* both: in one order */
}

static void liar_free(void *user) {
    struct liar *liar = user;
    liar->n_freed++;
}

static const struct ice_source_ops liar_ops = {liar_open, liar_read_at, liar_close,
                                               liar_list, liar_free};

/* The limit holds for a storage of any claims: so much of it is read, and never more. */
static enum ice_status read_liar(struct liar *liar, size_t chunk, struct ice_error *err) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.limits.file_bytes = 1000;
    struct ice_run run;
    struct ice_source *source;
    struct ice_stream stream;
    uint64_t skipped;
    liar->most_asked = 0;
    liar->n_freed = 0;
    ice_run_init(&run, &options);
    ice_error_clear(err);
    assert_int_equal(ice_source_open_ops(&source, &liar_ops, liar, NULL, NULL), ICE_OK);
    assert_int_equal(
        ice_source_open_stream(source, ICE_STR("some/key"), &run, &stream, NULL, err),
        ICE_OK);
    assert_int_equal(liar->n_open, 1);
    stream.chunk = chunk;
    const enum ice_status status = ice_stream_skip(&stream, UINT64_MAX, &skipped, err);
    assert_int_equal(skipped, status == ICE_ELIMIT ? options.limits.file_bytes : 0);
    assert_true(liar->most_asked <= options.limits.file_bytes + 1);
    ice_stream_release(&stream);
    assert_int_equal(liar->n_open, 0);
    expect_list(source, "", "a a/ z ");
    ice_source_free(source);
    assert_int_equal(liar->n_freed, 1);
    assert_int_equal(run.alloc.used, 0);
    return status;
}

static void a_lying_storage_does_no_harm(void **state) {
    (void)state;
    struct ice_error err;
    const size_t chunks[] = {1, 100, 999, 1000, 1001, 1002, 256 * 1024};
    for (size_t i = 0; i < ICE_COUNT_OF(chunks); i++) {
        struct liar too_much = {.claims = SIZE_MAX};
        assert_int_equal(read_liar(&too_much, chunks[i], &err), ICE_EARG);
        struct liar endless = {.claims = 100};
        assert_int_equal(read_liar(&endless, chunks[i], &err), ICE_ELIMIT);
        assert_string_equal(err.rule, "limit.file");
        assert_string_equal(err.file, "some/key");
        struct liar all_at_once = {.claims = SIZE_MAX - 1};
        assert_int_equal(read_liar(&all_at_once, chunks[i], &err), ICE_ELIMIT);
    }
    struct liar broken = {.fails = ICE_EIO};
    assert_int_equal(read_liar(&broken, 100, &err), ICE_EIO);
    assert_string_equal(err.rule, "source.unreadable");
    assert_int_equal(err.offset, 0);
    assert_string_equal(err.file, "some/key");
}

/* Where nobody keeps the bytes their number is no matter. */
static void endless_streams_have_no_limit(void **state) {
    (void)state;
    enum { LIMIT = 1000 };
    struct ice_options options = ICE_OPTIONS_INIT;
    options.limits.file_bytes = LIMIT;
    struct ice_run run;
    struct ice_source *source;
    struct ice_stream stream;
    struct ice_error err;
    uint64_t skipped;
    struct liar liar = {.claims = 100, .size = LIMIT + 1};
    ice_run_init(&run, &options);
    assert_int_equal(ice_source_open_ops(&source, &liar_ops, &liar, NULL, NULL), ICE_OK);
    ice_error_clear(&err);
    assert_int_equal(
        ice_source_open_stream(source, ICE_STR("key"), &run, &stream, NULL, &err),
        ICE_ELIMIT);
    assert_string_equal(err.rule, "limit.file");
    assert_int_equal(liar.n_open, 0);
    ice_stream_release(&stream);
    struct ice_file_info info;
    assert_int_equal(
        ice_source_open_endless(source, ICE_STR("key"), &run, &stream, &info, NULL),
        ICE_OK);
    assert_int_equal(info.size, LIMIT + 1);
    assert_true(stream.is_endless);
    assert_int_equal(ice_stream_skip(&stream, 10 * LIMIT, &skipped, NULL), ICE_OK);
    assert_int_equal(skipped, 10 * LIMIT);
    ice_stream_release(&stream);
    assert_int_equal(liar.n_open, 0);
    ice_source_free(source);
    assert_int_equal(run.alloc.used, 0);
}

static void ops_must_be_complete(void **state) {
    (void)state;
    struct ice_source *source;
    struct ice_error err;
    struct liar liar = {0};
    for (int missing = 0; missing < 3; missing++) {
        struct ice_source_ops ops = liar_ops;
        if (missing == 0)
            ops.open = NULL;
        else if (missing == 1)
            ops.read_at = NULL;
        else
            ops.close = NULL;
        ice_error_clear(&err);
        assert_int_equal(ice_source_open_ops(&source, &ops, &liar, NULL, &err), ICE_EARG);
        assert_null(source);
        assert_string_equal(err.message, "a source needs open, read_at and close");
    }
}

/* No listing and nothing to free: files can be read all the same. */
static void ops_may_be_few(void **state) {
    (void)state;
    struct ice_source_ops ops = liar_ops;
    ops.list = NULL;
    ops.free = NULL;
    struct failing failing = {.fail_at = 1};
    const struct ice_allocator allocator = failing_allocator(&failing);
    struct ice_run run;
    struct ice_arena arena;
    struct ice_source *source;
    struct ice_source_entry *entries;
    struct ice_file_info info;
    struct ice_error err;
    size_t n;
    struct liar liar = {0};
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    assert_int_equal(ice_source_open_ops(&source, &ops, &liar, &allocator, NULL),
                     ICE_ENOMEM);
    assert_null(source);
    assert_int_equal(ice_source_open_ops(&source, &ops, &liar, &allocator, NULL), ICE_OK);
    ice_error_clear(&err);
    assert_int_equal(
        ice_source_list(source, ICE_STR(""), &run, &arena, &entries, &n, &err),
        ICE_EUNSUPPORTED);
    assert_string_equal(err.message, "this source cannot list directories");
    assert_int_equal(ice_source_stat(source, ICE_STR("key"), &run, &info, NULL), ICE_OK);
    assert_int_equal(info.size, 1);
    assert_false(ice_source_is_shared(source));
    assert_int_equal(ice_source_directory(source), -1);
    ice_source_free(source);
    ice_arena_release(&arena);
    assert_int_equal(liar.n_open, 0);
    assert_int_equal(failing.used, 0);
}

/* Each object that is asked for while a listing grows. */
static void each_allocation_of_a_listing_can_fail(void **state) {
    (void)state;
    struct ice_source *source;
    assert_int_equal(
        ice_source_open_memory(&source, files, ICE_COUNT_OF(files), NULL, NULL), ICE_OK);
    for (uint64_t fail_at = 1;; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        struct ice_run run;
        struct ice_arena arena;
        struct ice_source_entry *entries;
        size_t n;
        failing_run_init(&run, &failing);
        ice_arena_init(&arena, &run.alloc);
        const enum ice_status status = ice_source_list(source, ICE_STR("metadata"), &run,
                                                       &arena, &entries, &n, NULL);
        ice_arena_release(&arena);
        assert_int_equal(failing.used, 0);
        if (status == ICE_OK) {
            assert_int_equal(n, 4);
            assert_true(fail_at > 2);
            break;
        }
        assert_int_equal(status, ICE_ENOMEM);
        assert_int_equal(n, 0);
    }
    ice_source_free(source);
}

static void each_allocation_can_fail(void **state) {
    (void)state;
    for (uint64_t fail_at = 1;; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const struct ice_allocator allocator = failing_allocator(&failing);
        struct ice_source *source;
        const enum ice_status status =
            ice_source_open_memory(&source, files, ICE_COUNT_OF(files), &allocator, NULL);
        ice_source_free(source);
        assert_int_equal(failing.used, 0);
        if (status == ICE_OK) {
            assert_int_equal(fail_at, 4);
            break;
        }
        assert_int_equal(status, ICE_ENOMEM);
        assert_null(source);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_found),
        cmocka_unit_test(directories_are_what_keys_say),
        cmocka_unit_test(a_lying_storage_does_no_harm),
        cmocka_unit_test(endless_streams_have_no_limit),
        cmocka_unit_test(ops_must_be_complete),
        cmocka_unit_test(ops_may_be_few),
        cmocka_unit_test(each_allocation_of_a_listing_can_fail),
        cmocka_unit_test(each_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
