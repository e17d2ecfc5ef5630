/*
 * Objects that nobody names, by their decoded and by their lower-case names.
 */
#include "check/storage_spelling.h"

#include "base/error.h"
#include "base/percent.h"

void ice_spellings_init(struct ice_spellings *spellings, struct ice_check *ck) {
    struct ice_alloc *alloc = &ck->run->alloc;
    *spellings = (struct ice_spellings){0};
    ice_table_init(&spellings->decoded, alloc);
    ice_table_init(&spellings->lower, alloc);
    ice_buf_init(&spellings->text, alloc, SIZE_MAX);
    ice_buf_init(&spellings->other, alloc, SIZE_MAX);
}

void ice_spellings_release(struct ice_spellings *spellings) {
    ice_table_release(&spellings->decoded);
    ice_table_release(&spellings->lower);
    ice_buf_release(&spellings->text);
    ice_buf_release(&spellings->other);
}

static enum ice_status decode(struct ice_str text, struct ice_buf *out) {
    return ice_percent_decode(text, false, out);
}

static enum ice_status lower(struct ice_str text, struct ice_buf *out) {
    ice_buf_clear(out);
    ICE_TRY(ice_buf_append_str(out, text));
    for (size_t i = 0; i < out->size; i++) {
        if (out->data[i] >= 'A' && out->data[i] <= 'Z')
            out->data[i] = (char)(out->data[i] - 'A' + 'a');
    }
    return ICE_OK;
}

static enum ice_status make(struct ice_spellings *spellings, struct ice_check *ck) {
    const struct ice_storage *s = ck->storage;
    uint64_t seed = ck->run->hash_seed;
    struct ice_buf *text = &spellings->text;
    spellings->is_made = true;
    for (size_t i = 0; i < s->n_orphans && i < UINT32_MAX; i++) {
        ICE_TRY(decode(s->orphans[i].uri, text));
        ICE_TRY(ice_table_put(&spellings->decoded, ice_hash64(ice_buf_str(text), seed),
                              (uint32_t)i));
        ICE_TRY(lower(s->orphans[i].uri, text));
        ICE_TRY(ice_table_put(&spellings->lower, ice_hash64(ice_buf_str(text), seed),
                              (uint32_t)i));
    }
    return ICE_OK;
}

typedef enum ice_status (*spell_fn)(struct ice_str text, struct ice_buf *out);

static enum ice_status find(struct ice_spellings *spellings, struct ice_check *ck,
                            const struct ice_table *table, spell_fn spell,
                            struct ice_str folded, struct ice_str *out) {
    struct ice_storage *s = ck->storage;
    size_t at = SIZE_MAX;
    uint32_t index;
    ICE_TRY(spell(folded, &spellings->text));
    struct ice_str wanted = ice_buf_str(&spellings->text);
    uint64_t hash = ice_hash64(wanted, ck->run->hash_seed);
    while (ice_table_next(table, hash, &at, &index)) {
        ICE_TRY(spell(s->orphans[index].uri, &spellings->other));
        if (!ice_str_equal(wanted, ice_buf_str(&spellings->other)))
            continue;
        s->orphans[index].is_named = true;
        *out = s->orphans[index].uri;
        return ICE_OK;
    }
    return ICE_OK;
}

enum ice_status ice_spellings_find(struct ice_spellings *spellings, struct ice_check *ck,
                                   struct ice_str folded, enum ice_rule_id *out_rule,
                                   struct ice_str *out) {
    *out = ICE_STR_NONE;
    if (!spellings->is_made)
        ICE_TRY(make(spellings, ck));
    *out_rule = ICE_RULE_STORAGE_FILE_ONLY_DECODED;
    ICE_TRY(find(spellings, ck, &spellings->decoded, decode, folded, out));
    if (out->size > 0)
        return ICE_OK;
    *out_rule = ICE_RULE_STORAGE_FILE_ONLY_OTHER_CASE;
    return find(spellings, ck, &spellings->lower, lower, folded, out);
}
