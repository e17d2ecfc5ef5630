/*
 * The story of a table, from all metadata files of its directory: which files there were,
 * and which commits each of them brought.
 *
 *   history_story.c    gathers it, one document beside the one that came after it
 *   history_changes.c  what a document changed without a snapshot, in words
 *   history.c          puts it in order: one row a commit
 *
 * Kept are some 250 bytes a commit and 150 a file, never a document.
 */
#ifndef ICE_ANSWER_HISTORY_STORY_H
#define ICE_ANSWER_HISTORY_STORY_H

#include "answer/table_reader.h"
#include "check/history.h"

enum ice_story_state {
    ICE_STORY_READ,
    ICE_STORY_ABSENT, /* a log names it, the directory has it not */
    ICE_STORY_UNREAD,
};

/* Beside the chain of the current file. */
enum ice_story_side {
    ICE_SIDE_NONE,  /* of the chain */
    ICE_SIDE_NEWER, /* it continues the current file */
    ICE_SIDE_FORK,  /* of another line, or it cannot be read */
    ICE_SIDE_OTHER_TABLE,
    ICE_SIDE_OLDER,  /* it came before the current file, by its snapshots */
    ICE_SIDE_UNTOLD, /* by its number it came later; whether it continues the current file
                        is not known */
    ICE_SIDE_BRANCH, /* another branch of the catalog may hold it */
};

struct ice_story_file {
    struct ice_str name;
    size_t index;    /* beside the chain: of the target's names */
    size_t n_ahead;  /* NEWER: commits since the current file */
    int64_t version; /* -1: its name has none */
    int64_t time_ms;
    bool has_time;
    enum ice_story_state state;
    enum ice_story_side side;
    bool is_current;
    enum ice_history_move move; /* of main, since the file before */
    struct ice_str changes;     /* beside new snapshots */
    struct ice_str since;       /* the file that changes and move compare with, if it is
                                   not the one before */
    int64_t gap_from,
        gap_to; /* versions before it that no log and no file has; or 0, -1 */
    size_t n_commits;
};

enum ice_story_number {
    ICE_STORY_ADDED_DATA_FILES,
    ICE_STORY_DELETED_DATA_FILES,
    ICE_STORY_ADDED_DELETE_FILES,
    ICE_STORY_REMOVED_DELETE_FILES,
    ICE_STORY_ADDED_RECORDS,
    ICE_STORY_DELETED_RECORDS,
    ICE_STORY_TOTAL_RECORDS,
    ICE_STORY_TOTAL_DATA_FILES,
    ICE_STORY_TOTAL_FILES_SIZE,
    ICE_STORY_NUMBERS
};

struct ice_story_commit {
    int64_t id, parent, time_ms, sequence;
    bool has_parent, has_time;
    bool is_kept;         /* the current file has it */
    bool is_main;         /* the current snapshot or an ancestor of it */
    bool is_referenced;   /* likewise of any ref */
    bool is_beside;       /* no file of the chain has it */
    size_t file;          /* that brought it; SIZE_MAX: not known */
    unsigned has_numbers; /* 1 << enum ice_story_number */
    int64_t numbers[ICE_STORY_NUMBERS];
    struct ice_str operation, writer;
};

struct ice_story {
    struct ice_table_reader *reader;
    struct ice_arena arena;
    struct ice_buf text;          /* scratch */
    struct ice_story_file *files; /* of the chain, newest first; then those beside it */
    size_t n_files, cap_files, n_chain;
    struct ice_story_commit *commits;
    size_t n_commits, cap_commits;
    struct ice_table commits_by_id;
    /* files that logs name and that are not here: of the log of the current one, which
     * lacks them; and of older ones, from which writers take them on purpose */
    uint64_t n_absent, n_trimmed;
    struct ice_str first_absent, first_trimmed;
    struct ice_table current_log; /* by hash of the base name */
    /* log of the oldest file that was read: what it names came before */
    struct ice_arena pending;
    struct ice_metadata_log_entry *log;
    size_t n_log;
    bool is_chain_whole;
};

/* Does the log of the current file name it? By its base name. */
bool ice_story_logs(const struct ice_story *story, struct ice_str name);

/* The metadata file of reader was read whole; want_summaries was set. */
enum ice_status ice_story_gather(struct ice_story *story, struct ice_table_reader *reader,
                                 struct ice_error *err) ICE_MUST_USE;
void ice_story_release(struct ice_story *story); /* safe on all-zero */
/* The commit of a snapshot, or NULL. */
struct ice_story_commit *ice_story_find(const struct ice_story *story, int64_t id);

/*
 * What later changed against earlier, beside new snapshots, appended to out: "schema 0 to
 * 1; property x set". Nothing where nothing changed.
 */
enum ice_status ice_story_changes(const struct ice_metadata *earlier,
                                  const struct ice_metadata *later,
                                  struct ice_buf *out) ICE_MUST_USE;

#endif
