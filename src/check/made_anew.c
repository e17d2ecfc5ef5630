/*
 * A table that was dropped and made anew in one place, where no catalog says which of the
 * two is current: the number of the new one's files begins at 0 again, and the dropped
 * one's file has the highest.
 */
#include "check/kinship.h"
#include "check/peeked.h"

#include "base/error.h"

/* ---- where to look ---- */

/*
 * A commit that lost leaves a second file of its version, too: only uuid and time tell.
 * Opened are files of at most four versions: the lowest, the lowest and the highest that
 * two files have, and the one before the last gap. One of them is the new table's first
 * or last file, unless it expired the one and numbered the other as a failed commit.
 */
enum { MOST_VERSIONS = 4, MOST_OF_VERSION = 4 };
enum { BOTH = ICE_PEEK_UUID | ICE_PEEK_UPDATED };

struct places {
    size_t at[MOST_VERSIONS]; /* first name of the version */
    size_t n;
};

static void add_place(struct places *places, size_t at) {
    for (size_t i = 0; i < places->n; i++) {
        if (places->at[i] == at)
            return;
    }
    places->at[places->n++] = at;
}

static size_t end_of_version(const struct ice_target *target, size_t first) {
    size_t end = first + 1;
    while (end < target->n_names &&
           target->names[end].version == target->names[first].version)
        end++;
    return end;
}

static struct places odd_places(const struct ice_target *target, size_t picked) {
    const struct ice_metadata_name *names = target->names;
    struct places out = {.n = 0};
    size_t lowest = SIZE_MAX, twice = SIZE_MAX, last_twice = SIZE_MAX, gap = SIZE_MAX;
    for (size_t i = 0, end; i < target->n_names; i = end) {
        size_t n = 0;
        end = end_of_version(target, i);
        if (names[i].version < 0 || names[i].version >= names[picked].version)
            continue;
        for (size_t k = i; k < end; k++)
            n += !names[k].is_temp;
        lowest = lowest == SIZE_MAX ? i : lowest;
        twice = n > 1 && twice == SIZE_MAX ? i : twice;
        last_twice = n > 1 ? i : last_twice;
        if (end < target->n_names && names[end].version > names[i].version + 1)
            gap = i;
    }
    size_t found[MOST_VERSIONS] = {lowest, twice, last_twice, gap};
    for (size_t i = 0; i < MOST_VERSIONS; i++) {
        if (found[i] != SIZE_MAX)
            add_place(&out, found[i]);
    }
    return out;
}

/* The newest of the files of a version that are of another table and newer than own. */
static enum ice_status look_at(struct ice_check *ck, size_t first,
                               const struct ice_peeked *own, struct ice_peeked *newest,
                               size_t *out_index, struct ice_error *err) {
    const struct ice_target *target = ck->target;
    size_t end = end_of_version(target, first), n_opened = 0;
    for (size_t i = first; i < end && n_opened < MOST_OF_VERSION; i++) {
        struct ice_peeked file;
        if (target->names[i].is_temp)
            continue;
        n_opened++;
        ICE_TRY(ice_peek_metadata(ck, target->names[i].name, BOTH, &file, err));
        if (ice_is_other_uuid(file.uuid, own->uuid) &&
            file.updated_ms > newest->updated_ms) {
            *newest = file;
            *out_index = i;
        }
    }
    return ICE_OK;
}

enum ice_status ice_check_made_anew(struct ice_check *ck, size_t picked,
                                    struct ice_error *err) {
    const struct ice_target *target = ck->target;
    struct places places = odd_places(target, picked);
    struct ice_peeked own;
    size_t found = SIZE_MAX;
    if (places.n == 0)
        return ICE_OK;
    ICE_TRY(ice_peek_metadata(ck, target->names[picked].name, BOTH, &own, err));
    if (own.uuid.size == 0 || own.updated_ms == INT64_MIN)
        return ICE_OK;
    struct ice_peeked newest = own;
    for (size_t i = 0; i < places.n; i++)
        ICE_TRY(look_at(ck, places.at[i], &own, &newest, &found, err));
    struct ice_str key, used = target->names[picked].name;
    if (found == SIZE_MAX)
        return ICE_OK;
    if (ice_key_join(&ck->arena, target->metadata_dir, used, &key) < 0)
        return ice_error_memory(err);
    struct ice_place place =
        ice_place_file(ice_target_file_name(target, key), ICE_ORDER_POINTER);
    FOUND(ck->emit, ICE_RULE_CATALOG_POINTER_OTHER_TABLE, &place,
          arg_str("name", target->names[found].name), arg_str("uuid", newest.uuid),
          arg_str("used", used));
    return ICE_OK;
}
