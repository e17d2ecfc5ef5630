/*
 * Puffin files: any bytes, whole and in random pieces, have one verdict; blobs and what a
 * deletion vector says stay inside the file. Without the magic the bytes are taken as the
 * blob of a deletion vector, behind its checksum.
 */
#include "fuzz/target.h"
#include "iceberg/puffin.h"

static void add_vector(uint64_t *digest, struct ice_str blob) {
    struct ice_roaring vector = {0};
    const enum ice_status status = ice_deletion_vector_read(blob, &vector);
    require(status == ICE_OK || status == ICE_EFORMAT);
    if (status == ICE_EFORMAT)
        require(vector.why != NULL && vector.offset <= blob.size);
    else
        require(vector.cardinality <= vector.last + 1 || vector.cardinality == 0);
    digest_number(digest, (uint64_t)ice_deletion_vector_is(blob));
    digest_number(digest, status == ICE_OK ? vector.cardinality : vector.offset);
}

static void add_bitmap(struct ice_str bytes) {
    struct ice_roaring bitmap = {0};
    if (ice_roaring64_read(bytes, &bitmap) == ICE_OK)
        require(bitmap.cardinality <= bitmap.last + 1);
    else
        require(bitmap.why != NULL && bitmap.offset <= bytes.size);
}

static void add_blob(uint64_t *digest, const struct ice_puffin *puffin,
                     const struct ice_puffin_blob *blob) {
    digest_str(digest, blob->type);
    digest_str(digest, blob->codec);
    digest_str(digest, blob->referenced);
    digest_str(digest, blob->cardinality);
    digest_number(digest, (uint64_t)blob->offset);
    digest_number(digest, (uint64_t)blob->length);
    for (size_t i = 0; i < blob->n_fields; i++)
        digest_number(digest, (uint64_t)(uint32_t)blob->fields[i]);
    const uint64_t size = puffin->bytes.size;
    if (blob->offset < 0 || blob->length < 0 || (uint64_t)blob->offset > size ||
        (uint64_t)blob->length > size - (uint64_t)blob->offset)
        return; /* a finding of the check */
    add_vector(digest, ice_str_first(ice_str_from_index(ice_buf_str(&puffin->bytes),
                                                        (size_t)blob->offset),
                                     (size_t)blob->length));
}

static uint64_t read_all(struct ice_run *run, struct ice_str bytes, bool in_pieces) {
    uint64_t digest = 1;
    struct ice_puffin puffin = {0};
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct ice_stream stream;
    struct pieces pieces;
    target_stream(&stream, &pieces, run, bytes, in_pieces);
    const enum ice_status status =
        ice_puffin_read(&puffin, run, &stream, TARGET_BLOCK_BYTES, &err);
    if (status < 0)
        digest_fault(&digest, status, &err, bytes.size);
    digest_number(&digest, puffin.fault);
    require(puffin.fault == ICE_PUFFIN_SOUND || puffin.n_blobs == 0);
    if (puffin.fault == ICE_PUFFIN_MAGIC || puffin.fault == ICE_PUFFIN_SIZE)
        require(puffin.why != NULL && puffin.fault_offset <= bytes.size);
    if (puffin.fault == ICE_PUFFIN_JSON || puffin.fault == ICE_PUFFIN_LIMIT)
        digest_str(&digest, ice_str_from(puffin.reason.message));
    for (size_t i = 0; i < puffin.n_blobs; i++)
        add_blob(&digest, &puffin, &puffin.blobs[i]);
    ice_puffin_release(&puffin);
    ice_stream_release(&stream);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t digest = 1;
    struct ice_run run;
    target_begin(&run);
    const struct ice_str bytes = ice_str_make(data, size);
    require(read_all(&run, bytes, false) == read_all(&run, bytes, true));
    if (!ice_str_starts(bytes, ICE_STR("PFA1"))) {
        add_vector(&digest, bytes);
        add_bitmap(bytes);
    }
    target_end(&run);
    return 0;
}
