/*
 * avroc_diff PATH...: every Avro file named, or below a directory named, decoded by us
 * and by Avro C, compared record by record as JSON text.
 *
 * Avro C only sees files that we read without a fault, in a child process with limits on
 * time, memory and output, since it hangs and dies of some that it should refuse. What it
 * cannot read, and files that were not compared, are listed. Exit 0: all that was
 * compared is equal.
 */
#include "avro/avro_json.h"
#include "base/error.h"

#include <avro.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CHILD_SECONDS = 20,
    CHILD_MEMORY = 1 << 30,
    MOST_BYTES = 256 << 20, /* of a file, and of its JSON */
    DESCRIPTORS = 16,
};

/* exit codes of the child */
enum { CHILD_OK = 0, CHILD_REFUSED = 3 };

static struct { unsigned long n_equal, n_records, n_skipped, n_different; } totals;

static void skip(const char *path, const char *why) {
    printf("skipped  %s: %s\n", path, why);
    totals.n_skipped++;
}

/* ---- ours ---- */

static enum ice_status to_file(const char *data, size_t size, void *user) {
    return fwrite(data, 1, size, user) == size ? ICE_OK : ICE_EIO;
}

/* All records of an open file; ICE_DONE if none has a fault. */
static enum ice_status print_ours(struct ice_avro_file *file, FILE *out,
                                  unsigned long *n_records, struct ice_error *err) {
    struct ice_str text = {0};
    const struct ice_avro_schema *schema;
    (void)ice_avro_header(file, "avro.schema", &text);
    ICE_TRY(
        ice_avro_schema_parse(text, file->run, &file->arena, NULL, &schema, NULL, err));
    struct ice_json_writer writer;
    struct ice_avro_json json;
    ice_jw_init(&writer, to_file, out, 0);
    ice_avro_json_init(&json, file, schema);
    enum ice_status status;
    while ((status = ice_avro_json_next(&json, &writer, err)) == ICE_OK) {
        ice_jw_newline(&writer);
        ++*n_records;
    }
    ICE_TRY(ice_jw_finish(&writer));
    return status;
}

/* ---- Avro C's, in the child ---- */

static int print_theirs(struct ice_json_writer *w, const avro_value_t *value);

static int print_items(struct ice_json_writer *w, const avro_value_t *value,
                       bool has_keys) {
    size_t n = 0;
    int rc = avro_value_get_size(value, &n);
    for (size_t i = 0; i < n && rc == 0; i++) {
        avro_value_t item;
        const char *key = NULL;
        rc = avro_value_get_by_index(value, i, &item, &key);
        if (rc != 0)
            return rc;
        if (has_keys)
            ice_jw_key(w, key);
        rc = print_theirs(w, &item);
    }
    return rc;
}

static int print_hex(struct ice_json_writer *w, const avro_value_t *value,
                     bool is_fixed) {
    const void *bytes = NULL;
    size_t size = 0;
    const int rc = is_fixed ? avro_value_get_fixed(value, &bytes, &size)
                            : avro_value_get_bytes(value, &bytes, &size);
    ice_jw_object(w);
    ice_jw_key(w, "hex");
    ice_jw_hex(w, ice_str_make(bytes, size));
    ice_jw_object_end(w);
    return rc;
}

static int print_text(struct ice_json_writer *w, const avro_value_t *value) {
    const char *text = NULL;
    size_t size = 0; /* with its NUL */
    const int rc = avro_value_get_string(value, &text, &size);
    if (rc == 0)
        ice_jw_str(w, ice_str_make(text, size - 1));
    return rc;
}

static int print_number(struct ice_json_writer *w, const avro_value_t *value) {
    int32_t narrow = 0;
    int64_t wide = 0;
    float real = 0;
    double precise = 0;
    int flag = 0, rc;
    switch (avro_value_get_type(value)) {
    case AVRO_INT32:
        rc = avro_value_get_int(value, &narrow);
        ice_jw_i64(w, narrow);
        return rc;
    case AVRO_INT64:
        rc = avro_value_get_long(value, &wide);
        ice_jw_i64(w, wide);
        return rc;
    case AVRO_FLOAT:
        rc = avro_value_get_float(value, &real);
        ice_jw_f64(w, (double)real);
        return rc;
    case AVRO_DOUBLE:
        rc = avro_value_get_double(value, &precise);
        ice_jw_f64(w, precise);
        return rc;
    default:
        rc = avro_value_get_boolean(value, &flag);
        ice_jw_bool(w, flag != 0);
        return rc;
    }
}

static int print_enum(struct ice_json_writer *w, const avro_value_t *value) {
    int symbol = 0;
    const int rc = avro_value_get_enum(value, &symbol);
    ice_jw_text(w, avro_schema_enum_get(avro_value_get_schema(value), symbol));
    return rc;
}

/* Recursion: the file was read by us, so its depth is within our limit. */
static int print_theirs(struct ice_json_writer *w, const avro_value_t *value) {
    int rc;
    avro_value_t branch;
    switch (avro_value_get_type(value)) {
    case AVRO_NULL:
        ice_jw_null(w);
        return 0;
    case AVRO_STRING:
        return print_text(w, value);
    case AVRO_BYTES:
        return print_hex(w, value, false);
    case AVRO_FIXED:
        return print_hex(w, value, true);
    case AVRO_ENUM:
        return print_enum(w, value);
    case AVRO_UNION:
        rc = avro_value_get_current_branch(value, &branch);
        return rc == 0 ? print_theirs(w, &branch) : rc;
    case AVRO_ARRAY:
        ice_jw_array(w);
        rc = print_items(w, value, false);
        ice_jw_array_end(w);
        return rc;
    case AVRO_RECORD:
    case AVRO_MAP:
        ice_jw_object(w);
        rc = print_items(w, value, true);
        ice_jw_object_end(w);
        return rc;
    default:
        return print_number(w, value);
    }
}

static int child(const char *path, FILE *out) {
    avro_file_reader_t reader;
    if (avro_file_reader(path, &reader) != 0) {
        fprintf(stderr, "%s\n", avro_strerror());
        return CHILD_REFUSED;
    }
    avro_schema_t schema = avro_file_reader_get_writer_schema(reader);
    avro_value_iface_t *iface = avro_generic_class_from_schema(schema);
    avro_value_t value;
    if (iface == NULL || avro_generic_value_new(iface, &value) != 0)
        return CHILD_REFUSED;
    struct ice_json_writer writer;
    ice_jw_init(&writer, to_file, out, 0);
    int rc;
    while ((rc = avro_file_reader_read_value(reader, &value)) == 0) {
        rc = print_theirs(&writer, &value);
        if (rc != 0)
            break;
        ice_jw_newline(&writer);
        avro_value_reset(&value);
    }
    if (ice_jw_finish(&writer) != ICE_OK || fflush(out) != 0 || rc != EOF) {
        fprintf(stderr, "%s\n", avro_strerror());
        return CHILD_REFUSED;
    }
    return CHILD_OK;
}

static void limit_child(void) {
    const struct rlimit seconds = {CHILD_SECONDS, CHILD_SECONDS};
    const struct rlimit output = {MOST_BYTES, MOST_BYTES};
    const struct rlimit core = {0, 0};
    (void)setrlimit(RLIMIT_CPU, &seconds);
    (void)setrlimit(RLIMIT_FSIZE, &output);
    (void)setrlimit(RLIMIT_CORE, &core);
#ifndef __SANITIZE_ADDRESS__ /* its shadow alone is larger */
    const struct rlimit memory = {CHILD_MEMORY, CHILD_MEMORY};
    (void)setrlimit(RLIMIT_AS, &memory);
#endif
    (void)alarm(CHILD_SECONDS);
}

/* What the child's end means, for the list of skipped files; NULL: it read all. */
static const char *run_child(const char *path, FILE *out) {
    static char why[64];
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0)
        return "no child process";
    if (pid == 0) {
        limit_child();
        _exit(child(path, out));
    }
    int state = 0;
    if (waitpid(pid, &state, 0) != pid)
        return "lost child process";
    if (WIFSIGNALED(state)) {
        (void)snprintf(why, sizeof(why), "Avro C dies of it: signal %d", WTERMSIG(state));
        return why;
    }
    return WEXITSTATUS(state) == CHILD_OK ? NULL : "Avro C refuses it";
}

/* ---- comparing ---- */

/* The first record that differs, from 0; -1 if all are equal. */
static long first_difference(FILE *ours, FILE *theirs) {
    char *a = NULL, *b = NULL;
    size_t a_size = 0, b_size = 0;
    long record = 0, found = -1;
    rewind(ours);
    rewind(theirs);
    for (;; record++) {
        const ssize_t na = getline(&a, &a_size, ours), nb = getline(&b, &b_size, theirs);
        if (na < 0 && nb < 0)
            break;
        if (na != nb || memcmp(a, b, (size_t)na) != 0) {
            printf("  record %ld\n  ours   %.400s\n  Avro C %.400s\n", record,
                   na < 0 ? "(none)" : a, nb < 0 ? "(none)" : b);
            found = record;
            break;
        }
    }
    free(a);
    free(b);
    return found;
}

static void compare(const char *path, FILE *ours, FILE *theirs, unsigned long n_records) {
    const char *why = run_child(path, theirs);
    if (why != NULL) {
        skip(path, why);
        return;
    }
    if (first_difference(ours, theirs) >= 0) {
        printf("DIFFERS  %s\n", path);
        totals.n_different++;
        return;
    }
    totals.n_equal++;
    totals.n_records += n_records;
}

static void compare_bytes(const char *path, struct ice_str bytes, FILE *ours,
                          FILE *theirs) {
    struct ice_run run;
    struct ice_stream stream;
    struct ice_avro_file file;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    unsigned long n_records = 0;
    ice_run_init(&run, NULL);
    ice_stream_init_memory(&stream, &run, bytes);
    enum ice_status status = ice_avro_open(&file, &run, &stream, &err);
    const bool is_zstd = status == ICE_OK && file.codec == ICE_CODEC_ZSTANDARD;
    if (status == ICE_OK)
        status = print_ours(&file, ours, &n_records, &err);
    ice_avro_release(&file);
    ice_stream_release(&stream);
    if (status < 0)
        skip(path, err.message);
    else if (is_zstd)
        skip(path, "zstandard, which this Avro C does not have");
    else
        compare(path, ours, theirs, n_records);
}

static int compare_file(const char *path) {
    FILE *in = fopen(path, "rb"), *ours = tmpfile(), *theirs = tmpfile();
    struct stat found;
    if (in == NULL || fstat(fileno(in), &found) != 0 || found.st_size > MOST_BYTES) {
        fprintf(stderr, "avroc_diff: cannot read %s\n", path);
        return 1;
    }
    char *bytes = malloc((size_t)found.st_size + 1);
    if (ours == NULL || theirs == NULL || bytes == NULL) {
        fprintf(stderr, "avroc_diff: cannot read %s\n", path);
        return 1;
    }
    const size_t size = fread(bytes, 1, (size_t)found.st_size, in);
    compare_bytes(path, ice_str_make(bytes, size), ours, theirs);
    free(bytes);
    (void)fclose(in);
    (void)fclose(ours);
    (void)fclose(theirs);
    return 0;
}

static int visit(const char *path, const struct stat *found, int kind,
                 struct FTW *place) {
    (void)found;
    (void)place;
    const struct ice_str name = ice_str_from(path);
    return kind == FTW_F && ice_str_ends(name, ICE_STR(".avro")) ? compare_file(path) : 0;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], visit, DESCRIPTORS, FTW_PHYS) != 0)
            return 2;
    printf("%lu files with %lu records are equal, %lu differ, %lu were not compared\n",
           totals.n_equal, totals.n_records, totals.n_different, totals.n_skipped);
    if (totals.n_different > 0)
        return 1;
    return totals.n_equal > 0 ? 0 : 2; /* nothing compared is nothing tested */
}
