/*
 * Tables that their writer moves while they are checked: scan.changed, scan.unsettled.
 */
#include "unit/check/runner.h"

#include "base/error.h"

#define M "metadata/"
#define MADE_MS INT64_C(1740000000000)

/* A file that is there from one instant up to another. */
struct timed_file {
    const char *key;
    const char *text;  /* of a metadata file: the name of its list */
    unsigned from, to; /* to 0: for ever */
};

/* Opening a file for the first time lets an instant pass before it is looked for. */
struct moving_source {
    const struct timed_file *files;
    const char *const *ticks; /* keys, each ends an instant, NULL behind the last */
    unsigned now;
    unsigned n_lists; /* of the metadata directory */
    char text[1024];
};

static bool is_there(const struct moving_source *source, const struct timed_file *file) {
    return file->from <= source->now && (file->to == 0 || source->now < file->to);
}

static const struct timed_file *find(const struct moving_source *source,
                                     struct ice_str key) {
    for (const struct timed_file *file = source->files; file->key != NULL; file++) {
        if (ice_str_is(key, file->key) && is_there(source, file))
            return file;
    }
    return NULL;
}

static const char *content(struct moving_source *source, const struct timed_file *file) {
    if (strstr(file->key, ".metadata.json") == NULL)
        return file->text;
    if (file->text[0] == '\0')
        return "{"; /* not written to its end */
    (void)snprintf(
        source->text, sizeof(source->text),
        "{\"format-version\":1,\"location\":\"s3://b/orders\",\"last-updated-ms\":"
        "1740000000000,\"last-column-id\":1,\"schema\":{\"type\":\"struct\",\"schema-id\""
        ":0,\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":false,\"type\":\"int\"}]},"
        "\"partition-spec\":[],\"current-snapshot-id\":1,\"snapshots\":[{\"snapshot-id\":"
        "1,\"timestamp-ms\":1740000000000,\"manifest-list\":\"s3://b/orders/metadata/"
        "%s\"}]}",
        file->text);
    return source->text;
}

static enum ice_status moving_open(void *user, struct ice_str key, void **out_file,
                                   struct ice_file_info *out_info,
                                   struct ice_error *err) {
    struct moving_source *source = user;
    (void)err;
    if (source->ticks[source->now] != NULL && ice_str_is(key, source->ticks[source->now]))
        source->now++;
    const struct timed_file *file = find(source, key);
    if (file == NULL)
        return ICE_ENOENT;
    *out_file = (void *)(uintptr_t)file;
    *out_info = (struct ice_file_info){.size = strlen(content(source, file)),
                                       .mtime_ms = MADE_MS,
                                       .identity = (uint64_t)(file - source->files) + 1};
    return ICE_OK;
}

static enum ice_status moving_read(void *user, void *file, uint64_t offset, void *buffer,
                                   size_t size, size_t *out_size, struct ice_error *err) {
    const char *text = content(user, file);
    size_t left = strlen(text) > offset ? strlen(text) - (size_t)offset : 0;
    (void)err;
    *out_size = size < left ? size : left;
    memcpy(buffer, text + (left > 0 ? offset : 0), *out_size);
    return ICE_OK;
}

static void moving_close(void *user, void *file) {
    (void)user;
    (void)file;
}

typedef enum ice_status (*each_fn)(struct ice_str, bool, const struct ice_file_info *,
                                   void *);

static enum ice_status moving_list(void *user, struct ice_str directory, each_fn each,
                                   void *context, struct ice_error *err) {
    struct moving_source *source = user;
    struct ice_file_info info = {.mtime_ms = MADE_MS};
    (void)err;
    if (directory.size == 0)
        return each(ICE_STR("metadata"), true, &info, context);
    source->n_lists++;
    for (const struct timed_file *file = source->files; file->key != NULL; file++) {
        if (!is_there(source, file))
            continue;
        info.size = strlen(content(source, file));
        info.identity = (uint64_t)(file - source->files) + 1;
        if (each(ice_str_from(file->key + sizeof(M) - 1), false, &info, context) < 0)
            return ICE_ENOMEM;
    }
    return ICE_OK;
}

static const struct ice_source_ops moving_ops = {moving_open, moving_read, moving_close,
                                                 moving_list, NULL};

static void check_moving(const struct timed_file *files, const char *const *ticks,
                         const struct ice_options *options, struct test_result *result,
                         unsigned *out_lists) {
    struct moving_source user = {.files = files, .ticks = ticks};
    struct ice_source *source = NULL;
    *result = (struct test_result){0};
    assert_int_equal(ice_source_open_ops(&source, &moving_ops, &user, NULL, NULL),
                     ICE_OK);
    result->status = ice_check_table(source, "", options, test_note, result,
                                     &result->summary, &result->err);
    ice_source_free(source);
    if (result->status != ICE_OK)
        fail_msg("%s", result->err.message);
    if (out_lists != NULL)
        *out_lists = user.n_lists;
}

static void expect(const struct timed_file *files, const char *const *ticks,
                   const char *metadata, const char *findings, const char *judged,
                   bool is_missed) {
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    options.metadata = metadata;
    check_moving(files, ticks, &options, &result, NULL);
    test_expect_lines(&result, "scan.*", "storage.*", findings);
    if (!ice_str_is(result.summary->metadata_file, judged))
        fail_msg("judged is %.*s", ICE_STR_FMT(result.summary->metadata_file));
    assert_int_equal((result.summary->exit_code & 2) != 0, is_missed);
    ice_summary_free(result.summary);
}

/* An empty manifest list would do; what is no list at all is not missing either. */
#define LIST "Obj\x01nonsense"

/* A commit whose expiry takes the list of the state before, as that is opened. */
static const struct timed_file expiry[] = {{M "00001-a.metadata.json", "a.avro", 0, 0},
                                           {M "a.avro", LIST, 0, 1},
                                           {M "00002-b.metadata.json", "b.avro", 1, 0},
                                           {M "b.avro", LIST, 1, 0},
                                           {0}};
static const char *const expiry_ticks[] = {M "a.avro", NULL};

static void an_expiry_begins_again(void **state) {
    (void)state;
    expect(expiry, expiry_ticks, NULL, "info scan.changed " M "00002-b.metadata.json\n",
           M "00002-b.metadata.json", true);
    expect(expiry, expiry_ticks, "latest",
           "info scan.changed " M "00002-b.metadata.json\n", M "00002-b.metadata.json",
           true);
}

/* --metadata 1 asks for that state: it is broken now, whoever broke it. */
static void a_state_that_was_asked_for_stays(void **state) {
    (void)state;
    expect(expiry, expiry_ticks, "1",
           "error storage.manifest-list.missing " M
           "00001-a.metadata.json#/snapshots/0/manifest-list\n",
           M "00001-a.metadata.json", true);
}

static void a_commit_leaves_the_pinned_state(void **state) {
    (void)state;
    static const struct timed_file files[] = {{M "00001-a.metadata.json", "a.avro", 0, 0},
                                              {M "a.avro", LIST, 0, 0},
                                              {M "00002-b.metadata.json", "a.avro", 1, 0},
                                              {0}};
    static const char *const ticks[] = {M "a.avro", NULL};
    expect(files, ticks, NULL, "info scan.changed " M "00001-a.metadata.json\n",
           M "00001-a.metadata.json", true);
}

static void the_pinned_file_may_go(void **state) {
    (void)state;
    static const struct timed_file files[] = {{M "00001-a.metadata.json", "a.avro", 0, 1},
                                              {M "00002-b.metadata.json", "b.avro", 1, 0},
                                              {M "b.avro", LIST, 1, 0},
                                              {0}};
    static const char *const ticks[] = {M "00001-a.metadata.json", NULL};
    expect(files, ticks, NULL, "info scan.changed " M "00002-b.metadata.json\n",
           M "00002-b.metadata.json", true);
}

/* Every look finds another state, and its list is gone when it is opened. */
static void a_writer_that_does_not_rest(void **state) {
    (void)state;
    static const struct timed_file files[] = {{M "00001-a.metadata.json", "a.avro", 0, 1},
                                              {M "00002-b.metadata.json", "b.avro", 1, 2},
                                              {M "00003-c.metadata.json", "c.avro", 2, 3},
                                              {M "00004-d.metadata.json", "d.avro", 3, 4},
                                              {M "00005-e.metadata.json", "e.avro", 4, 0},
                                              {0}};
    static const char *const ticks[] = {M "a.avro", M "b.avro", M "c.avro", M "d.avro",
                                        NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    expect(files, ticks, NULL, "warn scan.unsettled " M "00005-e.metadata.json\n",
           M "00005-e.metadata.json", true);
    check_moving(files, ticks, &options, &result, NULL);
    unsigned n_unsettled = 0;
    for (size_t i = 0; i < result.summary->n_not_evaluated; i++) {
        const struct ice_not_evaluated *line = &result.summary->not_evaluated[i];
        n_unsettled += line->asked && ice_str_is(line->why, "scan.unsettled");
    }
    assert_int_equal(n_unsettled, 2); /* list.*, manifest.* */
    ice_summary_free(result.summary);
}

/* A state that was current after the list was missed, and still names it, has lost it. */
static void a_lost_list_is_lost_however_busy_the_table(void **state) {
    (void)state;
    static const struct timed_file files[] = {
        {M "00001-a.metadata.json", "lost.avro", 0, 1},
        {M "00002-b.metadata.json", "lost.avro", 1, 0},
        {M "00003-c.metadata.json", "lost.avro", 2, 0},
        {0}};
    static const char *const ticks[] = {M "lost.avro", M "lost.avro", NULL};
    expect(files, ticks, NULL,
           "info scan.changed " M "00002-b.metadata.json\n"
           "error storage.manifest-list.missing " M
           "00002-b.metadata.json#/snapshots/0/manifest-list\n",
           M "00002-b.metadata.json", true);
}

/* Between the commit and its hint. */
static void a_hint_that_comes_late_is_not_stale(void **state) {
    (void)state;
    static const struct timed_file files[] = {{M "v1.metadata.json", "a.avro", 0, 0},
                                              {M "v2.metadata.json", "a.avro", 0, 0},
                                              {M "a.avro", LIST, 0, 0},
                                              {M "version-hint.text", "1", 0, 1},
                                              {M "version-hint.text", "2", 1, 0},
                                              {0}};
    static const char *const ticks[] = {M "a.avro", NULL};
    static const char *const none[] = {NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    check_moving(files, ticks, &options, &result, NULL);
    test_expect_lines(&result, "scan.*", "hint.*", "");
    ice_summary_free(result.summary);
    check_moving(files, none, &options, &result, NULL);
    test_expect_lines(&result, "scan.*", "hint.*",
                      "warn hint.stale " M "version-hint.text\n");
    ice_summary_free(result.summary);
}

/* The names were read before the commit, its hint behind it: storage is the directory
 * itself, so what it has now was not left out by a copy. */
static void a_hint_that_comes_early_is_no_lack_of_the_copy(void **state) {
    (void)state;
    static const struct timed_file files[] = {
        {M "v1.metadata.json", "a.avro", 0, 0}, {M "a.avro", LIST, 0, 0},
        {M "version-hint.text", "1", 0, 1},     {M "version-hint.text", "2", 1, 0},
        {M "v2.metadata.json", "a.avro", 1, 0}, {0}};
    static const char *const ticks[] = {M "version-hint.text", NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    options.storage_local = true;
    check_moving(files, ticks, &options, &result, NULL);
    test_expect_lines(&result, "scan.*", "hint.*",
                      "info scan.changed " M "v2.metadata.json\n");
    test_expect_lines(&result, "storage.file.*", "hint.*", "");
    assert_true(ice_str_is(result.summary->metadata_file, M "v2.metadata.json"));
    ice_summary_free(result.summary);
}

/* A listing that is older than the expiry has the file: the table has moved all the same.
 */
static void an_expiry_behind_a_listing_begins_again(void **state) {
    (void)state;
    const char *listing = "moves-listing.csv";
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    FILE *file = fopen(listing, "w");
    assert_non_null(file);
    (void)fputs("path,size\nmetadata/00001-a.metadata.json,600\nmetadata/a.avro,12\n",
                file);
    assert_int_equal(fclose(file), 0);
    options.listings = &listing;
    options.n_listings = 1;
    options.base = "s3://b/orders";
    check_moving(expiry, expiry_ticks, &options, &result, NULL);
    test_expect_lines(&result, "scan.*", "storage.file.*",
                      "info scan.changed " M "00002-b.metadata.json\n");
    ice_summary_free(result.summary);
    assert_int_equal(remove(listing), 0);
}

/* A writer that makes its metadata file under its own name, in two writes. */
static void a_file_that_is_being_written_is_waited_for(void **state) {
    (void)state;
    static const struct timed_file files[] = {{M "00001-a.metadata.json", "a.avro", 0, 0},
                                              {M "00002-b.metadata.json", "", 0, 3},
                                              {M "00002-b.metadata.json", "b.avro", 3, 0},
                                              {M "b.avro", LIST, 0, 0},
                                              {0}};
    static const char *const ticks[] = {M "00002-b.metadata.json",
                                        M "00002-b.metadata.json",
                                        M "00002-b.metadata.json", NULL};
    static const char *const none[] = {M "00002-b.metadata.json", NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    options.has_now = true;
    options.now_ms = MADE_MS;
    check_moving(files, ticks, &options, &result, NULL);
    test_expect_lines(&result, "json.*", "scan.*", "");
    assert_true(ice_str_is(result.summary->metadata_file, M "00002-b.metadata.json"));
    ice_summary_free(result.summary);
    /* nobody goes on with it: it was cut */
    check_moving(files, none, &options, &result, NULL);
    test_expect_lines(&result, "json.*", "scan.*",
                      "error json.truncated " M "00002-b.metadata.json\n");
    ice_summary_free(result.summary);
    /* and an old one is not waited for, whoever would go on with it */
    options.now_ms = MADE_MS + 60 * 1000;
    check_moving(files, none, &options, &result, NULL);
    test_expect_lines(&result, "json.*", "scan.*",
                      "error json.truncated " M "00002-b.metadata.json\n");
    ice_summary_free(result.summary);
}

/* What holds still is looked at twice, and read once. */
static void a_table_at_rest_is_not_read_again(void **state) {
    (void)state;
    static const struct timed_file files[] = {{M "00001-a.metadata.json", "a.avro", 0, 0},
                                              {0}};
    static const char *const ticks[] = {NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    unsigned n_lists;
    check_moving(files, ticks, &options, &result, &n_lists);
    assert_int_equal(n_lists, 2);
    test_expect_lines(&result, "scan.*", "storage.*",
                      "error storage.manifest-list.missing " M
                      "00001-a.metadata.json#/snapshots/0/manifest-list\n");
    ice_summary_free(result.summary);
}

/* The table is dropped: what is left is no table, and that is said. */
static void a_table_that_goes_away(void **state) {
    (void)state;
    static const struct timed_file files[] = {{M "00001-a.metadata.json", "a.avro", 0, 1},
                                              {0}};
    static const char *const ticks[] = {M "a.avro", NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    check_moving(files, ticks, &options, &result, NULL);
    assert_string_equal(result.findings, "warn source.unknown \n");
    assert_int_equal(result.summary->exit_code, 2);
    ice_summary_free(result.summary);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expiry_begins_again),
        cmocka_unit_test(a_state_that_was_asked_for_stays),
        cmocka_unit_test(a_commit_leaves_the_pinned_state),
        cmocka_unit_test(the_pinned_file_may_go),
        cmocka_unit_test(a_writer_that_does_not_rest),
        cmocka_unit_test(a_lost_list_is_lost_however_busy_the_table),
        cmocka_unit_test(a_hint_that_comes_late_is_not_stale),
        cmocka_unit_test(a_hint_that_comes_early_is_no_lack_of_the_copy),
        cmocka_unit_test(an_expiry_behind_a_listing_begins_again),
        cmocka_unit_test(a_file_that_is_being_written_is_waited_for),
        cmocka_unit_test(a_table_at_rest_is_not_read_again),
        cmocka_unit_test(a_table_that_goes_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
