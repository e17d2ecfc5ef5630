/*
 * What a text of Spark SQL names: tables, views, namespaces and procedures where the
 * grammar wants one, and tables that it creates. Pulled one by one, without memory.
 */
#ifndef ICE_CONF_SQL_TEXT_H
#define ICE_CONF_SQL_TEXT_H

#include "conf/sql_lexer.h"

enum ice_sql_event_kind {
    ICE_SQL_DONE,
    ICE_SQL_NAME,
    ICE_SQL_CREATES, /* behind all names of a CREATE TABLE or REPLACE TABLE */
};

enum ice_sql_role {
    ICE_SQL_TABLE,     /* or a view */
    ICE_SQL_NAMESPACE, /* of IN and FROM in SHOW */
    ICE_SQL_PROCEDURE, /* of CALL */
    ICE_SQL_REFRESHED, /* of REFRESH TABLE */
    ICE_SQL_USED,      /* catalog or namespace of USE */
};

/* More parts are counted, not kept: Spark's longest name of a table that is in use has
 * catalog, namespace, table and metadata table. */
enum { ICE_SQL_PARTS = 4 };

struct ice_sql_name {
    size_t offset, size;
    enum ice_sql_role role;
    size_t n_parts;
    struct ice_str parts[ICE_SQL_PARTS]; /* the first ones, without their backticks */
    struct ice_str last;
    bool has_hole;        /* a part is filled in by something else */
    bool has_bare_hyphen; /* outside of backticks */
};

struct ice_sql_event {
    enum ice_sql_event_kind kind;
    struct ice_sql_name name;
    /* ICE_SQL_CREATES */
    bool says_format; /* USING, STORED AS, LIKE, CLONE, or another engine's words */
    bool has_location;
    size_t location_offset;
};

/* The members are the reader's own, but n_skipped: names that a hole or deep nesting hid.
 */
struct ice_sql_reader {
    struct ice_sql_lexer lexer;
    struct ice_sql_token last; /* the token before */
    struct ice_str verb;       /* first word of the statement */
    size_t depth;              /* of parentheses */
    uint64_t functions; /* bit d: the parenthesis at depth d takes FROM as its own word */
    struct ice_sql_event create;
    bool creates, is_behind_as;
    bool makes_none; /* a view, or a table that does not stay */
    size_t n_skipped;
};

void ice_sql_reader_init(struct ice_sql_reader *reader, struct ice_str text);
/* The next event; ICE_SQL_DONE at the end. Offsets are into the text. */
void ice_sql_next(struct ice_sql_reader *reader, struct ice_sql_event *out);

/* The whole text is one name, as .writeTo("a.b.c") wants it; false: it is anything else.
 * Offsets as above, role ICE_SQL_TABLE. */
bool ice_sql_whole_name(struct ice_str text, struct ice_sql_name *out);

/* "snapshots", "branch_x" ...: the last part of a name that leads into a table. */
bool ice_sql_is_metadata_table(struct ice_str part);

#endif
