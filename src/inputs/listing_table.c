/*
 * Listings as CSV or TSV with a header (RFC 4180): columns are found by their names.
 */
#include "inputs/listing.h"

#include "base/error.h"
#include "inputs/listing_item.h"

enum { PEEK_BYTES = 64 * 1024, CELLS = 64, RECORD_BYTES = 1 << 20 };

/* One record: its cells one behind the other, quotes taken off. */
struct record {
    struct ice_buf text;
    size_t ends[CELLS];
    size_t n;
};

static struct ice_str cell_at(const struct record *record, size_t index) {
    size_t start = index > 0 ? record->ends[index - 1] : 0;
    if (index >= record->n)
        return ICE_STR_NONE;
    return ice_str_first(ice_str_from_index(ice_buf_str(&record->text), start),
                         record->ends[index] - start);
}

enum state { STATE_START, STATE_PLAIN, STATE_QUOTED, STATE_QUOTE };

struct parser {
    char separator;
    enum state state;
    bool is_any;  /* a byte of this record was there */
    bool is_open; /* the last record had no end */
};

/* One byte; *out_done: the record ends with it. */
static enum ice_status feed(struct parser *parser, struct record *record, char c,
                            bool *out_done) {
    bool is_end = c == '\n' && parser->state != STATE_QUOTED;
    parser->is_any = true;
    *out_done = is_end;
    if (is_end || (c == parser->separator && parser->state != STATE_QUOTED)) {
        if (is_end && parser->state != STATE_QUOTE && record->text.size > 0 &&
            record->text.data[record->text.size - 1] == '\r')
            record->text.size--;
        if (record->n < CELLS)
            record->ends[record->n++] = record->text.size;
        parser->state = STATE_START;
        return ICE_OK;
    }
    if (c == '"' && parser->state == STATE_START) {
        parser->state = STATE_QUOTED;
        return ICE_OK;
    }
    if (c == '"' && parser->state == STATE_QUOTED) {
        parser->state = STATE_QUOTE;
        return ICE_OK;
    }
    if (parser->state == STATE_QUOTE) {
        parser->state = c == '"' ? STATE_QUOTED : STATE_QUOTE;
        return c == '"' ? ice_buf_append_char(&record->text, c) : ICE_OK;
    }
    if (parser->state == STATE_START)
        parser->state = STATE_PLAIN;
    return ice_buf_append_char(&record->text, c);
}

static enum ice_status next_record(struct ice_stream *stream, struct parser *parser,
                                   struct record *record, struct ice_error *err) {
    const uint64_t start = stream->position; /* of the record */
    bool is_done = false;
    ice_buf_clear(&record->text);
    record->n = 0;
    parser->is_any = false;
    while (!is_done) {
        struct ice_str text;
        size_t i = 0;
        ICE_TRY(ice_stream_peek(stream, 1, &text, err));
        if (text.size == 0 && !parser->is_any)
            return ICE_DONE;
        if (text.size == 0) {
            parser->is_open = true;
            if (feed(parser, record, '\n', &is_done) < 0)
                return ice_error_memory(err);
            parser->state = STATE_START;
            return ICE_OK;
        }
        for (; i < text.size && !is_done; i++) {
            if (feed(parser, record, text.data[i], &is_done) < 0)
                return ice_error_memory(err);
            if (record->text.size > RECORD_BYTES)
                return ice_error_set(err, ICE_EFORMAT, NULL, start,
                                     "a record has more than %d bytes", RECORD_BYTES);
        }
        ice_stream_consume(stream, i);
    }
    return ICE_OK;
}

static char separator_of(struct ice_str first) {
    struct ice_str line = ice_str_first(first, ice_str_find(first, '\n'));
    if (ice_str_find(line, '\t') != SIZE_MAX)
        return '\t';
    return ice_str_find(line, ',') != SIZE_MAX ? ',' : ';';
}

/* ---- records ---- */

static enum ice_status tell(struct ice_listing *listing, const struct record *record,
                            const enum ice_listing_role *roles, size_t n_roles,
                            struct ice_listing_item *item, ice_listed_fn each,
                            void *user) {
    ice_listing_item_begin(item);
    for (size_t i = 0; i < record->n && i < n_roles; i++) {
        struct ice_str cell = cell_at(record, i);
        if (cell.size > 0 && roles[i] != ICE_ROLE_NONE)
            ICE_TRY(ice_listing_item_take(listing, item, roles[i], cell, true));
    }
    listing->n_bad += !item->has_key && !item->has_url;
    return ice_listing_item_tell(listing, item, each, user);
}

/* Records to their end, the columns known. */
static enum ice_status read_records(struct ice_listing *listing,
                                    struct ice_stream *stream, struct parser *parser,
                                    struct record *record,
                                    const enum ice_listing_role *roles, size_t n_roles,
                                    ice_listed_fn each, void *user,
                                    struct ice_error *err) {
    struct ice_listing_item item;
    enum ice_status status = ICE_OK;
    ice_listing_item_init(&item, &listing->run->alloc);
    while (status == ICE_OK) {
        status = next_record(stream, parser, record, err);
        bool is_blank = record->n == 1 && record->text.size == 0;
        if (status == ICE_OK && !is_blank)
            status = tell(listing, record, roles, n_roles, &item, each, user);
    }
    if (parser->is_open)
        listing->is_open = true;
    ice_listing_item_release(&item);
    return status == ICE_DONE ? ICE_OK : status;
}

enum ice_status ice_listing_read_rows(struct ice_listing *listing,
                                      struct ice_stream *stream,
                                      const enum ice_listing_role *roles, size_t n_roles,
                                      ice_listed_fn each, void *user,
                                      struct ice_error *err) {
    struct record record = {.n = 0};
    struct parser parser = {.separator = ','};
    ice_buf_init(&record.text, &listing->run->alloc, SIZE_MAX);
    enum ice_status status =
        read_records(listing, stream, &parser, &record, roles, n_roles, each, user, err);
    ice_buf_release(&record.text);
    return status;
}

enum ice_status ice_listing_read_table(struct ice_listing *listing,
                                       struct ice_stream *stream, ice_listed_fn each,
                                       void *user, struct ice_error *err) {
    struct record record = {.n = 0};
    enum ice_listing_role roles[CELLS];
    struct ice_str first;
    ICE_TRY(ice_stream_peek_first(stream, PEEK_BYTES, &first, err));
    struct parser parser = {.separator = separator_of(first)};
    if (ice_str_starts(first, ICE_STR("\xef\xbb\xbf"))) /* the first name may be quoted */
        ice_stream_consume(stream, 3);
    ice_buf_init(&record.text, &listing->run->alloc, SIZE_MAX);
    enum ice_status status = next_record(stream, &parser, &record, err);
    size_t n = record.n;
    for (size_t i = 0; i < n; i++) {
        struct ice_str name = cell_at(&record, i);
        roles[i] = ice_listing_role_of(name);
        /* of a query over an inventory, whose times are of UTC */
        listing->has_utc_times = listing->has_utc_times || roles[i] == ICE_ROLE_BUCKET;
    }
    if (status == ICE_OK)
        status =
            read_records(listing, stream, &parser, &record, roles, n, each, user, err);
    ice_buf_release(&record.text);
    return status == ICE_DONE ? ICE_OK : status;
}

bool ice_listing_is_table(struct ice_str first, bool *out_is_journal) {
    struct ice_str line = ice_str_first(first, ice_str_find(first, '\n'));
    char separator = separator_of(line);
    bool has_key = false, has_size = false;
    *out_is_journal = false;
    while (line.size > 0) {
        size_t at = ice_str_find(line, separator);
        struct ice_str name = ice_str_first(line, at);
        line = at == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(line, at + 1);
        if (name.size > 0 && name.data[name.size - 1] == '\r')
            name.size--;
        if (name.size > 1 && name.data[0] == '"' && name.data[name.size - 1] == '"')
            name = ice_str_first(ice_str_from_index(name, 1), name.size - 2);
        enum ice_listing_role role = ice_listing_role_of(name);
        has_key = has_key || role == ICE_ROLE_KEY || role == ICE_ROLE_URL;
        has_size = has_size || role == ICE_ROLE_SIZE;
        *out_is_journal = *out_is_journal || role == ICE_ROLE_RECORD;
    }
    return has_key && (has_size || *out_is_journal);
}
