/*
 * How the files, snapshots and manifests of the generated table hang together, and the
 * names and numbers that grow from the seed.
 */
#include "gen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N_REGIONS = 8, N_CHANNELS = 4 };

static const int64_t FIRST_MS = 1704067200000; /* 2024-01-01T00:00:00Z */
static const int64_t ALL_MS =
    63072000000; /* two years, so that nothing is of the future */
static const int64_t HOUR_MS = 3600000;
static const int64_t DAY_MS = 86400000;

/* in the order of their bytes, so that the least number has the least value */
static const char *const regions[N_REGIONS] = {
    "ap-northeast-1", "ap-south-1", "eu-central-1", "eu-west-1",
    "sa-east-1",      "us-east-1",  "us-east-2",    "us-west-2"};
static const char *const channels[N_CHANNELS] = {"app", "mail", "shop", "web"};

const char *gen_region(int i) {
    return regions[i];
}

const char *gen_channel(int i) {
    return channels[i];
}

uint64_t gen_hash(const struct gen_table *t, uint64_t kind, uint64_t number) {
    return gen_mix(gen_mix(t->seed * 1000003 + kind) ^ number);
}

void gen_uuid(const struct gen_table *t, char out[GEN_UUID], uint64_t kind,
              uint64_t number) {
    uint64_t a = gen_hash(t, kind, number), b = gen_hash(t, kind + 1, number);
    snprintf(out, GEN_UUID,
             "%08" PRIx64 "-%04" PRIx64 "-4%03" PRIx64 "-a%03" PRIx64 "-%012" PRIx64,
             a >> 32, a >> 16 & 0xffff, a & 0xfff, b >> 52, b & 0xffffffffffff);
}

/* ---- who belongs to whom ---- */

long gen_first_file(const struct gen_table *t, long snapshot) {
    return snapshot * t->n_files / t->n_snapshots;
}

long gen_first_snapshot(const struct gen_table *t, long group) {
    return group * t->n_snapshots / t->n_groups;
}

long gen_first_manifest(const struct gen_table *t, long group) {
    return group * t->n_manifests / t->n_groups;
}

/* The first data file of a merged manifest of the group; of the one behind its last: its
 * end. */
long gen_manifest_file(const struct gen_table *t, long group, long manifest) {
    long first = gen_first_manifest(t, group),
         n = gen_first_manifest(t, group + 1) - first;
    long file = gen_first_file(t, gen_first_snapshot(t, group));
    long end = gen_first_file(t, gen_first_snapshot(t, group + 1));
    return file + (end - file) * (manifest - first) / n;
}

long gen_group_of(const struct gen_table *t, long snapshot) {
    long group = snapshot * t->n_groups / t->n_snapshots;
    while (gen_first_snapshot(t, group + 1) <= snapshot)
        group++;
    return group;
}

bool gen_ends_group(const struct gen_table *t, long snapshot) {
    return gen_first_snapshot(t, gen_group_of(t, snapshot) + 1) == snapshot + 1;
}

/* From a group on, so that no manifest merges files of two specs. */
bool gen_uses_new_spec(const struct gen_table *t, long snapshot) {
    return t->is_evolved && t->n_groups > 1 &&
           snapshot >= gen_first_snapshot(t, t->n_groups / 2);
}

static long snapshot_of_file(const struct gen_table *t, long number) {
    long snapshot = number * t->n_snapshots / t->n_files;
    while (gen_first_file(t, snapshot + 1) <= number)
        snapshot++;
    return snapshot;
}

/* ---- snapshots ---- */

int64_t gen_snapshot_id(const struct gen_table *t, long snapshot) {
    return (int64_t)(gen_hash(t, 10, (uint64_t)snapshot) >> 1);
}

int64_t gen_snapshot_ms(const struct gen_table *t, long snapshot) {
    int64_t step = ALL_MS / t->n_snapshots;
    if (step > HOUR_MS)
        step = HOUR_MS;
    uint64_t jitter = gen_hash(t, 11, (uint64_t)snapshot) % (uint64_t)(step / 6 + 1);
    return FIRST_MS + snapshot * step + (int64_t)jitter;
}

void gen_list_name(const struct gen_table *t, char *out, size_t size, long snapshot) {
    char uuid[GEN_UUID];
    gen_uuid(t, uuid, 50, (uint64_t)snapshot);
    snprintf(out, size, "snap-%" PRId64 "-1-%s.avro", gen_snapshot_id(t, snapshot), uuid);
}

/* ---- files ---- */

static int64_t file_rows(uint64_t hash) {
    return 50000 + (int64_t)(gen_mix(hash ^ 3) % 1150000);
}

static int64_t file_bytes(uint64_t hash) {
    return 20000000 + (int64_t)(gen_mix(hash ^ 7) % 120000000);
}

struct gen_file gen_file_of(const struct gen_table *t, long number) {
    struct gen_file file = {.number = number, .snapshot = snapshot_of_file(t, number)};
    long first = gen_first_file(t, file.snapshot);
    long n = gen_first_file(t, file.snapshot + 1) - first;
    int part = (int)((number - first) * N_REGIONS * t->n_buckets / n);
    file.hash = gen_hash(t, 20, (uint64_t)number);
    file.is_evolved = gen_uses_new_spec(t, file.snapshot);
    file.partition[0] = part / t->n_buckets;
    file.partition[1] = (int)(gen_snapshot_ms(t, file.snapshot) / DAY_MS);
    file.partition[2] = part % t->n_buckets;
    file.partition[3] = (int)(file.hash % N_CHANNELS);
    file.rows = file_rows(file.hash);
    file.bytes = file_bytes(file.hash);
    return file;
}

void gen_file_path(const struct gen_table *t, char out[GEN_PATH],
                   const struct gen_file *file, uint64_t writer, const char *suffix) {
    char uuid[GEN_UUID], day[16], channel[32] = "";
    time_t seconds = (time_t)file->partition[1] * 86400;
    struct tm parts;
    long task = (file->number - gen_first_file(t, file->snapshot)) / 4;
    gmtime_r(&seconds, &parts);
    strftime(day, sizeof(day), "%Y-%m-%d", &parts);
    if (file->is_evolved)
        snprintf(channel, sizeof(channel), "/channel=%s",
                 gen_channel(file->partition[3]));
    gen_uuid(t, uuid, writer, (uint64_t)file->snapshot);
    int n = snprintf(
        out, GEN_PATH,
        "%s/region=%s/event_ts_day=%s/user_id_bucket=%d%s/%05ld-%ld-%s-0-%05ld"
        "%s.parquet",
        t->data, gen_region(file->partition[0]), day, file->partition[2], channel, task,
        file->snapshot * 200 + task, uuid, file->number + 1, suffix);
    if (n >= GEN_PATH)
        gen_die("the data prefix is too long");
}

bool gen_has_position_deletes(const struct gen_table *t, const struct gen_file *file) {
    return t->deletes_every > 0 && t->version > 1 &&
           gen_mix(file->hash ^ 11) % (uint64_t)t->deletes_every == 0;
}

/* They reach files of earlier snapshots alone, and the end of a group writes them. */
bool gen_has_equality_deletes(const struct gen_table *t, const struct gen_file *file) {
    return t->deletes_every > 0 && t->version > 1 && !gen_ends_group(t, file->snapshot) &&
           gen_mix(file->hash ^ 13) % (uint64_t)t->deletes_every == 0;
}

void gen_puffin_path(const struct gen_table *t, char out[GEN_PATH], long group) {
    char uuid[GEN_UUID];
    gen_uuid(t, uuid, 62, (uint64_t)group);
    if (snprintf(out, GEN_PATH, "%s/%s-deletes.puffin", t->data, uuid) >= GEN_PATH)
        gen_die("the data prefix is too long");
}

int64_t gen_delete_bytes(const struct gen_file *file, bool is_equality) {
    return 20000 + (int64_t)(gen_mix(file->hash ^ (is_equality ? 17 : 19)) % 9000);
}

/* spec: #first-row-id-assignment: a new manifest takes ids for its added and existing
 * rows. */
static void assign_row_ids(struct gen_table *t) {
    for (long j = 0; j < t->n_snapshots; j++) {
        long from = gen_ends_group(t, j) ? gen_first_snapshot(t, gen_group_of(t, j)) : j;
        t->row_id[j + 1] = t->row_id[j] + t->rows_before[gen_first_file(t, j + 1)] -
                           t->rows_before[gen_first_file(t, from)];
    }
}

void gen_layout(struct gen_table *t) {
    t->n_groups = t->n_manifests < t->n_snapshots ? t->n_manifests : t->n_snapshots;
    t->rows_before = gen_alloc((size_t)t->n_files + 1, sizeof(*t->rows_before));
    t->bytes_before = gen_alloc((size_t)t->n_files + 1, sizeof(*t->bytes_before));
    t->row_id = gen_alloc((size_t)t->n_snapshots + 1, sizeof(*t->row_id));
    t->list_bytes = gen_alloc((size_t)t->n_snapshots, sizeof(*t->list_bytes));
    t->merged = gen_alloc((size_t)t->n_manifests, sizeof(*t->merged));
    t->small = gen_alloc((size_t)t->n_snapshots, sizeof(*t->small));
    t->deletes = gen_alloc((size_t)t->n_groups, sizeof(*t->deletes));
    for (long i = 0; i < t->n_files; i++) {
        uint64_t hash = gen_hash(t, 20, (uint64_t)i);
        t->rows_before[i + 1] = t->rows_before[i] + file_rows(hash);
        t->bytes_before[i + 1] = t->bytes_before[i] + file_bytes(hash);
    }
    assign_row_ids(t);
}
