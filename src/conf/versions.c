/*
 * Version numbers and the tables of what runs with what.
 */
#include "conf/versions.h"

static const struct ice_conf_runtime glue[] = {
#define ICE_GLUE(version, spark, scala, iceberg) {version, spark, scala, NULL, iceberg},
#include "conf/glue_versions.def"
#undef ICE_GLUE
};

static const struct ice_conf_runtime databricks[] = {
#define ICE_DATABRICKS(version, spark, scala, scala_too)                                 \
    {version, spark, scala, scala_too, NULL},
#include "conf/databricks_versions.def"
#undef ICE_DATABRICKS
};

static const char *const releases[] = {
#define ICE_ICEBERG_RELEASE(version) version,
#include "conf/iceberg_releases.def"
#undef ICE_ICEBERG_RELEASE
};
enum { N_RELEASES = sizeof(releases) / sizeof(releases[0]) };

static const struct spark_module {
    const char *spark, *scala, *first, *last;
} modules[] = {
#define ICE_SPARK_MODULE(spark, scala, first, last) {spark, scala, first, last},
#include "conf/spark_modules.def"
#undef ICE_SPARK_MODULE
};
enum { N_MODULES = sizeof(modules) / sizeof(modules[0]) };

static bool is_digit(struct ice_str text, size_t at) {
    return at < text.size && text.data[at] >= '0' && text.data[at] <= '9';
}

bool ice_conf_version_parse(struct ice_str text, struct ice_conf_version *out) {
    struct ice_conf_version version = {0};
    *out = version;
    size_t at = 0;
    while (version.n_parts < 3 && is_digit(text, at)) {
        uint64_t number = 0;
        for (; is_digit(text, at); at++) {
            number = number * 10 + (uint64_t)(text.data[at] - '0');
            if (number > UINT32_MAX)
                return false;
        }
        version.part[version.n_parts++] = (uint32_t)number;
        if (version.n_parts < 3 && at < text.size && text.data[at] == '.' &&
            is_digit(text, at + 1))
            at++;
        else
            break;
    }
    if (version.n_parts == 0)
        return false;
    version.suffix = ice_str_from_index(text, at);
    *out = version;
    return true;
}

int ice_conf_version_compare(const struct ice_conf_version *a,
                             const struct ice_conf_version *b) {
    for (size_t i = 0; i < 3; i++) {
        if (a->part[i] != b->part[i])
            return a->part[i] < b->part[i] ? -1 : 1;
    }
    return 0;
}

int ice_conf_version_against(const struct ice_conf_version *a, const char *b) {
    struct ice_conf_version known = {0};
    (void)ice_conf_version_parse(ice_str_from(b), &known); /* our own text */
    return ice_conf_version_compare(a, &known);
}

bool ice_conf_version_same_minor(const struct ice_conf_version *a, const char *b) {
    struct ice_conf_version known = {0};
    (void)ice_conf_version_parse(ice_str_from(b), &known);
    return a->part[0] == known.part[0] && a->part[1] == known.part[1];
}

static const struct ice_conf_runtime *find(const struct ice_conf_runtime *rows, size_t n,
                                           struct ice_str text) {
    struct ice_conf_version version;
    if (!ice_conf_version_parse(text, &version) || version.n_parts < 2)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (ice_conf_version_same_minor(&version, rows[i].version))
            return &rows[i];
    }
    return NULL;
}

const struct ice_conf_runtime *ice_conf_glue(struct ice_str version) {
    return find(glue, sizeof(glue) / sizeof(glue[0]), version);
}

const struct ice_conf_runtime *ice_conf_databricks(struct ice_str version) {
    return find(databricks, sizeof(databricks) / sizeof(databricks[0]), version);
}

bool ice_conf_databricks_key(struct ice_str spark_version, struct ice_str *out_version,
                             struct ice_str *out_scala) {
    const struct ice_str mark = ICE_STR("-scala");
    struct ice_conf_version number, scala;
    *out_version = *out_scala = ICE_STR_NONE;
    if (!ice_conf_version_parse(spark_version, &number) || number.n_parts != 2 ||
        !ice_str_starts(number.suffix, ICE_STR(".x-")))
        return false;
    size_t dash = ice_str_rfind(spark_version, '-');
    struct ice_str tail = ice_str_from_index(spark_version, dash);
    if (!ice_str_starts(tail, mark))
        return false;
    struct ice_str text = ice_str_from_index(tail, mark.size);
    if (!ice_conf_version_parse(text, &scala) || scala.n_parts != 2 ||
        scala.suffix.size > 0)
        return false;
    *out_version = ice_str_first(spark_version, spark_version.size - number.suffix.size);
    *out_scala = text;
    return true;
}

enum ice_conf_released ice_conf_iceberg_version(struct ice_str text) {
    struct ice_conf_version version;
    if (!ice_conf_version_parse(text, &version) || version.suffix.size > 0)
        return ICE_CONF_NOT_KNOWN;
    if (version.n_parts < 3) /* "1.7": a line of releases, not one */
        return ICE_CONF_NOT_RELEASED;
    if (ice_conf_version_against(&version, releases[0]) < 0)
        return ICE_CONF_NOT_KNOWN;
    /* a patch may follow on any line after this table was made */
    bool may_follow = ice_conf_version_against(&version, releases[N_RELEASES - 1]) > 0;
    for (size_t i = 0; i < N_RELEASES; i++) {
        int order = ice_conf_version_against(&version, releases[i]);
        if (order == 0)
            return ICE_CONF_RELEASED;
        if (order > 0 && ice_conf_version_same_minor(&version, releases[i]))
            may_follow = true;
    }
    return may_follow ? ICE_CONF_NOT_KNOWN : ICE_CONF_NOT_RELEASED;
}

/* The module's own range holds the version. */
static bool in_range(const struct spark_module *module,
                     const struct ice_conf_version *version) {
    return ice_conf_version_against(version, module->first) >= 0 &&
           (module->last == NULL ||
            ice_conf_version_against(version, module->last) <= 0 ||
            ice_conf_version_same_minor(version, module->last));
}

enum ice_conf_released ice_conf_iceberg_released(struct ice_str spark,
                                                 struct ice_str scala,
                                                 struct ice_str text) {
    enum ice_conf_released released = ice_conf_iceberg_version(text);
    struct ice_conf_version version, wanted;
    if (!ice_conf_version_parse(text, &version) ||
        !ice_conf_version_parse(spark, &wanted) || version.suffix.size > 0)
        return ICE_CONF_NOT_KNOWN;
    if (ice_conf_version_against(&wanted, modules[N_MODULES - 1].spark) > 0)
        return ICE_CONF_NOT_KNOWN;
    bool spark_known = false;
    for (size_t i = 0; i < N_MODULES; i++) {
        if (!ice_str_is(spark, modules[i].spark))
            continue;
        spark_known = true;
        if (!ice_str_is(scala, modules[i].scala))
            continue;
        return in_range(&modules[i], &version) ? released : ICE_CONF_NOT_RELEASED;
    }
    if (spark_known) /* never with that Scala; a newer one might be added yet */
        return ice_str_is(scala, "2.11") || ice_str_is(scala, "2.12")
                   ? ICE_CONF_NOT_RELEASED
                   : ICE_CONF_NOT_KNOWN;
    return ICE_CONF_NOT_KNOWN;
}
