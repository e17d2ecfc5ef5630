/*
 * Glue jobs: arguments, and the one --conf string that holds all settings of Spark.
 */
#include "conf/setup.h"

#include "base/chars.h"
#include "inputs/text_cells.h"

/* Where " --conf " (blanks on both sides) begins at or behind `from`; SIZE_MAX: nowhere.
 * *out_next: behind it. */
static size_t find_flag(struct ice_str text, size_t from, size_t *out_next) {
    static const char flag[] = "--conf";
    const size_t size = sizeof(flag) - 1;
    for (size_t i = from; i + size < text.size; i++) {
        if (memcmp(text.data + i, flag, size) == 0 && ice_is_blank(text.data[i + size]) &&
            (i == 0 || ice_is_blank(text.data[i - 1]))) {
            *out_next = i + size + 1;
            return i;
        }
    }
    return SIZE_MAX;
}

static struct ice_conf_at at_index(const struct ice_conf_input *input,
                                   const struct ice_conf_node *node, size_t index) {
    return (struct ice_conf_at){input, ice_conf_text_offset(input->bytes, node, index),
                                node};
}

static bool add_piece(struct ice_conf *conf, struct ice_conf_session *session,
                      const struct ice_conf_input *input,
                      const struct ice_conf_node *node, struct ice_str piece) {
    piece = ice_text_trim(piece);
    size_t equals = ice_str_find(piece, '=');
    if (equals == SIZE_MAX)
        return true;
    struct ice_str key = ice_text_trim(ice_str_first(piece, equals));
    struct ice_str value = ice_text_trim(ice_str_from_index(piece, equals + 1));
    if (value.data == NULL)
        value = (struct ice_str){piece.data + piece.size, 0};
    return ice_conf_add_pair(
        conf, session, key, value,
        at_index(input, node, (size_t)(key.data - node->text.data)),
        at_index(input, node, (size_t)(value.data - node->text.data)));
}

static bool add_conf_string(struct ice_conf *conf, struct ice_conf_session *session,
                            const struct ice_conf_input *input,
                            const struct ice_conf_node *node) {
    struct ice_str text = node->text;
    size_t begin = 0, next = 0;
    /* a flag in front of the first pair is a rule of its own */
    if (find_flag(text, 0, &next) == 0)
        begin = next;
    while (begin < text.size) {
        size_t end = find_flag(text, begin, &next);
        if (end == SIZE_MAX)
            end = next = text.size;
        struct ice_str piece = {text.data + begin, end - begin};
        if (!add_piece(conf, session, input, node, piece))
            return false;
        begin = next;
    }
    return true;
}

static bool add_arguments(struct ice_conf *conf, struct ice_conf_session *session,
                          const struct ice_conf_input *input,
                          const struct ice_conf_node *arguments) {
    const struct ice_conf_node *settings = ice_conf_member(arguments, "--conf");
    const struct ice_conf_node *jars = ice_conf_member(arguments, "--extra-jars");
    if (ice_conf_is(settings, ICE_JSON_STRING) &&
        !add_conf_string(conf, session, input, settings))
        return false;
    struct ice_str entry;
    for (size_t at = 0; ice_conf_is(jars, ICE_JSON_STRING) &&
                        ice_conf_jar_next(jars->text, ',', &at, &entry);) {
        size_t index = (size_t)(entry.data - jars->text.data);
        if (!ice_conf_add_library(conf, session, entry, at_index(input, jars, index)))
            return false;
    }
    return true;
}

static bool add_job(struct ice_conf *conf, const struct ice_conf_input *input,
                    const struct ice_conf_node *job) {
    if (ice_conf_is_full(conf, input))
        return true;
    struct ice_conf_session *session = ice_conf_new_session(conf, ICE_CONF_JOB, input);
    const struct ice_conf_node *version = ice_conf_member(job, "GlueVersion");
    if (session == NULL)
        return false;
    session->node = job;
    session->name = ice_conf_node_text(ice_conf_member(job, "Name"));
    session->platform = ICE_CONF_GLUE;
    session->runtime = ice_conf_node_text(version);
    session->runtime_at = ice_conf_at_node(input, version != NULL ? version : job);
    /* the ones that a run cannot override win: they come last */
    return add_arguments(conf, session, input,
                         ice_conf_member(job, "DefaultArguments")) &&
           add_arguments(conf, session, input,
                         ice_conf_member(job, "NonOverridableArguments"));
}

enum ice_status ice_conf_facts_glue(struct ice_conf *conf, struct ice_conf_input *input) {
    const struct ice_conf_node *root = input->root;
    const struct ice_conf_node *job = ice_conf_member(root, "Job");
    const struct ice_conf_node *jobs =
        ice_conf_is(root, ICE_JSON_ARRAY) ? root : ice_conf_member(root, "Jobs");
    if (ice_conf_is(jobs, ICE_JSON_ARRAY)) {
        for (job = jobs->first; job != NULL; job = job->next) {
            if (job->kind == ICE_JSON_OBJECT && !add_job(conf, input, job))
                return ICE_ENOMEM;
        }
        return ICE_OK;
    }
    return add_job(conf, input, job != NULL ? job : root) ? ICE_OK : ICE_ENOMEM;
}
