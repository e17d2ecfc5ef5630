/*
 * Sessions: what properties files and scripts say is shared by all commands that start
 * Spark, and each of these is a session of its own.
 */
#include "conf/setup.h"

#include "base/error.h"

/* Beyond, a setup is none that somebody looks after. */
enum {
    MOST_SESSIONS = 200,
    MOST_SHARED = 20000 /* settings that commands take over, all together */
};

/* ---- making ---- */

static bool append_session(struct ice_conf *conf, struct ice_conf_session *session) {
    if (!ice_array_reserve(&conf->run->alloc, &conf->sessions, conf->n_sessions,
                           &conf->cap_sessions, sizeof(struct ice_conf_session *)))
        return false;
    conf->sessions[conf->n_sessions++] = session;
    return true;
}

static struct ice_conf_session *make_session(struct ice_conf *conf,
                                             enum ice_conf_session_kind kind,
                                             const struct ice_conf_input *input) {
    struct ice_conf_session *session = ice_arena_alloc(conf->arena, sizeof(*session));
    if (session == NULL)
        return NULL;
    session->kind = kind;
    session->input = input;
    session->runtime_at = ice_conf_at_start(input);
    return session;
}

struct ice_conf_session *ice_conf_new_session(struct ice_conf *conf,
                                              enum ice_conf_session_kind kind,
                                              const struct ice_conf_input *input) {
    struct ice_conf_session *session = make_session(conf, kind, input);
    return session != NULL && append_session(conf, session) ? session : NULL;
}

struct ice_conf_session *ice_conf_declared(struct ice_conf *conf,
                                           const struct ice_conf_input *input) {
    if (conf->declared == NULL)
        conf->declared = make_session(conf, ICE_CONF_DECLARED, input);
    return conf->declared;
}

bool ice_conf_is_full(struct ice_conf *conf, const struct ice_conf_input *input) {
    if (conf->n_sessions < MOST_SESSIONS)
        return false;
    ice_conf_say_too_many(conf, input);
    return true;
}

void ice_conf_session_release(struct ice_conf *conf, struct ice_conf_session *session) {
    struct ice_alloc *alloc = &conf->run->alloc;
    ice_array_free(alloc, &session->pairs, &session->cap_pairs, sizeof(*session->pairs));
    ice_array_free(alloc, &session->libraries, &session->cap_libraries,
                   sizeof(*session->libraries));
    session->n_pairs = session->n_libraries = 0;
}

/* ---- what commands share ---- */

/* A session that a script builds: what it sets there wins over the command line. */
static bool is_of_script(const struct ice_conf_pair *pair) {
    enum ice_conf_kind kind = pair->at.input->kind;
    return kind == ICE_CONF_PYTHON || kind == ICE_CONF_NOTEBOOK || kind == ICE_CONF_SQL;
}

static bool add_pairs(struct ice_conf *conf, struct ice_conf_session *to,
                      const struct ice_conf_session *from, bool of_scripts) {
    for (size_t i = 0; i < from->n_pairs; i++) {
        if (is_of_script(&from->pairs[i]) != of_scripts)
            continue;
        if (!ice_array_reserve(&conf->run->alloc, &to->pairs, to->n_pairs, &to->cap_pairs,
                               sizeof(*to->pairs)))
            return false;
        to->pairs[to->n_pairs++] = from->pairs[i];
    }
    return true;
}

/* Behind each other, the last one wins: files, the command line, scripts. */
static bool take_over(struct ice_conf *conf, struct ice_conf_session *command,
                      const struct ice_conf_session *shared) {
    struct ice_conf_session all = {0};
    bool done = add_pairs(conf, &all, shared, false) &&
                add_pairs(conf, &all, command, false) &&
                add_pairs(conf, &all, shared, true);
    if (!done) {
        ice_conf_session_release(conf, &all);
        return false;
    }
    ice_array_free(&conf->run->alloc, &command->pairs, &command->cap_pairs,
                   sizeof(*command->pairs));
    command->pairs = all.pairs;
    command->n_pairs = all.n_pairs;
    command->cap_pairs = all.cap_pairs;
    command->knows_libraries = shared->knows_libraries;
    command->platform = shared->platform;
    for (size_t i = 0; i < shared->n_libraries; i++) {
        const struct ice_conf_library *library = &shared->libraries[i];
        size_t n = command->n_libraries;
        if (!ice_conf_add_library(conf, command, library->text, library->at))
            return false;
        if (command->n_libraries > n)
            command->libraries[n].status = library->status;
    }
    return true;
}

/* "run.sh:12", where one file name would be that of several. */
static bool name_command(struct ice_conf *conf, struct ice_conf_session *command) {
    struct ice_buf text;
    ice_buf_init(&text, &conf->run->alloc, SIZE_MAX / 2);
    bool done =
        ice_buf_append_str(&text, command->input->name) == ICE_OK &&
        ice_buf_printf(&text, ":%u", ice_conf_line(command->runtime_at)) == ICE_OK &&
        ice_arena_dup(conf->arena, ice_buf_str(&text), &command->name);
    ice_buf_release(&text);
    return done;
}

/* One that would take over too much is left out, and that is said. */
static bool settle_command(struct ice_conf *conf, struct ice_conf_session *command,
                           size_t *n_shared) {
    const struct ice_conf_session *shared = conf->declared;
    size_t n = shared != NULL ? shared->n_pairs + shared->n_libraries : 0;
    if (conf->n_commands > 1 && n > MOST_SHARED - *n_shared) {
        ice_conf_say_too_many(conf, command->input);
        ice_conf_session_release(conf, command);
        return true;
    }
    *n_shared += conf->n_commands > 1 ? n : 0;
    return (shared == NULL || take_over(conf, command, shared)) &&
           (conf->n_commands == 1 || name_command(conf, command));
}

bool ice_conf_settle_sessions(struct ice_conf *conf) {
    size_t n_shared = 0;
    if (conf->n_commands == 0)
        return conf->declared == NULL || append_session(conf, conf->declared);
    for (size_t i = 0; i < conf->n_sessions; i++) {
        if (conf->sessions[i]->input->kind == ICE_CONF_SUBMIT &&
            !settle_command(conf, conf->sessions[i], &n_shared))
            return false;
    }
    return true;
}
