/*
 * Group 23, and of group 27 what is about paths. Each rule is one finding a table with
 * the number of paths: spellings come from a writer's settings, and thousands of equal
 * findings would tell nothing more.
 *
 * file:/x and file:///x are one spelling here: Hadoop catalogs mix them in every table,
 * and readers and clean-ups take them for equal.
 */
#include "check/path_state.h"

#include "base/error.h"
#include "check/manifest_facts.h"
#include "check/path_text.h"

enum { PREFIX_BYTES = 256 };

/* Where a path stands: the place is built only for the first of a kind. */
struct site {
    struct ice_check *ck;
    struct ice_manifest_walk *walk; /* of an entry, or NULL: place is given */
    const struct ice_place *place;
};

/* It was seen n times more, first like that. */
static enum ice_status add_tally(struct ice_arena *arena, struct ice_path_tally *tally,
                                 const struct ice_path_tally *seen) {
    uint64_t n = tally->n;
    tally->n += seen->n;
    if (n > 0 || seen->n == 0)
        return ICE_OK;
    tally->order = seen->order;
    return ice_arena_dup(arena, seen->path, &tally->path) &&
                   ice_arena_dup(arena, seen->file, &tally->file) &&
                   ice_arena_dup(arena, seen->pointer, &tally->pointer)
               ? ICE_OK
               : ICE_ENOMEM;
}

static enum ice_status count_first(const struct site *site, struct ice_path_tally *tally,
                                   struct ice_str path) {
    struct ice_row_place at;
    const struct ice_place *place = site->place;
    if (site->walk != NULL) {
        ice_entry_place(site->walk, ICE_FILE_file_path, &at);
        place = &at.place;
    }
    const struct ice_path_tally seen = {.n = 1,
                                        .path = path,
                                        .file = place->at.file,
                                        .pointer = place->at.pointer,
                                        .order = place->order};
    return add_tally(&site->ck->arena, tally, &seen);
}

static enum ice_status count(const struct site *site, enum ice_path_tally_kind kind,
                             struct ice_str path) {
    struct ice_path_tally *tally = &site->ck->paths->tallies[kind];
    if (tally->n == 0)
        return count_first(site, tally, path);
    tally->n++;
    return ICE_OK;
}

/* ---- prefixes ---- */

static struct ice_str raw_prefix(struct ice_str path) {
    size_t scheme = ice_uri_scheme(path);
    struct ice_str rest = ice_str_from_index(path, scheme);
    if (scheme == 0 || !ice_str_starts(rest, ICE_STR("//")))
        return ice_str_first(path, scheme);
    struct ice_str authority = ice_str_from_index(rest, 2);
    authority = ice_str_first(authority, ice_str_find(authority, '/'));
    return ice_str_first(path, scheme + 2 + authority.size);
}

/* One bucket by two schemes, or two buckets? */
static enum ice_status compare(struct ice_check *ck,
                               const struct ice_path_prefix *added) {
    struct ice_paths *paths = ck->paths;
    enum ice_path_tally_kind kind =
        paths->n_prefixes > 0 ? ICE_PATHS_BUCKETS : ICE_PATHS_NO_TALLY;
    for (size_t i = 0; i < paths->n_prefixes && kind != ICE_PATHS_MIXED; i++) {
        const struct ice_path_prefix *known = &paths->prefixes[i];
        if (!ice_str_equal(known->folded, added->folded))
            continue;
        paths->mixed_with = known->raw;
        kind = ICE_PATHS_MIXED;
    }
    return kind == ICE_PATHS_NO_TALLY
               ? ICE_OK
               : add_tally(&ck->arena, &paths->tallies[kind], &added->first);
}

static bool is_known(struct ice_paths *paths, struct ice_str raw) {
    for (size_t i = 0; i < paths->n_prefixes; i++) {
        size_t at = (paths->last + i) % paths->n_prefixes;
        if (ice_str_equal(paths->prefixes[at].raw, raw)) {
            paths->last = at;
            return true;
        }
    }
    return false;
}

static enum ice_status see_prefix(const struct site *site, struct ice_str path) {
    struct ice_paths *paths = site->ck->paths;
    struct ice_arena *arena = &site->ck->arena;
    struct ice_path_prefix added = {0};
    struct ice_str raw = raw_prefix(path);
    if (raw.size == 0 || raw.size > PREFIX_BYTES || is_known(paths, raw) ||
        paths->n_prefixes == ICE_PATH_PREFIXES)
        return ICE_OK;
    struct ice_buf folded;
    ice_buf_init(&folded, &site->ck->run->alloc, SIZE_MAX);
    enum ice_status status = ice_uri_fold(raw, &folded);
    bool is_local = ice_buf_str(&folded).size == 0 ||
                    ice_str_starts(ice_buf_str(&folded), ICE_STR("file:"));
    if (status == ICE_OK && !is_local &&
        (!ice_arena_dup(arena, raw, &added.raw) ||
         !ice_arena_dup(arena, ice_buf_str(&folded), &added.folded)))
        status = ICE_ENOMEM;
    ice_buf_release(&folded);
    if (status < 0 || is_local)
        return status;
    ICE_TRY(count_first(site, &added.first, path));
    ICE_TRY(compare(site->ck, &added));
    paths->prefixes[paths->n_prefixes++] = added;
    return ICE_OK;
}

/* ---- one path ---- */

/* With a scheme on one side only, metadata.location.not-absolute or path.relative speaks.
 */
static bool is_outside(const struct ice_check *ck, struct ice_str path) {
    struct ice_str location = ck->metadata.location;
    return path.size > 0 && location.size > 0 &&
           (ice_uri_scheme(path) > 0) == (ice_uri_scheme(location) > 0) &&
           !(ck->version >= 4 && ice_uri_scheme(path) == 0 && path.data[0] != '/') &&
           !ice_uri_is_inside(ck->run, path, location);
}

static bool has_dots(struct ice_str path) {
    while (path.size > 0) {
        size_t slash = ice_str_find(path, '/');
        struct ice_str segment = ice_str_first(path, slash);
        if (ice_str_is(segment, ".") || ice_str_is(segment, ".."))
            return true;
        path = slash == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(path, slash + 1);
    }
    return false;
}

/* In v4 what has no scheme is relative to the location. */
static enum ice_status see_path(const struct site *site, struct ice_str path) {
    const struct ice_check *ck = site->ck;
    if (path.size == 0)
        return ICE_OK;
    bool is_relative = ice_uri_scheme(path) == 0 && path.data[0] != '/';
    ICE_TRY(see_prefix(site, path));
    if (ck->version >= 4 && is_relative && has_dots(path)) {
        ICE_TRY(count(site, ICE_PATHS_RELATIVE, path));
        return count(site, ICE_PATHS_DOTS, path);
    }
    if (ck->version >= 4 && !is_relative &&
        ice_uri_is_inside(ck->run, path, ck->metadata.location))
        ICE_TRY(count(site, ICE_PATHS_BELOW, path));
    if (ice_uri_scheme(path) == 0)
        ICE_TRY(count(site, path.data[0] == '/' ? ICE_PATHS_ROOTED : ICE_PATHS_RELATIVE,
                      path));
    return ice_path_is_odd(path) ? count(site, ICE_PATHS_SEGMENTS, path) : ICE_OK;
}

/* ---- what paths usually begin with ---- */

static enum ice_status learn(struct ice_check *ck, struct ice_str begin,
                             enum ice_path_tally_kind tally) {
    struct ice_paths *paths = ck->paths;
    if (paths->n_usual == ICE_PATH_BEGINS || ck->version >= 4 || ice_path_is_odd(begin))
        return ICE_OK;
    char *text = ice_arena_alloc(&ck->arena, begin.size + 1);
    if (text == NULL)
        return ICE_ENOMEM;
    memcpy(text, begin.data, begin.size);
    text[begin.size] = '/';
    paths->usual[paths->n_usual++] =
        (struct ice_path_begin){ice_str_make(text, begin.size + 1), tally};
    return ICE_OK;
}

static enum ice_status learn_location(struct ice_check *ck) {
    struct ice_str location = ck->metadata.location;
    bool has_scheme = ice_uri_scheme(location) > 0;
    if (location.size == 0 || location.data[location.size - 1] == '/' ||
        (!has_scheme && location.data[0] != '/'))
        return ICE_OK;
    return learn(ck, location, has_scheme ? ICE_PATHS_NO_TALLY : ICE_PATHS_ROOTED);
}

/*
 * Below a directory of the location's own bucket that is not on the way to the location,
 * all is outside. Other spellings of a bucket are left to the long way.
 */
static enum ice_status learn_outside(struct ice_check *ck, struct ice_str path) {
    struct ice_str location = ck->metadata.location;
    size_t i = raw_prefix(location).size;
    if (ice_uri_scheme(location) == 0 || i >= path.size || i >= location.size ||
        memcmp(path.data, location.data, i) != 0 || path.data[i] != '/')
        return ICE_OK;
    while (i < path.size && i < location.size && path.data[i] == location.data[i])
        i++;
    if (i == path.size || i == location.size || path.data[i] == '/')
        return ICE_OK;
    size_t slash = ice_str_find(ice_str_from_index(path, i), '/');
    return slash == SIZE_MAX
               ? ICE_OK
               : learn(ck, ice_str_first(path, i + slash), ICE_PATHS_OUTSIDE);
}

/* Where the location has no scheme, nothing is said of a path that has one. */
static enum ice_status learn_bucket(struct ice_check *ck, struct ice_str path) {
    struct ice_str bucket = raw_prefix(path);
    bool is_only_here =
        ice_uri_scheme(ck->metadata.location) == 0 && ice_uri_scheme(path) > 0;
    return is_only_here && bucket.size < path.size && path.data[bucket.size] == '/'
               ? learn(ck, bucket, ICE_PATHS_NO_TALLY)
               : ICE_OK;
}

enum ice_status ice_path_rules_entry(struct ice_manifest_walk *walk,
                                     const struct ice_manifest_entry *entry) {
    struct ice_check *ck = walk->ck;
    struct site site = {.ck = ck, .walk = walk};
    struct ice_str path = entry->file.file_path;
    if (ck->paths == NULL || walk->unit == NULL || entry->status == ICE_STATUS_DELETED ||
        !ice_entry_has(walk->manifest, entry, ICE_FILE_file_path))
        return ICE_OK;
    for (size_t i = 0; i < ck->paths->n_usual; i++) {
        const struct ice_path_begin *usual = &ck->paths->usual[i];
        if (ice_str_starts(path, usual->begin) &&
            ice_path_is_clean(path, usual->begin.size))
            return usual->tally != ICE_PATHS_NO_TALLY ? count(&site, usual->tally, path)
                                                      : ICE_OK;
    }
    ICE_TRY(see_path(&site, path));
    if (!is_outside(ck, path))
        return learn_bucket(ck, path);
    ICE_TRY(learn_outside(ck, path));
    return count(&site, ICE_PATHS_OUTSIDE, path);
}

/* A list or a manifest. */
static enum ice_status see_metadata(const struct site *site, struct ice_str path) {
    struct ice_check *ck = site->ck;
    struct ice_path_tally *former = &ck->paths->former;
    struct ice_str other;
    ICE_TRY(see_path(site, path));
    if (!is_outside(ck, path) ||
        (ice_metadata_property(&ck->metadata, "write.metadata.path", &other) &&
         ice_uri_is_inside(ck->run, path, other)))
        return ICE_OK;
    if (!ice_path_is_at_former_place(ck, path))
        return count(site, ICE_PATHS_METADATA_OUTSIDE, path);
    if (former->n == 0)
        return count_first(site, former, path);
    former->n++;
    return ICE_OK;
}

static enum ice_status see_lists(struct ice_check *ck) {
    struct ice_buf scratch;
    enum ice_status status = ICE_OK;
    ice_buf_init(&scratch, &ck->run->alloc, SIZE_MAX);
    for (size_t i = 0; i < ck->n_snapshots && status == ICE_OK; i++) {
        struct ice_row_place at;
        struct site site = {.ck = ck, .place = &at.place};
        struct ice_str path;
        at.place = ice_place_file(ck->metadata_file, ICE_ORDER_METADATA);
        at.place.at.pointer = ice_str_make(at.pointer, 0);
        ice_row_place_step(&at, ICE_STR("snapshots"));
        ice_row_place_index(&at, ck->snapshots[i].index);
        ice_row_place_step(&at, ICE_STR("manifest-list"));
        status = ice_snapshot_manifest_list(
            &ck->metadata, &ck->metadata.snapshots[ck->snapshots[i].index], &scratch,
            &path);
        if (status == ICE_OK)
            status = see_metadata(&site, path);
    }
    ice_buf_release(&scratch);
    return status;
}

static enum ice_status see_manifests(struct ice_check *ck) {
    for (size_t i = 0; i < ck->n_manifests; i++) {
        struct ice_row_place at;
        struct site site = {.ck = ck, .place = &at.place};
        if (ck->manifests[i].records != NULL)
            ice_record_place(ck, ck->manifests[i].records, ICE_LIST_manifest_path, &at);
        else
            at.place = ice_place_at(ck->metadata_file, ICE_ORDER_METADATA,
                                    ICE_STR("/snapshots"));
        ICE_TRY(see_metadata(&site, ck->manifests[i].path));
    }
    return ICE_OK;
}

/* First of all: what differs from it is what is named. */
static enum ice_status see_location(struct ice_check *ck) {
    struct ice_place place =
        ice_place_at(ck->metadata_file, ICE_ORDER_METADATA, ICE_STR("/location"));
    struct site site = {.ck = ck, .place = &place};
    ICE_TRY(see_prefix(&site, ck->metadata.location));
    ICE_TRY(learn_location(ck));
    ck->paths->n_own_prefixes = ck->paths->n_prefixes;
    ck->paths->n_own_usual = ck->paths->n_usual;
    return ICE_OK;
}

enum ice_status ice_path_rules_open(struct ice_check *ck) {
    static const enum ice_rule_id rules[] = {
        ICE_RULE_PATH_RELATIVE,         ICE_RULE_PATH_SCHEME_MIXED,
        ICE_RULE_PATH_BUCKET_MIXED,     ICE_RULE_PATH_OUTSIDE_LOCATION,
        ICE_RULE_PATH_METADATA_OUTSIDE, ICE_RULE_PATH_SEGMENTS,
        ICE_RULE_V4_LOCATION_NEEDED,    ICE_RULE_V4_PATH_COULD_BE_RELATIVE,
        ICE_RULE_V4_PATH_DOT_SEGMENTS};
    bool is_any = false;
    for (size_t i = 0; i < ICE_COUNT_OF(rules); i++)
        is_any = is_any || ice_emit_is_on(ck->emit, rules[i]);
    if (!is_any || ck->paths != NULL)
        return ICE_OK;
    ck->paths = ice_arena_alloc(&ck->arena, sizeof(*ck->paths));
    return ck->paths != NULL ? see_location(ck) : ICE_ENOMEM;
}

/* ---- units ---- */

enum ice_status ice_path_rules_begin(struct ice_check *ck, const struct ice_paths *of) {
    struct ice_paths *paths;
    ck->paths = NULL;
    if (of == NULL)
        return ICE_OK;
    paths = ice_arena_alloc(&ck->arena, sizeof(*paths));
    if (paths == NULL)
        return ICE_ENOMEM;
    paths->n_own_prefixes = paths->n_prefixes = of->n_own_prefixes;
    paths->n_own_usual = paths->n_usual = of->n_own_usual;
    for (size_t i = 0; i < paths->n_prefixes; i++)
        paths->prefixes[i] = of->prefixes[i];
    for (size_t i = 0; i < paths->n_usual; i++)
        paths->usual[i] = of->usual[i];
    ck->paths = paths;
    return ICE_OK;
}

/* A unit that has no room for more prefixes holds enough to leave no room here. */
static enum ice_status join_prefix(struct ice_check *ck,
                                   const struct ice_path_prefix *prefix) {
    struct ice_paths *paths = ck->paths;
    struct ice_path_prefix added = *prefix;
    if (is_known(paths, prefix->raw) || paths->n_prefixes == ICE_PATH_PREFIXES)
        return ICE_OK;
    if (!ice_arena_dup(&ck->arena, prefix->raw, &added.raw) ||
        !ice_arena_dup(&ck->arena, prefix->folded, &added.folded))
        return ICE_ENOMEM;
    ICE_TRY(compare(ck, &added));
    added.first = (struct ice_path_tally){0};
    paths->prefixes[paths->n_prefixes++] = added;
    return ICE_OK;
}

/* Which prefixes differ is asked of the whole table, path by path as they come. */
enum ice_status ice_path_rules_join(struct ice_check *ck, const struct ice_paths *unit) {
    for (size_t i = unit->n_own_prefixes; i < unit->n_prefixes; i++)
        ICE_TRY(join_prefix(ck, &unit->prefixes[i]));
    for (int kind = 0; kind < ICE_PATHS_TALLIES; kind++)
        if (kind != ICE_PATHS_MIXED && kind != ICE_PATHS_BUCKETS)
            ICE_TRY(
                add_tally(&ck->arena, &ck->paths->tallies[kind], &unit->tallies[kind]));
    return ICE_OK;
}

/* ---- findings ---- */

static struct ice_place place_of(const struct ice_path_tally *tally) {
    return ice_place_at(tally->file, tally->order, tally->pointer);
}

static void report(struct ice_check *ck, enum ice_rule_id rule,
                   enum ice_path_tally_kind kind) {
    const struct ice_path_tally *tally = &ck->paths->tallies[kind];
    struct ice_place place = place_of(tally);
    if (tally->n > 0)
        FOUND(ck->emit, rule, &place, arg_i64("count", (int64_t)tally->n),
              arg_str("path", tally->path));
}

/* Where the table has been moved, by SET LOCATION or write.metadata.path, older files lie
 * at the old place by right. */
static void report_metadata_outside(struct ice_check *ck) {
    const struct ice_path_tally *outside =
        &ck->paths->tallies[ICE_PATHS_METADATA_OUTSIDE];
    const struct ice_path_tally *former = &ck->paths->former;
    const struct ice_path_tally *first = outside->n > 0 ? outside : former;
    struct ice_place place = place_of(first);
    if (first->n > 0)
        FOUND_AS(ck->emit, ICE_RULE_PATH_METADATA_OUTSIDE,
                 outside->n > 0 ? ICE_WARN : ICE_INFO, &place,
                 arg_i64("count", (int64_t)(outside->n + former->n)),
                 arg_str("path", first->path));
}

static void report_mixed(struct ice_check *ck) {
    const struct ice_paths *paths = ck->paths;
    const struct ice_path_tally *mixed = &paths->tallies[ICE_PATHS_MIXED];
    struct ice_place place = place_of(mixed);
    if (mixed->n > 0)
        FOUND(ck->emit, ICE_RULE_PATH_SCHEME_MIXED, &place, arg_str("path", mixed->path),
              arg_str("other", paths->mixed_with));
}

/* metadata.location.not-absolute has said it of the table as a whole. */
static void report_relative(struct ice_check *ck) {
    const struct ice_path_tally *relative = &ck->paths->tallies[ICE_PATHS_RELATIVE];
    const struct ice_path_tally *rooted = &ck->paths->tallies[ICE_PATHS_ROOTED];
    bool has_relative = relative->n > 0;
    const struct ice_path_tally *tally = has_relative ? relative : rooted;
    struct ice_place place = place_of(tally);
    if (tally->n == 0 || ck->version > 3 || ice_uri_scheme(ck->metadata.location) == 0)
        return;
    FOUND_AS(ck->emit, ICE_RULE_PATH_RELATIVE, has_relative ? ICE_WARN : ICE_INFO, &place,
             arg_i64("count", (int64_t)(relative->n + rooted->n)),
             arg_str("path", tally->path));
}

enum ice_status ice_path_rules(struct ice_check *ck, struct ice_error *err) {
    if (ck->paths == NULL)
        return ICE_OK;
    if (see_lists(ck) < 0 || see_manifests(ck) < 0)
        return ice_error_memory(err);
    report_mixed(ck);
    report_relative(ck);
    report(ck, ICE_RULE_PATH_BUCKET_MIXED, ICE_PATHS_BUCKETS);
    report(ck, ICE_RULE_PATH_OUTSIDE_LOCATION, ICE_PATHS_OUTSIDE);
    report_metadata_outside(ck);
    report(ck, ICE_RULE_PATH_SEGMENTS, ICE_PATHS_SEGMENTS);
    if (ck->version < 4)
        return ICE_OK;
    report(ck, ICE_RULE_V4_PATH_COULD_BE_RELATIVE, ICE_PATHS_BELOW);
    report(ck, ICE_RULE_V4_PATH_DOT_SEGMENTS, ICE_PATHS_DOTS);
    if (ck->metadata.location.size == 0)
        report(ck, ICE_RULE_V4_LOCATION_NEEDED, ICE_PATHS_RELATIVE);
    return ICE_OK;
}
