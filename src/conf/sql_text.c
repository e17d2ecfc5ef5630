/*
 * Names are looked for only behind words that the grammar lets a name follow, and only
 * where these words mean that: FROM in EXTRACT(DAY FROM a.x-b.y) is none.
 */
#include "conf/sql_text.h"

/* Deeper parentheses are not looked into. */
enum { DEEPEST = 63 };

static bool is_any(struct ice_str word, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (ice_str_equal_nocase(word, ice_str_from(list[i])))
            return true;
    }
    return false;
}

#define IS_ANY(word, list) is_any((word), (list), sizeof(list) / sizeof((list)[0]))

/* Functions with FROM between their arguments. */
static const char *const from_functions[] = {
    "extract", "trim", "substring", "substr", "overlay", "position", "try_extract"};
/* Words between the one that wants a name and the name. */
static const char *const fillers[] = {
    "if",      "not",       "exists",   "table",  "only", "extended", "formatted",
    "catalog", "namespace", "database", "schema", "view", "lateral"};
/* Not a name, though it stands where one could: the word keeps its own meaning. */
static const char *const no_names[] = {"select",    "from",   "where", "set",   "values",
                                       "as",        "join",   "on",    "using", "with",
                                       "partition", "unnest", "stream"};
static const char *const metadata_tables[] = {
    "entries",         "files",          "data_files",
    "delete_files",    "history",        "metadata_log_entries",
    "snapshots",       "refs",           "manifests",
    "partitions",      "all_data_files", "all_delete_files",
    "all_files",       "all_manifests",  "all_entries",
    "position_deletes"};

bool ice_sql_is_metadata_table(struct ice_str part) {
    return IS_ANY(part, metadata_tables) || ice_str_starts(part, ICE_STR("branch_")) ||
           ice_str_starts(part, ICE_STR("tag_")) ||
           ice_str_starts(part, ICE_STR("snapshot_id_")) ||
           ice_str_starts(part, ICE_STR("at_timestamp_"));
}

static bool verb_is(const struct ice_sql_reader *r, const char *verb) {
    return ice_str_equal_nocase(r->verb, ice_str_from(verb));
}

/* Backticks around what a template fills in: `{{ x }}`, `${x}`, `{x}`, `%s`. */
static bool has_hole(struct ice_str quoted) {
    return ice_str_find(quoted, '{') != SIZE_MAX ||
           ice_str_find(quoted, '$') != SIZE_MAX || ice_str_find(quoted, '%') != SIZE_MAX;
}

static bool is_hyphen(const struct ice_sql_token *t) {
    return ice_sql_is_mark(t, '-') && t->is_glued;
}

/* One part of a name, from *t on, which is then the token behind it. false: none. */
static bool read_part(struct ice_sql_reader *r, struct ice_sql_token *t,
                      struct ice_sql_name *name, bool is_first) {
    const size_t start = t->offset;
    struct ice_str quoted = ICE_STR_NONE;
    size_t n = 0, end = start;
    while (is_first || n > 0 || t->is_glued) {
        if (t->kind == ICE_SQL_QUOTED) {
            quoted = t->text;
            name->has_hole = name->has_hole || has_hole(quoted);
        } else if (t->kind == ICE_SQL_HOLE)
            name->has_hole = true;
        else if (n > 0 && is_hyphen(t))
            name->has_bare_hyphen = true;
        else if (t->kind != ICE_SQL_WORD && t->kind != ICE_SQL_NUMBER)
            break;
        n++;
        end = r->lexer.at;
        ice_sql_lexer_next(&r->lexer, t);
        if (!t->is_glued)
            break;
    }
    if (n == 0)
        return false;
    const struct ice_str part =
        n == 1 && quoted.data != NULL
            ? quoted
            : ice_str_make(r->lexer.text.data + start, end - start);
    if (name->n_parts < ICE_SQL_PARTS)
        name->parts[name->n_parts] = part;
    name->n_parts++;
    name->last = part;
    name->size = end - name->offset;
    return true;
}

/* The name that begins at *t; t is then the token behind it. */
static bool read_name(struct ice_sql_reader *r, struct ice_sql_token *t,
                      struct ice_sql_name *name) {
    *name = (struct ice_sql_name){.offset = t->offset};
    if (t->kind == ICE_SQL_WORD && IS_ANY(t->text, no_names))
        return false;
    bool is_first = true;
    while (read_part(r, t, name, is_first)) {
        is_first = false;
        if (!ice_sql_is_mark(t, '.') || !t->is_glued)
            break;
        ice_sql_lexer_next(&r->lexer, t);
    }
    return name->n_parts > 0;
}

bool ice_sql_whole_name(struct ice_str text, struct ice_sql_name *out) {
    struct ice_sql_reader r = {.lexer = {.text = text}};
    struct ice_sql_token t;
    ice_sql_lexer_next(&r.lexer, &t);
    return read_name(&r, &t, out) && t.kind == ICE_SQL_END;
}

/* The first word of a statement decides what others mean. */
static void begin_statement(struct ice_sql_reader *r) {
    r->verb = ICE_STR_NONE;
    r->depth = 0;
    r->functions = 0;
    r->creates = r->is_behind_as = r->makes_none = false;
    r->create = (struct ice_sql_event){.kind = ICE_SQL_CREATES};
}

void ice_sql_reader_init(struct ice_sql_reader *r, struct ice_str text) {
    *r = (struct ice_sql_reader){.lexer = {.text = text}};
    begin_statement(r);
}

static bool in_function(const struct ice_sql_reader *r) {
    return r->depth > DEEPEST || (r->functions >> r->depth & 1) != 0;
}

/* Does a name follow this word, and of what? */
static bool wants_name(const struct ice_sql_reader *r, const struct ice_sql_token *t,
                       bool is_verb, enum ice_sql_role *role) {
    *role = ICE_SQL_TABLE;
    if (ice_sql_is(t, "from")) {
        if (verb_is(r, "show") && r->depth == 0)
            *role = ICE_SQL_NAMESPACE;
        return !ice_sql_is(&r->last, "distinct") && !in_function(r);
    }
    if (ice_sql_is(t, "join") || ice_sql_is(t, "into") || ice_sql_is(t, "overwrite"))
        return true;
    if (ice_sql_is(t, "using"))
        return verb_is(r, "merge") && r->depth == 0;
    if (ice_sql_is(t, "in")) {
        *role = ICE_SQL_NAMESPACE;
        return verb_is(r, "show") && r->depth == 0;
    }
    if (ice_sql_is(t, "table")) {
        if (verb_is(r, "refresh"))
            *role = ICE_SQL_REFRESHED;
        return r->depth == 0 && !r->is_behind_as && !verb_is(r, "select") &&
               !verb_is(r, "with");
    }
    if (ice_sql_is(t, "view"))
        return r->depth == 0 && !ice_sql_is(&r->last, "lateral") && !r->is_behind_as &&
               !verb_is(r, "select") && !verb_is(r, "with");
    if (!is_verb)
        return false;
    if (ice_sql_is(t, "use"))
        *role = ICE_SQL_USED;
    if (ice_sql_is(t, "call"))
        *role = ICE_SQL_PROCEDURE;
    return ice_sql_is(t, "update") || ice_sql_is(t, "describe") ||
           ice_sql_is(t, "desc") || *role != ICE_SQL_TABLE;
}

/* Words of CREATE TABLE behind its name. */
static void see_create(struct ice_sql_reader *r, const struct ice_sql_token *t) {
    if (t->kind == ICE_SQL_STRING && ice_str_equal_nocase(t->text, ICE_STR("iceberg")))
        r->create.says_format = true; /* Athena's table_type */
    if (r->depth > 0 || r->is_behind_as)
        return;
    if (t->kind == ICE_SQL_HOLE)
        r->create.says_format = true; /* it may */
    if (t->kind != ICE_SQL_WORD)
        return;
    if (ice_sql_is(t, "as") && !ice_sql_is(&r->last, "stored"))
        r->is_behind_as = true;
    else if (ice_sql_is(t, "using") || ice_sql_is(t, "stored") || ice_sql_is(t, "like") ||
             ice_sql_is(t, "clone") || ice_sql_is(t, "with") || ice_sql_is(t, "row"))
        r->create.says_format = true;
    else if (ice_sql_is(t, "location")) {
        r->create.has_location = true;
        r->create.location_offset = t->offset;
    }
}

static void see_parenthesis(struct ice_sql_reader *r, const struct ice_sql_token *t) {
    if (ice_sql_is_mark(t, '(')) {
        r->depth++;
        if (r->depth > DEEPEST)
            return;
        const uint64_t bit = (uint64_t)1 << r->depth;
        const bool is_function =
            r->last.kind == ICE_SQL_WORD && IS_ANY(r->last.text, from_functions);
        r->functions = is_function ? r->functions | bit : r->functions & ~bit;
    } else if (ice_sql_is_mark(t, ')') && r->depth > 0) {
        r->depth--;
    }
}

/* Behind a word that wants a name: true if one was read into *out. */
static bool take_name(struct ice_sql_reader *r, enum ice_sql_role role,
                      struct ice_sql_event *out) {
    struct ice_sql_token t;
    size_t before = r->lexer.at;
    ice_sql_lexer_next(&r->lexer, &t);
    while (t.kind == ICE_SQL_WORD && IS_ANY(t.text, fillers)) {
        r->last = t;
        before = r->lexer.at;
        ice_sql_lexer_next(&r->lexer, &t);
    }
    *out = (struct ice_sql_event){.kind = ICE_SQL_NAME};
    if (!read_name(r, &t, &out->name)) {
        r->lexer.at = before; /* the word keeps its own meaning */
        return false;
    }
    out->name.role = role;
    r->lexer.at = out->name.offset + out->name.size;
    r->last = (struct ice_sql_token){.kind = ICE_SQL_QUOTED, .text = out->name.last};
    if (ice_sql_is(&t, "import")) /* Python in a template: from a.b import c */
        return false;
    if (role != ICE_SQL_PROCEDURE && ice_sql_is_mark(&t, '(') && t.is_glued) {
        /* a function of the table's place: range(1), IDENTIFIER(:x) */
        if (ice_str_equal_nocase(out->name.last, ICE_STR("identifier")))
            r->n_skipped++;
        return r->creates; /* CREATE TABLE a.b(id INT) */
    }
    return true;
}

/* End of a statement: what it creates. */
static bool end_statement(struct ice_sql_reader *r, struct ice_sql_event *out) {
    const bool creates = r->creates && r->create.name.n_parts > 0 && !r->makes_none;
    *out = r->create;
    begin_statement(r);
    return creates;
}

/* A word of the language; true: *out is a name. */
static bool see_word(struct ice_sql_reader *r, const struct ice_sql_token *t,
                     struct ice_sql_event *out) {
    const bool is_verb = r->verb.size == 0;
    if (is_verb)
        r->verb = t->text;
    const bool may_create =
        (verb_is(r, "create") || verb_is(r, "replace")) && r->create.name.n_parts == 0;
    /* CREATE VIEW a AS TABLE b reads the table */
    if (may_create &&
        (ice_sql_is(t, "temporary") || ice_sql_is(t, "temp") || ice_sql_is(t, "view")))
        r->makes_none = true;
    enum ice_sql_role role;
    if (!wants_name(r, t, is_verb, &role))
        return false;
    if (r->depth > DEEPEST) {
        r->n_skipped++;
        return false;
    }
    const bool creates = may_create && ice_sql_is(t, "table");
    if (creates)
        r->creates = true;
    r->last = *t;
    if (!take_name(r, role, out))
        return false;
    if (creates)
        r->create.name = out->name;
    return true;
}

void ice_sql_next(struct ice_sql_reader *r, struct ice_sql_event *out) {
    struct ice_sql_token t;
    for (;;) {
        ice_sql_lexer_next(&r->lexer, &t);
        if (t.kind == ICE_SQL_END || ice_sql_is_mark(&t, ';')) {
            if (end_statement(r, out))
                return;
            if (t.kind == ICE_SQL_END)
                break;
            r->last = t;
            continue;
        }
        if (r->create.name.n_parts > 0)
            see_create(r, &t);
        see_parenthesis(r, &t);
        if (t.kind == ICE_SQL_WORD) {
            if (see_word(r, &t, out)) {
                if (out->name.has_hole)
                    r->n_skipped++;
                return;
            }
        }
        r->last = t;
    }
    *out = (struct ice_sql_event){.kind = ICE_SQL_DONE};
}
