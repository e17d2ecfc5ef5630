/*
 * Magic, header map and framing of Avro containers: any bytes, whole and in random
 * pieces, give the same header and the same blocks, each inside the file and in order.
 */
#include "avro/container.h"
#include "fuzz/target.h"

static void add_header(uint64_t *digest, const struct ice_avro_file *file, size_t size) {
    struct ice_str value;
    require(file->header_bytes <= size);
    digest_number(digest, file->codec);
    digest_str(digest, file->codec_name);
    digest_str(digest, ice_str_make(file->sync, sizeof(file->sync)));
    for (size_t i = 0; i < file->n_header; i++) {
        const struct ice_avro_header_entry *entry = &file->header[i];
        require(!entry->differs || entry->duplicate);
        require(entry->key.size + entry->value.size <= size);
        digest_str(digest, entry->key);
        digest_str(digest, entry->value);
        digest_number(digest, (uint64_t)entry->duplicate << 1 | entry->differs);
    }
    if (ice_avro_header(file, "avro.schema", &value))
        digest_str(digest, value);
}

static uint64_t read_all(struct ice_run *run, struct ice_str bytes, bool in_pieces) {
    uint64_t digest = 1, last = 0;
    struct ice_avro_file file;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct ice_stream stream;
    struct pieces pieces;
    target_stream(&stream, &pieces, run, bytes, in_pieces);
    enum ice_status status = ice_avro_open(&file, run, &stream, &err);
    add_header(&digest, &file, bytes.size);
    if (status < 0)
        digest_fault(&digest, status, &err, bytes.size);
    const bool is_open = status == ICE_OK;
    while (is_open) {
        struct ice_avro_block block = {0};
        ice_error_clear(&err);
        status = ice_avro_next_block(&file, &block, &err);
        if (status == ICE_DONE)
            break;
        if (status < 0)
            digest_fault(&digest, status, &err, bytes.size);
        require(status != ICE_OK || block.offset + block.packed_bytes <= bytes.size);
        require(block.offset >= last && block.data.size <= TARGET_BLOCK_BYTES);
        require(status == ICE_OK || block.data.size == 0);
        last = block.offset;
        digest_number(&digest, block.offset);
        digest_number(&digest, block.count);
        digest_str(&digest, block.data);
    }
    require(file.skipped_bytes <= bytes.size);
    digest_number(&digest, file.skipped_bytes);
    ice_avro_release(&file);
    ice_stream_release(&stream);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return target_whole_and_pieces(data, size, read_all);
}
