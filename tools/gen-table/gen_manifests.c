/*
 * The manifests and manifest lists of the generated table: small manifests of snapshots,
 * merged ones and delete manifests at the end of each group.
 */
#include "gen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct writer {
    struct gen_table *table;
    struct gen_container container;
    const char *entry_schemas[2], *schemas[2],
        *specs[2]; /* before and after the change */
    const char *list_schema;
    char directory[GEN_PATH], version[4];
};

static const char *text_of(struct gen_bytes *b) {
    gen_put(b, "", 1);
    const char *text = (const char *)b->at;
    *b = (struct gen_bytes){0};
    return text;
}

static void begin_manifest(struct writer *w, struct gen_manifest *m, uint64_t id,
                           long snapshot, bool is_deletes) {
    int kind = gen_uses_new_spec(w->table, snapshot);
    const char *pairs[] = {"schema",
                           w->schemas[kind],
                           "avro.schema",
                           w->entry_schemas[kind],
                           "partition-spec",
                           w->specs[kind],
                           "partition-spec-id",
                           kind ? "1" : "0",
                           "schema-id",
                           kind ? "1" : "0",
                           "format-version",
                           w->version,
                           "content",
                           is_deletes ? "deletes" : "data"};
    gen_container_begin(&w->container, gen_hash(w->table, 30, id), pairs,
                        w->table->version > 1 ? 7 : 6);
    *m = (struct gen_manifest){.snapshot = snapshot, .min_sequence = snapshot + 1};
}

static void count_partition(struct gen_manifest *m, const struct gen_file *file,
                            bool is_first) {
    for (int i = 0; i < GEN_PARTITION_FIELDS; i++) {
        if (is_first || file->partition[i] < m->low[i])
            m->low[i] = file->partition[i];
        if (is_first || file->partition[i] > m->high[i])
            m->high[i] = file->partition[i];
    }
}

static void end_manifest(struct writer *w, struct gen_manifest *m, const char *suffix) {
    char uuid[GEN_UUID];
    gen_container_end(&w->container);
    gen_uuid(w->table, uuid, 50, (uint64_t)m->snapshot);
    snprintf(m->name, sizeof(m->name), "%s-%.2s.avro", uuid, suffix);
    m->bytes = (int64_t)w->container.file.n;
    gen_write_file(w->directory, m->name, &w->container.file);
}

/* The data files from first to end; what the snapshot did not add itself is EXISTING. */
static void write_data(struct writer *w, struct gen_manifest *m, long snapshot,
                       long first, long end, const char *suffix) {
    bool is_merge = gen_file_of(w->table, first).snapshot != snapshot;
    begin_manifest(w, m, (uint64_t)first * 2 + is_merge, snapshot, false);
    for (long i = first; i < end; i++) {
        struct gen_file file = gen_file_of(w->table, i);
        bool is_added = file.snapshot == snapshot;
        gen_put_data_entry(&w->container.block, w->table, &file, is_added);
        gen_container_end_record(&w->container);
        count_partition(m, &file, i == first);
        if (file.snapshot + 1 < m->min_sequence)
            m->min_sequence = file.snapshot + 1;
        *(is_added ? &m->n_added : &m->n_existing) += 1;
        *(is_added ? &m->rows_added : &m->rows_existing) += file.rows;
    }
    end_manifest(w, m, suffix);
}

/* ---- deletes ---- */

static int64_t deleted_rows(const struct gen_file *file) {
    return 10 + (int64_t)(gen_mix(file->hash ^ 23) % 200);
}

static void count_delete(struct writer *w, struct gen_manifest *m,
                         const struct gen_file *file, bool is_equality) {
    gen_container_end_record(&w->container);
    count_partition(m, file, m->n_added == 0);
    m->n_added++;
    m->rows_added += deleted_rows(file);
    if (is_equality) {
        m->n_equality++;
        m->equality_rows += deleted_rows(file);
    } else {
        m->position_rows += deleted_rows(file);
    }
    if (is_equality || w->table->version == 2)
        m->file_bytes += gen_delete_bytes(file, is_equality);
}

static int64_t puffin_size(const struct gen_table *t, long first, long end) {
    int64_t bytes = 400;
    for (long i = first; i < end; i++) {
        struct gen_file file = gen_file_of(t, i);
        bytes += gen_has_position_deletes(t, &file) ? 200 : 0;
    }
    return bytes;
}

static void write_deletes(struct writer *w, long group) {
    const struct gen_table *t = w->table;
    struct gen_manifest *m = &w->table->deletes[group];
    long snapshot = gen_first_snapshot(t, group + 1) - 1;
    long first = gen_first_file(t, gen_first_snapshot(t, group));
    long end = gen_first_file(t, snapshot + 1);
    int64_t puffin_bytes = t->version > 2 ? puffin_size(t, first, end) : 0;
    int64_t n_vectors = 0;
    begin_manifest(w, m, 1ULL << 41 | (uint64_t)group, snapshot, true);
    m->puffin_bytes = puffin_bytes;
    for (long i = first; i < end; i++) {
        struct gen_file file = gen_file_of(t, i);
        if (gen_has_position_deletes(t, &file)) {
            if (t->version > 2)
                gen_put_vector_entry(&w->container.block, t, &file, deleted_rows(&file),
                                     group, n_vectors++, puffin_bytes);
            else
                gen_put_position_entry(&w->container.block, t, &file,
                                       deleted_rows(&file));
            count_delete(w, m, &file, false);
        }
        if (gen_has_equality_deletes(t, &file)) {
            gen_put_equality_entry(&w->container.block, t, &file, deleted_rows(&file));
            count_delete(w, m, &file, true);
        }
    }
    if (n_vectors > 0) /* once for every vector that the file holds */
        m->file_bytes += n_vectors * 64;
    if (m->n_added > 0)
        end_manifest(w, m, "d0");
}

/* ---- manifest lists ---- */

static void put_summary(struct gen_bytes *b, const struct gen_manifest *m, int field) {
    int32_t values[2] = {m->low[field], m->high[field]};
    gen_put(b, "\0", 1); /* contains_null */
    gen_put_long(b, 1);  /* contains_nan */
    gen_put(b, "\0", 1);
    for (int i = 0; i < 2; i++) {
        uint32_t value = (uint32_t)values[i];
        uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                            (uint8_t)(value >> 24)};
        gen_put_long(b, 1);
        if (field == 0)
            gen_put_text(b, gen_region(values[i]));
        else if (field == 3)
            gen_put_text(b, gen_channel(values[i]));
        else
            gen_put_sized(b, bytes, sizeof(bytes));
    }
}

/* row_id: -1 for delete manifests. */
static void put_manifest(struct writer *w, const struct gen_manifest *m, int64_t row_id) {
    const struct gen_table *t = w->table;
    struct gen_bytes *b = &w->container.block;
    char path[2 * GEN_PATH];
    bool is_evolved = gen_uses_new_spec(t, m->snapshot);
    snprintf(path, sizeof(path), "%s/metadata/%s", t->location, m->name);
    gen_put_text(b, path);
    gen_put_long(b, m->bytes);
    gen_put_long(b, is_evolved);
    if (t->version > 1) {
        gen_put_long(b, row_id < 0);
        gen_put_long(b, m->snapshot + 1);
        gen_put_long(b, m->min_sequence);
    }
    gen_put_long(b, gen_snapshot_id(t, m->snapshot));
    gen_put_long(b, m->n_added);
    gen_put_long(b, m->n_existing);
    gen_put_long(b, 0);
    gen_put_long(b, m->rows_added);
    gen_put_long(b, m->rows_existing);
    gen_put_long(b, 0);
    gen_put_long(b, 1);
    gen_put_long(b, is_evolved ? 4 : 3);
    for (int i = 0; i < (is_evolved ? 4 : 3); i++)
        put_summary(b, m, i);
    gen_put_long(b, 0); /* the array's end */
    gen_put_long(b, 0); /* key_metadata */
    if (t->version > 2 && row_id >= 0) {
        gen_put_long(b, 1);
        gen_put_long(b, row_id);
    } else if (t->version > 2) {
        gen_put_long(b, 0);
    }
    gen_container_end_record(&w->container);
}

/* The ids of a merged manifest start where its snapshot's do; behind those of its
 * sisters. */
static int64_t merged_row_id(const struct gen_table *t, long group, long manifest) {
    long snapshot = t->merged[manifest].snapshot;
    if (gen_first_manifest(t, group + 1) - gen_first_manifest(t, group) == 1)
        return t->row_id[snapshot];
    return t->row_id[snapshot] + t->rows_before[gen_manifest_file(t, group, manifest)] -
           t->rows_before[gen_first_file(t, snapshot)];
}

static void put_manifests(struct writer *w, long snapshot) {
    const struct gen_table *t = w->table;
    long group = gen_group_of(t, snapshot);
    if (!gen_ends_group(t, snapshot)) {
        for (long j = snapshot; j >= gen_first_snapshot(t, group); j--)
            put_manifest(w, &t->small[j], t->row_id[j]);
        group--;
    }
    for (long g = group; g >= 0; g--) {
        if (t->deletes[g].bytes > 0)
            put_manifest(w, &t->deletes[g], -1);
        for (long m = gen_first_manifest(t, g + 1) - 1; m >= gen_first_manifest(t, g);
             m--)
            put_manifest(w, &t->merged[m], merged_row_id(t, g, m));
    }
}

static void write_list(struct writer *w, long snapshot) {
    struct gen_table *t = w->table;
    char id[24], parent[24] = "null", sequence[24], name[128];
    snprintf(id, sizeof(id), "%" PRId64, gen_snapshot_id(t, snapshot));
    if (snapshot > 0)
        snprintf(parent, sizeof(parent), "%" PRId64, gen_snapshot_id(t, snapshot - 1));
    snprintf(sequence, sizeof(sequence), "%ld", snapshot + 1);
    const char *pairs[] = {"avro.schema",        w->list_schema,
                           "format-version",     w->version,
                           "snapshot-id",        id,
                           "parent-snapshot-id", parent,
                           "sequence-number",    sequence};
    gen_container_begin(&w->container, gen_hash(t, 31, (uint64_t)snapshot), pairs,
                        t->version > 1 ? 5 : 4);
    put_manifests(w, snapshot);
    gen_container_end(&w->container);
    gen_list_name(t, name, sizeof(name), snapshot);
    t->list_bytes[snapshot] = (int64_t)w->container.file.n;
    gen_write_file(w->directory, name, &w->container.file);
}

/* ---- all ---- */

static void open_writer(struct writer *w) {
    struct gen_bytes b = {0};
    int version = w->table->version;
    snprintf(w->directory, sizeof(w->directory), "%s/metadata", w->table->out);
    snprintf(w->version, sizeof(w->version), "%d", version);
    for (int i = 0; i < 2; i++) {
        gen_put_schema(&b, w->table, i == 1);
        w->schemas[i] = text_of(&b);
        gen_put_spec_fields(&b, w->table, i == 1);
        w->specs[i] = text_of(&b);
        gen_put_entry_schema(&b, version, i == 1);
        w->entry_schemas[i] = text_of(&b);
    }
    gen_put_list_schema(&b, version);
    w->list_schema = text_of(&b);
}

static void close_writer(struct writer *w) {
    gen_container_free(&w->container);
    for (int i = 0; i < 2; i++) {
        free((void *)(uintptr_t)w->schemas[i]);
        free((void *)(uintptr_t)w->specs[i]);
        free((void *)(uintptr_t)w->entry_schemas[i]);
    }
    free((void *)(uintptr_t)w->list_schema);
}

void gen_write_manifests(struct gen_table *t) {
    struct writer w = {.table = t, .container.codec = t->codec};
    open_writer(&w);
    for (long g = 0; g < t->n_groups; g++) {
        long last = gen_first_snapshot(t, g + 1) - 1;
        for (long j = gen_first_snapshot(t, g); j < last; j++)
            write_data(&w, &t->small[j], j, gen_first_file(t, j),
                       gen_first_file(t, j + 1), "m0");
        long from = gen_first_manifest(t, g);
        for (long m = from; m < gen_first_manifest(t, g + 1); m++) {
            char suffix[24];
            snprintf(suffix, sizeof(suffix), "m%ld", m - from + 1);
            write_data(&w, &t->merged[m], last, gen_manifest_file(t, g, m),
                       gen_manifest_file(t, g, m + 1), suffix);
        }
        if (t->deletes_every > 0 && t->version > 1)
            write_deletes(&w, g);
    }
    for (long j = 0; j < t->n_snapshots; j++)
        write_list(&w, j);
    close_writer(&w);
}
