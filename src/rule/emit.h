/*
 * FOUND, the only way to report a finding: severity after overrides, caps, exact
 * counters, and the list of what was not evaluated. Findings are held, sorted and handed
 * out at the end.
 */
#ifndef ICE_RULE_EMIT_H
#define ICE_RULE_EMIT_H

#include "rule/catalogue.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/run.h"

/*
 * Where a finding stands. order: rank of the file in the report: ICE_ORDER_... + index.
 * Everything is copied when the finding is kept.
 */
struct ice_place {
    struct ice_location at;
    uint64_t order;
};

#define ICE_ORDER_POINTER (UINT64_C(0) << 56)  /* pointer and hint */
#define ICE_ORDER_METADATA (UINT64_C(1) << 56) /* the metadata.json */
#define ICE_ORDER_LIST (UINT64_C(2) << 56)     /* + snapshot number */
#define ICE_ORDER_MANIFEST (UINT64_C(3) << 56) /* + manifest number */
#define ICE_ORDER_GROUPS                                                                 \
    (UINT64_C(4) << 56) /* cross-file findings without a place of their own */
#define ICE_ORDER_LISTING (UINT64_C(5) << 56)
#define ICE_ORDER_HISTORY (UINT64_C(6) << 56)

/* A place in a file, all else unknown. */
struct ice_place ice_place_file(struct ice_str file, uint64_t order);
/* ... with a JSON pointer (borrowed). */
struct ice_place ice_place_at(struct ice_str file, uint64_t order,
                              struct ice_str pointer);

static inline struct ice_arg arg_str(const char *name, struct ice_str value) {
    return (struct ice_arg){.name = name, .kind = ICE_ARG_STR, .str = value};
}
static inline struct ice_arg arg_text(const char *name, const char *value) {
    return arg_str(name, ice_str_from(value));
}
static inline struct ice_arg arg_i64(const char *name, int64_t value) {
    return (struct ice_arg){.name = name, .kind = ICE_ARG_I64, .i64 = value};
}
/* 64-bit ids and times: a string in JSON */
static inline struct ice_arg arg_id(const char *name, int64_t value) {
    return (struct ice_arg){.name = name, .kind = ICE_ARG_ID, .i64 = value};
}
static inline struct ice_arg arg_bytes(const char *name, struct ice_str value) {
    return (struct ice_arg){.name = name, .kind = ICE_ARG_BYTES, .str = value};
}
static inline struct ice_arg arg_bool(const char *name, bool value) {
    return (struct ice_arg){.name = name, .kind = ICE_ARG_BOOL, .i64 = value};
}
/* for a rule whose message has no placeholder */
#define ARG_NONE ((struct ice_arg){0})

struct ice_emit; /* emit.c */

/* What options make of a rule. */
struct ice_rule_state {
    bool enabled; /* by --only and the profile */
    int override; /* an enum ice_severity, or -1 */
};
/* ICE_RULE_ID_COUNT states; options NULL: the defaults. */
void ice_rule_states_of(const struct ice_options *options, struct ice_rule_state *out);

/*
 * FOUND(emit, ICE_RULE_X, &place, arg_i64("declared", a), arg_i64("counted", b));
 * FOUND_AS(emit, ICE_RULE_X, ICE_WARN, &place, ...): the site's own severity where the
 * catalogue has two (E/W). Overrides still apply. FOUND_VS(emit, ICE_RULE_X, severity or
 * ICE_DEFAULT, &place, &other_place, ...): the file that it disagrees with. A finding
 * that cannot be kept for want of memory makes ice_emit_status fail; sites need not
 * check.
 */
#define ICE_DEFAULT ((enum ice_severity) - 1)
#define FOUND(emit, id, place, ...)                                                      \
    ice_emit_found(                                                                      \
        (emit), (id), ICE_DEFAULT, (place), NULL, (const struct ice_arg[]){__VA_ARGS__}, \
        sizeof((const struct ice_arg[]){__VA_ARGS__}) / sizeof(struct ice_arg))
#define FOUND_AS(emit, id, severity, place, ...)                                         \
    ice_emit_found(                                                                      \
        (emit), (id), (severity), (place), NULL, (const struct ice_arg[]){__VA_ARGS__},  \
        sizeof((const struct ice_arg[]){__VA_ARGS__}) / sizeof(struct ice_arg))
#define FOUND_VS(emit, id, severity, place, other, ...)                                  \
    ice_emit_found((emit), (id), (severity), (place), (other),                           \
                   (const struct ice_arg[]){__VA_ARGS__},                                \
                   sizeof((const struct ice_arg[]){__VA_ARGS__}) /                       \
                       sizeof(struct ice_arg))

void ice_emit_found(struct ice_emit *emit, enum ice_rule_id id,
                    enum ice_severity severity, const struct ice_place *place,
                    const struct ice_place *other, const struct ice_arg *args,
                    size_t n_args);

/*
 * For findings that may come with every row: true if one more of this rule in this file
 * would only be counted, or is not wanted; then it has been counted, and FOUND, with all
 * that goes into its place and arguments, is not needed.
 */
bool ice_emit_only_counts(struct ice_emit *emit, enum ice_rule_id id,
                          enum ice_severity severity, struct ice_str file);

/* The text of the argument of that name, borrowed; empty where there is none. */
struct ice_str ice_args_text(const struct ice_arg *args, size_t n_args, const char *name);
/* Whom the fault of a file hurts: "head" "old" "unreachable"; empty: no file's. */
static inline struct ice_str ice_args_scope(const struct ice_arg *args, size_t n_args) {
    return ice_args_text(args, n_args, "scope");
}
static inline bool ice_args_are_current(const struct ice_arg *args, size_t n_args) {
    return ice_str_is(ice_args_scope(args, n_args), "head");
}

/* One level lower: error -> warn -> info. */
enum ice_severity ice_severity_drop(enum ice_severity severity);
/* Severity a rule would be reported with; ICE_OFF: the check may be skipped altogether.
 */
enum ice_severity ice_emit_severity(const struct ice_emit *emit, enum ice_rule_id id);
static inline bool ice_emit_is_on(const struct ice_emit *emit, enum ice_rule_id id) {
    return ice_emit_severity(emit, id) != ICE_OFF;
}

/* Something was not checked. asked: asked for and not possible (incomplete, exit bit 2).
 */
void ice_emit_not_evaluated(struct ice_emit *emit, const char *what, struct ice_str why,
                            bool asked, struct ice_str file);

/* options are borrowed. */
enum ice_status ice_emit_open(struct ice_emit **out, struct ice_run *run,
                              const struct ice_options *options, struct ice_error *err);
/*
 * An emit of its own for a part of the work, such as one file, under the same options:
 * what is found there is kept and counted under the same caps until it is joined, so that
 * only this emit and no other is touched meanwhile. of must live longer. ICE_ENOMEM.
 */
enum ice_status ice_emit_open_beside(struct ice_emit **out, const struct ice_emit *of);
/* All of a part, as if it had been found here, in its order: caps hold for the whole, and
 * counts are exact. The part is left to be reset or freed. */
void ice_emit_join(struct ice_emit *emit, const struct ice_emit *part);
void ice_emit_free(struct ice_emit *emit);
/* ICE_ENOMEM once a finding was lost for want of memory. */
enum ice_status ice_emit_status(const struct ice_emit *emit);
/* What findings rest on was lost for want of memory: as if one of them was. */
void ice_emit_no_memory(struct ice_emit *emit);
/* Forget all findings and counts: the table is judged again on a new state. */
void ice_emit_reset(struct ice_emit *emit);

/* Kept findings of the metadata.json that have a pointer but no line, to be located. */
size_t ice_emit_count(const struct ice_emit *emit);
struct ice_place *ice_emit_place(struct ice_emit *emit, size_t index);
/* Change the severity of, or drop (ICE_OFF), a kept finding: json.key.duplicate after
 * comparing. */
void ice_emit_revise(struct ice_emit *emit, size_t index, enum ice_severity severity);
enum ice_rule_id ice_emit_rule(const struct ice_emit *emit, size_t index);
/* A text among the arguments of a kept finding; empty if there is none. Borrowed. */
struct ice_str ice_emit_arg_str(const struct ice_emit *emit, size_t index,
                                const char *name);
/* What was not evaluated so far. Borrowed until the next line. */
const struct ice_not_evaluated *ice_emit_missed(const struct ice_emit *emit,
                                                size_t *out_n);

/*
 * What of a place stays when the table moves on, appended to out in front of which other
 * text stands; ICE_DONE, and out as it was: the place itself. For fingerprints.
 */
typedef enum ice_status (*ice_stable_fn)(void *user, const struct ice_place *place,
                                         struct ice_buf *out);
void ice_emit_set_stable(struct ice_emit *emit, ice_stable_fn stable, void *user);

/*
 * Sort and hand out all findings; table and uuid go into findings and fingerprints. Fills
 * counts, not_evaluated, complete and exit_code of *summary (its strings live in the
 * emit).
 */
enum ice_status ice_emit_deliver(struct ice_emit *emit, struct ice_str table,
                                 struct ice_str uuid, ice_finding_fn on_finding,
                                 void *user, struct ice_summary *summary,
                                 struct ice_error *err);

#endif
