/*
 * The readers behind pointer.h. Each adds entries to *pointers; ICE_EFORMAT with rule
 * "source.unknown" where the input is not of its kind.
 */
#ifndef ICE_INPUTS_POINTER_READ_H
#define ICE_INPUTS_POINTER_READ_H

#include "inputs/pointer.h"
#include "source/mapping.h"

/* What a reader is given. stream: inflated, from its start. */
struct ice_pointer_input {
    struct ice_pointers *pointers;
    struct ice_str name; /* base name of the file, in the arena */
    enum ice_pointer_format wish;
    enum ice_pointer_format *out_format;
};

enum ice_status ice_pointer_json(const struct ice_pointer_input *input,
                                 struct ice_stream *stream, struct ice_error *err);
/* first: the first bytes of the stream, by which the kind of text is told. */
enum ice_status ice_pointer_text(const struct ice_pointer_input *input,
                                 struct ice_stream *stream, struct ice_str first,
                                 struct ice_error *err);
/* An SQLite file by its path: it is opened read-only, and nothing is written beside it.
 */
enum ice_status ice_pointer_sqlite(const struct ice_pointer_input *input,
                                   const char *path, struct ice_error *err);

/*
 * metadata-location of a Polaris entity's internal properties, in the arena; *out_has
 * false, and *out as it was: it has none. Broken JSON has none. ICE_ENOMEM.
 */
enum ice_status ice_pointer_polaris(struct ice_run *run, struct ice_arena *arena,
                                    struct ice_str text, struct ice_str *out,
                                    bool *out_has, struct ice_error *err);
/* Append an entry; every text is copied. ICE_ENOMEM. */
enum ice_status ice_pointers_add(struct ice_pointers *pointers,
                                 const struct ice_pointer *entry, struct ice_error *err);
/* The name of a table that its input does not say: the file's name without its endings.
 */
struct ice_str ice_pointer_name_of_file(struct ice_str file);
/* Why text is of a kind that is known and cannot be read, in words; NULL: it is not. */
const char *ice_pointer_refusal(struct ice_str first);
/* Does the text begin as a URI or an absolute path? */
bool ice_pointer_is_uri(struct ice_str text);
enum ice_status ice_pointer_unknown(struct ice_error *err, const char *why);

#endif
