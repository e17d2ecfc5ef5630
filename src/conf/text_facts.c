/*
 * Cells of scripts, and the settings that a script gives to a session that it builds.
 */
#include "conf/script_cells.h"

#include "base/error.h"

/* Text of a set or config call: its key and value; false: it says neither. */
static bool pair_of(const struct ice_py_call *call, const struct ice_py_arg **key,
                    const struct ice_py_arg **value) {
    *key = *value = NULL;
    if (call->role != ICE_PY_CONF_SET && call->role != ICE_PY_BUILDER &&
        call->role != ICE_PY_PAIR)
        return false;
    *key = ice_py_arg_at(call, 0);
    *value = ice_py_arg_at(call, 1);
    return *key != NULL && (*key)->is_text;
}

/* What the script alone does not tell: names that it puts together, and settings of a
 * catalog that began elsewhere. Half a catalog would look like a broken one. */
static bool is_partial(const struct ice_conf_cell *cells) {
    const struct ice_py_arg *key, *value;
    for (const struct ice_conf_cell *cell = cells; cell != NULL; cell = cell->next) {
        for (const struct ice_py_call *c = cell->script.first; c != NULL; c = c->next) {
            if (!pair_of(c, &key, &value))
                continue;
            if (key->text.has_hole ||
                (c->role == ICE_PY_CONF_SET &&
                 ice_str_starts(key->text.text, ICE_STR("spark.sql.catalog."))))
                return true;
        }
    }
    return false;
}

/* Settings of Spark, and the one of Hive that sessions take without a prefix. */
static bool is_read(struct ice_str key) {
    return ice_str_starts(key, ICE_STR("spark.")) ||
           ice_str_is(key, "hive.metastore.uris");
}

static bool add_settings(struct ice_conf *conf, const struct ice_conf_cell *cell) {
    static const struct ice_str unknown = {"${}", 3};
    const struct ice_py_arg *key, *value;
    for (const struct ice_py_call *c = cell->script.first; c != NULL; c = c->next) {
        if (!pair_of(c, &key, &value) || !is_read(key->text.text))
            continue;
        const bool is_known = value != NULL && value->is_text;
        struct ice_conf_session *session = ice_conf_declared(conf, cell->input);
        const size_t value_offset =
            is_known ? ice_py_text_offset(&value->text, 0) : key->offset;
        if (session == NULL ||
            !ice_conf_add_pair(conf, session, key->text.text,
                               is_known ? value->text.text : unknown,
                               ice_conf_cell_at(cell, ice_py_text_offset(&key->text, 0)),
                               ice_conf_cell_at(cell, value_offset)))
            return false;
    }
    return true;
}

/* A session that is configured outside of the script, or exists before it runs. */
static bool has_session(const struct ice_conf *conf, const struct ice_conf_cell *cells) {
    for (const struct ice_conf_cell *cell = cells; cell != NULL; cell = cell->next) {
        if (cell->script.is_glue)
            return true;
    }
    return ice_conf_has(conf, ICE_CONF_GLUE_JOB) || ice_conf_has(conf, ICE_CONF_CLUSTER);
}

enum ice_status ice_conf_facts_text(struct ice_conf *conf, struct ice_conf_input *input) {
    ICE_TRY(ice_conf_cells_read(conf, input, &input->cells));
    if (has_session(conf, input->cells) || is_partial(input->cells))
        return ICE_OK;
    for (const struct ice_conf_cell *cell = input->cells; cell != NULL;
         cell = cell->next) {
        if (!add_settings(conf, cell))
            return ICE_ENOMEM;
    }
    return ICE_OK;
}
