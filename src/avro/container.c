/*
 * Blocks of an Avro file, and how reading goes on behind a bad one.
 *
 *   count | size | data | sync          count, size: varints; sync: 16 bytes, as in the
 * header
 *
 * A wrong sync marker says that something near it is wrong, yet data that decodes is
 * worth having. So such a block is given out, and the fault is the result of the next
 * call, which then finds its place again: behind the wrong marker if a whole block stands
 * there, else behind the next right marker. Where a right marker stands inside the bytes
 * that a block claims, its size is what is wrong: that block is lost, and reading goes on
 * behind the marker.
 *
 * A file that is cut exactly behind a block looks whole; only its manifest list knows
 * better.
 */
#include "avro/ahead.h"
#include "avro/codec.h"
#include "avro/container.h"
#include "avro/cursor.h"

#include "base/error.h"

enum {
    SYNC_BYTES = 16,
    LONGEST_HEAD = 20, /* two varints */
    MAGIC_BYTES = 4,
};

struct head {
    uint64_t offset;
    int64_t count, size;
    size_t bytes;
};

static const char *marker_of(const struct ice_avro_file *file) {
    return (const char *)file->sync;
}

static bool is_marker(const struct ice_avro_file *file, const char *at) {
    return memcmp(at, file->sync, SYNC_BYTES) == 0;
}

static bool is_header(struct ice_str bytes) {
    return ice_str_starts(bytes, ICE_STR("Obj\1"));
}

/* Step behind the next sync marker, or to the end of the file; *out_distance bytes before
 * it. */
static enum ice_status find_marker(struct ice_avro_file *file, uint64_t *out_distance,
                                   bool *out_found, struct ice_error *err) {
    uint64_t distance = 0;
    for (;;) {
        struct ice_str view;
        ICE_TRY(ice_stream_peek(file->stream, SYNC_BYTES, &view, err));
        if (view.size < SYNC_BYTES) {
            ice_stream_consume(file->stream, view.size);
            *out_distance = distance + view.size;
            *out_found = false;
            return ICE_OK;
        }
        const char *at = memmem(view.data, view.size, marker_of(file), SYNC_BYTES);
        const size_t step = at ? (size_t)(at - view.data) : view.size - (SYNC_BYTES - 1);
        distance += step;
        ice_stream_consume(file->stream, at ? step + SYNC_BYTES : step);
        if (at != NULL) {
            *out_distance = distance;
            *out_found = true;
            return ICE_OK;
        }
    }
}

/* Find the next marker; what is passed over counts as skipped. */
static enum ice_status resync(struct ice_avro_file *file, uint64_t *out_skipped,
                              bool *out_found, struct ice_error *err) {
    ICE_TRY(find_marker(file, out_skipped, out_found, err));
    file->skipped_bytes += *out_skipped;
    return ICE_OK;
}

/* Largest stored block that is looked at: the limit, as far as a size_t goes. */
static uint64_t packed_limit(const struct ice_avro_file *file) {
    const uint64_t limit = file->run->limits.block_packed_bytes;
    return limit < SIZE_MAX / 4 ? limit : SIZE_MAX / 4;
}

/* How reading goes on, for messages. */
static const char *ending(bool found) {
    return found ? "up to the next sync marker" : "up to the end of the file";
}

/* The place is lost: resynchronise, then say rule and what. */
static enum ice_status lose_place(struct ice_avro_file *file, const struct head *head,
                                  const char *rule, const char *what, int64_t value,
                                  struct ice_error *err) {
    uint64_t skipped;
    bool found;
    ICE_TRY(resync(file, &skipped, &found, err));
    return ice_error_set(err, ICE_EFORMAT, rule, head->offset,
                         "%s %lld in block %llu; %llu bytes skipped %s", what,
                         (long long)value, (unsigned long long)(file->next_block - 1),
                         (unsigned long long)skipped, ending(found));
}

static enum ice_status truncated(struct ice_avro_file *file, uint64_t block,
                                 uint64_t offset, uint64_t there, uint64_t due,
                                 struct ice_error *err) {
    file->ended = true;
    return ice_error_set(
        err, ICE_EFORMAT, "avro.truncated", offset,
        "the file ends inside block %llu, which began at byte %llu: %llu of "
        "%llu bytes are there",
        (unsigned long long)block, (unsigned long long)offset, (unsigned long long)there,
        (unsigned long long)due);
}

/* Does a whole block with its right marker stand `skip` bytes ahead? */
static enum ice_status block_follows(struct ice_avro_file *file, size_t skip, bool *out,
                                     struct ice_error *err) {
    *out = false;
    struct ice_str view;
    ICE_TRY(ice_stream_peek(file->stream, skip + LONGEST_HEAD, &view, err));
    if (view.size <= skip)
        return ICE_OK;
    struct ice_cursor c = ice_cursor_of(view, skip);
    int64_t count, size;
    if (!ice_cursor_long(&c, &count) || !ice_cursor_long(&c, &size) || count < 0 ||
        size < 0 || (uint64_t)size > packed_limit(file))
        return ICE_OK;
    const size_t end = view.size - ice_cursor_left(&c) + (size_t)size;
    ICE_TRY(ice_stream_peek(file->stream, end + SYNC_BYTES, &view, err));
    *out = view.size >= end + SYNC_BYTES && is_marker(file, view.data + end);
    return ICE_OK;
}

/* The block given out last had a wrong marker, which is where the stream stands. */
static enum ice_status report_marker(struct ice_avro_file *file,
                                     struct ice_avro_block *out, struct ice_error *err) {
    file->must_resync = false;
    out->index = file->given_block;
    out->offset = file->given_offset;
    struct ice_str view;
    ICE_TRY(ice_stream_peek(file->stream, SYNC_BYTES + MAGIC_BYTES, &view, err));
    uint64_t header = ICE_NO_OFFSET;
    if (is_header(view))
        header = file->stream->position;
    else if (is_header(ice_str_from_index(view, SYNC_BYTES)))
        header = file->stream->position + SYNC_BYTES;
    bool follows = view.size == SYNC_BYTES;
    if (!follows)
        ICE_TRY(block_follows(file, SYNC_BYTES, &follows, err));
    uint64_t skipped = 0;
    bool found = true;
    if (follows)
        ice_stream_consume(file->stream, SYNC_BYTES);
    else
        ICE_TRY(resync(file, &skipped, &found, err));
    if (header != ICE_NO_OFFSET)
        return ice_error_set(
            err, ICE_EFORMAT, "avro.sync-mismatch", file->given_offset,
            "block %llu ends with another sync marker than the header's, and "
            "a second Avro header stands at byte %llu: two files joined? "
            "%llu bytes skipped",
            (unsigned long long)file->given_block, (unsigned long long)header,
            (unsigned long long)skipped);
    return ice_error_set(
        err, ICE_EFORMAT, "avro.sync-mismatch", file->given_offset,
        "block %llu ends with another sync marker than the header's; %llu "
        "bytes skipped %s",
        (unsigned long long)file->given_block, (unsigned long long)skipped,
        ending(found));
}

/* A second header stands where a block should. */
static enum ice_status report_seam(struct ice_avro_file *file, struct ice_error *err) {
    const uint64_t offset = file->stream->position;
    uint64_t skipped;
    bool found;
    ICE_TRY(resync(file, &skipped, &found, err));
    return ice_error_set(
        err, ICE_EFORMAT, "avro.sync-mismatch", offset,
        "a second Avro header stands at byte %llu: two files joined? %llu "
        "bytes skipped %s",
        (unsigned long long)offset, (unsigned long long)skipped, ending(found));
}

/* Parse count and size; they stay in the stream's window, behind which *head says. */
static enum ice_status read_head(struct ice_avro_file *file, struct head *head,
                                 struct ice_error *err) {
    struct ice_str view;
    ICE_TRY(ice_stream_peek(file->stream, LONGEST_HEAD, &view, err));
    head->offset = file->stream->position;
    if (view.size == 0) {
        file->ended = true;
        return ICE_DONE;
    }
    file->next_block++;
    if (is_header(view))
        return report_seam(file, err);
    struct ice_cursor c = ice_cursor_of(view, 0);
    const unsigned char *const start = c.at;
    const bool good =
        ice_cursor_long(&c, &head->count) && ice_cursor_long(&c, &head->size);
    head->bytes = (size_t)(c.at - start);
    if (c.not_shortest && !file->varint_not_shortest) {
        file->varint_not_shortest = true;
        file->varint_not_shortest_offset = head->offset;
    }
    if (good)
        return ICE_OK;
    if (c.fault == ICE_FAULT_END) {
        file->ended = true;
        return ice_error_set(
            err, ICE_EFORMAT, "avro.truncated", head->offset,
            "the file ends inside the count and size of block %llu at byte "
            "%llu",
            (unsigned long long)(file->next_block - 1), (unsigned long long)head->offset);
    }
    return lose_place(file, head, ice_fault_rule(c.fault),
                      "a count or size of over 64 bits,", 0, err);
}

/* A block larger than the limit, if its size is true. The head is consumed. */
static enum ice_status pass_large_block(struct ice_avro_file *file,
                                        const struct head *head, struct ice_error *err) {
    const uint64_t size = (uint64_t)head->size;
    uint64_t distance;
    bool found;
    ICE_TRY(find_marker(file, &distance, &found, err));
    if (distance < size) {
        if (!found)
            return truncated(file, file->next_block - 1, head->offset,
                             head->bytes + distance, head->bytes + size + SYNC_BYTES,
                             err);
        file->skipped_bytes += distance;
        return ice_error_set(
            err, ICE_EFORMAT, "avro.block.size", head->offset,
            "block %llu states %llu bytes, but a sync marker stands behind "
            "%llu",
            (unsigned long long)(file->next_block - 1), (unsigned long long)size,
            (unsigned long long)distance);
    }
    file->skipped_bytes += distance - size;
    return ice_error_set(err, ICE_ELIMIT, "limit.block", head->offset,
                         "block %llu is stored in %llu bytes, the limit is %llu",
                         (unsigned long long)(file->next_block - 1),
                         (unsigned long long)size,
                         (unsigned long long)packed_limit(file));
}

/* The right marker stands `distance` bytes behind the head, too early. */
static enum ice_status lose_size(struct ice_avro_file *file, const struct head *head,
                                 size_t distance, struct ice_error *err) {
    ice_stream_consume(file->stream, head->bytes + distance + SYNC_BYTES);
    file->skipped_bytes += distance;
    return ice_error_set(
        err, ICE_EFORMAT, "avro.block.size", head->offset,
        "block %llu states %lld bytes, but a sync marker stands behind %zu",
        (unsigned long long)(file->next_block - 1), (long long)head->size, distance);
}

/* What stands behind a head. */
struct body {
    struct ice_str data;
    bool marker_is_right, marker_is_cut;
};

/*
 * See all of a block. On a fault the stream has found its place again, or the file has
 * ended.
 */
static enum ice_status see_body(struct ice_avro_file *file, const struct head *head,
                                struct body *out, struct ice_error *err) {
    const size_t size = (size_t)head->size, whole = head->bytes + size + SYNC_BYTES;
    struct ice_str view;
    ICE_TRY(ice_stream_peek(file->stream, whole, &view, err));
    const struct ice_str rest =
        ice_str_from_index(ice_str_first(view, whole), head->bytes);
    out->data = ice_str_first(rest, size);
    if (rest.size == size + SYNC_BYTES && is_marker(file, rest.data + size)) {
        out->marker_is_right = true;
        return ICE_OK;
    }
    const char *early = NULL;
    if (rest.size >= SYNC_BYTES)
        early = memmem(rest.data, rest.size, marker_of(file), SYNC_BYTES);
    if (early != NULL)
        return lose_size(file, head, (size_t)(early - rest.data), err);
    if (rest.size < size) {
        file->ended = true;
        return truncated(file, file->next_block - 1, head->offset,
                         head->bytes + rest.size, whole, err);
    }
    out->marker_is_cut = rest.size < size + SYNC_BYTES;
    if (out->marker_is_cut) {
        file->cut_bytes = head->bytes + rest.size;
        file->cut_whole = whole;
    }
    return ICE_OK;
}

/* A count that the packed bytes could hold at all, else 0. */
static uint64_t plausible_count(const struct ice_avro_file *file,
                                const struct head *head) {
    uint64_t most;
    if (head->count < 0 || head->size < 0)
        return 0;
    if (__builtin_mul_overflow((uint64_t)head->size, file->run->limits.inflate_ratio,
                               &most) ||
        __builtin_add_overflow(most, UINT64_C(1) << 20, &most))
        most = INT64_MAX;
    return (uint64_t)head->count <= most ? (uint64_t)head->count : 0;
}

/* Inflate; on a fault the block is stepped over. */
static enum ice_status unpack(struct ice_avro_file *file, const struct head *head,
                              const struct body *body, struct ice_str *out,
                              struct ice_error *err) {
    if (head->count == 0 && body->data.size == 0) {
        *out = ICE_STR_NONE; /* legal in every codec */
        return ICE_OK;
    }
    const size_t whole = head->bytes + body->data.size;
    struct ice_error fault = {0};
    const enum ice_status status =
        ice_codec_unpack(file->unpacker, body->data, head->offset, out, &fault);
    if (status >= 0)
        return ICE_OK;
    if (status == ICE_EFORMAT && !body->marker_is_right && !body->marker_is_cut) {
        /* both are wrong: one fault, and its place is the marker's */
        bool follows;
        ICE_TRY(block_follows(file, whole + SYNC_BYTES, &follows, err));
        ice_stream_consume(file->stream, follows ? whole + SYNC_BYTES : head->bytes);
        if (!follows)
            return lose_place(file, head, "avro.sync-mismatch",
                              "no sync marker behind the stated size", head->size, err);
        return ice_error_set(
            err, ICE_EFORMAT, "avro.sync-mismatch", head->offset,
            "block %llu ends with another sync marker than the header's, and "
            "does not decompress",
            (unsigned long long)(file->next_block - 1));
    }
    ice_stream_consume(file->stream, whole + (body->marker_is_right ? SYNC_BYTES : 0));
    if (body->marker_is_cut)
        file->cut_marker = true;
    else
        file->must_resync = !body->marker_is_right;
    return ice_error_pass(err, status, &fault);
}

static enum ice_status read_block(struct ice_avro_file *file, struct ice_avro_block *out,
                                  struct ice_error *err) {
    struct head head = {0};
    const enum ice_status status = read_head(file, &head, err);
    out->offset = head.offset;
    if (status != ICE_OK)
        return status;
    out->count = plausible_count(file, &head);
    if (head.size < 0) {
        ice_stream_consume(file->stream, head.bytes);
        return lose_place(file, &head, "avro.block.size", "a byte size of", head.size,
                          err);
    }
    out->packed_bytes = (uint64_t)head.size;
    if ((uint64_t)head.size > packed_limit(file)) {
        ice_stream_consume(file->stream, head.bytes);
        return pass_large_block(file, &head, err);
    }
    struct body body = {0};
    ICE_TRY(see_body(file, &head, &body, err));
    file->given_block = out->index;
    file->given_offset = head.offset;
    const size_t whole =
        head.bytes + body.data.size + (body.marker_is_right ? SYNC_BYTES : 0);
    if (head.count < 0) {
        ice_stream_consume(file->stream, whole);
        file->cut_marker = body.marker_is_cut;
        file->must_resync = !body.marker_is_right && !body.marker_is_cut;
        return ice_error_set(err, ICE_EFORMAT,
                             head.count == INT64_MIN ? "avro.varint.range"
                                                     : "avro.block.count",
                             head.offset, "block %llu declares %lld records",
                             (unsigned long long)out->index, (long long)head.count);
    }
    struct ice_str data;
    ICE_TRY(unpack(file, &head, &body, &data, err));
    out->count = (uint64_t)head.count;
    out->data = data;
    /* data may be a view of the stream's window: step over it in the next call */
    file->pending_bytes = whole;
    file->cut_marker = body.marker_is_cut;
    file->must_resync = !body.marker_is_right && !body.marker_is_cut;
    return ICE_OK;
}

/* ---- ahead ----
 *
 * While all is in order, blocks are given to helpers before their turn has come, and the
 * stream stands behind them. At the first oddity nothing more is given, and when the
 * ring has run empty, all is as if its blocks had been read here.
 */

/* Give the next block if nothing at all is odd about it. */
static bool give_block(struct ice_avro_file *file) {
    struct ice_str view;
    struct head head = {.offset = file->stream->position};
    if (ice_stream_peek(file->stream, LONGEST_HEAD, &view, NULL) < 0 || is_header(view))
        return false;
    struct ice_cursor c = ice_cursor_of(view, 0);
    if (!ice_cursor_long(&c, &head.count) || !ice_cursor_long(&c, &head.size) ||
        c.not_shortest || plausible_count(file, &head) == 0 ||
        !ice_ahead_takes(file->ahead, head.size) ||
        (uint64_t)head.size > packed_limit(file))
        return false;
    head.bytes = view.size - ice_cursor_left(&c);
    const size_t size = (size_t)head.size, whole = head.bytes + size + SYNC_BYTES;
    if (ice_stream_peek(file->stream, whole, &view, NULL) < 0 || view.size < whole ||
        !is_marker(file, view.data + head.bytes + size))
        return false;
    const struct ice_avro_block block = {.index = file->next_block,
                                         .offset = head.offset,
                                         .count = (uint64_t)head.count,
                                         .packed_bytes = (uint64_t)head.size};
    if (!ice_ahead_give(file->ahead, &block, ice_str_make(view.data + head.bytes, size)))
        return false;
    ice_stream_consume(file->stream, whole);
    file->next_block++;
    return true;
}

/* One block is always read here first: a small file needs no threads. */
static bool may_look_ahead(const struct ice_avro_file *file) {
    return file->next_block > 0 && !file->ended && !file->cut_marker &&
           !file->must_resync && file->stream->failed >= 0;
}

/* The next block, if it was given. ICE_DONE: it was not. */
static enum ice_status take_ahead(struct ice_avro_file *file, struct ice_avro_block *out,
                                  struct ice_error *err) {
    if (file->run->ahead == NULL)
        return ICE_DONE;
    if (file->ahead == NULL && may_look_ahead(file) &&
        ice_ahead_hold(file->run->ahead, file->codec))
        file->ahead = file->run->ahead;
    if (file->ahead == NULL)
        return ICE_DONE;
    struct ice_avro_block block;
    while (may_look_ahead(file) && ice_ahead_has_room(file->ahead) && give_block(file))
        ;
    const enum ice_status status =
        ice_ahead_take(file->ahead, file->unpacker, &block, err);
    if (status == ICE_DONE)
        return status;
    *out = block;
    file->given_block = block.index;
    file->given_offset = block.offset;
    return status;
}

/* ---- the next block ---- */

static enum ice_status next_block(struct ice_avro_file *file, struct ice_avro_block *out,
                                  struct ice_error *err) {
    *out = (struct ice_avro_block){.index = file->next_block, .offset = ICE_NO_OFFSET};
    if (file->pending_bytes > 0) {
        ice_stream_consume(file->stream, file->pending_bytes);
        file->pending_bytes = 0;
    }
    const enum ice_status ahead = take_ahead(file, out, err);
    if (ahead != ICE_DONE) {
        file->ended = ahead < 0 && ahead != ICE_EFORMAT && ahead != ICE_ELIMIT;
        return ahead;
    }
    if (file->ended)
        return ICE_DONE;
    if (file->cut_marker) {
        file->cut_marker = false;
        out->index = file->given_block;
        out->offset = file->given_offset;
        return truncated(file, file->given_block, file->given_offset, file->cut_bytes,
                         file->cut_whole, err);
    }
    const enum ice_status status =
        file->must_resync ? report_marker(file, out, err) : read_block(file, out, err);
    /* a stream that failed (limit.file too) has nothing behind the place it failed at */
    if (status < 0 &&
        (file->stream->failed < 0 || (status != ICE_EFORMAT && status != ICE_ELIMIT)))
        file->ended = true;
    return status;
}

enum ice_status ice_avro_next_block(struct ice_avro_file *file,
                                    struct ice_avro_block *out, struct ice_error *err) {
    const enum ice_status status = next_block(file, out, err);
    if (__builtin_add_overflow(file->empty_values_left, (uint64_t)out->data.size,
                               &file->empty_values_left))
        file->empty_values_left = UINT64_MAX;
    return status;
}
