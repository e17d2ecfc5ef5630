/*
 * Lines that start Spark: pairs with their places, out of the words of a shell. Options
 * that stand in variables are put in where the file tells what they hold; a command of
 * which it does not is not judged, as whatever seems to lack may be among them.
 */
#include "conf/setup.h"
#include "conf/shell.h"
#include "conf/shell_text.h"

#include "base/compiler.h"
#include "base/error.h"

static bool add_conf(struct ice_conf *conf, struct ice_conf_session *session,
                     const struct ice_conf_input *input,
                     const struct ice_shell_word *word) {
    size_t equals = ice_str_find(word->text, '=');
    if (equals == SIZE_MAX)
        return true;
    bool done = ice_conf_add_pair(conf, session, ice_str_first(word->text, equals),
                                  ice_str_from_index(word->text, equals + 1),
                                  ice_conf_at_offset(input, word->at),
                                  ice_conf_at_offset(input, word->value_at));
    if (done && word->has_unknown && session->n_pairs > 0)
        session->pairs[session->n_pairs - 1].is_hidden = true;
    return done;
}

/* Options that say a setting by another name. */
static const struct {
    const char *option, *key;
} options[] = {
    {"--conf", NULL},
    {"-c", NULL},
    {"--hiveconf", NULL}, /* of spark-sql */
    {"--jars", "spark.jars"},
    {"--packages", "spark.jars.packages"},
    {"--driver-class-path", "spark.driver.extraClassPath"},
};

static bool add_option(struct ice_conf *conf, struct ice_conf_session *session,
                       const struct ice_conf_input *input, struct ice_str option,
                       const struct ice_shell_word *value) {
    const char *key = NULL;
    for (size_t i = 0; i < ICE_COUNT_OF(options); i++) {
        if (ice_str_is(option, options[i].option))
            key = options[i].key;
    }
    if (key == NULL)
        return add_conf(conf, session, input, value);
    struct ice_conf_at at = ice_conf_at_offset(input, value->at);
    return ice_conf_add_pair(conf, session, ice_str_from(key), value->text, at, at);
}

static bool is_option(struct ice_str text) {
    for (size_t i = 0; i < ICE_COUNT_OF(options); i++) {
        if (ice_str_is(text, options[i].option))
            return true;
    }
    return false;
}

/* ---- commands ---- */

/* Where the words of a file are just now. */
struct reading {
    struct ice_conf *conf;
    struct ice_conf_input *input;
    bool is_inside;                   /* of a command that starts Spark ... */
    size_t program;                   /* ... whose name stands here, ... */
    struct ice_conf_session *command; /* ... its session, once an option was read */
    struct ice_str option;            /* whose value comes next; empty: none */

    /* of the command */
    bool is_submit; /* spark-submit: behind its application all is the application's */
    bool has_value; /* the next word is the value of an option */
    bool has_application;
    struct ice_str hidden; /* the first reference that may hold options; empty: none */
    size_t n_hidden;
    bool is_application_hidden; /* ... the only one may be the application itself */
};

static bool is_program(struct ice_str text) {
    static const char *const programs[] = {"spark-submit", "spark-sql", "spark-shell",
                                           "pyspark"};
    for (size_t i = 0; i < ICE_COUNT_OF(programs); i++) {
        if (ice_str_ends(text, ice_str_from(programs[i])))
            return true;
    }
    return false;
}

/* The session that an option belongs to: what stands in front of commands, in arrays and
 * variables, is shared by them. NULL: out of memory, or *out_is_full. */
static struct ice_conf_session *session_of(struct reading *r, bool *out_is_full) {
    if (!r->is_inside)
        return ice_conf_declared(r->conf, r->input);
    if (r->command != NULL)
        return r->command;
    *out_is_full = ice_conf_is_full(r->conf, r->input);
    if (*out_is_full)
        return NULL;
    r->command = ice_conf_new_session(r->conf, ICE_CONF_DECLARED, r->input);
    if (r->command == NULL)
        return NULL;
    r->command->runtime_at = ice_conf_at_offset(r->input, r->program);
    r->conf->n_commands++;
    return r->command;
}

/* ---- what is not known of a command ---- */

/* What a reference names, without the text that stands in for it: that may be a secret.
 */
static struct ice_str name_of(struct ice_str text) {
    struct ice_shell_ref ref = ice_shell_ref_at(text);
    if (ref.kind == ICE_SHELL_OTHER && ref.name.size > 0)
        return ref.name;
    return ice_str_starts(text, ICE_STR("$(")) || ice_str_find(text, '`') != SIZE_MAX
               ? ICE_STR("the output of a command")
               : text;
}

/* A word that may be options, and is not known. */
static void hide(struct reading *r, const struct ice_shell_word *word) {
    if (r->n_hidden++ == 0)
        r->hidden = name_of(word->text);
    r->is_application_hidden = r->n_hidden == 1 && word->is_named;
}

/* Options that have no value. */
static bool is_flag(struct ice_str text) {
    static const char *const flags[] = {"--supervise", "--verbose", "--version", "--help",
                                        "--usage-error"};
    for (size_t i = 0; i < ICE_COUNT_OF(flags); i++) {
        if (ice_str_is(text, flags[i]))
            return true;
    }
    return false;
}

/* A word of a command behind its program that is no option of the table below. */
static void see_argument(struct reading *r, const struct ice_shell_word *word) {
    bool is_value = r->has_value;
    r->has_value = false;
    if (is_value || word->text.size == 0 || (r->is_submit && r->has_application))
        return;
    bool is_file = ice_str_starts(word->text, ICE_STR("--properties-file"));
    bool is_output = word->has_unknown && ice_str_find(word->text, '`') != SIZE_MAX;
    if (word->is_many || is_output ||
        (is_file && !ice_conf_has(r->conf, ICE_CONF_PROPERTIES)))
        hide(r, word);
    if (word->is_many || is_output)
        return;
    if (ice_str_starts(word->text, ICE_STR("--")))
        r->has_value = ice_str_find(word->text, '=') == SIZE_MAX && !is_flag(word->text);
    else if (!ice_str_starts(word->text, ICE_STR("-")))
        r->has_application = true;
}

/* A setting that stands in a variable. */
static void see_value(struct reading *r, struct ice_str option,
                      const struct ice_shell_word *value) {
    bool is_setting = ice_str_is(option, "--conf") || ice_str_is(option, "-c") ||
                      ice_str_is(option, "--hiveconf");
    if (is_setting && value->is_unknown) {
        hide(r, value);
        r->is_application_hidden = false;
    }
}

/* Behind the last word of a command. */
static bool end_command(struct reading *r) {
    bool is_hidden =
        r->n_hidden > 0 && !(r->n_hidden == 1 && r->is_submit &&
                             r->is_application_hidden && !r->has_application);
    bool is_full = false;
    if (!r->is_inside || !is_hidden) {
        r->is_inside = false;
        return true;
    }
    struct ice_conf_session *session = session_of(r, &is_full);
    r->is_inside = false;
    if (session != NULL)
        session->hidden = r->hidden;
    return is_full || session != NULL;
}

/*
 * A command goes on over lines that are joined, and over lines that begin with an option,
 * as in a folded text of YAML. Inside of it the name of a program is a value.
 */
static bool see_command(struct reading *r, const struct ice_shell_word *word) {
    bool is_list = ice_str_is(word->text, "-");
    if (word->begins_line && (is_list || !ice_str_starts(word->text, ICE_STR("-"))) &&
        !end_command(r))
        return false;
    if (r->is_inside) {
        see_argument(r, word);
        return true;
    }
    if (!is_program(word->text))
        return true;
    r->is_inside = true;
    r->program = word->at;
    r->command = NULL;
    r->is_submit = ice_str_ends(word->text, ICE_STR("spark-submit"));
    r->has_value = r->has_application = r->is_application_hidden = false;
    r->n_hidden = 0;
    return true;
}

static bool take_option(struct reading *r, struct ice_str option,
                        const struct ice_shell_word *value) {
    bool is_full = false;
    if (r->is_inside)
        see_value(r, option, value);
    struct ice_conf_session *session = session_of(r, &is_full);
    return is_full ||
           (session != NULL && add_option(r->conf, session, r->input, option, value));
}

static bool take_word(struct reading *r, struct ice_shell_word *word) {
    size_t equals = ice_str_find(word->text, '=');
    struct ice_str option = r->option;
    r->option = ICE_STR_NONE;
    if (option.size > 0) {
        r->has_value = false;
        return take_option(r, option, word);
    }
    if (!see_command(r, word))
        return false;
    /* an array that is no assignment: [(--conf ... */
    size_t open = ice_str_rfind(word->text, '(');
    option = open == SIZE_MAX ? word->text : ice_str_from_index(word->text, open + 1);
    if (is_option(option)) {
        r->option = option;
        return true;
    }
    option = ice_str_first(word->text, equals);
    if (equals == SIZE_MAX || !is_option(option))
        return true;
    word->text = ice_str_from_index(word->text, equals + 1);
    word->at = word->value_at;
    equals = ice_str_find(word->text, '=');
    if (equals < word->text.size) {
        word->value_at += equals + 1;
        if (word->value_at > r->input->bytes.size) /* it came from a variable */
            word->value_at = word->at;
    }
    return take_option(r, option, word);
}

/* All words; ICE_ENOMEM. */
static enum ice_status read_words(struct reading *r, struct ice_shell *shell) {
    struct ice_shell_word word;
    enum ice_status status;
    while ((status = ice_shell_next(shell, &word)) == ICE_OK) {
        if (word.is_loose && r->is_inside && !end_command(r))
            return ICE_ENOMEM;
        if (!take_word(r, &word) || (word.ends_command && !end_command(r)))
            return ICE_ENOMEM;
        ice_shell_set_inside(shell, r->is_inside);
    }
    if (status == ICE_DONE)
        return end_command(r) ? ICE_OK : ICE_ENOMEM;
    return status;
}

enum ice_status ice_conf_facts_submit(struct ice_conf *conf,
                                      struct ice_conf_input *input) {
    struct reading r = {.conf = conf, .input = input};
    struct ice_shell *shell;
    ICE_TRY(ice_shell_open(&shell, conf, input));
    enum ice_status status = read_words(&r, shell);
    ice_shell_free(shell);
    return status;
}
