/*
 * What is no table: why, and what to give instead.
 */
#include "base/error.h"
#include "check/pointers.h"
#include "check/storage.h"
#include "check/unfound.h"

static const char *way_out(const struct ice_target *target) {
    if (target->kind == ICE_TARGET_EMPTY)
        return "neither it nor its metadata directory holds a metadata file "
               "(*.metadata.json); -r finds tables below it, --pointer one whose "
               "metadata lies elsewhere in it; where a table should be here, the copy is "
               "incomplete, or its metadata files are lost";
    switch (target->is) {
    case ICE_INPUT_PARQUET:
    case ICE_INPUT_ORC:
        return "it is a data file: give the directory of its table";
    case ICE_INPUT_PUFFIN:
        return "it is a Puffin file: give the directory of its table";
    case ICE_INPUT_SQLITE:
        return "it is an SQLite database: give the directory of a table";
    case ICE_INPUT_ARCHIVE:
        return "it is an archive: unpack it first";
    case ICE_INPUT_HINT:
        return "it is a version hint: give the directory of its table";
    case ICE_INPUT_EMPTY:
        return "it is empty";
    case ICE_INPUT_ENCRYPTED:
        return "it is encrypted";
    case ICE_INPUT_JSON:
        return "it is a JSON document, but no Iceberg table metadata";
    case ICE_INPUT_METADATA:
    case ICE_INPUT_VIEW:
    case ICE_INPUT_MANIFEST_LIST:
    case ICE_INPUT_MANIFEST:
    case ICE_INPUT_AVRO:
    case ICE_INPUT_UNKNOWN:
        return "it is no Iceberg metadata, Avro, Parquet, ORC or Puffin file";
    }
    return "";
}

static void report_unknown(struct ice_check *ck, const char *what, struct ice_str file) {
    struct ice_place place = ice_place_file(file, ICE_ORDER_POINTER);
    FOUND(ck->emit, ICE_RULE_SOURCE_UNKNOWN, &place, arg_text("what", what),
          arg_text("detail", way_out(ck->target)));
    ice_emit_not_evaluated(ck->emit, "table", ICE_STR("source.unknown"), true, file);
}

void ice_report_no_table(struct ice_check *ck) {
    report_unknown(ck, "the file",
                   ice_target_file_name(ck->target, ck->target->file_key));
}

/* ---- a directory that something says is a table's ---- */

/* Is there a catalog's entry whose file should be here? */
static enum ice_status report_pointer(struct ice_check *ck, bool *out,
                                      struct ice_error *err) {
    const struct ice_target *target = ck->target;
    struct ice_pointed_at at;
    struct ice_str odd = ICE_STR_NONE;
    ICE_TRY(ice_pointers_open(ck, err));
    ICE_TRY(ice_find_pointer(ck, &at, err));
    if (at.kind != ICE_POINTED_MISSING || ck->pointer->metadata_location.size == 0)
        return ICE_OK;
    /* metastores name metadata files freely */
    ICE_TRY(ice_target_find_file(target, at.name, ck->run, &ck->arena, &odd, err));
    if (odd.size > 0)
        return ICE_OK;
    struct ice_str file = at.source == target->source
                              ? ice_target_file_name(target, at.key)
                              : ck->pointer->metadata_location;
    struct ice_place place = ice_place_file(file, ICE_ORDER_POINTER);
    const struct ice_unfound item = {.rule = ICE_RULE_CATALOG_POINTER_MISSING_FILE,
                                     .severity = ICE_DEFAULT,
                                     .place = place,
                                     .uri = ck->pointer->metadata_location,
                                     .version = -1,
                                     .name = ck->pointer->metadata_location,
                                     .used = ICE_STR("nothing")};
    ice_unfound_found(ck, &item);
    ice_emit_not_evaluated(ck->emit, "table", ICE_STR("no metadata file is here"), true,
                           file);
    *out = true;
    return ICE_OK;
}

/* A hint in a directory without metadata files is not read with the target. */
static enum ice_status read_hint(struct ice_check *ck, struct ice_str key,
                                 int64_t *out_version, bool *out_found,
                                 struct ice_error *err) {
    struct ice_str line;
    struct ice_error fault;
    ice_error_clear(&fault);
    enum ice_status status =
        ice_hint_read(ck->target->source, key, ck->run, &ck->arena, &line, &fault);
    if (status >= 0)
        *out_found = ice_str_to_i64(line, out_version) && *out_version >= 0;
    /* no hint, or none that can be read: nothing says that this is a table */
    return ice_error_pass_final(err, status, &fault);
}

static enum ice_status report_hint(struct ice_check *ck, bool *out,
                                   struct ice_error *err) {
    static const char *const names[] = {"metadata/version-hint.text",
                                        "version-hint.text"};
    int64_t version = -1;
    for (size_t i = 0; i < ICE_COUNT_OF(names) && !*out; i++) {
        struct ice_str key;
        if (ice_key_join(&ck->arena, ck->target->metadata_dir, ice_str_from(names[i]),
                         &key) < 0)
            return ice_error_memory(err);
        ICE_TRY(read_hint(ck, key, &version, out, err));
        if (!*out)
            continue;
        struct ice_str file = ice_target_file_name(ck->target, key);
        struct ice_place place = ice_place_file(file, ICE_ORDER_POINTER);
        FOUND(ck->emit, ICE_RULE_HINT_DANGLING, &place, arg_i64("version", version),
              arg_text("used", "nothing"));
        ice_emit_not_evaluated(ck->emit, "table", ICE_STR("hint.dangling"), true, file);
    }
    return ICE_OK;
}

/* Nothing is here: do the listings have what the catalog names? */
static enum ice_status ask_listings(struct ice_check *ck, struct ice_error *err) {
    if (ck->unfound.n == 0)
        return ICE_OK;
    if (ice_storage_open(ck, NULL) < 0)
        return ice_error_memory(err);
    ICE_TRY(ice_storage_sort(ck, err));
    return ice_storage_stream(ck, ice_storage_object, NULL, err);
}

enum ice_status ice_report_empty(struct ice_check *ck, struct ice_error *err) {
    bool is_said = false;
    ice_unfound_hold(ck);
    ICE_TRY(report_pointer(ck, &is_said, err));
    if (!is_said)
        ICE_TRY(report_hint(ck, &is_said, err));
    if (!is_said)
        report_unknown(ck, "the directory", ck->target->directory_name);
    return ask_listings(ck, err);
}
