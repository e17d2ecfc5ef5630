/*
 * Values as bytes and back.
 */
#include "base/pack.h"

#include <string.h>

static const uint64_t NO_TEXT = UINT64_MAX; /* the size of a text that is not there */

void ice_pack_init(struct ice_pack *pack, struct ice_alloc *alloc, size_t max) {
    *pack = (struct ice_pack){0};
    ice_buf_init(&pack->buf, alloc, max);
}

void ice_pack_release(struct ice_pack *pack) {
    ice_buf_release(&pack->buf);
    pack->status = ICE_OK;
}

void ice_pack_clear(struct ice_pack *pack) {
    ice_buf_clear(&pack->buf);
    pack->status = ICE_OK;
}

void ice_pack_bytes(struct ice_pack *pack, const void *data, size_t size) {
    if (pack->status >= 0 && size > 0)
        pack->status = ice_buf_append(&pack->buf, data, size);
}

void ice_pack_u64(struct ice_pack *pack, uint64_t value) {
    ice_pack_bytes(pack, &value, sizeof(value));
}

void ice_pack_flag(struct ice_pack *pack, bool value) {
    ice_pack_bytes(pack, value ? "\1" : "", 1);
}

void ice_pack_str(struct ice_pack *pack, struct ice_str text) {
    ice_pack_u64(pack, text.data == NULL ? NO_TEXT : text.size);
    if (text.data != NULL)
        ice_pack_bytes(pack, text.data, text.size);
}

const char *ice_unpack_bytes(struct ice_unpack *unpack, size_t size) {
    if (unpack->bad || size > (size_t)(unpack->end - unpack->at)) {
        unpack->bad = true;
        return NULL;
    }
    const char *found = unpack->at;
    unpack->at += size;
    return found;
}

uint64_t ice_unpack_u64(struct ice_unpack *unpack) {
    uint64_t value = 0;
    const char *found = ice_unpack_bytes(unpack, sizeof(value));
    if (found != NULL)
        memcpy(&value, found, sizeof(value));
    return value;
}

uint64_t ice_unpack_below(struct ice_unpack *unpack, uint64_t most) {
    uint64_t value = ice_unpack_u64(unpack);
    if (value <= most)
        return value;
    unpack->bad = true;
    return 0;
}

bool ice_unpack_flag(struct ice_unpack *unpack) {
    const char *found = ice_unpack_bytes(unpack, 1);
    if (found != NULL && *found != 0 && *found != 1)
        unpack->bad = true;
    return found != NULL && *found == 1;
}

size_t ice_unpack_count(struct ice_unpack *unpack, size_t least_bytes) {
    uint64_t count = ice_unpack_u64(unpack);
    if (!unpack->bad && count <= ice_unpack_left(unpack) / least_bytes)
        return (size_t)count;
    unpack->bad = true;
    return 0;
}

struct ice_str ice_unpack_str(struct ice_unpack *unpack) {
    uint64_t size = ice_unpack_u64(unpack);
    if (unpack->bad || size == NO_TEXT)
        return ICE_STR_NONE;
    if (size > ice_unpack_left(unpack)) {
        unpack->bad = true;
        return ICE_STR_NONE;
    }
    const char *found = ice_unpack_bytes(unpack, (size_t)size);
    return ice_str_make(found, (size_t)size);
}

bool ice_unpack_dup(struct ice_unpack *unpack, struct ice_arena *arena,
                    struct ice_str *out) {
    struct ice_str text = ice_unpack_str(unpack);
    *out = ICE_STR_NONE;
    return text.data == NULL || ice_arena_dup(arena, text, out);
}
