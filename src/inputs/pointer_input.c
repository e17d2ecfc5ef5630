/*
 * Arguments of --pointer: which reader an input is for.
 */
#include "inputs/pointer_read.h"
#include "inputs/text_cells.h"

#include "base/error.h"
#include "inputs/stdin.h"
#include "inputs/target.h"

#include <stdlib.h>

enum { PEEK_BYTES = 64 * 1024, ARCHIVE_BYTES = 256 * 1024 };

static const struct {
    const char *name, *words;
} formats[ICE_POINTER_FORMATS] = {
    [ICE_POINTER_AUTO] = {"auto", "nothing known"},
    [ICE_POINTER_ARGUMENT] = {"argument", "pointer of the command line"},
    [ICE_POINTER_GLUE] = {"glue", "Glue table export"},
    [ICE_POINTER_S3TABLES] = {"s3tables", "S3 Tables answer"},
    [ICE_POINTER_REST] = {"rest", "LoadTableResult of a REST catalog"},
    [ICE_POINTER_NESSIE] = {"nessie", "Nessie contents"},
    [ICE_POINTER_UNITY] = {"unity", "Unity Catalog table"},
    [ICE_POINTER_POLARIS] = {"polaris", "dump of Polaris entities"},
    [ICE_POINTER_BIGQUERY] = {"bigquery", "BigQuery table"},
    [ICE_POINTER_SNOWFLAKE] = {"snowflake", "Snowflake table information"},
    [ICE_POINTER_HIVE] = {"hive", "Hive or Spark table properties"},
    [ICE_POINTER_JDBC] = {"jdbc", "JDBC catalog"},
    [ICE_POINTER_HINT] = {"hint", "version hint"},
    [ICE_POINTER_LIST] = {"list", "list of tables"},
    [ICE_POINTER_NORMAL] = {"normal", "pointers in the normal form"},
};

const char *ice_pointer_format_name(enum ice_pointer_format format) {
    return formats[format].name;
}

const char *ice_pointer_format_words(enum ice_pointer_format format) {
    return formats[format].words;
}

bool ice_pointer_format_of(const char *name, enum ice_pointer_format *out) {
    for (size_t i = ICE_POINTER_GLUE; i < ICE_POINTER_FORMATS; i++) {
        if (strcmp(name, formats[i].name) == 0) {
            *out = (enum ice_pointer_format)i;
            return true;
        }
    }
    return false;
}

/* ---- the collection ---- */

void ice_pointers_init(struct ice_pointers *pointers, struct ice_run *run) {
    *pointers = (struct ice_pointers){.run = run};
    ice_arena_init(&pointers->arena, &run->alloc);
    ice_table_init(&pointers->by_name, &run->alloc);
}

void ice_pointers_release(struct ice_pointers *pointers) {
    if (pointers->run == NULL)
        return;
    struct ice_alloc *alloc = &pointers->run->alloc;
    ice_table_release(&pointers->by_name);
    ice_array_free(alloc, &pointers->items, &pointers->capacity,
                   sizeof(*pointers->items));
    ice_array_free(alloc, &pointers->faults, &pointers->cap_faults,
                   sizeof(*pointers->faults));
    ice_array_free(alloc, &pointers->inputs, &pointers->cap_inputs,
                   sizeof(*pointers->inputs));
    for (size_t i = 0; i < pointers->n_spools; i++)
        ice_source_free(pointers->spools[i].source);
    ice_array_free(alloc, &pointers->spools, &pointers->cap_spools,
                   sizeof(*pointers->spools));
    ice_arena_release(&pointers->arena);
    *pointers = (struct ice_pointers){0};
}

static bool copy_columns(struct ice_arena *arena, struct ice_pointer *entry) {
    const struct ice_str *from = entry->columns;
    struct ice_str *to = ice_arena_array(arena, entry->n_columns, sizeof(*to));
    entry->columns = to;
    if (to == NULL)
        return false;
    for (size_t i = 0; i < entry->n_columns; i++) {
        if (!ice_arena_dup(arena, from[i], &to[i]))
            return false;
    }
    return true;
}

enum ice_status ice_pointers_add(struct ice_pointers *pointers,
                                 const struct ice_pointer *entry, struct ice_error *err) {
    struct ice_pointer copy = *entry;
    struct ice_str *texts[] = {
        &copy.file,       &copy.catalog,           &copy.space,
        &copy.table,      &copy.metadata_location, &copy.previous_metadata_location,
        &copy.table_uuid, &copy.location,          &copy.table_type};
    for (size_t i = 0; i < ICE_COUNT_OF(texts); i++) {
        if (!ice_arena_dup(&pointers->arena, *texts[i], texts[i]))
            return ice_error_memory(err);
    }
    if (!copy_columns(&pointers->arena, &copy) ||
        !ice_array_reserve(&pointers->run->alloc, &pointers->items, pointers->n,
                           &pointers->capacity, sizeof(*pointers->items)))
        return ice_error_memory(err);
    pointers->items[pointers->n++] = copy;
    return ICE_OK;
}

enum ice_status ice_pointer_unknown(struct ice_error *err, const char *why) {
    return ice_error_set(err, ICE_EUNSUPPORTED, "source.unknown", ICE_NO_OFFSET, "%s",
                         why);
}

struct ice_str ice_pointer_name_of_file(struct ice_str file) {
    size_t dot = ice_str_find(file, '.');
    return dot == SIZE_MAX || dot == 0 ? file : ice_str_first(file, dot);
}

bool ice_pointer_is_uri(struct ice_str text) {
    size_t scheme = ice_uri_scheme(text);
    struct ice_str rest = ice_str_from_index(text, scheme);
    return rest.size > 1 && rest.data[0] == '/';
}

/* ---- one input ---- */

static char first_letter(struct ice_str text) {
    text = ice_text_start(text);
    return text.size > 0 ? text.data[0] : '\0';
}

static enum ice_status read_stream(const struct ice_pointer_input *input,
                                   struct ice_stream *stream, struct ice_error *err) {
    struct ice_str first;
    ICE_TRY(ice_stream_peek_first(stream, PEEK_BYTES, &first, err));
    switch (ice_magic_of(first)) {
    case ICE_MAGIC_NONE:
        break;
    case ICE_MAGIC_UTF16:
        return ice_pointer_unknown(err, "it is UTF-16 text: convert it to UTF-8");
    case ICE_MAGIC_ZIP:
        ICE_TRY(ice_stream_peek_first(stream, ARCHIVE_BYTES, &first, err));
        if (first.size > 0 &&
            memmem(first.data, first.size, "export-metadata", 15) != NULL)
            return ice_pointer_unknown(
                err, "it is an export of Nessie, which is not read: ask its REST API for "
                     "/trees/REF/entries?content=true");
        return ice_pointer_unknown(err, "it is an archive: unpack it first");
    case ICE_MAGIC_TAR:
        return ice_pointer_unknown(err, "it is an archive: unpack it first");
    case ICE_MAGIC_SQLITE:
        return ice_pointer_unknown(
            err, "it is an SQLite database: it can be read only as a file that is named");
    case ICE_MAGIC_AVRO:
    case ICE_MAGIC_PARQUET:
    case ICE_MAGIC_ORC:
    case ICE_MAGIC_PUFFIN:
    case ICE_MAGIC_AGS1:
    case ICE_MAGIC_PNG:
    case ICE_MAGIC_GZIP:
    case ICE_MAGIC_ZSTD:
        return ice_pointer_unknown(err, "it is no export of a catalog");
    }
    char letter = first_letter(first);
    if (letter == '\0')
        return ice_pointer_unknown(err, "it is empty: the export may have failed");
    if (letter == '{' || letter == '[')
        return ice_pointer_json(input, stream, err);
    return ice_pointer_text(input, stream, first, err);
}

enum ice_status ice_pointers_reopen(const struct ice_pointers *pointers,
                                    const struct ice_pointer *entry, struct ice_run *run,
                                    struct ice_arena *arena,
                                    struct ice_source **out_source, bool *out_owned,
                                    struct ice_stream *out, struct ice_error *err) {
    struct ice_file_info info;
    enum ice_magic magic;
    struct ice_str key = ICE_STR_NONE;
    *out_source = NULL;
    *out_owned = false;
    for (size_t k = 0; k < pointers->n_spools; k++) {
        if (ice_str_equal(pointers->spools[k].input, entry->input)) {
            *out_source = pointers->spools[k].source;
            key = pointers->spools[k].key;
        }
    }
    if (*out_source == NULL) {
        *out_owned = true;
        ICE_TRY(ice_source_open_argument(out_source, &key, arena, run, entry->input.data,
                                         err));
    }
    return ice_open_inflated(*out_source, key, run, out, &info, &magic, err);
}

/* Takes the source. */
static enum ice_status keep_spool(struct ice_pointers *pointers, const char *path,
                                  struct ice_str key, struct ice_source *source,
                                  enum ice_status status, struct ice_error *err) {
    struct ice_pointer_spool spool = {.source = source, .key = key};
    if (!ice_arena_dup(&pointers->arena, ice_str_from(path), &spool.input) ||
        !ice_array_reserve(&pointers->run->alloc, &pointers->spools, pointers->n_spools,
                           &pointers->cap_spools, sizeof(spool))) {
        ice_source_free(source);
        return ice_error_memory(err);
    }
    pointers->spools[pointers->n_spools++] = spool;
    return status;
}

static enum ice_status read_file(const struct ice_pointer_input *input, const char *path,
                                 struct ice_error *err) {
    struct ice_run *run = input->pointers->run;
    size_t before = input->pointers->n;
    struct ice_source *source = NULL;
    struct ice_stream stream = {0};
    struct ice_file_info info;
    enum ice_magic magic = ICE_MAGIC_NONE;
    struct ice_str name;
    enum ice_status status =
        ice_source_open_argument(&source, &name, &input->pointers->arena, run, path, err);
    if (status >= 0)
        status = ice_open_inflated(source, name, run, &stream, &info, &magic, err);
    if (status >= 0) {
        struct ice_str first;
        status = ice_stream_peek(&stream, 16, &first, err);
        if (status >= 0 && ice_magic_of(first) == ICE_MAGIC_SQLITE &&
            magic == ICE_MAGIC_NONE && strcmp(path, "-") != 0)
            status = ice_pointer_sqlite(input, path, err);
        else if (status >= 0)
            status = read_stream(input, &stream, err);
    }
    ice_stream_release(&stream);
    bool has_document = false;
    for (size_t i = before; i < input->pointers->n; i++)
        has_document = has_document || input->pointers->items[i].document_end > 0;
    if (source != NULL && has_document && ice_path_is_pipe(path))
        status = keep_spool(input->pointers, path, name, source, status, err);
    else
        ice_source_free(source);
    return status;
}

/* Not a fault of the run, but of this input. */
static enum ice_status keep_fault(struct ice_pointers *pointers, struct ice_str file,
                                  enum ice_status status, const struct ice_error *fault,
                                  struct ice_error *err) {
    if (status >= 0)
        return ICE_OK;
    if (status == ICE_ENOMEM || status == ICE_ECANCELLED)
        return ice_error_set(err, status, NULL, ICE_NO_OFFSET, "%s", fault->message);
    if (!ice_array_reserve(&pointers->run->alloc, &pointers->faults, pointers->n_faults,
                           &pointers->cap_faults, sizeof(*pointers->faults)))
        return ice_error_memory(err);
    struct ice_pointer_fault *kept = &pointers->faults[pointers->n_faults++];
    *kept = (struct ice_pointer_fault){.file = file, .error = *fault};
    kept->error.status = status;
    if (status == ICE_ENOENT) {
        kept->error.rule = "source.unreadable";
        kept->error.status = ICE_EIO;
    }
    if (kept->error.message[0] == '\0') {
        ice_error_clear(&kept->error);
        (void)ice_error_set(&kept->error, status == ICE_ENOENT ? ICE_EIO : status,
                            "source.unreadable", ICE_NO_OFFSET, "%s",
                            status == ICE_ENOENT ? "there is no such file"
                                                 : ice_status_name(status));
    }
    return ICE_OK;
}

/* NAME=URI: what follows the first '=' begins as a URI, and NAME is no path. */
static bool is_named_uri(struct ice_str argument, struct ice_str *name,
                         struct ice_str *uri) {
    size_t equals = ice_str_find(argument, '=');
    if (equals == SIZE_MAX || equals == 0)
        return false;
    *name = ice_str_first(argument, equals);
    *uri = ice_str_from_index(argument, equals + 1);
    return ice_str_find(*name, '/') == SIZE_MAX && ice_pointer_is_uri(*uri);
}

static enum ice_status add_argument(struct ice_pointers *pointers, struct ice_str name,
                                    struct ice_str uri, struct ice_error *err) {
    struct ice_pointer entry = {.format = ICE_POINTER_ARGUMENT,
                                .table = name,
                                .metadata_location = uri,
                                .version = -1};
    size_t dot = ice_str_rfind(name, '.');
    if (dot != SIZE_MAX && dot > 0 && dot + 1 < name.size) {
        entry.space = ice_str_first(name, dot);
        entry.table = ice_str_from_index(name, dot + 1);
    }
    return ice_pointers_add(pointers, &entry, err);
}

/* Entries with a document say where it can be read. */
static enum ice_status name_input(struct ice_pointers *pointers, size_t from,
                                  struct ice_str argument) {
    struct ice_str copy = ICE_STR_NONE;
    for (size_t i = from; i < pointers->n; i++) {
        if (pointers->items[i].document_end == 0)
            continue;
        if (copy.size == 0 && !ice_arena_dup(&pointers->arena, argument, &copy))
            return ICE_ENOMEM;
        pointers->items[i].input = copy;
    }
    return ICE_OK;
}

enum ice_status ice_pointers_read(struct ice_pointers *pointers, const char *argument,
                                  enum ice_pointer_format wish,
                                  enum ice_pointer_format *out_format,
                                  struct ice_error *err) {
    struct ice_str text = ice_str_from(argument), name, uri;
    *out_format = ICE_POINTER_AUTO;
    if (is_named_uri(text, &name, &uri)) {
        *out_format = ICE_POINTER_ARGUMENT;
        return add_argument(pointers, name, uri, err);
    }
    struct ice_pointer_input input = {
        .pointers = pointers, .wish = wish, .out_format = out_format};
    bool is_stdin = strcmp(argument, "-") == 0;
    if (!ice_arena_dup(&pointers->arena,
                       is_stdin ? ICE_STR(ICE_STDIN_KEY) : ice_key_name(text),
                       &input.name))
        return ice_error_memory(err);
    struct ice_error fault;
    size_t before = pointers->n;
    ice_error_clear(&fault);
    enum ice_status status = read_file(&input, argument, &fault);
    if (status < 0)
        *out_format = ICE_POINTER_AUTO;
    if (name_input(pointers, before, text) < 0)
        return ice_error_memory(err);
    return keep_fault(pointers, input.name, status, &fault, err);
}

enum ice_status ice_pointers_read_text(struct ice_pointers *pointers, struct ice_str name,
                                       struct ice_str text, enum ice_pointer_format wish,
                                       enum ice_pointer_format *out_format,
                                       struct ice_error *err) {
    struct ice_stream stream;
    struct ice_error fault;
    struct ice_pointer_input input = {
        .pointers = pointers, .wish = wish, .out_format = out_format, .name = name};
    *out_format = ICE_POINTER_AUTO;
    ice_error_clear(&fault);
    ice_stream_init_memory(&stream, pointers->run, text);
    enum ice_status status = read_stream(&input, &stream, &fault);
    ice_stream_release(&stream);
    if (status < 0)
        *out_format = ICE_POINTER_AUTO;
    return keep_fault(pointers, name, status, &fault, err);
}
