/*
 * One setup: all files of a call of lint-conf, what each was taken for, and the facts
 * drawn from them: sessions (a configuration that one Spark session sees), their catalogs
 * and libraries. Rules read it and report through CONF_FOUND.
 *
 * Order of a run: all inputs are read (input.c), facts are drawn (facts_*.c), catalogs
 * are seen in them (catalogs.c), then the rules run group by group in the order of the
 * report (lint.c). Nothing is run and nothing is called.
 */
#ifndef ICE_CONF_CONF_H
#define ICE_CONF_CONF_H

#include "base/hash.h"
#include "conf/jar.h"
#include "conf/tree.h"
#include "conf/versions.h"
#include "inputs/pointer.h"
#include "rule/summary_box.h"

/* What an input is, by its bytes and its name. */
enum ice_conf_kind {
    ICE_CONF_UNKNOWN,
    ICE_CONF_PROPERTIES,  /* spark-defaults.conf, a Databricks "Spark config" box */
    ICE_CONF_GLUE_JOB,    /* get-job, get-jobs, input of create-job */
    ICE_CONF_CLUSTER,     /* Databricks cluster, job or pipeline */
    ICE_CONF_LIBRARIES,   /* Databricks library status */
    ICE_CONF_EVENT_LOG,   /* Spark event log: what really arrived */
    ICE_CONF_ENVIRONMENT, /* the same from the History Server */
    ICE_CONF_SUBMIT,      /* spark-submit line or a shell file with one */
    ICE_CONF_PYTHON,
    ICE_CONF_NOTEBOOK, /* .ipynb; Databricks source files are PYTHON */
    ICE_CONF_SQL,
    ICE_CONF_POLICY,   /* IAM or Glue resource policy */
    ICE_CONF_POINTERS, /* an export of a catalog, as of src/inputs */
    ICE_CONF_METADATA, /* a metadata.json */
    ICE_CONF_LOG, /* the log of a reader, as of src/inputs; only its reads are kept */
    ICE_CONF_KINDS
};
/* "Glue job", "Spark event log" ..., without an article. */
const char *ice_conf_kind_name(enum ice_conf_kind kind);

struct ice_conf_cell;

struct ice_conf_input {
    struct ice_str name; /* as given; "-" for standard input */
    enum ice_conf_kind kind;
    /* The file, inflated; of an event log only the line with its newest environment. */
    struct ice_str bytes;
    uint64_t first_offset;      /* of bytes in the file */
    uint32_t first_line;        /* of bytes in the file, from 1 */
    struct ice_conf_node *root; /* JSON kinds; else NULL */
    uint32_t *lines;            /* offsets in bytes at which lines begin */
    size_t n_lines;
    struct ice_conf_cell *cells; /* PYTHON, NOTEBOOK, SQL: see script_cells.h */
};

/* A byte of an input. node: the JSON value it belongs to, or NULL. */
struct ice_conf_at {
    const struct ice_conf_input *input;
    uint64_t offset; /* in input->bytes */
    const struct ice_conf_node *node;
};
struct ice_conf_at ice_conf_at_node(const struct ice_conf_input *input,
                                    const struct ice_conf_node *node); /* its value */
struct ice_conf_at ice_conf_at_offset(const struct ice_conf_input *input,
                                      uint64_t offset);

struct ice_conf_pair {
    struct ice_str key, value;
    struct ice_conf_at at;       /* of the key */
    struct ice_conf_at value_at; /* of the value */
    bool is_hidden; /* present, but its value is not known: redacted, or a variable */
    /* judged pairs of a run: where the same setting was declared, or NULL */
    const struct ice_conf_pair *declared;
};

/* A jar, wherever it was named. */
struct ice_conf_library {
    struct ice_str text;     /* as written */
    struct ice_conf_jar jar; /* all-zero if it is no name of a jar */
    struct ice_conf_at at;
    struct ice_str status; /* library status: "INSTALLED", "FAILED"; else empty */
    bool is_on_classpath;  /* what really arrived */
};

enum ice_conf_platform {
    ICE_CONF_ANY_SPARK,
    ICE_CONF_GLUE,
    ICE_CONF_DATABRICKS,
    ICE_CONF_EMR,
};

enum ice_conf_session_kind {
    ICE_CONF_DECLARED, /* one spark-submit with the properties files, or these alone */
    ICE_CONF_JOB,      /* one Glue job */
    ICE_CONF_COMPUTE,  /* one Databricks cluster, or a new_cluster of a job */
    ICE_CONF_ARRIVED,  /* event log or History Server */
};

/* What one Spark session is configured with. */
struct ice_conf_session {
    enum ice_conf_session_kind kind;
    enum ice_conf_platform platform;
    /*
     * Rules of configuration look at this one. False where a session that ARRIVED was
     * given too: that decides, and this one explains.
     */
    bool is_judged;
    const struct ice_conf_input *input; /* the first that told of it */
    const struct ice_conf_node *node;   /* the job, the cluster; else NULL */
    struct ice_str name;                /* of the job or cluster; may be empty */
    struct ice_conf_pair *pairs;        /* in the order of reading: the last one counts */
    size_t n_pairs, cap_pairs;
    struct ice_conf_library *libraries;
    size_t n_libraries, cap_libraries;
    /* All jars were listed: that one is not among them means that it is not there. What
     * settings name is no such list: an image may bring more. */
    bool knows_libraries;
    /* Versions, empty where not known. runtime: of Databricks ("15.4"), or of Glue. */
    struct ice_str spark, scala, runtime;
    struct ice_conf_at runtime_at; /* of a command: its program */
    /* A command: a reference whose value is not known and that may hold options, so that
     * the session is not judged; empty: none. */
    struct ice_str hidden;
    /* Of Iceberg: from the runtime jar, else what Glue ships; empty where not known. */
    struct ice_str iceberg;
    bool is_iceberg_shipped; /* ... what Glue ships */
};

/* How a catalog keeps its tables: by type or catalog-impl. */
enum ice_conf_catalog_kind {
    ICE_CONF_CATALOG_OTHER, /* not known, or no catalog of Iceberg */
    ICE_CONF_CATALOG_HIVE,
    ICE_CONF_CATALOG_HADOOP,
    ICE_CONF_CATALOG_REST,
    ICE_CONF_CATALOG_GLUE,
    ICE_CONF_CATALOG_NESSIE,
    ICE_CONF_CATALOG_JDBC,
    ICE_CONF_CATALOG_BIGQUERY,
    ICE_CONF_CATALOG_DYNAMODB,
    ICE_CONF_CATALOG_SNOWFLAKE,
};

/* Whose REST endpoint. */
enum ice_conf_endpoint {
    ICE_CONF_ENDPOINT_OTHER,
    ICE_CONF_ENDPOINT_GLUE,
    ICE_CONF_ENDPOINT_S3TABLES,
};

/* spark.sql.catalog.NAME and spark.sql.catalog.NAME.*, of one session. */
struct ice_conf_catalog {
    const struct ice_conf_session *session;
    struct ice_str name;
    const struct ice_conf_pair *definition; /* its class; NULL: not defined */
    const struct ice_conf_pair *first;      /* the first pair of it */
    const struct ice_conf_pair **pairs;     /* all of it, also the definition */
    size_t n_pairs, cap_pairs;
    bool is_iceberg;         /* its class is Iceberg's SparkCatalog ... */
    bool is_session_catalog; /* ... or SparkSessionCatalog: then is_iceberg too */
    enum ice_conf_catalog_kind kind;
    enum ice_conf_endpoint endpoint; /* of a REST catalog */
    struct ice_str region;           /* in its uri; empty if none */
    bool is_s3tables;                /* table buckets, through REST or Glue */
};

/* The last read of a table that the log of a reader tells of. */
struct ice_conf_read {
    const struct ice_conf_input *input;
    uint64_t line;        /* of the log, from 1 */
    struct ice_str table; /* as the reader calls it */
    int64_t snapshot_id;
};

/* Everything of one call. All texts live until the release. */
struct ice_conf {
    struct ice_run *run;
    struct ice_arena *arena;
    struct ice_emit *emit;
    const struct ice_conf_request *request;
    const struct ice_options *options; /* of the call: where it maps URIs to */
    struct ice_conf_input **inputs;
    size_t n_inputs, cap_inputs;
    struct ice_conf_session **sessions;
    size_t n_sessions, cap_sessions;
    /* What properties files and scripts say, and no command; NULL: nothing. Commands take
     * it over; it is among the sessions only where there are none. */
    struct ice_conf_session *declared;
    size_t n_commands;
    struct ice_table told; /* hashes of findings, where commands share their causes */
    struct ice_conf_catalog *catalogs; /* of judged sessions */
    size_t n_catalogs, cap_catalogs;
    struct ice_pointers pointers; /* entries of all exports among the inputs */
    struct ice_conf_read *reads;  /* of all logs among them */
    size_t n_reads, cap_reads;
    struct ice_str *secrets; /* values that are never shown */
    size_t n_secrets, cap_secrets;
    bool masks_all;   /* there are more of them than are kept: no text is shown */
    unsigned section; /* of the report that findings go to now; see lint.c */
};

/* ---- looking ---- */

/* The pair of a session that counts: the last one of that key; NULL: none. */
const struct ice_conf_pair *ice_conf_get(const struct ice_conf_session *session,
                                         const char *key);
/* ... of a catalog: ice_conf_catalog_get(c, "warehouse"). */
const struct ice_conf_pair *ice_conf_catalog_get(const struct ice_conf_catalog *catalog,
                                                 const char *property);
/* "warehouse" of "spark.sql.catalog.N.warehouse"; empty for all else. */
struct ice_str ice_conf_property_of(const struct ice_conf_catalog *catalog,
                                    const struct ice_conf_pair *pair);
/* The value, or ICE_STR_NONE if the pair is NULL or its value is not known. */
struct ice_str ice_conf_value(const struct ice_conf_pair *pair);
/* "true" in any case. Spark and Iceberg read everything else as false. */
bool ice_conf_is_true(const struct ice_conf_pair *pair);
/* Is there an input of that kind? */
bool ice_conf_has(const struct ice_conf *conf, enum ice_conf_kind kind);
/* Version of Iceberg known and below that: ice_conf_is_older(session, "1.5.0"). */
bool ice_conf_is_older(const struct ice_conf_session *session, const char *version);
/* ... known and not below it. */
bool ice_conf_is_at_least(const struct ice_conf_session *session, const char *version);

/* Jars are named in ways that do not tell what is in them: directories, patterns, jars of
 * one's own, init scripts. False of a run that arrived. */
bool ice_conf_may_hide_jars(const struct ice_conf_session *session);
/* A jar of Iceberg is named: who names one does not leave the rest to an image. */
bool ice_conf_names_iceberg(const struct ice_conf_session *session);
/* A jar is named like the runtime, and is none of its releases: single modules, the build
 * of a vendor, a name that was changed on its way to the cluster. */
bool ice_conf_has_other_runtime(const struct ice_conf_session *session);

/* ---- adding facts (facts_*.c); false: out of memory ---- */

struct ice_conf_session *ice_conf_new_session(struct ice_conf *conf,
                                              enum ice_conf_session_kind kind,
                                              const struct ice_conf_input *input);
/* What properties files and scripts say; made when first asked for. */
struct ice_conf_session *ice_conf_declared(struct ice_conf *conf,
                                           const struct ice_conf_input *input);
/* key and value are borrowed: they must live as long as the setup. */
bool ice_conf_add_pair(struct ice_conf *conf, struct ice_conf_session *session,
                       struct ice_str key, struct ice_str value, struct ice_conf_at at,
                       struct ice_conf_at value_at);
bool ice_conf_add_library(struct ice_conf *conf, struct ice_conf_session *session,
                          struct ice_str text, struct ice_conf_at at);
/* The jars that its settings name, behind those that are known: once, behind all pairs.
 */
bool ice_conf_see_libraries(struct ice_conf *conf, struct ice_conf_session *session);

/* ---- reporting ---- */

/*
 * CONF_FOUND(conf, ICE_RULE_X, at, args...) and CONF_FOUND_AS(conf, ICE_RULE_X, severity,
 * at, args...): FOUND, with a place in an input and with secrets masked. The only way to
 * report in this folder.
 */
#define CONF_FOUND(conf, id, at, ...)                                                    \
    CONF_FOUND_AS((conf), (id), ICE_DEFAULT, (at), __VA_ARGS__)
#define CONF_FOUND_AS(conf, id, severity, at, ...)                                       \
    ice_conf_found(                                                                      \
        (conf), (id), (severity), (at), (const struct ice_arg[]){__VA_ARGS__},           \
        sizeof((const struct ice_arg[]){__VA_ARGS__}) / sizeof(struct ice_arg))
void ice_conf_found(struct ice_conf *conf, enum ice_rule_id id,
                    enum ice_severity severity, struct ice_conf_at at,
                    const struct ice_arg *args, size_t n_args);
/* Where to change a setting: where it was declared if that is known, else where it was
 * read. */
struct ice_conf_at ice_conf_at_pair(const struct ice_conf_pair *pair);
struct ice_conf_at ice_conf_at_value(const struct ice_conf_pair *pair);
/* Where to add a property: the catalog's definition, else its first pair. */
struct ice_conf_at ice_conf_at_catalog(const struct ice_conf_catalog *catalog);
/* Its line in the file, from 1. */
uint32_t ice_conf_line(struct ice_conf_at at);
/* The start of an input. */
struct ice_conf_at ice_conf_at_start(const struct ice_conf_input *input);

/* A rule or family that did not run because no input says what it needs. */
void ice_conf_not_checked(struct ice_conf *conf, const char *what, const char *why);

/* Key whose values are never shown. */
bool ice_conf_is_secret_key(struct ice_str key);
/* text with every secret masked, in the arena; text itself where there is none. */
struct ice_str ice_conf_masked(struct ice_conf *conf, struct ice_str text);

/* ---- the rules, one file a group of the catalogue ---- */

void ice_conf_rules_jar(struct ice_conf *conf);
void ice_conf_rules_catalog(struct ice_conf *conf);
void ice_conf_rules_iam(struct ice_conf *conf);
void ice_conf_rules_warehouse(struct ice_conf *conf);
void ice_conf_rules_rest(struct ice_conf *conf);
void ice_conf_rules_glue(struct ice_conf *conf);
void ice_conf_rules_script(struct ice_conf *conf);
void ice_conf_rules_cache(struct ice_conf *conf);
/* ... of which, in a file of its own: reads that logs tell of. */
void ice_conf_check_reads(struct ice_conf *conf);
void ice_conf_rules_databricks(struct ice_conf *conf);

#endif
