/*
 * What a file is, by its first bytes, then by its name. A damaged file is still taken for
 * what its name says, so that the rules of that kind can say what is wrong with it.
 */
#include "inputs/identify.h"
#include "inputs/text_cells.h"

#include "inputs/target.h"

#include "base/error.h"

/* ---- JSON ---- */

/* Keys of the outermost object that tell kinds apart. */
struct key_set {
    bool format_version, location, table_uuid, schema, snapshots, view;
};

static void note_key(struct key_set *set, struct ice_str key) {
    static const char *const of_schema[] = {"schema", "schemas", "partition-spec",
                                            "last-column-id", "partition-specs"};
    static const char *const of_view[] = {"view-uuid", "current-version-id",
                                          "version-log"};
    set->format_version |= ice_str_is(key, "format-version");
    set->location |= ice_str_is(key, "location");
    set->table_uuid |= ice_str_is(key, "table-uuid");
    set->snapshots |=
        ice_str_is(key, "snapshots") || ice_str_is(key, "current-snapshot-id");
    for (size_t i = 0; i < ICE_COUNT_OF(of_schema); i++)
        set->schema |= ice_str_is(key, of_schema[i]);
    for (size_t i = 0; i < ICE_COUNT_OF(of_view); i++)
        set->view |= ice_str_is(key, of_view[i]);
}

/* Index behind the string that begins at text[at]; text.size if it does not end. */
static size_t behind_string(struct ice_str text, size_t at) {
    for (at++; at < text.size && text.data[at] != '"'; at++)
        at += text.data[at] == '\\';
    return at < text.size ? at + 1 : text.size;
}

/*
 * Collect keys at depth 1. The text may be cut or broken anywhere: nothing is judged
 * here. A string behind '{' or ',' of the outermost object is a key.
 */
static void scan_keys(struct ice_str text, struct key_set *set) {
    size_t depth = 0;
    bool key_next = false;
    for (size_t at = 0; at < text.size;) {
        char c = text.data[at];
        if (c == '"') {
            size_t end = behind_string(text, at);
            if (depth == 1 && key_next && end > at + 1)
                note_key(set, ice_str_make(text.data + at + 1, end - at - 2));
            key_next = false;
            at = end;
            continue;
        }
        if (c == '{' || c == '[') {
            depth++;
            key_next = c == '{';
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        } else if (c == ',') {
            key_next = true;
        }
        at++;
    }
}

static enum ice_input_kind identify_json(struct ice_str name, struct ice_str text) {
    struct key_set set = {0};
    scan_keys(text, &set);
    if (set.view)
        return ICE_INPUT_VIEW;
    bool is_table = set.format_version && (set.location || set.table_uuid || set.schema);
    if (is_table || (set.location && set.schema && set.snapshots) ||
        ice_is_metadata_name(name, NULL))
        return ICE_INPUT_METADATA;
    return ICE_INPUT_JSON;
}

/* ---- Avro ---- */

static bool contains(struct ice_str text, const char *word) {
    return text.size > 0 && memmem(text.data, text.size, word, strlen(word)) != NULL;
}

/*
 * Lists and manifests are told apart by the name of the row's record, then by the columns
 * that only one of them has, then by header keys. Names first: a table may itself have a
 * column that is called manifest_path, and its schema stands in the header of its
 * manifests.
 */
static enum ice_input_kind identify_avro(struct ice_str bytes) {
    static const char key[] = "avro.schema";
    const char *at = memmem(bytes.data, bytes.size, key, sizeof(key) - 1);
    struct ice_str schema = ICE_STR_NONE;
    if (at != NULL)
        schema = ice_str_from_index(bytes, (size_t)(at - bytes.data) + sizeof(key) - 1);
    struct ice_str start = ice_str_first(schema, 256);
    if (contains(start, "\"manifest_file\""))
        return ICE_INPUT_MANIFEST_LIST;
    if (contains(start, "\"manifest_entry\""))
        return ICE_INPUT_MANIFEST;
    if (contains(schema, "\"data_file\"") && contains(schema, "\"file_path\""))
        return ICE_INPUT_MANIFEST;
    if (contains(schema, "\"manifest_path\"") || contains(schema, "\"manifest_length\""))
        return ICE_INPUT_MANIFEST_LIST;
    if (contains(bytes, "partition-spec-id"))
        return ICE_INPUT_MANIFEST;
    if (contains(bytes, "parent-snapshot-id"))
        return ICE_INPUT_MANIFEST_LIST;
    return ICE_INPUT_AVRO;
}

/* ---- all ---- */

static enum ice_input_kind by_name(struct ice_str name, enum ice_input_kind otherwise) {
    if (ice_is_metadata_name(name, NULL))
        return ICE_INPUT_METADATA;
    if (ice_str_ends(name, ICE_STR(".avro")))
        return ICE_INPUT_AVRO;
    if (ice_str_is(name, "version-hint.text"))
        return ICE_INPUT_HINT;
    return otherwise;
}

enum ice_input_kind ice_identify(struct ice_str name, struct ice_str first) {
    switch (ice_magic_of(first)) {
    case ICE_MAGIC_AVRO:
        return identify_avro(first);
    case ICE_MAGIC_PARQUET:
        return ICE_INPUT_PARQUET;
    case ICE_MAGIC_ORC:
        return ICE_INPUT_ORC;
    case ICE_MAGIC_PUFFIN:
        return ICE_INPUT_PUFFIN;
    case ICE_MAGIC_SQLITE:
        return ICE_INPUT_SQLITE;
    case ICE_MAGIC_ZIP:
    case ICE_MAGIC_TAR:
        return ICE_INPUT_ARCHIVE;
    case ICE_MAGIC_AGS1:
        return ICE_INPUT_ENCRYPTED;
    case ICE_MAGIC_PNG:
    case ICE_MAGIC_GZIP: /* what was inflated is packed again */
    case ICE_MAGIC_ZSTD:
    case ICE_MAGIC_UTF16:
        return by_name(name, ICE_INPUT_UNKNOWN);
    case ICE_MAGIC_NONE:
        break;
    }
    struct ice_str text = ice_text_start(first);
    if (text.size == 0)
        return by_name(name, ICE_INPUT_EMPTY);
    if (text.data[0] == '{' || text.data[0] == '[')
        return identify_json(name, text);
    return by_name(name, ICE_INPUT_UNKNOWN);
}

const char *ice_input_kind_name(enum ice_input_kind kind) {
    switch (kind) {
    case ICE_INPUT_METADATA:
        return "Iceberg table metadata";
    case ICE_INPUT_VIEW:
        return "Iceberg view metadata";
    case ICE_INPUT_MANIFEST_LIST:
        return "manifest list";
    case ICE_INPUT_MANIFEST:
        return "manifest";
    case ICE_INPUT_AVRO:
        return "Avro file";
    case ICE_INPUT_PARQUET:
        return "Parquet file";
    case ICE_INPUT_ORC:
        return "ORC file";
    case ICE_INPUT_PUFFIN:
        return "Puffin file";
    case ICE_INPUT_SQLITE:
        return "SQLite database";
    case ICE_INPUT_ARCHIVE:
        return "archive";
    case ICE_INPUT_HINT:
        return "version hint";
    case ICE_INPUT_JSON:
        return "JSON document";
    case ICE_INPUT_EMPTY:
        return "empty file";
    case ICE_INPUT_UNKNOWN:
        return "unknown file";
    case ICE_INPUT_ENCRYPTED:
        return "encrypted file";
    }
    return "unknown file";
}

/* stored is taken. */
static enum ice_status take_off(struct ice_stream *stored, struct ice_stream *out,
                                enum ice_magic *out_magic, struct ice_error *err) {
    struct ice_str first;
    enum ice_status status = ice_stream_peek(stored, 8, &first, err);
    if (status < 0) {
        ice_stream_release(stored);
        return status;
    }
    enum ice_magic magic = ice_magic_of(first);
    if (magic == ICE_MAGIC_GZIP) {
        *out_magic = magic;
        return ice_stream_gzip(out, stored, err);
    }
    if (magic == ICE_MAGIC_ZSTD) {
        *out_magic = magic;
        return ice_stream_zstd(out, stored, err);
    }
    *out = *stored;
    return ICE_OK;
}

enum ice_status ice_open_inflated(struct ice_source *source, struct ice_str key,
                                  struct ice_run *run, struct ice_stream *out,
                                  struct ice_file_info *out_info,
                                  enum ice_magic *out_magic, struct ice_error *err) {
    struct ice_stream stored = {0};
    *out = (struct ice_stream){0};
    *out_magic = ICE_MAGIC_NONE;
    ICE_TRY(ice_source_open_stream(source, key, run, &stored, out_info, err));
    return take_off(&stored, out, out_magic, err);
}

enum ice_status ice_open_endless(struct ice_source *source, struct ice_str key,
                                 struct ice_run *run, struct ice_stream *out,
                                 struct ice_error *err) {
    struct ice_stream stored = {0};
    enum ice_magic magic;
    *out = (struct ice_stream){0};
    ICE_TRY(ice_source_open_endless(source, key, run, &stored, NULL, err));
    return take_off(&stored, out, &magic, err);
}
