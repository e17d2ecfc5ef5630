/*
 * Versions of what runs Iceberg, and what fits what: tables of facts, and look-ups that
 * say "not known" about anything newer than the tables.
 */
#ifndef ICE_CONF_VERSIONS_H
#define ICE_CONF_VERSIONS_H

#include "base/str.h"

/* "1.7.1" is {1, 7, 1} of 3 parts; a part that was not written is 0. suffix is what
 * follows the digits ("-amzn-0", ".x"), a view into the text. */
struct ice_conf_version {
    uint32_t part[3];
    unsigned n_parts;
    struct ice_str suffix;
};

/* false if text does not begin with digits or a part is beyond 32 bits. */
bool ice_conf_version_parse(struct ice_str text, struct ice_conf_version *out);
/* By the numbers only; <0, 0, >0. */
int ice_conf_version_compare(const struct ice_conf_version *a,
                             const struct ice_conf_version *b);
/* The same for a version in our own tables ("1.5.0"). */
int ice_conf_version_against(const struct ice_conf_version *a, const char *b);
/* Same first two numbers. */
bool ice_conf_version_same_minor(const struct ice_conf_version *a, const char *b);

/* Runtimes that bring Spark along. Texts are NULL where not known. */
struct ice_conf_runtime {
    const char *version; /* "5.0" of Glue, "16.4" of Databricks */
    const char *spark, *scala;
    const char *scala_too; /* second image of the same runtime, or NULL */
    const char *iceberg;   /* shipped with it, or NULL */
};

/* The row of a version, compared by its first two numbers; NULL: not known. */
const struct ice_conf_runtime *ice_conf_glue(struct ice_str version);
const struct ice_conf_runtime *ice_conf_databricks(struct ice_str version);

/*
 * Databricks spells its runtimes "16.4.x-scala2.12", "15.4.x-photon-scala2.12",
 * "14.3.x-cpu-ml-scala2.12". *out_version is the number ("16.4"), *out_scala "2.12";
 * false for any other spelling.
 */
bool ice_conf_databricks_key(struct ice_str spark_version, struct ice_str *out_version,
                             struct ice_str *out_scala);

/* Was an Iceberg runtime for this Spark and Scala ever released at that version? */
enum ice_conf_released {
    ICE_CONF_RELEASED,
    ICE_CONF_NOT_RELEASED,
    ICE_CONF_NOT_KNOWN, /* newer than the tables, or a build of somebody else */
};
enum ice_conf_released ice_conf_iceberg_released(struct ice_str spark,
                                                 struct ice_str scala,
                                                 struct ice_str version);
/* Is that a released version of Iceberg at all? */
enum ice_conf_released ice_conf_iceberg_version(struct ice_str version);

#endif
