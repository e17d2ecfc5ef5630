/*
 * Baselines: a text file of known findings, a line each, for people to read and for git
 * to compare.
 *
 *   # icefsck baseline 1
 *   fingerprint  count  severity  rule  table  table-uuid  file  pointer     (tabs
 * between)
 *
 * Texts of the table are escaped as in reports, and compared in that form. File and
 * pointer are for people: the fingerprint stands for them.
 */
#include "rule/baseline.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/chars.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/sort.h"

#include <inttypes.h>

enum { FIELDS = 8 };

struct entry {
    uint64_t fingerprint, count;
    struct ice_str rule, table, uuid, file, pointer; /* escaped */
    uint64_t severity;
};

struct ice_baseline {
    struct ice_alloc alloc;
    struct ice_arena arena;
    struct entry *entries;
    size_t n, capacity;
};

static const char head[] = "# icefsck baseline 1";

/* ---- order ---- */

static int compare_u64(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* A table with a uuid is the same whatever it is called. */
static int compare_tables(struct ice_str uuid_a, struct ice_str table_a,
                          struct ice_str uuid_b, struct ice_str table_b) {
    int order = ice_str_compare(uuid_a, uuid_b);
    return order != 0 || uuid_a.size > 0 ? order : ice_str_compare(table_a, table_b);
}

/* For looking up: by table, then fingerprint. */
static int compare_keys(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    int order = compare_tables(a->uuid, a->table, b->uuid, b->table);
    return order != 0 ? order : compare_u64(a->fingerprint, b->fingerprint);
}

/* For reading: by names. */
static int compare_names(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    const struct ice_str as[] = {a->table, a->uuid, a->rule, a->file, a->pointer};
    const struct ice_str bs[] = {b->table, b->uuid, b->rule, b->file, b->pointer};
    int order = 0;
    for (size_t i = 0; order == 0 && i < ICE_COUNT_OF(as); i++)
        order = ice_str_compare(as[i], bs[i]);
    return order != 0 ? order : compare_u64(a->fingerprint, b->fingerprint);
}

/* Equal keys become one entry: as many, as bad as the worst. */
static void join(struct ice_baseline *baseline) {
    size_t n = 0;
    if (baseline->n > 0)
        ice_sort(baseline->entries, baseline->n, sizeof(struct entry), compare_keys);
    for (size_t i = 0; i < baseline->n; i++) {
        struct entry *entry = &baseline->entries[i];
        struct entry *last = n > 0 ? &baseline->entries[n - 1] : NULL;
        if (last == NULL || compare_keys(last, entry) != 0) {
            baseline->entries[n++] = *entry;
            continue;
        }
        bool is_first = compare_names(entry, last) < 0; /* whatever the order was */
        uint64_t count = last->count > UINT64_MAX - entry->count
                             ? UINT64_MAX
                             : last->count + entry->count;
        uint64_t severity =
            entry->severity > last->severity ? entry->severity : last->severity;
        if (is_first)
            *last = *entry;
        last->count = count;
        last->severity = severity;
    }
    baseline->n = n;
}

/* ---- entries ---- */

static enum ice_status add(struct ice_baseline *baseline, const struct entry *entry) {
    if (!ice_array_reserve(&baseline->alloc, &baseline->entries, baseline->n,
                           &baseline->capacity, sizeof(struct entry)))
        return ICE_ENOMEM;
    baseline->entries[baseline->n++] = *entry;
    return ICE_OK;
}

/* Escaped, in the arena. */
static bool keep_escaped(struct ice_baseline *baseline, struct ice_str text,
                         struct ice_str *out) {
    struct ice_buf buf;
    enum ice_status status = ICE_OK;
    ice_buf_init(&buf, &baseline->alloc, SIZE_MAX / 2);
    for (size_t at = 0; at < text.size && status == ICE_OK;) {
        char piece[16];
        size_t size = ice_escape_next(text, &at, piece);
        status = ice_buf_append(&buf, piece, size);
    }
    bool is_kept =
        status == ICE_OK && ice_arena_dup(&baseline->arena, ice_buf_str(&buf), out);
    ice_buf_release(&buf);
    return is_kept;
}

enum ice_status ice_baseline_add(struct ice_baseline *baseline,
                                 const struct ice_finding *finding) {
    struct entry entry = {.fingerprint = finding->fingerprint,
                          .count = 1,
                          .severity = (uint64_t)finding->severity,
                          .rule = ice_str_from(finding->rule->name)};
    if (finding->more > 0)
        return ICE_OK; /* it stands for others, which nobody knows */
    if (!keep_escaped(baseline, finding->table, &entry.table) ||
        !keep_escaped(baseline, finding->table_uuid, &entry.uuid) ||
        !keep_escaped(baseline, finding->at.file, &entry.file) ||
        !keep_escaped(baseline, finding->at.pointer, &entry.pointer))
        return ICE_ENOMEM;
    return add(baseline, &entry);
}

/* ---- reading ---- */

static bool read_hex(struct ice_str text, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < text.size; i++) {
        int digit = ice_hex_digit(text.data[i]);
        if (digit < 0)
            return false;
        *out = *out << 4 | (uint64_t)digit;
    }
    return text.size == 16;
}

static bool read_count(struct ice_str text, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (!ice_is_digit(text.data[i]))
            return false;
        *out = *out * 10 + (uint64_t)(text.data[i] - '0');
    }
    return text.size > 0 && text.size <= 18 && *out > 0;
}

static bool read_severity(struct ice_str text, uint64_t *out) {
    for (int level = ICE_INFO; level <= ICE_ERROR; level++) {
        if (ice_str_is(text, ice_severity_name((enum ice_severity)level))) {
            *out = (uint64_t)level;
            return true;
        }
    }
    return false;
}

static size_t split(struct ice_str line, struct ice_str out[FIELDS]) {
    size_t n = 0;
    while (n < FIELDS) {
        const char *tab = line.size > 0 ? memchr(line.data, '\t', line.size) : NULL;
        size_t size = tab != NULL ? (size_t)(tab - line.data) : line.size;
        out[n++] = ice_str_first(line, size);
        if (tab == NULL)
            break;
        line = ice_str_from_index(line, size + 1);
    }
    return n;
}

static enum ice_status read_line(struct ice_baseline *baseline, struct ice_str line,
                                 bool *out_is_bad) {
    struct ice_str fields[FIELDS] = {0};
    struct entry entry = {0};
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    if (line.size == 0 || line.data[0] == '#')
        return ICE_OK;
    *out_is_bad = split(line, fields) < 6 || !read_hex(fields[0], &entry.fingerprint) ||
                  !read_count(fields[1], &entry.count) ||
                  !read_severity(fields[2], &entry.severity) || fields[3].size == 0;
    if (*out_is_bad)
        return ICE_EFORMAT;
    if (!ice_arena_dup(&baseline->arena, fields[3], &entry.rule) ||
        !ice_arena_dup(&baseline->arena, fields[4], &entry.table) ||
        !ice_arena_dup(&baseline->arena, fields[5], &entry.uuid) ||
        !ice_arena_dup(&baseline->arena, fields[6], &entry.file) ||
        !ice_arena_dup(&baseline->arena, fields[7], &entry.pointer))
        return ICE_ENOMEM;
    return add(baseline, &entry);
}

enum ice_status ice_baseline_read(struct ice_baseline *baseline, struct ice_str text,
                                  struct ice_error *err) {
    if (!ice_str_starts(text, ICE_STR(head)))
        return ice_error_set(err, ICE_EFORMAT, NULL, 0,
                             "no baseline: it does not begin with \"%s\"", head);
    for (uint64_t number = 1; text.size > 0; number++) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t size = end != NULL ? (size_t)(end - text.data) : text.size;
        bool is_bad = false;
        enum ice_status status = read_line(baseline, ice_str_first(text, size), &is_bad);
        if (is_bad)
            return ice_error_set(err, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                                 "line %" PRIu64 " is none of a baseline: fingerprint, "
                                 "count, severity, rule, table, table uuid",
                                 number);
        if (status < 0)
            return ice_error_memory(err);
        text = ice_str_from_index(text, end != NULL ? size + 1 : size);
    }
    join(baseline);
    return ICE_OK;
}

/* ---- writing ---- */

static enum ice_status put(struct ice_buf *line, const struct entry *entry) {
    const struct ice_str texts[] = {entry->rule, entry->table, entry->uuid, entry->file,
                                    entry->pointer};
    ICE_TRY(ice_buf_printf(line, "%016" PRIx64 "\t%" PRIu64 "\t%s", entry->fingerprint,
                           entry->count,
                           ice_severity_name((enum ice_severity)entry->severity)));
    for (size_t i = 0; i < ICE_COUNT_OF(texts); i++) {
        ICE_TRY(ice_buf_append_char(line, '\t'));
        ICE_TRY(ice_buf_append_str(line, texts[i]));
    }
    return ice_buf_append_char(line, '\n');
}

enum ice_status ice_baseline_write(struct ice_baseline *baseline, ice_write_fn write,
                                   void *user) {
    static const char about[] =
        ": findings that are known, one a line; --baseline hides them\n"
        "# fingerprint\tcount\tseverity\trule\ttable\ttable uuid\tfile\tpointer\n";
    struct ice_buf line;
    ice_buf_init(&line, &baseline->alloc, SIZE_MAX / 2);
    join(baseline);
    if (baseline->n > 0)
        ice_sort(baseline->entries, baseline->n, sizeof(struct entry), compare_names);
    enum ice_status status = write(head, sizeof(head) - 1, user);
    if (status >= 0)
        status = write(about, sizeof(about) - 1, user);
    for (size_t i = 0; i < baseline->n && status >= 0; i++) {
        ice_buf_clear(&line);
        status = put(&line, &baseline->entries[i]);
        if (status >= 0)
            status = write(line.data, line.size, user);
    }
    ice_buf_release(&line);
    return status < 0 ? status : ICE_OK;
}

/* ---- a table ---- */

enum ice_status ice_baseline_view_open(struct ice_baseline_view *out,
                                       const struct ice_baseline *baseline,
                                       struct ice_str table, struct ice_str uuid,
                                       struct ice_alloc *alloc) {
    *out = (struct ice_baseline_view){.baseline = baseline, .alloc = alloc};
    if (baseline == NULL)
        return ICE_OK;
    char name[2048], id[256];
    struct ice_str table_key = ice_str_from(ice_escape(name, sizeof(name), table));
    struct ice_str uuid_key = ice_str_from(ice_escape(id, sizeof(id), uuid));
    size_t low = 0, high = baseline->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct entry *entry = &baseline->entries[middle];
        if (compare_tables(entry->uuid, entry->table, uuid_key, table_key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    out->first = low;
    while (low < baseline->n &&
           compare_tables(baseline->entries[low].uuid, baseline->entries[low].table,
                          uuid_key, table_key) == 0)
        low++;
    out->n = low - out->first;
    if (out->n == 0)
        return ICE_OK;
    out->left = ice_calloc(alloc, out->n, sizeof(*out->left));
    if (out->left == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < out->n; i++)
        out->left[i] = baseline->entries[out->first + i].count;
    return ICE_OK;
}

void ice_baseline_view_release(struct ice_baseline_view *view) {
    if (view->left != NULL)
        ice_free(view->alloc, view->left, view->n * sizeof(*view->left));
    view->left = NULL;
    view->n = 0;
}

bool ice_baseline_takes(struct ice_baseline_view *view, uint64_t fingerprint,
                        enum ice_severity severity) {
    size_t low = 0, high = view->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (view->baseline->entries[view->first + middle].fingerprint < fingerprint)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == view->n)
        return false;
    const struct entry *entry = &view->baseline->entries[view->first + low];
    if (entry->fingerprint != fingerprint || view->left[low] == 0 ||
        entry->severity < (uint64_t)severity)
        return false;
    view->left[low]--;
    return true;
}

bool ice_baseline_left(const struct ice_baseline_view *view, size_t index,
                       struct ice_str *out_rule, uint64_t *out_left) {
    if (index >= view->n)
        return false;
    *out_rule = view->baseline->entries[view->first + index].rule;
    *out_left = view->left[index];
    return true;
}

/* ---- public ---- */

enum ice_status ice_baseline_open(struct ice_baseline **out,
                                  const struct ice_allocator *allocator,
                                  struct ice_error *err) {
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, allocator, UINT64_MAX);
    struct ice_baseline *baseline = *out = ice_calloc(&alloc, 1, sizeof(*baseline));
    if (baseline == NULL)
        return ice_error_memory(err);
    ice_alloc_init(&baseline->alloc, allocator, UINT64_MAX);
    ice_arena_init(&baseline->arena, &baseline->alloc);
    return ICE_OK;
}

void ice_baseline_free(struct ice_baseline *baseline) {
    if (baseline == NULL)
        return;
    ice_array_free(&baseline->alloc, &baseline->entries, &baseline->capacity,
                   sizeof(struct entry));
    ice_arena_release(&baseline->arena);
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &baseline->alloc.base, UINT64_MAX);
    ice_free(&alloc, baseline, sizeof(*baseline));
}
