/*
 * Artifact, version, Spark and Scala from the name of a jar.
 */
#include "conf/jar.h"
#include "base/chars.h"

#include "conf/versions.h"

static const struct ice_str runtime = {"iceberg-spark-runtime", 21};

/* "-3.5_2.12" behind the name of the runtime. */
static void take_suffix(struct ice_str suffix, struct ice_conf_jar *jar) {
    struct ice_conf_version number;
    size_t bar = ice_str_find(suffix, '_');
    if (bar == SIZE_MAX || suffix.data[0] != '-')
        return;
    struct ice_str spark = ice_str_first(ice_str_from_index(suffix, 1), bar - 1);
    struct ice_str scala = ice_str_from_index(suffix, bar + 1);
    if (!ice_conf_version_parse(spark, &number) || number.suffix.size > 0 ||
        !ice_conf_version_parse(scala, &number) || number.suffix.size > 0)
        return;
    jar->spark = spark;
    jar->scala = scala;
}

/* Ivy, which resolves packages for Spark, calls a file GROUP_ARTIFACT-VERSION.jar. */
static struct ice_str group_in_name(struct ice_str *name) {
    static const char *const groups[] = {"org.apache.iceberg", "software.amazon.awssdk"};
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        struct ice_str group = ice_str_from(groups[i]);
        if (!ice_str_starts(*name, group) || name->size < group.size + 2 ||
            name->data[group.size] != '_')
            continue;
        *name = ice_str_from_index(*name, group.size + 1);
        return group;
    }
    return ICE_STR_NONE;
}

/*
 * The bundle, or a client that Iceberg can do with instead (its docs/aws.md: Glue, S3,
 * DynamoDB, KMS, STS). Modules that only speak HTTP are no client of a service; without a
 * group, names as short as these tell only together with a version 2.
 */
static bool is_aws_sdk(struct ice_str group, struct ice_str name,
                       struct ice_str version) {
    static const char *const clients[] = {"bundle", "glue", "s3",      "dynamodb",
                                          "kms",    "sts",  "s3tables"};
    if (ice_str_is(group, "software.amazon.awssdk"))
        return !ice_str_ends(name, ICE_STR("-client"));
    for (size_t i = 0; group.size == 0 && i < sizeof(clients) / sizeof(clients[0]); i++) {
        if (ice_str_is(name, clients[i]) && ice_str_starts(version, ICE_STR("2.")))
            return true;
    }
    return false;
}

static void classify(struct ice_conf_jar *jar) {
    struct ice_str group = jar->group;
    if (group.size == 0)
        group = group_in_name(&jar->artifact);
    bool ours = group.size == 0 || ice_str_is(group, "org.apache.iceberg");
    struct ice_str name = jar->artifact;
    if (ours && ice_str_starts(name, runtime)) {
        jar->kind = ICE_CONF_JAR_RUNTIME;
        if (name.size > runtime.size)
            take_suffix(ice_str_from_index(name, runtime.size), jar);
    } else if (ours && ice_str_is(name, "iceberg-spark3-runtime")) {
        jar->kind = ICE_CONF_JAR_RUNTIME;
    } else if (ours && ice_str_is(name, "iceberg-aws-bundle")) {
        jar->kind = ICE_CONF_JAR_AWS_BUNDLE;
    } else if (ours && ice_str_starts(name, ICE_STR("iceberg-"))) {
        jar->kind = ICE_CONF_JAR_OTHER_ICEBERG;
    } else if (is_aws_sdk(group, name, jar->version)) {
        jar->kind = ICE_CONF_JAR_AWS_SDK;
    }
}

/* group:artifact:version[:more] */
static bool coordinates(struct ice_str text, struct ice_conf_jar *jar) {
    size_t first = ice_str_find(text, ':');
    if (first == SIZE_MAX || first == 0)
        return false;
    struct ice_str rest = ice_str_from_index(text, first + 1);
    size_t second = ice_str_find(rest, ':');
    if (second == SIZE_MAX || second == 0)
        return false;
    struct ice_str tail = ice_str_from_index(rest, second + 1);
    jar->group = ice_str_first(text, first);
    jar->artifact = ice_str_first(rest, second);
    jar->version = ice_str_first(tail, ice_str_find(tail, ':'));
    return true;
}

/* name-1.7.1.jar; the version begins behind the last dash in front of a digit that no '_'
 * follows, so that "-3.5_2.12" stays with the name. */
static bool file_name(struct ice_str text, struct ice_conf_jar *jar) {
    size_t slash = ice_str_rfind(text, '/');
    if (slash != SIZE_MAX)
        text = ice_str_from_index(text, slash + 1);
    const struct ice_str ending = ICE_STR(".jar");
    if (!ice_str_ends(text, ending) || text.size == ending.size)
        return false;
    text = ice_str_first(text, text.size - ending.size);
    size_t bar = ice_str_rfind(text, '_');
    jar->artifact = text;
    for (size_t i = bar == SIZE_MAX ? 1 : bar + 1; i + 1 < text.size; i++) {
        if (text.data[i] == '-' && text.data[i + 1] >= '0' && text.data[i + 1] <= '9') {
            jar->artifact = ice_str_first(text, i);
            jar->version = ice_str_from_index(text, i + 1);
            break;
        }
    }
    return true;
}

bool ice_conf_jar_parse(struct ice_str text, struct ice_conf_jar *out) {
    struct ice_conf_jar jar = {0};
    *out = jar;
    /* what has a slash is a path, even with colons in it */
    bool is_path = ice_str_find(text, '/') != SIZE_MAX;
    if (is_path ? !file_name(text, &jar)
                : !coordinates(text, &jar) && !file_name(text, &jar))
        return false;
    classify(&jar);
    *out = jar;
    return true;
}

bool ice_conf_jar_next(struct ice_str list, char separator, size_t *at,
                       struct ice_str *out) {
    while (*at < list.size) {
        struct ice_str rest = ice_str_from_index(list, *at);
        struct ice_str item = ice_str_first(rest, ice_str_find(rest, separator));
        *at += item.size < rest.size ? item.size + 1 : rest.size;
        while (item.size > 0 && ice_is_blank(item.data[0]))
            item = ice_str_from_index(item, 1);
        while (item.size > 0 && ice_is_blank(item.data[item.size - 1]))
            item.size--;
        if (item.size > 0) {
            *out = item;
            return true;
        }
    }
    return false;
}
