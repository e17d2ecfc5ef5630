/*
 * Files that metadata, a catalog or a hint names and that the copy lacks. With listings,
 * what is said of them waits for those: a file that a listing has is not lost, the copy
 * lacks it (storage.file.not-copied), and nothing else is said of it. Storage that is the
 * directory itself tells nothing: what it has now came with a commit.
 */
#ifndef ICE_CHECK_UNFOUND_H
#define ICE_CHECK_UNFOUND_H

#include "check/check.h"
#include "rule/emit.h"

/* One of them; texts are borrowed where it is handed in. */
struct ice_unfound {
    enum ice_rule_id rule; /* that says it where no listing has the file */
    enum ice_severity severity;
    struct ice_place place; /* where it is named */
    struct ice_str uri;     /* of the file; empty: that of a hint's version */
    int64_t version;        /* ... this one */
    struct ice_str name;    /* {path} of the finding */
    enum ice_scope scope;   /* of a list or manifest */
    const char *what;    /* "manifest" ...: it is not evaluated; NULL: a metadata file */
    struct ice_str used; /* of a metadata file: the one that was taken instead */
    /* once the listings are asked: ICE_UNFOUND_URIS of a hint, in the arena; else NULL */
    struct ice_str *spellings;
    int listed; /* which of them, or 0, a listing has; -1 none */
};
enum { ICE_UNFOUND_URIS = 3 };

/* Tell it, or hold a copy of it; spellings and listed are not looked at. */
void ice_unfound_found(struct ice_check *ck, const struct ice_unfound *item);
/* From here on they are held, where listings will be asked. */
void ice_unfound_hold(struct ice_check *ck);
/* Which of them have the objects that were streamed? Tells nothing. */
void ice_unfound_look(struct ice_check *ck);
/* A listing has that metadata file; uri is borrowed until they are told. */
void ice_unfound_see_metadata(struct ice_check *ck, struct ice_str uri);
/* Tells what is held, and holds no more. */
void ice_unfound_tell(struct ice_check *ck);
/* As if those of another check, a reader's copy of ck, had been found here; they are left
 * there. */
void ice_unfound_join(struct ice_check *ck, const struct ice_unfounds *part);
void ice_unfound_release(struct ice_check *ck);

#endif
