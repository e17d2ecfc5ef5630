/*
 * Reading the files of a setup: inflated, once, whole. Of an event log, which may have
 * gigabytes, only the line of its newest environment is kept.
 */
#include "conf/setup.h"

#include "base/error.h"
#include "inputs/identify.h"
#include "inputs/stdin.h"

enum {
    FIRST_BYTES = 64 << 10,
    MOST_BYTES = 64 << 20, /* of one file of configuration, inflated, or line of a log */
    STEP_BYTES = 256 << 10
};

struct reading {
    struct ice_conf *conf;
    struct ice_conf_input *input;
    struct ice_stream stream;
    struct ice_buf buf;
};

/* ---- telling what went wrong ---- */

static void say_unread(struct ice_conf *conf, const struct ice_conf_input *input,
                       const struct ice_error *fault) {
    enum ice_rule_id id = ICE_RULE_SOURCE_UNREADABLE;
    if (fault->rule != NULL)
        (void)ice_rule_id_of(fault->rule, &id);
    struct ice_conf_at at =
        ice_conf_at_offset(input, fault->offset == ICE_NO_OFFSET ? 0 : fault->offset);
    const char *what =
        fault->status == ICE_ENOENT ? "there is no such file" : fault->message;
    CONF_FOUND(conf, id, at, arg_text("what", "the file"), arg_text("detail", what));
    ice_emit_not_evaluated(conf->emit, "conf.*", ice_str_from(ice_rule_of(id)->name),
                           true, input->name);
}

static void say_unknown(struct ice_conf *conf, const struct ice_conf_input *input,
                        const char *why) {
    CONF_FOUND(conf, ICE_RULE_SOURCE_UNKNOWN, ice_conf_at_start(input),
               arg_text("what", "the file"), arg_text("detail", why));
    ice_emit_not_evaluated(conf->emit, "conf.*", ICE_STR("source.unknown"), true,
                           input->name);
}

/* ---- bytes ---- */

/* All the rest of the stream. */
static enum ice_status read_all(struct reading *r, struct ice_error *err) {
    struct ice_str view;
    for (;;) {
        ICE_TRY(ice_stream_peek(&r->stream, 1, &view, err));
        if (view.size == 0)
            break;
        enum ice_status status = ice_buf_append_str(&r->buf, view);
        if (status == ICE_ELIMIT)
            return ice_error_set(err, status, "limit.file", ICE_NO_OFFSET,
                                 "configuration of more than %d bytes", MOST_BYTES);
        if (status < 0)
            return ice_error_memory(err);
        ice_stream_consume(&r->stream, view.size);
    }
    return ICE_OK;
}

/* Append the next line with its end to buf, at most its first MOST_BYTES; *out_size: its
 * bytes, 0 at the end. */
static enum ice_status read_line(struct reading *r, uint64_t *out_size,
                                 struct ice_error *err) {
    struct ice_str view;
    *out_size = 0;
    for (bool is_over = false; !is_over;) {
        ICE_TRY(ice_stream_peek(&r->stream, 1, &view, err));
        if (view.size == 0)
            break;
        size_t end = ice_str_find(view, '\n');
        is_over = end != SIZE_MAX;
        struct ice_str part = is_over ? ice_str_first(view, end + 1) : view;
        size_t room = MOST_BYTES - r->buf.size;
        if (ice_buf_append_str(&r->buf, ice_str_first(part, room)) < 0)
            return ice_error_memory(err);
        *out_size += part.size;
        ice_stream_consume(&r->stream, part.size);
    }
    return ICE_OK;
}

static bool is_environment(struct ice_str line) {
    return ice_str_has(ice_str_first(line, 128),
                       ICE_STR("SparkListenerEnvironmentUpdate"));
}

/* The newest environment: Spark writes it at the start and whenever a jar is added. */
static enum ice_status read_event_log(struct reading *r, struct ice_error *err) {
    uint64_t offset = 0, size;
    struct ice_arena *arena = r->conf->arena;
    for (uint32_t line = 1;; line++) {
        ice_buf_clear(&r->buf);
        ICE_TRY(read_line(r, &size, err));
        if (size == 0)
            return ICE_OK;
        struct ice_str text = ice_buf_str(&r->buf);
        if (is_environment(text)) {
            if (!ice_arena_dup(arena, text, &r->input->bytes))
                return ice_error_memory(err);
            r->input->first_offset = offset;
            r->input->first_line = line;
        }
        offset += size;
        if (line == UINT32_MAX)
            return ICE_OK;
    }
}

/* ---- lines ---- */

static bool note_lines(struct ice_conf *conf, struct ice_conf_input *input) {
    size_t n = 1, at = 0;
    for (size_t i = 0; i < input->bytes.size; i++)
        n += input->bytes.data[i] == '\n';
    input->lines = ice_arena_array(conf->arena, n, sizeof(*input->lines));
    if (input->lines == NULL)
        return false;
    input->n_lines = n;
    input->lines[at++] = 0;
    for (size_t i = 0; i < input->bytes.size; i++) {
        if (input->bytes.data[i] == '\n')
            input->lines[at++] = (uint32_t)(i + 1); /* at most MOST_BYTES */
    }
    return true;
}

/* ---- kinds ---- */

/* What configuration does not know may still be an export of a catalog. */
static enum ice_status try_pointers(struct reading *r, struct ice_error *err) {
    struct ice_conf_input *input = r->input;
    enum ice_pointer_format format = ICE_POINTER_AUTO;
    struct ice_error fault;
    ice_error_clear(&fault);
    enum ice_status status = ice_pointers_read_text(
        &r->conf->pointers, input->name, input->bytes, ICE_POINTER_AUTO, &format, &fault);
    ICE_TRY(ice_error_pass_final(err, status, &fault));
    if (status >= 0 && format != ICE_POINTER_AUTO)
        input->kind = ICE_CONF_POINTERS;
    return ICE_OK;
}

static enum ice_status read_json(struct reading *r, struct ice_error *err) {
    struct ice_conf *conf = r->conf;
    struct ice_conf_input *input = r->input;
    ICE_TRY(ice_conf_tree_read(input->bytes, conf->arena, conf->run, &input->root, err));
    if (input->kind == ICE_CONF_UNKNOWN)
        input->kind = ice_conf_recognise_json(input->name, input->root);
    return ICE_OK;
}

static enum ice_status read_kind(struct reading *r, struct ice_str first,
                                 struct ice_error *err) {
    struct ice_conf_input *input = r->input;
    input->kind = ice_conf_recognise(input->name, first);
    bool is_json = input->kind == ICE_CONF_EVENT_LOG ||
                   (input->kind == ICE_CONF_UNKNOWN && ice_conf_is_json(first));
    if (input->kind == ICE_CONF_UNKNOWN && ice_conf_is_log(r->conf, first)) {
        input->kind = ICE_CONF_LOG;
        ICE_TRY(ice_conf_read_log(r->conf, input, &r->stream, err));
        return note_lines(r->conf, input) ? ICE_OK : ice_error_memory(err);
    }
    if (input->kind == ICE_CONF_EVENT_LOG)
        ICE_TRY(read_event_log(r, err));
    else
        ICE_TRY(read_all(r, err));
    if (input->kind != ICE_CONF_EVENT_LOG &&
        !ice_arena_dup(r->conf->arena, ice_buf_str(&r->buf), &input->bytes))
        return ice_error_memory(err);
    if (!note_lines(r->conf, input))
        return ice_error_memory(err);
    if (is_json && input->bytes.size > 0)
        ICE_TRY(read_json(r, err));
    return input->kind == ICE_CONF_UNKNOWN ? try_pointers(r, err) : ICE_OK;
}

static enum ice_status read_path(struct reading *r, const char *path,
                                 struct ice_error *err) {
    struct ice_source *source = NULL;
    struct ice_str key, first = ICE_STR_NONE;
    struct ice_conf *conf = r->conf;
    enum ice_status status =
        ice_source_open_argument(&source, &key, conf->arena, conf->run, path, err);
    if (status >= 0)
        status = ice_open_endless(source, key, conf->run, &r->stream, err);
    if (status >= 0)
        status = ice_stream_peek_first(&r->stream, FIRST_BYTES, &first, err);
    if (status >= 0)
        status = read_kind(r, first, err);
    ice_stream_release(&r->stream);
    ice_source_free(source);
    return status;
}

static bool keep(struct ice_conf *conf, struct ice_conf_input *input) {
    if (!ice_array_reserve(&conf->run->alloc, &conf->inputs, conf->n_inputs,
                           &conf->cap_inputs, sizeof(struct ice_conf_input *)))
        return false;
    conf->inputs[conf->n_inputs++] = input;
    return true;
}

enum ice_status ice_conf_read_input(struct ice_conf *conf, const char *path,
                                    struct ice_error *err) {
    struct reading r = {.conf = conf};
    struct ice_error fault;
    ice_error_clear(&fault);
    r.input = ice_arena_alloc(conf->arena, sizeof(*r.input));
    if (r.input == NULL ||
        !ice_arena_dup(conf->arena, ice_str_from(path), &r.input->name))
        return ice_error_memory(err);
    r.input->first_line = 1;
    ice_buf_init(&r.buf, &conf->run->alloc, MOST_BYTES);
    enum ice_status status = read_path(&r, path, &fault);
    ice_buf_release(&r.buf);
    fault.status = status;
    ICE_TRY(ice_error_pass_final(err, status, &fault));
    if (status < 0)
        say_unread(conf, r.input, &fault);
    else if (r.input->kind == ICE_CONF_UNKNOWN)
        say_unknown(
            conf, r.input,
            r.input->bytes.size == 0
                ? "it is empty"
                : "it is none of what lint-conf reads: settings and event logs of Spark, "
                  "Glue jobs, Databricks clusters and library status, scripts, SQL, "
                  "policies of IAM, exports of a catalog, metadata.json");
    else if (!keep(conf, r.input))
        return ice_error_memory(err);
    return ICE_OK;
}
