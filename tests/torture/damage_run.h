/*
 * One table of the damage campaign: its files, and what a check says of it with one or
 * two of them damaged.
 */
#ifndef ICE_TEST_DAMAGE_RUN_H
#define ICE_TEST_DAMAGE_RUN_H

#include "torture/damage_edit.h"
#include "torture/damage_fields.h"
#include "torture/table_files.h"

enum damage_file_kind { FILE_METADATA, FILE_HINT, FILE_LIST, FILE_MANIFEST, FILE_KINDS };

enum damage_class {
    CLASS_SAME,         /* the damage changed no byte: not counted as a run */
    CLASS_REPORTED,     /* error, warning or exit bit 2 that the whole table lacks */
    CLASS_NOTED,        /* only findings of level info are new */
    CLASS_HARMLESS,     /* a reader gets the same */
    CLASS_UNREAD,       /* ... but for what no reader looks at, by the list of fields */
    CLASS_UNDETECTABLE, /* it gets something else, and nothing contradicts it */
    CLASS_COUNT
};

/* A file that a check reads. */
struct damage_subject {
    enum damage_file_kind kind;
    size_t index; /* in table->files.files */
    struct damage_file file;
    json_t *model;
    uint64_t n_cases;
};

struct damage_table {
    const char *name;
    struct table_files files;
    struct damage_subject *subjects;
    size_t n_subjects, n_unread;
    struct damage_pair {
        size_t a, b; /* subjects of one kind */
    } * pairs;
    size_t n_pairs;
    uint64_t n_cases;
    uint64_t *known; /* hashes of the findings of the whole table */
    size_t n_known;
    int exit_code;
    char *room[2];
};

/* Loads DIRECTORY/name; ends the program where that is no good. */
void damage_table_open(struct damage_table *table, const char *directory,
                       const char *name);
void damage_table_free(struct damage_table *table);

/* A case by its number within the table. */
struct damage_case {
    const struct damage_subject *subject, *other; /* other: of DAMAGE_FILES_SWAP */
    struct damage damage;
};
struct damage_case damage_case_of(const struct damage_table *table, uint64_t number);

struct damage_result {
    enum damage_class class;
    uint64_t leaked;
};
/* note is called for every field of an undetectable case; UNREAD is the caller's to tell.
 * verbose: findings to stdout. */
struct damage_result damage_case_run(struct damage_table *table,
                                     const struct damage_case *it, bool verbose,
                                     damage_note_fn note, void *user);

const char *damage_file_kind_name(enum damage_file_kind kind);

#endif
