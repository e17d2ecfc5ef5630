/*
 * The words of lines, as passes write them, against what the catalogue says that a rule
 * needs. A pattern stands for the rules that it matches; what lies below a file that was
 * not opened is covered with it.
 */
#include "rule/coverage.h"

#include "base/compiler.h"
#include "base/str.h"

#include <string.h>

enum {
    OF_MANIFESTS = ICE_NEEDS_MANIFEST | ICE_NEEDS_FILES | ICE_NEEDS_PUFFIN,
    OF_LISTS = ICE_NEEDS_LIST | OF_MANIFESTS,
    OF_TABLE = OF_LISTS | ICE_NEEDS_METADATA | ICE_NEEDS_STORAGE | ICE_NEEDS_CATALOG |
               ICE_NEEDS_HISTORY
};

/* What is said of any file that is read: the rule needs one of the kinds, not all. */
static bool is_of_any_file(const struct ice_rule *rule) {
    return ice_rule_matches("avro.*", rule->name) ||
           ice_rule_matches("limit.*", rule->name) ||
           ice_rule_matches("source.*", rule->name);
}

/* What is seen before the metadata file has been read to its end. */
static bool is_seen_early(const struct ice_rule *rule) {
    return is_of_any_file(rule) || ice_rule_matches("json.*", rule->name) ||
           ice_rule_matches("hint.*", rule->name);
}

/* None of the files of these kinds was looked at. */
static enum ice_coverage covers_kinds(const struct ice_rule *rule, unsigned kinds) {
    if ((rule->needs & kinds) == 0)
        return ICE_COVERS_NOTHING;
    return is_of_any_file(rule) && (rule->needs & ~kinds) != 0 ? ICE_COVERS_PART
                                                               : ICE_COVERS_ALL;
}

static enum ice_coverage covers_table(const struct ice_not_evaluated *line,
                                      const struct ice_rule *rule) {
    if ((rule->needs & OF_TABLE) == 0)
        return ICE_COVERS_NOTHING;
    bool is_lone_file = !line->asked && line->file.size == 0; /* which was read */
    return is_lone_file ? ICE_COVERS_PART : ICE_COVERS_ALL;
}

static enum ice_coverage covers_pattern(const struct ice_not_evaluated *line,
                                        const struct ice_rule *rule) {
    char pattern[96];
    struct ice_str what = line->what;
    if (what.size == 0 || what.size >= sizeof(pattern))
        return ICE_COVERS_NOTHING;
    memcpy(pattern, what.data, what.size);
    pattern[what.size] = '\0';
    if (!ice_rule_matches(pattern, rule->name))
        return ICE_COVERS_NOTHING;
    /* that a list or a manifest is gone shows without a listing, too */
    if (ice_str_is(what, "storage.*") && !line->asked && !ice_rule_needs_listing(rule))
        return ICE_COVERS_NOTHING;
    /* one of several files */
    bool is_of_file = ice_str_is(what, "history.*") || ice_str_is(what, "puffin.*");
    return is_of_file && line->file.size > 0 ? ICE_COVERS_PART : ICE_COVERS_ALL;
}

/* The kinds of file that a line about one of them, or about a snapshot, is about. */
static unsigned kinds_of_part(struct ice_str what) {
    static const struct {
        const char *what;
        unsigned kinds;
    } parts[] = {
        {"manifest list", OF_LISTS},
        {"manifest", OF_MANIFESTS},
        {"Puffin file", ICE_NEEDS_PUFFIN},
        {"other snapshots", OF_TABLE},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(parts); i++) {
        if (ice_str_is(what, parts[i].what))
            return parts[i].kinds;
    }
    return 0;
}

enum ice_coverage ice_line_covers(const struct ice_not_evaluated *line,
                                  const struct ice_rule *rule) {
    struct ice_str what = line->what;
    if (ice_str_is(what, "table"))
        return covers_table(line, rule);
    if (ice_str_is(what, "metadata")) /* and all that it leads to */
        return (rule->needs & OF_TABLE) == 0 ? ICE_COVERS_NOTHING
               : is_seen_early(rule)         ? ICE_COVERS_PART
                                             : ICE_COVERS_ALL;
    if (ice_str_is(what, "list.*") || ice_str_is(what, "--snapshot"))
        return covers_kinds(rule, OF_LISTS);
    if (ice_str_is(what, "manifest.*"))
        return covers_kinds(rule, OF_MANIFESTS);
    unsigned part = kinds_of_part(what);
    if (part != 0)
        return (rule->needs & part) != 0 ? ICE_COVERS_PART : ICE_COVERS_NOTHING;
    return covers_pattern(line, rule);
}

const struct ice_not_evaluated *ice_line_over(const struct ice_not_evaluated *lines,
                                              size_t n, const struct ice_rule *rule,
                                              enum ice_coverage least) {
    for (size_t i = 0; i < n; i++) {
        if (ice_line_covers(&lines[i], rule) >= least)
            return &lines[i];
    }
    return NULL;
}

struct ice_asked ice_asked_of(const struct ice_options *options) {
    if (options == NULL)
        return (struct ice_asked){0};
    return (struct ice_asked){.has_pointers =
                                  options->n_pointers > 0 || options->catalog != NULL,
                              .has_max_age = options->has_max_age};
}

const char *ice_rule_not_asked(const struct ice_rule *rule,
                               const struct ice_summary *summary,
                               const struct ice_asked *asked) {
    if ((rule->needs & ICE_NEEDS_PUFFIN) != 0 &&
        (summary->depth == NULL || strcmp(summary->depth, "puffin") != 0))
        return "Puffin files are opened with --depth puffin";
    if (strcmp(rule->name, "avro.second-opinion") == 0)
        return summary->has_opinions ? NULL : "no --second-opinion was given";
    if (strcmp(rule->name, "catalog.pointer.freshness") == 0)
        return asked->has_max_age ? NULL : "no --max-age was given";
    if (ice_rule_matches("catalog.*", rule->name) && !asked->has_pointers)
        return "no --pointer was given";
    return NULL;
}

const char *ice_rule_has_nothing(const struct ice_rule *rule,
                                 const struct ice_summary *summary) {
    const unsigned of_metadata = ICE_NEEDS_METADATA | ICE_NEEDS_FILES |
                                 ICE_NEEDS_STORAGE | ICE_NEEDS_CATALOG |
                                 ICE_NEEDS_HISTORY;
    bool has_metadata = summary->n_metadata_files > 0, has_lists = summary->n_lists > 0,
         has_manifests = summary->n_manifests > 0;
    unsigned read =
        (has_metadata ? of_metadata : 0U) | (has_lists ? ICE_NEEDS_LIST : 0U) |
        (has_manifests ? ICE_NEEDS_MANIFEST : 0U) | ICE_NEEDS_PUFFIN | ICE_NEEDS_CONF;
    if ((rule->needs & ~read) == 0 || (is_of_any_file(rule) && (rule->needs & read) != 0))
        return NULL;
    return (rule->needs & of_metadata & ~read) != 0      ? "no metadata.json was read"
           : (rule->needs & ICE_NEEDS_LIST & ~read) != 0 ? "no manifest list was read"
                                                         : "no manifest was read";
}
