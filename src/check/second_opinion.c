/*
 * Every block that we accept is given out with the digests of its records, and the
 * digests that come back are compared. Files are read again for it, one behind the other
 * in reading order, so that neither threads nor a cache change anything. What is wrong
 * with a file was said when it was read first.
 */
#include "check/second_opinion.h"

#include "avro/datum_digest.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

struct opinions {
    struct ice_check *ck;
    struct ice_place place; /* of the file at hand */
    struct ice_str schema;
    const struct ice_avro_schema *root;
    struct ice_walk walk;
    struct ice_buf digests; /* uint64_t, of the block at hand */
    uint64_t first_record;  /* of the block, in the file */
};

static bool is_asked(const struct ice_check *ck) {
    return ck->options->on_block != NULL &&
           ice_emit_is_on(ck->emit, ICE_RULE_AVRO_SECOND_OPINION);
}

/* ---- one block ---- */

/* The file was read before; what lacks is the opinion of it, or of a block. */
static void say_none(const struct opinions *o, struct ice_str file, const char *why) {
    ice_emit_not_evaluated(o->ck->emit, "avro.second-opinion", ice_str_from(why), true,
                           file);
}

/* Digests of all records; false if not all of it is records, which was reported. */
static bool digest_block(struct opinions *o, struct ice_avro_file *file,
                         const struct ice_avro_block *block,
                         enum ice_status *out_status) {
    struct ice_cursor c = ice_cursor_of(block->data, 0);
    ice_buf_clear(&o->digests);
    for (uint64_t i = 0; i < block->count; i++) {
        uint64_t digest;
        if (!ice_datum_digest(file, &o->walk, &c, o->root, &digest)) {
            if (c.fault == ICE_FAULT_MEMORY)
                *out_status = ICE_ENOMEM;
            /* the check steps over what is counted here */
            if (c.fault == ICE_FAULT_ITEMS)
                say_none(o, o->place.at.file,
                         "a block holds more values of no bytes than the limit");
            return false;
        }
        *out_status = ice_buf_append(&o->digests, (const char *)&digest, sizeof(digest));
        if (*out_status < 0)
            return false;
    }
    return ice_cursor_left(&c) == 0;
}

static void differ(struct opinions *o, const struct ice_block *block, uint64_t record,
                   const char *found) {
    struct ice_place place = o->place;
    char pointer[48];
    (void)snprintf(pointer, sizeof(pointer), "/records/%" PRIu64,
                   o->first_record + record);
    place.at.pointer = ice_str_from(pointer);
    place.at.offset = block->offset;
    place.at.block = block->index;
    place.at.record = o->first_record + record;
    FOUND(o->ck->emit, ICE_RULE_AVRO_SECOND_OPINION, &place,
          arg_i64("block", (int64_t)block->index),
          arg_i64("record", (int64_t)(o->first_record + record)),
          arg_text("found", found));
}

static void compare(struct opinions *o, const struct ice_block *block,
                    const struct ice_opinion *other) {
    const uint64_t n =
        other->n_records < block->n_records ? other->n_records : block->n_records;
    uint64_t n_same = 0;
    if (other->none != NULL) {
        say_none(o, block->file, other->none);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (other->digests[i] == block->digests[i])
            n_same++;
        else
            differ(o, block, i, "reads other values");
    }
    if (n < block->n_records)
        differ(o, block, n, other->stopped != NULL ? other->stopped : "reads no record");
    o->ck->n_same_records += n_same;
    o->ck->n_same_blocks += n_same == block->n_records;
}

static enum ice_status ask(struct opinions *o, const struct ice_avro_block *accepted,
                           struct ice_error *err) {
    const struct ice_options *options = o->ck->options;
    struct ice_opinion other = {0};
    const struct ice_block block = {.file = o->place.at.file,
                                    .schema = o->schema,
                                    .records = accepted->data,
                                    .index = accepted->index,
                                    .offset = accepted->offset,
                                    .n_records = accepted->count,
                                    .digests =
                                        (const uint64_t *)(const void *)o->digests.data};
    const enum ice_status status = options->on_block(&block, &other, options->block_user);
    if (status < 0)
        return ice_error_set(err, status, NULL, ICE_NO_OFFSET,
                             "the second decoder stopped the check");
    compare(o, &block, &other);
    return ICE_OK;
}

/* ---- one file ---- */

static void say_unread(const struct opinions *o, struct ice_str name) {
    say_none(o, name, "the file could not be read again");
}

static enum ice_status read_blocks(struct opinions *o, struct ice_avro_file *file,
                                   struct ice_error *err) {
    o->first_record = 0;
    for (;;) {
        struct ice_avro_block block = {0};
        enum ice_status status = ice_avro_next_block(file, &block, NULL);
        if (status == ICE_ENOMEM)
            return ice_error_memory(err);
        if (status == ICE_EFORMAT || status == ICE_ELIMIT) {
            o->first_record += block.count;
            continue;
        }
        if (status == ICE_EIO)
            say_unread(o, o->place.at.file);
        if (status != ICE_OK)
            return ICE_OK;
        if (ice_check_cancelled(o->ck))
            return ice_error_set(err, ICE_ECANCELLED, NULL, ICE_NO_OFFSET, "interrupted");
        if (digest_block(o, file, &block, &status) && block.count > 0)
            status = ask(o, &block, err);
        if (status < 0)
            return status == ICE_ENOMEM ? ice_error_memory(err) : status;
        o->first_record += block.count;
    }
}

static enum ice_status read_file(struct opinions *o, struct ice_stream *stream,
                                 struct ice_str name, uint64_t order,
                                 struct ice_error *err) {
    static const struct ice_avro_attr_names names = {.any_root = true};
    struct ice_run *run = o->ck->run;
    struct ice_avro_file file = {0};
    o->place = ice_place_file(name, order);
    enum ice_status status = ice_avro_open(&file, run, stream, NULL);
    if (status == ICE_EIO)
        say_unread(o, name);
    if (status >= 0 && ice_avro_header(&file, "avro.schema", &o->schema))
        status = ice_avro_schema_parse(o->schema, run, &file.arena, &names, &o->root,
                                       NULL, NULL);
    else if (status >= 0)
        status = ICE_EFORMAT;
    if (status >= 0) {
        ice_walk_init(&o->walk, run, &file.arena);
        status = read_blocks(o, &file, err);
    } else {
        status = status == ICE_ENOMEM ? ice_error_memory(err) : ICE_OK;
    }
    ice_avro_release(&file);
    return status;
}

/* It could be read before; nothing is said twice. */
static enum ice_status read_uri(struct opinions *o, struct ice_str uri, uint64_t order,
                                const char *what, struct ice_error *err) {
    struct ice_check *ck = o->ck;
    struct ice_stream stream = {0};
    bool is_mapped;
    const uint64_t n_bytes = ck->n_bytes;
    enum ice_status status = ice_check_open_present(ck, uri, order, ICE_SCOPE_UNREACHABLE,
                                                    what, &stream, &is_mapped, err);
    ck->n_bytes = n_bytes;
    const struct ice_str name = ice_check_file_name(ck, uri);
    if (status < 0 && !ice_status_is_final(status))
        say_unread(o, name);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    status = read_file(o, &stream, name, order, err);
    ice_stream_release(&stream);
    return status;
}

/* ---- all files ---- */

static bool was_read(enum ice_read_state state) {
    return state == ICE_READ_WHOLE || state == ICE_READ_PARTLY;
}

static enum ice_status read_lists(struct opinions *o, struct ice_buf *path,
                                  struct ice_error *err) {
    struct ice_check *ck = o->ck;
    enum ice_status status = ICE_OK;
    for (size_t i = 0; status >= 0 && i < ck->n_snapshots; i++) {
        const struct ice_snapshot_facts *facts = &ck->snapshots[i];
        struct ice_str uri;
        if (!facts->in_scope || facts->shares_list || !was_read(facts->list_state))
            continue;
        if (ice_snapshot_manifest_list(
                &ck->metadata, &ck->metadata.snapshots[facts->index], path, &uri) < 0)
            return ice_error_memory(err);
        if (uri.size > 0)
            status = read_uri(o, uri, ICE_ORDER_LIST + i, "manifest list", err);
    }
    return status;
}

static void note(const struct ice_check *ck) {
    ice_check_note(ck, 1, "second opinion: %llu records of %llu blocks are read alike",
                   (unsigned long long)ck->n_same_records,
                   (unsigned long long)ck->n_same_blocks);
}

static void open_opinions(struct opinions *o, struct ice_check *ck) {
    *o = (struct opinions){.ck = ck};
    ice_buf_init(&o->digests, &ck->run->alloc, SIZE_MAX);
}

enum ice_status ice_second_opinion(struct ice_check *ck, struct ice_error *err) {
    struct opinions o;
    struct ice_buf path;
    if (!is_asked(ck))
        return ICE_OK;
    open_opinions(&o, ck);
    ice_buf_init(&path, &ck->run->alloc, SIZE_MAX);
    enum ice_status status = read_lists(&o, &path, err);
    for (size_t i = 0; status >= 0 && i < ck->n_manifests; i++)
        if (was_read(ck->manifests[i].state))
            status = read_uri(&o, ck->manifests[i].path, ICE_ORDER_MANIFEST + i,
                              "manifest", err);
    ice_buf_release(&path);
    ice_buf_release(&o.digests);
    note(ck);
    return status;
}

enum ice_status ice_second_opinion_lone(struct ice_check *ck, struct ice_error *err) {
    struct opinions o;
    struct ice_stream stream = {0};
    struct ice_file_info info;
    struct ice_str name;
    if (!is_asked(ck))
        return ICE_OK;
    const uint64_t n_bytes = ck->n_bytes;
    enum ice_status status = ice_check_open_target(ck, &name, &stream, &info, err);
    ck->n_bytes = n_bytes;
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    open_opinions(&o, ck);
    status = read_file(&o, &stream, name, ICE_ORDER_MANIFEST, err);
    ice_buf_release(&o.digests);
    ice_stream_release(&stream);
    note(ck);
    return status;
}
