/*
 * Scripts as cells: a file of SQL or Python is one, a notebook has many, of several
 * languages.
 */
#ifndef ICE_CONF_SCRIPT_CELLS_H
#define ICE_CONF_SCRIPT_CELLS_H

#include "conf/py_script.h"
#include "conf/setup.h"

enum ice_conf_language {
    ICE_CONF_LANGUAGE_OTHER,
    ICE_CONF_LANGUAGE_PYTHON,
    ICE_CONF_LANGUAGE_SQL,
    ICE_CONF_LANGUAGE_SHELL,
};

/* From index on the cell's text stands at offset: in the input, or in a node's text. */
struct ice_conf_segment {
    size_t index, offset;
    const struct ice_conf_node *node; /* a JSON string, or NULL */
};

/* The byte of a node's text that was looked up last: texts are read forwards, and looking
 * up each place from the start would cost the square of their size. */
struct ice_conf_reached {
    const struct ice_conf_node *node;
    size_t index;
    uint64_t offset; /* in the input */
};

struct ice_conf_cell {
    const struct ice_conf_input *input;
    enum ice_conf_language language;
    struct ice_str text;
    struct ice_conf_segment *segments; /* at least one; ascending */
    size_t n_segments;
    struct ice_conf_reached *reached;
    struct ice_py_script script; /* of Python: what it calls */
    struct ice_conf_cell *next;
};

/* The cells of an input, all in conf->arena; none of other kinds. ICE_ENOMEM. */
enum ice_status ice_conf_cells_read(struct ice_conf *conf,
                                    const struct ice_conf_input *input,
                                    struct ice_conf_cell **out);
/* Where a byte of a cell's text stands. */
struct ice_conf_at ice_conf_cell_at(const struct ice_conf_cell *cell, size_t index);

/* A text of SQL in a cell: the cell itself, or what Python hands to Spark. */
struct ice_conf_sql {
    const struct ice_conf_cell *cell;
    const struct ice_py_text *built; /* NULL: the cell itself */
    struct ice_str text;
};
/* What a call of the cell's script hands to Spark as SQL; false: nothing that is known.
 */
bool ice_conf_sql_of(const struct ice_conf_cell *cell, const struct ice_py_call *call,
                     struct ice_conf_sql *out);
struct ice_conf_at ice_conf_sql_at(const struct ice_conf_sql *sql, size_t index);

#endif
