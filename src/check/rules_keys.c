/*
 * key.*: encryption keys of metadata.json, who names them, and files that turn out to be
 * encrypted (spec: #encryption-keys).
 */
#include "check/pass1.h"

#include "base/error.h"

struct key_rules {
    struct ice_pass1 *p;
    struct ice_table by_id; /* of the hash of a key-id -> index */
};

static const struct ice_place *
at(struct key_rules *r, const struct ice_encryption_key *key, const char *member) {
    return ice_at_joined(r->p, key->pointer, ICE_STR_NONE, member);
}

/* The first key with an id, or NULL. */
static const struct ice_encryption_key *find(const struct key_rules *r,
                                             struct ice_str id) {
    uint64_t hash = ice_hash64(id, r->p->ck->run->hash_seed);
    size_t slot = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&r->by_id, hash, &slot, &index)) {
        if (ice_str_equal(r->p->m->keys[index].key_id, id))
            return &r->p->m->keys[index];
    }
    return NULL;
}

/* RFC 4648, as Java's basic decoder takes it: the padding may be left out. */
static bool is_base64(struct ice_str text) {
    size_t n = 0;
    while (n < text.size) {
        char c = text.data[n];
        bool is_digit = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                        (c >= '0' && c <= '9') || c == '+' || c == '/';
        if (!is_digit)
            break;
        n++;
    }
    size_t padding = text.size - n;
    for (size_t i = n; i < text.size; i++) {
        if (text.data[i] != '=')
            return false;
    }
    return n % 4 != 1 && (padding == 0 || (n % 4 != 0 && padding == 4 - n % 4));
}

static enum ice_status take_key(struct key_rules *r, uint32_t index) {
    const struct ice_encryption_key *key = &r->p->m->keys[index];
    struct ice_emit *emit = r->p->emit;
    if (!key->has_key_id && !key->bad)
        FOUND(emit, ICE_RULE_KEY_ATTRIBUTE_MISSING, at(r, key, ""),
              arg_text("attribute", "key-id"));
    if (!key->has_metadata && !key->bad)
        FOUND(emit, ICE_RULE_KEY_ATTRIBUTE_MISSING, at(r, key, ""),
              arg_text("attribute", "encrypted-key-metadata"));
    if (key->has_metadata && !is_base64(key->encrypted_key_metadata))
        FOUND(emit, ICE_RULE_KEY_METADATA_NOT_BASE64,
              at(r, key, "/encrypted-key-metadata"), arg_str("id", key->key_id));
    if (!key->has_key_id)
        return ICE_OK;
    const struct ice_encryption_key *first = find(r, key->key_id);
    if (first != NULL)
        FOUND(emit, ICE_RULE_KEY_ID_DUPLICATE, at(r, key, "/key-id"),
              arg_str("id", key->key_id), arg_str("first", first->pointer));
    uint64_t hash = ice_hash64(key->key_id, r->p->ck->run->hash_seed);
    return first != NULL ? ICE_OK : ice_table_put(&r->by_id, hash, index);
}

static void check_who_names(struct key_rules *r) {
    const struct ice_metadata *m = r->p->m;
    for (size_t i = 0; i < m->n_keys; i++) {
        const struct ice_encryption_key *key = &m->keys[i];
        if (key->has_encrypted_by && find(r, key->encrypted_by_id) == NULL)
            FOUND(r->p->emit, ICE_RULE_KEY_ENCRYPTED_BY_DANGLING,
                  at(r, key, "/encrypted-by-id"), arg_str("id", key->key_id),
                  arg_str("by", key->encrypted_by_id));
    }
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (!ice_snapshot_has(s, ICE_SNAP_key_id))
            continue;
        struct ice_str id = ice_snapshot_key_id(m, s);
        if (find(r, id) == NULL)
            FOUND(r->p->emit, ICE_RULE_KEY_SNAPSHOT_DANGLING,
                  ice_at_element(r->p, "/snapshots", i, "/key-id"),
                  arg_id("snapshot", s->snapshot_id), arg_str("id", id));
    }
}

static void check_min_version(struct ice_pass1 *p) {
    const struct ice_metadata *m = p->m;
    if (m->n_keys > 0)
        FOUND(p->emit, ICE_RULE_KEY_MIN_VERSION, ice_at(p, "/encryption-keys"),
              arg_text("what", "encryption-keys"), arg_i64("version", p->version));
    for (size_t i = 0; i < m->n_snapshots; i++) {
        if (ice_snapshot_has(&m->snapshots[i], ICE_SNAP_key_id))
            FOUND(p->emit, ICE_RULE_KEY_MIN_VERSION,
                  ice_at_element(p, "/snapshots", i, "/key-id"),
                  arg_text("what", "a snapshot's key-id"),
                  arg_i64("version", p->version));
    }
}

enum ice_status ice_rules_keys(struct ice_pass1 *p, struct ice_error *err) {
    struct key_rules r = {.p = p};
    enum ice_status status = ICE_OK;
    if (p->version < 3) {
        check_min_version(p);
        return ICE_OK;
    }
    ice_table_init(&r.by_id, &p->ck->run->alloc);
    for (size_t i = 0; i < p->m->n_keys && status >= 0; i++)
        status = take_key(&r, (uint32_t)i);
    if (status >= 0)
        check_who_names(&r);
    ice_table_release(&r.by_id);
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}

/* ---- files ---- */

void ice_encrypted_file(struct ice_check *ck, const struct ice_place *place,
                        const char *what, bool is_announced, const char *why) {
    if (ck->version == 1 || ck->version == 2)
        return; /* encryption is of version 3 */
    FOUND(ck->emit, ICE_RULE_KEY_FILE_ENCRYPTED, place, arg_text("what", what));
    if (!is_announced)
        FOUND(ck->emit, ICE_RULE_KEY_FILE_UNANNOUNCED, place, arg_text("what", what),
              arg_text("detail", why));
}
