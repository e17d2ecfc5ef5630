/*
 * Names of manifest lists, packed. A name is packed only where unpacking gives it back
 * byte for byte, so that nothing needs to know which spellings are canonical.
 */
#include "iceberg/list_name.h"

/* "snap-", two numbers of 20 bytes with their dashes, a uuid of 36, ".avro", NUL */
enum { UUID_BYTES = 36, NAME_MAX_BYTES = 5 + 21 + 21 + UUID_BYTES + 5 + 1 };

static size_t spell_uuid(const unsigned char uuid[16], char out[UUID_BYTES]) {
    static const char hex[] = "0123456789abcdef";
    size_t n = 0;
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out[n++] = '-';
        out[n++] = hex[uuid[i] >> 4];
        out[n++] = hex[uuid[i] & 15];
    }
    return n;
}

static size_t spell(const struct ice_list_name *name, int64_t snapshot_id,
                    char out[NAME_MAX_BYTES]) {
    size_t n = sizeof("snap-") - 1;
    memcpy(out, "snap-", n);
    n += ice_i64_to_text(snapshot_id, out + n);
    out[n++] = '-';
    n += ice_u64_to_text(name->attempt, out + n);
    out[n++] = '-';
    n += spell_uuid(name->uuid, out + n);
    memcpy(out + n, ".avro", sizeof(".avro") - 1);
    return n + sizeof(".avro") - 1;
}

/* Value of a hex digit; anything else gives some value that spelling will not give back.
 */
static unsigned nibble(char c) {
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10) & 15u;
}

static void read_uuid(const char *text, unsigned char out[16]) {
    for (size_t i = 0, at = 0; i < 16; i++, at += 2) {
        if (text[at] == '-')
            at++;
        out[i] = (unsigned char)(nibble(text[at]) << 4 | nibble(text[at + 1]));
    }
}

bool ice_list_name_pack(struct ice_str name, int64_t snapshot_id,
                        struct ice_list_name *out) {
    const struct ice_str suffix = ICE_STR(".avro");
    if (name.size >= NAME_MAX_BYTES || name.size < UUID_BYTES + suffix.size + 1 ||
        !ice_str_ends(name, suffix))
        return false;
    size_t uuid_at = name.size - suffix.size - UUID_BYTES;
    struct ice_str head = ice_str_first(name, uuid_at - 1); /* without the dash */
    size_t dash = ice_str_rfind(head, '-');
    int64_t attempt;
    if (dash == SIZE_MAX || !ice_str_to_i64(ice_str_from_index(head, dash + 1), &attempt))
        return false;
    /* at most five dashes may be stepped over: more would read beyond the uuid */
    const char *uuid = name.data + uuid_at;
    if (uuid[8] != '-' || uuid[13] != '-' || uuid[18] != '-' || uuid[23] != '-')
        return false;
    for (size_t i = 0; i < UUID_BYTES; i++) {
        if (uuid[i] == '-' && i != 8 && i != 13 && i != 18 && i != 23)
            return false;
    }
    out->attempt = (uint64_t)attempt;
    read_uuid(uuid, out->uuid);
    char spelt[NAME_MAX_BYTES];
    size_t size = spell(out, snapshot_id, spelt);
    return ice_str_equal(name, ice_str_make(spelt, size));
}

enum ice_status ice_list_name_unpack(const struct ice_list_name *name,
                                     int64_t snapshot_id, struct ice_buf *out) {
    char spelt[NAME_MAX_BYTES];
    size_t size = spell(name, snapshot_id, spelt);
    return ice_buf_append(out, spelt, size);
}
