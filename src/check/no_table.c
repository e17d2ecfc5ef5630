/*
 * What is no table: why, and what to give instead.
 */
#include "check/check.h"

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

void ice_report_no_table(struct ice_check *ck) {
    const struct ice_target *target = ck->target;
    bool is_directory = target->kind == ICE_TARGET_EMPTY;
    struct ice_str file = ice_target_file_name(target, target->file_key);
    if (is_directory)
        file = target->directory_name;
    struct ice_place place = ice_place_file(file, ICE_ORDER_POINTER);
    FOUND(ck->emit, ICE_RULE_SOURCE_UNKNOWN, &place,
          arg_text("what", is_directory ? "the directory" : "the file"),
          arg_text("detail", way_out(target)));
    ice_emit_not_evaluated(ck->emit, "table", ICE_STR("source.unknown"), true, file);
}
