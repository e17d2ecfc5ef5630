/*
 * Pass 0: which metadata file is current, by whose word.
 *
 * Reads: names and hint of the target; what --pointer says; last-updated-ms of files that
 * share a version; both files where one version is there plain and packed; of files whose
 * number is odd, which table they are of. Checks: group 24 (the hint),
 * catalog.pointer.ambiguous, catalog.pointer.other-table. Leaves behind: metadata_source,
 * metadata_key, metadata_file, picked_by, pinned.
 */
#include "check/check.h"

#include "base/error.h"
#include "check/peeked.h"
#include "check/pointers.h"
#include "check/same_content.h"
#include "check/unfound.h"

#include <inttypes.h>
#include <stdio.h>

static const size_t NOT_FOUND = SIZE_MAX;

struct pin {
    struct ice_check *ck;
    const struct ice_target *target;
    struct ice_place hint_place;
    bool is_decided; /* --metadata or a pointer names a file: the hint only misleads
                        others */
    bool is_pointed; /* ... and it was a pointer */
    struct ice_pointed_at pointed;
    size_t picked;          /* index of names */
    struct ice_str odd_key; /* of a file with another name, that was asked for */
};

static struct ice_str name_at(const struct pin *pin, size_t index) {
    return pin->target->names[index].name;
}

static enum ice_severity unless_decided(const struct pin *pin, enum ice_rule_id id) {
    enum ice_severity severity = ice_rule_of(id)->severity;
    return pin->is_decided ? ice_severity_drop(severity) : severity;
}

/* A place at one metadata file; its name lives in the check's arena. */
static enum ice_status place_of(const struct pin *pin, struct ice_str name,
                                struct ice_place *out, struct ice_error *err) {
    struct ice_str key;
    if (ice_key_join(&pin->ck->arena, pin->target->metadata_dir, name, &key) < 0)
        return ice_error_memory(err);
    *out = ice_place_file(ice_target_file_name(pin->target, key), ICE_ORDER_POINTER);
    return ICE_OK;
}

/* ---- looking through the names (by version, then name) ---- */

/* Index of the first name of this version or a later one. */
static size_t first_of(const struct ice_target *target, int64_t version) {
    size_t low = 0, high = target->n_names;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (target->names[middle].version < version)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Index behind the last name of this version. */
static size_t end_of(const struct ice_target *target, int64_t version) {
    return version == INT64_MAX ? target->n_names : first_of(target, version + 1);
}

/* The plain v<N> file, else the packed one: the order in which Java looks. */
static size_t find_hadoop(const struct ice_target *target, int64_t version) {
    size_t packed = NOT_FOUND, end = end_of(target, version);
    for (size_t i = first_of(target, version); i < end; i++) {
        const struct ice_metadata_name *name = &target->names[i];
        if (!name->is_hadoop)
            continue;
        if (ice_str_ends(name->name, ICE_STR(".metadata.json")) && !name->is_gzip_name)
            return i;
        packed = packed == NOT_FOUND ? i : packed;
    }
    return packed;
}

static int64_t highest_hadoop(const struct ice_target *target) {
    for (size_t i = target->n_names; i > 0; i--) {
        if (target->names[i - 1].is_hadoop)
            return target->names[i - 1].version;
    }
    return -1;
}

/* ---- rivals of one version ---- */

/* The candidates of one version: not what a crashed commit left, unless there is nothing
 * else; of v<N> files only the one that Java takes. */
struct rivals {
    size_t first, end, hadoop;
    bool take_temp;
};

static struct rivals rivals_of(const struct ice_target *target, int64_t version) {
    struct rivals rivals = {.first = first_of(target, version),
                            .end = end_of(target, version),
                            .hadoop = find_hadoop(target, version),
                            .take_temp = true};
    for (size_t i = rivals.first; i < rivals.end; i++)
        rivals.take_temp = rivals.take_temp && target->names[i].is_temp;
    return rivals;
}

static bool is_rival(const struct rivals *rivals, const struct ice_target *target,
                     size_t i) {
    const struct ice_metadata_name *name = &target->names[i];
    return (rivals->take_temp || !name->is_temp) &&
           (!name->is_hadoop || i == rivals->hadoop);
}

/* The newest file of a version, NOT_FOUND if there is none; *out_n: how many rivals there
 * are. */
static enum ice_status newest_of(const struct pin *pin, int64_t version, size_t *out,
                                 size_t *out_n, struct ice_error *err) {
    const struct ice_target *target = pin->target;
    struct rivals rivals = rivals_of(target, version);
    *out = NOT_FOUND;
    *out_n = 0;
    for (size_t i = rivals.first; i < rivals.end; i++) {
        if (is_rival(&rivals, target, i)) {
            *out = i;
            (*out_n)++;
        }
    }
    int64_t newest = INT64_MIN;
    for (size_t i = rivals.first; *out_n > 1 && i < rivals.end; i++) {
        struct ice_peeked rival; /* one that cannot be read is the oldest */
        if (!is_rival(&rivals, target, i))
            continue;
        ICE_TRY(
            ice_peek_metadata(pin->ck, name_at(pin, i), ICE_PEEK_UPDATED, &rival, err));
        if (rival.updated_ms >= newest) {
            newest = rival.updated_ms;
            *out = i;
        }
    }
    return ICE_OK;
}

static enum ice_status pick_highest(struct pin *pin, bool is_asked,
                                    struct ice_error *err) {
    const struct ice_target *target = pin->target;
    int64_t version = target->names[target->n_names - 1].version;
    size_t n;
    ICE_TRY(newest_of(pin, version, &pin->picked, &n, err));
    if (n < 2)
        return ICE_OK;
    struct ice_place place;
    ICE_TRY(place_of(pin, name_at(pin, pin->picked), &place, err));
    if (version >= 0 && !is_asked)
        FOUND(pin->ck->emit, ICE_RULE_CATALOG_POINTER_AMBIGUOUS, &place,
              arg_i64("count", (int64_t)n), arg_i64("version", version),
              arg_str("used", name_at(pin, pin->picked)));
    return ICE_OK;
}

/* ---- the hint ---- */

/* The file that the hint names, nothing followed. */
static enum ice_status file_of_hint(const struct pin *pin, size_t *out,
                                    struct ice_error *err) {
    const struct ice_target *target = pin->target;
    size_t n;
    *out = NOT_FOUND;
    for (size_t i = 0; target->hint_version < 0 && i < target->n_names; i++) {
        if (ice_is_hint_of(name_at(pin, i), target->hint_text)) {
            *out = i;
            return ICE_OK;
        }
    }
    if (target->hint_version < 0)
        return ICE_OK;
    *out = find_hadoop(target, target->hint_version);
    return *out != NOT_FOUND ? ICE_OK
                             : newest_of(pin, target->hint_version, out, &n, err);
}

/* Forward while the next version is there, among files that are named alike. */
static enum ice_status follow(const struct pin *pin, size_t from, size_t *out,
                              struct ice_error *err) {
    const struct ice_target *target = pin->target;
    int64_t version = target->names[from].version;
    *out = from;
    if (version < 0)
        return ICE_OK;
    for (;;) {
        size_t next = find_hadoop(target, version + 1), n;
        if (!target->names[from].is_hadoop)
            ICE_TRY(newest_of(pin, version + 1, &next, &n, err));
        if (next == NOT_FOUND)
            return ICE_OK;
        *out = next;
        version++;
    }
}

static void check_gap(const struct pin *pin, int64_t stopped) {
    int64_t highest = highest_hadoop(pin->target);
    if (highest <= stopped)
        return;
    FOUND_AS(pin->ck->emit, ICE_RULE_HINT_VERSION_GAP,
             unless_decided(pin, ICE_RULE_HINT_VERSION_GAP), &pin->hint_place,
             arg_i64("missing", stopped + 1), arg_i64("stopped", stopped),
             arg_i64("highest", highest));
}

/* Judge the hint; *out: the file a reader like Java ends up with, or NOT_FOUND. */
static enum ice_status judge_hint(const struct pin *pin, size_t *out,
                                  struct ice_error *err) {
    const struct ice_target *target = pin->target;
    struct ice_emit *emit = pin->ck->emit;
    size_t named;
    *out = NOT_FOUND;
    if (target->hint_fault.status < 0)
        return ice_check_fault(pin->ck, &target->hint_fault, &pin->hint_place,
                               ICE_SCOPE_HEAD, "version-hint.text");
    if (target->hint_version < 0)
        FOUND(emit, ICE_RULE_HINT_UNPARSEABLE, &pin->hint_place,
              arg_str("text", target->hint_text));
    ICE_TRY(file_of_hint(pin, &named, err));
    if (named == NOT_FOUND)
        return ICE_OK;
    ICE_TRY(follow(pin, named, out, err));
    if (*out != named && !(pin->is_pointed && named == pin->picked))
        FOUND(emit, ICE_RULE_HINT_STALE, &pin->hint_place,
              arg_str("version", target->hint_text),
              arg_str("newest", name_at(pin, *out)));
    if (target->names[*out].is_hadoop)
        check_gap(pin, target->names[*out].version);
    return ICE_OK;
}

static void report_dangling(const struct pin *pin) {
    const struct ice_unfound item = {.rule = ICE_RULE_HINT_DANGLING,
                                     .severity =
                                         unless_decided(pin, ICE_RULE_HINT_DANGLING),
                                     .place = pin->hint_place,
                                     .version = pin->target->hint_version,
                                     .used = name_at(pin, pin->picked)};
    ice_unfound_found(pin->ck, &item);
}

/* ---- --metadata ---- */

static bool is_word(const char *text, const char *word) {
    return text != NULL && strcmp(text, word) == 0;
}

static enum ice_status pick_asked(struct pin *pin, const char *asked,
                                  struct ice_error *err) {
    const struct ice_target *target = pin->target;
    struct ice_str text = ice_str_from(asked);
    struct ice_str name = ice_key_name(text);
    int64_t version;
    size_t n;
    for (size_t i = 0; i < target->n_names; i++) {
        if (ice_str_equal(name_at(pin, i), name)) {
            pin->picked = i;
            return ICE_OK;
        }
    }
    if (ice_str_to_i64(text, &version) && version >= 0) {
        pin->picked = find_hadoop(target, version);
        if (pin->picked == NOT_FOUND)
            ICE_TRY(newest_of(pin, version, &pin->picked, &n, err));
    }
    if (pin->picked == NOT_FOUND) /* metastores name metadata files freely */
        ICE_TRY(ice_target_find_file(target, name, pin->ck->run, &pin->ck->arena,
                                     &pin->odd_key, err));
    if (pin->odd_key.size > 0)
        pin->picked = target->n_names - 1; /* for what names alone tell */
    if (pin->picked != NOT_FOUND)
        return ICE_OK;
    char shown[128], last[128];
    return ice_error_set(
        err, ICE_EARG, NULL, ICE_NO_OFFSET,
        "there is no metadata file '%s'; the last one is %s",
        ice_escape(shown, sizeof(shown), text),
        ice_escape(last, sizeof(last), name_at(pin, target->n_names - 1)));
}

/* ---- what names alone tell ---- */

static enum ice_status check_missing_hint(const struct pin *pin) {
    int64_t highest = highest_hadoop(pin->target);
    if (highest < 0 || pin->target->has_hint)
        return ICE_OK;
    FOUND(pin->ck->emit, ICE_RULE_HINT_MISSING, &pin->hint_place,
          arg_str("name", name_at(pin, find_hadoop(pin->target, highest))));
    return ICE_OK;
}

static enum ice_status check_naming(const struct pin *pin, struct ice_error *err) {
    size_t hadoop = NOT_FOUND, other = NOT_FOUND;
    for (size_t i = 0; i < pin->target->n_names; i++) {
        const struct ice_metadata_name *name = &pin->target->names[i];
        if (name->is_hadoop)
            hadoop = i;
        else if (name->version >= 0 && name->name.data[0] != 'v')
            other = i;
    }
    if (hadoop == NOT_FOUND || other == NOT_FOUND)
        return ICE_OK;
    struct ice_place place;
    ICE_TRY(place_of(pin, name_at(pin, other), &place, err));
    FOUND(pin->ck->emit, ICE_RULE_HINT_MIXED_NAMING, &place,
          arg_str("hadoop", name_at(pin, hadoop)), arg_str("other", name_at(pin, other)));
    return ICE_OK;
}

static enum ice_status check_leftovers(const struct pin *pin, struct ice_error *err) {
    struct ice_place place;
    for (size_t i = 0; i < pin->target->n_names; i++) {
        if (!pin->target->names[i].is_temp || i == pin->picked)
            continue;
        ICE_TRY(place_of(pin, name_at(pin, i), &place, err));
        FOUND(pin->ck->emit, ICE_RULE_HINT_LEFTOVER_TEMP, &place,
              arg_str("name", name_at(pin, i)));
    }
    if (pin->target->n_hint_temps == 0)
        return ICE_OK;
    ICE_TRY(place_of(pin, pin->target->hint_temp, &place, err));
    FOUND(pin->ck->emit, ICE_RULE_HINT_LEFTOVER_TEMP, &place,
          arg_str("name", pin->target->hint_temp));
    return ICE_OK;
}

/* Two files of one version: harmless where no reader would take either for the current
 * one. */
static enum ice_status check_pair(const struct pin *pin, size_t plain, size_t packed,
                                  struct ice_error *err) {
    struct ice_str keys[2];
    struct ice_place place;
    bool is_same;
    const struct ice_target *target = pin->target;
    for (size_t i = 0; i < 2; i++) {
        if (ice_key_join(&pin->ck->arena, target->metadata_dir,
                         name_at(pin, i == 0 ? plain : packed), &keys[i]) < 0)
            return ice_error_memory(err);
    }
    ICE_TRY(
        ice_same_content(target->source, pin->ck->run, keys[0], keys[1], &is_same, err));
    bool is_current = target->names[plain].version == target->names[pin->picked].version;
    enum ice_severity severity = unless_decided(pin, ICE_RULE_HINT_CODEC_AMBIGUOUS);
    ICE_TRY(place_of(pin, name_at(pin, packed), &place, err));
    FOUND_AS(pin->ck->emit, ICE_RULE_HINT_CODEC_AMBIGUOUS,
             is_same || !is_current ? ICE_WARN : severity, &place,
             arg_str("plain", name_at(pin, plain)),
             arg_str("packed", name_at(pin, packed)),
             arg_text("verdict", is_same ? "are equal" : "differ"));
    return ICE_OK;
}

static enum ice_status check_codecs(const struct pin *pin, struct ice_error *err) {
    for (size_t i = 0; i < pin->target->n_names; i++) {
        const struct ice_metadata_name *name = &pin->target->names[i];
        if (!name->is_gzip_name)
            continue; /* nearly all of them, and rescue asks of each file */
        size_t plain = name->is_hadoop ? find_hadoop(pin->target, name->version) : i;
        if (pin->target->names[plain].is_gzip_name)
            continue;
        ICE_TRY(check_pair(pin, plain, i, err));
    }
    return ICE_OK;
}

/* ---- the pass ---- */

/* What the catalog says, unless it leads nowhere. */
static enum ice_status pick_pointed(struct pin *pin, struct ice_error *err) {
    struct ice_check *ck = pin->ck;
    ICE_TRY(ice_find_pointer(ck, &pin->pointed, err));
    ck->pointer_is_missing = pin->pointed.kind == ICE_POINTED_MISSING;
    if (pin->pointed.kind == ICE_POINTED_HERE)
        pin->picked = pin->pointed.index;
    pin->is_pointed = pin->pointed.kind == ICE_POINTED_HERE ||
                      pin->pointed.kind == ICE_POINTED_ELSEWHERE;
    return ICE_OK;
}

static enum ice_status report_pointed(const struct pin *pin, struct ice_error *err) {
    struct ice_check *ck = pin->ck;
    struct ice_place place;
    if (pin->pointed.kind == ICE_POINTED_UNMAPPED) {
        place = ice_pointer_place(ck, ck->pointer);
        ice_check_unmapped(ck, ck->pointer->metadata_location, &place, "catalog.*");
    }
    if (pin->pointed.kind != ICE_POINTED_MISSING)
        return ICE_OK;
    ICE_TRY(place_of(pin, pin->pointed.name, &place, err));
    struct ice_str uri = ck->pointer->metadata_location;
    const struct ice_unfound item = {.rule = ICE_RULE_CATALOG_POINTER_MISSING_FILE,
                                     .severity = ICE_DEFAULT,
                                     .place = place,
                                     .uri = uri,
                                     .version = -1,
                                     .name = uri.size > 0 ? uri : pin->pointed.name,
                                     .used = name_at(pin, pin->picked)};
    ice_unfound_found(ck, &item);
    return ICE_OK;
}

static enum ice_status pick(struct pin *pin, struct ice_error *err) {
    struct ice_check *ck = pin->ck;
    const char *asked = ck->options->metadata;
    size_t by_hint = NOT_FOUND;
    bool is_asked = asked != NULL && !is_word(asked, "hint");
    ICE_TRY(pick_pointed(pin, err));
    if (is_asked || is_word(asked, "hint")) {
        pin->is_pointed = false; /* nearer to the user than the catalog */
        pin->picked = NOT_FOUND;
    }
    pin->is_decided = is_asked || pin->is_pointed;
    if (pin->target->has_hint)
        ICE_TRY(judge_hint(pin, &by_hint, err));
    if (is_word(asked, "latest")) {
        ck->picked_by = ICE_PICKED_BY_ARGUMENT;
        ICE_TRY(pick_highest(pin, true, err));
    } else if (is_asked) {
        ck->picked_by = ICE_PICKED_BY_ARGUMENT;
        ICE_TRY(pick_asked(pin, asked, err));
    } else if (pin->is_pointed) {
        ck->picked_by = ICE_PICKED_BY_POINTER;
        if (pin->picked == NOT_FOUND) /* elsewhere: what is here only misleads */
            ICE_TRY(pick_highest(pin, true, err));
    } else if (by_hint != NOT_FOUND) {
        ck->picked_by = ICE_PICKED_BY_HINT;
        pin->picked = by_hint;
    } else {
        ICE_TRY(pick_highest(pin, ck->pointer_is_missing, err));
    }
    if (pin->target->has_hint && pin->target->hint_version >= 0 && by_hint == NOT_FOUND) {
        ck->hint_is_missing =
            !pin->is_decided && pin->picked != NOT_FOUND &&
            pin->target->hint_version > pin->target->names[pin->picked].version;
        report_dangling(pin);
    }
    return report_pointed(pin, err);
}

static enum ice_status set_pinned(struct ice_check *ck, struct ice_source *source,
                                  struct ice_str key, struct ice_str file) {
    ck->metadata_source = source;
    ck->metadata_key = key;
    ck->metadata_file = file;
    ck->pinned = true;
    char shown[400];
    ice_check_note(ck, 1, "current metadata file: %s, by %s",
                   ice_escape(shown, sizeof(shown), ck->metadata_file),
                   ice_picked_by_name(ck->picked_by));
    return ICE_OK;
}

enum ice_status ice_pass0_pin(struct ice_check *ck, struct ice_error *err) {
    const struct ice_target *target = ck->target;
    if (target->kind == ICE_TARGET_METADATA) {
        struct ice_pointed_at unused;
        ck->picked_by =
            target->is_document ? ICE_PICKED_BY_POINTER : ICE_PICKED_BY_ARGUMENT;
        ICE_TRY(ice_find_pointer(ck, &unused, err));
        return set_pinned(ck, target->source, target->file_key,
                          ice_target_file_name(target, target->file_key));
    }
    struct pin pin = {.ck = ck, .target = target, .picked = NOT_FOUND};
    ICE_TRY(place_of(&pin, ICE_STR("version-hint.text"), &pin.hint_place, err));
    ICE_TRY(pick(&pin, err));
    ICE_TRY(check_missing_hint(&pin));
    ICE_TRY(check_naming(&pin, err));
    ICE_TRY(check_leftovers(&pin, err));
    ICE_TRY(check_codecs(&pin, err));
    if (ck->picked_by == ICE_PICKED_BY_NAME && !ck->pointer_is_missing)
        ICE_TRY(ice_check_made_anew(ck, pin.picked, err));
    struct ice_str key;
    if (ice_key_join(&ck->arena, target->metadata_dir, name_at(&pin, pin.picked), &key) <
        0)
        return ice_error_memory(err);
    if (pin.odd_key.size > 0)
        return set_pinned(ck, target->source, pin.odd_key,
                          ice_target_file_name(target, pin.odd_key));
    if (pin.is_pointed && pin.pointed.kind == ICE_POINTED_ELSEWHERE)
        return set_pinned(ck, pin.pointed.source, pin.pointed.key,
                          ck->pointer->metadata_location);
    return set_pinned(ck, target->source, key, ice_target_file_name(target, key));
}
