/*
 * The listing of the generated table's objects, sorted as buckets list them, with known
 * orphan and missing data files: expected-orphan.txt and expected-missing.txt tell which.
 */
#include "gen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct object {
    char *path;
    int64_t bytes, ms;
};

struct listing {
    const struct gen_table *table;
    struct object *objects;
    size_t n, cap;
    struct gen_bytes orphans, missing;
};

static void add(struct listing *l, const char *path, int64_t bytes, int64_t ms) {
    if (l->n == l->cap) {
        l->cap = l->cap * 2 + 1024;
        l->objects = realloc(l->objects, l->cap * sizeof(*l->objects));
        if (l->objects == NULL)
            gen_die("memory");
    }
    char *copy = strdup(path);
    if (copy == NULL)
        gen_die("memory");
    l->objects[l->n++] = (struct object){copy, bytes, ms};
}

static void add_metadata(struct listing *l, const char *name, int64_t bytes, int64_t ms) {
    char path[2 * GEN_PATH];
    snprintf(path, sizeof(path), "%s/metadata/%s", l->table->location, name);
    if (bytes > 0)
        add(l, path, bytes, ms);
}

static void add_manifest(struct listing *l, const struct gen_manifest *m) {
    add_metadata(l, m->name, m->bytes, gen_snapshot_ms(l->table, m->snapshot));
}

static void add_deletes(struct listing *l, const struct gen_file *file, int64_t ms) {
    char path[GEN_PATH];
    if (l->table->version == 2 && gen_has_position_deletes(l->table, file)) {
        gen_file_path(l->table, path, file, GEN_WRITER_POSITION, "-deletes");
        add(l, path, gen_delete_bytes(file, false), ms);
    }
    if (gen_has_equality_deletes(l->table, file)) {
        gen_file_path(l->table, path, file, GEN_WRITER_EQUALITY, "-equality");
        add(l, path, gen_delete_bytes(file, true), ms);
    }
}

static void add_files(struct listing *l, long n_missing) {
    const struct gen_table *t = l->table;
    char path[GEN_PATH];
    long n_left_out = 0;
    for (long i = 0; i < t->n_files; i++) {
        struct gen_file file = gen_file_of(t, i);
        int64_t ms = gen_snapshot_ms(t, file.snapshot);
        gen_file_path(t, path, &file, GEN_WRITER, "");
        add_deletes(l, &file, ms);
        if (n_left_out < n_missing && i >= n_left_out * t->n_files / n_missing) {
            gen_print(&l->missing, "%s\n", path);
            n_left_out++;
            continue;
        }
        add(l, path, file.bytes, ms);
    }
}

static void add_orphans(struct listing *l, long n_orphans) {
    const struct gen_table *t = l->table;
    char path[GEN_PATH], suffix[32];
    for (long i = 0; i < n_orphans; i++) {
        uint64_t at = gen_hash(t, 70, (uint64_t)i) % (uint64_t)t->n_files;
        struct gen_file file = gen_file_of(t, (long)at);
        snprintf(suffix, sizeof(suffix), "-retry%ld", i);
        gen_file_path(t, path, &file, GEN_WRITER_ORPHAN, suffix);
        gen_print(&l->orphans, "%s\n", path);
        add(l, path, file.bytes, gen_snapshot_ms(t, file.snapshot) + 1000);
    }
}

static void add_all_metadata(struct listing *l) {
    const struct gen_table *t = l->table;
    char name[128];
    for (long j = 0; j < t->n_snapshots; j++) {
        gen_list_name(t, name, sizeof(name), j);
        add_metadata(l, name, t->list_bytes[j], gen_snapshot_ms(t, j));
        add_manifest(l, &t->small[j]);
    }
    for (long m = 0; m < t->n_manifests; m++)
        add_manifest(l, &t->merged[m]);
    for (long g = 0; g < t->n_groups; g++)
        add_manifest(l, &t->deletes[g]);
    int64_t ms = gen_snapshot_ms(t, t->n_snapshots - 1);
    int n = snprintf(name, sizeof(name), "v%ld.metadata.json", t->n_snapshots);
    add_metadata(l, name, t->metadata_bytes, ms);
    add_metadata(l, "version-hint.text", n - (int)strlen("v.metadata.json"), ms);
}

static void add_puffins(struct listing *l) {
    const struct gen_table *t = l->table;
    char path[GEN_PATH];
    for (long g = 0; g < t->n_groups && t->version > 2; g++)
        if (t->deletes[g].n_added > t->deletes[g].n_equality) {
            gen_puffin_path(t, path, g);
            add(l, path, t->deletes[g].puffin_bytes,
                gen_snapshot_ms(t, t->deletes[g].snapshot));
        }
}

static int by_path(const void *a, const void *b) {
    const struct object *one = a, *other = b;
    return strcmp(one->path, other->path);
}

/* What stands behind scheme and bucket, when there are any. */
static const char *key_of(const char *path) {
    const char *bucket = strstr(path, "://");
    const char *key = bucket != NULL ? strchr(bucket + 3, '/') : NULL;
    return key != NULL ? key + 1 : path;
}

static void print_object(const struct listing *l, const struct object *o,
                         const char *form, bool is_first, FILE *out) {
    char when[40];
    time_t seconds = (time_t)(o->ms / 1000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    bool is_s3 = strcmp(form, "s3ls") == 0;
    strftime(when, sizeof(when), is_s3 ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%dT%H:%M:%SZ",
             &parts);
    if (is_s3)
        fprintf(out, "%s %10" PRId64 " %s\n", when, o->bytes, key_of(o->path));
    else if (strcmp(form, "json") == 0)
        fprintf(out,
                "%s{\"Key\":\"%s\",\"LastModified\":\"%s\",\"ETag\":\"\\\"%016" PRIx64
                "\\\"\",\"Size\":%" PRId64 ",\"StorageClass\":\"STANDARD\"}",
                is_first ? "" : ",\n", key_of(o->path), when,
                gen_hash(l->table, 80, (uint64_t)(o - l->objects)), o->bytes);
    else
        fprintf(out, "%s\t%" PRId64 "\t%s\n", o->path, o->bytes, when);
}

void gen_write_listing(const struct gen_table *t, const char *form, long n_orphans,
                       long n_missing) {
    struct listing l = {.table = t};
    char path[2 * GEN_PATH];
    bool is_json = strcmp(form, "json") == 0;
    add_files(&l, n_missing);
    add_orphans(&l, n_orphans);
    add_puffins(&l);
    add_all_metadata(&l);
    qsort(l.objects, l.n, sizeof(*l.objects), by_path);
    gen_print(&l.orphans, "%s", "");
    gen_print(&l.missing, "%s", "");
    gen_write_file(t->out, "expected-orphan.txt", &l.orphans);
    gen_write_file(t->out, "expected-missing.txt", &l.missing);
    snprintf(path, sizeof(path), "%s/listing.%s", t->out,
             is_json                     ? "json"
             : strcmp(form, "s3ls") == 0 ? "txt"
                                         : "tsv");
    FILE *out = fopen(path, "w");
    if (out == NULL)
        gen_die(path);
    fputs(is_json ? "{\"Contents\":[\n" : "", out);
    for (size_t i = 0; i < l.n; i++) {
        print_object(&l, &l.objects[i], form, i == 0, out);
        free(l.objects[i].path);
    }
    fputs(is_json ? "\n]}\n" : "", out);
    if (fclose(out) != 0)
        gen_die(path);
    free(l.objects);
    free(l.orphans.at);
    free(l.missing.at);
}
