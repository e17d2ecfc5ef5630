/*
 * gen-table [OPTION...] DIRECTORY: see usage(). Writes metadata.json, manifest lists,
 * manifests and, asked for, a listing of the table's objects; no data files.
 */
#include "gen.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int usage(void) {
    fputs("usage: gen-table [OPTION...] DIRECTORY\n"
          "  -n FILES      live data files (100000)\n"
          "  -m MANIFESTS  data manifests of the current snapshot (20)\n"
          "  -k SNAPSHOTS  a chain of them (50); FILES are as many or more, and 2 x "
          "MANIFESTS\n"
          "  -v VERSION    format version: 1, 2 or 3 (2)\n"
          "  -c CODEC      deflate, zstd, snappy or null (deflate)\n"
          "  -l LOCATION   of the table (s3://lake/warehouse/db/events)\n"
          "  -d PREFIX     of its data files (LOCATION/data)\n"
          "  -w COLUMNS    a multiple of 20; more than that not with -E (20)\n"
          "  -b BUCKETS    partitions of a region and a day (16)\n"
          "  -D N          one data file in N gets deletes; not in version 1 (0: none)\n"
          "  -E            halfway, another schema and another partition spec\n"
          "  -J            metadata.json only\n"
          "  -L FORM       a listing too: tsv, s3ls or json\n"
          "  -O, -X N      orphan (50) and missing (20) data files of the listing\n"
          "  -s SEED       same options and seed: same bytes (1)\n",
          stderr);
    return 2;
}

static long number(const char *text, long most) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && value >= 0 && value <= most
               ? value
               : -1;
}

/* False: no such codec. */
static bool codec_of(const char *text, enum gen_codec *out) {
    static const char *const names[] = {"null", "deflate", "zstd", "snappy"};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (enum gen_codec)i;
            return true;
        }
    return false;
}

/* ---- metadata.json ---- */

/* What snapshots up to one have added: deletes come with the ends of groups. */
struct totals {
    int64_t files, n_equality, position_rows, equality_rows, bytes;
};

static void put_deletes_of(struct gen_bytes *b, const struct gen_manifest *m,
                           int version) {
    gen_print(b, "\"added-delete-files\":\"%" PRId64 "\",", m->n_added);
    if (m->n_added > m->n_equality)
        gen_print(b, "\"%s\":\"%" PRId64 "\",\"added-position-deletes\":\"%" PRId64 "\",",
                  version > 2 ? "added-dvs" : "added-position-delete-files",
                  m->n_added - m->n_equality, m->position_rows);
    if (m->n_equality > 0)
        gen_print(b,
                  "\"added-equality-delete-files\":\"%" PRId64
                  "\",\"added-equality-deletes\":\"%" PRId64 "\",",
                  m->n_equality, m->equality_rows);
}

static void put_summary(struct gen_bytes *b, const struct gen_table *t, long snapshot,
                        struct totals *deleted) {
    static const struct gen_manifest none;
    long first = gen_first_file(t, snapshot), end = gen_first_file(t, snapshot + 1);
    const struct gen_manifest *m =
        gen_ends_group(t, snapshot) ? &t->deletes[gen_group_of(t, snapshot)] : &none;
    deleted->files += m->n_added;
    deleted->position_rows += m->position_rows;
    deleted->equality_rows += m->equality_rows;
    deleted->bytes += m->file_bytes;
    gen_print(
        b,
        "\"summary\":{\"operation\":\"%s\",\"spark.app.id\":\"application_%ld_%04ld\",",
        m->n_added > 0 ? "overwrite" : "append", 1704067200 + snapshot / 100, snapshot);
    if (m->n_added > 0)
        put_deletes_of(b, m, t->version);
    gen_print(
        b,
        "\"added-data-files\":\"%ld\",\"added-records\":\"%" PRId64
        "\",\"added-files-size\":\"%" PRId64 "\",\"total-records\":\"%" PRId64
        "\",\"total-files-size\":\"%" PRId64 "\",\"total-data-files\":\"%ld\","
        "\"total-delete-files\":\"%" PRId64 "\",\"total-position-deletes\":\"%" PRId64
        "\",\"total-equality-deletes\":\"%" PRId64 "\",\"engine-version\":\"3.5.5\","
        "\"app-id\":\"application_%ld_%04ld\",\"engine-name\":\"spark\","
        "\"iceberg-version\":\"Apache Iceberg 1.10.1 (commit "
        "ccb8bc435062171e64bc8b7e5f56e6aed9c5b934)\"},",
        end - first, t->rows_before[end] - t->rows_before[first],
        t->bytes_before[end] - t->bytes_before[first] + m->file_bytes,
        t->rows_before[end], t->bytes_before[end] + deleted->bytes, end, deleted->files,
        deleted->position_rows, deleted->equality_rows, 1704067200 + snapshot / 100,
        snapshot);
}

static void put_snapshots(struct gen_bytes *b, const struct gen_table *t) {
    struct totals deleted = {0};
    char name[128];
    gen_print(b, "\"snapshots\":[");
    for (long j = 0; j < t->n_snapshots; j++) {
        gen_print(b, "%s{", j > 0 ? "," : "");
        if (t->version > 1)
            gen_print(b, "\"sequence-number\":%ld,", j + 1);
        gen_print(b, "\"snapshot-id\":%" PRId64 ",", gen_snapshot_id(t, j));
        if (j > 0)
            gen_print(b, "\"parent-snapshot-id\":%" PRId64 ",",
                      gen_snapshot_id(t, j - 1));
        gen_print(b, "\"timestamp-ms\":%" PRId64 ",", gen_snapshot_ms(t, j));
        put_summary(b, t, j, &deleted);
        gen_list_name(t, name, sizeof(name), j);
        gen_print(b, "\"manifest-list\":\"%s/metadata/%s\",\"schema-id\":%d", t->location,
                  name, gen_uses_new_spec(t, j));
        if (t->version > 2)
            gen_print(b, ",\"first-row-id\":%" PRId64 ",\"added-rows\":%" PRId64,
                      t->row_id[j], t->row_id[j + 1] - t->row_id[j]);
        gen_print(b, "}");
    }
    gen_print(b, "],\"statistics\":[],\"partition-statistics\":[],\"snapshot-log\":[");
    for (long j = 0; j < t->n_snapshots; j++)
        gen_print(b, "%s{\"timestamp-ms\":%" PRId64 ",\"snapshot-id\":%" PRId64 "}",
                  j > 0 ? "," : "", gen_snapshot_ms(t, j), gen_snapshot_id(t, j));
    gen_print(b, "],\"metadata-log\":[]}");
}

static void put_schemas(struct gen_bytes *b, const struct gen_table *t, bool is_evolved) {
    if (t->version == 1) {
        gen_print(b, "\"schema\":");
        gen_put_schema(b, t, is_evolved);
        gen_print(b, ",\"partition-spec\":");
        gen_put_spec_fields(b, t, is_evolved);
        gen_print(b, ",");
    }
    gen_print(b, "\"current-schema-id\":%d,\"schemas\":[", is_evolved);
    for (int i = 0; i <= (is_evolved ? 1 : 0); i++) {
        gen_print(b, "%s", i > 0 ? "," : "");
        gen_put_schema(b, t, i > 0);
    }
    gen_print(b, "],\"default-spec-id\":%d,\"partition-specs\":[", is_evolved);
    for (int i = 0; i <= (is_evolved ? 1 : 0); i++) {
        gen_print(b, "%s{\"spec-id\":%d,\"fields\":", i > 0 ? "," : "", i);
        gen_put_spec_fields(b, t, i > 0);
        gen_print(b, "}");
    }
    gen_print(b, "],\"last-column-id\":%d,\"last-partition-id\":%d,",
              is_evolved ? GEN_COLUMNS + 1 : t->n_columns, is_evolved ? 1003 : 1002);
}

static void write_metadata(struct gen_table *t) {
    struct gen_bytes b = {0};
    char uuid[GEN_UUID], name[64], directory[GEN_PATH];
    long last = t->n_snapshots - 1;
    gen_uuid(t, uuid, 1, 0);
    gen_print(&b, "{\"format-version\":%d,\"table-uuid\":\"%s\",\"location\":\"%s\",",
              t->version, uuid, t->location);
    if (t->version > 1)
        gen_print(&b, "\"last-sequence-number\":%ld,", t->n_snapshots);
    if (t->version > 2)
        gen_print(&b, "\"next-row-id\":%" PRId64 ",", t->row_id[t->n_snapshots]);
    gen_print(&b, "\"last-updated-ms\":%" PRId64 ",", gen_snapshot_ms(t, last));
    put_schemas(&b, t, gen_uses_new_spec(t, last));
    gen_print(
        &b,
        "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],"
        "\"properties\":{\"owner\":\"etl\",\"write.parquet.compression-codec\":"
        "\"zstd\",\"write.data.path\":\"%s\"},\"current-snapshot-id\":%" PRId64 ","
        "\"refs\":{\"main\":{\"snapshot-id\":%" PRId64 ",\"type\":\"branch\"},"
        "\"first\":{\"snapshot-id\":%" PRId64 ",\"type\":\"tag\"}},",
        t->data, gen_snapshot_id(t, last), gen_snapshot_id(t, last),
        gen_snapshot_id(t, 0));
    put_snapshots(&b, t);
    snprintf(directory, sizeof(directory), "%s/metadata", t->out);
    snprintf(name, sizeof(name), "v%ld.metadata.json", t->n_snapshots);
    gen_write_file(directory, name, &b);
    t->metadata_bytes = (int64_t)b.n;
    b.n = 0;
    gen_print(&b, "%ld", t->n_snapshots);
    gen_write_file(directory, "version-hint.text", &b);
    free(b.at);
}

/* ---- the run ---- */

static void make_directories(const struct gen_table *t) {
    char path[GEN_PATH];
    snprintf(path, sizeof(path), "%s/metadata", t->out);
    if (mkdir(t->out, 0777) != 0 && errno != EEXIST)
        gen_die(t->out);
    if (mkdir(path, 0777) != 0)
        gen_die(path);
}

static void free_table(struct gen_table *t) {
    free(t->rows_before);
    free(t->bytes_before);
    free(t->row_id);
    free(t->list_bytes);
    free(t->merged);
    free(t->small);
    free(t->deletes);
}

struct request {
    struct gen_table table;
    const char *listing; /* its form; NULL: none */
    long n_orphans, n_missing;
};

static bool set_option(struct request *r, int option, const char *value) {
    enum {
        MOST_FILES = 100000000,
        MOST_SNAPSHOTS = 10000000,
        MOST_COLUMNS = 2000,
        MOST_BUCKETS = 100000
    };
    struct gen_table *t = &r->table;
    switch (option) {
    case 'n':
        return (t->n_files = number(value, MOST_FILES)) > 0;
    case 'm':
        return (t->n_manifests = number(value, MOST_SNAPSHOTS)) > 0;
    case 'k':
        return (t->n_snapshots = number(value, MOST_SNAPSHOTS)) > 0;
    case 'v':
        return (t->version = (int)number(value, 3)) > 0;
    case 'c':
        return codec_of(value, &t->codec);
    case 'l':
        t->location = value;
        return strlen(value) < GEN_PATH / 2;
    case 'd':
        t->data = value;
        return strlen(value) < GEN_PATH / 2;
    case 'w':
        t->n_columns = (int)number(value, MOST_COLUMNS);
        return t->n_columns > 0 && t->n_columns % GEN_COLUMNS == 0;
    case 'b':
        return (t->n_buckets = (int)number(value, MOST_BUCKETS)) > 0;
    case 'D':
        return (t->deletes_every = number(value, MOST_FILES)) >= 0;
    case 'E':
        return t->is_evolved = true;
    case 'J':
        return t->is_metadata_only = true;
    case 'L':
        r->listing = value;
        return strcmp(value, "tsv") == 0 || strcmp(value, "s3ls") == 0 ||
               strcmp(value, "json") == 0;
    case 'O':
        return (r->n_orphans = number(value, MOST_FILES)) >= 0;
    case 'X':
        return (r->n_missing = number(value, MOST_FILES)) >= 0;
    case 's':
        t->seed = (uint64_t)number(value, LONG_MAX);
        return number(value, LONG_MAX) >= 0;
    default:
        return false;
    }
}

/* Every snapshot and every manifest needs a file, however they are shared out. */
static bool can_be(const struct gen_table *t) {
    long least = t->n_manifests > t->n_snapshots ? 2 * t->n_manifests : t->n_snapshots;
    return t->n_files >= least && (t->n_columns == GEN_COLUMNS || !t->is_evolved);
}

int main(int argc, char **argv) {
    struct request r = {.table = {.n_files = 100000,
                                  .n_manifests = 20,
                                  .n_snapshots = 50,
                                  .version = 2,
                                  .n_columns = GEN_COLUMNS,
                                  .n_buckets = GEN_BUCKETS,
                                  .codec = GEN_DEFLATE,
                                  .seed = 1,
                                  .location = "s3://lake/warehouse/db/events"},
                        .n_orphans = 50,
                        .n_missing = 20};
    struct gen_table *t = &r.table;
    char data[GEN_PATH];
    int option;
    while ((option = getopt(argc, argv, "n:m:k:v:c:l:d:w:b:D:EJL:O:X:s:")) != -1)
        if (!set_option(&r, option, optarg))
            return usage();
    if (optind + 1 != argc || !can_be(t) ||
        (r.listing != NULL && r.n_missing > t->n_files) ||
        strlen(argv[optind]) > GEN_PATH / 2)
        return usage();
    t->out = argv[optind];
    if (t->data == NULL) {
        snprintf(data, sizeof(data), "%s/data", t->location);
        t->data = data;
    }
    make_directories(t);
    gen_layout(t);
    if (!t->is_metadata_only)
        gen_write_manifests(t);
    write_metadata(t);
    if (r.listing != NULL && !t->is_metadata_only)
        gen_write_listing(t, r.listing, r.n_orphans, r.n_missing);
    free_table(t);
    return 0;
}
