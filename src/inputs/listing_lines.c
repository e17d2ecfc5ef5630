/*
 * One line, one object: the forms of the tools.
 */
#include "inputs/listing_lines.h"
#include "base/chars.h"

#include "base/compiler.h"

/* ---- pieces ---- */

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

/* Does it begin so, where '0' is any digit? */
static bool is_shape(struct ice_str text, const char *shape) {
    size_t size = strlen(shape);
    if (text.size < size)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (shape[i] == '0' ? !ice_is_digit(text.data[i]) : text.data[i] != shape[i])
            return false;
    }
    return true;
}

static bool is_date_time(struct ice_str text) {
    return is_shape(text, "0000-00-00 00:00:00");
}

static void set_time(struct ice_listing *listing, struct ice_str text,
                     struct ice_listed *out) {
    if (listing == NULL || !ice_listing_time(listing, text, &out->mtime_ms))
        out->mtime_ms = INT64_MIN;
}

/* A trailer that counts what was listed: fewer lines than that, and some are lost. */
static enum ice_line trailer(struct ice_listing *listing, struct ice_str text) {
    uint64_t n;
    if (listing != NULL && ice_listing_size(word(&text, ' '), &n) &&
        n > listing->n_objects)
        listing->partial = "its trailer counts more objects than it lists";
    return ICE_LINE_SKIP;
}

/* ---- aws s3 ls ---- */

/* "1.2 MiB", "512 Bytes": of --human-readable. The unit is taken. */
static bool take_unit(struct ice_str *text, struct ice_str number) {
    static const char *const units[] = {"Bytes", "Byte", "B",   "KiB", "MiB",
                                        "GiB",   "TiB",  "PiB", "EiB"};
    bool is_fraction = ice_str_find(number, '.') != SIZE_MAX;
    for (size_t i = 0; i < ICE_COUNT_OF(units); i++) {
        struct ice_str unit = ice_str_from(units[i]);
        if (!ice_str_starts(*text, unit) || text->size <= unit.size ||
            text->data[unit.size] != ' ' || (!is_fraction && i > 2))
            continue;
        *text = ice_str_from_index(*text, unit.size + 1);
        return true;
    }
    return false;
}

/* 2024-01-02 03:04:05       1234 key; the size is set to the right in 10 columns */
static enum ice_line s3_ls(struct ice_listing *listing, struct ice_str text,
                           struct ice_listed *out) {
    struct ice_str at = text;
    if (!is_date_time(text)) {
        (void)skip(&at, ' ');
        if (at.size < text.size && ice_str_starts(at, ICE_STR("PRE ")))
            return ICE_LINE_PARTIAL;
        if (ice_str_starts(at, ICE_STR("Total Objects: ")))
            return trailer(listing, ice_str_from_index(at, 15));
        return ice_str_starts(at, ICE_STR("Total Size: ")) ? ICE_LINE_SKIP : ICE_LINE_NO;
    }
    struct ice_str time = ice_str_first(text, 19);
    at = ice_str_from_index(text, 19);
    if (skip(&at, ' ') == 0 || at.size == 0 || !ice_is_digit(at.data[0]))
        return ICE_LINE_NO;
    struct ice_str number = word(&at, ' ');
    bool is_human = take_unit(&at, number);
    out->has_size = !is_human && ice_listing_size(number, &out->size);
    if ((!is_human && !out->has_size) || at.size == 0)
        return ICE_LINE_NO;
    set_time(listing, time, out);
    out->key = at;
    return ICE_LINE_OBJECT;
}

/* ---- rclone ---- */

/* 2024-01-02 03:04:05;1234;path */
static enum ice_line rclone_lsf(struct ice_listing *listing, struct ice_str text,
                                struct ice_listed *out) {
    if (!is_date_time(text))
        return ICE_LINE_NO;
    struct ice_str time = word(&text, ';'), size = word(&text, ';');
    if (text.size == 0)
        return ICE_LINE_NO;
    if (text.data[text.size - 1] == '/')
        return ICE_LINE_SKIP;
    out->has_size = ice_listing_size(size, &out->size);
    set_time(listing, time, out);
    out->key = text;
    return out->has_size ? ICE_LINE_OBJECT : ICE_LINE_NO;
}

/*     1234 2024-01-02 03:04:05.000000000 path */
static enum ice_line rclone_lsl(struct ice_listing *listing, struct ice_str text,
                                struct ice_listed *out) {
    (void)skip(&text, ' ');
    struct ice_str size = word(&text, ' ');
    if (!ice_listing_size(size, &out->size) || !is_date_time(text))
        return ICE_LINE_NO;
    struct ice_str time = text;
    (void)word(&text, ' ');
    (void)word(&text, ' ');
    time.size -= text.size + 1;
    if (text.size == 0)
        return ICE_LINE_NO;
    out->has_size = true;
    set_time(listing, time, out);
    out->key = text;
    return ICE_LINE_OBJECT;
}

/* ---- gsutil ls -l ---- */

/*      1234  2024-01-02T03:04:05Z  gs://bucket/key */
static enum ice_line gsutil(struct ice_listing *listing, struct ice_str text,
                            struct ice_listed *out) {
    if (ice_str_starts(text, ICE_STR("TOTAL: ")))
        return trailer(listing, ice_str_from_index(text, 7));
    if (ice_str_starts(text, ICE_STR("gs://")))
        return text.data[text.size - 1] == ':' ? ICE_LINE_SKIP : ICE_LINE_NO;
    (void)skip(&text, ' ');
    if (ice_str_starts(text, ICE_STR("gs://"))) /* a prefix, with no size */
        return ICE_LINE_PARTIAL;
    struct ice_str size = word(&text, ' ');
    (void)skip(&text, ' ');
    bool is_human = take_unit(&text, size); /* of -h */
    (void)skip(&text, ' ');
    struct ice_str time = word(&text, ' ');
    (void)skip(&text, ' ');
    out->has_size = !is_human && ice_listing_size(size, &out->size);
    if ((!is_human && !out->has_size) || !ice_str_starts(text, ICE_STR("gs://")))
        return ICE_LINE_NO;
    set_time(listing, time, out);
    size_t more = ice_str_rfind(text, ' '); /* "#generation  metageneration=1" */
    size_t hash = ice_str_rfind(text, '#');
    if (more != SIZE_MAX && hash != SIZE_MAX && hash < more &&
        ice_str_starts(ice_str_from_index(text, more + 1), ICE_STR("metageneration="))) {
        text = ice_str_first(text, hash);
        if (listing != NULL)
            listing->partial =
                "it lists all generations, and does not say which is live: "
                "list without -a";
    }
    out->key = text;
    return ICE_LINE_OBJECT;
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
static enum ice_line hdfs(struct ice_listing *listing, struct ice_str text,
                          struct ice_listed *out) {
    if (ice_str_starts(text, ICE_STR("Found ")))
        return ICE_LINE_SKIP;
    if (!is_mode(text))
        return ICE_LINE_NO;
    bool is_directory = text.data[0] == 'd';
    for (int field = 0; field < 4; field++) { /* mode, replication, owner, group */
        (void)word(&text, ' ');
        (void)skip(&text, ' ');
    }
    struct ice_str size = word(&text, ' '), time;
    (void)skip(&text, ' ');
    bool is_human = text.size > 1 && text.data[1] == ' '; /* "1.2 K" of -h */
    if (is_human)
        (void)word(&text, ' ');
    (void)skip(&text, ' ');
    time = text;
    (void)word(&text, ' ');
    (void)word(&text, ' ');
    if (text.size == 0)
        return ICE_LINE_NO;
    if (is_directory)
        return ICE_LINE_SKIP;
    time.size -= text.size + 1;
    out->has_size = !is_human && ice_listing_size(size, &out->size);
    set_time(listing, time, out);
    out->key = text;
    return out->mtime_ms != INT64_MIN || listing == NULL ? ICE_LINE_OBJECT : ICE_LINE_NO;
}

/* ---- s5cmd ls ---- */

/* 2024/01/02 03:04:05  STANDARD  etag  1234  key; storage class and ETag only if asked
 * for, -H makes sizes unusable */
static enum ice_line s5cmd(struct ice_listing *listing, struct ice_str text,
                           struct ice_listed *out) {
    struct ice_str at = text;
    if (skip(&at, ' ') > 0 && ice_str_starts(at, ICE_STR("DIR "))) {
        (void)word(&at, ' ');
        (void)skip(&at, ' ');
        return at.size > 0 && at.data[at.size - 1] == '/' ? ICE_LINE_PARTIAL
                                                          : ICE_LINE_NO;
    }
    if (!is_shape(text, "0000/00/00 00:00:00"))
        return ICE_LINE_NO;
    char time[20];
    memcpy(time, text.data, 19);
    time[4] = time[7] = '-';
    at = ice_str_from_index(text, 19);
    for (int field = 0; field < 3; field++) {
        if (skip(&at, ' ') == 0)
            return ICE_LINE_NO;
        struct ice_str value = word(&at, ' ');
        if (value.size == 0 || at.size == 0)
            return ICE_LINE_NO;
        bool is_size = ice_is_digit(value.data[0]) && value.size < 20;
        if (!is_size)
            continue;
        (void)skip(&at, ' ');
        out->has_size = ice_listing_size(value, &out->size);
        set_time(listing, ice_str_make(time, 19), out);
        out->key = at;
        return at.size > 0 ? ICE_LINE_OBJECT : ICE_LINE_NO;
    }
    return ICE_LINE_NO;
}

/* ---- mc ls ---- */

static bool is_storage_class(struct ice_str text) {
    for (size_t i = 0; i < text.size; i++) {
        if ((text.data[i] < 'A' || text.data[i] > 'Z') && text.data[i] != '_')
            return false;
    }
    return text.size > 3;
}

/* [2024-01-02 03:04:05 UTC] 1.2KiB STANDARD key; only a size below 1 KiB is exact */
static enum ice_line mc(struct ice_listing *listing, struct ice_str text,
                        struct ice_listed *out) {
    if (!take(&text, '[') || !is_date_time(text))
        return ICE_LINE_NO;
    struct ice_str time = word(&text, ']'), rest = time;
    (void)word(&rest, ' ');
    struct ice_str clock = word(&rest, ' ');
    bool is_utc = ice_str_is(rest, "UTC");
    (void)skip(&text, ' ');
    struct ice_str size = word(&text, ' ');
    if (clock.size != 8 || size.size < 2 || !ice_is_digit(size.data[0]) ||
        size.data[size.size - 1] != 'B')
        return ICE_LINE_NO;
    struct ice_str after = text, class = word(&after, ' ');
    if (is_storage_class(class) && after.size > 0)
        text = after;
    if (text.size == 0)
        return ICE_LINE_NO;
    if (text.data[text.size - 1] == '/')
        return ICE_LINE_PARTIAL;
    out->has_size = ice_listing_size(ice_str_first(size, size.size - 1), &out->size);
    char utc[24];
    memcpy(utc, time.data, 19);
    utc[19] = 'Z';
    set_time(listing, is_utc ? ice_str_make(utc, 20) : ice_str_first(time, 19), out);
    out->key = text;
    return ICE_LINE_OBJECT;
}

/* ---- find, and lines of our own ---- */

/* 1234<TAB>1795984859.6150000000<TAB>path */
static enum ice_line find(struct ice_listing *listing, struct ice_str text,
                          struct ice_listed *out) {
    struct ice_str size = word(&text, '\t'), time = word(&text, '\t');
    size_t dot = ice_str_find(time, '.');
    if (text.size == 0 || !ice_listing_size(size, &out->size) || dot == SIZE_MAX)
        return ICE_LINE_NO;
    out->has_size = true;
    set_time(listing, time, out);
    out->key = text;
    return ICE_LINE_OBJECT;
}

/* path<TAB>1234[<TAB>time] */
static enum ice_line tsv(struct ice_listing *listing, struct ice_str text,
                         struct ice_listed *out) {
    struct ice_str path = word(&text, '\t'), size = word(&text, '\t');
    struct ice_str time = word(&text, '\t');
    if (ice_str_find(path, '/') == SIZE_MAX || !ice_listing_size(size, &out->size))
        return ICE_LINE_NO;
    out->has_size = true;
    if (time.size > 0)
        set_time(listing, time, out);
    out->key = path;
    return ICE_LINE_OBJECT;
}

static enum ice_line paths(struct ice_listing *listing, struct ice_str text,
                           struct ice_listed *out) {
    (void)listing;
    if (ice_str_find(text, '/') == SIZE_MAX)
        return ICE_LINE_NO;
    out->key = text;
    return ICE_LINE_OBJECT;
}

/* ---- all ---- */

const struct ice_line_form ice_line_forms[ICE_LINE_FORMS] = {
    {ICE_LISTING_S3_LS, s3_ls},
    {ICE_LISTING_S5CMD, s5cmd},
    {ICE_LISTING_MC, mc},
    {ICE_LISTING_RCLONE_LSF, rclone_lsf},
    {ICE_LISTING_RCLONE_LSL, rclone_lsl},
    {ICE_LISTING_GSUTIL, gsutil},
    {ICE_LISTING_HDFS, hdfs},
    {ICE_LISTING_FIND, find},
    {ICE_LISTING_TSV, tsv},
    {ICE_LISTING_PATHS, paths},
};
