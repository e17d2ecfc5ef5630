/*
 * Keys of open objects: each is known as new by the shape of its depth, or by its hash.
 */
#include "json/token.h"

#include "base/error.h"

#include <assert.h>

/* An object with more keys has its hashes in a set instead of a list. */
enum { FEW_KEYS = 32 };

/* Was this hash in its object before? 64 seeded bits are proof enough for a notice. */
static enum ice_status add_hash(struct ice_json *json, struct ice_json_frame *frame,
                                uint64_t hash, bool *out_was_there,
                                struct ice_error *err) {
    struct ice_alloc *alloc = &json->run->alloc;
    *out_was_there = false;
    if (frame->many.capacity == 0) {
        const size_t n = json->n_hashes - frame->hash_start;
        const uint64_t *hashes = n > 0 ? json->hashes + frame->hash_start : NULL;
        for (size_t i = 0; i < n; i++) {
            if (hashes[i] == hash) {
                *out_was_there = true;
                return ICE_OK;
            }
        }
        if (n < FEW_KEYS) {
            if (!ice_array_reserve(alloc, &json->hashes, json->n_hashes,
                                   &json->hashes_capacity, sizeof(*json->hashes)))
                return ice_error_memory(err);
            json->hashes[json->n_hashes++] = hash;
            return ICE_OK;
        }
        for (size_t i = 0; i < n; i++) {
            bool again;
            if (ice_json_keyset_put(&frame->many, alloc, hashes[i], &again) < 0)
                return ice_error_memory(err);
        }
        json->n_hashes = frame->hash_start;
    }
    if (ice_json_keyset_put(&frame->many, alloc, hash, out_was_there) < 0)
        return ice_error_memory(err);
    return ICE_OK;
}

/* The keys that the object had of its shape: no longer is the shape the proof. */
static enum ice_status add_hashes_of_shape(struct ice_json *json,
                                           struct ice_json_frame *frame,
                                           struct ice_error *err) {
    const struct ice_json_shaped *shaped = &frame->shaped;
    assert(shaped->shape != NULL || shaped->next == 0);
    frame->is_hashed = true;
    for (uint32_t i = 0; i < shaped->next; i++) {
        bool was_there;
        if (shaped->seen >> i & 1)
            ICE_TRY(add_hash(json, frame, shaped->shape->hashes[i], &was_there, err));
    }
    return ICE_OK;
}

bool ice_json_next_of_shape(struct ice_json *json, struct ice_json_frame *frame,
                            struct ice_str *out) {
    struct ice_json_shaped *shaped = &frame->shaped;
    if (shaped->shape == NULL || shaped->next >= shaped->shape->n)
        return false;
    const struct ice_str token = ice_json_shape_token(shaped->shape, shaped->next);
    if (json->size - json->at < token.size ||
        memcmp(json->data + json->at, token.data, token.size) != 0)
        return false;
    ice_json_shape_mark(shaped, shaped->next);
    frame->key_is_shaped = true;
    *out = ice_str_make(token.data + 1, token.size - 3);
    json->last = json->at;
    json->at += token.size;
    return true;
}

enum ice_status ice_json_add_key(struct ice_json *json, struct ice_json_frame *frame,
                                 struct ice_str key, bool has_escapes,
                                 bool *out_was_there, struct ice_error *err) {
    struct ice_json_shaped *shaped = &frame->shaped;
    *out_was_there = false;
    if (shaped->shape != NULL) {
        const uint32_t found = ice_json_shape_find(shaped, key);
        if (found != UINT32_MAX) {
            ice_json_shape_mark(shaped, found);
            return ICE_OK;
        }
    }
    uint64_t hash = 0;
    if (json->notice != NULL) {
        if (!frame->is_hashed)
            ICE_TRY(add_hashes_of_shape(json, frame, err));
        hash = ice_hash64(key, json->run->hash_seed);
        ICE_TRY(add_hash(json, frame, hash, out_was_there, err));
    }
    if (shaped->shape == NULL)
        return ICE_OK;
    /* what stands twice, or is spelt in another way, has no place in a shape */
    if (*out_was_there || has_escapes)
        shaped->shape = NULL;
    else
        ice_json_shape_add(shaped, key, hash);
    return ICE_OK;
}
