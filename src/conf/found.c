/*
 * Findings of configuration: their place in a file, and the one place where secrets are
 * masked.
 */
#include "conf/conf.h"
#include "base/chars.h"

#include "base/compiler.h"

enum {
    KEY_ID_BYTES = 20,      /* of an AWS access key id */
    LEAST_SECRET_INSIDE = 6 /* shorter ones are masked only as a whole */
};

/* ---- places ---- */

struct ice_conf_at ice_conf_at_node(const struct ice_conf_input *input,
                                    const struct ice_conf_node *node) {
    return (struct ice_conf_at){input, node->offset, node};
}

struct ice_conf_at ice_conf_at_offset(const struct ice_conf_input *input,
                                      uint64_t offset) {
    return (struct ice_conf_at){input, offset, NULL};
}

struct ice_conf_at ice_conf_at_start(const struct ice_conf_input *input) {
    return ice_conf_at_offset(input, 0);
}

struct ice_conf_at ice_conf_at_pair(const struct ice_conf_pair *pair) {
    return pair->declared != NULL ? pair->declared->at : pair->at;
}

struct ice_conf_at ice_conf_at_value(const struct ice_conf_pair *pair) {
    return pair->declared != NULL ? pair->declared->value_at : pair->value_at;
}

struct ice_conf_at ice_conf_at_catalog(const struct ice_conf_catalog *catalog) {
    return ice_conf_at_pair(catalog->definition != NULL ? catalog->definition
                                                        : catalog->first);
}

/* Index of the line that holds the offset. */
static size_t line_of(const struct ice_conf_input *input, uint64_t offset) {
    size_t low = 0, high = input->n_lines;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (input->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t ice_conf_line(struct ice_conf_at at) {
    size_t line = at.input->n_lines > 0 ? line_of(at.input, at.offset) : 0;
    return at.input->first_line + (uint32_t)line;
}

static struct ice_place place_of(struct ice_conf *conf, struct ice_conf_at at) {
    uint64_t order = (uint64_t)conf->section << 56;
    for (size_t i = 0; i < conf->n_inputs && conf->inputs[i] != at.input; i++)
        order++;
    struct ice_place place = ice_place_file(ICE_STR_NONE, order);
    if (at.input == NULL)
        return place;
    place.at.file = at.input->name;
    place.at.offset = at.input->first_offset + at.offset;
    if (at.input->n_lines > 0) {
        uint64_t column = at.offset - at.input->lines[line_of(at.input, at.offset)] + 1;
        place.at.line = ice_conf_line(at);
        place.at.column = column < UINT32_MAX ? (uint32_t)column : UINT32_MAX;
    }
    if (at.node != NULL &&
        !ice_conf_pointer(at.node, conf->arena, conf->run, &place.at.pointer))
        ice_emit_no_memory(conf->emit);
    return place;
}

/* ---- secrets ---- */

static bool contains_nocase(struct ice_str text, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++) {
        size_t k = 0;
        while (k < size && ice_lower(text.data[i + k]) == word[k])
            k++;
        if (k == size)
            return true;
    }
    return false;
}

bool ice_conf_is_secret_key(struct ice_str key) {
    static const char *const words[] = {"secret",     "password",   "token",
                                        "credential", "access-key", "private",
                                        "access.key", "accesskey",  "access_key"};
    for (size_t i = 0; i < ICE_COUNT_OF(words); i++) {
        if (contains_nocase(key, words[i]))
            return true;
    }
    return false;
}

/* AKIA or one of its relatives, and 16 more capitals and digits. */
static bool is_key_id(struct ice_str text) {
    static const char *const heads[] = {"AKIA", "ASIA", "AROA", "AIDA",
                                        "AGPA", "ANPA", "ANVA", "AIPA"};
    bool has_head = false;
    if (text.size < KEY_ID_BYTES)
        return false;
    for (size_t i = 0; i < ICE_COUNT_OF(heads); i++)
        has_head = has_head || ice_str_starts(text, ice_str_from(heads[i]));
    for (size_t i = 4; i < KEY_ID_BYTES && has_head; i++) {
        char c = text.data[i];
        has_head = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
    return has_head;
}

/* Bytes of a secret at the start of text; 0: none. is_whole: nothing stands before. */
static size_t secret_at(const struct ice_conf *conf, struct ice_str text, bool is_whole) {
    size_t longest = is_key_id(text) ? KEY_ID_BYTES : 0;
    for (size_t i = 0; i < conf->n_secrets; i++) {
        struct ice_str secret = conf->secrets[i];
        bool fits = secret.size >= LEAST_SECRET_INSIDE
                        ? ice_str_starts(text, secret)
                        : is_whole && ice_str_equal(text, secret);
        if (fits && secret.size > longest)
            longest = secret.size;
    }
    return longest;
}

struct ice_str ice_conf_masked(struct ice_conf *conf, struct ice_str text) {
    struct ice_buf buf;
    bool is_masked = false, done = true;
    if (conf->masks_all)
        return ICE_STR("***");
    ice_buf_init(&buf, &conf->run->alloc, SIZE_MAX / 2);
    for (size_t i = 0; i < text.size && done;) {
        size_t n = secret_at(conf, ice_str_from_index(text, i), i == 0);
        is_masked = is_masked || n > 0;
        done = (n > 0 ? ice_buf_append_str(&buf, ICE_STR("***"))
                      : ice_buf_append_char(&buf, text.data[i])) == ICE_OK;
        i += n > 0 ? n : 1;
    }
    struct ice_str out = text;
    if (!done || (is_masked && !ice_arena_dup(conf->arena, ice_buf_str(&buf), &out))) {
        out = ICE_STR("***");
        ice_emit_no_memory(conf->emit);
    }
    ice_buf_release(&buf);
    return out;
}

/* ---- the finding ---- */

enum { MOST_ARGS = 8, MOST_SHOWN = 1024 };

static uint64_t hash_of(const struct ice_conf *conf, enum ice_rule_id id,
                        enum ice_severity severity, const struct ice_place *place,
                        const struct ice_arg *args, size_t n_args) {
    const uint64_t seed = conf->run->hash_seed;
    uint64_t hash = ice_hash_mix((uint64_t)id << 32 | (uint64_t)severity, seed);
    hash = ice_hash64(place->at.file, ice_hash_mix(hash ^ place->at.offset, seed));
    for (size_t i = 0; i < n_args; i++)
        hash = ice_hash_mix(ice_hash64(args[i].str, hash) ^ (uint64_t)args[i].i64, seed);
    return hash;
}

/* The same was said of a setting that several commands share. */
static bool was_told(struct ice_conf *conf, uint64_t hash) {
    size_t at = SIZE_MAX;
    uint32_t value;
    if (conf->n_commands < 2)
        return false;
    if (ice_table_next(&conf->told, hash, &at, &value))
        return true;
    conf->told.alloc = &conf->run->alloc;
    if (ice_table_put(&conf->told, hash, 0) < 0)
        ice_emit_no_memory(conf->emit);
    return false;
}

void ice_conf_found(struct ice_conf *conf, enum ice_rule_id id,
                    enum ice_severity severity, struct ice_conf_at at,
                    const struct ice_arg *args, size_t n_args) {
    struct ice_arg masked[MOST_ARGS];
    struct ice_place place = place_of(conf, at);
    if (was_told(conf, hash_of(conf, id, severity, &place, args, n_args)) ||
        ice_emit_only_counts(conf->emit, id, severity, place.at.file))
        return;
    size_t n = n_args < MOST_ARGS ? n_args : MOST_ARGS;
    for (size_t i = 0; i < n; i++) {
        masked[i] = args[i];
        if (masked[i].kind == ICE_ARG_STR) /* longer ones are cut anyway */
            masked[i].str =
                ice_conf_masked(conf, ice_str_first(masked[i].str, MOST_SHOWN));
    }
    place.at.pointer = ice_conf_masked(conf, place.at.pointer);
    ice_emit_found(conf->emit, id, severity, &place, NULL, masked, n);
}

void ice_conf_not_checked(struct ice_conf *conf, const char *what, const char *why) {
    ice_emit_not_evaluated(conf->emit, what, ice_str_from(why), false, ICE_STR_NONE);
}
