/*
 * How engines and catalogs go to a state: statements to paste. Names come from strangers,
 * so each is quoted for the language that it stands in, and what holds control characters
 * is not written at all.
 */
#include "answer/old_metadata.h"
#include "answer/rescue.h"
#include "answer/spark_text.h"

#include "base/error.h"

#include <inttypes.h>

const char *ice_rescue_way_name(enum ice_rescue_way way) {
    switch (way) {
    case ICE_WAY_STAY:
        return "stay";
    case ICE_WAY_ROLL_BACK:
        return "roll back";
    case ICE_WAY_SET_CURRENT:
        return "set current";
    case ICE_WAY_REGISTER:
        return "register";
    case ICE_WAY_REGISTER_AND_ROLL_BACK:
        return "register, roll back";
    }
    return "";
}

struct way {
    struct ice_rescue *r;
    const struct ice_rescue_state *state;
    ice_statement_fn each;
    void *user;
    struct ice_buf text; /* of a statement */
    struct ice_buf uri, current_uri;
    struct ice_str space, table, full; /* "db", "orders", "db.orders" */
    enum ice_status status;
};

/* ---- text ---- */

static void put(struct way *way, const char *text) {
    if (way->status >= 0)
        way->status = ice_buf_append_str(&way->text, ice_str_from(text));
}

/* In single quotes; what stands for a quote inside is `escape`. */
static void put_quoted(struct way *way, struct ice_str text, const char *escape) {
    put(way, "'");
    for (size_t i = 0; i < text.size && way->status >= 0; i++) {
        if (text.data[i] == '\'')
            put(way, escape);
        else
            way->status = ice_buf_append_char(&way->text, text.data[i]);
    }
    put(way, "'");
}

static void put_sql(struct way *way, struct ice_str text) {
    put_quoted(way, text, "''");
}

/* Spark and Hive. */
static void put_literal(struct way *way, struct ice_str text) {
    if (way->status >= 0)
        way->status = ice_spark_literal(text, &way->text);
}

/* The table's name inside a literal: a statement for a procedure of Spark. */
static void put_spark_table(struct way *way, struct ice_str suffix) {
    struct ice_buf name;
    ice_buf_init(&name, way->text.alloc, SIZE_MAX);
    if (way->status >= 0)
        way->status = ice_spark_table(&way->r->reader->check, suffix, &name);
    put_literal(way, ice_buf_str(&name));
    ice_buf_release(&name);
}

static void put_shell(struct way *way, struct ice_str text) {
    put_quoted(way, text, "'\\''");
}

static void put_id(struct way *way, int64_t id) {
    if (way->status >= 0)
        way->status = ice_buf_printf(&way->text, "%" PRId64, id);
}

static enum ice_status append_text(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

/* A JSON body goes through the shell's quotes where it is pasted. */
static void json_begin(struct way *way, struct ice_json_writer *w) {
    ice_jw_init(w, append_text, &way->text, 0);
}

static void json_end(struct way *way, struct ice_json_writer *w) {
    enum ice_status status = ice_jw_finish(w);
    if (way->status >= 0)
        way->status = status;
}

/* ---- names ---- */

static bool is_plain(struct ice_str text) {
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20 || c == 0x7f)
            return false;
    }
    return true;
}

/* ---- one statement ---- */

static void begin(struct way *way) {
    ice_buf_clear(&way->text);
}

static void send(struct way *way, const char *engine) {
    if (way->status >= 0)
        way->status = way->each(engine, ice_buf_str(&way->text), way->user);
}

static void spark_roll_back(struct way *way, bool is_ancestor) {
    begin(way);
    put(way, is_ancestor ? "CALL cat.system.rollback_to_snapshot("
                         : "CALL cat.system.set_current_snapshot(");
    put_spark_table(way, ICE_STR_NONE);
    put(way, ", ");
    put_id(way, way->state->snapshot_id);
    put(way, ")");
    send(way, "Spark");
}

static void rest_roll_back(struct way *way) {
    struct ice_json_writer w;
    const struct ice_metadata *m = way->r->reader->metadata;
    begin(way);
    put(way, "POST /v1/PREFIX/namespaces/NAMESPACE/tables/TABLE ");
    json_begin(way, &w);
    ice_jw_object(&w);
    ice_jw_key(&w, "requirements");
    ice_jw_array(&w);
    ice_jw_object(&w);
    ice_jw_key(&w, "type");
    ice_jw_text(&w, "assert-ref-snapshot-id");
    ice_jw_key(&w, "ref");
    ice_jw_text(&w, "main");
    ice_jw_key(&w, "snapshot-id");
    ice_jw_i64(&w, m->current_snapshot_id);
    ice_jw_object_end(&w);
    ice_jw_array_end(&w);
    ice_jw_key(&w, "updates");
    ice_jw_array(&w);
    ice_jw_object(&w);
    ice_jw_key(&w, "action");
    ice_jw_text(&w, "set-snapshot-ref");
    ice_jw_key(&w, "ref-name");
    ice_jw_text(&w, "main");
    ice_jw_key(&w, "type");
    ice_jw_text(&w, "branch");
    ice_jw_key(&w, "snapshot-id");
    ice_jw_i64(&w, way->state->snapshot_id);
    ice_jw_object_end(&w);
    ice_jw_array_end(&w);
    ice_jw_object_end(&w);
    json_end(way, &w);
    send(way, "REST catalog");
}

/* Under a name of its own: nothing is dropped, and it can be looked at first. */
static void spark_register(struct way *way) {
    begin(way);
    put(way, "CALL cat.system.register_table(table => ");
    put_spark_table(way, ICE_STR("_rescued"));
    put(way, ", metadata_file => ");
    put_literal(way, ice_buf_str(&way->uri));
    put(way, ")");
    send(way, "Spark, under another name to look at it first");
}

static void glue_register(struct way *way) {
    begin(way);
    put(way, "aws glue get-table --database-name ");
    put_shell(way, way->space.size > 0 ? way->space : ICE_STR("DATABASE"));
    put(way, " --name ");
    put_shell(way, way->table);
    put(way, " --query Table | jq --arg m ");
    put_shell(way, ice_buf_str(&way->uri));
    put(way,
        " '{Name,Description,Owner,Retention,StorageDescriptor,PartitionKeys,TableType,"
        "Parameters} | with_entries(select(.value != null)) | "
        ".Parameters.previous_metadata_location = .Parameters.metadata_location | "
        ".Parameters.metadata_location = $m' > table-input.json && "
        "aws glue update-table --database-name ");
    put_shell(way, way->space.size > 0 ? way->space : ICE_STR("DATABASE"));
    put(way, " --table-input file://table-input.json");
    send(way, "AWS Glue");
}

static void rest_register(struct way *way) {
    struct ice_json_writer w;
    begin(way);
    put(way, "POST /v1/PREFIX/namespaces/NAMESPACE/register ");
    json_begin(way, &w);
    ice_jw_object(&w);
    ice_jw_key(&w, "name");
    ice_jw_str(&w, way->table);
    ice_jw_key(&w, "metadata-location");
    ice_jw_str(&w, ice_buf_str(&way->uri));
    ice_jw_key(&w, "overwrite");
    ice_jw_bool(&w, true);
    ice_jw_object_end(&w);
    json_end(way, &w);
    send(way, "REST catalog");
}

static void hive_register(struct way *way) {
    begin(way);
    put(way, "ALTER TABLE `");
    put(way, way->space.size > 0 ? "" : "DATABASE`.`");
    for (size_t i = 0; i < way->full.size && way->status >= 0; i++) {
        char c = way->full.data[i];
        if (c == '`' || c == '.')
            put(way, c == '`' ? "``" : "`.`");
        else
            way->status = ice_buf_append_char(&way->text, c);
    }
    put(way, "` SET TBLPROPERTIES ('metadata_location'=");
    put_literal(way, ice_buf_str(&way->uri));
    put(way, ")");
    send(way, "Hive");
}

static void jdbc_register(struct way *way) {
    begin(way);
    put(way, "UPDATE iceberg_tables SET previous_metadata_location = metadata_location, "
             "metadata_location = ");
    put_sql(way, ice_buf_str(&way->uri));
    put(way, " WHERE table_namespace = ");
    put_sql(way, way->space.size > 0 ? way->space : ICE_STR("NAMESPACE"));
    put(way, " AND table_name = ");
    put_sql(way, way->table);
    put(way, " AND metadata_location = ");
    put_sql(way, ice_buf_str(&way->current_uri));
    send(way, "JDBC catalog");
}

/*
 * Readers of a directory go forward from the hint while there is a next version, so going
 * back means a copy under the next number: nothing is moved or deleted.
 */
static void hadoop_register(struct way *way) {
    const struct ice_target *target = &way->r->reader->target;
    struct ice_str name = way->r->files[way->state->file].name;
    size_t dot = ice_str_find(name, '.');
    int64_t highest = 0;
    for (size_t i = 0; i < target->n_names; i++) {
        if (target->names[i].is_hadoop && target->names[i].version > highest)
            highest = target->names[i].version;
    }
    if (dot == SIZE_MAX || highest == INT64_MAX)
        return;
    bool is_hadoop;
    bool is_last = ice_metadata_name_version(name, &is_hadoop) == highest && is_hadoop;
    begin(way);
    put(way, "in the table's metadata directory: ");
    if (!is_last) {
        highest++;
        put(way, "cp -n ");
        put_shell(way, name);
        put(way, " 'v");
        put_id(way, highest);
        if (way->status >= 0)
            way->status = ice_buf_append_str(&way->text, ice_str_from_index(name, dot));
        put(way, "' && ");
    }
    put(way, "printf ");
    put_id(way, highest);
    put(way, " > version-hint.text");
    send(way, "Hadoop tables");
}

/* ---- which of them ---- */

/* The catalog that the pointer came from; AUTO: it is not known. */
static enum ice_pointer_format catalog_of(const struct ice_rescue *r) {
    const struct ice_pointer *pointer = r->reader->check.pointer;
    return pointer != NULL ? pointer->format : ICE_POINTER_AUTO;
}

static bool has_hadoop_names(const struct ice_rescue *r) {
    bool is_hadoop = false;
    (void)ice_metadata_name_version(r->files[0].name, &is_hadoop);
    return is_hadoop;
}

static void register_by_catalog(struct way *way) {
    switch (catalog_of(way->r)) {
    case ICE_POINTER_GLUE:
        glue_register(way);
        return;
    case ICE_POINTER_REST:
    case ICE_POINTER_POLARIS:
        rest_register(way);
        return;
    case ICE_POINTER_HIVE:
        hive_register(way);
        return;
    case ICE_POINTER_JDBC:
        jdbc_register(way);
        return;
    case ICE_POINTER_HINT:
        hadoop_register(way);
        return;
    case ICE_POINTER_S3TABLES:
    case ICE_POINTER_NESSIE:
    case ICE_POINTER_UNITY:
    case ICE_POINTER_BIGQUERY:
    case ICE_POINTER_SNOWFLAKE:
    case ICE_POINTER_LIST:
    case ICE_POINTER_NORMAL:
    case ICE_POINTER_ARGUMENT:
    case ICE_POINTER_AUTO:
    case ICE_POINTER_FORMATS:
        break;
    }
    if (has_hadoop_names(way->r) && way->r->reader->check.pointer == NULL) {
        hadoop_register(way);
        return;
    }
    glue_register(way);
    rest_register(way);
    hive_register(way);
    jdbc_register(way);
}

static void write_all(struct way *way) {
    switch (way->state->way) {
    case ICE_WAY_STAY:
        return;
    case ICE_WAY_ROLL_BACK:
        spark_roll_back(way, true);
        rest_roll_back(way);
        return;
    case ICE_WAY_SET_CURRENT:
        spark_roll_back(way, false);
        rest_roll_back(way);
        return;
    case ICE_WAY_REGISTER:
    case ICE_WAY_REGISTER_AND_ROLL_BACK:
        spark_register(way);
        register_by_catalog(way);
        if (way->state->way == ICE_WAY_REGISTER_AND_ROLL_BACK)
            spark_roll_back(way, !way->state->loss.is_aside);
        return;
    }
}

static enum ice_status find_names(struct way *way) {
    const struct ice_rescue *r = way->r;
    const struct ice_pointer *pointer = r->reader->check.pointer;
    way->full = r->table_name;
    way->table = r->table_name;
    if (pointer != NULL) {
        way->space = pointer->space;
        if (pointer->table.size > 0)
            way->table = pointer->table;
    }
    ICE_TRY(ice_metadata_uri(r->reader, r->files[way->state->file].name, &way->uri));
    /* what the catalog holds, though that file may be missing or damaged */
    if (pointer != NULL && pointer->metadata_location.size > 0)
        return ice_buf_append_str(&way->current_uri, pointer->metadata_location);
    return ice_metadata_uri(r->reader, r->files[0].name, &way->current_uri);
}

enum ice_status ice_rescue_statements(struct ice_rescue *r,
                                      const struct ice_rescue_state *state,
                                      ice_statement_fn each, void *user) {
    struct ice_alloc *alloc = &r->reader->run.alloc;
    struct way way = {.r = r, .state = state, .each = each, .user = user};
    ice_buf_init(&way.text, alloc, SIZE_MAX);
    ice_buf_init(&way.uri, alloc, SIZE_MAX);
    ice_buf_init(&way.current_uri, alloc, SIZE_MAX);
    way.status = find_names(&way);
    if (way.status >= 0 && is_plain(way.full) && is_plain(way.space) &&
        is_plain(ice_buf_str(&way.uri)) && is_plain(ice_buf_str(&way.current_uri)) &&
        is_plain(r->files[state->file].name))
        write_all(&way);
    ice_buf_release(&way.text);
    ice_buf_release(&way.uri);
    ice_buf_release(&way.current_uri);
    return way.status;
}
