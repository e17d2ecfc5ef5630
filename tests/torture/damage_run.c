/*
 * Checks of a damaged table, in process and in memory.
 */
#include "torture/damage_run.h"

#include "support/failing.h"

#include <stdio.h>

enum { MOST_KNOWN = 4096 };

const char *damage_file_kind_name(enum damage_file_kind kind) {
    static const char *const names[] = {"metadata", "hint", "list", "manifest"};
    return names[kind];
}

static void *must(void *memory) {
    if (memory == NULL) {
        fprintf(stderr, "damage: out of memory\n");
        exit(2);
    }
    return memory;
}

/* ---- one check ---- */

static uint64_t mix(uint64_t hash, struct ice_str text) {
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

/* Rule and place: its words may change with the file. */
static uint64_t hash_of(const struct ice_finding *finding) {
    struct ice_str rule = {finding->rule->name, strlen(finding->rule->name)};
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), rule);
    return mix(mix(hash, finding->at.file), finding->at.pointer);
}

struct verdict {
    struct damage_table *table;
    bool learns; /* of the whole table */
    bool verbose, is_new, is_noted;
    int exit_code;
    enum ice_status status;
    uint64_t leaked;
};

static bool is_known(const struct damage_table *table, uint64_t hash) {
    for (size_t i = 0; i < table->n_known; i++)
        if (table->known[i] == hash)
            return true;
    return false;
}

static enum ice_status note_finding(const struct ice_finding *finding, void *user) {
    struct verdict *verdict = user;
    struct damage_table *table = verdict->table;
    if (verdict->verbose)
        printf("  %s %s %.*s %.*s: %.*s\n", ice_severity_name(finding->severity),
               finding->rule->name, (int)finding->at.file.size, finding->at.file.data,
               (int)finding->at.pointer.size,
               finding->at.pointer.data ? finding->at.pointer.data : "",
               (int)finding->message.size, finding->message.data);
    uint64_t hash = hash_of(finding);
    if (verdict->learns && table->n_known < MOST_KNOWN)
        table->known[table->n_known++] = hash;
    else if (is_known(table, hash))
        return ICE_OK;
    else if (finding->severity >= ICE_WARN)
        verdict->is_new = true;
    else
        verdict->is_noted = true;
    return ICE_OK;
}

static void check(struct damage_table *table, struct verdict *verdict) {
    struct failing failing = {0};
    struct ice_allocator allocator = failing_allocator(&failing);
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_source *source = NULL;
    struct ice_summary *summary = NULL;
    verdict->table = table;
    options.allocator = &allocator;
    options.has_now = true;
    options.now_ms = INT64_C(1798675200000); /* 2026-12-31: after all of them were made */
    options.hash_seed = 1;
    options.jobs = 1;
    verdict->status = ice_source_open_memory(&source, table->files.files, table->files.n,
                                             &allocator, NULL);
    if (verdict->status >= 0)
        verdict->status =
            ice_check_table(source, "", &options, note_finding, verdict, &summary, NULL);
    if (summary != NULL)
        verdict->exit_code = summary->exit_code;
    ice_summary_free(summary);
    ice_source_free(source);
    verdict->leaked = failing.used;
}

static bool is_reported(const struct damage_table *table, const struct verdict *verdict) {
    return verdict->status < 0 || verdict->is_new ||
           (verdict->exit_code & ~table->exit_code & 2) != 0;
}

/* ---- the table ---- */

static struct ice_memory_file *file_of(const struct damage_table *table,
                                       const struct damage_subject *subject) {
    return &table->files.files[subject->index];
}

static bool holds(struct ice_str bytes, const char *text) {
    return memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}

static bool ends_with(struct ice_str key, const char *end) {
    size_t n = strlen(end);
    return key.size >= n && memcmp(key.data + key.size - n, end, n) == 0;
}

static enum damage_file_kind kind_of(const struct ice_memory_file *file) {
    if (ends_with(file->key, ".avro"))
        return holds(file->bytes, "manifest_path") ? FILE_LIST : FILE_MANIFEST;
    return ends_with(file->key, ".json") ? FILE_METADATA : FILE_HINT;
}

/* A check reads it if it sees that other bytes stand there. */
static bool is_read(struct damage_table *table, size_t index) {
    struct ice_memory_file *file = &table->files.files[index];
    const struct ice_str bytes = file->bytes;
    struct verdict verdict = {0};
    file->bytes = (struct ice_str){"\1\2\3", 3};
    check(table, &verdict);
    file->bytes = bytes;
    return is_reported(table, &verdict);
}

static void find_subjects(struct damage_table *table) {
    size_t room = 1;
    table->subjects = must(calloc(table->files.n, sizeof(*table->subjects)));
    for (size_t i = 0; i < table->files.n; i++) {
        if (!is_read(table, i)) {
            table->n_unread++;
            continue;
        }
        struct damage_subject *subject = &table->subjects[table->n_subjects++];
        uint64_t leaked = 0;
        subject->index = i;
        subject->kind = kind_of(&table->files.files[i]);
        damage_file_open(&subject->file, table->files.files[i].bytes);
        subject->model = damage_model(table->files.files[i].bytes, &leaked);
        subject->n_cases = damage_count(&subject->file);
        table->n_cases += subject->n_cases;
        if (room < damage_room(&subject->file))
            room = damage_room(&subject->file);
    }
    for (size_t i = 0; i < 2; i++)
        table->room[i] = must(malloc(room));
}

static void find_pairs(struct damage_table *table) {
    const size_t n = table->n_subjects;
    table->pairs = must(calloc(n * n + 1, sizeof(*table->pairs)));
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            if (table->subjects[a].kind == table->subjects[b].kind)
                table->pairs[table->n_pairs++] = (struct damage_pair){a, b};
    table->n_cases += table->n_pairs;
}

void damage_table_open(struct damage_table *table, const char *directory,
                       const char *name) {
    char path[1024];
    (void)snprintf(path, sizeof(path), "%s/%s", directory, name);
    *table = (struct damage_table){.name = name, .files = table_files_load(path)};
    table->known = must(calloc(MOST_KNOWN, sizeof(*table->known)));
    struct verdict verdict = {.learns = true};
    check(table, &verdict);
    if (verdict.status < 0 || (verdict.exit_code & 2) != 0) {
        fprintf(stderr, "damage: %s cannot be checked as it is\n", path);
        exit(2);
    }
    table->exit_code = verdict.exit_code;
    find_subjects(table);
    find_pairs(table);
}

void damage_table_free(struct damage_table *table) {
    for (size_t i = 0; i < table->n_subjects; i++)
        json_decref(table->subjects[i].model);
    free(table->subjects);
    free(table->pairs);
    free(table->known);
    free(table->room[0]);
    free(table->room[1]);
    table_files_free(&table->files);
}

/* ---- one case ---- */

struct damage_case damage_case_of(const struct damage_table *table, uint64_t number) {
    for (size_t i = 0; i < table->n_subjects; i++) {
        const struct damage_subject *subject = &table->subjects[i];
        if (number < subject->n_cases)
            return (struct damage_case){.subject = subject,
                                        .damage = damage_at(&subject->file, number)};
        number -= subject->n_cases;
    }
    const struct damage_pair *pair = &table->pairs[number];
    return (struct damage_case){.subject = &table->subjects[pair->a],
                                .other = &table->subjects[pair->b],
                                .damage = {.kind = DAMAGE_FILES_SWAP}};
}

/* Does a reader of the file get something else than before? */
static bool differs(const struct damage_subject *subject, struct ice_str bytes,
                    uint64_t *leaked, damage_note_fn note, void *user) {
    json_t *model = damage_model(bytes, leaked);
    bool same = model != NULL && json_equal(model, subject->model);
    if (!same)
        damage_compare(damage_file_kind_name(subject->kind), subject->model, model, note,
                       user);
    json_decref(model);
    return !same;
}

struct damage_result damage_case_run(struct damage_table *table,
                                     const struct damage_case *it, bool verbose,
                                     damage_note_fn note, void *user) {
    struct ice_memory_file *file = file_of(table, it->subject);
    struct ice_memory_file *other = it->other ? file_of(table, it->other) : NULL;
    const struct ice_str whole = file->bytes;
    struct damage_result result = {.class = CLASS_SAME};
    struct verdict verdict = {.verbose = verbose};
    bool same = false;
    if (other != NULL) {
        same = memcmp(other->bytes.data, whole.data, whole.size) == 0;
        file->bytes = other->bytes;
        other->bytes = whole;
    } else {
        size_t n = damage_make(&it->subject->file, &it->damage, table->room[0], &same);
        file->bytes = (struct ice_str){table->room[0], n};
    }
    if (!same) {
        check(table, &verdict);
        result.leaked = verdict.leaked;
        result.class = is_reported(table, &verdict) ? CLASS_REPORTED : CLASS_NOTED;
        if (result.class == CLASS_NOTED && !verdict.is_noted) {
            bool is_other = differs(it->subject, file->bytes, &result.leaked, note, user);
            if (other != NULL)
                is_other |= differs(it->other, other->bytes, &result.leaked, note, user);
            result.class = is_other ? CLASS_UNDETECTABLE : CLASS_HARMLESS;
        }
    }
    if (other != NULL)
        other->bytes = file->bytes;
    file->bytes = whole;
    return result;
}
