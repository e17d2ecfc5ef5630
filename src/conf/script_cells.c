/*
 * Cells of notebooks: .ipynb, and Python files that Databricks exports, whose other
 * languages stand behind "# MAGIC". The first word of a cell names its language.
 */
#include "conf/script_cells.h"
#include "base/chars.h"

#include "base/compiler.h"
#include "base/error.h"

/* A cell that is being put together. */
struct making {
    struct ice_conf *conf;
    const struct ice_conf_input *input;
    struct ice_conf_cell *first, *last;
};

static struct ice_conf_cell *new_cell(struct making *m, size_t bytes, size_t segments) {
    struct ice_arena *arena = m->conf->arena;
    struct ice_conf_cell *cell = ice_arena_alloc(arena, sizeof(*cell));
    if (cell == NULL)
        return NULL;
    cell->input = m->input;
    cell->text.data = ice_arena_array(arena, bytes + 1, 1);
    cell->segments = ice_arena_array(arena, segments + 1, sizeof(*cell->segments));
    cell->reached = ice_arena_alloc(arena, sizeof(*cell->reached));
    if (cell->text.data == NULL || cell->segments == NULL || cell->reached == NULL)
        return NULL;
    if (m->last != NULL)
        m->last->next = cell;
    else
        m->first = cell;
    m->last = cell;
    return cell;
}

/* The text was made with room for it. */
static void append(struct ice_conf_cell *cell, char *text, struct ice_str bytes,
                   size_t offset, const struct ice_conf_node *node) {
    if (bytes.size == 0)
        return;
    cell->segments[cell->n_segments++] = (struct ice_conf_segment){
        .index = cell->text.size, .offset = offset, .node = node};
    memcpy(text + cell->text.size, bytes.data, bytes.size);
    cell->text.size += bytes.size;
}

/* ---- language ---- */

static const struct {
    const char *magic;
    enum ice_conf_language language;
} magics[] = {
    {"%sql", ICE_CONF_LANGUAGE_SQL},         {"%%sql", ICE_CONF_LANGUAGE_SQL},
    {"%%sparksql", ICE_CONF_LANGUAGE_SQL},   {"%sh", ICE_CONF_LANGUAGE_SHELL},
    {"%%sh", ICE_CONF_LANGUAGE_SHELL},       {"%%bash", ICE_CONF_LANGUAGE_SHELL},
    {"%md", ICE_CONF_LANGUAGE_OTHER},        {"%scala", ICE_CONF_LANGUAGE_OTHER},
    {"%r", ICE_CONF_LANGUAGE_OTHER},         {"%%configure", ICE_CONF_LANGUAGE_OTHER},
    {"%%markdown", ICE_CONF_LANGUAGE_OTHER}, {"%%html", ICE_CONF_LANGUAGE_OTHER},
    {"%%scala", ICE_CONF_LANGUAGE_OTHER},
};

/* The language of a notebook's cell. The magic word itself becomes blanks, so that all
 * behind it keeps its place. */
static void see_language(struct ice_conf_cell *cell, char *text) {
    size_t at = 0;
    cell->language = ICE_CONF_LANGUAGE_PYTHON;
    while (at < cell->text.size && ice_is_blank(text[at]))
        at++;
    size_t end = at;
    while (end < cell->text.size && !ice_is_blank(text[end]))
        end++;
    const struct ice_str word = {text + at, end - at};
    for (size_t i = 0; i < ICE_COUNT_OF(magics); i++) {
        if (!ice_str_is(word, magics[i].magic))
            continue;
        cell->language = magics[i].language;
        memset(text + at, ' ', end - at);
        return;
    }
}

static enum ice_status finish(struct making *m, struct ice_conf_cell *cell) {
    if (cell->language != ICE_CONF_LANGUAGE_PYTHON)
        return ICE_OK;
    return ice_py_script_read(&cell->script, cell->text, m->conf->arena);
}

/* ---- files of one language ---- */

static enum ice_status whole_file(struct making *m, enum ice_conf_language language) {
    struct ice_conf_cell *cell = new_cell(m, 0, 1);
    if (cell == NULL)
        return ICE_ENOMEM;
    cell->text = m->input->bytes;
    cell->n_segments = 1; /* at 0, of the input */
    cell->language = language;
    return finish(m, cell);
}

/* ---- Databricks ---- */

/* The line at `at`, without its end; *next: behind it. */
static struct ice_str line_at(struct ice_str text, size_t at, size_t *next) {
    const struct ice_str rest = ice_str_from_index(text, at);
    const size_t size = ice_str_find(rest, '\n');
    *next = size == SIZE_MAX ? text.size : at + size + 1;
    return ice_str_first(rest, size);
}

/* "# MAGIC x" without its mark; *skipped: bytes of the mark. */
static struct ice_str without_magic(struct ice_str line, size_t *skipped) {
    const struct ice_str mark = ICE_STR("# MAGIC");
    *skipped = 0;
    if (!ice_str_starts(line, mark))
        return line;
    *skipped = mark.size + (line.size > mark.size ? 1 : 0);
    return ice_str_from_index(line, *skipped);
}

static enum ice_status databricks_cell(struct making *m, size_t begin, size_t end,
                                       size_t n_lines) {
    const struct ice_str bytes = ice_str_first(m->input->bytes, end);
    struct ice_conf_cell *cell = new_cell(m, end - begin + 1, n_lines);
    if (cell == NULL)
        return ICE_ENOMEM;
    char *text = (char *)(uintptr_t)cell->text.data;
    for (size_t at = begin, next; at < end; at = next) {
        size_t skipped;
        (void)without_magic(line_at(bytes, at, &next), &skipped);
        append(cell, text, ice_str_make(bytes.data + at + skipped, next - at - skipped),
               at + skipped, NULL);
    }
    if (cell->n_segments == 0)
        cell->n_segments = 1;
    see_language(cell, text);
    return finish(m, cell);
}

static enum ice_status databricks_cells(struct making *m) {
    const struct ice_str bytes = m->input->bytes;
    size_t begin = 0, n_lines = 0;
    for (size_t at = 0, next; at < bytes.size; at = next) {
        const struct ice_str line = line_at(bytes, at, &next);
        const bool is_border = ice_str_starts(line, ICE_STR("# COMMAND ------"));
        const bool is_title = ice_str_starts(line, ICE_STR("# Databricks notebook"));
        if (!is_border && !is_title) {
            n_lines++;
            continue;
        }
        if (n_lines > 0)
            ICE_TRY(databricks_cell(m, begin, at, n_lines));
        begin = next;
        n_lines = 0;
    }
    return n_lines > 0 ? databricks_cell(m, begin, bytes.size, n_lines) : ICE_OK;
}

/* ---- .ipynb ---- */

static enum ice_status notebook_cell(struct making *m, const struct ice_conf_node *node) {
    const struct ice_conf_node *source = ice_conf_member(node, "source");
    if (!ice_str_is(ice_conf_node_text(ice_conf_member(node, "cell_type")), "code") ||
        source == NULL)
        return ICE_OK;
    const bool is_list = source->kind == ICE_JSON_ARRAY;
    const struct ice_conf_node *first = is_list ? source->first : source;
    size_t bytes = 0, n = 0;
    for (const struct ice_conf_node *s = first; s != NULL; s = is_list ? s->next : NULL) {
        bytes += ice_conf_is(s, ICE_JSON_STRING) ? s->text.size : 0;
        n++;
    }
    struct ice_conf_cell *cell = new_cell(m, bytes, n);
    if (cell == NULL)
        return ICE_ENOMEM;
    char *text = (char *)(uintptr_t)cell->text.data;
    for (const struct ice_conf_node *s = first; s != NULL; s = is_list ? s->next : NULL) {
        if (ice_conf_is(s, ICE_JSON_STRING))
            append(cell, text, s->text, 0, s);
    }
    if (cell->n_segments == 0)
        cell->n_segments = 1;
    see_language(cell, text);
    return finish(m, cell);
}

static enum ice_status notebook_cells(struct making *m) {
    const struct ice_conf_node *cells = ice_conf_member(m->input->root, "cells");
    if (!ice_conf_is(cells, ICE_JSON_ARRAY))
        return ICE_OK;
    for (const struct ice_conf_node *c = cells->first; c != NULL; c = c->next)
        ICE_TRY(notebook_cell(m, c));
    return ICE_OK;
}

enum ice_status ice_conf_cells_read(struct ice_conf *conf,
                                    const struct ice_conf_input *input,
                                    struct ice_conf_cell **out) {
    struct making m = {.conf = conf, .input = input};
    enum ice_status status = ICE_OK;
    if (input->kind == ICE_CONF_SQL)
        status = whole_file(&m, ICE_CONF_LANGUAGE_SQL);
    else if (input->kind == ICE_CONF_NOTEBOOK)
        status = notebook_cells(&m);
    else if (input->kind == ICE_CONF_PYTHON)
        status = ice_str_starts(input->bytes, ICE_STR("# Databricks notebook"))
                     ? databricks_cells(&m)
                     : whole_file(&m, ICE_CONF_LANGUAGE_PYTHON);
    *out = m.first;
    return status;
}

/* ---- places ---- */

/* Where byte `index` of a node's text stands, from the last such place on if that is in
 * front of it. Names begin with whole characters, so no escape is cut in two. */
static uint64_t place_in_node(const struct ice_conf_cell *cell,
                              const struct ice_conf_node *node, size_t index) {
    struct ice_conf_reached *reached = cell->reached;
    struct ice_conf_node from = *node;
    size_t done = 0;
    if (reached->node == node && reached->index <= index) {
        from.offset = reached->offset - 1; /* as if a quote stood there */
        done = reached->index;
    }
    const uint64_t offset = ice_conf_text_offset(cell->input->bytes, &from, index - done);
    *reached = (struct ice_conf_reached){.node = node, .index = index, .offset = offset};
    return offset;
}

struct ice_conf_at ice_conf_cell_at(const struct ice_conf_cell *cell, size_t index) {
    size_t low = 0, high = cell->n_segments;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (cell->segments[middle].index <= index)
            low = middle;
        else
            high = middle;
    }
    const struct ice_conf_segment *s = &cell->segments[low];
    const size_t offset = s->offset + (index - s->index);
    if (s->node == NULL)
        return ice_conf_at_offset(cell->input, offset);
    return (struct ice_conf_at){cell->input, place_in_node(cell, s->node, offset),
                                s->node};
}

bool ice_conf_sql_of(const struct ice_conf_cell *cell, const struct ice_py_call *call,
                     struct ice_conf_sql *out) {
    const struct ice_py_arg *arg =
        call->role == ICE_PY_SQL ? ice_py_arg_at(call, 0) : NULL;
    if (arg == NULL || !arg->is_text)
        return false;
    *out =
        (struct ice_conf_sql){.cell = cell, .built = &arg->text, .text = arg->text.text};
    return true;
}

struct ice_conf_at ice_conf_sql_at(const struct ice_conf_sql *sql, size_t index) {
    if (sql->built != NULL)
        index = ice_py_text_offset(sql->built, index);
    return ice_conf_cell_at(sql->cell, index);
}
