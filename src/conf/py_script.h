/*
 * Calls of a Python script that configure Spark, hand it SQL, or belong to a Glue job,
 * with the texts that they are given. Nothing is run: a value that is not written down in
 * the script is a hole.
 */
#ifndef ICE_CONF_PY_SCRIPT_H
#define ICE_CONF_PY_SCRIPT_H

#include "base/run.h"
#include "conf/py_text.h"

enum ice_py_role {
    ICE_PY_NO_ROLE,
    ICE_PY_CONF_SET, /* spark.conf.set: of a session that runs */
    ICE_PY_BUILDER,  /* SparkConf().set, .config: of a session to be */
    ICE_PY_SET_ALL,  /* setAll([...]) */
    ICE_PY_PAIR,     /* a tuple inside of setAll */
    ICE_PY_SQL,      /* .sql(...) */
    ICE_PY_OPTIONS,  /* getResolvedOptions(sys.argv, [...]) */
    ICE_PY_JOB,      /* Job(...) */
    ICE_PY_INIT,     /* .init(...) */
    ICE_PY_COMMIT,   /* .commit() */
    ICE_PY_TABLE,    /* .table, of Spark or of anything else */
    ICE_PY_WRITES,   /* toTable, writeTo, saveAsTable, insertInto: Spark's own words */
    ICE_PY_REFRESH,  /* refreshTable, refresh, invalidate... */
};

struct ice_py_arg {
    struct ice_str keyword;  /* may be empty */
    struct ice_py_text text; /* is_text: literals, and holes between them */
    struct ice_str variable; /* a lone name; else empty */
    size_t offset;
    size_t position; /* among the arguments, from 0 */
    bool is_text;
    bool is_item; /* an element of a list that is the argument */
    struct ice_py_arg *next;
};

struct ice_py_call {
    enum ice_py_role role;
    size_t offset; /* of its name */
    struct ice_py_arg *first, *last;
    struct ice_py_call *next;
};

/* name = "literal": what .sql(name) is given later. */
struct ice_py_assignment {
    struct ice_str name;
    struct ice_py_text text;
    size_t offset;
    struct ice_py_assignment *previous;
};

struct ice_py_magic {
    struct ice_str text; /* the line, from % or ! */
    size_t offset;
    struct ice_py_magic *next;
};

/* All of it lives in the arena. */
struct ice_py_script {
    struct ice_py_call *first, *last;
    struct ice_py_magic *magics, *last_magic;
    bool is_glue;         /* names awsglue */
    size_t stream_offset; /* readStream, writeStream, foreachBatch; SIZE_MAX: none */
};

/* ICE_ENOMEM. */
enum ice_status ice_py_script_read(struct ice_py_script *out, struct ice_str text,
                                   struct ice_arena *arena) ICE_MUST_USE;

/* The argument at that position that is no element of a list, or that keyword; NULL:
 * there is none, or it is neither text nor a name. */
const struct ice_py_arg *ice_py_arg_at(const struct ice_py_call *call, size_t position);
/* Its text as a setting's key or value: ICE_STR_NONE unless it is all literal. */
struct ice_str ice_py_literal(const struct ice_py_arg *arg);

#endif
