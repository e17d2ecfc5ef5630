/*
 * The difference of live sets against what a full walk over both states says, for every
 * pair of snapshots of every shipped table; and the bag of hashes alone.
 */
#include "answer/live_change.h"

#include "answer/live_set.h"
#include "base/compiler.h"
#include "support/cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 512 };

struct names {
    char *items[MOST];
    size_t n;
};

static void keep(struct names *names, char sign, struct ice_str path, int64_t offset) {
    char text[1024];
    int size = snprintf(text, sizeof(text), "%c%.*s@%lld", sign, ICE_STR_FMT(path),
                        (long long)offset);
    assert_true(size > 0 && (size_t)size < sizeof(text) && names->n < MOST);
    names->items[names->n++] = strdup(text);
}

static void drop(struct names *names) {
    for (size_t i = 0; i < names->n; i++)
        free(names->items[i]);
    names->n = 0;
}

static int compare(const void *a, const void *b) {
    const char *const *left = a, *const *right = b;
    return strcmp(*left, *right);
}

static int64_t offset_of(const struct ice_listed_entry *item) {
    bool is_dv = item->entry->file.content == 1 &&
                 ice_entry_has(item->manifest, item->entry, ICE_FILE_content_offset);
    return is_dv ? item->entry->file.content_offset : -1;
}

/* ---- the slow way ---- */

struct full {
    const struct ice_state *state;
    struct names names;
};

static enum ice_status on_entry(const struct ice_listed_entry *item, void *context) {
    struct full *full = context;
    if (item->entry->status != ICE_STATUS_DELETED)
        keep(&full->names, ' ', item->entry->file.file_path, offset_of(item));
    return ICE_OK;
}

static enum ice_status on_manifest(const struct ice_listed_manifest *listed,
                                   void *context) {
    struct full *full = context;
    return ice_state_walk_manifest(full->state, listed, on_entry, NULL, full, NULL);
}

static void read_all(const struct ice_state *state, struct names *out) {
    struct full full = {.state = state};
    assert_int_equal(ice_state_walk(state, on_manifest, NULL, &full, NULL), ICE_OK);
    qsort(full.names.items, full.names.n, sizeof(char *), compare);
    *out = full.names;
}

/* Bags, not sets. */
static void subtract(const struct names *a, const struct names *b, struct names *out) {
    for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
        int order = i == a->n ? 1 : k == b->n ? -1 : strcmp(a->items[i], b->items[k]);
        if (order != 0) {
            char *name = strdup(order < 0 ? a->items[i] : b->items[k]);
            name[0] = order < 0 ? '-' : '+';
            out->items[out->n++] = name;
        }
        i += order <= 0;
        k += order >= 0;
    }
}

/* ---- against it ---- */

static enum ice_status on_change(const struct ice_live_file *file, void *context) {
    keep(context, file->is_added ? '+' : '-', file->path, offset_of(file->entry));
    assert_true(file->partition.size >= 2 && file->partition.data[0] == '{');
    return ICE_OK;
}

static uint64_t sum(const struct ice_live_sum *sums) {
    uint64_t n = 0;
    for (size_t i = 0; i < ICE_LIVE_KINDS; i++)
        n += sums[i].files;
    return n;
}

static void compare_states(const char *table, const struct ice_state *from,
                           const struct ice_state *to) {
    struct names a, b, expected = {0}, found = {0};
    struct ice_live_totals totals;
    struct ice_partition_view view;
    read_all(from, &a);
    read_all(to, &b);
    subtract(&a, &b, &expected);
    assert_int_equal(
        ice_partition_view_init(&view, &to->reader->run, to->document.metadata, NULL),
        ICE_OK);
    assert_int_equal(ice_live_change(from, to, &view, on_change, &found, &totals, NULL),
                     ICE_OK);
    ice_partition_view_release(&view);
    qsort(found.items, found.n, sizeof(char *), compare);
    qsort(expected.items, expected.n, sizeof(char *), compare);
    bool is_same = found.n == expected.n && totals.is_known[0] && totals.is_known[1] &&
                   sum(totals.added) + sum(totals.removed) == found.n;
    for (size_t i = 0; is_same && i < found.n; i++)
        is_same = strcmp(found.items[i], expected.items[i]) == 0;
    if (!is_same)
        fail_msg("%s: %lld to %lld: %zu files, expected %zu", table,
                 (long long)from->snapshot_id, (long long)to->snapshot_id, found.n,
                 expected.n);
    drop(&a);
    drop(&b);
    drop(&expected);
    drop(&found);
}

static size_t compare_table(const char *path) {
    struct ice_table_reader reader;
    size_t n = 0;
    if (ice_table_reader_open(&reader, path, NULL, false, NULL, NULL, NULL) < 0 ||
        reader.target.kind != ICE_TARGET_TABLE) {
        ice_table_reader_release(&reader);
        return 0; /* a view, a page of words */
    }
    const struct ice_metadata *m = reader.metadata;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        for (size_t k = 0; k < m->n_snapshots; k++, n++) {
            struct ice_state from, to;
            assert_int_equal(
                ice_state_open_id(&from, &reader, m->snapshots[i].snapshot_id, NULL),
                ICE_OK);
            assert_int_equal(
                ice_state_open_id(&to, &reader, m->snapshots[k].snapshot_id, NULL),
                ICE_OK);
            compare_states(path, &from, &to);
            ice_state_release(&from);
            ice_state_release(&to);
        }
    }
    ice_table_reader_release(&reader);
    return n;
}

static void differences_are_those_of_full_walks(void **state) {
    (void)state;
    size_t n = 0;
    DIR *dir = opendir("fixtures/base");
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[512];
#ifndef ICE_WITH_BZIP2
        if (strcmp(entry->d_name, "pyiceberg-v2-codecs") == 0) {
            print_message("%s not compared: a build without bzip2\n", entry->d_name);
            continue;
        }
#endif
        (void)snprintf(path, sizeof(path), "fixtures/base/%s", entry->d_name);
        n += entry->d_name[0] != '.' ? compare_table(path) : 0;
    }
    assert_int_equal(closedir(dir), 0);
    assert_true(n > 300);
}

static void no_snapshot_is_an_empty_table(void **state) {
    (void)state;
    struct ice_table_reader reader;
    assert_int_equal(ice_table_reader_open(&reader, "fixtures/base/plain-v2", NULL, false,
                                           NULL, NULL, NULL),
                     ICE_OK);
    struct ice_state from, to;
    struct ice_live_totals totals;
    struct ice_partition_view view;
    assert_int_equal(ice_state_open(&from, &reader, "101", NULL), ICE_OK);
    assert_int_equal(ice_state_open(&to, &reader, "103", NULL), ICE_OK);
    assert_int_equal(ice_partition_view_init(&view, &reader.run, reader.metadata, NULL),
                     ICE_OK);
    from.has_snapshot = false;
    assert_int_equal(ice_live_change(&from, &to, &view, NULL, NULL, &totals, NULL),
                     ICE_OK);
    assert_true(totals.is_known[0] && totals.is_known[1]);
    assert_int_equal(sum(totals.added), 6);
    assert_int_equal(sum(totals.removed), 0);
    /* known by its id only: nothing can be said */
    from.has_snapshot = true;
    from.snapshot = SIZE_MAX;
    assert_int_equal(ice_live_change(&from, &to, &view, NULL, NULL, &totals, NULL),
                     ICE_OK);
    assert_true(!totals.is_known[0] && totals.is_known[1]);
    assert_int_equal(sum(totals.added), 0);
    assert_int_equal(ice_live_change(&to, &from, &view, NULL, NULL, &totals, NULL),
                     ICE_OK);
    assert_true(totals.is_known[0] && !totals.is_known[1]);
    assert_int_equal(sum(totals.removed), 0);
    ice_partition_view_release(&view);
    ice_state_release(&from);
    ice_state_release(&to);
    ice_table_reader_release(&reader);
}

/* ---- the bag ---- */

static void a_bag_counts(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_live_set set;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_live_set_init(&set, &alloc);
    const struct ice_hash a = {1, 2}, b = {1, 4}, c = {UINT64_MAX, 8}, odd = {1, 5};
    assert_false(ice_live_set_take(&set, a));
    const struct ice_hash all[] = {b, a, c, b};
    for (size_t i = 0; i < ICE_COUNT_OF(all); i++)
        assert_int_equal(ice_live_set_add(&set, all[i]), ICE_OK);
    ice_live_set_sort(&set);
    assert_true(ice_live_set_take(&set, a) && !ice_live_set_take(&set, a));
    assert_true(ice_live_set_take(&set, c) && !ice_live_set_take(&set, c));
    /* the lowest bit of high is not part of the key */
    assert_true(ice_live_set_take(&set, odd) && ice_live_set_take(&set, b));
    assert_false(ice_live_set_take(&set, b));
    assert_int_equal(set.n, 4);
    assert_int_equal(set.n_taken, 4);
    ice_live_set_release(&set);
    ice_live_set_release(&set);
    assert_int_equal(alloc.used, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_those_of_full_walks),
        cmocka_unit_test(no_snapshot_is_an_empty_table),
        cmocka_unit_test(a_bag_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
