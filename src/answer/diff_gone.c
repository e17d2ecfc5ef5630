/*
 * Files that a plan made from the older state still asks for and storage no longer holds;
 * and what to do next.
 *
 * The older state is read once more as a check of its snapshot alone, with the rules on
 * storage: 32 bytes a file.
 */
#include "answer/diff.h"
#include "answer/spark_text.h"

#include "base/error.h"
#include "check/storage.h"
#include "check/unfound.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- gone ---- */

static const struct consequence {
    const char *rule, *name, *detail;
} consequences[] = {
    {"storage.manifest-list.missing", "manifest-list",
     "gone: planning from this state fails"},
    {"storage.manifest.missing", "manifest", "gone: planning from this state fails"},
    {"storage.data-file.missing", "data-file",
     "gone: a query planned from this state fails with file not found"},
    {"storage.delete-file.missing", "delete-file",
     "gone: a query planned from this state fails, or shows deleted rows"},
    {"storage.data-file.size", "data-file",
     "has another size now: it was written over, its reader fails or reads wrong rows"},
    {"storage.delete-file.size", "delete-file",
     "has another size now: it was written over, its reader fails or deletes wrong rows"},
    {"storage.file.empty", "file", "is empty now: its reader fails"},
    {"storage.file.only-decoded", "data-file",
     "is there under another spelling only: its reader fails with file not found"},
    {"storage.file.only-other-case", "data-file",
     "is there in other letter case only: its reader fails with file not found"},
};

static struct ice_str path_of(const struct ice_finding *finding) {
    struct ice_str path = ice_args_text(finding->args, finding->n_args, "path");
    return path.data != NULL ? path : finding->at.file;
}

/* Then it is not that the state is old: the table is damaged. */
static bool is_live_in_to(struct ice_diff *d, const struct consequence *found,
                          const struct ice_finding *finding) {
    struct ice_hash hash = ice_hash128(path_of(finding), d->reader->run.hash_seed);
    return d->has_removed && strstr(found->name, "file") != NULL &&
           !ice_live_set_take(&d->removed, hash);
}

static enum ice_status on_finding(const struct ice_finding *finding, void *user) {
    struct ice_diff *d = user;
    const struct consequence *found = NULL;
    char more[64] = "";
    if (strcmp(finding->rule->name, "storage.file.recoverable") == 0) {
        const struct ice_diff_row fetch = {
            .section = "next", .name = ICE_STR("fetch"), .detail = finding->message};
        return ice_diff_hold(d, &fetch);
    }
    for (size_t i = 0; i < ICE_COUNT_OF(consequences) && found == NULL; i++)
        if (strcmp(consequences[i].rule, finding->rule->name) == 0)
            found = &consequences[i];
    if (found == NULL)
        return ICE_OK;
    d->n_gone += 1 + finding->more;
    bool is_in_to = is_live_in_to(d, found, finding);
    d->n_gone_in_to += is_in_to;
    if (finding->more > 0)
        (void)snprintf(more, sizeof(more), "; %" PRIu64 " more of this manifest",
                       finding->more);
    ice_buf_clear(&d->text);
    if (ice_buf_printf(&d->text, "%s%s%s", found->detail,
                       is_in_to ? "; to needs it as well" : "", more) < 0)
        return ice_error_memory(d->err);
    const struct ice_diff_row row = {.section = "gone",
                                     .name = ice_str_from(found->name),
                                     .file = path_of(finding),
                                     .detail = ice_buf_str(&d->text)};
    return ice_diff_put(d, &row);
}

static enum ice_status say_unread(struct ice_diff *d, const struct ice_summary *summary) {
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        const struct ice_not_evaluated *item = &summary->not_evaluated[i];
        char why[160];
        if (!item->asked)
            continue;
        ICE_TRY(ice_diff_unknown(d, item->file,
                                 "whether all files of from are there is not known: %s",
                                 ice_escape(why, sizeof(why), item->why)));
    }
    return ICE_OK;
}

static enum ice_status look(struct ice_diff *d, struct ice_table_reader *reader) {
    struct ice_check *ck = &reader->check;
    struct ice_summary summary = {0};
    ICE_TRY(ice_storage_collect(ck, NULL, d->err));
    ICE_TRY(ice_storage_stream(ck, ice_storage_object, NULL, d->err));
    const struct ice_storage_inputs *in = &ck->storage->group->in;
    bool has_objects = ck->options->storage_local || in->has_listing || in->is_partial;
    if (has_objects) {
        ICE_TRY(ice_storage_find_versions(ck, d->err));
        ICE_TRY(ice_storage_missing(ck, d->err));
    }
    ice_unfound_tell(ck);
    ice_storage_report_inputs(ck);
    ICE_TRY(ice_emit_deliver(ck->emit, ck->table_name, ck->metadata.table_uuid,
                             on_finding, d, &summary, d->err));
    ICE_TRY(say_unread(d, &summary));
    if (!has_objects)
        return ice_diff_unknown(d, ICE_STR_NONE,
                                "whether all files of from are there is not known: the "
                                "listing is empty");
    return d->n_gone > 0 || summary.n_not_evaluated > 0
               ? ICE_OK
               : ice_diff_say(d, "gone", "none", "all files of from are still there");
}

static enum ice_status look_again(struct ice_diff *d) {
    static const char *const rules[] = {"storage.*"};
    const struct ice_state *from = &d->from;
    struct ice_table_reader reader = {0};
    char id[24], path[4096], name[512];
    struct ice_options options = *d->reader->options;
    const struct ice_table_reader *finder = from->reader;
    int path_size = snprintf(path, sizeof(path), "%.*s", ICE_STR_FMT(finder->given));
    (void)snprintf(id, sizeof(id), "%" PRId64, from->snapshot_id);
    if (path_size < 0 || (size_t)path_size >= sizeof(path))
        return ice_error_set(d->err, ICE_EARG, NULL, ICE_NO_OFFSET, "path is too long");
    if (from->document.name != SIZE_MAX) {
        (void)snprintf(name, sizeof(name), "%.*s",
                       ICE_STR_FMT(finder->target.names[from->document.name].name));
        options.metadata = name;
    } else if (finder != d->reader) {
        options.metadata = NULL;
    }
    options.snapshot = id;
    options.only = rules;
    options.n_only = ICE_COUNT_OF(rules);
    options.n_pointers = 0;
    enum ice_status status = ice_table_reader_open(
        &reader, path, &options, false, d->reader->on_trouble, d->reader->user, d->err);
    if (status >= 0)
        status = look(d, &reader);
    ice_table_reader_release(&reader);
    return status;
}

enum ice_status ice_diff_gone(struct ice_diff *d) {
    if (!ice_storage_is_asked(&d->reader->check))
        return ice_diff_say(d, "not-asked", "gone",
                            "whether files of from are gone: give --listing FILE, or "
                            "--storage local");
    if (!d->from.has_snapshot)
        return ICE_OK;
    if (ice_state_snapshot(&d->from) == NULL)
        return ice_diff_unknown(d, d->from.document.file,
                                "whether all files of from are there is not known: no "
                                "metadata file here describes its snapshot");
    return look_again(d);
}

/* ---- next ---- */

/* The table as Spark names it; in a literal. Cut where it is longer than any name. */
static enum ice_status table_name(const struct ice_diff *d, bool is_literal,
                                  char out[512]) {
    struct ice_buf name, literal;
    struct ice_alloc *alloc = &d->reader->run.alloc;
    ice_buf_init(&name, alloc, SIZE_MAX);
    ice_buf_init(&literal, alloc, SIZE_MAX);
    enum ice_status status = ice_spark_table(&d->reader->check, ICE_STR_NONE, &name);
    if (status >= 0 && is_literal)
        status = ice_spark_literal(ice_buf_str(&name), &literal);
    if (status >= 0)
        (void)ice_escape(out, 512, ice_buf_str(is_literal ? &literal : &name));
    ice_buf_release(&literal);
    ice_buf_release(&name);
    return status < 0 ? ice_error_memory(d->err) : ICE_OK;
}

static enum ice_status undo(struct ice_diff *d) {
    char table[512];
    bool is_kept = ice_metadata_find_snapshot(d->to.document.metadata,
                                              d->from.snapshot_id) != SIZE_MAX;
    ICE_TRY(table_name(d, true, table));
    if (is_kept)
        return ice_diff_say(d, "next", "rollback",
                            "if it was not meant, go forward again: CALL "
                            "cat.system.set_current_snapshot(%s, %" PRId64 ")",
                            table, d->from.snapshot_id);
    return ice_diff_say(d, "next", "rollback",
                        "if it was not meant: snapshot %" PRId64
                        " is no longer kept by to; icefsck rescue tells whether its "
                        "files are whole",
                        d->from.snapshot_id);
}

static enum ice_status by_kind(struct ice_diff *d) {
    char table[512];
    switch (d->kind) {
    case ICE_DIFF_SAME:
        return ICE_OK;
    case ICE_DIFF_BEHIND:
        ICE_TRY(table_name(d, false, table));
        return ice_diff_say(d, "next", "reload",
                            "make the reader load the table anew: REFRESH TABLE %s in "
                            "its session, a new session, or its catalog with "
                            "cache-enabled=false",
                            table);
    case ICE_DIFF_AHEAD:
        return d->ahead.from_is ? ICE_OK : undo(d);
    case ICE_DIFF_FORK:
        ICE_TRY(table_name(d, true, table));
        return ice_diff_say(d, "next", "fork",
                            "rows of the commits under 'undone' are in no scan of to: "
                            "write them again, or CALL "
                            "cat.system.cherrypick_snapshot(%s, ID) where to still "
                            "keeps the snapshot",
                            table);
    case ICE_DIFF_ANEW:
    case ICE_DIFF_OTHER_TABLE:
        return ice_diff_say(d, "next", "reload",
                            "ask who replaced the table; a reader that holds from must "
                            "load it anew");
    case ICE_DIFF_UNKNOWN:
        return ice_diff_say(d, "next", "copy",
                            "copy the metadata files between the two as well (all of "
                            "metadata/) and ask again");
    }
    return ICE_OK;
}

/* Whoever follows the advice below leads readers to that state. */
static enum ice_status before_all(struct ice_diff *d) {
    if (!d->to_is_unread)
        return ICE_OK;
    return ice_diff_say(
        d, "next", "rescue",
        "before readers are led to \"to\": files of it were not read, see "
        "'unknown'. Copy them again where this is a copy; icefsck rescue "
        "tells which state is whole");
}

enum ice_status ice_diff_next(struct ice_diff *d) {
    ICE_TRY(before_all(d));
    ICE_TRY(by_kind(d));
    ICE_TRY(ice_diff_next_ahead(d));
    ICE_TRY(ice_diff_put_held(d, "next"));
    if (d->n_gone == 0)
        return ICE_OK;
    if (d->n_gone_in_to > 0)
        ICE_TRY(ice_diff_say(d, "next", "check",
                             "%" PRIu64 " files under 'gone' are live in to as well: not "
                             "the reader is at fault, the table lost them; see icefsck "
                             "check with the same listing",
                             d->n_gone_in_to));
    return ice_diff_say(d, "next", "keep-longer",
                        "files of from are gone while a reader may hold it: keep "
                        "snapshots longer than the longest query, job or cache "
                        "(history.expire.max-snapshot-age-ms, expire_snapshots)");
}
