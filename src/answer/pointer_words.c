/*
 * Words of `icefsck pointers`, told apart.
 */
#include "answer/pointer_words.h"

#include "base/error.h"
#include "inputs/evidence.h"
#include "inputs/identify.h"
#include "inputs/listing.h"
#include "inputs/stdin.h"
#include "inputs/target.h"

enum { PEEK_BYTES = 64 * 1024 };

enum word { WORD_TABLE, WORD_POINTER, WORD_LISTING, WORD_LOG };

static enum word by_format(struct ice_run *run, bool is_json, struct ice_str first) {
    enum ice_listing_format format = ice_listing_detect(run, first);
    if (ice_evidence_detect(run, first) != ICE_EVIDENCE_FORMATS)
        return WORD_LOG;
    if (format == ICE_LISTING_COUNT)
        return WORD_POINTER;
    /* one location a line is a list of pointers, where each leads to a metadata file */
    struct ice_str line = ice_str_first(first, ice_str_find(first, '\n'));
    while (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    bool is_metadata = ice_is_metadata_name(ice_key_name(line), NULL);
    if (!is_json && format == ICE_LISTING_PATHS && (is_metadata || first.size < 64))
        return WORD_POINTER;
    return WORD_LISTING;
}

static enum word by_bytes(struct ice_run *run, struct ice_str name,
                          struct ice_str first) {
    switch (ice_identify(name, first)) {
    case ICE_INPUT_METADATA:
    case ICE_INPUT_VIEW:
    case ICE_INPUT_MANIFEST_LIST:
    case ICE_INPUT_MANIFEST:
    case ICE_INPUT_AVRO:
        return WORD_TABLE;
    case ICE_INPUT_SQLITE:
    case ICE_INPUT_HINT:
    case ICE_INPUT_EMPTY:
    case ICE_INPUT_ARCHIVE:
    case ICE_INPUT_PARQUET:
    case ICE_INPUT_ORC:
    case ICE_INPUT_PUFFIN:
    case ICE_INPUT_ENCRYPTED:
        return WORD_POINTER;
    case ICE_INPUT_JSON:
        return by_format(run, true, first);
    case ICE_INPUT_UNKNOWN:
        return by_format(run, false, first);
    }
    return WORD_POINTER;
}

static enum ice_status look(struct ice_run *run, struct ice_arena *arena,
                            const char *word, enum word *out, struct ice_error *err) {
    struct ice_source *source = NULL;
    struct ice_stream stream = {0};
    struct ice_file_info info;
    enum ice_magic magic;
    struct ice_str key, first = ICE_STR_NONE;
    struct ice_error fault;
    *out = WORD_POINTER;
    if (ice_path_is_directory(word)) {
        *out = WORD_TABLE;
        return ICE_OK;
    }
    if (ice_path_is_pipe(word)) /* read once, by the pointers' reader */
        return ICE_OK;
    ice_error_clear(&fault);
    const uint64_t refused = ice_alloc_refusals(&run->alloc);
    enum ice_status status =
        ice_source_open_argument(&source, &key, arena, run, word, &fault);
    if (status >= 0)
        status = ice_open_inflated(source, key, run, &stream, &info, &magic, &fault);
    if (status >= 0)
        status = ice_stream_peek_first(&stream, PEEK_BYTES, &first, &fault);
    if (status >= 0)
        *out = by_bytes(run, key, first);
    ice_stream_release(&stream);
    ice_source_free(source);
    const bool is_short = ice_alloc_refusals(&run->alloc) != refused;
    return status == ICE_ENOMEM || is_short ? ice_error_memory(err) : ICE_OK;
}

enum ice_status ice_sort_pointer_words(struct ice_run *run, struct ice_arena *arena,
                                       const struct ice_options *options,
                                       const char *const *words, size_t n_words,
                                       struct ice_pointer_words *out,
                                       struct ice_error *err) {
    *out = (struct ice_pointer_words){
        .tables = ice_arena_array(arena, n_words, sizeof(char *)),
        .pointers = ice_arena_array(arena, n_words + options->n_pointers, sizeof(char *)),
        .listings = ice_arena_array(arena, n_words + options->n_listings, sizeof(char *)),
        .logs = ice_arena_array(arena, n_words, sizeof(char *))};
    if (out->tables == NULL || out->pointers == NULL || out->listings == NULL ||
        out->logs == NULL)
        return ice_error_memory(err);
    for (size_t i = 0; i < options->n_pointers; i++)
        out->pointers[out->n_pointers++] = options->pointers[i];
    for (size_t i = 0; i < options->n_listings; i++)
        out->listings[out->n_listings++] = options->listings[i];
    for (size_t i = 0; i < n_words; i++) {
        enum word word;
        ICE_TRY(look(run, arena, words[i], &word, err));
        switch (word) {
        case WORD_TABLE:
            out->tables[out->n_tables++] = words[i];
            break;
        case WORD_POINTER:
            out->pointers[out->n_pointers++] = words[i];
            break;
        case WORD_LISTING:
            out->listings[out->n_listings++] = words[i];
            break;
        case WORD_LOG:
            out->logs[out->n_logs++] = words[i];
            break;
        }
    }
    return ICE_OK;
}
