/*
 * Rules of the group conf.sql, and of conf.jar where a script tries to bring a jar.
 * Only names that are written down are judged.
 */
#include "conf/script_cells.h"
#include "base/chars.h"
#include "conf/glue_job.h"

#include "base/compiler.h"
#include "conf/cache_settings.h"
#include "conf/sql_text.h"

/* Names of catalogs that were used before, for the rule of late settings. */
enum { REMEMBERED = 64 };

/* What is known about the script that is looked at. */
struct look {
    struct ice_conf *conf;
    const struct ice_conf_input *input;
    struct ice_str used[REMEMBERED];
    size_t n_used;
    struct ice_str set[REMEMBERED]; /* catalogs that the script configures itself */
    size_t n_set;
    bool sets_unknown;                     /* ... under a name that it puts together */
    const struct ice_conf_catalog *cached; /* used, and keeps tables in a cache */
    bool has_use; /* USE: what short names mean is not known any more */
    bool has_refresh;
    bool said_default; /* once is enough */
    size_t n_skipped;
};

/* ---- catalogs ---- */

bool ice_conf_knows_catalog(const struct ice_conf *conf,
                            const struct ice_conf_session *session, struct ice_str name) {
    static const char *const always[] = {"spark_catalog", "hive_metastore", "system",
                                         "samples", "session"};
    for (size_t i = 0; i < ICE_COUNT_OF(always); i++) {
        if (ice_str_equal_nocase(name, ice_str_from(always[i])))
            return true;
    }
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        if ((session == NULL || conf->catalogs[i].session == session) &&
            ice_str_equal(name, conf->catalogs[i].name))
            return true;
    }
    bool has_arrived = ice_conf_has(conf, ICE_CONF_EVENT_LOG) ||
                       ice_conf_has(conf, ICE_CONF_ENVIRONMENT);
    for (size_t i = 0; !has_arrived && i < conf->n_sessions; i++) {
        if (conf->sessions[i]->hidden.size > 0)
            return true; /* it may be defined by what is not known */
    }
    for (size_t i = 0; i < conf->request->n_known_catalogs; i++) {
        const struct ice_str known = ice_str_from(conf->request->known_catalogs[i]);
        if (ice_str_equal(name, ice_str_first(known, ice_str_find(known, '='))))
            return true;
    }
    return false;
}

static const struct ice_conf_catalog *find_catalog(const struct ice_conf *conf,
                                                   struct ice_str name) {
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        if (ice_str_equal(conf->catalogs[i].name, name))
            return &conf->catalogs[i];
    }
    return NULL;
}

/* The value of spark.sql.defaultCatalog, or spark_catalog. */
static struct ice_str default_catalog(const struct ice_conf *conf) {
    for (size_t i = 0; i < conf->n_sessions; i++) {
        const struct ice_conf_pair *pair =
            conf->sessions[i]->is_judged
                ? ice_conf_get(conf->sessions[i], "spark.sql.defaultCatalog")
                : NULL;
        if (pair != NULL)
            return pair->value;
    }
    return ICE_STR("spark_catalog");
}

/* The catalog that a name of a table leads to. ICE_STR_NONE: not known. */
static struct ice_str catalog_of(const struct look *l, const struct ice_sql_name *name) {
    if (name->has_hole)
        return ICE_STR_NONE;
    if (name->n_parts >= 2 && (find_catalog(l->conf, name->parts[0]) != NULL ||
                               ice_str_is(name->parts[0], "spark_catalog")))
        return name->parts[0];
    if (name->n_parts >= 3 || l->has_use)
        return ICE_STR_NONE;
    return default_catalog(l->conf);
}

/* Namespaces of these may be nested: a.b.c can be a table c of the default catalog. */
static bool may_nest(const struct look *l) {
    const struct ice_conf_catalog *c = find_catalog(l->conf, default_catalog(l->conf));
    return l->has_use || (c != NULL && c->kind != ICE_CONF_CATALOG_GLUE &&
                          c->kind != ICE_CONF_CATALOG_HIVE);
}

/* ---- caches ---- */

/* A catalog of Iceberg that keeps tables in its cache. */
static bool is_cached(const struct ice_conf_catalog *c) {
    const struct ice_cache cache = ice_cache_of(&(struct ice_cache_settings){
        .enabled = ice_conf_value(ice_conf_catalog_get(c, "cache-enabled")),
        .interval =
            ice_conf_value(ice_conf_catalog_get(c, "cache.expiration-interval-ms"))});
    return c->is_iceberg &&
           (cache.kind == ICE_CACHE_IDLE || cache.kind == ICE_CACHE_FOREVER);
}

static void see_use(struct look *l, struct ice_str catalog) {
    const struct ice_conf_catalog *c = find_catalog(l->conf, catalog);
    if (l->cached == NULL && c != NULL && is_cached(c))
        l->cached = c;
}

/* ---- names ---- */

static struct ice_str spelt(const struct ice_conf_sql *sql,
                            const struct ice_sql_name *name) {
    return ice_str_make(sql->text.data + name->offset, name->size);
}

/* The script itself configures it: other rules say what they think of that. */
static bool sets_catalog(const struct look *l, struct ice_str name) {
    for (size_t i = 0; i < l->n_set; i++) {
        if (ice_str_equal(l->set[i], name))
            return true;
    }
    return l->sets_unknown;
}

static void see_settings(struct look *l) {
    const struct ice_str prefix = ICE_STR("spark.sql.catalog.");
    for (const struct ice_conf_cell *cell = l->input->cells; cell != NULL;
         cell = cell->next) {
        for (const struct ice_py_call *c = cell->script.first; c != NULL; c = c->next) {
            const struct ice_py_arg *arg = ice_py_arg_at(c, 0);
            if ((c->role != ICE_PY_CONF_SET && c->role != ICE_PY_BUILDER &&
                 c->role != ICE_PY_PAIR) ||
                arg == NULL || !arg->is_text || !ice_str_starts(arg->text.text, prefix))
                continue;
            const struct ice_str rest = ice_str_from_index(arg->text.text, prefix.size);
            const struct ice_str name = ice_str_first(rest, ice_str_find(rest, '.'));
            if (ice_str_find(name, '$') != SIZE_MAX || l->n_set == REMEMBERED)
                l->sets_unknown = true;
            else if (!sets_catalog(l, name))
                l->set[l->n_set++] = name;
        }
    }
}

static void check_unknown(struct look *l, const struct ice_conf_sql *sql,
                          const struct ice_sql_name *name) {
    const bool is_procedure = name->role == ICE_SQL_PROCEDURE;
    if (name->n_parts < 3 || name->has_hole || name->role == ICE_SQL_NAMESPACE ||
        name->role == ICE_SQL_USED || l->conf->n_catalogs == 0 ||
        (!is_procedure && ice_sql_is_metadata_table(name->last)) ||
        ice_conf_knows_catalog(l->conf, NULL, name->parts[0]) ||
        sets_catalog(l, name->parts[0]))
        return;
    if (may_nest(l)) {
        l->n_skipped++;
        return;
    }
    CONF_FOUND(l->conf, ICE_RULE_CONF_SQL_CATALOG_UNKNOWN,
               ice_conf_sql_at(sql, name->offset), arg_str("catalog", name->parts[0]),
               arg_str("name", spelt(sql, name)),
               arg_str("known", l->conf->catalogs[0].name));
}

/* A table without its catalog, which is looked for where Iceberg is not. */
static void check_default(struct look *l, const struct ice_conf_sql *sql,
                          const struct ice_sql_name *name) {
    const struct ice_conf_catalog *own = NULL;
    for (size_t i = 0; i < l->conf->n_catalogs; i++) {
        if (ice_str_is(l->conf->catalogs[i].name, "spark_catalog"))
            return;
        if (l->conf->catalogs[i].is_iceberg)
            own = &l->conf->catalogs[i];
    }
    if (own == NULL || name->n_parts != 2 || name->role != ICE_SQL_TABLE ||
        l->said_default || !ice_str_is(catalog_of(l, name), "spark_catalog") ||
        ice_str_is(name->parts[0], "spark_catalog"))
        return;
    l->said_default = true;
    CONF_FOUND(l->conf, ICE_RULE_CONF_CATALOG_DEFAULT_UNSET,
               ice_conf_sql_at(sql, name->offset), arg_str("name", spelt(sql, name)),
               arg_str("catalog", own->name));
}

static void check_name(struct look *l, const struct ice_conf_sql *sql,
                       const struct ice_sql_name *name) {
    if (name->has_bare_hyphen && name->n_parts >= 2 && !name->has_hole)
        CONF_FOUND(l->conf, ICE_RULE_CONF_SQL_HYPHEN_UNQUOTED,
                   ice_conf_sql_at(sql, name->offset), arg_str("name", spelt(sql, name)));
    else
        check_unknown(l, sql, name);
    check_default(l, sql, name);
    if (name->role == ICE_SQL_USED)
        l->has_use = true;
    if (name->role == ICE_SQL_REFRESHED) {
        l->has_refresh = true;
        const struct ice_str in = catalog_of(l, name);
        const struct ice_conf_catalog *c = find_catalog(l->conf, in);
        if (c != NULL && c->is_session_catalog)
            CONF_FOUND(l->conf, ICE_RULE_CONF_SQL_REFRESH_SESSION_CATALOG,
                       ice_conf_sql_at(sql, name->offset),
                       arg_str("name", spelt(sql, name)));
    }
    if (name->role != ICE_SQL_NAMESPACE && name->role != ICE_SQL_USED)
        see_use(l, catalog_of(l, name));
    if (name->n_parts >= 2 && !name->has_hole && l->n_used < REMEMBERED)
        l->used[l->n_used++] = name->parts[0];
}

/* .table("lake.sales.orders"), .writeTo("lake.sales.orders") and their like. */
static void check_table(struct look *l, const struct ice_conf_cell *cell,
                        const struct ice_py_call *call) {
    const struct ice_py_arg *arg = ice_py_arg_at(call, 0);
    struct ice_sql_name name;
    if ((call->role != ICE_PY_TABLE && call->role != ICE_PY_WRITES) || arg == NULL ||
        !arg->is_text || !ice_sql_whole_name(arg->text.text, &name))
        return;
    const struct ice_conf_sql sql = {
        .cell = cell, .built = &arg->text, .text = arg->text.text};
    if (call->role == ICE_PY_WRITES)
        check_name(l, &sql, &name);
    else if (name.n_parts >= 2) /* other libraries have tables too */
        see_use(l, catalog_of(l, &name));
}

static void check_create(struct look *l, const struct ice_conf_sql *sql,
                         const struct ice_sql_event *event) {
    const struct ice_str in = catalog_of(l, &event->name);
    const struct ice_conf_catalog *c = find_catalog(l->conf, in);
    if (l->conf->n_catalogs == 0 || in.size == 0)
        return;
    const bool is_iceberg = c != NULL && c->is_iceberg;
    if (event->has_location && is_iceberg)
        CONF_FOUND_AS(l->conf, ICE_RULE_CONF_SQL_LOCATION_CLAUSE,
                      c->is_s3tables ? ICE_ERROR : ICE_INFO,
                      ice_conf_sql_at(sql, event->location_offset),
                      arg_str("name", spelt(sql, &event->name)));
    const bool is_own = is_iceberg && !c->is_session_catalog;
    if (!event->says_format && (is_own || ice_str_is(in, "spark_catalog")))
        CONF_FOUND_AS(l->conf, ICE_RULE_CONF_SQL_USING_MISSING,
                      is_own ? ICE_INFO : ICE_WARN,
                      ice_conf_sql_at(sql, event->name.offset),
                      arg_str("name", spelt(sql, &event->name)), arg_str("catalog", in));
}

static void check_sql(struct look *l, const struct ice_conf_sql *sql) {
    struct ice_sql_reader reader;
    struct ice_sql_event event;
    ice_sql_reader_init(&reader, sql->text);
    for (ice_sql_next(&reader, &event); event.kind != ICE_SQL_DONE;
         ice_sql_next(&reader, &event)) {
        if (event.kind == ICE_SQL_NAME)
            check_name(l, sql, &event.name);
        else
            check_create(l, sql, &event);
    }
    l->n_skipped += reader.n_skipped;
}

/* ---- settings in the script ---- */

static bool was_used(const struct look *l, struct ice_str catalog) {
    for (size_t i = 0; i < l->n_used; i++) {
        if (ice_str_equal(l->used[i], catalog))
            return true;
    }
    return false;
}

static void check_set(struct look *l, const struct ice_conf_cell *cell,
                      const struct ice_py_call *call) {
    const struct ice_py_arg *arg = ice_py_arg_at(call, 0);
    const struct ice_str key = ice_py_literal(arg);
    const struct ice_str catalogs = ICE_STR("spark.sql.catalog.");
    if (call->role != ICE_PY_CONF_SET || key.size == 0)
        return;
    const struct ice_conf_at at =
        ice_conf_cell_at(cell, ice_py_text_offset(&arg->text, 0));
    if (ice_str_starts(key, ICE_STR("spark.jars")))
        CONF_FOUND(l->conf, ICE_RULE_CONF_JAR_SET_TOO_LATE, at, arg_str("key", key));
    if (!ice_str_starts(key, catalogs) || ice_conf_is_glue_script(l->conf, l->input))
        return;
    const struct ice_str rest = ice_str_from_index(key, catalogs.size);
    const struct ice_str name = ice_str_first(rest, ice_str_find(rest, '.'));
    if (was_used(l, name))
        CONF_FOUND(l->conf, ICE_RULE_CONF_SQL_LATE_CATALOG_SET, at, arg_str("key", key),
                   arg_str("catalog", name));
}

/* Calls in their order, so that what was used before a setting is known. */
static void check_calls(struct look *l, const struct ice_conf_cell *cell) {
    if (cell->language == ICE_CONF_LANGUAGE_SQL) {
        check_sql(l, &(struct ice_conf_sql){.cell = cell, .text = cell->text});
        return;
    }
    for (const struct ice_py_call *c = cell->script.first; c != NULL; c = c->next) {
        struct ice_conf_sql sql;
        if (ice_conf_sql_of(cell, c, &sql))
            check_sql(l, &sql);
        check_set(l, cell, c);
        check_table(l, cell, c);
        l->has_refresh = l->has_refresh || c->role == ICE_PY_REFRESH;
    }
}

/* ---- jars by pip ---- */

static bool is_blank(char c) {
    return ice_is_blank(c) || c == '"' || c == '\'';
}

/* A word of a pip line that pip cannot bring to Spark: a jar. */
static struct ice_str jar_word(struct ice_str line) {
    for (size_t at = 0; at < line.size;) {
        size_t end = at;
        while (end < line.size && !is_blank(line.data[end]))
            end++;
        const struct ice_str word = ice_str_make(line.data + at, end - at);
        if (ice_str_ends(word, ICE_STR(".jar")) ||
            ice_str_starts(word, ICE_STR("iceberg-spark-runtime")) ||
            ice_str_starts(word, ICE_STR("org.apache.iceberg:")))
            return word;
        at = end + 1;
    }
    return ICE_STR_NONE;
}

static void check_pip(struct look *l, const struct ice_conf_cell *cell,
                      struct ice_str line, size_t offset) {
    if (!ice_str_has(line, ICE_STR("pip install")) &&
        !ice_str_has(line, ICE_STR("pip3 install")))
        return;
    const struct ice_str jar = jar_word(line);
    if (jar.size > 0)
        CONF_FOUND(l->conf, ICE_RULE_CONF_JAR_PIP_INSTALL, ice_conf_cell_at(cell, offset),
                   arg_str("jar", jar));
}

static void check_jars(struct look *l, const struct ice_conf_cell *cell) {
    for (const struct ice_py_magic *m = cell->script.magics; m != NULL; m = m->next)
        check_pip(l, cell, m->text, m->offset);
    if (cell->language != ICE_CONF_LANGUAGE_SHELL)
        return;
    for (size_t at = 0; at < cell->text.size;) {
        const struct ice_str rest = ice_str_from_index(cell->text, at);
        const struct ice_str line = ice_str_first(rest, ice_str_find(rest, '\n'));
        check_pip(l, cell, line, at);
        at += line.size + 1;
    }
}

/* ---- streams ---- */

static void check_stream(struct look *l) {
    if (l->has_refresh || l->cached == NULL)
        return;
    for (const struct ice_conf_cell *c = l->input->cells; c != NULL; c = c->next) {
        if (c->language != ICE_CONF_LANGUAGE_PYTHON ||
            c->script.stream_offset == SIZE_MAX)
            continue;
        CONF_FOUND(l->conf, ICE_RULE_CONF_SQL_STREAMING_NO_REFRESH,
                   ice_conf_cell_at(c, c->script.stream_offset),
                   arg_str("catalog", l->cached->name));
        return;
    }
}

void ice_conf_rules_script(struct ice_conf *conf) {
    size_t n_skipped = 0;
    for (size_t i = 0; i < conf->n_inputs; i++) {
        struct look l = {.conf = conf, .input = conf->inputs[i]};
        see_settings(&l);
        for (const struct ice_conf_cell *c = l.input->cells; c != NULL; c = c->next) {
            check_calls(&l, c);
            check_jars(&l, c);
        }
        check_stream(&l);
        n_skipped += l.n_skipped;
    }
    if (n_skipped > 0)
        ice_conf_not_checked(conf, "conf.sql.* for some names",
                             "a variable, a template or USE decides what they mean");
}
