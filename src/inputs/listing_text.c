/*
 * Listings of one line an object. Each form is one function from a line to an object; the
 * same functions recognise the form.
 */
#include "inputs/listing.h"

#include "base/error.h"

enum { LINE_BYTES = 1 << 20, SAMPLE_LINES = 50 };

/* What a line is. */
enum line {
    LINE_NO, /* not of this form */
    LINE_OBJECT,
    LINE_SKIP,    /* of this form, but no object: directory, header, trailer */
    LINE_PARTIAL, /* ... and it says that the listing is not whole */
};

/* ---- pieces ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool take(struct ice_str *text, char c) {
    if (text->size == 0 || text->data[0] != c)
        return false;
    *text = ice_str_from_index(*text, 1);
    return true;
}

static size_t skip(struct ice_str *text, char c) {
    size_t n = 0;
    while (take(text, c))
        n++;
    return n;
}

/* Up to the next blank, which is taken; or all. */
static struct ice_str word(struct ice_str *text, char end) {
    size_t at = ice_str_find(*text, end);
    struct ice_str found = ice_str_first(*text, at);
    *text = at == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(*text, at + 1);
    return found;
}

/* "2024-01-02 03:04:05": the shape alone. */
static bool is_date_time(struct ice_str text) {
    static const char shape[] = "0000-00-00 00:00:00";
    if (text.size < sizeof(shape) - 1)
        return false;
    for (size_t i = 0; i < sizeof(shape) - 1; i++) {
        if (shape[i] == '0' ? !is_digit(text.data[i]) : text.data[i] != shape[i])
            return false;
    }
    return true;
}

static void set_time(struct ice_listing *listing, struct ice_str text,
                     struct ice_listed *out) {
    if (listing == NULL || !ice_listing_time(listing, text, &out->mtime_ms))
        out->mtime_ms = INT64_MIN;
}

/* ---- aws s3 ls ---- */

/* "1.2 MiB", "512 Bytes": of --human-readable. The unit is taken. */
static bool take_unit(struct ice_str *text, struct ice_str number) {
    static const char *const units[] = {"Bytes", "Byte", "KiB", "MiB",
                                        "GiB",   "TiB",  "PiB", "EiB"};
    bool is_fraction = ice_str_find(number, '.') != SIZE_MAX;
    for (size_t i = 0; i < ICE_COUNT_OF(units); i++) {
        struct ice_str unit = ice_str_from(units[i]);
        if (!ice_str_starts(*text, unit) || text->size <= unit.size ||
            text->data[unit.size] != ' ' || (!is_fraction && i > 1))
            continue;
        *text = ice_str_from_index(*text, unit.size + 1);
        return true;
    }
    return false;
}

/* 2024-01-02 03:04:05       1234 key; the size is set to the right in 10 columns */
static enum line s3_ls(struct ice_listing *listing, struct ice_str text,
                       struct ice_listed *out) {
    struct ice_str at = text;
    if (!is_date_time(text)) {
        (void)skip(&at, ' ');
        if (at.size < text.size && ice_str_starts(at, ICE_STR("PRE ")))
            return LINE_PARTIAL;
        return ice_str_starts(at, ICE_STR("Total Objects: ")) ||
                       ice_str_starts(at, ICE_STR("Total Size: "))
                   ? LINE_SKIP
                   : LINE_NO;
    }
    struct ice_str time = ice_str_first(text, 19);
    at = ice_str_from_index(text, 19);
    if (skip(&at, ' ') == 0 || at.size == 0 || !is_digit(at.data[0]))
        return LINE_NO;
    struct ice_str number = word(&at, ' ');
    bool is_human = take_unit(&at, number);
    out->has_size = !is_human && ice_listing_size(number, &out->size);
    if ((!is_human && !out->has_size) || at.size == 0)
        return LINE_NO;
    set_time(listing, time, out);
    out->key = at;
    return LINE_OBJECT;
}

/* ---- rclone ---- */

/* 2024-01-02 03:04:05;1234;path */
static enum line rclone_lsf(struct ice_listing *listing, struct ice_str text,
                            struct ice_listed *out) {
    if (!is_date_time(text))
        return LINE_NO;
    struct ice_str time = word(&text, ';'), size = word(&text, ';');
    if (text.size == 0)
        return LINE_NO;
    if (text.data[text.size - 1] == '/')
        return LINE_SKIP;
    out->has_size = ice_listing_size(size, &out->size);
    set_time(listing, time, out);
    out->key = text;
    return out->has_size ? LINE_OBJECT : LINE_NO;
}

/*     1234 2024-01-02 03:04:05.000000000 path */
static enum line rclone_lsl(struct ice_listing *listing, struct ice_str text,
                            struct ice_listed *out) {
    (void)skip(&text, ' ');
    struct ice_str size = word(&text, ' ');
    if (!ice_listing_size(size, &out->size) || !is_date_time(text))
        return LINE_NO;
    struct ice_str time = text;
    (void)word(&text, ' ');
    (void)word(&text, ' ');
    time.size -= text.size + 1;
    if (text.size == 0)
        return LINE_NO;
    out->has_size = true;
    set_time(listing, time, out);
    out->key = text;
    return LINE_OBJECT;
}

/* ---- gsutil ls -l ---- */

static bool is_trailer(struct ice_str text) {
    return ice_str_starts(text, ICE_STR("TOTAL: "));
}

/*      1234  2024-01-02T03:04:05Z  gs://bucket/key */
static enum line gsutil(struct ice_listing *listing, struct ice_str text,
                        struct ice_listed *out) {
    if (is_trailer(text))
        return LINE_SKIP;
    if (ice_str_starts(text, ICE_STR("gs://")))
        return text.data[text.size - 1] == ':' ? LINE_SKIP : LINE_NO;
    (void)skip(&text, ' ');
    if (ice_str_starts(text, ICE_STR("gs://"))) /* a prefix, with no size */
        return LINE_PARTIAL;
    struct ice_str size = word(&text, ' ');
    (void)skip(&text, ' ');
    struct ice_str time = word(&text, ' ');
    (void)skip(&text, ' ');
    if (!ice_listing_size(size, &out->size) || !ice_str_starts(text, ICE_STR("gs://")))
        return LINE_NO;
    out->has_size = true;
    set_time(listing, time, out);
    size_t more = ice_str_find(text, ' '); /* "#generation  metageneration=1" */
    size_t hash = ice_str_rfind(text, '#');
    if (more != SIZE_MAX && hash != SIZE_MAX && hash < more)
        text = ice_str_first(text, hash);
    out->key = text;
    return LINE_OBJECT;
}

/* ---- hdfs dfs -ls ---- */

static bool is_mode(struct ice_str text) {
    if (text.size < 11 || (text.data[0] != '-' && text.data[0] != 'd'))
        return false;
    for (size_t i = 1; i < 10; i++) {
        if (strchr("rwxstST-", text.data[i]) == NULL || text.data[i] == '\0')
            return false;
    }
    return text.data[10] == ' ' || text.data[10] == '+';
}

/* -rw-r--r--   3 owner group       1234 2024-01-02 03:04 /path */
static enum line hdfs(struct ice_listing *listing, struct ice_str text,
                      struct ice_listed *out) {
    if (ice_str_starts(text, ICE_STR("Found ")))
        return LINE_SKIP;
    if (!is_mode(text))
        return LINE_NO;
    bool is_directory = text.data[0] == 'd';
    for (int field = 0; field < 4; field++) { /* mode, replication, owner, group */
        (void)word(&text, ' ');
        (void)skip(&text, ' ');
    }
    struct ice_str size = word(&text, ' '), time;
    (void)skip(&text, ' ');
    time = text;
    (void)word(&text, ' ');
    (void)word(&text, ' ');
    if (text.size == 0)
        return LINE_NO;
    if (is_directory)
        return LINE_SKIP;
    time.size -= text.size + 1;
    out->has_size = ice_listing_size(size, &out->size);
    set_time(listing, time, out);
    out->key = text;
    return out->mtime_ms != INT64_MIN || listing == NULL ? LINE_OBJECT : LINE_NO;
}

/* ---- find, and lines of our own ---- */

/* 1234<TAB>1795984859.6150000000<TAB>path */
static enum line find(struct ice_listing *listing, struct ice_str text,
                      struct ice_listed *out) {
    struct ice_str size = word(&text, '\t'), time = word(&text, '\t');
    size_t dot = ice_str_find(time, '.');
    if (text.size == 0 || !ice_listing_size(size, &out->size) || dot == SIZE_MAX)
        return LINE_NO;
    out->has_size = true;
    set_time(listing, time, out);
    out->key = text;
    return LINE_OBJECT;
}

/* path<TAB>1234[<TAB>time] */
static enum line tsv(struct ice_listing *listing, struct ice_str text,
                     struct ice_listed *out) {
    struct ice_str path = word(&text, '\t'), size = word(&text, '\t');
    struct ice_str time = word(&text, '\t');
    if (ice_str_find(path, '/') == SIZE_MAX || !ice_listing_size(size, &out->size))
        return LINE_NO;
    out->has_size = true;
    if (time.size > 0)
        set_time(listing, time, out);
    out->key = path;
    return LINE_OBJECT;
}

static enum line paths(struct ice_listing *listing, struct ice_str text,
                       struct ice_listed *out) {
    (void)listing;
    if (ice_str_find(text, '/') == SIZE_MAX)
        return LINE_NO;
    out->key = text;
    return LINE_OBJECT;
}

/* ---- all ---- */

typedef enum line (*line_fn)(struct ice_listing *listing, struct ice_str text,
                             struct ice_listed *out);

static const struct {
    enum ice_listing_format format;
    line_fn read;
} forms[] = {
    {ICE_LISTING_S3_LS, s3_ls},
    {ICE_LISTING_RCLONE_LSF, rclone_lsf},
    {ICE_LISTING_RCLONE_LSL, rclone_lsl},
    {ICE_LISTING_GSUTIL, gsutil},
    {ICE_LISTING_HDFS, hdfs},
    {ICE_LISTING_FIND, find},
    {ICE_LISTING_TSV, tsv},
    {ICE_LISTING_PATHS, paths},
};

/* The next line, its end taken off and stepped over; ICE_DONE behind the last. */
static enum ice_status next_line(struct ice_stream *stream, char end,
                                 struct ice_buf *line, struct ice_error *err) {
    ice_buf_clear(line);
    for (;;) {
        struct ice_str text;
        ICE_TRY(ice_stream_peek(stream, 1, &text, err));
        if (text.size == 0)
            return line->size > 0 ? ICE_OK : ICE_DONE;
        size_t at = ice_str_find(text, end);
        struct ice_str part = ice_str_first(text, at);
        if (line->size + part.size > LINE_BYTES)
            return ice_error_set(err, ICE_EFORMAT, NULL, stream->position,
                                 "a line has more than %d bytes", LINE_BYTES);
        if (ice_buf_append_str(line, part) < 0)
            return ice_error_memory(err);
        ice_stream_consume(stream, part.size + (at != SIZE_MAX ? 1 : 0));
        if (at != SIZE_MAX)
            return ICE_OK;
    }
}

static struct ice_str trim(struct ice_str line, bool is_first) {
    if (is_first && ice_str_starts(line, ICE_STR("\xef\xbb\xbf")))
        line = ice_str_from_index(line, 3);
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    return line;
}

static enum ice_status read_line(struct ice_listing *listing, line_fn read,
                                 struct ice_str line, ice_listed_fn each, void *user) {
    struct ice_listed object = {.mtime_ms = INT64_MIN};
    switch (read(listing, line, &object)) {
    case LINE_NO:
        listing->n_bad++;
        return ICE_OK;
    case LINE_OBJECT:
        return ice_listing_tell(listing, &object, each, user);
    case LINE_PARTIAL:
        listing->partial = "it names prefixes that it does not list: list recursively";
        return ICE_OK;
    case LINE_SKIP:
        return ICE_OK;
    }
    return ICE_OK;
}

static line_fn reader_of(enum ice_listing_format format) {
    for (size_t i = 0; i < ICE_COUNT_OF(forms); i++) {
        if (forms[i].format == format)
            return forms[i].read;
    }
    return paths;
}

enum ice_status ice_listing_read_text(struct ice_listing *listing,
                                      struct ice_stream *stream, ice_listed_fn each,
                                      void *user, struct ice_error *err) {
    struct ice_buf buf;
    struct ice_str first;
    bool is_first = true;
    ICE_TRY(ice_stream_peek(stream, 64 * 1024, &first, err));
    char end = ice_str_find(first, '\0') != SIZE_MAX ? '\0' : '\n';
    line_fn read = reader_of(listing->format);
    ice_buf_init(&buf, &listing->run->alloc, SIZE_MAX);
    enum ice_status status = ICE_OK;
    while (status == ICE_OK) {
        status = next_line(stream, end, &buf, err);
        struct ice_str line =
            end == '\n' ? trim(ice_buf_str(&buf), is_first) : ice_buf_str(&buf);
        is_first = false;
        if (status == ICE_OK && line.size > 0)
            status = read_line(listing, read, line, each, user);
    }
    ice_buf_release(&buf);
    return status == ICE_DONE ? ICE_OK : status;
}

/* ---- recognising ---- */

/* A form wins with 8 of 10 lines, where no other has more than 2 of 10. */
enum ice_listing_format ice_listing_detect_text(struct ice_str first) {
    size_t counts[ICE_COUNT_OF(forms)] = {0}, n = 0;
    char end = ice_str_find(first, '\0') != SIZE_MAX ? '\0' : '\n';
    while (first.size > 0 && n < SAMPLE_LINES) {
        size_t at = ice_str_find(first, end);
        struct ice_str line = trim(ice_str_first(first, at), n == 0);
        if (at == SIZE_MAX && n > 0)
            break; /* the peek may have cut it */
        first = at == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(first, at + 1);
        if (line.size == 0)
            continue;
        n++;
        for (size_t i = 0; i < ICE_COUNT_OF(forms); i++) {
            struct ice_listed object = {.mtime_ms = INT64_MIN};
            counts[i] += forms[i].read(NULL, line, &object) != LINE_NO;
        }
    }
    /* plain paths and our own lines match much: they come last, when no other does */
    for (size_t i = 0; i < ICE_COUNT_OF(forms); i++) {
        if (n > 0 && counts[i] * 10 >= n * 8)
            return forms[i].format;
    }
    return ICE_LISTING_COUNT;
}
