/*
 * Lines of findings in metadata.json, by reading it once more. Passes keep no offsets:
 * only a table with findings pays.
 */
#include "check/place_lines.h"

#include "base/error.h"
#include "json/locate.h"

/* Offset, line and column are unknown, but a pointer says where to look. */
static bool needs_line(const struct ice_check *ck, const struct ice_place *place) {
    return place->at.line == 0 && place->at.pointer.size > 0 &&
           ice_str_equal(place->at.file, ck->metadata_file);
}

static size_t collect(struct ice_check *ck, struct ice_locate *items) {
    size_t n = 0, count = ice_emit_count(ck->emit);
    for (size_t i = 0; i < count; i++) {
        const struct ice_place *place = ice_emit_place(ck->emit, i);
        if (!needs_line(ck, place))
            continue;
        if (items != NULL)
            items[n].pointer = place->at.pointer;
        n++;
    }
    return n;
}

static void apply(struct ice_check *ck, const struct ice_locate *items) {
    size_t n = 0, count = ice_emit_count(ck->emit);
    for (size_t i = 0; i < count; i++) {
        struct ice_place *place = ice_emit_place(ck->emit, i);
        if (!needs_line(ck, place))
            continue;
        const struct ice_locate *item = &items[n++];
        if (ice_emit_rule(ck->emit, i) == ICE_RULE_JSON_KEY_DUPLICATE &&
            item->duplicate && !item->duplicate_differs)
            ice_emit_revise(ck->emit, i, ICE_WARN);
        if (item->offset == ICE_NO_OFFSET)
            continue;
        place->at.offset = item->offset;
        place->at.line = item->line;
        place->at.column = item->column;
    }
}

static enum ice_status locate(struct ice_check *ck, struct ice_locate *items, size_t n,
                              struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_file_info info;
    struct ice_error fault;
    enum ice_magic magic;
    /* pass 1 would have met one */
    const bool keys_are_unique =
        ck->metadata.n_bytes > 0 && !ck->metadata.has_duplicate_keys;
    ice_error_clear(&fault);
    enum ice_status status = ice_open_inflated(ck->metadata_source, ck->metadata_key,
                                               ck->run, &stream, &info, &magic, &fault);
    if (status >= 0)
        status = ice_json_locate(&stream, ck->run, keys_are_unique, items, n, &fault);
    ice_stream_release(&stream);
    ICE_TRY(ice_error_pass_final(err, status, &fault));
    if (status >= 0) {
        apply(ck, items);
        return ICE_OK;
    }
    if (ck->metadata_fault.status < 0)
        return ICE_OK; /* pass 1 has said what is wrong with the file */
    struct ice_place place = ice_place_file(ck->metadata_file, ICE_ORDER_METADATA);
    return ice_check_fault(ck, &fault, &place, ICE_SCOPE_HEAD, "lines of findings");
}

void ice_place_no_lines(struct ice_check *ck) {
    for (size_t i = 0; i < ice_emit_count(ck->emit); i++) {
        if (ice_emit_rule(ck->emit, i) == ICE_RULE_JSON_KEY_DUPLICATE &&
            needs_line(ck, ice_emit_place(ck->emit, i)))
            ice_emit_revise(ck->emit, i, ICE_WARN);
    }
}

enum ice_status ice_place_lines(struct ice_check *ck, struct ice_error *err) {
    size_t n = ck->pinned ? collect(ck, NULL) : 0;
    if (n == 0)
        return ICE_OK;
    struct ice_locate *items = ice_calloc(&ck->run->alloc, n, sizeof(*items));
    if (items == NULL)
        return ice_error_memory(err);
    for (size_t i = 0; i < n; i++)
        items[i].offset = ICE_NO_OFFSET;
    (void)collect(ck, items);
    enum ice_status status = locate(ck, items, n, err);
    ice_free(&ck->run->alloc, items, n * sizeof(*items));
    return status;
}
