/*
 * Records of manifests: data files with all metrics, position deletes (deletion vectors
 * in version 3) and equality deletes. Metrics are sound: columns together are smaller
 * than their file, nulls and NaNs fewer than values, bounds lie in the partition.
 */
#include "gen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    N_FLOATING = 4, /* of GEN_COLUMNS */
    CHANNEL_ID = 21,
    POSITION_ID = 2147483545, /* reserved: pos and file_path of position deletes */
    PATH_ID = 2147483546
};
enum content { CONTENT_DATA, CONTENT_POSITION, CONTENT_EQUALITY };

/* What the bounds of each column are made of, ids from 1. */
enum shape {
    SHAPE_LONG,
    SHAPE_TIME,
    SHAPE_REGION,
    SHAPE_UUID,
    SHAPE_DEVICE,
    SHAPE_COUNTRY,
    SHAPE_DOUBLE,
    SHAPE_INT,
    SHAPE_FLOAT,
    SHAPE_DECIMAL,
    SHAPE_BOOLEAN,
    SHAPE_DATE,
    SHAPE_TEXT,
    SHAPE_URL,
    SHAPE_CHANNEL
};
static const enum shape shapes[GEN_COLUMNS + 1] = {
    SHAPE_LONG,    SHAPE_TIME,   SHAPE_REGION, SHAPE_LONG,  SHAPE_UUID,    SHAPE_DEVICE,
    SHAPE_COUNTRY, SHAPE_DOUBLE, SHAPE_INT,    SHAPE_FLOAT, SHAPE_DECIMAL, SHAPE_BOOLEAN,
    SHAPE_DATE,    SHAPE_TEXT,   SHAPE_DEVICE, SHAPE_URL,   SHAPE_URL,     SHAPE_DOUBLE,
    SHAPE_DOUBLE,  SHAPE_TEXT,   SHAPE_CHANNEL};

static int n_columns(const struct gen_table *t, const struct gen_file *file) {
    return file->is_evolved ? GEN_COLUMNS + 1 : t->n_columns;
}

static enum shape shape_of(int column, const struct gen_file *file) {
    return shapes[file->is_evolved ? column : column % GEN_COLUMNS];
}

/* Little-endian, as single values are. */
static void put_number(struct gen_bytes *b, uint64_t value, size_t n) {
    uint8_t bytes[8];
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    gen_put_sized(b, bytes, n);
}

static void put_double(struct gen_bytes *b, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_number(b, bits, sizeof(bits));
}

static void put_float(struct gen_bytes *b, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_number(b, bits, sizeof(bits));
}

/* Big-endian two's complement in as few bytes as hold it. */
static void put_decimal(struct gen_bytes *b, uint64_t random, bool is_upper) {
    uint64_t value = is_upper ? 1000000 + random % 9000 : 128 + random % 9000;
    uint8_t bytes[3] = {(uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    gen_put_sized(b, is_upper ? bytes : bytes + 1, is_upper ? 3 : 2);
}

static void put_bound(struct gen_bytes *b, int column, const struct gen_file *file,
                      bool up) {
    static const char *const devices[] = {"android", "desktop", "ios",
                                          "tablet",  "tv",      "watch"};
    static const char *const countries[] = {"AD", "AE", "ZA", "ZW"};
    uint64_t random = gen_mix(file->hash ^ (uint64_t)(column * 2 + up) << 32);
    uint64_t day = (uint64_t)file->partition[1];
    char text[64];
    switch (shape_of(column, file)) {
    case SHAPE_LONG:
        put_number(b, random % 1000000000 + (up ? 9000000000 : 1), 8);
        break;
    case SHAPE_TIME:
        put_number(b, day * 86400000000 + (up ? 86399000000 : 0) + random % 1000000, 8);
        break;
    case SHAPE_REGION:
        gen_put_text(b, gen_region(file->partition[0]));
        break;
    case SHAPE_UUID:
        snprintf(text, sizeof(text), "%s%06" PRIx64 "-%04" PRIx64 "-4%02" PRIx64,
                 up ? "ff" : "00", random & 0xffffff, random >> 24 & 0xffff,
                 random >> 40 & 0xff);
        gen_put_text(b, text);
        break;
    case SHAPE_DEVICE:
        gen_put_text(b, devices[random % 3 + (up ? 3 : 0)]);
        break;
    case SHAPE_COUNTRY:
        gen_put_text(b, countries[random % 2 + (up ? 2 : 0)]);
        break;
    case SHAPE_DOUBLE:
        put_double(b, (double)(random % 100000) / 1e4 + (up ? 980 : 0));
        break;
    case SHAPE_INT: /* long in the new schema */
        put_number(b, random % 5 + (up ? 95 : 1), file->is_evolved ? 8 : 4);
        break;
    case SHAPE_FLOAT:
        put_float(b, (float)(random % 100) / 1000 + (up ? 0.8f : 0));
        break;
    case SHAPE_DECIMAL:
        put_decimal(b, random, up);
        break;
    case SHAPE_BOOLEAN:
        gen_put_sized(b, up ? "\1" : "\0", 1);
        break;
    case SHAPE_DATE:
        put_number(b, day - (up ? 0 : random % 30), 4);
        break;
    case SHAPE_TEXT:
        snprintf(text, sizeof(text), "%s-%012" PRIx64, up ? "ZZ9" : "AA0", random >> 16);
        gen_put_text(b, text);
        break;
    case SHAPE_URL:
        gen_put_text(b, up ? "https://www.exan" : "https://www.exam");
        break;
    case SHAPE_CHANNEL:
        gen_put_text(b, gen_channel(file->partition[3]));
        break;
    }
}

/* ---- parts of a record ---- */

static void put_null(struct gen_bytes *b) {
    gen_put_long(b, 0);
}

static void put_some(struct gen_bytes *b, int64_t value) {
    gen_put_long(b, 1);
    gen_put_long(b, value);
}

/* A map of column ids with n pairs to follow; behind them stands put_null as well. */
static void begin_map(struct gen_bytes *b, int64_t n) {
    gen_put_long(b, 1);
    gen_put_long(b, n);
}

static void put_pair(struct gen_bytes *b, int64_t id, int64_t value) {
    gen_put_long(b, id);
    gen_put_long(b, value);
}

/* Up to file_size_in_bytes. Numbers of what the snapshot adds are inherited. */
static void put_head(struct gen_bytes *b, const struct gen_table *t, enum content content,
                     const struct gen_file *file, long snapshot, bool is_added,
                     const char *path, const char *format, int64_t rows, int64_t bytes) {
    gen_put_long(b, is_added ? 1 : 0);
    if (t->version == 1) {
        gen_put_long(b, gen_snapshot_id(t, snapshot));
    } else {
        put_some(b, gen_snapshot_id(t, snapshot));
        for (int i = 0; i < 2; i++)
            if (is_added)
                put_null(b);
            else
                put_some(b, snapshot + 1);
        gen_put_long(b, (int64_t)content);
    }
    gen_put_text(b, path);
    gen_put_text(b, format);
    gen_put_long(b, 1);
    gen_put_text(b, gen_region(file->partition[0]));
    put_some(b, file->partition[1]);
    put_some(b, file->partition[2]);
    if (file->is_evolved) {
        gen_put_long(b, 1);
        gen_put_text(b, gen_channel(file->partition[3]));
    }
    gen_put_long(b, rows);
    gen_put_long(b, bytes);
    if (t->version == 1)
        gen_put_long(b, 67108864);
}

/* first_row_id and referenced_data_file on, for a delete file. */
static void put_delete_tail(struct gen_bytes *b, const struct gen_table *t,
                            const char *referenced, int64_t offset, int64_t bytes) {
    if (t->version > 2)
        put_null(b);
    if (referenced == NULL) {
        put_null(b);
    } else {
        gen_put_long(b, 1);
        gen_put_text(b, referenced);
    }
    for (int i = 0; i < 2 && t->version > 2; i++)
        if (bytes == 0)
            put_null(b);
        else
            put_some(b, i == 0 ? offset : bytes);
}

static void put_data_counts(struct gen_bytes *b, const struct gen_table *t,
                            const struct gen_file *file) {
    int n = n_columns(t, file);
    /* all columns together are smaller than the file */
    int64_t share = file->bytes * 4 / (t->n_columns * 5);
    uint64_t spread = 1800000 / (uint64_t)t->n_columns;
    begin_map(b, n);
    for (int i = 0; i < n; i++)
        put_pair(b, i + 1, share + (int64_t)(gen_mix(file->hash + (unsigned)i) % spread));
    put_null(b);
    begin_map(b, n);
    for (int i = 0; i < n; i++)
        put_pair(b, i + 1, file->rows);
    put_null(b);
    begin_map(b, n);
    for (int i = 0; i < n; i++)
        put_pair(b, i + 1,
                 i % 5 == 4 ? (int64_t)(gen_mix(file->hash - (unsigned)i) % 5000) : 0);
    put_null(b);
    begin_map(b, N_FLOATING * t->n_columns / GEN_COLUMNS);
    for (int i = 0; i < n; i++)
        if (shape_of(i, file) == SHAPE_DOUBLE || shape_of(i, file) == SHAPE_FLOAT)
            put_pair(b, i + 1, 0);
    put_null(b);
}

void gen_put_data_entry(struct gen_bytes *b, const struct gen_table *t,
                        const struct gen_file *file, bool is_added) {
    char path[GEN_PATH];
    int64_t row_id = t->row_id[file->snapshot] + t->rows_before[file->number] -
                     t->rows_before[gen_first_file(t, file->snapshot)];
    gen_file_path(t, path, file, GEN_WRITER, "");
    put_head(b, t, CONTENT_DATA, file, file->snapshot, is_added, path, "PARQUET",
             file->rows, file->bytes);
    put_data_counts(b, t, file);
    for (int up = 0; up < 2; up++) {
        begin_map(b, n_columns(t, file));
        for (int i = 0; i < n_columns(t, file); i++) {
            gen_put_long(b, i + 1);
            put_bound(b, i, file, up == 1);
        }
        put_null(b);
    }
    put_null(b); /* key_metadata */
    const int64_t row_group = 128 << 20;
    bool has_two = file->bytes > row_group + 4096;
    begin_map(b, has_two ? 2 : 1); /* split_offsets, an array */
    gen_put_long(b, 4);
    if (has_two)
        gen_put_long(b, 4 + row_group);
    put_null(b);
    put_null(b); /* equality_ids */
    put_some(b, 0);
    if (t->version > 2 && is_added)
        put_null(b);
    else if (t->version > 2)
        put_some(b, row_id);
    if (t->version > 1)
        put_null(b); /* referenced_data_file */
    if (t->version > 2) {
        put_null(b); /* content_offset */
        put_null(b); /* content_size_in_bytes */
    }
}

/* ---- deletes ---- */

static long snapshot_of_deletes(const struct gen_table *t, const struct gen_file *file) {
    return gen_first_snapshot(t, gen_group_of(t, file->snapshot) + 1) - 1;
}

void gen_put_position_entry(struct gen_bytes *b, const struct gen_table *t,
                            const struct gen_file *file, int64_t rows) {
    char path[GEN_PATH], data[GEN_PATH];
    gen_file_path(t, data, file, GEN_WRITER, "");
    gen_file_path(t, path, file, GEN_WRITER_POSITION, "-deletes");
    put_head(b, t, CONTENT_POSITION, file, snapshot_of_deletes(t, file), true, path,
             "PARQUET", rows, gen_delete_bytes(file, false));
    for (int map = 0; map < 3; map++) { /* sizes, values, nulls */
        begin_map(b, 2);
        put_pair(b, POSITION_ID, map == 0 ? 8000 : map == 1 ? rows : 0);
        put_pair(b, PATH_ID, map == 0 ? 4000 : map == 1 ? rows : 0);
        put_null(b);
    }
    put_null(b); /* nan_value_counts */
    for (int up = 0; up < 2; up++) {
        begin_map(b, 2);
        gen_put_long(b, POSITION_ID);
        put_number(b, (uint64_t)(up == 0 ? 0 : file->rows - 1), 8);
        gen_put_long(b, PATH_ID);
        gen_put_text(b, data);
        put_null(b);
    }
    put_null(b); /* key_metadata */
    begin_map(b, 1);
    gen_put_long(b, 4);
    put_null(b);
    put_null(b); /* equality_ids */
    put_null(b); /* sort_order_id */
    put_delete_tail(b, t, data, 0, 0);
}

void gen_put_vector_entry(struct gen_bytes *b, const struct gen_table *t,
                          const struct gen_file *file, int64_t rows, long group,
                          int64_t number, int64_t puffin_bytes) {
    enum { MAGIC_BYTES = 4, BLOB_BYTES = 64 };
    char path[GEN_PATH], data[GEN_PATH];
    gen_file_path(t, data, file, GEN_WRITER, "");
    gen_puffin_path(t, path, group);
    put_head(b, t, CONTENT_POSITION, file, snapshot_of_deletes(t, file), true, path,
             "PUFFIN", rows, puffin_bytes);
    for (int i = 0; i < 10; i++) /* no metrics, nor what follows them */
        put_null(b);
    put_delete_tail(b, t, data, MAGIC_BYTES + BLOB_BYTES * number, BLOB_BYTES);
}

/* They compare the key and what the file's spec partitions by, so no row escapes them. */
static int equality_ids(const struct gen_file *file, int out[5]) {
    for (int i = 0; i < 4; i++)
        out[i] = i + 1;
    out[4] = CHANNEL_ID;
    return file->is_evolved ? 5 : 4;
}

void gen_put_equality_entry(struct gen_bytes *b, const struct gen_table *t,
                            const struct gen_file *file, int64_t rows) {
    char path[GEN_PATH];
    int ids[5], n = equality_ids(file, ids);
    gen_file_path(t, path, file, GEN_WRITER_EQUALITY, "-equality");
    put_head(b, t, CONTENT_EQUALITY, file, snapshot_of_deletes(t, file), true, path,
             "PARQUET", rows, gen_delete_bytes(file, true));
    for (int map = 0; map < 3; map++) { /* sizes, values, nulls */
        begin_map(b, n);
        for (int i = 0; i < n; i++)
            put_pair(b, ids[i], map == 0 ? 2000 : map == 1 ? rows : 0);
        put_null(b);
    }
    put_null(b); /* nan_value_counts */
    for (int up = 0; up < 2; up++) {
        begin_map(b, n);
        for (int i = 0; i < n; i++) {
            gen_put_long(b, ids[i]);
            put_bound(b, ids[i] - 1, file, up == 1);
        }
        put_null(b);
    }
    put_null(b);     /* key_metadata */
    begin_map(b, 1); /* split_offsets, an array */
    gen_put_long(b, 4);
    put_null(b);
    begin_map(b, n); /* equality_ids, an array */
    for (int i = 0; i < n; i++)
        gen_put_long(b, ids[i]);
    put_null(b);
    put_some(b, 0); /* sort_order_id */
    put_delete_tail(b, t, NULL, 0, 0);
}
