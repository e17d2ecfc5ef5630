/*
 * Listings: the form is told from the bytes, or by the first one, and read twice: whole
 * and in random pieces. Both give the same objects, none of them without a key, and no
 * more of them than there are bytes.
 */
#include "fuzz/target.h"
#include "inputs/listing.h"

struct seen {
    uint64_t n, n_present, digest;
};

static enum ice_status on_object(const struct ice_listed *object, void *user) {
    struct seen *seen = user;
    require(object->key.size > 0);
    seen->n++;
    seen->n_present += !object->is_old && !object->is_deleted;
    seen->digest = ice_hash64(object->key, seen->digest) ^
                   (object->has_size ? object->size : 1) ^ (uint64_t)object->mtime_ms;
    return ICE_OK;
}

static struct seen read_all(struct ice_run *run, enum ice_listing_format format,
                            struct ice_str bytes, bool in_pieces) {
    struct ice_listing listing = {.run = run, .format = format};
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct seen seen = {0};
    ice_arena_init(&listing.arena, &run->alloc);
    struct ice_stream stream;
    struct pieces pieces;
    target_stream(&stream, &pieces, run, bytes, in_pieces);
    enum ice_status status =
        ice_listing_read_stream(&listing, &stream, on_object, &seen, &err);
    require(status == ICE_OK || status == ICE_EFORMAT || status == ICE_ELIMIT ||
            (status == ICE_EARG && format == ICE_LISTING_S3_INVENTORY));
    require(seen.n_present == listing.n_objects);
    require(seen.n <= bytes.size);
    digest_number(&seen.digest, (uint64_t)(int64_t)status);
    if (status < 0)
        digest_str(&seen.digest, ice_str_from(err.message));
    ice_stream_release(&stream);
    ice_listing_release(&listing);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_run run;
    target_begin(&run);
    struct ice_str bytes = ice_str_make(data, size);
    enum ice_listing_format format = ice_listing_detect(&run, bytes);
    require(ice_listing_detect(&run, bytes) == format);
    if (format == ICE_LISTING_COUNT && size > 0) {
        format = (enum ice_listing_format)(data[0] % ICE_LISTING_COUNT);
        bytes = ice_str_from_index(bytes, 1);
    }
    if (format < ICE_LISTING_COUNT) {
        const struct seen whole = read_all(&run, format, bytes, false);
        const struct seen pieces = read_all(&run, format, bytes, true);
        require(whole.n == pieces.n && whole.digest == pieces.digest);
    }
    target_end(&run);
    return 0;
}
