/*
 * Rules as rows and as words: what rules and explain share.
 */
#include "cli/rule_rows.h"

#include <stdio.h>
#include <string.h>

static const char *const need_names[] = {"metadata", "list",    "manifest",
                                         "files",    "storage", "catalog",
                                         "history",  "puffin",  "configuration"};

void cli_versions_text(unsigned versions, char out[32]) {
    size_t n = 0;
    out[0] = '\0'; /* rules of configuration have none */
    if (versions == ICE_VALL) {
        (void)snprintf(out, 32, "all");
        return;
    }
    for (unsigned v = 1; v <= 4; v++) {
        if (versions & (1u << v))
            n += (size_t)snprintf(out + n, 32 - n, "%sv%u", n > 0 ? "," : "", v);
    }
}

void cli_needs_text(unsigned needs, char out[96]) {
    size_t n = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < sizeof(need_names) / sizeof(need_names[0]); i++) {
        if (needs & (1u << i))
            n += (size_t)snprintf(out + n, 96 - n, "%s%s", n > 0 ? "," : "",
                                  need_names[i]);
    }
}

const char *cli_status_text(enum ice_rule_status status) {
    switch (status) {
    case ICE_RULE_ACTIVE:
        return "active";
    case ICE_RULE_NOT_DECIDABLE:
        return "not-decidable";
    case ICE_RULE_RETIRED:
        return "retired";
    }
    return "unknown";
}

/* A JSON array of the parts of text; our own words, so only quotes need care. */
static const char *json_array(const char *text, const char *separator) {
    char *out = cli_alloc(strlen(text) * 2 + 3 + strlen(text) * 3, 1);
    size_t n = 0, skip = strlen(separator);
    out[n++] = '[';
    while (*text != '\0') {
        const char *end = strstr(text, separator);
        size_t size = end != NULL ? (size_t)(end - text) : strlen(text);
        if (n > 1)
            out[n++] = ',';
        out[n++] = '"';
        for (size_t i = 0; i < size; i++) {
            if (text[i] == '"' || text[i] == '\\')
                out[n++] = '\\';
            out[n++] = text[i];
        }
        out[n++] = '"';
        text += size + (end != NULL ? skip : 0);
    }
    out[n] = ']';
    return out;
}

static const char *json_versions(unsigned versions) {
    char out[16] = "[";
    size_t n = 1;
    for (unsigned v = 1; v <= 4; v++) {
        if (versions & (1u << v))
            n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%u", n > 1 ? "," : "", v);
    }
    return cli_join(out, "]", "");
}

static struct ice_value text_value(enum ice_value_kind kind, const char *text) {
    return (struct ice_value){.kind = kind, .str = {text, strlen(text)}};
}

enum ice_status cli_rule_row(const struct ice_rule *rule, bool is_brief,
                             ice_row_fn on_row, void *user) {
    static const struct ice_column brief[] = {{"id", ICE_VALUE_STR},
                                              {"severity", ICE_VALUE_STR},
                                              {"versions", ICE_VALUE_STR},
                                              {"needs", ICE_VALUE_STR},
                                              {"message", ICE_VALUE_STR}};
    static const struct ice_column all[] = {
        {"id", ICE_VALUE_STR},          {"severity", ICE_VALUE_STR},
        {"demoted", ICE_VALUE_BOOL},    {"versions", ICE_VALUE_JSON},
        {"needs", ICE_VALUE_JSON},      {"spec", ICE_VALUE_STR},
        {"message", ICE_VALUE_STR},     {"why", ICE_VALUE_STR},
        {"refused_by", ICE_VALUE_JSON}, {"fix", ICE_VALUE_STR},
        {"status", ICE_VALUE_STR},      {"group", ICE_VALUE_STR},
    };
    if (rule == NULL)
        return on_row(is_brief ? brief : all, NULL,
                      is_brief ? sizeof(brief) / sizeof(brief[0])
                               : sizeof(all) / sizeof(all[0]),
                      user);
    char versions[32], needs[96];
    cli_versions_text(rule->versions, versions);
    cli_needs_text(rule->needs, needs);
    const char *severity = ice_severity_name(rule->severity);
    if (is_brief) {
        const struct ice_value values[] = {
            text_value(ICE_VALUE_STR, rule->name), text_value(ICE_VALUE_STR, severity),
            text_value(ICE_VALUE_STR, versions), text_value(ICE_VALUE_STR, needs),
            text_value(ICE_VALUE_STR, rule->message)};
        return on_row(brief, values, sizeof(values) / sizeof(values[0]), user);
    }
    const char *title = ice_rule_group_title(rule->group);
    const struct ice_value values[] = {
        text_value(ICE_VALUE_STR, rule->name),
        text_value(ICE_VALUE_STR, severity),
        {.kind = ICE_VALUE_BOOL, .i64 = rule->demoted},
        text_value(ICE_VALUE_JSON, json_versions(rule->versions)),
        text_value(ICE_VALUE_JSON, json_array(needs, ",")),
        text_value(ICE_VALUE_STR, rule->spec),
        text_value(ICE_VALUE_STR, rule->message),
        text_value(ICE_VALUE_STR, rule->why),
        text_value(ICE_VALUE_JSON, json_array(rule->refused_by, "; ")),
        text_value(ICE_VALUE_STR, rule->fix),
        text_value(ICE_VALUE_STR, cli_status_text(rule->status)),
        text_value(ICE_VALUE_STR, title != NULL ? title : ""),
    };
    return on_row(all, values, sizeof(values) / sizeof(values[0]), user);
}
