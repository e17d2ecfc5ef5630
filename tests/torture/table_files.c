/*
 * Reading a tree of small files.
 */
#include "torture/table_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILES = 256, MAX_PATH = 1024 };

static void give_up(const char *path) {
    perror(path);
    exit(2);
}

struct ice_str table_file_read(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        give_up(path);
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size)
        give_up(path);
    fclose(file);
    bytes[size] = '\0';
    return (struct ice_str){bytes, (size_t)size};
}

static void add_file(struct table_files *table, const char *path, const char *key) {
    if (table->n == MAX_FILES)
        give_up("too many files");
    char *copy = strdup(key);
    table->files[table->n++] =
        (struct ice_memory_file){{copy, strlen(key)}, table_file_read(path)};
}

static void add_directory(struct table_files *table, const char *root,
                          const char *below) {
    char path[2 * MAX_PATH + 2], key[MAX_PATH];
    (void)snprintf(path, sizeof(path), "%s%s%s", root, below[0] ? "/" : "", below);
    DIR *directory = opendir(path);
    if (directory == NULL)
        give_up(path);
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        struct stat info;
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(key, sizeof(key), "%s%s%s", below, below[0] ? "/" : "",
                       entry->d_name);
        (void)snprintf(path, sizeof(path), "%s/%s", root, key);
        if (stat(path, &info) != 0)
            give_up(path);
        if (S_ISDIR(info.st_mode))
            add_directory(table, root, key);
        else
            add_file(table, path, key);
    }
    closedir(directory);
}

struct table_files table_files_load(const char *directory) {
    struct table_files table = {.files = calloc(MAX_FILES, sizeof(*table.files))};
    if (table.files == NULL)
        give_up(directory);
    add_directory(&table, directory, "");
    return table;
}

void table_files_free(struct table_files *table) {
    for (size_t i = 0; i < table->n; i++) {
        free((void *)(uintptr_t)table->files[i].key.data);
        free((void *)(uintptr_t)table->files[i].bytes.data);
    }
    free(table->files);
    *table = (struct table_files){0};
}
