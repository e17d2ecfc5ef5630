/*
 * Entries of catalog exports in JSON, from values in the order in which they stand.
 */
#include "inputs/pointer_draft.h"

#include "base/error.h"
#include "inputs/listing.h"
#include "inputs/stdin.h"

enum { N_GROUPS = ICE_POINTER_GROUPS, MAX_COLUMNS = 10000 };

/* ---- places ---- */

/*
 * Does text begin with the pattern, as whole steps? '*' takes a number. *out_end: behind
 * it, *out_index: the first number taken.
 */
static bool match(const char *pattern, struct ice_str text, size_t *out_end,
                  uint64_t *out_index) {
    size_t at = 0;
    bool has_index = false;
    for (; *pattern != '\0'; pattern++) {
        if (*pattern != '*') {
            if (at >= text.size || text.data[at++] != *pattern)
                return false;
            continue;
        }
        size_t begin = at;
        uint64_t index = 0;
        while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9' &&
               at - begin < 18)
            index = index * 10 + (uint64_t)(text.data[at++] - '0');
        if (at == begin)
            return false;
        if (!has_index)
            *out_index = index;
        has_index = true;
    }
    *out_end = at;
    return at == text.size || text.data[at] == '/';
}

static const struct ice_pointer_row *row_of(const struct ice_pointer_row *rows,
                                            struct ice_str rest) {
    size_t end;
    uint64_t index = 0;
    for (; rows->place != NULL; rows++) {
        if (match(rows->place, rest, &end, &index) && end == rest.size)
            return rows;
    }
    return NULL;
}

/* ---- entries ---- */

static bool is_wished(const struct ice_pointer_reader *r,
                      enum ice_pointer_format format) {
    enum ice_pointer_format wish = r->input->wish;
    return wish == ICE_POINTER_AUTO || wish == format ||
           (format == ICE_POINTER_S3TABLES &&
            (wish == ICE_POINTER_NESSIE || wish == ICE_POINTER_SNOWFLAKE)) ||
           (format == ICE_POINTER_NORMAL && wish == ICE_POINTER_JDBC);
}

/* Is what was read enough to be sure of the kind? */
static bool is_sure(struct ice_pointer_draft *draft,
                    const struct ice_pointer_group *group) {
    bool has_location = draft->entry.metadata_location.size > 0;
    switch (group->format) {
    case ICE_POINTER_GLUE:
        return draft->entry.table.size > 0;
    case ICE_POINTER_REST:
        return has_location || (draft->has_metadata_key && draft->marks[MARK_METADATA]);
    case ICE_POINTER_S3TABLES:
        if (draft->marks[MARK_S3TABLES])
            return true;
        draft->entry.format =
            draft->marks[MARK_NESSIE] ? ICE_POINTER_NESSIE : ICE_POINTER_SNOWFLAKE;
        return has_location &&
               (draft->marks[MARK_NESSIE] || draft->marks[MARK_SNOWFLAKE]);
    case ICE_POINTER_UNITY:
        return draft->marks[MARK_UNITY];
    case ICE_POINTER_HIVE:
    case ICE_POINTER_BIGQUERY:
        return has_location;
    case ICE_POINTER_POLARIS:
        return has_location && draft->is_inner;
    case ICE_POINTER_NESSIE:
        return has_location;
    case ICE_POINTER_NORMAL:
    case ICE_POINTER_JDBC:
        return draft->has_metadata_key && draft->entry.table.size > 0;
    case ICE_POINTER_AUTO:
    case ICE_POINTER_ARGUMENT:
    case ICE_POINTER_SNOWFLAKE:
    case ICE_POINTER_HINT:
    case ICE_POINTER_LIST:
    case ICE_POINTER_FORMATS:
        break;
    }
    return false;
}

/* "VIEW" of a JDBC catalog, "ICEBERG_VIEW" of Nessie; Glue and Hive tables that are
 * others'. */
static bool is_other(const struct ice_pointer_draft *draft) {
    struct ice_str type = draft->entry.table_type;
    if (ice_str_equal_nocase(type, ICE_STR("VIEW")) ||
        ice_str_ends(type, ICE_STR("_VIEW")))
        return true;
    bool is_iceberg = ice_str_equal_nocase(type, ICE_STR("ICEBERG"));
    bool has_location = draft->entry.metadata_location.size > 0;
    if (draft->is_dropped)
        return true;
    return !has_location && !is_iceberg &&
           (draft->entry.format == ICE_POINTER_GLUE ||
            draft->entry.format == ICE_POINTER_UNITY);
}

/* What only one kind calls so: "TABLE" of a JDBC catalog means Iceberg there. */
static void settle_type(struct ice_pointer_draft *draft) {
    enum ice_pointer_format format = draft->entry.format;
    if (format != ICE_POINTER_GLUE && format != ICE_POINTER_HIVE &&
        format != ICE_POINTER_BIGQUERY)
        draft->entry.table_type = ICE_STR_NONE;
}

/* By the file; of a pipe, whose name is a number or none, by the location. */
static struct ice_str derive_name(const struct ice_pointer_draft *draft,
                                  struct ice_str file) {
    int64_t number;
    struct ice_str by_location = ice_uri_base_name(draft->entry.location);
    bool is_pipe = ice_str_is(file, ICE_STDIN_KEY) || ice_str_to_i64(file, &number);
    return is_pipe && by_location.size > 0 ? by_location : ice_pointer_name_of_file(file);
}

/* Ends a draft that has something. */
static enum ice_status flush(struct ice_pointer_reader *r, size_t g,
                             struct ice_error *err) {
    struct ice_pointer_draft *draft = &r->drafts[g];
    draft->entry.format = ice_pointer_groups[g].format;
    bool is_entry = is_wished(r, ice_pointer_groups[g].format) &&
                    is_sure(draft, &ice_pointer_groups[g]);
    enum ice_status status = ICE_OK;
    if (is_entry && is_other(draft)) {
        r->input->pointers->n_other++;
        r->is_answer = true;
        *r->input->out_format = draft->entry.format;
    } else if (is_entry) {
        settle_type(draft);
        if (draft->n_columns > 0 && draft->is_old)
            draft->n_columns--;
        draft->entry.columns = draft->columns;
        draft->entry.n_columns = draft->n_columns;
        if (draft->entry.table.size == 0)
            draft->entry.table = derive_name(draft, r->input->name);
        draft->entry.file = r->input->name;
        if (draft->entry.format == ICE_POINTER_REST) {
            draft->entry.document = r->document;
            draft->entry.document_end = r->document_end;
        }
        status = ice_pointers_add(r->input->pointers, &draft->entry, err);
        r->is_answer = true;
        *r->input->out_format = draft->entry.format;
    } else if (draft->marks[MARK_METADATA]) {
        r->is_metadata = true;
    }
    ice_array_free(&r->input->pointers->run->alloc, &draft->columns, &draft->cap_columns,
                   sizeof(*draft->columns));
    *draft = (struct ice_pointer_draft){0};
    return status;
}

enum ice_status ice_pointer_flush(struct ice_pointer_reader *r, struct ice_error *err) {
    const size_t before = r->input->pointers->n;
    for (size_t g = 0; g < N_GROUPS; g++) {
        if (r->drafts[g].has_any && r->input->pointers->n == before)
            ICE_TRY(flush(r, g, err));
        else if (r->drafts[g].has_any) { /* one kind has spoken for the document */
            ice_array_free(&r->input->pointers->run->alloc, &r->drafts[g].columns,
                           &r->drafts[g].cap_columns, sizeof(struct ice_str));
            r->drafts[g] = (struct ice_pointer_draft){0};
        }
    }
    return ICE_OK;
}

/* ---- values ---- */

static enum ice_status join_space(struct ice_pointer_reader *r,
                                  struct ice_pointer_draft *draft, struct ice_str part,
                                  struct ice_error *err) {
    /* Nessie's last element is the table: settled as the next one comes */
    bool is_name = ice_pointer_groups[draft - r->drafts].format == ICE_POINTER_NESSIE;
    struct ice_str *last = is_name ? &draft->entry.table : NULL;
    struct ice_str add = part;
    if (is_name) {
        add = *last;
        if (!ice_arena_dup(&r->arena, part, last))
            return ice_error_memory(err);
        if (add.size == 0)
            return ICE_OK;
    }
    struct ice_buf joined;
    ice_buf_init(&joined, &r->input->pointers->run->alloc, SIZE_MAX);
    enum ice_status status = ice_buf_append_str(&joined, draft->entry.space);
    if (status >= 0 && draft->entry.space.size > 0)
        status = ice_buf_append_char(&joined, '.');
    if (status >= 0)
        status = ice_buf_append_str(&joined, add);
    if (status >= 0 &&
        !ice_arena_dup(&r->arena, ice_buf_str(&joined), &draft->entry.space))
        status = ICE_ENOMEM;
    ice_buf_release(&joined);
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}

static enum ice_status add_column(struct ice_pointer_reader *r,
                                  struct ice_pointer_draft *draft, struct ice_str name,
                                  struct ice_error *err) {
    if (draft->n_columns > 0 && draft->is_old)
        draft->n_columns--;
    draft->is_old = false;
    if (draft->n_columns >= MAX_COLUMNS)
        return ICE_OK;
    if (!ice_array_reserve(&r->input->pointers->run->alloc, &draft->columns,
                           draft->n_columns, &draft->cap_columns,
                           sizeof(*draft->columns)) ||
        !ice_arena_dup(&r->arena, name, &draft->columns[draft->n_columns]))
        return ice_error_memory(err);
    draft->n_columns++;
    return ICE_OK;
}

static struct ice_str *text_of(struct ice_pointer_draft *draft,
                               enum ice_pointer_what what) {
    switch (what) {
    case WHAT_METADATA:
        return &draft->entry.metadata_location;
    case WHAT_PREVIOUS:
        return &draft->entry.previous_metadata_location;
    case WHAT_TABLE:
        return &draft->entry.table;
    case WHAT_SPACE:
        return &draft->entry.space;
    case WHAT_CATALOG:
        return &draft->entry.catalog;
    case WHAT_LOCATION:
        return &draft->entry.location;
    case WHAT_UUID:
        return &draft->entry.table_uuid;
    case WHAT_TYPE:
        return &draft->entry.table_type;
    case WHAT_SPACE_PART:
    case WHAT_VERSION:
    case WHAT_SNAPSHOT:
    case WHAT_COLUMN:
    case WHAT_COLUMN_CURRENT:
    case WHAT_POLARIS:
    case WHAT_TIME:
    case WHAT_DROPPED:
    case MARK_S3TABLES:
    case MARK_NESSIE:
    case MARK_UNITY:
    case MARK_SNOWFLAKE:
    case MARK_METADATA:
        break;
    }
    return NULL;
}

/* Seconds, milliseconds or ISO 8601, as all of them are met; UTC where no zone stands. */
static void put_time(struct ice_pointer_draft *draft, struct ice_str text) {
    struct ice_listing as_listed = {.options.has_zone = true};
    draft->entry.has_time = ice_listing_time(&as_listed, text, &draft->entry.time_ms);
}

static enum ice_status put_polaris(struct ice_pointer_reader *r,
                                   struct ice_pointer_draft *draft, struct ice_str text,
                                   struct ice_error *err) {
    bool has_location = false;
    ICE_TRY(ice_pointer_polaris(r->input->pointers->run, &r->arena, text,
                                &draft->entry.metadata_location, &has_location, err));
    draft->is_inner = draft->is_inner || has_location;
    return ICE_OK;
}

/* text: of a string or number. */
static enum ice_status put(struct ice_pointer_reader *r, struct ice_pointer_draft *draft,
                           enum ice_pointer_what what, struct ice_str text,
                           struct ice_error *err) {
    struct ice_str *slot = text_of(draft, what);
    int64_t number;
    bool is_number = ice_str_to_i64(text, &number);
    if (slot != NULL && !ice_arena_dup(&r->arena, text, slot))
        return ice_error_memory(err);
    if (what == WHAT_METADATA)
        draft->is_inner = true;
    if (what >= MARK_S3TABLES && what <= MARK_METADATA)
        draft->marks[what] =
            what != MARK_NESSIE || ice_str_starts(text, ICE_STR("ICEBERG_TABLE"));
    else if (what == WHAT_SPACE_PART)
        return join_space(r, draft, text, err);
    else if (what == WHAT_COLUMN)
        return add_column(r, draft, text, err);
    else if (what == WHAT_COLUMN_CURRENT)
        draft->is_old = ice_str_is(text, "false");
    else if (what == WHAT_POLARIS)
        return put_polaris(r, draft, text, err);
    else if (what == WHAT_DROPPED)
        draft->is_dropped = is_number && number > 0;
    else if (what == WHAT_TIME)
        put_time(draft, text);
    else if (what == WHAT_VERSION && is_number)
        draft->entry.version = number;
    else if (what == WHAT_SNAPSHOT && is_number) {
        draft->entry.snapshot_id = number;
        draft->entry.has_snapshot_id = true;
    }
    return ICE_OK;
}

enum ice_status ice_pointer_take(struct ice_pointer_reader *r, size_t g,
                                 struct ice_str place, const struct ice_json_event *event,
                                 struct ice_error *err) {
    size_t end;
    uint64_t index = 0;
    if (!match(ice_pointer_groups[g].prefix, place, &end, &index))
        return ICE_OK;
    struct ice_str rest = ice_str_from_index(place, end);
    const struct ice_pointer_row *row = row_of(ice_pointer_groups[g].rows, rest);
    struct ice_pointer_draft *draft = &r->drafts[g];
    if (row == NULL)
        return ICE_OK;
    if (draft->has_any && draft->index != index)
        ICE_TRY(flush(r, g, err));
    if (!draft->has_any)
        *draft = (struct ice_pointer_draft){
            .has_any = true, .index = index, .entry.version = -1};
    if (row->what == WHAT_METADATA) {
        draft->has_metadata_key = true;
        draft->entry.was_staged = event->kind == ICE_JSON_NULL;
    }
    if (event->kind == ICE_JSON_STRING || event->kind == ICE_JSON_NUMBER)
        return put(r, draft, row->what, event->text, err);
    return ICE_OK;
}
