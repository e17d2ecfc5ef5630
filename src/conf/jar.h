/*
 * Names of jars: Maven coordinates, file names, paths.
 */
#ifndef ICE_CONF_JAR_H
#define ICE_CONF_JAR_H

#include "base/str.h"

enum ice_conf_artifact {
    ICE_CONF_JAR_OTHER,
    ICE_CONF_JAR_RUNTIME,    /* iceberg-spark-runtime, of any Spark */
    ICE_CONF_JAR_AWS_BUNDLE, /* iceberg-aws-bundle */
    ICE_CONF_JAR_AWS_SDK,    /* of software.amazon.awssdk: its bundle, or a client */
    ICE_CONF_JAR_OTHER_ICEBERG,
};

/* Views into the text that was parsed; empty where the text does not say. */
struct ice_conf_jar {
    struct ice_str group, artifact, version;
    struct ice_str spark, scala; /* of a runtime: "3.5", "2.12" */
    enum ice_conf_artifact kind;
};

/*
 * One entry of a list of packages or jars: "group:artifact:version",
 * "iceberg-spark-runtime-3.5_2.12-1.7.1.jar", or a path or URI that ends in such a name.
 * false if it is neither: then *out is all-zero.
 */
bool ice_conf_jar_parse(struct ice_str text, struct ice_conf_jar *out);

/*
 * The next entry of a list, without the blanks around it; false at the end. separator:
 * ',' of a list of jars, ':' of a class path. *at begins at 0. Empty entries are left
 * out.
 */
bool ice_conf_jar_next(struct ice_str list, char separator, size_t *at,
                       struct ice_str *out);

#endif
