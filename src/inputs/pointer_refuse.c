/*
 * Outputs of the AWS CLI in forms that lose what a pointer needs: known, to be refused
 * with the way out.
 */
#include "inputs/pointer_read.h"

static struct ice_str line_of(struct ice_str *text) {
    size_t end = ice_str_find(*text, '\n');
    struct ice_str line = ice_str_first(*text, end);
    *text = end == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(*text, end + 1);
    while (line.size > 0 &&
           (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
        line.size--;
    return line;
}

static struct ice_str first_line(struct ice_str *text) {
    struct ice_str line = ICE_STR_NONE;
    while (text->size > 0 && line.size == 0)
        line = line_of(text);
    return line;
}

/* "-----" and below it "|   GetTable   |" */
static bool is_drawn(struct ice_str text) {
    struct ice_str line = first_line(&text);
    for (size_t i = 0; i < line.size; i++) {
        if (line.data[i] != '-')
            return false;
    }
    struct ice_str next = first_line(&text);
    return line.size > 4 && next.size > 0 && next.data[0] == '|';
}

/* A first word of capitals, and a tab behind it. */
static bool is_tabbed(struct ice_str text) {
    static const char *const words[] = {"TABLE",    "TABLELIST",   "TABLEVERSIONS",
                                        "DATABASE", "PARAMETERS",  "STORAGEDESCRIPTOR",
                                        "TABLES",   "DATABASELIST"};
    struct ice_str line = first_line(&text);
    struct ice_str word = ice_str_first(line, ice_str_find(line, '\t'));
    for (size_t i = 0; i < ICE_COUNT_OF(words); i++) {
        if (ice_str_is(word, words[i]))
            return word.size < line.size || text.size > 0;
    }
    return false;
}

/* Hive prints "Table:" and "Database:", too, but with something behind them. */
static bool is_yaml_line(struct ice_str line) {
    static const char *const objects[] = {"Table:",    "TableList:",    "TableVersions:",
                                          "Database:", "DatabaseList:", "tables:"};
    static const char *const values[] = {
        "versionToken: ", "metadataLocation: ", "tableARN: ", "warehouseLocation: "};
    for (size_t i = 0; i < ICE_COUNT_OF(objects); i++) {
        if (ice_str_is(line, objects[i]))
            return true;
    }
    for (size_t i = 0; i < ICE_COUNT_OF(values); i++) {
        if (ice_str_starts(line, ice_str_from(values[i])))
            return true;
    }
    return false;
}

static bool is_yaml(struct ice_str text) {
    for (size_t lines = 0; text.size > 0 && lines < 50; lines++) {
        struct ice_str line = first_line(&text);
        if (ice_str_starts(line, ICE_STR("- ")))
            line = ice_str_from_index(line, 2);
        if (is_yaml_line(line) || ice_str_is(line, "TableList: []"))
            return true;
    }
    return false;
}

const char *ice_pointer_refusal(struct ice_str first) {
    if (is_drawn(first))
        return "it is the output of the AWS CLI as a table: ask again with --output json";
    if (is_tabbed(first))
        return "it is the output of the AWS CLI as text: ask again with --output json";
    if (is_yaml(first))
        return "it is YAML, as the AWS CLI prints it: ask again with --output json";
    return NULL;
}
