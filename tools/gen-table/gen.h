/*
 * gen-table, for developers: the metadata of a table of any size, the same bytes for
 * the same options. What its files share: bytes, Avro containers, and how files,
 * snapshots and manifests of the table hang together.
 */
#ifndef ICE_TOOLS_GEN_H
#define ICE_TOOLS_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gen_codec { GEN_NULL, GEN_DEFLATE, GEN_ZSTD, GEN_SNAPPY };
enum {
    GEN_PATH = 1024,
    GEN_UUID = 37,
    GEN_PARTITION_FIELDS = 4,
    GEN_COLUMNS = 20, /* that differ; the new schema has one more */
    GEN_BUCKETS = 16
};

struct gen_bytes {
    uint8_t *at;
    size_t n, cap;
};

/* An Avro container file being written: {0} with its codec is one to begin. */
struct gen_container {
    enum gen_codec codec;
    struct gen_bytes file, block, packed;
    size_t n_records; /* in block */
    uint8_t sync[16];
};

/* One manifest as its manifest list tells it. Zero bytes: it was not written. */
struct gen_manifest {
    long snapshot; /* that wrote it */
    int64_t bytes, n_added, n_existing, rows_added, rows_existing, min_sequence;
    int64_t file_bytes;   /* of what it adds; deletes only */
    int64_t puffin_bytes; /* of the file with the vectors */
    int64_t position_rows, equality_rows, n_equality;
    int low[GEN_PARTITION_FIELDS], high[GEN_PARTITION_FIELDS];
    char name[64]; /* below metadata/ */
};

/*
 * Snapshots are a chain; snapshot j adds the data files gen_first_file(j) up to that of
 * j + 1. Groups of snapshots follow each other: all but the last of a group write a small
 * manifest, the last one merges them; a group of one snapshot may write several.
 */
struct gen_table {
    long n_files, n_manifests, n_snapshots, n_groups;
    int version;
    enum gen_codec codec;
    uint64_t seed;
    int n_columns;      /* of the first schema; names and types come round again */
    int n_buckets;      /* of a region and a day */
    long deletes_every; /* one data file in so many has deletes; 0: none */
    bool is_evolved;    /* halfway, the table gets another schema and spec */
    bool is_metadata_only;
    const char *out, *location, *data;

    int64_t *rows_before, *bytes_before; /* of data files: n_files + 1 */
    int64_t *row_id; /* next-row-id before a snapshot: n_snapshots + 1 */
    struct gen_manifest *merged, *small,
        *deletes;        /* a manifest, a snapshot, a group each */
    int64_t *list_bytes; /* a snapshot each */
    int64_t metadata_bytes;
};

/* One data file: its place in the table and what its name and metrics grow from. */
struct gen_file {
    long number, snapshot;
    int partition[GEN_PARTITION_FIELDS]; /* region, day, bucket, channel */
    bool is_evolved;
    uint64_t hash;
    int64_t rows, bytes;
};

/* ---- gen_bytes.c: every one ends the program when it cannot do its work ---- */

_Noreturn void gen_die(const char *what);
void *gen_alloc(size_t n, size_t size);
uint64_t gen_mix(uint64_t x);
void gen_put(struct gen_bytes *b, const void *from, size_t n);
void gen_put_long(struct gen_bytes *b, int64_t value); /* zig-zag varint */
void gen_put_sized(struct gen_bytes *b, const void *from, size_t n);
void gen_put_text(struct gen_bytes *b, const char *text);
__attribute__((format(printf, 2, 3))) void gen_print(struct gen_bytes *b,
                                                     const char *form, ...);
/* The directory's file of this name gets these bytes. */
void gen_write_file(const char *directory, const char *name, const struct gen_bytes *b);

/* pairs: key, value, key, value; n_pairs of them. id: the sync marker grows from it. */
void gen_container_begin(struct gen_container *c, uint64_t id, const char *const *pairs,
                         size_t n_pairs);
void gen_container_end_record(struct gen_container *c);
void gen_container_end(struct gen_container *c); /* c->file is whole now */
void gen_container_free(struct gen_container *c);

/* ---- gen_layout.c ---- */

void gen_layout(struct gen_table *t); /* fills what stands before row_id, and row_id */
uint64_t gen_hash(const struct gen_table *t, uint64_t kind, uint64_t number);
void gen_uuid(const struct gen_table *t, char out[GEN_UUID], uint64_t kind,
              uint64_t number);
long gen_first_file(const struct gen_table *t, long snapshot);
long gen_first_snapshot(const struct gen_table *t, long group);
long gen_first_manifest(const struct gen_table *t, long group);
long gen_manifest_file(const struct gen_table *t, long group, long manifest);
long gen_group_of(const struct gen_table *t, long snapshot);
bool gen_ends_group(const struct gen_table *t, long snapshot);
bool gen_uses_new_spec(const struct gen_table *t, long snapshot);
int64_t gen_snapshot_id(const struct gen_table *t, long snapshot);
int64_t gen_snapshot_ms(const struct gen_table *t, long snapshot);
void gen_list_name(const struct gen_table *t, char *out, size_t size, long snapshot);
struct gen_file gen_file_of(const struct gen_table *t, long number);
/* writer: the kind of uuid the name bears; suffix: what stands before the file's ending
 */
void gen_file_path(const struct gen_table *t, char out[GEN_PATH],
                   const struct gen_file *file, uint64_t writer, const char *suffix);
const char *gen_region(int i);
const char *gen_channel(int i);
bool gen_has_position_deletes(const struct gen_table *t, const struct gen_file *file);
bool gen_has_equality_deletes(const struct gen_table *t, const struct gen_file *file);
void gen_puffin_path(const struct gen_table *t, char out[GEN_PATH], long group);
int64_t gen_delete_bytes(const struct gen_file *file, bool is_equality);

enum {
    GEN_WRITER = 40,
    GEN_WRITER_POSITION = 42,
    GEN_WRITER_EQUALITY = 44,
    GEN_WRITER_ORPHAN = 46
};

/* ---- gen_schema.c: JSON ---- */

void gen_put_schema(struct gen_bytes *b, const struct gen_table *t, bool is_evolved);
void gen_put_spec_fields(struct gen_bytes *b, const struct gen_table *t, bool is_evolved);
void gen_put_entry_schema(struct gen_bytes *b, int version, bool is_evolved);
void gen_put_list_schema(struct gen_bytes *b, int version);

/* ---- gen_entry.c: one record of a manifest ---- */

/* is_added: by the manifest's own snapshot, so numbers are inherited. */
void gen_put_data_entry(struct gen_bytes *b, const struct gen_table *t,
                        const struct gen_file *file, bool is_added);
void gen_put_position_entry(struct gen_bytes *b, const struct gen_table *t,
                            const struct gen_file *file, int64_t rows);
void gen_put_vector_entry(struct gen_bytes *b, const struct gen_table *t,
                          const struct gen_file *file, int64_t rows, long group,
                          int64_t number, int64_t puffin_bytes);
void gen_put_equality_entry(struct gen_bytes *b, const struct gen_table *t,
                            const struct gen_file *file, int64_t rows);

/* ---- gen_manifests.c, gen_listing.c ---- */

void gen_write_manifests(struct gen_table *t); /* and the manifest lists */
/* form: tsv, s3ls or json */
void gen_write_listing(const struct gen_table *t, const char *form, long n_orphans,
                       long n_missing);

#endif
