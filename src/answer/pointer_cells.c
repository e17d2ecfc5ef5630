/*
 * One row of `icefsck pointers`: the normal form of an entry, and what was found of it.
 */
#include "answer/pointer_state.h"
#include "answer/row_builder.h"
#include "base/time_text.h"
#include "check/pass1.h"

#include <stdio.h>

const struct ice_column ice_pointer_columns[] = {
    {"kind", ICE_VALUE_STR},
    {"source", ICE_VALUE_STR},
    {"catalog", ICE_VALUE_STR},
    {"namespace", ICE_VALUE_JSON},
    {"table", ICE_VALUE_STR},
    {"metadata_location", ICE_VALUE_STR},
    {"previous_metadata_location", ICE_VALUE_STR},
    {"version", ICE_VALUE_I64},
    {"time", ICE_VALUE_TIME},
    {"table_uuid", ICE_VALUE_STR},
    {"snapshot_id", ICE_VALUE_I64},
    {"location", ICE_VALUE_STR},
    {"table_type", ICE_VALUE_STR},
    {"columns", ICE_VALUE_JSON},
    {"name", ICE_VALUE_STR},
    {"state", ICE_VALUE_STR},
    {"current", ICE_VALUE_STR},
    {"newest", ICE_VALUE_STR},
    {"behind", ICE_VALUE_I64},
    {"last_change", ICE_VALUE_TIME},
    {"age", ICE_VALUE_STR},
    {"age_ms", ICE_VALUE_I64},
    {"usual", ICE_VALUE_STR},
    {"usual_ms", ICE_VALUE_I64},
    {"recreated", ICE_VALUE_BOOL},
    {"why", ICE_VALUE_STR},
    {NULL, ICE_VALUE_NULL},
};

/* "a.b" as ["a","b"], as the normal form has it. */
static void put_space(struct ice_row *row, struct ice_str space) {
    struct ice_json_writer *w = ice_row_json(row);
    ice_jw_array(w);
    while (space.size > 0) {
        size_t dot = ice_str_find(space, '.');
        ice_jw_str(w, ice_str_first(space, dot));
        space = dot == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(space, dot + 1);
    }
    ice_jw_array_end(w);
    ice_row_json_end(row);
}

static void put_columns(struct ice_row *row, const struct ice_pointer *entry) {
    if (entry->n_columns == 0) {
        ice_row_null(row);
        return;
    }
    struct ice_json_writer *w = ice_row_json(row);
    ice_jw_array(w);
    for (size_t i = 0; i < entry->n_columns; i++)
        ice_jw_str(w, entry->columns[i]);
    ice_jw_array_end(w);
    ice_row_json_end(row);
}

static void put_str(struct ice_row *row, struct ice_str text) {
    ice_row_str_if(row, text.size > 0, text);
}

/* The normal form of pointers; of a table without an entry, what takes its place. */
static void put_entry(struct ice_row *row, const struct ice_check *ck,
                      const struct ice_pointer_verdict *v) {
    static const struct ice_pointer none = {.version = -1};
    const struct ice_pointer *e = v->row != NULL ? v->row->entry : &none;
    bool is_hint = e->format == ICE_POINTER_HINT || v->row == NULL;
    ice_row_text(row, "pointer");
    if (e->file.size > 0)
        ice_row_str(row, e->file);
    else if (v->row != NULL)
        ice_row_text(row, "--pointer");
    else
        put_str(row, ice_str_from(v->source));
    put_str(row, e->catalog);
    put_space(row, e->space);
    put_str(row, e->table.size > 0 ? e->table : v->name);
    put_str(row, is_hint && e->metadata_location.size == 0 ? v->current
                                                           : e->metadata_location);
    put_str(row, e->previous_metadata_location);
    ice_row_i64_if(row, e->version >= 0, e->version);
    ice_row_time_if(row, e->has_time, e->time_ms);
    put_str(row, e->table_uuid.size > 0 ? e->table_uuid : ck->metadata.table_uuid);
    bool has_current = v->is_read && ice_metadata_has_current(&ck->metadata);
    ice_row_i64_if(row, e->has_snapshot_id || has_current,
                   e->has_snapshot_id ? e->snapshot_id
                                      : ck->metadata.current_snapshot_id);
    put_str(row, e->location.size > 0 ? e->location : ck->metadata.location);
    put_str(row, e->table_type);
    put_columns(row, e);
}

static void put_age(struct ice_row *row, struct ice_arena *arena,
                    const struct ice_check *ck, const struct ice_pointer_verdict *v) {
    const struct ice_snapshot *change = v->freshness.change;
    const struct ice_snapshot *known = change != NULL ? change : v->freshness.oldest;
    char text[80], duration[48];
    ice_row_time_if(row, change != NULL, change != NULL ? change->timestamp_ms : 0);
    if (known == NULL) {
        ice_row_null(row);
        ice_row_null(row);
    } else {
        int64_t age = ice_time_difference(ck->now_ms, known->timestamp_ms);
        struct ice_str kept;
        (void)snprintf(text, sizeof(text), "%s%s", change == NULL ? "at least " : "",
                       ice_duration_text(age, duration));
        if (!ice_arena_dup(arena, ice_str_from(text), &kept))
            row->status = ICE_ENOMEM;
        ice_row_str(row, kept);
        ice_row_i64(row, age);
    }
    struct ice_str usual = ICE_STR_NONE;
    if (v->freshness.has_usual &&
        !ice_arena_dup(arena,
                       ice_str_from(ice_duration_text(v->freshness.usual_ms, duration)),
                       &usual))
        row->status = ICE_ENOMEM;
    put_str(row, usual);
    ice_row_i64_if(row, v->freshness.has_usual, v->freshness.usual_ms);
}

enum ice_status ice_put_pointer(struct ice_row *row, struct ice_check *ck,
                                const struct ice_pointer_verdict *v,
                                struct ice_error *err) {
    ice_row_begin(row);
    put_entry(row, ck, v);
    put_str(row, v->name);
    ice_row_text(row, ice_pointer_state_name(v->state));
    put_str(row, ice_uri_base_name(v->current));
    put_str(row, v->newest);
    ice_row_i64_if(row, v->n_newer > 0, (int64_t)v->n_newer);
    put_age(row, &ck->arena, ck, v);
    ice_row_bool(row, v->is_recreated);
    put_str(row, v->why);
    return ice_row_send(row, err);
}
