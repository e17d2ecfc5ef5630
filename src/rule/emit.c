/*
 * Keeping findings: severity, caps, counters. What a finding carries is copied and cut to
 * a bounded size, since names and paths of a hostile table may have megabytes.
 */
#include "rule/emit_state.h"

#include "base/error.h"
#include "rule/message.h"

#include <assert.h>

enum {
    MAX_FILE_BYTES = 4096,
    MAX_POINTER_BYTES = 8192,
    MAX_ARG_BYTES = 1024,
    MAX_ARG_RAW_BYTES = 64,
    MAX_REASON_LINES = 20,  /* kept not-evaluated lines of one reason */
    MAX_MISSED_LINES = 1000 /* ... of a table */
};

struct ice_place ice_place_at(struct ice_str file, uint64_t order,
                              struct ice_str pointer) {
    return (struct ice_place){.order = order,
                              .at = {.file = file,
                                     .pointer = pointer,
                                     .offset = ICE_NO_OFFSET,
                                     .block = ICE_NO_OFFSET,
                                     .record = ICE_NO_OFFSET}};
}

struct ice_place ice_place_file(struct ice_str file, uint64_t order) {
    return ice_place_at(file, order, ICE_STR_NONE);
}

enum ice_severity ice_severity_drop(enum ice_severity severity) {
    switch (severity) {
    case ICE_ERROR:
        return ICE_WARN;
    case ICE_WARN:
    case ICE_INFO:
        return ICE_INFO;
    case ICE_OFF:
        return ICE_OFF;
    }
    return severity;
}

enum ice_severity ice_emit_resolve(const struct ice_emit *emit, enum ice_rule_id id,
                                   enum ice_severity severity) {
    const struct ice_rule_state *state = &emit->rules[id];
    if (!state->enabled || severity == ICE_OFF)
        return ICE_OFF;
    if (state->override >= 0)
        return (enum ice_severity)state->override;
    if (emit->strict && ice_rule_of(id)->demoted)
        return ICE_ERROR;
    return severity == ICE_DEFAULT ? ice_rule_of(id)->severity : severity;
}

enum ice_severity ice_emit_severity(const struct ice_emit *emit, enum ice_rule_id id) {
    return ice_emit_resolve(emit, id, ICE_DEFAULT);
}

/* All that a glob covers; override -1: it is asked for. */
static void take_glob(struct ice_rule_state *rules, const char *glob, int override) {
    enum ice_rule_id named; /* a name without wildcard, which may be a former one */
    bool is_name = ice_rule_id_of(glob, &named);
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++) {
        bool is_covered =
            is_name ? i == (size_t)named
                    : ice_rule_matches(glob, ice_rule_of((enum ice_rule_id)i)->name);
        if (is_covered && override < 0)
            rules[i].enabled = true;
        else if (is_covered)
            rules[i].override = override;
    }
}

void ice_rule_states_of(const struct ice_options *options, struct ice_rule_state *out) {
    for (size_t i = 0; i < ICE_RULE_ID_COUNT; i++)
        out[i] = (struct ice_rule_state){
            .enabled = options == NULL || options->n_only == 0, .override = -1};
    for (size_t i = 0; options != NULL && i < options->n_only; i++)
        take_glob(out, options->only[i], -1);
    for (size_t i = 0; options != NULL && i < options->n_overrides; i++)
        take_glob(out, options->overrides[i].glob, (int)options->overrides[i].severity);
    for (size_t i = 0; options != NULL && options->profile == ICE_PROFILE_READER &&
                       i < ICE_RULE_ID_COUNT;
         i++) {
        if (!ice_rule_of((enum ice_rule_id)i)->refused)
            out[i].enabled = false;
    }
}

static void init_tables(struct ice_emit *emit) {
    struct ice_alloc *alloc = &emit->run->alloc;
    ice_table_init(&emit->groups_by_file, alloc);
    ice_table_init(&emit->missed_by_text, alloc);
    ice_table_init(&emit->reasons_by_text, alloc);
    ice_arena_init(&emit->arena, alloc);
}

enum ice_status ice_emit_open_beside(struct ice_emit **out, const struct ice_emit *of) {
    struct ice_emit *emit = ice_calloc(&of->run->alloc, 1, sizeof(*emit));
    *out = emit;
    if (emit == NULL)
        return ICE_ENOMEM;
    emit->run = of->run;
    emit->rules = of->rules;
    emit->shares_rules = true;
    emit->fail_on = of->fail_on;
    emit->strict = of->strict;
    init_tables(emit);
    return ICE_OK;
}

enum ice_status ice_emit_open(struct ice_emit **out, struct ice_run *run,
                              const struct ice_options *options, struct ice_error *err) {
    *out = NULL;
    struct ice_emit *emit = ice_calloc(&run->alloc, 1, sizeof(*emit));
    if (emit == NULL)
        return ice_error_memory(err);
    emit->run = run;
    emit->rules = ice_calloc(&run->alloc, ICE_RULE_ID_COUNT + 1, sizeof(*emit->rules));
    /* at once: the first finding may be that there is no memory for more */
    emit->tallies = ice_calloc(&run->alloc, ICE_RULE_ID_COUNT, sizeof(*emit->tallies));
    if (emit->rules == NULL || emit->tallies == NULL) {
        ice_free(&run->alloc, emit->rules,
                 (ICE_RULE_ID_COUNT + 1) * sizeof(*emit->rules));
        ice_free(&run->alloc, emit->tallies, ICE_RULE_ID_COUNT * sizeof(*emit->tallies));
        ice_free(&run->alloc, emit, sizeof(*emit));
        return ice_error_memory(err);
    }
    emit->fail_on = options ? options->fail_on : ICE_ERROR;
    emit->asked = ice_asked_of(options);
    emit->baseline = options != NULL ? options->baseline : NULL;
    emit->strict = options != NULL && options->profile == ICE_PROFILE_STRICT;
    ice_rule_states_of(options, emit->rules);
    init_tables(emit);
    *out = emit;
    return ICE_OK;
}

void ice_emit_set_stable(struct ice_emit *emit, ice_stable_fn stable, void *user) {
    emit->stable = stable;
    emit->stable_user = user;
}

static void free_tallies(struct ice_emit *emit) {
    ice_free(&emit->run->alloc, emit->tallies,
             ICE_RULE_ID_COUNT * sizeof(*emit->tallies));
    emit->tallies = NULL;
}

void ice_emit_reset(struct ice_emit *emit) {
    struct ice_alloc *alloc = &emit->run->alloc;
    ice_array_free(alloc, &emit->kept, &emit->cap_kept, sizeof(*emit->kept));
    ice_array_free(alloc, &emit->groups, &emit->cap_groups, sizeof(*emit->groups));
    ice_array_free(alloc, &emit->missed, &emit->cap_missed, sizeof(*emit->missed));
    ice_array_free(alloc, &emit->reasons, &emit->cap_reasons, sizeof(*emit->reasons));
    ice_table_release(&emit->groups_by_file);
    ice_table_release(&emit->missed_by_text);
    ice_table_release(&emit->reasons_by_text);
    ice_arena_release(&emit->arena);
    if (emit->shares_rules)
        free_tallies(emit);
    else
        memset(emit->tallies, 0, ICE_RULE_ID_COUNT * sizeof(*emit->tallies));
    emit->n_kept = emit->n_gone = emit->n_groups = emit->n_missed = emit->n_reasons = 0;
    memset(emit->counts, 0, sizeof(emit->counts));
    memset(emit->last, 0, sizeof(emit->last));
    emit->n_left_out = 0;
    emit->any_asked = emit->closing = false;
    emit->status = ICE_OK;
}

void ice_emit_free(struct ice_emit *emit) {
    if (emit == NULL)
        return;
    struct ice_alloc *alloc = &emit->run->alloc;
    ice_emit_reset(emit);
    free_tallies(emit);
    if (!emit->shares_rules)
        ice_free(alloc, emit->rules, (ICE_RULE_ID_COUNT + 1) * sizeof(*emit->rules));
    ice_free(alloc, emit, sizeof(*emit));
}

void ice_emit_no_memory(struct ice_emit *emit) {
    emit->status = ICE_ENOMEM;
}

enum ice_status ice_emit_status(const struct ice_emit *emit) {
    return emit->status;
}

/* At most max bytes, whole UTF-8 characters, "…" behind what was cut. */
static bool copy_cut(struct ice_arena *arena, struct ice_str text, size_t max,
                     struct ice_str *out) {
    static const char ellipsis[] = {'\xe2', '\x80', '\xa6'};
    if (text.size <= max)
        return ice_arena_dup(arena, text, out);
    size_t size = max;
    while (size > max - 4 && ((unsigned char)text.data[size] & 0xc0) == 0x80)
        size--;
    char *copy = ice_arena_alloc(arena, size + sizeof(ellipsis));
    if (copy == NULL)
        return false;
    memcpy(copy, text.data, size);
    memcpy(copy + size, ellipsis, sizeof(ellipsis));
    *out = (struct ice_str){copy, size + sizeof(ellipsis)};
    return true;
}

/* A pointer that is too long becomes that of an ancestor: it still resolves. */
static bool copy_pointer(struct ice_arena *arena, struct ice_str pointer,
                         struct ice_str *out) {
    while (pointer.size > MAX_POINTER_BYTES) {
        size_t slash = ice_str_rfind(pointer, '/');
        pointer.size = slash == SIZE_MAX ? 0 : slash;
    }
    return ice_arena_dup(arena, pointer, out);
}

static bool copy_arg(struct ice_arena *arena, const struct ice_arg *arg,
                     struct ice_arg *out) {
    *out = *arg;
    switch (arg->kind) {
    case ICE_ARG_STR:
        return copy_cut(arena, arg->str, MAX_ARG_BYTES, &out->str);
    case ICE_ARG_BYTES:
        return ice_arena_dup(arena, ice_str_first(arg->str, MAX_ARG_RAW_BYTES),
                             &out->str);
    case ICE_ARG_I64:
    case ICE_ARG_ID:
    case ICE_ARG_BOOL:
        return true;
    }
    return true;
}

static bool copy_args(struct ice_arena *arena, const struct ice_arg *args, size_t n_args,
                      struct ice_kept *kept) {
    kept->args = ice_arena_array(arena, n_args, sizeof(*args));
    if (kept->args == NULL)
        return false;
    for (size_t i = 0; i < n_args; i++) {
        if (args[i].name == NULL)
            continue; /* ARG_NONE */
        if (!copy_arg(arena, &args[i], &kept->args[kept->n_args++]))
            return false;
    }
    return true;
}

struct ice_kept_group *ice_emit_group(struct ice_emit *emit, enum ice_rule_id id,
                                      struct ice_str file, bool create) {
    file = ice_str_first(file, MAX_FILE_BYTES);
    uint64_t key = ice_hash64(file, emit->run->hash_seed + (uint64_t)id);
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&emit->groups_by_file, key, &at, &index)) {
        struct ice_kept_group *group = &emit->groups[index];
        if (group->id == id &&
            ice_str_equal(ice_str_first(group->file, MAX_FILE_BYTES), file))
            return group;
    }
    if (!create)
        return NULL;
    struct ice_kept_group fresh = {.id = id};
    if (emit->n_groups >= UINT32_MAX || !ice_arena_dup(&emit->arena, file, &fresh.file) ||
        !ice_array_reserve(&emit->run->alloc, &emit->groups, emit->n_groups,
                           &emit->cap_groups, sizeof(*emit->groups)) ||
        ice_table_put(&emit->groups_by_file, key, (uint32_t)emit->n_groups) < 0) {
        emit->status = ICE_ENOMEM;
        return NULL;
    }
    emit->groups[emit->n_groups] = fresh;
    return &emit->groups[emit->n_groups++];
}

static bool keep(struct ice_emit *emit, enum ice_rule_id id, const struct ice_room *room,
                 enum ice_severity severity, const struct ice_place *place,
                 const struct ice_place *other, const struct ice_arg *args,
                 size_t n_args) {
    struct ice_arena *arena = &emit->arena;
    struct ice_kept kept = {
        .id = id, .severity = severity, .group = room->group, .at = *place};
    kept.at.at.file = emit->groups[room->group].file;
    kept.other = other != NULL ? other->at : ice_place_file(ICE_STR_NONE, 0).at;
    if (!copy_pointer(arena, place->at.pointer, &kept.at.at.pointer) ||
        !copy_pointer(arena, kept.other.pointer, &kept.other.pointer) ||
        !copy_cut(arena, kept.other.file, MAX_FILE_BYTES, &kept.other.file) ||
        !copy_args(arena, args, n_args, &kept))
        return false;
    return ice_emit_put(emit, room, &kept);
}

void ice_emit_found(struct ice_emit *emit, enum ice_rule_id id,
                    enum ice_severity severity, const struct ice_place *place,
                    const struct ice_place *other, const struct ice_arg *args,
                    size_t n_args) {
    severity = ice_emit_resolve(emit, id, severity);
    if (severity == ICE_OFF || emit->status < 0)
        return;
    assert(ice_message_has_all(ice_rule_of(id)->message, args, n_args));
    emit->counts[severity]++;
    struct ice_room room;
    if (ice_emit_has_room(emit, id, place->at.file, severity,
                          ice_args_are_current(args, n_args), &room) &&
        !keep(emit, id, &room, severity, place, other, args, n_args))
        emit->status = ICE_ENOMEM;
}

size_t ice_emit_count(const struct ice_emit *emit) {
    return emit->n_kept;
}

struct ice_place *ice_emit_place(struct ice_emit *emit, size_t index) {
    return &emit->kept[index].at;
}

enum ice_rule_id ice_emit_rule(const struct ice_emit *emit, size_t index) {
    return emit->kept[index].id;
}

struct ice_str ice_emit_arg_str(const struct ice_emit *emit, size_t index,
                                const char *name) {
    const struct ice_kept *kept = &emit->kept[index];
    return ice_args_text(kept->args, kept->n_args, name);
}

const struct ice_not_evaluated *ice_emit_missed(const struct ice_emit *emit,
                                                size_t *out_n) {
    *out_n = emit->n_missed;
    return emit->missed;
}

/* ---- not evaluated ---- */

static uint64_t text_key(const struct ice_emit *emit,
                         const struct ice_not_evaluated *line, bool with_file) {
    uint64_t seed = emit->run->hash_seed;
    uint64_t key = ice_hash64(line->what, seed) ^ ice_hash64(line->why, seed + 1) ^
                   (line->asked ? 1u : 0u);
    return with_file ? key ^ ice_hash64(line->file, seed + 2) : key;
}

static bool same_reason(const struct ice_not_evaluated *a,
                        const struct ice_not_evaluated *b) {
    return a->asked == b->asked && ice_str_equal(a->what, b->what) &&
           ice_str_equal(a->why, b->why);
}

static bool is_known(const struct ice_emit *emit, const struct ice_not_evaluated *line,
                     uint64_t key) {
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&emit->missed_by_text, key, &at, &index)) {
        if (same_reason(&emit->missed[index], line) &&
            ice_str_equal(emit->missed[index].file, line->file))
            return true;
    }
    return false;
}

static struct ice_reason *reason_of(const struct ice_emit *emit,
                                    const struct ice_not_evaluated *line, uint64_t key) {
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&emit->reasons_by_text, key, &at, &index)) {
        if (same_reason(&emit->missed[emit->reasons[index].last], line))
            return &emit->reasons[index];
    }
    return NULL;
}

static bool add_reason(struct ice_emit *emit, uint64_t key, uint32_t line) {
    if (!ice_array_reserve(&emit->run->alloc, &emit->reasons, emit->n_reasons,
                           &emit->cap_reasons, sizeof(*emit->reasons)) ||
        ice_table_put(&emit->reasons_by_text, key, (uint32_t)emit->n_reasons) < 0)
        return false;
    emit->reasons[emit->n_reasons++] = (struct ice_reason){.last = line, .n_kept = 1};
    return true;
}

static bool keep_line(struct ice_emit *emit, const struct ice_not_evaluated *line,
                      uint64_t key) {
    struct ice_not_evaluated kept = *line;
    if (!ice_arena_dup(&emit->arena, line->what, &kept.what) ||
        !ice_arena_dup(&emit->arena, line->why, &kept.why) ||
        !ice_arena_dup(&emit->arena, line->file, &kept.file) ||
        !ice_array_reserve(&emit->run->alloc, &emit->missed, emit->n_missed,
                           &emit->cap_missed, sizeof(*emit->missed)) ||
        ice_table_put(&emit->missed_by_text, key, (uint32_t)emit->n_missed) < 0)
        return false;
    emit->missed[emit->n_missed++] = kept;
    return true;
}

void ice_emit_add_missed(struct ice_emit *emit, const struct ice_not_evaluated *line) {
    emit->any_asked = emit->any_asked || line->asked;
    uint64_t key = text_key(emit, line, true), reason_key = text_key(emit, line, false);
    if (emit->status < 0 || is_known(emit, line, key))
        return;
    struct ice_reason *reason = reason_of(emit, line, reason_key);
    if (reason != NULL && reason->n_kept >= MAX_REASON_LINES) {
        emit->missed[reason->last].more += 1 + line->more;
    } else if (emit->n_missed >= MAX_MISSED_LINES) {
        emit->missed[reason != NULL ? reason->last : emit->n_missed - 1].more +=
            1 + line->more;
    } else if (!keep_line(emit, line, key) ||
               (reason == NULL &&
                !add_reason(emit, reason_key, (uint32_t)emit->n_missed - 1))) {
        emit->status = ICE_ENOMEM;
    } else if (reason != NULL) {
        reason->last = (uint32_t)emit->n_missed - 1;
        reason->n_kept++;
    }
}

void ice_emit_not_evaluated(struct ice_emit *emit, const char *what, struct ice_str why,
                            bool asked, struct ice_str file) {
    const struct ice_not_evaluated line = {.what = ice_str_from(what),
                                           .why = ice_str_first(why, MAX_ARG_BYTES),
                                           .file = ice_str_first(file, MAX_FILE_BYTES),
                                           .asked = asked};
    ice_emit_add_missed(emit, &line);
}
