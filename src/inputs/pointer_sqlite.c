/*
 * The file of an SQLite (JDBC) catalog. It is opened read-only and taken as it stands on
 * disk, so that nothing is written beside it; a log that holds later commits is refused.
 */
#include "inputs/pointer_read.h"

#include "base/percent.h"
#include "base/error.h"

#ifdef ICE_WITH_SQLITE

#include "base/buf.h"

#include <sqlite3.h>
#include <sys/stat.h>

static struct ice_str column_text(sqlite3_stmt *rows, int column) {
    const void *text = sqlite3_column_text(rows, column);
    int size = sqlite3_column_bytes(rows, column);
    return text == NULL || size < 0 ? ICE_STR_NONE : ice_str_make(text, (size_t)size);
}

static void put_column(struct ice_pointer *entry, const char *name,
                       struct ice_str value) {
    const struct {
        const char *name;
        struct ice_str *slot;
    } slots[] = {
        {"catalog_name", &entry->catalog},
        {"table_namespace", &entry->space},
        {"table_name", &entry->table},
        {"metadata_location", &entry->metadata_location},
        {"previous_metadata_location", &entry->previous_metadata_location},
        {"iceberg_type", &entry->table_type},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(slots); i++) {
        if (name != NULL && sqlite3_stricmp(name, slots[i].name) == 0)
            *slots[i].slot = value;
    }
}

static enum ice_status read_row(const struct ice_pointer_input *input, sqlite3_stmt *rows,
                                struct ice_error *err) {
    struct ice_pointer entry = {
        .format = ICE_POINTER_JDBC, .version = -1, .file = input->name};
    for (int i = 0; i < sqlite3_column_count(rows); i++)
        put_column(&entry, sqlite3_column_name(rows, i), column_text(rows, i));
    bool is_view = ice_str_equal_nocase(entry.table_type, ICE_STR("VIEW"));
    entry.table_type = ICE_STR_NONE; /* TABLE, or none: what stands here is Iceberg's */
    if (is_view) {
        input->pointers->n_other++;
        return ICE_OK;
    }
    return ice_pointers_add(input->pointers, &entry, err);
}

static enum ice_status fault_of(sqlite3 *db, int code, struct ice_error *err) {
    if (code == SQLITE_NOMEM)
        return ice_error_memory(err);
    bool is_absent = db != NULL && code == SQLITE_ERROR;
    return ice_error_set(err, ICE_EUNSUPPORTED, "source.unknown", ICE_NO_OFFSET, "%s",
                         is_absent ? "it is an SQLite database without a table "
                                     "iceberg_tables: no JDBC catalog"
                                   : "it is a damaged SQLite database");
}

static enum ice_status read_rows(const struct ice_pointer_input *input, sqlite3 *db,
                                 struct ice_error *err) {
    sqlite3_stmt *rows = NULL;
    int code = sqlite3_prepare_v2(db, "SELECT * FROM iceberg_tables", -1, &rows, NULL);
    enum ice_status status = ICE_OK;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(rows);
        if (code == SQLITE_ROW)
            status = read_row(input, rows, err);
        if (status < 0)
            break;
    }
    (void)sqlite3_finalize(rows);
    if (status >= 0 && code != SQLITE_DONE)
        status = fault_of(db, code, err);
    return status;
}

/* file:PATH?immutable=1 with all that means something in a URI as %XX. */
static enum ice_status uri_of(const char *path, struct ice_buf *out) {
    ICE_TRY(ice_buf_append_str(out, ICE_STR("file:")));
    if (path[0] != '/') /* "a//b" must not become an authority */
        ICE_TRY(ice_buf_append_str(out, ICE_STR("./")));
    ICE_TRY(ice_percent_encode(out, ice_str_from(path)));
    ICE_TRY(ice_buf_append_str(out, ICE_STR("?mode=ro&immutable=1")));
    return ice_buf_append_char(out, '\0');
}

/* Does a file with what is not yet in the database lie beside it? */
static enum ice_status refuse_open_log(struct ice_alloc *alloc, const char *path,
                                       const char *ending, struct ice_error *err) {
    struct ice_buf name;
    struct stat info;
    ice_buf_init(&name, alloc, SIZE_MAX);
    bool is_named = ice_buf_append_str(&name, ice_str_from(path)) >= 0 &&
                    ice_buf_append_str(&name, ice_str_from(ending)) >= 0 &&
                    ice_buf_append_char(&name, '\0') >= 0;
    bool is_open = is_named && stat(name.data, &info) == 0 && info.st_size > 0;
    ice_buf_release(&name);
    if (!is_named)
        return ice_error_memory(err);
    if (!is_open)
        return ICE_OK;
    return ice_error_set(err, ICE_EIO, "source.unreadable", ICE_NO_OFFSET,
                         "its log %s holds changes that are not yet in it: copy it with "
                         "sqlite3's .backup, and give the copy",
                         ending);
}

enum ice_status ice_pointer_sqlite(const struct ice_pointer_input *input,
                                   const char *path, struct ice_error *err) {
    struct ice_alloc *alloc = &input->pointers->run->alloc;
    struct ice_buf uri;
    sqlite3 *db = NULL;
    ICE_TRY(refuse_open_log(alloc, path, "-wal", err));
    ICE_TRY(refuse_open_log(alloc, path, "-journal", err));
    ice_buf_init(&uri, alloc, SIZE_MAX);
    enum ice_status status = uri_of(path, &uri) < 0 ? ice_error_memory(err) : ICE_OK;
    if (status >= 0) {
        int code = sqlite3_open_v2(
            uri.data, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
            NULL);
        if (code != SQLITE_OK)
            status = fault_of(NULL, code, err);
    }
    if (status >= 0) {
        (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        (void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        (void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
        *input->out_format = ICE_POINTER_JDBC;
        input->pointers->n_exports++;
        status = read_rows(input, db, err);
    }
    (void)sqlite3_close(db);
    ice_buf_release(&uri);
    return status;
}

#else

enum ice_status ice_pointer_sqlite(const struct ice_pointer_input *input,
                                   const char *path, struct ice_error *err) {
    (void)input;
    (void)path;
    return ice_pointer_unknown(err, "it is an SQLite database, and this build cannot "
                                    "read one: dump its table iceberg_tables as CSV");
}

#endif
