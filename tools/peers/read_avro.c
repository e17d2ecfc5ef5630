/*
 * Avro C, which knows nothing of Iceberg: a file that names manifests, one a line; their
 * entries, every value of each looked at.
 */
#include <avro.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 4096 };

/* Recursive: the manifests are our own generator's. */
static size_t look_at(avro_value_t *value) {
    avro_value_t inner;
    const char *text;
    const void *bytes;
    size_t n = 0, sum = 0;
    switch (avro_value_get_type(value)) {
    case AVRO_RECORD:
    case AVRO_ARRAY:
    case AVRO_MAP:
        avro_value_get_size(value, &n);
        for (size_t i = 0; i < n; i++)
            if (avro_value_get_by_index(value, i, &inner, NULL) == 0)
                sum += look_at(&inner);
        return sum;
    case AVRO_UNION:
        return avro_value_get_current_branch(value, &inner) == 0 ? look_at(&inner) : 0;
    case AVRO_STRING:
        return avro_value_get_string(value, &text, &n) == 0 ? n : 0;
    case AVRO_BYTES:
        return avro_value_get_bytes(value, &bytes, &n) == 0 ? n : 0;
    default:
        return 1;
    }
}

static int read_manifest(const char *path, unsigned long *n_entries, size_t *sum) {
    avro_file_reader_t file;
    avro_value_t entry;
    if (avro_file_reader(path, &file) != 0) {
        fprintf(stderr, "%s: %s\n", path, avro_strerror());
        return 1;
    }
    avro_schema_t schema = avro_file_reader_get_writer_schema(file);
    avro_value_iface_t *type = avro_generic_class_from_schema(schema);
    avro_generic_value_new(type, &entry);
    while (avro_file_reader_read_value(file, &entry) == 0) {
        ++*n_entries;
        *sum += look_at(&entry);
    }
    avro_value_decref(&entry);
    avro_value_iface_decref(type);
    avro_schema_decref(schema);
    return avro_file_reader_close(file) != 0;
}

int main(int argc, char **argv) {
    char line[LINE_BYTES];
    unsigned long n_entries = 0;
    size_t sum = 0;
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (list == NULL)
        return 2;
    while (fgets(line, sizeof(line), list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (read_manifest(line, &n_entries, &sum) != 0)
            return 1;
    }
    fclose(list);
    printf("%lu %zu\n", n_entries, sum);
    return 0;
}
