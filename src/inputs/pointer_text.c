/*
 * Catalog exports in text: properties as Hive and Spark print them, version hints, lists
 * and dumps with cells. Lines are read one at a time.
 */
#include "inputs/pointer_read.h"

#include "base/buf.h"
#include "base/error.h"
#include "inputs/target.h"
#include "inputs/text_cells.h"

enum { MAX_LINE = 1 << 20 };

struct lines {
    struct ice_stream *stream;
    struct ice_buf text; /* of the line */
};

struct reader {
    const struct ice_pointer_input *input;
    struct ice_arena arena;
    struct lines lines;
    struct ice_buf unquoted;
    struct ice_pointer entry;
};

/* ---- lines ---- */

/* ICE_DONE behind the last one. */
static enum ice_status next_line(struct lines *lines, struct ice_str *out,
                                 struct ice_error *err) {
    struct ice_str view;
    size_t end = SIZE_MAX, least = 1;
    for (;;) {
        ICE_TRY(ice_stream_peek(lines->stream, least, &view, err));
        end = ice_str_find(view, '\n');
        if (end != SIZE_MAX || view.size < least || view.size > MAX_LINE)
            break;
        least = view.size + 1;
    }
    if (view.size == 0)
        return ICE_DONE;
    size_t size = end == SIZE_MAX ? view.size : end;
    if (size > MAX_LINE) /* of the line: more may be in the window */
        return ice_pointer_unknown(err, "it has a line of more than 1 MiB");
    struct ice_str line = ice_str_first(view, size);
    if (ice_str_starts(line, ICE_STR("\xef\xbb\xbf")))
        line = ice_str_from_index(line, 3);
    while (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    ice_buf_clear(&lines->text);
    if (ice_buf_append_str(&lines->text, line) < 0)
        return ice_error_memory(err);
    ice_stream_consume(lines->stream, end == SIZE_MAX ? size : size + 1);
    *out = ice_buf_str(&lines->text);
    return ICE_OK;
}

/* ---- properties: one table ---- */

static struct ice_str without_colon(struct ice_str key) {
    if (key.size > 0 && key.data[key.size - 1] == ':')
        key.size--;
    return key;
}

static bool keep(struct reader *r, struct ice_str value, struct ice_str *slot) {
    return ice_arena_dup(&r->arena, value, slot);
}

static enum ice_status put_property(struct reader *r, struct ice_str key,
                                    struct ice_str value, struct ice_error *err) {
    const struct {
        const char *key;
        struct ice_str *slot;
    } slots[] = {
        {"metadata_location", &r->entry.metadata_location},
        {"previous_metadata_location", &r->entry.previous_metadata_location},
        {"uuid", &r->entry.table_uuid},
        {"table_type", &r->entry.table_type},
        {"Location", &r->entry.location},
        {"Database", &r->entry.space},
        {"Table", &r->entry.table},
    };
    int64_t number;
    key = without_colon(key);
    for (size_t i = 0; i < ICE_COUNT_OF(slots); i++) {
        if (ice_str_is(key, slots[i].key) && !keep(r, value, slots[i].slot))
            return ice_error_memory(err);
    }
    if (ice_str_is(key, "current-snapshot-id") && ice_str_to_i64(value, &number)) {
        r->entry.snapshot_id = number;
        r->entry.has_snapshot_id = true;
    }
    return ICE_OK;
}

/* Spark: [current-snapshot-id=7,format=iceberg/parquet] */
static enum ice_status put_bracketed(struct reader *r, struct ice_str text,
                                     struct ice_error *err) {
    text = ice_str_from_index(text, 1);
    if (text.size > 0 && text.data[text.size - 1] == ']')
        text.size--;
    while (text.size > 0) {
        size_t end = ice_str_find(text, ',');
        struct ice_str pair = ice_str_first(text, end);
        size_t equals = ice_str_find(pair, '=');
        if (equals != SIZE_MAX)
            ICE_TRY(put_property(r, ice_text_trim(ice_str_first(pair, equals)),
                                 ice_text_trim(ice_str_from_index(pair, equals + 1)),
                                 err));
        text = end == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(text, end + 1);
    }
    return ICE_OK;
}

static enum ice_status read_properties(struct reader *r, struct ice_error *err) {
    struct ice_str line;
    struct ice_text_cells cells;
    enum ice_status status;
    r->entry = (struct ice_pointer){
        .format = ICE_POINTER_HIVE, .version = -1, .file = r->input->name};
    while ((status = next_line(&r->lines, &line, err)) == ICE_OK) {
        ICE_TRY(ice_text_cells_split(&cells, line, &r->unquoted, err));
        size_t key = 0;
        while (key < cells.n && cells.items[key].size == 0)
            key++;
        size_t value = key + 1;
        while (value < cells.n && cells.items[value].size == 0)
            value++;
        if (value >= cells.n)
            continue;
        if (cells.items[value].data[0] == '[')
            ICE_TRY(put_bracketed(r, cells.items[value], err));
        else
            ICE_TRY(put_property(r, cells.items[key], cells.items[value], err));
    }
    if (status < 0)
        return status;
    if (r->entry.table.size == 0)
        r->entry.table = ice_pointer_name_of_file(r->input->name);
    *r->input->out_format = ICE_POINTER_HIVE;
    return ice_pointers_add(r->input->pointers, &r->entry, err);
}

/* ---- dumps and lists: a table a line ---- */

enum column {
    COLUMN_CATALOG,
    COLUMN_SPACE,
    COLUMN_TABLE,
    COLUMN_CURRENT,
    COLUMN_PREVIOUS,
    COLUMN_TYPE,
    COLUMN_TABLE_ID,
    COLUMN_KEY,
    COLUMN_VALUE,
    COLUMN_INNER,
    COLUMN_DROPPED,
    COLUMN_COUNT,
};

static const struct {
    const char *name;
    enum column column;
} column_names[] = {
    {"catalog_name", COLUMN_CATALOG},
    {"catalog", COLUMN_CATALOG},
    {"table_namespace", COLUMN_SPACE},
    {"namespace", COLUMN_SPACE},
    {"database", COLUMN_SPACE},
    {"table_name", COLUMN_TABLE},
    {"table", COLUMN_TABLE},
    {"name", COLUMN_TABLE},
    {"metadata_location", COLUMN_CURRENT},
    {"current", COLUMN_CURRENT},
    {"location", COLUMN_CURRENT},
    {"previous_metadata_location", COLUMN_PREVIOUS},
    {"previous", COLUMN_PREVIOUS},
    {"iceberg_type", COLUMN_TYPE},
    {"tbl_id", COLUMN_TABLE_ID},
    {"param_key", COLUMN_KEY},
    {"param_value", COLUMN_VALUE},
    {"internal_properties", COLUMN_INNER},
    {"drop_timestamp", COLUMN_DROPPED},
};

struct layout {
    size_t at[COLUMN_COUNT]; /* SIZE_MAX: not there */
    bool is_params;
    enum ice_pointer_format format;
};

static bool is_complete(const struct layout *layout) {
    bool is_params = layout->at[COLUMN_KEY] != SIZE_MAX &&
                     layout->at[COLUMN_VALUE] != SIZE_MAX &&
                     layout->at[COLUMN_TABLE_ID] != SIZE_MAX;
    return is_params || (layout->at[COLUMN_TABLE] != SIZE_MAX &&
                         (layout->at[COLUMN_CURRENT] != SIZE_MAX ||
                          layout->at[COLUMN_INNER] != SIZE_MAX));
}

/* A header names columns and holds no URI. */
static bool read_header(const struct ice_text_cells *cells, struct layout *out) {
    *out = (struct layout){.format = ICE_POINTER_LIST};
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        out->at[i] = SIZE_MAX;
    for (size_t i = 0; i < cells->n; i++) {
        if (ice_pointer_is_uri(cells->items[i]))
            return false;
        for (size_t k = 0; k < ICE_COUNT_OF(column_names); k++) {
            if (ice_str_equal_nocase(cells->items[i],
                                     ice_str_from(column_names[k].name)) &&
                out->at[column_names[k].column] == SIZE_MAX)
                out->at[column_names[k].column] = i;
        }
    }
    out->is_params = out->at[COLUMN_KEY] != SIZE_MAX;
    if (out->is_params)
        out->format = ICE_POINTER_HIVE;
    else if (out->at[COLUMN_INNER] != SIZE_MAX)
        out->format = ICE_POINTER_POLARIS;
    else if (out->at[COLUMN_SPACE] != SIZE_MAX)
        out->format = ICE_POINTER_JDBC;
    return is_complete(out);
}

static struct ice_str cell_at(const struct ice_text_cells *cells, size_t at) {
    struct ice_str cell = at < cells->n ? cells->items[at] : ICE_STR_NONE;
    return ice_str_is(cell, "\\N") || ice_str_is(cell, "NULL") ? ICE_STR_NONE : cell;
}

/* *out_other: no table, or one that was dropped. */
static enum ice_status take_polaris(struct reader *r, const struct layout *layout,
                                    const struct ice_text_cells *cells,
                                    struct ice_str *out_location, bool *out_other,
                                    struct ice_error *err) {
    bool has_location;
    int64_t dropped;
    ICE_TRY(ice_pointer_polaris(r->input->pointers->run, &r->arena,
                                cell_at(cells, layout->at[COLUMN_INNER]), out_location,
                                &has_location, err));
    *out_other = !has_location ||
                 (ice_str_to_i64(cell_at(cells, layout->at[COLUMN_DROPPED]), &dropped) &&
                  dropped > 0);
    return ICE_OK;
}

static enum ice_status add_row(struct reader *r, const struct layout *layout,
                               const struct ice_text_cells *cells,
                               struct ice_error *err) {
    struct ice_str type = cell_at(cells, layout->at[COLUMN_TYPE]);
    struct ice_pointer entry = {
        .format = layout->format,
        .version = -1,
        .file = r->input->name,
        .catalog = cell_at(cells, layout->at[COLUMN_CATALOG]),
        .space = cell_at(cells, layout->at[COLUMN_SPACE]),
        .table = cell_at(cells, layout->at[COLUMN_TABLE]),
        .metadata_location = cell_at(cells, layout->at[COLUMN_CURRENT]),
        .previous_metadata_location = cell_at(cells, layout->at[COLUMN_PREVIOUS])};
    bool is_other = ice_str_equal_nocase(type, ICE_STR("VIEW"));
    if (layout->format == ICE_POINTER_POLARIS)
        ICE_TRY(take_polaris(r, layout, cells, &entry.metadata_location, &is_other, err));
    if (is_other) {
        r->input->pointers->n_other++;
        return ICE_OK;
    }
    return ice_pointers_add(r->input->pointers, &entry, err);
}

static enum ice_status end_params(struct reader *r, struct ice_error *err) {
    bool is_table = r->entry.metadata_location.size > 0;
    enum ice_status status =
        is_table ? ice_pointers_add(r->input->pointers, &r->entry, err) : ICE_OK;
    r->entry = (struct ice_pointer){
        .format = ICE_POINTER_HIVE, .version = -1, .file = r->input->name};
    return status;
}

/* TABLE_PARAMS: rows of one table follow one another. */
static enum ice_status add_param(struct reader *r, const struct layout *layout,
                                 const struct ice_text_cells *cells,
                                 struct ice_error *err) {
    struct ice_str id = cell_at(cells, layout->at[COLUMN_TABLE_ID]);
    if (!ice_str_equal(id, r->entry.table)) {
        ICE_TRY(end_params(r, err));
        if (!keep(r, id, &r->entry.table))
            return ice_error_memory(err);
    }
    return put_property(r, cell_at(cells, layout->at[COLUMN_KEY]),
                        cell_at(cells, layout->at[COLUMN_VALUE]), err);
}

/* Without a header: table, current, previous; or the location alone. */
static enum ice_status add_plain(struct reader *r, const struct ice_text_cells *cells,
                                 struct ice_error *err) {
    size_t first = ice_pointer_is_uri(cells->items[0]) ? 0 : 1;
    struct ice_pointer entry = {.format = ICE_POINTER_LIST,
                                .version = -1,
                                .file = r->input->name,
                                .table = first == 1 ? cells->items[0] : ICE_STR_NONE,
                                .metadata_location = cell_at(cells, first),
                                .previous_metadata_location = cell_at(cells, first + 1)};
    if (!ice_pointer_is_uri(entry.metadata_location))
        return ice_pointer_unknown(
            err, "it is text, but neither properties of a table, a version hint nor a "
                 "list of tables and metadata locations");
    return ice_pointers_add(r->input->pointers, &entry, err);
}

static enum ice_status read_rows(struct reader *r, struct ice_error *err) {
    struct ice_str line = ICE_STR_NONE;
    struct ice_text_cells cells;
    struct layout layout = {0};
    bool is_first = true, has_header = false;
    enum ice_status status;
    r->entry = (struct ice_pointer){.format = ICE_POINTER_HIVE, .version = -1};
    while ((status = next_line(&r->lines, &line, err)) == ICE_OK) {
        struct ice_str text = ice_text_trim(line);
        if (text.size == 0 || text.data[0] == '+' || text.data[0] == '#')
            continue;
        ICE_TRY(ice_text_cells_split(&cells, line, &r->unquoted, err));
        if (is_first) {
            has_header = read_header(&cells, &layout);
            *r->input->out_format = has_header ? layout.format : ICE_POINTER_LIST;
            r->input->pointers->n_exports +=
                has_header && layout.format == ICE_POINTER_JDBC;
        }
        bool is_header = is_first && has_header;
        is_first = false;
        if (is_header)
            continue;
        if (!has_header)
            ICE_TRY(add_plain(r, &cells, err));
        else if (layout.is_params)
            ICE_TRY(add_param(r, &layout, &cells, err));
        else
            ICE_TRY(add_row(r, &layout, &cells, err));
    }
    if (status < 0)
        return status;
    return layout.is_params ? end_params(r, err) : ICE_OK;
}

/* ---- a version hint ---- */

static bool is_hint(struct ice_str text, int64_t *out_version) {
    text = ice_text_trim(text);
    return text.size > 0 && text.size <= 10 && ice_str_to_i64(text, out_version) &&
           *out_version >= 0;
}

/* Some writers put a file's name there, or all of it but the ending: "00003-UUID". */
static bool is_hint_name(struct ice_str text, struct ice_str *out) {
    int64_t version;
    *out = ice_text_trim(text);
    size_t dash = ice_str_find(*out, '-');
    if (dash != SIZE_MAX && ice_str_to_i64(ice_str_first(*out, dash), &version) &&
        ice_str_is_uuid(ice_str_from_index(*out, dash + 1)))
        return true;
    return out->size < 256 && ice_is_metadata_name(*out, NULL) &&
           ice_str_find(*out, '/') == SIZE_MAX && ice_str_find(*out, '\n') == SIZE_MAX &&
           ice_str_find(*out, '\t') == SIZE_MAX && ice_str_find(*out, ',') == SIZE_MAX;
}

/* ---- which of them ---- */

/* Has a line one of these as its first cell, and something behind it? */
static bool has_property(struct reader *r, struct ice_str first) {
    static const char *const keys[] = {"metadata_location", "current-snapshot-id",
                                       "Table Properties", "table_type"};
    struct ice_text_cells cells;
    while (first.size > 0) {
        size_t end = ice_str_find(first, '\n');
        struct ice_str line = ice_str_first(first, end);
        if (ice_text_cells_split(&cells, line, &r->unquoted, NULL) < 0)
            return false;
        size_t key = 0;
        while (key < cells.n && cells.items[key].size == 0)
            key++;
        for (size_t i = 0; i < ICE_COUNT_OF(keys) && key + 1 < cells.n; i++) {
            struct layout layout;
            if (ice_str_is(without_colon(cells.items[key]), keys[i]))
                return !read_header(&cells, &layout);
        }
        first = end == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(first, end + 1);
    }
    return false;
}

static enum ice_status read_text(struct reader *r, struct ice_str first,
                                 struct ice_error *err) {
    enum ice_pointer_format wish = r->input->wish;
    const char *refusal = ice_pointer_refusal(first);
    int64_t version;
    if (refusal != NULL)
        return ice_pointer_unknown(err, refusal);
    if ((wish == ICE_POINTER_AUTO || wish == ICE_POINTER_HINT) &&
        is_hint(first, &version)) {
        struct ice_pointer entry = {
            .format = ICE_POINTER_HINT, .version = version, .file = r->input->name};
        *r->input->out_format = ICE_POINTER_HINT;
        return ice_pointers_add(r->input->pointers, &entry, err);
    }
    struct ice_str name;
    if ((wish == ICE_POINTER_AUTO || wish == ICE_POINTER_HINT) &&
        is_hint_name(first, &name)) {
        struct ice_pointer entry = {.format = ICE_POINTER_HINT,
                                    .version = -1,
                                    .metadata_location = name,
                                    .file = r->input->name};
        *r->input->out_format = ICE_POINTER_HINT;
        return ice_pointers_add(r->input->pointers, &entry, err);
    }
    bool is_list = wish == ICE_POINTER_LIST || wish == ICE_POINTER_JDBC;
    if (!is_list && has_property(r, first))
        return read_properties(r, err);
    if (wish == ICE_POINTER_AUTO || wish == ICE_POINTER_HIVE ||
        wish == ICE_POINTER_POLARIS || is_list)
        return read_rows(r, err);
    return ice_pointer_unknown(err, "it is text, not of the kind that --pointer-format "
                                    "says");
}

enum ice_status ice_pointer_text(const struct ice_pointer_input *input,
                                 struct ice_stream *stream, struct ice_str first,
                                 struct ice_error *err) {
    struct ice_alloc *alloc = &input->pointers->run->alloc;
    struct reader r = {.input = input, .lines.stream = stream};
    ice_arena_init(&r.arena, alloc);
    ice_buf_init(&r.lines.text, alloc, 2 * (size_t)MAX_LINE);
    ice_buf_init(&r.unquoted, alloc, 2 * (size_t)MAX_LINE);
    enum ice_status status = read_text(&r, first, err);
    ice_buf_release(&r.lines.text);
    ice_buf_release(&r.unquoted);
    ice_arena_release(&r.arena);
    return status;
}
