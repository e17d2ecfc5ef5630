/*
 * Group 28 over one Puffin file: its frame, its blobs, then each vector and statistics
 * entry that names it. A fault of the frame is said once; vectors are still read by their
 * place, as readers do.
 */
#include "check/puffin_rules.h"

#include "base/error.h"
#include "check/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAGIC_BYTES = 4, AROUND_PAYLOAD = 16, MOST_TO_SEARCH = 256 };

struct rules {
    struct ice_check *ck;
    const struct ice_puffin *p;
    struct ice_str path;
    uint64_t order;
    const struct ice_puffin_blob **sorted; /* the footer's, by offset and length */
};

static struct ice_place at_offset(const struct rules *r, uint64_t offset) {
    struct ice_place place = ice_place_file(r->path, r->order);
    place.at.offset = offset;
    return place;
}

static struct ice_place at_blob(const struct rules *r, int64_t offset) {
    return at_offset(r, offset < 0 ? ICE_NO_OFFSET : (uint64_t)offset);
}

/* Inside of the body: before the footer. A number below 0 is a huge one. */
static bool is_inside(const struct ice_puffin *p, int64_t offset, int64_t size) {
    return (uint64_t)offset <= p->footer_start &&
           (uint64_t)size <= p->footer_start - (uint64_t)offset;
}

static struct ice_str bytes_of(const struct ice_puffin *p, int64_t offset, int64_t size) {
    return ice_str_make(p->bytes.data + offset, (size_t)size);
}

static bool is_vector(const struct ice_puffin_blob *blob) {
    return ice_str_is(blob->type, "deletion-vector-v1");
}

/* ---- the frame ---- */

static bool is_bare_vector(const struct rules *r, const struct ice_puffin_ask *asks,
                           size_t n) {
    for (size_t i = 0; i < n; i++)
        if (asks[i].statistics == NULL && asks[i].offset == 0 &&
            is_inside(r->p, asks[i].offset, asks[i].size) &&
            ice_deletion_vector_is(bytes_of(r->p, asks[i].offset, asks[i].size)))
            return true;
    return false;
}

static void not_evaluated(const struct rules *r, struct ice_str why) {
    ice_emit_not_evaluated(r->ck->emit, "Puffin file", why, true, r->path);
}

static enum ice_status frame_rules(const struct rules *r,
                                   const struct ice_puffin_ask *asks, size_t n) {
    const struct ice_puffin *p = r->p;
    struct ice_emit *emit = r->ck->emit;
    struct ice_place place = at_offset(r, p->fault_offset);
    bool is_bare = p->fault == ICE_PUFFIN_MAGIC && p->fault_offset == 0 &&
                   is_bare_vector(r, asks, n);
    char flags[16];
    switch (p->fault) {
    case ICE_PUFFIN_SOUND:
        break;
    case ICE_PUFFIN_ENCRYPTED:
        not_evaluated(r, ICE_STR("it is encrypted"));
        break;
    case ICE_PUFFIN_MAGIC:
        FOUND(emit, ICE_RULE_PUFFIN_MAGIC, &place, arg_str("path", r->path),
              arg_text("what", is_bare ? "holds bare deletion vectors, without the "
                                         "frame of a Puffin file"
                                       : p->why));
        break;
    case ICE_PUFFIN_SIZE:
        FOUND(emit, ICE_RULE_PUFFIN_FOOTER_SIZE, &place, arg_str("path", r->path),
              arg_text("what", p->why));
        break;
    case ICE_PUFFIN_JSON:
        FOUND(emit, ICE_RULE_PUFFIN_FOOTER_JSON, &place, arg_str("path", r->path),
              arg_text("detail", p->reason.message));
        break;
    case ICE_PUFFIN_COMPRESSED:
        not_evaluated(r, ICE_STR("its footer is compressed (LZ4), which is not read"));
        break;
    case ICE_PUFFIN_LIMIT:
        ICE_TRY(
            ice_check_fault(r->ck, &p->reason, &place, ICE_SCOPE_HEAD, "Puffin footer"));
        break;
    }
    if (p->reserved_flags == 0)
        return ICE_OK;
    place = at_offset(r, p->bytes.size - 2 * (uint64_t)MAGIC_BYTES);
    (void)snprintf(flags, sizeof(flags), "0x%08" PRIx32, p->reserved_flags);
    FOUND(emit, ICE_RULE_PUFFIN_FOOTER_FLAGS, &place, arg_str("path", r->path),
          arg_text("flags", flags));
    return ICE_OK;
}

/* ---- blobs, as the footer has them ---- */

static void range_finding(const struct rules *r, const struct ice_puffin_blob *blob,
                          const char *what) {
    struct ice_place place = at_blob(r, blob->offset);
    FOUND(r->ck->emit, ICE_RULE_PUFFIN_BLOB_RANGE, &place,
          arg_i64("offset", blob->offset), arg_str("path", r->path),
          arg_i64("size", blob->length), arg_text("what", what));
}

static void blob_rules(const struct rules *r, const struct ice_puffin_blob *blob) {
    struct ice_place place = at_blob(r, blob->offset);
    bool is_known = ice_str_is(blob->codec, "lz4") || ice_str_is(blob->codec, "zstd");
    if (blob->has_codec && (is_vector(blob) || !is_known))
        FOUND(r->ck->emit, ICE_RULE_PUFFIN_BLOB_CODEC, &place,
              arg_i64("offset", blob->offset), arg_str("path", r->path),
              arg_str("codec", blob->codec),
              arg_text("what", is_vector(blob) ? "deletion vectors are not compressed"
                                               : "only lz4 and zstd are defined"));
    if (blob->offset < MAGIC_BYTES || !is_inside(r->p, blob->offset, blob->length))
        range_finding(r, blob, "does not lie between the first magic and the footer");
    if (is_vector(blob) && (blob->snapshot_id != -1 || blob->sequence_number != -1))
        FOUND(r->ck->emit, ICE_RULE_PUFFIN_DV_IDS, &place,
              arg_i64("offset", blob->offset), arg_str("path", r->path),
              arg_id("id", blob->snapshot_id), arg_id("sequence", blob->sequence_number));
}

static int compare_blobs(const void *a, const void *b) {
    const struct ice_puffin_blob *x = *(const struct ice_puffin_blob *const *)a;
    const struct ice_puffin_blob *y = *(const struct ice_puffin_blob *const *)b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->length < y->length ? -1 : x->length > y->length;
}

/* By offset, for overlaps and for entries to find theirs. */
static enum ice_status sort_blobs(struct rules *r) {
    const struct ice_puffin *p = r->p;
    if (p->n_blobs == 0)
        return ICE_OK;
    r->sorted =
        ice_calloc(&r->ck->run->alloc, p->n_blobs, sizeof(struct ice_puffin_blob *));
    if (r->sorted == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < p->n_blobs; i++)
        r->sorted[i] = &p->blobs[i];
    qsort(r->sorted, p->n_blobs, sizeof(struct ice_puffin_blob *), compare_blobs);
    return ICE_OK;
}

static void overlap_rules(const struct rules *r) {
    int64_t end = 0;
    for (size_t i = 0; i < r->p->n_blobs; i++) {
        const struct ice_puffin_blob *blob = r->sorted[i];
        if (blob->length <= 0 || !is_inside(r->p, blob->offset, blob->length))
            continue;
        if (blob->offset < end)
            range_finding(r, blob, "overlaps one that begins before it");
        if (blob->offset + blob->length > end)
            end = blob->offset + blob->length;
    }
}

/* ---- deletion vectors ---- */

static void entry_place(const struct rules *r, const struct ice_puffin_ask *ask,
                        enum ice_entry_bit bit, struct ice_row_place *out) {
    struct ice_str file =
        ice_check_file_name(r->ck, r->ck->manifests[ask->manifest].path);
    ice_row_place_begin(out, file, ICE_ORDER_MANIFEST + ask->manifest, ask->record);
    out->place.at.block = ask->block;
    out->place.at.offset = ask->block_offset;
    ice_row_place_step(out, ask->names[ICE_ENTRY_data_file]);
    ice_row_place_step(out, ask->names[bit]);
}

static const struct ice_puffin_blob *find_blob(const struct rules *r,
                                               const struct ice_puffin_ask *ask) {
    struct ice_puffin_blob wanted = {.offset = ask->offset, .length = ask->size};
    const struct ice_puffin_blob *key = &wanted;
    if (r->p->n_blobs == 0)
        return NULL;
    const struct ice_puffin_blob **found = bsearch(
        &key, r->sorted, r->p->n_blobs, sizeof(struct ice_puffin_blob *), compare_blobs);
    return found == NULL ? NULL : *found;
}

static enum ice_status same_path(const struct rules *r, struct ice_str a,
                                 struct ice_str b, bool *out) {
    struct ice_buf scratch[2];
    struct ice_str folded[2];
    ice_buf_init(&scratch[0], &r->ck->run->alloc, SIZE_MAX);
    ice_buf_init(&scratch[1], &r->ck->run->alloc, SIZE_MAX);
    enum ice_status status = ice_path_fold(a, &scratch[0], &folded[0]);
    if (status >= 0)
        status = ice_path_fold(b, &scratch[1], &folded[1]);
    *out = status >= 0 && ice_str_equal(folded[0], folded[1]);
    ice_buf_release(&scratch[0]);
    ice_buf_release(&scratch[1]);
    return status;
}

static enum ice_status referenced_rule(const struct rules *r,
                                       const struct ice_puffin_ask *ask,
                                       const struct ice_puffin_blob *blob) {
    struct ice_row_place other;
    struct ice_place place = at_blob(r, blob->offset);
    bool is_same = false;
    if (ask->data_file.size == 0)
        return ICE_OK;
    ICE_TRY(same_path(r, blob->referenced, ask->data_file, &is_same));
    if (is_same)
        return ICE_OK;
    entry_place(r, ask, ICE_FILE_referenced_data_file, &other);
    FOUND_VS(r->ck->emit, ICE_RULE_PUFFIN_DV_REFERENCED,
             blob->has_referenced ? ICE_ERROR : ICE_WARN, &place, &other.place,
             arg_i64("offset", blob->offset), arg_str("path", r->path),
             arg_str("found", blob->has_referenced ? blob->referenced
                                                   : ICE_STR("a file it does not name")),
             arg_str("data_file", ask->data_file));
    return ICE_OK;
}

/* blob NULL: the footer was not read. */
static void cardinality_rule(const struct rules *r, const struct ice_puffin_ask *ask,
                             const struct ice_puffin_blob *blob,
                             const struct ice_roaring *bitmap) {
    struct ice_row_place other;
    struct ice_place place = at_blob(r, ask->offset);
    int64_t property = 0, found = (int64_t)bitmap->cardinality;
    bool has_property = blob != NULL && blob->has_cardinality;
    bool is_wrong = (ask->has_cardinality && ask->cardinality != found) ||
                    (has_property && (!ice_str_to_i64(blob->cardinality, &property) ||
                                      property != found));
    bool lacks_property = blob != NULL && !has_property;
    if (!is_wrong && !lacks_property)
        return;
    entry_place(r, ask, ICE_FILE_record_count, &other);
    FOUND_VS(r->ck->emit, ICE_RULE_PUFFIN_DV_CARDINALITY, is_wrong ? ICE_ERROR : ICE_WARN,
             &place, &other.place, arg_i64("offset", ask->offset),
             arg_str("path", r->path), arg_i64("found", found),
             arg_i64("declared", ask->cardinality),
             arg_str("property", has_property     ? blob->cardinality
                                 : lacks_property ? ICE_STR("absent")
                                                  : ICE_STR("not read")));
}

static void damage_finding(const struct rules *r, const struct ice_puffin_ask *ask,
                           enum ice_severity severity, uint64_t offset,
                           const char *what) {
    struct ice_row_place other;
    struct ice_place place = at_offset(r, (uint64_t)ask->offset + offset);
    entry_place(r, ask, ICE_FILE_content_offset, &other);
    FOUND_VS(r->ck->emit, ICE_RULE_PUFFIN_DV_BLOB, severity, &place, &other.place,
             arg_i64("offset", ask->offset), arg_str("path", r->path),
             arg_text("what", what));
}

static void bitmap_rules(const struct rules *r, const struct ice_puffin_ask *ask,
                         const struct ice_puffin_blob *blob) {
    struct ice_roaring bitmap;
    char what[120];
    if (ice_deletion_vector_read(bytes_of(r->p, ask->offset, ask->size), &bitmap) < 0) {
        damage_finding(r, ask, ICE_ERROR, bitmap.offset, bitmap.why);
        return;
    }
    cardinality_rule(r, ask, blob, &bitmap);
    /* a number of rows that is not known is -1, which is above every position */
    if (bitmap.cardinality == 0 || bitmap.last < (uint64_t)ask->data_rows)
        return;
    (void)snprintf(what, sizeof(what),
                   "it deletes row %" PRIu64 ", and its data file has rows 0 to %" PRId64,
                   bitmap.last, ask->data_rows - 1);
    if (ask->data_rows == 0)
        (void)snprintf(what, sizeof(what), "it deletes rows, and its data file has none");
    damage_finding(r, ask, ICE_WARN, 0, what);
}

static enum ice_status vector_rules(const struct rules *r,
                                    const struct ice_puffin_ask *ask) {
    struct ice_row_place at;
    struct ice_place file = ice_place_file(r->path, r->order);
    const struct ice_puffin_blob *blob = find_blob(r, ask);
    if (r->p->fault == ICE_PUFFIN_SOUND && blob == NULL) {
        entry_place(r, ask, ICE_FILE_content_offset, &at);
        FOUND_VS(r->ck->emit, ICE_RULE_PUFFIN_DV_NO_BLOB, ICE_DEFAULT, &at.place, &file,
                 arg_str("path", r->path), arg_i64("size", ask->size),
                 arg_i64("offset", ask->offset));
        return ICE_OK;
    }
    if (blob != NULL && !is_vector(blob)) {
        struct ice_place place = at_blob(r, blob->offset);
        entry_place(r, ask, ICE_FILE_content_offset, &at);
        FOUND_VS(r->ck->emit, ICE_RULE_PUFFIN_DV_TYPE, ICE_DEFAULT, &place, &at.place,
                 arg_i64("offset", blob->offset), arg_str("path", r->path),
                 arg_str("found", blob->type));
        return ICE_OK;
    }
    if (blob != NULL)
        ICE_TRY(referenced_rule(r, ask, blob));
    /* outside of the file: puffin.blob.range, or what is wrong with the frame */
    if (is_inside(r->p, ask->offset, ask->size) && (blob == NULL || !blob->has_codec))
        bitmap_rules(r, ask, blob);
    return ICE_OK;
}

/* ---- statistics ---- */

static bool same_fields(const struct ice_blob_metadata *a,
                        const struct ice_puffin_blob *b) {
    return a->n_fields == b->n_fields &&
           (a->n_fields == 0 ||
            memcmp(a->fields, b->fields, a->n_fields * sizeof(*a->fields)) == 0);
}

static bool same_blob(const struct ice_blob_metadata *a,
                      const struct ice_puffin_blob *b) {
    return ice_str_equal(a->type, b->type) && a->snapshot_id == b->snapshot_id &&
           a->sequence_number == b->sequence_number && same_fields(a, b);
}

/* In whatever order; long lists are compared in theirs. */
static bool is_in_footer(const struct ice_puffin *p, const struct ice_blob_metadata *blob,
                         size_t index) {
    if (index < p->n_blobs && same_blob(blob, &p->blobs[index]))
        return true;
    for (size_t i = 0; p->n_blobs <= MOST_TO_SEARCH && i < p->n_blobs; i++)
        if (same_blob(blob, &p->blobs[i]))
            return true;
    return false;
}

static bool is_in_metadata(const struct ice_statistics *one,
                           const struct ice_puffin_blob *blob, size_t index) {
    if (index < one->n_blobs && same_blob(&one->blobs[index], blob))
        return true;
    for (size_t i = 0; one->n_blobs <= MOST_TO_SEARCH && i < one->n_blobs; i++)
        if (same_blob(&one->blobs[i], blob))
            return true;
    return false;
}

static enum ice_status statistics_place(const struct rules *r,
                                        const struct ice_statistics *one,
                                        const char *member, struct ice_buf *pointer,
                                        struct ice_place *out) {
    ice_buf_clear(pointer);
    ICE_TRY(ice_buf_append_str(pointer, one->pointer));
    ICE_TRY(ice_buf_append_str(pointer, ice_str_from(member)));
    *out = ice_place_at(r->ck->metadata_file, ICE_ORDER_METADATA, ice_buf_str(pointer));
    return ICE_OK;
}

static enum ice_status blobs_rule(const struct rules *r, const struct ice_statistics *one,
                                  struct ice_buf *pointer) {
    struct ice_place place, file = ice_place_file(r->path, r->order);
    char what[120] = "";
    if (r->p->fault != ICE_PUFFIN_SOUND || !one->has_blobs || one->bad)
        return ICE_OK;
    for (size_t i = 0; i < one->n_blobs; i++) {
        if (one->blobs[i].bad)
            return ICE_OK;
        if (what[0] == '\0' && !is_in_footer(r->p, &one->blobs[i], i))
            (void)snprintf(what, sizeof(what), "blob %zu is not in the footer", i);
    }
    for (size_t i = 0; what[0] == '\0' && i < r->p->n_blobs; i++)
        if (!is_in_metadata(one, &r->p->blobs[i], i))
            (void)snprintf(what, sizeof(what), "blob %zu of the footer is not listed", i);
    if (one->n_blobs != r->p->n_blobs)
        (void)snprintf(what, sizeof(what), "%zu are listed, the footer has %zu",
                       one->n_blobs, r->p->n_blobs);
    if (what[0] == '\0')
        return ICE_OK;
    ICE_TRY(statistics_place(r, one, "/blob-metadata", pointer, &place));
    FOUND_VS(r->ck->emit, ICE_RULE_PUFFIN_STATS_BLOBS, ICE_DEFAULT, &place, &file,
             arg_str("path", r->path), arg_text("what", what));
    return ICE_OK;
}

static enum ice_status statistics_rules(const struct rules *r,
                                        const struct ice_statistics *one,
                                        struct ice_buf *pointer) {
    struct ice_place place, file = ice_place_file(r->path, r->order);
    char what[160];
    bool has_size = r->p->fault != ICE_PUFFIN_MAGIC && r->p->fault != ICE_PUFFIN_SIZE &&
                    r->p->fault != ICE_PUFFIN_ENCRYPTED;
    int64_t footer = (int64_t)r->p->payload_size + AROUND_PAYLOAD;
    if (has_size && one->has_footer_size && one->file_footer_size_in_bytes != footer) {
        ICE_TRY(statistics_place(r, one, "/file-footer-size-in-bytes", pointer, &place));
        (void)snprintf(what, sizeof(what),
                       "has a footer of %" PRId64
                       " bytes, file-footer-size-in-bytes says %" PRId64,
                       footer, one->file_footer_size_in_bytes);
        FOUND_VS(r->ck->emit, ICE_RULE_PUFFIN_FOOTER_SIZE, ICE_DEFAULT, &place, &file,
                 arg_str("path", r->path), arg_text("what", what));
    }
    return blobs_rule(r, one, pointer);
}

enum ice_status ice_puffin_rules(struct ice_check *ck, const struct ice_puffin *puffin,
                                 const struct ice_puffin_ask *asks, size_t n,
                                 uint64_t order) {
    struct rules r = {.ck = ck,
                      .p = puffin,
                      .path = ice_check_file_name(ck, asks->path),
                      .order = order};
    struct ice_buf pointer;
    enum ice_status status = frame_rules(&r, asks, n);
    if (status < 0 || puffin->fault == ICE_PUFFIN_ENCRYPTED)
        return status;
    for (size_t i = 0; i < puffin->n_blobs; i++)
        blob_rules(&r, &puffin->blobs[i]);
    ICE_TRY(sort_blobs(&r));
    overlap_rules(&r);
    ice_buf_init(&pointer, &ck->run->alloc, SIZE_MAX);
    for (size_t i = 0; status >= 0 && i < n; i++)
        status = asks[i].statistics ? statistics_rules(&r, asks[i].statistics, &pointer)
                                    : vector_rules(&r, &asks[i]);
    ice_buf_release(&pointer);
    if (r.sorted != NULL)
        ice_free(&ck->run->alloc, r.sorted,
                 puffin->n_blobs * sizeof(struct ice_puffin_blob *));
    return status;
}
